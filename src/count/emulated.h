/* SPDX-License-Identifier: MIT */
/* Counting in emulation between its files. See count.h. */
#ifndef PMK_COUNT_EMULATED_H
#define PMK_COUNT_EMULATED_H

#include <limits.h>
#include <sys/types.h>

#include "count/count.h"
#include "count/monitor.h"
#include "count/packets.h"
#include "count/program.h"
#include "count/recorded.h"
#include "producer/qemu/generation.h"
#include "producer/qemu/runner.h"

/* Mean and spread of one number over the runs (Welford). */
struct pmk_sample {
	double mean, m2;
	uint64_t sum;
	unsigned n;
};

/* One section of the result: the whole run, a region, or a core. */
struct pmk_counted_place {
	const char *region;
	int cpu;
	uint64_t entries;
	struct pmk_sample value[PMK_MAX_EVENTS]; /* by event of the list */
	bool wrapped[PMK_MAX_EVENTS];
	double margin2[PMK_MAX_EVENTS]; /* squares of margins, when the program is sampled */
	struct pmk_reading counts;	/* of all runs, by event of the plan: for the latencies */
};

/* The state of counting in emulation. */
struct pmk_emulation {
	struct pmk_program prog;
	struct pmk_microblaze_pmu microblaze; /* the PMU that counts, where it is one */
	/* The other PMU of a machine that has a level 2 cache with one: the cache's, or the
	 * core's if the request is for the cache's. Its events can be named, too. NULL: none. */
	const struct pmk_pmu *beside;
	/* What the program itself has; it may be another one than counts: a PMUv3 in AArch32. */
	const struct pmk_pmu *guest_pmu;
	struct pmk_plan plan;		   /* the countable events … */
	unsigned event_of[PMK_MAX_EVENTS]; /* … and which of the list each is */
	struct pmk_emulated_config cfg;
	struct pmk_guest_config guest;
	struct pmk_monitor monitor;	/* if it counts */
	struct pmk_packets_out packets; /* if what its pins show is written */
	bool beyond_timer;		/* -I is longer than the PMU's interval timer can count */
	/* The emulator. */
	const struct pmk_qemu_generation *generation; /* whose module it is to load */
	bool refused;				      /* it has already refused another one */
	char plugin[PATH_MAX];			      /* that module */
	pid_t asked;	       /* 0, or the process that was started to tell the version, … */
	int answer;	       /* … and the descriptor to read it from */
	char qemu_version[64]; /* "7.2.22"; empty: it has not answered, or not like QEMU */
	struct pmk_runner runner;
	int killed; /* the signal that the program died of, 0 = none */
	bool timed_out;
	/* The counts. */
	struct pmk_counted_place *places;
	unsigned nplaces;
	/* What was recorded, if that was asked for. */
	struct pmk_recorded *recorded;
	struct pmk_recording recording;
	struct pmk_recorded_event *recorded_events;
	/* A run has left something uncounted; of a fault it was not seen where it was. */
	bool lacks, unsure;
	bool threaded;			/* a run has had several threads in one process */
	struct pmk_signal_set doubtful; /* pmk_cpu.doubtful of any run's cores */
};

/* emulated_run.c: run the emulator, take the readings. */
/* At which exception levels an event of the plan is counted. */
enum pmk_levels pmk_emulation_levels(const struct pmk_count *c, unsigned planned);

int pmk_emulation_run(struct pmk_count *c);
/* emulated_result.c: the way's functions of these names, and adding an interval as soon as it is
 * over. 0 or a failure. */
int pmk_emulation_describe(struct pmk_count *c);
int pmk_emulation_finish(struct pmk_count *c);
/* After finish(): what was recorded, with its totals. 0 or a failure. */
int pmk_emulation_record(struct pmk_count *c);
int pmk_emulation_interval(struct pmk_count *c, const struct pmk_arena_interval *interval);

/* guest.c: the PMU that the program itself programs (pmk run). Choose where it is, where its
 * interrupt goes, and open the log: 0 or a failure. Then: say how the program used it. */
int pmk_guest_choose(struct pmk_count *c);
void pmk_guest_note(struct pmk_count *c);
void pmk_guest_free(struct pmk_count *c);

#endif
