// SPDX-License-Identifier: MIT
/*
 * Where QEMU 7.2 deviates from the architecture, or makes another choice than the model where the
 * architecture leaves one. Each entry is as narrow as possible: it excludes an operation, or bits
 * in one situation. A program demonstrates each entry. If QEMU no longer behaves as described, the
 * program's test fails. Then the entry must be removed, or marked as mended as long as older
 * versions of QEMU are in use.
 *
 * Sources: DDI 0487, D13 (PMU), D23 (registers), J1 (pseudocode), Glossary.
 */
#include "program.h"

/* clang-format off */
#define READ(r)       { .kind = OP_READ, .reg = (r) }
#define WRITE(r, v)   { .kind = OP_WRITE, .reg = (r), .value = (v) }
#define LOOP(n)       { .kind = OP_LOOP, .value = (n) }
#define PENDING       { .kind = OP_PENDING }
#define GO_DOWN(a, b) { .kind = OP_DOWN, .from = (a), .to = (b) }
#define GO_UP(insn)   { .kind = OP_UP, .value = (insn) }
#define OPS(...) \
	.op = (const struct op[]){ __VA_ARGS__ }, \
	.n = sizeof((const struct op[]){ __VA_ARGS__ }) / sizeof(struct op)
/* clang-format on */

#define EVCNTR(n)  (PMK_ARMV8_PMEVCNTR0 + (n))
#define EVTYPER(n) (PMK_ARMV8_PMEVTYPER0 + (n))

/* Bits of PMCR.P; MDCR_EL2.{HPMD,HPME,TPMCR,TPM}; MDCR_EL3.{SPME,TPM}; PMEVTYPER.SH. */
#define PMCR_P	  UINT64_C(0x00000002)
#define EL2_HPMD  UINT64_C(0x00020000)
#define EL2_HPME  UINT64_C(0x00000080)
#define EL2_TPMCR UINT64_C(0x00000020)
#define TPM	  UINT64_C(0x00000040)
#define EL3_SPME  UINT64_C(0x00020000)
#define TYPER_SH  UINT64_C(0x01000000)

/*
 * The instructions that are counted after the MSR that enables counting: ISB and STR, a loop with
 * 10 iterations, and MRS.
 */
#define COUNTED (AFTER_WRITE + LOOP_ONCE + 10 * LOOP_EACH + BEFORE_READ)

