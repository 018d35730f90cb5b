// SPDX-License-Identifier: MIT
/* See words.h. */
#include "count/words.h"

#include <stdlib.h>
#include <string.h>

bool pmk_words_add(struct pmk_words *l, const char *word)
{
	char **bigger = realloc(l->word, (l->count + 2) * sizeof(*bigger));

	if (!bigger)
		return false;
	l->word = bigger;
	l->word[l->count] = strdup(word);
	if (!l->word[l->count])
		return false;
	l->word[++l->count] = NULL;
	return true;
}

void pmk_words_free(struct pmk_words *l)
{
	for (unsigned i = 0; i < l->count; i++)
		free(l->word[i]);
	free(l->word);
	*l = (struct pmk_words){ 0 };
}
