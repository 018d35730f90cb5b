/* SPDX-License-Identifier: MIT */
/* Counts samples by function or address. */
#ifndef PMK_PROFILE_PROFILE_H
#define PMK_PROFILE_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pmk/dump.h>

#include "profile/elf.h"

/* The samples of one event in one function, or at one address, within one innermost region. */
struct pmk_spot {
	unsigned event;
	uint32_t region;
	/* start of the function; without a function, address of the sample */
	uint64_t address;
	const char *function; /* NULL with address 0: the sample was polled */
	uint64_t samples, late;
};

/*
 * The rows are sorted by event, then by number of samples, most first. If `f` is NULL, rows are for
 * addresses instead of functions. The names belong to `f`. The caller frees the rows; NULL: out of
 * memory.
 */
struct pmk_spot *pmk_profile_count(const struct pmk_profile_sample *samples, size_t n,
				   const struct pmk_functions *f, size_t *count);

#endif
