// SPDX-License-Identifier: GPL-2.0-only
/*
 * common/ring.h between two real threads: each request's content is checked by
 * the backend and each answer's by the frontend, indexes wrap on the way, and
 * a thread sleeps whenever it may, so that a lost doorbell stops the show.
 */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <time.h>

#include <linux/kernel.h>

#include "ring.h"
#include "spec.h"
#include "tap.h"

#define REQUESTS	200000
#define PATIENCE	20	/* seconds until a doorbell counts as lost */
#define BASE		0xffffff00U
#define MAX_ENTRIES	512

static struct xenblk_ring ring;
static sem_t to_back, to_front;
static unsigned int back_faults, front_faults;

static u64 id_of(u32 number)
{
	return number * 0x9e3779b97f4a7c15ULL;
}

static s16 status_of(u64 id)
{
	return -(s16)(id % 3);
}

static void fill_request(struct xenblk_request *req, u32 number)
{
	u64 random = id_of(number);
	unsigned int i;

	req->id = random;
	req->operation = number & 1 ? XENBLK_OP_WRITE : XENBLK_OP_INDIRECT;
	req->inner_op = number & 1 ? XENBLK_OP_WRITE : XENBLK_OP_READ;
	req->nr_segments = number & 1 ? number % 12 : number % 257;
	req->handle = spec_random(&random);
	req->sector = spec_random(&random);
	for (i = 0; i < XENBLK_MAX_INDIRECT_PAGES; i++)
		req->gref[i] = spec_random(&random);
}

/* A request that was torn or read too early differs somewhere. */
static bool same_request(const struct xenblk_request *got, u32 number)
{
	struct xenblk_request want = { };
	size_t bytes = sizeof(want.gref);

	fill_request(&want, number);
	if (want.operation == XENBLK_OP_WRITE &&
	    want.nr_segments * sizeof(want.seg[0]) < bytes)
		bytes = want.nr_segments * sizeof(want.seg[0]);
	return got->id == want.id && got->sector == want.sector &&
	       got->operation == want.operation &&
	       got->inner_op == want.inner_op &&
	       got->nr_segments == want.nr_segments &&
	       got->handle == want.handle &&
	       !memcmp(got->gref, want.gref, bytes);
}

static bool sleep_until(sem_t *doorbell)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += PATIENCE;
	while (sem_timedwait(doorbell, &until))
		if (errno != EINTR)
			return false;
	return true;
}

struct back {
	struct xenblk_back_ring end;
	u32 taken;
	u64 held[MAX_ENTRIES];
	unsigned int nr_held;
	u64 seed;
};

static void take_requests(struct back *back, u32 nr)
{
	struct xenblk_request req;

	while (nr--) {
		xenblk_ring_get_request(&back->end, &req);
		if (!same_request(&req, back->taken++))
			back_faults++;
		back->held[back->nr_held++] = req.id;
	}
}

/* Answers the youngest first: order must not matter to anybody. */
static void answer(struct back *back, unsigned int nr)
{
	while (nr--) {
		u64 id = back->held[--back->nr_held];
		struct xenblk_response rsp = {
			.id = id, .status = status_of(id),
		};

		xenblk_ring_put_response(&back->end, &rsp);
	}
	if (xenblk_ring_push_responses(&back->end))
		sem_post(&to_front);
}

static bool wait_for_requests(struct back *back, u32 *nr)
{
	answer(back, back->nr_held);
	if (back->taken == REQUESTS)
		return false;
	xenblk_ring_await_requests(&back->end);
	if (!xenblk_ring_pending_requests(&back->end, nr))
		return false;
	return *nr || sleep_until(&to_back);
}

static void *run_back(void *unused)
{
	struct back *back = calloc(1, sizeof(*back));
	u32 nr;

	(void)unused;
	back->end = (struct xenblk_back_ring){
		.ring = ring, .req_cons = BASE, .rsp_prod = BASE,
		.pushed = BASE,
	};
	while (xenblk_ring_pending_requests(&back->end, &nr)) {
		take_requests(back, nr);
		if (nr && spec_random(&back->seed) & 1)
			answer(back, spec_random(&back->seed) %
				     (back->nr_held + 1));
		if (!nr && !wait_for_requests(back, &nr))
			break;
	}
	if (back->taken != REQUESTS)
		back_faults++;
	free(back);
	return NULL;
}

