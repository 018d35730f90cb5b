// SPDX-License-Identifier: MIT
/*
 * Builds the blocks of MicroBlaze code: what one execution of a block adds to the totals, and how
 * the block is entered and left. See microblaze.h. UG984, "Performance Monitoring", defines the
 * events. docs/microblaze.md lists each rule with its source and our choices.
 */
#include <string.h>

#include "cpu/family.h"
#include "cpu/microblaze/microblaze.h"

/*
 * Counts an instruction by kind (UG984, table of events). The decoder decides which forms of an
 * instruction belong to a kind.
 */
static void add_kinds(const struct pmk_insn *in, struct pmk_facts *f)
{
	static const struct {
		uint32_t kind;
		uint8_t fact;
	} rows[] = {
		{ PMK_MB_ARITH, PMK_MB_FACT_ARITH },
		{ PMK_MB_LOGICAL, PMK_MB_FACT_LOGICAL },
		{ PMK_MB_MUL, PMK_MB_FACT_MUL },
		{ PMK_MB_DIV, PMK_MB_FACT_DIV },
		{ PMK_MB_BARREL, PMK_MB_FACT_BARREL_SHIFT },
		{ PMK_MB_SHIFT, PMK_MB_FACT_SHIFT },
		{ PMK_MB_FP, PMK_MB_FACT_VFP },
		{ PMK_MB_PCMP, PMK_MB_FACT_PATTERN_COMPARE },
		{ PMK_MB_SEXT, PMK_MB_FACT_SIGN_EXTEND },
		{ PMK_MB_IMM, PMK_MB_FACT_IMM_PREFIX },
		{ PMK_MB_WIC, PMK_MB_FACT_ICACHE_OP },
		{ PMK_MB_WDC, PMK_MB_FACT_DCACHE_OP },
		{ PMK_MB_MSR, PMK_MB_FACT_STATUS_OP },
		{ PMK_MB_BR, PMK_MB_FACT_BR_UNCOND },
	};

	f->n[PMK_MB_FACT_INSN]++;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		f->n[rows[i].fact] += (in->kind & rows[i].kind) != 0;
	f->n[PMK_MB_FACT_BR_UNCOND_DELAY] += (in->kind & PMK_MB_BR) && (in->kind & PMK_MB_DELAY);
}

/* Counts an access. An access with r1 in its address also counts as an access with r1. A store of
 * the value of r1 does not (our choice). */
static void add_access(const struct pmk_insn *in, struct pmk_facts *f)
{
	bool stack = in->kind & PMK_MB_R1;

	f->n[PMK_MB_FACT_LOAD] += in->load;
	f->n[PMK_MB_FACT_LOAD_WORD] += in->load && in->mem_bytes == 4;
	f->n[PMK_MB_FACT_LOAD_HALF] += in->load && in->mem_bytes == 2;
	f->n[PMK_MB_FACT_LOAD_BYTE] += in->load && in->mem_bytes == 1;
	f->n[PMK_MB_FACT_LOAD_SP] += in->load && stack;
	f->n[PMK_MB_FACT_STORE] += in->store;
	f->n[PMK_MB_FACT_STORE_WORD] += in->store && in->mem_bytes == 4;
	f->n[PMK_MB_FACT_STORE_HALF] += in->store && in->mem_bytes == 2;
	f->n[PMK_MB_FACT_STORE_BYTE] += in->store && in->mem_bytes == 1;
	f->n[PMK_MB_FACT_STORE_SP] += in->store && stack;
	f->n[PMK_MB_FACT_STREX] += in->store && in->exclusive;
}

static bool fetch_is_cached(const struct pmk_core *core, uint64_t addr)
{
	return core->icache.on && addr >= core->microblaze.lmb_size &&
	       addr >= core->microblaze.icache_base && addr <= core->microblaze.icache_high;
}

/* Adds the fetches of a block. Every instruction is fetched once: from the cache, from local memory
 * in one cycle, or from the bus. */
