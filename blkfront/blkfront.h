/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the files of the frontend share, grouped by the file that has it.
 *
 * Locks, outermost first: @lock of a device, open_mutex of its disk,
 * @queues_lock of a device, @lock of a ring's producer, @lock of its completer
 * or @parked_lock of a device.
 */
#ifndef BLKFRONT_H
#define BLKFRONT_H

#include <linux/blk-mq.h>
#include <linux/blkdev.h>
#include <linux/kref.h>
#include <linux/llist.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include <xen/events.h>
#include <xen/grant_table.h>
#include <xen/xenbus.h>

#include "limits.h"
#include "log.h"
#include "ring.h"
#include "vdev.h"

#define BLKFRONT_MAJOR		202

/* An event that is on its way comes within this, in jiffies. */
#define BLKFRONT_EVENT_WAIT	(2 * HZ)

struct blkfront_dev;

/**
 * struct blkfront_list - a page that lists the segments of indirect requests
 * @seg: the page; NULL when there is none yet
 * @gref: its grant, kept for the connection's life; read-only, unless grants of
 *	data are kept as well
 */
struct blkfront_list {
	struct xenblk_segment	*seg;
	grant_ref_t		gref;
};

/**
 * struct blkfront_bounce - a page that stands in for one of a request
 * @node: to the next of the request, or of those that no request uses
 * @last: of the request, if this is its first
 * @data: the page; NULL after it was left to a backend that holds on to it
 * @gref: its grant, read-write, if it keeps it for the connection's life
 */
struct blkfront_bounce {
	struct llist_node	node;
	struct blkfront_bounce	*last;
	void			*data;
	grant_ref_t		gref;
};

/**
 * enum blkfront_slot_state - who owns a slot
 * @BLKFRONT_SLOT_FREE: nobody; set by whoever finishes a request, before it
 *	gives back the tag
 * @BLKFRONT_SLOT_CLAIMED: the submitter of a request; set under the producer's
 *	lock, and kept while data is copied without it
 * @BLKFRONT_SLOT_WAITING: the completer, under its lock; set by the submitter
 *	when all other fields are final
 * @BLKFRONT_SLOT_ANSWERED: whoever finishes the request; set by the completer,
 *	and kept while data is copied without its lock
 */
enum blkfront_slot_state {
	BLKFRONT_SLOT_FREE,
	BLKFRONT_SLOT_CLAIMED,
	BLKFRONT_SLOT_WAITING,
	BLKFRONT_SLOT_ANSWERED,
};

/**
 * struct blkfront_slot - private state of a request; its index is the ring id
 * @rq: the request
 * @own: list page of this slot, made at its first indirect request
 * @list: page that lists the segments; NULL for a direct request
 * @bounce: pages that stand in for the request's, one for each segment in
 *	their order; NULL when its own are granted
 * @state: &enum blkfront_slot_state
 * @op: what the response must carry; the inner one of an indirect request
 * @nr_segs: segments with a grant each
 * @position: in the order of the ring, to be replayed in
 * @gref: grants of a direct request; those of an indirect one are in @list,
 *	which the backend cannot write. Persistent ones are those of @bounce
 */
struct blkfront_slot {
	struct request		*rq;
	struct blkfront_list	own;
	struct blkfront_list	*list;
	struct blkfront_bounce	*bounce;
	u8			state;
	u8			op;
	u16			nr_segs;
	u32			position;
	grant_ref_t		gref[XENBLK_MAX_DIRECT_SEGMENTS];
};

/**
 * struct blkfront_producer - the submitting side of a ring
 * @lock: guards this struct, and free slots; never taken in an interrupt, nor
 *	while data is copied
 * @ring: shared pages and own index
 * @gref_head: next cached grant reference to take; read by the completer
 * @gref_tail_seen: the completer's gref_tail when it was last looked at
 * @bounces: pages that no request uses, the last used first
 * @nr_bounces: how many there are, in use or not
 * @nudged: jiffies of the last nudge of a silent backend
 * @nudged_at: the completer's rsp_cons at that time
 */
