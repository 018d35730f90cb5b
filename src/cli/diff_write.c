// SPDX-License-Identifier: MIT
/*
 * What pmk diff prints. Totals are always printed. Regions, functions and lines are printed only if
 * they differ: first the rows that add to the total, then the rows that reduce it. CSV and JSON
 * have all rows. Text and Markdown have at most SHOWN rows of a table: the rows that add most, and
 * at least SAVED rows that reduce the total, if there are so many.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <json.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/printable.h"
#include "cli/cli.h"
#include "cli/diff.h"
#include "result/table.h"
#include "result/internal.h"
#include "result/jsonio.h"

#define SHOWN 20 /* rows of a table in text and Markdown */
#define SAVED 5	 /* minimum number of these rows that have decreased counts */

const char *const diff_kind_names[DIFF_KINDS] = { "total", "region", "library", "function",
						  "line" };

/* ---- rows ----------------------------------------------------------------------------------- */

static uint64_t base_of(const struct diff *d, size_t row, size_t event)
{
	return diff_value(d, row, event, DIFF_BASE);
}

static uint64_t new_of(const struct diff *d, size_t row, size_t event)
{
	return diff_value(d, row, event, DIFF_NEW);
}

uint64_t diff_distance(const struct diff *d, size_t row, size_t event)
{
	uint64_t a = base_of(d, row, event), b = new_of(d, row, event);

	return a > b ? a - b : b - a;
}

const char *diff_status(const struct diff_row *r)
{
	return !r->there[DIFF_BASE] ? "new" : !r->there[DIFF_NEW] ? "gone" : "both";
}

/*
 * True if the row is printed. Two kinds of rows are not: lines of functions that are new or gone,
 * because the function's row has their counts; and functions of a library that only moved, because
 * the library's row has their counts.
 */
static bool is_told(const struct diff *d, size_t row)
{
	const struct diff_row *r = &d->row[row];

	if (r->kind == DIFF_LINE)
		r = &d->row[r->function];
	return !r->moved && (r == &d->row[row] || !strcmp(diff_status(r), "both"));
}

#define SMALL 1000 /* a function with less than 1/SMALL of the total is small */

bool diff_is_large(const struct diff *d, size_t row, size_t event)
{
	uint64_t min = d->min;

	if (!d->has_min)
		min = (base_of(d, 0, event) > new_of(d, 0, event) ? base_of(d, 0, event)
								  : new_of(d, 0, event)) /
		      SMALL;
	return base_of(d, row, event) >= min || new_of(d, row, event) >= min;
}

static bool is_shown(const struct diff *d, size_t row, size_t event, enum diff_choice choice)
{
	enum diff_kind kind = d->row[row].kind;

	if (choice == DIFF_OVER || diff_exceeded(d, row, event))
		return diff_exceeded(d, row, event);
	if (choice == DIFF_FOR_PEOPLE && !is_told(d, row))
		return false;

	if (kind == DIFF_TOTAL)
		return true;
	if (!diff_distance(d, row, event))
		return false;
	return kind == DIFF_SECTION || (choice == DIFF_FOR_MACHINES && !d->has_min) ||
	       diff_is_large(d, row, event);
}

static bool adds(const struct diff *d, size_t row, size_t event)
{
	return new_of(d, row, event) > base_of(d, row, event);
}

static int by_distance(const void *a, const void *b, void *ctx)
{
	const struct diff_table *t = ctx;
	size_t x = *(const size_t *)a, y = *(const size_t *)b;
	uint64_t p = diff_distance(t->d, x, t->event), q = diff_distance(t->d, y, t->event);

	if (adds(t->d, x, t->event) != adds(t->d, y, t->event))
		return adds(t->d, x, t->event) ? -1 : 1;
	if (p != q)
		return p < q ? 1 : -1;
	return strcmp(t->d->row[x].key, t->d->row[y].key);
}

/* In tables for people, libraries are listed with the functions. */
static enum diff_kind table_of(enum diff_kind kind, enum diff_choice choice)
{
	return kind == DIFF_LIBRARY && choice != DIFF_FOR_MACHINES ? DIFF_FUNCTION : kind;
}

void diff_table_fill(struct diff_table *t, enum diff_kind kind, size_t event,
		     enum diff_choice choice)
{
	t->kind = kind;
	t->event = event;
	t->n = 0;
	for (size_t i = 0; i < t->d->nrows; i++)
		if (table_of(t->d->row[i].kind, choice) == kind && is_shown(t->d, i, event, choice))
			t->row[t->n++] = i;
	qsort_r(t->row, t->n, sizeof(*t->row), by_distance, t);
}

/* True if the difference has a percentage. It has none if the base is 0 and the new count is not,
 * or if the row is new or gone. */
static bool percent(const struct diff *d, size_t row, size_t event, double *value)
{
	long double base = (long double)base_of(d, row, event),
		    fresh = (long double)new_of(d, row, event);

	*value = base > 0 ? (double)((fresh - base) * 100 / base) : 0;
	return (base > 0 || fresh <= base) && !strcmp(diff_status(&d->row[row]), "both");
}

void diff_percent_text(const struct diff *d, size_t row, size_t event, char *buf, size_t size)
{
	double value;

	if (!percent(d, row, event, &value))
		snprintf(buf, size, "%s",
			 strcmp(diff_status(&d->row[row]), "both") ? diff_status(&d->row[row])
								   : "was 0");
	else
		snprintf(buf, size, diff_distance(d, row, event) ? "%+.2f%%" : "%.2f%%", value);
}

void diff_delta_text(const struct diff *d, size_t row, size_t event, bool group, char buf[48])
{
	uint64_t n = diff_distance(d, row, event);
	bool less = new_of(d, row, event) < base_of(d, row, event);

	*buf = less ? '-' : '+';
	pmk_number_text(buf + (n != 0), n, 0, group);
}

static uint32_t line_of(const struct diff_row *r)
{
	return r->there[DIFF_NEW] ? r->line[DIFF_NEW] : r->line[DIFF_BASE];
}

char *diff_label(const struct diff *d, size_t row, size_t event)
{
	const struct diff_row *r = &d->row[row];
	const char *file = r->file ? pmk_file_name(r->file) : NULL;
	char *text = NULL, *plain;
	int n;

	if (r->kind == DIFF_TOTAL)
		n = asprintf(&text, "%s", d->event[event]);
	else if (r->kind == DIFF_LIBRARY)
		n = asprintf(&text, "%s: %zu functions that ran the same instructions", r->name,
			     r->functions);
	else if (r->kind == DIFF_LINE)
		n = asprintf(&text, "%s:%" PRIu32 " in %s", file ? file : "?", line_of(r), r->name);
	else
		n = asprintf(&text, "%s%s%s%s%s%s", r->name, file ? " (" : "", file ? file : "",
			     file ? ")" : "", r->was ? ", was " : "", r->was ? r->was : "");
	plain = n < 0 ? NULL : pmk_printable(text);
	if (n >= 0)
		free(text);
	return plain;
}

/* ---- text ----------------------------------------------------------------------------------- */

static void put_row(const struct diff *d, size_t row, size_t event, struct table *t)
{
	char *name = diff_label(d, row, event), delta[48], percent[48];

	diff_delta_text(d, row, event, true, delta);
	diff_percent_text(d, row, event, percent, sizeof(percent));
	pmk_table_put(t, "%ju", base_of(d, row, event));
	pmk_table_put(t, "%ju", new_of(d, row, event));
	pmk_table_put(t, "%s", delta);
	pmk_table_put(t, "%s", percent)->bold = diff_exceeded(d, row, event);
	pmk_table_put(t, "%s", name);
	pmk_table_end_row(t);
	t->failed |= !name;
	free(name);
}

/* Writes n rows of a table: the total of each event if `totals` is true, otherwise rows of one
 * event. */
static int write_rows(const struct diff_table *t, size_t n, bool totals,
		      const struct diff_format *format, FILE *f)
{
	const struct table_column columns[] = {
		{ .heading = "base" },
		{ .heading = "new" },
		{ .heading = "delta" },
		{ .heading = "%" },
		{ .heading = totals ? "event" : diff_kind_names[t->kind], .name = true },
	};
	struct table table = { .column = columns, .ncolumns = 5 };
	int err;

	for (size_t i = 0; i < n; i++)
		put_row(t->d, totals ? 0 : t->row[i], totals ? i : t->event, &table);
	err = format->form == DIFF_MARKDOWN
		      ? pmk_table_write_markdown(&table, f)
		      : pmk_table_write_text(&table, f, "  ", format->columns);
	pmk_table_free(&table);
	return err;
}

/* Moves the rows that are shown to the front. Returns their number. */
static size_t choose_shown(struct diff_table *t)
{
	size_t added = 0, saved;

	if (t->n <= SHOWN)
		return t->n;
	while (added < t->n && adds(t->d, t->row[added], t->event))
		added++;
	saved = added + SAVED < SHOWN ? SHOWN - added : SAVED;
	if (saved > t->n - added)
		saved = t->n - added;
	memmove(t->row + SHOWN - saved, t->row + added, saved * sizeof(*t->row));
	return SHOWN;
}

static void write_path(const char *path, bool markdown, FILE *f)
{
	if (markdown)
		pmk_name_write_markdown(f, path, SIZE_MAX);
	else
		pmk_printable_write(f, path);
}

