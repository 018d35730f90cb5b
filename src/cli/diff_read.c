// SPDX-License-Identifier: MIT
/*
 * Both sides of pmk diff as rows. Addresses move from build to build, and so do folders and lines:
 *
 * 	a function is matched by its name, the last part of its file's path, and the functions into
 * 	which it was inlined; a line by its function and its distance from the function's start
 */
#define _GNU_SOURCE
#include "base/number.h"
#include "cli/diff.h"

#include <json.h>
#include <stdlib.h>
#include <string.h>

#include <pmk/error.h>
#include <pmk/pmu.h>

#include "base/file.h"
#include "cli/cli.h"
#include "profile/recording/choose.h"
#include "profile/recording/tables.h"
#include "profile/sampling/perfdata.h"

/* An event of one side; for a recording with its index. */
struct event {
	const char *name; /* the catalogue's name */
	const char *pmu;
	uint32_t index;
};

/* One side while it is read: a recording or a document. */
struct side {
	enum diff_side which;
	const char *path;
	bool recording, open;
	struct pmk_tables t;
	json_object *document, *counters;
	struct event *event;
	size_t nevents;
	/* for a recording, while its counts are summed */
	struct diff *d;
	uint32_t *slot;		 /* [slot]: event of the diff */
	size_t *function, *line; /* [code]: row */
};

static int out_of_memory(void)
{
	return cli_fail(PMK_EXIT_FAILED, "out of memory");
}

/* ---- rows ----------------------------------------------------------------------------------- */

#define NO_ROW SIZE_MAX

/* The row with that key, which is added if there is none. NO_ROW: out of memory. */
static size_t row_of(struct diff *d, enum diff_kind kind, const char *key)
{
	uint64_t hash = UINT64_C(0xCBF29CE484222325) + kind;
	struct diff_row *r;

	for (const char *c = key; *c; c++)
		hash = (hash ^ (uint8_t)*c) * UINT64_C(0x100000001B3);
	if (d->nrows == d->room) {
		size_t room = d->room ? 2 * d->room : 256;

		r = realloc(d->row, room * sizeof(*r));
		if (!r)
			return NO_ROW;
		d->row = r;
		d->room = room;
	}
	for (;; hash++) {
		uint32_t i = pmk_map_put(&d->rows, hash, (uint32_t)d->nrows);

		if (i == UINT32_MAX)
			return NO_ROW;
		r = &d->row[i];
		if (i < d->nrows && r->kind == kind && !strcmp(r->key, key))
			return i;
		if (i < d->nrows)
			continue;
		*r = (struct diff_row){
			.kind = kind,
			.key = strdup(key),
			.value = calloc(d->nevents * DIFF_SIDES + 1, sizeof(*r->value)),
		};
		d->nrows++;
		return r->key && r->value ? i : NO_ROW;
	}
}

/* The description from the last side that has the row is kept. */
static bool describe(struct diff_row *r, const struct side *s, const char *name, const char *file,
		     uint32_t line)
{
	free(r->name);
	free(r->file);
	r->name = name ? strdup(name) : NULL;
	r->file = file ? strdup(file) : NULL;
	r->line[s->which] = line;
	r->there[s->which] = true;
	return (r->name || !name) && (r->file || !file);
}

void diff_free(struct diff *d)
{
	for (size_t i = 0; i < d->nrows; i++) {
		free(d->row[i].key);
		free(d->row[i].name);
		free(d->row[i].file);
		free(d->row[i].value);
	}
	free(d->row);
	pmk_map_free(&d->rows);
	for (size_t i = 0; i < d->nevents; i++)
		free(d->event[i]);
	free(d->event);
	for (unsigned i = 0; i < DIFF_SIDES; i++) {
		free(d->command[i]);
		free(d->core[i]);
	}
}

/* ---- events --------------------------------------------------------------------------------- */

