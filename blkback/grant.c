// SPDX-License-Identifier: GPL-2.0-only
/*
 * The guest's pages: fetch lists of segments by copy, map and unmap data, all
 * of a pass with one hypercall each.
 */
#include <asm/xen/page.h>
#include <linux/mm.h>

#include "blkback.h"

static domid_t guest_of(const struct blkback_ring *ring)
{
	return ring->device->xdev->otherend_id;
}

/**
 * blkback_grant_reserve() - have pages to map at
 * @ring: that needs them
 * @nr_pages: how many blkback_grant_map() will take
 *
 * Context: the thread of @ring, or whoever makes it.
 * Return: false when memory is short; what is in flight will give pages back.
 */
bool blkback_grant_reserve(struct blkback_ring *ring, unsigned int nr_pages)
{
	unsigned int missing;

	if (ring->nr_idle >= nr_pages)
		return true;
	missing = nr_pages - ring->nr_idle;
	if (gnttab_alloc_pages(missing, ring->idle + ring->nr_idle))
		return false;
	ring->nr_idle = nr_pages;
	return true;
}

/**
 * blkback_grant_trim() - give surplus pages back
 * @ring: that has no use for them
 * @keep: how many to keep
 *
 * Context: the thread of @ring, or whoever frees it.
 */
void blkback_grant_trim(struct blkback_ring *ring, unsigned int keep)
{
	if (ring->nr_idle <= keep)
		return;
	gnttab_free_pages(ring->nr_idle - keep, ring->idle + keep);
	ring->nr_idle = keep;
}

static void put_idle(struct blkback_ring *ring, struct page *page)
{
	/* Never full: in flight and idle pages are BLKBACK_MAX_PAGES at most. */
	ring->idle[ring->nr_idle++] = page;
}

/* The list buffers never cross a page, see BLKBACK_LIST_BYTES. */
static void set_copy_op(const struct blkback_ring *ring,
			const struct blkback_request *request, void *list,
			struct gnttab_copy *op)
{
	op->source.u.ref = request->list_gref;
	op->source.domid = guest_of(ring);
	op->source.offset = 0;
	op->dest.u.gmfn = virt_to_gfn(list);
	op->dest.domid = DOMID_SELF;
	op->dest.offset = offset_in_page(list);
	op->len = request->io.nr_segments * sizeof(struct xenblk_segment);
	op->flags = GNTCOPY_source_gref;
	op->status = GNTST_okay;
}

/**
 * blkback_grant_fetch_lists() - copy the segment lists of indirect requests
 * @ring: that they came from
 * @requests: of the pass; those whose list can't be read become errors
 *
 * A copy, not a mapping: the guest can't change it between check and use.
 *
 * Context: the thread of @ring.
 */
void blkback_grant_fetch_lists(struct blkback_ring *ring,
			       struct list_head *requests)
{
	struct blkback_batch *batch = ring->batch;
	struct blkback_request *request;
	unsigned int nr = 0;

	list_for_each_entry(request, requests, node) {
		if (!request->io.indirect)
			continue;
		set_copy_op(ring, request, batch->list[nr], &batch->copy[nr]);
		nr++;
	}
	gnttab_batch_copy(batch->copy, nr);
	nr = 0;
	list_for_each_entry(request, requests, node) {
		if (!request->io.indirect)
			continue;
		if (batch->copy[nr].status != GNTST_okay)
			request->status = XENBLK_RSP_ERROR;
		nr++;
	}
}

static unsigned long address_of(struct page *page)
{
	return (unsigned long)page_address(page);
}

/* What the guest wants written is only ever read here. */
static u32 map_flags(const struct blkback_request *request)
{
	u32 flags = GNTMAP_host_map;

	if (request->io.op != XENBLK_OP_READ)
		flags |= GNTMAP_readonly;
	return flags;
}

static void add_map_ops(struct blkback_ring *ring,
			struct blkback_request *request)
{
	struct blkback_batch *batch = ring->batch;
	unsigned int i, nr = batch->nr_pages;

	for (i = 0; i < request->io.nr_segments; i++, nr++) {
		struct blkback_segment *segment = &request->segment[i];

		batch->page[nr] = ring->idle[--ring->nr_idle];
		batch->segment[nr] = segment;
		gnttab_set_map_op(&batch->map[nr],
				  address_of(batch->page[nr]),
				  map_flags(request), segment->gref,
				  guest_of(ring));
	}
	batch->nr_pages = nr;
}

