// SPDX-License-Identifier: GPL-2.0-only
/*
 * The thread of a ring: takes requests, hands them on, reaps what finished and
 * answers. wait.c is where it has nothing to do.
 */
#include <linux/blkdev.h>
#include <linux/kthread.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <xen/events.h>

#include "blkback.h"

static struct xenbus_device *xdev_of(const struct blkback_ring *ring)
{
	return ring->device->xdev;
}

static void answer(struct blkback_ring *ring, u64 id, u8 operation, int status)
{
	struct xenblk_response rsp = {
		.id = id,
		.operation = operation,
		.status = status,
	};

	xenblk_ring_put_response(&ring->back, &rsp);
}

static bool has_answers(const struct blkback_ring *ring)
{
	return ring->back.pushed != ring->back.rsp_prod;
}

/* One push and one notify check for all that a pass has answered. */
static void publish_answers(struct blkback_ring *ring)
{
	if (has_answers(ring) && xenblk_ring_push_responses(&ring->back))
		notify_remote_via_irq(ring->irq);
}

/* Tables stay with the ring, since the allocator would clear each of them. */
static struct blkback_table *take_table(struct blkback_ring *ring)
{
	struct blkback_table *table = ring->tables;

	/* Sleeping here would be waiting for what only we can free. */
	if (!table)
		return mempool_alloc(&ring->table_pool, GFP_NOWAIT);
	ring->tables = table->next;
	ring->nr_tables--;
	return table;
}

static void put_table(struct blkback_ring *ring, struct blkback_table *table)
{
	if (ring->nr_tables == BLKBACK_IDLE_TABLES) {
		mempool_free(table, &ring->table_pool);
		return;
	}
	table->next = ring->tables;
	ring->tables = table;
	ring->nr_tables++;
}

static bool get_segment_table(struct blkback_ring *ring,
			      struct blkback_request *request)
{
	if (request->io.nr_segments <= XENBLK_MAX_DIRECT_SEGMENTS)
		return true;
	request->table = take_table(ring);
	if (!request->table)
		return false;
	request->segment = request->table->segment;
	return true;
}

static void free_request(struct blkback_ring *ring,
			 struct blkback_request *request)
{
	if (request->table)
		put_table(ring, request->table);
	request->next_free = ring->free;
	ring->free = request;
}

static void refuse(struct blkback_ring *ring, const struct xenblk_request *req,
		   int err)
{
	int status = err == -EOPNOTSUPP ? XENBLK_RSP_NOTSUPP :
					  XENBLK_RSP_ERROR;

	ring->counters.refused++;
	xenblk_info_ratelimited(xdev_of(ring),
				"ring %u: refused operation %u at sector %llu: %d",
				ring->id, req->operation, req->sector, err);
	answer(ring, req->id, req->inner_op, status);
}

/* Every segment starts unmapped, whatever becomes of the request. */
static void keep_segments(struct blkback_request *request,
			  const struct xenblk_segment *segments)
{
	unsigned int i;

	for (i = 0; i < request->io.nr_segments; i++)
		request->segment[i] = (struct blkback_segment) {
			.gref = segments[i].gref,
			.first_sect = segments[i].first_sect,
			.last_sect = segments[i].last_sect,
		};
}

static void clear_segments(struct blkback_request *request)
{
	memset(request->segment, 0,
	       request->io.nr_segments * sizeof(request->segment[0]));
}

static struct blkback_request *admit(struct blkback_ring *ring,
				     struct blkback_request *request,
				     const struct xenblk_request *req)
{
	ring->free = request->next_free;
	request->id = req->id;
	request->answer_op = req->inner_op;
	request->status = XENBLK_RSP_OKAY;
	request->copied = false;
	request->parked = false;
	request->nr_standins = 0;
	request->table = NULL;
	request->segment = request->inline_segments;
	request->list.kept = NULL;
	request->list.copied = false;
	if (request->io.indirect)
		request->list.gref = req->gref[0];
	else
		keep_segments(request, req->seg);
	return request;
}

/*
 * Takes the next request off the ring; NULL when it was refused on the spot.
 * A free one always exists here: there is one for each slot, and
 * xenblk_ring_pending_requests() counts no more requests than free slots.
 */
static struct blkback_request *take_next(struct blkback_ring *ring)
{
	const struct blkback_bounds *bounds = &ring->bounds;
	struct blkback_request *request = ring->free;
	struct xenblk_request *req = &ring->batch->wire;
	struct blkback_io *io = &request->io;
	int err;

	xenblk_ring_get_request(&ring->back, req);
	ring->served = true;
	err = blkback_parse_header(bounds, req, io);
	if (!err && !io->indirect)
		err = blkback_parse_segments(bounds, req->seg, io);
	if (err) {
		refuse(ring, req, err);
		return NULL;
	}
	return admit(ring, request, req);
}

