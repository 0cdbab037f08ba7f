// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the backend offers, and what it makes of its frontend's nodes.
 */
#include <linux/blkdev.h>
#include <linux/slab.h>

#include "abi.h"
#include "blkback.h"
#include "keys.h"
#include "xserror.h"
#include "xsread.h"
#include "xswrite.h"

/* Room for "ring-ref" and two digits. */
#define RING_REF_NAME		16

/**
 * struct published - a connection as the frontend asks for it
 * @nr_queues: rings
 * @order: of each ring, log2 of pages
 * @numbered: the first page is "ring-ref0", not "ring-ref"
 * @layout: of the ring entries
 * @persistent: its grants may stay mapped, if this side offers that
 */
struct published {
	unsigned int		nr_queues;
	unsigned int		order;
	bool			numbered;
	enum xenblk_layout	layout;
	bool			persistent;
};

/* A number of this side of xenstore: the name of the node, and its value. */
struct number {
	const char	*key;
	u64		value;
};

static int write_numbers(struct blkback_device *device,
			 struct xenbus_transaction xbt,
			 const struct number *numbers, unsigned int nr)
{
	unsigned int i;
	int err;

	for (i = 0; i < nr; i++) {
		err = xenbus_printf(xbt, device->xdev->nodename,
				    numbers[i].key, "%llu", numbers[i].value);
		if (err)
			return err;
	}
	return 0;
}

/**
 * blkback_publish_limits() - offer queues, pages and segments
 * @device: at probe, before it goes to InitWait
 *
 * Some frontends read these without waiting for any state: they must be there
 * as early as can be.
 *
 * Context: xenbus.
 * Return: 0, or an error that was reported in the error node.
 */
int blkback_publish_limits(struct blkback_device *device)
{
	const struct number numbers[] = {
		{ XENBLK_KEY_MAX_QUEUES, device->limits.max_queues },
		{ XENBLK_KEY_MAX_RING_ORDER, device->limits.max_ring_order },
		{ XENBLK_KEY_MAX_INDIRECT, XENBLK_MAX_INDIRECT_SEGMENTS },
	};
	int err = write_numbers(device, XBT_NIL, numbers, ARRAY_SIZE(numbers));

	if (err)
		xenblk_xs_error(device->xdev, err, "can't publish the limits");
	return err;
}

/* All or nothing, so that no frontend sees half of it. */
static int write_together(struct blkback_device *device,
			  int (*write)(struct xenbus_transaction xbt,
				       void *device))
{
	int err = xenblk_xs_transact(write, device);

	if (err)
		xenblk_xs_error(device->xdev, err, "can't publish the disk");
	return err;
}

static int write_disk(struct xenbus_transaction xbt, void *data)
{
	struct blkback_device *device = data;
	struct block_device *bdev = device->bdev;
	const struct number numbers[] = {
		{ XENBLK_KEY_SECTORS, device->bounds.sectors },
		{ XENBLK_KEY_SECTOR_SIZE, bdev_logical_block_size(bdev) },
		{ XENBLK_KEY_PHYSICAL_SECTOR_SIZE,
		  bdev_physical_block_size(bdev) },
		{ XENBLK_KEY_INFO, blkback_bdev_info(device) },
		{ XENBLK_KEY_FLUSH, bdev_write_cache(bdev) },
		{ XENBLK_KEY_BARRIER, bdev_write_cache(bdev) },
		{ XENBLK_KEY_DISCARD, device->bounds.discard },
		{ XENBLK_KEY_DISCARD_GRANULARITY,
		  max(bdev_discard_granularity(bdev),
		      bdev_logical_block_size(bdev)) },
		{ XENBLK_KEY_DISCARD_ALIGNMENT, bdev_discard_alignment(bdev) },
		{ XENBLK_KEY_DISCARD_SECURE, device->bounds.secure_discard },
		{ XENBLK_KEY_PERSISTENT, device->persist.offered },
	};

	return write_numbers(device, xbt, numbers, ARRAY_SIZE(numbers));
}

/**
 * blkback_publish_disk() - tell the frontend what its disk is like
 * @device: has a device open, and rings
 *
 * Context: may sleep, under the device's lock.
 * Return: 0, or an error that was reported in the error node.
 */
int blkback_publish_disk(struct blkback_device *device)
{
	lockdep_assert_held(&device->lock);
	return write_together(device, write_disk);
}

/*
 * Connected once more means to a frontend that there is a size to be read. A
 * toolstack that takes the disk away writes this node too: its word must stay,
 * but a frontend that has refused may look at it once more.
 */
static int write_size(struct xenbus_transaction xbt, void *data)
{
	struct blkback_device *device = data;
	struct number numbers[] = {
		{ XENBLK_KEY_SECTORS, device->bounds.sectors },
		{ XENBLK_KEY_STATE },
	};
	int state;

	/* Nobody is to be told where the directory is gone. */
	if (xenbus_scanf(xbt, device->xdev->nodename, XENBLK_KEY_STATE, "%d",
			 &state) != 1)
		return 0;
	numbers[1].value = state;
	return write_numbers(device, xbt, numbers, ARRAY_SIZE(numbers));
}

