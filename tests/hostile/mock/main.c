// SPDX-License-Identifier: GPL-2.0-only
/* mock-frontend CASES MAJOR:MINOR - the disk is overwritten. */
#include <stdio.h>
#include <string.h>

#include "mock.h"

static const struct {
	const char *name;
	void (*run)(const char *disk);
} groups[] = {
	{ "barriers", cases_barriers },
	{ "blocks", cases_blocks },
	{ "protected", cases_protected },
	{ "discards", cases_discards },
	{ "drain", cases_drain },
	{ "floods", cases_floods },
	{ "brief", cases_brief },
	{ "huge", cases_huge },
	{ "kinds", cases_kinds },
	{ "lives", cases_lives },
	{ "nodes", cases_nodes },
	{ "omitted", cases_omitted },
	{ "requests", cases_requests },
	{ "resize", cases_resize },
	{ "rings", cases_rings },
	{ "states", cases_states },
	{ "persistent", cases_persistent },
};

int main(int argc, char **argv)
{
	unsigned int i;

	for (i = 0; argc == 3 && i < ARRAY_SIZE(groups); i++) {
		if (strcmp(argv[1], groups[i].name))
			continue;
		groups[i].run(argv[2]);
		return tap_done();
	}
	fputs("usage: mock-frontend CASES MAJOR:MINOR; CASES is one of\n", stderr);
	for (i = 0; i < ARRAY_SIZE(groups); i++)
		fprintf(stderr, "  %s\n", groups[i].name);
	return 2;
}
