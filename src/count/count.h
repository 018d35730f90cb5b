/* SPDX-License-Identifier: MIT */
/*
 * Declarations that the files of this folder share. The public interface is <pmk/count.h>.
 *
 * 	settings.c         settings → struct pmk_request
 * 	request.c          checks that they go together, chooses the way
 * 	choose.c           common to all ways: chooses events and metrics
 * 	emulated.c         emulation: chooses the counters; emulated_run.c runs the emulator
 * 	                   and takes the readings, emulated_result.c turns them into sections
 * 	machine.c          this machine, through the kernel; sampled.c records there
 * 	wave.c             a waveform dump
 * 	wire.c             a target on a wire; wired.c reaches its PMU, also for pmk doctor
 * 	monitor.c          settings of the AHB Monitor, in emulation and in a dump
 * 	count.c            from a request to a result: calls the way and the listener
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

/* The request. It owns its texts; a text that was not given is NULL. */
struct pmk_request {
	struct {
		const struct pmk_count_way *asked; /* the way that the setting "target" names */
		/* The way that counts; set by pmk_request_check(). */
		const struct pmk_count_way *way;
		const struct pmk_count_way *hinted; /* the only way that has the setting `hint` */
		const char *hint;		    /* a setting that only one way has */
		const char *shared; /* a setting that several ways have, but not all */
		/* The part of "target" after the colon: a dump, or a host and port. */
		char *where;
	} target;
	struct {
		struct pmk_words events, metrics;
		unsigned detailed; /* how often -d was given */
		bool nothing;	   /* count no events at all */
		bool bars;
	} counted;
	struct {
		char *name, *pmu;
		struct pmk_words set, traffic;
		char *layout; /* layout file of the AHB Monitor */
	} core;
	struct {
		struct pmk_words words; /* the program and its arguments */
		char *const *command;	/* `words`; ends with NULL even if it is empty */
		char *streams[3];	/* its input and outputs */
		struct pmk_words env;
		char *sysroot, *qemu;
		unsigned random_seed; /* 0: the default */
	} program;
	struct {
		char *pids, *cpus;
		bool all_cpus, no_inherit, per_core, per_thread;
		struct pmk_words regions;
		char *from, *to;
	} scope;
	struct {
		unsigned times;
		bool rerun;	     /* run once for each pass */
		unsigned delay_ms;   /* wait before counting begins */
		unsigned timeout_ms; /* 0: none */
	} run;
	struct {
		enum pmk_interval unit;
		uint64_t length;
		unsigned most; /* the number of intervals; 0: no limit */
		bool summary;  /* also count the whole run */
	} interval;
	struct {
		bool wanted;   /* in emulation: count only short pieces */
		unsigned seed; /* seed for the positions of these pieces; 0: the default */
	} sample;
	struct {
		bool wanted; /* software in the emulator programs the PMU itself */
		char *irq;   /* the device input that the PMU's interrupt drives */
		char *at;    /* the address of the PMU's registers */
		char *log;   /* the file to which accesses to these registers are logged */
	} guest;
	struct {
		enum { PMK_REQUEST_COUNTS, PMK_REQUEST_SITES, PMK_REQUEST_PATHS } what;
		char *frequency, *period; /* the sampling rate */
	} record;
	struct {
		char *map, *layer;
		char *packets; /* file for the pins of the AHB Monitor */
	} dump;
	struct {
		char *data, *plugin; /* directories */
	} files;
};

struct pmk_count {
	struct pmk_request q;
	struct pmk_count_fault fault;
	struct pmk_count_error told; /* the same failure as `fault`, as a struct of the public
				      * interface */
	struct pmk_count_listener listener;
	struct pmk_stop stop;
	struct pmk_input input;
	struct pmk_streams streams;
	sigset_t ignored; /* signals that the program ignores, even if this process does not */
	enum { PMK_COUNT_ASKED, PMK_COUNT_PREPARED, PMK_COUNT_RAN } stage;
	/* What is counted; set by the way's choose(). */
	const struct pmk_pmu *pmu;
	struct pmk_event_list events;
	const char *reason[PMK_MOST_EVENTS]; /* why event i is not counted, or NULL */
	struct pmk_metrics *all_metrics;     /* loaded when first needed */
	struct pmk_metric_list metrics;
	const char *program; /* the file that is run, or NULL */
	void *state;	     /* private to the way */
	/* The result. */
	struct pmk_result result;
	bool begun;	     /* the listener's begin() has been called */
	uint32_t nrows;	     /* number of rows passed to the listener */
	unsigned nintervals; /* number of intervals passed to the listener */
	int interrupted;     /* the signal of `stop` that ended the run, 0: none */
	char data[PATH_MAX]; /* the data directory, once it has been found */
};

