/* SPDX-License-Identifier: MIT */
/*
 * Writing a recording: declarations that its files share. write.c has the database and its rows,
 * write_code.c the tables of code, write_counts.c the tables of counts.
 */
#ifndef PMK_RECORDING_WRITE_H
#define PMK_RECORDING_WRITE_H

#include <stdlib.h>

#include "base/distinct.h"
#include "base/map.h"
#include "profile/elf.h"
#include "cpu/isa/text.h"
#include "profile/recording/database.h"
#include "profile/recording/recording.h"

/* The tables of a recording. */
enum {
	INSERT_META,
	INSERT_EVENT,
	INSERT_OBJECT,
	INSERT_THREAD,
	INSERT_FILE,
	INSERT_FUNCTION,
	INSERT_INLINED,
	INSERT_CODE,
	INSERT_CONTEXT,
	INSERT_COSTS,
	INSERT_PARTS,
	INSERT_RUNS,
	INSERT_EXTRAS,
	INSERT_LATENCY,
	NTABLES,
};

/* An event and its count in a row of costs. */
struct cost_event {
	uint64_t event, value;
};

/* The counts at one place. For a block, number[0] has the executions and number[1] the taken
 * branches. For an extra, number[0] is the index of a row of costs, which extras_sum() replaces by
 * the id of a cost, and number[1] is 0. */
struct place_count {
	uint64_t place; /* context times number of threads, plus thread */
	uint64_t number[2];
};

/* Items that are grouped by a number, but otherwise keep their order. */
struct groups {
	size_t *first; /* the first one of each group in `item` */
	uint32_t *item;
};

/* A value of a row: 'i' a number, 't' a text and 'b' a blob, whose bytes begin at `number`; 'n'
 * NULL. */
struct row_value {
	int64_t number;
	int size;
	char type;
};

/* Rows of a table that are not inserted yet: their values, one row after the other. */
struct rows {
	sqlite3_stmt *statement; /* inserts the rows */
	struct row_value *value;
	size_t nvalues, room;
	char *bytes; /* of texts and blobs */
	size_t nbytes, bytes_room;
};

struct writer {
	const struct pmk_recording *rec;
	sqlite3 *db;
	struct rows rows[NTABLES];
	int inserting;	     /* the table whose rows are being inserted */
	int err;	     /* SQLite's error; nothing is written after the first */
	int number;	     /* errno when `err` was set */
	struct groups order; /* the instructions by object and address */
	int64_t *code;	     /* id of each instruction */
	int64_t *function;   /* id of each instruction's function; 0: none */
	uint32_t *by_memory; /* the instructions by address in memory */
	bool *called;	     /* true where a function is entered; NULL: not known */
	struct pmk_distinct files;
	int64_t ninlined, nfunctions, ncode;
	char *warning;	   /* warnings of the recording, and warnings from writing it */
	uint32_t *context; /* id of each context */
	int64_t *entered;  /* function of each context; not used for a sampled recording */
	/* For a sampled recording: contexts with the same parent, function and site are merged. */
	struct pmk_distinct contexts;
	struct pmk_elf_code *bytes; /* code of the present object; NULL: not available */
	struct pmk_isa_text *text;  /* NULL if it was not needed so far */
	const struct pmk_recording_watch *watch; /* or NULL */
	size_t done;				 /* items written */
	char *list;				 /* JSON text for a column */
	size_t nlist, list_room;
	struct place_count *count; /* the counts of the present block or instruction */
	size_t ncounts, count_room;
	struct place_count *sorted; /* memory for sorting the counts */
	size_t sorted_room;
	struct pmk_distinct blocks; /* the lists of counts of blocks; equal lists share one id */
	struct pmk_distinct costs;  /* the costs that were written, each with one id */
	struct pmk_map sums;	    /* two rows of costs → the id of their sum */
	struct cost_event *event;   /* the cost that is being written */
	int64_t *cost;		    /* id of each row of costs of the recording; 0: none yet */
};

static inline void groups_free(struct groups *g)
{
	free(g->first);
	free(g->item);
}

static inline int numbers_compare(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/* Stores SQLite's error `err`, if it is the first one and not 0. */
void pmk_write_fail(struct writer *w, int err);

/* Returns the number of a byte string in the list; UINT32_MAX: out of memory. */
uint32_t pmk_write_distinct(struct writer *w, struct pmk_distinct *d, const void *bytes,
			    size_t size);

/* Calls the watch, as before a step that may take long. `ctx` is the writer. Returns false if
 * writing must end. */
bool pmk_write_go_on(void *ctx);
/* Counts an item that was written. */
void pmk_write_advance(struct writer *w);

/* rows.c */
/* Prepares the writer to insert rows. */
void pmk_rows_begin(struct writer *w);
/* Inserts all rows that are left, and frees their memory. */
void pmk_rows_end(struct writer *w);
/*
 * Adds a row to a table. Each letter of `types` is a value: 'i' an int64_t, 'n' an int64_t where 0
 * stands for NULL, 't' a text or NULL, 's' a text and its size_t, 'b' bytes and their size_t. There
 * may be more values than the table has columns. Texts and bytes are copied.
 */
void pmk_write_row(struct writer *w, int table, const char *types, ...);

/* Groups items. The items of a group are in the order in which `order` lists all items, or in the
 * order of their numbers if `order` is NULL. */
struct groups pmk_write_groups(struct writer *w, size_t nitems, size_t ngroups,
			       size_t (*group_of)(const struct writer *w, size_t item),
			       const uint32_t *order);

/* write_code.c */
/* Sorts the instructions by address in memory and, within an object, by address in its file. */
void pmk_write_sort(struct writer *w);
/* Returns the instruction at an address in memory, preferably a call if there are several. NULL:
 * none was executed there. */
const struct pmk_recorded_insn *pmk_write_insn_at(const struct writer *w, uint64_t addr);
/* Writes the objects with their code, functions and files. */
void pmk_write_objects(struct writer *w);

/* write_counts.c: writes contexts, runs and extras, the last two of which need the ids of code. */
void pmk_write_counts(struct writer *w);

#endif
