/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Wire status to and from the block layer's.
 */
#ifndef XENBLK_STATUS_H
#define XENBLK_STATUS_H

#include <linux/blk_types.h>

#include "protocol.h"

/**
 * xenblk_status_from_wire() - what a response means to the block layer
 * @status: of the response; the peer may have written anything
 *
 * Return: success only for the one value that says so.
 */
static inline blk_status_t xenblk_status_from_wire(s16 status)
{
	switch (status) {
	case XENBLK_RSP_OKAY:
		return BLK_STS_OK;
	case XENBLK_RSP_NOTSUPP:
		return BLK_STS_NOTSUPP;
	default:
		return BLK_STS_IOERR;
	}
}

/**
 * xenblk_status_to_wire() - how a response tells what the device said
 * @status: of the finished bio
 */
static inline s16 xenblk_status_to_wire(blk_status_t status)
{
	switch (status) {
	case BLK_STS_OK:
		return XENBLK_RSP_OKAY;
	case BLK_STS_NOTSUPP:
		return XENBLK_RSP_NOTSUPP;
	default:
		return XENBLK_RSP_ERROR;
	}
}

#endif /* XENBLK_STATUS_H */
