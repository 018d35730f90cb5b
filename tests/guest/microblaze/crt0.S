/* SPDX-License-Identifier: MIT */
/*
 * Entry of a MicroBlaze program in user emulation. Linux enters it with r1 at argc, which argv follows.
 * The callee may write to the words above the frame's first, where its parameters have room: 8 words.
 */
	.section .text.start, "ax"
	.global	_start
	.type	_start, @function
_start:
	lwi	r5, r1, 0
	addik	r6, r1, 4
	addik	r1, r1, -32
	brlid	r15, main
	or	r0, r0, r0
	addk	r5, r3, r0
	addik	r12, r0, 1		/* exit */
	brki	r14, 8
	.size	_start, . - _start
