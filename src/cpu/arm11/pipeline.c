// SPDX-License-Identifier: MIT
/*
 * Pipeline timing of a sequence of instructions. The sources are ARM1176JZF-S TRM (DDI 0301H)
 * chapter 16 and, for the VFP11, chapter 21. DDI 0274H has the same numbers for the VFP11 of an
 * ARM1136.
 *
 * An instruction issues when the previous instruction has issued its last cycle and the operands
 * have arrived. If it accesses memory, the load-store unit (LSU) must also have finished the
 * previous access. A wait for the LSU is structural: it costs cycles but is not a data stall.
 *
 * Our choices for the core: Conditional instructions are timed as if their conditions hold.
 * Instructions of one and two cycles take the same time if the condition fails, but multiplications
 * that set the flags would take less time, 3 to 5 cycles (16.1.3). Addresses are assumed to be
 * aligned: those of single accesses to their size, those of multiples and doubles to 8 bytes. Media
 * and saturating arithmetic is timed as data processing. Coprocessor and status transfers take one
 * cycle. A branch costs nothing here, and any other instruction that writes the PC costs its issue
 * cycles; the branch model adds the rest.
 *
 * VFP instructions issue in order with those of the core, when their registers and their pipeline
 * are free. There are three pipelines. FMAC and DS compute; divisions and square roots use DS but
 * begin in FMAC. The load-store pipeline of VFP is in lock step with that of the core.
 *
 * Our choices for VFP: An instruction waits for its operands as in the examples of 21.4. If a
 * result cannot be forwarded, it waits a cycle longer than the latency. This is so between
 * operations of different precision, and after an operation with an integer result. An instruction
 * also waits for earlier results in the registers that it writes. The flags of a comparison are
 * available after its latency. FMXR and FMRX wait for all of VFP. Short vectors have vfp.length
 * elements, because pmk does not see FPSCR.
 *
 * If one sequence follows another, their summaries (struct pmk_pipe_block) give the exact cycles,
 * with these exceptions:
 *
 * - An accumulator that is forwarded from the first sequence to the second arrives a cycle too
 *   late.
 * - A base that the last instruction of the first sequence writes back arrives a cycle too early if
 *   the second sequence needs it early and not as an address.
 * - Registers that a store multiple has not read yet are not locked beyond the end of its sequence.
 * - If a third sequence would have to wait for the first, it does not. VFP results are different:
 *   they are remembered until they are available. But all VFP results of another sequence are taken
 *   to be forwarded.
 */
#include "cpu/arm11/pipeline.h"
#include "cpu/block.h"
#include "cpu/config.h"

#include <stdbool.h>
#include <string.h>

#define NEVER (-0x40000000)
#define OPEN  UINT16_MAX

/*
 * The places of the scoreboard: the registers of the core, the LSU port, and the registers, flags
 * and pipelines of VFP.
 */
enum { VFP = PMK_PIPE_REGS, PLACES = PMK_PIPE_REGS + PMK_PIPE_VFP_PLACES };

/*
 * A time that depends on when the places of the scoreboard become available. `at` counts cycles
 * from the start of the sequence; it is the time if all places are available at the start. after[e]
 * counts cycles from the time at which place e becomes available; it is NEVER if the time does not
 * depend on e. The real time is the latest of all these. Keeping a number for each place takes less
 * time than timing the sequence once for each register.
 */
struct moment {
	int32_t at;
	int32_t after[PLACES];
};

/* The contents of a VFP register, which decide what can be forwarded. */
enum { ANYTHING, SINGLE, DOUBLE, INTEGER };

