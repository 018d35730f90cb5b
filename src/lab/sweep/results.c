// SPDX-License-Identifier: MIT
/* Reads results of sweeps from their database, and prints them as a table. See sweep.h. */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <json.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/number.h"
#include "base/printable.h"
#include "cli/show.h"
#include "lab/sweep/command.h"
#include "result/internal.h"
#include "result/jsonio.h"

/* ---- reading --------------------------------------------------------------------------------- */

static size_t find_word(const struct pmk_words *words, const char *word)
{
	for (unsigned i = 0; i < words->count; i++)
		if (!strcmp(words->word[i], word))
			return i;
	return SIZE_MAX;
}

size_t sweep_results_setting(const struct sweep_results *r, const char *name)
{
	return find_word(&r->settings, name);
}

size_t sweep_results_event(const struct sweep_results *r, const char *name)
{
	return find_word(&r->events, name);
}

/* Returns the text from a list that has each text once. NULL for NULL, and when out of memory. */
static const char *keep_text(struct pmk_words *words, const char *text)
{
	size_t at = text ? find_word(words, text) : SIZE_MAX;

	if (!text || (at == SIZE_MAX && !pmk_words_add(words, text)))
		return NULL;
	return words->word[at == SIZE_MAX ? words->count - 1 : at];
}

