// SPDX-License-Identifier: GPL-2.0-only
/*
 * Xenstore watches as a descriptor to poll. The static libxenstore is built
 * without its reader thread, and loses its connection when an event overtakes
 * an answer: so events get a connection of their own here.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include <stdint.h>
#include <xen/io/xs_wire.h>

#include "agent.h"

#define PAYLOAD_MAX	4096

int watch_open(void)
{
	return open("/dev/xen/xenbus", O_RDWR | O_CLOEXEC);
}

bool watch_add(int fd, const char *path)
{
	static const char token[] = "agent";
	struct xsd_sockmsg head = {
		.type = XS_WATCH,
		.len = strlen(path) + 1 + sizeof(token),
	};
	struct iovec parts[] = {
		{ .iov_base = &head, .iov_len = sizeof(head) },
		{ .iov_base = (void *)path, .iov_len = strlen(path) + 1 },
		{ .iov_base = (void *)token, .iov_len = sizeof(token) },
	};

	return writev(fd, parts, 3) > 0;
}

static bool read_whole(int fd, char *buf, size_t len)
{
	while (len) {
		ssize_t n = read(fd, buf, len);

		if (n <= 0)
			return false;
		buf += n;
		len -= n;
	}
	return true;
}

/* Waits for a message and drops it: that something changed is all it tells. */
bool watch_wait(int fd)
{
	struct xsd_sockmsg head;
	char payload[PAYLOAD_MAX];

	return read_whole(fd, (char *)&head, sizeof(head)) &&
	       head.len <= sizeof(payload) && read_whole(fd, payload, head.len);
}
