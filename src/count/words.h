/* SPDX-License-Identifier: MIT */
/* A list of words, each a copy. */
#ifndef PMK_COUNT_WORDS_H
#define PMK_COUNT_WORDS_H

#include <stdbool.h>
#include <stddef.h>

struct pmk_words {
	char **word; /* NULL terminated; NULL when there is none */
	unsigned count;
};

/* False when out of memory. The word is copied. */
bool pmk_words_add(struct pmk_words *l, const char *word);
/* Adds the first n bytes of `word` as a word. Returns false when out of memory. */
bool pmk_words_add_part(struct pmk_words *l, const char *word, size_t n);
/* Returns word i of a list that ends with NULL; for pmk_nearest_among(). */
const char *pmk_words_next(const void *word, unsigned i);
void pmk_words_free(struct pmk_words *l);

#endif
