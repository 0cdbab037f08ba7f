/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Grants that stay mapped between requests; see persist.c.
 */
#ifndef BLKBACK_PERSIST_H
#define BLKBACK_PERSIST_H

#include <linux/list.h>
#include <linux/timer.h>
#include <xen/grant_table.h>

struct blkback_ring;
struct blkback_segment;

/**
 * struct blkback_persist_limits - grants that may stay mapped
 * @offered: to the frontend
 * @max_grants: of each ring
 * @unused_seconds: how long one may stay unused; 0 for as long as it likes
 *
 * Sampled from the module parameters for each connection.
 */
struct blkback_persist_limits {
	bool		offered;
	unsigned int	max_grants;
	unsigned int	unused_seconds;
};

/**
 * struct blkback_persistent - a grant that stays mapped between requests
 * @hash: in the ring's table, by @gref
 * @node: on the list of those that are mapped, or of those that map nothing
 * @page: where it is mapped, read-write; NULL until it is
 * @handle: of the mapping
 * @gref: the guest's reference
 * @unmappable: no handle was left for it: its segments are copied
 * @users: segments in flight that use it
 * @last_used: jiffies
 * @seen: @last_used when it was last considered for a give-back
 */
struct blkback_persistent {
	struct hlist_node	hash;
	struct list_head	node;
	struct page		*page;
	grant_handle_t		handle;
	grant_ref_t		gref;
	bool			unmappable;
	unsigned int		users;
	unsigned long		last_used;
	unsigned long		seen;
};

/**
 * struct blkback_store - the persistent grants of a ring, see persist.c
 * @grants: room for them; NULL when none may be kept
 * @buckets: hash table of those that are mapped
 * @bucket_bits: log2 of its size
 * @empty: those of @grants that map nothing
 * @kept: the others, the next to be considered for a give-back first
 * @nr_kept: their number
 * @nr_idle: those of them that no request uses
 * @nr_wanted: missed room in @grants since the last give-back
 * @nr_to_sweep: of @kept, to be looked at for whether they have expired
 * @expiry: jiffies after which an idle one is given back; 0 for never
 * @next_sweep: jiffies, when to look for expired ones again
 * @last_used: jiffies, the latest of all
 * @hits: segments that found their page mapped
 * @timer: wakes the thread when all have expired
 *
 * All but @timer belongs to the ring's thread.
 */
struct blkback_store {
	struct blkback_persistent	*grants;
	struct hlist_head		*buckets;
	unsigned int			bucket_bits;
	struct list_head		empty;
	struct list_head		kept;
	unsigned int			nr_kept;
	unsigned int			nr_idle;
	unsigned int			nr_wanted;
	unsigned int			nr_to_sweep;
	unsigned long			expiry;
	unsigned long			next_sweep;
	unsigned long			last_used;
	u64				hits;
	struct timer_list		timer;
};

/* persist.c: thread only, but for making and freeing */
void blkback_persist_init(struct blkback_ring *ring);
int blkback_persist_create(struct blkback_ring *ring,
			   const struct blkback_persist_limits *limits);
void blkback_persist_destroy(struct blkback_ring *ring);
bool blkback_persist_use(struct blkback_ring *ring,
			 struct blkback_segment *segment);
struct page *blkback_persist_peek(struct blkback_ring *ring, grant_ref_t gref);
void blkback_persist_settle(struct blkback_segment *segment);
bool blkback_persist_resolve(struct blkback_segment *segment);
void blkback_persist_release(struct blkback_ring *ring,
			     struct blkback_segment *segment);
bool blkback_persist_take_oldest(struct blkback_ring *ring,
				 struct blkback_segment *segment);
bool blkback_persist_take_expired(struct blkback_ring *ring,
				  struct blkback_segment *segment);
bool blkback_persist_take_displaced(struct blkback_ring *ring,
				    struct blkback_segment *segment);
void blkback_persist_arm(struct blkback_ring *ring);
void blkback_persist_disarm(struct blkback_ring *ring);

#endif /* BLKBACK_PERSIST_H */
