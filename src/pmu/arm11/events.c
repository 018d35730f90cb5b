// SPDX-License-Identifier: MIT
/*
 * ARM11 event catalogue. Freestanding.
 *
 * ARM1136, ARM1156 and ARM1176: DAI 0195B Table 2, DDI 0211 Table 3.141, DDI 0301H Table 3-137.
 * ARM11 MPCore: secondary sources that agree with each other (Linux perf_event_v6.c, OProfile's
 * arm/mpcore event list, gator's events-ARM11MPCore.xml); its own manual was not consulted.
 *
 * Names are those of Linux and libpfm4, except for 0x09: the event that they call DCACHE_HIT counts
 * accesses, hits or not (DAI 0195B §7). Aliases are their other names, and the generic names of
 * perf for the events that Linux maps them to. Codes 0x08 and 0x0E do not exist on the ARM1136,
 * ARM1156 and ARM1176.
 */
#include "pmu/arm11/regs.h"
#include "pmu/event_row.h"

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

#define SPECULATIVE "speculative look-ups count, so the count may far exceed the lines fetched"
/* What "exact" means for events that count data accesses: DAI 0195B §7. */
#define OF_INSNS    "exact for instructions; silicon also counts speculative accesses"
#define OVERLAPS    "one cycle may count in several stall events; they do not add up to a total"

#define CYCLE_SUM(a, b) SIG_SUM(a, b), .cycles = true

