// SPDX-License-Identifier: MIT
/*
 * Runs a file of conformance vectors on a register model:  run_model FILE.vec
 *
 * The vectors are data; their language is described at the top of arm11.vec. A target offers the
 * verbs it can do: what it lacks (silicon cannot be told to raise a signal) skips the vector. Only
 * the last part of this file knows that the target is a model. Exit status: 0 when all passed,
 * 1 when one failed, 2 when the file cannot be read or understood.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pmk/bus.h>
#include <pmk/model.h>
#include <pmk/pmu.h>

#include "pmu/arm11/arm11.h"

#define MAX_LINES 4000
#define MAX_WORDS 16

enum verdict { PASS, FAIL, SKIP, BAD }; /* BAD: the file is wrong, not the model */

/* ---- what a target can do; NULL: it cannot ------------------------------------------------- */

struct target {
	const struct pmk_pmu *pmu;
	void (*reset)(struct target *t);
	int (*read)(struct target *t, unsigned reg, uint64_t *value);
	int (*write)(struct target *t, unsigned reg, uint64_t value);
	void (*pass)(struct target *t, unsigned signal, uint64_t n, bool at_once);
	void (*mode)(struct target *t, enum pmk_mode mode);
	unsigned (*lines)(struct target *t);
	bool (*option)(struct target *t, const char *name, uint64_t value);
	bool (*input)(struct target *t, const char *name, bool level);
	unsigned (*oddities)(struct target *t);
};

/* ---- one vector on one core ---------------------------------------------------------------- */

struct line {
	unsigned number;
	unsigned nwords;
	char *word[MAX_WORDS];
};

struct run {
	struct target *target;
	const struct line *line; /* the one being executed */
	const char *file, *vector;
};

static enum verdict complain(const struct run *r, enum verdict v, const char *what)
{
	fprintf(stderr, "%s:%u: %s on %s: %s\n", r->file, r->line->number, r->vector,
		r->target->pmu->name, what);
	return v;
}

static enum verdict differs(const struct run *r, const char *what, uint64_t is, uint64_t want)
{
	char text[160];

	snprintf(text, sizeof(text), "%s is 0x%08llx, want 0x%08llx", what, (unsigned long long)is,
		 (unsigned long long)want);
	return complain(r, FAIL, text);
}

static bool number(const char *text, uint64_t *value)
{
	char *end;

	errno = 0;
	*value = strtoull(text, &end, 0);
	return *text && !*end && !errno;
}

/* Register names are those of the ARM1176, which has them all: on the others SUNAVCR is a register
 * that exists nowhere, and its access is Undefined. */
static bool reg_number(const char *name, unsigned *reg)
{
	const struct pmk_pmu *pmu = pmk_pmu_find("arm1176");
	const struct pmk_reg_info *info = pmk_pmu_reg(pmu, name);

	if (info)
		*reg = (unsigned)(info - pmu->regs);
	return info != NULL;
}

static bool signal_number(const char *name, unsigned *signal)
{
	for (*signal = 0; *signal < PMK_NSIGNALS; ++*signal)
		if (!strcmp(pmk_signal_name(*signal), name))
			return true;
	return false;
}

/* write REG VALUE */
static enum verdict do_write(struct run *r, char *const arg[])
{
	uint64_t value;
	unsigned reg;
	int err;

	if (!reg_number(arg[0], &reg) || !number(arg[1], &value))
		return complain(r, BAD, "write: register or value?");
	err = r->target->write(r->target, reg, value);
	return err ? complain(r, FAIL, pmk_strerror(err)) : PASS;
}

/* expect REG VALUE MASK */
static enum verdict do_expect(struct run *r, char *const arg[])
{
	uint64_t want, mask, is = 0;
	unsigned reg;
	int err;

	if (!reg_number(arg[0], &reg) || !number(arg[1], &want) || !number(arg[2], &mask))
		return complain(r, BAD, "expect: register, value or mask?");
	err = r->target->read(r->target, reg, &is);
	if (err)
		return complain(r, FAIL, pmk_strerror(err));
	return (is & mask) == want ? PASS : differs(r, arg[0], is & mask, want);
}

/* expect-undef read REG, expect-undef write REG */
static enum verdict do_expect_undef(struct run *r, char *const arg[])
{
	bool write = !strcmp(arg[0], "write");
	uint64_t ignored;
	unsigned reg;
	int err;

