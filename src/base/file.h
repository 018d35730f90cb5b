/* SPDX-License-Identifier: MIT */
/* Files that people write in an editor, and files that are written as a whole. */
#ifndef PMK_BASE_FILE_H
#define PMK_BASE_FILE_H

#include <stdbool.h>
#include <stdio.h>

/* Open one for reading. NULL: *why says why not, in memory that is not freed. A device is refused,
 * because its text may never end. A pipe is refused, because it can be read only once and perhaps
 * nobody ever writes to it, unless `pipes` is set: then opening waits for a writer. */
FILE *pmk_file_open(const char *path, bool pipes, const char **why);

/* The place of the file that `path` leads to: through all links, the last of which may point at a
 * file that does not exist yet. The caller frees it; NULL: see errno. */
char *pmk_file_place(const char *path);
/* Make an empty file beside `path`, with the same permissions. Returns its name, which the caller
 * frees; NULL: see errno. */
char *pmk_file_beside(const char *path);
/* Move the complete file to its place, so that it is there after a power failure, too. False: see
 * errno. */
bool pmk_file_put(const char *from, const char *to);

/*
 * A file that is either whole or what it was: it is made without a name and gets one at the end, so
 * that a process that is killed leaves nothing behind; where the file system has no such files it
 * is made beside its place and moved there. A link stays, and what it points at is replaced.
 * Directly written are pipes, devices, descriptors (/dev/stdout), and files in folders that take no
 * others.
 */
struct pmk_whole {
	FILE *f;
	bool nameless;
	char *to;     /* its place; NULL: it is written directly */
	char *beside; /* its name until it is complete; NULL: it has none */
};

/* False: see errno. */
bool pmk_whole_open(struct pmk_whole *w, const char *path);
/* `keep`: false when not all of it could be written. False: it is not in its place; see errno. */
bool pmk_whole_close(struct pmk_whole *w, bool keep);

#endif
