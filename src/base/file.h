/* SPDX-License-Identifier: MIT */
/* Reads files that people write in an editor, and writes files completely or not at all. */
#ifndef PMK_BASE_FILE_H
#define PMK_BASE_FILE_H

#include <stdbool.h>
#include <stdio.h>

/*
 * Opens a file for reading. If it returns NULL, *why has the reason, which must not be freed. The
 * function refuses devices, because their text may never end. It also refuses pipes, because they
 * can be read only once and may have no writer. If `pipes` is set, it accepts a pipe and waits for
 * its writer.
 */
FILE *pmk_file_open(const char *path, bool pipes, const char **why);

/* Returns the last part of a path: "c.c" for "/a/b/c.c". If the path ends with a slash, returns the
 * whole path. */
const char *pmk_file_name(const char *path);

/* Follows symbolic links from `path`, and returns the path of the file at their end, which need not
 * exist. The caller frees the path. Returns NULL with errno set on failure. */
char *pmk_file_target(const char *path);
/*
 * Creates an empty file in the folder of `path`, with the permissions of the file at `path`.
 * Returns the new file's name, which the caller frees, or NULL with errno set.
 */
char *pmk_file_temporary(const char *path);
/*
 * Gives a complete file its final name, in such a way that the file survives a power failure.
 * Returns false with errno set on failure.
 */
bool pmk_file_put(const char *from, const char *to);

/*
 * A file that gets its new contents completely or not at all. It is created without a name
 * (O_TMPFILE) and gets its name at the end, so a killed process leaves no file. If the file system
 * does not support this, the file is created under a temporary name and then renamed. If the path
 * is a link, the target is replaced and the link remains. Pipes, devices, descriptors
 * (/dev/stdout), and files in folders without write permission are written directly.
 */
struct pmk_whole {
	FILE *f;
	bool nameless;
	char *to;	 /* the file's final name; NULL if the file is written directly */
	char *temporary; /* the file's temporary name; NULL if it has none */
};

/* Opens the file for writing. Returns false with errno set on failure. */
bool pmk_whole_open(struct pmk_whole *w, const char *path);
/*
 * Closes the file. `keep` is false if not everything could be written. Returns false with errno set
 * if the file did not get its name.
 */
bool pmk_whole_close(struct pmk_whole *w, bool keep);

#endif
