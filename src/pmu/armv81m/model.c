// SPDX-License-Identifier: MIT
/*
 * The model of Armv8.1-M's PMU. Where the sources are silent, the following is our choice:
 *  - Reset leaves 0, or a pattern (the parameter `poison`), where DDI 0553 says UNKNOWN. CTRL and
 *    DEMCR are 0.
 *  - While TRCENA is 0, nothing counts, and the registers can be accessed.
 *  - Three rules are as in PMUv3. A freeze (CTRL.FRZO) begins after the pass in which a flag was
 *    set, and does not stop CCNTR. The interrupt needs CTRL.E. P and C do not clear the flags.
 *  - AUTHSTATUS shows that all kinds of debug are permitted. While the input `prohibited` is 1,
 *    events are not counted. While the input `halted` is 1 (Debug state), nothing is counted.
 *  - An unprivileged access, which takes a BusFault in hardware, returns PMK_EUNDEF.
 *
 * lines() reports the request for a DebugMonitor exception. Trace packets (CTRL.TRO), DFSR, and a
 * CCNTR that is also DWT_CYCCNT are not modelled.
 */
#include <pmk/armv81m_model.h>

#include "pmu/armv81m/regs.h"
#include "pmu/reg.h"

#include <string.h>

/* ---- counting ------------------------------------------------------------------------------- */

static const struct pmk_event *event_of(const struct pmk_armv81m_model *m, unsigned n)
{
	return pmk_pmu_event_code(&pmk_cortex_m55, m->type[n]);
}

static uint64_t total_of(const struct pmk_armv81m_model *m, const struct pmk_bus *bus, unsigned n)
{
	const struct pmk_event *ev = event_of(m, n);

	return ev ? bus->total[ev->signal] + bus->total[ev->signal2] : 0;
}

/* Returns the counters that count now, as bits of CNTENSET. */
static uint32_t counting_now(const struct pmk_armv81m_model *m)
{
	uint32_t set = m->cnten;

	if (!(m->demcr & DEMCR_TRCENA) || !(m->ctrl & CTRL_E) || m->input[PMK_ARMV81M_IN_HALTED])
		return 0;
	if (m->input[PMK_ARMV81M_IN_PROHIBITED])
		set &= m->ctrl & CTRL_DP ? 0 : (uint32_t)SET_C;
	if ((m->ctrl & CTRL_FRZO) && (m->ovs & SET_P))
		set &= (uint32_t)SET_C;
	return set;
}

/* Adds amount[n] to each event counter in `counting`, and adds carries to odd counters that count
 * CHAIN. */
static void pass_events(struct pmk_armv81m_model *m, uint32_t counting,
			const uint64_t amount[PMK_ARMV81M_EVENTS])
{
	uint64_t carries = 0;

	for (unsigned n = 0; n < PMK_ARMV81M_EVENTS; n++) {
		bool chained = n % 2 && m->type[n] == PMK_ARMV81M_CHAIN;
		uint64_t sum = m->count[n] + (chained ? carries : amount[n]);

		carries = 0;
		if (!(counting >> n & 1))
			continue;
		m->count[n] = (uint32_t)(sum & EVCNTR_COUNT);
		carries = sum >> 16;
		if (carries)
			m->ovs |= UINT32_C(1) << n;
	}
}

static void sync_model(void *model, struct pmk_bus *bus)
{
	struct pmk_armv81m_model *m = model;
	uint32_t counting = counting_now(m);
	uint64_t amount[PMK_ARMV81M_EVENTS], cycles;

	for (unsigned n = 0; n < PMK_ARMV81M_EVENTS; n++) {
		amount[n] = total_of(m, bus, n) - m->seen[n];
		m->seen[n] += amount[n];
	}
	pass_events(m, counting, amount);
	cycles = m->cycles + (bus->total[PMK_SIG_CYCLE] - m->cycles_seen);
	m->cycles_seen = bus->total[PMK_SIG_CYCLE];
	if (!(counting & SET_C))
		return;
	m->cycles = (uint32_t)cycles;
	if (cycles >> 32)
		m->ovs |= (uint32_t)SET_C;
}

/* Asks to be synchronised when an event counter overflows. If the event adds two signals, one of
 * them contributes at least half of the distance, so the model asks to be synchronised after half
 * of it. */
