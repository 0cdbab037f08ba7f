// SPDX-License-Identifier: GPL-2.0-only
/*
 * Decides whether a request is sound, from a private copy of it.
 */
#include <linux/errno.h>

#include "parse.h"

static int parse_direct(const struct xenblk_request *req, unsigned int least,
			struct blkback_io *io)
{
	if (req->nr_segments < least ||
	    req->nr_segments > XENBLK_MAX_DIRECT_SEGMENTS)
		return -EINVAL;
	io->op = req->operation;
	io->indirect = false;
	return 0;
}

/* Only reads and writes come indirect: nesting would have no end. */
static int parse_indirect(const struct blkback_bounds *bounds,
			  const struct xenblk_request *req,
			  struct blkback_io *io)
{
	if (req->inner_op != XENBLK_OP_READ && req->inner_op != XENBLK_OP_WRITE)
		return -EINVAL;
	if (req->nr_segments < 1 || req->nr_segments > bounds->max_segments)
		return -EINVAL;
	io->op = req->inner_op;
	io->indirect = true;
	return 0;
}

/*
 * A secure discard that can't be is none: a plain one would leave what the
 * guest believes to be gone.
 */
static int parse_discard(const struct blkback_bounds *bounds,
			 const struct xenblk_request *req,
			 struct blkback_io *io)
{
	io->op = req->operation;
	io->indirect = false;
	io->secure = req->flag & XENBLK_DISCARD_SECURE;
	if (!bounds->discard || (io->secure && !bounds->secure_discard))
		return -EOPNOTSUPP;
	return req->nr_sectors ? 0 : -EINVAL;
}

static int parse_operation(const struct blkback_bounds *bounds,
			   const struct xenblk_request *req,
			   struct blkback_io *io)
{
	switch (req->operation) {
	case XENBLK_OP_READ:
	case XENBLK_OP_WRITE:
		return parse_direct(req, 1, io);
	case XENBLK_OP_BARRIER:
	case XENBLK_OP_FLUSH:
		return parse_direct(req, 0, io);
	case XENBLK_OP_DISCARD:
		return parse_discard(bounds, req, io);
	case XENBLK_OP_INDIRECT:
		return parse_indirect(bounds, req, io);
	default:
		return -EOPNOTSUPP;
	}
}

static bool changes_disk(const struct blkback_io *io)
{
	return io->op == XENBLK_OP_DISCARD ||
	       (io->op != XENBLK_OP_READ && io->nr_segments);
}

/* Of the request as a whole: see splits_block(). */
static bool breaks_block(const struct blkback_bounds *bounds,
			 const struct blkback_io *io)
{
	return (io->sector | io->nr_sectors) & (bounds->block_sectors - 1);
}

static bool beyond_end(const struct blkback_bounds *bounds,
		       const struct blkback_io *io)
{
	/* The sum could wrap: compare what is left instead. */
	return io->nr_sectors > bounds->sectors ||
	       io->sector > bounds->sectors - io->nr_sectors;
}

static int check_place(const struct blkback_bounds *bounds,
		       const struct blkback_io *io)
{
	return breaks_block(bounds, io) || beyond_end(bounds, io) ? -EINVAL : 0;
}

/**
 * blkback_parse_header() - check all of a request but its segments
 * @bounds: of the disk
 * @req: a private copy of the request
 * @io: set on success; nr_sectors only counts what has no segments
 *
 * Return: 0; -EOPNOTSUPP for an operation that is not served; -EROFS for a
 * change of a read-only disk; -EINVAL for a count that the protocol forbids,
 * or a discard that breaks a logical block or leaves the disk.
 */
int blkback_parse_header(const struct blkback_bounds *bounds,
			 const struct xenblk_request *req,
			 struct blkback_io *io)
{
	int err = parse_operation(bounds, req, io);

	if (err)
		return err;
	io->sector = req->sector;
	io->nr_sectors = req->nr_sectors;
	io->nr_segments = req->nr_segments;
	if (bounds->readonly && changes_disk(io))
		return -EROFS;
	return io->op == XENBLK_OP_DISCARD ? check_place(bounds, io) : 0;
}

/*
 * A block may lie in two pieces of memory, the end of a page and the start of
 * the next. In more, or with a gap between them, it may be what a disk can't
 * take in one transfer: the block layer would have to split it, can't, and
 * takes that for a fault of the kernel.
 */
static bool splits_block(const struct blkback_bounds *bounds,
			 const struct xenblk_segment *segment, u64 begins,
			 u64 ends)
{
	u32 mask = bounds->block_sectors - 1;

	return ((begins & mask) && segment->first_sect) ||
	       ((ends & mask) &&
		segment->last_sect != XENBLK_SECTORS_PER_PAGE - 1);
}

static int parse_segment(const struct blkback_bounds *bounds,
			 const struct xenblk_segment *segment,
			 struct blkback_io *io)
{
	u32 nr_sectors;

	if (segment->last_sect < segment->first_sect ||
	    segment->last_sect >= XENBLK_SECTORS_PER_PAGE)
		return -EINVAL;
	nr_sectors = segment->last_sect - segment->first_sect + 1;
	if ((segment->first_sect | nr_sectors) & (bounds->memory_sectors - 1))
		return -EINVAL;
	if (splits_block(bounds, segment, io->nr_sectors,
			 io->nr_sectors + nr_sectors))
		return -EINVAL;
	io->nr_sectors += nr_sectors;
	return 0;
}

/**
 * blkback_parse_segments() - check the segments, and where the request lies
 * @bounds: of the disk
 * @segments: a private copy of all @io->nr_segments
 * @io: from blkback_parse_header(); its nr_sectors is set
 *
 * Return: 0, or -EINVAL when a segment leaves its page or is no memory for the
 * disk, or when the request breaks a logical block, there or in memory, or
 * leaves the disk.
 */
int blkback_parse_segments(const struct blkback_bounds *bounds,
			   const struct xenblk_segment *segments,
			   struct blkback_io *io)
{
	unsigned int i;
	int err;

	for (i = 0; i < io->nr_segments; i++) {
		err = parse_segment(bounds, &segments[i], io);
		if (err)
			return err;
	}
	/* An empty flush is at no place: its sector means nothing. */
	return io->nr_segments ? check_place(bounds, io) : 0;
}
