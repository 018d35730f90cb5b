// SPDX-License-Identifier: MIT
/*
 * Instruction facts: a table of encodings has every fact, a million words agree with the classifier
 * patterns of the architecture, and all 16-bit encodings agree with Capstone's operands, which are
 * reliable for Thumb, but not for A32.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <capstone/capstone.h>

#include <pmk/isa.h>

#define N PMK_NO_REG

/* Writes the facts that are yes or no, one letter each, in this order. */
static void letters(const struct pmk_insn *in, char out[12])
{
	const struct {
		bool yes;
		char letter;
	} fact[] = {
		{ in->conditional, 'c' },  { in->is_branch, 'b' }, { in->sets_flags, 's' },
		{ in->reads_flags, 'f' },  { in->exclusive, 'x' }, { in->load, 'L' },
		{ in->store, 'S' },	   { in->literal, 'l' },   { in->writeback, 'w' },
		{ in->slow_address, 'a' },
	};
	size_t n = 0;

	for (size_t i = 0; i < sizeof(fact) / sizeof(fact[0]); i++)
		if (fact[i].yes)
			out[n++] = fact[i].letter;
	out[n] = 0;
}

struct row {
	int line;
	bool thumb;
	uint8_t size;
	uint32_t word;
	uint8_t iclass, flow;
	const char *letters;
	int8_t rd, rd2, rn, rm, rs, ra;
	uint32_t reads, writes;
	uint8_t bytes, count;
	uint64_t target;
	uint8_t sysop;
};

#define A(word, iclass, flow)  __LINE__, false, 4, word, PMK_I_##iclass, PMK_FLOW_##flow
#define T(word, iclass, flow)  __LINE__, true, 2, word, PMK_I_##iclass, PMK_FLOW_##flow
#define T4(word, iclass, flow) __LINE__, true, 4, word, PMK_I_##iclass, PMK_FLOW_##flow

