// SPDX-License-Identifier: MIT
/*
 * The signals that a MicroBlaze counts: which signals its blocks raise, what the signals depend on,
 * and how sums are derived from them.
 */
#include "cpu/family.h"
#include "cpu/microblaze/microblaze.h"
#include "cpu/sites.h"

const uint8_t pmk_microblaze_signal[PMK_MB_NFACTS] = {
#define X(name) [PMK_MB_FACT_##name] = PMK_SIG_##name,
	PMK_MB_FACTS(X)
#undef X
};

_Static_assert((int)PMK_MB_NFACTS <= (int)PMK_NFACTS, "a block has room for PMK_NFACTS facts");

static const uint8_t mix[] = {
	PMK_SIG_INSN,	     PMK_SIG_BR_UNCOND, PMK_SIG_BR_UNCOND_DELAY, PMK_SIG_LOGICAL,
	PMK_SIG_ARITH,	     PMK_SIG_MUL,	PMK_SIG_BARREL_SHIFT,	 PMK_SIG_SHIFT,
	PMK_SIG_DIV,	     PMK_SIG_VFP,	PMK_SIG_IMM_PREFIX,	 PMK_SIG_PATTERN_COMPARE,
	PMK_SIG_SIGN_EXTEND, PMK_SIG_ICACHE_OP, PMK_SIG_DCACHE_OP,	 PMK_SIG_STATUS_OP,
	PMK_SIG_L1I_ACCESS,  PMK_SIG_L1I_HIT,	PMK_SIG_L1I_TLB,	 PMK_SIG_ITLB_HIT,
	PMK_SIG_CYCLE,
};

/* Signals of the unified TLB are not in this list, because the TLB also has pages of data. Outcomes
 * of branches are not in it either, because only the accesses of a block show whether a fault in
 * the block or a signal after it has ended the block. */
static const uint8_t fetch[] = {
	PMK_SIG_L1I_MISS, PMK_SIG_L1I_HIT, PMK_SIG_ITLB_HIT, PMK_SIG_MICRO_ITLB_MISS, PMK_SIG_CYCLE,
};

/* Signals of the unified TLB are not in this list, because the TLB also has pages of code. The
 * number of store instructions is not in it either, because a store-exclusive that fails makes no
 * access. */
static const uint8_t data[] = {
	PMK_SIG_LOAD,
	PMK_SIG_L1D_CACHED_READ,
	PMK_SIG_L1D_CACHED_READ_HIT,
	PMK_SIG_L1D_CACHED_WRITE,
	PMK_SIG_L1D_CACHED_WRITE_HIT,
	PMK_SIG_L1D_READ_MISS,
	PMK_SIG_L1D_WRITE_MISS,
	PMK_SIG_L1D_EVICT,
	PMK_SIG_L1D_TLB_READ,
	PMK_SIG_L1D_TLB_WRITE,
	PMK_SIG_DTLB_HIT,
	PMK_SIG_MICRO_DTLB_MISS,
	PMK_SIG_STREX_PASS,
	PMK_SIG_PERIPHERAL_READ,
	PMK_SIG_PERIPHERAL_WRITE,
	PMK_SIG_CYCLE,
};

static const struct pmk_counted_signal counted[] = {
	{ PMK_SIG_OF_STALL, PMK_AT_LEAVE | PMK_AT_FETCH },
	{ PMK_SIG_EX_STALL, PMK_AT_ACCESS },
	{ PMK_SIG_MEM_STALL, PMK_AT_ACCESS },
	{ PMK_SIG_TLB_MISS, PMK_AT_FETCH | PMK_AT_ACCESS },
	{ PMK_SIG_MICRO_ITLB_MISS, PMK_AT_FETCH },
	{ PMK_SIG_MICRO_DTLB_MISS, PMK_AT_ACCESS },
	{ PMK_SIG_L1I_MISS, PMK_AT_FETCH },
	{ PMK_SIG_EXC_IRQ, PMK_AT_LEAVE },
	{ PMK_SIG_EXC_HW, PMK_AT_LEAVE },
	{ PMK_SIG_DELAY_NOP, PMK_AT_LEAVE },
	{ PMK_SIG_L1D_EVICT, PMK_AT_ACCESS },
	{ PMK_SIG_PERIPHERAL_READ, PMK_AT_ACCESS },
	{ PMK_SIG_PERIPHERAL_WRITE, PMK_AT_ACCESS },
	{ PMK_SIG_L1D_READ_MISS, PMK_AT_ACCESS },
	{ PMK_SIG_L1D_WRITE_MISS, PMK_AT_ACCESS },
	{ PMK_SIG_STREX_PASS, PMK_AT_ACCESS },
	{ PMK_SIG_CYCLE, 0 },
};

