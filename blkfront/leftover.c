// SPDX-License-Identifier: GPL-2.0-only
/*
 * Granted pages that the backend still has mapped when their ring goes: nobody
 * else's until it lets go.
 *
 * In a detach it does so a moment after this side is closed. The grant code of
 * the kernel would free ten pages a second, of the thousands that there may be.
 */
#include <linux/mutex.h>
#include <linux/slab.h>

#include "blkfront.h"

#define RETRY_DELAY		HZ

/* Afterwards the backend is not to be waited for: the grant code does. */
#define MAX_RETRIES		60

/**
 * struct leftover - a page that waits for its backend
 * @node: in the list of all
 * @data: the page
 * @gref: its grant
 */
struct leftover {
	struct llist_node	node;
	void			*data;
	grant_ref_t		gref;
};

static void retry(struct work_struct *work);

/* Of who looks at them: what is looked at is not in the list. */
static DEFINE_MUTEX(look_lock);
static LLIST_HEAD(leftovers);
static DECLARE_DELAYED_WORK(retry_work, retry);
/* Since the last page came; racing with one that comes makes it a few more. */
static unsigned int nr_retries;

static void free_leftover(struct leftover *leftover, bool last_try)
{
	if (gnttab_try_end_foreign_access(leftover->gref)) {
		free_page((unsigned long)leftover->data);
	} else if (last_try) {
		gnttab_end_foreign_access(leftover->gref,
					  virt_to_page(leftover->data));
	} else {
		llist_add(&leftover->node, &leftovers);
		return;
	}
	kfree(leftover);
}

/* Whoever else looks meanwhile finds an empty list, and leaves it to this. */
static void free_all(bool last_try)
{
	struct leftover *leftover, *next;

	mutex_lock(&look_lock);
	llist_for_each_entry_safe(leftover, next, llist_del_all(&leftovers),
				  node)
		free_leftover(leftover, last_try);
	if (!llist_empty(&leftovers))
		schedule_delayed_work(&retry_work, RETRY_DELAY);
	mutex_unlock(&look_lock);
}

static void retry(struct work_struct *work)
{
	unsigned int nr = READ_ONCE(nr_retries);

	WRITE_ONCE(nr_retries, nr + 1);
	free_all(nr >= MAX_RETRIES);
}

/**
 * blkfront_leftover_end() - end a grant and free its page, now or later
 * @dev: the disk; takes a note that its backend keeps pages
 * @gref: the grant
 * @data: the page, which its ring has no use for any more
 *
 * Context: any.
 */
void blkfront_leftover_end(struct blkfront_dev *dev, grant_ref_t gref,
			   void *data)
{
	struct leftover *leftover;

	if (gnttab_try_end_foreign_access(gref)) {
		free_page((unsigned long)data);
		return;
	}
	WRITE_ONCE(dev->kept, true);
	leftover = kmalloc(sizeof(*leftover), GFP_NOWAIT | __GFP_NOWARN);
	if (!leftover) {
		gnttab_end_foreign_access(gref, virt_to_page(data));
		return;
	}
	leftover->gref = gref;
	leftover->data = data;
	WRITE_ONCE(nr_retries, 0);
	llist_add(&leftover->node, &leftovers);
	schedule_delayed_work(&retry_work, RETRY_DELAY);
}

/**
 * blkfront_leftover_reclaim() - free what backends have let go, not a second later
 *
 * Who makes rings may need the grants.
 *
 * Context: may sleep.
 */
void blkfront_leftover_reclaim(void)
{
	free_all(false);
}

/**
 * blkfront_leftover_exit() - leave the rest to the grant code
 *
 * Context: may sleep; no ring is left.
 */
void blkfront_leftover_exit(void)
{
	cancel_delayed_work_sync(&retry_work);
	free_all(true);
}
