// SPDX-License-Identifier: GPL-2.0-only
/*
 * Virtual device numbers to names and minors (xen-vbd-interface(7)).
 *
 * Disks of the IDE and SCSI spaces get xvd names and the minors of the xvd
 * disk with the same index: hdc and sdc are both xvdc.
 */
#include <linux/bits.h>
#include <linux/errno.h>
#include <linux/kernel.h>

#include "vdev.h"

/* Numbers with this bit are an extended disk index and partition. */
#define EXTENDED_BIT		28
#define EXTENDED_SHIFT		8

/* Minors of Linux have 20 bits. */
#define NR_MINORS		BIT(20)

#define XVD_MAJOR		202
#define XVD_SHIFT		4

/* A major of eight bits whose minors are split between disks. */
struct space {
	u8	first_major;
	u8	last_major;
	u8	shift;		/* log2 of the minors of a disk */
	u8	nr_disks;	/* of one major */
	u8	first_disk;	/* index of the first disk of @first_major */
};

static const struct space spaces[] = {
	{ 3, 3, 6, 2, 0 },		/* hda, hdb */
	{ 22, 22, 6, 2, 2 },		/* hdc, hdd */
	{ 8, 8, 4, 16, 0 },		/* sda .. sdp */
	{ 65, 71, 4, 16, 16 },		/* sdq .. sddx */
	{ 128, 135, 4, 16, 128 },	/* sddy .. sdiv */
	{ XVD_MAJOR, XVD_MAJOR, XVD_SHIFT, 16, 0 },
};

static const struct space *find_space(u32 major)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(spaces); i++)
		if (major >= spaces[i].first_major &&
		    major <= spaces[i].last_major)
			return &spaces[i];
	return NULL;
}

static int decode_extended(u32 number, struct blkfront_vdev *vdev)
{
	u32 minor = number & ((1U << EXTENDED_BIT) - 1);

	if (minor >= NR_MINORS)
		return -ERANGE;
	vdev->major = XVD_MAJOR;
	vdev->disk = minor >> EXTENDED_SHIFT;
	vdev->partition = minor & ((1U << EXTENDED_SHIFT) - 1);
	vdev->minor = minor;
	vdev->nr_minors = vdev->partition ? 1 : 1U << EXTENDED_SHIFT;
	return 0;
}

static int decode_classic(u32 number, struct blkfront_vdev *vdev)
{
	u32 major = number >> 8, minor = number & 0xff;
	const struct space *space = find_space(major);

	if (!space)
		return -EINVAL;
	vdev->major = major;
	vdev->disk = minor >> space->shift;
	vdev->partition = minor & ((1U << space->shift) - 1);
	/* An IDE disk has 63 partitions, but only 16 minors as an xvd disk. */
	if (vdev->disk >= space->nr_disks || vdev->partition >> XVD_SHIFT)
		return -ERANGE;
	vdev->disk += space->first_disk +
		      (major - space->first_major) * space->nr_disks;
	vdev->minor = (vdev->disk << XVD_SHIFT) + vdev->partition;
	vdev->nr_minors = vdev->partition ? 1 : 1U << XVD_SHIFT;
	return 0;
}

/**
 * blkfront_vdev_decode() - what a virtual device number stands for
 * @number: as the toolstack wrote it
 * @vdev: set whole on success
 *
 * Return: 0; -EINVAL when no disk space has the number; -ERANGE when the space
 * has no such disk or partition.
 */
int blkfront_vdev_decode(u32 number, struct blkfront_vdev *vdev)
{
	vdev->number = number;
	if (number >> EXTENDED_BIT == 1)
		return decode_extended(number, vdev);
	return decode_classic(number, vdev);
}

/* Like those of sd: a..z, aa..zz, aaa. Return: where the letters begin. */
static char *put_letters(u32 disk, char *end)
{
	*--end = 'a' + disk % 26;
	for (disk /= 26; disk; disk /= 26) {
		disk--;
		*--end = 'a' + disk % 26;
	}
	return end;
}

/**
 * blkfront_vdev_name() - the name of a disk
 * @vdev: the disk
 * @name: set to a terminated string
 *
 * Return: length of the name.
 */
int blkfront_vdev_name(const struct blkfront_vdev *vdev,
		       char name[BLKFRONT_NAME_LEN])
{
	char buf[8] = "";
	const char *letters = put_letters(vdev->disk, buf + sizeof(buf) - 1);

	if (!vdev->partition)
		return snprintf(name, BLKFRONT_NAME_LEN, "xvd%s", letters);
	return snprintf(name, BLKFRONT_NAME_LEN, "xvd%s%u", letters,
			vdev->partition);
}

/**
 * blkfront_vdev_clash() - can two disks not be there together?
 * @a: one
 * @b: the other
 *
 * The same name can have two sets of minors: xvdb of the extended space lies
 * where xvdq of the SCSI space does.
 */
bool blkfront_vdev_clash(const struct blkfront_vdev *a,
			 const struct blkfront_vdev *b)
{
	if (a->disk == b->disk && a->partition == b->partition)
		return true;
	return a->minor < b->minor + b->nr_minors &&
	       b->minor < a->minor + a->nr_minors;
}
