// SPDX-License-Identifier: MIT
/*
 * The text report, in perf's format: value, event, trust, and a metric after '#'.
 *
 * 	      1,234,567      instr_exec   exact     #       1.73  cycles per instruction (cpi)
 * 	<not supported>      etmextout_0
 *
 * Below the rows of a region, a table shows how its occurrences differ, if that is known. The
 * profiles come after all sections.
 *
 * Facts that apply to many lines are printed once at the end: why events have no value, how they
 * were counted, and the meaning of the trust column. This format is for people and may change; CSV
 * and JSON do not.
 */
#define _GNU_SOURCE
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <pmk/error.h>

#include "base/print.h"
#include "base/printable.h"
#include "result/internal.h"
#include "result/table.h"

#define VALUE_WIDTH 18 /* as in perf */
#define NAME_WIDTH  24
#define TRUST_WIDTH 8

#define THREAD_WIDTH 22 /* as in perf */

#define BOLD  "\033[1m"
#define DIM   "\033[2m"
#define PLAIN "\033[0m"

/* A reason, and the events or metrics to which it applies. */
struct note {
	char *names; /* "etmextout_0, etmextout_1" */
	char *reason;
};

struct state {
	struct note *notes;
	unsigned nnotes;
	unsigned trusts; /* one bit for each enum pmk_trust that was printed */
	bool interval_head;
	bool no_divisor; /* a metric of an interval had no divisor */
	bool headed;	 /* the heading was printed */
	bool rows;	 /* at least one section was printed */
	int name_width;
	struct pmk_bars_state bars;
	FILE *never; /* a stream with the regions of firmware that were never completed */
	char *never_text;
	size_t never_size;
};

static struct state *state_of(struct pmk_writer *w)
{
	return w->state;
}

/* ---- pieces --------------------------------------------------------------------------------- */

/* Returns an escape sequence, or "" if the text has no colours. */
static const char *style_code(const struct pmk_writer *w, const char *code)
{
	return w->opt.colour ? code : "";
}

/* Write bytes per second in the largest unit that leaves a digit before the point. */
static bool rate_text(char buf[48], double v, const char *unit)
{
	static const struct {
		double least;
		const char *name;
	} units[] = { { 1e12, "TB/s" }, { 1e9, "GB/s" }, { 1e6, "MB/s" }, { 1e3, "kB/s" } };

	for (unsigned i = 0; !strcmp(unit, "bytes/s") && i < sizeof(units) / sizeof(units[0]); i++)
		if (v >= units[i].least && v < 1e18) {
			snprintf(buf, 48, "%.1f %s", v / units[i].least, units[i].name);
			return true;
		}
	return false;
}

/* Write the value with two decimals, like perf. A value below 0.1 gets four decimals. From 1000 on,
 * whole numbers get none, and from 100,000 on, no number gets any. If `group` is set, digits are
 * grouped, and bytes per second have a unit. */
static void metric_value_text(char buf[48], double v, const char *unit, bool group)
{
	if (group && rate_text(buf, v, unit))
		return;
	if (v >= 1000 && v < 1e18 && (v == floor(v) || v >= 1e5))
		pmk_number_text(buf, (uint64_t)(v + 0.5), 0, group);
	else if (v >= 1000 && v < 1e18)
		pmk_number_text(buf, (uint64_t)(v * 100 + 0.5), 2, group);
	else
		snprintf(buf, 48, "%.*f", v != 0 && fabs(v) < 0.1 ? 4 : 2, v);
}

/* Write lines. The last one may lack its newline. On a terminal, long lines are wrapped between
 * words. */
