/* SPDX-License-Identifier: MIT */
/* An ELF file with its debug information, which may be in a file of its own: libdwfl finds that by
 * build id or link. */
#ifndef PMK_RECORDING_DEBUG_H
#define PMK_RECORDING_DEBUG_H

#include <stddef.h>

#include "profile/recording/libdw.h"

struct pmk_debug {
	Dwfl *dwfl;
	Dwfl_Module *module;
	/* Of the unit that is read: where it was compiled, or NULL; and names of files there. */
	const char *folder;
	struct pmk_debug_file *file;
	size_t nfiles;
};

/* Open the file at `path`. Returns NULL, or why it cannot be read. To be closed in any case. */
const char *pmk_debug_open(struct pmk_debug *d, const char *path);
void pmk_debug_close(struct pmk_debug *d);

#define PMK_DEBUG_BUILD_ID 129 /* characters with the end, of the longest */
/* A unit is read from now on. */
void pmk_debug_enter(struct pmk_debug *d, Dwarf_Die *unit);
/* A name of a source file, as the unit has it, from the root on: where the compiler was given a
 * relative name or folder, that begins where it was called. NULL of NULL. The string lasts until
 * `d` is closed; `name` has to last as long. */
const char *pmk_debug_file(struct pmk_debug *d, const char *name);

/* The build id, hexadecimal; "": the file has none. */
void pmk_debug_build_id(const struct pmk_debug *d, char hex[PMK_DEBUG_BUILD_ID]);

#endif
