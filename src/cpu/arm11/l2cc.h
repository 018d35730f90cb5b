/* SPDX-License-Identifier: MIT */
/*
 * The level 2 cache controller next to an ARM11 (L210 or L220): which lines its cache holds, which
 * halves of these lines are dirty, and which lines its slave ports have read last. It is called for
 * misses, evictions and uncached accesses of level 1, and never for a hit. ARM DAI 0195B §9 says
 * what it counts. docs/l2cc.md lists the rules, and our choices.
 *
 * One byte per line in a sparse map says whether the line is present, as in arm11.h. The directory
 * `dir` decides which line is evicted. Neither level knows what the other holds: a line may be in
 * both or in only one of them.
 */
#ifndef PMK_CPU_ARM11_L2CC_H
#define PMK_CPU_ARM11_L2CC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cpu/cache.h"

struct pmk_core;

enum pmk_l2cc_port { PMK_L2CC_INSN, PMK_L2CC_DATA, PMK_L2CC_NPORTS };

/* The halves of a line. An eviction writes one half, which has 16 bytes. */
enum { PMK_L2CC_LOW = 1 << 0, PMK_L2CC_HIGH = 1 << 1 };

#define PMK_L2CC_MAX_BUFFERS 8

struct pmk_l2cc {
	uint8_t *map; /* [line]: dirty halves, presence; NULL: there is no controller */
	struct pmk_cache dir;
	bool write_allocate;
	/* Each port has `buffers` read buffers of one line. `buffer` has the lines in them, and
	 * `next` is the index of the oldest one. */
	uint32_t buffers;
	uint32_t buffer[PMK_L2CC_NPORTS][PMK_L2CC_MAX_BUFFERS];
	uint32_t next[PMK_L2CC_NPORTS];
};

/* Returns 0 or PMK_ENOMEM. If the core has no level 2 cache controller, sets up none and returns
 * 0. */
int pmk_l2cc_init(struct pmk_l2cc *l2, const struct pmk_core *core);
void pmk_l2cc_fini(struct pmk_l2cc *l2);

static inline bool pmk_l2cc_is_on(const struct pmk_l2cc *l2)
{
	return l2->map != NULL;
}

/* Counts in total[], which is indexed by signal, that level 1 reads a line or a part of it. Returns
 * true if level 2 has the line, and false if it comes from memory. */
bool pmk_l2cc_read(struct pmk_l2cc *l2, uint64_t *total, enum pmk_l2cc_port port, uint32_t line);

/*
 * Accounts for a write of level 1 to `halves` of a line. `through` is true if the memory is
 * write-through.
 */
void pmk_l2cc_write(struct pmk_l2cc *l2, uint64_t *total, uint32_t line, unsigned halves,
		    bool through);

#endif
