/* SPDX-License-Identifier: MIT */
/*
 * Repeats an instruction to measure its latency and its throughput per cycle. In `…-chain` each
 * instruction waits for the previous one, in `…-flow` none does.
 *
 *   chains NAME TIMES      executes the text of a row TIMES times, 64 in each iteration
 *   chains                 lists the names
 *
 * A row is a name and instructions of the target's instruction set, as text.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { AT_ONCE = 64 };

static long memory[8];

#define REPEAT4(x) x x x x
#define KERNEL(name, sixteen)                                      \
	static void name(long times)                               \
	{                                                          \
		long *at = memory;                                 \
                                                                   \
		memory[0] = (long)memory;                          \
		__asm__ volatile(BEGIN "1:\n" REPEAT4(sixteen) END \
				 : "+r"(times), "+r"(at)           \
				 :                                 \
				 : CLOBBERED);                     \
	}

/* A chain repeats one text, which waits for its own last result. A flow repeats four texts that do
 * not wait for each other. */
#define CHAIN(name, one)		  KERNEL(name##_chain, REPEAT4(REPEAT4(one)))
#define FLOW(name, one, two, three, four) KERNEL(name##_flow, REPEAT4(one two three four))
/*
 * An operation of the VFP11 into each of eight registers. It waits for an earlier result that goes
 * to the same register (DDI 0301H 21.6), so with fewer registers the latency would limit the loop.
 */
#define INTO8(op, in, a, b, c, d, e, f, g, h) \
	op a in op b in op c in op d in op e in op f in op g in op h in
#define TWICE(x) x x
#define FLOW_D(name, op)    \
	KERNEL(name##_flow, \
	       TWICE(INTO8(op, ", d4, d4\n", "d0", "d1", "d2", "d3", "d5", "d6", "d7", "d8")))
#define FLOW_S(name, op)    \
	KERNEL(name##_flow, \
	       TWICE(INTO8(op, ", s8, s8\n", "s0", "s2", "s4", "s6", "s10", "s12", "s14", "s16")))

#if defined(__aarch64__)

/* A function that only returns. */
__asm__(".text\n .balign 64\n returns: ret\n .balign 64\n");

#define BEGIN                                                                  \
	"adr x14, returns\n sub sp, sp, #64\n"                                 \
	"mov x9, #3\n mov x10, #1\n mov x11, #1\n mov x12, #1\n mov x13, #1\n" \
	"fmov d4, #1.0\n fmov d5, #1.0\n fmov d6, #1.0\n fmov d7, #1.0\n fmov d8, #1.0\n"
#define END "subs %0, %0, #1\n b.ne 1b\n add sp, sp, #64\n"
#define CLOBBERED \
	"x9", "x10", "x11", "x12", "x13", "x14", "x30", "v4", "v5", "v6", "v7", "v8", "memory", "cc"

CHAIN(add, "add x10, x10, x9\n")
CHAIN(add_shifted, "add x10, x10, x10, lsl #3\n")
CHAIN(mul, "mul x10, x10, x9\n")
CHAIN(mul32, "mul w10, w10, w9\n")
CHAIN(load, "ldr %1, [%1]\n")
CHAIN(fadd, "fadd d5, d5, d4\n")
CHAIN(fmul, "fmul d5, d5, d4\n")
CHAIN(fmadd, "fmadd d5, d4, d4, d5\n")
CHAIN(fdiv, "fdiv d5, d5, d4\n")
CHAIN(fdiv32, "fdiv s5, s5, s4\n")
CHAIN(fsqrt, "fsqrt d5, d5\n")
/* A store, and a load of what it has written. The emulator may cut the loop into blocks; the model
 * follows words on the stack from one block to the next. */
CHAIN(stored, "str x10, [sp, #16]\n ldr x10, [sp, #16]\n")
CHAIN(stored_pair, "stp x10, x11, [sp, #16]\n ldp x10, x11, [sp, #16]\n")
CHAIN(stored_vector, "str q5, [sp, #16]\n ldr q5, [sp, #16]\n")
CHAIN(stored_part, "str s5, [sp, #16]\n ldr q5, [sp, #16]\n")
/* Branches: to the next instruction; to a function and back, directly and through a register. */
CHAIN(jump, "b 2f\n 2:\n")
CHAIN(jump_add, "add x10, x10, x9\n b 2f\n 2: add x10, x10, x9\n b 3f\n 3:\n")
CHAIN(equal, "subs x10, x10, x10\n b.eq 2f\n nop\n 2: subs x10, x10, x10\n b.eq 3f\n nop\n 3:\n")
CHAIN(call, "bl returns\n")
CHAIN(indirect_call, "blr x14\n")
FLOW(add, "add x10, x9, x9\n", "add x11, x9, x9\n", "add x12, x9, x9\n", "add x13, x9, x9\n")
FLOW(mul32, "mul w10, w9, w9\n", "mul w11, w9, w9\n", "mul w12, w9, w9\n", "mul w13, w9, w9\n")
FLOW(load, "ldr x10, [%1]\n", "ldr x11, [%1]\n", "ldr x12, [%1]\n", "ldr x13, [%1]\n")
FLOW(fadd, "fadd d5, d4, d4\n", "fadd d6, d4, d4\n", "fadd d7, d4, d4\n", "fadd d8, d4, d4\n")

