// SPDX-License-Identifier: GPL-2.0-only
/* The server's side of a session: run the script, send what it prints. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent.h"

#define STATUS_NOT_RUN	126

struct child {
	pid_t pid;
	int pidfd;
	int output;
};

static bool send_frame(struct stream *s, enum frame_type type, const void *data, uint32_t len)
{
	struct frame_head head = { .type = type, .len = len };

	return stream_write(s, &head, sizeof(head)) && stream_write(s, data, len);
}

static char *receive_script(struct stream *s)
{
	uint32_t len;
	char *script;

	if (!stream_read(s, &len, sizeof(len)) || len > SCRIPT_MAX)
		return NULL;
	script = calloc(1, len + 1);
	if (script && !stream_read(s, script, len)) {
		free(script);
		return NULL;
	}
	return script;
}

static void run_shell(const char *shell, const char *script, int output)
{
	int null = open("/dev/null", O_RDONLY);

	setsid();
	signal(SIGPIPE, SIG_DFL);
	dup2(null, STDIN_FILENO);
	dup2(output, STDOUT_FILENO);
	dup2(output, STDERR_FILENO);
	closefrom(STDERR_FILENO + 1);
	execl(shell, shell, "-c", script, NULL);
	_exit(127);
}

static bool start_child(struct child *c, const char *shell, const char *script)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC))
		return false;
	c->pid = fork();
	if (c->pid == 0)
		run_shell(shell, script, ends[1]);
	close(ends[1]);
	c->output = ends[0];
	fcntl(c->output, F_SETFL, O_NONBLOCK);
	c->pidfd = c->pid > 0 ? syscall(SYS_pidfd_open, c->pid, 0) : -1;
	return c->pidfd >= 0;
}

/* Sends all that is there now; false once the client is gone. */
static bool forward_output(struct stream *s, struct child *c, bool *eof)
{
	char buf[FRAME_MAX];
	ssize_t n;

	while ((n = read(c->output, buf, sizeof(buf))) > 0)
		if (!send_frame(s, FRAME_OUTPUT, buf, n))
			return false;
	*eof = n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR);
	return true;
}

/*
 * The end of the script ends the session, even if a process that it left in
 * the background still holds the pipe.
 */
static bool follow_child(struct stream *s, struct child *c)
{
	struct pollfd p[] = {
		{ .fd = c->pidfd, .events = POLLIN },
		{ .fd = s->fd, .events = POLLIN | POLLRDHUP },
		{ .fd = c->output, .events = POLLIN },
	};
	bool eof = false;

	while (!(p[0].revents & POLLIN)) {
		if (poll(p, 3, -1) < 0 && errno != EINTR)
			return false;
		if (p[1].revents)
			stream_ack_event(s);
		if (stream_closed(s) || !forward_output(s, c, &eof))
			return false;
		if (eof)
			p[2].fd = -1;
	}
	return true;
}

static uint32_t exit_status(pid_t pid)
{
	int status = 0;

	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void serve_session(struct stream *s, const char *shell)
{
	char *script = receive_script(s);
	struct child c = { 0 };
	uint32_t status = STATUS_NOT_RUN;
	bool heard;

	if (!script || !start_child(&c, shell, script)) {
		send_frame(s, FRAME_EXIT, &status, sizeof(status));
		free(script);
		return;
	}
	heard = follow_child(s, &c);
	if (!heard)
		kill(-c.pid, SIGKILL);
	status = exit_status(c.pid);
	if (heard)
		send_frame(s, FRAME_EXIT, &status, sizeof(status));
	close(c.pidfd);
	close(c.output);
	free(script);
}
