// SPDX-License-Identifier: GPL-2.0-only
/* Command line of the agent: server in dom0 and guest, client outside. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent.h"

static int usage(void)
{
	fputs("agent serve-tcp PORT SHELL | serve-vchan SLOTS SHELL |\n"
	      "      run-tcp PORT SCRIPT | run-vchan DOMID LOCKDIR SCRIPT |\n"
	      "      wait-node SECONDS PATH VALUE | wait-disk SECONDS DEVICE |\n"
	      "      sum DEVICE | ioctl DEVICE REQUEST\n", stderr);
	return 2;
}

static int run_tcp(const char *port, const char *script)
{
	struct stream s = { .fd = tcp_connect(port) };

	if (s.fd < 0) {
		perror("agent: connect");
		return 255;
	}
	return client_run(&s, script, strlen(script), -1);
}

static int run_vchan(const char *domid, const char *lock_dir, const char *script)
{
	struct stream s = { .fd = -1 };
	int status;

	if (!vchan_connect(&s, atoi(domid), lock_dir)) {
		fprintf(stderr, "agent: domain %s does not answer\n", domid);
		return 255;
	}
	status = client_run(&s, script, strlen(script), atoi(domid));
	vchan_disconnect(&s);
	return status;
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";

	signal(SIGPIPE, SIG_IGN);
	if (!strcmp(mode, "serve-tcp") && argc == 4)
		return tcp_serve(argv[2], argv[3]);
	if (!strcmp(mode, "serve-vchan") && argc == 4)
		return vchan_serve(atoi(argv[2]), argv[3]);
	if (!strcmp(mode, "run-tcp") && argc == 4)
		return run_tcp(argv[2], argv[3]);
	if (!strcmp(mode, "run-vchan") && argc == 5)
		return run_vchan(argv[2], argv[3], argv[4]);
	if (!strcmp(mode, "wait-node") && argc == 5)
		return wait_node(argv[2], argv[3], argv[4]);
	if (!strcmp(mode, "wait-disk") && argc == 4)
		return wait_disk(argv[2], argv[3]);
	if (!strcmp(mode, "sum") && argc == 3)
		return print_sum(argv[2]);
	if (!strcmp(mode, "ioctl") && argc == 4)
		return print_ioctl(argv[2], argv[3]);
	return usage();
}
