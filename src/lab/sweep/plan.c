// SPDX-License-Identifier: MIT
/* Reads the plans of pmk sweep: see plan.h. */
#define _GNU_SOURCE
#include "lab/sweep/plan.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pmk/error.h>

#include "base/grow.h"
#include "base/ini.h"
#include "base/message.h"
#include "base/nearest.h"
#include "base/number.h"
#include "count/files.h"

#define MOST_VALUES 4096 /* maximum number of values of a setting */
#define MOST_CELLS  ((size_t)100000000)

struct reading {
	struct pmk_sweep_plan *plan;
	struct pmk_ini *ini;
	const char *data;	   /* data directory, for the presets of cores */
	struct pmk_plan_core *own; /* cores of [settings CORE], with their axes */
	size_t nown, own_room;
	struct pmk_plan_program *program; /* the program that is being read */
	bool failed_memory;
};

static bool no_memory(struct reading *r)
{
	r->failed_memory = true;
	return pmk_ini_no_memory(r->ini);
}

/* Fails with a message about the present line of the plan. */
#define FAIL(r, ...) pmk_ini_fail((r)->ini, (r)->ini->line, __VA_ARGS__)

/* ---- words ----------------------------------------------------------------------------------- */

/* Returns the text without blanks at its ends; *n is its length. */
static const char *trim_blanks(const char *text, size_t *n)
{
	while (*n && isspace((unsigned char)*text)) {
		text++;
		--*n;
	}
	while (*n && isspace((unsigned char)text[*n - 1]))
		--*n;
	return text;
}

static bool add_word(struct reading *r, struct pmk_words *words, const char *text, size_t n)
{
	char *word = strndup(text, n);
	bool good = word && pmk_words_add(words, word);

	free(word);
	return good || no_memory(r);
}

/* split_list() passes each word of "a, b" to a function of this type. If `pmus` is set, commas
 * between slashes, as in an event of another PMU, belong to the word. */
typedef bool take_item(struct reading *r, void *ctx, const char *text, size_t n);

static bool split_list(struct reading *r, const char *list, bool pmus, take_item *take, void *ctx)
{
	bool slash = false, more = true;
	const char *begin = list;

	for (const char *c = list; more; c++) {
		size_t n = (size_t)(c - begin);
		const char *text = begin;

		slash ^= pmus && *c == '/';
		more = *c != '\0';
		if (more && (*c != ',' || slash))
			continue;
		text = trim_blanks(text, &n);
		if (!n)
			return FAIL(r, "the list has an empty item");
		if (!take(r, ctx, text, n))
			return false;
		begin = c + 1;
		slash = false;
	}
	return true;
}

static bool each_item(struct reading *r, const char *list, take_item *take, void *ctx)
{
	return split_list(r, list, false, take, ctx);
}

static bool take_word(struct reading *r, void *ctx, const char *text, size_t n)
{
	return add_word(r, ctx, text, n);
}

/*
 * Splits a command line into words. Blanks, quotes and backslashes work as in a shell; nothing else
 * is special.
 */
static bool split_command(struct reading *r, const char *text, struct pmk_words *argv)
{
	char *word = malloc(strlen(text) + 1), quote = '\0';
	bool good = word != NULL, inside = false;
	size_t n = 0;

	if (!word)
		return no_memory(r);
	for (const char *c = text;; c++) {
		bool blank = *c == ' ' || *c == '\t';

		if (!*c || (blank && !quote)) {
			if (inside)
				good = good && add_word(r, argv, word, n);
			inside = false;
			n = 0;
			if (!*c)
				break;
			continue;
		}
		inside = true;
		if (*c == quote)
			quote = '\0';
		else if (!quote && (*c == '\'' || *c == '"'))
			quote = *c;
		else if (*c == '\\' && quote != '\'' && c[1])
			word[n++] = *++c;
		else
			word[n++] = *c;
	}
	free(word);
	if (quote)
		return FAIL(r, "a quote is not closed");
	return good;
}

/* ---- settings -------------------------------------------------------------------------------- */

