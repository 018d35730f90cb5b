// SPDX-License-Identifier: MIT
/*
 * The pipeline of an A64 core that issues two instructions at a time, in order, when every access
 * hits. It follows what is public about the Cortex-A53. Two instructions per cycle issue in program
 * order, and results are forwarded. There is one load-store unit, one multiplier, one divider and
 * one floating-point unit. A 128-bit operation must be the first of a cycle. Latencies of vector
 * operations are in costs.c, and latencies that are parameters are in keys.c. The others were
 * measured on boards (bench/instructions.tsv).
 *
 * The model leaves out other restrictions on pairing, pairs of the last instruction of a block and
 * the first one of the next block, a multiplication that keeps its unit busy beyond the end of a
 * block, and the store buffer. Of the points at which the ALU pipes forward early or late, it
 * includes only those for multiply-accumulate and for stored values.
 */
#include <string.h>

#include "cpu/a64/a64.h"
#include "cpu/a64/costs.h"

#define FLAGS PMK_NREGS /* place of NZCV among the registers; it is never late */
#define OPEN  UINT16_MAX

/*
 * Values of `writer` that are not the number of an instruction. CALLERS: the register has its value
 * from before the block. BASE: the register is a base that was written back, which is ready before
 * the access is done.
 */
enum { CALLERS = -1, BASE = -2 };

enum unit { ALU, SHIFTER, LOAD_STORE, MULTIPLY, DIVIDE, BRANCH, FP, AES, NUNITS };

struct cost {
	uint8_t unit;
	uint16_t latency; /* cycles from issue until a dependent instruction can issue */
	uint16_t busy;	  /* cycles in which the unit accepts no other instruction */
	uint16_t early;	  /* cycles saved by an instruction that adds to the result */
};

struct scoreboard {
	uint32_t cycle;	 /* cycle of the last issue */
	unsigned issued; /* instructions issued in that cycle */
	uint32_t free_at[NUNITS];
	uint32_t ready[PMK_NREGS + 1];
	uint32_t sum_ready[PMK_NREGS + 1]; /* when each register is ready as an accumulator */
	/* the instruction of this block that wrote the register, or CALLERS or BASE */
	int16_t writer[PMK_NREGS + 1];
};

static bool is_pair(const struct pmk_insn *in)
{
	return in->iclass == PMK_I_LOAD && in->rd2 != PMK_NO_REG;
}

/*
 * In A64 code, loads take 8 bytes a cycle. In AArch32 state they take 16 bytes a cycle, and their
 * costs are those of GCC's descriptions.
 */
static struct cost load(const struct pmk_core *core, const struct pmk_insn *in)
{
	unsigned width = pmk_a64_is_a64(core) ? 8 : 16;
	unsigned beats = in->mem_total > width ? (in->mem_total + width - 1u) / width : 1;
	unsigned first = in->kind & PMK_K_VECTOR_MEM && !pmk_a64_is_a64(core) ? 4 : 3;

	/* Sign-extended values, and second values of pairs, come a cycle later. */
	first += in->vector == PMK_V_EXTENDED;
	first += pmk_a64_is_a64(core) && is_pair(in) && beats == 1;
	return (struct cost){ LOAD_STORE, (uint16_t)(first + beats - 1), (uint16_t)beats, 0 };
}

static struct cost store(const struct pmk_insn *in)
{
	unsigned beats = in->mem_total > 16 ? (in->mem_total + 15u) / 16 : 1;

	return (struct cost){ LOAD_STORE, (uint16_t)beats, (uint16_t)beats, 0 };
}

bool pmk_a64_is_round(const struct pmk_insn *insn, size_t n, size_t i)
{
	if (insn[i].vector == PMK_V_AES_MIX)
		return i && insn[i - 1].vector == PMK_V_AES && insn[i].rn == insn[i - 1].rd &&
		       insn[i].rd == insn[i].rn;
	return insn[i].vector == PMK_V_AES && i + 1 < n && insn[i + 1].vector == PMK_V_AES_MIX &&
	       pmk_a64_is_round(insn, n, i + 1);
}

