// SPDX-License-Identifier: MIT
/*
 * ARM11 PMU model: PMNC, CCNT, PMN0, PMN1 and, on the ARM1176, SUNAVCR.
 *
 * The model counts differences of bus totals. It takes them when a register is accessed, when an
 * input changes, or when a signal has reached the horizon that the model has set (pmk/bus.h). Where
 * the documents are silent, the following is our choice:
 *  - Reset clears every PMNC bit and all counters, on all cores.
 *  - A write to PMNC acts in this order. Events before it are counted under the old value. Then the
 *    new configuration takes effect, then C and P, then the flags are cleared, and then the
 *    interrupt enables take effect. Clearing an enable deasserts its interrupt; setting an enable
 *    while the flag is set asserts it.
 *  - When E goes to 1 at cycle t, counting begins at t + 3. This is exact for a producer that stops
 *    at the horizon. If a producer steps over t + 3, cycles are still exact, but other events are
 *    counted from the last synchronisation on.
 *  - The prescaler of D keeps its phase while it is not used; only C and reset clear it. The start
 *    delay elapses also in Debug state.
 *  - A reserved event counts nothing. Unpredictable bits read as 0.
 *  - ARM1156: nPMUFIQ is asserted while an overflow flag and its FIQ enable are set.
 *
 * The System Validation registers of the ARM1176, which use the same counters, are not modelled
 * (DDI 0301H §3.2.55-56). evntbus.c describes EVNTBUS.
 */
#include <pmk/arm11_model.h>

#include "base/foreign.h"
#include "pmu/arm11/regs.h"
#include "pmu/reg.h"

#include <string.h>

_Static_assert(PMK_ARM11_NMODELS == PMK_ARM11_NCORES, "one model per core");

#define PRESCALER 64 /* DDI 0211 Table 3.138, D */

static const struct pmk_pmu *pmu_of(const struct pmk_arm11_model *m)
{
	return pmk_arm11_models[m->id].pmu;
}

static bool is_running(const struct pmk_arm11_model *m)
{
	return (m->pmnc & PMNC_E) && !(m->input[PMK_ARM11_IN_DEBUG] && m->params.debug_stops);
}

/*
 * True if PMN0 and PMN1 may count. On an ARM1176 that does not permit non-invasive debug, they may
 * not.
 */
static bool events_running(const struct pmk_arm11_model *m)
{
	return is_running(m) && (m->id != PMK_ARM11_1176 || m->input[PMK_ARM11_IN_NIDEN]);
}

/* Advances a counter by n. Several wraps set the flag only once (DAI 0195B §1). */
static void advance_counter(struct pmk_arm11_model *m, unsigned ctr, uint64_t n)
{
	const struct pmk_arm11_counter *c = &pmk_arm11_counters[ctr];
	bool wrapped = n > UINT32_MAX - m->count[ctr];

	m->count[ctr] += (uint32_t)n;
	if (!wrapped)
		return;
	m->pmnc |= c->flag;
	if (m->pmnc & c->irq)
		m->line[ctr] = true;
}

static void advance_ccnt(struct pmk_arm11_model *m, uint64_t cycles)
{
	if (m->pmnc & PMNC_D) {
		cycles += m->phase;
		m->phase = cycles % PRESCALER;
		cycles /= PRESCALER;
	}
	advance_counter(m, PMK_ARM11_CTR_CCNT, cycles);
}

/*
 * Returns by how much a counter advances for its event. `cycles` is the number of cycles after the
 * start delay. `events` is true if the events since the last synchronisation came after the start
 * delay.
 */
static uint64_t event_count(const struct pmk_arm11_model *m, const struct pmk_bus *bus,
			    unsigned ctr, uint64_t cycles, bool events)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < 2; i++) {
		uint8_t signal = m->signal[ctr][i];

		if (signal == PMK_SIG_CYCLE)
			n += cycles;
		else if (events)
			n += bus->total[signal] - m->seen[ctr][i];
	}
	return n;
}

static void sync_model(void *model, struct pmk_bus *bus)
{
	struct pmk_arm11_model *m = model;
	uint64_t now = bus->total[PMK_SIG_CYCLE];
	uint64_t from = m->cycles_seen > m->start_at ? m->cycles_seen : m->start_at;
	uint64_t cycles = now > from ? now - from : 0;
	bool events = m->cycles_seen >= m->start_at || now > m->start_at;

	if (is_running(m))
		advance_ccnt(m, cycles);
	for (unsigned ctr = PMK_ARM11_CTR_PMN0; ctr <= PMK_ARM11_CTR_PMN1; ctr++) {
		if (events_running(m))
			advance_counter(m, ctr, event_count(m, bus, ctr, cycles, events));
		for (unsigned i = 0; i < 2; i++)
			m->seen[ctr][i] = bus->total[m->signal[ctr][i]];
	}
	m->cycles_seen = now;
}

