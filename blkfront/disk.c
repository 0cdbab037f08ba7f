// SPDX-License-Identifier: GPL-2.0-only
/*
 * The disk as the rest of the system sees it: name, limits, openers.
 */
#include <linux/log2.h>
#include <linux/module.h>
#include <linux/sched/mm.h>

#include "blkfront.h"
#include "xserror.h"

static int open_disk(struct block_device *bdev, fmode_t mode)
{
	struct blkfront_dev *dev = bdev->bd_disk->private_data;

	lockdep_assert_held(&bdev->bd_disk->open_mutex);

	return dev->dying ? -ENXIO : 0;
}

/*
 * A close that was refused is completed by the last opener, but not from here:
 * removing the disk takes the lock that is held now.
 */
static void release_disk(struct gendisk *disk, fmode_t mode)
{
	struct blkfront_dev *dev = disk->private_data;

	lockdep_assert_held(&disk->open_mutex);

	/* Noted before the worker found it open; see backend_changed(). */
	if (!dev->dying && !disk_openers(disk) &&
	    READ_ONCE(dev->backend_state) == XenbusStateClosing)
		blkfront_kick(dev);
}

/* The last opener may have outlived the device. */
static void free_disk(struct gendisk *disk)
{
	blkfront_dev_put(disk->private_data);
}

static const struct block_device_operations fops = {
	.owner		= THIS_MODULE,
	.open		= open_disk,
	.release	= release_disk,
	.free_disk	= free_disk,
};

static void set_discard_limits(const struct blkfront_geometry *geo,
			       struct request_queue *q)
{
	/* The protocol has no limit, but a bio has. */
	unsigned int most = UINT_MAX >> SECTOR_SHIFT;

	/*
	 * Never 0 again: whoever discards divides by it from bio to bio, and a
	 * frozen disk only stops the bios.
	 */
	if (geo->discard_granularity)
		q->limits.discard_granularity = geo->discard_granularity;
	q->limits.discard_alignment = geo->discard_alignment;
	blk_queue_max_discard_sectors(q, geo->discard_granularity ? most : 0);
	blk_queue_max_secure_erase_sectors(q, geo->secure_discard ? most : 0);
}

/*
 * The block layer ends large bios at physical blocks. If one was as large as a
 * request, a bio that begins within a logical block would have nothing left.
 */
static unsigned int usable_physical_size(const struct blkfront_dev *dev)
{
	unsigned int most = rounddown_pow_of_two(dev->limits.max_segs *
						 XENBLK_PAGE_SIZE / 2);

	return clamp(dev->geometry.physical_size, dev->geometry.sector_size,
		     max(most, dev->geometry.sector_size));
}

/*
 * All before the disk is added: later nobody looks at them again (SECT-01); or
 * while it is frozen.
 */
static void set_limits(const struct blkfront_dev *dev, struct request_queue *q)
{
	const struct blkfront_geometry *geo = &dev->geometry;
	unsigned int max_segs = dev->limits.max_segs;

	/* A segment is what one grant covers. */
	blk_queue_max_segments(q, max_segs);
	blk_queue_max_segment_size(q, XENBLK_PAGE_SIZE);
	blk_queue_segment_boundary(q, XENBLK_PAGE_SIZE - 1);
	blk_queue_max_hw_sectors(q, max_segs * XENBLK_SECTORS_PER_PAGE);
	/* A backend may take no segment that ends within a logical block. */
	blk_queue_dma_alignment(q, geo->sector_size - 1);
	blk_queue_logical_block_size(q, geo->sector_size);
	blk_queue_physical_block_size(q, usable_physical_size(dev));
	blk_queue_write_cache(q, geo->flush_op, false);
	blk_queue_flag_set(QUEUE_FLAG_NONROT, q);
	set_discard_limits(geo, q);
}

static bool is_readonly(const struct blkfront_dev *dev)
{
	return dev->geometry.info & (XENBLK_INFO_READONLY | XENBLK_INFO_CDROM);
}

