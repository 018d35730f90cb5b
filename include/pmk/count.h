/* SPDX-License-Identifier: MIT */
/* Stable. */
/*
 * Counting a program: what `pmk stat` does, as a library. Host library only.
 *
 * 	struct pmk_count *c = pmk_count_new();
 * 	struct pmk_count_row row = { .size = sizeof(row) };
 *
 * 	if (pmk_count_set(c, "event", "cycles,instructions") || pmk_count_program(c, argv) ||
 * 	    pmk_count_run(c, NULL))
 * 		fprintf(stderr, "%s\n", pmk_count_get_error(c)->text);
 * 	for (unsigned i = 0; pmk_count_get_row(c, i, &row); i++)
 * 		printf("%s %llu\n", row.name, (unsigned long long)row.value);
 * 	pmk_count_free(c);
 *
 * A handle is one request and its results. The setting "target" selects emulation, this machine, a
 * waveform dump, or a board. The interface is the same for all targets.
 *
 * Errors. Functions that can fail return 0 or an enum pmk_count_failure; pmk_count_get_error()
 * returns a readable line of text. The library prints nothing and never exits. All functions accept
 * a NULL handle, and report that it could not be allocated.
 *
 * Sizes. Later versions may append members to the structs that the caller allocates: rows, metrics,
 * the summary and the listener. The caller therefore sets their first member, `size`, to the sizeof
 * of the struct; the compiled program then works with later versions of the library. A size that no
 * version had is an error.
 *
 * Threads. A handle is for one thread at a time; pmk_count_stop() may be called by any thread and
 * from signal handlers. Handles share no data, so threads can count at the same time, each with its
 * own handle.
 *
 * Effects on the process: programs and emulators are its children, with its standard streams unless
 * settings say otherwise. The library starts them by fork() and waits only for their process IDs;
 * SIGCHLD must not be ignored. No signal handler is installed and no signal is blocked outside of
 * fork(). While the library opens counters of this machine, it raises the soft limit of open files
 * to the hard limit. Emulators end with the thread that started them. Environment: PMK_DATA,
 * PMK_PLUGIN, PMK_QEMU_DIR, PATH, HOME, XDG_CONFIG_HOME and XDG_CACHE_HOME are read as described in
 * pmk(1).
 */
#ifndef PMK_COUNT_H
#define PMK_COUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct pmk_count;
struct pmk_result; /* <pmk/result.h> */

/* The kind of a failure. The numbers are the exit codes of pmk. */
enum pmk_count_failure {
	PMK_COUNT_FAILED = 125,	   /* counting failed or was not possible */
	PMK_COUNT_NOT_EXEC = 126,  /* the program cannot be executed */
	PMK_COUNT_NOT_FOUND = 127, /* there is no such program */
	PMK_COUNT_USAGE = 129,	   /* the request is invalid */
};

struct pmk_count_error {
	int32_t failure; /* enum pmk_count_failure; 0: there was none */
	/* One line without a newline: what failed, where, what to do; "" without a failure. */
	const char *text;
};

/* Returns a new handle; NULL if out of memory or of file descriptors. Free it with
 * pmk_count_free(), but not while it runs. */
struct pmk_count *pmk_count_new(void);
void pmk_count_free(struct pmk_count *c);

/* Returns the last failure. It is valid until the next call for the handle, and never NULL. */
const struct pmk_count_error *pmk_count_get_error(struct pmk_count *c);

/* ---- the request ---------------------------------------------------------------------------- */

/*
 * Change a setting. Names and values are those of the long options of pmk stat, pmk-stat(1):
 *
 * 	target                           "emu", "linux", "wave:FILE",
 * 	                                 "openocd:HOST:PORT", "gdb:HOST:PORT",
 * 	                                 "xvc:HOST:PORT", "devmem" or "devmem:FILE"
 * 	event, metrics                   events and metrics to count; comma-separated lists
 * 	pmu, core, set, traffic, layout  the modelled core and its surroundings
 * 	map, layer, packets              how to read a waveform dump
 * 	detailed, null                   count more events than by default; count none
 * 	pid, all-cpus, cpu, no-inherit   the processes or CPUs to count on this machine
 * 	repeat, interval, passes         how often to count, and what to report about intervals
 * 	interval-count, summary, no-summary
 * 	delay, timeout                   when to begin and to end
 * 	sample, sample-seed              count short pieces, and estimate the rest
 * 	guest, irq, at, log              software in an emulator that programs the PMU itself
 * 	region, from, to, no-aggr, bars  how results are split
 * 	per-thread
 * 	env, sysroot, qemu, random-seed  the environment of an emulated program
 *
 * Settings that only the library has:
 *
 * 	data                             the directory with cores/, metrics/ and layouts/
 * 	plugin                           the module for QEMU, or the directory with all of them
 * 	stdin                            what the program reads: "fd:N" or "file:PATH"
 * 	stdout, stderr                   where its output goes: "fd:N", "file:PATH" or "capture";
 * 	                                 stderr accepts "stdout", too
 *
 * The value of a flag ("all-cpus", "no-aggr", "no-inherit", "bars", "detailed", "null", "summary",
 * "no-summary", "per-thread", "sample", "guest") is NULL. Settings that can be repeated add up:
 * event, metrics, set, traffic, region, env; for the others the last value wins. Texts are copied.
 * Returns 0, PMK_COUNT_USAGE or PMK_COUNT_FAILED. Error messages name the setting, as in 'repeat'.
 */
