/* SPDX-License-Identifier: MIT */
/* A side of pmk diff while it is read, and the functions that its readers share. */
#ifndef PMK_CLI_DIFF_SOURCE_H
#define PMK_CLI_DIFF_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/diff.h"
#include "profile/recording/tables.h"

struct json_object;

#define DIFF_NO_ROW SIZE_MAX

/* An event of one side; for a recording with its index. */
struct diff_event {
	const char *name; /* the catalogue's name */
	const char *pmu;
	uint32_t index;
};

/* A function of the source: its own code, and its code in functions into which it was inlined. */
struct diff_function {
	char *key, *name;
	const char *path; /* of its file; NULL: not known */
	uint32_t object;  /* PMK_TABLES_NONE: not known, or several */
	uint64_t body;	  /* hash of its own instructions; 0: none, or not known */
	/* lines of the declaration, and the lowest other line that has instructions; 0: none */
	uint32_t declared, first;
	size_t partner; /* index of this function on the other side, or DIFF_NO_ROW */
	size_t row;
};

/* A side while it is read: a recording or a document. */
struct diff_source {
	enum diff_side which;
	const char *path;
	bool recording, open;
	struct pmk_tables t;
	struct json_object *document, *counters;
	struct diff_event *event;
	size_t nevents;
	/* used for a recording, while its counts are summed */
	struct diff *d;
	struct diff_function *function;
	size_t nfunctions, function_room;
	struct pmk_map functions; /* hash of the key → function */
	uint64_t *body;		  /* [function of the tables] */
	uint32_t *shape;	  /* [code]: the instruction without addresses */
	uint64_t *count;	  /* [code][event], with diff.part; executions after the last one */
	/* [slot]: index of the event in the recording, and in the diff */
	uint32_t *index, *slot, nslots;
	size_t *of;	      /* [code]: function */
	size_t *line;	      /* [code]: row */
	struct pmk_tree tree; /* with diff.by_path: the call paths of this side */
};

uint64_t diff_hash(const char *text);

/* Returns the row with that key, which is added if there is none. DIFF_NO_ROW: out of memory. */
size_t diff_row_add(struct diff *d, enum diff_kind kind, const char *key);

/* Set the description of a row; if both sides have the row, the later call replaces it. False: out
 * of memory. */
bool diff_row_describe(struct diff_row *r, const struct diff_source *s, const char *name,
		       const char *file, uint32_t line);

/* Returns the catalogue's name of an event. pmk stat may have written another name, as
 * requested. */
const char *diff_catalogue_name(const char *name, const char *pmu);
const struct diff_event *diff_find_event(const struct diff_source *s, const char *name,
					 const char *pmu);
/* Returns the event of the diff with that name, or the number of events. */
size_t diff_event_number(const struct diff *d, const char *name);

/* These functions return 0 or an exit code. Opening finds the events, summing adds the rows. */
int diff_open_recording(struct diff_source *s);
int diff_open_document(struct diff_source *s);
int diff_sum_document(struct diff_source *s);
int diff_sum_recordings(struct diff_source *sides);
void diff_source_close(struct diff_source *s);

/* Check that at least one side has each region and function that a limit names. Returns 0 or an
 * exit code. */
int diff_check_places(const struct diff *d);

/* Fills diff.part. */
int diff_find_parts(struct diff_source *base, struct diff_source *fresh);

/* Fills diff.paths. Call it last, because it adds functions to the sources. */
int diff_find_paths(struct diff_source *base, struct diff_source *fresh);

/* Returns the index of the function with that key, or DIFF_NO_ROW. */
size_t diff_function_find(const struct diff_source *s, const char *key);
/* Returns the index of the function of the instruction, which is added if there is none.
 * DIFF_NO_ROW: out of memory. */
size_t diff_function_of(struct diff_source *s, const struct pmk_tables_code *k);

/* Returns the text of a member; NULL: the object has no text with this key. */
const char *diff_json_text(struct json_object *o, const char *key);
bool diff_json_is_true(struct json_object *o, const char *key);

#endif
