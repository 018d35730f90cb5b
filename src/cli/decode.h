/* SPDX-License-Identifier: MIT */
/* pmk decode --log: explains a log of a program's accesses to its PMU. */
#ifndef PMK_CLI_DECODE_H
#define PMK_CLI_DECODE_H

#include <stdbool.h>

/* Print the log of `pmk run --log`, with functions of `elf` unless it is NULL; as JSON, one object
 * per line. Returns an exit code. */
int decode_log(const char *path, const char *elf, bool json);

#endif
