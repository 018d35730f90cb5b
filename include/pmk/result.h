/* SPDX-License-Identifier: MIT */
/* May change in 0.x. */
/*
 * The result: one record of all measured numbers, each with a label for how far to trust it. The
 * ways to count fill it; metrics and writers (JSON, CSV, text) read it. It does not depend on where
 * the numbers come from. Host library only.
 *
 * Ownership: members of type `const char *` point to constant strings of the catalogues, which
 * outlive the result. Members of type `char *` were allocated by malloc(); pmk_result_free() frees
 * them.
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
	/* It may be slightly wrong, or differ between runs; see `warning` and `note`. */
	PMK_TRUST_INEXACT,
	PMK_TRUST_SAMPLED, /* from samples; each sample stands for one period of occurrences */
	PMK_TRUST_NOT_SUPPORTED, /* no value; `reason` says why */
	PMK_TRUST_NOT_COUNTED,	 /* no value; the event was never on a counter */
};

/* Returns the name of a trust level: "exact" … "not supported", "not counted". */
const char *pmk_trust_name(enum pmk_trust t);
/* False for the two levels that have no value. */
bool pmk_trust_has_value(enum pmk_trust t);

/* The distribution of an event's values: over the occurrences of a region, or measured by a latency
 * counter. */
struct pmk_distribution {
	struct pmk_stats values; /* n = 0: there were none; min > max: the extremes are not known */
	/* True if a latency counter measured the distribution: the row's value is the number of
	 * occurrences, and the distribution is of their latencies in cycles. */
	bool latency;
	/* The quantity, if it is not a latency in cycles: "beats in a burst"; or NULL. */
	const char *of;
	/* Histogram of the values; NULL: not known. Allocated by malloc(), and freed with the
	 * section. */
	struct pmk_histogram *histogram;
	bool full;	/* occurrences overlapped: less accurate */
	bool saturated; /* some may have been longer than max */
	uint64_t raw;	/* sum before the cost of measuring was subtracted */
	/*
	 * The cost of measuring: `cost` is the count of an empty region, `nested` is the count that
	 * a region adds to the region around it.
	 */
	uint64_t cost, nested;
};

/* One value of one event in one place and time. */
struct pmk_row {
	const struct pmk_event *event; /* NULL: it has no code of 16 bits */
	const struct pmk_pmu *pmu;     /* PMU of the event; NULL: the result's PMU */
	const char *name;	       /* the name in the user's request, for example "cycles" */
	/* Unit of the value: "ns", or with the kernel's scale in front, "0.25 MiB"; NULL: a plain
	 * number. Text, CSV and JSON lines print perf's unit instead: "msec", "MiB". */
	const char *unit;
	uint64_t value; /* with runs > 1: the rounded mean */
	enum pmk_trust trust;
	const char *reason; /* why there is no value, or why it is a lower bound; or NULL */
	/* Why other events of the event's family were not counted, so that a mean over the family
	 * is not known. NULL: all of them were counted. A metric that uses two or more rows with
	 * a gap is such a mean. */
	const char *gap;
	double stddev_pct; /* standard deviation of the mean in percent, when runs > 1 */
	/* For an emulated program that was sampled: with 95 % probability the true count is within
	 * this many percent of `value`; else 0. */
	double margin_pct;
	double coverage;     /* share of the time in which it was counted, 1.0 = always */
	uint64_t runtime_ns; /* time in which it was counted; in emulation, the guest's time */
	unsigned group;	     /* rows of one {group} of events have the same number; 0: no group */
	/* A sample was taken each time the event had occurred this many times; 0: no samples. */
	uint64_t period;
	bool has_dist;
	struct pmk_distribution dist;
};

/* A block of rows: the whole run, a region, an interval, a core. */
struct pmk_section {
	/* Number of the firmware dump that it comes from, 1, 2, …; 0: none. */
	unsigned dump;
	char *region; /* region name, or NULL for the whole run */
	char *thread; /* "name-number" of the one thread that was counted, or NULL */
	/* For firmware: the number of the region, and the number of BEGINs and ENDs without a
	 * partner. */
	uint64_t region_id, unmatched;
	int cpu; /* -1: all */
	bool interval;
	/* End of the interval, in cycles and instructions since the start; 0: not known. */
	uint64_t at_cycles, at_insns;
	double at_seconds; /* end of the interval in seconds; in emulation, the guest's seconds */
	uint64_t entries;  /* how often the region was entered */
	struct pmk_row *rows;
	unsigned nrows;
};

/* Samples of one event in one place. */
struct pmk_profile_row {
	char *function; /* NULL: not known */
	bool somewhere; /* false: the sample was polled, and `address` is not known either */
	/* Address of the function's beginning; if the function is not known, of the sample. */
	uint64_t address;
	char *region; /* the region that was open, or NULL */
	uint64_t samples;
	uint64_t late; /* number of samples that were taken a period or more too late */
};

