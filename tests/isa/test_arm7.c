// SPDX-License-Identifier: MIT
/*
 * Instruction facts of ARMv7 and of ARMv8's AArch32 state: a table of encodings from GNU as has
 * every fact, and random words agree with Capstone, which names the core registers that they use.
 */
#include <ctype.h>
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

/* Writes the facts that are yes or no, one letter each, in this order. */
static void letters(const struct pmk_insn *in, char out[12])
{
	const struct {
		bool yes;
		char letter;
	} fact[] = {
		{ in->conditional, 'c' }, { in->is_branch, 'b' }, { in->sets_flags, 's' },
		{ in->reads_flags, 'f' }, { in->exclusive, 'x' }, { in->load, 'L' },
		{ in->store, 'S' },	  { in->literal, 'l' },	  { in->writeback, 'w' },
	};
	size_t n = 0;

	for (size_t i = 0; i < sizeof(fact) / sizeof(fact[0]); i++)
		if (fact[i].yes)
			out[n++] = fact[i].letter;
	out[n] = 0;
}

struct row {
	int line;
	char set; /* A: A32; T: T32, with the first half word in the upper half; t: 16 bits */
	uint32_t word;
	uint8_t iclass, flow;
	const char *letters;
	uint64_t reads, writes;
	uint8_t bytes, count, total;
	uint32_t kind;
	uint8_t sysop;
};

#define D(n)		  (UINT64_C(1) << (32 + (n)))
#define D2(n)		  (UINT64_C(3) << (32 + (n)))
#define D3(n)		  (UINT64_C(7) << (32 + (n)))
#define D4(n)		  (UINT64_C(15) << (32 + (n)))
#define A(word, cls, flw) __LINE__, 'A', word, PMK_I_##cls, PMK_FLOW_##flw
#define T(word, cls, flw) __LINE__, 'T', word, PMK_I_##cls, PMK_FLOW_##flw
#define H(word, cls, flw) __LINE__, 't', word, PMK_I_##cls, PMK_FLOW_##flw

#define DP  (1u << 0)
#define ASE (1u << 1)
#define VFP (1u << 2)
#define CRY (1u << 3)
#define LEX (1u << 4)
#define SEX (1u << 5)
#define ACQ (1u << 6)
#define REL (1u << 7)
#define IMM (1u << 8)
#define RET (1u << 9 | 1u << 10)
#define IND (1u << 10)
#define SVC (1u << 11)
#define HVC (1u << 12)
#define SMC (1u << 13)
#define ERT (1u << 14)
#define UND (1u << 15)
#define CID (1u << 16 | TRP)
#define TRP (1u << 21)
#define VEC (1u << 19)

