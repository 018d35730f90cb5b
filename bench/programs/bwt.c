// SPDX-License-Identifier: MIT
/*
 * Benchmark: the Burrows-Wheeler transform of made-up text, move-to-front, and back.
 *
 * All rotations of a block are sorted: by two characters in a pass over buckets, then within each
 * bucket by a heapsort whose comparisons run through the block from two places at once. Data decide
 * every branch, and each comparison reads lines that the one before has not. The way back is a
 * chain of dependent loads.
 *
 *	bwt [FACTOR]		FACTOR blocks of 32 KB; prints one checksum line, exits 1 if a block
 *				comes back changed
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 32768, LETTERS = 27 };

static uint8_t text[BLOCK], last[BLOCK], again[BLOCK];
static uint16_t order[BLOCK], follower[BLOCK];
static uint32_t begin[LETTERS * LETTERS + 1];

/* Words of a language with few of them, where frequent letters are more frequent still. */
static void make_text(uint32_t *seed)
{
	for (unsigned i = 0; i < BLOCK; i++) {
		uint32_t r = (*seed = *seed * UINT32_C(1664525) + UINT32_C(1013904223)) >> 10;

		if (i >= 64 && r % 5) /* go on as a little before: a word that was there */
			text[i] = text[i - 17 - (r >> 20) % 3];
		else
			text[i] = (uint8_t)((r >> 3) % LETTERS * ((r >> 9) % LETTERS) / LETTERS);
	}
}

/* Rotations are compared from their third character on. */
static int precedes(uint16_t a, uint16_t b)
{
	for (unsigned n = 2; n < BLOCK; n++) {
		uint8_t x = text[(a + n) % BLOCK], y = text[(b + n) % BLOCK];

		if (x != y)
			return x < y;
	}
	return a < b;
}

static void sift(uint16_t *heap, unsigned at, unsigned count)
{
	for (unsigned child; (child = 2 * at + 1) < count; at = child) {
		uint16_t t = heap[at];

		if (child + 1 < count && precedes(heap[child], heap[child + 1]))
			child++;
		if (!precedes(t, heap[child]))
			return;
		heap[at] = heap[child];
		heap[child] = t;
	}
}

static void heapsort_(uint16_t *r, unsigned count)
{
	for (unsigned i = count / 2; i-- > 0;)
		sift(r, i, count);
	for (unsigned i = count; i-- > 1;) {
		uint16_t t = r[0];

		r[0] = r[i];
		r[i] = t;
		sift(r, 0, i);
	}
}

static unsigned bucket(unsigned at)
{
	return text[at] * LETTERS + text[(at + 1) % BLOCK];
}

/* Returns where the text itself is among its sorted rotations. */
static unsigned transform(void)
{
	unsigned own = 0;

	memset(begin, 0, sizeof(begin));
	for (unsigned i = 0; i < BLOCK; i++)
		begin[bucket(i) + 1]++;
	for (unsigned b = 0; b < LETTERS * LETTERS; b++)
		begin[b + 1] += begin[b];
	for (unsigned i = BLOCK; i-- > 0;)
		order[--begin[bucket(i) + 1]] = (uint16_t)i;
	/* begin[b + 1] is now the beginning of bucket b. */
	for (unsigned b = 1; b <= LETTERS * LETTERS; b++) {
		unsigned end = b < LETTERS * LETTERS ? begin[b + 1] : BLOCK;

		heapsort_(order + begin[b], end - begin[b]);
	}
	for (unsigned i = 0; i < BLOCK; i++) {
		last[i] = text[(order[i] + BLOCK - 1u) % BLOCK];
		if (!order[i])
			own = i;
	}
	return own;
}

/* Each letter becomes the number of letters since it was there last; and the same back. */
static void to_front(uint8_t *line, uint8_t letter, unsigned from)
{
	memmove(line + 1, line, from);
	line[0] = letter;
}

static uint32_t encode(uint32_t sum)
{
	uint8_t line[LETTERS];

	for (unsigned i = 0; i < LETTERS; i++)
		line[i] = (uint8_t)i;
	for (unsigned i = 0; i < BLOCK; i++) {
		uint8_t letter = last[i], n = 0;

		while (line[n] != letter)
			n++;
		to_front(line, letter, n);
		last[i] = n;
		sum = (sum ^ n) * UINT32_C(16777619);
	}
	return sum;
}

static void decode(unsigned own)
{
	uint32_t next[LETTERS] = { 0 }, count[LETTERS] = { 0 };
	uint8_t line[LETTERS];

	for (unsigned i = 0; i < LETTERS; i++)
		line[i] = (uint8_t)i;
	for (unsigned i = 0; i < BLOCK; i++) {
		uint8_t n = last[i], letter = line[n];

		to_front(line, letter, n);
		last[i] = letter;
		count[letter]++;
	}
	for (unsigned i = 1; i < LETTERS; i++)
		next[i] = next[i - 1] + count[i - 1];
	for (unsigned i = 0; i < BLOCK; i++)
		follower[next[last[i]]++] = (uint16_t)i;
	for (unsigned i = 0, at = follower[own]; i < BLOCK; i++, at = follower[at])
		again[i] = last[at];
}

int main(int argc, char **argv)
{
	unsigned long factor = argc > 1 ? strtoul(argv[1], NULL, 0) : 1;
	uint32_t seed = 1, sum = UINT32_C(2166136261);

	for (unsigned long round = 0; round < factor; round++) {
		unsigned own;

		make_text(&seed);
		own = transform();
		sum = encode(sum + own);
		decode(own);
		if (memcmp(text, again, BLOCK) != 0) {
			fputs("bwt: a block came back changed\n", stderr);
			return 1;
		}
	}
	printf("bwt %08" PRIx32 "\n", sum);
	return 0;
}
