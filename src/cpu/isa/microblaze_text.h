/* SPDX-License-Identifier: MIT */
#ifndef PMK_ISA_MICROBLAZE_TEXT_H
#define PMK_ISA_MICROBLAZE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Writes an instruction of the 32-bit MicroBlaze in the usual form, "addik r3, r4, -8". The names
 * are from UG984, "MicroBlaze Instruction Set Architecture"; those of special registers are from
 * binutils. An immediate is that of the instruction, without an imm before it. The immediate of a
 * branch is its distance. Returns false if the instruction has no name here.
 */
bool pmk_isa_microblaze_text(uint32_t word, char *text, size_t size);

#endif
