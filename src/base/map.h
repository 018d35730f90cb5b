/* SPDX-License-Identifier: MIT */
/* Maps numbers to numbers: the node, sample or edge with a given key. */
#ifndef PMK_BASE_MAP_H
#define PMK_BASE_MAP_H

#include <stddef.h>
#include <stdint.h>

struct pmk_map {
	uint64_t *key;
	uint32_t *value; /* the value plus one; 0: the entry is free */
	size_t room, used;
};

/* Zeroed memory is an empty map. */
void pmk_map_free(struct pmk_map *m);

/* Returns the value of the key; a new key gets the value `fresh`. UINT32_MAX: out of memory. */
uint32_t pmk_map_put(struct pmk_map *m, uint64_t key, uint32_t fresh);

/* Returns the value of the key, or UINT32_MAX. */
uint32_t pmk_map_get(const struct pmk_map *m, uint64_t key);

#endif