/**
 * blkback_publish_size() - tell the frontend if the disk has another size
 * @device: is Connected
 *
 * Context: may sleep, under the device's lock.
 */
void blkback_publish_size(struct blkback_device *device)
{
	u64 sectors = bdev_nr_sectors(device->bdev);

	lockdep_assert_held(&device->lock);
	if (sectors == device->bounds.sectors)
		return;
	xenblk_info_ratelimited(device->xdev, "%llu sectors, %llu before",
				sectors, device->bounds.sectors);
	device->bounds.sectors = sectors;
	write_together(device, write_size);
}

static int bad_node(struct blkback_device *device, int err, const char *key)
{
	xenblk_xs_error(device->xdev, err, "frontend's %s: %s", key,
			err == -ENOENT ? "missing" : "not usable");
	return err;
}

static int read_queues(struct blkback_device *device, struct published *want)
{
	int err = xenblk_xs_read_uint_or(device->xdev->otherend,
					 XENBLK_KEY_NUM_QUEUES, 0, UINT_MAX, 1,
					 &want->nr_queues);

	if (!err)
		err = xenblk_limits_check_queues(want->nr_queues,
						 device->limits.max_queues);
	return err ? bad_node(device, err, XENBLK_KEY_NUM_QUEUES) : 0;
}

/* The page count is an older name for the order; the order wins. */
static int read_page_count(struct blkback_device *device,
			   struct published *want)
{
	unsigned int nr_pages;
	int err = xenblk_xs_read_uint_or(device->xdev->otherend,
					 XENBLK_KEY_NUM_RING_PAGES, 1,
					 XENBLK_MAX_RING_PAGES, 1, &nr_pages);

	if (!err)
		err = xenblk_limits_order_of_pages(nr_pages, &want->order);
	if (err)
		return bad_node(device, err, XENBLK_KEY_NUM_RING_PAGES);
	want->numbered = nr_pages > 1;
	return 0;
}

/*
 * Read once, for all rings: a frontend that changes it between two reads
 * would make their sizes differ.
 */
static int read_ring_order(struct blkback_device *device,
			   struct published *want)
{
	int err = xenblk_xs_read_uint(device->xdev->otherend,
				      XENBLK_KEY_RING_ORDER, 0, UINT_MAX,
				      &want->order);

	want->numbered = true;
	if (err == -ENOENT)
		err = read_page_count(device, want);
	else if (err)
		return bad_node(device, err, XENBLK_KEY_RING_ORDER);
	if (err)
		return err;
	err = xenblk_limits_check_ring_order(want->order,
					     device->limits.max_ring_order);
	return err ? bad_node(device, err, XENBLK_KEY_RING_ORDER) : 0;
}

static int read_protocol(struct blkback_device *device, struct published *want)
{
	char *text = xenblk_xs_read_string(device->xdev->otherend,
					   XENBLK_KEY_PROTOCOL);
	int err;

	if (IS_ERR(text))
		return bad_node(device, PTR_ERR(text), XENBLK_KEY_PROTOCOL);
	err = xenblk_abi_layout(text, &want->layout);
	kfree(text);
	return err ? bad_node(device, err, XENBLK_KEY_PROTOCOL) : 0;
}

static int read_persistent(struct blkback_device *device,
			   struct published *want)
{
	unsigned int wanted;
	int err = xenblk_xs_read_uint_or(device->xdev->otherend,
					 XENBLK_KEY_PERSISTENT, 0, UINT_MAX, 0,
					 &wanted);

	if (err)
		return bad_node(device, err, XENBLK_KEY_PERSISTENT);
	want->persistent = wanted;
	return 0;
}

static int read_published(struct blkback_device *device,
			  struct published *want)
{
	int err = read_queues(device, want);

	if (!err)
		err = read_ring_order(device, want);
	if (!err)
		err = read_protocol(device, want);
	if (!err)
		err = read_persistent(device, want);
	return err;
}

/* A single page goes by either name: try the right one first (HAND-01). */
static int read_first_ref(const char *dir, bool numbered, grant_ref_t *ref)
{
	char name[RING_REF_NAME];
	int err;

	snprintf(name, sizeof(name), XENBLK_KEY_RING_REF_N, 0);
	err = xenblk_xs_read_uint(dir, numbered ? name : XENBLK_KEY_RING_REF,
				  0, UINT_MAX, ref);
	if (err != -ENOENT)
		return err;
	return xenblk_xs_read_uint(dir, numbered ? XENBLK_KEY_RING_REF : name,
				   0, UINT_MAX, ref);
}

