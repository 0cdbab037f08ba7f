// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the frontend reads from the backend's directory, and the one
 * transaction that publishes its rings.
 */
#include <linux/bits.h>
#include <linux/err.h>
#include <linux/log2.h>
#include <linux/slab.h>

#include "blkfront.h"
#include "keys.h"
#include "xserror.h"
#include "xsread.h"
#include "xswrite.h"

/* Largest physical block that makes sense; a volume of some ZFS has 128 KiB. */
#define MAX_PHYSICAL_SIZE	BIT(20)

/* An optional number of the backend; tells what is wrong with it. */
static int read_optional(struct blkfront_dev *dev, const char *key,
			 unsigned int min, unsigned int max,
			 unsigned int absent, unsigned int *value)
{
	int err = xenblk_xs_read_uint_or(dev->xdev->otherend, key, min, max,
					 absent, value);

	if (err)
		xenblk_xs_error(dev->xdev, err, "bad %s of the backend", key);
	return err;
}

/* Whoever can't be told to be trusted is not. */
static bool is_trusted(const struct blkfront_dev *dev)
{
	unsigned int trusted;
	int err = xenblk_xs_read_uint_or(dev->xdev->nodename,
					 XENBLK_KEY_TRUSTED, 0, 1, 1, &trusted);

	return READ_ONCE(blkfront_trusted) && !err && trusted;
}

/*
 * At most as many as a disk that has had rings has room for. Those that interrupt
 * come first, since all that is not polled for goes through them.
 */
static void limit_queues(struct blkfront_dev *dev, unsigned int offered)
{
	struct blkfront_limits *limits = &dev->limits;
	unsigned int cpus = num_online_cpus(), interrupting, polled;

	polled = READ_ONCE(blkfront_poll_queues);
	if (dev->queues) {
		offered = min(offered, dev->nr_allotted);
		polled = dev->may_poll ? polled : 0;
	}
	interrupting = xenblk_limits_queues(READ_ONCE(blkfront_max_queues),
					    cpus, offered);
	limits->nr_polled = xenblk_limits_polled(polled, cpus, offered,
						 interrupting);
	limits->nr_queues = interrupting + limits->nr_polled;
}

/**
 * blkfront_negotiate_limits() - agree on queues, ring order and segments
 * @dev: the disk; its limits are set
 *
 * The parameters are sampled here, once for a connection.
 *
 * Context: the device's worker.
 * Return: 0 or an error, which has been told.
 */
int blkfront_negotiate_limits(struct blkfront_dev *dev)
{
	struct blkfront_limits *limits = &dev->limits;
	unsigned int queues, order, segs;
	int err;

	err = read_optional(dev, XENBLK_KEY_MAX_QUEUES, 1, UINT_MAX, 1,
			    &queues);
	if (!err)
		err = read_optional(dev, XENBLK_KEY_MAX_RING_ORDER, 0, UINT_MAX,
				    0, &order);
	if (!err)
		err = read_optional(dev, XENBLK_KEY_MAX_INDIRECT, 0, UINT_MAX,
				    0, &segs);
	if (err)
		return err;

	limit_queues(dev, queues);
	limits->ring_order =
		xenblk_limits_ring_order(READ_ONCE(blkfront_max_ring_order),
					 order);
	limits->max_segs =
		xenblk_limits_segments(READ_ONCE(blkfront_max_segments), segs);
	limits->persistent = READ_ONCE(blkfront_offer_persistent);
	limits->untrusted = !is_trusted(dev);
	return 0;
}

static bool is_numbered(const char *key, const char *format)
{
	unsigned int index;

	return sscanf(key, format, &index) == 1;
}

/* Could a backend take this for a part of the connection to come? */
static bool is_stale(const char *key)
{
	static const char * const keys[] = {
		XENBLK_KEY_RING_REF, XENBLK_KEY_RING_ORDER,
		XENBLK_KEY_NUM_RING_PAGES, XENBLK_KEY_NUM_QUEUES,
		XENBLK_KEY_EVENT_CHANNEL, XENBLK_KEY_PERSISTENT,
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(keys); i++)
		if (!strcmp(key, keys[i]))
			return true;
	return is_numbered(key, XENBLK_KEY_RING_REF_N) ||
	       is_numbered(key, XENBLK_KEY_QUEUE_N);
}

