// SPDX-License-Identifier: MIT
/*
 * PMUv3 model: the AArch32 view (CP15) and the memory-mapped view (debug interface, 32-bit layout).
 * DDI 0487, G8.4 and I5.3.
 *
 * Both views show the registers of model.c in 32-bit pieces. They have these peculiarities:
 *  - AArch32 writes only the low words of PMCCNTR and of the event counters. Its type registers
 *    have no M and no SH, and writes do not change these bits (our choice).
 *  - The memory-mapped view sees every counter, has no PMUSERENR, no traps and no PMSELR, and has N
 *    in PMCFGR and not in PMCR. Words from 0xF00 on, such as the lock, are in the Debug power
 *    domain, so they can be accessed even when all other words return an error.
 *
 * The 64-bit layout (EXT64) and sampling of the program counter are not modelled. PMITCTRL,
 * PMDEVAFF, PMAUTHSTATUS, PMDEVID and PMPIDR0-4 describe a core and not its PMU, so they are RAZ.
 */
#include "pmu/armv8/model.h"

/* ---- AArch32 ------------------------------------------------------------------------------- */

#define TRAP_CP15 0x03

#define PMCEID2 PMK_ARMV8_CP15(9, 14, 4)
#define PMCEID3 PMK_ARMV8_CP15(9, 14, 5)
#define ID_DFR0 PMK_ARMV8_CP15(0, 1, 2)

#define DFR0_PERFMON PMK_BITS(27, 24) /* a field of ID_DFR0 */

/* A register, or its upper half if `high` is true. */
struct piece {
	unsigned reg;
	bool high;
};

static bool find_cp15(const struct pmk_armv8_model *m, unsigned place, struct piece *p)
{
	*p = (struct piece){ PMK_ARMV8_NREGS, place == PMCEID2 || place == PMCEID3 };
	if (p->high && pmk_armv8_has(m, PMUVER_V3P1))
		p->reg = place == PMCEID2 ? PMK_ARMV8_PMCEID0 : PMK_ARMV8_PMCEID1;
	else if (place == ID_DFR0)
		p->reg = PMK_ARMV8_DFR0;
	else
		for (p->reg = 0; p->reg < PMK_ARMV8_NREGS; p->reg++)
			if (pmk_armv8_places[p->reg].cp15 == place)
				break;
	return p->reg < PMK_ARMV8_NREGS;
}

static bool is_type(unsigned reg)
{
	return reg == PMK_ARMV8_PMXEVTYPER || reg == PMK_ARMV8_PMCCFILTR ||
	       reg >= PMK_ARMV8_PMEVTYPER0;
}

static bool is_count(unsigned reg)
{
	return reg == PMK_ARMV8_PMCCNTR || reg == PMK_ARMV8_PMXEVCNTR ||
	       (reg >= PMK_ARMV8_PMEVCNTR0 && reg < PMK_ARMV8_PMEVTYPER0);
}

/* Returns the bits of a register that a write in AArch32 changes. */
static uint64_t written_bits(unsigned reg)
{
	if (is_type(reg))
		return UINT32_MAX & ~(PMEVTYPER_M | PMEVTYPER_SH);
	return UINT32_MAX;
}

/*
 * Returns the version as in ID_DFR0. ID_DFR0 and ID_AA64DFR0_EL1 have the same numbers for all
 * versions except the first. PMUv2 has a number only in ID_DFR0. The number 0 may also mean PMUv1.
 */
static uint64_t dfr0_perfmon(const struct pmk_armv8_model *m)
{
	uint64_t version = m->params.version == PMUVER_V3 ? 3 : m->params.version;

	if (pmk_armv8_model_is_armv7(m))
		version = pmk_armv8_model_is_v1(m) ? 0 : 2;
	return PMK_PUT(UINT64_C(0), DFR0_PERFMON, version);
}

