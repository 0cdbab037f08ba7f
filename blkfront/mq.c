// SPDX-License-Identifier: GPL-2.0-only
/*
 * The block layer's side: requests come in, are published in batches, are polled
 * for, and time out.
 */
#include "blkfront.h"

/* A silent ring is nudged no more often than this, in jiffies. */
#define NUDGE_INTERVAL		(10 * HZ)

/*
 * A flush that the backend cannot do, or not any more, is done: sysfs lets
 * people ask for flushes that the disk does not claim to need.
 */
static bool needs_backend(const struct blkfront_dev *dev,
			  const struct request *rq)
{
	if (req_op(rq) != REQ_OP_FLUSH)
		return true;
	/* Pairs with judge_status(). */
	return dev->geometry.flush_op && !READ_ONCE(dev->flush_revoked);
}

static void commit_rqs(struct blk_mq_hw_ctx *hctx)
{
	struct blkfront_queue *queue = hctx->driver_data;

	spin_lock(&queue->producer.lock);
	if (queue->connected)
		blkfront_request_push(queue);
	spin_unlock(&queue->producer.lock);
}

static void finish_here(struct blk_mq_hw_ctx *hctx,
			const struct blk_mq_queue_data *bd)
{
	blk_mq_start_request(bd->rq);
	blk_mq_end_request(bd->rq, BLK_STS_OK);
	/* Those of the batch before this one waited for it. */
	if (bd->last)
		commit_rqs(hctx);
}

/* Return: BLK_STS_OK without a slot when the request was parked. */
static blk_status_t claim(struct blkfront_queue *queue,
			  struct blkfront_draft *draft)
{
	lockdep_assert_held(&queue->producer.lock);

	if (unlikely(queue->holding)) {
		blkfront_recovery_park(queue, draft->rq);
		return BLK_STS_OK;
	}
	if (!queue->connected || READ_ONCE(queue->dev->broken))
		return BLK_STS_IOERR;
	if (likely(blkfront_request_fits(queue, draft->rq)))
		return blkfront_request_claim(queue, draft);
	/* Its bios come again, split as they must be now. */
	blkfront_recovery_park(queue, draft->rq);
	return BLK_STS_OK;
}

/* The connection may have been lost while the lock was not held. */
static blk_status_t put(struct blkfront_queue *queue,
			const struct blkfront_draft *draft, blk_status_t filled)
{
	lockdep_assert_held(&queue->producer.lock);

	if (likely(!filled && queue->connected && !queue->holding)) {
		blkfront_request_put(queue, draft);
		return BLK_STS_OK;
	}
	blkfront_request_drop(queue, draft);
	if (filled)
		return filled;
	if (!queue->holding)
		return BLK_STS_IOERR;
	blkfront_recovery_park(queue, draft->rq);
	return BLK_STS_OK;
}

/*
 * A durable write ends with the flush after it, which may be one for others as well,
 * and end in an interrupt: where bios that are polled for must not go back into
 * their cache. See stop_polling_for(); but for this one somebody has to poll.
 */
static void forgo_bio_cache(struct request *rq)
{
	struct bio *bio;

	for (bio = rq->bio; bio; bio = bio->bi_next)
		bio->bi_opf &= ~REQ_ALLOC_CACHE;
}

static blk_status_t queue_rq(struct blk_mq_hw_ctx *hctx,
			     const struct blk_mq_queue_data *bd)
{
	struct blkfront_queue *queue = hctx->driver_data;
	struct blkfront_draft draft = { .rq = bd->rq };
	blk_status_t status;

	if (!needs_backend(queue->dev, bd->rq)) {
		finish_here(hctx, bd);
		return BLK_STS_OK;
	}
	if (unlikely(bd->rq->rq_flags & RQF_FLUSH_SEQ))
		forgo_bio_cache(bd->rq);

	spin_lock(&queue->producer.lock);
	status = claim(queue, &draft);
	if (draft.slot) {
		/* Nobody is to wait for the copy of data. */
		spin_unlock(&queue->producer.lock);
		status = blkfront_request_fill(queue, &draft);
		spin_lock(&queue->producer.lock);
		status = put(queue, &draft, status);
	}
	/* Even if this one failed, those before it wait. */
	if (bd->last && queue->connected)
		blkfront_request_push(queue);
	spin_unlock(&queue->producer.lock);
	return status;
}

