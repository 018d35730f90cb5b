// SPDX-License-Identifier: MIT
/*
 * The result, and the functions that all writers share. Writers always run in the C locale. The
 * first failure of a stream is kept, and the document is still closed.
 *
 * Flushing the stream's buffer reveals write errors, so every section is flushed: a reader of a
 * pipe sees an interval when it has ended, and a full disk is reported at once.
 */
#define _GNU_SOURCE
#include <pmk/result.h>

#include <inttypes.h>
#include <locale.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/print.h"
#include "result/internal.h"

static const char *const trust_names[] = {
	[PMK_TRUST_EXACT] = "exact",
	[PMK_TRUST_MODELLED] = "modelled",
	[PMK_TRUST_MEASURED] = "measured",
	[PMK_TRUST_SCALED] = "scaled",
	[PMK_TRUST_WRAPPED] = "wrapped",
	[PMK_TRUST_PARTIAL] = "partial",
	[PMK_TRUST_INEXACT] = "inexact",
	[PMK_TRUST_SAMPLED] = "sampled",
	[PMK_TRUST_NOT_SUPPORTED] = "not supported",
	[PMK_TRUST_NOT_COUNTED] = "not counted",
};

const char *pmk_trust_name(enum pmk_trust t)
{
	return (unsigned)t < sizeof(trust_names) / sizeof(trust_names[0]) ? trust_names[t]
									  : "unknown";
}

bool pmk_trust_has_value(enum pmk_trust t)
{
	return t != PMK_TRUST_NOT_SUPPORTED && t != PMK_TRUST_NOT_COUNTED;
}

const char *pmk_no_value_text(enum pmk_trust t)
{
	if (t == PMK_TRUST_NOT_SUPPORTED)
		return "<not supported>";
	return t == PMK_TRUST_NOT_COUNTED ? "<not counted>" : NULL;
}

void pmk_result_init(struct pmk_result *r)
{
	memset(r, 0, sizeof(*r));
	r->runs = 1;
}

void pmk_result_free(struct pmk_result *r)
{
	while (r->nsections)
		pmk_result_drop(r);
	free(r->sections);
	for (unsigned i = 0; i < r->ndumps; i++) {
		free(r->dumps[i].pmu);
		free(r->dumps[i].reason);
	}
	free(r->dumps);
	free(r->run_seconds);
	free(r->core);
	free(r->checked);
	free(r->command);
	free(r->producer);
	free(r->settings);
	free(r->env);
	free(r->environment);
	free(r->warning);
	free(r->note);
	pmk_result_init(r);
}

struct pmk_section *pmk_result_add(struct pmk_result *r, const char *region, unsigned nrows)
{
	char *name = region ? strdup(region) : NULL;
	struct pmk_row *rows = calloc(nrows ? nrows : 1, sizeof(*rows));
	struct pmk_section *grown = NULL, *s;

	if (rows && (name || !region))
		grown = realloc(r->sections, (r->nsections + 1) * sizeof(*grown));
	if (!grown) {
		free(rows);
		free(name);
		return NULL;
	}
	r->sections = grown;
	s = &grown[r->nsections++];
	*s = (struct pmk_section){ .region = name, .cpu = -1, .rows = rows, .nrows = nrows };
	return s;
}

void pmk_result_drop(struct pmk_result *r)
{
	struct pmk_section *s = &r->sections[--r->nsections];

	for (unsigned i = 0; i < s->nrows; i++)
		free(s->rows[i].dist.histogram);
	free(s->region);
	free(s->thread);
	free(s->rows);
}

int pmk_result_ran(struct pmk_result *r, double seconds)
{
	unsigned n = r->nrun_seconds;
	double *grown = realloc(r->run_seconds, (n + 1) * sizeof(*grown));

	if (!grown)
		return PMK_ENOMEM;
	r->run_seconds = grown;
	grown[n] = seconds;
	r->nrun_seconds = n + 1;
	r->elapsed += (seconds - r->elapsed) / (n + 1);
	return 0;
}

struct pmk_dump_facts *pmk_result_add_dump(struct pmk_result *r)
{
	struct pmk_dump_facts *grown = realloc(r->dumps, (r->ndumps + 1) * sizeof(*grown));

	if (!grown)
		return NULL;
	r->dumps = grown;
	grown[r->ndumps] = (struct pmk_dump_facts){ 0 };
	return &grown[r->ndumps++];
}

/* Append a line to a text. If out of memory, the line is lost. */
static void add_line(char **text, const char *fmt, va_list ap)
{
	char *line, *all;
	int n = vasprintf(&line, fmt, ap);

	if (n < 0)
		return;
	n = *text ? asprintf(&all, "%s\n%s", *text, line) : asprintf(&all, "%s", line);
	free(line);
	if (n < 0)
		return;
	free(*text);
	*text = all;
}

