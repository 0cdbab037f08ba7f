// SPDX-License-Identifier: GPL-2.0-only
/*
 * The rings of a disk: made before they are published, disconnected at once
 * when the backend is gone, destroyed when no request can come any more.
 */
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "blkfront.h"
#include "xserror.h"

/* Single pages: a fragmented guest has no sixteen in a row. */
static int alloc_pages_of_ring(struct blkfront_queue *queue)
{
	int gref;

	for (; queue->nr_pages < 1U << queue->dev->limits.ring_order;
	     queue->nr_pages++) {
		struct page *page = alloc_page(GFP_KERNEL | __GFP_ZERO);

		if (!page)
			return -ENOMEM;
		gref = gnttab_grant_foreign_access(queue->dev->otherend,
						   xen_page_to_gfn(page), 0);
		if (gref < 0) {
			__free_page(page);
			return gref;
		}
		queue->pages[queue->nr_pages] = page;
		queue->grefs[queue->nr_pages] = gref;
	}
	return 0;
}

static int map_ring(struct blkfront_queue *queue)
{
	struct xenblk_ring *ring = &queue->producer.ring.ring;
	void *sring = vmap(queue->pages, queue->nr_pages, VM_MAP, PAGE_KERNEL);

	if (!sring)
		return -ENOMEM;
	xenblk_ring_format(sring);
	xenblk_ring_init(ring, sring, XENBLK_LAYOUT_NATIVE, queue->nr_pages);
	queue->completer.ring.ring = *ring;
	queue->completer.polled = false;
	queue->completer.waited_at = U32_MAX;
	queue->producer.ring.req_prod = 0;
	queue->producer.ring.pushed = 0;
	queue->completer.ring.rsp_cons = 0;
	return 0;
}

static int create_ring(struct blkfront_queue *queue)
{
	int err = alloc_pages_of_ring(queue);

	return err ?: map_ring(queue);
}

static void destroy_ring(struct blkfront_queue *queue)
{
	struct xenblk_ring *ring = &queue->producer.ring.ring;

	vunmap(ring->sring);
	ring->sring = NULL;
	queue->completer.ring.ring.sring = NULL;
	while (queue->nr_pages) {
		queue->nr_pages--;
		blkfront_leftover_end(queue->dev,
				      queue->grefs[queue->nr_pages],
				      page_address(queue->pages[queue->nr_pages]));
	}
}

static int create_slots(struct blkfront_queue *queue)
{
	u32 nr_ents = queue->producer.ring.ring.nr_ents;

	queue->slots = kvcalloc(nr_ents, sizeof(*queue->slots), GFP_KERNEL);
	return queue->slots ? 0 : -ENOMEM;
}

static int create_event(struct blkfront_queue *queue)
{
	struct xenbus_device *xdev = queue->dev->xdev;
	int irq, err;

	err = xenbus_alloc_evtchn(xdev, &queue->evtchn);
	if (err)
		return err;
	irq = bind_evtchn_to_irqhandler_lateeoi(queue->evtchn,
						blkfront_complete_event, 0,
						queue->name, queue);
	if (irq < 0) {
		xenbus_free_evtchn(xdev, queue->evtchn);
		return irq;
	}
	queue->irq = irq;
	return 0;
}

/* Both sides of the ring look at the flags under a lock of theirs. */
static void set_connected(struct blkfront_queue *queue, bool connected,
			  bool holding)
{
	unsigned long flags;

	spin_lock(&queue->producer.lock);
	spin_lock_irqsave(&queue->completer.lock, flags);
	queue->connected = connected;
	queue->holding = holding;
	spin_unlock_irqrestore(&queue->completer.lock, flags);
	spin_unlock(&queue->producer.lock);
}

static void init_queue(struct blkfront_dev *dev, unsigned int id)
{
	struct blkfront_queue *queue = &dev->queues[id];

	queue->id = id;
	queue->dev = dev;
	snprintf(queue->name, sizeof(queue->name), "%s-q%u",
		 dev_name(&dev->xdev->dev), id);
	spin_lock_init(&queue->producer.lock);
	spin_lock_init(&queue->completer.lock);
	queue->producer.nudged = jiffies;
	queue->producer.nudged_at = U32_MAX;
}

/*
 * One for each ring that the disk may ever have: hardware queues that are to go
 * refer to theirs until a lost connection is made again.
 */
