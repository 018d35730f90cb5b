// SPDX-License-Identifier: MIT
/*
 * PMUv3 model: the registers, access rights, and reset. count.c counts, and views.c has the AArch32
 * view and the memory-mapped view. DDI 0487, D13 and D23.5.
 *
 * If EL2 is enabled, the counters that it reserves are hidden from software at EL0 and EL1. There,
 * PMCR.N is HPMN, the bits of hidden counters are RAZ/WI, and PMCR.P and PMSWINC do not affect
 * these counters.
 *
 * Where the documents are silent, the following is our choice:
 *  - A denied access returns PMK_EUNDEF, and `trap` shows the level to which it traps. The Secure
 *    and Non-secure variants of a mode are equivalent here, because the security state is an input.
 *  - params.select_undefined decides what an access to PMXEV… does when PMSELR selects no counter.
 *    PMXEVCNTR with SEL = 31 is such an access.
 *  - MDCR_EL2.HPMN = 0 leaves range 1 without counters.
 *
 * The model leaves out fine-grained traps and HSTR_EL2; PMUACR, PMZR, PMECR, PMICNTR, PMSSCR and
 * the snapshot registers (PMUv3p9 and optional extensions); the 64-bit memory-mapped layout; and
 * events of trace and cross-trigger hardware. How an SVC or an instruction that faults is counted
 * depends on the signals that the producer raises for it.
 */
#include "base/foreign.h"
#include "pmu/armv8/model.h"
#include "pmu/reg.h"

#include <string.h>

_Static_assert(PMK_ARMV8_NMODELS == PMK_ARMV8_NCORES + 1, "one for each core, and for Cortex-M");

/* ---- writable bits ------------------------------------------------------------------------- */

/*
 * The rows describe which bits can be written and read, for all versions and extensions. Bits that
 * this implementation lacks according to its parameters are RES0.
 */
static const struct pmk_reg_info *row_of(const struct pmk_armv8_model *m, unsigned reg)
{
	return pmk_armv8_has(m, PMUVER_V3P5) ? &pmk_armv8_p5_regs[reg] : &pmk_armv8_regs[reg];
}

static uint64_t pmcr_lacks(const struct pmk_armv8_model *m)
{
	uint64_t lacks = PMCR_FZS;

	/* LC is RES1 if there is no AArch32, and does not exist in ARMv7. */
	if (!m->params.aarch32 || pmk_armv8_model_is_armv7(m))
		lacks |= PMCR_LC;
	if (!pmk_armv8_has(m, PMUVER_V3P5))
		lacks |= PMCR_LP;
	if (!pmk_armv8_has(m, PMUVER_V3P7))
		lacks |= PMCR_FZO;
	return lacks;
}

/* Returns the bits of PMEVTYPER and PMCCFILTR that this implementation lacks. */
static uint64_t type_lacks(const struct pmk_armv8_model *m)
{
	uint64_t lacks = PMK_BITS(63, 32) | PMEVTYPER_MT | PMEVTYPER_T | PMEVTYPER_RLK |
			 PMEVTYPER_RLU | PMEVTYPER_RLH;

	if (!m->params.el3)
		lacks |= PMEVTYPER_NSK | PMEVTYPER_NSU;
	if (!m->params.el3 || !m->params.aarch64)
		lacks |= PMEVTYPER_M;
	if (!m->params.el2)
		lacks |= PMEVTYPER_NSH;
	if (!m->params.el3 || !m->params.secure_el2)
		lacks |= PMEVTYPER_SH;
	if (pmk_armv8_model_is_v1(m))
		lacks |= ~PMEVTYPER_EVTCOUNT;
	if (pmk_armv8_model_is_armv7(m))
		lacks |= PMEVTYPER_EVTCOUNT & ~PMEVTYPER_EVTCOUNT_V2;
	else if (!pmk_armv8_has(m, PMUVER_V3P1))
		lacks |= PMEVTYPER_EVTCOUNT & ~PMEVTYPER_EVTCOUNT_V3;
	return lacks;
}

static uint64_t userenr_lacks(const struct pmk_armv8_model *m)
{
	uint64_t lacks = PMUSERENR_TID | PMUSERENR_IR | PMUSERENR_UEN;

	if (pmk_armv8_model_is_armv7(m))
		lacks |= PMUSERENR_ER | PMUSERENR_CR | PMUSERENR_SW;
	return lacks;
}

