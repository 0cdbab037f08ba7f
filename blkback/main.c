// SPDX-License-Identifier: GPL-2.0-only
/*
 * The backend module: its parameters, and what starts and stops with it.
 */
#include <linux/module.h>
#include <xen/xen.h>

#include "blkback.h"
#include "param.h"

/* One jiffy of the slowest clock: whoever waits for the processor waits so. */
#define MAX_POLL_US	10000

static unsigned int max_queues;
static unsigned int max_ring_page_order = XENBLK_MAX_RING_ORDER;
static unsigned int max_buffer_pages = 1024;
static bool feature_persistent = true;
static unsigned int max_persistent_grants = 1056;
static unsigned int persistent_grant_unused_seconds = 60;
static unsigned int max_copy_pages = 1;
static unsigned int poll_us = 200;
unsigned int blkback_squeeze_ms = 10;
int blkback_log_stats;

XENBLK_DEFINE_PARAM(max_queues, max_queues, 0, XENBLK_MAX_QUEUES);
MODULE_PARM_DESC(max_queues,
		 "Queues that a disk offers (1 to 999; 0: one for each online CPU; default: as many as at load)");
XENBLK_DEFINE_PARAM(max_ring_page_order, max_ring_page_order, 0,
		    XENBLK_MAX_RING_ORDER);
MODULE_PARM_DESC(max_ring_page_order,
		 "Largest ring that a disk offers, log2 of pages (0 to 4)");
module_param(max_buffer_pages, uint, 0644);
MODULE_PARM_DESC(max_buffer_pages,
		 "Unused pages that a ring keeps to map at");
module_param(feature_persistent, bool, 0644);
MODULE_PARM_DESC(feature_persistent,
		 "Offer to keep the guest's grants mapped (default: yes)");
module_param(max_persistent_grants, uint, 0644);
MODULE_PARM_DESC(max_persistent_grants,
		 "Grants that a ring keeps mapped, at most 4096");
module_param(persistent_grant_unused_seconds, uint, 0644);
MODULE_PARM_DESC(persistent_grant_unused_seconds,
		 "How long an unused grant stays mapped (0: as long as it is not displaced)");
XENBLK_DEFINE_PARAM(max_copy_pages, max_copy_pages, 0,
		    XENBLK_MAX_INDIRECT_SEGMENTS);
MODULE_PARM_DESC(max_copy_pages,
		 "Requests of up to so many pages are copied, not mapped, where grants do not stay mapped (0 to 256, default 1; 0: none)");
XENBLK_DEFINE_PARAM(poll_us, poll_us, 0, MAX_POLL_US);
MODULE_PARM_DESC(poll_us,
		 "Longest time that a ring's thread looks for work before it sleeps, in microseconds (0 to 10000, default 200; 0: never)");
module_param_named(buffer_squeeze_duration_ms, blkback_squeeze_ms, uint, 0644);
MODULE_PARM_DESC(buffer_squeeze_duration_ms,
		 "Time in ms that a ring keeps no more than 257 pages after memory was short (default 10)");
module_param_named(log_stats, blkback_log_stats, int, 0644);
MODULE_PARM_DESC(log_stats,
		 "Log what each ring has done, every 10 s while it works");

/**
 * blkback_sample_limits() - take the module parameters for a new device
 * @device: its limits are set
 */
void blkback_sample_limits(struct blkback_device *device)
{
	device->limits.max_queues = xenblk_limits_offer(READ_ONCE(max_queues),
							num_online_cpus());
	device->limits.max_ring_order = READ_ONCE(max_ring_page_order);
	device->max_cached_pages = READ_ONCE(max_buffer_pages);
}

/**
 * blkback_sample_tuning() - take the module parameters for a new connection
 * @device: without rings; its persist limits, copying and polling are set
 *
 * Context: under the device's lock.
 */
void blkback_sample_tuning(struct blkback_device *device)
{
	lockdep_assert_held(&device->lock);
	device->persist.offered = READ_ONCE(feature_persistent);
	device->persist.max_grants = min(READ_ONCE(max_persistent_grants),
					 BLKBACK_MAX_PAGES + 0U);
	device->persist.unused_seconds =
		READ_ONCE(persistent_grant_unused_seconds);
	device->max_copy_pages = READ_ONCE(max_copy_pages);
	device->poll_us = READ_ONCE(poll_us);
}

static int __init blkback_init(void)
{
	int err;

	if (!xen_domain())
		return -ENODEV;
	/* As the stock module does, people can read what they get. */
	max_queues = xenblk_limits_offer(max_queues, num_online_cpus());
	err = blkback_submit_init();
	if (err)
		return err;
	blkback_debugfs_init();
	err = blkback_xenbus_init();
	if (err)
		goto exit_debugfs;
	return 0;

exit_debugfs:
	blkback_debugfs_exit();
	blkback_submit_exit();
	return err;
}

static void __exit blkback_exit(void)
{
	blkback_xenbus_exit();
	blkback_debugfs_exit();
	blkback_submit_exit();
}

module_init(blkback_init);
module_exit(blkback_exit);

MODULE_DESCRIPTION("Xen paravirtual block backend, one thread a ring");
MODULE_LICENSE("GPL");
MODULE_ALIAS("xen-backend:vbd");
