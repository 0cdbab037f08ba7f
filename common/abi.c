// SPDX-License-Identifier: GPL-2.0-only
/*
 * Translates ring entries of either layout to and from the internal form.
 */
#include <linux/errno.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "abi.h"

/**
 * xenblk_abi_layout() - layout of the entries that a frontend writes
 * @protocol: value of its "protocol" node, NULL when the node is absent
 * @layout: where to put it
 *
 * Frontends that write no protocol are old 32-bit ones on x86, and native
 * elsewhere (io/protocols.h names the values; the default is custom).
 *
 * Return: 0, or -EPROTONOSUPPORT for a value that this kernel can't serve.
 */
int xenblk_abi_layout(const char *protocol, enum xenblk_layout *layout)
{
	if (!protocol)
		*layout = strcmp(XENBLK_PROTOCOL_NATIVE, XENBLK_PROTOCOL_ARM) ?
			  XENBLK_LAYOUT_32 : XENBLK_LAYOUT_NATIVE;
	else if (!strcmp(protocol, XENBLK_PROTOCOL_NATIVE))
		*layout = XENBLK_LAYOUT_NATIVE;
	else if (!strcmp(protocol, XENBLK_PROTOCOL_X86_32))
		*layout = XENBLK_LAYOUT_32;
	else if (!strcmp(protocol, XENBLK_PROTOCOL_X86_64))
		*layout = XENBLK_LAYOUT_64;
	else
		return -EPROTONOSUPPORT;
	return 0;
}

/* The translators differ in nothing but the types: generate one a layout. */
#define DEFINE_TRANSLATORS(bits)					\
static void get_rw_##bits(const struct xenblk_rw_##bits *rw,		\
			  struct xenblk_request *req)			\
{									\
	unsigned int nr = min_t(unsigned int, rw->nr_segments,		\
				XENBLK_MAX_DIRECT_SEGMENTS);		\
									\
	req->nr_segments = rw->nr_segments;				\
	req->handle = rw->handle;					\
	req->sector = rw->sector;					\
	memcpy(req->seg, rw->seg, nr * sizeof(req->seg[0]));		\
}									\
									\
static void get_discard_##bits(const struct xenblk_discard_##bits *discard, \
			       struct xenblk_request *req)		\
{									\
	req->flag = discard->flag;					\
	req->handle = discard->handle;					\
	req->sector = discard->sector;					\
	req->nr_sectors = discard->nr_sectors;				\
}									\
									\
static void get_indirect_##bits(const struct xenblk_indirect_##bits *indirect, \
				struct xenblk_request *req)		\
{									\
	req->inner_op = indirect->indirect_op;				\
	req->nr_segments = indirect->nr_segments;			\
	req->handle = indirect->handle;					\
	req->sector = indirect->sector;					\
	memcpy(req->gref, indirect->gref, sizeof(req->gref));		\
}									\
									\
static void get_request_##bits(const union xenblk_entry_##bits *entry,	\
			       struct xenblk_request *req)		\
{									\
	req->operation = entry->rw.operation;				\
	req->inner_op = req->operation;					\
	req->id = entry->rw.id;						\
	req->flag = 0;							\
	req->nr_sectors = 0;						\
	req->nr_segments = 0;						\
	switch (req->operation) {					\
	case XENBLK_OP_DISCARD:						\
		get_discard_##bits(&entry->discard, req);		\
		break;							\
	case XENBLK_OP_INDIRECT:					\
		get_indirect_##bits(&entry->indirect, req);		\
		break;							\
	default:							\
		get_rw_##bits(&entry->rw, req);				\
	}								\
}									\
									\
static void put_rw_##bits(const struct xenblk_request *req,		\
			  struct xenblk_rw_##bits *rw)			\
{									\
	unsigned int nr = min_t(unsigned int, req->nr_segments,		\
				XENBLK_MAX_DIRECT_SEGMENTS);		\
									\
	rw->nr_segments = req->nr_segments;				\
	rw->handle = req->handle;					\
	rw->sector = req->sector;					\
	memcpy(rw->seg, req->seg, nr * sizeof(req->seg[0]));		\
}									\
									\
static void put_discard_##bits(const struct xenblk_request *req,	\
			       struct xenblk_discard_##bits *discard)	\
{									\
	discard->flag = req->flag;					\
	discard->handle = req->handle;					\
	discard->sector = req->sector;					\
	discard->nr_sectors = req->nr_sectors;				\
}									\
									\
static void put_indirect_##bits(const struct xenblk_request *req,	\
				struct xenblk_indirect_##bits *indirect) \
{									\
	indirect->indirect_op = req->inner_op;				\
	indirect->nr_segments = req->nr_segments;			\
	indirect->handle = req->handle;					\
	indirect->pad1 = 0;						\
	indirect->sector = req->sector;					\
	memcpy(indirect->gref, req->gref, sizeof(req->gref));		\
}									\
									\
