// SPDX-License-Identifier: MIT
/*
 * The functions that an emulator calls while A32 or T32 code runs. They are the functions for A64,
 * and in addition functions that count accesses of conditional instructions. If the condition of an
 * instruction fails, the emulator reports no access. Otherwise it makes one report for each
 * register or element, and the first report counts for all of them.
 */
#include "cpu/a32/a32.h"

/* Tells the emulator's side that the code which ran until now leaves its exception level, and that
 * the core enters the level of `b`. */
static PMK_SLOW void change_level(struct pmk_cpu *cpu, const struct pmk_block *b)
{
	pmk_emulator.leave_level(cpu->index);
	cpu->level.guess = b->level;
	pmk_emulator.enter_level(cpu->index, b->level);
}

static inline void find_level(struct pmk_cpu *cpu, const struct pmk_block *b)
{
	if (PMK_UNLIKELY(cpu->level.watched && (cpu->level.open || cpu->level.guess != b->level)))
		change_level(cpu, b);
}

/*
 * Enters the level of `b`, unless `b` is at a vector. There, pmk must first find out how much of
 * the block before it has run, because that block ran at its own level. before_handler() does this.
 */
static inline void before_any(struct pmk_cpu *cpu, const struct pmk_block *b)
{
	if (!b->vector)
		find_level(cpu, b);
}

static inline void before_handler(struct pmk_cpu *cpu, const struct pmk_block *b)
{
	pmk_before_handler(cpu, b);
	find_level(cpu, b);
}

static void start_plain(unsigned vcpu, void *block)
{
	pmk_block_start(vcpu, block, before_any, pmk_a64_enter);
}

static const struct pmk_block_fns in_order = {
	.single = pmk_a64_start_single,
	.plain = start_plain,
	.eager = pmk_a64_start_eager,
	.booked = pmk_a64_start_booked,
	.handle = before_handler,
	.before = before_any,
};

static void window_start_plain(unsigned vcpu, void *block)
{
	pmk_block_start(vcpu, block, before_any, pmk_a64_window_enter);
}

static const struct pmk_block_fns out_of_order = {
	.single = pmk_a64_window_start_single,
	.plain = window_start_plain,
	.eager = pmk_a64_window_start_eager,
	.booked = pmk_a64_window_start_booked,
	.handle = before_handler,
	.before = before_any,
};

const struct pmk_block_fns *pmk_a32_on_block(const struct pmk_core *core)
{
	return core->a64.window ? &out_of_order : &in_order;
}

static void count_load(struct pmk_cpu *cpu, uint64_t access)
{
	cpu->dyn[PMK_SIG_LOAD]++;
	cpu->dyn[PMK_SIG_MEM_READ] += PMK_ACCESS_COUNT(access);
	cpu->dyn[PMK_SIG_L1D_LOOKUP_READ] += PMK_ACCESS_COUNT(access);
}

static void count_store(struct pmk_cpu *cpu, uint64_t access)
{
	cpu->dyn[PMK_SIG_STORE]++;
	cpu->dyn[PMK_SIG_MEM_WRITE] += PMK_ACCESS_COUNT(access);
	cpu->dyn[PMK_SIG_L1D_LOOKUP_WRITE] += PMK_ACCESS_COUNT(access);
}

/* Returns the core at the first report of an access, and NULL at later reports. */
static struct pmk_cpu *first_report(unsigned vcpu, uint32_t info, uint64_t addr, const void *access)
{
	pmk_access_see(pmk_cpus[vcpu], info, addr);
	return pmk_a64_first(vcpu, info, addr, access);
}

static void load_if(unsigned vcpu, uint32_t info, uint64_t addr, void *a)
{
	struct pmk_cpu *cpu = first_report(vcpu, info, addr, a);
	uint64_t access = (uint64_t)(uintptr_t)a;

	if (!cpu)
		return;
	pmk_sites_access(cpu, access);
	count_load(cpu, access);
	pmk_a64_load(cpu, addr, 1u << PMK_A64_ELEM(access), PMK_ACCESS_SIZE(access), access);
}

static void store_if(unsigned vcpu, uint32_t info, uint64_t addr, void *a)
{
	struct pmk_cpu *cpu = first_report(vcpu, info, addr, a);
	uint64_t access = (uint64_t)(uintptr_t)a;

	if (!cpu)
		return;
	pmk_sites_access(cpu, access);
	count_store(cpu, access);
	pmk_a64_store(cpu, addr, 1u << PMK_A64_ELEM(access), PMK_ACCESS_SIZE(access), access);
}

/*
 * Accounts for a store-exclusive. The emulator reports it as a read and a write if it stores. A
 * store-exclusive that fails is not reported, so it does not count as a store (our choice).
 */
static void store_exclusive_if(unsigned vcpu, uint32_t info, uint64_t addr, void *a)
{
	struct pmk_cpu *cpu =
		pmk_emulator.is_store(info) ? first_report(vcpu, info, addr, a) : NULL;

	if (!cpu)
		return;
	pmk_a64_store_exclusive(cpu, addr, (uint64_t)(uintptr_t)a);
	cpu->dyn[PMK_SIG_STORE]++;
}

/* Counts a SWP whose condition passed. The emulator reports SWP as a read and a write, as it
 * reports a store-exclusive. */
static void swap_if(unsigned vcpu, uint32_t info, uint64_t addr, void *a)
{
	struct pmk_cpu *cpu =
		pmk_emulator.is_store(info) ? first_report(vcpu, info, addr, a) : NULL;
	uint64_t access = (uint64_t)(uintptr_t)a;

	if (!cpu)
		return;
	pmk_sites_access(cpu, access);
	count_load(cpu, access);
	count_store(cpu, access);
	pmk_a64_load(cpu, addr, 1, PMK_ACCESS_SIZE(access), access);
	pmk_a64_store(cpu, addr, 1, PMK_ACCESS_SIZE(access), access);
}

/* Chooses the callback of an access. On a core without a clock, the functions for A64 count every
 * access when it is made. */
pmk_access_fn *pmk_a32_watch(const struct pmk_core *core, bool single, const struct pmk_insn *in,
			     const struct pmk_block *b, const struct pmk_pipe_slot *pipe,
			     uint64_t *access)
{
	pmk_access_fn *always = pmk_a64_watch(core, single, in, b, pipe, access);

	if (!in->conditional || core->timeless)
		return always;
	if (in->load && in->store)
		return swap_if;
	if (in->exclusive && in->store)
		return store_exclusive_if;
	return in->store ? store_if : load_if;
}

struct pmk_access_test pmk_a32_test(const struct pmk_core *core, const struct pmk_insn *in)
{
	if (in->conditional && !core->timeless)
		return (struct pmk_access_test){ .n = 0 };
	return pmk_a64_test(core, in);
}
