// SPDX-License-Identifier: MIT
/*
 * The running core of an ARM11: how it starts, forks and ends. The hot paths are in arm11.h, and
 * slow.h lists the files of the slow paths. The counting rules are from ARM DAI 0195B (application
 * note 195) §3-§8 and ARM1176JZF-S TRM 3.2.51. docs/arm11.md lists each rule with its source, and
 * our choices where these documents do not say what is counted.
 *
 * The model leaves out memory attributes of single pages in user emulation, maintenance of the data
 * cache and of level 2, and TCMs. It also leaves out aliases: the caches are physically tagged, but
 * in the model two virtual addresses of one physical line are two lines.
 */
#include "cpu/arm11/slow.h"

#include <stdlib.h>
#include <string.h>

#include <pmk/error.h>

#include "base/reserve.h"
#include "cpu/family.h"
#include "cpu/sites.h"

#define IMAP_SIZE  (UINT64_C(1) << (32 - PMK_LINE_SHIFT))
#define IMAP_BYTES (IMAP_SIZE + PMK_I_MOST_LINES)
#define DMAP_SIZE  \
	(IMAP_SIZE \
	 << 3) /* times eight, because the low bits of an unaligned address move to the top */

/*
 * Stands for the previous block when the first block starts. The first block waits for nothing, and
 * any address may follow this block.
 */
static const struct pmk_block before_all = { .arm11.branch = PMK_BRANCH_SLOW,
					     .flow = PMK_FLOW_NEXT };

/* True if the parameters of the level 1 data cache are those of an ARM11. The functions for usual
 * accesses in data.c can then handle its misses. */
static bool has_usual_data(const struct pmk_cpu *cpu)
{
	const struct pmk_core *core = &cpu->core;

	return core->dcache.on && !core->dcache.wt && !core->arm11.write_allocate &&
	       core->arm11.store_miss_each && !pmk_order_is_kept(&cpu->arm11.dcache.order);
}

/* True if there is no level 2 cache, there are two request slots, and memory is simple: all its
 * reads take the same time, and none waits for older requests. The main TLB must be in use, with
 * two ways. The functions for usual accesses in data.c expect this. */
static bool has_usual_memory(const struct pmk_cpu *cpu)
{
	const struct pmk_core *core = &cpu->core;

	return !pmk_l2cc_is_on(&cpu->arm11.l2) && !pmk_sdram_differs(core) && !core->mem.serial &&
	       core->mem.slots == 2 && core->mmu && cpu->arm11.main_tlb.ways == 2;
}

static uint8_t general_reasons(const struct pmk_cpu *cpu)
{
	bool usual = has_usual_data(cpu) && (cpu->core.timeless || has_usual_memory(cpu));

	return (usual ? 0 : PMK_GENERAL_PARAMS) | (cpu->core.timeless ? PMK_GENERAL_TIMELESS : 0);
}

