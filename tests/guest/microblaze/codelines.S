/* SPDX-License-Identifier: MIT */
/* PASSES times through WORDS instructions of straight code; the loop's own line, 16 words, behind them. */
#include "kernel.inc"

	start
	addik	r7, r0, PASSES
	begin
1:	nops	WORDS
	addik	r7, r7, -1
	beqi	r7, 2f
	brai	1b
2:	nop
	finish
