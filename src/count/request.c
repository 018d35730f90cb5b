// SPDX-License-Identifier: MIT
/*
 * Settings become a request. They have the names of the options of pmk stat, and error messages
 * call them as pmk stat does.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "count/count.h"
#include "session/emulated.h"

const struct pmk_count_way *const pmk_count_ways[] = { &pmk_way_emulation, &pmk_way_machine,
						       &pmk_way_wave,	   &pmk_way_openocd,
						       &pmk_way_gdb,	   &pmk_way_xvc,
						       &pmk_way_devmem,	   NULL };

/* ---- values ---------------------------------------------------------------------------------- */

static int add_word(struct pmk_count *c, struct pmk_words *l, const char *word)
{
	return pmk_words_add(l, word) ? 0 : pmk_count_no_memory(&c->fault);
}

static int set_text(struct pmk_count *c, char **text, const char *value)
{
	char *copy = strdup(value);

	if (!copy)
		return pmk_count_no_memory(&c->fault);
	free(*text);
	*text = copy;
	return 0;
}

static int set_repeat(struct pmk_count *c, const char *text)
{
	char *end;
	unsigned long n = strtoul(text, &end, 10);

	if (*end || n < 1 || n > 100000 || *text == '-')
		return pmk_count_fail(&c->fault, PMK_COUNT_USAGE,
				      "-r %s: expected a number of runs, 1 to 100000", text);
	c->q.runs = (unsigned)n;
	return 0;
}

/* "1000000cycles", "5000insns", "10ms", or perf's bare milliseconds. */
static int set_interval(struct pmk_count *c, const char *text)
{
	struct pmk_request *q = &c->q;
	char *end;

	errno = 0;
	q->interval = strtoull(text, &end, 10);
	if (end == text || *text == '-' || errno || !q->interval)
		return pmk_count_fail(&c->fault, PMK_COUNT_USAGE,
				      "-I %s: expected a number from 1 to 2^64 - 1", text);
	if (!strcmp(end, "cycles"))
		q->interval_unit = PMK_EVERY_CYCLES;
	else if (!strcmp(end, "insns") || !strcmp(end, "instructions"))
		q->interval_unit = PMK_EVERY_INSNS;
	else if (!*end || !strcmp(end, "ms"))
		q->interval_unit = PMK_EVERY_MS;
	else
		return pmk_count_fail(&c->fault, PMK_COUNT_USAGE,
				      "-I %s: unknown unit '%s' (known: cycles, insns, ms)", text,
				      end);
	return 0;
}

/* A number from `least` up that fits in an int. `what` says what it is. */
static int set_number(struct pmk_count *c, const char *option, const char *text, unsigned least,
		      const char *what, unsigned *number)
{
	unsigned long n;
	char *end;

	errno = 0;
	n = strtoul(text, &end, 10);
	if (end == text || *end || *text < '0' || *text > '9' || errno || n < least || n > INT_MAX)
		return pmk_count_fail(&c->fault, PMK_COUNT_USAGE,
				      "%s %s: expected a number of %s, %u to %d", option, text,
				      what, least, INT_MAX);
	*number = (unsigned)n;
	return 0;
}

static int set_delay(struct pmk_count *c, const char *text)
{
	if (!strcmp(text, "-1"))
		return pmk_count_fail(&c->fault, PMK_COUNT_USAGE,
				      "-D -1: nothing could switch counting on later (perf: "
				      "--control); give milliseconds");
	return set_number(c, "-D", text, 0, "milliseconds", &c->q.delay_ms);
}

#define LEAST_TIMEOUT 10 /* perf's */

static int set_timeout(struct pmk_count *c, const char *text)
{
	return set_number(c, "--timeout", text, LEAST_TIMEOUT, "milliseconds", &c->q.timeout_ms);
}

static int set_max_intervals(struct pmk_count *c, const char *text)
{
	return set_number(c, "--interval-count", text, 1, "intervals", &c->q.max_intervals);
}

static int set_detailed(struct pmk_count *c, const char *text)
{
	(void)text;
	c->q.detailed++;
	return 0;
}