/*
 * The event to the backend may have been lost. One line for a stall: it ends
 * when a response comes.
 */
static void nudge(struct blkfront_queue *queue)
{
	struct blkfront_producer *producer = &queue->producer;
	u32 taken = READ_ONCE(queue->completer.ring.rsp_cons);

	lockdep_assert_held(&producer->lock);

	if (time_before(jiffies, producer->nudged + NUDGE_INTERVAL))
		return;
	if (producer->nudged_at != taken)
		xenblk_warn_ratelimited(queue->dev->xdev,
					"%s: no answer: written %u, published %u, answered %u, taken %u",
					queue->name, producer->ring.req_prod,
					producer->ring.pushed,
					xenblk_ring_answered(&producer->ring.ring),
					taken);
	producer->nudged = jiffies;
	producer->nudged_at = taken;
	notify_remote_via_irq(queue->irq);
}

/*
 * The event to us was lost, or the backend sends none: nobody but the timeout
 * looks for its answers.
 */
static void tell_silence(struct blkfront_queue *queue, unsigned int nr)
{
	struct blkfront_dev *dev = queue->dev;
	const struct xenblk_front_producer *ring = &queue->producer.ring;

	lockdep_assert_held(&queue->producer.lock);

	dev->nr_silent += nr;
	/* Once a connection; pairs with blkfront_queues_create(). */
	if (READ_ONCE(dev->silence_told))
		return;
	WRITE_ONCE(dev->silence_told, true);
	xenblk_warn_ratelimited(dev->xdev,
				"%s: answers that came without an event: %u, published %u, answered %u, taken %u",
				queue->name, dev->nr_silent, ring->pushed,
				xenblk_ring_answered(&ring->ring),
				READ_ONCE(queue->completer.ring.rsp_cons));
}

/*
 * What is in flight while others are held are flushes, on the first ring whatever
 * their hardware queue; see recovery.c.
 */
static struct blkfront_queue *ring_of(const struct request *rq)
{
	struct blkfront_queue *queue = rq->mq_hctx->driver_data;
	bool holding;

	spin_lock(&queue->producer.lock);
	holding = queue->holding;
	spin_unlock(&queue->producer.lock);
	return holding ? &queue->dev->queues[0] : queue;
}

/*
 * A request cannot be taken back from a backend that may have its pages
 * mapped: it may take as long as the backend's device does.
 */
static enum blk_eh_timer_return handle_timeout(struct request *rq)
{
	struct blkfront_queue *queue = ring_of(rq);
	bool again, waits;
	unsigned int silent;

	again = blkfront_complete_overdue(queue, &silent) == -EAGAIN;
	waits = blk_mq_rq_state(rq) == MQ_RQ_IN_FLIGHT;

	spin_lock(&queue->producer.lock);
	if (queue->connected && silent)
		tell_silence(queue, silent);
	if (queue->connected && waits && !again)
		nudge(queue);
	spin_unlock(&queue->producer.lock);

	if (!waits)
		return BLK_EH_DONE;
	rq->timeout = again ? BLKFRONT_EVENT_WAIT : rq->q->rq_timeout;
	return BLK_EH_RESET_TIMER;
}

/* The number of the queue may be from before the disk lost some of them. */
static int poll(struct blk_mq_hw_ctx *hctx, struct io_comp_batch *batch)
{
	return hctx ? blkfront_complete_polled(hctx->driver_data, batch) : 0;
}

/*
 * Queues that are polled come last: where the block layer cannot have as many as
 * there are rings, it is they that are missing.
 */
