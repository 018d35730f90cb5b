/* SPDX-License-Identifier: MIT */
/*
 * Measures the time per line of 64 bytes when memory is accessed in order of addresses and caches
 * do not help.
 *
 *   stream read|both|fill|copy|back|twice|ahead BYTES TIMES
 *
 * TIMES lines are read, written, or copied from one block of BYTES to another. At the end of a
 * block, the program continues at its beginning. `both` reads the lines of two halves of a block in
 * turn. `back` copies from the end to the beginning. `twice` copies 2048 bytes at a time through a
 * third block, which stays in the cache. `ahead` copies, and prefetches the data 256 bytes ahead.
 * Each access is to a word of 8 bytes, as in tinymembench's C functions. No load waits for another.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 16 << 20, LINE = 64, WORDS = LINE / 8, PART = 2048 / 8 };

static uint64_t from[MOST / 8] __attribute__((aligned(4096)));
static uint64_t to[MOST / 8] __attribute__((aligned(4096)));

static uint64_t read_lines(uint64_t mask, long times)
{
	for (long i = 0; i < times; i++) {
		const volatile uint64_t *p = &from[(uint64_t)i * WORDS & mask];

#pragma GCC unroll 8
		for (int k = 0; k < WORDS; k++)
			(void)p[k];
	}
	return 0;
}

static uint64_t read_both(uint64_t mask, long times)
{
	for (long i = 0; i < times; i += 2) {
		const volatile uint64_t *p = &from[(uint64_t)i / 2 * WORDS & mask / 2];

#pragma GCC unroll 8
		for (int k = 0; k < WORDS; k++)
			(void)p[k];
		p += mask / 2 + 1;
#pragma GCC unroll 8
		for (int k = 0; k < WORDS; k++)
			(void)p[k];
	}
	return 0;
}

static uint64_t fill_lines(uint64_t mask, long times)
{
	for (long i = 0; i < times; i++) {
		volatile uint64_t *p = &to[(uint64_t)i * WORDS & mask];

#pragma GCC unroll 8
		for (int k = 0; k < WORDS; k++)
			p[k] = 1;
	}
	return to[0];
}

/* Copies 32 bytes. */
static inline void copy_words(volatile uint64_t *q, const volatile uint64_t *p)
{
	uint64_t a = p[0], b = p[1], c = p[2], d = p[3];

	q[0] = a;
	q[1] = b;
	q[2] = c;
	q[3] = d;
}

static uint64_t copy_lines(uint64_t mask, long times)
{
	for (long i = 0; i < times; i++) {
		const volatile uint64_t *p = &from[(uint64_t)i * WORDS & mask];
		volatile uint64_t *q = &to[(uint64_t)i * WORDS & mask];

#pragma GCC unroll 2
		for (int k = 0; k < WORDS; k += 4)
			copy_words(q + k, p + k);
	}
	return to[0];
}

static uint64_t copy_back(uint64_t mask, long times)
{
	while (times--) {
		const volatile uint64_t *p = &from[(uint64_t)times * WORDS & mask];
		volatile uint64_t *q = &to[(uint64_t)times * WORDS & mask];

#pragma GCC unroll 2
		for (int k = WORDS - 4; k >= 0; k -= 4)
			copy_words(q + k, p + k);
	}
	return to[0];
}

static uint64_t copy_twice(uint64_t mask, long times)
{
	static uint64_t kept[PART] __attribute__((aligned(4096)));

	for (long i = 0; i < times; i += PART / WORDS) {
		uint64_t at = (uint64_t)i * WORDS & mask;

		for (int k = 0; k < PART; k += 4)
			copy_words(kept + k, from + at + k);
		for (int k = 0; k < PART; k += 4)
			copy_words(to + at + k, kept + k);
	}
	return to[0];
}

static uint64_t copy_ahead(uint64_t mask, long times)
{
	for (long i = 0; i < times; i++) {
		const uint64_t *p = &from[(uint64_t)i * WORDS & mask];
		uint64_t *q = &to[(uint64_t)i * WORDS & mask];

#pragma GCC unroll 2
		for (int k = 0; k < WORDS; k += 4) {
			__builtin_prefetch(p + k + 32, 0, 0);
			copy_words(q + k, p + k);
		}
	}
	return to[0];
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		uint64_t (*run)(uint64_t, long);
	} ways[] = { { "read", read_lines }, { "both", read_both }, { "fill", fill_lines },
		     { "copy", copy_lines }, { "back", copy_back }, { "twice", copy_twice },
		     { "ahead", copy_ahead } };

	if (argc != 4)
		return 2;
	unsigned long bytes = strtoul(argv[2], NULL, 0);

	if (bytes < PART * 8 || bytes > MOST || bytes & (bytes - 1))
		return 2;
	for (unsigned i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		if (strcmp(argv[1], ways[i].name))
			continue;
		printf("stream %d\n", (int)ways[i].run(bytes / 8 - 1, strtol(argv[3], NULL, 0)));
		return 0;
	}
	return 2;
}
