// SPDX-License-Identifier: MIT
/* pmk export: writes a recording in the format of another tool; src/profile/export has the
 * formats. */
#define _GNU_SOURCE
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <pmk/error.h>

#include "base/print.h"
#include "cli/cli.h"
#include "cli/output.h"
#include "cli/recorded.h"
#include "profile/recording/choose.h"
#include "profile/export/export.h"

/* The default events of a format. */
enum events {
	NONE,  /* the format has no events */
	ONE,   /* cycles; the format has room for only one event */
	FIRST, /* cycles; -e can name several events */
	ALL,
};

static const struct format {
	const char *name;
	pmk_export_format *write;
	enum events events;
	bool paths;    /* true if the format shows call paths, if there are any */
	bool comments; /* true if the format has a place for comments */
} formats[] = {
	{ "callgrind", pmk_export_callgrind, ALL, false, true },
	{ "lcov", pmk_export_lcov, NONE, false, false },
	{ "folded", pmk_export_folded, ONE, true, false },
	{ "speedscope", pmk_export_speedscope, FIRST, true, false },
	{ "firefox", pmk_export_firefox, FIRST, true, true },
	{ "pprof", pmk_export_pprof, ALL, true, true },
	{ "perf", pmk_export_perf, FIRST, true, false },
	{ "perfetto", pmk_export_perfetto, ONE, true, true },
};

struct request {
	const struct format *format;
	const char *events, *input, *elf, *output;
};

static int take_format(void *member, char *name)
{
	const struct format **format = member;
	struct pmk_nearest near;

	pmk_nearest_init(&near, name);
	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++) {
		pmk_nearest_offer(&near, formats[i].name);
		if (strcmp(formats[i].name, name) != 0)
			continue;
		*format = &formats[i];
		return 0;
	}
	return cli_not_found(cli_near(&near), "'pmk export --help' lists them",
			     "export: no format '%s'", name);
}

#define AT(member) offsetof(struct request, member)

static const struct cli_option options[] = {
	{ 0, "format", "FORMAT",
	  "callgrind, lcov, folded, speedscope, firefox, pprof, perf or perfetto", CLI_CALL,
	  AT(format), take_format },
	{ 'e', "event", "LIST", "events to write; executions: how often instructions ran", CLI_TEXT,
	  AT(events) },
	{ 'i', "input", "FILE", "the recording (default: pmk.data)", CLI_TEXT, AT(input) },
	{ 0, "elf", "FILE", "write samples in dumps of firmware; FILE is the firmware's executable",
	  CLI_TEXT, AT(elf) },
	CLI_ROW_OUTPUT(AT(output)),
	CLI_ROWS_END,
};

static int check_request(const struct request *q, char **operands)
{
	if (*operands)
		return cli_fail(PMK_EXIT_USAGE,
				"export: unexpected operand %s; give the recording with -i",
				*operands);
	if (!q->format)
		return cli_fail(PMK_EXIT_USAGE, "export needs --format (pmk export --help)");
	if (q->events && q->format->events == NONE)
		return cli_fail(PMK_EXIT_USAGE,
				"-e: the format %s has no events, only executions of lines",
				q->format->name);
	return 0;
}

/* ---- what is written ------------------------------------------------------------------------ */

static int choose_events(const struct request *q, const struct pmk_tables *t, struct pmk_choice *c)
{
	char msg[300];
	int err;

	if (q->format->events == NONE)
		return 0;
	if (q->events)
		err = pmk_choice_named(c, t, q->events, msg, sizeof(msg));
	else if (q->format->events == ALL)
		err = pmk_choice_all(c, t);
	else
		err = pmk_choice_cycles(c, t);
	if (err == PMK_ENOMEM)
		return cli_no_memory();
	if (err)
		return cli_fail(PMK_EXIT_USAGE, "-e: %s", msg);
	if (q->format->events == ONE && c->n > 1)
		return cli_fail(PMK_EXIT_USAGE, "-e %s: the format %s can have only one event",
				q->events, q->format->name);
	return 0;
}

