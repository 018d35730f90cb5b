/* SPDX-License-Identifier: MIT */
/*
 * Every kind of data access of an ARM1176, each PASSES times, on the program's own stack. 7
 * instructions come before the loop and 3 after it. A pass has the 42 numbered instructions, and 12
 * more in `leaf` and `thumb`.
 */
	.syntax	unified
	.arch	armv6k
	.fpu	vfpv2
	.arm
	.global	_start
_start:
	ldr	sp, =stack_end			@ 1, a literal
	ldr	r8, =data			@ 2
	ldr	r9, =PASSES			@ 3
	mov	r0, #0				@ 4
	mov	r1, #0				@ 5
	mov	r2, #0				@ 6
	mov	r3, #0				@ 7

again:	ldrb	r4, [r8, #1]			@ 1
	strb	r4, [r8, #2]			@ 2
	ldrh	r4, [r8, #4]			@ 3
	strh	r4, [r8, #6]			@ 4
	ldr	r4, [r8, #8]			@ 5
	str	r4, [r8, #12]			@ 6
	ldr	r4, [r8, #29]			@ 7: two lines
	str	r4, [r8, #61]			@ 8
	ldrd	r4, r5, [r8, #16]		@ 9
	strd	r4, r5, [r8, #24]		@ 10
	ldrd	r4, r5, [r8, #28]		@ 11: two lines
	strd	r4, r5, [r8, #60]		@ 12
	ldm	r8, {r4, r5}			@ 13
	stm	r8, {r4, r5}			@ 14
	add	r7, r8, #20			@ 15
	ldm	r7, {r0-r6}			@ 16: two lines
	stm	r7, {r0-r6}			@ 17
	ldrd	r0, r1, [r8, #8]		@ 18
	add	r7, r8, #128			@ 19
	swp	r4, r5, [r7]			@ 20
	swpb	r4, r5, [r7]			@ 21
	ldrex	r4, [r7]			@ 22
	strex	r5, r4, [r7]			@ 23
	ldrexd	r4, r5, [r7]			@ 24
	strexd	r6, r4, r5, [r7]		@ 25
	strex	r5, r4, [r7]			@ 26: stores nothing
	ldrexb	r4, [r7]			@ 27
	strexb	r5, r4, [r7]			@ 28
	vldr	s0, [r7]			@ 29
	vldr	d1, [r7]			@ 30
	vadd.f64 d2, d1, d1			@ 31
	vstr	d2, [r7]			@ 32
	vldm	r7, {d0-d3}			@ 33
	vstm	r7, {d0-d3}			@ 34
	vldm	r7, {s0-s1}			@ 35
	cmp	r9, #1				@ 36
	ldreq	r4, [r8]			@ 37: of the last pass only
	strdne	r4, r5, [r8]			@ 38: of all others
	bl	leaf				@ 39
	blx	thumb				@ 40
	subs	r9, r9, #1			@ 41
	bne	again				@ 42

	mov	r0, #0				@ 1
	mov	r7, #1				@ 2
	svc	#0				@ 3

leaf:	push	{r4, r5, lr}			@ 1
	mul	r4, r5, r9			@ 2
	pop	{r4, r5, pc}			@ 3
	.ltorg

	.thumb
	.thumb_func
thumb:	push	{r4, r5, lr}			@ 4
	ldr	r4, [r7]			@ 5
	str	r4, [r7, #4]			@ 6
	ldmia	r7!, {r4, r5}			@ 7
	stmia	r7!, {r4, r5}			@ 8
	bl	thumb2				@ 9
	pop	{r4, r5, pc}			@ 10
	.thumb_func
thumb2:	ldrh	r5, [r7, #2]			@ 11
	bx	lr				@ 12

	.bss
	.balign	4096
data:	.space	4096
	.space	4096
stack_end:
