// SPDX-License-Identifier: MIT
/*
 * pmk report: show what firmware counted, from the dumps it wrote with pmk_target_dump().
 *
 *	read → find the dumps → a view of each (names instead of codes) → result → writer
 *
 * The tables are pmk stat's and come from the same writers. What a dump has beyond them, the spread
 * over a region's occurrences, the cost of measuring and the samples, is added here: in text between
 * the writer's sections, in CSV and JSON at the end of each of its lines, for which the writer writes
 * into memory first. One place makes these additions for both formats: extra_cells().
 *
 * Names in a dump are anybody's bytes: they are shown with everything unprintable escaped. A PMU or an
 * event that this build does not know is shown by its name or code.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <json.h>
#include <pmk/error.h>
#include <pmk/stats.h>

#include "cli/show.h"
#include "cli/stat.h"
#include "profile/dump.h"

/* A capture is read as a whole; a larger one is refused. */
#define MAX_CAPTURE ((size_t)256 << 20)

static const struct cli_option options[] = {
	{ 0, "elf", "FILE", "show samples by function: the symbols of this executable" },
	{ 'M', "metrics", "LIST", "metrics to print; repeatable" },
	{ 'x', "field-separator", "SEP", "write CSV with this separator" },
	{ 'j', "json-output", NULL, "write JSON" },
	{ 'o', "output", "FILE", "write to FILE instead of stdout" },
	{ 0, "append", NULL, "append to the file of -o" },
	{ 0, "no-big-num", NULL, "do not group digits" },
	{ 'v', "verbose", NULL, "more about every number" },
	{ 'h', "help", NULL, "show this help" },
	{ 0, NULL, NULL, NULL },
};

/* A stream into memory. */
struct memory {
	FILE *f;
	char *text;
	size_t size;
};

/* So many lines of JSON's metrics are of this dump. */
struct metric_lines {
	size_t dump, count;
};

/* What is asked for and what was read. */
struct report {
	struct request q; /* of pmk stat, those options that mean the same here */
	char *command[2]; /* q.command: what the report is of */
	const char *file, *elf;
	const char *name; /* of `file` in messages */
	uint8_t *data;
	size_t size;
	size_t nshown;			 /* dumps that are shown */
	struct pmk_functions *functions; /* NULL: addresses are shown */
	const struct pmk_metric *asked[PMK_MAX_EVENTS];
	unsigned nasked;
	struct job *job;    /* the output and its writer */
	FILE *out;	    /* where the report goes; CSV and JSON by way of … */
	struct memory text; /* … what their writer has written */
	size_t text_done;
	struct memory warnings, dumps, profile; /* lines; the latter two of JSON */
	struct metric_lines *metric_lines;
	size_t nmetric_lines;
	int code;
};

/* One dump as it is shown. */
struct view {
	const struct pmk_dump *d;
	size_t number; /* from 1, over all dumps of the capture */
	const struct pmk_pmu *pmu;
	char *pmu_name;		/* printable */
	struct pmk_pmu unknown; /* stands in for a PMU that is not in this build */
	const struct pmk_event *event[PMK_DUMP_EVENTS];
	struct pmk_event raw[PMK_DUMP_EVENTS]; /* stand in for events that are not */
	char raw_name[PMK_DUMP_EVENTS][8];
	unsigned nmetrics;
	const struct pmk_functions *functions; /* of this dump's machine, or NULL */
};

static int out_of_memory(void)
{
	return cli_fail(PMK_EXIT_FAILED, "out of memory");
}

static int cannot_write(const struct report *r)
{
	return cli_fail(PMK_EXIT_FAILED, "cannot write %s: %s",
			r->q.output ? r->q.output : "the report", strerror(errno ? errno : EIO));
}

/* ---- names ---------------------------------------------------------------------------------- */

/* The region's name, or "region 3" when it has none. The caller frees. */
static char *region_name(const struct pmk_dump *d, size_t id)
{
	char *name;

	if (id < d->nregions && d->region[id].name.length)
		return pmk_dump_escape(d->region[id].name.byte, d->region[id].name.length);
	return asprintf(&name, "region %zu", id) < 0 ? NULL : name;
}

/* The event with that code, or a row that says so. */
static const struct pmk_event *name_event(struct view *v, unsigned i)
{
	unsigned code = v->d->event[i].code;
	const struct pmk_event *ev = pmk_pmu_event_code(v->pmu, code);

	if (ev)
		return ev;
	snprintf(v->raw_name[i], sizeof(v->raw_name[i]), "r%02x", code);
	v->raw[i] = (struct pmk_event){
		.code = (uint16_t)code,
		.name = v->raw_name[i],
		.ref = "from the dump",
		.brief = "an event that this version of pmk does not know",
	};
	return &v->raw[i];
}

static bool make_view(struct view *v, const struct pmk_dump *d, size_t number)
{
	*v = (struct view){ .d = d, .number = number };
	v->pmu_name = d->pmu.length ? pmk_dump_escape(d->pmu.byte, d->pmu.length)
				    : strdup("an unnamed PMU");
	if (!v->pmu_name)
		return false;
	v->pmu = pmk_pmu_find(v->pmu_name);
	if (!v->pmu) {
		v->unknown = (struct pmk_pmu){ .name = v->pmu_name };
		v->pmu = &v->unknown;
	}
	for (unsigned i = 0; i < d->nevents; i++)
		v->event[i] = name_event(v, i);
	return true;
}

/* ---- the capture ---------------------------------------------------------------------------- */

static bool same_file(const struct stat *a, const char *path)
{
	struct stat b;

	return path && !stat(path, &b) && S_ISREG(b.st_mode) && a->st_dev == b.st_dev &&
	       a->st_ino == b.st_ino;
}

