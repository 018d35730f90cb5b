// SPDX-License-Identifier: MIT
/*
 * pmk report: show the counts in a recording of pmk record (report_recording.c), or the counts in
 * the dumps that firmware wrote with pmk_target_dump().
 *
 * 	read → find the dumps → a view of each (names instead of codes) → result → writer
 *
 * Text has a document for each dump, CSV and JSON one for all. report.h lists the other files.
 */
#define _GNU_SOURCE
#include "cli/report.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pmk/error.h>

#include "cli/html/html.h"
#include "cli/recorded.h"

/* The request, and the data that was read. */
struct report {
	struct output_options o;
	const char *file, *elf, *html;
	struct report_recording recording; /* options for recordings */
	const char *name;		   /* `file` in messages */
	uint8_t *data;
	size_t size;
	unsigned nshown;		 /* number of shown dumps */
	struct pmk_functions *functions; /* NULL: addresses are shown */
	struct pmk_elf elf_facts;	 /* of `functions` */
	struct pmk_metric_list metrics;
	struct output out;
	struct pmk_result result;
	struct html_stat *page; /* of dumps */
	int code;		/* exit code if a dump could not be shown completely */
};

static int take_file(void *member, char *file)
{
	const char **at = member;

	if (*at)
		return cli_fail(PMK_EXIT_USAGE, "more than one file: %s and %s", *at, file);
	*at = file;
	return 0;
}

#define AT(member) offsetof(struct report, member)

static const struct cli_option options[] = {
	{ 'i', "input", "FILE", "the recording or capture (default: pmk.data)", CLI_CALL, AT(file),
	  take_file },
	{ 's', "sort", "KEY", "rows of a recording: function, file, line, object or thread",
	  CLI_TEXT, AT(recording.sort) },
	{ 'e', "event", "LIST", "events to show; executions: how often instructions ran", CLI_TEXT,
	  AT(recording.events) },
	{ 0, "percent-limit", "N", "leave out rows below N % of the first event", CLI_TEXT,
	  AT(recording.limit) },
	{ 0, "children", NULL, "count in the callers, too (needs record -g)", CLI_ON,
	  AT(recording.children) },
	{ 0, "no-children", NULL, "count only in the function itself (default)", CLI_OFF,
	  AT(recording.children) },
	{ 0, "callers", "SYMBOL", "show the callers of this function and what each call path cost",
	  CLI_TEXT, AT(recording.callers) },
	{ 0, "callees", "SYMBOL", "show what this function called and what each call path cost",
	  CLI_TEXT, AT(recording.callees) },
	{ 0, "elf", "FILE", "show samples by function, with the symbols of this executable",
	  CLI_TEXT, AT(elf) },
	{ 'M', "metrics", "LIST", "metrics to print; repeatable", CLI_WORD, AT(o.metrics) },
	CLI_ROW_SEPARATOR(AT(o.separator)),
	CLI_ROW_JSON(AT(o.json)),
	{ 0, "html", "FILE", "write a page for a browser: flame graph, tables, source", CLI_TEXT,
	  AT(html) },
	{ 0, "markdown", NULL, "write the first rows as Markdown, for a merge request", CLI_ON,
	  AT(recording.markdown) },
	CLI_ROW_OUTPUT(AT(o.path)),
	{ 0, "append", NULL, "append to the file of -o", CLI_ON, AT(o.append) },
	{ 0, "no-big-num", NULL, "do not group digits", CLI_ON, AT(o.plain_numbers) },
	{ 'q', "quiet", NULL, "leave out the header and the notes of a recording", CLI_ON,
	  AT(recording.quiet) },
	CLI_ROWS_PERF_REPORT,
	{ 'v', "verbose", NULL, "print more about each number", CLI_ON, AT(o.verbose) },
	CLI_ROWS_END,
};

static int failed(const struct report *r, int err)
{
	if (err == PMK_ENOMEM)
		return cli_no_memory();
	return cli_fail(PMK_EXIT_FAILED, "cannot write %s: %s",
			r->o.path ? r->o.path : "the report", strerror(errno ? errno : EIO));
}

/* ---- the capture ---------------------------------------------------------------------------- */

/* True if the dump is shown: it is complete, or was cut off after the name of its PMU. */
static bool is_shown(const struct pmk_dump *d)
{
	return d->state == PMK_DUMP_COMPLETE || (d->state == PMK_DUMP_CUT && d->pmu.byte);
}

/* Print a line on stderr for a dump that is damaged or cut off. */
static void tell(struct report *r, const struct pmk_dump *d)
{
	if (d->crlf && d->state == PMK_DUMP_COMPLETE)
		cli_fail(0, "%s: in the dump at offset %zu, CR LF was replaced by LF", r->name,
			 d->begin);
	if (d->state != PMK_DUMP_COMPLETE)
		r->code = cli_fail(
			PMK_EXIT_FAILED, "%s: the dump at offset %zu %s; %s", r->name, d->begin,
			d->why, is_shown(d) ? "the part before that is shown" : "it is not shown");
}

