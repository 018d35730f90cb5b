// SPDX-License-Identifier: MIT
#include "base/distinct.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/hash.h"

static bool distinct_is(const struct pmk_distinct *d, size_t i, const void *bytes, size_t size)
{
	size_t begin = i ? d->end[i - 1] : 0;

	return d->end[i] - begin == size && !memcmp(d->bytes + begin, bytes, size);
}

static bool distinct_append(struct pmk_distinct *d, const void *bytes, size_t size)
{
	while (d->byte_room - d->nbytes <= size) {
		size_t room = 2 * d->byte_room + 4096;
		char *grown = realloc(d->bytes, room);

		if (!grown)
			return false;
		d->bytes = grown;
		d->byte_room = room;
	}
	memcpy(d->bytes + d->nbytes, bytes, size);
	d->nbytes += size;
	return PMK_APPEND(d->end, d->n, d->room, d->nbytes);
}

uint32_t pmk_distinct_put(struct pmk_distinct *d, const void *bytes, size_t size)
{
	uint64_t hash = pmk_hash_add(0, size), word;
	const char *at = bytes;

	for (size_t left = size; left > 0; left -= left < sizeof(word) ? left : sizeof(word)) {
		word = 0;
		memcpy(&word, at + size - left, left < sizeof(word) ? left : sizeof(word));
		hash = pmk_hash_add(hash, word);
	}
	for (;; hash++) {
		uint32_t i = pmk_map_put(&d->of_hash, hash, (uint32_t)d->n);

		if (i == UINT32_MAX || (i < d->n && distinct_is(d, i, bytes, size)))
			return i;
		if (i == d->n)
			return distinct_append(d, bytes, size) ? i : UINT32_MAX;
	}
}

void pmk_distinct_free(struct pmk_distinct *d)
{
	free(d->bytes);
	free(d->end);
	pmk_map_free(&d->of_hash);
}
