// SPDX-License-Identifier: MIT
/*
 * The two issue slots of a Cortex-M7. Arm's manual (DDI 0489) does not say which instructions pair.
 * The rules here combine those that Arm gave to LLVM (ARMScheduleM7.td) with measurements on an
 * STM32H743 (jnk0le/random, "pipeline cycle test", cortex_m7.md).
 *
 * A pair is an older and a younger instruction. Stage EX1 computes addresses and shifts, and stage
 * EX2 computes the other arithmetic. An older ADD, SUB or MOV is computed in EX1 if its operands
 * are known in time, so that the younger instruction can use the result.
 */
#include "cpu/cortexm/cortexm.h"

#define REGS 64

/* All times are cycles from the start of the block. A result can be used from its time on. */
struct dual {
	unsigned ex1[REGS], ex2[REGS]; /* when EX1 and EX2 can read a register */
	unsigned flags;		       /* when the flags can be read */
	unsigned now;		       /* the cycle in which `older` was issued */
	const struct pmk_insn *older;  /* NULL: the younger slot is not free */
	bool begun;
};

bool pmk_cortexm_shifts_register(const struct pmk_insn *in)
{
	return (in->iclass == PMK_I_ALU_SHIFT || in->iclass == PMK_I_ALU_RSHIFT) &&
	       in->rn != PMK_NO_REG;
}

bool pmk_cortexm_multiplies(const struct pmk_insn *in)
{
	return in->iclass >= PMK_I_MUL && in->iclass <= PMK_I_MMUL;
}

static bool is_fp_arithmetic(const struct pmk_insn *in)
{
	return in->kind & PMK_K_VFP && !in->load && !in->store;
}

static bool is_single(const struct pmk_insn *in)
{
	bool system = in->iclass == PMK_I_OTHER && in->size == 4 && (in->reads || in->writes);

	return pmk_cortexm_is_multiple(in) || in->iclass == PMK_I_DIV || in->sysop ||
	       in->exclusive || system;
}

/* True if two loads read from different banks of memory: one reads an even word and the other an
 * odd one. */
static bool reads_other_bank(const struct pmk_insn *a, const struct pmk_insn *b)
{
	return a->mem_bytes == 4 && b->mem_bytes == 4 && a->rn == b->rn && a->rn != PMK_NO_REG &&
	       a->rm == PMK_NO_REG && b->rm == PMK_NO_REG && !a->writeback && !b->writeback &&
	       ((a->offset ^ b->offset) & 4);
}

static bool same_unit(const struct pmk_insn *a, const struct pmk_insn *b)
{
	bool both_load = a->load && b->load, both_store = a->store && b->store;

	return (both_load && !reads_other_bank(a, b)) || both_store ||
	       (pmk_cortexm_multiplies(a) && (pmk_cortexm_multiplies(b) || b->store)) ||
	       (a->store && pmk_cortexm_multiplies(b)) ||
	       (is_fp_arithmetic(a) && is_fp_arithmetic(b)) || (a->is_branch && b->is_branch) ||
	       (pmk_cortexm_shifts_register(a) && pmk_cortexm_shifts_register(b));
}

static bool may_join(const struct pmk_insn *older, const struct pmk_insn *in)
{
	return older && !is_single(older) && !is_single(in) && !(in->kind & PMK_CORTEXM_OLDER) &&
	       !same_unit(older, in);
}

static void wait_until(unsigned *cycle, unsigned usable)
{
	*cycle = usable > *cycle ? usable : *cycle;
}

bool pmk_cortexm_adds(const struct pmk_insn *in, unsigned reg)
{
	bool is_long = in->iclass == PMK_I_MLAL || in->iclass == PMK_I_MLAL16;

	return in->ra == (int)reg || (is_long && (in->rd == (int)reg || in->rd2 == (int)reg));
}

static bool is_needed_in_ex1(const struct pmk_insn *in, unsigned reg)
{
	bool address = (in->load || in->store) && (in->rn == (int)reg || in->rm == (int)reg);

	return address || (pmk_cortexm_shifts_register(in) && in->rm == (int)reg);
}

