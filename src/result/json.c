// SPDX-License-Identifier: MIT
/*
 * Writes a result as one JSON document, with the keys of perf's -j (docs/FORMATS.md):
 *
 * 	{"format":"pmk-stat","version":1,"command":…,"pmu":…,"core":…,"settings":…,"env":…,
 * 	"environment":…,"host-time":…,"runs":…,
 * 	"counters":[
 * 	{…},
 * 	{…}
 * 	],
 * 	"metrics":[
 * 	{…}
 * 	],
 * 	"producer":…,"passes":…,"processes":…,"threads":…,"checked":…,"partial":…,"warning":…,
 * 	"note":…,"exit-status":…}
 *
 * For firmware, it has the arrays "dumps" and "profile" at the end. Every counter is written on a
 * separate line when its section arrives, so that a reader can follow a run. Metrics and profiles
 * are kept until all counters are written. Elapsed time is left out, so that the same run gives the
 * same bytes.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include <pmk/error.h>

#include "base/printable.h"
#include "result/internal.h"
#include "result/jsonio.h"

/* An array that is written later, with one object per line. */
struct array {
	char *text;
	size_t size;
	FILE *f; /* into `text` */
	unsigned n;
};

struct state {
	unsigned ncounters;
	struct array metrics, profile;
};

/* ---- values --------------------------------------------------------------------------------- */

/* Make a string of JSON. JSON must be UTF-8, but a command line can consist of any bytes. */
json_object *pmk_json_string(const char *text)
{
	size_t left = text ? strlen(text) : 0;
	json_object *o;
	char *clean, *out;

	if (!text)
		return NULL;
	clean = out = malloc(left * 3 + 1);
	if (!clean)
		return NULL;
	while (left) {
		size_t n = pmk_utf8_length((const uint8_t *)text, left), step = n ? n : 1;

		memcpy(out, n ? text : "\xEF\xBF\xBD", n ? n : 3);
		out += n ? n : 3;
		text += step;
		left -= step;
	}
	*out = '\0';
	o = json_object_new_string(clean);
	free(clean);
	return o;
}

/* Make a number with a fixed number of decimals, so that the output does not depend on json-c's
 * version. */
json_object *pmk_json_decimal(double v, int decimals)
{
	char text[400];

	if (!isfinite(v))
		return NULL;
	snprintf(text, sizeof(text), "%.*f", decimals, v);
	return json_object_new_double_s(v, text);
}

void pmk_json_add(json_object *o, const char *key, json_object *value)
{
	json_object_object_add(o, key, value);
}

void pmk_json_text(json_object *o, const char *key, const char *text)
{
	pmk_json_add(o, key, pmk_json_string(text));
}

void pmk_json_count(json_object *o, const char *key, uint64_t value)
{
	pmk_json_add(o, key, json_object_new_uint64(value));
}

json_object *pmk_json_document(const char *format)
{
	json_object *o = json_object_new_object();

	pmk_json_text(o, "format", format);
	pmk_json_add(o, "version", json_object_new_int(1));
	return o;
}

static const char *serialise_object(json_object *o)
{
	return json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN |
							 JSON_C_TO_STRING_NOSLASHESCAPE);
}

/* Write text, and escape DEL and the C1 control characters (U+0080 to U+009F), which can only occur
 * in strings. json-c escapes only the control characters below 0x20. */
static void put_text(FILE *f, const char *text, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)text[i], next = (unsigned char)text[i + 1];

		if (c == 0x7F)
			fputs("\\u007f", f);
		else if (c == 0xC2 && next < 0xA0)
			fprintf(f, "\\u%04x", (unsigned char)text[++i]);
		else
			putc(c, f);
	}
}

void pmk_json_put_document(FILE *f, json_object *o)
{
	const char *text = json_object_to_json_string_ext(
		o,
		JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED | JSON_C_TO_STRING_NOSLASHESCAPE);

	put_text(f, text, strlen(text));
	putc('\n', f);
}

void pmk_json_put_record(FILE *f, json_object *o)
{
	const char *text = serialise_object(o);

	put_text(f, text, strlen(text));
	putc('\n', f);
	json_object_put(o);
}

void pmk_json_put_object(FILE *f, unsigned *n, json_object *o)
{
	const char *text = serialise_object(o);

	fprintf(f, "%s\n", (*n)++ ? "," : "");
	put_text(f, text, strlen(text));
	json_object_put(o);
}

