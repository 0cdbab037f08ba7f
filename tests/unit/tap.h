/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The Test Anything Protocol, as little of it as the unit tests need.
 *
 * A test that looks at thousands of cases counts mismatches with tap_expect()
 * and reports them with one tap_verdict(): only failures are worth a line.
 */
#ifndef XENBLK_TAP_H
#define XENBLK_TAP_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

#include <linux/compiler.h>

#define TAP_MAX_DIAGNOSTICS	10

static unsigned int tap_tests;
static unsigned int tap_failures;
static unsigned int tap_cases;
static unsigned int tap_mismatches;

__printf(2, 3)
static inline bool tap_ok(bool pass, const char *name, ...)
{
	va_list args;

	printf("%s %u - ", pass ? "ok" : "not ok", ++tap_tests);
	va_start(args, name);
	vprintf(name, args);
	va_end(args);
	putchar('\n');
	fflush(stdout);
	if (!pass)
		tap_failures++;
	return pass;
}

/* One case of many: counted, and told only when it fails. */
__printf(3, 4)
static inline bool tap_expect(unsigned long long got, unsigned long long want,
			      const char *what, ...)
{
	va_list args;

	tap_cases++;
	if (got == want)
		return true;
	if (tap_mismatches++ >= TAP_MAX_DIAGNOSTICS)
		return false;
	printf("# got %#llx, want %#llx: ", got, want);
	va_start(args, what);
	vprintf(what, args);
	va_end(args);
	putchar('\n');
	return false;
}

/* Closes the cases since the last verdict; a group without any is a failure. */
static inline void tap_verdict(const char *name)
{
	tap_ok(tap_cases && !tap_mismatches, "%s (%u cases)", name, tap_cases);
	tap_cases = 0;
	tap_mismatches = 0;
}

static inline int tap_done(void)
{
	printf("1..%u\n", tap_tests);
	return tap_failures ? 1 : 0;
}

#endif /* XENBLK_TAP_H */
