// SPDX-License-Identifier: MIT
/* Writes the report of a recording: see report_rows.h. */
#include "cli/report_rows.h"

#include <stdlib.h>
#include <string.h>

#include <json.h>

#include "base/number.h"
#include "base/print.h"
#include "base/printable.h"
#include "result/internal.h"
#include "result/jsonio.h"
#include "result/table.h"

#define NONE PMK_TABLES_NONE

/* ---- text ----------------------------------------------------------------------------------- */

#define NAME_ROOM 20

struct layout {
	struct recorded_column
		*column;   /* columns of children, if wanted; of events; of executions */
	size_t n, nevents; /* number of columns; number of events that have one */
	unsigned width;	   /* total width of the columns */
};

static void add_column(struct layout *t, struct recorded_column c)
{
	t->width += c.width + 2;
	t->column[t->n++] = c;
}

/* Returns the width of names. On a terminal it is NAME_ROOM, and longer names are cut. Otherwise it
 * is the width of the longest name that needs at most `most` columns. A longer name would not fit
 * next to even one event, so it does not widen the table. */
static unsigned name_room(const struct report *r, unsigned most)
{
	unsigned room = NAME_ROOM;

	for (size_t i = 0; i < r->nrows && !r->r.terminal; i++) {
		char *name = report_row_name(r, &r->row[i]),
		     *text = pmk_printable(name ? name : "");
		size_t n = text ? pmk_printable_columns(text, strlen(text)) : 0;

		if (n > room && n <= most)
			room = (unsigned)n;
		free(text);
		free(name);
	}
	return room;
}

/* Choose the columns: as many events as there is room for. */
static bool lay_out(const struct report *r, struct layout *t)
{
	struct recorded_column last, c;
	bool executions = r->executions == r->n && !r->r.t.sampled;
	unsigned others, names = NAME_ROOM;

	last = recorded_column(&r->r, PMK_TABLES_EXECUTIONS, NULL, r->sum[r->executions], false);
	others = executions ? last.width + 2 : 0;
	t->column = calloc(r->n + 2, sizeof(*t->column));
	if (!t->column)
		return false;
	if (r->children)
		add_column(t,
			   recorded_column(&r->r, r->r.c.event[0], "inclusive", r->sum[0], true));
	for (size_t i = 0; i < r->n; i++) {
		c = recorded_column(&r->r, r->r.c.event[i], NULL, r->sum[i], true);
		if (i && t->width + c.width + 2 + others + names > r->r.width)
			break;
		add_column(t, c);
		if (!i && t->width + others < r->r.width)
			names = name_room(r, r->r.width - t->width - others);
		t->nevents++;
	}
	if (executions)
		add_column(t, last);
	return true;
}

/* Print a name. On a terminal, a long name is cut, so that each row is one line. Files have the
 * whole name. */
static void put_name(const struct report *r, const struct layout *t, const char *name)
{
	unsigned room = t->width + NAME_ROOM > r->r.width ? NAME_ROOM : r->r.width - t->width;
	char *text = pmk_name_cut(name, r->r.terminal ? room : SIZE_MAX);

	fprintf(r->f, "%s\n", text ? text : "");
	free(text);
}

static void put_line(const struct report *r, const struct layout *t, const uint64_t *children,
		     const uint64_t *self, const char *name)
{
	size_t at = 0;

	if (r->children)
		recorded_put_cell(&r->r, r->f, &t->column[at++], children[0], r->sum[0]);
	for (size_t i = 0; i < t->nevents; i++)
		recorded_put_cell(&r->r, r->f, &t->column[at++], self[i], r->sum[i]);
	if (at < t->n)
		recorded_put_cell(&r->r, r->f, &t->column[at], self[r->executions], 0);
	put_name(r, t, name);
}

static void put_without_value(void *report, const char *name, const char *trust, const char *reason)
{
	const struct report *r = report;

	recorded_note(&r->r, r->f, "%s: <%s>%s%s", name, trust, reason ? " " : "", reason);
}

static void put_notes(const struct report *r, const struct layout *t)
{
	if (r->nhidden)
		fprintf(r->f, " %zu more, each below %g %% of %s.\n", r->nhidden, r->limit,
			report_event(r, 0));
	recorded_no_room(&r->r, r->f, t->nevents, "Choose events with -e; -x and -j print all.");
	if (!r->r.by_name)
		recorded_without_value(&r->r, put_without_value, (void *)r);
}

