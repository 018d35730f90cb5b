// SPDX-License-Identifier: MIT
/* The parameters of a MicroBlaze. See config.h. */
#include <string.h>

#include "cpu/family.h"
#include "cpu/keys.h"
#include "cpu/microblaze/microblaze.h"

/* clang-format off */
static const struct pmk_core_key keys[] = {
	PMK_CORE_CLOCK_KEYS,
	PMK_CORE_KEY(icache.on,                     "icache.enable", 1, 0, 1, 'b',
		"instruction cache on (MSR[ICE])"),
	PMK_CORE_KEY(icache.size,                   "icache.size", 16384, 64, 65536, 'q',
		"instruction cache size"),
	PMK_CORE_KEY(icache.ways,                   "icache.ways", 4, 1, 1, 'n',
		"instruction cache ways: direct mapped"),
	PMK_CORE_KEY(dcache.on,                     "dcache.enable", 1, 0, 1, 'b',
		"data cache on (MSR[DCE])"),
	PMK_CORE_KEY(dcache.size,                   "dcache.size", 16384, 64, 65536, 'q',
		"data cache size"),
	PMK_CORE_KEY(dcache.ways,                   "dcache.ways", 4, 1, 1, 'n',
		"data cache ways: direct mapped"),
	PMK_CORE_KEY(dcache.wt,                     "dcache.write_through", 0, 0, 1, 'b',
		"all memory is write-through instead of write-back"),
	PMK_CORE_KEY(mmu,                           "mmu.enable", 1, 0, 1, 'b',
		"address translation on (MSR[VM]): shadow TLBs and unified TLB are used"),
	PMK_CORE_KEY(tlb.entries,                   "tlb.entries", 64, 2, 128, 'n',
		"entries of the unified TLB"),
	PMK_CORE_KEY(tlb.ways,                      "tlb.ways", 2, 1, 8, 'n',
		"ways of the unified TLB, round robin"),
	PMK_CORE_KEY(bp.on,                         "bp.enable", 1, 0, 1, 'b',
		"branch target cache on"),
	PMK_CORE_KEY(bp.entries,                    "bp.entries", 128, 2, 2048, 'p',
		"branch target cache entries, direct mapped"),
	PMK_CORE_MEMORY_KEYS,
	PMK_CORE_KEY(utlb.penalty,                  "utlb.penalty", 8, 0, 1000, 'n',
		"cycles of a shadow TLB miss that hits the unified TLB"),
	PMK_CORE_KEY(tlb.penalty,                   "tlb.penalty", 93, 0, 10000, 'n',
		"cycles of a unified TLB miss, served by software"),
	PMK_CORE_KEY(mem.wbuf,                      "wbuf.entries", 8, 1, 64, 'n',
		"external writes that fit in the write buffer"),
	PMK_CORE_KEY(microblaze.area,               "area.optimized", 0, 0, 2, 'n',
		"pipeline (C_AREA_OPTIMIZED): 0 five stages, 1 three (bp.enable and mmu.enable "
		"off), 2 eight"),
	PMK_CORE_KEY(microblaze.icache_line,        "icache.line", 4, 4, 16, 'p',
		"words of an instruction cache line"),
	PMK_CORE_KEY(microblaze.icache_base,        "icache.base", 0, 0, 4294967295, 'n',
		"first address that the instruction cache caches"),
	PMK_CORE_KEY(microblaze.icache_high,        "icache.high", 4294967295, 0, 4294967295, 'n',
		"last address that the instruction cache caches"),
	PMK_CORE_KEY(microblaze.dcache_line,        "dcache.line", 4, 4, 16, 'p',
		"words of a data cache line"),
	PMK_CORE_KEY(microblaze.dcache_base,        "dcache.base", 0, 0, 4294967295, 'n',
		"first address that the data cache caches"),
	PMK_CORE_KEY(microblaze.dcache_high,        "dcache.high", 4294967295, 0, 4294967295, 'n',
		"last address that the data cache caches"),
	PMK_CORE_KEY(microblaze.lmb_size,           "lmb.size", 0, 0, 4294967296, 's',
		"addresses below this are local memory: one cycle, no cache"),
	PMK_CORE_KEY(microblaze.peripheral_latency, "peripheral.latency", 10, 1, 100, 'n',
		"cycles of an access that is neither cached nor local"),
	PMK_CORE_KEY(microblaze.itlb_entries,       "itlb.entries", 2, 1, 8, 'p',
		"entries of the instruction shadow TLB; the least recently used is replaced"),
	PMK_CORE_KEY(microblaze.dtlb_entries,       "dtlb.entries", 4, 1, 8, 'p',
		"entries of the data shadow TLB; the least recently used is replaced"),
	PMK_CORE_KEY(microblaze.hazard_load,        "hazard.load", 2, 0, 5, 'n',
		"cycles the next instruction waits for a loaded value"),
	PMK_CORE_KEY(microblaze.hazard_mul,         "hazard.mul", 2, 0, 5, 'n',
		"cycles the next instruction waits for a product"),
	PMK_CORE_KEY(microblaze.hazard_fp,          "hazard.fp", 2, 0, 5, 'n',
		"cycles the next instruction waits for a floating-point result after it is "
		"computed"),
	PMK_CORE_KEY(microblaze.hazard_shift,       "hazard.shift", 1, 0, 5, 'n',
		"cycles the next instruction waits for a barrel shift, or for a quotient after "
		"it is computed"),
	PMK_CORE_KEY(microblaze.stall_cascade,      "stall.cascade", 0, 0, 1, 'b',
		"stall_of and stall_ex include the cycles of stall_mem"),
	PMK_CORE_KEY(microblaze.vectors_base,       "vectors.base", 0, 0, 4294967295, 'n',
		"address of the exception vectors (C_BASE_VECTORS)"),
	PMK_CORE_KEY(microblaze.event_counters,     "debug.event_counters", 5, 0, 48, 'n',
		"event counters (C_DEBUG_EVENT_COUNTERS)"),
	PMK_CORE_KEY(microblaze.latency_counters,   "debug.latency_counters", 1, 0, 7, 'n',
		"latency counters (C_DEBUG_LATENCY_COUNTERS)"),
	PMK_CORE_KEY(microblaze.counter_width,      "debug.counter_width", 32, 32, 64, 'w',
		"bits of a counter (C_DEBUG_COUNTER_WIDTH)"),
	{ .key = NULL },
};
/* clang-format on */