static int set_seed(struct pmk_count *c, const char *text)
{
	c->q.sampled = true;
	return set_number(c, "--sample-seed", text, 0, "a sequence", &c->q.seed);
}

static int set_no_summary(struct pmk_count *c, const char *text)
{
	(void)text;
	c->q.summary = false;
	return 0;
}

static int set_passes(struct pmk_count *c, const char *text)
{
	if (!strcmp(text, "clone") || !strcmp(text, "rerun")) {
		c->q.rerun = *text == 'r';
		return 0;
	}
	if (!strcmp(text, "multiplex"))
		return pmk_count_fail(&c->fault, PMK_COUNT_USAGE,
				      "--passes multiplex: emulated counters need not share "
				      "time; use clone or rerun");
	return pmk_count_fail(&c->fault, PMK_COUNT_USAGE, "--passes %s: expected clone or rerun",
			      text);
}

static const char *way_name(const void *ctx, unsigned i)
{
	(void)ctx;
	return pmk_count_ways[i] ? pmk_count_ways[i]->name : NULL;
}

static int set_target(struct pmk_count *c, const char *text)
{
	size_t n = strcspn(text, ":");
	char near[64] = "";

	for (unsigned i = 0; pmk_count_ways[i]; i++) {
		const struct pmk_count_way *way = pmk_count_ways[i];

		if (strncmp(text, way->name, n) != 0 || way->name[n] || (text[n] && !way->where))
			continue;
		c->q.way = way;
		if (text[n] ? !text[n + 1] : way->where && !way->usual)
			return pmk_count_fail(&c->fault, PMK_COUNT_USAGE, "-T %s: expected %s:%s",
					      text, way->name, way->where);
		free(c->q.file);
		c->q.file = NULL;
		if (text[n])
			return set_text(c, &c->q.file, text + n + 1);
		return way->usual ? set_text(c, &c->q.file, way->usual) : 0;
	}
	pmk_nearest_among(text, way_name, NULL, near, sizeof(near));
	return pmk_count_fail(&c->fault, PMK_COUNT_USAGE,
			      "-T %s: there is no such target%s%s%s (pmk list targets)", text,
			      *near ? "; did you mean " : "", near, *near ? "?" : "");
}

static int add_region(struct pmk_count *c, const char *symbol)
{
	if (c->q.regions.count == PMK_MAX_REGIONS - 1)
		return pmk_count_fail(&c->fault, PMK_COUNT_USAGE, "more than %d regions",
				      PMK_MAX_REGIONS - 1);
	for (unsigned i = 0; i < c->q.regions.count; i++)
		if (!strcmp(c->q.regions.word[i], symbol))
			return pmk_count_fail(&c->fault, PMK_COUNT_USAGE,
					      "--region %s is there twice", symbol);
	return add_word(c, &c->q.regions, symbol);
}

static int add_variable(struct pmk_count *c, const char *text)
{
	if (!*text || *text == '=')
		return pmk_count_fail(&c->fault, PMK_COUNT_USAGE,
				      "--env '%s': expected NAME or NAME=VALUE", text);
	return add_word(c, &c->q.env, text);
}

/* "l2.type=l220,l2.size=128K": no value has a comma in it. */
static int add_overrides(struct pmk_count *c, const char *value)
{
	char *text = strdup(value), *at = text, *word;
	int err = text ? 0 : pmk_count_no_memory(&c->fault);

	while (!err && (word = strsep(&at, ",")))
		err = add_word(c, &c->q.overrides, word);
	free(text);
	return err;
}

/* ---- settings -------------------------------------------------------------------------------- */

