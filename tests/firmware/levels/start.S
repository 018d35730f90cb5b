/* SPDX-License-Identifier: MIT */
/* An exception at any exception level ends the run. */
	.section .text.start, "ax"
	.global	_start
_start:
	ldr	x0, =stack_top
	mov	sp, x0
	adr	x0, vectors
	mrs	x1, CurrentEL
	msr	vbar_el1, x0
	cmp	x1, #8
	b.lo	1f
	msr	vbar_el2, x0
	b.eq	1f
	msr	vbar_el3, x0
1:	bl	main
	bl	board_exit

	.balign	2048
vectors:
	.rept	16
	.balign	128
	b	unexpected
	.endr
