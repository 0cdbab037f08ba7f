// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a backend can see of the guest's memory beside the data: each page that
 * was granted is looked at whole.
 */
#include <err.h>
#include <string.h>
#include <sys/mman.h>

#include "backend.h"

#define INDEX		320
#define NR_KEPT		64

/* Byte offset of an indirect request's list, from io/blkif.h. */
#define ENTRY		112
#define LIST		28

static const struct leak_case {
	const char *name, *trusted, *persistent;
	bool parameter;
	bool leaks;
	bool writable;		/* lists, and pages that are written from */
} cases[] = {
	/* The first one shows that the others look at the right place. */
	{ "trusted", "1", "0", true, true, false },
	{ "trusted, nodes absent", NULL, NULL, true, true, false },
	{ "not trusted", "0", "0", true, false, false },
	{ "not trusted, persistent grants", "0", "1", true, false, true },
	{ "trusted by the node only", "1", "0", false, false, false },
	{ "trust in words", "yes", "0", true, false, false },
};

static unsigned int nr_looked_at, nr_leaky, nr_writable;
static const uint8_t *kept[NR_KEPT];
static uint8_t at_answer[NR_KEPT][PAGE_BYTES];
static unsigned int nr_kept;

static const uint8_t *map_page(struct backend *b, uint32_t gref)
{
	const uint8_t *page = xengnttab_map_grant_ref(b->gnt, b->domid, gref,
						      PROT_READ);

	if (!page)
		err(2, "%s: can't map grant %u", b->name, gref);
	return page;
}

/* What a backend only reads it must not be able to write. */
static void try_to_write(struct backend *b, uint32_t gref)
{
	void *page = xengnttab_map_grant_ref(b->gnt, b->domid, gref,
					     PROT_READ | PROT_WRITE);

	if (!page)
		return;
	nr_writable++;
	xengnttab_unmap(b->gnt, page, 1);
}

/* Nothing but what is at @from to @to may be there. */
static void look_at(struct backend *b, uint32_t gref, unsigned int from,
		    unsigned int to)
{
	const uint8_t *page = map_page(b, gref);
	unsigned int i, nr_bytes = 0;

	for (i = 0; i < PAGE_BYTES; i++)
		nr_bytes += page[i] && (i < from || i >= to);
	nr_looked_at++;
	nr_leaky += nr_bytes != 0;
	xengnttab_unmap(b->gnt, (void *)page, 1);
}

/* The request was the last to be taken; its slot is still there. */
static void look_at_list(struct backend *b, const struct job *job)
{
	const struct served *ring = job->ring;
	uint32_t index = (ring->req_cons - 1) & (ring->nr_ents - 1);
	const volatile uint8_t *slot = ring->sring->entries + index * ENTRY;
	uint32_t gref;

	if (slot[0] != OP_INDIRECT)
		return;
	memcpy(&gref, (const uint8_t *)slot + LIST, sizeof(gref));
	look_at(b, gref, 0, job->nr_segments * sizeof(job->seg[0]));
	try_to_write(b, gref);
}

static void answer_looking(struct backend *b, struct job *job)
{
	unsigned int i;

	look_at_list(b, job);
	for (i = 0; i < job->nr_segments; i++) {
		look_at(b, job->seg[i].gref, job->seg[i].first * 512,
			(job->seg[i].last + 1) * 512);
		if (job->op == OP_WRITE)
			try_to_write(b, job->seg[i].gref);
	}
	answer_truly(b, job);
}

/* Slots that no request has used yet. */
static void check_rings(struct backend *b, const struct leak_case *c)
{
	unsigned int i, nr_bytes = 0;

	for (i = 0; i < b->nr_rings; i++) {
		struct served *ring = &b->ring[i];
		volatile uint8_t *at = ring->sring->entries +
				       ring->req_cons * ENTRY;
		volatile uint8_t *end = (volatile uint8_t *)ring->sring +
					ring->nr_pages * PAGE_BYTES;

		while (ring->req_cons < ring->nr_ents && at < end)
			nr_bytes += *at++ != 0;
	}
	tap_check(!nr_bytes, "%s: the rings hold nothing but requests",
		  c->name);
}