/*
 * Asks to be called before counter `ctr` can have wrapped. If a counter adds two signals, one of
 * them must contribute at least half of the remaining distance. So the model asks to be called
 * after half of the distance, and does this again until the counter wraps.
 */
static void ask_counter(const struct pmk_arm11_model *m, struct pmk_bus *bus, unsigned ctr)
{
	const uint8_t *signal = m->signal[ctr];
	uint64_t left = (UINT64_C(1) << 32) - m->count[ctr];

	if (signal[1] != PMK_SIG_NONE)
		left = (left + 1) / 2;
	for (unsigned i = 0; i < 2; i++)
		if (signal[i] != PMK_SIG_NONE)
			pmk_bus_ask(bus, signal[i], m->seen[ctr][i] + left);
}

static void ask_horizon(const void *model, struct pmk_bus *bus)
{
	const struct pmk_arm11_model *m = model;
	uint64_t left = (UINT64_C(1) << 32) - m->count[PMK_ARM11_CTR_CCNT];

	if (!is_running(m))
		return;
	if (m->cycles_seen < m->start_at) {
		pmk_bus_ask(bus, PMK_SIG_CYCLE, m->start_at);
		return;
	}
	if (m->pmnc & PMNC_D)
		left = left * PRESCALER - m->phase;
	pmk_bus_ask(bus, PMK_SIG_CYCLE, m->cycles_seen + left);
	if (!events_running(m))
		return;
	ask_counter(m, bus, PMK_ARM11_CTR_PMN0);
	ask_counter(m, bus, PMK_ARM11_CTR_PMN1);
}

static unsigned interrupt_lines(const void *model)
{
	const struct pmk_arm11_model *m = model;
	unsigned irq = 0, fiq = 0;

	for (unsigned ctr = 0; ctr < PMK_ARM11_NCTRS; ctr++) {
		const struct pmk_arm11_counter *c = &pmk_arm11_counters[ctr];

		irq |= m->line[ctr];
		fiq |= (m->pmnc & c->flag) && (m->pmnc & c->fiq);
	}
	return irq | fiq << 1;
}

/* Makes a counter count the event `code` from now on. */
static void select_event(struct pmk_arm11_model *m, const struct pmk_bus *bus, unsigned ctr,
			 uint32_t code)
{
	const struct pmk_event *ev = pmk_pmu_event_code(pmu_of(m), code);

	m->signal[ctr][0] = ev ? ev->signal : PMK_SIG_NONE;
	m->signal[ctr][1] = ev ? ev->signal2 : PMK_SIG_NONE;
	for (unsigned i = 0; i < 2; i++)
		m->seen[ctr][i] = bus->total[m->signal[ctr][i]];
	if (!ev)
		m->oddities |= PMK_ARM11_ODD_RESERVED_EVENT;
}

/* Writes PMNC. The caller must have synchronised the counters. */
static void write_pmnc(struct pmk_arm11_model *m, const struct pmk_bus *bus, uint32_t w)
{
	const struct pmk_reg_info *row = &pmu_of(m)->regs[PMK_ARM11_PMNC];
	uint64_t takes = pmk_reg_takes(row, w), flags = m->pmnc & PMNC_FLAGS;
	bool was_enabled = m->pmnc & PMNC_E, enabled;

	m->pmnc = (uint32_t)pmk_reg_write(row, m->pmnc, w);
	enabled = m->pmnc & PMNC_E;
	/*
	 * Only a write with E set deasserts an interrupt (DAI 0195B §1, Table 1). Such a write
	 * clears the flag and the interrupt together, so without E the flag stays set, too:
	 * docs/arm11.md.
	 */
	if (!enabled && m->params.strict_e_clear)
		m->pmnc |= (uint32_t)flags;
	select_event(m, bus, PMK_ARM11_CTR_PMN0, PMK_GET(m->pmnc, PMNC_EVTCOUNT0));
	select_event(m, bus, PMK_ARM11_CTR_PMN1, PMK_GET(m->pmnc, PMNC_EVTCOUNT1));
	if (enabled && !was_enabled)
		m->start_at = m->cycles_seen + PMNC_START_DELAY;

	if (takes & PMNC_C) {
		m->count[PMK_ARM11_CTR_CCNT] = 0;
		m->phase = 0;
	}
	if (takes & PMNC_P) {
		m->count[PMK_ARM11_CTR_PMN0] = 0;
		m->count[PMK_ARM11_CTR_PMN1] = 0;
	}

	for (unsigned ctr = 0; ctr < PMK_ARM11_NCTRS; ctr++) {
		const struct pmk_arm11_counter *c = &pmk_arm11_counters[ctr];

		if (enabled && (takes & c->flag))
			m->line[ctr] = false;
		if (!(m->pmnc & c->irq))
			m->line[ctr] = false;
		else if (m->pmnc & c->flag)
			m->line[ctr] = true;
	}
}

