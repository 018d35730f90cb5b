// SPDX-License-Identifier: MIT
/* The lines of pmk diff about the counts of its sides: labels of cycles, warnings and notes. */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "cli/diff.h"

#define UNCHECKED 1e9 /* greater than any percentage in a label */

static const char *const side_names[DIFF_SIDES] = { "base", "new" };

/* Returns a number that is greater for weaker labels: the greatest percentage in the label, plus
 * UNCHECKED if a class of code was not compared with hardware. The label of a core that was not
 * compared at all is the weakest. */
static double weakness_of(const char *label)
{
	double most = 0, value;

	if (!strncmp(label, "unchecked", strlen("unchecked")))
		return 2 * UNCHECKED;
	for (const char *at = label; *at;) {
		if (!isdigit((unsigned char)*at) || pmk_real_read(&at, &value))
			at++;
		else if (at[strspn(at, " ")] == '%' && value > most)
			most = value;
	}
	return most + (strstr(label, "unchecked") ? UNCHECKED : 0);
}

const char *diff_checked(const struct diff *d)
{
	const char *base = d->checked[DIFF_BASE], *fresh = d->checked[DIFF_NEW];

	if (!*base || !*fresh)
		return "";
	return weakness_of(base) > weakness_of(fresh) ? base : fresh;
}

struct lines {
	void (*put)(void *ctx, const char *line);
	void *ctx;
};

/* Put "note: TEXT", or "note (base): TEXT" for one side. */
static void put_line(const struct lines *l, const char *kind, enum diff_side side, const char *text,
		     size_t n)
{
	const char *of = side == DIFF_SIDES ? NULL : side_names[side];
	char *line;

	if (asprintf(&line, "%s%s%s%s: %.*s", kind, of ? " (" : "", of ? of : "", of ? ")" : "",
		     (int)n, text) < 0)
		return;
	l->put(l->ctx, line);
	free(line);
}

/* The weaker of two labels comes first. */
static void put_labels(const struct diff *d, const struct lines *l)
{
	const char *both = diff_checked(d);

	if (!strcmp(d->checked[DIFF_BASE], d->checked[DIFF_NEW])) {
		if (*both)
			put_line(l, "cycles", DIFF_SIDES, both, strlen(both));
		return;
	}
	for (unsigned i = 0; i < DIFF_SIDES; i++) {
		unsigned side = both == d->checked[DIFF_NEW] ? !i : i;
		const char *label = d->checked[side];

		if (*label)
			put_line(l, !i && *both ? "the weaker label of cycles" : "cycles", side,
				 label, strlen(label));
	}
}

/* True if the text has this line. */
static bool has_line(const char *text, const char *line, size_t n)
{
	for (; *text; text += strcspn(text, "\n"), text += *text != '\0')
		if (strcspn(text, "\n") == n && !strncmp(text, line, n))
			return true;
	return false;
}

/* Put the lines of both sides. A line that both sides have is put once, among the lines of the
 * base. */
static void put_texts(const struct lines *l, const char *kind, char *const text[DIFF_SIDES])
{
	for (unsigned side = 0; side < DIFF_SIDES; side++) {
		const char *at = text[side];

		for (size_t n; *at; at += n, at += *at != '\0') {
			bool both = has_line(text[!side], at, n = strcspn(at, "\n"));

			if (n && !(both && side == DIFF_NEW))
				put_line(l, kind, both ? DIFF_SIDES : side, at, n);
		}
	}
}

void diff_each_note(const struct diff *d, void (*put)(void *ctx, const char *line), void *ctx)
{
	const struct lines l = { put, ctx };

	put_labels(d, &l);
	put_texts(&l, "warning", d->warning);
	put_texts(&l, "note", d->note);
}
