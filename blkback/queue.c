// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a ring is made of: shared pages, event channel, pools, and its thread.
 */
#include <linux/kthread.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <xen/events.h>

#include "blkback.h"

/*
 * @dev_id is alive: the interrupt is unbound before the ring goes. The event
 * is acknowledged by the thread, once it knows whether there was work: a
 * frontend that sends events for nothing is slowed down (XSA-332).
 */
static irqreturn_t note_event(int irq, void *dev_id)
{
	struct blkback_ring *ring = dev_id;

	atomic_set(&ring->event, 1);
	/* Pairs with the barrier of set_current_state() in the thread. */
	wake_up_process(ring->thread);
	return IRQ_HANDLED;
}

static int alloc_lists(struct blkback_batch *batch)
{
	unsigned int i;

	/* Two lists share a page, so that none crosses one. */
	for (i = 0; i < BLKBACK_BATCH_LISTS; i += 2) {
		void *page = (void *)__get_free_page(GFP_KERNEL);

		if (!page)
			return -ENOMEM;
		batch->list[i] = page;
		batch->list[i + 1] = page + BLKBACK_LIST_BYTES;
	}
	return 0;
}

static void free_batch(struct blkback_batch *batch)
{
	unsigned int i;

	for (i = 0; i < BLKBACK_BATCH_LISTS; i += 2)
		free_page((unsigned long)batch->list[i]);
	kvfree(batch);
}

static struct blkback_batch *alloc_batch(void)
{
	struct blkback_batch *batch;

	static_assert(2 * BLKBACK_LIST_BYTES <= XENBLK_PAGE_SIZE);
	static_assert(BLKBACK_BATCH_LISTS % 2 == 0);

	batch = kvzalloc(sizeof(*batch), GFP_KERNEL);
	if (batch && alloc_lists(batch)) {
		free_batch(batch);
		return NULL;
	}
	return batch;
}

static int alloc_requests(struct blkback_ring *ring, unsigned int nr_ents)
{
	unsigned int i;

	ring->requests = kvcalloc(nr_ents, sizeof(ring->requests[0]),
				  GFP_KERNEL);
	if (!ring->requests)
		return -ENOMEM;
	for (i = 0; i < nr_ents; i++) {
		ring->requests[i].ring = ring;
		ring->requests[i].next_free = ring->free;
		ring->free = &ring->requests[i];
	}
	return 0;
}

static int alloc_pages_to_map(struct blkback_ring *ring)
{
	ring->idle = kvcalloc(BLKBACK_MAX_PAGES, sizeof(ring->idle[0]),
			      GFP_KERNEL);
	if (!ring->idle)
		return -ENOMEM;
	if (!blkback_grant_reserve(ring, BLKBACK_MIN_PAGES)) {
		kvfree(ring->idle);
		return -ENOMEM;
	}
	return 0;
}

static void free_pages_to_map(struct blkback_ring *ring)
{
	blkback_grant_trim(ring, 0);
	kvfree(ring->idle);
}

static void free_tables(struct blkback_ring *ring)
{
	struct blkback_table *table;

	while ((table = ring->tables)) {
		ring->tables = table->next;
		mempool_free(table, &ring->table_pool);
	}
	mempool_exit(&ring->table_pool);
}

static int alloc_pools(struct blkback_ring *ring, enum xenblk_layout layout,
		       const struct blkback_ring_spec *spec)
{
	int err = alloc_requests(ring, xenblk_ring_entries(layout,
							   spec->nr_pages));

	if (err)
		return err;
	err = -ENOMEM;
	ring->batch = alloc_batch();
	if (!ring->batch)
		goto free_requests;
	err = alloc_pages_to_map(ring);
	if (err)
		goto free_batch;
	/* One table is enough for progress: the thread then takes one by one. */
	err = mempool_init_kmalloc_pool(&ring->table_pool, 1,
					sizeof(struct blkback_table));
	if (err)
		goto free_pages_to_map;
	return 0;

free_pages_to_map:
	free_pages_to_map(ring);
free_batch:
	free_batch(ring->batch);
free_requests:
	kvfree(ring->requests);
	return err;
}

static void free_pools(struct blkback_ring *ring)
{
	blkback_copy_trim(ring, 0);
	blkback_persist_destroy(ring);
	free_tables(ring);
	free_pages_to_map(ring);
	free_batch(ring->batch);
	kvfree(ring->requests);
}

/*
 * The bus has a frontend see Closing when it can't map a page, and logs each one:
 * what can't be mapped is not left to it.
 */
static int map_ring(struct blkback_ring *ring, enum xenblk_layout layout,
		    struct blkback_ring_spec *spec)
{
	struct blkback_segment pinned[XENBLK_MAX_RING_PAGES] = {};
	void *pages;
	int err;

	err = blkback_grant_pin(ring, spec->ref, spec->nr_pages, pinned);
	if (err)
		return err;
	err = xenbus_map_ring_valloc(ring->device->xdev, spec->ref,
				     spec->nr_pages, &pages);
	blkback_grant_unpin(ring, pinned, spec->nr_pages);
	if (err)
		return err;
	xenblk_ring_attach_back(&ring->back, pages, layout, spec->nr_pages);
	return 0;
}

static void unmap_ring(struct blkback_ring *ring)
{
	xenbus_unmap_ring_vfree(ring->device->xdev, ring->back.ring.sring);
}