static bool write_text(const struct report *r)
{
	struct layout t = { 0 };
	char *name;

	if (!lay_out(r, &t))
		return false;
	if (!r->quiet)
		recorded_head(&r->r, r->f);
	if (r->view != FLAT)
		pmk_print(r->f,
			  " %ss of %s, by the counts of this function and everything that "
			  "it called\n\n",
			  report_kind(r), r->symbol);
	recorded_put_heads(r->f, "", t.column, t.n, report_kind(r));
	fputc('\n', r->f);
	for (size_t i = 0; i < r->nrows; i++) {
		const struct report_row *row = &r->row[i];

		name = report_row_name(r, row);
		put_line(r, &t, row->children, row->self, name ? name : "?");
		free(name);
	}
	fputc('\n', r->f);
	put_line(r, &t, r->sum, r->sum, "total");
	fputc('\n', r->f);
	if (!r->quiet)
		put_notes(r, &t);
	free(t.column);
	return true;
}

/* ---- Markdown ------------------------------------------------------------------------------- */

#define MARKDOWN_ROWS	20
#define MARKDOWN_EVENTS 4

/* Write a count and its share, for each event of the table. */
static void markdown_cells(const struct report *r, const uint64_t *value, size_t nevents)
{
	char text[PMK_NUMBER_SIZE];

	for (size_t i = 0; i < nevents; i++) {
		pmk_number_text(text, value[i], 0, !r->r.plain_numbers);
		fprintf(r->f, " %s | %.1f%% |", text, recorded_share(value[i], r->sum[i]));
	}
	fputc('\n', r->f);
}

/* Write a paragraph for each line of the text. */
static void markdown_lines(const struct report *r, const char *title, const char *text)
{
	for (char *line; (line = pmk_print_line(&text)); free(line)) {
		fprintf(r->f, "\n\n%s: ", title);
		pmk_name_write_markdown(r->f, line, SIZE_MAX);
	}
}

static void markdown_head(const struct report *r, size_t nevents)
{
	fputs("### ", r->f);
	pmk_name_write_markdown(r->f, r->r.t.command, SIZE_MAX);
	if (*r->r.t.core)
		fprintf(r->f, "\n\nCore %s.", r->r.t.core);
	markdown_lines(r, "Cycles", r->r.t.checked);
	markdown_lines(r, "Warning", r->r.t.warning);
	markdown_lines(r, "Note", r->r.t.note);
	fprintf(r->f, "\n\n| %s |", report_kind(r));
	for (size_t i = 0; i < nevents; i++)
		fprintf(r->f, " %s%s | %% |", report_event(r, i), r->children ? ", inclusive" : "");
	fputs("\n|---|", r->f);
	for (size_t i = 0; i < nevents; i++)
		fputs("--:|--:|", r->f);
	fputs("\n| total |", r->f);
	markdown_cells(r, r->sum, nevents);
}

static bool write_markdown(const struct report *r)
{
	size_t nevents = r->n < MARKDOWN_EVENTS ? r->n : MARKDOWN_EVENTS;

	markdown_head(r, nevents);
	for (size_t i = 0; i < r->nrows && i < MARKDOWN_ROWS; i++) {
		const struct report_row *row = &r->row[i];
		char *name = report_row_name(r, row);

		fputs("| ", r->f);
		pmk_name_write_markdown(r->f, name ? name : "?", NAME_MARKDOWN);
		fputs(" |", r->f);
		markdown_cells(r, r->children ? row->children : row->self, nevents);
		free(name);
	}
	if (r->nrows + r->nhidden > MARKDOWN_ROWS || r->nhidden)
		fprintf(r->f, "\n%zu more rows; -j and -x write all rows.\n",
			r->nhidden + (r->nrows > MARKDOWN_ROWS ? r->nrows - MARKDOWN_ROWS : 0));
	return true;
}

/* ---- CSV ------------------------------------------------------------------------------------ */

static const char *object_of(const struct report *r, const struct report_row *row)
{
	return row->object == NONE ? NULL : r->r.t.object[row->object].path;
}

static const char *file_of(const struct report *r, const struct report_row *row)
{
	return row->file == NONE ? NULL : r->r.t.file[row->file].path;
}

/* Write a comment for each line of the text. */
static void csv_comments(const struct report *r, const char *kind, const char *text)
{
	for (char *line; (line = pmk_print_line(&text)); free(line))
		pmk_print(r->f, "# %s: %s\n", kind, line);
}

