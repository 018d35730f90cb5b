/* SPDX-License-Identifier: MIT */
/*
 * A recording: for each instruction of a program, the number of its executions and the count of
 * each event; for a sampled recording, the places of the samples. Counting fills a struct
 * pmk_recording; pmk_recording_write() adds functions, files and lines, and writes a database,
 * whose schema is in database.h.
 */
#ifndef PMK_RECORDING_RECORDING_H
#define PMK_RECORDING_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pmk/isa.h>
#include <pmk/result.h>

#define PMK_RECORDED_BYTES 8 /* maximum length of an instruction */

/* An event that was counted at every instruction. */
struct pmk_recorded_event {
	const char *name, *pmu; /* "dcache_miss", "arm1176" */
	enum pmk_trust trust;
	const char *reason; /* why there is no value, or a caveat; NULL: none */
	uint64_t total;	    /* the count of the whole run, as `pmk stat` reports it */
};

/* A mapping that contained code. */
enum pmk_recorded_kind {
	PMK_RECORDED_FILE,
	PMK_RECORDED_ANONYMOUS, /* code that the program generated, or a kernel */
	PMK_RECORDED_KERNEL,	/* the kernel of this machine */
};

#define PMK_RECORDED_KERNEL_PATH "[kernel]"

struct pmk_recorded_object {
	enum pmk_recorded_kind kind;
	const char *path; /* path for opening it on this machine; without a file: "[anon]" */
	/* The number to subtract from an address in memory to get the address in the ELF file. */
	uint64_t bias;
	/* Hexadecimal; NULL: use that of the present file. If the file has another build id now, it
	 * is a different file. */
	const char *build_id;
};

struct pmk_recorded_thread {
	uint32_t process; /* 0 is the program, 1 … its forks, in the order in which they ended */
	uint32_t cpu;	  /* number of the thread in its process, from 0 */
	/* In a sampled recording, `process` and `cpu` are the kernel's numbers, and threads have
	 * names. */
	const char *name; /* NULL: not known */
};

/* The name of code that the program generated. */
struct pmk_recorded_name {
	uint64_t start, size; /* in memory */
	const char *name;
};

/* `flow` of an instruction that was not decoded. */
#define PMK_RECORDED_FLOW_UNKNOWN 0xff

/* An instruction that was executed. If the program changed its code, several instructions have
 * the same address. */
struct pmk_recorded_insn {
	uint64_t addr; /* in memory */
	uint32_t object;
	uint8_t size; /* bytes */
	uint8_t byte[PMK_RECORDED_BYTES];
	uint8_t flow;	  /* enum pmk_flow */
	bool conditional; /* a branch that may not be taken */
	bool thumb;	  /* T32 */
	uint64_t target;  /* destination in memory of a JUMP or CALL; otherwise 0 */
};

/* A call path: a function, and the place from which it was called. Number 0 is the root. */
struct pmk_recorded_context {
	uint32_t parent;
	uint64_t entry; /* where the function was entered, in memory */
	/* The call instruction, in memory; 0: the function was entered in another way. */
	uint64_t site;
	uint64_t calls; /* how often */

	/*
	 * In a sampled recording, `entry` is the index of any instruction in the function, and
	 * `site` the index of the call instruction. Addresses would be ambiguous, because processes
	 * may have different code at one address.
	 */
};

/* For a sampled recording: the function was not entered by a known call. */
#define PMK_RECORDED_NO_SITE UINT64_MAX

/* Instructions that are executed one after another. The first one is part[first]. */
struct pmk_recorded_block {
	size_t first;
	uint32_t nparts;
};

/*
 * An instruction of a block. Each execution of the block adds row `cost` of cost[] to the counts.
 */
struct pmk_recorded_part {
	uint32_t insn, cost;
};

/* How often one thread ran a block in one context (0 if contexts were not recorded). Several runs
 * may have the same block, thread and context; their numbers are added, modulo 2^64. */
struct pmk_recorded_run {
	uint32_t block, thread, context;
	uint64_t executions;
	uint64_t taken; /* how often control did not continue after the last instruction */
};

/* Counts of one thread at one instruction in one context, in addition to the costs of runs: row
 * `cost` of cost[]. The costs of several extras at the same place are added. */
struct pmk_recorded_extra {
	uint32_t insn, thread, context, cost;
};

/* How often a timed event took `cycles` cycles. */
struct pmk_recorded_latency {
	uint32_t event, cycles;
	uint64_t times;
};

/* The note about the counts of a program with threads, in the output of all commands. */
#define PMK_THREADS_NOTE \
	"the host schedules the threads of the program: counts may differ from run to run"

struct pmk_recording {
	const char *command, *core, *producer, *settings; /* as in struct pmk_count_summary */
	const char *checked;				  /* as in struct pmk_result */
	const char *isa;				  /* "arm", "a32", "a64", "microblaze" */
	bool big_endian;
	const char *warning; /* warnings for the reader, as lines; NULL: none */
	const char *note;    /* notes about the counts, as lines; NULL: none */
	bool partial, contexts;
	/* The program had several threads; `note` has PMK_THREADS_NOTE. */
	bool threaded;
	/* The recording has samples, so executions are not known. Addresses of instructions are
	 * addresses in the ELF file, and biases are 0. Two contexts may have the same function
	 * and site. */
	bool sampled;
	const struct pmk_recorded_event *event;
	const struct pmk_recorded_object *object;
	const struct pmk_recorded_thread *thread;
	const struct pmk_recorded_insn *insn;
	const struct pmk_recorded_context *context;
	const struct pmk_recorded_block *block;
	const struct pmk_recorded_part *part;
	const uint64_t *cost;			    /* rows of `nevents` counts */
	struct pmk_recorded_run *run;		    /* pmk_recording_write() sorts them */
	struct pmk_recorded_extra *extra;	    /* pmk_recording_write() sorts them */
	const struct pmk_recorded_latency *latency; /* by event and cycles */
	/* Names of code without a file. If several names cover an address, the last one is used. */
	const struct pmk_recorded_name *name;
	size_t nlatencies, nblocks, ncosts, nruns;
	size_t nevents, nobjects, nthreads, ninsns, ncontexts, nextras, nnames;
};

/* Returns the reason why no recording can be written to `path`, if that is known in advance; NULL
 * if nothing is known. */
const char *pmk_recording_obstacle(const char *path);

/* Watches the writing of a recording. on_items() is called after some ten thousand items and before
 * each step that may take long, such as reading the symbols of a file; if it returns false, writing
 * ends. */
struct pmk_recording_watch {
	bool (*on_items)(void *ctx, size_t done, size_t all);
	void *ctx;
};

/*
 * Write the recording to a new database at `path`, in one transaction. The file is created in the
 * same folder and renamed at the end, so `path` is either a complete database or unchanged. `watch`
 * may be NULL. Returns 0, PMK_EIO or PMK_ENOMEM with one line in msg, without the file's name.
 */
int pmk_recording_write(const struct pmk_recording *rec, const char *path,
			const struct pmk_recording_watch *watch, char *msg, size_t size);

struct sqlite3;

/* Like pmk_recording_write(), but writes to a new database in memory. The caller closes *db. */
int pmk_recording_in_memory(const struct pmk_recording *rec, struct sqlite3 **db, char *msg,
			    size_t size);

#endif
