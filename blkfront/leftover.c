// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pages with persistent grants that the backend still has mapped when their
 * ring goes: nobody else's until it lets go.
 *
 * In a detach it does so a moment after this side is closed. The grant code of
 * the kernel would free ten pages a second, of the thousands that there may be.
 */
#include <linux/slab.h>

#include "blkfront.h"

#define RETRY_DELAY		HZ

/* Afterwards the backend is not to be waited for: the grant code does. */
#define MAX_RETRIES		60

static void retry(struct work_struct *work);

static LLIST_HEAD(leftovers);
static DECLARE_DELAYED_WORK(retry_work, retry);
/* Since the last page came; racing with one that comes makes it a few more. */
static unsigned int nr_retries;

static void free_page_of(struct blkfront_bounce *bounce, bool last_try)
{
	if (gnttab_try_end_foreign_access(bounce->gref)) {
		free_page((unsigned long)bounce->data);
	} else if (last_try) {
		gnttab_end_foreign_access(bounce->gref,
					  virt_to_page(bounce->data));
	} else {
		llist_add(&bounce->node, &leftovers);
		return;
	}
	kfree(bounce);
}

static void free_pages_of(bool last_try)
{
	struct llist_node *all = llist_del_all(&leftovers);
	struct blkfront_bounce *bounce, *next;

	llist_for_each_entry_safe(bounce, next, all, node)
		free_page_of(bounce, last_try);
}

static void retry(struct work_struct *work)
{
	free_pages_of(READ_ONCE(nr_retries) >= MAX_RETRIES);
	WRITE_ONCE(nr_retries, nr_retries + 1);
	if (!llist_empty(&leftovers))
		schedule_delayed_work(&retry_work, RETRY_DELAY);
}

/**
 * blkfront_leftover_add() - keep a page until its grant can be ended
 * @bounce: the page; its ring has no use for it any more
 *
 * Context: any.
 */
void blkfront_leftover_add(struct blkfront_bounce *bounce)
{
	WRITE_ONCE(nr_retries, 0);
	llist_add(&bounce->node, &leftovers);
	schedule_delayed_work(&retry_work, RETRY_DELAY);
}

/**
 * blkfront_leftover_exit() - leave the rest to the grant code
 *
 * Context: may sleep; no ring is left.
 */
void blkfront_leftover_exit(void)
{
	cancel_delayed_work_sync(&retry_work);
	free_pages_of(true);
}
