// SPDX-License-Identifier: MIT
/*
 * The text report, in perf's shape: value, event, what the value is worth, and a metric behind '#'.
 *
 *	      1,234,567      instr_exec   exact     #       1.73  cycles per instruction (cpi)
 *	<not supported>      etmextout_0
 *
 * What would be said on many lines is said once at the end: why events have no value, how it was
 * counted, what the words of the trust column mean. This format is for people and may change; CSV
 * and JSON do not.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <pmk/error.h>

#include "result/internal.h"

#define VALUE_WIDTH 18 /* as perf */
#define NAME_WIDTH  24
#define TRUST_WIDTH 8

/* A reason, and the events or metrics it holds for. */
struct note {
	char *names; /* "etmextout_0, etmextout_1" */
	char *reason;
};

struct state {
	struct note *notes;
	unsigned nnotes;
	unsigned trusts; /* bit per enum pmk_trust that was printed */
	bool interval_head;
	bool rows; /* a section was printed */
	int name_width;
};

static struct state *state_of(struct pmk_writer *w)
{
	return w->state;
}

/* ---- pieces --------------------------------------------------------------------------------- */

static const char *bold(const struct pmk_writer *w)
{
	return w->opt.colour ? "\033[1m" : "";
}

static const char *dim(const struct pmk_writer *w)
{
	return w->opt.colour ? "\033[2m" : "";
}

static const char *plain(const struct pmk_writer *w)
{
	return w->opt.colour ? "\033[0m" : "";
}

/* 1234567 as "1,234,567" (or without commas). 27 bytes are enough for any. */
static void count_text(char *buf, size_t size, uint64_t value, bool group)
{
	char digits[24];
	int n = snprintf(digits, sizeof(digits), "%llu", (unsigned long long)value);
	size_t at = 0;

	for (int i = 0; i < n && at + 2 < size; i++) {
		if (group && i && (n - i) % 3 == 0)
			buf[at++] = ',';
		buf[at++] = digits[i];
	}
	buf[at] = '\0';
}

