// SPDX-License-Identifier: MIT
/*
 * Builds the blocks of Cortex-M code: what one execution adds to the totals, and its cycles. The
 * manuals list cycles by instruction; keys.c names the tables. A conditional instruction in an IT
 * block takes one cycle if its condition fails. The emulator shows whether the condition of an
 * access failed. All other conditional instructions are counted as executed (our choice).
 */
#include "cpu/cortexm/cortexm.h"

/* An address that no block has. */
#define NOWHERE UINT64_MAX

static unsigned words_of(const struct pmk_insn *in)
{
	unsigned bytes = in->mem_total ? in->mem_total : (unsigned)in->mem_bytes * in->mem_count;

	return bytes > 4 ? (bytes + 3) / 4 : 1;
}

bool pmk_cortexm_is_multiple(const struct pmk_insn *in)
{
	return in->iclass == PMK_I_LOADM || in->iclass == PMK_I_STOREM || words_of(in) > 1;
}

static bool is_access(const struct pmk_insn *in)
{
	return in->load || in->store;
}

static unsigned access_cycles(const struct pmk_core *core, const struct pmk_insn *in)
{
	unsigned cycles;

	if (pmk_cortexm_is_multiple(in)) {
		cycles = (unsigned)(core->cortexm.multiple +
				    (words_of(in) + core->cortexm.multiple_words - 1) /
					    core->cortexm.multiple_words);
		if (in->load && in->flow != PMK_FLOW_NEXT && in->iclass == PMK_I_LOADM)
			cycles += (unsigned)core->cortexm.multiple_pc;
		return cycles;
	}
	if (in->load)
		return (unsigned)core->cortexm.load;
	return (unsigned)(in->rm != PMK_NO_REG && !in->exclusive ? core->cortexm.store_offset
								 : core->cortexm.store);
}

static unsigned other_cycles(const struct pmk_core *core, const struct pmk_insn *in)
{
	const struct pmk_core_cortexm *c = &core->cortexm;

	if (in->kind & PMK_CORTEXM_NOT_RUN)
		return 0;
	switch ((enum pmk_iclass)in->iclass) {
	case PMK_I_MUL:
	case PMK_I_MUL16:
	case PMK_I_MMUL:
		return (unsigned)c->mul;
	case PMK_I_MLA:
		return (unsigned)c->mla;
	case PMK_I_MULL:
		return (unsigned)c->mull;
	case PMK_I_MLAL:
	case PMK_I_MLAL16:
		return (unsigned)c->mlal;
	case PMK_I_DIV:
		return (unsigned)c->div;
	case PMK_I_FP_MAC:
		return (unsigned)c->fp_mac;
	case PMK_I_FP_DIV:
	case PMK_I_FP_SQRT:
		return (unsigned)c->fp_div;
	default:
		break;
	}
	if (in->sysop == PMK_SYS_DSB || in->sysop == PMK_SYS_DMB || in->sysop == PMK_SYS_ISB)
		return 1 + (unsigned)c->barrier;
	/* These are MRS and MSR. Other 32-bit instructions of this class are hints. */
	if (in->iclass == PMK_I_OTHER && in->size == 4 && (in->reads || in->writes))
		return (unsigned)c->status;
	if (in->flow == PMK_FLOW_CALL || in->flow == PMK_FLOW_INDCALL)
		return 1 + (unsigned)c->call;
	return 1;
}

unsigned pmk_cortexm_cycles(const struct pmk_core *core, const struct pmk_insn *in, unsigned *lsu)
{
	unsigned cycles = is_access(in) ? access_cycles(core, in) : other_cycles(core, in);

	*lsu = is_access(in) ? cycles - 1 : 0;
	return cycles;
}

/*
 * A load or store overlaps with a single load directly before it, unless its address is the loaded
 * value. No access overlaps with a store before it (DDI 0439 3.3.2). On a Cortex-M3, loads that
 * update their base do not overlap (DDI 0337 3.3.2): this function returns false for them.
 */
static bool updates_in_time(const struct pmk_core *core, const struct pmk_insn *in)
{
	return !in->load || !in->writeback || core->cortexm.load_update;
}

static bool may_follow_load(const struct pmk_core *core, const struct pmk_insn *in)
{
	return core->cortexm.load_pipelined && is_access(in) && !pmk_cortexm_is_multiple(in) &&
	       updates_in_time(core, in);
}

