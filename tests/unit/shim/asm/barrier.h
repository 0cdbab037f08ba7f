/* SPDX-License-Identifier: GPL-2.0-only */
/* Barriers between two machines; a test may take them over. */
#ifndef SHIM_ASM_BARRIER_H
#define SHIM_ASM_BARRIER_H

#ifdef SHIM_TRACED
enum shim_barrier { SHIM_MB, SHIM_RMB, SHIM_WMB };

void shim_barrier(enum shim_barrier barrier);

#define virt_mb()	shim_barrier(SHIM_MB)
#define virt_rmb()	shim_barrier(SHIM_RMB)
#define virt_wmb()	shim_barrier(SHIM_WMB)
#else
#define virt_mb()	__atomic_thread_fence(__ATOMIC_SEQ_CST)
#define virt_rmb()	__atomic_thread_fence(__ATOMIC_ACQUIRE)
#define virt_wmb()	__atomic_thread_fence(__ATOMIC_RELEASE)
#endif

#endif /* SHIM_ASM_BARRIER_H */
