// SPDX-License-Identifier: MIT
/*
 * A small program to count: it makes a buffer, sorts it, and computes its CRC-32.
 *
 *	arm-linux-gnueabi-gcc -O2 -static -o crc examples/linux/crc.c
 *	pmk stat ./crc
 *	pmk stat --region crc32 --region sort ./crc
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define WORDS 65536

static uint32_t words[WORDS];
static uint32_t table[256];

static void make_table(void)
{
	for (uint32_t i = 0; i < 256; i++) {
		uint32_t c = i;

		for (int bit = 0; bit < 8; bit++)
			c = c & 1 ? 0xedb88320u ^ c >> 1 : c >> 1;
		table[i] = c;
	}
}

__attribute__((noinline)) uint32_t crc32(const uint8_t *data, size_t size)
{
	uint32_t c = ~0u;

	for (size_t i = 0; i < size; i++)
		c = table[(c ^ data[i]) & 0xff] ^ c >> 8;
	return ~c;
}

static int compare(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

__attribute__((noinline)) void sort(uint32_t *a, size_t n)
{
	qsort(a, n, sizeof(*a), compare);
}

int main(int argc, char **argv)
{
	uint32_t x = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 0) : 1;

	make_table();
	for (size_t i = 0; i < WORDS; i++)
		words[i] = x = x * 1664525u + 1013904223u;
	sort(words, WORDS);
	printf("crc %08x\n", (unsigned)crc32((const uint8_t *)words, sizeof(words)));
	return 0;
}
