/* SPDX-License-Identifier: MIT */
/*
 * Counts several cells at a time, each in a separate process, and stores the counts in the database
 * as they arrive. A program that harms the process that counts it ends only its own cell.
 */
#ifndef PMK_SWEEP_RUN_H
#define PMK_SWEEP_RUN_H

#include <signal.h>

#include "lab/sweep/sweep.h"

struct pmk_sweep_progress {
	size_t done, failed, of; /* `of` is the number of all cells */
	/* Cells in `done` that a signal from outside ended, so that they are not stored. */
	size_t killed;
	double seconds; /* seconds since the start */
	double left;	/* estimate of the remaining seconds; < 0: not known yet */
};

struct pmk_sweep_run {
	unsigned jobs; /* number of cells at a time */
	/* If not 0: start no more cells, and end those that run. */
	const volatile sig_atomic_t *stop;
	/* Called when a cell is done, and about once a second. */
	void (*progress)(void *ctx, const struct pmk_sweep_progress *p);
	void *ctx;
};

/*
 * Runs the cells of the to-do list and stores their counts. *p has the final progress. Returns 0,
 * or an error with its text in s->fault. Cells that were stopped are not in the database.
 */
int pmk_sweep_compute(struct pmk_sweep *s, struct pmk_store *store,
		      const struct pmk_sweep_todo *todo, const struct pmk_sweep_run *run,
		      struct pmk_sweep_progress *p);

#endif
