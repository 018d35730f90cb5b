/* SPDX-License-Identifier: MIT */
/* May change in 0.x. */
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
#include <pmk/spread.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How far to trust a number (docs/DESIGN.md, section 5). */
enum pmk_trust {
	PMK_TRUST_EXACT,    /* it depends on the instruction stream only */
	PMK_TRUST_MODELLED, /* it depends on the core's parameters */
	PMK_TRUST_MEASURED, /* counted by hardware */
	PMK_TRUST_SCALED,   /* time-shared; see `coverage` */
	PMK_TRUST_WRAPPED,  /* a counter wrapped and part was missed: a lower bound */
	PMK_TRUST_PARTIAL, /* a part of the program was not counted: a lower bound; see `warning` */
	/* it may be off by a little, or differ between runs; see `warning` and `note` */
	PMK_TRUST_INEXACT,
	PMK_TRUST_SAMPLED, /* from samples: each stands for a number of occurrences, its period */
	PMK_TRUST_NOT_SUPPORTED, /* no value; `reason` says why */
	PMK_TRUST_NOT_COUNTED,	 /* no value; it never ran */
};

/* "exact" … "not supported", "not counted" */
const char *pmk_trust_name(enum pmk_trust t);
/* False for the two states that have no value. */
bool pmk_trust_has_value(enum pmk_trust t);

/* The distribution of an event's values: over the occurrences of a region, or as a latency
 * counter saw them. */
struct pmk_distribution {
	struct pmk_stats values; /* n = 0: there were none; min > max: the extremes are not known */
	/* For a latency counter: the row's value is the number of occurrences, and these are
	 * their lengths in cycles. */
	bool latency;
	/* What the values are where they are no lengths in cycles: "beats in a burst"; or NULL. */
	const char *of;
	/* The values by size; NULL: not known. It goes with the section, to free(). */
	struct pmk_histogram *histogram;
	bool full;	/* occurrences overlapped: less accurate */
	bool saturated; /* some may have been longer than max */
	uint64_t raw;	/* sum before the cost of measuring was subtracted */
	/* the cost: of an empty region; of a region for the one around it */
	uint64_t cost, nested;
};

/* One value of one event in one place and time. */
struct pmk_row {
	const struct pmk_event *event; /* NULL: it has no code of 16 bits */
	const struct pmk_pmu *pmu;     /* PMU of the event; NULL: the result's PMU */
	const char *name;	       /* the name that the user asked for, e.g. "cycles" */
	/* of the value: "ns", or with the kernel's scale before it, "0.25 MiB"; NULL: a plain
	 * number. Text, CSV and lines of JSON have perf's unit instead: "msec", "MiB". */
	const char *unit;
	uint64_t value; /* with runs > 1: the rounded mean */
	enum pmk_trust trust;
	const char *reason; /* why there is no value, or only a lower bound; or NULL */
	/* Why other events of its family were not counted, so that a mean over the family is not
	 * known. NULL: all of them were counted. A metric with two or more such rows is such a
	 * mean. */
	const char *gap;
	double stddev_pct; /* standard deviation of the mean in percent, when runs > 1 */
	/* The true count is within so many percent of `value`, with 95 %: of an emulated program
	 * that was sampled; else 0. */
	double margin_pct;
	double coverage;     /* share of the time in which it was counted, 1.0 = always */
	uint64_t runtime_ns; /* time in which it was counted; in emulation, the guest's time */
	unsigned group;	     /* 0 = none; rows of one {group} share a number */
	/* it was sampled, once in this many occurrences; 0: it was not sampled */
	uint64_t period;
	bool has_dist;
	struct pmk_distribution dist;
};

