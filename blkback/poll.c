// SPDX-License-Identifier: GPL-2.0-only
/*
 * How long a ring's thread looks for work before it sleeps (pure).
 *
 * A window opens at the first wait that polling would have won, and shrinks
 * with each that it could not win: a ring with little to do soon polls no more.
 *
 * Whether polling is of any use is another question. The thread can't see that
 * the guest, or another domain that it waits for, would run on the processor
 * that it polls on. So from time to time it does for a while what it does not
 * do else, and keeps to what had the requests come faster.
 */
#include "poll.h"

/* Below this, in nanoseconds, reading the clock is most of the poll. */
#define SHORTEST	1000

/* Waits that a way is measured by. */
#define SPAN_WAITS	64

/*
 * Waits until it is measured again: few after a change, since other rings
 * change their ways too, and twice as many each time that nothing is better.
 */
#define MIN_TRUST_WAITS	512
#define MAX_TRUST_WAITS	8192

/* A way is changed for one that is faster by more than one part of so many. */
#define MARGIN		8

static u64 smaller(u64 a, u64 b)
{
	return a < b ? a : b;
}

static u64 larger(u64 a, u64 b)
{
	return a > b ? a : b;
}

/**
 * blkback_poll_adapt() - learn from a wait that polling did not win
 * @poll: of the ring
 * @what: it waited for
 * @waited: nanoseconds from the last work to the next, polling included
 *
 * Context: the thread of the ring.
 */
void blkback_poll_adapt(struct blkback_poll *poll, enum blkback_awaited what,
			u64 waited)
{
	u64 *window = &poll->window[what];

	if (waited > poll->longest) {
		*window /= 2;
		if (*window < SHORTEST)
			*window = 0;
	} else if (*window < 2 * waited) {
		/* Twice: waits of one kind differ. */
		*window = smaller(2 * waited, poll->longest);
	}
}

static void begin(struct blkback_poll *poll, enum blkback_span span,
		  unsigned int nr_waits)
{
	poll->span = span;
	poll->waits_left = nr_waits;
}

/* Products instead of quotients: a span is over within seconds. */
static bool was_faster(const struct blkback_poll *poll, u64 took, u32 requests)
{
	return poll->took * requests > (took + took / MARGIN) * poll->requests;
}

/* The other way is better, or the ring goes back to the one that it had. */
static void conclude(struct blkback_poll *poll, bool better)
{
	if (better) {
		poll->trust = MIN_TRUST_WAITS;
		return;
	}
	poll->sleeps = !poll->sleeps;
	poll->trust = larger(MIN_TRUST_WAITS,
			     smaller(2 * poll->trust, MAX_TRUST_WAITS));
}

/**
 * blkback_poll_judge() - the waits of a span are over
 * @poll: of the ring
 * @now: nanoseconds
 * @served: requests ever taken; wraps
 *
 * Context: the thread of the ring.
 */
void blkback_poll_judge(struct blkback_poll *poll, u64 now, u32 served)
{
	u64 took = now - poll->began;
	u32 requests = served - poll->served;

	switch (poll->span) {
	case BLKBACK_SPAN_TRUST:
		begin(poll, BLKBACK_SPAN_MEASURE, SPAN_WAITS);
		break;
	case BLKBACK_SPAN_MEASURE:
		poll->took = took;
		poll->requests = requests;
		poll->sleeps = !poll->sleeps;
		begin(poll, BLKBACK_SPAN_TRY, SPAN_WAITS);
		break;
	case BLKBACK_SPAN_TRY:
		conclude(poll, was_faster(poll, took, requests));
		begin(poll, BLKBACK_SPAN_TRUST, poll->trust);
		break;
	}
	poll->began = now;
	poll->served = served;
}

/**
 * blkback_poll_forget() - the ring was idle: what is measured says nothing
 * @poll: of the ring
 *
 * Context: the thread of the ring.
 */
void blkback_poll_forget(struct blkback_poll *poll)
{
	if (poll->span == BLKBACK_SPAN_TRUST)
		return;
	if (poll->span == BLKBACK_SPAN_TRY)
		poll->sleeps = !poll->sleeps;
	begin(poll, BLKBACK_SPAN_TRUST, SPAN_WAITS);
}
