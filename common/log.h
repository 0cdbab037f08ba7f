/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Log lines that name their device. Whatever a peer can cause uses the
 * rate-limited twin.
 */
#ifndef XENBLK_LOG_H
#define XENBLK_LOG_H

#include <linux/dev_printk.h>
#include <linux/printk.h>

#define xenblk_module_warn(fmt, ...) \
	pr_warn("%s: " fmt "\n", KBUILD_MODNAME, ##__VA_ARGS__)

#define xenblk_info(xdev, fmt, ...) \
	dev_info(&(xdev)->dev, fmt "\n", ##__VA_ARGS__)
#define xenblk_info_ratelimited(xdev, fmt, ...) \
	dev_info_ratelimited(&(xdev)->dev, fmt "\n", ##__VA_ARGS__)
#define xenblk_warn(xdev, fmt, ...) \
	dev_warn(&(xdev)->dev, fmt "\n", ##__VA_ARGS__)
#define xenblk_warn_ratelimited(xdev, fmt, ...) \
	dev_warn_ratelimited(&(xdev)->dev, fmt "\n", ##__VA_ARGS__)

#endif /* XENBLK_LOG_H */
