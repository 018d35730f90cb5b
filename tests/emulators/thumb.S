/* SPDX-License-Identifier: MIT */
/*
 * Thumb code with blocks that consist of a BL pair, which looks like an ARM instruction, or that
 * begin with one. 6 instructions and the BX into Thumb state come before the loop, and 3 after it.
 * A pass has 9 instructions, and 5 in what it calls.
 */
	.syntax	unified
	.arch	armv6k
	.arm
	.global	_start
_start:
	ldr	sp, =stack_end			@ 1
	ldr	r6, =data			@ 2
	ldr	r5, =PASSES			@ 3
	adr	r0, begin + 1			@ 4
	mov	r4, #0				@ 5
	mov	r7, #1				@ 6
	bx	r0				@ 7
	.ltorg
	.balign	32
	.thumb
	.thumb_func
begin:	bl	one				@ 1: word-aligned, a block by itself
	bl	two				@ 2
	bl	one				@ 3
	str	r4, [r6, #4]			@ 4
	ldrb	r0, [r6, #5]			@ 5
	strh	r0, [r6, #8]			@ 6
	adds	r4, r4, #3			@ 7
	subs	r5, r5, #1			@ 8
	bne	begin				@ 9
	movs	r0, #0				@ 1
	movs	r7, #1				@ 2
	svc	#0				@ 3
	.thumb_func
one:	bx	lr				@ 1, 2
	.balign	4
	.thumb_func
two:	push	{r3, lr}			@ 3
	mov	r8, r3				@ 4
	pop	{r3, pc}			@ 5

	.bss
	.balign	4096
data:	.space	4096
	.space	4096
stack_end:
