// SPDX-License-Identifier: MIT
/* Parameters of an ARM926EJ-S in its Development Chip: see config.h. */
#include <stdio.h>
#include <string.h>

#include <pmk/error.h>

#include "cpu/arm9/arm9.h"

/* clang-format off */
const struct pmk_core_key pmk_arm9_keys[] = {
	PMK_CORE_KEY(clock_hz,                        "clock", 700000000, 1000, 10000000000, 'n',
		"core clock in Hz; only turns cycles into seconds"),
	PMK_CORE_KEY(icache_on,                       "icache.enable", 1, 0, 1, 'b',
		"instruction cache on (SCTLR.I)"),
	PMK_CORE_KEY(icache_size,                     "icache.size", 16384, 64, 131072, 'q',
		"instruction cache size"),
	PMK_CORE_KEY(icache_ways,                     "icache.ways", 4, 1, 16, 'p',
		"instruction cache ways"),
	PMK_CORE_KEY(dcache_on,                       "dcache.enable", 1, 0, 1, 'b',
		"data cache on (SCTLR.C)"),
	PMK_CORE_KEY(dcache_size,                     "dcache.size", 16384, 64, 131072, 'q',
		"data cache size"),
	PMK_CORE_KEY(dcache_ways,                     "dcache.ways", 4, 1, 16, 'p',
		"data cache ways"),
	PMK_CORE_KEY(dcache_wt,                       "dcache.write_through", 0, 0, 1, 'b',
		"all memory is write-through instead of write-back"),
	PMK_CORE_KEY(round_robin,                     "cache.round_robin", 0, 0, 1, 'b',
		"replacement: round robin (SCTLR.RR) instead of pseudo-random"),
	PMK_CORE_KEY(arm9.arm11.write_allocate,       "dcache.write_allocate", 0, 0, 1, 'b',
		"a store miss fills the line (no ARM11 does)"),
	PMK_CORE_KEY(seed,                            "cache.seed", 1, 1, 4294967295, 'n',
		"seed of the pseudo-random replacement"),
	PMK_CORE_KEY(mmu,                             "mmu.enable", 1, 0, 1, 'b',
		"address translation on: micro-TLBs and main TLB are used"),
	PMK_CORE_KEY(tlb_entries,                     "tlb.entries", 64, 2, 1024, 'n',
		"entries of the main TLB"),
	PMK_CORE_KEY(tlb_ways,                        "tlb.ways", 2, 1, 8, 'n',
		"ways of the main TLB, round robin"),
	PMK_CORE_KEY(bp_on,                           "bp.enable", 1, 0, 1, 'b',
		"branch prediction on (SCTLR.Z)"),
	PMK_CORE_KEY(arm9.arm11.bp_dynamic,           "bp.dynamic", 1, 0, 1, 'b',
		"dynamic prediction on (ACTLR.DB)"),
	PMK_CORE_KEY(arm9.arm11.bp_static,            "bp.static", 1, 0, 1, 'b',
		"static prediction on (ACTLR.SB)"),
	PMK_CORE_KEY(bp_entries,                      "bp.entries", 128, 2, 4096, 'p',
		"branch target cache entries, direct mapped"),
	PMK_CORE_KEY(arm9.arm11.bp_folding,           "bp.folding", 1, 0, 1, 'b',
		"a dynamically predicted branch costs no cycle (ACTLR.BFD = 0)"),
	PMK_CORE_KEY(rs_on,                           "rs.enable", 1, 0, 1, 'b',
		"return stack on (ACTLR.RS)"),
	PMK_CORE_KEY(rs_entries,                      "rs.entries", 3, 1, 16, 'n',
		"return stack entries"),
	PMK_CORE_KEY(arm9.arm11.shadow,               "fetch.shadow", 1, 0, 0, 'n',
		"speculative fetch: this core fetches nothing ahead"),
	PMK_CORE_KEY(wbuf_entries,                    "wbuf.entries", 8, 1, 64, 'n',
		"external writes the write buffer holds"),
	PMK_CORE_KEY(arm9.arm11.static_correct_taken, "branch.static_taken", 4, 0, 50, 'n',
		"cycles of a taken branch predicted statically"),
	PMK_CORE_KEY(branch_max,                      "branch.max", 7, 1, 50, 'n',
		"cycles of a mispredicted branch right after its flags were set"),
	PMK_CORE_KEY(arm9.arm11.branch_min,           "branch.min", 5, 1, 50, 'n',
		"cycles of a mispredicted branch, at least"),
	PMK_CORE_KEY(arm9.arm11.return_correct,       "return.correct", 4, 0, 50, 'n',
		"cycles of a correctly predicted return"),
	PMK_CORE_KEY(arm9.arm11.return_wrong,         "return.wrong", 7, 0, 50, 'n',
		"cycles of a wrongly predicted return"),
	PMK_CORE_KEY(arm9.arm11.return_empty,         "return.empty", 5, 0, 50, 'n',
		"cycles of a return with nothing on the return stack"),
	PMK_CORE_KEY(arm9.arm11.ldm_return_wrong,     "return.ldm_wrong", 9, 0, 50, 'n',
		"cycles of an LDM to the PC that is not or wrongly predicted"),
	PMK_CORE_KEY(arm9.arm11.load_pc,              "branch.load_pc", 8, 0, 50, 'n',
		"cycles of a load to the PC that is no return"),
	PMK_CORE_KEY(arm9.ahb_ratio,                  "ahb.ratio", 3, 1, 16, 'n',
		"core clocks in one HCLK cycle"),
	PMK_CORE_KEY(arm9.ahb_connect,                "ahb.connect", 1, 1, 100, 'n',
		"HCLK cycles to connect a layer to a slave that another one had"),
	PMK_CORE_KEY(arm9.mpmc_read,                  "mpmc.read", 5, 0, 1000, 'n',
		"wait states of the memory controller for the first word of a read"),
	PMK_CORE_KEY(arm9.mpmc_read_next,             "mpmc.read_next", 0, 0, 1000, 'n',
		"the same for each further word of the burst"),
	PMK_CORE_KEY(arm9.mpmc_write,                 "mpmc.write", 2, 0, 1000, 'n',
		"wait states of the memory controller for the first word of a write"),
	PMK_CORE_KEY(arm9.mpmc_write_next,            "mpmc.write_next", 0, 0, 1000, 'n',
		"the same for each further word of the burst"),
	PMK_CORE_KEY(arm9.smc_read,                   "smc.read", 3, 0, 1000, 'n',
		"wait states of the static memory controller for the first word of a read"),
	PMK_CORE_KEY(arm9.smc_read_next,              "smc.read_next", 2, 0, 1000, 'n',
		"the same for each further word of the burst"),
	PMK_CORE_KEY(arm9.smc_write,                  "smc.write", 3, 0, 1000, 'n',
		"wait states of the static memory controller for the first word of a write"),
	PMK_CORE_KEY(arm9.smc_write_next,             "smc.write_next", 2, 0, 1000, 'n',
		"the same for each further word of the burst"),
	PMK_CORE_KEY(arm9.apb_read,                   "apb.read", 2, 0, 1000, 'n',
		"wait states of the APB bridges for each read"),
	PMK_CORE_KEY(arm9.apb_write,                  "apb.write", 2, 0, 1000, 'n',
		"wait states of the APB bridges for each write"),
	PMK_CORE_KEY(arm9.walk_reads,                 "tlb.walk_reads", 2, 1, 2, 'n',
		"reads of a page table walk: 1 as for sections, 2 as for pages"),
	PMK_CORE_KEY(arm9.wbuf_words,                 "wbuf.words", 16, 8, 64, 'n',
		"words the write buffer holds"),
	PMK_CORE_KEY(arm9.wait_threshold,             "wait.threshold", 0, 0, 4294967295, 'n',
		"wait states of a transfer beyond which it is a threshold hit; sets all of "
		"those below"),
	PMK_CORE_KEY(arm9.wait_armi,                  "wait.armi", 0, 0, 4294967295, 'n',
		"the same on layer ARM-I alone"),
	PMK_CORE_KEY(arm9.wait_clcdc,                 "wait.clcdc", 0, 0, 4294967295, 'n',
		"on layer CLCDC"),
	PMK_CORE_KEY(arm9.wait_dma0,                  "wait.dma0", 0, 0, 4294967295, 'n',
		"on layer DMA-0"),
	PMK_CORE_KEY(arm9.wait_dma1,                  "wait.dma1", 0, 0, 4294967295, 'n',
		"on layer DMA-1"),
	PMK_CORE_KEY(arm9.wait_exp,                   "wait.exp", 0, 0, 4294967295, 'n',
		"on layer EXP"),
	PMK_CORE_KEY(arm9.wait_armd,                  "wait.armd", 0, 0, 4294967295, 'n',
		"on layer ARM-D"),
	PMK_CORE_KEY(arm9.wait_gxi_read,              "wait.gxi_read", 0, 0, 4294967295, 'n',
		"of read requests on the GXI"),
	PMK_CORE_KEY(arm9.wait_gxi_data,              "wait.gxi_data", 0, 0, 4294967295, 'n',
		"of read data on the GXI"),
	PMK_CORE_KEY(arm9.wait_gxi_write,             "wait.gxi_write", 0, 0, 4294967295, 'n',
		"of write requests on the GXI"),
	PMK_CORE_KEY(arm9.gxi_page,                   "gxi.page", 2048, 2048, 16384, 'q',
		"page of CtGxiPageChange (GxiPageSize)"),
	PMK_CORE_KEY(arm9.itcm_size,                  "itcm.size", 0, 0, 1048576, 's',
		"instruction TCM: none, or a power of two from 4K to 1M"),
	PMK_CORE_KEY(arm9.itcm_base,                  "itcm.base", 0, 0, 4294967295, 'n',
		"its first address, a multiple of its size"),
	PMK_CORE_KEY(arm9.dtcm_size,                  "dtcm.size", 0, 0, 1048576, 's',
		"data TCM, likewise"),
	PMK_CORE_KEY(arm9.dtcm_base,                  "dtcm.base", 0, 0, 4294967295, 'n',
		"its first address, likewise"),
	PMK_CORE_KEY(arm9.castout_aligned,            "castout4.aligned", 0, 0, 1, 'b',
		"CtArmdCastOut4 takes only bursts aligned to four words"),
	{ .key = NULL },
};
/* clang-format on */

