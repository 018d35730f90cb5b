// SPDX-License-Identifier: MIT
/* The functions that an emulator calls while MicroBlaze code runs. */
#include "cpu/family.h"
#include "cpu/microblaze/microblaze.h"

static void start_single(unsigned vcpu, void *block)
{
	(void)vcpu;
	pmk_block_start_single(block, pmk_microblaze_enter);
}

static void start_plain(unsigned vcpu, void *block)
{
	pmk_block_start(vcpu, block, pmk_block_as_it_is, pmk_microblaze_enter);
}

static void start_eager(unsigned vcpu, void *block)
{
	pmk_block_start_eager(vcpu, block, pmk_microblaze_enter);
}

static void start_booked(unsigned vcpu, void *block)
{
	pmk_block_start_booked(vcpu, block, pmk_microblaze_enter_booked);
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

/*
 * Starts a block when only fetching is counted. The core then has no clock, and no block takes
 * time.
 */
static void fetch_block(unsigned vcpu, void *block)
{
	pmk_microblaze_fetch_block(pmk_cpus[vcpu], block, false);
}

static void fetch_block_counted(unsigned vcpu, void *block)
{
	pmk_microblaze_fetch_block(pmk_cpus[vcpu], block, true);
}

static pmk_block_fn *const on_fetch[2] = { fetch_block, fetch_block_counted };

/*
 * The facts of blocks count all accesses, including store-exclusives that fail. For programs with
 * one thread on a core with a clock, there are functions for loads and stores, with a write-back
 * and a write-through cache, with and without translation. The size of an access makes no
 * difference.
 */

/* Returns the core, and stores the access in it. */
static inline struct pmk_cpu *remember(unsigned vcpu, const void *access)
{
	struct pmk_cpu *cpu = pmk_cpus[vcpu];

	cpu->access = (uint64_t)(uintptr_t)access;
	return cpu;
}

static void load_back(unsigned vcpu, uint32_t info, uint64_t addr, void *a)
{
	(void)vcpu, (void)info;
	pmk_microblaze_load(remember(0, a), (uint32_t)addr, (uint64_t)(uintptr_t)a, false,
			    PMK_MB_WORD_GRAIN);
}

static void load_back_mmu(unsigned vcpu, uint32_t info, uint64_t addr, void *a)
{
	(void)vcpu, (void)info;
	pmk_microblaze_load(remember(0, a), (uint32_t)addr, (uint64_t)(uintptr_t)a, true,
			    PMK_MB_WORD_GRAIN);
}

static void load_through(unsigned vcpu, uint32_t info, uint64_t addr, void *a)
{
	(void)vcpu, (void)info;
	pmk_microblaze_load(remember(0, a), (uint32_t)addr, (uint64_t)(uintptr_t)a, false,
			    PMK_MB_GRAIN);
}

static void load_through_mmu(unsigned vcpu, uint32_t info, uint64_t addr, void *a)
{
	(void)vcpu, (void)info;
	pmk_microblaze_load(remember(0, a), (uint32_t)addr, (uint64_t)(uintptr_t)a, true,
			    PMK_MB_GRAIN);
}

static void store_back(unsigned vcpu, uint32_t info, uint64_t addr, void *a)
{
	(void)vcpu, (void)info;
	pmk_microblaze_store_back(remember(0, a), (uint32_t)addr, (uint64_t)(uintptr_t)a, false);
}

static void store_back_mmu(unsigned vcpu, uint32_t info, uint64_t addr, void *a)
{
	(void)vcpu, (void)info;
	pmk_microblaze_store_back(remember(0, a), (uint32_t)addr, (uint64_t)(uintptr_t)a, true);
}

static void store_through(unsigned vcpu, uint32_t info, uint64_t addr, void *a)
{
	(void)vcpu, (void)info;
	pmk_microblaze_store_through(remember(0, a), (uint32_t)addr, (uint64_t)(uintptr_t)a, false);
}

static void store_through_mmu(unsigned vcpu, uint32_t info, uint64_t addr, void *a)
{
	(void)vcpu, (void)info;
	pmk_microblaze_store_through(remember(0, a), (uint32_t)addr, (uint64_t)(uintptr_t)a, true);
}

/*
 * Begins an access that the functions above do not handle. In system emulation, it stores the
 * access for is_device(). On a core without a clock, it only counts the access. There, the number
 * of accesses takes the place of the clock, so that pmk still knows which page was used last.
 */
static inline struct pmk_cpu *begin_otherwise(unsigned vcpu, uint32_t info, uint64_t addr,
					      const void *access, enum pmk_signal counts)
{
	struct pmk_cpu *cpu = pmk_cpus[vcpu];

	pmk_access_see(cpu, info, addr);
	if (!cpu->core.timeless)
		return remember(vcpu, access);
	cpu->cycles++;
	cpu->dyn[counts]++;
	return cpu;
}

static void load_otherwise(unsigned vcpu, uint32_t info, uint64_t addr, void *a)
{
	struct pmk_cpu *cpu = begin_otherwise(vcpu, info, addr, a, PMK_SIG_LOAD);

	pmk_microblaze_load(cpu, (uint32_t)addr, (uint64_t)(uintptr_t)a, cpu->core.mmu,
			    cpu->microblaze.tables->grain);
}

static void store_otherwise(unsigned vcpu, uint32_t info, uint64_t addr, void *a)
{
	struct pmk_cpu *cpu = begin_otherwise(vcpu, info, addr, a, PMK_SIG_STORE);
	uint64_t access = (uint64_t)(uintptr_t)a;

	if (!cpu->core.dcache.wt)
		pmk_microblaze_store_back(cpu, (uint32_t)addr, access, cpu->core.mmu);
	else if (cpu->core.timeless)
		pmk_microblaze_store_alone(cpu, (uint32_t)addr, access, cpu->core.mmu);
	else
		pmk_microblaze_store_through(cpu, (uint32_t)addr, access, cpu->core.mmu);
}

/*
 * Accounts for a store-exclusive. The emulator reports it as a read and a write, or does not report
 * it if it fails.
 */
static void store_exclusive(unsigned vcpu, uint32_t info, uint64_t addr, void *a)
{
	struct pmk_cpu *cpu;

	if (!pmk_emulator.is_store(info))
		return;
	cpu = remember(vcpu, a);
	cpu->cycles += cpu->core.timeless; /* see begin_otherwise() */
	pmk_sites_access(cpu, (uint64_t)(uintptr_t)a);
	cpu->dyn[PMK_SIG_STREX_PASS]++;
	pmk_access_see(cpu, info, addr);
	pmk_microblaze_store_slow(cpu, (uint32_t)addr, (uint64_t)(uintptr_t)a);
}

static pmk_access_fn *watch_access(const struct pmk_core *core, bool single,
				   const struct pmk_insn *in, const struct pmk_block *b,
				   const struct pmk_pipe_slot *pipe, uint64_t *access)
{
	/* [store][write-through][translation] */
	static pmk_access_fn *const plain[2][2][2] = {
		{ { load_back, load_back_mmu }, { load_through, load_through_mmu } },
		{ { store_back, store_back_mmu }, { store_through, store_through_mmu } },
	};

	if (pmk_microblaze_data_is_local(core))
		return NULL;
	*access =
		pmk_access_pack(core->timeless ? 0 : b->cycles - pipe->issue, 0, 1, in->mem_bytes);
	if (in->store && in->exclusive)
		return store_exclusive;
	if (!single || core->timeless)
		return in->store ? store_otherwise : load_otherwise;
	return plain[in->store][core->dcache.wt][core->mmu];
}

/* Describes the test that pmk_microblaze_holds() makes, for loads and for stores to a write-back
 * cache. There is no test if addresses are translated, because the time of each translation's use
 * must be recorded. */
static struct pmk_access_test access_test(const struct pmk_core *core, const struct pmk_insn *in)
{
	unsigned grain = pmk_microblaze_grain(core);

	if (core->mmu || (in->store && (in->exclusive || core->dcache.wt)))
		return (struct pmk_access_test){ .n = 0 };
	return (struct pmk_access_test){
		.n = 1,
		.counts = !core->timeless ? PMK_SIG_NONE
			  : in->store	  ? PMK_SIG_STORE
					  : PMK_SIG_LOAD,
		.lookup[0] = { .size = 4,
			       .offset = in->store
						 ? offsetof(struct pmk_microblaze_tables, dirty)
						 : offsetof(struct pmk_microblaze_tables, present),
			       .shift = (uint8_t)grain,
			       .index_mask = pmk_microblaze_present_mask(core),
			       .entry_mask = -1,
			       .addr_mask = -1,
			       .addr_shift = (uint8_t)grain },
	};
}

static void *test_tables(const struct pmk_cpu *cpu)
{
	return cpu->microblaze.tables;
}

const struct pmk_core_callbacks pmk_microblaze_callbacks = {
	.on_block = on_block,
	.on_fetch = on_fetch,
	.on_lines = on_fetch,
	.watch = watch_access,
	.test = access_test,
	.tables = test_tables,
	.is_blind = pmk_microblaze_data_is_local,
};