static int read_stream(struct report *r, FILE *f)
{
	size_t room = 0, n;
	struct stat st;

	if (!fstat(fileno(f), &st) && same_file(&st, r->q.output))
		return cli_fail(PMK_EXIT_USAGE, "-o %s: that is the file to read", r->q.output);
	do {
		if (r->size == room) {
			uint8_t *grown = realloc(r->data, room = room ? 2 * room : 1 << 16);

			if (!grown)
				return out_of_memory();
			r->data = grown;
		}
		n = fread(r->data + r->size, 1, room - r->size, f);
		r->size += n;
	} while (n && r->size <= MAX_CAPTURE);
	if (ferror(f))
		return cli_fail(PMK_EXIT_FAILED, "cannot read %s: %s", r->name, strerror(errno));
	if (r->size > MAX_CAPTURE)
		return cli_fail(PMK_EXIT_FAILED, "%s has more than %zu MB", r->name,
				MAX_CAPTURE >> 20);
	return 0;
}

static int read_capture(struct report *r)
{
	bool from_stdin = !strcmp(r->file, "-");
	FILE *f = from_stdin ? stdin : fopen(r->file, "re");
	int code;

	r->name = from_stdin ? "standard input" : r->file;
	if (!f)
		return cli_fail(PMK_EXIT_FAILED, "cannot read %s: %s", r->name, strerror(errno));
	code = read_stream(r, f);
	if (!from_stdin)
		fclose(f);
	return code;
}

/* Complete, or cut behind the name of its PMU. */
static bool is_shown(const struct pmk_dump *d)
{
	return d->state == PMK_DUMP_COMPLETE || (d->state == PMK_DUMP_CUT && d->pmu.byte);
}

/* One line on stderr for a dump that is not as it was written. */
static void tell(struct report *r, const struct pmk_dump *d)
{
	if (d->crlf && d->state == PMK_DUMP_COMPLETE)
		cli_fail(0, "%s: the dump at offset %zu came with CR LF for LF; that was undone",
			 r->name, d->begin);
	if (d->state != PMK_DUMP_COMPLETE)
		r->code = cli_fail(PMK_EXIT_FAILED, "%s: the dump at offset %zu %s; %s", r->name,
				   d->begin, d->why,
				   is_shown(d) ? "what comes before that is shown"
					       : "it is not shown");
}

/* Tell what is wrong with any of them, count those that can be shown. */
static int find_dumps(struct report *r)
{
	size_t at = 0, n = 0;
	struct pmk_dump d;
	int found;

	while ((found = pmk_dump_next(r->data, r->size, &at, &d)) > 0) {
		tell(r, &d);
		r->nshown += is_shown(&d);
		n++;
		pmk_dump_free(&d);
	}
	if (found < 0)
		return out_of_memory();
	if (!n)
		return cli_fail(PMK_EXIT_FAILED,
				"%s: no dump of pmk_target_dump() in its %zu bytes", r->name,
				r->size);
	return 0;
}

/* ---- functions ------------------------------------------------------------------------------ */

static int load_functions(struct report *r)
{
	char msg[256];
	struct stat st;

	if (!r->elf)
		return 0;
	if (!stat(r->elf, &st) && same_file(&st, r->q.output))
		return cli_fail(PMK_EXIT_USAGE, "-o %s: that is the file of --elf", r->q.output);
	if (pmk_functions_load(&r->functions, r->elf, msg, sizeof(msg)))
		return cli_fail(PMK_EXIT_USAGE, "--elf %s: %s", r->elf, msg);
	if (pmk_functions_count(r->functions))
		return 0;
	cli_fail(0, "--elf %s: it has no symbols of functions (stripped); addresses are shown",
		 r->elf);
	pmk_functions_free(r->functions);
	r->functions = NULL;
	return 0;
}

/* The instruction set of the cores with that PMU; empty when no preset says. */
static void isa_of(const struct pmk_pmu *pmu, char *isa, size_t size)
{
	char **names = cli_core_names(), msg[512];
	struct pmk_core core;

	*isa = '\0';
	for (unsigned i = 0; names && names[i] && !*isa; i++)
		if (!show_load_core(names[i], &core, msg, sizeof(msg)) &&
		    pmk_pmu_find(core.pmu) == pmu)
			snprintf(isa, size, "%s", core.isa);
	cli_free_names(names);
}

/* An executable for another machine names nothing: one line, and addresses instead. */
static void choose_functions(struct report *r, struct view *v)
{
	static const struct {
		const char *isa;
		enum pmk_elf_machine machine;
	} fits[] = {
		{ "arm", PMK_ELF_ARM },
		{ "a64", PMK_ELF_AARCH64 },
		{ "a64", PMK_ELF_ARM }, /* its AArch32 state */
		{ "microblaze", PMK_ELF_MICROBLAZE },
	};
	char isa[16] = "", msg[256];
	bool known = false;
	struct pmk_elf elf;

	v->functions = r->functions;
	if (!r->functions || !v->d->nsamples || pmk_elf_read(r->elf, &elf, msg, sizeof(msg)))
		return;
	if (v->pmu != &v->unknown)
		isa_of(v->pmu, isa, sizeof(isa));
	for (size_t i = 0; i < sizeof(fits) / sizeof(fits[0]); i++) {
		if (strcmp(fits[i].isa, isa) != 0)
			continue;
		if (fits[i].machine == elf.machine)
			return;
		known = true;
	}
	if (!known)
		return;
	v->functions = NULL;
	cli_fail(0, "--elf %s: it is for %s and the dump is of %s; addresses are shown", r->elf,
		 elf.machine_name, v->pmu_name);
	if (!r->code)
		r->code = PMK_EXIT_USAGE;
}

/* ---- metrics -------------------------------------------------------------------------------- */

static const char *metric_name(const void *ctx, unsigned i)
{
	return i < pmk_metrics_count(ctx) ? pmk_metrics_get(ctx, i)->name : NULL;
}

