/* SPDX-License-Identifier: MIT */
/* QEMU's virt machine starts an ELF file at its entry, with the MMU off: at EL1, or at EL2 with
 * virtualization=on. The code below is written for EL1, with EL0 below it. */
	.section .text.start, "ax"
	.global	_start
_start:
	mrs	x0, CurrentEL
	cmp	x0, #2 << 2
	b.ne	at_el1
	mov	x0, #1 << 31			// HCR_EL2: EL1 is AArch64, nothing traps
	msr	hcr_el2, x0
	ldr	x0, =0x30d00800			// SCTLR_EL1: the bits that are 1, MMU and caches off
	msr	sctlr_el1, x0
	adr	x0, at_el1
	msr	elr_el2, x0
	mov	x0, #0x3c5			// EL1 with its own stack pointer, interrupts masked
	msr	spsr_el2, x0
	eret
at_el1:	ldr	x0, =stack_top
	mov	sp, x0
	adr	x0, vectors
	msr	vbar_el1, x0

	ldr	x0, =bss_begin
	ldr	x1, =bss_end
1:	cmp	x0, x1
	b.hs	2f
	str	xzr, [x0], #8
	b	1b
2:	bl	main
	bl	board_exit

/* Exceptions: the registers that a C function may change are saved in a struct frame (main.c) and
 * restored from it. */
	.macro	vector	handler
	.balign	128
	stp	x0, x1, [sp, #-176]!
	adr	x1, \handler
	b	exception
	.endm

	.macro	unused	count
	.rept	\count
	vector	unexpected
	.endr
	.endm

	.balign	2048
vectors:
	unused	4
	vector	synchronous			// from EL1
	vector	interrupt
	unused	2
	.balign	128
	stp	x0, x1, [sp, #-176]!		// from EL0, which SVC leaves
	mrs	x0, esr_el1
	lsr	x0, x0, #26
	cmp	x0, #0x15
	b.eq	leave_el0
	adr	x1, synchronous
	b	exception
	vector	interrupt
	unused	6

exception:
	stp	x2, x3, [sp, #16]
	stp	x4, x5, [sp, #32]
	stp	x6, x7, [sp, #48]
	stp	x8, x9, [sp, #64]
	stp	x10, x11, [sp, #80]
	stp	x12, x13, [sp, #96]
	stp	x14, x15, [sp, #112]
	stp	x16, x17, [sp, #128]
	stp	x18, x30, [sp, #144]
	mrs	x2, elr_el1
	mrs	x3, spsr_el1
	stp	x2, x3, [sp, #160]
	mov	x0, sp
	blr	x1
	ldp	x2, x3, [sp, #160]
	msr	elr_el1, x2
	msr	spsr_el1, x3
	ldp	x2, x3, [sp, #16]
	ldp	x4, x5, [sp, #32]
	ldp	x6, x7, [sp, #48]
	ldp	x8, x9, [sp, #64]
	ldp	x10, x11, [sp, #80]
	ldp	x12, x13, [sp, #96]
	ldp	x14, x15, [sp, #112]
	ldp	x16, x17, [sp, #128]
	ldp	x18, x30, [sp, #144]
	ldp	x0, x1, [sp], #176
	eret

/* uint64_t at_el0(uint64_t (*f)(uint64_t), uint64_t x) calls f(x) at EL0, on a stack of its own. */
	.global	at_el0
at_el0:
	stp	x29, x30, [sp, #-112]!
	stp	x19, x20, [sp, #16]
	stp	x21, x22, [sp, #32]
	stp	x23, x24, [sp, #48]
	stp	x25, x26, [sp, #64]
	stp	x27, x28, [sp, #80]
	mrs	x2, daif				// an exception masks interrupts
	str	x2, [sp, #96]
	msr	elr_el1, x0
	msr	spsr_el1, xzr			// EL0, interrupts unmasked
	ldr	x2, =user_stack_top
	msr	sp_el0, x2
	mov	x0, x1
	adr	x30, 1f
	eret
1:	svc	#0
leave_el0:
	ldp	x0, x1, [sp], #176
	ldr	x2, [sp, #96]
	msr	daif, x2
	ldp	x19, x20, [sp, #16]
	ldp	x21, x22, [sp, #32]
	ldp	x23, x24, [sp, #48]
	ldp	x25, x26, [sp, #64]
	ldp	x27, x28, [sp, #80]
	ldp	x29, x30, [sp], #112
	ret
