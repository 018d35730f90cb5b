// SPDX-License-Identifier: MIT
/*
 * pmk gate: compares two builds of a program, and fails if the newer one does more work, whatever
 * the layout of its code and data. Each build is counted several times, each time with its stack at
 * another address.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <json.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/number.h"
#include "base/printable.h"
#include "cli/cli.h"
#include "cli/counting.h"
#include "cli/diff.h"
#include "cli/output.h"
#include "result/table.h"
#include "result/internal.h"
#include "result/jsonio.h"

#define MOST_LAYOUTS 64
#define EXIT_OVER    1
/*
 * Bytes by which the stack moves from one layout to the next, so that its data has other cache
 * lines, sets and pages.
 */
#define STACK_STEP   1040
#define VARIABLE     "PMK_LAYOUT="

/* The change of one event. */
struct change {
	uint64_t base, fresh;	    /* the counts in the first layout */
	int64_t work[MOST_LAYOUTS]; /* the work and the rest in each layout: see struct diff_part */
	int64_t rest[MOST_LAYOUTS];
};

struct gate {
	struct pmk_words events, settings, env, limits;
	const char *core, *sysroot, *output;
	char *fail_over;
	char *const *program[DIFF_SIDES]; /* each build's program and its arguments */
	unsigned most, layouts;
	bool json, markdown;
	char *folder;
	char *path[DIFF_SIDES];	   /* the path of each build's recording */
	char *core_of[DIFF_SIDES]; /* the core on which each build was counted */
	struct diff d;		   /* the comparison of the first layout, and the limits */
	struct change *change;	   /* [event of d] */
};

/* ---- options -------------------------------------------------------------------------------- */

static int take_layouts(void *member, char *value)
{
	if (pmk_unsigned_parse(value, 1, MOST_LAYOUTS, member))
		return cli_fail(PMK_EXIT_USAGE, "--layouts: '%s' is not a number from 1 to %d",
				value, MOST_LAYOUTS);
	return 0;
}

#define AT(member) offsetof(struct gate, member)

static const struct cli_option options[] = {
	{ 0, "fail-over", "PERCENT", "exit 1 if the work of an event has grown by more than this",
	  CLI_TEXT, AT(fail_over) },
	{ 0, "limit", "EVENT=LIMIT",
	  "exit 1 if the work of this event has grown by more: 2% or +1000; repeatable", CLI_WORD,
	  AT(limits) },
	{ 'e', "event", "LIST", "events to count; repeatable", CLI_WORD, AT(events) },
	{ 0, "layouts", "N", "count with up to N layouts (default: 8)", CLI_CALL, AT(most),
	  take_layouts },
	{ 0, "core", "CORE", "the core to model (pmk list cores)", CLI_TEXT, AT(core) },
	{ 0, "set", "KEY=VALUE", "change parameters of the core, separated by commas; repeatable",
	  CLI_WORD, AT(settings) },
	{ 0, "env", "NAME[=VALUE]", "pass this environment variable to the program; repeatable",
	  CLI_WORD, AT(env) },
	{ 0, "sysroot", "DIR", "where the program's shared libraries are", CLI_TEXT, AT(sysroot) },
	{ 0, "markdown", NULL, "write Markdown, for a merge request", CLI_ON, AT(markdown) },
	CLI_ROW_JSON(AT(json)),
	CLI_ROW_OUTPUT(AT(output)),
	CLI_ROWS_END,
};

/* Gives the base the arguments of the new program. */
static int take_programs(struct gate *g, char **words)
{
	size_t n = 0;
	char **base;

	while (words[n])
		n++;
	if (n < 2)
		return cli_fail(PMK_EXIT_USAGE,
				"gate compares two programs; name the base and the new one");
	base = calloc(n, sizeof(*base));
	if (!base)
		return cli_no_memory();
	memcpy(base, words + 1, (n - 1) * sizeof(*base));
	base[0] = words[0];
	g->program[DIFF_BASE] = base;
	g->program[DIFF_NEW] = words + 1;
	return 0;
}

static int parse(struct gate *g, int argc, char **argv)
{
	char **words;
	int code = cli_parse(&cmd_gate, g, argc, argv, &words);

	if (code)
		return code;
	if (g->json && g->markdown)
		return cli_fail(PMK_EXIT_USAGE, "-j and --markdown exclude each other");
	return take_programs(g, words);
}

