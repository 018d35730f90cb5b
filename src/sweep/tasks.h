/* SPDX-License-Identifier: MIT */
/*
 * Tasks: the cells that a database lacks, in slices that other machines compute. A list of their
 * keys is in a file; task i of n takes every n-th of them from number i on. Each machine plans for
 * itself and finds its cells by their keys, so that it never counts anything but what was meant.
 */
#ifndef PMK_SWEEP_TASKS_H
#define PMK_SWEEP_TASKS_H

#include "sweep/sweep.h"

/* Write the keys of the cells that are to be done, a line each. 0, or PMK_EIO: see errno. */
int pmk_tasks_write(const struct pmk_sweep *s, const struct pmk_sweep_todo *todo, const char *path);

/* The cells of task i of n; the caller frees slice->cell. 0 or a failure, which is in *fault of the
 * sweep: the list cannot be read, or names a cell that the plan has not. */
int pmk_tasks_take(const struct pmk_sweep *s, const char *path, unsigned i, unsigned n,
		   struct pmk_sweep_slice *slice);

#endif