static int ask_metric(struct report *r, const char *name)
{
	struct pmk_metrics *all = cli_metrics();
	const struct pmk_metric *m = all ? pmk_metrics_find(all, name) : NULL;
	char near[256];

	if (!all)
		return PMK_EXIT_FAILED;
	if (m && r->nasked < PMK_MAX_EVENTS)
		r->asked[r->nasked++] = m;
	if (m)
		return 0;
	cli_nearest(name, metric_name, all, near, sizeof(near));
	return cli_fail(PMK_EXIT_USAGE, "unknown metric '%s'%s%s%s (pmk list metrics)", name,
			*near ? "; did you mean " : "", near, *near ? "?" : "");
}

static int ask_metrics(struct report *r)
{
	int code = 0;

	for (unsigned i = 0; !code && i < r->q.metrics.count; i++) {
		char *at = r->q.metrics.word[i], *name;

		while (!code && (name = strsep(&at, ",")))
			code = ask_metric(r, name);
	}
	return code;
}

/* Can it be computed of this dump? Its clock is not known. */
static bool metric_fits(const struct pmk_metric *m, const struct view *v)
{
	if (strstr(m->formula, "cycles_per_second"))
		return false;
	for (unsigned i = 0; m->events[i]; i++) {
		const struct pmk_event *ev = pmk_pmu_event(v->pmu, m->events[i]);
		bool there = false;

		for (unsigned k = 0; k < v->d->nevents; k++)
			there |= ev && v->event[k] == ev;
		if (!there)
			return false;
	}
	return true;
}

/* Those that were asked for, or all that fit. The writer holds on to the list. */
static void choose_metrics(struct report *r, struct view *v)
{
	struct pmk_metrics *all = r->nasked ? NULL : cli_metrics();
	const struct pmk_metric **list = r->job->metrics;

	for (unsigned i = 0; i < r->nasked; i++)
		list[v->nmetrics++] = r->asked[i];
	for (unsigned i = 0; all && i < pmk_metrics_count(all) && v->nmetrics < PMK_MAX_EVENTS; i++)
		if (metric_fits(pmk_metrics_get(all, i), v))
			list[v->nmetrics++] = pmk_metrics_get(all, i);
	list[v->nmetrics] = NULL;
}

/* ---- numbers -------------------------------------------------------------------------------- */

#define NUMBER_SIZE 32 /* 2^64 - 1 has 20 digits, 6 commas, and decimals where it is smaller */

/* `value` times 10^-decimals; digits before the point in groups of three, if wanted. */
static void number_text(char *text, uint64_t value, unsigned decimals, bool group)
{
	char digits[24];
	int n = snprintf(digits, sizeof(digits), "%0*llu", (int)decimals + 1,
			 (unsigned long long)value);
	int whole = n - (int)decimals;

	for (int i = 0; i < n; i++) {
		if (i == whole)
			*text++ = '.';
		else if (group && i && i < whole && (whole - i) % 3 == 0)
			*text++ = ',';
		*text++ = digits[i];
	}
	*text = '\0';
}

/* A number with its name: JSON's key, or a column's heading. An empty text: there is none. */
struct cell {
	const char *key;
	char text[NUMBER_SIZE];
};

static struct cell *add_number(struct cell *at, const char *key, bool there, uint64_t value,
			       bool group)
{
	at->key = key;
	*at->text = '\0';
	if (there)
		number_text(at->text, value, 0, group);
	return at + 1;
}

/* With so many decimals, 2 or 3; a number for which they do not fit has none. */
static void scaled_text(char *text, uint64_t (*of)(const struct pmk_stats *, uint32_t),
			const struct pmk_stats *s, unsigned decimals, bool group)
{
	uint64_t v = of(s, decimals == 3 ? 1000 : 100);

	if (v == UINT64_MAX)
		number_text(text, of(s, 1), 0, group);
	else
		number_text(text, v, decimals, group);
}

static struct cell *add_scaled(struct cell *at, const char *key, bool there,
			       uint64_t (*of)(const struct pmk_stats *, uint32_t),
			       const struct pmk_stats *s, unsigned decimals, bool group)
{
	at->key = key;
	*at->text = '\0';
	if (there)
		scaled_text(at->text, of, s, decimals, group);
	return at + 1;
}

/* Mean, deviation, smallest and largest of a region's occurrences, none of which there may be. */
static struct cell *add_spread(struct cell *at, uint32_t entries, const struct pmk_dump_count *c,
			       unsigned decimals, bool group)
{
	struct pmk_stats s = { .n = c ? entries : 0 };

	if (s.n) {
		s.sum = c->sum;
		s.sq_low = c->sq_low;
		s.sq_high = c->sq_high;
		s.min = c->min;
		s.max = c->max;
	}
	at = add_scaled(at, "mean", s.n > 0, pmk_stats_mean, &s, decimals, group);
	at = add_scaled(at, "stddev", s.n > 1, pmk_stats_stddev, &s, decimals, group);
	at = add_number(at, "min", s.n > 0, s.min, group);
	return add_number(at, "max", s.n > 0, s.max, group);
}

/* ---- sections ------------------------------------------------------------------------------- */

static bool is_text(const struct report *r)
{
	return !r->q.json && !r->q.separator;
}

/* The counts of region `id`'s event i, or NULL where the dump breaks off before them. */
static const struct pmk_dump_count *count_of(const struct pmk_dump *d, size_t id, unsigned i)
{
	const struct pmk_dump_region *region = &d->region[id];

	return i < region->nevents ? &d->count[region->first + i] : NULL;
}

static void fill_row(const struct view *v, unsigned i, const uint64_t *value, struct pmk_row *row)
{
	*row = (struct pmk_row){
		.event = v->event[i],
		.name = v->event[i]->name,
		.value = value ? *value : 0,
		.coverage = 1.0,
		/* A counter that is sampled is set back at every sample, and what happens meanwhile
		 * is not counted: a lower bound, which is what this word promises. */
		.trust = !value			 ? PMK_TRUST_NOT_COUNTED
			 : v->d->event[i].period ? PMK_TRUST_WRAPPED
						 : PMK_TRUST_MEASURED,
		.reason = value ? NULL : "the dump breaks off before it",
	};
}

#define NO_EVENT  UINT32_MAX
#define NO_REGION SIZE_MAX

/* What CSV and JSON say beyond pmk stat, in the order of the columns. */
#define NCELLS 12

static void extra_cells(const struct view *v, size_t id, unsigned event, struct cell *at)
{
	static const struct pmk_dump_region no_region;
	static const struct pmk_dump_event no_event;
	bool in_region = id != NO_REGION, of_event = event != NO_EVENT;
	const struct pmk_dump_region *region = in_region ? &v->d->region[id] : &no_region;
	const struct pmk_dump_event *e = of_event ? &v->d->event[event] : &no_event;
	const struct pmk_dump_count *c = in_region && of_event ? count_of(v->d, id, event) : NULL;

	at = add_number(at, "dump", true, v->number, false);
	at = add_number(at, "region-id", in_region, id, false);
	at = add_number(at, "entries", in_region, region->entries, false);
	at = add_number(at, "unmatched", in_region, region->errors, false);
	at = add_number(at, "period", e->period != 0, e->period, false);
	at = add_number(at, "cost", of_event, e->cost, false);
	at = add_number(at, "nested", of_event, e->nest, false);
	at = add_number(at, "raw", c, c ? c->raw : 0, false);
	add_spread(at, region->entries, c, 3, false);
}

/* ---- CSV and JSON: the writer's lines, completed -------------------------------------------- */

#define STAT_COLUMNS	11 /* of pmk stat: value, …, event 2, …, pmu 7, code 8, trust, region 10 */
#define PROFILE_COLUMNS 5 /* behind the cells: samples, share, late, function, address */

/* Quoted as the writer does it. */
static void csv_field(struct report *r, const char *text)
{
	bool quote = strstr(text, r->q.separator) || strchr(text, '"');

	if (quote)
		putc('"', r->out);
	for (; *text; text++) {
		if (*text == '"')
			putc('"', r->out);
		putc(*text, r->out);
	}
	if (quote)
		putc('"', r->out);
}

static void csv_cells(struct report *r, struct cell cell[NCELLS])
{
	for (unsigned i = 0; i < NCELLS; i++) {
		fputs(r->q.separator, r->out);
		csv_field(r, cell[i].text);
	}
}

/* What the writer has written since the last time, line by line; the last one of a section of JSON has
 * no end yet. */
static bool next_line(struct report *r, const char **line, size_t *n, bool *ends)
{
	size_t left = r->text.size - r->text_done;
	const char *end;

	*line = r->text.text + r->text_done;
	end = memchr(*line, '\n', left);
	*ends = end != NULL;
	*n = end ? (size_t)(end - *line) : left;
	r->text_done += *n + *ends;
	return left > 0;
}

/* As it is. */
static void pass(struct report *r)
{
	fwrite(r->text.text + r->text_done, 1, r->text.size - r->text_done, r->out);
	r->text_done = r->text.size;
}

/* The lines of one section. A row of CSV begins with its value, which is never empty; other lines are
 * metrics. */
static void complete_csv(struct report *r, const struct view *v, size_t id)
{
	struct cell cell[NCELLS];
	unsigned event = 0;
	const char *line;
	bool ends;
	size_t n;

	while (next_line(r, &line, &n, &ends)) {
		bool row = strncmp(line, r->q.separator, strlen(r->q.separator)) != 0;

		fwrite(line, 1, n, r->out);
		extra_cells(v, id, row ? event++ : NO_EVENT, cell);
		csv_cells(r, cell);
		for (unsigned i = 0; i < PROFILE_COLUMNS; i++)
			fputs(r->q.separator, r->out);
		putc('\n', r->out);
	}
}

/* The members go before the brace that ends the object. `entries` is there already. */
static void complete_json(struct report *r, const struct view *v, size_t id)
{
	struct cell cell[NCELLS];
	unsigned event = 0;
	const char *line;
	bool ends;
	size_t n;

	while (next_line(r, &line, &n, &ends)) {
		const char *brace = n && *line == '{' ? memrchr(line, '}', n) : line + n;

		fwrite(line, 1, (size_t)(brace - line), r->out);
		if (n && *line == '{') {
			extra_cells(v, id, event++, cell);
			for (unsigned i = 0; i < NCELLS; i++)
				if (strcmp(cell[i].key, "entries") != 0)
					fprintf(r->out, ",\"%s\":%s", cell[i].key,
						*cell[i].text ? cell[i].text : "null");
		}
		fwrite(brace, 1, n - (size_t)(brace - line), r->out);
		if (ends)
			putc('\n', r->out);
	}
}

/* The end of the document: metrics, line by line, and the run's members, which get more. */
static void complete_json_end(struct report *r)
{
	const struct metric_lines *of = r->metric_lines, *last_of = of + r->nmetric_lines - 1;
	const char *line;
	size_t n, used = 0;
	bool ends;

	while (next_line(r, &line, &n, &ends)) {
		bool metric = n && *line == '{', last = n && line[n - 1] == '}' && !metric;
		const char *brace = metric || last ? memrchr(line, '}', n) : line + n;

		fwrite(line, 1, (size_t)(brace - line), r->out);
		if (metric) {
			for (; used == of->count && of < last_of; used = 0)
				of++;
			used++;
			fprintf(r->out, ",\"dump\":%zu", of->dump);
		}
		if (last)
			fprintf(r->out, ",\n\"dumps\":[%s\n],\n\"profile\":[%s\n]", r->dumps.text,
				r->profile.text);
		fwrite(brace, 1, n - (size_t)(brace - line), r->out);
		if (ends)
			putc('\n', r->out);
	}
}

/* ---- text: what stands between the writer's sections ---------------------------------------- */

/* A table: names to the left, numbers to the right; empty cells are a dash. */
#define TABLE_COLUMNS 8

static void table_row(const struct report *r, const struct view *v, size_t id, unsigned event,
		      struct cell *at)
{
	const struct pmk_dump_count *c = count_of(v->d, id, event);
	const struct pmk_dump_event *e = &v->d->event[event];
	bool group = !r->q.plain_numbers;

	at = add_number(at, "net total", c, c ? c->sum : 0, group);
	at = add_spread(at, v->d->region[id].entries, c, 2, group);
	at = add_number(at, "raw total", c, c ? c->raw : 0, group);
	at = add_number(at, "own cost", true, e->cost, group);
	add_number(at, "nested", true, e->nest, group);
}

static int wider(int width, const char *text)
{
	int n = (int)strlen(text);

	return n > width ? n : width;
}

static void region_table(const struct report *r, const struct view *v, size_t id)
{
	struct cell cell[PMK_DUMP_EVENTS][TABLE_COLUMNS];
	int first = (int)strlen("event"), width[TABLE_COLUMNS] = { 0 };

	if (!v->d->nevents)
		return;
	for (unsigned i = 0; i < v->d->nevents; i++) {
		table_row(r, v, id, i, cell[i]);
		first = wider(first, v->event[i]->name);
		for (unsigned c = 0; c < TABLE_COLUMNS; c++)
			width[c] = wider(wider(width[c], cell[i][c].key), cell[i][c].text);
	}
	fprintf(r->out, "\n   %-*s", first, "event");
	for (unsigned c = 0; c < TABLE_COLUMNS; c++)
		fprintf(r->out, "  %*s", width[c], cell[0][c].key);
	putc('\n', r->out);
	for (unsigned i = 0; i < v->d->nevents; i++) {
		fprintf(r->out, "   %-*s", first, v->event[i]->name);
		for (unsigned c = 0; c < TABLE_COLUMNS; c++)
			fprintf(r->out, "  %*s", width[c],
				*cell[i][c].text ? cell[i][c].text : "-");
		putc('\n', r->out);
	}
}

/* One line, and not a table of zeros for each of them. */
static void never_completed(const struct report *r, const struct view *v)
{
	const char *before = "\n never completed: ";

	for (size_t id = 0; id < v->d->nregions; id++) {
		const struct pmk_dump_region *region = &v->d->region[id];
		char *name = region->entries ? NULL : region_name(v->d, id);

		if (!name)
			continue;
		fprintf(r->out, "%s%s", before, name);
		if (region->errors)
			fprintf(r->out, " (begins or ends without a partner: %lu)",
				(unsigned long)region->errors);
		before = ", ";
		free(name);
	}
	if (*before == ',')
		putc('\n', r->out);
}

/* ---- sections ------------------------------------------------------------------------------- */

/* The whole run (NO_REGION) or a region, through the writer. */
static int write_section(struct report *r, const struct view *v, size_t id)
{
	struct pmk_row rows[PMK_DUMP_EVENTS];
	struct pmk_section s = { .cpu = -1, .rows = rows, .nrows = v->d->nevents }, *kept;
	int err;

	if (id != NO_REGION) {
		s.region = region_name(v->d, id);
		s.entries = v->d->region[id].entries;
		if (!s.region)
			return PMK_ENOMEM;
	}
	for (unsigned i = 0; i < s.nrows; i++) {
		const struct pmk_dump_count *c = id == NO_REGION ? NULL : count_of(v->d, id, i);

		fill_row(v, i,
			 id == NO_REGION ? &v->d->event[i].total
			 : c		 ? &c->sum
					 : NULL,
			 &rows[i]);
	}
	/* The text writer explains the events of the result's first section. */
	if (!r->job->result.nsections) {
		kept = pmk_result_add(&r->job->result, NULL, s.nrows);
		if (!kept)
			return PMK_ENOMEM;
		memcpy(kept->rows, rows, s.nrows * sizeof(rows[0]));
	}
	err = pmk_writer_section(r->job->writer, &r->job->result, &s);
	free(s.region);
	if (r->q.json)
		complete_json(r, v, id);
	else if (r->q.separator)
		complete_csv(r, v, id);
	return err;
}

static int write_sections(struct report *r, const struct view *v)
{
	int err = write_section(r, v, NO_REGION);

	if (is_text(r) && !v->d->nevents)
		fputs(" no events\n", r->out);
	for (size_t id = 0; !err && id < v->d->nregions; id++) {
		const struct pmk_dump_region *region = &v->d->region[id];

		if (is_text(r) && !region->entries)
			continue;
		err = write_section(r, v, id);
		if (!is_text(r))
			continue;
		region_table(r, v, id);
		if (region->errors)
			fprintf(r->out, "\n   begins or ends without a partner: %lu\n",
				(unsigned long)region->errors);
	}
	if (is_text(r))
		never_completed(r, v);
	return err;
}

/* ---- samples: the flat profile -------------------------------------------------------------- */

/* A line as text. */
struct shown_line {
	char *function, *region; /* NULL: none */
	char address[24];	 /* empty: not known, the sample was polled */
	char code[16], share[NUMBER_SIZE], samples[NUMBER_SIZE], late[NUMBER_SIZE];
};

