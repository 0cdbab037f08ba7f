// SPDX-License-Identifier: GPL-2.0-only
/* The backend's end of a ring, in the layout of 64 bits. */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "backend.h"

/* Bytes and byte offsets, from io/blkif.h. */
enum {
	ENTRY = 112, REQUEST_ID = 8, REQUEST_SECTOR = 16, REQUEST_SEGMENTS = 24,
	INDIRECT_LIST = 28, RESPONSE_OP = 8, RESPONSE_STATUS = 10,
};

static uint32_t entries_of(unsigned int nr_pages)
{
	uint32_t room = nr_pages * PAGE_BYTES - sizeof(struct sring), nr = 1;

	while (nr * 2 <= room / ENTRY)
		nr *= 2;
	return nr;
}

static uint32_t read_node(struct backend *b, const char *dir, const char *key)
{
	char *text = mock_read(&b->m, dir, key);
	uint32_t number;

	if (!text)
		errx(2, "%s: no %s", dir, key);
	number = strtoul(text, NULL, 10);
	free(text);
	return number;
}

void served_map(struct backend *b, struct served *ring, const char *dir,
		unsigned int nr_pages)
{
	uint32_t ref[MAX_PAGES];
	char key[16];
	unsigned int i;

	for (i = 0; i < nr_pages; i++) {
		snprintf(key, sizeof(key), "ring-ref%u", i);
		ref[i] = read_node(b, dir, nr_pages == 1 ? "ring-ref" : key);
	}
	memset(ring, 0, sizeof(*ring));
	ring->nr_pages = nr_pages;
	ring->nr_ents = entries_of(nr_pages);
	ring->sring = xengnttab_map_domain_grant_refs(b->gnt, nr_pages,
						      b->domid, ref,
						      PROT_READ | PROT_WRITE);
	if (!ring->sring)
		err(2, "can't map the ring of %s", dir);
	ring->port = xenevtchn_bind_interdomain(b->m.evt, b->domid,
						read_node(b, dir,
							  "event-channel"));
	if (ring->port < 0)
		err(2, "can't bind the channel of %s", dir);
}

void served_unmap(struct backend *b, struct served *ring)
{
	xenevtchn_unbind(b->m.evt, ring->port);
	xengnttab_unmap(b->gnt, (void *)ring->sring, ring->nr_pages);
	ring->sring = NULL;
}

static uint8_t *slot_of(struct served *ring, uint32_t index)
{
	return (uint8_t *)ring->sring->entries +
	       (index & (ring->nr_ents - 1)) * ENTRY;
}

/* One page lists all that this backend offers. */
static void copy_list(struct backend *b, struct job *job, uint32_t gref)
{
	xengnttab_grant_copy_segment_t copy = {
		.source.foreign = { .ref = gref, .domid = b->domid },
		.dest.virt = job->seg,
		.len = job->nr_segments * sizeof(job->seg[0]),
		.flags = GNTCOPY_source_gref,
	};

	if (xengnttab_grant_copy(b->gnt, 1, &copy) || copy.status)
		errx(2, "%s: can't copy a list of segments", b->name);
}

static void read_form(struct backend *b, struct job *job, const uint8_t *slot)
{
	uint32_t gref;

	if (job->op != OP_INDIRECT) {
		job->nr_segments = slot[1];
		memcpy(job->seg, slot + REQUEST_SEGMENTS,
		       MAX_SEGMENTS * sizeof(job->seg[0]));
		return;
	}
	job->op = slot[1];
	memcpy(&job->nr_segments, slot + 2, 2);
	memcpy(&gref, slot + INDIRECT_LIST, 4);
	if (job->nr_segments > b->max_segments)
		errx(2, "%s: %u segments, of %u", b->name, job->nr_segments,
		     b->max_segments);
	copy_list(b, job, gref);
}

/* False when none waits; then the next one raises an event. */
bool served_take(struct backend *b, struct served *ring, struct job *job)
{
	uint8_t slot[ENTRY];

	ring->sring->req_event = ring->req_cons + 1;
	__sync_synchronize();
	if (ring->sring->req_prod == ring->req_cons)
		return false;
	__sync_synchronize();
	memcpy(slot, slot_of(ring, ring->req_cons++), ENTRY);
	memset(job, 0, sizeof(*job));
	job->ring = ring;
	job->op = slot[0];
	memcpy(&job->id, slot + REQUEST_ID, 8);
	memcpy(&job->sector, slot + REQUEST_SECTOR, 8);
	read_form(b, job, slot);
	return true;
}

void served_put(struct served *ring, uint64_t id, uint8_t op, int status)
{
	uint8_t *slot = slot_of(ring, ring->rsp_prod++);
	int16_t wire = status;

	memcpy(slot, &id, 8);
	slot[RESPONSE_OP] = op;
	memcpy(slot + RESPONSE_STATUS, &wire, 2);
}

void served_publish(struct served *ring)
{
	__sync_synchronize();
	ring->sring->rsp_prod = ring->rsp_prod;
	__sync_synchronize();
}

void served_push(struct backend *b, struct served *ring)
{
	served_publish(ring);
	xenevtchn_notify(b->m.evt, ring->port);
}
