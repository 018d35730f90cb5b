/* SPDX-License-Identifier: MIT */
/*
 * Rows of parameters that an ARM11 and an ARM926EJ-S have in common. keys.c of both families lists
 * them in groups. A row of pmk_core.arm11 is also right for pmk_core.arm9.arm11, because both are
 * at the same offset in struct pmk_core.
 */
#ifndef PMK_CPU_ARM11_KEYS_H
#define PMK_CPU_ARM11_KEYS_H

#include "cpu/config.h"

/* clang-format off */
#define PMK_ARM11_CACHE_KEYS \
	PMK_CORE_CLOCK_KEYS, \
	PMK_CORE_KEY(icache.on,                  "icache.enable", 1, 0, 1, 'b', \
		"instruction cache on (SCTLR.I)"), \
	PMK_CORE_KEY(icache.size,                "icache.size", 16384, 64, 16777216, 'q', \
		"instruction cache size"), \
	PMK_CORE_KEY(icache.ways,                "icache.ways", 4, 1, 256, 'p', \
		"instruction cache ways"), \
	PMK_CORE_KEY(dcache.on,                  "dcache.enable", 1, 0, 1, 'b', \
		"data cache on (SCTLR.C)"), \
	PMK_CORE_KEY(dcache.size,                "dcache.size", 16384, 64, 16777216, 'q', \
		"data cache size"), \
	PMK_CORE_KEY(dcache.ways,                "dcache.ways", 4, 1, 256, 'p', \
		"data cache ways"), \
	PMK_CORE_KEY(dcache.wt,                  "dcache.write_through", 0, 0, 1, 'b', \
		"all memory is write-through instead of write-back"), \
	PMK_CORE_KEY(cache.round_robin,          "cache.round_robin", 0, 0, 1, 'b', \
		"replacement: round robin (SCTLR.RR) instead of pseudo-random"), \
	PMK_CORE_KEY(arm11.write_allocate,       "dcache.write_allocate", 0, 0, 1, 'b', \
		"a store miss fills the line (no ARM11 does)"), \
	PMK_CORE_POLICY_KEYS, \
	PMK_CORE_KEY(mmu,                        "mmu.enable", 1, 0, 1, 'b', \
		"address translation on: micro-TLBs and main TLB are used")

#define PMK_ARM11_TLB_KEYS \
	PMK_CORE_KEY(tlb.entries,                "tlb.entries", 64, 2, 1024, 'n', \
		"entries of the main TLB"), \
	PMK_CORE_KEY(tlb.ways,                   "tlb.ways", 2, 1, 8, 'n', \
		"ways of the main TLB, round robin")

#define PMK_ARM11_BRANCH_KEYS \
	PMK_CORE_KEY(bp.on,                      "bp.enable", 1, 0, 1, 'b', \
		"branch prediction on (SCTLR.Z)"), \
	PMK_CORE_KEY(arm11.bp_dynamic,           "bp.dynamic", 1, 0, 1, 'b', \
		"dynamic prediction on (ACTLR.DB)"), \
	PMK_CORE_KEY(arm11.bp_static,            "bp.static", 1, 0, 1, 'b', \
		"static prediction on (ACTLR.SB)"), \
	PMK_CORE_KEY(bp.entries,                 "bp.entries", 128, 2, 4096, 'p', \
		"branch target cache entries, direct mapped"), \
	PMK_CORE_KEY(arm11.bp_folding,           "bp.folding", 1, 0, 1, 'b', \
		"a dynamically predicted branch costs no cycle (ACTLR.BFD = 0)"), \
	PMK_CORE_KEY(rs.on,                      "rs.enable", 1, 0, 1, 'b', \
		"return stack on (ACTLR.RS)"), \
	PMK_CORE_KEY(rs.entries,                 "rs.entries", 3, 1, 16, 'n', \
		"return stack entries")

#define PMK_ARM11_PIPELINE_KEYS \
	PMK_CORE_KEY(mem.wbuf,                   "wbuf.entries", 8, 1, 64, 'n', \
		"external writes that fit in the write buffer"), \
	PMK_CORE_KEY(arm11.static_correct_taken, "branch.static_taken", 4, 0, 50, 'n', \
		"cycles of a taken branch predicted statically"), \
	PMK_CORE_KEY(bp.penalty,                 "branch.max", 7, 1, 50, 'n', \
		"cycles of a mispredicted branch right after its flags were set"), \
	PMK_CORE_KEY(arm11.branch_min,           "branch.min", 5, 1, 50, 'n', \
		"minimum cycles of a mispredicted branch"), \
	PMK_CORE_KEY(arm11.return_correct,       "return.correct", 4, 0, 50, 'n', \
		"cycles of a correctly predicted return"), \
	PMK_CORE_KEY(arm11.return_wrong,         "return.wrong", 7, 0, 50, 'n', \
		"cycles of a mispredicted return"), \
	PMK_CORE_KEY(arm11.return_empty,         "return.empty", 5, 0, 50, 'n', \
		"cycles of a return with nothing on the return stack"), \
	PMK_CORE_KEY(arm11.ldm_return_wrong,     "return.ldm_wrong", 9, 0, 50, 'n', \
		"cycles of an LDM to the PC that is not predicted, or mispredicted"), \
	PMK_CORE_KEY(arm11.load_pc,              "branch.load_pc", 8, 0, 50, 'n', \
		"cycles of a load to the PC that is not a return")
/* clang-format on */

#endif
