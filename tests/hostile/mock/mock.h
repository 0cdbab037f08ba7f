/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A block frontend in user space, to say to a backend what no driver would;
 * and what it shares with the backend of backend.h.
 *
 * They share nothing with the drivers: rings are built by byte offsets from
 * Xen's io/blkif.h, so that a wrong layout in the drivers shows.
 */
#ifndef MOCK_H
#define MOCK_H

#include <stdbool.h>
#include <stdint.h>

#include <xenevtchn.h>
#include <xengnttab.h>
#include <xenstore.h>

#define __printf(a, b)	__attribute__((format(printf, a, b)))

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

#define PAGE_BYTES	4096
#define MAX_PAGES	16
#define MAX_QUEUES	8
#define MAX_SEGMENTS	11

/* Long enough for emulation; nothing waits so long unless it failed. */
#define WAIT_SECONDS	30

/* xenbus states, io/xenbus.h */
enum { INITIALISING = 1, INITWAIT, INITIALISED, CONNECTED, CLOSING, CLOSED };

/* Operations, io/blkif.h */
enum { OP_READ, OP_WRITE, OP_BARRIER, OP_FLUSH, OP_DISCARD = 5, OP_INDIRECT };

struct segment {
	uint32_t gref;
	uint8_t first, last;
	uint16_t pad;
};

struct request {
	uint8_t op, inner_op, flag;
	uint16_t nr_segments;
	uint64_t id, sector, nr_sectors;
	struct segment seg[MAX_SEGMENTS];
	uint32_t list_gref;
};

struct response {
	uint64_t id;
	uint8_t op;
	int16_t status;
};

struct sring {
	uint32_t req_prod, req_event, rsp_prod, rsp_event;
	uint8_t pad[48];
	uint8_t entries[];
};

struct ring {
	volatile struct sring *sring;
	uint32_t ref[MAX_PAGES];
	unsigned int nr_pages;
	xenevtchn_port_or_error_t port;
	bool layout32;
	uint32_t req_prod, rsp_cons, nr_ents;
};

struct mock {
	struct xs_handle *xs;
	xengntshr_handle *shr;
	xenevtchn_handle *evt;
	unsigned int vdev;
	char front[96], back[96];
	const char *disk, *mode;
	struct ring ring[MAX_QUEUES];
	unsigned int nr_queues;
};

/* tap.c */
__printf(2, 3)
void tap_check(bool ok, const char *format, ...);
__printf(1, 2)
void tap_note(const char *format, ...);
int tap_done(void);

/* store.c: DIR and END are the directory of either end */
void mock_write_in(struct mock *m, xs_transaction_t t, const char *dir,
		   const char *key, const char *value);
__printf(4, 5)
void mock_write(struct mock *m, const char *dir, const char *key,
		const char *format, ...);
void mock_remove(struct mock *m, const char *dir, const char *key);
char *mock_read(struct mock *m, const char *dir, const char *key);
int mock_state_of(struct mock *m, const char *dir);
int mock_state(struct mock *m);
bool mock_await_state_of(struct mock *m, const char *dir, int state);
bool mock_await_state(struct mock *m, int state);
void mock_error_dir(const char *end, char *dir, size_t size);
char *mock_error_of(struct mock *m, const char *end);
char *mock_error(struct mock *m);

/* attach.c */
void mock_open(struct mock *m, unsigned int vdev, const char *disk,
	       const char *mode);
void mock_close(struct mock *m);
void mock_attach(struct mock *m);
void mock_detach(struct mock *m);
void mock_vanish(struct mock *m);
bool mock_restart(struct mock *m);

/* ring.c */
void ring_create(struct mock *m, struct ring *ring, unsigned int nr_pages,
		 bool layout32);
void ring_destroy(struct mock *m, struct ring *ring);
void ring_put(struct ring *ring, const struct request *req);
void ring_push(struct mock *m, struct ring *ring);
bool ring_await(struct mock *m, struct ring *ring, struct response *rsp);
bool ring_do(struct mock *m, struct ring *ring, const struct request *req,
	     struct response *rsp);

/* link.c */
void link_create(struct mock *m, unsigned int nr_queues, unsigned int order,
		 bool layout32);
void link_publish(struct mock *m, const char *protocol);
bool link_up(struct mock *m, unsigned int nr_queues, unsigned int order,
	     bool layout32);
void link_down(struct mock *m);

/* child.c: counts what it does, until it is ended */
struct child {
	int pid;
	volatile unsigned long *count;
};

void child_start(struct child *c,
		 void (*work)(const struct mock *m, volatile unsigned long *n),
		 const struct mock *m);
void child_end(struct child *c);

/* disk.c */
struct disk {
	struct mock m;
	uint8_t *data;
	uint32_t ref[MAX_SEGMENTS];
};

void disk_open(struct disk *d, unsigned int vdev, const char *disk,
	       const char *mode);
void disk_connect(struct disk *d, unsigned int nr_queues, bool layout32);
void disk_close(struct disk *d);
void disk_build(const struct disk *d, struct request *req, uint8_t op,
		uint64_t sector, unsigned int nr_sectors);
int disk_do(struct disk *d, unsigned int queue, const struct request *req);
uint64_t disk_number(struct disk *d, const char *key);
long mock_now_ms(void);
long mock_ring_number(const struct mock *m, unsigned int ring,
		      const char *column);

/* the cases */
void cases_barriers(const char *disk);
void cases_blocks(const char *disk);
void cases_protected(const char *disk);
void cases_discards(const char *disk);
void cases_drain(const char *disk);
void cases_floods(const char *disk);
void cases_huge(const char *disk);
void cases_kinds(const char *disk);
void cases_brief(const char *disk);
void cases_lives(const char *disk);
void cases_omitted(const char *disk);
void cases_nodes(const char *disk);
void cases_requests(const char *disk);
void cases_resize(const char *disk);
void cases_rings(const char *disk);
void cases_states(const char *disk);
void cases_persistent(const char *disk);

#endif /* MOCK_H */
