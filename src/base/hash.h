/* SPDX-License-Identifier: MIT */
/* Hashes for tables in memory. They must not be stored in files; keys in files are made by
 * sha256.h. */
#ifndef PMK_BASE_HASH_H
#define PMK_BASE_HASH_H

#include <stdint.h>

/*
 * Adds `value` to the hash of earlier values, and returns the hash of all values so far. The high
 * bits of a hash are better mixed than its low bits.
 */
static inline uint64_t pmk_hash_add(uint64_t hash, uint64_t value)
{
	return (hash ^ hash >> 29 ^ value) * UINT64_C(0x9e3779b97f4a7c15);
}

static inline uint64_t pmk_hash_text(const char *text)
{
	uint64_t hash = 0;

	while (*text)
		hash = pmk_hash_add(hash, (unsigned char)*text++);
	return hash;
}

#endif
