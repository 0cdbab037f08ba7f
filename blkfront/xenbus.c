// SPDX-License-Identifier: GPL-2.0-only
/*
 * The connection's life: probe, remove, and the worker that follows the
 * backend's state.
 *
 * The callback only notes the state: taking away a disk may wait for a backend,
 * and xenwatch serves all devices.
 */
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include "blkfront.h"
#include "keys.h"
#include "state.h"
#include "xserror.h"
#include "xsread.h"
#include "xswrite.h"

/* A connection that is not made, or does not last, is tried again every 64 s. */
#define MAX_RETRIES		8U

/* The only place where the state of a disk's connection changes. */
static void change_state(struct blkfront_dev *dev, enum xenbus_state to)
{
	struct xenbus_device *xdev = dev->xdev;

	lockdep_assert_held(&dev->lock);

	if (xdev->state == to)
		return;
	if (!xenblk_state_front_may_move(xdev->state, to)) {
		xenblk_warn_ratelimited(xdev, "cannot go from %s to %s",
					xenbus_strstate(xdev->state),
					xenbus_strstate(to));
		return;
	}
	xenblk_xs_switch_state(xdev, to);
	if (to == XenbusStateClosed && !dev->rebinding)
		/* Somebody may wait for it at shutdown; the state is told. */
		xenbus_frontend_closed(xdev);
}

/* The backend is gone, or of no use. */
static void disconnect(struct blkfront_dev *dev)
{
	blkfront_queues_disconnect(dev);
	blkfront_recovery_abandon(dev);
	blkfront_disk_destroy(dev, true);
	blkfront_queues_destroy(dev);
	WRITE_ONCE(dev->ready, true);
	change_state(dev, XenbusStateClosed);
}

static void drop_rings(struct blkfront_dev *dev)
{
	dev->refused = false;
	if (dev->disk)
		blkfront_recovery_hold(dev);
	else
		blkfront_queues_destroy(dev);
}

static void start_again(struct blkfront_dev *dev)
{
	drop_rings(dev);
	dev->rebinding = true;
	change_state(dev, XenbusStateClosed);
	blkfront_kick(dev);
}

/*
 * At once when a connection is lost, and the first time that it is not made
 * again. A backend that goes each time before the connection is made, or keeps
 * pages of each that was, is asked less and less often, and so is this domain
 * for what it is short of.
 */
static void start_again_later(struct blkfront_dev *dev)
{
	unsigned int nr = dev->nr_retries;

	start_again(dev);
	dev->set_up_at = jiffies + (nr > 1 ? HZ << (nr - 2) : 0);
	dev->nr_retries = min(nr + 1, MAX_RETRIES);
}

/* What this domain lacks now it may have later: held I/O can wait for that. */
static void fail(struct blkfront_dev *dev, int err)
{
	bool passes = err == -ENOMEM || err == -ENOSPC || err == -EAGAIN;

	if (dev->held && passes)
		start_again_later(dev);
	else
		disconnect(dev);
}

static bool must_wait(struct blkfront_dev *dev)
{
	if (!time_before(jiffies, dev->set_up_at))
		return false;
	mod_delayed_work(blkfront_workqueue, &dev->look_again,
			 dev->set_up_at - jiffies);
	return true;
}

static void set_up(struct blkfront_dev *dev)
{
	int err;

	if (must_wait(dev))
		return;
	err = blkfront_negotiate_limits(dev);
	if (!err)
		err = blkfront_queues_create(dev);
	if (!err)
		err = blkfront_negotiate_publish(dev);
	if (err) {
		fail(dev, err);
		return;
	}
	change_state(dev, XenbusStateInitialised);
	/* The backend may be ready already, and then no event will come. */
	blkfront_kick(dev);
}

static int connect_disk(struct blkfront_dev *dev)
{
	int err = blkfront_disk_create(dev);

	if (err)
		return err;
	/* Reading partitions needs a connected backend. */
	change_state(dev, XenbusStateConnected);
	blkfront_disk_add(dev);
	return 0;
}

static void end_adding(struct blkfront_dev *dev)
{
	int err;

	if (!blkfront_disk_added(dev, &err))
		return;
	WRITE_ONCE(dev->ready, true);
	if (!err)
		return;
	dev->rebinding = false;
	disconnect(dev);
}

