// SPDX-License-Identifier: GPL-2.0-only
/* Reading, writing and waiting for nodes. */
#include <err.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "mock.h"

void mock_write_in(struct mock *m, xs_transaction_t t, const char *dir,
		   const char *key, const char *value)
{
	char path[192];

	snprintf(path, sizeof(path), "%s/%s", dir, key);
	if (!xs_write(m->xs, t, path, value, strlen(value)))
		err(2, "can't write %s", path);
}

void mock_write(struct mock *m, const char *dir, const char *key,
		const char *format, ...)
{
	char value[128];
	va_list args;

	va_start(args, format);
	vsnprintf(value, sizeof(value), format, args);
	va_end(args);
	mock_write_in(m, XBT_NULL, dir, key, value);
}

void mock_remove(struct mock *m, const char *dir, const char *key)
{
	char path[192];

	snprintf(path, sizeof(path), "%s/%s", dir, key);
	xs_rm(m->xs, XBT_NULL, path);
}

/* Returns NULL when the node is absent; free the value. */
char *mock_read(struct mock *m, const char *dir, const char *key)
{
	char path[192];
	unsigned int len;

	snprintf(path, sizeof(path), "%s/%s", dir, key);
	return xs_read(m->xs, XBT_NULL, path, &len);
}

int mock_state_of(struct mock *m, const char *dir)
{
	char *text = mock_read(m, dir, "state");
	int state = text ? atoi(text) : 0;

	free(text);
	return state;
}

int mock_state(struct mock *m)
{
	return mock_state_of(m, m->back);
}

/* The error directory mirrors the device's path in its domain. */
void mock_error_dir(const char *end, char *dir, size_t size)
{
	const char *domain = "/local/domain/";
	const char *path = strchr(end + strlen(domain), '/');

	snprintf(dir, size, "%.*s/error%s", (int)(path - end), end, path);
}

char *mock_error_of(struct mock *m, const char *end)
{
	char dir[128];

	mock_error_dir(end, dir, sizeof(dir));
	return mock_read(m, dir, "error");
}

char *mock_error(struct mock *m)
{
	return mock_error_of(m, m->back);
}

/* A watch fires once when it is set, so that nothing is missed. */
bool mock_await_state_of(struct mock *m, const char *dir, int state)
{
	struct pollfd p = { .fd = xs_fileno(m->xs), .events = POLLIN };
	time_t end = time(NULL) + WAIT_SECONDS;
	unsigned int nr;
	bool reached;

	if (!xs_watch(m->xs, dir, "state"))
		err(2, "can't watch %s", dir);
	while (!(reached = mock_state_of(m, dir) == state) && time(NULL) < end) {
		if (poll(&p, 1, 1000) > 0)
			free(xs_read_watch(m->xs, &nr));
	}
	xs_unwatch(m->xs, dir, "state");
	return reached;
}

bool mock_await_state(struct mock *m, int state)
{
	return mock_await_state_of(m, m->back, state);
}
