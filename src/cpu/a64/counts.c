// SPDX-License-Identifier: MIT
/*
 * The signals that an A64 core counts: which signals its blocks raise, what the signals depend on,
 * and which of them are derived from others.
 */
#include "cpu/a64/a64.h"
#include "cpu/family.h"
#include "cpu/sites.h"

const uint8_t pmk_a64_signal[PMK_A64_NFACTS] = {
#define X(name) [PMK_A64_FACT_##name] = PMK_SIG_##name,
	PMK_A64_FACTS(X)
#undef X
};

_Static_assert((int)PMK_A64_NFACTS <= (int)PMK_NFACTS, "a block has room for PMK_NFACTS facts");

/* L1D_LOOKUP and L1D_LOOKUP_WRITE are also in pmk_a64_data. They are in this list because each
 * execution of DC ZVA adds a look-up, although it is not counted as an access. */
static const uint8_t mix[] = {
	PMK_SIG_INSN,	     PMK_SIG_BRANCH,
	PMK_SIG_BR_IMM,	     PMK_SIG_BR_RETURN,
	PMK_SIG_BR_INDIRECT, PMK_SIG_BR_PREDICTABLE,
	PMK_SIG_BR_COND,     PMK_SIG_DP,
	PMK_SIG_ASE,	     PMK_SIG_VFP,
	PMK_SIG_CRYPTO,	     PMK_SIG_ISB,
	PMK_SIG_DSB,	     PMK_SIG_DMB,
	PMK_SIG_EXC_SVC,     PMK_SIG_EXC_HVC,
	PMK_SIG_EXC_SMC,     PMK_SIG_EXC_UNDEF,
	PMK_SIG_EXC_TAKEN,   PMK_SIG_L1D_LOOKUP_WRITE,
	PMK_SIG_L1D_LOOKUP,  PMK_SIG_CYCLE,
};

/* Signals of level 2 and of the main TLB are not in this list, because instruction fetches use
 * both, too. LOAD and STORE are not in it either: they count instructions, and a store-exclusive
 * that fails makes no access. */
const uint8_t pmk_a64_data[] = {
	PMK_SIG_MEM_READ,	  PMK_SIG_MEM_WRITE,	  PMK_SIG_L1D_LOOKUP_READ,
	PMK_SIG_L1D_LOOKUP_WRITE, PMK_SIG_L1D_LOOKUP,	  PMK_SIG_L1D_READ_MISS,
	PMK_SIG_L1D_WRITE_MISS,	  PMK_SIG_L1D_MISS,	  PMK_SIG_L1D_EVICT,
	PMK_SIG_MICRO_DTLB_MISS,  PMK_SIG_DTLB_MISS_READ, PMK_SIG_DTLB_MISS_WRITE,
	PMK_SIG_L1D_TLB_READ,	  PMK_SIG_L1D_TLB_WRITE,  PMK_SIG_UNALIGNED_LD,
	PMK_SIG_UNALIGNED_ST,	  PMK_SIG_STREX_PASS,	  PMK_SIG_PREFETCH_FILL,
	PMK_SIG_L1D_ALLOC_WRITE,  PMK_SIG_CYCLE,
};

/* Signals of the main TLB are not in this list, because the main TLB also has pages of data. */
const uint8_t pmk_a64_fetch[] = {
	PMK_SIG_L1I_MISS,      PMK_SIG_L1I_FILL,  PMK_SIG_MICRO_ITLB_MISS,
	PMK_SIG_BRANCH_MISS,   PMK_SIG_CALL_PUSH, PMK_SIG_RET_POP,
	PMK_SIG_RET_PREDICTED, PMK_SIG_RET_MISS,  PMK_SIG_CYCLE,
};

const uint8_t pmk_a64_lines[] = {
	PMK_SIG_L1I_MISS,
	PMK_SIG_L1I_FILL,
	PMK_SIG_MICRO_ITLB_MISS,
	PMK_SIG_CYCLE,
};