/* An earlier driver, kernel or firmware may have had more queues or pages. */
static int remove_stale(struct xenbus_transaction xbt, const char *dir)
{
	unsigned int i, nr;
	char **keys = xenbus_directory(xbt, dir, "", &nr);
	int err = 0;

	if (IS_ERR(keys))
		return PTR_ERR(keys);
	for (i = 0; i < nr && !err; i++)
		if (is_stale(keys[i]))
			err = xenbus_rm(xbt, dir, keys[i]);
	kfree(keys);
	return err;
}

static int write_ring(struct xenbus_transaction xbt, const char *dir,
		      const struct blkfront_queue *queue)
{
	char key[sizeof(XENBLK_KEY_RING_REF_N) + 8];
	unsigned int i;
	int err;

	err = xenbus_printf(xbt, dir, XENBLK_KEY_EVENT_CHANNEL, "%u",
			    queue->evtchn);
	if (err)
		return err;
	/* Some backends go by the presence of an order, not by its value. */
	if (queue->nr_pages == 1)
		return xenbus_printf(xbt, dir, XENBLK_KEY_RING_REF, "%u",
				     queue->grefs[0]);
	for (i = 0; i < queue->nr_pages && !err; i++) {
		snprintf(key, sizeof(key), XENBLK_KEY_RING_REF_N, i);
		err = xenbus_printf(xbt, dir, key, "%u", queue->grefs[i]);
	}
	return err;
}

static int write_queue_dir(struct xenbus_transaction xbt, const char *node,
			   const struct blkfront_queue *queue)
{
	char *dir = kasprintf(GFP_KERNEL, "%s/" XENBLK_KEY_QUEUE_N, node,
			      queue->id);
	int err;

	if (!dir)
		return -ENOMEM;
	err = write_ring(xbt, dir, queue);
	kfree(dir);
	return err;
}

/* With one queue its keys are at the top, as before there were queues. */
static int write_queues(struct xenbus_transaction xbt,
			const struct blkfront_dev *dev)
{
	const char *node = dev->xdev->nodename;
	unsigned int i;
	int err;

	if (dev->limits.nr_queues == 1)
		return write_ring(xbt, node, &dev->queues[0]);

	err = xenbus_printf(xbt, node, XENBLK_KEY_NUM_QUEUES, "%u",
			    dev->limits.nr_queues);
	for (i = 0; i < dev->limits.nr_queues && !err; i++)
		err = write_queue_dir(xbt, node, &dev->queues[i]);
	return err;
}

static int write_all(struct xenbus_transaction xbt, void *data)
{
	const struct blkfront_dev *dev = data;
	const char *node = dev->xdev->nodename;
	int err;

	err = remove_stale(xbt, node);
	if (!err && dev->limits.ring_order)
		err = xenbus_printf(xbt, node, XENBLK_KEY_RING_ORDER, "%u",
				    dev->limits.ring_order);
	if (!err)
		err = write_queues(xbt, dev);
	if (!err)
		err = xenbus_printf(xbt, node, XENBLK_KEY_PROTOCOL, "%s",
				    XENBLK_PROTOCOL_NATIVE);
	if (!err)
		err = xenbus_printf(xbt, node, XENBLK_KEY_PERSISTENT, "%u",
				    dev->limits.persistent);
	return err;
}

/**
 * blkfront_negotiate_publish() - tell the backend where the rings are
 * @dev: the disk, with rings
 *
 * All or nothing, and nothing of an earlier connection is left.
 *
 * Context: the device's worker.
 * Return: 0 or an error, which has been told.
 */
int blkfront_negotiate_publish(struct blkfront_dev *dev)
{
	int err = xenblk_xs_transact(write_all, dev);

	if (err)
		xenblk_xs_error(dev->xdev, err, "publishing the rings");
	return err;
}

/**
 * blkfront_negotiate_sectors() - read the capacity
 * @dev: the disk
 * @sectors: set on success; 512-byte sectors whatever the logical block
 *
 * Context: the device's worker; the backend is connected.
 * Return: 0 or an error, which has been told.
 */
int blkfront_negotiate_sectors(struct blkfront_dev *dev, u64 *sectors)
{
	int err = xenblk_xs_read_u64(dev->xdev->otherend, XENBLK_KEY_SECTORS, 0,
				     LLONG_MAX >> XENBLK_SECTOR_SHIFT, sectors);

	if (err)
		xenblk_xs_error(dev->xdev, err, "bad or missing %s of the backend",
				XENBLK_KEY_SECTORS);
	return err;
}