static const struct setting {
	const char *name;
	/* This function takes the value. NULL: the value goes into a member of the request. */
	int (*take)(struct pmk_count *c, const char *value);
	enum { TEXT, WORDS, FLAG } kind;
	size_t member;
} settings[] = {
#define MEMBER(m) offsetof(struct pmk_request, m)
	{ "event", NULL, WORDS, MEMBER(events) },
	{ "metrics", NULL, WORDS, MEMBER(metrics) },
	{ "pmu", NULL, TEXT, MEMBER(pmu_name) },
	{ "core", NULL, TEXT, MEMBER(core_name) },
	{ "set", add_overrides, TEXT, 0 },
	{ "traffic", NULL, WORDS, MEMBER(traffic) },
	{ "layout", NULL, TEXT, MEMBER(layout) },
	{ "target", set_target, TEXT, 0 },
	{ "map", NULL, TEXT, MEMBER(map) },
	{ "layer", NULL, TEXT, MEMBER(layer) },
	{ "packets", NULL, TEXT, MEMBER(packets) },
	{ "pid", NULL, TEXT, MEMBER(pids) },
	{ "all-cpus", NULL, FLAG, MEMBER(all_cpus) },
	{ "cpu", NULL, TEXT, MEMBER(cpus) },
	{ "no-inherit", NULL, FLAG, MEMBER(no_inherit) },
	{ "repeat", set_repeat, TEXT, 0 },
	{ "interval", set_interval, TEXT, 0 },
	{ "interval-count", set_max_intervals, TEXT, 0 },
	{ "summary", NULL, FLAG, MEMBER(summary) },
	{ "no-summary", set_no_summary, FLAG, 0 },
	{ "delay", set_delay, TEXT, 0 },
	{ "timeout", set_timeout, TEXT, 0 },
	{ "detailed", set_detailed, FLAG, 0 },
	{ "null", NULL, FLAG, MEMBER(nothing) },
	{ "guest", NULL, FLAG, MEMBER(guest) },
	{ "irq", NULL, TEXT, MEMBER(irq) },
	{ "at", NULL, TEXT, MEMBER(at) },
	{ "log", NULL, TEXT, MEMBER(log) },
	{ "sample", NULL, FLAG, MEMBER(sampled) },
	{ "sample-seed", set_seed, TEXT, 0 },
	{ "per-thread", NULL, FLAG, MEMBER(per_thread) },
	{ "region", add_region, TEXT, 0 },
	{ "from", NULL, TEXT, MEMBER(from) },
	{ "to", NULL, TEXT, MEMBER(to) },
	{ "no-aggr", NULL, FLAG, MEMBER(per_core) },
	{ "passes", set_passes, TEXT, 0 },
	{ "bars", NULL, FLAG, MEMBER(bars) },
	{ "env", add_variable, TEXT, 0 },
	{ "sysroot", NULL, TEXT, MEMBER(sysroot) },
	{ "qemu", NULL, TEXT, MEMBER(qemu) },
	{ "data", NULL, TEXT, MEMBER(data) },
	{ "plugin", NULL, TEXT, MEMBER(plugin) },
#undef MEMBER
	{ NULL, NULL, TEXT, 0 },
};

static const char *setting_name(const void *ctx, unsigned i)
{
	(void)ctx;
	return settings[i].name;
}

static const struct setting *find_setting(const char *name)
{
	for (const struct setting *s = settings; s->name; s++)
		if (!strcmp(s->name, name))
			return s;
	return NULL;
}

/* Does this way know a setting that not all ways know? */
static bool knows(const struct pmk_count_way *way, const char *setting)
{
	for (const char *const *name = way->settings; *name; name++)
		if (strcmp(*name, setting) == 0)
			return true;
	return false;
}

/* The only way that knows the setting. NULL: all know it. Sets *shared if several do: then the
 * first of them. */
static const struct pmk_count_way *owner(const char *setting, bool *shared)
{
	const struct pmk_count_way *found = NULL;

	for (unsigned i = 0; pmk_count_ways[i]; i++) {
		if (!knows(pmk_count_ways[i], setting))
			continue;
		*shared |= found != NULL;
		found = found ? found : pmk_count_ways[i];
	}
	return found;
}

