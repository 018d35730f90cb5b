/* SPDX-License-Identifier: MIT */
/*
 * Every instruction of the 32-bit core that a user program may execute and that QEMU has, some of them with
 * each kind of operand that makes a difference: r1 as base, as index, as what is loaded or stored; delay slots
 * with and without work; branches that go and that do not. Exits with 3.
 */
	.macro	conditional cc, reg
	b\cc	\reg, r7
	addk	r3, r3, r3
	b\cc\()i	\reg, 8
	addk	r3, r3, r3
	b\cc\()d	\reg, r7
	nop
	b\cc\()id	\reg, 8
	addk	r3, r3, r3
	.endm

	.global	_start
	.text
_start:
	addik	r2, r0, data
	addik	r4, r0, 4
	addik	r5, r0, -5
	addik	r6, r0, 6
	addik	r16, r0, 0xc0200000	/* -2.5f */
	addik	r17, r0, 0x40800000	/* 4.0f */
	addik	r10, r0, 3		/* passes */
pass:
	/* add, rsub */
	add	r3, r5, r6
	rsub	r3, r5, r6
	addc	r3, r5, r6
	rsubc	r3, r5, r6
	addk	r3, r5, r6
	rsubk	r3, r5, r6
	cmp	r3, r5, r6
	cmpu	r3, r5, r6
	addkc	r3, r5, r6
	rsubkc	r3, r5, r6
	addi	r3, r5, 6
	rsubi	r3, r5, 6
	addic	r3, r5, 6
	rsubic	r3, r5, 6
	addik	r3, r5, 6
	rsubik	r3, r5, 6
	addikc	r3, r5, 6
	rsubikc	r3, r5, 6
	/* multiply, divide */
	mul	r3, r5, r6
	mulh	r3, r5, r6
	mulhsu	r3, r5, r6
	mulhu	r3, r5, r6
	muli	r3, r5, 6
	idiv	r3, r5, r6
	idivu	r3, r5, r6
	/* shifts */
	bsrl	r3, r5, r6
	bsra	r3, r5, r6
	bsll	r3, r5, r6
	bsrli	r3, r5, 6
	bsrai	r3, r5, 6
	bslli	r3, r5, 6
	sra	r3, r5
	src	r3, r5
	srl	r3, r5
	/* logic, pattern compare, extension, bits */
	or	r3, r5, r6
	and	r3, r5, r6
	xor	r3, r5, r6
	andn	r3, r5, r6
	ori	r3, r5, 6
	andi	r3, r5, 6
	xori	r3, r5, 6
	andni	r3, r5, 6
	or	r0, r0, r0
	pcmpbf	r3, r5, r6
	pcmpeq	r3, r5, r6
	pcmpne	r3, r5, r6
	sext8	r3, r5
	sext16	r3, r5
	clz	r3, r5
	swapb	r3, r5
	swaph	r3, r5
	/* floating point */
	fadd	r3, r16, r17
	frsub	r3, r16, r17
	fmul	r3, r16, r17
	fdiv	r3, r16, r17
	fcmp.un	r3, r16, r17
	fcmp.lt	r3, r16, r17
	fcmp.eq	r3, r16, r17
	fcmp.le	r3, r16, r17
	fcmp.gt	r3, r16, r17
	fcmp.ne	r3, r16, r17
	fcmp.ge	r3, r16, r17
	flt	r3, r5
	fint	r3, r16
	fsqrt	r3, r17
	/* machine status: only the carry is a program's */
	msrset	r3, 4
	msrclr	r3, 4
	mfs	r3, rpc
	mfs	r3, rmsr
	mbar	1
	mbar	2
	/* prefix: the assembler's own, and, which it does not take as an instruction, one that says nothing */
	addik	r3, r0, 0x12345678
	.long	0xb0000000		/* imm 0 */
	lwi	r3, r2, 0
	/* loads: r1 as base, as index, as neither */
	lbu	r3, r2, r4
	lbur	r3, r2, r4
	lbui	r3, r2, 1
	lhu	r3, r2, r4
	lhur	r3, r2, r4
	lhui	r3, r2, 2
	lw	r3, r2, r4
	lwr	r3, r2, r4
	lwi	r3, r2, 4
	lwx	r3, r2, r4
	swx	r3, r2, r4
	swx	r3, r2, r4		/* no lwx before it */
	addk	r9, r1, r0
	addk	r1, r2, r0
	lwi	r3, r1, 4
	lw	r3, r1, r4
	lw	r3, r4, r1
	lbui	r3, r1, 5
	lhu	r3, r1, r4
	swi	r3, r1, 4
	sw	r3, r1, r4
	sw	r3, r4, r1
	sbi	r3, r1, 5
	sh	r3, r1, r4
	swi	r1, r2, 8
	lwi	r1, r2, 8
	addk	r1, r9, r0
	/* stores */
	sb	r3, r2, r4
	sbr	r3, r2, r4
	sbi	r3, r2, 1
	sh	r3, r2, r4
	shr	r3, r2, r4
	shi	r3, r2, 2
	sw	r3, r2, r4
	swr	r3, r2, r4
	swi	r3, r2, 4

	/* branches to registers and to labels */
	addik	r7, r0, 8
	br	r7
	nop
	addik	r7, r0, 1f
	bra	r7
	nop
1:	addik	r7, r0, 8
	brd	r7
	addk	r3, r3, r3
	addik	r7, r0, 1f
	brad	r7
	nop
1:	addik	r7, r0, f
	addik	r8, r0, f
	mfs	r9, rpc
	rsubk	r8, r9, r8
	addik	r8, r8, -12
	brld	r15, r8			/* as far from here as f is */
	addk	r3, r3, r3
	brald	r15, r7
	nop
	bri	8
	nop
	brai	1f
	nop
1:	brid	8
	addk	r3, r3, r3
	braid	1f
	nop
1:	brlid	r15, f
	nop
	bralid	r15, f
	addk	r3, r3, r3

	/* conditional ones: of r0, r5 < 0, r6 > 0; to registers and to labels, with and without slot */
	addik	r7, r0, 8
	.irp	reg, r0, r5, r6
	conditional eq, \reg
	conditional ne, \reg
	conditional lt, \reg
	conditional le, \reg
	conditional gt, \reg
	conditional ge, \reg
	.endr
	addik	r10, r10, -1
	bneid	r10, pass
	nop

	addik	r5, r0, 3
	addik	r12, r0, 1		/* exit */
	brki	r14, 8

f:	rtsd	r15, 8
	addk	r3, r3, r3

	.bss
	.balign	64
data:	.space	64
