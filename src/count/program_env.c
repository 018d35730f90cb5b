// SPDX-License-Identifier: MIT
/* Builds the environment of an emulated program: a fixed part, and what the user lets through. */
#define _GNU_SOURCE
#include "count/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Turn a word of --env, NAME=VALUE or NAME, into NAME=VALUE. Returns NULL if NAME is not set in
 * pmk's environment, or if out of memory; *failed is true only for the latter. */
static char *env_line(const char *say, bool *failed)
{
	const char *value = getenv(say);
	char *line = NULL;

	if (strchr(say, '='))
		line = strdup(say);
	else if (!value)
		return NULL; /* not set in pmk's environment, so the program does not get it */
	else if (asprintf(&line, "%s=%s", say, value) < 0)
		line = NULL;
	*failed |= !line;
	return line;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool names_variable(const char *say, const char *line)
{
	size_t n = strcspn(line, "=");

	return !strncmp(say, line, n) && (say[n] == '=' || !say[n]);
}

static bool is_named(const struct pmk_words *words, const char *line)
{
	for (unsigned i = 0; i < words->count; i++)
		if (names_variable(words->word[i], line))
			return true;
	return false;
}

/* Collect the words of --env. "*" is replaced by every variable of pmk's environment that no other
 * word names. They are sorted by name, so that their order is always the same. */
static bool expand_env(const struct pmk_words *pass, struct pmk_words *out)
{
	size_t n = 0, kept = 0;
	char **all;
	bool every = false, good = true;

	for (unsigned i = 0; i < pass->count; i++) {
		if (!strcmp(pass->word[i], "*"))
			every = true;
		else
			good &= pmk_words_add(out, pass->word[i]);
	}
	if (!every || !environ)
		return good;
	while (environ[n])
		n++;
	all = calloc(n + 1, sizeof(*all));
	for (size_t i = 0; all && i < n; i++)
		if (strchr(environ[i], '=') && !is_named(pass, environ[i]))
			all[kept++] = environ[i];
	if (all)
		qsort(all, kept, sizeof(*all), by_text);
	for (size_t i = 0; all && i < kept; i++)
		good &= pmk_words_add(out, all[i]);
	good &= all != NULL;
	free(all);
	return good;
}

static unsigned count_left_out(const struct pmk_words *envp)
{
	unsigned n = 0;

	for (size_t i = 0; environ && environ[i]; i++)
		n += !is_named(envp, environ[i]);
	return n;
}

int pmk_program_env(struct pmk_program *p, const struct pmk_words *asked)
{
	struct pmk_words all = { 0 }, *pass = &all;
	static const char *const fixed[] = { "PATH=/usr/local/bin:/usr/bin:/bin", "HOME=/",
					     "LANG=C" };
	bool failed = !expand_env(asked, &all);

	for (size_t i = 0; i < sizeof(fixed) / sizeof(fixed[0]); i++) {
		failed |= !is_named(pass, fixed[i]) && !pmk_words_add(&p->envp, fixed[i]);
	}
	for (unsigned i = 0; i < pass->count; i++) {
		char *line = env_line(pass->word[i], &failed);

		failed |= line &&
			  (!pmk_words_add(&p->envp, line) || !pmk_words_add(&p->passed, line));
		free(line);
	}
	pmk_words_free(&all);
	p->left_out = count_left_out(&p->envp);
	return failed ? pmk_count_no_memory(p->fault) : 0;
}