void pmk_json_put_members(FILE *f, json_object *o)
{
	const char *text = serialise_object(o);

	put_text(f, text + 1, strlen(text) - 2);
	json_object_put(o);
}

void pmk_json_put_line(FILE *f, json_object *o)
{
	const char *before = "{";
	struct json_object_iter member;

	json_object_object_foreachC(o, member)
	{
		const char *text = member.val ? serialise_object(member.val) : "null";

		fprintf(f, "%s\"%s\" : ", before, member.key);
		put_text(f, text, strlen(text));
		before = ", ";
	}
	fputs("}\n", f);
	json_object_put(o);
}

/* Returns the text of the array; "" if nothing was added to it. NULL: out of memory. */
static const char *array_close(struct array *a)
{
	bool good = a->f && fclose(a->f) == 0;

	a->f = NULL;
	return good ? a->text : NULL;
}

/* Make a number from a text; null if there is none. */
static json_object *number_value(const char *text)
{
	return *text ? json_object_new_double_s(0, text) : NULL;
}

json_object *pmk_json_code(const struct pmk_event *ev)
{
	char text[16];

	snprintf(text, sizeof(text), "0x%02x", ev->code);
	return pmk_json_string(text);
}

/* ---- rows ----------------------------------------------------------------------------------- */

static void add_place(json_object *o, const struct pmk_section *s)
{
	pmk_json_text(o, "region", s->region);
	if (s->region)
		pmk_json_count(o, "entries", s->entries);
	if (s->cpu >= 0)
		pmk_json_add(o, "cpu", json_object_new_int(s->cpu));
	if (s->thread)
		pmk_json_text(o, "thread", s->thread);
	if (s->interval) {
		json_object *at = json_object_new_object();

		pmk_json_add(at, "seconds", pmk_json_decimal(s->at_seconds, 9));
		pmk_json_add(at, "cycles",
			     s->at_cycles ? json_object_new_uint64(s->at_cycles) : NULL);
		pmk_json_add(at, "instructions",
			     s->at_insns ? json_object_new_uint64(s->at_insns) : NULL);
		pmk_json_add(o, "interval", at);
	}
}

static json_object *histogram_of(const struct pmk_histogram *h)
{
	json_object *list = json_object_new_array();

	for (unsigned i = 0; i < PMK_BUCKETS; i++) {
		json_object *o = h->count[i] ? json_object_new_object() : NULL;

		if (!o)
			continue;
		pmk_json_count(o, "first", pmk_bucket_first(i));
		pmk_json_count(o, "last", pmk_bucket_last(i));
		pmk_json_count(o, "count", h->count[i]);
		json_object_array_add(list, o);
	}
	return list;
}

/* Returns the latency of an event that a latency counter timed; null for other events. */
json_object *pmk_json_latency(const struct pmk_result *r, const struct pmk_row *row)
{
	static const enum pmk_detail details[] = { PMK_DETAIL_MEAN, PMK_DETAIL_STDDEV,
						   PMK_DETAIL_MIN, PMK_DETAIL_MAX };
	char squares[PMK_SQUARES_SIZE];
	json_object *o;

	if (!row->has_dist || !row->dist.latency)
		return NULL;
	o = json_object_new_object();
	if (row->dist.of)
		pmk_json_text(o, "of", row->dist.of);
	pmk_json_count(o, "sum", pmk_latency_sum(r, row));
	for (unsigned i = 0; i < sizeof(details) / sizeof(details[0]); i++) {
		char text[PMK_NUMBER_SIZE];

		pmk_detail_text(text, row, details[i], 3, false);
		pmk_json_add(o, pmk_detail_keys[details[i]], number_value(text));
	}
	pmk_latency_squares_text(squares, r, row);
	pmk_json_add(o, "sum-of-squares", number_value(squares));
	pmk_json_add(o, "overlapped", json_object_new_boolean(row->dist.full));
	pmk_json_add(o, "saturated", json_object_new_boolean(row->dist.saturated));
	if (row->dist.histogram)
		pmk_json_add(o, "histogram", histogram_of(row->dist.histogram));
	return o;
}

