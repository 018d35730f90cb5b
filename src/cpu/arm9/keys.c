// SPDX-License-Identifier: MIT
/* The parameters of an ARM926EJ-S in its Development Chip. See config.h. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <pmk/error.h>

#include "cpu/arm11/keys.h"
#include "cpu/arm9/arm9.h"
#include "cpu/family.h"
#include "cpu/keys.h"

_Static_assert(offsetof(struct pmk_core, arm9.arm11) == offsetof(struct pmk_core, arm11),
	       "rows of cpu/arm11/keys.h are true of an ARM9, too");

/* clang-format off */
static const struct pmk_core_key keys[] = {
	PMK_ARM11_CACHE_KEYS,
	PMK_ARM11_TLB_KEYS,
	PMK_ARM11_BRANCH_KEYS,
	PMK_CORE_KEY(arm9.arm11.shadow,    "fetch.shadow", 1, 0, 0, 'n',
		"speculative fetch: this core has none"),
	PMK_ARM11_PIPELINE_KEYS,
	PMK_CORE_KEY(arm9.ahb_ratio,       "ahb.ratio", 3, 1, 16, 'n',
		"core clocks in one HCLK cycle"),
	PMK_CORE_KEY(arm9.ahb_connect,     "ahb.connect", 1, 1, 100, 'n',
		"HCLK cycles to connect a layer to a slave that another layer had"),
	PMK_CORE_KEY(arm9.mpmc_read,       "mpmc.read", 5, 0, 1000, 'n',
		"wait states of the memory controller for the first word of a read"),
	PMK_CORE_KEY(arm9.mpmc_read_next,  "mpmc.read_next", 0, 0, 1000, 'n',
		"wait states of the memory controller for each further word of a read"),
	PMK_CORE_KEY(arm9.mpmc_write,      "mpmc.write", 2, 0, 1000, 'n',
		"wait states of the memory controller for the first word of a write"),
	PMK_CORE_KEY(arm9.mpmc_write_next, "mpmc.write_next", 0, 0, 1000, 'n',
		"wait states of the memory controller for each further word of a write"),
	PMK_CORE_KEY(arm9.smc_read,        "smc.read", 3, 0, 1000, 'n',
		"wait states of the static memory controller for the first word of a read"),
	PMK_CORE_KEY(arm9.smc_read_next,   "smc.read_next", 2, 0, 1000, 'n',
		"wait states of the static memory controller for each further word of a read"),
	PMK_CORE_KEY(arm9.smc_write,       "smc.write", 3, 0, 1000, 'n',
		"wait states of the static memory controller for the first word of a write"),
	PMK_CORE_KEY(arm9.smc_write_next,  "smc.write_next", 2, 0, 1000, 'n',
		"wait states of the static memory controller for each further word of a write"),
	PMK_CORE_KEY(arm9.apb_read,        "apb.read", 2, 0, 1000, 'n',
		"wait states of the APB bridges for each read"),
	PMK_CORE_KEY(arm9.apb_write,       "apb.write", 2, 0, 1000, 'n',
		"wait states of the APB bridges for each write"),
	PMK_CORE_KEY(arm9.walk_reads,      "tlb.walk_reads", 2, 1, 2, 'n',
		"reads in a page table walk: 1 for sections, 2 for pages"),
	PMK_CORE_KEY(arm9.wbuf_words,      "wbuf.words", 16, 8, 64, 'n',
		"words that fit in the write buffer"),
	PMK_CORE_KEY(arm9.wait_threshold,  "wait.threshold", 0, 0, 4294967295, 'n',
		"a transfer with more wait states than this is a threshold hit; sets all other "
		"wait keys"),
	PMK_CORE_KEY(arm9.wait_armi,       "wait.armi", 0, 0, 4294967295, 'n',
		"threshold of layer ARM-I"),
	PMK_CORE_KEY(arm9.wait_clcdc,      "wait.clcdc", 0, 0, 4294967295, 'n',
		"threshold of layer CLCDC"),
	PMK_CORE_KEY(arm9.wait_dma0,       "wait.dma0", 0, 0, 4294967295, 'n',
		"threshold of layer DMA-0"),
	PMK_CORE_KEY(arm9.wait_dma1,       "wait.dma1", 0, 0, 4294967295, 'n',
		"threshold of layer DMA-1"),
	PMK_CORE_KEY(arm9.wait_exp,        "wait.exp", 0, 0, 4294967295, 'n',
		"threshold of layer EXP"),
	PMK_CORE_KEY(arm9.wait_armd,       "wait.armd", 0, 0, 4294967295, 'n',
		"threshold of layer ARM-D"),
	PMK_CORE_KEY(arm9.wait_gxi_read,   "wait.gxi_read", 0, 0, 4294967295, 'n',
		"threshold of read requests on the GXI"),
	PMK_CORE_KEY(arm9.wait_gxi_data,   "wait.gxi_data", 0, 0, 4294967295, 'n',
		"threshold of read data on the GXI"),
	PMK_CORE_KEY(arm9.wait_gxi_write,  "wait.gxi_write", 0, 0, 4294967295, 'n',
		"threshold of write requests on the GXI"),
	PMK_CORE_KEY(arm9.gxi_page,        "gxi.page", 2048, 2048, 16384, 'q',
		"page size for CtGxiPageChange (GxiPageSize)"),
	PMK_CORE_KEY(arm9.itcm_size,       "itcm.size", 0, 0, 1048576, 's',
		"instruction TCM: none, or a power of two from 4K to 1M"),
	PMK_CORE_KEY(arm9.itcm_base,       "itcm.base", 0, 0, 4294967295, 'n',
		"first address of the instruction TCM, a multiple of its size"),
	PMK_CORE_KEY(arm9.dtcm_size,       "dtcm.size", 0, 0, 1048576, 's',
		"data TCM: none, or a power of two from 4K to 1M"),
	PMK_CORE_KEY(arm9.dtcm_base,       "dtcm.base", 0, 0, 4294967295, 'n',
		"first address of the data TCM, a multiple of its size"),
	PMK_CORE_KEY(arm9.castout_aligned, "castout4.aligned", 0, 0, 1, 'b',
		"CtArmdCastOut4 counts only bursts aligned to four words"),
	{ .key = NULL },
};
/* clang-format on */

