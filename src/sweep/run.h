/* SPDX-License-Identifier: MIT */
/*
 * Computing cells: each in a process of its own, so many at a time, the counts into the database as
 * they come. What a program does to the process that counts it ends that cell and no other.
 */
#ifndef PMK_SWEEP_RUN_H
#define PMK_SWEEP_RUN_H

#include <signal.h>

#include "sweep/sweep.h"

struct pmk_sweep_progress {
	size_t done, failed, of; /* cells */
	size_t killed;		 /* of `done`: not kept, because a signal ended them, not we */
	double seconds;		 /* since the beginning */
	double left;		 /* about so many more; < 0: not known yet */
};

struct pmk_sweep_run {
	unsigned jobs;			   /* how many cells at a time */
	const volatile sig_atomic_t *stop; /* not 0: begin no more, and end those that run */
	/* Called when a cell is done, and about once a second. */
	void (*progress)(void *ctx, const struct pmk_sweep_progress *p);
	void *ctx;
};

/* Compute the cells that are to be done. *p says in the end what has been. 0 or a failure, which is
 * in *fault. Cells that were stopped are not in the database. */
int pmk_sweep_compute(struct pmk_sweep *s, struct pmk_store *store,
		      const struct pmk_sweep_todo *todo, const struct pmk_sweep_run *run,
		      struct pmk_sweep_progress *p);

#endif