static bool may_precede(const struct pmk_core *core, const struct pmk_insn *in)
{
	return core->cortexm.load_pipelined && in->load && !in->store &&
	       !pmk_cortexm_is_multiple(in) && updates_in_time(core, in) &&
	       in->flow == PMK_FLOW_NEXT;
}

static bool address_needs(const struct pmk_insn *in, int8_t reg)
{
	return reg != PMK_NO_REG && (in->rn == reg || in->rm == reg);
}

/* True if the access `in` overlaps with the load directly before it. */
static bool overlaps(const struct pmk_core *core, const struct pmk_insn *in,
		     const struct pmk_insn *before)
{
	return may_follow_load(core, in) && may_precede(core, before) && !before->conditional &&
	       !address_needs(in, before->rd);
}

/*
 * True if instruction `i` of `n` is a load of one word that overlaps with no access next to it. The
 * blocks before and after are not known here, so the function assumes that no access in them
 * overlaps.
 */
static bool is_alone(const struct pmk_core *core, const struct pmk_insn *insn, size_t i, size_t n)
{
	return insn[i].load && !insn[i].store && !pmk_cortexm_is_multiple(&insn[i]) &&
	       !(i && overlaps(core, &insn[i], &insn[i - 1])) &&
	       !(i + 1 < n && overlaps(core, &insn[i + 1], &insn[i]));
}

/*
 * True if the address waits for the result of the instruction before it. Results of data processing
 * are not forwarded to an address (DDI 0439 3.3.2).
 */
static bool waits_for_address(const struct pmk_insn *in, const struct pmk_insn *before)
{
	return is_access(in) && !is_access(before) && address_needs(in, before->rd);
}

static bool is_fp(const struct pmk_insn *in)
{
	return in->kind & PMK_K_VFP;
}

static void add_facts(const struct pmk_insn *in, struct pmk_facts *f)
{
	f->n[PMK_CORTEXM_FACT_INSN] += !(in->kind & PMK_CORTEXM_NOT_RUN);
	/* Conditional accesses are not facts, because they are counted when they are made. */
	f->n[PMK_CORTEXM_FACT_LOAD] += in->load && !in->conditional;
	f->n[PMK_CORTEXM_FACT_STORE] += in->store && !in->conditional;
	f->n[PMK_CORTEXM_FACT_BRANCH] += in->is_branch;
	f->n[PMK_CORTEXM_FACT_BR_IMM] += (in->kind & PMK_K_BR_IMM) != 0;
	f->n[PMK_CORTEXM_FACT_BR_RETURN] += (in->kind & PMK_K_BR_RETURN) != 0;
	f->n[PMK_CORTEXM_FACT_BR_INDIRECT] += (in->kind & PMK_K_BR_INDIRECT) != 0;
	f->n[PMK_CORTEXM_FACT_BR_COND] += in->is_branch && in->conditional;
	f->n[PMK_CORTEXM_FACT_DP] += (in->kind & PMK_K_DP) != 0;
	f->n[PMK_CORTEXM_FACT_MUL] += in->iclass >= PMK_I_MUL && in->iclass <= PMK_I_MMUL;
	f->n[PMK_CORTEXM_FACT_DIV] += in->iclass == PMK_I_DIV;
	f->n[PMK_CORTEXM_FACT_VFP] += is_fp(in);
	f->n[PMK_CORTEXM_FACT_LDREX] += in->exclusive && in->load;
	f->n[PMK_CORTEXM_FACT_STREX] += in->exclusive && in->store;
	f->n[PMK_CORTEXM_FACT_ISB] += in->sysop == PMK_SYS_ISB;
	f->n[PMK_CORTEXM_FACT_DSB] += in->sysop == PMK_SYS_DSB;
	f->n[PMK_CORTEXM_FACT_DMB] += in->sysop == PMK_SYS_DMB;
}

/*
 * The fetch unit of a Cortex-M3 or M4. It reads a word in each cycle, if its buffer has space for
 * one more word at the beginning of the cycle. Words are numbered by their address.
 */
struct fetch {
	uint64_t oldest;   /* the first word in the buffer */
	uint64_t end;	   /* the first word that is not in the buffer */
	unsigned incoming; /* words that arrive at the end of this cycle: 0 or 1 */
};

/* Lets a cycle pass. At its end the words before `used` are removed from the buffer. */
static void fetch_cycle(const struct pmk_core *core, struct fetch *f, uint64_t used)
{
	uint64_t held = f->end - f->oldest + f->incoming;

	f->end += f->incoming;
	f->incoming = held < core->cortexm.fetch_words;
	f->oldest = used > f->oldest ? used : f->oldest;
}

