// SPDX-License-Identifier: MIT
/* A hash table with open addressing. At most half of its entries are used. */
#include "base/map.h"

#include <stdlib.h>

#include "base/hash.h"

static size_t find_slot(const struct pmk_map *m, uint64_t key)
{
	size_t i = (size_t)(pmk_hash_add(0, key ^ key >> 32) >> 20) & (m->room - 1);

	while (m->value[i] && m->key[i] != key)
		i = (i + 1) & (m->room - 1);
	return i;
}

static int grow_table(struct pmk_map *m)
{
	struct pmk_map old = *m;

	m->room = old.room ? 2 * old.room : 1024;
	m->key = calloc(m->room, sizeof(*m->key));
	m->value = calloc(m->room, sizeof(*m->value));
	if (!m->key || !m->value) {
		pmk_map_free(m);
		*m = old;
		return -1;
	}
	for (size_t i = 0; i < old.room; i++) {
		size_t to;

		if (!old.value[i])
			continue;
		to = find_slot(m, old.key[i]);
		m->key[to] = old.key[i];
		m->value[to] = old.value[i];
	}
	pmk_map_free(&old);
	return 0;
}

uint32_t pmk_map_put(struct pmk_map *m, uint64_t key, uint32_t fresh)
{
	size_t i;

	if (2 * m->used >= m->room && grow_table(m))
		return UINT32_MAX;
	i = find_slot(m, key);
	if (!m->value[i]) {
		m->key[i] = key;
		m->value[i] = fresh + 1;
		m->used++;
	}
	return m->value[i] - 1;
}

uint32_t pmk_map_get(const struct pmk_map *m, uint64_t key)
{
	return m->room ? m->value[find_slot(m, key)] - 1 : UINT32_MAX;
}

void pmk_map_free(struct pmk_map *m)
{
	free(m->key);
	free(m->value);
	*m = (struct pmk_map){ 0 };
}