/* Reads "64", "4K" or "1M". Returns false for anything else. */
static bool read_size(const char *text, size_t n, uint64_t *value)
{
	uint64_t unit = 1;

	*value = 0;
	if (n > 1 && toupper((unsigned char)text[n - 1]) == 'K')
		unit = 1024;
	else if (n > 1 && toupper((unsigned char)text[n - 1]) == 'M')
		unit = 1024 * 1024;
	n -= unit != 1;
	if (!n || n > 12)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (!isdigit((unsigned char)text[i]))
			return false;
		*value = 10 * *value + (uint64_t)(text[i] - '0');
	}
	*value *= unit;
	return true;
}

static bool has_value(const struct pmk_words *values, const char *text, size_t n)
{
	for (unsigned i = 0; i < values->count; i++)
		if (strlen(values->word[i]) == n && !strncmp(values->word[i], text, n))
			return true;
	return false;
}

static bool add_value(struct reading *r, struct pmk_axis *axis, const char *text, size_t n)
{
	if (has_value(&axis->values, text, n))
		return FAIL(r, "%s has the value %.*s twice", axis->name, (int)(n < 40 ? n : 40),
			    text);
	if (axis->values.count == MOST_VALUES)
		return FAIL(r, "%s has more than %d values", axis->name, MOST_VALUES);
	return add_word(r, &axis->values, text, n);
}

/* Adds the values of A..B: A, 2 A, 4 A up to B. */
static bool take_range(struct reading *r, struct pmk_axis *axis, const char *text, size_t n,
		       const char *dots)
{
	size_t left = (size_t)(dots - text);
	const char *last = dots + 2;
	size_t right = n - left - 2;
	uint64_t from, to, value;
	char word[32];
	bool big;

	text = trim_blanks(text, &left);
	last = trim_blanks(last, &right);
	if (!read_size(text, left, &from) || !read_size(last, right, &to))
		return FAIL(r, "%s: a range has two numbers, as in 4K..64K", axis->name);
	value = from;
	while (value && value < to)
		value *= 2;
	if (!value || value != to)
		return FAIL(r,
			    "%s: a range doubles from its first number to its last, and %.*s does "
			    "not lead to %.*s; write a list, as in 1, 3, 5",
			    axis->name, (int)left, text, (int)right, last);
	big = !isdigit((unsigned char)text[left - 1]) || !isdigit((unsigned char)last[right - 1]);
	for (value = from; value <= to; value *= 2) {
		if (big && value % (1024 * 1024) == 0)
			snprintf(word, sizeof(word), "%lluM",
				 (unsigned long long)(value / (1024 * 1024)));
		else if (big && value % 1024 == 0)
			snprintf(word, sizeof(word), "%lluK", (unsigned long long)(value / 1024));
		else
			snprintf(word, sizeof(word), "%llu", (unsigned long long)value);
		if (!add_value(r, axis, word, strlen(word)))
			return false;
	}
	return true;
}

static bool take_value(struct reading *r, void *ctx, const char *text, size_t n)
{
	for (size_t i = 0; i + 2 <= n; i++)
		if (text[i] == '.' && text[i + 1] == '.')
			return take_range(r, ctx, text, n, text + i);
	return add_value(r, ctx, text, n);
}

/*
 * Adds a value of "each". Unlike in a setting, ".." is a range only between two numbers, and a
 * pattern stands for the files that match.
 */
static bool take_each_value(struct reading *r, void *ctx, const char *text, size_t n)
{
	struct pmk_axis *axis = ctx;
	const char *dots = memmem(text, n, "..", 2);
	struct pmk_words files = { 0 };
	char pattern[PMK_INI_LINE + 2];
	uint64_t number;
	bool good;

	snprintf(pattern, sizeof(pattern), "%.*s", (int)n, text);
	if (dots && read_size(text, (size_t)(dots - text), &number) &&
	    read_size(dots + 2, n - (size_t)(dots - text) - 2, &number))
		return take_range(r, axis, text, n, dots);
	if (!pmk_plan_is_pattern(pattern))
		return add_value(r, axis, text, n);
	if (pmk_plan_files(r->plan->path, pattern, &files))
		return no_memory(r);
	good = files.count || FAIL(r, "each %s: no file is called %s", axis->name, pattern);
	for (unsigned i = 0; good && i < files.count; i++)
		good = add_value(r, axis, files.word[i], strlen(files.word[i]));
	pmk_words_free(&files);
	return good;
}

