/* SPDX-License-Identifier: MIT */
/*
 * What the slow paths of an ARM11 share. fetch.c has the instruction side, data.c the data side,
 * leave.c the branches and the maintenance operations at the end of a block, and flow.c the way from
 * one block to the next, which calls the others.
 */
#ifndef PMK_CPU_ARM11_SLOW_H
#define PMK_CPU_ARM11_SLOW_H

#include "cpu/arm11/arm11.h"

/* Fetch the lines of a block that is about to run. */
void pmk_arm11_fetch_block(struct pmk_cpu *cpu, const struct pmk_block *b);

/* Fetch a line. Returns the cycles until its critical word arrives. */
uint64_t pmk_arm11_fetch_fill(struct pmk_cpu *cpu, uint32_t line);

/*
 * Fetch `bytes` speculatively from `from` on, beyond the line of the instruction at `done`.
 * `arrives` is false if the fetch is cancelled before it reaches the bus.
 */
void pmk_arm11_fetch_ahead(struct pmk_cpu *cpu, uint32_t done, uint32_t from, uint64_t bytes,
			   bool arrives);

/* Fetch the shadow of a taken branch: the instructions after it. */
void pmk_arm11_fetch_shadow(struct pmk_cpu *cpu, const struct pmk_block *p, bool arrives);

/* A call leaves its return address on the return stack. */
void pmk_arm11_push_return(struct pmk_cpu *cpu, uint32_t addr);

/*
 * Account for the last branch of `p` when `b` starts, if the outcome was not the expected one or
 * the branch always takes the slow path.
 */
void pmk_arm11_leave_block(struct pmk_cpu *cpu, const struct pmk_block *p,
			   const struct pmk_block *b, bool taken);

/* Carry out the maintenance operations of the block that was left (pmk_block.disturbs). */
PMK_SLOW void pmk_arm11_disturb(struct pmk_cpu *cpu, unsigned what);

#endif