/* Print the faults of each dump, and count the dumps that can be shown. */
static int find_dumps(struct report *r)
{
	size_t at = 0, n = 0;
	struct pmk_dump d = { .size = sizeof(d) };
	int found;

	while ((found = pmk_dump_next(r->data, r->size, &at, &d)) > 0) {
		tell(r, &d);
		r->nshown += is_shown(&d);
		n++;
		pmk_dump_free(&d);
	}
	if (found < 0)
		return cli_no_memory();
	if (!n)
		return cli_fail(PMK_EXIT_FAILED,
				"%s: no dump of pmk_target_dump() in its %zu bytes", r->name,
				r->size);
	return 0;
}

/* ---- the executable ------------------------------------------------------------------------- */

static int load_functions(struct report *r)
{
	int code = output_keep("-o", r->o.path, r->elf, "the file of --elf");
	char msg[256];

	if (code || !r->elf)
		return code;
	if (pmk_elf_read(r->elf, &r->elf_facts, msg, sizeof(msg)) ||
	    pmk_functions_load(&r->functions, r->elf, msg, sizeof(msg)))
		return cli_fail(PMK_EXIT_USAGE, "--elf %s: %s", r->elf, msg);
	if (pmk_functions_count(r->functions))
		return 0;
	cli_fail(0, "--elf %s: it has no function symbols (stripped); addresses are shown", r->elf);
	pmk_functions_free(r->functions);
	r->functions = NULL;
	return 0;
}

/* Use the functions of the executable. If it is for another machine, print a line and show
 * addresses. */
static void choose_functions(struct report *r, struct view *v)
{
	if (!r->functions || !v->d->nsamples)
		return;
	if (view_fits(v, &r->elf_facts)) {
		v->functions = r->functions;
		v->elf = r->elf;
		return;
	}
	cli_fail(0, "--elf %s: it is for %s, but the dump is from %s; addresses are shown", r->elf,
		 r->elf_facts.machine_name, v->pmu_name);
	if (!r->code)
		r->code = PMK_EXIT_USAGE;
}

/* ---- the report ----------------------------------------------------------------------------- */

static int begin(struct report *r, const struct view *v)
{
	struct pmk_result *result = &r->result;
	int n;

	result->pmu = v->pmu;
	if (result->command)
		return 0;
	if (output_is_text(&r->o) && r->nshown > 1)
		n = asprintf(&result->command, "%s: dump %u", r->name, v->number);
	else
		n = asprintf(&result->command, "%s", r->name);
	if (n < 0)
		result->command = NULL;
	result->core = strdup(v->pmu_name);
	result->producer = strdup("firmware");
	/* A dump is one pass, because firmware sets up the counters only once. 0 passes: not known,
	 * because the PMU is unknown. */
	result->passes = v->pmu != &v->unknown;
	if (!result->command || !result->core || !result->producer)
		return cli_no_memory();
	return r->html ? 0 : output_begin(&r->out, result, r->metrics.item, true);
}

static int show(struct report *r, struct view *v)
{
	struct pmk_metrics *all;
	int code, err;

	choose_functions(r, v);
	v->numbered = !output_is_text(&r->o) && r->nshown > 1;
	if (!r->o.metrics.count) {
		/* Without a data directory there are no metrics; everything else is still shown. */
		r->metrics = (struct pmk_metric_list){ 0 };
		all = cli_metrics();
		if (all)
			pmk_metric_list_fitting(&r->metrics, all, v->pmu, false, view_has, v);
	}
	code = begin(r, v);
	if (code)
		return code;
	v->page = r->html ? &r->page : NULL;
	v->metrics = r->metrics.item;
	err = view_write(v, r->out.writer, &r->result);
	if (!err && output_is_text(&r->o)) {
		err = output_end(&r->out, &r->result);
		pmk_result_free(&r->result);
	}
	return err ? failed(r, err) : 0;
}

static int show_dumps(struct report *r)
{
	size_t at = 0;
	unsigned number = 0;
	struct pmk_dump d = { .size = sizeof(d) };
	struct view v;
	int code = 0;

	while (!code && pmk_dump_next(r->data, r->size, &at, &d) > 0) {
		if (is_shown(&d)) {
			code = view_init(&v, &d, ++number) ? show(r, &v) : cli_no_memory();
			/* Sections point into the dump, which is freed next, so they must be
			 * dropped. */
			while (r->result.nsections)
				pmk_result_drop(&r->result);
			r->result.pmu = NULL;
			view_free(&v);
		}
		pmk_dump_free(&d);
	}
	return code;
}

/* Print everything, or write a page of it. Even after a failure the document is closed and written;
 * failing to write it is an error. */