/* `all`: samples of its event. False when out of memory; free_line() in any case. */
static bool show_line(struct shown_line *shown, const struct view *v,
		      const struct pmk_profile_line *l, uint64_t all, bool group)
{
	bool in_region = l->region != PMK_DUMP_NO_REGION;

	*shown = (struct shown_line){
		.function = l->function ? pmk_dump_escape(l->function, strlen(l->function)) : NULL,
		.region = in_region ? region_name(v->d, l->region) : NULL,
	};
	if (l->address || l->function)
		snprintf(shown->address, sizeof(shown->address), "0x%08llx",
			 (unsigned long long)l->address);
	snprintf(shown->code, sizeof(shown->code), "0x%02x", v->event[l->event]->code);
	/* Samples are bytes of a capture: there are fewer than 2^28. */
	number_text(shown->share, (l->samples * 10000 + all / 2) / all, 2, false);
	number_text(shown->samples, l->samples, 0, group);
	number_text(shown->late, l->late, 0, group);
	return (shown->function || !l->function) && (shown->region || !in_region);
}

static void free_line(struct shown_line *shown)
{
	free(shown->function);
	free(shown->region);
}

static const char *place_of(const struct shown_line *shown)
{
	return shown->function ? shown->function : *shown->address ? shown->address : "(polled)";
}

static int text_lines(struct report *r, const struct view *v, const struct pmk_profile_line *list,
		      size_t n, uint64_t all)
{
	struct shown_line *shown = calloc(n ? n : 1, sizeof(*shown));
	int width = (int)strlen("function");
	bool good = shown;

	for (size_t i = 0; good && i < n; i++) {
		good = show_line(&shown[i], v, &list[i], all, !r->q.plain_numbers);
		width = wider(width, place_of(&shown[i]));
	}
	if (good && n)
		fprintf(r->out, "\n   %7s  %10s  %-*s  %s\n", "share", "samples", width, "function",
			"region");
	for (size_t i = 0; good && i < n; i++)
		fprintf(r->out, "   %6s%%  %10s  %-*s  %s\n", shown[i].share, shown[i].samples,
			width, place_of(&shown[i]), shown[i].region ? shown[i].region : "-");
	for (size_t i = 0; shown && i < n; i++)
		free_line(&shown[i]);
	free(shown);
	return good ? 0 : PMK_ENOMEM;
}

static int text_profile(struct report *r, const struct view *v, unsigned event,
			const struct pmk_profile_line *list, size_t n, uint64_t all)
{
	uint64_t period = v->d->event[event].period;
	char text[NUMBER_SIZE];

	fprintf(r->out, "\n Samples of %s", v->event[event]->name);
	if (period) {
		number_text(text, period, 0, !r->q.plain_numbers);
		fprintf(r->out, ", one every %s", text);
	}
	number_text(text, all, 0, !r->q.plain_numbers);
	fprintf(r->out, ": %s\n", text);
	return text_lines(r, v, list, n, all);
}

static void show_number(json_object *o, const char *key, uint64_t value)
{
	json_object_object_add(o, key, json_object_new_uint64(value));
}