/* Two decimals as perf; four for what would read 0.00, none for a large whole number. */
static void metric_value_text(char *buf, size_t size, double v, bool group)
{
	if (v >= 1000 && v < 1e18 && v == floor(v))
		count_text(buf, size, (uint64_t)v, group);
	else
		snprintf(buf, size, "%.*f", v != 0 && fabs(v) < 0.1 ? 4 : 2, v);
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

/* Remember why `name` has no value. Names of one reason are told together. */
static int note(struct pmk_writer *w, const char *name, const char *reason)
{
	struct state *st = state_of(w);
	struct note *grown, *n = NULL;
	char *names;
	size_t size;

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
	size = strlen(n->names) + strlen(name) + 3;
	names = malloc(size);
	if (!names)
		return PMK_ENOMEM;
	snprintf(names, size, "%s, %s", n->names, name);
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

static int metric(struct pmk_writer *w, const struct pmk_metric_value *v)
{
	char text[48] = "n/a";
	bool percent = strcmp(v->unit, "%") == 0;

	if (v->valid)
		metric_value_text(text, sizeof(text), v->value, w->opt.big_num);
	fprintf(w->f, "# %10s%s %s (%s)", text, percent && v->valid ? "%" : " ",
		title_of(w, v->name), v->name);
	return v->valid ? 0 : note(w, v->name, v->reason);
}

/* ---- rows ----------------------------------------------------------------------------------- */

/* What stands before the value of every line of a section. */
static void line_start(struct pmk_writer *w, const struct pmk_section *s)
{
	if (s->interval)
		fprintf(w->f, "%16.9f ", s->at_seconds);
	if (s->cpu >= 0) {
		char cpu[16];

		snprintf(cpu, sizeof(cpu), "CPU%d", s->cpu);
		fprintf(w->f, "%-8s ", cpu);
	}
}

static void spaces(FILE *f, int n)
{
	while (n-- > 0)
		putc(' ', f);
}

static int row_line(struct pmk_writer *w, const struct pmk_result *r, const struct pmk_section *s,
		    const struct pmk_row *row, bool spread)
{
	struct state *st = state_of(w);
	const char *none = pmk_no_value_text(row->trust);
	int trust_at = st->name_width + 1, metric_at = trust_at + TRUST_WIDTH + 2, used, err = 0;
	struct pmk_metric_value v;
	char value[48];
	bool beside;

	line_start(w, s);
	st->trusts |= 1u << row->trust;
	if (none) {
		fprintf(w->f, "%s%*s%s      ", dim(w), VALUE_WIDTH, none, plain(w));
		err = row->reason ? note(w, row->name, row->reason) : 0;
	} else {
		count_text(value, sizeof(value), row->value, w->opt.big_num);
		fprintf(w->f, "%*s      ", VALUE_WIDTH, value);
	}
	/* No blanks at the end of a line: pad only when something follows. */
	used = fprintf(w->f, "%s", row->name);
	if (!none) {
		spaces(w->f, trust_at - used);
		used = trust_at + fprintf(w->f, "%s", pmk_trust_name(row->trust));
	}
	beside = pmk_metric_beside(w, r, s, row, 0, &v);
	if (beside) {
		spaces(w->f, metric_at - used);
		if (metric(w, &v))
			err = PMK_ENOMEM;
	} else if (!none && (spread || row->trust == PMK_TRUST_SCALED)) {
		spaces(w->f, metric_at - 2 - used);
	}
	if (spread && !none)
		fprintf(w->f, "  ( +-%6.2f%% )", row->stddev_pct);
	/* As perf: what a scaled number was extrapolated from. */
	if (row->trust == PMK_TRUST_SCALED)
		fprintf(w->f, "  (%.2f%%)", row->coverage * 100);
	putc('\n', w->f);
	for (unsigned skip = 1; beside && pmk_metric_beside(w, r, s, row, skip, &v); skip++) {
		line_start(w, s);
		spaces(w->f, VALUE_WIDTH + 6 + metric_at);
		if (metric(w, &v))
			err = PMK_ENOMEM;
		putc('\n', w->f);
	}
	return err;
}

/* Metrics that belong beside no row of this section get lines of their own. */
static int other_metrics(struct pmk_writer *w, const struct pmk_result *r,
			 const struct pmk_section *s)
{
	int err = 0;

	for (unsigned i = 0; w->opt.metrics && w->opt.metrics[i]; i++) {
		struct pmk_metric_value v = pmk_metric_eval(w->opt.metrics[i], r, s);

		if (v.beside)
			continue;
		line_start(w, s);
		spaces(w->f, VALUE_WIDTH + 6 + state_of(w)->name_width + 1 + TRUST_WIDTH + 2);
		if (metric(w, &v))
			err = PMK_ENOMEM;
		putc('\n', w->f);
	}
	return err;
}

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
		fprintf(w->f, "%s Region '%s%s%s', entered %llu time%s:\n\n", st->rows ? "\n" : "",
			bold(w), s->region, plain(w), (unsigned long long)s->entries,
			s->entries == 1 ? "" : "s");
	} else if (!s->interval && st->rows) {
		fprintf(w->f, "\n %s:\n\n", s->cpu >= 0 ? "One processor" : "Whole run");
	}
}

static int text_section(struct pmk_writer *w, const struct pmk_result *r,
			const struct pmk_section *s)
{
	struct state *st = state_of(w);
	bool spread = false;
	int err = 0;

	/* Processors of one run follow each other as in perf -A, without a heading between them. */
	if (s->cpu < 0 || s->region || s->interval)
		section_head(w, s);
	st->rows = true;
	if (!s->interval || !st->name_width)
		st->name_width = NAME_WIDTH;
	for (unsigned i = 0; i < s->nrows; i++) {
		int n = (int)strlen(s->rows[i].name);

		st->name_width = n > st->name_width ? n : st->name_width;
		spread |= r->runs > 1 && pmk_trust_has_value(s->rows[i].trust) &&
			  s->rows[i].stddev_pct != 0;
	}
	for (unsigned i = 0; i < s->nrows; i++)
		if (row_line(w, r, s, &s->rows[i], spread))
			err = PMK_ENOMEM;
	if (other_metrics(w, r, s))
		err = PMK_ENOMEM;
	if (r->runs > 1 && !spread)
		fprintf(w->f, "\n identical in all %u runs\n", r->runs);
	return err;
}

/* ---- head and foot -------------------------------------------------------------------------- */

static int text_begin(struct pmk_writer *w, const struct pmk_result *r)
{
	const char *quote = r->command && strchr(r->command, '\'') ? "" : "'";

	fprintf(w->f, "\n Performance counter stats for %s%s%s%s%s", quote, bold(w),
		r->command ? r->command : "", plain(w), quote);
	if (r->core)
		fprintf(w->f, " on %s", r->core);
	if (r->runs > 1)
		fprintf(w->f, " (%u runs)", r->runs);
	fputs(":\n\n", w->f);
	return 0;
}

