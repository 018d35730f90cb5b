/* SPDX-License-Identifier: MIT */
/* Functions that the commands for running a program share. */
#ifndef PMK_CLI_COUNTING_H
#define PMK_CLI_COUNTING_H

#include <stdbool.h>
#include <stdint.h>

#include "count/command.h"

/* Print the failure of the library in one line on stderr; NULL: out of memory. Returns its code. */
int cli_count_failed(struct pmk_count *c);

/* End the run at signals that would end pmk, so that the counts are written. */
void cli_catch_signals(struct pmk_count *c);
/* Forget the run. Call this before its handle is freed, if the process continues. */
void cli_release_signals(void);

/* A progress line on stderr for an emulated program. The line appears only if stderr is a
 * terminal, and only after the first second. Initialise the struct to zero. */
struct cli_running {
	double began;	/* time of the first call, or when reading began; 0: none yet */
	double last;	/* time of the last update */
	uint64_t insns; /* number of instructions at that time */
	unsigned width; /* width of the displayed line; 0: none */
};

/* Returns the last signal since the previous call of cli_forget_signal(); 0 if there was none. */
int cli_last_signal(void);
void cli_forget_signal(void);

/* Show the progress of reading a dump, if stderr is a terminal. */
void cli_reading_show(struct cli_running *p, const char *path, uint64_t bytes, uint64_t size);
/* Show the progress of writing the results. */
void cli_writing_show(struct cli_running *p, size_t done, size_t all);

/* True if the progress line can be shown. */
bool cli_running_shown(void);
/* Show the progress. The speed is the average since the last call. */
void cli_running_show(struct cli_running *p, double seconds, uint64_t insns);
/* Erase the line. Call this before anything else is written to the terminal. */
void cli_running_end(struct cli_running *p);

/* Write the counts to stderr, because they could not be written to their destination. */
void cli_rescue(struct pmk_count *c, bool big_num);

#endif
