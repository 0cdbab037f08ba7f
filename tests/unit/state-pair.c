// SPDX-License-Identifier: GPL-2.0-only
/*
 * common/state.c: both sides against each other, in every order of steps.
 *
 * Either side acts on whatever its peer shows at that moment, late or early,
 * the backend also on what it showed a moment ago: each run must end where the
 * story says, by legal moves only, and a connection must be between the rings
 * that the frontend set up last.
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
	bool absent;		/* no driver serves the backend's device */
	bool returns;		/* but one will */
	bool disk;		/* the frontend has one, with I/O to lose */
	bool losing;		/* it saw the backend gone, and will act on that */
	bool rebinding;		/* it waits until the backend let go */
	bool acting;		/* the backend looked, and will act on that: */
	enum xenbus_state saw;
	unsigned int saw_rings;
};

typedef void step_fn(struct pair *pair);

static struct pair seen[65536];
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
	pair->used = pair->saw_rings;
}

static void disconnect_back(struct pair *pair)
{
	move_back(pair, XenbusStateClosed);
	pair->used = 0;
}

static void start_back(struct pair *pair)
{
	if (pair->returns) {
		pair->absent = false;
		pair->returns = false;
		pair->back = XenbusStateInitialising;
	}
	if (!pair->absent && pair->back == XenbusStateInitialising)
		move_back(pair, XenbusStateInitWait);
}

/* A backend opens again only while its "online" node allows it. */
static enum xenblk_action back_action(const struct pair *pair,
				      enum xenbus_state front)
{
	if (pair->back == XenbusStateClosed && pair->offline)
		return XENBLK_ACT_NOTHING;
	return xenblk_state_back_action(pair->back, front);
}

static void look_back(struct pair *pair)
{
	if (pair->absent || pair->acting ||
	    back_action(pair, pair->front) == XENBLK_ACT_NOTHING)
		return;
	pair->acting = true;
	pair->saw = pair->front;
	pair->saw_rings = pair->rings;
}

static void forget_look(struct pair *pair)
{
	pair->acting = false;
	pair->saw = XenbusStateUnknown;
	pair->saw_rings = 0;
}

static void act_back(struct pair *pair)
{
	if (!pair->acting)
		return;
	switch (back_action(pair, pair->saw)) {
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
			   pair->back, pair->saw);
	}
	forget_look(pair);
}

static void set_up_front(struct pair *pair)
{
	move_front(pair, XenbusStateInitialised);
	pair->rings++;
	tap_expect(pair->rings < MAX_SETUPS, true, "%s: no end", story);
}

static void connect_front(struct pair *pair)
{
	move_front(pair, XenbusStateConnected);
	pair->disk = true;
}

static void disconnect_front(struct pair *pair)
{
	move_front(pair, XenbusStateClosed);
	pair->disk = false;
}

/* The backend let go by itself: its "online" node says whether for good. */
static void lose_back(struct pair *pair)
{
	if (!pair->disk && pair->front == XenbusStateInitialising)
		return;
	if (!pair->disk || pair->offline)
		disconnect_front(pair);
	else if (pair->front == XenbusStateInitialised ||
		 pair->front == XenbusStateConnected)
		pair->losing = true;
}

static void start_again_front(struct pair *pair)
{
	move_front(pair, XenbusStateClosed);
	pair->losing = false;
	pair->rebinding = true;
}

static bool has_let_go(const struct pair *pair)
{
	return pair->back == XenbusStateUnknown ||
	       pair->back == XenbusStateInitialising ||
	       pair->back == XenbusStateClosed;
}

