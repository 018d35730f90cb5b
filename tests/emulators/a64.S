/* SPDX-License-Identifier: MIT */
/*
 * Every kind of data access of a Cortex-A53, each PASSES times, on the program's own stack. 8
 * instructions come before the loop and 3 after it. A pass has the 38 numbered instructions, and 5
 * in `leaf`.
 */
	.global	_start
_start:
	adrp	x8, stack_end			// 1
	add	x8, x8, :lo12:stack_end		// 2
	mov	sp, x8				// 3
	adrp	x8, data			// 4
	add	x8, x8, :lo12:data		// 5
	mov	x9, #PASSES			// 6
	mov	x0, #0				// 7
	fmov	d0, #1.0			// 8

again:	ldrb	w4, [x8, #1]			// 1
	strb	w4, [x8, #2]			// 2
	ldrh	w4, [x8, #4]			// 3
	strh	w4, [x8, #6]			// 4
	ldr	w4, [x8, #8]			// 5
	str	x4, [x8, #16]			// 6
	ldur	x4, [x8, #61]			// 7: two lines
	stur	x4, [x8, #125]			// 8
	ldp	w4, w5, [x8]			// 9
	stp	w4, w5, [x8, #8]		// 10
	ldp	x4, x5, [x8, #24]		// 11
	stp	x4, x5, [x8, #56]		// 12: two lines
	ldp	x4, x5, [x8, #24]		// 13: the same twice
	ldp	x4, x5, [x8, #24]		// 14
	ldr	q1, [x8, #32]			// 15
	str	q1, [x8, #64]			// 16
	ldp	q1, q2, [x8, #32]		// 17
	stp	q1, q2, [x8, #96]		// 18
	ldp	d1, d2, [x8, #32]		// 19
	ldp	s1, s2, [x8, #32]		// 20
	ld1	{v1.16b, v2.16b, v3.16b, v4.16b}, [x8] // 21
	st1	{v1.4s, v2.4s}, [x8]		// 22
	ld4	{v1.4s, v2.4s, v3.4s, v4.4s}, [x8] // 23
	st2	{v1.8h, v2.8h}, [x8]		// 24
	ld1r	{v5.4s}, [x8]			// 25
	ld1	{v5.s}[1], [x8]			// 26
	add	x7, x8, #128			// 27
	ldxr	x4, [x7]			// 28
	stxr	w5, x4, [x7]			// 29
	ldxp	x4, x5, [x7]			// 30
	stxp	w6, x4, x5, [x7]		// 31
	stxr	w5, x4, [x7]			// 32: stores nothing
	ldaxr	w4, [x7]			// 33
	stlxr	w5, w4, [x7]			// 34
	dc	zva, x7				// 35
	bl	leaf				// 36
	subs	x9, x9, #1			// 37
	b.ne	again				// 38

	mov	x0, #0				// 1
	mov	x8, #93				// 2
	svc	#0				// 3

leaf:	stp	x29, x30, [sp, #-16]!		// 1
	fadd	d0, d0, d0			// 2
	madd	x4, x4, x9, x4			// 3
	ldp	x29, x30, [sp], #16		// 4
	ret					// 5

	.bss
	.balign	4096
data:	.space	4096
	.space	4096
stack_end:
