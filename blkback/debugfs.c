// SPDX-License-Identifier: GPL-2.0-only
/*
 * What each ring is doing, for whoever looks into a stall: a table in debugfs.
 */
#include <linux/debugfs.h>
#include <linux/seq_file.h>

#include "blkback.h"

static struct dentry *root;

static const char *state_of(const struct blkback_ring *ring)
{
	if (READ_ONCE(ring->broken))
		return "halted";
	return READ_ONCE(ring->barrier) ? "barrier" : "serving";
}

/* The thread goes on meanwhile: each number is right, their sum may not be. */
static void show_ring(struct seq_file *table, const struct blkback_ring *ring)
{
	const struct blkback_counters *c = &ring->counters;

	seq_printf(table, "%u %d %s %u %u %u %u %u %u", ring->id,
		   task_pid_nr(ring->thread),
		   state_of(ring),
		   ring->back.ring.nr_ents, READ_ONCE(ring->back.req_cons),
		   READ_ONCE(ring->back.rsp_prod), READ_ONCE(ring->in_flight),
		   READ_ONCE(ring->pages_in_flight), READ_ONCE(ring->nr_idle));
	seq_printf(table, " %llu %llu %llu %llu %llu %llu %u %llu %llu %llu %llu %llu\n",
		   READ_ONCE(c->reads), READ_ONCE(c->writes),
		   READ_ONCE(c->flushes), READ_ONCE(c->discards),
		   READ_ONCE(c->refused), READ_ONCE(c->stalls),
		   READ_ONCE(ring->store.nr_kept),
		   READ_ONCE(ring->store.hits), READ_ONCE(c->copied),
		   READ_ONCE(c->short_of_handles),
		   READ_ONCE(c->polls_won), READ_ONCE(c->polls_lost));
}

static int rings_show(struct seq_file *table, void *unused)
{
	struct blkback_device *device = table->private;
	unsigned int i;

	seq_puts(table, "ring pid state entries taken answered in_flight pages_mapped pages_idle reads writes flushes discards refused stalls persistent persistent_hits copied short_of_handles polls_won polls_lost\n");
	mutex_lock(&device->lock);
	for (i = 0; device->rings && i < device->nr_rings; i++)
		show_ring(table, device->rings[i]);
	mutex_unlock(&device->lock);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(rings);

/**
 * blkback_debugfs_add() - add the folder of a device
 * @device: new
 *
 * Nothing depends on it: without debugfs there is none.
 *
 * Context: xenbus.
 */
void blkback_debugfs_add(struct blkback_device *device)
{
	device->debugfs = debugfs_create_dir(dev_name(&device->xdev->dev),
					     root);
	debugfs_create_file("rings", 0400, device->debugfs, device,
			    &rings_fops);
}

/**
 * blkback_debugfs_remove() - remove the folder of a device
 * @device: had one
 *
 * Context: xenbus, without the device's lock: readers are waited for.
 */
void blkback_debugfs_remove(struct blkback_device *device)
{
	debugfs_remove_recursive(device->debugfs);
}

/**
 * blkback_debugfs_init() - make the folder of the module
 */
void blkback_debugfs_init(void)
{
	root = debugfs_create_dir("xen-blkback", NULL);
}

/**
 * blkback_debugfs_exit() - remove it; no device is left
 */
void blkback_debugfs_exit(void)
{
	debugfs_remove_recursive(root);
}
