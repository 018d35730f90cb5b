/* SPDX-License-Identifier: MIT */
/* The program to run and, in emulation, the core and the emulator's command line and
 * environment. */
#ifndef PMK_COUNT_PROGRAM_H
#define PMK_COUNT_PROGRAM_H

#include <stdbool.h>

#include "count/error.h"
#include "count/words.h"
#include "cpu/config.h"
#include "producer/qemu/find.h"
#include "producer/qemu/runner.h"
#include "profile/elf.h"

/* The path of a program, found as the shell does; the caller frees it. NULL: not found. */
char *pmk_program_path(const char *name);
/* Finds a program as pmk_program_path() does, and checks that it can be executed. Returns 0 and
 * *path, or a failure. */
int pmk_program_find(const char *name, char **path, struct pmk_count_fault *f);

/* All members except `fault` must be 0 at first. Functions return 0 or a failure, which is in
 * *fault. */
struct pmk_program {
	struct pmk_count_fault *fault;
	struct pmk_core core;
	struct pmk_elf elf;
	char *image;	       /* the ELF file for symbols, or NULL */
	struct pmk_qemu qemu;  /* the emulator */
	struct pmk_words argv; /* its command line; "@plugin@" stands for the argument of -plugin */
	struct pmk_words envp;
	struct pmk_words
		passed;	   /* the part of the environment that --env lets through, NAME=VALUE */
	unsigned left_out; /* number of variables of pmk's environment that are not in envp */
	unsigned nargs;	   /* number of words of the program, including its name */
	bool system;
	bool alone;	      /* `system`, and pmk chooses the board */
	bool core_chosen;     /* the user named the core */
	char note[400];	      /* a note about the choice for the user; or "" */
	const char *given_by; /* the option that gave the emulator's command line, for messages */
};

/* The preset for a PMU: the one with the same name, or else the first in the data directory that
 * has this PMU. The caller frees *found; NULL: there is none. */
int pmk_program_core_with(struct pmk_program *p, const char *data, const char *pmu, char **found);
/* Check a preset that was requested as `name`: it must contain this name, and a core with its
 * instruction set must be able to have its PMU. Returns 0, or PMK_EINVAL with the reason in
 * `msg`. */
int pmk_program_check_preset(const struct pmk_core *core, const char *name, char *msg, size_t size);
/* True if time in the emulated machine follows instructions (-icount) and not the host's clock. */
bool pmk_program_counts_time(const struct pmk_program *p);
/* The emulator's name without its folder. */
const char *pmk_program_emulator(const struct pmk_program *p);
/* Load the preset `name` and apply overrides "key=value". With NULL, load the preset for the
 * machine of the program or of the emulator. `pmu` may be NULL; if it is the PMU of a level 2
 * cache, an ARM core gets that cache unless overrides say otherwise. */
int pmk_program_core(struct pmk_program *p, const char *data, const char *name, const char *pmu,
		     const struct pmk_words *overrides);

/* A core with a later architecture than the present one; NULL: there is none. */
const char *pmk_program_later_core(const struct pmk_program *p);

/* Find the program and read its ELF header: sets p->elf and p->image. */
int pmk_program_open(struct pmk_program *p, const char *program);

/* Build the command line for user emulation of `argv`; sysroot NULL: the default place. `seed`
 * determines the random numbers that the emulator gives the program. */
int pmk_program_user(struct pmk_program *p, char *const *argv, const char *sysroot, unsigned seed);
/* Build the command line for firmware without an emulator's command line, p->alone: its board has
 * the chosen core. */
int pmk_program_firmware(struct pmk_program *p, char *const *argv);
/* Build the command line of an emulator: `command`, which is split into words, or NULL, and then
 * `more`. Adds the plugin, and checks that the firmware can be read and is for the machine of the
 * emulator. */
int pmk_program_system(struct pmk_program *p, const char *command, char *const *more);
/* Add words to the command line. NULL ends them. */
int pmk_program_add(struct pmk_program *p, const char *const *words);
/* Find an emulator that can count. Returns 0, or a failure that says why there is none and what to
 * do. */
int pmk_program_find_emulator(struct pmk_program *p);
/* Refuse firmware for another profile or a later architecture, which would end in a fault. */
int pmk_program_check_core(struct pmk_program *p);
/* True if pmk has a model of the core. */
bool pmk_program_is_modelled(const char *core);

/* Build the environment: the fixed part plus --env NAME or NAME=VALUE; "*" is every NAME that is
 * set. */
int pmk_program_env(struct pmk_program *p, const struct pmk_words *pass);

/* By how many bytes the program's stack must be larger if the emulator puts a vDSO on it (see
 * stack.h). */
unsigned pmk_program_more_stack(const struct pmk_program *p);

void pmk_program_free(struct pmk_program *p);

#endif
