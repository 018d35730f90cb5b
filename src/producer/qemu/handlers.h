/* SPDX-License-Identifier: MIT */
/* Collects from a program's system calls the addresses at which it handles signals. These functions
 * are not thread-safe. */
#ifndef PMK_PRODUCER_QEMU_HANDLERS_H
#define PMK_PRODUCER_QEMU_HANDLERS_H

#include <stdbool.h>
#include <stdint.h>

#define PMK_MAX_HANDLERS 256

struct pmk_handlers {
	unsigned n;
	struct pmk_handler {
		uint64_t pc;
		unsigned entry; /* enum pmk_entry */
	} handler[PMK_MAX_HANDLERS];
};

/*
 * Called when the program installs a handler for a signal, at `pc`. A handler that the program
 * replaces stays in the list, because the program may install it again. Returns false if there is
 * no room.
 */
bool pmk_handlers_add(struct pmk_handlers *h, unsigned signal, uint64_t pc);

/* Returns how a block at `pc` may be entered, as bits of enum pmk_entry; 0 if no handler begins
 * there. */
unsigned pmk_handler_at(const struct pmk_handlers *h, uint64_t pc);

#endif
