// SPDX-License-Identifier: MIT
/*
 * The functions that an emulator calls while ARM code runs. An instruction whose condition fails
 * makes no access. Multiples make one access per word, LDRD and STRD one or two, depending on the
 * emulator.
 */
#include "cpu/arm11/arm11.h"

static void start_thread(unsigned vcpu, void *block)
{
	(void)vcpu;
	pmk_block_start(0, block, pmk_arm11_enter);
}

static void start_plain(unsigned vcpu, void *block)
{
	pmk_block_start(vcpu, block, pmk_arm11_enter);
}

static void start_system(unsigned vcpu, void *block)
{
	pmk_block_start_system(vcpu, block, pmk_block_as_it_is, pmk_arm11_enter);
}

static void start_eager(unsigned vcpu, void *block)
{
	pmk_block_start_eager(vcpu, block, pmk_arm11_enter, false);
}

static void start_booked(unsigned vcpu, void *block)
{
	pmk_block_start_booked(vcpu, block, pmk_arm11_enter_booked);
}

static void start_crossing(unsigned vcpu, void *block)
{
	pmk_block_start_eager(vcpu, block, pmk_arm11_enter, true);
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

const struct pmk_block_fns *pmk_arm11_on_block(const struct pmk_core *core)
{
	(void)core;
	return &on_block;
}

static void fetched(unsigned vcpu, void *block)
{
	pmk_arm11_enter_fetch(pmk_cpus[vcpu], block, false);
}

static void fetched_thread(unsigned vcpu, void *block)
{
	(void)vcpu;
	pmk_arm11_enter_fetch(pmk_cpus[0], block, false);
}

static void counted(unsigned vcpu, void *block)
{
	pmk_arm11_enter_fetch(pmk_cpus[vcpu], block, true);
}

static void counted_thread(unsigned vcpu, void *block)
{
	(void)vcpu;
	pmk_arm11_enter_fetch(pmk_cpus[0], block, true);
}

pmk_block_fn *const pmk_arm11_on_fetch[2][PMK_FETCH_NWAYS] = { { fetched, fetched_thread },
							       { counted, counted_thread } };

/*
 * Memory callbacks, one function per direction and size, so that neither has to be decided when
 * they run. "Counted" accesses are in their block's facts; others (conditional, exclusive) are
 * counted here. In system emulation the access is kept for is_device().
 */
static inline void access_one(unsigned vcpu, uint64_t addr, uint64_t access, unsigned shift,
			      bool write, bool counted)
{
	struct pmk_cpu *cpu = pmk_cpus[vcpu];

	cpu->access = access;
	if (!counted) {
		pmk_sites_access(cpu, access);
		cpu->dyn[write ? PMK_SIG_L1D_WRITE : PMK_SIG_L1D_READ]++;
	}
	if (write)
		pmk_arm11_store(cpu, (uint32_t)addr, shift, access);
	else
		pmk_arm11_load(cpu, (uint32_t)addr, shift, access);
}

/* Like access_one(), without a clock, where no block counts accesses. */
static inline void access_alone(unsigned vcpu, uint64_t addr, uint64_t access, unsigned shift,
				bool write)
{
	struct pmk_cpu *cpu = pmk_cpus[vcpu];

	cpu->access = access;
	cpu->dyn[write ? PMK_SIG_L1D_WRITE : PMK_SIG_L1D_READ]++;
	if (write && !pmk_arm11_store_hits(cpu, (uint32_t)addr, shift))
		pmk_arm11_store_alone_slow(cpu, (uint32_t)addr, access);
	if (!write && !pmk_arm11_load_hits(cpu, (uint32_t)addr, shift))
		pmk_arm11_load_alone_slow(cpu, (uint32_t)addr, access);
}

#define ALONE(name, shift, write)                                                           \
	static void name##_alone(unsigned vcpu, uint32_t info, uint64_t addr, void *access) \
	{                                                                                   \
		(void)info;                                                                 \
		access_alone(vcpu, addr, (uint64_t)(uintptr_t)access, shift, write);        \
	}

#define ACCESS(name, shift, write, counted)                                                 \
	static void name(unsigned vcpu, uint32_t info, uint64_t addr, void *access)         \
	{                                                                                   \
		(void)info;                                                                 \
		access_one(vcpu, addr, (uint64_t)(uintptr_t)access, shift, write, counted); \
	}                                                                                   \
	static void name##_sys(unsigned vcpu, uint32_t info, uint64_t addr, void *access)   \
	{                                                                                   \
		pmk_access_see(info, addr);                                                 \
		access_one(vcpu, addr, (uint64_t)(uintptr_t)access, shift, write, counted); \
	}

#define ACCESSES(shift)                           \
	ACCESS(load##shift, shift, false, true)   \
	ACCESS(store##shift, shift, true, true)   \
	PMK_OF_THREAD(load##shift)                \
	PMK_OF_THREAD(store##shift)               \
	ALONE(load##shift, shift, false)          \
	ALONE(store##shift, shift, true)          \
	ACCESS(cload##shift, shift, false, false) \
	ACCESS(cstore##shift, shift, true, false)

ACCESSES(0)
ACCESSES(1)
ACCESSES(2)
ACCESSES(3)

#define MULTIPLE(name, write, counted)                                                          \
	static void name(unsigned vcpu, uint32_t info, uint64_t addr, void *access)             \
	{                                                                                       \
		(void)info;                                                                     \
		pmk_arm11_multiple(pmk_cpus[vcpu], (uint32_t)addr, (uint64_t)(uintptr_t)access, \
				   write, counted);                                             \
	}                                                                                       \
	static void name##_sys(unsigned vcpu, uint32_t info, uint64_t addr, void *access)       \
	{                                                                                       \
		pmk_access_see(info, addr);                                                     \
		pmk_arm11_multiple(pmk_cpus[vcpu], (uint32_t)addr, (uint64_t)(uintptr_t)access, \
				   write, counted);                                             \
	}

MULTIPLE(load_multiple, false, true)
MULTIPLE(store_multiple, true, true)
MULTIPLE(cload_multiple, false, false)
MULTIPLE(cstore_multiple, true, false)
PMK_OF_THREAD(load_multiple)
PMK_OF_THREAD(store_multiple)

/*
 * QEMU reports LDRD and STRD as two words up to 8.2, and as one access of eight bytes in newer
 * versions, which is split into words here.
 */
#define PAIR(name, multiple)                                                              \
	static void name(unsigned vcpu, uint32_t info, uint64_t addr, void *access)       \
	{                                                                                 \
		multiple(vcpu, info, addr, access);                                       \
		if (pmk_emulator.size_shift(info) == 3)                                   \
			multiple(vcpu, info, addr + 4, access);                           \
	}                                                                                 \
	static void name##_sys(unsigned vcpu, uint32_t info, uint64_t addr, void *access) \
	{                                                                                 \
		multiple##_sys(vcpu, info, addr, access);                                 \
		if (pmk_emulator.size_shift(info) == 3)                                   \
			multiple##_sys(vcpu, info, addr + 4, access);                     \
	}

PAIR(load_pair, load_multiple)
PAIR(store_pair, store_multiple)
PAIR(cload_pair, cload_multiple)
PAIR(cstore_pair, cstore_multiple)

/*
 * SWP and STREX: QEMU may report a read and a write, or one access that is both. Only the write is
 * used. A swap is two accesses. The accesses of an unconditional swap are in its block's facts.
 */
static void swap(unsigned vcpu, uint32_t info, uint64_t addr, void *access)
{
	struct pmk_cpu *cpu = pmk_cpus[vcpu];
	uint64_t a = (uint64_t)(uintptr_t)access;

	if (!pmk_emulator.is_store(info))
		return;
	cpu->access = a;
	pmk_access_see(info, addr);
	pmk_arm11_load(cpu, (uint32_t)addr, pmk_access_log2(PMK_ACCESS_SIZE(a)), a);
	pmk_arm11_store(cpu, (uint32_t)addr, pmk_access_log2(PMK_ACCESS_SIZE(a)), a);
}

static void cswap(unsigned vcpu, uint32_t info, uint64_t addr, void *access)
{
	if (!pmk_emulator.is_store(info))
		return;
	pmk_sites_access(pmk_cpus[vcpu], (uint64_t)(uintptr_t)access);
	pmk_cpus[vcpu]->dyn[PMK_SIG_L1D_READ]++;
	pmk_cpus[vcpu]->dyn[PMK_SIG_L1D_WRITE]++;
	swap(vcpu, info, addr, access);
}

static void exclusive_store(unsigned vcpu, uint32_t info, uint64_t addr, void *access)
{
	uint64_t a = (uint64_t)(uintptr_t)access;

	if (!pmk_emulator.is_store(info))
		return;
	pmk_access_see(info, addr);
	access_one(vcpu, addr, a, pmk_access_log2(PMK_ACCESS_SIZE(a)), true, false);
}

#define BY_SIZE(kind, of)                                          \
	{                                                          \
		kind##0##of, kind##1##of, kind##2##of, kind##3##of \
	}

/* [world][counted][write][log2 of the size] */
static pmk_access_fn *const single_fn[PMK_NWORLDS][2][2][4] = {
	{ { BY_SIZE(cload, ), BY_SIZE(cstore, ) },
	  { BY_SIZE(load, _thread), BY_SIZE(store, _thread) } },
	{ { BY_SIZE(cload, ), BY_SIZE(cstore, ) }, { BY_SIZE(load, ), BY_SIZE(store, ) } },
	{ { BY_SIZE(cload, _sys), BY_SIZE(cstore, _sys) },
	  { BY_SIZE(load, _sys), BY_SIZE(store, _sys) } },
};
/* [write][log2 of the size] */
static pmk_access_fn *const alone_fn[2][4] = { BY_SIZE(load, _alone), BY_SIZE(store, _alone) };
/* [world][counted][write] */
static pmk_access_fn *const multiple_fn[PMK_NWORLDS][2][2] = {
	{ { cload_multiple, cstore_multiple }, { load_multiple_thread, store_multiple_thread } },
	{ { cload_multiple, cstore_multiple }, { load_multiple, store_multiple } },
	{ { cload_multiple_sys, cstore_multiple_sys }, { load_multiple_sys, store_multiple_sys } },
};
/* [system][counted][write] */
static pmk_access_fn *const pair_fn[2][2][2] = {
	{ { cload_pair, cstore_pair }, { load_pair, store_pair } },
	{ { cload_pair_sys, cstore_pair_sys }, { load_pair_sys, store_pair_sys } },
};

pmk_access_fn *pmk_arm11_watch(const struct pmk_core *core, enum pmk_world world,
			       const struct pmk_insn *in, const struct pmk_block *b,
			       const struct pmk_pipe_slot *pipe, uint64_t *access)
{
	bool counted = pmk_arm11_access_static(core, in);
	uint32_t to_end = b->cycles > pipe->issue ? b->cycles - pipe->issue : 0;
	bool system = world == PMK_WORLD_SYSTEM;
	pmk_access_fn *fn;

	*access = pmk_access_pack(to_end, pipe->use, in->mem_count, in->mem_bytes);
	if (in->load && in->store)
		fn = counted ? swap : cswap;
	else if (in->exclusive && in->store)
		fn = exclusive_store;
	else if (in->mem_count == 2 && in->mem_bytes == 4 && !in->list)
		fn = pair_fn[system][counted][in->store];
	else if (in->mem_count > 1)
		fn = multiple_fn[world][counted][in->store];
	else if (core->timeless)
		fn = alone_fn[in->store][pmk_access_log2(in->mem_bytes)];
	else
		fn = single_fn[world][counted][in->store][pmk_access_log2(in->mem_bytes)];
	return fn;
}

/*
 * Makes the same tests as pmk_arm11_load() and pmk_arm11_store(), except that it does not look at
 * which half of the line a store touches: both must be dirty.
 */
struct pmk_access_test pmk_arm11_test(const struct pmk_core *core, const struct pmk_insn *in)
{
	unsigned log2 = pmk_access_log2(in->mem_bytes);
	int64_t bits = in->store ? PMK_D_STORE_LO | PMK_D_STORE_HI : PMK_D_LOAD;

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

void *pmk_arm11_tables(const struct pmk_cpu *cpu)
{
	return cpu->arm11.dmap;
}
