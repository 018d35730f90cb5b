// SPDX-License-Identifier: MIT
/*
 * The event catalogue of MicroBlaze. Freestanding.
 *
 * UG984, "Performance Monitoring", the table of events: 0 to 56 are for event counters, 57 to 63
 * for latency counters. Event counters count the occurrences of events 57 to 63. The table has
 * numbers and descriptions, and the formulas below it name the events E0 to E63. The names here are
 * our own.
 *
 * The table abbreviates lists of instructions ("beq, ..., bnei"). We read them as ranges in the
 * manual's order. All forms of an instruction count as the instruction: byte-reversed, extended
 * address, absolute, link, immediate and 64-bit forms (our choice).
 */
#include "pmu/microblaze/regs.h"

#define T "UG984 \"Performance Monitoring\", table of events"

#define C_PREFIX "delay slots, imm prefixes and instructions that fault count (our choice)"
#define C_FORMS	 "byte-reversed and extended address forms count (our choice)"
#define C_FORMS_LOAD \
	"lwx, byte-reversed and extended address forms count (our choice); 8-byte loads do not"
#define C_FORMS_STORE                                                                          \
	"swx counts even if it did not store; byte-reversed and extended address forms count " \
	"(our choice); 8-byte stores do not"
#define C_UNCOND "link, absolute and delay forms count; returns, mbar and sleep do not (our choice)"
#define C_RETURN "returns do not count, though they have a delay slot (our choice)"
#define C_FETCH \
	"emulation counts the instructions executed; hardware also fetches ahead of branches"
#define C_CACHED    "only accesses to the cacheable range, while the cache is enabled (our choice)"
#define C_R1	    "counts if r1 is in the address, not if r1 is loaded or stored (our choice)"
#define C_LOGICAL   "immediate forms and nop (an or) count (our choice)"
#define C_ARITH	    "carry, keep and immediate forms count, also cmp and cmpu (our choice)"
#define C_BARREL    "immediate and bit field forms count (our choice)"
#define C_EXCEPTION "hardware exceptions; interrupts and breaks do not count (our choice)"
#define C_INTERRUPT "pending interrupts and breaks do not count (our choice)"
#define C_STALL	    "a stall counts only in the stage that caused it (our choice: stall.cascade)"
#define C_STALL_OF                                                                               \
	"cycles spent waiting for operands and instructions; see stall_ex for the other stages " \
	"(our choice)"
#define C_STALL_ANY                                                                               \
	"the sum of stall_of, stall_ex and stall_mem; waiting for instructions is included (our " \
	"choice)"
#define C_HALT		"sleep counts, debug halt does not (our choice)"
#define C_IMML		"imml counts (our choice)"
#define C_MSR		"mts and mfs do not count (our choice)"
#define C_DELAY		"delay slots of returns count (our choice)"
#define C_ANY		"8-byte accesses of a 64-bit core count only here (our choice)"
#define C_MMU		"counts only in virtual mode (our choice)"
#define C_BTC		"a hit counts even if its prediction was wrong (our choice)"
#define C_UTLB		"the UTLB is looked up after a miss in the ITLB or DTLB (our choice)"
#define C_IRQ		"the time in which interrupts are masked is included (our choice)"
#define C_CACHE_LATENCY "a hit takes one cycle (our choice), so all misses cost the sum minus N"
#define C_LOOKUP	"look-ups of the unified TLB, after a miss in the ITLB or DTLB (our choice)"
#define C_PERIPHERAL	"accesses that are neither cacheable nor to local memory (LMB) (our choice)"

#define NO_CAUSE "the emulator does not show which exception enters the vector"

#define NUMBER(n, names) PMK_HOST(.ref = T, .aliases = names, ).code = (n), .cores = 1
/* The manual's own name is E with the number. */
#define NAMED(n)	 NUMBER(n, "E" #n)
#define CALLED(n, names) NUMBER(n, "E" #n " " names)
#define ONE(sig)	 .signal = PMK_SIG_##sig
#define SUM(sig, sig2)	 .signal = PMK_SIG_##sig, .signal2 = PMK_SIG_##sig2

