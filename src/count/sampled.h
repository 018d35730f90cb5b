/* SPDX-License-Identifier: MIT */
/*
 * Sampling on this machine: pmk record -T linux. machine.c chooses what is sampled and runs the
 * program; here records of the kernel become a recording.
 */
#ifndef PMK_COUNT_SAMPLED_H
#define PMK_COUNT_SAMPLED_H

#include "count/count.h"
#include "producer/linux/linux.h"
#include "profile/recording/recording.h"

struct pmk_sampled;

/* The rate that was asked for. 0 or a failure. */
int pmk_sampled_rate(struct pmk_count *c, struct pmk_linux_rate *rate);

/* Open the events. The scope has processors in any case. 0 or a failure. */
int pmk_sampled_open(struct pmk_sampled **out, struct pmk_count *c,
		     const struct pmk_linux_facts *facts, const struct pmk_linux_ask *asks,
		     unsigned nasks, const struct pmk_linux_scope *scope);
void pmk_sampled_free(struct pmk_sampled *s);

/* Why event i is not sampled, and so on. */
const struct pmk_linux_rings *pmk_sampled_rings(const struct pmk_sampled *s);

/* Events have these names, PMUs and reasons, which have to live as long. 0 or a failure. */
int pmk_sampled_name(struct pmk_sampled *s, struct pmk_count *c, const char *const *name,
		     const char *const *pmu, const char *const *reason);
/* Learn what is in the memory of processes that run already: of these, or of everything. 0 or a
 * failure. */
int pmk_sampled_attach(struct pmk_sampled *s, struct pmk_count *c, const int *processes,
		       unsigned nprocesses, bool everything);
void pmk_sampled_enable(struct pmk_sampled *s);
/* Take what the kernel has written so far. 0 or a failure. */
int pmk_sampled_take(struct pmk_sampled *s, struct pmk_count *c);
/* Take the rest. What has to be told is a warning of the result. 0 or a failure. */
int pmk_sampled_end(struct pmk_sampled *s, struct pmk_count *c);

/* What was sampled of event i, as the sum of the periods. After the end. */
uint64_t pmk_sampled_total(const struct pmk_sampled *s, unsigned i);
/* The recording, with what the result says of the run. */
const struct pmk_recording *pmk_sampled_recording(struct pmk_sampled *s, const struct pmk_count *c);

#endif