	if ((!write && strcmp(arg[0], "read")) || !reg_number(arg[1], &reg))
		return complain(r, BAD, "expect-undef: read or write, and a register?");
	err = write ? r->target->write(r->target, reg, 0xffffffff)
		    : r->target->read(r->target, reg, &ignored);
	if (err == PMK_EUNDEF)
		return PASS;
	return complain(r, FAIL, "the access did not take an Undefined exception");
}

static enum verdict pass(struct run *r, const char *signal, const char *count, bool at_once)
{
	unsigned sig;
	uint64_t n;

	if (!r->target->pass)
		return SKIP;
	if (!signal_number(signal, &sig) || !number(count, &n))
		return complain(r, BAD, "signal or count?");
	r->target->pass(r->target, sig, n, at_once);
	return PASS;
}

/* signal NAME COUNT */
static enum verdict do_signal(struct run *r, char *const arg[])
{
	return pass(r, arg[0], arg[1], false);
}

/* cycles COUNT */
static enum verdict do_cycles(struct run *r, char *const arg[])
{
	return pass(r, "CYCLE", arg[0], false);
}

/* cycles-at-once COUNT: step over the horizon */
static enum verdict do_cycles_at_once(struct run *r, char *const arg[])
{
	return pass(r, "CYCLE", arg[0], true);
}

/* mode priv|user|priv-ns|user-ns */
static enum verdict do_mode(struct run *r, char *const arg[])
{
	static const struct {
		const char *name;
		enum pmk_mode mode;
	} modes[] = {
		{ "priv", PMK_MODE_PRIV },
		{ "user", PMK_MODE_USER },
		{ "priv-ns", PMK_MODE_PRIV_NONSEC },
		{ "user-ns", PMK_MODE_USER_NONSEC },
	};

	if (!r->target->mode)
		return SKIP;
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		if (strcmp(modes[i].name, arg[0]))
			continue;
		r->target->mode(r->target, modes[i].mode);
		return PASS;
	}
	return complain(r, BAD, "no such mode");
}

/* lines IRQ FIQ */
static enum verdict do_lines(struct run *r, char *const arg[])
{
	uint64_t irq, fiq;
	unsigned is;

	if (!r->target->lines)
		return SKIP;
	if (!number(arg[0], &irq) || !number(arg[1], &fiq))
		return complain(r, BAD, "lines: two levels?");
	is = r->target->lines(r->target);
	return is == (irq | fiq << 1) ? PASS : differs(r, "lines (FIQ, IRQ)", is, irq | fiq << 1);
}

/* option NAME VALUE: a parameter of the model; starts again from reset */
static enum verdict do_option(struct run *r, char *const arg[])
{
	uint64_t value;

	if (!r->target->option)
		return SKIP;
	if (!number(arg[1], &value) || !r->target->option(r->target, arg[0], value))
		return complain(r, BAD, "no such option");
	return PASS;
}

/* input NAME LEVEL */
static enum verdict do_input(struct run *r, char *const arg[])
{
	uint64_t level;

	if (!r->target->input)
		return SKIP;
	if (!number(arg[1], &level) || !r->target->input(r->target, arg[0], level))
		return complain(r, BAD, "no such input");
	return PASS;
}

/* oddities MASK */
static enum verdict do_oddities(struct run *r, char *const arg[])
{
	uint64_t want;

	if (!r->target->oddities)
		return SKIP;
	if (!number(arg[0], &want))
		return complain(r, BAD, "oddities: a number?");
	if (r->target->oddities(r->target) == want)
		return PASS;
	return differs(r, "oddities", r->target->oddities(r->target), want);
}

static const struct verb {
	const char *name;
	unsigned nargs;
	enum verdict (*run)(struct run *r, char *const arg[]);
} verbs[] = {
	{ "write", 2, do_write },
	{ "expect", 3, do_expect },
	{ "expect-undef", 2, do_expect_undef },
	{ "signal", 2, do_signal },
	{ "cycles", 1, do_cycles },
	{ "cycles-at-once", 1, do_cycles_at_once },
	{ "mode", 1, do_mode },
	{ "lines", 2, do_lines },
	{ "option", 2, do_option },
	{ "input", 2, do_input },
	{ "oddities", 1, do_oddities },
};

