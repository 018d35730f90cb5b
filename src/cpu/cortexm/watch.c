// SPDX-License-Identifier: MIT
/* The functions that an emulator calls while Cortex-M code runs. */
#include "cpu/cortexm/flash.h"

static inline void before_handler(struct pmk_cpu *cpu, const struct pmk_block *b)
{
	if (PMK_UNLIKELY(!pmk_cortexm_is_plain(cpu, cpu->prev, b)))
		pmk_cortexm_may_have_faulted(cpu, b);
}

static void start_plain(unsigned vcpu, void *block)
{
	pmk_block_start(vcpu, block, pmk_block_as_it_is, pmk_cortexm_enter);
}

static void start_eager(unsigned vcpu, void *block)
{
	pmk_block_start_eager(vcpu, block, pmk_cortexm_enter);
}

static void start_booked(unsigned vcpu, void *block)
{
	pmk_block_start_booked(vcpu, block, pmk_cortexm_enter);
}

static const struct pmk_block_fns on_block = {
	.plain = start_plain,
	.eager = start_eager,
	.booked = start_booked,
	.handle = before_handler,
	.before = pmk_block_as_it_is,
};

/* Enters a block of a core whose memory has wait states. */
static inline void enter_with_waits(struct pmk_cpu *cpu, const struct pmk_block *b, bool crossing)
{
	pmk_cortexm_enter(cpu, b, crossing);
	if (cpu->core.cortexm.flash_waits)
		pmk_cortexm_flash_fetch(cpu, b);
}

static void start_waiting_plain(unsigned vcpu, void *block)
{
	pmk_block_start(vcpu, block, pmk_block_as_it_is, enter_with_waits);
}

static void start_waiting_eager(unsigned vcpu, void *block)
{
	pmk_block_start_eager(vcpu, block, enter_with_waits);
}

static void start_waiting_booked(unsigned vcpu, void *block)
{
	pmk_block_start_booked(vcpu, block, enter_with_waits);
}

static const struct pmk_block_fns on_waiting_block = {
	.plain = start_waiting_plain,
	.eager = start_waiting_eager,
	.booked = start_waiting_booked,
	.handle = before_handler,
	.before = pmk_block_as_it_is,
};

/* Predicts the conditional branch before block `b`, and adds the cycles of a misprediction. */
static inline void predict(struct pmk_cpu *cpu, const struct pmk_block *b)
{
	const struct pmk_block *p = cpu->prev;
	bool taken = b->pc != p->cortexm.fall;
	uint8_t *counter;

	if (!p->conditional || (taken && b->pc != p->cortexm.jump))
		return;
	counter = &cpu->cortexm.counters[p->end_addr >> 1 & (PMK_CORTEXM_COUNTERS - 1)];
	if (taken != (*counter >= 2))
		cpu->cycles += cpu->core.cortexm.mispredicted;
	if (taken)
		*counter += *counter < 3;
	else
		*counter -= *counter > 0;
}

/* Enters a block of a core that predicts branches. */
static inline void enter_predicted(struct pmk_cpu *cpu, const struct pmk_block *b, bool crossing)
{
	predict(cpu, b);
	enter_with_waits(cpu, b, crossing);
}

static void start_predicted_plain(unsigned vcpu, void *block)
{
	pmk_block_start(vcpu, block, pmk_block_as_it_is, enter_predicted);
}

static void start_predicted_eager(unsigned vcpu, void *block)
{
	pmk_block_start_eager(vcpu, block, enter_predicted);
}

static void start_predicted_booked(unsigned vcpu, void *block)
{
	pmk_block_start_booked(vcpu, block, enter_predicted);
}

static const struct pmk_block_fns on_predicted_block = {
	.plain = start_predicted_plain,
	.eager = start_predicted_eager,
	.booked = start_predicted_booked,
	.handle = before_handler,
	.before = pmk_block_as_it_is,
};

const struct pmk_block_fns *pmk_cortexm_on_block(const struct pmk_core *core)
{
	if (core->cortexm.mispredicted)
		return &on_predicted_block;
	return pmk_cortexm_has_waits(core) ? &on_waiting_block : &on_block;
}

/* Counts the additional cycle of an access that is not aligned (DDI 0439 3.3.2). */
static PMK_SLOW void count_unaligned(struct pmk_cpu *cpu, uint64_t access, bool store)
{
	pmk_sites_access(cpu, access);
	cpu->dyn[store ? PMK_SIG_UNALIGNED_ST : PMK_SIG_UNALIGNED_LD]++;
	cpu->dyn[PMK_SIG_LSU_CYCLE]++;
	cpu->cycles++;
}

