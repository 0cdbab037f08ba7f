/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Remote shell of the test host: what its files share.
 *
 * A session is one script: the client sends its length and text, the server
 * answers with frames of output and a last frame with the exit status.
 */
#ifndef XENBLK_AGENT_H
#define XENBLK_AGENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SCRIPT_MAX	(120u << 10)	/* one execve argument holds 128 KiB */
#define FRAME_MAX	(16u << 10)

enum frame_type {
	FRAME_OUTPUT = 'O',
	FRAME_EXIT = 'X',
};

struct frame_head {
	uint32_t type;
	uint32_t len;
};

struct libxenvchan;

/* Either a socket, or a vchan between two domains. */
struct stream {
	int fd;				/* to poll; the socket itself without a vchan */
	struct libxenvchan *vchan;
};

/* stream.c */
bool stream_read(struct stream *s, void *buf, size_t len);
bool stream_write(struct stream *s, const void *buf, size_t len);
bool stream_closed(struct stream *s);
bool stream_has_data(struct stream *s);
void stream_ack_event(struct stream *s);

/* serve.c */
void serve_session(struct stream *s, const char *shell);

/* tcp.c */
int tcp_serve(const char *port, const char *shell);
int tcp_connect(const char *port);

/* vchan.c */
int vchan_serve(int slots, const char *shell);
bool vchan_connect(struct stream *s, unsigned int domid, const char *lock_dir);
void vchan_disconnect(struct stream *s);
bool vchan_peer_gone(unsigned int domid);
int vchan_death_fd(void);

/* watch.c */
int watch_open(void);
bool watch_add(int fd, const char *path);
bool watch_wait(int fd);

/* wait.c: 0 once it is so, 1 when the time is over */
int wait_node(const char *seconds, const char *path, const char *want);
int wait_disk(const char *seconds, const char *device);

/* sum.c */
int print_sum(const char *device);

/* ioctl.c */
int print_ioctl(const char *device, const char *request);

/* client.c */
int client_run(struct stream *s, const char *script, size_t len, int domid);

#endif