/* stat writes an event's requested name; this is the catalogue's name. */
static const char *catalogue_name(const char *name, const char *pmu)
{
	const struct pmk_pmu *p = pmu ? pmk_pmu_find(pmu) : NULL;
	const struct pmk_event *e = p ? pmk_pmu_event(p, name) : NULL;

	return e ? e->name : name;
}

/* Cores of one family have the same events but different names: cortex-a53, cortex-a72. */
static bool is_same_pmu(const char *a, const char *b)
{
	const struct pmk_pmu *one = a ? pmk_pmu_find(a) : NULL, *other = b ? pmk_pmu_find(b) : NULL;

	return one && other ? one->driver == other->driver : !strcmp(a ? a : "", b ? b : "");
}

static const struct event *find_event(const struct side *s, const char *name, const char *pmu)
{
	for (size_t i = 0; i < s->nevents; i++)
		if (!strcmp(s->event[i].name, name) && is_same_pmu(s->event[i].pmu, pmu))
			return &s->event[i];
	return NULL;
}

static bool is_called(const struct event *e, const char *name)
{
	struct pmk_tables_event named = { .name = e->name, .pmu = e->pmu };

	return pmk_tables_event_is(&named, name);
}

static const char *next_event(const void *ctx, unsigned i)
{
	const struct side *s = ctx;

	return i < s->nevents ? s->event[i].name : NULL;
}

static int add_event(struct diff *d, const struct event *e)
{
	for (size_t i = 0; i < d->nevents; i++)
		if (!strcmp(d->event[i], e->name))
			return 0;
	d->event[d->nevents] = strdup(e->name);
	if (!d->event[d->nevents])
		return out_of_memory();
	d->nevents++;
	return 0;
}

/* A named event must be on both sides, because otherwise a gate would pass without it. */
static int choose_named(struct diff *d, const struct side *s, const char *name)
{
	const struct side *without = &s[DIFF_BASE];
	char near[128];
	bool found = false;
	int code = 0;

	for (size_t i = 0; i < s[DIFF_BASE].nevents && !code; i++) {
		const struct event *e = &s[DIFF_BASE].event[i];

		if (!is_called(e, name))
			continue;
		without = &s[DIFF_NEW];
		if (find_event(&s[DIFF_NEW], e->name, e->pmu)) {
			found = true;
			code = add_event(d, e);
		}
	}
	if (code || found)
		return code;
	pmk_nearest_among(name, next_event, without, near, sizeof(near));
	if (!strcmp(near, name))
		return cli_fail(PMK_EXIT_USAGE, "-e: '%s' is of another PMU in %s than in %s", name,
				s[DIFF_NEW].path, s[DIFF_BASE].path);
	if (*near)
		return cli_fail(PMK_EXIT_USAGE,
				"-e: no event '%s' with a value in %s; did you mean %s?", name,
				without->path, near);
	return cli_fail(PMK_EXIT_USAGE, "-e: no event '%s' with a value in %s", name,
			without->path);
}

static void tell_missing(const struct side *has, const struct side *lacks)
{
	for (size_t i = 0; i < has->nevents; i++)
		if (!find_event(lacks, has->event[i].name, has->event[i].pmu))
			cli_fail(0, "%s has a value in %s alone; it is not compared",
				 has->event[i].name, has->path);
}

static int choose_events(struct diff *d, const struct side *s, const char *list)
{
	char *words, *save = NULL;
	int code = 0;

	d->event = calloc(s[DIFF_BASE].nevents + 1, sizeof(*d->event));
	words = strdup(list ? list : "");
	if (!d->event || !words) {
		free(words);
		return out_of_memory();
	}
	for (char *w = strtok_r(words, ",", &save); w && !code; w = strtok_r(NULL, ",", &save))
		code = choose_named(d, s, w);
	free(words);
	if (list && !code && !d->nevents)
		code = cli_fail(PMK_EXIT_USAGE, "-e: the list is empty");
	if (list || code)
		return code;
	for (size_t i = 0; i < s[DIFF_BASE].nevents && !code; i++) {
		const struct event *e = &s[DIFF_BASE].event[i];

		/* Executions are compared if they are requested. */
		if (e->index != PMK_TABLES_EXECUTIONS && find_event(&s[DIFF_NEW], e->name, e->pmu))
			code = add_event(d, e);
	}
	if (d->nevents) {
		tell_missing(&s[DIFF_BASE], &s[DIFF_NEW]);
		tell_missing(&s[DIFF_NEW], &s[DIFF_BASE]);
	}
	if (!code && !d->nevents)
		code = cli_fail(PMK_EXIT_USAGE, "%s and %s have no event in common", s[0].path,
				s[1].path);
	return code;
}

