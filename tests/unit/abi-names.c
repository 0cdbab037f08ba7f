// SPDX-License-Identifier: GPL-2.0-only
/*
 * The "protocol" node: which values a backend takes, and what an absent node
 * stands for. Built once for each kind of kernel.
 */
#include <errno.h>
#include <string.h>

#include <linux/kernel.h>

#include "abi.h"
#include "tap.h"

#define UNTOUCHED	((enum xenblk_layout)77)

#if defined(CONFIG_ARM64)
#define ABSENT		XENBLK_LAYOUT_64
#define ARM_ERROR	0
#elif defined(CONFIG_X86_32)
#define ABSENT		XENBLK_LAYOUT_32
#define ARM_ERROR	(-EPROTONOSUPPORT)
#else
#define ABSENT		XENBLK_LAYOUT_32
#define ARM_ERROR	(-EPROTONOSUPPORT)
#endif

static const struct {
	const char *protocol;
	int err;
	enum xenblk_layout layout;
} cases[] = {
	{ NULL, 0, ABSENT },
	{ "x86_32-abi", 0, XENBLK_LAYOUT_32 },
	{ "x86_64-abi", 0, XENBLK_LAYOUT_64 },
	{ "arm-abi", ARM_ERROR, XENBLK_LAYOUT_64 },
	{ "", -EPROTONOSUPPORT, 0 },
	{ "native", -EPROTONOSUPPORT, 0 },
	{ "x86_64-abi ", -EPROTONOSUPPORT, 0 },
	{ " x86_64-abi", -EPROTONOSUPPORT, 0 },
	{ "x86_64-abi\n", -EPROTONOSUPPORT, 0 },
	{ "X86_64-ABI", -EPROTONOSUPPORT, 0 },
	{ "x86_64-ab", -EPROTONOSUPPORT, 0 },
	{ "x86_64", -EPROTONOSUPPORT, 0 },
	{ "x86_32-abi-x", -EPROTONOSUPPORT, 0 },
	{ "ia64-abi", -EPROTONOSUPPORT, 0 },
	{ "%s%s%s%n", -EPROTONOSUPPORT, 0 },
};

static const char *name_of(unsigned int i)
{
	return cases[i].protocol ?: "(absent)";
}

static void check_case(unsigned int i)
{
	enum xenblk_layout layout = UNTOUCHED, want = cases[i].layout;
	int err = xenblk_abi_layout(cases[i].protocol, &layout);

	if (cases[i].err)
		want = UNTOUCHED;
	tap_expect(err, cases[i].err, "error for \"%s\"", name_of(i));
	tap_expect(layout, want, "layout for \"%s\"", name_of(i));
}

int main(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		check_case(i);
	tap_verdict("values of the protocol node");
	tap_ok(!xenblk_abi_layout(XENBLK_PROTOCOL_NATIVE,
				  &(enum xenblk_layout){ UNTOUCHED }),
	       "a kernel takes its own protocol");
	return tap_done();
}
