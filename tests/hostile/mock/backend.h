/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A block backend in user space: it serves a guest from memory as well as any,
 * or says to its frontend what no driver would.
 */
#ifndef BACKEND_H
#define BACKEND_H

#include <stdio.h>

#include "mock.h"

#define DISK_BYTES	(8U << 20)
#define MAX_LISTED	256
#define MAX_HELD	512

/* Wire status, io/blkif.h */
enum { STATUS_OK = 0, STATUS_ERROR = -1, STATUS_NOTSUPP = -2 };

/* The backend's end of a ring. */
struct served {
	volatile struct sring *sring;
	unsigned int nr_pages;
	xenevtchn_port_or_error_t port;
	uint32_t nr_ents, req_cons, rsp_prod;
};

/* A request as it was taken from a ring; of an indirect one what is inside. */
struct job {
	struct served *ring;
	uint8_t op;
	uint16_t nr_segments;
	uint64_t id, sector;
	struct segment seg[MAX_LISTED];
};

struct backend {
	struct mock m;
	unsigned int domid;
	xengnttab_handle *gnt;
	uint8_t *disk;

	/* of the present disk; the index gives number and name */
	unsigned int index;
	char name[8];
	struct served ring[MAX_QUEUES];
	unsigned int nr_rings;
	unsigned int max_segments;	/* more in a request ends the mock */
	void (*answer)(struct backend *b, struct job *job);
	int status;
	unsigned int nr_events, nr_flushes, nr_barriers;
	struct job *held;
	unsigned int nr_held;
	void *kept;
	const char *word;

	/* script that runs in the guest */
	FILE *guest;
	char said[512];
	int guest_status;
};

/* back-attach.c */
void back_open(struct backend *b, unsigned int domid);
void back_close(struct backend *b);
void back_prepare(struct backend *b, unsigned int index);
void back_show(struct backend *b);
void back_show_disk(struct backend *b);
void back_set_state(struct backend *b, int state);
bool back_connect(struct backend *b);
bool back_attach(struct backend *b, unsigned int index);
void back_unmap(struct backend *b);
void back_remove(struct backend *b);
void back_detach(struct backend *b);
void back_check_error(struct backend *b, const char *name, const char *word);

/* back-ring.c */
void served_map(struct backend *b, struct served *ring, const char *dir,
		unsigned int nr_pages);
void served_unmap(struct backend *b, struct served *ring);
bool served_take(struct backend *b, struct served *ring, struct job *job);
void served_put(struct served *ring, uint64_t id, uint8_t op, int status);
void served_publish(struct served *ring);
void served_push(struct backend *b, struct served *ring);

/* back-serve.c */
int job_do(struct backend *b, const struct job *job);
void job_respond(struct backend *b, const struct job *job, int status);
void answer_truly(struct backend *b, struct job *job);
void answer_status(struct backend *b, struct job *job);
void answer_silently(struct backend *b, struct job *job);
void answer_later(struct backend *b, struct job *job);
void back_answer_held(struct backend *b);
bool back_serve(struct backend *b, bool (*done)(struct backend *b));
bool front_connected(struct backend *b);
bool front_closed(struct backend *b);

/* back-guest.c: FORMAT is a script for the guest, without single quotes */
__printf(2, 3)
void guest_start(struct backend *b, const char *format, ...);
bool guest_ended(struct backend *b);
__printf(2, 3)
int guest_run(struct backend *b, const char *format, ...);
int guest_read(struct backend *b);
int guest_fio(struct backend *b, const char *options);
void guest_start_fio(struct backend *b, const char *options);
void guest_check_gone(struct backend *b, const char *name);

/* the cases */
void back_cases_answers(struct backend *b);
void back_cases_nodes(struct backend *b);
void back_cases_states(struct backend *b);
void back_cases_kinds(struct backend *b);
void back_cases_leaks(struct backend *b);
void back_cases_mute(struct backend *b);

#endif /* BACKEND_H */
