// SPDX-License-Identifier: GPL-2.0-only
/* A connected disk with pages to read into and to write from. */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "mock.h"

void disk_open(struct disk *d, unsigned int vdev, const char *disk,
	       const char *mode)
{
	mock_open(&d->m, vdev, disk, mode);
	d->data = xengntshr_share_pages(d->m.shr, 0, MAX_SEGMENTS, d->ref, 1);
	if (!d->data)
		err(2, "can't share data pages");
}

/* What the toolstack's nodes say now is what holds. */
void disk_connect(struct disk *d, unsigned int nr_queues, bool layout32)
{
	tap_check(link_up(&d->m, nr_queues, 0, layout32),
		  "%u queues, %s-bit, %s: connects", nr_queues,
		  layout32 ? "32" : "64", d->m.mode);
}

void disk_close(struct disk *d)
{
	link_down(&d->m);
	xengntshr_unshare(d->m.shr, d->data, MAX_SEGMENTS);
	mock_close(&d->m);
}

/* Whole pages, and what is left: 88 sectors at most. */
void disk_build(const struct disk *d, struct request *req, uint8_t op,
		uint64_t sector, unsigned int nr_sectors)
{
	static uint64_t id;

	*req = (struct request){ .op = op, .sector = sector, .id = id++ };
	for (; nr_sectors; req->nr_segments++) {
		unsigned int nr = nr_sectors < 8 ? nr_sectors : 8;

		req->seg[req->nr_segments] = (struct segment){
			.gref = d->ref[req->nr_segments], .last = nr - 1,
		};
		nr_sectors -= nr;
	}
}

/* Returns the status; 1, which is none, for no answer or one to another. */
int disk_do(struct disk *d, unsigned int queue, const struct request *req)
{
	struct response rsp = {};

	if (!ring_do(&d->m, &d->m.ring[queue], req, &rsp))
		return 1;
	return rsp.id == req->id && rsp.op == req->op ? rsp.status : 1;
}

/* A number of the backend's; 0 also when there is none. */
uint64_t disk_number(struct disk *d, const char *key)
{
	char *text = mock_read(&d->m, d->m.back, key);
	uint64_t number = text ? strtoull(text, NULL, 10) : 0;

	free(text);
	return number;
}

/* Milliseconds from some moment on. */
long mock_now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* A number of the backend's table of this disk's rings; -1 when there is none. */
long mock_ring_number(const struct mock *m, unsigned int ring,
		      const char *column)
{
	char path[96], names[512] = "", values[512] = "";
	char *name, *value, *rest_names = names, *rest_values = values;
	bool found;
	FILE *file;

	snprintf(path, sizeof(path), "/sys/kernel/debug/xen-blkback/vbd-0-%u/rings",
		 m->vdev);
	file = fopen(path, "r");
	if (!file)
		return -1;
	found = fgets(names, sizeof(names), file);
	do
		found = found && fgets(values, sizeof(values), file);
	while (found && ring--);
	fclose(file);
	if (!found)
		return -1;
	do {
		name = strsep(&rest_names, "\n ");
		value = strsep(&rest_values, "\n ");
	} while (name && value && strcmp(name, column));
	return name && value ? atol(value) : -1;
}