/* Accounts for a data access. The caller passes constants for `store` and `conditional`. The block
 * counts only one cycle of a conditional access. The access and its other cycles are counted here,
 * at the first word. */
static inline void access_memory(unsigned vcpu, uint64_t addr, void *a, bool store,
				 bool conditional)
{
	struct pmk_cpu *cpu = pmk_cpus[vcpu];
	uint64_t access = (uint64_t)(uintptr_t)a;
	bool first = cpu->access != access;

	cpu->access = access;
	if (!first)
		return;
	if (conditional) {
		pmk_sites_access(cpu, access);
		cpu->dyn[store ? PMK_SIG_STORE : PMK_SIG_LOAD]++;
		cpu->dyn[PMK_SIG_LSU_CYCLE] += PMK_ACCESS_USE(access);
		cpu->cycles += PMK_ACCESS_USE(access);
	}
	if (PMK_UNLIKELY(addr & (PMK_ACCESS_SIZE(access) - 1)))
		count_unaligned(cpu, access, store);
}

/* The value of PMK_ACCESS_COUNT for a load that overlaps with no other access. For all other
 * accesses it is 1. */
#define ALONE 2

static void add_waits(unsigned vcpu, uint64_t addr, void *a, bool store)
{
	struct pmk_cpu *cpu = pmk_cpus[vcpu];
	bool alone = PMK_ACCESS_COUNT((uint64_t)(uintptr_t)a) == ALONE;
	unsigned waits = pmk_cortexm_flash_access(cpu, addr, store, alone);

	pmk_sites_access(cpu, (uint64_t)(uintptr_t)a);
	cpu->dyn[PMK_SIG_LSU_CYCLE] += waits;
	cpu->cycles += waits;
}

static void load(unsigned vcpu, uint32_t info, uint64_t addr, void *a)
{
	(void)info;
	access_memory(vcpu, addr, a, false, false);
}

static void load_waiting(unsigned vcpu, uint32_t info, uint64_t addr, void *a)
{
	load(vcpu, info, addr, a);
	add_waits(vcpu, addr, a, false);
}

static void load_if(unsigned vcpu, uint32_t info, uint64_t addr, void *a)
{
	(void)info;
	access_memory(vcpu, addr, a, false, true);
}

static void load_if_waiting(unsigned vcpu, uint32_t info, uint64_t addr, void *a)
{
	load_if(vcpu, info, addr, a);
	add_waits(vcpu, addr, a, false);
}

static void store(unsigned vcpu, uint32_t info, uint64_t addr, void *a)
{
	(void)info;
	access_memory(vcpu, addr, a, true, false);
}

static void store_waiting(unsigned vcpu, uint32_t info, uint64_t addr, void *a)
{
	store(vcpu, info, addr, a);
	add_waits(vcpu, addr, a, true);
}

static void store_if(unsigned vcpu, uint32_t info, uint64_t addr, void *a)
{
	(void)info;
	access_memory(vcpu, addr, a, true, true);
}

static void store_if_waiting(unsigned vcpu, uint32_t info, uint64_t addr, void *a)
{
	store_if(vcpu, info, addr, a);
	add_waits(vcpu, addr, a, true);
}

/*
 * Accounts for a store-exclusive. The emulator reports it as a read and a write, or does not report
 * it if it fails.
 */
static void store_exclusive_if(unsigned vcpu, uint32_t info, uint64_t addr, void *a)
{
	if (pmk_emulator.is_store(info))
		access_memory(vcpu, addr, a, true, true);
}

pmk_access_fn *pmk_cortexm_watch(const struct pmk_core *core, bool single,
				 const struct pmk_insn *in, const struct pmk_block *b,
				 const struct pmk_pipe_slot *pipe, uint64_t *access)
{
	unsigned lsu, size = in->mem_bytes > 4 ? 4 : in->mem_bytes;

	(void)single;
	pmk_cortexm_cycles(core, in, &lsu);
	*access = pmk_access_pack(b->cycles - pipe->issue, lsu, pipe->use ? ALONE : 1, size);
	if (in->exclusive && in->store && in->conditional)
		return store_exclusive_if;
	if (pmk_cortexm_has_waits(core) && in->store)
		return in->conditional ? store_if_waiting : store_waiting;
	if (pmk_cortexm_has_waits(core))
		return in->conditional ? load_if_waiting : load_waiting;
	if (in->store)
		return in->conditional ? store_if : store;
	return in->conditional ? load_if : load;
}
