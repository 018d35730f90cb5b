// SPDX-License-Identifier: MIT
/*
 * Makes programs from a seed. A program resets the PMU, sets the control registers of EL3 and EL2,
 * usually sets up some counters, and then does random things: it accesses any register at any
 * level, runs loops, and changes the level. At its end it reads all registers at the highest level.
 * The generator runs the model, too, so it knows the level of the program and the values of
 * PMUSERENR and PMSELR. The first 16 programs try every register from EL0, each program with
 * another value of PMUSERENR.
 *
 * No expression uses two random numbers in unspecified order, so a seed gives the same programs
 * with every compiler.
 */
#include "program.h"

#include <assert.h>

struct maker {
	struct program *p;
	struct machine m;
	uint64_t random;
};

/* ---- chance -------------------------------------------------------------------------------- */

static uint64_t next(struct maker *g)
{
	g->random ^= g->random >> 12;
	g->random ^= g->random << 25;
	g->random ^= g->random >> 27;
	return g->random * 0x2545F4914F6CDD1D;
}

static unsigned below(struct maker *g, unsigned n)
{
	return (unsigned)((next(g) >> 32) % n);
}

static bool chance(struct maker *g, unsigned percent)
{
	return below(g, 100) < percent;
}

/* In 15 of 100 cases, returns random values for the undefined bits of a register, `where`. */
static uint64_t noise(struct maker *g, uint64_t where)
{
	return chance(g, 15) ? next(g) & where : 0;
}

/* ---- values -------------------------------------------------------------------------------- */

static uint64_t pmcr(struct maker *g)
{
	uint64_t v = chance(g, 80);

	v |= (uint64_t)chance(g, 8) << 1;  /* P */
	v |= (uint64_t)chance(g, 8) << 2;  /* C */
	v |= (uint64_t)chance(g, 15) << 3; /* D */
	v |= next(g) & 0xF0;		   /* X, DP, LC, LP */
	return v | noise(g, UINT64_C(0xFFFFFFFEFFFFFF00));
}

static uint64_t set_of_counters(struct maker *g)
{
	switch (below(g, 4)) {
	case 0:
		return UINT64_MAX;
	case 1:
		return UINT64_C(1) << below(g, 6);
	case 2:
		return 0x80000000 | (next(g) & 0x3F);
	default:
		return next(g);
	}
}

static uint64_t filter(struct maker *g)
{
	/* The filters for EL0 and EL1; EL0; EL1; all levels; EL2; Non-secure only; all but EL3. */
	static const uint32_t common[] = { 0,	       0x80000000, 0x40000000, 0x08000000,
					   0xC8000000, 0xF0000000, 0x04000000 };

	return chance(g, 60) ? common[below(g, 7)] : next(g) & 0xFE000000;
}

static uint64_t type(struct maker *g)
{
	/*
	 * SW_INCR, INST_RETIRED and CPU_CYCLES; events that never happen; events that do not exist.
	 */
	static const uint16_t events[] = { 0x00, 0x08, 0x08, 0x08, 0x11, 0x11,
					   0x23, 0x24, 0x3C, 0x1E, 0x04, 0x21 };
	uint64_t event = chance(g, 92) ? events[below(g, 12)] : next(g) & 0xFFFF;

	event |= filter(g);
	return event | noise(g, UINT64_C(0xFFFFFFFF01FF0000));
}

static uint64_t count(struct maker *g)
{
	uint64_t high;

	switch (below(g, 7)) {
	case 0:
		return 0;
	case 1:
		return below(g, 1000);
	case 2:
	case 3:
		return UINT32_MAX - below(g, 400);
	case 4:
		return UINT64_MAX - below(g, 400);
	case 5:
		high = next(g) & UINT64_C(0xFFFFFFFF00000000);
		return high | (UINT32_MAX - below(g, 400));
	default:
		high = next(g);
		return high >> below(g, 40);
	}
}

static uint64_t select_value(struct maker *g)
{
	uint64_t v = chance(g, 80) ? below(g, COUNTERS) : chance(g, 50) ? 31 : below(g, 32);

	return v | noise(g, UINT64_C(0xFFFFFFFFFFFFFFE0));
}

static uint64_t mdcr_el2(struct maker *g)
{
	uint64_t v = chance(g, 50) ? COUNTERS : 1 + below(g, COUNTERS); /* HPMN */

	v |= (uint64_t)chance(g, 50) << 7;  /* HPME */
	v |= (uint64_t)chance(g, 10) << 6;  /* TPM */
	v |= (uint64_t)chance(g, 10) << 5;  /* TPMCR */
	v |= (uint64_t)chance(g, 25) << 17; /* HPMD */
	v |= (uint64_t)chance(g, 25) << 23; /* HCCD */
	v |= (uint64_t)chance(g, 50) << 26; /* HLP */
	return v;
}

static uint64_t mdcr_el3(struct maker *g)
{
	uint64_t v = (uint64_t)chance(g, 60) << 17; /* SPME */

	v |= (uint64_t)chance(g, 8) << 6;   /* TPM */
	v |= (uint64_t)chance(g, 25) << 23; /* SCCD */
	return v;
}

