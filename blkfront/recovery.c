// SPDX-License-Identifier: GPL-2.0-only
/*
 * A lost connection is made again, and nothing that was asked is lost with it.
 *
 * Until then the disk is frozen, so that nobody new comes in, and what is inside
 * is taken apart: the bios of a request are parked, and it ends without them. So
 * no request outlives its connection; those that are made of the same bios later
 * fit what the new backend can do, be that fewer queues or smaller requests.
 *
 * A flush has no bios of its own, but others wait for it: it stays a request,
 * and the new backend must have done it before the disk is idle and can change.
 */
#include <linux/sched/mm.h>

#include "blkfront.h"

/* How long a suspend waits for answers, in jiffies. */
#define SUSPEND_WAIT		(2 * HZ)

/* How often a disk that gets idle is looked at, in jiffies. */
#define DRAIN_STEP		max(HZ / 50, 1)

static struct bio *take_parked(struct blkfront_dev *dev)
{
	struct bio *bio;

	spin_lock(&dev->parked_lock);
	bio = bio_list_pop(&dev->parked);
	spin_unlock(&dev->parked_lock);
	return bio;
}

static void replay(struct work_struct *work)
{
	struct blkfront_dev *dev = container_of(work, struct blkfront_dev,
						replay);
	struct blk_plug plug;
	struct bio *bio;

	blk_start_plug(&plug);
	while ((bio = take_parked(dev)))
		submit_bio_noacct(bio);
	blk_finish_plug(&plug);
}

/**
 * blkfront_recovery_init() - nothing is parked yet
 * @dev: a new disk
 */
void blkfront_recovery_init(struct blkfront_dev *dev)
{
	spin_lock_init(&dev->parked_lock);
	bio_list_init(&dev->parked);
	INIT_LIST_HEAD(&dev->flushes);
	INIT_WORK(&dev->replay, replay);
}

/*
 * Whoever submits them again can wait, and polls nothing; whoever polls for them
 * must not look for a request that they were of.
 */
static void park_bios(struct blkfront_dev *dev, struct request *rq)
{
	struct bio *bio;

	spin_lock(&dev->parked_lock);
	for (bio = rq->bio; bio; bio = bio->bi_next, dev->nr_parked++) {
		bio->bi_opf &= ~REQ_NOWAIT;
		bio_clear_polled(bio);
		WRITE_ONCE(bio->bi_cookie, BLK_QC_T_NONE);
	}
	blk_steal_bios(&dev->parked, rq);
	spin_unlock(&dev->parked_lock);
}

static void park_flush(struct blkfront_dev *dev, struct request *rq)
{
	/* One that was in flight becomes a new one by way of the queue. */
	if (blk_mq_request_started(rq)) {
		blk_mq_requeue_request(rq, true);
		return;
	}
	spin_lock(&dev->parked_lock);
	list_add_tail(&rq->queuelist, &dev->flushes);
	spin_unlock(&dev->parked_lock);
}

static void end_unsent(struct request *rq, blk_status_t status)
{
	if (!blk_mq_request_started(rq))
		blk_mq_start_request(rq);
	blk_mq_end_request(rq, status);
}

/*
 * Of a driver that stacks requests, not bios, and waits for this very one: it
 * sends another when this one fails. The block layer's own flushes look alike.
 */
static bool is_foreign(const struct request *rq)
{
	return rq->end_io && !(rq->rq_flags & RQF_FLUSH_SEQ);
}

/**
 * blkfront_recovery_park() - keep what a request asks for until it can be sent
 * @queue: a ring that is holding; or one that cannot take so large a request
 * @rq: the request; not ours any more afterwards
 *
 * Context: under the producer's lock, or the owner of an unanswered slot.
 */
void blkfront_recovery_park(struct blkfront_queue *queue, struct request *rq)
{
	struct blkfront_dev *dev = queue->dev;

	if (req_op(rq) == REQ_OP_FLUSH) {
		park_flush(dev, rq);
		return;
	}
	if (is_foreign(rq)) {
		end_unsent(rq, BLK_STS_TRANSPORT);
		return;
	}
	park_bios(dev, rq);
	end_unsent(rq, BLK_STS_OK);
	if (!queue->holding)
		queue_work(blkfront_workqueue, &dev->replay);
}

static struct request *take_flush(struct blkfront_dev *dev)
{
	struct request *rq;

	spin_lock(&dev->parked_lock);
	rq = list_first_entry_or_null(&dev->flushes, struct request, queuelist);
	if (rq)
		list_del_init(&rq->queuelist);
	spin_unlock(&dev->parked_lock);
	return rq;
}

/**
 * blkfront_recovery_fail() - what is parked fails
 * @dev: the disk; its rings are neither connected nor holding
 *
 * Context: may sleep.
 */
void blkfront_recovery_fail(struct blkfront_dev *dev)
{
	struct request *rq;
	struct bio *bio;

	while ((bio = take_parked(dev)))
		bio_io_error(bio);
	while ((rq = take_flush(dev)))
		end_unsent(rq, BLK_STS_IOERR);
}

/* Those who poll are frozen. */
static void wait_for_answers(struct blkfront_dev *dev)
{
	unsigned long end = jiffies + SUSPEND_WAIT;

	do {
		blkfront_queues_poll(dev);
		if (blk_mq_freeze_queue_wait_timeout(dev->disk->queue,
						     DRAIN_STEP))
			return;
	} while (time_before(jiffies, end));
}

