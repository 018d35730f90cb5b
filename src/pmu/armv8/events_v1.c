// SPDX-License-Identifier: MIT
/*
 * The events of PMUv1 on the Cortex-A8 and A9: the common ones, 0x00-0x12, and the cores' own.
 *
 * Sources: DDI 0344 (Cortex-A8 TRM), c9 event selection register; DDI 0388 (Cortex-A9 TRM) §11.4,
 * which says that the A9 has no 0x08 and no 0x0E; Arm's machine-readable event lists (github
 * ARM-software/data) and gator's. The common events have Linux's names. Linux has no names for the
 * cores' own events, so those have oprofile's names. perf's generic names are aliases of the events
 * that Linux maps them to.
 *
 * A code above 0x3F means a different event on each core, and neither event is the one that PMUv3
 * recommends for the code.
 */
#include "pmu/armv8/regs.h"
#include "pmu/event_row.h"

#define A8 PMK_ARMV8_IS_A8
#define A9 PMK_ARMV8_IS_A9

#define COMMON_V7 "DDI 0406C C12.9"
#define T8	  "DDI 0344 3.2"
#define T9	  "DDI 0388 11.4"

/* Reasons why emulation cannot count an event, in addition to those of events.c. */
#define NO_JAZELLE    "Jazelle is not emulated"
#define NO_BUFFERED   "single stores to the level 2 memory system are not modelled"
#define NO_REPLAY     "replays are not modelled"
#define NO_HASH	      "the emulated caches are not looked up by a hash"
#define NO_NEON_SIDE  "the NEON unit has no queues and no accesses of its own in emulation"
#define NO_NEIGHBOURS "the emulated core has no neighbours"
#define NO_PREFETCH   "prefetching is not modelled"
#define NO_INPUTS     "the inputs are not connected"
#define NO_PIPES      "which pipeline executes an instruction is not modelled"
#define NO_CLOCKS     "clocks are not switched off in emulation"
#define NO_PLE	      "the preload engine is not emulated"

