/* SPDX-License-Identifier: MIT */
/*
 * Repeats BODY REPS times in a row. When counting starts and stops, no transfer is under way on the
 * buses, because the loops before k_begin and k_end take some 400 cycles of the core. The first
 * loop and the code up to k_begin have a line of their own. The second loop directly follows BODY.
 * AUX is code that BODY calls.
 */
#include "kernel.inc"

#ifndef SETUP
#define SETUP
#endif
#ifndef AUX
#define AUX
#endif

	.macro	setup
	.endm

	.macro	settle
	mov	r9, #99
8:	subs	r9, r9, #1
	bne	8b
	.endm

	start
	SETUP
	.balign	32
	settle
	nops	5
k_begin:
	.rept	REPS
	BODY
	.endr
	settle
	finish
	.balign	32
	AUX
