/* SPDX-License-Identifier: GPL-2.0-only */
/* What is left of the kernel's oldest header. */
#ifndef SHIM_LINUX_KERNEL_H
#define SHIM_LINUX_KERNEL_H

#include <stdio.h>

#include <linux/build_bug.h>
#include <linux/math.h>
#include <linux/minmax.h>
#include <linux/types.h>

#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))

#endif /* SHIM_LINUX_KERNEL_H */
