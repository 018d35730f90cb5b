// SPDX-License-Identifier: MIT
/* Parameters of a core that runs A64: see config.h. */
#include "cpu/a64/a64.h"

#define LINE_BYTES (1u << PMK_A64_LINE_SHIFT)

/* clang-format off */
const struct pmk_core_key pmk_a64_keys[] = {
	PMK_CORE_KEY(clock_hz,        "clock",             700000000, 1000, 10000000000, 'n', "core clock in Hz; only turns cycles into seconds"),
	PMK_CORE_KEY(icache_on,       "icache.enable",     1, 0, 1, 'b', "instruction cache on (SCTLR.I)"),
	PMK_CORE_KEY(icache_size,     "icache.size",       16384, 64, 131072, 's', "instruction cache size; divided by its ways a power of two"),
	PMK_CORE_KEY(icache_ways,     "icache.ways",       4, 1, 16, 'n', "instruction cache ways"),
	PMK_CORE_KEY(dcache_on,       "dcache.enable",     1, 0, 1, 'b', "data cache on (SCTLR.C)"),
	PMK_CORE_KEY(dcache_size,     "dcache.size",       16384, 64, 131072, 's', "data cache size; divided by its ways a power of two"),
	PMK_CORE_KEY(dcache_ways,     "dcache.ways",       4, 1, 16, 'n', "data cache ways"),
	PMK_CORE_KEY(round_robin,     "cache.round_robin", 0, 0, 1, 'b', "replacement: round robin instead of pseudo-random"),
	PMK_CORE_KEY(seed,            "cache.seed",        1, 1, 4294967295, 'n', "seed of the pseudo-random replacement"),
	PMK_CORE_KEY(mmu,             "mmu.enable",        1, 0, 1, 'b', "address translation on: micro-TLBs and main TLB are used"),
	PMK_CORE_KEY(utlb_entries,    "utlb.entries",      10, 1, 64, 'n', "entries of each micro-TLB, fully associative, round robin"),
	PMK_CORE_KEY(tlb_entries,     "tlb.entries",       64, 2, 1024, 'n', "entries of the main TLB"),
	PMK_CORE_KEY(tlb_ways,        "tlb.ways",          2, 1, 8, 'n', "ways of the main TLB, round robin"),
	PMK_CORE_KEY(bp_on,           "bp.enable",         1, 0, 1, 'b', "branch prediction on; off: every taken branch is mispredicted"),
	PMK_CORE_KEY(bp_entries,      "bp.entries",        128, 2, 4096, 'p', "two-bit counters of the direction predictor"),
	PMK_CORE_KEY(rs_on,           "rs.enable",         1, 0, 1, 'b', "return stack on"),
	PMK_CORE_KEY(rs_entries,      "rs.entries",        3, 1, 16, 'n', "return stack entries"),
	PMK_CORE_KEY(mem_latency,     "mem.latency",       56, 1, 10000, 'n', "cycles from an L1 miss to its critical word"),
	PMK_CORE_KEY(fill_cycles,     "mem.fill",          4, 1, 1000, 'n', "cycles a line fill occupies the bus"),
	PMK_CORE_KEY(write_cycles,    "mem.write",         4, 1, 1000, 'n', "cycles an external write occupies the bus"),
	PMK_CORE_KEY(utlb_penalty,    "utlb.penalty",      8, 0, 1000, 'n', "cycles of a micro-TLB miss that hits the main TLB"),
	PMK_CORE_KEY(walk_penalty,    "tlb.penalty",       93, 0, 10000, 'n', "cycles of a main TLB miss (page table walk)"),
	PMK_CORE_KEY(lsu_slots,       "lsu.slots",         2, 1, 16, 'n', "outstanding external requests of the load-store unit"),
	PMK_CORE_KEY(wbuf_entries,    "wbuf.entries",      8, 1, 64, 'n', "external writes the write buffer holds"),
	PMK_CORE_KEY(branch_max,      "branch.max",        7, 1, 50, 'n', "cycles of a mispredicted branch"),
	PMK_CORE_KEY(a64.fetch_bytes, "fetch.bytes",       16, 4, 64, 'p', "bytes of one instruction cache access"),
	PMK_CORE_KEY(a64.l1d_bytes,   "dcache.bytes",      16, 4, 64, 'p', "widest single data cache access"),
	PMK_CORE_KEY(a64.l2_on,       "l2.enable",         1, 0, 1, 'b', "level 2 cache present"),
	PMK_CORE_KEY(l2_size,         "l2.size",           131072, 65536, 8388608, 's', "level 2 cache size; divided by its ways a power of two"),
	PMK_CORE_KEY(l2_ways,         "l2.ways",           8, 1, 32, 'n', "level 2 cache ways"),
	PMK_CORE_KEY(l2_latency,      "l2.latency",        13, 1, 1000, 'n', "cycles from an L1 miss to its critical word in level 2"),
	PMK_CORE_KEY(a64.bus_bytes,   "bus.bytes",         16, 4, 64, 'p', "bytes of one beat on the bus"),
	PMK_CORE_KEY(a64.bp_history,  "bp.history",        8, 0, 16, 'n', "global history bits of the direction predictor"),
	PMK_CORE_KEY(a64.bp_indirect, "bp.indirect",       256, 1, 4096, 'p', "entries of the indirect branch target cache"),
	PMK_CORE_KEY(a64.div_latency, "div.latency",       4, 1, 64, 'n', "cycles of an integer division"),
	PMK_CORE_KEY(a64.issue_width, "issue.width",       2, 1, 4, 'n', "instructions issued per cycle at most"),
	{ .key = NULL },
};
/* clang-format on */

int pmk_a64_check(const struct pmk_core *core, char *msg, unsigned size)
{
	return pmk_core_check_sets(core, LINE_BYTES, LINE_BYTES, LINE_BYTES, msg, size);
}
