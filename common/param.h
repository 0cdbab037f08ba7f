/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Module parameters that are checked when they are written.
 */
#ifndef XENBLK_PARAM_H
#define XENBLK_PARAM_H

#include <linux/moduleparam.h>

/**
 * XENBLK_DEFINE_PARAM() - an unsigned parameter with limits
 * @name: of the parameter
 * @variable: that holds it
 * @least: smallest value that is accepted
 * @most: greatest one
 *
 * Anything else is refused with -EINVAL, at load and in sysfs. A device takes
 * its value once, at connect.
 */
#define XENBLK_DEFINE_PARAM(name, variable, least, most)		\
static int set_##name(const char *val, const struct kernel_param *kp)	\
{									\
	return param_set_uint_minmax(val, kp, least, most);		\
}									\
									\
static const struct kernel_param_ops name##_ops = {			\
	.set = set_##name,						\
	.get = param_get_uint,						\
};									\
									\
module_param_cb(name, &name##_ops, &(variable), 0644)

#endif /* XENBLK_PARAM_H */