/**
 * blkfront_recovery_suspend() - the domain may be about to leave its backends
 * @xdev: the device
 *
 * Gives the requests in flight a moment to be answered. One that was not could
 * still reach the disk by way of the old backend, when the new one has done it
 * and others. The bus does not tell of a suspend that is cancelled, so nothing
 * may be left to undo.
 *
 * Context: xenwatch; user space and the workqueue are frozen.
 * Return: 0.
 */
int blkfront_recovery_suspend(struct xenbus_device *xdev)
{
	struct blkfront_dev *dev = dev_get_drvdata(&xdev->dev);

	if (!dev)
		return 0;
	mutex_lock(&dev->lock);
	if (dev->disk && !dev->held) {
		blk_freeze_queue_start(dev->disk->queue);
		wait_for_answers(dev);
		blk_mq_unfreeze_queue(dev->disk->queue);
	}
	mutex_unlock(&dev->lock);
	return 0;
}

/**
 * blkfront_recovery_hold() - the connection is lost, and will be made again
 * @dev: the device with its disk
 *
 * Context: the device's worker.
 */
void blkfront_recovery_hold(struct blkfront_dev *dev)
{
	lockdep_assert_held(&dev->lock);

	if (!dev->held) {
		dev->nr_parked = 0;
		blk_freeze_queue_start(dev->disk->queue);
	}
	dev->held = true;
	blkfront_queues_hold(dev);
}

/**
 * blkfront_recovery_abandon() - the connection will not be made again
 * @dev: the device; its rings are disconnected, so that all I/O fails
 *
 * Context: may sleep.
 */
void blkfront_recovery_abandon(struct blkfront_dev *dev)
{
	lockdep_assert_held(&dev->lock);

	if (dev->held)
		blk_mq_unfreeze_queue(dev->disk->queue);
	dev->held = false;
}

/* Return: false when it must wait for the answer to another. */
static bool send_flush(struct blkfront_dev *dev, struct request *rq)
{
	struct blkfront_queue *queue = &dev->queues[0];
	struct blkfront_draft draft = { .rq = rq };
	blk_status_t status = BLK_STS_IOERR;

	spin_lock(&queue->producer.lock);
	if (queue->connected)
		status = blkfront_request_claim(queue, &draft);
	if (!status) {
		/* It has no data that could be wrong. */
		blkfront_request_fill(queue, &draft);
		blkfront_request_put(queue, &draft);
		blkfront_request_push(queue);
	}
	if (status == BLK_STS_RESOURCE)
		park_flush(dev, rq);
	spin_unlock(&queue->producer.lock);

	if (status && status != BLK_STS_RESOURCE)
		end_unsent(rq, status);
	return status != BLK_STS_RESOURCE;
}

static void send_flushes(struct blkfront_dev *dev)
{
	struct request *rq;

	while ((rq = take_flush(dev))) {
		/* Its writes are as durable as they get. */
		if (!dev->geometry.flush_op)
			end_unsent(rq, BLK_STS_OK);
		else if (!send_flush(dev, rq))
			return;
	}
}

static bool is_over(const struct blkfront_dev *dev)
{
	return READ_ONCE(dev->removed) || READ_ONCE(dev->broken) ||
	       READ_ONCE(dev->backend_state) != XenbusStateConnected;
}

/* A flush may be followed by others, that were waiting for it. */
static int drain(struct blkfront_dev *dev)
{
	struct request_queue *q = dev->disk->queue;

	do {
		if (is_over(dev))
			return -EAGAIN;
		send_flushes(dev);
	} while (!blk_mq_freeze_queue_wait_timeout(q, DRAIN_STEP));
	return 0;
}

/**
 * blkfront_recovery_finish() - make the disk what the new backend serves
 * @dev: the device, held, with geometry and new rings
 *
 * Context: the device's worker.
 * Return: 0; -EAGAIN when the backend is gone again, or the disk is not quite
 * there yet; or an error.
 */
int blkfront_recovery_finish(struct blkfront_dev *dev)
{
	int err;

	/* It is about to be known, and blk-mq's part of that must be over. */
	if (dev->adding && !disk_live(dev->disk))
		return -EAGAIN;
	blkfront_disk_renew_offers(dev);
	err = drain(dev);
	if (err)
		return err;
	blkfront_disk_update(dev);
	return blkfront_mq_update_queues(dev);
}

/**
 * blkfront_recovery_release() - let I/O go on, with what was parked
 * @dev: the device, held, finished
 *
 * Context: the device's worker.
 */
void blkfront_recovery_release(struct blkfront_dev *dev)
{
	lockdep_assert_held(&dev->lock);

	xenblk_info_ratelimited(dev->xdev,
				"%s: connected again, %u queues (%u polled) of %u entries, %u segments, %u bios replayed",
				dev->disk->disk_name, dev->limits.nr_queues,
				dev->limits.nr_polled,
				dev->queues[0].producer.ring.ring.nr_ents,
				dev->limits.max_segs, dev->nr_parked);
	blkfront_queues_release(dev);
	dev->held = false;
	queue_work(blkfront_workqueue, &dev->replay);
	blk_mq_unfreeze_queue(dev->disk->queue);
}
