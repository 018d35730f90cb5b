/* SPDX-License-Identifier: MIT */
/*
 * The paths of an ARM926EJ-S that are taken when something changes: it has no micro-TLBs, no request
 * slots and no prediction; what misses is the bus interface unit's (biu.h), and the core waits for it.
 * Everything that takes no time, and branches, are as in cpu.h.
 */
#ifndef PMK_CPU_ARM9_ARM9_H
#define PMK_CPU_ARM9_ARM9_H

#include "cpu/cpu.h"

/* Behind pmk_cpu_init(): its tightly coupled memories. */
void pmk_arm9_init(struct pmk_cpu *cpu);

/* The lines and pages of a block that is about to run. */
void pmk_arm9_fetch(struct pmk_cpu *cpu, const struct pmk_block *b);
void pmk_arm9_load(struct pmk_cpu *cpu, uint32_t addr, uint64_t access);
void pmk_arm9_store(struct pmk_cpu *cpu, uint32_t addr, uint64_t access);
void pmk_arm9_flush_tlb(struct pmk_cpu *cpu);

#endif
