/* SPDX-License-Identifier: MIT */
/* Makes PASSES passes through PAGES pages of code: that of k_begin, and the PAGES - 1 pages after
 * it. */
#include "kernel.inc"

	.macro	setup
	.endm

	start
	begin
	mov	r0, #PASSES
1:	b	first_page
back:	subs	r0, r0, #1
	bne	1b
	nop
	finish
	.balign	4096
first_page:
	.rept	PAGES - 2
	nop
	b	. + 4092		/* the start of the next page */
	.balign	4096
	.endr
	nop
	b	back
