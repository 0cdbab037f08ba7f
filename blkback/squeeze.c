// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory is short: rings give back the pages that they keep to map at, and keep
 * none for a while.
 */
#include <linux/jiffies.h>

#include "blkback.h"

/**
 * blkback_squeeze() - have the rings of a device give back what they can
 * @xdev: its xenbus device, bound
 *
 * Context: a shrinker: whoever has the lock may be waiting for memory.
 */
void blkback_squeeze(struct xenbus_device *xdev)
{
	struct blkback_device *device = dev_get_drvdata(&xdev->dev);

	if (!device || !mutex_trylock(&device->lock))
		return;
	/* Pairs with blkback_squeeze_is_on(). */
	WRITE_ONCE(device->squeezed_until,
		   jiffies + msecs_to_jiffies(READ_ONCE(blkback_squeeze_ms)));
	/* Each thread trims before it sleeps again. */
	if (device->rings && !device->tearing_down)
		blkback_rings_wake(device->rings, device->nr_rings);
	mutex_unlock(&device->lock);
}

/**
 * blkback_squeeze_is_on() - is memory short?
 * @ring: that asks before it sleeps
 *
 * A thread may come to ask only when the time is over: it gives back once all
 * the same.
 *
 * Context: the thread of @ring.
 */
bool blkback_squeeze_is_on(struct blkback_ring *ring)
{
	/* Pairs with blkback_squeeze(). */
	unsigned long until = READ_ONCE(ring->device->squeezed_until);
	bool is_new = ring->squeeze_seen != until;

	ring->squeeze_seen = until;
	return is_new || time_before(jiffies, until);
}
