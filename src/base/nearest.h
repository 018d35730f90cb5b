/* SPDX-License-Identifier: MIT */
/*
 * The distance of a misspelt word from an existing one: insertions, deletions, replacements and
 * swaps of neighbours, any case ('-' and '_' are the same). 0 = equal; PMK_FAR = not similar, or a
 * word of more than 63 characters. A word that begins with the given text is near, too.
 */
#ifndef PMK_BASE_NEAREST_H
#define PMK_BASE_NEAREST_H

#include <stddef.h>

#define PMK_FAR 1000u

unsigned pmk_distance(const char *typed, const char *name);

/* To suggest names ("Did you mean"), offer every candidate, and then get the text. */
#define PMK_HINTS 3

struct pmk_nearest {
	const char *word;
	/* the offered names; they must live until the text is written */
	const char *name[PMK_HINTS];
	unsigned distance[PMK_HINTS];
	unsigned count;
};

void pmk_nearest_init(struct pmk_nearest *n, const char *word);
void pmk_nearest_offer(struct pmk_nearest *n, const char *candidate);
/*
 * Writes "a, b or c"; empty if nothing is near. If one name is clearly the nearest, only that is
 * written.
 */
void pmk_nearest_text(const struct pmk_nearest *n, char *buf, size_t size);

/*
 * Writes the names nearest to `word` into buf, in the form of pmk_nearest_text(). `next` returns
 * the candidates: it is called with 0, 1, 2 … until it returns NULL.
 */
void pmk_nearest_among(const char *word, const char *(*next)(const void *ctx, unsigned i),
		       const void *ctx, char *buf, size_t size);

#endif
