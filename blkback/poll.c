// SPDX-License-Identifier: GPL-2.0-only
/*
 * How long a ring's thread looks for work before it sleeps (pure).
 *
 * A window opens at the first wait that polling would have won, and shrinks
 * with each that it could not win: a ring with little to do soon polls no more.
 *
 * A thread that polls lets other domains have its processor from time to time.
 * Where one of them keeps it, a thread that sleeps is better off: it is woken
 * before the other one's time is over. So it sleeps for some waits, and for
 * more of them each time that this happens again.
 */
#include "poll.h"

/* Below this, in nanoseconds, reading the clock is most of the poll. */
#define SHORTEST	1000

/* Waits to sit out. */
#define MIN_PENALTY	2U
#define MAX_PENALTY	8192U

static u64 smaller(u64 a, u64 b)
{
	return a < b ? a : b;
}

/**
 * blkback_poll_time() - how long to poll in a wait that begins
 * @poll: of the ring
 * @what: it waits for
 *
 * As many waits polled as were sat out, and the next penalty is no more than
 * the last one.
 *
 * Context: the thread of the ring.
 * Return: nanoseconds; 0 to sleep at once.
 */
u64 blkback_poll_time(struct blkback_poll *poll, enum blkback_awaited what)
{
	if (!poll->window[what])
		return 0;
	if (poll->sits_out) {
		poll->sits_out--;
		return 0;
	}
	if (poll->penalty && ++poll->polled == poll->penalty) {
		poll->penalty /= 2;
		poll->polled = 0;
	}
	return poll->window[what];
}

/**
 * blkback_poll_sit_out() - another domain kept the processor for too long
 * @poll: of the ring
 *
 * Context: the thread of the ring.
 */
void blkback_poll_sit_out(struct blkback_poll *poll)
{
	poll->penalty = smaller(2 * poll->penalty, MAX_PENALTY);
	if (poll->penalty < MIN_PENALTY)
		poll->penalty = MIN_PENALTY;
	poll->sits_out = poll->penalty;
	poll->polled = 0;
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
