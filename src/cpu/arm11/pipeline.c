// SPDX-License-Identifier: MIT
/*
 * Pipeline timing of a sequence of instructions: ARM1176JZF-S TRM, DDI 0301H, chapter 16.
 *
 * An instruction issues when the one before has issued its last cycle, when its operands arrive
 * and, if it accesses memory, when the load/store unit has finished the cycles of the last access.
 * The last wait is structural: it costs cycles but is no data stall.
 *
 * Our choices: conditional instructions are timed as if they pass. Addresses are aligned: singles
 * to their size, multiples and doubles to 8 bytes. Floating point is not timed: one cycle, result
 * in the next. Media and saturating arithmetic is timed as data processing, coprocessor and status
 * transfers as one cycle. A branch costs nothing here, and any other instruction that writes the PC
 * costs its issue cycles; the branch model adds the rest.
 *
 * The summary of a sequence gives the exact cycles of two sequences after each other, with three
 * exceptions. An accumulator that is forwarded over the boundary comes a cycle too late. A base
 * that the last instruction writes back comes a cycle too early if the next one needs it early for
 * anything but an address. Registers that a store multiple has not yet read are not locked beyond
 * the end. What a third sequence would wait for in the first is not carried through the second.
 */
#include "cpu/arm11/pipeline.h"
#include "cpu/block.h"

#include <stdbool.h>

#define NEVER (-0x40000000)
#define OPEN  UINT16_MAX

/*
 * When something happens. `at`: cycles from the start of the sequence if everything is available
 * there. `after[e]`: cycles after entry e (a register, or the LSU port) becomes available; NEVER:
 * it does not depend on e. The real time is the latest of these. Keeping all entries costs less
 * than timing the sequence once for each register.
 */
struct moment {
	int32_t at;
	int32_t after[PMK_PIPE_REGS];
};

struct scoreboard {
	struct moment next;		    /* earliest issue of the next instruction */
	struct moment port;		    /* the LSU takes the next access */
	struct moment ready[PMK_PIPE_REGS]; /* for normal use */
	struct moment lock[PMK_PIPE_REGS];  /* may be written again */
	int8_t as_base[PMK_PIPE_REGS];	    /* cycles after `ready`, as base of an access */
	int8_t as_sum[PMK_PIPE_REGS];	    /* the same as accumulator of a multiply */
	int32_t producer[PMK_PIPE_REGS];    /* index of the instruction, -1 = before the sequence */
};

/* Roles of registers in struct pmk_insn. */
enum {
	RN = 1 << 0,
	RM = 1 << 1,
	RS = 1 << 2,
	RA = 1 << 3,
	RDLO = 1 << 4, /* rd as accumulator */
	RDHI = 1 << 5, /* rd2 as accumulator */
};

struct timing {
	uint8_t cycles;	     /* issue cycles */
	uint8_t flag_cycles; /* the same if the flags are set */
	uint8_t latency;     /* of rd */
	uint8_t latency_hi;  /* of rd2 */
	uint8_t memory;	     /* cycles in the LSU; multiples: see memory_cycles() */
	uint8_t early, late; /* roles needed a cycle earlier or later than normal */
	bool sum;	     /* a multiply: forwards to accumulators one cycle early, 16.7 */
};

/* clang-format off */
static const struct timing timing[] = {
	/*                     cyc flg lat hi mem early    late  */
	[PMK_I_OTHER]      = { 1, 1, 1, 1, 0, 0,       0,    false }, /* our choice */
	[PMK_I_ALU]        = { 1, 1, 1, 1, 0, 0,       0,    false }, /* table 16-4 */
	[PMK_I_ALU_SHIFT]  = { 1, 1, 1, 1, 0, RM,      0,    false }, /* table 16-4 */
	[PMK_I_ALU_RSHIFT] = { 2, 2, 2, 2, 0, RS,      RN,   false }, /* table 16-4 */
	[PMK_I_MUL]        = { 2, 5, 4, 4, 0, RM | RS, 0,    true },  /* table 16-10 */
	[PMK_I_MLA]        = { 2, 5, 4, 4, 0, RM | RS, RA,   true },  /* table 16-10 */
	[PMK_I_MULL]       = { 3, 6, 4, 5, 0, RM | RS, 0,    true },  /* table 16-10 */
	[PMK_I_MLAL]       = { 3, 6, 4, 5, 0, RM | RS, RDLO, true },  /* table 16-10 */
	[PMK_I_MUL16]      = { 1, 1, 3, 3, 0, RM | RS, 0,    true },  /* tables 16-8, 16-10 */
	[PMK_I_MLAL16]     = { 2, 2, 3, 4, 0, RM | RS, RDHI, true },  /* table 16-10 */
	[PMK_I_MMUL]       = { 2, 2, 4, 4, 0, RM | RS, RA,   true },  /* table 16-10 */
	/* 16.10, tables 16-16, 16-21 */
	[PMK_I_LOAD]       = { 1, 1, 3, 3, 1, RN | RM, 0,    false },
	[PMK_I_STORE]      = { 1, 1, 3, 3, 1, RN | RM, 0,    false }, /* rd: STREX, table 16-21 */
	[PMK_I_LOADM]      = { 1, 1, 3, 3, 0, RN,      0,    false }, /* table 16-18 */
	[PMK_I_STOREM]     = { 1, 1, 1, 1, 0, RN,      0,    false }, /* table 16-18 */
	[PMK_I_SWAP]       = { 2, 2, 3, 3, 2, RN,      0,    false }, /* table 16-21 */
	[PMK_I_PRELOAD]    = { 1, 1, 1, 1, 1, RN | RM, 0,    false }, /* as a load, 16.10 */
	/* added by the branch model */
	[PMK_I_BRANCH]     = { 0, 0, 0, 0, 0, 0,       0,    false },
	[PMK_I_FP]         = { 1, 1, 1, 1, 0, 0,       0,    false }, /* not timed */
};
/* clang-format on */

