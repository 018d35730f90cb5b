@ SPDX-License-Identifier: MIT
@ Assembler lines for the cross-check of src/cpu/isa/arm_v6.c against binutils: the whole of ARMv6K A32, the
@ 16-bit Thumb set and VFPv2, with the forms that are easy to get wrong.
	.syntax unified
	.arm
arm_start:
	@ data processing
	and	r0, r1, r2
	ands	r0, r1, #255
	eor	r3, r4, r5, lsl #3
	eors	r3, r4, r5, lsr r6
	sub	r0, r1, #4
	subs	r0, r0, #1
	rsb	r7, r8, #0
	rsbs	r7, r8, r9, asr #31
	add	r0, r1, r2, lsl #2
	add	sp, sp, #16
	add	r0, pc, #8
	sub	r0, pc, #8
	adc	r0, r1, r2
	adcs	r0, r1, r2, ror #4
	sbc	r0, r1, r2
	sbcs	r0, r1, r2, lsl r3
	rsc	r0, r1, r2
	rscs	r0, r1, #0
	tst	r0, #1
	tst	r0, r1, lsl #4
	teq	r0, r1
	teq	r9, r10, ror r11
	cmp	r0, #0
	cmp	r0, r1
	cmp	r0, r1, lsl #2
	cmn	r0, #1
	cmn	r0, r1, lsr r2
	orr	r0, r1, r2
	orrs	r0, r1, r2, rrx
	mov	r0, r1
	movs	r0, r1
	mov	r0, #0
	movs	r0, #0xff000000
	lsl	r0, r1, #5
	lsls	r0, r1, #5
	lsr	r0, r1, #32
	asr	r0, r1, #7
	asrs	r0, r1, r2
	lsl	r0, r1, r2
	ror	r0, r1, #9
	rors	r0, r1, r2
	rrx	r0, r1
	rrxs	r0, r1
	bic	r0, r1, #3
	bics	r0, r1, r2
	mvn	r0, #0
	mvn	r0, r1
	mvns	r0, r1, asr #2
	mvn	r0, r1, lsl r2
	moveq	r0, #1
	movne	r0, r1
	addcs	r0, r1, r2
	subscc	r0, r1, #1
	cmpmi	r0, r1
	orrpl	r0, r1, r2, lsl #1
	tstvs	r0, r1
	bicvc	r0, r1, r2
	eorhi	r0, r1, r2
	andls	r0, r1, r2
	rsbge	r0, r1, #0
	mvnlt	r0, r1
	adcgt	r0, r1, r2
	sbcle	r0, r1, r2
	nop
	mov	r0, r0
	@ multiplies
	mul	r0, r1, r2
	muls	r0, r1, r2
	muleq	r0, r1, r2
	mla	r0, r1, r2, r3
	mlas	r0, r1, r2, r3
	mlane	r4, r5, r6, r7
	umull	r0, r1, r2, r3
	umulls	r0, r1, r2, r3
	umlal	r0, r1, r2, r3
	umlals	r0, r1, r2, r3
	smull	r0, r1, r2, r3
	smulls	r4, r5, r6, r7
	smlal	r0, r1, r2, r3
	smlals	r8, r9, r10, r11
	smullgt	r0, r1, r2, r3
	umaal	r0, r1, r2, r3
	umaaleq	r0, r1, r2, r3
	smulbb	r0, r1, r2
	smulbt	r0, r1, r2
	smultb	r0, r1, r2
	smultt	r0, r1, r2
	smulwb	r0, r1, r2
	smulwt	r0, r1, r2
	smlabb	r0, r1, r2, r3
	smlabt	r0, r1, r2, r3
	smlatb	r0, r1, r2, r3
	smlatt	r0, r1, r2, r3
	smlawb	r0, r1, r2, r3
	smlawt	r0, r1, r2, r3
	smlalbb	r0, r1, r2, r3
	smlalbt	r0, r1, r2, r3
	smlaltb	r0, r1, r2, r3
	smlaltt	r0, r1, r2, r3
	smlalttne r0, r1, r2, r3
	smuad	r0, r1, r2
	smuadx	r0, r1, r2
	smusd	r0, r1, r2
	smusdx	r0, r1, r2
	smlad	r0, r1, r2, r3
	smladx	r0, r1, r2, r3
	smlsd	r0, r1, r2, r3
	smlsdx	r0, r1, r2, r3
	smlald	r0, r1, r2, r3
	smlaldx	r0, r1, r2, r3
	smlsld	r0, r1, r2, r3
	smlsldx	r0, r1, r2, r3
	smmul	r0, r1, r2
	smmulr	r0, r1, r2
	smmla	r0, r1, r2, r3
	smmlar	r0, r1, r2, r3
	smmls	r0, r1, r2, r3
	smmlsr	r0, r1, r2, r3
	usad8	r0, r1, r2
	usada8	r0, r1, r2, r3
	@ saturating, media, extend
	qadd	r0, r1, r2
	qsub	r0, r1, r2
	qdadd	r0, r1, r2
	qdsub	r0, r1, r2
	qaddlt	r0, r1, r2
	sadd8	r0, r1, r2
	sadd16	r0, r1, r2
	ssub8	r0, r1, r2
	ssub16	r0, r1, r2
	sasx	r0, r1, r2
	ssax	r0, r1, r2
	qadd8	r0, r1, r2
	qadd16	r0, r1, r2
	qsub8	r0, r1, r2
	qsub16	r0, r1, r2
	qasx	r0, r1, r2
	qsax	r0, r1, r2
	shadd8	r0, r1, r2
	shadd16	r0, r1, r2
	shsub8	r0, r1, r2
	shsub16	r0, r1, r2
	shasx	r0, r1, r2
	shsax	r0, r1, r2
	uadd8	r0, r1, r2
	uadd16	r0, r1, r2
	usub8	r0, r1, r2
	usub16	r0, r1, r2
	uasx	r0, r1, r2
	usax	r0, r1, r2
	uqadd8	r0, r1, r2
	uqadd16	r0, r1, r2
	uqsub8	r0, r1, r2
	uqsub16	r0, r1, r2
	uqasx	r0, r1, r2
	uqsax	r0, r1, r2
	uhadd8	r0, r1, r2
	uhadd16	r0, r1, r2
	uhsub8	r0, r1, r2
	uhsub16	r0, r1, r2
	uhasx	r0, r1, r2
	uhsax	r0, r1, r2
	uadd8eq	r0, r1, r2
	sel	r0, r1, r2
	clz	r0, r1
	clzne	r0, r1
	pkhbt	r0, r1, r2
	pkhbt	r0, r1, r2, lsl #16
	pkhtb	r0, r1, r2, asr #16
	ssat	r0, #8, r1
	ssat	r0, #8, r1, lsl #4
	usat	r0, #8, r1
	usat	r0, #8, r1, asr #4
	ssat16	r0, #8, r1
	usat16	r0, #8, r1
	sxtb	r0, r1
	sxtb	r0, r1, ror #8
	sxtb16	r0, r1
	sxth	r0, r1
	uxtb	r0, r1
	uxtb16	r0, r1, ror #24
	uxth	r0, r1
	uxthge	r0, r1
	sxtab	r0, r1, r2
	sxtab16	r0, r1, r2
	sxtah	r0, r1, r2, ror #16
	uxtab	r0, r1, r2
	uxtab16	r0, r1, r2
	uxtah	r0, r1, r2
	uxtahls	r0, r1, r2
	rev	r0, r1
	rev16	r0, r1
	revsh	r0, r1
	revcc	r0, r1
	@ status, hints, coprocessor
	mrs	r0, cpsr
	mrs	r0, spsr
	mrseq	r0, cpsr
	msr	cpsr_f, r0
	msr	cpsr_fc, r0
	msr	spsr_fsxc, r0
	msr	cpsr_f, #0xf0000000
	msr	cpsr_c, #0xd3
	msrne	cpsr_f, r0
	setend	be
	setend	le
	cpsie	i
	cpsid	if, #19
	cps	#31
	clrex
	yield
	wfe
	wfi
	sev
	mcr	p15, 0, r0, c7, c10, 4
	mcr	p15, 0, r0, c7, c10, 5
	mcr	p15, 0, r0, c7, c5, 4
	mcr	p15, 0, r0, c7, c5, 6
	mcr	p15, 0, r0, c7, c5, 7
	mcr	p15, 0, r0, c7, c5, 0
	mcr	p15, 0, r0, c7, c7, 0
	mcr	p15, 0, r0, c7, c0, 4
	mcr	p15, 0, r0, c8, c7, 0
	mcr	p15, 0, r0, c8, c5, 1
	mcr	p15, 0, r0, c2, c0, 0
	mcr	p15, 0, r0, c3, c0, 0
	mcr	p15, 0, r0, c13, c0, 1
	mcr	p15, 0, r0, c13, c0, 3
	mcr	p15, 0, r0, c15, c12, 0
	mrc	p15, 0, r0, c15, c12, 1
	mrc	p15, 0, r0, c0, c0, 0
	mrcne	p15, 0, r1, c1, c0, 0
	mrc	p14, 0, apsr_nzcv, c0, c1, 0
	mcrr	p15, 0, r0, r1, c6
	mcrr	p15, 0, r0, r1, c5
	mrrc	p15, 0, r2, r3, c5
	mcrr2	p7, 1, r0, r1, c6
	mrrc2	p7, 1, r2, r3, c5
	mcr2	p7, 0, r0, c7, c10, 4
	mrc2	p7, 0, r0, c7, c10, 4
	cdp	p7, 1, c0, c1, c2, 3
	cdp2	p7, 1, c0, c1, c2, 3
	ldc	p7, c0, [r0]
	ldcl	p7, c0, [r0, #4]!
	stc	p7, c0, [r0], #8
	ldc2	p7, c0, [r0]
	stc2	p7, c0, [r0, #-8]
	ldc	p7, c0, [r0], {1}
	@ single loads and stores
	ldr	r0, [r1]
	ldr	r0, [r1, #4]
	ldr	r0, [r1, #-4]!
	ldr	r0, [r1], #4
	ldr	r0, [r1, r2]
	ldr	r0, [r1, -r2]
	ldr	r0, [r1, r2, lsl #2]
	ldr	r0, [r1, r2, lsl #3]
	ldr	r0, [r1, r2, asr #2]
	ldr	r0, [r1, -r2, lsl #2]
	ldr	r0, [r1, r2, rrx]
	ldr	r0, [r1, r2]!
	ldr	r0, [r1], r2
	ldr	r0, [r1], r2, lsl #2
	ldr	r0, [r1], -r2
	ldr	r0, [pc, #8]
	ldr	r0, [pc, #-8]
	ldr	r0, [pc, r1]
	ldr	r0, [sp, #4]
	ldr	r0, [sp], #4
	ldr	lr, [sp], #8
	ldreq	r0, [r1]
	ldrt	r0, [r1]
	ldrt	r0, [r1], #4
	ldrb	r0, [r1]
	ldrb	r0, [r1, r2, lsl #1]
	ldrb	r0, [pc, #4]
	ldrbt	r0, [r1], #1
	ldrbne	r0, [r1], #1
	ldrh	r0, [r1]
	ldrh	r0, [r1, #2]!
	ldrh	r0, [r1], #2
	ldrh	r0, [r1, r2]
	ldrh	r0, [r1, -r2]
	ldrh	r0, [pc, #4]
	ldrsb	r0, [r1, #1]
	ldrsb	r0, [r1], r2
	ldrsh	r0, [r1, #2]
	ldrshmi	r0, [r1, r2]
	ldrd	r0, r1, [r2]
	ldrd	r0, r1, [r2, #8]!
	ldrd	r0, r1, [r2], r4
	ldrd	r0, r1, [pc, #8]
	ldrdeq	r4, r5, [r2, -r3]
	str	r0, [r1]
	str	r0, [r1, #-4]!
	str	r0, [sp, #-4]!
	str	r0, [r1, r2, lsl #2]
	str	r0, [r1, -r2]
	str	r0, [r1], #4
	str	r0, [r1], r2, lsl #4
	strcs	r0, [r1]
	strt	r0, [r1], #4
	str	pc, [r1]
	strb	r0, [r1]
	strb	r0, [r1, r2]
	strb	r0, [r1], #1
	strbt	r0, [r1], #1
	strh	r0, [r1]
	strh	r0, [r1, #2]!
	strh	r0, [r1], -r2
	strhlt	r0, [r1]
	strd	r0, r1, [r2]
	strd	r0, r1, [r2, #-8]!
	strd	r6, r7, [r2, r3]
	@ multiples
	ldmia	r0, {r1, r2, r3}
	ldmia	r0!, {r1-r7}
	ldmda	r0, {r1, r2}
	ldmdb	r0!, {r1, r2}
	ldmib	r0, {r1}
	ldmia	r0, {r0, r1}
	ldm	r0, {r1-r3}^
	ldmeq	r0, {r1, r2}
	pop	{r4}
	pop	{r4, r5}
	popne	{r4, r5}
	pop	{r4-r11, lr}
	stmia	r0, {r1-r7}
	stmia	r0!, {r1}
	stmda	r0, {r1, r2}
	stmdb	r0!, {r0, r1}
	stmib	r0, {r1, pc}
	stm	r0, {r1-r3}^
	stmne	r0!, {r1, r2}
	push	{r4}
	push	{r4, lr}
	pushge	{r4-r11, lr}
	@ exclusives, swap, preload
	swp	r0, r1, [r2]
	swpb	r0, r1, [r2]
	swpne	r0, r1, [r2]
	ldrex	r0, [r1]
	strex	r0, r1, [r2]
	ldrexb	r0, [r1]
	strexb	r0, r1, [r2]
	ldrexh	r0, [r1]
	strexh	r0, r1, [r2]
	ldrexd	r0, r1, [r2]
	strexd	r0, r2, r3, [r4]
	ldrexne	r0, [r1]
	strexeq	r0, r1, [r2]
	pld	[r0]
	pld	[r0, #32]
	pld	[r0, #-32]
	pld	[r0, r1]
	pld	[r0, -r1, lsl #2]
	pld	[pc, #8]
	@ branches
	b	arm_start
	beq	arm_start
	bl	arm_start
	blne	arm_start
	blx	thumb_start
	blx	r3
	blxeq	r3
	bx	r3
	bx	lr
	bxne	lr
	bxj	r0
	bxjne	r1
	@ writes to the PC
	mov	pc, lr
	moveq	pc, lr
	mov	pc, r3
	movs	pc, lr
	subs	pc, lr, #4
	add	pc, pc, r0, lsl #2
	addls	pc, pc, r3, lsl #2
	bic	pc, r0, #3
	mvn	pc, r0
	ldr	pc, [r0]
	ldr	pc, [pc, #-4]
	ldr	pc, [r0, r1, lsl #2]
	ldrls	pc, [pc, r3, lsl #2]
	ldr	pc, [sp], #4
	ldr	pc, [sp, #4]
	ldr	pc, [sp, #4]!
	pop	{pc}
	pop	{r4, pc}
	popeq	{r4, pc}
	ldmia	sp, {r4, pc}
	ldmia	sp!, {r4, pc}^
	ldmia	r0, {r1, pc}
	ldmia	r0!, {r1, pc}^
	ldmdb	r11, {r4, r11, sp, pc}
	rfeia	sp!
	rfedb	r0
	srsdb	sp!, #19
	srsia	sp, #31
	svc	#0
	svceq	#1
	bkpt	#0
	udf	#1
	smc	#0
	@ VFPv2
	vadd.f32	s0, s1, s2
	vadd.f64	d0, d1, d2
	vsub.f32	s0, s1, s2
	vmul.f64	d0, d1, d2
	vmla.f32	s0, s1, s2
	vmls.f64	d0, d1, d2
	vnmla.f32	s0, s1, s2
	vnmul.f64	d0, d1, d2
	vdiv.f64	d0, d1, d2
	vsqrt.f32	s0, s1
	vabs.f64	d0, d1
	vneg.f32	s0, s1
	vcmp.f32	s0, s1
	vcmpe.f64	d0, #0
	vcvt.f64.f32	d0, s1
	vcvt.s32.f64	s0, d1
	vcvtr.s32.f32	s0, s1
	vmov.f32	s0, s1
	vmov.f64	d0, d1
	vmov	s0, r1
	vmov	r1, s0
	vmov	s0, s1, r2, r3
	vmov	r2, r3, s0, s1
	vmov	d0, r1, r2
	vmov	r1, r2, d0
	vmov.32	d0[0], r1
	vmov.32	r1, d0[1]
	vmrs	r0, fpscr
	vmrs	APSR_nzcv, fpscr
	vmsr	fpscr, r0
	vmrs	r1, fpsid
	vldr	s0, [r1]
	vldr	d0, [r1, #-8]
	vldr	d0, [pc, #8]
	vldreq	s1, [r1, #4]
	vstr	s0, [r1]
	vstr	d0, [r1, #16]
	vldmia	r0, {s0-s3}
	vldmia	r0!, {d0-d3}
	vldmdb	r0!, {s4}
	vstmia	r0, {s0-s2}
	vstmdb	r0!, {d8-d15}
	vstmiane	r0!, {d0}
	vpush	{d8}
	vpop	{d8, d9}
	vpush	{s16-s18}
	fldmiax	r0!, {d0-d2}
	fstmiax	r0, {d0-d1}
	vaddne.f32	s0, s1, s2

	.thumb
	.align	2
thumb_start:
	movs	r0, r1
	lsls	r0, r1, #3
	lsrs	r0, r1, #32
	asrs	r0, r1, #4
	adds	r0, r1, r2
	subs	r0, r1, r2
	adds	r0, r1, #3
	subs	r0, r1, #7
	movs	r0, #1
	cmp	r0, #255
	adds	r0, #200
	subs	r7, #200
	ands	r0, r1
	eors	r0, r1
	lsls	r0, r1
	lsrs	r0, r1
	asrs	r0, r1
	adcs	r0, r1
	sbcs	r0, r1
	rors	r0, r1
	tst	r0, r1
	rsbs	r0, r1, #0
	cmp	r0, r1
	cmn	r0, r1
	orrs	r0, r1
	muls	r0, r1, r0
	bics	r0, r1
	mvns	r0, r1
	add	r0, r8
	add	r8, r0
	add	sp, r1
	cmp	r8, r1
	cmp	r1, r9
	mov	r8, r1
	mov	r1, r8
	mov	r0, sp
	nop
	ldr	r0, [pc, #16]
	ldr	r0, [r1, r2]
	ldrb	r0, [r1, r2]
	ldrh	r0, [r1, r2]
	ldrsb	r0, [r1, r2]
	ldrsh	r0, [r1, r2]
	str	r0, [r1, r2]
	strb	r0, [r1, r2]
	strh	r0, [r1, r2]
	ldr	r0, [r1, #4]
	str	r0, [r1, #4]
	ldrb	r0, [r1, #3]
	strb	r0, [r1, #3]
	ldrh	r0, [r1, #6]
	strh	r0, [r1, #6]
	ldr	r0, [sp, #8]
	str	r0, [sp, #8]
	add	r0, pc, #8
	add	r0, sp, #8
	add	sp, #16
	sub	sp, #16
	push	{r0, r1}
	push	{r4, lr}
	push	{lr}
	pop	{r0, r1}
	pop	{r4, pc}
	pop	{pc}
	stmia	r0!, {r1, r2}
	ldmia	r0!, {r1, r2}
	ldmia	r0, {r0, r1}
	sxth	r0, r1
	sxtb	r0, r1
	uxth	r0, r1
	uxtb	r0, r1
	rev	r0, r1
	rev16	r0, r1
	revsh	r0, r1
	setend	be
	setend	le
	cpsie	i
	cpsid	if
	cpsid	a
	bkpt	#5
	svc	#7
	udf	#2
	beq	thumb_start
	bne	thumb_start
	bgt	thumb_start
	b	thumb_start
	bl	thumb_start
	blx	arm_start
	bx	lr
	bx	r3
	bx	r9
	blx	r3
	mov	pc, lr
	mov	pc, r1
	add	pc, r1
