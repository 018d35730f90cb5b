// SPDX-License-Identifier: MIT
/*
 * The frame of the generated programs on QEMU's virt board: the start at the highest exception
 * level that the board has, exception vectors, two subroutines, and the end, which writes the log
 * to the file "log".
 *
 * Registers of the programs (emit.c):
 *   x0       the value read; the marker of an exception where there was one
 *   x19      where the next word of the log goes
 *   x21      scratch of the vectors
 *   x23      1: the next exception is wanted, continue at its level
 *   x24      dump: log the registers of the PMU, from the highest level
 *   x25      finish
 *   x26      reset: stop and clear the PMU, from the highest level
 *   x27      GICD_ISPENDR0
 *   x28      MARKER
 *
 * program.h has the numbers of instructions of the vectors and subroutines, because QEMU counts
 * these instructions, too.
 */
	.arch	armv8-a

	.equ	CODE, 0x40400000	// the programs, loaded as a file
	.equ	LOG, 0x43000000
	.equ	GICD_CTLR, 0x08000000
	.equ	GICD_ISPENDR0, 0x08000200
	.equ	MARKER, 0xDEAD000000000800	// + level << 8 + exception class

	.text
	.globl	_start
_start:
	mrs	x0, CurrentEL
	cmp	x0, #(3 << 2)
	b.eq	3f
	cmp	x0, #(2 << 2)
	b.eq	2f
	b	1f
3:	adr	x1, vectors3
	msr	vbar_el3, x1
	adr	x1, vectors2
	msr	vbar_el2, x1		// EL3 may write it even if there is no EL2
	b	1f
2:	adr	x1, vectors2
	msr	vbar_el2, x1
1:	adr	x1, vectors1
	msr	vbar_el1, x1
	isb
	ldr	x1, =GICD_CTLR
	mov	w2, #1
	str	w2, [x1]
	ldr	x19, =LOG
	adr	x24, dump
	adr	x25, finish
	adr	x26, reset
	ldr	x27, =GICD_ISPENDR0
	ldr	x28, =MARKER
	mov	x23, #0
	ldr	x1, =CODE
	br	x1

reset:
	mov	x1, #-1
	msr	pmcntenclr_el0, x1	// first: MDCR_EL2.HPME keeps some counters running
	mov	x2, #6			// P, C
	msr	pmcr_el0, x2
	msr	pmovsclr_el0, x1
	msr	pmintenclr_el1, x1
	msr	pmselr_el0, xzr
	msr	pmuserenr_el0, xzr
	msr	pmccfiltr_el0, xzr
	.irp	n, 0, 1, 2, 3, 4, 5
	msr	pmevtyper\n\()_el0, xzr
	.endr
	isb
	ret

/* The registers are in the order of dumped[] in program.c. */
	.macro	show reg
	mrs	x0, \reg
	str	x0, [x19], #8
	.endm
dump:
	msr	pmcntenset_el0, xzr	// QEMU's flags are late otherwise: deviations.c
	show	pmcr_el0
	show	pmcntenset_el0
	show	pmovsclr_el0
	show	pmintenset_el1
	show	pmselr_el0
	show	pmuserenr_el0
	show	pmccntr_el0
	show	pmccfiltr_el0
	.irp	n, 0, 1, 2, 3, 4, 5
	show	pmevcntr\n\()_el0
	show	pmevtyper\n\()_el0
	.endr
	ret

/* An expected exception returns to the next instruction at this level. Any other exception puts its
 * marker into x0 and skips the instruction. */
	.macro	handler el
handler\el:
	cbnz	x23, 1f
	mrs	x21, esr_el\el
	lsr	x21, x21, #26
	add	x0, x28, x21
	add	x0, x0, #(\el << 8)
	mrs	x21, elr_el\el
	add	x21, x21, #4
	msr	elr_el\el, x21
	eret
1:	mov	x23, #0
	mrs	x21, elr_el\el
	br	x21

	.balign	2048
vectors\el:
	.rept	16
	b	handler\el
	.balign	128
	.endr
	.endm

	handler	1
	handler	2
	handler	3

	.macro	semihosting operation
	mov	w0, #\operation
	hlt	#0xF000
	.endm
finish:
	adr	x1, open
	semihosting 0x01		// SYS_OPEN
	ldr	x2, =LOG
	sub	x3, x19, x2
	adr	x1, write
	str	x0, [x1]
	str	x3, [x1, #16]
	semihosting 0x05		// SYS_WRITE
	adr	x1, end
	semihosting 0x18		// SYS_EXIT
	b	.

	.balign	8
open:	.quad	name, 5, 3		// "wb"
write:	.quad	0, LOG, 0
end:	.quad	0x20026, 0		// ADP_Stopped_ApplicationExit, 0
name:	.asciz	"log"
	.balign	8
	.ltorg
