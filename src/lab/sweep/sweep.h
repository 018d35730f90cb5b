/* SPDX-License-Identifier: MIT */
/*
 * A sweep: the cells of a plan, and the cells that must be counted.
 *
 * A cell is identified by its number, from 0. Cells are ordered by program, then by core, then by
 * the combination of the core's settings.
 */
#ifndef PMK_SWEEP_SWEEP_H
#define PMK_SWEEP_SWEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "count/error.h"
#include "count/program.h"
#include "lab/sweep/key.h"
#include "lab/sweep/plan.h"
#include "lab/sweep/store.h"

/* A program of the plan, after it was opened. */
struct pmk_sweep_program {
	struct pmk_program opened;
	struct pmk_count_fault fault; /* error of opening it */
	struct pmk_file_places files; /* the files in its key */
	pmk_store_key key;
	char *about, *command;
};

/* A core of the plan for programs of one machine, in each combination of its settings. */
struct pmk_sweep_configs {
	const struct pmk_plan_core *core;
	enum pmk_elf_machine machine;
	struct pmk_core base; /* the core without settings */
	pmk_store_key *key;   /* by combination */
	size_t count;
	/*
	 * The events of the plan, by the names of their rows. `refused` has the events that this
	 * core does not have, `reasons` says why.
	 */
	struct pmk_words events, refused, reasons;
};

/* The cells of a program on a core. */
struct pmk_sweep_block {
	uint32_t program, configs;
	size_t first; /* number of its first cell */
};

struct pmk_sweep {
	struct pmk_sweep_plan plan;
	const char *data; /* folder with cores/, from pmk_files_data() */
	struct pmk_file_hashes files;
	struct pmk_sweep_program *programs;
	struct pmk_sweep_configs *configs;
	size_t nconfigs, config_room;
	struct pmk_sweep_block *blocks;
	size_t nblocks;
	size_t ncells;
	struct pmk_count_fault *fault;
};

/*
 * Opens everything that the plan names. The current folder must be the plan's. Returns 0, or an
 * error with its text in *fault. The caller must free `s` even after an error.
 */
int pmk_sweep_prepare(struct pmk_sweep *s, const char *data, struct pmk_count_fault *fault);
void pmk_sweep_free(struct pmk_sweep *s);

/* A cell: a program on a core with one combination of settings. */
struct pmk_sweep_cell {
	const struct pmk_plan_program *planned;
	const struct pmk_sweep_program *program;
	const struct pmk_sweep_configs *configs;
	size_t which_program;
	size_t combination;
	pmk_store_key key;
};

void pmk_sweep_cell(const struct pmk_sweep *s, size_t number, struct pmk_sweep_cell *cell);
/* Returns the settings and the name of the cell. settings[] must have room for all axes. */
void pmk_sweep_point(const struct pmk_sweep_cell *cell, struct pmk_store_setting *settings,
		     struct pmk_store_point *point);
/* Returns the largest number of settings of any core. */
size_t pmk_sweep_most_axes(const struct pmk_sweep *s);
/* Builds the core with its settings. False: it is invalid, and msg says why. */
bool pmk_sweep_core(const struct pmk_sweep_cell *cell, struct pmk_core *core, char *msg,
		    size_t size);

/* True if the preset of the core has not changed since the keys were made. */
bool pmk_sweep_same_core(const struct pmk_sweep *s, const struct pmk_sweep_cell *cell);

/* Some of the cells of a sweep. */
struct pmk_sweep_slice {
	uint32_t *cell; /* numbers of these cells */
	size_t count;
};

/* The cells that must be counted. */
struct pmk_sweep_todo {
	uint32_t *cell; /* numbers of these cells */
	size_t count;
	/* The number of cells that have counts, and of cells that failed and are not counted
	 * again. */
	size_t there, failed;
};

/*
 * Selects the cells to count, from the slice, or from all cells if it is NULL. These are cells that
 * the database lacks, cells that lack a row for an event and, if `retry`, failed cells. `store` may
 * be NULL for an empty database. Unless `look` is set, the names of existing cells are written to
 * the database. Returns 0, an error of the store, or PMK_ENOMEM.
 */
int pmk_sweep_select(struct pmk_sweep *s, struct pmk_store *store,
		     const struct pmk_sweep_slice *slice, bool retry, bool look,
		     struct pmk_sweep_todo *todo);
void pmk_sweep_todo_free(struct pmk_sweep_todo *todo);

#endif
