// SPDX-License-Identifier: MIT
/*
 * Pipeline timing: the interlock examples and tables of DDI 0301H chapter 16 take the cycles given
 * there. A sequence that is cut into two blocks at any point takes as long as the uncut sequence,
 * except in the cases that pipeline.c names.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include <pmk/isa.h>

#define UNIT_SANITIZED 40
#include "../../unit.h"
#include "cpu/arm11/pipeline.h"
#include "cpu/block.h"
#include "cpu/config.h"

#define MAX 24

/* The pipeline uses only these parameters of a core. */
static const struct pmk_core scalar = { .arm11 = { .vfp_length = 1, .vfp_stride = 1 } };

static size_t decode_all(struct pmk_isa_arm *isa, const uint32_t *words, size_t n,
			 struct pmk_insn *insn)
{
	for (size_t i = 0; i < n; i++) {
		uint8_t b[] = { (uint8_t)words[i], (uint8_t)(words[i] >> 8),
				(uint8_t)(words[i] >> 16), (uint8_t)(words[i] >> 24) };

		pmk_isa_arm_decode(isa, false, 0x8000 + 4 * i, b, 4, &insn[i]);
		if (!insn[i].decoded)
			fail_msg("%08x is not decoded", words[i]);
	}
	return n;
}

/* ---- examples ------------------------------------------------------------------------------- */

struct example {
	int line;
	uint32_t words[6];
	unsigned cycles, data_stall;
};

#define LDR_R1 0xe5921000 /* ldr r1, [r2] */
#define LDR_PC 0xe592f000 /* ldr pc, [r2] */
#define VLDR   0xed921a00 /* vldr s2, [r2] */
#define MOV_R9 0xe1a09009 /* mov r9, r9 */

/* clang-format off */
static const struct example examples[] = {
	/* Table 16-3 */
	{ __LINE__, { LDR_R1, 0xe0856004 }, 2, 0 },             /* add r6, r5, r4 */
	{ __LINE__, { 0xe0821003, 0xe0869001 }, 2, 0 },         /* add r1, r2, r3; add r9, r6, r1 */
	{ __LINE__, { LDR_R1, 0xe0856001 }, 4, 2 },             /* add r6, r5, r1 */
	{ __LINE__, { 0xe0851006, 0xe5912000 }, 3, 1 },         /* add r1, r5, r6; ldr r2, [r1] */
	{ __LINE__, { LDR_R1, 0xe5915000 }, 5, 3 },             /* ldr r5, [r1] */
	/* Late and early registers, 16.1.2 and table 16-4 */
	{ __LINE__, { LDR_R1, 0xe0813514 },     4, 1 }, /* add r3, r1, r4, lsl r5 */
	{ __LINE__, { LDR_R1, 0xe0843511 },     5, 2 }, /* add r3, r4, r1, lsl r5 */
	{ __LINE__, { LDR_R1, 0xe0843115 },     6, 3 }, /* add r3, r4, r5, lsl r1 */
	{ __LINE__, { LDR_R1, 0xe0843301 },     5, 3 }, /* add r3, r4, r1, lsl #6 */
	{ __LINE__, { 0xe0843511, 0xe0856003 }, 3, 0 }, /* add r3, r4, r1, lsl r5; add r6, r5, r3 */
	/* A result that no instruction reads causes no interlock (16.1.4). */
	{ __LINE__, { LDR_R1, 0xe3a01000 }, 2, 0 },             /* mov r1, #0 */
	{ __LINE__, { LDR_R1, 0xe3a01000, 0xe0856001 }, 3, 0 }, /* add r6, r5, r1 */
	/* Sums of absolute differences, table 16-9 */
	/* usad8 r1, r2, r3; add r5, r6, r1 */
	{ __LINE__, { 0xe781f312, 0xe0865001 },                 4, 2 },
	{ __LINE__, { 0xe781f312, MOV_R9, MOV_R9, 0xe0865001 }, 4, 0 },
	{ __LINE__, { 0xe781f312, 0xe7811514 },                 3, 1 }, /* usada8 r1, r4, r5, r1 */
	/* Multiplies, table 16-10 */
	{ __LINE__, { 0xe0010392 },                         2, 0 }, /* mul r1, r2, r3 */
	{ __LINE__, { 0xe0110392 },                         5, 0 }, /* muls */
	{ __LINE__, { 0xe0854392 },                         3, 0 }, /* umull r4, r5, r2, r3 */
	{ __LINE__, { 0xe0954392 },                         6, 0 }, /* umulls */
	{ __LINE__, { 0xe0010392, 0xe0865001 },             5, 2 }, /* mul r1; add r5, r6, r1 */
	/* mul r1; mul r5, r1, r2: a factor is an early register */
	{ __LINE__, { 0xe0010392, 0xe0050291 },             7, 3 },
	/* mul r1; mla r5, r2, r3, r1: the sum is forwarded and a late register */
	{ __LINE__, { 0xe0010392, 0xe0251392 },             4, 0 },
	{ __LINE__, { 0xe0010392, 0xe0251392, 0xe0865005 }, 7, 2 }, /* …; add r5, r6, r5 */
	/* umull r4, r5; add r6, r6, r4: the addition needs the low half */
	{ __LINE__, { 0xe0854392, 0xe0866004 },             5, 1 },
	/* umull r4, r5; add r6, r6, r5: the addition needs the high half */
	{ __LINE__, { 0xe0854392, 0xe0866005 },             6, 2 },
	{ __LINE__, { 0xe0e54392, 0xe0e54392 },             7, 1 }, /* smlal r4, r5, r2, r3 twice */
	/* smulbb r1, r2, r3; add r5, r6, r1 */
	{ __LINE__, { 0xe1610382, 0xe0865001 },             4, 2 },
	/* smulbb r1; smlabb r1, r2, r3, r1 */
	{ __LINE__, { 0xe1610382, 0xe1011382 },             3, 1 },
	/* smlalbb r4, r5, r2, r3 twice */
	{ __LINE__, { 0xe1454382, 0xe1454382 },             4, 0 },
	/* smmul r1, r2, r3; add r5, r6, r1 */
	{ __LINE__, { 0xe751f312, 0xe0865001 },             5, 2 },
	/* Single accesses, 16.10 */
	{ __LINE__, { 0xe7112003, 0xe0866002 }, 5, 2 }, /* ldr r2, [r1, -r3]; add r6, r6, r2 */
	{ __LINE__, { LDR_R1, 0xe7112003 },     5, 2 }, /* ldr r2, [r1, -r3]: base not early */
	{ __LINE__, { LDR_R1, 0xe7132001 },     6, 3 }, /* ldr r2, [r3, -r1]: offset early */
	{ __LINE__, { LDR_R1, 0xe7932101 },     5, 3 }, /* ldr r2, [r3, r1, lsl #2] */
	{ __LINE__, { LDR_R1, 0xe5831000 },     4, 2 }, /* str r1, [r3] */
	{ __LINE__, { 0xe4910004, 0xe4912004 }, 2, 0 }, /* ldr r0, [r1], #4; ldr r2, [r1], #4 */
	{ __LINE__, { 0xe4910004, 0xe0813001 }, 2, 0 }, /* ldr r0, [r1], #4; add r3, r1, r1 */
	{ __LINE__, { 0xe4910004, 0xe0843301 }, 3, 1 }, /* …; add r3, r4, r1, lsl #6: early */
	{ __LINE__, { LDR_R1, 0xf5d1f000 },     5, 3 }, /* pld [r1] */
	/* Doubles, table 16-16 */
	{ __LINE__, { 0xe1c200d0, 0xe0866001 }, 4, 2 }, /* ldrd r0, r1, [r2]; add r6, r6, r1 */
	{ __LINE__, { 0xe10200d3, 0xe0866001 }, 5, 2 }, /* ldrd r0, r1, [r2, -r3]; add r6, r6, r1 */
	{ __LINE__, { 0xe1c200f0, 0xe3a00000 }, 2, 0 }, /* strd r0, r1, [r2]; mov r0, #0 */
	{ __LINE__, { 0xe1c200f0, 0xe3a01000 }, 3, 1 }, /* strd r0, r1, [r2]; mov r1, #0 */
	/* Multiples, table 16-18 and its examples */
	/* ldm r0, {r1-r7}; add r3, r3, r3 */
	{ __LINE__, { 0xe89000fe, 0xe0833003 },                         5, 3 },
	{ __LINE__, { 0xe89000fe, 0xe0811001 },                         4, 2 }, /* add r1, r1, r1 */
	{ __LINE__, { 0xe89000fe, 0xe0877007 },                         7, 5 }, /* add r7, r7, r7 */
	/* stm r0, {r1-r7}; add r6, r10, r11 */
	{ __LINE__, { 0xe88000fe, 0xe08a600b },                         5, 3 },
	/* add r1, r10, r11 */
	{ __LINE__, { 0xe88000fe, 0xe08a100b },                         2, 0 },
	/* add r8, r6, r7: a store multiple does not lock registers for reading */
	{ __LINE__, { 0xe88000fe, 0xe0868007 },                         2, 0 },
	/* ldm r0, {r1}: the registers in the list must be available */
	{ __LINE__, { LDR_R1, 0xe8900002 },                             4, 2 },
	/* ldm r0, {r1-r7}; ldr r8, [r9]: the load waits for the port */
	{ __LINE__, { 0xe89000fe, 0xe5998000 },                         5, 0 },
	{ __LINE__, { 0xe89000fe, MOV_R9, MOV_R9, MOV_R9, 0xe59a8000 }, 5, 0 },
	{ __LINE__, { 0xe8bd8010 },                                     1, 0 }, /* pop {r4, pc} */
	/* Synchronisation, table 16-21 */
	{ __LINE__, { 0xe1020091, 0xe0866000 }, 4, 1 }, /* swp r0, r1, [r2]; add r6, r6, r0 */
	{ __LINE__, { 0xe1910f9f, 0xe0866000 }, 4, 2 }, /* ldrex r0, [r1]; add r6, r6, r0 */
	{ __LINE__, { 0xe1820f91, 0xe3500000 }, 4, 2 }, /* strex r0, r1, [r2]; cmp r0, #0 */
	/* strex r0, r1, [r3]: the value is not early */
	{ __LINE__, { LDR_R1, 0xe1830f91 },     4, 2 },
	/* Branches cost nothing here, but wait for the register that they read. */
	{ __LINE__, { 0xe3500000, 0x1afffffe }, 1, 0 },         /* cmp r0, #0; bne . */
	{ __LINE__, { LDR_R1, 0xe12fff11 }, 3, 2 },             /* bx r1 */
	{ __LINE__, { 0xe1a0f00e }, 1, 0 },                     /* mov pc, lr */
	/* VFP, table 21-16: copies and comparisons */
	{ __LINE__, { 0xeef00a41, 0xeef01a60 }, 5, 3 }, /* fcpys s1, s2; fcpys s3, s1 */
	{ __LINE__, { 0xeeb01bc2, 0xeeb13b41 }, 5, 3 }, /* fabsd d1, d2; fnegd d3, d1 */
	{ __LINE__, { 0xeeb71ac0, 0xee312b01 }, 5, 3 }, /* fcvtds d1, s0; faddd d2, d1, d1 */
	{ __LINE__, { 0xeeb70bc1, 0xee700a00 }, 5, 3 }, /* fcvtsd s0, d1; fadds s1, s0, s0 */
	{ __LINE__, { 0xeeb40a60, 0xeef1fa10 }, 5, 3 }, /* fcmps s0, s1; fmstat */
	{ __LINE__, { 0xeeb50bc0, 0xeef1fa10 }, 5, 3 }, /* fcmpezd d0; fmstat */
	{ __LINE__, { 0xeeb40a60, 0xeeb41a61 }, 2, 0 }, /* fcmps s0, s1; fcmps s2, s3 */
	/* VFP, table 21-16: conversions of integers */
	{ __LINE__, { 0xeeb80ae0, 0xee301a00 }, 9, 7 }, /* fsitos s0, s1; fadds s2, s0, s0 */
	{ __LINE__, { 0xeeb80b41, 0xee301b00 }, 9, 7 }, /* fuitod d0, s2; faddd d1, d0, d0 */
	{ __LINE__, { 0xeebd0a60, 0xee100a10 }, 9, 7 }, /* ftosis s0, s1; fmrs r0, s0 */
	{ __LINE__, { 0xeebc0bc1, 0xed800a00 }, 9, 7 }, /* ftouizd s0, d1; fsts s0, [r0] */
	/* an integer is not forwarded, 21.4 */
	{ __LINE__, { 0xeebd0a60, 0xeeb81ac0 }, 10, 8 }, /* ftosis s0, s1; fsitos s2, s0 */
	/* VFP, table 21-16: additions and multiplications; the first is example 21-1 */
	{ __LINE__, { 0xee710a21, 0xee344aa0 }, 9, 7 }, /* fadds s1, s2, s3; fadds s8, s9, s1 */
	{ __LINE__, { 0xee321b43, 0xee354b01 }, 9, 7 }, /* fsubd d1, d2, d3; faddd d4, d5, d1 */
	{ __LINE__, { 0xee610a21, 0xee244ae0 }, 9, 7 }, /* fmuls s1, s2, s3; fnmuls s8, s9, s1 */
	{ __LINE__, { 0xee221b03, 0xee254b01 }, 10, 8 }, /* fmuld d1, d2, d3; fmuld d4, d5, d1 */
	/* a result is not forwarded to an operation of the other precision: example 21-2 */
	{ __LINE__, { 0xee202b01, 0xee366aa2 }, 11, 9 }, /* fmuld d2, d0, d1; fadds s12, s13, s5 */
	/* example 21-3 */
	{ __LINE__, { 0xee202b01, 0xed802b00 }, 10, 8 }, /* fmuld d2, d0, d1; fstd d2, [r0] */
	{ __LINE__, { 0xee202b01, 0xee203b01 }, 3, 0 }, /* fmuld d2, d0, d1; fmuld d3, d0, d1 */
	{ __LINE__, { 0xee202b01, 0xed905a00 }, 2, 0 }, /* fmuld d2, d0, d1; flds s10, [r0] */
	{ __LINE__, { 0xee000a81, 0xee010a82 }, 9, 7 }, /* fmacs s0, s1, s2; fmacs s0, s3, s4 */
	{ __LINE__, { 0xee110b42, 0xee130b04 }, 10, 8 }, /* fnmscd d0, d1, d2; fmscd d0, d3, d4 */
	{ __LINE__, { 0xee010b02, 0xee365b07 }, 3, 0 }, /* fmacd d0, d1, d2; faddd d5, d6, d7 */
	/* VFP, table 21-16: divisions and square roots */
	{ __LINE__, { 0xee800a81, 0xeec01a20 }, 20, 18 }, /* fdivs s0, s1, s2; fdivs s3, s0, s1 */
	{ __LINE__, { 0xee800a81, 0xeec21a22 }, 16, 0 }, /* fdivs s0, s1, s2; fdivs s3, s4, s5 */
	{ __LINE__, { 0xee810b02, 0xeeb13bc0 }, 34, 32 }, /* fdivd d0, d1, d2; fsqrtd d3, d0 */
	{ __LINE__, { 0xeeb10bc1, 0xee832b04 }, 30, 0 }, /* fsqrtd d0, d1; fdivd d2, d3, d4 */
	{ __LINE__, { 0xeeb10ae0, 0xeeb01a40 }, 20, 18 }, /* fsqrts s0, s1; fcpys s2, s0 */
	{ __LINE__, { 0xee800a81, 0xee721a22 }, 2, 0 }, /* fdivs s0, s1, s2; fadds s3, s4, s5 */
	{ __LINE__, { 0xee810b02, 0xe1a09009 }, 2, 0 }, /* fdivd d0, d1, d2; mov r9, r9 */
	/* an instruction that writes a register waits for earlier writes of it */
	{ __LINE__, { 0xee800a81, 0xed900a00 }, 20, 18 }, /* fdivs s0, s1, s2; flds s0, [r0] */
	/* VFP, table 21-16: loads and stores */
	{ __LINE__, { 0xed900a00, 0xee700a00 }, 5, 3 }, /* flds s0, [r0]; fadds s1, s0, s0 */
	{ __LINE__, { 0xed900b00, 0xee301b00 }, 5, 3 }, /* fldd d0, [r0]; faddd d1, d0, d0 */
	{ __LINE__, { 0xed900a00, 0xed810a00 }, 5, 3 }, /* flds s0, [r0]; fsts s0, [r1] */
	{ __LINE__, { 0xec900a04, 0xee304a20 }, 5, 3 }, /* fldmias r0, {s0-s3}; fadds s8, s0, s1 */
	{ __LINE__, { 0xec900a04, 0xee314aa1 }, 6, 4 }, /* fldmias r0, {s0-s3}; fadds s8, s3, s3 */
	{ __LINE__, { 0xec900a03, 0xee314a01 }, 6, 4 }, /* fldmias r0, {s0-s2}; fadds s8, s2, s2 */
	{ __LINE__, { 0xec900b08, 0xee338b03 }, 8, 6 }, /* fldmiad r0, {d0-d3}; faddd d8, d3, d3 */
	{ __LINE__, { 0xec900b08, 0xe5921000 }, 5, 0 }, /* fldmiad r0, {d0-d3}; ldr r1, [r2] */
	{ __LINE__, { 0xecb00a04, 0xe5901000 }, 3, 0 }, /* fldmias r0!, {s0-s3}; ldr r1, [r0] */
	{ __LINE__, { 0xe5921000, 0xed910a00 }, 5, 3 }, /* ldr r1, [r2]; flds s0, [r1] */
	/* registers to store are locked until they are read */
	{ __LINE__, { 0xec800b08, 0xeeb03b44 }, 5, 3 }, /* fstmiad r0, {d0-d3}; fcpyd d3, d4 */
	{ __LINE__, { 0xec800b08, 0xeeb00b44 }, 2, 0 }, /* fstmiad r0, {d0-d3}; fcpyd d0, d4 */
	/* VFP, table 21-16: transfers */
	{ __LINE__, { 0xee000a10, 0xee700a00 }, 5, 3 }, /* fmsr s0, r0; fadds s1, s0, s0 */
	{ __LINE__, { 0xec410b10, 0xee301b00 }, 5, 3 }, /* fmdrr d0, r0, r1; faddd d1, d0, d0 */
	{ __LINE__, { 0xee200b10, 0xee301b00 }, 5, 3 }, /* fmdhr d0, r0; faddd d1, d0, d0 */
	{ __LINE__, { 0xe5921000, 0xee001a10 }, 4, 2 }, /* ldr r1, [r2]; fmsr s0, r1 */
	{ __LINE__, { 0xee100a10, 0xe0811000 }, 3, 1 }, /* fmrs r0, s0; add r1, r1, r0 */
	{ __LINE__, { 0xec520b10, 0xe0811002 }, 3, 1 }, /* fmrrd r0, r2, d0; add r1, r1, r2 */
	{ __LINE__, { 0xee300b10, 0xe0811000 }, 3, 1 }, /* fmrdh r0, d0; add r1, r1, r0 */
	{ __LINE__, { 0xeee10a10, 0xee300a81 }, 5, 0 }, /* fmxr fpscr, r0; fadds s0, s1, s2 */
	{ __LINE__, { 0xeef10a10, 0xe0811000 }, 3, 1 }, /* fmrx r0, fpscr; add r1, r1, r0 */
	{ __LINE__, { 0xee300a81, 0xeef10a10 }, 9, 7 }, /* fadds s0, s1, s2; fmrx r0, fpscr */
};
/* clang-format on */