const struct pmk_counted_signal pmk_a64_counted[] = {
	{ PMK_SIG_BRANCH_MISS, PMK_AT_LEAVE },
	{ PMK_SIG_CALL_PUSH, PMK_AT_LEAVE },
	{ PMK_SIG_RET_POP, PMK_AT_LEAVE },
	{ PMK_SIG_RET_PREDICTED, PMK_AT_LEAVE },
	{ PMK_SIG_RET_MISS, PMK_AT_LEAVE },
	{ PMK_SIG_BR_COND_MISS, PMK_AT_LEAVE },
	{ PMK_SIG_BR_INDIRECT_MISS, PMK_AT_LEAVE },
	{ PMK_SIG_BR_INDIRECT_WRONG, PMK_AT_LEAVE },
	{ PMK_SIG_EXC_TAKEN, PMK_AT_LEAVE },
	{ PMK_SIG_EXC_IRQ, PMK_AT_LEAVE },
	{ PMK_SIG_EXC_FIQ, PMK_AT_LEAVE },
	{ PMK_SIG_EXC_DABORT, PMK_AT_LEAVE },
	{ PMK_SIG_EXC_PABORT, PMK_AT_LEAVE },
	{ PMK_SIG_EXC_SVC, PMK_AT_LEAVE },
	{ PMK_SIG_EXC_HVC, PMK_AT_LEAVE },
	{ PMK_SIG_EXC_SMC, PMK_AT_LEAVE },
	{ PMK_SIG_EXC_UNDEF, PMK_AT_LEAVE },
	{ PMK_SIG_FETCH_STALL, PMK_AT_LEAVE | PMK_AT_FETCH },
	{ PMK_SIG_L1I_STALL, PMK_AT_FETCH },
	{ PMK_SIG_ITLB_STALL, PMK_AT_FETCH },
	{ PMK_SIG_ADDRESS_STALL, PMK_AT_FETCH },
	{ PMK_SIG_SIMD_STALL, PMK_AT_FETCH },
	{ PMK_SIG_LOAD_STALL, PMK_AT_FETCH | PMK_AT_ACCESS },
	{ PMK_SIG_STORE_STALL, PMK_AT_ACCESS },
	{ PMK_SIG_STORE_HELD, PMK_AT_ACCESS },
	{ PMK_SIG_L1I_MISS, PMK_AT_FETCH },
	{ PMK_SIG_L1I_FILL, PMK_AT_FETCH },
	{ PMK_SIG_MICRO_ITLB_MISS, PMK_AT_FETCH },
	{ PMK_SIG_ITLB_WALK, PMK_AT_FETCH },
	{ PMK_SIG_TLB_MISS, PMK_AT_FETCH | PMK_AT_ACCESS },
	{ PMK_SIG_DATA_STALL, PMK_AT_FETCH | PMK_AT_ACCESS },
	{ PMK_SIG_L2_READ, PMK_AT_FETCH | PMK_AT_ACCESS },
	{ PMK_SIG_L2_MISS_READ, PMK_AT_FETCH | PMK_AT_ACCESS },
	{ PMK_SIG_L2_EVICT, PMK_AT_FETCH | PMK_AT_ACCESS },
	{ PMK_SIG_BUS_READ, PMK_AT_FETCH | PMK_AT_ACCESS },
	{ PMK_SIG_BUS_WRITE, PMK_AT_FETCH | PMK_AT_ACCESS },
	{ PMK_SIG_LSU_FULL_STALL, PMK_AT_ACCESS },
	{ PMK_SIG_MICRO_DTLB_MISS, PMK_AT_ACCESS },
	{ PMK_SIG_L1D_READ_MISS, PMK_AT_ACCESS },
	{ PMK_SIG_L1D_WRITE_MISS, PMK_AT_ACCESS },
	{ PMK_SIG_L1D_EVICT, PMK_AT_ACCESS },
	{ PMK_SIG_L1D_ALLOC_WRITE, PMK_AT_ACCESS },
	{ PMK_SIG_PREFETCH_FILL, PMK_AT_ACCESS },
	{ PMK_SIG_L1D_LOOKUP_READ, PMK_AT_ACCESS },
	{ PMK_SIG_L1D_LOOKUP_WRITE, PMK_AT_ACCESS },
	{ PMK_SIG_MEM_READ, PMK_AT_ACCESS },
	{ PMK_SIG_MEM_WRITE, PMK_AT_ACCESS },
	{ PMK_SIG_UNALIGNED_LD, PMK_AT_ACCESS },
	{ PMK_SIG_UNALIGNED_ST, PMK_AT_ACCESS },
	{ PMK_SIG_STREX_PASS, PMK_AT_ACCESS },
	/*
	 * Only AArch32 needs LOAD, STORE and BR_RETURN, because there loads, stores and returns may
	 * have a condition.
	 */
	{ PMK_SIG_LOAD, PMK_AT_ACCESS },
	{ PMK_SIG_STORE, PMK_AT_ACCESS },
	{ PMK_SIG_BR_RETURN, PMK_AT_LEAVE },
	{ PMK_SIG_DTLB_MISS_READ, PMK_AT_ACCESS },
	{ PMK_SIG_DTLB_MISS_WRITE, PMK_AT_ACCESS },
	{ PMK_SIG_DTLB_WALK, PMK_AT_ACCESS },
	{ PMK_SIG_L2_WRITE, PMK_AT_ACCESS },
	{ PMK_SIG_L2_MISS_WRITE, PMK_AT_ACCESS },
	{ PMK_SIG_CYCLE, 0 },
};

