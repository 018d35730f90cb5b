/* SPDX-License-Identifier: MIT */
/* Arrays that grow. `room` is the capacity, 0 before the first call; it and `array` are lvalues. */
#ifndef PMK_BASE_GROW_H
#define PMK_BASE_GROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

/*
 * Returns an array of `n` items of `size` bytes with room for one more item. Returns NULL if out of
 * memory; array and *room are then unchanged.
 */
static inline void *pmk_grow(void *array, size_t n, size_t *room, size_t size)
{
	size_t more = *room ? 2 * *room : 64;
	void *grown;

	if (n < *room)
		return array;
	grown = realloc(array, more * size);
	if (grown)
		*room = more;
	return grown;
}

/* Makes room for one more item. Returns false if out of memory; array and room are then
 * unchanged. */
#define PMK_GROW(array, n, room)                                                  \
	__extension__({                                                           \
		void *grown_ = pmk_grow((array), (n), &(room), sizeof(*(array))); \
		if (grown_)                                                       \
			(array) = grown_;                                         \
		grown_ != NULL;                                                   \
	})

/* Appends an item, which is evaluated only if there is room. Returns false if out of memory. */
#define PMK_APPEND(array, n, room, ...) \
	(PMK_GROW(array, n, room) && ((array)[(n)++] = __VA_ARGS__, true))

#endif
