// SPDX-License-Identifier: MIT
/*
 * pmk wave: lists the signals of a waveform dump, and checks whether its buses follow the protocol.
 *
 * 	$ pmk wave signals sim.vcd > ahb.ini
 * 	$ pmk wave check sim.vcd --map ahb.ini
 *
 * The output of `signals` is a map file: comments contain the table of signals, followed by a map
 * that is guessed from the names.
 *
 * There are three forms of output (docs/FORMATS.md). Violations are written as soon as they are
 * found, because there may be more than fit into memory. CSV has a row for each violation;
 * everything else is in comments.
 */
#include <inttypes.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/number.h"
#include "base/print.h"
#include "cli/cli.h"
#include "cli/counting.h"
#include "cli/output.h"
#include "producer/wave/run.h"
#include "result/internal.h"
#include "result/jsonio.h"
#include "result/table.h"

struct wave_request {
	const char *what, *file, *map, *layer;
	uint64_t limit;
	struct output_options out; /* only the options -j and -x are used */
};

/* The data that `signals` prints. */
struct wave_names {
	const struct wave_request *q;
	const struct pmk_wave *w;
	const struct pmk_wave_signal *list;
	size_t n;
	const char *map;    /* guessed from the names; NULL: none */
	const char *no_map; /* the reason why no map was guessed */
};

/* The data that `check` prints while it reads, and at the end. */
struct wave_checked {
	const struct wave_request *q;
	struct pmk_wave *w;
	struct pmk_wave_map map;
	struct pmk_wave_count count;
	struct pmk_wave_findings findings;
	uint64_t found, shown;
	/* Set at the end. */
	bool partial;
	const char *error; /* why the check is partial, or NULL */
	int code;	   /* exit code of pmk */
};

/* Write the unit of times in the dump, such as "1 ns"; "" if the dump has no timescale. */
static const char *timescale_text(const struct pmk_wave *w, char *buf, size_t size)
{
	*buf = '\0';
	if (pmk_wave_seconds(w, 1) > 0)
		pmk_wave_time_text(w, 1, buf, size);
	return buf;
}

/* ---- text ----------------------------------------------------------------------------------- */

static const char *const kinds[] = { [PMK_WAVE_BITS] = "bits",
				     [PMK_WAVE_REAL] = "real",
				     [PMK_WAVE_STRING] = "string",
				     [PMK_WAVE_EVENT] = "event" };

/* Write "haddr[31:0]", as in the table. */
static void name_text(const struct pmk_wave_signal *s, char *buf, size_t size)
{
	if (s->kind != PMK_WAVE_BITS || (s->width == 1 && s->msb == 0 && s->lsb == 0))
		snprintf(buf, size, "%s", s->name);
	else if (s->msb == s->lsb)
		snprintf(buf, size, "%s[%d]", s->name, s->msb);
	else
		snprintf(buf, size, "%s[%d:%d]", s->name, s->msb, s->lsb);
}

static void print_table(const struct pmk_wave_signal *list, size_t n)
{
	static const struct table_column columns[] = { { "scope", true },
						       { "name", true },
						       { " bits", false } };
	struct table t = { .column = columns, .ncolumns = 3 };
	char text[512];

	for (size_t i = 0; i < n; i++) {
		name_text(&list[i], text, sizeof(text));
		pmk_table_put(&t, "%s", list[i].scope);
		pmk_table_put(&t, "%s", text);
		pmk_table_put(&t, "%u", list[i].width);
		if (list[i].kind != PMK_WAVE_BITS)
			pmk_table_put(&t, "%s", kinds[list[i].kind])->rest = true;
		pmk_table_end_row(&t);
	}
	if (pmk_table_write_text(&t, stdout, "# ", 0))
		cli_no_memory();
	pmk_table_free(&t);
}

static void text_signals(const struct wave_names *n)
{
	pmk_print(stdout,
		  "# %s: %s, %zu name%s\n"
		  "#\n",
		  n->q->file, pmk_wave_format(n->w), n->n, n->n == 1 ? "" : "s");
	print_table(n->list, n->n);
	if (!n->map) {
		printf("\n# No map can be guessed from these names; docs/wave.md describes the "
		       "format.\n");
		return;
	}
	printf("\n# This map was guessed from the names; check it. docs/wave.md describes the "
	       "format.\n");
	fputs(n->map, stdout);
}