/* Returns the cost of a division. Vector divisions, with any number of elements, take as long as a
 * scalar one (LLVM). */
static struct cost divide(const struct pmk_core *core, bool wide)
{
	unsigned cycles = pmk_a64_fp_div(core, wide);

	unsigned end = pmk_a64_is_a64(core) ? 3 : 4;

	return (struct cost){ FP, (uint16_t)cycles, (uint16_t)(cycles > end ? cycles - end : 1),
			      0 };
}

static struct cost root(const struct pmk_core *core, bool wide)
{
	if (!pmk_a64_is_a64(core))
		return (struct cost){ FP, wide ? 32 : 17, wide ? 28 : 13, 0 };
	return (struct cost){ FP, wide ? 22 : 12, wide ? 19 : 9, 0 };
}

static struct cost vector(const struct pmk_core *core, const struct pmk_insn *in)
{
	enum pmk_vector op = pmk_a64_operation(in);
	const struct pmk_a64_ordered *row = &pmk_a64_ordered[op];
	unsigned latency = row->latency, busy = in->quad ? row->busy_quad : row->busy;
	unsigned mac = pmk_a64_fp_mac(core), add = (unsigned)core->a64.fp_add, early = 0;
	/* In AArch32 the operation is not known: one begins in each cycle (LLVM, GCC). */
	bool unknown = in->vector == PMK_V_PLAIN;

	switch (op) {
	case PMK_V_DIVIDE:
		return divide(core, in->wide || in->mem_bytes == 8);
	case PMK_V_ROOT:
		return root(core, in->wide || in->mem_bytes == 8);
	case PMK_V_F_ADD:
		latency = add;
		break;
	case PMK_V_F_MUL:
		latency = (unsigned)core->a64.fp_mul;
		break;
	case PMK_V_F_MAC:
	case PMK_V_F_MAC_ELEMENT:
		/* A sum that is added to the product is needed only when the addition begins. */
		early = mac > add ? mac - add : 0;
		latency = mac;
		break;
	case PMK_V_F_STEP:
		latency = mac;
		break;
	default:
		early = row->sum && in->ra != PMK_NO_REG ? row->latency - row->sum : 0;
		break;
	}
	return (struct cost){ FP, (uint16_t)latency, (uint16_t)(unknown ? 1 : busy),
			      (uint16_t)early };
}

/*
 * Returns the cost of a multiplication. On a board, a product of 32-bit factors takes a cycle less
 * than one of 64-bit factors, and the high half of a product two cycles more. GCC's descriptions of
 * cores that have only AArch32 do not distinguish these products.
 */
static struct cost multiply(const struct pmk_core *core, const struct pmk_insn *in)
{
	unsigned latency = pmk_a64_mul_latency(core), early = 0;

	if (pmk_a64_is_a64(core))
		latency = in->iclass == PMK_I_MMUL ? latency + 2
						   : latency - (!in->wide && latency > 1);
	if (in->iclass == PMK_I_MLA || in->iclass == PMK_I_MLAL)
		early = latency > 2 ? 2 : latency - 1;
	return (struct cost){ MULTIPLY, (uint16_t)latency,
			      in->iclass == PMK_I_MMUL && in->wide ? 4
			      : in->wide			   ? (uint16_t)core->a64.mul_wide
								   : 1,
			      (uint16_t)early };
}