const struct pmk_event pmk_arm11_events[] = {
	EVENT_ROW(0x00, "icache_miss", ALL, SIG(L1I_MISS), T2 ", §3" T141,
		  "instruction cache look-ups that missed", .aliases = "L1-icache-load-misses",
		  .caveat = SPECULATIVE),
	EVENT_ROW(0x01, "ibuf_stall", ALL, SIG_CYCLES(FETCH_STALL), T2 ", §4" T141,
		  "cycles in which the instruction buffer had no instruction to issue",
		  .aliases = "stalled-cycles-frontend",
		  .caveat = "a pipeline flush adds 1, whatever it costs; page table walks do not "
			    "count"),
	EVENT_ROW(0x02, "ddep_stall", ALL, SIG_CYCLES(DATA_STALL), T2 ", §4" T141,
		  "cycles in which an instruction waited for an operand", .caveat = OVERLAPS),
	EVENT_ROW(0x03, "itlb_miss", C36 | C76, SIG(MICRO_ITLB_MISS), T2 T141,
		  "misses in the instruction micro-TLB", .aliases = "iTLB-load-misses",
		  .caveat = "most of these hit the main TLB and cost a few cycles; main_tlb_miss "
			    "counts table walks"),
	EVENT_ROW(0x04, "dtlb_miss", C36 | C76, SIG(MICRO_DTLB_MISS), T2 T141,
		  "misses in the data micro-TLB", .aliases = "dTLB-load-misses dTLB-store-misses",
		  .caveat = "most of these hit the main TLB and cost a few cycles; main_tlb_miss "
			    "counts table walks"),
	EVENT_ROW(0x05, "br_exec", ALL, SIG(BRANCH), T2 ", §5" T141,
		  "branch instructions executed, taken or not",
		  .aliases = "branches branch-instructions",
		  .caveat = "the documents do not list the instructions; PC writes by MOV, LDR and "
			    "LDM do not count (our choice)"),
	EVENT_ROW(0x06, "br_mispredict", ALL, SIG(BRANCH_MISS), T2 ", §5" T141,
		  "branches that went another way than fetched, flushing the pipeline",
		  .aliases = "branch-misses",
		  .caveat = "with prediction off, as after reset, every taken branch counts"),
	EVENT_ROW(0x07, "instr_exec", ALL, SIG(INSN), T2 ", §6" T141,
		  "instructions that reached the execute stage", .aliases = "instructions",
		  .caveat = "instructions that fail their condition count; a multi-cycle "
			    "instruction counts once"),
	EVENT_ROW(0x09, "dcache_access_cacheable", ALL, SIG(L1D_ACCESS_WB), T2 ", §7" T141,
		  "data accesses to a cacheable line, hit or miss",
		  .aliases = "dcache_hit cache-references",
		  .caveat = "once per line and instruction; TCM counts as cacheable; " OF_INSNS),
	EVENT_ROW(0x0A, "dcache_access", ALL, SIG(L1D_ACCESS), T2 ", §7" T141,
		  "data accesses to a line of any memory type",
		  .aliases = "L1-dcache-loads L1-dcache-stores",
		  .caveat = "reads and writes; once per line and instruction; " OF_INSNS),
	EVENT_ROW(0x0B, "dcache_miss", ALL, SIG(L1D_MISS), T2 ", §8" T141,
		  "data accesses that missed the cache, reads and writes",
		  .aliases = "cache-misses L1-dcache-load-misses L1-dcache-store-misses",
		  .caveat = "each store to an absent line counts; non-cacheable accesses do not "
			    "(our choices; dcache.store_miss_each, dcache.miss_uncached)"),
	EVENT_ROW(0x0C, "dcache_wback", ALL, SIG(L1D_WB_HALF), T2 T141,
		  "half lines (16 bytes) written back from the data cache"),
	EVENT_ROW(0x0D, "sw_pc_change", ALL, SIG(PC_CHANGE), T2 ", §5" T141,
		  "changes of the PC by software, without a change of mode",
		  .caveat = "taken branches and other PC writes; SVC and the return from it do not "
			    "count"),
	EVENT_ROW(0x0F, "main_tlb_miss", C36 | C76, SIG(TLB_MISS), T2 ", §4" T141,
		  "main TLB misses; each causes a page table walk"),
	EVENT_ROW(0x10, "expl_d_access", ALL, SIG(DATA_EXTERNAL), T2 T141,
		  "data accesses that go to external memory: line fills, uncached and "
		  "written-through accesses",
		  .caveat = "write-backs, page table walks and instruction fills do not count"),
	EVENT_ROW(0x11, "lsu_full_stall", ALL, SIG_CYCLES(LSU_FULL_STALL), T2 ", §4" T141,
		  "cycles stalled because the load-store unit's request queue was full",
		  .aliases = "stalled-cycles-backend", .caveat = OVERLAPS),
	EVENT_ROW(0x12, "wbuf_drained", ALL, SIG(WBUF_DRAIN), T2 T141,
		  "write buffer drains forced by a DSB or a Strongly Ordered access",
		  .caveat = "a DMB counts, as on an ARM1176 (our choice for other cores; "
			    "wbuf.dmb_drains); modelled in system emulation"),
	EVENT_ROW(0x13, "fiq_disabled_cycles", C56, SIG_CYCLES(FIQ_MASKED), T2,
		  "cycles with FIQ disabled", .unmodelled = NO_MASKS),
	EVENT_ROW(0x14, "irq_disabled_cycles", C56, SIG_CYCLES(IRQ_MASKED), T2,
		  "cycles with IRQ disabled", .unmodelled = NO_MASKS),
	EVENT_ROW(0x20, "etmextout_0", ALL, SIG_CYCLES(ETMEXTOUT0), T2 T141,
		  "cycles with ETM output 0 asserted", .aliases = "nop",
		  .caveat = "does not count without an ETM, so drivers select it for idle counters",
		  .unmodelled = NO_ETM),
	EVENT_ROW(0x21, "etmextout_1", ALL, SIG_CYCLES(ETMEXTOUT1), T2 T141,
		  "cycles with ETM output 1 asserted", .unmodelled = NO_ETM),
	EVENT_ROW(0x22, "etmextout", ALL, CYCLE_SUM(ETMEXTOUT0, ETMEXTOUT1), T2 T141,
		  "cycles with ETM output 0 asserted plus those with output 1",
		  .caveat = "a cycle with both counts twice", .unmodelled = NO_ETM),
	EVENT_ROW(0x23, "proc_call_exec", C76, SIG(CALL_PUSH), T2 T137,
		  "calls that pushed their return address on the return stack",
		  .caveat = "counts only while branch prediction and the return stack are enabled"),
	EVENT_ROW(
		0x24, "proc_ret_exec", C76, SIG(RET_POP), T2 T137,
		"returns that popped the return stack",
		.caveat =
			"the return stack has 3 entries; returns that find it empty do not count"),
	EVENT_ROW(0x25, "proc_ret_exec_pred", C76, SIG(RET_PREDICTED), T2 T137,
		  "returns that were predicted from the return stack",
		  .caveat = "wrong predictions are included (our reading)"),
	EVENT_ROW(0x26, "proc_ret_exec_pred_incorrect", C76, SIG(RET_MISS), T2 T137,
		  "returns predicted wrongly; the popped entry is put back"),
	EVENT_UNSEEN(0x30, "icache_tag_parity_error", C56, T2, NO_FAULTS,
		     "parity errors in the instruction cache's tag or valid RAM"),
	EVENT_UNSEEN(0x31, "icache_data_parity_error", C56, T2, NO_FAULTS,
		     "parity errors in the instruction cache's data RAM"),
	EVENT_UNSEEN(0x32, "dcache_tag_parity_error", C56, T2, NO_FAULTS,
		     "parity errors in the data cache's tag or valid RAM"),
	EVENT_UNSEEN(0x33, "dcache_data_parity_error", C56, T2, NO_FAULTS,
		     "parity errors in the data cache's data RAM"),
	EVENT_UNSEEN(0x34, "itcm_error", C56, T2, NO_FAULTS, "errors of the instruction TCM"),
	EVENT_UNSEEN(0x35, "dtcm_error", C56, T2, NO_FAULTS, "errors of the data TCM"),
	EVENT_ROW(0x36, "ret_stack_pop", C56, SIG(RET_POP), T2,
		  "return addresses popped off the return stack"),
	EVENT_ROW(0x37, "ret_stack_mispredict", C56, SIG(RET_MISS), T2,
		  "return addresses popped off the return stack that proved wrong"),
	EVENT_UNSEEN(0x38, "dcache_dirty_parity_error", C56, T2, NO_FAULTS,
		     "parity errors in the data cache's dirty RAM"),
	EVENT_ROW(0xFF, "cpu_cycles", ALL, SIG_CYCLES(CYCLE), T2 T141, "cycles, one by one",
		  .aliases = "cycles cpu-cycles",
		  .caveat = "on PMN0 and PMN1 the divider D has no effect"),
};