static int write_table(struct diff_table *t, const struct diff_format *format, FILE *f)
{
	bool markdown = format->form == DIFF_MARKDOWN;
	size_t n = t->n, shown = choose_shown(t);

	if (!markdown)
		fprintf(f, "\n %s by %s\n\n", t->d->event[t->event], diff_kind_names[t->kind]);
	if (write_rows(t, shown, false, format, f))
		return -1;
	if (n > shown)
		fprintf(f, "%s%zu more differ; -j and -x have all\n", markdown ? "\n" : "  ",
			n - shown);
	if (markdown)
		fputc('\n', f);
	return 0;
}

/* Writes the tables of an event. In Markdown they are folded, because there are many events. */
static int write_event(struct diff_table *t, size_t event, const struct diff_format *format,
		       FILE *f)
{
	bool markdown = format->form == DIFF_MARKDOWN, folded = false;

	for (enum diff_kind kind = DIFF_SECTION; kind < DIFF_KINDS; kind++) {
		diff_table_fill(t, kind, event, DIFF_FOR_PEOPLE);
		if (!t->n)
			continue;
		if (markdown && !folded) {
			char delta[48], percent[48];

			diff_delta_text(t->d, 0, event, true, delta);
			diff_percent_text(t->d, 0, event, percent, sizeof(percent));
			fprintf(f, "<details><summary>%s: %s, %s</summary>\n\n", t->d->event[event],
				delta, percent);
			folded = true;
		}
		if (write_table(t, format, f))
			return -1;
	}
	if (folded)
		fputs("</details>\n\n", f);
	return 0;
}

/* Returns the number of counts that are over a limit. */
static size_t count_over(const struct diff *d)
{
	size_t n = 0;

	for (size_t event = 0; event < d->nevents; event++)
		for (size_t row = 0; row < d->nrows; row++)
			n += diff_exceeded(d, row, event) != NULL;
	return n;
}

static void write_verdict(const struct diff *d, FILE *f)
{
	size_t n = count_over(d);

	if (n)
		fprintf(f, "**%zu count%s over %s limit%s.**\n\n", n, n > 1 ? "s are" : " is",
			n > 1 ? "their" : "its", n > 1 ? "s" : "");
	else if (d->nlimits)
		fputs("No count is over its limit.\n\n", f);
}

struct notes {
	const struct diff_format *format;
	FILE *f;
	bool any;
};

static void write_note(void *ctx, const char *line)
{
	struct notes *n = ctx;
	char *plain = pmk_printable(line);

	n->any = true;
	if (n->format->form == DIFF_MARKDOWN) {
		pmk_name_write_markdown(n->f, line, SIZE_MAX);
		fputs("\n\n", n->f);
	} else if (n->format->form == DIFF_CSV) {
		fprintf(n->f, "# %s\n", plain ? plain : "");
	} else {
		fputc(' ', n->f);
		pmk_printable_wrap(n->f, plain ? plain : "", 1, 3,
				   n->format->columns ? n->format->columns : cli_columns(n->f));
	}
	free(plain);
}

void diff_write_notes(const struct diff *d, const struct diff_format *format, FILE *f)
{
	struct notes n = { .format = format, .f = f };

	diff_each_note(d, write_note, &n);
	if (n.any && format->form == DIFF_TEXT)
		fputc('\n', f);
}

static int write_for_people(struct diff_table *t, const struct diff_format *format, FILE *f)
{
	const struct diff *d = t->d;
	bool markdown = format->form == DIFF_MARKDOWN;
	int err = 0;

	fputs(markdown ? "### Difference of " : "\n Difference of ", f);
	write_path(d->path[DIFF_NEW], markdown, f);
	fputs(" to ", f);
	write_path(d->path[DIFF_BASE], markdown, f);
	fputs("\n\n", f);
	if (markdown)
		write_verdict(d, f);
	diff_write_notes(d, format, f);
	if (write_rows(t, d->nevents, true, format, f))
		return -1;
	if (markdown)
		fputc('\n', f);
	for (size_t event = 0; event < d->nevents && !err; event++)
		err = write_event(t, event, format, f);
	if (!markdown)
		fputc('\n', f);
	return err;
}

/* ---- CSV, JSON ------------------------------------------------------------------------------ */

static void csv_row(const struct diff *d, size_t row, size_t event, struct pmk_csv *c)
{
	const struct diff_row *r = &d->row[row];
	char delta[48], share[48] = "";
	double value;

	diff_delta_text(d, row, event, false, delta);
	if (percent(d, row, event, &value))
		snprintf(share, sizeof(share), "%.2f", value);
	pmk_csv_text(c, diff_kind_names[r->kind]);
	pmk_csv_text(c, d->event[event]);
	pmk_csv_number(c, true, base_of(d, row, event));
	pmk_csv_number(c, true, new_of(d, row, event));
	pmk_csv_text(c, *delta == '+' ? delta + 1 : delta);
	pmk_csv_text(c, share);
	pmk_csv_text(c, diff_status(r));
	pmk_csv_text(c, r->name);
	pmk_csv_text(c, r->file);
	pmk_csv_number(c, r->kind == DIFF_LINE, line_of(r));
	pmk_csv_end(c);
}