/* Small buffers share pages; those of larger requests begin within one. */
static void use(struct backend *b, const struct leak_case *c)
{
	static const char * const jobs[] = {
		"--rw=randrw --bs=512 --size=32k --ioengine=libaio --iodepth=8",
		"--rw=write --bs=1536 --size=24k --ioengine=libaio --iodepth=4",
		"--rw=randwrite --bs=64k --size=512k --verify=crc32c --mem_align=512",
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(jobs); i++)
		tap_check(!guest_fio(b, jobs[i]), "%s: fio %s", c->name,
			  jobs[i]);
}

static void set_trust(struct backend *b, bool parameter)
{
	guest_run(b, "echo %d >/sys/module/xen_blkfront/parameters/trusted",
		  parameter);
}

static void attach(struct backend *b, const struct leak_case *c)
{
	back_prepare(b, INDEX);
	back_show_disk(b);
	b->answer = answer_looking;
	if (c->persistent)
		mock_write(&b->m, b->m.back, "feature-persistent", "%s",
			   c->persistent);
	if (c->trusted)
		mock_write(&b->m, b->m.front, "trusted", "%s", c->trusted);
	set_trust(b, c->parameter);
	back_show(b);
	tap_check(back_connect(b) && back_serve(b, front_connected) &&
		  !guest_run(b, "agent wait-disk 30 /dev/%s", b->name),
		  "%s: connects", c->name);
}

static void run_case(struct backend *b, const struct leak_case *c)
{
	nr_looked_at = 0;
	nr_leaky = 0;
	nr_writable = 0;
	attach(b, c);
	check_rings(b, c);
	use(b, c);
	tap_check(nr_looked_at > 100 && !nr_leaky == !c->leaks,
		  "%s: %u of %u pages show more than the data", c->name,
		  nr_leaky, nr_looked_at);
	tap_check(!nr_writable == !c->writable,
		  "%s: %u pages that are only read can be written", c->name,
		  nr_writable);
	back_detach(b);
	set_trust(b, true);
	guest_check_gone(b, c->name);
}

static void answer_keeping(struct backend *b, struct job *job)
{
	unsigned int i;

	for (i = 0; job->op == OP_WRITE && i < job->nr_segments; i++) {
		if (nr_kept == NR_KEPT)
			break;
		kept[nr_kept] = map_page(b, job->seg[i].gref);
		memcpy(at_answer[nr_kept], kept[nr_kept], PAGE_BYTES);
		nr_kept++;
	}
	answer_truly(b, job);
}

static bool are_as_they_were(void)
{
	unsigned int i;

	for (i = 0; i < nr_kept; i++) {
		if (memcmp(kept[i], at_answer[i], PAGE_BYTES))
			return false;
	}
	return nr_kept == NR_KEPT;
}

/* Each CPU of the guest has a stock of free pages. */
static int turn_memory_over(struct backend *b)
{
	static const char script[] =
		"for c in 1 2 4 8; do taskset $c head -c 40m /dev/zero >/f || exit; done; rm /f";

	return guest_run(b, script);
}

/*
 * Pages that stay mapped after all is closed must not become anybody else's:
 * the guest turns over much of its memory meanwhile.
 */
static void keep_pages(struct backend *b)
{
	static const struct leak_case c = {
		"pages kept after the end", "1", "1", true, false, true
	};

	attach(b, &c);
	b->answer = answer_keeping;
	tap_check(!guest_fio(b, "--rw=write --bs=256k --size=256k"), "%s: fio",
		  c.name);
	back_set_state(b, CLOSING);
	tap_check(back_serve(b, front_closed), "%s: detaches", c.name);
	tap_check(!turn_memory_over(b), "%s: the guest uses its memory",
		  c.name);
	tap_check(are_as_they_were(), "%s: nobody else has them", c.name);
	back_set_state(b, CLOSED);
	while (nr_kept)
		xengnttab_unmap(b->gnt, (void *)kept[--nr_kept], 1);
	back_remove(b);
	guest_check_gone(b, c.name);
}

void back_cases_leaks(struct backend *b)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		run_case(b, &cases[i]);
	keep_pages(b);
}