int pmk_armv8_mrc(struct pmk_armv8_model *m, struct pmk_bus *bus, enum pmk_mode mode, unsigned crn,
		  unsigned crm, unsigned opc2, uint32_t *value)
{
	unsigned el = pmk_armv8_level(m, mode);
	struct piece p;
	uint64_t v;
	int err;

	if (!find_cp15(m, PMK_ARMV8_CP15(crn, crm, opc2), &p))
		return PMK_EBADREG;
	err = pmk_armv8_check(m, el, p.reg, false, TRAP_CP15);
	if (err)
		return err;
	pmk_armv8_sync(m, bus);
	v = p.reg == PMK_ARMV8_DFR0 ? dfr0_perfmon(m) : pmk_armv8_get(m, bus, el, p.reg);
	*value = (uint32_t)(p.high ? v >> 32 : v & written_bits(p.reg));
	return PMK_OK;
}

int pmk_armv8_mcr(struct pmk_armv8_model *m, struct pmk_bus *bus, enum pmk_mode mode, unsigned crn,
		  unsigned crm, unsigned opc2, uint32_t value)
{
	unsigned el = pmk_armv8_level(m, mode);
	struct piece p;
	uint64_t keep = 0;
	int err;

	if (!find_cp15(m, PMK_ARMV8_CP15(crn, crm, opc2), &p))
		return PMK_EBADREG;
	err = pmk_armv8_check(m, el, p.reg, true, TRAP_CP15);
	if (err)
		return err;
	pmk_armv8_sync(m, bus);
	if (is_type(p.reg) || is_count(p.reg))
		keep = pmk_armv8_get(m, bus, el, p.reg) & ~written_bits(p.reg);
	pmk_armv8_set(m, bus, el, p.reg, keep | (value & written_bits(p.reg)));
	return PMK_OK;
}

int pmk_armv8_mrrc(struct pmk_armv8_model *m, struct pmk_bus *bus, enum pmk_mode mode,
		   uint64_t *value)
{
	unsigned el = pmk_armv8_level(m, mode);
	int err = pmk_armv8_check(m, el, PMK_ARMV8_PMCCNTR, false, PMK_ARMV8_TRAP_WIDE);

	if (err)
		return err;
	pmk_armv8_sync(m, bus);
	*value = pmk_armv8_get(m, bus, el, PMK_ARMV8_PMCCNTR);
	return PMK_OK;
}

int pmk_armv8_mcrr(struct pmk_armv8_model *m, struct pmk_bus *bus, enum pmk_mode mode,
		   uint64_t value)
{
	unsigned el = pmk_armv8_level(m, mode);
	int err = pmk_armv8_check(m, el, PMK_ARMV8_PMCCNTR, true, PMK_ARMV8_TRAP_WIDE);

	if (err)
		return err;
	pmk_armv8_sync(m, bus);
	pmk_armv8_set(m, bus, el, PMK_ARMV8_PMCCNTR, value);
	return PMK_OK;
}

/* ---- the memory-mapped view ---------------------------------------------------------------- */

#define ALL_VISIBLE 3 /* accesses of this view see all counters, as at EL3 */

#define BLOCK	    0x1000
#define DEBUG_POWER 0xF00 /* first offset in the Debug power domain */

#define OFF_PMCCNTR   0x0F8
#define OFF_PMCFGR    0xE00
#define OFF_PMCEID2   0xE28
#define OFF_PMCEID3   0xE2C
#define OFF_PMLAR     0xFB0
#define OFF_PMLSR     0xFB4
#define OFF_PMDEVARCH 0xFBC
#define OFF_PMDEVTYPE 0xFCC
#define OFF_PMCIDR0   0xFF0

#define PMLAR_KEY 0xC5ACCE55
#define PMLSR_SLK PMK_BIT(1) /* locked */
#define PMLSR_SLI PMK_BIT(0) /* there is a lock */

#define PMCFGR_FZO  PMK_BIT(21)
#define PMCFGR_EX   PMK_BIT(16)	    /* PMCR.X is writable */
#define PMCFGR_CCD  PMK_BIT(15)	    /* PMCR.D is writable */
#define PMCFGR_CC   PMK_BIT(14)	    /* there is a cycle counter */
#define PMCFGR_SIZE PMK_BITS(13, 8) /* size of the largest counter, minus 1 */
#define PMCFGR_N    PMK_BITS(7, 0)

static bool find_offset(unsigned offset, struct piece *p)
{
	unsigned place = offset;

	p->high = offset == OFF_PMCEID2 || offset == OFF_PMCEID3 ||
		  (offset <= OFF_PMCCNTR + 4 && offset % 8 == 4);
	if (p->high)
		place = offset - (offset <= OFF_PMCCNTR + 4 ? 4 : 8);
	for (p->reg = 0; p->reg < PMK_ARMV8_NREGS; p->reg++)
		if (pmk_armv8_places[p->reg].offset == place)
			return true;
	return false;
}

static uint32_t pmcfgr_value(const struct pmk_armv8_model *m)
{
	uint64_t v = PMCFGR_EX | PMCFGR_CC | PMCFGR_SIZE;

	if (m->params.aarch32)
		v |= PMCFGR_CCD;
	if (pmk_armv8_has(m, PMUVER_V3P7))
		v |= PMCFGR_FZO;
	return (uint32_t)PMK_PUT(v, PMCFGR_N, (uint64_t)m->params.counters);
}

static uint32_t identification_word(const struct pmk_armv8_model *m, unsigned offset)
{
	static const uint8_t component[] = { 0x0D, 0x90, 0x05, 0xB1 }; /* CoreSight, class 9 */

	if (offset >= OFF_PMCIDR0)
		return component[(offset - OFF_PMCIDR0) / 4];
	switch (offset) {
	case OFF_PMLSR:
		return (uint32_t)((m->params.software_lock ? PMLSR_SLI : 0) |
				  (m->locked ? PMLSR_SLK : 0));
	case OFF_PMDEVARCH:
		return 0x47702A16; /* Arm, present, revision 0, PMUv3 */
	case OFF_PMDEVTYPE:
		return 0x16; /* performance monitor of a processor */
	default:
		return 0;
	}
}

static bool is_outside(unsigned offset)
{
	return offset >= BLOCK || offset % 4;
}

int pmk_armv8_load(struct pmk_armv8_model *m, struct pmk_bus *bus, unsigned offset, uint32_t *value)
{
	struct piece p;
	uint64_t v;

	if (is_outside(offset))
		return PMK_EBADREG;
	if (offset >= DEBUG_POWER) {
		*value = identification_word(m, offset);
		return PMK_OK;
	}
	if (m->input[PMK_ARMV8_IN_LOCKED_OUT])
		return PMK_EIO;
	pmk_armv8_sync(m, bus);
	*value = 0;
	if (offset == OFF_PMCFGR)
		*value = pmcfgr_value(m);
	if (!find_offset(offset, &p))
		return PMK_OK;
	v = pmk_armv8_get(m, bus, ALL_VISIBLE, p.reg);
	if (p.reg == PMK_ARMV8_PMCR)
		v &= ~(PMCR_IMP | PMCR_IDCODE | PMCR_N);
	if (p.reg == PMK_ARMV8_PMMIR && !pmk_armv8_has(m, PMUVER_V3P4))
		v = 0;
	*value = (uint32_t)(p.high ? v >> 32 : v);
	return PMK_OK;
}

int pmk_armv8_store(struct pmk_armv8_model *m, struct pmk_bus *bus, unsigned offset, uint32_t value)
{
	struct piece p;
	uint64_t v = value;

	if (is_outside(offset))
		return PMK_EBADREG;
	if (offset == OFF_PMLAR && m->params.software_lock)
		m->locked = value != PMLAR_KEY;
	if (offset >= DEBUG_POWER)
		return PMK_OK;
	if (m->input[PMK_ARMV8_IN_LOCKED_OUT])
		return PMK_EIO;
	if (m->locked || !find_offset(offset, &p))
		return PMK_OK;
	pmk_armv8_sync(m, bus);
	if (p.reg == PMK_ARMV8_PMSWINC) {
		/*
		 * This view has no level of its own, so the access counts as one at the core's
		 * current level.
		 */
		if (m->params.external_swinc)
			pmk_armv8_swinc(m, (unsigned)m->input[PMK_ARMV8_IN_EL], value);
		return PMK_OK;
	}
	if (is_count(p.reg)) {
		uint64_t old = pmk_armv8_get(m, bus, ALL_VISIBLE, p.reg);

		v = p.high ? v << 32 | (old & UINT32_MAX) : (old & ~(uint64_t)UINT32_MAX) | v;
	}
	pmk_armv8_set(m, bus, ALL_VISIBLE, p.reg, v);
	return PMK_OK;
}
