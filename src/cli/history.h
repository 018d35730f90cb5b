/* SPDX-License-Identifier: MIT */
/*
 * The counts of commits, in a results database (sweep/store.h, whose revisions are the commits):
 * history_read.c has them in memory and judges them, history_add.c adds to them, history_git.c asks
 * git, history_functions.c reads their recordings, history_show.c and
 * html/history.c show them, history_bisect.c looks for a commit.
 */
#ifndef PMK_CLI_HISTORY_H
#define PMK_CLI_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "count/words.h"
#include "sweep/store.h"

struct history_request;

/* Exit codes of pmk history beside those of all commands. */
enum {
	HISTORY_OVER = 1,   /* something has grown by more than the limit */
	HISTORY_SKIP = 125, /* a commit cannot be tested: what git bisect skips */
};

/* ---- in memory ------------------------------------------------------------------------------- */

struct history_commit {
	int64_t id;
	char *name, *subject; /* subject: NULL where nobody said it */
	int64_t time;
	enum pmk_store_verdict verdict;
};

struct history_count {
	bool there; /* was it asked for in this commit? */
	bool has_value;
	bool failed; /* the run that should have counted it has failed */
	uint64_t value;
	int64_t cell;
};

/* A run of a commit that has failed: it has counts of no series. */
struct history_failure {
	size_t commit;
	char *program, *core, *settings;
	char *reason; /* one line */
};

/* One event of a program on a core, over all commits. */
struct history_series {
	char *program, *core, *settings; /* "dcache.size=8K,…", "" */
	char *event, *unit;		 /* unit: NULL for a plain number */
	bool left_out;			 /* it is not judged */
	struct history_count *at;	 /* [commit] */
};

/* Commits by their time; where one has none, in the order in which they were added. Those that git
 * knows come after their ancestors, whatever their times are. */
struct history {
	struct history_commit *commit;
	size_t ncommits, commit_room;
	struct history_series *series; /* by program, core, settings, event */
	size_t nseries, series_room;
	struct history_failure *failure;
	size_t nfailures, failure_room;
};

/* To be freed in any case. 0 or an exit code after one line on stderr. */
int history_read(struct history *h, struct pmk_store *store);
void history_free(struct history *h);

/* The commit that git takes the name for; or the one with this name, or whose name begins so and no
 * other's does. -1 and one line on stderr: there is none. */
long history_find(const struct history *h, const char *name);

/* The commit before `i` that others are compared with: the last good one; where none is, the last
 * one that nobody has judged. -1: none. */
long history_reference(const struct history *h, size_t i);
/* The commit before `i` in which the series has a value; -1: none. */
long history_before(const struct history_series *s, size_t i);

/* Is `fresh` more than `percent` over `base`? */
bool history_is_over(uint64_t base, uint64_t fresh, double percent);

struct history_judged {
	size_t compared; /* series */
	size_t over;	 /* those that have grown by more than the limit */
	size_t missing;	 /* runs that failed and counts that there are no longer */
};

/* Compare a commit with another; with `base` -1 each series with the last good commit that has it,
 * or where none has, with the last one that nobody has judged. What is over or missing is a line
 * on stderr. */
struct history_judged history_judge(const struct history *h, long base, size_t fresh,
				    double percent);
/* Judge only what a request counts. False: out of memory. */
bool history_leave_out(struct history *h, const struct history_request *q);
/* Is the event one of "cycles,{a*,b}"? */
bool history_is_event(const char *words, const char *event);
/* Is it in the list of the request? All are where it has none. */
bool history_has_event(const struct history_request *q, const char *event);
/* After a judgement that compared nothing: say so, unless it is the first commit that has anything.
 * Returns whether it said so. */
bool history_says_nothing(const struct history *h, long base, size_t fresh,
			  const struct history_judged *j);

/* Ten digits of a hash; other names as they are. */
void history_short(const char *name, char text[48]);
const char *history_verdict(enum pmk_store_verdict verdict);
/* "+1,234 +0.05%", "" where nothing changed */
void history_change(uint64_t base, uint64_t fresh, char text[80]);

/* ---- functions ------------------------------------------------------------------------------- */

/* One event of a function, over the commits that were recorded. */
struct history_function {
	const struct history_series *series; /* one of its program's */
	char *key;			     /* by which it is known in all commits */
	char *name, *file, *event;
	struct history_count *at; /* [commit] */
};

struct history_functions {
	struct history_function *function; /* those that differ in some commit */
	size_t n, room;
	void *tree; /* by program, event and key, while they are read */
};

/* Read the recordings of all commits. One that is no longer there is left out. 0 or an exit code
 * after one line; to be freed in any case. */
int history_functions(struct history_functions *f, const struct history *h, struct pmk_store *store,
		      const char *database);
void history_functions_free(struct history_functions *f);
/* The path of a recording of the database, which the caller frees. */
char *history_recording(const char *database, const char *path);

/* If a source file that the commit changed is newer than the program, print a line that says so:
 * the program may have been built from another commit. It was if its debug information names the
 * source file: then this returns an exit code, else 0. `path` may be NULL. */
int history_check_stale(const char *commit, const char *path);

/* ---- requests -------------------------------------------------------------------------------- */

struct history_request {
	const char *database;
	struct pmk_words events, settings;
	const char *commit, *name, *core, *target;
	const char *build;	/* shell command before the program is run */
	const char *good, *bad; /* names of commits to compare with */
	const char *html;	/* file */
	const char *separator;
	bool json, judged, record;
	double limit; /* percent */
	unsigned last;
	char **operand; /* what is left of the command line, NULL terminated */
};

/* NULL and one line on stderr, with *code set. */
struct pmk_store *history_open(const struct history_request *q, enum pmk_store_how how, int *code);
/* One line on stderr, where the store has failed. Returns an exit code, or 0. */
int history_check(struct pmk_store *store, int err);

#define HISTORY_EVENTS "cycles,instructions" /* what is counted where no event is named */

/* What the program of a request is called. */
const char *history_program(const struct history_request *q);
/* The settings of a request as the database has them, "dcache.size=8K,…", sorted by name; the
 * caller frees it. NULL: out of memory. */
char *history_settings(const struct history_request *q);
int history_add(const struct history_request *q);
int history_test(const struct history_request *q);
int history_show(const struct history_request *q);
int history_bisect(const struct history_request *q);

/* ---- git ------------------------------------------------------------------------------------- */

/* The hash of the commit that git takes `id` for. False: git is not there, this is none of its
 * folders, or it has no such commit. */
bool history_resolve(const char *id, char hash[80]);
/* Ask git what `id` is. The texts in *c are freed by history_commit_free(). Without git, or outside
 * of its folders, the name is `id` and nothing else is known. 0 or an exit code after one line. */
int history_commit(struct history_commit *c, const char *id);
void history_commit_free(struct history_commit *c);
/* Put the commits that git knows into the order of their ancestry, at the places that they have.
 * False: out of memory. */
bool history_order(struct history *h);

#endif
