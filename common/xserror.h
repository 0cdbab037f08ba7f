/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The error node of a device: what went wrong, for the toolstack.
 */
#ifndef XENBLK_XSERROR_H
#define XENBLK_XSERROR_H

#include <xen/xenbus.h>

__printf(3, 4)
void xenblk_xs_error(struct xenbus_device *xdev, int err, const char *fmt, ...);

#endif /* XENBLK_XSERROR_H */
