// SPDX-License-Identifier: MIT
/* Asks git for facts about commits. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/number.h"
#include "base/tool.h"
#include "cli/cli.h"
#include "lab/history/history.h"
#include "profile/recording/lines.h"

void history_commit_free(struct history_commit *c)
{
	free(c->name);
	free(c->subject);
	c->name = c->subject = NULL;
}

bool history_resolve(const char *id, char hash[80])
{
	const char *argv[] = { "git", "rev-parse", "--verify", "--quiet", NULL, NULL };
	char *commit;
	bool found;

	/* A name that looks like an option is not a commit, and must not reach git. */
	if (!*id || *id == '-' || *id == '^' || asprintf(&commit, "%s^{commit}", id) < 0)
		return false;
	argv[4] = commit;
	found = !pmk_tool_run(argv, PMK_ERRORS_DROPPED, 0, hash, 80);
	hash[strcspn(hash, "\n")] = '\0';
	free(commit);
	return found && *hash;
}

static bool is_git(void)
{
	const char *const argv[] = { "git", "rev-parse", "--git-dir", NULL };
	char out[8];

	return !pmk_tool_run(argv, PMK_ERRORS_DROPPED, 0, out, sizeof(out));
}

static int name_commit(struct history_commit *c, const char *name, const char *subject)
{
	c->name = strdup(name);
	c->subject = subject ? strdup(subject) : NULL;
	if (c->name && (c->subject || !subject))
		return 0;
	history_commit_free(c);
	return cli_no_memory();
}

int history_commit(struct history_commit *c, const char *id)
{
	char hash[80], out[1024], *subject;
	const char *const argv[] = { "git", "log", "-1", "--no-show-signature", "--format=%ct%n%s",
				     hash,  "--",  NULL };

	*c = (struct history_commit){ .verdict = PMK_STORE_OPEN };
	if (!*id)
		return cli_fail(PMK_EXIT_USAGE, "history: a commit needs a name");
	if (!history_resolve(id, hash))
		return is_git() ? cli_fail(PMK_EXIT_USAGE, "history: git has no commit '%s'", id)
				: name_commit(c, id, NULL);
	if (pmk_tool_run(argv, PMK_ERRORS_DROPPED, 0, out, sizeof(out)) ||
	    !(subject = strchr(out, '\n')))
		return cli_fail(PMK_EXIT_FAILED, "history: git log fails for %s", hash);
	*subject++ = '\0';
	subject[strcspn(subject, "\n")] = '\0';
	c->time = (int64_t)pmk_number_after(out, "", 10);
	return name_commit(c, hash, subject);
}

/* ---- stale programs -------------------------------------------------------------------------- */

/* True if a program may be built from this file. Documents, for example, do not change it. */
static bool is_source(const char *path)
{
	static const char *const ending[] = { ".c", ".cc", ".cpp", ".cxx", ".h",   ".hh",  ".hpp",
					      ".s", ".S",  ".rs",  ".go",  ".zig", ".f90", ".ld" };
	const char *dot = strrchr(path, '.');

	for (size_t i = 0; dot && i < sizeof(ending) / sizeof(ending[0]); i++)
		if (!strcmp(dot, ending[i]))
			return true;
	return false;
}

static bool is_newer(const struct stat *a, const struct stat *b)
{
	return a->st_mtim.tv_sec != b->st_mtim.tv_sec ? a->st_mtim.tv_sec > b->st_mtim.tv_sec
						      : a->st_mtim.tv_nsec > b->st_mtim.tv_nsec;
}

/* True for a file in the current folder, or in a folder inside it. */
static bool is_here(const char *path)
{
	char *file = realpath(path, NULL), *here = realpath(".", NULL);
	size_t n = here ? strlen(here) : 0;
	bool is = file && here && !strncmp(file, here, n) && file[n] == '/';

	free(file);
	free(here);
	return is;
}

static const char *file_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* True if the program's debug information names the source file: the program contains code from
 * it. */
static bool is_built_from(const char *program, const char *source)
{
	char *wanted = realpath(source, NULL), *file;
	const char *last = NULL, *why;
	struct pmk_lines lines;
	bool is = false;
	int err = pmk_lines_load(&lines, program, NULL, &why);

	for (size_t i = 0; !err && wanted && !is && i < lines.nlines; i++) {
		if (lines.line[i].file == last)
			continue;
		last = lines.line[i].file;
		if (strcmp(file_name(last), file_name(wanted)) != 0)
			continue;
		file = realpath(last, NULL);
		is = file && !strcmp(file, wanted);
		free(file);
	}
	pmk_lines_free(&lines);
	free(wanted);
	return is;
}