static const struct pmk_counted_beside beside[] = {
	{ offsetof(struct pmk_cpu, microblaze.outcome), PMK_MB_OUTCOMES, PMK_AT_LEAVE },
	{ offsetof(struct pmk_cpu, microblaze.uncached), 1, PMK_AT_ACCESS },
	{ offsetof(struct pmk_cpu, microblaze.uncached_writes), 1, PMK_AT_ACCESS },
	{ 0, 0, 0 },
};

/*
 * Returns how many conditional branches were taken, or not taken. It adds up the outcomes of `row`
 * for branches that were in the branch target cache and for others.
 */
static uint64_t went(const struct pmk_cpu *cpu, unsigned row, bool taken)
{
	return cpu->microblaze.outcome[row + taken] + cpu->microblaze.outcome[row + 2 + taken];
}

static void derive_branches(const struct pmk_cpu *cpu, uint64_t *t)
{
	uint64_t delayed = went(cpu, PMK_MB_ROW_DELAYED, true);
	uint64_t plain = went(cpu, PMK_MB_ROW_CONDITIONAL, true);

	/* The hot path does not add these cycles of taken branches to OF_STALL. */
	t[PMK_SIG_OF_STALL] += plain * pmk_microblaze_taken_cycles(&cpu->core, false) +
			       delayed * pmk_microblaze_taken_cycles(&cpu->core, true);
	t[PMK_SIG_BR_TAKEN_DELAY] = delayed + went(cpu, PMK_MB_ROW_PREDICTED_DELAYED, true);
	t[PMK_SIG_BR_NOT_TAKEN_DELAY] = went(cpu, PMK_MB_ROW_DELAYED, false) +
					went(cpu, PMK_MB_ROW_PREDICTED_DELAYED, false);
	t[PMK_SIG_BR_TAKEN] =
		plain + went(cpu, PMK_MB_ROW_PREDICTED, true) + t[PMK_SIG_BR_TAKEN_DELAY];
	t[PMK_SIG_BR_NOT_TAKEN] = went(cpu, PMK_MB_ROW_CONDITIONAL, false) +
				  went(cpu, PMK_MB_ROW_PREDICTED, false) +
				  t[PMK_SIG_BR_NOT_TAKEN_DELAY];
	t[PMK_SIG_BRANCH] = t[PMK_SIG_BR_UNCOND] + t[PMK_SIG_BR_TAKEN] + t[PMK_SIG_BR_NOT_TAKEN];
	for (unsigned row = 0; row < PMK_MB_OUTCOMES; row += 4)
		t[PMK_SIG_BTC_HIT] +=
			cpu->microblaze.outcome[row + 2] + cpu->microblaze.outcome[row + 3];
}

static void derive_caches(const struct pmk_cpu *cpu, uint64_t *t)
{
	/*
	 * A store-exclusive that fails is executed, but does not leave the core. Without a clock,
	 * STORE contains no store-exclusives, so `failed` becomes the negative number of
	 * store-exclusives that succeed.
	 */
	uint64_t failed = t[PMK_SIG_STREX] - t[PMK_SIG_STREX_PASS];
	uint64_t reads = t[PMK_SIG_LOAD], writes = t[PMK_SIG_STORE] - failed;

	t[PMK_SIG_L1I_HIT] = t[PMK_SIG_L1I_ACCESS] - t[PMK_SIG_L1I_MISS];
	if (cpu->core.dcache.on && !pmk_microblaze_data_is_local(&cpu->core)) {
		t[PMK_SIG_L1D_CACHED_READ] = reads - cpu->microblaze.uncached;
		t[PMK_SIG_L1D_CACHED_WRITE] = writes - cpu->microblaze.uncached_writes;
	}
	t[PMK_SIG_L1D_CACHED_READ_HIT] = t[PMK_SIG_L1D_CACHED_READ] - t[PMK_SIG_L1D_READ_MISS];
	t[PMK_SIG_L1D_CACHED_WRITE_HIT] = t[PMK_SIG_L1D_CACHED_WRITE] - t[PMK_SIG_L1D_WRITE_MISS];
	if (!cpu->core.mmu)
		return;
	t[PMK_SIG_L1I_TLB] = t[PMK_SIG_INSN];
	t[PMK_SIG_ITLB_HIT] = t[PMK_SIG_L1I_TLB] - t[PMK_SIG_MICRO_ITLB_MISS];
	t[PMK_SIG_L1D_TLB_READ] = reads;
	t[PMK_SIG_L1D_TLB_WRITE] = writes;
	t[PMK_SIG_DTLB_HIT] = reads + writes - t[PMK_SIG_MICRO_DTLB_MISS];
	t[PMK_SIG_MMU_LOOKUP] = t[PMK_SIG_MICRO_ITLB_MISS] + t[PMK_SIG_MICRO_DTLB_MISS];
	t[PMK_SIG_UTLB_HIT] = t[PMK_SIG_MMU_LOOKUP] - t[PMK_SIG_TLB_MISS];
}