/*
 * True if an ARMv7 PMU lacks the register. ARMv7 has no PMCCFILTR, no registers with a counter's
 * number in their name, and no A64 register with the version of the PMU. PMUv1 lacks three more
 * registers, which are UNDEFINED (our choice).
 */
static bool armv7_lacks(const struct pmk_armv8_model *m, unsigned reg)
{
	if (pmk_armv8_model_is_v1(m) &&
	    (reg == PMK_ARMV8_PMCEID0 || reg == PMK_ARMV8_PMCEID1 || reg == PMK_ARMV8_PMOVSSET))
		return true;
	return reg >= PMK_ARMV8_PMEVCNTR0 || reg == PMK_ARMV8_PMCCFILTR;
}

/* Returns the value of a register after a write, without bits that do not exist. */
static uint64_t written_value(const struct pmk_armv8_model *m, unsigned reg, uint64_t lacks,
			      uint64_t old, uint64_t w)
{
	return (old & lacks) | (pmk_reg_write(row_of(m, reg), old, w) & ~lacks);
}

/* Returns the number of event counters that software at level `el` can see. */
static unsigned visible_counters(const struct pmk_armv8_model *m, unsigned el)
{
	return el < 2 && pmk_armv8_el2_enabled(m) ? pmk_armv8_range1(m) : m->params.counters;
}

static uint32_t set_mask(const struct pmk_armv8_model *m, unsigned el)
{
	return pmk_armv8_low(visible_counters(m, el)) | (uint32_t)PMSET_C;
}

/* ---- finding a register -------------------------------------------------------------------- */

/* What an access refers to: the count or the type of one counter, or another register. A counter
 * has several names, such as PMEVCNTR<n> and, if PMSELR selects it, PMXEVCNTR. */
enum kind { OTHER, COUNT, TYPE };

struct target {
	enum kind kind;
	unsigned n;    /* number of the event counter; 31: PMCCFILTR (TYPE), no counter (COUNT) */
	bool selected; /* true if accessed through PMSELR */
};

static struct target target_of(const struct pmk_armv8_model *m, unsigned reg)
{
	if (reg == PMK_ARMV8_PMXEVCNTR)
		return (struct target){ COUNT, m->selr, true };
	if (reg == PMK_ARMV8_PMXEVTYPER)
		return (struct target){ TYPE, m->selr, true };
	if (reg == PMK_ARMV8_PMCCFILTR)
		return (struct target){ TYPE, PMSELR_CYCLES, false };
	if (reg >= PMK_ARMV8_PMEVTYPER0)
		return (struct target){ TYPE, reg - PMK_ARMV8_PMEVTYPER0, false };
	if (reg >= PMK_ARMV8_PMEVCNTR0)
		return (struct target){ COUNT, reg - PMK_ARMV8_PMEVCNTR0, false };
	return (struct target){ OTHER, 0, false };
}

/* True if the counter that is accessed exists. */
static bool counter_exists(const struct pmk_armv8_model *m, const struct target *t)
{
	return t->kind == OTHER || t->n < m->params.counters ||
	       (t->kind == TYPE && t->n == PMSELR_CYCLES && !pmk_armv8_model_is_v1(m));
}

/* ---- access rights ------------------------------------------------------------------------- */

/*
 * The bits of PMUSERENR that permit an access at EL0. One of them is enough. EN is such a bit. The
 * other values below are special cases.
 */
#define EN	  PMUSERENR_EN
#define NO_LEVEL  0	/* no level may make this access: the register is read-only or write-only */
#define EL1	  0x200 /* the access is UNDEFINED at EL0 */
#define ANY_LEVEL 0x400

