// SPDX-License-Identifier: GPL-2.0-only
/*
 * Ring indexes that lie, and events for nothing: the ring that lies stops, the
 * others of the same disk go on.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "mock.h"

#define VDEV	900021

static bool flush_works(struct mock *m, struct ring *ring)
{
	struct request req = { .op = OP_FLUSH, .id = 77 };
	struct response rsp;

	return ring_do(m, ring, &req, &rsp) && !rsp.status && rsp.id == 77;
}

/* The thread of the liar has its own time: wait until it has seen the lie. */
static bool await_halt(const struct mock *m)
{
	char path[96], text[16] = "";
	unsigned int i;
	FILE *file;

	snprintf(path, sizeof(path),
		 "/sys/bus/xen-backend/devices/vbd-0-%u/statistics/halted_rings",
		 m->vdev);
	for (i = 0; i < 3000 && text[0] != '1'; i++) {
		file = fopen(path, "r");
		if (!file || !fgets(text, sizeof(text), file))
			text[0] = 0;
		if (file)
			fclose(file);
		usleep(10000);
	}
	return !strcmp(text, "1\n");
}

static void lie_about_index(const char *disk, const char *name, uint32_t by)
{
	struct mock mock, *m = &mock;
	struct ring *liar = &m->ring[0];
	uint32_t answered;

	mock_open(m, VDEV + 1, disk, "w");
	tap_check(link_up(m, 2, 0, false), "%s: connects", name);
	tap_check(flush_works(m, liar), "%s: both rings serve: 0", name);
	tap_check(flush_works(m, &m->ring[1]), "%s: both rings serve: 1", name);
	answered = liar->sring->rsp_prod;
	liar->req_prod += by;
	ring_push(m, liar);
	tap_check(await_halt(m), "%s: the ring is stopped", name);
	tap_check(flush_works(m, &m->ring[1]), "%s: the other goes on", name);
	liar->req_prod -= by - 1;
	ring_push(m, liar);
	tap_check(flush_works(m, &m->ring[1]), "%s: and on", name);
	usleep(200000);
	tap_check(liar->sring->rsp_prod == answered,
		  "%s: a ring that lied once is not read again", name);
	link_down(m);
	mock_close(m);
}

static void send_for_nothing(struct mock *m)
{
	unsigned int i;

	tap_check(link_up(m, 2, 0, false), "event storm: connects");
	for (i = 0; i < 2000; i++)
		xenevtchn_notify(m->evt, m->ring[0].port);
	tap_check(flush_works(m, &m->ring[1]), "event storm: the other serves");
	tap_check(flush_works(m, &m->ring[0]), "event storm: this one too");
	link_down(m);
	mock_write(m, m->front, "state", "%d", INITIALISING);
	mock_await_state(m, INITWAIT);
}

static void fill_ring(struct mock *m, unsigned int order, bool layout32)
{
	struct request req = { .op = OP_FLUSH };
	struct response rsp = {};
	struct ring *ring = &m->ring[0];
	uint64_t seen = 0;
	uint32_t i;

	tap_check(link_up(m, 1, order, layout32), "full ring: connects");
	for (req.id = 0; req.id < ring->nr_ents; req.id++)
		ring_put(ring, &req);
	ring_push(m, ring);
	for (i = 0; i < ring->nr_ents && ring_await(m, ring, &rsp); i++)
		seen += rsp.id + 1;
	tap_check(seen == (uint64_t)ring->nr_ents * (ring->nr_ents + 1) / 2,
		  "full ring of order %u, %s-bit: %u answers, each once", order,
		  layout32 ? "32" : "64", i);
	link_down(m);
	mock_write(m, m->front, "state", "%d", INITIALISING);
	mock_await_state(m, INITWAIT);
}

void cases_rings(const char *disk)
{
	unsigned int order;
	struct mock m;

	mock_open(&m, VDEV, disk, "w");
	lie_about_index(disk, "index one beyond the ring", 33);
	lie_about_index(disk, "index far ahead", 100000);
	lie_about_index(disk, "index goes back", (uint32_t)-1);
	send_for_nothing(&m);
	for (order = 0; order <= 4; order += 2) {
		fill_ring(&m, order, false);
		fill_ring(&m, order, true);
	}
	mock_close(&m);
}
