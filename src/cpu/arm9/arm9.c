// SPDX-License-Identifier: MIT
/*
 * The slow paths of an ARM926EJ-S. See arm9.h. Sources: DDI 0198D (ARM926EJ-S TRM) chapters 3 and
 * 4.
 *
 * Stores to absent lines go through the write buffer and fill nothing, unless dcache.write_allocate
 * is on. Each half of a line has a dirty bit. The bytes of a page in `dmap` (arm11.h) have
 * PMK_D_MAPPED from the first data access to the page until the TLB evicts the page.
 *
 * Lines of a tightly coupled memory are marked in `dmap` and `imap` as present, and in `dmap` also
 * as dirty, so no access changes anything there. No cache contains these lines, so they are never
 * evicted.
 *
 * The model leaves out wait states of tightly coupled memories, lockdown, and cache maintenance of
 * the data side.
 */
#include "cpu/arm9/arm9.h"

#include <string.h>

#include "cpu/arm9/biu.h"
#include "cpu/family.h"
#include "cpu/thumb.h"

#define LINES_PER_PAGE (1u << (PMK_PAGE_SHIFT - PMK_LINE_SHIFT))
#define LINE_BYTES     (1u << PMK_LINE_SHIFT)
#define DIRTY	       (PMK_D_DIRTY_LO | PMK_D_DIRTY_HI)

/* ---- tightly coupled memories --------------------------------------------------------------- */

static bool in_itcm(const struct pmk_core *core, uint32_t addr)
{
	return (uint32_t)(addr - core->arm9.itcm_base) < core->arm9.itcm_size;
}

/*
 * True if data at `addr` is in a tightly coupled memory. The data side can access both memories,
 * the DTCM and the ITCM (DDI 0198D chapter 5).
 */
static bool in_tcm(const struct pmk_core *core, uint32_t addr)
{
	return in_itcm(core, addr) ||
	       (uint32_t)(addr - core->arm9.dtcm_base) < core->arm9.dtcm_size;
}

static void hold_data(struct pmk_cpu *cpu, uint64_t base, uint64_t size)
{
	memset(&cpu->arm11.dmap[base >> PMK_LINE_SHIFT], PMK_D_PRESENT | PMK_D_QUIET | DIRTY,
	       size >> PMK_LINE_SHIFT);
}

static void hold_tcms(struct pmk_cpu *cpu)
{
	const struct pmk_core *core = &cpu->core;

	hold_data(cpu, core->arm9.itcm_base, core->arm9.itcm_size);
	hold_data(cpu, core->arm9.dtcm_base, core->arm9.dtcm_size);
	memset(&cpu->arm11.imap[core->arm9.itcm_base >> PMK_LINE_SHIFT], PMK_I_PRESENT,
	       core->arm9.itcm_size >> PMK_LINE_SHIFT);
}

/* ---- translation ---------------------------------------------------------------------------- */

static void map_page(struct pmk_cpu *cpu, uint32_t page)
{
	uint8_t *map = &cpu->arm11.dmap[page * LINES_PER_PAGE];

	for (unsigned i = 0; i < LINES_PER_PAGE; i++)
		map[i] |= PMK_D_MAPPED;
}

static void unmap_page(struct pmk_cpu *cpu, uint64_t page)
{
	uint8_t *map;

	if (page == PMK_NO_PAGE)
		return;
	map = &cpu->arm11.dmap[page * LINES_PER_PAGE];
	for (unsigned i = 0; i < LINES_PER_PAGE; i++)
		map[i] &= (uint8_t)~PMK_D_MAPPED;
}

/*
 * Translates a page through the TLB, which instructions and data share. When the TLB evicts a page,
 * both sides must look that page up again.
 */
static void translate_page(struct pmk_cpu *cpu, uint32_t page, bool fetch)
{
	uint64_t old;

	if (!cpu->core.mmu || pmk_tlb_holds(&cpu->arm11.main_tlb, page))
		return;
	cpu->dyn[PMK_SIG_TLB_MISS]++;
	cpu->cycles += pmk_biu_walk(cpu->arm9.biu, cpu->cycles, page, fetch);
	old = pmk_tlb_fill(&cpu->arm11.main_tlb, page);
	unmap_page(cpu, old);
	cpu->igen += old != PMK_NO_PAGE;
}

