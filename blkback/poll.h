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
 * struct blkback_poll - how long a thread polls
 * @longest: bound of a window in nanoseconds; 0 when there is no polling
 * @window: nanoseconds to poll for, by &enum blkback_awaited
 */
struct blkback_poll {
	u64	longest;
	u64	window[BLKBACK_NR_AWAITED];
};

void blkback_poll_adapt(struct blkback_poll *poll, enum blkback_awaited what,
			u64 waited);

#endif /* BLKBACK_POLL_H */
