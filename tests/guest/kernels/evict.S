/* SPDX-License-Identifier: MIT */
/*
 * Reads a line into way 0 of set 0, makes it dirty with DIRTY, and then reads four more lines of
 * the set. The first three fill the invalid ways 1 to 3. With round robin replacement, whose
 * counter is 0 because nothing was evicted yet, the fourth line evicts way 0.
 */
#include "kernel.inc"

#ifndef DIRTY
#define DIRTY
#endif

	.macro	setup
	mov	r5, #4096
	.endm

	start
	begin
	ldr	r0, [r10]
	DIRTY
	ldr	r1, [r10, r5]
	ldr	r1, [r10, r5, lsl #1]
	add	r6, r10, r5
	ldr	r1, [r6, r5, lsl #1]
	ldr	r1, [r10, r5, lsl #2]
	nop
	finish
