/* SPDX-License-Identifier: MIT */
/*
 * The result: one record of everything measured and how far to trust it. Sessions fill it, writers
 * and metrics read it; it does not know where the numbers came from.
 *
 * Ownership: strings named `const char *` belong to the catalogues and outlive the result; those
 * named `char *` belong to the result and go with pmk_result_free().
 */
#ifndef PMK_RESULT_H
#define PMK_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <pmk/pmu.h>
#include <pmk/stats.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How far to trust a number (docs/DESIGN.md, section 4). */
enum pmk_trust {
	PMK_TRUST_EXACT,	 /* defined by the instruction stream */
	PMK_TRUST_MODELLED,	 /* depends on the core's parameters */
	PMK_TRUST_MEASURED,	 /* silicon */
	PMK_TRUST_SCALED,	 /* time-shared; see `coverage` */
	PMK_TRUST_WRAPPED,	 /* a counter wrapped and part was missed: a lower bound */
	PMK_TRUST_NOT_SUPPORTED, /* no value; `reason` says why */
	PMK_TRUST_NOT_COUNTED,	 /* no value; it never ran */
};

/* "exact" … "not supported", "not counted" */
const char *pmk_trust_name(enum pmk_trust t);
/* False for the two states that have no value. */
bool pmk_trust_has_value(enum pmk_trust t);

/* How an event's values are spread: over the occurrences of a region, or what a latency counter saw. */
struct pmk_distribution {
	struct pmk_stats values; /* n = 0: there was none; min > max: the extremes are not known */
	/* Of a latency counter: the row's value is how often, these are how long, in cycles. */
	bool latency;
	bool full;	/* occurrences overlapped: less accurate */
	bool saturated; /* there may have been longer ones than max */
	uint64_t raw;		 /* their sum before the cost of measuring was taken off */
	uint64_t cost, nested;	 /* that is: of an empty region; of one for the region around it */
};

/* One value of one event in one place and time. */
struct pmk_row {
	const struct pmk_event *event; /* NULL: it has no code of 16 bits */
	const struct pmk_pmu *pmu;     /* whose event it is; NULL: the result's */
	const char *name;	       /* as the user asked for it, e.g. "cycles" */
	const char *unit;	       /* of the value, "ns"; NULL: a plain number */
	uint64_t value;		       /* with runs > 1: the rounded mean */
	enum pmk_trust trust;
	const char *reason;  /* why there is no value, or only a lower bound; or NULL */
	/* There were others of its family that nothing counts, and why: a mean over the family cannot be told. NULL:
	 * all of them were counted. A metric with two such rows or more takes such a mean. */
	const char *gap;
	double stddev_pct;   /* standard deviation of the mean in percent, when runs > 1 */
	double coverage;     /* share of the time it was counted, 1.0 = always */
	uint64_t runtime_ns; /* time it was counted, the guest's in emulation */
	unsigned group;	     /* 0 = none; rows of one {group} share a number */
	uint64_t period;     /* it was sampled, once in so many; 0: it was not */
	bool has_dist;
	struct pmk_distribution dist;
};

/* A block of rows: the whole run, a region, an interval, a core. */
struct pmk_section {
	unsigned dump;		       /* 1, 2, …: the dump of firmware it comes from; 0: none */
	char *region;		       /* region name, or NULL for the whole run */
	uint64_t region_id, unmatched; /* of firmware: number; begins or ends without a partner */
	int cpu;		       /* -1: all */
	bool interval;
	uint64_t at_cycles,
		at_insns; /* end of the interval, cycles and instructions since start; 0: not known */
	double at_seconds; /* the same in seconds, of the guest in emulation */
	uint64_t entries;  /* how often the region was entered */
	struct pmk_row *rows;
	unsigned nrows;
};

/* Samples of one event in one place. */
struct pmk_profile_row {
	char *function;	  /* NULL: not known */
	bool somewhere;	  /* false: polled, `address` is not known either */
	uint64_t address; /* where the function begins, else of the sample */
	char *region;	  /* that was open, or NULL */
	uint64_t samples;
	uint64_t late; /* of them: they came a period or more after their time */
};

/* Where the samples of one event lie: a flat profile, most samples first. The caller allocates the rows
 * and their strings with malloc(); pmk_profile_free() frees them. */
struct pmk_profile {
	unsigned dump; /* as in a section */
	const struct pmk_event *event;
	const struct pmk_pmu *pmu;
	uint64_t period;  /* 0: not known */
	uint64_t samples; /* in all rows */
	struct pmk_profile_row *rows;
	size_t nrows;
};

/* A dump of firmware: what JSON tells of it. */
struct pmk_dump_facts {
	uint64_t offset; /* where it begins in its file, bytes */
	unsigned version;
	char *pmu;    /* as the dump names it */
	char *reason; /* why it is not complete, or NULL */
	bool crlf;    /* CR LF was undone */
	uint64_t regions, samples, late;
	bool sampled; /* `dropped` is known */
	uint64_t dropped;
};

struct pmk_metric_value {
	const char *name; /* "cpi" */
	const char *unit; /* "cycles/insn", "%", or "" */
	double value;
	bool valid;
	const char *reason;		/* why not valid */
	bool no_divisor;		/* that is: there was nothing to divide by */
	const struct pmk_event *beside; /* the row that text and CSV print it beside, or NULL */
};