static struct cost cost_of(const struct pmk_core *core, const struct pmk_insn *in)
{
	switch ((enum pmk_iclass)in->iclass) {
	case PMK_I_LOAD:
	case PMK_I_LOADM:
	case PMK_I_ATOMIC:
		return load(core, in);
	case PMK_I_STORE:
	case PMK_I_STOREM:
	case PMK_I_SWAP:
	case PMK_I_PRELOAD:
		return store(in);
	case PMK_I_ALU_SHIFT:
		return (struct cost){ ALU, 2, 1, 0 };
	case PMK_I_ALU_RSHIFT:
		/*
		 * In A64, only LSLV and similar instructions have no Rn. In A32, this class is an
		 * operation with a shifted operand.
		 */
		return in->rn == PMK_NO_REG && pmk_a64_is_a64(core)
			       ? (struct cost){ SHIFTER, 1, 1, 0 }
			       : (struct cost){ ALU, 2, 1, 0 };
	case PMK_I_MUL:
	case PMK_I_MLA:
	case PMK_I_MULL:
	case PMK_I_MLAL:
	case PMK_I_MUL16:
	case PMK_I_MLAL16:
	case PMK_I_MMUL:
		if (in->vector == PMK_V_CRC)
			return (struct cost){ ALU, 2, 1, 0 };
		return multiply(core, in);
	case PMK_I_DIV:
		return (struct cost){ DIVIDE, (uint16_t)core->a64.div_latency,
				      (uint16_t)core->a64.div_latency, 0 };
	case PMK_I_BRANCH:
		return (struct cost){ BRANCH, 1, 1, 0 };
	case PMK_I_FP_MOVE:
		if (in->vector == PMK_V_PLAIN)
			return (struct cost){ FP, 4, 1, 0 };
		/* fall through */
	case PMK_I_SIMD_FP:
	case PMK_I_FP_ADD:
	case PMK_I_FP_MUL:
	case PMK_I_FP_MAC:
	case PMK_I_FP_DIV:
	case PMK_I_FP_SQRT:
	case PMK_I_CRYPTO:
	case PMK_I_SIMD:
	case PMK_I_FP:
		return vector(core, in);
	case PMK_I_ALU:
		return (struct cost){ ALU, in->vector == PMK_V_REVERSE ? 2 : 1, 1, 0 };
	case PMK_I_OTHER:
	case PMK_I_BARREL: /* this class and the next four are MicroBlaze's */
	case PMK_I_FP_COMPARE:
	case PMK_I_FP_TO_INT:
	case PMK_I_FP_FROM_INT:
	case PMK_I_CACHE_OP:
		break;
	}
	return (struct cost){ ALU, 1, 1, 0 };
}

/* Returns the place of a unit that an instruction may keep busy beyond the end of the block;
 * otherwise -1. */
static int place_of(uint8_t unit)
{
	return unit == FP	    ? PMK_A64_FP
	       : unit == DIVIDE	    ? PMK_A64_DIVIDER
	       : unit == LOAD_STORE ? PMK_A64_LOAD_STORE
				    : -1;
}

/* True if the instruction needs the register only as an accumulator. */
static bool accumulates(const struct pmk_insn *in, const struct cost *c, int reg)
{
	return c->early && reg == in->ra && reg != in->rn && reg != in->rm;
}

static bool addresses(const struct pmk_insn *in, int reg)
{
	return (in->load || in->store) && (reg == in->rn || reg == in->rm);
}

/* Returns how many cycles after its issue a store needs the value of a register. On a board, a load
 * directly after a store to the same address has the value after 3 cycles, or after 5 if the store
 * was that of a pair or of a 128-bit vector. */
static unsigned late_value(const struct pmk_core *core, const struct pmk_insn *in, int reg)
{
	if (!in->store || in->load || addresses(in, reg) || !pmk_a64_is_a64(core))
		return 0;
	return in->rd2 == PMK_NO_REG && !(in->kind & PMK_K_VECTOR_MEM);
}

/* Returns the kind of the instruction that waits for `reg`. PMK_NO_REG: it waits for its unit. */
static enum pmk_a64_waiter waiter(const struct pmk_insn *in, uint8_t unit, int reg)
{
	return reg != PMK_NO_REG && addresses(in, reg) ? PMK_A64_WAITS_ADDRESS
	       : unit == FP			       ? PMK_A64_WAITS_SIMD
						       : PMK_A64_WAITS;
}

