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
#define DATA_PAGES	264
#define SECTOR		512
#define PAGE_SECTORS	(PAGE_BYTES / SECTOR)

/* What is looked at, in pages: as far as the largest request can reach. */
#define SPAN		256

/* What is on the disk before each request. */
#define BACKGROUND	0x11

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
		return s->sectors - PAGE_SECTORS;
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

/* Data pages, from the first on, to or from the disk. */
static bool move_pages(struct stage *s, uint8_t op, uint64_t sector,
		       unsigned int nr)
{
	struct request req = {
		.op = OP_INDIRECT, .inner_op = op, .sector = sector,
		.nr_segments = nr, .list_gref = s->list_ref,
	};
	struct response rsp;

	fill_segments(s, s->list, SPAN, nr, NONE);
	return ring_do(&s->m, &s->m.ring[0], &req, &rsp) && !rsp.status;
}

static uint8_t *page_of(const struct stage *s, unsigned int i)
{
	return s->data + (size_t)i * PAGE_BYTES;
}

static bool all_bytes(const uint8_t *data, size_t len, uint8_t byte)
{
	return data[0] == byte && !memcmp(data, data + 1, len - 1);
}

static bool fill_disk(struct stage *s)
{
	memset(s->data, BACKGROUND, DATA_PAGES * PAGE_BYTES);
	return move_pages(s, OP_WRITE, HERE, SPAN) &&
	       move_pages(s, OP_WRITE, sector_of(s, LAST_SECTOR), 1);
}

/* Each page differs from its neighbours, and from what the disk has. */
static uint8_t mark_of(unsigned int i)
{
	return 0x20 + i % 199;
}

static void mark_pages(struct stage *s)
{
	unsigned int i;

	for (i = 0; i < DATA_PAGES; i++)
		memset(page_of(s, i), mark_of(i), PAGE_BYTES);
}

static bool writes(const struct request_case *c)
{
	uint8_t op = c->op == OP_INDIRECT ? c->inner_op : c->op;

	return op != OP_READ && c->nr_segments;
}

/* Of @nr data pages the first @nr_marked, and no more. */
static bool marked(const struct stage *s, unsigned int nr,
		   unsigned int nr_marked)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		if (!all_bytes(page_of(s, i), PAGE_BYTES, i < nr_marked ?
			       mark_of(i) : BACKGROUND))
			return false;
	}
	return true;
}

/* A write carries the marks of its pages, and must arrive whole or not at all. */
static void check_disk(struct stage *s, const struct request_case *c,
		       int status)
{
	unsigned int nr = !status && writes(c) ? c->nr_segments : 0;
	unsigned int nr_here = c->place == AT_HERE ? nr : 0;
	unsigned int nr_last = c->place == LAST_SECTOR ? nr : 0;
	bool as_expected;

	memset(s->data, 0, DATA_PAGES * PAGE_BYTES);
	as_expected = move_pages(s, OP_READ, HERE, SPAN) &&
		      marked(s, SPAN, nr_here);
	as_expected &= move_pages(s, OP_READ, sector_of(s, LAST_SECTOR), 1) &&
		       marked(s, 1, nr_last);
	tap_check(as_expected, "%s: the disk %s", c->name,
		  nr ? "has it" : "is as before");
}

/* What a read brings, into the pages that it names and no others. */
static void check_data(struct stage *s, const struct request_case *c)
{
	unsigned int i, nr_bad = 0;

	for (i = 0; i < DATA_PAGES; i++)
		nr_bad += !all_bytes(page_of(s, i), PAGE_BYTES,
				     i < c->nr_segments ? BACKGROUND :
							  mark_of(i));
	tap_check(!nr_bad, "%s: every page has what the disk has", c->name);
}

static bool reads(const struct request_case *c)
{
	return c->op == OP_READ ||
	       (c->op == OP_INDIRECT && c->inner_op == OP_READ);
}

static void run_case(struct stage *s, const struct request_case *c,
		     bool readonly)
{
	int status = readonly ? c->status_readonly : c->status;
	struct request req;
	struct response rsp = {};
	bool answered;

	if (!readonly && !fill_disk(s))
		tap_check(false, "%s: the disk can be filled", c->name);
	mark_pages(s);
	build(s, c, &req);
	answered = ring_do(&s->m, &s->m.ring[0], &req, &rsp);
	tap_check(answered && rsp.status == status, "%s: answer %d, want %d", c->name,
		  rsp.status, status);
	tap_check(rsp.id == req.id && rsp.op == (c->op == OP_INDIRECT ?
						 c->inner_op : c->op),
		  "%s: id and operation come back", c->name);
	if (!status && reads(c))
		check_data(s, c);
	check_disk(s, c, status);
}

/*
 * Behind the one list that each of them needs, ring_put() leaves references to
 * nothing: who maps more lists than that fails them all.
 */
static void fail_alone(struct stage *s)
{
	static const struct request_case good = {
		"", OP_INDIRECT, OP_WRITE, SPAN, NONE, AT_HERE, 0, 0 };
	static const struct request_case bad = {
		"", OP_INDIRECT, OP_WRITE, SPAN, BOGUS_LIST, AT_HERE, -1, -1 };
	struct ring *ring = &s->m.ring[0];
	unsigned int i, answered = 0, failed = 0;
	struct response rsp;
	struct request req;

	for (i = 0; i < 5; i++) {
		build(s, i == 2 ? &bad : &good, &req);
		req.id = i;
		ring_put(ring, &req);
	}
	ring_push(&s->m, ring);
	for (i = 0; i < 5 && ring_await(&s->m, ring, &rsp); i++) {
		answered |= 1U << rsp.id;
		failed |= !!rsp.status << rsp.id;
	}
	tap_check(answered == 0x1f && failed == 0x04,
		  "a list that nobody granted fails its request alone");
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
		fail_alone(&s);
	if (!readonly)
		tap_check(fill_disk(&s), "the disk can be filled");
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