/* All instructions are at 0x8000. */
/* clang-format off */
static const struct row rows[] = {
	/* add.w r1, r2, r3, lsl #3 */
	{ T(0xeb0201c3, ALU_SHIFT, NEXT),  "",    0x000c, 0x0002, 0, 0, 0, DP, 0 },
	/* tst.w r4, r5 */
	{ T(0xea140f05, ALU, NEXT),        "s",   0x0030, 0x0000, 0, 0, 0, DP, 0 },
	/* movw r1, #0x1234 */
	{ T(0xf2412134, ALU, NEXT),        "",    0x0000, 0x0002, 0, 0, 0, DP, 0 },
	/* movt r9, #0x1234 */
	{ T(0xf2c12934, ALU, NEXT),        "",    0x0200, 0x0200, 0, 0, 0, DP, 0 },
	/* adds.w r0, r8, #256 */
	{ T(0xf5187080, ALU, NEXT),        "s",   0x0100, 0x0001, 0, 0, 0, DP, 0 },
	/* ubfx r1, r2, #3, #5 */
	{ T(0xf3c201c4, ALU, NEXT),        "",    0x0004, 0x0002, 0, 0, 0, DP, 0 },
	/* bfi r3, r4, #1, #2 */
	{ T(0xf3640342, ALU, NEXT),        "",    0x0018, 0x0008, 0, 0, 0, DP, 0 },
	/* bfc r3, #1, #2 */
	{ T(0xf36f0342, ALU, NEXT),        "",    0x0008, 0x0008, 0, 0, 0, DP, 0 },
	/* lsl.w r1, r2, r3 */
	{ T(0xfa02f103, ALU_RSHIFT, NEXT), "",    0x000c, 0x0002, 0, 0, 0, DP, 0 },
	/* uxtb.w r8, r9 */
	{ T(0xfa5ff889, ALU, NEXT),        "",    0x0200, 0x0100, 0, 0, 0, DP, 0 },
	/* clz, rbit r1, r2 */
	{ T(0xfab2f182, ALU, NEXT),        "",    0x0004, 0x0002, 0, 0, 0, DP, 0 },
	{ T(0xfa92f1a2, ALU, NEXT),        "",    0x0004, 0x0002, 0, 0, 0, DP, 0 },
	/* sdiv r1, r2, r3 */
	{ T(0xfb92f1f3, DIV, NEXT),        "",    0x000c, 0x0002, 0, 0, 0, DP, 0 },
	/* mls r1, r2, r3, r4 */
	{ T(0xfb024113, MLA, NEXT),        "",    0x001c, 0x0002, 0, 0, 0, DP, 0 },
	/* umull, smlal r1, r2, r3, r4 */
	{ T(0xfba31204, MULL, NEXT),       "",    0x0018, 0x0006, 0, 0, 0, DP, 0 },
	{ T(0xfbc31204, MLAL, NEXT),       "",    0x001e, 0x0006, 0, 0, 0, DP, 0 },
	/* crc32w r1, r2, r3 */
	{ T(0xfac2f1a3, ALU, NEXT),        "",    0x000c, 0x0002, 0, 0, 0, DP, 0 },
	/* ldr r1, [r2, #100]; [r2, #-4]!; [r2], #4 */
	{ T(0xf8d21064, LOAD, NEXT),       "L",   0x0004, 0x0002, 4, 1, 4, 0, 0 },
	{ T(0xf8521d04, LOAD, NEXT),       "Lw",  0x0004, 0x0006, 4, 1, 4, 0, 0 },
	{ T(0xf8521b04, LOAD, NEXT),       "Lw",  0x0004, 0x0006, 4, 1, 4, 0, 0 },
	/* ldrb.w r1, [r2, r3, lsl #2] */
	{ T(0xf8121023, LOAD, NEXT),       "L",   0x000c, 0x0002, 1, 1, 1, 0, 0 },
	/* strh.w r1, [r2, #100] */
	{ T(0xf8a21064, STORE, NEXT),      "S",   0x0006, 0x0000, 2, 1, 2, 0, 0 },
	/* ldr pc, [sp], #4 */
	{ T(0xf85dfb04, LOAD, RETURN),     "bLw", 0x2000, 0x2000, 4, 1, 4, RET, 0 },
	/* ldr.w pc, [r1, r2, lsl #2] */
	{ T(0xf851f022, LOAD, INDIRECT),   "bL",  0x0006, 0x0000, 4, 1, 4, IND, 0 },
	/* ldrd r1, r3, [r4, #8]; strd …! */
	{ T(0xe9d41302, LOAD, NEXT),       "L",   0x0010, 0x000a, 4, 2, 8, 0, 0 },
	{ T(0xe9e41302, STORE, NEXT),      "Sw",  0x001a, 0x0010, 4, 2, 8, 0, 0 },
	/* ldmia.w r1!, {r2, r3, r8} */
	{ T(0xe8b1010c, LOADM, NEXT),      "Lw",  0x0002, 0x010e, 4, 3, 12, 0, 0 },
	/* pop.w {r4, r8, pc} */
	{ T(0xe8bd8110, LOADM, RETURN),    "bLw", 0x2000, 0x2110, 4, 3, 12, RET, 0 },
	/* push.w {r4, r8, lr} */
	{ T(0xe92d4110, STOREM, NEXT),     "Sw",  0x6110, 0x2000, 4, 3, 12, 0, 0 },
	/* ldrex r1, [r2]; strex r3, r1, [r2] */
	{ T(0xe8521f00, LOAD, NEXT),       "xL",  0x0004, 0x0002, 4, 1, 4, LEX, 0 },
	{ T(0xe8421300, STORE, NEXT),      "xS",  0x0006, 0x0008, 4, 1, 4, SEX, 0 },
	/* ldrexd r1, r3, [r2]; strexd r4, r1, r3, [r2] */
	{ T(0xe8d2137f, LOAD, NEXT),       "xL",  0x0004, 0x000a, 8, 1, 8, LEX, 0 },
	{ T(0xe8c21374, STORE, NEXT),      "xS",  0x000e, 0x0010, 8, 1, 8, SEX, 0 },
	/* lda r1, [r2]; stlb r1, [r2] */
	{ T(0xe8d21faf, LOAD, NEXT),       "L",   0x0004, 0x0002, 4, 1, 4, ACQ, 0 },
	{ T(0xe8c21f8f, STORE, NEXT),      "S",   0x0006, 0x0000, 1, 1, 1, REL, 0 },
	/* ldaex r1, [r2]; stlex r3, r1, [r2] */
	{ T(0xe8d21fef, LOAD, NEXT),       "xL",  0x0004, 0x0002, 4, 1, 4, LEX | ACQ, 0 },
	{ T(0xe8c21fe3, STORE, NEXT),      "xS",  0x0006, 0x0008, 4, 1, 4, SEX | REL, 0 },
	/* tbb [pc, r1]; tbh [r2, r1, lsl #1] */
	{ T(0xe8dff001, LOAD, INDIRECT),   "bL",  0x0002, 0x0000, 1, 1, 1, IND, 0 },
	{ T(0xe8d2f011, LOAD, INDIRECT),   "bL",  0x0006, 0x0000, 2, 1, 2, IND, 0 },
	/* pld [r1, #4] */
	{ T(0xf891f004, PRELOAD, NEXT),    "",    0x0002, 0x0000, 0, 0, 0, 0, 0 },
	/* dmb ish; dsb sy; isb; wfi.w */
	{ T(0xf3bf8f5b, OTHER, NEXT),      "",    0, 0, 0, 0, 0, 0, PMK_SYS_DMB },
	{ T(0xf3bf8f4f, OTHER, NEXT),      "",    0, 0, 0, 0, 0, 0, PMK_SYS_DSB },
	{ T(0xf3bf8f6f, OTHER, NEXT),      "",    0, 0, 0, 0, 0, 0, PMK_SYS_ISB },
	{ T(0xf3af8003, OTHER, NEXT),      "",    0, 0, 0, 0, 0, 0, PMK_SYS_WFI },
	/* mrs r1, apsr; msr apsr_nzcvq, r1 */
	{ T(0xf3ef8100, OTHER, NEXT),      "f",   0x0000, 0x0002, 0, 0, 0, 0, 0 },
	{ T(0xf3818800, OTHER, NEXT),      "s",   0x0002, 0x0000, 0, 0, 0, 0, 0 },
	/* svc #0; udf.w #0; hvc #1; smc #0 */
	{ H(0xdf00, OTHER, EXCEPTION),     "",    0, 0, 0, 0, 0, SVC, 0 },
	{ T(0xf7f0a000, OTHER, EXCEPTION), "",    0, 0, 0, 0, 0, UND, 0 },
	{ T(0xf7e08001, OTHER, EXCEPTION), "",    0, 0, 0, 0, 0, HVC, 0 },
	{ T(0xf7f08000, OTHER, EXCEPTION), "",    0, 0, 0, 0, 0, SMC, 0 },
	/* cbz r1, 0x8014; it eq; nop */
	{ H(0xb141, BRANCH, JUMP),         "cb",  0x0002, 0x0000, 0, 0, 0, IMM, 0 },
	{ H(0xbf08, OTHER, NEXT),          "",    0, 0, 0, 0, 0, 0, 0 },
	{ H(0xbf00, OTHER, NEXT),          "",    0, 0, 0, 0, 0, 0, 0 },
	/* b.n, bx lr, pop {r4, pc}: as in ARMv6, with kinds */
	{ H(0xe000, BRANCH, JUMP),         "b",   0, 0, 0, 0, 0, IMM, 0 },
	{ H(0x4770, BRANCH, RETURN),       "b",   0x4000, 0x0000, 0, 0, 0, RET, 0 },
	{ H(0xbd10, LOADM, RETURN),        "bLw", 0x2000, 0x2010, 4, 2, 8, RET, 0 },
	/* vadd.f64 d0, d1, d2 */
	{ T(0xee310b02, FP_ADD, NEXT),     "",    D(1) | D(2), D(0), 0, 0, 0, VFP, 0 },
	/* vmla.f32 s0, s2, s4: in d0, d1, d2 */
	{ T(0xee010a02, FP_MAC, NEXT),     "",    D(0) | D(1) | D(2), D(0), 0, 0, 0, VFP, 0 },
	/* vdiv.f64 d0, d1, d2; vsqrt.f32 s0, s2 */
	{ T(0xee810b02, FP_DIV, NEXT),     "",    D(1) | D(2), D(0), 8, 0, 0, VFP, 0 },
	{ T(0xeeb10ac1, FP_SQRT, NEXT),    "",    D(1), D(0), 4, 0, 0, VFP, 0 },
	/* vmov r1, s3; vmov d5, r1, r2 */
	{ T(0xee111a90, FP_MOVE, NEXT),    "",    D(1), 0x0002, 0, 0, 0, 0, 0 },
	{ T(0xec421b15, FP_MOVE, NEXT),    "",    0x0006, D(5), 0, 0, 0, 0, 0 },
	/* vcvt.s32.f64 s0, d1 */
	{ T(0xeebd0bc1, FP_ADD, NEXT),     "",    D(1), D(0), 0, 0, 0, VFP, 0 },
	/* vldr d16, [r1, #8]; vstr s3, [r1] */
	{ T(0xedd10b02, LOAD, NEXT),       "L",   0x0002, D(16), 8, 1, 8, VEC, 0 },
	{ T(0xedc11a00, STORE, NEXT),      "S",   0x0002 | D(1), 0, 4, 1, 4, VEC, 0 },
	/* vldmia r1!, {d0-d3}; vpush {d8, d9} */
	{ T(0xecb10b08, LOADM, NEXT),      "Lw",  0x0002, 0x0002 | D4(0), 8, 4, 32, VEC, 0 },
	{ T(0xed2d8b04, STOREM, NEXT),     "Sw",  0x2000 | D2(8), 0x2000, 8, 2, 16, VEC, 0 },
	/* vmrs APSR_nzcv, fpscr */
	{ T(0xeef1fa10, OTHER, NEXT),      "sf",  0, 0, 0, 0, 0, 0, 0 },
	/* vcmp.f64 d1, d2; vmrs r3, fpscr */
	{ T(0xeeb41b42, FP_ADD, NEXT),     "s",   D(1) | D(2), 0, 0, 0, 0, VFP, 0 },
	{ T(0xeef13a10, OTHER, NEXT),      "f",   0, 0x0008, 0, 0, 0, 0, 0 },
	/* vadd.i32 q0, q1, q2 */
	{ T(0xef220844, SIMD, NEXT),       "",    D2(2) | D2(4), D2(0), 0, 0, 0, ASE, 0 },
	/* vmla.f32 d0, d1, d2 */
	{ T(0xef010d12, SIMD_FP, NEXT),    "",    D(0) | D(1) | D(2), D(0), 0, 0, 0, ASE, 0 },
	/* vmull.s16 q0, d2, d3 */
	{ T(0xef920c03, SIMD, NEXT),       "",    D(2) | D(3), D2(0), 0, 0, 0, ASE, 0 },
	/* vmul.f32 q0, q1, d2[0] */
	{ T(0xffa20942, SIMD_FP, NEXT),    "",    D2(2), D2(0), 0, 0, 0, ASE, 0 },
	/* vld1.8 {d0, d1}, [r1]! */
	{ T(0xf9210a0d, LOADM, NEXT),      "Lw",  0x0002, 0x0002 | D2(0), 1, 16, 16, VEC, 0 },
	/* vld2.16 {d0, d2}, [r1] */
	{ T(0xf921094f, LOADM, NEXT),      "L",   0x0002, D(0) | D(2), 2, 8, 16, VEC, 0 },
	/* vld4.32 {d0, d1, d2, d3}, [r1], r2 */
	{ T(0xf9210082, LOADM, NEXT),      "Lw",  0x0006, 0x0002 | D4(0), 4, 8, 32, VEC, 0 },
	/* vst1.32 {d0[1]}, [r1] */
	{ T(0xf981088f, STORE, NEXT),      "S",   0x0002 | D(0), 0, 4, 1, 4, VEC, 0 },
	/* vld3.8 {d0[2], d1[2], d2[2]}, [r1] */
	{ T(0xf9a1024f, LOADM, NEXT),      "L",   0x0002 | D3(0), D3(0), 1, 3, 3, VEC, 0 },
	/* vld1.16 {d0[], d1[]}, [r1] */
	{ T(0xf9a10c6f, LOAD, NEXT),       "L",   0x0002, D2(0), 2, 1, 2, VEC, 0 },
	/* aese.8 q0, q1 */
	{ T(0xffb00302, CRYPTO, NEXT),     "",    D2(0) | D2(2), D2(0), 0, 0, 0, CRY, 0 },
	/* vshl.i32 q0, q1, #3; vdup.32 q1, r3 */
	{ T(0xefa30552, SIMD, NEXT),       "",    D2(2), D2(0), 0, 0, 0, ASE, 0 },
	{ T(0xeea23b10, FP_MOVE, NEXT),    "",    0x0008, D2(2), 0, 0, 0, 0, 0 },
	/* vtbl.8 d0, {d1, d2}, d3; vext.8 q0, q1, q2, #3 */
	{ T(0xffb10903, SIMD, NEXT),       "",    D2(1) | D(3), D(0), 0, 0, 0, ASE, 0 },
	{ T(0xefb20344, SIMD, NEXT),       "",    D2(2) | D2(4), D2(0), 0, 0, 0, ASE, 0 },
	/* movw, movt r1, #0x1234 */
	{ A(0xe3011234, ALU, NEXT),        "",    0x0000, 0x0002, 0, 0, 0, DP, 0 },
	{ A(0xe3411234, ALU, NEXT),        "",    0x0002, 0x0002, 0, 0, 0, DP, 0 },
	/* mls r1, r2, r3, r4; udiv r1, r2, r3 */
	{ A(0xe0614392, MLA, NEXT),        "",    0x001c, 0x0002, 0, 0, 0, DP, 0 },
	{ A(0xe731f312, DIV, NEXT),        "",    0x000c, 0x0002, 0, 0, 0, DP, 0 },
	/* bfi r3, r4, #1, #2; sbfx r1, r2, #3, #5; rbitne r1, r2 */
	{ A(0xe7c23094, ALU, NEXT),        "",    0x0018, 0x0008, 0, 0, 0, DP, 0 },
	{ A(0xe7a411d2, ALU, NEXT),        "",    0x0004, 0x0002, 0, 0, 0, DP, 0 },
	{ A(0x16ff1f32, ALU, NEXT),        "c",   0x0004, 0x0002, 0, 0, 0, DP, 0 },
	/* ldrht r1, [r2], #4; strht r1, [r2], r3; ldrsbt r1, [r2], #4 */
	{ A(0xe0f210b4, LOAD, NEXT),       "Lw",  0x0004, 0x0006, 2, 1, 2, 0, 0 },
	{ A(0xe0a210b3, STORE, NEXT),      "Sw",  0x000e, 0x0004, 2, 1, 2, 0, 0 },
	{ A(0xe0f210d4, LOAD, NEXT),       "Lw",  0x0004, 0x0006, 1, 1, 1, 0, 0 },
	/* lda r1, [r2]; stlexd r6, r4, r5, [r2]; ldaexd r4, r5, [r2] */
	{ A(0xe1921c9f, LOAD, NEXT),       "L",   0x0004, 0x0002, 4, 1, 4, ACQ, 0 },
	{ A(0xe1a26e94, STORE, NEXT),      "xS",  0x0034, 0x0040, 8, 1, 8, SEX | REL, 0 },
	{ A(0xe1b24e9f, LOAD, NEXT),       "xL",  0x0004, 0x0030, 8, 1, 8, LEX | ACQ, 0 },
	/* crc32b r1, r2, r3; dmb ish; pldw [r1]; pli [r1] */
	{ A(0xe1021043, ALU, NEXT),        "",    0x000c, 0x0002, 0, 0, 0, DP, 0 },
	{ A(0xf57ff05b, OTHER, NEXT),      "",    0, 0, 0, 0, 0, 0, PMK_SYS_DMB },
	{ A(0xf591f000, PRELOAD, NEXT),    "",    0x0002, 0, 0, 0, 0, 0, 0 },
	{ A(0xf4d1f000, OTHER, NEXT),      "",    0x0002, 0, 0, 0, 0, 0, 0 },
	/* vaddne.f64 d0, d1, d2 */
	{ A(0x1e310b02, FP_ADD, NEXT),     "c",   D(1) | D(2), D(0), 0, 0, 0, VFP, 0 },
	/* vmla.i8 q0, q1, q2 */
	{ A(0xf2020944, SIMD, NEXT),       "",    D2(0) | D2(2) | D2(4), D2(0), 0, 0, 0, ASE, 0 },
	/* vld1.64 {d0-d3}, [r1:128]! */
	{ A(0xf42102ed, LOADM, NEXT),      "Lw",  0x0002, 0x0002 | D4(0), 8, 4, 32, VEC, 0 },
	/* vseleq.f32 s0, s2, s4 */
	{ A(0xfe010a02, FP_ADD, NEXT),     "f",   D(1) | D(2), D(0), 0, 0, 0, VFP, 0 },
	/* hvc #1; smc #0; svc #0; eret */
	{ A(0xe1400071, OTHER, EXCEPTION), "",    0, 0, 0, 0, 0, HVC, 0 },
	{ A(0xe1600070, OTHER, EXCEPTION), "",    0, 0, 0, 0, 0, SMC, 0 },
	{ A(0xef000000, OTHER, EXCEPTION), "",    0, 0, 0, 0, 0, SVC, 0 },
	{ A(0xe160006e, OTHER, MODE),      "",    0, 0, 0, 0, 0, ERT, 0 },
	/* bx lr; pop {r4, pc}; ldrne pc, [r1] */
	{ A(0xe12fff1e, BRANCH, RETURN),   "b",   0x4000, 0, 0, 0, 0, RET, 0 },
	{ A(0xe8bd8010, LOADM, RETURN),    "bLw", 0x2000, 0x2010, 4, 2, 8, RET, 0 },
	{ A(0x1591f000, LOAD, INDIRECT),   "cbL", 0x0002, 0, 4, 1, 4, IND, 0 },
	/* mcr p15, 0, r1, c13, c0, 1 */
	{ A(0xee0d1f30, OTHER, NEXT),      "",    0x0002, 0, 0, 0, 0, CID, PMK_SYS_TLB },
	/* mrc p15, 0, r1, c9, c13, 0; mrrc p15, 1, r1, r2, c14; mrc p14, 0, r1, c0, c1, 0 */
	{ A(0xee191f1d, OTHER, NEXT),      "",    0, 0x0002, 0, 0, 0, TRP, 0 },
	{ A(0xec521f1e, OTHER, NEXT),      "",    0, 0x0006, 0, 0, 0, TRP, 0 },
	{ A(0xee101e11, OTHER, NEXT),      "",    0, 0x0002, 0, 0, 0, TRP, 0 },
	/* mrc p15, 0, r1, c13, c0, 3; mcr p15, 0, r1, c7, c10, 5 */
	{ A(0xee1d1f70, OTHER, NEXT),      "",    0, 0x0002, 0, 0, 0, 0, 0 },
	{ A(0xee071fba, OTHER, NEXT),      "",    0x0002, 0, 0, 0, 0, 0, PMK_SYS_DMB },
};
/* clang-format on */

