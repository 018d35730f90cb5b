/* SPDX-License-Identifier: MIT */
/* PASSES times through LINES lines of code; one line before them and one after them. */
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
