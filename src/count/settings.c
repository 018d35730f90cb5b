// SPDX-License-Identifier: MIT
/* The settings of <pmk/count.h>: their names, kinds and values. request.c checks them together. */
#define _GNU_SOURCE
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "base/number.h"
#include "count/count.h"
#include "producer/session/emulated.h"

struct setting {
	struct pmk_count_setting shown;
	/* The option of pmk stat, and the quoted name for a program: see pmk_setting_shown(). */
	const char *option, *quoted;
	/* Handles the value; a number is handled before it is stored. If NULL, the value is stored
	 * in a member of the request. */
	int (*take)(struct pmk_count *c, const char *value);
	size_t member;
	/* Only for numbers: the range, and what messages say is expected, such as "a number of
	 * runs". */
	unsigned least, most;
	const char *what;
};

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

/* Set the interval from a text: "1000000cycles", "5000insns", "10ms", or milliseconds without a
 * unit, as in perf. */
static int set_interval(struct pmk_count *c, const char *text)
{
	struct pmk_request *q = &c->q;
	const char *end = text;

	if (pmk_number_read(&end, 10, &q->interval.length) || !q->interval.length)
		return pmk_count_refuse(
			&c->fault, "`interval` %s: expected a number from 1 to 2^64 - 1", text);
	if (!strcmp(end, "cycles"))
		q->interval.unit = PMK_EVERY_CYCLES;
	else if (!strcmp(end, "insns") || !strcmp(end, "instructions"))
		q->interval.unit = PMK_EVERY_INSNS;
	else if (!*end || !strcmp(end, "ms"))
		q->interval.unit = PMK_EVERY_MS;
	else
		return pmk_count_refuse(
			&c->fault, "`interval` %s: unknown unit '%s' (known: cycles, insns, ms)",
			text, end);
	return 0;
}

static int refuse_control(struct pmk_count *c, const char *text)
{
	if (strcmp(text, "-1") != 0)
		return 0;
	return pmk_count_refuse(&c->fault,
				"`delay` -1: pmk has no --control to start counting later; "
				"give milliseconds");
}

/* Set a decimal number that fits in an int. */
static int set_number(struct pmk_count *c, const struct setting *s, const char *text)
{
	unsigned *number = (unsigned *)(void *)((char *)&c->q + s->member);

	if (pmk_unsigned_parse(text, s->least, s->most, number))
		return pmk_count_refuse(&c->fault, "`%s` %s: expected %s, %u to %u", s->shown.name,
					text, s->what, s->least, s->most);
	return 0;
}

static int set_detailed(struct pmk_count *c, const char *text)
{
	(void)text;
	c->q.counted.detailed++;
	return 0;
}

static int want_samples(struct pmk_count *c, const char *text)
{
	(void)text;
	c->q.sample.wanted = true;
	return 0;
}

static int set_no_summary(struct pmk_count *c, const char *text)
{
	(void)text;
	c->q.interval.summary = false;
	return 0;
}

static int set_passes(struct pmk_count *c, const char *text)
{
	if (!strcmp(text, "clone") || !strcmp(text, "rerun")) {
		c->q.run.rerun = *text == 'r';
		return 0;
	}
	if (!strcmp(text, "multiplex"))
		return pmk_count_refuse(&c->fault, "`passes` multiplex: emulated counters need not "
						   "share time; use clone or rerun");
	return pmk_count_refuse(&c->fault, "`passes` %s: expected clone or rerun", text);
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
		c->q.target.asked = way;
		if (text[n] ? !text[n + 1] : way->where && !way->usual)
			return pmk_count_refuse(&c->fault, "`target` %s: expected %s:%s", text,
						way->name, way->where);
		free(c->q.target.where);
		c->q.target.where = NULL;
		if (text[n])
			return set_text(c, &c->q.target.where, text + n + 1);
		return way->usual ? set_text(c, &c->q.target.where, way->usual) : 0;
	}
	pmk_nearest_among(text, way_name, NULL, near, sizeof(near));
	return pmk_count_refuse(&c->fault,
				"`target` %s: there is no such target%s%s%s (pmk list targets)",
				text, *near ? "; did you mean " : "", near, *near ? "?" : "");
}

static int add_region(struct pmk_count *c, const char *symbol)
{
	if (c->q.scope.regions.count == PMK_MAX_REGIONS - 1)
		return pmk_count_refuse(&c->fault,
					"`region` is given more than %d times; leave some out",
					PMK_MAX_REGIONS - 1);
	for (unsigned i = 0; i < c->q.scope.regions.count; i++)
		if (!strcmp(c->q.scope.regions.word[i], symbol))
			return pmk_count_refuse(&c->fault, "`region` %s is given twice", symbol);
	return add_word(c, &c->q.scope.regions, symbol);
}

