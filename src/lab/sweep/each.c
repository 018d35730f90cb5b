// SPDX-License-Identifier: MIT
/* Expands programs with "each", which stand for several programs: see plan.h. */
#define _GNU_SOURCE
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pmk/error.h>

#include "base/grow.h"
#include "lab/sweep/plan.h"

/* ---- files ----------------------------------------------------------------------------------- */

bool pmk_plan_is_pattern(const char *text)
{
	return strpbrk(text, "*?[") != NULL;
}

/* Returns the pattern with the folder of the plan before it: "a/in?" for "in?" in the plan
 * "a/plan.ini". Patterns, and the names that they match, are relative to this folder. */
static char *below_plan(const char *plan, const char *pattern)
{
	const char *slash = *pattern == '/' ? NULL : strrchr(plan, '/');
	char *text, *to;

	/* The path of the folder may contain special characters, which are escaped. */
	text = malloc(2 * strlen(plan) + strlen(pattern) + 1);
	if (!text)
		return NULL;
	to = text;
	for (const char *c = plan; slash && c <= slash; c++) {
		if (strchr("*?[\\", *c))
			*to++ = '\\';
		*to++ = *c;
	}
	strcpy(to, pattern);
	return text;
}

int pmk_plan_files(const char *plan, const char *pattern, struct pmk_words *files)
{
	const char *slash = *pattern == '/' ? NULL : strrchr(plan, '/');
	size_t folder = slash ? (size_t)(slash - plan) + 1 : 0;
	char *text = below_plan(plan, pattern);
	glob_t found;
	int err = text ? glob(text, 0, NULL, &found) : GLOB_NOSPACE;
	bool good = err != GLOB_NOSPACE;

	free(text);
	for (size_t i = 0; !err && good && i < found.gl_pathc; i++)
		good = pmk_words_add(files, found.gl_pathv[i] + folder);
	if (!err)
		globfree(&found);
	return good ? 0 : PMK_ENOMEM;
}

/* ---- programs -------------------------------------------------------------------------------- */

/*
 * Returns the text with the value of combination i in place of each {name}; the caller frees it.
 * NULL: out of memory. Sets used[] for each name in the text.
 */
static char *fill_text(const char *text, const struct pmk_axes *each, size_t i, bool *used)
{
	char *out = NULL;
	size_t size;
	FILE *f = open_memstream(&out, &size);

	while (f && *text) {
		size_t a = 0, n = 0;

		for (; *text == '{' && a < each->count; a++) {
			n = strlen(each->axis[a].name);
			if (!strncmp(text + 1, each->axis[a].name, n) && text[n + 1] == '}')
				break;
		}
		if (*text != '{' || a == each->count) {
			fputc(*text++, f);
			continue;
		}
		fputs(pmk_axes_value(each, i, a), f);
		used[a] = true;
		text += n + 2;
	}
	if (f && !fclose(f))
		return out;
	free(out);
	return NULL;
}

static bool fill_words(struct pmk_words *to, const struct pmk_words *from,
		       const struct pmk_axes *each, size_t i, bool *used)
{
	bool good = true;

	for (unsigned w = 0; good && w < from->count; w++) {
		char *word = fill_text(from->word[w], each, i, used);

		good = word && pmk_words_add(to, word);
		free(word);
	}
	return good;
}

/* Returns a name such as "sort lines=100,order=up". */
static char *name_of(const struct pmk_plan_program *p, size_t i)
{
	char *name = NULL;
	size_t size;
	FILE *f = open_memstream(&name, &size);

	if (!f)
		return NULL;
	fputs(p->name, f);
	for (size_t a = 0; a < p->each.count; a++)
		fprintf(f, "%c%s=%s", a ? ',' : ' ', p->each.axis[a].name,
			pmk_axes_value(&p->each, i, a));
	if (!fclose(f))
		return name;
	free(name);
	return NULL;
}

