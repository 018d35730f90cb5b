/* SPDX-License-Identifier: MIT */
/* Shared by the commands that read waveform dumps. */
#ifndef PMK_CLI_WAVE_H
#define PMK_CLI_WAVE_H

#include <time.h>

#include <pmk/wave.h>

/* A line that says how far a dump has been read, if stderr is a terminal. */
struct cli_wave_progress {
	const char *path;
	struct timespec began;
	unsigned width;		   /* of the line that is on the terminal now */
	volatile int *interrupted; /* nonzero stops; may be NULL */
};

void cli_wave_progress_begin(struct cli_wave_progress *p, const char *path);
/* For struct pmk_wave_sink and struct pmk_wave_count; `p` is the ctx. */
int cli_wave_progress_show(struct cli_wave_progress *p, const struct pmk_wave_progress *now);
/* Remove the line. To be called before anything else is printed. */
void cli_wave_progress_end(struct cli_wave_progress *p);

#endif