static struct pmk_isa_arm *isa;

static void decode(bool thumb, unsigned size, uint32_t word, struct pmk_insn *in)
{
	uint32_t v = thumb && size == 4 ? word >> 16 | word << 16 : word;
	uint8_t b[4] = { (uint8_t)v, (uint8_t)(v >> 8), (uint8_t)(v >> 16), (uint8_t)(v >> 24) };

	pmk_isa_arm7_decode(isa, thumb, 0x8000, b, size, in);
}

static void test_rows(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct row *r = &rows[i];
		struct pmk_insn in;
		char is[12];

		decode(r->set != 'A', r->set == 't' ? 2 : 4, r->word, &in);
		letters(&in, is);
		if (!in.decoded || in.iclass != r->iclass || in.flow != r->flow ||
		    strcmp(is, r->letters) != 0 || in.reads != r->reads || in.writes != r->writes ||
		    in.mem_bytes != r->bytes || in.mem_count != r->count ||
		    in.mem_total != r->total || in.kind != r->kind || in.sysop != r->sysop)
			fail_msg("line %d: decoded %d class %u flow %u \"%s\" reads %llx writes "
				 "%llx %u * %u = %u kind %x sysop %u",
				 r->line, in.decoded, in.iclass, in.flow, is,
				 (unsigned long long)in.reads, (unsigned long long)in.writes,
				 in.mem_bytes, in.mem_count, in.mem_total, in.kind, in.sysop);
	}
}