/* Returns when an instruction can use the flags. A branch issues together with the instruction that
 * sets them: on a board, ADDS with a B.EQ that is taken takes as long as B alone. */
static uint32_t flags_ready(const struct pmk_core *core, const struct scoreboard *sb,
			    const struct pmk_insn *in)
{
	uint32_t at = sb->ready[FLAGS];

	return at && in->iclass == PMK_I_BRANCH && pmk_a64_is_a64(core) ? at - 1 : at;
}

/* Returns when all operands are available. Sets *last to the operand that comes last. */
static uint32_t operands_ready(const struct pmk_core *core, const struct scoreboard *sb,
			       const struct pmk_insn *in, const struct cost *c, int *last)
{
	uint32_t at = 0;

	*last = PMK_NO_REG;
	for (uint64_t rest = in->reads; rest; rest &= rest - 1) {
		unsigned r = (unsigned)__builtin_ctzll(rest);
		uint32_t t = accumulates(in, c, (int)r) ? sb->sum_ready[r] : sb->ready[r];
		unsigned late = late_value(core, in, (int)r);

		t = t > late ? t - late : 0;
		if (t > at || (t == at && addresses(in, (int)r))) {
			at = t;
			*last = (int)r;
		}
	}
	if (in->reads_flags && flags_ready(core, sb, in) > at) {
		at = flags_ready(core, sb, in);
		*last = PMK_NO_REG;
	}
	return at;
}

static void lower(uint8_t *need, uint32_t issue)
{
	if (issue < *need)
		*need = (uint8_t)issue;
	else if (*need == PMK_PIPE_FAR)
		*need = PMK_PIPE_FAR - 1;
}

static void note_waiter(struct pmk_a64_timing *out, unsigned reg, enum pmk_a64_waiter who)
{
	out->address |= (uint64_t)(who == PMK_A64_WAITS_ADDRESS) << reg;
	out->simd |= (uint64_t)(who == PMK_A64_WAITS_SIMD) << reg;
}

/* Notes when the instruction needs results of earlier instructions of the block (slots[].use), and
 * registers from before the block (need[]). */
static void note_needs(const struct pmk_core *core, const struct scoreboard *sb,
		       const struct pmk_insn *in, const struct cost *c, uint32_t issue,
		       struct pmk_pipe_slot *slots, struct pmk_a64_timing *out)
{
	uint64_t reads = in->reads;
	unsigned late;

	for (unsigned r = 0; r <= FLAGS; r++) {
		if (r == FLAGS ? !in->reads_flags : !(reads >> r & 1))
			continue;
		late = r == FLAGS ? 0 : late_value(core, in, (int)r);
		if (sb->writer[r] >= 0) {
			struct pmk_pipe_slot *s = &slots[sb->writer[r]];

			if (s->use == OPEN || s->use > issue + late - s->issue)
				s->use = (uint16_t)(issue + late - s->issue);
		} else if (sb->writer[r] == CALLERS && r != FLAGS) {
			if (out->need[r] == PMK_PIPE_FAR)
				note_waiter(out, r, waiter(in, c->unit, (int)r));
			lower(&out->need[r], issue + late);
			lower(&out->need_sum[r],
			      issue + late + (accumulates(in, c, (int)r) ? c->early : 0u));
		}
	}
}

static void write_result(struct scoreboard *sb, unsigned r, uint32_t at, uint32_t sum_at, int index)
{
	sb->ready[r] = at;
	sb->sum_ready[r] = sum_at;
	sb->writer[r] = (int16_t)index;
}

static void note_results(const struct pmk_core *core, struct scoreboard *sb,
			 const struct pmk_insn *in, const struct cost *c, uint32_t issue, int index)
{
	for (uint64_t rest = in->writes; rest; rest &= rest - 1) {
		unsigned r = (unsigned)__builtin_ctzll(rest);
		bool base = in->writeback && (int)r == in->rn && (int)r != in->rd;
		uint32_t at = issue + (base ? 1u : c->latency);

		/* The first register of a pair is ready a cycle before the second one. */
		at -= pmk_a64_is_a64(core) && is_pair(in) && (int)r == in->rd;
		write_result(sb, r, at, at - c->early, base ? BASE : index);
	}
	if (in->sets_flags)
		write_result(sb, FLAGS, issue + 1, issue + 1, index);
}

