// SPDX-License-Identifier: GPL-2.0-only
/* The way from the machine to dom0: one TCP connection a session. */
#include <arpa/inet.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "agent.h"

static struct sockaddr_in address(const char *port, in_addr_t host)
{
	return (struct sockaddr_in) {
		.sin_family = AF_INET,
		.sin_port = htons(atoi(port)),
		.sin_addr.s_addr = htonl(host),
	};
}

static int listen_on(const char *port)
{
	struct sockaddr_in at = address(port, INADDR_ANY);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int one = 1;

	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(fd, (struct sockaddr *)&at, sizeof(at)) || listen(fd, 16))
		return -1;
	return fd;
}

static void serve_connection(int fd, const char *shell)
{
	struct stream s = { .fd = fd };

	signal(SIGCHLD, SIG_DFL);
	serve_session(&s, shell);
	_exit(0);
}

int tcp_serve(const char *port, const char *shell)
{
	int fd = listen_on(port);
	int peer;

	if (fd < 0)
		return 1;
	signal(SIGCHLD, SIG_IGN);
	puts("ready");
	fflush(stdout);
	while ((peer = accept(fd, NULL, NULL)) >= 0) {
		if (fork() == 0)
			serve_connection(peer, shell);
		close(peer);
	}
	return 1;
}

int tcp_connect(const char *port)
{
	struct sockaddr_in at = address(port, INADDR_LOOPBACK);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (connect(fd, (struct sockaddr *)&at, sizeof(at)))
		return -1;
	return fd;
}