/* "2 event counters + CCNT" */
static void counters_text(FILE *f, const struct pmk_pmu *pmu)
{
	unsigned any = 0;

	for (unsigned i = 0; i < pmu->ncounters; i++)
		any += pmu->counters[i].fixed_code < 0;
	fprintf(f, "%u event counter%s", any, any == 1 ? "" : "s");
	for (unsigned i = 0; i < pmu->ncounters; i++)
		if (pmu->counters[i].fixed_code >= 0)
			fprintf(f, " + %s", pmu->counters[i].name);
}

static void passes_text(struct pmk_writer *w, const struct pmk_result *r)
{
	unsigned trusts = state_of(w)->trusts;
	bool emulated = trusts & (1u << PMK_TRUST_EXACT | 1u << PMK_TRUST_MODELLED);

	if (!r->passes)
		return;
	fprintf(w->f, ", %u pass%s", r->passes, r->passes == 1 ? "" : "es");
	if (r->passes > 1 && trusts & 1u << PMK_TRUST_SCALED)
		fputs(" taking turns", w->f);
	else if (r->passes > 1 && emulated)
		fputs(" at once", w->f);
	if (r->pmu) {
		fputs(" (", w->f);
		counters_text(w->f, r->pmu);
		fputs(r->passes > 1 ? " each)" : ")", w->f);
	}
}

static void legend(struct pmk_writer *w)
{
	static const struct {
		enum pmk_trust trust;
		const char *text;
	} words[] = {
		{ PMK_TRUST_EXACT, "exact: defined by the instruction stream" },
		{ PMK_TRUST_MODELLED, "modelled: by the core's parameters" },
		{ PMK_TRUST_MEASURED, "measured: by the hardware" },
		{ PMK_TRUST_SCALED, "scaled: extrapolated from the share of time it was counted" },
		{ PMK_TRUST_WRAPPED,
		  "wrapped: a counter overflowed unseen, the true value is larger" },
	};
	const char *separator = "; ";

	for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (!(state_of(w)->trusts >> words[i].trust & 1))
			continue;
		fprintf(w->f, "%s%s", separator, words[i].text);
		separator = ", ";
	}
}

static void how_counted(struct pmk_writer *w, const struct pmk_result *r)
{
	if (!r->producer)
		return;
	fprintf(w->f, "\n counted by %s", r->producer);
	if (r->core)
		fprintf(w->f, " as %s", r->core);
	if (r->settings && *r->settings)
		fprintf(w->f, " with %s", r->settings);
	passes_text(w, r);
	legend(w);
	putc('\n', w->f);
	if (r->processes > 1 || r->threads > 1)
		fprintf(w->f, " %u process%s, %u thread%s\n", r->processes,
			r->processes == 1 ? "" : "es", r->threads, r->threads == 1 ? "" : "s");
	if (r->env && *r->env)
		fprintf(w->f, " environment: %s\n", r->env);
}

/* -v: what each event means and where that is written. */
static void references(struct pmk_writer *w, const struct pmk_result *r)
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

/* Every line of the warning on a line of its own. */
static void warnings(struct pmk_writer *w, const char *text)
{
	while (text && *text) {
		size_t n = strcspn(text, "\n");

		fprintf(w->f, " warning: %.*s\n", (int)n, text);
		text += n + (text[n] == '\n');
	}
}

static int text_end(struct pmk_writer *w, const struct pmk_result *r)
{
	struct state *st = state_of(w);

	if (st->nnotes)
		putc('\n', w->f);
	for (unsigned i = 0; i < st->nnotes; i++) {
		fprintf(w->f, " %s: %s\n", st->notes[i].names, st->notes[i].reason);
		free(st->notes[i].names);
		free(st->notes[i].reason);
	}
	free(st->notes);
	if (w->opt.verbose)
		references(w, r);
	how_counted(w, r);
	if (r->warning && *r->warning) {
		putc('\n', w->f);
		warnings(w, r->warning);
	}
	if (r->elapsed > 0)
		fprintf(w->f, "\n%18.9f seconds time elapsed\n", r->elapsed);
	putc('\n', w->f);
	return 0;
}

const struct pmk_writer_ops pmk_writer_text = {
	.state_size = sizeof(struct state),
	.begin = text_begin,
	.section = text_section,
	.end = text_end,
};
