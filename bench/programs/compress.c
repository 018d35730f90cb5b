// SPDX-License-Identifier: MIT
/*
 * Benchmark: LZ77 with hash chains on made-up text, then decompress and compare.
 *
 * Following a chain jumps about in a 64 KB window and its 256 KB of links, which is what makes
 * compressors miss. The text is words of skewed frequency from a made-up vocabulary. The output
 * format is our own: a control byte for eight items, an item is a literal byte or a
 * (distance, length) pair of three bytes.
 *
 *	compress [FACTOR]	FACTOR texts of 256 KB; prints one checksum line, exits 1 on a
 *				mismatch
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	TEXT = 256 * 1024,
	WINDOW = 65536,
	HASHES = 16384,
	SHORTEST = 4,
	LONGEST = SHORTEST + 255,
	CHAIN = 32, /* candidates tried at a position */
	WORDS = 4096,
};

static uint8_t text[TEXT + 16], packed[TEXT + TEXT / 8 + 16], unpacked[TEXT];
static uint32_t head[HASHES], previous[WINDOW]; /* position + 1, 0 for none */
static char words[WORDS][12];

static uint32_t next_random(uint32_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 17;
	*state ^= *state << 5;
	return *state;
}

static void make_words(uint32_t *seed)
{
	static const char consonants[] = "bcdfghklmnprstvw", vowels[] = "aeiouaei";

	for (int w = 0; w < WORDS; w++) {
		int length = 2 + (int)(next_random(seed) % 9);

		for (int i = 0; i < length; i++)
			words[w][i] = i & 1 ? vowels[next_random(seed) & 7]
					    : consonants[next_random(seed) & 15];
		words[w][length] = '\0';
	}
}

/* The product of two random numbers makes words with a small index the common ones. */
static void make_text(uint32_t *seed)
{
	size_t at = 0;

	while (at < TEXT) {
		uint32_t pick = (next_random(seed) % 64) * (next_random(seed) % 64);
		const char *w = words[pick % WORDS];

		while (*w && at < TEXT)
			text[at++] = (uint8_t)*w++;
		if (at < TEXT)
			text[at++] = (next_random(seed) & 15) ? ' ' : '\n';
	}
}

static uint32_t hash4(const uint8_t *p)
{
	uint32_t v = p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;

	return (v * UINT32_C(2654435761)) >> 18;
}

static void insert(uint32_t at)
{
	uint32_t h = hash4(&text[at]);

	previous[at % WINDOW] = head[h];
	head[h] = at + 1;
}

static uint32_t match_length(const uint8_t *a, const uint8_t *b, uint32_t most)
{
	uint32_t n = 0;

	while (n < most && a[n] == b[n])
		n++;
	return n;
}

/* The longest match along the chain, 0 if there is none; *distance tells where. */
static uint32_t longest_match(uint32_t at, uint32_t *distance)
{
	uint32_t most = TEXT - at < LONGEST ? TEXT - at : LONGEST, best = SHORTEST - 1;
	uint32_t candidate = head[hash4(&text[at])];

	for (int tries = 0; candidate && tries < CHAIN && best < most; tries++) {
		uint32_t from = candidate - 1;

		if (at - from >= WINDOW)
			break;
		if (text[from + best] == text[at + best]) {
			uint32_t n = match_length(&text[from], &text[at], most);

			if (n > best) {
				best = n;
				*distance = at - from;
			}
		}
		candidate = previous[from % WINDOW];
	}
	return best >= SHORTEST ? best : 0;
}

static size_t pack(void)
{
	size_t out = 0, control = 0;
	uint32_t at = 0;

	memset(head, 0, sizeof(head));
	for (unsigned item = 0; at < TEXT; item++) {
		uint32_t distance = 0, length = longest_match(at, &distance);

		if (item % 8 == 0) {
			control = out++;
			packed[control] = 0;
		}
		if (length) {
			packed[control] |= (uint8_t)(1 << item % 8);
			packed[out++] = (uint8_t)distance;
			packed[out++] = (uint8_t)(distance >> 8);
			packed[out++] = (uint8_t)(length - SHORTEST);
		} else {
			packed[out++] = text[at];
			length = 1;
		}
		while (length--)
			insert(at++);
	}
	return out;
}

/* Trusts its input: it is our own output of a moment ago. */
static void unpack(void)
{
	size_t in = 0, control = 0;
	uint32_t at = 0;

	for (unsigned item = 0; at < TEXT; item++) {
		if (item % 8 == 0)
			control = in++;
		if (packed[control] >> item % 8 & 1) {
			uint32_t distance = packed[in] | (uint32_t)packed[in + 1] << 8;
			uint32_t length = packed[in + 2] + (uint32_t)SHORTEST;

			in += 3;
			for (; length--; at++)
				unpacked[at] = unpacked[at - distance];
		} else {
			unpacked[at++] = packed[in++];
		}
	}
}

int main(int argc, char **argv)
{
	unsigned long factor = argc > 1 ? strtoul(argv[1], NULL, 0) : 1;
	uint32_t seed = UINT32_C(362436069), sum = 0;

	make_words(&seed);
	for (unsigned long round = 0; round < factor; round++) {
		size_t size;

		make_text(&seed);
		size = pack();
		unpack();
		if (memcmp(text, unpacked, TEXT) != 0) {
			fputs("compress: the text came back different\n", stderr);
			return 1;
		}
		for (size_t i = 0; i < size; i++)
			sum = (sum << 5 | sum >> 27) + packed[i];
	}
	printf("compress %08" PRIx32 "\n", sum);
	return 0;
}
