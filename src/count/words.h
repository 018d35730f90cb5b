/* SPDX-License-Identifier: MIT */
/* A list of words, each a copy. */
#ifndef PMK_COUNT_WORDS_H
#define PMK_COUNT_WORDS_H

#include <stdbool.h>

struct pmk_words {
	char **word; /* NULL terminated; NULL when there is none */
	unsigned count;
};

/* False when out of memory. The word is copied. */
bool pmk_words_add(struct pmk_words *l, const char *word);
void pmk_words_free(struct pmk_words *l);

#endif
