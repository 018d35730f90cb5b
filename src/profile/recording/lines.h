/* SPDX-License-Identifier: MIT */
/* Reads from debug information all lines and functions for which an ELF file has code, whether it
 * was executed or not. */
#ifndef PMK_RECORDING_LINES_H
#define PMK_RECORDING_LINES_H

#include <stddef.h>
#include <stdint.h>

#include "profile/recording/debug.h"

/* The start of the code of a line. */
struct pmk_lines_line {
	const char *file;
	uint32_t line;
	uint64_t address; /* in the ELF file */
};

struct pmk_lines_function {
	const char *symbol, *file; /* `symbol` is the linker's name */
	uint32_t line;
	uint64_t address; /* in the ELF file */
};

struct pmk_lines {
	struct pmk_lines_line *line; /* sorted; a line may occur several times */
	struct pmk_lines_function *function;
	size_t nlines, nfunctions, line_room, function_room;
	struct pmk_debug debug; /* owns the strings */
};

/*
 * Read the file at `path`. `build_id` is the build id of the expected file, in hexadecimal; NULL:
 * not known. Returns 0 or PMK_ENOMEM. *why becomes NULL, or the reason why nothing was read. A file
 * without debug information has no lines, which is not an error. Free *l in either case.
 */
int pmk_lines_load(struct pmk_lines *l, const char *path, const char *build_id, const char **why);
void pmk_lines_free(struct pmk_lines *l);

#endif
