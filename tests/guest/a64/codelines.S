/* SPDX-License-Identifier: MIT */
/* Makes PASSES passes through LINES lines of code, with one line before them and one after them. */
#include "kernel.inc"

	.macro	setup
	.endm

	start
	begin
	mov	x0, #PASSES		/* a line with nothing else */
	nops	15
1:	nops	(LINES*16)
	sub	x0, x0, #1		/* the line after them */
	cbz	x0, 2f			/* a compare and branch does not reach back so far */
	b	1b
2:	nop
	finish
