// SPDX-License-Identifier: GPL-2.0-only
/*
 * Backends that say nothing for long, answer late, or ring without a message:
 * what waits for an answer gets it, and nothing else waits.
 */
#include <stdio.h>
#include <string.h>

#include "backend.h"

#define INDEX	400
#define STORM	20000

static bool is_nudged(struct backend *b)
{
	return b->nr_events >= 2;
}

/* One event comes with the requests; the next one asks where the answer is. */
static void answer_late(struct backend *b)
{
	tap_check(back_attach(b, INDEX), "late: connects");
	guest_run(b, "echo 1000 >/sys/block/%s/queue/io_timeout", b->name);
	b->answer = answer_later;
	b->nr_events = 0;
	guest_start(b, "dd if=/dev/%s of=/dev/null bs=4k count=1 iflag=direct",
		    b->name);
	tap_check(back_serve(b, is_nudged), "late: is asked again");
	tap_check(b->nr_held == 1 && !guest_ended(b), "late: the read waits");
	back_answer_held(b);
	tap_check(back_serve(b, guest_ended) && !b->guest_status,
		  "late: the read ends well");
	tap_check(!guest_run(b, "dmesg | grep -q \"vbd-%u-q.: no answer: \"",
			     b->m.vdev), "late: the guest's log tells");
	tap_check(!guest_read(b), "late: serves on");
	back_detach(b);
	guest_check_gone(b, "late");
}

static bool is_held(struct backend *b)
{
	return b->nr_held;
}

/* The look for partitions waits for ever, and goes with the disk. */
static void mute_at_first(struct backend *b)
{
	back_prepare(b, INDEX + 1);
	back_show_disk(b);
	back_show(b);
	b->answer = answer_later;
	tap_check(back_connect(b) && back_serve(b, is_held),
		  "mute at first: is asked for partitions");
	back_remove(b);
	guest_check_gone(b, "mute at first");
}

static void mute_in_use(struct backend *b)
{
	tap_check(back_attach(b, INDEX + 2), "mute: connects");
	b->answer = answer_later;
	guest_start_fio(b, "--rw=randread --bs=4k --size=1m --ioengine=libaio --iodepth=64");
	tap_check(back_serve(b, is_held), "mute: requests come");
	back_remove(b);
	tap_check(back_serve(b, guest_ended) && b->guest_status,
		  "mute: its I/O fails when it is taken away");
	guest_check_gone(b, "mute");
}

static void ring_for_nothing(struct backend *b)
{
	unsigned int i;

	tap_check(back_attach(b, INDEX + 3), "storm: connects");
	guest_start(b, "dd if=/dev/%s of=/dev/null bs=64k count=32 iflag=direct",
		    b->name);
	for (i = 0; i < STORM; i++)
		xenevtchn_notify(b->m.evt, b->ring[i % b->nr_rings].port);
	tap_check(back_serve(b, guest_ended) && !b->guest_status,
		  "storm: the guest can still read");
	back_detach(b);
	guest_check_gone(b, "storm");
}

void back_cases_mute(struct backend *b)
{
	answer_late(b);
	mute_at_first(b);
	mute_in_use(b);
	ring_for_nothing(b);
}
