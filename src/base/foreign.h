/* SPDX-License-Identifier: MIT */
/* Checks memory that other programs can write, before its contents are trusted. */
#ifndef PMK_BASE_FOREIGN_H
#define PMK_BASE_FOREIGN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/*
 * True if all n elements of `b` are valid bools. The function reads them as bytes, because reading
 * a bool that has any other value is undefined behaviour.
 */
static inline bool pmk_are_bools(const bool *b, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint8_t byte;

		memcpy(&byte, &b[i], sizeof(byte));
		if (byte > 1)
			return false;
	}
	return true;
}

static inline bool pmk_is_bool(const bool *b)
{
	return pmk_are_bools(b, 1);
}

/* True if a member, which must have no padding, has the same value in both structs. */
#define PMK_SAME(a, b, member) (!memcmp(&(a)->member, &(b)->member, sizeof((a)->member)))

#endif
