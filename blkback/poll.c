// SPDX-License-Identifier: GPL-2.0-only
/*
 * How long a ring's thread looks for work before it sleeps (pure).
 *
 * A window opens at the first wait that polling would have won, and shrinks
 * with each that it could not win: a ring with little to do soon polls no more.
 */
#include "poll.h"

/* Below this, in nanoseconds, reading the clock is most of the poll. */
#define SHORTEST	1000

static u64 smaller(u64 a, u64 b)
{
	return a < b ? a : b;
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