/* Count cycles without an issue, by what the instruction waits for: an operand, or its unit. */
static void count_stall(struct pmk_a64_timing *out, uint32_t cycles, enum pmk_a64_waiter who)
{
	out->data_stall += cycles;
	out->address_stall += who == PMK_A64_WAITS_ADDRESS ? cycles : 0;
	out->simd_stall += who == PMK_A64_WAITS_SIMD ? cycles : 0;
}

/* True if the second issue slot of a Cortex-A7 can execute the instruction, as GCC describes this
 * core. Some of the other instructions take both slots: see needs_both(). */
static bool is_simple(const struct pmk_insn *in)
{
	return in->iclass == PMK_I_BRANCH ||
	       (in->iclass == PMK_I_ALU && (in->rn == PMK_NO_REG || in->rm == PMK_NO_REG));
}

static bool is_simd(const struct pmk_insn *in)
{
	return in->iclass == PMK_I_SIMD || in->iclass == PMK_I_SIMD_FP;
}

/* True if the instruction takes both issue slots of a cycle. In A64 code, a load of more than 8
 * bytes into vector registers does (GCC). */
static bool needs_both(const struct pmk_core *core, const struct pmk_insn *in, uint8_t unit)
{
	if (core->a64.simple_second)
		return unit == MULTIPLY || unit == DIVIDE || is_simd(in) ||
		       in->iclass == PMK_I_CRYPTO || in->mem_total > 4;
	return pmk_a64_is_a64(core) && in->load && in->kind & PMK_K_VECTOR_MEM && in->mem_total > 8;
}

/* True if the instruction must take the first issue slot of a cycle. According to GCC, 128-bit
 * vector operations do. */
static bool needs_first(const struct pmk_core *core, const struct pmk_insn *in,
			const struct cost *c)
{
	if (core->a64.simple_second)
		return !is_simple(in);
	return c->unit == AES || (in->quad && is_simd(in) && c->busy) ||
	       needs_both(core, in, c->unit);
}

/*
 * Returns the cost of half a round of AES. Both halves issue in one cycle (GCC), and an instruction
 * that needs the result issues two cycles later. So the 10 rounds of AES-128 take 21 cycles, as in
 * OpenSSL's measurement (1.32 cycles a byte).
 */
static struct cost half_round(const struct pmk_insn *in)
{
	return in->vector == PMK_V_AES ? (struct cost){ AES, 0, 1, 0 }
				       : (struct cost){ FP, 2, 0, 0 };
}

static void issue_one(const struct pmk_core *core, struct scoreboard *sb, const struct pmk_insn *in,
		      struct cost c, int index, struct pmk_pipe_slot *slots,
		      struct pmk_a64_timing *out)
{
	int last, place = place_of(c.unit);
	uint32_t issue = sb->cycle, wanted = operands_ready(core, sb, in, &c, &last);

	if (sb->issued >= core->a64.issue_width || (sb->issued && needs_first(core, in, &c)))
		issue++;
	if (wanted > issue)
		issue = wanted;
	if (sb->free_at[c.unit] > issue) {
		issue = sb->free_at[c.unit];
		last = PMK_NO_REG;
	}
	if (issue != sb->cycle) {
		count_stall(out, issue - sb->cycle - 1, waiter(in, c.unit, last));
		sb->issued = 0;
	}
	sb->cycle = issue;
	sb->issued =
		needs_both(core, in, c.unit) ? (unsigned)core->a64.issue_width : sb->issued + 1;
	/* Two simple integer instructions may issue together. So may two 64-bit instructions of FP,
	 * which have `busy` 0. Every other unit exists once. */
	if (c.unit != ALU)
		sb->free_at[c.unit] = issue + c.busy;
	if (place >= 0)
		lower(&out->need[place], issue);
	slots[index] = (struct pmk_pipe_slot){ .issue = (uint16_t)issue, .use = OPEN };
	note_needs(core, sb, in, &c, issue, slots, out);
	note_results(core, sb, in, &c, issue, index);
}

