/* SPDX-License-Identifier: MIT */
/*
 * SHA-256 (FIPS 180-4), used to identify contents, such as everything that determines the counts of
 * a run.
 */
#ifndef PMK_BASE_SHA256_H
#define PMK_BASE_SHA256_H

#include <stddef.h>
#include <stdint.h>

#define PMK_SHA256 32 /* bytes of a hash */

struct pmk_sha256 {
	uint32_t state[8];
	uint64_t bytes; /* bytes hashed so far */
	uint8_t block[64];
};

void pmk_sha256_begin(struct pmk_sha256 *h);
void pmk_sha256_add(struct pmk_sha256 *h, const void *data, size_t n);
void pmk_sha256_end(struct pmk_sha256 *h, uint8_t hash[PMK_SHA256]);

/* Hashes the contents of a file. Returns 0, or a value of errno. */
int pmk_sha256_file(const char *path, uint8_t hash[PMK_SHA256]);

/* Writes the first `n` bytes of a hash in hexadecimal. `text` needs room for 2 n + 1 characters. */
void pmk_sha256_text(const uint8_t *hash, size_t n, char *text);

#endif
