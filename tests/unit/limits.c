// SPDX-License-Identifier: GPL-2.0-only
/*
 * common/limits.c: every mix of the values where arithmetic breaks, against
 * tables and against what must hold whatever the values are.
 */
#include <errno.h>
#include <limits.h>

#include <linux/kernel.h>

#include "limits.h"
#include "tap.h"

static const unsigned int values[] = {
	0, 1, 2, 3, 4, 5, 7, 8, 10, 11, 12, 15, 16, 17, 31, 32, 33, 255, 256,
	257, 511, 512, 513, 998, 999, 1000, 4095, 4096, 65535, 65536, INT_MAX,
	INT_MAX + 1U, UINT_MAX - 511, UINT_MAX - 1, UINT_MAX,
};

static unsigned int least(unsigned int a, unsigned int b, unsigned int c)
{
	unsigned int nr = a;

	if (b < nr)
		nr = b;
	if (c < nr)
		nr = c;
	return nr;
}

static void check_offer(void)
{
	size_t i, j;

	for (i = 0; i < ARRAY_SIZE(values); i++)
		for (j = 0; j < ARRAY_SIZE(values); j++) {
			unsigned int want = values[i] ? values[i] : values[j];

			if (want > 999)
				want = 999;
			if (want < 1)
				want = 1;
			tap_expect(xenblk_limits_offer(values[i], values[j]),
				   want, "offer(%u, %u)", values[i],
				   values[j]);
		}
	tap_verdict("offer: its own limit, or the CPUs, 1 to 999");
}

static void check_queues(void)
{
	size_t i, j, k;

	for (i = 0; i < ARRAY_SIZE(values); i++)
		for (j = 0; j < ARRAY_SIZE(values); j++)
			for (k = 0; k < ARRAY_SIZE(values); k++) {
				unsigned int own = values[i] ? values[i] : 999;
				unsigned int want = least(own, values[j],
							  values[k]);

				if (want > 999)
					want = 999;
				if (want < 1)
					want = 1;
				tap_expect(xenblk_limits_queues(values[i],
								values[j],
								values[k]),
					   want, "queues(%u, %u, %u)",
					   values[i], values[j], values[k]);
			}
	tap_verdict("queues: the least of three, 1 to 999; 0 is no limit");
}

/* A limit of its own, the CPUs, and what the others leave of all there may be. */
static void expect_polled(unsigned int own, unsigned int cpus,
			  unsigned int peer, unsigned int others)
{
	unsigned int room = peer < 999 ? peer : 999;

	room = room < others ? 0 : room - others;
	tap_expect(xenblk_limits_polled(own, cpus, peer, others),
		   least(own, cpus, room), "polled(%u, %u, %u, %u)", own, cpus,
		   peer, others);
}

static void check_polled(void)
{
	size_t i, j, k, l;

	for (i = 0; i < ARRAY_SIZE(values); i++)
		for (j = 0; j < ARRAY_SIZE(values); j++)
			for (k = 0; k < ARRAY_SIZE(values); k++)
				for (l = 0; l < ARRAY_SIZE(values); l++)
					expect_polled(values[i], values[j],
						      values[k], values[l]);
	tap_verdict("polled queues: the least of three, after the others");
}

static void check_ring_order(void)
{
	size_t i, j;

	for (i = 0; i < ARRAY_SIZE(values); i++)
		for (j = 0; j < ARRAY_SIZE(values); j++)
			tap_expect(xenblk_limits_ring_order(values[i],
							    values[j]),
				   least(values[i], values[j], 4),
				   "ring_order(%u, %u)", values[i], values[j]);
	tap_verdict("ring order: the lesser of two, at most 4");
}

static void check_segments(void)
{
	size_t i, j;

	for (i = 0; i < ARRAY_SIZE(values); i++)
		for (j = 0; j < ARRAY_SIZE(values); j++) {
			unsigned int want = least(values[i], values[j], 256);

			if (want < 11)
				want = 11;
			tap_expect(xenblk_limits_segments(values[i],
							  values[j]),
				   want, "segments(%u, %u)", values[i],
				   values[j]);
		}
	tap_verdict("segments: the lesser of two, 11 to 256");
}

static void check_check_queues(void)
{
	size_t i, j;

	for (i = 0; i < ARRAY_SIZE(values); i++)
		for (j = 0; j < ARRAY_SIZE(values); j++) {
			bool fits = values[i] != 0 && !(values[i] > values[j]);

			tap_expect(xenblk_limits_check_queues(values[i],
							      values[j]),
				   fits ? 0 : -ERANGE, "check_queues(%u, %u)",
				   values[i], values[j]);
		}
	tap_verdict("check_queues refuses 0 and what is above the limit");
}

static void check_check_ring_order(void)
{
	size_t i, j;

	for (i = 0; i < ARRAY_SIZE(values); i++)
		for (j = 0; j < ARRAY_SIZE(values); j++) {
			bool fits = !(values[i] > values[j]) && values[i] < 5;

			tap_expect(xenblk_limits_check_ring_order(values[i],
								  values[j]),
				   fits ? 0 : -ERANGE,
				   "check_ring_order(%u, %u)", values[i],
				   values[j]);
		}
	tap_verdict("check_ring_order refuses what is above either limit");
}

static void expect_order_of(unsigned int pages)
{
	unsigned int order = 77, bit;
	int err = xenblk_limits_order_of_pages(pages, &order);

	for (bit = 0; bit < 32; bit++)
		if (pages == 1U << bit)
			break;
	tap_expect(err, bit < 32 ? 0 : -ERANGE, "error for %u pages", pages);
	tap_expect(order, bit < 32 ? bit : 77, "order of %u pages", pages);
}

static void check_order_of_pages(void)
{
	unsigned int pages, bit;
	size_t i;

	for (pages = 0; pages <= 70000; pages++)
		expect_order_of(pages);
	for (bit = 16; bit < 32; bit++) {
		expect_order_of((1U << bit) - 1);
		expect_order_of(1U << bit);
		expect_order_of((1U << bit) + 1);
	}
	for (i = 0; i < ARRAY_SIZE(values); i++)
		expect_order_of(values[i]);
	tap_verdict("order_of_pages takes powers of two only");
}

int main(void)
{
	check_offer();
	check_queues();
	check_polled();
	check_ring_order();
	check_segments();
	check_check_queues();
	check_check_ring_order();
	check_order_of_pages();
	return tap_done();
}
