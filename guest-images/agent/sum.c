// SPDX-License-Identifier: GPL-2.0-only
/*
 * Checksum of a device's content, read past the page cache. Four independent
 * lanes of multiply and rotate: under emulation md5 costs ten times as much, and
 * nobody forges test data.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "agent.h"

#define CHUNK	1048576
#define LANES	4
#define PRIME	0x9e3779b97f4a7c15ull

static uint64_t mix(uint64_t sum, uint64_t word)
{
	sum = (sum ^ word) * PRIME;
	return sum << 29 | sum >> 35;
}

static void add_chunk(uint64_t *lanes, const uint64_t *words, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		lanes[i % LANES] = mix(lanes[i % LANES], words[i]);
}

int print_sum(const char *device)
{
	uint64_t lanes[LANES] = { 1, 2, 3, 4 };
	uint64_t bytes = 0, sum;
	void *chunk = aligned_alloc(4096, CHUNK);
	int fd = open(device, O_RDONLY | O_DIRECT);
	ssize_t n;

	if (fd < 0 || !chunk)
		return perror(device), 1;
	while ((n = read(fd, chunk, CHUNK)) > 0) {
		add_chunk(lanes, chunk, n / sizeof(uint64_t));
		bytes += n;
	}
	if (n < 0)
		return perror(device), 1;
	sum = mix(mix(mix(mix(bytes, lanes[0]), lanes[1]), lanes[2]), lanes[3]);
	printf("%016llx\n", (unsigned long long)sum);
	return 0;
}
