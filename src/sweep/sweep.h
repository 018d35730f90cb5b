/* SPDX-License-Identifier: MIT */
/*
 * A sweep: the cells of a plan, and what is to be done about each.
 *
 * A cell is known by its number, from 0: by program, then by core, then by the combination of the
 * core's settings.
 */
#ifndef PMK_SWEEP_SWEEP_H
#define PMK_SWEEP_SWEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "count/error.h"
#include "count/program.h"
#include "sweep/key.h"
#include "sweep/plan.h"
#include "sweep/store.h"

/* A program of the plan, looked at. */
struct pmk_sweep_program {
	struct pmk_program opened;
	struct pmk_count_fault fault; /* that of `opened` */
	struct pmk_file_places files; /* in the key */
	pmk_store_key key;
	char *about, *command;
};

/* A core of the plan as programs of one machine run on it, in each combination of its settings. */
struct pmk_sweep_configs {
	const struct pmk_plan_core *core;
	enum pmk_elf_machine machine;
	struct pmk_core base; /* without settings */
	pmk_store_key *key;   /* of each combination */
	size_t count;
	/* The events of the plan by the names that rows have. Those that this core does not have,
	 * with the reason. */
	struct pmk_words events, refused, reasons;
};

/* The cells of a program on a core. */
struct pmk_sweep_block {
	uint32_t program, configs;
	size_t first; /* number of its first cell */
};

struct pmk_sweep {
	struct pmk_sweep_plan plan;
	const char *data; /* folder with cores/, as of pmk_files_data() */
	struct pmk_file_hashes files;
	struct pmk_sweep_program *programs;
	struct pmk_sweep_configs *configs;
	size_t nconfigs, config_room;
	struct pmk_sweep_block *blocks;
	size_t nblocks;
	size_t ncells;
	struct pmk_count_fault *fault;
};

/* Look at all that the plan names. The current folder is the plan's. 0 or a failure, which is in
 * *fault. To be freed even after a failure. */
int pmk_sweep_prepare(struct pmk_sweep *s, const char *data, struct pmk_count_fault *fault);
void pmk_sweep_free(struct pmk_sweep *s);

/* One cell. */
struct pmk_sweep_cell {
	const struct pmk_plan_program *planned;
	const struct pmk_sweep_program *program;
	const struct pmk_sweep_configs *configs;
	size_t which_program;
	size_t combination;
	pmk_store_key key;
};

void pmk_sweep_cell(const struct pmk_sweep *s, size_t number, struct pmk_sweep_cell *cell);
/* The settings of the cell, and what people call it. settings[] has room for all axes. */
void pmk_sweep_point(const struct pmk_sweep_cell *cell, struct pmk_store_setting *settings,
		     struct pmk_store_point *point);
/* The most settings that a core has. */
size_t pmk_sweep_most_axes(const struct pmk_sweep *s);
/* The core with its settings. False: it cannot be, and msg says why. */
bool pmk_sweep_core(const struct pmk_sweep_cell *cell, struct pmk_core *core, char *msg,
		    size_t size);

/* Does the preset of the core still say what it said when the keys were made? */
bool pmk_sweep_same_core(const struct pmk_sweep *s, const struct pmk_sweep_cell *cell);

/* Some of the cells. */
struct pmk_sweep_slice {
	uint32_t *cell; /* their numbers */
	size_t count;
};

/* What there is to do. */
struct pmk_sweep_todo {
	uint32_t *cell; /* their numbers */
	size_t count;
	size_t there, failed; /* cells that have counts, and that failed before and stay so */
};

/* Look cells up, those of the slice, or for NULL all: one without counts of all its events is to be
 * done, and if `retry`, one that failed, too. `store` may be NULL: nothing is there. Unless `look`,
 * what people call the cells that are there is put into the database. 0 or a failure in the store
 * or, PMK_ENOMEM, here. */
int pmk_sweep_select(struct pmk_sweep *s, struct pmk_store *store,
		     const struct pmk_sweep_slice *slice, bool retry, bool look,
		     struct pmk_sweep_todo *todo);
void pmk_sweep_todo_free(struct pmk_sweep_todo *todo);

#endif
