// SPDX-License-Identifier: MIT
/*
 * MicroBlaze: the event catalogue. Freestanding.
 *
 * UG984, "Performance Monitoring", the table of events: 0 to 56 are for event counters, 57 to 63
 * for latency counters; event counters count the occurrences of the latter. The table has numbers
 * and descriptions; the formulas below it call them E0 to E63. The names are ours.
 *
 * The table abbreviates lists of instructions ("beq, ..., bnei"). They are read as ranges in the
 * manual's order, and a form of an instruction counts as the instruction: byte-reversed, extended
 * address, absolute, link, immediate, 64-bit (our choice).
 */
#include "pmu/microblaze/regs.h"

#define T "UG984 \"Performance Monitoring\", table of events"

#define C_PREFIX "delay slots and imm prefixes count; one that faults does, too (our choice)"
#define C_FORMS	 "byte-reversed and extended address forms count (our choice)"
#define C_FORMS_LOAD \
	"lwx counts, byte-reversed and extended address forms too (our choice); 8-byte loads do not"
#define C_FORMS_STORE                                                                             \
	"swx counts whether it stored or not, byte-reversed and extended address forms too (our " \
	"choice); 8-byte stores do not"
#define C_UNCOND "link, absolute and delay forms count; returns, mbar and sleep do not (our choice)"
#define C_RETURN "returns do not count, though they have a delay slot (our choice)"
#define C_FETCH \
	"emulation counts the instructions executed; hardware also fetches ahead of branches"
#define C_CACHED "only accesses to the cacheable range, while the cache is enabled (our choice)"
#define C_R1                                                                                   \
	"r1 as a register of the address; as the one loaded or stored it does not count (our " \
	"choice)"
#define C_LOGICAL "immediate forms count; so does a nop, which is an or (our choice)"
#define C_ARITH \
	"the families of the four: carry, keep and immediate forms, cmp and cmpu (our choice)"
#define C_BARREL    "immediate and bit field forms count (our choice)"
#define C_EXCEPTION "hardware exceptions; interrupts and breaks do not count (our choice)"
#define C_INTERRUPT "those that are taken, not those that wait; breaks do not count (our choice)"
#define C_STALL                                                                               \
	"cycles, by cause: a later stage that holds this one counts only there (our choice: " \
	"stall.cascade)"
#define C_STALL_OF                                                                                 \
	"cycles; operands and instructions that are late; see stall_ex for the other stages (our " \
	"choice)"
#define C_STALL_ANY                                                                             \
	"cycles: the sum of stall_of, stall_ex and stall_mem, which include late instructions " \
	"(our choice)"
#define C_HALT	"sleep counts, debug halt does not (our choice)"
#define C_IMML	"imml counts (our choice)"
#define C_MSR	"mts and mfs do not count (our choice)"
#define C_DELAY "those of returns count (our choice)"
#define C_ANY	"8-byte ones of a 64-bit core count here alone (our choice)"
#define C_MMU	"only in virtual mode (our choice)"
#define C_BTC	"a hit whether its prediction was right or not (our choice)"
#define C_UTLB	"looked up after a miss in the ITLB or DTLB (our choice)"
#define C_IRQ	"time in which interrupts are masked is included (our choice)"
#define C_CACHE_LATENCY \
	"hits are timed, too, with one cycle (our choice): what misses cost is the sum minus N"
#define C_LOOKUP     "look-ups of the unified TLB, after a miss in the ITLB or DTLB (our choice)"
#define C_PERIPHERAL "neither cacheable nor local memory (LMB) (our choice)"

#define NO_CAUSE "which exception it is that enters the vector is not shown by the emulator"

#define NUMBER(n)	 .code = (n), .cores = 1, .ref = PMK_DOC(T)
/* The manual's own name is E with the number. */
#define NAMED(n)	 NUMBER(n), .aliases = PMK_DOC("E" #n)
#define CALLED(n, names) NUMBER(n), .aliases = PMK_DOC("E" #n " " names)
#define ONE(sig)	 .signal = PMK_SIG_##sig
#define SUM(sig, sig2)	 .signal = PMK_SIG_##sig, .signal2 = PMK_SIG_##sig2