static enum verdict run_line(struct run *r)
{
	for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++) {
		if (strcmp(verbs[i].name, r->line->word[0]))
			continue;
		if (r->line->nwords != verbs[i].nargs + 1)
			return complain(r, BAD, "wrong number of words");
		return verbs[i].run(r, r->line->word + 1);
	}
	return complain(r, BAD, "unknown verb");
}

static enum verdict run_vector(struct run *r, const struct line *first, const struct line *end)
{
	r->target->reset(r->target);
	for (r->line = first; r->line < end; r->line++) {
		enum verdict v = run_line(r);

		if (v != PASS)
			return v;
	}
	return PASS;
}

/* ---- the file ------------------------------------------------------------------------------ */

struct tally {
	unsigned vectors, count[4]; /* per verdict, one for each core a vector runs on */
};

static bool begins(const struct line *l, const char *word)
{
	return !strcmp(l->word[0], word);
}

/* A vector: `vector NAME`, `cores NAME…`, `ref TEXT…`, then lines for run_line() up to `end`. */
static void run_block(struct target *t, const char *file, const struct line *l,
		      const struct line *end, struct tally *tally)
{
	struct run r = { .target = t, .file = file, .line = l, .vector = "?" };

	tally->vectors++;
	if (end - l < 4 || l[0].nwords != 2 || !begins(&l[1], "cores") || !begins(&l[2], "ref") ||
	    l[2].nwords < 2) {
		fprintf(stderr, "%s:%u: want vector NAME, cores, ref and a body\n", file,
			l->number);
		tally->count[BAD]++;
		return;
	}
	r.vector = l[0].word[1];
	for (unsigned i = 1; i < l[1].nwords; i++) {
		t->pmu = pmk_pmu_find(l[1].word[i]);
		if (!t->pmu) {
			fprintf(stderr, "%s:%u: no core %s\n", file, l[1].number, l[1].word[i]);
			tally->count[BAD]++;
			return;
		}
		enum verdict v = run_vector(&r, l + 3, end);

		printf("%s %s on %s\n", v == PASS ? "ok" : v == SKIP ? "skip" : "FAIL", r.vector,
		       t->pmu->name);
		tally->count[v]++;
	}
}

/* Splits `text` in place; '#' starts a comment. Returns the number of lines that hold words. */
static unsigned split(char *text, struct line *lines, unsigned max)
{
	unsigned n = 0, row = 0;

	while (text && *text && n < max) {
		char *next = strchr(text, '\n'), *save = NULL, *comment, *word;
		struct line *l = &lines[n];

		if (next)
			*next++ = '\0';
		comment = strchr(text, '#');
		if (comment)
			*comment = '\0';
		l->number = ++row;
		l->nwords = 0;
		for (word = strtok_r(text, " \t", &save); word && l->nwords < MAX_WORDS;
		     word = strtok_r(NULL, " \t", &save))
			l->word[l->nwords++] = word;
		if (l->nwords)
			n++;
		text = next;
	}
	return n;
}

static int run_file(struct target *t, const char *file, char *text)
{
	static struct line lines[MAX_LINES];
	unsigned n = split(text, lines, MAX_LINES), i = 0;
	struct tally tally = { 0 };

	if (n == MAX_LINES || !n || !begins(&lines[0], "vector")) {
		fprintf(stderr, "%s: too long, or no vectors\n", file);
		return 2;
	}
	while (i < n) {
		unsigned first = i++;

		while (i < n && !begins(&lines[i], "vector"))
			i++;
		run_block(t, file, &lines[first], &lines[i], &tally);
	}
	printf("%s: %u vectors; runs: %u passed, %u failed, %u skipped, %u malformed\n", file,
	       tally.vectors, tally.count[PASS], tally.count[FAIL], tally.count[SKIP],
	       tally.count[BAD]);
	if (tally.count[BAD])
		return 2;
	return tally.count[FAIL] || !tally.count[PASS];
}

static char *load(const char *file)
{
	FILE *f = fopen(file, "r");
	char *text = NULL;
	long size;

	if (!f)
		return NULL;
	if (!fseek(f, 0, SEEK_END) && (size = ftell(f)) >= 0 && !fseek(f, 0, SEEK_SET))
		text = calloc(1, (size_t)size + 1);
	if (text && fread(text, 1, (size_t)size, f) != (size_t)size) {
		free(text);
		text = NULL;
	}
	fclose(f);
	return text;
}