static void flush_tlb(struct pmk_cpu *cpu)
{
	const struct pmk_tlb *t = &cpu->arm11.main_tlb;

	for (uint32_t i = 0; i < (t->set_mask + 1) * t->ways; i++)
		unmap_page(cpu, t->page[i]);
	pmk_tlb_clear(&cpu->arm11.main_tlb);
	cpu->igen++;
}

/* ---- fetch ---------------------------------------------------------------------------------- */

static void fetch_line(struct pmk_cpu *cpu, uint32_t addr)
{
	uint32_t line = addr >> PMK_LINE_SHIFT, victim;

	if (cpu->arm11.imap[line]) {
		cpu->igen += pmk_arm11_fetch_hit(cpu, line);
		return;
	}
	cpu->dyn[PMK_SIG_L1I_MISS]++;
	cpu->dyn[PMK_SIG_L1I_FILL]++;
	cpu->cycles += pmk_biu_fetch(cpu->arm9.biu, cpu->cycles, addr);
	victim = pmk_cache_fill(&cpu->arm11.icache, line);
	cpu->arm11.imap[line] = PMK_I_PRESENT;
	if (victim != PMK_NO_LINE)
		cpu->arm11.imap[victim] = 0;
	cpu->igen += victim != PMK_NO_LINE || pmk_cache_ages(&cpu->arm11.icache);
}

/* Reduces [*pc, *last] to the part that is not in the ITCM. Returns false if there is none. A block
 * is shorter than any ITCM, so it cannot extend beyond both ends. */
static bool outside_itcm(const struct pmk_core *core, uint32_t *pc, uint32_t *last)
{
	bool begins = in_itcm(core, *pc), ends = in_itcm(core, *last);

	if (begins)
		*pc = (uint32_t)(core->arm9.itcm_base + core->arm9.itcm_size);
	else if (ends)
		*last = (uint32_t)core->arm9.itcm_base - 1;
	return !begins || !ends;
}

/* Fetches a block. If the cache is off, each fetch goes to the bus. Returns true if the next
 * execution of the block must fetch it again. */
static bool fetch_block(struct pmk_cpu *cpu, const struct pmk_block *b)
{
	uint32_t pc = (uint32_t)b->pc, last = (uint32_t)b->fall - 1;

	pmk_biu_access(cpu->arm9.biu, pc, last - pc + 1, b->cycles);
	translate_page(cpu, pc >> PMK_PAGE_SHIFT, true);
	if (last >> PMK_PAGE_SHIFT != pc >> PMK_PAGE_SHIFT)
		translate_page(cpu, last >> PMK_PAGE_SHIFT, true);
	if (!outside_itcm(&cpu->core, &pc, &last))
		return !cpu->core.icache.on;
	pmk_biu_access(cpu->arm9.biu, pc, last - pc + 1, b->cycles);
	if (!cpu->core.icache.on) {
		cpu->cycles += pmk_biu_fetch_uncached(cpu->arm9.biu, cpu->cycles);
		return true;
	}
	fetch_line(cpu, pc);
	for (uint32_t line = (pc >> PMK_LINE_SHIFT) + 1; line <= last >> PMK_LINE_SHIFT; line++)
		fetch_line(cpu, line << PMK_LINE_SHIFT);
	return false;
}

/* ---- data ----------------------------------------------------------------------------------- */

/* Returns the number of bytes of an access. For a load or store multiple, these are the bytes from
 * `addr` to the end of the access or of the line, whichever comes first. */
static uint32_t bytes_of(const struct pmk_cpu *cpu, uint32_t addr, uint64_t access)
{
	uint32_t size = PMK_ACCESS_SIZE(access), in_line = LINE_BYTES - (addr & (LINE_BYTES - 1));
	uint32_t left = ((uint32_t)cpu->arm11.multiple_left + 1) * size;

	if (PMK_ACCESS_COUNT(access) < 2)
		return size;
	return left < in_line ? left : in_line;
}

