/* SPDX-License-Identifier: MIT */
/* Makes PASSES passes over COUNT words STRIDE bytes apart, from low to high. The instruction ACCESS
 * (LDR by default) loads or stores each word. */
#include "kernel.inc"

#ifndef ACCESS
#define ACCESS ldr
#endif

	.macro	setup
	movi	r4, STRIDE
	movi	r5, COUNT
	mov	r3, #PASSES
	.endm

	start
	begin
1:	mov	r0, r10
	mov	r1, r5
2:	ACCESS	r2, [r0]
	add	r0, r0, r4
	subs	r1, r1, #1
	bne	2b
	nop
	subs	r3, r3, #1
	bne	1b
	nop
	finish
