/* SPDX-License-Identifier: MIT */
/* Declarations that the commands for waveform dumps share. */
#ifndef PMK_CLI_WAVE_H
#define PMK_CLI_WAVE_H

#include <time.h>

#include <pmk/wave.h>

/* A progress line for reading a dump, if stderr is a terminal. */
struct cli_wave_progress {
	const char *path;
	struct timespec began;
	unsigned width;		   /* width of the displayed line */
	volatile int *interrupted; /* a nonzero value stops reading; may be NULL */
};

void cli_wave_progress_begin(struct cli_wave_progress *p, const char *path);
/* For struct pmk_wave_sink and struct pmk_wave_count; `p` is the ctx. */
int cli_wave_progress_show(struct cli_wave_progress *p, const struct pmk_wave_progress *now);
/* Erase the line. Call it before anything else is printed. */
void cli_wave_progress_end(struct cli_wave_progress *p);

#endif
