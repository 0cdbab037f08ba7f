// SPDX-License-Identifier: GPL-2.0-only
/*
 * A ring's thread without work: it polls for a moment, then sleeps until it is
 * woken.
 */
#include <linux/kthread.h>
#include <linux/sched.h>
#include <linux/sched/clock.h>
#include <linux/sched/stat.h>
#include <asm/xen/hypercall.h>
#include <xen/events.h>
#include <xen/interface/sched.h>

#include "blkback.h"

/* Nanoseconds between two turns that a polling thread gives to other domains. */
#define TURN_INTERVAL		5000

/*
 * A turn of so many took as long as Xen lets a vCPU that wakes wait for another
 * one, if the administrator changed no rate limit (sched_ratelimit_us).
 */
#define TURN_TOO_LONG		NSEC_PER_MSEC

/* How long pages that something else still refers to are left alone. */
#define HELD_PAGES_DELAY	msecs_to_jiffies(5)

/* A request that waits for room is served when something finishes. */
static bool takes_none(const struct blkback_ring *ring)
{
	if (ring->broken || ring->barrier || ring->nr_starved)
		return true;
	return ring->waiting ? ring->in_flight : blkback_is_handing_over(ring);
}

/* A ring that is being stopped waits for the disk, but for no other ring or page. */
static bool may_stop(const struct blkback_ring *ring)
{
	return !ring->in_flight || ring->nr_starved || blkback_has_parked(ring);
}

/* The next pass says so. */
static bool just_finished(struct blkback_ring *ring)
{
	return blkback_is_handing_over(ring) && !ring->in_flight &&
	       takes_none(ring) && !completion_done(&ring->finished);
}

/* A halted ring is not acknowledged: its frontend can raise no more events. */
static void acknowledge_event(struct blkback_ring *ring)
{
	if (!atomic_xchg(&ring->event, 0) || ring->broken)
		return;
	/* Requests that have to wait have their event, but are not served yet. */
	xen_irq_lateeoi(ring->irq, ring->served || takes_none(ring) ?
				   0 : XEN_EOI_FLAG_SPURIOUS);
	ring->served = false;
}

/* An impossible index is left to the next pass, which halts the ring. */
static bool is_empty(const struct blkback_ring *ring)
{
	u32 nr;

	return xenblk_ring_pending_requests(&ring->back, &nr) && !nr;
}

static bool no_requests(struct blkback_ring *ring)
{
	if (takes_none(ring))
		return true;
	if (ring->waiting)
		return false;
	xenblk_ring_await_requests(&ring->back);
	return is_empty(ring);
}

/* Called as a sleeper: whoever makes this false wakes the thread after it. */
static bool nothing_to_do(struct blkback_ring *ring)
{
	if (!llist_empty(&ring->done) || blkback_barrier_called(ring))
		return false;
	if (kthread_should_stop())
		return !may_stop(ring);
	if (just_finished(ring))
		return false;
	return !atomic_read(&ring->event) && no_requests(ring);
}

/* The same without asking for an event, which alone is no work. */
static bool found_work(struct blkback_ring *ring)
{
	if (!llist_empty(&ring->done) || blkback_barrier_called(ring))
		return true;
	if (kthread_should_stop())
		return may_stop(ring);
	if (just_finished(ring))
		return true;
	return !takes_none(ring) && (ring->waiting || !is_empty(ring));
}

/* Whoever else of this domain wants the processor gets it. */
static bool is_alone(void)
{
	return single_task_running() && !need_resched();
}

/*
 * Another domain may wait for the processor, perhaps the very guest that this
 * thread waits for. Returns the time.
 */
static u64 give_turn(struct blkback_ring *ring, u64 now)
{
	u64 back;

	HYPERVISOR_sched_op(SCHEDOP_yield, NULL);
	back = local_clock();
	if (back - now > TURN_TOO_LONG)
		blkback_poll_sit_out(&ring->poll);
	return back;
}

/*
 * What comes while the thread polls needs no event, no interrupt and no
 * wake-up: the frontend was not asked to send one. A turn that took too long
 * ends the poll, unless it brought something.
 */
static bool poll_for_work(struct blkback_ring *ring, u64 began, u64 time)
{
	u64 now = began, next_turn = began + TURN_INTERVAL;

	while (!found_work(ring)) {
		if (now - began >= time || ring->poll.sits_out ||
		    !is_alone()) {
			ring->counters.polls_lost++;
			return false;
		}
		cpu_relax();
		now = local_clock();
		if (now >= next_turn) {
			now = give_turn(ring, now);
			next_turn = now + TURN_INTERVAL;
		}
	}
	ring->counters.polls_won++;
	return true;
}

static void trim_pages(struct blkback_ring *ring)
{
	unsigned int cached = blkback_squeeze_is_on(ring) ?
				0 : ring->device->max_cached_pages;
	bool copies = ring->device->max_copy_pages && !ring->store.grants;

	blkback_grant_expire(ring);
	blkback_grant_trim(ring, max(cached, BLKBACK_MIN_PAGES + 0U));
	/* Where none are copied by choice, there was a shortage, not a need. */
	blkback_copy_trim(ring, copies ? cached : 0);
}

static void sleep_until_work(struct blkback_ring *ring)
{
	/* Pairs with all who wake the thread up. */
	set_current_state(TASK_IDLE);
	blkback_persist_arm(ring);
	if (nothing_to_do(ring))
		schedule_timeout(list_empty(&ring->held) ?
				 MAX_SCHEDULE_TIMEOUT : HELD_PAGES_DELAY);
	__set_current_state(TASK_RUNNING);
}

/**
 * blkback_wait() - return when there may be something to do
 * @ring: has nothing to do
 *
 * Looks for work for a while, then gives back what is not needed and sleeps.
 *
 * Context: the thread of @ring.
 */
void blkback_wait(struct blkback_ring *ring)
{
	enum blkback_awaited what = ring->in_flight ? BLKBACK_AWAIT_DISK :
						      BLKBACK_AWAIT_GUEST;
	struct blkback_poll *poll = &ring->poll;
	u64 began = poll->longest ? local_clock() : 0;
	u64 time;

	time = blkback_poll_time(poll, what);
	if (time && poll_for_work(ring, began, time))
		return;
	acknowledge_event(ring);
	trim_pages(ring);
	sleep_until_work(ring);
	if (poll->longest)
		blkback_poll_adapt(poll, what, local_clock() - began);
}
