// SPDX-License-Identifier: GPL-2.0-only
/*
 * Wrong, missing and absurd nodes of the backend: the frontend names the one in
 * its error node and goes to Closed, or makes the best of it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend.h"

#define INDEX	100

static const struct node_case {
	const char *key, *value;	/* value NULL: the node is absent */
	bool sound;			/* connects all the same */
	const char *shows, *as;		/* the frontend's node then */
} limits[] = {
	{ "multi-queue-max-queues", "0", false, NULL, NULL },
	{ "multi-queue-max-queues", "many", false, NULL, NULL },
	{ "multi-queue-max-queues", "-1", false, NULL, NULL },
	{ "multi-queue-max-queues", "4294967296", false, NULL, NULL },
	{ "multi-queue-max-queues", "4294967295", true,
	  "multi-queue-num-queues", "4" },
	{ "multi-queue-max-queues", NULL, true, "multi-queue-num-queues", "" },
	{ "max-ring-page-order", "two", false, NULL, NULL },
	{ "max-ring-page-order", "99", true, "ring-page-order", "2" },
	{ "max-ring-page-order", "4294967295", true, "ring-page-order", "2" },
	{ "max-ring-page-order", NULL, true, "ring-page-order", "" },
	{ "feature-max-indirect-segments", "-1", false, NULL, NULL },
	{ "feature-max-indirect-segments", "all", false, NULL, NULL },
	{ "feature-max-indirect-segments", "0", true, NULL, NULL },
	{ "feature-max-indirect-segments", "1", true, NULL, NULL },
	{ "feature-max-indirect-segments", "65535", true, NULL, NULL },
	{ "feature-max-indirect-segments", NULL, true, NULL, NULL },
}, disk[] = {
	{ "sectors", NULL, false, NULL, NULL },
	{ "sectors", "", false, NULL, NULL },
	{ "sectors", "lots", false, NULL, NULL },
	{ "sectors", "9223372036854775808", false, NULL, NULL },
	{ "sectors", "18446744073709551615", false, NULL, NULL },
	{ "sectors", "99999999999999999999999", false, NULL, NULL },
	{ "sectors", "0", true, NULL, NULL },
	{ "sector-size", NULL, false, NULL, NULL },
	{ "sector-size", "0", false, NULL, NULL },
	{ "sector-size", "3", false, NULL, NULL },
	{ "sector-size", "520", false, NULL, NULL },
	{ "sector-size", "8192", false, NULL, NULL },
	{ "sector-size", "4294967808", false, NULL, NULL },
	{ "physical-sector-size", "3", false, NULL, NULL },
	{ "physical-sector-size", "256", false, NULL, NULL },
	{ "physical-sector-size", "2147483648", false, NULL, NULL },
	{ "physical-sector-size", "65536", true, NULL, NULL },
	{ "info", "none", false, NULL, NULL },
	{ "info", "4294967288", true, NULL, NULL },
	{ "info", NULL, true, NULL, NULL },
	{ "feature-flush-cache", "yes", false, NULL, NULL },
	{ "feature-flush-cache", NULL, true, NULL, NULL },
	{ "feature-barrier", "yes", false, NULL, NULL },
};

static void set_node(struct backend *b, const struct node_case *c)
{
	if (c->value)
		mock_write(&b->m, b->m.back, c->key, "%s", c->value);
	else
		mock_remove(&b->m, b->m.back, c->key);
}

static void check_front_node(struct backend *b, const struct node_case *c,
			     const char *name)
{
	char *value = mock_read(&b->m, b->m.front, c->shows);

	tap_check(!strcmp(value ? value : "", c->as), "%s: asks for %s = %s",
		  name, c->shows, value ? value : "");
	free(value);
}

static void run_case(struct backend *b, const struct node_case *c)
{
	char name[96];

	snprintf(name, sizeof(name), "%s = %s", c->key,
		 c->value ? c->value : "(absent)");
	back_prepare(b, INDEX);
	back_show_disk(b);
	set_node(b, c);
	back_show(b);
	if (c->sound) {
		tap_check(back_connect(b) && back_serve(b, front_connected),
			  "%s: connects", name);
		if (c->shows)
			check_front_node(b, c, name);
		back_detach(b);
	} else {
		back_set_state(b, CONNECTED);
		tap_check(back_serve(b, front_closed), "%s: closes", name);
		back_check_error(b, name, c->key);
		back_remove(b);
	}
	guest_check_gone(b, name);
}

/* A size that makes no sense leaves the disk as it is. */
static void resize_badly(struct backend *b)
{
	tap_check(back_attach(b, INDEX + 1), "resize: connects");
	mock_write(&b->m, b->m.back, "sectors", "-512");
	back_set_state(b, CONNECTED);
	tap_check(!guest_read(b), "resize to nonsense: serves");
	tap_check(!guest_run(b, "[ $(cat /sys/block/%s/size) = %u ]", b->name,
			     DISK_BYTES / 512), "resize to nonsense: same size");
	back_check_error(b, "resize to nonsense", "sectors");
	back_detach(b);
}

void back_cases_nodes(struct backend *b)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(limits); i++)
		run_case(b, &limits[i]);
	for (i = 0; i < ARRAY_SIZE(disk); i++)
		run_case(b, &disk[i]);
	resize_badly(b);
}
