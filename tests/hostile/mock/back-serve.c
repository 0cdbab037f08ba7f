// SPDX-License-Identifier: GPL-2.0-only
/* Doing what requests ask for, or holding them; and the loop around it. */
#include <err.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "backend.h"

/* The state nodes and the guest's script are looked at so often, in ms. */
#define LOOK_INTERVAL	20

static void set_copy(const struct backend *b, const struct job *job,
		     const struct segment *seg, uint8_t *data,
		     xengnttab_grant_copy_segment_t *copy)
{
	union xengnttab_copy_ptr page = {
		.foreign = { .ref = seg->gref, .offset = seg->first * 512,
			     .domid = b->domid },
	};
	union xengnttab_copy_ptr here = { .virt = data };

	copy->source = job->op == OP_READ ? here : page;
	copy->dest = job->op == OP_READ ? page : here;
	copy->flags = job->op == OP_READ ? GNTCOPY_dest_gref :
					   GNTCOPY_source_gref;
	copy->len = (seg->last - seg->first + 1) * 512;
}

static int copy_data(struct backend *b, const struct job *job)
{
	xengnttab_grant_copy_segment_t copy[MAX_LISTED] = {};
	uint64_t at = job->sector * 512;
	unsigned int i;

	for (i = 0; i < job->nr_segments; i++) {
		set_copy(b, job, &job->seg[i], b->disk + at, &copy[i]);
		at += copy[i].len;
		if (job->sector >= DISK_BYTES / 512 || at > DISK_BYTES)
			return STATUS_ERROR;
	}
	if (xengnttab_grant_copy(b->gnt, job->nr_segments, copy))
		err(2, "%s: can't copy", b->name);
	for (i = 0; i < job->nr_segments; i++) {
		if (copy[i].status)
			return STATUS_ERROR;
	}
	return STATUS_OK;
}

int job_do(struct backend *b, const struct job *job)
{
	switch (job->op) {
	case OP_READ:
	case OP_WRITE:
		return copy_data(b, job);
	case OP_FLUSH:
		b->nr_flushes++;
		return STATUS_OK;
	case OP_BARRIER:
		b->nr_barriers++;
		return STATUS_OK;
	default:
		return STATUS_NOTSUPP;
	}
}

void job_respond(struct backend *b, const struct job *job, int status)
{
	served_put(job->ring, job->id, job->op, status);
	served_push(b, job->ring);
}

void answer_truly(struct backend *b, struct job *job)
{
	job_respond(b, job, job_do(b, job));
}

void answer_status(struct backend *b, struct job *job)
{
	job_respond(b, job, b->status);
}

/* Without an event: who asked must look for it. */
void answer_silently(struct backend *b, struct job *job)
{
	served_put(job->ring, job->id, job->op, job_do(b, job));
	served_publish(job->ring);
}

void answer_later(struct backend *b, struct job *job)
{
	if (b->nr_held == MAX_HELD)
		errx(2, "%s: more requests than rings hold", b->name);
	b->held[b->nr_held++] = *job;
}

/* The last first: order is nobody's right. */
void back_answer_held(struct backend *b)
{
	b->answer = answer_truly;
	while (b->nr_held)
		answer_truly(b, &b->held[--b->nr_held]);
}

static void serve_rings(struct backend *b)
{
	struct job job;
	unsigned int i;

	for (i = 0; i < b->nr_rings; i++) {
		while (served_take(b, &b->ring[i], &job))
			b->answer(b, &job);
	}
}

static void take_events(struct backend *b)
{
	struct pollfd p = { .fd = xenevtchn_fd(b->m.evt), .events = POLLIN };

	if (poll(&p, 1, LOOK_INTERVAL) <= 0)
		return;
	xenevtchn_unmask(b->m.evt, xenevtchn_pending(b->m.evt));
	b->nr_events++;
}

/* Serves until it is done; false when that takes too long. */
bool back_serve(struct backend *b, bool (*done)(struct backend *b))
{
	time_t end = time(NULL) + 2 * WAIT_SECONDS;

	while (time(NULL) < end) {
		serve_rings(b);
		if (done(b))
			return true;
		take_events(b);
	}
	return false;
}

bool front_connected(struct backend *b)
{
	return mock_state_of(&b->m, b->m.front) == CONNECTED;
}

bool front_closed(struct backend *b)
{
	return mock_state_of(&b->m, b->m.front) == CLOSED;
}
