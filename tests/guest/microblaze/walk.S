/* SPDX-License-Identifier: MIT */
/* PASSES times over COUNT places STRIDE bytes apart, from low to high: ACCESS of r3 at r5. */
#include "kernel.inc"

	start
	addik	r4, r0, STRIDE
	addik	r7, r0, PASSES
	begin
1:	or	r5, r10, r0
	addik	r6, r0, COUNT
2:	ACCESS
	addik	r6, r6, -1
	bneid	r6, 2b
	addk	r5, r5, r4
	addik	r7, r7, -1
	bneid	r7, 1b
	nop
	nop
	finish