static void put_lines(struct pmk_writer *w, char *text)
{
	char *next;

	for (char *line = text; *line; line = next) {
		size_t n = strcspn(line, "\n"), blank = strspn(line, " ");

		next = line + n + (line[n] == '\n');
		line[n] = '\0';
		if (w->opt.columns && pmk_printable_columns(line, n) > w->opt.columns) {
			fprintf(w->f, "%.*s", (int)blank, line);
			pmk_printable_wrap(w->f, line + blank, (unsigned)blank, (unsigned)blank + 2,
					   w->opt.columns);
		} else {
			fprintf(w->f, "%s\n", line);
		}
	}
}

static bool has_name(const char *names, const char *name)
{
	size_t n = strlen(name);

	for (const char *at = strstr(names, name); at; at = strstr(at + 1, name)) {
		bool begins = at == names || at[-1] == ' ';

		if (begins && (at[n] == '\0' || at[n] == ','))
			return true;
	}
	return false;
}

/* Record why `name` has no value. Names with the same reason are listed together. */
static int note_reason(struct pmk_writer *w, const char *name, const char *reason)
{
	struct state *st = state_of(w);
	struct note *grown, *n = NULL;
	char *names;

	for (unsigned i = 0; i < st->nnotes && !n; i++)
		if (strcmp(st->notes[i].reason, reason) == 0)
			n = &st->notes[i];
	if (n && has_name(n->names, name))
		return 0;
	if (!n) {
		grown = realloc(st->notes, (st->nnotes + 1) * sizeof(*grown));
		if (!grown)
			return PMK_ENOMEM;
		st->notes = grown;
		n = &grown[st->nnotes];
		*n = (struct note){ .names = strdup(name), .reason = strdup(reason) };
		if (!n->names || !n->reason) {
			free(n->names);
			free(n->reason);
			return PMK_ENOMEM;
		}
		st->nnotes++;
		return 0;
	}
	if (asprintf(&names, "%s, %s", n->names, name) < 0)
		return PMK_ENOMEM;
	free(n->names);
	n->names = names;
	return 0;
}

static const char *title_of(const struct pmk_writer *w, const char *metric)
{
	for (unsigned i = 0; w->opt.metrics && w->opt.metrics[i]; i++)
		if (strcmp(w->opt.metrics[i]->name, metric) == 0)
			return w->opt.metrics[i]->title;
	return "";
}

/* Returns a metric as a remark: "#       0.58  title (name)". The caller frees it; NULL: out of
 * memory. */
static char *remark_text(const struct pmk_writer *w, const struct pmk_metric_value *v)
{
	char value[48] = "n/a", *text;
	bool percent = strcmp(v->unit, "%") == 0;

	if (v->valid)
		metric_value_text(value, v->value, v->unit, w->opt.big_num);
	if (asprintf(&text, "# %10s%s %s (%s)", value, percent && v->valid ? "%" : " ",
		     title_of(w, v->name), v->name) < 0)
		return NULL;
	return text;
}

/* Record why a metric has no value. An interval without a burst has no mean per burst. There are
 * many such intervals and metrics, so this reason is printed only once. */
static int note_metric(struct pmk_writer *w, const struct pmk_section *s,
		       const struct pmk_metric_value *v)
{
	if (s->interval && v->no_divisor)
		state_of(w)->no_divisor = true;
	else if (!v->valid)
		return note_reason(w, v->name, v->reason);
	return 0;
}

/* ---- rows ----------------------------------------------------------------------------------- */

void pmk_text_line_start(struct pmk_writer *w, const struct pmk_section *s)
{
	if (s->interval)
		fprintf(w->f, "%16.9f ", s->at_seconds);
	if (s->cpu >= 0) {
		char cpu[16];

		snprintf(cpu, sizeof(cpu), "CPU%d", s->cpu);
		fprintf(w->f, "%-8s ", cpu);
	}
	if (s->thread) {
		char *name = pmk_printable(s->thread);

		fprintf(w->f, "%*s ", THREAD_WIDTH, name ? name : "");
		free(name);
	}
}

static void print_spaces(FILE *f, int n)
{
	while (n-- > 0)
		putc(' ', f);
}

