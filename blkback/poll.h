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
 * enum blkback_span - what the waits of now are good for
 * @BLKBACK_SPAN_TRUST: nothing but themselves
 * @BLKBACK_SPAN_MEASURE: to know how fast requests come as things are
 * @BLKBACK_SPAN_TRY: to know how fast they come the other way
 */
enum blkback_span {
	BLKBACK_SPAN_TRUST,
	BLKBACK_SPAN_MEASURE,
	BLKBACK_SPAN_TRY,
};

/**
 * struct blkback_poll - how long a thread polls, and whether it does at all
 * @longest: bound of a window in nanoseconds; 0 when there is no polling
 * @window: nanoseconds to poll for, by &enum blkback_awaited
 * @sleeps: sleep at once, whatever the windows say
 * @span: &enum blkback_span
 * @waits_left: that belong to the span
 * @trust: waits that the next span of trust has
 * @began: nanoseconds, when it began
 * @served: requests ever taken, at that time
 * @took: nanoseconds of the span that was measured
 * @requests: that it had
 */
struct blkback_poll {
	u64			longest;
	u64			window[BLKBACK_NR_AWAITED];
	bool			sleeps;
	enum blkback_span	span;
	unsigned int		waits_left;
	unsigned int		trust;
	u64			began;
	u32			served;
	u64			took;
	u32			requests;
};

/**
 * blkback_poll_time() - how long to poll in a wait that begins
 * @poll: of the ring
 * @what: it waits for
 *
 * Return: nanoseconds; 0 to sleep at once.
 */
static inline u64 blkback_poll_time(const struct blkback_poll *poll,
				    enum blkback_awaited what)
{
	return poll->sleeps ? 0 : poll->window[what];
}

/**
 * blkback_poll_span_ends() - count a wait that could have been polled
 * @poll: of the ring
 *
 * Return: true when blkback_poll_judge() is to be called.
 */
static inline bool blkback_poll_span_ends(struct blkback_poll *poll)
{
	return !poll->waits_left || !--poll->waits_left;
}

void blkback_poll_adapt(struct blkback_poll *poll, enum blkback_awaited what,
			u64 waited);
void blkback_poll_judge(struct blkback_poll *poll, u64 now, u32 served);
void blkback_poll_forget(struct blkback_poll *poll);

#endif /* BLKBACK_POLL_H */