static int alloc_queues(struct blkfront_dev *dev)
{
	unsigned int polled = READ_ONCE(blkfront_poll_queues);
	unsigned int i, nr = xenblk_limits_queues(READ_ONCE(blkfront_max_queues),
						  nr_cpu_ids, UINT_MAX);

	lockdep_assert_held(&dev->queues_lock);

	/* Rings that remove() missed would never be disconnected. */
	if (READ_ONCE(dev->removed))
		return -ENODEV;
	if (dev->queues)
		return 0;
	nr += xenblk_limits_polled(polled, nr_cpu_ids, UINT_MAX, nr);
	nr = max(nr, dev->limits.nr_queues);
	dev->queues = kvcalloc(nr, sizeof(*dev->queues), GFP_KERNEL);
	if (!dev->queues)
		return -ENOMEM;
	dev->nr_allotted = nr;
	dev->may_poll = polled || dev->limits.nr_polled;
	for (i = 0; i < nr; i++)
		init_queue(dev, i);
	return 0;
}

/* What a failure leaves is for free_queue(). */
static int connect(struct blkfront_queue *queue)
{
	int err = create_ring(queue);

	if (!err)
		err = create_slots(queue);
	if (!err)
		err = blkfront_grants_create(queue);
	if (!err)
		err = create_event(queue);
	if (!err)
		set_connected(queue, true, queue->dev->held);
	return err;
}

static void free_queue(struct blkfront_queue *queue)
{
	if (queue->irq)
		unbind_from_irqhandler(queue->irq, queue);
	queue->irq = 0;
	blkfront_complete_unanswered(queue);

	blkfront_lists_destroy(queue);
	blkfront_bounce_destroy(queue);
	blkfront_grants_destroy(queue);
	queue->prepared = false;
	kvfree(queue->slots);
	queue->slots = NULL;
	destroy_ring(queue);
}

/**
 * blkfront_queues_create() - make the rings that were agreed on
 * @dev: the disk, without rings or with disconnected ones
 *
 * Context: the device's worker.
 * Return: 0 or an error, which has been told; what was made is still there.
 */
int blkfront_queues_create(struct blkfront_dev *dev)
{
	unsigned int i, nr = dev->limits.nr_queues;
	int err;

	/* Pairs with tell_silence(). */
	WRITE_ONCE(dev->silence_told, false);
	blkfront_leftover_reclaim();
	mutex_lock(&dev->queues_lock);
	err = alloc_queues(dev);
	for (i = 0; !err && i < nr; i++)
		err = connect(&dev->queues[i]);
	mutex_unlock(&dev->queues_lock);

	if (err) {
		xenblk_xs_error(dev->xdev, err, "making %u rings of %u pages", nr,
				1U << dev->limits.ring_order);
	}
	return err;
}

/* A backend may be Connected twice before the disk is, or be another one then. */
static int prepare(struct blkfront_queue *queue)
{
	const struct blkfront_dev *dev = queue->dev;
	bool persistent = dev->limits.persistent && dev->geometry.persistent;
	int err;

	if (queue->prepared)
		return queue->persistent == persistent ? 0 : -ESTALE;
	queue->persistent = persistent;
	err = blkfront_bounce_create(queue) ?: blkfront_lists_create(queue);
	queue->prepared = !err;
	return err;
}

/**
 * blkfront_queues_prepare() - make what the backend's features ask for
 * @dev: the disk, with geometry and rings that carry no request yet
 *
 * Context: the device's worker.
 * Return: 0; -ESTALE when they were made for another backend; or an error, which
 * has been told.
 */
int blkfront_queues_prepare(struct blkfront_dev *dev)
{
	unsigned int i;
	int err = 0;

	mutex_lock(&dev->queues_lock);
	for (i = 0; !err && i < dev->limits.nr_queues; i++)
		err = prepare(&dev->queues[i]);
	mutex_unlock(&dev->queues_lock);

	if (err && err != -ESTALE)
		xenblk_xs_error(dev->xdev, err, "making pages for %u rings",
				dev->limits.nr_queues);
	return err;
}

/*
 * Submitters and completers that have begun use their slots without a lock, but
 * in a read section of RCU. That of queue_rq() is the block layer's: the disk is
 * not BLK_MQ_F_BLOCKING.
 */