static int wider_of(int width, const char *text)
{
	int n = (int)strlen(text);

	return n > width ? n : width;
}

/* Returns the column where remarks begin, counted from the beginning of the row's own text. */
static int remark_at(struct pmk_writer *w)
{
	return VALUE_WIDTH + 6 + state_of(w)->name_width + 1 + TRUST_WIDTH + 2;
}

#define SPREAD_WIDTH   15 /* "  ( +-  0.12% )" */
#define COVERAGE_WIDTH 11 /* "  (100.00%)" */

/* True if a remark, followed by `after` columns, fits the terminal on the line of its row. */
static bool remark_fits(struct pmk_writer *w, const struct pmk_section *s, const char *remark,
			int after)
{
	/* the width of what pmk_text_line_start() prints */
	int start =
		(s->interval ? 17 : 0) + (s->cpu >= 0 ? 9 : 0) + (s->thread ? THREAD_WIDTH + 1 : 0);

	return !w->opt.columns ||
	       start + remark_at(w) + wider_of(0, remark) + after <= (int)w->opt.columns;
}

#define REMARK_INDENT 6

/* Print a remark that does not fit on the line of its row. */
static void put_long_remark(struct pmk_writer *w, const char *remark)
{
	print_spaces(w->f, REMARK_INDENT);
	pmk_printable_wrap(w->f, remark, REMARK_INDENT, REMARK_INDENT + 2, w->opt.columns);
}

/* Print a metric as a remark without a row. */
static int remark_line(struct pmk_writer *w, const struct pmk_section *s,
		       const struct pmk_metric_value *v)
{
	char *remark = remark_text(w, v);

	if (!remark)
		return PMK_ENOMEM;
	if (remark_fits(w, s, remark, 0)) {
		pmk_text_line_start(w, s);
		print_spaces(w->f, remark_at(w));
		fprintf(w->f, "%s\n", remark);
	} else {
		put_long_remark(w, remark);
	}
	free(remark);
	return note_metric(w, s, v);
}

static int row_line(struct pmk_writer *w, const struct pmk_result *r, const struct pmk_section *s,
		    const struct pmk_row *row, bool spread)
{
	struct state *st = state_of(w);
	const char *none = pmk_no_value_text(row->trust);
	int trust_at = st->name_width + 1, metric_at = trust_at + TRUST_WIDTH + 2, used, err = 0;
	bool scaled = row->trust == PMK_TRUST_SCALED, fits = false;
	char *remark = NULL;
	struct pmk_metric_value v;
	char value[PMK_VALUE_SIZE];
	bool beside;

	pmk_text_line_start(w, s);
	st->trusts |= 1u << row->trust;
	if (row->reason)
		err = note_reason(w, row->name, row->reason);
	if (none) {
		fprintf(w->f, "%s%*s%s      ", style_code(w, DIM), VALUE_WIDTH, none,
			style_code(w, PLAIN));
	} else {
		pmk_value_text(value, row, 2, w->opt.big_num);
		fprintf(w->f, "%*s %-4s ", VALUE_WIDTH, value, pmk_unit_text(row));
	}
	/* Pad only if something follows, so that a line does not end with blanks. */
	used = pmk_printable_write(w->f, row->name);
	if (!none) {
		print_spaces(w->f, trust_at - used);
		used = trust_at + fprintf(w->f, "%s", pmk_trust_name(row->trust));
	}
	beside = pmk_metric_beside(w, r, s, row, 0, &v);
	if (beside) {
		remark = remark_text(w, &v);
		fits = remark && remark_fits(w, s, remark,
					     (spread && !none ? SPREAD_WIDTH : 0) +
						     (scaled ? COVERAGE_WIDTH : 0));
		if (!remark || note_metric(w, s, &v))
			err = PMK_ENOMEM;
	}
	if (fits) {
		print_spaces(w->f, metric_at - used);
		fputs(remark, w->f);
	} else if (!none && (spread || scaled)) {
		print_spaces(w->f, metric_at - 2 - used);
	}
	if (spread && !none)
		fprintf(w->f, "  ( +-%6.2f%% )", r->sampled ? row->margin_pct : row->stddev_pct);
	/* Like perf, print the share of time from which a scaled number was extrapolated. */
	if (scaled)
		fprintf(w->f, "  (%.2f%%)", row->coverage * 100);
	putc('\n', w->f);
	if (remark && !fits)
		put_long_remark(w, remark);
	free(remark);
	for (unsigned skip = 1; beside && pmk_metric_beside(w, r, s, row, skip, &v); skip++)
		if (remark_line(w, s, &v))
			err = PMK_ENOMEM;
	return err;
}