int history_check_stale(const char *commit, const char *path)
{
	const char *const changed[] = {
		"git", "diff-tree",   "--root",	    "--no-commit-id", "-r",
		"-m",  "--name-only", "--relative", commit,	      NULL
	};
	char out[65536], head[80], *rest = out, *line, *newer = NULL;
	struct stat program, source;

	if (!path || !is_here(path) || stat(path, &program) || !history_resolve("HEAD", head) ||
	    strcmp(head, commit) || pmk_tool_run(changed, PMK_ERRORS_DROPPED, 0, out, sizeof(out)))
		return 0;
	while ((line = strsep(&rest, "\n"))) {
		if (!is_source(line) || stat(line, &source) || !is_newer(&source, &program))
			continue;
		newer = newer ? newer : line;
		if (is_built_from(path, line))
			return cli_fail(
				PMK_EXIT_FAILED,
				"history: %s is older than its source %s, which %.10s changed: "
				"build it again, or 'touch' it if it is up to date",
				path, line, commit);
	}
	if (newer)
		cli_fail(0,
			 "history: %s is older than %s, which %.10s changed: was it built from "
			 "this commit?",
			 path, newer, commit);
	return 0;
}

/* ---- ancestry -------------------------------------------------------------------------------- */

static bool is_hash(const char *name)
{
	size_t n = strspn(name, "0123456789abcdef");

	return (n == 40 || n == 64) && !name[n];
}

/*
 * Finds the best common ancestor of all commits and appends "^@", which names the ancestor's
 * parents: git does not walk further back than these. "" if there is no such ancestor. `words` must
 * have room for three words before the names.
 */
static void ask_base(const char **words, char base[80])
{
	words[0] = "git";
	words[1] = "merge-base";
	words[2] = "--octopus";
	if (pmk_tool_run(words, PMK_ERRORS_DROPPED, 0, base, 70))
		*base = '\0';
	base[strcspn(base, "\n")] = '\0';
	if (*base)
		strcat(base, "^@");
}

/*
 * Returns the hashes of the commits, one per line. Ancestors come first, unrelated commits are
 * sorted by time. Returns "" if git fails; NULL: out of memory. The caller frees the text.
 */
static char *list_commits(const struct history *h)
{
	enum { BEFORE = 6, AFTER = 4 };
	const char **words = calloc(h->ncommits + BEFORE + AFTER, sizeof(*words));
	const char *const list[] = { "git",	     "rev-list",  "--ignore-missing",
				     "--date-order", "--reverse", "--count" };
	char base[80], number[32] = "", *out = NULL;
	size_t n = BEFORE, size = 1;

	if (!words)
		return NULL;
	for (size_t i = 0; i < h->ncommits; i++)
		if (is_hash(h->commit[i].name))
			words[n++] = h->commit[i].name;
	if (n > BEFORE + 1) {
		ask_base(words + BEFORE - 3, base);
		if (*base) {
			words[n++] = "--not";
			words[n++] = base;
		}
		words[n++] = "--";
		memcpy(words, list, sizeof(list));
		if (!pmk_tool_run(words, PMK_ERRORS_DROPPED, 0, number, sizeof(number)))
			size += pmk_number_after(number, "", 10) * 65;
	}
	out = calloc(1, size);
	if (out && size > 1) {
		/* Run the command again without --count. */
		memmove(words + 1, words, (BEFORE - 1) * sizeof(*words));
		if (pmk_tool_run(words + 1, PMK_ERRORS_DROPPED, 0, out, size))
			*out = '\0';
	}
	free(words);
	return out;
}

static int by_commit_name(const void *a, const void *b)
{
	const struct history_commit *const *x = a, *const *y = b;

	return strcmp((*x)->name, (*y)->name);
}

bool history_order(struct history *h)
{
	size_t n = h->ncommits, found = 0, next = 0;
	struct history_commit **names = calloc(n + 1, sizeof(*names));
	struct history_commit *ordered = calloc(n + 1, sizeof(*ordered));
	bool *known = calloc(n + 1, sizeof(*known));
	char *list = list_commits(h), *rest = list, *line;
	bool fits = names && ordered && known && list;

	for (size_t i = 0; fits && i < n; i++)
		names[i] = &h->commit[i];
	if (fits)
		qsort(names, n, sizeof(*names), by_commit_name);
	while (fits && (line = strsep(&rest, "\n"))) {
		struct history_commit key = { .name = line }, *at = &key, **hit;

		hit = bsearch(&at, names, n, sizeof(*names), by_commit_name);
		if (!hit)
			continue;
		known[*hit - h->commit] = true;
		ordered[found++] = **hit;
	}
	for (size_t i = 0; fits && i < n; i++)
		if (known[i])
			h->commit[i] = ordered[next++];
	free(names);
	free(ordered);
	free(known);
	free(list);
	return fits;
}