static int print(struct report *r)
{
	int code, err = 0;

	pmk_result_init(&r->result);
	r->o.json |= r->html != NULL; /* all dumps are in one document */
	code = r->html ? 0 : output_open(&r->out, &r->o, stdout);
	if (code)
		return code;
	errno = 0;
	code = show_dumps(r);
	if (r->html && !code)
		code = html_stat_write(r->page, &r->result, r->html);
	if (!r->html)
		err = output_close(&r->out, &r->result);
	html_stat_free(r->page);
	pmk_result_free(&r->result);
	return err && !code ? failed(r, err) : code;
}

/* Fail for options about the form of a text, which have no meaning for a page. */
static int check_page(const struct report *r)
{
	const struct report_recording *q = &r->recording;
	const char *other = q->sort	     ? "--sort"
			    : q->limit	     ? "--percent-limit"
			    : q->callers     ? "--callers"
			    : q->callees     ? "--callees"
			    : r->o.json	     ? "-j"
			    : r->o.separator ? "-x"
			    : r->o.path	     ? "-o"
					     : NULL;
	int code;

	if (r->html && other)
		return cli_fail(PMK_EXIT_USAGE, "%s and --html exclude each other", other);
	code = output_keep("--html", r->html, r->file, "the input");
	return code ? code : output_keep("--html", r->html, r->elf, "the file of --elf");
}

static int show_recording(struct report *r)
{
	r->recording.path = r->file;
	if (r->elf)
		return cli_fail(PMK_EXIT_USAGE,
				"--elf is for dumps of firmware, but %s is a recording", r->file);
	if (r->o.metrics.count || r->o.verbose)
		return cli_fail(PMK_EXIT_USAGE,
				"%s is for dumps of firmware, but %s is a recording",
				r->o.verbose ? "-v" : "-M", r->file);
	return r->html ? html_recording(r->file, r->recording.events, r->html)
		       : report_recording(&r->recording, &r->o);
}

/* Returns an option that was given but does not apply to dumps; NULL: none. */
static const char *recording_option(const struct report_recording *q)
{
	return q->events     ? "-e"
	       : q->sort     ? "--sort"
	       : q->limit    ? "--percent-limit"
	       : q->children ? "--children"
	       : q->callers  ? "--callers"
	       : q->callees  ? "--callees"
	       : q->quiet    ? "-q"
	       : q->markdown ? "--markdown"
			     : NULL;
}

/* Show samples in dumps of firmware as a recording. */
static int show_samples(struct report *r)
{
	r->recording.path = r->file;
	r->recording.elf = r->elf;
	if (r->o.metrics.count || r->o.verbose)
		return cli_fail(PMK_EXIT_USAGE, "%s and %s exclude each other",
				r->o.verbose ? "-v" : "-M", recording_option(&r->recording));
	return report_recording(&r->recording, &r->o);
}

static int report(struct report *r)
{
	const struct report_recording *q = &r->recording;
	int code;

	if (!strcmp(r->file, "-") && recorded_is("/dev/stdin"))
		r->file = "/dev/stdin";
	code = check_page(r);

	if (code)
		return code;
	if (recorded_is(r->file))
		return show_recording(r);
	if (recording_option(q) && !r->html && r->elf && strcmp(r->file, "-") != 0)
		return show_samples(r);
	if (recording_option(q) && (!strcmp(r->file, "-") || !access(r->file, R_OK)))
		return cli_fail(PMK_EXIT_USAGE,
				"%s is for recordings, but %s is not one; for dumps with "
				"samples, add --elf and leave out --html",
				recording_option(q), r->file);
	r->name = capture_name(r->file);
	code = output_keep("-o", r->o.path, strcmp(r->file, "-") ? r->file : "/dev/stdin",
			   "the input");
	if (!code)
		code = output_metrics(&r->o, &r->metrics);
	if (!code)
		code = load_functions(r);
	if (!code)
		code = capture_read(r->file, &r->data, &r->size);
	if (!code)
		code = find_dumps(r);
	if (!code && r->nshown)
		code = print(r);
	return code ? code : r->code;
}

/* ---- options -------------------------------------------------------------------------------- */

static int check_request(struct report *r)
{
	int code = output_check(&r->o);

	return code ? code : cli_default_recording(&cmd_report, &r->file);
}

static int run_report(int argc, char **argv)
{
	struct report r = { .o.whole = true };
	char **operands;
	int code = cli_parse(&cmd_report, &r, argc, argv, &operands);

	while (!code && *operands)
		code = take_file(&r.file, *operands++);
	if (!code)
		code = check_request(&r);
	if (!code)
		code = report(&r);
	output_options_free(&r.o);
	pmk_functions_free(r.functions);
	free(r.data);
	return code;
}

const struct cli_command cmd_report = {
	.name = "report",
	.brief = "show a recording, or what firmware counted",
	.usage = "[-e LIST] [--sort KEY] [-x SEP | -j] [-o FILE] [[-i] FILE]",
	.options = options,
	.run = run_report,
};