/* Settings that only different ways know make no sense together. */
static int note_owner(struct pmk_count *c, const struct setting *s)
{
	struct pmk_request *q = &c->q;
	bool shared = false;
	const struct pmk_count_way *way = owner(s->name, &shared);

	if (shared)
		q->shared = s->name;
	if (!way || shared || way == q->hinted)
		return 0;
	if (q->hinted)
		return pmk_count_fail(&c->fault, PMK_COUNT_USAGE,
				      "--%s is for -T %s, and --%s for -T %s", q->hint,
				      q->hinted->name, s->name, way->name);
	q->hinted = way;
	q->hint = s->name;
	return 0;
}

static int take(struct pmk_count *c, const struct setting *s, const char *value)
{
	char *member = (char *)&c->q + s->member;

	if (s->take)
		return s->take(c, value);
	if (s->kind == TEXT)
		return set_text(c, (char **)(void *)member, value);
	if (s->kind == WORDS)
		return add_word(c, (struct pmk_words *)(void *)member, value);
	*(bool *)(void *)member = true;
	return 0;
}

int pmk_count_set(struct pmk_count *c, const char *name, const char *value)
{
	const struct setting *s = find_setting(name);
	char near[160] = "";
	int err;

	if (!c)
		return PMK_COUNT_FAILED;
	if (c->stage != PMK_COUNT_ASKED)
		return pmk_count_fail(&c->fault, PMK_COUNT_USAGE,
				      "%s: it is settled what is counted; set it before that",
				      name);
	if (!s) {
		pmk_nearest_among(name, setting_name, NULL, near, sizeof(near));
		return pmk_count_fail(&c->fault, PMK_COUNT_USAGE,
				      "there is no setting '%s'%s%s%s (pmk-stat(1))", name,
				      *near ? "; did you mean " : "", near, *near ? "?" : "");
	}
	if (!value && s->kind != FLAG)
		return pmk_count_fail(&c->fault, PMK_COUNT_USAGE, "%s: a value is missing", name);
	err = take(c, s, value);
	return err ? err : note_owner(c, s);
}

int pmk_count_rate(struct pmk_count *c, const char *frequency, const char *period)
{
	struct pmk_request *q = &c->q;
	const char *option = frequency ? "freq" : "count";
	int err = 0;

	if (!frequency && !period)
		return 0;
	if (frequency)
		err = set_text(c, &q->frequency, frequency);
	if (!err && period)
		err = set_text(c, &q->period, period);
	if (!err && q->hinted && q->hinted != &pmk_way_machine)
		err = pmk_count_fail(&c->fault, PMK_COUNT_USAGE,
				     "--%s is for -T %s, and --%s for -T linux", q->hint,
				     q->hinted->name, option);
	q->hinted = &pmk_way_machine;
	q->hint = option;
	return err;
}

int pmk_count_program(struct pmk_count *c, char *const *argv)
{
	if (!c)
		return PMK_COUNT_FAILED;
	if (c->stage != PMK_COUNT_ASKED)
		return pmk_count_fail(
			&c->fault, PMK_COUNT_USAGE,
			"the program: it is settled what is counted; set it before that");
	pmk_words_free(&c->q.words);
	for (; *argv; argv++)
		if (!pmk_words_add(&c->q.words, *argv))
			return pmk_count_no_memory(&c->fault);
	return 0;
}

/* ---- the request ----------------------------------------------------------------------------- */

/* Several ways know the setting, and this is none of them. */
static int not_for_way(struct pmk_count *c, const char *setting, const struct pmk_count_way *way)
{
	char list[128] = "";
	size_t n = 0;
	unsigned left = 0;

	for (unsigned i = 0; pmk_count_ways[i]; i++)
		left += knows(pmk_count_ways[i], setting);
	for (unsigned i = 0; pmk_count_ways[i]; i++)
		if (knows(pmk_count_ways[i], setting) && n < sizeof(list)) {
			left--;
			n += (size_t)snprintf(list + n, sizeof(list) - n, "%s-T %s",
					      !n     ? ""
					      : left ? ", "
						     : " and ",
					      pmk_count_ways[i]->name);
		}
	return pmk_count_fail(&c->fault, PMK_COUNT_USAGE, "--%s is for %s, not for -T %s", setting,
			      list, way->name);
}

