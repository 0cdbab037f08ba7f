// SPDX-License-Identifier: GPL-2.0-only
/*
 * What an administrator and xentop can read in the device's sysfs folder.
 */
#include <linux/device.h>
#include <linux/kdev_t.h>
#include <linux/blkdev.h>

#include "blkback.h"

/* A ring is logged no more often than this, in jiffies. */
#define LOG_INTERVAL	(10 * HZ)

static void add(struct blkback_counters *sum, const struct blkback_counters *c)
{
	sum->reads += READ_ONCE(c->reads);
	sum->writes += READ_ONCE(c->writes);
	sum->flushes += READ_ONCE(c->flushes);
	sum->discards += READ_ONCE(c->discards);
	sum->sectors_read += READ_ONCE(c->sectors_read);
	sum->sectors_written += READ_ONCE(c->sectors_written);
	sum->refused += READ_ONCE(c->refused);
	sum->stalls += READ_ONCE(c->stalls);
	sum->halts += READ_ONCE(c->halts);
}

static void add_rings(struct blkback_counters *sum,
		      const struct blkback_device *device)
{
	unsigned int i;

	lockdep_assert_held(&device->lock);
	for (i = 0; device->rings && i < device->nr_rings; i++)
		add(sum, &device->rings[i]->counters);
}

/**
 * blkback_stats_retire() - keep what rings counted that are about to go
 * @device: its rings are stopped, and still there
 *
 * Context: under the device's lock.
 */
void blkback_stats_retire(struct blkback_device *device)
{
	add_rings(&device->retired, device);
}

/*
 * Attributes are removed before the device goes, and the lock keeps the rings
 * while they are read (XSA-528). The folder is that of the xenbus device, so
 * its driver data is ours for as long as an attribute exists.
 */
static struct blkback_counters sum_up(struct device *dev)
{
	struct blkback_device *device = dev_get_drvdata(dev);
	struct blkback_counters sum = {};

	mutex_lock(&device->lock);
	add(&sum, &device->retired);
	add_rings(&sum, device);
	mutex_unlock(&device->lock);
	return sum;
}

/*
 * The first seven names are those of the driver that this one replaces: xentop
 * reads them.
 */
#define DEFINE_STATISTIC(name, field)					\
static ssize_t name##_show(struct device *dev,				\
			   struct device_attribute *attr, char *buf)	\
{									\
	return sysfs_emit(buf, "%llu\n", sum_up(dev).field);		\
}									\
static DEVICE_ATTR_RO(name)

DEFINE_STATISTIC(rd_req, reads);
DEFINE_STATISTIC(wr_req, writes);
DEFINE_STATISTIC(f_req, flushes);
DEFINE_STATISTIC(ds_req, discards);
DEFINE_STATISTIC(rd_sect, sectors_read);
DEFINE_STATISTIC(wr_sect, sectors_written);
DEFINE_STATISTIC(oo_req, stalls);
DEFINE_STATISTIC(bad_req, refused);
DEFINE_STATISTIC(halted_rings, halts);

static struct attribute *statistics_attrs[] = {
	&dev_attr_rd_req.attr,
	&dev_attr_wr_req.attr,
	&dev_attr_f_req.attr,
	&dev_attr_ds_req.attr,
	&dev_attr_rd_sect.attr,
	&dev_attr_wr_sect.attr,
	&dev_attr_oo_req.attr,
	&dev_attr_bad_req.attr,
	&dev_attr_halted_rings.attr,
	NULL
};

static const struct attribute_group statistics_group = {
	.name = "statistics",
	.attrs = statistics_attrs,
};

static ssize_t mode_show(struct device *dev, struct device_attribute *attr,
			 char *buf)
{
	struct blkback_device *device = dev_get_drvdata(dev);
	bool readonly;

	mutex_lock(&device->lock);
	readonly = device->bounds.readonly;
	mutex_unlock(&device->lock);
	return sysfs_emit(buf, "%s\n", readonly ? "r" : "w");
}
static DEVICE_ATTR_RO(mode);

static ssize_t physical_device_show(struct device *dev,
				    struct device_attribute *attr, char *buf)
{
	struct blkback_device *device = dev_get_drvdata(dev);
	dev_t number = 0;

	mutex_lock(&device->lock);
	if (device->bdev)
		number = device->bdev->bd_dev;
	mutex_unlock(&device->lock);
	return sysfs_emit(buf, "%x:%x\n", MAJOR(number), MINOR(number));
}
static DEVICE_ATTR_RO(physical_device);

static struct attribute *device_attrs[] = {
	&dev_attr_mode.attr,
	&dev_attr_physical_device.attr,
	&blkback_ring_cpus_attr.attr,
	NULL
};

static const struct attribute_group device_group = {
	.attrs = device_attrs,
};

/**
 * blkback_stats_log() - log what a ring has done, if that is wanted and due
 * @ring: the ring
 *
 * Context: the thread of @ring.
 */
void blkback_stats_log(struct blkback_ring *ring)
{
	const struct blkback_counters *c = &ring->counters;

	if (!READ_ONCE(blkback_log_stats) ||
	    time_before(jiffies, ring->log_after))
		return;
	ring->log_after = jiffies + LOG_INTERVAL;
	xenblk_info(ring->device->xdev,
		    "%s: %llu reads, %llu writes, %llu flushes, %llu discards, %llu refused, %llu stalls, %u pages idle, %u kept mapped",
		    ring->name, c->reads, c->writes, c->flushes, c->discards,
		    c->refused, c->stalls, ring->nr_idle, ring->store.nr_kept);
}

/**
 * blkback_stats_create() - add the attributes
 * @device: is the driver data of its xenbus device
 *
 * Context: xenbus; may sleep.
 * Return: 0 or an error.
 */
int blkback_stats_create(struct blkback_device *device)
{
	struct device *dev = &device->xdev->dev;
	int err = device_add_group(dev, &device_group);

	if (err)
		return err;
	err = device_add_group(dev, &statistics_group);
	if (err)
		device_remove_group(dev, &device_group);
	return err;
}

/**
 * blkback_stats_remove() - remove the attributes
 * @device: had them
 *
 * Context: xenbus, without the device's lock: readers that wait for it are
 * waited for.
 */
void blkback_stats_remove(struct blkback_device *device)
{
	struct device *dev = &device->xdev->dev;

	device_remove_group(dev, &statistics_group);
	device_remove_group(dev, &device_group);
}
