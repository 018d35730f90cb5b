/* SPDX-License-Identifier: MIT */
/* What pmk stat runs: the core, and the emulator's command line and environment. */
#ifndef PMK_CLI_EMULATE_H
#define PMK_CLI_EMULATE_H

#include <stdbool.h>

#include "cli/cli.h"
#include "cpu/config.h"
#include "producer/qemu/find.h"
#include "producer/qemu/runner.h"
#include "profile/elf.h"

/* Like the shell: where the program is, in memory that the caller frees; NULL: nowhere. */
char *program_path(const char *name);
/* The same for a program to be executed. 0 and *path; or 126 / 127 after one line on stderr. */
int program_find(const char *name, char **path);

struct emulation {
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

/* The preset that is meant by a PMU: of its name, or else the first that has it. Memory that the caller
 * frees; NULL: there is none. */
char *emulation_core_with(const char *pmu);
/* The emulator's name, without its folder. */
const char *emulation_name(const struct emulation *emu);
/* The preset `name`, or for NULL the one for the machine of the program, or else of the emulator, with overrides
 * "key=value". `pmu`, which may be NULL: if it is that of a level 2 cache, an ARM core has that cache unless
 * overrides say otherwise. 0 or an exit code after one line on stderr. */
int emulation_core(struct emulation *emu, const char *name, const char *pmu,
		   const struct pmk_words *overrides);

/*
 * Find the program, read its ELF header. 0, or 126 / 127 / 129 / 125 after one line on stderr.
 * emu->elf and emu->image are set.
 */
int emulation_program(struct emulation *emu, const char *program);

/* The command line for user emulation of `argv`; sysroot NULL: the usual place. */
int emulation_user(struct emulation *emu, char **argv, const char *sysroot);
/* The command line the user gave with --qemu; splits it, adds the plugin, looks at the firmware: it can be
 * loaded, and the emulator is that of its machine. */
int emulation_system(struct emulation *emu, const char *command, char **more);
/* The fixed environment plus --env NAME or NAME=VALUE. */
int emulation_env(struct emulation *emu, const struct pmk_words *pass);

/* Bytes that the program's stack has to be larger by where the emulator gives it a vDSO (see stack.h). */
unsigned emulation_more_stack(const struct emulation *emu);

void emulation_free(struct emulation *emu);

#endif
