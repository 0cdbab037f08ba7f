// SPDX-License-Identifier: GPL-2.0-only
/*
 * The way from dom0 to a guest: a few slots, each an own vchan for one session
 * at a time. A slot's "ready" node names the path of the vchan that waits.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <libxenvchan.h>
#include <xenstore.h>

#include "agent.h"

#define SLOTS_MAX	16
#define TO_GUEST_BYTES	4096
#define TO_DOM0_BYTES	(64u << 10)

static struct xs_handle *store;
static int watch_fd = -1;

static bool publish(struct xs_handle *xs, int slot, const char *value)
{
	char node[64];

	snprintf(node, sizeof(node), "data/agent/%d/ready", slot);
	return xs_write(xs, XBT_NULL, node, value, strlen(value));
}

static bool wait_for_client(struct libxenvchan *vchan)
{
	while (libxenvchan_is_open(vchan) == 2)
		if (libxenvchan_wait(vchan) < 0)
			return false;
	return true;
}

/*
 * The library unmaps the rings before it says that the client is gone. Pages that
 * dom0 still maps when they are taken back are freed by the guest's kernel later,
 * ten a second, and would look like a leak of whatever is tested. A client of
 * before a restore is never seen to go: so this process sleeps, as it has to.
 */
static void wait_for_client_end(struct libxenvchan *vchan)
{
	while (libxenvchan_is_open(vchan))
		if (libxenvchan_wait(vchan) < 0)
			return;
}

static bool serve_once(struct xs_handle *xs, int slot, unsigned int session, const char *shell)
{
	struct stream s;
	char path[64];

	snprintf(path, sizeof(path), "data/agent/%d/%u", slot, session);
	s.vchan = libxenvchan_server_init(NULL, 0, path, TO_GUEST_BYTES, TO_DOM0_BYTES);
	if (!s.vchan)
		return false;
	s.vchan->blocking = 1;
	s.fd = libxenvchan_fd_for_select(s.vchan);
	publish(xs, slot, path);
	if (wait_for_client(s.vchan)) {
		publish(xs, slot, "");
		serve_session(&s, shell);
		wait_for_client_end(s.vchan);
	}
	libxenvchan_close(s.vchan);
	xs_rm(xs, XBT_NULL, path);
	return true;
}

static void serve_slot(int slot, const char *shell)
{
	struct xs_handle *xs = xs_open(0);
	unsigned int session = 0;

	while (xs && serve_once(xs, slot, session, shell))
		session++;
	fprintf(stderr, "agent: slot %d stops\n", slot);
	_exit(1);
}

static bool has_domid(struct xs_handle *xs, const char *domid)
{
	char *now = xs_read(xs, XBT_NULL, "domid", NULL);
	bool same = now && domid && !strcmp(now, domid);

	free(now);
	return same;
}

/*
 * While the guest's grant table is full there is no vchan, and the library ends
 * the process instead of saying so.
 */
static void keep_slot(int slot, const char *domid, const char *shell)
{
	struct xs_handle *xs = xs_open(0);
	pid_t pid;

	while (xs && has_domid(xs, domid)) {
		pid = fork();
		if (pid == 0)
			serve_slot(slot, shell);
		waitpid(pid, NULL, 0);
		sleep(1);
	}
	_exit(1);
}

/*
 * In a guest that was saved and restored all vchans are dead, without an event:
 * other slots take over. Those of before sleep for good, for the kernel has a
 * BUG() for who closes an event channel of another domain's life; who kept them
 * can go.
 */
int vchan_serve(int slots, const char *shell)
{
	struct xs_handle *xs = xs_open(0);
	int watch = watch_open(), slot;
	pid_t keepers[SLOTS_MAX];
	char *domid;

	if (!xs || watch < 0 || slots > SLOTS_MAX)
		return 1;
	domid = xs_read(xs, XBT_NULL, "domid", NULL);
	watch_add(watch, "domid");
	for (slot = 0; slot < slots; slot++) {
		keepers[slot] = fork();
		if (keepers[slot] == 0)
			keep_slot(slot, domid, shell);
	}
	while (watch_wait(watch) && has_domid(xs, domid))
		;
	for (slot = 0; slot < slots; slot++)
		if (keepers[slot] > 0)
			kill(keepers[slot], SIGKILL);
	return 1;
}

static char *slot_path(struct xs_handle *xs, unsigned int domid, int slot)
{
	char node[96];
	char *path;

	snprintf(node, sizeof(node), "/local/domain/%u/data/agent/%d/ready", domid, slot);
	path = xs_read(xs, XBT_NULL, node, NULL);
	if (path && *path)
		return path;
	free(path);
	return NULL;
}

/* The lock is held until the client exits: one client a slot. */
static bool lock_slot(const char *dir, unsigned int domid, int slot)
{
	char file[128];
	int fd;

	snprintf(file, sizeof(file), "%s/agent-%u-%d.lock", dir, domid, slot);
	fd = open(file, O_CREAT | O_RDWR | O_CLOEXEC, 0600);
	if (fd < 0)
		return false;
	if (!flock(fd, LOCK_EX | LOCK_NB))
		return true;
	close(fd);
	return false;
}

static char *wait_for_slot(unsigned int domid, int slot)
{
	char *path;

	while (!(path = slot_path(store, domid, slot)))
		if (!watch_wait(watch_fd) || !xs_is_domain_introduced(store, domid))
			break;
	return path;
}

static bool connect_path(struct stream *s, unsigned int domid, const char *path)
{
	char full[128];

	snprintf(full, sizeof(full), "/local/domain/%u/%s", domid, path);
	s->vchan = libxenvchan_client_init(NULL, domid, full);
	if (!s->vchan)
		return false;
	s->vchan->blocking = 1;
	s->fd = libxenvchan_fd_for_select(s->vchan);
	return true;
}

bool vchan_connect(struct stream *s, unsigned int domid, const char *lock_dir)
{
	char node[64];
	char *path;
	int slot = 0;

	store = xs_open(0);
	watch_fd = watch_open();
	while (slot < SLOTS_MAX && !lock_slot(lock_dir, domid, slot))
		slot++;
	if (!store || watch_fd < 0 || slot == SLOTS_MAX)
		return false;
	snprintf(node, sizeof(node), "/local/domain/%u/data/agent/%d", domid, slot);
	watch_add(watch_fd, node);
	watch_add(watch_fd, "@releaseDomain");
	path = wait_for_slot(domid, slot);
	return path && connect_path(s, domid, path);
}

/* Said at once, so that the guest need not wait for this process's end. */
void vchan_disconnect(struct stream *s)
{
	libxenvchan_close(s->vchan);
}

/* A domain that dies sends no event on the vchan: xenstore tells. */
int vchan_death_fd(void)
{
	return watch_fd;
}

bool vchan_peer_gone(unsigned int domid)
{
	return !watch_wait(watch_fd) || !xs_is_domain_introduced(store, domid);
}
