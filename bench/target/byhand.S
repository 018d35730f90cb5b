/* SPDX-License-Identifier: MIT */
/*
 * The minimum cost of the library's work: the shortest sequences that do this work. They are for a
 * program that knows its counters and uses 32 bits of each, without checks or interrupts. All
 * registers are free, as if the code were inline. There are versions for 1, 3 and 7 counters; the
 * first counter counts cycles.
 *
 *	by_hand_begin_N(r0: begin[N])			read and store; also for "read all"
 *	by_hand_end_N(r0: begin[N], r1: delta[N])	read, subtract, store
 *	by_hand_isr_N(r0: upper[N])			read the flags, clear them, carry
 */
	.text
	.macro function name, n
	.global \name\n
	.type \name\n, %function
\name\n:
	.endm

#ifdef __aarch64__

	/* ISB, as in <pmk/fast.h>: the reads must not run ahead of the code before them. */
	.macro read n
	isb
	mrs x2, pmccntr_el0
	.if \n > 1
	mrs x3, pmevcntr0_el0
	mrs x4, pmevcntr1_el0
	.endif
	.if \n > 3
	mrs x5, pmevcntr2_el0
	mrs x6, pmevcntr3_el0
	mrs x7, pmevcntr4_el0
	mrs x8, pmevcntr5_el0
	.endif
	.endm

	.macro store n, to
	.if \n == 1
	str w2, [\to]
	.else
	stp w2, w3, [\to]
	.if \n == 3
	str w4, [\to, #8]
	.else
	stp w4, w5, [\to, #8]
	stp w6, w7, [\to, #16]
	str w8, [\to, #24]
	.endif
	.endif
	.endm

	.macro subtract n
	.if \n == 1
	ldr w9, [x0]
	.else
	ldp w9, w10, [x0]
	.if \n == 3
	ldr w11, [x0, #8]
	.else
	ldp w11, w12, [x0, #8]
	ldp w13, w14, [x0, #16]
	ldr w15, [x0, #24]
	.endif
	.endif
	sub w2, w2, w9
	.if \n > 1
	sub w3, w3, w10
	sub w4, w4, w11
	.endif
	.if \n > 3
	sub w5, w5, w12
	sub w6, w6, w13
	sub w7, w7, w14
	sub w8, w8, w15
	.endif
	.endm

	.macro carry flag
	tbz w2, #\flag, 1f
	ldr w3, [x0, #4 * \flag]
	add w3, w3, #1
	str w3, [x0, #4 * \flag]
1:
	.endm

	/* The cycle counter has 64 bits: only event counters carry. */
	.macro isr n
	mrs x2, pmovsclr_el0
	msr pmovsclr_el0, x2
	.if \n > 1
	carry 0
	carry 1
	.endif
	.if \n > 3
	carry 2
	carry 3
	carry 4
	carry 5
	.endif
	.endm

#define BASE  x0
#define DELTA x1
#define NS    1, 3, 7
#define RETURN ret

#else

	.macro read n
	mrc p15, 0, r2, c15, c12, 1
	.if \n > 1
	mrc p15, 0, r3, c15, c12, 2
	mrc p15, 0, r4, c15, c12, 3
	.endif
	.endm

	.macro store n, to
	.if \n == 1
	str r2, [\to]
	.else
	stm \to, {r2-r4}
	.endif
	.endm

	.macro subtract n
	.if \n == 1
	ldr r5, [r0]
	.else
	ldm r0, {r5-r7}
	.endif
	sub r2, r2, r5
	.if \n > 1
	sub r3, r3, r6
	sub r4, r4, r7
	.endif
	.endm

	.macro carry flag, n
	tst r2, #\flag
	ldrne r3, [r0, #4 * \n]
	addne r3, r3, #1
	strne r3, [r0, #4 * \n]
	.endm

	/*
	 * The overflow flags are in the PMNC: bit 10 for CCNT, bit 8 for PMN0 and bit 9 for PMN1.
	 * Writing back the value that was read clears the flags that were set.
	 */
	.macro isr n
	mrc p15, 0, r2, c15, c12, 0
	mcr p15, 0, r2, c15, c12, 0
	carry 0x400, 0
	.if \n > 1
	carry 0x100, 1
	carry 0x200, 2
	.endif
	.endm

#define BASE  r0
#define DELTA r1
#define NS    1, 3
#define RETURN bx lr

#endif

	.irp n, NS
	function by_hand_begin_, \n
	read \n
	store \n, BASE
	RETURN

	function by_hand_end_, \n
	read \n
	subtract \n
	store \n, DELTA
	RETURN

	function by_hand_isr_, \n
	isr \n
	RETURN
	.endr