/* rows.c. Returns true if some version of the struct has this size. Otherwise stores a failure in
 * `c` and returns false. */
bool pmk_count_sized(const struct pmk_count *c, const char *type, size_t size, size_t least);

/* request.c. Check that the settings go together, and choose the way. Returns 0 or a failure. */
int pmk_request_check(struct pmk_count *c);
/* For ways that measure time: fail if the length of intervals is not in ms, or is too large.
 * Returns 0 or a failure. */
int pmk_request_check_ms(struct pmk_count *c);
/* Record that this setting was given. Fails if no way has all settings so far. Returns 0 or a
 * failure. */
int pmk_request_note_owner(struct pmk_count *c, const char *setting);

/* settings.c. Returns true if this way has a setting that some ways lack. */
bool pmk_setting_of_way(const char *name, const struct pmk_count_way *way);
void pmk_request_free(struct pmk_request *q);

/* count.c. These return the data directory and the metrics; NULL after a failure. */
const char *pmk_count_data(struct pmk_count *c);
struct pmk_metrics *pmk_count_all_metrics(struct pmk_count *c);
/* Show the user a line that is not a failure. */
void pmk_count_note(struct pmk_count *c, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Warn, or add a note to the result. Settings are written as in error.h. */
void pmk_count_warn(struct pmk_count *c, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void pmk_count_add_note(struct pmk_count *c, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Call the listener's begin(), unless that was done. Returns 0 or a failure. */
int pmk_count_begin(struct pmk_count *c);
/* Pass the last section of the result, which is complete, to the listener. An interval beyond the
 * requested number is dropped. */
void pmk_count_report(struct pmk_count *c);
/* Returns the signal with which the user asked to end the run; 0 if there was none. */
int pmk_count_stopped(const struct pmk_count *c);
/* Returns `prefix` and the words, separated by spaces and quoted for display; the caller frees the
 * text. NULL: out of memory. */
char *pmk_count_join(char *const *words, const char *prefix);
/* Warn that the run was interrupted. */
void pmk_count_warn_interrupted(struct pmk_count *c);
/* Warn that --timeout ended the run. */
void pmk_count_warn_timeout(struct pmk_count *c);

/*
 * choose.c. Put the named events and metrics into c->events and c->metrics; if there are none,
 * `defaults` adds events. The setting "bars" adds those events of the PMU's layers for which
 * `watched` returns true. If this way of counting cannot draw bars, `watched` is NULL, and "bars"
 * is refused. `has_clock` is true if the clock of the core is known. Returns 0 or a failure.
 */
int pmk_choose_events(struct pmk_count *c, int (*defaults)(struct pmk_count *c),
		      bool (*watched)(const struct pmk_count *c, const struct pmk_event *ev),
		      bool has_clock);
/* Put the events that can be counted into the plan, in their order. event_of[] receives the index
 * of each in the list. `because` returns the reason why an event cannot be counted, or NULL. An
 * event with req.how belongs to the second PMU of the plan. */
typedef const char *pmk_not_counted_fn(const struct pmk_count *c,
				       const struct pmk_event_request *req);
void pmk_choose_countable(struct pmk_count *c, pmk_not_counted_fn *because, struct pmk_plan *plan,
			  unsigned event_of[PMK_MAX_EVENTS]);
/* Calls pmk_choose_countable(), and puts the events on counters. Returns 0 or a failure. */
int pmk_choose_plan(struct pmk_count *c, pmk_not_counted_fn *because, struct pmk_plan *plan,
		    unsigned event_of[PMK_MAX_EVENTS]);
/* Fill the row of event i, except its value. Its trust becomes `trust` if the event is counted. */
void pmk_choose_row(const struct pmk_count *c, unsigned i, enum pmk_trust trust,
		    struct pmk_row *row);
#endif