struct front {
	struct xenblk_front_producer producer;
	struct xenblk_front_consumer consumer;
	u32 sent, answered;
	u64 ids_sent, ids_answered;
	u64 seed;
};

static void send_requests(struct front *front)
{
	u32 room = ring.nr_ents - (front->sent - front->answered);
	u32 nr = room ? spec_random(&front->seed) % room + 1 : 0;
	struct xenblk_request req;

	if (nr > REQUESTS - front->sent)
		nr = REQUESTS - front->sent;
	if (!nr)
		return;
	while (nr--) {
		fill_request(&req, front->sent);
		front->ids_sent += id_of(front->sent++);
		xenblk_ring_put_request(&front->producer, &req);
	}
	if (xenblk_ring_push_requests(&front->producer))
		sem_post(&to_back);
}

static void take_responses(struct front *front, u32 nr)
{
	struct xenblk_response rsp;

	while (nr--) {
		xenblk_ring_get_response(&front->consumer, &rsp);
		if (rsp.status != status_of(rsp.id))
			front_faults++;
		front->ids_answered += rsp.id;
		front->answered++;
	}
}

static bool wait_for_responses(struct front *front, u32 *nr)
{
	xenblk_ring_await_responses(&front->consumer);
	if (!xenblk_ring_pending_responses(&front->consumer, nr))
		return false;
	return *nr || sleep_until(&to_front);
}

static bool must_wait(const struct front *front)
{
	return front->sent == REQUESTS ||
	       front->sent - front->answered == ring.nr_ents;
}

static void run_front(void)
{
	struct front front = {
		.producer = { .ring = ring, .req_prod = BASE, .pushed = BASE },
		.consumer = { .ring = ring, .rsp_cons = BASE },
	};
	u32 nr;

	while (front.answered < REQUESTS) {
		send_requests(&front);
		if (!xenblk_ring_pending_responses(&front.consumer, &nr))
			break;
		take_responses(&front, nr);
		if (!nr && must_wait(&front) &&
		    !wait_for_responses(&front, &nr))
			break;
	}
	if (front.answered != REQUESTS || front.ids_sent != front.ids_answered)
		front_faults++;
}

static void open_ring(const struct spec_layout *spec, unsigned int nr_pages)
{
	struct xenblk_sring *sring;
	void *pages = NULL;

	if (posix_memalign(&pages, XENBLK_PAGE_SIZE,
			   nr_pages * XENBLK_PAGE_SIZE))
		abort();
	sring = pages;
	memset(sring, 0, nr_pages * XENBLK_PAGE_SIZE);
	xenblk_ring_format(sring);
	sring->req_prod = BASE;
	sring->rsp_prod = BASE;
	sring->req_event = BASE + 1;
	sring->rsp_event = BASE + 1;
	xenblk_ring_init(&ring, sring, spec->layout, nr_pages);
	sem_init(&to_back, 0, 0);
	sem_init(&to_front, 0, 0);
}

static void stress(const struct spec_layout *spec, unsigned int nr_pages)
{
	pthread_t thread;

	open_ring(spec, nr_pages);
	back_faults = 0;
	front_faults = 0;
	if (pthread_create(&thread, NULL, run_back, NULL))
		abort();
	run_front();
	/* A backend that still waits for a doorbell shall not wait its time. */
	if (front_faults)
		sem_post(&to_back);
	pthread_join(thread, NULL);
	tap_ok(!back_faults && !front_faults,
	       "layout %s, %u pages: %u requests (faults: %u back, %u front)",
	       spec->name, nr_pages, REQUESTS, back_faults, front_faults);
	free(ring.sring);
}

int main(void)
{
	static const unsigned int pages[] = { 1, 4, 16 };
	size_t i, j;

	for (i = 0; i < SPEC_NR_LAYOUTS; i++)
		for (j = 0; j < ARRAY_SIZE(pages); j++)
			stress(&spec_layouts[i], pages[j]);
	return tap_done();
}
