// SPDX-License-Identifier: MIT
/*
 * AHB Monitor model: 91 counters, AHBMONCtrlReg, AHBMONRstCtrs, AHBMONPrstCtrs, GxiPageSize and the
 * wait thresholds. The sections and tables named in this file are in DDI 0287B.
 *
 * The model counts differences of bus totals. It takes them when a register is accessed or DBGACK
 * changes. An overflow only wraps the counter, so the model never asks to be synchronised.
 * <pmk/ahbmon_model.h> describes when writes and reads take effect. Where the manual is silent, the
 * following is our choice:
 *  - A write to a counter is ignored. The write-only registers, reserved bits and bits that the
 *    layout does not name read as 0.
 *  - Any mode may access the registers, because the manual does not mention privilege. ARM-I,
 *    CLCDC, DMA and MBX cannot reach the registers (§4.1), but the model cannot see who makes an
 *    access, so the caller must not let these masters access it.
 *  - A new page size or alignment test applies from the write on, not to earlier transfers.
 *
 * observe.c has the rules for waits, bursts and cast-outs, and packet.c has the packets on
 * AHBMONITOR[33:0]. Two things are not modelled: the delay of reads by the monitor's pipeline,
 * because its depth is not documented, and accesses that are not aligned words, because a port only
 * has register numbers.
 */
#include <pmk/ahbmon_model.h>

#include "base/foreign.h"
#include "pmu/ahbmon/regs.h"
#include "pmu/reg.h"

#include <string.h>

/*
 * True if a counter counts now. CtTotalCycles always does. All other counters need the enable bit,
 * and stand still after a preset until AHBMONCtrlReg is written. In addition, ARM-I, ARM-D and
 * CtTotalCyclesNonDebug pause while DBGACK is tracked and asserted (§4.2.2).
 */
static bool counter_counts(const struct pmk_ahbmon_model *m, unsigned ctr)
{
	bool paused = (m->ctrl & m->layout.track_dbgack) && m->input[PMK_AHBMON_IN_DBGACK];

	if (ctr == PMK_AHBMON_TOTAL_CYCLES)
		return true;
	if (!(m->ctrl & m->layout.enable) || m->held)
		return false;
	switch ((enum pmk_ahbmon_bus)pmk_ahbmon_bus_of[ctr]) {
	case PMK_AHBMON_BUS_HCLK:
		return !(paused && ctr == PMK_AHBMON_TOTAL_CYCLES_NON_DEBUG);
	case PMK_AHBMON_BUS_ARMI:
	case PMK_AHBMON_BUS_ARMD:
		return !paused;
	case PMK_AHBMON_BUS_CLCDC:
	case PMK_AHBMON_BUS_DMA0:
	case PMK_AHBMON_BUS_DMA1:
	case PMK_AHBMON_BUS_EXP:
	case PMK_AHBMON_BUS_GXI:
	case PMK_AHBMON_NBUSES:
		break;
	}
	return true;
}

/* Returns the signal that a counter counts with the present settings of the model. */
static uint8_t signal_of(const struct pmk_ahbmon_model *m, unsigned ctr)
{
	static const uint8_t page[PMK_AHBMON_NPAGES] = {
		[PMK_AHBMON_PAGE_2K] = PMK_SIG_GXI_PAGE_2K,
		[PMK_AHBMON_PAGE_4K] = PMK_SIG_GXI_PAGE_4K,
		[PMK_AHBMON_PAGE_8K] = PMK_SIG_GXI_PAGE_8K,
		[PMK_AHBMON_PAGE_16K] = PMK_SIG_GXI_PAGE_16K,
	};

	if (ctr == PMK_AHBMON_GXI_PAGE_CHANGE)
		return page[m->page];
	if (ctr == PMK_AHBMON_ARMD_CAST_OUT4 && (m->ctrl & m->layout.castout4_aligned))
		return PMK_SIG_AHB_CASTOUT4_ALIGNED;
	return pmk_ahbmon_events[ctr].signal;
}

static uint64_t total_of(const struct pmk_ahbmon_model *m, const struct pmk_bus *buses,
			 unsigned ctr)
{
	return buses[pmk_ahbmon_bus_of[ctr]].total[signal_of(m, ctr)];
}

static void counter_advance(struct pmk_ahbmon_model *m, unsigned ctr, uint64_t n)
{
	if (m->params.saturate && n > UINT32_MAX - m->count[ctr])
		m->count[ctr] = UINT32_MAX;
	else
		m->count[ctr] += (uint32_t)n;
}

/* Stores the current totals, so that counters count from now on. */
static void remember_totals(struct pmk_ahbmon_model *m, const struct pmk_bus *buses)
{
	for (unsigned ctr = 0; ctr < PMK_AHBMON_NCTRS; ctr++)
		m->seen[ctr] = total_of(m, buses, ctr);
}