static int add_limits(const struct gate *g, struct diff *d)
{
	int code = g->fail_over ? diff_limit_all(d, g->fail_over) : 0;

	for (unsigned i = 0; i < g->limits.count && !code; i++) {
		code = diff_limit_add(d, g->limits.word[i]);
		if (!code && (d->limit[d->nlimits - 1].place ||
			      d->limit[d->nlimits - 1].kind == DIFF_CEILING))
			code = cli_fail(PMK_EXIT_USAGE,
					"--limit: '%s': gate limits growth of the whole program, "
					"such as cycles=2%% or cycles=+1000; pmk diff has other "
					"limits",
					g->limits.word[i]);
	}
	return code;
}

/* ---- counting ------------------------------------------------------------------------------- */

/*
 * Count the events that have limits, in addition to the events of -e. Without -e only events with
 * limits are counted. The exception is --fail-over, which limits all default events.
 */
static bool set_limited(const struct gate *g, struct pmk_count *c)
{
	bool defaults = !g->events.count && g->fail_over;

	for (unsigned i = 0; i < g->limits.count && !defaults; i++) {
		const char *limit = g->limits.word[i];
		char *name = strndup(limit, strcspn(limit, "="));
		bool good = name && !pmk_count_set(c, "event", name);

		free(name);
		if (!good)
			return false;
	}
	return true;
}

static bool set_all(struct pmk_count *c, const char *name, const struct pmk_words *values)
{
	for (unsigned i = 0; i < values->count; i++)
		if (pmk_count_set(c, name, values->word[i]))
			return false;
	return true;
}

/* The stack has the path of the program twice. The variable is longer for the shorter path, so that
 * both programs have their stack at the same place. */
static char *layout_variable(const struct gate *g, enum diff_side side, unsigned layout)
{
	size_t own = strlen(g->program[side][0]), other = strlen(g->program[!side][0]);
	size_t n = (size_t)layout * STACK_STEP + (other > own ? 2 * (other - own) : 0);
	char *text = malloc(sizeof(VARIABLE) + n);

	if (text) {
		memcpy(text, VARIABLE, sizeof(VARIABLE));
		memset(text + strlen(VARIABLE), '-', n);
		text[strlen(VARIABLE) + n] = '\0';
	}
	return text;
}

static int request_count(const struct gate *g, struct pmk_count *c, enum diff_side side,
			 unsigned layout)
{
	char *variable = layout_variable(g, side, layout);
	bool good = variable && !pmk_count_set(c, "env", variable) &&
		    set_all(c, "event", &g->events) && set_limited(g, c) &&
		    set_all(c, "set", &g->settings) && set_all(c, "env", &g->env) &&
		    (!g->core || !pmk_count_set(c, "core", g->core)) &&
		    (!g->sysroot || !pmk_count_set(c, "sysroot", g->sysroot)) &&
		    !pmk_count_set(c, "stdin", "file:/dev/null") &&
		    !pmk_count_set(c, "stdout", "file:/dev/null") &&
		    !pmk_count_program(c, g->program[side]);

	free(variable);
	return good ? 0 : variable ? cli_count_failed(c) : cli_no_memory();
}

static int write_recording(struct gate *g, struct pmk_count *c, enum diff_side side)
{
	const struct pmk_recording *rec = pmk_count_recording(c);
	struct pmk_count_summary sum = { .size = sizeof(sum) };
	const char *program = g->program[side][0], *why;
	char msg[1024];

	pmk_count_get_summary(c, &sum);
	why = sum.warning ? sum.warning : "it executed nothing that can be recorded";
	if (cli_last_signal())
		return 128 + cli_last_signal();
	if (sum.exit_code)
		return cli_fail(PMK_EXIT_FAILED, "gate: %s ended with %" PRId32, program,
				sum.exit_code);
	if (!rec || sum.partial)
		return cli_fail(PMK_EXIT_FAILED, "gate: %s was not counted to its end: %.*s",
				program, (int)strcspn(why, "\n"), why);
	if (pmk_recording_write(rec, g->path[side], NULL, msg, sizeof(msg)))
		return cli_fail(PMK_EXIT_FAILED, "%s: %s", g->path[side], msg);
	if (!g->core_of[side])
		g->core_of[side] = strdup(rec->core ? rec->core : "");
	return g->core_of[side] ? 0 : cli_no_memory();
}

static int count_side(struct gate *g, enum diff_side side, unsigned layout)
{
	struct pmk_count *c = pmk_count_new_for_command();
	int code = c ? request_count(g, c, side, layout) : cli_no_memory();

	if (!code) {
		pmk_count_record(c, false);
		cli_catch_signals(c);
		code = pmk_count_run(c, NULL) ? cli_count_failed(c) : write_recording(g, c, side);
		cli_release_signals();
	}
	pmk_count_free(c);
	return code;
}