/*
 * Each operation has its own status, and it alone counts: of a batch that
 * failed, those that did map must be unmapped again (XSA-361, XSA-365).
 */
static void keep_mapping(struct blkback_ring *ring,
			 struct blkback_request *request, unsigned int nr)
{
	struct blkback_batch *batch = ring->batch;

	if (batch->map[nr].status == GNTST_okay) {
		batch->segment[nr]->page = batch->page[nr];
		batch->segment[nr]->handle = batch->map[nr].handle;
		return;
	}
	request->status = XENBLK_RSP_ERROR;
	put_idle(ring, batch->page[nr]);
}

static bool belongs_to(const struct blkback_segment *segment,
		       const struct blkback_request *request)
{
	return segment >= request->segment &&
	       segment < request->segment + request->io.nr_segments;
}

static void keep_mappings(struct blkback_ring *ring, struct list_head *requests)
{
	struct blkback_batch *batch = ring->batch;
	struct blkback_request *request;
	unsigned int nr = 0;

	list_for_each_entry(request, requests, node) {
		while (nr < batch->nr_pages &&
		       belongs_to(batch->segment[nr], request))
			keep_mapping(ring, request, nr++);
	}
}

/**
 * blkback_grant_map() - map the data of a pass
 * @ring: that the requests came from
 * @requests: of the pass; those that can't be mapped whole become errors
 *
 * blkback_grant_reserve() has made sure of the pages.
 *
 * Context: the thread of @ring.
 */
void blkback_grant_map(struct blkback_ring *ring, struct list_head *requests)
{
	struct blkback_batch *batch = ring->batch;
	struct blkback_request *request;

	batch->nr_pages = 0;
	list_for_each_entry(request, requests, node) {
		if (!request->status)
			add_map_ops(ring, request);
	}
	if (!batch->nr_pages)
		return;
	/* The sum says less than the operations do: see keep_mapping(). */
	gnttab_map_refs(batch->map, NULL, batch->page, batch->nr_pages);
	keep_mappings(ring, requests);
}

/* A page that is still mapped can't be used for anything else: it is lost. */
static void put_unmapped(struct blkback_ring *ring)
{
	struct blkback_batch *batch = ring->batch;
	unsigned int i, nr_lost = 0;

	for (i = 0; i < batch->nr_pages; i++) {
		if (batch->unmap[i].status == GNTST_okay)
			put_idle(ring, batch->page[i]);
		else
			nr_lost++;
	}
	if (nr_lost)
		xenblk_warn_ratelimited(ring->device->xdev,
					"ring %u: %u pages can't be unmapped",
					ring->id, nr_lost);
}

static void flush_unmaps(struct blkback_ring *ring)
{
	struct blkback_batch *batch = ring->batch;

	if (!batch->nr_pages)
		return;
	gnttab_unmap_refs(batch->unmap, NULL, batch->page, batch->nr_pages);
	put_unmapped(ring);
	batch->nr_pages = 0;
}

static void add_unmap_op(struct blkback_ring *ring,
			 struct blkback_segment *segment)
{
	struct blkback_batch *batch = ring->batch;

	if (batch->nr_pages == BLKBACK_BATCH_PAGES)
		flush_unmaps(ring);
	gnttab_set_unmap_op(&batch->unmap[batch->nr_pages],
			    address_of(segment->page), GNTMAP_host_map,
			    segment->handle);
	batch->page[batch->nr_pages++] = segment->page;
	segment->page = NULL;
}

/**
 * blkback_grant_unmap() - unmap the data of finished requests
 * @ring: that they came from
 * @requests: finished; no page of them is in use
 *
 * Context: the thread of @ring.
 */
void blkback_grant_unmap(struct blkback_ring *ring, struct list_head *requests)
{
	struct blkback_request *request;
	unsigned int i;

	ring->batch->nr_pages = 0;
	list_for_each_entry(request, requests, node) {
		for (i = 0; i < request->io.nr_segments; i++) {
			if (request->segment[i].page)
				add_unmap_op(ring, &request->segment[i]);
		}
	}
	flush_unmaps(ring);
}

/**
 * blkback_grant_in_use() - does something else still refer to the pages?
 * @request: finished
 *
 * Network storage completes a write while its packets may be sent again.
 *
 * Context: the thread of the ring.
 */
bool blkback_grant_in_use(const struct blkback_request *request)
{
	unsigned int i;

	for (i = 0; i < request->io.nr_segments; i++) {
		const struct page *page = request->segment[i].page;

		if (page && page_count(page) > 1)
			return true;
	}
	return false;
}