static void set_identity(struct blkfront_dev *dev, struct gendisk *disk)
{
	static_assert(BLKFRONT_NAME_LEN <= DISK_NAME_LEN);
	unsigned int info = dev->geometry.info;

	disk->major = BLKFRONT_MAJOR;
	disk->first_minor = dev->vdev.minor;
	disk->minors = dev->vdev.nr_minors;
	disk->fops = &fops;
	disk->private_data = dev;
	blkfront_vdev_name(&dev->vdev, disk->disk_name);

	/* It is a partition, to the one who named it. */
	if (dev->vdev.partition)
		disk->flags |= GENHD_FL_NO_PART;
	if (info & (XENBLK_INFO_REMOVABLE | XENBLK_INFO_CDROM))
		disk->flags |= GENHD_FL_REMOVABLE;
	set_disk_ro(disk, is_readonly(dev));
	set_capacity(disk, dev->geometry.sectors);
}

static void run_add(struct work_struct *work)
{
	struct blkfront_dev *dev = container_of(work, struct blkfront_dev,
						add);
	/* Others may be able to free memory only after this. */
	unsigned int noio = memalloc_noio_save();
	int err;

	blkfront_dev_get(dev);
	err = device_add_disk(&dev->xdev->dev, dev->disk, NULL);
	if (err)
		blkfront_dev_put(dev);
	memalloc_noio_restore(noio);
	/* Pairs with blkfront_disk_added(). */
	WRITE_ONCE(dev->add_status, err);
	blkfront_kick(dev);
}

/**
 * blkfront_disk_renew_offers() - forget what the last backend took back
 * @dev: the device, about to be connected
 *
 * Context: the device's worker.
 */
void blkfront_disk_renew_offers(struct blkfront_dev *dev)
{
	/* Pairs with needs_backend() and blkfront_disk_stop_discards(). */
	WRITE_ONCE(dev->flush_revoked, false);
	WRITE_ONCE(dev->discard_revoked, false);
	WRITE_ONCE(dev->secure_revoked, false);
}

/*
 * A device that lost its disk may get another in another domain. Whoever has the
 * old one open still only closes it.
 */
static void show_new_disk(struct blkfront_dev *dev, struct gendisk *disk)
{
	dev->dying = false;
	blkfront_disk_renew_offers(dev);
	dev->disk = disk;
}

/**
 * blkfront_disk_create() - make the disk that the backend describes
 * @dev: the device, with geometry and rings
 *
 * Context: the device's worker.
 * Return: 0 or an error, which has been told.
 */
int blkfront_disk_create(struct blkfront_dev *dev)
{
	struct gendisk *disk;
	int err;

	err = blkfront_mq_alloc_tags(dev);
	if (err)
		goto complain;
	disk = blk_mq_alloc_disk(&dev->tag_set, dev);
	if (IS_ERR(disk)) {
		err = PTR_ERR(disk);
		goto free_tags;
	}
	set_identity(dev, disk);
	set_limits(dev, disk->queue);
	INIT_WORK(&dev->add, run_add);
	show_new_disk(dev, disk);
	return 0;

free_tags:
	blk_mq_free_tag_set(&dev->tag_set);
complain:
	xenblk_xs_error(dev->xdev, err, "making the disk");
	return err;
}

/**
 * blkfront_disk_add() - begin to let the system see the disk
 * @dev: the device, connected
 *
 * Partitions are read: that may wait for the backend, until
 * blkfront_queues_disconnect(). The end kicks the worker.
 *
 * Context: the device's worker.
 */
void blkfront_disk_add(struct blkfront_dev *dev)
{
	lockdep_assert_held(&dev->lock);

	dev->adding = true;
	dev->add_status = -EINPROGRESS;
	queue_work(blkfront_workqueue, &dev->add);
}

static void tell_disk(const struct blkfront_dev *dev)
{
	xenblk_info(dev->xdev,
		    "%s: %llu sectors, %u queues (%u polled) of %u entries, %u segments%s%s%s%s%s",
		    dev->disk->disk_name, dev->geometry.sectors,
		    dev->limits.nr_queues, dev->limits.nr_polled, dev->tag_set.queue_depth,
		    dev->limits.max_segs, dev->geometry.flush_op ? ", flush" : "",
		    dev->geometry.discard_granularity ? ", discard" : "",
		    get_disk_ro(dev->disk) ? ", read-only" : "",
		    dev->queues[0].persistent ? ", persistent grants" : "",
		    dev->limits.untrusted ? ", untrusted backend" : "");
}

/**
 * blkfront_disk_added() - has blkfront_disk_add() come to its end since?
 * @dev: the device, with or without a disk
 * @err: 0 or an error, which has been told; if it has
 *
 * Context: the device's worker.
 * Return: true once.
 */
