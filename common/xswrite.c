// SPDX-License-Identifier: GPL-2.0-only
/*
 * The transactions of a module, one at a time.
 *
 * xenstored refuses a domain other than dom0 more than some ten at once: a guest
 * or a storage domain whose many disks connect together would be short of them,
 * and xenbus_switch_state(), which takes one too, can't say that it failed.
 */
#include <linux/mutex.h>

#include "xswrite.h"

/* Tries of a transaction that other writers of xenstore keep disturbing. */
#define MAX_TRIES		100

/*
 * Held while a transaction of this module is open. Taken after the lock of any
 * device; nothing is taken under it, and xenbus allocates without I/O.
 */
static DEFINE_MUTEX(transaction_lock);

static int try_once(int (*write)(struct xenbus_transaction xbt, void *data),
		    void *data)
{
	struct xenbus_transaction xbt;
	int err = xenbus_transaction_start(&xbt);

	if (err)
		return err;
	err = write(xbt, data);
	if (!err)
		return xenbus_transaction_end(xbt, 0);
	xenbus_transaction_end(xbt, 1);
	return err;
}

/**
 * xenblk_xs_transact() - write several nodes, all or nothing
 * @write: writes them, and may be called several times
 * @data: its argument
 *
 * Context: may sleep; disks that wait for memory can be waiting for the caller,
 * so that @write must allocate without I/O.
 * Return: 0, the error of @write, or one of xenstored.
 */
int xenblk_xs_transact(int (*write)(struct xenbus_transaction xbt, void *data),
		       void *data)
{
	unsigned int try;
	int err = -EAGAIN;

	mutex_lock(&transaction_lock);
	for (try = 0; try < MAX_TRIES && err == -EAGAIN; try++)
		err = try_once(write, data);
	mutex_unlock(&transaction_lock);
	return err;
}

/**
 * xenblk_xs_switch_state() - tell the peer of another state
 * @xdev: the device
 * @state: its new state
 *
 * Context: may sleep.
 */
void xenblk_xs_switch_state(struct xenbus_device *xdev,
			    enum xenbus_state state)
{
	mutex_lock(&transaction_lock);
	xenbus_switch_state(xdev, state);
	mutex_unlock(&transaction_lock);
}
