/* SPDX-License-Identifier: MIT */
/* Finds the addresses at which a program handles signals, from its system calls. These functions
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
 * Called when the program installs a handler for a signal, at `pc`. A handler is kept when another
 * one replaces it, because it may be installed again. Returns false if there is no room.
 */
bool pmk_handlers_add(struct pmk_handlers *h, unsigned signal, uint64_t pc);

/* Returns how a block at `pc` may be entered: bits of enum pmk_entry, 0 if no handler begins
 * there. */
unsigned pmk_handler_at(const struct pmk_handlers *h, uint64_t pc);

#endif
