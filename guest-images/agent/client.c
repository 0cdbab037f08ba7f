// SPDX-License-Identifier: GPL-2.0-only
/* The client's side of a session: send the script, print what comes back. */
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

#include "agent.h"

#define STATUS_LOST	255

static int lost(const char *why)
{
	fprintf(stderr, "agent: %s\n", why);
	return STATUS_LOST;
}

static bool print_all(const char *buf, size_t len)
{
	while (len) {
		ssize_t n = write(STDOUT_FILENO, buf, len);

		if (n <= 0)
			return false;
		buf += n;
		len -= n;
	}
	return true;
}

/* Waits for bytes or for the other side's end, whichever comes first. */
static bool wait_for_data(struct stream *s, int domid)
{
	struct pollfd p[] = {
		{ .fd = s->fd, .events = POLLIN },
		{ .fd = s->vchan ? vchan_death_fd() : -1, .events = POLLIN },
	};

	while (!stream_has_data(s)) {
		if (stream_closed(s))
			return false;
		poll(p, 2, -1);
		if (p[0].revents)
			stream_ack_event(s);
		if (p[1].revents && vchan_peer_gone(domid))
			return false;
	}
	return true;
}

static int read_frames(struct stream *s, int domid)
{
	struct frame_head head;
	char buf[FRAME_MAX];
	uint32_t status;

	while (wait_for_data(s, domid) && stream_read(s, &head, sizeof(head))) {
		if (head.len > sizeof(buf) || !stream_read(s, buf, head.len))
			break;
		if (head.type == FRAME_OUTPUT && !print_all(buf, head.len))
			return lost("nobody reads the output");
		if (head.type == FRAME_EXIT) {
			__builtin_memcpy(&status, buf, sizeof(status));
			return status;
		}
	}
	return lost("the other side went away before the script's end");
}

int client_run(struct stream *s, const char *script, size_t len, int domid)
{
	uint32_t size = len;

	if (len > SCRIPT_MAX)
		return lost("script too long");
	if (!stream_write(s, &size, sizeof(size)) || !stream_write(s, script, len))
		return lost("no connection");
	return read_frames(s, domid);
}
