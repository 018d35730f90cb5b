/* SPDX-License-Identifier: MIT */
/* Opens the samples in dumps of firmware as a recording that annotate, export and report can
 * show. */
#ifndef PMK_CLI_DUMP_RECORDING_H
#define PMK_CLI_DUMP_RECORDING_H

#include "profile/recording/tables.h"

/*
 * Open a recording, a file of perf, or, with the executable of the firmware, a capture with dumps.
 * `elf` is NULL for the first two. Returns 0, or an exit code after one line on stderr. Close `t`
 * in either case.
 */
int dump_tables_open(struct pmk_tables *t, const char *path, const char *elf);

#endif
