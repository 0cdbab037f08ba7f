/* SPDX-License-Identifier: GPL-2.0-only */
/* Assertions at compile time. */
#ifndef SHIM_LINUX_BUILD_BUG_H
#define SHIM_LINUX_BUILD_BUG_H

#define static_assert(expr, ...)	_Static_assert(expr, #expr)
#define BUILD_BUG_ON(condition)		_Static_assert(!(condition), #condition)

#endif /* SHIM_LINUX_BUILD_BUG_H */
