// SPDX-License-Identifier: MIT
/*
 * ARM11 event catalogue, and where each event appears on the trace bus EVNTBUS.
 *
 * ARM1136, ARM1156 and ARM1176: DAI 0195B Table 2, DDI 0211 Table 3.141, DDI 0301H Table 3-137.
 * ARM11 MPCore: secondary sources that agree with each other (Linux perf_event_v6.c, OProfile's
 * arm/mpcore event list, gator's events-ARM11MPCore.xml); its own manual was not consulted.
 *
 * Names are those Linux and libpfm4 use, but for 0x09: what they call DCACHE_HIT counts accesses,
 * hits or not (DAI 0195B §7). Aliases carry their words and the generic names of perf, with the
 * events Linux maps those to. Codes 0x08 and 0x0E do not exist on these three cores.
 */
#include "pmu/arm11/arm11.h"
#include "pmu/arm11/regs.h"

#define C36 (PMK_ARM11_IS_1136_R0 | PMK_ARM11_IS_1136)
#define C56 PMK_ARM11_IS_1156
#define C76 PMK_ARM11_IS_1176
#define ALL (C36 | C56 | C76)

#define T2   "DAI 0195B Table 2"
#define T141 "; DDI 0211 Table 3.141; DDI 0301H Table 3-137"
#define T137 "; DDI 0301H Table 3-137"

#define NO_MASKS  "user-mode execution does not show the interrupt masks in the CPSR"
#define NO_ETM	  "the outputs of a trace macrocell are not emulated"
#define NO_FAULTS "an emulated memory has no parity or TCM errors"

#define SPECULATIVE "speculative look-ups count, so it may far exceed the lines fetched"
#define OVERLAPS    "one cycle may count in several stall events; they do not add up to a total"

