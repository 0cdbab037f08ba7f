/* SPDX-License-Identifier: GPL-2.0-only */
/* Bounds; as in the kernel, both sides have one type. */
#ifndef SHIM_LINUX_MINMAX_H
#define SHIM_LINUX_MINMAX_H

#define shim_same_type(a, b) \
	_Static_assert(__builtin_types_compatible_p(typeof((a) + 0), \
						    typeof((b) + 0)), \
		       "min() and max() compare one type")

#define shim_choose(a, b, op) ({			\
	shim_same_type(a, b);				\
	typeof((a) + 0) shim_a = (a);			\
	typeof((b) + 0) shim_b = (b);			\
	shim_a op shim_b ? shim_a : shim_b; })

#define min(a, b)		shim_choose(a, b, <)
#define max(a, b)		shim_choose(a, b, >)
#define min_t(type, a, b)	min((type)(a), (type)(b))
#define max_t(type, a, b)	max((type)(a), (type)(b))
#define clamp(value, lo, hi)	min(max(value, lo), hi)
#define clamp_t(type, value, lo, hi) \
	clamp((type)(value), (type)(lo), (type)(hi))

#endif /* SHIM_LINUX_MINMAX_H */