/* The distribution of the samples of one event: a flat profile, most samples first. The caller
 * allocates the rows and their strings with malloc(); pmk_profile_free() frees them. */
struct pmk_profile {
	unsigned dump; /* as in a section */
	const struct pmk_event *event;
	const struct pmk_pmu *pmu;
	uint64_t period;  /* 0: not known */
	uint64_t samples; /* samples in all rows */
	struct pmk_profile_row *rows;
	size_t nrows;
};

/* Facts about a dump that firmware wrote (<pmk/dump.h>), as in the JSON output. */
struct pmk_dump_facts {
	uint64_t offset; /* offset in its file, in bytes */
	unsigned version;
	char *pmu;    /* name of the PMU in the dump */
	char *reason; /* why it is not complete, or NULL */
	bool crlf;    /* CR LF was converted back */
	uint64_t regions, samples, late;
	bool sampled; /* `dropped` is known */
	uint64_t dropped;
};

struct pmk_metric_value {
	const char *name; /* "cpi" */
	const char *unit; /* "cycles/insn", "%", or "" */
	double value;
	bool valid;
	const char *reason; /* why `value` is not valid, or NULL */
	bool no_divisor;    /* it is not valid because a divisor is 0 */
	/* Text and CSV print the metric next to the row of this event; NULL: on a separate line. */
	const struct pmk_event *beside;
};

struct pmk_result {
	const struct pmk_pmu *pmu;
	char *core;    /* "arm1176" */
	char *command; /* as typed, quoted for display */
	/* Accuracy of the modelled cycles, "within 15 % (docs/cycles.md)", or "unchecked"; NULL:
	 * none are modelled. */
	char *checked;
	char *producer; /* "qemu-arm 7.2.22" */
	char *settings; /* "dcache.size=32K …" overrides, or "" */
	char *env;	/* variables that --env passed, or "" */
	/* The complete environment of the program if it is not pmk's own, or NULL; and the number
	 * of pmk's variables that were not passed (text output only, because it differs between
	 * users). */
	char *environment;
	unsigned env_left_out;
	/* Devices of the emulated machine take their time from the host: runs may differ. */
	bool host_time;
	char *warning;	 /* warnings for the reader, as lines, or NULL */
	char *note;	 /* limits of the model for this core or program, as lines, or NULL */
	unsigned passes; /* number of passes, each with other events in the counters */
	unsigned runs;	 /* -r */
	unsigned processes, threads;
	bool partial; /* the end of the run is missing: killed, interrupted */
	/* Duration of a run on the host, in seconds; text output only, never in JSON (it would not
	 * repeat). */
	double elapsed;
	double *run_seconds; /* the duration of each run, in seconds */
	unsigned nrun_seconds;
	/* Processor time of the program on this machine, in seconds per run; text output only. */
	bool has_cpu_time;
	double user, sys;
	bool sampled;	 /* an emulated program was sampled: rows have a margin */
	bool histograms; /* rows with a latency have a histogram, too */
	double clock_hz;
	int exit_status; /* wait status of the command */
	struct pmk_section *sections;
	unsigned nsections;
	struct pmk_dump_facts *dumps;
	unsigned ndumps;
};

/* Make *r an empty result; free what belongs to it, but not *r itself. */
void pmk_result_init(struct pmk_result *r);
void pmk_result_free(struct pmk_result *r);
/* Append a section with `nrows` zeroed rows; NULL if out of memory. `region` is copied. */
struct pmk_section *pmk_result_add(struct pmk_result *r, const char *region, unsigned nrows);
/* Remove the last section, and free its rows. A caller that prints sections one by one drops each
 * after printing it, so that memory does not grow with their number. */
void pmk_result_drop(struct pmk_result *r);
/* Record the duration of one more run, in seconds, and set `elapsed` to the mean. Returns 0 or
 * PMK_ENOMEM. */
int pmk_result_ran(struct pmk_result *r, double seconds);
/* Append an element to r->dumps, with all members zero, and return it; NULL if out of memory. The
 * result owns the strings that the caller stores in it. */
