/* SPDX-License-Identifier: MIT */
/*
 * Measures how far a misspelt word is from an existing one. The distance counts insertions,
 * deletions, replacements and swaps of neighbouring letters. It ignores case, and '-' and '_' are
 * equal. 0 means that the words are equal. PMK_FAR means that they are not similar, or that a word
 * has more than 63 characters. A word that begins with the given text is near, too.
 */
#ifndef PMK_BASE_NEAREST_H
#define PMK_BASE_NEAREST_H

#include <stddef.h>

#define PMK_FAR 1000u

unsigned pmk_distance(const char *typed, const char *name);

/* To suggest names ("did you mean"), the caller offers every candidate, and then gets the text. */
#define PMK_HINTS 3

struct pmk_nearest {
	const char *word;
	/* The offered names. They must stay valid until the text is written. */
	const char *name[PMK_HINTS];
	unsigned distance[PMK_HINTS];
	unsigned count;
};

void pmk_nearest_init(struct pmk_nearest *n, const char *word);
void pmk_nearest_offer(struct pmk_nearest *n, const char *candidate);
/*
 * Writes "a, b or c", or nothing if no name is near. If one name is clearly the nearest, writes
 * only that name.
 */
void pmk_nearest_text(const struct pmk_nearest *n, char *buf, size_t size);

/*
 * Writes the names nearest to `word` into buf, in the form of pmk_nearest_text(). `next` returns
 * the candidates. It is called with `i` = 0, 1, 2 … until it returns NULL.
 */
void pmk_nearest_among(const char *word, const char *(*next)(const void *ctx, unsigned i),
		       const void *ctx, char *buf, size_t size);

#endif
