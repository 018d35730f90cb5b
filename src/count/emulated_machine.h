/* SPDX-License-Identifier: MIT */
/* The machines that pmk emulates: which of QEMU's emulators and which core run an ELF file. */
#ifndef PMK_COUNT_EMULATED_MACHINE_H
#define PMK_COUNT_EMULATED_MACHINE_H

#include <stdbool.h>

#include "profile/elf.h"

/*
 * An ELF machine and an instruction set. Machines with several instruction sets have several rows.
 * ARM has a row for each kind of core.
 */
struct pmk_emulated_machine {
	enum pmk_elf_machine elf;
	bool is64, big_endian;
	const char *isa;
	const char *core;    /* the preset that is chosen by default */
	const char *qemu;    /* the emulator for programs */
	const char *system;  /* the emulator for firmware */
	const char *sysroot; /* where Debian's cross compilers put the libraries */
};

/* True if the file is for a Cortex-M. */
bool pmk_elf_is_microcontroller(const struct pmk_elf *elf);

/*
 * Returns the row for the file: the row of the core that the file names, or else the first whose
 * core can run it. NULL: pmk does not emulate the machine, or does not support the file's byte
 * order or word size.
 */
const struct pmk_emulated_machine *pmk_emulated_machine_of(const struct pmk_elf *elf);
/* Returns the first row with this instruction set. */
const struct pmk_emulated_machine *pmk_emulated_machine_by_isa(const char *isa);
/* Returns the first row with this emulator; NULL: there is none. */
const struct pmk_emulated_machine *pmk_emulated_machine_by_emulator(const char *name);

/* True if cores with this instruction set can run the file. */
bool pmk_emulated_machine_runs(const char *isa, const struct pmk_elf *elf);
/* True if pmk has a model of the core. */
bool pmk_emulated_machine_exists(const char *core);
/*
 * Returns a core that can run the file, and whose architecture is later than that of the cores with
 * this instruction set. NULL: there is none.
 */
const char *pmk_emulated_machine_later_core(const struct pmk_elf *elf, const char *isa);

#endif
