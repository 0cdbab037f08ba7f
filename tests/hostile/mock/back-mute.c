// SPDX-License-Identifier: GPL-2.0-only
/*
 * Backends that say nothing for long, answer late or without an event, or ring
 * without a message: what waits for an answer gets it, and nothing else waits.
 */
#include <stdio.h>
#include <stdlib.h>
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

/* The number that the guest told of, if it did so once. */
static void check_told(struct backend *b, const char *when)
{
	guest_run(b, "dmesg | grep -o \"vbd-%u-q.: answers .* event: [0-9]*\" | cut -d: -f3|xargs",
		  b->m.vdev);
	tap_check(!strcmp(b->said, "3\n"),
		  "silent: the guest tells once, of three answers, %s", when);
}

/* The guest finds the answers when it has waited for long, and then some. */
static void answer_without_event(struct backend *b)
{
	static const char three[] =
		"--rw=randread --size=12k --ioengine=libaio --iodepth=3 --cpus_allowed=0";
	static const char many[] =
		"--rw=randwrite --size=1m --ioengine=libaio --iodepth=16 --verify=crc32c";

	tap_check(back_attach(b, INDEX + 7), "silent: connects");
	guest_run(b, "echo 1000 >/sys/block/%s/queue/io_timeout", b->name);
	b->answer = answer_silently;
	tap_check(!guest_fio(b, three), "silent: three reads end well");
	check_told(b, "then");
	tap_check(!guest_read(b), "silent: another one, too");
	check_told(b, "ever");
	b->answer = answer_truly;
	tap_check(!guest_fio(b, many), "silent: serves on with events");
	check_told(b, "at all");
	back_detach(b);
	guest_check_gone(b, "silent");
}

static bool is_held(struct backend *b)
{
	return b->nr_held;
}

/* Up to where the guest looks for partitions, and no further. */
static void attach_mute(struct backend *b, unsigned int index, const char *name)
{
	back_prepare(b, index);
	back_show_disk(b);
	back_show(b);
	b->answer = answer_later;
	tap_check(back_connect(b) && back_serve(b, is_held),
		  "%s: is asked for partitions", name);
}

/* The look for partitions waits for ever, and goes with the disk. */
static void mute_at_first(struct backend *b)
{
	attach_mute(b, INDEX + 1, "mute at first");
	back_remove(b);
	guest_check_gone(b, "mute at first");
}

/* An end by state alone, with both directories as they were. */
static void close_mute(struct backend *b)
{
	attach_mute(b, INDEX + 4, "mute, then closed");
	back_unmap(b);
	mock_write(&b->m, b->m.back, "online", "0");
	back_set_state(b, CLOSED);
	tap_check(back_serve(b, front_closed), "mute, then closed: closes");
	tap_check(!guest_run(b, "test ! -e /sys/block/%s", b->name),
		  "mute, then closed: the disk is gone");
	back_remove(b);
	guest_check_gone(b, "mute, then closed");
}

/* Nobody has the disk open, whoever is looking for partitions. */
static void closing_mute(struct backend *b)
{
	char *error;

	attach_mute(b, INDEX + 5, "mute, then closing");
	back_set_state(b, CLOSING);
	/* By the end of this the frontend has seen it. */
	guest_run(b, "true");
	back_answer_held(b);
	tap_check(back_serve(b, front_closed), "mute, then closing: closes");
	error = mock_error_of(&b->m, b->m.front);
	tap_check(!error, "mute, then closing: error node: %s",
		  error ? error : "(none)");
	free(error);
	back_detach(b);
	guest_check_gone(b, "mute, then closing");
}

/* The look for partitions goes on with the next connection. */
static void reconnect_mute(struct backend *b)
{
	attach_mute(b, INDEX + 6, "mute, then new");
	back_unmap(b);
	back_set_state(b, CLOSED);
	tap_check(mock_await_state_of(&b->m, b->m.front, INITIALISING),
		  "mute, then new: starts again");
	b->answer = answer_truly;
	back_set_state(b, INITWAIT);
	tap_check(back_connect(b) && back_serve(b, front_connected) &&
		  !guest_run(b, "agent wait-disk 30 /dev/%s", b->name),
		  "mute, then new: connects");
	tap_check(!guest_read(b), "mute, then new: serves");
	back_detach(b);
	guest_check_gone(b, "mute, then new");
}

static void hold_flushes(struct backend *b, struct job *job)
{
	if (job->op == OP_FLUSH)
		answer_later(b, job);
	else
		answer_truly(b, job);
}

/* The flush of the second hardware queue comes again in the first ring. */
static void reconnect_silent(struct backend *b)
{
	tap_check(back_attach(b, INDEX + 9), "silent flush: connects");
	guest_run(b, "echo 1000 >/sys/block/%s/queue/io_timeout", b->name);
	b->answer = hold_flushes;
	guest_start_fio(b, "--rw=write --size=4k --end_fsync=1 --cpus_allowed=1");
	tap_check(back_serve(b, is_held), "silent flush: it is asked for");
	back_unmap(b);
	back_set_state(b, CLOSED);
	tap_check(mock_await_state_of(&b->m, b->m.front, INITIALISING),
		  "silent flush: starts again");
	b->answer = answer_silently;
	back_set_state(b, INITWAIT);
	tap_check(back_connect(b) && back_serve(b, front_connected),
		  "silent flush: connects again");
	b->answer = answer_truly;
	tap_check(back_serve(b, guest_ended) && !b->guest_status,
		  "silent flush: the flush ends well");
	back_detach(b);
	guest_check_gone(b, "silent flush");
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

static void set_queues(struct backend *b, unsigned int most, unsigned int polled)
{
	static const char *dir = "/sys/module/xen_blkfront/parameters";

	tap_check(!guest_run(b, "cd %s; echo %u >max_queues; echo %u >poll_queues",
			     dir, most, polled),
		  "unasked: the guest may have %u queues and %u to poll", most,
		  polled);
}

/* This backend raises an event with each answer, in rings that are polled as well. */
static void ring_unasked(struct backend *b)
{
	static const char many[] =
		"--rw=randwrite --size=1m --ioengine=io_uring --hipri --iodepth=8 --verify=crc32c";

	set_queues(b, 1, 1);
	tap_check(back_attach(b, INDEX + 8), "unasked: connects");
	tap_check(!guest_run(b, "[ $(cat /sys/block/%s/queue/io_poll) = 1 ]",
			     b->name), "unasked: the guest can poll");
	tap_check(!guest_fio(b, many), "unasked: what is polled for is right");
	back_detach(b);
	guest_check_gone(b, "unasked");
	set_queues(b, 4, 0);
}

void back_cases_mute(struct backend *b)
{
	answer_late(b);
	answer_without_event(b);
	mute_at_first(b);
	close_mute(b);
	closing_mute(b);
	reconnect_mute(b);
	reconnect_silent(b);
	mute_in_use(b);
	ring_for_nothing(b);
	ring_unasked(b);
}
