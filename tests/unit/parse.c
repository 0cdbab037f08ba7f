// SPDX-License-Identifier: GPL-2.0-only
/*
 * blkback/parse.c: which requests are sound, by a table of one bad thing each,
 * and by every mix of the numbers where a check can be one off.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <linux/kernel.h>

#include "parse.h"
#include "tap.h"

#define SECTORS		1000
#define MAX_SEGMENTS	256

static const struct blkback_bounds writable = {
	.sectors = SECTORS, .block_sectors = 1, .memory_sectors = 1,
	.max_segments = MAX_SEGMENTS,
};

static const struct blkback_bounds readonly = {
	.sectors = SECTORS, .block_sectors = 1, .memory_sectors = 1,
	.max_segments = MAX_SEGMENTS,
	.readonly = true,
};

/* What is expected of the header, written from the protocol. */
static int header_error(u8 op, u8 inner, unsigned int nr, bool is_readonly)
{
	bool changes = op == XENBLK_OP_WRITE ||
		       ((op == XENBLK_OP_FLUSH || op == XENBLK_OP_BARRIER) &&
			nr);

	switch (op) {
	case XENBLK_OP_READ:
	case XENBLK_OP_WRITE:
		if (nr == 0)
			return -EINVAL;
		fallthrough;
	case XENBLK_OP_BARRIER:
	case XENBLK_OP_FLUSH:
		if (nr > 11)
			return -EINVAL;
		break;
	case XENBLK_OP_INDIRECT:
		if (inner > XENBLK_OP_WRITE || nr == 0 || nr > MAX_SEGMENTS)
			return -EINVAL;
		changes = inner == XENBLK_OP_WRITE;
		break;
	default:
		return -EOPNOTSUPP;
	}
	return changes && is_readonly ? -EROFS : 0;
}

static void check_header(u8 op, u8 inner, unsigned int nr, bool is_readonly)
{
	struct xenblk_request req = {
		.operation = op, .inner_op = inner, .nr_segments = nr,
		.sector = 77,
	};
	struct blkback_io io;
	int want = header_error(op, inner, nr, is_readonly);
	int err;

	memset(&io, 0xaa, sizeof(io));
	err = blkback_parse_header(is_readonly ? &readonly : &writable, &req,
				   &io);
	tap_expect(err, want, "op %u, inner %u, %u segments, read-only %d", op,
		   inner, nr, is_readonly);
	if (err || want)
		return;
	tap_expect(io.op, op == XENBLK_OP_INDIRECT ? inner : op, "operation");
	tap_expect(io.indirect, op == XENBLK_OP_INDIRECT, "indirect");
	tap_expect(io.nr_segments, nr, "segments");
	tap_expect(io.sector, 77, "sector");
	tap_expect(io.nr_sectors, 0, "no sectors yet");
}

static void check_headers(void)
{
	static const unsigned int counts[] = {
		0, 1, 2, 10, 11, 12, 13, 127, 128, 255, 256, 257, 511, 512,
		513, 4096, 32767, 32768, 65534, 65535,
	};
	unsigned int op, inner, i;

	for (op = 0; op < 256; op++)
		for (i = 0; i < ARRAY_SIZE(counts); i++) {
			check_header(op, op, counts[i], false);
			check_header(op, op, counts[i], true);
		}
	tap_verdict("direct operations and counts");
	for (inner = 0; inner < 256; inner++)
		for (i = 0; i < ARRAY_SIZE(counts); i++) {
			check_header(XENBLK_OP_INDIRECT, inner, counts[i],
				     false);
			check_header(XENBLK_OP_INDIRECT, inner, counts[i],
				     true);
		}
	tap_verdict("indirect operations and counts");
}

/* One segment list on the heap, as long as it must be: ASan sees its ends. */
static int parse(const struct blkback_bounds *bounds, u64 sector,
		 const struct xenblk_segment *segments, unsigned int nr,
		 struct blkback_io *io)
{
	struct xenblk_segment *copy = malloc(nr * sizeof(*copy) + 1);
	int err;

	memcpy(copy, segments, nr * sizeof(*copy));
	*io = (struct blkback_io){
		.op = XENBLK_OP_WRITE, .sector = sector, .nr_segments = nr,
	};
	err = blkback_parse_segments(bounds, copy, io);
	free(copy);
	return err;
}

static void check_segment_bounds(void)
{
	struct xenblk_segment segs[3] = {
		{ .first_sect = 0, .last_sect = 7 }, { },
		{ .first_sect = 3, .last_sect = 3 },
	};
	unsigned int first, last;
	struct blkback_io io;

	for (first = 0; first < 256; first++)
		for (last = 0; last < 256; last++) {
			bool sound = first <= last && last <= 7;
			int err;

			segs[1].first_sect = first;
			segs[1].last_sect = last;
			err = parse(&writable, 0, segs, 3, &io);
			tap_expect(err, sound ? 0 : -EINVAL,
				   "segment %u to %u", first, last);
			if (!err)
				tap_expect(io.nr_sectors, 8 + last - first + 2,
					   "sectors");
		}
	tap_verdict("first and last sector of a segment");
}

