/* SPDX-License-Identifier: MIT */
/* How translated code is decoded: what an emulator shows of a sequence of instructions, and the
 * state of a family's decoder. */
#ifndef PMK_CPU_DECODE_H
#define PMK_CPU_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pmk/isa.h>

/* An instruction as the emulator shows it. */
struct pmk_raw {
	uint64_t addr;
	unsigned size; /* 0: the emulator does not show its bytes */
	uint8_t byte[4];
};

struct pmk_core;

struct pmk_decoder {
	const struct pmk_core *core; /* the core that runs the code; NULL: any core of the family */
	bool system;		     /* true for firmware, false for a program on a Linux kernel */
	bool big_endian;	     /* byte order of the program */
	/* Returns the first instruction of `sequence` as the emulator's own disassembler writes it,
	 * or NULL if the emulator has no disassembler for it. The family's decoder, which calls
	 * this, frees the text. The owner sets `sequence` before it decodes a sequence. */
	char *(*first_text)(void *sequence);
	void *sequence;
	void *own; /* the family's own data; NULL before init() of pmk_core_decoder */
};

#endif
