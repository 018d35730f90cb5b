// SPDX-License-Identifier: MIT
/*
 * Benchmark: writing down the columns of pictures: stores to lines that are in no cache.
 *
 * A picture of 384 x 384 words is 576 KB. It is filled column by column, then turned by a quarter,
 * read along the rows and written down the columns: a new line at each store, and the next store to
 * it comes 383 stores later. A cache that does not allocate lines for stores never has them.
 *
 *	columns [FACTOR]	FACTOR rounds; prints one checksum line, exits 1 if a turn is wrong
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIDE = 384 };

static uint32_t picture[SIDE][SIDE], turned[SIDE][SIDE];

static void fill(uint32_t seed)
{
	for (unsigned x = 0; x < SIDE; x++)
		for (unsigned y = 0; y < SIDE; y++)
			picture[y][x] = seed + x * 0x10001u + (y << 8);
}

static void turn(void)
{
	for (unsigned y = 0; y < SIDE; y++)
		for (unsigned x = 0; x < SIDE; x++)
			turned[x][SIDE - 1 - y] = picture[y][x];
}

int main(int argc, char **argv)
{
	unsigned long factor = argc > 1 ? strtoul(argv[1], NULL, 0) : 1;
	uint32_t sum = 1;

	for (unsigned long round = 0; round < factor; round++) {
		fill(sum);
		turn();
		for (unsigned i = 0; i < SIDE; i++) {
			unsigned x = i * 7 % SIDE;

			if (turned[x][SIDE - 1 - i] != picture[i][x]) {
				fputs("columns: a turn is wrong\n", stderr);
				return 1;
			}
			sum = sum * 31 + turned[i][x];
		}
	}
	printf("columns %08" PRIx32 "\n", sum);
	return 0;
}
