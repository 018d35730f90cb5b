/* SPDX-License-Identifier: MIT */
/* Makes PASSES passes over COUNT addresses STRIDE bytes apart, from low to high. The instruction
 * ACCESS (LDR by default) loads or stores register REG at each address. */
#include "kernel.inc"

#ifndef ACCESS
#define ACCESS ldr
#endif
#ifndef REG
#define REG x2
#endif

	.macro	setup
	set32	x4, STRIDE
	set32	x5, COUNT
	mov	x3, #PASSES
	.endm

	start
	begin
1:	mov	x0, x10
	mov	x1, x5
2:	ACCESS	REG, [x0]
	add	x0, x0, x4
	sub	x1, x1, #1
	cbnz	x1, 2b
	sub	x3, x3, #1
	cbnz	x3, 1b
	nop
	finish
