// SPDX-License-Identifier: MIT
/*
 * The model of RISC-V's counters. Where the sources are silent, the following is our choice:
 *  - Reset leaves 0, or a pattern (params.poison). Every counter runs from reset on, as PRIV
 *    requires of harts without mcountinhibit.
 *  - PMK_MODE_PRIV is M-mode. All other modes are below it and may access what mcounteren permits;
 *    S-mode's scounteren is not modelled.
 *  - If a mask selects several events, all of them are counted: two events in the same cycle add
 *    two.
 *  - A class or a bit that the U74 does not have counts nothing, and reads back as it was written.
 *  - A write of a counter takes effect at once. In PRIV it takes effect after the writing
 *    instruction has completed, and this is when the model is called.
 *
 * A wrap has no side effect, so the model never asks to be synchronised. Sscofpmf, Smcntrpmf, Debug
 * Mode's stopcount and the register `time` are not modelled.
 */
#include <pmk/riscv_model.h>

#include "pmu/riscv/regs.h"
#include "pmu/reg.h"

#include <string.h>

static const struct pmk_pmu *pmu_of(const struct pmk_riscv_model *m)
{
	return m->rv32 ? &pmk_riscv32 : &pmk_riscv64;
}

/* ---- counting ------------------------------------------------------------------------------- */

static uint64_t total_of(const struct pmk_riscv_model *m, const struct pmk_bus *bus, unsigned ctr)
{
	uint64_t sum = 0;

	if (ctr == PMK_RISCV_CTR_CYCLE)
		return bus->total[PMK_SIG_CYCLE];
	if (ctr == PMK_RISCV_CTR_INSTRET)
		return bus->total[PMK_SIG_INSN];
	for (unsigned i = 0; i < pmk_riscv64.nevents; i++)
		if (pmk_riscv_selects(m->event[ctr], &pmk_riscv_events[i]))
			sum += bus->total[pmk_riscv_events[i].signal] +
			       bus->total[pmk_riscv_events[i].signal2];
	return sum;
}

static void remember_totals(struct pmk_riscv_model *m, const struct pmk_bus *bus)
{
	for (unsigned ctr = 0; ctr < PMK_RISCV_NCTRS; ctr++)
		m->seen[ctr] = total_of(m, bus, ctr);
}

static void sync_model(void *model, struct pmk_bus *bus)
{
	struct pmk_riscv_model *m = model;

	for (unsigned ctr = 0; ctr < PMK_RISCV_NCTRS; ctr++)
		if (!(m->inhibit & pmk_riscv_counter_bit(ctr)))
			m->count[ctr] += total_of(m, bus, ctr) - m->seen[ctr];
	remember_totals(m, bus);
}

static void ask_horizon(const void *model, struct pmk_bus *bus)
{
	(void)model;
	(void)bus;
}

static unsigned interrupt_lines(const void *model)
{
	(void)model;
	return 0;
}

/* ---- registers ------------------------------------------------------------------------------ */

static const struct pmk_reg_info *row_of(const struct pmk_riscv_model *m, unsigned reg)
{
	return &pmu_of(m)->regs[reg];
}

static bool is_shadow(unsigned reg)
{
	return (reg >= PMK_RISCV_CYCLE && reg < PMK_RISCV_NREGS64) || reg >= PMK_RISCV_CYCLEH;
}

static bool is_upper(unsigned reg)
{
	return reg >= PMK_RISCV_MCYCLEH;
}

/*
 * Returns the counter to which a register belongs. The register is the counter itself, half of it,
 * or its read-only shadow.
 */
static unsigned counter_of(unsigned reg)
{
	static const unsigned first[] = { PMK_RISCV_CYCLEH, PMK_RISCV_MCYCLEH, PMK_RISCV_CYCLE };

	for (size_t i = 0; i < sizeof(first) / sizeof(first[0]); i++)
		if (reg >= first[i])
			return reg - first[i];
	return reg;
}

static bool is_counter(unsigned reg)
{
	return reg < PMK_RISCV_MHPMEVENT3 || reg >= PMK_RISCV_CYCLE;
}

/* Returns where the bits of a register are stored. The register must not be a counter. */
static uint32_t *held_by(struct pmk_riscv_model *m, unsigned reg)
{
	if (reg == PMK_RISCV_MCOUNTINHIBIT)
		return &m->inhibit;
	if (reg == PMK_RISCV_MCOUNTEREN)
		return &m->counteren;
	return &m->event[PMK_RISCV_CTR_HPM3 + reg - PMK_RISCV_MHPMEVENT3];
}

static uint64_t read_held(struct pmk_riscv_model *m, unsigned reg)
{
	if (!is_counter(reg))
		return *held_by(m, reg);
	return is_upper(reg) ? m->count[counter_of(reg)] >> 32 : m->count[counter_of(reg)];
}

