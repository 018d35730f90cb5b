/* SPDX-License-Identifier: MIT */
/*
 * Declarations that the files of pmk sweep share: results, and how they are printed and compared.
 */
#ifndef PMK_CLI_SWEEP_H
#define PMK_CLI_SWEEP_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/cli.h"
#include "count/words.h"
#include "lab/sweep/store.h"
#include "lab/sweep/sweep.h"
#include "lab/sweep/tasks.h"

/* The count of an event in a cell. The results own the texts. */
struct sweep_value {
	bool there; /* the cell has a row for the event */
	bool has_value;
	uint64_t value;
	const char *pmu, *trust, *reason, *unit;
};

/* A point, with an entry for each setting and each event of the results. */
struct sweep_row {
	char *name, *core, *failure; /* `failure` is NULL if the cell did not fail */
	const char *checked;	     /* as in struct pmk_store_row */
	char **setting;		     /* an entry is NULL if the core does not have the setting */
	struct sweep_value *value;
};

/* The points of all sweeps in a database, sorted by program, core and settings. */
struct sweep_results {
	struct pmk_words settings; /* sorted by name */
	struct pmk_words events;   /* in the order in which they were first counted */
	struct pmk_words texts;	   /* texts of values, each only once */
	struct sweep_row *row;
	size_t nrows, room;
	size_t setting_room, event_room;
};

/*
 * Reads the results in the database at `path`. Returns 0 or an exit code. The caller must free `r`
 * even after an error.
 */
int sweep_results_read(struct sweep_results *r, const char *path);
void sweep_results_free(struct sweep_results *r);
/* Returns the index of a setting or event, or SIZE_MAX. */
size_t sweep_results_setting(const struct sweep_results *r, const char *name);
size_t sweep_results_event(const struct sweep_results *r, const char *name);
/*
 * Compares two values of settings for sorting: numbers, with K and M, by size, and words
 * alphabetically. A missing value comes first.
 */
int sweep_compare_values(const char *a, const char *b);
/* Reads the value of a setting as a number. Returns false if it is a word. */
bool sweep_value_number(const char *text, double *number);

/* Returns the reason why the cell lacks some or all counts; NULL if it has all. */
const char *sweep_row_failure(const struct sweep_results *r, const struct sweep_row *row);

/* Prints all results. Returns 0 or an exit code. */
int sweep_show_text(const struct sweep_results *r);
int sweep_show_csv(const struct sweep_results *r, const char *separator);
int sweep_show_json(const struct sweep_results *r);

/* ---- answers --------------------------------------------------------------------------------- */

#define SWEEP_GOALS 8

/*
 * Prints the cores with settings for which no other one is better in a goal and at least as good in
 * all other goals. `goals` is a list such as "cycles,dcache.size", which the function modifies.
 * Smaller is better; counts are sums over programs. Returns 0 or an exit code.
 */
int sweep_pareto(FILE *f, const struct sweep_results *r, char *goals);
/* Prints how much of the variance of an event each setting explains. Returns 0 or an exit code. */
int sweep_sensitivity(FILE *f, const struct sweep_results *r, const char *event);

/* The sum and the number of counts of an event, for a row and a column of a heat map. */
struct sweep_spot {
	double sum;
	size_t n;
};

struct sweep_heat {
	const char *event, *across, *down;
	struct pmk_words columns, rows;
	struct sweep_spot *spot; /* by row and column */
};

/* Makes the map that `what`, a text "EVENT[,ACROSS[,DOWN]]", asks for. The function modifies the
 * text, which must stay valid as long as the map. Returns 0 or an exit code. The caller must free
 * the map even after an error. */
int sweep_heat_make(const struct sweep_results *r, char *what, struct sweep_heat *h);
void sweep_heat_free(struct sweep_heat *h);
/*
 * Returns a value relative to its program's mean, and its position between the smallest (0) and the
 * largest (1). Returns false if there is no value.
 */
bool sweep_heat_at(const struct sweep_heat *h, size_t row, size_t column, double *value,
		   double *heat);
int sweep_heat_show(FILE *f, const struct sweep_heat *h);

/* ---- other machines -------------------------------------------------------------------------- */

/* Tasks that other machines run. Paths are absolute. */
struct sweep_tasks {
	const char *plan, *db;
	char folder[PATH_MAX];
	unsigned count; /* 0: choose a suitable number */
	bool retry;
};

/* Returns the folder of this database's tasks. Returns false if the name is too long. */
bool sweep_tasks_folder(const char *db, char folder[PATH_MAX]);
/* Checks that an engine with this name exists. Returns 0 or an exit code. */
int sweep_engine_check(const char *name);
/* Gives the cells to count to the engine. Returns 0 or an exit code. */
int sweep_engine_start(struct sweep_tasks *t, const char *engine, const struct pmk_sweep *s,
		       const struct pmk_sweep_todo *todo);
/*
 * Copies the counts of other databases into this one. If `others` names no databases, copies the
 * counts from the databases of the tasks, and removes those. Returns 0 or an exit code.
 */
int sweep_collect(const char *db, char *const *others);

#endif