/*
 * For each load whose value no instruction in the block needs, notes the registers that still have
 * the value at the end of the block. If the load hits, the next block waits for the rest of its
 * latency.
 */
static void note_open(const struct scoreboard *sb, const struct pmk_insn *insn, size_t n,
		      struct pmk_pipe_slot *slots)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t regs = 0;

		if (slots[i].use < PMK_A64_OPEN)
			continue;
		for (uint64_t rest = insn[i].writes; rest; rest &= rest - 1) {
			unsigned r = (unsigned)__builtin_ctzll(rest);

			regs |= (uint64_t)(sb->writer[r] == (int16_t)i) << r;
		}
		slots[i].use = (uint16_t)pmk_a64_open(&insn[i], insn[i].load ? regs : 0);
	}
}

static uint8_t residue(uint32_t ready, uint32_t end)
{
	uint32_t late = ready > end ? ready - end : 0;

	return (uint8_t)(late < PMK_PIPE_FAR ? late : PMK_PIPE_FAR - 1);
}

/*
 * Returns the cycles without instructions after a branch that is always taken. Part of them is
 * hidden if the instructions before the branch are still waiting to issue: the core fetches
 * `fetch.bytes` a cycle while the block issues, and the branch is known one cycle after it was
 * fetched.
 */
static uint32_t shadow(const struct pmk_core *core, const struct pmk_insn *insn, size_t n,
		       uint32_t issues)
{
	const struct pmk_insn *last = &insn[n - 1];
	bool indirect = last->flow == PMK_FLOW_INDIRECT || last->flow == PMK_FLOW_INDCALL;
	uint32_t fetches =
		(uint32_t)((n * last->size + core->a64.fetch_bytes - 1) / core->a64.fetch_bytes);
	uint32_t cycles = (uint32_t)(core->a64.taken + (indirect ? core->a64.indirect : 0));
	uint32_t hidden = issues > fetches + 1 ? issues - fetches - 1 : 0;

	if (!core->bp.on || !last->is_branch || last->conditional)
		return 0;
	return cycles > hidden ? cycles - hidden : 0;
}

void pmk_a64_time(const struct pmk_core *core, const struct pmk_insn *insn, size_t n,
		  struct pmk_pipe_slot *slots, struct pmk_a64_timing *out)
{
	struct scoreboard sb = { 0 };

	*out = (struct pmk_a64_timing){ 0 };
	memset(out->need, PMK_PIPE_FAR, sizeof(out->need));
	memset(out->need_sum, PMK_PIPE_FAR, sizeof(out->need_sum));
	for (unsigned r = 0; r <= FLAGS; r++)
		sb.writer[r] = CALLERS;
	for (size_t i = 0; i < n; i++) {
		issue_one(core, &sb, &insn[i],
			  pmk_a64_is_round(insn, n, i) ? half_round(&insn[i])
						       : cost_of(core, &insn[i]),
			  (int)i, slots, out);
		out->writes |= insn[i].writes;
	}
	out->fetch_stall = n ? shadow(core, insn, n, sb.cycle + 1) : 0;
	out->cycles = sb.cycle + 1 + out->fetch_stall;
	note_open(&sb, insn, n, slots);
	for (unsigned r = 0; r < PMK_NREGS; r++) {
		out->residue[r] = residue(sb.ready[r], out->cycles);
		out->sums |= (uint64_t)(sb.sum_ready[r] < sb.ready[r]) << r;
	}
	for (unsigned unit = 0; unit < NUNITS; unit++)
		if (place_of((uint8_t)unit) >= 0)
			out->residue[place_of((uint8_t)unit)] =
				residue(sb.free_at[unit], out->cycles);
}
