// SPDX-License-Identifier: GPL-2.0-only
/* Backends that skip states, repeat them, or show some that disks don't have. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend.h"

#define INDEX	200
#define POKES	100

/* What a backend shows while the frontend waits for it, "" for an end. */
static const struct state_case {
	const char *name, *before[8];
} cases[] = {
	{ "InitWait many times", { "2", "2", "2", "2", "2", "2", "2" } },
	{ "from nothing to Connected", { "1", "4" } },
	{ "Initialised in between", { "3" } },
	{ "states 7 and 8", { "7", "8", "7", "2" } },
	{ "state 42", { "42", "2" } },
	{ "a state of 64 bits", { "4294967298", "2" } },
	{ "a state below 0", { "-1", "2" } },
	{ "a state in words", { "ready", "2" } },
	{ "Closed before anything", { "6", "2" } },
	{ "no state", { "", "2" } },
};

static void show(struct backend *b, const char *state)
{
	mock_write(&b->m, b->m.back, "state", "%s", state);
}

static void finish(struct backend *b, const char *name)
{
	tap_check(back_connect(b) && back_serve(b, front_connected),
		  "%s: connects", name);
	tap_check(!guest_run(b, "agent wait-disk 30 /dev/%s", b->name) &&
		  !guest_read(b), "%s: serves", name);
	back_detach(b);
	guest_check_gone(b, name);
}

static void run_case(struct backend *b, const struct state_case *c)
{
	unsigned int i;

	back_prepare(b, INDEX);
	back_show_disk(b);
	show(b, c->before[0]);
	back_show(b);
	for (i = 1; i < ARRAY_SIZE(c->before) && c->before[i]; i++)
		show(b, c->before[i]);
	finish(b, c->name);
}

/* Its rings are published already; then, while the guest works (HAND-11). */
static void repeat_states(struct backend *b)
{
	static const char load[] =
		"--rw=randwrite --size=1m --ioengine=libaio --iodepth=16 --verify=crc32c";
	char *before, *after;
	unsigned int i;

	tap_check(back_attach(b, INDEX + 1), "states again: connects");
	before = mock_read(&b->m, b->m.front, "queue-0/event-channel");
	guest_start_fio(b, load);
	for (i = 0; i < POKES; i++) {
		show(b, "2");
		show(b, i % 2 ? "1" : "42");
		show(b, "4");
		back_serve(b, front_connected);
	}
	tap_check(back_serve(b, guest_ended) && !b->guest_status,
		  "states again: fio ends well");
	after = mock_read(&b->m, b->m.front, "queue-0/event-channel");
	tap_check(before && after && !strcmp(before, after),
		  "states again: the same rings");
	free(before);
	free(after);
	back_detach(b);
	guest_check_gone(b, "states again");
}

/* Never connected: nothing to wait for. */
static void close_early(struct backend *b)
{
	back_prepare(b, INDEX + 2);
	back_show(b);
	tap_check(mock_await_state_of(&b->m, b->m.front, INITIALISED),
		  "closing early: makes rings");
	back_set_state(b, CLOSING);
	tap_check(back_serve(b, front_closed), "closing early: closes");
	back_remove(b);
	guest_check_gone(b, "closing early");
}

/* Gone without a word, as by a forced detach: nobody waits for it. */
static void vanish(struct backend *b)
{
	tap_check(back_attach(b, INDEX + 3), "vanished: connects");
	xs_rm(b->m.xs, XBT_NULL, b->m.back);
	tap_check(guest_read(b), "vanished: a read fails at once");
	back_remove(b);
	guest_check_gone(b, "vanished");
}

void back_cases_states(struct backend *b)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		run_case(b, &cases[i]);
	repeat_states(b);
	close_early(b);
	vanish(b);
}
