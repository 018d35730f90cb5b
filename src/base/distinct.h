/* SPDX-License-Identifier: MIT */
/* A list of byte strings, which are numbered from 0. Equal strings are stored only once. */
#ifndef PMK_BASE_DISTINCT_H
#define PMK_BASE_DISTINCT_H

#include <stddef.h>
#include <stdint.h>

#include "base/map.h"

struct pmk_distinct {
	char *bytes; /* the bytes of all strings */
	size_t *end; /* the end of each string in `bytes` */
	size_t n, room, nbytes, byte_room;
	struct pmk_map of_hash;
};

/* Zeroed memory is an empty list. */
void pmk_distinct_free(struct pmk_distinct *d);

/* Adds a string unless the list has it. Returns its number, which is d->n - 1 if it is new, or
 * UINT32_MAX if there is no memory. */
uint32_t pmk_distinct_put(struct pmk_distinct *d, const void *bytes, size_t size);

#endif
