// SPDX-License-Identifier: MIT
/*
 * The models of the L210's event monitor and of the L220's event counters. Where the sources are
 * silent, the following is our choice:
 *  - All registers reset to 0. The rows of regs.c define this, and what can be written and read.
 *  - Reserved bits read as 0. A reserved event counts nothing.
 *  - L210: a flag is set whether or not the counter's interrupt is enabled. The line is asserted
 *    while the flag of a counter with an enabled interrupt is set. The counters are read-only.
 *  - L220: a counter overflows when it reaches 2^32 - 1, where it stops. If its interrupt is
 *    enabled, every further event raises the interrupt again.
 *
 * The models leave out counters that count the overflows of other counters, errors of the cache in
 * the L220's interrupt registers, Secure events and SPNIDEN.
 */
#include <pmk/l2cc_model.h>

#include "base/foreign.h"
#include "pmu/l2cc/regs.h"
#include "pmu/reg.h"

#include <string.h>

static const struct pmk_pmu *pmu_of(const struct pmk_l2cc_model *m)
{
	return m->l210 ? &pmk_l210 : &pmk_l220;
}

static unsigned event_of(const struct pmk_l2cc_model *m, unsigned c)
{
	return (unsigned)(m->l210 ? PMK_GET(m->config[c], EMCC_EVENT)
				  : PMK_GET(m->config[c], ECF_EVENT));
}

static uint8_t signal_of(const struct pmk_l2cc_model *m, unsigned c)
{
	const struct pmk_event *ev = pmk_pmu_event_code(pmu_of(m), event_of(m, c));

	return ev ? ev->signal : PMK_SIG_NONE;
}

static uint64_t total_of(const struct pmk_l2cc_model *m, const struct pmk_bus *bus, unsigned c)
{
	return bus->total[signal_of(m, c)];
}

static bool is_counting(const struct pmk_l2cc_model *m)
{
	return m->control & (m->l210 ? EMMC_ENABLE : ECC_ENABLE);
}

/* ---- counting ------------------------------------------------------------------------------- */

static void advance_l210(struct pmk_l2cc_model *m, unsigned c, uint64_t n)
{
	bool wraps = n > UINT32_MAX - m->count[c];

	m->count[c] += (uint32_t)n;
	if (wraps || (n && (m->config[c] & EMCC_EVERY)))
		m->status |= UINT32_C(1) << c;
}

static void advance_l220(struct pmk_l2cc_model *m, unsigned c, uint64_t n)
{
	uint64_t irq = PMK_GET(m->config[c], ECF_IRQ);
	bool ends = n >= UINT32_MAX - m->count[c];

	if (!n)
		return;
	m->count[c] = ends ? UINT32_MAX : m->count[c] + (uint32_t)n;
	if (irq == ECF_IRQ_INCREMENT || (irq == ECF_IRQ_OVERFLOW && ends))
		m->status |= INT_ECNTR;
}

static void remember_totals(struct pmk_l2cc_model *m, const struct pmk_bus *bus)
{
	for (unsigned c = 0; c < pmu_of(m)->ncounters; c++)
		m->seen[c] = total_of(m, bus, c);
}

static void sync_model(void *model, struct pmk_bus *bus)
{
	struct pmk_l2cc_model *m = model;

	for (unsigned c = 0; is_counting(m) && c < pmu_of(m)->ncounters; c++) {
		uint64_t n = total_of(m, bus, c) - m->seen[c];

		if (m->l210)
			advance_l210(m, c, n);
		else
			advance_l220(m, c, n);
	}
	remember_totals(m, bus);
}

/*
 * Returns the number of events after which the model must be called. If the counter sets its flag
 * on every increment, and the flag is not set yet, this is 1.
 */
static uint64_t until_l210(const struct pmk_l2cc_model *m, unsigned c)
{
	bool next = (m->config[c] & EMCC_EVERY) && !(m->status >> c & 1);

	return next ? 1 : UINT64_C(0x100000000) - m->count[c];
}

/*
 * Returns the number of events after which the model must be called. The first call is after half
 * of the range, so that software can set the counter back in time. The second call is at the end of
 * the range. After that, only an interrupt that is enabled can change.
 */
static uint64_t until_l220(const struct pmk_l2cc_model *m, unsigned c)
{
	uint64_t irq = PMK_GET(m->config[c], ECF_IRQ), left = UINT32_MAX - m->count[c];
	bool next = irq == ECF_IRQ_INCREMENT || (irq == ECF_IRQ_OVERFLOW && !left);

	if (next && !(m->status & INT_ECNTR))
		return 1;
	if (!left)
		return PMK_NEVER;
	return m->count[c] >= 0x80000000 ? left : 0x80000000 - m->count[c];
}

static void ask_horizon(const void *model, struct pmk_bus *bus)
{
	const struct pmk_l2cc_model *m = model;

	for (unsigned c = 0; is_counting(m) && c < pmu_of(m)->ncounters; c++) {
		uint64_t until = m->l210 ? until_l210(m, c) : until_l220(m, c);
		uint8_t sig = signal_of(m, c);

		if (sig != PMK_SIG_NONE && until != PMK_NEVER)
			pmk_bus_ask(bus, sig, m->seen[c] + until);
	}
}

static unsigned interrupt_lines(const void *model)
{
	const struct pmk_l2cc_model *m = model;

	if (!m->l210)
		return (m->status & m->mask & INT_ECNTR) != 0;
	for (unsigned c = 0; c < PMK_L210_NCTRS; c++)
		if ((m->status >> c & 1) && (m->config[c] & EMCC_IRQ))
			return 1;
	return 0;
}

/* ---- registers ------------------------------------------------------------------------------ */

static const struct pmk_reg_info *row_of(const struct pmk_l2cc_model *m, unsigned reg)
{
	return &pmu_of(m)->regs[reg];
}

/* The return value of counter_at() and counter_configured_by() for a register that belongs to no
 * counter. */
#define NOT_ONE PMK_L2CC_MAX_COUNTERS

static unsigned counter_configured_by(const struct pmk_l2cc_model *m, unsigned reg)
{
	if (!m->l210)
		return reg == PMK_L220_CONFIG0 ? 0 : reg == PMK_L220_CONFIG1 ? 1 : NOT_ONE;
	return reg >= PMK_L210_EMCC0 && reg < PMK_L210_EMC0 ? reg - PMK_L210_EMCC0 : NOT_ONE;
}

static unsigned counter_at(const struct pmk_l2cc_model *m, unsigned reg)
{
	if (!m->l210)
		return reg == PMK_L220_COUNTER0 ? 0 : reg == PMK_L220_COUNTER1 ? 1 : NOT_ONE;
	return reg >= PMK_L210_EMC0 && reg < PMK_L210_NREGS ? reg - PMK_L210_EMC0 : NOT_ONE;
}

/* Returns where a register's bits are stored. INT_MASKED and INT_CLEAR have no storage of their
 * own. */
static uint32_t *held_by(struct pmk_l2cc_model *m, unsigned reg)
{
	if (counter_at(m, reg) != NOT_ONE)
		return &m->count[counter_at(m, reg)];
	if (counter_configured_by(m, reg) != NOT_ONE)
		return &m->config[counter_configured_by(m, reg)];
	if (m->l210)
		return reg == PMK_L210_EMMC ? &m->control : &m->status;
	return reg == PMK_L220_CONTROL	  ? &m->control
	       : reg == PMK_L220_INT_MASK ? &m->mask
					  : &m->status;
}

static void zero_counters(struct pmk_l2cc_model *m, uint32_t counters)
{
	for (unsigned c = 0; c < pmu_of(m)->ncounters; c++)
		if (counters >> c & 1)
			m->count[c] = 0;
}

/* Returns EMMC [11:8] as a mask of counters. */
static uint32_t reset_bits(const struct pmk_l2cc_model *m, uint64_t w)
{
	uint32_t bits = (uint32_t)PMK_GET(w, EMMC_RESET);

	if (!m->params.reset_from_top)
		return bits;
	return (bits >> 3 & 1) | (bits >> 1 & 2) | (bits << 1 & 4) | (bits << 3 & 8);
}

/* Executes a write of the control register of either block. `w` has the bits that the register
 * accepts. */
static void execute_control(struct pmk_l2cc_model *m, uint64_t w)
{
	if (m->l210)
		zero_counters(m, reset_bits(m, w));
	else
		zero_counters(m, (uint32_t)((w & ECC_RESET0 ? 1 : 0) | (w & ECC_RESET1 ? 2 : 0)));
}

static bool can_write(const struct pmk_l2cc_model *m, unsigned reg)
{
	bool running = !m->l210 && counter_at(m, reg) != NOT_ONE && is_counting(m);

	return pmk_reg_writable(row_of(m, reg)) && !(running && !m->params.write_while_running);
}