/* Makes one program. Returns false if out of memory. The caller must free *to even then. */
static bool make_one(struct pmk_plan_program *to, const struct pmk_plan_program *from, size_t i,
		     bool *used)
{
	const struct pmk_axes *each = &from->each;

	*to = (struct pmk_plan_program){ .name = name_of(from, i),
					 .timeout_ms = from->timeout_ms,
					 .exit_code = from->exit_code,
					 .line = from->line };
	if (from->stdin_file)
		to->stdin_file = fill_text(from->stdin_file, each, i, used);
	return to->name && (to->stdin_file || !from->stdin_file) &&
	       fill_words(&to->argv, &from->argv, each, i, used) &&
	       fill_words(&to->inputs, &from->inputs, each, i, used) &&
	       fill_words(&to->env, &from->env, each, i, used) &&
	       fill_words(&to->cores, &from->cores, &(struct pmk_axes){ 0 }, 0, used);
}

static const struct pmk_axis *first_unused(const struct pmk_axes *each, const bool *used)
{
	for (size_t a = 0; a < each->count; a++)
		if (!used[a])
			return &each->axis[a];
	return NULL;
}

static int by_name(const void *a, const void *b)
{
	const struct pmk_plan_program *const *x = a, *const *y = b;

	return strcmp((*x)->name, (*y)->name);
}

/* Checks for equal names. A program may have the name that another program gets from its values. */
static int check_names(const struct pmk_sweep_plan *plan, unsigned *line, char *why, size_t size)
{
	const struct pmk_plan_program **sorted = calloc(plan->nprograms + 1, sizeof(*sorted));
	int err = sorted ? 0 : PMK_ENOMEM;

	for (size_t i = 0; !err && i < plan->nprograms; i++)
		sorted[i] = &plan->programs[i];
	if (!err)
		qsort(sorted, plan->nprograms, sizeof(*sorted), by_name);
	for (size_t i = 1; !err && i < plan->nprograms; i++) {
		if (strcmp(sorted[i - 1]->name, sorted[i]->name) != 0)
			continue;
		*line = sorted[i]->line > sorted[i - 1]->line ? sorted[i]->line
							      : sorted[i - 1]->line;
		snprintf(why, size, "two programs are called '%s'", sorted[i]->name);
		err = PMK_EINVAL;
	}
	free(sorted);
	return err;
}

int pmk_plan_expand(struct pmk_sweep_plan *plan, unsigned *line, char *why, size_t size)
{
	struct pmk_plan_program *old = plan->programs;
	size_t n = plan->nprograms;
	int err = 0;

	plan->programs = NULL;
	plan->nprograms = plan->program_room = 0;
	for (size_t p = 0; p < n; p++) {
		size_t combinations = pmk_axes_combinations(&old[p].each);
		bool *used = calloc(old[p].each.count + 1, sizeof(*used));
		const struct pmk_axis *unused;

		*line = err ? *line : old[p].line;
		if (!err &&
		    (!combinations || plan->nprograms + combinations > PMK_PLAN_MOST_PROGRAMS)) {
			snprintf(why, size, "[program %s]: `each` makes more than %d programs",
				 old[p].name, PMK_PLAN_MOST_PROGRAMS);
			err = PMK_ERANGE;
		}
		for (size_t i = 0; !err && i < combinations; i++) {
			if (!used || !PMK_GROW(plan->programs, plan->nprograms, plan->program_room))
				err = PMK_ENOMEM;
			else if (!old[p].each.count)
				plan->programs[plan->nprograms++] = old[p], old[p].name = NULL;
			else if (!make_one(&plan->programs[plan->nprograms++], &old[p], i, used))
				err = PMK_ENOMEM;
		}
		unused = used ? first_unused(&old[p].each, used) : NULL;
		if (!err && unused) {
			*line = unused->line;
			snprintf(why, size, "each %s: no line of [program %s] contains {%s}",
				 unused->name, old[p].name, unused->name);
			err = PMK_EINVAL;
		}
		if (old[p].name || old[p].each.count)
			pmk_plan_free_program(&old[p]);
		free(used);
	}
	free(old);
	return err ? err : check_names(plan, line, why, size);
}
