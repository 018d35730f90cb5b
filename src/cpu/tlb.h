/* SPDX-License-Identifier: MIT */
/*
 * Translation look-aside buffers, by page number (address >> 12).
 *
 * By default, a micro-TLB has 10 fully associative entries, which are replaced round robin. The
 * main TLB is shared by instructions and data, and has 64 entries in two ways (ARM1176JZF-S TRM
 * 6.4). The eight lockable entries stay empty, because nothing locks them. The TRM does not say how
 * the main TLB is indexed and which entry it replaces. Our choice is VA[16:12] as its index, and
 * round robin in each set.
 */
#ifndef PMK_CPU_TLB_H
#define PMK_CPU_TLB_H

#include <stdbool.h>
#include <stdint.h>

#define PMK_PAGE_SHIFT 12
#define PMK_NO_PAGE    UINT64_MAX

struct pmk_tlb {
	uint64_t *page; /* [set * ways + way] */
	uint8_t *next;	/* round robin position per set */
	uint32_t set_mask;
	uint32_t ways;
};

/* Returns 0 or PMK_ENOMEM. entries / ways is a power of two. A micro-TLB has ways == entries. */
int pmk_tlb_init(struct pmk_tlb *t, uint32_t entries, uint32_t ways);
void pmk_tlb_fini(struct pmk_tlb *t);

void pmk_tlb_clear(struct pmk_tlb *t);

static inline bool pmk_tlb_holds(const struct pmk_tlb *t, uint64_t page)
{
	const uint64_t *set = &t->page[((uint32_t)page & t->set_mask) * t->ways];

	/*
	 * Compare both ways without branches, because the host cannot predict which way has the
	 * page.
	 */
	if (t->ways == 2)
		return (set[0] == page) | (set[1] == page);
	for (uint32_t way = 0; way < t->ways; way++)
		if (set[way] == page)
			return true;
	return false;
}

/* Adds a page that is not in the TLB. Returns the page that it replaces, or PMK_NO_PAGE. */
static inline uint64_t pmk_tlb_fill(struct pmk_tlb *t, uint64_t page)
{
	uint32_t s = (uint32_t)page & t->set_mask;
	uint32_t next = t->next[s];
	uint64_t *entry = &t->page[s * t->ways + next];
	uint64_t old = *entry;

	*entry = page;
	t->next[s] = (uint8_t)(next + 1 == t->ways ? 0 : next + 1);
	return old;
}

/* Does what pmk_tlb_fill() does, for a TLB of one set, such as a micro-TLB. */
static inline uint64_t pmk_tlb_fill_only(struct pmk_tlb *t, uint64_t page)
{
	uint32_t next = *t->next;
	uint64_t old = t->page[next];

	t->page[next] = page;
	*t->next = (uint8_t)(next + 1 == t->ways ? 0 : next + 1);
	return old;
}

/*
 * Adds a page if it is not in the TLB, and returns whether it was added. The code for two ways has
 * no branches.
 */
static inline bool pmk_tlb_fill_absent(struct pmk_tlb *t, uint64_t page)
{
	uint32_t s = (uint32_t)page & t->set_mask;
	uint8_t *next = &t->next[s];
	uint64_t *set;
	bool absent;

	if (__builtin_expect(t->ways != 2, 0)) {
		absent = !pmk_tlb_holds(t, page);
		if (absent)
			pmk_tlb_fill(t, page);
		return absent;
	}
	set = &t->page[s * 2];
	absent = (set[0] != page) & (set[1] != page);
	set[*next] = absent ? page : set[*next];
	*next ^= absent;
	return absent;
}

#endif
