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

/* Like the shell: where the program is, in memory that the caller frees; NULL: nowhere. */
char *pmk_program_path(const char *name);
/* The same for a program to be executed. 0 and *path, or a failure. */
int pmk_program_find(const char *name, char **path, struct pmk_count_fault *f);

/* All zero but `fault` at the beginning. Functions return 0 or a failure, which is in *fault. */
struct pmk_program {
	struct pmk_count_fault *fault;
	struct pmk_core core;
	struct pmk_elf elf;
	char *image;	       /* the ELF file that symbols are looked up in, or NULL */
	struct pmk_qemu qemu;  /* the emulator */
	struct pmk_words argv; /* its words; "@plugin@" where its argument goes */
	struct pmk_words envp;
	struct pmk_words passed; /* of it: what --env let through, NAME=VALUE */
	unsigned nargs;		 /* words of the program, its name included */
	bool system;
};

/* The preset in the data directory that is meant by a PMU: of its name, or else the first that has
 * it, in memory that the caller frees. *found NULL: there is none. */
int pmk_program_core_with(struct pmk_program *p, const char *data, const char *pmu, char **found);
/* Can a core with its instruction set have the PMU that its preset says? 0 or PMK_EINVAL, and `msg`
 * says which it can have. */
int pmk_program_check_pmu(const struct pmk_core *core, char *msg, size_t size);
/* The emulator's name, without its folder. */
const char *pmk_program_emulator(const struct pmk_program *p);
/* The preset `name`, or for NULL the one for the machine of the program, or else of the emulator,
 * with overrides "key=value". `pmu`, which may be NULL: if it is that of a level 2 cache, an ARM
 * core has that cache unless overrides say otherwise. */
int pmk_program_core(struct pmk_program *p, const char *data, const char *name, const char *pmu,
		     const struct pmk_words *overrides);

/* Find the program, read its ELF header: p->elf and p->image are set. */
int pmk_program_open(struct pmk_program *p, const char *program);

/* The command line for user emulation of `argv`; sysroot NULL: the usual place. */
int pmk_program_user(struct pmk_program *p, char *const *argv, const char *sysroot);
/* The command line the user gave with --qemu; splits it, adds the plugin, looks at the firmware: it
 * can be loaded, and the emulator is that of its machine. */
int pmk_program_system(struct pmk_program *p, const char *command, char *const *more);
/* The fixed environment plus --env NAME or NAME=VALUE. */
int pmk_program_env(struct pmk_program *p, const struct pmk_words *pass);

/* Bytes that the program's stack has to be larger by where the emulator gives it a vDSO (see
 * stack.h). */
unsigned pmk_program_more_stack(const struct pmk_program *p);

void pmk_program_free(struct pmk_program *p);

#endif