bool blkfront_disk_added(struct blkfront_dev *dev, int *err)
{
	lockdep_assert_held(&dev->lock);

	if (!dev->adding)
		return false;
	/* Pairs with run_add(). */
	*err = READ_ONCE(dev->add_status);
	if (*err == -EINPROGRESS)
		return false;
	dev->adding = false;
	if (*err)
		xenblk_xs_error(dev->xdev, *err, "adding disk %s",
				dev->disk->disk_name);
	else
		tell_disk(dev);
	return true;
}

/**
 * blkfront_disk_stop_discards() - the backend took back what it had offered
 * @dev: the device, with or without a disk; has noted what was taken back
 *
 * What is on its way is answered by the backend.
 *
 * Context: the device's worker.
 */
void blkfront_disk_stop_discards(struct blkfront_dev *dev)
{
	struct request_queue *q;

	if (!dev->disk)
		return;
	/* Both pair with judge_status(). */
	q = dev->disk->queue;
	if (READ_ONCE(dev->discard_revoked))
		blk_queue_max_discard_sectors(q, 0);
	if (READ_ONCE(dev->discard_revoked) || READ_ONCE(dev->secure_revoked))
		blk_queue_max_secure_erase_sectors(q, 0);
}

/**
 * blkfront_disk_resize() - the capacity may have changed
 * @dev: the device, with or without a disk
 * @sectors: the capacity
 *
 * Context: the device's worker.
 */
void blkfront_disk_resize(struct blkfront_dev *dev, u64 sectors)
{
	if (!dev->disk || get_capacity(dev->disk) == sectors)
		return;
	dev->geometry.sectors = sectors;
	set_capacity_and_notify(dev->disk, sectors);
}

/**
 * blkfront_disk_update() - the backend is a new one, and so may be the disk
 * @dev: the device, with geometry and rings; its disk is frozen and idle
 *
 * Context: the device's worker.
 */
void blkfront_disk_update(struct blkfront_dev *dev)
{
	struct gendisk *disk = dev->disk;

	set_limits(dev, disk->queue);
	set_disk_ro(disk, is_readonly(dev));
	if (get_capacity(disk) != dev->geometry.sectors)
		set_capacity_and_notify(disk, dev->geometry.sectors);
}

static void stop_openers(struct blkfront_dev *dev)
{
	struct gendisk *disk = dev->disk;

	mutex_lock(&disk->open_mutex);
	dev->dying = true;
	mutex_unlock(&disk->open_mutex);
}

/**
 * blkfront_disk_claim_idle() - stop openers if there are none
 * @dev: the device, with or without a disk, not being added
 *
 * Whoever opens or closes the disk may be waiting for its I/O meanwhile: that is
 * not waited for, since the backend may go before it has answered.
 *
 * Context: the device's worker.
 * Return: 0; -EBUSY when the disk is open: its last close kicks the worker; or
 * -EAGAIN when it is being opened or closed.
 */
int blkfront_disk_claim_idle(struct blkfront_dev *dev)
{
	struct gendisk *disk = dev->disk;

	if (!disk)
		return 0;
	if (!mutex_trylock(&disk->open_mutex))
		return -EAGAIN;
	if (!disk_openers(disk))
		dev->dying = true;
	mutex_unlock(&disk->open_mutex);
	return dev->dying ? 0 : -EBUSY;
}

/**
 * blkfront_disk_destroy() - take the disk away; openers keep a dead one
 * @dev: the device, with or without a disk
 * @dead: the backend is gone: nothing can be written back. Its rings are
 *	disconnected, or this would wait for ever
 *
 * Context: may sleep, under the device's lock.
 */
void blkfront_disk_destroy(struct blkfront_dev *dev, bool dead)
{
	struct gendisk *disk = dev->disk;

	lockdep_assert_held(&dev->lock);

	if (!disk)
		return;
	/* It may be reading, with a lock held that is needed here. */
	cancel_work_sync(&dev->add);
	dev->adding = false;
	stop_openers(dev);
	if (disk_live(disk)) {
		if (dead)
			blk_mark_disk_dead(disk);
		del_gendisk(disk);
	}
	cancel_work_sync(&dev->replay);
	dev->disk = NULL;
	/* In this order: a disk that was never added needs the tags. */
	put_disk(disk);
	blk_mq_free_tag_set(&dev->tag_set);
}
