/* SPDX-License-Identifier: MIT */
/* The state of a conversion that is in progress: see recorded.h. recorded.c reads the counts of the
 * ledger's records, and recorded_code.c its blocks of code. */
#ifndef PMK_COUNT_RECORDED_STATE_H
#define PMK_COUNT_RECORDED_STATE_H

#include "base/distinct.h"
#include "base/grow.h"
#include "base/map.h"
#include "count/recorded.h"
#include "cpu/cpu.h"

#define MAX_INSNS 1024 /* of a block */

/* `counted` of struct pmk_recorded has several kinds of counters as byte strings. The first word
 * tells them apart: COUNTERS_OF_RUN for the record of a block's executions, COUNTERS_OF_PART for
 * one instruction of a block. The counters of a site begin with a half-word, enum
 * pmk_counted_where. */
#define COUNTERS_OF_RUN	 UINT64_MAX
#define COUNTERS_OF_PART (UINT64_MAX - 1)

#define ARRAY(type)             \
	struct {                \
		type *item;     \
		size_t n, room; \
	}
/* Appends an item to the array. False: out of memory. */
#define ADD(array, ...) PMK_APPEND((array).item, (array).n, (array).room, __VA_ARGS__)

/* Facts about an instruction of a block. r->parts[] has the other facts, with the same index. */
struct of_block {
	uint16_t addr; /* distance from the block's first instruction, in bytes */
	bool may_fault;
};

/* A file from which code was mapped. */
struct mapping {
	const struct pmk_ledger_mapping *record;
	char *path; /* a copy, because the ledger is discarded after reading */
	bool is_elf;
	bool is_dump; /* the file describes code that the program generated */
	uint64_t bias;
};

/* The place where an event was counted: block, call path and thread. */
struct place {
	uint32_t block, path, thread;
};

#define RECENT 1024

struct pmk_recorded {
	struct pmk_recorded_request req;
	const struct pmk_ledger *ledger;
	struct pmk_site_counters counters;
	/* The counters of each kind of site (enum pmk_counted_where). */
	struct pmk_site_counters counters_at[PMK_AT_ACCESS + 1];
	struct pmk_cpu *cpu; /* used to derive signals */
	uint64_t *signal;    /* [PMK_NSIGNALS] */
	uint64_t *value;     /* [nevents]: the counts of the record that is being read */
	ARRAY(struct pmk_recorded_block) blocks;
	ARRAY(const struct pmk_ledger_block *) records; /* by block */
	ARRAY(struct of_block) of_block;
	ARRAY(struct pmk_recorded_part) parts;
	struct pmk_distinct costs; /* rows of nevents counts */
	/* Different records and instructions often have equal counters. `counted` has each of these
	 * counters once, and counted_costs[i] is the row of costs of counters i; UINT32_MAX: all
	 * counts are 0. */
	struct pmk_distinct counted;
	ARRAY(uint32_t) counted_costs;
	ARRAY(struct pmk_recorded_insn) insns;
	ARRAY(struct pmk_recorded_object) objects;
	ARRAY(struct pmk_recorded_thread) threads;
	ARRAY(struct pmk_recorded_context) paths;
	ARRAY(struct pmk_recorded_run) runs;
	ARRAY(struct pmk_recorded_extra) extras;
	ARRAY(struct pmk_recorded_latency) latencies;
	ARRAY(struct mapping) mappings;
	/* `insn_keys` has the address, bytes, object and size of each different instruction.
	 * `path_keys` has the entry, site and parent of each different path except the root. */
	struct pmk_distinct insn_keys, path_keys;
	/* These maps give the number of a block or path from the number of its record, and the
	 * number of a thread from its process and core. */
	struct pmk_map block_of, path_of, thread_of;
	/* The places of runs that were found recently. Most sites follow the record of their run
	 * closely. */
	struct {
		const struct pmk_ledger_run *run;
		struct place place;
	} recent[RECENT];
	/* For each signal, how often it took 0, 1, … cycles, up to `longest`; NULL: it was not
	 * timed. */
	uint64_t *times[PMK_NSIGNALS];
	uint32_t longest;
};

/* The counts of the first n instructions of a block in one execution. */
struct recorded_part {
	int64_t cycles, fact[PMK_NFACTS];
};

/* Computes the counts of the first n instructions of a block. */
void pmk_recorded_part_of(const struct pmk_core *core, const struct pmk_insn *insn, size_t n,
			  struct recorded_part *out);
/* Computes the count of each event from the counters of the core, into r->value. */
void pmk_recorded_derive(struct pmk_recorded *r);
void pmk_recorded_clear_cpu(struct pmk_recorded *r);
/* Finds the row of costs that is equal to r->value, or adds it. Many instructions have the same
 * row. Returns false if out of memory. */
bool pmk_recorded_find_cost(struct pmk_recorded *r, uint32_t *cost);
/* Returns where the row of costs of these counters is stored, and sets *known to false if the row
 * must be computed first. Returns NULL if out of memory. */
uint32_t *pmk_recorded_counted_cost(struct pmk_recorded *r, const void *counters, size_t size,
				    bool *known);
/* Adds a block of the ledger: its instructions and their costs. Returns 0 or a negative enum
 * pmk_error. */
int pmk_recorded_add_block(struct pmk_recorded *r, const struct pmk_ledger_block *l);

#endif