static int connect_again(struct blkfront_dev *dev)
{
	int err = blkfront_recovery_finish(dev);

	if (err)
		return err;
	change_state(dev, XenbusStateConnected);
	blkfront_recovery_release(dev);
	if (!READ_ONCE(dev->kept))
		dev->nr_retries = 0;
	WRITE_ONCE(dev->kept, false);
	return 0;
}

static void connect(struct blkfront_dev *dev)
{
	int err = blkfront_negotiate_geometry(dev);

	if (!err)
		err = blkfront_queues_prepare(dev);
	if (!err)
		err = dev->held ? connect_again(dev) : connect_disk(dev);
	if (err == -EAGAIN)
		blkfront_kick(dev);
	else if (err == -ESTALE)
		start_again_later(dev);
	else if (err)
		fail(dev, err);
}

static void resize(struct blkfront_dev *dev)
{
	u64 sectors;

	if (!blkfront_negotiate_sectors(dev, &sectors))
		blkfront_disk_resize(dev, sectors);
}

static void refuse(struct blkfront_dev *dev)
{
	if (!dev->refused)
		xenblk_xs_error(dev->xdev, -EBUSY,
				"Device in use; refusing to close");
	dev->refused = true;
	/* It may be told once more since the size is another one. */
	resize(dev);
}

/*
 * The backend serves until this side is closed, so what is dirty can still be
 * written. While somebody has the disk open, everything goes on.
 */
static void close_connection(struct blkfront_dev *dev)
{
	int err;

	/* Whoever reads partitions kicks the worker at the end. */
	if (dev->adding)
		return;
	err = blkfront_disk_claim_idle(dev);
	if (err == -EAGAIN)
		mod_delayed_work(blkfront_workqueue, &dev->look_again, HZ / 10);
	else if (err)
		refuse(dev);
	if (err)
		return;
	blkfront_disk_destroy(dev, false);
	blkfront_queues_destroy(dev);
	change_state(dev, XenbusStateClosed);
}

/* The disk stays, and fails all I/O, until the toolstack takes it away. */
static void give_up(struct blkfront_dev *dev)
{
	blkfront_queues_disconnect(dev);
	blkfront_recovery_abandon(dev);
	if (dev->xdev->state == XenbusStateClosed)
		return;
	WRITE_ONCE(dev->ready, true);
	xenblk_xs_error(dev->xdev, -EPROTO, "the backend sent %s; disk disabled",
			dev->broken);
	change_state(dev, XenbusStateClosed);
}

static bool is_coming_back(const struct blkfront_dev *dev)
{
	unsigned int online;

	return !xenblk_xs_read_uint(dev->xdev->otherend, XENBLK_KEY_ONLINE, 0,
				    1, &online) && online;
}

/*
 * This side shows Closed: a backend that still serves the old connection must
 * not be taken for one that is ready for the new.
 *
 * Return: the backend's state, read after this side's was written: if that is
 * Closed, the backend will not look at what was published before.
 */
static enum xenbus_state rebind(struct blkfront_dev *dev)
{
	enum xenbus_state backend =
		xenbus_read_driver_state(dev->xdev->otherend);

	switch (backend) {
	case XenbusStateInitWait:
		/* It may be just about to take up the rings of a lost one. */
		if (dev->disk)
			break;
		fallthrough;
	case XenbusStateUnknown:
	case XenbusStateInitialising:
	case XenbusStateClosed:
		dev->rebinding = false;
		change_state(dev, XenbusStateInitialising);
		break;
	case XenbusStateClosing:
		/* The driver that would go on to Closed may be gone. */
		if (!dev->disk || is_coming_back(dev))
			break;
		dev->rebinding = false;
		disconnect(dev);
		break;
	default:
		break;
	}
	return backend;
}

/*
 * The domain is a new one, and so are most times its directories and backends.
 * If they are not, the backend still serves what was before the suspend.
 */
static void take_up(struct blkfront_dev *dev)
{
	dev->resumed = false;
	if (xenbus_read_driver_state(dev->xdev->nodename) !=
	    XenbusStateInitialising) {
		start_again(dev);
		return;
	}
	/* Of whatever backend the old rings were: this one has none. */
	dev->rebinding = false;
	drop_rings(dev);
}

