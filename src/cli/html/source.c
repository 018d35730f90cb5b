// SPDX-License-Identifier: MIT
/*
 * Where in the code: the lines of source files that can be read, each with the counts of all its
 * instructions, wherever the compiler has put them; and the instructions of functions whose source
 * cannot be read. The hottest of both come first, as far as there is room. The script lists the
 * hottest rows, and shows the instructions of a hot line, which the row of this line has as data.
 *
 * Each listing is inside <noscript>. A browser that runs the script therefore reads a listing as
 * text, which is fast, and the script makes the table when the listing is opened.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdlib.h>

#include "cli/html/tree.h"
#include "base/map.h"

#define NONE	PMK_TABLES_NONE
#define ROOM	6000 /* rows of all listings */
#define ENOUGH	400  /* rows of a listing if not everything fits */
#define LINES	2000 /* lines of a source file */
#define AROUND	2    /* lines shown before and after a line that has code */
#define COLUMNS 4    /* events that have a column */

/* A row of a listing: a line that has code, or an instruction. */
struct row {
	uint32_t file; /* NONE: an instruction */
	uint32_t code; /* the instruction */
	uint64_t at;   /* number of the line, or address */
	/* For a line: the executions of its instruction that was executed most often. */
	uint64_t executions;
	uint64_t *value; /* [event] */
	size_t line;	 /* for an instruction, the index of its line in `row`, or SIZE_MAX */
	/* For a line, the position and number of its instructions in by_line. */
	size_t first, n;
};

/* A source file, or a function without source; or, if both are NONE, all other code of an
 * object. */
struct place {
	uint32_t file, function, object;
	uint64_t value;	    /* the count of event 0 */
	size_t rows;	    /* number of rows in the listing */
	size_t first, last; /* in `row` */
	uint64_t least;	    /* the least count of event 0 in rows that are shown */
	size_t number;	    /* number of its listing, from 1; 0: there was no room */
};

struct html_source {
	struct row *row; /* lines by file and number, then all instructions by address */
	size_t nlines;
	uint32_t *by_line;   /* instructions that have a line, sorted by line and address */
	uint64_t *values;    /* counts of the lines */
	struct place *place; /* places, with the hottest first */
	size_t nplaces, left_out;
	size_t room;   /* rows that are left for instructions of lines */
	uint64_t most; /* the greatest count of event 0 in a row */
	size_t column[COLUMNS], ncolumns;
};

/* ---- lines ---------------------------------------------------------------------------------- */

static bool has_text(const struct html_page *p, uint32_t code)
{
	const struct pmk_tables_code *k = &p->r->t.code[code];

	return k->file != NONE && k->line && k->line <= p->listing.source[k->file].nlines;
}

static int by_line(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	return (x->at > y->at) - (x->at < y->at);
}

/* Make a row for each source line that has code and text. */
static bool find_lines(struct html_page *p)
{
	const struct pmk_tables *t = &p->r->t;
	struct html_source *s = p->source;
	struct pmk_map map = { 0 };
	bool done = true;

	s->row = calloc(2 * t->ncodes + 1, sizeof(*s->row));
	if (!s->row)
		return false;
	for (uint32_t i = 0; done && i < t->ncodes; i++) {
		uint64_t key = (uint64_t)t->code[i].file << 32 | t->code[i].line;
		uint32_t at;

		if (!has_text(p, i))
			continue;
		at = pmk_map_put(&map, key, (uint32_t)s->nlines);
		done = at != UINT32_MAX;
		if (at == s->nlines)
			s->row[s->nlines++] =
				(struct row){ .file = t->code[i].file, .at = t->code[i].line };
	}
	pmk_map_free(&map);
	qsort(s->row, s->nlines, sizeof(*s->row), by_line);
	s->values = calloc(s->nlines * p->n + 1, sizeof(*s->values));
	for (size_t i = 0; s->values && i < s->nlines; i++)
		s->row[i].value = &s->values[i * p->n];
	return done && s->values;
}

