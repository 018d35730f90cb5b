/* SPDX-License-Identifier: MIT */
/*
 * A plan of pmk sweep: an INI file with the programs to count, the cores, and their settings. Each
 * program on each core with each combination of the settings is a cell.
 *
 *	[sweep]
 *	cores = arm1176, cortex-a53
 *	events = cycles, instructions
 *
 *	[settings]
 *	dcache.size = 4K..64K
 *
 *	[program sort]
 *	run = ./sort 1000
 *
 *	[program walk]
 *	run = ./walk {steps}
 *	each steps = 100..800
 *
 * A program with "each" stands for several programs: one for each combination of its values, named
 * after the program and the values. docs/FORMATS.md has all names. Reading a plan opens only the
 * plan itself, and looks up the names of files that patterns match.
 */
#ifndef PMK_SWEEP_PLAN_H
#define PMK_SWEEP_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "count/words.h"

/* A setting and its values. */
struct pmk_axis {
	char *name; /* such as "dcache.size" */
	struct pmk_words values;
	unsigned line;
};

struct pmk_axes {
	struct pmk_axis *axis; /* sorted by name */
	size_t count, room;
};

struct pmk_plan_core {
	char *name;
	unsigned line;
	/* The settings from [settings] and [settings CORE]. The latter have priority. */
	struct pmk_axes axes;
};

struct pmk_plan_program {
	char *name;
	/* `cores` is empty if the program is counted on all cores of the plan. */
	struct pmk_words argv, inputs, env, cores;
	char *stdin_file; /* NULL: none */
	/* for a program with "each"; empty when the whole plan has been read */
	struct pmk_axes each;
	unsigned timeout_ms; /* 0: no limit */
	int exit_code;	     /* expected exit code */
	unsigned line;
};

struct pmk_sweep_plan {
	char *path;
	struct pmk_words events;
	unsigned events_line;
	char *sysroot; /* NULL: the default */
	unsigned timeout_ms;
	struct pmk_plan_core *cores;
	size_t ncores, core_room;
	struct pmk_plan_program *programs;
	size_t nprograms, program_room;
	/* The values of [settings], until they are merged into each core's `axes`. */
	struct pmk_axes common;
};

/*
 * Reads the plan at `path`. Returns 0, or an error as pmk_ini_load() does, with "FILE:LINE: why" in
 * msg.
 */
int pmk_plan_read(struct pmk_sweep_plan *plan, const char *path, const char *data, char *msg,
		  size_t size);
void pmk_plan_free(struct pmk_sweep_plan *plan);

/*
 * Replaces each [program] section that has an "each NAME" key by one program for each of its
 * values. Returns 0 or PMK_ENOMEM, or another error with its reason and line.
 */
#define PMK_PLAN_MOST_PROGRAMS 100000
int pmk_plan_expand(struct pmk_sweep_plan *plan, unsigned *line, char *why, size_t size);
void pmk_plan_free_program(struct pmk_plan_program *p);
/*
 * pmk_plan_is_pattern() is true if the text is a pattern for files. pmk_plan_files() adds the names
 * of the matching files, relative to the folder of the plan, in alphabetical order; it returns 0 or
 * PMK_ENOMEM.
 */
bool pmk_plan_is_pattern(const char *text);
int pmk_plan_files(const char *plan, const char *pattern, struct pmk_words *files);

/* True if the program is counted on this core. */
bool pmk_plan_has(const struct pmk_plan_program *program, const struct pmk_plan_core *core);
/* Returns the number of combinations of values; 0: too many to count. */
size_t pmk_axes_combinations(const struct pmk_axes *axes);
/* Returns the value of an axis in combination i; the last axis changes first. */
const char *pmk_axes_value(const struct pmk_axes *axes, size_t i, size_t axis);

#endif
