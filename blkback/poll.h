/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How long a ring's thread looks for work before it sleeps (pure).
 */
#ifndef BLKBACK_POLL_H
#define BLKBACK_POLL_H

#include <linux/types.h>

/**
 * enum blkback_awaited - what a thread without work waits for
 * @BLKBACK_AWAIT_GUEST: requests
 * @BLKBACK_AWAIT_DISK: an end of those in flight, or more requests
 * @BLKBACK_NR_AWAITED: number of the others
 *
 * A fast guest on a slow disk makes short and long waits by turns: each kind
 * has a window of its own.
 */
enum blkback_awaited {
	BLKBACK_AWAIT_GUEST,
	BLKBACK_AWAIT_DISK,
	BLKBACK_NR_AWAITED,
};

/**
 * struct blkback_poll - how long a thread polls, and whether it does at all
 * @longest: bound of a window in nanoseconds; 0 when there is no polling
 * @window: nanoseconds to poll for, by &enum blkback_awaited
 * @sits_out: so many waits are slept through, whatever the windows say
 * @penalty: waits that were to be slept through the last time
 * @polled: waits since then, or since @penalty became less, that were not
 */
struct blkback_poll {
	u64		longest;
	u64		window[BLKBACK_NR_AWAITED];
	unsigned int	sits_out;
	unsigned int	penalty;
	unsigned int	polled;
};

u64 blkback_poll_time(struct blkback_poll *poll, enum blkback_awaited what);
void blkback_poll_adapt(struct blkback_poll *poll, enum blkback_awaited what,
			u64 waited);
void blkback_poll_sit_out(struct blkback_poll *poll);

#endif /* BLKBACK_POLL_H */
