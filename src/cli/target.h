/* SPDX-License-Identifier: MIT */
/* Ways to count: what -T of pmk stat names and pmk list targets shows. */
#ifndef PMK_CLI_TARGET_H
#define PMK_CLI_TARGET_H

#include <stdbool.h>

struct job; /* stat.h */

struct stat_target {
	const char *name, *brief;
	bool file; /* -T NAME:FILE */
	const char *const *options; /* those that no other target knows; NULL terminated */
	/* Settle what is counted. Like run(): 0, or an exit code after one line on stderr. */
	int (*choose)(struct job *job);
	int (*run)(struct job *job);
	/* Afterwards: fill what a result says of the run as a whole … */
	void (*describe)(struct job *job);
	/* … and write the sections that have not been written; 0 or a negative enum pmk_error. */
	int (*write)(struct job *job);
};

extern const struct stat_target stat_emu, stat_linux, stat_wave;
extern const struct stat_target *const stat_targets[]; /* NULL terminated */

/* Is it a program of this very machine, or a script? Then it is counted by stat_linux. */
bool stat_linux_runs(const char *program);

#endif
