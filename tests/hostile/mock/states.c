// SPDX-License-Identifier: GPL-2.0-only
/*
 * Frontends that skip states, repeat them, or toggle them as fast as they can.
 */
#include <time.h>

#include "mock.h"

#define VDEV	900031

/* As many as there is time for. */
#define TOGGLES		4000
#define TOGGLE_SECONDS	25
#define LEAST_TOGGLES	100

/* One for each processor of dom0. */
#define CPU_HOGS	2

static void start_again(struct mock *m, const char *name)
{
	mock_write(m, m->front, "state", "%d", INITIALISING);
	tap_check(mock_await_state(m, INITWAIT), "%s: can start again", name);
}

static void skip_initialised(struct mock *m)
{
	link_create(m, 1, 0, false);
	link_publish(m, "x86_64-abi");
	mock_write(m, m->front, "state", "%d", CONNECTED);
	tap_check(mock_await_state(m, CONNECTED), "Connected at once: connects");
	link_down(m);
	start_again(m, "Connected at once");
}

static void close_early(struct mock *m)
{
	mock_write(m, m->front, "state", "%d", CLOSING);
	tap_check(mock_await_state(m, CLOSING), "never connected: closing");
	mock_write(m, m->front, "state", "%d", CLOSED);
	tap_check(mock_await_state(m, CLOSED), "never connected: closed");
	start_again(m, "never connected");
}

/* A guest that crashed: it starts again, and never closed. */
static void start_over(struct mock *m)
{
	unsigned int i;

	tap_check(link_up(m, 2, 1, false), "crash: connects");
	start_again(m, "crash");
	for (i = 0; i < m->nr_queues; i++)
		ring_destroy(m, &m->ring[i]);
}

static void show_foreign_states(struct mock *m)
{
	struct request req = { .op = OP_FLUSH };
	struct response rsp;

	tap_check(link_up(m, 1, 0, false), "states 7 and 8: connects");
	mock_write(m, m->front, "state", "7");
	mock_write(m, m->front, "state", "8");
	mock_write(m, m->front, "state", "99");
	mock_write(m, m->front, "state", "none");
	mock_write(m, m->front, "state", "%d", CONNECTED);
	tap_check(ring_do(m, &m->ring[0], &req, &rsp) && !rsp.status,
		  "states 7 and 8: still served");
	link_down(m);
	start_again(m, "states 7 and 8");
}

static void repeat_states(struct mock *m)
{
	struct request req = { .op = OP_FLUSH };
	struct response rsp;
	unsigned int i;

	tap_check(link_up(m, 1, 0, false), "states again: connects");
	for (i = 0; i < 20; i++) {
		mock_write(m, m->front, "state", "%d", CONNECTED);
		mock_write(m, m->front, "state", "%d", INITIALISED);
		mock_write(m, m->front, "state", "%d", INITWAIT);
		mock_write(m, m->front, "state", "%d", CONNECTED);
		req.id = i;
		if (!ring_do(m, &m->ring[0], &req, &rsp) || rsp.status)
			break;
	}
	tap_check(i == 20 && mock_state(m) == CONNECTED,
		  "states again: served after each");
	link_down(m);
	start_again(m, "states again");
}

static void burn(const struct mock *m, volatile unsigned long *count)
{
	(void)m;
	for (;;)
		++*count;
}

static void start_hogs(struct child *hogs)
{
	unsigned int i;

	for (i = 0; i < CPU_HOGS; i++)
		child_start(&hogs[i], burn, NULL);
}

static void end_hogs(struct child *hogs)
{
	unsigned int i;

	for (i = 0; i < CPU_HOGS; i++)
		child_end(&hogs[i]);
}

static unsigned int toggle_for_a_while(struct mock *m)
{
	time_t end = time(NULL) + TOGGLE_SECONDS;
	unsigned int nr;

	for (nr = 0; nr < TOGGLES && time(NULL) < end; nr++) {
		mock_write(m, m->front, "state", "%d", INITIALISED);
		mock_write(m, m->front, "state", "%d", CLOSING);
		mock_write(m, m->front, "state", "%d", CLOSED);
		mock_write(m, m->front, "state", "%d", INITIALISING);
	}
	return nr;
}

/* Connects and vanishes before the threads have run much (XSA-350). */
static void toggle(struct mock *m)
{
	struct child hogs[CPU_HOGS];
	unsigned int nr, q;

	link_create(m, 4, 0, false);
	link_publish(m, "x86_64-abi");
	start_hogs(hogs);
	nr = toggle_for_a_while(m);
	end_hogs(hogs);
	tap_check(nr >= LEAST_TOGGLES, "toggled %u times beside busy processors",
		  nr);
	mock_write(m, m->front, "state", "%d", CLOSED);
	tap_check(mock_await_state(m, CLOSED), "toggled: closes at the end");
	for (q = 0; q < m->nr_queues; q++)
		ring_destroy(m, &m->ring[q]);
	start_again(m, "toggled");
	tap_check(link_up(m, 2, 0, false), "toggled: connects");
	link_down(m);
}

void cases_states(const char *disk)
{
	struct mock m;

	mock_open(&m, VDEV, disk, "w");
	skip_initialised(&m);
	close_early(&m);
	start_over(&m);
	show_foreign_states(&m);
	repeat_states(&m);
	toggle(&m);
	mock_close(&m);
}
