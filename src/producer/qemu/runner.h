/* SPDX-License-Identifier: MIT */
/*
 * Running a program in QEMU and reading what its cores counted: pmk's side of the arena.
 *
 * 	runner_start → runner_step … until the program has ended → runner_finish
 *
 * The final reading is always taken here, from the shared memory, after the emulator has ended (or
 * while it runs, if the user does not want to wait longer).
 */
#ifndef PMK_PRODUCER_QEMU_RUNNER_H
#define PMK_PRODUCER_QEMU_RUNNER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "producer/qemu/arena.h"
#include "producer/qemu/ledger.h"

/* What to record in addition to the counts. */
enum pmk_recorded_detail { PMK_RECORD_NOTHING, PMK_RECORD_SITES, PMK_RECORD_PATHS };

struct pmk_runner_config {
	struct pmk_emulated_config counters;
	enum pmk_recorded_detail record;
	/* Addresses in the ELF file. The address of the code in memory less `code_start` is the
	 * load offset. */
	uint64_t code_start, entry;
	bool pie;
	unsigned more_stack;	       /* extra stack for an emulator that gives programs a vDSO */
	const char *emulator;	       /* its path */
	struct pmk_guest_config guest; /* with counters.guest */
	const char *plugin;	       /* path of the module that fits the emulator */
	char *const *argv; /* the emulator's command line. The first words "@plugin@", "@stack@" and
                            * "@space@" are replaced by the plugin argument, the sizes of the
                            * program's stack and of its address space */
	char *const *envp; /* the emulator's environment */
	int streams[3];	   /* its standard streams; -1: the stream of this process */
	/* With counters.shows_pins: the sink for the first core of the first process. */
	struct pmk_pins_sink pins;
};

/* Counts of one core, or of all cores together. */
struct pmk_runner_counts {
	struct pmk_reading total;
	struct pmk_reading region[PMK_MAX_REGIONS];
	uint64_t entries[PMK_MAX_REGIONS];
	uint64_t cycles, insns; /* counts of the whole run, even outside of regions */
	uint64_t delayed;	/* cycles before counting began, included above */
	/* Instructions without their own times in the model. With regions and short intervals, 1 if
	 * they are a noticeable part of the code. */
	uint64_t untimed;
	uint64_t misses; /* misses of the data cache; lines that its prefetcher filled */
	bool wrapped[PMK_MAX_EVENTS];
	/*
	 * Sampling: the uncounted part of `insns`; the number of units for the counted part;
	 * squares of the margins of the counts and of the cycles (producer/session/units.h).
	 */
	uint64_t rest, units;
	double margin2[PMK_UNITS_NNUMBERS];
};

/* Empties `c` and its first `nregions` regions. */
void pmk_runner_counts_clear(struct pmk_runner_counts *c, unsigned nregions);

struct pmk_runner {
	struct pmk_arena *arena;
	struct pmk_ledger *ledger; /* NULL: no recording */
	uint64_t ledger_mapped;	   /* bytes */
	unsigned slots;		   /* slots of the arena: processes that are counted at a time */
	/*
	 * Name of the limit that leaves room for fewer than PMK_ARENA_SLOTS, and the bytes that it
	 * must allow for one slot. NULL: no limit does.
	 */
	const char *limit;
	uint64_t limit_needed;
	struct pmk_runner_config cfg;
	pid_t pid;
	int status; /* wait status after the end */
	bool over;
	/* [PMK_ARENA_CPUS], each summed over all processes, followed by `tail` and `one`. The
	 * array is mapped memory, so only the pages in use take space; regions need most of it. */
	struct pmk_runner_counts *core;
	/* Counts since the end of the last interval; only the total and the cycles. */
	struct pmk_runner_counts *tail;
	/* Buffers for one core: its state, which is too big for a stack, and its counts. */
	struct pmk_emulated *copy;
	struct pmk_runner_counts *one;
	/* The initial state of every core: the program can write into the arena, but not into
	 * this. */
	struct pmk_emulated *begun;
	struct pmk_emulated_ports begun_ports;
	uint64_t pins_taken;		   /* number of processed records of pins */
	struct pmk_ahbmon_packets packets; /* at the end: cycles that have not reached the pins */
	uint64_t taken[PMK_ARENA_SLOTS];   /* number of processed intervals or pieces, by slot */
	struct pmk_units *units;	   /* [PMK_ARENA_SLOTS], or NULL: no sampling */
	char invalid[96];		   /* the invalid part of the arena, or "" */
	/* [slot][core]: cycles at the end of the last interval */
	uint64_t (*interval_at)[PMK_ARENA_CPUS];
	unsigned turn; /* slot of the process whose interval is next */
	unsigned processes, threads, ncores, execs;
	unsigned alive;			/* processes that had not ended at the final reading */
	struct pmk_cpu_trap trap;	/* see pmk_cpu.trap */
	bool unsure;			/* a fault was seen, but not its place */
	struct pmk_signal_set doubtful; /* pmk_cpu.doubtful of any core */
	/* Counts were read while the exception level was assumed wrongly. */
	bool level_unsure;
	bool calls_lost; /* calls were nested too deeply, so a region may end late */
	int error;	 /* first error of a core's driver */
	/* Last, because most of it is for regions and is not touched without any. */
	struct pmk_runner_counts sum;
};

/* The first part of starting: creates the arena, but starts no emulator. The caller closes
 * *arena_fd. */
int pmk_runner_open(struct pmk_runner *r, const struct pmk_runner_config *cfg, int *arena_fd);

/* Returns 0; PMK_EIO or PMK_ENOMEM with errno set; PMK_ERANGE: a limit leaves no room for one
 * process; PMK_ENOTSUP: the emulator itself could not be executed. */
int pmk_runner_start(struct pmk_runner *r, const struct pmk_runner_config *cfg);

/* Wait up to `ms` for the program's end, and process forks that have ended. True: the program has
 * ended. */
bool pmk_runner_step(struct pmk_runner *r, int ms);

/* Get the next finished interval. Returns false if there is none. */
bool pmk_runner_interval(struct pmk_runner *r, struct pmk_arena_interval *out);

/* Reads the approximate progress of the program: the largest number of cycles of a core, and the
 * instructions of all cores. */
void pmk_runner_look(const struct pmk_runner *r, uint64_t *cycles, uint64_t *insns);

/* Read everything that has not been read yet. Afterwards the runner's sums are complete. */
void pmk_runner_finish(struct pmk_runner *r);

/* Returns the name of an invalid part of the arena, such as "the plan of process 1, thread 0"; NULL
 * if all is valid. A part becomes invalid if the program writes into it. The counts must then not
 * be used. */
const char *pmk_runner_invalid(struct pmk_runner *r);

/* pmk_runner_lacks() returns true if part of the program was not counted, pmk_runner_unsure() if a
 * count may be slightly wrong, as far as is known. */
bool pmk_runner_lacks(const struct pmk_runner *r);
bool pmk_runner_unsure(const struct pmk_runner *r);
/* True if a process has had several threads so far. */
bool pmk_runner_threaded(const struct pmk_runner *r);

void pmk_runner_free(struct pmk_runner *r);

#endif
