// SPDX-License-Identifier: MIT
/* pmk report of a recording: shows the places where the events of a program were counted. */
#include "cli/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "cli/report_rows.h"

static int check_sort(struct report *r, const char *name)
{
	if (!name || report_sort_find(name, &r->sort))
		return 0;
	return cli_fail(PMK_EXIT_USAGE,
			"--sort %s: expected function, file, line, object, thread, or perf's "
			"sym, srcfile, srcline, dso, comm",
			name);
}

static int check(struct report *r, const struct report_recording *q)
{
	int code = check_sort(r, q->sort);

	if (!code && q->limit && (pmk_percent_parse(q->limit, &r->limit) || r->limit > 100))
		code = cli_fail(PMK_EXIT_USAGE, "--percent-limit %s: expected 0 to 100", q->limit);
	if (!code && q->children && r->sort != BY_FUNCTION)
		code = cli_fail(PMK_EXIT_USAGE,
				"--children needs rows of functions; it cannot "
				"be combined with --sort %s",
				q->sort);
	if (!code && q->markdown && !output_is_text(r->o))
		code = cli_fail(PMK_EXIT_USAGE, "-j, -x and --markdown exclude each other");
	if (!code && q->callers && q->callees)
		code = cli_fail(PMK_EXIT_USAGE, "--callers and --callees exclude each other");
	if (!code && (q->callers || q->callees) && q->children)
		code = cli_fail(PMK_EXIT_USAGE, "%s and --children exclude each other",
				q->callers ? "--callers" : "--callees");
	if (!code && (q->callers || q->callees) && r->sort != BY_FUNCTION)
		code = cli_fail(PMK_EXIT_USAGE,
				"%s needs rows of functions; it cannot be combined with --sort %s",
				q->callers ? "--callers" : "--callees", q->sort);
	r->children = q->children;
	r->quiet = q->quiet;
	r->markdown = q->markdown;
	r->view = q->callers ? CALLERS : q->callees ? CALLEES : FLAT;
	r->symbol = q->callers ? q->callers : q->callees;
	return code;
}

/* Find the functions that --callers or --callees names. Returns 0 or an exit code. */
static int find_symbol(struct report *r)
{
	const struct pmk_tables *t = &r->r.t;
	char near[256];

	if (r->view == FLAT)
		return 0;
	r->is_symbol = calloc(t->nfunctions + 1, sizeof(*r->is_symbol));
	if (!r->is_symbol)
		return cli_no_memory();
	if (recorded_functions(&r->r, r->symbol, r->is_symbol))
		return 0;
	recorded_nearest(&r->r, r->symbol, near, sizeof(near));
	return cli_fail(PMK_EXIT_USAGE, "--%ss: no function '%s' was %s%s%s%s", report_kind(r),
			r->symbol, pmk_tables_verb(t), *near ? "; did you mean " : "", near,
			*near ? "?" : "");
}

static int print(struct report *r)
{
	struct output out;
	int code = output_open(&out, r->o, stdout);
	bool done;

	if (code)
		return code;
	r->f = out.f;
	if (output_is_text(r->o) && !r->markdown)
		recorded_page(&r->r, r->f);
	done = report_write(r);
	if (ferror(r->f) && out.own)
		done = false;
	if (output_close(&out, NULL) || !done)
		code = cli_fail(PMK_EXIT_FAILED, "cannot write %s: %s",
				r->o->path ? r->o->path : "the report", strerror(errno));
	recorded_page_end();
	return code;
}

int report_recording(const struct report_recording *q, const struct output_options *o)
{
	struct report r = { .o = o };
	int code = check(&r, q);

	if (!code)
		code = output_keep("-o", o->path, q->path, "the input");
	if (!code)
		code = recorded_open(&r.r, q->path, q->elf, q->events);
	r.n = r.executions = r.r.c.n;
	for (size_t i = r.n; i-- > 0;)
		if (r.r.c.event[i] == PMK_TABLES_EXECUTIONS)
			r.executions = i;
	r.r.plain_numbers = o->plain_numbers;
	if (!code && (r.children || r.view != FLAT) && !pmk_tables_have_paths(&r.r.t))
		code = cli_fail(PMK_EXIT_USAGE, "%s has no call paths; pmk record -g records them",
				q->path);
	if (!code)
		code = find_symbol(&r);
	if (!code)
		code = report_count(&r);
	if (!code) {
		report_arrange(&r);
		code = print(&r);
	}
	report_free(&r);
	return code;
}
