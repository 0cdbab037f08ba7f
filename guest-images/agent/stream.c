// SPDX-License-Identifier: GPL-2.0-only
/* Whole reads and writes over a socket or a vchan. */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <libxenvchan.h>

#include "agent.h"

static ssize_t read_some(struct stream *s, void *buf, size_t len)
{
	ssize_t n;

	if (s->vchan)
		return libxenvchan_read(s->vchan, buf, len);
	do {
		n = read(s->fd, buf, len);
	} while (n < 0 && errno == EINTR);
	return n;
}

static ssize_t write_some(struct stream *s, const void *buf, size_t len)
{
	ssize_t n;

	if (s->vchan)
		return libxenvchan_write(s->vchan, buf, len);
	do {
		n = send(s->fd, buf, len, MSG_NOSIGNAL);
	} while (n < 0 && errno == EINTR);
	return n;
}

bool stream_read(struct stream *s, void *buf, size_t len)
{
	char *at = buf;

	while (len) {
		ssize_t n = read_some(s, at, len);

		if (n <= 0)
			return false;
		at += n;
		len -= n;
	}
	return true;
}

bool stream_write(struct stream *s, const void *buf, size_t len)
{
	const char *at = buf;

	while (len) {
		ssize_t n = write_some(s, at, len);

		if (n <= 0)
			return false;
		at += n;
		len -= n;
	}
	return true;
}

bool stream_closed(struct stream *s)
{
	struct pollfd p = { .fd = s->fd, .events = POLLIN | POLLRDHUP };

	if (s->vchan)
		return !libxenvchan_is_open(s->vchan);
	return poll(&p, 1, 0) > 0 && (p.revents & (POLLRDHUP | POLLHUP | POLLERR));
}

bool stream_has_data(struct stream *s)
{
	struct pollfd p = { .fd = s->fd, .events = POLLIN };

	if (s->vchan)
		return libxenvchan_data_ready(s->vchan) > 0;
	return poll(&p, 1, 0) > 0 && (p.revents & POLLIN);
}

/* A vchan event stays pending until it is read; a socket has none. */
void stream_ack_event(struct stream *s)
{
	if (s->vchan)
		libxenvchan_wait(s->vchan);
}