/*
 * Returns for how many cycles the instruction waits until the buffer has all of it. Also lets the
 * instruction's own cycles pass. Only a folded IT has no cycles: it is executed in parallel with
 * the instruction before it (ACTLR.DISFOLD, DDI 0337 and DDI 0439), so it leaves the buffer
 * together with that instruction.
 */
static unsigned fetch_wait(const struct pmk_core *core, const struct pmk_insn *in, unsigned cycles,
			   struct fetch *f)
{
	uint64_t next = in->addr + in->size;
	unsigned wait = 0;

	if (!core->cortexm.fetch_words)
		return 0;
	while (f->end * 4 < next) {
		fetch_cycle(core, f, 0);
		wait++;
	}
	for (unsigned i = 0; i < cycles; i++)
		fetch_cycle(core, f, next / 4);
	if (next / 4 > f->oldest)
		f->oldest = next / 4;
	return wait;
}

/* Returns the state of the buffer after a branch to `in`. The buffer has this instruction, and the
 * next word arrives. */
static struct fetch fetch_begin(const struct pmk_insn *in)
{
	return (struct fetch){
		.oldest = in->addr / 4,
		.end = (in->addr + in->size + 3) / 4,
		.incoming = 1,
	};
}

/* True if an operand of this data processing is shifted: a register, or a constant of 8 bits. */
static bool has_shifted_operand(const struct pmk_insn *in)
{
	return pmk_cortexm_shifts_register(in) || in->kind & PMK_CORTEXM_SHIFTED;
}

/*
 * True if the instruction needs a result of the one before it at the beginning of its execution.
 * The value of a store and the addend of a multiplication are needed a cycle later.
 */
static bool needs_at_once(const struct pmk_insn *in, const struct pmk_insn *before)
{
	uint64_t needed = in->reads & before->writes;

	for (int r = 0; needed; r++, needed >>= 1) {
		bool stored = in->store && in->rd == r && !address_needs(in, (int8_t)r);

		if (needed & 1 && !stored && !pmk_cortexm_adds(in, (unsigned)r))
			return true;
	}
	return false;
}

/* Returns how many cycles the instruction waits for a result of the one before it. */
static unsigned result_wait(const struct pmk_core *core, const struct pmk_insn *in,
			    const struct pmk_insn *before)
{
	const struct pmk_core_cortexm *c = &core->cortexm;
	uint64_t wait = 0;

	if (before->load)
		wait = c->load_use;
	else if (pmk_cortexm_multiplies(before))
		wait = c->mul_wait;
	else if (has_shifted_operand(before))
		wait = c->shift_wait;
	return (unsigned)(wait && needs_at_once(in, before) ? wait : 0);
}

/*
 * Returns how many cycles longer an instruction takes because it sets flags. The flags of a 16-bit
 * MULS, and of an operation with a shifted constant, are known a cycle late.
 */
static unsigned flags_wait(const struct pmk_core *core, const struct pmk_insn *in)
{
	if (!in->sets_flags)
		return 0;
	if (in->iclass == PMK_I_MUL)
		return (unsigned)core->cortexm.mul_wait;
	return (unsigned)(in->kind & PMK_CORTEXM_SHIFTED ? core->cortexm.shift_wait : 0);
}

/* True if `in` is a 16-bit branch that is issued together with the 16-bit instruction before it. */
static bool is_folded_branch(const struct pmk_core *core, const struct pmk_insn *in,
			     const struct pmk_insn *before)
{
	return core->cortexm.fold_branch && before && in->flow == PMK_FLOW_JUMP && in->size == 2 &&
	       before->size == 2 && !(before->kind & PMK_CORTEXM_IT);
}

/* Adds the cycles of instruction `i`. */
static void add_cycles(const struct pmk_core *core, const struct pmk_insn *insn, size_t i,
		       struct fetch *fetch, struct pmk_block *b)
{
	const struct pmk_insn *in = &insn[i], *before = i ? &insn[i - 1] : NULL;
	unsigned lsu, cycles = pmk_cortexm_cycles(core, in, &lsu);

