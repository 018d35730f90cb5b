// SPDX-License-Identifier: MIT
/*
 * Finds the commit that changed a count: runs git bisect, with pmk history test as its test. The
 * counts of the tested commits stay in the database.
 */
#define _GNU_SOURCE
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/number.h"
#include "base/print.h"
#include "base/tool.h"
#include "cli/cli.h"
#include "lab/history/history.h"

/* ---- choosing the two ends ------------------------------------------------------------------ */

/* Fails if no requested count differs between the two commits, because there is nothing to find. */
static int check_change(const struct history_request *q, const struct history *h, size_t good,
			size_t bad)
{
	size_t compared = 0, changed = 0;
	char from[48], to[48];

	history_short(h->commit[good].name, from);
	history_short(h->commit[bad].name, to);
	for (size_t i = 0; i < h->nseries; i++) {
		const struct history_count *a = &h->series[i].at[good], *b = &h->series[i].at[bad];

		if (h->series[i].left_out || !a->has_value || !b->has_value)
			continue;
		compared++;
		changed += q->judged ? pmk_grew_over(a->value, b->value, q->limit)
				     : a->value != b->value;
	}
	if (!compared)
		return cli_fail(PMK_EXIT_FAILED,
				"history bisect: %s and %s have no common count of %s; add one "
				"to both",
				from, to, history_program(q));
	if (changed)
		return 0;
	if (!q->judged)
		return cli_fail(
			PMK_EXIT_FAILED,
			"history bisect: %s counts the same in %s and %s; name other commits or "
			"events",
			history_program(q), from, to);
	return cli_fail(PMK_EXIT_FAILED,
			"history bisect: no count has grown by more than %.15g%% from %s to %s",
			q->limit, from, to);
}

static bool have_count_in_common(const struct history *h, size_t a, size_t b)
{
	for (size_t i = 0; i < h->nseries; i++) {
		const struct history_series *s = &h->series[i];

		if (!s->left_out && s->at[a].has_value && s->at[b].has_value)
			return true;
	}
	return false;
}

/*
 * Returns the last good commit that has the requested counts, or if there is none, the last good
 * commit.
 */
static long choose_good(const struct history *h, size_t bad)
{
	long good = history_reference(h, bad);

	for (long i = good; i >= 0; i = history_reference(h, (size_t)i))
		if (have_count_in_common(h, (size_t)i, bad))
			return i;
	return good;
}

/*
 * Finds the names of the good and the bad commit. The defaults are the last good commit and the
 * newest commit. Returns 0, or an exit code after an error message.
 */
static int choose_commits(const struct history_request *q, char **good, char **bad)
{
	struct history h = { 0 };
	int code;
	struct pmk_store *store = history_open(q, PMK_STORE_READ, &code);
	long to = -1, from = -1;

	if (!code)
		code = history_read(&h, store);
	pmk_store_close(store);
	if (!code && !h.ncommits)
		code = cli_fail(PMK_EXIT_FAILED,
				"%s: it has no commits; 'pmk history add' adds one", q->database);
	if (!code) {
		to = q->bad ? history_find(&h, q->bad) : (long)h.ncommits - 1;
		if (!history_leave_out(&h, q))
			code = cli_no_memory();
	}
	if (!code) {
		from = q->good	? history_find(&h, q->good)
		       : to < 0 ? -1
				: choose_good(&h, (size_t)to);
		if (to < 0 || (q->good && from < 0))
			code = PMK_EXIT_USAGE;
		else if (from < 0)
			code = cli_fail(PMK_EXIT_USAGE,
					"history bisect: no commit before the bad one is good; "
					"name a good one with --good");
	}
	if (!code)
		code = check_change(q, &h, (size_t)from, (size_t)to);
	if (!code) {
		*good = strdup(h.commit[from].name);
		*bad = strdup(h.commit[to].name);
		if (!*good || !*bad)
			code = cli_no_memory();
	}
	history_free(&h);
	return code;
}

/*
 * Fails unless this is the top folder of a checkout without changes: git bisect replaces files of
 * the checkout, and the test must find pmk, the database and the build folder at every commit.
 */
