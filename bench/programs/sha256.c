// SPDX-License-Identifier: MIT
/*
 * Benchmark: SHA-256 (FIPS 180-4); long straight blocks of arithmetic, few branches and misses.
 *
 * The digest of "abc" is checked against the standard's example first.
 *
 *	sha256 [FACTOR]		FACTOR times 64 KB; prints one checksum line, exits 1 on a wrong
 *				digest
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUFFER = 65536 };

/* FIPS 180-4, 5.3.3 and 4.2.2: fractional parts of the roots of the first primes. */
/* clang-format off */
static const uint32_t start[8] = {
	0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
	0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
};
static const uint32_t constant[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5,
	0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
	0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
	0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
	0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc,
	0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
	0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
	0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
	0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
	0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
	0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3,
	0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
	0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5,
	0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
	0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};
/* clang-format on */

static uint8_t buffer[BUFFER];

static uint32_t rotate(uint32_t v, int by)
{
	return v >> by | v << (32 - by);
}

static void add_block(uint32_t state[8], const uint8_t *p)
{
	uint32_t w[64], s[8];

	for (int i = 0; i < 16; i++, p += 4)
		w[i] = (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
	for (int i = 16; i < 64; i++) {
		uint32_t x = w[i - 15], y = w[i - 2];

		w[i] = w[i - 16] + w[i - 7] + (rotate(x, 7) ^ rotate(x, 18) ^ x >> 3) +
		       (rotate(y, 17) ^ rotate(y, 19) ^ y >> 10);
	}
	memcpy(s, state, sizeof(s));
	for (int i = 0; i < 64; i++) {
		uint32_t t1 = s[7] + (rotate(s[4], 6) ^ rotate(s[4], 11) ^ rotate(s[4], 25)) +
			      ((s[4] & s[5]) ^ (~s[4] & s[6])) + constant[i] + w[i];
		uint32_t t2 = (rotate(s[0], 2) ^ rotate(s[0], 13) ^ rotate(s[0], 22)) +
			      ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));

		s[7] = s[6];
		s[6] = s[5];
		s[5] = s[4];
		s[4] = s[3] + t1;
		s[3] = s[2];
		s[2] = s[1];
		s[1] = s[0];
		s[0] = t1 + t2;
	}
	for (int i = 0; i < 8; i++)
		state[i] += s[i];
}

static void sha256(uint32_t state[8], const uint8_t *data, size_t size)
{
	uint8_t last[128] = { 0 };
	size_t rest = size % 64, padded = rest < 56 ? 64 : 128;

	memcpy(state, start, sizeof(start));
	for (size_t at = 0; at + 64 <= size; at += 64)
		add_block(state, data + at);
	memcpy(last, data + size - rest, rest);
	last[rest] = 0x80;
	for (int i = 0; i < 8; i++)
		last[padded - 1 - (size_t)i] = (uint8_t)((uint64_t)size * 8 >> (8 * i));
	for (size_t at = 0; at < padded; at += 64)
		add_block(state, last + at);
}

int main(int argc, char **argv)
{
	unsigned long factor = argc > 1 ? strtoul(argv[1], NULL, 0) : 1;
	uint32_t state[8], sum = 0;

	sha256(state, (const uint8_t *)"abc", 3);
	if (state[0] != UINT32_C(0xba7816bf) || state[7] != UINT32_C(0xf20015ad)) {
		fputs("sha256: wrong digest of \"abc\"\n", stderr);
		return 1;
	}
	for (unsigned long round = 0; round < factor; round++) {
		for (size_t i = 0; i < BUFFER; i += 1024)
			memcpy(&buffer[i], state, sizeof(state));
		sha256(state, buffer, BUFFER);
		sum ^= state[0] ^ state[7];
	}
	printf("sha256 %08" PRIx32 "\n", sum);
	return 0;
}