/* Add the keys that only results from firmware have. */
static void add_details(json_object *o, const struct pmk_section *s, const struct pmk_row *row)
{
	pmk_json_count(o, "dump", s->dump);
	pmk_json_add(o, "region-id", s->region ? json_object_new_uint64(s->region_id) : NULL);
	pmk_json_add(o, "unmatched", s->region ? json_object_new_uint64(s->unmatched) : NULL);
	for (unsigned i = 0; i < PMK_DETAILS; i++) {
		char text[PMK_NUMBER_SIZE];

		pmk_detail_text(text, row, i, 3, false);
		pmk_json_add(o, pmk_detail_keys[i], number_value(text));
	}
}

static json_object *counter_object(struct pmk_writer *w, const struct pmk_result *r,
				   const struct pmk_section *s, const struct pmk_row *row)
{
	json_object *o = json_object_new_object();
	bool has_value = pmk_trust_has_value(row->trust);
	struct pmk_metric_value v;
	char text[160];

	pmk_json_add(o, "counter-value", has_value ? json_object_new_uint64(row->value) : NULL);
	pmk_json_text(o, "unit", row->unit ? row->unit : "");
	pmk_json_text(o, "event", row->name);
	if (r->runs > 1)
		pmk_json_add(o, "variance", pmk_json_decimal(row->stddev_pct, 2));
	if (r->sampled)
		pmk_json_add(o, "margin", pmk_json_decimal(row->margin_pct, 2));
	pmk_json_count(o, "event-runtime", row->runtime_ns);
	pmk_json_add(o, "pcnt-running", pmk_json_decimal(row->coverage * 100, 2));
	if (pmk_metric_beside(w, r, s, row, 0, &v)) {
		pmk_metric_unit_text(text, sizeof(text), &v);
		pmk_json_add(o, "metric-value", v.valid ? pmk_json_decimal(v.value, 6) : NULL);
		pmk_json_text(o, "metric-unit", text);
	} else {
		pmk_json_add(o, "metric-value", NULL);
		pmk_json_add(o, "metric-unit", NULL);
	}
	pmk_json_text(o, "pmu", row->pmu ? row->pmu->name : r->pmu ? r->pmu->name : NULL);
	pmk_json_add(o, "code", row->event ? pmk_json_code(row->event) : NULL);
	pmk_json_text(o, "trust", pmk_trust_name(row->trust));
	pmk_json_text(o, "reason", row->reason);
	add_place(o, s);
	if (pmk_times_latencies(r) && !w->opt.firmware)
		pmk_json_add(o, "latency", pmk_json_latency(r, row));
	if (w->opt.firmware)
		add_details(o, s, row);
	return o;
}

static int json_begin(struct pmk_writer *w, const struct pmk_result *r)
{
	struct state *st = w->state;
	json_object *o = pmk_json_document("pmk-stat");

	pmk_json_text(o, "command", r->command);
	pmk_json_text(o, "pmu", r->pmu ? r->pmu->name : NULL);
	pmk_json_text(o, "core", r->core);
	pmk_json_text(o, "settings", r->settings ? r->settings : "");
	pmk_json_text(o, "env", r->env ? r->env : "");
	pmk_json_text(o, "environment", r->environment);
	pmk_json_add(o, "host-time", json_object_new_boolean(r->host_time));
	pmk_json_add(o, "runs", json_object_new_int64(r->runs));
	putc('{', w->f);
	pmk_json_put_members(w->f, o);
	fputs(",\n\"counters\":[", w->f);
	st->metrics.f = open_memstream(&st->metrics.text, &st->metrics.size);
	st->profile.f = open_memstream(&st->profile.text, &st->profile.size);
	return st->metrics.f && st->profile.f ? 0 : PMK_ENOMEM;
}

static void metric_line(struct pmk_writer *w, const struct pmk_section *s,
			const struct pmk_metric_value *v)
{
	struct state *st = w->state;
	json_object *o = json_object_new_object();

	pmk_json_text(o, "name", v->name);
	pmk_json_add(o, "value", v->valid ? pmk_json_decimal(v->value, 6) : NULL);
	pmk_json_text(o, "unit", v->unit);
	pmk_json_text(o, "reason", v->reason);
	add_place(o, s);
	if (w->opt.firmware)
		pmk_json_count(o, "dump", s->dump);
	pmk_json_put_object(st->metrics.f, &st->metrics.n, o);
}