static int check_checkout(void)
{
	const char *const words[] = { "git", "rev-parse", "--show-prefix", NULL };
	const char *const state[] = { "git", "status", "--porcelain", "--untracked-files=no",
				      NULL };
	/* this command fails if git bisect is not active */
	const char *const log[] = { "git", "bisect", "log", NULL };
	char out[256];

	if (pmk_tool_run(words, PMK_ERRORS_DROPPED, 0, out, sizeof(out)))
		return cli_fail(PMK_EXIT_FAILED, "history bisect: the current folder is not in a "
						 "git checkout");
	if (out[0] != '\n')
		return cli_fail(PMK_EXIT_FAILED,
				"history bisect: run it in the top folder of the checkout");
	if (pmk_tool_run(state, PMK_ERRORS_DROPPED, 0, out, sizeof(out)) || *out)
		return cli_fail(PMK_EXIT_FAILED,
				"history bisect: there are changes that are not committed; commit "
				"or stash them");
	if (!pmk_tool_run(log, PMK_ERRORS_DROPPED, 0, out, sizeof(out)))
		return cli_fail(
			PMK_EXIT_FAILED,
			"history bisect: a git bisect is in progress here; 'git bisect reset' ends "
			"it");
	return 0;
}

/* ---- git ------------------------------------------------------------------------------------- */

#define MOST_WORDS 128

struct words {
	const char *word[MOST_WORDS + 1];
	unsigned n;
	bool full;
};

static void words_add(struct words *w, const char *word)
{
	if (w->n < MOST_WORDS)
		w->word[w->n++] = word;
	else
		w->full = true;
}

static void add_option(struct words *w, const char *option, const char *value)
{
	if (!value)
		return;
	words_add(w, option);
	words_add(w, value);
}

/* Writes the command line of the test. */
static void put_test(struct words *w, const struct history_request *q, const char *self,
		     const char *database, const char *limit)
{
	words_add(w, self);
	words_add(w, "history");
	words_add(w, "test");
	add_option(w, "--database", database);
	for (unsigned i = 0; i < q->events.count; i++)
		add_option(w, "--event", q->events.word[i]);
	for (unsigned i = 0; i < q->settings.count; i++)
		add_option(w, "--set", q->settings.word[i]);
	add_option(w, "--core", q->core);
	add_option(w, "--target", q->target);
	add_option(w, "--name", q->name);
	add_option(w, "--build", q->build);
	add_option(w, "--good", q->good);
	add_option(w, "--bad", q->bad);
	add_option(w, "--fail-over", q->judged ? limit : NULL);
	words_add(w, "--");
	for (char **word = q->operand; *word; word++)
		words_add(w, *word);
}

/*
 * Writes the number of commits from the good commit to the bad commit, or "" if git does not know
 * both.
 */
static void count_commits(const struct history_request *q, char *n, size_t size)
{
	char range[256];
	const char *const words[] = { "git", "rev-list", "--count", range, "--", NULL };

	snprintf(range, sizeof(range), "%s..%s", q->good, q->bad);
	if (pmk_tool_run(words, PMK_ERRORS_DROPPED, 0, n, size))
		*n = '\0';
	n[strcspn(n, "\n")] = '\0';
}

static volatile sig_atomic_t interrupted;

static int start_git(const struct history_request *q)
{
	const char *const words[] = { "git", "bisect", "start", q->bad, q->good, "--", NULL };

	if (pmk_tool_run(words, PMK_ERRORS_SHOWN, 0, NULL, 0) && !interrupted)
		return cli_fail(PMK_EXIT_FAILED,
				"history bisect: git bisect cannot start; its message is above");
	return 0;
}

/* Returns the full name of the commit that was found; "" if that is unknown. */
static void ask_found(char *name, size_t size)
{
	const char *const words[] = { "git", "rev-parse", "--verify", "refs/bisect/bad", NULL };

	if (pmk_tool_run(words, PMK_ERRORS_DROPPED, 0, name, size))
		*name = '\0';
	name[strcspn(name, "\n")] = '\0';
}

static void on_signal(int sig)
{
	interrupted = sig;
}

/*
 * Catches signals that would end pmk: pmk must end git bisect first, and then reset the checkout.
 * An ignored signal stays ignored, here and in git.
 */
