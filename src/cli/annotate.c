// SPDX-License-Identifier: MIT
/*
 * pmk annotate: the code of a function, with the counts of each instruction.
 *
 * 	recording → counts of each instruction → the chosen functions → lines, listing
 *
 * The listing is in the order of addresses. Above the instructions of a source line, the listing
 * shows the line, if its file can be read, and the sum of their counts.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <pmk/error.h>

#include "base/file.h"
#include "base/number.h"
#include "base/print.h"
#include "cli/listing.h"
#include "result/internal.h"

#define NONE	  PMK_TABLES_NONE
#define TEXT_ROOM 34   /* columns that are kept for code */
#define HOT	  10.0 /* a line with this percentage of the function's count gets a mark */
#define WARM	  1.0
#define NLINES	  10 /* number of lines in the list of hottest lines */

struct request {
	const char *input, *elf, *events, *what;
	bool plain_numbers, quiet;
};

#define AT(member) offsetof(struct request, member)

static const struct cli_option options[] = {
	{ 'e', "event", "LIST", "events to show; the first one decides which lines are hot",
	  CLI_TEXT, AT(events) },
	{ 'i', "input", "FILE", "the recording (default: pmk.data)", CLI_TEXT, AT(input) },
	{ 's', "symbol", "SYMBOL", "the function to show, like the operand SYMBOL", CLI_TEXT,
	  AT(what) },
	{ 0, "elf", "FILE", "show samples in dumps of firmware; FILE is the firmware's executable",
	  CLI_TEXT, AT(elf) },
	{ 0, "no-big-num", NULL, "do not group digits", CLI_ON, AT(plain_numbers) },
	{ 'q', "quiet", NULL, "leave out the header", CLI_ON, AT(quiet) },
	CLI_ROWS_PERF_REPORT,
	CLI_ROWS_END,
};

/* A group of instructions from one line: adjacent ones in the listing, or all instructions of
 * the line. */
struct group {
	uint32_t file, line, inlined;
	/* Position in the listing; `last` is the index after the last instruction. */
	size_t first, last;
	uint64_t *value;
	uint64_t executions; /* executions of the instruction that was executed most often */
};

struct annotate {
	struct recorded r;
	const struct request *q;
	struct listing l;
	uint64_t *sum; /* sums of the shown function, one per event */
	struct recorded_column
		*column; /* columns of events, then of executions, if they are known */
	size_t nevents;	 /* number of events that have a column */
	size_t ncolumns;
	unsigned width;	   /* total width of the columns */
	uint32_t *listing; /* the instructions of the function */
	size_t nlisting;
	FILE *f;
};

/* ---- counts --------------------------------------------------------------------------------- */

static int sum_counts(struct annotate *a)
{
	int code = listing_open(&a->l, &a->r, a->r.c.event, a->r.c.n);

	a->sum = calloc(a->r.c.n + 1, sizeof(*a->sum));
	a->listing = calloc(a->r.t.ncodes + 1, sizeof(*a->listing));
	a->column = calloc(a->r.c.n + 1, sizeof(*a->column));
	if (!code && (!a->sum || !a->listing || !a->column))
		code = cli_no_memory();
	return code;
}

/* ---- which functions ------------------------------------------------------------------------ */

/* Returns the function with the highest count of the first event; NONE if no code has a
 * function. */
static uint32_t hottest_function(const struct annotate *a)
{
	const struct pmk_tables *t = &a->r.t;
	uint64_t *sum = calloc(t->nfunctions + 1, sizeof(*sum));
	uint32_t best = NONE;

	for (uint32_t i = 0; sum && i < t->ncodes; i++)
		if (t->code[i].function != NONE)
			sum[t->code[i].function] += listing_value(&a->l, i, 0);
	for (uint32_t i = 0; sum && i < t->nfunctions; i++)
		if (best == NONE || sum[i] > sum[best])
			best = i;
	free(sum);
	return best;
}