static unsigned access_rights(unsigned reg, bool write)
{
	static const struct {
		uint16_t read, write;
	} rights[] = {
		/* clang-format off */
		[PMK_ARMV8_PMCR]       = { EN,                EN },
		[PMK_ARMV8_PMCNTENSET] = { EN,                EN },
		[PMK_ARMV8_PMCNTENCLR] = { EN,                EN },
		[PMK_ARMV8_PMOVSCLR]   = { EN,                EN },
		[PMK_ARMV8_PMSWINC]    = { NO_LEVEL,          EN | PMUSERENR_SW },
		[PMK_ARMV8_PMSELR]     = { EN | PMUSERENR_ER, EN | PMUSERENR_ER },
		[PMK_ARMV8_PMCEID0]    = { EN,                NO_LEVEL },
		[PMK_ARMV8_PMCEID1]    = { EN,                NO_LEVEL },
		[PMK_ARMV8_PMCCNTR]    = { EN | PMUSERENR_CR, EN },
		[PMK_ARMV8_PMXEVTYPER] = { EN,                EN },
		[PMK_ARMV8_PMXEVCNTR]  = { EN | PMUSERENR_ER, EN },
		[PMK_ARMV8_PMUSERENR]  = { ANY_LEVEL,         EL1 },
		[PMK_ARMV8_PMOVSSET]   = { EN,                EN },
		[PMK_ARMV8_PMINTENSET] = { EL1,               EL1 },
		[PMK_ARMV8_PMINTENCLR] = { EL1,               EL1 },
		[PMK_ARMV8_PMMIR]      = { EL1,               NO_LEVEL },
		[PMK_ARMV8_PMCCFILTR]  = { EN,                EN },
		[PMK_ARMV8_DFR0]       = { EL1,               NO_LEVEL },
		/* clang-format on */
	};

	if (reg >= PMK_ARMV8_PMEVTYPER0)
		reg = PMK_ARMV8_PMXEVTYPER;
	else if (reg >= PMK_ARMV8_PMEVCNTR0)
		reg = PMK_ARMV8_PMXEVCNTR;
	return write ? rights[reg].write : rights[reg].read;
}

unsigned pmk_armv8_level(const struct pmk_armv8_model *m, enum pmk_mode mode)
{
	if (mode == PMK_MODE_USER || mode == PMK_MODE_USER_NONSEC)
		return 0;
	return m->input[PMK_ARMV8_IN_EL] > 1 ? (unsigned)m->input[PMK_ARMV8_IN_EL] : 1;
}

static int access_deny(struct pmk_armv8_model *m, uint8_t ec, unsigned el)
{
	m->trap = (struct pmk_armv8_trap){ .ec = ec, .el = (uint8_t)el };
	m->oddities |= PMK_ARMV8_ODD_DENIED;
	return PMK_EUNDEF;
}

/* True if the access is UNDEFINED. That is, this implementation lacks the register or its counter,
 * the register cannot be accessed at this level, or the access writes a read-only register or reads
 * a write-only one. */
static bool is_undefined(const struct pmk_armv8_model *m, unsigned el, unsigned reg, bool write,
			 uint8_t ec, const struct target *t)
{
	const struct pmk_reg_info *row = row_of(m, reg);

	if (write ? !pmk_reg_writable(row) : !pmk_reg_readable(row))
		return true;
	if (access_rights(reg, write) == EL1 && el == 0)
		return true;
	if (reg == PMK_ARMV8_PMMIR && !pmk_armv8_has(m, PMUVER_V3P4))
		return true;
	if (pmk_armv8_model_is_armv7(m) && (armv7_lacks(m, reg) || ec == PMK_ARMV8_TRAP_WIDE))
		return true;
	return !counter_exists(m, t) && (!t->selected || m->params.select_undefined);
}

static bool pmuserenr_permits(const struct pmk_armv8_model *m, unsigned reg, bool write)
{
	unsigned need = access_rights(reg, write);

	return need == ANY_LEVEL || (m->userenr & need);
}

/* True if MDCR_EL2 traps this access from EL0 or EL1 to EL2. */
static bool traps_to_el2(const struct pmk_armv8_model *m, unsigned el, unsigned reg,
			 const struct target *t)
{
	uint64_t mdcr2 = m->input[PMK_ARMV8_IN_MDCR_EL2];

	if ((mdcr2 & MDCR_EL2_TPM) || (reg == PMK_ARMV8_PMCR && (mdcr2 & MDCR_EL2_TPMCR)))
		return true;
	return t->kind != OTHER && t->n >= visible_counters(m, el) && t->n < m->params.counters;
}

/*
 * Checks an access in the order of the access pseudocode: first whether it is UNDEFINED, then the
 * traps of PMUSERENR, of EL2 and of EL3.
 */