/* ---- moments -------------------------------------------------------------------------------- */

/* to = the later of itself and `from` + `cycles`. */
static void wait_for(struct moment *to, const struct moment *from, int32_t cycles)
{
	if (to->at < from->at + cycles)
		to->at = from->at + cycles;
	for (unsigned e = 0; e < PMK_PIPE_REGS; e++) {
		int32_t after = from->after[e] + cycles;

		to->after[e] = to->after[e] > after ? to->after[e] : after;
	}
}

static struct moment later_by(const struct moment *from, int32_t cycles)
{
	struct moment to = *from;

	to.at += cycles;
	for (unsigned e = 0; e < PMK_PIPE_REGS; e++)
		to.after[e] += cycles;
	return to;
}

static void start(struct scoreboard *sb)
{
	struct moment never = { .at = NEVER };

	for (unsigned e = 0; e < PMK_PIPE_REGS; e++)
		never.after[e] = NEVER;
	for (unsigned r = 0; r < PMK_PIPE_REGS; r++) {
		sb->ready[r] = never;
		sb->ready[r].after[r] = r == PMK_PIPE_PORT ? NEVER : 0;
		sb->lock[r] = never;
		sb->as_base[r] = 1;
		sb->as_sum[r] = 0;
		sb->producer[r] = -1;
	}
	sb->port = never;
	sb->port.after[PMK_PIPE_PORT] = 0;
	sb->next = never;
	sb->next.at = 0;
}

/* ---- operands ------------------------------------------------------------------------------- */

struct operand {
	uint8_t reg;
	int8_t wait; /* cycles the instruction issues after `ready` */
};

static bool is_memory(const struct pmk_insn *in)
{
	return in->iclass >= PMK_I_LOAD && in->iclass <= PMK_I_PRELOAD;
}

static struct timing timing_of(const struct pmk_insn *in)
{
	struct timing t = timing[in->iclass];

	if (in->slow_address) { /* 16.10, 16.11: only the offset is early */
		t.cycles++;
		t.latency++;
		t.latency_hi++;
		t.memory++;
		t.early = RM;
	}
	if (in->exclusive)
		t.early = RN; /* rm is the value */
	return t;
}

static unsigned add_operand(const struct scoreboard *sb, const struct pmk_insn *in,
			    const struct timing *t, int reg, unsigned role, struct operand *op,
			    unsigned n)
{
	int wait = (t->early & role) ? 1 : (t->late & role) ? -1 : 0;

	if (reg < 0 || !(in->reads >> reg & 1))
		return n;
	if ((role & (RA | RDLO | RDHI)) && t->sum)
		wait += sb->as_sum[reg];
	if (role == RN && wait == 1 && is_memory(in))
		wait = sb->as_base[reg];
	op[n] = (struct operand){ .reg = (uint8_t)reg, .wait = (int8_t)wait };
	return n + 1;
}

/* All operands with the cycle they are needed in. A register in two roles is listed twice. */
static unsigned operands(const struct scoreboard *sb, const struct pmk_insn *in,
			 const struct timing *t, struct operand *op)
{
	uint64_t rest = in->reads;
	unsigned n = 0;

	n = add_operand(sb, in, t, in->rn, RN, op, n);
	n = add_operand(sb, in, t, in->rm, RM, op, n);
	n = add_operand(sb, in, t, in->rs, RS, op, n);
	n = add_operand(sb, in, t, in->ra, RA, op, n);
	if (in->iclass == PMK_I_MLAL || in->iclass == PMK_I_MLAL16) {
		n = add_operand(sb, in, t, in->rd, RDLO, op, n);
		n = add_operand(sb, in, t, in->rd2, RDHI, op, n);
	}
	/* Registers without a role are needed at the normal time: values to store, coprocessor
	 * operands. A base that is stored as well is in the list already. */
	for (unsigned i = 0; i < n; i++)
		rest &= ~(1u << op[i].reg);
	/* A load multiple begins only when the registers it will write are available, 16.12. */
	if (in->iclass == PMK_I_LOADM)
		rest |= in->list & ~(1u << PMK_PIPE_PORT);
	for (unsigned r = 0; r < PMK_PIPE_PORT; r++)
		if (rest >> r & 1)
			op[n++] = (struct operand){ .reg = (uint8_t)r };
	return n;
}