/* All instructions are at 0x8000. */
/* clang-format off */
static const struct row rows[] = {
	/*                                     facts   rd rd2 rn rm  rs ra  reads   writes  mem */
	/* add r1, r2, r3 */
	{ A(0xe0821003, ALU, NEXT),        "",   1, N, 2,  3, N, N, 0x000c, 0x0002, 0, 0 },
	/* adds */
	{ A(0xe0921003, ALU, NEXT),        "s",  1, N, 2,  3, N, N, 0x000c, 0x0002, 0, 0 },
	/* addne */
	{ A(0x10821003, ALU, NEXT),        "c",  1, N, 2,  3, N, N, 0x000c, 0x0002, 0, 0 },
	/* add r1, r2, #1 */
	{ A(0xe2821001, ALU, NEXT),        "",   1, N, 2,  N, N, N, 0x0004, 0x0002, 0, 0 },
	/* adc */
	{ A(0xe0a21003, ALU, NEXT),        "f",  1, N, 2,  3, N, N, 0x000c, 0x0002, 0, 0 },
	/* rscs */
	{ A(0xe0f21003, ALU, NEXT),        "sf", 1, N, 2,  3, N, N, 0x000c, 0x0002, 0, 0 },
	/* add r1, pc, #8 */
	{ A(0xe28f1008, ALU, NEXT),        "",   1, N, 15, N, N, N, 0x0000, 0x0002, 0, 0 },
	/* mov r0, r1 */
	{ A(0xe1a00001, ALU, NEXT),        "",   0, N, N,  1, N, N, 0x0002, 0x0001, 0, 0 },
	/* mov r0, #1 */
	{ A(0xe3a00001, ALU, NEXT),        "",   0, N, N,  N, N, N, 0x0000, 0x0001, 0, 0 },
	/* cmp r0, r1 */
	{ A(0xe1500001, ALU, NEXT),        "s",  N, N, 0,  1, N, N, 0x0003, 0x0000, 0, 0 },
	/* lsl r0, r1, #5 */
	{ A(0xe1a00281, ALU_SHIFT, NEXT),  "",   0, N, N,  1, N, N, 0x0002, 0x0001, 0, 0 },
	/* rrx r0, r1 */
	{ A(0xe1a00061, ALU_SHIFT, NEXT),  "f",  0, N, N,  1, N, N, 0x0002, 0x0001, 0, 0 },
	/* add r1, r2, r3, lsl #2 */
	{ A(0xe0821103, ALU_SHIFT, NEXT),  "",   1, N, 2,  3, N, N, 0x000c, 0x0002, 0, 0 },
	/* add r1, r2, r3, lsl r4 */
	{ A(0xe0821413, ALU_RSHIFT, NEXT), "",   1, N, 2,  3, 4, N, 0x001c, 0x0002, 0, 0 },
	/* tst r0, r1, lsl r2 */
	{ A(0xe1100211, ALU_RSHIFT, NEXT), "s",  N, N, 0,  1, 2, N, 0x0007, 0x0000, 0, 0 },
	/* qadd r0, r1, r2 */
	{ A(0xe1020051, ALU, NEXT),        "",   0, N, 2,  1, N, N, 0x0006, 0x0001, 0, 0 },
	/* uadd8 r0, r1, r2 */
	{ A(0xe6510f92, ALU, NEXT),        "",   0, N, 1,  2, N, N, 0x0006, 0x0001, 0, 0 },
	/* sel r0, r1, r2 */
	{ A(0xe6810fb2, ALU, NEXT),        "f",  0, N, 1,  2, N, N, 0x0006, 0x0001, 0, 0 },
	/* clz r0, r1 */
	{ A(0xe16f0f11, ALU, NEXT),        "",   0, N, N,  1, N, N, 0x0002, 0x0001, 0, 0 },
	/* rev r0, r1 */
	{ A(0xe6bf0f31, ALU, NEXT),        "",   0, N, N,  1, N, N, 0x0002, 0x0001, 0, 0 },
	/* ssat r0, #8, r1 */
	{ A(0xe6a70011, ALU, NEXT),        "",   0, N, N,  1, N, N, 0x0002, 0x0001, 0, 0 },
	/* usat r0, #8, r1, asr #4 */
	{ A(0xe6e80251, ALU_SHIFT, NEXT),  "",   0, N, N,  1, N, N, 0x0002, 0x0001, 0, 0 },
	/* sxtab r0, r1, r2 */
	{ A(0xe6a10072, ALU, NEXT),        "",   0, N, 1,  2, N, N, 0x0006, 0x0001, 0, 0 },
	/* sxtb r0, r1, ror #8 */
	{ A(0xe6af0471, ALU_SHIFT, NEXT),  "",   0, N, N,  1, N, N, 0x0002, 0x0001, 0, 0 },
	/* pkhbt r0, r1, r2, lsl #16 */
	{ A(0xe6810812, ALU_SHIFT, NEXT),  "",   0, N, 1,  2, N, N, 0x0006, 0x0001, 0, 0 },

	/* mul r0, r1, r2 */
	{ A(0xe0000291, MUL, NEXT),    "",  0, N, N, 1, 2, N, 0x0006, 0x0001, 0, 0 },
	{ A(0xe0100291, MUL, NEXT),    "s", 0, N, N, 1, 2, N, 0x0006, 0x0001, 0, 0 }, /* muls */
	/* mla r0, r1, r2, r3 */
	{ A(0xe0203291, MLA, NEXT),    "",  0, N, N, 1, 2, 3, 0x000e, 0x0001, 0, 0 },
	/* umull r0, r1, r2, r3 */
	{ A(0xe0810392, MULL, NEXT),   "",  0, 1, N, 2, 3, N, 0x000c, 0x0003, 0, 0 },
	/* smlals r0, r1, r2, r3 */
	{ A(0xe0f10392, MLAL, NEXT),   "s", 0, 1, N, 2, 3, N, 0x000f, 0x0003, 0, 0 },
	/* umaal r0, r1, r2, r3 */
	{ A(0xe0410392, MLAL, NEXT),   "",  0, 1, N, 2, 3, N, 0x000f, 0x0003, 0, 0 },
	/* smulbb r0, r1, r2 */
	{ A(0xe1600281, MUL16, NEXT),  "",  0, N, N, 1, 2, N, 0x0006, 0x0001, 0, 0 },
	/* smlawb r0, r1, r2, r3 */
	{ A(0xe1203281, MUL16, NEXT),  "",  0, N, N, 1, 2, 3, 0x000e, 0x0001, 0, 0 },
	/* smuad r0, r1, r2 */
	{ A(0xe700f211, MUL16, NEXT),  "",  0, N, N, 1, 2, N, 0x0006, 0x0001, 0, 0 },
	/* smlad r0, r1, r2, r3 */
	{ A(0xe7003211, MUL16, NEXT),  "",  0, N, N, 1, 2, 3, 0x000e, 0x0001, 0, 0 },
	/* usada8 r0, r1, r2, r3 */
	{ A(0xe7803211, MUL16, NEXT),  "",  0, N, N, 1, 2, 3, 0x000e, 0x0001, 0, 0 },
	/* smlalbb r0, r1, r2, r3 */
	{ A(0xe1410382, MLAL16, NEXT), "",  0, 1, N, 2, 3, N, 0x000f, 0x0003, 0, 0 },
	/* smlald r0, r1, r2, r3 */
	{ A(0xe7410312, MLAL16, NEXT), "",  0, 1, N, 2, 3, N, 0x000f, 0x0003, 0, 0 },
	/* smmul r0, r1, r2 */
	{ A(0xe750f211, MMUL, NEXT),   "",  0, N, N, 1, 2, N, 0x0006, 0x0001, 0, 0 },
	/* smmls r0, r1, r2, r3 */
	{ A(0xe75032d1, MMUL, NEXT),   "",  0, N, N, 1, 2, 3, 0x000e, 0x0001, 0, 0 },

	/* ldr r0, [r1, #4] */
	{ A(0xe5910004, LOAD, NEXT),    "L",  0, N, 1,  N, N, N, 0x0002, 0x0001, 4, 1 },
	/* ldreq r0, [r1] */
	{ A(0x05910000, LOAD, NEXT),    "cL", 0, N, 1,  N, N, N, 0x0002, 0x0001, 4, 1 },
	/* ldr r0, [r1, #-4]! */
	{ A(0xe5310004, LOAD, NEXT),    "Lw", 0, N, 1,  N, N, N, 0x0002, 0x0003, 4, 1 },
	/* ldr r0, [r1], #4 */
	{ A(0xe4910004, LOAD, NEXT),    "Lw", 0, N, 1,  N, N, N, 0x0002, 0x0003, 4, 1 },
	/* ldrt r0, [r1], #4 */
	{ A(0xe4b10004, LOAD, NEXT),    "Lw", 0, N, 1,  N, N, N, 0x0002, 0x0003, 4, 1 },
	/* pop {r0}, single */
	{ A(0xe49d0004, LOAD, NEXT),    "Lw", 0, N, 13, N, N, N, 0x2000, 0x2001, 4, 1 },
	/* ldr r0, [r1, r2] */
	{ A(0xe7910002, LOAD, NEXT),    "L",  0, N, 1,  2, N, N, 0x0006, 0x0001, 4, 1 },
	/* ldr r0, [r1, r2, lsl #2] */
	{ A(0xe7910102, LOAD, NEXT),    "L",  0, N, 1,  2, N, N, 0x0006, 0x0001, 4, 1 },
	/* ldr r0, [r1, r2, lsl #3] */
	{ A(0xe7910182, LOAD, NEXT),    "La", 0, N, 1,  2, N, N, 0x0006, 0x0001, 4, 1 },
	/* ldr r0, [r1, r2, lsr #2] */
	{ A(0xe7910122, LOAD, NEXT),    "La", 0, N, 1,  2, N, N, 0x0006, 0x0001, 4, 1 },
	/* ldr r0, [r1, -r2] */
	{ A(0xe7110002, LOAD, NEXT),    "La", 0, N, 1,  2, N, N, 0x0006, 0x0001, 4, 1 },
	/* ldrb r0, [r1] */
	{ A(0xe5d10000, LOAD, NEXT),    "L",  0, N, 1,  N, N, N, 0x0002, 0x0001, 1, 1 },
	/* ldrh r0, [r1] */
	{ A(0xe1d100b0, LOAD, NEXT),    "L",  0, N, 1,  N, N, N, 0x0002, 0x0001, 2, 1 },
	/* ldrh r0, [r1, -r2] */
	{ A(0xe11100b2, LOAD, NEXT),    "La", 0, N, 1,  2, N, N, 0x0006, 0x0001, 2, 1 },
	/* ldrsb r0, [r1, #1] */
	{ A(0xe1d100d1, LOAD, NEXT),    "L",  0, N, 1,  N, N, N, 0x0002, 0x0001, 1, 1 },
	/* ldrsh r0, [r1, #2] */
	{ A(0xe1d100f2, LOAD, NEXT),    "L",  0, N, 1,  N, N, N, 0x0002, 0x0001, 2, 1 },
	/* ldrd r0, r1, [r2] */
	{ A(0xe1c200d0, LOAD, NEXT),    "L",  0, 1, 2,  N, N, N, 0x0004, 0x0003, 4, 2 },
	/* ldr r0, [pc, #8] */
	{ A(0xe59f0008, LOAD, NEXT),    "Ll", 0, N, 15, N, N, N, 0x0000, 0x0001, 4, 1, 0x8010 },
	/* ldr r0, [pc, #-4] */
	{ A(0xe51f0004, LOAD, NEXT),    "Ll", 0, N, 15, N, N, N, 0x0000, 0x0001, 4, 1, 0x8004 },
	/* ldrh r0, [pc, #4] */
	{ A(0xe1df00b4, LOAD, NEXT),    "Ll", 0, N, 15, N, N, N, 0x0000, 0x0001, 2, 1, 0x800c },
	/* ldr r0, [pc, r1] */
	{ A(0xe79f0001, LOAD, NEXT),    "L",  0, N, 15, 1, N, N, 0x0002, 0x0001, 4, 1 },
	/* str r0, [r1] */
	{ A(0xe5810000, STORE, NEXT),   "S",  0, N, 1,  N, N, N, 0x0003, 0x0000, 4, 1 },
	/* push {r4}, single */
	{ A(0xe52d4004, STORE, NEXT),   "Sw", 4, N, 13, N, N, N, 0x2010, 0x2000, 4, 1 },
	/* str r0, [r1, -r2] */
	{ A(0xe7010002, STORE, NEXT),   "Sa", 0, N, 1,  2, N, N, 0x0007, 0x0000, 4, 1 },
	/* strb r0, [r1] */
	{ A(0xe5c10000, STORE, NEXT),   "S",  0, N, 1,  N, N, N, 0x0003, 0x0000, 1, 1 },
	/* strh r0, [r1] */
	{ A(0xe1c100b0, STORE, NEXT),   "S",  0, N, 1,  N, N, N, 0x0003, 0x0000, 2, 1 },
	/* strd r0, r1, [r2] */
	{ A(0xe1c200f0, STORE, NEXT),   "S",  0, 1, 2,  N, N, N, 0x0007, 0x0000, 4, 2 },
	/* ldm r0, {r1-r3} */
	{ A(0xe890000e, LOADM, NEXT),   "L",  N, N, 0,  N, N, N, 0x0001, 0x000e, 4, 3 },
	/* ldm r0, {r1-r3}^ */
	{ A(0xe8d0000e, LOADM, NEXT),   "L",  N, N, 0,  N, N, N, 0x0001, 0x000e, 4, 3 },
	/* pop {r4-r11, lr} */
	{ A(0xe8bd4ff0, LOADM, NEXT),   "Lw", N, N, 13, N, N, N, 0x2000, 0x6ff0, 4, 9 },
	/* stm r0, {r1-r3} */
	{ A(0xe880000e, STOREM, NEXT),  "S",  N, N, 0,  N, N, N, 0x000f, 0x0000, 4, 3 },
	/* push {r4, lr} */
	{ A(0xe92d4010, STOREM, NEXT),  "Sw", N, N, 13, N, N, N, 0x6010, 0x2000, 4, 2 },
	/* swp r0, r1, [r2] */
	{ A(0xe1020091, SWAP, NEXT),    "LS", 0, N, 2,  1, N, N, 0x0006, 0x0001, 4, 1 },
	/* swpb r0, r1, [r2] */
	{ A(0xe1420091, SWAP, NEXT),    "LS", 0, N, 2,  1, N, N, 0x0006, 0x0001, 1, 1 },
	/* ldrex r0, [r1] */
	{ A(0xe1910f9f, LOAD, NEXT),    "xL", 0, N, 1,  N, N, N, 0x0002, 0x0001, 4, 1 },
	/* strex r0, r1, [r2] */
	{ A(0xe1820f91, STORE, NEXT),   "xS", 0, N, 2,  1, N, N, 0x0006, 0x0001, 4, 1 },
	/* ldrexd r0, r1, [r2] */
	{ A(0xe1b20f9f, LOAD, NEXT),    "xL", 0, 1, 2,  N, N, N, 0x0004, 0x0003, 8, 1 },
	/* strexd r0, r2, r3, [r4] */
	{ A(0xe1a40f92, STORE, NEXT),   "xS", 0, N, 4,  2, N, N, 0x001c, 0x0001, 8, 1 },
	/* ldrexb r0, [r1] */
	{ A(0xe1d10f9f, LOAD, NEXT),    "xL", 0, N, 1,  N, N, N, 0x0002, 0x0001, 1, 1 },
	/* strexh r0, r1, [r2] */
	{ A(0xe1e20f91, STORE, NEXT),   "xS", 0, N, 2,  1, N, N, 0x0006, 0x0001, 2, 1 },
	{ A(0xf57ff01f, OTHER, NEXT),   "",   N, N, N,  N, N, N, 0x0000, 0x0000, 0, 0 }, /* clrex */
	/* pld [r0, #32] */
	{ A(0xf5d0f020, PRELOAD, NEXT), "",   N, N, 0,  N, N, N, 0x0001, 0x0000, 0, 0 },
	/* pld [r0, -r1, lsl #2] */
	{ A(0xf750f101, PRELOAD, NEXT), "a",  N, N, 0,  1, N, N, 0x0003, 0x0000, 0, 0 },

	/* b . */
	{ A(0xeafffffe, BRANCH, JUMP), "b", N, N, N, N, N, N, 0x0000, 0x0000, 0, 0, 0x8000 },
	/* beq .+16 */
	{ A(0x0a000002, BRANCH, JUMP), "cb", N, N, N, N, N, N, 0x0000, 0x0000, 0, 0, 0x8010 },
	/* bl . */
	{ A(0xebfffffe, BRANCH, CALL), "b", 14, N, N, N, N, N, 0x0000, 0x4000, 0, 0, 0x8000 },
	/* blne .+8 */
	{ A(0x1b000000, BRANCH, CALL), "cb", 14, N, N, N, N, N, 0x0000, 0x4000, 0, 0, 0x8008 },
	/* blx .+10 */
	{ A(0xfb000000, BRANCH, CALL), "b", 14, N, N, N, N, N, 0x0000, 0x4000, 0, 0, 0x800a },
	/* blx r3 */
	{ A(0xe12fff33, BRANCH, INDCALL), "b", 14, N, N, 3, N, N, 0x0008, 0x4000, 0, 0 },
	/* bx r3 */
	{ A(0xe12fff13, BRANCH, INDIRECT), "b", N, N, N, 3, N, N, 0x0008, 0x0000, 0, 0 },
	{ A(0xe12fff1e, BRANCH, RETURN), "b", N, N, N, 14, N, N, 0x4000, 0x0000, 0, 0 }, /* bx lr */
	/* bxne lr */
	{ A(0x112fff1e, BRANCH, RETURN), "cb", N, N, N, 14, N, N, 0x4000, 0x0000, 0, 0 },
	/* bxj r3 */
	{ A(0xe12fff23, BRANCH, INDIRECT), "b", N, N, N, 3, N, N, 0x0008, 0x0000, 0, 0 },
	/* mov pc, lr */
	{ A(0xe1a0f00e, ALU, RETURN), "", 15, N, N, 14, N, N, 0x4000, 0x0000, 0, 0 },
	/* mov pc, r3 */
	{ A(0xe1a0f003, ALU, INDIRECT), "", 15, N, N, 3, N, N, 0x0008, 0x0000, 0, 0 },
	/* subs pc, lr, #4 */
	{ A(0xe25ef004, ALU, MODE), "", 15, N, 14, N, N, N, 0x4000, 0x0000, 0, 0 },
	/* addls pc, pc, r3, lsl #2 */
	{ A(0x908ff103, ALU_SHIFT, INDIRECT), "c", 15, N, 15, 3, N, N, 0x0008, 0x0000, 0, 0 },
	/* ldr pc, [pc, #24] */
	{ A(0xe59ff018, LOAD, INDIRECT), "Ll", 15, N, 15, N, N, N, 0x0000, 0x0000, 4, 1, 0x8020 },
	/* ldr pc, [sp], #4 */
	{ A(0xe49df004, LOAD, RETURN), "Lw", 15, N, 13, N, N, N, 0x2000, 0x2000, 4, 1 },
	/* ldr pc, [sp, #4] */
	{ A(0xe59df004, LOAD, INDIRECT), "L", 15, N, 13, N, N, N, 0x2000, 0x0000, 4, 1 },
	/* pop {r4, pc} */
	{ A(0xe8bd8010, LOADM, RETURN), "Lw", N, N, 13, N, N, N, 0x2000, 0x2010, 4, 2 },
	/* ldm sp, {r4, pc} */
	{ A(0xe89d8010, LOADM, INDIRECT), "L", N, N, 13, N, N, N, 0x2000, 0x0010, 4, 2 },
	/* ldm sp!, {r4, pc}^ */
	{ A(0xe8fd8010, LOADM, MODE), "Lw", N, N, 13, N, N, N, 0x2000, 0x2010, 4, 2 },
	/* rfeia sp! */
	{ A(0xf8bd0a00, LOADM, MODE), "Lw", N, N, 13, N, N, N, 0x2000, 0x2000, 4, 2 },
	/* srsdb sp!, #19 */
	{ A(0xf96d0513, STOREM, NEXT), "Sw", N, N, 13, N, N, N, 0x6000, 0x2000, 4, 2 },
	/* svc #0 */
	{ A(0xef000000, OTHER, EXCEPTION), "", N, N, N, N, N, N, 0x0000, 0x0000, 0, 0 },
	{ A(0xe1200070, OTHER, EXCEPTION), "", N, N, N, N, N, N, 0x0000, 0x0000, 0, 0 }, /* bkpt */
	/* udf #1 */
	{ A(0xe7f000f1, OTHER, EXCEPTION), "", N, N, N, N, N, N, 0x0000, 0x0000, 0, 0 },
	/* smc #0 */
	{ A(0xe1600070, OTHER, EXCEPTION), "", N, N, N, N, N, N, 0x0000, 0x0000, 0, 0 },

	/* mrs r0, cpsr */
	{ A(0xe10f0000, OTHER, NEXT), "f", 0, N, N, N, N, N, 0x0000, 0x0001, 0, 0 },
	/* mrs r0, spsr */
	{ A(0xe14f0000, OTHER, NEXT), "", 0, N, N, N, N, N, 0x0000, 0x0001, 0, 0 },
	/* msr cpsr_f, r0 */
	{ A(0xe128f000, OTHER, NEXT), "s", N, N, N, 0, N, N, 0x0001, 0x0000, 0, 0 },
	/* msr cpsr_c, #0xd3 */
	{ A(0xe321f0d3, OTHER, NEXT), "", N, N, N, N, N, N, 0x0000, 0x0000, 0, 0 },
	{ A(0xf1010200, OTHER, NEXT), "", N, N, N, N, N, N, 0x0000, 0x0000, 0, 0 }, /* setend be */
	/* cpsid i, #19 */
	{ A(0xf10e0093, OTHER, NEXT), "", N, N, N, N, N, N, 0x0000, 0x0000, 0, 0 },
	{ A(0xe320f000, OTHER, NEXT), "", N, N, N, N, N, N, 0x0000, 0x0000, 0, 0 }, /* nop */
	{ A(0xe320f003, OTHER, NEXT), "", N, N, N, N, N, N, 0x0000, 0x0000, 0, 0, 0, PMK_SYS_WFI },
	{ A(0xee070f9a, OTHER, NEXT), "", N, N, N, 0, N, N, 0x0001, 0x0000, 0, 0, 0, PMK_SYS_DSB },
	{ A(0xee072fba, OTHER, NEXT), "", N, N, N, 2, N, N, 0x0004, 0x0000, 0, 0, 0, PMK_SYS_DMB },
	{ A(0xee070f95, OTHER, NEXT), "", N, N, N, 0, N, N, 0x0001, 0x0000, 0, 0, 0, PMK_SYS_ISB },
	{ A(0xee070fd5, OTHER, NEXT), "", N, N, N, 0, N, N, 0x0001, 0x0000, 0, 0, 0,
		PMK_SYS_BTAC_FLUSH },
	/* by MVA */
	{ A(0xee070ff5, OTHER, NEXT), "", N, N, N, 0, N, N, 0x0001, 0x0000, 0, 0, 0, PMK_SYS_NONE },
	{ A(0xee070f15, OTHER, NEXT), "", N, N, N, 0, N, N, 0x0001, 0x0000, 0, 0, 0,
		PMK_SYS_ICACHE_INV },
	{ A(0xee070f17, OTHER, NEXT), "", N, N, N, 0, N, N, 0x0001, 0x0000, 0, 0, 0,
		PMK_SYS_ICACHE_INV },
	{ A(0xee070f90, OTHER, NEXT), "", N, N, N, 0, N, N, 0x0001, 0x0000, 0, 0, 0, PMK_SYS_WFI },
	/* invalidate TLB */
	{ A(0xee080f17, OTHER, NEXT), "", N, N, N, 0, N, N, 0x0001, 0x0000, 0, 0, 0, PMK_SYS_TLB },
	/* TTBR0 */
	{ A(0xee020f10, OTHER, NEXT), "", N, N, N, 0, N, N, 0x0001, 0x0000, 0, 0, 0, PMK_SYS_TLB },
	/* DACR */
	{ A(0xee030f10, OTHER, NEXT), "", N, N, N, 0, N, N, 0x0001, 0x0000, 0, 0, 0, PMK_SYS_TLB },
	/* context ID */
	{ A(0xee0d0f30, OTHER, NEXT), "", N, N, N, 0, N, N, 0x0001, 0x0000, 0, 0, 0, PMK_SYS_TLB },
	/* thread ID */
	{ A(0xee0d0f70, OTHER, NEXT), "", N, N, N, 0, N, N, 0x0001, 0x0000, 0, 0, 0, PMK_SYS_NONE },
	/* mcr2 */
	{ A(0xfe070f9a, OTHER, NEXT), "", N, N, N, 0, N, N, 0x0001, 0x0000, 0, 0, 0, PMK_SYS_NONE },
	/* mrc p15, 0, r0, c15, c12, 1 */
	{ A(0xee1f0f3c, OTHER, NEXT), "", 0, N, N, N, N, N, 0x0000, 0x0001, 0, 0 },
	/* mrc p14, 0, apsr */
	{ A(0xee10fe11, OTHER, NEXT), "s", N, N, N, N, N, N, 0x0000, 0x0000, 0, 0 },
	/* mcrr p15, 0, r0, r1, c6 */
	{ A(0xec410f06, OTHER, NEXT), "", N, N, N, 0, 1, N, 0x0003, 0x0000, 0, 0 },
	/* mrrc p15, 0, r2, r3, c5 */
	{ A(0xec532f05, OTHER, NEXT), "", 2, 3, N, N, N, N, 0x0000, 0x000c, 0, 0 },

	{ A(0xee300a81, FP, NEXT), "",   N, N, N,  N, N, N, 0x0000, 0x0000, 0, 0 }, /* vadd.f32 */
	/* vmov s0, r1 */
	{ A(0xee001a10, FP, NEXT), "",   N, N, N,  1, N, N, 0x0002, 0x0000, 0, 0 },
	/* vmov r1, s0 */
	{ A(0xee101a10, FP, NEXT), "",   1, N, N,  N, N, N, 0x0000, 0x0002, 0, 0 },
	/* vmov r1, r2, d0 */
	{ A(0xec521b10, FP, NEXT), "",   1, 2, N,  N, N, N, 0x0000, 0x0006, 0, 0 },
	/* vmrs apsr, fpscr */
	{ A(0xeef1fa10, FP, NEXT), "s",  N, N, N,  N, N, N, 0x0000, 0x0000, 0, 0 },
	/* vldr s0, [r1] */
	{ A(0xed910a00, FP, NEXT), "L",  N, N, 1,  N, N, N, 0x0002, 0x0000, 4, 1 },
	/* vldr d0, [pc, #8] */
	{ A(0xed9f0b02, FP, NEXT), "Ll", N, N, 15, N, N, N, 0x0000, 0x0000, 8, 1, 0x8010 },
	/* vstr d0, [r1, #16] */
	{ A(0xed810b04, FP, NEXT), "S",  N, N, 1,  N, N, N, 0x0002, 0x0000, 8, 1 },
	/* vldmia r0, {s0-s3} */
	{ A(0xec900a04, FP, NEXT), "L",  N, N, 0,  N, N, N, 0x0001, 0x0000, 4, 4 },
	/* vldmia r0!, {d0-d3} */
	{ A(0xecb00b08, FP, NEXT), "Lw", N, N, 0,  N, N, N, 0x0001, 0x0001, 8, 4 },
	{ A(0xed2d8b02, FP, NEXT), "Sw", N, N, 13, N, N, N, 0x2000, 0x2000, 8, 1 }, /* vpush {d8} */
	/* fldmiax r0!, {d0-d2} */
	{ A(0xecb00b07, FP, NEXT), "Lw", N, N, 0,  N, N, N, 0x0001, 0x0001, 8, 3 },

	/* movs r0, r1 */
	{ T(0x0008, ALU, NEXT),         "s",  0,  N, N,  1,  N, N, 0x0002, 0x0001, 0, 0 },
	/* lsls r0, r1, #3 */
	{ T(0x00c8, ALU_SHIFT, NEXT),   "s",  0,  N, N,  1,  N, N, 0x0002, 0x0001, 0, 0 },
	/* adds r0, r1, r2 */
	{ T(0x1888, ALU, NEXT),         "s",  0,  N, 1,  2,  N, N, 0x0006, 0x0001, 0, 0 },
	/* subs r0, r1, #3 */
	{ T(0x1ec8, ALU, NEXT),         "s",  0,  N, 1,  N,  N, N, 0x0002, 0x0001, 0, 0 },
	/* cmp r0, #1 */
	{ T(0x2801, ALU, NEXT),         "s",  N,  N, 0,  N,  N, N, 0x0001, 0x0000, 0, 0 },
	/* adds r0, #1 */
	{ T(0x3001, ALU, NEXT),         "s",  0,  N, 0,  N,  N, N, 0x0001, 0x0001, 0, 0 },
	/* lsls r0, r1 */
	{ T(0x4088, ALU_RSHIFT, NEXT),  "s",  0,  N, N,  0,  1, N, 0x0003, 0x0001, 0, 0 },
	/* adcs r0, r1 */
	{ T(0x4148, ALU, NEXT),         "sf", 0,  N, 0,  1,  N, N, 0x0003, 0x0001, 0, 0 },
	/* negs r0, r1 */
	{ T(0x4248, ALU, NEXT),         "s",  0,  N, 1,  N,  N, N, 0x0002, 0x0001, 0, 0 },
	/* muls r0, r1 */
	{ T(0x4348, MUL, NEXT),         "s",  0,  N, N,  1,  0, N, 0x0003, 0x0001, 0, 0 },
	/* add r0, r8 */
	{ T(0x4440, ALU, NEXT),         "",   0,  N, 0,  8,  N, N, 0x0101, 0x0001, 0, 0 },
	/* mov r8, r1 */
	{ T(0x4688, ALU, NEXT),         "",   8,  N, N,  1,  N, N, 0x0002, 0x0100, 0, 0 },
	/* cmp r8, r1 */
	{ T(0x4588, ALU, NEXT),         "s",  N,  N, 8,  1,  N, N, 0x0102, 0x0000, 0, 0 },
	/* mov pc, lr */
	{ T(0x46f7, ALU, RETURN),       "",   15, N, N,  14, N, N, 0x4000, 0x0000, 0, 0 },
	/* mov pc, r1 */
	{ T(0x468f, ALU, INDIRECT),     "",   15, N, N,  1,  N, N, 0x0002, 0x0000, 0, 0 },
	/* add pc, r1 */
	{ T(0x448f, ALU, INDIRECT),     "",   15, N, 15, 1,  N, N, 0x0002, 0x0000, 0, 0 },
	/* bx lr */
	{ T(0x4770, BRANCH, RETURN),    "b",  N,  N, N,  14, N, N, 0x4000, 0x0000, 0, 0 },
	/* bx r3 */
	{ T(0x4718, BRANCH, INDIRECT),  "b",  N,  N, N,  3,  N, N, 0x0008, 0x0000, 0, 0 },
	/* blx r3 */
	{ T(0x4798, BRANCH, INDCALL),   "b",  14, N, N,  3,  N, N, 0x0008, 0x4000, 0, 0 },
	/* ldr r0, [pc, #16] */
	{ T(0x4804, LOAD, NEXT),        "Ll", 0,  N, 15, N,  N, N, 0x0000, 0x0001, 4, 1, 0x8014 },
	/* ldr r0, [r1, r2] */
	{ T(0x5888, LOAD, NEXT),        "L",  0,  N, 1,  2,  N, N, 0x0006, 0x0001, 4, 1 },
	/* ldrsb r0, [r1, r2] */
	{ T(0x5688, LOAD, NEXT),        "L",  0,  N, 1,  2,  N, N, 0x0006, 0x0001, 1, 1 },
	/* ldrh r0, [r1, #2] */
	{ T(0x8848, LOAD, NEXT),        "L",  0,  N, 1,  N,  N, N, 0x0002, 0x0001, 2, 1 },
	/* str r0, [r1, #4] */
	{ T(0x6048, STORE, NEXT),       "S",  0,  N, 1,  N,  N, N, 0x0003, 0x0000, 4, 1 },
	/* str r0, [sp, #4] */
	{ T(0x9001, STORE, NEXT),       "S",  0,  N, 13, N,  N, N, 0x2001, 0x0000, 4, 1 },
	/* add r0, pc, #4 */
	{ T(0xa001, ALU, NEXT),         "",   0,  N, 15, N,  N, N, 0x0000, 0x0001, 0, 0 },
	/* sub sp, #16 */
	{ T(0xb084, ALU, NEXT),         "",   13, N, 13, N,  N, N, 0x2000, 0x2000, 0, 0 },
	/* uxtb r0, r1 */
	{ T(0xb2c8, ALU, NEXT),         "",   0,  N, N,  1,  N, N, 0x0002, 0x0001, 0, 0 },
	/* push {r4, lr} */
	{ T(0xb510, STOREM, NEXT),      "Sw", N,  N, 13, N,  N, N, 0x6010, 0x2000, 4, 2 },
	/* pop {r0, r1} */
	{ T(0xbc03, LOADM, NEXT),       "Lw", N,  N, 13, N,  N, N, 0x2000, 0x2003, 4, 2 },
	/* pop {r4, pc} */
	{ T(0xbd10, LOADM, RETURN),     "Lw", N,  N, 13, N,  N, N, 0x2000, 0x2010, 4, 2 },
	/* stmia r0!, {r1, r2} */
	{ T(0xc006, STOREM, NEXT),      "Sw", N,  N, 0,  N,  N, N, 0x0007, 0x0001, 4, 2 },
	/* ldmia r0!, {r1, r2} */
	{ T(0xc806, LOADM, NEXT),       "Lw", N,  N, 0,  N,  N, N, 0x0001, 0x0007, 4, 2 },
	/* ldmia r0, {r0, r1} */
	{ T(0xc803, LOADM, NEXT),       "L",  N,  N, 0,  N,  N, N, 0x0001, 0x0003, 4, 2 },
	/* cpsid i */
	{ T(0xb672, OTHER, NEXT),       "",   N,  N, N,  N,  N, N, 0x0000, 0x0000, 0, 0 },
	/* bkpt */
	{ T(0xbe05, OTHER, EXCEPTION),  "",   N,  N, N,  N,  N, N, 0x0000, 0x0000, 0, 0 },
	/* svc #7 */
	{ T(0xdf07, OTHER, EXCEPTION),  "",   N,  N, N,  N,  N, N, 0x0000, 0x0000, 0, 0 },
	/* beq . */
	{ T(0xd0fe, BRANCH, JUMP),      "cb", N,  N, N,  N,  N, N, 0x0000, 0x0000, 0, 0, 0x8000 },
	/* b . */
	{ T(0xe7fe, BRANCH, JUMP),      "b",  N,  N, N,  N,  N, N, 0x0000, 0x0000, 0, 0, 0x8000 },
	/* bl . */
	{ T4(0xfffef7ff, BRANCH, CALL), "b",  14, N, N,  N,  N, N, 0x0000, 0x4000, 0, 0, 0x8000 },
	/* blx .+0x1004 */
	{ T4(0xe800f001, BRANCH, CALL), "b",  14, N, N,  N,  N, N, 0x0000, 0x4000, 0, 0, 0x9004 },
	/* first half of bl, without a second half */
	{ T(0xf000, ALU, NEXT),         "",   14, N, 15, N,  N, N, 0x0000, 0x4000, 0, 0 },
	/* second half of bl */
	{ T(0xf800, BRANCH, INDCALL),   "b",  14, N, N,  14, N, N, 0x4000, 0x4000, 0, 0 },
	/* second half of blx */
	{ T(0xe800, BRANCH, INDCALL),   "b",  14, N, N,  14, N, N, 0x4000, 0x4000, 0, 0 },
};
/* clang-format on */

