// SPDX-License-Identifier: GPL-2.0-only
/*
 * A block request becomes a ring entry; its data is granted.
 */
#include "blkfront.h"

/* A piece of a bio within a page of the kernel must be one within a grant. */
static_assert(PAGE_SIZE == XENBLK_PAGE_SIZE);

/*
 * The direction decides, and no flag makes a write of a read. FUA never comes:
 * the disk does not claim to have it.
 */
static bool wire_op(const struct blkfront_dev *dev, const struct request *rq,
		    u8 *op)
{
	switch (req_op(rq)) {
	case REQ_OP_READ:
		*op = XENBLK_OP_READ;
		return true;
	case REQ_OP_WRITE:
		*op = XENBLK_OP_WRITE;
		return true;
	case REQ_OP_FLUSH:
		*op = dev->geometry.flush_op;
		return true;
	case REQ_OP_DISCARD:
		*op = XENBLK_OP_DISCARD;
		return true;
	case REQ_OP_SECURE_ERASE:
		/*
		 * A backend that does not know the flag would only discard; who
		 * asks may have waited since there was one that does.
		 */
		*op = XENBLK_OP_DISCARD;
		return dev->geometry.secure_discard &&
		       !READ_ONCE(dev->secure_revoked);
	default:
		return false;
	}
}

static bool has_data(const struct request *rq)
{
	return req_op(rq) == REQ_OP_READ || req_op(rq) == REQ_OP_WRITE;
}

/*
 * The tag, which is free with its request. A connection that was made again can
 * have fewer entries than there are tags: then the next that is free. While
 * requests are held, hardware queues do not match the rings, nor their tags.
 */
static struct blkfront_slot *find_free_slot(const struct blkfront_queue *queue,
					    unsigned int tag)
{
	u32 nr_ents = queue->producer.ring.ring.nr_ents;
	struct blkfront_slot *slot;
	u32 i;

	lockdep_assert_held(&queue->producer.lock);

	if (likely(nr_ents >= queue->dev->tag_set.queue_depth &&
		   !queue->holding))
		return &queue->slots[tag];
	for (i = 0; i < nr_ents; i++) {
		slot = &queue->slots[(tag + i) & (nr_ents - 1)];
		/* State before the rest; pairs with free_slot(). */
		if (smp_load_acquire(&slot->state) == BLKFRONT_SLOT_FREE)
			return slot;
	}
	return NULL;
}

/**
 * blkfront_request_fits() - can the backend take a request of this size?
 * @queue: a connected ring
 * @rq: the request
 *
 * One that was made before the connection was made again can be too large.
 *
 * Context: under the producer's lock.
 */
bool blkfront_request_fits(const struct blkfront_queue *queue,
			   struct request *rq)
{
	return blk_rq_nr_phys_segments(rq) <= queue->dev->limits.max_segs;
}

/*
 * Out of memory or grants is BLK_STS_RESOURCE: the block layer tries again on
 * its own after some milliseconds, so no wake-up can be lost.
 */
static blk_status_t claim_data(struct blkfront_queue *queue,
			       struct blkfront_slot *slot, unsigned int nr)
{
	if (!nr)
		return BLK_STS_IOERR;
	if (nr > XENBLK_MAX_DIRECT_SEGMENTS) {
		slot->list = blkfront_list_get(queue, slot);
		if (!slot->list)
			return BLK_STS_RESOURCE;
	}
	if (queue->copies && !blkfront_bounce_get(queue, slot, nr))
		goto put_list;
	if (!queue->persistent && blkfront_grants_claim(queue, slot, nr))
		goto put_bounce;
	return BLK_STS_OK;

put_bounce:
	blkfront_bounce_put(queue, slot);
put_list:
	blkfront_list_put(queue, slot);
	return BLK_STS_RESOURCE;
}

/**
 * blkfront_request_claim() - take all that a request needs of the ring
 * @queue: a connected ring
 * @draft: with a request that fits and is not started
 *
 * Context: under the producer's lock.
 * Return: BLK_STS_OK, and the slot is set, which blkfront_request_put() or
 * blkfront_request_drop() takes over; BLK_STS_RESOURCE when it should be tried
 * again; or why it cannot be done.
 */
blk_status_t blkfront_request_claim(struct blkfront_queue *queue,
				    struct blkfront_draft *draft)
{
	struct request *rq = draft->rq;
	struct blkfront_slot *slot = find_free_slot(queue, rq->tag);
	blk_status_t status;