/* A line of its own in one of the arrays at the end of the document; frees the object. */
static void put_object(struct memory *m, json_object *o)
{
	fflush(m->f);
	fprintf(m->f, "%s\n%s", m->size ? "," : "",
		json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN |
							  JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(o);
}

static void json_profile(struct report *r, const struct view *v, const struct pmk_profile_line *l,
			 const struct shown_line *shown)
{
	json_object *o = json_object_new_object();

	show_number(o, "dump", v->number);
	show_add(o, "event", v->event[l->event]->name);
	show_add(o, "code", shown->code);
	show_number(o, "samples", l->samples);
	json_object_object_add(o, "share", json_object_new_double_s(0, shown->share));
	show_number(o, "late", l->late);
	show_add(o, "function", shown->function);
	show_add(o, "address", *shown->address ? shown->address : NULL);
	show_add(o, "region", shown->region);
	put_object(&r->profile, o);
}

/* Columns that are not given are empty. */
static void csv_profile(struct report *r, const struct view *v, const struct pmk_profile_line *l,
			const struct shown_line *shown)
{
	const char *first[STAT_COLUMNS] = {
		[2] = v->event[l->event]->name,
		[7] = v->pmu_name,
		[8] = shown->code,
		[10] = shown->region,
	};
	const char *last[PROFILE_COLUMNS] = {
		shown->samples, shown->share, shown->late, shown->function, shown->address,
	};
	struct cell cell[NCELLS];

	for (unsigned i = 0; i < STAT_COLUMNS; i++) {
		fputs(i ? r->q.separator : "", r->out);
		csv_field(r, first[i] ? first[i] : "");
	}
	extra_cells(v, NO_REGION, NO_EVENT, cell);
	csv_cells(r, cell);
	for (unsigned i = 0; i < PROFILE_COLUMNS; i++) {
		fputs(r->q.separator, r->out);
		csv_field(r, last[i] ? last[i] : "");
	}
	putc('\n', r->out);
}

static int machine_profile(struct report *r, const struct view *v,
			   const struct pmk_profile_line *list, size_t n, uint64_t all)
{
	struct shown_line shown;
	bool good = true;

	for (size_t i = 0; good && i < n; i++) {
		good = show_line(&shown, v, &list[i], all, false);
		if (good && r->q.json)
			json_profile(r, v, &list[i], &shown);
		else if (good)
			csv_profile(r, v, &list[i], &shown);
		free_line(&shown);
	}
	return good ? 0 : PMK_ENOMEM;
}

static int write_profile(struct report *r, const struct view *v)
{
	size_t n, at = 0;
	struct pmk_profile_line *list = pmk_dump_profile(v->d, v->functions, &n);
	int err = list ? 0 : PMK_ENOMEM;
	bool named = false;

	for (size_t i = 0; list && i < n; i++)
		named |= list[i].function != NULL;
	if (list && n && v->functions && !named)
		cli_fail(0, "--elf %s: no sample lies in one of its functions", r->elf);
	for (unsigned event = 0; !err && event < v->d->nevents; event++) {
		size_t first = at;
		uint64_t samples = 0;

		for (; at < n && list[at].event == event; at++)
			samples += list[at].samples;
		if (is_text(r) && (samples || v->d->event[event].period))
			err = text_profile(r, v, event, list + first, at - first, samples);
		else if (!is_text(r))
			err = machine_profile(r, v, list + first, at - first, samples);
	}
	free(list);
	return err;
}

/* ---- what a reader must know ---------------------------------------------------------------- */

static bool open_memory(struct memory *m)
{
	m->f = open_memstream(&m->text, &m->size);
	return m->f != NULL;
}

static void close_memory(struct memory *m)
{
	if (m->f)
		fclose(m->f);
	free(m->text);
	*m = (struct memory){ 0 };
}

static void warn(struct report *r, const struct view *v, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static void warn(struct report *r, const struct view *v, const char *fmt, ...)
{
	FILE *f = r->warnings.f;
	va_list ap;

	fflush(f);
	if (r->warnings.size)
		putc('\n', f);
	if (!is_text(r) && r->nshown > 1)
		fprintf(f, "dump %zu: ", v->number);
	va_start(ap, fmt);
	vfprintf(f, fmt, ap);
	va_end(ap);
}

static uint64_t count_late(const struct pmk_dump *d, unsigned event)
{
	uint64_t late = 0;

	for (size_t i = 0; i < d->nsamples; i++)
		late += d->sample[i].late && (event == NO_EVENT || d->sample[i].event == event);
	return late;
}

static void set_warnings(struct report *r, const struct view *v)
{
	const struct pmk_dump *d = v->d;
	uint64_t late, unmatched = 0;

	if (d->state == PMK_DUMP_CUT)
		warn(r, v, "the dump is not complete and not checked: it %s", d->why);
	for (unsigned i = 0; i < d->nevents; i++) {
		if (!d->event[i].period)
			continue;
		warn(r, v,
		     "%s was sampled: what happened while its counter was set back is not in its "
		     "counts",
		     v->event[i]->name);
		late = count_late(d, i);
		if (late)
			warn(r, v, "samples of %s that came late, by a period or more: %llu",
			     v->event[i]->name, (unsigned long long)late);
	}
	if (d->dropped)
		warn(r, v, "samples that were dropped because the ring was full: %lu",
		     (unsigned long)d->dropped);
	for (size_t id = 0; id < d->nregions; id++)
		unmatched += d->region[id].errors;
	if (unmatched)
		warn(r, v, "begins or ends of regions without a partner, not measured: %llu",
		     (unsigned long long)unmatched);
}

static void describe(struct report *r, const struct view *v)
{
	const struct pmk_dump *d = v->d;
	json_object *o = json_object_new_object();

	show_number(o, "dump", v->number);
	show_number(o, "offset", d->begin);
	show_number(o, "version", d->version);
	show_add(o, "pmu", v->pmu_name);
	json_object_object_add(o, "complete",
			       json_object_new_boolean(d->state == PMK_DUMP_COMPLETE));
	show_add(o, "reason", *d->why ? d->why : NULL);
	json_object_object_add(o, "crlf", json_object_new_boolean(d->crlf));
	show_number(o, "regions", d->nregions);
	show_number(o, "samples", d->nsamples);
	show_number(o, "late", count_late(d, NO_EVENT));
	json_object_object_add(o, "dropped",
			       d->sampling ? json_object_new_uint64(d->dropped) : NULL);
	put_object(&r->dumps, o);
}

/* ---- the report ----------------------------------------------------------------------------- */

/* Text has a document for each dump, CSV and JSON one for all. */
static int begin(struct report *r, const struct view *v)
{
	struct job *job = r->job;
	int code;

	job->pmu = job->result.pmu = v->pmu;
	if (job->writer)
		return 0;
	free(r->command[0]);
	if (is_text(r) && r->nshown > 1)
		code = asprintf(&r->command[0], "%s: dump %zu", r->name, v->number);
	else
		code = asprintf(&r->command[0], "%s", r->name);
	if (code < 0) {
		r->command[0] = NULL;
		return out_of_memory();
	}
	snprintf(job->emu.core.name, sizeof(job->emu.core.name), "%s", v->pmu_name);
	/* One programming of counters; of those of an unknown PMU nothing is known. */
	job->plan.npasses = v->pmu != &v->unknown;
	job->result.producer = strdup("firmware");
	if (!job->result.producer || !open_memory(&r->warnings))
		return out_of_memory();
	code = report_begin(job);
	if (!code && !is_text(r))
		pass(r);
	return code;
}

static int end(struct report *r)
{
	struct job *job = r->job;
	int err;

	fflush(r->warnings.f);
	job->result.warning = r->warnings.size ? strdup(r->warnings.text) : NULL;
	if (r->q.json) {
		fflush(r->dumps.f);
		fflush(r->profile.f);
	}
	err = pmk_writer_end(job->writer, &job->result);
	job->writer = NULL;
	if (r->q.json)
		complete_json_end(r);
	close_memory(&r->warnings);
	pmk_result_free(&job->result);
	return err;
}

static bool note_metric_lines(struct report *r, const struct view *v)
{
	struct metric_lines *grown =
		realloc(r->metric_lines, (r->nmetric_lines + 1) * sizeof(*grown));

	if (!grown)
		return false;
	r->metric_lines = grown;
	grown[r->nmetric_lines++] =
		(struct metric_lines){ v->number, v->nmetrics * (1 + v->d->nregions) };
	return true;
}

static int show(struct report *r, struct view *v)
{
	int err, code;

	choose_functions(r, v);
	choose_metrics(r, v);
	code = begin(r, v);
	if (code)
		return code;
	if (v->d->state == PMK_DUMP_CUT)
		r->job->result.partial = true;
	set_warnings(r, v);
	err = write_sections(r, v);
	if (!err)
		err = write_profile(r, v);
	if (!err && r->q.json) {
		describe(r, v);
		err = note_metric_lines(r, v) ? 0 : PMK_ENOMEM;
	}
	if (is_text(r) && !err)
		err = end(r);
	if (err == PMK_ENOMEM)
		return out_of_memory();
	return err ? cannot_write(r) : 0;
}

static int show_dumps(struct report *r)
{
	size_t at = 0, number = 0;
	struct pmk_dump d;
	struct view v;
	int code = 0;

	while (!code && pmk_dump_next(r->data, r->size, &at, &d) > 0) {
		if (is_shown(&d)) {
			code = make_view(&v, &d, ++number) ? show(r, &v) : out_of_memory();
			r->job->result.pmu = NULL; /* it may be in the view */
			free(v.pmu_name);
		}
		pmk_dump_free(&d);
	}
	if (!code && r->job->writer && end(r))
		code = cannot_write(r);
	return code;
}

/* -o, --append: pmk stat's; without them the report goes to stdout. CSV and JSON by way of memory. */
static int open_output(struct report *r)
{
	struct job *job = r->job;
	int code = 0;

	job->q = &r->q;
	if (r->q.output)
		code = report_open(job);
	else
		job->out = stdout;
	if (code)
		return code;
	r->out = job->out;
	if (is_text(r))
		return 0;
	if (!open_memory(&r->text) || !open_memory(&r->dumps) || !open_memory(&r->profile))
		return out_of_memory();
	job->out = r->text.f;
	return 0;
}

/* Whatever happened: the document is closed, the file has it or that is an error. */
static int close_output(struct report *r, int code)
{
	struct job *job = r->job;
	bool own = job->own_out;

	job->own_out = false;
	report_abandon(job);
	close_memory(&r->warnings);
	close_memory(&r->dumps);
	close_memory(&r->profile);
	close_memory(&r->text);
	if (r->out && own && (ferror(r->out) | fclose(r->out)) && !code)
		code = cannot_write(r);
	return code;
}

static int print(struct report *r)
{
	int code;

	r->job = calloc(1, sizeof(*r->job));
	if (!r->job)
		return out_of_memory();
	pmk_result_init(&r->job->result);
	code = open_output(r);
	if (!code)
		code = show_dumps(r);
	code = close_output(r, code);
	pmk_result_free(&r->job->result);
	free(r->job);
	return code;
}

static int report(struct report *r)
{
	int code = ask_metrics(r);

	if (!code)
		code = load_functions(r);
	if (!code)
		code = read_capture(r);
	if (!code)
		code = find_dumps(r);
	if (!code && r->nshown)
		code = print(r);
	return code ? code : r->code;
}

/* ---- options -------------------------------------------------------------------------------- */

/* Long names are compared so that options without a letter need no number of their own. */
static bool is(const struct cli_option *o, const char *name)
{
	return !strcmp(o->name, name);
}

static int take_option(struct report *r, const struct cli_option *o, char *value)
{
	if (is(o, "metrics"))
		return words_add(&r->q.metrics, value) ? 0 : out_of_memory();
	if (is(o, "elf"))
		r->elf = value;
	else if (is(o, "field-separator"))
		r->q.separator = strcmp(value, "\\t") ? value : "\t"; /* as perf does */
	else if (is(o, "output"))
		r->q.output = value;
	else if (is(o, "json-output"))
		r->q.json = true;
	else if (is(o, "append"))
		r->q.append = true;
	else if (is(o, "no-big-num"))
		r->q.plain_numbers = true;
	else if (is(o, "verbose"))
		r->q.verbose = true;
	return 0;
}

static int check_request(const struct report *r)
{
	if (r->q.json && r->q.separator)
		return cli_fail(PMK_EXIT_USAGE, "-j and -x exclude each other");
	if (r->q.separator && (!*r->q.separator || strpbrk(r->q.separator, "\"\n")))
		return cli_fail(PMK_EXIT_USAGE,
				"-x needs a separator other than a quote or a new line");
	if (r->q.append && !r->q.output)
		return cli_fail(PMK_EXIT_USAGE, "--append needs -o FILE");
	if (!r->file)
		return cli_fail(PMK_EXIT_USAGE, "no file to read (pmk report --help)");
	return 0;
}

static int parse(struct report *r, int argc, char **argv, bool *help)
{
	const struct cli_option *o;
	int i = 1, code = 0;
	char *value;
	bool bad;

	while (!code) {
		o = cli_next(&cmd_report, argc, argv, &i, &value, &bad);
		if (bad)
			return PMK_EXIT_USAGE;
		if (o && is(o, "help")) {
			*help = true;
			return 0;
		}
		if (o)
			code = take_option(r, o, value);
		else if (i >= argc)
			break;
		else if (r->file)
			code = cli_fail(PMK_EXIT_USAGE, "more than one file: %s and %s", r->file,
					argv[i]);
		else
			r->file = argv[i++];
	}
	return code ? code : check_request(r);
}

static int run_report(int argc, char **argv)
{
	struct report r = { .q = { .runs = 1 } };
	bool help = false;
	int code;

	r.q.command = r.command;
	code = parse(&r, argc, argv, &help);
	if (help)
		cli_help(stdout, &cmd_report);
	else if (!code)
		code = report(&r);
	words_free(&r.q.metrics);
	pmk_functions_free(r.functions);
	free(r.metric_lines);
	free(r.command[0]);
	free(r.data);
	return code;
}

const struct cli_command cmd_report = {
	.name = "report",
	.brief = "show what firmware counted",
	.usage = "[--elf FILE] [-M LIST] [-x SEP | -j] [-o FILE] FILE",
	.options = options,
	.run = run_report,
};