/* The event of the diff with that name, or the number of events. */
static size_t event_number(const struct diff *d, const char *name)
{
	size_t i = 0;

	while (i < d->nevents && strcmp(d->event[i], name))
		i++;
	return i;
}

/* ---- recordings ----------------------------------------------------------------------------- */

static int open_recording(struct side *s)
{
	char msg[300];

	s->recording = s->open = true;
	if (pmk_tables_open(&s->t, s->path, msg, sizeof(msg)))
		return cli_fail(PMK_EXIT_FAILED, "%s: %s", s->path, msg);
	s->event = calloc(s->t.nevents + 1, sizeof(*s->event));
	if (!s->event)
		return out_of_memory();
	for (uint32_t i = 0; i < s->t.nevents; i++)
		if (s->t.event[i].has_total)
			s->event[s->nevents++] =
				(struct event){ s->t.event[i].name, s->t.event[i].pmu, i };
	if (!s->t.sampled)
		s->event[s->nevents++] =
			(struct event){ "executions", NULL, PMK_TABLES_EXECUTIONS };
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
static size_t function_row(struct side *s, const struct pmk_tables_code *k)
{
	char *name = NULL, *file = NULL, *key = NULL;
	size_t n, m, row = NO_ROW;
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
		row = row_of(s->d, DIFF_FUNCTION, key);
	if (row != NO_ROW && !s->d->row[row].there[s->which] &&
	    !describe(&s->d->row[row], s, name, path, 0))
		row = NO_ROW;
	free(name);
	free(file);
	free(key);
	return row;
}

/* Find the line from which the lines of a function are counted: that of its declaration, or its
 * first line that was executed. It is kept as the line of its row. */
static void begin_function(struct side *s, const struct pmk_tables_code *k, size_t row)
{
	uint32_t *first = &s->d->row[row].line[s->which], at = k->line;

	if (k->inlined == PMK_TABLES_NONE && k->function != PMK_TABLES_NONE &&
	    s->t.function[k->function].line)
		at = s->t.function[k->function].line;
	if (at && (!*first || at < *first))
		*first = at;
}

static size_t line_row(struct side *s, const struct pmk_tables_code *k, size_t function)
{
	const char *path = k->file == PMK_TABLES_NONE ? NULL : s->t.file[k->file].path;
	long away = (long)k->line - (long)s->d->row[function].line[s->which];
	size_t row = NO_ROW;
	char *key;

	if (asprintf(&key, "%s\n%s\n%ld", s->d->row[function].key, path ? last_part(path) : "",
		     k->line ? away : -1) < 0)
		return NO_ROW;
	row = row_of(s->d, DIFF_LINE, key);
	free(key);
	if (row != NO_ROW && !s->d->row[row].there[s->which] &&
	    !describe(&s->d->row[row], s, s->d->row[function].name, path, k->line))
		row = NO_ROW;
	if (row != NO_ROW)
		s->d->row[row].function = function;
	return row;
}

static int on_count(void *ctx, const struct pmk_tables_count *row)
{
	struct side *s = ctx;
	size_t cell = s->slot[row->slot] * DIFF_SIDES + s->which;

	s->d->row[0].value[cell] += row->value;
	s->d->row[s->function[row->code]].value[cell] += row->value;
	if (s->line[row->code] != NO_ROW)
		s->d->row[s->line[row->code]].value[cell] += row->value;
	return 0;
}

static int place_code(struct side *s)
{
	const struct pmk_tables *t = &s->t;

	for (size_t i = 0; i < t->ncodes; i++) {
		s->function[i] = function_row(s, &t->code[i]);
		if (s->function[i] == NO_ROW)
			return out_of_memory();
		begin_function(s, &t->code[i], s->function[i]);
	}
	for (size_t i = 0; i < t->ncodes; i++) {
		s->line[i] = NO_ROW;
		if (!t->code[i].line)
			continue;
		s->line[i] = line_row(s, &t->code[i], s->function[i]);
		if (s->line[i] == NO_ROW)
			return out_of_memory();
	}
	return 0;
}

static int sum_recording(struct side *s)
{
	struct diff *d = s->d;
	uint32_t *event = calloc(d->nevents + 1, sizeof(*event));
	size_t n = 0;
	char msg[300];
	int code;

	s->slot = calloc(d->nevents + 1, sizeof(*s->slot));
	s->function = calloc(s->t.ncodes + 1, sizeof(*s->function));
	s->line = calloc(s->t.ncodes + 1, sizeof(*s->line));
	code = event && s->slot && s->function && s->line ? place_code(s) : out_of_memory();
	for (size_t i = 0; i < s->nevents && !code; i++) {
		size_t number = event_number(d, s->event[i].name);

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

/* ---- results of pmk stat -------------------------------------------------------------------- */

static const char *text_of(json_object *o, const char *key)
{
	json_object *value;

	return json_object_object_get_ex(o, key, &value) &&
			       json_object_is_type(value, json_type_string)
		       ? json_object_get_string(value)
		       : NULL;
}

static bool is_true(json_object *o, const char *key)
{
	json_object *value;

	return json_object_object_get_ex(o, key, &value) && json_object_get_boolean(value);
}

static int no_document(const struct side *s, const char *why)
{
	return cli_fail(PMK_EXIT_FAILED,
			"%s: %s; pmk record, and pmk stat with -j or --json-document, write what "
			"can be compared",
			s->path, why);
}

static bool is_of_an_interval(json_object *counter)
{
	return json_object_object_get_ex(counter, "interval", NULL);
}

/* The number of the processor of the row; NULL: all. */
static const char *cpu_of(json_object *counter)
{
	json_object *value;

	return json_object_object_get_ex(counter, "cpu", &value) && value
		       ? json_object_get_string(value)
		       : NULL;
}

/* True for a counter that has a value and belongs to no section. */
static bool is_total(json_object *counter)
{
	json_object *value;

	return json_object_object_get_ex(counter, "counter-value", &value) &&
	       json_object_is_type(value, json_type_int) && !is_of_an_interval(counter) &&
	       !text_of(counter, "region") && !cpu_of(counter);
}

#define MSEC_DECIMALS 6 /* a count of a clock is a nanosecond */

/* In JSON lines a value is a text, "64.000000", in perf's unit. The value of the row becomes the
 * count, as in documents, or null. */
static void take_value(const struct side *s, json_object *row)
{
	const char *text = text_of(row, "counter-value"), *unit = text_of(row, "unit");
	const char *point = text ? strchr(text, '.') : NULL;
	bool clock = unit && !strcmp(unit, "msec");
	json_object *count = NULL;
	char digits[40];
	size_t whole = point ? (size_t)(point - text) : 0;

	if (whole && strspn(text, "0123456789") == whole && whole < 24 &&
	    strspn(point + 1, "0123456789") == MSEC_DECIMALS && !point[MSEC_DECIMALS + 1]) {
		snprintf(digits, sizeof(digits), "%.*s%s", (int)whole, text,
			 clock ? point + 1 : "");
		if (clock || !strcmp(point, ".000000"))
			count = json_object_new_uint64(pmk_number_after(digits, "", 10));
		else
			cli_fail(0, "%s: %s is in %s: --json-document has its count; %s", s->path,
				 text_of(row, "event"), unit ? unit : "another unit",
				 "it is not compared");
	}
	json_object_object_add(row, "counter-value", count);
}

/* Convert lines of pmk stat -j, or of perf stat -j, to a document. NULL: the file has another form,
 * or out of memory. */
static json_object *document_of_lines(const struct side *s, FILE *f)
{
	json_object *document = json_object_new_object(), *rows = json_object_new_array();
	size_t size = 0, n = 0;
	char *line = NULL;
	bool good = document && rows;

	json_object_object_add(document, "format", json_object_new_string("pmk-stat"));
	json_object_object_add(document, "counters", rows);
	while (good && getline(&line, &size, f) >= 0) {
		json_object *row, *partial;

		/* perf begins a file of -o with a comment and a blank line. */
		if (line[0] == '#' || line[strspn(line, " \t\n")] == '\0')
			continue;
		row = json_tokener_parse(line);
		good = row && json_object_is_type(row, json_type_object);
		n += good && (text_of(row, "event") || text_of(row, "metric-unit"));
		if (good && text_of(row, "event")) {
			take_value(s, row);
			json_object_array_add(rows, row);
			continue;
		}
		if (good && json_object_object_get_ex(row, "partial", &partial))
			json_object_object_add(document, "partial", json_object_get(partial));
		json_object_put(row);
	}
	free(line);
	if (good && n)
		return document;
	json_object_put(document);
	return NULL;
}

/* A document begins with its format; lines have no such header. */
static json_object *read_document(const struct side *s)
{
	json_object *document = json_object_from_file(s->path), *lines = NULL;
	const char *why;
	FILE *f;

	if (document && (!json_object_is_type(document, json_type_object) ||
			 json_object_object_get_ex(document, "format", NULL)))
		return document;
	f = pmk_file_open(s->path, false, &why);
	if (f) {
		lines = document_of_lines(s, f);
		fclose(f);
	}
	if (!lines)
		return document;
	json_object_put(document);
	return lines;
}

static int open_document(struct side *s)
{
	size_t n;

	s->document = read_document(s);
	if (!s->document)
		return no_document(s, "neither a recording nor JSON");
	if (!json_object_is_type(s->document, json_type_object) ||
	    !text_of(s->document, "format") || strcmp(text_of(s->document, "format"), "pmk-stat") ||
	    !json_object_object_get_ex(s->document, "counters", &s->counters) ||
	    !json_object_is_type(s->counters, json_type_array))
		return no_document(s, "no result of pmk stat");
	n = json_object_array_length(s->counters);
	s->event = calloc(n + 1, sizeof(*s->event));
	if (!s->event)
		return out_of_memory();
	for (size_t i = 0; i < n; i++) {
		json_object *counter = json_object_array_get_idx(s->counters, i);
		const char *name = text_of(counter, "event"), *pmu = text_of(counter, "pmu");

		if (!name || !is_total(counter))
			continue;
		name = catalogue_name(name, pmu);
		if (!find_event(s, name, pmu))
			s->event[s->nevents++] = (struct event){ name, pmu, 0 };
	}
	if (!s->nevents)
		return no_document(s, "no event in it has a value for the whole run");
	return 0;
}

static size_t section_row(struct side *s, json_object *counter)
{
	const char *region = text_of(counter, "region"), *cpu = cpu_of(counter);
	size_t row;
	char *name;

	if (!region && !cpu)
		return 0;
	if (asprintf(&name, "%s%s%s", region ? region : "",
		     cpu && region ? " on CPU"
		     : cpu	   ? "CPU"
				   : "",
		     cpu ? cpu : "") < 0)
		return NO_ROW;
	row = row_of(s->d, DIFF_SECTION, name);
	if (row != NO_ROW && !describe(&s->d->row[row], s, name, NULL, 0))
		row = NO_ROW;
	free(name);
	return row;
}

static int sum_document(struct side *s)
{
	size_t n = json_object_array_length(s->counters);

	for (size_t i = 0; i < n; i++) {
		json_object *counter = json_object_array_get_idx(s->counters, i), *value;
		const char *name = text_of(counter, "event");
		size_t number, row;

		if (!name || is_of_an_interval(counter) ||
		    !json_object_object_get_ex(counter, "counter-value", &value) ||
		    !json_object_is_type(value, json_type_int))
			continue;
		number = event_number(s->d, catalogue_name(name, text_of(counter, "pmu")));
		if (number == s->d->nevents)
			continue;
		row = section_row(s, counter);
		if (row == NO_ROW)
			return out_of_memory();
		s->d->row[row].value[number * DIFF_SIDES + s->which] =
			json_object_get_uint64(value);
	}
	return 0;
}

/* ---- both ----------------------------------------------------------------------------------- */

/* Find the kind of a file from its first bytes. */
static int open_side(struct side *s)
{
	char head[15] = "";
	const char *why;
	FILE *f = pmk_file_open(s->path, false, &why);
	size_t n;

	if (!f)
		return cli_fail(PMK_EXIT_FAILED, "%s: cannot be read: %s", s->path, why);
	n = fread(head, 1, sizeof(head), f);
	fclose(f);
	if ((n == sizeof(head) && !memcmp(head, "SQLite format 3", sizeof(head))) ||
	    pmk_perfdata_begins((const uint8_t *)head, n))
		return open_recording(s);
	return open_document(s);
}

static int note_facts(struct diff *d, const struct side *s)
{
	const char *command = s->recording ? s->t.command : text_of(s->document, "command"),
		   *core = s->recording ? s->t.core : text_of(s->document, "core");

	d->command[s->which] = strdup(command ? command : "");
	d->core[s->which] = strdup(core ? core : "");
	if (s->recording ? s->t.partial : is_true(s->document, "partial"))
		cli_fail(0, "%s is partial: the end of the run is missing", s->path);
	return d->command[s->which] && d->core[s->which] ? 0 : out_of_memory();
}

static void close_side(struct side *s)
{
	if (s->open)
		pmk_tables_close(&s->t);
	json_object_put(s->document);
	free(s->event);
	free(s->slot);
	free(s->function);
	free(s->line);
}

static int read_sides(struct diff *d, struct side *s, const char *events)
{
	int code = open_side(&s[DIFF_BASE]);

	if (!code)
		code = open_side(&s[DIFF_NEW]);
	if (code)
		return code;
	if (s[DIFF_BASE].recording != s[DIFF_NEW].recording)
		return cli_fail(PMK_EXIT_USAGE, "%s is a recording and %s is not",
				s[s[DIFF_NEW].recording].path, s[s[DIFF_BASE].recording].path);
	for (unsigned i = 0; i < DIFF_SIDES && !code; i++)
		code = note_facts(d, &s[i]);
	if (!code)
		code = choose_events(d, s, events);
	/* Lines do not contain the core. */
	if (!code && *d->core[DIFF_BASE] && *d->core[DIFF_NEW] &&
	    strcmp(d->core[DIFF_BASE], d->core[DIFF_NEW]))
		cli_fail(0, "the cores differ: %s and %s", d->core[DIFF_BASE], d->core[DIFF_NEW]);
	/* The first row is that of the whole run. */
	if (!code && row_of(d, DIFF_TOTAL, "") == NO_ROW)
		code = out_of_memory();
	for (unsigned i = 0; i < DIFF_SIDES && !code; i++) {
		d->row[0].there[i] = true;
		code = s[i].recording ? sum_recording(&s[i]) : sum_document(&s[i]);
	}
	return code;
}

int diff_read(struct diff *d, const char *events)
{
	struct side s[DIFF_SIDES] = {
		{ .which = DIFF_BASE, .path = d->path[DIFF_BASE], .d = d },
		{ .which = DIFF_NEW, .path = d->path[DIFF_NEW], .d = d },
	};
	int code = read_sides(d, s, events);

	close_side(&s[DIFF_BASE]);
	close_side(&s[DIFF_NEW]);
	return code;
}
