// SPDX-License-Identifier: MIT
/* See file.h. */
#include "base/file.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

FILE *pmk_file_open(const char *path, bool pipes, const char **why)
{
	struct stat st;
	FILE *f;

	/* Look before opening, because opening a pipe waits for its other end. */
	if (!stat(path, &st) && !S_ISREG(st.st_mode) && !(pipes && S_ISFIFO(st.st_mode))) {
		*why = S_ISDIR(st.st_mode) ? strerror(EISDIR) : "not a regular file";
		return NULL;
	}
	f = fopen(path, "re");
	if (!f)
		*why = strerror(errno);
	return f;
}