/* Make a row for each instruction, and add it to its line. */
static void add_up(struct html_page *p)
{
	const struct pmk_tables *t = &p->r->t;
	struct html_source *s = p->source;

	for (size_t i = 0; i < t->ncodes; i++) {
		const struct pmk_tables_code *k = t->by_address[i];
		uint32_t code = (uint32_t)(k - t->code);
		struct row key = { .file = k->file, .at = k->line }, *l = NULL;
		struct row *insn = &s->row[s->nlines + i];

		*insn = (struct row){ NONE,
				      code,
				      k->address,
				      p->listing.executions[code],
				      &p->listing.value[code * p->n],
				      .line = SIZE_MAX };
		if (has_text(p, code))
			l = bsearch(&key, s->row, s->nlines, sizeof(*s->row), by_line);
		if (l) {
			insn->line = (size_t)(l - s->row);
			l->n++;
		}
		for (size_t e = 0; l && e < p->n; e++)
			l->value[e] += insn->value[e];
		if (l && insn->executions > l->executions)
			l->executions = insn->executions;
		l = l ? l : insn;
		if (l->value[0] > s->most)
			s->most = l->value[0];
	}
}

static bool sort_by_line(struct html_page *p)
{
	struct html_source *s = p->source;
	size_t n = 0;

	s->by_line = malloc((p->r->t.ncodes + 1) * sizeof(*s->by_line));
	if (!s->by_line)
		return false;
	for (size_t i = 0; i < s->nlines; i++) {
		s->row[i].first = n;
		n += s->row[i].n;
		s->row[i].n = 0;
	}
	for (size_t i = s->nlines; i < s->nlines + p->r->t.ncodes; i++)
		if (s->row[i].line != SIZE_MAX) {
			struct row *l = &s->row[s->row[i].line];

			s->by_line[l->first + l->n++] = s->row[i].code;
		}
	return true;
}

/* ---- places --------------------------------------------------------------------------------- */

/* Returns the number of rows that the lines in row[first] to row[last - 1] need, with the lines
 * around them and the marks of gaps. */
static size_t rows_of(const struct html_source *s, size_t first, size_t last)
{
	size_t rows = 0, until = 0;

	for (size_t i = first; i < last; i++) {
		size_t line = s->row[i].at, from = line > AROUND ? line - AROUND : 1;

		rows += from > until + 1 && until;
		rows += line + AROUND - (from > until ? from - 1 : until);
		until = line + AROUND;
	}
	return rows;
}

static void find_files(struct html_page *p)
{
	struct html_source *s = p->source;

	for (size_t i = 0; i < s->nlines;) {
		struct place *at = &s->place[s->nplaces++];

		*at = (struct place){ s->row[i].file, NONE, NONE, .first = i };
		for (; i < s->nlines && s->row[i].file == at->file; i++)
			at->value += s->row[i].value[0];
		at->last = i;
		at->rows = rows_of(s, at->first, at->last);
	}
}

/* Add a place for each sequence of consecutive instructions of one function, if most of them have
 * no source text. */
static void find_functions(struct html_page *p)
{
	const struct pmk_tables *t = &p->r->t;
	struct html_source *s = p->source;

	for (size_t i = 0; i < t->ncodes;) {
		const struct pmk_tables_code *k = t->by_address[i];
		struct place at = { NONE, k->function, k->object, .first = s->nlines + i };
		size_t with_text = 0;

		for (; i < t->ncodes && t->by_address[i]->function == k->function &&
		       t->by_address[i]->object == k->object;
		     i++) {
			const struct row *row = &s->row[s->nlines + i];

			at.value += row->value[0];
			with_text += has_text(p, row->code);
		}
		at.last = s->nlines + i;
		at.rows = at.last - at.first;
		if (2 * with_text < at.rows)
			s->place[s->nplaces++] = at;
	}
}

static int by_value(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->value != y->value)
		return x->value > y->value ? -1 : 1;
	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	return (x->first > y->first) - (x->first < y->first);
}

static int compare_downwards(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x < *y) - (*x > *y);
}

/* Show only the hottest rows of a place. */
static bool shorten_place(const struct html_page *p, struct place *at, size_t rows)
{
	size_t n = at->last - at->first;
	uint64_t *value = malloc((n + 1) * sizeof(*value));

	for (size_t i = 0; value && i < n; i++)
		value[i] = p->source->row[at->first + i].value[0];
	if (value) {
		qsort(value, n, sizeof(*value), compare_downwards);
		/* Choose half as many lines as there is room for, because a gap may follow each
		 * line. */
		at->least = value[n <= rows / 2 ? n - 1 : rows / 2] + 1;
		at->rows = rows;
	}
	free(value);
	return at->least != 0;
}

