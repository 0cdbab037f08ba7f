// SPDX-License-Identifier: GPL-2.0-only
/*
 * common/ring.h: no doorbell is lost, in either direction, whatever the two
 * ends do in between each other's steps.
 *
 * Each scenario is run in every order (explorer.h). The last ones leave out
 * what the protocol needs, and must lose a doorbell: they prove that the
 * explorer would have seen one.
 */
#define SHIM_TRACED
#include <linux/kernel.h>

#include "explorer.h"
#include "tap.h"

#define BASE		0xfffffffeU
#define MAX_BATCHES	4

static u64 page[XENBLK_PAGE_SIZE / sizeof(u64)];
static struct xenblk_sring *const sring = (struct xenblk_sring *)page;
static struct xenblk_front_producer producer;
static struct xenblk_front_consumer consumer;
static struct xenblk_back_ring back;

struct scenario {
	const char *name;
	bool responses;
	u32 batches[MAX_BATCHES];
	bool no_second_look;
	bool deaf_barriers;
	bool must_lose;
};

static const struct scenario *scenario;
static u32 total, taken, rings, awaits, wrong;

static void put(u64 id)
{
	struct xenblk_request req = { .id = id };
	struct xenblk_response rsp = { .id = id };

	if (scenario->responses)
		xenblk_ring_put_response(&back, &rsp);
	else
		xenblk_ring_put_request(&producer, &req);
}

static bool push(void)
{
	return scenario->responses ?
	       xenblk_ring_push_responses(&back) :
	       xenblk_ring_push_requests(&producer);
}

static bool pending(u32 *nr)
{
	return scenario->responses ?
	       xenblk_ring_pending_responses(&consumer, nr) :
	       xenblk_ring_pending_requests(&back, nr);
}

static u64 take(void)
{
	struct xenblk_request req;
	struct xenblk_response rsp;

	if (scenario->responses) {
		xenblk_ring_get_response(&consumer, &rsp);
		return rsp.id;
	}
	xenblk_ring_get_request(&back, &req);
	return req.id;
}

static void await_more(void)
{
	awaits++;
	if (scenario->responses)
		xenblk_ring_await_responses(&consumer);
	else
		xenblk_ring_await_requests(&back);
}

static void produce(void)
{
	unsigned int batch;
	u64 id = 0;
	u32 i;

	for (batch = 0; batch < MAX_BATCHES; batch++) {
		for (i = 0; i < scenario->batches[batch]; i++)
			put(id++);
		if (i && push()) {
			rings++;
			explorer_ring_doorbell();
		}
	}
}

static void take_all(void)
{
	u32 nr;

	while (taken < total) {
		if (!pending(&nr))
			wrong++;
		if (!nr)
			return;
		while (nr--)
			if (take() != taken++)
				wrong++;
	}
}

static void consume(void)
{
	u32 nr;

	for (;;) {
		take_all();
		if (taken >= total)
			return;
		await_more();
		if (!scenario->no_second_look && pending(&nr) && nr)
			continue;
		explorer_sleep();
	}
}

static void reset(void)
{
	unsigned int i;

	taken = 0;
	rings = 0;
	awaits = 0;
	total = 0;
	for (i = 0; i < MAX_BATCHES; i++)
		total += scenario->batches[i];
	memset(page, 0, sizeof(page));
	sring->req_prod = BASE;
	sring->rsp_prod = BASE;
	sring->req_event = BASE + 1;
	sring->rsp_event = BASE + 1;
	xenblk_ring_init(&back.ring, sring, XENBLK_LAYOUT_64, 1);
	producer = (struct xenblk_front_producer){
		.ring = back.ring, .req_prod = BASE, .pushed = BASE,
	};
	consumer = (struct xenblk_front_consumer){
		.ring = back.ring, .rsp_cons = BASE,
	};
	back.rsp_prod = BASE;
	back.pushed = BASE;
	/* Responses answer requests that were taken before. */
	back.req_cons = scenario->responses ? BASE + total : BASE;
}

/* Which schedules end with entries in the ring and a consumer that sleeps? */
static void explore(const struct scenario *which)
{
	static void (*const bodies[])(void) = { produce, consume };
	unsigned int lost = 0, needless = 0;

	scenario = which;
	explorer.deaf_barriers = which->deaf_barriers;
	wrong = 0;
	explorer_begin(&sring->req_prod, 4);
	for (reset(); explorer_next(bodies); reset()) {
		lost += !explorer.cut_short && taken < total;
		/* The ring begins with one wait already told. */
		needless += rings > awaits + 1;
	}
	tap_ok(!wrong && !needless && (lost > 0) == which->must_lose,
	       "%s of %s (%u states, %u lost)", which->name,
	       which->responses ? "responses" : "requests",
	       explorer.nr_states, lost);
}

static void explore_both_ways(struct scenario which)
{
	which.responses = false;
	explore(&which);
	which.responses = true;
	explore(&which);
}

int main(void)
{
	static const struct scenario scenarios[] = {
		{ .name = "one", .batches = { 1 } },
		{ .name = "two at once", .batches = { 2 } },
		{ .name = "two", .batches = { 1, 1 } },
		{ .name = "three in two batches", .batches = { 2, 1 } },
		{ .name = "three", .batches = { 1, 1, 1 } },
		{ .name = "four", .batches = { 1, 1, 1, 1 } },
		{ .name = "no second look", .batches = { 1, 1 },
		  .no_second_look = true, .must_lose = true },
		{ .name = "no full barriers", .batches = { 1, 1 },
		  .deaf_barriers = true, .must_lose = true },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(scenarios); i++)
		explore_both_ways(scenarios[i]);
	return tap_done();
}
