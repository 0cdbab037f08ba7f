// SPDX-License-Identifier: GPL-2.0-only
/* The backend module. */
#include <linux/module.h>
MODULE_LICENSE("GPL");