int pmk_count_set(struct pmk_count *c, const char *name, const char *value);

/* The kind of value that a setting takes. */
enum pmk_count_kind {
	PMK_COUNT_FLAG,	  /* no value: pass NULL */
	PMK_COUNT_NUMBER, /* a decimal number */
	PMK_COUNT_TEXT,
	PMK_COUNT_LIST, /* a text; the setting can be repeated, and the values add up */
};

struct pmk_count_setting {
	const char *name; /* "repeat" */
	int32_t kind;	  /* enum pmk_count_kind */
	/* The targets that accept the setting, separated by spaces: "emu wave"; NULL: all. */
	const char *ways;
	const char *brief; /* a one-line description */
};

/* Returns setting number i, from 0; NULL if there are no more. */
const struct pmk_count_setting *pmk_count_settings(uint32_t i);

/* Set the program and its arguments, NULL terminated; they are copied. A list without words removes
 * the program again. With the setting "qemu" these are additional arguments of the emulator. */
int pmk_count_program(struct pmk_count *c, char *const *argv);

/* ---- counting ------------------------------------------------------------------------------- */

/* Callbacks during counting. They run in the thread of pmk_count_run(). Each may be NULL. */
struct pmk_count_listener {
	size_t size; /* sizeof(struct pmk_count_listener), set by the caller */
	void *ctx;
	/* Called when the request was accepted. The summary contains what is counted; there are no
	 * rows yet. */
	void (*begin)(void *ctx, struct pmk_count *c);
	/* Called when new rows exist, from `first` on: an interval as soon as it ends; a region, a
	 * core or the whole run when it has ended. */
	void (*rows)(void *ctx, struct pmk_count *c, uint32_t first);
	/* Called with a line that users should see at once. */
	void (*note)(void *ctx, const char *text);
	/* Called about ten times a second while a dump is read: bytes so far, and the total; 0: not
	 * known. */
	void (*progress)(void *ctx, uint64_t bytes, uint64_t size);
	/* Called about five times a second while a program is emulated: guest seconds (0: not
	 * known), and the approximate number of instructions of this run so far. */
	void (*running)(void *ctx, double seconds, uint64_t insns);
};

/* Check whether the request can be met. This reads files but starts nothing. If the caller has not
 * called this, pmk_count_run() does. After a failure the caller can change settings and call it
 * again. The listener is copied; pmk_count_run() uses it, too, if its own `l` is NULL. `l` may be
 * NULL in both. */
int pmk_count_prepare(struct pmk_count *c, const struct pmk_count_listener *l);

/* Count until the program ends or pmk_count_stop() is called. Call it once per handle. */
int pmk_count_run(struct pmk_count *c, const struct pmk_count_listener *l);

/*
 * End the run, as Ctrl-C does for pmk: a program that has not ended by itself 300 ms later is sent
 * `signal` (1 … 64, SIGINT for example), and after 2 s more it is killed. The counts so far become
 * the results. Async-signal-safe.
 */
void pmk_count_stop(struct pmk_count *c, int signal);

/* ---- results -------------------------------------------------------------------------------- */