static void decode(struct pmk_isa_arm *isa, bool thumb, uint64_t addr, uint32_t word, size_t size,
		   struct pmk_insn *in)
{
	uint8_t b[] = { (uint8_t)word, (uint8_t)(word >> 8), (uint8_t)(word >> 16),
			(uint8_t)(word >> 24) };

	memset(in, 0xa5, sizeof(*in)); /* the decoder must set every byte */
	pmk_isa_arm_decode(isa, thumb, addr, b, size, in);
}

static void check(const struct row *r, const struct pmk_insn *in)
{
	char have[12];

	letters(in, have);
	if (!in->decoded || in->iclass != r->iclass || in->flow != r->flow ||
	    in->sysop != r->sysop || in->size != r->size || in->rd != r->rd || in->rd2 != r->rd2 ||
	    in->rn != r->rn || in->rm != r->rm || in->rs != r->rs || in->ra != r->ra ||
	    (uint32_t)in->reads != r->reads || (uint32_t)in->writes != r->writes ||
	    in->mem_bytes != r->bytes || in->mem_count != r->count || in->target != r->target ||
	    in->addr != 0x8000 || strcmp(have, r->letters) != 0)
		fail_msg("line %d: %08x: decoded %d class %d flow %d sysop %d facts '%s' rd %d rd2 "
			 "%d rn %d rm %d rs %d ra %d reads %llx writes %llx memory %d x %d target "
			 "%llx",
			 r->line, r->word, in->decoded, in->iclass, in->flow, in->sysop, have,
			 in->rd, in->rd2, in->rn, in->rm, in->rs, in->ra,
			 (unsigned long long)in->reads, (unsigned long long)in->writes,
			 in->mem_bytes, in->mem_count, (unsigned long long)in->target);
}

