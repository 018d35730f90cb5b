/* SPDX-License-Identifier: MIT */
/* Stable. */
/*
 * Counting a program: what `pmk stat` does, as a library. Host library only.
 *
 *	struct pmk_count *c = pmk_count_new();
 *	struct pmk_count_row row = { .size = sizeof(row) };
 *
 *	if (pmk_count_set(c, "event", "cycles,instructions") || pmk_count_program(c, argv) ||
 *	    pmk_count_run(c, NULL))
 *		fprintf(stderr, "%s\n", pmk_count_get_error(c)->text);
 *	for (unsigned i = 0; pmk_count_get_row(c, i, &row); i++)
 *		printf("%s %llu\n", row.name, (unsigned long long)row.value);
 *	pmk_count_free(c);
 *
 * A handle is one request and its results. The setting "target" says where it is counted: in
 * emulation, on this machine, in a waveform dump, or on a board. The interface is the same for all
 * of them.
 *
 * Errors. Functions that can fail return 0 or an enum pmk_count_failure; pmk_count_get_error() has
 * a line of text for people. The library prints nothing and never exits. All functions accept a
 * NULL handle, and treat it as one that could not be allocated.
 *
 * Sizes. Later versions append members to the structs that the caller allocates: rows, metrics,
 * the summary and the listener. So the caller sets their first member, `size`, to sizeof the
 * struct, and a program works with later versions of the library as it is. A size of 0, or
 * one that no version ever had, is an error.
 *
 * Threads. A handle is for one thread at a time; pmk_count_stop() may be called by any thread and
 * from signal handlers. Handles share nothing, so that threads can count at the same time, each
 * with its own.
 *
 * Effects on the process: programs and emulators are its children, with its standard streams
 * unless settings say otherwise,
 * started by fork() and reaped by their number alone; SIGCHLD must not be ignored. No signal
 * handler is installed and no signal is blocked outside of fork(). While counters of this machine
 * are opened, the soft limit of open files is raised to the hard one. Emulators end with the thread
 * that started them. Environment: PMK_DATA, PMK_PLUGIN, PMK_QEMU_DIR, PATH, HOME, XDG_CONFIG_HOME
 * and XDG_CACHE_HOME are read as by pmk, see pmk(1).
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
	PMK_COUNT_FAILED = 125,	   /* it could not be counted */
	PMK_COUNT_NOT_EXEC = 126,  /* the program cannot be executed */
	PMK_COUNT_NOT_FOUND = 127, /* there is no such program */
	PMK_COUNT_USAGE = 129,	   /* the request makes no sense */
};

struct pmk_count_error {
	int32_t failure; /* enum pmk_count_failure; 0: there was none */
	/* one line without its end: what failed, where, what to do; "" without a failure */
	const char *text;
};

/* NULL when out of memory, or of file descriptors. To be freed by pmk_count_free(), not while it
 * runs. */
struct pmk_count *pmk_count_new(void);
void pmk_count_free(struct pmk_count *c);

/* The last failure. Valid until the next call for the handle. Never NULL. */
const struct pmk_count_error *pmk_count_get_error(struct pmk_count *c);

/* ---- the request ---------------------------------------------------------------------------- */

/*
 * Change a setting. Names and values are those of the long options of pmk stat, pmk-stat(1):
 *
 *	target                           "emu", "linux", "wave:FILE",
 *	                                 "openocd:HOST:PORT", "gdb:HOST:PORT",
 *	                                 "xvc:HOST:PORT", "devmem" or "devmem:FILE"
 *	event, metrics                   what is counted; lists with commas
 *	pmu, core, set, traffic, layout  the core that is modelled, and what is around it
 *	map, layer, packets              of a dump
 *	detailed, null                   more events than usual; none
 *	pid, all-cpus, cpu, no-inherit   whom to count on this machine
 *	repeat, interval, passes         how often
 *	interval-count, summary, no-summary
 *	delay, timeout                   when to begin and to end
 *	sample, sample-seed              count short pieces, and estimate the rest
 *	guest, irq, at, log              the program is an emulator's command, and programs its PMU
 *	region, from, to, no-aggr, bars  what is told apart
 *	per-thread
 *	env, sysroot, qemu, random-seed  the world of an emulated program
 *
 * and of the library alone
 *
 *	data                             the directory with cores/, metrics/ and layouts/
 *	plugin                           the module for QEMU, or the directory with all of them
 *	stdin                            what the program reads: "fd:N" or "file:PATH"
 *	stdout, stderr                   where its output goes: "fd:N", "file:PATH" or "capture";
 *	                                 of stderr also "stdout"
 *
 * The value of a flag ("all-cpus", "no-aggr", "no-inherit", "bars", "detailed", "null", "summary",
 * "no-summary", "per-thread", "sample", "guest") is NULL. Settings that can be
 * repeated add up: event, metrics, set, traffic, region, env; of the others the last value holds.
 * Texts are copied. Returns 0, PMK_COUNT_USAGE or PMK_COUNT_FAILED. Errors name settings: 'repeat'.
 */