/* clang-format off */
const struct pmk_event pmk_arm11_events[] = {
	{ .code = 0x00, .name = "icache_miss", .aliases = "L1-icache-load-misses",
	  .cores = ALL, .signal = PMK_SIG_L1I_MISS, .signal2 = PMK_SIG_NONE,
	  .ref = T2 ", §3" T141,
	  .brief = "instruction cache look-ups that missed",
	  .caveat = SPECULATIVE },
	{ .code = 0x01, .name = "ibuf_stall", .aliases = "stalled-cycles-frontend",
	  .cores = ALL, .signal = PMK_SIG_FETCH_STALL, .signal2 = PMK_SIG_NONE, .cycles = true,
	  .ref = T2 ", §4" T141,
	  .brief = "cycles in which the instruction buffer had no instruction to issue",
	  .caveat = "a pipeline flush adds 1, whatever it cost; page table walks are left out" },
	{ .code = 0x02, .name = "ddep_stall",
	  .cores = ALL, .signal = PMK_SIG_DATA_STALL, .signal2 = PMK_SIG_NONE, .cycles = true,
	  .ref = T2 ", §4" T141,
	  .brief = "cycles in which an instruction waited for an operand",
	  .caveat = OVERLAPS },
	{ .code = 0x03, .name = "itlb_miss", .aliases = "iTLB-load-misses",
	  .cores = C36 | C76, .signal = PMK_SIG_MICRO_ITLB_MISS, .signal2 = PMK_SIG_NONE,
	  .ref = T2 T141,
	  .brief = "misses in the instruction micro-TLB",
	  .caveat = "most hit the main TLB and cost a few cycles; walks are main_tlb_miss" },
	{ .code = 0x04, .name = "dtlb_miss", .aliases = "dTLB-load-misses dTLB-store-misses",
	  .cores = C36 | C76, .signal = PMK_SIG_MICRO_DTLB_MISS, .signal2 = PMK_SIG_NONE,
	  .ref = T2 T141,
	  .brief = "misses in the data micro-TLB",
	  .caveat = "most hit the main TLB and cost a few cycles; walks are main_tlb_miss" },
	{ .code = 0x05, .name = "br_exec", .aliases = "branches branch-instructions",
	  .cores = ALL, .signal = PMK_SIG_BRANCH, .signal2 = PMK_SIG_NONE,
	  .ref = T2 ", §5" T141,
	  .brief = "branch instructions executed, taken or not",
	  .caveat = "the documents do not list the instructions; PC writes by MOV, LDR and LDM are "
		    "taken not to be among them (our choice)" },
	{ .code = 0x06, .name = "br_mispredict", .aliases = "branch-misses",
	  .cores = ALL, .signal = PMK_SIG_BRANCH_MISS, .signal2 = PMK_SIG_NONE,
	  .ref = T2 ", §5" T141,
	  .brief = "branches that went another way than fetched, flushing the pipeline",
	  .caveat = "with prediction off, as after reset, every taken branch counts" },
	{ .code = 0x07, .name = "instr_exec", .aliases = "instructions",
	  .cores = ALL, .signal = PMK_SIG_INSN, .signal2 = PMK_SIG_NONE,
	  .ref = T2 ", §6" T141,
	  .brief = "instructions that reached the execute stage",
	  .caveat = "those that failed their condition count; a multi-cycle one counts once" },
	{ .code = 0x09, .name = "dcache_access_cacheable", .aliases = "dcache_hit cache-references",
	  .cores = ALL, .signal = PMK_SIG_L1D_ACCESS_WB, .signal2 = PMK_SIG_NONE,
	  .ref = T2 ", §7" T141,
	  .brief = "data accesses to a cacheable line, hit or miss",
	  .caveat = "a load or store multiple counts once per line; TCM counts as cacheable; "
		    "speculative accesses count" },
	{ .code = 0x0A, .name = "dcache_access", .aliases = "L1-dcache-loads L1-dcache-stores",
	  .cores = ALL, .signal = PMK_SIG_L1D_ACCESS, .signal2 = PMK_SIG_NONE,
	  .ref = T2 ", §7" T141,
	  .brief = "data accesses to a line of any memory type",
	  .caveat = "reads and writes together; a load or store multiple counts once per line" },
	{ .code = 0x0B, .name = "dcache_miss",
	  .aliases = "cache-misses L1-dcache-load-misses L1-dcache-store-misses",
	  .cores = ALL, .signal = PMK_SIG_L1D_MISS, .signal2 = PMK_SIG_NONE,
	  .ref = T2 ", §8" T141,
	  .brief = "data accesses that missed the cache, reads and writes",
	  .caveat = "a store miss allocates no line, so stores to an absent line miss one by one" },
	{ .code = 0x0C, .name = "dcache_wback",
	  .cores = ALL, .signal = PMK_SIG_L1D_WB_HALF, .signal2 = PMK_SIG_NONE,
	  .ref = T2 T141,
	  .brief = "half lines (16 bytes) written back from the data cache" },
	{ .code = 0x0D, .name = "sw_pc_change",
	  .cores = ALL, .signal = PMK_SIG_PC_CHANGE, .signal2 = PMK_SIG_NONE,
	  .ref = T2 ", §5" T141,
	  .brief = "changes of the PC by software that leave the mode as it is",
	  .caveat = "taken branches and other PC writes; neither an SVC nor an exception return "
		    "from it counts" },
	{ .code = 0x0F, .name = "main_tlb_miss",
	  .cores = C36 | C76, .signal = PMK_SIG_TLB_MISS, .signal2 = PMK_SIG_NONE,
	  .ref = T2 ", §4" T141,
	  .brief = "main TLB misses, each a page table walk" },
	{ .code = 0x10, .name = "expl_d_access",
	  .cores = ALL, .signal = PMK_SIG_DATA_EXTERNAL, .signal2 = PMK_SIG_NONE,
	  .ref = T2 T141,
	  .brief = "explicit data accesses outside: line fills, uncached, written through",
	  .caveat = "without write-backs, page table walks and instruction fills" },
	{ .code = 0x11, .name = "lsu_full_stall", .aliases = "stalled-cycles-backend",
	  .cores = ALL, .signal = PMK_SIG_LSU_FULL_STALL, .signal2 = PMK_SIG_NONE, .cycles = true,
	  .ref = T2 ", §4" T141,
	  .brief = "cycles stalled because the load-store unit's request queue was full",
	  .caveat = OVERLAPS },
	{ .code = 0x12, .name = "wbuf_drained",
	  .cores = ALL, .signal = PMK_SIG_WBUF_DRAIN, .signal2 = PMK_SIG_NONE,
	  .ref = T2 T141,
	  .brief = "write buffer drains forced by a DSB or a Strongly Ordered access",
	  .caveat = "an ARM1176 was seen to count a DMB, too" },
	{ .code = 0x13, .name = "fiq_disabled_cycles",
	  .cores = C56, .signal = PMK_SIG_FIQ_MASKED, .signal2 = PMK_SIG_NONE, .cycles = true,
	  .ref = T2,
	  .brief = "cycles with FIQ disabled", .unmodelled = NO_MASKS },
	{ .code = 0x14, .name = "irq_disabled_cycles",
	  .cores = C56, .signal = PMK_SIG_IRQ_MASKED, .signal2 = PMK_SIG_NONE, .cycles = true,
	  .ref = T2,
	  .brief = "cycles with IRQ disabled", .unmodelled = NO_MASKS },
	{ .code = 0x20, .name = "etmextout_0", .aliases = "nop",
	  .cores = ALL, .signal = PMK_SIG_ETMEXTOUT0, .signal2 = PMK_SIG_NONE, .cycles = true,
	  .ref = T2 T141,
	  .brief = "cycles with ETM output 0 asserted",
	  .caveat = "stands still without an ETM: drivers park an idle counter on it",
	  .unmodelled = NO_ETM },
	{ .code = 0x21, .name = "etmextout_1",
	  .cores = ALL, .signal = PMK_SIG_ETMEXTOUT1, .signal2 = PMK_SIG_NONE, .cycles = true,
	  .ref = T2 T141,
	  .brief = "cycles with ETM output 1 asserted", .unmodelled = NO_ETM },
	{ .code = 0x22, .name = "etmextout",
	  .cores = ALL, .signal = PMK_SIG_ETMEXTOUT0, .signal2 = PMK_SIG_ETMEXTOUT1, .cycles = true,
	  .ref = T2 T141,
	  .brief = "cycles with ETM output 0 asserted plus those with output 1",
	  .caveat = "a cycle with both counts twice", .unmodelled = NO_ETM },
	{ .code = 0x23, .name = "proc_call_exec",
	  .cores = C76, .signal = PMK_SIG_CALL_PUSH, .signal2 = PMK_SIG_NONE,
	  .ref = T2 T137,
	  .brief = "calls that pushed their return address on the return stack",
	  .caveat = "counts only while branch prediction and the return stack are enabled" },
	{ .code = 0x24, .name = "proc_ret_exec",
	  .cores = C76, .signal = PMK_SIG_RET_POP, .signal2 = PMK_SIG_NONE,
	  .ref = T2 T137,
	  .brief = "returns that popped the return stack",
	  .caveat = "the return stack has 3 entries; returns that find it empty do not count" },
	{ .code = 0x25, .name = "proc_ret_exec_pred",
	  .cores = C76, .signal = PMK_SIG_RET_PREDICTED, .signal2 = PMK_SIG_NONE,
	  .ref = T2 T137,
	  .brief = "returns that were predicted from the return stack",
	  .caveat = "wrong predictions are included (our reading)" },
	{ .code = 0x26, .name = "proc_ret_exec_pred_incorrect",
	  .cores = C76, .signal = PMK_SIG_RET_MISS, .signal2 = PMK_SIG_NONE,
	  .ref = T2 T137,
	  .brief = "returns predicted wrongly; the popped entry is put back" },
	{ .code = 0x30, .name = "icache_tag_parity_error",
	  .cores = C56, .signal = PMK_SIG_NONE, .signal2 = PMK_SIG_NONE, .ref = T2,
	  .brief = "parity errors in the instruction cache's tag or valid RAM",
	  .unmodelled = NO_FAULTS },
	{ .code = 0x31, .name = "icache_data_parity_error",
	  .cores = C56, .signal = PMK_SIG_NONE, .signal2 = PMK_SIG_NONE, .ref = T2,
	  .brief = "parity errors in the instruction cache's data RAM", .unmodelled = NO_FAULTS },
	{ .code = 0x32, .name = "dcache_tag_parity_error",
	  .cores = C56, .signal = PMK_SIG_NONE, .signal2 = PMK_SIG_NONE, .ref = T2,
	  .brief = "parity errors in the data cache's tag or valid RAM", .unmodelled = NO_FAULTS },
	{ .code = 0x33, .name = "dcache_data_parity_error",
	  .cores = C56, .signal = PMK_SIG_NONE, .signal2 = PMK_SIG_NONE, .ref = T2,
	  .brief = "parity errors in the data cache's data RAM", .unmodelled = NO_FAULTS },
	{ .code = 0x34, .name = "itcm_error",
	  .cores = C56, .signal = PMK_SIG_NONE, .signal2 = PMK_SIG_NONE, .ref = T2,
	  .brief = "errors of the instruction TCM", .unmodelled = NO_FAULTS },
	{ .code = 0x35, .name = "dtcm_error",
	  .cores = C56, .signal = PMK_SIG_NONE, .signal2 = PMK_SIG_NONE, .ref = T2,
	  .brief = "errors of the data TCM", .unmodelled = NO_FAULTS },
	{ .code = 0x36, .name = "ret_stack_pop",
	  .cores = C56, .signal = PMK_SIG_RET_POP, .signal2 = PMK_SIG_NONE, .ref = T2,
	  .brief = "return addresses popped off the return stack" },
	{ .code = 0x37, .name = "ret_stack_mispredict",
	  .cores = C56, .signal = PMK_SIG_RET_MISS, .signal2 = PMK_SIG_NONE, .ref = T2,
	  .brief = "return addresses popped off the return stack that proved wrong" },
	{ .code = 0x38, .name = "dcache_dirty_parity_error",
	  .cores = C56, .signal = PMK_SIG_NONE, .signal2 = PMK_SIG_NONE, .ref = T2,
	  .brief = "parity errors in the data cache's dirty RAM", .unmodelled = NO_FAULTS },
	{ .code = 0xFF, .name = "cpu_cycles", .aliases = "cycles cpu-cycles",
	  .cores = ALL, .signal = PMK_SIG_CYCLE, .signal2 = PMK_SIG_NONE, .cycles = true,
	  .ref = T2 T141,
	  .brief = "cycles, one by one",
	  .caveat = "on PMN0 and PMN1 the divider D has no effect" },
};
/* clang-format on */

