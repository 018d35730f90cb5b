// SPDX-License-Identifier: MIT
/*
 * Benchmark: a Petri net of 480 transitions in straight code, as a generator of controllers writes
 * it: 1,400 blocks, each of which runs at most once a round, in 26 KB of code. An instruction cache
 * of 16 KB does not hold it.
 *
 * Every transition looks at the marks of two places. If it is enabled, it moves marks to another.
 * Which transitions fire changes from round to round.
 *
 *	petri [FACTOR]		FACTOR times 100 rounds; prints one checksum line
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { PLACES = 61, ROUNDS = 100 };

#define TRANSITION(n)                                                           \
	if (mark[(n) % PLACES] > 2 + (n) % 3 && mark[(7 * (n) + 1) % PLACES]) { \
		mark[(n) % PLACES]--;                                           \
		mark[(11 * (n) + 2) % PLACES] += 1 + (n) % 2;                   \
	}
#define TRANSITIONS_4(n) TRANSITION(n) TRANSITION((n) + 1) TRANSITION((n) + 2) TRANSITION((n) + 3)
#define TRANSITIONS_20(n)      \
	TRANSITIONS_4(n)       \
	TRANSITIONS_4((n) + 4) \
	TRANSITIONS_4((n) + 8) TRANSITIONS_4((n) + 12) TRANSITIONS_4((n) + 16)
#define TRANSITIONS_100(n)       \
	TRANSITIONS_20(n)        \
	TRANSITIONS_20((n) + 20) \
	TRANSITIONS_20((n) + 40) TRANSITIONS_20((n) + 60) TRANSITIONS_20((n) + 80)

static void run_round(uint32_t *mark)
{
	TRANSITIONS_100(0)
	TRANSITIONS_100(100)
	TRANSITIONS_100(200)
	TRANSITIONS_100(300)
	TRANSITIONS_20(400)
	TRANSITIONS_20(420)
	TRANSITIONS_20(440)
	TRANSITIONS_20(460)
}

int main(int argc, char **argv)
{
	unsigned long factor = argc > 1 ? strtoul(argv[1], NULL, 0) : 1;
	uint32_t mark[PLACES], sum = 0, seed = 1;

	for (unsigned i = 0; i < PLACES; i++)
		mark[i] = (seed = seed * UINT32_C(69069) + 1) >> 30;
	for (unsigned long round = 0; round < factor * ROUNDS; round++) {
		run_round(mark);
		mark[round % PLACES] += round % 4;
		for (unsigned i = 0; i < PLACES; i++) {
			sum = sum * 31 + mark[i];
			mark[i] %= 5;
		}
	}
	printf("petri %08" PRIx32 "\n", sum);
	return 0;
}
