/* SPDX-License-Identifier: MIT */
/*
 * A results database: counts that are kept, each under a key that says what they are of. The file
 * is an SQLite database, described in docs/FORMATS.md. The schema is public: people query it.
 *
 *	program   what is run: the file, its libraries, inputs, arguments, environment
 *	config    a core with all its parameters
 *	cell      one run of a program on a config, or why there are no counts of it
 *	value     what an event counted in a cell, with its label
 *	point     what people call a cell: a program's name, a core and the settings that were
 *	          asked for, in a revision
 *	revision  a commit; 0 is none, and has the points of sweeps
 *
 * Functions return 0 or a negative enum pmk_error; pmk_store_error() has the line for people then.
 * After the first failure a store does nothing but close, and each call returns that failure.
 */
#ifndef PMK_SWEEP_STORE_H
#define PMK_SWEEP_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PMK_STORE_ID	  0x706d6b73 /* application_id: "pmks" */
#define PMK_STORE_VERSION 1	     /* user_version */

/* The beginning of a SHA-256: 128 bits are enough to tell any two things apart. */
#define PMK_STORE_KEY 16
typedef uint8_t pmk_store_key[PMK_STORE_KEY];

struct pmk_store;

enum pmk_store_how {
	PMK_STORE_READ,	 /* it is there */
	PMK_STORE_WRITE, /* it is made if it is not there; others may read meanwhile */
	PMK_STORE_ADD,	 /* the same, for a moment: it waits some seconds for another that writes */
	/* The same, and nobody else opens it meanwhile. It then needs no memory that processes
	 * share, so that it may lie on a file system of another machine. */
	PMK_STORE_ALONE,
};

/*
 * Open or make the database at `path`. PMK_EIO: it cannot be opened; PMK_EPARSE: it is something
 * else, or of a version that this pmk does not know; PMK_EBUSY: another process writes it. msg then
 * has one line that begins with the path.
 */
int pmk_store_open(struct pmk_store **s, const char *path, enum pmk_store_how how, char *msg,
		   size_t size);
/* What was not committed is lost. NULL is closed already. */
void pmk_store_close(struct pmk_store *s);
/* The line of the last failure, with the path of the database. */
const char *pmk_store_error(const struct pmk_store *s);

/* A transaction. Without one, each call is one of its own. */
int pmk_store_begin(struct pmk_store *s);
int pmk_store_commit(struct pmk_store *s);

/* ---- cells ----------------------------------------------------------------------------------- */

struct pmk_store_program {
	pmk_store_key hash;
	const char *path;    /* of the file */
	const char *command; /* quoted for display */
	const char *about;   /* what else is in the hash, as lines: "library libc.so.6 1f2e…" */
};

struct pmk_store_config {
	pmk_store_key hash;
	const char *core, *isa;
	const char *parameters; /* "dcache.size=16K,…", all of them */
	const char *checked;	/* as in struct pmk_result: what its cycles were held against */
};

/* Texts that are not known are NULL. */
struct pmk_store_value {
	const char *event; /* the name that was asked for */
	const char *pmu;
	const char *trust;  /* as in struct pmk_count_row */
	const char *reason; /* why there is no value, or what one has to know about it */
	const char *unit;
	bool has_value;
	uint64_t value;
};

struct pmk_store_cell {
	pmk_store_key key;
	const struct pmk_store_program *program;
	const struct pmk_store_config *config;
	const char *failure; /* NULL: it was counted; else why not, in one line */
	int32_t exit_code;   /* of the program; -1: it did not run, or not to its end */
	double seconds;	     /* that it took here */
	const struct pmk_store_value *values;
	size_t nvalues;
};

/* What is known of the cell with this key. id 0: nothing. */
struct pmk_store_found {
	int64_t id;
	bool failed;
	double seconds;
};

int pmk_store_find(struct pmk_store *s, const pmk_store_key key, struct pmk_store_found *found);
/* Does the cell have a row of this event, with or without a value? */
int pmk_store_has(struct pmk_store *s, int64_t cell, const char *event, bool *has);
/* What `trust` is of an event that was to be added to a cell, when that run failed. Its `reason`
 * says why. */
#define PMK_STORE_FAILED "failed"

/* Has the cell a row of this event that says that it failed? */
int pmk_store_event_failed(struct pmk_store *s, int64_t cell, const char *event, bool *failed);
/* Put a cell, its program and its config. A failed cell of that key is replaced; to one that was
 * counted, values are added, and none is changed but those that failed. *id: its number in the
 * table. */
int pmk_store_put(struct pmk_store *s, const struct pmk_store_cell *cell, int64_t *id);

/* ---- points ---------------------------------------------------------------------------------- */

struct pmk_store_setting {
	const char *name, *value;
};

/* What a cell is called. The settings are sorted by their names. */
struct pmk_store_point {
	int64_t revision; /* 0: of no commit */
	const char *name; /* of the program */
	const char *core;
	const struct pmk_store_setting *settings;
	size_t nsettings;
};

/* The cell with this name from now on. 0: no cell has it any longer. */
int pmk_store_name(struct pmk_store *s, const struct pmk_store_point *point, int64_t cell);

/* A row of pmk_store_points(). Texts are valid during the call. */
struct pmk_store_row {
	struct pmk_store_point point;
	int64_t cell;
	pmk_store_key key;
	const char *failure;
	const char *checked; /* of its config; NULL: not known, or it has no model of cycles */
	int32_t exit_code;
	double seconds;
	const struct pmk_store_value *values;
	size_t nvalues;
};

/* Return 0 to go on; anything else ends it and is returned by pmk_store_points(). */
typedef int pmk_store_take(void *ctx, const struct pmk_store_row *row);

/* All points of a revision, or for -1 of all, by revision, name, core and the order in which their
 * settings were first seen. */
int pmk_store_points(struct pmk_store *s, int64_t revision, pmk_store_take *take, void *ctx);

/* ---- revisions ------------------------------------------------------------------------------- */

enum pmk_store_verdict { PMK_STORE_BAD = 0, PMK_STORE_GOOD = 1, PMK_STORE_OPEN = -1 };

struct pmk_store_revision {
	int64_t id;	     /* in the order in which they were added, from 1 */
	const char *name;    /* the commit */
	const char *subject; /* its line for people, or NULL */
	int64_t time;	     /* of the commit, seconds since 1970; 0: not known */
	enum pmk_store_verdict verdict;
};

/* Add a revision, or change the one of that name. *id: its number. */
int pmk_store_revision(struct pmk_store *s, const struct pmk_store_revision *r, int64_t *id);

typedef int pmk_store_take_revision(void *ctx, const struct pmk_store_revision *r);

/* All but 0, in the order in which they were added. */
int pmk_store_revisions(struct pmk_store *s, pmk_store_take_revision *take, void *ctx);

/* ---- recordings ------------------------------------------------------------------------------ */

/* The file of a cell that was recorded as well, from the folder of the database. */
int pmk_store_record(struct pmk_store *s, int64_t cell, const char *path);
/* "": it was not. */
int pmk_store_recorded(struct pmk_store *s, int64_t cell, char *path, size_t size);

/* ---- several databases ----------------------------------------------------------------------- */

/* Put all cells and the points of sweeps of the database at `path` into `s`, outside of a
 * transaction: values that are there already stay, and a failure gives way to counts. */
int pmk_store_merge(struct pmk_store *s, const char *path);

#endif
