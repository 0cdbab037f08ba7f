// SPDX-License-Identifier: GPL-2.0-only
/*
 * common/protocol.h against Xen's own headers: sizes, offsets and numbers.
 */
#include <stdint.h>

#include <linux/kernel.h>

#include <xen/io/blkif.h>
#include <xen/io/protocols.h>

#include "protocol.h"
#include "spec.h"
#include "tap.h"

#define SAME_FIELD(form, field, spec) \
	tap_expect(offsetof(struct xenblk_##form, field), spec, #spec)

#define DEFINE_FIELD_CHECKS(bits)					\
static void check_requests_##bits(void)					\
{									\
	SAME_FIELD(rw_##bits, operation, SPEC##bits##_RW_OPERATION);	\
	SAME_FIELD(rw_##bits, nr_segments,				\
		   SPEC##bits##_RW_NR_SEGMENTS);			\
	SAME_FIELD(rw_##bits, handle, SPEC##bits##_RW_HANDLE);		\
	SAME_FIELD(rw_##bits, id, SPEC##bits##_RW_ID);			\
	SAME_FIELD(rw_##bits, sector, SPEC##bits##_RW_SECTOR);		\
	SAME_FIELD(rw_##bits, seg, SPEC##bits##_RW_SEG);		\
	SAME_FIELD(discard_##bits, operation,				\
		   SPEC##bits##_DISCARD_OPERATION);			\
	SAME_FIELD(discard_##bits, flag, SPEC##bits##_DISCARD_FLAG);	\
	SAME_FIELD(discard_##bits, handle,				\
		   SPEC##bits##_DISCARD_HANDLE);			\
	SAME_FIELD(discard_##bits, id, SPEC##bits##_DISCARD_ID);	\
	SAME_FIELD(discard_##bits, sector,				\
		   SPEC##bits##_DISCARD_SECTOR);			\
	SAME_FIELD(discard_##bits, nr_sectors,				\
		   SPEC##bits##_DISCARD_NR_SECTORS);			\
	SAME_FIELD(indirect_##bits, operation,				\
		   SPEC##bits##_INDIRECT_OPERATION);			\
	SAME_FIELD(indirect_##bits, indirect_op,			\
		   SPEC##bits##_INDIRECT_OP);				\
	SAME_FIELD(indirect_##bits, nr_segments,			\
		   SPEC##bits##_INDIRECT_NR_SEGMENTS);			\
	SAME_FIELD(indirect_##bits, id, SPEC##bits##_INDIRECT_ID);	\
	SAME_FIELD(indirect_##bits, sector,				\
		   SPEC##bits##_INDIRECT_SECTOR);			\
	SAME_FIELD(indirect_##bits, handle,				\
		   SPEC##bits##_INDIRECT_HANDLE);			\
	SAME_FIELD(indirect_##bits, gref, SPEC##bits##_INDIRECT_GREF);	\
	tap_verdict("requests of layout " #bits);			\
}									\
									\
static void check_responses_##bits(void)				\
{									\
	SAME_FIELD(response_##bits, id, SPEC##bits##_RSP_ID);		\
	SAME_FIELD(response_##bits, operation,				\
		   SPEC##bits##_RSP_OPERATION);				\
	SAME_FIELD(response_##bits, status, SPEC##bits##_RSP_STATUS);	\
	tap_expect(sizeof(struct xenblk_response_##bits),		\
		   SPEC##bits##_RSP_SIZE, "size of a response");	\
	tap_expect(sizeof(union xenblk_entry_##bits),			\
		   SPEC##bits##_ENTRY_SIZE, "size of an entry");	\
	tap_verdict("responses of layout " #bits);			\
}									\
									\
static void check_shared_##bits(void)					\
{									\
	const size_t entries = SPEC##bits##_SRING_ENTRIES;		\
									\
	tap_expect(offsetof(struct xenblk_segment, gref),		\
		   SPEC##bits##_SEG_GREF, "segment.gref");		\
	tap_expect(offsetof(struct xenblk_segment, first_sect),		\
		   SPEC##bits##_SEG_FIRST, "segment.first_sect");	\
	tap_expect(offsetof(struct xenblk_segment, last_sect),		\
		   SPEC##bits##_SEG_LAST, "segment.last_sect");		\
	tap_expect(sizeof(struct xenblk_segment),			\
		   SPEC##bits##_SEG_SIZE, "size of a segment");		\
	tap_expect(offsetof(struct xenblk_sring, req_prod),		\
		   SPEC##bits##_SRING_REQ_PROD, "req_prod");		\
	tap_expect(offsetof(struct xenblk_sring, req_event),		\
		   SPEC##bits##_SRING_REQ_EVENT, "req_event");		\
	tap_expect(offsetof(struct xenblk_sring, rsp_prod),		\
		   SPEC##bits##_SRING_RSP_PROD, "rsp_prod");		\
	tap_expect(offsetof(struct xenblk_sring, rsp_event),		\
		   SPEC##bits##_SRING_RSP_EVENT, "rsp_event");		\
	tap_expect(offsetof(struct xenblk_sring, entries), entries,	\
		   "first entry");					\
	tap_verdict("segments and ring head of layout " #bits);		\
}

DEFINE_FIELD_CHECKS(32)
DEFINE_FIELD_CHECKS(64)

static void check_numbers(void)
{
	static const struct {
		const char *name;
		long long ours, theirs;
	} numbers[] = {
		{ "read", XENBLK_OP_READ, BLKIF_OP_READ },
		{ "write", XENBLK_OP_WRITE, BLKIF_OP_WRITE },
		{ "barrier", XENBLK_OP_BARRIER, BLKIF_OP_WRITE_BARRIER },
		{ "flush", XENBLK_OP_FLUSH, BLKIF_OP_FLUSH_DISKCACHE },
		{ "discard", XENBLK_OP_DISCARD, BLKIF_OP_DISCARD },
		{ "indirect", XENBLK_OP_INDIRECT, BLKIF_OP_INDIRECT },
		{ "okay", XENBLK_RSP_OKAY, BLKIF_RSP_OKAY },
		{ "error", XENBLK_RSP_ERROR, BLKIF_RSP_ERROR },
		{ "not supported", XENBLK_RSP_NOTSUPP, BLKIF_RSP_EOPNOTSUPP },
		{ "cdrom", XENBLK_INFO_CDROM, VDISK_CDROM },
		{ "removable", XENBLK_INFO_REMOVABLE, VDISK_REMOVABLE },
		{ "read-only", XENBLK_INFO_READONLY, VDISK_READONLY },
		{ "direct segments", XENBLK_MAX_DIRECT_SEGMENTS,
		  BLKIF_MAX_SEGMENTS_PER_REQUEST },
		{ "indirect pages", XENBLK_MAX_INDIRECT_PAGES,
		  BLKIF_MAX_INDIRECT_PAGES_PER_REQUEST },
		{ "segments of a page", XENBLK_SEGMENTS_PER_PAGE,
		  4096 / sizeof(struct blkif_request_segment) },
		{ "sectors of a page", XENBLK_SECTORS_PER_PAGE, 8 },
		{ "pages of the largest ring", XENBLK_MAX_RING_PAGES, 16 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(numbers); i++)
		tap_expect(numbers[i].ours, numbers[i].theirs, "%s",
			   numbers[i].name);
	tap_verdict("operations, answers, flags and limits");
}

static void check_names(void)
{
	tap_ok(!strcmp(XENBLK_PROTOCOL_X86_32, XEN_IO_PROTO_ABI_X86_32) &&
	       !strcmp(XENBLK_PROTOCOL_X86_64, XEN_IO_PROTO_ABI_X86_64) &&
	       !strcmp(XENBLK_PROTOCOL_ARM, XEN_IO_PROTO_ABI_ARM),
	       "names of the protocols");
}

int main(void)
{
	check_requests_32();
	check_requests_64();
	check_responses_32();
	check_responses_64();
	check_shared_32();
	check_shared_64();
	check_numbers();
	check_names();
	return tap_done();
}