int pmk_arm11_init(struct pmk_cpu *cpu)
{
	const struct pmk_core *core = &cpu->core;

	cpu->prev = &before_all;
	cpu->arm11.rs.size = (uint32_t)core->rs.entries;
	cpu->arm11.lsu = (struct pmk_lsu){
		.slots = (uint32_t)core->mem.slots,
		.wbuf_entries = (uint32_t)core->mem.wbuf,
		.latency = (uint32_t)core->mem.latency,
		.serial = core->mem.serial,
		.fill_cycles = (uint32_t)core->mem.fill,
		.write_cycles = (uint32_t)core->mem.write,
	};
	cpu->arm11.pred = pmk_reserve(PMK_MAX_BRANCHES);
	cpu->arm11.imap = pmk_reserve(IMAP_BYTES);
	cpu->arm11.dmap = pmk_reserve(DMAP_SIZE);
	cpu->arm11.edge = calloc(PMK_ARM11_EDGES, sizeof(*cpu->arm11.edge));
	if (!cpu->arm11.pred || !cpu->arm11.imap || !cpu->arm11.dmap || !cpu->arm11.edge ||
	    pmk_cache_init(&cpu->arm11.icache, (uint32_t)core->icache.size,
			   (uint32_t)core->icache.ways,
			   pmk_core_policy_of(core, core->icache.policy), core->cache.round_robin,
			   (uint32_t)core->cache.seed) ||
	    pmk_cache_init(&cpu->arm11.dcache, (uint32_t)core->dcache.size,
			   (uint32_t)core->dcache.ways,
			   pmk_core_policy_of(core, core->dcache.policy), core->cache.round_robin,
			   (uint32_t)core->cache.seed) ||
	    pmk_tlb_init(&cpu->arm11.itlb, (uint32_t)core->utlb.entries,
			 (uint32_t)core->utlb.entries) ||
	    pmk_tlb_init(&cpu->arm11.dtlb, (uint32_t)core->utlb.entries,
			 (uint32_t)core->utlb.entries) ||
	    pmk_tlb_init(&cpu->arm11.main_tlb, (uint32_t)core->tlb.entries,
			 (uint32_t)core->tlb.ways) ||
	    pmk_predictor_init(&cpu->arm11.bp, core) || pmk_l2cc_init(&cpu->arm11.l2, core)) {
		pmk_arm11_fini(cpu);
		return PMK_ENOMEM;
	}
	cpu->arm11.pred[PMK_BRANCH_NONE] = PMK_PRED_NOT_TAKEN;
	cpu->arm11.store_missed = PMK_NO_LINE;
	cpu->general |= general_reasons(cpu);
	cpu->arm11.usual_fetch = !pmk_order_is_kept(&cpu->arm11.icache.order) &&
				 !pmk_l2cc_is_on(&cpu->arm11.l2) && !pmk_sdram_differs(core);
	return 0;
}

void pmk_arm11_fini(struct pmk_cpu *cpu)
{
	pmk_release(cpu->arm11.pred, PMK_MAX_BRANCHES);
	pmk_release(cpu->arm11.imap, IMAP_BYTES);
	pmk_release(cpu->arm11.dmap, DMAP_SIZE);
	free(cpu->arm11.edge);
	cpu->arm11.edge = NULL;
	pmk_cache_fini(&cpu->arm11.icache);
	pmk_cache_fini(&cpu->arm11.dcache);
	pmk_tlb_fini(&cpu->arm11.itlb);
	pmk_tlb_fini(&cpu->arm11.dtlb);
	pmk_tlb_fini(&cpu->arm11.main_tlb);
	pmk_predictor_fini(&cpu->arm11.bp);
	pmk_l2cc_fini(&cpu->arm11.l2);
	cpu->arm11.pred = cpu->arm11.imap = cpu->arm11.dmap = NULL;
}

void pmk_arm11_forked(struct pmk_cpu *cpu)
{
	pmk_lsu_restart(&cpu->arm11.lsu);
	pmk_arm11_forget_preloads(cpu);
	cpu->arm11.pending = 0;
	memset(cpu->arm11.vfp_ready, 0, sizeof(cpu->arm11.vfp_ready));
	cpu->arm11.uncached = 0;
}

bool pmk_arm11_is_under_way(const struct pmk_cpu *cpu)
{
	return cpu->arm11.multiple_left > 0;
}

/*
 * Drops a load or store multiple that faulted, and takes back its count. The instruction is
 * executed again from its beginning, and is counted then.
 */
void pmk_arm11_drop(struct pmk_cpu *cpu)
{
	if (cpu->arm11.multiple_left > 0 && cpu->arm11.multiple_counts != PMK_SIG_NONE) {
		pmk_sites_access(cpu, cpu->access);
		cpu->dyn[cpu->arm11.multiple_counts]--;
	}
	cpu->arm11.multiple_left = 0;
}
