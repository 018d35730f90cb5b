// SPDX-License-Identifier: MIT
/*
 * The functions that an emulator calls while ARM code runs. It does not call them for an access of
 * an instruction whose condition fails. It reports each word of a load or store multiple as one
 * access. LDRD and STRD are one or two accesses, depending on the emulator.
 */
#include "cpu/arm11/arm11.h"
#include "cpu/family.h"

static void start_single(unsigned vcpu, void *block)
{
	(void)vcpu;
	pmk_block_start_single(block, pmk_arm11_enter);
}

static void start_plain(unsigned vcpu, void *block)
{
	pmk_block_start(vcpu, block, pmk_block_as_it_is, pmk_arm11_enter);
}

static void start_eager(unsigned vcpu, void *block)
{
	pmk_block_start_eager(vcpu, block, pmk_arm11_enter);
}

static void start_booked(unsigned vcpu, void *block)
{
	pmk_block_start_booked(vcpu, block, pmk_arm11_enter_booked);
}

static const struct pmk_block_fns block_fns = {
	.single = start_single,
	.plain = start_plain,
	.eager = start_eager,
	.booked = start_booked,
	.handle = pmk_before_handler,
	.before = pmk_block_as_it_is,
};

static const struct pmk_block_fns *on_block(const struct pmk_core *core)
{
	(void)core;
	return &block_fns;
}

static void fetch_block(unsigned vcpu, void *block)
{
	pmk_arm11_enter_fetch(pmk_cpus[vcpu], block, false);
}

static void fetch_block_counted(unsigned vcpu, void *block)
{
	pmk_arm11_enter_fetch(pmk_cpus[vcpu], block, true);
}

static pmk_block_fn *const on_fetch[2] = { fetch_block, fetch_block_counted };

/*
 * A bit in the word that pmk_access_pack() makes: the facts of the block do not count this access.
 * Such accesses are counted here. They are the accesses of conditional and exclusive instructions,
 * which may make no access, and all accesses on a core without a clock.
 */
#define UNCOUNTED (UINT64_C(1) << 48)

/* The most frequent accesses have functions of their own: accesses that the facts of blocks count,
 * in programs with one thread. For accesses other than load and store multiples, there is one
 * function for each direction and size, so that the direction and size need not be tested when the
 * access is made. */
PMK_INLINE void access_shift(uint64_t addr, const void *a, unsigned shift, bool write)
{
	struct pmk_cpu *cpu = pmk_cpus[0];

	cpu->access = (uint64_t)(uintptr_t)a;
	(write ? pmk_arm11_store : pmk_arm11_load)(cpu, (uint32_t)addr, shift,
						   (uint64_t)(uintptr_t)a);
}

static void load1(unsigned vcpu, uint32_t info, uint64_t addr, void *a)
{
	(void)vcpu, (void)info;
	access_shift(addr, a, 0, false);
}

static void load2(unsigned vcpu, uint32_t info, uint64_t addr, void *a)
{
	(void)vcpu, (void)info;
	access_shift(addr, a, 1, false);
}

static void load4(unsigned vcpu, uint32_t info, uint64_t addr, void *a)
{
	(void)vcpu, (void)info;
	access_shift(addr, a, 2, false);
}

static void load8(unsigned vcpu, uint32_t info, uint64_t addr, void *a)
{
	(void)vcpu, (void)info;
	access_shift(addr, a, 3, false);
}

static void store1(unsigned vcpu, uint32_t info, uint64_t addr, void *a)
{
	(void)vcpu, (void)info;
	access_shift(addr, a, 0, true);
}

static void store2(unsigned vcpu, uint32_t info, uint64_t addr, void *a)
{
	(void)vcpu, (void)info;
	access_shift(addr, a, 1, true);
}

static void store4(unsigned vcpu, uint32_t info, uint64_t addr, void *a)
{
	(void)vcpu, (void)info;
	access_shift(addr, a, 2, true);
}

