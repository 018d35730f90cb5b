/* SPDX-License-Identifier: MIT */
/*
 * Repeats BODY REPS times in a row. Before and after it nothing is under way on the buses, because
 * the loops before k_begin and k_end take some 400 cycles of the core. The first loop is in a line
 * of its own, together with the code up to k_begin. The second loop is four words after BODY. AUX
 * is code that BODY calls.
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
