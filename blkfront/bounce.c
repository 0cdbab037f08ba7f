// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pages that stand in for those of a request: they keep their grants for the
 * connection's life (persistent), or keep what lies beside the data of a
 * request from a backend that is not trusted.
 *
 * Submitters take from a stack under their lock. Completers push to a list of
 * their own, which the next submitter puts on top of the stack: the pages that
 * were used last are used next, and the backend has them mapped. The stack
 * starts with pages enough for the largest request: a ring that has nothing in
 * flight can always start one.
 */
#include <linux/bvec.h>
#include <linux/gfp.h>
#include <linux/highmem.h>
#include <linux/slab.h>

#include "blkfront.h"

/* Pages of a ring; a request that finds them in use waits. */
#define MAX_BOUNCES		1024U

/* The rest of the page must hold nothing: it is granted as well. */
static int fill_in(struct blkfront_queue *queue, struct blkfront_bounce *bounce,
		   gfp_t gfp)
{
	void *data = (void *)get_zeroed_page(gfp);
	int gref;

	if (!data)
		return -ENOMEM;
	if (queue->persistent) {
		gref = gnttab_grant_foreign_access(queue->dev->otherend,
						   virt_to_gfn(data), 0);
		if (gref < 0) {
			free_page((unsigned long)data);
			return gref;
		}
		bounce->gref = gref;
	}
	bounce->data = data;
	return 0;
}

static struct blkfront_bounce *make_bounce(struct blkfront_queue *queue,
					   gfp_t gfp)
{
	struct blkfront_producer *producer = &queue->producer;
	struct blkfront_bounce *bounce;

	if (producer->nr_bounces == queue->max_bounces)
		return NULL;
	bounce = kzalloc(sizeof(*bounce), gfp);
	if (!bounce)
		return NULL;
	if (fill_in(queue, bounce, gfp)) {
		kfree(bounce);
		return NULL;
	}
	producer->nr_bounces++;
	return bounce;
}

static void free_bounce(const struct blkfront_queue *queue,
			struct blkfront_bounce *bounce)
{
	if (bounce->data && queue->persistent)
		blkfront_leftover_end(queue->dev, bounce->gref, bounce->data);
	else
		free_page((unsigned long)bounce->data);
	kfree(bounce);
}

/**
 * blkfront_bounce_create() - make the pages of a ring, if it needs any
 * @queue: the ring; nobody uses it yet. What was agreed is known
 *
 * Context: may sleep.
 * Return: 0, or -ENOMEM when pages or grants are short.
 */
int blkfront_bounce_create(struct blkfront_queue *queue)
{
	const struct blkfront_dev *dev = queue->dev;
	u32 nr_ents = queue->producer.ring.ring.nr_ents;
	unsigned int i;

	queue->copies = queue->persistent || dev->limits.untrusted;
	queue->max_bounces = min(nr_ents * dev->limits.max_segs, MAX_BOUNCES);
	/* A ring whose grants persist needs no others. */
	if (queue->persistent)
		blkfront_grants_destroy(queue);
	for (i = 0; queue->copies && i < dev->limits.max_segs; i++) {
		struct blkfront_bounce *bounce = make_bounce(queue, GFP_KERNEL);

		if (!bounce)
			return -ENOMEM;
		bounce->node.next = queue->producer.bounces;
		queue->producer.bounces = &bounce->node;
	}
	return 0;
}

/*
 * All that came back since the last time, on top of the stack: those of each
 * request in one piece.
 */
static void take_returned(struct blkfront_queue *queue)
{
	struct blkfront_producer *producer = &queue->producer;
	struct llist_node *first, *last;
	struct blkfront_bounce *bounce;

	if (llist_empty(&queue->completer.bounces))
		return;
	/* Pairs with blkfront_bounce_put(). */
	first = llist_del_all(&queue->completer.bounces);
	for (last = first;; last = last->next) {
		bounce = llist_entry(last, struct blkfront_bounce, node);
		last = &bounce->last->node;
		if (!last->next)
			break;
	}
	last->next = producer->bounces;
	producer->bounces = first;
}

/**
 * blkfront_bounce_destroy() - free the pages of a ring
 * @queue: the ring; disconnected, nothing is in flight
 */
void blkfront_bounce_destroy(struct blkfront_queue *queue)
{
	struct blkfront_bounce *bounce, *next;

	take_returned(queue);
	llist_for_each_entry_safe(bounce, next, queue->producer.bounces, node)
		free_bounce(queue, bounce);
	queue->producer.bounces = NULL;
	queue->producer.nr_bounces = 0;
	queue->copies = false;
	queue->persistent = false;
}

/**
 * blkfront_bounce_get() - pages for a request
 * @queue: the ring; it bounces
 * @slot: of the request; its pages are set on success
 * @nr: one for each segment, at least one
 *
 * Context: under the producer's lock.
 * Return: false when there are too few now; those of a request in flight will
 * come back.
 */