struct scoreboard {
	/*
	 * Number of places in use. The places of VFP are left out if the sequence has no VFP
	 * instructions, because handling them takes time.
	 */
	unsigned places;
	unsigned vector, stride;       /* elements of a short vector, and their distance */
	struct moment next;	       /* earliest issue of the next instruction */
	struct moment port;	       /* when the LSU accepts the next access */
	struct moment ready[PLACES];   /* when the register is ready for normal use */
	struct moment lock[PLACES];    /* when the register may be written again */
	int8_t as_base[PMK_PIPE_REGS]; /* extra cycles after `ready` for a base address */
	int8_t as_sum[PMK_PIPE_REGS];  /* extra cycles after `ready` for an accumulator */
	uint8_t holds[PLACES];	       /* contents of VFP registers */
	int32_t producer[PLACES];      /* index of the instruction that wrote the place, or -1 */
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
	uint8_t flag_cycles; /* issue cycles if the instruction sets the flags */
	uint8_t latency;     /* result latency of rd */
	uint8_t latency_hi;  /* result latency of rd2 */
	uint8_t memory;	     /* cycles in the LSU; multiples: see memory_cycles() */
	uint8_t early, late; /* roles needed a cycle earlier or later than normal */
	bool sum;	     /* a multiply: forwards to accumulators one cycle early, 16.7 */
};

/* clang-format off */
/* The table has room for every class, because a recording may contain any class. Classes that are
 * not listed take no cycles. */
static const struct timing timing[PMK_I_CACHE_OP + 1] = {
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
	/* the branch model adds the cycles */
	[PMK_I_BRANCH]     = { 0, 0, 0, 0, 0, 0,       0,    false },
	/* see vfp_timing[] */
	[PMK_I_FP]         = { 1, 1, 1, 1, 0, 0,       0,    false },
};

/* Cycles for which an operation keeps its pipeline busy, and the latency of its result, each for
 * single and for double precision. From table 21-16 (table 4-17 of DDI 0274H). */
static const struct {
	uint8_t busy[2], latency[2];
} vfp_timing[] = {
	[PMK_VFP_COPY]      = { {  1,  1 }, {  4,  4 } },
	[PMK_VFP_COMPARE]   = { {  1,  1 }, {  4,  4 } },
	[PMK_VFP_CONVERT]   = { {  1,  1 }, {  8,  8 } },
	[PMK_VFP_ADD]       = { {  1,  1 }, {  8,  8 } },
	[PMK_VFP_MUL]       = { {  1,  2 }, {  8,  9 } },
	[PMK_VFP_MAC]       = { {  1,  2 }, {  8,  9 } },
	[PMK_VFP_DIV]       = { { 15, 29 }, { 19, 33 } },
	[PMK_VFP_SQRT]      = { { 15, 29 }, { 19, 33 } },
	[PMK_VFP_LOAD]      = { {  1,  1 }, {  4,  4 } },
	[PMK_VFP_STORE]     = { {  1,  1 }, {  0,  0 } },
	[PMK_VFP_TO_CORE]   = { {  1,  1 }, {  2,  2 } },
	[PMK_VFP_FROM_CORE] = { {  1,  1 }, {  4,  4 } },
	[PMK_VFP_STATUS]    = { {  1,  1 }, {  2,  2 } },
	[PMK_VFP_SYSTEM]    = { {  1,  1 }, {  4,  4 } }, /* FMXR; FMRX: 2 */
};
/* clang-format on */

/* ---- instructions of VFP --------------------------------------------------------------------- */

static unsigned vfp_op(const struct pmk_insn *in)
{
	unsigned op = in->iclass == PMK_I_FP ? in->kind & PMK_VFP_OP : PMK_VFP_NONE;

	return op <= PMK_VFP_SYSTEM ? op : PMK_VFP_NONE; /* a recording may contain any value */
}

/* True for instructions of the FMAC and DS pipelines. All other VFP instructions belong to the
 * load/store pipeline. */
static bool vfp_computes(const struct pmk_insn *in)
{
	return vfp_op(in) >= PMK_VFP_COPY && vfp_op(in) <= PMK_VFP_SQRT;
}

static bool vfp_transfers(const struct pmk_insn *in)
{
	return vfp_op(in) >= PMK_VFP_LOAD;
}

static bool vfp_divides(const struct pmk_insn *in)
{
	return vfp_op(in) == PMK_VFP_DIV || vfp_op(in) == PMK_VFP_SQRT;
}

/*
 * Returns the number of elements that a VFP operation computes. An operation whose destination is
 * in the first bank of registers is scalar.
 */
