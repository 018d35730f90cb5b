/* SPDX-License-Identifier: MIT */
/* Code with a countable number of instructions, interrupts off and on, and the memory functions that a
 * compiler may call. */
	.text
	.macro function name
	.global \name
	.type \name, %function
\name:
	.endm

#ifdef __aarch64__

function g_spin			/* 2 + 2n + 1 instructions; n = 0: 2 */
	cbz w0, 2f
	nop
	.global g_spin_loop
g_spin_loop:
	subs w0, w0, #1
	.global g_spin_branch
g_spin_branch:
	b.ne g_spin_loop
2:	ret

function g_mask
	mrs x0, daif
	msr daifset, #2
	ret

function g_restore
	msr daif, x0
	ret

function memcpy
	mov x3, x0
	cbz x2, 2f
1:	ldrb w4, [x1], #1
	strb w4, [x3], #1
	subs x2, x2, #1
	b.ne 1b
2:	ret

function memset
	mov x3, x0
	cbz x2, 2f
1:	strb w1, [x3], #1
	subs x2, x2, #1
	b.ne 1b
2:	ret

#else

function g_spin			/* 2 + 2n + 1 instructions; n = 0: 2 */
	cmp r0, #0
	bxeq lr
	.global g_spin_loop
g_spin_loop:
	subs r0, r0, #1
	.global g_spin_branch
g_spin_branch:
	bne g_spin_loop
	bx lr

function g_mask
	mrs r0, cpsr
	cpsid i
	bx lr

function g_restore
	msr cpsr_c, r0
	bx lr

function memcpy
	mov r3, r0
	cmp r2, #0
	bxeq lr
1:	ldrb r12, [r1], #1
	strb r12, [r3], #1
	subs r2, r2, #1
	bne 1b
	bx lr

function memset
	mov r3, r0
	cmp r2, #0
	bxeq lr
1:	strb r1, [r3], #1
	subs r2, r2, #1
	bne 1b
	bx lr

#endif