struct pmk_dump_facts *pmk_result_add_dump(struct pmk_result *r);
/* Append a line to the warnings. If out of memory, the line is lost. */
void pmk_result_warn(struct pmk_result *r, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Append a line to the notes. If out of memory, the line is lost. */
void pmk_result_note(struct pmk_result *r, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

void pmk_profile_free(struct pmk_profile *p);

/*
 * Metrics: one text file per metric (docs/FORMATS.md) with events, formula, unit and explanation.
 * pmk_metrics_load() reads every *.metric file of the directories in `dirs`, a NULL terminated
 * list. If two directories have a metric of the same name, that of the later directory is used. A
 * directory that does not exist is no error. Returns 0 and *out, which the caller frees with
 * pmk_metrics_free(), or a negative error with "file:line: why" in msg.
 */
struct pmk_metrics;
struct pmk_metric {
	const char *name, *title, *unit, *formula, *text;
	const char *beside;	   /* the metric is printed next to this event */
	const char *const *events; /* names of events that the formula needs, NULL terminated */
	const char *file;	   /* path of the metric's file */
};

int pmk_metrics_load(struct pmk_metrics **out, const char *const *dirs, char *msg, size_t size);
void pmk_metrics_free(struct pmk_metrics *m);
unsigned pmk_metrics_count(const struct pmk_metrics *m);
const struct pmk_metric *pmk_metrics_get(const struct pmk_metrics *m, unsigned i);
const struct pmk_metric *pmk_metrics_find(const struct pmk_metrics *m, const char *name);

/* True if the PMU has every event that the formula needs. */
bool pmk_metric_applies(const struct pmk_metric *m, const struct pmk_pmu *pmu);

/*
 * Evaluate a metric with the rows of one section. The names in the formula are names of events of
 * r->pmu. The value is not valid, and `reason` says why, if an event is missing or has no value, a
 * divisor is 0, or the events have different coverage.
 */
struct pmk_metric_value pmk_metric_eval(const struct pmk_metric *m, const struct pmk_result *r,
					const struct pmk_section *s);

/*
 * The layers of a bus, and the events that describe each layer. The text report draws a bar per
 * layer from them. Lists end with NULL. If an event was not counted, its part is not drawn.
 */
#define PMK_LAYER_TRANSFERS 2
#define PMK_LAYER_BURSTS    8

struct pmk_layer {
	const char *name; /* "ARM-D" */
	/* Events that count cycles of the layer: cycles that end a transfer, and cycles in which a
	 * transfer waits. */
	const struct pmk_event *transfer[PMK_LAYER_TRANSFERS + 1], *wait[PMK_LAYER_TRANSFERS + 1];
	/* Events that count waits on first beats: those caused by the slave, and those caused by
	 * the bus. NULL: the causes are not distinguished. */
	const struct pmk_event *slave, *bus;
	const struct pmk_event *burst[PMK_LAYER_BURSTS + 1]; /* empty: no burst events */
};

struct pmk_layers {
	const struct pmk_event *cycles; /* counts the cycles of every layer while it is enabled */
	const struct pmk_layer *layer;
	unsigned n;
};

/* How to draw the layers. */
struct pmk_bars {
	/* NULL: there are no layers; trends of latencies are still drawn. */
	const struct pmk_layers *layers;
	unsigned columns; /* width of the terminal */
	bool utf8;	  /* false: ASCII */
};

/*
 * The writers of results. The caller begins a writer, passes it one section after the other
 * (intervals arrive while the program runs), and ends it.
 *
 * Numbers are written as in the C locale, whatever the program's locale is. pmk_writer_begin()
 * returns NULL if out of memory. The other functions return 0, or PMK_EIO if the stream failed
 * (disk full). pmk_writer_end() completes the document and frees the writer even after errors.
 */
enum pmk_format {
	PMK_FORMAT_TEXT,
	PMK_FORMAT_CSV,
	PMK_FORMAT_JSON,       /* a document */
	PMK_FORMAT_JSON_LINES, /* perf's -j; without profiles */
};

struct pmk_write_options {
	enum pmk_format format;
	const char *separator; /* CSV */
	bool big_num;	       /* text: group the digits of numbers */
	bool colour;	       /* text: only on a terminal */
	bool verbose;	       /* text: reasons and references in full */
	bool metric_only;      /* only the metrics, without event values; not in a document */
	bool plot;	       /* text: events and metrics over the intervals; needs `bars` */
	bool table;	       /* text: a table with the duration of each of several runs */
	bool firmware;	       /* CSV, JSON: also the columns and keys of pmk report for firmware */
	const struct pmk_bars *bars; /* text: draw them; NULL: do not */
	/* NULL terminated list of the metrics to write, or NULL. It is read again for every
	 * section, so it must exist until pmk_writer_end(). */
	const struct pmk_metric *const *metrics;
	unsigned columns; /* text: wrap notes and the last lines at this width; 0: do not wrap */
};

struct pmk_writer;

struct pmk_writer *pmk_writer_begin(FILE *f, const struct pmk_write_options *opt,
				    const struct pmk_result *r);
int pmk_writer_section(struct pmk_writer *w, const struct pmk_result *r,
		       const struct pmk_section *s);
/* Write a profile. Call it after the sections of the result, or after those of one dump. */
int pmk_writer_profile(struct pmk_writer *w, const struct pmk_result *r,
		       const struct pmk_profile *p);
/* Write the parts that are only known at the end, such as how events were counted, close the
 * document, and free the writer. */
int pmk_writer_end(struct pmk_writer *w, const struct pmk_result *r);

#ifdef __cplusplus
}
#endif

#endif