static void model_sync(void *model, struct pmk_bus *buses)
{
	struct pmk_ahbmon_model *m = model;

	for (unsigned ctr = 0; ctr < PMK_AHBMON_NCTRS; ctr++)
		if (counter_counts(m, ctr))
			counter_advance(m, ctr, total_of(m, buses, ctr) - m->seen[ctr]);
	remember_totals(m, buses);
}

/*
 * Does nothing. The counters have no flags and no interrupts, so the model need not be called when
 * one wraps.
 */
static void model_ask(const void *model, struct pmk_bus *buses)
{
	(void)model;
	(void)buses;
}

static unsigned model_lines(const void *model)
{
	(void)model;
	return 0;
}

/* True if AHBMONRstCtrs and AHBMONPrstCtrs affect the counter. */
static bool is_resettable(const struct pmk_ahbmon_model *m, unsigned ctr)
{
	return ctr != PMK_AHBMON_TOTAL_CYCLES || m->params.reset_total;
}

static void reset_counters(struct pmk_ahbmon_model *m)
{
	for (unsigned ctr = 0; ctr < PMK_AHBMON_NCTRS; ctr++)
		if (is_resettable(m, ctr))
			m->count[ctr] = 0;
}

static void preset_counters(struct pmk_ahbmon_model *m)
{
	for (unsigned ctr = 0; ctr < PMK_AHBMON_NCTRS; ctr++)
		if (is_resettable(m, ctr))
			m->count[ctr] = m->layout.base + m->layout.offset[ctr];
	m->held = true;
	if (!m->params.preset_keeps_enable)
		m->ctrl &= ~m->layout.enable;
}

static bool register_exists(const struct pmk_ahbmon_model *m, unsigned reg)
{
	return reg < PMK_AHBMON_NREGS && m->layout.offset[reg] != PMK_MMIO_NONE;
}

static const struct pmk_reg_info *row_of(unsigned reg)
{
	return &pmk_ahbmon.regs[reg];
}

/* Returns where the bits of a register are stored; NULL if the register is a command. */
static uint32_t *held_by(struct pmk_ahbmon_model *m, unsigned reg)
{
	if (reg < PMK_AHBMON_NCTRS)
		return &m->count[reg];
	if (reg >= PMK_AHBMON_THRESHOLD0)
		return &m->threshold[reg - PMK_AHBMON_THRESHOLD0];
	if (reg == PMK_AHBMON_GXIPAGESIZE)
		return &m->page;
	return reg == PMK_AHBMON_CTRLREG ? &m->ctrl : NULL;
}

/*
 * Moves bits from their positions in the rows, which are those of our own layout, to their
 * positions in the current layout.
 */
static uint32_t move_bits(const struct pmk_ahbmon_model *m, unsigned reg, uint64_t bits)
{
	const struct pmk_ahbmon_layout *l = &m->layout;

	if (reg >= PMK_AHBMON_THRESHOLD0)
		return (uint32_t)bits & l->threshold;
	if (reg != PMK_AHBMON_CTRLREG)
		return (uint32_t)bits;
	return (bits & CTRLREG_ENABLE ? l->enable : 0) |
	       (bits & CTRLREG_TRACK_DBGACK ? l->track_dbgack : 0) |
	       (bits & CTRLREG_CASTOUT4_ALIGNED ? l->castout4_aligned : 0);
}

static int read_reg(void *model, struct pmk_bus *buses, enum pmk_mode mode, unsigned reg,
		    uint64_t *value)
{
	struct pmk_ahbmon_model *m = model;

	(void)mode;
	if (!register_exists(m, reg))
		return PMK_EBADREG;
	model_sync(m, buses);
	*value = 0;
	if (held_by(m, reg))
		*value =
			*held_by(m, reg) & move_bits(m, reg, pmk_reg_read(row_of(reg), UINT64_MAX));
	if (!pmk_reg_readable(row_of(reg)))
		m->oddities |= PMK_AHBMON_ODD_READ_WO;
	return PMK_OK;
}

/* Stores a write to a setting. The caller must have synchronised the model. */
static void write_setting(struct pmk_ahbmon_model *m, unsigned reg, uint32_t w)
{
	uint32_t takes = move_bits(m, reg, pmk_reg_takes(row_of(reg), UINT64_MAX));

	if (w & ~takes)
		m->oddities |= PMK_AHBMON_ODD_SBZ;
	*held_by(m, reg) = (*held_by(m, reg) & ~takes) | (w & takes);
	if (reg == PMK_AHBMON_CTRLREG)
		m->held = false;
}

