/* SPDX-License-Identifier: MIT */
#ifndef PMK_BASE_GROW_H
#define PMK_BASE_GROW_H

#include <stddef.h>

/* An array of `n` items of `size` bytes, with room for *room, 0 where there is none yet: returns it
 * with room for one item more. NULL: out of memory; array and *room are what they were. */
void *pmk_grow(void *array, size_t n, size_t *room, size_t size);

#endif
