/* SPDX-License-Identifier: MIT */
/*
 * Two forward branches, 1024 bytes apart, are always taken. Their VA[9:3] is equal, so they share
 * an entry in a table of 128 entries.
 */
#include "kernel.inc"

	.macro	setup
	mov	r0, #COUNT
	.endm

	start
	begin
	b	1f
	nop
	.balign	1024
1:	cmp	r10, r10
	nop
	beq	2f			/* at 8 */
	nop
2:	nops	((1024-16)/4)
	nop
	nop
	beq	3f			/* at 1024 + 8 */
	nop
3:	nop
	subs	r0, r0, #1
	nop
	bne	1b			/* at 1024 + 28 */
	nop
	finish
