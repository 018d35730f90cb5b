/* SPDX-License-Identifier: MIT */
/*
 * A set-associative cache directory: which line sits where, and who is thrown out. It holds no data
 * and answers no look-ups: "is this line present" is the presence map's question (cpu.h), so a hit
 * costs nothing here. That works because neither replacement policy of these cores keeps state on
 * a hit.
 *
 * Lines are numbered (address >> 5). ARM1176JZF-S TRM 7.2: invalid ways are filled first, lowest
 * number first; round robin uses one counter for all sets; otherwise the choice is pseudo-random.
 */
#ifndef PMK_CPU_CACHE_H
#define PMK_CPU_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#define PMK_LINE_SHIFT 5
#define PMK_NO_LINE    UINT32_MAX

struct pmk_cache {
	uint32_t *tag; /* [set * ways + way], line number or PMK_NO_LINE */
	uint32_t set_mask;
	uint32_t ways;
	uint32_t next;   /* round robin counter */
	uint32_t random; /* state of the generator, never 0 */
	bool round_robin;
};

/* 0 or PMK_ENOMEM. size and ways are powers of two, size / ways at least one line. */
int pmk_cache_init(struct pmk_cache *c, uint32_t size, uint32_t ways, bool round_robin,
		   uint32_t seed);
void pmk_cache_fini(struct pmk_cache *c);

/* Put an absent line in; returns the line it replaces, or PMK_NO_LINE. */
uint32_t pmk_cache_fill(struct pmk_cache *c, uint32_t line);

/* Forget every line. */
void pmk_cache_clear(struct pmk_cache *c);

#endif
