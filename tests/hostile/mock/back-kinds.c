// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sound backends of other kinds: what they offer and when, after how others do
 * it. The guest writes and reads back through each.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend.h"

#define INDEX	300

static const struct kind {
	const char *name;
	bool early;	/* Connected before its frontend has rings */
	struct { const char *key, *value; } node[6];	/* NULL: not there */
	const char *queues, *order;
	unsigned int max_kb;
	bool flushes, barriers;		/* what fsync must send */
} kinds[] = {
	/* One ring of a page, no indirect requests, no flush. */
	{ "one ring and no features", false, {
		{ "multi-queue-max-queues", NULL },
		{ "max-ring-page-order", NULL },
		{ "feature-max-indirect-segments", NULL },
		{ "feature-flush-cache", NULL },
	  }, "", "", 44, false, false },
	/* As NetBSD's: Connected at once. */
	{ "ready before its frontend", true, {
		{ "multi-queue-max-queues", NULL },
		{ "max-ring-page-order", NULL },
		{ "feature-max-indirect-segments", "16" },
	  }, "", "", 64, true, false },
	/* As FreeBSD's: both ways to say the size of a ring. */
	{ "pages and an order", false, {
		{ "multi-queue-max-queues", NULL },
		{ "max-ring-pages", "5" },
		{ "max-ring-page-order", "2" },
		{ "feature-max-indirect-segments", NULL },
		{ "feature-barrier", "1" },
	  }, "", "2", 44, true, false },
	/* As tapdisk3: nodes that only some toolstacks know. */
	{ "nodes that nobody reads", false, {
		{ "polling-duration", "1000" },
		{ "polling-idle-threshold", "50" },
		{ "max-ring-page-order", "3" },
		{ "feature-flush-cache", NULL },
		{ "feature-large-sector-size", "1" },
	  }, "2", "2", 256, false, false },
	/* Only barriers, which then serve as flushes. */
	{ "barriers and no flush", false, {
		{ "feature-flush-cache", NULL },
		{ "feature-barrier", "1" },
		{ "feature-max-indirect-segments", "256" },
	  }, "2", "2", 1024, false, true },
};

static void set_nodes(struct backend *b, const struct kind *k)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(k->node) && k->node[i].key; i++) {
		if (k->node[i].value)
			mock_write(&b->m, b->m.back, k->node[i].key, "%s",
				   k->node[i].value);
		else
			mock_remove(&b->m, b->m.back, k->node[i].key);
	}
}

static void check_node(struct backend *b, const char *name, const char *key,
		       const char *want)
{
	char *value = mock_read(&b->m, b->m.front, key);

	tap_check(!strcmp(value ? value : "", want), "%s: %s is '%s'", name,
		  key, value ? value : "");
	free(value);
}

static void use(struct backend *b, const struct kind *k)
{
	static const char sizes[] =
		"--rw=randwrite --bs=64k --size=2m --ioengine=libaio --iodepth=8 --verify=crc32c";
	static const char depth[] =
		"--rw=randwrite --bs=4k --size=1m --ioengine=libaio --iodepth=64 --verify=crc32c";
	/* Beginning in the middle of a page, each has a segment more. */
	static const char unaligned[] =
		"--rw=randwrite --bs=1m --size=2m --mem_align=512 --verify=crc32c";

	tap_check(!guest_run(b, "[ $(cat /sys/block/%s/queue/max_sectors_kb) = %u ]",
			     b->name, k->max_kb), "%s: requests of %u KiB",
		  k->name, k->max_kb);
	tap_check(!guest_fio(b, sizes) && !guest_fio(b, depth) &&
		  !guest_fio(b, unaligned), "%s: fio reads back what it wrote",
		  k->name);
	b->nr_flushes = 0;
	b->nr_barriers = 0;
	tap_check(!guest_run(b, "dd if=/dev/zero of=/dev/%s bs=4k count=1 conv=fsync",
			     b->name), "%s: fsync works", k->name);
	tap_check(!b->nr_flushes == !k->flushes &&
		  !b->nr_barriers == !k->barriers,
		  "%s: %u flushes and %u barriers for it", k->name,
		  b->nr_flushes, b->nr_barriers);
}

static void run_kind(struct backend *b, const struct kind *k)
{
	back_prepare(b, INDEX);
	back_show_disk(b);
	set_nodes(b, k);
	if (k->early)
		back_set_state(b, CONNECTED);
	back_show(b);
	tap_check(back_connect(b) && back_serve(b, front_connected) &&
		  !guest_run(b, "agent wait-disk 30 /dev/%s", b->name),
		  "%s: connects", k->name);
	check_node(b, k->name, "multi-queue-num-queues", k->queues);
	check_node(b, k->name, "ring-page-order", k->order);
	use(b, k);
	back_detach(b);
	guest_check_gone(b, k->name);
}

void back_cases_kinds(struct backend *b)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		run_kind(b, &kinds[i]);
}
