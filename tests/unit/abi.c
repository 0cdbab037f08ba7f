// SPDX-License-Identifier: GPL-2.0-only
/*
 * common/abi.c: every operation, in both layouts, read and written, against
 * slots that are made and judged byte by byte from the specification.
 */
#include <stdlib.h>

#include "abi.h"
#include "spec.h"
#include "tap.h"

#define POISON		0xaa
#define SLOT_BYTES	128
#define ROUNDS		200

static u64 seed = 1;

static unsigned int smaller(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

static void expect_segments(const struct spec_layout *spec, const void *slot,
			    const struct xenblk_request *req)
{
	unsigned int nr = smaller(req->nr_segments, XENBLK_MAX_DIRECT_SEGMENTS);
	unsigned int i;

	for (i = 0; i < nr; i++) {
		size_t at = spec->seg + i * SPEC64_SEG_SIZE;

		tap_expect(req->seg[i].gref,
			   spec_peek(slot, at + SPEC64_SEG_GREF, 4),
			   "gref of segment %u", i);
		tap_expect(req->seg[i].first_sect,
			   spec_peek(slot, at + SPEC64_SEG_FIRST, 1),
			   "first_sect of segment %u", i);
		tap_expect(req->seg[i].last_sect,
			   spec_peek(slot, at + SPEC64_SEG_LAST, 1),
			   "last_sect of segment %u", i);
	}
}

static void expect_rw(const struct spec_layout *spec, const void *slot,
		      const struct xenblk_request *req)
{
	tap_expect(req->nr_segments,
		   spec_peek(slot, spec->rw_nr_segments, 1), "nr_segments");
	tap_expect(req->handle, spec_peek(slot, spec->rw_handle, 2), "handle");
	expect_segments(spec, slot, req);
}

static void expect_discard(const struct spec_layout *spec, const void *slot,
			   const struct xenblk_request *req)
{
	tap_expect(req->flag, spec_peek(slot, spec->discard_flag, 1), "flag");
	tap_expect(req->handle, spec_peek(slot, spec->discard_handle, 2),
		   "handle");
	tap_expect(req->nr_sectors,
		   spec_peek(slot, spec->discard_nr_sectors, 8), "nr_sectors");
}

static void expect_indirect(const struct spec_layout *spec, const void *slot,
			    const struct xenblk_request *req)
{
	unsigned int i;

	tap_expect(req->inner_op, spec_peek(slot, spec->indirect_op, 1),
		   "inner operation");
	tap_expect(req->nr_segments,
		   spec_peek(slot, spec->indirect_nr_segments, 2),
		   "nr_segments");
	tap_expect(req->handle, spec_peek(slot, spec->indirect_handle, 2),
		   "handle");
	for (i = 0; i < XENBLK_MAX_INDIRECT_PAGES; i++)
		tap_expect(req->gref[i],
			   spec_peek(slot, spec->indirect_gref + 4 * i, 4),
			   "gref %u", i);
}

/* Do a slot and a request say the same? */
static void expect_request(const struct spec_layout *spec, const void *slot,
			   const struct xenblk_request *req)
{
	tap_expect(req->operation, spec_peek(slot, spec->op, 1), "operation");
	tap_expect(req->id, spec_peek(slot, spec->id, 8), "id");
	tap_expect(req->sector, spec_peek(slot, spec->sector, 8), "sector");
	if (req->operation == XENBLK_OP_INDIRECT)
		expect_indirect(spec, slot, req);
	else if (req->operation == XENBLK_OP_DISCARD)
		expect_discard(spec, slot, req);
	else
		expect_rw(spec, slot, req);
}

/* Fields that a form does not have must not keep what was there before. */
static void expect_absent_fields(const struct xenblk_request *req)
{
	if (req->operation != XENBLK_OP_INDIRECT)
		tap_expect(req->inner_op, req->operation, "inner operation");
	if (req->operation != XENBLK_OP_DISCARD) {
		tap_expect(req->flag, 0, "flag of no discard");
		tap_expect(req->nr_sectors, 0, "nr_sectors of no discard");
	} else {
		tap_expect(req->nr_segments, 0, "segments of a discard");
	}
}

static void get_hostile(const struct spec_layout *spec, unsigned int operation)
{
	/* Exactly as large as it must be: ASan watches both ends. */
	union xenblk_entry *entry = malloc(sizeof(*entry));
	struct xenblk_request *req = malloc(sizeof(*req));
	unsigned int round;

	for (round = 0; round < ROUNDS; round++) {
		spec_fill_random(&seed, entry, sizeof(*entry));
		spec_poke(entry, spec->op, 1, operation);
		if (round % 4 == 0)
			spec_poke(entry, spec->rw_nr_segments, 1, 255 - round);
		memset(req, POISON, sizeof(*req));
		xenblk_abi_get_request(spec->layout, entry, req);
		expect_request(spec, entry, req);
		expect_absent_fields(req);
	}
	free(req);
	free(entry);
}

static void check_hostile_requests(const struct spec_layout *spec)
{
	unsigned int operation;

	for (operation = 0; operation < 256; operation++)
		get_hostile(spec, operation);
	tap_verdict("get_request takes any operation and any garbage");
}

static void expect_same(const struct spec_layout *spec,
			const union xenblk_entry *entry,
			const struct xenblk_request *want)
{
	struct xenblk_request *req = malloc(sizeof(*req));

	memset(req, POISON, sizeof(*req));
	xenblk_abi_get_request(spec->layout, entry, req);
	tap_expect(memcmp(req, want, sizeof(*req)), 0,
		   "operation %u without the words after its own",
		   want->operation);
	free(req);
}

/* A form without segments is copied whole. */
static size_t want_bytes(const struct spec_layout *spec,
			 const union xenblk_entry *entry)
{
	u64 op = spec_peek(entry, spec->op, 1);
	u64 nr = spec_peek(entry, spec->rw_nr_segments, 1);

	if (op == XENBLK_OP_DISCARD || op == XENBLK_OP_INDIRECT)
		return spec->entry_size;
	return spec->seg + 8 * (nr < 11 ? nr : 11);
}

/* What the ring copies of an entry is all that its translation reads. */
static void check_words(const struct spec_layout *spec)
{
	union xenblk_entry *entry = calloc(1, sizeof(*entry));
	struct xenblk_request *req = malloc(sizeof(*req));
	unsigned int round, nr_words, i;

	for (round = 0; round < 256 * ROUNDS; round++) {
		spec_fill_random(&seed, entry, sizeof(*entry));
		spec_poke(entry, spec->op, 1, round);
		nr_words = xenblk_abi_request_words(spec->layout, entry);
		tap_expect(nr_words * 4, want_bytes(spec, entry),
			   "bytes of operation %u", round % 256);
		memset(req, POISON, sizeof(*req));
		xenblk_abi_get_request(spec->layout, entry, req);
		for (i = nr_words; i < sizeof(*entry) / 4; i++)
			entry->words[i] = ~entry->words[i];
		expect_same(spec, entry, req);
	}
	free(req);
	free(entry);
	tap_verdict("the words of a request are all that is read of it");
}

static void check_segment_counts(const struct spec_layout *spec)
{
	union xenblk_entry *entry = calloc(1, sizeof(*entry));
	struct xenblk_request *req = malloc(sizeof(*req));
	unsigned int nr;

	for (nr = 0; nr < 256; nr++) {
		spec_poke(entry, spec->rw_nr_segments, 1, nr);
		memset(req, POISON, sizeof(*req));
		xenblk_abi_get_request(spec->layout, entry, req);
		tap_expect(req->nr_segments, nr, "nr_segments as written");
		expect_segments(spec, entry, req);
	}
	free(req);
	free(entry);
	tap_verdict("get_request reports a count above 11 and copies 11");
}

/* Bytes that a form defines: [0, header) less the padding, and its tail. */
static bool is_written(const struct spec_layout *spec, size_t at,
		       const struct xenblk_request *req)
{
	unsigned int nr = smaller(req->nr_segments, XENBLK_MAX_DIRECT_SEGMENTS);

	switch (req->operation) {
	case XENBLK_OP_INDIRECT:
		return at < spec->indirect_gref +
			    4 * XENBLK_MAX_INDIRECT_PAGES;
	case XENBLK_OP_DISCARD:
		return at < spec->discard_nr_sectors + 8;
	default:
		return at < spec->seg + nr * SPEC64_SEG_SIZE;
	}
}

static bool is_padding(const struct spec_layout *spec, size_t at,
		       const struct xenblk_request *req)
{
	if (at >= 4 && at < spec->id)
		return true;
	return req->operation == XENBLK_OP_INDIRECT &&
	       at >= spec->indirect_handle + 2 && at < spec->indirect_gref;
}

static void expect_bytes(const struct spec_layout *spec, const u8 *slot,
			 const struct xenblk_request *req)
{
	size_t at;

	for (at = 0; at < SLOT_BYTES; at++) {
		if (!is_written(spec, at, req))
			tap_expect(slot[at], POISON, "byte %zu kept", at);
		else if (is_padding(spec, at, req))
			tap_expect(slot[at], 0, "padding at %zu", at);
	}
}

static void random_request(struct xenblk_request *req, unsigned int operation)
{
	spec_fill_random(&seed, req, sizeof(*req));
	req->operation = operation;
	if (operation != XENBLK_OP_INDIRECT)
		req->nr_segments %= XENBLK_MAX_DIRECT_SEGMENTS + 1;
}

static void put_and_get(const struct spec_layout *spec, unsigned int operation)
{
	struct xenblk_request req, again;
	u8 slot[SLOT_BYTES];
	union xenblk_entry copy;

	random_request(&req, operation);
	memset(slot, POISON, sizeof(slot));
	xenblk_abi_put_request(spec->layout, &req, slot);
	expect_request(spec, slot, &req);
	expect_bytes(spec, slot, &req);

	memset(&again, POISON, sizeof(again));
	memcpy(&copy, slot, sizeof(copy));
	xenblk_abi_get_request(spec->layout, &copy, &again);
	expect_request(spec, slot, &again);
	expect_absent_fields(&again);
}

static void check_put_requests(const struct spec_layout *spec)
{
	unsigned int operation, round;

	for (operation = 0; operation < 8; operation++)
		for (round = 0; round < ROUNDS; round++)
			put_and_get(spec, operation);
	tap_verdict("put_request writes its fields, no more, padding zeroed");
}

static void check_put_too_many(const struct spec_layout *spec)
{
	struct xenblk_request *req = calloc(1, sizeof(*req));
	u8 slot[SLOT_BYTES];
	size_t at;

	req->operation = XENBLK_OP_WRITE;
	req->nr_segments = 255;
	memset(slot, POISON, sizeof(slot));
	xenblk_abi_put_request(spec->layout, req, slot);
	for (at = spec->entry_size; at < SLOT_BYTES; at++)
		tap_expect(slot[at], POISON, "byte %zu after the slot", at);
	free(req);
	tap_verdict("put_request stays in its slot whatever the count");
}

static void put_status(const struct spec_layout *spec, s16 status)
{
	struct xenblk_response rsp = {
		.id = spec_random(&seed),
		.operation = spec_random(&seed),
		.status = status,
	};
	struct xenblk_response again;
	union xenblk_entry copy;
	u8 slot[SLOT_BYTES];
	size_t at;

	memset(slot, POISON, sizeof(slot));
	xenblk_abi_put_response(spec->layout, &rsp, slot);
	tap_expect(spec_peek(slot, spec->rsp_id, 8), rsp.id, "id");
	tap_expect(spec_peek(slot, spec->rsp_operation, 1), rsp.operation,
		   "operation");
	tap_expect(spec_peek(slot, spec->rsp_status, 2), (u16)status, "status");
	tap_expect(slot[spec->rsp_operation + 1], 0, "padding");
	for (at = spec->rsp_status + 2; at < spec->rsp_size; at++)
		tap_expect(slot[at], 0, "padding at %zu", at);
	for (at = spec->rsp_size; at < SLOT_BYTES; at++)
		tap_expect(slot[at], POISON, "byte %zu kept", at);

	memcpy(&copy, slot, sizeof(copy));
	memset(&again, POISON, sizeof(again));
	xenblk_abi_get_response(spec->layout, &copy, &again);
	tap_expect(again.id, rsp.id, "id read");
	tap_expect(again.operation, rsp.operation, "operation read");
	tap_expect((u16)again.status, (u16)status, "status read");
}

static void check_responses(const struct spec_layout *spec)
{
	int status;

	for (status = -32768; status <= 32767; status++)
		put_status(spec, status);
	tap_verdict("responses of every status, padding zeroed");
}

static void check_layout(const struct spec_layout *spec)
{
	printf("# layout %s\n", spec->name);
	tap_expect(xenblk_abi_entry_size(spec->layout), spec->entry_size,
		   "size of an entry");
	tap_verdict("entry size");
	check_hostile_requests(spec);
	check_segment_counts(spec);
	check_words(spec);
	check_put_requests(spec);
	check_put_too_many(spec);
	check_responses(spec);
}

int main(void)
{
	size_t i;

	for (i = 0; i < SPEC_NR_LAYOUTS; i++)
		check_layout(&spec_layouts[i]);
	return tap_done();
}