static void map_queues(struct blk_mq_tag_set *set)
{
	const struct blkfront_dev *dev = set->driver_data;
	const struct blkfront_limits *limits = &dev->limits;
	struct blk_mq_queue_map *others = &set->map[HCTX_TYPE_DEFAULT];
	struct blk_mq_queue_map *polled = &set->map[HCTX_TYPE_POLL];

	if (set->nr_maps > HCTX_TYPE_POLL) {
		others->nr_queues = min(set->nr_hw_queues,
					limits->nr_queues - limits->nr_polled);
		set->map[HCTX_TYPE_READ].nr_queues = 0;
		polled->queue_offset = others->nr_queues;
		polled->nr_queues = set->nr_hw_queues - others->nr_queues;
	}
	blk_mq_map_queues(others);
	if (polled->nr_queues)
		blk_mq_map_queues(polled);
}

static int init_hctx(struct blk_mq_hw_ctx *hctx, void *data, unsigned int index)
{
	struct blkfront_dev *dev = data;

	hctx->driver_data = &dev->queues[index];
	return 0;
}

static const struct blk_mq_ops ops = {
	.queue_rq	= queue_rq,
	.commit_rqs	= commit_rqs,
	.complete	= blkfront_complete_request,
	.timeout	= handle_timeout,
	.poll		= poll,
	.map_queues	= map_queues,
	.init_hctx	= init_hctx,
};

/* What was agreed on is one thing, what the block layer has another. */
static void start_polling(struct blkfront_dev *dev)
{
	const struct blk_mq_queue_map *map = &dev->tag_set.map[HCTX_TYPE_POLL];
	unsigned int i;

	for (i = 0; i < map->nr_queues; i++)
		blkfront_complete_start_polling(&dev->queues[map->queue_offset + i]);
}

/**
 * blkfront_mq_alloc_tags() - allocate the tags, one for each ring entry
 * @dev: the disk, with rings
 *
 * The backend's device has a scheduler, and merging here is done without one:
 * with one queue mq-deadline would cost a third of the requests per second.
 *
 * Context: may sleep.
 * Return: 0 or an error.
 */
int blkfront_mq_alloc_tags(struct blkfront_dev *dev)
{
	struct blk_mq_tag_set *set = &dev->tag_set;
	int err;

	memset(set, 0, sizeof(*set));
	set->ops = &ops;
	set->nr_maps = dev->may_poll ? HCTX_MAX_TYPES : 1;
	set->nr_hw_queues = dev->limits.nr_queues;
	set->queue_depth = dev->queues[0].producer.ring.ring.nr_ents;
	set->cmd_size = sizeof(struct blkfront_pdu);
	set->numa_node = NUMA_NO_NODE;
	set->flags = BLK_MQ_F_SHOULD_MERGE | BLK_MQ_F_NO_SCHED_BY_DEFAULT;
	set->driver_data = dev;
	err = blk_mq_alloc_tag_set(set);
	if (!err)
		start_polling(dev);
	return err;
}

/**
 * blkfront_mq_update_queues() - have a hardware queue for each ring
 * @dev: the disk, frozen, with rings
 *
 * The number of tags stays: blk-mq cannot change that of a disk that exists.
 *
 * Context: the device's worker.
 * Return: 0, or -ENOMEM when there are more hardware queues than rings.
 */
int blkfront_mq_update_queues(struct blkfront_dev *dev)
{
	struct blk_mq_tag_set *set = &dev->tag_set;

	/* With more than one map all is made anew, even if it is the same. */
	if (set->nr_hw_queues != dev->limits.nr_queues ||
	    set->map[HCTX_TYPE_POLL].nr_queues != dev->limits.nr_polled)
		blk_mq_update_nr_hw_queues(set, dev->limits.nr_queues);
	if (set->nr_hw_queues > dev->limits.nr_queues)
		return -ENOMEM;
	start_polling(dev);
	return 0;
}
