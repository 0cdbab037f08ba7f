// SPDX-License-Identifier: GPL-2.0-only
/*
 * blkback/barrier.c: rings whose threads run, sleep and end in random order,
 * on a disk that finishes in random order. A barrier is written when all that
 * was published before it came is done, and nothing hangs.
 */
#include <stdlib.h>
#include <string.h>

#include "barrier.h"
#include "spec.h"
#include "tap.h"

#define NR_RINGS	4
#define REQUESTS	300
#define DEPTH		8
#define SEEDS		40
#define PATIENCE	1000000	/* steps until a request counts as lost */

/* When a request was published, when it parked, and is it done? 0 for no. */
struct fate {
	u32 published, parked;
	bool done;
};

static struct blkback_device device;
static struct blkback_ring rings[NR_RINGS], *ring_list[NR_RINGS];
static struct task_struct tasks[NR_RINGS];
static struct blkback_request requests[NR_RINGS][REQUESTS];
static struct fate fates[NR_RINGS][REQUESTS];
static struct blkback_request *disk[NR_RINGS * REQUESTS];
static unsigned int nr_disk, nr_early, nr_written, nr_miscounted;
static struct blkback_ring *to_stop;
static u32 now;
static u64 seed;

static unsigned int one_of(unsigned int nr)
{
	return spec_random(&seed) % nr;
}

static struct fate *fate_of(const struct blkback_request *request)
{
	return &fates[request->ring->id][request->index];
}

static void start(unsigned int one_barrier_in)
{
	unsigned int i, k;

	memset(&device, 0, sizeof(device));
	memset(rings, 0, sizeof(rings));
	memset(fates, 0, sizeof(fates));
	memset(requests, 0, sizeof(requests));
	INIT_LIST_HEAD(&device.barriers.queue);
	device.rings = ring_list;
	device.nr_rings = NR_RINGS;
	nr_disk = 0;
	to_stop = NULL;
	now = 1;
	for (i = 0; i < NR_RINGS; i++) {
		ring_list[i] = &rings[i];
		rings[i].id = i;
		rings[i].device = &device;
		rings[i].thread = &tasks[i];
		for (k = 0; k < REQUESTS; k++) {
			requests[i][k].ring = &rings[i];
			requests[i][k].index = k;
			requests[i][k].barrier = !one_of(one_barrier_in);
		}
	}
}

static void finish(struct blkback_request *request)
{
	if (llist_add(&request->done_node, &request->ring->done))
		wake_up_process(request->ring->thread);
}

/* A ring that waits for its own barrier has only taken what is before it. */
static bool all_earlier_done(const struct blkback_request *barrier)
{
	u32 parked = fate_of(barrier)->parked;
	unsigned int i, k;

	for (i = 0; i < NR_RINGS; i++)
		for (k = 0; k < REQUESTS; k++) {
			const struct fate *fate = &fates[i][k];

			if (!fate->published || fate->published > parked ||
			    &requests[i][k] == barrier)
				break;
			if (fate->done)
				continue;
			if (requests[i][k].barrier)
				break;
			return false;
		}
	return true;
}

static void admit(struct blkback_ring *ring, struct blkback_request *request)
{
	request->taken_in = ring->taken_in;
	ring->in_flight++;
	if (!request->barrier) {
		disk[nr_disk++] = request;
		return;
	}
	ring->barrier = request;
	/* As one whose pages can't be mapped: it never parks. */
	if (!one_of(10)) {
		request->status = XENBLK_RSP_ERROR;
		finish(request);
		return;
	}
	fate_of(request)->parked = now++;
	blkback_barrier_park(request);
}

/* What finds no room waits for it, off the ring. */
static bool take(struct blkback_ring *ring)
{
	struct blkback_request *request = ring->waiting;

	if (!request)
		request = &requests[ring->id][ring->back.req_cons++];
	ring->waiting = ring->in_flight < DEPTH ? NULL : request;
	if (!ring->waiting)
		admit(ring, request);
	return !ring->waiting;
}

static bool may_take(const struct blkback_ring *ring)
{
	u32 nr;

	if (ring->barrier)
		return false;
	if (ring->waiting)
		return ring->in_flight < DEPTH;
	xenblk_ring_pending_requests(&ring->back, &nr);
	return nr && !blkback_is_handing_over(ring);
}

static bool take_some(struct blkback_ring *ring)
{
	unsigned int budget = 1 + one_of(5);
	bool took = false;

	while (budget-- && may_take(ring))
		took |= take(ring);
	return took;
}

static bool goes_on(struct blkback_request *request)
{
	if (request->ring->stopping || request->status || !request->barrier ||
	    request->written)
		return false;
	nr_early += !all_earlier_done(request);
	nr_written++;
	request->written = true;
	disk[nr_disk++] = request;
	return true;
}

static void finish_request(struct blkback_ring *ring,
			   struct blkback_request *request)
{
	ring->in_flight--;
	ring->earlier -= request->taken_in != ring->taken_in;
	nr_miscounted += ring->earlier > ring->in_flight;
	fate_of(request)->done = true;
	if (request == ring->barrier)
		blkback_barrier_end(request);
}

static bool reap(struct blkback_ring *ring)
{
	struct llist_node *node = ring->done.first;
	bool reaped = node;

	ring->done.first = NULL;
	while (node) {
		struct blkback_request *request =
			list_entry(node, struct blkback_request, done_node);

		node = node->next;
		if (!goes_on(request))
			finish_request(ring, request);
	}
	return reaped;
}

static bool nothing_to_do(const struct blkback_ring *ring)
{
	if (ring->done.first || blkback_barrier_called(ring))
		return false;
	if (ring->stopping)
		return ring->in_flight && !blkback_has_parked(ring);
	return !may_take(ring);
}

/* The one that is to be stopped may be anywhere. */
static void maybe_stop(struct blkback_ring *ring)
{
	if (ring == to_stop && !ring->stopping && one_of(3)) {
		ring->stopping = true;
		wake_up_process(ring->thread);
	}
}

/* As the thread of a ring does it; see blkback/ring.c. */
static void run_pass(struct blkback_ring *ring)
{
	bool busy = !ring->stopping && take_some(ring);

	maybe_stop(ring);
	if (ring->stopping)
		blkback_barrier_give_up(ring);
	maybe_stop(ring);
	busy |= reap(ring);
	blkback_barrier_follow(ring);
	ring->ended = ring->stopping && !ring->in_flight;
	if (!busy && nothing_to_do(ring))
		ring->thread->awake = false;
}

static void publish(struct blkback_ring *ring)
{
	unsigned int nr = 1 + one_of(4);

	for (; nr && ring->back.req_prod < REQUESTS; nr--)
		fates[ring->id][ring->back.req_prod++].published = now++;
	wake_up_process(ring->thread);
}

static void finish_one(void)
{
	unsigned int i;

	if (!nr_disk)
		return;
	i = one_of(nr_disk);
	finish(disk[i]);
	disk[i] = disk[--nr_disk];
}

static void step(void)
{
	struct blkback_ring *ring = &rings[one_of(NR_RINGS)];

	switch (one_of(4)) {
	case 0:
		if (!ring->stopping && ring->back.req_prod < REQUESTS)
			publish(ring);
		break;
	case 1:
		finish_one();
		break;
	default:
		if (ring->thread->awake && !ring->ended)
			run_pass(ring);
	}
}

static bool all_done(void)
{
	unsigned int i;

	for (i = 0; i < NR_RINGS; i++)
		if (!fates[i][REQUESTS - 1].done || rings[i].in_flight)
			return false;
	return true;
}

static void check_runs(unsigned int one_barrier_in, const char *name)
{
	unsigned int i, steps;

	nr_early = 0;
	nr_written = 0;
	nr_miscounted = 0;
	for (i = 0; i < SEEDS; i++) {
		seed = i + 1;
		start(one_barrier_in);
		for (steps = 0; !all_done() && steps < PATIENCE; steps++)
			step();
		tap_expect(all_done(), true, "seed %u: all is done", i + 1);
	}
	tap_expect(nr_early, 0, "barriers before something earlier");
	tap_expect(nr_miscounted, 0, "requests counted twice or never");
	tap_expect(nr_written > SEEDS, true, "barriers that were written");
	tap_verdict(name);
}

/* One after the other, as blkback_rings_stop() does it, in any state. */
static void check_stops(void)
{
	unsigned int i, k, steps;

	for (i = 0; i < SEEDS * 10; i++) {
		seed = i + 1000;
		start(3);
		for (steps = one_of(2000); steps; steps--)
			step();
		for (k = 0; k < NR_RINGS; k++) {
			to_stop = &rings[k];
			for (steps = 0; !rings[k].ended && steps < PATIENCE;
			     steps++) {
				if (!tasks[k].awake)
					maybe_stop(to_stop);
				step();
			}
			tap_expect(rings[k].ended, true,
				   "seed %u: ring %u ends", i + 1000, k);
		}
		tap_expect(device.barriers.queue.next == &device.barriers.queue,
			   true, "seed %u: no barrier is queued", i + 1000);
	}
	tap_verdict("rings end whatever their barriers wait for");
}

static bool any_unfinished(void)
{
	unsigned int i;

	for (i = 0; i < NR_RINGS; i++)
		if (rings[i].in_flight || rings[i].waiting)
			return true;
	return false;
}

/* As blkback_rings_finish() waits for it, in any state. */
static void check_hands_over(void)
{
	unsigned int i, k, steps;

	for (i = 0; i < SEEDS * 10; i++) {
		seed = i + 5000;
		start(3);
		for (steps = one_of(2000); steps; steps--)
			step();
		device.handing_over = true;
		blkback_rings_wake(ring_list, NR_RINGS);
		for (steps = 0; any_unfinished() && steps < PATIENCE; steps++)
			step();
		for (k = 0; k < NR_RINGS; k++)
			tap_expect(rings[k].in_flight || rings[k].waiting,
				   false, "seed %u: ring %u finishes",
				   i + 5000, k);
	}
	tap_verdict("rings that hand over finish what they took");
}

int main(void)
{
	check_runs(20, "few barriers: after all that is earlier, none hangs");
	check_runs(3, "many barriers: the same");
	check_stops();
	check_hands_over();
	return tap_done();
}
