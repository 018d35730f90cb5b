/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What we use of QEMU's TCG plugin interface, API version 1 (QEMU 6.0 to 8.x). Debian 12 does not
 * package its header, so the few declarations are written out here; the interface is stable within
 * an API version, and QEMU refuses a plugin of another one.
 */
#ifndef PMK_PRODUCER_QEMU_API_H
#define PMK_PRODUCER_QEMU_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define QEMU_API_VERSION 1
#define QEMU_EXPORT	 __attribute__((visibility("default")))

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

enum { QEMU_CB_NO_REGS = 0 };
/* R and W are exchanged in 7.2 (R reports stores, W both): only RW is of use. */
enum { QEMU_MEM_RW = 3 };

typedef void (*qemu_tb_trans_fn)(uint64_t id, struct qemu_plugin_tb *tb);
typedef void (*qemu_vcpu_fn)(uint64_t id, unsigned int vcpu);
typedef void (*qemu_exec_fn)(unsigned int vcpu, void *userdata);
typedef void (*qemu_mem_fn)(unsigned int vcpu, uint32_t info, uint64_t vaddr, void *userdata);
typedef void (*qemu_syscall_fn)(uint64_t id, unsigned int vcpu, int64_t num, uint64_t a1,
				uint64_t a2, uint64_t a3, uint64_t a4, uint64_t a5, uint64_t a6,
				uint64_t a7, uint64_t a8);
typedef void (*qemu_syscall_ret_fn)(uint64_t id, unsigned int vcpu, int64_t num, int64_t ret);

void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t id, qemu_tb_trans_fn cb);
void qemu_plugin_register_vcpu_init_cb(uint64_t id, qemu_vcpu_fn cb);
void qemu_plugin_register_vcpu_syscall_cb(uint64_t id, qemu_syscall_fn cb);
void qemu_plugin_register_vcpu_syscall_ret_cb(uint64_t id, qemu_syscall_ret_fn cb);
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb, qemu_exec_fn cb, int flags,
					  void *userdata);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn, qemu_exec_fn cb,
					    int flags, void *userdata);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn, qemu_mem_fn cb, int flags,
				      int rw, void *userdata);

size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t i);
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);
/* Where the instruction is in this process's memory; NULL where it is in none. */
void *qemu_plugin_insn_haddr(const struct qemu_plugin_insn *insn);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
char *qemu_plugin_insn_disas(const struct qemu_plugin_insn *insn);
bool qemu_plugin_mem_is_store(uint32_t info);
struct qemu_plugin_hwaddr *qemu_plugin_get_hwaddr(uint32_t info, uint64_t vaddr);
bool qemu_plugin_hwaddr_is_io(const struct qemu_plugin_hwaddr *hwaddr);
uint64_t qemu_plugin_start_code(void);

#endif