static void test_examples(void **state)
{
	for (size_t i = 0; i < sizeof(examples) / sizeof(examples[0]); i++) {
		const struct example *ex = &examples[i];
		struct pmk_insn insn[6];
		struct pmk_pipe_slot slots[6];
		struct pmk_pipe_block b;
		size_t n = 0;

		while (n < 6 && ex->words[n])
			n++;
		decode_all(*state, ex->words, n, insn);
		pmk_pipeline_time(&scalar, insn, n, slots, &b);
		if (b.cycles != ex->cycles || b.data_stall != ex->data_stall)
			fail_msg("line %d: %u cycles, %u stalls instead of %u, %u", ex->line,
				 b.cycles, b.data_stall, ex->cycles, ex->data_stall);
	}
}

/*
 * Short vectors (DDI 0301H 20.4.2 and 21.6): the registers are in banks of eight. A destination in
 * the first bank makes the operation scalar. A last operand in the first bank is a scalar.
 */
static void test_vectors(void **state)
{
	/* clang-format off */
	static const struct {
		int line;
		uint32_t words[2];
		unsigned length, stride, cycles, data_stall;
	} rows[] = {
		/* fadds s8, s16, s24; fadds s1, s2, s3 */
		{ __LINE__, { 0xee384a0c, 0xee710a21 }, 4, 1, 5, 0 },
		/* fadds s8, s16, s24; fadds s0, s8, s8 */
		{ __LINE__, { 0xee384a0c, 0xee340a04 }, 4, 1, 9, 7 },
		/* fadds s8, s16, s24; fadds s0, s11, s11 */
		{ __LINE__, { 0xee384a0c, 0xee350aa5 }, 4, 1, 12, 10 },
		/* fadds s0, s16, s24; fadds s1, s2, s3 */
		{ __LINE__, { 0xee380a0c, 0xee710a21 }, 4, 1, 2, 0 },
		/* fadds s14, s22, s30; fadds s0, s9, s9 */
		{ __LINE__, { 0xee3b7a0f, 0xee340aa4 }, 4, 1, 12, 10 },
		/* fadds s8, s16, s24; flds s19, [r0] */
		{ __LINE__, { 0xee384a0c, 0xedd09a00 }, 4, 1, 5, 3 },
		/* fmuls s8, s16, s0; flds s1, [r0] */
		{ __LINE__, { 0xee284a00, 0xedd00a00 }, 4, 1, 2, 0 },
		/* fmacd d4, d8, d12; faddd d0, d7, d7 */
		{ __LINE__, { 0xee084b0c, 0xee370b07 }, 4, 1, 16, 14 },
		/* fadds s8, s16, s24; fadds s0, s9, s9 */
		{ __LINE__, { 0xee384a0c, 0xee340aa4 }, 4, 2, 5, 0 },
		/* fadds s8, s16, s24; fadds s0, s14, s14 */
		{ __LINE__, { 0xee384a0c, 0xee370a07 }, 4, 2, 12, 10 },
		/* faddd d4, d8, d12; faddd d0, d6, d6 */
		{ __LINE__, { 0xee384b0c, 0xee360b06 }, 2, 2, 10, 8 },
		/* fdivs s8, s16, s24; fdivs s0, s1, s2 */
		{ __LINE__, { 0xee884a0c, 0xee800a81 }, 2, 1, 31, 0 },
		/* fdivs s8, s16, s24; fadds s0, s9, s9 */
		{ __LINE__, { 0xee884a0c, 0xee340aa4 }, 2, 1, 35, 33 },
		/* fdivs s8, s16, s24; fadds s0, s1, s2 */
		{ __LINE__, { 0xee884a0c, 0xee300a81 }, 2, 1, 17, 0 },
		/* fcpyd d4, d8; fcmpd d0, d7 */
		{ __LINE__, { 0xeeb04b48, 0xeeb40b47 }, 4, 1, 8, 6 },
		/* fcmps s8, s16; fadds s0, s1, s2 */
		{ __LINE__, { 0xeeb44a48, 0xee300a81 }, 8, 1, 2, 0 },
	};
	/* clang-format on */

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct pmk_core core = { .arm11 = { .vfp_length = rows[i].length,
						    .vfp_stride = rows[i].stride } };
		struct pmk_pipe_slot slots[2];
		struct pmk_pipe_block b;
		struct pmk_insn insn[2];

		decode_all(*state, rows[i].words, 2, insn);
		pmk_pipeline_time(&core, insn, 2, slots, &b);
		if (b.cycles != rows[i].cycles || b.data_stall != rows[i].data_stall)
			fail_msg("line %d: %u cycles, %u stalls instead of %u, %u", rows[i].line,
				 b.cycles, b.data_stall, rows[i].cycles, rows[i].data_stall);
	}
}

