// SPDX-License-Identifier: MIT
/*
 * Benchmark: integer matrix product in the textbook order; the inner loop reads down a column.
 *
 * Walking down a column touches a new cache line at each step, 768 of them or 24 KB, so the lines
 * are mostly gone from a 16 KB cache when the next column wants them: the strided misses of numeric
 * code. A second product from the transposed matrix reads both in order and must agree.
 *
 *	matmul [FACTOR]		FACTOR rounds; prints one checksum line, exits 1 if the two differ
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 48, INNER = 768, COLUMNS = 72 };

static uint32_t a[ROWS][INNER], b[INNER][COLUMNS];
static uint32_t transposed[COLUMNS][INNER];
static uint32_t by_columns[ROWS][COLUMNS], by_rows[ROWS][COLUMNS];

static void fill(uint32_t *m, size_t count, uint32_t seed)
{
	for (size_t i = 0; i < count; i++)
		m[i] = (seed = seed * UINT32_C(69069) + 1) >> 8;
}

static void multiply_columns(void)
{
	for (int i = 0; i < ROWS; i++) {
		for (int j = 0; j < COLUMNS; j++) {
			uint32_t sum = 0;

			for (int k = 0; k < INNER; k++)
				sum += a[i][k] * b[k][j];
			by_columns[i][j] = sum;
		}
	}
}

static void multiply_rows(void)
{
	for (int k = 0; k < INNER; k++)
		for (int j = 0; j < COLUMNS; j++)
			transposed[j][k] = b[k][j];
	for (int i = 0; i < ROWS; i++) {
		for (int j = 0; j < COLUMNS; j++) {
			uint32_t sum = 0;

			for (int k = 0; k < INNER; k++)
				sum += a[i][k] * transposed[j][k];
			by_rows[i][j] = sum;
		}
	}
}

int main(int argc, char **argv)
{
	unsigned long factor = argc > 1 ? strtoul(argv[1], NULL, 0) : 1;
	uint32_t sum = 1;

	for (unsigned long round = 0; round < factor; round++) {
		fill(&a[0][0], sizeof(a) / sizeof(a[0][0]), sum);
		fill(&b[0][0], sizeof(b) / sizeof(b[0][0]), ~sum);
		multiply_columns();
		multiply_rows();
		if (memcmp(by_columns, by_rows, sizeof(by_rows)) != 0) {
			fputs("matmul: the two products differ\n", stderr);
			return 1;
		}
		for (int i = 0; i < ROWS; i++)
			sum = sum * 31 + by_columns[i][i * 7 % COLUMNS];
	}
	printf("matmul %08" PRIx32 "\n", sum);
	return 0;
}
