// SPDX-License-Identifier: GPL-2.0-only
/*
 * This domain has no handle left to map a page of the guest with: its data is
 * copied, which needs none. Pages of ours stand in for those that can't be
 * mapped. A ring uses a bounded number of them; a request that finds none
 * starves until another gives its own back.
 */
#include "blkback.h"

/* Of lines about it in the log of a device. */
#define LINES_INTERVAL		(60 * HZ)

/**
 * blkback_shortage_init() - nothing was logged yet
 * @device: new
 */
void blkback_shortage_init(struct blkback_device *device)
{
	ratelimit_state_init(&device->shortage_lines, LINES_INTERVAL, 1);
	ratelimit_set_flags(&device->shortage_lines, RATELIMIT_MSG_ON_RELEASE);
}

static void tell(struct blkback_ring *ring)
{
	struct blkback_device *device = ring->device;

	if (__ratelimit(&device->shortage_lines))
		xenblk_warn(device->xdev,
			    "ring %u: no grant handles left to map pages, which are copied instead: is Xen's gnttab_max_maptrack_frames too low?",
			    ring->id);
}

/* Nobody will give pages back; a barrier waits for those that starve, too. */
static bool only_starved(const struct blkback_ring *ring)
{
	return ring->in_flight == ring->nr_starved + blkback_has_parked(ring);
}

/* The thread may wait for memory when it has nothing else to wait for. */
static bool have_standins(struct blkback_ring *ring,
			  const struct blkback_request *request)
{
	gfp_t gfp = only_starved(ring) ? GFP_NOIO | __GFP_NORETRY : GFP_NOWAIT;
	unsigned int nr = request->nr_standins;

	return ring->nr_standins + nr <= BLKBACK_MAX_STANDINS &&
	       blkback_copy_reserve(ring, ring->batch->nr_copies + nr, gfp);
}

static void use_standins(struct blkback_ring *ring,
			 struct blkback_request *request)
{
	request->copied = true;
	ring->copies_in_flight++;
	ring->nr_standins += request->nr_standins;
	ring->batch->nr_copies += request->nr_standins;
}

/* While it waits, what it could map is of more use to others. */
static void starve(struct blkback_ring *ring, struct blkback_request *request)
{
	blkback_grant_release(ring, request);
	request->nr_standins = request->io.nr_segments;
	list_move_tail(&request->node, &ring->starved);
	ring->nr_starved++;
}

static void feed(struct blkback_ring *ring, struct blkback_request *request,
		 struct list_head *pass)
{
	list_move_tail(&request->node, pass);
	ring->nr_starved--;
	ring->batch->nr_requests++;
}

/**
 * blkback_shortage_stand_in() - have pages for what could not be mapped
 * @ring: that the requests came from
 * @requests: of the pass, mapped as far as that went; those that have to wait
 *	for pages are taken off
 *
 * Context: the thread of @ring.
 */
void blkback_shortage_stand_in(struct blkback_ring *ring,
			       struct list_head *requests)
{
	struct blkback_request *request, *next;

	tell(ring);
	list_for_each_entry_safe(request, next, requests, node) {
		if (request->status || !request->nr_standins)
			continue;
		if (have_standins(ring, request))
			use_standins(ring, request);
		else
			starve(ring, request);
	}
}

/**
 * blkback_shortage_retry() - take up again what starved
 * @ring: has some; its batch is empty
 * @pass: empty; gets those that have pages now
 *
 * When none has, and nothing in flight could give pages back, the first fails.
 *
 * Context: the thread of @ring.
 * Return: false when all have to wait on.
 */
bool blkback_shortage_retry(struct blkback_ring *ring, struct list_head *pass)
{
	struct blkback_request *request, *next;

	list_for_each_entry_safe(request, next, &ring->starved, node) {
		if (!have_standins(ring, request))
			break;
		use_standins(ring, request);
		feed(ring, request, pass);
	}
	if (only_starved(ring)) {
		request = list_first_entry(&ring->starved,
					   struct blkback_request, node);
		request->status = XENBLK_RSP_ERROR;
		feed(ring, request, pass);
	}
	return !list_empty(pass);
}

/**
 * blkback_shortage_end() - a request has given its pages back
 * @ring: that it came from
 * @request: its data was copied, for want of handles or by choice
 *
 * Context: the thread of @ring.
 */
void blkback_shortage_end(struct blkback_ring *ring,
			  struct blkback_request *request)
{
	ring->nr_standins -= request->nr_standins;
	ring->counters.short_of_handles += request->nr_standins != 0;
}

/**
 * blkback_shortage_give_up() - nothing that starves will be served
 * @ring: is being stopped
 * @ready: gets what starves, as errors
 *
 * Context: the thread of @ring.
 */
void blkback_shortage_give_up(struct blkback_ring *ring,
			      struct list_head *ready)
{
	struct blkback_request *request;

	list_for_each_entry(request, &ring->starved, node)
		request->status = XENBLK_RSP_ERROR;
	list_splice_tail_init(&ring->starved, ready);
	ring->nr_starved = 0;
}
