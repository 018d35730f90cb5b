// SPDX-License-Identifier: MIT
/*
 * Benchmark: integer matrix product in the textbook order; the inner loop reads down a column.
 *
 * A row is 800 bytes, so each step of the inner loop touches another cache line and a 200-line
 * column has left a 16 KB cache when it is needed again: the strided misses of numeric code. A
 * second product in tiles reads the same data in a cache-friendly order and must agree.
 *
 *	matmul [FACTOR]		FACTOR rounds; prints one checksum line, exits 1 if the two differ
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 200, TILE = 25 };

typedef uint32_t matrix[SIDE][SIDE];

static matrix a, b, by_columns, by_tiles;

static void fill(matrix m, uint32_t seed)
{
	for (int i = 0; i < SIDE; i++)
		for (int j = 0; j < SIDE; j++)
			m[i][j] = (seed = seed * UINT32_C(69069) + 1) >> 8;
}

static void multiply_columns(void)
{
	for (int i = 0; i < SIDE; i++) {
		for (int j = 0; j < SIDE; j++) {
			uint32_t sum = 0;

			for (int k = 0; k < SIDE; k++)
				sum += a[i][k] * b[k][j];
			by_columns[i][j] = sum;
		}
	}
}

static void multiply_tile(int row, int mid, int col)
{
	for (int i = row; i < row + TILE; i++) {
		for (int k = mid; k < mid + TILE; k++) {
			uint32_t factor = a[i][k];

			for (int j = col; j < col + TILE; j++)
				by_tiles[i][j] += factor * b[k][j];
		}
	}
}

static void multiply_tiles(void)
{
	memset(by_tiles, 0, sizeof(by_tiles));
	for (int i = 0; i < SIDE; i += TILE)
		for (int k = 0; k < SIDE; k += TILE)
			for (int j = 0; j < SIDE; j += TILE)
				multiply_tile(i, k, j);
}

int main(int argc, char **argv)
{
	unsigned long factor = argc > 1 ? strtoul(argv[1], NULL, 0) : 1;
	uint32_t sum = 1;

	for (unsigned long round = 0; round < factor; round++) {
		fill(a, sum);
		fill(b, ~sum);
		multiply_columns();
		multiply_tiles();
		if (memcmp(by_columns, by_tiles, sizeof(by_tiles)) != 0) {
			fputs("matmul: the two products differ\n", stderr);
			return 1;
		}
		for (int i = 0; i < SIDE; i++)
			sum = sum * 31 + by_columns[i][(i * 7) % SIDE];
	}
	printf("matmul %08" PRIx32 "\n", sum);
	return 0;
}
