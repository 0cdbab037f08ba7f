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
	case REQ_OP_SECURE_ERASE:
		*op = XENBLK_OP_DISCARD;
		return true;
	default:
		return false;
	}
}

static void describe_piece(const struct bio_vec *bv, struct xenblk_segment *seg)
{
	seg->first_sect = bv->bv_offset >> XENBLK_SECTOR_SHIFT;
	seg->last_sect = ((bv->bv_offset + bv->bv_len) >> XENBLK_SECTOR_SHIFT) -
			 1;
}

/* What is written is granted read-only. */
static grant_ref_t grant_page(struct blkfront_queue *queue, struct page *page,
			      bool write, struct blkfront_grant_batch *batch)
{
	grant_ref_t gref = blkfront_grants_claim(queue, batch);

	gnttab_grant_foreign_access_ref(gref, queue->dev->otherend,
					xen_page_to_gfn(page), write);
	return gref;
}

static grant_ref_t grant_bounced(struct blkfront_queue *queue,
				 struct blkfront_bounce *bounce,
				 struct bio_vec *bv, bool write,
				 struct blkfront_grant_batch *batch)
{
	blkfront_bounce_fill(queue, bounce, bv, write);
	if (queue->persistent)
		return bounce->gref;
	return grant_page(queue, bounce->page, write, batch);
}

/*
 * Grants the data piece by piece: the limits of the queue make each piece of
 * the block layer's count one within a page. What was granted is in @slot even
 * on failure.
 */
static blk_status_t grant_pieces(struct blkfront_queue *queue,
				 struct blkfront_slot *slot, struct request *rq,
				 struct xenblk_segment *seg, unsigned int max,
				 struct blkfront_grant_batch *batch)
{
	struct blkfront_bounce *bounce = slot->bounce;
	bool write = rq_data_dir(rq) == WRITE;
	struct req_iterator iter;
	struct bio_vec bv;

	rq_for_each_segment(bv, rq, iter) {
		struct xenblk_segment *to = &seg[slot->nr_segs];

		/* A kernel user may ignore the alignment of the queue. */
		if (slot->nr_segs == max ||
		    !IS_ALIGNED(bv.bv_offset | bv.bv_len, SECTOR_SIZE))
			return BLK_STS_IOERR;
		describe_piece(&bv, to);
		if (bounce) {
			to->gref = grant_bounced(queue, bounce, &bv, write,
						 batch);
			bounce = blkfront_bounce_next(bounce);
		} else {
			to->gref = grant_page(queue, bv.bv_page, write, batch);
		}
		if (!slot->list)
			slot->gref[slot->nr_segs] = to->gref;
		slot->nr_segs++;
	}
	return BLK_STS_OK;
}

/*
 * Out of memory or grants is BLK_STS_RESOURCE: the block layer tries again on
 * its own after some milliseconds, so no wake-up can be lost.
 */
static blk_status_t grant_data(struct blkfront_queue *queue,
			       struct blkfront_slot *slot, struct request *rq,
			       struct xenblk_request *req)
{
	unsigned int nr = blk_rq_nr_phys_segments(rq);
	struct blkfront_grant_batch batch;
	blk_status_t status = BLK_STS_RESOURCE;

	if (!nr)
		return BLK_STS_IOERR;
	if (nr > XENBLK_MAX_DIRECT_SEGMENTS) {
		slot->list = blkfront_list_get(queue, slot);
		if (!slot->list)
			return BLK_STS_RESOURCE;
	}
	if (queue->copies && !blkfront_bounce_get(queue, slot, nr))
		goto put_list;
	if (blkfront_grants_reserve(queue, queue->persistent ? 0 : nr, &batch))
		goto put_bounce;
	status = grant_pieces(queue, slot, rq,
			      slot->list ? slot->list->seg : req->seg, nr,
			      &batch);
	blkfront_grants_unreserve(&batch);
	if (!status)
		return BLK_STS_OK;
	blkfront_grants_abandon(queue, slot);
put_bounce:
	blkfront_bounce_put(queue, slot);
put_list:
	blkfront_list_put(queue, slot);
	return status;
}

static void describe_data(const struct blkfront_slot *slot,
			  struct request *rq, struct xenblk_request *req)
{
	req->sector = blk_rq_pos(rq);
	req->nr_segments = slot->nr_segs;
	if (slot->list) {
		req->operation = XENBLK_OP_INDIRECT;
		req->gref[0] = slot->list->gref;
	}
}

static void describe_discard(struct request *rq, struct xenblk_request *req)
{
	req->sector = blk_rq_pos(rq);
	req->nr_sectors = blk_rq_sectors(rq);
	if (req_op(rq) == REQ_OP_SECURE_ERASE)
		req->flag = XENBLK_DISCARD_SECURE;
}

/* Return: as blkfront_request_write(). */
static blk_status_t describe(struct blkfront_queue *queue,
			     struct blkfront_slot *slot, struct request *rq,
			     struct xenblk_request *req)
{
	blk_status_t status;

	switch (req_op(rq)) {
	case REQ_OP_FLUSH:
		return BLK_STS_OK;
	case REQ_OP_DISCARD:
	case REQ_OP_SECURE_ERASE:
		describe_discard(rq, req);
		return BLK_STS_OK;
	default:
		status = grant_data(queue, slot, rq, req);
		if (!status)
			describe_data(slot, rq, req);
		return status;
	}
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
		/* State before the rest; pairs with take_response(). */
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

/**
 * blkfront_request_write() - write a request into the ring, unpublished
 * @queue: a connected ring
 * @rq: not started, and fits
 *
 * Context: under the producer's lock.
 * Return: BLK_STS_OK, and the request may be completed at any time from now on;
 * BLK_STS_RESOURCE when it should be tried again; or why it cannot be done.
 */
blk_status_t blkfront_request_write(struct blkfront_queue *queue,
				    struct request *rq)
{
	struct blkfront_slot *slot = find_free_slot(queue, rq->tag);
	struct xenblk_request req = {
		.handle = queue->dev->vdev.number,
	};
	blk_status_t status;

	lockdep_assert_held(&queue->producer.lock);

	if (!slot)
		return BLK_STS_RESOURCE;
	if (!wire_op(queue->dev, rq, &slot->op))
		return BLK_STS_NOTSUPP;
	slot->rq = rq;
	slot->nr_segs = 0;
	slot->list = NULL;
	slot->bounce = NULL;
	slot->position = queue->producer.ring.req_prod;
	req.id = slot - queue->slots;
	req.operation = slot->op;
	req.inner_op = slot->op;
	status = describe(queue, slot, rq, &req);
	if (status)
		return status;

	blk_mq_start_request(rq);
	/*
	 * All of the slot before its state; pairs with find_slot(). A lying
	 * backend may answer before it is asked: @rq and @slot are not ours
	 * any more.
	 */
	smp_store_release(&slot->state, BLKFRONT_SLOT_WAITING);
	xenblk_ring_put_request(&queue->producer.ring, &req);
	return BLK_STS_OK;
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