/* ARMv6's decoder still refuses these words. */
static void test_v6_has_none(void **state)
{
	static const uint32_t words[] = { 0xe3011234, 0xe731f312, 0xf57ff05b, 0xf2020944,
					  0xe1921c9f };

	(void)state;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		struct pmk_insn in;

		pmk_isa_arm_decode(isa, false, 0x8000, &words[i], 4, &in);
		assert_false(in.decoded);
	}
}

static void test_targets(void **state)
{
	static const struct {
		bool thumb;
		uint32_t word;
		uint64_t target;
	} to[] = {
		{ true, 0xf000f802, 0x8008 },	/* bl 0x8008 */
		{ true, 0xf000e802, 0x8008 },	/* blx 0x8008 */
		{ true, 0xf7ffbffe, 0x8000 },	/* b.w 0x8000 */
		{ true, 0xf43faffe, 0x8000 },	/* beq.w 0x8000 */
		{ true, 0xf0009000, 0xc08004 }, /* b.w: J1 and J2 are 0, so bits 23 and 22 are 1 */
		{ true, 0xf8df1004, 0x8008 },	/* ldr.w r1, [pc, #4] */
		{ true, 0xf85f1004, 0x8000 },	/* ldr.w r1, [pc, #-4] */
		{ true, 0xed9f0b02, 0x800c },	/* vldr d0, [pc, #8] */
		{ false, 0xed9f0b02, 0x8010 },	/* vldr d0, [pc, #8] in A32 */
	};
	struct pmk_insn in;

	(void)state;
	for (size_t i = 0; i < sizeof(to) / sizeof(to[0]); i++) {
		decode(to[i].thumb, 4, to[i].word, &in);
		if (in.target != to[i].target)
			fail_msg("%08x goes to %llx", to[i].word, (unsigned long long)in.target);
	}
	decode(true, 2, 0xb141, &in);
	assert_int_equal(in.target, 0x8014);
}

