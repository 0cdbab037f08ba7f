/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The shared ring, from both ends: every barrier of the pair is in this file.
 *
 * The rules are those of Xen's io/ring.h, for entries whose size is known only
 * at connect. Each end keeps its indexes in private memory and only ever reads
 * the index that the peer publishes; every slot is copied once, then judged.
 */
#ifndef XENBLK_RING_H
#define XENBLK_RING_H

#include <asm/barrier.h>
#include <linux/compiler.h>
#include <linux/log2.h>
#include <linux/string.h>

#include "abi.h"

/**
 * struct xenblk_ring - what both ends know of a ring
 * @sring: the shared pages
 * @nr_ents: entries, a power of two
 * @entry_size: bytes of an entry
 * @layout: of the entries
 */
struct xenblk_ring {
	struct xenblk_sring	*sring;
	u32			nr_ents;
	u32			entry_size;
	enum xenblk_layout	layout;
};

/**
 * struct xenblk_back_ring - the backend's end, owned by one thread
 * @ring: the shared part
 * @req_cons: next request to take
 * @rsp_prod: next response to write; published by xenblk_ring_push_responses()
 * @pushed: value of @rsp_prod that was published last
 * @copy: of the request that was taken last; not on the stack, where a kernel
 *	may clear each variable before its use
 */
struct xenblk_back_ring {
	struct xenblk_ring	ring;
	u32			req_cons;
	u32			rsp_prod;
	u32			pushed;
	union xenblk_entry	copy;
};

/**
 * struct xenblk_front_producer - the frontend's submitting side
 * @ring: the shared part
 * @req_prod: next request to write; published by xenblk_ring_push_requests()
 * @pushed: value of @req_prod that was published last
 */
struct xenblk_front_producer {
	struct xenblk_ring	ring;
	u32			req_prod;
	u32			pushed;
};

/**
 * struct xenblk_front_consumer - the frontend's completing side
 * @ring: the shared part
 * @rsp_cons: next response to take
 * @copy: of the response that was taken last
 */
struct xenblk_front_consumer {
	struct xenblk_ring	ring;
	u32			rsp_cons;
	union xenblk_entry	copy;
};

/**
 * xenblk_ring_entries() - entries that fit a ring
 * @layout: of the entries
 * @nr_pages: grant pages of the ring
 *
 * Return: a power of two (io/ring.h, __RING_SIZE).
 */
static inline u32 xenblk_ring_entries(enum xenblk_layout layout, u32 nr_pages)
{
	u32 room = nr_pages * XENBLK_PAGE_SIZE - sizeof(struct xenblk_sring);

	return rounddown_pow_of_two(room / xenblk_abi_entry_size(layout));
}

/**
 * xenblk_ring_init() - describe a ring
 * @ring: set whole
 * @sring: the shared pages, mapped together
 * @layout: of the entries
 * @nr_pages: number of the pages
 */
static inline void xenblk_ring_init(struct xenblk_ring *ring, void *sring,
				    enum xenblk_layout layout, u32 nr_pages)
{
	ring->sring = sring;
	ring->layout = layout;
	ring->entry_size = xenblk_abi_entry_size(layout);
	ring->nr_ents = xenblk_ring_entries(layout, nr_pages);
}

/**
 * xenblk_ring_format() - make fresh shared pages an empty ring
 * @sring: zeroed pages that no peer uses yet
 *
 * Only the frontend does this. An event index of one asks for an event with
 * the first entry.
 */
static inline void xenblk_ring_format(struct xenblk_sring *sring)
{
	sring->req_prod = 0;
	sring->rsp_prod = 0;
	sring->req_event = 1;
	sring->rsp_event = 1;
}

/**
 * xenblk_ring_attach_back() - take up a ring where its frontend left it
 * @back: set whole
 * @sring: the shared pages, mapped together
 * @layout: of the entries
 * @nr_pages: number of the pages
 *
 * Nothing is believed: a wrong index shows as an impossible number of
 * pending requests.
 */
