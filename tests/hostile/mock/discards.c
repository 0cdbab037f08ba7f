// SPDX-License-Identifier: GPL-2.0-only
/*
 * Discards: what is refused changes nothing, what is done ends where it says.
 */
#include <string.h>
#include <time.h>

#include "mock.h"

#define VDEV		900051
#define SECTOR		512

/* The place that is looked at, in sectors; it fits the pages of a disk. */
#define HERE		64
#define SPAN		48

#define SECURE		1

/* Longer than any of it takes, and shorter than sector by sector would. */
#define HUGE_SECONDS	25

static const struct discard_case {
	const char *name;
	uint64_t sector, nr_sectors;
	uint8_t flag;
	/* from the end of the disk instead of its start */
	bool from_end;
	int status;
} cases[] = {
	{ "nothing", HERE, 0, 0, false, -1 },
	{ "at the end", 0, 1, 0, true, -1 },
	{ "across the end", -1, 2, 0, true, -1 },
	{ "more than the disk", 0, 1ULL << 32, 0, false, -1 },
	{ "as much as there can be", 0, UINT64_MAX, 0, false, -1 },
	{ "a start that wraps", UINT64_MAX - 7, 16, 0, false, -1 },
	{ "a sum that wraps to 0", HERE, -HERE, 0, false, -1 },
	{ "a sum that wraps beyond", HERE, -8, 0, false, -1 },
	{ "secure", HERE, 8, SECURE, false, -2 },
	{ "every flag", HERE, 8, 0xff, false, -2 },
	{ "the last sector", -1, 1, 0, true, 0 },
	{ "a flag that means nothing", HERE + SPAN, 8, 0xfe, false, 0 },
};

static int discard(struct disk *d, uint64_t sector, uint64_t nr, uint8_t flag)
{
	struct request req;

	disk_build(d, &req, OP_DISCARD, sector, 0);
	req.nr_sectors = nr;
	req.flag = flag;
	return disk_do(d, 0, &req);
}

static uint8_t pattern(unsigned int sector)
{
	return 1 + sector % 251;
}

static bool fill(struct disk *d)
{
	struct request req;
	unsigned int i;

	for (i = 0; i < SPAN; i++)
		memset(d->data + i * SECTOR, pattern(i), SECTOR);
	disk_build(d, &req, OP_WRITE, HERE, SPAN);
	return !disk_do(d, 0, &req);
}

static bool is_full_of(const uint8_t *data, uint8_t byte)
{
	return *data == byte && !memcmp(data, data + 1, SECTOR - 1);
}

/* Is the place as filled, but for sectors first to first + nr - 1? */
static bool holds(struct disk *d, unsigned int first, unsigned int nr)
{
	struct request req;
	unsigned int i;

	memset(d->data, 0xee, SPAN * SECTOR);
	disk_build(d, &req, OP_READ, HERE, SPAN);
	if (disk_do(d, 0, &req))
		return false;
	for (i = 0; i < SPAN; i++) {
		bool gone = i >= first && i < first + nr;

		if (!is_full_of(d->data + i * SECTOR, gone ? 0 : pattern(i)))
			return false;
	}
	return true;
}

/* Every start and length within three pages: no byte beside them goes. */
static void run_alignments(struct disk *d)
{
	unsigned int first, nr, bad = 0;

	for (first = 0; first < 9; first++)
		for (nr = 1; nr < 26; nr++) {
			if (!fill(d) || discard(d, HERE + first, nr, 0) ||
			    !holds(d, first, nr))
				bad++;
		}
	tap_check(!bad, "discards from 1 to 25 sectors at every alignment: %u went wrong",
		  bad);
}

static void run_cases(struct disk *d)
{
	uint64_t sectors = disk_number(d, "sectors");
	unsigned int i;

	tap_check(fill(d), "the disk can be filled");
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct discard_case *c = &cases[i];
		uint64_t sector = c->sector + (c->from_end ? sectors : 0);
		int status = discard(d, sector, c->nr_sectors, c->flag);

		tap_check(status == c->status, "%s: answer %d, want %d",
			  c->name, status, c->status);
		tap_check(holds(d, 0, 0), "%s: the rest is as before", c->name);
	}
}

static void run_layout(const char *disk, bool layout32)
{
	struct disk d;

	disk_open(&d, VDEV, disk, "w");
	disk_connect(&d, 1, layout32);
	tap_check(disk_number(&d, "feature-discard") == 1, "offered");
	tap_check(disk_number(&d, "discard-secure") == 0, "not the secure one");
	run_cases(&d);
	run_alignments(&d);
	disk_close(&d);
}

/* Not offered: by the administrator, or since nothing may change. */
static void run_refused(const char *disk, const char *mode, const char *enable)
{
	struct disk d;

	disk_open(&d, VDEV, disk, mode);
	mock_write(&d.m, d.m.back, "discard-enable", "%s", enable);
	disk_connect(&d, 1, false);
	tap_check(disk_number(&d, "feature-discard") == 0,
		  "mode %s, discard-enable %s: not offered", mode, enable);
	tap_check(discard(&d, HERE, 8, 0) == -2, "and refused");
	tap_check(discard(&d, HERE, 8, SECURE) == -2, "also the secure one");
	tap_check(discard(&d, 0, 0, 0) == -2, "and that of nothing");
	tap_check(holds(&d, 8, 17), "the disk is as before");
	disk_close(&d);
}

void cases_discards(const char *disk)
{
	struct disk d;

	run_layout(disk, true);
	run_layout(disk, false);
	disk_open(&d, VDEV, disk, "w");
	disk_connect(&d, 1, false);
	tap_check(fill(&d) && !discard(&d, HERE + 8, 17, 0) &&
		  holds(&d, 8, 17), "a discard for comparison");
	disk_close(&d);
	run_refused(disk, "w", "0");
	run_refused(disk, "w", "yes");
	run_refused(disk, "r", "1");
}

/* One request of 2^32 sectors, and one more sector than a bio can have. */
void cases_huge(const char *disk)
{
	time_t start = time(NULL);
	struct disk d;

	disk_open(&d, VDEV, disk, "w");
	disk_connect(&d, 1, false);
	tap_check(fill(&d), "the disk can be filled");
	tap_check(discard(&d, HERE + 7, 1ULL << 32, 0) == 0,
		  "one discard of 2^32 sectors");
	tap_check(holds(&d, 7, SPAN), "what is before it is as it was");
	tap_check(fill(&d), "the disk can be filled");
	tap_check(discard(&d, HERE + 1, 1ULL << 23, 0) == 0,
		  "one discard of 2^23 sectors");
	tap_check(holds(&d, 1, SPAN), "what is before it is as it was");
	tap_check(time(NULL) - start < HUGE_SECONDS, "that took %ld s",
		  (long)(time(NULL) - start));
	disk_close(&d);
}
