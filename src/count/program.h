/* SPDX-License-Identifier: MIT */
/* Finds the program to run and, for emulation, chooses the core and builds the emulator's command
 * line and environment. */
#ifndef PMK_COUNT_PROGRAM_H
#define PMK_COUNT_PROGRAM_H

#include <stdbool.h>

#include "count/error.h"
#include "count/words.h"
#include "cpu/config.h"
#include "cpu/cpu.h"
#include "producer/qemu/find.h"
#include "producer/qemu/runner.h"
#include "profile/elf.h"

/* Returns the path of a program, which is searched for as the shell does; the caller frees it.
 * NULL: not found. */
char *pmk_program_path(const char *name);
/* Find a program as pmk_program_path() does, and check that it can be executed. Returns 0 and sets
 * *path, or returns a failure. */
int pmk_program_find(const char *name, char **path, struct pmk_count_fault *f);

/* A program and its emulator. All members except `fault` must be 0 at first. Functions return 0 or
 * a failure, which they store in *fault. */
struct pmk_program {
	struct pmk_count_fault *fault;
	struct pmk_core core;
	struct pmk_elf elf;
	char *image;	      /* the ELF file for symbols, or NULL */
	struct pmk_qemu qemu; /* the emulator */
	/* The emulator's command line; "@plugin@" stands for the argument of -plugin. */
	struct pmk_words argv;
	struct pmk_words envp;
	struct pmk_words
		passed;	   /* the part of the environment that --env lets through, NAME=VALUE */
	unsigned left_out; /* number of variables of pmk's environment that are not in envp */
	unsigned nargs;	   /* number of words of the program, including its name */
	bool system;
	/* True for firmware that was given without an emulator's command line, so that pmk chooses
	 * the board; `system` is then true, too. */
	bool alone;
	bool core_chosen;     /* the user named the core */
	char note[400];	      /* a note for the user about the choice, or "" */
	const char *given_by; /* the option that gave the emulator's command line, for messages */
};

/* Set *found to a preset with this PMU: the preset of the same name, or else the first in the data
 * directory that has the PMU. The caller frees *found; NULL: there is none. */
int pmk_program_core_with(struct pmk_program *p, const char *data, const char *pmu, char **found);
/* Check a preset that was requested as `name`: it must contain this name, and a core with its
 * instruction set must be able to have its PMU. Returns 0, or PMK_EINVAL with the reason in
 * `msg`. */
int pmk_program_check_preset(const struct pmk_core *core, const char *name, char *msg, size_t size);
/* True if time in the emulated machine follows instructions (-icount) and not the host's clock. */
bool pmk_program_counts_time(const struct pmk_program *p);
/* Returns the emulator's name without its folder. */
const char *pmk_program_emulator(const struct pmk_program *p);
/* Load the preset `name` and apply the overrides "key=value". If `name` is NULL, load the preset
 * for the machine of the program or of the emulator. `pmu` may be NULL; if it is the PMU of a level
 * 2 cache, an ARM core gets that cache unless overrides say otherwise. */
int pmk_program_core(struct pmk_program *p, const char *data, const char *name, const char *pmu,
		     const struct pmk_words *overrides);

/* Find the program and read its ELF header: sets p->elf and p->image. */
int pmk_program_open(struct pmk_program *p, const char *program);

/* Build the command line for user emulation of `argv`. If `sysroot` is NULL, libraries are searched
 * for in the default place. `seed` determines the random numbers that the emulator gives the
 * program. */
int pmk_program_user(struct pmk_program *p, char *const *argv, const char *sysroot, unsigned seed);
/* Build the command line for firmware without an emulator's command line (p->alone). The board is
 * one with the chosen core. */
int pmk_program_firmware(struct pmk_program *p, char *const *argv);
/* True if QEMU cannot start firmware of a Cortex-M with the user's command line, because the file
 * has no vector table. `text` then says so, and what to do. */
bool pmk_program_lacks_table(const struct pmk_program *p, char *text, size_t size);
/* Add -icount to the command line of an emulator that runs firmware of a Cortex-M. */
int pmk_program_set_clock(struct pmk_program *p);

/* Parts of a sentence: " in FUNCTION", where firmware took a fault, and "; REASON" with what to do.
 * Both can be "". */
struct pmk_fault_text {
	char place[128];
	const char *why;
};

void pmk_program_explain_fault(const struct pmk_program *p, const struct pmk_cpu_trap *trap,
			       struct pmk_fault_text *text);
/* Build the command line of an emulator: `command`, which is split into words, or NULL, and then
 * `more`. Add the plugin, and check that the firmware can be read and is for the emulator's
 * machine. */
int pmk_program_system(struct pmk_program *p, const char *command, char *const *more);
/* Add words to the command line. `words` ends with NULL. */
int pmk_program_add(struct pmk_program *p, const char *const *words);
/* Find an emulator that can count. Returns 0, or a failure that says why there is none and what to
 * do. */
int pmk_program_find_emulator(struct pmk_program *p);
/* Refuse firmware for another profile or a later architecture, which would end in a fault. */
int pmk_program_check_core(struct pmk_program *p);

/* Build the environment: the fixed part plus --env NAME or NAME=VALUE; "*" is every NAME that is
 * set. */
int pmk_program_env(struct pmk_program *p, const struct pmk_words *pass);

/* Returns the number of bytes by which the program's stack must be larger, because the emulator may
 * put a vDSO on it (see stack.h). */
unsigned pmk_program_more_stack(const struct pmk_program *p);

void pmk_program_free(struct pmk_program *p);

#endif