	if (!slot)
		return BLK_STS_RESOURCE;
	if (!wire_op(queue->dev, rq, &slot->op))
		return BLK_STS_NOTSUPP;
	slot->rq = rq;
	slot->nr_segs = 0;
	slot->list = NULL;
	slot->bounce = NULL;
	if (has_data(rq)) {
		draft->nr_claimed = blk_rq_nr_phys_segments(rq);
		status = claim_data(queue, slot, draft->nr_claimed);
		if (status)
			return status;
	}
	slot->state = BLKFRONT_SLOT_CLAIMED;
	draft->slot = slot;
	return BLK_STS_OK;
}

static struct page *first_page(const struct bio_vec *run)
{
	return run->bv_page + (run->bv_offset >> PAGE_SHIFT);
}

/* A segment is a piece within a page: so the block layer counts them too. */
static unsigned int count_pieces(const struct bio_vec *run)
{
	return DIV_ROUND_UP(offset_in_page(run->bv_offset) + run->bv_len,
			    PAGE_SIZE);
}

static void describe_run(const struct bio_vec *run, struct xenblk_segment *seg)
{
	unsigned int first = offset_in_page(run->bv_offset) >>
			     XENBLK_SECTOR_SHIFT;
	unsigned int left = first + (run->bv_len >> XENBLK_SECTOR_SHIFT);
	unsigned int end;

	for (; left; left -= end, first = 0, seg++) {
		end = min(left, XENBLK_SECTORS_PER_PAGE + 0U);
		seg->first_sect = first;
		seg->last_sect = end - 1;
	}
}

static void grant_run(const struct blkfront_queue *queue,
		      const struct blkfront_slot *slot, struct page *page,
		      unsigned int nr, struct xenblk_segment *seg)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		seg[i].gref = blkfront_grants_give(queue, slot, i, page + i);
}

/* Return: the page after those of the run. */
static const struct blkfront_bounce *
grant_bounced(const struct blkfront_queue *queue,
	      const struct blkfront_slot *slot,
	      const struct blkfront_bounce *bounce, unsigned int nr,
	      struct xenblk_segment *seg)
{
	bool persistent = queue->persistent;
	unsigned int i;

	for (i = 0; i < nr; i++) {
		if (persistent)
			seg[i].gref = bounce->gref;
		else
			seg[i].gref = blkfront_grants_give(queue, slot, i,
							   virt_to_page(bounce->data));
		bounce = blkfront_bounce_next(bounce);
	}
	return bounce;
}

/* A kernel user may ignore the alignment of the queue. */
static bool is_run_sound(const struct bio_vec *run, unsigned int nr,
			 unsigned int max)
{
	return nr <= max && IS_ALIGNED(run->bv_offset | run->bv_len,
				       SECTOR_SIZE);
}

static blk_status_t fill_runs(const struct blkfront_queue *queue,
			      struct blkfront_draft *draft)
{
	struct blkfront_slot *slot = draft->slot;
	struct xenblk_segment *seg = slot->list ? slot->list->seg :
						  draft->wire.seg;
	const struct blkfront_bounce *bounce = slot->bounce;
	struct req_iterator iter;
	struct bio_vec run;

	rq_for_each_bvec(run, draft->rq, iter) {
		unsigned int nr = count_pieces(&run);

		if (!is_run_sound(&run, nr, draft->nr_claimed - slot->nr_segs))
			return BLK_STS_IOERR;
		describe_run(&run, seg);
		if (bounce)
			bounce = grant_bounced(queue, slot, bounce, nr, seg);
		else
			grant_run(queue, slot, first_page(&run), nr, seg);
		slot->nr_segs += nr;
		seg += nr;
	}
	return BLK_STS_OK;
}

/* Most requests are one piece, which takes a fraction of the instructions. */
static blk_status_t fill_one(const struct blkfront_queue *queue,
			     struct blkfront_draft *draft,
			     const struct bio_vec *piece)
{
	struct blkfront_slot *slot = draft->slot;
	struct xenblk_segment *seg = draft->wire.seg;

	if (!is_run_sound(piece, count_pieces(piece), 1))
		return BLK_STS_IOERR;
	describe_run(piece, seg);
	if (slot->bounce)
		grant_bounced(queue, slot, slot->bounce, 1, seg);
	else
		grant_run(queue, slot, first_page(piece), 1, seg);
	slot->nr_segs = 1;
	return BLK_STS_OK;
}

/* What was granted is in the slot even on failure. */
static blk_status_t fill_data(const struct blkfront_queue *queue,
			      struct blkfront_draft *draft)
{
	struct request *rq = draft->rq;
	struct bio_vec first = req_bvec(rq);
	blk_status_t status;

	/* Several bios can lie side by side in one page: then not all is here. */
	if (draft->nr_claimed == 1 && first.bv_len == blk_rq_bytes(rq))
		status = fill_one(queue, draft, &first);
	else
		status = fill_runs(queue, draft);
	if (!status && draft->slot->bounce)
		blkfront_bounce_fill(queue, draft->slot);
	return status;
}

static void describe_data(struct blkfront_draft *draft)
{
	const struct blkfront_slot *slot = draft->slot;

	draft->wire.sector = blk_rq_pos(draft->rq);
	draft->wire.nr_segments = slot->nr_segs;
	if (slot->list) {
		draft->wire.operation = XENBLK_OP_INDIRECT;
		draft->wire.gref[0] = slot->list->gref;
	}
}

static void describe_discard(struct request *rq, struct xenblk_request *req)
{
	req->sector = blk_rq_pos(rq);
	req->nr_sectors = blk_rq_sectors(rq);
	if (req_op(rq) == REQ_OP_SECURE_ERASE)
		req->flag = XENBLK_DISCARD_SECURE;
}

/**
 * blkfront_request_fill() - describe a request, and grant or copy its data
 * @queue: the ring
 * @draft: with a slot
 *
 * A megabyte may be copied: so no lock is held, and the ring may be
 * disconnected meanwhile, but is not freed.
 *
 * Context: a read section of RCU, for stop_queues(); or the producer's lock.
 * Return: BLK_STS_OK, or why it cannot be done.
 */
blk_status_t blkfront_request_fill(const struct blkfront_queue *queue,
				   struct blkfront_draft *draft)
{
	const struct blkfront_slot *slot = draft->slot;
	blk_status_t status;

	draft->wire.handle = queue->dev->vdev.number;
	draft->wire.id = slot - queue->slots;
	draft->wire.operation = slot->op;
	draft->wire.inner_op = slot->op;
	switch (req_op(draft->rq)) {
	case REQ_OP_FLUSH:
		return BLK_STS_OK;
	case REQ_OP_DISCARD:
	case REQ_OP_SECURE_ERASE:
		describe_discard(draft->rq, &draft->wire);
		return BLK_STS_OK;
	default:
		status = fill_data(queue, draft);
		describe_data(draft);
		if (!queue->persistent)
			blkfront_grants_unclaim(slot, draft->nr_claimed);
		return status;
	}
}

/**
 * blkfront_request_put() - write a request into the ring, unpublished
 * @queue: a connected ring
 * @draft: filled
 *
 * The request may be completed at any time from now on.
 *
 * Context: under the producer's lock.
 */
void blkfront_request_put(struct blkfront_queue *queue,
			  const struct blkfront_draft *draft)
{
	struct blkfront_slot *slot = draft->slot;

	lockdep_assert_held(&queue->producer.lock);

	slot->position = queue->producer.ring.req_prod;
	blk_mq_start_request(draft->rq);
	/*
	 * All of the slot before its state; pairs with find_slot(). A lying
	 * backend may answer before it is asked: the request and the slot are
	 * not ours any more.
	 */
	smp_store_release(&slot->state, BLKFRONT_SLOT_WAITING);
	xenblk_ring_put_request(&queue->producer.ring, &draft->wire);
}

/**
 * blkfront_request_drop() - give back what was claimed
 * @queue: the ring, in any condition
 * @draft: blkfront_request_fill() was called; its request stays as it was
 */
void blkfront_request_drop(struct blkfront_queue *queue,
			   const struct blkfront_draft *draft)
{
	struct blkfront_slot *slot = draft->slot;

	blkfront_grants_abandon(queue, slot);
	blkfront_bounce_put(queue, slot);
	blkfront_list_put(queue, slot);
	/* All of the slot before; pairs with find_free_slot(). */
	smp_store_release(&slot->state, BLKFRONT_SLOT_FREE);
}

/**
 * blkfront_request_push() - publish the requests written so far
 * @queue: a connected ring
 *
 * Context: under the producer's lock, so that the event channel is still there.
 */
void blkfront_request_push(struct blkfront_queue *queue)
{
	lockdep_assert_held(&queue->producer.lock);

	if (xenblk_ring_push_requests(&queue->producer.ring))
		notify_remote_via_irq(queue->irq);
}