static unsigned vfp_elements(const struct scoreboard *sb, const struct pmk_insn *in)
{
	unsigned fd = in->kind >> PMK_VFP_FD & 31;

	return in->kind & PMK_VFP_VECTOR && fd >= 8 ? sb->vector : 1;
}

/* Returns the set of single-precision registers that hold element i of an operand. `field` is
 * PMK_VFP_FD, PMK_VFP_FN or PMK_VFP_FM. The registers of a vector wrap around in their bank of
 * eight registers. */
static uint32_t vfp_element(const struct scoreboard *sb, const struct pmk_insn *in, unsigned field,
			    bool wide, unsigned i)
{
	unsigned first = in->kind >> field & 31, step = sb->stride * (wide ? 2 : 1);
	bool scalar = field == PMK_VFP_FM && first < 8;
	unsigned reg = scalar ? first : (first & ~7u) | ((first + i * step) & 7);

	return (wide ? 3u : 1u) << reg;
}

/* vfp_reads() returns the VFP registers that the instruction reads for element i, and vfp_writes()
 * those that it writes. */
static uint32_t vfp_reads(const struct scoreboard *sb, const struct pmk_insn *in, unsigned i)
{
	bool wide = in->kind & PMK_VFP_WIDE;
	unsigned op = vfp_op(in);
	uint32_t regs = 0;

	if (!i)
		return (uint32_t)(in->reads >> PMK_VFP_S0);
	if (op == PMK_VFP_MAC)
		regs |= vfp_element(sb, in, PMK_VFP_FD, wide, i);
	if (op >= PMK_VFP_ADD && op <= PMK_VFP_DIV)
		regs |= vfp_element(sb, in, PMK_VFP_FN, wide, i);
	return regs | vfp_element(sb, in, PMK_VFP_FM, wide, i);
}

static uint32_t vfp_writes(const struct scoreboard *sb, const struct pmk_insn *in, unsigned i)
{
	if (!i)
		return (uint32_t)(in->writes >> PMK_VFP_S0);
	return vfp_element(sb, in, PMK_VFP_FD, in->kind & PMK_VFP_WIDE_RESULT, i);
}

/* ---- moments -------------------------------------------------------------------------------- */

/* Makes `to` the later one of `to` and `from` + `cycles`. */
static void wait_for(unsigned places, struct moment *to, const struct moment *from, int32_t cycles)
{
	if (to->at < from->at + cycles)
		to->at = from->at + cycles;
	for (unsigned e = 0; e < places; e++) {
		int32_t after = from->after[e] + cycles;

		to->after[e] = to->after[e] > after ? to->after[e] : after;
	}
}

static void copy(unsigned places, struct moment *to, const struct moment *from)
{
	to->at = from->at;
	for (unsigned e = 0; e < places; e++)
		to->after[e] = from->after[e];
}

static void later_by(unsigned places, struct moment *to, const struct moment *from, int32_t cycles)
{
	to->at = from->at + cycles;
	for (unsigned e = 0; e < places; e++)
		to->after[e] = from->after[e] + cycles;
}

static void start(struct scoreboard *sb)
{
	struct moment never = { .at = NEVER };

	for (unsigned e = 0; e < sb->places; e++)
		never.after[e] = NEVER;
	for (unsigned r = 0; r < sb->places; r++) {
		copy(sb->places, &sb->ready[r], &never);
		sb->ready[r].after[r] = r == PMK_PIPE_PORT ? NEVER : 0;
		copy(sb->places, &sb->lock[r], &never);
		sb->producer[r] = -1;
		sb->holds[r] = ANYTHING;
	}
	memset(sb->as_base, 1, sizeof(sb->as_base));
	memset(sb->as_sum, 0, sizeof(sb->as_sum));
	copy(sb->places, &sb->port, &never);
	sb->port.after[PMK_PIPE_PORT] = 0;
	copy(sb->places, &sb->next, &never);
	sb->next.at = 0;
}

/* ---- operands ------------------------------------------------------------------------------- */

struct operand {
	uint8_t reg;
	int8_t wait; /* cycles from `ready` of the register to the issue */
};

