// SPDX-License-Identifier: GPL-2.0-only
/*
 * The life of a device: probe, what the frontend's states ask for, teardown.
 */
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include "blkback.h"
#include "keys.h"
#include "state.h"
#include "xsread.h"
#include "xswrite.h"

/* What waits for a disk must hold up neither xenwatch nor other disks. */
static struct workqueue_struct *device_queue;

/*
 * The one place that moves a device to another state. The bus has taken the
 * directory away when the device is removed: a write would bring it back.
 */
static bool change_state(struct blkback_device *device, enum xenbus_state next)
{
	lockdep_assert_held(&device->lock);
	if (device->state == next)
		return true;
	if (!xenblk_state_back_may_move(device->state, next)) {
		xenblk_warn_ratelimited(device->xdev, "no way from %s to %s",
					xenbus_strstate(device->state),
					xenbus_strstate(next));
		return false;
	}
	device->state = next;
	if (!device->removed)
		xenblk_xs_switch_state(device->xdev, next);
	return true;
}

static bool is_online(const struct blkback_device *device)
{
	unsigned int online;

	return !xenblk_xs_read_uint_or(device->xdev->nodename,
				       XENBLK_KEY_ONLINE, 0, 1, 0, &online) &&
	       online;
}

static void start_rings(struct blkback_device *device)
{
	unsigned int i;

	for (i = 0; i < device->nr_rings; i++)
		blkback_ring_start(device->rings[i]);
}

static void start_teardown(struct blkback_device *device)
{
	lockdep_assert_held(&device->lock);
	if (device->tearing_down)
		return;
	device->tearing_down = true;
	/* Pairs with blkback_is_handing_over(). */
	WRITE_ONCE(device->handing_over,
		   device->removed && device->state == XenbusStateConnected);
	queue_work(device_queue, &device->teardown);
}

/* The disk can go on without its rings when the frontend is to come back. */
static bool needs_bdev(const struct blkback_device *device)
{
	return !device->removed && is_online(device);
}

static void disconnect(struct blkback_device *device)
{
	if (device->rings || (device->bdev && !needs_bdev(device)))
		start_teardown(device);
	else
		change_state(device, XenbusStateClosed);
}

/* The device is the frontend's loss, not ours: all else goes on. */
static void give_up(struct blkback_device *device)
{
	xenblk_info_ratelimited(device->xdev, "not connected");
	disconnect(device);
}

static int try_bdev(struct blkback_device *device)
{
	int err;

	blkback_bdev_drop_dead(device);
	err = device->bdev ? 0 : blkback_bdev_open(device);
	if (err && err != -ENOENT)
		give_up(device);
	return err;
}

/* Returns false when there is no device to serve yet, or it can't be. */
static bool have_bdev(struct blkback_device *device)
{
	return !try_bdev(device);
}

/* The same, but one that is still to be named may do. */
static bool may_have_bdev(struct blkback_device *device)
{
	int err = try_bdev(device);

	return !err || err == -ENOENT;
}

/*
 * A frontend that starts where nobody attaches it has nothing to do here; nor
 * where there is no disk: asked to start, it would fail, and start again.
 */
static void reopen(struct blkback_device *device)
{
	if (is_online(device) && may_have_bdev(device))
		change_state(device, XenbusStateInitWait);
}

/* A frontend may be ready before it was asked to start again. */
static void start_connecting(struct blkback_device *device)
{
	if (device->state == XenbusStateClosed)
		reopen(device);
	if (device->state != XenbusStateInitWait || !have_bdev(device))
		return;
	device->connecting = true;
	queue_work(device_queue, &device->connect);
}

static void connect(struct blkback_device *device)
{
	blkback_bdev_sample(device);
	blkback_sample_tuning(device);
	if (blkback_connect_rings(device) || blkback_publish_disk(device)) {
		give_up(device);
		return;
	}
	start_rings(device);
	change_state(device, XenbusStateConnected);
}

static enum xenbus_state frontend_state(const struct blkback_device *device)
{
	return xenbus_read_driver_state(device->xdev->otherend);
}

/* Either work looks at the frontend again when it ends. */
static bool is_left_alone(const struct blkback_device *device)
{
	return device->removed || device->tearing_down || device->connecting;
}

static void follow_frontend(struct blkback_device *device,
			    enum xenbus_state front)
{
	lockdep_assert_held(&device->lock);
	if (is_left_alone(device))
		return;
	switch (xenblk_state_back_action(device->state, front)) {
	case XENBLK_ACT_REOPEN:
		reopen(device);
		break;
	case XENBLK_ACT_CONNECT:
		start_connecting(device);
		break;
	case XENBLK_ACT_CLOSE:
		change_state(device, XenbusStateClosing);
		break;
	case XENBLK_ACT_DISCONNECT:
		disconnect(device);
		/* It may have been Closed, and have begun again, unseen. */
		if (front == XenbusStateInitialising &&
		    device->state == XenbusStateClosed)
			reopen(device);
		break;
	case XENBLK_ACT_REFUSE:
		xenblk_info_ratelimited(device->xdev,
					"frontend is %s: ignored",
					xenbus_strstate(front));
		break;
	default:
		break;
	}
}