/* Returns the first cycle in which all operands are known. */
static unsigned known_at(const struct dual *d, const struct pmk_insn *in)
{
	unsigned cycle = 0;

	for (unsigned r = 0; r < REGS; r++) {
		if (!(in->reads >> r & 1) || (in->store && in->rd == (int)r && in->rn != in->rd))
			continue; /* a store gets its value two stages later */
		if (is_needed_in_ex1(in, r))
			wait_until(&cycle, d->ex1[r]);
		else if (pmk_cortexm_adds(in, r) && d->ex2[r])
			wait_until(&cycle, d->ex2[r] - 1);
		else
			wait_until(&cycle, d->ex2[r]);
	}
	if (in->reads_flags || (in->conditional && !in->is_branch))
		wait_until(&cycle, d->flags);
	return cycle;
}

/* True if the result is computed in EX1. */
static bool is_early(const struct dual *d, const struct pmk_insn *in, bool younger)
{
	if (younger || !(in->kind & PMK_CORTEXM_EARLY))
		return false;
	for (unsigned r = 0; r < REGS; r++)
		if (in->reads >> r & 1 && d->ex1[r] > d->now)
			return false;
	return true;
}

/* Returns how many cycles after the cycle that follows the issue EX2 can read the result. */
static unsigned wait_of(const struct pmk_core *core, const struct pmk_insn *in)
{
	const struct pmk_core_cortexm *c = &core->cortexm;

	if (in->load)
		return (unsigned)(c->load_use + (in->mem_bytes < 4 ? c->load_narrow : 0));
	if (pmk_cortexm_multiplies(in))
		return (unsigned)c->mul_wait;
	if (in->iclass == PMK_I_FP_MAC)
		return (unsigned)c->fp_mac;
	return (unsigned)(is_fp_arithmetic(in) ? c->fp_wait : 0);
}

static void set_results(const struct pmk_core *core, struct dual *d, const struct pmk_insn *in,
			bool younger)
{
	bool early = is_early(d, in, younger);
	unsigned ex2 = d->now + !early + wait_of(core, in);

	for (unsigned r = 0; r < REGS; r++) {
		if (!(in->writes >> r & 1))
			continue;
		d->ex2[r] = in->writeback && in->rn == (int)r ? d->now + 1 : ex2;
		d->ex1[r] = in->writeback && in->rn == (int)r ? d->now + 1 : ex2 + 1;
	}
	if (in->sets_flags)
		d->flags = d->now + 1;
}

/* Returns the cycles from the issue of the instruction to the next cycle in which another one can
 * issue alone or as the older of a pair. */
static unsigned cycles_of(const struct pmk_core *core, const struct pmk_insn *in, unsigned *lsu)
{
	unsigned cycles = pmk_cortexm_cycles(core, in, lsu);

	return in->iclass == PMK_I_FP_MAC ? 1 : cycles;
}

void pmk_cortexm_dual(const struct pmk_core *core, const struct pmk_insn *insn, size_t n,
		      struct pmk_pipe_slot *slots, struct pmk_block *b)
{
	struct dual d = { .begun = false };
	bool first_alone = true;

	for (size_t i = 0; i < n; i++) {
		const struct pmk_insn *in = &insn[i];
		unsigned lsu, cycles = cycles_of(core, in, &lsu), known = known_at(&d, in);
		bool younger = d.begun && known <= d.now && may_join(d.older, in);

		if (!younger) {
			d.now += d.begun;
			wait_until(&d.now, known);
		}
		first_alone = first_alone && !(younger && d.now == 0);
		slots[i] = (struct pmk_pipe_slot){ .issue = (uint16_t)d.now };
		d.begun = true;
		d.now += cycles - 1;
		set_results(core, &d, in, younger);
		d.older = younger || cycles > 1 || is_single(in) ? NULL : in;
		/* The second instruction of a pair takes no cycle, so it counts as folded. */
		b->facts.n[PMK_CORTEXM_FACT_FOLDED_INSN] += younger;
		b->facts.n[PMK_CORTEXM_FACT_LSU_CYCLE] += (uint16_t)lsu;
	}
	b->cycles = d.now + 1;
	b->cortexm.ends = d.older != NULL;
	b->cortexm.starts = first_alone && !is_single(insn) && !(insn->kind & PMK_CORTEXM_OLDER);
}
