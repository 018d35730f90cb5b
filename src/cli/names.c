// SPDX-License-Identifier: MIT
#include "cli/names.h"

#include <stdlib.h>
#include <string.h>

#include "base/printable.h"

#define DOTS 3

/* The number of bytes of the longest beginning of a printable text that fits. */
static size_t bytes_that_fit(const char *text, size_t columns)
{
	size_t bytes = 0, left = strlen(text);

	for (; left && columns; columns--) {
		size_t n = pmk_printable_length((const uint8_t *)text + bytes, left);

		n = n ? n : 1;
		bytes += n;
		left -= n;
	}
	return bytes;
}

char *name_cut(const char *name, size_t columns)
{
	char *text = pmk_printable(name);
	size_t all, head, tail;

	if (!text)
		return NULL;
	all = pmk_printable_columns(text, strlen(text));
	if (all <= columns || columns < DOTS + 2)
		return text;
	head = bytes_that_fit(text, (columns - DOTS + 1) / 2);
	tail = bytes_that_fit(text, all - (columns - DOTS) / 2);
	memcpy(text + head, "...", DOTS);
	memmove(text + head + DOTS, text + tail, strlen(text + tail) + 1);
	return text;
}

/* The number of backquotes that delimit code: one more than the longest row of them inside. */
static int backquotes(const char *text)
{
	size_t most = 0;

	for (; *text; text++) {
		size_t n = strspn(text, "`");

		most = n > most ? n : most;
		text += n ? n - 1 : 0;
	}
	return (int)most + 1;
}

int name_write_markdown(FILE *f, const char *name, size_t columns)
{
	char *text = name_cut(name, columns);
	int n;

	if (!text)
		return -1;
	n = backquotes(text);
	for (int i = 0; i < n; i++)
		fputc('`', f);
	/* The blanks are not part of the code. */
	fputs(n > 1 ? " " : "", f);
	for (const char *c = text; *c; c++)
		fprintf(f, *c == '|' ? "\\%c" : "%c", *c);
	fputs(n > 1 ? " " : "", f);
	for (int i = 0; i < n; i++)
		fputc('`', f);
	free(text);
	return 0;
}