/* ---- Capstone -------------------------------------------------------------------------------- */

static uint64_t random_state = 88172645463325252u;

static uint32_t random_word(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (uint32_t)(random_state >> 16);
}

/* Returns the registers r0 to lr that the operands name. */
static unsigned named(const char *text)
{
	static const char *const names[] = { "r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7",
					     "r8", "sb", "sl", "fp", "ip", "sp", "lr" };
	unsigned regs = 0;

	while (*text) {
		size_t n = 0;

		while (isalnum((unsigned char)text[n]) || text[n] == '_')
			n++;
		for (unsigned r = 0; r < 15; r++)
			regs |= (unsigned)(n == 2 && !strncmp(text, names[r], 2)) << r;
		text += n ? n : 1;
	}
	return regs;
}

static bool begins(const char *name, const char *const *with)
{
	for (; *with; with++)
		if (!strncmp(name, *with, strlen(*with)))
			return true;
	return false;
}

static const char *const loads[] = { "ld", "vld", "pop", "vpop", "rfe", "tb", "swp", "fldm", NULL };
static const char *const stores[] = { "st", "vst", "push", "vpush", "srs", "swp", "fstm", NULL };
/* Instructions with a base that the text does not show, which is the SP of a mode. */
static const char *const stack[] = { "push", "pop", "vpush", "vpop", "srs", NULL };
/*
 * Capstone 4 has errors for these: it takes operands from other fields, and has separate names for
 * registers of other modes.
 */
