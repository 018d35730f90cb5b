// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pmk-qemu-core.so: the TCG plugin. Glue only: it turns QEMU's callbacks into calls of the running core
 * (src/cpu) and the emulated session (src/session), and holds no model. QEMU loads it by way of the
 * module that fits it (module.c):
 *
 *	qemu-arm -plugin pmk-qemu-api1.so,arena=/proc/self/fd/N …
 *
 * One callback per block, one per data access, none per instruction. QEMU has its peculiarities:
 *  - A block's callback runs before it, a memory callback after its access.
 *  - The memory filter is wrong in 7.2, so every callback is registered for both directions, and load or
 *    store is decided here at translation.
 *  - A condition that fails makes no memory callback; multiples make one per word. LDRD and A64's pairs
 *    make one or two, depending on the release.
 *  - The user-mode helper page of ARM Linux (0xffff0fxx) shows as blocks of one instruction, with size 0 up
 *    to 8.2. They count as one instruction that returns, as the emulator runs them.
 *  - Up to 8.2, of MicroBlaze code neither bytes nor size are shown; the bytes are taken from where the
 *    emulator has the page. Code that is in no memory (a device's) counts as instructions of no kind.
 *  - Since 8.1.2, in system emulation, a block is left in its middle for a device (see is_rest()).
 *  - Since 8.2, programs begin in another world (see meet_program()).
 *
 * Not seen: an instruction that faults in the middle of a block leaves the rest of it counted.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/reserve.h"
#include "cpu/microblaze/microblaze.h"
#include "cpu/a64/a64.h"
#include "cpu/arm11/arm11.h"
#include "producer/qemu/arena.h"
#include "producer/qemu/generation.h"
#include "producer/qemu/plugin.h"
#include "producer/qemu/stack.h"

#define MAX_VCPUS    4096
#define MAX_TB_INSNS 1024
#define HELPER_PAGE  0xffff0000u
#define VECTORS_SIZE 0x20u

/* Linux system calls that replace the program. */
enum {
	ARM_EXECVE = 11,
	ARM_EXECVEAT = 387,
	A64_EXECVE = 221,
	A64_EXECVEAT = 281,
	MB_EXECVE = 11,
	MB_EXECVEAT = 388,
};

/* The kinds of running cores. */
enum family { ARM11, A64, MICROBLAZE, NFAMILIES };

/* An instruction as QEMU has it. */
struct raw {
	unsigned size; /* 0: QEMU does not know its bytes */
	uint8_t byte[4];
};

/* Everything QEMU's callbacks need; they get no context of their own but a vCPU number. */
static struct pmk_arena *arena;
static struct pmk_arena_slot *slot; /* this process */
static char *slot_memory;	    /* facts and vCPUs of this process */
static struct pmk_cpu *cpus[MAX_VCPUS];
static struct pmk_emulated_ports ports[PMK_ARENA_CPUS];
static struct pmk_code code;
static struct pmk_isa_arm *isa;
static pthread_mutex_t translating = PTHREAD_MUTEX_INITIALIZER;
static const struct pmk_qemu_glue *glue; /* of the module that was loaded */
static bool system_mode;
static enum family family;
static bool big_endian; /* of MicroBlaze */
static bool begun;	/* the first block of the program was translated */

/* The vCPU of the system call under way: after fork, the only one that goes on. */
static __thread unsigned calling_vcpu;
static __thread bool forking; /* it is a fork */
/* The access under way, for is_device(). */
static __thread uint32_t access_info;
static __thread uint64_t access_addr;

static struct pmk_emulated *emulated(struct pmk_cpu *cpu)
{
	_Static_assert(offsetof(struct pmk_emulated, cpu) == 0, "the core comes first");
	return (struct pmk_emulated *)cpu;
}

/* The run counters of a vCPU are behind its struct, wherever that is. */
static struct pmk_emulated_blocks blocks_of(const struct pmk_cpu *cpu)
{
	return (struct pmk_emulated_blocks){
		.facts = pmk_slot_facts(slot_memory),
		.run = cpu->run,
		.count = atomic_load(&slot->nblocks),
	};
}

static _Noreturn void give_up(int err)
{
	atomic_store(&arena->error, err);
	_exit(125);
}

/* ---- intervals ------------------------------------------------------------------------------ */

static void nap(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
}

/* False when pmk is gone and nobody will ever make room. */
static bool wait_for_room(void)
{
	while (atomic_load(&arena->ring_head) - atomic_load(&arena->ring_tail) >= PMK_ARENA_RING) {
		if (kill((pid_t)arena->pmk_pid, 0) && errno == ESRCH)
			return false;
		nap();
	}
	return true;
}

static void report_interval(const struct pmk_emulated *e, const struct pmk_reading *delta)
{
	while (atomic_exchange(&arena->ring_lock, 1))
		nap();
	if (wait_for_room()) {
		uint64_t head = atomic_load(&arena->ring_head);
		struct pmk_arena_interval *r = &arena->ring[head % PMK_ARENA_RING];

		r->pid = atomic_load(&slot->pid);
		r->cpu = e->cpu.index;
		r->cycles = e->cpu.cycles - e->start_cycles;
		r->insns = e->bus.total[PMK_SIG_INSN];
		r->delta = *delta;
		atomic_store(&arena->ring_head, head + 1);
	}
	atomic_store(&arena->ring_lock, 0);
}

static void on_deadline(struct pmk_cpu *cpu)
{
	struct pmk_emulated_blocks b = blocks_of(cpu);
	struct pmk_reading delta;

	if (pmk_emulated_deadline(emulated(cpu), &arena->cfg, &b, &delta) > 0)
		report_interval(emulated(cpu), &delta);
}

/* ---- callbacks of running code -------------------------------------------------------------- */

/*
 * The start of a block, for each kind of core: plain; for sums that are read often, with the facts added
 * at once; while regions are armed; where a region begins or ends.
 */
static void follow(unsigned vcpu, const struct pmk_block *block)
{
	struct pmk_cpu *cpu = cpus[vcpu];
	struct pmk_emulated_blocks b = blocks_of(cpu);

	pmk_emulated_follow(emulated(cpu), &arena->cfg, &b, block);
}

static void cross_boundary(unsigned vcpu, const struct pmk_block *block)
{
	struct pmk_cpu *cpu = cpus[vcpu];
	struct pmk_emulated_blocks b = blocks_of(cpu);
	const struct pmk_emulated_config *cfg = &arena->cfg;

	for (unsigned r = 0; r < cfg->nregions; r++) {
		if (cfg->region[r].end == block->pc)
			pmk_emulated_region_end(emulated(cpu), cfg, &b, r);
		if (cfg->region[r].begin == block->pc)
			pmk_emulated_region_begin(emulated(cpu), cfg, &b, r);
	}
}

/*
 * Devices. Since 8.1.2 an access to a device has to be the last of a translated block. One that is not makes
 * QEMU leave the block, do the access in a block of its own, of which only the access is told, and go on
 * with the rest as another block, whose start is told again. That rest has been counted already, and is
 * expected here until it comes; an interrupt may come first, and have devices of its own.
 */
#define MAX_RESTS 8
static struct rests {
	unsigned n;
	struct rest {
		uint64_t pc, end_addr;
	} rest[MAX_RESTS];
} rests[MAX_VCPUS];

/* An access that is a translated block of its own. */
struct lone_access {
	qemu_mem_fn fn;
	void *access, *within; /* by itself, and within the block it was first translated in */
	const struct pmk_block *block;
};

/* The last accesses that were translated within longer blocks, by address. */
static struct within {
	uint64_t pc;
	void *access;
} within[4096];

static struct within *within_slot(uint64_t pc)
{
	return &within[pc / 2 % (sizeof(within) / sizeof(within[0]))];
}

/* Is this the rest of a block that was left for a device? */
static bool is_rest(unsigned vcpu, const struct pmk_block *block)
{
	struct rests *r = &rests[vcpu];
	const struct rest *last = &r->rest[r->n - 1];

	if (PMK_LIKELY(!r->n) || block->pc != last->pc || block->end_addr != last->end_addr)
		return false;
	r->n--;
	return true;
}

static void expect_rest(unsigned vcpu, const struct pmk_block *access)
{
	const struct pmk_block *left = cpus[vcpu]->prev;
	struct rests *r = &rests[vcpu];
	const struct rest rest = { .pc = access->fall, .end_addr = left->end_addr };
	const struct rest *last = &r->rest[r->n - 1];

	if (access->pc < left->pc || access->pc >= left->end_addr)
		return;
	if (r->n && last->pc == rest.pc && last->end_addr == rest.end_addr)
		return;	       /* a further word */
	if (r->n == MAX_RESTS) /* those were never gone back to */
		memmove(r->rest, r->rest + 1, --r->n * sizeof(rest));
	r->rest[r->n++] = rest;
}

static void lone_access(unsigned vcpu, uint32_t info, uint64_t addr, void *data)
{
	const struct lone_access *a = data;

	if (cpus[vcpu]->prev == a->block) {
		a->fn(vcpu, info, addr, a->access);
		return;
	}
	expect_rest(vcpu, a->block);
	a->fn(vcpu, info, addr, a->within);
}

#define BLOCK_CALLBACKS(kind, enter)                                                      \
	static void kind##_plain(unsigned vcpu, void *block)                              \
	{                                                                                 \
		enter(cpus[vcpu], block);                                                 \
	}                                                                                 \
	static void kind##_eager(unsigned vcpu, void *block)                              \
	{                                                                                 \
		pmk_cpu_add_facts(cpus[vcpu], &((const struct pmk_block *)block)->facts); \
		enter(cpus[vcpu], block);                                                 \
	}                                                                                 \
	static void kind##_followed(unsigned vcpu, void *block)                           \
	{                                                                                 \
		follow(vcpu, block);                                                      \
		kind##_eager(vcpu, block);                                                \
	}                                                                                 \
	static void kind##_boundary(unsigned vcpu, void *block)                           \
	{                                                                                 \
		follow(vcpu, block);                                                      \
		cross_boundary(vcpu, block);                                              \
		kind##_eager(vcpu, block);                                                \
	}                                                                                 \
	BLOCK_CALLBACK_SYS(kind##_plain)                                                  \
	BLOCK_CALLBACK_SYS(kind##_eager)                                                  \
	BLOCK_CALLBACK_SYS(kind##_followed)                                               \
	BLOCK_CALLBACK_SYS(kind##_boundary)

#define BLOCK_CALLBACK_SYS(name)                           \
	static void name##_sys(unsigned vcpu, void *block) \
	{                                                  \
		if (!is_rest(vcpu, block))                 \
			name(vcpu, block);                 \
	}

BLOCK_CALLBACKS(arm11, pmk_arm11_block)
BLOCK_CALLBACKS(a64, pmk_a64_block)
BLOCK_CALLBACKS(mb, pmk_mb_block)

static unsigned log2_size(unsigned bytes)
{
	return bytes >= 8 ? 3 : bytes >= 4 ? 2 : bytes >= 2 ? 1 : 0;
}

/*
 * Memory callbacks, one function per direction and size so that nothing is decided at run time.
 * "counted" accesses are in their block's facts; the others (conditional, exclusive) count here. In
 * system emulation the access is kept for is_device().
 */
static inline void access_one(unsigned vcpu, uint64_t addr, uint64_t access, unsigned shift,
			      bool write, bool counted)
{
	struct pmk_cpu *cpu = cpus[vcpu];

	if (!counted)
		cpu->dyn[write ? PMK_SIG_L1D_WRITE : PMK_SIG_L1D_READ]++;
	if (write)
		pmk_arm11_store(cpu, (uint32_t)addr, shift, access);
	else
		pmk_arm11_load(cpu, (uint32_t)addr, shift, access);
}

#define ACCESS(name, shift, write, counted)                                                 \
	static void name(unsigned vcpu, uint32_t info, uint64_t addr, void *access)         \
	{                                                                                   \
		(void)info;                                                                 \
		access_one(vcpu, addr, (uint64_t)(uintptr_t)access, shift, write, counted); \
	}                                                                                   \
	static void name##_sys(unsigned vcpu, uint32_t info, uint64_t addr, void *access)   \
	{                                                                                   \
		access_info = info;                                                         \
		access_addr = addr;                                                         \
		access_one(vcpu, addr, (uint64_t)(uintptr_t)access, shift, write, counted); \
	}

#define ACCESSES(shift)                           \
	ACCESS(load##shift, shift, false, true)   \
	ACCESS(store##shift, shift, true, true)   \
	ACCESS(cload##shift, shift, false, false) \
	ACCESS(cstore##shift, shift, true, false)

ACCESSES(0)
ACCESSES(1)
ACCESSES(2)
ACCESSES(3)

#define MULTIPLE(name, write, counted)                                                             \
	static void name(unsigned vcpu, uint32_t info, uint64_t addr, void *access)                \
	{                                                                                          \
		(void)info;                                                                        \
		pmk_arm11_multiple(cpus[vcpu], (uint32_t)addr, (uint64_t)(uintptr_t)access, write, \
				   counted);                                                       \
	}                                                                                          \
	static void name##_sys(unsigned vcpu, uint32_t info, uint64_t addr, void *access)          \
	{                                                                                          \
		access_info = info;                                                                \
		access_addr = addr;                                                                \
		pmk_arm11_multiple(cpus[vcpu], (uint32_t)addr, (uint64_t)(uintptr_t)access, write, \
				   counted);                                                       \
	}

MULTIPLE(load_multiple, false, true)
MULTIPLE(store_multiple, true, true)
MULTIPLE(cload_multiple, false, false)
MULTIPLE(cstore_multiple, true, false)

/*
 * LDRD and STRD are two words up to 8.2, and one access of eight bytes in newer versions: the words are
 * told apart here.
 */
#define PAIR(name, multiple)                                                              \
	static void name(unsigned vcpu, uint32_t info, uint64_t addr, void *access)       \
	{                                                                                 \
		multiple(vcpu, info, addr, access);                                       \
		if (qemu_plugin_mem_size_shift(info) == 3)                                \
			multiple(vcpu, info, addr + 4, access);                           \
	}                                                                                 \
	static void name##_sys(unsigned vcpu, uint32_t info, uint64_t addr, void *access) \
	{                                                                                 \
		multiple##_sys(vcpu, info, addr, access);                                 \
		if (qemu_plugin_mem_size_shift(info) == 3)                                \
			multiple##_sys(vcpu, info, addr + 4, access);                     \
	}

PAIR(load_pair, load_multiple)
PAIR(store_pair, store_multiple)
PAIR(cload_pair, cload_multiple)
PAIR(cstore_pair, cstore_multiple)

/*
 * SWP and STREX: QEMU may report a read and a write, or one that is both. The write stands for all. A
 * swap is two accesses; an unconditional one is in its block's facts.
 */
static void swap(unsigned vcpu, uint32_t info, uint64_t addr, void *access)
{
	struct pmk_cpu *cpu = cpus[vcpu];
	uint64_t a = (uint64_t)(uintptr_t)access;

	if (!qemu_plugin_mem_is_store(info))
		return;
	access_info = info;
	access_addr = addr;
	pmk_arm11_load(cpu, (uint32_t)addr, log2_size(PMK_ACCESS_SIZE(a)), a);
	pmk_arm11_store(cpu, (uint32_t)addr, log2_size(PMK_ACCESS_SIZE(a)), a);
}

static void cswap(unsigned vcpu, uint32_t info, uint64_t addr, void *access)
{
	if (!qemu_plugin_mem_is_store(info))
		return;
	cpus[vcpu]->dyn[PMK_SIG_L1D_READ]++;
	cpus[vcpu]->dyn[PMK_SIG_L1D_WRITE]++;
	swap(vcpu, info, addr, access);
}

static void exclusive_store(unsigned vcpu, uint32_t info, uint64_t addr, void *access)
{
	uint64_t a = (uint64_t)(uintptr_t)access;

	if (!qemu_plugin_mem_is_store(info))
		return;
	access_info = info;
	access_addr = addr;
	access_one(vcpu, addr, a, log2_size(PMK_ACCESS_SIZE(a)), true, false);
}

#define BY_SIZE(kind)                              \
	{                                          \
		kind##0, kind##1, kind##2, kind##3 \
	}
#define BY_SIZE_SYS(kind)                                          \
	{                                                          \
		kind##0_sys, kind##1_sys, kind##2_sys, kind##3_sys \
	}

/* [system][counted][write][log2 of the size] */
static const qemu_mem_fn single_fn[2][2][2][4] = {
	{ { BY_SIZE(cload), BY_SIZE(cstore) }, { BY_SIZE(load), BY_SIZE(store) } },
	{ { BY_SIZE_SYS(cload), BY_SIZE_SYS(cstore) }, { BY_SIZE_SYS(load), BY_SIZE_SYS(store) } },
};
/* [system][counted][write] */
static const qemu_mem_fn multiple_fn[2][2][2] = {
	{ { cload_multiple, cstore_multiple }, { load_multiple, store_multiple } },
	{ { cload_multiple_sys, cstore_multiple_sys }, { load_multiple_sys, store_multiple_sys } },
};
static const qemu_mem_fn pair_fn[2][2][2] = {
	{ { cload_pair, cstore_pair }, { load_pair, store_pair } },
	{ { cload_pair_sys, cstore_pair_sys }, { load_pair_sys, store_pair_sys } },
};

/*
 * A64. All accesses are in their block's facts but those of a store exclusive, which shows only when it
 * stores, as a read and a write. Accesses of 16 bytes and more come in pieces.
 */
#define A64_ACCESS(bytes)                                                                  \
	static void a64_load##bytes(unsigned vcpu, uint32_t info, uint64_t addr, void *a)  \
	{                                                                                  \
		(void)info;                                                                \
		pmk_a64_load(cpus[vcpu], addr, bytes, bytes, (uint64_t)(uintptr_t)a);      \
	}                                                                                  \
	static void a64_store##bytes(unsigned vcpu, uint32_t info, uint64_t addr, void *a) \
	{                                                                                  \
		(void)info;                                                                \
		pmk_a64_store(cpus[vcpu], addr, bytes, bytes, (uint64_t)(uintptr_t)a);     \
	}

A64_ACCESS(1)
A64_ACCESS(2)
A64_ACCESS(4)
A64_ACCESS(8)

static void a64_load_pieces(unsigned vcpu, uint32_t info, uint64_t addr, void *a)
{
	uint64_t access = (uint64_t)(uintptr_t)a;

	(void)info;
	if (pmk_a64_first_piece(cpus[vcpu], addr, access))
		pmk_a64_load(cpus[vcpu], addr, 1u << PMK_A64_ELEM(access), PMK_ACCESS_SIZE(access),
			     access);
}

static void a64_store_pieces(unsigned vcpu, uint32_t info, uint64_t addr, void *a)
{
	uint64_t access = (uint64_t)(uintptr_t)a;

	(void)info;
	if (pmk_a64_first_piece(cpus[vcpu], addr, access))
		pmk_a64_store(cpus[vcpu], addr, 1u << PMK_A64_ELEM(access), PMK_ACCESS_SIZE(access),
			      access);
}

static void a64_store_exclusive(unsigned vcpu, uint32_t info, uint64_t addr, void *a)
{
	struct pmk_cpu *cpu = cpus[vcpu];

	if (!qemu_plugin_mem_is_store(info) ||
	    !pmk_a64_first_piece(cpu, addr, (uint64_t)(uintptr_t)a))
		return;
	pmk_a64_store_exclusive(cpu, addr, (uint64_t)(uintptr_t)a);
}

/* Atomics: the write stands for both. */
static void a64_atomic(unsigned vcpu, uint32_t info, uint64_t addr, void *a)
{
	uint64_t access = (uint64_t)(uintptr_t)a;

	if (!qemu_plugin_mem_is_store(info))
		return;
	pmk_a64_load(cpus[vcpu], addr, 1, PMK_ACCESS_SIZE(access), access);
	pmk_a64_store(cpus[vcpu], addr, 1, PMK_ACCESS_SIZE(access), access);
}

/*
 * MicroBlaze. All accesses are in their block's facts, those of a store exclusive that fails included.
 * One function for each way to store, with and without translation; sizes make no difference.
 */
#define MB_ACCESS(name, call, ...)                                                     \
	static void name(unsigned vcpu, uint32_t info, uint64_t addr, void *a)         \
	{                                                                              \
		(void)info;                                                            \
		call(cpus[vcpu], (uint32_t)addr, (uint64_t)(uintptr_t)a, __VA_ARGS__); \
	}                                                                              \
	static void name##_sys(unsigned vcpu, uint32_t info, uint64_t addr, void *a)   \
	{                                                                              \
		access_info = info;                                                    \
		access_addr = addr;                                                    \
		call(cpus[vcpu], (uint32_t)addr, (uint64_t)(uintptr_t)a, __VA_ARGS__); \
	}

MB_ACCESS(mb_load_back, pmk_mb_load, false, PMK_MB_WORD_GRAIN)
MB_ACCESS(mb_load_back_mmu, pmk_mb_load, true, PMK_MB_WORD_GRAIN)
MB_ACCESS(mb_load_through, pmk_mb_load, false, PMK_MB_GRAIN)
MB_ACCESS(mb_load_through_mmu, pmk_mb_load, true, PMK_MB_GRAIN)
MB_ACCESS(mb_store_back, pmk_mb_store_back, false)
MB_ACCESS(mb_store_back_mmu, pmk_mb_store_back, true)
MB_ACCESS(mb_store_through, pmk_mb_store_through, false)
MB_ACCESS(mb_store_through_mmu, pmk_mb_store_through, true)

/* QEMU reports a store exclusive as a read and a write. */
static void mb_store_exclusive(unsigned vcpu, uint32_t info, uint64_t addr, void *a)
{
	if (!qemu_plugin_mem_is_store(info))
		return;
	access_info = info;
	access_addr = addr;
	pmk_mb_store_slow(cpus[vcpu], (uint32_t)addr, (uint64_t)(uintptr_t)a);
}

/* Device memory, by page; asked of QEMU at the first access to the page that is not a plain hit. */
static bool is_device(void *ctx, uint32_t addr)
{
	enum { UNKNOWN, NORMAL, DEVICE };
	uint8_t *known = (uint8_t *)ctx + (addr >> PMK_PAGE_SHIFT);

	if (*known == UNKNOWN) {
		struct qemu_plugin_hwaddr *hw;

		if (addr >> PMK_PAGE_SHIFT != (uint32_t)access_addr >> PMK_PAGE_SHIFT)
			return false;
		hw = qemu_plugin_get_hwaddr(access_info, access_addr);
		*known = hw && qemu_plugin_hwaddr_is_io(hw) ? DEVICE : NORMAL;
	}
	return *known == DEVICE;
}

/* ---- translation ---------------------------------------------------------------------------- */

static struct lone_access *new_lone(qemu_mem_fn fn, void *access, const struct pmk_block *b)
{
	struct lone_access *lone = malloc(sizeof(*lone));
	const struct within *w = within_slot(b->pc);

	if (!lone)
		give_up(PMK_ENOMEM);
	*lone = (struct lone_access){
		.fn = fn,
		.access = access,
		.within = w->pc == b->pc && w->access ? w->access : access,
		.block = b,
	};
	return lone;
}

static void register_access(struct qemu_plugin_insn *qi, qemu_mem_fn fn, uint64_t access,
			    const struct pmk_block *b)
{
	void *data = (void *)(uintptr_t)access;
	uint64_t pc = qemu_plugin_insn_vaddr(qi);

	if (system_mode && b->pc != b->end_addr) {
		*within_slot(pc) = (struct within){ .pc = pc, .access = data };
	} else if (system_mode) {
		data = new_lone(fn, data, b);
		fn = lone_access;
	}
	qemu_plugin_register_vcpu_mem_cb(qi, fn, QEMU_CB_NO_REGS, QEMU_MEM_RW, data);
}

static void watch_a64(struct qemu_plugin_insn *qi, const struct pmk_insn *in,
		      const struct pmk_block *b, const struct pmk_pipe_slot *pipe)
{
	static const qemu_mem_fn single[2][4] = {
		{ a64_load1, a64_load2, a64_load4, a64_load8 },
		{ a64_store1, a64_store2, a64_store4, a64_store8 },
	};
	uint64_t access = pmk_a64_access(b->cycles - pipe->issue, pipe->use, in);
	qemu_mem_fn fn;

	if (in->exclusive && in->store)
		fn = a64_store_exclusive;
	else if (in->load && in->store)
		fn = a64_atomic;
	else if (in->mem_total > in->mem_bytes || in->mem_bytes > 8)
		fn = in->store ? a64_store_pieces : a64_load_pieces;
	else
		fn = single[in->store][log2_size(in->mem_bytes)];
	register_access(qi, fn, access, b);
}

static void watch_mb(struct qemu_plugin_insn *qi, const struct pmk_insn *in,
		     const struct pmk_block *b, const struct pmk_pipe_slot *pipe)
{
	/* [store][write-through][translation][system] */
	static const qemu_mem_fn plain[2][2][2][2] = {
		{ { { mb_load_back, mb_load_back_sys },
		    { mb_load_back_mmu, mb_load_back_mmu_sys } },
		  { { mb_load_through, mb_load_through_sys },
		    { mb_load_through_mmu, mb_load_through_mmu_sys } } },
		{ { { mb_store_back, mb_store_back_sys },
		    { mb_store_back_mmu, mb_store_back_mmu_sys } },
		  { { mb_store_through, mb_store_through_sys },
		    { mb_store_through_mmu, mb_store_through_mmu_sys } } },
	};
	const struct pmk_core *core = &arena->cfg.core;
	uint64_t access = pmk_access_pack(b->cycles - pipe->issue, 0, 1, in->mem_bytes);
	qemu_mem_fn fn;

	if (pmk_mb_data_is_local(core))
		return;
	fn = plain[in->store][core->dcache_wt][core->mmu][system_mode];
	if (in->store && in->exclusive)
		fn = mb_store_exclusive;
	register_access(qi, fn, access, b);
}

static void watch_access(struct qemu_plugin_insn *qi, const struct pmk_insn *in,
			 const struct pmk_block *b, const struct pmk_pipe_slot *pipe)
{
	bool counted = pmk_arm11_access_static(in);
	uint32_t to_end = b->cycles > pipe->issue ? b->cycles - pipe->issue : 0;
	uint64_t access = pmk_access_pack(to_end, pipe->use, in->mem_count, in->mem_bytes);
	qemu_mem_fn fn;

	if (in->load && in->store)
		fn = counted ? swap : cswap;
	else if (in->exclusive && in->store)
		fn = exclusive_store;
	else if (in->mem_count == 2 && in->mem_bytes == 4 && !in->list)
		fn = pair_fn[system_mode][counted][in->store];
	else if (in->mem_count > 1)
		fn = multiple_fn[system_mode][counted][in->store];
	else
		fn = single_fn[system_mode][counted][in->store][log2_size(in->mem_bytes)];
	register_access(qi, fn, access, b);
}

static bool is_boundary(uint64_t addr)
{
	const struct pmk_emulated_config *cfg = &arena->cfg;

	for (unsigned r = 0; r < cfg->nregions; r++)
		if (cfg->region[r].begin == addr || cfg->region[r].end == addr)
			return true;
	return false;
}

/* The state bit is not shown to plugins. A block with a 2-byte instruction, or at an odd half word,
 * is Thumb; one of 4-byte instructions only can still be Thumb when it begins with a BL pair, and
 * then QEMU's own disassembly tells: the two readings of the word have different targets. */
static bool is_thumb(struct qemu_plugin_tb *tb, const struct raw *raw, size_t n)
{
	struct qemu_plugin_insn *first = qemu_plugin_tb_get_insn(tb, 0);
	uint64_t addr = qemu_plugin_insn_vaddr(first);
	struct pmk_insn pair;
	const char *target;
	char *text;
	bool same;
	uint16_t half[2];

	for (size_t i = 0; i < n; i++)
		if (raw[i].size == 2)
			return true;
	if (addr & 2)
		return true;
	if (raw[0].size != 4)
		return false;
	memcpy(half, raw[0].byte, sizeof(half));
	if ((half[0] & 0xf800) != 0xf000 || (half[1] & 0xe800) != 0xe800)
		return false;
	pmk_isa_arm_decode(isa, true, addr, half, 4, &pair);
	text = qemu_plugin_insn_disas(first);
	target = text ? strchr(text, '#') : NULL;
	same = target && strtoull(target + 1, NULL, 16) == pair.target;
	free(text);
	return same;
}

/*
 * Prefixes that were the last instruction of a translated block, by the address behind them: what stands
 * there is completed by them, in a block of its own.
 */
static struct prefix {
	uint64_t behind;
	uint32_t word;
} prefixes[256];

static struct prefix *prefix_slot(uint64_t behind)
{
	return &prefixes[behind / 4 % (sizeof(prefixes) / sizeof(prefixes[0]))];
}

static void decode_mb(struct qemu_plugin_tb *tb, const struct raw *raw, size_t n,
		      struct pmk_insn *in)
{
	uint64_t addr = qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(tb, 0));
	struct prefix before = *prefix_slot(addr);
	uint32_t prefix = before.behind == addr ? before.word : 0;

	for (size_t i = 0; i < n; i++) {
		uint32_t word = raw[i].size ? pmk_isa_microblaze_word(raw[i].byte, big_endian) : 0;

		addr = qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(tb, i));
		pmk_isa_microblaze_decode(addr, word, &in[i]);
		if (!raw[i].size)
			in[i] = (struct pmk_insn){ .addr = addr, .size = 4 };
		if (prefix)
			pmk_isa_microblaze_imm(&in[i], prefix);
		prefix = in[i].kind & PMK_MB_IMM ? word : 0;
	}
	addr += 4;
	if (prefix)
		*prefix_slot(addr) = (struct prefix){ addr, prefix };
	else if (prefix_slot(addr)->behind == addr)
		prefix_slot(addr)->word = 0; /* it has become another program */
}

/*
 * The page of helpers that ARM Linux shows to programs is run by the emulator itself. Up to 8.2 they have
 * no bytes, since 9.0 they are as long as an instruction.
 */
static bool is_helper(uint64_t addr)
{
	return !system_mode && addr >= HELPER_PAGE;
}

static void decode(uint64_t addr, const struct raw *raw, bool thumb, struct pmk_insn *in)
{
	uint32_t word;

	if (family == A64) {
		memcpy(&word, raw->byte, sizeof(word));
		pmk_isa_a64_decode(addr, word, in);
		return;
	}
	if (raw->size && !is_helper(addr)) {
		pmk_isa_arm_decode(isa, thumb, addr, raw->byte, raw->size, in);
		return;
	}
	/* A helper of the kernel's page: returns to the link register. */
	*in = (struct pmk_insn){ .addr = addr,
				 .flow = PMK_FLOW_RETURN,
				 .rd = PMK_NO_REG,
				 .rd2 = PMK_NO_REG,
				 .rn = PMK_NO_REG,
				 .rm = PMK_NO_REG,
				 .rs = PMK_NO_REG,
				 .ra = PMK_NO_REG };
}

/* FNV-1a over the bytes of the instructions. */
static uint64_t hash_bytes(uint64_t hash, const void *data, size_t size)
{
	const uint8_t *byte = data;

	for (size_t i = 0; i < size; i++)
		hash = (hash ^ byte[i]) * UINT64_C(0x100000001b3);
	return hash;
}

/* What runs when a block at `pc` starts. */
static qemu_exec_fn block_callback(uint64_t pc)
{
#define BY_KIND(family, sys)                                                      \
	{                                                                         \
		family##_plain##sys, family##_eager##sys, family##_followed##sys, \
			family##_boundary##sys                                    \
	}
	static const qemu_exec_fn fn[2][NFAMILIES][4] = {
		{ [ARM11] = BY_KIND(arm11, ),
		  [A64] = BY_KIND(a64, ),
		  [MICROBLAZE] = BY_KIND(mb, ) },
		{ [ARM11] = BY_KIND(arm11, _sys),
		  [A64] = BY_KIND(a64, _sys),
		  [MICROBLAZE] = BY_KIND(mb, _sys) },
	};

	if (arena->cfg.nregions)
		return fn[system_mode][family][is_boundary(pc) ? 3 : 2];
	return fn[system_mode][family][arena->cfg.eager];
}

static bool is_vector(uint64_t pc)
{
	uint64_t base = arena->cfg.core.microblaze.vectors_base;

	if (family == MICROBLAZE)
		return pc == base + PMK_MB_VECTOR_INTERRUPT || pc == base + PMK_MB_VECTOR_EXCEPTION;
	return pc < VECTORS_SIZE || pc - HELPER_PAGE < VECTORS_SIZE;
}

/* A straight run [first, last) of the translated block becomes one block of ours. */
static void add_block(struct qemu_plugin_tb *tb, const struct raw *raw, const struct pmk_insn *in,
		      size_t first, size_t last)
{
	static struct pmk_pipe_slot pipe[MAX_TB_INSNS]; /* under the lock */
	static void (*const watch[NFAMILIES])(struct qemu_plugin_insn *, const struct pmk_insn *,
					      const struct pmk_block *,
					      const struct pmk_pipe_slot *) = {
		[ARM11] = watch_access,
		[A64] = watch_a64,
		[MICROBLAZE] = watch_mb,
	};
	const struct pmk_block *b;
	uint64_t hash = UINT64_C(0xcbf29ce484222325);
	uint64_t pc = in[first].addr;
	bool vector = system_mode && is_vector(pc);
	qemu_exec_fn fn = block_callback(pc);

	for (size_t i = first; i < last; i++)
		hash = hash_bytes(hash, raw[i].byte, raw[i].size);
	b = pmk_code_add(&code, in + first, last - first, hash, vector, pipe);
	if (!b) {
		atomic_store(&arena->blocks_full, 1);
		return;
	}
	pmk_slot_facts(slot_memory)[b->id] = b->facts;
	atomic_store(&slot->nblocks, code.nblocks);
	if (first == 0)
		qemu_plugin_register_vcpu_tb_exec_cb(tb, fn, QEMU_CB_NO_REGS, (void *)b);
	else
		qemu_plugin_register_vcpu_insn_exec_cb(qemu_plugin_tb_get_insn(tb, first), fn,
						       QEMU_CB_NO_REGS, (void *)b);
	for (size_t i = first; i < last; i++)
		if (in[i].load || in[i].store)
			watch[family](qemu_plugin_tb_get_insn(tb, i), &in[i], b, &pipe[i - first]);
}

/* The stack of the program that is about to begin with this block. False: its pointer cannot be read. */
static bool first_stack(struct qemu_plugin_insn *first, struct pmk_stack *stack)
{
	const char *const sp[NFAMILIES] = { [ARM11] = "sp", [A64] = "sp", [MICROBLAZE] = "r1" };
	uint8_t *bytes = qemu_plugin_insn_haddr(first);

	if (!bytes || !glue->read_register || !glue->read_register(sp[family], &stack->sp))
		return false;
	stack->memory = bytes - qemu_plugin_insn_vaddr(first);
	stack->word = family == A64 ? 8 : 4;
	stack->big_endian = family == MICROBLAZE && big_endian;
	if (stack->big_endian)
		stack->sp = __builtin_bswap32((uint32_t)stack->sp);
	return true;
}

/* Where the program was loaded is known when its first block is translated. */
static void move_regions(uint64_t bias)
{
	for (unsigned r = 0; r < arena->cfg.nregions; r++) {
		arena->cfg.region[r].begin += bias;
		if (arena->cfg.region[r].end)
			arena->cfg.region[r].end += bias;
	}
}

/* Before the first instruction of a program. */
static void meet_program(struct qemu_plugin_insn *first)
{
	struct pmk_stack stack;
	bool known = !system_mode && first_stack(first, &stack);

	begun = true;
	if (known)
		pmk_stack_without_vdso(&stack);
	if (!arena->pie)
		return;
	if (qemu_plugin_start_code)
		move_regions(qemu_plugin_start_code() - arena->region_bias_base);
	else if (known)
		move_regions(pmk_stack_aux(&stack, PMK_AT_ENTRY) - arena->entry);
}

/* Up to 8.2 the bytes of MicroBlaze code are not told, but where the emulator has them. */
static void fetch(struct qemu_plugin_insn *qi, struct raw *raw)
{
	const void *memory;

	raw->size = (unsigned)glue->insn_bytes(qi, raw->byte, sizeof(raw->byte));
	if (raw->size || family != MICROBLAZE)
		return;
	memory = qemu_plugin_insn_haddr(qi);
	if (memory) {
		raw->size = sizeof(raw->byte);
		memcpy(raw->byte, memory, raw->size);
	}
}

static void decode_all(struct qemu_plugin_tb *tb, struct raw *raw, size_t n, struct pmk_insn *in)
{
	bool thumb;

	for (size_t i = 0; i < n; i++)
		fetch(qemu_plugin_tb_get_insn(tb, i), &raw[i]);
	if (family == MICROBLAZE) {
		decode_mb(tb, raw, n, in);
		return;
	}
	thumb = family == ARM11 && is_thumb(tb, raw, n);
	for (size_t i = 0; i < n; i++)
		decode(qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(tb, i)), &raw[i], thumb,
		       &in[i]);
}

/* Behind a branch with a delay slot control goes on to the slot. */
static bool changes_control(const struct pmk_insn *in)
{
	return in->flow != PMK_FLOW_NEXT && !(family == MICROBLAZE && in->kind & PMK_MB_DELAY);
}

void pmk_plugin_translated(struct qemu_plugin_tb *tb)
{
	static struct pmk_insn in[MAX_TB_INSNS]; /* under the lock */
	static struct raw raw[MAX_TB_INSNS];
	size_t n = qemu_plugin_tb_n_insns(tb);
	size_t first = 0;

	if (n == 0 || n > MAX_TB_INSNS)
		return;
	pthread_mutex_lock(&translating);
	if (!begun)
		meet_program(qemu_plugin_tb_get_insn(tb, 0));
	decode_all(tb, raw, n, in);
	for (size_t i = 0; i < n; i++) {
		/* A boundary in the middle starts a block of its own, and so does what follows a
		 * change of control that QEMU did not end its block at. */
		if (i > first && (is_boundary(in[i].addr) || changes_control(&in[i - 1]))) {
			add_block(tb, raw, in, first, i);
			first = i;
		}
	}
	add_block(tb, raw, in, first, n);
	pthread_mutex_unlock(&translating);
}

/* ---- processes and threads ------------------------------------------------------------------ */

static void *reserve(uint64_t size)
{
	void *p = pmk_reserve(size);

	if (!p)
		give_up(PMK_ENOMEM);
	return p;
}

void pmk_plugin_vcpu_started(unsigned vcpu)
{
	struct pmk_emulated *e;
	int err;

	vcpu %= MAX_VCPUS;
	atomic_fetch_add(&slot->threads, 1);
	/* A thread that starts after another has ended goes on on that one's core. */
	if (cpus[vcpu])
		return;
	if (vcpu >= PMK_ARENA_CPUS) {
		/* Runs, and is not counted: pmk says so. */
		atomic_fetch_add(&arena->lost_threads, 1);
		char *memory = reserve(PMK_CPU_BYTES + sizeof(struct pmk_emulated_ports));

		e = (struct pmk_emulated *)memory;
		err = pmk_emulated_start(e, (void *)(memory + PMK_CPU_BYTES), &arena->cfg,
					 (struct pmk_run *)(memory + PMK_CPU_HEAD));
	} else {
		e = pmk_slot_cpu(slot_memory, vcpu);
		err = pmk_emulated_start(e, &ports[vcpu], &arena->cfg,
					 pmk_slot_run(slot_memory, vcpu));
	}
	if (err)
		give_up(err);
	e->cpu.index = vcpu;
	e->cpu.on_deadline = on_deadline;
	if (system_mode) {
		e->cpu.is_device = is_device;
		e->cpu.device_ctx = reserve(UINT64_C(1) << (32 - PMK_PAGE_SHIFT));
	}
	cpus[vcpu] = &e->cpu;
	if (vcpu < PMK_ARENA_CPUS && atomic_load(&slot->ncpus) <= vcpu)
		atomic_store(&slot->ncpus, vcpu + 1);
}

static struct pmk_arena_slot *claim_slot(void)
{
	for (unsigned i = 0; i < PMK_ARENA_SLOTS; i++) {
		uint32_t free_slot = PMK_SLOT_FREE;

		if (atomic_compare_exchange_strong(&arena->slot[i].state, &free_slot,
						   PMK_SLOT_RUNNING))
			return &arena->slot[i];
	}
	return NULL;
}

/* pmk frees the slots of processes that have ended, a few times per second. */
static struct pmk_arena_slot *wait_for_slot(void)
{
	struct pmk_arena_slot *s = claim_slot();

	for (int tries = 0; !s && tries < 2000; tries++) {
		nap();
		s = claim_slot();
	}
	return s;
}

/* The state of the forking core at the fork. The parent runs on in memory that both share, so the
 * child cannot take it from there. */
static struct pmk_emulated at_fork;

static void before_fork(void)
{
	const struct pmk_cpu *cpu = cpus[calling_vcpu];

	forking = true;
	atomic_fetch_add(&arena->forks, 1);
	if (cpu)
		memcpy(&at_fork, cpu, pmk_emulated_bytes(&arena->cfg));
}

/* The program has forked, and this is the child: it gets memory of its own, warm caches, and counts
 * from 0. QEMU's translations are shared with the parent and go on pointing to our blocks, which are
 * private memory and were copied by the fork. */
static void after_fork(void)
{
	static struct pmk_arena_slot uncounted;
	unsigned vcpu = calling_vcpu;
	bool running = cpus[vcpu] != NULL;
	char *old_memory = slot_memory;
	struct pmk_emulated *e;

	slot = wait_for_slot();
	if (slot) {
		slot_memory = pmk_arena_memory(arena, slot);
	} else {
		atomic_fetch_add(&arena->lost_forks, 1);
		slot = &uncounted;
		slot_memory = reserve(PMK_SLOT_BYTES);
	}
	memset(cpus, 0, sizeof(cpus));
	if (!running || vcpu >= PMK_ARENA_CPUS)
		give_up(PMK_ENOTSUP);
	e = pmk_slot_cpu(slot_memory, vcpu);
	memcpy(pmk_slot_facts(slot_memory), pmk_slot_facts(old_memory),
	       code.nblocks * sizeof(struct pmk_facts));
	memcpy(e, &at_fork, pmk_emulated_bytes(&arena->cfg));
	if (pmk_emulated_forked(e, &ports[vcpu], &arena->cfg, pmk_slot_run(slot_memory, vcpu)))
		give_up(PMK_ENOTSUP);
	cpus[vcpu] = &e->cpu;
	atomic_store(&slot->nblocks, code.nblocks);
	atomic_store(&slot->ncpus, vcpu + 1);
	atomic_store(&slot->threads, 1);
	atomic_store(&slot->execs, 0);
	atomic_store(&slot->pid, (uint32_t)getpid());
	atomic_fetch_add(&arena->forked, 1);
}

static bool is_execve(int64_t num)
{
	static const int64_t execve[NFAMILIES][2] = {
		[ARM11] = { ARM_EXECVE, ARM_EXECVEAT },
		[A64] = { A64_EXECVE, A64_EXECVEAT },
		[MICROBLAZE] = { MB_EXECVE, MB_EXECVEAT },
	};

	return num == execve[family][0] || num == execve[family][1];
}

void pmk_plugin_syscall(unsigned vcpu, int64_t num)
{
	calling_vcpu = vcpu % MAX_VCPUS;
	if (is_execve(num))
		atomic_fetch_add(&slot->execs, 1);
}

void pmk_plugin_syscall_returned(int64_t num, int64_t result)
{
	/* An execve that returns has failed. */
	if (is_execve(num))
		atomic_fetch_sub(&slot->execs, 1);
	if (forking && result < 0)
		atomic_fetch_sub(&arena->forks, 1);
	forking = false;
}

static struct pmk_arena *map_arena(const char *path)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);
	void *p;

	if (fd < 0)
		return NULL;
	p = mmap(NULL, PMK_ARENA_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
	close(fd);
	return p == MAP_FAILED ? NULL : p;
}

/* The argument is "arena=/proc/self/fd/N": N was inherited, and is closed for good here. */
static const char *arena_path(int argc, char **argv)
{
	for (int i = 0; i < argc; i++)
		if (!strncmp(argv[i], "arena=", 6))
			return argv[i] + 6;
	return NULL;
}

/* qemu-system-aarch64 has ARM boards, too. */
static bool emulates(const char *target, const char *code_of)
{
	if (!strcmp(code_of, "a64"))
		return !strcmp(target, "aarch64");
	if (!strcmp(code_of, "arm"))
		return !strcmp(target, "arm") || (system_mode && !strcmp(target, "aarch64"));
	return !strncmp(target, code_of, strlen(code_of));
}

/* QEMU 9.1 to 10.2 load the module for 9.0, and would call it wrongly. */
static bool fits(const struct qemu_info *info)
{
	const struct pmk_qemu_generation *mine = pmk_qemu_generation_of_api(glue->api);
	unsigned api = (unsigned)info->version.cur;
	bool newest = mine == &pmk_qemu_generations[pmk_qemu_ngenerations - 1];

	if (api >= mine->api_lowest && (newest || api <= mine->api_highest))
		return true;
	fprintf(stderr, "pmk-qemu: %s is for %s; this emulator has version %u of the interface\n",
		mine->module, mine->releases, api);
	return false;
}

int pmk_plugin_install(const struct pmk_qemu_glue *of_module, uint64_t id,
		       const struct qemu_info *info, int argc, char **argv)
{
	const char *path = arena_path(argc, argv);
	const char *fd;

	if (!path) {
		fprintf(stderr, "pmk-qemu: this plugin is loaded by pmk stat\n");
		return -1;
	}
	arena = map_arena(path);
	if (!arena || arena->magic != PMK_ARENA_MAGIC || arena->size != PMK_ARENA_LAYOUT) {
		fprintf(stderr, "pmk-qemu: %s: not a counter arena of this version of pmk\n", path);
		return -1;
	}
	glue = of_module;
	if (!fits(info))
		return -1;
	fd = strrchr(path, '/');
	if (fd && !strncmp(path, "/proc/self/fd/", 14))
		close(atoi(fd + 1));
	system_mode = info->system_emulation;
	arena->system = system_mode;
	snprintf(arena->target, sizeof(arena->target), "%s", info->target_name);
	if (!emulates(info->target_name, arena->cfg.core.isa)) {
		atomic_store(&arena->other_isa, 1);
		return -1;
	}
	family = !strcmp(arena->cfg.core.isa, "microblaze") ? MICROBLAZE
		 : !strcmp(arena->cfg.core.isa, "a64")	    ? A64
							    : ARM11;
	big_endian = !strcmp(info->target_name, "microblaze");
	isa = pmk_isa_arm_new();
	if (!isa || pmk_code_init(&code, &arena->cfg.core))
		return -1;
	slot = claim_slot();
	if (!slot)
		return -1;
	slot_memory = pmk_arena_memory(arena, slot);
	atomic_store(&slot->pid, (uint32_t)getpid());
	pthread_atfork(before_fork, NULL, after_fork);
	glue->register_callbacks(id);
	atomic_store(&arena->ready, 1);
	return 0;
}