static int create_thread(struct blkback_ring *ring)
{
	ring->thread = kthread_create(blkback_ring_thread, ring, "%s",
				      ring->name);
	if (IS_ERR(ring->thread))
		return PTR_ERR(ring->thread);
	get_task_struct(ring->thread);
	return 0;
}

static void stop_thread(struct blkback_ring *ring)
{
	kthread_stop(ring->thread);
}

/*
 * Binding raises the event at once. It waits for blkback_ring_start(): the
 * thread needs the number of the interrupt to acknowledge it.
 */
static int bind_event(struct blkback_ring *ring, evtchn_port_t port)
{
	struct xenbus_device *xdev = ring->device->xdev;
	int irq;

	irq = bind_interdomain_evtchn_to_irqhandler_lateeoi(xdev, port,
							    note_event,
							    IRQF_NO_AUTOEN,
							    ring->name, ring);
	if (irq < 0)
		return irq;
	ring->irq = irq;
	return 0;
}

static struct blkback_ring *alloc_ring(struct blkback_device *device,
				       unsigned int id)
{
	struct blkback_ring *ring = kzalloc(sizeof(*ring), GFP_KERNEL);

	if (!ring)
		return NULL;
	ring->id = id;
	ring->device = device;
	ring->bounds = device->bounds;
	ring->round = device->barriers.round;
	ring->poll.longest = device->poll_us * (u64)NSEC_PER_USEC;
	snprintf(ring->name, sizeof(ring->name), "%s-%u",
		 device->name, id);
	INIT_LIST_HEAD(&ring->held);
	INIT_LIST_HEAD(&ring->starved);
	init_llist_head(&ring->done);
	init_completion(&ring->finished);
	blkback_persist_init(ring);
	return ring;
}

/**
 * blkback_ring_create() - make a ring that a frontend published
 * @device: that it belongs to
 * @id: its number
 * @layout: of its entries
 * @spec: its pages and event channel
 *
 * The thread exists but does not run: see blkback_ring_start().
 *
 * Context: may sleep.
 * Return: the ring, or an error pointer.
 */
struct blkback_ring *blkback_ring_create(struct blkback_device *device,
					 unsigned int id,
					 enum xenblk_layout layout,
					 struct blkback_ring_spec *spec)
{
	struct blkback_ring *ring = alloc_ring(device, id);
	int err;

	if (!ring)
		return ERR_PTR(-ENOMEM);
	err = alloc_pools(ring, layout, spec);
	if (err)
		goto free_ring;
	err = map_ring(ring, layout, spec);
	if (err)
		goto free_pools;
	err = create_thread(ring);
	if (err)
		goto unmap_ring;
	err = bind_event(ring, spec->evtchn);
	if (err)
		goto stop_thread;
	blkback_affinity_apply(ring);
	return ring;

stop_thread:
	stop_thread(ring);
	put_task_struct(ring->thread);
unmap_ring:
	unmap_ring(ring);
free_pools:
	free_pools(ring);
free_ring:
	kfree(ring);
	return ERR_PTR(err);
}

/**
 * blkback_ring_start() - let the thread serve its ring
 * @ring: from blkback_ring_create()
 *
 * Context: may sleep.
 */
void blkback_ring_start(struct blkback_ring *ring)
{
	wake_up_process(ring->thread);
	enable_irq(ring->irq);
}

/**
 * blkback_rings_wake() - have each thread look for work
 * @rings: array of rings that are not being freed
 * @nr_rings: its length
 *
 * A late wake-up finds a task: each ring holds a reference.
 *
 * Context: any.
 */
void blkback_rings_wake(struct blkback_ring **rings, unsigned int nr_rings)
{
	unsigned int i;

	for (i = 0; i < nr_rings; i++)
		wake_up_process(rings[i]->thread);
}

static void destroy_ring(struct blkback_ring *ring)
{
	put_task_struct(ring->thread);
	unmap_ring(ring);
	free_pools(ring);
	kfree(ring);
}

/**
 * blkback_rings_finish() - have all that was taken answered
 * @rings: array of them, of a device that is handing over; their threads run
 * @nr_rings: its length
 *
 * A backend that takes the rings up later goes on after the last answer: what was
 * taken, but not answered, would be lost, and others done twice.
 *
 * Context: may sleep, for as long as the disk holds on to a request.
 */
void blkback_rings_finish(struct blkback_ring **rings, unsigned int nr_rings)
{
	unsigned int i;

	blkback_rings_wake(rings, nr_rings);
	for (i = 0; i < nr_rings; i++)
		wait_for_completion(&rings[i]->finished);
}

/**
 * blkback_rings_stop() - end the threads, once their disk has let go
 * @rings: array of them
 * @nr_rings: its length
 *
 * Context: may sleep, for as long as the disk holds on to a request.
 */
void blkback_rings_stop(struct blkback_ring **rings, unsigned int nr_rings)
{
	unsigned int i;

	for (i = 0; i < nr_rings; i++) {
		stop_thread(rings[i]);
		unbind_from_irqhandler(rings[i]->irq, rings[i]);
	}
	/* The last bio may still be about to wake a thread: finish_bio(). */
	synchronize_rcu();
}

/**
 * blkback_rings_free() - free rings, and the array
 * @rings: array of stopped ones
 * @nr_rings: its length
 *
 * Context: may sleep, but waits for nobody.
 */
void blkback_rings_free(struct blkback_ring **rings, unsigned int nr_rings)
{
	unsigned int i;

	for (i = 0; i < nr_rings; i++)
		destroy_ring(rings[i]);
	kfree(rings);
}