static int read_refs(const char *dir, struct blkback_ring_spec *spec)
{
	char name[RING_REF_NAME];
	unsigned int i;
	int err;

	for (i = 0; i < spec->nr_pages; i++) {
		snprintf(name, sizeof(name), XENBLK_KEY_RING_REF_N, i);
		err = xenblk_xs_read_uint(dir, name, 0, UINT_MAX,
					  &spec->ref[i]);
		if (err)
			return err;
	}
	return 0;
}

static int read_ring(struct blkback_device *device, const char *dir,
		     const struct published *want,
		     struct blkback_ring_spec *spec)
{
	int err;

	spec->nr_pages = 1U << want->order;
	if (spec->nr_pages == 1)
		err = read_first_ref(dir, want->numbered, &spec->ref[0]);
	else
		err = read_refs(dir, spec);
	if (err)
		return bad_node(device, err, XENBLK_KEY_RING_REF);
	err = xenblk_xs_read_uint(dir, XENBLK_KEY_EVENT_CHANNEL, 1, UINT_MAX,
				  &spec->evtchn);
	return err ? bad_node(device, err, XENBLK_KEY_EVENT_CHANNEL) : 0;
}

/* One queue: the frontend's own directory. More: a directory for each. */
static char *ring_dir(const struct blkback_device *device,
		      const struct published *want, unsigned int id)
{
	const char *otherend = device->xdev->otherend;

	if (want->nr_queues == 1)
		return kstrdup(otherend, GFP_KERNEL);
	return kasprintf(GFP_KERNEL, "%s/" XENBLK_KEY_QUEUE_N, otherend, id);
}

static int no_memory(struct blkback_device *device)
{
	xenblk_xs_error(device->xdev, -ENOMEM, "no memory for rings");
	return -ENOMEM;
}

static struct blkback_ring *connect_ring(struct blkback_device *device,
					 const struct published *want,
					 unsigned int id)
{
	struct blkback_ring_spec spec;
	struct blkback_ring *ring;
	char *dir = ring_dir(device, want, id);
	int err;

	if (!dir)
		return ERR_PTR(no_memory(device));
	err = read_ring(device, dir, want, &spec);
	kfree(dir);
	if (err)
		return ERR_PTR(err);
	ring = blkback_ring_create(device, id, want->layout, &spec);
	if (IS_ERR(ring))
		xenblk_xs_error(device->xdev, PTR_ERR(ring),
				"can't connect ring %u", id);
	return ring;
}

/*
 * Rings with answers were another backend's. Their frontend is Connected, and may
 * not have noticed the change: what was agreed with that one, and so whether
 * mappings may stay, is not known here. To unmap them does no harm.
 */
static bool is_taking_up(const struct published *want,
			 struct blkback_ring **rings)
{
	unsigned int id;

	for (id = 0; id < want->nr_queues; id++)
		if (rings[id]->back.rsp_prod)
			return true;
	return false;
}

static int keep_grants(struct blkback_device *device,
		       const struct published *want,
		       struct blkback_ring **rings)
{
	unsigned int id;
	int err = 0;

	if (!want->persistent || !device->persist.offered ||
	    is_taking_up(want, rings))
		return 0;
	for (id = 0; id < want->nr_queues && !err; id++)
		err = blkback_persist_create(rings[id], &device->persist);
	return err;
}

static void drop_rings(struct blkback_ring **rings, unsigned int nr)
{
	blkback_rings_stop(rings, nr);
	blkback_rings_free(rings, nr);
}

static int connect_all(struct blkback_device *device,
		       const struct published *want,
		       struct blkback_ring **rings)
{
	unsigned int id;

	for (id = 0; id < want->nr_queues; id++) {
		struct blkback_ring *ring = connect_ring(device, want, id);

		if (IS_ERR(ring)) {
			drop_rings(rings, id);
			return PTR_ERR(ring);
		}
		rings[id] = ring;
	}
	return 0;
}

/**
 * blkback_connect_rings() - connect the rings that the frontend published
 * @device: without rings; its bounds are set
 *
 * The threads do not run yet.
 *
 * Context: may sleep, under the device's lock.
 * Return: 0, or an error that was reported in the error node.
 */
int blkback_connect_rings(struct blkback_device *device)
{
	struct blkback_ring **rings;
	struct published want;
	int err;

	lockdep_assert_held(&device->lock);
	err = read_published(device, &want);
	if (err)
		return err;
	rings = kcalloc(want.nr_queues, sizeof(*rings), GFP_KERNEL);
	if (!rings)
		return no_memory(device);
	err = connect_all(device, &want, rings);
	if (err)
		return err;
	err = keep_grants(device, &want, rings);
	if (err) {
		drop_rings(rings, want.nr_queues);
		return no_memory(device);
	}
	device->rings = rings;
	device->nr_rings = want.nr_queues;
	xenblk_info_ratelimited(device->xdev,
				"%u queues of %u pages, %s-bit layout%s",
				want.nr_queues, 1U << want.order,
				want.layout == XENBLK_LAYOUT_32 ? "32" : "64",
				rings[0]->store.grants ?
				", persistent grants" : "");
	return 0;
}
