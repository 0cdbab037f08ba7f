// SPDX-License-Identifier: GPL-2.0-only
/*
 * Frontends that write nodes without end: the state of a disk, while others
 * come and go; and the sizes of rings, while the backend reads them.
 */
#include <err.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "mock.h"

#define VDEV		900061

#define OTHERS		10
#define ATTACH_MS	5000
#define SLAB_KIB	1024

#define REWRITES	60
#define QUEUES		4
#define ORDER		2

static void open_store(struct mock *own, const struct mock *m)
{
	*own = *m;
	own->xs = xs_open(0);
	if (!own->xs)
		err(2, "no xenstore");
}

static void flood_state(const struct mock *m, volatile unsigned long *count)
{
	struct mock own;

	for (open_store(&own, m);; ++*count)
		mock_write(&own, own.front, "state", "%d", CONNECTED);
}

static unsigned long slab_kib(void)
{
	FILE *file = fopen("/proc/meminfo", "r");
	unsigned long kib = 0;
	char line[128];

	while (file && fgets(line, sizeof(line), file))
		sscanf(line, "SUnreclaim: %lu kB", &kib);
	if (file)
		fclose(file);
	return kib;
}

/* Returns how long it took until it was served, in ms. */
static unsigned long attach_other(const char *disk)
{
	struct request req = { .op = OP_FLUSH };
	unsigned long began = mock_now_ms();
	struct response rsp;
	struct mock m;

	mock_open(&m, VDEV + 1, disk, "w");
	tap_check(link_up(&m, 2, 0, false) &&
		  ring_do(&m, &m.ring[0], &req, &rsp) && !rsp.status,
		  "state flood: another disk is served");
	began = mock_now_ms() - began;
	link_down(&m);
	mock_close(&m);
	return began;
}

static void attach_beside(struct mock *m, const char *disk)
{
	unsigned long longest = 0, took, kib;
	struct child child;
	unsigned int i;

	tap_check(link_up(m, 1, 0, false), "state flood: connects");
	attach_other(disk);
	kib = slab_kib();
	child_start(&child, flood_state, m);
	for (i = 0; i < OTHERS; i++) {
		took = attach_other(disk);
		longest = took > longest ? took : longest;
	}
	kib = slab_kib() - kib;
	tap_note("%lu writes, %ld KiB of slab more", *child.count, (long)kib);
	tap_check(*child.count > 300, "state flood: there was one");
	tap_check((long)kib < SLAB_KIB, "state flood: slab grew by %ld KiB",
		  (long)kib);
	tap_check(longest < ATTACH_MS,
		  "state flood: another disk took %lu ms at most", longest);
	child_end(&child);
	tap_check(mock_state(m) == CONNECTED, "state flood: still connected");
	link_down(m);
}

static void rewrite_sizes(const struct mock *m, volatile unsigned long *count)
{
	static const char * const orders[] = {
		"0", "1", "2", "1", "0", "2", "5", "-1", "64", "big", "9", };
	static const char * const queues[] = {
		"2", "3", "4", "3", "2", "4", "0", "-1", "1000", "two", "",
		"4294967298", "1", };
	struct mock own;

	for (open_store(&own, m);; ++*count) {
		mock_write(&own, own.front, "ring-page-order", "%s",
			   orders[*count % ARRAY_SIZE(orders)]);
		mock_write(&own, own.front, "multi-queue-num-queues", "%s",
			   queues[*count % ARRAY_SIZE(queues)]);
	}
}

/* Are all rings of one size? As the backend's table in debugfs says. */
static bool of_one_size(const struct mock *m)
{
	long first = mock_ring_number(m, 0, "entries"), entries = first;
	unsigned int ring;

	for (ring = 1; entries == first; ring++)
		entries = mock_ring_number(m, ring, "entries");
	return first > 0 && entries < 0;
}

/* Returns the state that it comes to: Connected or Closed; 0 for neither. */
static int await_either(struct mock *m)
{
	time_t end = time(NULL) + WAIT_SECONDS;
	int state;

	while (time(NULL) < end) {
		state = mock_state(m);
		if (state == CONNECTED || state == CLOSED)
			return state;
		usleep(2000);
	}
	return 0;
}

static void rewrite(struct mock *m)
{
	unsigned int i, nr_connected = 0, nr_closed = 0, nr_bad = 0;
	struct child child;

	link_create(m, QUEUES, ORDER, false);
	link_publish(m, "x86_64-abi");
	child_start(&child, rewrite_sizes, m);
	for (i = 0; i < REWRITES; i++) {
		mock_write(m, m->front, "state", "%d", INITIALISED);
		if (await_either(m) == CONNECTED) {
			nr_connected++;
			nr_bad += !of_one_size(m);
		} else {
			nr_closed += mock_state(m) == CLOSED;
		}
		nr_bad += !mock_restart(m);
	}
	tap_note("%lu times rewritten", *child.count);
	child_end(&child);
	tap_check(nr_connected && nr_closed && nr_connected + nr_closed == REWRITES,
		  "sizes rewritten: %u times connected, %u times refused",
		  nr_connected, nr_closed);
	tap_check(!nr_bad, "sizes rewritten: all rings of one size");
	for (i = 0; i < QUEUES; i++)
		ring_destroy(m, &m->ring[i]);
	tap_check(link_up(m, 2, 1, false), "sizes rewritten: connects");
	link_down(m);
}

void cases_floods(const char *disk)
{
	struct mock m;

	mock_open(&m, VDEV, disk, "w");
	attach_beside(&m, disk);
	mock_write(&m, m.front, "state", "%d", INITIALISING);
	tap_check(mock_await_state(&m, INITWAIT), "can start again");
	rewrite(&m);
	mock_close(&m);
}
