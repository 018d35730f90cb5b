// SPDX-License-Identifier: MIT
/* Parameters of an ARM11: see config.h. */
#include "cpu/arm11/arm11.h"

#define LINE_BYTES (1u << PMK_LINE_SHIFT) /* of every ARM11: DDI 0301H §7.2 */

/* clang-format off */
const struct pmk_core_key pmk_arm11_keys[] = {
	PMK_CORE_KEY(clock_hz,                   "clock",                      700000000, 1000, 10000000000, 'n', "core clock in Hz; only turns cycles into seconds"),
	PMK_CORE_KEY(icache_on,                  "icache.enable",              1, 0, 1, 'b', "instruction cache on (SCTLR.I)"),
	PMK_CORE_KEY(icache_size,                "icache.size",                16384, 64, 131072, 'q', "instruction cache size"),
	PMK_CORE_KEY(icache_ways,                "icache.ways",                4, 1, 16, 'p', "instruction cache ways"),
	PMK_CORE_KEY(dcache_on,                  "dcache.enable",              1, 0, 1, 'b', "data cache on (SCTLR.C)"),
	PMK_CORE_KEY(dcache_size,                "dcache.size",                16384, 64, 131072, 'q', "data cache size"),
	PMK_CORE_KEY(dcache_ways,                "dcache.ways",                4, 1, 16, 'p', "data cache ways"),
	PMK_CORE_KEY(dcache_wt,                  "dcache.write_through",       0, 0, 1, 'b', "all memory is write-through instead of write-back"),
	PMK_CORE_KEY(round_robin,                "cache.round_robin",          0, 0, 1, 'b', "replacement: round robin (SCTLR.RR) instead of pseudo-random"),
	PMK_CORE_KEY(arm11.write_allocate,       "dcache.write_allocate",      0, 0, 1, 'b', "a store miss fills the line (no ARM11 does)"),
	PMK_CORE_KEY(seed,                       "cache.seed",                 1, 1, 4294967295, 'n', "seed of the pseudo-random replacement"),
	PMK_CORE_KEY(mmu,                        "mmu.enable",                 1, 0, 1, 'b', "address translation on: micro-TLBs and main TLB are used"),
	PMK_CORE_KEY(utlb_entries,               "utlb.entries",               10, 1, 64, 'n', "entries of each micro-TLB, fully associative, round robin"),
	PMK_CORE_KEY(tlb_entries,                "tlb.entries",                64, 2, 1024, 'n', "entries of the main TLB"),
	PMK_CORE_KEY(tlb_ways,                   "tlb.ways",                   2, 1, 8, 'n', "ways of the main TLB, round robin"),
	PMK_CORE_KEY(bp_on,                      "bp.enable",                  1, 0, 1, 'b', "branch prediction on (SCTLR.Z)"),
	PMK_CORE_KEY(arm11.bp_dynamic,           "bp.dynamic",                 1, 0, 1, 'b', "dynamic prediction on (ACTLR.DB)"),
	PMK_CORE_KEY(arm11.bp_static,            "bp.static",                  1, 0, 1, 'b', "static prediction on (ACTLR.SB)"),
	PMK_CORE_KEY(bp_entries,                 "bp.entries",                 128, 2, 4096, 'p', "branch target cache entries, direct mapped"),
	PMK_CORE_KEY(arm11.bp_folding,           "bp.folding",                 1, 0, 1, 'b', "a dynamically predicted branch costs no cycle (ACTLR.BFD = 0)"),
	PMK_CORE_KEY(rs_on,                      "rs.enable",                  1, 0, 1, 'b', "return stack on (ACTLR.RS)"),
	PMK_CORE_KEY(rs_entries,                 "rs.entries",                 3, 1, 16, 'n', "return stack entries"),
	PMK_CORE_KEY(arm11.ret_exclusive,        "rs.pred_exclusive",          0, 0, 1, 'b', "proc_ret_exec_pred counts correct predictions only"),
	PMK_CORE_KEY(arm11.pc_writes,            "bp.count_pc_writes",         0, 0, 1, 'b', "br_exec counts PC writes by data processing and loads, too"),
	PMK_CORE_KEY(arm11.shadow,               "fetch.shadow",               1, 0, 2, 'n', "speculative fetch counted by icache_miss: 0 none, 1 branch shadow, 2 also the wrong path"),
	PMK_CORE_KEY(arm11.shadow_bytes,         "fetch.shadow_bytes",         16, 0, 64, 'n', "bytes fetched beyond an unpredicted taken branch"),
	PMK_CORE_KEY(arm11.wrong_bytes,          "fetch.wrong_path_bytes",     24, 0, 64, 'n', "bytes fetched down the wrong path (fetch.shadow = 2)"),
	PMK_CORE_KEY(mem_latency,                "mem.latency",                56, 1, 10000, 'n', "cycles from an L1 miss to its critical word"),
	PMK_CORE_KEY(fill_cycles,                "mem.fill",                   4, 1, 1000, 'n', "cycles a line fill occupies the bus"),
	PMK_CORE_KEY(write_cycles,               "mem.write",                  4, 1, 1000, 'n', "cycles an external write occupies the bus"),
	PMK_CORE_KEY(utlb_penalty,               "utlb.penalty",               8, 0, 1000, 'n', "cycles of a micro-TLB miss that hits the main TLB"),
	PMK_CORE_KEY(walk_penalty,               "tlb.penalty",                93, 0, 10000, 'n', "cycles of a main TLB miss (page table walk)"),
	PMK_CORE_KEY(lsu_slots,                  "lsu.slots",                  2, 1, 16, 'n', "outstanding external requests of the load-store unit"),
	PMK_CORE_KEY(wbuf_entries,               "wbuf.entries",               8, 1, 64, 'n', "external writes the write buffer holds"),
	PMK_CORE_KEY(arm11.static_correct_taken, "branch.static_taken",        4, 0, 50, 'n', "cycles of a taken branch predicted statically"),
	PMK_CORE_KEY(branch_max,                 "branch.max",                 7, 1, 50, 'n', "cycles of a mispredicted branch right after its flags were set"),
	PMK_CORE_KEY(arm11.branch_min,           "branch.min",                 5, 1, 50, 'n', "cycles of a mispredicted branch, at least"),
	PMK_CORE_KEY(arm11.return_correct,       "return.correct",             4, 0, 50, 'n', "cycles of a correctly predicted return"),
	PMK_CORE_KEY(arm11.return_wrong,         "return.wrong",               7, 0, 50, 'n', "cycles of a wrongly predicted return"),
	PMK_CORE_KEY(arm11.return_empty,         "return.empty",               5, 0, 50, 'n', "cycles of a return with nothing on the return stack"),
	PMK_CORE_KEY(arm11.ldm_return_wrong,     "return.ldm_wrong",           9, 0, 50, 'n', "cycles of an LDM to the PC that is not or wrongly predicted"),
	PMK_CORE_KEY(arm11.load_pc,              "branch.load_pc",             8, 0, 50, 'n', "cycles of a load to the PC that is no return"),
	PMK_CORE_KEY(arm11.dmb_drains,           "wbuf.dmb_drains",            1, 0, 1, 'b', "a DMB counts as a write buffer drain"),
	PMK_CORE_KEY(arm11.store_miss_external,  "dcache.store_miss_external", 1, 0, 1, 'b', "a store that misses counts as an explicit external access"),
	PMK_CORE_KEY(arm11.miss_uncached,        "dcache.miss_uncached",       0, 0, 1, 'b', "dcache_miss counts non-cacheable accesses, too"),
	PMK_CORE_KEY(arm11.flush_stall,          "fetch.flush_stall",          1, 0, 16, 'n', "ibuf_stall cycles a pipeline flush adds"),
	PMK_CORE_KEY(l2_size,                    "l2.size",                    131072, 65536, 8388608, 'q', "level 2 cache size"),
	PMK_CORE_KEY(l2_ways,                    "l2.ways",                    8, 1, 32, 'p', "level 2 cache ways"),
	PMK_CORE_KEY(l2_latency,                 "l2.latency",                 13, 1, 1000, 'n', "cycles from an L1 miss to its critical word in level 2"),
	PMK_CORE_KEY(l2_type,                    "l2.type",                    0, 0, 2, 'l', "level 2 cache controller"),
	PMK_CORE_KEY(arm11.l2_write_allocate,    "l2.write_allocate",          0, 0, 1, 'b', "a write that misses level 2 brings its line in"),
	PMK_CORE_KEY(arm11.l2_buffers,           "l2.buffers",                 1, 0, 8, 'n', "lines in each slave port's read buffer, whose reads are no requests"),
	{ .key = NULL },
};
/* clang-format on */

int pmk_arm11_check(const struct pmk_core *core, char *msg, unsigned size)
{
	int err = pmk_core_check_sets(core, LINE_BYTES, LINE_BYTES, LINE_BYTES, msg, size);

	if (!err && core->arm11.branch_min > core->branch_max)
		err = pmk_core_say_range(msg, size, "branch.min is more than branch.max");
	return err;
}