/* A change of the compiler's -mcpu may choose another core, whose counts say nothing about work. */
static int check_cores(const struct gate *g)
{
	const char *base = g->core_of[DIFF_BASE], *new = g->core_of[DIFF_NEW];

	if (!strcmp(base, new))
		return 0;
	return cli_fail(PMK_EXIT_USAGE,
			"gate: %s was counted on %s, and %s on %s; choose one core with --core",
			g->program[DIFF_BASE][0], base, g->program[DIFF_NEW][0], new);
}

/* ---- splitting ------------------------------------------------------------------------------ */

static int count_layout(struct gate *g, unsigned layout)
{
	struct diff again = { 0 }, *d = layout ? &again : &g->d;
	int code = 0;

	d->split = true;
	for (unsigned side = 0; side < DIFF_SIDES && !code; side++) {
		code = count_side(g, side, layout);
		d->path[side] = g->path[side];
	}
	if (!code)
		code = check_cores(g);
	if (!code)
		code = add_limits(g, d);
	if (!code)
		code = diff_read(d, NULL);
	if (!code && !layout)
		g->change = calloc(d->nevents + 1, sizeof(*g->change));
	if (!code && !g->change)
		code = cli_no_memory();
	for (size_t i = 0; i < d->nevents && !code; i++) {
		g->change[i].work[layout] = d->part[i].work;
		g->change[i].rest[layout] = d->part[i].rest;
		if (layout)
			continue;
		g->change[i].base = diff_value(d, 0, i, DIFF_BASE);
		g->change[i].fresh = diff_value(d, 0, i, DIFF_NEW);
	}
	if (layout)
		diff_free(d);
	return code;
}