/* Number the places that there is room for. */
static bool choose_places(const struct html_page *p)
{
	struct html_source *s = p->source;
	size_t room = ROOM, all = 0, n = 0;

	qsort(s->place, s->nplaces, sizeof(*s->place), by_value);
	for (size_t i = 0; i < s->nplaces; i++)
		all += s->place[i].rows;
	for (size_t i = 0; i < s->nplaces; i++) {
		struct place *at = &s->place[i];
		size_t enough = at->file != NONE ? LINES : ENOUGH;

		if (all > ROOM && at->rows > enough && room >= enough &&
		    !shorten_place(p, at, enough))
			return false;
		if (at->rows > room) {
			s->left_out++;
			continue;
		}
		room -= at->rows;
		at->number = ++n;
	}
	return true;
}

/* The anchor of a function is its first line or instruction. If a listing may lack that row, the
 * anchor is the listing. */
static void anchor_function(const struct html_page *p, const struct place *at)
{
	const struct pmk_tables *t = &p->r->t;

	if (at->function != NONE && at->number)
		p->anchor[t->function[at->function].same] =
			(struct html_anchor){ at->number,
					      at->least ? 0 : p->source->row[at->first].at };
}

static void anchor_line(const struct html_page *p, uint32_t code,
			const struct place *const *of_file)
{
	const struct pmk_tables *t = &p->r->t;
	const struct pmk_tables_code *k = &t->code[code];
	uint32_t same = k->function == NONE ? NONE : t->function[k->function].same;
	struct html_anchor *to = &p->anchor[same == NONE ? 0 : same];
	const struct place *at = has_text(p, code) ? of_file[k->file] : NULL;

	if (same == NONE || k->inlined != NONE || !at || !at->number ||
	    (t->function[same].file != NONE && t->function[same].file != k->file))
		return;
	if (!to->place)
		*to = (struct html_anchor){ at->number, at->least ? 0 : k->line };
	else if (to->place == at->number && k->line < to->line)
		to->line = k->line;
}

static bool anchor_places(struct html_page *p)
{
	const struct pmk_tables *t = &p->r->t;
	const struct html_source *s = p->source;
	const struct place **of_file = calloc(t->nfiles + 1, sizeof(*of_file));
	bool done;

	p->anchor = calloc(t->nfunctions + 1, sizeof(*p->anchor));
	for (size_t i = 0; of_file && p->anchor && i < s->nplaces; i++)
		if (s->place[i].file != NONE)
			of_file[s->place[i].file] = &s->place[i];
		else
			anchor_function(p, &s->place[i]);
	for (uint32_t i = 0; of_file && p->anchor && i < t->ncodes; i++)
		anchor_line(p, i, of_file);
	done = of_file && p->anchor;
	free(of_file);
	return done;
}

/* Chooses the columns: the event that is shown, and other common events that were counted. */
static void choose_columns(struct html_page *p)
{
	static const char *const wanted[] = {
		"cycles",	 "L1-dcache-load-misses", "cache-misses",
		"branch-misses", "L1-icache-load-misses", "stalled-cycles-frontend"
	};
	struct html_source *s = p->source;

	s->room = ROOM;
	s->column[s->ncolumns++] = 0;
	for (size_t w = 0; !p->r->by_name && w < sizeof(wanted) / sizeof(wanted[0]); w++)
		for (size_t e = 1; e < p->executions && s->ncolumns < COLUMNS; e++) {
			bool there = false;

			for (size_t i = 0; i < s->ncolumns; i++)
				there |= s->column[i] == e;
			if (!there && p->total[e] &&
			    pmk_tables_event_is(&p->r->t.event[p->event[e]], wanted[w]))
				s->column[s->ncolumns++] = e;
		}
	for (size_t e = 1; p->r->by_name && e < p->executions && s->ncolumns < COLUMNS; e++)
		s->column[s->ncolumns++] = e;
}

