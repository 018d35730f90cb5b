// SPDX-License-Identifier: MIT
/*
 * The model of the DWT's counters. Where the sources are silent, or leave a point to the
 * implementation, the following is our choice:
 *  - there are four comparators, but only their number is modelled: DWT_CTRL is 0x40000000 (DDI
 *    0489F Table 11.1);
 *  - CYCCNT resets to 0 (DDI 0489F), the 8-bit counters to params.poison;
 *  - a key other than 0xC5ACCE55 closes the lock;
 *  - an unprivileged access, which takes a BusFault in hardware, returns PMK_EUNDEF;
 *  - a missing counter and its enable read as 0 and ignore writes (DDI 0403E: UNK/SBZP).
 *
 * The only side effect of a wrap is a packet, so the model never asks to be synchronised. Not
 * modelled: packets, POSTCNT, PC samples, comparators.
 */
#include <pmk/dwt_model.h>

#include "pmu/dwt/regs.h"
#include "pmu/reg.h"

#include <string.h>

/* ---- counting ------------------------------------------------------------------------------- */

static bool is_absent(const struct pmk_dwt_model *m, unsigned counter)
{
	return counter == PMK_DWT_CTR_CYC ? m->params.no_cyccnt : m->params.no_prfcnt;
}

static uint64_t total_of(const struct pmk_dwt_model *m, const struct pmk_bus *bus, unsigned counter)
{
	uint64_t total = bus->total[pmk_dwt_events[counter].signal];

	if (counter == PMK_DWT_CTR_CYC && m->params.sleep_stops)
		total -= bus->total[PMK_SIG_SLEEP_CYCLE];
	return total;
}

static void remember_totals(struct pmk_dwt_model *m, const struct pmk_bus *bus)
{
	for (unsigned i = 0; i < PMK_DWT_NCTRS; i++)
		m->seen[i] = total_of(m, bus, i);
}

static void model_sync(void *model, struct pmk_bus *bus)
{
	struct pmk_dwt_model *m = model;

	for (unsigned i = 0; i < PMK_DWT_NCTRS; i++)
		if ((m->demcr & DEMCR_TRCENA) && (m->ctrl & pmk_dwt_enable(i)))
			m->count[i] = (uint32_t)pmk_reg_takes(&pmk_dwt_regs[PMK_DWT_CYCCNT + i],
							      m->count[i] + total_of(m, bus, i) -
								      m->seen[i]);
	remember_totals(m, bus);
}

static void model_ask(const void *model, struct pmk_bus *bus)
{
	(void)model;
	(void)bus;
}

static unsigned model_lines(const void *model)
{
	(void)model;
	return 0;
}

/* ---- registers ------------------------------------------------------------------------------ */

static bool is_counter(unsigned reg)
{
	return reg >= PMK_DWT_CYCCNT && reg <= PMK_DWT_FOLDCNT;
}

static uint64_t held_by(const struct pmk_dwt_model *m, unsigned reg)
{
	if (is_counter(reg))
		return m->count[reg - PMK_DWT_CYCCNT];
	switch (reg) {
	case PMK_DWT_CTRL:
		return m->ctrl;
	case PMK_DWT_DEMCR:
		return m->demcr;
	case PMK_DWT_LSR:
		return !m->params.lock ? 0 : m->locked ? LSR_SLI | LSR_SLK : LSR_SLI;
	default:
		return 0;
	}
}

/* Writes DWT_CTRL. The enables of missing counters stay 0. An 8-bit counter is cleared when its
 * enable changes from 0 to 1. */
static void hold_ctrl(struct pmk_dwt_model *m, uint32_t value)
{
	for (unsigned i = 0; i < PMK_DWT_NCTRS; i++) {
		uint32_t enable = pmk_dwt_enable(i);

		if (is_absent(m, i))
			value &= ~enable;
		if (i != PMK_DWT_CTR_CYC && (value & ~m->ctrl & enable))
			m->count[i] = 0;
	}
	m->ctrl = value;
}

static void hold_value(struct pmk_dwt_model *m, unsigned reg, uint32_t value, uint64_t written)
{
	if (is_counter(reg) && !is_absent(m, reg - PMK_DWT_CYCCNT))
		m->count[reg - PMK_DWT_CYCCNT] = value;
	else if (reg == PMK_DWT_CTRL)
		hold_ctrl(m, value);
	else if (reg == PMK_DWT_DEMCR)
		m->demcr = value;
	else if (reg == PMK_DWT_LAR)
		m->locked = m->params.lock && written != LAR_KEY;
}

