// SPDX-License-Identifier: GPL-2.0-only
/* Results as the Test Anything Protocol. */
#include <stdarg.h>
#include <stdio.h>

#include "mock.h"

static unsigned int nr_checks, nr_failed;

void tap_check(bool ok, const char *format, ...)
{
	va_list args;

	nr_checks++;
	nr_failed += !ok;
	printf("%sok %u - ", ok ? "" : "not ", nr_checks);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
	fflush(stdout);
}

void tap_note(const char *format, ...)
{
	va_list args;

	printf("# ");
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
}

int tap_done(void)
{
	printf("1..%u\n", nr_checks);
	return nr_failed || !nr_checks;
}
