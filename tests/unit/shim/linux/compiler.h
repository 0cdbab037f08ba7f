/* SPDX-License-Identifier: GPL-2.0-only */
/* Accesses to shared memory; a test may take them over. */
#ifndef SHIM_LINUX_COMPILER_H
#define SHIM_LINUX_COMPILER_H

#include <linux/types.h>

#ifdef SHIM_TRACED
u32 shim_load(const u32 *from);
void shim_store(u32 *to, u32 value);

#define READ_ONCE(x)		shim_load(&(x))
#define WRITE_ONCE(x, value)	shim_store(&(x), (value))
#else
#define READ_ONCE(x)		(*(const volatile typeof(x) *)&(x))
#define WRITE_ONCE(x, value)	(*(volatile typeof(x) *)&(x) = (value))
#endif

/* What runs here runs in one thread: order is the program's. */
#define smp_load_acquire(from)		READ_ONCE(*(from))
#define smp_store_release(to, value)	WRITE_ONCE(*(to), (value))

#define __printf(text, first) \
	__attribute__((format(printf, text, first)))
#define fallthrough	__attribute__((fallthrough))
#define likely(x)	__builtin_expect(!!(x), 1)
#define unlikely(x)	__builtin_expect(!!(x), 0)

#endif /* SHIM_LINUX_COMPILER_H */