static void store8(unsigned vcpu, uint32_t info, uint64_t addr, void *a)
{
	(void)vcpu, (void)info;
	access_shift(addr, a, 3, true);
}

/* Returns the core, and stores the access in it, also for is_device(). */
static inline struct pmk_cpu *see_access(unsigned vcpu, uint32_t info, uint64_t addr,
					 const void *access)
{
	struct pmk_cpu *cpu = pmk_cpus[vcpu];

	cpu->access = (uint64_t)(uintptr_t)access;
	pmk_access_see(cpu, info, addr);
	return cpu;
}

/* Accounts for an access that is no load or store multiple and has no function of its own. */
static inline void access_any(struct pmk_cpu *cpu, uint32_t addr, uint64_t access, bool write)
{
	unsigned shift = 31 - (unsigned)__builtin_clz(PMK_ACCESS_SIZE(access) | 1);

	if (access & UNCOUNTED) {
		pmk_sites_access(cpu, access);
		cpu->dyn[write ? PMK_SIG_L1D_WRITE : PMK_SIG_L1D_READ]++;
	}
	if (write ? pmk_arm11_store_hits(cpu, addr, shift) : pmk_arm11_load_hits(cpu, addr, shift))
		return;
	if (cpu->core.timeless)
		(write ? pmk_arm11_store_alone_slow : pmk_arm11_load_alone_slow)(cpu, addr, access);
	else
		(write ? pmk_arm11_store_slow : pmk_arm11_load_slow)(cpu, addr, access);
}

static void load_any(unsigned vcpu, uint32_t info, uint64_t addr, void *a)
{
	struct pmk_cpu *cpu = see_access(vcpu, info, addr, a);

	access_any(cpu, (uint32_t)addr, (uint64_t)(uintptr_t)a, false);
}

static void store_any(unsigned vcpu, uint32_t info, uint64_t addr, void *a)
{
	struct pmk_cpu *cpu = see_access(vcpu, info, addr, a);

	access_any(cpu, (uint32_t)addr, (uint64_t)(uintptr_t)a, true);
}

/*
 * Accounts for SWP, which counts as two accesses. QEMU may report a read and a write, or one access
 * that is both. Here, only the report of a write counts, and stands for both accesses.
 */
static void swap(unsigned vcpu, uint32_t info, uint64_t addr, void *a)
{
	struct pmk_cpu *cpu;

	if (!pmk_emulator.is_store(info))
		return;
	cpu = see_access(vcpu, info, addr, a);
	access_any(cpu, (uint32_t)addr, (uint64_t)(uintptr_t)a, false);
	access_any(cpu, (uint32_t)addr, (uint64_t)(uintptr_t)a, true);
}

/* Accounts for STREX. QEMU may also report a read, which is ignored. */
static void store_exclusive(unsigned vcpu, uint32_t info, uint64_t addr, void *a)
{
	if (pmk_emulator.is_store(info))
		store_any(vcpu, info, addr, a);
}

static void load_multiple(unsigned vcpu, uint32_t info, uint64_t addr, void *a)
{
	(void)vcpu, (void)info;
	pmk_arm11_multiple(pmk_cpus[0], (uint32_t)addr, (uint64_t)(uintptr_t)a, false, true);
}

static void store_multiple(unsigned vcpu, uint32_t info, uint64_t addr, void *a)
{
	(void)vcpu, (void)info;
	pmk_arm11_multiple(pmk_cpus[0], (uint32_t)addr, (uint64_t)(uintptr_t)a, true, true);
}

/* Accounts for LDRD, STRD, and load and store multiples that have no function of their own. QEMU up
 * to 8.2 reports LDRD and STRD as two words. Newer versions report one access of eight bytes, which
 * is split into words here. */
