/* SPDX-License-Identifier: MIT */
/*
 * Decodes the records that the kernel writes into ring buffers, and perf into its files:
 * perf_event_open(2). The reader does not trust the bytes of a record, because the file may come
 * from anywhere.
 */
#ifndef PMK_SAMPLING_PERF_H
#define PMK_SAMPLING_PERF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"

/* The layout of an event's records: members of struct perf_event_attr. */
struct pmk_perf_event {
	uint64_t sample_type, read_format;
	uint64_t period; /* for samples that do not contain their period */
	bool id_all;	 /* records that are not samples contain their time, too */
};

struct pmk_perf_layout {
	struct pmk_perf_event *event;
	size_t nevents;
	struct pmk_map ids; /* the kernel's number of an event → index */
};

enum pmk_perf_kind {
	PMK_PERF_OTHER,	   /* not used here */
	PMK_PERF_MAP,	   /* a file or memory was mapped */
	PMK_PERF_COMM,	   /* a thread got a name */
	PMK_PERF_FORK,	   /* a process or thread was started */
	PMK_PERF_LOST,	   /* the buffer had no room for records */
	PMK_PERF_THROTTLE, /* the kernel suspended sampling for a moment */
	PMK_PERF_SAMPLE,
	/* Every record after this one has a later time than every record before the previous
	 * PMK_PERF_ROUND. */
	PMK_PERF_ROUND,
	PMK_PERF_COMPRESSED,
};

/* The mode whose code was running. */
enum pmk_perf_mode { PMK_PERF_UNKNOWN, PMK_PERF_KERNEL, PMK_PERF_USER, PMK_PERF_OUTSIDE };

/* A record. The pointers point into the bytes from which the record was read. */
struct pmk_perf_record {
	enum pmk_perf_kind kind;
	enum pmk_perf_mode mode;
	uint64_t time; /* 0: not known */
	uint32_t pid, tid;
	/* Only in a PMK_PERF_MAP. */
	uint64_t start, length, offset; /* `offset` is the position in the mapped file */
	const uint8_t *build_id;
	size_t build_id_size; /* 0: not known */
	bool data;	      /* no code */
	/* Only in a PMK_PERF_MAP or PMK_PERF_COMM. */
	const char *text; /* the path of a mapped file, or the name of a thread */
	bool exec;	  /* COMM: the process executes another program from here on */
	/* Only in a PMK_PERF_FORK. */
	uint32_t parent, parent_tid;
	/* Only in a PMK_PERF_LOST: the number of lost records. */
	uint64_t lost;
	/* Only in a PMK_PERF_SAMPLE. */
	uint32_t event;
	uint64_t ip, period;
	const uint8_t *chain; /* 64-bit numbers, not aligned */
	size_t nchain;
};

/*
 * Read one record of `size` bytes, the size in its header. Returns false if the record is too short
 * for its contents, or if its event is not known.
 */
bool pmk_perf_decode(const struct pmk_perf_layout *l, const uint8_t *bytes, size_t size,
		     struct pmk_perf_record *out);

/* Returns number i of a call chain. Some numbers are marks: the addresses after a mark belong to
 * the mode that the mark names. */
uint64_t pmk_perf_chain(const struct pmk_perf_record *r, size_t i);
bool pmk_perf_is_mark(uint64_t ip, enum pmk_perf_mode *mode);

#endif
