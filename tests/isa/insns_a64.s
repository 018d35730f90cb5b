// SPDX-License-Identifier: MIT
// Assembler lines for the cross-checks of src/cpu/isa/a64*.c against binutils. The order is that of the
// table in test_a64.c, whose words are compared with what these lines assemble to.
	.arch armv8.5-a+crypto+sha3+sm4+fp16+fp16fml+dotprod+crc+rcpc
	.text
	// PC-relative addressing, Add/subtract (immediate)
	adr	x0, .+16
	adrp	x30, .+0x5000
	add	x0, x1, #1
	add	sp, x1, #16
	sub	w2, wsp, #1, lsl #12
	adds	x0, sp, #1
	cmp	sp, #1
	cmn	w3, #7
	subs	w0, w1, #4095
	// Logical (immediate)
	and	x0, x1, #0xff
	orr	sp, x1, #1
	eor	w0, w1, #0x55555555
	mov	x5, #0xf0f0f0f0f0f0f0f0
	tst	x1, #0x8000000000000000
	ands	w1, w30, #1
	// Move wide (immediate)
	movz	x0, #1, lsl #48
	movn	w0, #1, lsl #16
	movk	x0, #2, lsl #32
	movk	w7, #2
	// Bitfield, Extract
	ubfx	x0, x1, #3, #4
	sxtw	x0, w1
	lsl	w0, w1, #31
	asr	x0, x1, #63
	bfi	x0, x1, #3, #4
	bfxil	w0, w1, #3, #4
	extr	x0, x1, x2, #3
	ror	w0, w1, #3
	// Logical (shifted register)
	and	x0, x1, x2
	mov	x0, x1
	mvn	w0, w1
	mov	x0, xzr
	orr	x0, x1, x2, lsl #3
	eon	w0, w1, w2, ror #31
	bics	x0, x1, x2
	tst	w1, w2, asr #4
	// Add/subtract (shifted register), (extended register), (with carry)
	add	x0, x1, x2
	sub	w0, w1, w2, lsr #31
	cmp	x1, x2
	negs	x1, x2, lsl #1
	neg	w1, w2
	adds	x30, x29, x28, asr #1
	add	sp, sp, x2
	add	x0, x1, w2, sxtw
	sub	w0, wsp, w2
	sub	x0, x1, x2, uxtx #4
	cmp	sp, x2
	cmn	x1, w2, uxtb #1
	adc	x0, x1, x2
	sbcs	w0, w1, w2
	ngc	x0, x2
	// Rotate right into flags, Evaluate into flags
	rmif	x1, #3, #4
	setf8	w1
	setf16	w2
	// Conditional compare, select
	ccmp	x1, x2, #4, ne
	ccmn	w1, #3, #4, al
	csel	x0, x1, x2, eq
	cset	w0, lt
	csinv	x0, x1, xzr, mi
	cneg	w0, w1, hi
	// Data-processing (3 source)
	mul	x0, x1, x2
	mneg	w0, w1, w2
	madd	x0, x1, x2, x3
	msub	w0, w1, w2, w0
	smull	x0, w1, w2
	umnegl	x0, w1, w2
	smaddl	x0, w1, w2, x3
	umsubl	x0, w1, w2, x3
	smulh	x0, x1, x2
	umulh	x0, x1, x2
	// Data-processing (2 source)
	udiv	w0, w1, w2
	sdiv	x0, x1, x2
	lsl	x0, x1, x2
	ror	w0, w1, w2
	crc32b	w0, w1, w2
	crc32cx	w0, w1, x2
	pacga	x0, x1, sp
	// Data-processing (1 source)
	rbit	x0, x1
	rev16	w0, w1
	rev	w0, w1
	rev32	x0, x1
	rev	x0, x1
	clz	w0, w1
	cls	x0, x1
	pacia	x0, sp
	autdb	x0, x1
	paciza	x3
	autdzb	x3
	xpaci	x4
	xpacd	x4
	// Branches (immediate)
	b	.
	b	.-0x8000
	bl	.+0x1234
	b.ne	.+8
	b.al	.-4
	cbz	w3, .+0xffffc
	cbnz	xzr, .
	tbz	w3, #3, .-0x8000
	tbnz	x3, #63, .+0x7ffc
	// Unconditional branch (register)
	br	x17
	blr	x8
	ret
	ret	x1
	braaz	x1
	braa	x1, sp
	blrabz	x1
	blrab	x1, x2
	retaa
	retab
	eret
	eretab
	drps
	// Exception generation, Reserved
	svc	#0
	hvc	#1
	smc	#0xffff
	brk	#0xf000
	hlt	#1
	dcps1
	dcps3	#1
	udf	#0
	udf	#0xffff
	// Hints
	nop
	yield
	wfe
	wfi
	sevl
	csdb
	bti	c
	hint	#127
	xpaclri
	pacia1716
	autib1716
	paciaz
	paciasp
	autibsp
	// Barriers
	clrex
	dsb	sy
	dsb	ishst
	ssbb
	dmb	ish
	isb
	sb
	// PSTATE
	cfinv
	xaflag
	axflag
	msr	uao, #1
	msr	pan, #0
	msr	spsel, #1
	msr	ssbs, #1
	msr	dit, #0
	msr	daifset, #15
	msr	daifclr, #2
	// System instructions
	ic	iallu
	ic	ialluis
	ic	ivau, x1
	dc	zva, x0
	dc	civac, x2
	tlbi	vmalle1
	tlbi	vae1is, x3
	tlbi	alle3
	at	s1e1r, x4
	sys	#3, c11, c3, #1, x5
	sysl	x5, #3, c11, c3, #1
	// System register move
	mrs	x0, nzcv
	msr	nzcv, x0
	mrs	x1, pmccntr_el0
	mrs	x1, s2_3_c1_c4_0
	msr	pmswinc_el0, x3
	msr	tpidr_el0, xzr
	msr	ttbr0_el1, x1
	msr	ttbr1_el1, x1
	msr	ttbr0_el12, x1
	msr	ttbr1_el12, x1
	msr	ttbr0_el2, x1
	msr	vttbr_el2, x1
	msr	ttbr0_el3, x1
	mrs	x1, ttbr0_el1
	msr	tcr_el1, x1
	msr	contextidr_el1, x2
	msr	contextidr_el12, x2
	msr	contextidr_el2, x2
	// Load/store register (unsigned immediate)
	ldr	x0, [x1, #8]
	ldr	w0, [sp]
	ldr	xzr, [x1]
	ldrb	w0, [x1]
	ldrh	w0, [x1]
	ldrsb	x0, [x1]
	ldrsh	w0, [x1]
	ldrsw	x0, [x1]
	str	x0, [x1, #32760]
	str	wzr, [sp, #4]
	strb	w0, [x1]
	strh	w0, [x1]
	ldr	b0, [x1]
	ldr	h0, [x1]
	ldr	q31, [sp]
	str	d0, [x1]
	str	q1, [x1]
	prfm	pldl1keep, [x1]
	// Load/store register (unscaled immediate), (post-indexed), (unprivileged), (pre-indexed)
	ldur	x0, [x1, #-1]
	sturh	w0, [x1, #-1]
	ldur	s0, [x1, #3]
	prfum	pstl2strm, [x1, #-8]
	ldr	x0, [x1], #8
	ldr	x30, [sp], #16
	strb	w0, [x1], #1
	str	q0, [x1], #16
	ldrsw	x0, [x1, #4]!
	str	x30, [sp, #-16]!
	ldr	d8, [x2, #-8]!
	ldtr	w0, [x1]
	sttrb	w0, [x1]
	ldtrsh	x0, [x1]
	// Load/store register (register offset)
	ldr	x0, [x1, x2]
	ldr	x0, [x1, x2, lsl #3]
	ldr	x0, [x1, w2, uxtw #3]
	ldrb	w0, [x1, w2, sxtw]
	str	w0, [sp, x2, lsl #2]
	str	h0, [x1, x2, sxtx #1]
	ldr	q0, [x1, xzr]
	prfm	pldl3strm, [x1, x2, lsl #3]
	// Load register (literal)
	ldr	w0, .+8
	ldr	x0, .-8
	ldrsw	x0, .+0xffffc
	ldr	s0, .
	ldr	d0, .+4
	ldr	q0, .+16
	prfm	pldl1keep, .+64
	// Load/store pairs
	ldp	x0, x1, [x2, #16]
	ldp	w0, w1, [x2], #8
	ldpsw	x0, x1, [x2]
	stp	x29, x30, [sp, #-32]!
	stp	xzr, xzr, [x0]
	ldnp	x0, x1, [x2]
	stnp	q0, q1, [x2]
	ldp	q30, q31, [x2]
	stp	s0, s1, [x2, #8]!
	ldp	d8, d9, [sp], #64
	// Exclusives and ordered accesses
	ldxr	x0, [x1]
	ldaxrb	w0, [sp]
	stxr	w0, x1, [x2]
	stlxrh	w0, w1, [x2]
	stxr	w0, xzr, [x2]
	ldxp	w0, w1, [x2]
	ldaxp	x0, x1, [x2]
	stxp	w0, x1, x2, [x3]
	stlxp	w0, w1, w2, [x3]
	ldar	x0, [x1]
	ldarb	w0, [x1]
	stlr	w0, [sp]
	ldlarh	w0, [x1]
	stllr	x0, [x1]
	ldapr	x0, [x1]
	ldaprb	w0, [sp]
	ldapur	w0, [x1, #-4]
	ldapursb	x0, [x1]
	ldapursw	x0, [x1]
	stlurh	w0, [x1, #1]
	// Compare and swap, Atomic memory operations
	cas	w0, w1, [x2]
	casalb	w0, w1, [sp]
	casp	x0, x1, x2, x3, [x4]
	caspa	w4, w5, w30, wzr, [x4]
	swp	x0, x1, [x2]
	swpalh	w0, w1, [x2]
	ldadd	x0, x1, [x2]
	stadd	w0, [sp]
	ldclrab	w0, w1, [x2]
	lduminl	xzr, x1, [x2]
	// Load/store register (pac)
	ldraa	x0, [x1, #8]
	ldrab	x0, [sp, #-8]!
	// Advanced SIMD load/store structures
	ld1	{v0.16b}, [x1]
	ld1	{v0.1d}, [x1]
	ld1	{v0.4s-v2.4s}, [x1], #48
	ld1	{v30.8b, v31.8b, v0.8b, v1.8b}, [x1], x2
	st1	{v0.2d, v1.2d}, [sp]
	ld2	{v0.8h, v1.8h}, [x1]
	ld3	{v0.4h-v2.4h}, [x1]
	st4	{v0.4s-v3.4s}, [x1]
	st2	{v31.2d, v0.2d}, [x1], x3
	ld1	{v0.b}[15], [x1]
	ld1	{v0.d}[1], [x1], #8
	st1	{v0.h}[3], [x1], x2
	ld2	{v0.s, v1.s}[2], [x1]
	ld3	{v0.b-v2.b}[0], [x1]
	st4	{v0.d-v3.d}[1], [x1]
	ld1r	{v0.8b}, [x1]
	ld2r	{v0.1d, v1.1d}, [x1]
	ld4r	{v0.4s-v3.4s}, [sp], #16
	// Scalar floating point, 1 source
	fmov	s0, s1
	fmov	h0, h1
	fabs	d0, d1
	fneg	s0, s1
	fsqrt	s0, s1
	fsqrt	d0, d1
	fsqrt	h0, h1
	fcvt	d0, s1
	fcvt	h0, d1
	frintn	d0, d1
	frinti	s0, s1
	frint32z	s0, s1
	frint64x	d0, d1
	// … compare, immediate, conditional, 2 source, 3 source
	fcmp	s0, s1
	fcmpe	d0, #0.0
	fmov	d0, #1.0
	fccmp	d0, d1, #0, ne
	fcsel	s0, s1, s2, gt
	fmul	d0, d1, d2
	fnmul	s0, s1, s2
	fdiv	s0, s1, s2
	fdiv	d0, d1, d2
	fdiv	h0, h1, h2
	fadd	s0, s1, s2
	fsub	d0, d1, d2
	fmaxnm	d0, d1, d2
	fmin	h0, h1, h2
	fmadd	d0, d1, d2, d3
	fnmsub	s0, s1, s2, s0
	// … conversion, moves from and to general registers
	scvtf	d0, x1
	ucvtf	s0, w1
	fcvtzs	x0, d1
	fcvtmu	w0, s1
	fcvtas	x0, h1
	fcvtnu	w0, d1
	scvtf	s0, w1, #3
	fcvtzu	x0, d1, #64
	fjcvtzs	w0, d1
	fmov	w0, s1
	fmov	s0, w1
	fmov	x0, d1
	fmov	d0, xzr
	fmov	x0, v1.d[1]
	fmov	v0.d[1], x1
	fmov	h0, w1
	fmov	x0, h1
	// Advanced SIMD copy, table lookup, permute, extract, modified immediate
	dup	v0.4s, v1.s[3]
	dup	v0.2d, x1
	mov	v0.b[3], w1
	mov	v0.h[3], v1.h[2]
	smov	x0, v1.s[1]
	umov	w0, v1.b[1]
	mov	x0, v1.d[1]
	mov	d0, v1.d[1]
	tbl	v0.16b, {v1.16b}, v2.16b
	tbl	v0.8b, {v30.16b, v31.16b, v0.16b, v1.16b}, v2.8b
	tbx	v0.16b, {v1.16b, v2.16b}, v3.16b
	zip1	v0.2d, v1.2d, v2.2d
	trn2	v0.8b, v1.8b, v2.8b
	ext	v0.16b, v1.16b, v2.16b, #15
	movi	v0.4s, #1, lsl #8
	movi	d0, #0xff00ff00ff00ff00
	mvni	v0.4h, #1
	orr	v0.4s, #1, lsl #8
	bic	v0.8h, #1
	fmov	v0.2d, #1.0
	fmov	v0.8h, #1.0
	// Advanced SIMD three same
	add	v0.2d, v1.2d, v2.2d
	mul	v0.8h, v1.8h, v2.8h
	pmul	v0.8b, v1.8b, v2.8b
	mla	v0.4s, v1.4s, v2.4s
	saba	v0.8b, v1.8b, v2.8b
	mov	v0.16b, v1.16b
	eor	v0.8b, v1.8b, v2.8b
	bsl	v0.16b, v1.16b, v2.16b
	bif	v0.8b, v1.8b, v2.8b
	cmeq	v0.4h, v1.4h, v2.4h
	sqdmulh	v0.4s, v1.4s, v2.4s
	uqrshl	v0.2d, v1.2d, v2.2d
	fadd	v0.2d, v1.2d, v2.2d
	fdiv	v0.4s, v1.4s, v2.4s
	fmla	v0.2s, v1.2s, v2.2s
	fmls	v0.8h, v1.8h, v2.8h
	fmulx	v0.4h, v1.4h, v2.4h
	fmlal	v0.4s, v1.4h, v2.4h
	fmlsl2	v0.2s, v1.2h, v2.2h
	// … (extra), three different
	sdot	v0.4s, v1.16b, v2.16b
	udot	v0.2s, v1.8b, v2.8b
	sqrdmlah	v0.4s, v1.4s, v2.4s
	fcmla	v0.2d, v1.2d, v2.2d, #90
	fcadd	v0.4h, v1.4h, v2.4h, #270
	saddl	v0.8h, v1.8b, v2.8b
	uaddw2	v0.4s, v1.4s, v2.8h
	addhn	v0.8b, v1.8h, v2.8h
	rsubhn2	v0.4s, v1.2d, v2.2d
	umlal2	v0.2d, v1.4s, v2.4s
	sqdmull	v0.4s, v1.4h, v2.4h
	pmull	v0.8h, v1.8b, v2.8b
	pmull2	v0.1q, v1.2d, v2.2d
	// … two-register miscellaneous, across lanes
	rev64	v0.4s, v1.4s
	cnt	v0.8b, v1.8b
	mvn	v0.16b, v1.16b
	suqadd	v0.2d, v1.2d
	uadalp	v0.4h, v1.8b
	xtn	v0.2s, v1.2d
	xtn2	v0.4s, v1.2d
	shll2	v0.4s, v1.8h, #16
	cmlt	v0.2d, v1.2d, #0
	fcmgt	v0.4s, v1.4s, #0.0
	fcvtl	v0.2d, v1.2s
	fcvtn2	v0.4s, v1.2d
	fcvtxn	v0.2s, v1.2d
	frint32z	v0.4s, v1.4s
	scvtf	v0.2d, v1.2d
	fcvtzu	v0.8h, v1.8h
	frecpe	v0.2s, v1.2s
	urecpe	v0.4s, v1.4s
	fsqrt	v0.2d, v1.2d
	addv	s0, v1.4s
	uaddlv	d0, v1.4s
	fmaxnmv	s0, v1.4s
	fminv	h0, v1.4h
	// … shift by immediate, indexed element
	shl	v0.2d, v1.2d, #63
	sshr	v0.8b, v1.8b, #8
	usra	v0.4h, v1.4h, #1
	sri	v0.2s, v1.2s, #1
	shrn	v0.8b, v1.8h, #1
	sqrshrun2	v0.4s, v1.2d, #1
	sxtl	v0.2d, v1.2s
	ucvtf	v0.4s, v1.4s, #1
	mul	v0.8h, v1.8h, v15.h[7]
	mla	v0.4s, v1.4s, v31.s[3]
	smlal2	v0.4s, v1.8h, v15.h[7]
	udot	v0.4s, v1.16b, v31.4b[3]
	fmul	v0.2d, v1.2d, v31.d[1]
	fmla	v0.8h, v1.8h, v15.h[7]
	fcmla	v0.4s, v1.4s, v31.s[1], #90
	fmlal2	v0.4s, v1.4h, v15.h[7]
	// Advanced SIMD scalar
	add	d0, d1, d2
	sqadd	b0, b1, b2
	fabd	s0, s1, s2
	frecps	h0, h1, h2
	sqrdmlsh	s0, s1, s2
	sqdmlal	d0, s1, s2
	abs	d0, d1
	usqadd	h0, h1
	sqxtn	b0, h1
	scvtf	d0, d1
	fcvtxn	s0, d1
	fcvtzs	h0, h1
	addp	d0, v1.2d
	faddp	s0, v1.2s
	fmaxp	h0, v1.2h
	shl	d0, d1, #1
	sli	d0, d1, #1
	sqshrn	b0, h1, #1
	fcvtzs	s0, s1, #3
	sqdmulh	h0, h1, v15.h[7]
	fmls	d0, d1, v31.d[1]
	fmulx	s0, s1, v31.s[3]
	// Cryptography
	aese	v0.16b, v1.16b
	aesimc	v0.16b, v1.16b
	sha1c	q0, s1, v2.4s
	sha256su1	v0.4s, v1.4s, v2.4s
	sha1h	s0, s1
	sha256su0	v0.4s, v1.4s
	sha512h	q0, q1, v2.2d
	sha512su0	v0.2d, v1.2d
	rax1	v0.2d, v1.2d, v2.2d
	eor3	v0.16b, v1.16b, v2.16b, v3.16b
	xar	v0.2d, v1.2d, v2.2d, #3
	sm3partw1	v0.4s, v1.4s, v2.4s
	sm3ss1	v0.4s, v1.4s, v2.4s, v3.4s
	sm3tt2a	v0.4s, v1.4s, v2.s[3]
	sm4e	v0.4s, v1.4s
	sm4ekey	v0.4s, v1.4s, v2.4s
