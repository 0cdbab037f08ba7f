// SPDX-License-Identifier: GPL-2.0-only
/*
 * Both directories of a guest's disk, the backend's where no backend driver
 * looks; and the way up and down.
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "backend.h"

void back_open(struct backend *b, unsigned int domid)
{
	memset(b, 0, sizeof(*b));
	b->m.xs = xs_open(0);
	b->m.evt = xenevtchn_open(NULL, 0);
	b->gnt = xengnttab_open(NULL, 0);
	if (!b->m.xs || !b->m.evt || !b->gnt)
		err(2, "can't reach Xen: are evtchn and gntdev loaded?");
	b->domid = domid;
	b->disk = calloc(1, DISK_BYTES);
	b->held = calloc(MAX_HELD, sizeof(b->held[0]));
	if (!b->disk || !b->held)
		err(2, "no memory");
}

void back_close(struct backend *b)
{
	free(b->held);
	free(b->disk);
	xengnttab_close(b->gnt);
	xenevtchn_close(b->m.evt);
	xs_close(b->m.xs);
}

static void name_disk(struct backend *b, unsigned int index)
{
	b->index = index;
	b->m.vdev = 1U << 28 | index << 8;
	if (index < 26)
		snprintf(b->name, sizeof(b->name), "xvd%c", 'a' + index);
	else
		snprintf(b->name, sizeof(b->name), "xvd%c%c",
			 'a' + index / 26 - 1, 'a' + index % 26);
	snprintf(b->m.front, sizeof(b->m.front),
		 "/local/domain/%u/device/vbd/%u", b->domid, b->m.vdev);
	snprintf(b->m.back, sizeof(b->m.back), "/local/domain/0/mock/vbd/%u/%u",
		 b->domid, b->m.vdev);
}

/* A folder that @owner may write and @reader may read; so may what is in it. */
static void make_dir(struct mock *m, xs_transaction_t t, const char *dir,
		     unsigned int owner, unsigned int reader)
{
	struct xs_permissions perms[] = {
		{ .id = owner, .perms = XS_PERM_NONE },
		{ .id = reader, .perms = XS_PERM_READ },
	};

	if (!xs_mkdir(m->xs, t, dir) ||
	    !xs_set_permissions(m->xs, t, dir, perms, ARRAY_SIZE(perms)))
		err(2, "can't make %s", dir);
}

/* The backend's half, with limits like those of a driver, in InitWait. */
void back_prepare(struct backend *b, unsigned int index)
{
	struct mock *m = &b->m;

	name_disk(b, index);
	make_dir(m, XBT_NULL, m->back, 0, b->domid);
	mock_write(m, m->back, "frontend", "%s", m->front);
	mock_write(m, m->back, "frontend-id", "%u", b->domid);
	mock_write(m, m->back, "online", "1");
	mock_write(m, m->back, "multi-queue-max-queues", "2");
	mock_write(m, m->back, "max-ring-page-order", "2");
	mock_write(m, m->back, "feature-max-indirect-segments", "64");
	mock_write(m, m->back, "state", "%d", INITWAIT);
	b->answer = answer_truly;
	b->nr_events = 0;
	b->nr_flushes = 0;
}

/* The guest makes the device as soon as its half is there: all at once. */
void back_show(struct backend *b)
{
	struct mock *m = &b->m;
	xs_transaction_t t = xs_transaction_start(m->xs);
	char number[16];

	snprintf(number, sizeof(number), "%u", m->vdev);
	make_dir(m, t, m->front, b->domid, 0);
	mock_write_in(m, t, m->front, "backend", m->back);
	mock_write_in(m, t, m->front, "backend-id", "0");
	mock_write_in(m, t, m->front, "virtual-device", number);
	mock_write_in(m, t, m->front, "device-type", "disk");
	mock_write_in(m, t, m->front, "state", "1");
	if (!xs_transaction_end(m->xs, t, false))
		err(2, "can't create %s", m->front);
}

