// SPDX-License-Identifier: GPL-2.0-only
/*
 * Wrong and missing nodes: the backend names the fault in its error node and
 * goes to Closed, and a frontend that mends it connects.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mock.h"

#define VDEV	900001

/* Where the test has its disk from. */
#define POWER	"/sys/kernel/config/nullb/victim/power"

static const struct node_case {
	const char *name, *key, *value, *complaint;
	unsigned int queues, order;
} cases[] = {
	/* value NULL: the node is removed */
	{ "no queues", "multi-queue-num-queues", "0", "num-queues", 1, 0 },
	{ "too many queues", "multi-queue-num-queues", "1000", "num-queues",
	  1, 0 },
	{ "negative queues", "multi-queue-num-queues", "-1", "num-queues",
	  1, 0 },
	{ "queues in words", "multi-queue-num-queues", "two", "num-queues",
	  1, 0 },
	{ "queues beyond 32 bits", "multi-queue-num-queues", "4294967297",
	  "num-queues", 1, 0 },
	{ "order above the limit", "ring-page-order", "5", "ring-page-order",
	  1, 0 },
	{ "order that overflows", "ring-page-order", "64", "ring-page-order",
	  1, 0 },
	{ "order in words", "ring-page-order", "big", "ring-page-order", 1, 0 },
	{ "page count of 3", "num-ring-pages", "3", "num-ring-pages", 1, 0 },
	{ "page count of 1024", "num-ring-pages", "1024", "num-ring-pages",
	  1, 0 },
	{ "no ring-ref", "ring-ref", NULL, "ring-ref", 1, 0 },
	{ "no third ring-ref", "ring-ref2", NULL, "ring-ref", 1, 2 },
	{ "a ring-ref of no grant", "ring-ref", "4000000000", "ring", 1, 0 },
	{ "a ring-ref in words", "ring-ref", "ref", "ring-ref", 1, 0 },
	{ "no event channel", "event-channel", NULL, "event-channel", 1, 0 },
	{ "event channel 0", "event-channel", "0", "event-channel", 1, 0 },
	{ "an event channel of nobody", "event-channel", "3999", "ring", 1, 0 },
	{ "an unknown protocol", "protocol", "vax-abi", "protocol", 1, 0 },
	{ "persistent grants in words", "feature-persistent", "many",
	  "feature-persistent", 1, 0 },
	{ "a queue without its folder", "queue-1", NULL, "ring-ref", 2, 0 },
};

static void check_complaint(struct mock *m, const char *name,
			    const char *complaint)
{
	char *error = mock_error(m);

	tap_check(error && strstr(error, complaint), "%s: error node: %s", name,
		  error ? error : "(none)");
	free(error);
}

static void run_case(struct mock *m, const struct node_case *c)
{
	unsigned int i;

	link_create(m, c->queues, c->order, false);
	link_publish(m, "x86_64-abi");
	if (c->value)
		mock_write(m, m->front, c->key, "%s", c->value);
	else
		mock_remove(m, m->front, c->key);
	mock_write(m, m->front, "state", "%d", INITIALISED);
	tap_check(mock_await_state(m, CLOSED), "%s: goes to Closed", c->name);
	check_complaint(m, c->name, c->complaint);
	for (i = 0; i < m->nr_queues; i++)
		ring_destroy(m, &m->ring[i]);
	tap_check(mock_restart(m), "%s: can start again", c->name);
}

static void run_bad_disk(const char *disk, const char *name)
{
	struct mock m;

	mock_open(&m, VDEV + 1, disk, "w");
	tap_check(mock_await_state(&m, CLOSED), "%s: goes to Closed", name);
	check_complaint(&m, name, "device");
	mock_close(&m);
}

static bool await_error(struct mock *m)
{
	unsigned int i;
	char *error;

	for (i = 0; i < WAIT_SECONDS * 100; i++) {
		error = mock_error(m);
		free(error);
		if (error)
			return true;
		usleep(10000);
	}
	return false;
}