bool html_source_plan(struct html_page *p)
{
	const struct pmk_tables *t = &p->r->t;
	struct html_source *s = p->source = calloc(1, sizeof(*s));

	if (!s)
		return false;
	for (uint32_t i = 0; i < t->ncodes; i++)
		if (t->code[i].file != NONE)
			listing_read(&p->listing, t->code[i].file);
	if (!find_lines(p))
		return false;
	add_up(p);
	if (!sort_by_line(p))
		return false;
	s->place = calloc(t->nfiles + t->ncodes + 1, sizeof(*s->place));
	if (!s->place)
		return false;
	find_files(p);
	find_functions(p);
	choose_columns(p);
	return choose_places(p) && anchor_places(p);
}

void html_source_free(struct html_page *p)
{
	if (!p->source)
		return;
	free(p->source->row);
	free(p->source->values);
	free(p->source->by_line);
	free(p->source->place);
	free(p->source);
}

/* ---- rows ----------------------------------------------------------------------------------- */

static void put_heads(const struct html_page *p, bool lines)
{
	const struct html_source *s = p->source;

	html_table_begin(p->f, "class=\"code\"");
	html_headings(p->f, "#{colspan=\"2\"}<span class=\"event\">%s</span>", html_event(p, 0));
	for (size_t i = 1; i < s->ncolumns; i++)
		html_headings(p->f, "{class=\"n x\"}%s", html_event(p, s->column[i]));
	if (!p->r->t.sampled)
		html_headings(p->f, "{class=\"n x\"}executions");
	html_headings(p->f, lines ? "#line|source" : "#address|instruction");
	html_table_body(p->f);
}

/* Returns the address that the instruction jumps to, if its listing has that row, or 0. */
static uint64_t jump_inside(const struct html_page *p, const struct place *at, uint32_t code)
{
	const struct pmk_tables *t = &p->r->t;
	const struct row *row = p->source->row;
	uint64_t target = t->code[code].jump ? t->code[code].target : 0;
	uint32_t to = NONE;

	if (target >= row[at->first].at && target <= row[at->last - 1].at)
		to = pmk_tables_code_at(t, at->object, target);
	return to != NONE && listing_value(&p->listing, to, 0) >= at->least ? target : 0;
}

/* Writes an instruction. The script draws an arrow for a jump inside the listing. */
static void put_insn(const struct html_page *p, const struct place *at, uint32_t code)
{
	char text[200], *target = listing_target(&p->listing, code);
	uint64_t inside = jump_inside(p, at, code);

	listing_insn(&p->listing, code, text, sizeof(text));
	html_print(p->f, "%s", text);
	if (inside)
		fprintf(p->f, " <a class=\"jump\" href=\"#s%zu-%" PRIx64 "\">%s</a>", at->number,
			inside, inside > p->r->t.code[code].address ? "\u2193" : "\u2191");
	if (target)
		html_print(p->f, " <i>\u2192 %.60s</i>", target);
	free(target);
}

/* Write a line for each instruction: address, counts and text, with tabs between. */
static void put_insns_of_line(const struct html_page *p, const struct row *row)
{
	fputs(" data-code=\"", p->f);
	for (size_t i = row->first; i < row->first + row->n; i++) {
		uint32_t code = p->source->by_line[i];
		char text[200], *target = listing_target(&p->listing, code);

		fprintf(p->f, "%s%" PRIx64 "\t", i > row->first ? "\n" : "",
			p->r->t.code[code].address);
		html_counts(p->f, &p->listing.value[code * p->n], p->n);
		listing_insn(&p->listing, code, text, sizeof(text));
		html_print(p->f, target ? "\t%s \u2192 %.60s" : "\t%s", text, target);
		free(target);
	}
	fputc('"', p->f);
}