static void test_table(void **state)
{
	uint32_t classes = 0, flows = 0;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct pmk_insn in;

		decode(*state, rows[i].thumb, 0x8000, rows[i].word, rows[i].size, &in);
		check(&rows[i], &in);
		/* Decoding the word again gives the same facts. */
		decode(*state, rows[i].thumb, 0x8000, rows[i].word, rows[i].size, &in);
		check(&rows[i], &in);
		classes |= 1u << in.iclass;
		flows |= 1u << in.flow;
	}
	assert_int_equal(classes, (1u << (PMK_I_FP + 1)) - 1);
	assert_int_equal(flows, (1u << (PMK_FLOW_MODE + 1)) - 1);
}

/*
 * Facts of VFPv2: the operation, the precision, and the registers S0 to S31 that it reads and
 * writes.
 */
static void test_vfp(void **state)
{
	enum { W = PMK_VFP_WIDE, R = PMK_VFP_WIDE_RESULT, I = PMK_VFP_INTEGER, V = PMK_VFP_VECTOR };
	/* clang-format off */
	static const struct {
		int line;
		uint32_t word, kind, reads, writes;
	} words[] = {
		/* fcpys s1, s31; fabsd d1, d15 */
		{ __LINE__, 0xeef00a6f, PMK_VFP_COPY | V,         0x80000000, 0x00000002 },
		{ __LINE__, 0xeeb01bcf, PMK_VFP_COPY | V | W | R, 0xc0000000, 0x0000000c },
		/* fcvtds d3, s7; fcvtsd s7, d3 */
		{ __LINE__, 0xeeb73ae3, PMK_VFP_COPY | R,         0x00000080, 0x000000c0 },
		{ __LINE__, 0xeef73bc3, PMK_VFP_COPY | W,         0x000000c0, 0x00000080 },
		/* fsqrtd d2, d4; fcmps s1, s2; fcmpezd d3 */
		{ __LINE__, 0xeeb12bc4, PMK_VFP_SQRT | V | W | R, 0x00000300, 0x00000030 },
		{ __LINE__, 0xeef40a41, PMK_VFP_COMPARE,          0x00000006, 0x00000000 },
		{ __LINE__, 0xeeb53bc0, PMK_VFP_COMPARE | W | R,  0x000000c0, 0x00000000 },
		/* fsitod d1, s5; ftouizs s5, s6; ftosid s5, d3 */
		{ __LINE__, 0xeeb81be2, PMK_VFP_CONVERT | R,      0x00000020, 0x0000000c },
		{ __LINE__, 0xeefc2ac3, PMK_VFP_CONVERT | I,      0x00000040, 0x00000020 },
		{ __LINE__, 0xeefd2b43, PMK_VFP_CONVERT | I | W,  0x000000c0, 0x00000020 },
		/* fadds s8, s9, s10; fsubd d8, d9, d10 */
		{ __LINE__, 0xee344a85, PMK_VFP_ADD | V,          0x00000600, 0x00000100 },
		{ __LINE__, 0xee398b4a, PMK_VFP_ADD | V | W | R,  0x003c0000, 0x00030000 },
		/* fnmuls s1, s2, s3; fmscd d1, d2, d3; fdivs s3, s4, s5 */
		{ __LINE__, 0xee610a61, PMK_VFP_MUL | V,          0x0000000c, 0x00000002 },
		{ __LINE__, 0xee121b03, PMK_VFP_MAC | V | W | R,  0x000000fc, 0x0000000c },
		{ __LINE__, 0xeec21a22, PMK_VFP_DIV | V,          0x00000030, 0x00000008 },
		/* flds s5, [r1]; fldmiad r1!, {d8-d11}; fstmias r1, {s1-s3} */
		{ __LINE__, 0xedd12a00, PMK_VFP_LOAD,             0x00000000, 0x00000020 },
		{ __LINE__, 0xecb18b08, PMK_VFP_LOAD | W | R,     0x00000000, 0x00ff0000 },
		{ __LINE__, 0xecc10a03, PMK_VFP_STORE,            0x0000000e, 0x00000000 },
		/* fmsr s3, r1; fmrdh r1, d2; fmrrd r1, r2, d3; fmsrr {s3, s4}, r1, r2 */
		{ __LINE__, 0xee011a90, PMK_VFP_FROM_CORE,        0x00000000, 0x00000008 },
		{ __LINE__, 0xee321b10, PMK_VFP_TO_CORE,          0x00000020, 0x00000000 },
		{ __LINE__, 0xec521b13, PMK_VFP_TO_CORE,          0x000000c0, 0x00000000 },
		{ __LINE__, 0xec421a31, PMK_VFP_FROM_CORE,        0x00000000, 0x00000018 },
		/* The words are fmstat; fmxr fpscr, r1; and vmov.f32 s0, #2.0, which is VFPv3. */
		{ __LINE__, 0xeef1fa10, PMK_VFP_STATUS,           0x00000000, 0x00000000 },
		{ __LINE__, 0xeee11a10, PMK_VFP_SYSTEM,           0x00000000, 0x00000000 },
		{ __LINE__, 0xeeb00a00, PMK_VFP_NONE,             0x00000000, 0x00000000 },
	};
	/* clang-format on */

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		struct pmk_insn in;

		decode(*state, false, 0x8000, words[i].word, 4, &in);
		if (!in.decoded || in.iclass != PMK_I_FP || (in.kind & 0xff) != words[i].kind ||
		    in.reads >> PMK_VFP_S0 != words[i].reads ||
		    in.writes >> PMK_VFP_S0 != words[i].writes)
			fail_msg("line %d: kind %02x reads %08x writes %08x", words[i].line,
				 in.kind & 0xff, (unsigned)(in.reads >> PMK_VFP_S0),
				 (unsigned)(in.writes >> PMK_VFP_S0));
	}
}

