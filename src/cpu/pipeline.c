// SPDX-License-Identifier: MIT
/*
 * The pipeline model: one row of numbers per class of instruction, and a scoreboard.
 *
 * ARM1176JZF-S TRM (DDI 0301H) chapter 16. A result becomes available some cycles after its
 * instruction issues (result latency, for use at the start of the ALU, MAC2 or DC1 stage). A register
 * needed one stage earlier ("early") has to be there one cycle sooner, one needed a stage later
 * ("late") one cycle later. An instruction issues when all it reads is there; the cycles it waits are
 * what event 0x02 counts. The ARM1136 has the same numbers where its TRM could be compared; the
 * ARM1156's are not known and taken to be the same (our choice).
 *
 * Not modelled: conditions (timed as if they passed), unaligned accesses, floating point and
 * coprocessor transfers (one cycle, result at once).
 */
#include "cpu/pipeline.h"

#include <string.h>

/* Roles of operands, as bits. */
enum { RN = 1, RM = 2, RS = 4, RA = 8, RD = 16, RD2 = 32 };

struct timing {
	uint8_t cycles;        /* issue cycles */
	uint8_t flag_cycles;   /* the same when it sets the flags; 0 = no difference */
	uint8_t early, late;   /* roles */
	uint8_t latency;       /* of rd */
	uint8_t latency2;      /* of rd2 */
};

static const struct timing timing[] = {
	/* tables 16-4 to 16-6: data processing */
	[PMK_I_OTHER] = { .cycles = 1, .latency = 1 },
	[PMK_I_ALU] = { .cycles = 1, .latency = 1 },
	[PMK_I_ALU_SHIFT] = { .cycles = 1, .early = RM, .latency = 1 },
	[PMK_I_ALU_RSHIFT] = { .cycles = 2, .early = RS, .late = RN, .latency = 2 },
	/* tables 16-8, 16-9: multiplies */
	[PMK_I_MUL] = { .cycles = 2, .flag_cycles = 5, .early = RM | RS, .latency = 4 },
	[PMK_I_MLA] = { .cycles = 2, .flag_cycles = 5, .early = RM | RS, .late = RA, .latency = 4 },
	[PMK_I_MULL] = { .cycles = 3, .flag_cycles = 6, .early = RM | RS, .latency = 4, .latency2 = 5 },
	[PMK_I_MLAL] = { .cycles = 3, .flag_cycles = 6, .early = RM | RS, .late = RD, .latency = 4,
			 .latency2 = 5 },
	[PMK_I_MUL16] = { .cycles = 1, .early = RM | RS, .latency = 3 },
	[PMK_I_MLAL16] = { .cycles = 2, .early = RM | RS, .late = RD2, .latency = 3, .latency2 = 4 },
	[PMK_I_MMUL] = { .cycles = 2, .early = RM | RS, .late = RA, .latency = 4 },
	/* tables 16-13 to 16-15: single loads and stores */
	[PMK_I_LOAD] = { .cycles = 1, .early = RN | RM, .latency = 3, .latency2 = 3 },
	[PMK_I_STORE] = { .cycles = 1, .early = RN | RM },
	[PMK_I_PRELOAD] = { .cycles = 1, .early = RN | RM },
	[PMK_I_SWAP] = { .cycles = 1, .early = RN, .latency = 3 },
	/* tables 16-17, 16-18: multiples; latencies and locks below */
	[PMK_I_LOADM] = { .cycles = 1, .early = RN },
	[PMK_I_STOREM] = { .cycles = 1, .early = RN },
	/* table 16-11: the cycles of branches are the predictor's */
	[PMK_I_BRANCH] = { .cycles = 1 },
	[PMK_I_FP] = { .cycles = 1, .early = RN, .latency = 1, .latency2 = 1 },
};

/* Extra cycle of an address with a negative register offset or an unusual scale (table 16-13). */
#define SLOW_ADDRESS 1
/* Base register write-back (table 16-13). */
#define WRITEBACK_LATENCY 1
/* An accumulator is forwarded from multiply to multiply one cycle sooner (section 16.6). */
#define ACCUMULATE_FORWARD 1

struct board {
	int now;                   /* the cycle in which the next instruction can issue */
	int ready[PMK_PIPE_REGS];  /* available for normal use from this cycle on */
	int locked[PMK_PIPE_REGS]; /* a store multiple still reads it: not to be written before */
	bool product[PMK_PIPE_REGS]; /* the result of a multiply */
	bool written[PMK_PIPE_REGS]; /* by this run: not needed from outside any more */
	int lsu_free;              /* the load-store unit takes the next instruction from here on */
	int flags_set;             /* when the flags were last set, -1 = before the run */
	unsigned reader[PMK_PIPE_REGS]; /* number + 1 of the load whose result nobody has used yet */
};

static bool is_memory(const struct pmk_insn *in)
{
	return in->load || in->store || in->iclass == PMK_I_PRELOAD;
}

static bool is_multiply(const struct pmk_insn *in)
{
	return in->iclass >= PMK_I_MUL && in->iclass <= PMK_I_MMUL;
}

/* The roles in which an instruction uses a register, as bits. */
static unsigned roles_of(const struct pmk_insn *in, int reg)
{
	return (in->rn == reg ? RN : 0) | (in->rm == reg ? RM : 0) | (in->rs == reg ? RS : 0) |
	       (in->ra == reg ? RA : 0) | (in->rd == reg ? RD : 0) | (in->rd2 == reg ? RD2 : 0);
}

/* Cycles before (+1) or after (-1) normal use at which the register has to be there. */
static int adjustment(const struct pmk_insn *in, int reg)
{
	const struct timing *t = &timing[in->iclass];
	unsigned roles = roles_of(in, reg);

	/* With a slow address only the offset is needed early; the base a cycle later. */
	if (in->slow_address && roles == RN && is_memory(in))
		return 0;
	if (roles & t->early)
		return 1;
	return roles && !(roles & ~(unsigned)t->late) ? -1 : 0;
}

/* When the register is there for this instruction. */
static int available(const struct board *b, const struct pmk_insn *in, int reg)
{
	int at = b->ready[reg] + adjustment(in, reg);

	if (b->product[reg] && is_multiply(in) && roles_of(in, reg) == RA)
		at -= ACCUMULATE_FORWARD;
	return at;
}

/* The first cycle in which the instruction has all it waits for; *port is the part of the wait that
 * is the load-store unit's, which is no data dependency. */
static int issue_cycle(const struct board *b, const struct pmk_insn *in, int *port)
{
	int at = b->now, data;

	for (int r = 0; r < PMK_PIPE_REGS; r++) {
		if ((in->reads >> r & 1) && available(b, in, r) > at)
			at = available(b, in, r);
		if ((in->writes >> r & 1) && b->locked[r] > at)
			at = b->locked[r];
	}
	data = at;
	if (is_memory(in) && b->lsu_free > at)
		at = b->lsu_free;
	*port = at - data;
	return at;
}

static uint8_t clamp(int cycles)
{
	return (uint8_t)(cycles < 0 ? 0 : cycles > PMK_PIPE_FAR - 1 ? PMK_PIPE_FAR - 1 : cycles);
}

/* Registers that come from outside the run: until when they may take. */
static void note_needs(const struct board *b, const struct pmk_insn *in, int issue,
		       struct pmk_pipe_block *out)
{
	for (int r = 0; r < PMK_PIPE_REGS; r++)
		if ((in->reads >> r & 1) && !b->written[r] && out->need[r] == PMK_PIPE_FAR)
			out->need[r] = clamp(issue - adjustment(in, r) + 1);
}

/* Loads whose result this instruction is the first to wait for. */
static void note_uses(struct board *b, const struct pmk_insn *in, int issue,
		      struct pmk_pipe_slot *slots)
{
	for (int r = 0; r < PMK_PIPE_REGS; r++) {
		struct pmk_pipe_slot *load = &slots[b->reader[r] ? b->reader[r] - 1 : 0];
		int distance = issue - load->issue - adjustment(in, r);

		if (!(in->reads >> r & 1) || !b->reader[r])
			continue;
		if (distance < load->use)
			load->use = (uint16_t)distance;
		b->reader[r] = 0;
	}
}

static void write_register(struct board *b, int reg, int ready, unsigned number, bool load,
			   bool product)
{
	if (reg < 0 || reg >= PMK_PIPE_REGS - 1)
		return; /* none, or the PC */
	b->ready[reg] = ready;
	b->written[reg] = true;
	b->product[reg] = product;
	b->reader[reg] = load ? number + 1 : 0;
}

/* Load and store multiple: two registers a cycle, the first address taken to be 64-bit aligned. */
static void transfer_list(struct board *b, const struct pmk_insn *in, int issue, unsigned number)
{
	int i = 0;

	for (int r = 0; r < PMK_PIPE_REGS; r++) {
		if (!(in->list >> r & 1))
			continue;
		if (in->load)
			write_register(b, r, issue + 3 + i / 2, number, true, false);
		else
			b->locked[r] = issue + 1 + (i + 1) / 2;
		i++;
	}
}

static int memory_cycles(const struct pmk_insn *in)
{
	if (in->iclass == PMK_I_LOADM || in->iclass == PMK_I_STOREM)
		/* One more when the PC is among them: it is loaded first. */
		return (in->mem_count + 1) / 2 + (in->load && in->flow != PMK_FLOW_NEXT);
	if (in->iclass == PMK_I_SWAP)
		return 2;
	return in->iclass == PMK_I_FP && in->mem_count ? in->mem_count : 1;
}

/* The results of an instruction issued at `issue`. */
static void note_results(struct board *b, const struct pmk_insn *in, int issue, unsigned number)
{
	const struct timing *t = &timing[in->iclass];
	int slow = in->slow_address && is_memory(in) ? SLOW_ADDRESS : 0;
	bool load = in->load;

	/* What no row names (flags aside) is there a cycle later: MRS, coprocessor moves. */
	for (int r = 0; r < PMK_PIPE_REGS; r++)
		if (in->writes >> r & 1)
			write_register(b, r, issue + 1, number, false, false);
	if (t->latency && in->rd != PMK_NO_REG && (in->writes >> in->rd & 1))
		write_register(b, in->rd, issue + t->latency + slow, number, load, is_multiply(in));
	if (t->latency2 && in->rd2 != PMK_NO_REG && (in->writes >> in->rd2 & 1))
		write_register(b, in->rd2, issue + t->latency2 + slow, number, load,
			       is_multiply(in));
	if (in->iclass == PMK_I_LOADM || in->iclass == PMK_I_STOREM)
		transfer_list(b, in, issue, number);
	if (in->writeback && in->rn != PMK_NO_REG && !(in->list >> in->rn & 1 && in->load))
		write_register(b, in->rn, issue + WRITEBACK_LATENCY + slow, number, false, false);
	if (is_memory(in))
		b->lsu_free = issue + slow + memory_cycles(in);
}

static int issue_cycles(const struct pmk_insn *in)
{
	const struct timing *t = &timing[in->iclass];

	if (in->sets_flags && t->flag_cycles)
		return t->flag_cycles;
	return t->cycles + (in->slow_address && is_memory(in) ? SLOW_ADDRESS : 0);
}

static void finish(const struct board *b, size_t n, struct pmk_pipe_slot *slots,
		   struct pmk_pipe_block *out)
{
	out->cycles = (uint32_t)b->now;
	out->flag_distance = (uint16_t)(b->flags_set < 0 || b->now - b->flags_set > 15 ?
						15 : b->now - b->flags_set);
	for (int r = 0; r < PMK_PIPE_REGS; r++)
		out->residue[r] = b->written[r] ? clamp(b->ready[r] - b->now + 1) : 0;
	for (size_t i = 0; i < n; i++)
		if (slots[i].use == UINT16_MAX)
			slots[i].use = (uint16_t)(b->now > slots[i].issue ? b->now - slots[i].issue : 0);
}

void pmk_pipeline_time(const struct pmk_insn *insn, size_t n, struct pmk_pipe_slot *slots,
		       struct pmk_pipe_block *out)
{
	struct board b = { .flags_set = -1 };

	memset(out, 0, sizeof(*out));
	memset(out->need, PMK_PIPE_FAR, sizeof(out->need));
	for (int r = 0; r < PMK_PIPE_REGS; r++)
		b.ready[r] = -PMK_PIPE_FAR;
	for (size_t i = 0; i < n; i++) {
		const struct pmk_insn *in = &insn[i];
		int port, issue = issue_cycle(&b, in, &port);

		out->data_stall += (uint32_t)(issue - b.now - port);
		slots[i] = (struct pmk_pipe_slot){ .issue = (uint16_t)issue, .use = UINT16_MAX };
		note_needs(&b, in, issue, out);
		note_uses(&b, in, issue, slots);
		note_results(&b, in, issue, (unsigned)i);
		/* The branch that ends the run costs what the predictor says. */
		b.now = issue + (i + 1 == n && in->iclass == PMK_I_BRANCH ? 0 : issue_cycles(in));
		if (in->sets_flags)
			b.flags_set = b.now - 1;
	}
	finish(&b, n, slots, out);
}

unsigned pmk_pipeline_edge(const uint8_t residue[PMK_PIPE_REGS], const uint8_t need[PMK_PIPE_REGS])
{
	unsigned wait = 0;

	for (unsigned r = 0; r < PMK_PIPE_REGS; r++)
		if (residue[r] > need[r] && residue[r] - need[r] > (int)wait)
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
