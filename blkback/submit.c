// SPDX-License-Identifier: GPL-2.0-only
/*
 * From requests to bios and back: as large as the request, under one plug for
 * the pass. Splitting is the block layer's job.
 */
#include <linux/blkdev.h>

#include "blkback.h"
#include "status.h"

static struct bio_set bios;

/**
 * blkback_submit_init() - make the pool of bios
 *
 * Own, so that a storage domain that is itself a client can't exhaust it.
 *
 * Return: 0 or -ENOMEM.
 */
int blkback_submit_init(void)
{
	return bioset_init(&bios, BIO_POOL_SIZE, 0, BIOSET_NEED_BVECS);
}

/**
 * blkback_submit_exit() - free the pool; no bio is in flight
 */
void blkback_submit_exit(void)
{
	bioset_exit(&bios);
}

/*
 * Thread and ring stay until all that is in flight has been reaped, which can
 * happen as soon as the request is on the list: from there on, only RCU keeps
 * them (blkback_rings_stop()).
 */
static void finish_bio(struct blkback_request *request)
{
	struct blkback_ring *ring = request->ring;

	if (!atomic_dec_and_test(&request->pending_bios))
		return;
	rcu_read_lock();
	if (llist_add(&request->done_node, &ring->done))
		wake_up_process(ring->thread);
	rcu_read_unlock();
}

static void end_bio(struct bio *bio)
{
	struct blkback_request *request = bio->bi_private;

	/* Parts only ever turn success into failure: no order is needed. */
	if (bio->bi_status)
		WRITE_ONCE(request->status,
			   xenblk_status_to_wire(bio->bi_status));
	bio_put(bio);
	finish_bio(request);
}

/*
 * A flush that carries data is written through as well: the protocol leaves
 * open whether its own data is durable, and the stronger reading harms nobody.
 */
static blk_opf_t opf_of(const struct blkback_io *io)
{
	switch (io->op) {
	case XENBLK_OP_READ:
		return REQ_OP_READ;
	case XENBLK_OP_FLUSH:
		return REQ_OP_WRITE | REQ_PREFLUSH |
		       (io->nr_segments ? REQ_FUA : 0);
	default:
		return REQ_OP_WRITE | REQ_SYNC | REQ_IDLE;
	}
}

static struct bio *new_bio(struct blkback_request *request, sector_t sector,
			   unsigned int nr_pages)
{
	struct bio *bio = bio_alloc_bioset(request->ring->device->bdev,
					   bio_max_segs(nr_pages),
					   opf_of(&request->io), GFP_NOIO,
					   &bios);

	bio->bi_iter.bi_sector = sector;
	bio->bi_private = request;
	bio->bi_end_io = end_bio;
	atomic_inc(&request->pending_bios);
	return bio;
}

static bool add_segment(struct bio *bio, const struct blkback_segment *segment)
{
	unsigned int nr = segment->last_sect - segment->first_sect + 1;
	unsigned int len = nr << XENBLK_SECTOR_SHIFT;

	return bio_add_page(bio, segment->page, len,
			    segment->first_sect << XENBLK_SECTOR_SHIFT) == len;
}

static void submit_data(struct blkback_request *request)
{
	unsigned int i, nr = request->io.nr_segments;
	struct bio *bio = new_bio(request, request->io.sector, nr);

	for (i = 0; i < nr; i++) {
		sector_t end = bio_end_sector(bio);

		if (add_segment(bio, &request->segment[i]))
			continue;
		/* Full: an empty bio always has room for one segment. */
		submit_bio(bio);
		bio = new_bio(request, end, nr - i);
		add_segment(bio, &request->segment[i]);
	}
	submit_bio(bio);
}

static void submit_request(struct blkback_request *request)
{
	/* Held until all bios are out, so that the first can't finish it. */
	atomic_set(&request->pending_bios, 1);
	if (request->status)
		goto out;
	if (request->io.nr_segments)
		submit_data(request);
	else
		submit_bio(new_bio(request, 0, 0));
out:
	finish_bio(request);
}

/**
 * blkback_submit() - hand a pass of requests to the disk
 * @ring: that they came from
 * @requests: mapped; those that are errors already are finished at once
 *
 * Afterwards the list is empty: a request may already be done.
 *
 * Context: the thread of @ring.
 */
void blkback_submit(struct blkback_ring *ring, struct list_head *requests)
{
	struct blkback_request *request, *next;
	struct blk_plug plug;

	blk_start_plug(&plug);
	list_for_each_entry_safe(request, next, requests, node) {
		list_del_init(&request->node);
		submit_request(request);
	}
	blk_finish_plug(&plug);
}
