// SPDX-License-Identifier: GPL-2.0-only
/*
 * The physical device behind a virtual disk: which it is, open, close.
 */
#include <linux/blk-integrity.h>
#include <linux/blkdev.h>
#include <linux/kdev_t.h>
#include <linux/slab.h>

#include "blkback.h"
#include "keys.h"
#include "xserror.h"
#include "xsread.h"

/*
 * The Linux form of the node is "MAJOR:MINOR", both hexadecimal. The text is
 * whole again afterwards: what is wrong with it is told with it.
 */
static int parse_dev(char *text, dev_t *dev)
{
	char *colon = strchr(text, ':');
	unsigned int major, minor;
	int err;

	if (!colon)
		return -EINVAL;
	*colon = '\0';
	err = kstrtouint(text, 16, &major);
	*colon = ':';
	if (err || kstrtouint(colon + 1, 16, &minor))
		return -EINVAL;
	if (major >= 1U << (32 - MINORBITS) || minor > MINORMASK)
		return -ERANGE;
	*dev = MKDEV(major, minor);
	return 0;
}

static int read_dev(struct xenbus_device *xdev, dev_t *dev)
{
	char *text = xenblk_xs_read_string(xdev->nodename,
					   XENBLK_KEY_PHYSICAL_DEVICE);
	int err;

	if (IS_ERR_OR_NULL(text))
		return text ? PTR_ERR(text) : -ENOENT;
	err = parse_dev(text, dev);
	if (err)
		xenblk_xs_error(xdev, err, "%s \"%s\" is no MAJOR:MINOR",
				XENBLK_KEY_PHYSICAL_DEVICE, text);
	kfree(text);
	return err;
}

/* Only a mode that says so lets a guest write. */
static int read_mode(struct xenbus_device *xdev, fmode_t *mode)
{
	char *text = xenblk_xs_read_string(xdev->nodename, XENBLK_KEY_MODE);

	if (IS_ERR(text))
		return PTR_ERR(text);
	*mode = FMODE_READ;
	if (text && strchr(text, 'w'))
		*mode |= FMODE_WRITE;
	kfree(text);
	return 0;
}

/*
 * Some drivers refuse to be opened for writing when they are set read-only, of
 * others it has to be asked; the block layer lets writes through. A frontend
 * has no word for zones that can only be written in order, and the block layer
 * takes some writes that break that for a fault of the kernel.
 */
static int check_bdev(struct block_device *bdev, fmode_t mode)
{
	if ((mode & FMODE_WRITE) && bdev_read_only(bdev))
		return -EACCES;
	return bdev_zoned_model(bdev) == BLK_ZONED_HM ? -EOPNOTSUPP : 0;
}

static struct block_device *get_bdev(dev_t dev, fmode_t mode)
{
	struct block_device *bdev = blkdev_get_by_dev(dev, mode, NULL);
	int err;

	if (IS_ERR(bdev))
		return bdev;
	err = check_bdev(bdev, mode);
	if (!err)
		return bdev;
	blkdev_put(bdev, mode);
	return ERR_PTR(err);
}

static int open_dev(struct blkback_device *device, dev_t dev, fmode_t mode)
{
	struct block_device *bdev = get_bdev(dev, mode);

	if (IS_ERR(bdev)) {
		xenblk_xs_error(device->xdev, PTR_ERR(bdev),
				"can't open device %x:%x", MAJOR(dev),
				MINOR(dev));
		return PTR_ERR(bdev);
	}
	device->bdev = bdev;
	device->bounds.readonly = !(mode & FMODE_WRITE);
	return 0;
}

/**
 * blkback_bdev_open() - open the device that the toolstack named
 * @device: has none open
 *
 * Context: xenbus, under @device->lock.
 * Return: 0; -ENOENT while the hotplug script has not written the node; or
 * an error that was reported in the error node.
 */
int blkback_bdev_open(struct blkback_device *device)
{
	fmode_t mode;
	dev_t dev;
	int err;

	lockdep_assert_held(&device->lock);
	err = read_dev(device->xdev, &dev);
	if (err)
		return err;
	err = read_mode(device->xdev, &mode);
	if (err) {
		xenblk_xs_error(device->xdev, err, "can't read %s",
				XENBLK_KEY_MODE);
		return err;
	}
	return open_dev(device, dev, mode);
}

/*
 * Can a disk take a block that begins in one page and ends in the next? What the
 * block layer computes of each block to protect it, it computes of each piece.
 */
static bool takes_two_pieces(struct block_device *bdev)
{
	struct request_queue *queue = bdev_get_queue(bdev);

	return queue_max_segments(queue) > 1 &&
	       !(queue_virt_boundary(queue) & PAGE_MASK) &&
	       !bdev_get_integrity(bdev);
}

