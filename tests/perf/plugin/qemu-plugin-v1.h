/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The part of QEMU's plugin interface, version 1, that is used here: Debian's
 * QEMU has it, but no package has its header.
 */
#ifndef QEMU_PLUGIN_V1_H
#define QEMU_PLUGIN_V1_H

#include <stddef.h>

#define QEMU_PLUGIN_EXPORT	__attribute__((visibility("default")))
#define QEMU_PLUGIN_VERSION	1

struct qemu_info;
struct qemu_plugin_tb;

enum qemu_plugin_cb_flags {
	QEMU_PLUGIN_CB_NO_REGS,
};

QEMU_PLUGIN_EXPORT extern int qemu_plugin_version;

void qemu_plugin_register_vcpu_tb_trans_cb(unsigned long id,
					   void (*note)(unsigned long id,
							struct qemu_plugin_tb *tb));
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb,
					  void (*count)(unsigned int cpu,
							void *data),
					  enum qemu_plugin_cb_flags flags,
					  void *data);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
unsigned long qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *tb);

#endif /* QEMU_PLUGIN_V1_H */
