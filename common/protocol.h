/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The blkif wire format: what lies in the shared ring, for each layout.
 *
 * Specification: Xen public header io/blkif.h and io/protocols.h. Sectors are
 * 512 bytes everywhere on the wire, whatever the logical block of the disk.
 * A page here is a grant page: 4096 bytes, whatever the page of the kernel.
 */
#ifndef XENBLK_PROTOCOL_H
#define XENBLK_PROTOCOL_H

#include <linux/build_bug.h>
#include <linux/stddef.h>
#include <linux/types.h>

#define XENBLK_SECTOR_SHIFT		9
#define XENBLK_PAGE_SHIFT		12
#define XENBLK_PAGE_SIZE		4096U
#define XENBLK_SECTORS_PER_PAGE		(XENBLK_PAGE_SIZE >> XENBLK_SECTOR_SHIFT)

#define XENBLK_MAX_DIRECT_SEGMENTS	11
#define XENBLK_MAX_INDIRECT_PAGES	8
#define XENBLK_MAX_RING_ORDER		4
#define XENBLK_MAX_RING_PAGES		16U

/* Values of the frontend's "protocol" node (io/protocols.h). */
#define XENBLK_PROTOCOL_X86_32		"x86_32-abi"
#define XENBLK_PROTOCOL_X86_64		"x86_64-abi"
#define XENBLK_PROTOCOL_ARM		"arm-abi"

/* Operations; 4 is reserved (io/blkif.h, BLKIF_OP_*). */
enum xenblk_op {
	XENBLK_OP_READ		= 0,
	XENBLK_OP_WRITE		= 1,
	XENBLK_OP_BARRIER	= 2,
	XENBLK_OP_FLUSH		= 3,
	XENBLK_OP_DISCARD	= 5,
	XENBLK_OP_INDIRECT	= 6,
};

/* Bits of a discard's flag (io/blkif.h, BLKIF_DISCARD_*). */
#define XENBLK_DISCARD_SECURE		0x1

/* Answers (io/blkif.h, BLKIF_RSP_*). */
enum xenblk_rsp {
	XENBLK_RSP_OKAY		= 0,
	XENBLK_RSP_ERROR	= -1,
	XENBLK_RSP_NOTSUPP	= -2,
};

/* Bits of the backend's "info" node (io/blkif.h, VDISK_*). */
#define XENBLK_INFO_CDROM		0x1
#define XENBLK_INFO_REMOVABLE		0x2
#define XENBLK_INFO_READONLY		0x4

/**
 * enum xenblk_layout - how the fields of a ring entry lie in memory
 * @XENBLK_LAYOUT_32: x86_32-abi, 64-bit fields are aligned to 4 bytes
 * @XENBLK_LAYOUT_64: x86_64-abi and arm-abi, 64-bit fields are aligned to 8
 */
enum xenblk_layout {
	XENBLK_LAYOUT_32,
	XENBLK_LAYOUT_64,
};

/* The layout and the name of the kernel that this file is compiled for. */
#if defined(CONFIG_X86_32)
#define XENBLK_LAYOUT_NATIVE		XENBLK_LAYOUT_32
#define XENBLK_PROTOCOL_NATIVE		XENBLK_PROTOCOL_X86_32
#elif defined(CONFIG_ARM) || defined(CONFIG_ARM64)
#define XENBLK_LAYOUT_NATIVE		XENBLK_LAYOUT_64
#define XENBLK_PROTOCOL_NATIVE		XENBLK_PROTOCOL_ARM
#else
#define XENBLK_LAYOUT_NATIVE		XENBLK_LAYOUT_64
#define XENBLK_PROTOCOL_NATIVE		XENBLK_PROTOCOL_X86_64
#endif

/**
 * struct xenblk_segment - a piece of one granted page (io/blkif.h)
 * @gref: grant reference of the page
 * @first_sect: first 512-byte sector of the page to transfer, 0 to 7
 * @last_sect: last one, inclusive; not below @first_sect, at most 7
 * @pad: not looked at
 *
 * Same in both layouts, and in the pages that indirect requests point to.
 */
struct xenblk_segment {
	u32	gref;
	u8	first_sect;
	u8	last_sect;
	u16	pad;
};

#define XENBLK_SEGMENTS_PER_PAGE \
	(XENBLK_PAGE_SIZE / sizeof(struct xenblk_segment))

