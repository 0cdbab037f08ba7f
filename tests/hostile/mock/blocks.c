// SPDX-License-Identifier: GPL-2.0-only
/*
 * A disk of 4096-byte blocks: sectors stay 512 bytes on the wire, and what is
 * no whole block is refused.
 */
#include <string.h>

#include "mock.h"

#define VDEV	900041

static const struct block_case {
	const char *name;
	uint64_t sector;
	/* first and last sector of each segment; a negative last ends them */
	int seg[3][2];
	int status;
} cases[] = {
	{ "a block", 64, { { 0, 7 }, { 0, -1 } }, 0 },
	{ "three blocks", 64, { { 0, 7 }, { 0, 7 }, { 0, 7 } }, 0 },
	{ "a block in two pages", 64, { { 1, 7 }, { 0, 0 }, { 0, -1 } }, 0 },
	{ "a block in three pages", 64, { { 5, 7 }, { 0, 3 }, { 2, 2 } }, -1 },
	{ "a block with a gap in it", 64, { { 0, 0 }, { 0, 6 }, { 0, -1 } }, -1 },
	{ "a block with a later gap", 64, { { 7, 7 }, { 1, 7 }, { 0, -1 } }, -1 },
	{ "a block behind a gap", 64, { { 0, 7 }, { 2, 7 }, { 0, 1 } }, 0 },
	{ "a block one sector off", 65, { { 0, 7 }, { 0, -1 } }, -1 },
	{ "a block four sectors off", 68, { { 0, 7 }, { 0, -1 } }, -1 },
	{ "half a block", 64, { { 0, 3 }, { 0, -1 } }, -1 },
	{ "the other half", 68, { { 4, 7 }, { 0, -1 } }, -1 },
	{ "a block and a sector", 64, { { 0, 7 }, { 0, 0 }, { 0, -1 } }, -1 },
	{ "one sector", 64, { { 0, 0 }, { 0, -1 } }, -1 },
};

static void build(const struct disk *d, const struct block_case *c, uint8_t op,
		  struct request *req)
{
	unsigned int i;

	disk_build(d, req, op, c->sector, 0);
	for (i = 0; i < 3 && c->seg[i][1] >= 0; i++)
		req->seg[req->nr_segments++] = (struct segment){
			.gref = d->ref[i], .first = c->seg[i][0],
			.last = c->seg[i][1],
		};
}

static void run_case(struct disk *d, const struct block_case *c)
{
	struct request req;
	int status;

	build(d, c, OP_WRITE, &req);
	status = disk_do(d, 0, &req);
	tap_check(status == c->status, "write of %s: answer %d, want %d",
		  c->name, status, c->status);
	build(d, c, OP_READ, &req);
	status = disk_do(d, 0, &req);
	tap_check(status == c->status, "read of %s: answer %d, want %d",
		  c->name, status, c->status);
}

static const struct {
	uint64_t sector, nr_sectors;
	int status;
} discards[] = {
	{ 64, 8, 0 }, { 64, 80, 0 }, { 65, 8, -1 }, { 68, 8, -1 },
	{ 64, 4, -1 }, { 64, 9, -1 }, { 60, 12, -1 },
};

static void run_discard(struct disk *d, uint64_t sector, uint64_t nr, int want)
{
	struct request req;
	int status;

	disk_build(d, &req, OP_DISCARD, sector, 0);
	req.nr_sectors = nr;
	status = disk_do(d, 0, &req);
	tap_check(status == want, "discard of %llu at %llu: answer %d, want %d",
		  (unsigned long long)nr, (unsigned long long)sector, status,
		  want);
}

/* A block that is split over pages must not be put together the wrong way. */
static void check_order(struct disk *d)
{
	struct request req;
	unsigned int i;
	bool right = true;

	for (i = 0; i < 2 * PAGE_BYTES / 512; i++)
		memset(d->data + i * 512, i, 512);
	build(d, &cases[2], OP_WRITE, &req);
	tap_check(!disk_do(d, 0, &req), "sectors 1 to 8 can be written");
	build(d, &cases[0], OP_READ, &req);
	tap_check(!disk_do(d, 0, &req), "and read");
	for (i = 0; i < 8; i++)
		right &= d->data[i * 512] == i + 1 &&
			 d->data[i * 512 + 511] == i + 1;
	tap_check(right, "in their order");
}

/*
 * What is computed of each block to protect it would be computed of each piece,
 * and more of it written than there is room for.
 */
void cases_protected(const char *disk)
{
	struct block_case halves = cases[2];
	struct disk d;

	halves.status = -1;
	disk_open(&d, VDEV, disk, "w");
	disk_connect(&d, 1, false);
	run_case(&d, &cases[0]);
	run_case(&d, &cases[1]);
	run_case(&d, &halves);
	disk_close(&d);
}

void cases_blocks(const char *disk)
{
	struct disk d;
	unsigned int i;

	disk_open(&d, VDEV, disk, "w");
	disk_connect(&d, 1, false);
	tap_check(disk_number(&d, "sector-size") == 4096, "4096-byte blocks");
	tap_check(disk_number(&d, "sectors") == 64 << 11, "sectors of 512");
	for (i = 0; i < ARRAY_SIZE(cases); i++)
		run_case(&d, &cases[i]);
	check_order(&d);
	for (i = 0; i < ARRAY_SIZE(discards); i++)
		run_discard(&d, discards[i].sector, discards[i].nr_sectors,
			    discards[i].status);
	disk_close(&d);
}
