/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Is a request sound? The one place that decides (pure).
 */
#ifndef BLKBACK_PARSE_H
#define BLKBACK_PARSE_H

#include <linux/types.h>

#include "abi.h"

/**
 * struct blkback_bounds - what a disk can do, as requests are held against it
 * @sectors: capacity in 512-byte sectors
 * @block_sectors: 512-byte sectors of a logical block, a power of two
 * @memory_sectors: what a piece of memory must be a multiple of, and begin at a
 *	multiple of, for the disk to reach it; a power of two, at most a page
 * @max_segments: of an indirect request
 * @readonly: no request may change the disk
 * @discard: discards are served
 * @secure_discard: and those that leave nothing to be recovered
 */
struct blkback_bounds {
	u64	sectors;
	u32	block_sectors;
	u32	memory_sectors;
	u32	max_segments;
	bool	readonly;
	bool	discard;
	bool	secure_discard;
};

/**
 * struct blkback_io - a request that passed the checks so far
 * @sector: first 512-byte sector on the disk
 * @nr_sectors: 512-byte sectors, known once the segments are parsed; of a
 *	discard that went out in part, those that are left, as is @sector
 * @op: any &enum xenblk_op but XENBLK_OP_INDIRECT
 * @nr_segments: pages that it touches; a flush or barrier may have none
 * @indirect: the segments lie in another page of the frontend
 * @secure: a discard that must leave nothing
 */
struct blkback_io {
	u64	sector;
	u64	nr_sectors;
	u8	op;
	u16	nr_segments;
	bool	indirect;
	bool	secure;
};

int blkback_parse_header(const struct blkback_bounds *bounds,
			 const struct xenblk_request *req,
			 struct blkback_io *io);
int blkback_parse_segments(const struct blkback_bounds *bounds,
			   const struct xenblk_segment *segments,
			   struct blkback_io *io);

#endif /* BLKBACK_PARSE_H */
