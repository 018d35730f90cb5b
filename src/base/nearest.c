// SPDX-License-Identifier: MIT
/*
 * Computes suggestions for "did you mean", by the restricted Damerau-Levenshtein distance. It keeps
 * three rows of the matrix. Words are short and suggestions are rare, so speed does not matter. It
 * handles only ASCII, and uses no locale and no heap.
 */
#define _GNU_SOURCE
#include "base/nearest.h"

#include <stdio.h>
#include <string.h>

#define LONGEST 63

static unsigned smaller_of(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/* Copies a word in lower case and with one kind of separator, so that these differences do not
 * count. */
static void fold_word(char *out, const char *in)
{
	for (; *in; in++)
		*out++ = *in == '-'		    ? '_'
			 : *in >= 'A' && *in <= 'Z' ? (char)(*in - 'A' + 'a')
						    : *in;
	*out = '\0';
}

static unsigned edit_distance(const char *a, size_t na, const char *b, size_t nb)
{
	unsigned rows[3][LONGEST + 1];

	for (unsigned j = 0; j <= nb; j++)
		rows[0][j] = j;
	for (unsigned i = 1; i <= na; i++) {
		unsigned *row = rows[i % 3], *up = rows[(i + 2) % 3], *upup = rows[(i + 1) % 3];

		row[0] = i;
		for (unsigned j = 1; j <= nb; j++) {
			unsigned same = a[i - 1] == b[j - 1] ? 0 : 1;

			row[j] = smaller_of(up[j - 1] + same, smaller_of(up[j], row[j - 1]) + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				row[j] = smaller_of(row[j], upup[j - 2] + 1);
		}
	}
	return rows[na % 3][nb];
}

unsigned pmk_distance(const char *typed, const char *name)
{
	size_t na = strlen(typed), nb = strlen(name);
	char a[LONGEST + 1], b[LONGEST + 1];
	unsigned d;

	if (!na || na > LONGEST || nb > LONGEST)
		return PMK_FAR;
	fold_word(a, typed);
	fold_word(b, name);
	d = edit_distance(a, na, b, nb);
	if (d <= 1 + na / 4)
		return d;
	if (na >= 3 && strncmp(a, b, na) == 0)
		return 2;
	/*
	 * A word that is part of a name ranks after all spelling mistakes. For example, "miss"
	 * finds dcache_miss.
	 */
	if (na >= 4 && strstr(b, a))
		return 20;
	return PMK_FAR;
}

void pmk_nearest_init(struct pmk_nearest *n, const char *word)
{
	*n = (struct pmk_nearest){ .word = word };
}

/* Offers a name. The list is sorted by distance, and each name is in it once. */
void pmk_nearest_offer(struct pmk_nearest *n, const char *candidate)
{
	unsigned d = pmk_distance(n->word, candidate), k;

	for (k = 0; k < n->count; k++)
		if (strcmp(n->name[k], candidate) == 0)
			return;
	if (d == PMK_FAR || (n->count == PMK_HINTS && d >= n->distance[PMK_HINTS - 1]))
		return;
	if (n->count < PMK_HINTS)
		n->count++;
	for (k = n->count - 1; k > 0 && d < n->distance[k - 1]; k--) {
		n->name[k] = n->name[k - 1];
		n->distance[k] = n->distance[k - 1];
	}
	n->name[k] = candidate;
	n->distance[k] = d;
}

void pmk_nearest_text(const struct pmk_nearest *n, char *buf, size_t size)
{
	unsigned shown = n->count ? 1 : 0;
	size_t at = 0;

	if (size)
		buf[0] = '\0';
	while (shown < n->count && n->distance[shown] <= n->distance[0] + 1)
		shown++;
	for (unsigned k = 0; k < shown && at < size; k++)
		at += (size_t)snprintf(buf + at, size - at, "%s%s",
				       k == 0		? ""
				       : k + 1 == shown ? " or "
							: ", ",
				       n->name[k]);
}

void pmk_nearest_among(const char *word, const char *(*next)(const void *ctx, unsigned i),
		       const void *ctx, char *buf, size_t size)
{
	struct pmk_nearest near;
	const char *name;

	pmk_nearest_init(&near, word);
	for (unsigned i = 0; (name = next(ctx, i)); i++)
		pmk_nearest_offer(&near, name);
	pmk_nearest_text(&near, buf, size);
}