/* ---- the target: an ARM11 model on a bus of its own ---------------------------------------- */

static struct model_target {
	struct target target; /* first: a target is cast back to its model_target */
	const struct pmk_model_ops *ops;
	struct pmk_bus bus;
	struct pmk_arm11_model model;
	enum pmk_mode current_mode;
} model;

static struct model_target *of(struct target *t)
{
	return (struct model_target *)t;
}

static void ask_anew(struct model_target *m)
{
	pmk_bus_forget(&m->bus);
	m->ops->ask(&m->model, &m->bus);
}

static void model_reset(struct target *t)
{
	struct model_target *m = of(t);

	m->ops = pmk_model_find(t->pmu);
	m->current_mode = PMK_MODE_PRIV;
	pmk_bus_init(&m->bus);
	m->ops->reset(&m->model, &m->bus);
}

static int model_read(struct target *t, unsigned reg, uint64_t *value)
{
	struct model_target *m = of(t);

	return m->ops->read(&m->model, &m->bus, m->current_mode, reg, value);
}

static int model_write(struct target *t, unsigned reg, uint64_t value)
{
	struct model_target *m = of(t);
	int err = m->ops->write(&m->model, &m->bus, m->current_mode, reg, value);

	ask_anew(m);
	return err;
}

/* A well-behaved producer: never steps over the horizon unless told to. */
static void model_pass(struct target *t, unsigned signal, uint64_t n, bool at_once)
{
	struct model_target *m = of(t);

	while (n) {
		uint64_t horizon = pmk_bus_horizon(&m->bus, signal);
		uint64_t step = n < horizon || at_once ? n : horizon;

		pmk_bus_add(&m->bus, signal, step);
		n -= step;
		if (pmk_bus_due(&m->bus)) {
			m->ops->sync(&m->model, &m->bus);
			ask_anew(m);
		}
	}
}

static void model_mode(struct target *t, enum pmk_mode mode)
{
	of(t)->current_mode = mode;
}

static unsigned model_lines(struct target *t)
{
	return of(t)->ops->lines(&of(t)->model);
}

static bool model_option(struct target *t, const char *name, uint64_t value)
{
	struct model_target *m = of(t);
	struct pmk_arm11_params p = m->model.params;

	if (!strcmp(name, "user_access"))
		p.user_access = value;
	else if (!strcmp(name, "strict_e_clear"))
		p.strict_e_clear = value;
	else if (!strcmp(name, "debug_stops"))
		p.debug_stops = value;
	else if (!strcmp(name, "ccnt_reset"))
		p.ccnt_reset = (uint32_t)value;
	else
		return false;
	pmk_bus_init(&m->bus);
	pmk_arm11_model_reset(&m->model, t->pmu, &p, &m->bus);
	return true;
}

static bool model_input(struct target *t, const char *name, bool level)
{
	static const char *const names[PMK_ARM11_NINPUTS] = {
		[PMK_ARM11_IN_DEBUG] = "debug",
		[PMK_ARM11_IN_NIDEN] = "niden",
		[PMK_ARM11_IN_CP15SDISABLE] = "cp15sdisable",
	};
	struct model_target *m = of(t);

	for (unsigned i = 0; i < PMK_ARM11_NINPUTS; i++) {
		if (strcmp(names[i], name))
			continue;
		pmk_arm11_model_input(&m->model, &m->bus, i, level);
		ask_anew(m);
		return true;
	}
	return false;
}

static unsigned model_oddities(struct target *t)
{
	return of(t)->model.oddities;
}

int main(int argc, char **argv)
{
	char *text;
	int status;

	if (argc != 2) {
		fprintf(stderr, "usage: run_model FILE.vec\n");
		return 2;
	}
	text = load(argv[1]);
	if (!text) {
		perror(argv[1]);
		return 2;
	}
	model.target = (struct target){
		.reset = model_reset,
		.read = model_read,
		.write = model_write,
		.pass = model_pass,
		.mode = model_mode,
		.lines = model_lines,
		.option = model_option,
		.input = model_input,
		.oddities = model_oddities,
	};
	status = run_file(&model.target, argv[1], text);
	free(text);
	return status;
}
