/* SPDX-License-Identifier: MIT */
/* BODY, REPS times in a row. AUX is code that BODY calls. The test says what they are. */
#include "kernel.inc"

	start
	begin
	.rept	REPS
	BODY
	.endr
	finish
	.balignl 64, 0x80000000
	AUX
