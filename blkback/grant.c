// SPDX-License-Identifier: GPL-2.0-only
/*
 * The guest's pages: fetch lists of segments, map and unmap data, all of a pass
 * with one hypercall each.
 */
#include <asm/xen/page.h>
#include <linux/mm.h>

#include "blkback.h"

static domid_t guest_of(const struct blkback_ring *ring)
{
	return ring->device->xdev->otherend_id;
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
	/* Never full: see blkback_grant_reserve(). */
	ring->idle[ring->nr_idle++] = page;
}

/* The list buffers never cross a page, see BLKBACK_LIST_BYTES. */
static void set_copy_op(const struct blkback_ring *ring,
			const struct blkback_request *request, void *list,
			struct gnttab_copy *op)
{
	op->source.u.ref = request->list.gref;
	op->source.domid = guest_of(ring);
	op->source.offset = 0;
	op->dest.u.gmfn = virt_to_gfn(list);
	op->dest.domid = DOMID_SELF;
	op->dest.offset = offset_in_page(list);
	op->len = request->io.nr_segments * sizeof(struct xenblk_segment);
	op->flags = GNTCOPY_source_gref;
	op->status = GNTST_okay;
}

/* Of a list that stays mapped each word is read once. */
static bool read_mapped_list(struct blkback_ring *ring,
			     const struct blkback_request *request,
			     struct xenblk_segment *list)
{
	struct page *page = blkback_persist_peek(ring, request->list.gref);
	const u64 *shared;
	unsigned int i;

	static_assert(sizeof(*list) == sizeof(*shared));

	if (!page)
		return false;
	shared = page_address(page);
	for (i = 0; i < request->io.nr_segments; i++)
		((u64 *)list)[i] = READ_ONCE(shared[i]);
	return true;
}

static void copy_lists(struct blkback_ring *ring, unsigned int nr)
{
	struct blkback_batch *batch = ring->batch;
	unsigned int i;

	gnttab_batch_copy(batch->copy, nr);
	for (i = 0; i < nr; i++) {
		if (batch->copy[i].status != GNTST_okay)
			batch->copied[i]->status = XENBLK_RSP_ERROR;
	}
}

/**
 * blkback_grant_fetch_lists() - copy the segment lists of indirect requests
 * @ring: that they came from
 * @requests: of the pass; those whose list can't be read become errors
 *
 * A copy even of what is mapped: the guest can't change it between check and
 * use.
 *
 * Context: the thread of @ring.
 */
void blkback_grant_fetch_lists(struct blkback_ring *ring,
			       struct list_head *requests)
{
	struct blkback_batch *batch = ring->batch;
	struct xenblk_segment **list = batch->list;
	struct blkback_request *request;
	unsigned int nr = 0;

	list_for_each_entry(request, requests, node) {
		if (!request->io.indirect)
			continue;
		if (!read_mapped_list(ring, request, *list)) {
			set_copy_op(ring, request, *list, &batch->copy[nr]);
			batch->copied[nr++] = request;
		}
		list++;
	}
	if (nr)
		copy_lists(ring, nr);
}

static unsigned long address_of(struct page *page)
{
	return (unsigned long)page_address(page);
}

/*
 * What the guest wants written is only ever read here, but the next user of a
 * mapping that stays may be a read.
 */
static u32 map_flags(const struct blkback_request *request,
		     const struct blkback_segment *segment)
{
	u32 flags = GNTMAP_host_map;

	if (request->io.op != XENBLK_OP_READ && !segment->kept)
		flags |= GNTMAP_readonly;
	return flags;
}

static void add_map_op(struct blkback_ring *ring,
		       const struct blkback_request *request,
		       struct blkback_segment *segment)
{
	struct blkback_batch *batch = ring->batch;
	unsigned int nr = batch->nr_pages++;

	batch->page[nr] = ring->idle[--ring->nr_idle];
	batch->segment[nr] = segment;
	gnttab_set_map_op(&batch->map[nr], address_of(batch->page[nr]),
			  map_flags(request, segment), segment->gref,
			  guest_of(ring));
}

/*
 * The frontend uses the same pages for its lists again and again. They have
 * been read: what is mapped here is for the next request.
 */
static void add_list_op(struct blkback_ring *ring,
			struct blkback_request *request)
{
	if (!ring->store.grants || ring->lists_readonly)
		return;
	if (!blkback_persist_use(ring, &request->list) && request->list.kept)
		add_map_op(ring, request, &request->list);
}

static void add_map_ops(struct blkback_ring *ring,
			struct blkback_request *request)
{
	unsigned int i;

	if (request->io.indirect)
		add_list_op(ring, request);
	for (i = 0; i < request->io.nr_segments; i++) {
		struct blkback_segment *segment = &request->segment[i];

		if (!blkback_persist_use(ring, segment))
			add_map_op(ring, request, segment);
	}
}

