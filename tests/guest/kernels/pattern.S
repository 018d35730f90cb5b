/* SPDX-License-Identifier: MIT */
/*
 * COUNT passes with a forward branch and the loop's branch. The forward branch is taken as the bits
 * of PATTERN say, the lowest bit first. With LFSR, it is taken when a step of a linear feedback
 * register shifts out a 1.
 */
#include "kernel.inc"

	.macro	setup
#ifdef LFSR
	mov	r1, #1
	movi	r2, 0x80200003
#else
	movi	r1, PATTERN
#endif
	movi	r0, COUNT
	.endm

	start
	begin
1:	movs	r1, r1, lsr #1
#ifdef LFSR
	eorcs	r1, r1, r2
#else
	nop
#endif
	bcs	2f			/* k_begin + 8: the branch under test */
	nop
2:	subs	r0, r0, #1
	nop
	bne	1b			/* k_begin + 24: another double word */
	nop
	finish