static const char *const wrong[] = { "clz",    "rbit",	 "rev",	   "cps",    "msr", "mrs",
				     "ldrexd", "strexd", "ldaexd", "stlexd", NULL };

/* A range of words. `both`: Capstone knows every word in it that pmk knows. */
struct range {
	bool thumb;
	uint32_t mask, value;
	bool both;
};

static const struct range ranges[] = {
	{ true, 0xfe008000, 0xea000000, true },	 /* data processing, shifted register */
	{ true, 0xfe008000, 0xe8000000, false }, /* multiples, pairs, exclusives, TBB */
	{ true, 0xfa008000, 0xf0000000, true },	 /* modified immediate */
	{ true, 0xff008020, 0xf2000000, true },	 /* plain immediate */
	{ true, 0xf8008000, 0xf0008000, false }, /* branches and control */
	{ true, 0xff100000, 0xf8100000, false }, /* loads of one register */
	{ true, 0xff100000, 0xf8000000, false }, /* stores */
	{ true, 0xff80f080, 0xfa00f000, true },	 /* shifts by a register */
	{ true, 0xffc0f000, 0xfa80f000, false }, /* parallel additions, reversals, SEL */
	{ true, 0xff800000, 0xfb000000, true },	 /* multiplies */
	{ true, 0xff800000, 0xfb800000, true },	 /* long multiplies, divisions */
	{ true, 0xef000000, 0xef000000, false }, /* Advanced SIMD */
	{ true, 0xff100000, 0xf9000000, false }, /* elements and structures */
	{ true, 0xff000e00, 0xee000a00, false }, /* VFP */
	{ true, 0xfe000ee0, 0xec000a00, false }, /* its loads and stores, of up to 32 words */
	{ false, 0xfe000000, 0xf2000000, false },
	{ false, 0xff100000, 0xf4000000, false },
	{ false, 0xff000e00, 0xee000a00, false },
	{ false, 0xff000000, 0xe7000000, false }, /* media, bit fields, divisions */
	{ false, 0xff000000, 0xe3000000, false }, /* immediates, MOVW, MOVT */
	{ false, 0xff000000, 0xe1000000, false }, /* includes LDA, STL and CRC32 */
};

