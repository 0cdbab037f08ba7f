// SPDX-License-Identifier: GPL-2.0-only
/*
 * The xenbus states of both sides, as tables.
 *
 * Watches carry no history: a side may see its peer skip any state, or the
 * same state twice, so a table entry says what the pair of states asks for,
 * never what the last event was.
 */
#include <linux/bits.h>
#include <linux/kernel.h>

#include "state.h"

#define NR_STATES		(XenbusStateReconfigured + 1)

static const u16 back_moves[NR_STATES] = {
	[XenbusStateInitialising] = BIT(XenbusStateInitWait) |
				    BIT(XenbusStateClosed),
	[XenbusStateInitWait]	= BIT(XenbusStateConnected) |
				  BIT(XenbusStateClosing) |
				  BIT(XenbusStateClosed),
	[XenbusStateConnected]	= BIT(XenbusStateClosing) |
				  BIT(XenbusStateClosed),
	[XenbusStateClosing]	= BIT(XenbusStateClosed),
	[XenbusStateClosed]	= BIT(XenbusStateInitWait),
};

static const u16 front_moves[NR_STATES] = {
	[XenbusStateInitialising] = BIT(XenbusStateInitialised) |
				    BIT(XenbusStateClosed),
	[XenbusStateInitialised] = BIT(XenbusStateConnected) |
				   BIT(XenbusStateClosing) |
				   BIT(XenbusStateClosed),
	[XenbusStateConnected]	= BIT(XenbusStateInitialising) |
				  BIT(XenbusStateClosing) |
				  BIT(XenbusStateClosed),
	[XenbusStateClosing]	= BIT(XenbusStateClosed),
	[XenbusStateClosed]	= BIT(XenbusStateInitialising),
};

/* States 7 and 8 belong to PCI passthrough: no disk peer shows them. */
static const u8 back_actions[NR_STATES][NR_STATES] = {
	[XenbusStateInitWait] = {
		[XenbusStateUnknown] = XENBLK_ACT_DISCONNECT,
		[XenbusStateInitialised] = XENBLK_ACT_CONNECT,
		/* A frontend may skip Initialised. */
		[XenbusStateConnected] = XENBLK_ACT_CONNECT,
		[XenbusStateClosing] = XENBLK_ACT_CLOSE,
		[XenbusStateClosed] = XENBLK_ACT_DISCONNECT,
		[XenbusStateReconfiguring] = XENBLK_ACT_REFUSE,
		[XenbusStateReconfigured] = XENBLK_ACT_REFUSE,
	},
	[XenbusStateConnected] = {
		/* Started again without closing: a crash, or kexec. */
		[XenbusStateUnknown] = XENBLK_ACT_DISCONNECT,
		[XenbusStateInitialising] = XENBLK_ACT_DISCONNECT,
		[XenbusStateClosing] = XENBLK_ACT_CLOSE,
		[XenbusStateClosed] = XENBLK_ACT_DISCONNECT,
		[XenbusStateReconfiguring] = XENBLK_ACT_REFUSE,
		[XenbusStateReconfigured] = XENBLK_ACT_REFUSE,
	},
	[XenbusStateClosing] = {
		[XenbusStateUnknown] = XENBLK_ACT_DISCONNECT,
		[XenbusStateInitialising] = XENBLK_ACT_DISCONNECT,
		[XenbusStateClosed] = XENBLK_ACT_DISCONNECT,
		[XenbusStateReconfiguring] = XENBLK_ACT_REFUSE,
		[XenbusStateReconfigured] = XENBLK_ACT_REFUSE,
	},
	[XenbusStateClosed] = {
		[XenbusStateInitialising] = XENBLK_ACT_REOPEN,
		[XenbusStateInitialised] = XENBLK_ACT_CONNECT,
		[XenbusStateConnected] = XENBLK_ACT_CONNECT,
		[XenbusStateReconfiguring] = XENBLK_ACT_REFUSE,
		[XenbusStateReconfigured] = XENBLK_ACT_REFUSE,
	},
};

