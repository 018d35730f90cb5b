/* SPDX-License-Identifier: MIT */
/*
 * Declarations that the files of an emulated core share. Only these files include this header.
 * emulated.h describes the emulated core.
 *
 *   emulated.c           binds models, ports and the session; starts, copies and finishes a core
 *   emulated_parts.c     which parts of the core the requested events need
 *   emulated_deadline.c  when the core must stop next: overflows, intervals, the delay
 *   emulated_levels.c    exception levels
 *   emulated_guest.c     the PMU that the emulated code programs itself
 *   emulated_sampling.c  the pieces of a sampled program
 *   emulated_regions.c   regions, and the calls and returns that end them
 */
#ifndef PMK_SESSION_EMULATED_INTERNAL_H
#define PMK_SESSION_EMULATED_INTERNAL_H

#include "producer/session/emulated.h"

/* MDCR_EL3.SPME permits counting in Secure state. If the producer cannot follow the register, the
 * bit is set from reset on. */
#define PMK_MDCR_EL3_SPME (UINT64_C(1) << 17)

/* True if the PMU counts on the buses around the core. */
bool pmk_emulated_on_buses(const struct pmk_emulated *e);
/* Returns the bus on which the models count: the core's own bus, or the first of the buses around
 * the core. */
struct pmk_bus *pmk_emulated_counted_bus(struct pmk_emulated *e);

/* Returns the model of the PMU that the emulated code programs, or NULL. */
const struct pmk_model_ops *pmk_emulated_guest_ops(const struct pmk_emulated_config *cfg);
/* Sets an input of a model by its name. A model without that input ignores it. */
void pmk_emulated_set_input(const struct pmk_model_ops *ops, void *model, struct pmk_bus *bus,
			    const char *name, uint64_t value);

/* Computes when the core must stop next. Must be called after everything that may change an
 * overflow, an interval or the delay. */
void pmk_emulated_set_deadline(struct pmk_emulated *e, const struct pmk_emulated_config *cfg);
/* Sets the end of the first interval, which is one interval after counting began. */
void pmk_emulated_first_interval(struct pmk_emulated *e, const struct pmk_emulated_config *cfg);

/* Programs the counters again, each with the filter of its levels. */
int pmk_emulated_begin_levels(struct pmk_emulated *e, const struct pmk_emulated_config *cfg);
/* Assumes the most likely exception level if counts must be read while the level is open, which
 * means that no access has shown it yet (src/cpu/cpu.h). */
void pmk_emulated_assume_level(struct pmk_emulated *e, const struct pmk_emulated_config *cfg);

/* Starts sampling, with units at places that depend on `seed`. */
void pmk_emulated_begin_head(struct pmk_emulated *e, const struct pmk_emulated_config *cfg,
			     uint64_t seed);

/* Reads the session's totals since the start, inside and outside of the window. The first error is
 * kept in e->error. */
int pmk_emulated_read_session(struct pmk_emulated *e, const struct pmk_emulated_config *cfg,
			      const struct pmk_emulated_blocks *b, struct pmk_reading *totals);

/* Gets the totals of a region. If the region is open, they include the counts since it was
 * entered. */
void pmk_emulated_region_totals(const struct pmk_emulated *e, unsigned r,
				const struct pmk_reading *now, struct pmk_reading *totals);
/* Adds the counts since the region was entered to its totals. */
void pmk_emulated_close_region(struct pmk_emulated *e, const struct pmk_emulated_config *cfg,
			       const struct pmk_emulated_blocks *b, unsigned r);

#endif
