// SPDX-License-Identifier: GPL-2.0-only
/*
 * Grants that may stay mapped: more of them than a ring of the backend has
 * pages, the same one twice, some that cannot be mapped, lists of segments of
 * both kinds, others all the time, and some that are taken back too early.
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mock.h"

#define VDEV		900041
#define GNTALLOC_LIMIT	"/sys/module/xen_gntalloc/parameters/limit"

#define MAX_GRANTS	"/sys/module/xen_blkback/parameters/max_persistent_grants"

/* How many may stay mapped, where that is to be less than a request has. */
#define FEW_GRANTS	64
#define MANY_GRANTS	4096

/* One that was used for so long is not displaced, in us; and some more. */
#define RECENT_US	200000

#define SEGMENTS	256
#define SETS		18
#define PAGES		(SETS * SEGMENTS)
#define MIB_SECTORS	2048

#define BOGUS_REF	3999999999U

struct stage {
	struct mock m;
	uint8_t *data;
	uint32_t data_ref[PAGES];
	uint8_t *readonly;
	uint32_t readonly_ref;
	struct segment *list;
	uint32_t list_ref;
};

static void write_parameter(const char *path, unsigned int value)
{
	FILE *file = fopen(path, "w");

	if (!file || fprintf(file, "%u\n", value) < 0 || fclose(file))
		err(2, "can't write %s", path);
}

static void share_data(struct stage *s)
{
	s->data = xengntshr_share_pages(s->m.shr, 0, PAGES, s->data_ref, 1);
	s->readonly = xengntshr_share_pages(s->m.shr, 0, 1, &s->readonly_ref, 0);
	s->list = xengntshr_share_pages(s->m.shr, 0, 1, &s->list_ref, 1);
	if (!s->data || !s->readonly || !s->list)
		err(2, "can't share data pages");
}

static void unshare_data(struct stage *s)
{
	xengntshr_unshare(s->m.shr, s->data, PAGES);
	xengntshr_unshare(s->m.shr, s->readonly, 1);
	xengntshr_unshare(s->m.shr, s->list, 1);
}

static bool connect_as(struct mock *m, const char *persistent)
{
	link_create(m, 1, 0, false);
	link_publish(m, "x86_64-abi");
	if (persistent)
		mock_write(m, m->front, "feature-persistent", "%s", persistent);
	mock_write(m, m->front, "state", "%d", INITIALISED);
	return mock_await_state(m, CONNECTED);
}

static int move_set(struct stage *s, uint8_t op, unsigned int set,
		    unsigned int mib)
{
	struct request req = {
		.op = OP_INDIRECT, .inner_op = op, .nr_segments = SEGMENTS,
		.id = mib, .sector = mib * MIB_SECTORS,
		.list_gref = s->list_ref,
	};
	struct response rsp = { .status = -99 };
	unsigned int i;

	for (i = 0; i < SEGMENTS; i++)
		s->list[i] = (struct segment){
			.gref = s->data_ref[set * SEGMENTS + i], .last = 7,
		};
	ring_do(&s->m, &s->m.ring[0], &req, &rsp);
	return rsp.status;
}

static uint8_t *page_of(struct stage *s, unsigned int set, unsigned int i)
{
	return s->data + (size_t)(set * SEGMENTS + i) * PAGE_BYTES;
}

static void mark_set(struct stage *s, unsigned int set, unsigned int mib)
{
	unsigned int i;

	for (i = 0; i < SEGMENTS; i++)
		memset(page_of(s, set, i), mib * 7 + i, PAGE_BYTES);
}

static bool is_marked(struct stage *s, unsigned int set, unsigned int mib)
{
	unsigned int i;

	for (i = 0; i < SEGMENTS; i++) {
		uint8_t *page = page_of(s, set, i);

		if (page[0] != (uint8_t)(mib * 7 + i) ||
		    memcmp(page, page + 1, PAGE_BYTES - 1))
			return false;
	}
	return true;
}

