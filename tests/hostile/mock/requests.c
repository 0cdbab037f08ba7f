// SPDX-License-Identifier: GPL-2.0-only
/*
 * Requests that are not sound: each gets its error answer, and the disk does
 * not change by a byte.
 */
#include <err.h>
#include <stdlib.h>
#include <string.h>

#include "mock.h"

#define VDEV		900011
#define DATA_PAGES	12
#define SECTOR		512

/* All requests are about this place; a request may name another. */
#define HERE		64

#define BOGUS_REF	3999999999U

struct stage {
	struct mock m;
	uint8_t *data;
	uint32_t data_ref[DATA_PAGES];
	struct segment *list;
	uint32_t list_ref;
	uint64_t sectors;
};

enum tweak {
	NONE, LAST_BEFORE_FIRST, LAST_8, BOGUS_DATA, BOGUS_ONE_OF_MANY,
	BOGUS_LIST,
};

/* place: sectors from HERE, from the end when negative, or absolute */
enum place { AT_HERE, LAST_SECTOR, ACROSS_END, AT_END, WRAP };

static const struct request_case {
	const char *name;
	uint8_t op, inner_op;
	uint16_t nr_segments;
	enum tweak tweak;
	enum place place;
	int status, status_readonly;
} cases[] = {
	{ "read", OP_READ, 0, 3, NONE, AT_HERE, 0, 0 },
	{ "write", OP_WRITE, 0, 3, NONE, AT_HERE, 0, -1 },
	{ "read of 11 segments", OP_READ, 0, 11, NONE, AT_HERE, 0, 0 },
	{ "read of 12 segments", OP_READ, 0, 12, NONE, AT_HERE, -1, -1 },
	{ "write of 12 segments", OP_WRITE, 0, 12, NONE, AT_HERE, -1, -1 },
	{ "write of 255 segments", OP_WRITE, 0, 255, NONE, AT_HERE, -1, -1 },
	{ "read of nothing", OP_READ, 0, 0, NONE, AT_HERE, -1, -1 },
	{ "write of nothing", OP_WRITE, 0, 0, NONE, AT_HERE, -1, -1 },
	{ "last before first", OP_WRITE, 0, 1, LAST_BEFORE_FIRST, AT_HERE,
	  -1, -1 },
	{ "last beyond the page", OP_WRITE, 0, 1, LAST_8, AT_HERE, -1, -1 },
	{ "write of the last page", OP_WRITE, 0, 1, NONE, LAST_SECTOR, 0, -1 },
	{ "write across the end", OP_WRITE, 0, 2, NONE, ACROSS_END, -1, -1 },
	{ "write at the end", OP_WRITE, 0, 1, NONE, AT_END, -1, -1 },
	{ "write at a sector that wraps", OP_WRITE, 0, 1, NONE, WRAP, -1, -1 },
	{ "read at a sector that wraps", OP_READ, 0, 1, NONE, WRAP, -1, -1 },
	{ "a page that nobody granted", OP_WRITE, 0, 1, BOGUS_DATA, AT_HERE,
	  -1, -1 },
	{ "one such page of many", OP_WRITE, 0, 7, BOGUS_ONE_OF_MANY, AT_HERE,
	  -1, -1 },
	{ "read into one such page of many", OP_READ, 0, 7, BOGUS_ONE_OF_MANY,
	  AT_HERE, -1, -1 },
	{ "flush", OP_FLUSH, 0, 0, NONE, AT_HERE, 0, 0 },
	{ "flush at no place", OP_FLUSH, 0, 0, NONE, WRAP, 0, 0 },
	{ "flush with data", OP_FLUSH, 0, 2, NONE, AT_HERE, 0, -1 },
	{ "barrier", OP_BARRIER, 0, 1, NONE, AT_HERE, 0, -1 },
	{ "barrier of nothing", OP_BARRIER, 0, 0, NONE, WRAP, 0, 0 },
	{ "barrier of 12 segments", OP_BARRIER, 0, 12, NONE, AT_HERE, -1, -1 },
	{ "barrier across the end", OP_BARRIER, 0, 2, NONE, ACROSS_END, -1,
	  -1 },
	{ "barrier, one bogus page", OP_BARRIER, 0, 7, BOGUS_ONE_OF_MANY,
	  AT_HERE, -1, -1 },
	{ "indirect barrier", OP_INDIRECT, OP_BARRIER, 12, NONE, AT_HERE,
	  -1, -1 },
	{ "discard", OP_DISCARD, 0, 0, NONE, AT_HERE, -2, -2 },
	{ "operation 4", 4, 0, 1, NONE, AT_HERE, -2, -2 },
	{ "operation 7", 7, 0, 1, NONE, AT_HERE, -2, -2 },
	{ "operation 255", 255, 0, 1, NONE, AT_HERE, -2, -2 },
	{ "indirect read", OP_INDIRECT, OP_READ, 12, NONE, AT_HERE, 0, 0 },
	{ "indirect write", OP_INDIRECT, OP_WRITE, 12, NONE, AT_HERE, 0, -1 },
	{ "indirect write of 256", OP_INDIRECT, OP_WRITE, 256, NONE, AT_HERE,
	  0, -1 },
	{ "indirect write of 257", OP_INDIRECT, OP_WRITE, 257, NONE, AT_HERE,
	  -1, -1 },
	{ "indirect write of 65535", OP_INDIRECT, OP_WRITE, 65535, NONE,
	  AT_HERE, -1, -1 },
	{ "indirect write of nothing", OP_INDIRECT, OP_WRITE, 0, NONE, AT_HERE,
	  -1, -1 },
	{ "indirect in indirect", OP_INDIRECT, OP_INDIRECT, 12, NONE, AT_HERE,
	  -1, -1 },
	{ "indirect flush", OP_INDIRECT, OP_FLUSH, 12, NONE, AT_HERE, -1, -1 },
	{ "indirect discard", OP_INDIRECT, OP_DISCARD, 12, NONE, AT_HERE,
	  -1, -1 },
	{ "indirect, last before first", OP_INDIRECT, OP_WRITE, 12,
	  LAST_BEFORE_FIRST, AT_HERE, -1, -1 },
	{ "indirect, last beyond the page", OP_INDIRECT, OP_WRITE, 12, LAST_8,
	  AT_HERE, -1, -1 },
	{ "indirect across the end", OP_INDIRECT, OP_WRITE, 12, NONE,
	  ACROSS_END, -1, -1 },
	{ "a list that nobody granted", OP_INDIRECT, OP_WRITE, 12, BOGUS_LIST,
	  AT_HERE, -1, -1 },
	{ "a list with one bogus page", OP_INDIRECT, OP_WRITE, 40,
	  BOGUS_ONE_OF_MANY, AT_HERE, -1, -1 },
};

