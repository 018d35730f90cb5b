/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The part of QEMU's TCG plugin interface that pmk uses. Not every distribution packages QEMU's
 * header, and each header covers only one version. So this file has the few declarations that pmk
 * needs.
 *
 * QEMU reads from a plugin the version of the interface for which it was written, and rejects a
 * version that is too new or too old:
 *
 * - Version 1 (QEMU 6.0 to 8.2; accepts versions 0 and 1).
 * - Version 2 (9.0; accepts 2): inline operations are per vCPU; registers can be read.
 * - Version 3 (9.1; accepts 2 and 3): insn_data copies the bytes instead of pointing at them.
 * - Version 4 (9.2 and 10.0; accepts 2 to 4): memory can be read.
 * - Version 5 (10.1 and 10.2; accepts 2 to 5): registers and memory can be written.
 * - Version 6 (11.0; accepts 6): read_register returns bool; callbacks for interrupts.
 * - Version 7 (11.1; accepts 7): every callback gets user data, and none the plugin's number.
 *
 * Up to version 5, insn_data is the only function that differs, among the functions that pmk uses
 * in every version. The build of module.c defines PMK_QEMU_API as the version for which the module
 * is built, and the declarations below depend on it.
 */
#ifndef PMK_PRODUCER_QEMU_API_H
#define PMK_PRODUCER_QEMU_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define QEMU_EXPORT __attribute__((visibility("default")))

struct qemu_plugin_tb;
struct qemu_plugin_insn;
struct qemu_plugin_hwaddr;

struct qemu_info {
	const char *target_name;
	struct {
		int min, cur;
	} version;
	bool system_emulation;
	struct {
		int smp_vcpus, max_vcpus;
	} system;
};

/* QEMU ignores these values before 9.0. */
enum { QEMU_CB_NO_REGS = 0, QEMU_CB_R_REGS = 1 };
/* In 7.2, R and W are wrong (R reports stores, W reports both), so pmk can only use RW. */
enum { QEMU_MEM_RW = 3 };

typedef void (*qemu_exec_fn)(unsigned int vcpu, void *userdata);
typedef void (*qemu_mem_fn)(unsigned int vcpu, uint32_t info, uint64_t vaddr, void *userdata);

void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb, qemu_exec_fn cb, int flags,
					  void *userdata);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn, qemu_exec_fn cb,
					    int flags, void *userdata);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn, qemu_mem_fn cb, int flags,
				      int rw, void *userdata);

/*
 * The tests that translated code makes in an emulator that was patched for pmk. The emulator calls
 * back only for accesses that fail them. Other emulators lack these functions, which
 * docs/qemu-patch.md explains.
 */
struct qemu_lookup {
	int32_t offset;
	uint8_t base, size, ror, shift, addr_shift;
	int64_t index_mask, entry_mask, addr_mask, value;
};
struct qemu_mem_test {
	unsigned n;
	struct qemu_lookup lookup[2];
	int32_t mark_base, mark_offset, count_base, count_offset;
};
__attribute__((weak)) void qemu_plugin_register_vcpu_mem_test_cb(struct qemu_plugin_insn *insn,
								 qemu_mem_fn cb, int flags, int rw,
								 const struct qemu_mem_test *test,
								 uint32_t mark, void *userdata);
__attribute__((weak)) void qemu_plugin_vcpu_set_base(unsigned vcpu, unsigned n, void *base);

size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t i);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);
/* Returns the address of the instruction in this process's memory, or NULL if the instruction is
 * not in memory. */
void *qemu_plugin_insn_haddr(const struct qemu_plugin_insn *insn);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
char *qemu_plugin_insn_disas(const struct qemu_plugin_insn *insn);
bool qemu_plugin_mem_is_store(uint32_t info);
unsigned qemu_plugin_mem_size_shift(uint32_t info);
struct qemu_plugin_hwaddr *qemu_plugin_get_hwaddr(uint32_t info, uint64_t vaddr);
bool qemu_plugin_hwaddr_is_io(const struct qemu_plugin_hwaddr *hwaddr);
/* Exists since 6.2. */
__attribute__((weak)) bool qemu_plugin_bool_parse(const char *name, const char *value, bool *ret);
/* Returns the load address of the program's code. The symbol is weak, because the user-mode
 * emulators of 10.0 lack it by mistake. */