static int read_block_sizes(struct blkfront_dev *dev)
{
	struct blkfront_geometry *geo = &dev->geometry;
	int err;

	err = xenblk_xs_read_uint(dev->xdev->otherend, XENBLK_KEY_SECTOR_SIZE,
				  SECTOR_SIZE, XENBLK_PAGE_SIZE,
				  &geo->sector_size);
	if (!err && !is_power_of_2(geo->sector_size))
		err = -EINVAL;
	if (err) {
		xenblk_xs_error(dev->xdev, err, "bad or missing %s of the backend",
				XENBLK_KEY_SECTOR_SIZE);
		return err;
	}

	err = read_optional(dev, XENBLK_KEY_PHYSICAL_SECTOR_SIZE, SECTOR_SIZE,
			    MAX_PHYSICAL_SIZE, geo->sector_size,
			    &geo->physical_size);
	if (!err && !is_power_of_2(geo->physical_size)) {
		err = -EINVAL;
		xenblk_xs_error(dev->xdev, err, "bad %s of the backend",
				XENBLK_KEY_PHYSICAL_SECTOR_SIZE);
	}
	return err;
}

/*
 * A flush by barrier carries no data: a barrier with data could not be
 * indirect, so the block layer makes FUA a write and a flush in both cases.
 */
static int read_flush_op(struct blkfront_dev *dev)
{
	unsigned int flush, barrier;
	int err;

	err = read_optional(dev, XENBLK_KEY_FLUSH, 0, UINT_MAX, 0, &flush);
	if (!err)
		err = read_optional(dev, XENBLK_KEY_BARRIER, 0, UINT_MAX, 0,
				    &barrier);
	if (err)
		return err;
	if (flush)
		dev->geometry.flush_op = XENBLK_OP_FLUSH;
	else
		dev->geometry.flush_op = barrier ? XENBLK_OP_BARRIER : 0;
	return 0;
}

static int read_persistent(struct blkfront_dev *dev)
{
	unsigned int wanted;
	int err = read_optional(dev, XENBLK_KEY_PERSISTENT, 0, UINT_MAX, 0,
				&wanted);

	if (!err)
		dev->geometry.persistent = wanted;
	return err;
}

/*
 * Granules of the backend need be no power of two, which the block layer asks
 * for: the largest that divides them is told, and no less than a block.
 */
static unsigned int usable_granularity(unsigned int told, unsigned int block)
{
	return max(told & -told, block);
}

/* Nothing but the feature itself has to be there (DISC-01). */
static int read_discard(struct blkfront_dev *dev)
{
	struct blkfront_geometry *geo = &dev->geometry;
	unsigned int discard, secure, granularity, alignment;
	int err;

	err = read_optional(dev, XENBLK_KEY_DISCARD, 0, UINT_MAX, 0, &discard);
	if (!err)
		err = read_optional(dev, XENBLK_KEY_DISCARD_SECURE, 0, UINT_MAX,
				    0, &secure);
	if (!err)
		err = read_optional(dev, XENBLK_KEY_DISCARD_GRANULARITY, 0,
				    INT_MAX, 0, &granularity);
	if (!err)
		err = read_optional(dev, XENBLK_KEY_DISCARD_ALIGNMENT, 0,
				    INT_MAX, 0, &alignment);
	if (err)
		return err;
	granularity = usable_granularity(granularity, geo->sector_size);
	geo->discard_granularity = discard ? granularity : 0;
	geo->discard_alignment = alignment % granularity;
	geo->secure_discard = discard && secure;
	return 0;
}

/**
 * blkfront_negotiate_geometry() - read what the disk is like
 * @dev: the disk; its geometry is set
 *
 * Context: the device's worker; the backend is connected.
 * Return: 0 or an error, which has been told.
 */
int blkfront_negotiate_geometry(struct blkfront_dev *dev)
{
	int err;

	err = blkfront_negotiate_sectors(dev, &dev->geometry.sectors);
	if (!err)
		err = read_block_sizes(dev);
	if (!err)
		err = read_optional(dev, XENBLK_KEY_INFO, 0, UINT_MAX, 0,
				    &dev->geometry.info);
	if (!err)
		err = read_flush_op(dev);
	if (!err)
		err = read_persistent(dev);
	if (!err)
		err = read_discard(dev);
	return err;
}
