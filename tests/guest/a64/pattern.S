/* SPDX-License-Identifier: MIT */
/*
 * COUNT passes with a forward branch and the loop's branch. The forward branch is taken as the bits
 * of PATTERN say, the lowest bit first. With LFSR, it is taken when a step of a linear feedback
 * register shifts out a 1.
 */
#include "kernel.inc"

	.macro	setup
#ifdef LFSR
	mov	x1, #1
	set32	x2, 0x80200003
#else
	set32	x1, PATTERN
#endif
	set32	x0, COUNT
	.endm

	start
	begin
1:	ands	x3, x1, #1
	lsr	x1, x1, #1
#ifdef LFSR
	csel	x4, xzr, x2, eq
	eor	x1, x1, x4
#else
	nops	2
#endif
	cbnz	x3, 2f			/* k_begin + 16: the branch under test */
	nop
2:	sub	x0, x0, #1
	cbnz	x0, 1b			/* k_begin + 28 */
	nop
	finish
