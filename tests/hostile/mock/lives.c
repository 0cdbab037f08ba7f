// SPDX-License-Identifier: GPL-2.0-only
/*
 * Disks that come and go, for what looks on meanwhile, or afterwards for what
 * they have left.
 */
#include <unistd.h>

#include "mock.h"

#define VDEV		900071

#define ROUNDS_OMITTED	20
#define ROUNDS_LIVES	50
#define QUEUES		2

/* The rings before the one that can't be connected have to be undone. */
static bool omit_reference(const char *disk)
{
	struct mock m;
	unsigned int i;
	bool refused;

	mock_open(&m, VDEV, disk, "w");
	link_create(&m, QUEUES, 2, false);
	link_publish(&m, "x86_64-abi");
	mock_remove(&m, m.front, "queue-1/ring-ref1");
	mock_write(&m, m.front, "state", "%d", INITIALISED);
	refused = mock_await_state(&m, CLOSED);
	for (i = 0; i < QUEUES; i++)
		ring_destroy(&m, &m.ring[i]);
	mock_close(&m);
	return refused;
}

void cases_omitted(const char *disk)
{
	unsigned int i, nr_refused = 0;

	for (i = 0; i < ROUNDS_OMITTED; i++)
		nr_refused += omit_reference(disk);
	tap_check(nr_refused == ROUNDS_OMITTED,
		  "%u times refused for a reference that is missing",
		  nr_refused);
}

/* Some requests through each queue; returns false when one fails. */
static bool use(struct disk *d)
{
	unsigned int i, queue, nr_failed = 0;
	struct request req;

	for (i = 0; i < 4; i++) {
		for (queue = 0; queue < QUEUES; queue++) {
			disk_build(d, &req, i % 2 ? OP_READ : OP_WRITE, i * 8,
				   8 * (i + 1));
			nr_failed += disk_do(d, queue, &req) != 0;
		}
	}
	return !nr_failed;
}

static bool live(const char *disk)
{
	struct disk d;
	bool served;

	disk_open(&d, VDEV, disk, "w");
	served = link_up(&d.m, QUEUES, 0, false) && use(&d);
	link_down(&d.m);
	/* What the rings have counted outlives them. */
	mock_write(&d.m, d.m.front, "state", "%d", INITIALISING);
	served &= mock_await_state(&d.m, INITWAIT) &&
		  link_up(&d.m, QUEUES, 1, false) && use(&d);
	disk_close(&d);
	return served;
}

void cases_lives(const char *disk)
{
	unsigned int i, nr_served = 0;

	for (i = 0; i < ROUNDS_LIVES; i++)
		nr_served += live(disk);
	tap_check(nr_served == ROUNDS_LIVES, "%u lives served", nr_served);
}

/*
 * Gone with requests in flight. Its pages stay until the standard input ends:
 * by then the backend must have let go of them.
 */
void cases_brief(const char *disk)
{
	struct request req;
	unsigned int i;
	struct disk d;
	char byte;

	disk_open(&d, VDEV, disk, "w");
	tap_check(link_up(&d.m, QUEUES, 0, false), "connects");
	for (i = 0; i < 8; i++) {
		disk_build(&d, &req, OP_WRITE, i * 88, 88);
		ring_put(&d.m.ring[i % QUEUES], &req);
	}
	for (i = 0; i < QUEUES; i++)
		ring_push(&d.m, &d.m.ring[i]);
	mock_vanish(&d.m);
	tap_check(true, "gone");
	while (read(STDIN_FILENO, &byte, 1) > 0)
		;
}
