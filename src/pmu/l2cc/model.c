// SPDX-License-Identifier: MIT
/*
 * L210's event monitor and L220's event counters: the models. Where the sources are silent (our choice):
 *  - Everything resets to 0.
 *  - Reserved bits read as 0. A reserved event counts nothing.
 *  - L210: a flag rises whether or not the counter's interrupt is enabled; the line is the flags of those
 *    whose is. The counters are read-only.
 *  - L220: a counter at its end goes on raising its interrupt with every further event where that is
 *    asked for ("on overflow": when it comes to stand there).
 *
 * Not modelled: counters that count other counters' overflows; errors of the cache in the L220's
 * interrupt registers; Secure events and SPNIDEN.
 */
#include "pmu/l2cc/l2cc.h"
#include "pmu/l2cc/regs.h"

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
	uint8_t sig = signal_of(m, c);

	return sig == PMK_SIG_NONE ? 0 : bus->total[sig];
}

static bool counts(const struct pmk_l2cc_model *m)
{
	return m->control & (m->l210 ? EMMC_ENABLE : ECC_ENABLE);
}

/* ---- counting --------------------------------------------------------------------------------- */

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

static void remember(struct pmk_l2cc_model *m, const struct pmk_bus *bus)
{
	for (unsigned c = 0; c < pmu_of(m)->ncounters; c++)
		m->seen[c] = total_of(m, bus, c);
}

static void sync(void *model, struct pmk_bus *bus)
{
	struct pmk_l2cc_model *m = model;

	for (unsigned c = 0; counts(m) && c < pmu_of(m)->ncounters; c++) {
		uint64_t n = total_of(m, bus, c) - m->seen[c];

		if (m->l210)
			advance_l210(m, c, n);
		else
			advance_l220(m, c, n);
	}
	remember(m, bus);
}

/* How many more events until something has to be done. A flag that is to rise on every increment wants
 * the next one, unless it is up. */
static uint64_t until_l210(const struct pmk_l2cc_model *m, unsigned c)
{
	bool next = (m->config[c] & EMCC_EVERY) && !(m->status >> c & 1);

	return next ? 1 : UINT64_C(0x100000000) - m->count[c];
}

/* Half a range before the end, so that whoever sets counters back comes in time, and at the end. Behind
 * that nothing changes but the interrupt, where it is asked for. */
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

static void ask(const void *model, struct pmk_bus *bus)
{
	const struct pmk_l2cc_model *m = model;

	for (unsigned c = 0; counts(m) && c < pmu_of(m)->ncounters; c++) {
		uint64_t until = m->l210 ? until_l210(m, c) : until_l220(m, c);
		uint8_t sig = signal_of(m, c);

		if (sig != PMK_SIG_NONE && until != PMK_NEVER)
			pmk_bus_ask(bus, sig, m->seen[c] + until);
	}
}

static unsigned lines(const void *model)
{
	const struct pmk_l2cc_model *m = model;

	if (!m->l210)
		return (m->status & m->mask & INT_ECNTR) != 0;
	for (unsigned c = 0; c < PMK_L210_NCTRS; c++)
		if ((m->status >> c & 1) && (m->config[c] & EMCC_IRQ))
			return 1;
	return 0;
}

/* ---- registers -------------------------------------------------------------------------------- */

static void keep(struct pmk_l2cc_model *m, uint32_t *reg, uint32_t w, uint64_t known, uint64_t kept)
{
	if (w & ~known)
		m->oddities |= PMK_L2CC_ODD_SBZ;
	*reg = w & (uint32_t)kept;
}

static void configure(struct pmk_l2cc_model *m, unsigned c, uint32_t w)
{
	uint64_t known = m->l210 ? EMCC_EVENT | EMCC_EVERY | EMCC_IRQ : ECF_EVENT | ECF_IRQ;

	keep(m, &m->config[c], w, known, known);
	if (event_of(m, c) && !pmk_pmu_event_code(pmu_of(m), event_of(m, c)))
		m->oddities |= PMK_L2CC_ODD_EVENT;
}

static void zero(struct pmk_l2cc_model *m, uint32_t counters)
{
	for (unsigned c = 0; c < pmu_of(m)->ncounters; c++)
		if (counters >> c & 1)
			m->count[c] = 0;
}

/* EMMC [11:8], as bits by counter. */
static uint32_t reset_bits(const struct pmk_l2cc_model *m, uint32_t w)
{
	uint32_t bits = (uint32_t)PMK_GET(w, EMMC_RESET);

	if (!m->params.reset_from_top)
		return bits;
	return (bits >> 3 & 1) | (bits >> 1 & 2) | (bits << 1 & 4) | (bits << 3 & 8);
}