/*
 * Returns the core's registers that an instruction uses, except those that its text does not show.
 */
static unsigned used(const struct pmk_insn *in, const char *name)
{
	unsigned regs = (unsigned)(in->reads | in->writes) & 0x7fff;

	if (in->flow == PMK_FLOW_CALL || in->flow == PMK_FLOW_INDCALL || !strncmp(name, "srs", 3))
		regs &= ~(1u << 14);
	return regs;
}

/* Returns what is wrong with the decoding of a word, or NULL. */
static const char *compare(const struct range *r, const cs_insn *theirs, const struct pmk_insn *in)
{
	unsigned text, ours;

	if (!theirs)
		return in->decoded && r->both ? "Capstone does not know it" : NULL;
	/* The word has a register that is not allowed there, usually SP or PC. */
	if (!in->decoded)
		return NULL;
	if (begins(theirs->mnemonic, wrong))
		return NULL;
	if (begins(theirs->mnemonic, loads) != in->load)
		return "load";
	if (begins(theirs->mnemonic, stores) != in->store)
		return "store";
	text = named(theirs->op_str);
	ours = used(in, theirs->mnemonic);
	if (begins(theirs->mnemonic, stack))
		ours &= ~(1u << 13) | (text & 1u << 13);
	return text != ours ? "registers" : NULL;
}