static int by_value(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static void sort_layouts(const struct gate *g, const int64_t *value, int64_t sorted[MOST_LAYOUTS])
{
	memcpy(sorted, value, g->layouts * sizeof(*sorted));
	qsort(sorted, g->layouts, sizeof(*sorted), by_value);
}

/* Returns the median of the values of the layouts. */
static int64_t middle_of(const struct gate *g, const int64_t *value)
{
	int64_t sorted[MOST_LAYOUTS];

	sort_layouts(g, value, sorted);
	return sorted[(g->layouts - 1) / 2];
}

/* Returns the part of the change in the first layout that is neither work nor rest. */
static int64_t layout_of(const struct gate *g, size_t event)
{
	const struct change *c = &g->change[event];

	return (int64_t)(c->fresh - c->base) - middle_of(g, c->work) - middle_of(g, c->rest);
}

/* True if the event has a limit, or if no event has one. */
static bool is_of_interest(const struct gate *g, size_t event)
{
	bool found = !g->d.nlimits;

	for (size_t i = 0; i < g->d.nlimits; i++)
		found |= g->d.limit[i].event == DIFF_ALL_EVENTS || g->d.limit[i].event == event;
	return found;
}

/* True if more layouts are not needed: the work differs by at most 0.1 % of the count. */
static bool layouts_agree(const struct gate *g)
{
	for (size_t i = 0; i < g->d.nevents; i++) {
		int64_t sorted[MOST_LAYOUTS];

		if (!is_of_interest(g, i))
			continue;
		sort_layouts(g, g->change[i].work, sorted);
		if ((uint64_t)(sorted[g->layouts - 1] - sorted[0]) > g->change[i].base / 1000)
			return false;
	}
	return g->layouts > 1;
}

static int count_layouts(struct gate *g)
{
	int code = 0;

	while (!code && g->layouts < g->most && !layouts_agree(g)) {
		code = count_layout(g, g->layouts);
		g->layouts += !code;
	}
	return code;
}

/* ---- judging -------------------------------------------------------------------------------- */

/* Returns the first limit that the work exceeds, or NULL. */
static const struct diff_limit *exceeded(const struct gate *g, size_t event)
{
	int64_t work = middle_of(g, g->change[event].work);

	for (size_t i = 0; i < g->d.nlimits && work > 0; i++) {
		const struct diff_limit *limit = &g->d.limit[i];

		if (limit->event != DIFF_ALL_EVENTS && limit->event != event)
			continue;
		if (limit->kind == DIFF_GROWTH
			    ? (uint64_t)work > limit->number
			    : (long double)work * 100 > (long double)limit->percent *
								(long double)g->change[event].base)
			return limit;
	}
	return NULL;
}

static void percent_text(const struct gate *g, size_t event, int64_t value, char *buf, size_t size)
{
	uint64_t base = g->change[event].base;

	if (!base)
		snprintf(buf, size, value ? "was 0" : "0.00%%");
	else
		snprintf(buf, size, value ? "%+.2Lf%%" : "%.2Lf%%",
			 (long double)value * 100 / (long double)base);
}

static int judge(const struct gate *g)
{
	int code = 0;

	for (size_t i = 0; i < g->d.nevents; i++) {
		const struct diff_limit *limit = exceeded(g, i);
		int64_t work = middle_of(g, g->change[i].work);
		char grown[48];

		if (!limit)
			continue;
		percent_text(g, i, work, grown, sizeof(grown));
		cli_fail(0, "%s: the work has grown by %" PRId64 " (%s), over %s%s", g->d.event[i],
			 work, grown, limit->text,
			 limit->kind == DIFF_PERCENT && !strchr(limit->text, '%') ? "%" : "");
		code = EXIT_OVER;
	}
	return code;
}

/* ---- writing -------------------------------------------------------------------------------- */

static const struct table_column columns[] = {
	{ .heading = "base" },	 { .heading = "new" },	  { .heading = "change" },
	{ .heading = "work" },	 { .heading = "work %" }, { .heading = "spread" },
	{ .heading = "layout" }, { .heading = "rest" },	  { .heading = "event", .name = true },
};

static void change_text(int64_t value, char *buf)
{
	*buf = value < 0 ? '-' : '+';
	pmk_number_text(buf + (value != 0), (uint64_t)(value < 0 ? -value : value), 0, true);
}

static void put_change(struct table *t, int64_t value)
{
	char text[48];

	change_text(value, text);
	pmk_table_put(t, "%s", text);
}

static void put_event(const struct gate *g, size_t event, struct table *t)
{
	const struct change *c = &g->change[event];
	int64_t sorted[MOST_LAYOUTS], work = middle_of(g, c->work);
	char percent[24], low[24], high[24];

	sort_layouts(g, c->work, sorted);
	percent_text(g, event, work, percent, sizeof(percent));
	percent_text(g, event, sorted[0], low, sizeof(low));
	percent_text(g, event, sorted[g->layouts - 1], high, sizeof(high));
	pmk_table_put(t, "%ju", c->base);
	pmk_table_put(t, "%ju", c->fresh);
	put_change(t, (int64_t)(c->fresh - c->base));
	put_change(t, work);
	pmk_table_put(t, "%s", percent)->bold = exceeded(g, event);
	if (strcmp(low, high))
		pmk_table_put(t, "%s to %s", low, high);
	else
		pmk_table_put(t, "none");
	put_change(t, layout_of(g, event));
	put_change(t, middle_of(g, c->rest));
	pmk_table_put(t, "%s", g->d.event[event]);
	pmk_table_end_row(t);
}

static void write_verdict(const struct gate *g, FILE *f)
{
	size_t over = 0;

	for (size_t i = 0; i < g->d.nevents; i++)
		over += exceeded(g, i) != NULL;
	if (over)
		fprintf(f, "**The work of %zu event%s is over its limit.**\n\n", over,
			over > 1 ? "s" : "");
	else if (g->d.nlimits)
		fputs("No work is over its limit.\n\n", f);
}

static int write_table(const struct gate *g, FILE *f)
{
	struct table t = { .column = columns, .ncolumns = sizeof(columns) / sizeof(columns[0]) };
	int err;

	for (size_t i = 0; i < g->d.nevents; i++)
		put_event(g, i, &t);
	err = g->markdown ? pmk_table_write_markdown(&t, f) : pmk_table_write_text(&t, f, "  ", 0);
	fputs(g->markdown ? "" : "\n", f);
	pmk_table_free(&t);
	return err ? cli_no_memory() : 0;
}

static json_object *json_event(const struct gate *g, size_t event)
{
	const struct change *c = &g->change[event];
	json_object *o = json_object_new_object(), *works = json_object_new_array();
	const struct diff_limit *limit = exceeded(g, event);

	pmk_json_text(o, "event", g->d.event[event]);
	pmk_json_count(o, "base", c->base);
	pmk_json_count(o, "new", c->fresh);
	pmk_json_add(o, "change", json_object_new_int64((int64_t)(c->fresh - c->base)));
	pmk_json_add(o, "work", json_object_new_int64(middle_of(g, c->work)));
	pmk_json_add(o, "layout", json_object_new_int64(layout_of(g, event)));
	pmk_json_add(o, "rest", json_object_new_int64(middle_of(g, c->rest)));
	for (unsigned i = 0; i < g->layouts; i++)
		json_object_array_add(works, json_object_new_int64(c->work[i]));
	pmk_json_add(o, "works", works);
	pmk_json_text(o, "over", limit ? limit->text : NULL);
	return o;
}

static void add_note(void *list, const char *line)
{
	json_object_array_add(list, json_object_new_string(line));
}

static void write_json(const struct gate *g, FILE *f)
{
	json_object *o = pmk_json_document("pmk-gate"), *notes = json_object_new_array();
	const char *checked = diff_checked(&g->d);
	unsigned n = 0;

	pmk_json_text(o, "base", g->program[DIFF_BASE][0]);
	pmk_json_text(o, "new", g->program[DIFF_NEW][0]);
	pmk_json_text(o, "core", g->d.core[DIFF_NEW]);
	pmk_json_text(o, "checked", *checked ? checked : NULL);
	diff_each_note(&g->d, add_note, notes);
	pmk_json_add(o, "notes", notes);
	pmk_json_add(o, "layouts", json_object_new_int((int)g->layouts));
	fputc('{', f);
	pmk_json_put_members(f, o);
	fputs(",\n\"events\":[", f);
	for (size_t i = 0; i < g->d.nevents; i++)
		pmk_json_put_object(f, &n, json_event(g, i));
	fputs("\n]}\n", f);
}

static void write_head(const struct gate *g, FILE *f)
{
	char *base = pmk_printable(g->program[DIFF_BASE][0]),
	     *fresh = pmk_printable(g->program[DIFF_NEW][0]);

	fprintf(f, "%sChange from %s to %s, in %u layout%s\n\n", g->markdown ? "### " : "\n ",
		base ? base : "", fresh ? fresh : "", g->layouts, g->layouts > 1 ? "s" : "");
	free(base);
	free(fresh);
}

static int write_result(const struct gate *g)
{
	const struct diff_format format = { .form = g->markdown ? DIFF_MARKDOWN : DIFF_TEXT };
	struct pmk_whole w = { .f = stdout };
	int code = g->output ? output_whole_open(&w, g->output) : 0;

	if (code)
		return code;
	if (g->json) {
		write_json(g, w.f);
	} else {
		write_head(g, w.f);
		if (g->markdown)
			write_verdict(g, w.f);
		diff_write_notes(&g->d, &format, w.f);
		code = write_table(g, w.f);
	}
	return g->output ? output_whole_close(&w, g->output, code) : code;
}

/* ---- command -------------------------------------------------------------------------------- */

static int folder_open(struct gate *g)
{
	const char *top = getenv("TMPDIR");
	char *folder = NULL;

	if (asprintf(&folder, "%s/pmk-gate.XXXXXX", top && *top ? top : "/tmp") < 0)
		return cli_no_memory();
	if (!mkdtemp(folder)) {
		int code = cli_fail(PMK_EXIT_FAILED, "gate: cannot make the folder %s: %s", folder,
				    strerror(errno));

		free(folder);
		return code;
	}
	g->folder = folder;
	if (asprintf(&g->path[DIFF_BASE], "%s/base.data", folder) < 0 ||
	    asprintf(&g->path[DIFF_NEW], "%s/new.data", folder) < 0)
		return cli_no_memory();
	return 0;
}

static void folder_close(struct gate *g)
{
	for (unsigned side = 0; side < DIFF_SIDES; side++) {
		if (g->path[side])
			unlink(g->path[side]);
		free(g->path[side]);
		free(g->core_of[side]);
	}
	if (g->folder)
		rmdir(g->folder);
	free(g->folder);
}

static void gate_free(struct gate *g)
{
	folder_close(g);
	diff_free(&g->d);
	free((void *)g->program[DIFF_BASE]);
	free(g->change);
	pmk_words_free(&g->events);
	pmk_words_free(&g->settings);
	pmk_words_free(&g->env);
	pmk_words_free(&g->limits);
}

static int run_gate(int argc, char **argv)
{
	struct gate *g = calloc(1, sizeof(*g));
	int code;

	if (!g)
		return cli_no_memory();
	g->most = 8;
	code = parse(g, argc, argv);
	if (!code) {
		code = add_limits(g, &g->d);
		diff_limits_free(&g->d);
	}
	if (!code)
		code = folder_open(g);
	if (!code)
		code = count_layouts(g);
	if (!code)
		code = write_result(g);
	if (!code)
		code = judge(g);
	gate_free(g);
	free(g);
	return code;
}

const struct cli_command cmd_gate = {
	.name = "gate",
	.brief = "compare the work of two builds of a program",
	.usage = "[--fail-over PERCENT] [--limit EVENT=LIMIT]... [-e LIST] [--layouts N]\n"
		 "                [--core CORE] [--] BASE NEW [ARG...]",
	.options = options,
	.run = run_gate,
	.program = true,
};
