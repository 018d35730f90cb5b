// SPDX-License-Identifier: MIT
/*
 * Exceptions of A64 cores in system emulation. The address of the vectors is in registers that an
 * emulator does not show, so pmk recognises an exception by its effect: control goes to one of the
 * 16 slots of 128 bytes of a table at a multiple of 2 KB (DDI 0487, D1.10.2), and one of these is
 * true:
 *
 * - the block before does not lead there: it continues after its last instruction, or at the target
 *   of a direct branch;
 * - the block before may lead anywhere, by an indirect branch or an exception return, and the table
 *   is known, or an access of the block before was not made.
 *
 * A table is known when pmk can compute its address from the code that sets it, or as soon as an
 * exception through it was certain. Earlier entries into the table are then counted as exceptions.
 * So a program that branches to a vector through a register makes an exception (our choice).
 */
#include <stdlib.h>
#include <string.h>

#include <pmk/error.h>

#include "cpu/a64/a64.h"
#include "cpu/sites.h"

#define SLOT_BYTES  128u
#define TABLE_BYTES 2048u

enum kind { SYNCHRONOUS, IRQ, FIQ, SERROR };

static enum kind kind_of(uint64_t pc)
{
	return (enum kind)(pc / SLOT_BYTES % 4);
}

/* ---- tables that code sets ------------------------------------------------------------------- */

#define MAX_SET 16

/* pmk_decoder.own: tables that the code decoded so far sets; the oldest is replaced. */
struct set {
	uint64_t base[MAX_SET];
	unsigned n;
};

int pmk_a64_decoder_init(struct pmk_decoder *d)
{
	if (!d->system)
		return 0;
	d->own = calloc(1, sizeof(struct set));
	return d->own ? 0 : PMK_ENOMEM;
}

static bool is_set(const struct set *set, uint64_t base)
{
	for (unsigned i = 0; set && i < MAX_SET; i++)
		if (set->base[i] == base && base)
			return true;
	return false;
}

unsigned pmk_a64_vector(const struct pmk_decoder *d, const struct pmk_core *core, uint64_t pc)
{
	(void)core;
	if (pc % SLOT_BYTES)
		return 0;
	return PMK_ENTRY_VECTOR | (kind_of(pc) == SYNCHRONOUS ? PMK_ENTRY_FAULT : 0) |
	       (is_set(d->own, pc & ~(uint64_t)(TABLE_BYTES - 1)) ? PMK_ENTRY_SET : 0);
}

static uint64_t field(uint32_t w, unsigned hi, unsigned lo)
{
	return w >> lo & ((UINT32_C(2) << (hi - lo)) - 1);
}

/* Computes the value that the instruction leaves in its register Rd [4:0], only from constants and
 * X registers. `known` has a bit for each register whose value is known. Returns false for an
 * instruction that this function does not compute. */
static bool compute(uint32_t w, uint64_t pc, const uint64_t x[32], uint32_t known, uint64_t *value)
{
	unsigned n = (unsigned)field(w, 9, 5), m = (unsigned)field(w, 20, 16);
	uint64_t offset = field(w, 23, 5) << 2 | field(w, 30, 29), imm16 = field(w, 20, 5);
	unsigned at = 16 * (unsigned)field(w, 22, 21);

	offset = (offset ^ UINT64_C(1) << 20) - (UINT64_C(1) << 20);
	if ((w & 0x9f000000) == 0x10000000) { /* ADR */
		*value = pc + offset;
	} else if ((w & 0x9f000000) == 0x90000000) { /* ADRP */
		*value = (pc & ~UINT64_C(0xfff)) + (offset << 12);
	} else if ((w & 0xff800000) == 0x91000000 && known >> n & 1) { /* ADD without a shift */
		*value = x[n] + field(w, 21, 10);
	} else if ((w & 0xff800000) == 0xd2800000) { /* MOVZ */
		*value = imm16 << at;
	} else if ((w & 0xff800000) == 0xf2800000 && known >> (w & 31) & 1) { /* MOVK */
		*value = (x[w & 31] & ~(UINT64_C(0xffff) << at)) | imm16 << at;
	} else if ((w & 0xffe0ffe0) == 0xaa0003e0 && known >> m & 1) { /* MOV */
		*value = x[m];
	} else {
		return false;
	}
	return true;
}

/* True for MSR VBAR_EL1, _EL2, _EL3, _EL12. */
static bool sets_vectors(uint32_t w)
{
	uint32_t reg = w & 0xffffffe0;

	return reg == 0xd518c000 || reg == 0xd51cc000 || reg == 0xd51ec000 || reg == 0xd51dc000;
}

void pmk_a64_find_vectors(struct pmk_decoder *d, const struct pmk_raw *raw,
			  const struct pmk_insn *in, size_t n)
{
	struct set *set = d->own;
	uint64_t x[32] = { 0 }, value;
	uint32_t known = 0;

	for (size_t i = 0; i < n; i++) {
		uint32_t w;

		memcpy(&w, raw[i].byte, sizeof(w));
		if (sets_vectors(w) && known >> (w & 31) & 1 && !is_set(set, x[w & 31]))
			set->base[set->n++ % MAX_SET] = x[w & 31];
		if (compute(w, raw[i].addr, x, known, &value) && (w & 31) != 31) {
			x[w & 31] = value;
			known |= UINT32_C(1) << (w & 31);
		} else {
			known &= ~(uint32_t)in[i].writes;
		}
	}
}

/* ---- recognising exceptions ------------------------------------------------------------------ */