/*
 * A disk waits for its backend. Where there is none yet, nothing is lost; but
 * one that is closed for good must not be waited for, as the load of the module
 * would wait too.
 */
static void lose(struct blkfront_dev *dev, enum xenbus_state backend)
{
	if (!dev->disk && dev->xdev->state == XenbusStateInitialising &&
	    (backend != XenbusStateClosed || is_coming_back(dev)))
		return;
	if (!dev->disk || !is_coming_back(dev)) {
		disconnect(dev);
		return;
	}
	if (dev->xdev->state == XenbusStateConnected)
		xenblk_info_ratelimited(dev->xdev,
					"backend lost, I/O waits for it");
	/* What was published has to be published anew. */
	if (dev->xdev->state == XenbusStateConnected ||
	    dev->xdev->state == XenbusStateInitialised)
		start_again_later(dev);
}

/*
 * The bus makes a backend that can't map a ring show Closing for a moment. A disk
 * that waits has nothing to close.
 */
static void close_unconnected(struct blkfront_dev *dev,
			      enum xenbus_state backend)
{
	if (dev->held && is_coming_back(dev))
		lose(dev, backend);
	else
		disconnect(dev);
}

static void act(struct blkfront_dev *dev, enum xenbus_state backend)
{
	switch (xenblk_state_front_action(dev->xdev->state, backend)) {
	case XENBLK_ACT_SETUP:
		set_up(dev);
		break;
	case XENBLK_ACT_CONNECT:
		connect(dev);
		break;
	case XENBLK_ACT_RESIZE:
		dev->refused = false;
		resize(dev);
		break;
	case XENBLK_ACT_CLOSE:
		close_connection(dev);
		break;
	case XENBLK_ACT_DISCONNECT:
		close_unconnected(dev, backend);
		break;
	case XENBLK_ACT_LOST:
		lose(dev, backend);
		break;
	case XENBLK_ACT_REFUSE:
		xenblk_warn_ratelimited(dev->xdev, "backend in state %d",
					backend);
		break;
	default:
		break;
	}
}

static void follow_backend(struct work_struct *work)
{
	struct blkfront_dev *dev = container_of(work, struct blkfront_dev,
						work);
	/* Pairs with backend_changed(). */
	enum xenbus_state backend = READ_ONCE(dev->backend_state);
	/* The disk may be the one that memory would have to be written to. */
	unsigned int noio = memalloc_noio_save();

	mutex_lock(&dev->lock);
	if (!READ_ONCE(dev->removed)) {
		if (dev->resumed)
			take_up(dev);
		if (dev->rebinding)
			backend = rebind(dev);
		end_adding(dev);
		blkfront_disk_stop_discards(dev);
		if (READ_ONCE(dev->broken))
			give_up(dev);
		else
			act(dev, backend);
	}
	mutex_unlock(&dev->lock);
	memalloc_noio_restore(noio);
}

static void look_again(struct work_struct *work)
{
	struct blkfront_dev *dev = container_of(to_delayed_work(work),
						struct blkfront_dev, look_again);

	blkfront_kick(dev);
}

/* Whatever waits for the backend fails now, and the worker can go on. */
static void halt_rings(struct work_struct *work)
{
	struct blkfront_dev *dev = container_of(work, struct blkfront_dev,
						halt);
	unsigned int noio = memalloc_noio_save();

	blkfront_queues_disconnect(dev);
	memalloc_noio_restore(noio);
	blkfront_kick(dev);
}

/**
 * blkfront_kick() - let the worker look at the backend's state again
 * @dev: the disk, not removed
 *
 * Context: any.
 */
void blkfront_kick(struct blkfront_dev *dev)
{
	queue_work(blkfront_workqueue, &dev->work);
}

/**
 * blkfront_break() - the backend broke the protocol: believe nothing any more
 * @dev: the disk, with connected rings
 * @what: it sent
 *
 * The worker says so and does what has to be done.
 *
 * Context: any.
 */
void blkfront_break(struct blkfront_dev *dev, const char *what)
{
	/* The first fault counts, whichever rings it lies on. */
	if (!cmpxchg(&dev->broken, NULL, what))
		queue_work(system_unbound_wq, &dev->halt);
}