static void step_front(struct pair *pair)
{
	if (pair->patient && pair->back == XenbusStateConnected)
		return;
	pair->patient = false;
	if (pair->losing) {
		start_again_front(pair);
		return;
	}
	if (pair->rebinding) {
		if (pair->back == XenbusStateClosing && pair->offline) {
			pair->rebinding = false;
			pair->disk = false;
		}
		if (!has_let_go(pair))
			return;
		pair->rebinding = false;
		move_front(pair, XenbusStateInitialising);
		return;
	}
	switch (xenblk_state_front_action(pair->front, pair->back)) {
	case XENBLK_ACT_SETUP:
		set_up_front(pair);
		break;
	case XENBLK_ACT_CONNECT:
		connect_front(pair);
		break;
	case XENBLK_ACT_CLOSE:
		move_front(pair, XenbusStateClosing);
		break;
	case XENBLK_ACT_DISCONNECT:
		disconnect_front(pair);
		break;
	case XENBLK_ACT_LOST:
		lose_back(pair);
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
		disconnect_front(pair);
}

static bool same(const struct pair *a, const struct pair *b)
{
	return a->back == b->back && a->front == b->front &&
	       a->rings == b->rings && a->used == b->used &&
	       a->patient == b->patient && a->offline == b->offline &&
	       a->absent == b->absent && a->returns == b->returns &&
	       a->disk == b->disk && a->losing == b->losing &&
	       a->rebinding == b->rebinding &&
	       a->acting == b->acting && a->saw == b->saw &&
	       a->saw_rings == b->saw_rings;
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
	tap_expect(pair->disk, front == XenbusStateConnected,
		   "%s: disk at the end", story);
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
	static step_fn * const steps[] = {
		start_back, look_back, act_back, step_front, go_idle,
	};
	bool moved = false;
	unsigned int i;

	if (pair->rings >= MAX_SETUPS || already_seen(pair))
		return;
	for (i = 0; i < ARRAY_SIZE(steps); i++) {
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

/* Which takes longer than a backend needs to act. */
static void boot_again(struct pair *pair)
{
	forget_look(pair);
	pair->disk = false;
	pair->front = XenbusStateInitialising;
	pair->patient = true;
}

/* The driver unbinds, and answers all that it took, before it shows Closed. */
static void let_go(struct pair *pair)
{
	forget_look(pair);
	pair->back = XenbusStateClosed;
	pair->used = 0;
	pair->absent = true;
}

/* Without a disk the frontend cannot tell it from a backend that refuses. */
static void reload_back(struct pair *pair)
{
	if (!pair->disk)
		return;
	let_go(pair);
	pair->returns = true;
}

static void detach_absent(struct pair *pair)
{
	let_go(pair);
	pair->back = XenbusStateClosing;
	pair->offline = true;
}

static void detach_lost(struct pair *pair)
{
	detach_absent(pair);
	if (pair->disk)
		start_again_front(pair);
}

static void remove_back(struct pair *pair)
{
	let_go(pair);
	pair->back = XenbusStateUnknown;
	pair->offline = true;
}

static void close_front(struct pair *pair)
{
	pair->front = XenbusStateClosed;
	pair->disk = false;
}

static void wind_down_front(struct pair *pair)
{
	pair->front = XenbusStateClosing;
}

static void remove_front(struct pair *pair)
{
	pair->front = XenbusStateUnknown;
	pair->disk = false;
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
	tell("a backend that is reloaded is connected again", reload_back,
	     XenbusStateConnected, XenbusStateConnected);
	tell("a detach without a driver ends in Closed", detach_absent,
	     XenbusStateClosing, XenbusStateClosed);
	tell("a detach of a disk that waits ends in Closed", detach_lost,
	     XenbusStateClosing, XenbusStateClosed);
	tell("a backend that vanishes is given up", remove_back,
	     XenbusStateUnknown, XenbusStateClosed);
	tell("a frontend that closes is let go", close_front,
	     XenbusStateClosed, XenbusStateClosed);
	tell("a frontend that winds down is let go", wind_down_front,
	     XenbusStateClosed, XenbusStateClosed);
	tell("a frontend that vanishes is let go", remove_front,
	     XenbusStateClosed, XenbusStateUnknown);
	return tap_done();
}
