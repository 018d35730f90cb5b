// SPDX-License-Identifier: MIT
/*
 * The level 2 cache controller of ARM11 systems. See l2cc.h.
 *
 * The model leaves out page table walks (because pmk does not see their addresses), lockdown,
 * prefetching, memory attributes of single pages, and the write buffer, which merges writes.
 */
#include "cpu/arm11/l2cc.h"

#include "cpu/config.h"

#include <pmk/error.h>
#include <pmk/signal.h>

#include "base/reserve.h"

#define MAP_SIZE (UINT64_C(1) << (32 - PMK_LINE_SHIFT))
#define DIRTY	 (PMK_L2CC_LOW | PMK_L2CC_HIGH)
#define PRESENT	 (1u << 2)

static const uint8_t request[PMK_L2CC_NPORTS] = {
	[PMK_L2CC_INSN] = PMK_SIG_L2CC_INSN_READ,
	[PMK_L2CC_DATA] = PMK_SIG_L2CC_DATA_READ,
};

static const uint8_t hit[PMK_L2CC_NPORTS] = {
	[PMK_L2CC_INSN] = PMK_SIG_L2CC_INSN_READ_HIT,
	[PMK_L2CC_DATA] = PMK_SIG_L2CC_DATA_READ_HIT,
};

int pmk_l2cc_init(struct pmk_l2cc *l2, const struct pmk_core *core)
{
	*l2 = (struct pmk_l2cc){
		.write_allocate = core->arm11.l2_write_allocate,
		.buffers = (uint32_t)core->arm11.l2_buffers,
	};
	if (!core->l2.type)
		return 0;
	for (unsigned p = 0; p < PMK_L2CC_NPORTS; p++)
		for (unsigned i = 0; i < PMK_L2CC_MAX_BUFFERS; i++)
			l2->buffer[p][i] = PMK_NO_LINE;
	l2->map = pmk_reserve(MAP_SIZE);
	if (l2->map && !pmk_cache_init(&l2->dir, (uint32_t)core->l2.size, (uint32_t)core->l2.ways,
				       pmk_core_policy_of(core, core->l2.policy),
				       core->cache.round_robin, (uint32_t)core->cache.seed))
		return 0;
	pmk_l2cc_fini(l2);
	return PMK_ENOMEM;
}

void pmk_l2cc_fini(struct pmk_l2cc *l2)
{
	pmk_release(l2->map, MAP_SIZE);
	pmk_cache_fini(&l2->dir);
	l2->map = NULL;
}

/* ---- read buffers ---------------------------------------------------------------------------- */

static bool is_buffered(const struct pmk_l2cc *l2, enum pmk_l2cc_port port, uint32_t line)
{
	for (unsigned i = 0; i < l2->buffers; i++)
		if (l2->buffer[port][i] == line)
			return true;
	return false;
}

/* Stores a line in a read buffer of the port, in place of the oldest line. */
static void keep_buffered(struct pmk_l2cc *l2, enum pmk_l2cc_port port, uint32_t line)
{
	if (!l2->buffers)
		return;
	l2->buffer[port][l2->next[port]] = line;
	l2->next[port] = (l2->next[port] + 1) % l2->buffers;
}

/* Removes a line that was written from the read buffers of all ports. */
static void forget_buffered(struct pmk_l2cc *l2, uint32_t line)
{
	for (unsigned p = 0; p < PMK_L2CC_NPORTS; p++)
		for (unsigned i = 0; i < l2->buffers; i++)
			if (l2->buffer[p][i] == line)
				l2->buffer[p][i] = PMK_NO_LINE;
}

/* ---- the cache ------------------------------------------------------------------------------- */

/* Records that a line that is present was read or written. */
static void use(struct pmk_l2cc *l2, uint32_t line)
{
	if (pmk_cache_ages(&l2->dir))
		pmk_cache_use(&l2->dir, line);
}

/* Fills a line. Each dirty half of the line that it replaces counts as an eviction. */
static void fill(struct pmk_l2cc *l2, uint64_t *total, uint32_t line)
{
	uint32_t victim = pmk_cache_fill(&l2->dir, line);

	if (victim != PMK_NO_LINE) {
		total[PMK_SIG_L2CC_EVICT_HALF] += !!(l2->map[victim] & PMK_L2CC_LOW);
		total[PMK_SIG_L2CC_EVICT_HALF] += !!(l2->map[victim] & PMK_L2CC_HIGH);
		l2->map[victim] = 0;
	}
	l2->map[line] = PRESENT;
}

bool pmk_l2cc_read(struct pmk_l2cc *l2, uint64_t *total, enum pmk_l2cc_port port, uint32_t line)
{
	/* "When the slave port receives a read access, which can be served from this small buffer,
	 * then the L2 event monitor does not count the read request" (DAI 0195B §9). */
	if (is_buffered(l2, port, line))
		return true;
	total[request[port]]++;
	keep_buffered(l2, port, line);
	if (l2->map[line]) {
		total[hit[port]]++;
		use(l2, line);
		return true;
	}
	fill(l2, total, line);
	return false;
}

void pmk_l2cc_write(struct pmk_l2cc *l2, uint64_t *total, uint32_t line, unsigned halves,
		    bool through)
{
	total[through ? PMK_SIG_L2CC_WT_WRITE : PMK_SIG_L2CC_DATA_WRITE]++;
	forget_buffered(l2, line);
	if (l2->map[line]) {
		total[PMK_SIG_L2CC_DATA_WRITE_HIT]++;
		use(l2, line);
	} else if (l2->write_allocate && !through) {
		total[PMK_SIG_L2CC_WRITE_ALLOC]++;
		fill(l2, total, line);
	} else {
		return;
	}
	if (!through)
		l2->map[line] |= (uint8_t)(halves & DIRTY);
}