void pmk_result_warn(struct pmk_result *r, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	add_line(&r->warning, fmt, ap);
	va_end(ap);
}

void pmk_result_note(struct pmk_result *r, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	add_line(&r->note, fmt, ap);
	va_end(ap);
}

void pmk_profile_free(struct pmk_profile *p)
{
	for (size_t i = 0; p->rows && i < p->nrows; i++) {
		free(p->rows[i].function);
		free(p->rows[i].region);
	}
	free(p->rows);
	*p = (struct pmk_profile){ 0 };
}

/* ---- common to the writers ------------------------------------------------------------------- */

const struct pmk_row *pmk_section_row(const struct pmk_section *s, const struct pmk_event *ev)
{
	const struct pmk_row *found = NULL;

	for (unsigned i = 0; i < s->nrows; i++) {
		if (s->rows[i].event != ev)
			continue;
		if (!found || !pmk_trust_has_value(found->trust))
			found = &s->rows[i];
	}
	return found;
}

bool pmk_metric_beside(const struct pmk_writer *w, const struct pmk_result *r,
		       const struct pmk_section *s, const struct pmk_row *row, unsigned skip,
		       struct pmk_metric_value *out)
{
	/* If one event has two rows (cycles, cpu_cycles), the first has the metrics. */
	for (unsigned i = 0; &s->rows[i] != row; i++)
		if (s->rows[i].event == row->event)
			return false;
	for (unsigned i = 0; w->opt.metrics && w->opt.metrics[i]; i++) {
		const struct pmk_metric *m = w->opt.metrics[i];

		/* Most metrics are for other events; this check avoids evaluating them. */
		if (w->beside[i] != row->event)
			continue;
		*out = pmk_metric_eval(m, r, s);
		if (out->beside && out->beside == row->event && skip-- == 0)
			return true;
	}
	return false;
}

void pmk_write_lines(struct pmk_writer *w, const struct pmk_result *r, const struct pmk_section *s,
		     pmk_row_line *row_line, pmk_metric_line *metric_line)
{
	struct pmk_metric_value v;

	for (unsigned i = 0; i < s->nrows; i++) {
		const struct pmk_row *row = &s->rows[i];
		bool beside = pmk_metric_beside(w, r, s, row, 0, &v);

		row_line(w, r, s, row, beside ? &v : NULL);
		for (unsigned skip = 1; beside && pmk_metric_beside(w, r, s, row, skip, &v); skip++)
			metric_line(w, r, s, &v);
	}
	for (unsigned i = 0; w->opt.metrics && w->opt.metrics[i]; i++) {
		v = pmk_metric_eval(w->opt.metrics[i], r, s);
		if (!v.beside)
			metric_line(w, r, s, &v);
	}
}

/* Clocks count nanoseconds, but perf shows milliseconds. */
#define MSEC_DECIMALS 6

static bool is_clock(const struct pmk_row *row)
{
	return row->unit && !strcmp(row->unit, "ns");
}

/* The kernel may put a factor before a unit, as in "2.3e-10 Joules". Returns the factor, or 1 if
 * there is none; *unit becomes the text after it. */
static double scale_of(const struct pmk_row *row, const char **unit)
{
	const char *text = row->unit ? row->unit : "";
	double scale = 1;

	if (!pmk_real_read(&text, &scale))
		text += strspn(text, " ");
	*unit = text;
	return scale;
}

const char *pmk_unit_text(const struct pmk_row *row)
{
	const char *unit;

	if (is_clock(row))
		return "msec";
	scale_of(row, &unit);
	return unit;
}

void pmk_value_text(char text[PMK_VALUE_SIZE], const struct pmk_row *row, unsigned decimals,
		    bool group)
{
	const char *unit;
	double scale = scale_of(row, &unit);
	uint64_t step = 1;

	for (unsigned i = decimals; i < MSEC_DECIMALS; i++)
		step *= 10;
	if (is_clock(row))
		pmk_number_text(text, row->value / step + (row->value % step >= (step + 1) / 2),
				decimals, group);
	else if (scale != 1)
		snprintf(text, PMK_VALUE_SIZE, "%.*f", (int)decimals, (double)row->value * scale);
	else
		pmk_number_text(text, row->value, 0, group);
}

uint64_t pmk_latency_sum(const struct pmk_result *r, const struct pmk_row *row)
{
	uint64_t runs = r->runs ? r->runs : 1;

	return (row->dist.values.sum + runs / 2) / runs;
}

