// SPDX-License-Identifier: GPL-2.0-only
/*
 * common/ring.h: its arithmetic, with indexes before, at and after the wrap at
 * 2^32, and with every claim that a lying peer can make.
 */
#include <stdlib.h>

#include <linux/kernel.h>

#include "ring.h"
#include "spec.h"
#include "tap.h"

#define PAGES		(XENBLK_MAX_RING_PAGES)

static const u32 bases[] = {
	0, 1, 31, 32, 33, 0x7ffffff0, 0x80000000, 0xffffffe0, 0xfffffff0,
	0xffffffff,
};

static struct xenblk_sring *alloc_sring(unsigned int nr_pages)
{
	void *pages = NULL;

	if (posix_memalign(&pages, XENBLK_PAGE_SIZE,
			   nr_pages * XENBLK_PAGE_SIZE))
		abort();
	memset(pages, 0, nr_pages * XENBLK_PAGE_SIZE);
	return pages;
}

static void check_sizes(const struct spec_layout *spec)
{
	struct xenblk_ring ring;
	unsigned int order;

	for (order = 0; order <= XENBLK_MAX_RING_ORDER; order++) {
		xenblk_ring_init(&ring, NULL, spec->layout, 1U << order);
		tap_expect(ring.nr_ents, spec->ring_entries[order],
			   "entries of order %u", order);
		tap_expect(ring.entry_size, spec->entry_size, "entry size");
		tap_expect(ring.layout, spec->layout, "layout");
	}
	tap_verdict("entries of each ring order");
}

static void check_slots(const struct spec_layout *spec)
{
	struct xenblk_sring *sring = alloc_sring(PAGES);
	struct xenblk_ring ring;
	size_t i;
	u32 step;

	xenblk_ring_init(&ring, sring, spec->layout, PAGES);
	for (i = 0; i < ARRAY_SIZE(bases); i++)
		for (step = 0; step < 2 * ring.nr_ents; step++) {
			u32 index = bases[i] + step;
			size_t at = 64 + index % 512 * spec->entry_size;

			tap_expect((u8 *)xenblk_ring_slot(&ring, index) -
				   (u8 *)sring, at, "slot of %#x", index);
			tap_expect(at + spec->entry_size <= PAGES * 4096, true,
				   "slot of %#x lies in the ring", index);
		}
	free(sring);
	tap_verdict("place of each slot, over the wrap");
}

static void check_format(void)
{
	struct xenblk_sring *sring = alloc_sring(1);

	memset(sring, 0xaa, SPEC64_SRING_ENTRIES);
	xenblk_ring_format(sring);
	tap_expect(spec_peek(sring, SPEC64_SRING_REQ_PROD, 4), 0, "req_prod");
	tap_expect(spec_peek(sring, SPEC64_SRING_REQ_EVENT, 4), 1, "req_event");
	tap_expect(spec_peek(sring, SPEC64_SRING_RSP_PROD, 4), 0, "rsp_prod");
	tap_expect(spec_peek(sring, SPEC64_SRING_RSP_EVENT, 4), 1, "rsp_event");
	free(sring);
	tap_verdict("an empty ring asks for the first event");
}

static void check_event_crossed(void)
{
	int event, moved;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(bases); i++)
		for (event = -600; event <= 600; event++)
			for (moved = 0; moved <= 512; moved++)
				tap_expect(xenblk_ring_event_crossed(bases[i] +
								     event,
								     bases[i],
								     bases[i] +
								     moved),
					   event > 0 && event <= moved,
					   "event %d of %d from %#x", event,
					   moved, bases[i]);
	tap_verdict("an event counts when it lies in what was published");
}

static void expect_requests(const struct xenblk_back_ring *back, int claimed)
{
	u32 unanswered = back->req_cons - back->rsp_prod;
	int room = back->ring.nr_ents - unanswered;
	u32 nr = 77;
	bool sound;

	back->ring.sring->req_prod = back->req_cons + claimed;
	sound = xenblk_ring_pending_requests(back, &nr);
	tap_expect(sound, claimed >= 0 && claimed <= room,
		   "%d claimed, %u unanswered, at %#x", claimed, unanswered,
		   back->req_cons);
	if (sound)
		tap_expect(nr, claimed, "number pending");
}

static void check_pending_requests(const struct spec_layout *spec)
{
	static const int wild[] = {
		-0x7fffffff - 1, -0x7fffffff, -65536, -4096, 4096, 65536,
		0x7ffffffe, 0x7fffffff,
	};
	struct xenblk_sring *sring = alloc_sring(1);
	struct xenblk_back_ring back = { };
	u32 unanswered;
	int claimed;
	size_t i, j;

	xenblk_ring_init(&back.ring, sring, spec->layout, 1);
	for (i = 0; i < ARRAY_SIZE(bases); i++)
		for (unanswered = 0; unanswered <= 32; unanswered++) {
			back.rsp_prod = bases[i];
			back.req_cons = bases[i] + unanswered;
			for (claimed = -100; claimed <= 100; claimed++)
				expect_requests(&back, claimed);
			for (j = 0; j < ARRAY_SIZE(wild); j++)
				expect_requests(&back, wild[j]);
		}
	free(sring);
	tap_verdict("a request index that runs ahead or goes back is refused");
}

