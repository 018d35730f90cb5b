/* SPDX-License-Identifier: MIT */
/*
 * Runs a program in QEMU and reads what its cores counted. This is pmk's side of the arena.
 *
 * runner_start → runner_step … until the program has ended → runner_finish
 *
 * The final reading is always taken here, from the shared memory. Usually the emulator has ended by
 * then; it still runs if the user does not want to wait longer.
 */
#ifndef PMK_PRODUCER_QEMU_RUNNER_H
#define PMK_PRODUCER_QEMU_RUNNER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "producer/qemu/arena.h"
#include "producer/qemu/ledger.h"

/* The data that the run records in addition to the counts. */
enum pmk_recorded_detail { PMK_RECORD_NOTHING, PMK_RECORD_SITES, PMK_RECORD_PATHS };

struct pmk_runner_config {
	struct pmk_emulated_config counters;
	enum pmk_recorded_detail record;
	/* Addresses in the ELF file. The load offset is the difference between the address of the
	 * code in memory and `code_start`. */
	uint64_t code_start, entry;
	bool pie;
	unsigned more_stack;	       /* extra stack for an emulator that gives programs a vDSO */
	const char *emulator;	       /* path of the emulator */
	struct pmk_guest_config guest; /* used if counters.guest is set */
	const char *plugin;	       /* path of the module that fits the emulator */
	/* The emulator's command line. The first word "@plugin@" is replaced by the plugin
	 * argument, the first "@stack@" by the size of the program's stack, and the first "@space@"
	 * by the size of its address space. */
	char *const *argv;
	char *const *envp; /* the emulator's environment */
	int streams[3];	   /* the emulator's standard streams; -1: that of this process */
	/* If counters.shows_pins is set: receives the pins of the first core of the first
	 * process. */
	struct pmk_pins_sink pins;
};

/* The counts of one core, or of all cores together. */
struct pmk_runner_counts {
	struct pmk_reading total;
	struct pmk_reading region[PMK_MAX_REGIONS];
	uint64_t entries[PMK_MAX_REGIONS];
	uint64_t cycles, insns; /* counts of the whole run, including code outside of regions */
	uint64_t delayed;	/* the part of `cycles` before counting began */
	/* The number of instructions without times of their own in the model. With regions or short
	 * intervals, the number is not known: 1 then means that such instructions are at least one
	 * percent of the code. */
	uint64_t untimed;
	uint64_t misses; /* misses of the data cache, plus lines that its prefetcher filled */
	bool wrapped[PMK_MAX_EVENTS];
	/*
	 * For a sampled program: the uncounted part of `insns`, the number of units in the counted
	 * part, and the squares of the margins of the counts and of the cycles
	 * (producer/session/units.h).
	 */
	uint64_t rest, units;
	double margin2[PMK_UNITS_NNUMBERS];
};

/* Empties `c` and its first `nregions` regions. */
void pmk_runner_counts_clear(struct pmk_runner_counts *c, unsigned nregions);

struct pmk_runner {
	struct pmk_arena *arena;
	struct pmk_ledger *ledger; /* NULL if nothing is recorded */
	uint64_t ledger_mapped;	   /* size of the mapped ledger in bytes */
	unsigned slots; /* slots of the arena: the most processes that can be counted at once */
	/*
	 * The name of the limit that leaves room for fewer than PMK_ARENA_SLOTS slots, and the
	 * number of bytes that the limit must allow for one slot. NULL if no limit does this.
	 */
	const char *limit;
	uint64_t limit_needed;
	struct pmk_runner_config cfg;
	pid_t pid;
	int status; /* wait status of the emulator after its end */
	bool over;
	/* The counts of each core, summed over all processes. The array has PMK_ARENA_CPUS
	 * elements, and `tail` and `one` follow it. It is mapped memory, so only used pages take
	 * space; regions need most of it. */
	struct pmk_runner_counts *core;
	/* Counts since the end of the last interval. Only the total and the cycles are set. */
	struct pmk_runner_counts *tail;
	/* Buffers for one core. `copy` is for its state, which is too big for a stack, and `one`
	 * for its counts. */
	struct pmk_emulated *copy;
	struct pmk_runner_counts *one;
	/* The initial state of every core. The program can write into the arena, but not into this
	 * memory. */
	struct pmk_emulated *begun;
	struct pmk_emulated_ports begun_ports;
	uint64_t pins_taken;		   /* number of processed records of pins */
	struct pmk_ahbmon_packets packets; /* at the end: cycles that have not reached the pins */
	uint64_t taken[PMK_ARENA_SLOTS];   /* number of processed intervals or pieces, by slot */
	struct pmk_units *units;	   /* [PMK_ARENA_SLOTS]; NULL: not sampled */
	char invalid[96];		   /* the invalid part of the arena, or "" */
	/* The cycles of each core at the end of the last interval, by slot and core. */
	uint64_t (*interval_at)[PMK_ARENA_CPUS];
	unsigned turn; /* slot of the process whose interval is read next */
	unsigned processes, threads, ncores, execs;
	unsigned alive;			/* processes that still ran at the final reading */
	struct pmk_cpu_trap trap;	/* see pmk_cpu.trap */
	bool unsure;			/* a fault was seen, but not where it happened */
	struct pmk_signal_set doubtful; /* the signals in pmk_cpu.doubtful of at least one core */
	/* True if counts were read while the exception level was assumed wrongly. */
	bool level_unsure;
	bool calls_lost; /* calls were nested too deeply, so a region may have ended too late */
	int error;	 /* the first error that a core's driver has returned */
	/* This member is last, because most of it is for regions and is not touched if there are
	 * none. */
	struct pmk_runner_counts sum;
};

/* Does the first part of starting: creates the arena, but starts no emulator. The caller closes
 * *arena_fd. */
int pmk_runner_open(struct pmk_runner *r, const struct pmk_runner_config *cfg, int *arena_fd);

/* Starts the program. Returns 0, or PMK_EIO or PMK_ENOMEM with errno set. Returns PMK_ERANGE if a
 * limit leaves no room for even one process, and PMK_ENOTSUP if the emulator could not be
 * executed. */
int pmk_runner_start(struct pmk_runner *r, const struct pmk_runner_config *cfg);

/* Waits up to `ms` milliseconds for the program's end, and reads the counts of forked processes
 * that have ended. Returns true if the program has ended. */
bool pmk_runner_step(struct pmk_runner *r, int ms);

/* Gets the next finished interval. Returns false if there is none. */
bool pmk_runner_interval(struct pmk_runner *r, struct pmk_arena_interval *out);

/* Reads the approximate progress of the program: the most cycles of any core, and the instructions
 * of all cores. */
void pmk_runner_look(const struct pmk_runner *r, uint64_t *cycles, uint64_t *insns);

/* Reads everything that has not been read yet. Afterwards the runner's sums are complete. */
void pmk_runner_finish(struct pmk_runner *r);

/* Returns the name of an invalid part of the arena, such as "the plan of process 1, thread 0", or
 * NULL if all parts are valid. A part becomes invalid if the program writes into it. The counts
 * must then not be used. */
const char *pmk_runner_invalid(struct pmk_runner *r);

/* pmk_runner_lacks() returns true if part of the program was not counted. pmk_runner_unsure()
 * returns true if pmk knows that a count may be slightly wrong. */
bool pmk_runner_lacks(const struct pmk_runner *r);
bool pmk_runner_unsure(const struct pmk_runner *r);
/* True if a process has had several threads so far. */
bool pmk_runner_threaded(const struct pmk_runner *r);

void pmk_runner_free(struct pmk_runner *r);

#endif
