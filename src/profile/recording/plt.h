/* SPDX-License-Identifier: MIT */
/*
 * Stubs in procedure linkage tables. A linker makes one for each function that the file calls and
 * does not know the address of: it jumps through a slot, which the loader fills. No symbol names a
 * stub; the relocation of its slot does.
 */
#ifndef PMK_RECORDING_PLT_H
#define PMK_RECORDING_PLT_H

#include <stddef.h>
#include <stdint.h>

#include <libelf.h>

struct pmk_plt_stub {
	uint64_t address, size; /* in the file */
	const char *function;	/* the symbol's name, which belongs to `elf`, or NULL */
	uint64_t resolver;	/* without a name: the code that chooses the function */
};

/* Read the stubs of ARM, AArch64 and MicroBlaze files. *stub is freed by the caller. Returns 0 or
 * PMK_ENOMEM; there are no stubs in a file that cannot be read. */
int pmk_plt_read(Elf *elf, struct pmk_plt_stub **stub, size_t *n);

#endif