static json_object *json_line(const struct diff_row *r, enum diff_side side)
{
	return r->kind == DIFF_LINE && r->there[side] ? json_object_new_int64(r->line[side]) : NULL;
}

static json_object *json_row(const struct diff *d, size_t row, size_t event)
{
	const struct diff_row *r = &d->row[row];
	json_object *o = json_object_new_object();
	int64_t delta = (int64_t)(new_of(d, row, event) - base_of(d, row, event));
	double value;
	char text[48];

	pmk_json_text(o, "kind", diff_kind_names[r->kind]);
	pmk_json_text(o, "event", d->event[event]);
	pmk_json_count(o, "base", base_of(d, row, event));
	pmk_json_count(o, "new", new_of(d, row, event));
	pmk_json_add(o, "delta", json_object_new_int64(delta));
	if (percent(d, row, event, &value)) {
		snprintf(text, sizeof(text), "%.2f", value);
		pmk_json_add(o, "percent", json_object_new_double_s(value, text));
	} else {
		pmk_json_add(o, "percent", NULL);
	}
	pmk_json_text(o, "status", diff_status(r));
	pmk_json_text(o, "name", r->name);
	pmk_json_text(o, "base-name", r->was ? r->was : r->name);
	pmk_json_text(o, "file", r->file);
	pmk_json_add(o, "line", json_line(r, DIFF_NEW));
	pmk_json_add(o, "base-line", json_line(r, DIFF_BASE));
	pmk_json_add(o, "over", json_object_new_boolean(diff_exceeded(d, row, event) != NULL));
	return o;
}

static void json_fact(json_object *o, const char *key, const char *text)
{
	pmk_json_text(o, key, *text ? text : NULL);
}

static json_object *json_side(const struct diff *d, enum diff_side side)
{
	json_object *o = json_object_new_object();

	pmk_json_text(o, "file", d->path[side]);
	pmk_json_text(o, "command", d->command[side]);
	pmk_json_text(o, "core", d->core[side]);
	json_fact(o, "checked", d->checked[side]);
	json_fact(o, "warning", d->warning[side]);
	json_fact(o, "note", d->note[side]);
	return o;
}

static json_object *json_limits(const struct diff *d)
{
	json_object *all = json_object_new_array();

	for (size_t i = 0; i < d->nlimits; i++) {
		const struct diff_limit *limit = &d->limit[i];
		json_object *o = json_object_new_object();

		pmk_json_text(o, "event", limit->event_name);
		pmk_json_text(o, "name", limit->place);
		pmk_json_text(o, "limit", limit->text);
		json_object_array_add(all, o);
	}
	return all;
}

static void json_head(const struct diff *d, FILE *f)
{
	json_object *o = pmk_json_document("pmk-diff");

	pmk_json_add(o, "base", json_side(d, DIFF_BASE));
	pmk_json_add(o, "new", json_side(d, DIFF_NEW));
	json_fact(o, "checked", diff_checked(d));
	pmk_json_add(o, "limits", json_limits(d));
	pmk_json_add(o, "min", d->has_min ? json_object_new_uint64(d->min) : NULL);
	fputc('{', f);
	pmk_json_put_members(f, o);
	fputs(",\n\"rows\":[", f);
}

static void machine(struct diff_table *t, const struct diff_format *format, FILE *f)
{
	const struct diff *d = t->d;
	struct pmk_csv c = { .f = f, .separator = format->separator };
	bool json = format->form == DIFF_JSON;
	unsigned n = 0;

	if (json)
		json_head(d, f);
	for (enum diff_kind kind = DIFF_TOTAL; kind < DIFF_KINDS; kind++)
		for (size_t event = 0; event < d->nevents; event++) {
			diff_table_fill(t, kind, event, DIFF_FOR_MACHINES);
			for (size_t i = 0; i < t->n; i++)
				if (json)
					pmk_json_put_object(f, &n, json_row(d, t->row[i], event));
				else
					csv_row(d, t->row[i], event, &c);
		}
	if (json)
		fputs("\n]}\n", f);
	else
		diff_write_notes(d, format, f);
}

int diff_write(const struct diff *d, const struct diff_format *format, FILE *f)
{
	struct diff_table t = { .d = d, .row = malloc((d->nrows + 1) * sizeof(*t.row)) };
	int err = t.row ? 0 : -1;

	if (!err && (format->form == DIFF_TEXT || format->form == DIFF_MARKDOWN))
		err = write_for_people(&t, format, f);
	else if (!err)
		machine(&t, format, f);
	free(t.row);
	return err ? cli_no_memory() : 0;
}