/* Written from one set, read into another: a mixed-up mapping shows. */
static void use_all_pages(struct stage *s)
{
	unsigned int i, nr_bad = 0;

	for (i = 0; i < SETS; i++) {
		mark_set(s, i, i);
		nr_bad += move_set(s, OP_WRITE, i, i) != 0;
	}
	tap_check(!nr_bad, "more grants than a ring has pages: written");
	for (i = 0; i < SETS; i++) {
		nr_bad += move_set(s, OP_READ, SETS - 1 - i, i) != 0;
		nr_bad += !is_marked(s, SETS - 1 - i, i);
	}
	tap_check(!nr_bad, "more grants than a ring has pages: read back");
	tap_check(mock_ring_number(&s->m, 0, "persistent") > 0, "%ld stay mapped",
		  mock_ring_number(&s->m, 0, "persistent"));
}

/*
 * Lists that change in place must be read anew with each request, also where
 * their page stays mapped; one that is granted read-only can't stay.
 */
static void list_with(struct stage *s, struct segment *list, uint32_t list_ref,
		      const char *what)
{
	unsigned int nr_bad = 0, i;

	s->list = list;
	s->list_ref = list_ref;
	for (i = 0; i < 3; i++) {
		mark_set(s, i, i);
		nr_bad += move_set(s, OP_WRITE, i, i) != 0;
	}
	for (i = 0; i < 3; i++) {
		nr_bad += move_set(s, OP_READ, 2 - i, i) != 0;
		nr_bad += !is_marked(s, 2 - i, i);
	}
	tap_check(!nr_bad, "lists in a page that is granted %s", what);
}

static void use_lists(struct stage *s)
{
	struct segment *list = s->list;
	uint32_t list_ref = s->list_ref;

	list_with(s, list, list_ref, "read-write");
	list_with(s, (struct segment *)s->readonly, s->readonly_ref,
		  "read-only");
	list_with(s, list, list_ref, "read-write again");
}

static void put_write(struct stage *s, uint64_t id, const uint32_t ref[3])
{
	struct request req = { .op = OP_WRITE, .nr_segments = 3, .id = id };
	unsigned int i;

	for (i = 0; i < 3; i++)
		req.seg[i] = (struct segment){ .gref = ref[i], .last = 7 };
	ring_put(&s->m.ring[0], &req);
}

/* Bit N is set if the answer to request N is an error; all ones for none. */
static unsigned int failed_of(struct stage *s, unsigned int nr)
{
	struct response rsp;
	unsigned int failed = 0;

	ring_push(&s->m, &s->m.ring[0]);
	while (nr--) {
		if (!ring_await(&s->m, &s->m.ring[0], &rsp))
			return ~0U;
		failed |= !!rsp.status << rsp.id;
	}
	return failed;
}

static void use_twice(struct stage *s)
{
	const uint32_t *ref = s->data_ref;
	const uint32_t same[] = { ref[0], ref[0], ref[0] };
	const uint32_t shared[] = { ref[1], ref[0], ref[2] };

	put_write(s, 0, same);
	put_write(s, 1, shared);
	put_write(s, 2, same);
	tap_check(failed_of(s, 3) == 0, "one grant in several requests at once");
}

/* What was mapped for a request that fails is as good as any. */
static void fail_some(struct stage *s)
{
	const uint32_t *ref = s->data_ref;
	const uint32_t good[] = { ref[3], ref[4], ref[5] };
	const uint32_t bogus[] = { ref[3], BOGUS_REF, ref[4] };
	const uint32_t readonly[] = { ref[4], ref[5], s->readonly_ref };
	unsigned int round;

	for (round = 0; round < 3; round++) {
		put_write(s, 0, bogus);
		put_write(s, 1, good);
		put_write(s, 2, bogus);
		put_write(s, 3, readonly);
		put_write(s, 4, good);
		tap_check(failed_of(s, 5) == 0x0d,
			  "grants that can't be mapped fail their requests only");
	}
}

/*
 * Other grants with each request, and far more than may stay: the oldest give
 * way, and what is used again finds its place.
 */