/* Two segments whose sum is looked at, and one that must fit the memory. */
static void expect_aligned(const struct blkback_bounds *bounds,
			   const struct xenblk_segment *segs, u64 sector)
{
	unsigned int i, sum = 0;
	struct blkback_io io;
	bool sound = true;

	for (i = 0; i < 2; i++) {
		unsigned int nr = segs[i].last_sect - segs[i].first_sect + 1;

		sum += nr;
		if (segs[i].first_sect % bounds->memory_sectors ||
		    nr % bounds->memory_sectors)
			sound = false;
	}
	if (sector % bounds->block_sectors || sum % bounds->block_sectors)
		sound = false;
	/* A block that the first begins and the second ends: without a gap. */
	if ((segs[0].last_sect - segs[0].first_sect + 1) %
	    bounds->block_sectors &&
	    (segs[0].last_sect != 7 || segs[1].first_sect))
		sound = false;
	tap_expect(parse(bounds, sector, segs, 2, &io), sound ? 0 : -EINVAL,
		   "block %u, memory %u, %u to %u, %u to %u, at %llu",
		   bounds->block_sectors, bounds->memory_sectors,
		   segs[0].first_sect, segs[0].last_sect, segs[1].first_sect,
		   segs[1].last_sect, (unsigned long long)sector);
}

static void expect_all_aligned(const struct blkback_bounds *bounds)
{
	struct xenblk_segment segs[2];
	unsigned int a, b;
	u64 sector;

	for (a = 0; a < 64; a++)
		for (b = 0; b < 64; b++) {
			segs[0] = (struct xenblk_segment){
				.first_sect = a / 8, .last_sect = a % 8,
			};
			segs[1] = (struct xenblk_segment){
				.first_sect = b / 8, .last_sect = b % 8,
			};
			if (a / 8 > a % 8 || b / 8 > b % 8)
				continue;
			for (sector = 0; sector <= 8; sector++)
				expect_aligned(bounds, segs, sector);
		}
}

static void check_logical_blocks(void)
{
	struct blkback_bounds bounds = writable;

	for (bounds.block_sectors = 1; bounds.block_sectors <= 8;
	     bounds.block_sectors *= 2)
		for (bounds.memory_sectors = 1; bounds.memory_sectors <= 8;
		     bounds.memory_sectors *= 2)
			expect_all_aligned(&bounds);
	tap_verdict("whole logical blocks, in memory that the disk can reach");
}

static void expect_place(u64 sectors, u64 sector, unsigned int nr)
{
	struct blkback_bounds bounds = writable;
	struct xenblk_segment segs[MAX_SEGMENTS] = { };
	struct blkback_io io;
	bool beyond;
	u64 end;

	bounds.sectors = sectors;
	beyond = __builtin_add_overflow(sector, nr, &end) || end > sectors;
	tap_expect(parse(&bounds, sector, segs, nr, &io), beyond ? -EINVAL : 0,
		   "%u at %llu of %llu", nr, (unsigned long long)sector,
		   (unsigned long long)sectors);
}

static void check_end_of_disk(void)
{
	static const u64 sizes[] = {
		0, 1, 2, 11, 12, 256, 257, 1000, 1ULL << 32, (1ULL << 55) - 1,
		1ULL << 63, ~0ULL - 1, ~0ULL,
	};
	static const unsigned int counts[] = { 1, 2, 11, 255, 256 };
	unsigned int i, j;
	int off;

	for (i = 0; i < ARRAY_SIZE(sizes); i++)
		for (j = 0; j < ARRAY_SIZE(counts); j++) {
			expect_place(sizes[i], 0, counts[j]);
			/* Around the end, and around the wrap at 2^64. */
			for (off = -600; off <= 600; off++) {
				expect_place(sizes[i], sizes[i] + off,
					     counts[j]);
				expect_place(sizes[i], (u64)off, counts[j]);
			}
		}
	tap_verdict("nothing beyond the end of the disk");
}

static void check_empty_flush(void)
{
	static const struct xenblk_segment none;
	struct blkback_io io;
	u64 sector;

	for (sector = ~0ULL - 2; sector != 2; sector++)
		tap_expect(parse(&writable, sector, &none, 0, &io), 0,
			   "empty flush at %llu", (unsigned long long)sector);
	tap_verdict("an empty flush is at no place");
}