/* Returns the table that `pc` is in. A new table replaces the oldest table that is not certain, or
 * the oldest of all if all are certain. */
static struct pmk_a64_vectors *table_of(struct pmk_a64 *v, uint64_t pc)
{
	uint64_t base = pc & ~(uint64_t)(TABLE_BYTES - 1);
	struct pmk_a64_vectors *t;

	for (unsigned i = 0; i < PMK_A64_VECTORS; i++)
		if (v->vectors[i].base == base)
			return &v->vectors[i];
	for (unsigned i = 0; i < PMK_A64_VECTORS; i++) {
		t = &v->vectors[v->next_vectors++ % PMK_A64_VECTORS];
		if (!t->sure)
			break;
	}
	*t = (struct pmk_a64_vectors){ .base = base };
	return t;
}

/* True if `p` may lead to any address, as far as is known. */
static bool leads_anywhere(const struct pmk_block *p)
{
	return p->flow == PMK_FLOW_INDIRECT || p->flow == PMK_FLOW_INDCALL ||
	       p->flow == PMK_FLOW_RETURN || p->flow == PMK_FLOW_MODE;
}

/* True if the program may continue at `pc` after block `p`, for which leads_anywhere() is false.
 * When the emulator handles a request by itself, such as semihosting, the program continues after
 * it. */
static bool leads_to(const struct pmk_block *p, uint64_t pc)
{
	if (p->flow == PMK_FLOW_JUMP || p->flow == PMK_FLOW_CALL)
		return pc == p->target || (p->conditional && pc == p->fall);
	return pc == p->fall;
}

/* ---- kinds of exceptions --------------------------------------------------------------------- */

/*
 * Returns the signal of a synchronous exception after `p`, other than a data fault. If `p` ends in
 * the middle of a page without a branch, its last instruction was undefined or trapped, because
 * such an instruction ends its block. If `p` ends for another reason, the next instruction could
 * not be fetched (our choice).
 */
static unsigned signal_behind(const struct pmk_block *p)
{
	if (p->a64.raises != PMK_SIG_NONE)
		return p->a64.raises;
	if (p->flow == PMK_FLOW_NEXT && p->fall & ((1u << PMK_PAGE_SHIFT) - 1))
		return PMK_SIG_EXC_UNDEF;
	return PMK_SIG_EXC_PABORT;
}

/*
 * Returns the signal that an exception of this kind raises in addition to EXC_TAKEN. `faulted` is
 * true if the block `p`, which came before the exception, was left early.
 */
static unsigned signal_of(enum kind kind, const struct pmk_block *p, bool faulted)
{
	switch (kind) {
	case IRQ:
		return PMK_SIG_EXC_IRQ;
	case FIQ:
		return PMK_SIG_EXC_FIQ;
	case SERROR:
		return PMK_SIG_EXC_DABORT;
	case SYNCHRONOUS:
		break;
	}
	return faulted ? PMK_SIG_EXC_DABORT : signal_behind(p);
}

static void count(struct pmk_cpu *cpu, unsigned signal, uint64_t n)
{
	pmk_sites_at(cpu, PMK_SITE_END);
	cpu->dyn[PMK_SIG_EXC_TAKEN] += n;
	cpu->dyn[signal] += n;
}

/*
 * Counts the earlier entries of a table that is now certain as exceptions. Each of them followed an
 * indirect branch or an exception return.
 */
static void is_sure(struct pmk_cpu *cpu, struct pmk_a64_vectors *t)
{
	static const uint8_t signals[] = {
		[SYNCHRONOUS] = PMK_SIG_EXC_PABORT,
		[IRQ] = PMK_SIG_EXC_IRQ,
		[FIQ] = PMK_SIG_EXC_FIQ,
		[SERROR] = PMK_SIG_EXC_DABORT,
	};

	t->sure = true;
	for (unsigned k = 0; k < sizeof(signals); k++) {
		count(cpu, signals[k], t->entered[k]);
		t->entered[k] = 0;
	}
}

void pmk_a64_handle(struct pmk_cpu *cpu, const struct pmk_block *b)
{
	const struct pmk_block *p = cpu->prev;
	struct pmk_a64_vectors *t;
	bool known, faulted;

	if (!cpu->core.system) {
		pmk_cpu_left_early(cpu, b);
		return;
	}
	if (p == cpu->origin || (!leads_anywhere(p) && leads_to(p, b->pc)))
		return;
	t = table_of(cpu->a64.tables, b->pc);
	known = t->sure || b->vector_set || !leads_anywhere(p);
	/*
	 * An entry that is not known to be an exception counts as one if the block before certainly
	 * faulted.
	 */
	faulted = pmk_cpu_fault(cpu, b->faulted && known ? PMK_CAUSE_FAULT : PMK_CAUSE_OTHER);
	if (!faulted && !known) {
		t->entered[kind_of(b->pc)]++;
		return;
	}
	if (!faulted) {
		/* The owner of the core follows calls, and needs `prev`, which
		 * pmk_a64_interrupted() changes. */
		if (pmk_emulator.follow)
			pmk_emulator.follow(cpu->index, b, false);
		pmk_a64_interrupted(cpu, p);
	}
	if (cpu->level.watched)
		pmk_a64_takes(cpu, b->pc % TABLE_BYTES >= TABLE_BYTES / 2);
	if (!t->sure)
		is_sure(cpu, t);
	count(cpu, signal_of(kind_of(b->pc), p, faulted), 1);
}
