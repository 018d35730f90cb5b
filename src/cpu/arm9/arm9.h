/* SPDX-License-Identifier: MIT */
/*
 * The slow paths of an ARM926EJ-S. It has no micro-TLBs, no request slots and no prediction. Misses
 * go to the bus interface unit (biu.h), and the core waits for them. Branches, and everything that
 * takes no time, work as on an ARM11.
 */
#ifndef PMK_CPU_ARM9_ARM9_H
#define PMK_CPU_ARM9_ARM9_H

#include "cpu/arm11/arm11.h"

/* Parameters: keys.c. */
extern const struct pmk_core_key pmk_arm9_keys[];
int pmk_arm9_check(const struct pmk_core *core, char *msg, unsigned size);
void pmk_arm9_was_set(struct pmk_core *core, const char *key);

/* Initialise its tightly coupled memories and an ARM11's state. The owner has to connect it to its
 * buses before it runs. */
int pmk_arm9_init(struct pmk_cpu *cpu);
void pmk_arm9_attach(struct pmk_cpu *cpu, struct pmk_biu *biu);
void pmk_arm9_build(const struct pmk_core *core, const struct pmk_insn *insn, size_t n,
		    struct pmk_pipe_slot *slots, struct pmk_block *b);

#endif
