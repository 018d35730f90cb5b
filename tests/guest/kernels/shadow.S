/* SPDX-License-Identifier: MIT */
/*
 * Look-ups of lines that are never executed. KIND:
 *  1  COUNT calls of a function whose BX LR is OFFSET bytes into a line
 *  2  a taken branch at the end of a line
 *  3  a loop over two lines, the first of which ends in a branch; in a direct mapped 16 KB cache
 *     the line after the first one (the shadow) and the second line of the loop share a set
 *  4  a backward branch that is not taken, its target OFFSET bytes into a line
 */
#include "kernel.inc"

	.macro	setup
	mov	r0, #COUNT
	.endm

	.text
	.balign	32
	.space	OFFSET
never:	nops	16

	start
	begin
#if KIND == 1
	.rept	COUNT
	nop
	bl	leaf
	.endr
	nop
	finish
	.balign	32
	.space	OFFSET
leaf:	bx	lr
	.space	64

#elif KIND == 2
	nops	7
	b	1f
	nops	8			/* the shadow */
1:	nops	2
	finish

#elif KIND == 3
	b	first
	.balign	1024
	.space	1024
	.balign	32
first:	nops	7
	b	second
	.space	16384
second:	subs	r0, r0, #1
	bne	first
	nop
	finish

#else
	cmp	r10, #0
	nop
	beq	never
	nop
	finish
#endif