static inline void xenblk_ring_attach_back(struct xenblk_back_ring *back,
					   struct xenblk_sring *sring,
					   enum xenblk_layout layout,
					   u32 nr_pages)
{
	xenblk_ring_init(&back->ring, sring, layout, nr_pages);
	back->rsp_prod = READ_ONCE(sring->rsp_prod);
	back->req_cons = back->rsp_prod;
	back->pushed = back->rsp_prod;
}

static inline void *xenblk_ring_slot(const struct xenblk_ring *ring, u32 index)
{
	size_t offset = (index & (ring->nr_ents - 1)) * ring->entry_size;

	return ring->sring->entries + offset;
}

/*
 * The one copy of a slot: each word is read once, and the shared memory is
 * never used in place of the copy (XSA-155).
 */
static inline void xenblk_ring_copy_slot(const struct xenblk_ring *ring,
					 u32 index, unsigned int first,
					 unsigned int end,
					 union xenblk_entry *copy)
{
	const u32 *slot = xenblk_ring_slot(ring, index);
	unsigned int i;

	for (i = first; i < end; i++)
		copy->words[i] = READ_ONCE(slot[i]);
}

/* Would a peer at @old be told when the producer moves on to @new? */
static inline bool xenblk_ring_event_crossed(u32 event, u32 old, u32 new)
{
	return new - event < new - old;
}

/**
 * xenblk_ring_pending_requests() - requests that wait, as the frontend says
 * @back: the backend's end
 * @nr: where to put their number
 *
 * Context: the thread that owns @back.
 * Return: false when the frontend claims more than the ring can hold: its
 * index means nothing from then on, and the ring must not be read again.
 */
static inline bool
xenblk_ring_pending_requests(const struct xenblk_back_ring *back, u32 *nr)
{
	u32 unanswered = back->req_cons - back->rsp_prod;

	*nr = READ_ONCE(back->ring.sring->req_prod) - back->req_cons;
	/* Slots before the index; pairs with xenblk_ring_push_requests(). */
	virt_rmb();
	/* An index that goes back looks like one that is far ahead. */
	return *nr <= back->ring.nr_ents - unanswered;
}

/**
 * xenblk_ring_get_request() - take the next request
 * @back: the backend's end; xenblk_ring_pending_requests() counted this one
 * @req: a private copy, unchecked
 *
 * Context: the thread that owns @back.
 */
static inline void xenblk_ring_get_request(struct xenblk_back_ring *back,
					   struct xenblk_request *req)
{
	const struct xenblk_ring *ring = &back->ring;
	union xenblk_entry *copy = &back->copy;

	/* The copy of the head says how much there is: it can't change. */
	xenblk_ring_copy_slot(ring, back->req_cons, 0, XENBLK_HEAD_WORDS, copy);
	xenblk_ring_copy_slot(ring, back->req_cons, XENBLK_HEAD_WORDS,
			      xenblk_abi_request_words(ring->layout, copy),
			      copy);
	xenblk_abi_get_request(ring->layout, copy, req);
	back->req_cons++;
}

/**
 * xenblk_ring_put_response() - write the next response, unpublished
 * @back: the backend's end; the request that @rsp answers was taken from it
 * @rsp: the response
 *
 * Context: the thread that owns @back.
 */
static inline void xenblk_ring_put_response(struct xenblk_back_ring *back,
					    const struct xenblk_response *rsp)
{
	xenblk_abi_put_response(back->ring.layout, rsp,
				xenblk_ring_slot(&back->ring, back->rsp_prod));
	back->rsp_prod++;
}

/**
 * xenblk_ring_push_responses() - publish the responses written so far
 * @back: the backend's end
 *
 * Context: the thread that owns @back.
 * Return: true when the frontend asked to be told.
 */
static inline bool xenblk_ring_push_responses(struct xenblk_back_ring *back)
{
	struct xenblk_sring *sring = back->ring.sring;
	u32 old = back->pushed;

	/* Responses before the index; xenblk_ring_pending_responses(). */
	virt_wmb();
	WRITE_ONCE(sring->rsp_prod, back->rsp_prod);
	back->pushed = back->rsp_prod;
	/* Index before the event; pairs with xenblk_ring_await_responses(). */
	virt_mb();
	return xenblk_ring_event_crossed(READ_ONCE(sring->rsp_event), old,
					 back->rsp_prod);
}

