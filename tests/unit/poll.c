// SPDX-License-Identifier: GPL-2.0-only
/*
 * blkback/poll.c: how the time that a thread polls follows what it waited, and
 * that it sits waits out where others keep its processor.
 */
#include <linux/kernel.h>

#include "poll.h"
#include "tap.h"

#define LONGEST		200000

static const struct {
	u64 longest;
	u64 window;
	u64 waited;
	u64 want;
	const char *what;
} steps[] = {
	{ LONGEST, 0, 30000, 60000, "opens at a wait that it would have won" },
	{ LONGEST, 0, LONGEST, LONGEST, "the bound is still a short wait" },
	{ LONGEST, 0, LONGEST + 1, 0, "stays shut at a long wait" },
	{ LONGEST, 0, 150000, LONGEST, "never wider than the bound" },
	{ LONGEST, 60000, 70000, 140000, "widens when it just missed" },
	{ LONGEST, 140000, 30000, 140000, "a shorter wait leaves it alone" },
	{ LONGEST, 140000, LONGEST + 1, 70000, "halves at a long wait" },
	{ LONGEST, 1999, 1000000000, 0, "shuts below a microsecond" },
	{ LONGEST, 2000, 1000000000, 1000, "but not at one" },
	{ LONGEST, LONGEST, ~0ULL, LONGEST / 2, "a wait without end" },
	{ 0, 0, 1, 0, "no polling" },
	{ 0, 0, 0, 0, "no polling, no wait" },
};

static void check_steps(enum blkback_awaited what)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(steps); i++) {
		struct blkback_poll poll = { .longest = steps[i].longest };

		poll.window[what] = steps[i].window;
		poll.window[!what] = 77;
		blkback_poll_adapt(&poll, what, steps[i].waited);
		tap_expect(poll.window[what], steps[i].want, "%s",
			   steps[i].what);
		tap_expect(poll.window[!what], 77, "the other window");
	}
	tap_verdict(what == BLKBACK_AWAIT_GUEST ? "waits for the guest" :
						  "waits for the disk");
}

/* However wide: an idle ring must be found idle within a few wake-ups. */
static void check_shuts(void)
{
	struct blkback_poll poll = { .longest = 10000000 };
	unsigned int nr = 0;

	poll.window[BLKBACK_AWAIT_GUEST] = poll.longest;
	while (poll.window[BLKBACK_AWAIT_GUEST] && nr < 100) {
		blkback_poll_adapt(&poll, BLKBACK_AWAIT_GUEST, ~0ULL);
		nr++;
	}
	tap_expect(nr, 14, "long waits until the widest window is shut");
	tap_verdict("the widest window shuts");
}

/* Return: how many of the waits were slept; each that is polled loses @lost turns. */
static unsigned int run(struct blkback_poll *poll, unsigned int nr_waits,
			unsigned int lost)
{
	unsigned int nr_slept = 0;

	while (nr_waits--) {
		if (!blkback_poll_time(poll, BLKBACK_AWAIT_GUEST)) {
			nr_slept++;
			continue;
		}
		if (lost) {
			lost--;
			blkback_poll_sit_out(poll);
		}
	}
	return nr_slept;
}

static void check_sits_out(void)
{
	struct blkback_poll poll = { .longest = LONGEST };
	unsigned int i;

	poll.window[BLKBACK_AWAIT_GUEST] = LONGEST;
	tap_expect(run(&poll, 100000, 0), 0, "slept, while nobody keeps the processor");
	for (i = 2; i <= 8192; i *= 2)
		tap_expect(run(&poll, 1 + i, 1), i, "waits sat out");
	tap_expect(run(&poll, 1 + 8192, 1), 8192, "waits sat out at most");
	tap_expect(run(&poll, 100, 0), 0, "slept afterwards");
	tap_verdict("sits out twice as many waits each time, to a bound");

	tap_expect(run(&poll, 8192, 0), 0, "slept of as many as were sat out");
	tap_expect(run(&poll, 8193, 1), 8192, "waits sat out after these");
	run(&poll, 2 * 8192, 0);
	tap_expect(run(&poll, 1 + 2, 1), 2, "waits sat out after a long time");
	tap_verdict("forgets, as long as it remembered");
}

/* What is not polled anyway does not shorten the penalty. */
static void check_shut_window(void)
{
	struct blkback_poll poll = { .longest = LONGEST, .sits_out = 5, .penalty = 32 };

	tap_expect(run(&poll, 100, 0), 100, "slept with a window that is shut");
	tap_expect(poll.sits_out, 5, "waits still to sit out");
	tap_verdict("waits that nobody would poll count for nothing");
}

int main(void)
{
	check_steps(BLKBACK_AWAIT_GUEST);
	check_steps(BLKBACK_AWAIT_DISK);
	check_shuts();
	check_sits_out();
	check_shut_window();
	return tap_done();
}
