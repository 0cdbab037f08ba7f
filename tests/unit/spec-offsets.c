// SPDX-License-Identifier: GPL-2.0-only
/*
 * What Xen's public headers say of the wire format, told in assembly comments.
 *
 * It is compiled for 32 and 64 bits, and shares no line with common/: the
 * tests hold our layouts against these numbers.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <xen/io/blkif.h>

#define TELL(name, value) \
	({ asm volatile("\n.ascii \"@ " #name " %c0\"" : : "i"(value)); })

#define TELL_FIELD(name, type, field) \
	TELL(name, offsetof(struct blkif_##type, field))

void tell_requests(void)
{
	TELL_FIELD(RW_OPERATION, request, operation);
	TELL_FIELD(RW_NR_SEGMENTS, request, nr_segments);
	TELL_FIELD(RW_HANDLE, request, handle);
	TELL_FIELD(RW_ID, request, id);
	TELL_FIELD(RW_SECTOR, request, sector_number);
	TELL_FIELD(RW_SEG, request, seg);
	TELL_FIELD(DISCARD_OPERATION, request_discard, operation);
	TELL_FIELD(DISCARD_FLAG, request_discard, flag);
	TELL_FIELD(DISCARD_HANDLE, request_discard, handle);
	TELL_FIELD(DISCARD_ID, request_discard, id);
	TELL_FIELD(DISCARD_SECTOR, request_discard, sector_number);
	TELL_FIELD(DISCARD_NR_SECTORS, request_discard, nr_sectors);
	TELL_FIELD(INDIRECT_OPERATION, request_indirect, operation);
	TELL_FIELD(INDIRECT_OP, request_indirect, indirect_op);
	TELL_FIELD(INDIRECT_NR_SEGMENTS, request_indirect, nr_segments);
	TELL_FIELD(INDIRECT_ID, request_indirect, id);
	TELL_FIELD(INDIRECT_SECTOR, request_indirect, sector_number);
	TELL_FIELD(INDIRECT_HANDLE, request_indirect, handle);
	TELL_FIELD(INDIRECT_GREF, request_indirect, indirect_grefs);
}

void tell_rest(void)
{
	TELL_FIELD(RSP_ID, response, id);
	TELL_FIELD(RSP_OPERATION, response, operation);
	TELL_FIELD(RSP_STATUS, response, status);
	TELL_FIELD(SEG_GREF, request_segment, gref);
	TELL_FIELD(SEG_FIRST, request_segment, first_sect);
	TELL_FIELD(SEG_LAST, request_segment, last_sect);
	TELL(SEG_SIZE, sizeof(struct blkif_request_segment));
	TELL(RSP_SIZE, sizeof(struct blkif_response));
	TELL(ENTRY_SIZE, sizeof(union blkif_sring_entry));
	TELL_FIELD(SRING_REQ_PROD, sring, req_prod);
	TELL_FIELD(SRING_REQ_EVENT, sring, req_event);
	TELL_FIELD(SRING_RSP_PROD, sring, rsp_prod);
	TELL_FIELD(SRING_RSP_EVENT, sring, rsp_event);
	TELL_FIELD(SRING_ENTRIES, sring, ring);
	TELL(RING_1_PAGE, __CONST_RING_SIZE(blkif, 4096));
	TELL(RING_2_PAGES, __CONST_RING_SIZE(blkif, 8192));
	TELL(RING_4_PAGES, __CONST_RING_SIZE(blkif, 16384));
	TELL(RING_8_PAGES, __CONST_RING_SIZE(blkif, 32768));
	TELL(RING_16_PAGES, __CONST_RING_SIZE(blkif, 65536));
}