static int write_reg(void *model, struct pmk_bus *buses, enum pmk_mode mode, unsigned reg,
		     uint64_t value)
{
	struct pmk_ahbmon_model *m = model;

	(void)mode;
	if (!register_exists(m, reg))
		return PMK_EBADREG;
	model_sync(m, buses);
	if (!pmk_reg_writable(row_of(reg)))
		m->oddities |= PMK_AHBMON_ODD_COUNTER_WRITE;
	else if (reg == PMK_AHBMON_RSTCTRS)
		reset_counters(m);
	else if (reg == PMK_AHBMON_PRSTCTRS)
		preset_counters(m);
	else
		write_setting(m, reg, (uint32_t)value);
	remember_totals(m, buses);
	return PMK_OK;
}

void pmk_ahbmon_model_input(struct pmk_ahbmon_model *m, struct pmk_bus *buses,
			    enum pmk_ahbmon_input input, bool level)
{
	model_sync(m, buses);
	m->input[input] = level;
}

uint32_t pmk_ahbmon_model_threshold(const struct pmk_ahbmon_model *m,
				    enum pmk_ahbmon_threshold which)
{
	return m->threshold[which];
}

void pmk_ahbmon_model_reset(struct pmk_ahbmon_model *m, const struct pmk_ahbmon_layout *layout,
			    const struct pmk_ahbmon_params *params, struct pmk_bus *buses)
{
	memset(m, 0, sizeof(*m));
	m->params = *params;
	m->layout = *layout;
	for (unsigned reg = 0; reg < PMK_AHBMON_NREGS; reg++)
		if (held_by(m, reg))
			*held_by(m, reg) = move_bits(m, reg, row_of(reg)->reset);
	m->page |= params->page_reset & (uint32_t)GXIPAGESIZE_SIZE;
	for (unsigned i = 0; i < PMK_AHBMON_NTHRESHOLDS; i++)
		m->threshold[i] |= params->threshold_reset & layout->threshold;
	remember_totals(m, buses);
}

static void model_reset(void *model, struct pmk_bus *buses, const struct pmk_pmu *pmu)
{
	static const struct pmk_ahbmon_params defaults;

	pmk_ahbmon_model_reset(model, pmk_ahbmon_layout_of(pmu), &defaults, buses);
}

static bool layout_is_same(const struct pmk_ahbmon_layout *l, const struct pmk_ahbmon_layout *k)
{
	return l->provenance == k->provenance && l->base == k->base && l->enable == k->enable &&
	       l->track_dbgack == k->track_dbgack && l->castout4_aligned == k->castout4_aligned &&
	       l->threshold == k->threshold && PMK_SAME(l, k, offset);
}

static bool model_is_valid(const void *model, const void *begun)
{
	const struct pmk_ahbmon_model *m = model, *b = begun;

	return layout_is_same(&m->layout, &b->layout) && PMK_SAME(m, b, input) &&
	       PMK_SAME(m, b, page) && pmk_is_bool(&m->held);
}

/* ---- parameters and inputs by name --------------------------------------------------------- */

/* clang-format off */
#define PARAM(name) PMK_MODEL_PARAM(pmk_ahbmon_model, #name, params.name)
static const struct pmk_model_param params[] = {
	PARAM(saturate), PARAM(reset_total), PARAM(preset_keeps_enable), PARAM(page_reset),
	PARAM(threshold_reset),
	{ NULL, 0, 0 },
};
/* clang-format on */

static const char *const inputs[] = {
	[PMK_AHBMON_IN_DBGACK] = "dbgack",
	[PMK_AHBMON_NINPUTS] = NULL,
};

static void set_input(void *model, struct pmk_bus *bus, unsigned input, uint64_t value)
{
	pmk_ahbmon_model_input(model, bus, input, value);
}

static void model_restart(void *model, struct pmk_bus *bus, const struct pmk_pmu *pmu)
{
	const struct pmk_ahbmon_params p = ((const struct pmk_ahbmon_model *)model)->params;

	pmk_ahbmon_model_reset(model, pmk_ahbmon_layout_of(pmu), &p, bus);
}

static const char *const oddities[] = {
	"wrote a counter, which is ignored",
	"wrote 1 to a bit that has no meaning",
	"read a register that can only be written",
	NULL,
};

const struct pmk_model_ops pmk_ahbmon_models[PMK_AHBMON_NMODELS + 1] = {
	{ .pmu = &pmk_ahbmon,
	  .size = sizeof(struct pmk_ahbmon_model),
	  .reset = model_reset,
	  .read = read_reg,
	  .write = write_reg,
	  .sync = model_sync,
	  .ask = model_ask,
	  .lines = model_lines,
	  .params = params,
	  .restart = model_restart,
	  .oddities = oddities,
	  .oddities_at = PMK_MODEL_PARAM(pmk_ahbmon_model, "oddities", oddities),
	  .inputs = inputs,
	  .input = set_input,
	  .valid = model_is_valid },
};