/* Writes a row, which is shaded by its share of event 0. */
static void put_row(const struct html_page *p, const struct place *at, const struct row *row)
{
	struct html_source *s = p->source;
	bool hot = html_percent(row->value[0], p->total[0]) >= 0.05;

	fprintf(p->f, "<tr id=\"s%zu-%" PRIx64 "\"", at->number, row->at);
	html_values(p->f, row->value, p->n);
	if (hot && row->n && row->n <= s->room) {
		put_insns_of_line(p, row);
		s->room -= row->n;
	}
	fprintf(p->f, " style=\"--h:%.3f\">", html_percent(row->value[0], s->most) / 100);
	html_cell(p->f, " v", row->value[0], row->value[0]);
	fputs("<td class=\"n p\">", p->f);
	if (hot)
		html_share(p->f, row->value[0], p->total[0]);
	fputs("</td>", p->f);
	for (size_t i = 1; i < s->ncolumns; i++)
		html_cell(p->f, " x", row->value[s->column[i]], row->value[s->column[i]]);
	if (!p->r->t.sampled)
		html_cell(p->f, " x", row->executions, row->executions);
	if (row->file != NONE) {
		html_cells(p->f, "{class=\"n at\"}%" PRIu64, row->at);
		fputs("<td class=\"text\">", p->f);
		html_lines(p->f, listing_line(&p->listing, row->file, (uint32_t)row->at), "\t");
	} else {
		html_cells(p->f, "{class=\"n at\"}%" PRIx64, row->at);
		fputs("<td class=\"text\">", p->f);
		put_insn(p, at, row->code);
	}
	fputs("</td></tr>\n", p->f);
}

static void put_blank(const struct html_page *p, const char *class)
{
	const size_t more = p->source->ncolumns - p->r->t.sampled;

	/* Narrow windows hide the columns of other events and of executions. */
	fprintf(p->f, "<tr class=\"%s\"><td colspan=\"2\"></td>", class);
	if (more)
		fprintf(p->f, "<td class=\"x\" colspan=\"%zu\"></td>", more);
}

/* Write lines without code, from `from` up to the line before `to`. */
static void put_around(const struct html_page *p, uint32_t file, uint32_t from, uint32_t to)
{
	for (uint32_t line = from; line < to; line++) {
		const char *text = listing_line(&p->listing, file, line);

		if (!text)
			return;
		put_blank(p, "cold");
		fprintf(p->f, "<td class=\"n at\">%" PRIu32 "</td><td class=\"text\">", line);
		html_lines(p->f, text, "\t");
		fputs("</td></tr>\n", p->f);
	}
}

static void put_gap(const struct html_page *p, uint64_t n, const char *what)
{
	put_blank(p, "gap");
	fprintf(p->f, "<td class=\"n at\">\u22ee</td><td>%" PRIu64 " %s</td></tr>\n", n, what);
}

static void put_lines(const struct html_page *p, const struct place *at)
{
	const struct html_source *s = p->source;
	const uint32_t around = at->least ? 0 : AROUND;
	uint32_t next = 0; /* the line after the last one that was written */

	put_heads(p, true);
	for (size_t i = at->first; i < at->last; i++) {
		const uint32_t line = (uint32_t)s->row[i].at;
		uint32_t from = line > around ? line - around : 1;

		if (s->row[i].value[0] < at->least)
			continue;
		if (next) {
			/* Show up to `around` lines after the previous row, but only lines before
			 * this row. */
			uint32_t behind = next + around < line ? next + around : line;

			put_around(p, at->file, next, behind);
			if (from > behind)
				put_gap(p, from - behind,
					at->least ? "lines that count less"
						  : "lines without code that ran");
			else
				from = behind;
		}
		put_around(p, at->file, from, line);
		put_row(p, at, &s->row[i]);
		next = line + 1;
	}
	put_around(p, at->file, next, next + around);
	html_table_end(p->f);
}

/* Write the position, "work.c:12", if it differs from the position of the instruction before. */
static void put_position(const struct html_page *p, const struct pmk_tables_code *k,
			 const struct pmk_tables_code *before)
{
	const struct pmk_tables *t = &p->r->t;

	if (k->file == NONE || (before && before->file == k->file && before->line == k->line))
		return;
	put_blank(p, "gap");
	html_print(p->f, "<td></td><td>%.60s:%" PRIu32 "</td></tr>\n",
		   html_base_name(t->file[k->file].path), k->line);
}

static void put_insns(const struct html_page *p, const struct place *at)
{
	const struct pmk_tables *t = &p->r->t;
	const struct pmk_tables_code *before = NULL;
	size_t skipped = 0;

	put_heads(p, false);
	for (size_t i = at->first; i < at->last; i++) {
		const struct row *row = &p->source->row[i];
		const struct pmk_tables_code *k = &t->code[row->code];

		if (row->value[0] < at->least) {
			skipped++;
			continue;
		}
		if (skipped)
			put_gap(p, skipped, "instructions that count less");
		else if (before && k->address > before->address + before->size)
			put_gap(p, k->address - before->address - before->size,
				t->sampled ? "bytes that were not sampled"
					   : "bytes that were not executed");
		put_position(p, k, before);
		put_row(p, at, row);
		before = k;
		skipped = 0;
	}
	if (skipped)
		put_gap(p, skipped, "instructions that count less");
	html_table_end(p->f);
}

