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
/* Meaning of "exact" for data accesses: DAI 0195B §7. */
#define OF_INSNS    "exact for instructions; silicon also counts speculative accesses"
#define OVERLAPS    "one cycle may count in several stall events; they do not add up to a total"

/* clang-format off */
const struct pmk_event pmk_arm11_events[] = {
	{ .code = 0x00, .name = "icache_miss", .cores = ALL, .signal = PMK_SIG_L1I_MISS,
	  PMK_HOST(.aliases = "L1-icache-load-misses", .ref = T2 ", §3" T141,
		   .brief = "instruction cache look-ups that missed", .caveat = SPECULATIVE) },
	{ .code = 0x01, .name = "ibuf_stall", .cores = ALL, .signal = PMK_SIG_FETCH_STALL,
	  .cycles = true,
	  PMK_HOST(.aliases = "stalled-cycles-frontend", .ref = T2 ", §4" T141,
		   .brief = "cycles in which the instruction buffer had no instruction to issue",
		   .caveat = "a pipeline flush adds 1, whatever it costs; page table walks do "
		       "not count") },
	{ .code = 0x02, .name = "ddep_stall", .cores = ALL, .signal = PMK_SIG_DATA_STALL,
	  .cycles = true,
	  PMK_HOST(.ref = T2 ", §4" T141,
		   .brief = "cycles in which an instruction waited for an operand",
		   .caveat = OVERLAPS) },
	{ .code = 0x03, .name = "itlb_miss", .cores = C36 | C76,
	  .signal = PMK_SIG_MICRO_ITLB_MISS,
	  PMK_HOST(.aliases = "iTLB-load-misses", .ref = T2 T141,
		   .brief = "misses in the instruction micro-TLB",
		   .caveat = "most of these hit the main TLB and cost a few cycles; "
		       "main_tlb_miss counts table walks") },
	{ .code = 0x04, .name = "dtlb_miss", .cores = C36 | C76,
	  .signal = PMK_SIG_MICRO_DTLB_MISS,
	  PMK_HOST(.aliases = "dTLB-load-misses dTLB-store-misses", .ref = T2 T141,
		   .brief = "misses in the data micro-TLB",
		   .caveat = "most of these hit the main TLB and cost a few cycles; "
		       "main_tlb_miss counts table walks") },
	{ .code = 0x05, .name = "br_exec", .cores = ALL, .signal = PMK_SIG_BRANCH,
	  PMK_HOST(.aliases = "branches branch-instructions", .ref = T2 ", §5" T141,
		   .brief = "branch instructions executed, taken or not",
		   .caveat = "the documents do not list the instructions; PC writes by MOV, LDR "
		       "and LDM do not count (our choice)") },
	{ .code = 0x06, .name = "br_mispredict", .cores = ALL, .signal = PMK_SIG_BRANCH_MISS,
	  PMK_HOST(.aliases = "branch-misses", .ref = T2 ", §5" T141,
		   .brief = "branches that went another way than fetched, flushing the pipeline",
		   .caveat = "with prediction off, as after reset, every taken branch counts") },
	{ .code = 0x07, .name = "instr_exec", .cores = ALL, .signal = PMK_SIG_INSN,
	  PMK_HOST(.aliases = "instructions", .ref = T2 ", §6" T141,
		   .brief = "instructions that reached the execute stage",
		   .caveat = "instructions that fail their condition count; a multi-cycle "
		       "instruction counts once") },
	{ .code = 0x09, .name = "dcache_access_cacheable", .cores = ALL,
	  .signal = PMK_SIG_L1D_ACCESS_WB,
	  PMK_HOST(.aliases = "dcache_hit cache-references", .ref = T2 ", §7" T141,
		   .brief = "data accesses to a cacheable line, hit or miss",
		   .caveat = "once per line and instruction; TCM counts as cacheable; " OF_INSNS) },
	{ .code = 0x0A, .name = "dcache_access", .cores = ALL, .signal = PMK_SIG_L1D_ACCESS,
	  PMK_HOST(.aliases = "L1-dcache-loads L1-dcache-stores", .ref = T2 ", §7" T141,
		   .brief = "data accesses to a line of any memory type",
		   .caveat = "reads and writes; once per line and instruction; " OF_INSNS) },
	{ .code = 0x0B, .name = "dcache_miss", .cores = ALL, .signal = PMK_SIG_L1D_MISS,
	  PMK_HOST(.aliases = "cache-misses L1-dcache-load-misses L1-dcache-store-misses",
		   .ref = T2 ", §8" T141,
		   .brief = "data accesses that missed the cache, reads and writes",
		   .caveat = "each store to an absent line counts; non-cacheable accesses do not "
		       "(our choices; dcache.store_miss_each, dcache.miss_uncached)") },
	{ .code = 0x0C, .name = "dcache_wback", .cores = ALL, .signal = PMK_SIG_L1D_WB_HALF,
	  PMK_HOST(.ref = T2 T141,
		   .brief = "half lines (16 bytes) written back from the data cache") },
	{ .code = 0x0D, .name = "sw_pc_change", .cores = ALL, .signal = PMK_SIG_PC_CHANGE,
	  PMK_HOST(.ref = T2 ", §5" T141,
		   .brief = "changes of the PC by software, without a change of mode",
		   .caveat = "taken branches and other PC writes; SVC and the return from it do "
		       "not count") },
	{ .code = 0x0F, .name = "main_tlb_miss", .cores = C36 | C76, .signal = PMK_SIG_TLB_MISS,
	  PMK_HOST(.ref = T2 ", §4" T141,
		   .brief = "main TLB misses; each causes a page table walk") },
	{ .code = 0x10, .name = "expl_d_access", .cores = ALL, .signal = PMK_SIG_DATA_EXTERNAL,
	  PMK_HOST(.ref = T2 T141,
		   .brief = "data accesses that go to external memory: line fills, uncached and "
		       "written-through accesses",
		   .caveat = "write-backs, page table walks and instruction fills do not count") },
	{ .code = 0x11, .name = "lsu_full_stall", .cores = ALL, .signal = PMK_SIG_LSU_FULL_STALL,
	  .cycles = true,
	  PMK_HOST(.aliases = "stalled-cycles-backend", .ref = T2 ", §4" T141,
		   .brief = "cycles stalled because the load-store unit's request queue was full",
		   .caveat = OVERLAPS) },
	{ .code = 0x12, .name = "wbuf_drained", .cores = ALL, .signal = PMK_SIG_WBUF_DRAIN,
	  PMK_HOST(.ref = T2 T141,
		   .brief = "write buffer drains forced by a DSB or a Strongly Ordered access",
		   .caveat = "a DMB counts, as on an ARM1176 (our choice for other cores; "
		       "wbuf.dmb_drains); modelled in system emulation") },
	{ .code = 0x13, .name = "fiq_disabled_cycles", .cores = C56, .signal = PMK_SIG_FIQ_MASKED,
	  .cycles = true,
	  PMK_HOST(.ref = T2, .brief = "cycles with FIQ disabled", .unmodelled = NO_MASKS) },
	{ .code = 0x14, .name = "irq_disabled_cycles", .cores = C56, .signal = PMK_SIG_IRQ_MASKED,
	  .cycles = true,
	  PMK_HOST(.ref = T2, .brief = "cycles with IRQ disabled", .unmodelled = NO_MASKS) },
	{ .code = 0x20, .name = "etmextout_0", .cores = ALL, .signal = PMK_SIG_ETMEXTOUT0,
	  .cycles = true,
	  PMK_HOST(.aliases = "nop", .ref = T2 T141, .brief = "cycles with ETM output 0 asserted",
		   .caveat = "does not count without an ETM, so drivers select it for idle "
		       "counters",
		   .unmodelled = NO_ETM) },
	{ .code = 0x21, .name = "etmextout_1", .cores = ALL, .signal = PMK_SIG_ETMEXTOUT1,
	  .cycles = true,
	  PMK_HOST(.ref = T2 T141, .brief = "cycles with ETM output 1 asserted",
		   .unmodelled = NO_ETM) },
	{ .code = 0x22, .name = "etmextout", .cores = ALL, .signal = PMK_SIG_ETMEXTOUT0,
	  .signal2 = PMK_SIG_ETMEXTOUT1, .cycles = true,
	  PMK_HOST(.ref = T2 T141,
		   .brief = "cycles with ETM output 0 asserted plus those with output 1",
		   .caveat = "a cycle with both counts twice", .unmodelled = NO_ETM) },
	{ .code = 0x23, .name = "proc_call_exec", .cores = C76, .signal = PMK_SIG_CALL_PUSH,
	  PMK_HOST(.ref = T2 T137,
		   .brief = "calls that pushed their return address on the return stack",
		   .caveat = "counts only while branch prediction and the return stack are "
		       "enabled") },
	{ .code = 0x24, .name = "proc_ret_exec", .cores = C76, .signal = PMK_SIG_RET_POP,
	  PMK_HOST(.ref = T2 T137, .brief = "returns that popped the return stack",
		   .caveat = "the return stack has 3 entries; returns that find it empty do not "
		       "count") },
	{ .code = 0x25, .name = "proc_ret_exec_pred", .cores = C76,
	  .signal = PMK_SIG_RET_PREDICTED,
	  PMK_HOST(.ref = T2 T137, .brief = "returns that were predicted from the return stack",
		   .caveat = "wrong predictions are included (our reading)") },
	{ .code = 0x26, .name = "proc_ret_exec_pred_incorrect", .cores = C76,
	  .signal = PMK_SIG_RET_MISS,
	  PMK_HOST(.ref = T2 T137,
		   .brief = "returns predicted wrongly; the popped entry is put back") },
	{ .code = 0x30, .name = "icache_tag_parity_error", .cores = C56, .signal = PMK_SIG_NONE,
	  PMK_HOST(.ref = T2,
		   .brief = "parity errors in the instruction cache's tag or valid RAM",
		   .unmodelled = NO_FAULTS) },
	{ .code = 0x31, .name = "icache_data_parity_error", .cores = C56, .signal = PMK_SIG_NONE,
	  PMK_HOST(.ref = T2, .brief = "parity errors in the instruction cache's data RAM",
		   .unmodelled = NO_FAULTS) },
	{ .code = 0x32, .name = "dcache_tag_parity_error", .cores = C56, .signal = PMK_SIG_NONE,
	  PMK_HOST(.ref = T2, .brief = "parity errors in the data cache's tag or valid RAM",
		   .unmodelled = NO_FAULTS) },
	{ .code = 0x33, .name = "dcache_data_parity_error", .cores = C56, .signal = PMK_SIG_NONE,
	  PMK_HOST(.ref = T2, .brief = "parity errors in the data cache's data RAM",
		   .unmodelled = NO_FAULTS) },
	{ .code = 0x34, .name = "itcm_error", .cores = C56, .signal = PMK_SIG_NONE,
	  PMK_HOST(.ref = T2, .brief = "errors of the instruction TCM", .unmodelled = NO_FAULTS) },
	{ .code = 0x35, .name = "dtcm_error", .cores = C56, .signal = PMK_SIG_NONE,
	  PMK_HOST(.ref = T2, .brief = "errors of the data TCM", .unmodelled = NO_FAULTS) },
	{ .code = 0x36, .name = "ret_stack_pop", .cores = C56, .signal = PMK_SIG_RET_POP,
	  PMK_HOST(.ref = T2, .brief = "return addresses popped off the return stack") },
	{ .code = 0x37, .name = "ret_stack_mispredict", .cores = C56, .signal = PMK_SIG_RET_MISS,
	  PMK_HOST(.ref = T2,
		   .brief = "return addresses popped off the return stack that proved wrong") },
	{ .code = 0x38, .name = "dcache_dirty_parity_error", .cores = C56, .signal = PMK_SIG_NONE,
	  PMK_HOST(.ref = T2, .brief = "parity errors in the data cache's dirty RAM",
		   .unmodelled = NO_FAULTS) },
	{ .code = 0xFF, .name = "cpu_cycles", .cores = ALL, .signal = PMK_SIG_CYCLE,
	  .cycles = true,
	  PMK_HOST(.aliases = "cycles cpu-cycles", .ref = T2 T141, .brief = "cycles, one by one",
		   .caveat = "on PMN0 and PMN1 the divider D has no effect") },
};
/* clang-format on */

