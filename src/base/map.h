/* SPDX-License-Identifier: MIT */
/* Numbers by numbers: which node, sample or edge has this key. */
#ifndef PMK_BASE_MAP_H
#define PMK_BASE_MAP_H

#include <stddef.h>
#include <stdint.h>

struct pmk_map {
	uint64_t *key;
	uint32_t *value; /* one more than the value; 0: the place is free */
	size_t room, used;
};

/* Zeroed memory is an empty map. */
void pmk_map_free(struct pmk_map *m);

/* The value of the key; if it has none yet, it gets `fresh`. UINT32_MAX when out of memory. */
uint32_t pmk_map_put(struct pmk_map *m, uint64_t key, uint32_t fresh);

/* The value of the key, or UINT32_MAX. */
uint32_t pmk_map_get(const struct pmk_map *m, uint64_t key);

#endif
