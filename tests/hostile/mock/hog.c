// SPDX-License-Identifier: GPL-2.0-only
/*
 * mock-hog: takes all grant handles that this domain may have, says so, and
 * gives them back when it gets a signal. Nobody else does that for it.
 *
 * It maps its own pages for a device only: that takes a handle each, and no
 * room in any address space.
 */
#include <err.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <xencall.h>
#include <xengnttab.h>
#include <xen/xen.h>
#include <xen/grant_table.h>

#define GNTALLOC_LIMIT	"/sys/module/xen_gntalloc/parameters/limit"

/* Xen counts up to 255 mappings of a page of one kind. */
#define PAGES		2048
#define ROUNDS		250

struct handle {
	uint32_t handle;
	uint64_t address;
};

static xencall_handle *xen;
static uint32_t ref[PAGES];
static struct handle handles[PAGES * ROUNDS];
static unsigned int nr_handles;

/* The driver that shares pages has a limit of its own. */
static void raise_limit(void)
{
	FILE *file = fopen(GNTALLOC_LIMIT, "w");

	if (!file || fprintf(file, "%u\n", 8 * PAGES) < 0 || fclose(file))
		err(2, "can't write %s", GNTALLOC_LIMIT);
}

static void grant_op(unsigned int op, void *args, unsigned int nr)
{
	if (xencall3(xen, __HYPERVISOR_grant_table_op, op, (uintptr_t)args, nr))
		err(2, "grant operation %u", op);
}

/* Returns false when there was no handle for some. */
static bool map_all_once(gnttab_map_grant_ref_t *map)
{
	bool complete = true;
	unsigned int i;

	for (i = 0; i < PAGES; i++)
		map[i] = (gnttab_map_grant_ref_t){
			.flags = GNTMAP_device_map | GNTMAP_readonly,
			.ref = ref[i], .dom = 0,
		};
	grant_op(GNTTABOP_map_grant_ref, map, PAGES);
	for (i = 0; i < PAGES; i++) {
		if (map[i].status == GNTST_okay)
			handles[nr_handles++] = (struct handle){
				map[i].handle, map[i].dev_bus_addr };
		else if (map[i].status != GNTST_no_space &&
			 map[i].status != GNTST_no_device_space)
			errx(2, "can't map a page: %d", map[i].status);
		else
			complete = false;
	}
	return complete;
}

static void unmap_some(gnttab_unmap_grant_ref_t *unmap)
{
	unsigned int nr;

	for (nr = 0; nr < PAGES && nr_handles; nr++) {
		const struct handle *h = &handles[--nr_handles];

		unmap[nr] = (gnttab_unmap_grant_ref_t){
			.handle = h->handle, .dev_bus_addr = h->address };
	}
	grant_op(GNTTABOP_unmap_grant_ref, unmap, nr);
	while (nr--) {
		if (unmap[nr].status != GNTST_okay)
			errx(2, "can't unmap a page: %d", unmap[nr].status);
	}
}

static void wait_for_signal(void)
{
	sigset_t end;
	int which;

	sigemptyset(&end);
	sigaddset(&end, SIGHUP);
	sigaddset(&end, SIGINT);
	sigaddset(&end, SIGTERM);
	sigprocmask(SIG_BLOCK, &end, NULL);
	printf("%u handles\n", nr_handles);
	fflush(stdout);
	sigwait(&end, &which);
}

int main(void)
{
	xengntshr_handle *shr;
	unsigned int round;
	void *args, *data;

	raise_limit();
	shr = xengntshr_open(NULL, 0);
	data = xengntshr_share_pages(shr, 0, PAGES, ref, 1);
	xen = xencall_open(NULL, 0);
	args = xencall_alloc_buffer(xen, PAGES * sizeof(gnttab_map_grant_ref_t));
	if (!data || !args)
		err(2, "can't share pages");
	for (round = 0; map_all_once(args); round++) {
		if (round == ROUNDS - 1)
			errx(2, "there are more than %u handles", nr_handles);
	}
	wait_for_signal();
	while (nr_handles)
		unmap_some(args);
	xengntshr_unshare(shr, data, PAGES);
	return 0;
}