static bool is_device(struct pmk_cpu *cpu, uint32_t line)
{
	return cpu->is_device && cpu->is_device(cpu, line << PMK_LINE_SHIFT);
}

static bool is_uncached(struct pmk_cpu *cpu, uint32_t line)
{
	return !cpu->core.dcache.on || is_device(cpu, line);
}

static void map_data(struct pmk_cpu *cpu, uint32_t line)
{
	uint32_t page = line / LINES_PER_PAGE;

	if (cpu->arm11.dmap[line] & PMK_D_MAPPED)
		return;
	translate_page(cpu, page, false);
	map_page(cpu, page);
}

/*
 * Fills a line. The line is read first, and the evicted line waits in the write-back buffer (DDI
 * 0198D §4.1).
 */
static void data_fill(struct pmk_cpu *cpu, uint32_t line)
{
	uint32_t victim;

	cpu->dyn[PMK_SIG_DATA_EXTERNAL]++;
	cpu->cycles += pmk_biu_linefill(cpu->arm9.biu, cpu->cycles, line);
	pmk_arm11_data_order(cpu, line);
	victim = pmk_cache_fill(&cpu->arm11.dcache, line);
	if (victim != PMK_NO_LINE) {
		uint8_t *byte = &cpu->arm11.dmap[victim];
		bool low = *byte & PMK_D_DIRTY_LO, high = *byte & PMK_D_DIRTY_HI;

		cpu->dyn[PMK_SIG_L1D_WB_HALF] += (unsigned)low + high;
		cpu->dyn[PMK_SIG_L1D_EVICT] += low || high;
		pmk_biu_castout(cpu->arm9.biu, cpu->cycles, victim, low, high);
		*byte &= PMK_D_MAPPED;
	}
	cpu->arm11.dmap[line] |= PMK_D_PRESENT | PMK_D_QUIET;
}

static void load_line(struct pmk_cpu *cpu, uint32_t line)
{
	map_data(cpu, line);
	if (in_tcm(&cpu->core, line << PMK_LINE_SHIFT))
		return;
	if (is_uncached(cpu, line)) {
		cpu->arm11.uncached++;
		cpu->dyn[PMK_SIG_DATA_EXTERNAL]++;
		cpu->cycles += pmk_biu_read(cpu->arm9.biu, cpu->cycles, line);
	} else if (cpu->arm11.dmap[line] & PMK_D_PRESENT) {
		pmk_arm11_data_hit(cpu, line);
	} else {
		cpu->dyn[PMK_SIG_L1D_READ_MISS]++;
		data_fill(cpu, line);
	}
}

static void write_out(struct pmk_cpu *cpu, uint32_t line)
{
	cpu->dyn[PMK_SIG_DATA_EXTERNAL]++;
	cpu->cycles += pmk_biu_write(cpu->arm9.biu, cpu->cycles, line);
}

static void store_line(struct pmk_cpu *cpu, uint32_t line, unsigned halves)
{
	map_data(cpu, line);
	if (in_tcm(&cpu->core, line << PMK_LINE_SHIFT))
		return;
	if (is_uncached(cpu, line)) {
		cpu->arm11.uncached++;
		cpu->dyn[PMK_SIG_DATA_EXTERNAL]++;
		cpu->cycles += pmk_biu_write_unbuffered(cpu->arm9.biu, cpu->cycles, line);
		return;
	}
	if (cpu->arm11.dmap[line] & PMK_D_PRESENT) {
		pmk_arm11_data_hit(cpu, line);
	} else {
		cpu->dyn[PMK_SIG_L1D_WRITE_MISS]++;
		if (!cpu->core.arm11.write_allocate) {
			write_out(cpu, line);
			return;
		}
		data_fill(cpu, line);
	}
	if (cpu->core.dcache.wt)
		write_out(cpu, line);
	else
		cpu->arm11.dmap[line] |= (uint8_t)halves;
}

/* Returns the halves of the line that [from, to] touches. */
static unsigned halves_of(uint32_t from, uint32_t to)
{
	return (from & LINE_BYTES / 2 ? 0u : PMK_D_DIRTY_LO) |
	       (to & LINE_BYTES / 2 ? PMK_D_DIRTY_HI : 0u);
}