__attribute__((weak)) uint64_t qemu_plugin_start_code(void);

/*
 * The first members of GByteArray and, further down, of GArray. The functions for these arrays are
 * in the emulator's GLib. They are declared weak, because an emulator may have linked GLib
 * statically and then does not export them.
 */
struct qemu_bytes {
	uint8_t *data;
	unsigned len;
};
__attribute__((weak)) struct qemu_bytes *g_byte_array_new(void);
__attribute__((weak)) uint8_t *g_byte_array_free(struct qemu_bytes *array, int free_segment);

#ifdef PMK_QEMU_API

#if PMK_QEMU_API >= 2
struct qemu_array {
	char *data;
	unsigned len;
};
struct qemu_register_name {
	void *handle;
	const char *name, *feature;
	/* since version 7 the struct has more members */
};
__attribute__((weak)) unsigned g_array_get_element_size(struct qemu_array *array);
__attribute__((weak)) char *g_array_free(struct qemu_array *array, int free_segment);

/* Memory that has a part for each vCPU, and the offset of a number in each part. */
struct qemu_scoreboard;
struct qemu_u64 {
	struct qemu_scoreboard *board;
	size_t offset;
};
enum { QEMU_ADD_U64 = 0 };
struct qemu_scoreboard *qemu_plugin_scoreboard_new(size_t element_size);
void *qemu_plugin_scoreboard_find(struct qemu_scoreboard *board, unsigned vcpu);
/* Makes translated code add `imm` to the number of the vCPU that runs it. */
void qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu(struct qemu_plugin_tb *tb, int op,
						       struct qemu_u64 entry, uint64_t imm);

struct qemu_array *qemu_plugin_get_registers(void);
/* Reads a register. The result has another meaning in each version, so pmk ignores it and checks
 * the number of bytes. */
void qemu_plugin_read_register(void *handle, struct qemu_bytes *bytes);
#endif

#if PMK_QEMU_API < 2
/* Makes translated code add `imm` to *ptr, on any vCPU, and not atomically. */
enum { QEMU_ADD_U64 = 0 };
void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb *tb, int op, void *ptr,
					      uint64_t imm);
void qemu_plugin_register_vcpu_insn_exec_inline(struct qemu_plugin_insn *insn, int op, void *ptr,
						uint64_t imm);
#endif

#if PMK_QEMU_API < 7
/* Discards all callbacks and all translated code as soon as no code runs, and then calls `cb`. */
void qemu_plugin_reset(uint64_t id, void (*cb)(uint64_t id));
#endif

#if PMK_QEMU_API >= 3
size_t qemu_plugin_insn_data(const struct qemu_plugin_insn *insn, void *dest, size_t len);
#else
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn);
#endif

/* The first and last parameter of a callback, and the last parameter of its registration, which
 * exist only in some versions. */
#if PMK_QEMU_API >= 7
#define QEMU_ID
#define QEMU_DATA , void *userdata
#else
#define QEMU_ID uint64_t id,
#define QEMU_DATA
#endif

typedef void (*qemu_tb_trans_fn)(QEMU_ID struct qemu_plugin_tb *tb QEMU_DATA);
typedef void (*qemu_vcpu_fn)(QEMU_ID unsigned int vcpu QEMU_DATA);
typedef void (*qemu_syscall_fn)(QEMU_ID unsigned int vcpu, int64_t num, uint64_t a1, uint64_t a2,
				uint64_t a3, uint64_t a4, uint64_t a5, uint64_t a6, uint64_t a7,
				uint64_t a8 QEMU_DATA);
typedef void (*qemu_syscall_ret_fn)(QEMU_ID unsigned int vcpu, int64_t num, int64_t ret QEMU_DATA);

void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t id, qemu_tb_trans_fn cb QEMU_DATA);
void qemu_plugin_register_vcpu_init_cb(uint64_t id, qemu_vcpu_fn cb QEMU_DATA);
void qemu_plugin_register_vcpu_syscall_cb(uint64_t id, qemu_syscall_fn cb QEMU_DATA);
void qemu_plugin_register_vcpu_syscall_ret_cb(uint64_t id, qemu_syscall_ret_fn cb QEMU_DATA);

#endif
#endif