static int by_word(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/*
 * A pmk_store_take: collects the names of all settings and events, so that rows have an entry for
 * each.
 */
static int take_names(void *ctx, const struct pmk_store_row *row)
{
	struct sweep_results *r = ctx;

	for (size_t i = 0; i < row->point.nsettings; i++)
		if (!keep_text(&r->settings, row->point.settings[i].name))
			return -1;
	for (size_t i = 0; i < row->nvalues; i++)
		if (!keep_text(&r->events, row->values[i].event))
			return -1;
	return 0;
}

static void take_value(struct sweep_results *r, struct sweep_row *row,
		       const struct pmk_store_value *v)
{
	row->value[find_word(&r->events, v->event)] = (struct sweep_value){
		.there = true,
		.has_value = v->has_value,
		.value = v->value,
		.pmu = keep_text(&r->texts, v->pmu),
		.trust = keep_text(&r->texts, v->trust),
		.reason = keep_text(&r->texts, v->reason),
		.unit = keep_text(&r->texts, v->unit),
	};
}

/* A pmk_store_take: adds a row. */
static int take_row(void *ctx, const struct pmk_store_row *from)
{
	struct sweep_results *r = ctx;
	struct sweep_row *row;

	if (!PMK_GROW(r->row, r->nrows, r->room))
		return -1;
	row = &r->row[r->nrows++];
	*row = (struct sweep_row){ .name = strdup(from->point.name),
				   .core = strdup(from->point.core),
				   .failure = from->failure ? strdup(from->failure) : NULL,
				   .checked = keep_text(&r->texts, from->checked),
				   .setting = calloc(r->settings.count + 1, sizeof(char *)),
				   .value = calloc(r->events.count + 1, sizeof(*row->value)) };
	if (!row->name || !row->core || !row->setting || !row->value ||
	    (from->failure && !row->failure))
		return -1;
	for (size_t i = 0; i < from->point.nsettings; i++) {
		const struct pmk_store_setting *s = &from->point.settings[i];
		char *value = strdup(s->value);

		row->setting[find_word(&r->settings, s->name)] = value;
		if (!value)
			return -1;
	}
	for (size_t i = 0; i < from->nvalues; i++)
		take_value(r, row, &from->values[i]);
	return 0;
}

bool sweep_value_number(const char *text, double *number)
{
	if (pmk_real_read(&text, number))
		return false;
	if ((*text | 0x20) == 'k')
		*number *= 1024, text++;
	else if ((*text | 0x20) == 'm')
		*number *= 1024.0 * 1024, text++;
	return !*text;
}

int sweep_compare_values(const char *a, const char *b)
{
	double x = 0, y = 0;
	bool p, q;

	if (!a || !b)
		return !!a - !!b;
	p = sweep_value_number(a, &x);
	q = sweep_value_number(b, &y);
	if (p && q && x != y)
		return x < y ? -1 : 1;
	return p != q ? q - p : strcmp(a, b);
}

static int by_point(const void *a, const void *b, void *ctx)
{
	const struct sweep_row *x = a, *y = b;
	const struct sweep_results *r = ctx;
	int order = strcmp(x->name, y->name);

	if (!order)
		order = strcmp(x->core, y->core);
	for (size_t i = 0; !order && i < r->settings.count; i++)
		order = sweep_compare_values(x->setting[i], y->setting[i]);
	return order;
}

int sweep_results_read(struct sweep_results *r, const char *path)
{
	struct pmk_store *store;
	char msg[512];
	int err;

	*r = (struct sweep_results){ 0 };
	if (pmk_store_open(&store, path, PMK_STORE_READ, msg, sizeof(msg)))
		return cli_fail(PMK_EXIT_FAILED, "%s", msg);
	err = pmk_store_points(store, 0, take_names, r);
	if (!err) {
		if (r->settings.count)
			qsort(r->settings.word, r->settings.count, sizeof(char *), by_word);
		err = pmk_store_points(store, 0, take_row, r);
	}
	if (err)
		cli_fail(PMK_EXIT_FAILED, "%s",
			 *pmk_store_error(store) ? pmk_store_error(store)
						 : pmk_strerror(PMK_ENOMEM));
	pmk_store_close(store);
	if (err)
		return PMK_EXIT_FAILED;
	if (r->nrows)
		qsort_r(r->row, r->nrows, sizeof(*r->row), by_point, r);
	return 0;
}

void sweep_results_free(struct sweep_results *r)
{
	for (size_t i = 0; i < r->nrows; i++) {
		struct sweep_row *row = &r->row[i];

		for (size_t s = 0; row->setting && s < r->settings.count; s++)
			free(row->setting[s]);
		free(row->setting);
		free(row->value);
		free(row->name);
		free(row->core);
		free(row->failure);
	}
	free(r->row);
	pmk_words_free(&r->settings);
	pmk_words_free(&r->events);
	pmk_words_free(&r->texts);
}

const char *sweep_row_failure(const struct sweep_results *r, const struct sweep_row *row)
{
	for (size_t i = 0; !row->failure && i < r->events.count; i++) {
		const struct sweep_value *v = &row->value[i];

		if (v->there && v->trust && !strcmp(v->trust, PMK_STORE_FAILED))
			return v->reason;
	}
	return row->failure;
}

/* ---- a table --------------------------------------------------------------------------------- */

/* Column 0 is the program, 1 the core; then come settings and events. */
static size_t columns_of(const struct sweep_results *r)
{
	return 2 + r->settings.count + r->events.count;
}

static const char *column_title(const struct sweep_results *r, size_t column)
{
	if (column < 2)
		return column ? "core" : "program";
	column -= 2;
	return column < r->settings.count ? r->settings.word[column]
					  : r->events.word[column - r->settings.count];
}

/* Writes a value, "<not supported>", or "" if the cell has no row for the event. */
static void value_text(const struct sweep_value *v, bool group, char *buf, size_t size)
{
	*buf = '\0';
	if (v->has_value)
		pmk_number_text(buf, v->value, 0, group);
	else if (v->there)
		snprintf(buf, size, "<%s>", v->trust ? v->trust : "not counted");
}

static const char *cell_text(const struct sweep_results *r, const struct sweep_row *row,
			     size_t column, bool group, char *buf, size_t size)
{
	const char *text;

	if (column < 2)
		return column ? row->core : row->name;
	column -= 2;
	if (column < r->settings.count) {
		text = row->setting[column];
		return text ? text : "-";
	}
	value_text(&row->value[column - r->settings.count], group, buf, size);
	return buf;
}

/* Returns the width on a terminal: a character may have several bytes, or be escaped. */
static int columns_of_text(const char *text)
{
	char *plain = pmk_printable(text);
	int n = plain ? (int)pmk_printable_columns(plain, strlen(plain)) : 0;

	free(plain);
	return n;
}

static void print_cell(const char *text, int width, bool right, bool last)
{
	int n = columns_of_text(text);

	if (right)
		printf("%*s", width > n ? width - n : 0, "");
	pmk_printable_write(stdout, text);
	if (!right && !last)
		printf("%*s", width > n ? width - n : 0, "");
	fputs(last ? "\n" : "  ", stdout);
}

static void print_row(const struct sweep_results *r, const struct sweep_row *row, const int *width)
{
	size_t n = columns_of(r), first_event = 2 + r->settings.count;
	const char *failure = row ? sweep_row_failure(r, row) : NULL;
	char buf[64];

	for (size_t c = 0; c < n; c++) {
		if (row && row->failure && c == first_event) {
			fputs("failed: ", stdout);
			print_cell(row->failure, 0, false, true);
			return;
		}
		print_cell(row ? cell_text(r, row, c, true, buf, sizeof(buf)) : column_title(r, c),
			   width[c], c >= 2, c + 1 == n && !failure);
	}
	if (failure) {
		fputs("failed: ", stdout);
		print_cell(failure, 0, false, true);
	}
}

static int close_output(void)
{
	if (!fflush(stdout) && !ferror(stdout))
		return 0;
	return cli_fail(PMK_EXIT_FAILED, "cannot write the results: %s", strerror(errno));
}

int sweep_show_text(const struct sweep_results *r)
{
	size_t n = columns_of(r);
	int *width = calloc(n, sizeof(*width));
	char buf[64];

	if (!width)
		return cli_no_memory();
	if (!r->nrows) {
		free(width);
		puts("no cells");
		return close_output();
	}
	for (size_t c = 0; c < n; c++) {
		width[c] = columns_of_text(column_title(r, c));
		for (size_t i = 0; i < r->nrows; i++) {
			int w = columns_of_text(
				cell_text(r, &r->row[i], c, true, buf, sizeof(buf)));

			if (w > width[c])
				width[c] = w;
		}
	}
	print_row(r, NULL, width);
	for (size_t i = 0; i < r->nrows; i++)
		print_row(r, &r->row[i], width);
	free(width);
	return close_output();
}

/* ---- CSV and JSON ---------------------------------------------------------------------------- */

/* Quotes a field if necessary. */
static void csv_field(const char *text, const char *separator)
{
	if (!strpbrk(text, "\"\n\r") && !strstr(text, separator)) {
		fputs(text, stdout);
		return;
	}
	putchar('"');
	for (; *text; text++) {
		if (*text == '"')
			putchar('"');
		putchar(*text);
	}
	putchar('"');
}

int sweep_show_csv(const struct sweep_results *r, const char *separator)
{
	char buf[64];

	for (size_t i = 0; i <= r->nrows; i++) {
		const struct sweep_row *row = i ? &r->row[i - 1] : NULL;
		const char *failure;

		for (size_t c = 0; c < columns_of(r); c++) {
			csv_field(row ? cell_text(r, row, c, false, buf, sizeof(buf))
				      : column_title(r, c),
				  separator);
			fputs(separator, stdout);
		}
		failure = row ? sweep_row_failure(r, row) : "failure";
		csv_field(failure ? failure : "", separator);
		putchar('\n');
	}
	return close_output();
}

static json_object *json_value(const char *event, const struct sweep_value *v)
{
	json_object *o = json_object_new_object();

	pmk_json_text(o, "event", event);
	pmk_json_add(o, "counter-value", v->has_value ? json_object_new_uint64(v->value) : NULL);
	pmk_json_text(o, "pmu", v->pmu);
	pmk_json_text(o, "trust", v->trust);
	pmk_json_text(o, "reason", v->reason);
	pmk_json_text(o, "unit", v->unit);
	return o;
}

static json_object *json_row(const struct sweep_results *r, const struct sweep_row *row)
{
	json_object *o = json_object_new_object(), *settings = json_object_new_object();
	json_object *counters = json_object_new_array();

	pmk_json_text(o, "program", row->name);
	pmk_json_text(o, "core", row->core);
	for (size_t i = 0; i < r->settings.count; i++)
		if (row->setting[i])
			pmk_json_text(settings, r->settings.word[i], row->setting[i]);
	pmk_json_add(o, "settings", settings);
	pmk_json_text(o, "checked", row->checked);
	pmk_json_text(o, "failure", row->failure);
	for (size_t i = 0; i < r->events.count; i++)
		if (row->value[i].there)
			json_object_array_add(counters,
					      json_value(r->events.word[i], &row->value[i]));
	pmk_json_add(o, "counters", counters);
	return o;
}

int sweep_show_json(const struct sweep_results *r)
{
	json_object *doc = pmk_json_document("pmk-sweep"), *cells = json_object_new_array();

	for (size_t i = 0; i < r->nrows; i++)
		json_object_array_add(cells, json_row(r, &r->row[i]));
	pmk_json_add(doc, "cells", cells);
	show_json_print(doc);
	json_object_put(doc);
	return close_output();
}
