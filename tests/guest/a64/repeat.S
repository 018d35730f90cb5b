/* SPDX-License-Identifier: MIT */
/* BODY, REPS times in a row. AUX is code that BODY calls. The test says what they are. */
#include "kernel.inc"

#ifndef SETUP
#define SETUP
#endif
#ifndef AUX
#define AUX
#endif

	.macro	setup
	SETUP
	.endm

	start
	begin
	.rept	REPS
	BODY
	.endr
	finish
	.balign	64
	AUX
