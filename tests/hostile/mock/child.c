// SPDX-License-Identifier: GPL-2.0-only
/* Processes that do something beside the frontend. */
#include <err.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mock.h"

/* @work has no end; handles of @m are its parent's. */
void child_start(struct child *c,
		 void (*work)(const struct mock *m, volatile unsigned long *n),
		 const struct mock *m)
{
	void *page = mmap(NULL, PAGE_BYTES, PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (page == MAP_FAILED)
		err(2, "no memory");
	c->count = page;
	c->pid = fork();
	if (c->pid < 0)
		err(2, "can't fork");
	if (c->pid)
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	work(m, c->count);
	_exit(0);
}

void child_end(struct child *c)
{
	kill(c->pid, SIGKILL);
	waitpid(c->pid, NULL, 0);
	munmap((void *)c->count, PAGE_BYTES);
}
