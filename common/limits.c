// SPDX-License-Identifier: GPL-2.0-only
/*
 * The arithmetic of negotiation: what two peers end up with.
 */
#include <linux/errno.h>
#include <linux/log2.h>
#include <linux/minmax.h>

#include "limits.h"

/**
 * xenblk_limits_offer() - queues that a backend offers
 * @own: its own limit; 0 for one queue for each CPU
 * @cpus: CPUs that could serve one each
 *
 * Return: 1 to XENBLK_MAX_QUEUES.
 */
unsigned int xenblk_limits_offer(unsigned int own, unsigned int cpus)
{
	unsigned int nr = min(own ? own : cpus, XENBLK_MAX_QUEUES + 0U);

	return max(nr, 1U);
}

/**
 * xenblk_limits_queues() - queues that a frontend asks for
 * @own: its own limit; 0 for none beside the others
 * @cpus: CPUs that could use one each
 * @peer: the backend's limit, 1 when it offers no queues
 *
 * Return: at least 1, whatever the peer wrote.
 */
unsigned int xenblk_limits_queues(unsigned int own, unsigned int cpus,
				  unsigned int peer)
{
	unsigned int nr = min(cpus, min(peer, XENBLK_MAX_QUEUES + 0U));

	if (own)
		nr = min(nr, own);
	return max(nr, 1U);
}

/**
 * xenblk_limits_polled() - queues to poll that a frontend asks for beside these
 * @own: its own limit
 * @cpus: CPUs that could use one each
 * @peer: the backend's limit of all queues, 1 when it offers none
 * @others: queues that interrupt, from xenblk_limits_queues()
 *
 * Return: what the others leave, maybe 0.
 */
unsigned int xenblk_limits_polled(unsigned int own, unsigned int cpus,
				  unsigned int peer, unsigned int others)
{
	unsigned int most = min(peer, XENBLK_MAX_QUEUES + 0U);

	return most > others ? min(min(own, cpus), most - others) : 0;
}

/**
 * xenblk_limits_ring_order() - ring order that a frontend asks for
 * @own: its own limit, log2 of pages
 * @peer: the backend's limit, 0 when it offers none
 *
 * Return: log2 of pages, at most XENBLK_MAX_RING_ORDER.
 */
unsigned int xenblk_limits_ring_order(unsigned int own, unsigned int peer)
{
	return min(min(own, peer), XENBLK_MAX_RING_ORDER + 0U);
}

/**
 * xenblk_limits_segments() - largest request that a frontend builds
 * @own: its own limit, segments of an indirect request; 0 for none
 * @peer: the backend's limit, 0 when it takes no indirect requests
 *
 * An indirect request that carries no more than a direct one has no use.
 *
 * Return: segments; more than 11 means that larger ones go indirect.
 */
unsigned int xenblk_limits_segments(unsigned int own, unsigned int peer)
{
	unsigned int nr = min(min(own, peer),
			      XENBLK_MAX_INDIRECT_SEGMENTS + 0U);

	return max(nr, XENBLK_MAX_DIRECT_SEGMENTS + 0U);
}

/**
 * xenblk_limits_check_queues() - may a frontend have so many queues?
 * @asked: what it wrote
 * @max: what the backend offered
 *
 * Return: 0 or -ERANGE. Nothing is clamped: the frontend has already written
 * its rings for the number that it asked for.
 */
int xenblk_limits_check_queues(unsigned int asked, unsigned int max)
{
	return asked >= 1 && asked <= max ? 0 : -ERANGE;
}

/**
 * xenblk_limits_check_ring_order() - may a frontend have such a ring?
 * @asked: what it wrote, log2 of pages
 * @max: what the backend offered
 *
 * Return: 0 or -ERANGE.
 */
int xenblk_limits_check_ring_order(unsigned int asked, unsigned int max)
{
	return asked <= max && asked <= XENBLK_MAX_RING_ORDER ? 0 : -ERANGE;
}

/**
 * xenblk_limits_order_of_pages() - ring order from the deprecated page count
 * @nr_pages: value of "num-ring-pages"
 * @order: where to put log2 of it
 *
 * Return: 0, or -ERANGE when it is no power of two.
 */
int xenblk_limits_order_of_pages(unsigned int nr_pages, unsigned int *order)
{
	if (!nr_pages || !is_power_of_2(nr_pages))
		return -ERANGE;
	*order = ilog2(nr_pages);
	return 0;
}
