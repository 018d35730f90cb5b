/* SPDX-License-Identifier: MIT */
/* Files that people write in an editor. */
#ifndef PMK_BASE_FILE_H
#define PMK_BASE_FILE_H

#include <stdbool.h>
#include <stdio.h>

/* Open one for reading. NULL: *why says why not, in memory that is not freed. A device is refused,
 * because its text may never end. A pipe is refused, because it can be read only once and perhaps
 * nobody ever writes to it, unless `pipes` is set: then opening waits for a writer. */
FILE *pmk_file_open(const char *path, bool pipes, const char **why);

#endif
