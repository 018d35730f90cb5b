/* SPDX-License-Identifier: MIT */
/* Repeats BODY REPS times in a row. AUX is code that BODY calls. The test defines both. */
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