const struct pmk_event pmk_armv7_v1_events[] = {
	EVENT_UNSEEN(0x00, "sw_incr", A8 | A9, COMMON_V7, BY_REGISTER "software writes PMSWINC",
		     "writes of PMSWINC that select this counter"),
	EVENT_ROW(0x01, "l1i_cache_refill", A8 | A9, SIG(L1I_FILL), COMMON_V7,
		  "level 1 instruction cache lines filled", .aliases = "L1-icache-load-misses"),
	EVENT_ROW(0x02, "l1i_tlb_refill", A8 | A9, SIG(MICRO_ITLB_MISS), COMMON_V7,
		  "level 1 instruction TLB refills", .aliases = "iTLB-load-misses",
		  .caveat = HIT_OR_WALK),
	EVENT_ROW(0x03, "l1d_cache_refill", A8 | A9, SIG(L1D_MISS), COMMON_V7,
		  "level 1 data cache lines filled for a load or a store",
		  .aliases = "cache-misses L1-dcache-load-misses"),
	EVENT_ROW(0x04, "l1d_cache", A8 | A9, SIG(L1D_LOOKUP), COMMON_V7,
		  "level 1 data cache accesses by loads and stores",
		  .aliases = "cache-references L1-dcache-loads",
		  .caveat = "reads and writes; an access that crosses a line counts per line"),
	EVENT_ROW(0x05, "l1d_tlb_refill", A8 | A9, SIG(MICRO_DTLB_MISS), COMMON_V7,
		  "level 1 data TLB refills", .aliases = "dTLB-load-misses", .caveat = HIT_OR_WALK),
	EVENT_ROW(0x06, "ld_retired", A8 | A9, SIG(LOAD), COMMON_V7, "load instructions executed"),
	EVENT_ROW(0x07, "st_retired", A8 | A9, SIG(STORE), COMMON_V7,
		  "store instructions executed"),
	EVENT_ROW(0x08, "inst_retired", A8, SIG(INSN), COMMON_V7, "instructions executed",
		  .aliases = "instructions",
		  .caveat = "SVC, HVC and SMC count; instructions that fault do not"),
	EVENT_ROW(
		0x09, "exc_taken", A8 | A9, SIG(EXC_TAKEN), COMMON_V7, "exceptions taken",
		.caveat =
			"in user emulation only system calls and undefined instructions count, not "
			"aborts"),
	EVENT_ROW(0x0A, "exc_return", A8 | A9, SIG(EXC_RETURN), COMMON_V7,
		  "exception returns executed"),
	EVENT_ROW(0x0B, "cid_write_retired", A8 | A9, SIG(CID_WRITE), COMMON_V7,
		  "writes of CONTEXTIDR"),
	EVENT_ROW(0x0C, "pc_write_retired", A8 | A9, SIG_SUM(PC_CHANGE, EXC_RETURN), COMMON_V7,
		  "changes of the PC by software: taken branches and exception returns",
		  .aliases = "branches branch-instructions",
		  .caveat = "SVC and ISB do not count (our choice)"),
	EVENT_ROW(0x0D, "br_immed_retired", A8 | A9, SIG(BR_IMM), COMMON_V7,
		  "immediate branches executed, taken or not"),
	EVENT_ROW(0x0E, "br_return_retired", A8, SIG(BR_RETURN), COMMON_V7,
		  "procedure returns executed"),
	EVENT_ROW(0x0F, "unaligned_ldst_retired", A8 | A9, SIG_SUM(UNALIGNED_LD, UNALIGNED_ST),
		  COMMON_V7,
		  "loads and stores whose address is not a multiple of the element size"),
	EVENT_ROW(0x10, "br_mis_pred", A8 | A9, SIG(BRANCH_MISS), COMMON_V7,
		  "branches mispredicted or not predicted",
		  .aliases = "branch-misses branch-load-misses"),
	EVENT_ROW(
		0x11, "cpu_cycles", A8 | A9, SIG_CYCLES(CYCLE), COMMON_V7, "processor cycles",
		.aliases = "cycles cpu-cycles",
		.caveat =
			"the cycle counter counts it, too; PMCR.D divides only the cycle counter"),
	EVENT_ROW(0x12, "br_pred", A8 | A9, SIG(BR_PREDICTABLE), COMMON_V7,
		  "branches executed that the predictor can predict", .aliases = "branch-loads",
		  .caveat = "right or wrong"),

	EVENT_ROW(0x40, "write_buffer_full", A8, SIG_CYCLES(NONE), T8,
		  "cycles with a full write buffer",
		  .unmodelled =
			  "emulation counts stalls caused by a full write buffer, not all cycles "
			  "in which it is full"),
	EVENT_UNSEEN(0x40, "java_bc_exec", A9, T9, NO_JAZELLE, "Java bytecodes decoded"),
	EVENT_UNSEEN(0x41, "l2_store_merged", A8, T8, NO_BUFFERED,
		     "stores merged in the level 2 memory system"),
	EVENT_UNSEEN(0x41, "java_sftbc_exec", A9, T9, NO_JAZELLE,
		     "Java bytecodes decoded that software executes"),
	EVENT_UNSEEN(0x42, "l2_store_buff", A8, T8, NO_BUFFERED,
		     "bufferable stores to the level 2 cache, without lines cast out"),
	EVENT_UNSEEN(0x42, "java_bb_exec", A9, T9, NO_JAZELLE,
		     "backward branches of Java bytecodes"),
	EVENT_ROW(0x43, "l2_access", A8, SIG_SUM(L2_READ, L2_WRITE), T8, "level 2 cache accesses",
		  .aliases = "LLC-loads"),
	EVENT_ROW(0x44, "l2_cache_miss", A8, SIG_SUM(L2_MISS_READ, L2_MISS_WRITE), T8,
		  "level 2 cache misses", .aliases = "LLC-load-misses",
		  .caveat = "of cacheable accesses"),
	EVENT_ROW(0x45, "axi_read", A8, SIG(BUS_READ), T8, "AXI read data transfers"),
	EVENT_ROW(0x46, "axi_write", A8, SIG(BUS_WRITE), T8, "AXI write data transfers"),
	EVENT_UNSEEN(0x47, "memory_replay", A8, T8, NO_REPLAY, "replays in the memory system"),
	EVENT_UNSEEN(0x48, "unaligned_access_replay", A8, T8, NO_REPLAY,
		     "unaligned accesses that were replayed"),
	EVENT_UNSEEN(0x49, "l1_data_miss", A8, T8, NO_HASH,
		     "level 1 data cache misses because of the hashed look-up"),
	EVENT_UNSEEN(0x4A, "l1_inst_miss", A8, T8, NO_HASH,
		     "level 1 instruction cache misses because of the hashed look-up"),
	EVENT_UNSEEN(0x4B, "l1_data_coloring", A8, T8,
		     "the emulated level 1 cache is looked up by physical addresses",
		     "level 1 data accesses with an alias by page colour"),
	EVENT_UNSEEN(0x4C, "l1_neon_data", A8, T8, NO_NEON_SIDE,
		     "NEON accesses that hit the level 1 data cache"),
	EVENT_UNSEEN(0x4D, "l1_neon_cache_data", A8, T8, NO_NEON_SIDE,
		     "cacheable NEON accesses to the level 1 data cache"),
	EVENT_UNSEEN(0x4E, "l2_neon", A8, T8, NO_NEON_SIDE, "level 2 cache accesses by NEON"),
	EVENT_UNSEEN(0x4F, "l2_neon_hit", A8, T8, NO_NEON_SIDE, "level 2 cache hits by NEON"),
	EVENT_ROW(0x50, "l1_inst", A8, SIG(L1I_ACCESS), T8, "level 1 instruction cache accesses",
		  .aliases = "L1-icache-loads",
		  .caveat = "the width of an access depends on the core; in emulation each block "
			    "begins "
			    "with a new access"),
	EVENT_UNSEEN(0x50, "co_lf_miss", A9, T9, NO_NEIGHBOURS,
		     "coherent linefills that missed in all other cores"),
	EVENT_ROW(0x51, "pc_return_mis_pred", A8, SIG(RET_MISS), T8,
		  "returns mispredicted by the return stack"),
	EVENT_UNSEEN(0x51, "co_lf_hit", A9, T9, NO_NEIGHBOURS,
		     "coherent linefills that hit in another core"),
	EVENT_ROW(0x52, "pc_branch_failed", A8, SIG(BR_COND_MISS), T8,
		  "branches whose direction was mispredicted"),
	EVENT_UNSEEN(0x53, "pc_branch_taken", A8, T8,
		     "emulation compares predictions with the outcome, but does not count them",
		     "predictable branches that were predicted taken"),
	EVENT_ROW(0x54, "pc_branch_executed", A8, SIG(PC_CHANGE), T8,
		  "predictable branches executed and taken",
		  .caveat = "all branches of the emulated core are predictable"),
	EVENT_UNSEEN(0x55, "op_executed", A8, T8, "instructions are not split into operations",
		     "operations issued: instructions, or steps of longer ones"),
	EVENT_ROW(0x56, "cycles_inst_stall", A8, SIG_CYCLES(FETCH_STALL), T8,
		  "cycles in which no instruction was available to issue",
		  .aliases = "stalled-cycles-frontend"),
	EVENT_ROW(0x57, "cycles_inst", A8, SIG(INSN), T8, "instructions issued",
		  .caveat = EXECUTED),
	EVENT_ROW(0x58, "cycles_neon_data_stall", A8, SIG_CYCLES(NONE), T8,
		  "cycles stalled by a transfer from NEON to a core register",
		  .unmodelled = NO_NEON_SIDE),
	EVENT_ROW(0x59, "cycles_neon_inst_stall", A8, SIG_CYCLES(NONE), T8,
		  "cycles stalled by a full queue of NEON instructions or loads",
		  .unmodelled = NO_NEON_SIDE),
	EVENT_ROW(0x5A, "neon_cycles", A8, SIG_CYCLES(NONE), T8,
		  "cycles in which neither NEON nor the integer core was idle",
		  .unmodelled = NO_NEON_SIDE),
	EVENT_ROW(0x60, "ic_dep_stall", A9, SIG_CYCLES(L1I_STALL), T9,
		  "cycles without instructions while the instruction cache fills a line",
		  .aliases = "stalled-cycles-frontend"),
	EVENT_ROW(0x61, "dc_dep_stall", A9, SIG_CYCLES(NONE), T9,
		  "cycles in which nothing could be issued while a data cache line was filled",
		  .unmodelled = NO_STALL_KIND),
	EVENT_ROW(0x62, "stall_main_tlb", A9, SIG_CYCLES(NONE), T9,
		  "cycles stalled by table walks of the main TLB", .unmodelled = NO_STALL_KIND),
	EVENT_ROW(0x63, "strex_pass", A9, SIG(STREX_PASS), T9,
		  "store exclusive instructions that stored",
		  .caveat =
			  "in emulation, stores that fail because another thread changed the value "
			  "also count"),
	EVENT_ROW(0x64, "strex_fails", A9, SIG(STREX_FAIL), T9,
		  "store exclusive instructions that did not store",
		  .caveat = "in emulation, stores that fail because another thread changed the "
			    "value do "
			    "not count"),
	EVENT_ROW(0x65, "data_evict", A9, SIG(L1D_EVICT), T9,
		  "lines evicted from the data cache because of a linefill",
		  .caveat = "dirty ones"),
	EVENT_ROW(0x66, "iss_no_disp", A9, SIG_CYCLES(STALL), T9,
		  "cycles in which nothing was dispatched", .aliases = "stalled-cycles-backend"),
	EVENT_ROW(0x67, "iss_empty", A9, SIG_CYCLES(FETCH_STALL), T9,
		  "cycles with an empty issue stage"),
	EVENT_ROW(0x68, "ins_rename", A9, SIG(INSN), T9,
		  "instructions that had their registers renamed", .aliases = "instructions",
		  .caveat = EXECUTED),
	EVENT_ROW(
		0x69, "data_linefill", A9, SIG(L1D_MISS), T9, "data lines filled from the AXI bus",
		.caveat =
			"fills for loads and stores; in emulation, table walks and prefetches fill "
			"no line"),
	EVENT_UNSEEN(0x6A, "prefetch_linefill", A9, T9, NO_PREFETCH,
		     "data lines filled for the prefetcher"),
	EVENT_UNSEEN(0x6B, "prefetch_hit", A9, T9, NO_PREFETCH,
		     "hits in lines of a stream that the prefetcher follows"),
	EVENT_ROW(0x6E, "prd_fn_ret", A9, SIG(BR_RETURN), T9, "predictable procedure returns",
		  .caveat = EXECUTED),
	EVENT_UNSEEN(0x70, "pmu0_events", A8, T8, NO_INPUTS, "events of the input PMUEXTIN[0]"),
	EVENT_UNSEEN(0x70, "ins_main_exec", A9, T9, NO_PIPES,
		     "instructions in the main execution pipeline"),
	EVENT_UNSEEN(0x71, "pmu1_events", A8, T8, NO_INPUTS, "events of the input PMUEXTIN[1]"),
	EVENT_UNSEEN(0x71, "ins_snd_exec", A9, T9, NO_PIPES,
		     "instructions in the second execution pipeline"),
	EVENT_UNSEEN(0x72, "pmu_events", A8, T8, NO_INPUTS, "events of both inputs PMUEXTIN"),
	EVENT_ROW(0x72, "ins_lsu", A9, SIG_SUM(LOAD, STORE), T9, "load and store instructions",
		  .caveat = EXECUTED),
	EVENT_ROW(0x73, "ins_fp_rr", A9, SIG(VFP), T9,
		  "floating-point instructions that had their registers renamed",
		  .caveat = EXECUTED),
	EVENT_ROW(0x74, "ins_neon_rr", A9, SIG(ASE), T9,
		  "NEON instructions that had their registers renamed", .caveat = EXECUTED),
	EVENT_ROW(0x80, "stall_pld", A9, SIG_CYCLES(NONE), T9,
		  "cycles stalled because all slots of PLD were full", .unmodelled = NO_PREFETCH),
	EVENT_ROW(0x81, "stall_write", A9, SIG_CYCLES(NONE), T9,
		  "cycles stalled because the data side was full and wrote to memory",
		  .unmodelled = NO_STALL_KIND),
	EVENT_ROW(0x82, "stall_ins_tlb", A9, SIG_CYCLES(NONE), T9,
		  "cycles stalled by a main TLB miss of the instruction side",
		  .unmodelled = NO_STALL_KIND),
	EVENT_ROW(0x83, "stall_data_tlb", A9, SIG_CYCLES(NONE), T9,
		  "cycles stalled by a main TLB miss of the data side",
		  .unmodelled = NO_STALL_KIND),
	EVENT_ROW(0x84, "stall_ins_utlb", A9, SIG_CYCLES(NONE), T9,
		  "cycles stalled by a micro-TLB miss of the instruction side",
		  .unmodelled = NO_STALL_KIND),
	EVENT_ROW(0x85, "stall_data_utlb", A9, SIG_CYCLES(NONE), T9,
		  "cycles stalled by a micro-TLB miss of the data side",
		  .unmodelled = NO_STALL_KIND),
	EVENT_ROW(0x86, "stall_dmb", A9, SIG_CYCLES(NONE), T9,
		  "cycles stalled by a data memory barrier", .unmodelled = NO_STALL_KIND),
	EVENT_ROW(0x8A, "clk_int_en", A9, SIG_CYCLES(NONE), T9,
		  "cycles with the clock of the integer core on", .unmodelled = NO_CLOCKS),
	EVENT_ROW(0x8B, "clk_de_en", A9, SIG_CYCLES(NONE), T9,
		  "cycles with the clock of the data engine on", .unmodelled = NO_CLOCKS),
	EVENT_ROW(0x8C, "clk_neon_en", A9, SIG_CYCLES(NONE), T9,
		  "cycles with the clock of the NEON unit on", .unmodelled = NO_CLOCKS),
	EVENT_ROW(0x8D, "ins_tlb_alloc", A9, SIG(ITLB_WALK), T9,
		  "main TLB entries allocated for instructions"),
	EVENT_ROW(0x8E, "data_tlb_alloc", A9, SIG(DTLB_WALK), T9,
		  "main TLB entries allocated for data"),
	EVENT_ROW(0x90, "ins_isb", A9, SIG(ISB), T9, "instruction synchronisation barriers"),
	EVENT_ROW(0x91, "ins_dsb", A9, SIG(DSB), T9, "data synchronisation barriers"),
	EVENT_ROW(0x92, "ins_dmb", A9, SIG(DMB), T9, "data memory barriers", .caveat = EXECUTED),
	EVENT_ROW(0x93, "ext_irq", A9, SIG_SUM(EXC_IRQ, EXC_FIQ), T9, "external interrupts taken",
		  .unmodelled = "user emulation has no interrupts"),
	EVENT_UNSEEN(0xA0, "ple_cl_req_cmp", A9, T9, NO_PLE,
		     "preload engine: requests of cache lines completed"),
	EVENT_UNSEEN(0xA1, "ple_cl_req_skp", A9, T9, NO_PLE,
		     "preload engine: requests of cache lines skipped"),
	EVENT_UNSEEN(0xA2, "ple_fifo_flsh", A9, T9, NO_PLE,
		     "preload engine: requests to flush its FIFO"),
	EVENT_UNSEEN(0xA3, "ple_req_comp", A9, T9, NO_PLE, "preload engine: requests completed"),
	EVENT_UNSEEN(0xA4, "ple_fifo_of", A9, T9, NO_PLE, "preload engine: overflows of its FIFO"),
	EVENT_UNSEEN(0xA5, "ple_req_prg", A9, T9, NO_PLE, "preload engine: requests programmed"),
};