static int check_access(struct pmk_dwt_model *m, enum pmk_mode mode, unsigned reg)
{
	if (reg >= PMK_DWT_NREGS)
		return PMK_EBADREG;
	if (mode == PMK_MODE_USER || mode == PMK_MODE_USER_NONSEC) {
		m->oddities |= PMK_DWT_ODD_USER;
		return PMK_EUNDEF;
	}
	if (reg != PMK_DWT_DEMCR && !(m->demcr & DEMCR_TRCENA))
		m->oddities |= PMK_DWT_ODD_OFF;
	return PMK_OK;
}

static bool is_gated(const struct pmk_dwt_model *m, unsigned reg)
{
	return m->params.gate && reg != PMK_DWT_DEMCR && !(m->demcr & DEMCR_TRCENA);
}

static int read_reg(void *model, struct pmk_bus *bus, enum pmk_mode mode, unsigned reg,
		    uint64_t *value)
{
	struct pmk_dwt_model *m = model;
	int err = check_access(m, mode, reg);

	if (err)
		return err;
	model_sync(m, bus);
	*value = is_gated(m, reg) ? 0 : pmk_reg_read(&pmk_dwt_regs[reg], held_by(m, reg));
	return PMK_OK;
}

static int write_reg(void *model, struct pmk_bus *bus, enum pmk_mode mode, unsigned reg,
		     uint64_t value)
{
	struct pmk_dwt_model *m = model;
	int err = check_access(m, mode, reg);

	if (err || is_gated(m, reg))
		return err;
	model_sync(m, bus);
	if (m->locked && reg != PMK_DWT_LAR && reg != PMK_DWT_DEMCR) {
		m->oddities |= PMK_DWT_ODD_LOCKED;
		return PMK_OK;
	}
	hold_value(m, reg, (uint32_t)pmk_reg_write(&pmk_dwt_regs[reg], held_by(m, reg), value),
		   (uint32_t)value);
	return PMK_OK;
}

/* ---- reset ---------------------------------------------------------------------------------- */

void pmk_dwt_model_reset(struct pmk_dwt_model *m, const struct pmk_dwt_params *params,
			 struct pmk_bus *bus)
{
	memset(m, 0, sizeof(*m));
	m->params = *params;
	m->locked = params->lock;
	m->ctrl = PMK_PUT(0, (uint32_t)CTRL_NUMCOMP, 4);
	if (params->no_cyccnt)
		m->ctrl |= CTRL_NOCYCCNT;
	if (params->no_prfcnt)
		m->ctrl |= CTRL_NOPRFCNT;
	for (unsigned i = PMK_DWT_CTR_CPI; i < PMK_DWT_NCTRS; i++)
		if (!is_absent(m, i))
			m->count[i] = params->poison;
	remember_totals(m, bus);
}

static void model_reset(void *model, struct pmk_bus *bus, const struct pmk_pmu *pmu)
{
	static const struct pmk_dwt_params defaults;

	(void)pmu;
	pmk_dwt_model_reset(model, &defaults, bus);
}

/* ---- parameters and inputs by name ---------------------------------------------------------- */

static const struct pmk_model_param params[] = {
	PMK_MODEL_PARAM(pmk_dwt_model, "lock", params.lock),
	PMK_MODEL_PARAM(pmk_dwt_model, "no_cyccnt", params.no_cyccnt),
	PMK_MODEL_PARAM(pmk_dwt_model, "no_prfcnt", params.no_prfcnt),
	PMK_MODEL_PARAM(pmk_dwt_model, "poison", params.poison),
	PMK_MODEL_PARAM(pmk_dwt_model, "gate", params.gate),
	PMK_MODEL_PARAM(pmk_dwt_model, "sleep_stops", params.sleep_stops),
	{ NULL, 0, 0 },
};

static void model_restart(void *model, struct pmk_bus *bus, const struct pmk_pmu *pmu)
{
	const struct pmk_dwt_params p = ((const struct pmk_dwt_model *)model)->params;

	(void)pmu;
	pmk_dwt_model_reset(model, &p, bus);
}

static const char *const oddities[] = {
	"wrote to a register that is locked",
	"made an unprivileged access",
	"accessed the DWT while TRCENA was 0",
	NULL,
};

const struct pmk_model_ops pmk_dwt_models[PMK_DWT_NMODELS + 1] = {
	{ .pmu = &pmk_dwt,
	  .size = sizeof(struct pmk_dwt_model),
	  .reset = model_reset,
	  .read = read_reg,
	  .write = write_reg,
	  .sync = model_sync,
	  .ask = model_ask,
	  .lines = model_lines,
	  .params = params,
	  .restart = model_restart,
	  .oddities = oddities,
	  .oddities_at = PMK_MODEL_PARAM(pmk_dwt_model, "oddities", oddities) },
};
