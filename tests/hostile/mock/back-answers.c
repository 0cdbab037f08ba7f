// SPDX-License-Identifier: GPL-2.0-only
/*
 * Answers that are none: the guest loses that disk, at once and with the reason
 * in its error node, be it at the first look for partitions or later. Answers
 * of bad news are only the loss of that request.
 */
#include <err.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "backend.h"

#define INDEX	30

static void id_beyond_ring(struct backend *b, struct job *job)
{
	served_put(job->ring, job->ring->nr_ents, job->op, job_do(b, job));
	served_push(b, job->ring);
}

static void id_of_64_bits(struct backend *b, struct job *job)
{
	served_put(job->ring, job->id | 1ULL << 63, job->op, job_do(b, job));
	served_push(b, job->ring);
}

static void id_of_free_slot(struct backend *b, struct job *job)
{
	served_put(job->ring, (job->id + 1) % job->ring->nr_ents, job->op,
		   job_do(b, job));
	served_push(b, job->ring);
}

static void answer_twice(struct backend *b, struct job *job)
{
	int status = job_do(b, job);

	served_put(job->ring, job->id, job->op, status);
	served_put(job->ring, job->id, job->op, status);
	served_push(b, job->ring);
}

static void other_operation(struct backend *b, struct job *job)
{
	served_put(job->ring, job->id, job->op ^ 1, job_do(b, job));
	served_push(b, job->ring);
}

static void move_index(struct backend *b, struct job *job, uint32_t by)
{
	served_put(job->ring, job->id, job->op, job_do(b, job));
	job->ring->rsp_prod += by;
	served_push(b, job->ring);
}

static void index_beyond_ring(struct backend *b, struct job *job)
{
	move_index(b, job, job->ring->nr_ents);
}

static void index_far_ahead(struct backend *b, struct job *job)
{
	move_index(b, job, 100000);
}

static void index_back(struct backend *b, struct job *job)
{
	move_index(b, job, -2U);
}

static void keep_page(struct backend *b, struct job *job)
{
	if (!b->kept)
		b->kept = xengnttab_map_grant_ref(b->gnt, b->domid,
						  job->seg[0].gref, PROT_READ);
	if (!b->kept)
		err(2, "%s: can't map a page", b->name);
	answer_truly(b, job);
}

static const struct lie_case {
	const char *name;
	void (*answer)(struct backend *b, struct job *job);
	const char *word;
	bool answered;	/* the request itself has got a sound answer */
} lies[] = {
	{ "id beyond the ring", id_beyond_ring, "no request", false },
	{ "id of 64 bits", id_of_64_bits, "no request", false },
	{ "id of a free slot", id_of_free_slot, "no request", false },
	{ "one answer twice", answer_twice, "no request", true },
	{ "another operation", other_operation, "no request", false },
	{ "index beyond the ring", index_beyond_ring, "more responses", false },
	{ "index far ahead", index_far_ahead, "more responses", false },
	{ "index goes back", index_back, "more responses", false },
	{ "a page still mapped", keep_page, "still mapped", false },
};

/* The first request is the guest's look for partitions. */
static void lie_at_first(struct backend *b, const struct lie_case *c)
{
	back_prepare(b, INDEX + 1);
	back_show_disk(b);
	back_show(b);
	b->answer = c->answer;
	tap_check(back_connect(b), "%s, at first: makes rings", c->name);
	tap_check(back_serve(b, front_closed), "%s, at first: closes", c->name);
	back_check_error(b, c->name, c->word);
	back_remove(b);
	guest_check_gone(b, c->name);
}

static void lie_in_use(struct backend *b, const struct lie_case *c)
{
	tap_check(back_attach(b, INDEX), "%s: connects", c->name);
	b->answer = c->answer;
	tap_check(!guest_run(b, "dd if=/dev/zero of=/dev/%s bs=4k count=1 oflag=direct",
			     b->name) == c->answered, "%s: a write %s", c->name,
		  c->answered ? "succeeds" : "fails");
	tap_check(back_serve(b, front_closed), "%s: closes", c->name);
	back_check_error(b, c->name, c->word);
	tap_check(guest_read(b), "%s: reads fail at once", c->name);
	back_remove(b);
	guest_check_gone(b, c->name);
}

static void check_reattach(struct backend *b)
{
	tap_check(back_attach(b, INDEX), "attached again: connects");
	tap_check(!guest_read(b), "attached again: serves");
	back_detach(b);
	guest_check_gone(b, "attached again");
}

static void tell_status(struct backend *b, int status)
{
	b->answer = answer_status;
	b->status = status;
	tap_check(guest_read(b), "status %d: the read fails", status);
	b->answer = answer_truly;
	tap_check(!guest_read(b), "status %d: the next one does not", status);
}

static void answer_flush_status(struct backend *b, struct job *job)
{
	if (job->op == OP_FLUSH)
		answer_status(b, job);
	else
		answer_truly(b, job);
}

/* A flush that is not supported leaves nothing undone that could be done. */
static void tell_flush_status(struct backend *b, int status, bool fails)
{
	const char *sync = "dd if=/dev/zero of=/dev/%s bs=4k count=1 conv=fsync";
	unsigned int nr;

	b->answer = answer_flush_status;
	b->status = status;
	tap_check(!!guest_run(b, sync, b->name) == fails, "flush status %d: %s",
		  status, fails ? "fsync fails" : "fsync succeeds");
	b->answer = answer_truly;
	nr = b->nr_flushes;
	tap_check(!guest_run(b, sync, b->name), "flush status %d: fsync works",
		  status);
	tap_check((b->nr_flushes > nr) == fails, "flush status %d: %s", status,
		  fails ? "and is sent" : "and nothing is sent any more");
}

static void tell_bad_news(struct backend *b)
{
	static const int status[] = {
		STATUS_ERROR, STATUS_NOTSUPP, -3, 1, 32767, -32768,
	};
	unsigned int i;

	tap_check(back_attach(b, INDEX + 2), "bad news: connects");
	for (i = 0; i < ARRAY_SIZE(status); i++)
		tell_status(b, status[i]);
	tell_flush_status(b, STATUS_ERROR, true);
	tell_flush_status(b, STATUS_NOTSUPP, false);
	back_detach(b);
}

void back_cases_answers(struct backend *b)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(lies); i++) {
		lie_at_first(b, &lies[i]);
		lie_in_use(b, &lies[i]);
	}
	check_reattach(b);
	tell_bad_news(b);
}
