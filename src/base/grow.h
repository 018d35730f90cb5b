/* SPDX-License-Identifier: MIT */
#ifndef PMK_BASE_GROW_H
#define PMK_BASE_GROW_H

#include <stddef.h>

/*
 * Returns an array of `n` items of `size` bytes with room for one more item. *room is its capacity,
 * 0 before the first call. NULL: out of memory; array and *room are unchanged.
 */
void *pmk_grow(void *array, size_t n, size_t *room, size_t size);

#endif