/* ---- listings ------------------------------------------------------------------------------- */

static void put_summary(const struct html_page *p, const struct place *at)
{
	const struct pmk_tables *t = &p->r->t;
	const char *name, *of = NULL;
	char unnamed[300], range[80];

	if (at->file != NONE) {
		name = t->file[at->file].path;
	} else if (at->function != NONE) {
		name = t->function[at->function].name;
		of = t->object[at->object].path;
	} else {
		pmk_tables_unnamed(t, at->object, unnamed, sizeof(unnamed));
		name = unnamed;
		snprintf(range, sizeof(range), "code without a symbol, %" PRIx64 " to %" PRIx64,
			 p->source->row[at->first].at, p->source->row[at->last - 1].at);
		of = range;
	}
	html_print(p->f, "<summary><span class=\"n\">%.1f%%</span> <b title=\"%s\">%.90s</b>",
		   html_percent(at->value, p->total[0]), name, name);
	if (of)
		html_print(p->f, " <small>%.90s</small>", of);
	fputs("</summary>\n", p->f);
}

/* Writes the sums of a place, whether all of its rows are listed or not. */
static void put_sums(const struct html_page *p, const struct place *at)
{
	uint64_t *sum = calloc(p->n, sizeof(*sum));

	for (size_t i = at->first; sum && i < at->last; i++)
		for (size_t e = 0; e < p->n; e++)
			sum[e] += p->source->row[i].value[e];
	if (sum)
		html_values(p->f, sum, p->n);
	free(sum);
}

static void put_place(const struct html_page *p, const struct place *at, bool open)
{
	const char *note = at->file == NONE ? NULL : p->listing.source[at->file].note;

	fprintf(p->f, "<details class=\"place\" id=\"s%zu\"%s%s", at->number,
		at->file == NONE ? "" : " data-lines", open ? " open" : "");
	put_sums(p, at);
	fputc('>', p->f);
	put_summary(p, at);
	if (note)
		html_print(p->f, "<p class=\"note\">This file %s</p>\n", note);
	if (at->least)
		html_print(p->f, "<p class=\"note\">Only what has at least %ju %s is listed.</p>\n",
			   at->least, html_event(p, 0));
	fputs("<noscript>", p->f);
	if (at->file == NONE)
		put_insns(p, at);
	else
		put_lines(p, at);
	fputs("</noscript></details>\n", p->f);
}

/* Lists the files that the line table names and that cannot be read. */
static void put_unreadable(const struct html_page *p)
{
	const struct pmk_tables *t = &p->r->t;
	size_t n = 0;

	for (size_t i = 0; i < t->nfiles; i++)
		n += p->listing.source[i].tried && !p->listing.source[i].nlines;
	if (!n)
		return;
	fprintf(p->f,
		"<details class=\"note\"><summary>%zu source file%s cannot be read: their "
		"functions are listed by instructions</summary><ul>",
		n, n > 1 ? "s" : "");
	for (size_t i = 0; i < t->nfiles; i++)
		if (p->listing.source[i].tried && !p->listing.source[i].nlines)
			html_print(p->f, "<li>%s</li>", t->file[i].path);
	fputs("</ul></details>\n", p->f);
}

bool html_source(struct html_page *p)
{
	const struct html_source *s = p->source;
	bool source_open = false;

	fputs("<section id=\"source\">\n", p->f);
	html_title(p, "Source and instructions");
	for (size_t i = 0; i < s->nplaces; i++) {
		bool first = !source_open && s->place[i].file != NONE;

		if (!s->place[i].number)
			continue;
		put_place(p, &s->place[i], first || s->place[i].number == 1);
		source_open |= first;
	}
	if (s->left_out)
		fprintf(p->f,
			"<p class=\"note\">%zu more functions and files are not on this page; "
			"<code>pmk annotate FUNCTION</code> shows each of them.</p>\n",
			s->left_out);
	put_unreadable(p);
	fputs("</section>\n", p->f);
	return true;
}
