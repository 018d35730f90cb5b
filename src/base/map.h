/* SPDX-License-Identifier: MIT */
/* Maps numbers to numbers, for example a key to the number of a node, a sample or an edge. */
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

/* Returns the value of the key. A new key gets the value `fresh`. Returns UINT32_MAX if there is no
 * memory. */
uint32_t pmk_map_put(struct pmk_map *m, uint64_t key, uint32_t fresh);

/* Returns the value of the key, or UINT32_MAX if the map does not have the key. */
uint32_t pmk_map_get(const struct pmk_map *m, uint64_t key);

#endif
