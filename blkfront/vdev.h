/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Virtual device numbers: which name and minors a disk gets (pure).
 */
#ifndef BLKFRONT_VDEV_H
#define BLKFRONT_VDEV_H

#include <linux/types.h>

/* Room for the longest name, "xvdfan255", and for any that grows from it. */
#define BLKFRONT_NAME_LEN	16

/**
 * struct blkfront_vdev - what a virtual device number stands for
 * @number: as the toolstack wrote it
 * @major: the device space that the number belongs to; 202 for xvd
 * @disk: index of the disk, 0 is xvda whatever the space
 * @partition: 0 for a whole disk, else the disk is named like a partition
 * @minor: first minor, of major 202 whatever the space
 * @nr_minors: minors of the disk; partitions beyond them use major 259
 */
struct blkfront_vdev {
	u32	number;
	u32	major;
	u32	disk;
	u32	partition;
	u32	minor;
	u32	nr_minors;
};

int blkfront_vdev_decode(u32 number, struct blkfront_vdev *vdev);
int blkfront_vdev_name(const struct blkfront_vdev *vdev,
		       char name[BLKFRONT_NAME_LEN]);
bool blkfront_vdev_clash(const struct blkfront_vdev *a,
			 const struct blkfront_vdev *b);

#endif /* BLKFRONT_VDEV_H */
