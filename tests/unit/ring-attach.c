// SPDX-License-Identifier: GPL-2.0-only
/*
 * common/ring.h: a backend takes up a ring where its frontend left it, and
 * believes nothing of what it finds there.
 */
#include <linux/kernel.h>

#include "ring.h"
#include "spec.h"
#include "tap.h"

#define ENTRIES	32

static u64 page[XENBLK_PAGE_SIZE / sizeof(u64)];

/* @waiting: how far the requests are ahead of the responses. */
static void attach(const struct spec_layout *spec, u32 answered, int waiting)
{
	struct xenblk_sring *sring = (struct xenblk_sring *)page;
	struct xenblk_back_ring back;
	u32 nr = 77;
	bool sound;

	memset(&back, 0xaa, sizeof(back));
	sring->rsp_prod = answered;
	sring->req_prod = answered + waiting;
	xenblk_ring_attach_back(&back, sring, spec->layout, 1);
	sound = xenblk_ring_pending_requests(&back, &nr);
	tap_expect(sound, waiting >= 0 && waiting <= ENTRIES,
		   "%d wait, %u answered", waiting, answered);
	if (!sound)
		return;
	tap_expect(nr, waiting, "requests pending");
	tap_expect(back.rsp_prod, answered, "next response");
}

int main(void)
{
	static const u32 answered[] = {
		0, 1, 31, 32, 0x7fffffff, 0xffffffe0, 0xffffffff,
	};
	size_t i, j;
	int waiting;

	for (i = 0; i < SPEC_NR_LAYOUTS; i++) {
		for (j = 0; j < ARRAY_SIZE(answered); j++)
			for (waiting = -100; waiting <= 100; waiting++)
				attach(&spec_layouts[i], answered[j], waiting);
		tap_verdict(spec_layouts[i].name);
	}
	return tap_done();
}
