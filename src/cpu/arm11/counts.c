// SPDX-License-Identifier: MIT
/* Counts of an ARM11: the signals of a block, what they depend on, and how they are summed. */
#include "cpu/arm11/arm11.h"
#include "cpu/family.h"
#include "cpu/sites.h"

static const uint8_t fact_signal[PMK_ARM11_NFACTS] = {
	[PMK_ARM11_FACT_INSN] = PMK_SIG_INSN,
	[PMK_ARM11_FACT_BRANCH] = PMK_SIG_BRANCH,
	[PMK_ARM11_FACT_DATA_STALL] = PMK_SIG_DATA_STALL,
	[PMK_ARM11_FACT_READ] = PMK_SIG_L1D_READ,
	[PMK_ARM11_FACT_WRITE] = PMK_SIG_L1D_WRITE,
	[PMK_ARM11_FACT_DRAIN] = PMK_SIG_WBUF_DRAIN,
};

_Static_assert((int)PMK_ARM11_FACT_UNTIMED < (int)PMK_NFACTS,
	       "a block has room for PMK_NFACTS facts");

static struct pmk_signal_set raises(const struct pmk_core *core)
{
	static const uint8_t unseen[] = { PMK_SIG_IRQ_MASKED, PMK_SIG_FIQ_MASKED,
					  PMK_SIG_ETMEXTOUT0, PMK_SIG_ETMEXTOUT1 };
	struct pmk_signal_set set = { { 0 } };

	/* An ARM11 raises none of the signals from LOAD on, except those of level 2. */
	for (unsigned s = PMK_SIG_CYCLE; s < PMK_SIG_LOAD; s++) {
		bool seen = true;

		for (size_t i = 0; i < sizeof(unseen); i++)
			seen &= unseen[i] != s;
		if (seen)
			pmk_signal_add(&set, s);
	}
	for (unsigned s = PMK_SIG_L2CC_INSN_READ; core->l2.type && s <= PMK_SIG_L2CC_EVICT_HALF;
	     s++)
		pmk_signal_add(&set, s);
	return set;
}

/* Includes L1D_READ and the sums that contain it, because preloads count as reads but make no
 * access. */
static const uint8_t mix[] = { PMK_SIG_INSN,	 PMK_SIG_BRANCH,     PMK_SIG_WBUF_DRAIN,
			       PMK_SIG_L1D_READ, PMK_SIG_L1D_ACCESS, PMK_SIG_L1D_ACCESS_WB,
			       PMK_SIG_CYCLE };

static const uint8_t data[] = {
	PMK_SIG_L1D_READ,      PMK_SIG_L1D_WRITE,	PMK_SIG_L1D_ACCESS,
	PMK_SIG_L1D_ACCESS_WB, PMK_SIG_L1D_READ_MISS,	PMK_SIG_L1D_WRITE_MISS,
	PMK_SIG_L1D_MISS,      PMK_SIG_L1D_EVICT,	PMK_SIG_L1D_WB_HALF,
	PMK_SIG_DATA_EXTERNAL, PMK_SIG_MICRO_DTLB_MISS, PMK_SIG_CYCLE,
};

/* Includes signals of branch prediction, because the prediction of a branch decides what is fetched
 * after it. Does not include stalls, because they depend on the main TLB, which also has pages of
 * data. */
static const uint8_t fetch[] = {
	PMK_SIG_L1I_MISS,      PMK_SIG_L1I_FILL,  PMK_SIG_MICRO_ITLB_MISS,
	PMK_SIG_BRANCH_MISS,   PMK_SIG_CALL_PUSH, PMK_SIG_RET_POP,
	PMK_SIG_RET_PREDICTED, PMK_SIG_RET_MISS,  PMK_SIG_CYCLE,
};

/* Computes the signals that are sums of others. */
static void derive_sums(const struct pmk_cpu *cpu, uint64_t *t)
{
	t[PMK_SIG_L1D_ACCESS] = t[PMK_SIG_L1D_READ] + t[PMK_SIG_L1D_WRITE];
	t[PMK_SIG_L1D_ACCESS_WB] = t[PMK_SIG_L1D_ACCESS] - cpu->arm11.uncached;
	t[PMK_SIG_L1D_MISS] = t[PMK_SIG_L1D_READ_MISS] + t[PMK_SIG_L1D_WRITE_MISS];
}