/* A block of rows: the whole run, a region, an interval, a core. */
struct pmk_section {
	/* 1, 2, …: the dump of firmware that it comes from; 0: none */
	unsigned dump;
	char *region; /* region name, or NULL for the whole run */
	char *thread; /* "name-number" of the one thread that was counted, or NULL */
	/* for firmware: number of the region; BEGINs and ENDs without a partner */
	uint64_t region_id, unmatched;
	int cpu; /* -1: all */
	bool interval;
	/* end of the interval, cycles and instructions since start; 0: not known */
	uint64_t at_cycles, at_insns;
	double at_seconds; /* the same in seconds, of the guest in emulation */
	uint64_t entries;  /* how often the region was entered */
	struct pmk_row *rows;
	unsigned nrows;
};

/* Samples of one event in one place. */
struct pmk_profile_row {
	char *function; /* NULL: not known */
	bool somewhere; /* false: it was polled, and `address` is not known either */
	/* where the function begins; without a function, the address of the sample */
	uint64_t address;
	char *region; /* the region that was open, or NULL */
	uint64_t samples;
	uint64_t late; /* how many of them came a period or more after their time */
};

/* Where the samples of one event lie: a flat profile, most samples first. The caller allocates
 * the rows and their strings with malloc(); pmk_profile_free() frees them. */
struct pmk_profile {
	unsigned dump; /* as in a section */
	const struct pmk_event *event;
	const struct pmk_pmu *pmu;
	uint64_t period;  /* 0: not known */
	uint64_t samples; /* samples in all rows */
	struct pmk_profile_row *rows;
	size_t nrows;
};

/* A dump of firmware: the facts that JSON shows. */
struct pmk_dump_facts {
	uint64_t offset; /* where it begins in its file, bytes */
	unsigned version;
	char *pmu;    /* the name in the dump */
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
	bool no_divisor;		/* the reason is that there was nothing to divide by */
	const struct pmk_event *beside; /* the row that text and CSV print it beside, or NULL */
};

