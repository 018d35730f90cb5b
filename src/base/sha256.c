// SPDX-License-Identifier: MIT
#include "base/sha256.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static const uint32_t k[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
	0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
	0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
	0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
	0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
	0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
	0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116,
	0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
	0xc67178f2,
};

static uint32_t rotate_right(uint32_t x, unsigned n)
{
	return x >> n | x << (32 - n);
}

static uint32_t big_endian(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/* Updates the state with a block (FIPS 180-4, section 6.2.2). */
static void take_block(uint32_t state[8], const uint8_t *block)
{
	uint32_t w[64], s[8];

	for (unsigned t = 0; t < 16; t++)
		w[t] = big_endian(block + 4 * t);
	for (unsigned t = 16; t < 64; t++)
		w[t] = (rotate_right(w[t - 2], 17) ^ rotate_right(w[t - 2], 19) ^ w[t - 2] >> 10) +
		       w[t - 7] +
		       (rotate_right(w[t - 15], 7) ^ rotate_right(w[t - 15], 18) ^ w[t - 15] >> 3) +
		       w[t - 16];
	memcpy(s, state, sizeof(s));
	for (unsigned t = 0; t < 64; t++) {
		uint32_t t1 =
			s[7] +
			(rotate_right(s[4], 6) ^ rotate_right(s[4], 11) ^ rotate_right(s[4], 25)) +
			((s[4] & s[5]) ^ (~s[4] & s[6])) + k[t] + w[t];
		uint32_t t2 =
			(rotate_right(s[0], 2) ^ rotate_right(s[0], 13) ^ rotate_right(s[0], 22)) +
			((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));

		memmove(s + 1, s, 7 * sizeof(*s));
		s[4] += t1;
		s[0] = t1 + t2;
	}
	for (unsigned i = 0; i < 8; i++)
		state[i] += s[i];
}

void pmk_sha256_begin(struct pmk_sha256 *h)
{
	static const uint32_t first[8] = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
					   0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19 };

	memcpy(h->state, first, sizeof(first));
	h->bytes = 0;
}

void pmk_sha256_add(struct pmk_sha256 *h, const void *data, size_t n)
{
	const uint8_t *p = data;
	size_t used = h->bytes % 64;

	h->bytes += n;
	if (used + n >= 64 && used) {
		memcpy(h->block + used, p, 64 - used);
		take_block(h->state, h->block);
		p += 64 - used;
		n -= 64 - used;
		used = 0;
	}
	for (; n >= 64; p += 64, n -= 64)
		take_block(h->state, p);
	if (n)
		memcpy(h->block + used, p, n);
}

void pmk_sha256_end(struct pmk_sha256 *h, uint8_t hash[PMK_SHA256])
{
	uint64_t bits = h->bytes * 8;
	uint8_t length[8];

	for (unsigned i = 0; i < 8; i++)
		length[i] = (uint8_t)(bits >> (56 - 8 * i));
	pmk_sha256_add(h, "\x80", 1);
	while (h->bytes % 64 != 56)
		pmk_sha256_add(h, "", 1);
	pmk_sha256_add(h, length, sizeof(length));
	for (unsigned i = 0; i < PMK_SHA256; i++)
		hash[i] = (uint8_t)(h->state[i / 4] >> (24 - 8 * (i % 4)));
}

int pmk_sha256_file(const char *path, uint8_t hash[PMK_SHA256])
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), error = 0;
	struct pmk_sha256 h;
	uint8_t data[16384];
	ssize_t n;

	if (fd < 0)
		return errno;
	pmk_sha256_begin(&h);
	while ((n = read(fd, data, sizeof(data))) > 0)
		pmk_sha256_add(&h, data, (size_t)n);
	if (n < 0)
		error = errno;
	close(fd);
	pmk_sha256_end(&h, hash);
	return error;
}

void pmk_sha256_text(const uint8_t *hash, size_t n, char *text)
{
	static const char digit[] = "0123456789abcdef";

	for (size_t i = 0; i < n; i++) {
		text[2 * i] = digit[hash[i] >> 4];
		text[2 * i + 1] = digit[hash[i] & 15];
	}
	text[2 * n] = '\0';
}
