// SPDX-License-Identifier: GPL-2.0-only
/*
 * From requests to bios and back: as large as the request, under one plug for
 * the pass. Splitting is the block layer's job, but for discards, which know no
 * limit of size.
 */
#include <linux/blkdev.h>

#include "blkback.h"
#include "status.h"

/*
 * Pieces of one discard that are out at a time: the largest has 2^64 sectors,
 * and other requests need the disk too.
 */
#define DISCARD_PIECES		8

/* Tags that the block layer takes at a time: more seldom lie side by side. */
#define TAGS_TOGETHER		8U

/* For what the bio of a request is too small, or too few. */
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
	if (bio == &request->bio)
		bio_uninit(bio);
	else
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
	case XENBLK_OP_DISCARD:
		return io->secure ? REQ_OP_SECURE_ERASE : REQ_OP_DISCARD;
	default:
		return REQ_OP_WRITE | REQ_SYNC | REQ_IDLE;
	}
}

static struct bio *init_bio(struct blkback_request *request,
			    unsigned int nr_pages)
{
	struct block_device *bdev = request->ring->device->bdev;
	blk_opf_t opf = opf_of(&request->io);

	if (nr_pages > ARRAY_SIZE(request->bvec) ||
	    request->io.op == XENBLK_OP_DISCARD)
		return bio_alloc_bioset(bdev, nr_pages, opf, GFP_NOIO, &bios);
	bio_init(&request->bio, bdev, request->bvec, ARRAY_SIZE(request->bvec),
		 opf);
	return &request->bio;
}

static struct bio *new_bio(struct blkback_request *request, sector_t sector,
			   unsigned int nr_pages)
{
	struct bio *bio = init_bio(request, nr_pages);

	bio->bi_iter.bi_sector = sector;
	bio->bi_private = request;
	bio->bi_end_io = end_bio;
	atomic_inc(&request->pending_bios);
	return bio;
}

/* As a bvec each: pages mapped one by one hardly ever lie side by side. */
static void add_segment(struct bio *bio, const struct blkback_segment *segment)
{
	unsigned int nr = segment->last_sect - segment->first_sect + 1;

	__bio_add_page(bio, segment->page, nr << XENBLK_SECTOR_SHIFT,
		       segment->first_sect << XENBLK_SECTOR_SHIFT);
}

static void submit_data(struct blkback_request *request)
{
	unsigned int i, nr = request->io.nr_segments;
	struct bio *bio = new_bio(request, request->io.sector, nr);

	/* So that one bio holds the largest request. */
	static_assert(XENBLK_MAX_INDIRECT_SEGMENTS <= BIO_MAX_VECS);

	for (i = 0; i < nr; i++)
		add_segment(bio, &request->segment[i]);
	submit_bio(bio);
}

/* As long as the disk and a bio take it, in whole logical blocks. */
static u32 longest_piece(struct block_device *bdev, bool secure)
{
	u32 nr = secure ? bdev_max_secure_erase_sectors(bdev) :
			  bdev_max_discard_sectors(bdev);

	return round_down(min(nr, UINT_MAX >> XENBLK_SECTOR_SHIFT),
			  bdev_logical_block_size(bdev) >> XENBLK_SECTOR_SHIFT);
}

/*
 * A granule of the disk that is cut in two is discarded by neither part, so
 * pieces end with one if they can. The disk may be no multiple of a block away
 * from its granules.
 *
 * Return: sectors of the next piece; 0 when the disk can't discard any more.
 */
static u32 next_piece(const struct blkback_request *request)
{
	struct block_device *bdev = request->ring->device->bdev;
	const struct blkback_io *io = &request->io;
	u32 longest = longest_piece(bdev, io->secure);
	u32 block = bdev_logical_block_size(bdev) >> XENBLK_SECTOR_SHIFT;
	u32 granule = max(bdev_discard_granularity(bdev) >>
			  XENBLK_SECTOR_SHIFT, block);
	u32 offset = (bdev_discard_alignment(bdev) >> XENBLK_SECTOR_SHIFT) %
		     granule;
	u64 end = io->sector + longest + granule - offset;
	u32 excess;

	if (io->nr_sectors <= longest)
		return io->nr_sectors;
	excess = do_div(end, granule);
	return round_down(longest - min(excess, longest), block) ?: longest;
}

/* Some pieces; blkback_submit_more() goes on when all of them are done. */
static void submit_discard(struct blkback_request *request)
{
	struct blkback_io *io = &request->io;
	unsigned int i;

	for (i = 0; i < DISCARD_PIECES && io->nr_sectors; i++) {
		struct bio *bio;
		u32 nr = next_piece(request);

		if (!nr) {
			WRITE_ONCE(request->status, XENBLK_RSP_NOTSUPP);
			return;
		}
		bio = new_bio(request, io->sector, 0);
		bio->bi_iter.bi_size = nr << XENBLK_SECTOR_SHIFT;
		io->sector += nr;
		io->nr_sectors -= nr;
		submit_bio(bio);
	}
}

static void submit_request(struct blkback_request *request)
{
	/* Held until all bios are out, so that the first can't finish it. */
	atomic_set(&request->pending_bios, 1);
	if (request->status)
		goto out;
	if (request->io.op == XENBLK_OP_DISCARD)
		submit_discard(request);
	else if (request->io.nr_segments)
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
 * Afterwards the list means nothing: a request may already be done.
 *
 * Context: the thread of @ring.
 */
void blkback_submit(struct blkback_ring *ring, struct list_head *requests)
{
	unsigned int left = ring->batch->nr_requests;
	struct blkback_request *request, *next;
	struct blk_plug plug;

	blk_start_plug(&plug);
	list_for_each_entry_safe(request, next, requests, node) {
		/* Set back to one by the block layer with each time it takes. */
		plug.nr_ios = min(left--, TAGS_TOGETHER);
		if (request->io.op == XENBLK_OP_BARRIER && !request->status)
			blkback_barrier_park(request);
		else
			submit_request(request);
	}
	blk_finish_plug(&plug);
}

/*
 * A backend that leaves its disk to the next one must not stay for what a guest
 * can make last for hours. A discard is a hint, of which part may be enough; a
 * secure one is not.
 */
static bool discard_goes_on(struct blkback_request *request)
{
	const struct blkback_io *io = &request->io;

	if (io->op != XENBLK_OP_DISCARD || !io->nr_sectors)
		return false;
	if (!blkback_is_handing_over(request->ring))
		return true;
	if (io->secure)
		request->status = XENBLK_RSP_ERROR;
	return false;
}

/**
 * blkback_submit_more() - go on with a request that went out in part
 * @request: all of it that went out is done
 *
 * A barrier whose round is over is a flush with data: what comes before it is
 * done, and itself is durable when it is.
 *
 * Context: the thread of the ring.
 * Return: false when nothing is left, or a part has failed, or the rest of a
 * discard is given up.
 */
bool blkback_submit_more(struct blkback_request *request)
{
	struct blkback_io *io = &request->io;

	if (request->status)
		return false;
	if (io->op == XENBLK_OP_BARRIER)
		io->op = XENBLK_OP_FLUSH;
	else if (!discard_goes_on(request))
		return false;
	submit_request(request);
	return true;
}