static void text_violation(const struct wave_checked *c, const struct pmk_wave_checked *bus,
			   const struct pmk_wave_edge *edge, const struct pmk_violation *v)
{
	char text[200], time[80];

	pmk_violation_text(v, &bus->rule[v->rule], bus->role_name(v->role), text, sizeof(text));
	pmk_wave_time_text(c->w, edge->time, time, sizeof(time));
	pmk_print(stdout, "%s  %s  %s\n", time, bus->name, text);
}

/* Print "armd: 10000 cycles, 3 violations: not-next 2, alignment 1". */
static void print_bus(const struct wave_checked *c, const struct pmk_wave_checked *bus,
		      const char *start)
{
	const char *before = ": ";

	fputs(start, stdout);
	pmk_print(stdout, "%s: %" PRIu64 " cycles, %" PRIu64 " violation%s", bus->name,
		  c->findings.edges, bus->violations, bus->violations == 1 ? "" : "s");
	for (unsigned r = 0; r < bus->nrules; r++) {
		if (!bus->broken[r])
			continue;
		printf("%s%s %" PRIu64, before, bus->rule[r].name, bus->broken[r]);
		before = ", ";
	}
	putchar('\n');
}

/* Print the lines below the violations, each after `start`. */
static void print_end(const struct wave_checked *c, const char *start)
{
	const struct pmk_wave_checked *bus;
	char first[80], last[80];

	for (unsigned i = 0; (bus = pmk_wave_count_checked(&c->count, i)); i++)
		print_bus(c, bus, start);
	if (c->found > c->shown)
		printf("%s%" PRIu64 " violations, %" PRIu64 " of them shown; --limit shows more\n",
		       start, c->found, c->shown);
	if (c->findings.edges) {
		pmk_wave_time_text(c->w, c->findings.first, first, sizeof(first));
		pmk_wave_time_text(c->w, c->findings.last, last, sizeof(last));
		fputs(start, stdout);
		pmk_print(stdout, "%s: %" PRIu64 " edges of %s", c->q->file, c->findings.edges,
			  c->map.clock);
		if (c->count.in_reset.count)
			printf(" (%" PRIu64 " of them in reset)", c->count.in_reset.count);
		printf(" from %s to %s%s\n", first, last, c->partial ? ", partial" : "");
	}
	if (!*timescale_text(c->w, first, sizeof(first)))
		printf("%swarning: the dump has no $timescale of 1, 10 or 100 s, ms, us, ns, ps "
		       "or fs: its times are numbers without a unit\n",
		       start);
	for (unsigned i = 0; i < PMK_WAVE_NODDITIES; i++) {
		const struct pmk_wave_warning *warning = &c->findings.warning[i];

		if (!warning->count)
			continue;
		pmk_wave_time_text(c->w, warning->time, first, sizeof(first));
		pmk_print(stdout, "%swarning: %s: %" PRIu64 " times, first at %s: %s\n", start,
			  pmk_wave_oddity_text(i), warning->count, first, warning->signal);
	}
}

/* ---- CSV ------------------------------------------------------------------------------------ */

static void csv_signals(const struct wave_names *n)
{
	struct pmk_csv c = { .f = stdout, .separator = n->q->out.separator };

	for (size_t i = 0; i < n->n; i++) {
		const struct pmk_wave_signal *s = &n->list[i];

		pmk_csv_text(&c, s->scope);
		pmk_csv_text(&c, s->name);
		printf("%s%u%s%d%s%d", c.separator, s->width, c.separator, s->msb, c.separator,
		       s->lsb);
		pmk_csv_text(&c, kinds[s->kind]);
		pmk_csv_number(&c, true, s->net);
		pmk_csv_end(&c);
	}
}

static void csv_violation(const struct wave_checked *checked, const struct pmk_wave_checked *bus,
			  const struct pmk_wave_edge *edge, const struct pmk_violation *v)
{
	struct pmk_csv c = { .f = stdout, .separator = checked->q->out.separator };
	char text[80];

	pmk_csv_number(&c, true, edge->time);
	pmk_csv_text(&c, timescale_text(checked->w, text, sizeof(text)));
	pmk_csv_number(&c, true, edge->number);
	pmk_csv_text(&c, bus->name);
	pmk_csv_text(&c, bus->rule[v->rule].name);
	pmk_csv_text(&c, bus->role_name(v->role));
	pmk_csv_number(&c, !v->x, v->is);
	pmk_csv_number(&c, v->wants, v->want);
	pmk_csv_text(&c, bus->rule[v->rule].text);
	pmk_csv_end(&c);
}

