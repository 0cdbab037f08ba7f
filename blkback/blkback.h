/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Private to the backend. A device serves one virtual disk of one guest; each
 * of its rings belongs to one thread, which alone reads requests, writes
 * responses, and maps and unmaps the guest's pages.
 */
#ifndef BLKBACK_H
#define BLKBACK_H

#include <linux/bio.h>
#include <linux/completion.h>
#include <linux/kobject.h>
#include <linux/llist.h>
#include <linux/mempool.h>
#include <linux/mutex.h>
#include <linux/ratelimit.h>
#include <linux/refcount.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>
#include <xen/grant_table.h>
#include <xen/xenbus.h>

#include "limits.h"
#include "log.h"
#include "parse.h"
#include "persist.h"
#include "poll.h"
#include "ring.h"

/* Pages that one map or unmap hypercall takes: two of the largest requests. */
#define BLKBACK_BATCH_PAGES	512

/* Pages that a ring may have, mapped or idle: 16 MiB in flight. */
#define BLKBACK_MAX_PAGES	4096

/* A ring never keeps fewer pages: one request of the largest size, its list. */
#define BLKBACK_MIN_PAGES	(XENBLK_MAX_INDIRECT_SEGMENTS + 1)

/* Pages of ours that stand in, at most, for pages that a ring can't map. */
#define BLKBACK_MAX_STANDINS	1024

/* Lists of segments that one copy hypercall fetches. */
#define BLKBACK_BATCH_LISTS	32

/* Bytes of the longest list of segments; two share a page. */
#define BLKBACK_LIST_BYTES \
	(XENBLK_MAX_INDIRECT_SEGMENTS * sizeof(struct xenblk_segment))

/* Tables of segments that a ring keeps while no request uses them. */
#define BLKBACK_IDLE_TABLES	32

struct blkback_device;
struct blkback_ring;

/**
 * struct blkback_segment - a page of the guest that a request touches
 * @page: where it is mapped; NULL while it is not
 * @handle: of the mapping
 * @kept: set when the mapping stays after the request
 * @gref: the guest's reference
 * @first_sect: first 512-byte sector of the page
 * @last_sect: last one, inclusive
 * @copied: @page is to be one of ours, and its data is copied
 */
struct blkback_segment {
	struct page	*page;
	grant_handle_t	handle;
	grant_ref_t	gref;
	struct blkback_persistent *kept;
	u8		first_sect;
	u8		last_sect;
	bool		copied;
};

/**
 * struct blkback_table - room for the segments of an indirect request
 * @next: of those that no request uses
 * @segment: as many as a request may have
 */
struct blkback_table {
	union {
		struct blkback_table	*next;
		struct blkback_segment	segment[XENBLK_MAX_INDIRECT_SEGMENTS];
	};
};

/**
 * struct blkback_request - a request from the copy to the response
 * @done_node: on the ring's done list, put there by the last finished bio
 * @node: on one list of the thread
 * @next_free: of those without work
 * @ring: that it came from
 * @io: what it asks for
 * @id: echoed in the response
 * @answer_op: operation of the response
 * @taken_in: round of barriers in which it was taken; see barrier.c
 * @copied: data goes through pages of ours, all or some of it, instead of being
 *	mapped
 * @nr_standins: pages of ours that it needs, since no handle was left
 * @parked: a barrier that waits for other requests; under the lock of barriers
 * @list: indirect: page of the guest that lists the segments; mapped only if
 *	it stays so
 * @status: &enum xenblk_rsp; any part may make it an error, none undoes that
 * @pending_bios: bios not finished, and one while they are being submitted
 * @table: where the segments are when there are more than 11; NULL else
 * @segment: of @table or @inline_segments
 * @inline_segments: of direct requests
 * @bio: of a direct request, but for discards: it costs no allocation
 * @bvec: of @bio
 *
 * Owned by the thread; between submission and done the bios only touch
 * @status, @pending_bios and @done_node, and @bio belongs to the disk.
 */
