// SPDX-License-Identifier: GPL-2.0-only
/*
 * Both directories of a disk in dom0, as a toolstack would make them, but the
 * frontend's lies where no real frontend looks.
 */
#include <err.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "mock.h"

void mock_open(struct mock *m, unsigned int vdev, const char *disk,
	       const char *mode)
{
	memset(m, 0, sizeof(*m));
	m->xs = xs_open(0);
	m->shr = xengntshr_open(NULL, 0);
	m->evt = xenevtchn_open(NULL, 0);
	if (!m->xs || !m->shr || !m->evt)
		err(2, "can't reach Xen: are evtchn and gntalloc loaded?");
	m->vdev = vdev;
	m->disk = disk;
	m->mode = mode;
	snprintf(m->front, sizeof(m->front), "/local/domain/0/mock/vbd/%u", vdev);
	snprintf(m->back, sizeof(m->back), "/local/domain/0/backend/vbd/0/%u",
		 vdev);
	mock_attach(m);
}

static void write_dirs(struct mock *m, xs_transaction_t t)
{
	const struct {
		const char *dir, *key, *value;
	} nodes[] = {
		{ m->front, "backend", m->back },
		{ m->front, "backend-id", "0" },
		{ m->front, "state", "1" },
		{ m->back, "frontend", m->front },
		{ m->back, "frontend-id", "0" },
		{ m->back, "online", "1" },
		{ m->back, "removable", "0" },
		{ m->back, "mode", m->mode },
		{ m->back, "dev", "mock" },
		{ m->back, "state", "1" },
		{ m->back, "physical-device", m->disk },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(nodes); i++)
		mock_write_in(m, t, nodes[i].dir, nodes[i].key, nodes[i].value);
}

void mock_attach(struct mock *m)
{
	xs_transaction_t t = xs_transaction_start(m->xs);

	write_dirs(m, t);
	if (!xs_transaction_end(m->xs, t, false))
		err(2, "can't create %s", m->back);
	if (!mock_await_state(m, INITWAIT) && mock_state(m) != CLOSED)
		errx(2, "no backend at %s: is xen-blkback loaded?", m->back);
}

static void await_driver_gone(const struct mock *m)
{
	time_t end = time(NULL) + WAIT_SECONDS;
	char path[64];

	snprintf(path, sizeof(path), "/sys/bus/xen-backend/devices/vbd-0-%u",
		 m->vdev);
	while (!access(path, F_OK)) {
		if (time(NULL) > end)
			errx(2, "%s does not go away", path);
		usleep(10000);
	}
}

/* Both directories are gone at once, and nobody waits for anything. */
void mock_vanish(struct mock *m)
{
	xs_transaction_t t = xs_transaction_start(m->xs);

	xs_rm(m->xs, t, m->back);
	xs_rm(m->xs, t, m->front);
	if (!xs_transaction_end(m->xs, t, false))
		err(2, "can't remove %s", m->back);
}

void mock_detach(struct mock *m)
{
	mock_write(m, m->back, "online", "0");
	mock_write(m, m->front, "state", "%d", CLOSED);
	if (!mock_await_state(m, CLOSED))
		errx(2, "%s does not close", m->back);
	xs_rm(m->xs, XBT_NULL, m->back);
	xs_rm(m->xs, XBT_NULL, m->front);
	await_driver_gone(m);
}

void mock_close(struct mock *m)
{
	mock_detach(m);
	xenevtchn_close(m->evt);
	xengntshr_close(m->shr);
	xs_close(m->xs);
}

/* Closed to Initialising, as a frontend does whose driver is loaded again. */
bool mock_restart(struct mock *m)
{
	mock_write(m, m->front, "state", "%d", CLOSED);
	if (!mock_await_state(m, CLOSED))
		return false;
	mock_write(m, m->front, "state", "%d", INITIALISING);
	return mock_await_state(m, INITWAIT);
}