static struct pmk_axis *find_axis(const struct pmk_axes *axes, const char *name)
{
	for (size_t i = 0; i < axes->count; i++)
		if (!strcmp(axes->axis[i].name, name))
			return &axes->axis[i];
	return NULL;
}

static void free_axes(struct pmk_axes *axes)
{
	for (size_t i = 0; i < axes->count; i++) {
		free(axes->axis[i].name);
		pmk_words_free(&axes->axis[i].values);
	}
	free(axes->axis);
}

/* Inserts a new axis in the order of names. Returns NULL if out of memory. */
static struct pmk_axis *new_axis(struct pmk_axes *axes, const char *name, unsigned line)
{
	char *own = strdup(name);
	struct pmk_axis *at;
	size_t i = 0;

	if (!own || !PMK_GROW(axes->axis, axes->count, axes->room)) {
		free(own);
		return NULL;
	}
	while (i < axes->count && strcmp(axes->axis[i].name, name) < 0)
		i++;
	at = &axes->axis[i];
	memmove(at + 1, at, (axes->count - i) * sizeof(*at));
	*at = (struct pmk_axis){ .name = own, .line = line };
	axes->count++;
	return at;
}

static bool take_axis(struct reading *r, struct pmk_axes *axes, const char *name, const char *value,
		      take_item *take)
{
	struct pmk_axis *axis = find_axis(axes, name);

	if (axis)
		return FAIL(r, "%s is also in line %u", name, axis->line);
	axis = new_axis(axes, name, r->ini->line);
	if (!axis)
		return no_memory(r);
	return each_item(r, value, take, axis);
}

static bool take_setting(struct reading *r, struct pmk_axes *axes, const char *name,
			 const char *value)
{
	return take_axis(r, axes, name, value, take_value);
}

/* ---- cores ----------------------------------------------------------------------------------- */

static struct pmk_plan_core *find_core(struct pmk_plan_core *cores, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(cores[i].name, name))
			return &cores[i];
	return NULL;
}

/* Adds a core. Returns NULL if out of memory. */
static struct pmk_plan_core *new_core(struct pmk_plan_core **cores, size_t *n, size_t *room,
				      const char *name, unsigned line)
{
	char *own = strdup(name);

	if (own &&
	    PMK_APPEND(*cores, *n, *room, (struct pmk_plan_core){ .name = own, .line = line }))
		return &(*cores)[*n - 1];
	free(own);
	return NULL;
}

static bool take_core(struct reading *r, void *ctx, const char *text, size_t n)
{
	struct pmk_sweep_plan *p = r->plan;
	char word[PMK_INI_LINE + 2];
	const char *name;

	(void)ctx;
	snprintf(word, sizeof(word), "%.*s", (int)n, text);
	name = pmk_files_core_name(r->data, word);
	if (find_core(p->cores, p->ncores, name))
		return FAIL(r, "core %s is given twice", name);
	return new_core(&p->cores, &p->ncores, &p->core_room, name, r->ini->line) || no_memory(r);
}

/* Adds a core to the list of a program. */
static bool take_program_core(struct reading *r, void *ctx, const char *text, size_t n)
{
	char word[PMK_INI_LINE + 2];
	const char *name;

	snprintf(word, sizeof(word), "%.*s", (int)n, text);
	name = pmk_files_core_name(r->data, word);
	return add_word(r, ctx, name, strlen(name));
}

/* ---- sections -------------------------------------------------------------------------------- */

static bool take_number(struct reading *r, const char *name, const char *value, unsigned most,
			unsigned *out)
{
	if (pmk_unsigned_parse(value, 0, most, out))
		return FAIL(r, "%s is a number up to %u, not '%.40s'", name, most, value);
	return true;
}

static bool take_timeout(struct reading *r, const char *value, unsigned *ms)
{
	unsigned seconds = 0;

	if (!take_number(r, "timeout, in seconds,", value, 4000000, &seconds))
		return false;
	*ms = 1000 * seconds;
	return true;
}

static bool take_text(struct reading *r, const char *name, const char *value, char **out)
{
	if (*out)
		return FAIL(r, "%s is given twice", name);
	if (!*value)
		return FAIL(r, "%s has no value", name);
	*out = strdup(value);
	return *out || no_memory(r);
}

static const char *name_in(const void *names, unsigned i)
{
	return ((const char *const *)names)[i];
}

static bool unknown_key(struct reading *r, const char *section, const char *name,
			const char *const *names)
{
	char near[160], all[256] = "";

	pmk_nearest_among(name, name_in, names, near, sizeof(near));
	if (*near)
		return FAIL(r, "[%s] has no '%.40s'; did you mean %s?", section, name, near);
	for (size_t i = 0, at = 0; names[i] && at < sizeof(all); i++)
		at += (size_t)snprintf(all + at, sizeof(all) - at, "%s%s",
				       !i	      ? ""
				       : names[i + 1] ? ", "
						      : " and ",
				       names[i]);
	return FAIL(r, "[%s] has no '%.40s'; it can have %s", section, name, all);
}

static bool take_sweep(struct reading *r, const char *name, const char *value)
{
	static const char *const names[] = { "cores", "events", "sysroot", "timeout", NULL };
	struct pmk_sweep_plan *p = r->plan;

	if (!strcmp(name, "cores"))
		return each_item(r, value, take_core, NULL);
	if (!strcmp(name, "events")) {
		if (strpbrk(value, "{}"))
			return FAIL(r,
				    "a sweep counts all its events together; leave out the braces");
		p->events_line = p->events_line ? p->events_line : r->ini->line;
		return split_list(r, value, true, take_word, &p->events);
	}
	if (!strcmp(name, "sysroot"))
		return take_text(r, name, value, &p->sysroot);
	if (!strcmp(name, "timeout"))
		return take_timeout(r, value, &p->timeout_ms);
	return unknown_key(r, "sweep", name, names);
}

static bool take_env(struct reading *r, struct pmk_words *env, const char *value)
{
	if (*value == '=' || !strchr(value, '='))
		return FAIL(r, "env is NAME=VALUE");
	return pmk_words_add(env, value) || no_memory(r);
}

/* Reads "each NAME". */
static bool take_each(struct reading *r, const char *name, const char *value)
{
	name += strspn(name, " \t");
	for (const char *c = name; *c; c++)
		if (!isalnum((unsigned char)*c) && !strchr("_-.", *c))
			return FAIL(r, "each '%.40s': a name has letters, digits, _, - and .",
				    name);
	return take_axis(r, &r->program->each, name, value, take_each_value);
}

static bool take_program(struct reading *r, const char *name, const char *value)
{
	static const char *const names[] = { "run",  "stdin",	"inputs",    "env", "cores",
					     "exit", "timeout", "each NAME", NULL };
	struct pmk_plan_program *p = r->program;
	unsigned code = 0;

	if (!strcmp(name, "run") && p->argv.count)
		return FAIL(r, "%s is run twice; give each run its own [program]", p->name);
	if (!strcmp(name, "run"))
		return split_command(r, value, &p->argv);
	if (!strcmp(name, "stdin"))
		return take_text(r, name, value, &p->stdin_file);
	if (!strncmp(name, "each ", 5) && name[5])
		return take_each(r, name + 5, value);
	if (!strcmp(name, "inputs"))
		return each_item(r, value, take_word, &p->inputs);
	if (!strcmp(name, "env"))
		return take_env(r, &p->env, value);
	if (!strcmp(name, "cores"))
		return each_item(r, value, take_program_core, &p->cores);
	if (!strcmp(name, "timeout"))
		return take_timeout(r, value, &p->timeout_ms);
	if (!strcmp(name, "exit")) {
		if (!take_number(r, name, value, 255, &code))
			return false;
		p->exit_code = (int)code;
		return true;
	}
	return unknown_key(r, "program …", name, names);
}