/* ---- JSON ----------------------------------------------------------------------------------- */

/* Write the beginning of a document, "{…,". */
static void json_head(const char *format, const char *file, const struct pmk_wave *w,
		      const char *map)
{
	json_object *o = pmk_json_document(format);
	char text[80];

	pmk_json_text(o, "file", file);
	pmk_json_text(o, "type", pmk_wave_format(w));
	pmk_json_text(o, "timescale", *timescale_text(w, text, sizeof(text)) ? text : NULL);
	if (map)
		pmk_json_text(o, "map", map);
	putchar('{');
	pmk_json_put_members(stdout, o);
	puts(",");
}

static void json_signals(const struct wave_names *n)
{
	json_object *o = json_object_new_object();
	unsigned written = 0;

	json_head("pmk-wave-signals", n->q->file, n->w, NULL);
	fputs("\"signals\":[", stdout);
	for (size_t i = 0; i < n->n; i++) {
		const struct pmk_wave_signal *s = &n->list[i];
		json_object *row = json_object_new_object();

		pmk_json_text(row, "scope", s->scope);
		pmk_json_text(row, "name", s->name);
		pmk_json_count(row, "bits", s->width);
		pmk_json_add(row, "msb", json_object_new_int(s->msb));
		pmk_json_add(row, "lsb", json_object_new_int(s->lsb));
		pmk_json_text(row, "kind", kinds[s->kind]);
		pmk_json_count(row, "net", s->net);
		pmk_json_put_object(stdout, &written, row);
	}
	fputs("\n],\n", stdout);
	pmk_json_text(o, "map", n->map);
	pmk_json_text(o, "reason", n->no_map);
	pmk_json_put_members(stdout, o);
	puts("}");
}

static void json_begin(const struct wave_checked *c)
{
	json_head("pmk-wave-check", c->q->file, c->w, c->q->map);
	fputs("\"violations\":[", stdout);
}

static void json_violation(const struct wave_checked *c, const struct pmk_wave_checked *bus,
			   const struct pmk_wave_edge *edge, const struct pmk_violation *v)
{
	unsigned before = c->shown > 0;
	json_object *o = json_object_new_object();

	pmk_json_count(o, "time", edge->time);
	pmk_json_count(o, "cycle", edge->number);
	pmk_json_text(o, "layer", bus->name);
	pmk_json_text(o, "rule", bus->rule[v->rule].name);
	pmk_json_text(o, "signal", bus->role_name(v->role));
	pmk_json_add(o, "value", v->x ? NULL : json_object_new_uint64(v->is));
	pmk_json_add(o, "wanted", v->wants ? json_object_new_uint64(v->want) : NULL);
	pmk_json_text(o, "text", bus->rule[v->rule].text);
	pmk_json_text(o, "reference", bus->rule[v->rule].ref);
	pmk_json_put_object(stdout, &before, o);
}

static json_object *bus_object(const struct wave_checked *c, const struct pmk_wave_checked *bus)
{
	json_object *o = json_object_new_object(), *rules = json_object_new_object();

	pmk_json_text(o, "layer", bus->name);
	pmk_json_count(o, "cycles", c->findings.edges);
	pmk_json_count(o, "violations", bus->violations);
	for (unsigned r = 0; r < bus->nrules; r++)
		if (bus->broken[r])
			pmk_json_count(rules, bus->rule[r].name, bus->broken[r]);
	pmk_json_add(o, "rules", rules);
	return o;
}

static json_object *warning_object(const struct pmk_wave_warning *w, unsigned oddity)
{
	json_object *o = json_object_new_object();

	pmk_json_text(o, "text", pmk_wave_oddity_text(oddity));
	pmk_json_count(o, "count", w->count);
	pmk_json_count(o, "time", w->time);
	pmk_json_text(o, "signal", w->signal);
	return o;
}

