// SPDX-License-Identifier: GPL-2.0-only
/* mock-backend CASES DOMID - the guest runs agent and frontend. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend.h"

static const struct {
	const char *name;
	void (*run)(struct backend *b);
} groups[] = {
	{ "answers", back_cases_answers },
	{ "kinds", back_cases_kinds },
	{ "leaks", back_cases_leaks },
	{ "mute", back_cases_mute },
	{ "nodes", back_cases_nodes },
	{ "states", back_cases_states },
};

int main(int argc, char **argv)
{
	struct backend b;
	unsigned int i;

	for (i = 0; argc == 3 && i < ARRAY_SIZE(groups); i++) {
		if (strcmp(argv[1], groups[i].name))
			continue;
		back_open(&b, atoi(argv[2]));
		groups[i].run(&b);
		back_close(&b);
		return tap_done();
	}
	fputs("usage: mock-backend answers|kinds|leaks|mute|nodes|states DOMID\n",
	      stderr);
	return 2;
}
