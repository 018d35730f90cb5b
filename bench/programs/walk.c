// SPDX-License-Identifier: MIT
/*
 * Benchmark: a chase through 4 MB in random order; nearly every step misses cache and TLB.
 *
 * 65536 nodes of 64 bytes form one cycle (Sattolo's shuffle), so no shorter loop can settle in a
 * cache. Links are 32-bit indices, not pointers, so that the native build walks the same bytes.
 * Every fourth step writes, which makes evicted lines dirty.
 *
 *	walk [FACTOR]		FACTOR times 65536 steps; prints one checksum line
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { NODES = 65536 };

struct node {
	uint32_t next, value;
	uint32_t visits, rest[13];
};

static struct node nodes[NODES];

static uint32_t next_random(uint32_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 17;
	*state ^= *state << 5;
	return *state;
}

static void build(void)
{
	uint32_t seed = UINT32_C(88675123);

	for (uint32_t i = 0; i < NODES; i++)
		nodes[i].next = i;
	for (uint32_t i = NODES - 1; i > 0; i--) {
		uint32_t j = next_random(&seed) % i, t = nodes[i].next;

		nodes[i].next = nodes[j].next;
		nodes[j].next = t;
		nodes[i].value = seed;
	}
}

int main(int argc, char **argv)
{
	unsigned long factor = argc > 1 ? strtoul(argv[1], NULL, 0) : 1;
	uint32_t at = 0, sum = 0;

	build();
	for (unsigned long lap = 0; lap < factor; lap++) {
		for (uint32_t i = 0; i < NODES; i++) {
			struct node *n = &nodes[at];

			sum = (sum << 3 | sum >> 29) ^ n->value;
			if ((i & 3) == (lap & 3))
				sum += ++n->visits;
			at = n->next;
		}
	}
	printf("walk %08" PRIx32 "\n", sum ^ at);
	return 0;
}
