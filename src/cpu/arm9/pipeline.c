// SPDX-License-Identifier: MIT
/*
 * Times a sequence of instructions on an ARM926EJ-S, whose integer core is an ARM9E-S. The core has
 * five stages, runs one instruction at a time, and forwards results to the next instruction.
 * Source: DDI 0165B (ARM9E-S TRM) chapter 8.
 *
 * An instruction issues when the previous instruction has issued its last cycle and its own
 * operands are available. No operand is needed early, so it waits for nothing else.
 *
 * Our choices are these. Conditional instructions are timed as if their conditions hold. Saturating
 * arithmetic, status and coprocessor transfers, and floating point take one cycle each. A branch
 * costs nothing here; the branch model adds its cycles.
 */
#include "cpu/arm9/arm9.h"
#include "cpu/block.h"

#include <string.h>

#define LATEST 3 /* the most cycles by which a result can come after the end of a sequence */

struct timing {
	uint8_t cycles, flag_cycles; /* issue cycles, and issue cycles if the flags are set */
	uint8_t latency; /* cycles from issue until the next instruction may use the result */
	bool sums;	 /* the result is forwarded to an accumulator a cycle early */
};

static const struct timing timing[PMK_I_CACHE_OP + 1] = {
	[PMK_I_OTHER] = { 1, 1, 1, false },	[PMK_I_ALU] = { 1, 1, 1, false },
	[PMK_I_ALU_SHIFT] = { 1, 1, 1, false }, [PMK_I_ALU_RSHIFT] = { 2, 2, 2, false },
	[PMK_I_MUL] = { 2, 4, 3, true },	[PMK_I_MLA] = { 2, 4, 3, true },
	[PMK_I_MULL] = { 3, 5, 4, true },	[PMK_I_MLAL] = { 3, 5, 4, true },
	[PMK_I_MUL16] = { 1, 1, 2, true },	[PMK_I_MLAL16] = { 2, 2, 3, true },
	[PMK_I_MMUL] = { 2, 2, 3, true }, /* an ARMv6 instruction, which this core does not run */
	[PMK_I_LOAD] = { 1, 1, 2, false },	[PMK_I_STORE] = { 1, 1, 1, false },
	[PMK_I_LOADM] = { 1, 1, 2, false },	[PMK_I_STOREM] = { 1, 1, 1, false },
	[PMK_I_SWAP] = { 2, 2, 3, false },	[PMK_I_PRELOAD] = { 1, 1, 1, false },
	[PMK_I_BRANCH] = { 0, 0, 0, false },	[PMK_I_FP] = { 1, 1, 1, false },
};

struct board {
	int32_t next;		       /* when the next instruction may issue */
	int32_t ready[PMK_PIPE_REGS];  /* when each register is ready */
	int32_t as_sum[PMK_PIPE_REGS]; /* when each register is ready as an accumulator */
	uint32_t stall;		       /* number of cycles waited so far */
};

/* Returns the number of cycles of an access: one per word, and at least two for a load or store
 * multiple. LDRD and STRD have two words. */
static unsigned words_of(const struct pmk_insn *in)
{
	bool multiple = in->iclass == PMK_I_LOADM || in->iclass == PMK_I_STOREM;

	if (multiple && in->mem_count < 2)
		return 2;
	return in->mem_count > 1 ? in->mem_count : 1;
}

static unsigned cycles_of(const struct pmk_insn *in)
{
	const struct timing *t = &timing[in->iclass];
	unsigned cycles = in->sets_flags ? t->flag_cycles : t->cycles;

	if ((in->load || in->store) && in->iclass != PMK_I_SWAP)
		cycles = words_of(in);
	return cycles;
}

/* True for a load of a byte or half word. It takes one more cycle, in which the value is
 * aligned. */
static bool is_narrow(const struct pmk_insn *in)
{
	return in->load && in->mem_bytes < 4;
}

static int32_t issue_at(const struct board *b, const struct pmk_insn *in)
{
	int32_t at = b->next;

	for (unsigned r = 0; r < PMK_PIPE_PORT; r++) {
		bool sum = (int)r == in->ra ||
			   (in->iclass == PMK_I_MLAL && ((int)r == in->rd || (int)r == in->rd2));
		bool other = (int)r == in->rn || (int)r == in->rm || (int)r == in->rs;
		int32_t ready = sum && !other ? b->as_sum[r] : b->ready[r];

		if ((in->reads >> r & 1) && ready > at)
			at = ready;
	}
	return at;
}

/*
 * Times the results of a load. One loaded register arrives per cycle. A base that is written back
 * is available at once.
 */
static void load_results(struct board *b, const struct pmk_insn *in, int32_t issue)
{
	int32_t place = 0;

	for (unsigned r = 0; r < PMK_PIPE_PORT; r++) {
		bool loaded = in->list >> r & 1;

		if (in->iclass != PMK_I_LOADM)
			loaded = (int)r == in->rd || (int)r == in->rd2;
		if (!(in->writes >> r & 1) || !loaded)
			continue;
		b->ready[r] = b->as_sum[r] = issue + place++ + 2 + is_narrow(in);
	}
}

static void add_results(struct board *b, const struct pmk_insn *in, int32_t issue)
{
	const struct timing *t = &timing[in->iclass];
	unsigned extra = cycles_of(in) - t->cycles;
	int32_t ready = issue + t->latency + (int32_t)(in->sets_flags ? extra : 0);

	for (unsigned r = 0; r < PMK_PIPE_PORT; r++)
		if (in->writes >> r & 1) {
			b->ready[r] = in->load || in->store ? issue + 1 : ready;
			b->as_sum[r] = b->ready[r] - t->sums;
		}
	if (in->iclass == PMK_I_SWAP && in->rd >= 0 && in->rd < PMK_PIPE_PORT)
		b->ready[in->rd] = b->as_sum[in->rd] = issue + t->latency + is_narrow(in);
	else if (in->load)
		load_results(b, in, issue);
}

/* Times a sequence whose registers are available from cycle entry[] on. *b is the state at the end
 * of the sequence. */
static void issue_all(const struct pmk_insn *insn, size_t n, const int32_t entry[PMK_PIPE_REGS],
		      struct pmk_pipe_slot *slots, struct board *b)
{
	memset(b, 0, sizeof(*b));
	memcpy(b->ready, entry, sizeof(b->ready));
	memcpy(b->as_sum, entry, sizeof(b->as_sum));
	for (size_t i = 0; i < n; i++) {
		int32_t issue = issue_at(b, &insn[i]);

		b->stall += (uint32_t)(issue - b->next);
		b->next = issue + (int32_t)cycles_of(&insn[i]);
		add_results(b, &insn[i], issue);
		if (slots)
			slots[i].issue = (uint16_t)issue;
	}
}

/*
 * Returns one more than the latest cycle at which the register may become available without
 * delaying the end of the sequence.
 */
static uint8_t need_of(const struct pmk_insn *insn, size_t n, unsigned reg, int32_t end)
{
	int32_t entry[PMK_PIPE_REGS] = { 0 };
	struct board b;

	for (int32_t late = 1; late <= LATEST; late++) {
		entry[reg] = late;
		issue_all(insn, n, entry, NULL, &b);
		if (b.next > end)
			return (uint8_t)late;
	}
	return PMK_PIPE_FAR;
}

void pmk_arm9_pipeline_time(const struct pmk_core *core, const struct pmk_insn *insn, size_t n,
			    struct pmk_pipe_slot *slots, struct pmk_pipe_block *out)
{
	static const int32_t at_once[PMK_PIPE_REGS];
	uint64_t read = 0;
	struct board b;

	(void)core;
	issue_all(insn, n, at_once, slots, &b);
	*out = (struct pmk_pipe_block){ .cycles = (uint32_t)b.next,
					.data_stall = b.stall,
					.flag_distance = 15 };
	for (size_t i = 0; i < n; i++) {
		slots[i].use = (uint16_t)(b.next - slots[i].issue);
		read |= insn[i].reads;
		out->untimed += insn[i].iclass == PMK_I_FP;
	}
	for (unsigned r = 0; r < PMK_PIPE_REGS; r++) {
		bool reads = r != PMK_PIPE_PORT && (read >> r & 1);
		int32_t behind = r == PMK_PIPE_PORT ? 0 : b.ready[r] - b.next;

		out->need[r] = reads ? need_of(insn, n, r, b.next) : PMK_PIPE_FAR;
		out->residue[r] = behind > 0 ? (uint8_t)(behind + 1) : 0;
	}
}
