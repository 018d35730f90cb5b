/* SPDX-License-Identifier: MIT */
/* Stable. */
/*
 * The dumps that firmware wrote with pmk_target_dump(), read on a host: what `pmk report` does.
 * The format is in docs/FORMATS.md. Host library only.
 *
 *	struct pmk_dump dump = { .size = sizeof(dump) };
 *	size_t at = 0;
 *
 *	while (pmk_dump_next(data, size, &at, &dump) > 0) {
 *		… dump.region[i].name, dump.count[dump.region[i].first + event].sum
 *		pmk_dump_free(&dump);
 *	}
 *
 * A dump comes out of a capture, a serial log with text before and after it, so no byte of it can
 * be trusted: numbers may have any value, names may hold any byte, and memory is only allocated for
 * data that is really there.
 */
#ifndef PMK_DUMP_H
#define PMK_DUMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PMK_DUMP_VERSION 1
/* events that one dump may have; a larger number is taken for damage */
#define PMK_DUMP_EVENTS	 64
#define PMK_DUMP_NAME	 4096 /* bytes that a name may have, likewise */

#define PMK_SAMPLE_NO_REGION UINT32_MAX

/* Any bytes, without a terminating 0; NULL where no name was read. */
struct pmk_dump_text {
	uint8_t *byte;
	size_t length;
};

struct pmk_dump_event {
	uint16_t code;
	uint64_t period; /* 0: not sampled */
	uint64_t total;
	uint64_t cost,
		nest; /* what an empty region counts; what a region adds to the one around it */
};

/* What one region counted of one event. */
struct pmk_dump_count {
	uint64_t raw;		  /* before the cost of measuring was taken off */
	uint64_t sum;		  /* net */
	uint64_t sq_low, sq_high; /* of the net values */
	uint64_t min, max;	  /* 0 when there was no occurrence */
};

struct pmk_dump_region {
	struct pmk_dump_text name; /* empty: the region has no name */
	uint32_t entries, errors;
	/* events with counts: fewer than the dump's in a region that is cut off */
	unsigned nevents;
	size_t first; /* index of event 0 in pmk_dump.count */
};

/* Where the program was when a counter had counted its period. */
struct pmk_profile_sample {
	uint64_t pc;	 /* 0: the sample was polled, so the address is not known */
	uint32_t region; /* the innermost region that was open, or PMK_SAMPLE_NO_REGION */
	uint8_t event;	 /* index of the event */
	bool late;	 /* the sample came a period or more after its time */
};

enum pmk_dump_state {
	PMK_DUMP_COMPLETE, /* read to its end, and the checksum is right */
	PMK_DUMP_CUT,	   /* it breaks off: what comes before that is there, but unchecked */
	PMK_DUMP_WRONG,	   /* its checksum is wrong: any of its numbers may be wrong */
	PMK_DUMP_UNKNOWN,  /* a version that this reader does not know: nothing was read */
};

struct pmk_dump {
	/* sizeof(struct pmk_dump), set by the caller: later versions append members */
	size_t size;
	enum pmk_dump_state state;
	size_t begin, end; /* offsets in the capture; `end` is where it breaks off, if it does */
	uint8_t version;
	bool crlf; /* every LF had become CR LF, and that was undone */
	/* for states other than COMPLETE: one line, with offsets counted in the capture */
	char why[160];
	struct pmk_dump_text pmu;
	struct pmk_dump_event event[PMK_DUMP_EVENTS];
	unsigned nevents;
	struct pmk_dump_region *region; /* in the order of their ids, 0, 1, … */
	size_t nregions;
	struct pmk_dump_count *count;
	size_t ncounts;
	struct pmk_profile_sample *sample; /* oldest first */
	size_t nsamples;
	bool sampling; /* `dropped` was read */
	uint32_t dropped;
};

/*
 * Find the first dump that begins at or after *at. Returns 1 and moves *at behind the dump, 0 when
 * there is none, PMK_ENOMEM, or PMK_EINVAL: dump->size is none that the struct ever had. After 1
 * the caller frees the dump; its size stays.
 */
int pmk_dump_next(const uint8_t *data, size_t size, size_t *at, struct pmk_dump *dump);
void pmk_dump_free(struct pmk_dump *dump);

/* A name in a form for people and for JSON: UTF-8, with \xNN for every byte that is not or that
 * belongs to a control character, and \\ for a backslash, so that different names look
 * different. The caller frees; NULL: out of memory. */
char *pmk_dump_escape(const void *name, size_t length);

#ifdef __cplusplus
}
#endif

#endif