static void ask_event(const struct pmk_armv81m_model *m, struct pmk_bus *bus, unsigned n)
{
	const struct pmk_event *ev = event_of(m, n);
	uint64_t left = (UINT64_C(1) << 16) - m->count[n];

	if (!ev || ev->signal == PMK_SIG_NONE)
		return;
	if (ev->signal2 != PMK_SIG_NONE) {
		left = left / 2 + left % 2;
		pmk_bus_ask(bus, ev->signal2, bus->total[ev->signal2] + left);
	}
	pmk_bus_ask(bus, ev->signal, bus->total[ev->signal] + left);
}

static void ask_horizon(const void *model, struct pmk_bus *bus)
{
	const struct pmk_armv81m_model *m = model;
	uint32_t counting = counting_now(m);

	for (unsigned n = 0; n < PMK_ARMV81M_EVENTS; n++)
		if (counting >> n & 1)
			ask_event(m, bus, n);
	if (counting & SET_C)
		pmk_bus_ask(bus, PMK_SIG_CYCLE,
			    bus->total[PMK_SIG_CYCLE] + (UINT64_C(1) << 32) - m->cycles);
}

static unsigned interrupt_lines(const void *model)
{
	const struct pmk_armv81m_model *m = model;

	return (m->ctrl & CTRL_E) && (m->ovs & m->inten);
}

/* ---- registers ------------------------------------------------------------------------------ */

/* Returns where the bits of a register are stored, or NULL if the register is constant. */
static uint32_t *held_by(struct pmk_armv81m_model *m, unsigned reg)
{
	if (reg < PMK_ARMV81M_CCNTR)
		return &m->count[reg - PMK_ARMV81M_EVCNTR0];
	if (reg >= PMK_ARMV81M_EVTYPER0 && reg < PMK_ARMV81M_CCFILTR)
		return &m->type[reg - PMK_ARMV81M_EVTYPER0];
	switch (reg) {
	case PMK_ARMV81M_CCNTR:
		return &m->cycles;
	case PMK_ARMV81M_CNTENSET:
	case PMK_ARMV81M_CNTENCLR:
		return &m->cnten;
	case PMK_ARMV81M_INTENSET:
	case PMK_ARMV81M_INTENCLR:
		return &m->inten;
	case PMK_ARMV81M_OVSCLR:
	case PMK_ARMV81M_OVSSET:
		return &m->ovs;
	case PMK_ARMV81M_CTRL:
		return &m->ctrl;
	case PMK_ARMV81M_DEMCR:
		return &m->demcr;
	default:
		return NULL;
	}
}

static uint64_t constant_of(unsigned reg)
{
	switch (reg) {
	case PMK_ARMV81M_TYPE:
		return 0x00A05F08;
	case PMK_ARMV81M_AUTHSTATUS:
		return 0x00FF00FF;
	case PMK_ARMV81M_DEVARCH:
		return 0x47700A06;
	case PMK_ARMV81M_DEVTYPE:
		return 0x16;
	default:
		return 0;
	}
}

static int check_access(struct pmk_armv81m_model *m, enum pmk_mode mode, unsigned reg)
{
	if (reg >= PMK_ARMV81M_NREGS)
		return PMK_EBADREG;
	if (mode != PMK_MODE_USER && mode != PMK_MODE_USER_NONSEC)
		return PMK_OK;
	m->oddities |= PMK_ARMV81M_ODD_USER;
	return PMK_EUNDEF;
}

static int read_reg(void *model, struct pmk_bus *bus, enum pmk_mode mode, unsigned reg,
		    uint64_t *value)
{
	struct pmk_armv81m_model *m = model;
	int err = check_access(m, mode, reg);
	const uint32_t *held;

	if (err)
		return err;
	sync_model(m, bus);
	held = held_by(m, reg);
	*value = pmk_reg_read(&pmk_armv81m_regs[reg], held ? *held : constant_of(reg));
	return PMK_OK;
}

static void select_event(struct pmk_armv81m_model *m, const struct pmk_bus *bus, unsigned n)
{
	m->seen[n] = total_of(m, bus, n);
	if (!event_of(m, n))
		m->oddities |= PMK_ARMV81M_ODD_EVENT;
	if (n % 2 == 0 && m->type[n] == PMK_ARMV81M_CHAIN)
		m->oddities |= PMK_ARMV81M_ODD_CHAIN;
}

static void increment_by_software(struct pmk_armv81m_model *m, uint64_t selected)
{
	uint64_t amount[PMK_ARMV81M_EVENTS] = { 0 };

	for (unsigned n = 0; n < PMK_ARMV81M_EVENTS; n++)
		amount[n] = (selected >> n & 1) && m->type[n] == PMK_ARMV81M_SW_INCR;
	pass_events(m, counting_now(m), amount);
}

