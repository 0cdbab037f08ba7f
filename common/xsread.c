// SPDX-License-Identifier: GPL-2.0-only
/*
 * Typed, range-checked reads from xenstore.
 *
 * Nothing is logged here: this file is part of both modules, and only the
 * caller knows whom to name.
 */
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/slab.h>
#include <xen/xenbus.h>

#include "xsread.h"

/**
 * xenblk_xs_read_string() - read a node
 * @dir: its directory
 * @key: its name in there
 *
 * Context: may sleep.
 * Return: the value, to be freed with kfree(); NULL when the node is absent
 * or empty; or an error pointer when xenstore failed.
 */
char *xenblk_xs_read_string(const char *dir, const char *key)
{
	char *value = xenbus_read(XBT_NIL, dir, key, NULL);

	if (!XENBUS_IS_ERR_READ(value))
		return value;
	return XENBUS_EXIST_ERR(PTR_ERR(value)) ? NULL : value;
}

/**
 * xenblk_xs_read_u64() - read a decimal number
 * @dir: directory of the node
 * @key: its name in there
 * @min: least value that is accepted
 * @max: greatest one
 * @value: set only on success
 *
 * Context: may sleep.
 * Return: 0; -ENOENT when the node is absent or empty; -EINVAL when it holds
 * no number; -ERANGE when it is out of range; or an error of xenstore.
 */
int xenblk_xs_read_u64(const char *dir, const char *key, u64 min, u64 max,
		       u64 *value)
{
	char *text = xenblk_xs_read_string(dir, key);
	u64 number;
	int err;

	if (IS_ERR(text))
		return PTR_ERR(text);
	if (!text)
		return -ENOENT;
	err = kstrtou64(text, 10, &number);
	kfree(text);
	if (err)
		return err;
	if (number < min || number > max)
		return -ERANGE;
	*value = number;
	return 0;
}

/**
 * xenblk_xs_read_uint() - read a decimal number that fits an unsigned int
 * @dir: directory of the node
 * @key: its name in there
 * @min: least value that is accepted
 * @max: greatest one
 * @value: set only on success
 *
 * Context: may sleep.
 * Return: as xenblk_xs_read_u64().
 */
int xenblk_xs_read_uint(const char *dir, const char *key, unsigned int min,
			unsigned int max, unsigned int *value)
{
	u64 number;
	int err = xenblk_xs_read_u64(dir, key, min, max, &number);

	if (!err)
		*value = number;
	return err;
}

/**
 * xenblk_xs_read_uint_or() - read an optional decimal number
 * @dir: directory of the node
 * @key: its name in there
 * @min: least value that is accepted
 * @max: greatest one
 * @absent: what an absent node stands for; need not be in range
 * @value: set only on success
 *
 * Context: may sleep.
 * Return: as xenblk_xs_read_u64(), but 0 for an absent node.
 */
int xenblk_xs_read_uint_or(const char *dir, const char *key, unsigned int min,
			   unsigned int max, unsigned int absent,
			   unsigned int *value)
{
	int err = xenblk_xs_read_uint(dir, key, min, max, value);

	if (err != -ENOENT)
		return err;
	*value = absent;
	return 0;
}
