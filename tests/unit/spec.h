/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The two wire layouts as the specification has them, by plain offsets.
 *
 * The tests read and write ring slots through these tables, never through the
 * structs of common/protocol.h, so that a wrong struct cannot hide itself.
 */
#ifndef XENBLK_SPEC_H
#define XENBLK_SPEC_H

#include <string.h>

#include <linux/kernel.h>

#include "protocol.h"
#include "spec-32.h"
#include "spec-64.h"

struct spec_layout {
	const char *name;
	enum xenblk_layout layout;
	size_t entry_size, rsp_size;
	size_t op, rw_nr_segments, rw_handle, id, sector, seg;
	size_t discard_flag, discard_handle, discard_nr_sectors;
	size_t indirect_op, indirect_nr_segments, indirect_handle;
	size_t indirect_gref;
	size_t rsp_id, rsp_operation, rsp_status;
	u32 ring_entries[XENBLK_MAX_RING_ORDER + 1];
};

#define SPEC_LAYOUT(bits) {						\
	.name = #bits,							\
	.layout = XENBLK_LAYOUT_##bits,					\
	.entry_size = SPEC##bits##_ENTRY_SIZE,				\
	.rsp_size = SPEC##bits##_RSP_SIZE,				\
	.op = SPEC##bits##_RW_OPERATION,				\
	.rw_nr_segments = SPEC##bits##_RW_NR_SEGMENTS,			\
	.rw_handle = SPEC##bits##_RW_HANDLE,				\
	.id = SPEC##bits##_RW_ID,					\
	.sector = SPEC##bits##_RW_SECTOR,				\
	.seg = SPEC##bits##_RW_SEG,					\
	.discard_flag = SPEC##bits##_DISCARD_FLAG,			\
	.discard_handle = SPEC##bits##_DISCARD_HANDLE,			\
	.discard_nr_sectors = SPEC##bits##_DISCARD_NR_SECTORS,		\
	.indirect_op = SPEC##bits##_INDIRECT_OP,			\
	.indirect_nr_segments = SPEC##bits##_INDIRECT_NR_SEGMENTS,	\
	.indirect_handle = SPEC##bits##_INDIRECT_HANDLE,		\
	.indirect_gref = SPEC##bits##_INDIRECT_GREF,			\
	.rsp_id = SPEC##bits##_RSP_ID,					\
	.rsp_operation = SPEC##bits##_RSP_OPERATION,			\
	.rsp_status = SPEC##bits##_RSP_STATUS,				\
	.ring_entries = { SPEC##bits##_RING_1_PAGE,			\
		SPEC##bits##_RING_2_PAGES, SPEC##bits##_RING_4_PAGES,	\
		SPEC##bits##_RING_8_PAGES, SPEC##bits##_RING_16_PAGES }, \
}

static const struct spec_layout spec_layouts[] = {
	SPEC_LAYOUT(32),
	SPEC_LAYOUT(64),
};

#define SPEC_NR_LAYOUTS	ARRAY_SIZE(spec_layouts)

/* Both ABIs of x86 and Arm are little-endian, and so is the machine here. */
static inline u64 spec_peek(const void *slot, size_t offset, size_t size)
{
	u64 value = 0;

	memcpy(&value, (const u8 *)slot + offset, size);
	return value;
}

static inline void spec_poke(void *slot, size_t offset, size_t size, u64 value)
{
	memcpy((u8 *)slot + offset, &value, size);
}

/* Numbers that look like anything, the same in every run. */
static inline u64 spec_random(u64 *state)
{
	*state += 0x9e3779b97f4a7c15ULL;
	u64 mixed = (*state ^ (*state >> 30)) * 0xbf58476d1ce4e5b9ULL;

	mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebULL;
	return mixed ^ (mixed >> 31);
}

static inline void spec_fill_random(u64 *state, void *to, size_t size)
{
	u8 *bytes = to;

	while (size--)
		*bytes++ = spec_random(state);
}

#endif /* XENBLK_SPEC_H */
