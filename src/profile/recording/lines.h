/* SPDX-License-Identifier: MIT */
/* All lines and functions that an ELF file has code of, executed or not, by its debug
 * information. */
#ifndef PMK_RECORDING_LINES_H
#define PMK_RECORDING_LINES_H

#include <stddef.h>
#include <stdint.h>

#include "profile/recording/debug.h"

/* Where code of a line begins. */
struct pmk_lines_line {
	const char *file;
	uint32_t line;
	uint64_t address; /* in the ELF file */
};

struct pmk_lines_function {
	const char *symbol, *file; /* symbol: as the linker has it */
	uint32_t line;
	uint64_t address; /* in the ELF file */
};

struct pmk_lines {
	struct pmk_lines_line *line; /* a line may be there several times */
	struct pmk_lines_function *function;
	size_t nlines, nfunctions, line_room, function_room;
	struct pmk_debug debug; /* which the strings belong to */
};

/*
 * Read the file at `path`. build_id: of the file that is meant, hexadecimal; NULL: not known.
 * Returns 0 or PMK_ENOMEM; *why is NULL, or says why nothing was read. A file without debug
 * information has no lines, and that is no reason. To be freed in any case.
 */
int pmk_lines_load(struct pmk_lines *l, const char *path, const char *build_id, const char **why);
void pmk_lines_free(struct pmk_lines *l);

#endif
