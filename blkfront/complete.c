// SPDX-License-Identifier: GPL-2.0-only
/*
 * Responses: judged, and the requests that they answer finished.
 */
#include <linux/nospec.h>
#include <linux/rcupdate.h>
#include <linux/wait_bit.h>

#include "blkfront.h"
#include "status.h"

/* Whatever the response says, only a slot that waits for it is answered. */
static struct blkfront_slot *find_slot(struct blkfront_queue *queue,
				       const struct xenblk_response *rsp)
{
	u32 nr_ents = queue->completer.ring.ring.nr_ents;
	struct blkfront_slot *slot;

	if (rsp->id >= nr_ents)
		return NULL;
	slot = &queue->slots[array_index_nospec((u32)rsp->id, nr_ents)];
	/* State before the rest; pairs with blkfront_request_put(). */
	if (smp_load_acquire(&slot->state) != BLKFRONT_SLOT_WAITING)
		return NULL;
	return rsp->operation == slot->op ? slot : NULL;
}

/*
 * Takes a note that an offer was taken back; queue limits cannot be changed in
 * an interrupt.
 */
static void revoke_discard(struct blkfront_dev *dev, const struct request *rq)
{
	/* Both pair with blkfront_disk_stop_discards(). */
	if (req_op(rq) == REQ_OP_SECURE_ERASE)
		WRITE_ONCE(dev->secure_revoked, true);
	else
		WRITE_ONCE(dev->discard_revoked, true);
	blkfront_kick(dev);
}

/*
 * A backend that finds out late that it cannot flush takes back its offer. Its
 * writes are as durable as they get, so this flush is done, and so are those
 * to come. A discard that it cannot do has failed.
 */
static blk_status_t judge_status(struct blkfront_dev *dev,
				 const struct blkfront_slot *slot, s16 wire)
{
	blk_status_t status = xenblk_status_from_wire(wire);

	if (status != BLK_STS_NOTSUPP)
		return status;
	switch (slot->op) {
	case XENBLK_OP_DISCARD:
		revoke_discard(dev, slot->rq);
		return status;
	case XENBLK_OP_FLUSH:
	case XENBLK_OP_BARRIER:
		/* Pairs with needs_backend(). */
		WRITE_ONCE(dev->flush_revoked, true);
		return BLK_STS_OK;
	default:
		return status;
	}
}

/*
 * What takes long is left to release_slot(), without the lock.
 *
 * Return: what is wrong with the response, NULL when it is sound.
 */
static const char *take_response(struct blkfront_queue *queue,
				 struct request ***tail)
{
	struct xenblk_response rsp;
	struct blkfront_slot *slot;
	struct blkfront_pdu *pdu;
	bool ended;

	xenblk_ring_get_response(&queue->completer.ring, &rsp);
	slot = find_slot(queue, &rsp);
	if (!slot)
		return "a response to no request";

	ended = blkfront_grants_end(queue, slot);
	pdu = blk_mq_rq_to_pdu(slot->rq);
	pdu->status = judge_status(queue->dev, slot, rsp.status);
	if (!ended)
		pdu->status = BLK_STS_IOERR;
	pdu->queue = queue;
	pdu->slot = slot;
	slot->state = BLKFRONT_SLOT_ANSWERED;
	rq_list_add_tail(tail, slot->rq);
	return ended ? NULL : "a page still mapped after the response";
}

/*
 * Every response uses up a request of ours, and none comes back before this is
 * over, so the loop ends with them.
 * Return: responses taken, or -EPROTO when the backend lies.
 */
static int take_responses(struct blkfront_queue *queue, struct request ***tail)
{
	struct xenblk_front_consumer *ring = &queue->completer.ring;
	const char *lie = NULL;
	int taken = 0;
	u32 nr;

	lockdep_assert_held(&queue->completer.lock);

	for (;;) {
		if (!xenblk_ring_pending_responses(ring, &nr))
			lie = "more responses than requests";
		for (; nr && !lie; nr--, taken++)
			lie = take_response(queue, tail);
		if (lie) {
			blkfront_break(queue->dev, lie);
			return -EPROTO;
		}
		if (queue->completer.polled)
			return taken;
		xenblk_ring_await_responses(ring);
		if (!xenblk_ring_pending_responses(ring, &nr) || nr)
			continue;
		return taken;
	}
}

/* The last that is done with a slot: it may be gone with its ring. */
static void free_slot(struct blkfront_slot *slot, bool awaited)
{
	/* All of the slot before; pairs with find_free_slot(). */
	smp_store_release(&slot->state, BLKFRONT_SLOT_FREE);
	if (unlikely(awaited)) {
		/* State before the waiter; pairs with wait_for_answered(). */
		smp_mb();
		wake_up_var(slot);
	}
}