static void change_grants(struct stage *s)
{
	unsigned int i, nr_bad = 0;
	long hits;

	write_parameter(MAX_GRANTS, FEW_GRANTS);
	tap_check(mock_restart(&s->m) && connect_as(&s->m, "1"),
		  "few grants may stay: connects");
	for (i = 0; i < SETS; i++) {
		mark_set(s, i, i);
		nr_bad += move_set(s, OP_WRITE, i, i) != 0;
		nr_bad += move_set(s, OP_READ, (i + 1) % SETS, i) != 0;
		nr_bad += !is_marked(s, (i + 1) % SETS, i);
		nr_bad += mock_ring_number(&s->m, 0, "persistent") > FEW_GRANTS;
		usleep(i % 4 ? 0 : RECENT_US);
	}
	tap_check(!nr_bad, "few grants may stay: all data is right");
	usleep(RECENT_US);
	/* The first takes the place of others, the second stays there. */
	nr_bad += move_set(s, OP_READ, 5, 1) != 0;
	nr_bad += move_set(s, OP_READ, 5, 1) != 0;
	hits = mock_ring_number(&s->m, 0, "persistent_hits");
	nr_bad += move_set(s, OP_READ, 5, 1) != 0 || !is_marked(s, 5, 1);
	hits = mock_ring_number(&s->m, 0, "persistent_hits") - hits;
	tap_check(!nr_bad && hits >= FEW_GRANTS / 2,
		  "few grants may stay: %ld of the latest were mapped", hits);
	link_down(&s->m);
	write_parameter(MAX_GRANTS, MANY_GRANTS);
}

/* Pages that Linux keeps for as long as the backend has them mapped. */
static void end_access(struct stage *s)
{
	const unsigned int nr = 3;
	unsigned int i, failed = 0;
	uint32_t ref[3];

	tap_check(mock_restart(&s->m) && connect_as(&s->m, "1"),
		  "access ended too early: connects");
	for (i = 0; i < 3; i++) {
		uint8_t *data = xengntshr_share_pages(s->m.shr, 0, nr, ref, 1);

		if (!data)
			err(2, "can't share pages");
		memset(data, i, nr * PAGE_BYTES);
		put_write(s, 0, ref);
		failed |= failed_of(s, 1);
		xengntshr_unshare(s->m.shr, data, nr);
	}
	tap_check(!failed && mock_ring_number(&s->m, 0, "persistent") == 3 * nr,
		  "access ended too early: served, %ld stay mapped",
		  mock_ring_number(&s->m, 0, "persistent"));
	tap_check(!move_set(s, OP_WRITE, 0, 0),
		  "access ended too early: others are served");
	link_down(&s->m);
}

static void go_without(struct stage *s, const char *value)
{
	const char *name = value ? value : "nothing";

	tap_check(mock_restart(&s->m), "can start again");
	tap_check(connect_as(&s->m, value), "frontend wrote %s: connects", name);
	tap_check(!move_set(s, OP_WRITE, 0, 0), "frontend wrote %s: works",
		  name);
	tap_check(mock_ring_number(&s->m, 0, "persistent") == 0,
		  "frontend wrote %s: no grant stays mapped", name);
	link_down(&s->m);
}

void cases_persistent(const char *disk)
{
	static struct stage s;

	write_parameter(GNTALLOC_LIMIT, 2 * PAGES);
	mock_open(&s.m, VDEV, disk, "w");
	tap_check(connect_as(&s.m, "1"), "connects");
	share_data(&s);
	use_twice(&s);
	fail_some(&s);
	use_lists(&s);
	use_all_pages(&s);
	use_twice(&s);
	tap_check(mock_ring_number(&s.m, 0, "persistent_hits") > 0, "grants are reused");
	link_down(&s.m);
	end_access(&s);
	change_grants(&s);
	go_without(&s, "0");
	go_without(&s, NULL);
	unshare_data(&s);
	mock_close(&s.m);
}