/* Print the metrics that are not printed next to a row of this section, on separate lines. */
static int other_metrics(struct pmk_writer *w, const struct pmk_result *r,
			 const struct pmk_section *s)
{
	int err = 0;

	for (unsigned i = 0; w->opt.metrics && w->opt.metrics[i]; i++) {
		struct pmk_metric_value v = pmk_metric_eval(w->opt.metrics[i], r, s);

		if (!v.beside && remark_line(w, s, &v))
			err = PMK_ENOMEM;
	}
	return err;
}

/* ---- regions that were never completed ------------------------------------------------------- */

/* Add a region of firmware that was never completed to a list. There can be many such regions, so
 * the list is one line. */
static int never_completed(struct pmk_writer *w, const struct pmk_section *s)
{
	struct state *st = state_of(w);
	bool first = !st->never;

	if (first)
		st->never = open_memstream(&st->never_text, &st->never_size);
	if (!st->never)
		return PMK_ENOMEM;
	pmk_print(st->never, "%s%s", first ? " never completed: " : ", ", s->region);
	if (s->unmatched)
		fprintf(st->never,
			" (begins or ends without a partner or without readable counters: %llu)",
			(unsigned long long)s->unmatched);
	return 0;
}

/* End the part with the sections. */
static void end_sections(struct pmk_writer *w)
{
	struct state *st = state_of(w);

	if (!st->never)
		return;
	fclose(st->never);
	st->never = NULL;
	fputs("\n", w->f);
	if (st->never_text)
		put_lines(w, st->never_text);
	free(st->never_text);
}

/* ---- sections ------------------------------------------------------------------------------- */

static void section_head(struct pmk_writer *w, const struct pmk_section *s)
{
	struct state *st = state_of(w);

	if (s->interval) {
		if (!st->interval_head)
			fprintf(w->f, "#%15s %s%*s      %s\n", "time",
				s->cpu >= 0 ? "cpu      " : "", VALUE_WIDTH, "counts", "events");
		st->interval_head = true;
	}
	if (s->region) {
		fprintf(w->f, "%s Region '%s", st->rows ? "\n" : "", style_code(w, BOLD));
		pmk_print(w->f, "%s", s->region);
		fprintf(w->f, "%s', entered %llu time%s:\n\n", style_code(w, PLAIN),
			(unsigned long long)s->entries, s->entries == 1 ? "" : "s");
	} else if (!s->interval && st->rows) {
		fprintf(w->f, "\n %s:\n\n", s->cpu >= 0 ? "One processor" : "Whole run");
	}
}

#define METRIC_WIDTH 12