/* Checks the sizes of the TCMs, that each begins at a multiple of its size (DDI 0198D §2.3, CP15
 * c9), and that the two do not overlap. */
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
			snprintf(msg, size, "%s.base must be a multiple of %s.size", tcm[i].name,
				 tcm[i].name);
			return PMK_ERANGE;
		}
	}
	if (tcm[0].base < tcm[1].base + tcm[1].bytes && tcm[1].base < tcm[0].base + tcm[0].bytes &&
	    tcm[0].bytes && tcm[1].bytes)
		return pmk_core_say_range(msg, size, "itcm and dtcm overlap");
	return 0;
}

static int check_core(const struct pmk_core *core, char *msg, unsigned size)
{
	int err = pmk_arm11_check(core, msg, size);

	return err ? err : check_tcm(core, msg, size);
}

/* Called when a key was set. wait.threshold sets the thresholds of all layers. A later key of a
 * single layer changes only that layer's threshold. */
static void was_set(struct pmk_core *core, const char *key)
{
	if (strcmp(key, "wait.threshold") != 0)
		return;
	for (const struct pmk_core_key *k = keys; k->key; k++)
		if (strncmp(k->key, "wait.", 5) == 0)
			*(uint64_t *)(void *)((char *)core + k->offset) = core->arm9.wait_threshold;
}

const struct pmk_core_params pmk_arm9_params = {
	.keys = keys,
	.check = check_core,
	.was_set = was_set,
};