struct discard {
	bool offered, secure_offered, readonly;
	u64 sectors;
	u32 block;
	u8 flag;
	u64 sector, nr;
};

static int discard_error(const struct discard *d)
{
	bool secure = d->flag & 1;
	u64 end;

	if (!d->offered || (secure && !d->secure_offered))
		return -EOPNOTSUPP;
	if (!d->nr)
		return -EINVAL;
	if (d->readonly)
		return -EROFS;
	if (d->sector % d->block || d->nr % d->block)
		return -EINVAL;
	if (__builtin_add_overflow(d->sector, d->nr, &end) || end > d->sectors)
		return -EINVAL;
	return 0;
}

static void expect_discard(const struct discard *d)
{
	struct blkback_bounds bounds = {
		.sectors = d->sectors, .block_sectors = d->block,
		.memory_sectors = 1, .max_segments = MAX_SEGMENTS,
		.readonly = d->readonly, .discard = d->offered,
		.secure_discard = d->secure_offered,
	};
	struct xenblk_request req = {
		.operation = XENBLK_OP_DISCARD, .inner_op = XENBLK_OP_DISCARD,
		.flag = d->flag, .sector = d->sector, .nr_sectors = d->nr,
	};
	struct blkback_io io;
	int err;

	memset(&io, 0xaa, sizeof(io));
	err = blkback_parse_header(&bounds, &req, &io);
	tap_expect(err, discard_error(d),
		   "discard of %llu at %llu of %llu, block %u, flag %#x",
		   (unsigned long long)d->nr, (unsigned long long)d->sector,
		   (unsigned long long)d->sectors, d->block, d->flag);
	if (err)
		return;
	tap_expect(io.op, XENBLK_OP_DISCARD, "operation");
	tap_expect(io.sector, d->sector, "sector");
	tap_expect(io.nr_sectors, d->nr, "sectors");
	tap_expect(io.nr_segments, 0, "no segments");
	tap_expect(io.indirect, false, "indirect");
	tap_expect(io.secure, d->flag & 1, "secure");
}

static void check_discard_offers(void)
{
	unsigned int offers, flag;

	for (offers = 0; offers < 8; offers++)
		for (flag = 0; flag < 256; flag++) {
			struct discard d = {
				.offered = offers & 1,
				.secure_offered = offers & 2,
				.readonly = offers & 4,
				.sectors = SECTORS, .block = 1, .flag = flag,
				.sector = 77, .nr = 5,
			};

			expect_discard(&d);
			d.nr = 0;
			expect_discard(&d);
		}
	tap_verdict("discards as offered, secure ones never as plain ones");
}

static void expect_discard_place(u64 sectors, u64 sector, u64 nr)
{
	struct discard d = {
		.offered = true, .sectors = sectors, .sector = sector, .nr = nr,
	};

	for (d.block = 1; d.block <= 8; d.block *= 2)
		expect_discard(&d);
}

static void check_discard_places(void)
{
	static const u64 edges[] = {
		0, 1, 1000, 1ULL << 32, 1ULL << 33, 1ULL << 55, 1ULL << 63,
		~0ULL,
	};
	unsigned int i, j, k;
	int off;

	for (i = 0; i < ARRAY_SIZE(edges); i++)
		for (j = 0; j < ARRAY_SIZE(edges); j++)
			for (k = 0; k < ARRAY_SIZE(edges); k++)
				for (off = -9; off <= 9; off++) {
					u64 sectors = edges[i];

					expect_discard_place(sectors, edges[j],
							     edges[k] + off);
					expect_discard_place(sectors,
							     edges[j] + off,
							     edges[k]);
					expect_discard_place(sectors, edges[j],
							     sectors -
							     edges[j] + off);
				}
	tap_verdict("discards of any length, none beyond the end");
}

static void check_largest(void)
{
	struct xenblk_segment segs[MAX_SEGMENTS];
	struct blkback_bounds bounds = writable;
	struct blkback_io io;
	unsigned int i;

	for (i = 0; i < MAX_SEGMENTS; i++)
		segs[i] = (struct xenblk_segment){
			.gref = i, .first_sect = 0, .last_sect = 7, .pad = i,
		};
	bounds.sectors = 2048;
	tap_ok(!parse(&bounds, 0, segs, MAX_SEGMENTS, &io) &&
	       io.nr_sectors == 2048, "256 whole pages are a MiB");
	tap_ok(parse(&bounds, 1, segs, MAX_SEGMENTS, &io) == -EINVAL,
	       "and do not fit one sector later");
}

int main(void)
{
	check_headers();
	check_segment_bounds();
	check_logical_blocks();
	check_end_of_disk();
	check_empty_flush();
	check_discard_offers();
	check_discard_places();
	check_largest();
	return tap_done();
}
