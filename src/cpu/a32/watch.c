// SPDX-License-Identifier: MIT
/*
 * The functions that an emulator calls while A32 or T32 code runs: those for A64, and functions
 * that count accesses with a condition. The emulator reports no access whose condition fails. An
 * instruction with several registers or elements makes a report for each; the first one is used for
 * all.
 */
#include "cpu/a32/a32.h"

/* Settle the level of the code that ran until now, which was not that of `b`. */
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
 * At a vector, find out first how much of the block before has run, because that block ran at its
 * own level.
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

static void in_order_thread(unsigned vcpu, void *block)
{
	(void)vcpu;
	pmk_block_start(0, block, pmk_a64_enter);
}

static void in_order_plain(unsigned vcpu, void *block)
{
	pmk_block_start(vcpu, block, pmk_a64_enter);
}

static void in_order_system(unsigned vcpu, void *block)
{
	pmk_block_start_system(vcpu, block, before_any, pmk_a64_enter);
}

static void in_order_eager(unsigned vcpu, void *block)
{
	pmk_block_start_eager(vcpu, block, pmk_a64_enter, false);
}

static void in_order_booked(unsigned vcpu, void *block)
{
	pmk_block_start_booked(vcpu, block, pmk_a64_enter);
}

static void in_order_crossing(unsigned vcpu, void *block)
{
	pmk_block_start_eager(vcpu, block, pmk_a64_enter, true);
}

static const struct pmk_block_fns in_order = {
	.thread = in_order_thread,
	.plain = in_order_plain,
	.system = in_order_system,
	.eager = in_order_eager,
	.booked = in_order_booked,
	.crossing = in_order_crossing,
	.handle = before_handler,
	.before = before_any,
};

static void out_of_order_thread(unsigned vcpu, void *block)
{
	(void)vcpu;
	pmk_block_start(0, block, pmk_a64_window_enter);
}

static void out_of_order_plain(unsigned vcpu, void *block)
{
	pmk_block_start(vcpu, block, pmk_a64_window_enter);
}

static void out_of_order_system(unsigned vcpu, void *block)
{
	pmk_block_start_system(vcpu, block, before_any, pmk_a64_window_enter);
}

static void out_of_order_eager(unsigned vcpu, void *block)
{
	pmk_block_start_eager(vcpu, block, pmk_a64_window_enter, false);
}

static void out_of_order_booked(unsigned vcpu, void *block)
{
	pmk_block_start_booked(vcpu, block, pmk_a64_window_enter);
}

static void out_of_order_crossing(unsigned vcpu, void *block)
{
	pmk_block_start_eager(vcpu, block, pmk_a64_window_enter, true);
}

static const struct pmk_block_fns out_of_order = {
	.thread = out_of_order_thread,
	.plain = out_of_order_plain,
	.system = out_of_order_system,
	.eager = out_of_order_eager,
	.booked = out_of_order_booked,
	.crossing = out_of_order_crossing,
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

static void load(unsigned vcpu, uint32_t info, uint64_t addr, void *a)
{
	struct pmk_cpu *cpu = pmk_a64_first(vcpu, info, addr, a);
	uint64_t access = (uint64_t)(uintptr_t)a;

	if (!cpu)
		return;
	pmk_sites_access(cpu, access);
	count_load(cpu, access);
	pmk_a64_load(cpu, addr, 1u << PMK_A64_ELEM(access), PMK_ACCESS_SIZE(access), access);
}

static void store(unsigned vcpu, uint32_t info, uint64_t addr, void *a)
{
	struct pmk_cpu *cpu = pmk_a64_first(vcpu, info, addr, a);
	uint64_t access = (uint64_t)(uintptr_t)a;

	if (!cpu)
		return;
	pmk_sites_access(cpu, access);
	count_store(cpu, access);
	pmk_a64_store(cpu, addr, 1u << PMK_A64_ELEM(access), PMK_ACCESS_SIZE(access), access);
}

/*
 * Account for a store-exclusive. The emulator reports it as a read and a write if it stores. One
 * that fails is not reported, so it does not count as a store (our choice).
 */
static void store_exclusive(unsigned vcpu, uint32_t info, uint64_t addr, void *a)
{
	struct pmk_cpu *cpu =
		pmk_emulator.is_store(info) ? pmk_a64_first(vcpu, info, addr, a) : NULL;

	if (!cpu)
		return;
	pmk_a64_store_exclusive(cpu, addr, (uint64_t)(uintptr_t)a);
	cpu->dyn[PMK_SIG_STORE]++;
}

/* SWP is reported as a read and a write, too. */
static void swap(unsigned vcpu, uint32_t info, uint64_t addr, void *a)
{
	struct pmk_cpu *cpu =
		pmk_emulator.is_store(info) ? pmk_a64_first(vcpu, info, addr, a) : NULL;
	uint64_t access = (uint64_t)(uintptr_t)a;

	if (!cpu)
		return;
	pmk_sites_access(cpu, access);
	count_load(cpu, access);
	count_store(cpu, access);
	pmk_a64_load(cpu, addr, 1, PMK_ACCESS_SIZE(access), access);
	pmk_a64_store(cpu, addr, 1, PMK_ACCESS_SIZE(access), access);
}

#define WITH_TWIN(name)                                                                   \
	static void name##_sys(unsigned vcpu, uint32_t info, uint64_t addr, void *access) \
	{                                                                                 \
		pmk_access_see(info, addr);                                               \
		name(vcpu, info, addr, access);                                           \
	}

WITH_TWIN(load)
WITH_TWIN(store)
WITH_TWIN(store_exclusive)
WITH_TWIN(swap)

/* Without a clock all accesses are counted when they are made, by the functions for A64. */
pmk_access_fn *pmk_a32_watch(const struct pmk_core *core, enum pmk_world world,
			     const struct pmk_insn *in, const struct pmk_block *b,
			     const struct pmk_pipe_slot *pipe, uint64_t *access)
{
	pmk_access_fn *always = pmk_a64_watch(core, world, in, b, pipe, access);
	bool system = world == PMK_WORLD_SYSTEM;

	if (!in->conditional || core->timeless)
		return always;
	if (in->load && in->store)
		return system ? swap_sys : swap;
	if (in->exclusive && in->store)
		return system ? store_exclusive_sys : store_exclusive;
	if (in->store)
		return system ? store_sys : store;
	return system ? load_sys : load;
}

struct pmk_access_test pmk_a32_test(const struct pmk_core *core, const struct pmk_insn *in)
{
	if (in->conditional && !core->timeless)
		return (struct pmk_access_test){ .n = 0 };
	return pmk_a64_test(core, in);
}
