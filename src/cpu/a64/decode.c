// SPDX-License-Identifier: MIT
/* Decoding translated A64 code. */
#include <string.h>

#include "cpu/a64/a64.h"

void pmk_a64_decode(struct pmk_decoder *d, const struct pmk_raw *raw, size_t n, struct pmk_insn *in)
{
	for (size_t i = 0; i < n; i++) {
		uint32_t word;

		memcpy(&word, raw[i].byte, sizeof(word));
		pmk_isa_a64_decode(raw[i].addr, word, &in[i]);
	}
	if (d->own)
		pmk_a64_find_vectors(d, raw, in, n);
}
