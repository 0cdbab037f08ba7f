// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where the threads of rings run. An administrator can say so for each ring of
 * a device; that outlives the ring, for the next connection's.
 */
#include <linux/cpumask.h>
#include <linux/device.h>
#include <linux/irq.h>
#include <linux/sched.h>
#include <linux/sched/isolation.h>
#include <linux/slab.h>
#include <linux/topology.h>

#include "blkback.h"

/*
 * The processors that share their memory with the one that takes the ring's
 * interrupt. Which of them is the scheduler's to choose: it wakes the thread
 * close to the interrupt, and elsewhere when that processor is busy.
 */
static const struct cpumask *near_interrupt(const struct blkback_ring *ring)
{
	struct irq_data *irq = irq_get_irq_data(ring->irq);
	unsigned int cpu = cpumask_first(irq_data_get_effective_affinity_mask(irq));

	return cpu < nr_cpu_ids ? cpumask_of_node(cpu_to_node(cpu)) :
				  cpu_possible_mask;
}

static int place(struct blkback_ring *ring, const struct cpumask *cpus)
{
	int err = set_cpus_allowed_ptr(ring->thread, cpus);

	if (err)
		xenblk_info_ratelimited(ring->device->xdev,
					"ring %u: can't run on processors %*pbl: %d",
					ring->id, cpumask_pr_args(cpus), err);
	return err;
}

/* Processors that were set apart from kernel threads stay so, unless asked for. */
static void place_near_interrupt(struct blkback_ring *ring)
{
	const struct cpumask *near = near_interrupt(ring);
	cpumask_var_t cpus;

	if (!alloc_cpumask_var(&cpus, GFP_KERNEL))
		return;
	if (cpumask_and(cpus, near, housekeeping_cpumask(HK_TYPE_KTHREAD)) &&
	    cpumask_and(cpus, cpus, housekeeping_cpumask(HK_TYPE_DOMAIN)))
		place(ring, cpus);
	free_cpumask_var(cpus);
}

/**
 * blkback_affinity_apply() - put the thread of a new ring where it belongs
 * @ring: has its thread and its interrupt
 *
 * When the processors that were asked for are gone, it runs anywhere.
 *
 * Context: under the device's lock.
 */
void blkback_affinity_apply(struct blkback_ring *ring)
{
	const struct cpumask *asked = xa_load(&ring->device->placements,
					      ring->id);

	lockdep_assert_held(&ring->device->lock);
	if (asked)
		place(ring, asked);
	else
		place_near_interrupt(ring);
}

/**
 * blkback_affinity_init() - nothing was asked for
 * @device: new
 */
void blkback_affinity_init(struct blkback_device *device)
{
	xa_init(&device->placements);
}

/**
 * blkback_affinity_forget() - free what was asked for
 * @device: is being freed
 */
void blkback_affinity_forget(struct blkback_device *device)
{
	struct cpumask *cpus;
	unsigned long id;

	xa_for_each(&device->placements, id, cpus)
		kfree(cpus);
	xa_destroy(&device->placements);
}

/* What is in force, also if somebody else moved the thread. */
static ssize_t ring_cpus_show(struct device *dev, struct device_attribute *attr,
			      char *buf)
{
	struct blkback_device *device = dev_get_drvdata(dev);
	unsigned int i;
	int len = 0;

	mutex_lock(&device->lock);
	for (i = 0; device->rings && i < device->nr_rings; i++)
		len += sysfs_emit_at(buf, len, "%u %*pbl\n", i,
				     cpumask_pr_args(device->rings[i]->thread->cpus_ptr));
	mutex_unlock(&device->lock);
	return len;
}

static int parse(char *text, unsigned int *ring, struct cpumask *cpus)
{
	char *word = strsep(&text, " ");
	int err = kstrtouint(word, 10, ring);

	if (!err && text)
		err = cpulist_parse(text, cpus);
	if (err || !text || !cpumask_intersects(cpus, cpu_online_mask))
		return -EINVAL;
	return 0;
}

/* Takes over @cpus; freed here on failure. */
static int ask(struct blkback_device *device, unsigned int id,
	       struct cpumask *cpus)
{
	struct cpumask *old;

	lockdep_assert_held(&device->lock);
	old = xa_store(&device->placements, id, cpus, GFP_KERNEL);
	if (xa_is_err(old)) {
		kfree(cpus);
		return xa_err(old);
	}
	kfree(old);
	if (device->tearing_down || id >= device->nr_rings)
		return 0;
	return place(device->rings[id], cpus);
}

/* "RING CPULIST"; a ring that there may be later can be named as well. */
static ssize_t ring_cpus_store(struct device *dev,
			       struct device_attribute *attr, const char *buf,
			       size_t count)
{
	struct blkback_device *device = dev_get_drvdata(dev);
	struct cpumask *cpus = kzalloc(cpumask_size(), GFP_KERNEL);
	char *text = kstrdup(buf, GFP_KERNEL);
	unsigned int id;
	int err = -ENOMEM;

	if (!cpus || !text)
		goto free_cpus;
	err = parse(text, &id, cpus);
	if (!err && id >= device->limits.max_queues)
		err = -EINVAL;
	if (err)
		goto free_cpus;
	mutex_lock(&device->lock);
	err = ask(device, id, cpus);
	mutex_unlock(&device->lock);
	goto free_text;

free_cpus:
	kfree(cpus);
free_text:
	kfree(text);
	return err ?: count;
}

struct device_attribute blkback_ring_cpus_attr = __ATTR_RW(ring_cpus);
