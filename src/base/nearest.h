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
	const char *name[PMK_HINTS]; /* as offered: they must live until the text is made */
	unsigned distance[PMK_HINTS];
	unsigned count;
};

void pmk_nearest_init(struct pmk_nearest *n, const char *word);
void pmk_nearest_offer(struct pmk_nearest *n, const char *candidate);
/* "a, b or c"; empty when nothing is near. A clear favourite stands alone. */
void pmk_nearest_text(const struct pmk_nearest *n, char *buf, size_t size);

/*
 * The names nearest to `word`, into buf as pmk_nearest_text() has them. `next` yields the candidates: called with
 * 0, 1, 2 … until it returns NULL.
 */
void pmk_nearest_among(const char *word, const char *(*next)(const void *ctx, unsigned i),
		       const void *ctx, char *buf, size_t size);

#endif