void back_show_disk(struct backend *b)
{
	struct mock *m = &b->m;

	mock_write(m, m->back, "sectors", "%u", DISK_BYTES / 512);
	mock_write(m, m->back, "sector-size", "512");
	mock_write(m, m->back, "info", "0");
	mock_write(m, m->back, "feature-flush-cache", "1");
}

void back_set_state(struct backend *b, int state)
{
	mock_write(&b->m, b->m.back, "state", "%d", state);
}

static unsigned int read_number(struct backend *b, const char *dir,
				const char *key, unsigned int absent)
{
	char *text = mock_read(&b->m, dir, key);
	unsigned int number = text ? strtoul(text, NULL, 10) : absent;

	free(text);
	return number;
}

static void map_rings(struct backend *b)
{
	unsigned int nr = read_number(b, b->m.front, "multi-queue-num-queues",
				      1);
	unsigned int order = read_number(b, b->m.front, "ring-page-order", 0);
	unsigned int i;
	char dir[128];

	if (nr < 1 || nr > MAX_QUEUES || 1U << order > MAX_PAGES)
		errx(2, "%s: %u queues of order %u", b->name, nr, order);
	for (i = 0; i < nr; i++) {
		snprintf(dir, sizeof(dir), "%s/queue-%u", b->m.front, i);
		served_map(b, &b->ring[i], nr == 1 ? b->m.front : dir,
			   1U << order);
	}
	b->nr_rings = nr;
}

/* A frontend may use direct requests whatever is offered. */
static void read_offer(struct backend *b)
{
	unsigned int nr = read_number(b, b->m.back,
				      "feature-max-indirect-segments", 0);

	if (nr < MAX_SEGMENTS)
		nr = MAX_SEGMENTS;
	b->max_segments = nr < MAX_LISTED ? nr : MAX_LISTED;
}

/* From a frontend that has its rings to Connected; false if it has none. */
bool back_connect(struct backend *b)
{
	if (!mock_await_state_of(&b->m, b->m.front, INITIALISED))
		return false;
	map_rings(b);
	read_offer(b);
	back_set_state(b, CONNECTED);
	return true;
}

/* A sound disk, up to where the guest has looked for partitions. */
bool back_attach(struct backend *b, unsigned int index)
{
	back_prepare(b, index);
	back_show_disk(b);
	back_show(b);
	return back_connect(b) && back_serve(b, front_connected) &&
	       !guest_run(b, "agent wait-disk 30 /dev/%s", b->name);
}

/* As a backend does before it goes to Closed. */
void back_unmap(struct backend *b)
{
	while (b->nr_rings)
		served_unmap(b, &b->ring[--b->nr_rings]);
	b->nr_held = 0;
	if (b->kept)
		xengnttab_unmap(b->gnt, b->kept, 1);
	b->kept = NULL;
}

/* What a toolstack does in the end, or by force, at any moment. */
void back_remove(struct backend *b)
{
	char dir[128];

	mock_error_dir(b->m.front, dir, sizeof(dir));
	xs_rm(b->m.xs, XBT_NULL, b->m.front);
	xs_rm(b->m.xs, XBT_NULL, b->m.back);
	xs_rm(b->m.xs, XBT_NULL, dir);
	back_unmap(b);
}

/* Goes on serving until the frontend lets go. */
void back_detach(struct backend *b)
{
	if (mock_state_of(&b->m, b->m.front) != CLOSED) {
		back_set_state(b, CLOSING);
		tap_check(back_serve(b, front_closed), "%s: detaches", b->name);
	}
	back_set_state(b, CLOSED);
	back_remove(b);
}

static bool has_error(struct backend *b)
{
	char *error = mock_error_of(&b->m, b->m.front);
	bool found = error && strstr(error, b->word);

	snprintf(b->said, sizeof(b->said), "%s", error ? error : "(none)");
	free(error);
	return found;
}

void back_check_error(struct backend *b, const char *name, const char *word)
{
	b->word = word;
	tap_check(back_serve(b, has_error), "%s: error node: %s", name, b->said);
}