static void share_data(struct stage *s)
{
	s->data = xengntshr_share_pages(s->m.shr, 0, DATA_PAGES, s->data_ref, 1);
	s->list = xengntshr_share_pages(s->m.shr, 0, 1, &s->list_ref, 1);
	if (!s->data || !s->list)
		err(2, "can't share data pages");
}

static void unshare_data(struct stage *s)
{
	xengntshr_unshare(s->m.shr, s->data, DATA_PAGES);
	xengntshr_unshare(s->m.shr, s->list, 1);
}

static uint64_t sector_of(const struct stage *s, enum place place)
{
	switch (place) {
	case LAST_SECTOR:
	case ACROSS_END:
		return s->sectors - PAGE_BYTES / SECTOR;
	case AT_END:
		return s->sectors;
	case WRAP:
		return UINT64_MAX - 7;
	default:
		return HERE;
	}
}

static void tweak_segments(struct segment *seg, unsigned int nr,
			   enum tweak tweak)
{
	switch (tweak) {
	case LAST_BEFORE_FIRST:
		seg[nr - 1].first = 4;
		seg[nr - 1].last = 3;
		break;
	case LAST_8:
		seg[nr - 1].last = 8;
		break;
	case BOGUS_DATA:
	case BOGUS_ONE_OF_MANY:
		seg[nr / 2].gref = BOGUS_REF;
		break;
	default:
		break;
	}
}

/* More segments than fit only need a count: what follows is garbage. */
static void fill_segments(const struct stage *s, struct segment *seg,
			  unsigned int room, unsigned int nr, enum tweak tweak)
{
	unsigned int i;

	for (i = 0; i < nr && i < room; i++) {
		seg[i] = (struct segment){
			.gref = s->data_ref[i % DATA_PAGES], .last = 7,
		};
	}
	tweak_segments(seg, nr < room ? nr : room, tweak);
}

static void build(struct stage *s, const struct request_case *c,
		  struct request *req)
{
	static uint64_t id = 0x0123456789abcdef;