_Static_assert(sizeof(pmk_arm11_events) / sizeof(pmk_arm11_events[0]) == PMK_ARM11_NEVENTS, "rows");

#define MP	     PMK_ARM11_IS_MPCORE
#define LX	     "secondary: Linux perf_event_v6.c, OProfile arm/mpcore, gator ARM11MPCore"
#define OP	     "secondary: OProfile arm/mpcore, gator ARM11MPCore"
#define NOT_MODELLED "not modelled"

/* clang-format off */
const struct pmk_event pmk_arm11mpcore_events[] = {
	{ .code = 0x00, .name = "icache_miss", .aliases = "L1-icache-load-misses",
	  .cores = MP, .signal = PMK_SIG_L1I_MISS, .signal2 = PMK_SIG_NONE, .ref = LX,
	  .brief = "instruction cache look-ups that missed", .caveat = SPECULATIVE },
	{ .code = 0x01, .name = "ibuf_stall", .aliases = "stalled-cycles-frontend",
	  .cores = MP, .signal = PMK_SIG_FETCH_STALL, .signal2 = PMK_SIG_NONE, .cycles = true,
	  .ref = LX,
	  .brief = "cycles in which the instruction buffer had no instruction to issue" },
	{ .code = 0x02, .name = "ddep_stall",
	  .cores = MP, .signal = PMK_SIG_DATA_STALL, .signal2 = PMK_SIG_NONE, .cycles = true,
	  .ref = LX, .brief = "cycles in which an instruction waited for an operand",
	  .caveat = OVERLAPS },
	{ .code = 0x03, .name = "itlb_miss", .aliases = "iTLB-load-misses",
	  .cores = MP, .signal = PMK_SIG_MICRO_ITLB_MISS, .signal2 = PMK_SIG_NONE, .ref = LX,
	  .brief = "misses in the instruction micro-TLB" },
	{ .code = 0x04, .name = "dtlb_miss", .aliases = "dTLB-load-misses dTLB-store-misses",
	  .cores = MP, .signal = PMK_SIG_MICRO_DTLB_MISS, .signal2 = PMK_SIG_NONE, .ref = LX,
	  .brief = "misses in the data micro-TLB" },
	{ .code = 0x05, .name = "br_exec", .aliases = "branches branch-instructions",
	  .cores = MP, .signal = PMK_SIG_BRANCH, .signal2 = PMK_SIG_NONE, .ref = LX,
	  .brief = "branch instructions executed, taken or not" },
	{ .code = 0x06, .name = "br_notpredict",
	  .cores = MP, .signal = PMK_SIG_NONE, .signal2 = PMK_SIG_NONE, .ref = LX,
	  .brief = "branches that were not predicted", .unmodelled = NOT_MODELLED },
	{ .code = 0x07, .name = "br_mispredict", .aliases = "branch-misses",
	  .cores = MP, .signal = PMK_SIG_BRANCH_MISS, .signal2 = PMK_SIG_NONE, .ref = LX,
	  .brief = "branches that were predicted wrongly" },
	{ .code = 0x08, .name = "instr_exec", .aliases = "instructions",
	  .cores = MP, .signal = PMK_SIG_INSN, .signal2 = PMK_SIG_NONE, .ref = LX,
	  .brief = "instructions executed" },
	{ .code = 0x09, .name = "instr_fold_exec",
	  .cores = MP, .signal = PMK_SIG_NONE, .signal2 = PMK_SIG_NONE, .ref = OP,
	  .brief = "folded instructions executed", .unmodelled = NOT_MODELLED },
	{ .code = 0x0A, .name = "dcache_rdaccess", .aliases = "L1-dcache-loads",
	  .cores = MP, .signal = PMK_SIG_L1D_READ, .signal2 = PMK_SIG_NONE, .ref = LX,
	  .brief = "data cache read accesses" },
	{ .code = 0x0B, .name = "dcache_rdmiss", .aliases = "L1-dcache-load-misses",
	  .cores = MP, .signal = PMK_SIG_L1D_READ_MISS, .signal2 = PMK_SIG_NONE, .ref = LX,
	  .brief = "data cache read misses" },
	{ .code = 0x0C, .name = "dcache_wraccess", .aliases = "L1-dcache-stores",
	  .cores = MP, .signal = PMK_SIG_L1D_WRITE, .signal2 = PMK_SIG_NONE, .ref = LX,
	  .brief = "data cache write accesses" },
	{ .code = 0x0D, .name = "dcache_wrmiss", .aliases = "L1-dcache-store-misses",
	  .cores = MP, .signal = PMK_SIG_L1D_WRITE_MISS, .signal2 = PMK_SIG_NONE, .ref = LX,
	  .brief = "data cache write misses" },
	{ .code = 0x0E, .name = "dcache_eviction",
	  .cores = MP, .signal = PMK_SIG_L1D_EVICT, .signal2 = PMK_SIG_NONE, .ref = LX,
	  .brief = "data cache lines evicted" },
	{ .code = 0x0F, .name = "sw_pc_change",
	  .cores = MP, .signal = PMK_SIG_PC_CHANGE, .signal2 = PMK_SIG_NONE, .ref = LX,
	  .brief = "changes of the PC by software that leave the mode as it is" },
	{ .code = 0x10, .name = "main_tlb_miss",
	  .cores = MP, .signal = PMK_SIG_TLB_MISS, .signal2 = PMK_SIG_NONE, .ref = LX,
	  .brief = "main TLB misses" },
	{ .code = 0x11, .name = "expl_mem_access",
	  .cores = MP, .signal = PMK_SIG_NONE, .signal2 = PMK_SIG_NONE, .ref = LX,
	  .brief = "external memory requests: line fills, uncached accesses, write-backs",
	  .unmodelled = NOT_MODELLED },
	{ .code = 0x12, .name = "lsu_full_stall", .aliases = "stalled-cycles-backend",
	  .cores = MP, .signal = PMK_SIG_LSU_FULL_STALL, .signal2 = PMK_SIG_NONE, .cycles = true,
	  .ref = LX, .brief = "cycles stalled because the load-store unit's queue was full",
	  .caveat = OVERLAPS },
	{ .code = 0x13, .name = "wbuf_drained",
	  .cores = MP, .signal = PMK_SIG_WBUF_DRAIN, .signal2 = PMK_SIG_NONE, .ref = LX,
	  .brief = "store buffer drains: ordering, a barrier, a Strongly Ordered access" },
	{ .code = 0x14, .name = "wbuf_merge",
	  .cores = MP, .signal = PMK_SIG_NONE, .signal2 = PMK_SIG_NONE, .ref = OP,
	  .brief = "writes merged into a slot of the store buffer", .unmodelled = NOT_MODELLED },
	{ .code = 0x15, .name = "lsu_safe_mode",
	  .cores = MP, .signal = PMK_SIG_NONE, .signal2 = PMK_SIG_NONE,
	  .ref = "secondary: OProfile arm/mpcore",
	  .brief = "load-store unit in safe mode",
	  .caveat = "whether cycles or occurrences is not known", .unmodelled = NOT_MODELLED },
	{ .code = 0xFF, .name = "cpu_cycles", .aliases = "cycles cpu-cycles",
	  .cores = MP, .signal = PMK_SIG_CYCLE, .signal2 = PMK_SIG_NONE, .cycles = true, .ref = LX,
	  .brief = "cycles, one by one",
	  .caveat = "on PMN0 and PMN1 the divider D has no effect" },
};
/* clang-format on */

