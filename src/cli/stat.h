/* SPDX-License-Identifier: MIT */
/*
 * pmk stat between its files:
 *
 *	stat.c         options → struct request
 *	stat_choose.c  request → what is counted where (struct job), in emulation
 *	stat_run.c     runs the emulator, takes the readings
 *	stat_report.c  readings → result → writer
 *	stat_linux.c   all of this but the options and the writing, for the counters of this machine
 *	stat_wave.c    likewise, for a waveform dump
 *	stat_monitor.c how the AHB Monitor counts, for both of them
 */
#ifndef PMK_CLI_STAT_H
#define PMK_CLI_STAT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <pmk/result.h>

#include "cli/emulate.h"
#include "count/events.h"
#include "cli/output.h"
#include "cli/target.h"
#include "pmu/ahbmon/layout.h"

enum interval_unit { INTERVAL_NONE, INTERVAL_CYCLES, INTERVAL_INSNS, INTERVAL_MS };

/* What the user asked for. */
struct request {
	const struct stat_target *target;
	const struct stat_target *hinted; /* the only one that knows … */
	const char *hint;		  /* … this option */
	const char *shared;		  /* an option that some targets know */
	struct output_options out;
	struct pmk_words events, overrides, traffic, regions, env;
	const char *pmu_name, *core_name;
	const char *from, *to;
	const char *sysroot, *qemu;
	const char *pids, *cpus;
	const char *file, *map, *layer; /* of a dump */
	const char *layout;		/* of the AHB Monitor */
	enum interval_unit interval_unit;
	uint64_t interval;
	unsigned runs;
	bool per_core, rerun, all_cpus, no_inherit;
	char **command; /* NULL terminated */
};

/* Mean and spread of one number over the runs (Welford). */
struct sample {
	double mean, m2;
	uint64_t sum;
	unsigned n;
};

/* One printed section: the whole run, a region, or a core. */
struct place {
	const char *region;
	int cpu;
	uint64_t entries;
	struct sample value[PMK_MAX_EVENTS]; /* by event of the list */
	bool wrapped[PMK_MAX_EVENTS];
	struct pmk_reading counts; /* of all runs, by event of the plan: for the latencies */
};

struct job {
	const struct request *q;
	const char *program; /* the file that is run, or NULL */
	struct emulation emu;
	const struct pmk_pmu *pmu;
	struct pmk_microblaze_pmu microblaze; /* it, where it is one */
	/* Another PMU of the same machine, of which -e can name events: that of the level 2 cache, or of the
	 * core if it is that of the cache that counts. NULL: there is none. */
	const struct pmk_pmu *beside;
	struct pmk_event_list events;
	const char *reason[PMK_MAX_EVENTS]; /* why event i is not counted, or NULL */
	struct pmk_metric_list metrics;
	struct pmk_plan plan;		   /* the countable events … */
	unsigned event_of[PMK_MAX_EVENTS]; /* … and which of the list each is */
	struct pmk_emulated_config cfg;
	struct pmk_ahbmon_layout_file layout; /* of the AHB Monitor, if it counts */
	struct pmk_ahbmon_config monitor_config;
	struct place *places;
	unsigned nplaces;
	struct pmk_result result;
	struct pmk_count_fault fault; /* why it failed, where that has not been printed yet */
	uint64_t interval_began;      /* guest cycles */
	bool beyond_timer; /* the PMU has an interval timer, but none that counts so far */
	struct output out;
	bool write_failed; /* an interval could not be written */
	struct pmk_runner runner;
	const struct pmk_qemu_generation *generation; /* whose module the emulator is to load */
	bool refused;				      /* it refused another one */
	pid_t asked;	       /* 0, or the process that tells the emulator's version, … */
	int answer;	       /* … here */
	char qemu_version[64]; /* "7.2.22"; empty when it did not answer like QEMU, or not yet */
	int interrupted;       /* the signal that told pmk to stop, 0 = none */
	int killed;	       /* the signal that an emulated program died of, 0 = none */
	struct linux_job *linux_job;
	struct wave_job *wave_job;
};

struct linux_job; /* of stat_linux.c */
void linux_job_free(struct linux_job *l);
struct wave_job; /* of stat_wave.c */
void wave_job_free(struct wave_job *j);

/* Parts of stat_emu. */
int stat_choose(struct job *job);
int stat_run(struct job *job);
void stat_describe(struct job *job);
int stat_write(struct job *job);

/* Layout and settings of the AHB Monitor, into job->layout and job->monitor_config. */
int stat_monitor(struct job *job, const struct pmk_core *core);
/* Nothing for --layout to say, because `what` counts. */
int stat_no_monitor(const struct job *job, const char *what);
/* The parameters of it that --set can change where there is no core. */
int stat_monitor_core(struct pmk_core *core, const struct pmk_words *overrides);

/* What -e and -M name, into job->events and job->metrics; without both, what `defaults` names. With --bars
 * also the events of the PMU's layers that `watched` says yes to; NULL: there are no bars here. 0 or an
 * exit code. */
int stat_choose_events(struct job *job, int (*defaults)(struct job *job),
		       bool (*watched)(const struct job *job, const struct pmk_event *ev));

/* The row of event i without its value; `trust` if it is counted. */
void report_row(const struct job *job, unsigned i, enum pmk_trust trust, struct pmk_row *row);
/* Open the output, before anything runs. */
int report_open(struct job *job);
/* Begin the document; it is closed by report_end() or report_abandon(), always. */
int report_begin(struct job *job);
/* One interval, as soon as it is known; 0 or a negative enum pmk_error. */
int report_interval(struct job *job, const struct pmk_arena_interval *interval);
/* Warn of an end that was not the program's own, by job->interrupted and job->killed. */
void report_warn_of_end(struct job *job);
/* Everything else; returns the code that pmk exits with. */
int report_end(struct job *job);
/* Close the document after a failure. */
void report_abandon(struct job *job);

#endif