static struct pmk_pipe_block time_of(struct pmk_isa_arm *isa, const uint32_t *words, size_t n,
				     struct pmk_pipe_slot *slots)
{
	struct pmk_insn insn[MAX];
	struct pmk_pipe_block b;

	decode_all(isa, words, n, insn);
	pmk_pipeline_time(&scalar, insn, n, slots, &b);
	return b;
}

/*
 * Instructions that are not VFPv2 are not timed. The flags of FMSTAT are available a cycle later.
 */
static void test_vfp_odds(void **state)
{
	static const uint32_t v3[] = { 0xeeb00a00 }; /* vmov.f32 s0, #2.0 */
	static const uint32_t fmstat[] = { 0xeef1fa10, MOV_R9, MOV_R9, MOV_R9 };
	static const uint32_t cmp[] = { 0xe3500000, MOV_R9, MOV_R9, MOV_R9 };
	struct pmk_pipe_slot slots[4];
	struct pmk_pipe_block b = time_of(*state, v3, 1, slots);

	assert_int_equal(b.untimed, 1);
	assert_int_equal(b.cycles, 1);
	assert_false(b.vfp);
	b = time_of(*state, fmstat, 4, slots);
	assert_int_equal(b.untimed, 0);
	assert_true(b.vfp);
	assert_int_equal(b.flag_distance, 2);
	assert_int_equal(time_of(*state, fmstat, 1, slots).flag_distance, 0);
	b = time_of(*state, cmp, 4, slots);
	assert_int_equal(b.flag_distance, 3);
	assert_false(b.vfp);
}

