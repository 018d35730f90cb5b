// SPDX-License-Identifier: MIT
/* Runs one program on the model and compares it word by word with QEMU's log. */
#include "program.h"

#include <inttypes.h>
#include <string.h>

const char *const seen_names[NSEEN] = {
	[SEEN_UNDEFINED] = "undefined",	 [SEEN_TRAP_EL1] = "trap-to-el1",
	[SEEN_TRAP_EL2] = "trap-to-el2", [SEEN_TRAP_EL3] = "trap-to-el3",
	[SEEN_COUNT] = "count",		 [SEEN_OVERFLOW] = "overflow",
	[SEEN_INTERRUPT] = "interrupt",	 [SEEN_NONE] = "no-interrupt",
};

struct comparison {
	const uint64_t *log;
	size_t n, at;
	struct tally *tally;
	/* The first difference between the logs: the register, and its two values. */
	bool differs;
	unsigned reg;
	uint64_t ours, theirs, mask;
};

/*
 * Returns true if PMCCNTR is within the range that the divider's unknown phase allows. If so, the
 * model continues with QEMU's value.
 */
static bool within(struct machine *m, uint64_t ours, uint64_t theirs)
{
	uint64_t open = m->divided ? m->divided + 1 : 0;

	if (theirs - ours > open && ours - theirs > open)
		return false;
	if (theirs != ours) {
		m->model.cycles = theirs;
		m->divided = m->dividing;
	}
	return true;
}

static bool agree(struct comparison *b, struct machine *m, const struct op *op, unsigned reg,
		  uint64_t ours, uint64_t theirs)
{
	bool used[NRULES] = { false };
	bool exception = ours >> 48 == MARKER >> 48;
	bool read = op->kind != OP_WRITE && !exception;

	b->mask = UINT64_MAX;
	if (exception != (theirs >> 48 == MARKER >> 48))
		return false;
	if (read && reg == PMK_ARMV8_PMCCNTR && m->divided) {
		b->tally->masked[RULE_DIVIDER_PHASE]++;
		return within(m, ours, theirs);
	}
	if (read)
		b->mask = compared(m, reg, used);
	for (unsigned i = 0; i < NRULES; i++)
		b->tally->masked[i] += used[i];
	if ((ours ^ theirs) & b->mask)
		return false;
	/* The model does not know whether this flag is set, so it takes QEMU's value. */
	if (read && (reg == PMK_ARMV8_PMOVSCLR || reg == PMK_ARMV8_PMOVSSET) && m->flag_unsure) {
		m->model.ovs = (m->model.ovs & 0x7FFFFFFF) | (theirs & 0x80000000);
		m->flag_unsure = false;
	}
	return true;
}

static bool is_count(unsigned reg)
{
	return reg == PMK_ARMV8_PMCCNTR || reg == PMK_ARMV8_PMXEVCNTR ||
	       (reg >= PMK_ARMV8_PMEVCNTR0 && reg < PMK_ARMV8_PMEVTYPER0);
}

/* Increments the counter for words of this kind that are equal in both logs. */
static void count_seen(struct comparison *b, const struct op *op, unsigned reg, uint64_t value)
{
	unsigned *seen = b->tally->seen;

	if (value >> 48 == MARKER >> 48)
		seen[value & 0x3F ? SEEN_UNDEFINED + (value >> 8 & 3) : SEEN_UNDEFINED]++;
	else if (op->kind == OP_WRITE)
		return;
	else if (reg == NREGISTERS)
		seen[value ? SEEN_INTERRUPT : SEEN_NONE] += b->mask != 0;
	else if (is_count(reg) && value)
		seen[SEEN_COUNT]++;
	else if ((reg == PMK_ARMV8_PMOVSCLR || reg == PMK_ARMV8_PMOVSSET) && (value & b->mask))
		seen[SEEN_OVERFLOW]++;
}

static void logged(void *ctx, struct machine *m, const struct op *op, unsigned reg, uint64_t value)
{
	struct comparison *b = ctx;

	if (b->differs)
		return;
	b->reg = reg;
	b->ours = value;
	b->theirs = b->at < b->n ? b->log[b->at] : 0;
	b->differs = b->at >= b->n || !agree(b, m, op, reg, value, b->theirs);
	b->at++;
	b->tally->values++;
	if (!b->differs)
		count_seen(b, op, reg, value);
}

static void explain(const struct program *p, unsigned last, const struct comparison *b, FILE *out)
{
	char name[24];

	for (unsigned i = 0; i <= last; i++) {
		fprintf(out, "    ");
		op_print(out, &p->op[i]);
	}
	fprintf(out, "    %s: QEMU 0x%" PRIx64 ", model 0x%" PRIx64 ", compared 0x%" PRIx64 "%s\n",
		register_name(b->reg, name), b->theirs, b->ours, b->mask,
		b->at > b->n ? "; the log ends here" : "");
}

/* Returns the number of words that a program logs. */
static size_t words(const struct program *p)
{
	size_t n = 0;

	for (unsigned i = 0; i < p->n; i++) {
		unsigned kind = p->op[i].kind;

		n += kind == OP_READ || kind == OP_WRITE || kind == OP_PENDING;
		n += kind == OP_DUMP ? NDUMPED : 0;
	}
	return n;
}

size_t compare(const struct program *p, struct machine *m, const uint64_t *log, size_t n,
	       struct tally *t, FILE *out)
{
	struct comparison b = { .log = log, .n = n, .tally = t };

	for (unsigned i = 0; i < p->n && !b.differs; i++) {
		machine_step(m, &p->op[i], logged, &b);
		if (b.differs && out)
			explain(p, i, &b, out);
	}
	t->programs++;
	t->differences += b.differs;
	return words(p) < n ? words(p) : n;
}
