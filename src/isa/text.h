/* SPDX-License-Identifier: MIT */
/* Instructions as people write them: by Capstone; those of MicroBlaze, which it has not, by us. */
#ifndef PMK_ISA_TEXT_H
#define PMK_ISA_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pmk_isa_text;

/* NULL: out of memory. */
struct pmk_isa_text *pmk_isa_text_new(void);
void pmk_isa_text_free(struct pmk_isa_text *t);

/* How long the instruction is that begins with these bytes; 0: Capstone does not know. */
size_t pmk_isa_text_size(struct pmk_isa_text *t, const char *mode, const void *bytes, size_t n);

/*
 * Write the instruction of `n` bytes at `addr`: "ldr     r0, [r1, #4]". `mode` is "arm", "thumb",
 * "a32", "a64", "microblaze" or "x86_64". What has no name is its value, ".inst   0x1234"; of other
 * modes everything is.
 */
void pmk_isa_text_of(struct pmk_isa_text *t, const char *mode, bool big_endian, uint64_t addr,
		     const void *bytes, size_t n, char *text, size_t size);

#endif
