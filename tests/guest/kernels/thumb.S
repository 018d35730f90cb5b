/* SPDX-License-Identifier: MIT */
/* Repeats BODY in Thumb state REPS times. BODY can call AUX, which is Thumb code, and ARM_AUX,
 * which is ARM code. */
#include "kernel.inc"

#ifndef SETUP
#define SETUP
#endif
#ifndef AUX
#define AUX
#endif
#ifndef ARM_AUX
#define ARM_AUX
#endif

	start
	SETUP
	adr	r0, go + 1
	bx	r0
	.balign	4
	.thumb
go:	nops	8
	.balign	32
	.thumb_func			/* bit 0 of the symbol is set */
	.type	k_begin, %function
k_begin:
	.rept	REPS
	BODY
	.endr
	.thumb_func
	.type	k_end, %function
k_end:	movs	r0, #0
	movs	r7, #1
	svc	#0
	.balign	32
	AUX
	.balign	32
	.arm
	ARM_AUX
