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
	/* Start of the function. Without a function, the address of the sample. */
	uint64_t address;
	const char *function; /* NULL and address 0: the sample was taken by polling */
	uint64_t samples, late;
};

/*
 * Returns one row for each function, or for each address if `f` is NULL. The rows are sorted by
 * event, then by number of samples, most first. The names belong to `f`. The caller frees the rows;
 * NULL: out of memory.
 */
struct pmk_spot *pmk_profile_count(const struct pmk_profile_sample *samples, size_t n,
				   const struct pmk_functions *f, size_t *count);

#endif