/* clang-format off */
const struct pmk_event pmk_microblaze_events[] = {
	{ CALLED(0, "instructions"), .name = "insn_executed",
	  ONE(INSN),
	  .brief = PMK_DOC("valid instructions executed"),
	  .caveat = PMK_DOC(C_PREFIX) },
	{ NAMED(1), .name = "load_word",
	  ONE(LOAD_WORD),
	  .brief = PMK_DOC("word loads executed: lw, lwi, lwx"),
	  .caveat = PMK_DOC(C_FORMS_LOAD) },
	{ NAMED(2), .name = "load_half",
	  ONE(LOAD_HALF),
	  .brief = PMK_DOC("halfword loads executed: lhu, lhui"),
	  .caveat = PMK_DOC(C_FORMS) },
	{ NAMED(3), .name = "load_byte",
	  ONE(LOAD_BYTE),
	  .brief = PMK_DOC("byte loads executed: lbu, lbui"),
	  .caveat = PMK_DOC(C_FORMS) },
	{ NAMED(4), .name = "store_word",
	  ONE(STORE_WORD),
	  .brief = PMK_DOC("word stores executed: sw, swi, swx"),
	  .caveat = PMK_DOC(C_FORMS_STORE) },
	{ NAMED(5), .name = "store_half",
	  ONE(STORE_HALF),
	  .brief = PMK_DOC("halfword stores executed: sh, shi"),
	  .caveat = PMK_DOC(C_FORMS) },
	{ NAMED(6), .name = "store_byte",
	  ONE(STORE_BYTE),
	  .brief = PMK_DOC("byte stores executed: sb, sbi"),
	  .caveat = PMK_DOC(C_FORMS) },
	{ NAMED(7), .name = "branch_uncond",
	  ONE(BR_UNCOND),
	  .brief = PMK_DOC("unconditional branches executed: br, bri, brk, brki"),
	  .caveat = PMK_DOC(C_UNCOND) },
	{ NAMED(8), .name = "branch_cond_taken",
	  ONE(BR_TAKEN),
	  .brief = PMK_DOC("conditional branches executed and taken: beq … bnei") },
	{ NAMED(9), .name = "branch_cond_not_taken",
	  ONE(BR_NOT_TAKEN),
	  .brief = PMK_DOC("conditional branches executed and not taken: beq … bnei") },
	{ CALLED(10, "L1-icache-loads"), .name = "icache_request",
	  ONE(L1I_ACCESS),
	  .brief = PMK_DOC("instruction fetches handed to the instruction cache"),
	  .caveat = PMK_DOC(C_FETCH) },
	{ NAMED(11), .name = "icache_hit",
	  ONE(L1I_HIT),
	  .brief = PMK_DOC("fetches that hit the instruction cache"),
	  .caveat = PMK_DOC(C_FETCH) },
	{ CALLED(12, "L1-dcache-loads"), .name = "dcache_read_request",
	  ONE(L1D_CACHED_READ),
	  .brief = PMK_DOC("data reads handed to the data cache"),
	  .caveat = PMK_DOC(C_CACHED) },
	{ NAMED(13), .name = "dcache_read_hit",
	  ONE(L1D_CACHED_READ_HIT),
	  .brief = PMK_DOC("data reads that hit the data cache") },
	{ CALLED(14, "L1-dcache-stores"), .name = "dcache_write_request",
	  ONE(L1D_CACHED_WRITE),
	  .brief = PMK_DOC("data writes handed to the data cache"),
	  .caveat = PMK_DOC(C_CACHED) },
	{ NAMED(15), .name = "dcache_write_hit",
	  ONE(L1D_CACHED_WRITE_HIT),
	  .brief = PMK_DOC("data writes that hit the data cache") },
	{ NAMED(16), .name = "load_r1",
	  ONE(LOAD_SP),
	  .brief = PMK_DOC("loads executed with r1, the stack pointer, as operand"),
	  .caveat = PMK_DOC(C_R1) },
	{ NAMED(17), .name = "store_r1",
	  ONE(STORE_SP),
	  .brief = PMK_DOC("stores executed with r1, the stack pointer, as operand"),
	  .caveat = PMK_DOC(C_R1) },
	{ NAMED(18), .name = "logical_op",
	  ONE(LOGICAL),
	  .brief = PMK_DOC("logical operations executed: and, andn, or, xor"),
	  .caveat = PMK_DOC(C_LOGICAL) },
	{ NAMED(19), .name = "arith_op",
	  ONE(ARITH),
	  .brief = PMK_DOC("arithmetic operations executed: add, rsub, mul, idiv"),
	  .caveat = PMK_DOC(C_ARITH) },
	{ NAMED(20), .name = "mul_op",
	  ONE(MUL),
	  .brief = PMK_DOC("multiplications executed: mul, mulh, mulhu, mulhsu, muli") },
	{ NAMED(21), .name = "barrel_shift_op",
	  ONE(BARREL_SHIFT),
	  .brief = PMK_DOC("barrel shifts executed: bsrl, bsra, bsll"),
	  .caveat = PMK_DOC(C_BARREL) },
	{ NAMED(22), .name = "shift_op",
	  ONE(SHIFT),
	  .brief = PMK_DOC("shifts by one bit executed: sra, src, srl") },
	{ NAMED(23), .name = "exception_taken",
	  ONE(EXC_HW),
	  .brief = PMK_DOC("exceptions taken"),
	  .caveat = PMK_DOC(C_EXCEPTION) },
	{ NAMED(24), .name = "interrupt",
	  ONE(EXC_IRQ),
	  .brief = PMK_DOC("interrupts taken"),
	  .caveat = PMK_DOC(C_INTERRUPT) },
	{ NAMED(25), .name = "stall_of",
	  ONE(OF_STALL), .cycles = true,
	  .brief = PMK_DOC("cycles in which operand fetch (OF) held the pipeline"),
	  .caveat = PMK_DOC(C_STALL_OF) },
	{ NAMED(26), .name = "stall_ex",
	  ONE(EX_STALL), .cycles = true,
	  .brief = PMK_DOC("cycles in which execution (EX) held the pipeline"),
	  .caveat = PMK_DOC(C_STALL) },
	{ NAMED(27), .name = "stall_mem",
	  ONE(MEM_STALL), .cycles = true,
	  .brief = PMK_DOC("cycles in which memory access (MEM) held the pipeline"),
	  .caveat = PMK_DOC(C_STALL) },
	{ NAMED(28), .name = "div_op",
	  ONE(DIV),
	  .brief = PMK_DOC("integer divisions executed: idiv, idivu") },
	{ NAMED(29), .name = "fp_op",
	  ONE(VFP),
	  .brief = PMK_DOC("floating-point operations executed: fadd … fsqrt") },
	{ CALLED(30, "cycles cpu-cycles"), .name = "clock_cycles",
	  ONE(CYCLE), .cycles = true,
	  .brief = PMK_DOC("clock cycles"),
	  .caveat = PMK_DOC(C_HALT) },
	{ NAMED(31), .name = "imm_op",
	  ONE(IMM_PREFIX),
	  .brief = PMK_DOC("immediate prefixes executed: imm"),
	  .caveat = PMK_DOC(C_IMML) },
	{ NAMED(32), .name = "pattern_compare_op",
	  ONE(PATTERN_COMPARE),
	  .brief = PMK_DOC("pattern compares executed: pcmpbf, pcmpeq, pcmpne") },
	{ NAMED(33), .name = "sign_extend_op",
	  ONE(SIGN_EXTEND),
	  .brief = PMK_DOC("sign extensions executed: sext8, sext16") },
	{ NAMED(34), .name = "icache_invalidate_op",
	  ONE(ICACHE_OP),
	  .brief = PMK_DOC("instruction cache invalidations executed: wic") },
	{ NAMED(35), .name = "dcache_invalidate_flush_op",
	  ONE(DCACHE_OP),
	  .brief = PMK_DOC("data cache invalidations and flushes executed: wdc, all its forms") },
	{ NAMED(36), .name = "msr_op",
	  ONE(STATUS_OP),
	  .brief = PMK_DOC("bits of the machine status register set or cleared: msrset, msrclr"),
	  .caveat = PMK_DOC(C_MSR) },
	{ NAMED(37), .name = "branch_uncond_delay",
	  ONE(BR_UNCOND_DELAY),
	  .brief = PMK_DOC("unconditional branches with a delay slot executed"),
	  .caveat = PMK_DOC(C_RETURN) },
	{ NAMED(38), .name = "branch_cond_taken_delay",
	  ONE(BR_TAKEN_DELAY),
	  .brief = PMK_DOC("conditional branches with a delay slot executed and taken") },
	{ NAMED(39), .name = "branch_cond_not_taken_delay",
	  ONE(BR_NOT_TAKEN_DELAY),
	  .brief = PMK_DOC("conditional branches with a delay slot executed and not taken") },
	{ NAMED(40), .name = "delay_slot_nop",
	  ONE(DELAY_NOP),
	  .brief = PMK_DOC("delay slots that held no operation"),
	  .caveat = PMK_DOC(C_DELAY) },
	{ NAMED(41), .name = "load_any",
	  ONE(LOAD),
	  .brief = PMK_DOC("loads executed: lbu … lwx"),
	  .caveat = PMK_DOC(C_ANY) },
	{ NAMED(42), .name = "store_any",
	  ONE(STORE),
	  .brief = PMK_DOC("stores executed: sb … swx"),
	  .caveat = PMK_DOC(C_ANY) },
	{ NAMED(43), .name = "mmu_data_request",
	  SUM(L1D_TLB_READ, L1D_TLB_WRITE),
	  .brief = PMK_DOC("data accesses presented to the MMU"),
	  .caveat = PMK_DOC(C_MMU) },
	{ NAMED(44), .name = "branch_cond",
	  SUM(BR_TAKEN, BR_NOT_TAKEN),
	  .brief = PMK_DOC("conditional branches executed: beq … bnei") },
	{ CALLED(45, "branches branch-instructions"), .name = "branch_any",
	  ONE(BRANCH),
	  .brief = PMK_DOC("branches executed, unconditional and conditional"),
	  .caveat = PMK_DOC(C_UNCOND) },
	{ CALLED(46, "cache-references"), .name = "dcache_request",
	  SUM(L1D_CACHED_READ, L1D_CACHED_WRITE),
	  .brief = PMK_DOC("data reads and writes handed to the data cache"),
	  .caveat = PMK_DOC(C_CACHED) },
	{ NAMED(47), .name = "dcache_hit",
	  SUM(L1D_CACHED_READ_HIT, L1D_CACHED_WRITE_HIT),
	  .brief = PMK_DOC("data reads and writes that hit the data cache") },
	{ NAMED(48), .name = "mmu_exception",
	  SUM(MMU_EXC_INSN, MMU_EXC_DATA),
	  .brief = PMK_DOC("MMU exceptions taken"), .unmodelled = PMK_DOC(NO_CAUSE) },
	{ NAMED(49), .name = "mmu_insn_exception",
	  ONE(MMU_EXC_INSN),
	  .brief = PMK_DOC("MMU exceptions of instruction fetches taken"),
	  .unmodelled = PMK_DOC(NO_CAUSE) },
	{ NAMED(50), .name = "mmu_data_exception",
	  ONE(MMU_EXC_DATA),
	  .brief = PMK_DOC("MMU exceptions of data accesses taken"),
	  .unmodelled = PMK_DOC(NO_CAUSE) },
	{ NAMED(51), .name = "stall_any",
	  ONE(STALL), .cycles = true,
	  .brief = PMK_DOC("cycles in which the pipeline was stalled"),
	  .caveat = PMK_DOC(C_STALL_ANY) },
	{ NAMED(52), .name = "btc_hit",
	  ONE(BTC_HIT),
	  .brief = PMK_DOC("branches and returns found in the branch target cache"),
	  .caveat = PMK_DOC(C_BTC) },
	{ NAMED(53), .name = "mmu_insn_request",
	  ONE(L1I_TLB),
	  .brief = PMK_DOC("instruction fetches presented to the MMU"),
	  .caveat = PMK_DOC(C_MMU) },
	{ NAMED(54), .name = "itlb_hit",
	  ONE(ITLB_HIT),
	  .brief = PMK_DOC("hits in the instruction TLB (ITLB)") },
	{ NAMED(55), .name = "dtlb_hit",
	  ONE(DTLB_HIT),
	  .brief = PMK_DOC("hits in the data TLB (DTLB)") },
	{ NAMED(56), .name = "utlb_hit",
	  ONE(UTLB_HIT),
	  .brief = PMK_DOC("hits in the unified TLB (UTLB), either side"),
	  .caveat = PMK_DOC(C_UTLB) },
	{ NAMED(57), .name = "interrupt_latency",
	  ONE(IRQ_ENTRY), .latency = true,
	  .brief = PMK_DOC("interrupt input to interrupt vector"),
	  .unmodelled = PMK_DOC("when its input rises is not shown by the emulator"),
	  .caveat = PMK_DOC(C_IRQ) },
	{ NAMED(58), .name = "dcache_read_latency",
	  ONE(L1D_CACHED_READ), .latency = true,
	  .brief = PMK_DOC("memory reads through the data cache"),
	  .caveat = PMK_DOC(C_CACHE_LATENCY) },
	{ NAMED(59), .name = "dcache_write_latency",
	  ONE(L1D_CACHED_WRITE), .latency = true,
	  .brief = PMK_DOC("memory writes through the data cache"),
	  .caveat = PMK_DOC(C_CACHE_LATENCY) },
	{ NAMED(60), .name = "icache_read_latency",
	  ONE(L1I_ACCESS), .latency = true,
	  .brief = PMK_DOC("memory reads through the instruction cache"),
	  .caveat = PMK_DOC(C_CACHE_LATENCY) },
	{ NAMED(61), .name = "mmu_lookup_latency",
	  ONE(MMU_LOOKUP), .latency = true,
	  .brief = PMK_DOC("address look-ups of the MMU"),
	  .caveat = PMK_DOC(C_LOOKUP) },
	{ NAMED(62), .name = "axi_dp_read_latency",
	  ONE(PERIPHERAL_READ), .latency = true,
	  .brief = PMK_DOC("data reads on the peripheral AXI interface"),
	  .caveat = PMK_DOC(C_PERIPHERAL) },
	{ NAMED(63), .name = "axi_dp_write_latency",
	  ONE(PERIPHERAL_WRITE), .latency = true,
	  .brief = PMK_DOC("data writes on the peripheral AXI interface"),
	  .caveat = PMK_DOC(C_PERIPHERAL) },
};
/* clang-format on */
