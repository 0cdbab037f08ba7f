// SPDX-License-Identifier: GPL-2.0-only
/*
 * blkfront/vdev.c: every number of the classic spaces and all disks of the
 * extended one, against xen-vbd-interface(7).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <linux/kernel.h>

#include "tap.h"
#include "vdev.h"

#define EXTENDED(disk, partition)	(1U << 28 | (disk) << 8 | (partition))
#define CLASSIC(major, minor)		((major) << 8 | (minor))

static const struct {
	u32 number;
	int err;
	const char *name;
	u32 minor, nr_minors;
} cases[] = {
	{ 51712, 0, "xvda", 0, 16 },
	{ 51713, 0, "xvda1", 1, 1 },
	{ 51727, 0, "xvda15", 15, 1 },
	{ 51728, 0, "xvdb", 16, 16 },
	{ CLASSIC(202, 240), 0, "xvdp", 240, 16 },
	{ CLASSIC(202, 255), 0, "xvdp15", 255, 1 },
	{ EXTENDED(0, 0), 0, "xvda", 0, 256 },
	{ EXTENDED(0, 1), 0, "xvda1", 1, 1 },
	{ EXTENDED(16, 0), 0, "xvdq", 4096, 256 },
	{ EXTENDED(25, 255), 0, "xvdz255", 6655, 1 },
	{ EXTENDED(26, 0), 0, "xvdaa", 6656, 256 },
	{ EXTENDED(701, 0), 0, "xvdzz", 179456, 256 },
	{ EXTENDED(702, 0), 0, "xvdaaa", 179712, 256 },
	{ EXTENDED(4095, 255), 0, "xvdfan255", 1048575, 1 },
	{ EXTENDED(4096, 0), -ERANGE, NULL, 0, 0 },
	{ EXTENDED(0xfffff, 0), -ERANGE, NULL, 0, 0 },
	{ 768, 0, "xvda", 0, 16 },
	{ 769, 0, "xvda1", 1, 1 },
	{ 832, 0, "xvdb", 16, 16 },
	{ CLASSIC(22, 0), 0, "xvdc", 32, 16 },
	{ CLASSIC(22, 64), 0, "xvdd", 48, 16 },
	{ CLASSIC(3, 128), -ERANGE, NULL, 0, 0 },
	{ CLASSIC(3, 16), -ERANGE, NULL, 0, 0 },
	{ CLASSIC(3, 63), -ERANGE, NULL, 0, 0 },
	{ 2048, 0, "xvda", 0, 16 },
	{ 2064, 0, "xvdb", 16, 16 },
	{ CLASSIC(8, 255), 0, "xvdp15", 255, 1 },
	{ CLASSIC(65, 0), 0, "xvdq", 256, 16 },
	{ CLASSIC(71, 240), 0, "xvddx", 2032, 16 },
	{ CLASSIC(128, 0), 0, "xvddy", 2048, 16 },
	{ CLASSIC(135, 240), 0, "xvdiv", 4080, 16 },
	{ 0, -EINVAL, NULL, 0, 0 },
	{ CLASSIC(9, 0), -EINVAL, NULL, 0, 0 },
	{ CLASSIC(64, 0), -EINVAL, NULL, 0, 0 },
	{ CLASSIC(72, 0), -EINVAL, NULL, 0, 0 },
	{ CLASSIC(136, 0), -EINVAL, NULL, 0, 0 },
	{ CLASSIC(201, 0), -EINVAL, NULL, 0, 0 },
	{ CLASSIC(203, 0), -EINVAL, NULL, 0, 0 },
	{ CLASSIC(256 + 8, 0), -EINVAL, NULL, 0, 0 },
	{ 1U << 27, -EINVAL, NULL, 0, 0 },
	{ 1U << 29, -EINVAL, NULL, 0, 0 },
	{ 3U << 28, -EINVAL, NULL, 0, 0 },
	{ 0xffffffff, -EINVAL, NULL, 0, 0 },
};

static void expect_name(const struct blkfront_vdev *vdev, const char *want)
{
	/* Exactly as long as it must be: ASan sees its end. */
	char *name = malloc(BLKFRONT_NAME_LEN);
	int len = blkfront_vdev_name(vdev, name);

	tap_expect(strcmp(name, want), 0, "\"%s\" is \"%s\"", want, name);
	tap_expect(len, strlen(want), "length of \"%s\"", want);
	free(name);
}