static void test_nothing(void **state)
{
	struct pmk_pipe_block b;

	(void)state;
	pmk_pipeline_time(&scalar, NULL, 0, NULL, &b);
	assert_int_equal(b.cycles, 0);
	assert_int_equal(b.flag_distance, 15);
	for (int r = 0; r < 16; r++) {
		assert_int_equal(b.need[r], 255);
		assert_int_equal(b.residue[r], 0);
	}
}

/*
 * Checks the slot of the last load of each row. `issue` is the cycle in which the load issues.
 * `use` is the number of cycles from there to the first instruction that needs the value. For a
 * load of the PC or of a VFP register that no instruction needs, it is the number of cycles up to
 * the end of the block. For other loads that no instruction needs, it is 0x8000 plus a bit for each
 * register that contains the value at the end.
 */
static void test_slots(void **state)
{
	static const struct {
		int line;
		uint32_t words[4];
		unsigned n, issue, use; /* of the last load */
	} rows[] = {
		{ __LINE__, { LDR_R1, 0xe0856001 }, 2, 0, 3 }, /* the addition waits */
		{ __LINE__, { LDR_R1, MOV_R9, 0xe0856001 }, 3, 0, 3 },
		{ __LINE__, { LDR_R1 }, 1, 0, 0x8002 },				/* only the load */
		{ __LINE__, { LDR_R1, MOV_R9, MOV_R9 }, 3, 0, 0x8002 },		/* r1 is unused */
		{ __LINE__, { LDR_R1, 0xe3a01000, 0xe0856001 }, 3, 0, 0x8000 }, /* overwritten */
		{ __LINE__, { 0xe89000fe, MOV_R9 }, 2, 0, 0x80fe },	   /* ldm r0, {r1-r7} */
		{ __LINE__, { 0xe89000fe, 0xe3a01000 }, 2, 0, 0x80fc },	   /* r1 is written */
		{ __LINE__, { MOV_R9, LDR_PC }, 2, 1, 1 },		   /* branches at the end */
		{ __LINE__, { VLDR, MOV_R9, MOV_R9 }, 3, 0, 3 },	   /* VFP: up to the end */
		{ __LINE__, { MOV_R9, LDR_R1, 0xe0813514 }, 3, 1, 3 },	   /* late */
		{ __LINE__, { MOV_R9, LDR_R1, 0xe0843301 }, 3, 1, 3 },	   /* early */
		{ __LINE__, { 0xe89000fe, MOV_R9, 0xe0877007 }, 3, 0, 6 }, /* ldm r0, {r1-r7} */
		{ __LINE__,
		  { 0xe89000fe, 0xe0811001, 0xe0877007 },
		  3,
		  0,
		  3 }, /* the addition of r1 needs it first */
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct pmk_pipe_slot slots[4];
		size_t load = 0;

		time_of(*state, rows[i].words, rows[i].n, slots);
		for (size_t k = 0; k < rows[i].n; k++)
			if (rows[i].words[k] == LDR_R1 || rows[i].words[k] == LDR_PC ||
			    rows[i].words[k] == VLDR || rows[i].words[k] == 0xe89000fe)
				load = k;
		if (slots[load].issue != rows[i].issue || slots[load].use != rows[i].use)
			fail_msg("line %d: issue %u, use %u", rows[i].line, slots[load].issue,
				 slots[load].use);
	}
}