/* Print only metrics: a line with their names, then a line with their values for each section. */
static int metrics_alone(struct pmk_writer *w, const struct pmk_result *r,
			 const struct pmk_section *s)
{
	struct state *st = state_of(w);
	int err = 0;

	if (!st->interval_head || s->region) {
		if (s->interval)
			fprintf(w->f, "#%15s ", "time");
		if (s->cpu >= 0)
			fprintf(w->f, "%-8s ", "cpu");
		if (s->thread)
			fprintf(w->f, "%*s ", THREAD_WIDTH, "thread");
		for (unsigned i = 0; w->opt.metrics && w->opt.metrics[i]; i++)
			fprintf(w->f, "  %*s", METRIC_WIDTH, w->opt.metrics[i]->name);
		putc('\n', w->f);
	}
	st->interval_head = true;
	pmk_text_line_start(w, s);
	for (unsigned i = 0; w->opt.metrics && w->opt.metrics[i]; i++) {
		struct pmk_metric_value v = pmk_metric_eval(w->opt.metrics[i], r, s);
		int width = wider_of(METRIC_WIDTH, v.name);
		char text[48] = "n/a";

		if (v.valid)
			metric_value_text(text, v.value, v.unit, w->opt.big_num);
		if (s->interval && v.no_divisor)
			st->no_divisor = true;
		else if (!v.valid && note_reason(w, v.name, v.reason))
			err = PMK_ENOMEM;
		if (v.valid && strcmp(v.unit, "%") == 0)
			fprintf(w->f, "  %*s%%", width - 1, text);
		else
			fprintf(w->f, "  %*s", width, text);
	}
	putc('\n', w->f);
	for (unsigned i = 0; i < s->nrows; i++)
		st->trusts |= 1u << s->rows[i].trust;
	return err;
}

/* Print the heading, above the first section or profile. */
static void print_heading(struct pmk_writer *w, const struct pmk_result *r)
{
	const char *quote = r->command && strchr(r->command, '\'') ? "" : "'";

	if (state_of(w)->headed)
		return;
	state_of(w)->headed = true;
	fprintf(w->f, "\n Performance counter stats for %s%s", quote, style_code(w, BOLD));
	pmk_print(w->f, "%s", r->command);
	fprintf(w->f, "%s%s", style_code(w, PLAIN), quote);
	if (r->core)
		pmk_print(w->f, " on %s", r->core);
	if (r->runs > 1)
		fprintf(w->f, " (%u runs)", r->runs);
	fputs(":\n\n", w->f);
}

static int text_section(struct pmk_writer *w, const struct pmk_result *r,
			const struct pmk_section *s)
{
	struct state *st = state_of(w);
	bool spread = false;
	int err = 0;

	print_heading(w, r);
	if (s->dump && s->region && !s->entries)
		return never_completed(w, s);
	/* The processors or threads of one run follow each other without a heading, as in perf
	 * -A. */
	if (!w->opt.metric_only ? (s->cpu < 0 && !s->thread) || s->region || s->interval
				: s->region != NULL)
		section_head(w, s);
	st->rows = true;
	if (w->opt.metric_only)
		return metrics_alone(w, r, s);
	if (!s->interval || !st->name_width)
		st->name_width = NAME_WIDTH;
	for (unsigned i = 0; i < s->nrows; i++) {
		int n = (int)strlen(s->rows[i].name);

		st->name_width = n > st->name_width ? n : st->name_width;
		spread |= pmk_trust_has_value(s->rows[i].trust) &&
			  (r->sampled || (r->runs > 1 && s->rows[i].stddev_pct != 0));
	}
	for (unsigned i = 0; i < s->nrows; i++)
		if (row_line(w, r, s, &s->rows[i], spread))
			err = PMK_ENOMEM;
	if (other_metrics(w, r, s))
		err = PMK_ENOMEM;
	if (r->runs > 1 && !spread)
		fprintf(w->f, "\n identical in all %u runs\n", r->runs);
	if (!s->nrows && !s->region)
		fputs(" no events\n", w->f);
	if (pmk_text_print_table(w, s, NULL) || pmk_text_print_spreads(w, s))
		err = PMK_ENOMEM;
	pmk_bars_section(w, &st->bars, s);
	if (s->unmatched)
		fprintf(w->f,
			"\n   begins or ends without a partner or without readable counters: "
			"%llu\n",
			(unsigned long long)s->unmatched);
	return err;
}