static void catch_signals(void)
{
	static const int caught[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	struct sigaction act = { .sa_handler = on_signal }, was;

	for (size_t i = 0; i < sizeof(caught) / sizeof(caught[0]); i++)
		if (!sigaction(caught[i], NULL, &was) && was.sa_handler != SIG_IGN)
			sigaction(caught[i], &act, NULL);
}

/* Restores the original checkout. */
static int reset_git(void)
{
	const char *const words[] = { "git", "bisect", "reset", NULL };

	if (pmk_tool_run(words, PMK_ERRORS_DROPPED, 0, NULL, 0))
		return cli_fail(
			PMK_EXIT_FAILED,
			"history bisect: git bisect is still active; 'git bisect reset' restores "
			"the checkout");
	return 0;
}

static int run_git(const struct history_request *q, char *found, size_t size)
{
	char self[PATH_MAX], *database = realpath(q->database, NULL), limit[40];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	struct words w = { 0 };
	int code, reset = 0;

	self[n > 0 ? n : 0] = '\0';
	snprintf(limit, sizeof(limit), "%.17g", q->limit);
	words_add(&w, "git");
	words_add(&w, "bisect");
	words_add(&w, "run");
	put_test(&w, q, self, database ? database : q->database, limit);
	catch_signals();
	code = w.full ? cli_fail(PMK_EXIT_USAGE, "history bisect: the command line is too long")
		      : start_git(q);
	if (!code && !interrupted && pmk_tool_run_until(w.word, &interrupted) && !interrupted)
		code = cli_fail(PMK_EXIT_FAILED,
				"history bisect: no single commit was found; git's message is "
				"above");
	if (!code)
		ask_found(found, size);
	if (!w.full)
		reset = reset_git();
	free(database);
	if (interrupted)
		return cli_fail(128 + interrupted, "history bisect: interrupted");
	return code ? code : reset;
}

/* ---- results --------------------------------------------------------------------------------- */

static void put_counts(const struct history *h, const char *found)
{
	for (size_t i = 0; i < h->nseries; i++) {
		const struct history_series *s = &h->series[i];

		for (size_t k = 0; k < h->ncommits; k++) {
			long before = history_before(s, k);
			char change[80];

			if (strcmp(h->commit[k].name, found) || !s->at[k].has_value || before < 0)
				continue;
			history_change(s->at[before].value, s->at[k].value, change);
			if (*change)
				printf("  %s on %s: %s, %s\n", s->program, s->core, s->event,
				       change);
		}
	}
}

static int show_found(const struct history_request *q, const char *found)
{
	struct history_commit c;
	struct history h = { 0 };
	int code;
	struct pmk_store *store;

	code = history_commit(&c, found);
	if (code)
		return code;
	pmk_print(stdout, "%s %s\n", c.name, c.subject);
	history_commit_free(&c);
	store = history_open(q, PMK_STORE_READ, &code);
	if (!code)
		code = history_read(&h, store);
	if (!code)
		put_counts(&h, found);
	history_free(&h);
	pmk_store_close(store);
	return code;
}

int history_bisect(const struct history_request *q)
{
	struct history_request full = *q;
	char *good = NULL, *bad = NULL, found[96] = "";
	int code;

	if (!*q->operand)
		return cli_fail(PMK_EXIT_USAGE, "history bisect needs a program (pmk history "
						"--help)");
	code = check_checkout();
	if (!code)
		code = choose_commits(q, &good, &bad);
	full.good = good;
	full.bad = bad;
	if (!code)
		count_commits(&full, found, sizeof(found));
	if (!code && !strcmp(found, "1")) /* with a single commit, git bisect run has nothing to
					   * test, and fails */
		snprintf(found, sizeof(found), "%s", bad);
	else if (!code && !strcmp(found, "0"))
		code = cli_fail(
			PMK_EXIT_USAGE,
			"history bisect: the bad commit %s is not newer than the good commit %s; "
			"name others",
			bad, good);
	else if (!code)
		code = run_git(&full, found, sizeof(found));
	if (!code)
		code = show_found(q, found);
	free(good);
	free(bad);
	return code;
}
