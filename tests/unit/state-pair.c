// SPDX-License-Identifier: GPL-2.0-only
/*
 * common/state.c: both sides against each other, in every order of steps.
 *
 * Either side acts on whatever its peer shows at that moment, late or early:
 * each run must end where the story says, by legal moves only, and a
 * connection must be between the rings that the frontend set up last.
 */
#include <linux/kernel.h>

#include "state.h"
#include "tap.h"

#define NR_STATES	9
#define MAX_SETUPS	4

struct pair {
	enum xenbus_state back, front;
	unsigned int rings;	/* how often the frontend has set up rings */
	unsigned int used;	/* which of these the backend uses, 0 none */
	bool patient;		/* xenbus waits until the backend let go */
	bool offline;		/* the toolstack wants the disk gone */
};

typedef void step_fn(struct pair *pair);

static struct pair seen[NR_STATES * NR_STATES * MAX_SETUPS * MAX_SETUPS * 4];
static unsigned int nr_seen;
static const char *story;

static void move_back(struct pair *pair, enum xenbus_state to)
{
	tap_expect(xenblk_state_back_may_move(pair->back, to), true,
		   "%s: backend from %d to %d", story, pair->back, to);
	pair->back = to;
}

static void move_front(struct pair *pair, enum xenbus_state to)
{
	tap_expect(xenblk_state_front_may_move(pair->front, to), true,
		   "%s: frontend from %d to %d", story, pair->front, to);
	pair->front = to;
}

static void connect_back(struct pair *pair)
{
	/* The work of a skipped state is done all the same. */
	if (pair->back == XenbusStateClosed)
		move_back(pair, XenbusStateInitWait);
	move_back(pair, XenbusStateConnected);
	pair->used = pair->rings;
}

static void disconnect_back(struct pair *pair)
{
	move_back(pair, XenbusStateClosed);
	pair->used = 0;
}

static void step_back(struct pair *pair)
{
	if (pair->back == XenbusStateInitialising) {
		move_back(pair, XenbusStateInitWait);
		return;
	}
	/* A backend opens again only while its "online" node allows it. */
	if (pair->back == XenbusStateClosed && pair->offline)
		return;
	switch (xenblk_state_back_action(pair->back, pair->front)) {
	case XENBLK_ACT_REOPEN:
		move_back(pair, XenbusStateInitWait);
		break;
	case XENBLK_ACT_CONNECT:
		connect_back(pair);
		break;
	case XENBLK_ACT_CLOSE:
		move_back(pair, XenbusStateClosing);
		break;
	case XENBLK_ACT_DISCONNECT:
		disconnect_back(pair);
		break;
	case XENBLK_ACT_NOTHING:
		break;
	default:
		tap_expect(0, 1, "%s: backend in %d, frontend in %d", story,
			   pair->back, pair->front);
	}
}

static void set_up_front(struct pair *pair)
{
	move_front(pair, XenbusStateInitialised);
	pair->rings++;
	tap_expect(pair->rings < MAX_SETUPS, true, "%s: no end", story);
}

static void step_front(struct pair *pair)
{
	if (pair->patient && pair->back == XenbusStateConnected)
		return;
	pair->patient = false;
	switch (xenblk_state_front_action(pair->front, pair->back)) {
	case XENBLK_ACT_SETUP:
		set_up_front(pair);
		break;
	case XENBLK_ACT_CONNECT:
		move_front(pair, XenbusStateConnected);
		break;
	case XENBLK_ACT_CLOSE:
		move_front(pair, XenbusStateClosing);
		break;
	case XENBLK_ACT_DISCONNECT:
		move_front(pair, XenbusStateClosed);
		break;
	case XENBLK_ACT_RESIZE:
	case XENBLK_ACT_NOTHING:
		break;
	default:
		tap_expect(0, 1, "%s: frontend in %d, backend in %d", story,
			   pair->front, pair->back);
	}
}

/* The last user closes the disk: nobody has to tell the frontend. */
static void go_idle(struct pair *pair)
{
	if (pair->front == XenbusStateClosing)
		move_front(pair, XenbusStateClosed);
}

