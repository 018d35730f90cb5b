/* SPDX-License-Identifier: MIT */
/* The state of struct pmk_sites, shared by sites.c and paths.c. */
#ifndef PMK_CPU_SITES_STATE_H
#define PMK_CPU_SITES_STATE_H

#include "cpu/sites.h"

/* The most open calls that pmk remembers. */
#define MAX_CALLS (UINT32_C(4) << 20)
#define RETURNED  256 /* returns that are remembered for longjmp */
#define NESTED	  256 /* nested handlers */
#define TASKS	  64  /* the most tasks of an RTOS */
#define WORDS	  512 /* all counters are in the first `WORDS` words of 8 bytes of a core */

/* ---- tables of records ----------------------------------------------------------------------- */

/* A record in a hash table. Its key is in the record. */
struct entry {
	uint32_t hash;
	uint32_t number; /* 0: the entry is free */
};

/* A hash table with open addressing. At most three quarters of the entries are in use. */
struct table {
	struct entry *entry;
	uint32_t size, used;
};

/* The key of a record; sites.h explains the terms. `of` is the block of a run, the run of a site,
 * or the entry of a path. `path` is the path of a run, or the parent of a path. */
struct key {
	uint64_t of, site;
	uint32_t path;
};

static inline uint32_t key_hash(const struct key *k)
{
	uint64_t h = (k->of ^ (uint64_t)k->path << 32) * UINT64_C(0x9e3779b97f4a7c15);

	h = (h ^ h >> 29 ^ k->site) * UINT64_C(0xbf58476d1ce4e5b9);
	return (uint32_t)(h >> 32);
}

/* Doubles a table. Returns false if there is no memory. */
bool pmk_sites_grow(struct table *t);

/* ---- state ----------------------------------------------------------------------------------- */

struct frame {
	uint64_t back; /* where the call returns to */
	uint64_t sp;   /* the stack pointer at the call; 0: it is not known */
	uint32_t path; /* path of the caller */
	uint32_t base; /* index of the first call on the same stack */
};

/* The code that the handler of an exception interrupted. It was interrupted after `block`, the last
 * block that ran, or in the middle of this block if `inside` is true. */
struct interrupted {
	const struct pmk_block *block;
	bool inside;
	uint32_t path, calls;
};

/* A task of an RTOS, and where it was interrupted. */
struct task {
	uint64_t top; /* the stack pointer when the task began; its stack is below */
	struct interrupted last;
	struct frame *call; /* the open calls of the task */
	uint32_t room;
};

/* A return to `addr` with the stack pointer `sp`. `calls` calls were open after it. */
struct returned {
	uint64_t addr, sp;
	uint32_t calls;
};

/* Counters that are consecutive both in struct pmk_cpu and in records. */
struct row {
	uint16_t offset; /* offset in struct pmk_cpu, in units of 8 bytes */
	uint8_t first;	 /* index of the first counter among all counters */
	uint8_t at;	 /* index of the first counter in a record */
	uint8_t n;
};

/* The counters of a kind of site, except the clock, which is counter 0 of every kind. */
struct group {
	unsigned counters; /* the number of counters of a record, with the clock */
	unsigned n;
	struct row row[PMK_SITE_COUNTERS];
};

/* The state that pmk does not need at every block. */
struct pmk_sites_rest {
	struct pmk_cpu *cpu;
	struct pmk_sites_owner owner;
	/*
	 * The site to which all counts belong that are not booked yet. *slot is the number of its
	 * record, or 0 if it has none yet. `slot` is NULL if all counts are booked. `of` is the run
	 * of the site.
	 */
	uint32_t *slot, site;
	const struct pmk_ledger_run *of;
	uint32_t nowhere; /* where `slot` points if there is no memory for a record */
	struct table runs, sites, paths;
	/* The calls that are open, and returns that longjmp may repeat. */
	struct frame *call;
	uint32_t calls;
	struct returned returned[RETURNED];
	/* Handlers that are active, the innermost last. */
	struct interrupted interrupted[NESTED];
	uint32_t nested;
	/* The tasks that have run. The open calls of the running one are in `call`. */
	struct task task[TASKS];
	uint32_t tasks, running;
	/* The counters, and their values when they were last booked. */
	struct pmk_site_counters counters;
	uint64_t *seen;
	/* For each word of a core: the number of the counter there that is counted when a block is
	 * left, or 0. */
	uint8_t counter_at[WORDS];
	uint8_t leave_at[PMK_SITE_COUNTERS]; /* [counter]: index in a LEAVE record, or 0 */
	struct group at_leave, at_fetch, at_access;
	struct pmk_ledger_state *state; /* publishes `seen` for readers of the ledger */
	struct pmk_ledger_run *none; /* used before the first block and when there is no memory */
	struct pmk_ledger_times *times[PMK_NSIGNALS]; /* NULL: no record yet */
};

/* ---- records --------------------------------------------------------------------------------- */

static inline void *record_at(const struct pmk_sites_rest *s, uint32_t number)
{
	return s->owner.records + (size_t)number * PMK_LEDGER_UNIT;
}

/* Returns the number of a new record, or 0 if there is no room. */
static inline uint32_t new_record(struct pmk_sites_rest *s, enum pmk_ledger_kind kind, size_t bytes)
{
	uint32_t number;
	struct pmk_ledger_head *head = s->owner.record(s->owner.ctx, s->cpu->index, bytes, &number);

	if (!head)
		return 0;
	atomic_store_explicit(&head->kind, (uint8_t)kind, memory_order_release);
	return number;
}

/*
 * Returns the table's entry for a record, and adds the entry if it is new. Returns NULL if there is
 * no memory for it.
 */
static inline struct entry *entry_for(const struct pmk_sites_rest *s, struct table *t,
				      bool (*has_key)(const void *record, const struct key *k),
				      const struct key *k)
{
	uint32_t hash = key_hash(k), i;

	if (4 * t->used >= 3 * t->size && !pmk_sites_grow(t))
		return NULL;
	for (i = hash & (t->size - 1); t->entry[i].number; i = (i + 1) & (t->size - 1))
		if (t->entry[i].hash == hash && has_key(record_at(s, t->entry[i].number), k))
			break;
	t->entry[i].hash = hash;
	return &t->entry[i];
}

#endif
