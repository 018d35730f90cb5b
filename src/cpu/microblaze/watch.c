// SPDX-License-Identifier: MIT
/* What an emulator calls while MicroBlaze code runs. */
#include "cpu/microblaze/microblaze.h"

PMK_BLOCK_FNS(pmk_microblaze_on_block, pmk_microblaze_enter, pmk_microblaze_enter_booked,
	      pmk_before_handler, pmk_block_as_it_is)

/* The core of an access, which it remembers. */
static inline struct pmk_cpu *remember(unsigned vcpu, const void *access)
{
	struct pmk_cpu *cpu = pmk_cpus[vcpu];

	cpu->access = (uint64_t)(uintptr_t)access;
	return cpu;
}

/*
 * All accesses are in their block's facts, those of a store exclusive that fails included.
 * One function for each way to store, with and without translation; sizes make no difference.
 */
#define ACCESS(name, call, ...)                                                               \
	static void name(unsigned vcpu, uint32_t info, uint64_t addr, void *a)                \
	{                                                                                     \
		(void)info;                                                                   \
		call(remember(vcpu, a), (uint32_t)addr, (uint64_t)(uintptr_t)a, __VA_ARGS__); \
	}                                                                                     \
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

/* A store exclusive is reported as a read and a write, and not at all if it fails. */
static void store_exclusive(unsigned vcpu, uint32_t info, uint64_t addr, void *a)
{
	struct pmk_cpu *cpu;

	if (!pmk_emulator.is_store(info))
		return;
	cpu = remember(vcpu, a);
	pmk_sites_access(cpu, (uint64_t)(uintptr_t)a);
	cpu->dyn[PMK_SIG_STREX_PASS]++;
	pmk_access_see(info, addr);
	pmk_microblaze_store_slow(cpu, (uint32_t)addr, (uint64_t)(uintptr_t)a);
}

pmk_access_fn *pmk_microblaze_watch(const struct pmk_core *core, bool system,
				    const struct pmk_insn *in, const struct pmk_block *b,
				    const struct pmk_pipe_slot *pipe, uint64_t *access)
{
	/* [store][write-through][translation][system] */
	static pmk_access_fn *const plain[2][2][2][2] = {
		{ { { load_back, load_back_sys }, { load_back_mmu, load_back_mmu_sys } },
		  { { load_through, load_through_sys },
		    { load_through_mmu, load_through_mmu_sys } } },
		{ { { store_back, store_back_sys }, { store_back_mmu, store_back_mmu_sys } },
		  { { store_through, store_through_sys },
		    { store_through_mmu, store_through_mmu_sys } } },
	};

	if (pmk_microblaze_data_is_local(core))
		return NULL;
	*access = pmk_access_pack(b->cycles - pipe->issue, 0, 1, in->mem_bytes);
	if (in->store && in->exclusive)
		return store_exclusive;
	return plain[in->store][core->dcache_wt][core->mmu][system];
}

/* Loads, and stores to a write-back cache, as in pmk_microblaze_holds(). A translation that is used
 * notes when. */
struct pmk_access_test pmk_microblaze_test(const struct pmk_core *core, const struct pmk_insn *in)
{
	unsigned grain = pmk_microblaze_grain(core);

	if (core->mmu || (in->store && (in->exclusive || core->dcache_wt)))
		return (struct pmk_access_test){ .n = 0 };
	return (struct pmk_access_test){
		.n = 1,
		.counts = PMK_SIG_NONE,
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
