/* SPDX-License-Identifier: MIT */
/* Where a program handles signals: known from its system calls. Not thread safe. */
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
 * The program asks to have a signal handled at `pc`. A handler is not forgotten when another one
 * takes its place: it may come back. False when there is no room for it.
 */
bool pmk_handlers_add(struct pmk_handlers *h, unsigned signal, uint64_t pc);

/* How a block at `pc` may be entered: of enum pmk_entry, 0 where no handler begins. */
unsigned pmk_handler_at(const struct pmk_handlers *h, uint64_t pc);

#endif