struct blkfront_producer {
	spinlock_t			lock; /* this side, and free slots */
	struct xenblk_front_producer	ring;
	u32				gref_head;
	u32				gref_tail_seen;
	struct llist_node		*bounces;
	unsigned int			nr_bounces;
	unsigned long			nudged;
	u32				nudged_at;
};

/**
 * struct blkfront_completer - the completing side of a ring
 * @lock: guards this struct, and waiting slots: taken by the interrupt handler
 *	and by the timeout that looks after it, never by submitters, nor while
 *	data is copied
 * @ring: shared pages and own index
 * @polled: no event is asked for; see blkfront_complete_start_polling()
 * @waited_since: jiffies when answers were first seen to lie there without an event
 * @waited_at: @ring's rsp_cons at that time
 * @gref_tail: where the next idle grant reference goes; read by the producer
 * @gref_head_seen: the producer's gref_head when it was last looked at
 * @bounces: pages that came back; anybody may add, the producer takes them all
 */
struct blkfront_completer {
	spinlock_t			lock; /* this side, and waiting slots */
	struct xenblk_front_consumer	ring;
	bool				polled;
	unsigned long			waited_since;
	u32				waited_at;
	u32				gref_tail;
	u32				gref_head_seen;
	struct llist_head		bounces;
};

/**
 * struct blkfront_queue - one ring and its hardware queue
 * @id: index in the device
 * @name: of the interrupt and in logs
 * @dev: parent
 * @connected: ring and slots may be used; written under both locks below, read
 *	under either, or in a read section of RCU: see stop_queues()
 * @holding: what comes in is parked, even if @connected: see recovery.c; written
 *	and read under the producer's lock
 * @irq: 0 when there is none
 * @evtchn: event channel of @irq
 * @nr_pages: pages of the ring
 * @pages: the pages
 * @grefs: their grants; written by set-up and teardown only
 * @slots: as many as the ring has entries
 * @gref_cache: idle grant references, a power of two; see grant.c
 * @gref_mask: their number less one
 * @prepared: what the backend's features ask for is there
 * @copies: data goes through pages of the ring's own; see bounce.c
 * @persistent: and these keep their grants
 * @max_bounces: how many there may be
 * @reserve: list page for when no other can be had
 * @reserve_lent: bit 0 is set while a request uses @reserve
 * @producer: see there
 * @completer: see there
 */
struct blkfront_queue {
	unsigned int		id;
	char			name[32];
	struct blkfront_dev	*dev;
	bool			connected;
	bool			holding;
	unsigned int		irq;
	evtchn_port_t		evtchn;
	unsigned int		nr_pages;
	struct page		*pages[XENBLK_MAX_RING_PAGES];
	grant_ref_t		grefs[XENBLK_MAX_RING_PAGES];
	struct blkfront_slot	*slots;
	grant_ref_t		*gref_cache;
	u32			gref_mask;
	bool			prepared;
	bool			copies;
	bool			persistent;
	unsigned int		max_bounces;
	struct blkfront_list	reserve;
	unsigned long		reserve_lent;

	struct blkfront_producer producer ____cacheline_aligned_in_smp;
	struct blkfront_completer completer ____cacheline_aligned_in_smp;
};

/**
 * struct blkfront_limits - what a connection was agreed to have
 * @nr_queues: rings
 * @nr_polled: of these, the last ones, that raise no interrupts
 * @ring_order: log2 of the pages of a ring
 * @max_segs: segments of a request; those of more than 11 go indirect
 * @persistent: the backend was told that grants may stay mapped
 * @untrusted: the backend may see nothing but the bytes that are read or written
 */
struct blkfront_limits {
	unsigned int	nr_queues;
	unsigned int	nr_polled;
	unsigned int	ring_order;
	unsigned int	max_segs;
	bool		persistent;
	bool		untrusted;
};

/**
 * struct blkfront_geometry - the disk that a connected backend describes
 * @sectors: capacity in 512-byte sectors
 * @sector_size: logical block in bytes
 * @physical_size: physical block in bytes
 * @info: XENBLK_INFO_* bits
 * @flush_op: wire operation of a flush; 0 when writes are durable without
 * @persistent: the backend wants grants to stay mapped
 * @discard_granularity: bytes, a power of two; 0 when there are no discards
 * @discard_alignment: bytes by which granules are off the disk's first sector
 * @secure_discard: there are discards that leave nothing to be recovered
 */