int pmk_armv8_check(struct pmk_armv8_model *m, unsigned el, unsigned reg, bool write, uint8_t ec)
{
	bool el2 = pmk_armv8_el2_enabled(m);
	unsigned above = el ? el : el2 && m->input[PMK_ARMV8_IN_TGE] ? 2 : 1;
	struct target t = target_of(m, reg);

	if (!counter_exists(m, &t) && t.selected)
		m->oddities |= PMK_ARMV8_ODD_SELECT;
	if (is_undefined(m, el, reg, write, ec, &t))
		return access_deny(m, 0x00, above);
	if (el == 0 && !pmuserenr_permits(m, reg, write)) {
		/* AArch32 EL0 under an AArch32 EL1 has no trap target. */
		bool aarch32 = ec != 0x18 && m->input[PMK_ARMV8_IN_EL1_AARCH32] && above == 1;

		return access_deny(m, aarch32 ? 0x00 : ec, above);
	}
	/* DFR0 does not belong to the PMU, so the PMU's traps do not apply to it. */
	if (reg == PMK_ARMV8_DFR0)
		return PMK_OK;
	if (el < 2 && el2 && traps_to_el2(m, el, reg, &t))
		return access_deny(m, ec, 2);
	if (el < 3 && (m->input[PMK_ARMV8_IN_MDCR_EL3] & MDCR_EL3_TPM))
		return access_deny(m, ec, 3);
	return PMK_OK;
}

/* ---- reading ------------------------------------------------------------------------------- */

static uint64_t get_target(const struct pmk_armv8_model *m, const struct target *t)
{
	if (!counter_exists(m, t))
		return 0;
	if (t->kind == COUNT)
		return m->counter[t->n].count;
	return t->n == PMSELR_CYCLES ? m->ccfiltr : m->counter[t->n].type;
}

/* Returns the value of a register before its unreadable bits are hidden. For registers that set or
 * clear bits, such as PMCNTENSET and PMCNTENCLR, this is the state of the bits that they set or
 * clear. */
static uint64_t held_value(const struct pmk_armv8_model *m, const struct pmk_bus *bus, unsigned el,
			   unsigned reg)
{
	struct target t = target_of(m, reg);
	uint64_t value = 0;

	if (t.kind != OTHER)
		return get_target(m, &t);
	switch ((enum pmk_armv8_reg)reg) {
	case PMK_ARMV8_PMCR:
		value = PMK_PUT((uint64_t)m->pmcr, PMCR_IMP, (uint64_t)m->params.imp);
		value = PMK_PUT(value, PMCR_IDCODE, (uint64_t)m->params.idcode);
		return PMK_PUT(value, PMCR_N, (uint64_t)visible_counters(m, el));
	case PMK_ARMV8_PMCNTENSET:
	case PMK_ARMV8_PMCNTENCLR:
		return m->cnten & set_mask(m, el);
	case PMK_ARMV8_PMOVSSET:
	case PMK_ARMV8_PMOVSCLR:
		return m->ovs & set_mask(m, el);
	case PMK_ARMV8_PMINTENSET:
	case PMK_ARMV8_PMINTENCLR:
		return m->inten & set_mask(m, el);
	case PMK_ARMV8_PMSELR:
		return m->selr;
	case PMK_ARMV8_PMCEID0:
		return pmk_armv8_pmceid(m, bus, 0);
	case PMK_ARMV8_PMCEID1:
		return pmk_armv8_pmceid(m, bus, 1);
	case PMK_ARMV8_PMCCNTR:
		return m->cycles;
	case PMK_ARMV8_PMUSERENR:
		return m->userenr;
	case PMK_ARMV8_PMMIR:
		return m->params.pmmir;
	case PMK_ARMV8_DFR0:
		return PMK_PUT(value, DFR0_PMUVER, (uint64_t)m->params.version);
	case PMK_ARMV8_PMSWINC:
	case PMK_ARMV8_PMXEVTYPER:
	case PMK_ARMV8_PMXEVCNTR:
	case PMK_ARMV8_PMCCFILTR:
	case PMK_ARMV8_PMEVCNTR0:
	case PMK_ARMV8_PMEVTYPER0:
	case PMK_ARMV8_NREGS:
		break;
	}
	return value;
}

uint64_t pmk_armv8_get(struct pmk_armv8_model *m, const struct pmk_bus *bus, unsigned el,
		       unsigned reg)
{
	return pmk_reg_read(row_of(m, reg), held_value(m, bus, el, reg));
}

/* ---- writing ------------------------------------------------------------------------------- */

