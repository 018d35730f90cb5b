/* SPDX-License-Identifier: MIT */
/*
 * What is compressed in an FST, unpacked. Any bytes may be given: nothing is read or written
 * outside of them.
 */
#ifndef PMK_PRODUCER_WAVE_UNPACK_H
#define PMK_PRODUCER_WAVE_UNPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* False unless exactly n bytes come out of the whole input. */
bool pmk_wave_unlz4(const uint8_t *in, size_t nin, uint8_t *out, size_t n);
bool pmk_wave_unfastlz(const uint8_t *in, size_t nin, uint8_t *out, size_t n);
/* zlib or gzip; what stands behind the end of the stream does not matter. */
bool pmk_wave_inflate(const uint8_t *in, size_t nin, uint8_t *out, size_t n);
/* The same from one file, from where it is read next, to the end of another. */
bool pmk_wave_inflate_file(int in, int out, uint64_t n);

/* Can n bytes come out of nin by any of these? Else a few bytes could ask for all memory. */
static inline bool wave_can_unpack(uint64_t nin, uint64_t n)
{
	return n / 1100 <= nin; /* deflate, the best of them, reaches 1032 */
}

#endif
