/* SPDX-License-Identifier: GPL-2.0-only */
/* Bit masks. */
#ifndef SHIM_LINUX_BITS_H
#define SHIM_LINUX_BITS_H

#define BIT(nr)		(1UL << (nr))
#define GENMASK(h, l)	((~0UL << (l)) & (~0UL >> (8 * sizeof(long) - 1 - (h))))

#endif /* SHIM_LINUX_BITS_H */
