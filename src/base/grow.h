/* SPDX-License-Identifier: MIT */
/* Arrays that grow. `room` is the capacity, which is 0 before the first call. `room` and `array`
 * must be lvalues. */
#ifndef PMK_BASE_GROW_H
#define PMK_BASE_GROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

/*
 * Returns an array of `n` items of `size` bytes with room for one more item. Returns NULL if there
 * is no memory; `array` and *room have not changed in that case.
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

/* Makes room for one more item. Returns false if there is no memory; `array` and `room` have not
 * changed in that case. */
#define PMK_GROW(array, n, room)                                                  \
	__extension__({                                                           \
		void *grown_ = pmk_grow((array), (n), &(room), sizeof(*(array))); \
		if (grown_)                                                       \
			(array) = grown_;                                         \
		grown_ != NULL;                                                   \
	})

/* Appends an item. Returns false if there is no memory. In that case the expression of the item is
 * not evaluated. */
#define PMK_APPEND(array, n, room, ...) \
	(PMK_GROW(array, n, room) && ((array)[(n)++] = __VA_ARGS__, true))

#endif
