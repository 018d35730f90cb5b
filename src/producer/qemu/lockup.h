/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A Cortex-M locks up if it takes a fault while it handles a HardFault. QEMU then prints all
 * registers and aborts. pmk reports the fault with its address instead, and drops this text.
 */
#ifndef PMK_PRODUCER_QEMU_LOCKUP_H
#define PMK_PRODUCER_QEMU_LOCKUP_H

/* Drops this text from now on. Everything else that QEMU writes to stderr is still written. */
void pmk_lockup_begin(void);

#endif
