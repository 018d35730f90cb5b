// SPDX-License-Identifier: MIT
/*
 * Builds the blocks of A64 code: what one execution of a block adds to the totals, and what it
 * waits for. DDI 0487 D13.12 and the TRM of the core define the events. docs/armv8.md lists each
 * rule with its source.
 */
#include "cpu/a64/a64.h"
#include "cpu/family.h"

#include <string.h>

static void add_kinds(const struct pmk_insn *in, struct pmk_facts *f)
{
	static const struct {
		uint32_t kind;
		uint8_t fact;
	} rows[] = {
		{ PMK_K_DP, PMK_A64_FACT_DP },
		{ PMK_K_ASE, PMK_A64_FACT_ASE },
		{ PMK_K_VFP, PMK_A64_FACT_VFP },
		{ PMK_K_CRYPTO, PMK_A64_FACT_CRYPTO },
		{ PMK_K_LDREX, PMK_A64_FACT_LDREX },
		{ PMK_K_STREX, PMK_A64_FACT_STREX },
		{ PMK_K_ACQUIRE, PMK_A64_FACT_LD_ACQUIRE },
		{ PMK_K_RELEASE, PMK_A64_FACT_ST_RELEASE },
		{ PMK_K_BR_IMM, PMK_A64_FACT_BR_IMM },
		{ PMK_K_BR_RETURN, PMK_A64_FACT_BR_RETURN },
		{ PMK_K_BR_INDIRECT, PMK_A64_FACT_BR_INDIRECT },
		{ PMK_K_ERET, PMK_A64_FACT_EXC_RETURN },
		{ PMK_K_CID_WRITE, PMK_A64_FACT_CID_WRITE },
		{ PMK_K_TTBR_WRITE, PMK_A64_FACT_TTBR_WRITE },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		f->n[rows[i].fact] += (in->kind & rows[i].kind) != 0;
	/* A return with a condition, which exists in AArch32, counts when it is taken. */
	f->n[PMK_A64_FACT_BR_RETURN] -= (in->kind & PMK_K_BR_RETURN) && in->conditional;
	/*
	 * DC ZVA writes a whole line: see pmk_a64_zero_line(). Its look-up is counted here, because
	 * an emulator may not report the access.
	 */
	f->n[PMK_A64_FACT_L1D_LOOKUP_WRITE] += (in->kind & PMK_K_DC_ZVA) != 0;
	f->n[PMK_A64_FACT_ISB] += in->sysop == PMK_SYS_ISB;
	f->n[PMK_A64_FACT_DSB] += in->sysop == PMK_SYS_DSB;
	f->n[PMK_A64_FACT_DMB] += in->sysop == PMK_SYS_DMB;
}

/* Instructions that cause an exception by themselves. */
static const struct exception {
	uint32_t kind;
	uint8_t fact;
} exceptions[] = {
	{ PMK_K_SVC, PMK_A64_FACT_EXC_SVC },
	{ PMK_K_HVC, PMK_A64_FACT_EXC_HVC },
	{ PMK_K_SMC, PMK_A64_FACT_EXC_SMC },
	{ PMK_K_UNDEF, PMK_A64_FACT_EXC_UNDEF },
};

/*
 * Adds the exception that the last instruction causes. In user emulation it is a fact of the block.
 * In system emulation the next block shows whether the exception was taken or the emulator handled
 * the request itself.
 */
static void add_exceptions(const struct pmk_core *core, const struct pmk_insn *in,
			   struct pmk_block *b)
{
	for (size_t i = 0; i < sizeof(exceptions) / sizeof(exceptions[0]); i++) {
		const struct exception *e = &exceptions[i];

		if (!(in->kind & e->kind))
			continue;
		if (core->system)
			b->a64.raises = pmk_a64_signal[e->fact];
		else
			b->facts.n[e->fact]++;
	}
}

/*
 * Counts an access. It makes one look-up for every `dcache.bytes`. If it crosses a line, it makes
 * one more look-up, which only the address shows. The look-ups of a store-exclusive count when it
 * stores. Conditional accesses of AArch32, and all accesses without a clock, are counted when they
 * are made.
 */
static void add_access(const struct pmk_core *core, const struct pmk_insn *in, struct pmk_facts *f)
{
	unsigned pieces = pmk_a64_pieces(core, in->mem_total);

	if (core->timeless || in->conditional)
		return;
	f->n[PMK_A64_FACT_LOAD] += in->load;
	f->n[PMK_A64_FACT_STORE] += in->store;
	if (in->load) {
		f->n[PMK_A64_FACT_MEM_READ] += pieces;
		f->n[PMK_A64_FACT_L1D_LOOKUP_READ] += pieces;
	}
	if (in->store && !in->exclusive) {
		f->n[PMK_A64_FACT_MEM_WRITE] += pieces;
		f->n[PMK_A64_FACT_L1D_LOOKUP_WRITE] += pieces;
	}
}

static uint32_t end_of(const struct pmk_core *core, const struct pmk_block *b,
		       const struct pmk_insn *last)
{
	if (core->system && last->flow == PMK_FLOW_MODE)
		return PMK_A64_RETURNS;
	if (b->disturbs || (last->is_branch && !core->bp.on))
		return PMK_A64_OTHER;
	if (last->flow == PMK_FLOW_NEXT)
		return PMK_A64_FALLS;
	if (last->flow != PMK_FLOW_JUMP || last->target == last->addr + last->size)
		return PMK_A64_OTHER;
	return last->conditional ? PMK_A64_CONDITIONAL : PMK_A64_GOES;
}

/* Prepares the quick test in pmk_a64_enter() of whether a block waits. `late` has the places that
 * are late at all, and `wants` those that are needed in the first cycle. `late2` has the places
 * that are late by more than a cycle, and `wants2` all that are read or written, so this part of
 * the test may report a wait that does not happen. Written registers are included because they are
 * no longer pending. Units are always included because they may be busy in any block. */
static void lanes(struct pmk_block *b, uint64_t writes)
{
	for (unsigned r = 0; r < PMK_A64_PLACES; r++) {
		uint64_t bit = r < PMK_NREGS ? UINT64_C(1) << r : PMK_A64_UNITS;

		b->a64.late |= b->a64.residue[r] > 0 ? bit : 0;
		b->a64.late2 |= b->a64.residue[r] > 1 ? bit : 0;
		b->a64.late2 |= b->a64.residue[r] > PMK_A64_LONG ? PMK_A64_UNITS : 0;
		b->a64.wants |= b->a64.need[r] == 0 ? bit : 0;
		b->a64.wants2 |= b->a64.need[r] != PMK_PIPE_FAR ? bit : 0;
	}
	b->a64.wants2 |= writes | PMK_A64_UNITS;
}

static void add_timing(const struct pmk_core *core, const struct pmk_insn *insn, size_t n,
		       struct pmk_pipe_slot *slots, struct pmk_block *b)
{
	struct pmk_a64_timing t;

	pmk_a64_time(core, insn, n, slots, &t);
	b->cycles = t.cycles;
	b->facts.n[PMK_A64_FACT_DATA_STALL] = (uint16_t)t.data_stall;
	b->facts.n[PMK_A64_FACT_FETCH_STALL] = (uint16_t)t.fetch_stall;
	b->facts.n[PMK_A64_FACT_ADDRESS_STALL] = (uint16_t)t.address_stall;
	b->facts.n[PMK_A64_FACT_SIMD_STALL] = (uint16_t)t.simd_stall;
	b->a64.address = t.address;
	b->a64.simd = t.simd;
	memcpy(b->a64.need, t.need, sizeof(b->a64.need));
	memcpy(b->a64.residue, t.residue, sizeof(b->a64.residue));
	memcpy(b->a64.need_sum, t.need_sum, sizeof(b->a64.need_sum));
	b->a64.sums = t.sums;
	lanes(b, t.writes);
}

/*
 * Sets the cycles of a block on a core that executes out of order, and numbers its loads. The
 * cycles are the minimum that the block takes to retire; the window adds the others.
 */
static void add_window(const struct pmk_core *core, const struct pmk_insn *insn, size_t n,
		       struct pmk_pipe_slot *slots, struct pmk_block *b)
{
	b->cycles = pmk_a64_enters(core, n) / PMK_A64_TICKS;
	pmk_a64_number_loads(insn, n, slots);
}

static size_t keep_flow(const struct pmk_core *core, const struct pmk_insn *insn, size_t n,
			void *out, struct pmk_block *b)
{
	b->a64.flow = out;
	return pmk_a64_flow(core, insn, n, out);
}

static uint64_t most_kept(const struct pmk_core *core)
{
	return core->a64.window && !core->timeless ? PMK_A64_MAX_FLOW : 0;
}

static void build_block(const struct pmk_core *core, const struct pmk_insn *insn, size_t n,
			struct pmk_pipe_slot *slots, struct pmk_block *b)
{
	const struct pmk_insn *last = &insn[n - 1];
	const uint64_t granule = ~(uint64_t)(core->a64.fetch_bytes - 1);

	*b = (struct pmk_block){
		.pc = insn[0].addr,
		.fall = last->addr + last->size,
		.end_addr = last->addr,
		.target = last->target,
		.flow = last->flow,
		.conditional = last->conditional,
		.is_branch = last->is_branch,
		.a64.raises = PMK_SIG_NONE,
	};
	for (size_t i = 0; i < n; i++) {
		b->facts.n[PMK_A64_FACT_INSN]++;
		b->facts.n[PMK_A64_FACT_BRANCH] += insn[i].is_branch;
		b->facts.n[PMK_A64_FACT_BR_PREDICTABLE] += insn[i].is_branch;
		b->facts.n[PMK_A64_FACT_BR_COND] += insn[i].is_branch && insn[i].conditional;
		add_kinds(&insn[i], &b->facts);
		add_exceptions(core, &insn[i], b);
		if (insn[i].load || insn[i].store)
			add_access(core, &insn[i], &b->facts);
		if (insn[i].sysop == PMK_SYS_TLB)
			b->disturbs |= PMK_DISTURB_TLB;
		if (insn[i].sysop == PMK_SYS_ICACHE_INV)
			b->disturbs |= PMK_DISTURB_ICACHE;
	}
	b->facts.n[PMK_A64_FACT_L1I_ACCESS] =
		(uint16_t)(((last->addr & granule) - (b->pc & granule)) / core->a64.fetch_bytes +
			   1);
	if (!core->timeless && core->a64.window)
		add_window(core, insn, n, slots, b);
	else if (!core->timeless)
		add_timing(core, insn, n, slots, b);
	b->a64.end = end_of(core, b, last);
	b->a64.counter = pmk_a64_counter_of(core, last->addr);
}

const struct pmk_core_builder pmk_a64_builder = {
	.build = build_block,
	.keeps = most_kept,
	.keep = keep_flow,
};
