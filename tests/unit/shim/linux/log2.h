/* SPDX-License-Identifier: GPL-2.0-only */
/* Powers of two. */
#ifndef SHIM_LINUX_LOG2_H
#define SHIM_LINUX_LOG2_H

#include <linux/types.h>

static inline bool is_power_of_2(unsigned long n)
{
	return n && !(n & (n - 1));
}

static inline unsigned int ilog2(unsigned long n)
{
	return 8 * sizeof(n) - 1 - __builtin_clzl(n);
}

static inline unsigned long rounddown_pow_of_two(unsigned long n)
{
	return 1UL << ilog2(n);
}

static inline unsigned long roundup_pow_of_two(unsigned long n)
{
	return n == 1 ? 1 : 1UL << (ilog2(n - 1) + 1);
}

#endif /* SHIM_LINUX_LOG2_H */
