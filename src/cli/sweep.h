/* SPDX-License-Identifier: MIT */
/* What the files of pmk sweep share: results, as they are shown and compared. */
#ifndef PMK_CLI_SWEEP_H
#define PMK_CLI_SWEEP_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/cli.h"
#include "count/words.h"
#include "sweep/store.h"
#include "sweep/sweep.h"
#include "sweep/tasks.h"

/* What an event counted in a cell. The texts belong to the results. */
struct sweep_value {
	bool there; /* the cell has a row of the event */
	bool has_value;
	uint64_t value;
	const char *pmu, *trust, *reason, *unit;
};

/* A point, with one place for each setting and each event of the results. */
struct sweep_row {
	char *name, *core, *failure; /* failure NULL: none */
	const char *checked;	     /* as in struct pmk_store_row */
	char **setting;		     /* NULL: the core has it not */
	struct sweep_value *value;
};

/* All points of the sweeps in a database, by program, core and settings. */
struct sweep_results {
	struct pmk_words settings; /* sorted by name */
	struct pmk_words events;   /* in the order in which they were first counted */
	struct pmk_words texts;	   /* of values, each once */
	struct sweep_row *row;
	size_t nrows, room;
	size_t setting_room, event_room;
};

/* Read the results in the database at `path`. 0 or an exit code. To be freed in any case. */
int sweep_results_read(struct sweep_results *r, const char *path);
void sweep_results_free(struct sweep_results *r);
/* The place of a setting or event, or SIZE_MAX. */
size_t sweep_results_setting(const struct sweep_results *r, const char *name);
size_t sweep_results_event(const struct sweep_results *r, const char *name);
/* The order of two values of settings: numbers, with K and M, by size; words by the alphabet, and
 * none first. */
int sweep_compare_values(const char *a, const char *b);
/* The number that the value of a setting is. False: it is a word. */
bool sweep_value_number(const char *text, double *number);

/* Why the cell has no counts, or not those of some events; NULL: it has all. */
const char *sweep_row_failure(const struct sweep_results *r, const struct sweep_row *row);

/* Write all results. 0 or an exit code. */
int sweep_show_text(const struct sweep_results *r);
int sweep_show_csv(const struct sweep_results *r, const char *separator);
int sweep_show_json(const struct sweep_results *r);

/* ---- answers --------------------------------------------------------------------------------- */

#define SWEEP_GOALS 8

/* Print the cores with their settings that no other beats in all goals, "cycles,dcache.size", where
 * less is better; counts are sums over programs. 0 or an exit code. The text is taken apart. */
int sweep_pareto(FILE *f, const struct sweep_results *r, char *goals);
/* Print which setting explains how much of the variance of an event. 0 or an exit code. */
int sweep_sensitivity(FILE *f, const struct sweep_results *r, const char *event);

/* Means of an event by the values of two settings, or by program or core. */
struct sweep_spot {
	double sum;
	size_t n;
};

struct sweep_heat {
	const char *event, *across, *down;
	struct pmk_words columns, rows;
	struct sweep_spot *spot; /* by row and column */
};

/* Of "EVENT[,ACROSS[,DOWN]]", which is taken apart and has to last. 0 or an exit code. To be freed
 * in any case. */
int sweep_heat_make(const struct sweep_results *r, char *what, struct sweep_heat *h);
void sweep_heat_free(struct sweep_heat *h);
/* A value as part of its program's mean, and where it is between the least, 0, and the greatest, 1.
 * False: there is none. */
bool sweep_heat_at(const struct sweep_heat *h, size_t row, size_t column, double *value,
		   double *heat);
int sweep_heat_show(FILE *f, const struct sweep_heat *h);

/* ---- other machines -------------------------------------------------------------------------- */

/* Tasks that are made for others. Paths are absolute. */
struct sweep_tasks {
	const char *plan, *db;
	char folder[PATH_MAX];
	unsigned count; /* 0: as many as suit */
	bool retry;
};

/* Where the tasks of this database are. False: the name is too long. */
bool sweep_tasks_folder(const char *db, char folder[PATH_MAX]);
/* Is there such an engine? 0 or an exit code. */
int sweep_engine_check(const char *name);
/* Hand what is to be done to the engine. 0 or an exit code. */
int sweep_engine_start(struct sweep_tasks *t, const char *engine, const struct pmk_sweep *s,
		       const struct pmk_sweep_todo *todo);
/* Put the counts of other databases into this one; if none are named, those of its tasks, which are
 * then removed. 0 or an exit code. */
int sweep_collect(const char *db, char *const *others);

#endif