/* The request has what was read; the slot is free for another. */
static void release_slot(struct blkfront_pdu *pdu)
{
	struct blkfront_queue *queue = pdu->queue;
	struct blkfront_slot *slot = pdu->slot;

	if (!slot)
		return;
	if (pdu->status == BLK_STS_OK && slot->op == XENBLK_OP_READ)
		blkfront_bounce_copy_back(slot);
	blkfront_bounce_put(queue, slot);
	blkfront_list_put(queue, slot);
	pdu->slot = NULL;
	/* Who does not see it is over before stop_queues() is. */
	free_slot(slot, !READ_ONCE(queue->connected));
}

/**
 * blkfront_complete_request() - finish a request that is answered or has failed
 * @rq: the request
 *
 * Context: ->complete of the block layer; the processor that made the request.
 */
void blkfront_complete_request(struct request *rq)
{
	struct blkfront_pdu *pdu = blk_mq_rq_to_pdu(rq);

	rcu_read_lock();
	release_slot(pdu);
	rcu_read_unlock();
	blk_mq_end_request(rq, pdu->status);
}

static void finish_batch(struct io_comp_batch *batch)
{
	blk_mq_end_request_batch(batch);
}

/*
 * A bio that is polled for goes back into a cache that has no lock against
 * interrupts, wherever it ends (bio_put()): one that is not ended by whoever polls
 * is no longer such a bio.
 */
static void stop_polling_for(struct request *rq)
{
	struct bio *bio;

	for (bio = rq->bio; bio; bio = bio->bi_next)
		if (unlikely(bio->bi_opf & REQ_POLLED))
			bio_clear_polled(bio);
}

static void finish(struct request *rq, struct io_comp_batch *batch,
		   bool polling)
{
	struct blkfront_pdu *pdu = blk_mq_rq_to_pdu(rq);

	if (pdu->queue->dev->may_poll &&
	    !(polling && rq->cmd_flags & REQ_POLLED))
		stop_polling_for(rq);
	if (blk_mq_complete_request_remote(rq))
		return;
	release_slot(pdu);
	if (!blk_mq_add_to_batch(rq, batch, pdu->status != BLK_STS_OK,
				 finish_batch))
		blk_mq_end_request(rq, pdu->status);
}

static void finish_all(struct request **list, struct io_comp_batch *batch,
		       bool polling)
{
	struct request *rq;

	while ((rq = rq_list_pop(list)))
		finish(rq, batch, polling);
}

/*
 * In a read section of RCU, which keeps the slots until all is finished; pairs with
 * stop_queues().
 */
static int take_pending(struct blkfront_queue *queue, struct request **taken)
{
	struct request **tail = taken;
	int nr = -ESHUTDOWN;
	unsigned long flags;

	spin_lock_irqsave(&queue->completer.lock, flags);
	if (queue->connected && !READ_ONCE(queue->dev->broken))
		nr = take_responses(queue, &tail);
	spin_unlock_irqrestore(&queue->completer.lock, flags);
	return nr;
}

/**
 * blkfront_complete_pending() - finish the requests that are answered
 * @queue: the ring, in any condition
 *
 * Context: any but the producer's lock held.
 * Return: how many, or a negative error when nothing of this ring is to be
 * believed or touched any more.
 */
int blkfront_complete_pending(struct blkfront_queue *queue)
{
	struct request *taken = NULL;
	DEFINE_IO_COMP_BATCH(batch);
	int nr;

	rcu_read_lock();
	nr = take_pending(queue, &taken);
	finish_all(&taken, &batch, false);
	rcu_read_unlock();
	if (batch.complete)
		batch.complete(&batch);
	return nr;
}

static bool is_answered(const struct blkfront_queue *queue)
{
	const struct xenblk_front_consumer *ring = &queue->completer.ring;

	return READ_ONCE(queue->connected) &&
	       xenblk_ring_answered(&ring->ring) != READ_ONCE(ring->rsp_cons);
}

/* Are there answers that were not there as long as an event may take? */
static bool may_event_come(struct blkfront_queue *queue)
{
	struct blkfront_completer *completer = &queue->completer;
	u32 taken = completer->ring.rsp_cons;

	lockdep_assert_held(&completer->lock);

	if (completer->polled || !is_answered(queue))
		return false;
	if (completer->waited_at == taken)
		return time_before(jiffies, completer->waited_since +
					    BLKFRONT_EVENT_WAIT);
	completer->waited_at = taken;
	completer->waited_since = jiffies;
	return true;
}

/**
 * blkfront_complete_overdue() - as blkfront_complete_pending(), after a long wait
 * @queue: the ring, in any condition
 * @silent: set to how many should have come with an event, but did not
 *
 * Answers without an event are left to it once, since it may be on its way; those
 * of a polled ring come without.
 *
 * Context: a process, one at a time for a disk.
 * Return: how many; -EAGAIN when it should be called again after
 * BLKFRONT_EVENT_WAIT; or another negative error.
 */
