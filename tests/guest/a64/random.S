/* SPDX-License-Identifier: MIT */
/*
 * COUNT accesses, which a linear congruential generator chooses. The highest BITS bits of its state
 * choose one of 1 << BITS lines, and the next bit chooses load or store.
 */
#include "kernel.inc"

	.macro	setup
	mov	w1, #1
	set32	w5, 1103515245
	set32	w6, 12345
	set32	w0, COUNT
	.endm

	start
	begin
1:	madd	w1, w5, w1, w6
	lsr	w2, w1, #(32-BITS)
	add	x2, x10, x2, lsl #6
	tbnz	w1, #(31-BITS), 2f
	ldr	w3, [x2]
	b	3f
2:	str	w3, [x2]
3:	sub	w0, w0, #1
	cbnz	w0, 1b
	nop
	finish
