// SPDX-License-Identifier: MIT
/*
 * Multiplies two matrices, and reads one of them by rows or by columns: matrix rows|columns SIZE.
 *
 *	arm-linux-gnueabi-gcc -O1 -static matrix.c -o matrix
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 64 };

static int a[MOST][MOST], b[MOST][MOST], c[MOST][MOST];

/* The innermost loop reads a column of b: each element is in another line of the cache. */
static void by_columns(int n)
{
	for (int i = 0; i < n; i++)
		for (int k = 0; k < n; k++)
			for (int j = 0; j < n; j++)
				c[i][k] += a[i][j] * b[j][k];
}

/* Computes the same sums, but the innermost loop goes along rows. */
static void by_rows(int n)
{
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++)
			for (int k = 0; k < n; k++)
				c[i][k] += a[i][j] * b[j][k];
}

int main(int argc, char **argv)
{
	int n = argc > 2 ? atoi(argv[2]) : 0;

	if (n < 1 || n > MOST)
		return 2;
	for (int i = 0; i < n; i++)
		for (int k = 0; k < n; k++)
			a[i][k] = b[i][k] = i + k;
	if (strcmp(argv[1], "rows") == 0)
		by_rows(n);
	else
		by_columns(n);
	return c[0][0] < 0;
}
