// SPDX-License-Identifier: MIT
/* Parameters of an ARM11: see config.h. */
#include "cpu/arm11/arm11.h"
#include "cpu/arm11/keys.h"
#include "cpu/family.h"
#include "cpu/keys.h"

#define LINE_BYTES (1u << PMK_LINE_SHIFT) /* the line size of every ARM11: DDI 0301H §7.2 */

/* clang-format off */
static const struct pmk_core_key keys[] = {
	PMK_ARM11_CACHE_KEYS,
	PMK_CORE_KEY(utlb.entries,               "utlb.entries", 10, 1, 64, 'n',
		"entries of each micro-TLB, fully associative, round robin"),
	PMK_ARM11_TLB_KEYS,
	PMK_ARM11_BRANCH_KEYS,
	PMK_CORE_KEY(arm11.ret_exclusive,        "rs.pred_exclusive", 0, 0, 1, 'b',
		"proc_ret_exec_pred counts correct predictions only"),
	PMK_CORE_KEY(arm11.pc_writes,            "bp.count_pc_writes", 0, 0, 1, 'b',
		"br_exec counts PC writes by data processing and loads, too"),
	PMK_CORE_KEY(thumb2,                     "thumb2.enable", 0, 0, 1, 'b',
		"the core has Thumb-2 and the rest of ARMv6T2, as an ARM1156 does"),
	PMK_CORE_KEY(arm11.shadow,               "fetch.shadow", 1, 0, 2, 'n',
		"speculative fetch counted by icache_miss: 0 none, 1 branch shadow, 2 also the "
		"wrong path"),
	PMK_CORE_KEY(arm11.shadow_bytes,         "fetch.shadow_bytes", 16, 0, 64, 'n',
		"bytes fetched beyond an unpredicted taken branch"),
	PMK_CORE_KEY(arm11.wrong_bytes,          "fetch.wrong_path_bytes", 24, 0, 64, 'n',
		"bytes fetched down the wrong path (fetch.shadow = 2)"),
	PMK_CORE_MEMORY_KEYS,
	PMK_CORE_SDRAM_KEYS,
	PMK_CORE_KEY(utlb.penalty,               "utlb.penalty", 8, 0, 1000, 'n',
		"cycles of a micro-TLB miss that hits the main TLB"),
	PMK_CORE_KEY(tlb.penalty,                "tlb.penalty", 93, 0, 10000, 'n',
		"cycles of a main TLB miss (page table walk)"),
	PMK_CORE_KEY(mem.slots,                  "lsu.slots", 2, 1, 16, 'n',
		"outstanding external requests of the load-store unit"),
	PMK_ARM11_PIPELINE_KEYS,
	PMK_CORE_KEY(arm11.vfp_length,           "vfp.length", 1, 1, 8, 'n',
		"elements of a VFP short vector (FPSCR.LEN, which the model cannot see)"),
	PMK_CORE_KEY(arm11.vfp_stride,           "vfp.stride", 1, 1, 2, 'n',
		"distance between the elements of a VFP short vector (FPSCR.STRIDE)"),
	PMK_CORE_KEY(arm11.dmb_drains,           "wbuf.dmb_drains", 1, 0, 1, 'b',
		"a DMB counts as a write buffer drain"),
	PMK_CORE_KEY(arm11.store_miss_external,  "dcache.store_miss_external", 1, 0, 1, 'b',
		"a store that misses counts as an explicit external access"),
	PMK_CORE_KEY(arm11.store_miss_each,      "dcache.store_miss_each", 1, 0, 1, 'b',
		"dcache_miss counts every store to an absent line; off: only the first"),
	PMK_CORE_KEY(arm11.miss_uncached,        "dcache.miss_uncached", 0, 0, 1, 'b',
		"dcache_miss counts non-cacheable accesses, too"),
	PMK_CORE_KEY(arm11.flush_stall,          "fetch.flush_stall", 1, 0, 16, 'n',
		"ibuf_stall cycles that a pipeline flush adds"),
	PMK_CORE_KEY(l2.size,                    "l2.size", 131072, 65536, 8388608, 'q',
		"level 2 cache size"),
	PMK_CORE_KEY(l2.ways,                    "l2.ways", 8, 1, 256, 'p',
		"level 2 cache ways"),
	PMK_CORE_KEY(l2.policy,                  "l2.policy", 0, 0, 4, 'y',
		"replacement policy of level 2; own: as cache.policy"),
	PMK_CORE_KEY(l2.latency,                 "l2.latency", 13, 1, 1000, 'n',
		"cycles from an L1 miss to its critical word in level 2"),
	PMK_CORE_KEY(l2.type,                    "l2.type", 0, 0, 3, 'l',
		"level 2 cache controller"),
	PMK_CORE_KEY(arm11.l2_write_allocate,    "l2.write_allocate", 0, 0, 1, 'b',
		"a write that misses level 2 fills the line"),
	PMK_CORE_KEY(arm11.l2_buffers,           "l2.buffers", 1, 0, 8, 'n',
		"lines in each slave port's read buffer; reads from it are not requests"),
	{ .key = NULL },
};
/* clang-format on */

int pmk_arm11_check(const struct pmk_core *core, char *msg, unsigned size)
{
	int err = pmk_core_check_sets(core, LINE_BYTES, LINE_BYTES, LINE_BYTES, msg, size);

	if (!err && core->arm11.branch_min > core->bp.penalty)
		err = pmk_core_say_range(msg, size, "branch.min is more than branch.max");
	return err;
}

const struct pmk_core_params pmk_arm11_params = {
	.keys = keys,
	.check = pmk_arm11_check,
};