static void test_flag_distance(void **state)
{
	static const uint32_t none[] = { MOV_R9, MOV_R9 };
	static const uint32_t adjacent[] = { MOV_R9, 0xe3500000, 0x1afffffe }; /* cmp; bne */
	static const uint32_t apart[] = { 0xe3500000, LDR_R1, 0xe0856001, 0x1afffffe };
	static const uint32_t far[] = { 0xe3500000, 0xe89000fe, 0xe0877007, 0xe89000fe,
					0xe0877007, 0xe89000fe, 0xe0877007 };
	struct pmk_pipe_slot slots[8];

	assert_int_equal(time_of(*state, none, 2, slots).flag_distance, 15);
	/*
	 * flag_distance is 0 if the branch directly follows the compare. In table 16-11, a
	 * misprediction then takes 7 cycles.
	 */
	assert_int_equal(time_of(*state, adjacent, 3, slots).flag_distance, 0);
	assert_int_equal(time_of(*state, apart, 4, slots).flag_distance, 4);
	assert_int_equal(time_of(*state, far, 7, slots).flag_distance, 15);
}

/* ---- edges ---------------------------------------------------------------------------------- */

static void test_edges(void **state)
{
	/* clang-format off */
	static const struct {
		int line;
		uint32_t first, second[3];
		unsigned n, wait;
	} rows[] = {
		{ __LINE__, LDR_R1,     { 0xe0856001 },                 1, 2 }, /* add r6, r5, r1 */
		{ __LINE__, LDR_R1,     { MOV_R9, 0xe0856001 },         2, 1 },
		{ __LINE__, LDR_R1,     { MOV_R9, MOV_R9, 0xe0856001 }, 3, 0 },
		/* An early register is needed even in cycle 0. */
		{ __LINE__, LDR_R1,     { 0xe5915000 },                 1, 3 },
		{ __LINE__, LDR_R1,     { MOV_R9, 0xe5915000 },         2, 2 }, /* early */
		{ __LINE__, LDR_R1,     { 0xe0813514 },                 1, 1 }, /* late */
		{ __LINE__, LDR_R1,     { 0xe3a01000, 0xe0856001 },     2, 0 }, /* written first */
		{ __LINE__, 0xe0821003, { 0xe0856001 },                 1, 0 }, /* add r1, r2, r3 */
		/* …; ldr r5, [r1] */
		{ __LINE__, 0xe0821003, { 0xe5915000 },                 1, 1 },
		{ __LINE__, 0xe0821003, { MOV_R9, 0xe5915000 },         2, 0 },
		/* ldr r0, [r1], #4; ldr r2, [r1] */
		{ __LINE__, 0xe4910004, { 0xe4912004 },                 1, 0 },
		/* mul r1; add r5, r6, r1 */
		{ __LINE__, 0xe0010392, { 0xe0865001 },                 1, 2 },
		/* pop {r4, pc}; add r6, r6, r4 */
		{ __LINE__, 0xe8bd8010, { 0xe0866004 },                 1, 3 },
		/* the LSU: ldm 7; ldr r8, [r9] */
		{ __LINE__, 0xe89000fe, { 0xe5998000 },                 1, 3 },
		/*
		 * A longer wait hides a shorter one: the first addition waits for r1, but the
		 * second one waits longer for r8, so r1 does not delay the block.
		 */
		{ __LINE__, LDR_R1,     { 0xe5998000, 0xe0856001, 0xe088a008 }, 3, 0 },
		{ __LINE__, 0xebfffffe, { 0xe92d4010 }, 1, 0 },             /* bl; push {r4, lr} */
	};
	/* clang-format on */

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct pmk_pipe_slot slots[3];
		struct pmk_pipe_block a = time_of(*state, &rows[i].first, 1, slots);
		struct pmk_pipe_block b = time_of(*state, rows[i].second, rows[i].n, slots);
		unsigned wait = pmk_pipeline_edge(a.residue, b.need);
		uint64_t late, wants, unused;

		pmk_pipeline_lanes(&a, &late, &unused);
		pmk_pipeline_lanes(&b, &unused, &wants);
		if (wait && !(late & wants))
			fail_msg("line %d: the lanes see no wait", rows[i].line);
		if (wait != rows[i].wait)
			fail_msg("line %d: waits %u instead of %u", rows[i].line, wait,
				 rows[i].wait);
	}
}