static void test_capstone(void **state)
{
	unsigned known = 0, both = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
		const struct range *r = &ranges[i];
		csh handle;

		assert_int_equal(
			cs_open(CS_ARCH_ARM, r->thumb ? CS_MODE_THUMB : CS_MODE_V8, &handle),
			CS_ERR_OK);
		for (unsigned n = 0; n < 20000; n++) {
			uint32_t word = (random_word() & ~r->mask) | r->value;
			uint32_t v = r->thumb ? word >> 16 | word << 16 : word;
			const uint8_t b[4] = { (uint8_t)v, (uint8_t)(v >> 8), (uint8_t)(v >> 16),
					       (uint8_t)(v >> 24) };
			struct pmk_insn in;
			const char *why;
			cs_insn *cs;
			size_t found = cs_disasm(handle, b, 4, 0x8000, 1, &cs);
			bool whole = found && cs->size == 4;

			decode(r->thumb, 4, word, &in);
			why = compare(r, whole ? cs : NULL, &in);
			if (why)
				fail_msg("%08x, %s %s: %s", word, found ? cs->mnemonic : "?",
					 found ? cs->op_str : "", why);
			known += whole;
			both += whole && in.decoded;
			if (found)
				cs_free(cs, found);
		}
		cs_close(&handle);
	}
	/* pmk decodes everything that Capstone decodes, except UNPREDICTABLE encodings. */
	assert_true(known > 150000 && both > known - known / 40);
}

/* pmk decodes each 16-bit encoding that Capstone decodes. */
static void test_all_halves(void **state)
{
	csh handle;

	(void)state;
	assert_int_equal(cs_open(CS_ARCH_ARM, CS_MODE_THUMB, &handle), CS_ERR_OK);
	for (uint32_t h = 0; h < 0xe800; h++) {
		const uint8_t b[2] = { (uint8_t)h, (uint8_t)(h >> 8) };
		struct pmk_insn in;
		cs_insn *cs;
		size_t found = cs_disasm(handle, b, 2, 0x8000, 1, &cs);

		decode(true, 2, h, &in);
		/* pmk refuses only BX and BLX with bits that should be 0. */
		if (found && !in.decoded && h >> 8 != 0x47)
			fail_msg("%04x is %s %s", h, cs->mnemonic, cs->op_str);
		if (found && (begins(cs->mnemonic, loads) != in.load ||
			      begins(cs->mnemonic, stores) != in.store))
			fail_msg("%04x is %s %s", h, cs->mnemonic, cs->op_str);
		if (found)
			cs_free(cs, found);
	}
	cs_close(&handle);
}

static int setup(void **state)
{
	(void)state;
	isa = pmk_isa_arm_new();
	return isa ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	pmk_isa_arm_free(isa);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),	   cmocka_unit_test(test_v6_has_none),
		cmocka_unit_test(test_targets),	   cmocka_unit_test(test_capstone),
		cmocka_unit_test(test_all_halves),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