/* clang-format off */
const struct pmk_event pmk_microblaze_events[] = {
	{ CALLED(0, "instructions"), .name = "insn_executed", ONE(INSN),
	  PMK_HOST(.brief = "valid instructions executed", .caveat = C_PREFIX) },
	{ NAMED(1), .name = "load_word", ONE(LOAD_WORD),
	  PMK_HOST(.brief = "word loads executed: lw, lwi, lwx", .caveat = C_FORMS_LOAD) },
	{ NAMED(2), .name = "load_half", ONE(LOAD_HALF),
	  PMK_HOST(.brief = "halfword loads executed: lhu, lhui", .caveat = C_FORMS) },
	{ NAMED(3), .name = "load_byte", ONE(LOAD_BYTE),
	  PMK_HOST(.brief = "byte loads executed: lbu, lbui", .caveat = C_FORMS) },
	{ NAMED(4), .name = "store_word", ONE(STORE_WORD),
	  PMK_HOST(.brief = "word stores executed: sw, swi, swx", .caveat = C_FORMS_STORE) },
	{ NAMED(5), .name = "store_half", ONE(STORE_HALF),
	  PMK_HOST(.brief = "halfword stores executed: sh, shi", .caveat = C_FORMS) },
	{ NAMED(6), .name = "store_byte", ONE(STORE_BYTE),
	  PMK_HOST(.brief = "byte stores executed: sb, sbi", .caveat = C_FORMS) },
	{ NAMED(7), .name = "branch_uncond", ONE(BR_UNCOND),
	  PMK_HOST(.brief = "unconditional branches executed: br, bri, brk, brki",
		   .caveat = C_UNCOND) },
	{ NAMED(8), .name = "branch_cond_taken", ONE(BR_TAKEN),
	  PMK_HOST(.brief = "conditional branches executed and taken: beq … bnei") },
	{ NAMED(9), .name = "branch_cond_not_taken", ONE(BR_NOT_TAKEN),
	  PMK_HOST(.brief = "conditional branches executed and not taken: beq … bnei") },
	{ CALLED(10, "L1-icache-loads"), .name = "icache_request", ONE(L1I_ACCESS),
	  PMK_HOST(.brief = "instruction fetches sent to the instruction cache",
		   .caveat = C_FETCH) },
	{ NAMED(11), .name = "icache_hit", ONE(L1I_HIT),
	  PMK_HOST(.brief = "fetches that hit the instruction cache", .caveat = C_FETCH) },
	{ CALLED(12, "L1-dcache-loads"), .name = "dcache_read_request", ONE(L1D_CACHED_READ),
	  PMK_HOST(.brief = "data reads sent to the data cache", .caveat = C_CACHED) },
	{ NAMED(13), .name = "dcache_read_hit", ONE(L1D_CACHED_READ_HIT),
	  PMK_HOST(.brief = "data reads that hit the data cache") },
	{ CALLED(14, "L1-dcache-stores"), .name = "dcache_write_request", ONE(L1D_CACHED_WRITE),
	  PMK_HOST(.brief = "data writes sent to the data cache", .caveat = C_CACHED) },
	{ NAMED(15), .name = "dcache_write_hit", ONE(L1D_CACHED_WRITE_HIT),
	  PMK_HOST(.brief = "data writes that hit the data cache") },
	{ NAMED(16), .name = "load_r1", ONE(LOAD_SP),
	  PMK_HOST(.brief = "loads executed with r1, the stack pointer, as operand",
		   .caveat = C_R1) },
	{ NAMED(17), .name = "store_r1", ONE(STORE_SP),
	  PMK_HOST(.brief = "stores executed with r1, the stack pointer, as operand",
		   .caveat = C_R1) },
	{ NAMED(18), .name = "logical_op", ONE(LOGICAL),
	  PMK_HOST(.brief = "logical operations executed: and, andn, or, xor",
		   .caveat = C_LOGICAL) },
	{ NAMED(19), .name = "arith_op", ONE(ARITH),
	  PMK_HOST(.brief = "arithmetic operations executed: add, rsub, mul, idiv",
		   .caveat = C_ARITH) },
	{ NAMED(20), .name = "mul_op", ONE(MUL),
	  PMK_HOST(.brief = "multiplications executed: mul, mulh, mulhu, mulhsu, muli") },
	{ NAMED(21), .name = "barrel_shift_op", ONE(BARREL_SHIFT),
	  PMK_HOST(.brief = "barrel shifts executed: bsrl, bsra, bsll", .caveat = C_BARREL) },
	{ NAMED(22), .name = "shift_op", ONE(SHIFT),
	  PMK_HOST(.brief = "shifts by one bit executed: sra, src, srl") },
	{ NAMED(23), .name = "exception_taken", ONE(EXC_HW),
	  PMK_HOST(.brief = "exceptions taken", .caveat = C_EXCEPTION) },
	{ NAMED(24), .name = "interrupt", ONE(EXC_IRQ),
	  PMK_HOST(.brief = "interrupts taken", .caveat = C_INTERRUPT) },
	{ NAMED(25), .name = "stall_of", ONE(OF_STALL), .cycles = true,
	  PMK_HOST(.brief = "cycles in which operand fetch (OF) held the pipeline",
		   .caveat = C_STALL_OF) },
	{ NAMED(26), .name = "stall_ex", ONE(EX_STALL), .cycles = true,
	  PMK_HOST(.brief = "cycles in which execution (EX) held the pipeline",
		   .caveat = C_STALL) },
	{ NAMED(27), .name = "stall_mem", ONE(MEM_STALL), .cycles = true,
	  PMK_HOST(.brief = "cycles in which memory access (MEM) held the pipeline",
		   .caveat = C_STALL) },
	{ NAMED(28), .name = "div_op", ONE(DIV),
	  PMK_HOST(.brief = "integer divisions executed: idiv, idivu") },
	{ NAMED(29), .name = "fp_op", ONE(VFP),
	  PMK_HOST(.brief = "floating-point operations executed: fadd … fsqrt") },
	{ CALLED(30, "cycles cpu-cycles"), .name = "clock_cycles", ONE(CYCLE), .cycles = true,
	  PMK_HOST(.brief = "clock cycles", .caveat = C_HALT) },
	{ NAMED(31), .name = "imm_op", ONE(IMM_PREFIX),
	  PMK_HOST(.brief = "immediate prefixes executed: imm", .caveat = C_IMML) },
	{ NAMED(32), .name = "pattern_compare_op", ONE(PATTERN_COMPARE),
	  PMK_HOST(.brief = "pattern compares executed: pcmpbf, pcmpeq, pcmpne") },
	{ NAMED(33), .name = "sign_extend_op", ONE(SIGN_EXTEND),
	  PMK_HOST(.brief = "sign extensions executed: sext8, sext16") },
	{ NAMED(34), .name = "icache_invalidate_op", ONE(ICACHE_OP),
	  PMK_HOST(.brief = "instruction cache invalidations executed: wic") },
	{ NAMED(35), .name = "dcache_invalidate_flush_op", ONE(DCACHE_OP),
	  PMK_HOST(.brief = "data cache invalidations and flushes executed: wdc, all its forms") },
	{ NAMED(36), .name = "msr_op", ONE(STATUS_OP),
	  PMK_HOST(.brief = "bits of the machine status register set or cleared: msrset, msrclr",
		   .caveat = C_MSR) },
	{ NAMED(37), .name = "branch_uncond_delay", ONE(BR_UNCOND_DELAY),
	  PMK_HOST(.brief = "unconditional branches with a delay slot executed",
		   .caveat = C_RETURN) },
	{ NAMED(38), .name = "branch_cond_taken_delay", ONE(BR_TAKEN_DELAY),
	  PMK_HOST(.brief = "conditional branches with a delay slot executed and taken") },
	{ NAMED(39), .name = "branch_cond_not_taken_delay", ONE(BR_NOT_TAKEN_DELAY),
	  PMK_HOST(.brief = "conditional branches with a delay slot executed and not taken") },
	{ NAMED(40), .name = "delay_slot_nop", ONE(DELAY_NOP),
	  PMK_HOST(.brief = "delay slots that held no operation", .caveat = C_DELAY) },
	{ NAMED(41), .name = "load_any", ONE(LOAD),
	  PMK_HOST(.brief = "loads executed: lbu … lwx", .caveat = C_ANY) },
	{ NAMED(42), .name = "store_any", ONE(STORE),
	  PMK_HOST(.brief = "stores executed: sb … swx", .caveat = C_ANY) },
	{ NAMED(43), .name = "mmu_data_request", SUM(L1D_TLB_READ, L1D_TLB_WRITE),
	  PMK_HOST(.brief = "data accesses presented to the MMU", .caveat = C_MMU) },
	{ NAMED(44), .name = "branch_cond", SUM(BR_TAKEN, BR_NOT_TAKEN),
	  PMK_HOST(.brief = "conditional branches executed: beq … bnei") },
	{ CALLED(45, "branches branch-instructions"), .name = "branch_any", ONE(BRANCH),
	  PMK_HOST(.brief = "branches executed, unconditional and conditional",
		   .caveat = C_UNCOND) },
	{ CALLED(46, "cache-references"), .name = "dcache_request",
	  SUM(L1D_CACHED_READ, L1D_CACHED_WRITE),
	  PMK_HOST(.brief = "data reads and writes sent to the data cache", .caveat = C_CACHED) },
	{ NAMED(47), .name = "dcache_hit", SUM(L1D_CACHED_READ_HIT, L1D_CACHED_WRITE_HIT),
	  PMK_HOST(.brief = "data reads and writes that hit the data cache") },
	{ NAMED(48), .name = "mmu_exception", SUM(MMU_EXC_INSN, MMU_EXC_DATA),
	  PMK_HOST(.brief = "MMU exceptions taken", .unmodelled = NO_CAUSE) },
	{ NAMED(49), .name = "mmu_insn_exception", ONE(MMU_EXC_INSN),
	  PMK_HOST(.brief = "MMU exceptions of instruction fetches taken",
		   .unmodelled = NO_CAUSE) },
	{ NAMED(50), .name = "mmu_data_exception", ONE(MMU_EXC_DATA),
	  PMK_HOST(.brief = "MMU exceptions of data accesses taken", .unmodelled = NO_CAUSE) },
	{ NAMED(51), .name = "stall_any", ONE(STALL), .cycles = true,
	  PMK_HOST(.brief = "cycles in which the pipeline was stalled", .caveat = C_STALL_ANY) },
	{ NAMED(52), .name = "btc_hit", ONE(BTC_HIT),
	  PMK_HOST(.brief = "branches and returns found in the branch target cache",
		   .caveat = C_BTC) },
	{ NAMED(53), .name = "mmu_insn_request", ONE(L1I_TLB),
	  PMK_HOST(.brief = "instruction fetches presented to the MMU", .caveat = C_MMU) },
	{ NAMED(54), .name = "itlb_hit", ONE(ITLB_HIT),
	  PMK_HOST(.brief = "hits in the instruction TLB (ITLB)") },
	{ NAMED(55), .name = "dtlb_hit", ONE(DTLB_HIT),
	  PMK_HOST(.brief = "hits in the data TLB (DTLB)") },
	{ NAMED(56), .name = "utlb_hit", ONE(UTLB_HIT),
	  PMK_HOST(.brief = "hits in the unified TLB (UTLB), for instructions or data",
		   .caveat = C_UTLB) },
	{ NAMED(57), .name = "interrupt_latency", ONE(IRQ_ENTRY), .latency = true,
	  PMK_HOST(.brief = "time from the interrupt input to the interrupt vector",
		   .unmodelled = "the emulator does not show when the interrupt input rises",
		   .caveat = C_IRQ) },
	{ NAMED(58), .name = "dcache_read_latency", ONE(L1D_CACHED_READ), .latency = true,
	  PMK_HOST(.brief = "memory reads through the data cache", .caveat = C_CACHE_LATENCY) },
	{ NAMED(59), .name = "dcache_write_latency", ONE(L1D_CACHED_WRITE), .latency = true,
	  PMK_HOST(.brief = "memory writes through the data cache", .caveat = C_CACHE_LATENCY) },
	{ NAMED(60), .name = "icache_read_latency", ONE(L1I_ACCESS), .latency = true,
	  PMK_HOST(.brief = "memory reads through the instruction cache",
		   .caveat = C_CACHE_LATENCY) },
	{ NAMED(61), .name = "mmu_lookup_latency", ONE(MMU_LOOKUP), .latency = true,
	  PMK_HOST(.brief = "address look-ups of the MMU", .caveat = C_LOOKUP) },
	{ NAMED(62), .name = "axi_dp_read_latency", ONE(PERIPHERAL_READ), .latency = true,
	  PMK_HOST(.brief = "data reads on the peripheral AXI interface", .caveat = C_PERIPHERAL) },
	{ NAMED(63), .name = "axi_dp_write_latency", ONE(PERIPHERAL_WRITE), .latency = true,
	  PMK_HOST(.brief = "data writes on the peripheral AXI interface",
		   .caveat = C_PERIPHERAL) },
};
/* clang-format on */