static void set_target(struct pmk_armv8_model *m, const struct pmk_bus *bus, unsigned reg,
		       const struct target *t, uint64_t w)
{
	struct pmk_armv8_event_counter *c = &m->counter[t->n];

	if (!counter_exists(m, t))
		return;
	if (t->kind == COUNT) {
		c->count = written_value(m, reg, 0, c->count, w);
	} else if (t->n == PMSELR_CYCLES) {
		m->ccfiltr = (uint32_t)written_value(m, PMK_ARMV8_PMCCFILTR, type_lacks(m),
						     m->ccfiltr, w);
	} else {
		c->type = (uint32_t)written_value(m, reg, type_lacks(m), c->type, w);
		pmk_armv8_select(m, bus, t->n);
	}
}

static void write_pmcr(struct pmk_armv8_model *m, unsigned el, uint64_t w)
{
	uint64_t takes = pmk_reg_takes(row_of(m, PMK_ARMV8_PMCR), w);

	m->pmcr = (uint32_t)written_value(m, PMK_ARMV8_PMCR, pmcr_lacks(m), m->pmcr, w);
	if (takes & PMCR_C) {
		m->cycles = 0;
		m->phase = 0;
	}
	if (takes & PMCR_P)
		for (unsigned n = 0; n < visible_counters(m, el); n++)
			m->counter[n].count = 0;
}

/* Executes a write of PMSWINC, which affects only counters whose event is SW_INCR. */
void pmk_armv8_swinc(struct pmk_armv8_model *m, unsigned el, uint32_t w)
{
	uint64_t amount[PMK_ARMV8_MAX_EVENTS] = { 0 };

	for (unsigned n = 0; n < m->params.counters; n++)
		amount[n] = (w >> n & 1) && pmk_armv8_is_swinc(m, n);
	pmk_armv8_pass(m, pmk_armv8_counting(m, el), amount);
}

void pmk_armv8_set(struct pmk_armv8_model *m, const struct pmk_bus *bus, unsigned el, unsigned reg,
		   uint64_t value)
{
	struct target t = target_of(m, reg);
	uint32_t w = (uint32_t)value, hidden = ~set_mask(m, el);

	if (t.kind != OTHER) {
		set_target(m, bus, reg, &t, value);
		return;
	}
	switch ((enum pmk_armv8_reg)reg) {
	case PMK_ARMV8_PMCR:
		write_pmcr(m, el, w);
		break;
	case PMK_ARMV8_PMCNTENSET:
	case PMK_ARMV8_PMCNTENCLR:
		m->cnten = (uint32_t)written_value(m, reg, hidden, m->cnten, w);
		break;
	case PMK_ARMV8_PMOVSSET:
	case PMK_ARMV8_PMOVSCLR:
		m->ovs = (uint32_t)written_value(m, reg, hidden, m->ovs, w);
		break;
	case PMK_ARMV8_PMINTENSET:
	case PMK_ARMV8_PMINTENCLR:
		m->inten = (uint32_t)written_value(m, reg, hidden, m->inten, w);
		break;
	case PMK_ARMV8_PMSWINC:
		pmk_armv8_swinc(m, el, (uint32_t)pmk_reg_takes(row_of(m, reg), w & ~hidden));
		break;
	case PMK_ARMV8_PMSELR:
		m->selr = (uint8_t)written_value(m, reg, 0, m->selr, w);
		break;
	case PMK_ARMV8_PMCCNTR:
		m->cycles = written_value(m, reg, 0, m->cycles, value);
		if (pmk_armv8_model_is_armv7(m))
			m->cycles &= UINT32_MAX;
		break;
	case PMK_ARMV8_PMUSERENR:
		m->userenr = (uint8_t)written_value(m, reg, userenr_lacks(m), m->userenr, w);
		break;
	case PMK_ARMV8_PMCEID0:
	case PMK_ARMV8_PMCEID1:
	case PMK_ARMV8_PMMIR:
	case PMK_ARMV8_DFR0:
	case PMK_ARMV8_PMXEVTYPER:
	case PMK_ARMV8_PMXEVCNTR:
	case PMK_ARMV8_PMCCFILTR:
	case PMK_ARMV8_PMEVCNTR0:
	case PMK_ARMV8_PMEVTYPER0:
	case PMK_ARMV8_NREGS:
		break;
	}
}