/* A number of 128 bits, with the most significant word first. */
#define WORDS 4

/* Divide the number by d. Returns the remainder. */
static uint32_t divide_words(uint32_t v[WORDS], uint32_t d)
{
	uint64_t rest = 0;

	for (unsigned i = 0; i < WORDS; i++) {
		rest = rest << 32 | v[i];
		v[i] = (uint32_t)(rest / d);
		rest %= d;
	}
	return (uint32_t)rest;
}

void pmk_latency_squares_text(char text[PMK_SQUARES_SIZE], const struct pmk_result *r,
			      const struct pmk_row *row)
{
	const struct pmk_stats *s = &row->dist.values;
	uint32_t v[WORDS] = { (uint32_t)(s->sq_high >> 32), (uint32_t)s->sq_high,
			      (uint32_t)(s->sq_low >> 32), (uint32_t)s->sq_low };
	uint32_t runs = r->runs ? r->runs : 1, rest = divide_words(v, runs);
	char digits[PMK_SQUARES_SIZE];
	unsigned n = sizeof(digits) - 1;

	for (unsigned i = WORDS; rest >= runs - rest && i-- > 0;)
		if (++v[i])
			break;
	digits[n] = '\0';
	do {
		digits[--n] = (char)('0' + divide_words(v, 10));
	} while (v[0] | v[1] | v[2] | v[3]);
	strcpy(text, digits + n);
}

void pmk_bucket_text(char text[PMK_BUCKET_SIZE], unsigned bucket)
{
	uint64_t first = pmk_bucket_first(bucket), last = pmk_bucket_last(bucket);

	if (first == last)
		snprintf(text, PMK_BUCKET_SIZE, "%" PRIu64, first);
	else
		snprintf(text, PMK_BUCKET_SIZE, "%" PRIu64 "-%" PRIu64, first, last);
}

static void write_lines(FILE *f, const char *text, const char *before, const char *kind)
{
	for (char *line; (line = pmk_print_line(&text)); free(line)) {
		fprintf(f, "%s%s: ", before, kind);
		pmk_print(f, "%s\n", line);
	}
}

void pmk_write_warnings(struct pmk_writer *w, const struct pmk_result *r, const char *before)
{
	write_lines(w->f, r->warning, before, "warning");
	write_lines(w->f, r->note, before, "note");
}

bool pmk_times_latencies(const struct pmk_result *r)
{
	return r->pmu && pmk_pmu_times_latencies(r->pmu);
}

const char *const pmk_detail_keys[PMK_DETAILS] = {
	[PMK_DETAIL_PERIOD] = "period", [PMK_DETAIL_COST] = "cost", [PMK_DETAIL_NESTED] = "nested",
	[PMK_DETAIL_RAW] = "raw",	[PMK_DETAIL_MEAN] = "mean", [PMK_DETAIL_STDDEV] = "stddev",
	[PMK_DETAIL_MIN] = "min",	[PMK_DETAIL_MAX] = "max",
};

/* Write a scaled number. It has no decimals if they do not fit. */
static void scaled_text(char *text, uint64_t (*of)(const struct pmk_stats *, uint32_t),
			const struct pmk_stats *s, unsigned decimals, bool group)
{
	uint64_t v = of(s, decimals == 3 ? 1000 : 100);

	if (v == UINT64_MAX)
		pmk_number_text(text, of(s, 1), 0, group);
	else
		pmk_number_text(text, v, decimals, group);
}

static void number_text(char *text, bool there, uint64_t value, bool group)
{
	*text = '\0';
	if (there)
		pmk_number_text(text, value, 0, group);
}

void pmk_detail_text(char text[PMK_NUMBER_SIZE], const struct pmk_row *row, enum pmk_detail which,
		     unsigned decimals, bool group)
{
	const struct pmk_distribution *d = &row->dist;
	uint64_t n = row->has_dist ? d->values.n : 0;
	bool region = row->has_dist && !d->latency;
	bool extremes = n && (!d->latency || d->values.min <= d->values.max);

	*text = '\0';
	switch (which) {
	case PMK_DETAIL_PERIOD:
		number_text(text, row->period, row->period, group);
		break;
	case PMK_DETAIL_COST:
		number_text(text, region, d->cost, group);
		break;
	case PMK_DETAIL_NESTED:
		number_text(text, region, d->nested, group);
		break;
	case PMK_DETAIL_RAW:
		number_text(text, region, d->raw, group);
		break;
	case PMK_DETAIL_MEAN:
		if (n)
			scaled_text(text, pmk_stats_mean, &d->values, decimals, group);
		break;
	case PMK_DETAIL_STDDEV:
		if (d->latency && n)
			scaled_text(text, pmk_stats_deviation, &d->values, decimals, group);
		else if (n > 1)
			scaled_text(text, pmk_stats_stddev, &d->values, decimals, group);
		break;
	case PMK_DETAIL_MIN:
		number_text(text, extremes, d->values.min, group);
		break;
	case PMK_DETAIL_MAX:
		number_text(text, extremes, d->values.max, group);
		break;
	case PMK_DETAILS:
		break;
	}
}