/* True if the user's `name` means `path`: it equals the path, or the end of the path after a
 * slash. */
static bool is_file(const char *path, const char *name, size_t n)
{
	size_t length = strlen(path);

	return length >= n && !strncmp(path + length - n, name, n) &&
	       (length == n || path[length - n - 1] == '/' || *name == '/');
}

/* Mark the functions that have code of FILE:LINE. Returns false if there are none. */
static bool mark_line(const struct annotate *a, const char *what, bool *wanted)
{
	const struct pmk_tables *t = &a->r.t;
	const char *colon = strrchr(what, ':');
	unsigned line = 0;
	bool found = false;

	if (!colon || pmk_unsigned_parse(colon + 1, 1, UINT_MAX, &line))
		return false;
	for (size_t i = 0; i < t->ncodes; i++) {
		const struct pmk_tables_code *k = &t->code[i];

		if (k->function == NONE || k->file == NONE || k->line != line ||
		    !is_file(t->file[k->file].path, what, (size_t)(colon - what)))
			continue;
		wanted[k->function] = true;
		found = true;
	}
	return found;
}

static int not_found(const struct annotate *a)
{
	char near[256];

	recorded_nearest(&a->r, a->q->what, near, sizeof(near));
	return cli_not_found(near, "pmk report lists the functions",
			     "no function or line '%s' was %s", a->q->what,
			     pmk_tables_verb(&a->r.t));
}

static int choose_functions(const struct annotate *a, bool *wanted)
{
	const struct pmk_tables *t = &a->r.t;

	if (!t->nfunctions)
		return cli_fail(PMK_EXIT_FAILED,
				"%s: no code in it belongs to a function, because the programs "
				"had no symbols%s",
				a->r.path,
				t->sampled || pmk_tables_have_paths(t)
					? ""
					: "; record with -g to get a function at each called "
					  "address");
	if (!a->q->what) {
		uint32_t best = hottest_function(a);

		if (best == NONE)
			return cli_no_memory();
		wanted[best] = true;
		return 0;
	}
	return recorded_functions(&a->r, a->q->what, wanted) || mark_line(a, a->q->what, wanted)
		       ? 0
		       : not_found(a);
}

/* ---- columns -------------------------------------------------------------------------------- */

/* Choose the columns: the executions, and as many events as there is room for. */
static void lay_out(struct annotate *a)
{
	struct recorded_column last;
	uint64_t most = 0;

	for (size_t i = 0; i < a->nlisting; i++)
		if (a->l.executions[a->listing[i]] > most)
			most = a->l.executions[a->listing[i]];
	last = recorded_column(&a->r, PMK_TABLES_EXECUTIONS, NULL, most, false);
	a->width = a->r.t.sampled ? 0 : last.width + 2;
	for (a->nevents = 0; a->nevents < a->r.c.n; a->nevents++) {
		struct recorded_column c = recorded_column(&a->r, a->r.c.event[a->nevents], NULL,
							   a->sum[a->nevents], !a->nevents);

		if (a->nevents && a->width + c.width + 2 + TEXT_ROOM > a->r.width)
			break;
		a->column[a->nevents] = c;
		a->width += c.width + 2;
	}
	a->column[a->nevents] = last;
	a->ncolumns = a->nevents + !a->r.t.sampled;
	a->width += 2; /* room for the mark */
}

static double share_of(const struct annotate *a, uint64_t value)
{
	return recorded_share(value, a->sum[0]);
}

static const char *colour_of(const struct annotate *a, uint64_t value)
{
	if (!a->r.colour)
		return "";
	return share_of(a, value) >= HOT    ? "\033[1;31m"
	       : share_of(a, value) >= WARM ? "\033[33m"
					    : "";
}

