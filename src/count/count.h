/* SPDX-License-Identifier: MIT */
/*
 * Counting between its files. The interface is <pmk/count.h>.
 *
 *	settings.c         settings → struct pmk_request
 *	request.c          whether they go together, and the way
 *	choose.c           what is common to all ways: events and metrics that are meant
 *	emulated.c         emulation: what is counted where; emulated_run.c runs the emulator
 *	                   and takes the readings, emulated_result.c makes sections of them
 *	machine.c          this machine, through the kernel; sampled.c is of its recordings
 *	wave.c             a waveform dump
 *	wire.c             a target on a wire; wired.c is of its PMU, and of pmk doctor, too
 *	monitor.c          how the AHB Monitor counts, in emulation and in a dump
 *	count.c            from a request to a result: calls the way and the listener
 */
#ifndef PMK_COUNT_COUNT_H
#define PMK_COUNT_COUNT_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include <pmk/count.h>
#include <pmk/result.h>
#include <pmk/session.h>

#include "count/command.h"
#include "count/error.h"
#include "count/events.h"
#include "count/input.h"
#include "count/metrics.h"
#include "count/streams.h"
#include "count/watch.h"
#include "count/way.h"
#include "count/words.h"

enum pmk_interval { PMK_EVERY_NONE, PMK_EVERY_CYCLES, PMK_EVERY_INSNS, PMK_EVERY_MS };

/* What was asked for. The request owns the texts; NULL: not given. */
struct pmk_request {
	const struct pmk_count_way *asked;  /* the setting "target" chooses it */
	const struct pmk_count_way *way;    /* what counts; set by pmk_request_check() */
	const struct pmk_count_way *hinted; /* the only way that knows … */
	const char *hint;		    /* … this setting */
	const char *shared;		    /* a setting that several ways know, but not all */
	struct pmk_words events, metrics, overrides, traffic, regions, env;
	struct pmk_words words; /* the program and its arguments */
	char *const *command;	/* the same, NULL terminated even if there is none */
	char *pmu_name, *core_name;
	char *from, *to;
	char *sysroot, *qemu;
	char *pids, *cpus;
	char *frequency, *period; /* of samples */
	char *file;		  /* behind the colon of the target: a dump, or a host and port */
	char *map, *layer;	  /* of a dump */
	char *packets;		  /* where the pins of the AHB Monitor are written */
	char *layout;		  /* of the AHB Monitor */
	char *data, *plugin;	  /* where files are */
	char *streams[3];	  /* where the program's input and output go */
	enum pmk_interval interval_unit;
	uint64_t interval;
	unsigned runs;
	unsigned max_intervals; /* 0: no limit */
	unsigned delay_ms;	/* before counting begins */
	unsigned timeout_ms;	/* 0: none */
	unsigned detailed;	/* how much more than the usual events */
	bool per_core, per_thread, rerun, all_cpus, no_inherit, bars, summary;
	bool nothing;	      /* no event at all */
	bool sampled;	      /* in emulation, most of the program is not counted */
	unsigned seed;	      /* of the places of what is counted then; 0: the default */
	unsigned random_seed; /* of the random numbers that it gets; 0: the default */
	bool guest;	      /* the program, an emulator's command, programs the PMU itself */
	char *irq;	      /* where the interrupt of that goes */
	char *at;	      /* where its registers are in memory */
	char *log;	      /* the file that accesses to them are written to */
	enum { PMK_REQUEST_COUNTS, PMK_REQUEST_SITES, PMK_REQUEST_PATHS } record;
};