/* ---- the view of system registers ---------------------------------------------------------- */

static int read_reg(void *model, struct pmk_bus *bus, enum pmk_mode mode, unsigned reg,
		    uint64_t *value)
{
	struct pmk_armv8_model *m = model;
	unsigned el = pmk_armv8_level(m, mode);
	int err;

	if (reg >= PMK_ARMV8_NREGS || (reg == PMK_ARMV8_DFR0 && pmk_armv8_model_is_armv7(m)))
		return PMK_EBADREG;
	err = pmk_armv8_check(m, el, reg, false, 0x18);
	if (err)
		return err;
	pmk_armv8_sync(m, bus);
	*value = pmk_armv8_get(m, bus, el, reg);
	return PMK_OK;
}

static int write_reg(void *model, struct pmk_bus *bus, enum pmk_mode mode, unsigned reg,
		     uint64_t value)
{
	struct pmk_armv8_model *m = model;
	unsigned el = pmk_armv8_level(m, mode);
	int err;

	if (reg >= PMK_ARMV8_NREGS)
		return PMK_EBADREG;
	err = pmk_armv8_check(m, el, reg, true, 0x18);
	if (err)
		return err;
	pmk_armv8_sync(m, bus);
	pmk_armv8_set(m, bus, el, reg, value);
	pmk_armv8_ask(m, bus);
	return PMK_OK;
}

/* ---- inputs, reset ------------------------------------------------------------------------- */

/* Returns the bits of an input that this implementation has. */
static uint64_t input_mask(const struct pmk_armv8_model *m, enum pmk_armv8_input input)
{
	uint64_t mask = 0;

	switch (input) {
	case PMK_ARMV8_IN_EL:
		return 3;
	case PMK_ARMV8_IN_MDCR_EL2:
		if (!m->params.el2)
			return 0;
		mask = MDCR_EL2_HPMN | MDCR_EL2_TPMCR | MDCR_EL2_TPM | MDCR_EL2_HPME;
		if (pmk_armv8_has(m, PMUVER_V3P1))
			mask |= MDCR_EL2_HPMD;
		if (pmk_armv8_has(m, PMUVER_V3P5))
			mask |= MDCR_EL2_HCCD | MDCR_EL2_HLP;
		if (pmk_armv8_has(m, PMUVER_V3P7))
			mask |= MDCR_EL2_HPMFZO;
		return mask;
	case PMK_ARMV8_IN_MDCR_EL3:
		if (!m->params.el3)
			return 0;
		mask = MDCR_EL3_SPME;
		if (pmk_armv8_has(m, PMUVER_V3P5))
			mask |= MDCR_EL3_SCCD;
		/* AArch32 has SDCR instead of MDCR_EL3. SDCR does not have the bits below. */
		if (m->params.aarch64)
			mask |= MDCR_EL3_TPM;
		if (m->params.aarch64 && pmk_armv8_has(m, PMUVER_V3P7))
			mask |= MDCR_EL3_MCCD | MDCR_EL3_MPMX;
		return mask;
	case PMK_ARMV8_IN_SECURE:
	case PMK_ARMV8_IN_DEBUG:
	case PMK_ARMV8_IN_STANDBY:
	case PMK_ARMV8_IN_TGE:
	case PMK_ARMV8_IN_EL1_AARCH32:
	case PMK_ARMV8_IN_SUNIDEN:
	case PMK_ARMV8_IN_SPNIDEN:
	case PMK_ARMV8_IN_LOCKED_OUT:
	case PMK_ARMV8_NINPUTS:
		break;
	}
	return 1;
}

void pmk_armv8_model_input(struct pmk_armv8_model *m, struct pmk_bus *bus,
			   enum pmk_armv8_input input, uint64_t value)
{
	pmk_armv8_sync(m, bus);
	m->input[input] = value & input_mask(m, input);
}

struct pmk_armv8_params pmk_armv8_defaults(const struct pmk_pmu *pmu)
{
	const struct pmk_armv8_core *core = pmk_armv8_core(pmu);