static int json_section(struct pmk_writer *w, const struct pmk_result *r,
			const struct pmk_section *s)
{
	struct state *st = w->state;

	for (unsigned i = 0; i < s->nrows; i++)
		pmk_json_put_object(w->f, &st->ncounters, counter_object(w, r, s, &s->rows[i]));
	for (unsigned i = 0; st->metrics.f && w->opt.metrics && w->opt.metrics[i]; i++) {
		struct pmk_metric_value v = pmk_metric_eval(w->opt.metrics[i], r, s);

		metric_line(w, s, &v);
	}
	return 0;
}

static int json_profile(struct pmk_writer *w, const struct pmk_result *r,
			const struct pmk_profile *p)
{
	struct state *st = w->state;

	(void)r;
	for (size_t i = 0; st->profile.f && i < p->nrows; i++) {
		const struct pmk_profile_row *row = &p->rows[i];
		json_object *o = json_object_new_object();
		char share[PMK_NUMBER_SIZE], address[PMK_NUMBER_SIZE];

		pmk_share_text(share, p, row);
		pmk_address_text(address, row);
		pmk_json_count(o, "dump", p->dump);
		pmk_json_text(o, "event", p->event->name);
		pmk_json_add(o, "code", pmk_json_code(p->event));
		pmk_json_count(o, "samples", row->samples);
		pmk_json_add(o, "share", number_value(share));
		pmk_json_count(o, "late", row->late);
		pmk_json_text(o, "function", row->function);
		pmk_json_text(o, "address", *address ? address : NULL);
		pmk_json_text(o, "region", row->region);
		pmk_json_put_object(st->profile.f, &st->profile.n, o);
	}
	return 0;
}

static void put_dumps(struct pmk_writer *w, const struct pmk_result *r)
{
	unsigned n = 0;

	for (unsigned i = 0; i < r->ndumps; i++) {
		const struct pmk_dump_facts *d = &r->dumps[i];
		json_object *o = json_object_new_object();

		pmk_json_count(o, "dump", i + 1);
		pmk_json_count(o, "offset", d->offset);
		pmk_json_count(o, "version", d->version);
		pmk_json_text(o, "pmu", d->pmu);
		pmk_json_add(o, "complete", json_object_new_boolean(!d->reason));
		pmk_json_text(o, "reason", d->reason);
		pmk_json_add(o, "crlf", json_object_new_boolean(d->crlf));
		pmk_json_count(o, "regions", d->regions);
		pmk_json_count(o, "samples", d->samples);
		pmk_json_count(o, "late", d->late);
		pmk_json_add(o, "dropped", d->sampled ? json_object_new_uint64(d->dropped) : NULL);
		pmk_json_put_object(w->f, &n, o);
	}
}

/* Returns the exit code as perf and the shell report it: the command's exit code, or 128 +
 * signal. */
static int exit_code(int status)
{
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static int json_end(struct pmk_writer *w, const struct pmk_result *r)
{
	struct state *st = w->state;
	const char *metrics = array_close(&st->metrics), *profile = array_close(&st->profile);
	json_object *o = json_object_new_object();

	fprintf(w->f, "\n],\n\"metrics\":[%s\n],\n", metrics ? metrics : "");
	pmk_json_text(o, "producer", r->producer);
	pmk_json_count(o, "passes", r->passes);
	pmk_json_count(o, "processes", r->processes);
	pmk_json_count(o, "threads", r->threads);
	pmk_json_text(o, "checked", r->checked);
	pmk_json_add(o, "partial", json_object_new_boolean(r->partial));
	pmk_json_text(o, "warning", r->warning);
	pmk_json_text(o, "note", r->note);
	pmk_json_add(o, "exit-status", json_object_new_int(exit_code(r->exit_status)));
	pmk_json_put_members(w->f, o);
	if (w->opt.firmware) {
		fputs(",\n\"dumps\":[", w->f);
		put_dumps(w, r);
		fprintf(w->f, "\n],\n\"profile\":[%s\n]", profile ? profile : "");
	}
	fputs("}\n", w->f);
	free(st->metrics.text);
	free(st->profile.text);
	return metrics && profile ? 0 : PMK_ENOMEM;
}

const struct pmk_writer_ops pmk_writer_json = {
	.state_size = sizeof(struct state),
	.begin = json_begin,
	.section = json_section,
	.profile = json_profile,
	.end = json_end,
};
