/* SPDX-License-Identifier: MIT */
/*
 * COUNT accesses, which a linear congruential generator chooses. The highest BITS bits of its state
 * choose one of 1 << BITS lines, the next bit chooses load or store, and the bit after it chooses
 * the half of the line.
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
	mov	r2, r1, lsr #(32-BITS)
	add	r2, r10, r2, lsl #5
	mov	r4, r1, lsr #(30-BITS)
	and	r4, r4, #1
	add	r2, r2, r4, lsl #4
	tst	r1, #(1<<(31-BITS))
	ldreq	r3, [r2]
	strne	r3, [r2]
	subs	r0, r0, #1
	bne	1b
	nop
	finish
