/* SPDX-License-Identifier: MIT */
/*
 * The tables of a recording in memory, for writers of other formats. Small tables are held here,
 * with array indices instead of the ids of the database; counts are passed on row by row.
 */
#ifndef PMK_RECORDING_TABLES_H
#define PMK_RECORDING_TABLES_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/recording/recording.h"

#define PMK_TABLES_NONE UINT32_MAX /* an index that refers to nothing */

struct pmk_tables_event {
	int64_t id;
	const char *name, *pmu; /* `pmu` is NULL if the event has none */
	bool has_total;
	uint64_t total;
};

struct pmk_tables_object {
	int64_t id;
	const char *path, *kind, *build_id; /* `build_id` is NULL if the object has none */
	uint64_t bias;			    /* an address in memory minus the one in the file */
};

struct pmk_tables_thread {
	int64_t id;
	uint32_t process, cpu;
	const char *name; /* NULL if the thread has no name */
};

struct pmk_tables_file {
	int64_t id;
	const char *path;
};

struct pmk_tables_function {
	int64_t id;
	uint32_t object, file, line;
	uint64_t address, size; /* size 0: not known */
	const char *name, *symbol;
	uint32_t same; /* the first function with this name, file and object */
};

struct pmk_tables_inlined {
	int64_t id;
	uint32_t parent, file, line;
	const char *name, *symbol;
	uint32_t same; /* the first inlined function with this name */
	/* The file of the function's code. Only the first inlined function with this name has it;
	 * the others have PMK_TABLES_NONE. */
	uint32_t code_file;
};

struct pmk_tables_code {
	int64_t id;
	uint32_t object, function, inlined, file, line, size;
	uint64_t address, target; /* `target` 0: none, or not known */
	bool conditional;	  /* a branch that may not be taken */
	bool jump;		  /* a branch with a constant offset that is not a call */
};

struct pmk_tables_context {
	int64_t number;
	uint32_t parent, function, site;
	uint64_t calls;
};

/* Maps the id of a context to its index in `context`. This list is sorted by id. `context` has the
 * order of the column `number`, in which parents come first. */
struct pmk_tables_context_id {
	int64_t id;
	uint32_t context;
};

/* One event of a cost: the count that each execution of an instruction with this cost adds. */
struct pmk_tables_cost {
	int64_t cost;
	uint32_t event;
	uint64_t value;
};

/* An instruction of a block. `left` is the number of instructions after it in the block. */
struct pmk_tables_part {
	int64_t block, cost;
	uint32_t left, code;
};

struct pmk_tables_run {
	int64_t block;
	uint32_t context, thread; /* `context` is PMK_TABLES_NONE if it was not recorded */
	uint64_t executions, taken;
};

/* How often an event took `cycles` cycles. */
struct pmk_tables_latency {
	uint32_t event;
	uint64_t cycles, times;
};

struct pmk_tables {
	sqlite3 *db;
	/* "" if the recording does not contain it */
	const char *command, *core, *settings, *isa;
	/* As in struct pmk_recording; "" if there are none. */
	const char *checked, *warning, *note;
	bool partial; /* part of the run was not counted */
	/* The recording has samples, so executions are not known. */
	bool sampled;
	bool threaded; /* the host scheduled several threads */
	struct pmk_tables_event *event;
	struct pmk_tables_object *object;
	struct pmk_tables_thread *thread;
	struct pmk_tables_file *file;
	struct pmk_tables_function *function;
	struct pmk_tables_inlined *inlined;
	struct pmk_tables_code *code;
	struct pmk_tables_context *context; /* parents come before their children */
	struct pmk_tables_context_id *context_id;
	struct pmk_tables_cost *cost; /* sorted by cost and event */
	struct pmk_tables_part *part; /* sorted by code */
	struct pmk_tables_run *run;   /* sorted by block, context and thread */
	/* Sorted by event and cycles. */
	struct pmk_tables_latency *latency;
	size_t nlatencies;
	size_t nevents, nobjects, nthreads, nfiles, nfunctions, ninlined, ncodes, ncontexts;
	size_t ncontext_ids, ncosts, nparts, nruns;
	/* Pointers to the code, sorted by object and address. */
	struct pmk_tables_code **by_address;
	struct pmk_tables_text *text; /* memory of the strings */
};

/* Open a recording and read its tables. Returns 0, PMK_EIO, PMK_EPARSE or PMK_ENOMEM, with one line
 * in msg as in pmk_database_open(). Close `t` in either case. */
int pmk_tables_open(struct pmk_tables *t, const char *path, char *msg, size_t size);
/* Like pmk_tables_open(), but for a recording in memory. */
int pmk_tables_of(struct pmk_tables *t, const struct pmk_recording *rec, char *msg, size_t size);
void pmk_tables_close(struct pmk_tables *t);

/* The index that stands for the number of executions of each instruction, instead of an event. */
#define PMK_TABLES_EXECUTIONS (UINT32_MAX - 1)

struct pmk_tables_count {
	uint32_t code, context, thread; /* `context`: PMK_TABLES_NONE if it was not recorded */
	uint32_t slot;			/* index into the requested events */
	uint64_t value;
};

struct pmk_tables_execution {
	uint32_t code, context, thread;
	uint64_t executions, taken;
};

/* Called for each row. A result other than 0 ends the loop and is returned. */
typedef int pmk_tables_on_count(void *ctx, const struct pmk_tables_count *row);
typedef int pmk_tables_on_execution(void *ctx, const struct pmk_tables_execution *row);

/* Call `on_count` for the counts of `n` events, sorted by code, context and thread. Returns like
 * pmk_tables_open(), or the result of `on_count`; PMK_EPARSE if the counts of an event do not add
 * up to its total. */
int pmk_tables_counts(const struct pmk_tables *t, const uint32_t *event, size_t n,
		      pmk_tables_on_count *on_count, void *ctx, char *msg, size_t size);
int pmk_tables_executions(const struct pmk_tables *t, pmk_tables_on_execution *on_execution,
			  void *ctx, char *msg, size_t size);

/* Returns "executed", or "sampled" for a sampled recording: what its instructions were. */
static inline const char *pmk_tables_verb(const struct pmk_tables *t)
{
	return t->sampled ? "sampled" : "executed";
}

/* True if there are call paths other than the root. */
static inline bool pmk_tables_have_paths(const struct pmk_tables *t)
{
	return t->ncontexts > 1;
}

/* These functions return names. Code without a symbol is named after its object: "[libc.so.6]";
 * "[unknown]" if the object is not known either. */
const char *pmk_tables_event_name(const struct pmk_tables *t, uint32_t event);
/* Write a name for code of `object` that has no symbol. */
void pmk_tables_unnamed(const struct pmk_tables *t, uint32_t object, char *buf, size_t size);

/*
 * Set body[function] to a hash of the instructions that the function executed. The hash does not
 * change if the linker moves the function and what it refers to. It is 0 if the function has too
 * few instructions, or if the emulated cores do not have its instruction set. Set shape[code] to
 * the instruction without any address, or 0. Returns like pmk_tables_open().
 */
int pmk_tables_bodies(const struct pmk_tables *t, uint64_t *body, uint32_t *shape, char *msg,
		      size_t size);

/* Returns the first executed instruction at an address of an object, or PMK_TABLES_NONE. */
uint32_t pmk_tables_code_at(const struct pmk_tables *t, uint32_t object, uint64_t address);

#endif
