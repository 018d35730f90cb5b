/* SPDX-License-Identifier: MIT */
/*
 * Definitions that guest.c and the tests share, and the parts of the program that are written in
 * assembly or, for its twin on the host, in the test.
 */
#ifndef UC_GUEST_H
#define UC_GUEST_H

#include <stdint.h>

#include <pmk/port.h>

#define G_REGIONS 3
#define G_SAMPLES 64 /* entries of the ring's memory */

/* Cores, by the number that g_open() takes. */
enum { G_ARM1176, G_ARM1136, G_ARM1156, G_ARM11MPCORE, G_CORTEX_A53, G_AHBMON, G_L210, G_L220 };

/* How the program reaches its registers. */
struct pmk_port g_port(void);

/* Executes 2n + 3 instructions, including its return; 2 for n = 0. */
void g_spin(uint32_t n);
/* Interrupts off, returns the state before; and back to it. */
uintptr_t g_mask(void);
void g_restore(uintptr_t before);

#endif