/* One number with its description. Texts are valid until pmk_count_free(). */
struct pmk_count_row {
	size_t size;	  /* sizeof(struct pmk_count_row), set by the caller */
	const char *name; /* the name in the request: "cycles" */
	const char *pmu;  /* PMU of the event: "arm1176" */
	const char *unit; /* unit of the value: "ns"; NULL: a plain number */
	/* "exact", "modelled", "measured", "scaled", "wrapped", "partial", "inexact", "sampled",
	 * "not supported", "not counted" */
	const char *trust;
	/* Why there is no value, or a caveat about it; NULL: none. */
	const char *reason;
	const char *region; /* region in which it was counted; NULL: the whole run */
	int32_t cpu;	    /* -1: all */
	uint32_t section;   /* rows with the same number describe the same place and time; from 0 */
	uint32_t group;	    /* rows of one {group} have the same number; 0: no group */
	int32_t has_value;  /* 0: there is no value, and `reason` says why */
	uint64_t value;	    /* with several runs: the rounded mean */
	uint64_t entries;   /* how often the region was entered */
	uint64_t runtime_ns; /* how long it was counted; in emulation, the emulated core's time */
	double coverage;     /* share of the time in which it was counted; 1.0: always */
	double stddev_pct; /* with several runs: standard deviation of the mean, in percent of it */
	/* Not 0: the row describes an interval, and the next three members are the time of its end,
	 * since the start. */
	int32_t interval;
	/*
	 * If it is not 0, `value` is the number of occurrences, and the latency_… members say how
	 * long these took, in cycles.
	 */
	int32_t has_latency;
	uint64_t at_cycles, at_insns; /* 0: not known */
	double at_seconds;
	uint64_t latency_n, latency_sum;   /* number of timed occurrences, and their sum */
	uint64_t latency_min, latency_max; /* min > max: not known */
	/* With the setting "per-thread": name and number of the thread, "sleep-4711". Otherwise
	 * NULL. */
	const char *thread;
	/* With the setting "sample": with 95 % probability the true count is within this many
	 * percent of `value`. Otherwise 0. */
	double margin_pct;
	/* For a distribution that is not of latencies, its quantity: "beats in a burst".
	 * has_latency is then 0, and the four latency_… members describe this quantity. NULL: no
	 * such distribution. */
	const char *spread_of;
	/* The distribution by size: element i is the number of values of i bits, that is 0, 1, 2 to
	 * 3, 4 to 7, and so on; NULL: not known. */
	const uint64_t *histogram;
	uint32_t nhistogram;
};

/* One metric in one section. Texts are valid until pmk_count_free(). */
struct pmk_count_metric {
	size_t size;	    /* sizeof(struct pmk_count_metric), set by the caller */
	const char *name;   /* "cpi" */
	const char *unit;   /* "cycles/insn", "%", or "" */
	const char *reason; /* why it is not valid, or NULL */
	const char *region; /* region, cpu and section as in a row */
	int32_t cpu;
	uint32_t section;
	int32_t valid;
	double value;
	const char *thread; /* as in a row, or NULL */
};

/* The run as a whole. Texts are valid until pmk_count_free(); NULL: not known. */
struct pmk_count_summary {
	size_t size;		/* sizeof(struct pmk_count_summary), set by the caller */
	const char *pmu, *core; /* core NULL: no core was modelled */
	const char *command;	/* quoted for display */
	const char *producer;	/* the program or hardware that counted: "qemu-arm 7.2.22" */
	const char *settings;	/* changed settings of the core */
	/* Accuracy of the modelled cycles against real cores; NULL: no core was modelled. */
	const char *checked;
	const char *warning; /* warnings for the reader, as lines; NULL: none */
	uint32_t passes;     /* number of passes, each with other events in the counters */
	uint32_t runs, processes, threads;
	int32_t partial; /* not 0: the run was cut off, and the counts end there */
	/* Exit code of the program as a shell reports it: 128 + signal if it was killed. */
	int32_t exit_code;
	double elapsed;	 /* duration of a run on the host, in seconds */
	double clock_hz; /* clock of the cycles; 0: not known */
};

/* These get a row or a metric. They return false if there is no such item, or if `size` is wrong;
 * pmk_count_get_error() then reports the latter. Rows are in the order in which they arrived. */
bool pmk_count_get_row(const struct pmk_count *c, uint32_t i, struct pmk_count_row *row);
bool pmk_count_get_metric(const struct pmk_count *c, uint32_t i, struct pmk_count_metric *metric);
bool pmk_count_get_summary(const struct pmk_count *c, struct pmk_count_summary *s);

/* Returns the program's output to "stdout" or "stderr" in all runs, if that setting is "capture";
 * otherwise NULL. A 0 follows the last byte. Valid until pmk_count_free(). */
const char *pmk_count_get_output(const struct pmk_count *c, const char *stream, size_t *size);

/* Returns all results as one record, for the writers of <pmk/result.h>. Valid until
 * pmk_count_free(). */
const struct pmk_result *pmk_count_result(const struct pmk_count *c);

#ifdef __cplusplus
}
#endif

#endif