/* Selects the program of [program NAME]. If the section occurs again, it continues. */
static bool choose_program(struct reading *r, const char *name)
{
	struct pmk_sweep_plan *p = r->plan;

	for (size_t i = 0; i < p->nprograms; i++)
		if (!strcmp(p->programs[i].name, name)) {
			r->program = &p->programs[i];
			return true;
		}
	if (!PMK_GROW(p->programs, p->nprograms, p->program_room))
		return no_memory(r);
	r->program = &p->programs[p->nprograms];
	*r->program = (struct pmk_plan_program){ .name = strdup(name), .line = r->ini->line };
	if (!r->program->name)
		return no_memory(r);
	p->nprograms++;
	return true;
}

static bool take_own_setting(struct reading *r, const char *core, const char *name,
			     const char *value)
{
	struct pmk_plan_core *own;

	core = pmk_files_core_name(r->data, core);
	own = find_core(r->own, r->nown, core);
	if (!own)
		own = new_core(&r->own, &r->nown, &r->own_room, core, r->ini->line);
	return own ? take_setting(r, &own->axes, name, value) : no_memory(r);
}

/* ---- the whole plan ------------------------------------------------------------------------ */

static bool copy_axis(struct pmk_axes *to, const struct pmk_axis *from)
{
	struct pmk_axis *axis = new_axis(to, from->name, from->line);
	bool good = axis != NULL;

	for (unsigned i = 0; good && i < from->values.count; i++)
		good = pmk_words_add(&axis->values, from->values.word[i]);
	return good;
}

/* Merges the settings of a core: its own, and the common ones that it does not override. */
static bool settle_core(struct reading *r, struct pmk_plan_core *core)
{
	struct pmk_plan_core *own = find_core(r->own, r->nown, core->name);
	const struct pmk_axes *common = &r->plan->common;
	bool good = true;

	for (size_t i = 0; own && good && i < own->axes.count; i++)
		good = copy_axis(&core->axes, &own->axes.axis[i]);
	for (size_t i = 0; good && i < common->count; i++)
		if (!find_axis(&core->axes, common->axis[i].name))
			good = copy_axis(&core->axes, &common->axis[i]);
	if (!good)
		return no_memory(r);
	if (!pmk_axes_combinations(&core->axes))
		return pmk_ini_fail(r->ini, core->line,
				    "core %s has more than %zu combinations of its settings; leave "
				    "out some values",
				    core->name, MOST_CELLS);
	return true;
}

static bool check_program(struct reading *r, const struct pmk_plan_program *p)
{
	if (!p->argv.count)
		return pmk_ini_fail(r->ini, p->line,
				    "[program %s] does not say what to run; add run = COMMAND",
				    p->name);
	for (unsigned i = 0; i < p->cores.count; i++)
		if (!find_core(r->plan->cores, r->plan->ncores, p->cores.word[i]))
			return pmk_ini_fail(r->ini, p->line,
					    "[program %s]: core %s is not among those of [sweep]",
					    p->name, p->cores.word[i]);
	return true;
}

static bool check_plan(struct reading *r)
{
	struct pmk_sweep_plan *p = r->plan;
	size_t cells = 0;
	char why[300];
	unsigned line;
	int err;

	if (!p->ncores)
		return FAIL(r, "[sweep] does not name any cores");
	if (!p->events.count)
		return FAIL(r, "[sweep] does not name any events");
	if (!p->nprograms)
		return FAIL(r, "there is no [program NAME]");
	err = pmk_plan_expand(p, &line, why, sizeof(why));
	if (err)
		return err == PMK_ENOMEM ? no_memory(r) : pmk_ini_fail(r->ini, line, "%s", why);
	for (size_t i = 0; i < r->nown; i++)
		if (!find_core(p->cores, p->ncores, r->own[i].name))
			return pmk_ini_fail(r->ini, r->own[i].line,
					    "[settings %s]: the core is not among those of [sweep]",
					    r->own[i].name);
	for (size_t i = 0; i < p->ncores; i++)
		if (!settle_core(r, &p->cores[i]))
			return false;
	for (size_t i = 0; i < p->nprograms; i++) {
		if (!check_program(r, &p->programs[i]))
			return false;
		for (size_t c = 0; c < p->ncores; c++)
			if (pmk_plan_has(&p->programs[i], &p->cores[c]))
				cells += pmk_axes_combinations(&p->cores[c].axes);
		if (cells > MOST_CELLS)
			return pmk_ini_fail(
				r->ini, p->programs[i].line,
				"the plan has more than %zu cells; make several plans of it",
				MOST_CELLS);
	}
	return true;
}

