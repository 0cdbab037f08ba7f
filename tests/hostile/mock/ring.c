// SPDX-License-Identifier: GPL-2.0-only
/* The frontend's end of a ring, in either layout. */
#include <err.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "mock.h"

/* Byte offsets of the fields, from io/blkif.h. */
static const struct layout {
	unsigned int entry, response, id, sector, seg, gref, nr_sectors;
} layouts[] = {
	{ .entry = 112, .response = 16, .id = 8, .sector = 16, .seg = 24,
	  .gref = 28, .nr_sectors = 24 },
	{ .entry = 108, .response = 12, .id = 4, .sector = 12, .seg = 20,
	  .gref = 24, .nr_sectors = 20 },
};

static const struct layout *layout_of(const struct ring *ring)
{
	return &layouts[ring->layout32];
}

static uint32_t entries_of(const struct ring *ring)
{
	uint32_t room = ring->nr_pages * PAGE_BYTES - sizeof(struct sring);
	uint32_t nr = 1;

	while (nr * 2 <= room / layout_of(ring)->entry)
		nr *= 2;
	return nr;
}

void ring_create(struct mock *m, struct ring *ring, unsigned int nr_pages,
		 bool layout32)
{
	memset(ring, 0, sizeof(*ring));
	ring->nr_pages = nr_pages;
	ring->layout32 = layout32;
	ring->sring = xengntshr_share_pages(m->shr, 0, nr_pages, ring->ref, 1);
	if (!ring->sring)
		err(2, "can't share %u ring pages", nr_pages);
	memset((void *)ring->sring, 0, nr_pages * PAGE_BYTES);
	ring->sring->req_event = 1;
	ring->sring->rsp_event = 1;
	ring->nr_ents = entries_of(ring);
	ring->port = xenevtchn_bind_unbound_port(m->evt, 0);
	if (ring->port < 0)
		err(2, "no event channel");
}

void ring_destroy(struct mock *m, struct ring *ring)
{
	xenevtchn_unbind(m->evt, ring->port);
	xengntshr_unshare(m->shr, (void *)ring->sring, ring->nr_pages);
	ring->sring = NULL;
}

static uint8_t *slot_of(struct ring *ring, uint32_t index)
{
	return (uint8_t *)ring->sring->entries +
	       (index & (ring->nr_ents - 1)) * layout_of(ring)->entry;
}

static void put_form(uint8_t *slot, const struct layout *l,
		     const struct request *req)
{
	if (req->op == OP_INDIRECT) {
		slot[1] = req->inner_op;
		memcpy(slot + 2, &req->nr_segments, 2);
		memcpy(slot + l->gref, &req->list_gref, 4);
		return;
	}
	if (req->op == OP_DISCARD) {
		slot[1] = req->flag;
		memcpy(slot + l->nr_sectors, &req->nr_sectors, 8);
		return;
	}
	slot[1] = req->nr_segments;
	memcpy(slot + l->seg, req->seg, sizeof(req->seg));
}

void ring_put(struct ring *ring, const struct request *req)
{
	const struct layout *l = layout_of(ring);
	uint8_t *slot = slot_of(ring, ring->req_prod++);

	/* What is not set is garbage: no one may rely on it. */
	memset(slot, 0xa5, l->entry);
	slot[0] = req->op;
	memcpy(slot + l->id, &req->id, 8);
	memcpy(slot + l->sector, &req->sector, 8);
	put_form(slot, l, req);
}

void ring_push(struct mock *m, struct ring *ring)
{
	__sync_synchronize();
	ring->sring->req_prod = ring->req_prod;
	__sync_synchronize();
	xenevtchn_notify(m->evt, ring->port);
}

static void take(struct ring *ring, struct response *rsp)
{
	uint8_t *slot = slot_of(ring, ring->rsp_cons++);

	memcpy(&rsp->id, slot, 8);
	rsp->op = slot[8];
	memcpy(&rsp->status, slot + 10, 2);
}

static bool wait_for_event(struct mock *m)
{
	struct pollfd p = { .fd = xenevtchn_fd(m->evt), .events = POLLIN };

	if (poll(&p, 1, WAIT_SECONDS * 1000) <= 0)
		return false;
	xenevtchn_unmask(m->evt, xenevtchn_pending(m->evt));
	return true;
}

/*
 * Sleeps as a driver would: a response that is there without its event is as
 * good as lost.
 */
bool ring_await(struct mock *m, struct ring *ring, struct response *rsp)
{
	for (;;) {
		ring->sring->rsp_event = ring->rsp_cons + 1;
		__sync_synchronize();
		if (ring->sring->rsp_prod != ring->rsp_cons)
			break;
		if (!wait_for_event(m))
			return false;
	}
	__sync_synchronize();
	take(ring, rsp);
	return true;
}

bool ring_do(struct mock *m, struct ring *ring, const struct request *req,
	     struct response *rsp)
{
	ring_put(ring, req);
	ring_push(m, ring);
	return ring_await(m, ring, rsp);
}