/* The decoder keeps no state from one address to another. */
static void test_addresses(void **state)
{
	struct pmk_insn in;

	decode(*state, false, 0x10000, 0xeb000001, 4, &in);
	assert_int_equal(in.target, 0x1000c);
	decode(*state, false, 0xfffffffc, 0xeb000001, 4, &in);
	assert_int_equal(in.target, 0x8);
	decode(*state, true, 0x8002, 0x4804, 2, &in); /* the PC is aligned first */
	assert_int_equal(in.target, 0x8014);
	decode(*state, true, 0x8002, 0xe800f001, 4, &in);
	assert_int_equal(in.target, 0x9004);
	decode(*state, true, 0x8002, 0xfffef7ff, 4, &in);
	assert_int_equal(in.target, 0x8002);
	/*
	 * The 32 bits of a BL pair in Thumb are a load or store multiple in A32, which is not a
	 * branch.
	 */
	decode(*state, false, 0x8002, 0xf800f001, 4, &in);
	assert_int_equal(in.is_branch, false);
}

/* For words that are not in ARMv6, or not allocated, only the address and the size are set. */
static void test_unknown(void **state)
{
	static const struct {
		uint32_t word;
		uint8_t thumb, size;
	} unknown[] = {
		{ 0xe3010234, 0, 4 },			    /* movw r0, #0x1234: ARMv6T2 */
		{ 0xe7e00050, 0, 4 },			    /* ubfx: ARMv6T2 */
		{ 0xf57ff04f, 0, 4 },			    /* dsb: ARMv7 */
		{ 0xf2000d40, 0, 4 },			    /* vadd.f32 q0, q0, q0: ARMv7 */
		{ 0xffffffff, 0, 4 }, { 0xb100, 1, 2 },	    /* cbz: ARMv6T2 */
		{ 0xbf00, 1, 2 },			    /* hint: ARMv6T2 */
		{ 0xba80, 1, 2 },     { 0x0001f8df, 1, 4 }, /* ldr.w: Thumb-2 */
		{ 0xe801f000, 1, 4 },			    /* BLX with an odd offset */
		{ 0xe1a00000, 0, 2 }, { 0xe1a00000, 0, 0 },
	};

	for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++) {
		struct pmk_insn in;

		decode(*state, unknown[i].thumb, 0x1234, unknown[i].word, unknown[i].size, &in);
		if (in.decoded)
			fail_msg("%08x is taken for known", unknown[i].word);
		assert_int_equal(in.addr, 0x1234);
		assert_int_equal(in.size, unknown[i].size);
		assert_int_equal(in.flow, PMK_FLOW_NEXT);
		assert_int_equal(in.reads | in.writes | in.load | in.store, 0);
		assert_int_equal(in.rd, PMK_NO_REG);
	}
}