/* Executes the effects of a write that go beyond storing the new value. `takes` has the written
 * bits that have an effect. */
static void act_on_write(struct pmk_armv81m_model *m, const struct pmk_bus *bus, unsigned reg,
			 uint64_t takes)
{
	if (reg == PMK_ARMV81M_SWINC)
		increment_by_software(m, takes);
	if (reg == PMK_ARMV81M_CTRL && (takes & CTRL_C))
		m->cycles = 0;
	if (reg == PMK_ARMV81M_CTRL && (takes & CTRL_P))
		memset(m->count, 0, sizeof(m->count));
	if (reg == PMK_ARMV81M_CTRL && (takes & CTRL_E) && !(m->demcr & DEMCR_TRCENA))
		m->oddities |= PMK_ARMV81M_ODD_OFF;
	if (reg >= PMK_ARMV81M_EVTYPER0 && reg < PMK_ARMV81M_CCFILTR)
		select_event(m, bus, reg - PMK_ARMV81M_EVTYPER0);
}

static int write_reg(void *model, struct pmk_bus *bus, enum pmk_mode mode, unsigned reg,
		     uint64_t value)
{
	struct pmk_armv81m_model *m = model;
	int err = check_access(m, mode, reg);
	uint32_t *held;

	if (err)
		return err;
	sync_model(m, bus);
	held = held_by(m, reg);
	if (held)
		*held = (uint32_t)pmk_reg_write(&pmk_armv81m_regs[reg], *held, value);
	act_on_write(m, bus, reg, pmk_reg_takes(&pmk_armv81m_regs[reg], value));
	ask_horizon(m, bus);
	return PMK_OK;
}

/* ---- reset, and names ----------------------------------------------------------------------- */

void pmk_armv81m_model_reset(struct pmk_armv81m_model *m, const struct pmk_armv81m_params *params,
			     struct pmk_bus *bus)
{
	memset(m, 0, sizeof(*m));
	m->params = *params;
	m->cycles_seen = bus->total[PMK_SIG_CYCLE];
	for (unsigned reg = 0; reg < PMK_ARMV81M_CTRL; reg++)
		if (held_by(m, reg))
			*held_by(m, reg) =
				(uint32_t)pmk_reg_takes(&pmk_armv81m_regs[reg], params->poison);
	for (unsigned n = 0; n < PMK_ARMV81M_EVENTS; n++)
		select_event(m, bus, n);
	m->oddities = 0;
}

static void restart_model(void *model, struct pmk_bus *bus, const struct pmk_pmu *pmu)
{
	struct pmk_armv81m_model *m = model;
	const struct pmk_armv81m_params params = m->params;

	(void)pmu;
	pmk_armv81m_model_reset(m, &params, bus);
}

static void reset_model(void *model, struct pmk_bus *bus, const struct pmk_pmu *pmu)
{
	static const struct pmk_armv81m_params defaults = { 0 };

	(void)pmu;
	pmk_armv81m_model_reset(model, &defaults, bus);
}

static const struct pmk_model_param params[] = {
	PMK_MODEL_PARAM(pmk_armv81m_model, "poison", params.poison),
	{ NULL, 0, 0 },
};

static const char *const inputs[] = {
	[PMK_ARMV81M_IN_PROHIBITED] = "prohibited",
	[PMK_ARMV81M_IN_HALTED] = "halted",
	[PMK_ARMV81M_NINPUTS] = NULL,
};

static void set_input(void *model, struct pmk_bus *bus, unsigned input, uint64_t value)
{
	struct pmk_armv81m_model *m = model;

	sync_model(m, bus);
	m->input[input] = value & 1;
}

static const char *const oddities[] = {
	"selected an event that the architecture does not define",
	"CHAIN in an even counter, where it never counts",
	"made an unprivileged access",
	"enabled the PMU while TRCENA was 0",
	NULL,
};

const struct pmk_model_ops pmk_armv81m_models[PMK_ARMV81M_NMODELS + 1] = {
	{ .pmu = &pmk_cortex_m55,
	  .size = sizeof(struct pmk_armv81m_model),
	  .reset = reset_model,
	  .read = read_reg,
	  .write = write_reg,
	  .sync = sync_model,
	  .ask = ask_horizon,
	  .lines = interrupt_lines,
	  .params = params,
	  .restart = restart_model,
	  .inputs = inputs,
	  .input = set_input,
	  .oddities = oddities,
	  .oddities_at = PMK_MODEL_PARAM(pmk_armv81m_model, "oddities", oddities) },
	{ .pmu = NULL },
};
