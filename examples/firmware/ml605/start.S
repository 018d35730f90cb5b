/* SPDX-License-Identifier: MIT */
/* MicroBlaze: started by QEMU, by a debugger or by a boot loader, with caches and translation off. A callee may
 * write to the words above the frame's first, where its parameters have room. */
	.section .text.start, "ax"
	.global	_start
_start:
	addik	r1, r0, stack_top - 32
	addik	r5, r0, bss_begin
	addik	r6, r0, bss_end
1:	rsubk	r3, r6, r5
	bgei	r3, 2f
	swi	r0, r5, 0
	brid	1b
	addik	r5, r5, 4

2:	msrset	r0, 0xa0		/* both caches on; they are empty after a reset */
	brlid	r15, main
	nop
	brlid	r15, board_exit
	addk	r5, r3, r0