/*
 * Checks access rights. ARM1136: DDI 0211 Table 3.140. ARM1176: DDI 0301H Tables 3-135 and 3-138 to
 * 3-141. A core without TrustZone treats a Non-secure access as any other access.
 */
static int check_access(struct pmk_arm11_model *m, enum pmk_mode mode, unsigned reg, bool write)
{
	bool user = mode == PMK_MODE_USER || mode == PMK_MODE_USER_NONSEC;
	bool allowed = false;

	if (reg >= PMK_ARM11_NREGS)
		return PMK_EBADREG;
	switch ((enum pmk_arm11_id)m->id) {
	case PMK_ARM11_1136_R0:
	case PMK_ARM11_1136:
		allowed = !user && reg != PMK_ARM11_SUNAVCR;
		break;
	case PMK_ARM11_1156:
	case PMK_ARM11_MPCORE:
		allowed = (!user || m->params.user_access) && reg != PMK_ARM11_SUNAVCR;
		break;
	case PMK_ARM11_1176:
		if (reg == PMK_ARM11_SUNAVCR)
			allowed = mode == PMK_MODE_PRIV &&
				  !(write && m->input[PMK_ARM11_IN_CP15SDISABLE]);
		else
			allowed = !user || (m->sunavcr & SUNAVCR_V);
		break;
	case PMK_ARM11_NCORES:
		break;
	}
	if (allowed)
		return PMK_OK;
	m->oddities |= PMK_ARM11_ODD_UNDEFINED;
	return PMK_EUNDEF;
}

/* Returns where a register's bits are stored. */
static uint32_t *held_by(struct pmk_arm11_model *m, unsigned reg)
{
	switch ((enum pmk_arm11_reg)reg) {
	case PMK_ARM11_CCNT:
		return &m->count[PMK_ARM11_CTR_CCNT];
	case PMK_ARM11_PMN0:
		return &m->count[PMK_ARM11_CTR_PMN0];
	case PMK_ARM11_PMN1:
		return &m->count[PMK_ARM11_CTR_PMN1];
	case PMK_ARM11_SUNAVCR:
		return &m->sunavcr;
	case PMK_ARM11_PMNC:
	case PMK_ARM11_NREGS:
		break;
	}
	return &m->pmnc;
}

static int read_reg(void *model, struct pmk_bus *bus, enum pmk_mode mode, unsigned reg,
		    uint64_t *value)
{
	struct pmk_arm11_model *m = model;
	int err = check_access(m, mode, reg, false);

	if (err)
		return err;
	sync_model(m, bus);
	*value = pmk_reg_read(&pmu_of(m)->regs[reg], *held_by(m, reg));
	return PMK_OK;
}

static int write_reg(void *model, struct pmk_bus *bus, enum pmk_mode mode, unsigned reg,
		     uint64_t value)
{
	struct pmk_arm11_model *m = model;
	const struct pmk_reg_info *row;
	uint32_t w = (uint32_t)value;
	int err = check_access(m, mode, reg, true);

	if (err)
		return err;
	sync_model(m, bus);
	row = &pmu_of(m)->regs[reg];
	if (pmk_reg_stray(row, w))
		m->oddities |= PMK_ARM11_ODD_SBZ;
	if (reg == PMK_ARM11_PMNC)
		write_pmnc(m, bus, w);
	else
		*held_by(m, reg) = (uint32_t)pmk_reg_write(row, *held_by(m, reg), w);
	ask_horizon(m, bus);
	return PMK_OK;
}

void pmk_arm11_model_input(struct pmk_arm11_model *m, struct pmk_bus *bus,
			   enum pmk_arm11_input input, bool level)
{
	sync_model(m, bus);
	m->input[input] = level;
}

