// SPDX-License-Identifier: GPL-2.0-only
/*
 * Grant references of data: where they come from and where they go.
 *
 * Idle references lie in a cache of the ring, so that the lock of the grant
 * table, which all devices share, stays off the I/O path. The cache is a queue
 * with one producer, the completer, and one consumer, the submitters under
 * their lock. It starts with references enough for the largest request and has
 * room for more: a ring that has nothing in flight can always start one.
 */
#include <linux/slab.h>

#include "blkfront.h"

/* References that a ring keeps for each of its entries. */
#define CACHED_PER_ENTRY	4

/* Not of a ring with persistent grants: there the backend can write lists. */
static grant_ref_t slot_gref(const struct blkfront_slot *slot, unsigned int i)
{
	return slot->list ? slot->list->seg[i].gref : slot->gref[i];
}

/**
 * blkfront_grants_create() - make and fill the cache of a ring
 * @queue: the ring; its pages are there, nobody uses it yet
 *
 * Context: may sleep.
 * Return: 0, -ENOMEM, or -ENOSPC when the grant table is full.
 */
int blkfront_grants_create(struct blkfront_queue *queue)
{
	unsigned int reserve = queue->dev->limits.max_segs;
	u32 nr_ents = queue->producer.ring.ring.nr_ents;
	u32 size = roundup_pow_of_two(max(2 * reserve,
					  CACHED_PER_ENTRY * nr_ents));
	grant_ref_t chain;
	unsigned int i;

	queue->gref_cache = kvcalloc(size, sizeof(*queue->gref_cache),
				     GFP_KERNEL);
	if (!queue->gref_cache)
		return -ENOMEM;
	queue->gref_mask = size - 1;
	queue->producer.gref_head = 0;
	queue->producer.gref_tail_seen = 0;
	queue->completer.gref_tail = 0;
	queue->completer.gref_head_seen = 0;

	if (gnttab_alloc_grant_references(reserve, &chain))
		return -ENOSPC;
	for (i = 0; i < reserve; i++)
		queue->gref_cache[i] = gnttab_claim_grant_reference(&chain);
	queue->completer.gref_tail = reserve;
	return 0;
}

/**
 * blkfront_grants_destroy() - give back the cache of a ring
 * @queue: the ring; nothing is in flight
 */
void blkfront_grants_destroy(struct blkfront_queue *queue)
{
	u32 i;

	if (!queue->gref_cache)
		return;
	for (i = queue->producer.gref_head; i != queue->completer.gref_tail; i++)
		gnttab_free_grant_reference(queue->gref_cache[i &
							queue->gref_mask]);
	kvfree(queue->gref_cache);
	queue->gref_cache = NULL;
}

static void set_slot_gref(struct blkfront_slot *slot, unsigned int i,
			  grant_ref_t gref)
{
	if (slot->list)
		slot->list->seg[i].gref = gref;
	else
		slot->gref[i] = gref;
}

/* Return: how many of @nr references the cache has. */
static unsigned int count_cached(struct blkfront_queue *queue, unsigned int nr)
{
	struct blkfront_producer *producer = &queue->producer;
	u32 cached = producer->gref_tail_seen - producer->gref_head;

	if (cached < nr) {
		/* Tail before the references; pairs with put_in_cache(). */
		cached = smp_load_acquire(&queue->completer.gref_tail);
		producer->gref_tail_seen = cached;
		cached -= producer->gref_head;
	}
	return min(cached, nr);
}

/**
 * blkfront_grants_claim() - take grant references for a request
 * @queue: the ring
 * @slot: of the request, with the list page that it needs; gets them
 * @nr: how many
 *
 * They grant nothing yet: see blkfront_grants_give().
 *
 * Context: under the producer's lock.
 * Return: 0, or -ENOSPC when the grant table is full.
 */
int blkfront_grants_claim(struct blkfront_queue *queue,
			  struct blkfront_slot *slot, unsigned int nr)
{
	struct blkfront_producer *producer = &queue->producer;
	unsigned int i, cached = count_cached(queue, nr);
	u32 head = producer->gref_head;
	grant_ref_t fresh;

	lockdep_assert_held(&producer->lock);

	if (cached < nr && gnttab_alloc_grant_references(nr - cached, &fresh))
		return -ENOSPC;
	for (i = 0; i < cached; i++)
		set_slot_gref(slot, i, queue->gref_cache[(head + i) &
							 queue->gref_mask]);
	/* Read before the places are free; pairs with is_cache_full(). */
	smp_store_release(&producer->gref_head, head + cached);
	for (; i < nr; i++)
		set_slot_gref(slot, i, gnttab_claim_grant_reference(&fresh));
	return 0;
}

