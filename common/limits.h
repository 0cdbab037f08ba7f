/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The arithmetic of negotiation (pure).
 */
#ifndef XENBLK_LIMITS_H
#define XENBLK_LIMITS_H

#include "protocol.h"

/* A queue index has at most three digits: peers allot no more for it. */
#define XENBLK_MAX_QUEUES		999

/* One page holds 512 segments; more than 256 has no user in any peer. */
#define XENBLK_MAX_INDIRECT_SEGMENTS	256

unsigned int xenblk_limits_offer(unsigned int own, unsigned int cpus);
unsigned int xenblk_limits_queues(unsigned int own, unsigned int cpus,
				  unsigned int peer);
unsigned int xenblk_limits_polled(unsigned int own, unsigned int cpus,
				  unsigned int peer, unsigned int others);
unsigned int xenblk_limits_ring_order(unsigned int own, unsigned int peer);
unsigned int xenblk_limits_segments(unsigned int own, unsigned int peer);

int xenblk_limits_check_queues(unsigned int asked, unsigned int max);
int xenblk_limits_check_ring_order(unsigned int asked, unsigned int max);
int xenblk_limits_order_of_pages(unsigned int nr_pages, unsigned int *order);

#endif /* XENBLK_LIMITS_H */
