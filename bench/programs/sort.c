// SPDX-License-Identifier: MIT
/*
 * Benchmark: sorting records through a comparison callback; calls and returns dominate.
 *
 * The C library's qsort sorts an array of records by three keys, then a recursive quicksort of our
 * own sorts it again by another order. Both orders are total, so that the result does not depend
 * on which algorithm a C library chose.
 *
 *	sort [FACTOR]		FACTOR rounds of 20000 records; prints one checksum line
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { RECORDS = 20000 };

struct record {
	uint16_t group, rank;
	uint32_t value, index;
};

typedef int compare_fn(const void *a, const void *b);

static struct record records[RECORDS];

static uint32_t next_random(uint32_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 17;
	*state ^= *state << 5;
	return *state;
}

static int order(uint32_t a, uint32_t b)
{
	return (a > b) - (a < b);
}

static int by_group(const void *a, const void *b)
{
	const struct record *x = a, *y = b;
	int o = order(x->group, y->group);

	if (!o)
		o = order(x->rank, y->rank);
	return o ? o : order(x->index, y->index);
}

static int by_value(const void *a, const void *b)
{
	const struct record *x = a, *y = b;
	int o = order(x->value, y->value);

	return o ? o : order(x->index, y->index);
}

static void swap(struct record *a, struct record *b)
{
	struct record t = *a;

	*a = *b;
	*b = t;
}

/* Recursion goes into the smaller part, so its depth is at most log2 of the count. */
static void quicksort(struct record *r, unsigned count, compare_fn *compare)
{
	while (count > 1) {
		struct record pivot = r[count / 2];
		unsigned lo = 0, hi = count - 1;

		for (;;) {
			while (compare(&r[lo], &pivot) < 0)
				lo++;
			while (compare(&r[hi], &pivot) > 0)
				hi--;
			if (lo >= hi)
				break;
			swap(&r[lo++], &r[hi--]);
		}
		if (lo < count - lo) {
			quicksort(r, lo, compare);
			r += lo;
			count -= lo;
		} else {
			quicksort(r + lo, count - lo, compare);
			count = lo;
		}
	}
}

static uint32_t digest(uint32_t sum)
{
	for (unsigned i = 0; i < RECORDS; i++)
		sum = sum * UINT32_C(16777619) ^ records[i].index;
	return sum;
}

int main(int argc, char **argv)
{
	unsigned long factor = argc > 1 ? strtoul(argv[1], NULL, 0) : 1;
	uint32_t seed = UINT32_C(2463534242), sum = UINT32_C(2166136261);

	for (unsigned long round = 0; round < factor; round++) {
		for (unsigned i = 0; i < RECORDS; i++) {
			uint32_t v = next_random(&seed);

			records[i].group = v & 63;
			records[i].rank = (v >> 6) & 255;
			records[i].value = v >> 12;
			records[i].index = i;
		}
		qsort(records, RECORDS, sizeof(records[0]), by_group);
		sum = digest(sum);
		quicksort(records, RECORDS, by_value);
		sum = digest(sum);
	}
	printf("sort %08" PRIx32 "\n", sum);
	return 0;
}
