// SPDX-License-Identifier: MIT
/* Reads INI files with line numbers. See ini.h. The grammar is that of inih. */
#include "base/ini.h"

#include <errno.h>
#include <ini.h>
#include <stdarg.h>
#include <string.h>

#include <pmk/error.h>

#include "base/file.h"
#include "base/message.h"

_Static_assert(PMK_INI_LINE == INI_MAX_LINE - 2, "its buffer also has a newline and a 0");

#define INIH_SECTION 49 /* inih cuts off longer names of sections */

struct reading {
	struct pmk_ini ini;
	pmk_ini_take *take;
	void *ctx;
};

bool pmk_ini_fail(struct pmk_ini *ini, unsigned line, const char *format, ...)
{
	va_list args;

	if (ini->error_line)
		return false;
	ini->error_line = line ? line : 1;
	va_start(args, format);
	vsnprintf(ini->why, sizeof(ini->why), format, args);
	va_end(args);
	return false;
}

bool pmk_ini_no_memory(struct pmk_ini *ini)
{
	return pmk_ini_fail(ini, ini->line, "%s", pmk_strerror(PMK_ENOMEM));
}

/*
 * Reads one line without its indentation into `str`, as fgets() does. inih calls this function as
 * its ini_reader. A line that does not fit is an error.
 */
static char *next_line(char *str, int num, void *stream)
{
	struct pmk_ini *ini = stream;
	size_t n, indent;
	int c;

	if (!fgets(str, num, ini->file))
		return NULL;
	ini->line++;
	n = strlen(str);
	if (n + 1 == (size_t)num && str[n - 1] != '\n') {
		c = getc(ini->file);
		if (c != EOF && c != '\n')
			pmk_ini_fail(ini, ini->line,
				     "the line is too long: %d characters at most%s%s", num - 2,
				     ini->shorter ? "; " : "", ini->shorter ? ini->shorter : "");
		while (c != EOF && c != '\n')
			c = getc(ini->file);
	}
	indent = strspn(str, " \t");
	memmove(str, str + indent, n - indent + 1);
	if (*str == '[')
		snprintf(ini->section, sizeof(ini->section), "%.*s", (int)strcspn(str + 1, "]\n"),
			 str + 1);
	return str;
}

/* Handles an entry for inih. Returns 1 to continue, 0 to report an error. */
static int handle_entry(void *user, const char *section, const char *name, const char *value)
{
	struct reading *r = user;

	if (r->ini.error_line)
		return 0;
	if (!*section)
		return pmk_ini_fail(&r->ini, r->ini.line, "a [section] must come first");
	if (strlen(section) == INIH_SECTION)
		section = r->ini.section;
	return r->take(r->ctx, &r->ini, section, name, value);
}

static int read_all(struct reading *r, const char *path, char *msg, size_t size)
{
	int line = ini_parse_stream(next_line, &r->ini, handle_entry, r);

	if (ferror(r->ini.file))
		return pmk_message_fail(msg, size, PMK_EIO, "%s: %s", path, strerror(errno));
	if (line < 0)
		return pmk_message_no_memory(msg, size, path);
	/*
	 * inih reports the number of the first line that is neither a section, a comment nor name =
	 * value, or for which handle_entry() returned 0. In the second case pmk_ini_fail() has
	 * recorded the line.
	 */
	if (line > 0 && (!r->ini.error_line || (unsigned)line < r->ini.error_line))
		return pmk_message_fail(msg, size, PMK_EPARSE,
					"%s:%d: this line is neither [section] nor name = value",
					path, line);
	if (!r->ini.error_line)
		r->take(r->ctx, &r->ini, NULL, NULL, NULL);
	if (!r->ini.error_line)
		return PMK_OK;
	return pmk_message_fail(msg, size, PMK_EPARSE, "%s:%u: %s", path, r->ini.error_line,
				r->ini.why);
}

int pmk_ini_load(const char *path, const char *shorter, pmk_ini_take *take, void *ctx, char *msg,
		 size_t size)
{
	struct reading r = { .ini.shorter = shorter, .take = take, .ctx = ctx };
	const char *why;
	int err;

	r.ini.file = pmk_file_open(path, true, &why);
	if (!r.ini.file)
		return pmk_message_fail(msg, size, PMK_EIO, "%s: %s", path, why);
	err = read_all(&r, path, msg, size);
	fclose(r.ini.file);
	return err;
}