static bool write_csv(const struct report *r)
{
	struct pmk_csv c = { .f = r->f, .separator = r->o->separator };
	char *name;

	fprintf(r->f, "name%sobject%sfile%sline%sexecutions", c.separator, c.separator, c.separator,
		c.separator);
	for (size_t i = 0; i < r->n; i++)
		fprintf(r->f, "%s%s", c.separator, report_event(r, i));
	for (size_t i = 0; r->children && i < r->n; i++)
		fprintf(r->f, "%s%s:children", c.separator, report_event(r, i));
	pmk_csv_end(&c);
	for (size_t i = 0; i < r->nrows; i++) {
		const struct report_row *row = &r->row[i];

		name = report_row_name(r, row);
		pmk_csv_text(&c, name);
		free(name);
		pmk_csv_text(&c, object_of(r, row));
		pmk_csv_text(&c, file_of(r, row));
		pmk_csv_number(&c, row->line, row->line);
		pmk_csv_number(&c, !r->r.t.sampled, row->self[r->executions]);
		for (size_t e = 0; e < r->n; e++)
			pmk_csv_number(&c, true, row->self[e]);
		for (size_t e = 0; r->children && e < r->n; e++)
			pmk_csv_number(&c, true, row->children[e]);
		pmk_csv_end(&c);
	}
	csv_comments(r, "cycles", r->r.t.checked);
	csv_comments(r, "warning", r->r.t.warning);
	csv_comments(r, "note", r->r.t.note);
	return true;
}

/* ---- JSON ----------------------------------------------------------------------------------- */

static json_object *json_counts(const struct report *r, const uint64_t *value)
{
	json_object *o = json_object_new_object();

	for (size_t i = 0; i < r->n; i++)
		pmk_json_count(o, report_event(r, i), value[i]);
	return o;
}

/* Returns the executions; null for samples, because their executions are not known. */
static json_object *json_executions(const struct report *r, const uint64_t *value)
{
	return r->r.t.sampled ? NULL : json_object_new_uint64(value[r->executions]);
}

static json_object *json_row(const struct report *r, const struct report_row *row)
{
	json_object *o = json_object_new_object();
	char *name = report_row_name(r, row);

	pmk_json_text(o, "name", name);
	pmk_json_text(o, "object", object_of(r, row));
	pmk_json_text(o, "file", file_of(r, row));
	pmk_json_add(o, "line", row->line ? json_object_new_int64(row->line) : NULL);
	pmk_json_add(o, "executions", json_executions(r, row->self));
	pmk_json_add(o, "events", json_counts(r, row->self));
	if (r->children)
		pmk_json_add(o, "children", json_counts(r, row->children));
	free(name);
	return o;
}

static void add_without_value(void *events, const char *name, const char *trust, const char *reason)
{
	json_object *o = json_object_new_object();

	pmk_json_text(o, "name", name);
	pmk_json_add(o, "total", NULL);
	pmk_json_text(o, "trust", trust);
	pmk_json_text(o, "reason", reason);
	json_object_array_add(events, o);
}

static json_object *json_events(const struct report *r)
{
	json_object *list = json_object_new_array();
	char trust[24];

	for (size_t i = 0; i < r->n; i++) {
		json_object *o = json_object_new_object();

		pmk_json_text(o, "name", report_event(r, i));
		pmk_json_count(o, "total", r->sum[i]);
		pmk_json_text(o, "trust", recorded_trust(&r->r, r->r.c.event[i], trust));
		pmk_json_add(o, "reason", NULL);
		json_object_array_add(list, o);
	}
	if (!r->r.by_name)
		recorded_without_value(&r->r, add_without_value, list);
	return list;
}

static bool write_json(const struct report *r)
{
	static const char *const facts[] = { "command", "core",	   "producer", "settings",
					     "checked", "warning", "note" };
	json_object *doc = pmk_json_document("pmk-report"), *rows = json_object_new_array();

	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++) {
		char *text = recorded_fact(&r->r, facts[i]);

		pmk_json_text(doc, facts[i], text);
		free(text);
	}
	pmk_json_text(doc, "sort", report_kind(r));
	pmk_json_add(doc, "executions", json_executions(r, r->sum));
	pmk_json_add(doc, "events", json_events(r));
	for (size_t i = 0; i < r->nrows; i++)
		json_object_array_add(rows, json_row(r, &r->row[i]));
	pmk_json_add(doc, "rows", rows);
	pmk_json_put_document(r->f, doc);
	json_object_put(doc);
	return true;
}

bool report_write(const struct report *r)
{
	return r->o->json	 ? write_json(r)
	       : r->o->separator ? write_csv(r)
	       : r->markdown	 ? write_markdown(r)
				 : write_text(r);
}