struct pmk_arm11_params pmk_arm11_defaults(const struct pmk_pmu *pmu)
{
	return (struct pmk_arm11_params){
		.strict_e_clear = true,
		.debug_stops = pmk_arm11_core(pmu)->id != PMK_ARM11_1136_R0,
	};
}

void pmk_arm11_model_reset(struct pmk_arm11_model *m, const struct pmk_pmu *pmu,
			   const struct pmk_arm11_params *params, struct pmk_bus *bus)
{
	memset(m, 0, sizeof(*m));
	m->params = *params;
	m->id = pmk_arm11_core(pmu)->id;
	m->input[PMK_ARM11_IN_NIDEN] = true;
	m->cycles_seen = bus->total[PMK_SIG_CYCLE];
	m->signal[PMK_ARM11_CTR_CCNT][0] = PMK_SIG_NONE;
	m->signal[PMK_ARM11_CTR_CCNT][1] = PMK_SIG_NONE;
	for (unsigned reg = 0; reg < pmu_of(m)->nregs; reg++)
		*held_by(m, reg) = (uint32_t)pmu_of(m)->regs[reg].reset;
	select_event(m, bus, PMK_ARM11_CTR_PMN0, PMK_GET(m->pmnc, PMNC_EVTCOUNT0));
	select_event(m, bus, PMK_ARM11_CTR_PMN1, PMK_GET(m->pmnc, PMNC_EVTCOUNT1));
	if (m->id != PMK_ARM11_1176)
		m->count[PMK_ARM11_CTR_CCNT] = params->ccnt_reset;
}

static void reset_model(void *model, struct pmk_bus *bus, const struct pmk_pmu *pmu)
{
	struct pmk_arm11_params params = pmk_arm11_defaults(pmu);

	pmk_arm11_model_reset(model, pmu, &params, bus);
}

static bool model_is_valid(const void *model, const void *begun)
{
	const struct pmk_arm11_model *m = model, *b = begun;

	return PMK_SAME(m, b, id) && PMK_SAME(m, b, input) && PMK_SAME(m, b, signal) &&
	       pmk_are_bools(m->line, PMK_ARM11_NCTRS) && m->phase < PRESCALER;
}

/* ---- parameters and inputs by name ---------------------------------------------------------- */

/* clang-format off */
#define PARAM(name) PMK_MODEL_PARAM(pmk_arm11_model, #name, params.name)
static const struct pmk_model_param params[] = {
	PARAM(user_access), PARAM(strict_e_clear), PARAM(debug_stops), PARAM(ccnt_reset),
	{ NULL, 0, 0 },
};
/* clang-format on */

static const char *const inputs[] = {
	[PMK_ARM11_IN_DEBUG] = "debug",
	[PMK_ARM11_IN_NIDEN] = "niden",
	[PMK_ARM11_IN_CP15SDISABLE] = "cp15sdisable",
	[PMK_ARM11_NINPUTS] = NULL,
};

static void set_input(void *model, struct pmk_bus *bus, unsigned input, uint64_t value)
{
	pmk_arm11_model_input(model, bus, input, value);
}

static void restart_model(void *model, struct pmk_bus *bus, const struct pmk_pmu *pmu)
{
	const struct pmk_arm11_params p = ((const struct pmk_arm11_model *)model)->params;

	pmk_arm11_model_reset(model, pmu, &p, bus);
}

static const char *const oddities[] = {
	"selected an event that this core does not have",
	"wrote 1 to a bit that should be written as 0",
	"made an access that is Undefined in its mode",
	NULL,
};

#define OPS(pmu_)                                                                             \
	{                                                                                     \
		.pmu = &(pmu_), .size = sizeof(struct pmk_arm11_model), .reset = reset_model, \
		.read = read_reg, .write = write_reg, .sync = sync_model, .ask = ask_horizon, \
		.lines = interrupt_lines, .params = params, .restart = restart_model,         \
		.oddities = oddities,                                                         \
		.oddities_at = PMK_MODEL_PARAM(pmk_arm11_model, "oddities", oddities),        \
		.inputs = inputs, .input = set_input, .valid = model_is_valid,                \
	}

const struct pmk_model_ops pmk_arm11_models[PMK_ARM11_NMODELS + 1] = {
	[PMK_ARM11_1136_R0] = OPS(pmk_arm1136_r0), [PMK_ARM11_1136] = OPS(pmk_arm1136),
	[PMK_ARM11_1156] = OPS(pmk_arm1156),	   [PMK_ARM11_1176] = OPS(pmk_arm1176),
	[PMK_ARM11_MPCORE] = OPS(pmk_arm11mpcore),
};
