/* SPDX-License-Identifier: MIT */
/*
 * pmk history stores the counts of commits in a results database (lab/sweep/store.h, where a commit
 * is called a revision). history.c has the command line, read.c reads and judges counts, add.c adds
 * counts, git.c calls git, functions.c reads recordings, show.c and page.c print results, and
 * bisect.c finds the commit that changed a count.
 */
#ifndef PMK_CLI_HISTORY_H
#define PMK_CLI_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "count/words.h"
#include "lab/sweep/store.h"

struct history_request;

/* Exit codes of pmk history, in addition to the codes that all commands have. */
enum {
	HISTORY_OVER = 1,   /* a count has grown by more than the limit */
	HISTORY_SKIP = 125, /* the commit cannot be tested; this code makes git bisect skip it */
};

/* ---- in memory ------------------------------------------------------------------------------- */

struct history_commit {
	int64_t id;
	char *name, *subject; /* `subject` is NULL if it is unknown */
	int64_t time;
	enum pmk_store_verdict verdict;
};

struct history_count {
	bool there; /* this commit has a row for the event */
	bool has_value;
	bool failed; /* true if the run that should have counted the event failed */
	uint64_t value;
	int64_t cell;
};

/* A failed run of a commit. It has no counts, so it is in no series. */
struct history_failure {
	size_t commit;
	char *program, *core, *settings;
	char *reason; /* one line */
};

/* The counts of one event of a program on a core, over all commits. */
struct history_series {
	/* `settings` is a text such as "dcache.size=8K,…", or "". */
	char *program, *core, *settings;
	char *event, *unit;	  /* `unit` is NULL for a plain number */
	bool left_out;		  /* true if the verdict ignores this series */
	struct history_count *at; /* by commit */
};

/*
 * The commits and their counts. Commits are sorted by time or, if one of them has no time, in the
 * order in which they were added. Commits that git knows always come after their ancestors.
 */
struct history {
	struct history_commit *commit;
	size_t ncommits, commit_room;
	struct history_series *series; /* sorted by program, core, settings, event */
	size_t nseries, series_room;
	struct history_failure *failure;
	size_t nfailures, failure_room;
};

/*
 * Returns 0, or an exit code after an error message on stderr. The caller must free `h` even after
 * an error.
 */
int history_read(struct history *h, struct pmk_store *store);
void history_free(struct history *h);

/*
 * Returns the commit to which git resolves the name, or else the commit with this name, or else the
 * only commit whose name begins with it. Returns -1, after a message on stderr, if there is none.
 */
long history_find(const struct history *h, const char *name);

/*
 * Returns the commit with which commit `i` is compared: the last good one before it or, if there is
 * none, the last one without a verdict. -1: none.
 */
long history_reference(const struct history *h, size_t i);
/* Returns the last commit before `i` in which the series has a value; -1: none. */
long history_before(const struct history_series *s, size_t i);

struct history_judged {
	size_t compared; /* number of series that were compared */
	size_t over;	 /* number of series that have grown by more than the limit */
	size_t missing;	 /* number of failed runs, and of counts that no longer exist */
};

/*
 * Compares a commit with `base`. If `base` is -1, compares each series with the last good commit
 * that has it or, if there is none, with the last one without a verdict. Prints a line on stderr
 * for each series that is over the limit or missing.
 */
struct history_judged history_judge(const struct history *h, long base, size_t fresh,
				    double percent);
/* Restricts the verdict to the events that a request counts. Returns false if out of memory. */
bool history_leave_out(struct history *h, const struct history_request *q);
/* True if `words`, such as "cycles,{a*,b}", contains the event or a pattern that matches it. */
bool history_is_event(const char *words, const char *event);
/* True if the event is in the list of the request, or the request has no list. */
bool history_has_event(const struct history_request *q, const char *event);
/*
 * Prints a note if the comparison compared nothing, unless this is the first commit with any
 * counts. Returns true if it printed one.
 */
bool history_says_nothing(const struct history *h, long base, size_t fresh,
			  const struct history_judged *j);

/* Shortens a hash to ten digits; other names are unchanged. */
void history_short(const char *name, char text[48]);
const char *history_verdict(enum pmk_store_verdict verdict);
/* Writes a text such as "+1,234 +0.05%"; "" if nothing changed. */
void history_change(uint64_t base, uint64_t fresh, char text[80]);

/* ---- functions ------------------------------------------------------------------------------- */

/* An event of a function, over all recorded commits. */
struct history_function {
	const struct history_series *series; /* one series of its program */
	char *key;			     /* identifies the function in all commits */
	char *name, *file, *event;
	struct history_count *at; /* by commit */
};

struct history_functions {
	struct history_function *function; /* functions that differ between commits */
	size_t n, room;
	void *tree; /* used while reading; sorted by program, event and key */
};

/*
 * Reads the recordings of all commits; missing ones are skipped. Returns 0. On failure, prints
 * one line on stderr and returns an exit code. The caller must free `f` even after an error.
 */
int history_functions(struct history_functions *f, const struct history *h, struct pmk_store *store,
		      const char *database);
void history_functions_free(struct history_functions *f);
/* Returns the path of a recording in the database; the caller frees it. */
char *history_recording(const char *database, const char *path);

/*
 * Checks whether the program may have been built from another commit. Prints a line if a source
 * file that the commit changed is newer than the program. If the program's debug information names
 * this file, the program was built from another commit, and this returns an exit code; otherwise it
 * returns 0. `path` may be NULL.
 */
int history_check_stale(const char *commit, const char *path);

/* ---- requests -------------------------------------------------------------------------------- */

struct history_request {
	const char *database;
	struct pmk_words events, settings;
	const char *commit, *name, *core, *target;
	const char *build;	/* shell command to run before the program */
	const char *good, *bad; /* names of the commits to compare with */
	const char *html;	/* output file */
	const char *separator;
	bool json, judged, record;
	double limit; /* in percent */
	unsigned last;
	char **operand; /* remaining words of the command line, NULL terminated */
};

/* Opens the database. On failure, prints a message on stderr, sets *code, and returns NULL. */
struct pmk_store *history_open(const struct history_request *q, enum pmk_store_how how, int *code);
/* Prints one line on stderr if the store has failed. Returns an exit code, or 0. */
int history_check(struct pmk_store *store, int err);

#define HISTORY_EVENTS "cycles,instructions" /* events that are counted by default */

/* Returns the name of the request's program. */
const char *history_program(const struct history_request *q);
/*
 * Returns the settings of a request as the database has them, "dcache.size=8K,…", sorted by name;
 * the caller frees the text. NULL: out of memory.
 */
char *history_settings(const struct history_request *q);
int history_add(const struct history_request *q);
int history_test(const struct history_request *q);
int history_show(const struct history_request *q);
int history_bisect(const struct history_request *q);

/* ---- git ------------------------------------------------------------------------------------- */

/*
 * Resolves `id` to the hash of a commit with git. Returns false if git is not installed, the folder
 * is not in a checkout, or there is no such commit.
 */
bool history_resolve(const char *id, char hash[80]);
/*
 * Asks git about `id`. history_commit_free() frees the texts in *c. Without git, or outside of a
 * checkout, the name is `id` and everything else is unknown. Returns 0, or an exit code after an
 * error message.
 */
int history_commit(struct history_commit *c, const char *id);
void history_commit_free(struct history_commit *c);
/* Sorts the commits that git knows by ancestry. The other commits keep their positions. Returns
 * false if out of memory. */
bool history_order(struct history *h);

#endif