/* ---- results -------------------------------------------------------------------------------- */

static void produce(struct scoreboard *sb, int reg, const struct moment *issue, unsigned latency,
		    bool sum, int32_t producer)
{
	if (reg < 0 || reg >= PMK_PIPE_PORT)
		return;
	sb->ready[reg] = later_by(issue, (int32_t)latency);
	sb->as_base[reg] = 1;
	sb->as_sum[reg] = sum ? -1 : 0;
	sb->producer[reg] = producer;
}

/* Table 16-18, with the first address aligned to 8 bytes: two registers a cycle. A PC in the list
 * comes first and makes all others a cycle later; we take the table to mean that it has its own
 * cycle. */
static unsigned memory_cycles(const struct pmk_insn *in, const struct timing *t)
{
	unsigned pc = in->list >> PMK_PIPE_PORT;

	if (in->iclass != PMK_I_LOADM && in->iclass != PMK_I_STOREM)
		return t->memory;
	return (in->mem_count - pc + 1) / 2 + pc;
}

static void load_list(struct scoreboard *sb, const struct pmk_insn *in, const struct moment *issue,
		      int32_t index)
{
	unsigned i = 0, pc = in->list >> PMK_PIPE_PORT;

	for (int r = 0; r < PMK_PIPE_PORT; r++)
		if (in->list >> r & 1)
			produce(sb, r, issue, 3 + pc + i++ / 2, false, index);
}

/* Stored registers are read late and locked until then, tables 16-16 (STRD) and 16-18. */
static void lock_stored(struct scoreboard *sb, const struct pmk_insn *in,
			const struct moment *issue)
{
	int32_t i = 0;

	if (in->iclass == PMK_I_STORE && in->mem_count == 2) {
		sb->lock[in->rd] = later_by(issue, 1 + in->slow_address);
		sb->lock[in->rd2] = later_by(issue, 2 + in->slow_address);
	}
	if (in->iclass != PMK_I_STOREM)
		return;
	for (unsigned r = 0; r < PMK_PIPE_PORT; r++)
		if (in->list >> r & 1)
			sb->lock[r] = later_by(issue, 1 + (i++ + 1) / 2);
}

static void results(struct scoreboard *sb, const struct pmk_insn *in, const struct timing *t,
		    const struct moment *issue, int32_t index)
{
	uint64_t rest = in->writes;

	if (in->iclass == PMK_I_LOADM) {
		load_list(sb, in, issue, index);
		rest &= ~(uint32_t)in->list;
	}
	lock_stored(sb, in, issue);
	if (in->rd >= 0 && (rest >> in->rd & 1)) {
		produce(sb, in->rd, issue, t->latency, t->sum, index);
		rest &= ~(1u << in->rd);
	}
	if (in->rd2 >= 0 && (rest >> in->rd2 & 1)) {
		produce(sb, in->rd2, issue, t->latency_hi, t->sum, index);
		rest &= ~(1u << in->rd2);
	}
	if (in->writeback && (rest >> in->rn & 1)) {
		/* Latency one, and none to the base of the next access, 16.10 and 16.11. */
		produce(sb, in->rn, issue, 1, false, -1);
		sb->as_base[in->rn] = 0;
	}
}

/* ---- a sequence ----------------------------------------------------------------------------- */

/* Note the first instruction that needs a result of slots[producer]: its use. */
static void note_uses(const struct scoreboard *sb, const struct operand *op, unsigned n,
		      int32_t issue, struct pmk_pipe_slot *slots)
{
	for (unsigned i = 0; i < n; i++) {
		int32_t p = sb->producer[op[i].reg];
		int32_t use;

		if (p < 0)
			continue;
		use = issue - op[i].wait - slots[p].issue;
		if (use >= 0 && use < slots[p].use && use < (int32_t)PMK_PIPE_OPEN)
			slots[p].use = (uint16_t)use;
	}
}

/* Issues one instruction; returns the cycles it waited for operands. */
static int32_t issue_one(struct scoreboard *sb, const struct pmk_insn *in, int32_t index,
			 struct pmk_pipe_slot *slots)
{
	struct timing t = timing_of(in);
	struct operand op[6 + PMK_PIPE_REGS];
	unsigned n = operands(sb, in, &t, op);
	struct moment issue = sb->next;
	int32_t stall;

