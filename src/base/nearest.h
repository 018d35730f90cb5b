/* SPDX-License-Identifier: MIT */
/*
 * How far a misspelt word is from one that exists: insertions, deletions, replacements and swaps of
 * neighbours, any case ('-' and '_' are the same). 0 = equal; PMK_FAR = nothing alike, or a word of
 * more than 63 characters. A word that begins with what was typed is near, too.
 */
#ifndef PMK_BASE_NEAREST_H
#define PMK_BASE_NEAREST_H

#include <stddef.h>

#define PMK_FAR 1000u

unsigned pmk_distance(const char *typed, const char *name);

/* "Did you mean": offer every candidate, then ask for the text. */
#define PMK_HINTS 3

struct pmk_nearest {
	const char *word;
	/* the names as offered; they have to live until the text is made */
	const char *name[PMK_HINTS];
	unsigned distance[PMK_HINTS];
	unsigned count;
};

void pmk_nearest_init(struct pmk_nearest *n, const char *word);
void pmk_nearest_offer(struct pmk_nearest *n, const char *candidate);
/* "a, b or c"; empty when nothing is near. If one is clearly the nearest, it is named alone. */
void pmk_nearest_text(const struct pmk_nearest *n, char *buf, size_t size);

/*
 * Write the names nearest to `word` into buf, in the form of pmk_nearest_text(). `next` yields the
 * candidates: it is called with 0, 1, 2 … until it returns NULL.
 */
void pmk_nearest_among(const char *word, const char *(*next)(const void *ctx, unsigned i),
		       const void *ctx, char *buf, size_t size);

#endif