/* Were it asked to start, a frontend would come back again and again. */
static void come_back(struct mock *m, const char *name, int state)
{
	char dir[128];

	mock_error_dir(m->back, dir, sizeof(dir));
	mock_remove(m, dir, "error");
	mock_write(m, m->front, "state", "%d", state);
	tap_check(await_error(m) && mock_state(m) == CLOSED,
		  "%s: Closed for a frontend in state %d", name, state);
	check_complaint(m, name, "can't open device");
}

static void come_back_in_vain(struct mock *m, const char *name)
{
	come_back(m, name, INITIALISING);
	link_create(m, 1, 0, false);
	link_publish(m, "x86_64-abi");
	come_back(m, name, INITIALISED);
	come_back(m, name, CONNECTED);
	come_back(m, name, INITIALISING);
	ring_destroy(m, &m->ring[0]);
	m->nr_queues = 0;
}

static void exchange_disk(const char *disk)
{
	const char *name = "a disk exchanged for none";
	struct mock m;

	mock_open(&m, VDEV + 2, disk, "w");
	tap_check(link_up(&m, 1, 0, false), "%s: connects before", name);
	mock_write(&m, m.back, "online", "0");
	link_down(&m);
	mock_write(&m, m.back, "physical-device", "fff:fffff");
	mock_write(&m, m.back, "online", "1");
	come_back_in_vain(&m, name);
	mock_write(&m, m.back, "physical-device", "%s", disk);
	tap_check(mock_await_state(&m, INITWAIT), "%s: goes on with another",
		  name);
	tap_check(link_up(&m, 1, 0, false), "%s: connects to that", name);
	link_down(&m);
	mock_close(&m);
}

static void take_disk_out(const char *disk)
{
	const char *name = "a disk that was taken out";
	struct mock m;
	FILE *power;

	mock_open(&m, VDEV + 2, disk, "w");
	tap_check(link_up(&m, 1, 0, false), "%s: connects before", name);
	link_down(&m);
	power = fopen(POWER, "w");
	tap_check(power && fputs("0", power) >= 0 && !fclose(power),
		  "%s: is out", name);
	come_back_in_vain(&m, name);
	mock_close(&m);
}

static void run_names(struct mock *m, const char *name, const char *order)
{
	link_create(m, 1, 0, false);
	link_publish(m, "x86_64-abi");
	mock_remove(m, m->front, "ring-ref");
	/* A stale reference under the name that does not count. */
	mock_write(m, m->front, order ? "ring-ref" : "ring-ref0", "4000000000");
	mock_write(m, m->front, order ? "ring-ref0" : "ring-ref", "%u",
		   m->ring[0].ref[0]);
	if (order)
		mock_write(m, m->front, "ring-page-order", "%s", order);
	mock_write(m, m->front, "multi-queue-num-queues", "1");
	mock_write(m, m->front, "state", "%d", INITIALISED);
	tap_check(mock_await_state(m, CONNECTED), "%s: connects", name);
	link_down(m);
	mock_write(m, m->front, "state", "%d", INITIALISING);
	tap_check(mock_await_state(m, INITWAIT), "%s: can start again", name);
}

void cases_nodes(const char *disk)
{
	unsigned int i;
	struct mock m;

	mock_open(&m, VDEV, disk, "w");
	for (i = 0; i < ARRAY_SIZE(cases); i++)
		run_case(&m, &cases[i]);
	run_names(&m, "one page, no order, a stale ring-ref0", NULL);
	run_names(&m, "one page, order 0 written, a stale ring-ref", "0");
	run_bad_disk("fff:fffff", "a disk that is not there");
	run_bad_disk("zebra", "a disk that is no number");
	run_bad_disk("1000000:0", "a disk number out of range");
	exchange_disk(disk);
	tap_check(link_up(&m, 1, 0, false), "after all that: connects");
	link_down(&m);
	mock_close(&m);
	take_disk_out(disk);
}
