/* SPDX-License-Identifier: MIT */
/* A loop of COUNT passes: BODY, the loop counter, BRANCH with SLOT behind it. One NOP settles its exit. */
#include "kernel.inc"

#ifndef BRANCH
#define BRANCH bnei
#endif
#ifndef SLOT
#define SLOT
#endif

	start
	addik	r20, r0, COUNT
	begin
1:	BODY
	addik	r20, r20, -1
	BRANCH	r20, 1b
	SLOT
	nop
	finish
	.balignl 64, 0x80000000
	AUX