	return (struct pmk_armv8_params){
		.counters = core->counters,
		.version = core->version,
		.armv7_pmu = core->armv7_pmu,
		.imp = PMK_GET(core->pmcr, PMCR_IMP),
		.idcode = PMK_GET(core->pmcr, PMCR_IDCODE),
		.pmceid = { core->pmceid[0], core->pmceid[1] },
		.el2 = !pmk_armv8_is_v1(core), /* ARMv7 without Virtualization Extensions */
		.el3 = true,
		.aarch64 = !pmk_armv8_is_armv7(core),
		.aarch32 = true,
		.chain_across = true,
		.software_lock = true,
		.external_swinc = true,
	};
}

/*
 * Returns the value of a register after reset. It is the reset value of its row, with the parameter
 * `poison` in fields whose reset value is UNKNOWN (DDI 0487 D23.5). `others` has the bits whose
 * reset value is known, and the bits that do not exist.
 */
static uint64_t after_reset(const struct pmk_armv8_model *m, unsigned reg, uint64_t others)
{
	const struct pmk_reg_info *row = row_of(m, reg);

	return row->reset | (pmk_reg_takes(row, m->params.poison) & ~others);
}

static void power_up(struct pmk_armv8_model *m, const struct pmk_bus *bus)
{
	const uint64_t known = PMCR_E | PMCR_LP | PMCR_FZO | PMCR_C | PMCR_P;
	const uint64_t hidden = ~(uint64_t)set_mask(m, 3);

	m->pmcr |= (uint32_t)after_reset(m, PMK_ARMV8_PMCR, known | pmcr_lacks(m));
	m->cnten = (uint32_t)after_reset(m, PMK_ARMV8_PMCNTENSET, hidden);
	m->inten = (uint32_t)after_reset(m, PMK_ARMV8_PMINTENSET, hidden);
	m->ovs = (uint32_t)after_reset(m, PMK_ARMV8_PMOVSSET, hidden);
	m->cycles = after_reset(m, PMK_ARMV8_PMCCNTR, 0);
	if (pmk_armv8_model_is_armv7(m))
		m->cycles &= UINT32_MAX;
	m->ccfiltr = (uint32_t)after_reset(m, PMK_ARMV8_PMCCFILTR, type_lacks(m));
	m->selr = (uint8_t)after_reset(m, PMK_ARMV8_PMSELR, 0);
	m->userenr = (uint8_t)after_reset(m, PMK_ARMV8_PMUSERENR, userenr_lacks(m));
	for (unsigned n = 0; n < m->params.counters; n++) {
		m->counter[n].count = after_reset(m, PMK_ARMV8_PMEVCNTR0 + n, 0);
		m->counter[n].type =
			(uint32_t)after_reset(m, PMK_ARMV8_PMEVTYPER0 + n, type_lacks(m));
		pmk_armv8_select(m, bus, n);
	}
}

void pmk_armv8_model_reset(struct pmk_armv8_model *m, const struct pmk_pmu *pmu,
			   const struct pmk_armv8_params *params, struct pmk_bus *bus)
{
	memset(m, 0, sizeof(*m));
	m->params = *params;
	m->id = pmk_armv8_core(pmu)->id;
	if (m->params.counters > PMK_ARMV8_MAX_EVENTS)
		m->params.counters = PMK_ARMV8_MAX_EVENTS;
	m->input[PMK_ARMV8_IN_EL] = 1;
	m->input[PMK_ARMV8_IN_MDCR_EL2] = params->el2 ? m->params.counters : 0;
	m->locked = params->software_lock;
	m->cycles_seen = bus->total[PMK_SIG_CYCLE];
	m->pmcr = params->aarch32 ? 0 : (uint32_t)PMCR_LC;
	power_up(m, bus);
	m->oddities = 0;
}

static void model_reset(void *model, struct pmk_bus *bus, const struct pmk_pmu *pmu)
{
	struct pmk_armv8_params params = pmk_armv8_defaults(pmu);

	pmk_armv8_model_reset(model, pmu, &params, bus);
}

static bool model_is_valid(const void *model, const void *begun)
{
	const struct pmk_armv8_model *m = model, *b = begun;

	for (unsigned n = 0; n < PMK_ARMV8_MAX_EVENTS; n++)
		if (!PMK_SAME(m, b, counter[n].signal) || !PMK_SAME(m, b, counter[n].type))
			return false;
	return PMK_SAME(m, b, id) && PMK_SAME(m, b, input) && PMK_SAME(m, b, locked) &&
	       m->selr <= PMSELR_CYCLES;
}

/* ---- by name ------------------------------------------------------------------------------- */

