// SPDX-License-Identifier: MIT
/* See table.h. */
#include "result/table.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/print.h"
#include "base/printable.h"
#include "result/internal.h"

#define NAME_LEAST 8 /* minimum number of columns of a name that is cut */

/* ---- names ---------------------------------------------------------------------------------- */

#define DOTS 3

/* Returns the number of bytes of the longest beginning of a printable text that fits into
 * `columns`. */
static size_t bytes_that_fit(const char *text, size_t columns)
{
	size_t bytes = 0, left = strlen(text);

	for (; left && columns; columns--) {
		size_t n = pmk_printable_length((const uint8_t *)text + bytes, left);

		n = n ? n : 1;
		bytes += n;
		left -= n;
	}
	return bytes;
}

char *pmk_name_cut(const char *name, size_t columns)
{
	char *text = pmk_printable(name);
	size_t all, head, tail;

	if (!text)
		return NULL;
	all = pmk_printable_columns(text, strlen(text));
	if (all <= columns || columns < DOTS + 2)
		return text;
	head = bytes_that_fit(text, (columns - DOTS + 1) / 2);
	tail = bytes_that_fit(text, all - (columns - DOTS) / 2);
	memcpy(text + head, "...", DOTS);
	memmove(text + head + DOTS, text + tail, strlen(text + tail) + 1);
	return text;
}

/* Returns the number of backquotes that must delimit `text` as code: one more than its longest
 * sequence of backquotes. */
static int backquotes(const char *text)
{
	size_t most = 0;

	for (; *text; text++) {
		size_t n = strspn(text, "`");

		most = n > most ? n : most;
		text += n ? n - 1 : 0;
	}
	return (int)most + 1;
}

int pmk_name_write_markdown(FILE *f, const char *name, size_t columns)
{
	char *text = pmk_name_cut(name, columns);
	int n;

	if (!text)
		return -1;
	n = backquotes(text);
	for (int i = 0; i < n; i++)
		fputc('`', f);
	/* These blanks are not part of the code. */
	fputs(n > 1 ? " " : "", f);
	for (const char *c = text; *c; c++)
		fprintf(f, *c == '|' ? "\\%c" : "%c", *c);
	fputs(n > 1 ? " " : "", f);
	for (int i = 0; i < n; i++)
		fputc('`', f);
	free(text);
	return 0;
}

/* ---- cells ---------------------------------------------------------------------------------- */

struct table_cell *pmk_table_put(struct table *t, const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	text = pmk_print_new(format, args);
	va_end(args);
	if (text && PMK_APPEND(t->cell, t->ncells, t->room, (struct table_cell){ .text = text }))
		return &t->cell[t->ncells - 1];
	free(text);
	t->failed = true;
	return &t->dropped;
}

void pmk_table_end_row(struct table *t)
{
	if (t->ncells)
		t->cell[t->ncells - 1].last = true;
}

void pmk_table_free(struct table *t)
{
	for (size_t i = 0; i < t->ncells; i++)
		free(t->cell[i].text);
	free(t->cell);
}

static size_t width_of(const char *text)
{
	char *plain = pmk_printable(text);
	size_t n = plain ? pmk_printable_columns(plain, strlen(plain)) : 0;

	free(plain);
	return n;
}

/* ---- text ----------------------------------------------------------------------------------- */

static size_t *measure_columns(const struct table *t)
{
	size_t *width = calloc(t->ncolumns + 1, sizeof(*width));

	for (size_t c = 0; width && c < t->ncolumns; c++)
		width[c] = width_of(t->column[c].heading);
	for (size_t i = 0, c = 0; width && i < t->ncells; i++) {
		size_t n = t->cell[i].rest ? 0 : width_of(t->cell[i].text);

		width[c] = n > width[c] ? n : width[c];
		c = t->cell[i].last ? 0 : c + 1;
	}
	return width;
}

/* Write a name, cut if it does not fit. */
static void put_name(FILE *f, const char *text, size_t room)
{
	char *cut = room ? pmk_name_cut(text, room > NAME_LEAST ? room : NAME_LEAST) : NULL;

	pmk_print(f, "%s", cut ? cut : text);
	free(cut);
}

/* Write a cell. The last cell of a line gets no blanks at its end. */
static void put_cell(FILE *f, const struct table_column *column, size_t width, const char *text,
		     bool last)
{
	if (column->left)
		pmk_print(f, "%-*s", last ? 0 : (int)width, text);
	else
		pmk_print(f, "%*s", (int)width, text);
}

int pmk_table_write_text(const struct table *t, FILE *f, const char *indent, unsigned width)
{
	size_t *widths = t->failed ? NULL : measure_columns(t), used = strlen(indent), c = 0;
	bool named = t->column[t->ncolumns - 1].name;

	if (!widths)
		return -1;
	fputs(indent, f);
	for (; c + named < t->ncolumns; c++) {
		fputs(c ? "  " : "", f);
		put_cell(f, &t->column[c], widths[c], t->column[c].heading, c + 1 == t->ncolumns);
		used += widths[c] + 2;
	}
	fputc('\n', f);
	c = 0;
	for (size_t i = 0; i < t->ncells; i++) {
		const struct table_cell *cell = &t->cell[i];

		fputs(c ? "  " : indent, f);
		if (cell->rest)
			pmk_print(f, "%s", cell->text);
		else if (named && c + 1 == t->ncolumns)
			put_name(f, cell->text, width ? width > used ? width - used : 1 : 0);
		else
			put_cell(f, &t->column[c], widths[c], cell->text, cell->last);
		fputs(cell->last ? "\n" : "", f);
		c = cell->last ? 0 : c + 1;
	}
	free(widths);
	return 0;
}

/* ---- Markdown and CSV ----------------------------------------------------------------------- */

int pmk_table_write_markdown(const struct table *t, FILE *f)
{
	size_t name = t->ncolumns - 1;
	int err = t->failed ? -1 : 0;

	if (err)
		return err;
	fprintf(f, "| %s |", t->column[name].heading);
	for (size_t c = 0; c < name; c++)
		fprintf(f, " %s |", t->column[c].heading);
	fputs("\n|---|", f);
	for (size_t c = 0; c < name; c++)
		fputs("--:|", f);
	fputc('\n', f);
	for (size_t i = 0; i < t->ncells && !err; i += t->ncolumns) {
		fputs("| ", f);
		err = pmk_name_write_markdown(f, t->cell[i + name].text, NAME_MARKDOWN);
		fputs(" |", f);
		for (size_t c = 0; c < name; c++) {
			const char *bold = t->cell[i + c].bold ? "**" : "";

			fprintf(f, " %s%s%s |", bold, t->cell[i + c].text, bold);
		}
		fputc('\n', f);
	}
	return err;
}

int pmk_table_write_csv(const struct table *t, FILE *f, const char *separator)
{
	struct pmk_csv c = { .f = f, .separator = separator };

	for (size_t i = 0; i < t->ncolumns; i++)
		pmk_csv_text(&c, t->column[i].heading);
	pmk_csv_end(&c);
	for (size_t i = 0; i < t->ncells; i++) {
		pmk_csv_text(&c, t->cell[i].text);
		if (t->cell[i].last)
			pmk_csv_end(&c);
	}
	return t->failed ? -1 : 0;
}
