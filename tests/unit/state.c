// SPDX-License-Identifier: GPL-2.0-only
/*
 * common/state.c: every pair of states, against tables that are written from
 * xenstore-proto.md and not from the code, and every value that is no state.
 */
#include <limits.h>
#include <string.h>

#include <linux/kernel.h>

#include "state.h"
#include "tap.h"

#define NR_STATES	9

/*
 * Rows: own state. Columns: the peer's, Unknown (0) to Reconfigured (8).
 * . nothing, O reopen, S set up, C connect, R resize, L close, D disconnect,
 * W lost: wait or disconnect, X refuse.
 */
static const char action_letters[] = ".OSCRLDWX";

static const char *const back_table[NR_STATES] = {
	/*                       012345678 */
	/* Unknown */		".........",
	/* Initialising */	".........",
	/* InitWait */		"D..CCLDXX",
	/* Initialised */	".........",
	/* Connected */		"DD...LDXX",
	/* Closing */		"DD....DXX",
	/* Closed */		".O.CC..XX",
	/* Reconfiguring */	".........",
	/* Reconfigured */	".........",
};

static const char *const front_table[NR_STATES] = {
	/*                       012345678 */
	/* Unknown */		".........",
	/* Initialising */	"W.SSSDWXX",
	/* InitWait */		".........",
	/* Initialised */	"W...CDWXX",
	/* Connected */		"W...RLWXX",
	/* Closing */		"......DXX",
	/* Closed */		".........",
	/* Reconfiguring */	".........",
	/* Reconfigured */	".........",
};

/* Rows: from. Columns: to, as above; m a legal move. */
static const char *const back_moves[NR_STATES] = {
	/*                       012345678 */
	/* Unknown */		".........",
	/* Initialising */	"..m...m..",
	/* InitWait */		"....mmm..",
	/* Initialised */	".........",
	/* Connected */		".....mm..",
	/* Closing */		"......m..",
	/* Closed */		"..m......",
	/* Reconfiguring */	".........",
	/* Reconfigured */	".........",
};

static const char *const front_moves[NR_STATES] = {
	/*                       012345678 */
	/* Unknown */		".........",
	/* Initialising */	"...m..m..",
	/* InitWait */		".........",
	/* Initialised */	"....mmm..",
	/* Connected */		".m...mm..",
	/* Closing */		"......m..",
	/* Closed */		".m.......",
	/* Reconfiguring */	".........",
	/* Reconfigured */	".........",
};

typedef enum xenblk_action action_fn(enum xenbus_state, enum xenbus_state);
typedef bool move_fn(enum xenbus_state, enum xenbus_state);

static enum xenblk_action action_of(char letter)
{
	return strchr(action_letters, letter) - action_letters;
}

static void check_actions(const char *name, action_fn *action,
			  const char *const *table)
{
	int own, peer;

	for (own = 0; own < NR_STATES; own++)
		for (peer = 0; peer < NR_STATES; peer++)
			tap_expect(action(own, peer),
				   action_of(table[own][peer]),
				   "%s in state %d, peer in %d", name, own,
				   peer);
	tap_verdict(name);
}

static void check_moves(const char *name, move_fn *may_move,
			const char *const *table)
{
	int from, to;

	for (from = 0; from < NR_STATES; from++)
		for (to = 0; to < NR_STATES; to++)
			tap_expect(may_move(from, to), table[from][to] == 'm',
				   "%s from %d to %d", name, from, to);
	tap_verdict(name);
}

static const int garbage[] = {
	-1, -2, INT_MIN, INT_MIN + 1, INT_MAX, 9, 10, 15, 16, 31, 32, 33, 63,
	64, 65, 255, 256, 65535, 65536, 1 << 30,
};

static void check_garbage(const char *name, action_fn *action,
			  move_fn *may_move)
{
	size_t i, j;
	int state;

	for (i = 0; i < ARRAY_SIZE(garbage); i++) {
		for (state = 0; state < NR_STATES; state++) {
			tap_expect(action(state, garbage[i]),
				   XENBLK_ACT_REFUSE, "peer in %d", garbage[i]);
			tap_expect(action(garbage[i], state),
				   XENBLK_ACT_REFUSE, "own is %d", garbage[i]);
			tap_expect(may_move(state, garbage[i]), false,
				   "to %d", garbage[i]);
			tap_expect(may_move(garbage[i], state), false,
				   "from %d", garbage[i]);
		}
		for (j = 0; j < ARRAY_SIZE(garbage); j++) {
			tap_expect(action(garbage[i], garbage[j]),
				   XENBLK_ACT_REFUSE, "both garbage");
			tap_expect(may_move(garbage[i], garbage[j]), false,
				   "both garbage");
		}
	}
	tap_verdict(name);
}

int main(void)
{
	check_actions("actions of the backend", xenblk_state_back_action,
		      back_table);
	check_actions("actions of the frontend", xenblk_state_front_action,
		      front_table);
	check_moves("moves of the backend", xenblk_state_back_may_move,
		    back_moves);
	check_moves("moves of the frontend", xenblk_state_front_may_move,
		    front_moves);
	check_garbage("backend: no value beyond the table is trusted",
		      xenblk_state_back_action, xenblk_state_back_may_move);
	check_garbage("frontend: no value beyond the table is trusted",
		      xenblk_state_front_action, xenblk_state_front_may_move);
	return tap_done();
}