	/*
	 * A conditional access has one cycle here. Its other cycles are added when the access is
	 * made.
	 */
	if (in->conditional && is_access(in)) {
		cycles = 1;
		lsu = 0;
	}
	if (before && lsu && overlaps(core, in, before)) {
		cycles--;
		lsu--;
	}
	if (before && waits_for_address(in, before)) {
		cycles += (unsigned)core->cortexm.load_address;
		lsu += (unsigned)core->cortexm.load_address;
	}
	if (core->cortexm.fold_it && before && in->kind & PMK_CORTEXM_IT && before->size == 2) {
		cycles--;
		b->facts.n[PMK_CORTEXM_FACT_FOLDED_INSN]++;
	}
	if (before && is_fp(before) && is_fp(in) && in->reads & before->writes)
		cycles += (unsigned)core->cortexm.fp_wait;
	if (before)
		cycles += result_wait(core, in, before);
	cycles += flags_wait(core, in);
	if (is_folded_branch(core, in, before)) {
		cycles--;
		b->facts.n[PMK_CORTEXM_FACT_FOLDED_INSN]++;
	}
	cycles += fetch_wait(core, in, cycles, fetch);
	b->facts.n[PMK_CORTEXM_FACT_LSU_CYCLE] += (uint16_t)lsu;
	b->cycles += cycles;
}

static unsigned refill_of(const struct pmk_core *core, const struct pmk_insn *last)
{
	switch ((enum pmk_flow)last->flow) {
	case PMK_FLOW_NEXT:
	case PMK_FLOW_EXCEPTION:
		return 0;
	case PMK_FLOW_JUMP:
	case PMK_FLOW_CALL:
		return (unsigned)core->cortexm.refill;
	default:
		return (unsigned)(last->load ? core->cortexm.refill_memory
					     : core->cortexm.refill_indirect);
	}
}

/* Stores how control leaves the block. */
static void set_end(const struct pmk_core *core, const struct pmk_insn *last,
		    const struct pmk_insn *before, struct pmk_block *b)
{
	bool direct = last->flow == PMK_FLOW_JUMP || last->flow == PMK_FLOW_CALL;

	b->flow = last->flow;
	b->conditional = last->conditional;
	b->is_branch = last->is_branch;
	b->target = last->target;
	b->cortexm.fall =
		last->conditional || last->flow == PMK_FLOW_NEXT || last->flow == PMK_FLOW_EXCEPTION
			? b->fall
			: NOWHERE;
	b->cortexm.jump = direct ? last->target : NOWHERE;
	b->cortexm.taken = (uint16_t)refill_of(core, last);
	/* A folded branch that is taken takes a cycle more if it waits for the flags. */
	if (is_folded_branch(core, last, before) && last->conditional && before->sets_flags)
		b->cortexm.taken++;
	if (last->flow == PMK_FLOW_EXCEPTION)
		b->cortexm.leave = PMK_CORTEXM_SPECIAL;
	else if (last->flow != PMK_FLOW_NEXT && !direct)
		b->cortexm.leave = PMK_CORTEXM_INDIRECT;
}

void pmk_cortexm_build(const struct pmk_core *core, const struct pmk_insn *insn, size_t n,
		       struct pmk_pipe_slot *slots, struct pmk_block *b)
{
	const struct pmk_insn *last = &insn[n - 1];
	struct fetch fetch = fetch_begin(insn);
	unsigned lsu;

	*b = (struct pmk_block){
		.pc = insn[0].addr,
		.fall = last->addr + last->size,
		.end_addr = last->addr,
	};
	for (size_t i = 0; i < n; i++) {
		add_facts(&insn[i], &b->facts);
		slots[i] = (struct pmk_pipe_slot){
			.issue = (uint16_t)b->cycles,
			.use = is_alone(core, insn, i, n),
		};
		if (!core->cortexm.dual_issue)
			add_cycles(core, insn, i, &fetch, b);
	}
	pmk_cortexm_cycles(core, insn, &lsu);
	b->cortexm.starts = lsu && may_follow_load(core, insn) && !insn->conditional;
	b->cortexm.ends = may_precede(core, last) && !last->conditional;
	if (core->cortexm.dual_issue)
		pmk_cortexm_dual(core, insn, n, slots, b);
	set_end(core, last, n > 1 ? last - 1 : NULL, b);
	b->cortexm.fp = b->facts.n[PMK_CORTEXM_FACT_VFP] != 0;
	if (insn->size == 4 && insn->addr & 2)
		b->cortexm.unaligned = (uint8_t)core->cortexm.refill_unaligned;
}
