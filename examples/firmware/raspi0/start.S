/* SPDX-License-Identifier: MIT */
/* Raspberry Pi Zero: its firmware loads kernel.img to 0x8000 and jumps there, in supervisor mode. */
	.syntax	unified
	.arm
	.section .text.start, "ax"
	.global	_start
_start:
	ldr	sp, =0x8000			@ below the program
	mrc	p15, 0, r0, c1, c0, 0
	orr	r0, r0, #0x1800			@ instruction cache, branch prediction
	mcr	p15, 0, r0, c1, c0, 0

	ldr	r0, =bss_begin
	ldr	r1, =bss_end
	mov	r2, #0
1:	cmp	r0, r1
	strlo	r2, [r0], #4
	blo	1b

	bl	main
	bl	board_exit
