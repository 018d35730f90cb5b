// SPDX-License-Identifier: MIT
/*
 * Benchmark: a state machine of 1024 states in straight code, as a generator of parsers or of
 * controllers writes it: some 60 KB of code, four times a 16 KB instruction cache.
 *
 * Which state follows depends on the input, so nearly every step is an indirect branch to code that
 * is not in the cache. Every state has numbers of its own, so that no compiler makes one of two.
 *
 *	states [FACTOR]		FACTOR rounds of 100000 steps; prints one checksum line
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { STATES = 1024, STEPS = 100000, INPUTS = 1024 };

static uint32_t input[INPUTS];

/* Both successors are odd multiples of n and something, so that every state is reached. */
#define STATE(n)                                                                              \
	case n:                                                                               \
		hash = (hash ^ (0x9e3779b9u * (n) + 0x7f4a7c15u)) + (hash >> ((n) % 13 + 3)); \
		if ((hash ^ in) & 1u << ((n) % 7)) {                                          \
			taken += 2 * (n) + 1;                                                 \
			state = (5 * (n) + 1) % STATES;                                       \
		} else {                                                                      \
			taken ^= hash;                                                        \
			state = (37 * (n) + 409) % STATES;                                    \
		}                                                                             \
		break;
#define STATES_4(n)   STATE(n) STATE(n + 1) STATE(n + 2) STATE(n + 3)
#define STATES_16(n)  STATES_4(n) STATES_4(n + 4) STATES_4(n + 8) STATES_4(n + 12)
#define STATES_64(n)  STATES_16(n) STATES_16(n + 16) STATES_16(n + 32) STATES_16(n + 48)
#define STATES_256(n) STATES_64(n) STATES_64(n + 64) STATES_64(n + 128) STATES_64(n + 192)

static uint32_t walk(uint32_t hash)
{
	uint32_t state = hash % STATES, taken = 0;

	for (unsigned step = 0; step < STEPS; step++) {
		uint32_t in = input[step % INPUTS];

		switch (state) {
			STATES_256(0)
			STATES_256(256)
			STATES_256(512)
			STATES_256(768)
		}
	}
	return hash ^ taken ^ state;
}

int main(int argc, char **argv)
{
	unsigned long factor = argc > 1 ? strtoul(argv[1], NULL, 0) : 1;
	uint32_t sum = 1, seed = 1;

	for (unsigned i = 0; i < INPUTS; i++)
		input[i] = (seed = seed * UINT32_C(69069) + 1) >> 13;
	for (unsigned long round = 0; round < factor; round++)
		sum = walk(sum) + (uint32_t)round;
	printf("states %08" PRIx32 "\n", sum);
	return 0;
}