/* ---- profiles ------------------------------------------------------------------------------- */

/* Returns the position of a row's samples; `text` is the buffer. */
static const char *position_text(char text[PMK_NUMBER_SIZE], const struct pmk_profile_row *row)
{
	if (row->function)
		return row->function;
	pmk_address_text(text, row);
	return *text ? text : "(polled)";
}

static int text_profile(struct pmk_writer *w, const struct pmk_result *r,
			const struct pmk_profile *p)
{
	static const struct table_column columns[] = { { "  share" },
						       { "   samples" },
						       { "function", .left = true },
						       { "region", .left = true } };
	struct table t = { .column = columns, .ncolumns = 4 };
	char text[PMK_NUMBER_SIZE], share[PMK_NUMBER_SIZE];
	int err = 0;

	print_heading(w, r);
	end_sections(w);
	fprintf(w->f, "\n Samples of %s", p->event->name);
	if (p->period) {
		pmk_number_text(text, p->period, 0, w->opt.big_num);
		fprintf(w->f, ", one every %s", text);
	}
	pmk_number_text(text, p->samples, 0, w->opt.big_num);
	fprintf(w->f, ": %s\n", text);
	for (size_t i = 0; i < p->nrows; i++) {
		const struct pmk_profile_row *row = &p->rows[i];

		pmk_share_text(share, p, row);
		pmk_table_put(&t, "%s%%", share);
		pmk_number_text(text, row->samples, 0, w->opt.big_num);
		pmk_table_put(&t, "%s", text);
		pmk_table_put(&t, "%s", position_text(text, row));
		pmk_table_put(&t, "%s", row->region ? row->region : "-");
		pmk_table_end_row(&t);
	}
	if (p->nrows) {
		putc('\n', w->f);
		err = pmk_table_write_text(&t, w->f, "   ", 0);
	}
	pmk_table_free(&t);
	return err ? PMK_ENOMEM : 0;
}

/* ---- the foot ---------------------------------------------------------------------------- */

/* If more than this many counters have one fixed event each, the report prints only their
 * number. */
#define NAMED_COUNTERS 4

static void counters_text(FILE *f, const struct pmk_pmu *pmu)
{
	unsigned any = 0, latencies = 0, fixed = 0;

	for (unsigned i = 0; i < pmu->ncounters; i++)
		if (pmu->counters[i].extreme_width)
			latencies++;
		else if (pmu->counters[i].fixed_code < 0)
			any++;
		else
			fixed++;
	if (fixed > NAMED_COUNTERS) {
		fprintf(f, "%u counters", pmu->ncounters);
		return;
	}
	fprintf(f, "%u event counter%s", any, any == 1 ? "" : "s");
	if (latencies)
		fprintf(f, " + %u latency counter%s", latencies, latencies == 1 ? "" : "s");
	for (unsigned i = 0; i < pmu->ncounters; i++)
		if (pmu->counters[i].fixed_code >= 0)
			fprintf(f, " + %s", pmu->counters[i].name);
}

/* Returns the second PMU whose events were counted, or NULL. */
static const struct pmk_pmu *pmu_beside(const struct pmk_result *r)
{
	for (unsigned s = 0; s < r->nsections; s++)
		for (unsigned i = 0; i < r->sections[s].nrows; i++)
			if (r->sections[s].rows[i].pmu && r->sections[s].rows[i].pmu != r->pmu)
				return r->sections[s].rows[i].pmu;
	return NULL;
}

