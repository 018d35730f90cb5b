/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A plugin for QEMU 6.0 to 8.2 that counts each instruction before it runs. Tests compare pmk's
 * counts with those of this plugin:
 *
 *	-plugin insns.so,out=FILE[,half=ADDRESS][,not=FROM:TO]
 *
 * FILE gets two numbers: instructions below ADDRESS that are not in [FROM, TO), and all others.
 * The plugin counts one vCPU.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "producer/qemu/qemu_api.h"

enum { ADD_U64 };
void qemu_plugin_register_vcpu_insn_exec_inline(struct qemu_plugin_insn *insn, int op, void *ptr,
						uint64_t n);
void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t id,
					   void (*cb)(uint64_t id, struct qemu_plugin_tb *tb));
void qemu_plugin_register_atexit_cb(uint64_t id, void (*cb)(uint64_t id, void *data), void *data);

QEMU_EXPORT int qemu_plugin_version = 1;
QEMU_EXPORT int qemu_plugin_install(uint64_t id, const struct qemu_info *info, int argc,
				    char **argv);

static uint64_t below, above, half, not_from, not_to;
static char out[4096];

static void translated(uint64_t id, struct qemu_plugin_tb *tb)
{
	(void)id;
	for (size_t i = 0; i < qemu_plugin_tb_n_insns(tb); i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		uint64_t pc = qemu_plugin_insn_vaddr(insn);
		bool is_below = pc < half && (pc < not_from || pc >= not_to);
		uint64_t *count = is_below ? &below : &above;

		qemu_plugin_register_vcpu_insn_exec_inline(insn, ADD_U64, count, 1);
	}
}

static void write_counts(uint64_t id, void *data)
{
	FILE *f = fopen(out, "w");

	(void)id, (void)data;
	if (!f)
		return;
	fprintf(f, "%" PRIu64 " %" PRIu64 "\n", below, above);
	fclose(f);
}

int qemu_plugin_install(uint64_t id, const struct qemu_info *info, int argc, char **argv)
{
	(void)info;
	for (int i = 0; i < argc; i++) {
		if (!strncmp(argv[i], "out=", 4))
			snprintf(out, sizeof(out), "%s", argv[i] + 4);
		if (!strncmp(argv[i], "half=", 5))
			half = strtoull(argv[i] + 5, NULL, 0);
		if (!strncmp(argv[i], "not=", 4))
			sscanf(argv[i] + 4, "%" SCNi64 ":%" SCNi64, (int64_t *)&not_from,
			       (int64_t *)&not_to);
	}
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
	qemu_plugin_register_atexit_cb(id, write_counts, NULL);
	return 0;
}
