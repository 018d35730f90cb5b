/* SPDX-License-Identifier: MIT */
/* Bare metal in M-mode: sets up a stack, calls main(), and passes its result to the board's test
 * device. Any exception ends the run with code 99. */
	.section .text.start, "ax"
	.globl _start
_start:
	la	sp, stack_top
	la	t0, trapped
	csrw	mtvec, t0
	call	main
	j	leave
	.balign	4
trapped:
	li	a0, 99
leave:
	slli	a0, a0, 16
	li	t0, 0x3333	/* failed, with a code */
	or	a0, a0, t0
	li	t0, 0x13333	/* code 1 is what main() returns when all is well */
	bne	a0, t0, 1f
	li	a0, 0x5555	/* passed */
1:	li	t0, 0x100000
	sw	a0, 0(t0)
2:	j	2b

/* void spin(unsigned long n): 2n + 1 instructions after the call. */
	.globl	spin
spin:
	addi	a0, a0, -1
	bnez	a0, spin
	ret

	.bss
	.balign	16
	.space	8192
stack_top:
