/* SPDX-License-Identifier: MIT */
/* A loop of COUNT passes with BODY, the loop counter, TAIL, and the branch. One NOP follows: the
 * outcome of the last branch is known only when the next instruction starts. */
#include "kernel.inc"

#ifndef SETUP
#define SETUP
#endif
#ifndef BODY
#define BODY
#endif
#ifndef TAIL
#define TAIL
#endif

	.macro	setup
	SETUP
	.endm

	start
	begin
	mov	r0, #COUNT
1:	BODY
	subs	r0, r0, #1
	TAIL
	bne	1b
	nop
	finish
