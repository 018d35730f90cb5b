/* SPDX-License-Identifier: MIT */
/*
 * A results database: counts of cells, each under a key that identifies the cell. The file is an
 * SQLite database, described in docs/FORMATS.md. The schema is public, because people query it.
 *
 *	program   what is run: the file, its libraries, inputs, arguments, environment
 *	config    a core with all its parameters
 *	cell      one run of a program on a config, or why there are no counts of it
 *	value     what an event counted in a cell, with its label
 *	point     what people call a cell: a program's name, a core and the settings that were
 *	          asked for, in a revision
 *	revision  a commit; points of sweeps have revision 0, which stands for no commit
 *
 * Functions return 0 or a negative enum pmk_error; pmk_store_error() then has a line for the user.
 * After the first failure a store can only be closed, and each call returns that failure.
 */
#ifndef PMK_SWEEP_STORE_H
#define PMK_SWEEP_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PMK_STORE_ID	  0x706d6b73 /* application_id: "pmks" */
#define PMK_STORE_VERSION 1	     /* user_version */

/* A key is the first 128 bits of a SHA-256, which is enough to avoid collisions. */
#define PMK_STORE_KEY 16
typedef uint8_t pmk_store_key[PMK_STORE_KEY];

struct pmk_store;

enum pmk_store_how {
	PMK_STORE_READ,	 /* open an existing database */
	PMK_STORE_WRITE, /* create it if necessary; others may read at the same time */
	PMK_STORE_ADD,	 /* like WRITE, for a short change: wait some seconds for another writer */
	/*
	 * Like WRITE, with exclusive access: no other process can open it. No memory is shared
	 * between processes then, so the file may be on a network file system.
	 */
	PMK_STORE_ALONE,
};

/*
 * Opens or creates the database at `path`. PMK_EIO: it cannot be opened; PMK_EPARSE: it is
 * something else, or has a version that this pmk does not know; PMK_EBUSY: another process writes
 * it. msg then has one line that begins with the path.
 */
int pmk_store_open(struct pmk_store **s, const char *path, enum pmk_store_how how, char *msg,
		   size_t size);
/* Closes the store; uncommitted changes are lost. NULL is ignored. */
void pmk_store_close(struct pmk_store *s);
/* Returns the line of the last failure, with the path of the database. */
const char *pmk_store_error(const struct pmk_store *s);

/* Begin and end a transaction. Outside of one, each call is a separate transaction. */
int pmk_store_begin(struct pmk_store *s);
int pmk_store_commit(struct pmk_store *s);

/* ---- cells ----------------------------------------------------------------------------------- */

struct pmk_store_program {
	pmk_store_key hash;
	const char *path;    /* path of the file */
	const char *command; /* quoted for display */
	const char *about;   /* other contents of the hash, as lines: "library libc.so.6 1f2e…" */
};

struct pmk_store_config {
	pmk_store_key hash;
	const char *core, *isa;
	const char *parameters; /* all parameters, "dcache.size=16K,…" */
	/* The reference with which its cycles were compared, as in struct pmk_result. */
	const char *checked;
};

/* Unknown texts are NULL. */
struct pmk_store_value {
	const char *event; /* the name in the request */
	const char *pmu;
	const char *trust;  /* as in struct pmk_count_row */
	const char *reason; /* reason for a missing value, or a note about it */
	const char *unit;
	bool has_value;
	uint64_t value;
};

struct pmk_store_cell {
	pmk_store_key key;
	const struct pmk_store_program *program;
	const struct pmk_store_config *config;
	const char *failure; /* NULL if it was counted, otherwise one line with the reason */
	int32_t exit_code;   /* exit code of the program; -1: it did not run to its end */
	double seconds;	     /* duration of the run on this machine */
	const struct pmk_store_value *values;
	size_t nvalues;
};

/* The stored cell that has a given key. If `id` is 0, there is none. */
struct pmk_store_found {
	int64_t id;
	bool failed;
	double seconds;
};

