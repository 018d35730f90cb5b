/* SPDX-License-Identifier: MIT */
/* Arrays that grow. `room` is the capacity, 0 before the first call; it and `array` are lvalues. */
#ifndef PMK_BASE_GROW_H
#define PMK_BASE_GROW_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Returns an array of `n` items of `size` bytes with room for one more item. NULL: out of memory;
 * array and *room are unchanged.
 */
void *pmk_grow(void *array, size_t n, size_t *room, size_t size);

/* Makes room for one more item. False: out of memory; array and room are unchanged. */
#define PMK_GROW(array, n, room)                                                  \
	__extension__({                                                           \
		void *grown_ = pmk_grow((array), (n), &(room), sizeof(*(array))); \
		if (grown_)                                                       \
			(array) = grown_;                                         \
		grown_ != NULL;                                                   \
	})

/* Appends an item, which is evaluated only if there is room. False: out of memory. */
#define PMK_APPEND(array, n, room, ...) \
	(PMK_GROW(array, n, room) && ((array)[(n)++] = __VA_ARGS__, true))

#endif