int pmk_count_set(struct pmk_count *c, const char *name, const char *value);

/* What the value of a setting is. */
enum pmk_count_kind {
	PMK_COUNT_FLAG,	  /* there is none: the value is NULL */
	PMK_COUNT_NUMBER, /* a decimal number */
	PMK_COUNT_TEXT,
	PMK_COUNT_LIST, /* a text that may be set several times; the values add up */
};

struct pmk_count_setting {
	const char *name; /* "repeat" */
	int32_t kind;	  /* enum pmk_count_kind */
	/* The targets that know it, separated by spaces: "emu wave"; NULL: all. */
	const char *ways;
	const char *brief; /* one line for people */
};

/* Setting number i, from 0; NULL: there are not so many. */
const struct pmk_count_setting *pmk_count_settings(uint32_t i);

/* Set the program and its arguments, NULL terminated; they are copied. With the setting "qemu":
 * more words for the emulator. */
int pmk_count_program(struct pmk_count *c, char *const *argv);

/* ---- counting ------------------------------------------------------------------------------- */

/* The callbacks while it counts. They run in the thread of pmk_count_run(). Each may be NULL. */
struct pmk_count_listener {
	size_t size; /* sizeof(struct pmk_count_listener), set by the caller */
	void *ctx;
	/* It is known what is counted and by whom; there are no rows yet. */
	void (*begin)(void *ctx, struct pmk_count *c);
	/* There are more rows, from `first` on: an interval, as soon as it is over; a region, a
	 * core or the whole run when it has ended. */
	void (*rows)(void *ctx, struct pmk_count *c, uint32_t first);
	/* A line that people should see at once. */
	void (*note)(void *ctx, const char *text);
	/* About ten times a second while a dump is read: bytes so far, and in all; 0: not known. */
	void (*progress)(void *ctx, uint64_t bytes, uint64_t size);
	/* About five times a second while a program is emulated: seconds of the guest, 0: not
	 * known, and instructions, about, of this run so far. */
	void (*running)(void *ctx, double seconds, uint64_t insns);
};

/* Find out whether the request can be met, and by what. This reads files but starts nothing. If
 * it was not called, pmk_count_run() does it. After a failure settings can be changed, and
 * it can be called again. `l` may be NULL, here and below; it is copied, and holds from then on. */
int pmk_count_prepare(struct pmk_count *c, const struct pmk_count_listener *l);

/* Count, to the end of the program or until pmk_count_stop(). Once per handle. */
int pmk_count_run(struct pmk_count *c, const struct pmk_count_listener *l);

/*
 * End the run, as Ctrl-C does for pmk: a program that has not ended by itself 300 ms later is sent
 * `signal` (1 … 64, SIGINT for example), and after 2 s more it is killed. The counts up to then
 * become results. Async-signal-safe.
 */
void pmk_count_stop(struct pmk_count *c, int signal);

/* ---- results -------------------------------------------------------------------------------- */

