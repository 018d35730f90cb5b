/* SPDX-License-Identifier: MIT */
/*
 * Firmware for a raspi0 that reads and writes registers of a device (its PL011) in the middle of
 * straight code: alone, twice in a row, by a load multiple, and directly before a branch. 4
 * instructions come before the loop and 3 after it. A pass has 16 instructions.
 */
	.syntax	unified
	.arch	armv6k
	.arm
	.global	_start
_start:
	ldr	sp, =stack_end			@ 1
	ldr	r8, =0x20201000			@ 2
	ldr	r9, =PASSES			@ 3
	ldr	r7, =data			@ 4

again:	ldr	r4, [r8, #0x18]			@ 1: a device
	add	r4, r4, #1			@ 2
	str	r4, [r7, #4]			@ 3
	str	r4, [r8, #0x24]			@ 4: a device
	ldr	r5, [r8, #0x24]			@ 5: a device
	mul	r4, r5, r5			@ 6
	ldr	r4, [r7, #4]			@ 7
	add	r6, r8, #0x24			@ 8
	ldm	r6, {r4, r5}			@ 9: a device
	stm	r7, {r4, r5}			@ 10
	tst	r9, #1				@ 11
	ldrne	r4, [r8, #0x18]			@ 12: a device, in every other pass
	strdeq	r4, r5, [r7]			@ 13: memory, in the other passes
	ldr	r4, [r8, #0x18]			@ 14: a device
	subs	r9, r9, #1			@ 15
	bne	again				@ 16

	mov	r0, #0x18			@ 1: semihosting, ends the program
	ldr	r1, =0x20026			@ 2
	svc	#0x123456			@ 3
	.ltorg

	.bss
	.balign	4096
data:	.space	4096
	.space	4096
stack_end:
