// SPDX-License-Identifier: MIT
#include "producer/wave/scan.h"

/* A vector of the compiler's, so that there is one source for all processors. */
#define LANES 16
typedef uint8_t lanes __attribute__((vector_size(LANES)));

/* A lane is one byte, and overflows after so many of them. */
#define MOST 255

static uint64_t sum(lanes v)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < LANES; i++)
		n += v[i];
	return n;
}

uint64_t pmk_wave_lines(const char *p, size_t n)
{
	uint64_t lines = 0;

	while (n >= LANES) {
		size_t rounds = n / LANES < MOST ? n / LANES : MOST;
		lanes found = { 0 }, v;

		for (size_t i = 0; i < rounds; i++, p += LANES) {
			memcpy(&v, p, LANES);
			found -= (lanes)(v == '\n'); /* a lane that is equal is -1 */
		}
		lines += sum(found);
		n -= rounds * LANES;
	}
	while (n--)
		lines += *p++ == '\n';
	return lines;
}