/* One number with its description. Texts are valid until pmk_count_free(). */
struct pmk_count_row {
	size_t size;	  /* sizeof(struct pmk_count_row), set by the caller */
	const char *name; /* the name that was asked for: "cycles" */
	const char *pmu;  /* PMU of the event: "arm1176" */
	const char *unit; /* of the value: "ns"; NULL: a plain number */
	/* "exact", "modelled", "measured", "scaled", "wrapped", "partial", "inexact", "sampled",
	 * "not supported", "not counted" */
	const char *trust;
	/* why there is no value, or what one has to know about it; NULL: nothing */
	const char *reason;
	const char *region;  /* region in which it was counted; NULL: the whole run */
	int32_t cpu;	     /* -1: all */
	uint32_t section;    /* rows with the same number are of one place and time; from 0 */
	uint32_t group;	     /* rows of one {group} share a number; 0: of none */
	int32_t has_value;   /* 0: there is no value, and `reason` says why */
	uint64_t value;	     /* over several runs their mean, rounded */
	uint64_t entries;    /* how often the region was entered */
	uint64_t runtime_ns; /* how long it was counted; the emulated core's time in emulation */
	double coverage;     /* share of the time it was counted: 1.0 always */
	double stddev_pct; /* standard deviation of the mean in percent of it, over several runs */
	/* not 0: the row is of an interval, and the next three are its end, since the start */
	int32_t interval;
	/* not 0: `value` is the number of occurrences, and the last four say how long they took,
	 * in cycles */
	int32_t has_latency;
	uint64_t at_cycles, at_insns; /* 0: not known */
	double at_seconds;
	uint64_t latency_n, latency_sum;   /* number of timed occurrences, and their sum */
	uint64_t latency_min, latency_max; /* min > max: not known */
	const char *thread; /* "per-thread": the one that was counted, "sleep-4711"; or NULL */
	/* "sample": the true count is within so many percent of `value`, with 95 %; else 0 */
	double margin_pct;
	/* Of what is spread and is no length in cycles, what it is: "beats in a burst". has_latency
	 * is 0 then, and the four latency_… are of that. NULL: it is none of these. */
	const char *spread_of;
	/* What is spread, by size: number i is how many had i bits, which are 0, 1, 2 and 3, 4 to
	 * 7 …; NULL: not known. */
	const uint64_t *histogram;
	uint32_t nhistogram;
};

/* One metric in one section. Texts are valid until pmk_count_free(). */
struct pmk_count_metric {
	size_t size;	    /* sizeof(struct pmk_count_metric), set by the caller */
	const char *name;   /* "cpi" */
	const char *unit;   /* "cycles/insn", "%", or "" */
	const char *reason; /* why it is not valid, or NULL */
	const char *region; /* as in a row, and the next two */
	int32_t cpu;
	uint32_t section;
	int32_t valid;
	double value;
	const char *thread; /* as in a row */
};

/* Of the run as a whole. Texts are valid until pmk_count_free(); NULL: not known. */
struct pmk_count_summary {
	size_t size;		/* sizeof(struct pmk_count_summary), set by the caller */
	const char *pmu, *core; /* core NULL: none was modelled */
	const char *command;	/* quoted for display */
	const char *producer;	/* what counted: "qemu-arm 7.2.22" */
	const char *settings;	/* changed settings of the core */
	/* how near the core's modelled cycles are to a real one's; NULL: none was modelled */
	const char *checked;
	const char *warning; /* what the reader has to know, as lines; NULL: nothing */
	uint32_t passes;     /* how many programmings of the counters it took */
	uint32_t runs, processes, threads;
	int32_t partial;   /* not 0: the run was cut off, and the counts are those up to then */
	int32_t exit_code; /* of the program as a shell tells it, 128 + signal when it was killed */
	double elapsed;	   /* seconds on the host, of a run */
	double clock_hz;   /* of the cycles; 0: not known */
};

/* Return false when there are not so many, and when `size` is wrong, which pmk_count_get_error()
 * then says. Rows stand in the order in which they came. */
bool pmk_count_get_row(const struct pmk_count *c, uint32_t i, struct pmk_count_row *row);
bool pmk_count_get_metric(const struct pmk_count *c, uint32_t i, struct pmk_count_metric *metric);
bool pmk_count_get_summary(const struct pmk_count *c, struct pmk_count_summary *s);

/* What the program has written to "stdout" or "stderr", in all runs, if the setting of that name is
 * "capture"; NULL: it was not captured. There is a 0 behind it. Valid until pmk_count_free(). */
const char *pmk_count_get_output(const struct pmk_count *c, const char *stream, size_t *size);

/* The same as one record, for the writers of <pmk/result.h>. Valid until pmk_count_free(). */
const struct pmk_result *pmk_count_result(const struct pmk_count *c);

#ifdef __cplusplus
}
#endif

#endif