struct blkback_request {
	struct llist_node	done_node;
	struct list_head	node;
	struct blkback_request	*next_free;
	struct blkback_ring	*ring;
	struct blkback_io	io;
	u64			id;
	u8			answer_op;
	bool			copied;
	bool			parked;
	u16			nr_standins;
	u32			taken_in;
	struct blkback_segment	list;
	int			status;
	atomic_t		pending_bios;
	struct blkback_table	*table;
	struct blkback_segment	*segment;
	struct blkback_segment	inline_segments[XENBLK_MAX_DIRECT_SEGMENTS];
	struct bio		bio;
	struct bio_vec		bvec[XENBLK_MAX_DIRECT_SEGMENTS];
};

/**
 * struct blkback_counters - what a ring did since it was connected
 * @reads: requests served
 * @writes: the same
 * @flushes: the same
 * @discards: the same
 * @sectors_read: 512-byte sectors
 * @sectors_written: the same
 * @refused: requests that were not sound, or not supported
 * @stalls: times that a request had to wait for another to finish
 * @halts: 1 when the ring was stopped for an impossible index
 * @copied: requests whose data was copied, not mapped
 * @short_of_handles: those of them that were to be mapped; see shortage.c
 * @polls_won: times that work came while the thread polled
 * @polls_lost: times that it polled and went to sleep
 *
 * Written by the ring's thread only, summed by whoever reads.
 */
struct blkback_counters {
	u64	reads;
	u64	writes;
	u64	flushes;
	u64	discards;
	u64	sectors_read;
	u64	sectors_written;
	u64	refused;
	u64	stalls;
	u64	halts;
	u64	copied;
	u64	short_of_handles;
	u64	polls_won;
	u64	polls_lost;
};

/**
 * struct blkback_batch - scratch of a pass, used by the thread
 * @wire: the request that was taken last, unchecked
 * @nr_requests: of the pass that is being made up
 * @nr_pages: pages of it, then of its @map
 * @nr_copies: segments that the pass copies, then operations of @copy
 * @nr_unmaps: of @unmap; both use @page, but never at the same time
 * @nr_lists: indirect requests of the pass
 * @nr_short: requests of the pass with pages that no handle was left for
 */
struct blkback_batch {
	struct xenblk_request		wire;
	struct gnttab_map_grant_ref	map[BLKBACK_BATCH_PAGES];
	struct gnttab_unmap_grant_ref	unmap[BLKBACK_BATCH_PAGES];
	struct blkback_segment		*segment[BLKBACK_BATCH_PAGES];
	struct page			*page[BLKBACK_BATCH_PAGES];
	struct gnttab_copy		copy[BLKBACK_BATCH_PAGES];
	struct blkback_request		*copied[BLKBACK_BATCH_PAGES];
	struct xenblk_segment		*list[BLKBACK_BATCH_LISTS];
	unsigned int			nr_requests;
	unsigned int			nr_pages;
	unsigned int			nr_copies;
	unsigned int			nr_unmaps;
	unsigned int			nr_lists;
	unsigned int			nr_short;
};

/**
 * enum blkback_draining - what a ring does for the barrier of a round
 * @BLKBACK_NOT_DRAINING: nothing; it has reported
 * @BLKBACK_TAKING: it takes what was published when the round began
 * @BLKBACK_FINISHING: it waits for all that it took
 *
 * Moved by the ring's thread.
 */
enum blkback_draining {
	BLKBACK_NOT_DRAINING,
	BLKBACK_TAKING,
	BLKBACK_FINISHING,
};

/**
 * struct blkback_barriers - the barriers of a device; see barrier.c
 * @lock: guards this struct, and @parked of requests; taken in rounds only
 * @queue: parked barriers whose round has not begun
 * @active: the barrier of this round; NULL when there is none
 * @missing: rings that have not reported in this round
 * @round: counts; also read without the lock, by each ring once a pass
 */
struct blkback_barriers {
	spinlock_t		lock; /* all of it, and parked */
	struct list_head	queue;
	struct blkback_request	*active;
	unsigned int		missing;
	u32			round;
};

