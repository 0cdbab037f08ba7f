// SPDX-License-Identifier: GPL-2.0-only
/*
 * Waiting for what tests wait for most, without polling and in one process:
 * a fork costs some 60 ms under emulation.
 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <xenstore.h>

#include "agent.h"

static int remaining_ms(const struct timespec *end)
{
	struct timespec now;
	long ms;

	clock_gettime(CLOCK_MONOTONIC, &now);
	ms = (end->tv_sec - now.tv_sec) * 1000 + (end->tv_nsec - now.tv_nsec) / 1000000;
	return ms > 0 ? ms : 0;
}

static struct timespec deadline(const char *seconds)
{
	struct timespec end;

	clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_sec += atoi(seconds);
	return end;
}

static bool wait_readable(int fd, const struct timespec *end)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, remaining_ms(end)) > 0;
}

/* The empty value means that there is no node: a directory has one, and it is empty. */
static bool node_is(struct xs_handle *xs, const char *path, const char *want)
{
	char *value = xs_read(xs, XBT_NULL, path, NULL);
	bool same = value ? *want && !strcmp(value, want) : !*want;

	free(value);
	return same;
}

int wait_node(const char *seconds, const char *path, const char *want)
{
	struct timespec end = deadline(seconds);
	struct xs_handle *xs = xs_open(0);
	int fd = watch_open();

	if (!xs || fd < 0 || !watch_add(fd, path))
		return 2;
	while (!node_is(xs, path, want))
		if (!wait_readable(fd, &end) || !watch_wait(fd))
			return 1;
	return 0;
}

/* A disk is there once it has a node and a size. */
static bool disk_is_ready(const char *device)
{
	const char *name = strrchr(device, '/');
	unsigned long long sectors = 0;
	char file[128];
	struct stat st;
	FILE *size;

	snprintf(file, sizeof(file), "/sys/class/block/%s/size", name ? name + 1 : device);
	size = fopen(file, "r");
	if (!size)
		return false;
	if (fscanf(size, "%llu", &sectors) != 1)
		sectors = 0;
	fclose(size);
	return sectors && !stat(device, &st) && S_ISBLK(st.st_mode);
}

/* Watching starts before the first look, so that no event is missed. */
int wait_disk(const char *seconds, const char *device)
{
	struct timespec end = deadline(seconds);
	char events[4096];
	int fd = inotify_init1(IN_CLOEXEC);

	if (fd < 0 || inotify_add_watch(fd, "/dev", IN_CREATE | IN_ATTRIB) < 0)
		return 2;
	while (!disk_is_ready(device)) {
		if (!wait_readable(fd, &end))
			return 1;
		if (read(fd, events, sizeof(events)) <= 0)
			return 2;
	}
	return 0;
}