struct pmk_result {
	const struct pmk_pmu *pmu;
	char *core;	 /* "arm1176" */
	char *command;	 /* as typed, quoted for display */
	char *producer;	 /* "qemu-arm 7.2.22" */
	char *settings;	 /* "dcache.size=32K …" overrides, or "" */
	char *env;	 /* what --env passed, or "" */
	char *warning;	 /* anything a reader must know, lines, or NULL */
	unsigned passes; /* how many counter programmings it took */
	unsigned runs;	 /* -r */
	unsigned processes, threads;
	bool partial;	/* the tail is missing: killed, interrupted */
	double elapsed; /* host seconds; text output only, never in -j (it would not repeat) */
	double clock_hz;
	int exit_status; /* wait status of the command */
	struct pmk_section *sections;
	unsigned nsections;
	struct pmk_dump_facts *dumps;
	unsigned ndumps;
};

void pmk_result_init(struct pmk_result *r);
void pmk_result_free(struct pmk_result *r);
/* Append a section with `nrows` zeroed rows; NULL when out of memory. region is copied. */
struct pmk_section *pmk_result_add(struct pmk_result *r, const char *region, unsigned nrows);
/* Forget the last section: it is written, and there are many. */
void pmk_result_drop(struct pmk_result *r);
/* Append the facts of a dump, all zero; their strings become the result's. NULL when out of memory. */
struct pmk_dump_facts *pmk_result_add_dump(struct pmk_result *r);
/* Append a line to the warnings; out of memory: it is lost. */
void pmk_result_warn(struct pmk_result *r, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

void pmk_profile_free(struct pmk_profile *p);

/*
 * Metrics: text files, one each (docs/FORMATS.md): events, formula, unit, explanation.
 * pmk_metrics_load reads every *.metric file of a NULL terminated list of directories (a later
 * directory overrides a name of an earlier one; a directory that does not exist is no error).
 * 0 or a negative error with "file:line: why" in msg.
 */
struct pmk_metrics;
struct pmk_metric {
	const char *name, *title, *unit, *formula, *text;
	const char *beside;	   /* name of the event it is printed beside */
	const char *const *events; /* NULL terminated event names the formula needs */
	const char *file;
};

int pmk_metrics_load(struct pmk_metrics **out, const char *const *dirs, char *msg, size_t size);
void pmk_metrics_free(struct pmk_metrics *m);
unsigned pmk_metrics_count(const struct pmk_metrics *m);
const struct pmk_metric *pmk_metrics_get(const struct pmk_metrics *m, unsigned i);
const struct pmk_metric *pmk_metrics_find(const struct pmk_metrics *m, const char *name);

/* True when the PMU has every event the formula needs. */
bool pmk_metric_applies(const struct pmk_metric *m, const struct pmk_pmu *pmu);

/*
 * Evaluate a metric over one section. Event names are resolved against r->pmu. Not valid (with the
 * reason) when an event is missing, has no value, a divisor is 0, or the parts are not comparable
 * (different coverage).
 */
struct pmk_metric_value pmk_metric_eval(const struct pmk_metric *m, const struct pmk_result *r,
					const struct pmk_section *s);

/*
 * Layers of a bus, by the events that tell of them: what the text report draws. Lists end with NULL. An
 * event that was not counted leaves out what it tells, and nothing is concluded about it.
 */
#define PMK_LAYER_TRANSFERS 2
#define PMK_LAYER_BURSTS    8

struct pmk_layer {
	const char *name; /* "ARM-D" */
	/* Each of them is a cycle of the layer: one that ends a transfer, one in which one waits. */
	const struct pmk_event *transfer[PMK_LAYER_TRANSFERS + 1], *wait[PMK_LAYER_TRANSFERS + 1];
	/* Of the waits: on first beats, because of the slave and of the bus. NULL: not told apart. */
	const struct pmk_event *slave, *bus;
	const struct pmk_event *burst[PMK_LAYER_BURSTS + 1]; /* empty: the layer knows none */
};

struct pmk_layers {
	const struct pmk_event *cycles; /* of all layers, while they are counted */
	const struct pmk_layer *layer;
	unsigned n;
};

/* How to draw. */
struct pmk_bars {
	const struct pmk_layers *layers; /* NULL: there are none; trends of latencies are drawn */
	unsigned columns;		 /* of the terminal */
	bool utf8;			 /* false: ASCII */
};

/*
 * Writers. `metrics` is a NULL terminated list, or NULL. They write numbers in the C locale whatever
 * the locale is. Return 0, or PMK_EIO when the stream failed (disk full).
 *
 * A writer is begun, fed section by section (intervals arrive while the program runs) and ended;
 * whatever happened in between, end() leaves a closed document.
 */
enum pmk_format { PMK_FORMAT_TEXT, PMK_FORMAT_CSV, PMK_FORMAT_JSON };

struct pmk_write_options {
	enum pmk_format format;
	const char *separator;	     /* CSV */
	bool big_num;		     /* text: group digits */
	bool colour;		     /* text: only on a terminal */
	bool verbose;		     /* text: reasons and references in full */
	bool firmware;		     /* CSV, JSON: the columns and keys of pmk report, too */
	const struct pmk_bars *bars; /* text: draw them; NULL: do not */
	const struct pmk_metric *const *metrics; /* read anew for every section */
};

struct pmk_writer;

struct pmk_writer *pmk_writer_begin(FILE *f, const struct pmk_write_options *opt,
				    const struct pmk_result *r);
int pmk_writer_section(struct pmk_writer *w, const struct pmk_result *r,
		       const struct pmk_section *s);
/* After the sections, or after those of one dump. */
int pmk_writer_profile(struct pmk_writer *w, const struct pmk_result *r,
		       const struct pmk_profile *p);
/* Writes what is only known at the end (how it was counted), closes, frees the writer. */
int pmk_writer_end(struct pmk_writer *w, const struct pmk_result *r);

#ifdef __cplusplus
}
#endif

#endif
