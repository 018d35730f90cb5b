// SPDX-License-Identifier: MIT
/*
 * A program that uses the C library and maps no memory, so it executes the same instructions at the
 * same addresses everywhere.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static char a[9000], b[9000];
static unsigned long long wide[64];

static int by_value(const void *x, const void *y)
{
	unsigned long long p = *(const unsigned long long *)x, q = *(const unsigned long long *)y;

	return p < q ? -1 : p > q;
}

int main(int argc, char **argv)
{
	struct timespec ts;
	double d = 0;
	int n = 0;

	for (int i = 0; i < 200; i++) {
		memset(a, i, 1 + (size_t)i * 40);
		memcpy(b + (i & 7), a, 1 + (size_t)i * 30);
		d += sqrt(i) * sin(i);
		n += memcmp(a, b, (size_t)i) != 0;
	}
	for (int i = 0; i < 64; i++)
		wide[i] = wide[(i * 7) & 63] * 3 + (unsigned)i % 5;
	qsort(wide, 64, sizeof(wide[0]), by_value);
	for (int i = 0; i < 1000; i++)
		__sync_val_compare_and_swap(&n, n, n + i);
	for (int i = 0; i < 100; i++)
		__sync_fetch_and_add(&n, i);
	for (int i = 0; i < 20; i++) /* a system call, or a function of the vDSO */
		clock_gettime(CLOCK_MONOTONIC, &ts);
	printf("%d %d %.3f %s %s\n", argc, n, d, strrchr(argv[0], '/') ? "path" : "name",
	       getenv("LANG"));
	return 0;
}