bool blkfront_bounce_get(struct blkfront_queue *queue,
			 struct blkfront_slot *slot, unsigned int nr)
{
	struct blkfront_producer *producer = &queue->producer;
	struct llist_node **end = &producer->bounces;
	struct blkfront_bounce *bounce = NULL;

	lockdep_assert_held(&producer->lock);

	take_returned(queue);
	for (; nr; nr--, end = &bounce->node.next) {
		if (*end) {
			bounce = llist_entry(*end, struct blkfront_bounce,
					     node);
		} else {
			bounce = make_bounce(queue, GFP_NOWAIT | __GFP_NOWARN);
			if (!bounce)
				return false;
			*end = &bounce->node;
		}
		if (!bounce->data &&
		    fill_in(queue, bounce, GFP_NOWAIT | __GFP_NOWARN))
			return false;
	}
	slot->bounce = llist_entry(producer->bounces, struct blkfront_bounce,
				   node);
	slot->bounce->last = bounce;
	producer->bounces = *end;
	*end = NULL;
	return true;
}

/**
 * blkfront_bounce_put() - a request is done with its pages, if it had any
 * @queue: the ring
 * @slot: of the request; owned by the caller
 */
void blkfront_bounce_put(struct blkfront_queue *queue,
			 struct blkfront_slot *slot)
{
	if (!slot->bounce)
		return;
	/* Last use of the pages before; pairs with take_returned(). */
	llist_add_batch(&slot->bounce->node, &slot->bounce->last->node,
			&queue->completer.bounces);
	slot->bounce = NULL;
}

/* Nearly all pieces are whole pages, which take fewer instructions. */
static void copy(void *to, void *from, unsigned int len)
{
	if (len == PAGE_SIZE)
		copy_page(to, from);
	else
		memcpy(to, from, len);
}

static void copy_piece(void *ours, struct page *page, unsigned int offset,
		       unsigned int len, bool back)
{
	void *theirs = kmap_local_page(page);

	if (back) {
		copy(theirs + offset, ours + offset, len);
		flush_dcache_page(page);
	} else {
		copy(ours + offset, theirs + offset, len);
	}
	kunmap_local(theirs);
}

/* Return: the page after those of the run. */
static const struct blkfront_bounce *
copy_run(const struct blkfront_bounce *bounce, const struct bio_vec *run,
	 bool back)
{
	struct page *page = run->bv_page + (run->bv_offset >> PAGE_SHIFT);
	unsigned int offset = offset_in_page(run->bv_offset);
	unsigned int len, left;

	for (left = run->bv_len; left; left -= len, offset = 0, page++) {
		len = min_t(unsigned int, left, PAGE_SIZE - offset);
		copy_piece(bounce->data, page, offset, len, back);
		bounce = blkfront_bounce_next(bounce);
	}
	return bounce;
}

/* Data is at the same place in both pages; each byte is copied once. */
static void copy_request(const struct blkfront_slot *slot, bool back)
{
	const struct blkfront_bounce *bounce = slot->bounce;
	struct req_iterator iter;
	struct bio_vec run;

	/* One segment is one piece of one bio. */
	if (slot->nr_segs == 1) {
		run = req_bvec(slot->rq);
		copy_run(bounce, &run, back);
		return;
	}
	rq_for_each_bvec(run, slot->rq, iter)
		bounce = copy_run(bounce, &run, back);
}

/*
 * A page only ever held data that this backend was given or gave, but strictly
 * it has no business with that of other requests either.
 */
static void clear_around(const struct blkfront_slot *slot)
{
	const struct blkfront_bounce *bounce = slot->bounce;
	struct req_iterator iter;
	struct bio_vec piece;

	rq_for_each_segment(piece, slot->rq, iter) {
		unsigned int end = piece.bv_offset + piece.bv_len;

		memset(bounce->data, 0, piece.bv_offset);
		memset(bounce->data + end, 0, XENBLK_PAGE_SIZE - end);
		bounce = blkfront_bounce_next(bounce);
	}
}

/**
 * blkfront_bounce_fill() - make the pages of a request ready for the backend
 * @queue: the ring
 * @slot: of the request, with pages for all segments; owned by the caller
 */
void blkfront_bounce_fill(const struct blkfront_queue *queue,
			  const struct blkfront_slot *slot)
{
	if (queue->dev->limits.untrusted)
		clear_around(slot);
	if (rq_data_dir(slot->rq) == WRITE)
		copy_request(slot, false);
}

/**
 * blkfront_bounce_copy_back() - what was read goes to where it belongs
 * @slot: of a read that succeeded, with or without pages of ours; owned by the
 *	caller
 *
 * Exactly the bytes that were asked for, each once: the backend may go on
 * writing.
 */
void blkfront_bounce_copy_back(const struct blkfront_slot *slot)
{
	if (slot->bounce)
		copy_request(slot, true);
}
