/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Every xenstore key that either driver reads or writes, once.
 *
 * xenstore-proto.md describes each of them; tests/lint keeps the two equal in
 * both directions.
 */
#ifndef XENBLK_KEYS_H
#define XENBLK_KEYS_H

/* Backend directory, written by the toolstack and its hotplug script. */
#define XENBLK_KEY_PHYSICAL_DEVICE	"physical-device"
#define XENBLK_KEY_MODE			"mode"
#define XENBLK_KEY_ONLINE		"online"
#define XENBLK_KEY_DEV			"dev"
#define XENBLK_KEY_DEVICE_TYPE		"device-type"
#define XENBLK_KEY_REMOVABLE		"removable"
#define XENBLK_KEY_DISCARD_ENABLE	"discard-enable"

/* Backend directory, written by the backend before InitWait. */
#define XENBLK_KEY_MAX_QUEUES		"multi-queue-max-queues"
#define XENBLK_KEY_MAX_RING_ORDER	"max-ring-page-order"
#define XENBLK_KEY_MAX_INDIRECT		"feature-max-indirect-segments"

/* Backend directory, written by the backend with Connected. */
#define XENBLK_KEY_SECTORS		"sectors"
#define XENBLK_KEY_SECTOR_SIZE		"sector-size"
#define XENBLK_KEY_PHYSICAL_SECTOR_SIZE	"physical-sector-size"
#define XENBLK_KEY_INFO			"info"
#define XENBLK_KEY_FLUSH		"feature-flush-cache"
#define XENBLK_KEY_BARRIER		"feature-barrier"
#define XENBLK_KEY_DISCARD		"feature-discard"
#define XENBLK_KEY_DISCARD_GRANULARITY	"discard-granularity"
#define XENBLK_KEY_DISCARD_ALIGNMENT	"discard-alignment"
#define XENBLK_KEY_DISCARD_SECURE	"discard-secure"
#define XENBLK_KEY_PERSISTENT		"feature-persistent"

/* Frontend directory, written by the toolstack. */
#define XENBLK_KEY_VIRTUAL_DEVICE	"virtual-device"
#define XENBLK_KEY_VIRTUAL_DEVICE_EXT	"virtual-device-ext"
#define XENBLK_KEY_TRUSTED		"trusted"

/* Frontend directory, written by the frontend before Initialised. */
#define XENBLK_KEY_NUM_QUEUES		"multi-queue-num-queues"
#define XENBLK_KEY_RING_ORDER		"ring-page-order"
#define XENBLK_KEY_NUM_RING_PAGES	"num-ring-pages"
#define XENBLK_KEY_RING_REF		"ring-ref"
#define XENBLK_KEY_EVENT_CHANNEL	"event-channel"
#define XENBLK_KEY_PROTOCOL		"protocol"

/* Error directory of either side: what is wrong, see xserror.h. */
#define XENBLK_KEY_ERROR		"error"

/* Both directories: the xenbus state, see state.h. */
#define XENBLK_KEY_STATE		"state"

/* Formats of the numbered keys: a decimal index without leading zeros. */
#define XENBLK_KEY_RING_REF_N		"ring-ref%u"
#define XENBLK_KEY_QUEUE_N		"queue-%u"

#endif /* XENBLK_KEYS_H */
