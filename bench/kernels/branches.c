/* SPDX-License-Identifier: MIT */
/*
 * A conditional branch that is taken in a pattern, and an indirect one with several targets.
 *
 *   branches never|always|alternate|random TIMES     a conditional branch around two additions
 *   branches period-N TIMES                          taken once in N (2 to 64)
 *   branches targets-N TIMES                         a call through one of N (1, 2, 4, 8) pointers,
 *                                                    in turn
 *
 * The work except the branch is the same in all patterns, so that only the prediction differs.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * The length of a pattern. A predictor cannot memorise so many branches, and the bits take only a
 * quarter of an L1 cache.
 */
enum { BITS = 65536 };

static uint32_t taken[BITS / 32];
static uint32_t sum;

#define TARGET(n)                                                       \
	static __attribute__((noinline)) uint32_t target##n(uint32_t x) \
	{                                                               \
		return x + n;                                           \
	}                                                               \
	struct needs_semicolon

TARGET(1);
TARGET(2);
TARGET(3);
TARGET(4);
TARGET(5);
TARGET(6);
TARGET(7);
TARGET(8);

static void conditional(long times)
{
	uint32_t a = 1, b = 2;

	for (long i = 0; i < times; i++) {
		if (taken[i / 32 & (BITS / 32 - 1)] >> (i & 31) & 1) {
			/* This keeps the compiler from making the addition conditional. */
			__asm__ volatile("" : "+r"(a), "+r"(b));
			a += b;
		}
		__asm__ volatile("" : "+r"(a), "+r"(b));
	}
	sum += a;
}

static void indirect(long times, long n)
{
	static uint32_t (*const targets[])(uint32_t) = { target1, target2, target3, target4,
							 target5, target6, target7, target8 };
	uint32_t a = 1;

	for (long i = 0; i < times; i++)
		a = targets[i & (n - 1)](a);
	sum += a;
}

int main(int argc, char **argv)
{
	uint32_t r = 1;

	if (argc != 3)
		return 2;
	long times = strtol(argv[2], NULL, 0);

	if (!strncmp(argv[1], "targets-", 8)) {
		long n = strtol(argv[1] + 8, NULL, 10);

		if (n != 1 && n != 2 && n != 4 && n != 8)
			return 2;
		indirect(times, n);
	} else {
		long period = !strcmp(argv[1], "always")	? 1
			      : !strcmp(argv[1], "alternate")	? 2
			      : !strncmp(argv[1], "period-", 7) ? strtol(argv[1] + 7, NULL, 10)
								: 0;

		for (int i = 0; i < BITS; i++) {
			r = r * 1664525 + 1013904223;
			uint32_t bit = !strcmp(argv[1], "random") ? r >> 31
				       : period			  ? i % period == 0
								  : 0;

			taken[i / 32] |= bit << (i & 31);
		}
		conditional(times);
	}
	printf("branches %u\n", (unsigned)sum);
	return 0;
}
