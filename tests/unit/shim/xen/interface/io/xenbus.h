/* SPDX-License-Identifier: GPL-2.0-only */
/* The xenbus states, from Xen itself. */
#ifndef SHIM_XEN_INTERFACE_IO_XENBUS_H
#define SHIM_XEN_INTERFACE_IO_XENBUS_H

#include <xen/io/xenbus.h>

#endif /* SHIM_XEN_INTERFACE_IO_XENBUS_H */
