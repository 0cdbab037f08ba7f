// SPDX-License-Identifier: GPL-2.0-only
/*
 * common/ring.h: the order of index accesses and barriers.
 *
 * A barrier that is missing or misplaced does no harm on most machines most of
 * the time, so that no amount of traffic finds it: the test writes down what
 * each function does, and holds it against the rules of Xen's io/ring.h.
 */
#define SHIM_TRACED
#include <string.h>

#include "ring.h"
#include "tap.h"

static struct xenblk_sring *sring;
static char trace[256];

static void note(const char *what)
{
	if (trace[0])
		strncat(trace, " ", sizeof(trace) - strlen(trace) - 1);
	strncat(trace, what, sizeof(trace) - strlen(trace) - 1);
}

static const char *name_of(const u32 *index)
{
	if (index == &sring->req_prod)
		return "req_prod";
	if (index == &sring->req_event)
		return "req_event";
	if (index == &sring->rsp_prod)
		return "rsp_prod";
	if (index == &sring->rsp_event)
		return "rsp_event";
	return "?";
}

u32 shim_load(const u32 *from)
{
	if ((const u8 *)from >= sring->entries)
		return *from;
	note("read");
	note(name_of(from));
	return *from;
}

void shim_store(u32 *to, u32 value)
{
	note("write");
	note(name_of(to));
	*to = value;
}

void shim_barrier(enum shim_barrier barrier)
{
	static const char *const names[] = {
		[SHIM_MB] = "mb", [SHIM_RMB] = "rmb", [SHIM_WMB] = "wmb",
	};

	note(names[barrier]);
}

static void expect_trace(const char *function, const char *want)
{
	if (!tap_ok(!strcmp(trace, want), "%s", function))
		printf("# got \"%s\", want \"%s\"\n", trace, want);
	trace[0] = 0;
}

static void check_frontend(struct xenblk_ring *ring)
{
	struct xenblk_front_producer producer = { .ring = *ring };
	struct xenblk_front_consumer consumer = { .ring = *ring };
	struct xenblk_request req = { .operation = XENBLK_OP_FLUSH };
	struct xenblk_response rsp;
	u32 nr;

	xenblk_ring_put_request(&producer, &req);
	expect_trace("put_request touches no index", "");
	xenblk_ring_push_requests(&producer);
	expect_trace("push_requests",
		     "wmb write req_prod mb read req_event");
	xenblk_ring_pending_responses(&consumer, &nr);
	expect_trace("pending_responses", "read rsp_prod rmb");
	xenblk_ring_get_response(&consumer, &rsp);
	expect_trace("get_response touches no index", "");
	xenblk_ring_await_responses(&consumer);
	expect_trace("await_responses", "write rsp_event mb");
}

static void check_backend(struct xenblk_ring *ring)
{
	struct xenblk_back_ring back = { .ring = *ring };
	struct xenblk_response rsp = { .status = XENBLK_RSP_OKAY };
	struct xenblk_request req;
	u32 nr;

	xenblk_ring_pending_requests(&back, &nr);
	expect_trace("pending_requests", "read req_prod rmb");
	xenblk_ring_get_request(&back, &req);
	expect_trace("get_request touches no index", "");
	xenblk_ring_await_requests(&back);
	expect_trace("await_requests", "write req_event mb");
	xenblk_ring_put_response(&back, &rsp);
	expect_trace("put_response touches no index", "");
	xenblk_ring_push_responses(&back);
	expect_trace("push_responses",
		     "wmb write rsp_prod mb read rsp_event");
}

int main(void)
{
	static u64 page[XENBLK_PAGE_SIZE / sizeof(u64)];
	struct xenblk_ring ring;

	sring = (struct xenblk_sring *)page;
	xenblk_ring_format(sring);
	xenblk_ring_init(&ring, sring, XENBLK_LAYOUT_64, 1);
	check_frontend(&ring);
	check_backend(&ring);
	return tap_done();
}
