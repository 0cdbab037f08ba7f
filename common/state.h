/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The xenbus states of both sides: legal moves, and what a peer's move asks
 * for, as tables (pure).
 */
#ifndef XENBLK_STATE_H
#define XENBLK_STATE_H

#include <linux/types.h>
#include <xen/interface/io/xenbus.h>

/**
 * enum xenblk_action - what a side does about the state of its peer
 * @XENBLK_ACT_NOTHING: wait for more
 * @XENBLK_ACT_REOPEN: backend: offer a new connection, go to InitWait
 * @XENBLK_ACT_SETUP: frontend: publish the rings, go to Initialised
 * @XENBLK_ACT_CONNECT: use what the peer published, go to Connected
 * @XENBLK_ACT_RESIZE: frontend: read the capacity again
 * @XENBLK_ACT_CLOSE: wind down; the backend goes on serving while it does
 * @XENBLK_ACT_DISCONNECT: the peer is gone: free what was shared, go to Closed
 * @XENBLK_ACT_LOST: frontend: the backend went without asking: wait for it if
 *	it is to come back, else as @XENBLK_ACT_DISCONNECT
 * @XENBLK_ACT_REFUSE: a state that no disk peer should show; log it
 */
enum xenblk_action {
	XENBLK_ACT_NOTHING,
	XENBLK_ACT_REOPEN,
	XENBLK_ACT_SETUP,
	XENBLK_ACT_CONNECT,
	XENBLK_ACT_RESIZE,
	XENBLK_ACT_CLOSE,
	XENBLK_ACT_DISCONNECT,
	XENBLK_ACT_LOST,
	XENBLK_ACT_REFUSE,
};

bool xenblk_state_back_may_move(enum xenbus_state from, enum xenbus_state to);
bool xenblk_state_front_may_move(enum xenbus_state from, enum xenbus_state to);

enum xenblk_action xenblk_state_back_action(enum xenbus_state own,
					    enum xenbus_state front);
enum xenblk_action xenblk_state_front_action(enum xenbus_state own,
					     enum xenbus_state back);

#endif /* XENBLK_STATE_H */