/* DDI 0198D §2.3, CP15 c9: check the sizes, and that a region begins at a multiple of its size.
 * That the two do not overlap is left to the program. */
static int check_tcm(const struct pmk_core *core, char *msg, unsigned size)
{
	const struct {
		const char *name;
		uint64_t base, bytes;
	} tcm[] = { { "itcm", core->arm9.itcm_base, core->arm9.itcm_size },
		    { "dtcm", core->arm9.dtcm_base, core->arm9.dtcm_size } };

	for (unsigned i = 0; i < 2; i++) {
		if (tcm[i].bytes && (tcm[i].bytes < 4096 || (tcm[i].bytes & (tcm[i].bytes - 1)))) {
			snprintf(msg, size, "%s.size is 0 or a power of two from 4K to 1M",
				 tcm[i].name);
			return PMK_ERANGE;
		}
		if (tcm[i].bytes && tcm[i].base % tcm[i].bytes) {
			snprintf(msg, size, "%s.base has to be a multiple of %s.size", tcm[i].name,
				 tcm[i].name);
			return PMK_ERANGE;
		}
	}
	if (tcm[0].base < tcm[1].base + tcm[1].bytes && tcm[1].base < tcm[0].base + tcm[0].bytes &&
	    tcm[0].bytes && tcm[1].bytes)
		return pmk_core_say_range(msg, size, "itcm and dtcm lie over each other");
	return 0;
}

int pmk_arm9_check(const struct pmk_core *core, char *msg, unsigned size)
{
	int err = pmk_arm11_check(core, msg, size);

	return err ? err : check_tcm(core, msg, size);
}

/* wait.threshold sets the threshold of every layer; keys of single layers after it change one. */
void pmk_arm9_was_set(struct pmk_core *core, const char *key)
{
	if (strcmp(key, "wait.threshold") != 0)
		return;
	for (const struct pmk_core_key *k = pmk_arm9_keys; k->key; k++)
		if (strncmp(k->key, "wait.", 5) == 0)
			*(uint64_t *)(void *)((char *)core + k->offset) = core->arm9.wait_threshold;
}
