// SPDX-License-Identifier: MIT
/* Rows of pmk diff from results of pmk stat: JSON documents and JSON lines. */
#define _GNU_SOURCE
#include <json.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/number.h"
#include "cli/cli.h"
#include "cli/diff_source.h"
#include "result/jsonio.h"

const char *diff_json_text(json_object *o, const char *key)
{
	json_object *value;

	return json_object_object_get_ex(o, key, &value) &&
			       json_object_is_type(value, json_type_string)
		       ? json_object_get_string(value)
		       : NULL;
}

bool diff_json_is_true(json_object *o, const char *key)
{
	json_object *value;

	return json_object_object_get_ex(o, key, &value) && json_object_get_boolean(value);
}

static int no_document(const struct diff_source *s, const char *why)
{
	return cli_fail(PMK_EXIT_FAILED,
			"%s: %s; pmk record, and pmk stat with -j or --json-document, write "
			"files that pmk diff compares",
			s->path, why);
}

static bool is_of_an_interval(json_object *counter)
{
	return json_object_object_get_ex(counter, "interval", NULL);
}

/* Returns the number of the row's processor, or NULL if the row is for all processors. */
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
	       !diff_json_text(counter, "region") && !cpu_of(counter);
}

#define MSEC_DECIMALS 6 /* a clock counts nanoseconds, so a time in ms has this many decimals */

/* In JSON lines a value is a text, "64.000000", in perf's unit. The value of the row becomes the
 * count, as in documents, or null. */
static void take_value(const struct diff_source *s, json_object *row)
{
	const char *text = diff_json_text(row, "counter-value"),
		   *unit = diff_json_text(row, "unit");
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
			cli_fail(0,
				 "%s: %s is not compared, because its value is rounded to %s; "
				 "'pmk stat --json-document' writes the exact count",
				 s->path, diff_json_text(row, "event"),
				 unit ? unit : "another unit");
	}
	pmk_json_add(row, "counter-value", count);
}

/* Convert lines of pmk stat -j, or of perf stat -j, to a document. NULL: the file has another form,
 * or out of memory. */
static json_object *document_of_lines(const struct diff_source *s, FILE *f)
{
	json_object *document = json_object_new_object(), *rows = json_object_new_array();
	size_t size = 0, n = 0;
	char *line = NULL;
	bool good = document && rows;

	pmk_json_add(document, "format", json_object_new_string("pmk-stat"));
	pmk_json_add(document, "counters", rows);
	while (good && getline(&line, &size, f) >= 0) {
		static const char *const facts[] = { "partial", "warning", "note" };
		json_object *row, *fact;

		/* perf begins a file of -o with a comment and a blank line. */
		if (line[0] == '#' || line[strspn(line, " \t\n")] == '\0')
			continue;
		row = json_tokener_parse(line);
		good = row && json_object_is_type(row, json_type_object);
		n += good && (diff_json_text(row, "event") || diff_json_text(row, "metric-unit"));
		if (good && diff_json_text(row, "event")) {
			take_value(s, row);
			json_object_array_add(rows, row);
			continue;
		}
		for (unsigned i = 0; i < sizeof(facts) / sizeof(facts[0]) && good; i++)
			if (json_object_object_get_ex(row, facts[i], &fact))
				pmk_json_add(document, facts[i], json_object_get(fact));
		json_object_put(row);
	}
	free(line);
	if (good && n)
		return document;
	json_object_put(document);
	return NULL;
}

/* A document begins with its format; lines have no such header. */
static json_object *read_document(const struct diff_source *s)
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

int diff_open_document(struct diff_source *s)
{
	size_t n;

	s->document = read_document(s);
	if (!s->document)
		return no_document(s, "neither a recording nor JSON");
	if (!json_object_is_type(s->document, json_type_object) ||
	    !diff_json_text(s->document, "format") ||
	    strcmp(diff_json_text(s->document, "format"), "pmk-stat") ||
	    !json_object_object_get_ex(s->document, "counters", &s->counters) ||
	    !json_object_is_type(s->counters, json_type_array))
		return no_document(s, "not a result of pmk stat");
	n = json_object_array_length(s->counters);
	s->event = calloc(n + 1, sizeof(*s->event));
	if (!s->event)
		return cli_no_memory();
	for (size_t i = 0; i < n; i++) {
		json_object *counter = json_object_array_get_idx(s->counters, i);
		const char *name = diff_json_text(counter, "event"),
			   *pmu = diff_json_text(counter, "pmu");

		if (!name || !is_total(counter))
			continue;
		name = diff_catalogue_name(name, pmu);
		if (!diff_find_event(s, name, pmu))
			s->event[s->nevents++] = (struct diff_event){ name, pmu, 0 };
	}
	if (!s->nevents)
		return no_document(s, "no event in it has a value for the whole run");
	return 0;
}

static size_t section_row(struct diff_source *s, json_object *counter)
{
	const char *region = diff_json_text(counter, "region"), *cpu = cpu_of(counter);
	size_t row;
	char *name;

	if (!region && !cpu)
		return 0;
	if (asprintf(&name, "%s%s%s", region ? region : "",
		     cpu && region ? " on CPU"
		     : cpu	   ? "CPU"
				   : "",
		     cpu ? cpu : "") < 0)
		return DIFF_NO_ROW;
	row = diff_row_add(s->d, DIFF_SECTION, name);
	if (row != DIFF_NO_ROW && !diff_row_describe(&s->d->row[row], s, name, NULL, 0))
		row = DIFF_NO_ROW;
	free(name);
	return row;
}

int diff_sum_document(struct diff_source *s)
{
	size_t n = json_object_array_length(s->counters);

	for (size_t i = 0; i < n; i++) {
		json_object *counter = json_object_array_get_idx(s->counters, i), *value;
		const char *name = diff_json_text(counter, "event");
		size_t number, row;

		if (!name || is_of_an_interval(counter) ||
		    !json_object_object_get_ex(counter, "counter-value", &value) ||
		    !json_object_is_type(value, json_type_int))
			continue;
		number = diff_event_number(
			s->d, diff_catalogue_name(name, diff_json_text(counter, "pmu")));
		if (number == s->d->nevents)
			continue;
		row = section_row(s, counter);
		if (row == DIFF_NO_ROW)
			return cli_no_memory();
		s->d->row[row].value[number * DIFF_SIDES + s->which] =
			json_object_get_uint64(value);
	}
	return 0;
}
