/* SPDX-License-Identifier: MIT */
/* Decoding translated code: what an emulator shows of a sequence of instructions, and a family's
 * decoder. */
#ifndef PMK_CPU_DECODE_H
#define PMK_CPU_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pmk/isa.h>

/* An instruction as the emulator shows it. */
struct pmk_raw {
	uint64_t addr;
	unsigned size; /* 0: its bytes are not known */
	uint8_t byte[4];
};

struct pmk_core;

struct pmk_decoder {
	const struct pmk_core *core; /* the core whose code it is; NULL: any core of the family */
	bool system;	 /* true for firmware, which has no kernel with code of its own */
	bool big_endian; /* byte order of the program */
	/* Returns the first instruction of `sequence` as the emulator's own disassembler writes it,
	 * or NULL if it does not. The caller frees the text, and sets `sequence` before each
	 * sequence. */
	char *(*first_text)(void *sequence);
	void *sequence;
	void *own; /* the family's own data; 0 before init() of pmk_core_decoder */
};

#endif