/* ---- patterns of the architecture ----------------------------------------------------------- */

struct pattern {
	const char *name;
	uint32_t mask, value;
	bool conditional; /* [31:28] is any condition but 1111 */
	uint8_t flow, sysop;
	bool always; /* every value of the other bits must decode */
};

/* The first match wins. Comparisons have no form with S = 0, so bit 20 is in their masks. */
/* clang-format off */
static const struct pattern pattern[] = {
	{ "BLX imm",     0xfe000000, 0xfa000000, false, PMK_FLOW_CALL,      0, true },
	{ "RFE",         0xfe50ffff, 0xf8100a00, false, PMK_FLOW_MODE,      0, true },
	{ "RFE, fields", 0xfe500000, 0xf8100000, false, PMK_FLOW_MODE,      0, false },
	{ "other 1111",  0xf0000000, 0xf0000000, false, PMK_FLOW_NEXT,      0, false },
	{ "B",           0x0f000000, 0x0a000000, true,  PMK_FLOW_JUMP,      0, true },
	{ "BL",          0x0f000000, 0x0b000000, true,  PMK_FLOW_CALL,      0, true },
	{ "BX lr",       0x0fffffff, 0x012fff1e, true,  PMK_FLOW_RETURN,    0, true },
	{ "BX",          0x0ffffff0, 0x012fff10, true,  PMK_FLOW_INDIRECT,  0, false },
	{ "BXJ",         0x0ffffff0, 0x012fff20, true,  PMK_FLOW_INDIRECT,  0, false },
	{ "BLX reg",     0x0ffffff0, 0x012fff30, true,  PMK_FLOW_INDCALL,   0, false },
	{ "BKPT",        0x0ff000f0, 0x01200070, true,  PMK_FLOW_EXCEPTION, 0, false },
	{ "SMC",         0x0ffffff0, 0x01600070, true,  PMK_FLOW_EXCEPTION, 0, false },
	{ "UDF",         0xfff000f0, 0xe7f000f0, false, PMK_FLOW_EXCEPTION, 0, true },
	{ "SVC",         0x0f000000, 0x0f000000, true,  PMK_FLOW_EXCEPTION, 0, true },
	{ "multiply",    0x0e000090, 0x00000090, true,  PMK_FLOW_NEXT,      0, false },
	{ "compare imm", 0x0f900000, 0x03100000, true,  PMK_FLOW_NEXT,      0, false },
	{ "compare reg", 0x0f900000, 0x01100000, true,  PMK_FLOW_NEXT,      0, false },
	{ "misc imm",    0x0f900000, 0x03000000, true,  PMK_FLOW_NEXT,      0, false },
	{ "misc reg",    0x0f900000, 0x01000000, true,  PMK_FLOW_NEXT,      0, false },
	{ "MOV pc, lr",  0x0fffffff, 0x01a0f00e, true,  PMK_FLOW_RETURN,    0, true },
	{ "ALU pc S",    0x0c10f000, 0x0010f000, true,  PMK_FLOW_MODE,      0, false },
	{ "ALU pc",      0x0c10f000, 0x0000f000, true,  PMK_FLOW_INDIRECT,  0, false },
	{ "media",       0x0e000010, 0x06000010, true,  PMK_FLOW_NEXT,      0, false },
	{ "LDRB pc",     0x0c50f000, 0x0450f000, true,  PMK_FLOW_NEXT,      0, false },
	{ "LDR pc ret",  0x0f5ff000, 0x041df000, true,  PMK_FLOW_RETURN,    0, false },
	{ "LDR pc",      0x0c10f000, 0x0410f000, true,  PMK_FLOW_INDIRECT,  0, false },
	{ "LDM pc ^",    0x0e508000, 0x08508000, true,  PMK_FLOW_MODE,      0, false },
	{ "LDM pc ret",  0x0e7f8000, 0x083d8000, true,  PMK_FLOW_RETURN,    0, true },
	{ "LDM pc",      0x0e508000, 0x08108000, true,  PMK_FLOW_INDIRECT,  0, false },
	{ "DSB",         0x0fff0fff, 0x0e070f9a, true,  PMK_FLOW_NEXT, PMK_SYS_DSB, false },
	{ "DMB",         0x0fff0fff, 0x0e070fba, true,  PMK_FLOW_NEXT, PMK_SYS_DMB, false },
	{ "ISB",         0x0fff0fff, 0x0e070f95, true,  PMK_FLOW_NEXT, PMK_SYS_ISB, false },
	{ "BTAC",        0x0fff0fff, 0x0e070fd5, true,  PMK_FLOW_NEXT, PMK_SYS_BTAC_FLUSH, false },
	{ "BTAC by MVA", 0x0fff0fff, 0x0e070ff5, true,  PMK_FLOW_NEXT, PMK_SYS_NONE, false },
	{ "WFI",         0x0fff0fff, 0x0e070f90, true,  PMK_FLOW_NEXT, PMK_SYS_WFI, false },
	{ "icache",      0x0fff0fff, 0x0e070f15, true,  PMK_FLOW_NEXT, PMK_SYS_ICACHE_INV, false },
	{ "caches",      0x0fff0fff, 0x0e070f17, true,  PMK_FLOW_NEXT, PMK_SYS_ICACHE_INV, false },
	{ "TLB",         0x0fff0f10, 0x0e080f10, true,  PMK_FLOW_NEXT, PMK_SYS_TLB, false },
	{ "DACR",        0x0fff0fff, 0x0e030f10, true,  PMK_FLOW_NEXT, PMK_SYS_TLB, false },
	{ "TTBR0",       0x0fff0fff, 0x0e020f10, true,  PMK_FLOW_NEXT, PMK_SYS_TLB, false },
	{ "TTBR1",       0x0fff0fff, 0x0e020f30, true,  PMK_FLOW_NEXT, PMK_SYS_TLB, false },
	{ "TTBCR",       0x0fff0fff, 0x0e020f50, true,  PMK_FLOW_NEXT, PMK_SYS_TLB, false },
	{ "FCSE",        0x0fff0fff, 0x0e0d0f10, true,  PMK_FLOW_NEXT, PMK_SYS_TLB, false },
	{ "context",     0x0fff0fff, 0x0e0d0f30, true,  PMK_FLOW_NEXT, PMK_SYS_TLB, false },
	{ "anything",    0x00000000, 0x00000000, true,  PMK_FLOW_NEXT,      0, false },
};
/* clang-format on */