/* Write the numbers before a line: a mark if it is hot, and blanks for 0. */
static void put_numbers(const struct annotate *a, const uint64_t *value, uint64_t executions)
{
	fprintf(a->f, "%s%s ", colour_of(a, value[0]), share_of(a, value[0]) >= HOT ? ">" : " ");
	for (size_t i = 0; i < a->nevents; i++)
		if (value[i])
			recorded_put_cell(&a->r, a->f, &a->column[i], value[i], a->sum[0]);
		else
			fprintf(a->f, "%*s  ", (int)a->column[i].width, "");
	if (a->nevents < a->ncolumns)
		recorded_put_cell(&a->r, a->f, &a->column[a->nevents], executions, 0);
	fputs(*colour_of(a, value[0]) ? "\033[0m" : "", a->f);
}

/* ---- text ----------------------------------------------------------------------------------- */

/* Returns a line of source with tabs as four blanks, because there is little room. The caller frees
 * it. */
static char *expand_tabs(const char *line)
{
	char *out = NULL;
	size_t size, column = 0;
	FILE *f = open_memstream(&out, &size);

	for (; f && *line; line++) {
		size_t n = *line == '\t' ? 4 - column % 4 : 1;

		fprintf(f, "%*s", (int)n, *line == '\t' ? "" : (char[2]){ *line, 0 });
		column += ((unsigned char)*line & 0xC0) == 0x80 ? 0 : n;
	}
	if (f)
		fclose(f);
	return out;
}

/* Write "loop.c:7 (clamp)", and then the source line. */
static void put_source(const struct annotate *a, uint32_t file, uint32_t line, uint32_t inlined)
{
	const struct pmk_tables *t = &a->r.t;
	const char *source = listing_line(&a->l, file, line);
	char *expanded = source ? expand_tabs(source) : NULL, *text;
	size_t blank = expanded ? strspn(expanded, " ") : 0;
	int n, room = (int)a->r.width - (int)a->width;

	n = asprintf(&text, "%s:%u%s%s%s%s", pmk_file_name(t->file[file].path), line,
		     inlined == NONE ? "" : " (", inlined == NONE ? "" : t->inlined[inlined].name,
		     inlined == NONE ? "" : ")", source ? "  " : "");
	if (n >= 0) {
		/* Long lines continue below; half of the room is for their text. */
		if (n + (int)blank > room / 2)
			blank = n < room / 2 ? (size_t)(room / 2 - n) : 0;
		pmk_print(a->f, "%s%*s", text, (int)blank, "");
		recorded_wrap(a->f, expanded ? expanded + strspn(expanded, " ") : "",
			      a->width + (unsigned)n + (unsigned)blank, a->width + 4, a->r.width);
		free(text);
	}
	free(expanded);
}

static void put_insn(const struct annotate *a, uint32_t code)
{
	const struct pmk_tables_code *k = &a->r.t.code[code];
	char text[200], *target = listing_target(&a->l, code);

	listing_insn(&a->l, code, text, sizeof(text));
	put_numbers(a, &a->l.value[code * a->r.c.n], a->l.executions[code]);
	fprintf(a->f, "  %6" PRIx64 "  %s", k->address, text);
	if (target)
		pmk_print(a->f, " <%s>", target);
	fputc('\n', a->f);
	free(target);
}

/* ---- a function ----------------------------------------------------------------------------- */

/* Put the function's instructions into the listing, by address, and sum their counts. */
static void collect_instructions(struct annotate *a, uint32_t function)
{
	const struct pmk_tables *t = &a->r.t;

	a->nlisting = 0;
	memset(a->sum, 0, a->r.c.n * sizeof(*a->sum));
	for (size_t i = 0; i < t->ncodes; i++) {
		uint32_t code = (uint32_t)(t->by_address[i] - t->code);

		if (t->code[code].function != function)
			continue;
		a->listing[a->nlisting++] = code;
		for (size_t e = 0; e < a->r.c.n; e++)
			a->sum[e] += listing_value(&a->l, code, e);
	}
}

