// SPDX-License-Identifier: MIT
/*
 * RISC-V's counters: the event catalogue. Events and their bits are those of the SiFive U74; the
 * two fixed counters are from PRIV.
 */
#include "pmu/riscv/regs.h"

#define U74    "U74 4.9.5"
#define PRIV   "PRIV 3.1.10"
#define UNSEEN "no RISC-V core is emulated"
#define CYCLES "the manual does not say whether it counts cycles or occurrences"
#define MMIO   "emulation would not count memory-mapped I/O"

#define EVENT(c, n, alias, sig, sig2, is_cycles, r, note, text)                     \
	{                                                                           \
		.code = (c), .name = n, .cores = 1, .signal = PMK_SIG_##sig,        \
		.signal2 = PMK_SIG_##sig2, .cycles = (is_cycles),                   \
		PMK_HOST(.aliases = alias, .ref = r, .brief = text, .caveat = note) \
	}
#define NOT_SEEN(c, n, note, text)                                                        \
	{                                                                                 \
		.code = (c), .name = n, .cores = 1, .signal = PMK_SIG_NONE,               \
		PMK_HOST(.ref = U74, .brief = text, .caveat = note, .unmodelled = UNSEEN) \
	}

/* clang-format off */
const struct pmk_event pmk_riscv_events[] = {
	/* instruction commit: class 0 */
	EVENT(0x008, "exception_taken", NULL, EXC_TAKEN, NONE, false, U74, NULL, "exception taken"),
	EVENT(0x009, "integer_load_retired", NULL, LOAD, NONE, false, U74, NULL,
	  "integer load retired"),
	EVENT(0x00A, "integer_store_retired", NULL, STORE, NONE, false, U74, NULL,
	  "integer store retired"),
	NOT_SEEN(0x00B, "atomic_memory_retired", NULL, "atomic memory operation retired"),
	NOT_SEEN(0x00C, "system_instruction_retired", NULL, "system instruction retired"),
	EVENT(0x00D, "integer_arithmetic_retired", NULL, DP, NONE, false, U74, NULL,
	      "integer arithmetic instruction retired"),
	EVENT(0x00E, "conditional_branch_retired", "branches", BR_TAKEN, BR_NOT_TAKEN, false, U74,
	  NULL,
	      "conditional branch retired"),
	NOT_SEEN(0x00F, "jal_instruction_retired", NULL, "JAL retired"),
	EVENT(0x010, "jalr_instruction_retired", NULL, BR_INDIRECT, NONE, false, U74, NULL,
	  "JALR retired"),
	EVENT(0x011, "integer_multiplication_retired", NULL, MUL, NONE, false, U74, NULL,
	      "integer multiplication retired"),
	EVENT(0x012, "integer_division_retired", NULL, DIV, NONE, false, U74, NULL,
	      "integer division retired"),
	NOT_SEEN(0x013, "fp_load_retired", NULL, "floating-point load retired"),
	NOT_SEEN(0x014, "fp_store_retired", NULL, "floating-point store retired"),
	NOT_SEEN(0x015, "fp_addition_retired", NULL, "floating-point addition retired"),
	NOT_SEEN(0x016, "fp_multiplication_retired", NULL, "floating-point multiplication retired"),
	NOT_SEEN(0x017, "fp_fusedmadd_retired", NULL, "floating-point multiply-add retired"),
	NOT_SEEN(0x018, "fp_div_sqrt_retired", NULL,
	  "floating-point division or square root retired"),
	NOT_SEEN(0x019, "other_fp_retired", NULL, "other floating-point instruction retired"),
	/* microarchitecture: class 1 */
	NOT_SEEN(0x108, "addressgen_interlock", CYCLES, "waited for address generation"),
	NOT_SEEN(0x109, "longlat_interlock", CYCLES, "waited for a long-latency operation"),
	NOT_SEEN(0x10A, "csr_read_interlock", CYCLES, "waited for a CSR read"),
	NOT_SEEN(0x10B, "icache_itim_busy", CYCLES, "instruction cache or ITIM busy"),
	NOT_SEEN(0x10C, "dcache_dtim_busy", CYCLES, "data cache or DTIM busy"),
	NOT_SEEN(0x10D, "branch_direction_misprediction", NULL,
	  "direction of a branch mispredicted"),
	NOT_SEEN(0x10E, "branch_target_misprediction", NULL,
	  "target of a branch or jump mispredicted"),
	NOT_SEEN(0x10F, "pipe_flush_csr_write", NULL, "pipeline flushed by a CSR write"),
	NOT_SEEN(0x110, "pipe_flush_other_event", NULL, "pipeline flushed by something else"),
	NOT_SEEN(0x111, "integer_multiplication_interlock", CYCLES,
	  "waited for an integer multiplication"),
	NOT_SEEN(0x112, "fp_interlock", CYCLES, "waited for a floating-point operation"),
	/* memory system: class 2 */
	EVENT(0x208, "icache_miss", NULL, L1I_MISS, NONE, false, U74, NULL,
	  "instruction cache miss"),
	EVENT(0x209, "dcache_miss_mmio_accesses", "cache-misses", L1D_MISS, NONE, false, U74, MMIO,
	      "data cache miss, or access to memory-mapped I/O"),
	EVENT(0x20A, "dcache_writeback", NULL, L1D_EVICT, NONE, false, U74, NULL,
	  "data cache line written back"),
	EVENT(0x20B, "inst_tlb_miss", "iTLB-load-misses", MICRO_ITLB_MISS, NONE, false, U74, NULL,
	      "instruction TLB miss"),
	EVENT(0x20C, "data_tlb_miss", "dTLB-load-misses", MICRO_DTLB_MISS, NONE, false, U74, NULL,
	      "data TLB miss"),
	EVENT(0x20D, "utlb_miss", NULL, TLB_MISS, NONE, false, U74, NULL, "second-level TLB miss"),
	/* counters of their own */
	EVENT(0x300, "cycles", "cpu-cycles cpu_cycles mcycle", CYCLE, NONE, true, PRIV, NULL,
	      "processor clock cycle"),
	EVENT(0x301, "instructions", "instret minstret", INSN, NONE, false, PRIV, NULL,
	  "instruction retired"),
};
/* clang-format on */