int blkfront_complete_overdue(struct blkfront_queue *queue,
			      unsigned int *silent)
{
	bool again = false, polled;
	unsigned long flags;
	int nr;

	*silent = 0;
	spin_lock_irqsave(&queue->completer.lock, flags);
	polled = queue->completer.polled;
	if (queue->connected)
		again = may_event_come(queue);
	spin_unlock_irqrestore(&queue->completer.lock, flags);
	if (again)
		return -EAGAIN;

	nr = blkfront_complete_pending(queue);
	if (nr > 0 && !polled)
		*silent = nr;
	return nr;
}

/**
 * blkfront_complete_polled() - as blkfront_complete_pending(), for who polls
 * @queue: the ring, in any condition, be it polled or not
 * @batch: of whoever polls, who ends what is put there; or NULL
 *
 * The look that finds nothing takes no lock.
 *
 * Context: ->poll of the block layer, a process.
 * Return: how many, or a negative error.
 */
int blkfront_complete_polled(struct blkfront_queue *queue,
			     struct io_comp_batch *batch)
{
	struct request *taken = NULL;
	int nr = 0;

	rcu_read_lock();
	if (is_answered(queue))
		nr = take_pending(queue, &taken);
	finish_all(&taken, batch, true);
	rcu_read_unlock();
	return nr;
}

/**
 * blkfront_complete_start_polling() - the ring's backend need not tell of answers
 * @queue: a connected ring that carried no request yet; so it stays until it is
 *	made again
 *
 * Context: the device's worker.
 */
void blkfront_complete_start_polling(struct blkfront_queue *queue)
{
	unsigned long flags;

	spin_lock_irqsave(&queue->completer.lock, flags);
	if (queue->connected) {
		queue->completer.polled = true;
		xenblk_ring_forgo_events(&queue->completer.ring);
	}
	spin_unlock_irqrestore(&queue->completer.lock, flags);
}

/**
 * blkfront_complete_event() - interrupt handler of a ring
 * @irq: its interrupt
 * @data: the ring
 *
 * A ring whose backend lied is not acknowledged: its events stay masked.
 */
irqreturn_t blkfront_complete_event(int irq, void *data)
{
	struct blkfront_queue *queue = data;
	int taken = blkfront_complete_pending(queue);

	if (taken >= 0)
		xen_irq_lateeoi(irq, taken ? 0 : XEN_EOI_FLAG_SPURIOUS);
	return IRQ_HANDLED;
}

/* The unanswered request that was written first, NULL when there is none. */
static struct blkfront_slot *first_waiting(const struct blkfront_queue *queue)
{
	struct blkfront_slot *slot, *first = NULL;
	u32 i;

	for (i = 0; queue->slots && i < queue->producer.ring.ring.nr_ents; i++) {
		slot = &queue->slots[i];
		if (slot->state != BLKFRONT_SLOT_WAITING)
			continue;
		if (!first || (s32)(slot->position - first->position) < 0)
			first = slot;
	}
	return first;
}

static void fail(struct request *rq)
{
	struct blkfront_pdu *pdu = blk_mq_rq_to_pdu(rq);

	pdu->status = BLK_STS_IOERR;
	pdu->slot = NULL;
	stop_polling_for(rq);
	blk_mq_complete_request(rq);
}

/*
 * Those that are answered need no more of the backend, only that a processor
 * comes to finish them.
 */
static void wait_for_answered(const struct blkfront_queue *queue)
{
	struct blkfront_slot *slot;
	u32 i;

	for (i = 0; queue->slots && i < queue->producer.ring.ring.nr_ents; i++) {
		slot = &queue->slots[i];
		/* Pairs with free_slot(). */
		wait_var_event(slot, smp_load_acquire(&slot->state) !=
				     BLKFRONT_SLOT_ANSWERED);
	}
}

/**
 * blkfront_complete_unanswered() - take back all requests in flight
 * @queue: a disconnected ring without interrupt, submitters and completers:
 *	nobody else owns slots, but for those of answered requests
 *
 * They are parked, in the order that they were written in, if the ring is
 * holding, and fail if not.
 *
 * Context: may sleep.
 */
void blkfront_complete_unanswered(struct blkfront_queue *queue)
{
	struct blkfront_slot *slot;

	wait_for_answered(queue);
	while ((slot = first_waiting(queue))) {
		blkfront_grants_abandon(queue, slot);
		blkfront_bounce_put(queue, slot);
		blkfront_list_put(queue, slot);
		slot->state = BLKFRONT_SLOT_FREE;
		if (queue->holding)
			blkfront_recovery_park(queue, slot->rq);
		else
			fail(slot->rq);
	}
}
