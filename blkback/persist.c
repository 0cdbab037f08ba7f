// SPDX-License-Identifier: GPL-2.0-only
/*
 * Grants that stay mapped between requests: which they are, and which of them
 * must go. Each ring has its own, touched by its thread only.
 *
 * The frontend promised to use the same few pages again and again. What it
 * uses beyond the bound is mapped for one request, as without this feature.
 */
#include <linux/hash.h>
#include <linux/slab.h>

#include "blkback.h"

/*
 * A page that was used a moment ago will be again: to displace it would gain
 * nothing when the frontend goes round more pages than may be kept.
 */
#define RECENT			msecs_to_jiffies(100)

/* How often in the time that one may stay unused all are looked at. */
#define SWEEPS			8

static struct hlist_head *bucket_of(struct blkback_store *store,
				    grant_ref_t gref)
{
	return &store->buckets[hash_32(gref, store->bucket_bits)];
}

static void wake_thread(struct timer_list *timer)
{
	struct blkback_ring *ring = container_of(timer, struct blkback_ring,
						 store.timer);

	wake_up_process(ring->thread);
}

/**
 * blkback_persist_init() - keep nothing
 * @ring: new
 */
void blkback_persist_init(struct blkback_ring *ring)
{
	INIT_LIST_HEAD(&ring->store.empty);
	INIT_LIST_HEAD(&ring->store.kept);
	timer_setup(&ring->store.timer, wake_thread, 0);
}

/**
 * blkback_persist_create() - have room for grants that stay mapped
 * @ring: its frontend agreed
 * @limits: how many, for how long
 *
 * Context: may sleep.
 * Return: 0; or -ENOMEM, and what there is goes with the ring.
 */
int blkback_persist_create(struct blkback_ring *ring,
			   const struct blkback_persist_limits *limits)
{
	struct blkback_store *store = &ring->store;
	unsigned int i, nr = limits->max_grants;

	if (!nr)
		return 0;
	store->expiry = min(limits->unused_seconds + 0UL,
			    MAX_JIFFY_OFFSET / HZ) * HZ;
	store->next_sweep = jiffies;
	store->bucket_bits = order_base_2(nr) ?: 1;
	store->buckets = kvcalloc(1UL << store->bucket_bits,
				  sizeof(store->buckets[0]), GFP_KERNEL);
	store->grants = kvcalloc(nr, sizeof(store->grants[0]), GFP_KERNEL);
	if (!store->buckets || !store->grants)
		return -ENOMEM;
	for (i = 0; i < nr; i++)
		list_add_tail(&store->grants[i].node, &store->empty);
	return 0;
}

/**
 * blkback_persist_destroy() - free the room
 * @ring: nothing is mapped any more
 */
void blkback_persist_destroy(struct blkback_ring *ring)
{
	kvfree(ring->store.buckets);
	kvfree(ring->store.grants);
}

static struct blkback_persistent *find(struct blkback_store *store,
				       grant_ref_t gref)
{
	struct blkback_persistent *grant;

	hlist_for_each_entry(grant, bucket_of(store, gref), hash) {
		if (grant->gref == gref)
			return grant;
	}
	return NULL;
}

static struct blkback_persistent *add(struct blkback_store *store,
				      grant_ref_t gref)
{
	struct blkback_persistent *grant =
		list_first_entry_or_null(&store->empty,
					 struct blkback_persistent, node);

	if (!grant) {
		store->nr_wanted++;
		return NULL;
	}
	list_move_tail(&grant->node, &store->kept);
	grant->gref = gref;
	grant->page = NULL;
	grant->unmappable = false;
	grant->users = 1;
	hlist_add_head(&grant->hash, bucket_of(store, gref));
	store->nr_kept++;
	return grant;
}

static void drop(struct blkback_store *store, struct blkback_persistent *grant)
{
	hlist_del_init(&grant->hash);
	list_move(&grant->node, &store->empty);
	store->nr_kept--;
}

/**
 * blkback_persist_peek() - the page of a grant that is mapped already
 * @ring: of the grant
 * @gref: its reference
 *
 * It stays until the next give-back of @ring.
 *
 * Context: the thread of @ring.
 * Return: NULL when it is not mapped, or not yet.
 */
struct page *blkback_persist_peek(struct blkback_ring *ring, grant_ref_t gref)
{
	struct blkback_store *store = &ring->store;
	struct blkback_persistent *grant;

	grant = store->grants ? find(store, gref) : NULL;
	return grant ? grant->page : NULL;
}

/**
 * blkback_persist_use() - is the page of a segment mapped already?
 * @ring: of the request
 * @segment: unmapped; its kept grant is set when it is to stay mapped
 *
 * Twice the same reference in flight is one mapping with two users.
 *
 * Context: the thread of @ring.
 * Return: true when it is, or when an earlier segment of the pass maps it:
 * blkback_persist_resolve() tells how that went. False when the caller has to
 * map it.
 */
bool blkback_persist_use(struct blkback_ring *ring,
			 struct blkback_segment *segment)
{
	struct blkback_store *store = &ring->store;
	struct blkback_persistent *grant;

	if (!store->grants)
		return false;
	grant = find(store, segment->gref);
	if (!grant) {
		segment->kept = add(store, segment->gref);
		return false;
	}
	if (!grant->users++)
		store->nr_idle--;
	segment->kept = grant;
	segment->page = grant->page;
	store->hits++;
	return true;
}

/**
 * blkback_persist_settle() - the mapping of a new one worked, or did not
 * @segment: its page is set if it is mapped; it is to stay so
 *
 * One that did not may be tried again by the next request.
 *
 * Context: the thread of the ring.
 */