static void write_l210(struct pmk_l2cc_model *m, unsigned reg, uint32_t w)
{
	if (reg == PMK_L210_EMMC) {
		keep(m, &m->control, w, EMMC_ENABLE | EMMC_RESET, EMMC_ENABLE);
		zero(m, reset_bits(m, w));
	} else if (reg == PMK_L210_EMCS) {
		m->status &= ~w;
	} else if (reg < PMK_L210_EMC0) {
		configure(m, reg - PMK_L210_EMCC0, w);
	} else {
		m->oddities |= PMK_L2CC_ODD_READ_ONLY;
	}
}

static uint32_t read_l210(const struct pmk_l2cc_model *m, unsigned reg)
{
	if (reg == PMK_L210_EMMC)
		return m->control;
	if (reg == PMK_L210_EMCS)
		return m->status;
	return reg < PMK_L210_EMC0 ? m->config[reg - PMK_L210_EMCC0]
				   : m->count[reg - PMK_L210_EMC0];
}

static void write_count(struct pmk_l2cc_model *m, unsigned c, uint32_t w)
{
	if (counts(m) && !m->params.write_while_running)
		m->oddities |= PMK_L2CC_ODD_READ_ONLY;
	else
		m->count[c] = w;
}

static void write_l220(struct pmk_l2cc_model *m, unsigned reg, uint32_t w)
{
	switch ((enum pmk_l220_reg)reg) {
	case PMK_L220_CONTROL:
		keep(m, &m->control, w, ECC_RESET1 | ECC_RESET0 | ECC_ENABLE, ECC_ENABLE);
		zero(m, w >> 1 & 3);
		break;
	case PMK_L220_CONFIG1:
	case PMK_L220_CONFIG0:
		configure(m, reg == PMK_L220_CONFIG1, w);
		break;
	case PMK_L220_COUNTER1:
	case PMK_L220_COUNTER0:
		write_count(m, reg == PMK_L220_COUNTER1, w);
		break;
	case PMK_L220_INT_MASK:
		m->mask = w & (uint32_t)PMK_BITS(8, 0);
		break;
	case PMK_L220_INT_CLEAR:
		m->status &= ~w;
		break;
	case PMK_L220_INT_MASKED:
	case PMK_L220_INT_RAW:
	case PMK_L220_NREGS:
		m->oddities |= PMK_L2CC_ODD_READ_ONLY;
		break;
	}
}

static uint32_t read_l220(const struct pmk_l2cc_model *m, unsigned reg)
{
	switch ((enum pmk_l220_reg)reg) {
	case PMK_L220_CONTROL:
		return m->control;
	case PMK_L220_CONFIG1:
	case PMK_L220_CONFIG0:
		return m->config[reg == PMK_L220_CONFIG1];
	case PMK_L220_COUNTER1:
	case PMK_L220_COUNTER0:
		return m->count[reg == PMK_L220_COUNTER1];
	case PMK_L220_INT_MASK:
		return m->mask;
	case PMK_L220_INT_MASKED:
		return m->status & m->mask;
	case PMK_L220_INT_RAW:
		return m->status;
	case PMK_L220_INT_CLEAR:
	case PMK_L220_NREGS:
		break;
	}
	return 0;
}

static int read_reg(void *model, struct pmk_bus *bus, enum pmk_mode mode, unsigned reg,
		    uint64_t *value)
{
	struct pmk_l2cc_model *m = model;

	(void)mode; /* whoever reaches the address may */
	if (reg >= pmu_of(m)->nregs)
		return PMK_EBADREG;
	sync(m, bus);
	*value = m->l210 ? read_l210(m, reg) : read_l220(m, reg);
	return PMK_OK;
}

static int write_reg(void *model, struct pmk_bus *bus, enum pmk_mode mode, unsigned reg,
		     uint64_t value)
{
	struct pmk_l2cc_model *m = model;

	(void)mode;
	if (reg >= pmu_of(m)->nregs)
		return PMK_EBADREG;
	sync(m, bus);
	if (m->l210)
		write_l210(m, reg, (uint32_t)value);
	else
		write_l220(m, reg, (uint32_t)value);
	remember(m, bus);
	return PMK_OK;
}

void pmk_l2cc_model_reset(struct pmk_l2cc_model *m, const struct pmk_pmu *pmu,
			  const struct pmk_l2cc_params *params, struct pmk_bus *bus)
{
	memset(m, 0, sizeof(*m));
	m->params = *params;
	m->l210 = pmu == &pmk_l210;
	remember(m, bus);
}

static void reset(void *model, struct pmk_bus *bus, const struct pmk_pmu *pmu)
{
	static const struct pmk_l2cc_params defaults;

	pmk_l2cc_model_reset(model, pmu, &defaults, bus);
}

#define OPS(pmu_)                                                                               \
	{                                                                                       \
		.pmu = &(pmu_), .size = sizeof(struct pmk_l2cc_model), .reset = reset,          \
		.read = read_reg, .write = write_reg, .sync = sync, .ask = ask, .lines = lines, \
	}

const struct pmk_model_ops pmk_l2cc_models[PMK_L2CC_NMODELS] = { OPS(pmk_l210), OPS(pmk_l220) };
