/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The only file that knows kernel versions. It is included before everything
 * else; each block names the version that made a difference, and why.
 */
#ifndef XENBLK_COMPAT_H
#define XENBLK_COMPAT_H

#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 1, 0)
#error "kernels before 6.1 are not tested"
#endif
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 2, 0)
#error "kernels from 6.2 on are not tested"
#endif

#endif /* XENBLK_COMPAT_H */