static void passes_text(struct pmk_writer *w, const struct pmk_result *r)
{
	const struct pmk_pmu *beside = pmu_beside(r);
	unsigned trusts = state_of(w)->trusts;

	if (!r->passes)
		return;
	fprintf(w->f, ", %u counter group%s", r->passes, r->passes == 1 ? "" : "s");
	if (r->passes > 1 && trusts & 1u << PMK_TRUST_SCALED)
		fputs(" taking turns", w->f);
	if (r->pmu) {
		fputs(" (", w->f);
		counters_text(w->f, r->pmu);
		fputs(r->passes > 1 ? " each" : "", w->f);
		if (beside) {
			fprintf(w->f, "; %s: ", beside->name);
			counters_text(w->f, beside);
		}
		fputs(")", w->f);
	}
}

static void print_legend(struct pmk_writer *w, const struct pmk_result *r)
{
	static const struct {
		enum pmk_trust trust;
		const char *text;
	} words[] = {
		{ PMK_TRUST_EXACT, "exact: defined by the instruction stream" },
		{ PMK_TRUST_MODELLED, "modelled: by the core's parameters" },
		{ PMK_TRUST_MEASURED,
		  "measured: on the machine itself, or in a dump of its signals" },
		{ PMK_TRUST_SCALED, "scaled: extrapolated from the share of time it was counted" },
		{ PMK_TRUST_WRAPPED,
		  "wrapped: a counter overflowed and part was missed, the true value is larger" },
		{ PMK_TRUST_PARTIAL, "partial: a part of the program was not counted" },
		{ PMK_TRUST_INEXACT, "inexact: may be slightly wrong" },
		{ PMK_TRUST_SAMPLED, "sampled: an estimate, the number of samples times their "
				     "period" },
	};
	const char *separator = "; ";

	for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (!(state_of(w)->trusts >> words[i].trust & 1))
			continue;
		fprintf(w->f, "%s%s", separator, words[i].text);
		if (words[i].trust == PMK_TRUST_MODELLED && r->checked)
			fprintf(w->f, ", cycles %s", r->checked);
		separator = ", ";
	}
}

static void print_environment(struct pmk_writer *w, const char *variables, unsigned left_out)
{
	pmk_print(w->f, " environment: %s", variables);
	if (left_out)
		fprintf(w->f, "; %u of your environment variables %s not passed (see --env)",
			left_out, left_out == 1 ? "was" : "were");
	putc('\n', w->f);
}

static void how_counted(struct pmk_writer *w, const struct pmk_result *r)
{
	if (!r->producer)
		return;
	fprintf(w->f, "\n counted by %s", r->producer);
	if (r->core)
		pmk_print(w->f, " as %s", r->core);
	if (r->settings && *r->settings)
		pmk_print(w->f, " with %s", r->settings);
	passes_text(w, r);
	print_legend(w, r);
	putc('\n', w->f);
	if (r->processes > 1 || r->threads > 1)
		fprintf(w->f, " %u process%s, %u thread%s\n", r->processes,
			r->processes == 1 ? "" : "es", r->threads, r->threads == 1 ? "" : "s");
	if (r->environment && r->env_left_out)
		print_environment(w, r->environment, r->env_left_out);
	else if (r->env && *r->env)
		print_environment(w, r->env, 0);
	if (r->host_time)
		fputs(" devices run on the host's time: counts may differ from run to run "
		      "(not with QEMU's -icount shift=0,sleep=off)\n",
		      w->f);
}

/* With -v, print the meaning of each event, the document that defines it, and the formula of each
 * metric. */
static void print_references(struct pmk_writer *w, const struct pmk_result *r)
{
	const struct pmk_section *s = r->nsections ? &r->sections[0] : NULL;

	if (!s)
		return;
	putc('\n', w->f);
	for (unsigned i = 0; i < s->nrows; i++) {
		const struct pmk_event *ev = s->rows[i].event;

		if (!ev)
			continue;
		fprintf(w->f, " %s (0x%02x, %s): %s\n", s->rows[i].name, ev->code, ev->ref,
			ev->brief);
		if (ev->caveat)
			fprintf(w->f, "     %s\n", ev->caveat);
	}
	for (unsigned i = 0; w->opt.metrics && w->opt.metrics[i]; i++)
		fprintf(w->f, " %s: %s\n", w->opt.metrics[i]->name, w->opt.metrics[i]->formula);
}

