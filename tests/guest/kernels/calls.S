/* SPDX-License-Identifier: MIT */
/* Makes DEPTH nested calls, and returns from them by RETURN: 0 bx lr, 1 mov pc, 2 ldr pc, 3 ldm. */
#include "kernel.inc"

	.macro	setup
	.endm

	.macro	level this, next
	.balign	32
f\this:	push	{r4, lr}
	.if	DEPTH > \this
	bl	f\next
	.endif
#if RETURN == 0
	pop	{r4, lr}
	bx	lr
#elif RETURN == 1
	pop	{r4, lr}
	mov	pc, lr
#elif RETURN == 2
	ldr	r4, [sp], #4
	ldr	pc, [sp], #4
#else
	ldmfd	sp!, {r4, pc}
#endif
	.endm

	start
	begin
	bl	f1
	nop
	finish
	level	1, 2
	level	2, 3
	level	3, 4
	level	4, 5
	level	5, 6
	level	6, 7
