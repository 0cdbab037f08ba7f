/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Ring entries of any layout to and from one internal form (pure).
 */
#ifndef XENBLK_ABI_H
#define XENBLK_ABI_H

#include "protocol.h"

/**
 * struct xenblk_request - a request, whatever the layout it came in
 * @id: the frontend's own value, echoed in the response
 * @sector: first 512-byte sector on the disk
 * @nr_sectors: discard only, 512-byte sectors
 * @operation: as on the wire; XENBLK_OP_INDIRECT for an indirect request
 * @inner_op: what an indirect request does; else equal to @operation
 * @flag: discard only
 * @nr_segments: of a direct or an indirect request, unchecked
 * @handle: virtual device number, unchecked; backends do not trust it
 * @seg: direct requests: the first min(@nr_segments, 11) are set
 * @gref: indirect requests: the pages that hold the segments
 */
struct xenblk_request {
	u64	id;
	u64	sector;
	u64	nr_sectors;
	u8	operation;
	u8	inner_op;
	u8	flag;
	u16	nr_segments;
	u16	handle;
	union {
		struct xenblk_segment	seg[XENBLK_MAX_DIRECT_SEGMENTS];
		u32			gref[XENBLK_MAX_INDIRECT_PAGES];
	};
};

/**
 * struct xenblk_response - a response, whatever the layout
 * @id: of the request that it answers
 * @operation: of the request; the inner one of an indirect request
 * @status: &enum xenblk_rsp, or anything when the peer lies
 */
struct xenblk_response {
	u64	id;
	u8	operation;
	s16	status;
};

static inline size_t xenblk_abi_entry_size(enum xenblk_layout layout)
{
	return layout == XENBLK_LAYOUT_32 ? sizeof(union xenblk_entry_32) :
					    sizeof(union xenblk_entry_64);
}

int xenblk_abi_layout(const char *protocol, enum xenblk_layout *layout);

unsigned int xenblk_abi_request_words(enum xenblk_layout layout,
				      const union xenblk_entry *head);
void xenblk_abi_get_request(enum xenblk_layout layout,
			    const union xenblk_entry *entry,
			    struct xenblk_request *req);
void xenblk_abi_put_request(enum xenblk_layout layout,
			    const struct xenblk_request *req, void *slot);
void xenblk_abi_get_response(enum xenblk_layout layout,
			     const union xenblk_entry *entry,
			     struct xenblk_response *rsp);
void xenblk_abi_put_response(enum xenblk_layout layout,
			     const struct xenblk_response *rsp, void *slot);

#endif /* XENBLK_ABI_H */
