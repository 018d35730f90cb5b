/* SPDX-License-Identifier: MIT */
/* pmk decode --log: what a program did with its PMU, explained. */
#ifndef PMK_CLI_DECODE_H
#define PMK_CLI_DECODE_H

#include <stdbool.h>

/* Print the log of `pmk run --log`, with functions of `elf` unless that is NULL; as JSON, an object
 * for each line. Returns an exit code. */
int decode_log(const char *path, const char *elf, bool json);

#endif