static void put_request_##bits(const struct xenblk_request *req,	\
			       union xenblk_entry_##bits *entry)	\
{									\
	entry->rw.operation = req->operation;				\
	entry->rw.id = req->id;						\
	memset(entry->rw.pad0, 0, sizeof(entry->rw.pad0));		\
	switch (req->operation) {					\
	case XENBLK_OP_DISCARD:						\
		put_discard_##bits(req, &entry->discard);		\
		break;							\
	case XENBLK_OP_INDIRECT:					\
		put_indirect_##bits(req, &entry->indirect);		\
		break;							\
	default:							\
		put_rw_##bits(req, &entry->rw);				\
	}								\
}									\
									\
static void get_response_##bits(const struct xenblk_response_##bits *wire, \
				struct xenblk_response *rsp)		\
{									\
	rsp->id = wire->id;						\
	rsp->operation = wire->operation;				\
	rsp->status = wire->status;					\
}									\
									\
static void put_response_##bits(const struct xenblk_response *rsp,	\
				struct xenblk_response_##bits *wire)	\
{									\
	wire->id = rsp->id;						\
	wire->operation = rsp->operation;				\
	wire->pad0 = 0;							\
	wire->status = rsp->status;					\
	memset(wire->pad1, 0, sizeof(wire->pad1));			\
}

DEFINE_TRANSLATORS(32)
DEFINE_TRANSLATORS(64)

/**
 * xenblk_abi_request_words() - how much of its entry a request uses
 * @layout: of @head
 * @head: a private copy of which XENBLK_HEAD_WORDS words are set
 *
 * Return: 32-bit words, at least the head, at most the entry.
 */
unsigned int xenblk_abi_request_words(enum xenblk_layout layout,
				      const union xenblk_entry *head)
{
	unsigned int nr = min_t(unsigned int, head->e32.rw.nr_segments,
				XENBLK_MAX_DIRECT_SEGMENTS);
	size_t start = layout == XENBLK_LAYOUT_32 ?
			       offsetof(struct xenblk_rw_32, seg) :
			       offsetof(struct xenblk_rw_64, seg);

	/* Both are where they are in any layout and form. */
	static_assert(offsetof(struct xenblk_rw_32, nr_segments) ==
		      offsetof(struct xenblk_rw_64, nr_segments));

	switch (head->e32.rw.operation) {
	case XENBLK_OP_DISCARD:
	case XENBLK_OP_INDIRECT:
		return xenblk_abi_entry_size(layout) / sizeof(u32);
	default:
		return (start + nr * sizeof(struct xenblk_segment)) /
		       sizeof(u32);
	}
}

/**
 * xenblk_abi_get_request() - read a request
 * @layout: of @entry
 * @entry: a private copy, as far as xenblk_abi_request_words() says; never the
 *	shared ring, which the peer can change
 * @req: fully set but for the segments beyond @req->nr_segments
 *
 * Nothing is checked here: that is the job of the reader of @req.
 */
void xenblk_abi_get_request(enum xenblk_layout layout,
			    const union xenblk_entry *entry,
			    struct xenblk_request *req)
{
	if (layout == XENBLK_LAYOUT_32)
		get_request_32(&entry->e32, req);
	else
		get_request_64(&entry->e64, req);
}

/**
 * xenblk_abi_put_request() - write a request into its ring slot
 * @layout: of the ring
 * @req: the request; at most 11 direct segments
 * @slot: the slot in the shared ring; only written
 */
void xenblk_abi_put_request(enum xenblk_layout layout,
			    const struct xenblk_request *req, void *slot)
{
	if (layout == XENBLK_LAYOUT_32)
		put_request_32(req, slot);
	else
		put_request_64(req, slot);
}

/**
 * xenblk_abi_get_response() - read a response
 * @layout: of @entry
 * @entry: a private copy of the ring slot
 * @rsp: set as found, unchecked
 */
void xenblk_abi_get_response(enum xenblk_layout layout,
			     const union xenblk_entry *entry,
			     struct xenblk_response *rsp)
{
	if (layout == XENBLK_LAYOUT_32)
		get_response_32(&entry->e32.rsp, rsp);
	else
		get_response_64(&entry->e64.rsp, rsp);
}

/**
 * xenblk_abi_put_response() - write a response into its ring slot
 * @layout: of the ring
 * @rsp: the response
 * @slot: the slot in the shared ring; only written
 *
 * Writes the padding too, so that nothing of this kernel's memory can be read
 * from it (XSA-216).
 */
void xenblk_abi_put_response(enum xenblk_layout layout,
			     const struct xenblk_response *rsp, void *slot)
{
	if (layout == XENBLK_LAYOUT_32)
		put_response_32(rsp, slot);
	else
		put_response_64(rsp, slot);
}