_Static_assert(sizeof(pmk_arm11mpcore_events) / sizeof(pmk_arm11mpcore_events[0]) ==
		       PMK_ARM11MPCORE_NEVENTS,
	       "rows");

/*
 * EVNTBUS: DDI 0211 Table 3.141 for the ARM1136, DDI 0301H Table 3-137 for the ARM1176. They
 * differ in br_exec alone: an ARM1136 may report two branches in one cycle, an ARM1176 at most
 * one, and its bit [6] is reserved.
 */
static const struct evntbus {
	uint8_t code;
	uint32_t bits1136, bits1176;
} evntbus[] = {
	/* clang-format off */
	{ 0x00, PMK_BIT(0),       PMK_BIT(0) },
	{ 0x01, PMK_BIT(1),       PMK_BIT(1) },
	{ 0x02, PMK_BIT(2),       PMK_BIT(2) },
	{ 0x03, PMK_BIT(3),       PMK_BIT(3) },
	{ 0x04, PMK_BIT(4),       PMK_BIT(4) },
	{ 0x05, PMK_BITS(6, 5),   PMK_BIT(5) },
	{ 0x06, PMK_BIT(7),       PMK_BIT(7) },
	{ 0x07, PMK_BITS(9, 8),   PMK_BITS(9, 8) },
	{ 0x09, PMK_BIT(10),      PMK_BIT(10) },
	{ 0x0A, PMK_BIT(11),      PMK_BIT(11) },
	{ 0x0B, PMK_BIT(12),      PMK_BIT(12) },
	{ 0x0C, PMK_BIT(13),      PMK_BIT(13) },
	{ 0x0D, PMK_BITS(15, 14), PMK_BITS(15, 14) },
	{ 0x0F, PMK_BIT(16),      PMK_BIT(16) },
	{ 0x10, PMK_BIT(17),      PMK_BIT(17) },
	{ 0x11, PMK_BIT(18),      PMK_BIT(18) },
	{ 0x12, PMK_BIT(19),      PMK_BIT(19) },
	/* clang-format on */
};

