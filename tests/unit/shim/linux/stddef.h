/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's offsetof() is the standard one. */
#ifndef SHIM_LINUX_STDDEF_H
#define SHIM_LINUX_STDDEF_H

#include <stddef.h>

#endif /* SHIM_LINUX_STDDEF_H */