/**
 * struct blkback_ring - one ring and its thread
 * @id: its number
 * @name: of thread and interrupt
 * @device: that it belongs to
 * @thread: holds a reference, so that a late wake-up finds a task
 * @irq: of the event channel
 * @back: the ring itself
 * @bounds: what requests are held against; its sectors follow the disk
 * @requests: one for each slot
 * @free: requests without work, the last used first
 * @held: finished requests whose pages something else still refers to
 * @waiting: taken from the ring, but there was no room for it yet
 * @broken: the frontend's index is impossible: never read the ring again
 * @served: a request was taken since the last event was acknowledged
 * @in_flight: requests between submission and the end of reaping
 * @copies_in_flight: those of them whose data is copied
 * @pages_in_flight: pages mapped or copied for them, at most
 * @starved: in flight, but not submitted: they wait for pages of ours
 * @nr_starved: their number
 * @nr_standins: pages of ours in use for want of handles
 * @lists_readonly: the frontend's lists of segments can't stay mapped
 * @barrier: taken, and not done: nothing more is taken
 * @draining: &enum blkback_draining
 * @round: of barriers, the latest that it has seen
 * @taken_in: round that requests taken now are marked with
 * @take_until: request index up to which it takes in BLKBACK_TAKING
 * @earlier: requests in flight that were taken before the latest round
 * @table_pool: where @tables come from
 * @tables: that no request uses
 * @nr_tables: their number, at most BLKBACK_IDLE_TABLES
 * @batch: scratch of the pass
 * @idle: pages to map at, the last used first
 * @nr_idle: their number
 * @own: pages to copy through, chained by page_private(), the last used first
 * @nr_own: their number
 * @store: grants that stay mapped
 * @poll: how long to look for work before sleeping
 * @squeeze_seen: the device's squeezed_until when the ring last looked
 * @log_after: when its counters may be logged next, in jiffies
 * @counters: see there
 * @finished: nothing that was taken is unanswered, and nothing more is taken; see
 *	blkback_rings_finish()
 * @event: set by the interrupt, taken by the thread
 * @done: finished requests; written by bios, emptied by the thread
 *
 * All but @finished, @event, @done and the timer of @store belong to the thread from its
 * start to its end.
 */
struct blkback_ring {
	unsigned int			id;
	char				name[32];
	struct blkback_device		*device;
	struct task_struct		*thread;
	unsigned int			irq;
	struct xenblk_back_ring		back;
	struct blkback_bounds		bounds;
	struct blkback_request		*requests;
	struct blkback_request		*free;
	struct list_head		held;
	struct blkback_request		*waiting;
	bool				broken;
	bool				served;
	unsigned int			in_flight;
	unsigned int			copies_in_flight;
	unsigned int			pages_in_flight;
	struct list_head		starved;
	unsigned int			nr_starved;
	unsigned int			nr_standins;
	bool				lists_readonly;
	struct blkback_request		*barrier;
	enum blkback_draining		draining;
	u32				round;
	u32				taken_in;
	u32				take_until;
	unsigned int			earlier;
	mempool_t			table_pool;
	struct blkback_table		*tables;
	unsigned int			nr_tables;
	struct blkback_batch		*batch;
	struct page			**idle;
	unsigned int			nr_idle;
	struct page			*own;
	unsigned int			nr_own;
	struct blkback_store		store;
	struct blkback_poll		poll;
	unsigned long			squeeze_seen;
	unsigned long			log_after;
	struct blkback_counters		counters;
	struct completion		finished;

	atomic_t			event ____cacheline_aligned_in_smp;
	struct llist_head		done;
};

/**
 * struct blkback_ring_spec - a ring as its frontend published it
 * @nr_pages: grant pages, a power of two
 * @ref: their grant references
 * @evtchn: the frontend's event channel
 */
struct blkback_ring_spec {
	unsigned int	nr_pages;
	grant_ref_t	ref[XENBLK_MAX_RING_PAGES];
	evtchn_port_t	evtchn;
};

/**
 * struct blkback_limits - what the device offers its frontend
 *
 * Sampled from the module parameters at probe: a device never sees two values.
 */
struct blkback_limits {
	unsigned int	max_queues;
	unsigned int	max_ring_order;
};

