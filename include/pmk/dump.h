/* SPDX-License-Identifier: MIT */
/* Stable. */
/*
 * Reads, on a host, the dumps that firmware wrote with pmk_target_dump(), as `pmk report` does. The
 * format is in docs/FORMATS.md. Host library only.
 *
 * 	struct pmk_dump dump = { .size = sizeof(dump) };
 * 	size_t at = 0;
 *
 * 	while (pmk_dump_next(data, size, &at, &dump) > 0) {
 * 		… dump.region[i].name, dump.count[dump.region[i].first + event].sum
 * 		pmk_dump_free(&dump);
 * 	}
 *
 * A dump is part of a capture, such as a serial log with other text before and after it. No byte of
 * it is trusted: numbers may have any value, names may contain any byte, and memory is allocated
 * only for data that is present.
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
/* Largest number of events in a dump; a larger number is treated as damage. */
#define PMK_DUMP_EVENTS	 64
#define PMK_DUMP_NAME	 4096 /* largest length of a name, in bytes */

#define PMK_SAMPLE_NO_REGION UINT32_MAX

/* A name from a dump: any bytes, without a terminating 0. `byte` is NULL if no name was read. */
struct pmk_dump_text {
	uint8_t *byte;
	size_t length;
};

struct pmk_dump_event {
	uint16_t code;
	uint64_t period; /* 0: not sampled */
	uint64_t total;
	/* `cost` is the count of an empty region, `nest` the count that a region adds to the region
	 * around it. */
	uint64_t cost, nest;
};

/* The count of one event in one region. */
struct pmk_dump_count {
	uint64_t raw;		  /* before the cost of measuring was subtracted */
	uint64_t sum;		  /* net */
	uint64_t sq_low, sq_high; /* sum of the squares of the net values */
	uint64_t min, max;	  /* 0 if there was no occurrence */
};

struct pmk_dump_region {
	struct pmk_dump_text name; /* empty if the region has no name */
	uint32_t entries, errors;
	/* Number of events whose counts were read: fewer than pmk_dump.nevents if the dump is cut
	 * off in this region. */
	unsigned nevents;
	size_t first; /* index in pmk_dump.count of the counts of event 0; others follow */
};

/* One sample: the position of the program when a counter had counted its period. */
struct pmk_profile_sample {
	uint64_t pc;	 /* 0: the sample was polled, so the address is not known */
	uint32_t region; /* the innermost open region, or PMK_SAMPLE_NO_REGION */
	uint8_t event;	 /* index of the event in pmk_dump.event */
	bool late;	 /* the counter had counted another period before the sample was taken */
};

enum pmk_dump_state {
	PMK_DUMP_COMPLETE, /* read completely, and the checksum is right */
	PMK_DUMP_CUT,	   /* the dump ends early: the data before that is present but unchecked */
	PMK_DUMP_WRONG,	   /* the checksum is wrong: any number may be wrong */
	PMK_DUMP_UNKNOWN,  /* this reader does not know the version: nothing was read */
};

struct pmk_dump {
	/* sizeof(struct pmk_dump), set by the caller. Later versions may append members. */
	size_t size;
	enum pmk_dump_state state;
	size_t begin, end; /* offsets in the capture; `end` is where a cut dump ends */
	uint8_t version;
	bool crlf; /* CR LF was converted back to LF */
	/* If the state is not COMPLETE: the reason, in one line; offsets in it count from the start
	 * of the capture. */
	char why[160];
	struct pmk_dump_text pmu;
	struct pmk_dump_event event[PMK_DUMP_EVENTS];
	unsigned nevents;
	struct pmk_dump_region *region; /* in the order of their numbers 0, 1, … */
	size_t nregions;
	struct pmk_dump_count *count;
	size_t ncounts;
	struct pmk_profile_sample *sample; /* oldest first */
	size_t nsamples;
	bool sampling; /* `dropped` was read */
	uint32_t dropped;
};

/*
 * Find the first dump in `data` that begins at offset *at or later, and read it. Returns 1 and sets
 * *at to the end of the dump; 0 if there is no dump; PMK_ENOMEM; PMK_EINVAL if dump->size is not a
 * size of any version. If it returned 1, the caller frees the dump with pmk_dump_free(), which
 * keeps `size`.
 */
int pmk_dump_next(const uint8_t *data, size_t size, size_t *at, struct pmk_dump *dump);
void pmk_dump_free(struct pmk_dump *dump);

/* Returns a readable form of a name, also for JSON: UTF-8, with \xNN for every byte that is not
 * UTF-8 or belongs to a control character, and \\ for a backslash, so that different names look
 * different. The caller frees it. NULL: out of memory. */
char *pmk_dump_escape(const void *name, size_t length);

#ifdef __cplusplus
}
#endif

#endif
