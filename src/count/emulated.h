/* SPDX-License-Identifier: MIT */
/* Counting in emulation: declarations that its files share. See count.h. */
#ifndef PMK_COUNT_EMULATED_H
#define PMK_COUNT_EMULATED_H

#include <limits.h>
#include <sys/types.h>

#include "base/tool.h"
#include "count/count.h"
#include "count/monitor.h"
#include "count/packets.h"
#include "count/program.h"
#include "count/recorded.h"
#include "producer/qemu/generation.h"
#include "producer/qemu/runner.h"
#include "profile/perfmap.h"

/* Mean and variance of one number over the runs, by Welford's method. */
struct pmk_sample {
	double mean, m2;
	uint64_t sum;
	unsigned n;
};

/* A section of the result: the whole run, a region, or a core. */
struct pmk_counted_place {
	const char *region;
	int cpu;
	uint64_t entries;
	struct pmk_sample value[PMK_MAX_EVENTS]; /* by index of the event in the list */
	bool wrapped[PMK_MAX_EVENTS];
	double margin2[PMK_MAX_EVENTS]; /* squares of margins, when the program is sampled */
	struct pmk_reading
		counts; /* sums over all runs, indexed as in the plan; used for latencies */
};

/* The state of counting in emulation. */
struct pmk_emulation {
	struct pmk_program prog;
	struct pmk_microblaze_pmu microblaze; /* the PMU that counts, if it is a MicroBlaze's */
	/* The second PMU of a core with a level 2 cache: the cache's PMU, or the core's PMU if the
	 * user requested the cache's. The user can name the events of both. NULL: the core has only
	 * one PMU. */
	const struct pmk_pmu *beside;
	/* The PMU that the program sees. It can differ from the PMU that counts, for example if
	 * that is a PMUv3 in AArch32 state. */
	const struct pmk_pmu *guest_pmu;
	struct pmk_plan plan;		   /* the events that can be counted */
	unsigned event_of[PMK_MAX_EVENTS]; /* the index in `events` of each event of the plan */
	struct pmk_emulated_config cfg;
	struct pmk_guest_config guest;
	struct pmk_monitor monitor;	/* used if the AHB Monitor counts */
	struct pmk_packets_out packets; /* used if the monitor's pins are written to a file */
	bool beyond_timer;		/* -I is longer than the PMU's interval timer can count */
	/* The emulator. */
	/* QEMU versions that can load the module in `plugin` */
	const struct pmk_qemu_generation *generation;
	/* QEMU has refused a first module, and `plugin` is the second */
	bool refused;
	/* path of the module of pmk that QEMU loads */
	char plugin[PATH_MAX];
	struct pmk_tool asked; /* QEMU, started to ask for its version */
	char qemu_version[64]; /* "7.2.22"; empty if the emulator gave no answer, or is not QEMU */
	struct pmk_runner runner;
	int killed; /* signal that killed the program; 0: none */
	bool timed_out;
	/* The counts. */
	struct pmk_counted_place *places;
	unsigned nplaces;
	/* The recording, if one was requested. */
	struct pmk_recorded *recorded;
	struct pmk_recording recording;
	struct pmk_recorded_event *recorded_events;
	struct pmk_perfmap names; /* names of the code that the program generated */
	/* `lacks`: a run did not count everything. `unsure`: a fault could not be assigned to its
	 * instruction. */
	bool lacks, unsure;
	bool threaded; /* a run has had several threads in one process */
	/* signals whose counts are uncertain (pmk_cpu.doubtful), over all cores and runs */
	struct pmk_signal_set doubtful;
};

/* emulated_plan.c */
/* True if exception levels can be distinguished, which only system emulation can. */
bool pmk_emulation_knows_levels(const struct pmk_count *c);
/* Puts the events on counters. Returns 0 or a failure. */
int pmk_emulation_plan(struct pmk_count *c);

/* emulated_run.c: runs the emulator and takes the readings. */
/* Returns the exception levels at which an event of the plan is counted. */
enum pmk_levels pmk_emulation_levels(const struct pmk_count *c, unsigned planned);

int pmk_emulation_run(struct pmk_count *c);
/* emulated_result.c: the functions `describe` and `finish` of struct pmk_count_way. Both return 0
 * or a failure. */
int pmk_emulation_describe(struct pmk_count *c);
int pmk_emulation_finish(struct pmk_count *c);
/* Make the recording, with its totals; call it after finish(). Returns 0 or a failure. */
int pmk_emulation_record(struct pmk_count *c);
int pmk_emulation_interval(struct pmk_count *c, const struct pmk_arena_interval *interval);

/* guest.c: the PMU that the program itself programs (pmk run). pmk_guest_choose() chooses the
 * addresses of its registers and the input that its interrupt drives, and opens the log. It returns
 * 0 or a failure. After the run, pmk_guest_note() reports how the program used the PMU. */
int pmk_guest_choose(struct pmk_count *c);
void pmk_guest_note(struct pmk_count *c);
void pmk_guest_free(struct pmk_count *c);

#endif
