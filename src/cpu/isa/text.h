/* SPDX-License-Identifier: MIT */
/*
 * Disassembles instructions with Capstone. For MicroBlaze, which Capstone does not support, pmk has
 * a table of its own.
 */
#ifndef PMK_ISA_TEXT_H
#define PMK_ISA_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pmk_isa_text;

/* Makes a disassembler. Returns NULL if there is no memory. */
struct pmk_isa_text *pmk_isa_text_new(void);
void pmk_isa_text_free(struct pmk_isa_text *t);

/*
 * Returns the length of the instruction that begins with these bytes, or 0 if Capstone does not
 * recognise it.
 */
size_t pmk_isa_text_size(struct pmk_isa_text *t, const char *mode, const void *bytes, size_t n);

/*
 * Writes the instruction of `n` bytes at `addr`, such as "ldr r0, [r1, #4]". `mode` is "arm",
 * "thumb", "a32", "a64", "microblaze" or "x86_64". An unknown instruction, and every instruction of
 * another mode, is written as its value, ".inst 0x1234".
 */
void pmk_isa_text_of(struct pmk_isa_text *t, const char *mode, bool big_endian, uint64_t addr,
		     const void *bytes, size_t n, char *text, size_t size);

/*
 * Writes an instruction of the 32-bit MicroBlaze in the usual form, "addik r3, r4, -8". The names
 * are from UG984, "MicroBlaze Instruction Set Architecture"; those of special registers are from
 * binutils. An immediate is that of the instruction itself, without the upper half from an imm
 * before it. The immediate of a branch is its distance. Returns false if the instruction has no
 * name here.
 */
bool pmk_isa_microblaze_text(uint32_t word, char *text, size_t size);

#endif
