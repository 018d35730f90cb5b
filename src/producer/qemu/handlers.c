// SPDX-License-Identifier: MIT
#include "producer/qemu/handlers.h"

#include "cpu/code.h"

/* Linux's numbers of the signals for faults, on ARM, AArch64 and MicroBlaze. */
enum { ILL = 4, TRAP = 5, BUS = 7, FPE = 8, SEGV = 11 };

static bool is_of_fault(unsigned signal)
{
	return signal == ILL || signal == TRAP || signal == BUS || signal == FPE || signal == SEGV;
}

bool pmk_handlers_add(struct pmk_handlers *h, unsigned signal, uint64_t pc)
{
	unsigned entry = PMK_ENTRY_SIGNAL | (is_of_fault(signal) ? PMK_ENTRY_FAULT : 0) |
			 (signal == BUS ? PMK_ENTRY_MISALIGNED : 0);
	unsigned i = 0;

	while (i < h->n && h->handler[i].pc != pc)
		i++;
	if (i == PMK_MAX_HANDLERS)
		return false;
	if (i == h->n)
		h->handler[h->n++] = (struct pmk_handler){ .pc = pc };
	h->handler[i].entry |= entry;
	return true;
}

unsigned pmk_handler_at(const struct pmk_handlers *h, uint64_t pc)
{
	for (unsigned i = 0; i < h->n; i++)
		if (h->handler[i].pc == pc)
			return h->handler[i].entry;
	return 0;
}
