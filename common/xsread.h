/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Typed, range-checked reads from xenstore: a peer wrote what is read here.
 */
#ifndef XENBLK_XSREAD_H
#define XENBLK_XSREAD_H

#include <linux/types.h>

int xenblk_xs_read_u64(const char *dir, const char *key, u64 min, u64 max,
		       u64 *value);
int xenblk_xs_read_uint(const char *dir, const char *key, unsigned int min,
			unsigned int max, unsigned int *value);
int xenblk_xs_read_uint_or(const char *dir, const char *key, unsigned int min,
			   unsigned int max, unsigned int absent,
			   unsigned int *value);
char *xenblk_xs_read_string(const char *dir, const char *key);

#endif /* XENBLK_XSREAD_H */
