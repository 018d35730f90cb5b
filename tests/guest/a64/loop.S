/* SPDX-License-Identifier: MIT */
/* A loop of COUNT passes with BODY, the loop counter, and the branch. One NOP follows: the
 * outcome of the last branch is known only when the next instruction starts. */
#include "kernel.inc"

#ifndef SETUP
#define SETUP
#endif
#ifndef BODY
#define BODY
#endif
#ifndef AUX
#define AUX
#endif

	.macro	setup
	SETUP
	.endm

	start
	begin
	set32	x0, COUNT
1:	BODY
	sub	x0, x0, #1
	cbnz	x0, 1b
	nop
	finish
	.balign	64
	AUX
