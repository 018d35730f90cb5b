// SPDX-License-Identifier: MIT
/* See words.h. */
#include "count/words.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

bool pmk_words_add_part(struct pmk_words *l, const char *word, size_t n)
{
	char **bigger = realloc(l->word, (l->count + 2) * sizeof(*bigger));

	if (!bigger)
		return false;
	l->word = bigger;
	l->word[l->count] = strndup(word, n);
	if (!l->word[l->count])
		return false;
	l->word[++l->count] = NULL;
	return true;
}

bool pmk_words_add(struct pmk_words *l, const char *word)
{
	return pmk_words_add_part(l, word, strlen(word));
}

size_t pmk_words_find(const struct pmk_words *l, const char *word)
{
	for (unsigned i = 0; i < l->count; i++)
		if (!strcmp(l->word[i], word))
			return i;
	return SIZE_MAX;
}

const char *pmk_words_next(const void *word, unsigned i)
{
	return ((char *const *)word)[i];
}

void pmk_words_free(struct pmk_words *l)
{
	for (unsigned i = 0; i < l->count; i++)
		free(l->word[i]);
	free(l->word);
	*l = (struct pmk_words){ 0 };
}