/* Sum the counts of the group's instructions. */
static void add_up(const struct annotate *a, struct group *g)
{
	for (size_t i = g->first; i < g->last; i++) {
		for (size_t e = 0; e < a->r.c.n; e++)
			g->value[e] += listing_value(&a->l, a->listing[i], e);
		if (a->l.executions[a->listing[i]] > g->executions)
			g->executions = a->l.executions[a->listing[i]];
	}
}

/* Split the listing where the line changes. Returns the groups, followed by their values in the
 * same memory; NULL: out of memory. */
static struct group *split_by_line(const struct annotate *a, size_t *n)
{
	size_t each = a->r.c.n * sizeof(uint64_t);
	struct group *g = calloc(a->nlisting + 1, sizeof(*g) + each);
	uint64_t *value = g ? (void *)(g + a->nlisting + 1) : NULL;

	*n = 0;
	for (size_t i = 0; g && i < a->nlisting; i++) {
		const struct pmk_tables_code *k = &a->r.t.code[a->listing[i]];
		struct group *last = *n ? &g[*n - 1] : NULL;

		if (!last || last->file != k->file || last->line != k->line ||
		    last->inlined != k->inlined) {
			last = &g[(*n)++];
			*last = (struct group){ k->file, k->line, k->inlined, i, i, value, 0 };
			value += a->r.c.n;
		}
		last->last = i + 1;
	}
	for (size_t i = 0; i < *n; i++)
		add_up(a, &g[i]);
	return g;
}

static int by_line(const void *x, const void *y)
{
	const struct group *g = x, *h = y;

	if (g->file != h->file)
		return g->file < h->file ? -1 : 1;
	return (g->line > h->line) - (g->line < h->line);
}

static int by_heat(const void *x, const void *y)
{
	const struct group *g = x, *h = y;

	if (g->value[0] != h->value[0])
		return g->value[0] > h->value[0] ? -1 : 1;
	return by_line(x, y);
}

/* Write the lines of the function with the highest counts of the first event. */
static bool put_hottest(const struct annotate *a)
{
	size_t count, n = 0;
	struct group *g = split_by_line(a, &count);

	if (!g)
		return false;
	qsort(g, count, sizeof(*g), by_line);
	for (size_t i = 0; i < count; i++) {
		if (g[i].file == NONE)
			continue;
		g[i].inlined = NONE;
		if (!n || by_line(&g[n - 1], &g[i])) {
			g[n++] = g[i];
			continue;
		}
		for (size_t e = 0; e < a->r.c.n; e++)
			g[n - 1].value[e] += g[i].value[e];
		if (g[i].executions > g[n - 1].executions)
			g[n - 1].executions = g[i].executions;
	}
	qsort(g, n, sizeof(*g), by_heat);
	if (n)
		fputs(" Hottest lines:\n\n", a->f);
	for (size_t i = 0; i < n && i < NLINES && share_of(a, g[i].value[0]) >= WARM; i++) {
		put_numbers(a, g[i].value, g[i].executions);
		put_source(a, g[i].file, g[i].line, NONE);
	}
	if (n)
		fputs("\n In the order of addresses:\n\n", a->f);
	free(g);
	return true;
}

/* Marks a gap in the listing: the code between this instruction and the next was not executed. */
static void put_gap(const struct annotate *a, size_t i)
{
	const struct pmk_tables_code *k = &a->r.t.code[a->listing[i]];
	uint64_t end = k->address + k->size, next;

	if (i + 1 == a->nlisting)
		return;
	next = a->r.t.code[a->listing[i + 1]].address;
	if (next > end)
		fprintf(a->f, "%*s  ... %" PRIu64 " bytes that were not %s\n", (int)a->width, "",
			next - end, pmk_tables_verb(&a->r.t));
}

static bool put_listing(const struct annotate *a)
{
	size_t count;
	struct group *g = split_by_line(a, &count);

	if (!g)
		return false;
	for (size_t i = 0; i < count; i++) {
		if (g[i].file != NONE) {
			put_numbers(a, g[i].value, g[i].executions);
			put_source(a, g[i].file, g[i].line, g[i].inlined);
		}
		for (size_t n = g[i].first; n < g[i].last; n++) {
			put_insn(a, a->listing[n]);
			put_gap(a, n);
		}
	}
	free(g);
	return true;
}