/* Signals that are sums of others, or otherwise follow from them. */
static const uint8_t derived[] = {
	PMK_SIG_PC_CHANGE, PMK_SIG_L1D_MISS,	  PMK_SIG_L1D_LOOKUP,	   PMK_SIG_STREX_FAIL,
	PMK_SIG_L1I_TLB,   PMK_SIG_L1D_TLB_READ,  PMK_SIG_L1D_TLB_WRITE,   PMK_SIG_BACKEND_STALL,
	PMK_SIG_STALL,	   PMK_SIG_REFETCH_STALL, PMK_SIG_INTERLOCK_STALL, PMK_SIG_CYCLE,
};

struct pmk_signal_set pmk_a64_raises(const struct pmk_core *core)
{
	/* A core that executes out of order has no defined reason for each wait. */
	static const uint8_t in_order[] = {
		PMK_SIG_ADDRESS_STALL, PMK_SIG_SIMD_STALL,  PMK_SIG_INTERLOCK_STALL,
		PMK_SIG_LOAD_STALL,    PMK_SIG_STORE_STALL, PMK_SIG_STORE_HELD,
		PMK_SIG_CYCLE,
	};
	static const uint8_t of_systems[] = { PMK_SIG_EXC_PABORT, PMK_SIG_EXC_DABORT,
					      PMK_SIG_EXC_IRQ, PMK_SIG_EXC_FIQ, PMK_SIG_CYCLE };
	static const uint8_t prefetched[] = { PMK_SIG_PREFETCH_FILL, PMK_SIG_CYCLE };
	struct pmk_signal_set set = pmk_cpu_signals(&pmk_a64_counts, derived);

	if (core && core->a64.window)
		pmk_signals_remove(&set, in_order);
	if (!core || !core->system)
		pmk_signals_remove(&set, of_systems);
	if (!core || !core->a64.prefetch_streams || !core->a64.prefetch_lines)
		pmk_signals_remove(&set, prefetched);
	return set;
}

void pmk_a64_derive(const struct pmk_cpu *cpu, uint64_t *t)
{
	/*
	 * Without a clock, look-ups are not counted separately from accesses, except those of DC
	 * ZVA.
	 */
	if (cpu->core.timeless) {
		t[PMK_SIG_L1D_LOOKUP_READ] = t[PMK_SIG_MEM_READ];
		t[PMK_SIG_L1D_LOOKUP_WRITE] +=
			t[PMK_SIG_MEM_WRITE] - cpu->dyn[PMK_SIG_L1D_LOOKUP_WRITE];
	}
	t[PMK_SIG_L1D_LOOKUP] = t[PMK_SIG_L1D_LOOKUP_READ] + t[PMK_SIG_L1D_LOOKUP_WRITE];
	t[PMK_SIG_L1D_MISS] = t[PMK_SIG_L1D_READ_MISS] + t[PMK_SIG_L1D_WRITE_MISS];
	t[PMK_SIG_L1D_TLB_READ] = t[PMK_SIG_MEM_READ];
	t[PMK_SIG_L1D_TLB_WRITE] = t[PMK_SIG_MEM_WRITE];
	t[PMK_SIG_L1I_TLB] = t[PMK_SIG_L1I_ACCESS];
	t[PMK_SIG_STREX_FAIL] = t[PMK_SIG_STREX] - t[PMK_SIG_STREX_PASS];
	if (!cpu->core.system)
		t[PMK_SIG_EXC_TAKEN] = t[PMK_SIG_EXC_SVC] + t[PMK_SIG_EXC_HVC] +
				       t[PMK_SIG_EXC_SMC] + t[PMK_SIG_EXC_UNDEF];
	t[PMK_SIG_BACKEND_STALL] = t[PMK_SIG_DATA_STALL] + t[PMK_SIG_LSU_FULL_STALL];
	t[PMK_SIG_STALL] = t[PMK_SIG_BACKEND_STALL] + t[PMK_SIG_FETCH_STALL];
	t[PMK_SIG_REFETCH_STALL] =
		t[PMK_SIG_FETCH_STALL] - t[PMK_SIG_L1I_STALL] - t[PMK_SIG_ITLB_STALL];
	t[PMK_SIG_INTERLOCK_STALL] = t[PMK_SIG_BACKEND_STALL] - t[PMK_SIG_ADDRESS_STALL] -
				     t[PMK_SIG_SIMD_STALL] - t[PMK_SIG_LOAD_STALL] -
				     t[PMK_SIG_STORE_STALL];
}

uint64_t pmk_a64_insns_per_cycle(const struct pmk_core *core)
{
	return core->a64.issue_width;
}

const struct pmk_core_counts pmk_a64_counts = {
	.fact_signal = pmk_a64_signal,
	.nfacts = PMK_A64_NFACTS,
	.raises = pmk_a64_raises,
	.mix = mix,
	.data = pmk_a64_data,
	.fetch = pmk_a64_fetch,
	.lines = pmk_a64_lines,
	.counted = pmk_a64_counted,
	.derive = pmk_a64_derive,
	.insns_per_cycle = pmk_a64_insns_per_cycle,
};