/* Some disks take no memory that is aligned to less than their block. */
static u32 memory_sectors(struct block_device *bdev)
{
	u32 nr = (bdev_dma_alignment(bdev) + 1) >> XENBLK_SECTOR_SHIFT;
	u32 block = bdev_logical_block_size(bdev) >> XENBLK_SECTOR_SHIFT;

	if (!takes_two_pieces(bdev))
		nr = max(nr, block);
	return clamp_t(u32, nr, 1, XENBLK_SECTORS_PER_PAGE);
}

/* An administrator may forbid them; a node that says nonsense does so too. */
static void sample_discard(struct blkback_device *device)
{
	struct blkback_bounds *bounds = &device->bounds;
	struct block_device *bdev = device->bdev;
	unsigned int enable = 0;

	xenblk_xs_read_uint_or(device->xdev->nodename,
			       XENBLK_KEY_DISCARD_ENABLE, 0, 1, 1, &enable);
	bounds->discard = enable && !bounds->readonly &&
			  bdev_max_discard_sectors(bdev);
	bounds->secure_discard = bounds->discard &&
				 bdev_max_secure_erase_sectors(bdev);
}

/**
 * blkback_bdev_clean() - get ready for a frontend: the page cache
 * @device: has a device open, which nobody closes; no rings
 *
 * The guest's I/O goes below the page cache of this domain: what is dirty
 * there is written out, what would become stale is forgotten.
 *
 * Context: may sleep, for as long as the disk takes.
 */
void blkback_bdev_clean(struct blkback_device *device)
{
	sync_blockdev(device->bdev);
	invalidate_bdev(device->bdev);
}

/**
 * blkback_bdev_sample() - get ready for a frontend: limits
 * @device: has a device open, and no rings
 *
 * Context: may sleep, under @device->lock.
 */
void blkback_bdev_sample(struct blkback_device *device)
{
	struct block_device *bdev = device->bdev;

	lockdep_assert_held(&device->lock);
	device->bounds.sectors = bdev_nr_sectors(bdev);
	device->bounds.block_sectors = bdev_logical_block_size(bdev) >>
				       XENBLK_SECTOR_SHIFT;
	device->bounds.memory_sectors = memory_sectors(bdev);
	device->bounds.max_segments = XENBLK_MAX_INDIRECT_SEGMENTS;
	sample_discard(device);
}

static struct block_device *take_bdev(struct blkback_device *device)
{
	struct block_device *bdev = device->bdev;

	lockdep_assert_held(&device->lock);
	device->bdev = NULL;
	return bdev;
}

static void put_bdev(const struct blkback_device *device,
		     struct block_device *bdev)
{
	fmode_t mode = FMODE_READ;

	if (!device->bounds.readonly)
		mode |= FMODE_WRITE;
	blkdev_put(bdev, mode);
}

/**
 * blkback_bdev_close() - let go of the device
 * @device: has no rings; may have no device open
 *
 * Context: may sleep, for as long as it takes to write out what is dirty, but that
 * is not under @device->lock.
 */
void blkback_bdev_close(struct blkback_device *device)
{
	struct block_device *bdev;

	mutex_lock(&device->lock);
	bdev = take_bdev(device);
	mutex_unlock(&device->lock);
	if (bdev)
		put_bdev(device, bdev);
}

/**
 * blkback_bdev_drop_dead() - let go of a device that was taken out
 * @device: has no rings; may have no device open
 *
 * Context: xenbus, under @device->lock.
 */
void blkback_bdev_drop_dead(struct blkback_device *device)
{
	lockdep_assert_held(&device->lock);
	if (device->bdev && !disk_live(device->bdev->bd_disk))
		put_bdev(device, take_bdev(device));
}

/**
 * blkback_bdev_info() - value of the info node
 * @device: has a device open
 *
 * Context: xenbus, under @device->lock.
 * Return: XENBLK_INFO_* bits.
 */
unsigned int blkback_bdev_info(const struct blkback_device *device)
{
	const char *dir = device->xdev->nodename;
	unsigned int removable = 0, info = 0;
	char *type = xenblk_xs_read_string(dir, XENBLK_KEY_DEVICE_TYPE);

	if (!IS_ERR_OR_NULL(type)) {
		if (!strcmp(type, "cdrom"))
			info |= XENBLK_INFO_CDROM;
		kfree(type);
	}
	/* A removable flag that can't be read is none. */
	xenblk_xs_read_uint_or(dir, XENBLK_KEY_REMOVABLE, 0, 1, 0, &removable);
	if (removable || device->bdev->bd_disk->flags & GENHD_FL_REMOVABLE)
		info |= XENBLK_INFO_REMOVABLE;
	if (device->bounds.readonly)
		info |= XENBLK_INFO_READONLY;
	return info;
}