	memset(req, 0, sizeof(*req));
	req->op = c->op;
	req->inner_op = c->inner_op;
	req->nr_segments = c->nr_segments;
	req->nr_sectors = 8;
	req->sector = sector_of(s, c->place);
	req->id = id;
	id = id * 6364136223846793005 + 1;
	req->list_gref = c->tweak == BOGUS_LIST ? BOGUS_REF : s->list_ref;
	if (c->op == OP_INDIRECT)
		fill_segments(s, s->list, PAGE_BYTES / sizeof(s->list[0]),
			      c->nr_segments, c->tweak);
	else
		fill_segments(s, req->seg, MAX_SEGMENTS, c->nr_segments,
			      c->tweak);
}

/* Reads DATA_PAGES pages at @sector into the data pages. */
static bool read_back(struct stage *s, uint64_t sector)
{
	struct request req = {
		.op = OP_READ, .sector = sector, .nr_segments = MAX_SEGMENTS,
	};
	struct response rsp;

	fill_segments(s, req.seg, MAX_SEGMENTS, MAX_SEGMENTS, NONE);
	return ring_do(&s->m, &s->m.ring[0], &req, &rsp) && !rsp.status;
}

static bool all_bytes(const uint8_t *data, size_t len, uint8_t byte)
{
	while (len--) {
		if (*data++ != byte)
			return false;
	}
	return true;
}

static bool fill_disk(struct stage *s, uint64_t sector, uint8_t byte)
{
	struct request req = {
		.op = OP_WRITE, .sector = sector, .nr_segments = MAX_SEGMENTS,
	};
	struct response rsp;

	memset(s->data, byte, DATA_PAGES * PAGE_BYTES);
	fill_segments(s, req.seg, MAX_SEGMENTS, MAX_SEGMENTS, NONE);
	return ring_do(&s->m, &s->m.ring[0], &req, &rsp) && !rsp.status;
}

static bool writes(const struct request_case *c)
{
	uint8_t op = c->op == OP_INDIRECT ? c->inner_op : c->op;

	return op != OP_READ && c->nr_segments;
}

/* The place is full of 0x11; a write carries 0x22 and must arrive or not. */
static void check_disk(struct stage *s, const struct request_case *c,
		       int status)
{
	bool arrives = !status && writes(c) && c->place == AT_HERE;
	bool as_expected;

	memset(s->data, 0, DATA_PAGES * PAGE_BYTES);
	as_expected = read_back(s, HERE) &&
		      all_bytes(s->data, PAGE_BYTES, arrives ? 0x22 : 0x11);
	tap_check(as_expected, "%s: the disk %s", c->name,
		  arrives ? "has it" : "is as before");
}

static void run_case(struct stage *s, const struct request_case *c,
		     bool readonly)
{
	int status = readonly ? c->status_readonly : c->status;
	struct request req;
	struct response rsp = {};
	bool answered;

	if (!readonly && !fill_disk(s, HERE, 0x11))
		tap_check(false, "%s: the disk can be filled", c->name);
	memset(s->data, 0x22, DATA_PAGES * PAGE_BYTES);
	build(s, c, &req);
	answered = ring_do(&s->m, &s->m.ring[0], &req, &rsp);
	tap_check(answered && rsp.status == status, "%s: answer %d, want %d", c->name,
		  rsp.status, status);
	tap_check(rsp.id == req.id && rsp.op == (c->op == OP_INDIRECT ?
						 c->inner_op : c->op),
		  "%s: id and operation come back", c->name);
	check_disk(s, c, status);
}

static void run_all(const char *disk, bool layout32, bool readonly)
{
	struct stage s;
	unsigned int i;
	char *sectors;

	tap_note("%s-bit layout, %s", layout32 ? "32" : "64",
		 readonly ? "read-only" : "writable");
	mock_open(&s.m, VDEV, disk, readonly ? "r" : "w");
	tap_check(link_up(&s.m, 1, 0, layout32), "connects");
	sectors = mock_read(&s.m, s.m.back, "sectors");
	s.sectors = sectors ? strtoull(sectors, NULL, 10) : 0;
	free(sectors);
	share_data(&s);
	for (i = 0; i < ARRAY_SIZE(cases); i++)
		run_case(&s, &cases[i], readonly);
	if (!readonly)
		tap_check(fill_disk(&s, HERE, 0x11), "the disk can be filled");
	link_down(&s.m);
	unshare_data(&s);
	mock_close(&s.m);
}

void cases_requests(const char *disk)
{
	run_all(disk, false, false);
	run_all(disk, true, false);
	run_all(disk, false, true);
}
