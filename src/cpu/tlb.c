// SPDX-License-Identifier: MIT
/* The micro-TLBs and the main TLB. See tlb.h. pmk assumes that all pages have 4 KB, because an
 * emulator does not show larger ones. */
#include "cpu/tlb.h"

#include <stdlib.h>
#include <string.h>

#include <pmk/error.h>

int pmk_tlb_init(struct pmk_tlb *t, uint32_t entries, uint32_t ways)
{
	uint32_t sets = entries / ways;

	*t = (struct pmk_tlb){
		.page = malloc((size_t)entries * sizeof(*t->page)),
		.next = calloc(sets, sizeof(*t->next)),
		.set_mask = sets - 1,
		.ways = ways,
	};
	if (!t->page || !t->next) {
		pmk_tlb_fini(t);
		return PMK_ENOMEM;
	}
	pmk_tlb_clear(t);
	return 0;
}

void pmk_tlb_fini(struct pmk_tlb *t)
{
	free(t->page);
	free(t->next);
	t->page = NULL;
	t->next = NULL;
}

void pmk_tlb_clear(struct pmk_tlb *t)
{
	uint32_t sets = t->set_mask + 1;

	for (uint32_t i = 0; i < sets * t->ways; i++)
		t->page[i] = PMK_NO_PAGE;
	memset(t->next, 0, sets);
}