/* Pages that it takes to map all of a request; its list may stay mapped too. */
static unsigned int pages_of(const struct blkback_request *request)
{
	return request->io.nr_segments + request->io.indirect;
}

/* Is there room for one more request in this pass, and in flight? */
static bool has_room(struct blkback_ring *ring,
		     struct blkback_request *request)
{
	struct blkback_batch *batch = ring->batch;
	unsigned int nr = pages_of(request);

	if (batch->nr_pages + batch->nr_copies + nr > BLKBACK_BATCH_PAGES ||
	    ring->pages_in_flight + nr > BLKBACK_MAX_PAGES)
		return false;
	if (request->io.indirect && batch->nr_lists == BLKBACK_BATCH_LISTS)
		return false;
	request->copied = blkback_copy_suits(ring, request) &&
			  blkback_copy_reserve(ring, batch->nr_copies + nr,
					       GFP_NOWAIT);
	return request->copied ||
	       blkback_grant_reserve(ring, batch->nr_pages + nr);
}

/* With nothing in flight there is nothing that could make room. */
static bool wait_for_room(struct blkback_ring *ring,
			  struct blkback_request *request)
{
	ring->waiting = request;
	if (ring->in_flight)
		return true;
	ring->waiting = NULL;
	answer(ring, request->id, request->answer_op, XENBLK_RSP_ERROR);
	free_request(ring, request);
	return false;
}

/* Returns false when no more can be taken in this pass. */
static bool admit_to_pass(struct blkback_ring *ring,
			  struct blkback_request *request,
			  struct list_head *pass)
{
	if (!has_room(ring, request) || !get_segment_table(ring, request))
		return !wait_for_room(ring, request);
	ring->waiting = NULL;
	ring->batch->nr_requests++;
	if (request->copied)
		ring->batch->nr_copies += pages_of(request);
	else
		ring->batch->nr_pages += pages_of(request);
	ring->copies_in_flight += request->copied;
	ring->batch->nr_lists += request->io.indirect;
	ring->pages_in_flight += pages_of(request);
	ring->in_flight++;
	request->taken_in = ring->taken_in;
	if (request->io.op == XENBLK_OP_BARRIER)
		ring->barrier = request;
	list_add_tail(&request->node, pass);
	return true;
}

static void halt_ring(struct blkback_ring *ring)
{
	ring->broken = true;
	ring->counters.halts++;
	xenblk_warn_ratelimited(xdev_of(ring),
				"ring %u: impossible request index, ring stopped",
				ring->id);
}

/*
 * Takes what there is, up to what one pass can carry. At most one request is
 * left over, off the ring but not in the pass; it comes first the next time.
 */
static void collect(struct blkback_ring *ring, struct list_head *pass)
{
	struct blkback_request *request;
	u32 nr;

	if (ring->waiting && !admit_to_pass(ring, ring->waiting, pass)) {
		ring->counters.stalls++;
		return;
	}
	if (blkback_is_handing_over(ring))
		return;
	if (!xenblk_ring_pending_requests(&ring->back, &nr)) {
		halt_ring(ring);
		return;
	}
	while (nr-- && !ring->barrier) {
		request = take_next(ring);
		if (request && !admit_to_pass(ring, request, pass))
			return;
	}
}

/* The lists have been fetched: judge them, then keep what they say. */
static void parse_lists(struct blkback_ring *ring, struct list_head *pass)
{
	const struct blkback_bounds *bounds = &ring->bounds;
	struct xenblk_segment **list = ring->batch->list;
	struct blkback_request *request;

	list_for_each_entry(request, pass, node) {
		if (!request->io.indirect)
			continue;
		if (!request->status &&
		    !blkback_parse_segments(bounds, *list, &request->io)) {
			keep_segments(request, *list);
		} else {
			clear_segments(request);
			request->status = XENBLK_RSP_ERROR;
		}
		list++;
	}
}

/* Nobody tells who holds a disk that it has another size: look. */
static void follow_size(struct blkback_ring *ring)
{
	u64 sectors = bdev_nr_sectors(ring->device->bdev);

	if (ring->bounds.sectors == sectors)
		return;
	ring->bounds.sectors = sectors;
	blkback_resized(ring->device);
}

static void empty_batch(struct blkback_batch *batch)
{
	batch->nr_requests = 0;
	batch->nr_pages = 0;
	batch->nr_copies = 0;
	batch->nr_lists = 0;
	batch->nr_short = 0;
}

/* What starves comes first, be the ring halted or its barrier one of them. */
static bool feed_starved(struct blkback_ring *ring)
{
	LIST_HEAD(pass);

	empty_batch(ring->batch);
	if (!blkback_shortage_retry(ring, &pass)) {
		ring->counters.stalls++;
		return false;
	}
	blkback_copy_in(ring, &pass);
	blkback_submit(ring, &pass);
	return true;
}

static bool take_requests(struct blkback_ring *ring)
{
	LIST_HEAD(pass);

	if (ring->nr_starved)
		return feed_starved(ring);
	if (ring->broken || ring->barrier)
		return false;
	follow_size(ring);
	empty_batch(ring->batch);
	collect(ring, &pass);
	if (list_empty(&pass))
		return has_answers(ring);
	if (ring->batch->nr_lists) {
		blkback_grant_fetch_lists(ring, &pass);
		parse_lists(ring, &pass);
	}
	blkback_grant_map(ring, &pass);
	if (ring->batch->nr_short)
		blkback_shortage_stand_in(ring, &pass);
	if (ring->batch->nr_copies)
		blkback_copy_in(ring, &pass);
	blkback_submit(ring, &pass);
	return true;
}

static void count(struct blkback_ring *ring, const struct blkback_io *io)
{
	switch (io->op) {
	case XENBLK_OP_READ:
		ring->counters.reads++;
		ring->counters.sectors_read += io->nr_sectors;
		break;
	case XENBLK_OP_DISCARD:
		ring->counters.discards++;
		break;
	case XENBLK_OP_FLUSH:
		ring->counters.flushes++;
		fallthrough;
	default:
		ring->counters.writes += io->nr_segments != 0;
		ring->counters.sectors_written += io->nr_sectors;
	}
}

static void finish_request(struct blkback_ring *ring,
			   struct blkback_request *request)
{
	if (request->status == XENBLK_RSP_OKAY)
		count(ring, &request->io);
	ring->in_flight--;
	ring->pages_in_flight -= pages_of(request);
	ring->earlier -= request->taken_in != ring->taken_in;
	if (!kthread_should_stop())
		answer(ring, request->id, request->answer_op, request->status);
	if (request == ring->barrier)
		blkback_barrier_end(request);
	free_request(ring, request);
}

/* What went out in part goes on. */
static void continue_requests(struct list_head *ready)
{
	struct blkback_request *request, *next;

	list_for_each_entry_safe(request, next, ready, node) {
		if (blkback_submit_more(request))
			list_del_init(&request->node);
	}
}

/* Finished requests, oldest first, but those whose pages are still in use. */
static void collect_done(struct blkback_ring *ring, struct list_head *ready)
{
	struct llist_node *done = llist_del_all(&ring->done);
	struct blkback_request *request, *next;

	list_splice_init(&ring->held, ready);
	done = llist_reverse_order(done);
	llist_for_each_entry(request, done, done_node)
		list_add_tail(&request->node, ready);
	if (kthread_should_stop())
		blkback_shortage_give_up(ring, ready);
	else
		continue_requests(ready);
	list_for_each_entry_safe(request, next, ready, node) {
		if (blkback_grant_in_use(request))
			list_move_tail(&request->node, &ring->held);
	}
}

/*
 * The pages go back before the response is visible: the frontend may use them
 * again at once (protocol: a response returns the grants).
 */
static bool reap(struct blkback_ring *ring)
{
	struct blkback_request *request, *next;
	LIST_HEAD(ready);

	collect_done(ring, &ready);
	if (list_empty(&ready))
		return false;
	if (ring->copies_in_flight)
		blkback_copy_out(ring, &ready);
	blkback_grant_unmap(ring, &ready);
	list_for_each_entry_safe(request, next, &ready, node)
		finish_request(ring, request);
	return true;
}

static void tell_finished(struct blkback_ring *ring)
{
	if (blkback_is_handing_over(ring) && !ring->in_flight &&
	    (ring->broken || !ring->waiting))
		complete_all(&ring->finished);
}

/* A ring that is being stopped only waits for what is in flight. */
static bool serve(struct blkback_ring *ring)
{
	bool took = !kthread_should_stop() && take_requests(ring);
	bool reaped;

	if (kthread_should_stop())
		blkback_barrier_give_up(ring);
	reaped = reap(ring);
	publish_answers(ring);
	tell_finished(ring);
	blkback_barrier_follow(ring);
	return took || reaped;
}

/**
 * blkback_ring_thread() - serve a ring until it is stopped
 * @data: the ring
 *
 * Ends only when no bio of the ring is in flight and no page is mapped.
 *
 * Return: 0.
 */
int blkback_ring_thread(void *data)
{
	struct blkback_ring *ring = data;

	/* Memory must not be sought by writing to a disk that waits for this. */
	memalloc_noio_save();
	while (!kthread_should_stop() || ring->in_flight) {
		blkback_stats_log(ring);
		if (!serve(ring))
			blkback_wait(ring);
		/* One that a frontend keeps busy must hold up nobody. */
		cond_resched_tasks_rcu_qs();
	}
	blkback_persist_disarm(ring);
	blkback_grant_give_back(ring, UINT_MAX);
	return 0;
}