static void check_pending_responses(const struct spec_layout *spec)
{
	struct xenblk_sring *sring = alloc_sring(1);
	struct xenblk_front_consumer front = { };
	int claimed;
	size_t i;

	xenblk_ring_init(&front.ring, sring, spec->layout, 1);
	for (i = 0; i < ARRAY_SIZE(bases); i++)
		for (claimed = -100; claimed <= 100; claimed++) {
			u32 nr = 77;
			bool sound;

			front.rsp_cons = bases[i];
			sring->rsp_prod = bases[i] + claimed;
			sound = xenblk_ring_pending_responses(&front, &nr);
			tap_expect(sound, claimed >= 0 && claimed <= 32,
				   "%d responses claimed at %#x", claimed,
				   bases[i]);
			if (sound)
				tap_expect(nr, claimed, "number pending");
		}
	free(sring);
	tap_verdict("a response index that runs ahead or goes back is refused");
}

/* Both ends of one ring, their indexes at @base. */
struct pair {
	struct xenblk_front_producer producer;
	struct xenblk_front_consumer consumer;
	struct xenblk_back_ring back;
	struct xenblk_sring *sring;
};

static void open_pair(struct pair *pair, const struct spec_layout *spec,
		      u32 base)
{
	struct xenblk_sring *sring = alloc_sring(1);

	memset(pair, 0, sizeof(*pair));
	xenblk_ring_format(sring);
	sring->req_prod = base;
	sring->req_event = base + 1;
	sring->rsp_prod = base;
	sring->rsp_event = base + 1;
	xenblk_ring_init(&pair->producer.ring, sring, spec->layout, 1);
	pair->consumer.ring = pair->producer.ring;
	pair->back.ring = pair->producer.ring;
	pair->producer.req_prod = base;
	pair->producer.pushed = base;
	pair->consumer.rsp_cons = base;
	pair->back.req_cons = base;
	pair->back.rsp_prod = base;
	pair->back.pushed = base;
	pair->sring = sring;
}

static void put_request(struct pair *pair, u64 id)
{
	struct xenblk_request req = {
		.id = id,
		.sector = ~id,
		.operation = XENBLK_OP_WRITE,
		.nr_segments = 11,
	};
	unsigned int i;

	for (i = 0; i < 11; i++)
		req.seg[i].gref = id * 11 + i;
	xenblk_ring_put_request(&pair->producer, &req);
}

static void take_request(struct pair *pair, u64 id)
{
	struct xenblk_request req;
	unsigned int i;

	xenblk_ring_get_request(&pair->back, &req);
	tap_expect(req.id, id, "id");
	tap_expect(req.sector, ~id, "sector");
	tap_expect(req.operation, XENBLK_OP_WRITE, "operation");
	for (i = 0; i < 11; i++)
		tap_expect(req.seg[i].gref, (u32)(id * 11 + i), "gref %u", i);
}

static void answer(struct pair *pair, u64 id)
{
	struct xenblk_response rsp = {
		.id = id,
		.operation = XENBLK_OP_WRITE,
		.status = id % 3 - 2,
	};

	xenblk_ring_put_response(&pair->back, &rsp);
}

static void take_response(struct pair *pair, u64 id)
{
	struct xenblk_response rsp;

	xenblk_ring_get_response(&pair->consumer, &rsp);
	tap_expect(rsp.id, id, "id of the response");
	tap_expect(rsp.operation, XENBLK_OP_WRITE, "its operation");
	tap_expect((u16)rsp.status, (u16)(s16)(id % 3 - 2), "its status");
}

/* @nr requests go there and their responses come back, in one batch each. */
static void run_batch(struct pair *pair, u64 first, u32 nr)
{
	u32 pending = 77;
	u64 id;

	for (id = first; id < first + nr; id++)
		put_request(pair, id);
	tap_expect(xenblk_ring_pending_requests(&pair->back, &pending), true,
		   "sound while unpublished");
	tap_expect(pending, 0, "nothing is seen before the push");
	xenblk_ring_push_requests(&pair->producer);
	xenblk_ring_pending_requests(&pair->back, &pending);
	tap_expect(pending, nr, "requests pending");
	for (id = first; id < first + nr; id++)
		take_request(pair, id);

	for (id = first; id < first + nr; id++)
		answer(pair, id);
	xenblk_ring_pending_responses(&pair->consumer, &pending);
	tap_expect(pending, 0, "no response is seen before the push");
	xenblk_ring_push_responses(&pair->back);
	xenblk_ring_pending_responses(&pair->consumer, &pending);
	tap_expect(pending, nr, "responses pending");
	for (id = first; id < first + nr; id++)
		take_response(pair, id);
}