#define NEVNTBUS (sizeof(evntbus) / sizeof(evntbus[0]))

/* The bits of a row on this core; 0 where the layout is not documented. */
static uint32_t evntbus_bits(const struct pmk_pmu *pmu, const struct evntbus *row)
{
	switch (pmk_arm11_core(pmu)->id) {
	case PMK_ARM11_1136_R0:
	case PMK_ARM11_1136:
		return row->bits1136;
	case PMK_ARM11_1176:
		return row->bits1176;
	case PMK_ARM11_1156:
	case PMK_ARM11_MPCORE:
	case PMK_ARM11_NCORES:
		break;
	}
	return 0;
}

uint32_t pmk_arm11_evntbus(const struct pmk_pmu *pmu, bool x,
			   const uint8_t count[PMK_ARM11_EVNTBUS_CODES])
{
	uint32_t word = 0;

	if (!x)
		return 0;
	for (size_t i = 0; i < NEVNTBUS; i++) {
		uint32_t bits = evntbus_bits(pmu, &evntbus[i]);
		uint32_t one = PMK_LSB(bits), two = bits & ~one;
		uint8_t n = count[evntbus[i].code];

		if (n)
			word |= n > 1 && two ? two : one;
	}
	return word;
}

int pmk_arm11_evntbus_counts(const struct pmk_pmu *pmu, uint32_t word,
			     uint8_t count[PMK_ARM11_EVNTBUS_CODES])
{
	for (size_t i = 0; i < PMK_ARM11_EVNTBUS_CODES; i++)
		count[i] = 0;
	for (size_t i = 0; i < NEVNTBUS; i++) {
		uint32_t bits = evntbus_bits(pmu, &evntbus[i]);

		if (!bits)
			return PMK_ENOTSUP;
		if (word & bits & ~PMK_LSB(bits))
			count[evntbus[i].code] = 2;
		else if (word & bits)
			count[evntbus[i].code] = 1;
	}
	return PMK_OK;
}