/**
 * struct blkback_device - one virtual disk
 * @xdev: its xenbus device; a reference is held
 * @name: "blkback.DOMAIN.DISK", start of the names of threads and interrupts
 * @lock: guards @state to @placements; @limits and @max_cached_pages do not change
 * @state: mirrors the state node; moved by one function only
 * @removed: the bus has let go: write nothing to xenstore any more
 * @tearing_down: @teardown runs or is about to; the rings are not ours
 * @connecting: @connect runs or is about to; the disk stays open
 * @handing_over: the frontend stays, for another backend: before the rings are
 *	stopped they answer all that they took. Also read by their threads
 * @watch: on the physical-device node
 * @limits: see there
 * @max_cached_pages: of each ring
 * @persist: see there
 * @max_copy_pages: requests of more pages are mapped; sampled as @persist
 * @poll_us: longest poll of each ring, in microseconds; sampled as @persist
 * @squeezed_until: memory was short: rings keep few pages; in jiffies
 * @shortage_lines: how often it is logged that no handle is left
 * @bdev: the disk; NULL until the hotplug script has named it
 * @bounds: of @bdev as the frontend was told; rings have a copy
 * @resize: tells the frontend a new size
 * @rings: @nr_rings of them; NULL when not connected
 * @barriers: see there
 * @retired: counters of rings that are gone
 * @placements: by ring, the processors that an administrator wants it on; under
 *	@lock
 * @debugfs: its folder, from probe to remove
 * @connect: gets the disk ready and makes the rings; may wait for the disk
 * @teardown: stops and frees the rings, which may wait for the disk
 * @users: whoever ends the device, and whoever waits for @ended
 * @ended: the disk is closed, and nothing of the frontend is mapped
 */
struct blkback_device {
	struct xenbus_device	*xdev;
	char			name[24];
	struct mutex		lock;		/* see above */
	enum xenbus_state	state;
	bool			removed;
	bool			tearing_down;
	bool			connecting;
	bool			handing_over;
	struct xenbus_watch	watch;
	struct blkback_limits	limits;
	unsigned int		max_cached_pages;
	struct blkback_persist_limits persist;
	unsigned int		max_copy_pages;
	unsigned int		poll_us;
	unsigned long		squeezed_until;
	struct ratelimit_state	shortage_lines;
	struct block_device	*bdev;
	struct blkback_bounds	bounds;
	struct blkback_ring	**rings;
	unsigned int		nr_rings;
	struct blkback_barriers	barriers;
	struct blkback_counters	retired;
	struct xarray		placements;
	struct work_struct	resize;
	struct work_struct	connect;
	struct work_struct	teardown;
	refcount_t		users;
	struct completion	ended;
	struct dentry		*debugfs;
};

static inline bool blkback_is_handing_over(const struct blkback_ring *ring)
{
	/* Pairs with start_teardown(). */
	return READ_ONCE(ring->device->handing_over);
}

/* A barrier of this ring that waits for others, be they done already or not. */
static inline bool blkback_has_parked(const struct blkback_ring *ring)
{
	return ring->barrier && READ_ONCE(ring->barrier->parked);
}

/* main.c */
extern unsigned int blkback_squeeze_ms;
extern int blkback_log_stats;

void blkback_sample_limits(struct blkback_device *device);
void blkback_sample_tuning(struct blkback_device *device);

/* xenbus.c */
int blkback_xenbus_init(void);
void blkback_xenbus_exit(void);
void blkback_resized(struct blkback_device *device);

/* negotiate.c */
int blkback_publish_limits(struct blkback_device *device);
int blkback_publish_disk(struct blkback_device *device);
void blkback_publish_size(struct blkback_device *device);
int blkback_connect_rings(struct blkback_device *device);

/* bdev.c */
int blkback_bdev_open(struct blkback_device *device);
void blkback_bdev_clean(struct blkback_device *device);
void blkback_bdev_sample(struct blkback_device *device);
void blkback_bdev_drop_dead(struct blkback_device *device);
void blkback_bdev_close(struct blkback_device *device);
unsigned int blkback_bdev_info(const struct blkback_device *device);

/* queue.c */
struct blkback_ring *blkback_ring_create(struct blkback_device *device,
					 unsigned int id,
					 enum xenblk_layout layout,
					 struct blkback_ring_spec *spec);