static void json_end(const struct wave_checked *c)
{
	json_object *o = json_object_new_object();
	bool some = c->findings.edges != 0;
	const struct pmk_wave_checked *bus;
	unsigned written = 0;

	fputs("\n],\n\"layers\":[", stdout);
	for (unsigned i = 0; (bus = pmk_wave_count_checked(&c->count, i)); i++)
		pmk_json_put_object(stdout, &written, bus_object(c, bus));
	fputs("\n],\n\"warnings\":[", stdout);
	written = 0;
	for (unsigned i = 0; i < PMK_WAVE_NODDITIES; i++)
		if (c->findings.warning[i].count)
			pmk_json_put_object(stdout, &written,
					    warning_object(&c->findings.warning[i], i));
	fputs("\n],\n", stdout);
	pmk_json_count(o, "found", c->found);
	pmk_json_text(o, "clock", c->map.clock);
	pmk_json_count(o, "edges", c->findings.edges);
	pmk_json_add(o, "first", some ? json_object_new_uint64(c->findings.first) : NULL);
	pmk_json_add(o, "last", some ? json_object_new_uint64(c->findings.last) : NULL);
	pmk_json_add(o, "partial", json_object_new_boolean(c->partial));
	pmk_json_text(o, "error", c->error);
	pmk_json_add(o, "exit-status", json_object_new_int(c->code));
	pmk_json_put_members(stdout, o);
	puts("}");
}

/* ---- options -------------------------------------------------------------------------------- */

/* Exit codes of `check`, in addition to the codes in cli.h. */
enum { FOUND = 1, PARTIAL = 2 };

#define SHOW_VIOLATIONS 100 /* default of --limit */

static int take_limit(void *member, char *value)
{
	if (pmk_number_parse(value, 10, 0, UINT64_MAX, member))
		return cli_fail(PMK_EXIT_USAGE, "wave: --limit takes a number, not '%s'", value);
	return 0;
}

#define AT(member) offsetof(struct wave_request, member)

static const struct cli_option options[] = {
	{ 'm', "map", "FILE", "check: maps the dump's signals to buses", CLI_TEXT, AT(map) },
	{ 'l', "layer", "NAME", "check: only this layer or AXI interface of the map", CLI_TEXT,
	  AT(layer) },
	{ 0, "limit", "N", "check: show the first N violations (100); 0: count only", CLI_CALL,
	  AT(limit), take_limit },
	CLI_ROW_SEPARATOR(AT(out.separator)),
	CLI_ROW_JSON(AT(out.json)),
	CLI_ROWS_END,
};

/* ---- signals -------------------------------------------------------------------------------- */

static int show_signals(const struct wave_request *q)
{
	struct wave_names names = { .q = q };
	struct pmk_wave_error err;
	struct pmk_wave *w;
	char *guess;

	if (pmk_wave_open(&w, q->file, &err))
		return cli_fail(PMK_EXIT_FAILED, "%s", err.text);
	names.w = w;
	names.list = pmk_wave_signals(w, &names.n);
	if (pmk_wave_guess(w, &guess, &err))
		names.no_map = err.text;
	names.map = guess;
	if (q->out.json)
		json_signals(&names);
	else if (q->out.separator)
		csv_signals(&names);
	else
		text_signals(&names);
	if (names.no_map && output_is_text(&q->out))
		cli_fail(0, "%s", names.no_map);
	free(guess);
	pmk_wave_close(w);
	return PMK_EXIT_OK;
}

/* ---- check ---------------------------------------------------------------------------------- */

static volatile int interrupted;

static void on_interrupt(int sig)
{
	interrupted = sig;
}

struct check {
	struct wave_checked c;
	struct cli_running progress;
};

static int take_violation(void *ctx, const struct pmk_wave_checked *bus,
			  const struct pmk_wave_edge *edge, const struct pmk_violation *v)
{
	struct check *k = ctx;
	const struct output_options *out = &k->c.q->out;

	k->c.found++;
	if (k->c.shown == k->c.q->limit)
		return 0;
	cli_running_end(&k->progress);
	if (out->json)
		json_violation(&k->c, bus, edge, v);
	else if (out->separator)
		csv_violation(&k->c, bus, edge, v);
	else
		text_violation(&k->c, bus, edge, v);
	k->c.shown++;
	return 0;
}

static int show_progress(void *ctx, const struct pmk_wave_progress *p)
{
	struct check *k = ctx;

	if (!interrupted)
		cli_reading_show(&k->progress, k->c.q->file, p->bytes, p->size);
	return interrupted != 0;
}

/* Print the outcome in the requested form, and a line on stderr if the dump was not checked to its
 * end. Returns an exit code. */