static void stop_queues(struct blkfront_dev *dev, bool hold)
{
	bool connected = false;
	unsigned int i;

	lockdep_assert_held(&dev->queues_lock);

	for (i = 0; dev->queues && i < dev->nr_allotted; i++) {
		connected |= dev->queues[i].connected;
		set_connected(&dev->queues[i], false, hold);
	}
	if (connected)
		synchronize_rcu();
}

/*
 * The order matters: submitters and timeouts stop first, so that nothing new
 * is in flight and nobody uses the event channel; then the handler, so that
 * what is in flight is ours; only then may memory go. Twice does no harm.
 */
static void disconnect_all(struct blkfront_dev *dev, bool hold)
{
	unsigned int i;

	mutex_lock(&dev->queues_lock);
	/* Whatever remove() failed must not be held again. */
	hold = hold && !READ_ONCE(dev->removed);
	stop_queues(dev, hold);
	for (i = 0; dev->queues && i < dev->nr_allotted; i++)
		free_queue(&dev->queues[i]);
	mutex_unlock(&dev->queues_lock);
	if (!hold)
		blkfront_recovery_fail(dev);
}

/**
 * blkfront_queues_disconnect() - stop using what is shared with the backend
 * @dev: the disk; with or without rings, whatever its condition
 *
 * Requests in flight or held fail, later ones will, and nothing waits for the
 * backend.
 *
 * Context: may sleep.
 */
void blkfront_queues_disconnect(struct blkfront_dev *dev)
{
	disconnect_all(dev, false);
}

/**
 * blkfront_queues_poll() - finish what is answered on the rings that are polled
 * @dev: the disk; with or without rings, whatever its condition
 *
 * For when those who poll cannot.
 *
 * Context: may sleep, under the device's lock.
 */
void blkfront_queues_poll(struct blkfront_dev *dev)
{
	unsigned int i;

	lockdep_assert_held(&dev->lock);

	for (i = 0; dev->queues && i < dev->nr_allotted; i++)
		if (dev->queues[i].completer.polled)
			blkfront_complete_pending(&dev->queues[i]);
}

/**
 * blkfront_queues_hold() - stop using what is shared with the backend for now
 * @dev: the disk; with or without rings, whatever its condition
 *
 * Requests without an answer are parked, and so are later ones.
 *
 * Context: the device's worker.
 */
void blkfront_queues_hold(struct blkfront_dev *dev)
{
	unsigned int i;

	/* What the backend has answered need not be asked again. */
	for (i = 0; dev->queues && i < dev->nr_allotted; i++)
		blkfront_complete_pending(&dev->queues[i]);
	disconnect_all(dev, true);
}

/**
 * blkfront_queues_leave() - the domain has left its backends behind
 * @dev: the disk; with or without rings, whatever its condition
 *
 * Rings and pages are an image that was taken while the old backend could still
 * write to them: an answer may be there of which the data is not, or half of an
 * answer. Whatever is not finished is asked again.
 *
 * Context: xenwatch, before user space and the worker go on.
 */
void blkfront_queues_leave(struct blkfront_dev *dev)
{
	lockdep_assert_held(&dev->lock);

	mutex_lock(&dev->queues_lock);
	stop_queues(dev, !READ_ONCE(dev->removed));
	mutex_unlock(&dev->queues_lock);
}

/**
 * blkfront_queues_release() - send what comes in again
 * @dev: the disk, with rings for all hardware queues and nothing in flight
 *
 * Context: the device's worker.
 */
void blkfront_queues_release(struct blkfront_dev *dev)
{
	unsigned int i;

	mutex_lock(&dev->queues_lock);
	for (i = 0; i < dev->nr_allotted; i++)
		set_connected(&dev->queues[i], dev->queues[i].connected, false);
	mutex_unlock(&dev->queues_lock);
}

/**
 * blkfront_queues_destroy() - free the rings
 * @dev: the disk; nothing of the block layer knows the rings any more
 *
 * Context: may sleep.
 */
void blkfront_queues_destroy(struct blkfront_dev *dev)
{
	blkfront_queues_disconnect(dev);

	mutex_lock(&dev->queues_lock);
	kvfree(dev->queues);
	dev->queues = NULL;
	mutex_unlock(&dev->queues_lock);
}
