/* SPDX-License-Identifier: MIT */
/*
 * Reads a line into way 0 of set 0, makes it dirty with DIRTY, and then reads four more lines of
 * the set. The first three fill the invalid ways 1 to 3. With round robin replacement, whose
 * counter is 0 because nothing was evicted yet, the fourth line evicts way 0. Then AFTER runs.
 */
#include "kernel.inc"

#ifndef DIRTY
#define DIRTY
#endif
#ifndef AFTER
#define AFTER
#endif

	.macro	setup
	mov	x5, #8192
	add	x6, x10, x5
	.endm

	start
	begin
	ldr	x0, [x10]
	DIRTY
	ldr	x1, [x6]
	ldr	x1, [x6, x5]
	add	x6, x6, x5, lsl #1
	ldr	x1, [x6]
	ldr	x1, [x6, x5]
	AFTER
	nop
	finish
