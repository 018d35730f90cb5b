/* SPDX-License-Identifier: MIT */
/*
 * BODY, REPS times in a row, with nothing under way on the buses before and after it: the loops
 * before k_begin and k_end take some 400 cycles of the core. The first loop is in its own line,
 * together with the code that leads on to k_begin; the second is four words after BODY. AUX is code
 * that BODY calls.
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