int pmk_store_find(struct pmk_store *s, const pmk_store_key key, struct pmk_store_found *found);
/* Sets *has if the cell has a row for this event, with or without a value. */
int pmk_store_has(struct pmk_store *s, int64_t cell, const char *event, bool *has);
/*
 * Value of `trust` for an event that could not be added to a cell, because its run failed. `reason`
 * says why.
 */
#define PMK_STORE_FAILED "failed"

/* Sets *failed if the cell has a row which says that counting this event failed. */
int pmk_store_event_failed(struct pmk_store *s, int64_t cell, const char *event, bool *failed);
/*
 * Stores a cell, its program and its config. If a cell with this key exists and had failed, it is
 * replaced. If it was counted, it gets the new values and keeps its old ones, except failed ones,
 * which are replaced. *id receives the number of the cell in the table.
 */
int pmk_store_put(struct pmk_store *s, const struct pmk_store_cell *cell, int64_t *id);

/* ---- points ---------------------------------------------------------------------------------- */

struct pmk_store_setting {
	const char *name, *value;
};

/* The name of a cell. The settings are sorted by their names. */
struct pmk_store_point {
	int64_t revision; /* 0: no commit */
	const char *name; /* name of the program */
	const char *core;
	const struct pmk_store_setting *settings;
	size_t nsettings;
};

/* Returns "a=1,b=2", which the caller frees. NULL: out of memory. */
char *pmk_store_settings(const struct pmk_store_setting *setting, size_t n);

/* Gives the name to `cell`, even if another cell had it. If `cell` is 0, removes the name. */
int pmk_store_name(struct pmk_store *s, const struct pmk_store_point *point, int64_t cell);

/* A row of pmk_store_points(). Texts are valid only during the call. */
struct pmk_store_row {
	struct pmk_store_point point;
	int64_t cell;
	pmk_store_key key;
	const char *failure;
	/* As in the cell's config; NULL: not known, or there is no model of cycles. */
	const char *checked;
	int32_t exit_code;
	double seconds;
	const struct pmk_store_value *values;
	size_t nvalues;
};

/* Handles a row. Returns 0 to continue; any other value stops pmk_store_points(), which returns
 * it. */
typedef int pmk_store_take(void *ctx, const struct pmk_store_row *row);

/*
 * Calls `take` for all points of a revision, or of all revisions if `revision` is -1. They are
 * sorted by revision, name, core and the order in which their settings were first seen.
 */
int pmk_store_points(struct pmk_store *s, int64_t revision, pmk_store_take *take, void *ctx);

/* ---- revisions ------------------------------------------------------------------------------- */

enum pmk_store_verdict { PMK_STORE_BAD = 0, PMK_STORE_GOOD = 1, PMK_STORE_OPEN = -1 };

struct pmk_store_revision {
	int64_t id;	     /* numbered from 1, in the order in which they were added */
	const char *name;    /* name of the commit */
	const char *subject; /* subject line of the commit, or NULL */
	int64_t time;	     /* time of the commit, in seconds since 1970; 0: not known */
	enum pmk_store_verdict verdict;
};

/* Adds a revision, or changes the revision with this name. *id receives its number. */
int pmk_store_revision(struct pmk_store *s, const struct pmk_store_revision *r, int64_t *id);

typedef int pmk_store_take_revision(void *ctx, const struct pmk_store_revision *r);

/* Calls `take` for all revisions except 0, in the order in which they were added. */
int pmk_store_revisions(struct pmk_store *s, pmk_store_take_revision *take, void *ctx);

/* ---- recordings ------------------------------------------------------------------------------ */

/* Stores the path of a cell's recording, relative to the folder of the database. */
int pmk_store_record(struct pmk_store *s, int64_t cell, const char *path);
/* Returns the path of a cell's recording, or "" if the cell was not recorded. */
int pmk_store_recorded(struct pmk_store *s, int64_t cell, char *path, size_t size);

/* ---- several databases ----------------------------------------------------------------------- */

/*
 * Copies all cells and the points of sweeps from the database at `path` into `s`, outside of a
 * transaction. Existing values are kept, and counts replace failures.
 */
int pmk_store_merge(struct pmk_store *s, const char *path);

#endif