struct blkfront_geometry {
	u64		sectors;
	unsigned int	sector_size;
	unsigned int	physical_size;
	unsigned int	info;
	u8		flush_op;
	bool		persistent;
	unsigned int	discard_granularity;
	unsigned int	discard_alignment;
	bool		secure_discard;
};

/**
 * struct blkfront_dev - one disk
 * @xdev: NULL once remove() is done; openers may outlive it
 * @otherend: domain of the backend, for grants
 * @ref: one of the bound device, one of the added disk
 * @vdev: number, name and minors; reserved until the last reference is gone
 * @siblings: entry in the list of reserved names
 * @lock: makes @work and remove() exclude each other; guards @disk, @adding,
 *	@rebinding, @refused, @held and the connection's state
 * @work: follows the backend's state; queued by whatever may change the answer
 * @backend_state: latest one; written by the xenbus callback
 * @removed: set when remove() begins: @work must not do anything new, and no
 *	rings may be made
 * @rebinding: starting again: wait until the backend let go of the old rings
 * @resumed: the domain is a new one, what was shared is void; set while @work
 *	is frozen, taken by @work
 * @look_again: kicks @work when @set_up_at has come
 * @set_up_at: no rings are made before, in jiffies
 * @nr_retries: how often the disk started again since it was connected and the
 *	backend before that had kept no page of it, up to a limit
 * @kept: the last backend had pages of ours mapped when its rings went
 * @refused: the backend was told that the disk is in use
 * @ready: nothing is left to wait for at boot; see blkfront_dev_is_ready()
 * @broken: what the backend sent against the protocol, NULL while nothing; set
 *	in any context, never cleared
 * @halt: stops the rings of a broken backend; not @work, which may be waiting
 *	for an answer of it
 * @nr_silent: answers that came without an event, ever; of the timeout handler
 * @silence_told: some of them were told of since the rings were made
 * @flush_revoked: the backend said so at run time; set by a completer
 * @discard_revoked: the same
 * @secure_revoked: the same
 * @limits: agreed before the rings were made
 * @geometry: read when the backend connected
 * @queues_lock: guards @queues against a removal while the worker waits for I/O
 * @nr_allotted: elements of @queues; a disk never has more rings
 * @may_poll: some of them may be polled
 * @queues: the rings; NULL when there are none
 * @held: the disk is frozen until its connection is made again
 * @parked_lock: guards @parked, @nr_parked and @flushes
 * @parked: bios of requests without a connection, in the order to replay them
 * @nr_parked: bios parked since the connection was lost
 * @flushes: flush requests without a connection, not started
 * @replay: submits @parked
 * @tag_set: of @disk
 * @disk: NULL when there is none
 * @add: lets the system see @disk; not @work, since that reads partitions and
 *	may wait for an answer of the backend
 * @adding: @add is on its way, or its outcome was not looked at yet
 * @add_status: its outcome; -EINPROGRESS until there is one. Written by @add
 * @dying: no opener may come; written under open_mutex of @disk
 */
struct blkfront_dev {
	struct xenbus_device	*xdev;
	domid_t			otherend;
	struct kref		ref;
	struct blkfront_vdev	vdev;
	struct list_head	siblings;

	struct mutex		lock; /* worker against remove() */
	struct work_struct	work;
	enum xenbus_state	backend_state;
	bool			removed;
	bool			rebinding;
	bool			resumed;
	bool			refused;
	bool			ready;
	struct delayed_work	look_again;
	unsigned long		set_up_at;
	unsigned int		nr_retries;
	bool			kept;

	const char		*broken;
	struct work_struct	halt;
	unsigned int		nr_silent;
	bool			silence_told;
	bool			flush_revoked;
	bool			discard_revoked;
	bool			secure_revoked;

	struct blkfront_limits	limits;
	struct blkfront_geometry geometry;

	struct mutex		queues_lock; /* @queues */
	unsigned int		nr_allotted;
	bool			may_poll;
	struct blkfront_queue	*queues;

