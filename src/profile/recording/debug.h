/* SPDX-License-Identifier: MIT */
/* An ELF file with its debug information, which may be in a separate file that libdwfl finds by
 * build id or link. */
#ifndef PMK_RECORDING_DEBUG_H
#define PMK_RECORDING_DEBUG_H

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <stddef.h>

struct pmk_debug {
	Dwfl *dwfl;
	Dwfl_Module *module;
	/* For the unit that is being read: the folder in which it was compiled, or NULL, and its
	 * file names. */
	const char *folder;
	struct pmk_debug_file *file;
	size_t nfiles;
};

/* Open the file at `path`. Returns NULL, or the reason why it cannot be read. Close `d` in either
 * case. */
const char *pmk_debug_open(struct pmk_debug *d, const char *path);
void pmk_debug_close(struct pmk_debug *d);

#define PMK_DEBUG_BUILD_ID 129 /* size of the longest build id as text */
/* Start reading a unit. */
void pmk_debug_enter(struct pmk_debug *d, Dwarf_Die *unit);
/* Returns the absolute path of a source file, from its name in the unit. If the compiler was given
 * a relative name or folder, the path begins with the folder in which the compiler ran. Returns
 * NULL if `name` is NULL. The string is valid until `d` is closed; `name` must be valid as long. */
const char *pmk_debug_file(struct pmk_debug *d, const char *name);

/* Write the build id in hexadecimal; "" if the file has none. */
void pmk_debug_build_id(const struct pmk_debug *d, char hex[PMK_DEBUG_BUILD_ID]);

#endif
