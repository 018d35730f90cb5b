/* SPDX-License-Identifier: MIT */
/*
 * Handles structs of public headers that the caller allocates and to which later versions append
 * members. Their first member is `size`: sizeof the struct with which the caller was compiled. An
 * older caller gets the members that it knows. A newer caller gets zeros in the members that the
 * library does not know.
 */
#ifndef PMK_BASE_SIZED_H
#define PMK_BASE_SIZED_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* The largest size of a public struct that pmk accepts. If `size` is larger, the caller has not set
 * it. */
#define PMK_SIZED_MOST 65536

/* The size of a struct whose last member is `member`. */
#define PMK_SIZE_UP_TO(type, member) (offsetof(type, member) + sizeof(((type *)0)->member))

/* True if a caller can have been compiled with a struct of this size. `least` is the size of the
 * oldest struct. */
static inline bool pmk_size_is_valid(size_t size, size_t least)
{
	return size >= least && size <= PMK_SIZED_MOST;
}

/* Copies the members that both sides know. `to` keeps its size; its other members become 0. */
static inline void pmk_sized_copy(void *to, size_t to_size, const void *from, size_t from_size)
{
	size_t both = to_size < from_size ? to_size : from_size;

	memcpy(to, from, both);
	memset((char *)to + both, 0, to_size - both);
	memcpy(to, &to_size, sizeof(to_size));
}

#endif