/* Instructions with register fields: Rd [15:12], Rn [19:16], Rm [3:0], Rs [11:8]. */
#define RD   1
#define RN   2
#define RM   4
#define RS   8
#define LST  16 /* a list in [7:0] */
#define EVEN 32 /* Rd must be even */
/* Registers of VFP: d0 to d3, or s0, s2, s4, s6. */
#define FD   64
#define FN   128
#define FM   256

static const struct {
	uint32_t word;
	unsigned fields;
} templates[] = {
	{ 0xe0800000, RD | RN | RM },	   /* add */
	{ 0xe0900000, RD | RN | RM },	   /* adds */
	{ 0xe2800001, RD | RN },	   /* add #1 */
	{ 0xe1a00000, RD | RM },	   /* mov */
	{ 0xe1500000, RN | RM },	   /* cmp */
	{ 0xe0800180, RD | RN | RM },	   /* add, lsl #3 */
	{ 0xe0800010, RD | RN | RM | RS }, /* add, lsl rs */
	{ 0xe0000090, RN | RM | RS },	   /* mul */
	{ 0xe0100090, RN | RM | RS },	   /* muls */
	{ 0xe0200090, RD | RN | RM | RS }, /* mla */
	{ 0xe0800090, RD | RN | RM | RS }, /* umull */
	{ 0xe0e00090, RD | RN | RM | RS }, /* smlal */
	{ 0xe1600080, RN | RM | RS },	   /* smulbb */
	{ 0xe1000080, RD | RN | RM | RS }, /* smlabb */
	{ 0xe1400080, RD | RN | RM | RS }, /* smlalbb */
	{ 0xe750f010, RN | RM | RS },	   /* smmul */
	{ 0xe7500010, RD | RN | RM | RS }, /* smmla */
	{ 0xe5900004, RD | RN },	   /* ldr */
	{ 0xe5900004, RD | RN },
	{ 0xe4900004, RD | RN },	/* ldr, post-indexed */
	{ 0xe7900000, RD | RN | RM },	/* ldr, register */
	{ 0xe7100000, RD | RN | RM },	/* ldr, minus register */
	{ 0xe1c000d0, RD | RN | EVEN }, /* ldrd */
	{ 0xe5800004, RD | RN },	/* str */
	{ 0xe5200004, RD | RN },	/* str, pre-indexed */
	{ 0xe1c000f0, RD | RN | EVEN }, /* strd */
	{ 0xe8900000, RN | LST },	/* ldm */
	{ 0xe8b00000, RN | LST },	/* ldm, write-back */
	{ 0xe8800000, RN | LST },	/* stm */
	{ 0xe1000090, RD | RN | RM },	/* swp */
	{ 0xe1900f9f, RD | RN },	/* ldrex */
	{ 0xf5d0f000, RN },		/* pld */
	{ 0xee300a00, FD | FN | FM },	/* fadds */
	{ 0xee300b00, FD | FN | FM },	/* faddd */
	{ 0xee200b00, FD | FN | FM },	/* fmuld */
	{ 0xee000b00, FD | FN | FM },	/* fmacd */
	{ 0xee800b00, FD | FN | FM },	/* fdivd */
	{ 0xeeb10ac0, FD | FM },	/* fsqrts */
	{ 0xeeb40b40, FD | FM },	/* fcmpd */
	{ 0xeef1fa10, 0 },		/* fmstat */
	{ 0xed900b02, FD | RN },	/* fldd */
	{ 0xed800b02, FD | RN },	/* fstd */
	{ 0xecb00b04, FD | RN },	/* fldmiad, two registers, write-back */
	{ 0xec400b10, RD | RN | FM },	/* fmdrr */
	{ 0xee100a10, RD | FN },	/* fmrs */
	{ 0xeee10a10, RD },		/* fmxr */
	{ 0xe10f0000, RD },		/* mrs */
};

static uint32_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return (uint32_t)(*state >> 16);
}

static uint32_t random_word(uint64_t *random)
{
	size_t i = next_random(random) % (sizeof(templates) / sizeof(templates[0]));
	uint32_t r = next_random(random), w = templates[i].word, f = templates[i].fields;
	uint32_t rn = 8 + (r >> 3 & 3); /* usually not a data register, as lists are r0-r7 */

	if (!(f & LST) && r >> 31)
		rn = r >> 3 & 7;
	if (f & RD)
		w |= (r & (f & EVEN ? 6 : 7)) << 12;
	if (f & RN)
		w |= rn << 16;
	if (f & RM)
		w |= r >> 6 & 7;
	if (f & RS)
		w |= (r >> 9 & 7) << 8;
	if (f & FD)
		w |= (r >> 17 & 3) << 12;
	if (f & FN)
		w |= (r >> 19 & 3) << 16;
	if (f & FM)
		w |= r >> 21 & 3;
	if (f & LST)
		w |= (r >> 16 & 0xff) | 1u << (r >> 12 & 7);
	return w;
}

/*
 * The limits for a sequence that is cut into two blocks before insn[cut] (see pipeline.c): the two
 * blocks together may take at most `cheap` cycles fewer, or `dear` cycles more, than the sequence
 * as one block.
 */
struct allowance {
	int cheap, dear;
};

static bool is_sum(const struct pmk_insn *in)
{
	return in->iclass >= PMK_I_MUL && in->iclass <= PMK_I_MMUL;
}

static struct allowance allowed(const struct pmk_insn *insn, size_t n, size_t cut)
{
	struct allowance a = { 0, 0 };
	uint32_t multiplied = 0, locked = 0;
	bool mixed = false;

