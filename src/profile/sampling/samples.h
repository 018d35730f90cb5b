/* SPDX-License-Identifier: MIT */
/*
 * From records of the kernel to a recording: what was sampled at each instruction, by each thread
 * and, if wanted, on each path of calls.
 *
 * Records of several processors come in several streams. They are put in order by their time before
 * they are used, because a sample means what was mapped then.
 */
#ifndef PMK_SAMPLING_SAMPLES_H
#define PMK_SAMPLING_SAMPLES_H

#include "profile/recording/recording.h"
#include "profile/sampling/perf.h"

struct pmk_samples;

/* An event that was to be sampled. The texts have to live as long as the samples. */
struct pmk_sampled_event {
	const char *name;   /* NULL: it has no row, and its samples are not wanted */
	const char *pmu;    /* NULL where it is not known */
	const char *reason; /* why it was not; NULL: it was */
};

/* The layout has the same events, and has to live as long. NULL: out of memory. */
struct pmk_samples *pmk_samples_new(const struct pmk_perf_layout *layout,
				    const struct pmk_sampled_event *event, bool paths);
void pmk_samples_free(struct pmk_samples *s);

/* The memory of processes before the first record. 0 or PMK_ENOMEM. */
struct pmk_spaces *pmk_samples_spaces(struct pmk_samples *s);
int pmk_samples_name(struct pmk_samples *s, uint32_t pid, uint32_t tid, const char *name);

/*
 * Take a record. With `copy` it is copied; otherwise its bytes have to stay until they are flushed.
 * Returns 0 or PMK_ENOMEM. Records that make no sense are counted.
 */
int pmk_samples_put(struct pmk_samples *s, const uint8_t *bytes, size_t size, bool copy);
/* Records were taken from all streams once: what is older than those of the round before is used
 * now. 0 or PMK_ENOMEM. */
int pmk_samples_round(struct pmk_samples *s);

/* A sample that is in no record: object is a number of pmk_samples_spaces(), and addr the address
 * in its file. */
struct pmk_sampled_place {
	uint32_t event, pid, tid, object;
	uint64_t addr;
};

int pmk_samples_add(struct pmk_samples *s, const struct pmk_sampled_place *at, uint64_t period);

/* The kernel was another one than that of this machine. */
void pmk_samples_other_kernel(struct pmk_samples *s);

/* What came with the records. */
struct pmk_samples_facts {
	uint64_t samples, lost, throttled, damaged;
};

/* Use all that was taken, and fill in what is known of the recording: events, objects, threads,
 * instructions, contexts and counts, which belong to `s`. 0 or PMK_ENOMEM. */
int pmk_samples_finish(struct pmk_samples *s, struct pmk_recording *rec,
		       struct pmk_samples_facts *facts);

/* What a reader has to know, as lines; the caller frees it. "" where there is nothing, NULL: out of
 * memory. */
char *pmk_samples_warning(const struct pmk_samples_facts *facts);

#endif
