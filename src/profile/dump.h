/* SPDX-License-Identifier: MIT */
/*
 * What `pmk report` reads: the dumps that firmware wrote with pmk_target_dump(), and the functions that
 * the addresses of their samples lie in. The format is in docs/FORMATS.md.
 *
 * A dump comes out of a capture, a serial log with text before and after it, so every byte of it is
 * untrusted: numbers may be any, names may hold any byte, and nothing is allocated that the bytes at
 * hand do not pay for.
 */
#ifndef PMK_PROFILE_DUMP_H
#define PMK_PROFILE_DUMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PMK_DUMP_VERSION   1
#define PMK_DUMP_EVENTS	   64	/* that one dump may have; more are taken for damage */
#define PMK_DUMP_NAME	   4096 /* bytes of a name, likewise */
#define PMK_DUMP_NO_REGION UINT32_MAX

/* Any bytes, not terminated; NULL where none were read. */
struct pmk_dump_text {
	uint8_t *byte;
	size_t length;
};

struct pmk_dump_event {
	uint16_t code;
	uint64_t period; /* 0: not sampled */
	uint64_t total;
	uint64_t cost,
		nest; /* what an empty region counts; what one adds to the region around it */
};

/* What a region counted of one event. */
struct pmk_dump_count {
	uint64_t raw;		  /* before the cost of measuring was taken off */
	uint64_t sum;		  /* net */
	uint64_t sq_low, sq_high; /* of the net values */
	uint64_t min, max;	  /* 0 when there was no occurrence */
};

struct pmk_dump_region {
	struct pmk_dump_text name; /* empty: it has none */
	uint32_t entries, errors;
	unsigned nevents; /* with counts: fewer than the dump's in a region that is cut */
	size_t first;	  /* index of event 0 in pmk_dump.count */
};

struct pmk_dump_sample {
	uint64_t pc; /* 0: polled, nobody knows where */
	uint32_t region;
	uint8_t event;
	bool late;
};

enum pmk_dump_state {
	PMK_DUMP_COMPLETE, /* to its end, and the checksum is right */
	PMK_DUMP_CUT,	   /* breaks off: what comes before that is there, unchecked */
	PMK_DUMP_WRONG,	   /* its checksum is wrong: any number of it may be */
	PMK_DUMP_UNKNOWN,  /* of a version that this reader does not know: nothing was read */
};

struct pmk_dump {
	enum pmk_dump_state state;
	size_t begin, end; /* in the capture; `end` is where it breaks off when it does */
	uint8_t version;
	bool crlf;     /* every LF had become CR LF; that was undone */
	char why[160]; /* state other than COMPLETE: one line, offsets counted in the capture */
	struct pmk_dump_text pmu;
	struct pmk_dump_event event[PMK_DUMP_EVENTS];
	unsigned nevents;
	struct pmk_dump_region *region; /* in the order of their ids, 0, 1, … */
	size_t nregions;
	struct pmk_dump_count *count;
	size_t ncounts;
	struct pmk_dump_sample *sample; /* oldest first */
	size_t nsamples;
	bool sampling; /* `dropped` was read */
	uint32_t dropped;
};

/*
 * The first dump that begins at or after *at. Returns 1 with *at behind it, 0 when there is none, or
 * PMK_ENOMEM. The caller frees the dump after 1.
 */
int pmk_dump_next(const uint8_t *data, size_t size, size_t *at, struct pmk_dump *dump);
void pmk_dump_free(struct pmk_dump *dump);

/* A name for people and for JSON: UTF-8, with \xNN for every byte that is not or that belongs to a
 * control character, and \\ for a backslash, so that different names look different. The caller
 * frees; NULL: out of memory. */
char *pmk_dump_escape(const void *name, size_t length);

/* ---- functions by address -------------------------------------------------------------------- */

struct pmk_functions;

/*
 * The functions of an ELF executable: its symbols in executable sections, Thumb bit cleared. 0 (also
 * when it has none, see pmk_functions_count()), PMK_EIO, PMK_EPARSE or PMK_ENOMEM with one line in
 * msg, without the file's name.
 */
int pmk_functions_load(struct pmk_functions **out, const char *path, char *msg, size_t size);
void pmk_functions_free(struct pmk_functions *f);
size_t pmk_functions_count(const struct pmk_functions *f);
/* Name of the function that `pc` lies in and where that begins; NULL when it lies in none. A label
 * without a size reaches to the next symbol, or to the end of its section. */
const char *pmk_functions_at(const struct pmk_functions *f, uint64_t pc, uint64_t *begin);

/* ---- the flat profile ------------------------------------------------------------------------ */

/* Samples of one event, in one function or at one address, while one region was the innermost. */
struct pmk_profile_line {
	unsigned event;
	uint32_t region;      /* or PMK_DUMP_NO_REGION */
	uint64_t address;     /* where the function begins, else the sample's */
	const char *function; /* NULL with address 0: polled */
	uint64_t samples, late;
};

/* Sorted by event, then most samples first. `f` may be NULL. The caller frees; NULL: out of memory. */
struct pmk_profile_line *pmk_dump_profile(const struct pmk_dump *d, const struct pmk_functions *f,
					  size_t *count);

#endif