static void add_fetches(const struct pmk_core *core, size_t n, struct pmk_block *b)
{
	size_t wait = n * (size_t)(core->microblaze.peripheral_latency - 1);

	if (fetch_is_cached(core, b->pc)) {
		b->facts.n[PMK_MB_FACT_L1I_ACCESS] = (uint16_t)n;
	} else if (b->pc >= core->microblaze.lmb_size) {
		b->facts.n[PMK_MB_FACT_OF_STALL] += (uint16_t)wait;
		b->cycles += (uint32_t)wait;
	}
}

static bool is_predicted(const struct pmk_core *core, const struct pmk_insn *branch)
{
	uint64_t fall = branch->addr + (branch->kind & PMK_MB_DELAY ? 8 : 4);

	/* If prediction is on, the next block does not show whether a branch to the next
	 * instruction was taken. */
	return core->bp.on && (branch->kind & PMK_MB_RETURN ||
			       (branch->kind & PMK_MB_BR_IMM && branch->target != fall));
}

static unsigned branch_cycles(const struct pmk_core *core, const struct pmk_insn *branch)
{
	if (branch->kind & PMK_MB_RETURN)
		return pmk_microblaze_return_cycles(core);
	return pmk_microblaze_taken_cycles(core, branch->kind & PMK_MB_DELAY);
}

static uint8_t sure_of(const struct pmk_insn *branch)
{
	uint64_t fall = branch->addr + (branch->kind & PMK_MB_DELAY ? 8 : 4);

	if (branch->kind & PMK_MB_ALWAYS)
		return PMK_MB_TAKEN;
	if (branch->kind & PMK_MB_NEVER)
		return PMK_MB_NOT_TAKEN;
	if (branch->conditional && branch->kind & PMK_MB_BR_IMM && branch->target == fall)
		return PMK_MB_HIDDEN;
	return PMK_MB_LOOKED_AT;
}

static uint8_t row_of(const struct pmk_insn *branch, bool predicted)
{
	if (!branch->conditional)
		return PMK_MB_ROW_OTHER;
	if (branch->kind & PMK_MB_DELAY)
		return predicted ? PMK_MB_ROW_PREDICTED_DELAYED : PMK_MB_ROW_DELAYED;
	return predicted ? PMK_MB_ROW_PREDICTED : PMK_MB_ROW_CONDITIONAL;
}

static const struct pmk_microblaze_end falls = {
	.key = PMK_MB_NO_PREDICT,
	.entry = PMK_MB_MAX_BTC,
	.row = PMK_MB_ROW_OTHER,
};

/* Returns how a block that ends in `branch` is left. */
static struct pmk_microblaze_end end_of(const struct pmk_core *core, const struct pmk_insn *branch)
{
	bool predicted = is_predicted(core, branch);
	struct pmk_microblaze_end end = falls;

	end.row = row_of(branch, predicted);
	end.sure = sure_of(branch);
	if (predicted) {
		end.key = branch->addr << 32;
		end.entry = (uint16_t)(branch->addr >> 2 & (core->bp.entries - 1));
		return end;
	}
	if (branch->conditional)
		end.extra = (uint8_t)branch_cycles(core, branch);
	return end;
}

/* Returns the branch that ends a block, possibly before a delay slot. Returns NULL if no branch
 * ends it. */
static const struct pmk_insn *branch_of(const struct pmk_insn *insn, size_t n)
{
	const uint32_t branches = PMK_MB_BR | PMK_MB_BR_COND | PMK_MB_RETURN;

	if (n > 1 && insn[n - 2].kind & PMK_MB_DELAY)
		return &insn[n - 2];
	return insn[n - 1].kind & branches ? &insn[n - 1] : NULL;
}

/* Prepares a quick test of whether the next block waits. The low half compares all late registers
 * with the registers that the next block needs at once. The high half compares the registers that
 * are more than a cycle late with all other registers that it needs, so it may report a wait that
 * does not happen. */
static void lanes(const struct pmk_microblaze_timing *t, struct pmk_block *b)
{
	for (unsigned r = 1; r < PMK_MB_REGS; r++) {
		b->microblaze.late |= (uint64_t)(t->residue[r] > 0) << r;
		b->microblaze.late |= (uint64_t)(t->residue[r] > 1) << (r + 32);
		b->microblaze.wants |= (uint64_t)(t->need[r] == 0) << r;
		b->microblaze.wants |= (uint64_t)(t->need[r] != 0 && t->need[r] != PMK_PIPE_FAR)
				       << (r + 32);
	}
	b->microblaze.wants |= PMK_MB_LOOK;
}

static void add_timing(const struct pmk_core *core, const struct pmk_insn *insn, size_t n,
		       unsigned certain, struct pmk_pipe_slot *slots, struct pmk_block *b)
{
	struct pmk_microblaze_timing t;

	pmk_microblaze_time(core, insn, n, slots, &t);
	for (unsigned r = 0; r < PMK_MB_REGS; r++) {
		unsigned residue = t.residue[r];

		t.residue[r] = (uint8_t)(residue > certain ? residue - certain : 0);
	}
	b->cycles = t.cycles + certain;
	b->facts.n[PMK_MB_FACT_OF_STALL] = (uint16_t)(t.of_stall + certain);
	b->facts.n[PMK_MB_FACT_EX_STALL] = (uint16_t)t.ex_stall;
	memcpy(b->microblaze.need, t.need, sizeof(t.need));
	memcpy(b->microblaze.residue, t.residue, sizeof(t.residue));
	lanes(&t, b);
}

static void place(const struct pmk_core *core, struct pmk_block *b)
{
	unsigned shift = pmk_microblaze_sector_bits(core);
	uint32_t first = (uint32_t)b->pc >> shift, last = (uint32_t)b->end_addr >> shift;

	b->microblaze.sector = first == last ? first % PMK_MB_SECTORS : PMK_MB_SEVERAL;
	if (!fetch_is_cached(core, b->pc))
		b->microblaze.sector = PMK_MB_UNCACHED;
}

/* Sets how the block is left. Returns the cycles that its branch always costs. An open block
 * continues with the delay slot. */
static unsigned settle_end(const struct pmk_core *core, const struct pmk_insn *branch,
			   struct pmk_block *b)
{
	b->microblaze.end = falls;
	if (!branch)
		return 0;
	b->target = (uint32_t)branch->target;
	b->flow = branch->flow;
	b->conditional = branch->conditional;
	b->is_branch = branch->is_branch;
	b->microblaze.branch_cycles = (uint8_t)branch_cycles(core, branch);
	*(b->microblaze.open ? &b->microblaze.slot_end : &b->microblaze.end) = end_of(core, branch);
	return branch->conditional || is_predicted(core, branch) ? 0 : b->microblaze.branch_cycles;
}

static void build_block(const struct pmk_core *core, const struct pmk_insn *insn, size_t n,
			struct pmk_pipe_slot *slots, struct pmk_block *b)
{
	const struct pmk_insn *last = &insn[n - 1];
	unsigned certain;

	*b = (struct pmk_block){
		.pc = (uint32_t)insn[0].addr,
		.fall = (uint32_t)(last->addr + last->size),
		.end_addr = (uint32_t)last->addr,
		.flow = PMK_FLOW_NEXT,
		.microblaze.open = last->kind & PMK_MB_DELAY,
		.microblaze.starts_with_nop = insn[0].kind & PMK_MB_NOP,
	};
	for (size_t i = 0; i < n; i++) {
		add_kinds(&insn[i], &b->facts);
		if ((insn[i].load || insn[i].store) && !core->timeless)
			add_access(&insn[i], &b->facts);
		if (i > 0 && insn[i - 1].kind & PMK_MB_DELAY && insn[i].kind & PMK_MB_NOP)
			b->facts.n[PMK_MB_FACT_DELAY_NOP]++;
		if (insn[i].kind & PMK_MB_BTC_FLUSH)
			b->disturbs |= PMK_DISTURB_BTAC;
		if (insn[i].sysop == PMK_SYS_TLB)
			b->disturbs |= PMK_DISTURB_TLB;
	}
	certain = settle_end(core, branch_of(insn, n), b);
	if (!core->timeless)
		add_timing(core, insn, n, certain, slots, b);
	add_fetches(core, n, b);
	place(core, b);
	if (b->microblaze.open || b->disturbs)
		b->microblaze.late |= PMK_MB_LOOK;
}

const struct pmk_core_builder pmk_microblaze_builder = {
	.build = build_block,
};
