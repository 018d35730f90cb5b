/* SPDX-License-Identifier: MIT */
/* Makes PASSES passes through LINES lines of code, with one line before them and one after them. */
#include "kernel.inc"

	.macro	setup
	.endm

	start
	begin
	mov	r0, #PASSES		/* a line with nothing else */
	nops	7
1:	nops	(LINES*8)
	subs	r0, r0, #1		/* the line after them */
	bne	1b
	nop
	finish