static void write_row(struct pmk_l2cc_model *m, unsigned reg, uint32_t w)
{
	const struct pmk_reg_info *row = row_of(m, reg);
	bool control = held_by(m, reg) == &m->control,
	     config = counter_configured_by(m, reg) != NOT_ONE;

	if (!can_write(m, reg)) {
		m->oddities |= PMK_L2CC_ODD_READ_ONLY;
		return;
	}
	if (!m->l210 && reg == PMK_L220_INT_CLEAR)
		m->status &= ~(uint32_t)pmk_reg_takes(row, w);
	else
		*held_by(m, reg) = (uint32_t)pmk_reg_write(row, *held_by(m, reg), w);
	if ((control || config) && pmk_reg_stray(row, w))
		m->oddities |= PMK_L2CC_ODD_SBZ;
	if (control)
		execute_control(m, pmk_reg_takes(row, w));
	if (config && event_of(m, counter_configured_by(m, reg)) &&
	    !pmk_pmu_event_code(pmu_of(m), event_of(m, counter_configured_by(m, reg))))
		m->oddities |= PMK_L2CC_ODD_EVENT;
}

static uint64_t read_row(struct pmk_l2cc_model *m, unsigned reg)
{
	uint32_t held = *held_by(m, reg);

	if (!m->l210 && reg == PMK_L220_INT_MASKED)
		held &= m->mask;
	return pmk_reg_read(row_of(m, reg), held);
}

static int read_reg(void *model, struct pmk_bus *bus, enum pmk_mode mode, unsigned reg,
		    uint64_t *value)
{
	struct pmk_l2cc_model *m = model;

	(void)mode; /* all modes may access the registers */
	if (reg >= pmu_of(m)->nregs)
		return PMK_EBADREG;
	sync_model(m, bus);
	*value = read_row(m, reg);
	return PMK_OK;
}

static int write_reg(void *model, struct pmk_bus *bus, enum pmk_mode mode, unsigned reg,
		     uint64_t value)
{
	struct pmk_l2cc_model *m = model;

	(void)mode;
	if (reg >= pmu_of(m)->nregs)
		return PMK_EBADREG;
	sync_model(m, bus);
	write_row(m, reg, (uint32_t)value);
	remember_totals(m, bus);
	ask_horizon(m, bus);
	return PMK_OK;
}

void pmk_l2cc_model_reset(struct pmk_l2cc_model *m, const struct pmk_pmu *pmu,
			  const struct pmk_l2cc_params *params, struct pmk_bus *bus)
{
	memset(m, 0, sizeof(*m));
	m->params = *params;
	m->l210 = pmu == &pmk_l210;
	for (unsigned reg = 0; reg < pmu_of(m)->nregs; reg++)
		*held_by(m, reg) |= (uint32_t)row_of(m, reg)->reset;
	remember_totals(m, bus);
}

static void reset_model(void *model, struct pmk_bus *bus, const struct pmk_pmu *pmu)
{
	static const struct pmk_l2cc_params defaults;

	pmk_l2cc_model_reset(model, pmu, &defaults, bus);
}

static bool model_is_valid(const void *model, const void *begun)
{
	const struct pmk_l2cc_model *m = model, *b = begun;

	return PMK_SAME(m, b, l210) && PMK_SAME(m, b, config);
}

/* ---- parameters and inputs by name ---------------------------------------------------------- */

/* clang-format off */
#define PARAM(name) PMK_MODEL_PARAM(pmk_l2cc_model, #name, params.name)
static const struct pmk_model_param params[] = {
	PARAM(reset_from_top), PARAM(write_while_running),
	{ NULL, 0, 0 },
};
/* clang-format on */

static void restart_model(void *model, struct pmk_bus *bus, const struct pmk_pmu *pmu)
{
	const struct pmk_l2cc_params p = ((const struct pmk_l2cc_model *)model)->params;

	pmk_l2cc_model_reset(model, pmu, &p, bus);
}

static const char *const oddities[] = {
	"selected a reserved event",
	"wrote a register that cannot be written (now)",
	"wrote 1 to a bit that has no meaning",
	NULL,
};

#define OPS(pmu_)                                                                             \
	{                                                                                     \
		.pmu = &(pmu_), .size = sizeof(struct pmk_l2cc_model), .reset = reset_model,  \
		.read = read_reg, .write = write_reg, .sync = sync_model, .ask = ask_horizon, \
		.lines = interrupt_lines, .params = params, .restart = restart_model,         \
		.oddities = oddities,                                                         \
		.oddities_at = PMK_MODEL_PARAM(pmk_l2cc_model, "oddities", oddities),         \
		.valid = model_is_valid,                                                      \
	}

const struct pmk_model_ops pmk_l2cc_models[PMK_L2CC_NMODELS + 1] = { OPS(pmk_l210), OPS(pmk_l220) };