static void backend_changed(struct xenbus_device *xdev,
			    enum xenbus_state backend)
{
	struct blkfront_dev *dev = dev_get_drvdata(&xdev->dev);

	if (!dev)
		return;
	/* Pairs with follow_backend() and release_disk(). */
	WRITE_ONCE(dev->backend_state, backend);
	blkfront_kick(dev);
}

static int create_dev(struct xenbus_device *xdev,
		      const struct blkfront_vdev *vdev)
{
	struct blkfront_dev *dev = blkfront_dev_create(xdev, vdev);
	char name[BLKFRONT_NAME_LEN];

	if (IS_ERR(dev)) {
		blkfront_vdev_name(vdev, name);
		xenblk_xs_error(xdev, PTR_ERR(dev),
				"%s or its minors are in use", name);
		return PTR_ERR(dev);
	}
	INIT_WORK(&dev->work, follow_backend);
	INIT_WORK(&dev->halt, halt_rings);
	INIT_DELAYED_WORK(&dev->look_again, look_again);
	dev->rebinding = xdev->state == XenbusStateClosed;
	dev->set_up_at = jiffies;
	dev_set_drvdata(&xdev->dev, dev);
	return 0;
}

/*
 * The watch that is set after this tells the backend's state for a start.
 *
 * A refused device stays bound, closed and without a struct: if this failed,
 * xenbus would replace the reason in the error node by one of its own.
 */
static int probe(struct xenbus_device *xdev, const struct xenbus_device_id *id)
{
	struct blkfront_vdev vdev;
	int err;

	err = blkfront_dev_read_vdev(xdev, &vdev);
	if (!err && blkfront_dev_is_emulated(xdev, &vdev))
		return -ENODEV;
	if (!err)
		err = create_dev(xdev, &vdev);
	if (err)
		xenbus_frontend_closed(xdev);
	return 0;
}

/*
 * The new backend has its own state, of which the watch that is set after this
 * tells. The worker is frozen until user space runs again.
 */
static int resume(struct xenbus_device *xdev)
{
	struct blkfront_dev *dev = dev_get_drvdata(&xdev->dev);

	if (!dev)
		return 0;
	mutex_lock(&dev->lock);
	blkfront_queues_leave(dev);
	dev->resumed = true;
	dev->nr_retries = 0;
	dev->set_up_at = jiffies;
	dev->otherend = xdev->otherend_id;
	WRITE_ONCE(dev->backend_state, XenbusStateUnknown);
	mutex_unlock(&dev->lock);
	return 0;
}

/*
 * No event comes any more. What the worker may wait for ends with the rings;
 * the last opener cannot start it again once the disk is dying.
 */
static void remove(struct xenbus_device *xdev)
{
	struct blkfront_dev *dev = dev_get_drvdata(&xdev->dev);
	unsigned int noio;

	if (!dev)
		return;
	/* As for the worker, until the disk's I/O has failed. */
	noio = memalloc_noio_save();
	/* Either this finds the rings or alloc_queues() finds the flag. */
	WRITE_ONCE(dev->removed, true);
	blkfront_queues_disconnect(dev);
	cancel_work_sync(&dev->halt);

	mutex_lock(&dev->lock);
	blkfront_recovery_abandon(dev);
	blkfront_disk_destroy(dev, true);
	blkfront_queues_destroy(dev);
	mutex_unlock(&dev->lock);
	memalloc_noio_restore(noio);

	cancel_delayed_work_sync(&dev->look_again);
	cancel_work_sync(&dev->work);
	WRITE_ONCE(dev->xdev, NULL);
	dev_set_drvdata(&xdev->dev, NULL);
	blkfront_dev_put(dev);
}

static int is_ready(struct xenbus_device *xdev)
{
	return blkfront_dev_is_ready(xdev);
}

static const struct xenbus_device_id ids[] = {
	{ "vbd" },
	{ "" }
};

struct xenbus_driver blkfront_driver = {
	.ids			= ids,
	.probe			= probe,
	.remove			= remove,
	.suspend		= blkfront_recovery_suspend,
	.resume			= resume,
	.otherend_changed	= backend_changed,
	.is_ready		= is_ready,
};