static void put_title(const struct annotate *a, const struct pmk_tables_function *f)
{
	const struct pmk_tables *t = &a->r.t;

	fputs(a->r.colour ? "\033[1m" : "", a->f);
	recorded_note(&a->r, a->f, "%s in %s", f->name,
		      f->object == NONE ? "?" : t->object[f->object].path);
	fputs(a->r.colour ? "\033[0m" : "", a->f);
	if (f->file == NONE)
		return;
	pmk_print(a->f, " %s:%u\n", t->file[f->file].path, f->line);
}

static bool show_function(struct annotate *a, uint32_t function)
{
	const char *why;
	bool lines = false;

	collect_instructions(a, function);
	if (!a->nlisting)
		return true;
	lay_out(a);
	put_title(a, &a->r.t.function[function]);
	for (size_t i = 0; i < a->nlisting; i++) {
		uint32_t file = a->r.t.code[a->listing[i]].file;

		lines |= file != NONE;
		why = file == NONE ? NULL : listing_read(&a->l, file);
		if (why)
			recorded_note(&a->r, a->f, "%s: %s", a->r.t.file[file].path, why);
	}
	if (!lines)
		recorded_note(&a->r, a->f,
			      "No source: the program had no line table (compile with -g).");
	recorded_no_room(&a->r, a->f, a->nevents, "Choose events with -e.");
	fputc('\n', a->f);
	recorded_put_heads(a->f, "  ", a->column, a->ncolumns, "");
	fputc('\n', a->f);
	if (!put_hottest(a) || !put_listing(a))
		return false;
	fputc('\n', a->f);
	return true;
}

/* ---- the command ---------------------------------------------------------------------------- */

static int print_functions(struct annotate *a, const bool *wanted)
{
	bool done = true;

	recorded_page(&a->r, a->f);
	if (!a->q->quiet)
		recorded_head(&a->r, a->f);
	for (uint32_t i = 0; done && i < a->r.t.nfunctions; i++)
		if (wanted[i])
			done = show_function(a, i);
	recorded_page_end();
	return done ? 0 : cli_no_memory();
}

static int annotate_recording(const struct request *q)
{
	struct annotate a = { .q = q, .f = stdout };
	int code = recorded_open(&a.r, q->input, q->elf, q->events);
	bool *wanted = code ? NULL : calloc(a.r.t.nfunctions + 1, sizeof(*wanted));

	a.r.plain_numbers = q->plain_numbers;
	if (!code && !wanted)
		code = cli_no_memory();
	if (!code)
		code = sum_counts(&a);
	if (!code)
		code = choose_functions(&a, wanted);
	if (!code)
		code = print_functions(&a, wanted);
	free(a.sum);
	free(a.listing);
	free(a.column);
	listing_close(&a.l);
	recorded_close(&a.r);
	free(wanted);
	return code;
}

static int run_annotate(int argc, char **argv)
{
	struct request q = { 0 };
	char **operands;
	int code = cli_parse(&cmd_annotate, &q, argc, argv, &operands);

	if (code)
		return code;
	if (*operands && !q.what)
		q.what = *operands++;
	if (*operands)
		return cli_fail(PMK_EXIT_USAGE,
				"annotate: more than one function or line: %s and %s; give one",
				q.what, *operands);
	code = cli_default_recording(&cmd_annotate, &q.input);
	return code ? code : annotate_recording(&q);
}

const struct cli_command cmd_annotate = {
	.name = "annotate",
	.brief = "show source and instructions with their counts from a recording",
	.usage = "[-e LIST] [-i FILE] [[-s] SYMBOL | FILE:LINE]",
	.options = options,
	.run = run_annotate,
};
