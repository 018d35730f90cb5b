/* SPDX-License-Identifier: MIT */
#ifndef PMK_ISA_MICROBLAZE_TEXT_H
#define PMK_ISA_MICROBLAZE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Write an instruction of the 32-bit MicroBlaze as people write it, "addik r3, r4, -8": names of
 * UG984, "MicroBlaze Instruction Set Architecture", and of special registers as binutils have them.
 * Immediates are those of the instruction, without an imm in front of it; that of a branch is its
 * distance. Returns false if the instruction has no name here.
 */
bool pmk_isa_microblaze_text(uint32_t word, char *text, size_t size);

#endif