static int add_variable(struct pmk_count *c, const char *text)
{
	if (!*text || *text == '=')
		return pmk_count_refuse(&c->fault, "`env` '%s': expected NAME or NAME=VALUE", text);
	return add_word(c, &c->q.program.env, text);
}

static int set_stream(struct pmk_count *c, unsigned i, const char *name, const char *value)
{
	if (pmk_stream_is_valid(i, value))
		return set_text(c, &c->q.program.streams[i], value);
	return pmk_count_refuse(&c->fault, "`%s` %s: expected fd:N%s file:PATH%s", name, value,
				i ? "," : " or",
				!i	 ? ""
				: i == 1 ? " or capture"
					 : ", capture or stdout");
}

static int set_stdin(struct pmk_count *c, const char *value)
{
	return set_stream(c, 0, "stdin", value);
}

static int set_stdout(struct pmk_count *c, const char *value)
{
	return set_stream(c, 1, "stdout", value);
}

static int set_stderr(struct pmk_count *c, const char *value)
{
	return set_stream(c, 2, "stderr", value);
}

/* Add overrides from a list: "l2.type=l220,l2.size=128K". No value contains a comma. */
static int add_overrides(struct pmk_count *c, const char *value)
{
	char *text = strdup(value), *at = text, *word;
	int err = text ? 0 : pmk_count_no_memory(&c->fault);

	while (!err && (word = strsep(&at, ",")))
		err = add_word(c, &c->q.core.set, word);
	free(text);
	return err;
}

/* ---- settings -------------------------------------------------------------------------------- */

