/* SPDX-License-Identifier: MIT */
/* Samples, and where most of them lie. */
#ifndef PMK_PROFILE_PROFILE_H
#define PMK_PROFILE_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/elf.h"

#define PMK_SAMPLE_NO_REGION UINT32_MAX

struct pmk_profile_sample {
	uint64_t pc;	 /* 0: polled, nobody knows where */
	uint32_t region; /* the innermost that was open, or PMK_SAMPLE_NO_REGION */
	uint8_t event;	 /* index */
	bool late;	 /* a period or more after its time */
};

/* Samples of one event, in one function or at one address, while one region was the innermost. */
struct pmk_spot {
	unsigned event;
	uint32_t region;
	uint64_t address;     /* where the function begins, else the sample's */
	const char *function; /* NULL with address 0: polled */
	uint64_t samples, late;
};

/* Sorted by event, then most samples first. `f` may be NULL: addresses, no functions; the names are its.
 * The caller frees; NULL: out of memory. */
struct pmk_spot *pmk_profile_count(const struct pmk_profile_sample *samples, size_t n,
				   const struct pmk_functions *f, size_t *count);

#endif
