// SPDX-License-Identifier: MIT
/* The functions that an emulator calls while MicroBlaze code runs. */
#include "cpu/microblaze/microblaze.h"

static void start_thread(unsigned vcpu, void *block)
{
	(void)vcpu;
	pmk_block_start(0, block, pmk_microblaze_enter);
}

static void start_plain(unsigned vcpu, void *block)
{
	pmk_block_start(vcpu, block, pmk_microblaze_enter);
}

static void start_system(unsigned vcpu, void *block)
{
	pmk_block_start_system(vcpu, block, pmk_block_as_it_is, pmk_microblaze_enter);
}

static void start_eager(unsigned vcpu, void *block)
{
	pmk_block_start_eager(vcpu, block, pmk_microblaze_enter, false);
}

static void start_booked(unsigned vcpu, void *block)
{
	pmk_block_start_booked(vcpu, block, pmk_microblaze_enter_booked);
}

static void start_crossing(unsigned vcpu, void *block)
{
	pmk_block_start_eager(vcpu, block, pmk_microblaze_enter, true);
}

static const struct pmk_block_fns on_block = {
	.thread = start_thread,
	.plain = start_plain,
	.system = start_system,
	.eager = start_eager,
	.booked = start_booked,
	.crossing = start_crossing,
	.handle = pmk_before_handler,
	.before = pmk_block_as_it_is,
};

const struct pmk_block_fns *pmk_microblaze_on_block(const struct pmk_core *core)
{
	(void)core;
	return &on_block;
}

/* For cores of which only fetching is counted: they have no clock, and no block takes time. */
static void fetched(unsigned vcpu, void *block)
{
	pmk_microblaze_fetch_block(pmk_cpus[vcpu], block, false);
}

static void fetched_thread(unsigned vcpu, void *block)
{
	(void)vcpu;
	pmk_microblaze_fetch_block(pmk_cpus[0], block, false);
}

static void counted(unsigned vcpu, void *block)
{
	pmk_microblaze_fetch_block(pmk_cpus[vcpu], block, true);
}

static void counted_thread(unsigned vcpu, void *block)
{
	(void)vcpu;
	pmk_microblaze_fetch_block(pmk_cpus[0], block, true);
}

pmk_block_fn *const pmk_microblaze_on_fetch[2][PMK_FETCH_NWAYS] = { { fetched, fetched_thread },
								    { counted, counted_thread } };

/* Returns the core, and stores the access in it. */
static inline struct pmk_cpu *remember(unsigned vcpu, const void *access)
{
	struct pmk_cpu *cpu = pmk_cpus[vcpu];

	cpu->access = (uint64_t)(uintptr_t)access;
	return cpu;
}

/* The core of an access without a clock, which is counted here. The number of accesses replaces the
 * time, which shows which page was used last. */
static inline struct pmk_cpu *count_alone(unsigned vcpu, enum pmk_signal sig)
{
	struct pmk_cpu *cpu = pmk_cpus[vcpu];

	cpu->cycles++;
	cpu->dyn[sig]++;
	return cpu;
}

/*
 * The blocks' facts count all accesses, including store-exclusives that fail. There is one function
 * for each way to store, with and without translation; sizes make no difference.
 */
#define ACCESS(name, call, ...)                                                               \
	static void name(unsigned vcpu, uint32_t info, uint64_t addr, void *a)                \
	{                                                                                     \
		(void)info;                                                                   \
		call(remember(vcpu, a), (uint32_t)addr, (uint64_t)(uintptr_t)a, __VA_ARGS__); \
	}                                                                                     \
	PMK_OF_THREAD(name)                                                                   \
	static void name##_sys(unsigned vcpu, uint32_t info, uint64_t addr, void *a)          \
	{                                                                                     \
		pmk_access_see(info, addr);                                                   \
		call(remember(vcpu, a), (uint32_t)addr, (uint64_t)(uintptr_t)a, __VA_ARGS__); \
	}

ACCESS(load_back, pmk_microblaze_load, false, PMK_MB_WORD_GRAIN)
ACCESS(load_back_mmu, pmk_microblaze_load, true, PMK_MB_WORD_GRAIN)
ACCESS(load_through, pmk_microblaze_load, false, PMK_MB_GRAIN)
ACCESS(load_through_mmu, pmk_microblaze_load, true, PMK_MB_GRAIN)
ACCESS(store_back, pmk_microblaze_store_back, false)
ACCESS(store_back_mmu, pmk_microblaze_store_back, true)
ACCESS(store_through, pmk_microblaze_store_through, false)
ACCESS(store_through_mmu, pmk_microblaze_store_through, true)

#define ALONE(name, sig, call, ...)                                                                \
	static void name##_alone(unsigned vcpu, uint32_t info, uint64_t addr, void *a)             \
	{                                                                                          \
		(void)info;                                                                        \
		call(count_alone(vcpu, sig), (uint32_t)addr, (uint64_t)(uintptr_t)a, __VA_ARGS__); \
	}

ALONE(load_back, PMK_SIG_LOAD, pmk_microblaze_load, false, PMK_MB_WORD_GRAIN)
ALONE(load_back_mmu, PMK_SIG_LOAD, pmk_microblaze_load, true, PMK_MB_WORD_GRAIN)
ALONE(load_through, PMK_SIG_LOAD, pmk_microblaze_load, false, PMK_MB_GRAIN)
ALONE(load_through_mmu, PMK_SIG_LOAD, pmk_microblaze_load, true, PMK_MB_GRAIN)
ALONE(store_back, PMK_SIG_STORE, pmk_microblaze_store_back, false)
ALONE(store_back_mmu, PMK_SIG_STORE, pmk_microblaze_store_back, true)
ALONE(store_through, PMK_SIG_STORE, pmk_microblaze_store_alone, false)
ALONE(store_through_mmu, PMK_SIG_STORE, pmk_microblaze_store_alone, true)

/* A store-exclusive is reported as a read and a write, and not at all if it fails. */
static void store_exclusive(unsigned vcpu, uint32_t info, uint64_t addr, void *a)
{
	struct pmk_cpu *cpu;

	if (!pmk_emulator.is_store(info))
		return;
	cpu = remember(vcpu, a);
	cpu->cycles += cpu->core.timeless; /* as in count_alone() */
	pmk_sites_access(cpu, (uint64_t)(uintptr_t)a);
	cpu->dyn[PMK_SIG_STREX_PASS]++;
	pmk_access_see(info, addr);
	pmk_microblaze_store_slow(cpu, (uint32_t)addr, (uint64_t)(uintptr_t)a);
}

/* The functions of each world, and that of a program whose core has no clock. */
#define WORLDS(name)                                          \
	{                                                     \
		name##_thread, name, name##_sys, name##_alone \
	}

pmk_access_fn *pmk_microblaze_watch(const struct pmk_core *core, enum pmk_world world,
				    const struct pmk_insn *in, const struct pmk_block *b,
				    const struct pmk_pipe_slot *pipe, uint64_t *access)
{
	/* [store][write-through][translation][…] */
	static pmk_access_fn *const plain[2][2][2][PMK_NWORLDS + 1] = {
		{ { WORLDS(load_back), WORLDS(load_back_mmu) },
		  { WORLDS(load_through), WORLDS(load_through_mmu) } },
		{ { WORLDS(store_back), WORLDS(store_back_mmu) },
		  { WORLDS(store_through), WORLDS(store_through_mmu) } },
	};

	if (pmk_microblaze_data_is_local(core))
		return NULL;
	*access =
		pmk_access_pack(core->timeless ? 0 : b->cycles - pipe->issue, 0, 1, in->mem_bytes);
	if (in->store && in->exclusive)
		return store_exclusive;
	return plain[in->store][core->dcache_wt][core->mmu][core->timeless ? PMK_NWORLDS : world];
}

/* Loads, and stores to a write-back cache, as in pmk_microblaze_holds(). There is no test if a
 * translation is used, because its time must be noted. */
struct pmk_access_test pmk_microblaze_test(const struct pmk_core *core, const struct pmk_insn *in)
{
	unsigned grain = pmk_microblaze_grain(core);

	if (core->mmu || (in->store && (in->exclusive || core->dcache_wt)))
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

void *pmk_microblaze_tables(const struct pmk_cpu *cpu)
{
	return cpu->microblaze.tables;
}