#elif defined(__arm__)

#define BEGIN                                                                                    \
	".arch armv6k\n .fpu vfp\n"                                                              \
	"mov r5, #3\n mov r6, #1\n mov r7, #1\n mov r8, #1\n mov r9, #1\n"                       \
	"mov r0, #0\n fmsr s8, r0\n fmsr s9, r0\n fsitod d4, s8\n fcpyd d5, d4\n fcpyd d6, d4\n" \
	"fcpyd d7, d4\n fcpyd d3, d4\n"
#define END "subs %0, %0, #1\n bne 1b\n"
#define CLOBBERED                                                                                 \
	"r0", "r5", "r6", "r7", "r8", "r9", "d0", "d1", "d2", "d3", "d4", "d5", "d6", "d7", "d8", \
		"memory", "cc"

CHAIN(add, "add r6, r6, r5\n")
CHAIN(add_shifted, "add r6, r6, r6, lsl #3\n")
CHAIN(mul, "mul r6, r6, r5\n")
CHAIN(load, "ldr %1, [%1]\n")
CHAIN(fadd, "faddd d5, d5, d4\n")
CHAIN(fadd32, "fadds s10, s10, s8\n")
CHAIN(fmul, "fmuld d5, d5, d4\n")
CHAIN(fmul32, "fmuls s10, s10, s8\n")
CHAIN(fdiv, "fdivd d5, d5, d4\n")
CHAIN(fdiv32, "fdivs s10, s10, s8\n")
CHAIN(fsqrt, "fsqrtd d5, d5\n")
FLOW(add, "add r6, r5, r5\n", "add r7, r5, r5\n", "add r8, r5, r5\n", "add r9, r5, r5\n")
FLOW(mul, "mul r6, r5, r5\n", "mul r7, r5, r5\n", "mul r8, r5, r5\n", "mul r9, r5, r5\n")
FLOW(load, "ldr r6, [%1]\n", "ldr r7, [%1]\n", "ldr r8, [%1]\n", "ldr r9, [%1]\n")
FLOW_D(fadd, "faddd ")
FLOW_S(fadd32, "fadds ")
FLOW_D(fmul, "fmuld ")

#else
#error "no instructions for this instruction set"
#endif

static const struct {
	const char *name;
	void (*run)(long times);
} kernels[] = {
	{ "add-chain", add_chain },
	{ "add-shifted-chain", add_shifted_chain },
	{ "mul-chain", mul_chain },
	{ "load-chain", load_chain },
	{ "fadd-chain", fadd_chain },
	{ "fmul-chain", fmul_chain },
	{ "fdiv-chain", fdiv_chain },
	{ "fdiv32-chain", fdiv32_chain },
	{ "fsqrt-chain", fsqrt_chain },
	{ "add-flow", add_flow },
	{ "load-flow", load_flow },
	{ "fadd-flow", fadd_flow },
#ifdef __aarch64__
	{ "mul32-chain", mul32_chain },
	{ "fmadd-chain", fmadd_chain },
	{ "mul32-flow", mul32_flow },
	{ "stored-chain", stored_chain },
	{ "stored-pair-chain", stored_pair_chain },
	{ "stored-vector-chain", stored_vector_chain },
	{ "stored-part-chain", stored_part_chain },
	{ "jump-chain", jump_chain },
	{ "jump-add-chain", jump_add_chain },
	{ "equal-chain", equal_chain },
	{ "call-chain", call_chain },
	{ "indirect-call-chain", indirect_call_chain },
#else
	{ "fadd32-chain", fadd32_chain }, { "fmul32-chain", fmul32_chain },
	{ "mul-flow", mul_flow },	  { "fadd32-flow", fadd32_flow },
	{ "fmul-flow", fmul_flow },
#endif
};

int main(int argc, char **argv)
{
	for (unsigned i = 0; i < sizeof(kernels) / sizeof(kernels[0]); i++) {
		if (argc < 3) {
			puts(kernels[i].name);
		} else if (!strcmp(argv[1], kernels[i].name)) {
			kernels[i].run(strtol(argv[2], NULL, 0) / AT_ONCE);
			printf("chains %s\n", argv[1]);
			return 0;
		}
	}
	return argc < 3 ? 0 : 2;
}
