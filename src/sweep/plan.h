/* SPDX-License-Identifier: MIT */
/*
 * A plan of pmk sweep: an INI file that says which programs are counted on which cores, with which
 * settings. Each program on each core with each combination of the settings is a cell.
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
 * A program with "each" stands for several: one for each combination of its values, each under the
 * name of the program with its values behind it. docs/FORMATS.md has all names. Reading looks at no
 * file but the plan, and at the names of those that patterns mean.
 */
#ifndef PMK_SWEEP_PLAN_H
#define PMK_SWEEP_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "count/words.h"

/* A setting and the values it takes, one after the other. */
struct pmk_axis {
	char *name; /* "dcache.size" */
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
	/* [settings] with those of [settings CORE] in their place */
	struct pmk_axes axes;
};

struct pmk_plan_program {
	char *name;
	struct pmk_words argv, inputs, env, cores; /* no cores: those of the plan */
	char *stdin_file;			   /* NULL: none */
	struct pmk_axes each; /* of one that stands for several; empty when all is read */
	unsigned timeout_ms;  /* 0: none */
	int exit_code;	      /* with which it ends when all is well */
	unsigned line;
};

struct pmk_sweep_plan {
	char *path;
	struct pmk_words events;
	unsigned events_line;
	char *sysroot; /* NULL: the usual one */
	unsigned timeout_ms;
	struct pmk_plan_core *cores;
	size_t ncores, core_room;
	struct pmk_plan_program *programs;
	size_t nprograms, program_room;
	/* of [settings CORE], until they are merged into those of the cores */
	struct pmk_axes common;
};

/* Read the plan at `path`. Returns 0, or as pmk_ini_load() does, with "FILE:LINE: why" in msg. */
int pmk_plan_read(struct pmk_sweep_plan *plan, const char *path, const char *data, char *msg,
		  size_t size);
void pmk_plan_free(struct pmk_sweep_plan *plan);

/* Put the programs that are meant in place of those with "each". 0 or PMK_ENOMEM; or another
 * failure with why it is none, and the line. */
#define PMK_PLAN_MOST_PROGRAMS 100000
int pmk_plan_expand(struct pmk_sweep_plan *plan, unsigned *line, char *why, size_t size);
void pmk_plan_free_program(struct pmk_plan_program *p);
/* Does the text mean files? Then add their names, which are meant from the folder of the plan, in
 * the order of the alphabet. 0 or PMK_ENOMEM. */
bool pmk_plan_is_pattern(const char *text);
int pmk_plan_files(const char *plan, const char *pattern, struct pmk_words *files);

/* Is the program counted on this core? */
bool pmk_plan_has(const struct pmk_plan_program *program, const struct pmk_plan_core *core);
/* How many combinations of values there are; 0: too many to be counted. */
size_t pmk_axes_combinations(const struct pmk_axes *axes);
/* The value of an axis in combination i: the last axis changes first. */
const char *pmk_axes_value(const struct pmk_axes *axes, size_t i, size_t axis);

#endif
