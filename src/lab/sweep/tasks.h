/* SPDX-License-Identifier: MIT */
/*
 * Tasks: the cells that a database lacks, in slices that other machines count. A file has the list
 * of their keys; task i of n takes every n-th key, starting with number i. Each machine reads the
 * plan itself and finds its cells by their keys, so that it can never count the wrong cell.
 */
#ifndef PMK_SWEEP_TASKS_H
#define PMK_SWEEP_TASKS_H

#include "lab/sweep/sweep.h"

/* Writes the keys of the cells to count, one per line. Returns 0, or PMK_EIO: see errno. */
int pmk_tasks_write(const struct pmk_sweep *s, const struct pmk_sweep_todo *todo, const char *path);

/*
 * Selects the cells of task i of n; the caller frees slice->cell. Returns 0, or an error with its
 * text in *fault of the sweep: the list cannot be read, or names a cell that is not in the plan.
 */
int pmk_tasks_take(const struct pmk_sweep *s, const char *path, unsigned i, unsigned n,
		   struct pmk_sweep_slice *slice);

#endif
