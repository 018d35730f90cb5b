/* SPDX-License-Identifier: MIT */
/*
 * LOADS loads, each of which reads the address of the next. The chain is built by stores, which
 * allocate no line but bring the pages into the TLBs. The chain is one of:
 *   NODES, STRIDE: a ring of NODES words STRIDE bytes apart, from low to high.
 *   COLUMNS: COLUMNS lines of every one of the 128 sets of a 16 KB cache with 4 ways (4096 bytes
 *            apart), set after set: 128 * COLUMNS lines.
 */
#include "kernel.inc"

	.macro	setup
	mov	r0, r10
#ifdef COLUMNS
	mov	r8, r10			/* first line of the next set */
	mov	r5, #128
1:	mov	r6, #COLUMNS
	add	r8, r8, #32
2:	add	r7, r0, #4096
	subs	r6, r6, #1
	moveq	r7, r8
	str	r7, [r0]
	mov	r9, r0
	mov	r0, r7
	bne	2b
	nop
	subs	r5, r5, #1
	bne	1b
	nop
#else
	movi	r4, STRIDE
	movi	r5, NODES
1:	add	r7, r0, r4
	str	r7, [r0]
	mov	r9, r0
	mov	r0, r7
	subs	r5, r5, #1
	bne	1b
	nop
#endif
	str	r10, [r9]		/* the last points to the first */
	mov	r1, r10
	movi	r0, LOADS
	.endm

	start
	begin
3:	ldr	r1, [r1]
	subs	r0, r0, #1
	bne	3b
	add	r2, r1, #0		/* waits for the last load */
	nop
	finish
