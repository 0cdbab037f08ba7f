// SPDX-License-Identifier: GPL-2.0-only
/*
 * Small payloads, and what can't be mapped: pages of our own carry the data, and
 * the hypervisor copies it between them and the guest's. For a few sectors that
 * is cheaper than to map and unmap a page, and it leaves no mapping behind.
 */
#include <asm/xen/page.h>
#include <linux/mm.h>

#include "blkback.h"

/**
 * blkback_copy_suits() - should the data of a request be copied?
 * @ring: that it came from
 * @request: not in a pass yet
 *
 * Where grants stay mapped, copying has nothing to gain.
 *
 * Context: the thread of @ring.
 */
bool blkback_copy_suits(const struct blkback_ring *ring,
			const struct blkback_request *request)
{
	return !ring->store.grants && request->io.nr_segments &&
	       request->io.nr_segments <= ring->device->max_copy_pages;
}

/* They are nobody else's: what is in use for data is not in the chain. */
static void put_own(struct blkback_ring *ring, struct page *page)
{
	set_page_private(page, (unsigned long)ring->own);
	ring->own = page;
	ring->nr_own++;
}

static struct page *take_own(struct blkback_ring *ring)
{
	struct page *page = ring->own;

	ring->own = (struct page *)page_private(page);
	set_page_private(page, 0);
	ring->nr_own--;
	return page;
}

/**
 * blkback_copy_reserve() - have pages of our own
 * @ring: that needs them
 * @nr_pages: how many blkback_copy_in() will take
 * @gfp: may the thread wait for them?
 *
 * A new page holds nothing of this domain: a disk that says it has read but
 * wrote nothing would hand it out.
 *
 * Context: the thread of @ring.
 * Return: false when memory is short; mapping needs none.
 */
bool blkback_copy_reserve(struct blkback_ring *ring, unsigned int nr_pages,
			  gfp_t gfp)
{
	struct page *page;

	while (ring->nr_own < nr_pages) {
		page = alloc_page(gfp | __GFP_NOWARN | __GFP_ZERO);
		if (!page)
			return false;
		put_own(ring, page);
	}
	return true;
}

/**
 * blkback_copy_trim() - give surplus pages back
 * @ring: that has no use for them
 * @keep: how many to keep
 *
 * Context: the thread of @ring, or whoever frees it.
 */
void blkback_copy_trim(struct blkback_ring *ring, unsigned int keep)
{
	while (ring->nr_own > keep)
		__free_page(take_own(ring));
}

static void set_guest_end(struct gnttab_copy_ptr *end, domid_t guest,
			  const struct blkback_segment *segment)
{
	end->u.ref = segment->gref;
	end->domid = guest;
	end->offset = segment->first_sect << XENBLK_SECTOR_SHIFT;
}

/* The data is at the same place of our page. */
static void set_own_end(struct gnttab_copy_ptr *end,
			const struct blkback_segment *segment)
{
	end->u.gmfn = xen_page_to_gfn(segment->page);
	end->domid = DOMID_SELF;
	end->offset = segment->first_sect << XENBLK_SECTOR_SHIFT;
}

/* Each operation has its own status; one that failed fails its request. */
static void flush_copies(struct blkback_ring *ring)
{
	struct blkback_batch *batch = ring->batch;
	unsigned int i;

	gnttab_batch_copy(batch->copy, batch->nr_copies);
	for (i = 0; i < batch->nr_copies; i++) {
		if (batch->copy[i].status != GNTST_okay)
			batch->copied[i]->status = XENBLK_RSP_ERROR;
	}
	batch->nr_copies = 0;
}

static void add_copy_op(struct blkback_ring *ring,
			struct blkback_request *request,
			const struct blkback_segment *segment)
{
	domid_t guest = ring->device->xdev->otherend_id;
	struct blkback_batch *batch = ring->batch;
	struct gnttab_copy *op;

	if (batch->nr_copies == BLKBACK_BATCH_PAGES)
		flush_copies(ring);
	op = &batch->copy[batch->nr_copies];
	batch->copied[batch->nr_copies++] = request;
	if (request->io.op == XENBLK_OP_READ) {
		set_own_end(&op->source, segment);
		set_guest_end(&op->dest, guest, segment);
		op->flags = GNTCOPY_dest_gref;
	} else {
		set_guest_end(&op->source, guest, segment);
		set_own_end(&op->dest, segment);
		op->flags = GNTCOPY_source_gref;
	}
	op->len = (segment->last_sect - segment->first_sect + 1) <<
		  XENBLK_SECTOR_SHIFT;
}

/* What is mapped already stays so. */
static void copy_in(struct blkback_ring *ring, struct blkback_request *request)
{
	unsigned int i;

	for (i = 0; i < request->io.nr_segments; i++) {
		struct blkback_segment *segment = &request->segment[i];

		if (segment->page)
			continue;
		segment->copied = true;
		segment->page = take_own(ring);
		if (request->io.op != XENBLK_OP_READ)
			add_copy_op(ring, request, segment);
	}
}

/**
 * blkback_copy_in() - give the requests of a pass their pages, and writes data
 * @ring: that they came from
 * @requests: of the pass; those whose data can't be read become errors
 *
 * blkback_copy_reserve() has made sure of the pages.
 *
 * Context: the thread of @ring.
 */
void blkback_copy_in(struct blkback_ring *ring, struct list_head *requests)
{
	struct blkback_request *request;

	ring->batch->nr_copies = 0;
	list_for_each_entry(request, requests, node) {
		if (request->copied && !request->status)
			copy_in(ring, request);
	}
	if (ring->batch->nr_copies)
		flush_copies(ring);
}

static void copy_out(struct blkback_ring *ring, struct blkback_request *request)
{
	unsigned int i;

	for (i = 0; i < request->io.nr_segments; i++) {
		if (request->segment[i].copied)
			add_copy_op(ring, request, &request->segment[i]);
	}
}

static void take_back(struct blkback_ring *ring,
		      struct blkback_request *request)
{
	unsigned int i;

	for (i = 0; i < request->io.nr_segments; i++) {
		struct blkback_segment *segment = &request->segment[i];

		if (!segment->copied)
			continue;
		put_own(ring, segment->page);
		segment->page = NULL;
	}
	ring->copies_in_flight--;
	ring->counters.copied++;
	blkback_shortage_end(ring, request);
}

/**
 * blkback_copy_out() - give the guest what was read, and take the pages back
 * @ring: that the requests came from
 * @requests: finished; those whose data can't be written become errors
 *
 * Context: the thread of @ring.
 */
void blkback_copy_out(struct blkback_ring *ring, struct list_head *requests)
{
	struct blkback_request *request;

	ring->batch->nr_copies = 0;
	list_for_each_entry(request, requests, node) {
		if (request->copied && !request->status &&
		    request->io.op == XENBLK_OP_READ)
			copy_out(ring, request);
	}
	if (ring->batch->nr_copies)
		flush_copies(ring);
	list_for_each_entry(request, requests, node) {
		if (request->copied)
			take_back(ring, request);
	}
}
