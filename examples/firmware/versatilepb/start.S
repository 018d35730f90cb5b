/* SPDX-License-Identifier: MIT */
/* Versatile PB: started by QEMU, by a debugger or by the boot monitor (which has set up the UART), in
 * supervisor mode. */
	.syntax	unified
	.arm
	.section .text.start, "ax"
	.global	_start
_start:
	ldr	sp, =stack_top
	ldr	r0, =bss_begin
	ldr	r1, =bss_end
	mov	r2, #0
1:	cmp	r0, r1
	strlo	r2, [r0], #4
	blo	1b

	bl	main
	bl	board_exit