static bool is_memory(const struct pmk_insn *in)
{
	return (in->iclass >= PMK_I_LOAD && in->iclass <= PMK_I_PRELOAD) || vfp_transfers(in);
}

static struct timing timing_of(const struct pmk_insn *in)
{
	struct timing t = timing[in->iclass];

	if (vfp_op(in) == PMK_VFP_LOAD || vfp_op(in) == PMK_VFP_STORE)
		t.early = RN;
	else if (vfp_transfers(in)) /* FMRX: latency of 2 */
		t.latency = t.latency_hi = vfp_timing[PMK_VFP_TO_CORE].latency[0];

	if (in->slow_address) { /* 16.10, 16.11: only the offset is early */
		t.cycles++;
		t.latency++;
		t.latency_hi++;
		t.memory++;
		t.early = RM;
	}
	if (in->exclusive)
		t.early = RN; /* rm is the stored value, not part of the address */
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

/*
 * Lists the operands in op[], each with the cycle in which it is needed, and returns their number.
 * A register in two roles is listed twice.
 */
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
	/* Registers without a role are needed at the normal time: values to store, and coprocessor
	 * operands. A base register that is also stored is already in the list. */
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

/*
 * Returns the operand for a VFP register that the instruction reads. Loads, stores and transfers
 * need it a cycle later than operations do, so forwarding makes no difference to them.
 */
static struct operand vfp_operand(const struct scoreboard *sb, const struct pmk_insn *in,
				  unsigned reg)
{
	unsigned holds = sb->holds[VFP + reg], wants = in->kind & PMK_VFP_WIDE ? DOUBLE : SINGLE;
	bool forwarded = holds == ANYTHING || holds == wants;

	return (struct operand){ .reg = (uint8_t)(VFP + reg),
				 .wait = vfp_computes(in) && !forwarded };
}

/*
 * Lists the VFP registers and flags that the instruction must wait for in op[], and returns their
 * number. vfp_wait_for_pipes() waits for the pipelines.
 */
static unsigned vfp_operands(const struct scoreboard *sb, const struct pmk_insn *in,
			     struct operand *op)
{
	unsigned what = vfp_op(in), n = 0;
	uint32_t reads = 0, writes = 0;

	if (what == PMK_VFP_SYSTEM)
		reads = UINT32_MAX;
	for (unsigned i = 0; i < vfp_elements(sb, in); i++) {
		reads |= vfp_reads(sb, in, i);
		writes |= vfp_writes(sb, in, i);
	}
	for (unsigned r = 0; r < 32; r++) {
		if (reads >> r & 1)
			op[n++] = vfp_operand(sb, in, r);
		else if (writes >> r & 1)
			op[n++] = (struct operand){ .reg = (uint8_t)(VFP + r) };
	}
	if (what == PMK_VFP_STATUS || what == PMK_VFP_SYSTEM)
		op[n++] = (struct operand){ .reg = VFP + PMK_PIPE_VFP_FLAGS };
	return n;
}

/* ---- results -------------------------------------------------------------------------------- */

static void produce(struct scoreboard *sb, int reg, const struct moment *issue, unsigned latency,
		    bool sum, int32_t producer)
{
	if (reg < 0 || reg >= PMK_PIPE_PORT)
		return;
	later_by(sb->places, &sb->ready[reg], issue, (int32_t)latency);
	sb->as_base[reg] = 1;
	sb->as_sum[reg] = sum ? -1 : 0;
	sb->producer[reg] = producer;
}

/* Returns for how many cycles the instruction keeps the LSU busy. For a load or store multiple,
 * this is from table 16-18, for a first address that is aligned to 8 bytes: two registers a cycle.
 * A PC in the list comes first and delays the other registers by a cycle. We take the table to mean
 * that the PC has a cycle of its own. */
static unsigned memory_cycles(const struct pmk_insn *in, const struct timing *t)
{
	unsigned pc = in->list >> PMK_PIPE_PORT;

	/* Table 21-16: two words a cycle */
	if (vfp_op(in) == PMK_VFP_LOAD || vfp_op(in) == PMK_VFP_STORE)
		return (in->mem_count * (in->mem_bytes / 4u) + 1) / 2;
	if (vfp_transfers(in))
		return 1;
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

/* Locks stored registers until they are read, which is late: tables 16-16 (STRD) and 16-18. */
static void lock_stored(struct scoreboard *sb, const struct pmk_insn *in,
			const struct moment *issue)
{
	int32_t i = 0;

	if (in->iclass == PMK_I_STORE && in->mem_count == 2) {
		later_by(sb->places, &sb->lock[in->rd], issue, 1 + in->slow_address);
		later_by(sb->places, &sb->lock[in->rd2], issue, 2 + in->slow_address);
	}
	if (in->iclass != PMK_I_STOREM)
		return;
	for (unsigned r = 0; r < PMK_PIPE_PORT; r++)
		if (in->list >> r & 1)
			later_by(sb->places, &sb->lock[r], issue, 1 + (i++ + 1) / 2);
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
		/*
		 * The written-back base has a latency of one, and of zero if it is the base of the
		 * next access: 16.10, 16.11.
		 */
		produce(sb, in->rn, issue, 1, false, -1);
		sb->as_base[in->rn] = 0;
	}
}

static void vfp_produce(struct scoreboard *sb, uint32_t regs, const struct moment *issue,
			int32_t latency, unsigned holds, int32_t index)
{
	for (; regs; regs &= regs - 1) {
		unsigned place = VFP + (unsigned)__builtin_ctz(regs);

		later_by(sb->places, &sb->ready[place], issue, latency);
		sb->holds[place] = (uint8_t)holds;
		sb->producer[place] = index;
	}
}

static void vfp_lock(struct scoreboard *sb, uint32_t regs, const struct moment *issue,
		     int32_t until)
{
	for (; regs; regs &= regs - 1)
		later_by(sb->places, &sb->lock[VFP + __builtin_ctz(regs)], issue, until);
}

/* Times a load, store or transfer, which reads or writes its VFP registers in order, two words a
 * cycle. */
static void vfp_move(struct scoreboard *sb, const struct pmk_insn *in, const struct moment *issue,
		     int32_t index)
{
	unsigned holds = in->kind & PMK_VFP_WIDE_RESULT ? DOUBLE : SINGLE;
	int32_t latency = vfp_timing[vfp_op(in)].latency[0], i = 0;
	bool loads = vfp_op(in) == PMK_VFP_LOAD;
	uint32_t reads = vfp_reads(sb, in, 0), writes = vfp_writes(sb, in, 0);

	for (uint32_t rest = reads; rest; rest &= rest - 1)
		vfp_lock(sb, rest & -rest, issue, 1 + i++ / 2);
	i = 0;
	/* A transfer from the core writes a word, which may be half of a double-precision register.
	 * So its result is ANYTHING. */
	for (uint32_t rest = writes; rest; rest &= rest - 1)
		vfp_produce(sb, rest & -rest, issue, latency + i++ / 2, loads ? holds : ANYTHING,
			    loads ? index : -1);
}

/* Times the results of an operation, element by element, and how long its pipelines are busy. */
static void vfp_compute(struct scoreboard *sb, const struct pmk_insn *in,
			const struct moment *issue, int32_t index)
{
	bool wide = in->kind & PMK_VFP_WIDE, divides = vfp_divides(in);
	int32_t busy = vfp_timing[vfp_op(in)].busy[wide];
	int32_t latency = vfp_timing[vfp_op(in)].latency[wide];
	unsigned n = vfp_elements(sb, in);
	unsigned holds = in->kind & PMK_VFP_INTEGER	  ? INTEGER
			 : in->kind & PMK_VFP_WIDE_RESULT ? DOUBLE
							  : SINGLE;

	for (unsigned i = 0; i < n; i++) {
		vfp_lock(sb, vfp_reads(sb, in, i), issue, 1 + (int32_t)i * busy);
		vfp_produce(sb, vfp_writes(sb, in, i), issue, latency + (int32_t)i * busy, holds,
			    index);
	}
	if (vfp_op(in) == PMK_VFP_COMPARE)
		later_by(sb->places, &sb->ready[VFP + PMK_PIPE_VFP_FLAGS], issue, latency);
	if (divides)
		later_by(sb->places, &sb->ready[VFP + PMK_PIPE_VFP_DS], issue, (int32_t)n * busy);
	/* A division begins in FMAC. FMAC stays busy until the last element has begun, because no
	 * other operation can overtake elements that have not begun. */
	later_by(sb->places, &sb->ready[VFP + PMK_PIPE_VFP_FMAC], issue,
		 divides ? (int32_t)(n - 1) * busy + 1 : (int32_t)n * busy);
}

static void vfp_results(struct scoreboard *sb, const struct pmk_insn *in,
			const struct moment *issue, int32_t index)
{
	bool to_core = in->rd >= 0;

	if (vfp_computes(in)) {
		vfp_compute(sb, in, issue, index);
	} else if (vfp_op(in) == PMK_VFP_SYSTEM && !to_core) {
		/* No VFP operation begins before FMXR has its effect. */
		int32_t latency = vfp_timing[PMK_VFP_SYSTEM].latency[0];

		later_by(sb->places, &sb->ready[VFP + PMK_PIPE_VFP_FMAC], issue, latency);
		later_by(sb->places, &sb->ready[VFP + PMK_PIPE_VFP_DS], issue, latency);
	} else {
		vfp_move(sb, in, issue, index);
	}
}

/* Waits until the pipelines that the instruction uses are free. */
static void vfp_wait_for_pipes(const struct scoreboard *sb, const struct pmk_insn *in,
			       struct moment *issue)
{
	bool all = vfp_op(in) == PMK_VFP_SYSTEM;

	if (vfp_computes(in) || all)
		wait_for(sb->places, issue, &sb->ready[VFP + PMK_PIPE_VFP_FMAC], 0);
	if (vfp_divides(in) || all)
		wait_for(sb->places, issue, &sb->ready[VFP + PMK_PIPE_VFP_DS], 0);
}

/* ---- a sequence ----------------------------------------------------------------------------- */

/* Notes in slots[].use of earlier instructions how soon after their issue this instruction needs
 * their results. */
static void note_uses(const struct scoreboard *sb, const struct operand *op, unsigned n,
		      int32_t issue, struct pmk_pipe_slot *slots)
{
	for (unsigned i = 0; i < n; i++) {
		int32_t p = sb->producer[op[i].reg];
		int32_t use;

		if (p < 0)
			continue;
		use = issue - op[i].wait - slots[p].issue;
		/* The result of a VFP load arrives a cycle later than that of a load of the
		 * core. */
		use -= op[i].reg >= VFP;
		if (use >= 0 && use < slots[p].use && use < (int32_t)PMK_PIPE_OPEN)
			slots[p].use = (uint16_t)use;
	}
}

/* Issues one instruction; returns the cycles it waited for operands. */
static int32_t issue_one(struct scoreboard *sb, const struct pmk_insn *in, int32_t index,
			 struct pmk_pipe_slot *slots)
{
	struct timing t = timing_of(in);
	struct operand op[6 + PLACES];
	unsigned n = operands(sb, in, &t, op);
	struct moment issue;
	int32_t stall;

