// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reports a fault in the log and in the error node of a device.
 */
#include <linux/slab.h>

#include "keys.h"
#include "log.h"
#include "xserror.h"

static void write_node(struct xenbus_device *xdev, int err, const char *message)
{
	char *dir = kasprintf(GFP_KERNEL, XENBLK_KEY_ERROR "/%s", xdev->nodename);

	if (!dir)
		return;
	/* Nobody waits for it: a failure has been logged as good as it can be. */
	xenbus_printf(XBT_NIL, dir, XENBLK_KEY_ERROR, "%d %s", -err, message);
	kfree(dir);
}

/**
 * xenblk_xs_error() - say what is wrong with a device
 * @xdev: the device
 * @err: a negative error number
 * @fmt: a plain message, without end of line
 *
 * As xenbus_dev_error(), which has no limit: a peer that repeats its mistake
 * must not fill the log. The node always holds the last message; its form,
 * "NUMBER TEXT" in error/PATH/error, is the one that toolstacks read.
 *
 * Context: may sleep.
 */
void xenblk_xs_error(struct xenbus_device *xdev, int err, const char *fmt, ...)
{
	va_list args;
	char *message;

	va_start(args, fmt);
	message = kvasprintf(GFP_KERNEL, fmt, args);
	va_end(args);
	if (!message)
		return;
	xenblk_warn_ratelimited(xdev, "%s (%d)", message, err);
	write_node(xdev, err, message);
	kfree(message);
}