static inline void multiple_any(unsigned vcpu, uint32_t info, uint64_t addr, const void *a,
				bool write)
{
	struct pmk_cpu *cpu = see_access(vcpu, info, addr, a);
	uint64_t access = (uint64_t)(uintptr_t)a;

	pmk_arm11_multiple(cpu, (uint32_t)addr, access, write, !(access & UNCOUNTED));
	if (PMK_ACCESS_COUNT(access) == 2 && PMK_ACCESS_SIZE(access) == 4 &&
	    pmk_emulator.size_shift(info) == 3)
		pmk_arm11_multiple(cpu, (uint32_t)addr + 4, access, write, !(access & UNCOUNTED));
}

static void load_multiple_any(unsigned vcpu, uint32_t info, uint64_t addr, void *a)
{
	multiple_any(vcpu, info, addr, a, false);
}

static void store_multiple_any(unsigned vcpu, uint32_t info, uint64_t addr, void *a)
{
	multiple_any(vcpu, info, addr, a, true);
}

static pmk_access_fn *watch_access(const struct pmk_core *core, bool single,
				   const struct pmk_insn *in, const struct pmk_block *b,
				   const struct pmk_pipe_slot *pipe, uint64_t *access)
{
	static pmk_access_fn *const by_size[2][4] = { { load1, load2, load4, load8 },
						      { store1, store2, store4, store8 } };
	bool counted = pmk_arm11_access_static(core, in);
	bool frequent = counted && single;
	uint32_t to_end = b->cycles > pipe->issue ? b->cycles - pipe->issue : 0;

	*access = pmk_access_pack(to_end, pipe->use, in->mem_count, in->mem_bytes) |
		  (counted ? 0 : UNCOUNTED);
	if (in->load && in->store)
		return swap;
	if (in->exclusive && in->store)
		return store_exclusive;
	if (in->mem_count == 2 && in->mem_bytes == 4 && !in->list)
		return in->store ? store_multiple_any : load_multiple_any;
	if (in->mem_count > 1 && frequent)
		return in->store ? store_multiple : load_multiple;
	if (in->mem_count > 1)
		return in->store ? store_multiple_any : load_multiple_any;
	if (frequent)
		return by_size[in->store][pmk_access_log2(in->mem_bytes)];
	return in->store ? store_any : load_any;
}

/*
 * Returns a test that is the same as in pmk_arm11_load() and pmk_arm11_store(), with one exception:
 * it does not find out which half of the line a store touches, so both halves must be dirty.
 */
static struct pmk_access_test access_test(const struct pmk_core *core, const struct pmk_insn *in)
{
	unsigned log2 = pmk_access_log2(in->mem_bytes);
	int64_t bits = in->store ? PMK_D_STORES : PMK_D_LOADS;

	if (in->mem_count > 1 || in->load == in->store || (in->exclusive && in->store))
		return (struct pmk_access_test){ .n = 0 };
	return (struct pmk_access_test){
		.n = 1,
		.lookup[0] = { .size = 1,
			       .ror = (uint8_t)log2,
			       .shift = (uint8_t)(PMK_LINE_SHIFT - log2),
			       .index_mask = -1,
			       .entry_mask = bits,
			       .value = bits },
		.counts = pmk_arm11_access_static(core, in) ? PMK_SIG_NONE
			  : in->store			    ? PMK_SIG_L1D_WRITE
							    : PMK_SIG_L1D_READ,
	};
}

static void *test_tables(const struct pmk_cpu *cpu)
{
	return cpu->arm11.dmap;
}

static void preload_line(unsigned vcpu, uint32_t info, uint64_t addr, void *data)
{
	uint64_t access = (uintptr_t)data;

	(void)info;
	pmk_arm11_preload(pmk_cpus[vcpu], (uint32_t)(addr + (access >> 32)), access);
}

const struct pmk_core_callbacks pmk_arm11_callbacks = {
	.on_block = on_block,
	.on_fetch = on_fetch,
	.watch = watch_access,
	.preload = preload_line,
	.test = access_test,
	.tables = test_tables,
};
