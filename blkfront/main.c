// SPDX-License-Identifier: GPL-2.0-only
/*
 * The frontend module: its parameters, and the order of start and end.
 */
#include <linux/module.h>
#include <linux/suspend.h>
#include <xen/platform_pci.h>
#include <xen/xen.h>

#include "blkfront.h"
#include "param.h"

struct workqueue_struct *blkfront_workqueue;

unsigned int blkfront_max_queues = 4;
unsigned int blkfront_poll_queues;
unsigned int blkfront_max_ring_order = 2;
unsigned int blkfront_max_segments = XENBLK_MAX_INDIRECT_SEGMENTS;
bool blkfront_offer_persistent = true;
bool blkfront_trusted = true;

XENBLK_DEFINE_PARAM(max_queues, blkfront_max_queues, 0, XENBLK_MAX_QUEUES);
MODULE_PARM_DESC(max_queues,
		 "Most rings of a disk, 1 to 999 (default 4; 0: one for each online CPU); for disks that connect later");

XENBLK_DEFINE_PARAM(poll_queues, blkfront_poll_queues, 0, XENBLK_MAX_QUEUES);
MODULE_PARM_DESC(poll_queues,
		 "Rings of a disk beyond these that are polled, without interrupts, 0 to 999 (default 0); for disks that connect later");

XENBLK_DEFINE_PARAM(max_ring_page_order, blkfront_max_ring_order, 0,
		    XENBLK_MAX_RING_ORDER);
MODULE_PARM_DESC(max_ring_page_order,
		 "Log2 of the most pages of a ring, 0 to 4 (default 2); for disks that connect later");

XENBLK_DEFINE_PARAM(max_indirect_segments, blkfront_max_segments, 0,
		    XENBLK_MAX_INDIRECT_SEGMENTS);
MODULE_PARM_DESC(max_indirect_segments,
		 "Most segments of a request, 0 to 256 (default 256), up to 11 mean no indirect requests; for disks that connect later");

module_param_named(feature_persistent, blkfront_offer_persistent, bool, 0644);
MODULE_PARM_DESC(feature_persistent,
		 "Let the backend keep pages mapped, and copy through them (default yes); for disks that connect later");

module_param_named(trusted, blkfront_trusted, bool, 0644);
MODULE_PARM_DESC(trusted,
		 "Backends may see what lies beside the data in a page (default yes); for disks that connect later");
/*
 * A kernel that starts from an image cannot tell its backends that it is not
 * the one that they know, nor is Xen's own part of it made for that. The suspend
 * of a domain by its toolstack does not come by here.
 */
static int refuse_hibernation(struct notifier_block *nb, unsigned long action,
			      void *data)
{
	if (action == PM_HIBERNATION_PREPARE)
		return notifier_from_errno(-EOPNOTSUPP);
	return NOTIFY_DONE;
}

static struct notifier_block pm_notifier = {
	.notifier_call = refuse_hibernation,
};

static int __init init(void)
{
	int err;

	/* On HVM the emulated disks may be the ones in use. */
	if (!xen_domain() || !xen_has_pv_disk_devices())
		return -ENODEV;

	/*
	 * Frozen while the domain is suspended, when nobody may use xenstore;
	 * and able to work for a disk that memory has to be written to.
	 */
	blkfront_workqueue = alloc_workqueue("xen-blkfront", WQ_UNBOUND |
					     WQ_FREEZABLE | WQ_MEM_RECLAIM, 0);
	if (!blkfront_workqueue)
		return -ENOMEM;

	err = register_blkdev(BLKFRONT_MAJOR, "xvd");
	if (err) {
		xenblk_module_warn("major %d is taken, by another frontend?",
				   BLKFRONT_MAJOR);
		goto destroy_workqueue;
	}

	err = register_pm_notifier(&pm_notifier);
	if (err)
		goto unregister_major;
	err = xenbus_register_frontend(&blkfront_driver);
	if (err)
		goto unregister_notifier;
	return 0;

unregister_notifier:
	unregister_pm_notifier(&pm_notifier);
unregister_major:
	unregister_blkdev(BLKFRONT_MAJOR, "xvd");
destroy_workqueue:
	destroy_workqueue(blkfront_workqueue);
	return err;
}
module_init(init);

static void __exit fini(void)
{
	xenbus_unregister_driver(&blkfront_driver);
	/* The last close gives back the module before it frees the disk. */
	blkfront_dev_wait_all();
	blkfront_leftover_exit();
	unregister_pm_notifier(&pm_notifier);
	unregister_blkdev(BLKFRONT_MAJOR, "xvd");
	destroy_workqueue(blkfront_workqueue);
}
module_exit(fini);

MODULE_DESCRIPTION("Xen virtual block device frontend, multi-queue");
MODULE_LICENSE("GPL");
MODULE_ALIAS_BLOCKDEV_MAJOR(BLKFRONT_MAJOR);
MODULE_ALIAS("xen:vbd");
MODULE_ALIAS("xenblk");
