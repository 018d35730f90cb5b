/* SPDX-License-Identifier: MIT */
/* What is run: the program; in emulation also the core, and the emulator's command line and
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
/* The same for a program to be executed. 0 and *path, or a failure. */
int pmk_program_find(const char *name, char **path, struct pmk_count_fault *f);

/* All members but `fault` have to be 0 at first. Functions return 0 or a failure, which is in
 * *fault. */
struct pmk_program {
	struct pmk_count_fault *fault;
	struct pmk_core core;
	struct pmk_elf elf;
	char *image;	       /* the ELF file that symbols are looked up in, or NULL */
	struct pmk_qemu qemu;  /* the emulator */
	struct pmk_words argv; /* its command line; "@plugin@" stands for the argument of -plugin */
	struct pmk_words envp;
	struct pmk_words
		passed;	   /* the part of the environment that --env lets through, NAME=VALUE */
	unsigned left_out; /* variables of our own environment that are not in envp */
	unsigned nargs;	   /* words of the program, its name included */
	bool system;
	bool core_chosen;     /* the user named the core */
	char note[400];	      /* what the user should know of the choice; or "" */
	const char *given_by; /* the option with the emulator's command line, before a message */
};

/* The preset for a PMU: the one of the same name, or else the first in the data directory that has
 * this PMU. The caller frees *found; NULL: there is none. */
int pmk_program_core_with(struct pmk_program *p, const char *data, const char *pmu, char **found);
/* A preset that was asked for by `name`: is it called so, and can a core with its instruction set
 * have its PMU? 0, or PMK_EINVAL and `msg` says what is wrong. */
int pmk_program_check_preset(const struct pmk_core *core, const char *name, char *msg, size_t size);
/* Does time pass by instructions in the emulated machine (-icount), and not by the host's clock? */
bool pmk_program_counts_time(const struct pmk_program *p);
/* The emulator's name, without its folder. */
const char *pmk_program_emulator(const struct pmk_program *p);
/* Load the preset `name`, or for NULL the one for the machine of the program, or else of the
 * emulator, and apply overrides "key=value". `pmu` may be NULL; if it is the PMU of a level 2
 * cache, an ARM core gets that cache unless overrides say otherwise. */
int pmk_program_core(struct pmk_program *p, const char *data, const char *name, const char *pmu,
		     const struct pmk_words *overrides);

/* A core of a later architecture than the program's core; NULL: there is none. */
const char *pmk_program_later_core(const struct pmk_program *p);

/* Find the program, read its ELF header: p->elf and p->image are set. */
int pmk_program_open(struct pmk_program *p, const char *program);

/* The command line for user emulation of `argv`; sysroot NULL: the usual place. `seed` is of the
 * random numbers that the emulator gives the program. */
int pmk_program_user(struct pmk_program *p, char *const *argv, const char *sysroot, unsigned seed);
/* The command line of an emulator: `command`, which is split into words, or NULL, and then `more`.
 * Add the plugin, and check that the firmware can be read and is for the machine of the
 * emulator. */
int pmk_program_system(struct pmk_program *p, const char *command, char *const *more);
/* The fixed environment plus --env NAME or NAME=VALUE; "*" is every NAME that is set. */
int pmk_program_env(struct pmk_program *p, const struct pmk_words *pass);

/* How many bytes larger the program's stack has to be where the emulator puts a vDSO on it (see
 * stack.h). */
unsigned pmk_program_more_stack(const struct pmk_program *p);

void pmk_program_free(struct pmk_program *p);

#endif
