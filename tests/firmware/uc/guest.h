/* SPDX-License-Identifier: MIT */
/*
 * Declares what guest.c and the tests share, and the functions that are written in assembly, or,
 * for the twin on the host, in the test.
 */
#ifndef UC_GUEST_H
#define UC_GUEST_H

#include <stdint.h>

#include <pmk/port.h>

#define G_REGIONS 3
#define G_SAMPLES 64 /* number of entries in the ring's memory */

/* Numbers of the cores for g_open(). */
enum { G_ARM1176, G_ARM1136, G_ARM1156, G_ARM11MPCORE, G_CORTEX_A53, G_AHBMON, G_L210, G_L220 };

/* Returns the port through which the program accesses its registers. */
struct pmk_port g_port(void);

/* Executes 2n + 3 instructions, including its return; 2 for n = 0. */
void g_spin(uint32_t n);
/* g_mask() disables interrupts and returns the previous state, which g_restore() restores. */
uintptr_t g_mask(void);
void g_restore(uintptr_t before);

#endif
