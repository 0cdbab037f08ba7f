// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sound frontends of other kinds: how they say what they have, in what layout,
 * with what ids. Each finds its sectors where they belong, its ids as they
 * were, and no page mapped after its response.
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mock.h"

#define VDEV	900041
#define SECTORS	8

enum id { SLOT, POINTER, GRANT };

static const struct kind {
	const char *name, *protocol;
	bool layout32;
	unsigned int nr_pages;
	bool numbered;		/* ring-ref0 and so on */
	bool at_once;		/* Connected, in the transaction of the rings */
	enum id id;
	struct { const char *key, *value; } node[3];
} kinds[] = {
	{ "as Linux", "x86_64-abi", false, 1, false, false, SLOT, {} },
	{ "of 32 bits", "x86_32-abi", true, 1, false, false, SLOT, {} },
	{ "of before the protocol node", NULL, true, 1, false, false, SLOT, {} },
	{ "with order 0, which numbers its page", "x86_64-abi", false, 1, true,
	  false, SLOT, { { "ring-page-order", "0" } } },
	{ "with order 0, which does not", "x86_64-abi", false, 1, false, false,
	  SLOT, { { "ring-page-order", "0" } } },
	{ "with both ways to say 4 pages, as BSD", "x86_64-abi", false, 4, true,
	  false, SLOT,
	  { { "ring-page-order", "2" }, { "num-ring-pages", "4" } } },
	{ "with the old way to say 4 pages", "x86_64-abi", false, 4, true,
	  false, SLOT, { { "num-ring-pages", "4" } } },
	{ "with one queue by number, as Windows", "x86_64-abi", false, 1, false,
	  false, POINTER, { { "multi-queue-num-queues", "1" },
			    { "feature-large-sector-size", "1" } } },
	{ "Connected at once, as Mirage", "x86_64-abi", false, 1, false, true,
	  GRANT, {} },
};

static void publish_pages(struct mock *m, xs_transaction_t t,
			  const struct kind *k)
{
	char key[16], value[16];
	unsigned int i;

	for (i = 0; i < k->nr_pages; i++) {
		snprintf(key, sizeof(key), "ring-ref%u", i);
		snprintf(value, sizeof(value), "%u", m->ring[0].ref[i]);
		mock_write_in(m, t, m->front, k->numbered ? key : "ring-ref",
			      value);
	}
	snprintf(value, sizeof(value), "%d", m->ring[0].port);
	mock_write_in(m, t, m->front, "event-channel", value);
}

static void publish(struct mock *m, const struct kind *k)
{
	xs_transaction_t t = xs_transaction_start(m->xs);
	unsigned int i;

	publish_pages(m, t, k);
	if (k->protocol)
		mock_write_in(m, t, m->front, "protocol", k->protocol);
	for (i = 0; i < ARRAY_SIZE(k->node) && k->node[i].key; i++)
		mock_write_in(m, t, m->front, k->node[i].key, k->node[i].value);
	mock_write_in(m, t, m->front, "state", k->at_once ? "4" : "3");
	if (!xs_transaction_end(m->xs, t, false))
		err(2, "can't end the transaction");
}

static uint64_t make_id(enum id id, uint32_t gref)
{
	switch (id) {
	case POINTER:
		return 0xffff888012345678;
	case GRANT:
		return gref;
	default:
		return 0;
	}
}

static bool transfer(struct mock *m, const struct kind *k, uint8_t op,
		     uint64_t sector, uint32_t gref, unsigned int first,
		     unsigned int last)
{
	struct request req = {
		.op = op, .nr_segments = 1, .sector = sector,
		.id = make_id(k->id, gref),
		.seg = { { .gref = gref, .first = first, .last = last } },
	};
	struct response rsp;

	return ring_do(m, &m->ring[0], &req, &rsp) && !rsp.status &&
	       rsp.op == op && rsp.id == req.id;
}

/* The hypervisor lists the grants in use of each domain, the last list last. */
static bool is_mapped(uint32_t gref)
{
	FILE *log = popen("xl debug-keys g && xl dmesg", "r");
	unsigned int domain = 0, ref;
	bool found = false;
	char line[256];
	const char *at;

	if (!log)
		err(2, "no xl");
	while (fgets(line, sizeof(line), log)) {
		if (strstr(line, "gnttab_usage_print_all ["))
			found = false;
		at = strstr(line, "remote d");
		if (at)
			domain = atoi(at + strlen("remote d"));
		at = strstr(line, "[0x");
		if (at && !domain && sscanf(at, "[0x%x]", &ref) == 1)
			found |= ref == gref;
	}
	pclose(log);
	return found;
}

/* Every sector has a number of its own; the fifth is read alone. */
static void use(struct mock *m, const struct kind *k, uint8_t seed)
{
	uint32_t gref;
	uint8_t *page = xengntshr_share_pages(m->shr, 0, 1, &gref, 1);
	unsigned int i;

	if (!page)
		err(2, "can't share a page");
	for (i = 0; i < SECTORS; i++)
		memset(page + i * 512, seed + i, 512);
	tap_check(transfer(m, k, OP_WRITE, 64, gref, 0, 7), "%s: writes",
		  k->name);
	memset(page, 0, PAGE_BYTES);
	tap_check(transfer(m, k, OP_READ, 64 + 5, gref, 2, 2) && !page[1023] &&
		  page[1024] == seed + 5 && page[1535] == seed + 5 &&
		  !page[1536], "%s: reads the sector it means", k->name);
	tap_check(is_mapped(m->ring[0].ref[0]) && !is_mapped(gref),
		  "%s: the ring is mapped, and the page no more", k->name);
	xengntshr_unshare(m->shr, page, 1);
}

void cases_kinds(const char *disk)
{
	unsigned int i;
	struct mock m;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		mock_open(&m, VDEV, disk, "w");
		m.nr_queues = 1;
		ring_create(&m, &m.ring[0], kinds[i].nr_pages,
			    kinds[i].layout32);
		publish(&m, &kinds[i]);
		tap_check(mock_await_state(&m, CONNECTED), "%s: connects",
			  kinds[i].name);
		use(&m, &kinds[i], 16 * (i + 1));
		link_down(&m);
		mock_close(&m);
	}
}