static void check_traffic(const struct spec_layout *spec)
{
	struct pair pair;
	size_t i;
	u64 id;
	u32 nr;

	for (i = 0; i < ARRAY_SIZE(bases); i++) {
		open_pair(&pair, spec, bases[i]);
		for (id = 0, nr = 1; nr <= pair.back.ring.nr_ents; nr++) {
			run_batch(&pair, id, nr);
			id += nr;
		}
		free(pair.sring);
	}
	tap_verdict("batches of 1 to a full ring, over the wrap");
}

static void check_full_ring(const struct spec_layout *spec)
{
	struct pair pair;
	u32 nr, i;

	open_pair(&pair, spec, 0xfffffff0);
	for (i = 0; i < 32; i++)
		put_request(&pair, i);
	xenblk_ring_push_requests(&pair.producer);
	tap_expect(xenblk_ring_pending_requests(&pair.back, &nr), true,
		   "a full ring is sound");
	tap_expect(nr, 32, "a full ring");
	for (i = 0; i < 32; i++)
		take_request(&pair, i);
	pair.sring->req_prod++;
	tap_expect(xenblk_ring_pending_requests(&pair.back, &nr), false,
		   "one more than fits, though all were taken");
	answer(&pair, 0);
	tap_expect(xenblk_ring_pending_requests(&pair.back, &nr), true,
		   "an answer frees a slot");
	tap_expect(nr, 1, "one slot");
	free(pair.sring);
	tap_verdict("a full ring takes no more until an answer");
}

static void publish_requests(struct pair *pair, u32 nr, bool notify)
{
	u32 i;

	for (i = 0; i < nr; i++) {
		put_request(pair, i);
		pair->back.req_cons++;
	}
	tap_expect(xenblk_ring_push_requests(&pair->producer), notify,
		   "event for %u requests", nr);
}

static void publish_responses(struct pair *pair, u32 nr, bool notify)
{
	u32 i;

	for (i = 0; i < nr; i++) {
		answer(pair, i);
		pair->consumer.rsp_cons++;
	}
	tap_expect(xenblk_ring_push_responses(&pair->back), notify,
		   "event for %u responses", nr);
}

static void check_notify(const struct spec_layout *spec)
{
	struct pair pair;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(bases); i++) {
		open_pair(&pair, spec, bases[i]);
		publish_requests(&pair, 1, true);
		publish_requests(&pair, 1, false);
		publish_requests(&pair, 0, false);
		xenblk_ring_await_requests(&pair.back);
		publish_requests(&pair, 0, false);
		publish_requests(&pair, 5, true);
		publish_requests(&pair, 5, false);
		xenblk_ring_await_requests(&pair.back);
		publish_requests(&pair, 1, true);

		publish_responses(&pair, 1, true);
		publish_responses(&pair, 2, false);
		xenblk_ring_await_responses(&pair.consumer);
		publish_responses(&pair, 0, false);
		publish_responses(&pair, 3, true);
		publish_responses(&pair, 3, false);
		free(pair.sring);
	}
	tap_verdict("one event for each wait, none without");
}

/* Be it said before the first response, with some untaken, or once in between. */
static void check_forgone(const struct spec_layout *spec)
{
	struct pair pair;
	size_t i;
	u32 nr;

	for (i = 0; i < ARRAY_SIZE(bases); i++) {
		open_pair(&pair, spec, bases[i]);
		xenblk_ring_forgo_events(&pair.consumer);
		for (nr = 0; nr < 100; nr++)
			publish_responses(&pair, nr, false);
		pair.consumer.rsp_cons -= 5;
		xenblk_ring_forgo_events(&pair.consumer);
		publish_responses(&pair, 1, false);
		publish_responses(&pair, 30, false);
		pair.consumer.rsp_cons += 5;
		xenblk_ring_await_responses(&pair.consumer);
		publish_responses(&pair, 1, true);
		free(pair.sring);
	}
	tap_verdict("no event where none is asked for");
}

/* The backend may write over every index: no event is lost or added by it. */
static void check_scribbled_index(const struct spec_layout *spec)
{
	struct pair pair;
	u32 lie;

	for (lie = 90; lie <= 110; lie++) {
		open_pair(&pair, spec, 100);
		pair.sring->req_prod = lie;
		publish_requests(&pair, 1, true);
		tap_expect(pair.sring->req_prod, 101, "index repaired");
		pair.sring->req_prod = lie;
		publish_requests(&pair, 1, false);
		free(pair.sring);
	}
	tap_verdict("the frontend never believes its own index in the ring");
}

static void check_layout(const struct spec_layout *spec)
{
	printf("# layout %s\n", spec->name);
	check_sizes(spec);
	check_slots(spec);
	check_pending_requests(spec);
	check_pending_responses(spec);
	check_traffic(spec);
	check_full_ring(spec);
	check_notify(spec);
	check_forgone(spec);
	check_scribbled_index(spec);
}

int main(void)
{
	size_t i;

	check_format();
	check_event_crossed();
	for (i = 0; i < SPEC_NR_LAYOUTS; i++)
		check_layout(&spec_layouts[i]);
	return tap_done();
}