#define NPATTERNS (sizeof(pattern) / sizeof(pattern[0]))

static size_t match(uint32_t w)
{
	size_t i = 0;

	while ((w & pattern[i].mask) != pattern[i].value ||
	       (pattern[i].conditional && w >> 28 == 0xf))
		i++;
	return i;
}

static uint32_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return (uint32_t)(*state >> 16);
}

static bool is_branch_pattern(const char *name)
{
	return (name[0] == 'B' && name[1] != 'K' && name[1] != 'T');
}

static void test_patterns(void **state)
{
	unsigned decoded[NPATTERNS] = { 0 }, seen[NPATTERNS] = { 0 };
	uint64_t random = UINT64_C(0x1176f00d5eed);

	for (unsigned n = 0; n < 1000000; n++) {
		const struct pattern *p = &pattern[n % NPATTERNS];
		uint32_t w = next_random(&random);
		struct pmk_insn in;
		size_t i;

		if (n & 1) /* every second word is changed to fit a pattern */
			w = (w & ~p->mask) | p->value;
		i = match(w);
		p = &pattern[i];
		decode(*state, false, 0x8000, w, 4, &in);
		seen[i]++;
		decoded[i] += in.decoded;
		if (!in.decoded) {
			if (p->always)
				fail_msg("%08x: %s is not decoded", w, p->name);
			continue;
		}
		if (in.flow != p->flow || in.is_branch != is_branch_pattern(p->name) ||
		    in.conditional != (w >> 28 < 14))
			fail_msg("%08x: %s has flow %d, branch %d", w, p->name, in.flow,
				 in.is_branch);
		/* The hint 0320f003 is WFI, too, but the patterns have only WFI's MCR. */
		if (in.sysop != p->sysop && (w & 0x0fffffff) != 0x0320f003 && p->conditional &&
		    (p->sysop || !strcmp(p->name, "anything")))
			fail_msg("%08x: %s has sysop %d", w, p->name, in.sysop);
	}
	for (size_t i = 0; i < NPATTERNS; i++)
		if (decoded[i] < 50)
			fail_msg("%s: %u seen, only %u decoded", pattern[i].name, seen[i],
				 decoded[i]);
}

/* ---- all of Thumb --------------------------------------------------------------------------- */

static uint32_t mask_of(const uint16_t *regs, unsigned n)
{
	uint32_t mask = 0;

	for (unsigned i = 0; i < n; i++) {
		if (regs[i] >= ARM_REG_R0 && regs[i] <= ARM_REG_R12)
			mask |= 1u << (regs[i] - ARM_REG_R0);
		else if (regs[i] == ARM_REG_SP)
			mask |= 1u << 13;
		else if (regs[i] == ARM_REG_LR)
			mask |= 1u << 14;
	}
	return mask;
}

/*
 * Returns true for encodings that Capstone decodes and ARM11 does not have: CBZ, CBNZ, hints, IT,
 * and BX and BLX whose [2:0] are not zero.
 */
static bool later_thumb(uint32_t h)
{
	return (h & 0xf500) == 0xb100 || (h & 0xff00) == 0xbf00 ||
	       ((h & 0xff00) == 0x4700 && (h & 7));
}

/*
 * Returns true for PUSH, POP, STMIA and LDMIA of no register, which are UNPREDICTABLE, and which
 * Capstone does not decode.
 */
static bool empty_list(uint32_t h)
{
	return (h & 0xf5ff) == 0xb400 || (h & 0xf0ff) == 0xc000;
}