void blkback_persist_settle(struct blkback_segment *segment)
{
	segment->kept->page = segment->page;
	segment->kept->handle = segment->handle;
	segment->kept->unmappable = segment->copied;
	if (!segment->page)
		hlist_del_init(&segment->kept->hash);
}

/**
 * blkback_persist_resolve() - the page that an earlier segment has mapped
 * @segment: of the same pass
 *
 * Context: the thread of the ring.
 * Return: false when it could not be mapped; its copied says if for want of
 * handles.
 */
bool blkback_persist_resolve(struct blkback_segment *segment)
{
	if (segment->kept) {
		segment->page = segment->kept->page;
		segment->copied = segment->kept->unmappable;
	}
	return segment->page;
}

/**
 * blkback_persist_release() - a request is done with a page that stays mapped
 * @ring: of the request
 * @segment: of it
 *
 * Context: the thread of @ring.
 */
void blkback_persist_release(struct blkback_ring *ring,
			     struct blkback_segment *segment)
{
	struct blkback_store *store = &ring->store;
	struct blkback_persistent *grant = segment->kept;

	segment->kept = NULL;
	segment->page = NULL;
	if (--grant->users)
		return;
	if (!grant->page) {
		drop(store, grant);
		return;
	}
	grant->last_used = jiffies;
	store->last_used = grant->last_used;
	store->nr_idle++;
}

static void take(struct blkback_store *store, struct blkback_persistent *grant,
		 struct blkback_segment *segment)
{
	segment->page = grant->page;
	segment->handle = grant->handle;
	store->nr_idle--;
	drop(store, grant);
}

/*
 * A use costs no more than a note of the time: the list is put in order only
 * when one must go. One that was used since its last turn gets another.
 *
 * Return: the next, if it has no use and had none since its last turn.
 */
static struct blkback_persistent *consider_next(struct blkback_store *store)
{
	struct blkback_persistent *grant =
		list_first_entry(&store->kept, struct blkback_persistent, node);

	if (!grant->users && grant->seen == grant->last_used)
		return grant;
	grant->seen = grant->last_used;
	list_move_tail(&grant->node, &store->kept);
	return NULL;
}

/**
 * blkback_persist_take_oldest() - give up one that was not used for long
 * @ring: of it
 * @segment: its page and handle are set; to be unmapped
 *
 * Context: the thread of @ring.
 * Return: false when there is none that no request uses.
 */
bool blkback_persist_take_oldest(struct blkback_ring *ring,
				 struct blkback_segment *segment)
{
	struct blkback_store *store = &ring->store;
	struct blkback_persistent *grant = NULL;

	if (!store->nr_idle)
		return false;
	/* Ends in the second turn of each at the latest. */
	while (!grant)
		grant = consider_next(store);
	take(store, grant, segment);
	return true;
}

static bool is_older(const struct blkback_persistent *grant, unsigned long age)
{
	return time_after_eq(jiffies, grant->last_used + age);
}

static bool begin_sweep(struct blkback_store *store)
{
	if (!store->expiry || time_before(jiffies, store->next_sweep))
		return false;
	store->next_sweep = jiffies + store->expiry / SWEEPS + 1;
	store->nr_to_sweep = store->nr_kept;
	return store->nr_to_sweep;
}

/**
 * blkback_persist_take_expired() - give up one that was not used for too long
 * @ring: of it
 * @segment: its page and handle are set; to be unmapped
 *
 * Context: the thread of @ring; again until there is none.
 * Return: false when none has expired, or it is not the time to look.
 */
bool blkback_persist_take_expired(struct blkback_ring *ring,
				  struct blkback_segment *segment)
{
	struct blkback_store *store = &ring->store;
	struct blkback_persistent *grant;

	if (!store->nr_to_sweep && !begin_sweep(store))
		return false;
	while (store->nr_to_sweep) {
		store->nr_to_sweep--;
		grant = list_first_entry(&store->kept,
					 struct blkback_persistent, node);
		if (!grant->users && is_older(grant, store->expiry)) {
			take(store, grant, segment);
			return true;
		}
		list_move_tail(&grant->node, &store->kept);
	}
	return false;
}

/**
 * blkback_persist_take_displaced() - give up one for a newer that had no room
 * @ring: of it
 * @segment: its page and handle are set; to be unmapped
 *
 * Context: the thread of @ring; again until there is none.
 * Return: false when no newer one has missed room, or all are in good use.
 */
bool blkback_persist_take_displaced(struct blkback_ring *ring,
				    struct blkback_segment *segment)
{
	struct blkback_store *store = &ring->store;
	struct blkback_persistent *grant;

	while (store->nr_wanted) {
		store->nr_wanted--;
		grant = store->nr_idle ? consider_next(store) : NULL;
		if (grant && is_older(grant, RECENT)) {
			take(store, grant, segment);
			return true;
		}
	}
	return false;
}

/**
 * blkback_persist_arm() - have the thread woken when the rest has expired
 * @ring: goes to sleep
 *
 * The timer runs on while the ring is busy, so that it costs nothing there. An
 * idle ring is woken at most twice, and then has nothing left.
 *
 * Context: the thread of @ring, as a sleeper: the wake-up can't be lost.
 */
void blkback_persist_arm(struct blkback_ring *ring)
{
	struct blkback_store *store = &ring->store;
	unsigned long all_expired = store->last_used + store->expiry;

	if (!store->nr_idle || !store->expiry || timer_pending(&store->timer))
		return;
	mod_timer(&store->timer, time_after(all_expired, store->next_sweep) ?
				 all_expired : store->next_sweep);
}

/**
 * blkback_persist_disarm() - wake the thread no more
 * @ring: is being stopped
 *
 * Context: the thread of @ring.
 */
void blkback_persist_disarm(struct blkback_ring *ring)
{
	timer_delete_sync(&ring->store.timer);
}
