// SPDX-License-Identifier: GPL-2.0-only
/*
 * Barriers on a disk whose writes take their time: what comes before on any
 * ring is answered first, what comes after on the same ring waits, other rings
 * go on, and no mix of barriers or an end in the middle of one hangs.
 */
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "mock.h"

#define VDEV		900071
#define NR_QUEUES	4
#define ROUNDS		2

static void put(struct disk *d, unsigned int queue, uint8_t op, uint64_t sector)
{
	struct request req;

	disk_build(d, &req, op, sector, 8);
	ring_put(&d->m.ring[queue], &req);
}

static void send(struct disk *d, unsigned int queue, uint8_t op,
		 uint64_t sector)
{
	put(d, queue, op, sector);
	ring_push(&d->m, &d->m.ring[queue]);
}

static bool answered(struct disk *d, unsigned int queue, uint8_t op)
{
	struct response rsp;

	return ring_await(&d->m, &d->m.ring[queue], &rsp) && rsp.op == op &&
	       !rsp.status;
}

/* Is the next answer there already? */
static bool has_answer(struct disk *d, unsigned int queue)
{
	struct ring *ring = &d->m.ring[queue];

	__sync_synchronize();
	return ring->sring->rsp_prod != ring->rsp_cons;
}

/* Everything that is taken is at the disk, or parked: wait for the threads. */
static void await_taken(struct disk *d, unsigned int queue)
{
	struct ring *ring = &d->m.ring[queue];
	unsigned int i;

	/* The thread asks for the next event when it has taken all. */
	for (i = 0; i < 3000 && ring->sring->req_event != ring->req_prod + 1;
	     i++)
		usleep(1000);
	tap_check(i < 3000, "ring %u: taken", queue);
}

static void run_order(struct disk *d)
{
	send(d, 0, OP_WRITE, 0);
	send(d, 2, OP_WRITE, 16);
	await_taken(d, 0);
	await_taken(d, 2);
	put(d, 1, OP_BARRIER, 32);
	send(d, 1, OP_READ, 32);
	send(d, 3, OP_READ, 64);
	tap_check(answered(d, 3, OP_READ), "a read on another ring");
	tap_check(!has_answer(d, 0) && !has_answer(d, 1) && !has_answer(d, 2),
		  "does not wait for writes or the barrier");
	tap_check(answered(d, 1, OP_BARRIER), "the barrier is done");
	tap_check(has_answer(d, 0) && has_answer(d, 2),
		  "after the writes of other rings");
	tap_check(answered(d, 1, OP_READ), "and then what came behind it");
	tap_check(answered(d, 0, OP_WRITE) && answered(d, 2, OP_WRITE),
		  "the writes are done");
}

/* Of its own ring: all that came before, in one push. */
static void run_one_ring(struct disk *d)
{
	unsigned int i;

	for (i = 0; i < 5; i++)
		put(d, 0, OP_WRITE, 8 * i);
	put(d, 0, OP_BARRIER, 64);
	put(d, 0, OP_READ, 72);
	put(d, 0, OP_BARRIER, 64);
	send(d, 0, OP_READ, 72);
	for (i = 0; i < 5; i++)
		tap_check(answered(d, 0, OP_WRITE), "write %u before it", i);
	tap_check(answered(d, 0, OP_BARRIER), "then the barrier");
	tap_check(answered(d, 0, OP_READ), "then the read");
	tap_check(answered(d, 0, OP_BARRIER), "then the next barrier");
	tap_check(answered(d, 0, OP_READ), "then the next read");
}

static void run_all_at_once(struct disk *d)
{
	unsigned int i, round, bad = 0;

	for (round = 0; round < ROUNDS; round++) {
		for (i = 0; i < NR_QUEUES; i++) {
			put(d, i, OP_WRITE, 8 * i);
			put(d, i, OP_BARRIER, 64 + 8 * i);
			put(d, i, OP_READ, 128);
		}
		for (i = 0; i < NR_QUEUES; i++)
			ring_push(&d->m, &d->m.ring[i]);
		for (i = 0; i < NR_QUEUES; i++)
			bad += !answered(d, i, OP_WRITE) ||
			       !answered(d, i, OP_BARRIER) ||
			       !answered(d, i, OP_READ);
	}
	tap_check(!bad, "barriers on all rings at once: %u went wrong", bad);
}

/* Whoever runs this looks what became of it at the device. */
static void run_flush_with_data(struct disk *d)
{
	send(d, 0, OP_FLUSH, 200);
	tap_check(answered(d, 0, OP_FLUSH), "a flush with data is done");
}

/* A ring that is halted has nothing to finish. */
static void run_with_liar(struct disk *d)
{
	struct ring *liar = &d->m.ring[NR_QUEUES - 1];

	liar->req_prod += 1000;
	ring_push(&d->m, liar);
	send(d, 0, OP_BARRIER, 8);
	tap_check(answered(d, 0, OP_BARRIER), "a barrier beside a halted ring");
	send(d, 0, OP_BARRIER, 8);
	tap_check(answered(d, 0, OP_BARRIER), "and another");
}

/* The frontend goes while barriers wait, for others and for their round. */
static void run_teardown(const char *disk, bool parked)
{
	time_t start;
	struct disk d;
	unsigned int i;

	disk_open(&d, VDEV + 1, disk, "w");
	disk_connect(&d, NR_QUEUES, false);
	for (i = 0; i < NR_QUEUES; i++) {
		put(&d, i, OP_WRITE, 8 * i);
		put(&d, i, OP_BARRIER, 64 + 8 * i);
		put(&d, i, OP_READ, 128);
		ring_push(&d.m, &d.m.ring[i]);
	}
	if (parked)
		tap_check(answered(&d, 1, OP_WRITE), "writes are on their way");
	start = time(NULL);
	disk_close(&d);
	tap_check(time(NULL) - start < 10, "closed within %ld s",
		  (long)(time(NULL) - start));
}

void cases_barriers(const char *disk)
{
	struct disk d;

	disk_open(&d, VDEV, disk, "w");
	disk_connect(&d, NR_QUEUES, false);
	tap_check(disk_number(&d, "feature-barrier") == 1, "offered");
	run_order(&d);
	run_one_ring(&d);
	run_all_at_once(&d);
	run_flush_with_data(&d);
	run_with_liar(&d);
	disk_close(&d);
	run_teardown(disk, false);
	run_teardown(disk, true);
}
