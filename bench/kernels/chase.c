/* SPDX-License-Identifier: MIT */
/*
 * Measures the latency of reads in a block of BYTES. The address of each load depends on the
 * previous load.
 *
 *   chase random|lines BYTES CHAINS TIMES
 *
 * `random` reads words at random places of the block, as tinymembench does; `lines` reads one word
 * of each 64 bytes, in order of addresses. All words are 0, and each is added to the next address,
 * so that no load can begin before the previous one has ended. With CHAINS = 2, two loads run at
 * the same time. `random` then makes pairs of loads, as tinymembench does: both loads of a pair
 * wait for both loads of the previous pair. `lines` follows a chain in each half of the block.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 64 << 20, LINE = 64 };

static uint32_t words[MOST / 4];

static uint32_t random_one(uint32_t mask, long times)
{
	uint32_t a = 1;

	while (times--)
		a = a * 1664525 + 1013904223 + words[a >> 6 & mask];
	return a;
}

/* The next two addresses depend on both words, so each pair waits for its slower read. */
static uint32_t random_pair(uint32_t mask, long times)
{
	uint32_t a = 1, b;

	while (times--) {
		b = a * 1664525 + 1013904223;
		a = ((b * 1664525 + 1013904223) | words[a >> 6 & mask]) + words[b >> 6 & mask];
	}
	return a;
}

static uint32_t lines_one(uint32_t mask, long times)
{
	uint32_t a = 0;

	while (times--)
		a = (a + LINE / 4 + words[a]) & mask;
	return a;
}

static uint32_t lines_two(uint32_t mask, long times)
{
	uint32_t a = 0, b = (mask + 1) / 2;

	while (times--) {
		a = (a + LINE / 4 + words[a]) & mask;
		b = (b + LINE / 4 + words[b]) & mask;
	}
	return a ^ b;
}

int main(int argc, char **argv)
{
	static uint32_t (*const ways[2][2])(uint32_t, long) = { { random_one, random_pair },
								{ lines_one, lines_two } };
	volatile uint32_t *touched = words;

	if (argc != 5)
		return 2;
	unsigned long bytes = strtoul(argv[2], NULL, 0), chains = strtoul(argv[3], NULL, 0);

	if (bytes < 256 || bytes > MOST || bytes & (bytes - 1) || chains < 1 || chains > 2)
		return 2;
	for (unsigned long i = 0; i < bytes / 4; i += LINE / 4)
		touched[i] = 0;
	printf("chase %08x\n", (unsigned)ways[!strcmp(argv[1], "lines")][chains - 1](
				       bytes / 4 - 1, strtol(argv[4], NULL, 0)));
	return 0;
}
