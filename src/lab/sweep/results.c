// SPDX-License-Identifier: MIT
/* Reads results of sweeps from their database, and prints them as a table. See command.h. */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <json.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/number.h"
#include "result/table.h"
#include "lab/sweep/command.h"
#include "result/internal.h"
#include "result/jsonio.h"

/* ---- reading --------------------------------------------------------------------------------- */

size_t sweep_results_setting(const struct sweep_results *r, const char *name)
{
	return pmk_words_find(&r->settings, name);
}

size_t sweep_results_event(const struct sweep_results *r, const char *name)
{
	return pmk_words_find(&r->events, name);
}

/* Returns the text from a list that has each text once. Returns NULL for NULL, and if out of
 * memory. */
static const char *keep_text(struct pmk_words *words, const char *text)
{
	size_t at = text ? pmk_words_find(words, text) : SIZE_MAX;

	if (!text || (at == SIZE_MAX && !pmk_words_add(words, text)))
		return NULL;
	return words->word[at == SIZE_MAX ? words->count - 1 : at];
}

static int by_word(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/*
 * Collects the names of all settings and events, so that rows have an entry for each. Called by
 * pmk_store_points().
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
	row->value[pmk_words_find(&r->events, v->event)] = (struct sweep_value){
		.there = true,
		.has_value = v->has_value,
		.value = v->value,
		.pmu = keep_text(&r->texts, v->pmu),
		.trust = keep_text(&r->texts, v->trust),
		.reason = keep_text(&r->texts, v->reason),
		.unit = keep_text(&r->texts, v->unit),
	};
}

/* Adds a row. Called by pmk_store_points(). */
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

		row->setting[pmk_words_find(&r->settings, s->name)] = value;
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

/* ---- tables ---------------------------------------------------------------------------------- */

static int close_output(void)
{
	if (!fflush(stdout) && !ferror(stdout))
		return 0;
	return cli_fail(PMK_EXIT_FAILED, "cannot write the results: %s", strerror(errno));
}

/* Writes a value, "<not supported>", or "" if the cell has no row for the event. */
static void put_value(struct table *t, const struct sweep_value *v, bool csv)
{
	if (v->has_value && csv)
		pmk_table_put(t, "%" PRIu64, v->value);
	else if (v->has_value)
		pmk_table_put(t, "%ju", v->value);
	else if (v->there)
		pmk_table_put(t, "<%s>", v->trust ? v->trust : "not counted");
	else
		pmk_table_put(t, "%s", "");
}

/* Writes a row. In text, a failure follows the last cell; a row that failed has no events. */
static void put_row(struct table *t, const struct sweep_results *r, const struct sweep_row *row,
		    bool csv)
{
	const char *failure = sweep_row_failure(r, row);

	pmk_table_put(t, "%s", row->name);
	pmk_table_put(t, "%s", row->core);
	for (size_t i = 0; i < r->settings.count; i++)
		pmk_table_put(t, "%s", row->setting[i] ? row->setting[i] : "-");
	for (size_t i = 0; i < r->events.count && (csv || !row->failure); i++)
		put_value(t, &row->value[i], csv);
	if (csv)
		pmk_table_put(t, "%s", failure);
	else if (failure)
		pmk_table_put(t, "failed: %s", failure)->rest = true;
	pmk_table_end_row(t);
}

static int show_table(const struct sweep_results *r, const char *separator)
{
	size_t n = 0, most = 3 + r->settings.count + r->events.count;
	struct table_column *column = calloc(most, sizeof(*column));
	struct table t = { .column = column };
	int err;

	if (!column)
		return cli_no_memory();
	column[n++] = (struct table_column){ "program", true };
	column[n++] = (struct table_column){ "core", true };
	for (size_t i = 0; i < r->settings.count; i++)
		column[n++].heading = r->settings.word[i];
	for (size_t i = 0; i < r->events.count; i++)
		column[n++].heading = r->events.word[i];
	if (separator)
		column[n++].heading = "failure";
	t.ncolumns = n;
	for (size_t i = 0; i < r->nrows; i++)
		put_row(&t, r, &r->row[i], separator);
	err = separator ? pmk_table_write_csv(&t, stdout, separator)
			: pmk_table_write_text(&t, stdout, "", 0);
	pmk_table_free(&t);
	free(column);
	return err ? cli_no_memory() : close_output();
}

int sweep_show_text(const struct sweep_results *r)
{
	if (r->nrows)
		return show_table(r, NULL);
	puts("no cells");
	return close_output();
}

int sweep_show_csv(const struct sweep_results *r, const char *separator)
{
	return show_table(r, separator);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

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
	pmk_json_put_document(stdout, doc);
	json_object_put(doc);
	return close_output();
}
