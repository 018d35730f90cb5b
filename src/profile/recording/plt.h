/* SPDX-License-Identifier: MIT */
/*
 * Finds the stubs in procedure linkage tables. A linker creates a stub for each function that the
 * file calls and whose address the linker does not know. The stub jumps through a slot, which the
 * loader fills. No symbol names a stub, but the relocation of its slot does.
 */
#ifndef PMK_RECORDING_PLT_H
#define PMK_RECORDING_PLT_H

#include <stddef.h>
#include <stdint.h>

#include <libelf.h>

struct pmk_plt_stub {
	uint64_t address, size; /* in the file */
	const char *function;	/* the symbol's name, which `elf` owns, or NULL */
	uint64_t resolver;	/* for a stub without a name, the code that chooses the function */
};

/* Read the stubs of ARM, AArch64 and MicroBlaze files. The caller frees *stub. Returns 0 or
 * PMK_ENOMEM. An unreadable file has no stubs. */
int pmk_plt_read(Elf *elf, struct pmk_plt_stub **stub, size_t *n);

#endif
