/* SPDX-License-Identifier: MIT */
/* Switches between tasks. While a task does not run, all its registers are on its own stack. */
	.syntax	unified
	.arm
	.equ	SYSTEM, 0x1F

	/* Saves the task's state on a yield or an interrupt; lr is the address to continue at. */
	.macro	save
	srsdb	sp!, #SYSTEM			@ lr and spsr of this mode
	cps	#SYSTEM
	push	{r0-r12, lr}
	and	r1, sp, #4			@ functions need it aligned to 8
	sub	sp, sp, r1
	ldr	r2, =port_nesting
	ldr	r2, [r2]
	push	{r1, r2}
	ldr	r0, =pxCurrentTCB
	ldr	r0, [r0]
	str	sp, [r0]			@ pxTopOfStack, the first member
	.endm

	.macro	restore
	ldr	r0, =pxCurrentTCB
	ldr	r0, [r0]
	ldr	sp, [r0]
	pop	{r1, r2}
	ldr	r0, =port_nesting
	str	r2, [r0]
	add	sp, sp, r1
	pop	{r0-r12, lr}
	rfeia	sp!
	.endm

	.text
	.balign	32
	.global	port_vectors
port_vectors:
	b	.				@ reset
	b	.				@ undefined instruction
	ldr	pc, =yield
	b	.				@ prefetch abort
	b	.				@ data abort
	b	.
	ldr	pc, =interrupt
	b	.				@ fast interrupt

yield:
	save
	bl	vTaskSwitchContext
	restore

interrupt:
	sub	lr, lr, #4
	save
	bl	port_interrupt
	restore

	.global	port_first_task
port_first_task:
	cpsid	i, #SYSTEM
	restore

	.ltorg