static uint64_t scr_el3(struct maker *g)
{
	uint64_t v = SCR_RW | (chance(g, 50) ? SCR_NS : 0);

	return v | (g->m.core->secure_el2 && chance(g, 50) ? SCR_EEL2 : 0);
}

static uint64_t value_for(struct maker *g, unsigned reg)
{
	uint64_t v;

	switch (reg) {
	case PMK_ARMV8_PMCR:
		return pmcr(g);
	case PMK_ARMV8_PMSELR:
		return select_value(g);
	case PMK_ARMV8_PMCCNTR:
	case PMK_ARMV8_PMXEVCNTR:
		return count(g);
	case PMK_ARMV8_PMCCFILTR:
		v = filter(g);
		return v | noise(g, UINT64_C(0xFFFFFFFF01FFFFFF));
	case PMK_ARMV8_PMXEVTYPER:
		return type(g);
	case PMK_ARMV8_PMUSERENR:
		return chance(g, 60) ? next(g) & 0xF : next(g);
	case MDCR_EL2:
		return mdcr_el2(g);
	case MDCR_EL3:
		return mdcr_el3(g);
	case HCR_EL2:
		return HCR_RW | (chance(g, 30) ? HCR_TGE : 0);
	case SCR_EL3:
		return scr_el3(g);
	default:
		break;
	}
	if (reg >= PMK_ARMV8_PMEVTYPER0 && reg < PMK_ARMV8_NREGS)
		return type(g);
	return reg >= PMK_ARMV8_PMEVCNTR0 && reg < PMK_ARMV8_NREGS ? count(g) : set_of_counters(g);
}

static unsigned any_register(struct maker *g)
{
	unsigned n = chance(g, 95) ? below(g, COUNTERS) : below(g, 31);
	unsigned reg;

	switch (below(g, 10)) {
	case 0:
	case 1:
		return PMK_ARMV8_PMEVCNTR0 + n;
	case 2:
		return PMK_ARMV8_PMEVTYPER0 + n;
	case 3:
		return PMK_ARMV8_PMSWINC;
	default:
		reg = below(g, PMK_ARMV8_PMEVCNTR0);
		/*
		 * Whether this register traps at EL0 depends on FEAT_IDST, so the program reads
		 * another one.
		 */
		return reg == PMK_ARMV8_DFR0 && g->m.el == 0 ? PMK_ARMV8_PMCCNTR : reg;
	}
}

/* ---- operations ---------------------------------------------------------------------------- */

static void ignore(void *ctx, struct machine *m, const struct op *op, unsigned reg, uint64_t value)
{
	(void)ctx, (void)m, (void)op, (void)reg, (void)value;
}

static void append(struct maker *g, struct op op)
{
	assert(g->p->n < MAX_OPS);
	g->p->op[g->p->n++] = op;
	machine_step(&g->m, &op, ignore, NULL);
}

static void access(struct maker *g, struct op op)
{
	struct machine trial;

	if (!keep_clear(&g->m, &op))
		return;
	/* Writing 0 changes nothing, even if it is denied, but makes QEMU update its flags. */
	if (needs_flags(&op))
		append(g, (struct op){ .kind = OP_WRITE, .reg = PMK_ARMV8_PMCNTENSET });
	trial = g->m;
	machine_step(&trial, &op, ignore, NULL);
	if (!trial.flag_lost)
		append(g, op);
}

static void write_to(struct maker *g, unsigned reg)
{
	access(g, (struct op){ .kind = OP_WRITE, .reg = (uint8_t)reg, .value = value_for(g, reg) });
}

static void check_line(struct maker *g)
{
	if (chance(g, 40))
		write_to(g, PMK_ARMV8_PMOVSSET);
	/* This write changes nothing, but makes QEMU update its interrupt line. */
	if (g->m.line_late && chance(g, 70))
		append(g, (struct op){ .kind = OP_WRITE, .reg = PMK_ARMV8_PMINTENSET });
	access(g, (struct op){ .kind = OP_PENDING });
}

static void loop(struct maker *g)
{
	unsigned n = 1 + (chance(g, 95) ? below(g, 300) : below(g, 5000));

	append(g, (struct op){ .kind = OP_LOOP, .value = n });
}

static bool can_go(const struct maker *g, unsigned to)
{
	bool el2 = machine_el2(&g->m);

	if (to == 2)
		return el2;
	return !(to == 1 && el2 && (g->m.hcr & HCR_TGE)); /* with TGE, EL1 cannot be returned to */
}

static void down(struct maker *g)
{
	unsigned from = g->m.el, to = below(g, from);

	if (can_go(g, to))
		append(g, (struct op){ .kind = OP_DOWN, .from = (uint8_t)from, .to = (uint8_t)to });
}

static void up(struct maker *g)
{
	uint64_t insn = SMC;

	if (g->m.el == 0)
		insn = SVC;
	else if (g->m.el == 1 && machine_el2(&g->m) && (!g->m.board->el3 || chance(g, 50)))
		insn = HVC;
	append(g, (struct op){ .kind = OP_UP, .value = insn });
}