/* Checks for parameters that exclude each other (UG984). */
static int check_excluded(const struct pmk_core *core, char *msg, unsigned size)
{
	if (core->microblaze.icache_base > core->microblaze.icache_high ||
	    core->microblaze.dcache_base > core->microblaze.dcache_high)
		return pmk_core_say_range(
			msg, size,
			"icache.base and dcache.base must not be above icache.high and "
			"dcache.high");
	if (core->microblaze.area == 1 && (core->bp.on || core->mmu))
		return pmk_core_say_range(
			msg, size, "area.optimized = 1 needs bp.enable and mmu.enable to be off");
	if (!core->microblaze.event_counters && !core->microblaze.latency_counters)
		return pmk_core_say_range(
			msg, size, "debug.event_counters and debug.latency_counters are both 0");
	return 0;
}

static int check_core(const struct pmk_core *core, char *msg, unsigned size)
{
	int err = check_excluded(core, msg, size);

	return err ? err
		   : pmk_core_check_sets(core, (unsigned)core->microblaze.icache_line * 4,
					 (unsigned)core->microblaze.dcache_line * 4, 0, msg, size);
}

/* Returns the reason why a key has no effect. The key that turns a cache on has no effect if all
 * memory that the cache could cache is local memory. */
static const char *in_vain(const struct pmk_core *core, const char *key)
{
	bool icache = !strcmp(key, "icache.enable") && core->icache.on &&
		      core->microblaze.icache_high < core->microblaze.lmb_size;
	bool dcache = !strcmp(key, "dcache.enable") && core->dcache.on &&
		      core->microblaze.dcache_high < core->microblaze.lmb_size;

	return icache || dcache ? "has nothing to cache: all its memory is local up to "
				  "lmb.size; lower that, such as lmb.size=0"
				: NULL;
}

static void counters(const struct pmk_core *core, struct pmk_core_counters *built)
{
	*built = (struct pmk_core_counters){
		.events = (unsigned)core->microblaze.event_counters,
		.latencies = (unsigned)core->microblaze.latency_counters,
		.width = (unsigned)core->microblaze.counter_width,
	};
}

const struct pmk_core_params pmk_microblaze_params = {
	.keys = keys,
	.check = check_core,
	.in_vain = in_vain,
	.counters = counters,
};
