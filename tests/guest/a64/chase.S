/* SPDX-License-Identifier: MIT */
/*
 * LOADS loads, each of which reads the address of the next one. Stores build a ring of NODES double
 * words STRIDE bytes apart, from low to high. The last ADD waits for the last load.
 */
#include "kernel.inc"

	.macro	setup
	set32	x4, STRIDE
	set32	x5, NODES
	mov	x0, x10
1:	add	x7, x0, x4
	str	x7, [x0]
	mov	x9, x0
	mov	x0, x7
	sub	x5, x5, #1
	cbnz	x5, 1b
	str	x10, [x9]		/* the last points to the first */
	mov	x1, x10
	.endm

	start
	begin
	.rept	LOADS
	ldr	x1, [x1]
	.endr
	add	x2, x1, #0
	finish
