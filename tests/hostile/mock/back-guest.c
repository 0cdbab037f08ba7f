// SPDX-License-Identifier: GPL-2.0-only
/* Scripts that run in the guest while this side serves it. */
#include <err.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backend.h"

static void start(struct backend *b, const char *format, va_list args)
{
	char script[1024], command[1280];

	vsnprintf(script, sizeof(script), format, args);
	snprintf(command, sizeof(command),
		 "timeout -k 5 90 agent run-vchan %u \"$RUN_DIR\" '%s' 2>&1",
		 b->domid, script);
	b->said[0] = 0;
	b->guest = popen(command, "r");
	if (!b->guest)
		err(2, "no shell");
	fcntl(fileno(b->guest), F_SETFL, O_NONBLOCK);
}

void guest_start(struct backend *b, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	start(b, format, args);
	va_end(args);
}

static void keep_output(struct backend *b, const char *text, size_t len)
{
	size_t had = strlen(b->said), room = sizeof(b->said) - 1 - had;

	len = len < room ? len : room;
	memcpy(b->said + had, text, len);
	b->said[had + len] = 0;
}

/* Then its exit status is in guest_status, and the begin of its words in said. */
bool guest_ended(struct backend *b)
{
	char text[256];
	ssize_t len = read(fileno(b->guest), text, sizeof(text));

	if (len > 0)
		keep_output(b, text, len);
	if (len)
		return false;
	b->guest_status = WEXITSTATUS(pclose(b->guest));
	b->guest = NULL;
	return true;
}

int guest_run(struct backend *b, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	start(b, format, args);
	va_end(args);
	if (!back_serve(b, guest_ended))
		errx(2, "a script in the guest does not end");
	return b->guest_status;
}

/* One request that the guest waits for. */
int guest_read(struct backend *b)
{
	return guest_run(b, "dd if=/dev/%s of=/dev/null bs=4k count=1 iflag=direct",
			 b->name);
}

/* More options than those that all jobs need. */
int guest_fio(struct backend *b, const char *options)
{
	guest_start_fio(b, options);
	if (!back_serve(b, guest_ended))
		errx(2, "fio in the guest does not end");
	return b->guest_status;
}

void guest_start_fio(struct backend *b, const char *options)
{
	static const char script[] =
		"fio --name=f --filename=/dev/%s --output=/dev/null --direct=1 %s";

	guest_start(b, script, b->name, options);
}

void guest_check_gone(struct backend *b, const char *name)
{
	static const char script[] =
		"timeout 20 sh -c \"while [ -e %s%u ]; do sleep 0.1; done\"";
	int status = guest_run(b, script, "/sys/bus/xen/devices/vbd-",
			       b->m.vdev);

	tap_check(!status, "%s: the guest lets go of the disk", name);
}
