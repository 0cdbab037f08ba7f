// SPDX-License-Identifier: GPL-2.0-only
/*
 * A QEMU plugin that counts executed instructions by virtual CPU and address
 * of the translated block, within a window of the run:
 *
 *	-plugin count.so,control=FIFO
 *
 * A line "SKIP LENGTH FILE" in the FIFO asks for a window that starts SKIP
 * instructions later and is LENGTH long; its counts are then written to FILE,
 * a line "cpu address instructions" for each block. For one thread of
 * emulation only (-accel tcg,thread=single), so that the counts need no lock.
 */
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qemu-plugin-v1.h"

#define MAX_CPUS	2
#define TABLE_SIZE	0x100000

/* Freed never: translated code refers to them. */
struct block {
	unsigned long	address;
	size_t		nr_insns;
	unsigned long	executed[MAX_CPUS];
};

int qemu_plugin_version = QEMU_PLUGIN_VERSION;

static struct block *table[TABLE_SIZE];	/* open addressing */
static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER; /* @table */
static char file[4096];
static unsigned long now, start = ULONG_MAX, end;

static struct block **find_place(unsigned long address, size_t nr_insns)
{
	unsigned long at = (address ^ address >> 20) * 0x9e3779b97f4a7c15 + nr_insns;

	for (at >>= 40;; at++) {
		struct block **place = &table[at % TABLE_SIZE];

		if (!*place || ((*place)->address == address &&
				(*place)->nr_insns == nr_insns))
			return place;
	}
}

static struct block *get_block(unsigned long address, size_t nr_insns)
{
	struct block **place = find_place(address, nr_insns);

	if (!*place) {
		*place = calloc(1, sizeof(**place));
		if (!*place)
			abort();
		(*place)->address = address;
		(*place)->nr_insns = nr_insns;
	}
	return *place;
}

static void write_counts(void)
{
	FILE *out = fopen(file, "w");
	size_t i;
	int cpu;

	if (!out)
		return;
	for (i = 0; i < TABLE_SIZE; i++) {
		for (cpu = 0; table[i] && cpu < MAX_CPUS; cpu++) {
			if (!table[i]->executed[cpu])
				continue;
			fprintf(out, "%d %lx %lu\n", cpu,
				table[i]->address, table[i]->executed[cpu]);
			table[i]->executed[cpu] = 0;
		}
	}
	fputs("end\n", out);
	fclose(out);
}

static void count_block(unsigned int cpu, void *data)
{
	struct block *block = data;

	now += block->nr_insns;
	if (now < start || cpu >= MAX_CPUS)
		return;
	block->executed[cpu] += block->nr_insns;
	if (now >= end) {
		start = ULONG_MAX;
		write_counts();
	}
}

static void note_block(unsigned long id, struct qemu_plugin_tb *tb)
{
	struct block *block;

	pthread_mutex_lock(&table_lock);
	block = get_block(qemu_plugin_tb_vaddr(tb), qemu_plugin_tb_n_insns(tb));
	pthread_mutex_unlock(&table_lock);
	qemu_plugin_register_vcpu_tb_exec_cb(tb, count_block,
					     QEMU_PLUGIN_CB_NO_REGS, block);
	(void)id;
}

static void *read_orders(void *path)
{
	unsigned long skip, length;
	FILE *in;

	for (;;) {
		in = fopen(path, "r");
		if (!in)
			return NULL;
		while (fscanf(in, "%lu %lu %4095s", &skip,
			      &length, file) == 3) {
			end = now + skip + length;
			start = now + skip;
		}
		fclose(in);
	}
}

QEMU_PLUGIN_EXPORT int qemu_plugin_install(unsigned long id,
					   const struct qemu_info *info,
					   int argc, char **argv)
{
	const char *prefix = "control=";
	pthread_t reader;

	(void)info;
	if (argc != 1 || strncmp(argv[0], prefix, strlen(prefix)))
		return -1;
	if (pthread_create(&reader, NULL, read_orders,
			   strdup(argv[0] + strlen(prefix))))
		return -1;
	qemu_plugin_register_vcpu_tb_trans_cb(id, note_block);
	return 0;
}
