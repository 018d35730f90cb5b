/* SPDX-License-Identifier: MIT */
/*
 * The state of counting with the counters of this machine, which machine.c and its parts share:
 * machine_choose.c chooses what is counted and where, machine_counters.c opens and reads the
 * counters, and machine.c runs the program and makes the rows of the result.
 */
#ifndef PMK_COUNT_MACHINE_H
#define PMK_COUNT_MACHINE_H

#include "count/count.h"

#include <pmk/stats.h>

#include "count/sampled.h"
#include "producer/linux/linux.h"

/* The counts of one event in one place (process, thread or processor), over all runs. */
struct tally {
	struct pmk_stats scaled;
	uint64_t enabled_ns, running_ns;
	bool zero; /* true if it counted nothing */
};

/* An event that is counted: one line of the report. */
struct counted {
	struct pmk_linux_ask ask;
	char *name;
	char *reason; /* why it is not counted, or NULL */
	bool user_only;
	struct pmk_linux_value last; /* value at the end of the last interval */
};

struct machine {
	struct pmk_linux_pmus *pmus;
	const struct pmk_linux_pmu *prefer; /* --pmu */
	struct pmk_linux_facts facts;
	char *path; /* path of the program, or NULL */
	int *pids;  /* threads to attach to */
	unsigned npids;
	int *processes; /* processes of these threads */
	unsigned nprocesses;
	struct pmk_linux_cpus cpus; /* empty: count threads, or the program */
	struct counted event[PMK_MAX_EVENTS];
	unsigned nevents;
	struct pmk_linux_counters *counters; /* NULL for a recording */
	struct pmk_sampled *sampled;	     /* NULL: nothing is recorded */
	struct tally *tally;		     /* by place and event */
	/* Number of places: processors with -A, threads with --per-thread, otherwise 1. */
	unsigned nplaces;
	char **thread; /* --per-thread: names of the places */
	double began;  /* seconds */
	bool timed_out;
};

/* True if the user wants a recording, so that events are sampled. */
static inline bool pmk_machine_is_recorded(const struct pmk_count *c)
{
	return c->q.record.what != PMK_REQUEST_COUNTS;
}

/* The functions below return 0, or a failure that is stored in c->fault. */

/* Choose processes, processors and events: creates c->state. */
int pmk_machine_choose_events(struct pmk_count *c);
/* Choose the processors in `list`, such as "0,2-3"; NULL: all that are online. */
int pmk_machine_choose_cpus(struct pmk_count *c, const char *list);

/* Open the counters for the program with this pid; 0: for the processes or processors that the user
 * chose. */
int pmk_machine_open(struct pmk_count *c, int pid);
/* Add the counts of this run to l->tally. */
void pmk_machine_collect(struct machine *l);

#endif
