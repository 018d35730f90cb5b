// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pmk-qemu-apiN.so, the module that QEMU loads. There is one module for each generation of QEMU's
 * plugin interface (generation.h). A module contains only what differs between generations. QEMU
 * calls no function of the module when blocks are executed or access memory. The module passes
 * everything else to pmk-qemu-core.so in the same folder (plugin.c).
 *
 * The build defines PMK_QEMU_API as the lowest version of the generation.
 */
#include <string.h>

#include "producer/qemu/plugin.h"

QEMU_EXPORT int qemu_plugin_version = PMK_QEMU_API;
QEMU_EXPORT int qemu_plugin_install(uint64_t id, const struct qemu_info *info, int argc,
				    char **argv);

#if PMK_QEMU_API >= 7
#define UNUSED	((void)userdata)
#define NO_DATA , NULL
#else
#define UNUSED ((void)id)
#define NO_DATA
#endif

static size_t insn_bytes(const struct qemu_plugin_insn *insn, void *dest, size_t size)
{
#if PMK_QEMU_API >= 3
	return qemu_plugin_insn_data(insn, dest, size);
#else
	size_t has = qemu_plugin_insn_size(insn);

	if (has < size)
		size = has;
	if (size)
		memcpy(dest, qemu_plugin_insn_data(insn), size);
	return size;
#endif
}

static void on_translate(QEMU_ID struct qemu_plugin_tb *tb QEMU_DATA)
{
	UNUSED;
	pmk_plugin_translated(tb);
}

static void on_vcpu_init(QEMU_ID unsigned vcpu QEMU_DATA)
{
	UNUSED;
	pmk_plugin_vcpu_started(vcpu);
}

static void on_syscall(QEMU_ID unsigned vcpu, int64_t num, uint64_t a1, uint64_t a2, uint64_t a3,
		       uint64_t a4, uint64_t a5, uint64_t a6, uint64_t a7, uint64_t a8 QEMU_DATA)
{
	UNUSED;
	(void)a4, (void)a5, (void)a6, (void)a7, (void)a8;
	pmk_plugin_syscall(vcpu, num, a1, a2, a3);
}

static void on_syscall_return(QEMU_ID unsigned vcpu, int64_t num, int64_t ret QEMU_DATA)
{
	UNUSED;
	(void)vcpu;
	pmk_plugin_syscall_returned(num, ret);
}

#if PMK_QEMU_API >= 2
static void *find_register(struct qemu_array *all, const char *name)
{
	size_t size = g_array_get_element_size(all);

	for (unsigned i = 0; i < all->len; i++) {
		const struct qemu_register_name *r = (const void *)(all->data + i * size);

		if (!strcmp(r->name, name))
			return r->handle;
	}
	return NULL;
}

/* Returns QEMU's handle of a register. The handles are kept after the first call. */
static void *register_of(const char *name)
{
	static __thread struct {
		char name[8];
		void *handle;
	} known[40];
	const unsigned n = sizeof(known) / sizeof(known[0]);
	struct qemu_array *all;
	void *handle;
	unsigned i = 0;

	while (i < n && known[i].handle && strcmp(known[i].name, name) != 0)
		i++;
	if (i < n && known[i].handle)
		return known[i].handle;
	all = qemu_plugin_get_registers();
	handle = find_register(all, name);
	g_array_free(all, 1);
	if (i < n && strlen(name) < sizeof(known[i].name)) {
		strcpy(known[i].name, name);
		known[i].handle = handle;
	}
	return handle;
}

static bool read_register(const char *name, uint64_t *value)
{
	struct qemu_bytes *bytes;
	void *handle;
	bool known;

	if (!g_array_get_element_size || !g_array_free || !g_byte_array_new || !g_byte_array_free)
		return false;
	handle = register_of(name);
	if (!handle)
		return false;
	bytes = g_byte_array_new();
	qemu_plugin_read_register(handle, bytes);
	*value = 0;
	for (unsigned i = bytes->len; i > 0; i--)
		*value = *value << 8 | bytes->data[i - 1];
	known = bytes->len;
	g_byte_array_free(bytes, 1);
	return known;
}
#endif

#if PMK_QEMU_API < 2
static void count_inline(struct qemu_plugin_tb *tb, size_t first, uint64_t *count, uint64_t n)
{
	if (first == 0)
		qemu_plugin_register_vcpu_tb_exec_inline(tb, QEMU_ADD_U64, count, n);
	else
		qemu_plugin_register_vcpu_insn_exec_inline(qemu_plugin_tb_get_insn(tb, first),
							   QEMU_ADD_U64, count, n);
}
#else
static struct qemu_scoreboard *scoreboard(void)
{
	static struct qemu_scoreboard *made;

	if (!made)
		made = qemu_plugin_scoreboard_new(sizeof(uint64_t));
	return made;
}

static void count_score(struct qemu_plugin_tb *tb, uint64_t n)
{
	qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu(tb, QEMU_ADD_U64,
							  (struct qemu_u64){ scoreboard(), 0 }, n);
}

static const uint64_t *score(unsigned vcpu)
{
	return qemu_plugin_scoreboard_find(scoreboard(), vcpu);
}
#endif

static void register_callbacks(uint64_t id)
{
	qemu_plugin_register_vcpu_init_cb(id, on_vcpu_init NO_DATA);
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translate NO_DATA);
	qemu_plugin_register_vcpu_syscall_cb(id, on_syscall NO_DATA);
	qemu_plugin_register_vcpu_syscall_ret_cb(id, on_syscall_return NO_DATA);
}

#if PMK_QEMU_API < 7
static uint64_t plugin_id;

static void on_reset(uint64_t id)
{
	register_callbacks(id);
}

static void translate_anew(void)
{
	qemu_plugin_reset(plugin_id, on_reset);
}
#endif

int qemu_plugin_install(uint64_t id, const struct qemu_info *info, int argc, char **argv)
{
	static const struct pmk_qemu_glue glue = {
		.api = PMK_QEMU_API,
		.insn_bytes = insn_bytes,
		.register_callbacks = register_callbacks,
#if PMK_QEMU_API >= 2
		.read_register = read_register,
		.count_score = count_score,
		.score = score,
#else
		.count_inline = count_inline,
#endif
#if PMK_QEMU_API < 7
		.translate_anew = translate_anew,
#endif
	};

#if PMK_QEMU_API < 7
	plugin_id = id;
#endif
	return pmk_plugin_install(&glue, id, info, argc, argv);
}