static void print_line(const char *line)
{
	cli_fail(0, "%s", line);
}

#define MOST_REMARKS 32

/* The label of the cycles, the warnings and the notes of a recording, a line each. */
struct remarks {
	struct pmk_export_remark remark[MOST_REMARKS];
	size_t n;
};

/* Collects the remarks. If `cycles` is true, they include the label of modelled cycles. */
static void remarks_fill(struct remarks *r, const struct pmk_tables *t, bool cycles)
{
	static const char *const names[] = { "Cycles", "Warning", "Note" };
	const char *from[] = { cycles ? t->checked : "", t->warning, t->note };
	char *line;

	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		while (r->n < MOST_REMARKS && (line = pmk_print_line(&from[i])))
			r->remark[r->n++] = (struct pmk_export_remark){ names[i], line };
}

static void remarks_free(struct remarks *r)
{
	for (size_t i = 0; i < r->n; i++)
		free(r->remark[i].text);
}

/* Prints what the format has no place for. */
static void print_remarks(const struct request *q, const struct pmk_tables *t,
			  const struct remarks *r)
{
	if (t->partial)
		cli_fail(0, "%s is partial: a part of the run was not counted", q->input);
	if (q->format->paths && !pmk_tables_have_paths(t))
		cli_fail(0,
			 "%s has no call paths (pmk record -g), so each function is a path of "
			 "its own",
			 q->input);
	for (size_t i = 0; i < r->n && !q->format->comments; i++)
		cli_fail(0, "%s: %s: %s", q->input, r->remark[i].name, r->remark[i].text);
}

static int write_to(FILE *f, const struct request *q, const struct pmk_tables *t,
		    const struct pmk_choice *c)
{
	struct remarks r = { 0 };
	struct pmk_export x = {
		.t = t,
		.remark = r.remark,
		.event = c->event,
		.nevents = c->n,
		.creator = "pmk " PMK_VERSION,
		.tell = print_line,
		.f = f,
	};
	char msg[300];
	int code = 0;

	remarks_fill(&r, t, q->format->events != NONE);
	x.nremarks = r.n;
	print_remarks(q, t, &r);
	if (q->format->write(&x, msg, sizeof(msg)))
		code = cli_fail(PMK_EXIT_FAILED, "%s: %s", q->input, msg);
	remarks_free(&r);
	return code;
}

static int write_file(const struct request *q, const struct pmk_tables *t,
		      const struct pmk_choice *c)
{
	struct pmk_whole w;
	int code;

	if (!q->output)
		return write_to(stdout, q, t, c);
	code = output_keep("-o", q->output, q->input, "the input");
	if (!code)
		code = output_whole_open(&w, q->output);
	if (code)
		return code;
	return output_whole_close(&w, q->output, write_to(w.f, q, t, c));
}

static int export_recording(const struct request *q)
{
	struct pmk_tables t;
	struct pmk_choice c = { 0 };
	int code;

	code = dump_tables_open(&t, q->input, q->elf);
	if (!code && t.sampled && q->format->events == NONE)
		code = cli_fail(PMK_EXIT_USAGE,
				"%s: the format %s needs executions, which a sampled recording "
				"does not have",
				q->input, q->format->name);
	if (!code)
		code = choose_events(q, &t, &c);
	if (!code)
		code = write_file(q, &t, &c);
	pmk_choice_free(&c);
	pmk_tables_close(&t);
	return code;
}

static int run_export(int argc, char **argv)
{
	struct request q = { 0 };
	char **operands;
	int code = cli_parse(&cmd_export, &q, argc, argv, &operands);

	if (!code)
		code = cli_default_recording(&cmd_export, &q.input);
	if (!code)
		code = check_request(&q, operands);
	return code ? code : export_recording(&q);
}

const struct cli_command cmd_export = {
	.name = "export",
	.brief = "write a recording in the format of another tool",
	.usage = "--format FORMAT [-e LIST] [-i FILE] [-o FILE]",
	.options = options,
	.run = run_export,
};