static const struct pmk_counted_signal counted[] = {
	{ PMK_SIG_BRANCH_MISS, PMK_AT_LEAVE },
	{ PMK_SIG_CALL_PUSH, PMK_AT_LEAVE },
	{ PMK_SIG_RET_POP, PMK_AT_LEAVE },
	{ PMK_SIG_RET_PREDICTED, PMK_AT_LEAVE },
	{ PMK_SIG_RET_MISS, PMK_AT_LEAVE },
	{ PMK_SIG_L1I_MISS, PMK_AT_LEAVE | PMK_AT_FETCH },
	{ PMK_SIG_L1I_FILL, PMK_AT_LEAVE | PMK_AT_FETCH },
	{ PMK_SIG_FETCH_STALL, PMK_AT_LEAVE | PMK_AT_FETCH },
	{ PMK_SIG_DATA_STALL, PMK_AT_FETCH | PMK_AT_ACCESS },
	{ PMK_SIG_LSU_FULL_STALL, PMK_AT_ACCESS },
	{ PMK_SIG_MICRO_ITLB_MISS, PMK_AT_FETCH },
	{ PMK_SIG_MICRO_DTLB_MISS, PMK_AT_ACCESS },
	{ PMK_SIG_TLB_MISS, PMK_AT_FETCH | PMK_AT_ACCESS },
	{ PMK_SIG_L1D_READ, PMK_AT_ACCESS },
	{ PMK_SIG_L1D_WRITE, PMK_AT_ACCESS },
	{ PMK_SIG_L1D_READ_MISS, PMK_AT_ACCESS },
	{ PMK_SIG_L1D_WRITE_MISS, PMK_AT_ACCESS },
	{ PMK_SIG_L1D_EVICT, PMK_AT_ACCESS },
	{ PMK_SIG_L1D_WB_HALF, PMK_AT_ACCESS },
	{ PMK_SIG_DATA_EXTERNAL, PMK_AT_ACCESS },
	{ PMK_SIG_L2CC_INSN_READ, PMK_AT_LEAVE | PMK_AT_FETCH },
	{ PMK_SIG_L2CC_INSN_READ_HIT, PMK_AT_LEAVE | PMK_AT_FETCH },
	{ PMK_SIG_L2CC_DATA_READ, PMK_AT_ACCESS },
	{ PMK_SIG_L2CC_DATA_READ_HIT, PMK_AT_ACCESS },
	{ PMK_SIG_L2CC_DATA_WRITE, PMK_AT_ACCESS },
	{ PMK_SIG_L2CC_DATA_WRITE_HIT, PMK_AT_ACCESS },
	{ PMK_SIG_L2CC_WT_WRITE, PMK_AT_ACCESS },
	{ PMK_SIG_L2CC_WRITE_ALLOC, PMK_AT_ACCESS },
	{ PMK_SIG_L2CC_EVICT_HALF, PMK_AT_LEAVE | PMK_AT_FETCH | PMK_AT_ACCESS },
	{ PMK_SIG_CYCLE, 0 },
};

static const struct pmk_counted_beside beside[] = {
	{ offsetof(struct pmk_cpu, arm11.uncached), 1, PMK_AT_ACCESS },
	{ 0, 0, 0 },
};

/*
 * Returns the most instructions that can complete in one cycle. They are two, because an ARM11 may
 * fold a branch, which then costs no cycle.
 */
static uint64_t insns_per_cycle(const struct pmk_core *core)
{
	(void)core;
	return 2;
}

const struct pmk_core_counts pmk_arm11_counts = {
	.fact_signal = fact_signal,
	.nfacts = PMK_ARM11_NFACTS,
	.untimed = PMK_ARM11_FACT_UNTIMED,
	.raises = raises,
	.mix = mix,
	.data = data,
	.fetch = fetch,
	.counted = counted,
	.beside = beside,
	.derive = derive_sums,
	.insns_per_cycle = insns_per_cycle,
};
