/* SPDX-License-Identifier: MIT */
/*
 * INI files, with the line of whatever is wrong: [section], name = value, '#' at the beginning of a line
 * and " ;" anywhere begin a comment. An indented line is a line of its own. At most 198 characters each.
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

#define PMK_INI_LINE 198 /* characters of a line */

struct pmk_ini {
	unsigned line; /* of what is being taken; in the end, the last one */
	/* Ours. */
	FILE *file;
	const char *shorter;
	unsigned error_line; /* 0: none */
	char why[400];
};

/* False stops: it has called pmk_ini_fail(). At the end it is called with all NULL, for what is missing. */
typedef bool pmk_ini_take(void *ctx, struct pmk_ini *ini, const char *section, const char *name,
			  const char *value);

/* What is wrong, and in which line; the first call counts. False, for the caller to return. */
__attribute__((format(printf, 3, 4))) bool pmk_ini_fail(struct pmk_ini *ini, unsigned line,
							const char *format, ...);

/*
 * 0; PMK_EIO: it cannot be read; PMK_EPARSE, PMK_ENOMEM. In `msg` one line: "FILE:LINE: why", or "FILE: why".
 * `shorter`: what shortens lines, for whoever wrote one that is too long; NULL: nothing to say.
 */
int pmk_ini_load(const char *path, const char *shorter, pmk_ini_take *take, void *ctx, char *msg,
		 size_t size);

#endif
