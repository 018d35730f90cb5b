// SPDX-License-Identifier: MIT
/*
 * A little of everything that compilers make of C: products, quotients, shifts, floating point,
 * copies of every alignment, switches, function pointers, recursion, sorting. Exits with 7.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t random_state = 1;

static uint32_t random_word(void)
{
	return random_state = random_state * 1103515245u + 12345u;
}

static unsigned fibonacci(unsigned n)
{
	return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

static int compare(const void *a, const void *b)
{
	int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;

	return (x > y) - (x < y);
}

static int plus_one(int x)
{
	return x + 1;
}

static int twice(int x)
{
	return x * 2;
}

static int choose(int x)
{
	switch (x % 9) {
	case 0:
		return 3;
	case 1:
		return plus_one(x);
	case 2:
		return twice(x) ^ 5;
	case 3:
		return -x;
	case 4:
		return (int)((unsigned)x << (x & 7));
	case 5:
		return x > 50 ? 50 : x;
	case 6:
		return x / 3;
	default:
		return (int)((unsigned)x >> 2) % 3;
	}
}

static uint32_t copies(void)
{
	static char a[160], b[160];
	uint32_t hash = 2166136261u;

	for (unsigned from = 0; from < 4; from++)
		for (unsigned to = 0; to < 4; to++) {
			for (unsigned i = 0; i < 120; i += 7)
				a[i] = (char)(i + from);
			memcpy(b + to, a + from, 61 + from);
			memmove(b + to + 3, b + to, 40);
			hash = (hash ^ (uint32_t)memcmp(a, b, 100)) * 16777619u;
			hash += strlen(strcpy(b, "hello, world"));
		}
	return hash;
}

static uint32_t numbers(void)
{
	static int16_t half[40];
	uint32_t sum = 0;
	uint64_t wide = 1;

	for (int i = 0; i < 40; i++) {
		uint32_t x = random_word();

		half[i] = (int16_t)(x >> 8);
		sum += x / (uint32_t)(i + 1) + x % 17 + (x << (x & 31)) +
		       (uint32_t)((int32_t)x >> (i & 7));
		sum ^= (uint32_t)(int8_t)x + (uint32_t)half[i / 2] + (x == sum);
		wide = wide * x + wide / (x | 1);
	}
	return sum ^ (uint32_t)(wide >> 32);
}

static int floats(void)
{
	float sum = 0;

	for (int i = 1; i < 30; i++) {
		float x = (float)i * 1.5f;

		sum += x > 20 ? x / 3 : -x * x + sum * 0.25f;
	}
	return (int)sum;
}

int main(void)
{
	static int32_t v[60];
	int (*const table[])(int) = { plus_one, twice, choose };
	int sum = 0;

	for (int i = 0; i < 60; i++)
		v[i] = (int32_t)random_word();
	qsort(v, 60, sizeof(*v), compare);
	for (int i = 0; i < 60; i++)
		sum += table[i % 3](i) + choose(i) + (i && v[i] < v[i - 1] ? 1000000 : 0);
	printf("%d %u %x %x %d\n", sum, fibonacci(11), copies(), numbers(), floats());
	return 7;
}