/**
 * xenblk_ring_await_requests() - ask for an event with the next request
 * @back: the backend's end
 *
 * Look for requests once more afterwards: one may have come in between.
 *
 * Context: the thread that owns @back.
 */
static inline void xenblk_ring_await_requests(struct xenblk_back_ring *back)
{
	WRITE_ONCE(back->ring.sring->req_event, back->req_cons + 1);
	/* Event before the index; pairs with xenblk_ring_push_requests(). */
	virt_mb();
}

/**
 * xenblk_ring_put_request() - write the next request, unpublished
 * @front: the submitting side; a slot is free
 * @req: the request
 *
 * Context: any, under the lock of @front.
 */
static inline void xenblk_ring_put_request(struct xenblk_front_producer *front,
					   const struct xenblk_request *req)
{
	xenblk_abi_put_request(front->ring.layout, req,
			       xenblk_ring_slot(&front->ring, front->req_prod));
	front->req_prod++;
}

/**
 * xenblk_ring_push_requests() - publish the requests written so far
 * @front: the submitting side
 *
 * Context: any, under the lock of @front.
 * Return: true when the backend asked to be told.
 */
static inline bool
xenblk_ring_push_requests(struct xenblk_front_producer *front)
{
	struct xenblk_sring *sring = front->ring.sring;
	u32 old = front->pushed;

	/* Requests before the index; xenblk_ring_pending_requests(). */
	virt_wmb();
	WRITE_ONCE(sring->req_prod, front->req_prod);
	front->pushed = front->req_prod;
	/* Index before the event; pairs with xenblk_ring_await_requests(). */
	virt_mb();
	return xenblk_ring_event_crossed(READ_ONCE(sring->req_event), old,
					 front->req_prod);
}

/**
 * xenblk_ring_pending_responses() - responses that wait, as the backend says
 * @front: the completing side
 * @nr: where to put their number
 *
 * Context: the completer of @front.
 * Return: false when the backend claims more than the ring can hold.
 */
static inline bool
xenblk_ring_pending_responses(const struct xenblk_front_consumer *front,
			      u32 *nr)
{
	*nr = READ_ONCE(front->ring.sring->rsp_prod) - front->rsp_cons;
	/* Slots before the index; pairs with xenblk_ring_push_responses(). */
	virt_rmb();
	return *nr <= front->ring.nr_ents;
}

/**
 * xenblk_ring_get_response() - take the next response
 * @front: the completing side; the response was counted as pending
 * @rsp: a private copy, unchecked
 *
 * Context: the completer of @front.
 */
static inline void xenblk_ring_get_response(struct xenblk_front_consumer *front,
					    struct xenblk_response *rsp)
{
	xenblk_ring_copy_slot(&front->ring, front->rsp_cons, 0,
			      sizeof(struct xenblk_response_32) / sizeof(u32),
			      &front->copy);
	xenblk_abi_get_response(front->ring.layout, &front->copy, rsp);
	front->rsp_cons++;
}

/**
 * xenblk_ring_answered() - responses ever published, as the backend says
 * @ring: a ring
 *
 * To be shown, not to be believed.
 */
static inline u32 xenblk_ring_answered(const struct xenblk_ring *ring)
{
	return READ_ONCE(ring->sring->rsp_prod);
}

/**
 * xenblk_ring_await_responses() - ask for an event with the next response
 * @front: the completing side
 *
 * Look for responses once more afterwards: one may have come in between.
 *
 * Context: the completer of @front.
 */
static inline void
xenblk_ring_await_responses(struct xenblk_front_consumer *front)
{
	WRITE_ONCE(front->ring.sring->rsp_event, front->rsp_cons + 1);
	/* Event before the index; pairs with xenblk_ring_push_responses(). */
	virt_mb();
}

/**
 * xenblk_ring_forgo_events() - ask for no event with any response to come
 * @front: the completing side
 *
 * What is asked for has gone by: it comes again with the 2^32nd response, when
 * an event does no harm.
 *
 * Context: the completer of @front.
 */
static inline void xenblk_ring_forgo_events(struct xenblk_front_consumer *front)
{
	WRITE_ONCE(front->ring.sring->rsp_event, front->rsp_cons);
}

#endif /* XENBLK_RING_H */