/*
 * What xenwatch read before it got the lock may be older than what a work that
 * held it has acted on.
 */
static void frontend_changed(struct xenbus_device *xdev,
			     enum xenbus_state front)
{
	struct blkback_device *device = dev_get_drvdata(&xdev->dev);

	if (!device)
		return;
	mutex_lock(&device->lock);
	follow_frontend(device, frontend_state(device));
	mutex_unlock(&device->lock);
}

static void follow_size(struct blkback_device *device)
{
	lockdep_assert_held(&device->lock);
	if (device->state == XenbusStateConnected && !device->removed &&
	    !device->tearing_down)
		blkback_publish_size(device);
}

static void tell_size(struct work_struct *work)
{
	struct blkback_device *device =
		container_of(work, struct blkback_device, resize);

	mutex_lock(&device->lock);
	follow_size(device);
	mutex_unlock(&device->lock);
}

/**
 * blkback_resized() - have the frontend told that the disk has another size
 * @device: has rings
 *
 * Context: the thread of a ring.
 */
void blkback_resized(struct blkback_device *device)
{
	queue_work(system_unbound_wq, &device->resize);
}

/* A disk for a frontend that waits for one; a Closed device opens it itself. */
static bool may_go_on(struct blkback_device *device)
{
	return device->state == XenbusStateClosed ||
	       (device->state == XenbusStateInitWait && !device->bdev &&
		have_bdev(device));
}

/*
 * The hotplug script has named the disk, or the watch was just set. A disk
 * that is open stays: the protocol has no way to exchange it. But the node may
 * be written again to have the size of an idle disk looked at, or one opened
 * that could not be before.
 */
static void physical_device_changed(struct xenbus_watch *watch,
				    const char *path, const char *token)
{
	struct blkback_device *device =
		container_of(watch, struct blkback_device, watch);

	mutex_lock(&device->lock);
	if (!is_left_alone(device) && may_go_on(device))
		follow_frontend(device, frontend_state(device));
	follow_size(device);
	mutex_unlock(&device->lock);
}

/* Nobody else was let in, but the frontend may have moved on. */
static void end_connecting(struct blkback_device *device)
{
	enum xenbus_state front = frontend_state(device);

	lockdep_assert_held(&device->lock);
	if (xenblk_state_back_action(device->state, front) ==
	    XENBLK_ACT_CONNECT)
		connect(device);
	else
		follow_frontend(device, front);
}

/*
 * To write out what is dirty may take minutes. @connecting keeps everybody else
 * from the disk meanwhile, but for a removal, which leaves the end to this.
 */
static void run_connect(struct work_struct *work)
{
	struct blkback_device *device =
		container_of(work, struct blkback_device, connect);
	/* Threads of other disks wait for pages that are made here. */
	unsigned int noio = memalloc_noio_save();

	blkback_bdev_clean(device);
	mutex_lock(&device->lock);
	device->connecting = false;
	if (device->removed)
		start_teardown(device);
	else
		end_connecting(device);
	mutex_unlock(&device->lock);
	memalloc_noio_restore(noio);
}

static void forget_rings(struct blkback_device *device)
{
	blkback_stats_retire(device);
	device->rings = NULL;
	device->nr_rings = 0;
}

/*
 * @tearing_down keeps everybody else from rings and disk; statistics may still be
 * read, so the rings are only freed once they can't be found any more. The last
 * close of a disk writes out what is dirty.
 */
static void stop_using(struct blkback_device *device)
{
	struct blkback_ring **rings = device->rings;
	unsigned int nr_rings = device->nr_rings;
	bool close;

	if (device->handing_over)
		blkback_rings_finish(rings, nr_rings);
	if (rings)
		blkback_rings_stop(rings, nr_rings);
	/* Only the rings queue it. */
	cancel_work_sync(&device->resize);
	mutex_lock(&device->lock);
	forget_rings(device);
	blkback_rings_free(rings, nr_rings);
	close = !needs_bdev(device);
	mutex_unlock(&device->lock);
	if (close)
		blkback_bdev_close(device);
}

static void drop(struct blkback_device *device)
{
	if (refcount_dec_and_test(&device->users))
		kfree(device);
}

/* Whoever removes the device may wait for this. */
static void end_device(struct blkback_device *device)
{
	blkback_bdev_close(device);
	blkback_affinity_forget(device);
	put_device(&device->xdev->dev);
	complete_all(&device->ended);
	drop(device);
}

static void run_teardown(struct work_struct *work)
{
	struct blkback_device *device =
		container_of(work, struct blkback_device, teardown);
	bool removed;

	/* It may have let go of the lock, but not returned from it. */
	flush_work(&device->connect);
	stop_using(device);
	mutex_lock(&device->lock);
	device->tearing_down = false;
	removed = device->removed;
	if (!removed) {
		change_state(device, XenbusStateClosed);
		follow_frontend(device, frontend_state(device));
	}
	mutex_unlock(&device->lock);
	if (removed)
		end_device(device);
}