/**
 * blkfront_grants_give() - let the backend have a page of a request
 * @queue: the ring
 * @slot: of the request, with a reference for the page; owned by the caller
 * @i: segments between those that the slot has and this one
 * @page: the page; what is written to the disk is the backend's to read only
 *
 * Return: the reference.
 */
grant_ref_t blkfront_grants_give(const struct blkfront_queue *queue,
				 const struct blkfront_slot *slot,
				 unsigned int i, struct page *page)
{
	grant_ref_t gref = slot_gref(slot, slot->nr_segs + i);

	gnttab_grant_foreign_access_ref(gref, queue->dev->otherend,
					xen_page_to_gfn(page),
					rq_data_dir(slot->rq) == WRITE);
	return gref;
}

/**
 * blkfront_grants_unclaim() - give back the references without a segment
 * @slot: of a request that has its segments; owned by the caller
 * @nr: how many were claimed
 */
void blkfront_grants_unclaim(const struct blkfront_slot *slot, unsigned int nr)
{
	unsigned int i;

	for (i = slot->nr_segs; i < nr; i++)
		gnttab_free_grant_reference(slot_gref(slot, i));
}

static bool is_cache_full(struct blkfront_queue *queue)
{
	struct blkfront_completer *completer = &queue->completer;
	u32 tail = completer->gref_tail;
	u32 head = completer->gref_head_seen;

	if (tail - head <= queue->gref_mask)
		return false;
	/* Head before its place is used; blkfront_grants_claim(). */
	head = smp_load_acquire(&queue->producer.gref_head);
	completer->gref_head_seen = head;
	return tail - head > queue->gref_mask;
}

static void put_in_cache(struct blkfront_queue *queue, grant_ref_t gref)
{
	struct blkfront_completer *completer = &queue->completer;
	u32 tail = completer->gref_tail;

	if (is_cache_full(queue)) {
		gnttab_free_grant_reference(gref);
		return;
	}
	queue->gref_cache[tail & queue->gref_mask] = gref;
	/* Reference before the tail; pairs with count_cached(). */
	smp_store_release(&completer->gref_tail, tail + 1);
}

/*
 * A page of the request itself gets a reference more; one that stands in for
 * it is left to the grant code.
 */
static void leave_page(struct blkfront_dev *dev, grant_ref_t gref,
		       struct blkfront_bounce *bounce)
{
	struct page *page = bounce ? virt_to_page(bounce->data) : NULL;

	if (bounce)
		bounce->data = NULL;
	if (!gnttab_try_end_foreign_access(gref)) {
		WRITE_ONCE(dev->kept, true);
		gnttab_end_foreign_access(gref, page);
	} else if (page) {
		__free_page(page);
	}
}

/**
 * blkfront_grants_end() - take back the data of an answered request
 * @queue: the ring
 * @slot: of the request
 *
 * A page that the backend still has mapped keeps a reference until the backend
 * lets go, so that it is nobody else's page before (XSA-396). Persistent ones
 * are the backend's as well as ours until the connection ends.
 *
 * Context: the completer, under its lock.
 * Return: false when the backend holds on to a page that it has answered for.
 */
bool blkfront_grants_end(struct blkfront_queue *queue,
			 const struct blkfront_slot *slot)
{
	struct blkfront_bounce *bounce = slot->bounce;
	bool ended = true;
	unsigned int i;

	lockdep_assert_held(&queue->completer.lock);

	for (i = 0; !queue->persistent && i < slot->nr_segs; i++) {
		grant_ref_t gref = slot_gref(slot, i);

		/* This one logs a failure: once is enough. */
		ended = ended && gnttab_end_foreign_access_ref(gref);
		if (ended)
			put_in_cache(queue, gref);
		else
			leave_page(queue->dev, gref, bounce);
		bounce = bounce ? blkfront_bounce_next(bounce) : NULL;
	}
	return ended;
}

/**
 * blkfront_grants_abandon() - end the grants of a request without an answer
 * @queue: the ring
 * @slot: of the request; owned by the caller
 *
 * The backend may have any of the pages mapped: see blkfront_grants_end().
 */
void blkfront_grants_abandon(const struct blkfront_queue *queue,
			     const struct blkfront_slot *slot)
{
	struct blkfront_bounce *bounce = slot->bounce;
	unsigned int i;

	for (i = 0; !queue->persistent && i < slot->nr_segs; i++) {
		leave_page(queue->dev, slot_gref(slot, i), bounce);
		bounce = bounce ? blkfront_bounce_next(bounce) : NULL;
	}
}
