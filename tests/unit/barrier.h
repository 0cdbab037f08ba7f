/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * As much of blkback.h, and of the kernel, as blkback/barrier.c needs to run in
 * one thread of user space.
 */
#ifndef UNIT_BARRIER_H
#define UNIT_BARRIER_H

/* The header of the backend stays out. */
#define BLKBACK_H

#include <stdlib.h>

#include <linux/compiler.h>
#include <linux/kernel.h>

#include "protocol.h"

struct list_head {
	struct list_head *next, *prev;
};

static inline void INIT_LIST_HEAD(struct list_head *list)
{
	list->next = list;
	list->prev = list;
}

static inline void list_add_tail(struct list_head *node, struct list_head *list)
{
	node->prev = list->prev;
	node->next = list;
	list->prev->next = node;
	list->prev = node;
}

static inline void list_del_init(struct list_head *node)
{
	node->prev->next = node->next;
	node->next->prev = node->prev;
	INIT_LIST_HEAD(node);
}

#define list_entry(node, type, member) \
	((type *)((char *)(node) - offsetof(type, member)))
static inline struct list_head *first_or_null(struct list_head *list)
{
	return list->next == list ? NULL : list->next;
}

static inline void *entry_or_null(struct list_head *node, size_t offset)
{
	return node ? (char *)node - offset : NULL;
}

#define list_first_entry_or_null(list, type, member) \
	((type *)entry_or_null(first_or_null(list), offsetof(type, member)))

struct llist_node {
	struct llist_node *next;
};

struct llist_head {
	struct llist_node *first;
};

static inline bool llist_add(struct llist_node *node, struct llist_head *list)
{
	const struct llist_node *other;

	for (other = list->first; other; other = other->next)
		if (other == node)
			abort();
	node->next = list->first;
	list->first = node;
	return !node->next;
}

#define spinlock_t		bool

static inline void spin_lock(spinlock_t *lock)
{
	if (*lock)
		abort();
	*lock = true;
}

static inline void spin_unlock(spinlock_t *lock)
{
	if (!*lock)
		abort();
	*lock = false;
}

static inline void lockdep_assert_held(const spinlock_t *lock)
{
	if (!*lock)
		abort();
}

struct task_struct {
	bool awake;
};

static inline void wake_up_process(struct task_struct *task)
{
	task->awake = true;
}

struct xenblk_back_ring {
	u32 req_cons, req_prod;
};

static inline bool
xenblk_ring_pending_requests(const struct xenblk_back_ring *back, u32 *nr)
{
	*nr = back->req_prod - back->req_cons;
	return true;
}

enum blkback_draining {
	BLKBACK_NOT_DRAINING,
	BLKBACK_TAKING,
	BLKBACK_FINISHING,
};

struct blkback_request {
	struct llist_node	done_node;
	struct list_head	node;
	struct blkback_ring	*ring;
	int			status;
	bool			parked;
	u32			taken_in;
	/* the test's own */
	u32			index;
	bool			barrier, written;
};

struct blkback_barriers {
	spinlock_t		lock; /* the rest */
	struct list_head	queue;
	struct blkback_request	*active;
	unsigned int		missing;
	u32			round;
};

struct blkback_device {
	struct blkback_ring	**rings;
	unsigned int		nr_rings;
	struct blkback_barriers	barriers;
	bool			handing_over;
};

struct blkback_ring {
	unsigned int		id;
	struct blkback_device	*device;
	struct task_struct	*thread;
	struct xenblk_back_ring	back;
	struct blkback_request	*waiting, *barrier;
	bool			broken;
	unsigned int		in_flight, earlier;
	enum blkback_draining	draining;
	u32			round, taken_in, take_until;
	struct llist_head	done;
	/* the test's own */
	bool			stopping, ended;
};

static inline void blkback_rings_wake(struct blkback_ring **rings,
				      unsigned int nr_rings)
{
	while (nr_rings--)
		wake_up_process(rings[nr_rings]->thread);
}

static inline bool blkback_is_handing_over(const struct blkback_ring *ring)
{
	return ring->device->handing_over;
}

static inline bool blkback_has_parked(const struct blkback_ring *ring)
{
	return ring->barrier && ring->barrier->parked;
}

void blkback_barrier_park(struct blkback_request *request);
void blkback_barrier_end(struct blkback_request *request);
void blkback_barrier_give_up(struct blkback_ring *ring);
bool blkback_barrier_called(const struct blkback_ring *ring);
void blkback_barrier_follow(struct blkback_ring *ring);

#endif /* UNIT_BARRIER_H */
