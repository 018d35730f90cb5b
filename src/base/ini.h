/* SPDX-License-Identifier: MIT */
/*
 * Reads INI files, and names the line of an error. A file has lines "[section]" and "name = value".
 * '#' at the beginning of a line and " ;" anywhere begin a comment. An indented line does not
 * continue the previous one. A line has at most 198 characters.
 *
 *	static bool take(void *ctx, struct pmk_ini *ini, const char *section, const char *name,
 *			 const char *value)
 *	{
 *		…
 *		return pmk_ini_fail(ini, ini->line, "there is no '%.40s'", name);
 *	}
 *
 *	err = pmk_ini_load(path, NULL, take, ctx, msg, sizeof(msg));
 */
#ifndef PMK_BASE_INI_H
#define PMK_BASE_INI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define PMK_INI_LINE 198 /* the most characters of a line */

struct pmk_ini {
	/* The line of the current entry. After the last entry, it is the line of that entry. */
	unsigned line;
	/* The members below are private to ini.c. */
	FILE *file;
	const char *shorter;
	unsigned error_line; /* 0 if there was no error */
	char section[PMK_INI_LINE + 1];
	char why[400];
};

/*
 * A function that handles one entry. To stop, it calls pmk_ini_fail() and returns false. After the
 * last entry it is called once more, with NULL for all texts, so that it can report what is
 * missing.
 */
typedef bool pmk_ini_take(void *ctx, struct pmk_ini *ini, const char *section, const char *name,
			  const char *value);

/*
 * Reports an error and its line. Only the first report is kept. Returns false, so that the caller
 * can return this value.
 */
__attribute__((format(printf, 3, 4))) bool pmk_ini_fail(struct pmk_ini *ini, unsigned line,
							const char *format, ...);
/* Reports in the current line that memory could not be allocated. */
bool pmk_ini_no_memory(struct pmk_ini *ini);

/*
 * Reads a file, or a pipe. Returns 0, PMK_EIO (it cannot be read), PMK_EPARSE or PMK_ENOMEM. On an
 * error, `msg` has one line: "FILE:LINE: why", or "FILE: why". `shorter` tells users what they can
 * write instead of a line that is too long, or is NULL.
 */
int pmk_ini_load(const char *path, const char *shorter, pmk_ini_take *take, void *ctx, char *msg,
		 size_t size);

#endif