/* If no way was asked for: the one whose settings were given; else this machine to count programs
 * that run on it, and emulation for all others, and to record. */
static int choose_way(struct pmk_count *c)
{
	struct pmk_request *q = &c->q;

	if (q->way && q->hinted && q->way != q->hinted)
		return pmk_count_fail(&c->fault, PMK_COUNT_USAGE,
				      "--%s is for -T %s, not for -T %s", q->hint, q->hinted->name,
				      q->way->name);
	if (!q->way)
		q->way = q->hinted;
	if (!q->way)
		q->way = q->record == PMK_REQUEST_COUNTS && q->command[0] &&
					 (!q->shared || knows(&pmk_way_machine, q->shared)) &&
					 pmk_machine_runs(q->command[0])
				 ? &pmk_way_machine
				 : &pmk_way_emulation;
	if (q->shared && !knows(q->way, q->shared))
		return not_for_way(c, q->shared, q->way);
	return 0;
}

int pmk_request_check(struct pmk_count *c)
{
	static char *const nothing[] = { NULL };
	struct pmk_request *q = &c->q;

	q->command = q->words.word ? q->words.word : nothing;
	if (!q->from != !q->to)
		return pmk_count_fail(&c->fault, PMK_COUNT_USAGE, "--from and --to go together");
	if (q->interval_unit != PMK_EVERY_NONE && (q->runs > 1 || q->rerun))
		return pmk_count_fail(&c->fault, PMK_COUNT_USAGE,
				      "-I counts one run: not with -r or --passes rerun");
	if (q->interval_unit != PMK_EVERY_NONE && (q->regions.count || q->per_core))
		return pmk_count_fail(&c->fault, PMK_COUNT_USAGE,
				      "-I goes with --from and --to, not with --region or -A");
	if (q->max_intervals && q->interval_unit == PMK_EVERY_NONE)
		return pmk_count_fail(&c->fault, PMK_COUNT_USAGE,
				      "--interval-count goes with -I, and there is none");
	if (q->per_thread && (q->interval_unit != PMK_EVERY_NONE || q->per_core))
		return pmk_count_fail(&c->fault, PMK_COUNT_USAGE,
				      "--per-thread: not with -I or -A");
	if (q->nothing && (q->events.count || q->metrics.count || q->detailed || q->bars))
		return pmk_count_fail(&c->fault, PMK_COUNT_USAGE,
				      "-n counts nothing: not with -e, -M, -d or --bars");
	if (q->nothing && q->interval_unit != PMK_EVERY_NONE)
		return pmk_count_fail(&c->fault, PMK_COUNT_USAGE,
				      q->guest ? "-I prints counts of -e and -M, and there are none"
					       : "-n counts nothing: not with -I");
	if (q->per_core && q->regions.count)
		return pmk_count_fail(&c->fault, PMK_COUNT_USAGE,
				      "-A and --region exclude each other");
	if (!q->command[0] && !q->qemu && !q->pids && !q->cpus && !q->all_cpus && !q->file)
		return pmk_count_fail(&c->fault, PMK_COUNT_USAGE,
				      "no program to run (pmk %s --help)",
				      q->record == PMK_REQUEST_COUNTS ? "stat" : "record");
	if (choose_way(c))
		return c->fault.failure;
	if (q->record != PMK_REQUEST_COUNTS && !q->way->recording)
		return pmk_count_fail(&c->fault, PMK_COUNT_USAGE,
				      "-T %s: it can be counted (pmk stat), not recorded",
				      q->way->name);
	return 0;
}

void pmk_request_free(struct pmk_request *q)
{
	pmk_words_free(&q->words);
	for (const struct setting *s = settings; s->name; s++) {
		char *member = (char *)q + s->member;

		if (!s->take && s->kind == TEXT)
			free(*(char **)(void *)member);
		if (!s->take && s->kind == WORDS)
			pmk_words_free((struct pmk_words *)(void *)member);
	}
	pmk_words_free(&q->overrides);
	pmk_words_free(&q->regions);
	pmk_words_free(&q->env);
	free(q->file);
	free(q->frequency);
	free(q->period);
}