void pmk_share_text(char text[PMK_NUMBER_SIZE], const struct pmk_profile *p,
		    const struct pmk_profile_row *row)
{
	/* Samples are in memory, so there are fewer than 2^50. */
	pmk_number_text(text, (row->samples * 10000 + p->samples / 2) / p->samples, 2, false);
}

void pmk_address_text(char text[PMK_NUMBER_SIZE], const struct pmk_profile_row *row)
{
	*text = '\0';
	if (row->somewhere)
		snprintf(text, PMK_NUMBER_SIZE, "0x%08llx", (unsigned long long)row->address);
}

void pmk_metric_text(char *buf, size_t size, double value)
{
	snprintf(buf, size, "%.6f", value);
}

void pmk_metric_unit_text(char *buf, size_t size, const struct pmk_metric_value *v)
{
	snprintf(buf, size, "%s%s%s", v->unit, *v->unit ? "  " : "", v->name);
}

/* ---- the front of the writers --------------------------------------------------------------- */

/* The C locale, which is used during a call of a writer's function, and the locale before the
 * call. */
struct call {
	locale_t c, before;
};

static bool enter_call(struct call *call)
{
	call->c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	if (call->c == (locale_t)0)
		return false;
	call->before = uselocale(call->c);
	return true;
}

static int leave_call(struct call *call, struct pmk_writer *w, int err)
{
	if (call->c != (locale_t)0) {
		uselocale(call->before);
		freelocale(call->c);
	}
	if ((fflush(w->f) != 0 || ferror(w->f)) && !err)
		err = PMK_EIO;
	if (err && !w->error)
		w->error = err;
	return w->error;
}

static const struct pmk_writer_ops *const formats[] = {
	[PMK_FORMAT_TEXT] = &pmk_writer_text,
	[PMK_FORMAT_CSV] = &pmk_writer_csv,
	[PMK_FORMAT_JSON] = &pmk_writer_json,
	[PMK_FORMAT_JSON_LINES] = &pmk_writer_json_lines,
};

/* Find the event next to which each metric is printed; there is none without a PMU. This is done
 * only once. */
static bool find_beside(struct pmk_writer *w, const struct pmk_pmu *pmu)
{
	unsigned n = 0;

	while (w->opt.metrics && w->opt.metrics[n])
		n++;
	w->beside = calloc(n + 1, sizeof(*w->beside));
	for (unsigned i = 0; w->beside && pmu && i < n; i++)
		w->beside[i] = pmk_pmu_event(pmu, w->opt.metrics[i]->beside);
	return w->beside != NULL;
}

struct pmk_writer *pmk_writer_begin(FILE *f, const struct pmk_write_options *opt,
				    const struct pmk_result *r)
{
	const struct pmk_writer_ops *ops = formats[opt->format];
	struct pmk_writer *w = calloc(1, sizeof(*w) + ops->state_size);
	struct call call;

	if (!w)
		return NULL;
	w->ops = ops;
	w->f = f;
	w->opt = *opt;
	w->state = w + 1;
	if (!w->opt.separator || !*w->opt.separator)
		w->opt.separator = ",";
	if (!find_beside(w, r->pmu)) {
		free(w);
		return NULL;
	}
	if (ops->begin)
		leave_call(&call, w, enter_call(&call) ? ops->begin(w, r) : PMK_ENOMEM);
	return w;
}

int pmk_writer_section(struct pmk_writer *w, const struct pmk_result *r,
		       const struct pmk_section *s)
{
	struct call call;

	return leave_call(&call, w, enter_call(&call) ? w->ops->section(w, r, s) : PMK_ENOMEM);
}

int pmk_writer_profile(struct pmk_writer *w, const struct pmk_result *r,
		       const struct pmk_profile *p)
{
	struct call call;

	return leave_call(&call, w, enter_call(&call) ? w->ops->profile(w, r, p) : PMK_ENOMEM);
}

int pmk_writer_end(struct pmk_writer *w, const struct pmk_result *r)
{
	struct call call;
	int err = leave_call(&call, w, enter_call(&call) ? w->ops->end(w, r) : PMK_ENOMEM);

	free(w->beside);
	free(w);
	return err;
}