/*
 * Returns the name in a section: "sort" for "program sort", "" for "program". Returns NULL if the
 * section is of another kind.
 */
static const char *section_name(const char *section, const char *kind)
{
	size_t n = strlen(kind);

	if (strncmp(section, kind, n) != 0 || (section[n] && section[n] != ' '))
		return NULL;
	return section + n + strspn(section + n, " ");
}

static bool is_printable(const char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < 0x20 || *text == 0x7f)
			return false;
	return true;
}

/* Handles an entry, for pmk_ini_load(). */
static bool take_entry(void *ctx, struct pmk_ini *ini, const char *section, const char *name,
		       const char *value)
{
	struct reading *r = ctx;
	const char *of;

	r->ini = ini;
	if (!section)
		return check_plan(r);
	if (!is_printable(section) || !is_printable(name) || !is_printable(value))
		return FAIL(r, "there is a control character");
	if (!strcmp(section, "sweep"))
		return take_sweep(r, name, value);
	of = section_name(section, "settings");
	if (of)
		return *of ? take_own_setting(r, of, name, value)
			   : take_setting(r, &r->plan->common, name, value);
	of = section_name(section, "program");
	if (of && !*of)
		return FAIL(r, "a program has a name: [program NAME]");
	if (of)
		return choose_program(r, of) && take_program(r, name, value);
	return FAIL(r,
		    "there is no section [%.40s]; a plan has [sweep], [settings], [settings CORE] "
		    "and [program NAME]",
		    section);
}

int pmk_plan_read(struct pmk_sweep_plan *plan, const char *path, const char *data, char *msg,
		  size_t size)
{
	struct reading r = { .plan = plan, .data = data };
	int err;

	*plan = (struct pmk_sweep_plan){ .path = strdup(path) };
	if (plan->path) {
		err = pmk_ini_load(path,
				   "to continue a list, write its name again in the next line, "
				   "with more values",
				   take_entry, &r, msg, size);
	} else {
		err = pmk_message_no_memory(msg, size, path);
	}
	for (size_t i = 0; i < r.nown; i++) {
		free(r.own[i].name);
		free_axes(&r.own[i].axes);
	}
	free(r.own);
	return r.failed_memory ? PMK_ENOMEM : err;
}

void pmk_plan_free_program(struct pmk_plan_program *p)
{
	free(p->name);
	free(p->stdin_file);
	pmk_words_free(&p->argv);
	pmk_words_free(&p->inputs);
	pmk_words_free(&p->env);
	pmk_words_free(&p->cores);
	free_axes(&p->each);
}

void pmk_plan_free(struct pmk_sweep_plan *plan)
{
	free(plan->path);
	free(plan->sysroot);
	pmk_words_free(&plan->events);
	free_axes(&plan->common);
	for (size_t i = 0; i < plan->ncores; i++) {
		free(plan->cores[i].name);
		free_axes(&plan->cores[i].axes);
	}
	free(plan->cores);
	for (size_t i = 0; i < plan->nprograms; i++)
		pmk_plan_free_program(&plan->programs[i]);
	free(plan->programs);
}

bool pmk_plan_has(const struct pmk_plan_program *program, const struct pmk_plan_core *core)
{
	for (unsigned i = 0; i < program->cores.count; i++)
		if (!strcmp(program->cores.word[i], core->name))
			return true;
	return !program->cores.count;
}

size_t pmk_axes_combinations(const struct pmk_axes *axes)
{
	size_t n = 1;

	for (size_t i = 0; i < axes->count && n; i++)
		n = axes->axis[i].values.count > MOST_CELLS / n ? 0
								: n * axes->axis[i].values.count;
	return n;
}

const char *pmk_axes_value(const struct pmk_axes *axes, size_t i, size_t axis)
{
	for (size_t a = axes->count; --a > axis;)
		i /= axes->axis[a].values.count;
	return axes->axis[axis].values.word[i % axes->axis[axis].values.count];
}
