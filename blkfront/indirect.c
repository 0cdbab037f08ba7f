// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pages that list the segments of indirect requests.
 *
 * A slot gets its page with its first indirect request and keeps it, granted,
 * for the connection's life. When there is no memory or no grant for one, the
 * ring lends its reserve to one request at a time: large requests get slow
 * then, but never stop.
 */
#include <linux/gfp.h>

#include "blkfront.h"

/* One page must hold the segments of the largest request. */
static_assert(XENBLK_MAX_INDIRECT_SEGMENTS <= XENBLK_SEGMENTS_PER_PAGE);

/*
 * Read-only, so that what is read from it can be believed. A backend that keeps
 * grants may map all of them read-write, lists as well (io/blkif.h, note 8):
 * then nothing is read from them.
 */
static int make_list(const struct blkfront_queue *queue,
		     struct blkfront_list *list, gfp_t gfp)
{
	void *page = (void *)get_zeroed_page(gfp | __GFP_NOWARN);
	int gref;

	if (!page)
		return -ENOMEM;
	gref = gnttab_grant_foreign_access(queue->dev->otherend,
					   virt_to_gfn(page),
					   !queue->persistent);
	if (gref < 0) {
		free_page((unsigned long)page);
		return gref;
	}
	list->gref = gref;
	list->seg = page;
	return 0;
}

static void free_list(struct blkfront_dev *dev, struct blkfront_list *list)
{
	if (!list->seg)
		return;
	blkfront_leftover_end(dev, list->gref, list->seg);
	list->seg = NULL;
}

/**
 * blkfront_lists_create() - make the reserve of a ring
 * @queue: the ring; nobody uses it yet. What was agreed is known
 *
 * Context: may sleep.
 * Return: 0, -ENOMEM, or -ENOSPC when the grant table is full.
 */
int blkfront_lists_create(struct blkfront_queue *queue)
{
	queue->reserve_lent = 0;
	if (queue->dev->limits.max_segs <= XENBLK_MAX_DIRECT_SEGMENTS)
		return 0;
	return make_list(queue, &queue->reserve, GFP_KERNEL);
}

/**
 * blkfront_lists_destroy() - free the list pages of a ring
 * @queue: the ring; disconnected, nothing is in flight
 */
void blkfront_lists_destroy(struct blkfront_queue *queue)
{
	u32 i;

	free_list(queue->dev, &queue->reserve);
	for (i = 0; queue->slots && i < queue->producer.ring.ring.nr_ents; i++)
		free_list(queue->dev, &queue->slots[i].own);
}

/**
 * blkfront_list_get() - a list page for a request
 * @queue: the ring
 * @slot: of the request
 *
 * Context: under the producer's lock.
 * Return: the page, to be put with blkfront_list_put(); NULL when there is none
 * now, but one of a request in flight will come back.
 */
struct blkfront_list *blkfront_list_get(struct blkfront_queue *queue,
					struct blkfront_slot *slot)
{
	lockdep_assert_held(&queue->producer.lock);

	if (slot->own.seg || !make_list(queue, &slot->own, GFP_NOWAIT))
		return &slot->own;
	/* Pairs with blkfront_list_put(). */
	if (!test_and_set_bit_lock(0, &queue->reserve_lent))
		return &queue->reserve;
	return NULL;
}

/**
 * blkfront_list_put() - a request is done with its list page, if it had one
 * @queue: the ring
 * @slot: of the request; owned by the caller
 */
void blkfront_list_put(struct blkfront_queue *queue, struct blkfront_slot *slot)
{
	/* Last use of the page before; pairs with blkfront_list_get(). */
	if (slot->list == &queue->reserve)
		clear_bit_unlock(0, &queue->reserve_lent);
	slot->list = NULL;
}