/* Xen says one of these when the domain has all the mappings that it may. */
static bool is_short_of_handles(int status)
{
	return status == GNTST_no_space || status == GNTST_no_device_space;
}

/*
 * Each operation has its own status, and it alone counts: of a batch that
 * failed, those that did map must be unmapped again (XSA-361, XSA-365).
 */
static void keep_mapping(struct blkback_ring *ring, unsigned int nr)
{
	struct blkback_batch *batch = ring->batch;
	struct blkback_segment *segment = batch->segment[nr];

	if (batch->map[nr].status == GNTST_okay) {
		segment->page = batch->page[nr];
		segment->handle = batch->map[nr].handle;
	} else {
		segment->copied = is_short_of_handles(batch->map[nr].status);
		put_idle(ring, batch->page[nr]);
	}
	if (segment->kept)
		blkback_persist_settle(segment);
}

/* What can't be mapped fails its request, but for want of handles. */
static void judge_data(struct blkback_ring *ring,
		       struct blkback_request *request)
{
	unsigned int i;

	for (i = 0; i < request->io.nr_segments; i++) {
		struct blkback_segment *segment = &request->segment[i];

		if (blkback_persist_resolve(segment))
			continue;
		if (!segment->copied) {
			request->status = XENBLK_RSP_ERROR;
			return;
		}
		request->nr_standins++;
		if (segment->kept)
			blkback_persist_release(ring, segment);
	}
	ring->batch->nr_short += request->nr_standins != 0;
}

/* A frontend may grant its lists read-only: not to be tried again and again. */
static void judge_list(struct blkback_ring *ring,
		       struct blkback_request *request)
{
	struct blkback_segment *list = &request->list;

	if (list->kept && !blkback_persist_resolve(list) && !list->copied)
		ring->lists_readonly = true;
}

static void keep_mappings(struct blkback_ring *ring, struct list_head *requests)
{
	struct blkback_request *request;
	unsigned int i;

	for (i = 0; i < ring->batch->nr_pages; i++)
		keep_mapping(ring, i);
	list_for_each_entry(request, requests, node) {
		if (request->status || request->copied)
			continue;
		judge_list(ring, request);
		judge_data(ring, request);
	}
}

/**
 * blkback_grant_map() - map the data of a pass
 * @ring: that the requests came from
 * @requests: of the pass; those that can't be mapped whole become errors, but
 *	those that only lack handles: see shortage.c
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
		if (!request->status && !request->copied)
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

	for (i = 0; i < batch->nr_unmaps; i++) {
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

	if (!batch->nr_unmaps)
		return;
	gnttab_unmap_refs(batch->unmap, NULL, batch->page, batch->nr_unmaps);
	put_unmapped(ring);
	batch->nr_unmaps = 0;
}

static void add_unmap_op(struct blkback_ring *ring,
			 struct blkback_segment *segment)
{
	struct blkback_batch *batch = ring->batch;

	if (batch->nr_unmaps == BLKBACK_BATCH_PAGES)
		flush_unmaps(ring);
	gnttab_set_unmap_op(&batch->unmap[batch->nr_unmaps],
			    address_of(segment->page), GNTMAP_host_map,
			    segment->handle);
	/* The hypervisor's to change, if it gets to see the operation. */
	batch->unmap[batch->nr_unmaps].status = GNTST_general_error;
	batch->page[batch->nr_unmaps++] = segment->page;
	segment->page = NULL;
}

static int map_each(struct blkback_ring *ring, const grant_ref_t *refs,
		    unsigned int nr, struct blkback_segment *mapped)
{
	struct blkback_batch *batch = ring->batch;
	unsigned int i;
	int err = 0;

	for (i = 0; i < nr; i++) {
		batch->page[i] = ring->idle[--ring->nr_idle];
		gnttab_set_map_op(&batch->map[i], address_of(batch->page[i]),
				  GNTMAP_host_map, refs[i], guest_of(ring));
	}
	gnttab_map_refs(batch->map, NULL, batch->page, nr);
	for (i = 0; i < nr; i++) {
		if (batch->map[i].status == GNTST_okay) {
			mapped[i].page = batch->page[i];
			mapped[i].handle = batch->map[i].handle;
			continue;
		}
		err = is_short_of_handles(batch->map[i].status) ? -ENOSPC :
								  -EINVAL;
		put_idle(ring, batch->page[i]);
	}
	return err;
}

/**
 * blkback_grant_unpin() - undo blkback_grant_pin()
 * @ring: the same
 * @pinned: its mappings; what has no page is passed over
 * @nr: how many
 */
void blkback_grant_unpin(struct blkback_ring *ring,
			 struct blkback_segment *pinned, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		if (pinned[i].page)
			add_unmap_op(ring, &pinned[i]);
	flush_unmaps(ring);
}