static void write_held(struct pmk_riscv_model *m, unsigned reg, uint64_t value)
{
	uint64_t *count;

	if (!is_counter(reg)) {
		*held_by(m, reg) = (uint32_t)value;
		return;
	}
	count = &m->count[counter_of(reg)];
	if (is_upper(reg))
		*count = PMK_PUT(*count, PMK_BITS(63, 32), value);
	else if (m->rv32)
		*count = PMK_PUT(*count, PMK_BITS(31, 0), value);
	else
		*count = value;
}

/*
 * Checks access rights: only M-mode may access machine registers, and no mode may write read-only
 * registers (PRIV 2.1).
 */
static int check_access(struct pmk_riscv_model *m, enum pmk_mode mode, unsigned reg, bool write)
{
	bool may;

	if (reg >= pmu_of(m)->nregs)
		return PMK_EBADREG;
	may = write ? pmk_reg_writable(row_of(m, reg)) : pmk_reg_readable(row_of(m, reg));
	if (mode != PMK_MODE_PRIV)
		may = may && is_shadow(reg) &&
		      (m->counteren & pmk_riscv_counter_bit(counter_of(reg)));
	if (may)
		return PMK_OK;
	m->oddities |= PMK_RISCV_ODD_ILLEGAL;
	return PMK_EUNDEF;
}

static int read_reg(void *model, struct pmk_bus *bus, enum pmk_mode mode, unsigned reg,
		    uint64_t *value)
{
	struct pmk_riscv_model *m = model;
	int err = check_access(m, mode, reg, false);

	if (err)
		return err;
	sync_model(m, bus);
	*value = pmk_reg_read(row_of(m, reg), read_held(m, reg));
	return PMK_OK;
}

/* True if the class in the selector exists, and each bit of its mask stands for an event. */
static bool is_known(uint32_t selector)
{
	uint32_t left = selector & (uint32_t)MHPMEVENT_MASK;

	for (unsigned i = 0; i < pmk_riscv64.nevents; i++)
		if (pmk_riscv_selects(selector, &pmk_riscv_events[i]))
			left &= ~pmk_riscv_selector(pmk_riscv_events[i].code);
	return !left && (selector & MHPMEVENT_CLASS) < NCLASSES;
}

static int write_reg(void *model, struct pmk_bus *bus, enum pmk_mode mode, unsigned reg,
		     uint64_t value)
{
	struct pmk_riscv_model *m = model;
	int err = check_access(m, mode, reg, true);

	if (err)
		return err;
	sync_model(m, bus);
	write_held(m, reg, pmk_reg_write(row_of(m, reg), read_held(m, reg), value));
	if (reg >= PMK_RISCV_MHPMEVENT3 && reg < PMK_RISCV_MCOUNTINHIBIT &&
	    !is_known(*held_by(m, reg)))
		m->oddities |= PMK_RISCV_ODD_EVENT;
	remember_totals(m, bus);
	ask_horizon(m, bus);
	return PMK_OK;
}

/* ---- reset ---------------------------------------------------------------------------------- */

void pmk_riscv_model_reset(struct pmk_riscv_model *m, const struct pmk_pmu *pmu,
			   const struct pmk_riscv_params *params, struct pmk_bus *bus)
{
	memset(m, 0, sizeof(*m));
	m->params = *params;
	m->rv32 = pmk_riscv_is32(pmu);
	for (unsigned reg = 0; reg < pmu_of(m)->nregs; reg++)
		if (!is_shadow(reg))
			write_held(m, reg,
				   row_of(m, reg)->reset |
					   pmk_reg_takes(row_of(m, reg), params->poison));
	remember_totals(m, bus);
}

static void reset_model(void *model, struct pmk_bus *bus, const struct pmk_pmu *pmu)
{
	static const struct pmk_riscv_params defaults;

	pmk_riscv_model_reset(model, pmu, &defaults, bus);
}

/* ---- parameters and inputs by name ---------------------------------------------------------- */

static const struct pmk_model_param params[] = {
	PMK_MODEL_PARAM(pmk_riscv_model, "poison", params.poison),
	{ NULL, 0, 0 },
};

static void restart_model(void *model, struct pmk_bus *bus, const struct pmk_pmu *pmu)
{
	const struct pmk_riscv_params p = ((const struct pmk_riscv_model *)model)->params;

	pmk_riscv_model_reset(model, pmu, &p, bus);
}

static const char *const oddities[] = {
	"selected an event that does not exist",
	"made an access that is an illegal instruction",
	NULL,
};

#define OPS(pmu_)                                                                             \
	{                                                                                     \
		.pmu = &(pmu_), .size = sizeof(struct pmk_riscv_model), .reset = reset_model, \
		.read = read_reg, .write = write_reg, .sync = sync_model, .ask = ask_horizon, \
		.lines = interrupt_lines, .params = params, .restart = restart_model,         \
		.oddities = oddities,                                                         \
		.oddities_at = PMK_MODEL_PARAM(pmk_riscv_model, "oddities", oddities),        \
	}

const struct pmk_model_ops pmk_riscv_models[PMK_RISCV_NMODELS + 1] = { OPS(pmk_riscv64),
								       OPS(pmk_riscv32) };