#define MP	     PMK_ARM11_IS_MPCORE
#define LX	     "secondary: Linux perf_event_v6.c, OProfile arm/mpcore, gator ARM11MPCore"
#define OP	     "secondary: OProfile arm/mpcore, gator ARM11MPCore"
#define NOT_MODELLED "not modelled"

/* clang-format off */
const struct pmk_event pmk_arm11mpcore_events[] = {
	{ .code = 0x00, .name = "icache_miss", .cores = MP, .signal = PMK_SIG_L1I_MISS,
	  PMK_HOST(.aliases = "L1-icache-load-misses", .ref = LX,
		   .brief = "instruction cache look-ups that missed", .caveat = SPECULATIVE) },
	{ .code = 0x01, .name = "ibuf_stall", .cores = MP, .signal = PMK_SIG_FETCH_STALL,
	  .cycles = true,
	  PMK_HOST(.aliases = "stalled-cycles-frontend", .ref = LX,
		   .brief = "cycles in which the instruction buffer had no instruction to issue") },
	{ .code = 0x02, .name = "ddep_stall", .cores = MP, .signal = PMK_SIG_DATA_STALL,
	  .cycles = true,
	  PMK_HOST(.ref = LX, .brief = "cycles in which an instruction waited for an operand",
		   .caveat = OVERLAPS) },
	{ .code = 0x03, .name = "itlb_miss", .cores = MP, .signal = PMK_SIG_MICRO_ITLB_MISS,
	  PMK_HOST(.aliases = "iTLB-load-misses", .ref = LX,
		   .brief = "misses in the instruction micro-TLB") },
	{ .code = 0x04, .name = "dtlb_miss", .cores = MP, .signal = PMK_SIG_MICRO_DTLB_MISS,
	  PMK_HOST(.aliases = "dTLB-load-misses dTLB-store-misses", .ref = LX,
		   .brief = "misses in the data micro-TLB") },
	{ .code = 0x05, .name = "br_exec", .cores = MP, .signal = PMK_SIG_BRANCH,
	  PMK_HOST(.aliases = "branches branch-instructions", .ref = LX,
		   .brief = "branch instructions executed, taken or not") },
	{ .code = 0x06, .name = "br_notpredict", .cores = MP, .signal = PMK_SIG_NONE,
	  PMK_HOST(.ref = LX, .brief = "branches that were not predicted",
		   .unmodelled = NOT_MODELLED) },
	{ .code = 0x07, .name = "br_mispredict", .cores = MP, .signal = PMK_SIG_BRANCH_MISS,
	  PMK_HOST(.aliases = "branch-misses", .ref = LX,
		   .brief = "branches that were predicted wrongly") },
	{ .code = 0x08, .name = "instr_exec", .cores = MP, .signal = PMK_SIG_INSN,
	  PMK_HOST(.aliases = "instructions", .ref = LX, .brief = "instructions executed") },
	{ .code = 0x09, .name = "instr_fold_exec", .cores = MP, .signal = PMK_SIG_NONE,
	  PMK_HOST(.ref = OP, .brief = "folded instructions executed",
		   .unmodelled = NOT_MODELLED) },
	{ .code = 0x0A, .name = "dcache_rdaccess", .cores = MP, .signal = PMK_SIG_L1D_READ,
	  PMK_HOST(.aliases = "L1-dcache-loads", .ref = LX, .brief = "data cache read accesses") },
	{ .code = 0x0B, .name = "dcache_rdmiss", .cores = MP, .signal = PMK_SIG_L1D_READ_MISS,
	  PMK_HOST(.aliases = "L1-dcache-load-misses", .ref = LX,
		   .brief = "data cache read misses") },
	{ .code = 0x0C, .name = "dcache_wraccess", .cores = MP, .signal = PMK_SIG_L1D_WRITE,
	  PMK_HOST(.aliases = "L1-dcache-stores", .ref = LX,
		   .brief = "data cache write accesses") },
	{ .code = 0x0D, .name = "dcache_wrmiss", .cores = MP, .signal = PMK_SIG_L1D_WRITE_MISS,
	  PMK_HOST(.aliases = "L1-dcache-store-misses", .ref = LX,
		   .brief = "data cache write misses") },
	{ .code = 0x0E, .name = "dcache_eviction", .cores = MP, .signal = PMK_SIG_L1D_EVICT,
	  PMK_HOST(.ref = LX, .brief = "data cache lines evicted") },
	{ .code = 0x0F, .name = "sw_pc_change", .cores = MP, .signal = PMK_SIG_PC_CHANGE,
	  PMK_HOST(.ref = LX,
		   .brief = "changes of the PC by software, without a change of mode") },
	{ .code = 0x10, .name = "main_tlb_miss", .cores = MP, .signal = PMK_SIG_TLB_MISS,
	  PMK_HOST(.ref = LX, .brief = "main TLB misses") },
	{ .code = 0x11, .name = "expl_mem_access", .cores = MP, .signal = PMK_SIG_NONE,
	  PMK_HOST(.ref = LX,
		   .brief = "external memory requests: line fills, uncached accesses, "
		       "write-backs", .unmodelled = NOT_MODELLED) },
	{ .code = 0x12, .name = "lsu_full_stall", .cores = MP, .signal = PMK_SIG_LSU_FULL_STALL,
	  .cycles = true,
	  PMK_HOST(.aliases = "stalled-cycles-backend", .ref = LX,
		   .brief = "cycles stalled because the load-store unit's queue was full",
		   .caveat = OVERLAPS) },
	{ .code = 0x13, .name = "wbuf_drained", .cores = MP, .signal = PMK_SIG_WBUF_DRAIN,
	  PMK_HOST(.ref = LX,
		   .brief = "store buffer drains: ordering, a barrier, a Strongly Ordered access",
		   .caveat = "only barriers are modelled; a DMB counts, too (our choice: "
		       "wbuf.dmb_drains)") },
	{ .code = 0x14, .name = "wbuf_merge", .cores = MP, .signal = PMK_SIG_NONE,
	  PMK_HOST(.ref = OP, .brief = "writes merged into a slot of the store buffer",
		   .unmodelled = NOT_MODELLED) },
	{ .code = 0x15, .name = "lsu_safe_mode", .cores = MP, .signal = PMK_SIG_NONE,
	  PMK_HOST(.ref = "secondary: OProfile arm/mpcore",
		   .brief = "load-store unit in safe mode",
		   .caveat = "the sources do not say whether it counts cycles or occurrences",
		   .unmodelled = NOT_MODELLED) },
	{ .code = 0xFF, .name = "cpu_cycles", .cores = MP, .signal = PMK_SIG_CYCLE,
	  .cycles = true,
	  PMK_HOST(.aliases = "cycles cpu-cycles", .ref = LX, .brief = "cycles, one by one",
		   .caveat = "on PMN0 and PMN1 the divider D has no effect") },
};
/* clang-format on */
