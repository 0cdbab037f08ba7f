// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which disk a device is; the life of its struct, and the names and minors that
 * it holds.
 */
#include <linux/list.h>
#include <linux/slab.h>
#include <linux/wait_bit.h>
#include <xen/platform_pci.h>
#include <xen/xen.h>

#include "blkfront.h"
#include "keys.h"
#include "xserror.h"
#include "xsread.h"

/* Guards the list of reserved names. */
static DEFINE_MUTEX(names_lock);
static LIST_HEAD(names);

/**
 * blkfront_dev_is_emulated() - is a disk the device model's?
 * @xdev: the xenbus device
 * @vdev: its number
 *
 * On HVM the same disk may be emulated: a CD, or one that was not unplugged.
 *
 * Context: may sleep.
 */
bool blkfront_dev_is_emulated(struct xenbus_device *xdev,
			      const struct blkfront_vdev *vdev)
{
	char *type;
	bool cdrom;

	if (!xen_hvm_domain() || xen_pvh_domain())
		return false;
	type = xenblk_xs_read_string(xdev->nodename, XENBLK_KEY_DEVICE_TYPE);
	cdrom = !IS_ERR_OR_NULL(type) && !strncmp(type, "cdrom", 5);
	if (!IS_ERR(type))
		kfree(type);
	if (cdrom)
		return true;
	return vdev->major != BLKFRONT_MAJOR &&
	       xen_has_pv_and_legacy_disk_devices();
}

/**
 * blkfront_dev_read_vdev() - which disk is it to be?
 * @xdev: the xenbus device
 * @vdev: set on success
 *
 * Context: may sleep.
 * Return: 0, or an error that was reported in the error node.
 */
int blkfront_dev_read_vdev(struct xenbus_device *xdev,
			   struct blkfront_vdev *vdev)
{
	unsigned int number;
	int err;

	err = xenblk_xs_read_uint(xdev->nodename, XENBLK_KEY_VIRTUAL_DEVICE, 0,
				  UINT_MAX, &number);
	if (err == -ENOENT)
		err = xenblk_xs_read_uint(xdev->nodename,
					  XENBLK_KEY_VIRTUAL_DEVICE_EXT, 0,
					  UINT_MAX, &number);
	if (err) {
		xenblk_xs_error(xdev, err, "bad or missing %s",
				XENBLK_KEY_VIRTUAL_DEVICE);
		return err;
	}
	err = blkfront_vdev_decode(number, vdev);
	if (err)
		xenblk_xs_error(xdev, err, "no disk has the number %u",
				number);
	return err;
}

static int reserve_name(struct blkfront_dev *dev)
{
	struct blkfront_dev *other;
	int err = 0;

	mutex_lock(&names_lock);
	list_for_each_entry(other, &names, siblings)
		if (blkfront_vdev_clash(&dev->vdev, &other->vdev))
			err = -EBUSY;
	if (!err)
		list_add_tail(&dev->siblings, &names);
	mutex_unlock(&names_lock);
	return err;
}

static void free_dev(struct kref *ref)
{
	struct blkfront_dev *dev = container_of(ref, struct blkfront_dev, ref);

	mutex_lock(&names_lock);
	list_del(&dev->siblings);
	kfree(dev);
	wake_up_var(&names);
	mutex_unlock(&names_lock);
}

/**
 * blkfront_dev_create() - make a disk's struct and reserve its name
 * @xdev: the xenbus device
 * @vdev: number, name and minors
 *
 * Context: may sleep.
 * Return: a struct with one reference; or an error pointer, -EBUSY when the
 * name or a minor is taken, be it by a removed disk that is still open.
 */
struct blkfront_dev *blkfront_dev_create(struct xenbus_device *xdev,
					 const struct blkfront_vdev *vdev)
{
	struct blkfront_dev *dev = kzalloc(sizeof(*dev), GFP_KERNEL);
	int err;

	if (!dev)
		return ERR_PTR(-ENOMEM);
	dev->xdev = xdev;
	dev->vdev = *vdev;
	dev->otherend = xdev->otherend_id;
	kref_init(&dev->ref);
	mutex_init(&dev->lock);
	mutex_init(&dev->queues_lock);
	blkfront_recovery_init(dev);

	err = reserve_name(dev);
	if (err) {
		kfree(dev);
		return ERR_PTR(err);
	}
	return dev;
}

/**
 * blkfront_dev_get() - take a reference
 * @dev: the disk; the caller holds a reference
 */
void blkfront_dev_get(struct blkfront_dev *dev)
{
	kref_get(&dev->ref);
}

/**
 * blkfront_dev_put() - drop a reference
 * @dev: the disk; with the last reference its name is free again
 *
 * Context: may sleep.
 */
void blkfront_dev_put(struct blkfront_dev *dev)
{
	kref_put(&dev->ref, free_dev);
}

/**
 * blkfront_dev_is_ready() - is nothing left to wait for at boot?
 * @xdev: a connected xenbus device; unlike its struct it cannot go away here
 *
 * Context: may sleep; remove() may run at the same time.
 * Return: true when the disk is there, or never will be.
 */
bool blkfront_dev_is_ready(const struct xenbus_device *xdev)
{
	struct blkfront_dev *dev;
	bool ready = false;

	mutex_lock(&names_lock);
	list_for_each_entry(dev, &names, siblings)
		if (READ_ONCE(dev->xdev) == xdev)
			ready = READ_ONCE(dev->ready);
	mutex_unlock(&names_lock);
	return ready;
}

/**
 * blkfront_dev_wait_all() - wait until the last disk is freed
 *
 * Context: may sleep; all disks are removed and closed.
 */
void blkfront_dev_wait_all(void)
{
	wait_var_event(&names, list_empty(&names));
	/* Whoever emptied the list still has the lock. */
	mutex_lock(&names_lock);
	mutex_unlock(&names_lock);
}
