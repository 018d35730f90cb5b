/* SPDX-License-Identifier: MIT */
/*
 * Converts records of the kernel to a recording: the samples at each instruction, by each thread
 * and, if requested, on each call path.
 *
 * Records of several processors come in several streams. Records are sorted by time before they
 * are used, because a sample refers to the mappings at its time.
 */
#ifndef PMK_SAMPLING_SAMPLES_H
#define PMK_SAMPLING_SAMPLES_H

#include "profile/recording/recording.h"
#include "profile/sampling/perf.h"

struct pmk_samples;

/* An event to sample. The texts must live as long as the samples. */
struct pmk_sampled_event {
	const char *name;   /* NULL: the event has no row, and its samples are ignored */
	const char *pmu;    /* NULL: not known */
	const char *reason; /* why it was not sampled; NULL if it was sampled */
};

/* Returns an empty set of samples. The layout has the same events and must live as long. NULL: out
 * of memory. */
struct pmk_samples *pmk_samples_new(const struct pmk_perf_layout *layout,
				    const struct pmk_sampled_event *event, bool paths);
void pmk_samples_free(struct pmk_samples *s);

/* These functions describe the processes as they are before the first record: their memory maps,
 * and the names of their threads. pmk_samples_name() returns 0 or PMK_ENOMEM. */
struct pmk_spaces *pmk_samples_spaces(struct pmk_samples *s);
int pmk_samples_name(struct pmk_samples *s, uint32_t pid, uint32_t tid, const char *name);

/*
 * Add a record. With `copy`, its bytes are copied; otherwise they must stay valid until the record
 * has been processed. Returns 0 or PMK_ENOMEM. Damaged records are only counted.
 */
int pmk_samples_put(struct pmk_samples *s, const uint8_t *bytes, size_t size, bool copy);
/* Process the records that are older than the latest record of the previous round. Call this when
 * all streams have been read once. Returns 0 or PMK_ENOMEM. */
int pmk_samples_round(struct pmk_samples *s);

/* A sample that does not come from a record. `object` is the number of an object of
 * pmk_samples_spaces(), and `addr` an address in the file of this object. */
struct pmk_sampled_place {
	uint32_t event, pid, tid, object;
	uint64_t addr;
};

int pmk_samples_add(struct pmk_samples *s, const struct pmk_sampled_place *at, uint64_t period);

/* Call this if the records come from another kernel than this machine's. */
void pmk_samples_other_kernel(struct pmk_samples *s);

/* Counts of records. */
struct pmk_samples_facts {
	uint64_t samples, lost, throttled, damaged;
};

/* Process all records, and fill in the known parts of the recording: events, objects, threads,
 * instructions, contexts and counts, which `s` owns. Returns 0 or PMK_ENOMEM. */
int pmk_samples_finish(struct pmk_samples *s, struct pmk_recording *rec,
		       struct pmk_samples_facts *facts);

/* Returns warnings for the reader, as lines, which the caller frees. "": none; NULL: out of
 * memory. */
char *pmk_samples_warning(const struct pmk_samples_facts *facts);

#endif
