// SPDX-License-Identifier: MIT
/*
 * Rows of pmk diff from recordings. Addresses move from build to build, and so do folders and lines:
 *
 * 	a function is matched by its name, the last part of its file's path, and the functions into
 * 	which it was inlined; a line by its function and its distance from the function's start
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/diff_source.h"

int diff_open_recording(struct diff_source *s)
{
	char msg[300];

	s->recording = s->open = true;
	if (pmk_tables_open(&s->t, s->path, msg, sizeof(msg)))
		return cli_fail(PMK_EXIT_FAILED, "%s: %s", s->path, msg);
	s->event = calloc(s->t.nevents + 1, sizeof(*s->event));
	if (!s->event)
		return diff_no_memory();
	for (uint32_t i = 0; i < s->t.nevents; i++)
		if (s->t.event[i].has_total)
			s->event[s->nevents++] =
				(struct diff_event){ s->t.event[i].name, s->t.event[i].pmu, i };
	if (!s->t.sampled)
		s->event[s->nevents++] =
			(struct diff_event){ "executions", NULL, PMK_TABLES_EXECUTIONS };
	return 0;
}

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

/* "h in g in f", with the file of the outermost in the key. */
static void name_code(const struct pmk_tables *t, const struct pmk_tables_code *k, FILE *name,
		      FILE *key)
{
	char buf[300];

	for (uint32_t in = k->inlined; in != PMK_TABLES_NONE; in = t->inlined[in].parent)
		fprintf(name, "%s in ", t->inlined[in].name);
	if (k->function != PMK_TABLES_NONE) {
		const struct pmk_tables_function *f = &t->function[k->function];

		fputs(f->name, name);
		if (f->file != PMK_TABLES_NONE)
			fputs(last_part(t->file[f->file].path), key);
	} else {
		pmk_tables_unnamed(t, k->object, buf, sizeof(buf));
		fputs(buf, name);
	}
}

/* The row of a function; its key is its name and its file. */
static size_t function_row(struct diff_source *s, const struct pmk_tables_code *k)
{
	char *name = NULL, *file = NULL, *key = NULL;
	size_t n, m, row = DIFF_NO_ROW;
	FILE *names = open_memstream(&name, &n), *files = open_memstream(&file, &m);
	const char *path = NULL;

	if (names && files)
		name_code(&s->t, k, names, files);
	if (names)
		fclose(names);
	if (files)
		fclose(files);
	if (k->inlined != PMK_TABLES_NONE)
		path = k->file == PMK_TABLES_NONE ? NULL : s->t.file[k->file].path;
	else if (k->function != PMK_TABLES_NONE &&
		 s->t.function[k->function].file != PMK_TABLES_NONE)
		path = s->t.file[s->t.function[k->function].file].path;
	if (name && file && asprintf(&key, "%s\n%s", name, file) >= 0)
		row = diff_row_add(s->d, DIFF_FUNCTION, key);
	if (row != DIFF_NO_ROW && !s->d->row[row].there[s->which] &&
	    !diff_row_describe(&s->d->row[row], s, name, path, 0))
		row = DIFF_NO_ROW;
	free(name);
	free(file);
	free(key);
	return row;
}

/* Find the line from which the lines of a function are counted: that of its declaration, or its
 * first line that was executed. It is kept as the line of its row. */
static void begin_function(struct diff_source *s, const struct pmk_tables_code *k, size_t row)
{
	uint32_t *first = &s->d->row[row].line[s->which], at = k->line;

	if (k->inlined == PMK_TABLES_NONE && k->function != PMK_TABLES_NONE &&
	    s->t.function[k->function].line)
		at = s->t.function[k->function].line;
	if (at && (!*first || at < *first))
		*first = at;
}

static size_t line_row(struct diff_source *s, const struct pmk_tables_code *k, size_t function)
{
	const char *path = k->file == PMK_TABLES_NONE ? NULL : s->t.file[k->file].path;
	long away = (long)k->line - (long)s->d->row[function].line[s->which];
	size_t row = DIFF_NO_ROW;
	char *key;

	if (asprintf(&key, "%s\n%s\n%ld", s->d->row[function].key, path ? last_part(path) : "",
		     k->line ? away : -1) < 0)
		return DIFF_NO_ROW;
	row = diff_row_add(s->d, DIFF_LINE, key);
	free(key);
	if (row != DIFF_NO_ROW && !s->d->row[row].there[s->which] &&
	    !diff_row_describe(&s->d->row[row], s, s->d->row[function].name, path, k->line))
		row = DIFF_NO_ROW;
	if (row != DIFF_NO_ROW)
		s->d->row[row].function = function;
	return row;
}

static int on_count(void *ctx, const struct pmk_tables_count *row)
{
	struct diff_source *s = ctx;
	size_t cell = s->slot[row->slot] * DIFF_SIDES + s->which;

	s->d->row[0].value[cell] += row->value;
	s->d->row[s->function[row->code]].value[cell] += row->value;
	if (s->line[row->code] != DIFF_NO_ROW)
		s->d->row[s->line[row->code]].value[cell] += row->value;
	return 0;
}

static int place_code(struct diff_source *s)
{
	const struct pmk_tables *t = &s->t;

	for (size_t i = 0; i < t->ncodes; i++) {
		s->function[i] = function_row(s, &t->code[i]);
		if (s->function[i] == DIFF_NO_ROW)
			return diff_no_memory();
		begin_function(s, &t->code[i], s->function[i]);
	}
	for (size_t i = 0; i < t->ncodes; i++) {
		s->line[i] = DIFF_NO_ROW;
		if (!t->code[i].line)
			continue;
		s->line[i] = line_row(s, &t->code[i], s->function[i]);
		if (s->line[i] == DIFF_NO_ROW)
			return diff_no_memory();
	}
	return 0;
}

int diff_sum_recording(struct diff_source *s)
{
	struct diff *d = s->d;
	uint32_t *event = calloc(d->nevents + 1, sizeof(*event));
	size_t n = 0;
	char msg[300];
	int code;

	s->slot = calloc(d->nevents + 1, sizeof(*s->slot));
	s->function = calloc(s->t.ncodes + 1, sizeof(*s->function));
	s->line = calloc(s->t.ncodes + 1, sizeof(*s->line));
	code = event && s->slot && s->function && s->line ? place_code(s) : diff_no_memory();
	for (size_t i = 0; i < s->nevents && !code; i++) {
		size_t number = diff_event_number(d, s->event[i].name);

		if (number == d->nevents)
			continue;
		s->slot[n] = (uint32_t)number;
		event[n++] = s->event[i].index;
		if (n > d->nevents)
			break;
	}
	if (!code && pmk_tables_counts(&s->t, event, n, on_count, s, msg, sizeof(msg)))
		code = cli_fail(PMK_EXIT_FAILED, "%s: %s", s->path, msg);
	free(event);
	return code;
}
