/* SPDX-License-Identifier: MIT */
/* A list of words. Each word is a copy. */
#ifndef PMK_COUNT_WORDS_H
#define PMK_COUNT_WORDS_H

#include <stdbool.h>
#include <stddef.h>

struct pmk_words {
	char **word; /* NULL terminated; NULL if there are no words */
	unsigned count;
};

/* Add a copy of the word. Returns false if out of memory. */
bool pmk_words_add(struct pmk_words *l, const char *word);
/* Add the first n bytes of `word` as a word. Returns false if out of memory. */
bool pmk_words_add_part(struct pmk_words *l, const char *word, size_t n);
/* Returns the index of the first such word; SIZE_MAX: there is none. */
size_t pmk_words_find(const struct pmk_words *l, const char *word);
/* Returns word i of a list that ends with NULL; used with pmk_nearest_among(). */
const char *pmk_words_next(const void *word, unsigned i);
void pmk_words_free(struct pmk_words *l);

#endif
