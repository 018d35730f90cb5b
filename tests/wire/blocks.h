/* SPDX-License-Identifier: MIT */
/*
 * Counters in the memory of a board: the project's models of an L210 at its address in the i.MX31,
 * an L220, an AHB Monitor, the memory-mapped PMUv3 of a Cortex-A53, and the counters of a
 * MicroBlaze behind its debug module. The caller advances the time with blocks_run(), and calls
 * blocks_sync() when the bus is due.
 */
#ifndef BLOCKS_H
#define BLOCKS_H

#include <stdbool.h>
#include <stdint.h>

#include <pmk/bus.h>

void blocks_reset(struct pmk_bus *bus);
/*
 * Advances the time by `cycles` cycles and a third as many instructions, with one instruction read
 * of the L2 and one read on ARM-I.
 */
void blocks_run(struct pmk_bus *bus, uint64_t cycles);
void blocks_sync(struct pmk_bus *bus);
void blocks_ask(struct pmk_bus *bus);
/* Returns false if there is nothing at this address. */
bool blocks_load(struct pmk_bus *bus, uint32_t address, uint32_t *value);
bool blocks_store(struct pmk_bus *bus, uint32_t address, uint32_t value);

#endif