#define MP	     PMK_ARM11_IS_MPCORE
#define LX	     "secondary: Linux perf_event_v6.c, OProfile arm/mpcore, gator ARM11MPCore"
#define OP	     "secondary: OProfile arm/mpcore, gator ARM11MPCore"
#define NOT_MODELLED "not modelled"

const struct pmk_event pmk_arm11mpcore_events[] = {
	EVENT_ROW(0x00, "icache_miss", MP, SIG(L1I_MISS), LX,
		  "instruction cache look-ups that missed", .aliases = "L1-icache-load-misses",
		  .caveat = SPECULATIVE),
	EVENT_ROW(0x01, "ibuf_stall", MP, SIG_CYCLES(FETCH_STALL), LX,
		  "cycles in which the instruction buffer had no instruction to issue",
		  .aliases = "stalled-cycles-frontend"),
	EVENT_ROW(0x02, "ddep_stall", MP, SIG_CYCLES(DATA_STALL), LX,
		  "cycles in which an instruction waited for an operand", .caveat = OVERLAPS),
	EVENT_ROW(0x03, "itlb_miss", MP, SIG(MICRO_ITLB_MISS), LX,
		  "misses in the instruction micro-TLB", .aliases = "iTLB-load-misses"),
	EVENT_ROW(0x04, "dtlb_miss", MP, SIG(MICRO_DTLB_MISS), LX, "misses in the data micro-TLB",
		  .aliases = "dTLB-load-misses dTLB-store-misses"),
	EVENT_ROW(0x05, "br_exec", MP, SIG(BRANCH), LX,
		  "branch instructions executed, taken or not",
		  .aliases = "branches branch-instructions"),
	EVENT_UNSEEN(0x06, "br_notpredict", MP, LX, NOT_MODELLED,
		     "branches that were not predicted"),
	EVENT_ROW(0x07, "br_mispredict", MP, SIG(BRANCH_MISS), LX,
		  "branches that were predicted wrongly", .aliases = "branch-misses"),
	EVENT_ROW(0x08, "instr_exec", MP, SIG(INSN), LX, "instructions executed",
		  .aliases = "instructions"),
	EVENT_UNSEEN(0x09, "instr_fold_exec", MP, OP, NOT_MODELLED, "folded instructions executed"),
	EVENT_ROW(0x0A, "dcache_rdaccess", MP, SIG(L1D_READ), LX, "data cache read accesses",
		  .aliases = "L1-dcache-loads"),
	EVENT_ROW(0x0B, "dcache_rdmiss", MP, SIG(L1D_READ_MISS), LX, "data cache read misses",
		  .aliases = "L1-dcache-load-misses"),
	EVENT_ROW(0x0C, "dcache_wraccess", MP, SIG(L1D_WRITE), LX, "data cache write accesses",
		  .aliases = "L1-dcache-stores"),
	EVENT_ROW(0x0D, "dcache_wrmiss", MP, SIG(L1D_WRITE_MISS), LX, "data cache write misses",
		  .aliases = "L1-dcache-store-misses"),
	EVENT_ROW(0x0E, "dcache_eviction", MP, SIG(L1D_EVICT), LX, "data cache lines evicted"),
	EVENT_ROW(0x0F, "sw_pc_change", MP, SIG(PC_CHANGE), LX,
		  "changes of the PC by software, without a change of mode"),
	EVENT_ROW(0x10, "main_tlb_miss", MP, SIG(TLB_MISS), LX, "main TLB misses"),
	EVENT_UNSEEN(0x11, "expl_mem_access", MP, LX, NOT_MODELLED,
		     "external memory requests: line fills, uncached accesses, write-backs"),
	EVENT_ROW(0x12, "lsu_full_stall", MP, SIG_CYCLES(LSU_FULL_STALL), LX,
		  "cycles stalled because the load-store unit's queue was full",
		  .aliases = "stalled-cycles-backend", .caveat = OVERLAPS),
	EVENT_ROW(0x13, "wbuf_drained", MP, SIG(WBUF_DRAIN), LX,
		  "store buffer drains: ordering, a barrier, a Strongly Ordered access",
		  .caveat = "only barriers are modelled; a DMB counts, too (our choice: "
			    "wbuf.dmb_drains)"),
	EVENT_UNSEEN(0x14, "wbuf_merge", MP, OP, NOT_MODELLED,
		     "writes merged into a slot of the store buffer"),
	EVENT_UNSEEN(0x15, "lsu_safe_mode", MP, "secondary: OProfile arm/mpcore", NOT_MODELLED,
		     "load-store unit in safe mode",
		     .caveat = "the sources do not say whether it counts cycles or occurrences"),
	EVENT_ROW(0xFF, "cpu_cycles", MP, SIG_CYCLES(CYCLE), LX, "cycles, one by one",
		  .aliases = "cycles cpu-cycles",
		  .caveat = "on PMN0 and PMN1 the divider D has no effect"),
};
