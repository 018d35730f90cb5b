/* SPDX-License-Identifier: MIT */
/* Searches a list that is sorted by a uint64_t member of its items. */
#ifndef PMK_BASE_SEARCH_H
#define PMK_BASE_SEARCH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Returns the index of the first of `n` items whose `member` is at least `value`. Returns `n` if
 * there is none. */
#define PMK_FIRST_FROM(list, n, member, value)                                                  \
	pmk_first_from((list), (n), sizeof((list)[0]), offsetof(__typeof__((list)[0]), member), \
		       (value))

/* Returns the index of the first item whose `member` is greater than `value`. Returns `n` if there
 * is none. */
#define PMK_FIRST_BEHIND(list, n, member, value) \
	((value) == UINT64_MAX ? (n) : PMK_FIRST_FROM(list, n, member, (value) + 1))

static inline size_t pmk_first_from(const void *list, size_t n, size_t item, size_t offset,
				    uint64_t value)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		uint64_t there;

		memcpy(&there, (const char *)list + middle * item + offset, sizeof(there));
		if (there < value)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

#endif