static void name_device(struct blkback_device *device)
{
	char *dev = xenblk_xs_read_string(device->xdev->nodename,
					  XENBLK_KEY_DEV);

	snprintf(device->name, sizeof(device->name), "blkback.%d.%s",
		 device->xdev->otherend_id,
		 IS_ERR_OR_NULL(dev) ? "?" : kbasename(dev));
	if (!IS_ERR(dev))
		kfree(dev);
}

static struct blkback_device *alloc_device(struct xenbus_device *xdev)
{
	struct blkback_device *device = kzalloc(sizeof(*device), GFP_KERNEL);

	if (!device)
		return NULL;
	device->xdev = xdev;
	get_device(&xdev->dev);
	mutex_init(&device->lock);
	spin_lock_init(&device->barriers.lock);
	INIT_LIST_HEAD(&device->barriers.queue);
	device->state = XenbusStateInitialising;
	INIT_WORK(&device->resize, tell_size);
	device->squeezed_until = jiffies;
	blkback_shortage_init(device);
	INIT_WORK(&device->connect, run_connect);
	INIT_WORK(&device->teardown, run_teardown);
	refcount_set(&device->users, 1);
	init_completion(&device->ended);
	blkback_affinity_init(device);
	blkback_sample_limits(device);
	name_device(device);
	return device;
}

/* Setting the watch also reports what the script wrote before. */
static int offer(struct blkback_device *device)
{
	int err = blkback_publish_limits(device);

	if (err)
		return err;
	mutex_lock(&device->lock);
	change_state(device, XenbusStateInitWait);
	mutex_unlock(&device->lock);
	return xenbus_watch_pathfmt(device->xdev, &device->watch, NULL,
				    physical_device_changed, "%s/%s",
				    device->xdev->nodename,
				    XENBLK_KEY_PHYSICAL_DEVICE);
}

static int probe(struct xenbus_device *xdev, const struct xenbus_device_id *id)
{
	struct blkback_device *device = alloc_device(xdev);
	int err;

	if (!device)
		return -ENOMEM;
	dev_set_drvdata(&xdev->dev, device);
	err = blkback_stats_create(device);
	if (err)
		goto end_device;
	blkback_debugfs_add(device);
	err = offer(device);
	if (err)
		goto remove_debugfs;
	return 0;

remove_debugfs:
	blkback_debugfs_remove(device);
	blkback_stats_remove(device);
end_device:
	dev_set_drvdata(&xdev->dev, NULL);
	end_device(device);
	return err;
}

static void stop_watch(struct blkback_device *device)
{
	if (!device->watch.node)
		return;
	unregister_xenbus_watch(&device->watch);
	kfree(device->watch.node);
	device->watch.node = NULL;
}

/* The work that is on ends the device, or one of its own: xenwatch may be here. */
static void let_go(struct blkback_device *device)
{
	mutex_lock(&device->lock);
	device->removed = true;
	if (!device->connecting)
		start_teardown(device);
	mutex_unlock(&device->lock);
}

/* One that is there again is another's: nobody but us has left Initialising. */
static bool is_known(const struct xenbus_device *xdev)
{
	enum xenbus_state state = xenbus_read_driver_state(xdev->nodename);

	return state != XenbusStateUnknown && state != XenbusStateInitialising;
}

/*
 * When only the driver is taken off, the bus tells the frontend that this side is
 * Closed right after: then all its pages must be unmapped, however long the disk
 * takes. When the toolstack takes the directory away, nobody waits for that; but
 * xenwatch would wait for whoever does here.
 */
static void wait_for_end(struct xenbus_device *xdev,
			 struct blkback_device *device)
{
	while (is_known(xdev) &&
	       !wait_for_completion_timeout(&device->ended, HZ))
		;
}

static void remove(struct xenbus_device *xdev)
{
	struct blkback_device *device = dev_get_drvdata(&xdev->dev);

	stop_watch(device);
	blkback_debugfs_remove(device);
	blkback_stats_remove(device);
	dev_set_drvdata(&xdev->dev, NULL);
	refcount_inc(&device->users);
	let_go(device);
	wait_for_end(xdev, device);
	drop(device);
}

static const struct xenbus_device_id ids[] = {
	{ "vbd" },
	{ "" }
};

static struct xenbus_driver driver = {
	.ids = ids,
	.probe = probe,
	.remove = remove,
	.otherend_changed = frontend_changed,
	.reclaim_memory = blkback_squeeze,
};

/**
 * blkback_xenbus_init() - serve the disks that there are and that come
 *
 * Return: 0 or an error.
 */
int blkback_xenbus_init(void)
{
	int err;

	device_queue = alloc_workqueue("xen-blkback", WQ_UNBOUND,
				       WQ_UNBOUND_MAX_ACTIVE);
	if (!device_queue)
		return -ENOMEM;
	err = xenbus_register_backend(&driver);
	if (err)
		destroy_workqueue(device_queue);
	return err;
}

/**
 * blkback_xenbus_exit() - let go of all disks, once they are idle
 */
void blkback_xenbus_exit(void)
{
	xenbus_unregister_driver(&driver);
	destroy_workqueue(device_queue);
}
