/* SPDX-License-Identifier: MIT */
/*
 * For QEMU's petalogix-ml605, without an operating system: PASSES divisions by zero, each an exception; with
 * INTERRUPTS as many interrupts that the program makes the interrupt controller raise; with PRIVILEGED
 * instructions that user programs may not execute; with SETTINGS, which are instructions before that, PASSES
 * loads of a word. Prints how many handlers have run, and goes on for ever.
 */
	.equ	UART, 0x83e01000	/* 16550, a register every 4 bytes */
	.equ	INTC, 0x81800000	/* xps-intc: ISR 0, IER 8, IAR 12, MER 28 */

	.section .vectors, "ax"
	.org	0x10
	brai	interrupt
	.org	0x20
	brai	exception

	.text
	.global	_start, k_begin, k_end
_start:
	addik	r20, r0, 0		/* handlers that ran */
	addik	r5, r0, 7
	addik	r6, r0, PASSES
	addik	r7, r0, INTC
	addik	r8, r0, 1
	swi	r8, r7, 8
	swi	r8, r7, 28
	mfs	r3, rmsr
	ori	r3, r3, 0x102		/* EE, IE */
	mts	rmsr, r3
#ifdef SETTINGS
	SETTINGS
#endif
k_begin:
	nop
	/* What is behind the instruction or before the branch that does it is in a block of its own. */
#ifdef INTERRUPTS
1:	swi	r8, r7, 0
#elif defined(PRIVILEGED)
1:	wic	r5, r6
	wdc	r5, r6
	wdc.flush r5, r6
	wdc.clear r5, r6
	msrset	r3, 0x20
	msrclr	r3, 0x20
	mts	rmsr, r3
#elif defined(SETTINGS)
1:	lwi	r3, r0, data
#else
1:	idiv	r3, r0, r5
#endif
	bri	4
	addik	r6, r6, -1
	bneid	r6, 1b
	nop
	nop
k_end:
	nop
	addik	r4, r0, UART
	addik	r3, r20, '0'
	swi	r3, r4, 0
	addik	r3, r0, '\n'
	swi	r3, r4, 0
2:	bri	0

	.align	2
data:
	.word	0

exception:
	addik	r20, r20, 1
	rted	r17, 0
	nop

interrupt:
	swi	r8, r7, 12		/* acknowledged */
	addik	r20, r20, 1
	rtid	r14, 0
	nop
