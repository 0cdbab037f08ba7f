// SPDX-License-Identifier: GPL-2.0-only
/*
 * Barriers: a write that comes after all that any ring took before it, and is
 * durable when it is answered.
 *
 * A barrier is parked, and a round begins: each ring's thread first takes what
 * its frontend has published, and reports when all that it took so far is
 * done. The last report sends the barrier back to its ring, which submits it.
 * One round is on at a time; barriers that come meanwhile queue up. Other
 * requests pay for it with one look at a number that seldom changes; only the
 * ring of the barrier takes nothing more before it is done.
 */
#include <linux/sched.h>

#include "blkback.h"

static void start_round(struct blkback_device *device,
			struct blkback_request *request)
{
	struct blkback_barriers *barriers = &device->barriers;

	lockdep_assert_held(&barriers->lock);
	barriers->active = request;
	barriers->missing = device->nr_rings;
	/*
	 * After what this ring's thread saw published, before the wake-ups: pairs
	 * with blkback_barrier_called() and blkback_barrier_follow().
	 */
	smp_store_release(&barriers->round, barriers->round + 1);
	blkback_rings_wake(device->rings, device->nr_rings);
}

/* Rings are freed together, when no thread runs that could be in here. */
static void unpark(struct blkback_request *request)
{
	lockdep_assert_held(&request->ring->device->barriers.lock);
	WRITE_ONCE(request->parked, false);
	llist_add(&request->done_node, &request->ring->done);
	wake_up_process(request->ring->thread);
}

/**
 * blkback_barrier_park() - have all rings finish what comes before a barrier
 * @request: the barrier, mapped; on no list
 *
 * It comes back as done, for blkback_submit_more() to go on with.
 *
 * Context: the thread of the ring.
 */
void blkback_barrier_park(struct blkback_request *request)
{
	struct blkback_device *device = request->ring->device;
	struct blkback_barriers *barriers = &device->barriers;

	spin_lock(&barriers->lock);
	WRITE_ONCE(request->parked, true);
	if (barriers->active)
		list_add_tail(&request->node, &barriers->queue);
	else
		start_round(device, request);
	spin_unlock(&barriers->lock);
}

/**
 * blkback_barrier_end() - the barrier of a ring is done, or has failed
 * @request: the barrier, parked once or never
 *
 * Context: the thread of the ring.
 */
void blkback_barrier_end(struct blkback_request *request)
{
	struct blkback_device *device = request->ring->device;
	struct blkback_barriers *barriers = &device->barriers;
	struct blkback_request *next;

	request->ring->barrier = NULL;
	spin_lock(&barriers->lock);
	if (barriers->active == request) {
		barriers->active = NULL;
		next = list_first_entry_or_null(&barriers->queue,
						struct blkback_request, node);
		if (next) {
			list_del_init(&next->node);
			start_round(device, next);
		}
	}
	spin_unlock(&barriers->lock);
}

/**
 * blkback_barrier_give_up() - a ring that is being stopped waits for no other
 * @ring: the ring, with or without a barrier
 *
 * The others may have been stopped already, and report nothing any more.
 *
 * Context: the thread of @ring.
 */
void blkback_barrier_give_up(struct blkback_ring *ring)
{
	struct blkback_barriers *barriers = &ring->device->barriers;
	struct blkback_request *request = ring->barrier;

	if (!request)
		return;
	spin_lock(&barriers->lock);
	if (request->parked) {
		if (barriers->active != request)
			list_del_init(&request->node);
		request->status = XENBLK_RSP_ERROR;
		unpark(request);
	}
	spin_unlock(&barriers->lock);
}

static void report(struct blkback_ring *ring)
{
	struct blkback_barriers *barriers = &ring->device->barriers;

	ring->draining = BLKBACK_NOT_DRAINING;
	spin_lock(&barriers->lock);
	/* The barrier may have been given up, and another round be on. */
	if (ring->round == barriers->round && !--barriers->missing &&
	    barriers->active && barriers->active->parked)
		unpark(barriers->active);
	spin_unlock(&barriers->lock);
}

/* What has been published by now came before the barrier. */
static void begin_drain(struct blkback_ring *ring, u32 round)
{
	u32 nr;

	ring->round = round;
	ring->draining = BLKBACK_TAKING;
	ring->take_until = ring->back.req_cons;
	if (!ring->broken && xenblk_ring_pending_requests(&ring->back, &nr))
		ring->take_until += nr;
}

/* A ring that takes nothing, for whatever reason, has taken all there was. */
static bool has_taken_all(const struct blkback_ring *ring)
{
	if (ring->broken || ring->barrier)
		return true;
	if (ring->waiting)
		return false;
	/* What is left to another backend comes after. */
	return blkback_is_handing_over(ring) ||
	       (s32)(ring->back.req_cons - ring->take_until) >= 0;
}

/* A barrier of this ring's own waits for its round, not in this one. */
static void count_earlier(struct blkback_ring *ring)
{
	ring->draining = BLKBACK_FINISHING;
	ring->taken_in = ring->round;
	ring->earlier = ring->in_flight;
	if (ring->barrier) {
		ring->barrier->taken_in = ring->round;
		ring->earlier--;
	}
}

/**
 * blkback_barrier_called() - has a round begun that a ring has not seen?
 * @ring: the ring
 *
 * Context: the thread of @ring, also as a sleeper.
 */
bool blkback_barrier_called(const struct blkback_ring *ring)
{
	/* Pairs with start_round(). */
	return READ_ONCE(ring->device->barriers.round) != ring->round;
}

/**
 * blkback_barrier_follow() - take part in a round
 * @ring: the ring
 *
 * Context: the thread of @ring, at the end of a pass.
 */
void blkback_barrier_follow(struct blkback_ring *ring)
{
	/*
	 * Pairs with start_round(): what its thread saw published when it met the
	 * barrier is seen here too, though another ring published it.
	 */
	u32 round = smp_load_acquire(&ring->device->barriers.round);

	if (round != ring->round)
		begin_drain(ring, round);
	if (ring->draining == BLKBACK_TAKING && has_taken_all(ring))
		count_earlier(ring);
	if (ring->draining == BLKBACK_FINISHING && !ring->earlier)
		report(ring);
}