	bool			held;
	spinlock_t		parked_lock; /* @parked, @nr_parked, @flushes */
	struct bio_list		parked;
	unsigned int		nr_parked;
	struct list_head	flushes;
	struct work_struct	replay;

	struct blk_mq_tag_set	tag_set;
	struct gendisk		*disk;
	struct work_struct	add;
	bool			adding;
	int			add_status;
	bool			dying;
};

/**
 * struct blkfront_pdu - what blk-mq keeps with each request for us
 * @status: from the completer to whoever finishes it
 * @queue: the ring of @slot; not always that of the request's hardware queue
 * @slot: of the answered request; NULL when it has none any more
 */
struct blkfront_pdu {
	blk_status_t		status;
	struct blkfront_queue	*queue;
	struct blkfront_slot	*slot;
};

/**
 * struct blkfront_draft - a request on its way into the ring
 * @rq: the request
 * @slot: claimed for it; NULL when there is none
 * @nr_claimed: segments that @slot has pages or grants for
 * @wire: what the ring will get
 */
struct blkfront_draft {
	struct request		*rq;
	struct blkfront_slot	*slot;
	unsigned int		nr_claimed;
	struct xenblk_request	wire;
};

/* main.c */
extern struct workqueue_struct *blkfront_workqueue;
extern unsigned int blkfront_max_queues;
extern unsigned int blkfront_poll_queues;
extern unsigned int blkfront_max_ring_order;
extern unsigned int blkfront_max_segments;
extern bool blkfront_offer_persistent;
extern bool blkfront_trusted;

/* xenbus.c */
extern struct xenbus_driver blkfront_driver;

void blkfront_break(struct blkfront_dev *dev, const char *what);
void blkfront_kick(struct blkfront_dev *dev);

/* device.c */
bool blkfront_dev_is_emulated(struct xenbus_device *xdev,
			      const struct blkfront_vdev *vdev);
int blkfront_dev_read_vdev(struct xenbus_device *xdev,
			   struct blkfront_vdev *vdev);
struct blkfront_dev *blkfront_dev_create(struct xenbus_device *xdev,
					 const struct blkfront_vdev *vdev);
void blkfront_dev_get(struct blkfront_dev *dev);
void blkfront_dev_put(struct blkfront_dev *dev);
bool blkfront_dev_is_ready(const struct xenbus_device *xdev);
void blkfront_dev_wait_all(void);

/* negotiate.c */
int blkfront_negotiate_limits(struct blkfront_dev *dev);
int blkfront_negotiate_publish(struct blkfront_dev *dev);
int blkfront_negotiate_sectors(struct blkfront_dev *dev, u64 *sectors);
int blkfront_negotiate_geometry(struct blkfront_dev *dev);

/* queue.c */
int blkfront_queues_create(struct blkfront_dev *dev);
int blkfront_queues_prepare(struct blkfront_dev *dev);
void blkfront_queues_disconnect(struct blkfront_dev *dev);
void blkfront_queues_poll(struct blkfront_dev *dev);
void blkfront_queues_hold(struct blkfront_dev *dev);
void blkfront_queues_leave(struct blkfront_dev *dev);
void blkfront_queues_release(struct blkfront_dev *dev);
void blkfront_queues_destroy(struct blkfront_dev *dev);

/* mq.c */
int blkfront_mq_alloc_tags(struct blkfront_dev *dev);
int blkfront_mq_update_queues(struct blkfront_dev *dev);

/* recovery.c */
void blkfront_recovery_init(struct blkfront_dev *dev);
int blkfront_recovery_suspend(struct xenbus_device *xdev);
void blkfront_recovery_hold(struct blkfront_dev *dev);
int blkfront_recovery_finish(struct blkfront_dev *dev);
void blkfront_recovery_release(struct blkfront_dev *dev);
void blkfront_recovery_abandon(struct blkfront_dev *dev);
void blkfront_recovery_fail(struct blkfront_dev *dev);
/* submitters, under the producer's lock; or the owner of an unanswered slot */
void blkfront_recovery_park(struct blkfront_queue *queue, struct request *rq);

