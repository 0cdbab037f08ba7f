/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writes to xenstore that need a transaction.
 */
#ifndef XENBLK_XSWRITE_H
#define XENBLK_XSWRITE_H

#include <xen/xenbus.h>

int xenblk_xs_transact(int (*write)(struct xenbus_transaction xbt, void *data),
		       void *data);
void xenblk_xs_switch_state(struct xenbus_device *xdev,
			    enum xenbus_state state);

#endif /* XENBLK_XSWRITE_H */