/* clang-format off */
const struct deviation deviations[NRULES] = {
	[RULE_LP_KEPT] = {
		.name = "lp-is-kept",
		.qemu = "PMCR.LP reads as written before PMUv3p5, without effect",
		.architecture = "RES0: it may be kept, or read as 0; ours reads as 0",
		.ref = "PMCR_EL0.LP; Glossary, RES0",
		.core = "cortex-a53", .board = "el1",
		OPS(WRITE(PMK_ARMV8_PMCR, 0x80), READ(PMK_ARMV8_PMCR)),
		.theirs = 0x41033080, .ours = 0x41033000,
	},
	[RULE_TYPE_BITS] = {
		.name = "type-bits-are-kept",
		.qemu = "PMEVTYPER.{NSK,NSU,NSH,M,MT} and those of PMCCFILTR read as written "
			"without EL2, EL3 and threads, without effect",
		.architecture = "RES0: they may be kept, or read as 0; ours read as 0",
		.ref = "PMEVTYPER<n>_EL0; Glossary, RES0",
		.core = "cortex-a53", .board = "el1",
		OPS(WRITE(EVTYPER(0), 0x3E000000), READ(EVTYPER(0))),
		.theirs = 0x3E000000, .ours = 0,
	},
	[RULE_EVENT_BITS] = {
		.name = "wide-event-before-p1",
		.qemu = "PMEVTYPER.evtCount has 16 bits on every core: 0x4008 is an unknown event",
		.architecture = "bits 15:10 are RES0 before PMUv3p1 and have no effect: 0x4008 "
			"counts as 0x008",
		.ref = "PMEVTYPER<n>_EL0.evtCount; Glossary, RES0",
		.core = "cortex-a53", .board = "el1",
		OPS(WRITE(EVTYPER(0), 0x4008), WRITE(PMK_ARMV8_PMCNTENSET, 1), WRITE(PMK_ARMV8_PMCR,
			1),
		    LOOP(10), READ(EVCNTR(0))),
		.theirs = 0, .ours = COUNTED,
	},
	[RULE_FLAGS_LATE] = {
		.name = "flags-are-late",
		.qemu = "PMOVS shows an overflow only after an access that looks at the counter",
		.architecture = "the flag is set when the counter overflows",
		.ref = "D13.3; IncrementEventCounter",
		.core = "cortex-a53", .board = "el1",
		OPS(WRITE(EVTYPER(0), 8), WRITE(EVCNTR(0), 0xFFFFFFFF), WRITE(PMK_ARMV8_PMCNTENSET,
			1),
		    WRITE(PMK_ARMV8_PMCR, 1), LOOP(10), READ(PMK_ARMV8_PMOVSSET)),
		.theirs = 0, .ours = 1,
	},
	[RULE_LINE_LATE] = {
		.name = "line-is-late",
		.qemu = "a write of PMCR.E leaves the interrupt as it is until PMOVS or PMINTEN "
			"is written",
		.architecture = "the interrupt is the OR of PMOVS AND PMINTEN AND E at any time",
		.ref = "D13.3.1; CheckPMUOverflowCondition",
		.core = "cortex-a53", .board = "el1",
		OPS(WRITE(PMK_ARMV8_PMOVSSET, 1), WRITE(PMK_ARMV8_PMINTENSET, 1),
			WRITE(PMK_ARMV8_PMCR, 1),
		    PENDING),
		.theirs = 0, .ours = 1,
	},
	[RULE_LINE_HPME] = {
		.name = "line-without-hpme",
		.qemu = "PMCR.E lets all counters interrupt",
		.architecture = "MDCR_EL2.HPME is the E of the counters from HPMN on",
		.ref = "D13.3.1; CheckPMUOverflowCondition; MDCR_EL2.HPME",
		.core = "cortex-a53", .board = "el2",
		OPS(WRITE(MDCR_EL2, EL2_HPME | 3), WRITE(PMK_ARMV8_PMOVSSET, 8),
		    WRITE(PMK_ARMV8_PMINTENSET, 8), PENDING),
		.theirs = 0, .ours = 1,
	},
	/*
	 * The divider runs twice for 32 cycles, with a break of 32 cycles. The model's divider
	 * continues where it stopped, so it counts one step. In QEMU, each of the two periods
	 * contains a multiple of 64, or neither does, because QEMU's clock does not always begin at
	 * the same number.
	 */
	[RULE_DIVIDER_PHASE] = {
		.name = "divider-phase",
		.qemu = "with PMCR.D = 1, PMCCNTR takes a step at the multiples of 64 of the clock",
		.architecture = "every 64th cycle, from which on is not said; ours from PMCR.C "
				"on, and only those that are counted",
		.ref = "PMCR_EL0.D; IncrementCycleCounter",
		.core = "cortex-a53", .board = "el1",
		OPS(WRITE(PMK_ARMV8_PMCNTENSET, 0x80000000), WRITE(PMK_ARMV8_PMCR, 9), LOOP(12),
		    WRITE(PMK_ARMV8_PMCR, 8), LOOP(12), WRITE(PMK_ARMV8_PMCR, 9), LOOP(12),
		    WRITE(PMK_ARMV8_PMCR, 8), READ(PMK_ARMV8_PMCCNTR)),
		.theirs = 0, .either = 2, .ours = 1,
	},
	[RULE_HPMN_SETS] = {
		.name = "hpmn-sets",
		.qemu = "PMCNTEN, PMINTEN, PMOVS and PMSWINC reach all counters from EL1 and EL0",
		.architecture = "bits HPMN … N - 1 are RAZ/WI at EL1 and EL0",
		.ref = "PMCNTENSET_EL0.P<n>; MDCR_EL2.HPMN",
		.core = "cortex-a53", .board = "el2",
		OPS(WRITE(MDCR_EL2, 3), WRITE(PMK_ARMV8_PMCNTENSET, 0x3F), GO_DOWN(2, 1),
		    READ(PMK_ARMV8_PMCNTENSET), GO_UP(HVC)),
		.theirs = 0x3F, .ours = 0x07,
	},
	[RULE_HPMN_COUNTERS] = {
		.name = "hpmn-counters",
		.qemu = "PMEVCNTR<n>, PMEVTYPER<n> and PMXEV… reach all counters from EL1 and EL0",
		.architecture = "an access to counters HPMN … N - 1 from EL1 or EL0 is trapped to "
			"EL2",
		.ref = "PMEVCNTR<n>_EL0, accessibility; MDCR_EL2.HPMN",
		.core = "cortex-a53", .board = "el2",
		OPS(WRITE(MDCR_EL2, 3), GO_DOWN(2, 1), READ(EVCNTR(3)), GO_UP(HVC)),
		.theirs = 0, .ours = MARKER + 0x218,
	},
	[RULE_HPMN_CLEAR] = {
		.name = "hpmn-clear",
		.qemu = "PMCR.P clears all counters from EL1 and EL0",
		.architecture = "it clears those below HPMN",
		.ref = "PMCR_EL0.P",
		.core = "cortex-a53", .board = "el2",
		OPS(WRITE(MDCR_EL2, 3), WRITE(EVCNTR(3), 7), GO_DOWN(2, 1), WRITE(PMK_ARMV8_PMCR,
			PMCR_P),
		    GO_UP(HVC), READ(EVCNTR(3))),
		.theirs = 0, .ours = 7,
	},
	[RULE_TPM_SHORTCUT] = {
		.name = "tpm-shortcut",
		.qemu = "what PMUSERENR.{ER,CR,SW} permits EL0 is not trapped by MDCR_EL2.TPM and "
			"MDCR_EL3.TPM",
		.architecture = "PMUSERENR first, then TPM: it is trapped",
		.ref = "PMSELR_EL0, accessibility",
		.core = "cortex-a53", .board = "el2",
		OPS(WRITE(MDCR_EL2, TPM | 6), WRITE(PMK_ARMV8_PMUSERENR, 8), GO_DOWN(2, 0),
		    READ(PMK_ARMV8_PMSELR), GO_UP(SVC), GO_UP(HVC)),
		.theirs = 0, .ours = MARKER + 0x218,
	},
	[RULE_TPMCR] = {
		.name = "tpmcr-is-ignored",
		.qemu = "MDCR_EL2.TPMCR has no effect",
		.architecture = "it traps accesses to PMCR from EL1 and EL0 to EL2",
		.ref = "MDCR_EL2.TPMCR",
		.core = "cortex-a53", .board = "el2",
		OPS(WRITE(MDCR_EL2, EL2_TPMCR | 6), GO_DOWN(2, 1), READ(PMK_ARMV8_PMCR),
			GO_UP(HVC)),
		/* QEMU 10.0 has the right value */
		.theirs = 0x41033000, .ours = MARKER + 0x218, .mended = true,
	},
	[RULE_HPMD_EARLY] = {
		.name = "hpmd-before-p1",
		.qemu = "MDCR_EL2.HPMD prohibits counting at EL2 on every core",
		.architecture = "RES0 before PMUv3p1: without effect",
		.ref = "MDCR_EL2.HPMD; Glossary, RES0",
		.core = "cortex-a53", .board = "el2",
		OPS(WRITE(MDCR_EL2, EL2_HPMD | 6), WRITE(EVTYPER(0), 0x08000008),
		    WRITE(PMK_ARMV8_PMCNTENSET, 1), WRITE(PMK_ARMV8_PMCR, 1), LOOP(10),
			READ(EVCNTR(0))),
		.theirs = 0, .ours = COUNTED,
	},
	[RULE_EL2_DISABLED] = {
		.name = "el2-disabled",
		.qemu = "where EL2 is not enabled in Secure state, HPMN counts as 0 and HPME as "
			"0: no event counter counts",
		.architecture = "HPMN divides the counters where EL2 is implemented, enabled or "
			"not",
		.ref = "PMUCounterIsHyp, CountPMUEvents",
		.core = "cortex-a53", .board = "el2-el3",
		OPS(WRITE(SCR_EL3, SCR_RW), WRITE(MDCR_EL3, EL3_SPME), WRITE(MDCR_EL2,
			EL2_HPME | 3),
		    WRITE(EVTYPER(3), 8), WRITE(PMK_ARMV8_PMCNTENSET, 8), LOOP(10),
			READ(EVCNTR(3))),
		.theirs = 0, .ours = COUNTED,
	},
	[RULE_NO_SH] = {
		.name = "no-sh",
		.qemu = "PMEVTYPER.SH and PMCCFILTR.SH are RAZ/WI; NSH alone filters Secure EL2",
		.architecture = "with Secure EL2, a counter counts there if SH and NSH differ",
		.ref = "PMEVTYPER<n>_EL0.SH",
		.core = "max", .board = "el2-el3",
		OPS(WRITE(SCR_EL3, SCR_RW | SCR_EEL2), WRITE(EVTYPER(0), TYPER_SH),
			READ(EVTYPER(0))),
		.theirs = 0, .ours = TYPER_SH,
	},
};
/* clang-format on */

/* ---- situations ---------------------------------------------------------------------------- */

/* Returns whether the register has one bit per counter. */
static bool is_set(unsigned reg)
{
	return (reg >= PMK_ARMV8_PMCNTENSET && reg <= PMK_ARMV8_PMSWINC) ||
	       reg == PMK_ARMV8_PMOVSSET || reg == PMK_ARMV8_PMINTENSET ||
	       reg == PMK_ARMV8_PMINTENCLR;
}

/* Returns whether a register is PMCCFILTR or a PMEVTYPER, under any of its names. */
static bool is_type(unsigned reg)
{
	return reg == PMK_ARMV8_PMXEVTYPER || reg == PMK_ARMV8_PMCCFILTR ||
	       (reg >= PMK_ARMV8_PMEVTYPER0 && reg < PMK_ARMV8_NREGS);
}

/* Returns the counters HPMN … N - 1, which only EL2 should be able to access. */
static uint64_t hidden(const struct machine *m)
{
	if (m->el >= 2 || !machine_el2(m))
		return 0;
	return (UINT64_C(1) << COUNTERS) - (UINT64_C(1) << machine_hpmn(m));
}

/* Returns true if a bit of PMUSERENR other than EN permits the access at EL0. */
static bool has_shortcut(const struct machine *m, const struct op *op)
{
	bool read = op->kind == OP_READ;

	switch (op->reg) {
	case PMK_ARMV8_PMSELR:
		return m->model.userenr & 8;
	case PMK_ARMV8_PMSWINC:
		return !read && (m->model.userenr & 2);
	case PMK_ARMV8_PMCCNTR:
		return read && (m->model.userenr & 4);
	default:
		return read && !is_type(op->reg) && machine_counter(m, op->reg) >= 0 &&
		       (m->model.userenr & 8);
	}
}