/**
 * blkback_grant_pin() - make sure that the pages of a ring can be mapped
 * @ring: has no requests yet
 * @refs: their grants
 * @nr: how many, at most XENBLK_MAX_RING_PAGES
 * @pinned: no pages yet; a mapping of each, after success
 *
 * A guest can't take a grant back while it is mapped for writing; and as many
 * handles as there are pages have just been free.
 *
 * Context: may sleep; the thread of @ring does not run yet.
 * Return: 0; -ENOSPC when this domain is short of handles; or -EINVAL.
 */
int blkback_grant_pin(struct blkback_ring *ring, const grant_ref_t *refs,
		      unsigned int nr, struct blkback_segment *pinned)
{
	struct blkback_segment again[XENBLK_MAX_RING_PAGES] = {};
	int err = map_each(ring, refs, nr, pinned);

	if (!err)
		err = map_each(ring, refs, nr, again);
	blkback_grant_unpin(ring, again, nr);
	if (err)
		blkback_grant_unpin(ring, pinned, nr);
	return err;
}

/**
 * blkback_grant_give_back() - unmap grants that stayed mapped
 * @ring: of them
 * @nr: how many, the longest unused first; UINT_MAX for all
 *
 * Context: the thread of @ring, but not between mapping and submission.
 */
void blkback_grant_give_back(struct blkback_ring *ring, unsigned int nr)
{
	struct blkback_segment oldest;

	while (nr-- && blkback_persist_take_oldest(ring, &oldest))
		add_unmap_op(ring, &oldest);
	flush_unmaps(ring);
}

static void add_surplus(struct blkback_ring *ring)
{
	struct blkback_segment surplus;

	while (blkback_persist_take_expired(ring, &surplus) ||
	       blkback_persist_take_displaced(ring, &surplus))
		add_unmap_op(ring, &surplus);
}

/**
 * blkback_grant_expire() - unmap grants that stayed mapped for no use
 * @ring: of them; it has nothing else to do
 *
 * Context: the thread of @ring.
 */
void blkback_grant_expire(struct blkback_ring *ring)
{
	add_surplus(ring);
	flush_unmaps(ring);
}

/**
 * blkback_grant_reserve() - have pages to map at
 * @ring: that needs them
 * @nr_pages: how many blkback_grant_map() may take for the pass
 *
 * Idle pages, those of requests in flight and those that stay mapped are never
 * more than BLKBACK_MAX_PAGES. The last give way: since they came from the
 * pages that a ring always has, it can map a request when nothing is in flight.
 *
 * Context: the thread of @ring, or whoever makes it.
 * Return: false when memory is short; what is in flight will give pages back.
 */
bool blkback_grant_reserve(struct blkback_ring *ring, unsigned int nr_pages)
{
	unsigned int mapped = ring->pages_in_flight - ring->batch->nr_pages +
			      ring->store.nr_idle;
	unsigned int missing;

	if (ring->nr_idle >= nr_pages)
		return true;
	if (mapped + nr_pages > BLKBACK_MAX_PAGES)
		blkback_grant_give_back(ring, mapped + nr_pages -
					      BLKBACK_MAX_PAGES);
	if (ring->nr_idle >= nr_pages)
		return true;
	missing = nr_pages - ring->nr_idle;
	if (!gnttab_alloc_pages(missing, ring->idle + ring->nr_idle))
		ring->nr_idle = nr_pages;
	else
		blkback_grant_give_back(ring, missing);
	return ring->nr_idle >= nr_pages;
}

static void release(struct blkback_ring *ring, struct blkback_segment *segment)
{
	if (segment->kept)
		blkback_persist_release(ring, segment);
	else if (segment->page)
		add_unmap_op(ring, segment);
}

static void release_data(struct blkback_ring *ring,
			 struct blkback_request *request)
{
	unsigned int i;

	for (i = 0; i < request->io.nr_segments; i++)
		release(ring, &request->segment[i]);
}

/**
 * blkback_grant_release() - unmap the data of a request, or keep it
 * @ring: that it came from
 * @request: its pages are not in use
 *
 * Context: the thread of @ring.
 */
void blkback_grant_release(struct blkback_ring *ring,
			   struct blkback_request *request)
{
	release_data(ring, request);
	flush_unmaps(ring);
}

/**
 * blkback_grant_unmap() - unmap the data of finished requests, or keep it
 * @ring: that they came from
 * @requests: finished; no page of them is in use
 *
 * Context: the thread of @ring.
 */
void blkback_grant_unmap(struct blkback_ring *ring, struct list_head *requests)
{
	struct blkback_request *request;

	list_for_each_entry(request, requests, node) {
		if (request->list.kept)
			blkback_persist_release(ring, &request->list);
		release_data(ring, request);
	}
	add_surplus(ring);
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