	for (unsigned i = 0; i < n; i++)
		wait_for(&issue, &sb->ready[op[i].reg], op[i].wait);
	for (unsigned r = 0; r < PMK_PIPE_PORT; r++)
		if (in->writes >> r & 1)
			wait_for(&issue, &sb->lock[r], 0);
	stall = issue.at - sb->next.at;
	if (is_memory(in))
		wait_for(&issue, &sb->port, 0);
	slots[index] = (struct pmk_pipe_slot){ .issue = (uint16_t)issue.at, .use = OPEN };
	note_uses(sb, op, n, issue.at, slots);
	results(sb, in, &t, &issue, index);
	if (is_memory(in))
		sb->port = later_by(&issue, (int32_t)memory_cycles(in, &t));
	sb->next = later_by(&issue, in->sets_flags ? t.flag_cycles : t.cycles);
	return stall;
}

static uint8_t clamp(int32_t cycles, uint8_t most)
{
	return (uint8_t)(cycles < 0 ? 0 : cycles < most ? cycles : most);
}

/* Summarise the beginning and the end of a sequence. An entry that comes late moves the end only if
 * it is on the longest path; a wait during another one costs nothing. A base that was written back
 * last is available as a base at once, and is taken to be used as one. */
static void summarise(const struct scoreboard *sb, struct pmk_pipe_block *out)
{
	int32_t end = sb->next.at;

	for (unsigned r = 0; r < PMK_PIPE_REGS; r++) {
		const struct moment *ready = r == PMK_PIPE_PORT ? &sb->port : &sb->ready[r];

		out->need[r] = clamp(end - sb->next.after[r] + 1, PMK_PIPE_FAR);
		out->residue[r] = clamp(ready->at - end + sb->as_base[r], PMK_PIPE_FAR - 1);
	}
}

/* Can a later block wait for its result? It can if registers of the core are loaded. The next
 * instruction needs a load of the PC, and who needs registers of coprocessors cannot be seen. */
static bool can_be_late(const struct pmk_insn *in)
{
	uint64_t base = in->writeback ? UINT64_C(1) << in->rn : 0;

	return in->load && in->flow == PMK_FLOW_NEXT && (in->writes & ~base);
}

/* Mark results that no instruction of the sequence needs. */
static void leave_open(const struct scoreboard *sb, const struct pmk_insn *insn, size_t n,
		       struct pmk_pipe_slot *slots)
{
	for (size_t i = 0; i < n; i++) {
		if (slots[i].use != OPEN)
			continue;
		slots[i].use = (uint16_t)(sb->next.at - slots[i].issue);
		if (!can_be_late(&insn[i]))
			continue;
		slots[i].use = PMK_PIPE_OPEN;
		for (unsigned r = 0; r < PMK_PIPE_PORT; r++)
			if (sb->producer[r] == (int32_t)i)
				slots[i].use |= (uint16_t)(1u << r);
	}
}

void pmk_pipeline_time(const struct pmk_insn *insn, size_t n, struct pmk_pipe_slot *slots,
		       struct pmk_pipe_block *out)
{
	int32_t flags = NEVER, end;
	struct scoreboard sb;

	start(&sb);
	*out = (struct pmk_pipe_block){ .flag_distance = 15 };
	for (size_t i = 0; i < n; i++) {
		out->data_stall += (uint32_t)issue_one(&sb, &insn[i], (int32_t)i, slots);
		if (insn[i].sets_flags)
			flags = sb.next.at;
	}
	end = sb.next.at;
	out->cycles = (uint32_t)end;
	if (flags != NEVER && end - flags < 15)
		out->flag_distance = (uint16_t)(end - flags);
	leave_open(&sb, insn, n, slots);
	summarise(&sb, out);
}

unsigned pmk_pipeline_edge(const uint8_t residue[PMK_PIPE_REGS], const uint8_t need[PMK_PIPE_REGS])
{
	unsigned wait = 0;

	for (unsigned r = 0; r < PMK_PIPE_REGS; r++)
		if (residue[r] > need[r] + wait)
			wait = residue[r] - need[r];
	return wait;
}

#define LANES 4

void pmk_pipeline_lanes(const struct pmk_pipe_block *b, uint64_t *late, uint64_t *wants)
{
	*late = *wants = 0;
	for (unsigned r = 0; r < PMK_PIPE_REGS; r++) {
		for (unsigned k = 0; k < LANES; k++) {
			bool last = k == LANES - 1;

			if (b->residue[r] > k)
				*late |= UINT64_C(1) << (16 * k + r);
			if (b->need[r] != PMK_PIPE_FAR && (last || b->need[r] <= k))
				*wants |= UINT64_C(1) << (16 * k + r);
		}
	}
}