/* clang-format off */
#define PARAM(name) PMK_MODEL_PARAM(pmk_armv8_model, #name, params.name)
static const struct pmk_model_param params[] = {
	PARAM(counters), PARAM(version), PARAM(armv7_pmu), PARAM(imp), PARAM(idcode),
	PARAM(pmmir), PARAM(el2), PARAM(el3), PARAM(secure_el2), PARAM(aarch64), PARAM(aarch32),
	PARAM(poison),
	PARAM(spme_needs_p7), PARAM(freeze_on_cycles), PARAM(divide_long), PARAM(br_pred_right),
	PARAM(pc_write_svc), PARAM(pc_write_isb), PARAM(select_undefined), PARAM(chain_across),
	PARAM(count_in_standby), PARAM(software_lock), PARAM(external_swinc),
	PMK_MODEL_PARAM(pmk_armv8_model, "pmceid0", params.pmceid[0]),
	PMK_MODEL_PARAM(pmk_armv8_model, "pmceid1", params.pmceid[1]),
	{ NULL, 0, 0 },
};
/* clang-format on */

static const char *const inputs[] = {
	[PMK_ARMV8_IN_EL] = "el",
	[PMK_ARMV8_IN_SECURE] = "secure",
	[PMK_ARMV8_IN_DEBUG] = "debug",
	[PMK_ARMV8_IN_STANDBY] = "standby",
	[PMK_ARMV8_IN_MDCR_EL2] = "mdcr_el2",
	[PMK_ARMV8_IN_MDCR_EL3] = "mdcr_el3",
	[PMK_ARMV8_IN_TGE] = "tge",
	[PMK_ARMV8_IN_EL1_AARCH32] = "el1_aarch32",
	[PMK_ARMV8_IN_SUNIDEN] = "suniden",
	[PMK_ARMV8_IN_SPNIDEN] = "spniden",
	[PMK_ARMV8_IN_LOCKED_OUT] = "locked_out",
	[PMK_ARMV8_NINPUTS] = NULL,
};

static void set_input(void *model, struct pmk_bus *bus, unsigned input, uint64_t value)
{
	pmk_armv8_model_input(model, bus, input, value);
}

static void model_restart(void *model, struct pmk_bus *bus, const struct pmk_pmu *pmu)
{
	const struct pmk_armv8_params p = ((const struct pmk_armv8_model *)model)->params;

	pmk_armv8_model_reset(model, pmu, &p, bus);
}

static const char *const oddities[] = {
	"selected an event that this core does not have",
	"CHAIN in an even counter, where it never counts",
	"used PMXEV… while PMSELR selects no counter",
	"made an access that traps or is UNDEFINED",
	NULL,
};

#define OPS(pmu_)                                                                             \
	{                                                                                     \
		.pmu = &(pmu_), .size = sizeof(struct pmk_armv8_model), .reset = model_reset, \
		.read = read_reg, .write = write_reg, .sync = pmk_armv8_sync,                 \
		.ask = pmk_armv8_ask, .lines = pmk_armv8_lines, .params = params,             \
		.restart = model_restart, .oddities = oddities,                               \
		.oddities_at = PMK_MODEL_PARAM(pmk_armv8_model, "oddities", oddities),        \
		.inputs = inputs, .input = set_input, .valid = model_is_valid,                \
	}

const struct pmk_model_ops pmk_armv8_models[PMK_ARMV8_NMODELS + 1] = {
	[PMK_ARMV8_GENERIC] = OPS(pmk_armv8),  [PMK_ARMV8_GENERIC_LONG] = OPS(pmk_armv8_long),
	[PMK_ARMV8_A53] = OPS(pmk_cortex_a53), [PMK_ARMV8_A55] = OPS(pmk_cortex_a55),
	[PMK_ARMV8_A57] = OPS(pmk_cortex_a57), [PMK_ARMV8_A72] = OPS(pmk_cortex_a72),
	[PMK_ARMV8_N1] = OPS(pmk_neoverse_n1), [PMK_ARMV8_A7] = OPS(pmk_cortex_a7),
	[PMK_ARMV8_A15] = OPS(pmk_cortex_a15), [PMK_ARMV8_A8] = OPS(pmk_cortex_a8),
	[PMK_ARMV8_A9] = OPS(pmk_cortex_a9),   [PMK_ARMV8_NCORES] = OPS(pmk_cortex_m),
};