/* Returns true for permanently undefined encodings. Capstone 5 decodes only one of them. */
static bool undefined_thumb(uint32_t h)
{
	return (h & 0xff00) == 0xde00;
}

static void test_all_thumb(void **state)
{
	unsigned compared = 0;
	cs_insn *cs;
	csh handle;

	assert_int_equal(cs_open(CS_ARCH_ARM, CS_MODE_THUMB, &handle), CS_ERR_OK);
	assert_int_equal(cs_option(handle, CS_OPT_DETAIL, CS_OPT_ON), CS_ERR_OK);
	for (uint32_t h = 0; h < 0xe800; h++) {
		uint8_t b[] = { (uint8_t)h, (uint8_t)(h >> 8) };
		uint16_t read[64], written[64];
		uint8_t nread, nwritten;
		struct pmk_insn in;
		size_t n;

		decode(*state, true, 0x8000, h, 2, &in);
		n = cs_disasm(handle, b, 2, 0x8000, 1, &cs);
		if (in.decoded != (n && !later_thumb(h)) && !empty_list(h) && !undefined_thumb(h))
			fail_msg("%04x: decoded is %d", h, in.decoded);
		if (n && in.decoded && (h & 0xff00) != 0xdf00) { /* SVC writes another mode's lr */
			cs_regs_access(handle, cs, read, &nread, written, &nwritten);
			if (in.reads != mask_of(read, nread) ||
			    in.writes != mask_of(written, nwritten))
				fail_msg("%04x %s %s: reads %llx writes %llx", h, cs->mnemonic,
					 cs->op_str, (unsigned long long)in.reads,
					 (unsigned long long)in.writes);
			compared++;
		}
		if (n)
			cs_free(cs, n);
	}
	cs_close(&handle);
	assert_true(compared > 50000);
}

/* The decoder of ARMv6T2 knows all instructions of ARMv6, with the same facts, and more. */
static void test_v6t2(void **state)
{
	static const struct {
		uint32_t word;
		uint8_t thumb, size, decoded, iclass, flow;
		int8_t rd, rn, rm;
	} known[] = {
		{ 0xe3012234, 0, 4, 1, PMK_I_ALU, PMK_FLOW_NEXT, 2, -1, -1 },	  /* movw r2 */
		{ 0xe7e01053, 0, 4, 1, PMK_I_ALU, PMK_FLOW_NEXT, 1, -1, 3 },	  /* ubfx r1, r3 */
		{ 0xf2000d40, 0, 4, 0, PMK_I_OTHER, PMK_FLOW_NEXT, -1, -1, -1 },  /* NEON */
		{ 0x0d40ef00, 1, 4, 0, PMK_I_OTHER, PMK_FLOW_NEXT, -1, -1, -1 },  /* NEON */
		{ 0xb10b, 1, 2, 1, PMK_I_BRANCH, PMK_FLOW_JUMP, -1, 3, -1 },	  /* cbz r3 */
		{ 0xbf08, 1, 2, 1, PMK_I_OTHER, PMK_FLOW_NEXT, -1, -1, -1 },	  /* it eq */
		{ 0xf001e8d3, 1, 4, 1, PMK_I_LOAD, PMK_FLOW_INDIRECT, -1, 3, 1 }, /* tbb [r3, r1] */
		{ 0x1004f8d3, 1, 4, 1, PMK_I_LOAD, PMK_FLOW_NEXT, 1, 3,
		  -1 }, /* ldr.w r1, [r3, #4] */
		{ 0x8010e8bd, 1, 4, 1, PMK_I_LOADM, PMK_FLOW_RETURN, -1, 13,
		  -1 }, /* pop.w {r4, pc} */
		{ 0xb800f001, 1, 4, 1, PMK_I_BRANCH, PMK_FLOW_JUMP, -1, -1, -1 }, /* b.w */
		{ 0x0a00ee30, 1, 4, 1, PMK_I_FP, PMK_FLOW_NEXT, -1, -1,
		  -1 }, /* vadd.f32 s0, s0, s0 */
	};
	uint64_t random = UINT64_C(0x6a09e667f3bcc908);
	struct pmk_insn in, v6;
	unsigned same = 0;

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		memset(&in, 0xa5, sizeof(in));
		pmk_isa_arm6t2_decode(*state, known[i].thumb, 0x8000, &known[i].word, known[i].size,
				      &in);
		if (in.decoded != known[i].decoded || in.iclass != known[i].iclass ||
		    in.flow != known[i].flow || in.rd != known[i].rd || in.rn != known[i].rn ||
		    in.rm != known[i].rm)
			fail_msg("%08x: %d %d %d, rd %d rn %d rm %d", known[i].word, in.decoded,
				 in.iclass, in.flow, in.rd, in.rn, in.rm);
	}
	for (unsigned i = 0; i < 200000; i++) {
		uint32_t word = next_random(&random);
		bool thumb = i % 2;
		size_t size = thumb ? 2 : 4;

		if (i % 8 == 7) { /* a pair of BL or BLX */
			word = (word & 0x17ff07ff) | 0xe800f000;
			size = 4;
		}
		memset(&v6, 0, sizeof(v6));
		memset(&in, 0, sizeof(in));
		pmk_isa_arm_decode(*state, thumb, 0x8000, &word, size, &v6);
		pmk_isa_arm6t2_decode(*state, thumb, 0x8000, &word, size, &in);
		if (!v6.decoded)
			continue;
		same++;
		if (memcmp(&in, &v6, sizeof(in)) != 0)
			fail_msg("%08x, %zu bytes", word, size);
	}
	assert_true(same > 60000);
}

/* ---- the same with every version of Capstone ------------------------------------------------ */

static uint64_t mix(uint64_t hash, uint64_t value)
{
	return (hash ^ value) * UINT64_C(0x100000001b3);
}

/*
 * The facts do not depend on the version of Capstone, although version 5 names some instructions
 * differently from version 4. Half of the words have each opcode in turn, with fields that are
 * often all zeros or all ones.
 */
static void test_any_capstone(void **state)
{
	uint64_t random = UINT64_C(0xca9570ae45), hash = UINT64_C(0xcbf29ce484222325);
	unsigned decoded = 0;
	int major, minor;

	for (unsigned n = 0; n < 1000000; n++) {
		uint32_t w = next_random(&random), how = next_random(&random);
		struct pmk_insn in;

		for (unsigned at = 0; n % 2 && at < 20; at += 4, how >>= 3)
			w = how % 8 == 0 ? w & ~(0xfu << at) : how % 8 == 1 ? w | 0xfu << at : w;
		if (n % 2)
			w = (w & 0xf00fff0f) | (n >> 1 & 0xff) << 20 | (n >> 9 & 0xf) << 4;
		decode(*state, false, 0x8000, w, 4, &in);
		decoded += in.decoded;
		hash = mix(hash,
			   (uint64_t)in.decoded << 40 | in.iclass << 24 | in.flow << 16 | in.sysop);
		hash = mix(hash, (uint64_t)in.conditional << 8 | in.is_branch << 7 |
					 in.sets_flags << 6 | in.reads_flags << 5 |
					 in.exclusive << 4 | in.load << 3 | in.store << 2 |
					 in.writeback << 1 | in.slow_address);
		/* only core registers; test_vfp() checks those of VFP */
		hash = mix(hash, in.reads << 32 | (uint32_t)in.writes);
		hash = mix(hash, in.target << 16 | in.mem_bytes << 8 | in.mem_count);
	}
	cs_version(&major, &minor);
	if (decoded != 848348 || hash != UINT64_C(0x802893ed0b2e7239))
		fail_msg("with Capstone %d.%d: %u decoded, hash %llx", major, minor, decoded,
			 (unsigned long long)hash);
}

/* ---- life ----------------------------------------------------------------------------------- */

static int open_isa(void **state)
{
	*state = pmk_isa_arm_new();
	return *state ? 0 : -1;
}

static int close_isa(void **state)
{
	pmk_isa_arm_free(*state);
	pmk_isa_arm_free(NULL);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table),	  cmocka_unit_test(test_vfp),
		cmocka_unit_test(test_addresses), cmocka_unit_test(test_unknown),
		cmocka_unit_test(test_v6t2),	  cmocka_unit_test(test_patterns),
		cmocka_unit_test(test_all_thumb), cmocka_unit_test(test_any_capstone),
	};

	return cmocka_run_group_tests(tests, open_isa, close_isa);
}
