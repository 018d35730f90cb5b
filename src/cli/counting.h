/* SPDX-License-Identifier: MIT */
/* What the commands that run a program share. */
#ifndef PMK_CLI_COUNTING_H
#define PMK_CLI_COUNTING_H

#include "count/command.h"

/* End the run at signals that would end pmk, so that what was counted is written. Once in a
 * process. */
void cli_catch_signals(struct pmk_count *c);

/* The counts could not be written where they should be: write them to stderr. */
void cli_rescue(struct pmk_count *c, bool big_num);

#endif
