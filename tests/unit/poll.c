// SPDX-License-Identifier: GPL-2.0-only
/*
 * blkback/poll.c: how the time that a thread polls follows what it waited, and
 * that it does not poll where this makes requests come slower.
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

/* A guest whose requests come after so many nanoseconds, one for each wait. */
struct load {
	struct blkback_poll poll;
	u64 now;
	u32 served;
	u64 polled;
	u64 slept;
};

static void load_begin(struct load *load, u64 polled, u64 slept)
{
	*load = (struct load){
		.poll = { .longest = LONGEST },
		.served = ~0U - 100,
		.polled = polled,
		.slept = slept,
	};
	load->poll.window[BLKBACK_AWAIT_GUEST] = LONGEST;
}

/* Return: how many of the waits were slept. */
static unsigned int load_run(struct load *load, unsigned int nr_waits)
{
	unsigned int i, nr_slept = 0;

	for (i = 0; i < nr_waits; i++) {
		if (blkback_poll_span_ends(&load->poll))
			blkback_poll_judge(&load->poll, load->now,
					   load->served);
		if (!blkback_poll_time(&load->poll, BLKBACK_AWAIT_GUEST)) {
			load->now += load->slept;
			nr_slept++;
		} else {
			load->now += load->polled;
		}
		load->served++;
	}
	return nr_slept;
}

static void check_judge(void)
{
	struct load load;
	unsigned int slept;

	load_begin(&load, 30000, 45000);
	slept = load_run(&load, 100000);
	tap_expect(slept > 0 && slept < 1500, true,
		   "polling gains: %u of 100000 slept", slept);

	load_begin(&load, 45000, 44000);
	slept = load_run(&load, 100000);
	tap_expect(slept < 1500, true, "no difference worth a change: %u slept",
		   slept);

	load_begin(&load, 150000, 60000);
	slept = load_run(&load, 100000);
	tap_expect(slept > 98500, true, "polling harms: %u of 100000 slept",
		   slept);
	tap_verdict("polls where it gains, sleeps where it harms");

	load.polled = 40000;
	load_run(&load, 9000);
	slept = load_run(&load, 100000);
	tap_expect(slept < 1500, true, "it gains now: %u slept", slept);
	load.polled = 100000;
	load_run(&load, 9000);
	slept = load_run(&load, 100000);
	tap_expect(slept > 98500, true, "it harms again: %u slept", slept);
	tap_verdict("follows a load that changes");
}

/* Other rings change their ways as well: what was good a moment ago is not. */
static void check_looks_again(void)
{
	struct load load;

	load_begin(&load, 150000, 60000);
	load_run(&load, 200);
	tap_expect(load_run(&load, 100), 100, "sleeps, for polling harms");
	load.polled = 30000;
	load_run(&load, 600);
	tap_expect(load_run(&load, 300), 0, "polls again soon, for it gains");
	tap_verdict("soon looks again after a change");
}

/* A pause in the middle of a trial must not look like a bad way. */
static void check_forget(void)
{
	struct load load;
	unsigned int i;

	for (i = 0; i < 300; i++) {
		load_begin(&load, 45000, 45000);
		load_run(&load, i);
		load.now += 1000000000;
		blkback_poll_forget(&load.poll);
		tap_expect(load_run(&load, 10), 0, "a pause after %u waits", i);
	}
	tap_verdict("a pause ends a trial without a verdict");
}

int main(void)
{
	check_steps(BLKBACK_AWAIT_GUEST);
	check_steps(BLKBACK_AWAIT_DISK);
	check_shuts();
	check_judge();
	check_looks_again();
	check_forget();
	return tap_done();
}