	copy(sb->places, &issue, &sb->next);
	if (vfp_op(in))
		n += vfp_operands(sb, in, op + n);
	for (unsigned i = 0; i < n; i++)
		wait_for(sb->places, &issue, &sb->ready[op[i].reg], op[i].wait);
	for (unsigned r = 0; r < PMK_PIPE_PORT; r++)
		if (in->writes >> r & 1)
			wait_for(sb->places, &issue, &sb->lock[r], 0);
	for (unsigned i = 0; vfp_op(in) && i < vfp_elements(sb, in); i++)
		for (uint32_t rest = vfp_writes(sb, in, i); rest; rest &= rest - 1)
			wait_for(sb->places, &issue, &sb->lock[VFP + __builtin_ctz(rest)], 0);
	stall = issue.at - sb->next.at;
	if (is_memory(in))
		wait_for(sb->places, &issue, &sb->port, 0);
	if (vfp_op(in))
		vfp_wait_for_pipes(sb, in, &issue);
	slots[index] = (struct pmk_pipe_slot){ .issue = (uint16_t)issue.at, .use = OPEN };
	note_uses(sb, op, n, issue.at, slots);
	results(sb, in, &t, &issue, index);
	if (vfp_op(in))
		vfp_results(sb, in, &issue, index);
	if (is_memory(in))
		later_by(sb->places, &sb->port, &issue, (int32_t)memory_cycles(in, &t));
	later_by(sb->places, &sb->next, &issue, in->sets_flags ? t.flag_cycles : t.cycles);
	return stall;
}

static uint8_t clamp(int32_t cycles, uint8_t most)
{
	return (uint8_t)(cycles < 0 ? 0 : cycles < most ? cycles : most);
}

/*
 * Summarises in need[] what the sequence waits for at its beginning, and in residue[] what is
 * unfinished at its end. A place counts in need[] only if its being late delays the end of the
 * sequence: a wait during another wait costs nothing. A base that the last instruction wrote back
 * is available as a base at once, and is assumed to be used as a base.
 */
static void summarise(const struct scoreboard *sb, struct pmk_pipe_block *out)
{
	int32_t end = sb->next.at;

	for (unsigned r = 0; r < PMK_PIPE_REGS; r++) {
		const struct moment *ready = r == PMK_PIPE_PORT ? &sb->port : &sb->ready[r];

		out->need[r] = clamp(end - sb->next.after[r] + 1, PMK_PIPE_FAR);
		out->residue[r] = clamp(ready->at - end + sb->as_base[r], PMK_PIPE_FAR - 1);
	}
	out->vfp = sb->places > VFP;
	for (unsigned p = 0; p < PMK_PIPE_VFP_PLACES && out->vfp; p++) {
		out->vfp_need[p] = clamp(end - sb->next.after[VFP + p] + 1, PMK_PIPE_FAR);
		out->vfp_residue[p] = clamp(sb->ready[VFP + p].at - end + 1, PMK_PIPE_FAR - 1);
	}
}

/*
 * True for a load whose result a later block may have to wait for, because it loads a register of
 * the core. Loads of the PC are left out, because the next instruction needs the PC at once. So are
 * loads of VFP registers, because slots[] have no room for them. A miss of such a load makes the
 * core wait at the end of its block (our choice).
 */
static bool can_be_late(const struct pmk_insn *in)
{
	uint64_t base = in->writeback ? UINT64_C(1) << in->rn : 0;
	uint64_t core = (UINT64_C(1) << PMK_PIPE_PORT) - 1;

	return in->load && in->flow == PMK_FLOW_NEXT && (in->writes & core & ~base);
}

/* Sets slots[].use of instructions whose results no instruction of the sequence needs. */
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

void pmk_pipeline_time(const struct pmk_core *core, const struct pmk_insn *insn, size_t n,
		       struct pmk_pipe_slot *slots, struct pmk_pipe_block *out)
{
	int32_t flags = NEVER, end;
	struct scoreboard sb;

	sb.vector = (unsigned)core->arm11.vfp_length;
	sb.stride = (unsigned)core->arm11.vfp_stride;
	sb.places = VFP;
	for (size_t i = 0; i < n; i++)
		if (vfp_op(&insn[i]))
			sb.places = PLACES;
	start(&sb);
	*out = (struct pmk_pipe_block){ .flag_distance = 15 };
	for (size_t i = 0; i < n; i++) {
		out->data_stall += (uint32_t)issue_one(&sb, &insn[i], (int32_t)i, slots);
		/* FMSTAT makes the flags available a cycle later than other instructions do. */
		if (insn[i].sets_flags)
			flags = sb.next.at + (vfp_op(&insn[i]) == PMK_VFP_STATUS);
		out->untimed += insn[i].iclass == PMK_I_FP && !vfp_op(&insn[i]);
	}
	end = sb.next.at;
	out->cycles = (uint32_t)end;
	if (flags != NEVER && end - flags < 15)
		out->flag_distance = (uint16_t)(end > flags ? end - flags : 0);
	leave_open(&sb, insn, n, slots);
	summarise(&sb, out);
}
