// SPDX-License-Identifier: GPL-2.0-only
/*
 * A loop device that grows and shrinks: every ring holds requests against the
 * new size, and the frontend is told once.
 */
#include <err.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mock.h"

#define VDEV		900061
#define NR_QUEUES	4
#define QUIET_MS	500

static void read_line(const char *path, char *line, int size)
{
	FILE *file = fopen(path, "r");

	if (!file || !fgets(line, size, file))
		err(2, "can't read %s", path);
	fclose(file);
	line[strcspn(line, "\n")] = 0;
}

static void resize(const char *disk, uint64_t sectors)
{
	unsigned int minor = strtoul(strchr(disk, ':') + 1, NULL, 16);
	char path[64], file[128], command[64];

	snprintf(path, sizeof(path), "/sys/block/loop%u/loop/backing_file",
		 minor);
	read_line(path, file, sizeof(file));
	snprintf(command, sizeof(command), "losetup -c /dev/loop%u", minor);
	if (truncate(file, sectors * 512) || system(command))
		err(2, "no new size for %s", file);
}

static int read_at(struct disk *d, unsigned int queue, uint64_t sector)
{
	struct request req;

	disk_build(d, &req, OP_READ, sector, 8);
	return disk_do(d, queue, &req);
}

/* Events of the watch until there is none for a while. */
static unsigned int count_events(struct disk *d)
{
	struct pollfd p = { .fd = xs_fileno(d->m.xs), .events = POLLIN };
	unsigned int nr, events = 0;

	while (poll(&p, 1, QUIET_MS) > 0) {
		free(xs_read_watch(d->m.xs, &nr));
		events++;
	}
	return events;
}

/* Every ring looks for itself, whichever was the first to see it. */
static void check_rings(struct disk *d, uint64_t sectors)
{
	unsigned int i;

	for (i = 0; i < NR_QUEUES; i++) {
		tap_check(read_at(d, i, sectors - 8) == 0,
			  "ring %u: reads the last page of %llu", i,
			  (unsigned long long)sectors);
		tap_check(read_at(d, i, sectors) == -1,
			  "ring %u: and nothing beyond", i);
		tap_check(read_at(d, i, sectors - 4) == -1,
			  "ring %u: nor across the end", i);
	}
}

static void run_size(struct disk *d, const char *disk, uint64_t sectors)
{
	unsigned int events;

	resize(disk, sectors);
	check_rings(d, sectors);
	events = count_events(d);
	tap_check(events == 1, "told %u times", events);
	tap_check(disk_number(d, "sectors") == sectors, "the node says %llu",
		  (unsigned long long)disk_number(d, "sectors"));
	tap_check(mock_state(&d->m) == CONNECTED, "still connected");
}

/*
 * What the toolstack wrote to take the disk away stays; a frontend that refuses is
 * told of a size nevertheless.
 */
static void run_closing(struct disk *d, const char *disk)
{
	mock_write(&d->m, d->m.back, "state", "%d", CLOSING);
	count_events(d);
	resize(disk, 4096);
	tap_check(read_at(d, 0, 0) == 0, "closing: still served");
	tap_check(read_at(d, 0, 4096) == -1, "closing: nothing beyond the end");
	tap_check(count_events(d) == 1, "closing: told once");
	tap_check(disk_number(d, "sectors") == 4096, "closing: the node says so");
	tap_check(mock_state(&d->m) == CLOSING, "closing: still so");
}

void cases_resize(const char *disk)
{
	char state[128];
	struct disk d;

	disk_open(&d, VDEV, disk, "w");
	disk_connect(&d, NR_QUEUES, false);
	snprintf(state, sizeof(state), "%s/state", d.m.back);
	if (!xs_watch(d.m.xs, state, "told"))
		err(2, "can't watch %s", state);
	check_rings(&d, disk_number(&d, "sectors"));
	count_events(&d);
	run_size(&d, disk, 16384);
	run_size(&d, disk, 2048);
	run_size(&d, disk, 8192);
	run_closing(&d, disk);
	xs_unwatch(d.m.xs, state, "told");
	disk_close(&d);
}
