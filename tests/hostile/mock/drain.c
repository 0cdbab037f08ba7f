// SPDX-License-Identifier: GPL-2.0-only
/*
 * A frontend that is Closed while its requests are at a slow disk: the backend
 * waits for the disk, and then touches neither ring nor data any more.
 */
#include <string.h>
#include <unistd.h>

#include "mock.h"

#define VDEV		900071
#define QUEUES		2
#define REQUESTS	8

/* Of the disk; the backend may take a second more, and as much emulation. */
#define DELAY_MS	3000
#define CLOSED_MS	5000

#define MARK		0xa5

/* Reads and writes by turns, each of all data pages. */
static void start_requests(struct disk *d)
{
	struct request req;
	unsigned int q, i;

	for (q = 0; q < QUEUES; q++) {
		for (i = 0; i < REQUESTS; i++) {
			disk_build(d, &req, i % 2 ? OP_WRITE : OP_READ,
				   i * 8 * MAX_SEGMENTS, 8 * MAX_SEGMENTS);
			ring_put(&d->m.ring[q], &req);
		}
		ring_push(&d->m, &d->m.ring[q]);
	}
}

static bool is_at_disk(struct disk *d)
{
	unsigned int tries;

	for (tries = 0; tries < 200; tries++) {
		if (mock_ring_number(&d->m, 0, "in_flight") == REQUESTS &&
		    mock_ring_number(&d->m, 1, "in_flight") == REQUESTS)
			return true;
		usleep(10000);
	}
	return false;
}

static void mark_pages(struct disk *d)
{
	unsigned int q;

	memset(d->data, MARK, MAX_SEGMENTS * PAGE_BYTES);
	for (q = 0; q < QUEUES; q++)
		memset((void *)d->m.ring[q].sring, MARK, PAGE_BYTES);
}

static bool is_marked(const void *data, size_t size)
{
	const uint8_t *byte = data;

	return *byte == MARK && !memcmp(byte, byte + 1, size - 1);
}

static void check_pages(struct disk *d)
{
	unsigned int q;

	tap_check(is_marked(d->data, MAX_SEGMENTS * PAGE_BYTES),
		  "no data comes after Closed");
	for (q = 0; q < QUEUES; q++)
		tap_check(is_marked((void *)d->m.ring[q].sring, PAGE_BYTES),
			  "ring %u is not written after Closed", q);
}

void cases_drain(const char *disk)
{
	struct request req;
	struct disk d;
	unsigned int q;
	long start;

	disk_open(&d, VDEV, disk, "w");
	disk_connect(&d, QUEUES, false);
	start = mock_now_ms();
	start_requests(&d);
	tap_check(is_at_disk(&d), "all requests are at the disk");
	mock_write(&d.m, d.m.front, "state", "%d", CLOSED);
	tap_check(mock_await_state(&d.m, CLOSED), "the backend closes");
	start = mock_now_ms() - start;
	tap_check(start >= DELAY_MS, "not before the disk let go: %ld ms", start);
	tap_check(start < CLOSED_MS, "and soon after it did: %ld ms", start);
	mark_pages(&d);
	usleep((DELAY_MS + 1000) * 1000);
	check_pages(&d);
	for (q = 0; q < QUEUES; q++)
		ring_destroy(&d.m, &d.m.ring[q]);

	mock_write(&d.m, d.m.front, "state", "%d", INITIALISING);
	tap_check(mock_await_state(&d.m, INITWAIT), "can start again");
	disk_connect(&d, 1, false);
	disk_build(&d, &req, OP_READ, 0, 8);
	tap_check(!disk_do(&d, 0, &req), "and is served");
	disk_close(&d);
}
