/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A Cortex-M locks up if it takes a fault while it handles a HardFault. QEMU then prints all
 * registers and aborts. pmk reports the fault with its address instead, so this text is dropped.
 */
#ifndef PMK_PRODUCER_QEMU_LOCKUP_H
#define PMK_PRODUCER_QEMU_LOCKUP_H

/* From now on, drop the text. Everything else that QEMU writes to stderr is written as before. */
void pmk_lockup_begin(void);

#endif