#define MEMBER(m) NULL, offsetof(struct pmk_request, m)
#define TAKEN(f)  f, 0
/* LETTER defines an option with a short name, LONG an option without. */
#define LETTER(name, letter, kind, ways, brief, ...)                                       \
	{                                                                                  \
		{ name, PMK_COUNT_##kind, ways, brief }, letter, "'" name "'", __VA_ARGS__ \
	}
#define LONG(name, kind, ways, brief, ...) LETTER(name, "--" name, kind, ways, brief, __VA_ARGS__)

#define LEAST_TIMEOUT 10 /* perf's limit */

#define DEBUGGERS "openocd gdb"
#define WIRES	  DEBUGGERS " xvc devmem"

/* clang-format off */
static const struct setting settings[] = {
	LETTER("event", "-e", LIST, NULL, "events: names, aliases, rNN, {groups}, all",
	       MEMBER(counted.events)),
	LETTER("metrics", "-M", LIST, NULL, "metrics, and the events they need",
	       MEMBER(counted.metrics)),
	LONG("pmu", TEXT, NULL, "the PMU to count with", MEMBER(core.pmu)),
	LONG("core", TEXT, "emu", "the core to model", MEMBER(core.name)),
	LONG("set", LIST, "emu wave " WIRES, "KEY=VALUE, a parameter of the core or the target",
	     TAKEN(add_overrides)),
	LONG("traffic", LIST, "emu", "other masters on the buses: dma0:period=40",
	     MEMBER(core.traffic)),
	LONG("layout", TEXT, "emu wave " WIRES, "file: the layout of the AHB Monitor's registers",
	     MEMBER(core.layout)),
	LETTER("target", "-T", TEXT, NULL, "where to count: emu, linux, wave:FILE, gdb:HOST:PORT",
	       TAKEN(set_target)),
	LONG("map", TEXT, "wave", "file: the map of the dump's signals", MEMBER(dump.map)),
	LONG("layer", TEXT, "wave", "one layer of the map", MEMBER(dump.layer)),
	LONG("packets", TEXT, "emu wave", "file to write the AHB Monitor's pins to, as VCD",
	     MEMBER(dump.packets)),
	LETTER("pid", "-p", TEXT, "linux", "processes to count, separated by commas",
	       MEMBER(scope.pids)),
	LETTER("all-cpus", "-a", FLAG, "linux", "count everything on all processors",
	       MEMBER(scope.all_cpus)),
	LETTER("cpu", "-C", TEXT, "linux", "count everything on these processors: 0,2-3",
	       MEMBER(scope.cpus)),
	LETTER("no-inherit", "-i", FLAG, "linux", "without the program's children and threads",
	       MEMBER(scope.no_inherit)),
	LETTER("repeat", "-r", NUMBER, NULL, "runs; mean and deviation are reported",
	       MEMBER(run.times), 1, 100000, "a number of runs"),
	LETTER("interval", "-I", TEXT, NULL, "counts for every N ms, or Ncycles or Ninsns",
	       TAKEN(set_interval)),
	LONG("interval-count", NUMBER, NULL, "the number of intervals", 
	     MEMBER(interval.most), 1, INT_MAX, "a number of intervals"),
	LONG("summary", FLAG, NULL, "with an interval: also the counts of the whole run",
	     MEMBER(interval.summary)),
	LONG("no-summary", FLAG, NULL, "undo summary", TAKEN(set_no_summary)),
	LETTER("delay", "-D", NUMBER, "emu linux", "ms after which counting begins",
	       refuse_control, offsetof(struct pmk_request, run.delay_ms), 0, INT_MAX,
	       "a number of milliseconds"),
	LONG("timeout", NUMBER, NULL, "ms after which the program is ended",
	     MEMBER(run.timeout_ms), LEAST_TIMEOUT, INT_MAX, "a number of milliseconds"),
	LETTER("detailed", "-d", FLAG, NULL,
	       "count caches, too; given twice, also TLBs; three times, also prefetches",
	       TAKEN(set_detailed)),
	LETTER("null", "-n", FLAG, NULL, "count nothing", MEMBER(counted.nothing)),
	LONG("guest", FLAG, "emu",
	     "the program is an emulator's command line; its software programs the PMU",
	     MEMBER(guest.wanted)),
	LONG("irq", TEXT, "emu", "the device input that the PMU's interrupt drives",
	     MEMBER(guest.irq)),
	LONG("at", TEXT, "emu", "the address of the PMU's registers", MEMBER(guest.at)),
	LONG("log", TEXT, "emu", "write the accesses to the PMU to this file", MEMBER(guest.log)),
	LONG("sample", FLAG, "emu", "count short pieces, and estimate the rest",
	     MEMBER(sample.wanted)),
	LONG("sample-seed", NUMBER, "emu", "choose other pieces",
	     want_samples, offsetof(struct pmk_request, sample.seed), 0, INT_MAX,
	     "a seed"),
	LONG("random-seed", NUMBER, "emu", "seed of the program's random numbers (default: 1)",
	     MEMBER(program.random_seed), 1, INT_MAX, "a seed"),
	LONG("per-thread", FLAG, "linux", "one section for each thread of pid",
	     MEMBER(scope.per_thread)),
	LONG("region", LIST, "emu", "functions to count inside, calls included", TAKEN(add_region)),
	LONG("from", TEXT, "emu " DEBUGGERS, "symbol or address at which counting begins",
	     MEMBER(scope.from)),
	LONG("to", TEXT, "emu " DEBUGGERS, "symbol or address at which counting ends",
	     MEMBER(scope.to)),
	LETTER("no-aggr", "-A", FLAG, NULL, "one section for each core, not their sum",
	       MEMBER(scope.per_core)),
	LONG("passes", TEXT, "emu", "clone: all passes in one run; rerun: one run for each",
	     TAKEN(set_passes)),
	LONG("bars", FLAG, NULL, "count what describes the layers of a bus", MEMBER(counted.bars)),
	LONG("env", LIST, "emu", "NAME or NAME=VALUE, variables that the program sees",
	     TAKEN(add_variable)),
	LONG("sysroot", TEXT, "emu", "directory with the program's shared libraries",
	     MEMBER(program.sysroot)),
	LONG("qemu", TEXT, "emu", "emulator command line to run in place of a program",
	     MEMBER(program.qemu)),
	LONG("stdin", TEXT, NULL, "what the program reads: fd:N or file:PATH", TAKEN(set_stdin)),
	LONG("stdout", TEXT, NULL, "where its output goes: fd:N, file:PATH or capture",
	     TAKEN(set_stdout)),
	LONG("stderr", TEXT, NULL, "where the program's errors go: fd:N, file:PATH, capture or "
	     "stdout",
	     TAKEN(set_stderr)),
	LONG("data", TEXT, NULL, "directory with cores/, metrics/ and layouts/",
	     MEMBER(files.data)),
	LONG("plugin", TEXT, NULL, "the module for QEMU, or the directory with all of them",
	     MEMBER(files.plugin)),
};
/* clang-format on */

#define NSETTINGS (sizeof(settings) / sizeof(settings[0]))

const struct pmk_count_setting *pmk_count_settings(uint32_t i)
{
	return i < NSETTINGS ? &settings[i].shown : NULL;
}

static const char *setting_name(const void *ctx, unsigned i)
{
	(void)ctx;
	return i < NSETTINGS ? settings[i].shown.name : NULL;
}

static const struct setting *find_setting(const char *name, size_t n)
{
	for (size_t i = 0; i < NSETTINGS; i++)
		if (!strncmp(settings[i].shown.name, name, n) && !settings[i].shown.name[n])
			return &settings[i];
	return NULL;
}

const char *pmk_setting_shown(const char *name, size_t n, bool options)
{
	const struct setting *s = find_setting(name, n);

	/* Set only by the recording command; see pmk_count_rate(). */
	if (!s && n == 4 && !strncmp(name, "freq", n))
		return "-F";
	if (!s && n == 5 && !strncmp(name, "count", n))
		return "-c";
	if (!s)
		return NULL;
	return options ? s->option : s->quoted;
}

bool pmk_setting_of_way(const char *name, const struct pmk_count_way *way)
{
	const struct setting *s = find_setting(name, strlen(name));
	const char *at = s ? s->shown.ways : NULL;
	size_t n;

	for (; at && *at; at += n + (at[n] == ' ')) {
		n = strcspn(at, " ");
		if (!strncmp(at, way->name, n) && !way->name[n])
			return true;
	}
	return false;
}

static int take_setting(struct pmk_count *c, const struct setting *s, const char *value)
{
	char *member = (char *)&c->q + s->member;
	int err = s->take ? s->take(c, value) : 0;

	if (!err && s->what)
		return set_number(c, s, value);
	if (s->take)
		return err;
	if (s->shown.kind == PMK_COUNT_FLAG)
		*(bool *)(void *)member = true;
	else if (s->shown.kind == PMK_COUNT_LIST)
		return add_word(c, (struct pmk_words *)(void *)member, value);
	else
		return set_text(c, (char **)(void *)member, value);
	return 0;
}

int pmk_count_set(struct pmk_count *c, const char *name, const char *value)
{
	const struct setting *s = name ? find_setting(name, strlen(name)) : NULL;
	char near[160] = "";
	int err;

	if (!c)
		return PMK_COUNT_FAILED;
	if (!name)
		return pmk_count_refuse(&c->fault, "a setting without a name: the name is NULL");
	if (c->stage != PMK_COUNT_ASKED)
		return pmk_count_refuse(&c->fault, "%s: counting is already set up; set it earlier",
					name);
	if (!s) {
		pmk_nearest_among(name, setting_name, NULL, near, sizeof(near));
		return pmk_count_refuse(&c->fault, "there is no setting '%s'%s%s%s (pmk-stat(1))",
					name, *near ? "; did you mean " : "", near,
					*near ? "?" : "");
	}
	if (!value && s->shown.kind != PMK_COUNT_FLAG)
		return pmk_count_refuse(&c->fault, "%s: a value is missing", name);
	if (value && s->shown.kind == PMK_COUNT_FLAG)
		return pmk_count_refuse(&c->fault,
					"%s: it is a flag and takes no value, but was given '%s'",
					name, value);
	err = take_setting(c, s, value);
	return err ? err : pmk_request_note_owner(c, s->shown.name);
}

int pmk_count_rate(struct pmk_count *c, const char *frequency, const char *period)
{
	struct pmk_request *q = &c->q;
	const char *option = frequency ? "freq" : "count";
	int err = 0;

	if (!frequency && !period)
		return 0;
	if (frequency)
		err = set_text(c, &q->record.frequency, frequency);
	if (!err && period)
		err = set_text(c, &q->record.period, period);
	if (!err && q->target.hinted && q->target.hinted != &pmk_way_machine)
		err = pmk_count_refuse(&c->fault,
				       "`%s` is for `target` %s, and `%s` for `target` linux",
				       q->target.hint, q->target.hinted->name, option);
	q->target.hinted = &pmk_way_machine;
	q->target.hint = option;
	return err;
}

int pmk_count_program(struct pmk_count *c, char *const *argv)
{
	if (!c)
		return PMK_COUNT_FAILED;
	if (!argv)
		return pmk_count_refuse(&c->fault, "the program: its list of words is NULL");
	if (c->stage != PMK_COUNT_ASKED)
		return pmk_count_refuse(&c->fault,
					"the program: counting is already set up; set it earlier");
	pmk_words_free(&c->q.program.words);
	for (; *argv; argv++)
		if (!pmk_words_add(&c->q.program.words, *argv))
			return pmk_count_no_memory(&c->fault);
	return 0;
}

void pmk_request_free(struct pmk_request *q)
{
	pmk_words_free(&q->program.words);
	for (size_t i = 0; i < NSETTINGS; i++) {
		char *member = (char *)q + settings[i].member;

		if (!settings[i].take && settings[i].shown.kind == PMK_COUNT_TEXT)
			free(*(char **)(void *)member);
		if (!settings[i].take && settings[i].shown.kind == PMK_COUNT_LIST)
			pmk_words_free((struct pmk_words *)(void *)member);
	}
	pmk_words_free(&q->core.set);
	pmk_words_free(&q->scope.regions);
	pmk_words_free(&q->program.env);
	for (unsigned i = 0; i < 3; i++)
		free(q->program.streams[i]);
	free(q->target.where);
	free(q->record.frequency);
	free(q->record.period);
}