/* Returns the standard deviation of the mean of the runs' times, in seconds. */
static double elapsed_error(const struct pmk_result *r)
{
	double sum = 0;

	for (unsigned i = 0; i < r->nrun_seconds; i++)
		sum += (r->run_seconds[i] - r->elapsed) * (r->run_seconds[i] - r->elapsed);
	return r->nrun_seconds > 1 ? sqrt(sum / (r->nrun_seconds - 1) / r->nrun_seconds) : 0;
}

static void print_elapsed(struct pmk_writer *w, const struct pmk_result *r)
{
	double error = elapsed_error(r);

	if (r->nrun_seconds > 1)
		fprintf(w->f, "\n%18.9f +- %.9f seconds time elapsed  ( +-%6.2f%% )\n", r->elapsed,
			error, 100 * error / r->elapsed);
	else
		fprintf(w->f, "\n%18.9f seconds time elapsed\n", r->elapsed);
}

#define PER_MARK 5 /* percent of the mean, as in perf */
#define MARKS	 100

/* Print the distance of each run from the mean, like perf's --table. */
static void run_table(struct pmk_writer *w, const struct pmk_result *r)
{
	fputs("\n           # Table of individual measurements:\n", w->f);
	for (unsigned i = 0; i < r->nrun_seconds; i++) {
		double away = r->run_seconds[i] - r->elapsed;
		double marks = fabs(away) / r->elapsed * 100 / PER_MARK;

		fprintf(w->f, "           %.9f (%+.9f) ", r->run_seconds[i], away);
		for (double n = 0; n < marks && n < MARKS; n++)
			putc('#', w->f);
		putc('\n', w->f);
	}
	fputs("\n           # Final result:", w->f);
	print_elapsed(w, r);
}

/* Print the notes, how the events were counted, the warnings, and the times. */
static void write_foot(struct pmk_writer *w, const struct pmk_result *r)
{
	struct state *st = state_of(w);

	if (st->nnotes || st->no_divisor)
		putc('\n', w->f);
	if (st->no_divisor)
		fputs(" n/a in an interval: the metric would divide by a count of 0\n", w->f);
	for (unsigned i = 0; i < st->nnotes; i++) {
		pmk_print(w->f, " %s: %s\n", st->notes[i].names, st->notes[i].reason);
		free(st->notes[i].names);
		free(st->notes[i].reason);
	}
	free(st->notes);
	if (w->opt.verbose)
		print_references(w, r);
	how_counted(w, r);
	if ((r->warning && *r->warning) || (r->note && *r->note)) {
		putc('\n', w->f);
		pmk_write_warnings(w, r, " ");
	}
	if (w->opt.table && r->nrun_seconds > 1)
		run_table(w, r);
	else if (r->elapsed > 0)
		print_elapsed(w, r);
	if (r->has_cpu_time)
		fprintf(w->f, "\n%18.9f seconds user\n%18.9f seconds sys\n", r->user, r->sys);
	putc('\n', w->f);
}

static int text_end(struct pmk_writer *w, const struct pmk_result *r)
{
	struct state *st = state_of(w);
	FILE *f = w->f, *foot;
	char *text = NULL;
	size_t size;

	end_sections(w);
	pmk_bars_end(w, &st->bars, r);
	foot = open_memstream(&text, &size);
	w->f = foot ? foot : f;
	write_foot(w, r);
	w->f = f;
	if (foot && !fclose(foot))
		put_lines(w, text);
	free(text);
	return foot ? 0 : PMK_ENOMEM;
}

const struct pmk_writer_ops pmk_writer_text = {
	.state_size = sizeof(struct state),
	.section = text_section,
	.profile = text_profile,
	.end = text_end,
};