static void load_data(struct pmk_cpu *cpu, uint32_t addr, uint64_t access)
{
	uint32_t bytes = bytes_of(cpu, addr, access), last = addr + bytes - 1;

	pmk_biu_access(cpu->arm9.biu, addr, bytes, PMK_ACCESS_TO_END(access));
	load_line(cpu, addr >> PMK_LINE_SHIFT);
	if (addr >> PMK_LINE_SHIFT == last >> PMK_LINE_SHIFT)
		return;
	cpu->dyn[PMK_SIG_L1D_READ]++; /* An access to two lines counts as two accesses. */
	load_line(cpu, last >> PMK_LINE_SHIFT);
}

/* Writes the data of a store. For a store multiple, pmk_arm11_store_span() has put the number of
 * bytes into `access`. */
static void store_data(struct pmk_cpu *cpu, uint32_t addr, uint64_t access)
{
	uint32_t bytes = PMK_ACCESS_SIZE(access), last = addr + bytes - 1;
	uint32_t boundary = last & ~(LINE_BYTES - 1);

	pmk_biu_access(cpu->arm9.biu, addr, bytes, PMK_ACCESS_TO_END(access));
	if (addr >> PMK_LINE_SHIFT == last >> PMK_LINE_SHIFT) {
		store_line(cpu, addr >> PMK_LINE_SHIFT, halves_of(addr, last));
		return;
	}
	store_line(cpu, addr >> PMK_LINE_SHIFT, halves_of(addr, boundary - 1));
	cpu->dyn[PMK_SIG_L1D_WRITE]++;
	store_line(cpu, last >> PMK_LINE_SHIFT, halves_of(boundary, last));
}

/* ---- the core -------------------------------------------------------------------------------- */

static const struct pmk_arm11_instead instead = {
	.fetch = fetch_block,
	.load = load_data,
	.store = store_data,
	.flush_tlbs = flush_tlb,
};

static int init_core(struct pmk_cpu *cpu)
{
	int err = pmk_arm11_init(cpu);

	if (err)
		return err;
	cpu->arm11.instead = &instead;
	cpu->general |= PMK_GENERAL_PARAMS;
	hold_tcms(cpu);
	return 0;
}

static void attach_biu(struct pmk_cpu *cpu, struct pmk_biu *biu)
{
	cpu->arm9.biu = biu;
}

static void build_block(const struct pmk_core *core, const struct pmk_insn *insn, size_t n,
			struct pmk_pipe_slot *slots, struct pmk_block *b)
{
	pmk_arm11_build_timed(core, insn, n, slots, b, pmk_arm9_pipeline_time);
	b->arm11.spare = 0;
}

/* ---- the family ------------------------------------------------------------------------------ */

extern const struct pmk_core_family pmk_family_arm11;

static const struct pmk_core_builder builder = {
	.build = build_block,
	.branch = pmk_arm11_branch,
};

static const struct pmk_core_run run = {
	.init = init_core,
	.fini = pmk_arm11_fini,
	.forked = pmk_arm11_forked,
	.forget = pmk_cpu_forget,
	.attach = attach_biu,
	.is_under_way = pmk_arm11_is_under_way,
	.drop = pmk_arm11_drop,
};

static const struct pmk_core_system in_system = {
	.vector = pmk_arm_vector,
	.control = PMK_CONTROL_MMU | PMK_CONTROL_DCACHE | PMK_CONTROL_ICACHE,
	.control_by = PMK_CONTROL_BY_A32,
};

const struct pmk_core_family pmk_family_arm9 = {
	.name = "arm9",
	.isa = "arm",
	.pmu = "ahbmon",
	.like = &pmk_family_arm11,
	.untimed_kind = "floating-point ones (VFP)",
	.params = &pmk_arm9_params,
	.decoder = &pmk_arm11_decoder,
	.builder = &builder,
	.run = &run,
	.callbacks = &pmk_arm11_callbacks,
	.system = &in_system,
	.programs = &pmk_arm_programs,
	.counts = &pmk_arm11_counts,
};
