/* SPDX-License-Identifier: MIT */
/* A list of different byte strings, numbered from 0. Equal strings are stored once. */
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

/* Returns the number of the string, which is d->n - 1 if it is new. UINT32_MAX: out of memory. */
uint32_t pmk_distinct_put(struct pmk_distinct *d, const void *bytes, size_t size);

#endif