static int finish_check(struct check *k, int status)
{
	struct wave_checked *c = &k->c;
	char interrupt[300], time[80];

	c->partial = status != 0;
	if (c->findings.error.code)
		c->error = c->findings.error.text;
	else if (status) {
		pmk_wave_time_text(c->w, c->findings.end, time, sizeof(time));
		snprintf(interrupt, sizeof(interrupt),
			 "%.160s: byte %" PRIu64 ", time %s: interrupted", k->c.q->file,
			 c->findings.bytes, time);
		c->error = interrupt;
	}
	c->code = status < 0 ? PMK_EXIT_FAILED : c->found ? FOUND : status ? PARTIAL : PMK_EXIT_OK;
	if (c->q->out.json)
		json_end(c);
	else
		print_end(c, c->q->out.separator ? "# " : "");
	return c->error ? cli_fail(c->code, "%s", c->error) : c->code;
}

static int run_check(struct check *k)
{
	struct sigaction act = { .sa_handler = on_interrupt };
	struct wave_checked *c = &k->c;
	struct pmk_wave_error err;
	int status;

	c->count = (struct pmk_wave_count){ .map = &c->map,
					    .only = k->c.q->layer,
					    .violation = take_violation,
					    .progress = show_progress,
					    .ctx = k };
	if (pmk_wave_bind(c->w, &c->map, &err) || pmk_wave_count_init(&c->count, c->w, &err))
		return cli_fail(PMK_EXIT_USAGE, "%s", err.text);
	if (!pmk_wave_count_checked(&c->count, 0))
		return cli_fail(PMK_EXIT_USAGE,
				"%s: it has neither [layer] nor [axi], so there is no protocol "
				"to check",
				k->c.q->map);
	/* Install the handlers without SA_RESTART, so that a signal also ends a read from a pipe
	 * that has no writer. */
	sigaction(SIGINT, &act, NULL);
	sigaction(SIGTERM, &act, NULL);
	k->progress.began = pmk_seconds();
	if (c->q->out.json)
		json_begin(c);
	status = pmk_wave_count_run(&c->count, &c->findings);
	cli_running_end(&k->progress);
	return finish_check(k, status);
}

static int check_bus(const struct wave_request *q)
{
	struct check k = { .c.q = q };
	struct pmk_wave_error err;
	int code;

	if (!q->map)
		return cli_fail(PMK_EXIT_USAGE,
				"wave check needs --map FILE; 'pmk wave signals %s' guesses one",
				q->file);
	if (pmk_wave_map_load(&k.c.map, q->map, &err))
		return cli_fail(err.code == PMK_EIO ? PMK_EXIT_FAILED : PMK_EXIT_USAGE, "%s",
				err.text);
	if (pmk_wave_open(&k.c.w, q->file, &err))
		code = cli_fail(PMK_EXIT_FAILED, "%s", err.text);
	else
		code = run_check(&k);
	pmk_wave_count_free(&k.c.count);
	pmk_wave_close(k.c.w);
	pmk_wave_map_free(&k.c.map);
	return code;
}

/* ---- the command ---------------------------------------------------------------------------- */

static int no_subcommand(const char *name)
{
	struct pmk_nearest near;

	if (!name)
		return cli_fail(
			PMK_EXIT_USAGE,
			"wave needs 'signals' or 'check', and then a FILE (pmk wave --help)");
	pmk_nearest_init(&near, name);
	pmk_nearest_offer(&near, "signals");
	pmk_nearest_offer(&near, "check");
	return cli_not_found(cli_near(&near), "use 'signals' or 'check'", "wave has no '%s'", name);
}

static int run_wave(int argc, char **argv)
{
	struct wave_request q = { .limit = SHOW_VIOLATIONS };
	char **operands;
	int code = cli_parse(&cmd_wave, &q, argc, argv, &operands);

	if (code)
		return code;
	code = output_check(&q.out);
	if (code)
		return code;
	q.what = operands[0];
	q.file = operands[0] ? operands[1] : NULL;
	if (!q.what || (strcmp(q.what, "signals") != 0 && strcmp(q.what, "check") != 0))
		return no_subcommand(q.what);
	if (!q.file || operands[2])
		return cli_fail(PMK_EXIT_USAGE, "wave %s takes one FILE, or - for standard input",
				q.what);
	return strcmp(q.what, "check") == 0 ? check_bus(&q) : show_signals(&q);
}

const struct cli_command cmd_wave = {
	.name = "wave",
	.brief = "list the signals of waveform dumps and check their buses",
	.usage = "signals|check FILE [--map FILE] [--layer NAME] [--limit N] [-x SEP | -j]",
	.options = options,
	.run = run_wave,
};