static void control(struct maker *g)
{
	unsigned reg = g->m.board->el2 && chance(g, 60) ? MDCR_EL2 : SCR_EL3;

	if (reg == MDCR_EL2 && g->m.el >= 2)
		write_to(g, chance(g, 75) ? MDCR_EL2 : HCR_EL2);
	else if (reg == SCR_EL3 && g->m.el == 3)
		write_to(g, chance(g, 60) ? MDCR_EL3 : SCR_EL3);
}

static void one(struct maker *g)
{
	unsigned dice = below(g, 100);
	/* The GIC shows a Secure interrupt only to Secure state. */
	bool line = !g->m.board->el3 || g->m.el == 3;

	if (dice < 32)
		access(g, (struct op){ .kind = OP_READ, .reg = (uint8_t)any_register(g) });
	else if (dice < 66)
		write_to(g, any_register(g));
	else if (dice < 78)
		loop(g);
	else if (dice < 83 && line)
		check_line(g);
	else if (dice < 88)
		control(g);
	else if (dice < 94 && g->m.el > 0)
		down(g);
	else if (g->m.el < machine_top(&g->m))
		up(g);
}

/* Sets up counters so that they soon count and overflow. */
static void set_up(struct maker *g)
{
	for (unsigned n = 0; n < COUNTERS; n++) {
		if (chance(g, 75))
			write_to(g, PMK_ARMV8_PMEVTYPER0 + n);
		if (chance(g, 50))
			write_to(g, PMK_ARMV8_PMEVCNTR0 + n);
	}
	if (chance(g, 50))
		write_to(g, PMK_ARMV8_PMCCFILTR);
	if (chance(g, 30))
		write_to(g, PMK_ARMV8_PMCCNTR);
	if (chance(g, 70))
		write_to(g, PMK_ARMV8_PMINTENSET);
	if (chance(g, 60))
		write_to(g, PMK_ARMV8_PMUSERENR);
	append(g,
	       (struct op){ .kind = OP_WRITE, .reg = PMK_ARMV8_PMCNTENSET, .value = UINT64_MAX });
	write_to(g, PMK_ARMV8_PMCR);
}

static void begin(struct maker *g, const struct core *core, const struct board *board)
{
	machine_init(&g->m, core, board, FAULT_NONE);
	g->p->n = 0;
	append(g, (struct op){ .kind = OP_RESET });
}

static void set_controls(struct maker *g)
{
	if (g->m.board->el3) {
		append(g, (struct op){ .kind = OP_WRITE, .reg = MDCR_EL3 });
		write_to(g, SCR_EL3);
		write_to(g, MDCR_EL3);
	}
	if (g->m.board->el2) {
		write_to(g, MDCR_EL2);
		write_to(g, HCR_EL2);
	}
}

static void finish(struct maker *g)
{
	while (g->m.el < machine_top(&g->m))
		up(g);
	append(g, (struct op){ .kind = OP_DUMP });
}

/* Reads and writes every register once at EL0. */
static void every_access(struct maker *g, uint64_t userenr)
{
	struct op op = { .kind = OP_WRITE, .reg = PMK_ARMV8_PMUSERENR, .value = userenr };

	append(g, op);
	write_to(g, PMK_ARMV8_PMSELR);
	append(g, (struct op){ .kind = OP_DOWN, .from = (uint8_t)g->m.el, .to = 0 });
	for (unsigned reg = 0; reg <= PMK_ARMV8_PMEVCNTR0 + COUNTERS; reg++) {
		if (reg == PMK_ARMV8_DFR0) /* depends on FEAT_IDST */
			continue;
		access(g, (struct op){ .kind = OP_READ, .reg = (uint8_t)reg });
		write_to(g, reg);
	}
	for (unsigned n = COUNTERS - 1; n <= COUNTERS; n++) {
		access(g,
		       (struct op){ .kind = OP_READ, .reg = (uint8_t)(PMK_ARMV8_PMEVTYPER0 + n) });
		write_to(g, PMK_ARMV8_PMEVTYPER0 + n);
	}
}

static void random_accesses(struct maker *g)
{
	unsigned length;

	if (chance(g, 80))
		set_up(g);
	length = g->p->n + 10 + below(g, 30);
	while (g->p->n < length && g->p->n < MAX_OPS - 10)
		one(g);
}

void generate(struct program *p, const struct core *core, const struct board *board, uint64_t seed,
	      unsigned index)
{
	struct maker g = { .p = p, .random = ((seed << 32) + index + 1) * 0x9E3779B97F4A7C15 };

	begin(&g, core, board);
	set_controls(&g);
	if (index < 16)
		every_access(&g, index);
	else
		random_accesses(&g);
	finish(&g);
}

void demonstrate(struct program *p, const struct deviation *d)
{
	struct maker g = { .p = p };

	begin(&g, core_find(d->core), board_find(d->board));
	if (g.m.board->el2)
		append(&g, (struct op){ .kind = OP_WRITE, .reg = HCR_EL2, .value = HCR_RW });
	for (unsigned i = 0; i < d->n; i++)
		append(&g, d->op[i]);
	append(&g, (struct op){ .kind = OP_DUMP });
}
