// SPDX-License-Identifier: GPL-2.0-only
/* A whole connection: rings, the nodes that publish them, up and down. */
#include <stdio.h>
#include <string.h>

#include "mock.h"

void link_create(struct mock *m, unsigned int nr_queues, unsigned int order,
		 bool layout32)
{
	unsigned int i;

	m->nr_queues = nr_queues;
	for (i = 0; i < nr_queues; i++)
		ring_create(m, &m->ring[i], 1U << order, layout32);
}

static void publish_ring(struct mock *m, const char *dir, struct ring *ring)
{
	char key[16];
	unsigned int i;

	for (i = 0; i < ring->nr_pages; i++) {
		snprintf(key, sizeof(key), "ring-ref%u", i);
		mock_write(m, dir, ring->nr_pages == 1 ? "ring-ref" : key, "%u",
			   ring->ref[i]);
	}
	mock_write(m, dir, "event-channel", "%d", ring->port);
}

static void remove_nodes(struct mock *m)
{
	static const char * const keys[] = {
		"ring-ref", "ring-page-order", "num-ring-pages", "protocol",
		"multi-queue-num-queues", "event-channel", "feature-persistent",
	};
	char key[16];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(keys); i++)
		mock_remove(m, m->front, keys[i]);
	for (i = 0; i < MAX_PAGES; i++) {
		snprintf(key, sizeof(key), "ring-ref%u", i);
		mock_remove(m, m->front, key);
		snprintf(key, sizeof(key), "queue-%u", i);
		mock_remove(m, m->front, key);
	}
}

void link_publish(struct mock *m, const char *protocol)
{
	char dir[128];
	unsigned int i, order = 0;

	remove_nodes(m);
	while (1U << order < m->ring[0].nr_pages)
		order++;
	if (order)
		mock_write(m, m->front, "ring-page-order", "%u", order);
	if (protocol)
		mock_write(m, m->front, "protocol", "%s", protocol);
	if (m->nr_queues == 1) {
		publish_ring(m, m->front, &m->ring[0]);
		return;
	}
	mock_write(m, m->front, "multi-queue-num-queues", "%u", m->nr_queues);
	for (i = 0; i < m->nr_queues; i++) {
		snprintf(dir, sizeof(dir), "%s/queue-%u", m->front, i);
		publish_ring(m, dir, &m->ring[i]);
	}
}

bool link_up(struct mock *m, unsigned int nr_queues, unsigned int order,
	     bool layout32)
{
	link_create(m, nr_queues, order, layout32);
	link_publish(m, layout32 ? "x86_32-abi" : "x86_64-abi");
	mock_write(m, m->front, "state", "%d", INITIALISED);
	return mock_await_state(m, CONNECTED);
}

/* The backend lets go of the pages before it says that it is closed. */
void link_down(struct mock *m)
{
	unsigned int i;

	mock_write(m, m->front, "state", "%d", CLOSED);
	tap_check(mock_await_state(m, CLOSED), "the backend closes");
	for (i = 0; i < m->nr_queues; i++)
		ring_destroy(m, &m->ring[i]);
	m->nr_queues = 0;
}