	/*
	 * A VFP result that is not forwarded to an operation of the other precision costs one
	 * cycle, once. The two parts do not see this.
	 */
	for (size_t i = 0; i < cut; i++)
		for (size_t k = cut; k < n; k++)
			mixed |= (insn[i].writes & insn[k].reads) >> PMK_VFP_S0 &&
				 ((insn[i].kind & PMK_VFP_WIDE_RESULT) != 0) !=
					 ((insn[k].kind & PMK_VFP_WIDE) != 0);
	a.cheap = mixed;
	for (size_t i = 0; i < cut; i++) {
		multiplied &= ~insn[i].writes;
		if (is_sum(&insn[i]))
			multiplied |= insn[i].writes;
		if (insn[i].store && (insn[i].list || insn[i].mem_count == 2))
			locked |= (uint32_t)insn[i].reads;
	}
	/*
	 * The instruction after the cut needs the base that the last instruction before it wrote
	 * back.
	 */
	a.cheap += insn[cut - 1].writeback && (insn[cut].reads >> insn[cut - 1].rn & 1);
	for (size_t i = cut; i < n; i++) {
		if (is_sum(&insn[i]) && (insn[i].reads & multiplied))
			a.dear = 1;
		if (insn[i].writes & locked)
			a.cheap = 8;
	}
	return a;
}

/*
 * Returns how many cycles the second block waits for VFP results of the first, computed as in the
 * running core.
 */
static unsigned vfp_edge(const struct pmk_pipe_block *a, const struct pmk_pipe_block *b)
{
	unsigned wait = 0;

	for (unsigned p = 0; a->vfp && b->vfp && p < PMK_PIPE_VFP_PLACES; p++)
		if (b->vfp_need[p] != 255 && a->vfp_residue[p] > b->vfp_need[p] + wait)
			wait = a->vfp_residue[p] - b->vfp_need[p];
	return wait;
}

static void test_cuts(void **state)
{
	uint64_t random = UINT64_C(0x11765eed);
	unsigned exact = 0, cheap = 0, dear = 0, false_yes = 0;

	for (unsigned run = 0; run < UNIT_SAMPLES(120000); run++) {
		struct pmk_pipe_block whole, a, b;
		struct pmk_pipe_slot slots[MAX];
		struct pmk_insn insn[MAX];
		uint32_t words[MAX];
		size_t n = 2 + next_random(&random) % (MAX - 2);
		size_t cut = 1 + next_random(&random) % (n - 1);
		uint64_t late, wants, unused;
		struct allowance may;
		unsigned wait;
		int miss;

		for (size_t i = 0; i < n; i++)
			words[i] = random_word(&random);
		decode_all(*state, words, n, insn);
		pmk_pipeline_time(&scalar, insn, n, slots, &whole);
		pmk_pipeline_time(&scalar, insn, cut, slots, &a);
		pmk_pipeline_time(&scalar, insn + cut, n - cut, slots, &b);
		wait = pmk_pipeline_edge(a.residue, b.need);
		pmk_pipeline_lanes(&a, &late, &unused);
		pmk_pipeline_lanes(&b, &unused, &wants);
		if (wait && !(late & wants))
			fail_msg("run %u: waits %u, but the lanes see no wait", run, wait);
		false_yes += !wait && (late & wants & ~PMK_PIPE_VFP_LATE);
		if (vfp_edge(&a, &b) && !(late & PMK_PIPE_VFP_LATE))
			fail_msg("run %u: waits for VFP, but the lanes see nothing late", run);
		if (vfp_edge(&a, &b) > wait)
			wait = vfp_edge(&a, &b);
		miss = (int)whole.cycles - (int)(a.cycles + b.cycles + wait);
		may = allowed(insn, n, cut);
		if (miss > may.cheap || miss < -may.dear)
			fail_msg("run %u: %zu instructions cut at %zu: %u = %u + %u + %d", run, n,
				 cut, whole.cycles, a.cycles, b.cycles, miss);
		exact += miss == 0;
		cheap += miss > 0;
		dear += miss < 0;
	}
	print_message("cuts: %u exact, %u too cheap, %u too dear; lanes: %u false yes\n", exact,
		      cheap, dear, false_yes);
	assert_true(exact > UNIT_SAMPLES(100000));
	assert_true(cheap > 0 && dear > 0); /* some cuts save cycles, some add cycles */
}

/*
 * Every sequence takes at least its issue cycles, and its waits are within the documented limits.
 */
static void test_bounds(void **state)
{
	uint64_t random = UINT64_C(0xb0d5);

	for (unsigned run = 0; run < UNIT_SAMPLES(20000); run++) {
		struct pmk_pipe_block b;
		struct pmk_pipe_slot slots[MAX];
		struct pmk_insn insn[MAX];
		uint32_t words[MAX];
		size_t n = 1 + next_random(&random) % (MAX - 1);

		for (size_t i = 0; i < n; i++)
			words[i] = random_word(&random);
		decode_all(*state, words, n, insn);
		pmk_pipeline_time(&scalar, insn, n, slots, &b);
		assert_true(b.cycles >= n && b.data_stall <= b.cycles - n);
		for (size_t i = 0; i < n; i++) {
			assert_true(slots[i].use & PMK_PIPE_OPEN
					    ? insn[i].load
					    : slots[i].issue + slots[i].use <= b.cycles + 1u);
			assert_true(i == 0 || slots[i].issue > slots[i - 1].issue);
		}
		for (int r = 0; r < 16; r++)
			assert_true(b.residue[r] < 16);
	}
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
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_examples), cmocka_unit_test(test_vectors),
		cmocka_unit_test(test_vfp_odds), cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_slots),	 cmocka_unit_test(test_flag_distance),
		cmocka_unit_test(test_edges),	 cmocka_unit_test(test_cuts),
		cmocka_unit_test(test_bounds),
	};

	return cmocka_run_group_tests(tests, open_isa, close_isa);
}