static bool same(const struct pair *a, const struct pair *b)
{
	return a->back == b->back && a->front == b->front &&
	       a->rings == b->rings && a->used == b->used &&
	       a->patient == b->patient && a->offline == b->offline;
}

static bool already_seen(const struct pair *pair)
{
	unsigned int i;

	for (i = 0; i < nr_seen; i++)
		if (same(&seen[i], pair))
			return true;
	seen[nr_seen++] = *pair;
	return false;
}

static void expect_end(const struct pair *pair, enum xenbus_state back,
		       enum xenbus_state front)
{
	tap_expect(pair->back, back, "%s: backend at the end, frontend in %d",
		   story, pair->front);
	/* A frontend that never began has nothing to close. */
	if (!pair->offline || pair->front != XenbusStateInitialising)
		tap_expect(pair->front, front,
			   "%s: frontend at the end, backend in %d", story,
			   pair->back);
	tap_expect(pair->used, back == XenbusStateConnected ? pair->rings : 0,
		   "%s: rings in use", story);
}

/* Tries every order of steps from @pair on; a run ends when no step moves. */
static void run(const struct pair *pair, enum xenbus_state back,
		enum xenbus_state front)
{
	static step_fn * const steps[] = { step_back, step_front, go_idle };
	bool moved = false;
	unsigned int i;

	if (pair->rings >= MAX_SETUPS || already_seen(pair))
		return;
	for (i = 0; i < 3; i++) {
		struct pair next = *pair;

		steps[i](&next);
		if (same(&next, pair))
			continue;
		moved = true;
		run(&next, back, front);
	}
	if (!moved)
		expect_end(pair, back, front);
}

static void detach(struct pair *pair)
{
	pair->back = XenbusStateClosing;
	pair->offline = true;
}

static void migrate(struct pair *pair)
{
	*pair = (struct pair){
		.back = XenbusStateInitialising, .front = XenbusStateInitialising,
	};
}

static void boot_again(struct pair *pair)
{
	pair->front = XenbusStateInitialising;
	pair->patient = true;
}

static void close_front(struct pair *pair)
{
	pair->front = XenbusStateClosed;
}

static void wind_down_front(struct pair *pair)
{
	pair->front = XenbusStateClosing;
}

static void remove_front(struct pair *pair)
{
	pair->front = XenbusStateUnknown;
}

/* The event may come at any moment of a connect. */
static void tell(const char *name, step_fn *event, enum xenbus_state back,
		 enum xenbus_state front)
{
	static struct pair moments[ARRAY_SIZE(seen)];
	const struct pair start = {
		.back = XenbusStateInitialising, .front = XenbusStateInitialising,
	};
	unsigned int i, nr_moments;

	story = name;
	nr_seen = 0;
	run(&start, XenbusStateConnected, XenbusStateConnected);
	nr_moments = nr_seen;
	for (i = 0; i < nr_moments; i++)
		moments[i] = seen[i];
	for (i = 0; event && i < nr_moments; i++) {
		nr_seen = 0;
		event(&moments[i]);
		run(&moments[i], back, front);
	}
	tap_verdict(name);
}

int main(void)
{
	tell("a fresh pair connects", NULL, XenbusStateConnected,
	     XenbusStateConnected);
	tell("a detach ends in Closed", detach, XenbusStateClosed,
	     XenbusStateClosed);
	tell("a migration connects again", migrate, XenbusStateConnected,
	     XenbusStateConnected);
	tell("a frontend that boots again gets a new connection", boot_again,
	     XenbusStateConnected, XenbusStateConnected);
	tell("a frontend that closes is let go", close_front,
	     XenbusStateClosed, XenbusStateClosed);
	tell("a frontend that winds down is let go", wind_down_front,
	     XenbusStateClosed, XenbusStateClosed);
	tell("a frontend that vanishes is let go", remove_front,
	     XenbusStateClosed, XenbusStateUnknown);
	return tap_done();
}
