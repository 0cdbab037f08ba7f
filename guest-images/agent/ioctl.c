// SPDX-License-Identifier: GPL-2.0-only
/* An ioctl without an argument: guests have no tool that sends any. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "agent.h"

int print_ioctl(const char *device, const char *request)
{
	int fd = open(device, O_RDONLY | O_NONBLOCK);

	if (fd < 0) {
		perror(device);
		return 1;
	}
	puts(ioctl(fd, strtoul(request, NULL, 0), 0) < 0 ? strerrorname_np(errno) : "0");
	return 0;
}