struct pmk_count {
	struct pmk_request q;
	struct pmk_count_fault fault;
	struct pmk_count_error told; /* `fault`, in the struct of the public interface */
	struct pmk_count_listener listener;
	struct pmk_stop stop;
	struct pmk_input input;
	struct pmk_streams streams;
	sigset_t ignored; /* by the program, even if this process does not */
	enum { PMK_COUNT_ASKED, PMK_COUNT_PREPARED, PMK_COUNT_RAN } stage;
	/* What is counted; the way's choose() sets it. */
	const struct pmk_pmu *pmu;
	struct pmk_event_list events;
	const char *reason[PMK_MOST_EVENTS]; /* why event i is not counted, or NULL */
	struct pmk_metrics *all_metrics;     /* loaded when somebody asks */
	struct pmk_metric_list metrics;
	const char *program; /* the file that is run, or NULL */
	void *state;	     /* the way's own */
	/* What came out. */
	struct pmk_result result;
	bool begun;	     /* the listener knows what is counted */
	uint32_t nrows;	     /* rows that the listener has got */
	unsigned nintervals; /* intervals that it has got */
	int interrupted;     /* the signal of `stop` that ended the run, 0: none */
	char data[PATH_MAX]; /* the data directory, when it has been looked for */
};

/* rows.c: true if a program can have a struct of this size. False: that is the failure of `c`. */
bool pmk_count_sized(const struct pmk_count *c, const char *type, size_t size, size_t least);

/* request.c: check that the settings go together, and choose the way. 0 or a failure. */
int pmk_request_check(struct pmk_count *c);
/* Settings that only different ways know make no sense together. 0 or a failure. */
int pmk_request_note_owner(struct pmk_count *c, const char *setting);

/* settings.c. True if this way knows a setting that not all ways know. */
bool pmk_setting_of_way(const char *name, const struct pmk_count_way *way);
void pmk_request_free(struct pmk_request *q);

/* count.c. The data directory, the metrics; NULL: a failure. */
const char *pmk_count_data(struct pmk_count *c);
struct pmk_metrics *pmk_count_all_metrics(struct pmk_count *c);
/* Tell the user something that is no failure, in one line. */
void pmk_count_note(struct pmk_count *c, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Warn, or add a note to the result. Settings are written as in error.h. */
void pmk_count_warn(struct pmk_count *c, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void pmk_count_add_note(struct pmk_count *c, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Tell the listener what is counted, unless it knows already. 0 or a failure. */
int pmk_count_begin(struct pmk_count *c);
/* Tell the listener of the last section of the result, which is complete. An interval beyond the
 * number that was asked for is dropped. */
void pmk_count_tell(struct pmk_count *c);
/* The signal by which somebody asked for the end of the run; 0: nobody did. */
int pmk_count_stopped(const struct pmk_count *c);
/* `prefix` and the words with spaces between them, quoted for display; the caller frees it. NULL:
 * out of memory. */
char *pmk_count_join(char *const *words, const char *prefix);
/* Warn that the run was interrupted. */
void pmk_count_warn_interrupted(struct pmk_count *c);
/* … or by --timeout. */
void pmk_count_warn_timeout(struct pmk_count *c);

/*
 * choose.c. Put the events and metrics that were named into c->events and c->metrics; if there are
 * none, `defaults` adds events. The setting "bars" adds the events of the PMU's layers for which
 * `watched` returns true; NULL: this way draws no bars. `has_clock`: the clock of the core is
 * known. 0 or a failure.
 */
int pmk_choose_events(struct pmk_count *c, int (*defaults)(struct pmk_count *c),
		      bool (*watched)(const struct pmk_count *c, const struct pmk_event *ev),
		      bool has_clock);
/* Put the events that can be counted into the plan, in their order; event_of[] says which one of
 * the list each is. `because` says why an event cannot be counted, or NULL. An event with req.how
 * is of the second PMU of the plan. */
typedef const char *pmk_not_counted_fn(const struct pmk_count *c,
				       const struct pmk_event_request *req);
void pmk_choose_countable(struct pmk_count *c, pmk_not_counted_fn *because, struct pmk_plan *plan,
			  unsigned event_of[PMK_MAX_EVENTS]);
/* The row of event i without its value. Its trust is `trust` if the event is counted. */
void pmk_choose_row(const struct pmk_count *c, unsigned i, enum pmk_trust trust,
		    struct pmk_row *row);
#endif