static bool traps_all(const struct machine *m)
{
	return (machine_el2(m) && (m->mdcr2 & TPM)) || (m->mdcr3 & TPM);
}

/* ---- staying clear ------------------------------------------------------------------------- */

static void keep_write_clear(const struct machine *m, struct op *op)
{
	bool disabled = m->board->el2 && m->board->el3;

	if (is_set(op->reg))
		op->value &= ~hidden(m);
	if (op->reg == PMK_ARMV8_PMCR && hidden(m))
		op->value &= ~PMCR_P;
	if (is_type(op->reg) && m->core->version < 4)
		op->value &= ~UINT64_C(0xFC00);
	if (is_type(op->reg) && m->core->secure_el2)
		op->value &= ~TYPER_SH;
	if (op->reg == MDCR_EL2 && m->core->version < 4)
		op->value &= ~EL2_HPMD;
	if (op->reg == MDCR_EL3 && disabled && !machine_el2(m))
		op->value &= ~EL3_SPME;
	if (op->reg == SCR_EL3 && disabled && (m->mdcr3 & EL3_SPME) &&
	    !(m->core->secure_el2 && (op->value & SCR_EEL2)))
		op->value |= SCR_NS;
}

bool keep_clear(const struct machine *m, struct op *op)
{
	int n = machine_counter(m, op->reg);

	if (op->kind != OP_READ && op->kind != OP_WRITE)
		return true;
	if (n >= 0 && n < COUNTERS && (hidden(m) >> n & 1))
		return false;
	if (m->el < 2 && machine_el2(m) && (m->mdcr2 & EL2_TPMCR) && op->reg == PMK_ARMV8_PMCR)
		return false;
	if (m->el == 0 && traps_all(m) && has_shortcut(m, op))
		return false;
	if (op->kind == OP_WRITE)
		keep_write_clear(m, op);
	return true;
}

bool needs_flags(const struct op *op)
{
	if (op->kind == OP_PENDING)
		return true;
	return op->reg == PMK_ARMV8_PMOVSCLR ||
	       (op->reg == PMK_ARMV8_PMOVSSET && op->kind == OP_READ);
}

/* ---- what is compared ---------------------------------------------------------------------- */

static uint64_t type_bits(const struct machine *m)
{
	uint64_t kept = 0x02000000; /* MT */

	if (!m->board->el3)
		kept |= 0x34000000; /* NSK, NSU, M */
	if (!m->board->el2)
		kept |= 0x08000000; /* NSH */
	return kept;
}

/*
 * Returns the bits of a register in which QEMU and the model may differ. Stores the reason in
 * *rule.
 */
static uint64_t register_bits(const struct machine *m, unsigned reg, enum rule *rule)
{
	if (reg == PMK_ARMV8_PMCR && m->core->version < 6)
		return *rule = RULE_LP_KEPT, 0x80;
	if (is_type(reg))
		return *rule = RULE_TYPE_BITS, type_bits(m);
	if (is_set(reg))
		return *rule = RULE_HPMN_SETS, hidden(m);
	return 0;
}

static bool line_differs(const struct machine *m, enum rule *rule)
{
	uint32_t range2 = 0x3F & ~((UINT32_C(1) << machine_hpmn(m)) - 1);
	bool e = m->model.pmcr & 1, hpme = m->mdcr2 & EL2_HPME;

	if (m->line_late)
		return *rule = RULE_LINE_LATE, true;
	if (m->late & m->model.inten)
		return *rule = RULE_FLAGS_LATE, true;
	if ((m->model.ovs & m->model.inten & range2) && e != hpme)
		return *rule = RULE_LINE_HPME, true;
	if (m->flag_unsure && (m->model.inten & 0x80000000))
		return *rule = RULE_DIVIDER_PHASE, true;
	return false;
}

static uint64_t flags_differ(const struct machine *m, bool used[NRULES])
{
	uint64_t differ = m->late;

	if (differ)
		used[RULE_FLAGS_LATE] = true;
	if (m->flag_unsure) {
		differ |= 0x80000000;
		used[RULE_DIVIDER_PHASE] = true;
	}
	return differ;
}

uint64_t compared(const struct machine *m, unsigned reg, bool used[NRULES])
{
	enum rule rule = NRULES;
	uint64_t mask = UINT64_MAX;

	if (reg == NREGISTERS)
		mask = line_differs(m, &rule) ? 0 : mask;
	else
		mask &= ~register_bits(m, reg, &rule);
	if (rule != NRULES && mask != UINT64_MAX)
		used[rule] = true;
	if (reg == PMK_ARMV8_PMOVSSET || reg == PMK_ARMV8_PMOVSCLR)
		mask &= ~flags_differ(m, used);
	if (reg == PMK_ARMV8_DFR0) /* only PMUVer describes the PMU */
		mask = 0xF00;
	return mask;
}
