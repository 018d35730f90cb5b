/* SPDX-License-Identifier: MIT */
/*
 * Decompressors for FST. Any bytes may be given: nothing is read or written outside of the buffers.
 */
#ifndef PMK_PRODUCER_WAVE_UNPACK_H
#define PMK_PRODUCER_WAVE_UNPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Return false unless exactly n bytes come out of the whole input. */
bool pmk_wave_unlz4(const uint8_t *in, size_t nin, uint8_t *out, size_t n);
bool pmk_wave_unfastlz(const uint8_t *in, size_t nin, uint8_t *out, size_t n);
/* Unpacks zlib or gzip. Bytes after the end of the stream are ignored. */
bool pmk_wave_inflate(const uint8_t *in, size_t nin, uint8_t *out, size_t n);
/* Unpacks gzip, from the current offset of `in` to the end of `out`. */
bool pmk_wave_inflate_file(int in, FILE *out, uint64_t n);

/*
 * True if nin bytes can unpack to n bytes by any of these methods. Without this check a few bytes
 * could ask for all memory.
 */
static inline bool wave_can_unpack(uint64_t nin, uint64_t n)
{
	return n / 1100 <= nin; /* deflate, the best method, reaches 1032 */
}

#endif