struct pmk_result {
	const struct pmk_pmu *pmu;
	char *core;    /* "arm1176" */
	char *command; /* as typed, quoted for display */
	/* how near its modelled cycles are to a real core's, "within 15 % (docs/cycles.md)", or
	 * "unchecked"; NULL where none are modelled */
	char *checked;
	char *producer; /* "qemu-arm 7.2.22" */
	char *settings; /* "dcache.size=32K …" overrides, or "" */
	char *env;	/* what --env passed, or "" */
	/* all that the program sees, where it is not pmk's own environment; or NULL. How many
	 * variables of that it does not see: text output only, as it differs between users. */
	char *environment;
	unsigned env_left_out;
	/* devices of the emulated machine take their time from the host: runs may differ */
	bool host_time;
	char *warning; /* what the reader has to know, as lines, or NULL */
	char *note;    /* where the model falls short of this core or program, as lines, or NULL */
	unsigned passes; /* how many counter programmings it took */
	unsigned runs;	 /* -r */
	unsigned processes, threads;
	bool partial; /* the end of the run is missing: killed, interrupted */
	/* Host seconds, of a run; text output only, never in JSON (it would not repeat). */
	double elapsed;
	double *run_seconds; /* the same of each run */
	unsigned nrun_seconds;
	/* processor time of the program on this machine, of a run; text output only, too */
	bool has_cpu_time;
	double user, sys;
	bool sampled;	 /* an emulated program was: rows have a margin */
	bool histograms; /* rows with a latency have a histogram, too */
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
/* Remove the last section after it was written, because there are many. */
void pmk_result_drop(struct pmk_result *r);
/* One more run is over and took that long: sets `elapsed` to the mean. 0 or PMK_ENOMEM. */
int pmk_result_ran(struct pmk_result *r, double seconds);
/* Append the facts of a dump, all zero; their strings become the result's. NULL when out of
 * memory. */
struct pmk_dump_facts *pmk_result_add_dump(struct pmk_result *r);
/* Append a line to the warnings; when out of memory, it is lost. */
void pmk_result_warn(struct pmk_result *r, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Append a line to the notes; when out of memory, it is lost. */
void pmk_result_note(struct pmk_result *r, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

void pmk_profile_free(struct pmk_profile *p);

/*
 * Metrics: text files, one each (docs/FORMATS.md): events, formula, unit, explanation.
 * pmk_metrics_load reads every *.metric file of a NULL terminated list of directories (a later
 * directory overrides a name of an earlier one; a directory that does not exist is no error).
 * Returns 0, or a negative error with "file:line: why" in msg.
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
 * Evaluate a metric over one section. Event names are resolved against r->pmu. The value is not
 * valid (and the reason says why) when an event is missing or has no value, a divisor is 0, or the
 * parts are not comparable (different coverage).
 */
struct pmk_metric_value pmk_metric_eval(const struct pmk_metric *m, const struct pmk_result *r,
					const struct pmk_section *s);

/*
 * Layers of a bus, and the events that describe them: the text report draws these. Lists end with
 * NULL. When an event was not counted, its part is left out and not guessed.
 */
#define PMK_LAYER_TRANSFERS 2
#define PMK_LAYER_BURSTS    8

struct pmk_layer {
	const char *name; /* "ARM-D" */
	/* Each of them counts cycles of the layer: those that end a transfer, those in which a
	 * transfer waits. */
	const struct pmk_event *transfer[PMK_LAYER_TRANSFERS + 1], *wait[PMK_LAYER_TRANSFERS + 1];
	/* Parts of the waits: on first beats, because of the slave and because of the bus. NULL:
	 * they are not distinguished. */
	const struct pmk_event *slave, *bus;
	const struct pmk_event *burst[PMK_LAYER_BURSTS + 1]; /* empty: the layer has none */
};

struct pmk_layers {
	const struct pmk_event *cycles; /* cycles of every layer, while it is counted */
	const struct pmk_layer *layer;
	unsigned n;
};

/* How to draw. */
struct pmk_bars {
	/* NULL: there are no layers; trends of latencies are drawn all the same */
	const struct pmk_layers *layers;
	unsigned columns; /* of the terminal */
	bool utf8;	  /* false: ASCII */
};

/*
 * Writers. `metrics` is a NULL terminated list, or NULL. They write numbers in the C locale
 * whatever the locale is. Return 0, or PMK_EIO when the stream failed (disk full).
 *
 * A writer is begun, fed section by section (intervals arrive while the program runs) and ended;
 * whatever happened in between, end() leaves a closed document.
 */
enum pmk_format {
	PMK_FORMAT_TEXT,
	PMK_FORMAT_CSV,
	PMK_FORMAT_JSON,       /* a document */
	PMK_FORMAT_JSON_LINES, /* perf's -j; without profiles */
};

struct pmk_write_options {
	enum pmk_format format;
	const char *separator;	     /* CSV */
	bool big_num;		     /* text: group digits */
	bool colour;		     /* text: only on a terminal */
	bool verbose;		     /* text: reasons and references in full */
	bool metric_only;	     /* the metrics alone, without values; not in a document */
	bool plot;		     /* text: events and metrics over the intervals; needs `bars` */
	bool table;		     /* text: how long each of several runs took */
	bool firmware;		     /* CSV, JSON: also the columns and keys of pmk report */
	const struct pmk_bars *bars; /* text: draw them; NULL: do not */
	const struct pmk_metric *const *metrics; /* read anew for every section */
	unsigned columns; /* text: break notes and the lines at the end there; 0: do not */
};

struct pmk_writer;

struct pmk_writer *pmk_writer_begin(FILE *f, const struct pmk_write_options *opt,
				    const struct pmk_result *r);
int pmk_writer_section(struct pmk_writer *w, const struct pmk_result *r,
		       const struct pmk_section *s);
/* Call after the sections, or after those of one dump. */
int pmk_writer_profile(struct pmk_writer *w, const struct pmk_result *r,
		       const struct pmk_profile *p);
/* Writes what is only known at the end (such as how it was counted), closes the document, frees
 * the writer. */
int pmk_writer_end(struct pmk_writer *w, const struct pmk_result *r);

#ifdef __cplusplus
}
#endif

#endif
