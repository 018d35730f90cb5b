// SPDX-License-Identifier: MIT
#include "base/grow.h"

#include <stdlib.h>

void *pmk_grow(void *array, size_t n, size_t *room, size_t size)
{
	size_t more = *room ? 2 * *room : 64;
	void *grown;

	if (n < *room)
		return array;
	grown = realloc(array, more * size);
	if (grown)
		*room = more;
	return grown;
}