void blkback_ring_start(struct blkback_ring *ring);
void blkback_rings_wake(struct blkback_ring **rings, unsigned int nr_rings);
void blkback_rings_finish(struct blkback_ring **rings, unsigned int nr_rings);
void blkback_rings_stop(struct blkback_ring **rings, unsigned int nr_rings);
void blkback_rings_free(struct blkback_ring **rings, unsigned int nr_rings);

/* ring.c: thread only */
int blkback_ring_thread(void *data);

/* wait.c: thread only */
void blkback_wait(struct blkback_ring *ring);

/* barrier.c: thread only */
void blkback_barrier_park(struct blkback_request *request);
void blkback_barrier_end(struct blkback_request *request);
void blkback_barrier_give_up(struct blkback_ring *ring);
bool blkback_barrier_called(const struct blkback_ring *ring);
void blkback_barrier_follow(struct blkback_ring *ring);

/* grant.c: thread only */
void blkback_grant_fetch_lists(struct blkback_ring *ring,
			       struct list_head *requests);
void blkback_grant_map(struct blkback_ring *ring, struct list_head *requests);
void blkback_grant_unmap(struct blkback_ring *ring, struct list_head *requests);
int blkback_grant_pin(struct blkback_ring *ring, const grant_ref_t *refs,
		      unsigned int nr, struct blkback_segment *pinned);
void blkback_grant_unpin(struct blkback_ring *ring,
			 struct blkback_segment *pinned, unsigned int nr);
bool blkback_grant_reserve(struct blkback_ring *ring, unsigned int nr_pages);
void blkback_grant_trim(struct blkback_ring *ring, unsigned int keep);
void blkback_grant_release(struct blkback_ring *ring,
			   struct blkback_request *request);
bool blkback_grant_in_use(const struct blkback_request *request);
void blkback_grant_give_back(struct blkback_ring *ring, unsigned int nr);
void blkback_grant_expire(struct blkback_ring *ring);

/* copy.c: thread only */
bool blkback_copy_suits(const struct blkback_ring *ring,
			const struct blkback_request *request);
bool blkback_copy_reserve(struct blkback_ring *ring, unsigned int nr_pages,
			  gfp_t gfp);
void blkback_copy_trim(struct blkback_ring *ring, unsigned int keep);
void blkback_copy_in(struct blkback_ring *ring, struct list_head *requests);
void blkback_copy_out(struct blkback_ring *ring, struct list_head *requests);

/* shortage.c: thread only, but for the first */
void blkback_shortage_init(struct blkback_device *device);
void blkback_shortage_stand_in(struct blkback_ring *ring,
			       struct list_head *requests);
bool blkback_shortage_retry(struct blkback_ring *ring, struct list_head *pass);
void blkback_shortage_end(struct blkback_ring *ring,
			  struct blkback_request *request);
void blkback_shortage_give_up(struct blkback_ring *ring,
			      struct list_head *ready);

/* submit.c */
int blkback_submit_init(void);
void blkback_submit_exit(void);
void blkback_submit(struct blkback_ring *ring, struct list_head *requests);
bool blkback_submit_more(struct blkback_request *request);

/* stats.c */
int blkback_stats_create(struct blkback_device *device);
void blkback_stats_remove(struct blkback_device *device);
void blkback_stats_retire(struct blkback_device *device);
void blkback_stats_log(struct blkback_ring *ring);

/* affinity.c */
extern struct device_attribute blkback_ring_cpus_attr;

void blkback_affinity_init(struct blkback_device *device);
void blkback_affinity_forget(struct blkback_device *device);
void blkback_affinity_apply(struct blkback_ring *ring);

/* squeeze.c */
void blkback_squeeze(struct xenbus_device *xdev);
bool blkback_squeeze_is_on(struct blkback_ring *ring);

/* debugfs.c */
void blkback_debugfs_init(void);
void blkback_debugfs_exit(void);
void blkback_debugfs_add(struct blkback_device *device);
void blkback_debugfs_remove(struct blkback_device *device);

#endif /* BLKBACK_H */
