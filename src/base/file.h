/* SPDX-License-Identifier: MIT */
/* Files that people write in an editor. */
#ifndef PMK_BASE_FILE_H
#define PMK_BASE_FILE_H

#include <stdbool.h>
#include <stdio.h>

/* Open one for reading; NULL: *why says why not, in memory that is not freed. Devices are not
 * opened: what one of them says may never end. Nor is a pipe, which nobody may ever write to and
 * which can be read once, unless `pipes`: then opening waits for who writes. */
FILE *pmk_file_open(const char *path, bool pipes, const char **why);

#endif