static void derive_sums(const struct pmk_cpu *cpu, uint64_t *t)
{
	derive_branches(cpu, t);
	derive_caches(cpu, t);
	t[PMK_SIG_STALL] = t[PMK_SIG_OF_STALL] + t[PMK_SIG_EX_STALL] + t[PMK_SIG_MEM_STALL];
	if (cpu->core.microblaze.stall_cascade) {
		t[PMK_SIG_OF_STALL] += t[PMK_SIG_MEM_STALL];
		t[PMK_SIG_EX_STALL] += t[PMK_SIG_MEM_STALL];
	}
}

static struct pmk_signal_set raises(const struct pmk_core *core)
{
	static const uint8_t derived[] = {
		PMK_SIG_BRANCH,
		PMK_SIG_BR_TAKEN,
		PMK_SIG_BR_NOT_TAKEN,
		PMK_SIG_BR_TAKEN_DELAY,
		PMK_SIG_BR_NOT_TAKEN_DELAY,
		PMK_SIG_STALL,
		PMK_SIG_L1I_HIT,
		PMK_SIG_L1D_CACHED_READ,
		PMK_SIG_L1D_CACHED_READ_HIT,
		PMK_SIG_L1D_CACHED_WRITE,
		PMK_SIG_L1D_CACHED_WRITE_HIT,
		PMK_SIG_BTC_HIT,
		PMK_SIG_L1I_TLB,
		PMK_SIG_ITLB_HIT,
		PMK_SIG_L1D_TLB_READ,
		PMK_SIG_L1D_TLB_WRITE,
		PMK_SIG_DTLB_HIT,
		PMK_SIG_UTLB_HIT,
		PMK_SIG_MMU_LOOKUP,
		PMK_SIG_CYCLE,
	};
	/* Exceptions and interrupts are only visible in system emulation. */
	static const uint8_t of_systems[] = { PMK_SIG_EXC_HW, PMK_SIG_EXC_IRQ, PMK_SIG_CYCLE };
	struct pmk_signal_set set = pmk_cpu_signals(&pmk_microblaze_counts, derived);

	if (!core->system)
		pmk_signals_remove(&set, of_systems);
	return set;
}

static uint32_t longest_latency(const struct pmk_core *core)
{
	/*
	 * The longest latency is that of a line fill that waits for another fill, and for an
	 * eviction that waits for the write buffer.
	 */
	uint64_t longest = 1 + core->mem.latency + core->mem.fill + core->mem.write;

	longest = pmk_later(longest, core->microblaze.peripheral_latency);
	return (uint32_t)pmk_later(longest, core->utlb.penalty);
}

static uint64_t insns_per_cycle(const struct pmk_core *core)
{
	(void)core;
	return 1;
}

const struct pmk_core_counts pmk_microblaze_counts = {
	.fact_signal = pmk_microblaze_signal,
	.nfacts = PMK_MB_NFACTS,
	.raises = raises,
	.mix = mix,
	.data = data,
	.fetch = fetch,
	.lines = fetch,
	.counted = counted,
	.beside = beside,
	.derive = derive_sums,
	.longest = longest_latency,
	.insns_per_cycle = insns_per_cycle,
};