/* Bytes that align the 64-bit fields of a layout, and the end of a response. */
#define XENBLK_GAP_32			0
#define XENBLK_GAP_64			4

/*
 * The request forms and the response of a layout. All forms start alike, so
 * that an operation that nobody knows can still be answered.
 */
#define XENBLK_DEFINE_LAYOUT(bits)					\
struct xenblk_rw_##bits {						\
	u8	operation;						\
	u8	nr_segments;						\
	u16	handle;							\
	u8	pad0[XENBLK_GAP_##bits];				\
	u64	id;							\
	u64	sector;							\
	struct xenblk_segment seg[XENBLK_MAX_DIRECT_SEGMENTS];		\
} __packed;								\
									\
struct xenblk_discard_##bits {						\
	u8	operation;						\
	u8	flag;							\
	u16	handle;							\
	u8	pad0[XENBLK_GAP_##bits];				\
	u64	id;							\
	u64	sector;							\
	u64	nr_sectors;						\
} __packed;								\
									\
struct xenblk_indirect_##bits {						\
	u8	operation;						\
	u8	indirect_op;						\
	u16	nr_segments;						\
	u8	pad0[XENBLK_GAP_##bits];				\
	u64	id;							\
	u64	sector;							\
	u16	handle;							\
	u16	pad1;							\
	u32	gref[XENBLK_MAX_INDIRECT_PAGES];			\
} __packed;								\
									\
struct xenblk_response_##bits {						\
	u64	id;							\
	u8	operation;						\
	u8	pad0;							\
	s16	status;							\
	u8	pad1[XENBLK_GAP_##bits];				\
} __packed;								\
									\
union xenblk_entry_##bits {						\
	struct xenblk_rw_##bits		rw;				\
	struct xenblk_discard_##bits	discard;			\
	struct xenblk_indirect_##bits	indirect;			\
	struct xenblk_response_##bits	rsp;				\
}

XENBLK_DEFINE_LAYOUT(32);
XENBLK_DEFINE_LAYOUT(64);

/* One private copy of a ring entry of either layout. */
union xenblk_entry {
	union xenblk_entry_32 e32;
	union xenblk_entry_64 e64;
	u32 words[sizeof(union xenblk_entry_64) / sizeof(u32)];
};

/* Words that tell how many more of them an entry uses, in either layout. */
#define XENBLK_HEAD_WORDS	2

static_assert(XENBLK_PAGE_SIZE == 1 << XENBLK_PAGE_SHIFT);
static_assert(XENBLK_MAX_RING_PAGES == 1 << XENBLK_MAX_RING_ORDER);
static_assert(sizeof(struct xenblk_segment) == 8);
static_assert(sizeof(union xenblk_entry_32) == 108);
static_assert(sizeof(union xenblk_entry_64) == 112);
static_assert(sizeof(struct xenblk_response_32) == 12);
static_assert(sizeof(struct xenblk_response_64) == 16);
static_assert(offsetof(struct xenblk_rw_32, id) == 4);
static_assert(offsetof(struct xenblk_rw_32, seg) == 20);
static_assert(offsetof(struct xenblk_rw_64, id) == 8);
static_assert(offsetof(struct xenblk_rw_64, seg) == 24);
static_assert(offsetof(struct xenblk_discard_32, nr_sectors) == 20);
static_assert(offsetof(struct xenblk_discard_64, nr_sectors) == 24);
static_assert(offsetof(struct xenblk_indirect_32, gref) == 24);
static_assert(offsetof(struct xenblk_indirect_64, gref) == 28);
static_assert(offsetof(struct xenblk_response_64, status) == 10);

/**
 * struct xenblk_sring - start of the shared ring pages (io/ring.h)
 * @req_prod: requests published by the frontend; a free-running index
 * @req_event: the backend wants an event when @req_prod reaches this
 * @rsp_prod: responses published by the backend; a free-running index
 * @rsp_event: the frontend wants an event when @rsp_prod reaches this
 * @pad: makes the entries start at byte 64
 * @entries: a power of two of entries, request and response share a slot
 */
struct xenblk_sring {
	u32	req_prod;
	u32	req_event;
	u32	rsp_prod;
	u32	rsp_event;
	u8	pad[48];
	u8	entries[];
};

static_assert(offsetof(struct xenblk_sring, entries) == 64);

#endif /* XENBLK_PROTOCOL_H */
