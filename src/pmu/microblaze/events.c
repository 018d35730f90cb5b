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
#include "pmu/event_row.h"

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

/* A row: number, name, signals, brief text, and further members that are texts. The manual's own
 * name is E with the number. */
#define ROW(n, called, counts, ...)                                         \
	{                                                                   \
		.code = (n), .name = called, .cores = 1, counts,            \
		PMK_HOST(.ref = T, .aliases = "E" #n, .brief = __VA_ARGS__) \
	}
/* A row that has more aliases. */
#define ALSO(n, aka, called, counts, ...)                                       \
	{                                                                       \
		.code = (n), .name = called, .cores = 1, counts,                \
		PMK_HOST(.ref = T, .aliases = "E" #n aka, .brief = __VA_ARGS__) \
	}

const struct pmk_event pmk_microblaze_events[] = {
	ALSO(0, " instructions", "insn_executed", SIG(INSN), "valid instructions executed",
	     .caveat = C_PREFIX),
	ROW(1, "load_word", SIG(LOAD_WORD), "word loads executed: lw, lwi, lwx",
	    .caveat = C_FORMS_LOAD),
	ROW(2, "load_half", SIG(LOAD_HALF), "halfword loads executed: lhu, lhui",
	    .caveat = C_FORMS),
	ROW(3, "load_byte", SIG(LOAD_BYTE), "byte loads executed: lbu, lbui", .caveat = C_FORMS),
	ROW(4, "store_word", SIG(STORE_WORD), "word stores executed: sw, swi, swx",
	    .caveat = C_FORMS_STORE),
	ROW(5, "store_half", SIG(STORE_HALF), "halfword stores executed: sh, shi",
	    .caveat = C_FORMS),
	ROW(6, "store_byte", SIG(STORE_BYTE), "byte stores executed: sb, sbi", .caveat = C_FORMS),
	ROW(7, "branch_uncond", SIG(BR_UNCOND),
	    "unconditional branches executed: br, bri, brk, brki", .caveat = C_UNCOND),
	ROW(8, "branch_cond_taken", SIG(BR_TAKEN),
	    "conditional branches executed and taken: beq … bnei"),
	ROW(9, "branch_cond_not_taken", SIG(BR_NOT_TAKEN),
	    "conditional branches executed and not taken: beq … bnei"),
	ALSO(10, " L1-icache-loads", "icache_request", SIG(L1I_ACCESS),
	     "instruction fetches sent to the instruction cache", .caveat = C_FETCH),
	ROW(11, "icache_hit", SIG(L1I_HIT), "fetches that hit the instruction cache",
	    .caveat = C_FETCH),
	ALSO(12, " L1-dcache-loads", "dcache_read_request", SIG(L1D_CACHED_READ),
	     "data reads sent to the data cache", .caveat = C_CACHED),
	ROW(13, "dcache_read_hit", SIG(L1D_CACHED_READ_HIT), "data reads that hit the data cache"),
	ALSO(14, " L1-dcache-stores", "dcache_write_request", SIG(L1D_CACHED_WRITE),
	     "data writes sent to the data cache", .caveat = C_CACHED),
	ROW(15, "dcache_write_hit", SIG(L1D_CACHED_WRITE_HIT),
	    "data writes that hit the data cache"),
	ROW(16, "load_r1", SIG(LOAD_SP), "loads executed with r1, the stack pointer, as operand",
	    .caveat = C_R1),
	ROW(17, "store_r1", SIG(STORE_SP), "stores executed with r1, the stack pointer, as operand",
	    .caveat = C_R1),
	ROW(18, "logical_op", SIG(LOGICAL), "logical operations executed: and, andn, or, xor",
	    .caveat = C_LOGICAL),
	ROW(19, "arith_op", SIG(ARITH), "arithmetic operations executed: add, rsub, mul, idiv",
	    .caveat = C_ARITH),
	ROW(20, "mul_op", SIG(MUL), "multiplications executed: mul, mulh, mulhu, mulhsu, muli"),
	ROW(21, "barrel_shift_op", SIG(BARREL_SHIFT), "barrel shifts executed: bsrl, bsra, bsll",
	    .caveat = C_BARREL),
	ROW(22, "shift_op", SIG(SHIFT), "shifts by one bit executed: sra, src, srl"),
	ROW(23, "exception_taken", SIG(EXC_HW), "exceptions taken", .caveat = C_EXCEPTION),
	ROW(24, "interrupt", SIG(EXC_IRQ), "interrupts taken", .caveat = C_INTERRUPT),
	ROW(25, "stall_of", SIG_CYCLES(OF_STALL),
	    "cycles in which operand fetch (OF) held the pipeline", .caveat = C_STALL_OF),
	ROW(26, "stall_ex", SIG_CYCLES(EX_STALL),
	    "cycles in which execution (EX) held the pipeline", .caveat = C_STALL),
	ROW(27, "stall_mem", SIG_CYCLES(MEM_STALL),
	    "cycles in which memory access (MEM) held the pipeline", .caveat = C_STALL),
	ROW(28, "div_op", SIG(DIV), "integer divisions executed: idiv, idivu"),
	ROW(29, "fp_op", SIG(VFP), "floating-point operations executed: fadd … fsqrt"),
	ALSO(30, " cycles cpu-cycles", "clock_cycles", SIG_CYCLES(CYCLE), "clock cycles",
	     .caveat = C_HALT),
	ROW(31, "imm_op", SIG(IMM_PREFIX), "immediate prefixes executed: imm", .caveat = C_IMML),
	ROW(32, "pattern_compare_op", SIG(PATTERN_COMPARE),
	    "pattern compares executed: pcmpbf, pcmpeq, pcmpne"),
	ROW(33, "sign_extend_op", SIG(SIGN_EXTEND), "sign extensions executed: sext8, sext16"),
	ROW(34, "icache_invalidate_op", SIG(ICACHE_OP),
	    "instruction cache invalidations executed: wic"),
	ROW(35, "dcache_invalidate_flush_op", SIG(DCACHE_OP),
	    "data cache invalidations and flushes executed: wdc, all its forms"),
	ROW(36, "msr_op", SIG(STATUS_OP),
	    "bits of the machine status register set or cleared: msrset, msrclr", .caveat = C_MSR),
	ROW(37, "branch_uncond_delay", SIG(BR_UNCOND_DELAY),
	    "unconditional branches with a delay slot executed", .caveat = C_RETURN),
	ROW(38, "branch_cond_taken_delay", SIG(BR_TAKEN_DELAY),
	    "conditional branches with a delay slot executed and taken"),
	ROW(39, "branch_cond_not_taken_delay", SIG(BR_NOT_TAKEN_DELAY),
	    "conditional branches with a delay slot executed and not taken"),
	ROW(40, "delay_slot_nop", SIG(DELAY_NOP), "delay slots that held no operation",
	    .caveat = C_DELAY),
	ROW(41, "load_any", SIG(LOAD), "loads executed: lbu … lwx", .caveat = C_ANY),
	ROW(42, "store_any", SIG(STORE), "stores executed: sb … swx", .caveat = C_ANY),
	ROW(43, "mmu_data_request", SIG_SUM(L1D_TLB_READ, L1D_TLB_WRITE),
	    "data accesses presented to the MMU", .caveat = C_MMU),
	ROW(44, "branch_cond", SIG_SUM(BR_TAKEN, BR_NOT_TAKEN),
	    "conditional branches executed: beq … bnei"),
	ALSO(45, " branches branch-instructions", "branch_any", SIG(BRANCH),
	     "branches executed, unconditional and conditional", .caveat = C_UNCOND),
	ALSO(46, " cache-references", "dcache_request", SIG_SUM(L1D_CACHED_READ, L1D_CACHED_WRITE),
	     "data reads and writes sent to the data cache", .caveat = C_CACHED),
	ROW(47, "dcache_hit", SIG_SUM(L1D_CACHED_READ_HIT, L1D_CACHED_WRITE_HIT),
	    "data reads and writes that hit the data cache"),
	ROW(48, "mmu_exception", SIG_SUM(MMU_EXC_INSN, MMU_EXC_DATA), "MMU exceptions taken",
	    .unmodelled = NO_CAUSE),
	ROW(49, "mmu_insn_exception", SIG(MMU_EXC_INSN),
	    "MMU exceptions of instruction fetches taken", .unmodelled = NO_CAUSE),
	ROW(50, "mmu_data_exception", SIG(MMU_EXC_DATA), "MMU exceptions of data accesses taken",
	    .unmodelled = NO_CAUSE),
	ROW(51, "stall_any", SIG_CYCLES(STALL), "cycles in which the pipeline was stalled",
	    .caveat = C_STALL_ANY),
	ROW(52, "btc_hit", SIG(BTC_HIT), "branches and returns found in the branch target cache",
	    .caveat = C_BTC),
	ROW(53, "mmu_insn_request", SIG(L1I_TLB), "instruction fetches presented to the MMU",
	    .caveat = C_MMU),
	ROW(54, "itlb_hit", SIG(ITLB_HIT), "hits in the instruction TLB (ITLB)"),
	ROW(55, "dtlb_hit", SIG(DTLB_HIT), "hits in the data TLB (DTLB)"),
	ROW(56, "utlb_hit", SIG(UTLB_HIT),
	    "hits in the unified TLB (UTLB), for instructions or data", .caveat = C_UTLB),
	ROW(57, "interrupt_latency", SIG_TIMED(IRQ_ENTRY),
	    "time from the interrupt input to the interrupt vector", .caveat = C_IRQ,
	    .unmodelled = "the emulator does not show when the interrupt input rises"),
	ROW(58, "dcache_read_latency", SIG_TIMED(L1D_CACHED_READ),
	    "memory reads through the data cache", .caveat = C_CACHE_LATENCY),
	ROW(59, "dcache_write_latency", SIG_TIMED(L1D_CACHED_WRITE),
	    "memory writes through the data cache", .caveat = C_CACHE_LATENCY),
	ROW(60, "icache_read_latency", SIG_TIMED(L1I_ACCESS),
	    "memory reads through the instruction cache", .caveat = C_CACHE_LATENCY),
	ROW(61, "mmu_lookup_latency", SIG_TIMED(MMU_LOOKUP), "address look-ups of the MMU",
	    .caveat = C_LOOKUP),
	ROW(62, "axi_dp_read_latency", SIG_TIMED(PERIPHERAL_READ),
	    "data reads on the peripheral AXI interface", .caveat = C_PERIPHERAL),
	ROW(63, "axi_dp_write_latency", SIG_TIMED(PERIPHERAL_WRITE),
	    "data writes on the peripheral AXI interface", .caveat = C_PERIPHERAL),
};