/* request.c: submitters, under the producer's lock but for the second */
blk_status_t blkfront_request_claim(struct blkfront_queue *queue,
				    struct blkfront_draft *draft);
blk_status_t blkfront_request_fill(const struct blkfront_queue *queue,
				   struct blkfront_draft *draft);
void blkfront_request_put(struct blkfront_queue *queue,
			  const struct blkfront_draft *draft);
void blkfront_request_drop(struct blkfront_queue *queue,
			   const struct blkfront_draft *draft);
bool blkfront_request_fits(const struct blkfront_queue *queue,
			   struct request *rq);
void blkfront_request_push(struct blkfront_queue *queue);

/* complete.c */
irqreturn_t blkfront_complete_event(int irq, void *data);
int blkfront_complete_pending(struct blkfront_queue *queue);
int blkfront_complete_overdue(struct blkfront_queue *queue,
			      unsigned int *silent);
int blkfront_complete_polled(struct blkfront_queue *queue,
			     struct io_comp_batch *batch);
void blkfront_complete_start_polling(struct blkfront_queue *queue);
void blkfront_complete_request(struct request *rq);
void blkfront_complete_unanswered(struct blkfront_queue *queue);

/* grant.c */
int blkfront_grants_create(struct blkfront_queue *queue);
void blkfront_grants_destroy(struct blkfront_queue *queue);
/* submitters, under the producer's lock */
int blkfront_grants_claim(struct blkfront_queue *queue,
			  struct blkfront_slot *slot, unsigned int nr);
/* the owner of the slot */
grant_ref_t blkfront_grants_give(const struct blkfront_queue *queue,
				 const struct blkfront_slot *slot,
				 unsigned int i, struct page *page);
void blkfront_grants_unclaim(const struct blkfront_slot *slot, unsigned int nr);
bool blkfront_grants_end(struct blkfront_queue *queue,
			 const struct blkfront_slot *slot);
void blkfront_grants_abandon(const struct blkfront_queue *queue,
			     const struct blkfront_slot *slot);

/* bounce.c */
int blkfront_bounce_create(struct blkfront_queue *queue);
void blkfront_bounce_destroy(struct blkfront_queue *queue);
bool blkfront_bounce_get(struct blkfront_queue *queue,
			 struct blkfront_slot *slot, unsigned int nr);
void blkfront_bounce_put(struct blkfront_queue *queue,
			 struct blkfront_slot *slot);
void blkfront_bounce_fill(const struct blkfront_queue *queue,
			  const struct blkfront_slot *slot);
void blkfront_bounce_copy_back(const struct blkfront_slot *slot);

/* Return: the next page of a request, NULL after the last. */
static inline struct blkfront_bounce *
blkfront_bounce_next(const struct blkfront_bounce *bounce)
{
	if (!bounce->node.next)
		return NULL;
	return llist_entry(bounce->node.next, struct blkfront_bounce, node);
}

/* leftover.c */
void blkfront_leftover_end(struct blkfront_dev *dev, grant_ref_t gref,
			   void *data);
void blkfront_leftover_reclaim(void);
void blkfront_leftover_exit(void);

/* indirect.c */
int blkfront_lists_create(struct blkfront_queue *queue);
void blkfront_lists_destroy(struct blkfront_queue *queue);
struct blkfront_list *blkfront_list_get(struct blkfront_queue *queue,
					struct blkfront_slot *slot);
void blkfront_list_put(struct blkfront_queue *queue,
		       struct blkfront_slot *slot);

/* disk.c */
int blkfront_disk_create(struct blkfront_dev *dev);
void blkfront_disk_add(struct blkfront_dev *dev);
bool blkfront_disk_added(struct blkfront_dev *dev, int *err);
void blkfront_disk_renew_offers(struct blkfront_dev *dev);
void blkfront_disk_stop_discards(struct blkfront_dev *dev);
void blkfront_disk_update(struct blkfront_dev *dev);
void blkfront_disk_resize(struct blkfront_dev *dev, u64 sectors);
int blkfront_disk_claim_idle(struct blkfront_dev *dev);
void blkfront_disk_destroy(struct blkfront_dev *dev, bool dead);

#endif /* BLKFRONT_H */
