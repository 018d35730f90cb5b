/* SPDX-License-Identifier: MIT */
/* Makes DEPTH nested calls, and returns from them. */
#include "kernel.inc"

	.macro	setup
	.endm

	.macro	level this, next
	.balign	64
f\this:	stp	x29, x30, [sp, #-16]!
	.if	DEPTH > \this
	bl	f\next
	.endif
	ldp	x29, x30, [sp], #16
	ret
	.endm

	start
	begin
	.rept	REPS
	bl	f1
	nop
	.endr
	finish
	level	1, 2
	level	2, 3
	level	3, 4
	level	4, 5
	level	5, 6
	level	6, 7
	level	7, 8
	level	8, 9
	level	9, 10
	level	10, 11
	level	11, 12
