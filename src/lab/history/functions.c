// SPDX-License-Identifier: MIT
/*
 * Finds the counts of functions in each commit that was recorded. Functions of two commits are
 * matched as in pmk diff: see cli/diff_recording.c.
 */
#define _GNU_SOURCE
#include <libgen.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/grow.h"
#include "cli/cli.h"
#include "cli/diff.h"
#include "lab/history/history.h"

char *history_recording(const char *database, const char *path)
{
	char *copy = strdup(database), *full = NULL;

	if (copy && asprintf(&full, "%s/%s", dirname(copy), path) < 0)
		full = NULL;
	free(copy);
	return full;
}

/* ---- one function ---------------------------------------------------------------------------- */

static int by_key(const void *a, const void *b)
{
	const struct history_function *x = a, *y = b;
	int order = strcmp(x->key, y->key);

	order = order ? order : strcmp(x->event, y->event);
	return order ? order : (x->series > y->series) - (x->series < y->series);
}

static void free_function(void *p)
{
	struct history_function *f = p;

	free(f->key);
	free(f->name);
	free(f->file);
	free(f->event);
	free(f->at);
	free(f);
}

/* Returns the function, which is created if necessary. NULL: out of memory. */
static struct history_function *function_of(struct history_functions *all, const struct history *h,
					    const struct history_series *series,
					    const struct diff_row *row, const char *event)
{
	struct history_function probe = { .series = series,
					  .key = row->key,
					  .event = (char *)event };
	struct history_function **found = tfind(&probe, &all->tree, by_key), *f;

	if (found)
		return *found;
	f = calloc(1, sizeof(*f));
	if (!f)
		return NULL;
	f->series = series;
	f->key = strdup(row->key);
	f->name = strdup(row->name ? row->name : "?");
	f->file = row->file ? strdup(row->file) : NULL;
	f->event = strdup(event);
	f->at = calloc(h->ncommits, sizeof(*f->at));
	if (f->key && f->name && (f->file || !row->file) && f->event && f->at &&
	    tsearch(f, &all->tree, by_key))
		return f;
	free_function(f);
	return NULL;
}

/* ---- recordings ------------------------------------------------------------------------------ */

/* Reads the functions of one recording, by comparing it with itself. */
static int take_recording(struct history_functions *all, const struct history *h,
			  const struct history_series *series, size_t commit, const char *path)
{
	struct diff d = { .path = { path, path } };
	int code = diff_read(&d, NULL);

	for (size_t i = 0; !code && i < d.nrows; i++)
		for (size_t e = 0; !code && d.row[i].kind == DIFF_FUNCTION && e < d.nevents; e++) {
			struct history_function *f =
				function_of(all, h, series, &d.row[i], d.event[e]);

			if (f)
				f->at[commit] = (struct history_count){
					.there = true,
					.has_value = true,
					.value = diff_value(&d, i, e, DIFF_NEW),
				};
			else
				code = cli_no_memory();
		}
	diff_free(&d);
	return code;
}

/* Reads the recordings of this program, and sets recorded[] for the commits that have one. A
 * function that is missing in such a commit has the count 0. */
static int take_program(struct history_functions *all, const struct history *h,
			const struct history_series *series, struct pmk_store *store,
			const char *database, bool *recorded)
{
	char path[512], *full;
	int code = 0;

	for (size_t i = 0; !code && i < h->ncommits; i++) {
		recorded[i] = false;
		if (!series->at[i].there)
			continue;
		code = history_check(
			store, pmk_store_recorded(store, series->at[i].cell, path, sizeof(path)));
		if (code || !*path)
			continue;
		full = history_recording(database, path);
		if (full && !access(full, R_OK)) {
			code = take_recording(all, h, series, i, full);
			recorded[i] = true;
		}
		free(full);
	}
	return code;
}

/* ---- all functions --------------------------------------------------------------------------- */

struct walk {
	struct history_functions *all;
	const struct history *h;
	const struct history_series *series; /* functions of this series are collected */
	const bool *recorded;
	bool failed;
};

static bool function_differs(const struct history_function *f, const struct walk *w)
{
	const struct history_count *first = NULL;

	for (size_t i = 0; i < w->h->ncommits; i++) {
		if (!w->recorded[i])
			continue;
		if (!first)
			first = &f->at[i];
		else if (first->value != f->at[i].value)
			return true;
	}
	return false;
}

static void keep_function(const void *node, VISIT visit, void *ctx)
{
	struct history_function *f = *(struct history_function *const *)node;
	struct walk *w = ctx;

	if ((visit != postorder && visit != leaf) || f->series != w->series ||
	    !function_differs(f, w))
		return;
	for (size_t i = 0; i < w->h->ncommits; i++)
		f->at[i].has_value = w->recorded[i];
	w->failed |= !PMK_APPEND(w->all->function, w->all->n, w->all->room, *f);
}

static bool begins_program(const struct history *h, size_t i)
{
	const struct history_series *a = &h->series[i], *b = a - 1;

	return !i || strcmp(a->program, b->program) || strcmp(a->core, b->core) ||
	       strcmp(a->settings, b->settings);
}

int history_functions(struct history_functions *f, const struct history *h, struct pmk_store *store,
		      const char *database)
{
	bool *recorded = calloc(h->ncommits + 1, sizeof(*recorded));
	int code = recorded ? 0 : cli_no_memory();

	*f = (struct history_functions){ 0 };
	for (size_t i = 0; !code && i < h->nseries; i++) {
		struct walk w = { f, h, &h->series[i], recorded, false };

		if (!begins_program(h, i))
			continue;
		code = take_program(f, h, w.series, store, database, recorded);
		if (!code)
			twalk_r(f->tree, keep_function, &w);
		if (w.failed)
			code = cli_no_memory();
	}
	free(recorded);
	return code;
}

void history_functions_free(struct history_functions *f)
{
	/* free only the array: its structs are copies of those in the tree, which own the texts */
	free(f->function);
	tdestroy(f->tree, free_function);
	*f = (struct history_functions){ 0 };
}