static void check_table(void)
{
	struct blkfront_vdev vdev;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		int err = blkfront_vdev_decode(cases[i].number, &vdev);

		tap_expect(err, cases[i].err, "number %#x", cases[i].number);
		if (err || cases[i].err)
			continue;
		tap_expect(vdev.number, cases[i].number, "number kept");
		tap_expect(vdev.minor, cases[i].minor, "minor of %s",
			   cases[i].name);
		tap_expect(vdev.nr_minors, cases[i].nr_minors, "minors of %s",
			   cases[i].name);
		expect_name(&vdev, cases[i].name);
	}
	tap_verdict("numbers, names and minors");
}

/* Counts as one does by hand: a, b, .. z, aa, ab. */
static void next_letters(char *letters)
{
	size_t at = strlen(letters);

	while (at-- > 0) {
		if (letters[at]++ != 'z')
			return;
		letters[at] = 'a';
	}
	memmove(letters + 1, letters, strlen(letters) + 1);
	letters[0] = 'a';
}

static void check_all_names(void)
{
	struct blkfront_vdev vdev;
	char letters[8] = "a";
	char want[32];
	u32 disk;

	for (disk = 0; disk < 4096; disk++, next_letters(letters)) {
		tap_expect(blkfront_vdev_decode(EXTENDED(disk, 0), &vdev), 0,
			   "disk %u", disk);
		snprintf(want, sizeof(want), "xvd%s", letters);
		expect_name(&vdev, want);
		blkfront_vdev_decode(EXTENDED(disk, 255), &vdev);
		snprintf(want, sizeof(want), "xvd%s255", letters);
		expect_name(&vdev, want);
	}
	tap_verdict("names of all extended disks");
}

static void check_any_number(void)
{
	struct blkfront_vdev vdev;
	u64 number;
	int err;

	/* All classic numbers, then some of everything. */
	for (number = 0; number <= 0xffffffff;
	     number += number < 65536 ? 1 : 4093) {
		memset(&vdev, 0xaa, sizeof(vdev));
		err = blkfront_vdev_decode(number, &vdev);
		if (err) {
			tap_expect(err == -EINVAL || err == -ERANGE, true,
				   "error of %#llx", (unsigned long long)number);
			continue;
		}
		tap_expect(vdev.minor + vdev.nr_minors <= 1U << 20, true,
			   "minors of %#llx", (unsigned long long)number);
		tap_expect(vdev.disk < 4096 && vdev.partition < 256, true,
			   "disk of %#llx", (unsigned long long)number);
		tap_expect(vdev.nr_minors == 1, vdev.partition > 0,
			   "partition of %#llx", (unsigned long long)number);
	}
	tap_verdict("any number: refused, or within 20 bits of minors");
}

static bool overlap(const struct blkfront_vdev *a,
		    const struct blkfront_vdev *b)
{
	u32 minor;

	for (minor = a->minor; minor < a->minor + a->nr_minors; minor++)
		if (minor >= b->minor && minor < b->minor + b->nr_minors)
			return true;
	return false;
}

static void check_clashes(void)
{
	struct blkfront_vdev a, b;
	char name_a[BLKFRONT_NAME_LEN], name_b[BLKFRONT_NAME_LEN];
	unsigned int i, j;

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		for (j = 0; j < ARRAY_SIZE(cases); j++) {
			if (cases[i].err || cases[j].err)
				continue;
			blkfront_vdev_decode(cases[i].number, &a);
			blkfront_vdev_decode(cases[j].number, &b);
			blkfront_vdev_name(&a, name_a);
			blkfront_vdev_name(&b, name_b);
			tap_expect(blkfront_vdev_clash(&a, &b),
				   !strcmp(name_a, name_b) || overlap(&a, &b),
				   "%s and %s", name_a, name_b);
		}
	tap_verdict("disks clash by name or by minors, and only then");
}

int main(void)
{
	check_table();
	check_all_names();
	check_any_number();
	check_clashes();
	return tap_done();
}