static const u8 front_actions[NR_STATES][NR_STATES] = {
	[XenbusStateInitialising] = {
		[XenbusStateUnknown] = XENBLK_ACT_LOST,
		[XenbusStateInitWait] = XENBLK_ACT_SETUP,
		[XenbusStateInitialised] = XENBLK_ACT_SETUP,
		/* A backend may be ready before its frontend. */
		[XenbusStateConnected] = XENBLK_ACT_SETUP,
		[XenbusStateClosing] = XENBLK_ACT_DISCONNECT,
		[XenbusStateClosed] = XENBLK_ACT_LOST,
		[XenbusStateReconfiguring] = XENBLK_ACT_REFUSE,
		[XenbusStateReconfigured] = XENBLK_ACT_REFUSE,
	},
	[XenbusStateInitialised] = {
		[XenbusStateUnknown] = XENBLK_ACT_LOST,
		[XenbusStateConnected] = XENBLK_ACT_CONNECT,
		[XenbusStateClosing] = XENBLK_ACT_DISCONNECT,
		[XenbusStateClosed] = XENBLK_ACT_LOST,
		[XenbusStateReconfiguring] = XENBLK_ACT_REFUSE,
		[XenbusStateReconfigured] = XENBLK_ACT_REFUSE,
	},
	/* A backend that starts again takes up the rings, or shows Closed. */
	[XenbusStateConnected] = {
		[XenbusStateUnknown] = XENBLK_ACT_LOST,
		[XenbusStateConnected] = XENBLK_ACT_RESIZE,
		[XenbusStateClosing] = XENBLK_ACT_CLOSE,
		[XenbusStateClosed] = XENBLK_ACT_LOST,
		[XenbusStateReconfiguring] = XENBLK_ACT_REFUSE,
		[XenbusStateReconfigured] = XENBLK_ACT_REFUSE,
	},
	[XenbusStateClosing] = {
		[XenbusStateClosed] = XENBLK_ACT_DISCONNECT,
		[XenbusStateReconfiguring] = XENBLK_ACT_REFUSE,
		[XenbusStateReconfigured] = XENBLK_ACT_REFUSE,
	},
};

static bool may_move(const u16 *moves, enum xenbus_state from,
		     enum xenbus_state to)
{
	return (unsigned int)from < NR_STATES && (unsigned int)to < NR_STATES &&
	       moves[from] & BIT(to);
}

/**
 * xenblk_state_back_may_move() - is this a legal move of a backend?
 * @from: its state
 * @to: the next one
 */
bool xenblk_state_back_may_move(enum xenbus_state from, enum xenbus_state to)
{
	return may_move(back_moves, from, to);
}

/**
 * xenblk_state_front_may_move() - is this a legal move of a frontend?
 * @from: its state
 * @to: the next one
 */
bool xenblk_state_front_may_move(enum xenbus_state from, enum xenbus_state to)
{
	return may_move(front_moves, from, to);
}

static enum xenblk_action look_up(const u8 actions[][NR_STATES],
				  enum xenbus_state own, enum xenbus_state peer)
{
	if ((unsigned int)own >= NR_STATES || (unsigned int)peer >= NR_STATES)
		return XENBLK_ACT_REFUSE;
	return actions[own][peer];
}

/**
 * xenblk_state_back_action() - what a backend does about its frontend
 * @own: the backend's state
 * @front: the frontend's state, as xenstore says
 */
enum xenblk_action xenblk_state_back_action(enum xenbus_state own,
					    enum xenbus_state front)
{
	return look_up(back_actions, own, front);
}

/**
 * xenblk_state_front_action() - what a frontend does about its backend
 * @own: the frontend's state
 * @back: the backend's state, as xenstore says
 */
enum xenblk_action xenblk_state_front_action(enum xenbus_state own,
					     enum xenbus_state back)
{
	return look_up(front_actions, own, back);
}
