/* SPDX-License-Identifier: MIT */
/*
 * COUNT accesses to lines of 32 KB chosen by a linear congruential generator: bits 31:22 of its
 * state choose the line, bit 21 load or store, bit 20 the half of the line.
 */
#include "kernel.inc"

	.macro	setup
	mov	r1, #1
	movi	r5, 1103515245
	movi	r6, 12345
	movi	r0, COUNT
	.endm

	start
	begin
1:	mla	r1, r5, r1, r6
	mov	r2, r1, lsr #22
	add	r2, r10, r2, lsl #5
	and	r4, r1, #0x00100000
	add	r2, r2, r4, lsr #16
	tst	r1, #0x00200000
	ldreq	r3, [r2]
	strne	r3, [r2]
	subs	r0, r0, #1
	bne	1b
	nop
	finish
