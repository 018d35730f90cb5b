/* SPDX-License-Identifier: MIT */
/* What the commands that run a program share. */
#ifndef PMK_CLI_COUNTING_H
#define PMK_CLI_COUNTING_H

#include <stdbool.h>
#include <stdint.h>

#include "count/command.h"

struct cli_command;

/* pmk stat, and pmk run: take the options of `cmd`, count, and print. Returns an exit code. */
int cli_count(const struct cli_command *cmd, int argc, char **argv);

/* End the run at signals that would end pmk, so that what was counted is written. Once in a
 * process. */
void cli_catch_signals(struct pmk_count *c);

/* A line on stderr that tells how far an emulated program is. It is there only if stderr is a
 * terminal, and from the second on. To be initialised to zero. */
struct cli_running {
	double began;	/* when the program was first looked at, in seconds; 0: not yet */
	double last;	/* when it was last */
	uint64_t insns; /* so far, then */
	unsigned width; /* of the line that is there; 0: none is */
};

/* Is it worth while to look at the program? */
bool cli_running_shown(void);
/* Show how far the program is by now; the speed is that since the last call. */
void cli_running_show(struct cli_running *p, double seconds, uint64_t insns);
/* Erase the line. To be called before anything is written to the terminal. */
void cli_running_end(struct cli_running *p);

/* The counts could not be written where they should be: write them to stderr. */
void cli_rescue(struct pmk_count *c, bool big_num);

#endif
