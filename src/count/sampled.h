/* SPDX-License-Identifier: MIT */
/*
 * Samples events on this machine, for pmk record -T linux. machine.c chooses the events and runs
 * the program; this file turns records of the kernel into a recording.
 */
#ifndef PMK_COUNT_SAMPLED_H
#define PMK_COUNT_SAMPLED_H

#include "count/count.h"
#include "producer/linux/linux.h"
#include "profile/recording/recording.h"
#include "profile/sampling/samples.h"

struct pmk_sampled;

/* Open the events. The scope always names processors. Returns 0 or a failure. */
int pmk_sampled_open(struct pmk_sampled **out, struct pmk_count *c,
		     const struct pmk_linux_facts *facts, const struct pmk_linux_ask *asks,
		     unsigned nasks, const struct pmk_linux_scope *scope);
void pmk_sampled_free(struct pmk_sampled *s);

/* Returns the open events, with the reasons why some are not sampled. */
const struct pmk_linux_rings *pmk_sampled_rings(const struct pmk_sampled *s);

/* Set the names, PMUs and reasons of the events. These texts must live as long as `s`. Returns 0 or
 * a failure. */
int pmk_sampled_name(struct pmk_sampled *s, struct pmk_count *c,
		     const struct pmk_sampled_event *event);
/* Read which files are mapped into running processes: into the given ones, or with `everything`
 * into all. Returns 0 or a failure. */
int pmk_sampled_attach(struct pmk_sampled *s, struct pmk_count *c, const int *processes,
		       unsigned nprocesses, bool everything);
void pmk_sampled_enable(struct pmk_sampled *s);
/* Process what the kernel has written so far. Returns 0 or a failure. */
int pmk_sampled_take(struct pmk_sampled *s, struct pmk_count *c);
/* Process the remaining samples. Adds warnings to the result if necessary. Returns 0 or a
 * failure. */
int pmk_sampled_end(struct pmk_sampled *s, struct pmk_count *c);

/* Returns the estimated count of event i: the sum of the periods of its samples. Call it after
 * pmk_sampled_end(). */
uint64_t pmk_sampled_total(const struct pmk_sampled *s, unsigned i);
/* Returns the recording, with facts about the run from the result. */
const struct pmk_recording *pmk_sampled_recording(struct pmk_sampled *s, const struct pmk_count *c);

#endif
