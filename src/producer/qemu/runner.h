/* SPDX-License-Identifier: MIT */
/*
 * Running a program in QEMU and reading what its cores counted: pmk's side of the arena.
 *
 *	runner_start → runner_step … until it says that the program is over → runner_finish
 *
 * The final reading is always taken here, from the shared memory, after the emulator is gone (or
 * while it runs, when the user does not want to wait any longer).
 */
#ifndef PMK_PRODUCER_QEMU_RUNNER_H
#define PMK_PRODUCER_QEMU_RUNNER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "producer/qemu/arena.h"
#include "producer/qemu/ledger.h"

/* What is recorded beside the counts. */
enum pmk_recorded_detail { PMK_RECORD_NOTHING, PMK_RECORD_SITES, PMK_RECORD_PATHS };

struct pmk_runner_config {
	struct pmk_emulated_config counters;
	enum pmk_recorded_detail record;
	uint64_t code_start; /* from the ELF file, to find out where the program was loaded */
	uint64_t entry;	     /* of the ELF file */
	bool pie;
	unsigned more_stack;  /* space that is needed by an emulator which gives programs a vDSO */
	const char *emulator; /* its path */
	struct pmk_guest_config guest; /* with counters.guest */
	const char *plugin;	       /* path of the module that fits the emulator */
	char *const *argv; /* the emulator's command line. The first words "@plugin@", "@stack@" and
                            * "@space@" are replaced by the plugin argument, the sizes of the
                            * program's stack and of its address space */
	char *const *envp; /* the emulator's environment */
	int streams[3];	   /* its standard input and output; -1: that of this process */
	/* With counters.shows_pins: who is told, of the first core of the first process. */
	struct pmk_pins_sink pins;
};

/* Counts of one core or of all together. */
struct pmk_runner_counts {
	struct pmk_reading total;
	struct pmk_reading region[PMK_MAX_REGIONS];
	uint64_t entries[PMK_MAX_REGIONS];
	uint64_t cycles, insns; /* of the whole run, whatever was asked for */
	uint64_t delayed;	/* of these cycles: before counting began */
	/* Instructions without times of their own in the model. With regions and short intervals, 1
	 * if the code has a noticeable part of them. */
	uint64_t untimed;
	bool wrapped[PMK_MAX_EVENTS];
	/* Sampling: how many of `insns` were not counted, and in how many units others were; and
	 * squares of margins, of the counts and of the cycles (producer/session/units.h). */
	uint64_t rest, units;
	double margin2[PMK_UNITS_NNUMBERS];
};

struct pmk_runner {
	struct pmk_arena *arena;
	struct pmk_ledger *ledger; /* NULL: nothing is recorded */
	unsigned slots;		   /* of the arena: processes that are counted at a time */
	/* The limit that leaves fewer than PMK_ARENA_SLOTS, by its name, and how many bytes it has
	 * to be for one; NULL: there is none. */
	const char *limit;
	uint64_t limit_needed;
	struct pmk_runner_config cfg;
	pid_t pid;
	int status; /* wait status once it is over */
	bool over;
	/* [PMK_ARENA_CPUS], each summed over all processes, followed by `tail` and `one`. It is
	 * mapped memory, so only the pages in use take space; regions take most of it. */
	struct pmk_runner_counts *core;
	/* counts since the end of the last interval; only in the total and the cycles */
	struct pmk_runner_counts *tail;
	/* Room for one core: its state, which is too big for a stack, and its counts. */
	struct pmk_emulated *copy;
	struct pmk_runner_counts *one;
	/* What every core is when it begins: others can write into the arena, not into this. */
	struct pmk_emulated *begun;
	struct pmk_emulated_ports begun_ports;
	uint64_t pins_taken;		   /* how many records of pins were taken */
	struct pmk_ahbmon_packets packets; /* at the end: what is still on its way to the pins */
	uint64_t taken[PMK_ARENA_SLOTS];   /* how many intervals or pieces were taken, by slot */
	struct pmk_units *units;	   /* [PMK_ARENA_SLOTS], or NULL: nothing is sampled */
	char unsound[96];		   /* what cannot be right in the arena, or "" */
	/* [slot][core]: cycles at the end of the last interval */
	uint64_t (*interval_at)[PMK_ARENA_CPUS];
	unsigned turn; /* of the processes, whose interval is looked for */
	unsigned processes, threads, ncores, execs;
	unsigned alive;			/* processes that had not ended at the final reading */
	bool unsure;			/* a fault was seen, and not where */
	struct pmk_signal_set doubtful; /* pmk_cpu.doubtful of any core */
	/* counts were read while the exception level was taken for another */
	bool level_unsure;
	bool calls_lost; /* calls were nested deeper than is remembered, so a region may end late */
	int error;	 /* first error of a core's driver */
	/* Last, because most of it is of regions, and is not touched without any. */
	struct pmk_runner_counts sum;
};

/* The first part of starting: there is an arena, and no emulator. The caller closes *arena_fd. */
int pmk_runner_open(struct pmk_runner *r, const struct pmk_runner_config *cfg, int *arena_fd);

/* Returns 0; PMK_EIO or PMK_ENOMEM with errno set; PMK_ERANGE when a limit leaves no room for one
 * process; PMK_ENOTSUP when the emulator itself could
 * not be executed. */
int pmk_runner_start(struct pmk_runner *r, const struct pmk_runner_config *cfg);

/* Wait up to `ms` for the program's end, and deal with processes that have ended. True when the
 * program is over. */
bool pmk_runner_step(struct pmk_runner *r, int ms);

/* The next finished interval; false when there is none. */
bool pmk_runner_interval(struct pmk_runner *r, struct pmk_arena_interval *out);

/* How far the program is, about: cycles of the core that is furthest, and instructions of all. */
void pmk_runner_look(const struct pmk_runner *r, uint64_t *cycles, uint64_t *insns);

/* Read everything that has not been read yet. After that the runner's sums are complete. */
void pmk_runner_finish(struct pmk_runner *r);

/* What of the arena cannot be right, as in "the plan of process 1, thread 0", because the program
 * has written into it; NULL: nothing. Then counts must not be used. */
const char *pmk_runner_unsound(struct pmk_runner *r);

/* Is anything of the program not counted? Is a count possibly off by a little? Known so far. */
bool pmk_runner_lacks(const struct pmk_runner *r);
bool pmk_runner_unsure(const struct pmk_runner *r);
/* True if a process has had several threads so far. */
bool pmk_runner_threaded(const struct pmk_runner *r);

void pmk_runner_free(struct pmk_runner *r);

#endif
