/* SPDX-License-Identifier: MIT */
/*
 * Models the wait states of memories. A read of flash returns one line and takes flash.waits cycles
 * more than the core needs. Instructions are fetched from the current line. The next line comes
 * from the prefetch buffer, from the instruction cache of the flash interface, or from flash. A
 * line for which the core waits is put into this cache. A prefetched line that arrives in time is
 * not put into it (RM0090 3.5.2, RM0351 3.3.4). Data in flash, such as literals, have a cache of
 * their own. Both caches replace the least recently used line.
 *
 * Three things are our choice. A block reads its lines at even intervals. A read that the core
 * needs does not wait for a prefetch. Reads of instructions and of data do not delay each other.
 */
#ifndef PMK_CPU_CORTEXM_FLASH_H
#define PMK_CPU_CORTEXM_FLASH_H

#include "cpu/cortexm/cortexm.h"

static inline bool pmk_cortexm_has_waits(const struct pmk_core *core)
{
	return core->cortexm.flash_waits || core->cortexm.sram_waits || core->cortexm.sram_alone;
}

/* Returns 0 or PMK_ENOMEM. */
int pmk_cortexm_flash_init(struct pmk_cpu *cpu);
void pmk_cortexm_flash_fini(struct pmk_cpu *cpu);

/* Adds the cycles for which the block `b`, which has just started, waits for its instructions. */
void pmk_cortexm_flash_fetch(struct pmk_cpu *cpu, const struct pmk_block *b);
/* Returns the cycles for which a data access waits. `alone` means that no other access overlaps
 * with it. */
unsigned pmk_cortexm_flash_access(struct pmk_cpu *cpu, uint64_t addr, bool store, bool alone);

#endif
