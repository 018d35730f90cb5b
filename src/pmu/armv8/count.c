// SPDX-License-Identifier: MIT
/*
 * PMUv3 model: which counters count, and by how much. DDI 0487, D13.1-D13.9 and the pseudocode
 * J1.1.1 and J1.3.1 (CountPMUEvents, IncrementEventCounter, IncrementCycleCounter,
 * CheckPMUOverflowCondition).
 *
 * The model counts differences of bus totals. A synchronisation is one pass over the counters in
 * ascending order. So all carries of an even counter reach CHAIN in the odd counter in the same
 * pass. The signals of one event are added up before the difference is taken.
 *
 * Where the documents are silent, the following is our choice:
 *  - The set of active counters is determined before a pass. An overflow that freezes counters
 *    (PMCR.FZO) freezes them from the next pass on; all events of the current pass are counted,
 *    including the carry to CHAIN. The pass ends at the overflow if the producer stopped at the
 *    horizon (pmk/bus.h).
 *  - The divider of PMCR.D keeps its phase while it is not used. Only PMCR.C and reset clear it.
 *  - A stopped core clock (standby) stops PMCCNTR as well as the event counters.
 *
 * Thresholds, edges, the instruction counter, transactions, Realms, other threads of a core
 * (PMEVTYPER.MT) and snapshots are not modelled. They belong to PMUv3p8 and later, and to optional
 * extensions.
 */
#include "pmu/armv8/model.h"

#define DIVIDER 64 /* PMCR.D */

/* ---- where counting is permitted ----------------------------------------------------------- */

bool pmk_armv8_el2_enabled(const struct pmk_armv8_model *m)
{
	bool secure = m->params.el3 && m->input[PMK_ARMV8_IN_SECURE];

	return m->params.el2 && (!secure || m->params.secure_el2);
}

/* Returns the number of event counters in range 1. HPMN above N is CONSTRAINED UNPREDICTABLE; here
 * it counts as N. */
unsigned pmk_armv8_range1(const struct pmk_armv8_model *m)
{
	unsigned hpmn = PMK_GET(m->input[PMK_ARMV8_IN_MDCR_EL2], MDCR_EL2_HPMN);

	return m->params.el2 && hpmn < m->params.counters ? hpmn : m->params.counters;
}

static bool in_range2(const struct pmk_armv8_model *m, unsigned n)
{
	return n >= pmk_armv8_range1(m);
}

/* True if level `el` is Secure. EL3 is always Secure. */
static bool is_secure(const struct pmk_armv8_model *m, unsigned el)
{
	return m->params.el3 && (el == 3 || m->input[PMK_ARMV8_IN_SECURE]);
}

/* True if counting is prohibited at level `el`. Control bits that this version of the PMU lacks are
 * stored as 0, and 0 makes the function do what such a version does. */
static bool is_prohibited(const struct pmk_armv8_model *m, unsigned el, bool range2)
{
	uint64_t mdcr2 = m->input[PMK_ARMV8_IN_MDCR_EL2], mdcr3 = m->input[PMK_ARMV8_IN_MDCR_EL3];
	bool prohibited = false;

	if (is_secure(m, el)) {
		prohibited = !(mdcr3 & (MDCR_EL3_SPME | MDCR_EL3_MPMX));
		if (m->params.spme_needs_p7 && m->params.aarch64 && !pmk_armv8_has(m, PMUVER_V3P7))
			prohibited = false;
		if (el == 0 && (!m->params.aarch64 || m->input[PMK_ARMV8_IN_EL1_AARCH32]))
			prohibited = prohibited && !m->input[PMK_ARMV8_IN_SUNIDEN];
	}
	if (el == 3 && (mdcr3 & MDCR_EL3_MPMX) && (!(mdcr3 & MDCR_EL3_SPME) || !range2))
		prohibited = true;
	if (el == 2 && (mdcr2 & MDCR_EL2_HPMD) && !range2)
		prohibited = true;
	return prohibited && !m->input[PMK_ARMV8_IN_SPNIDEN];
}

/* True if the filter bits of a type register exclude level `el`. Bits for levels or states that do
 * not exist are 0. */
static bool is_filtered(const struct pmk_armv8_model *m, unsigned el, uint32_t type)
{
	bool secure = m->params.el3 && m->input[PMK_ARMV8_IN_SECURE];
	bool p = type & PMEVTYPER_P, u = type & PMEVTYPER_U, nsh = type & PMEVTYPER_NSH;

	switch (el) {
	case 0:
		return secure ? u : u != !!(type & PMEVTYPER_NSU);
	case 1:
		return secure ? p : p != !!(type & PMEVTYPER_NSK);
	case 2:
		return secure ? nsh == !!(type & PMEVTYPER_SH) : !nsh;
	default:
		return m->params.aarch64 ? p != !!(type & PMEVTYPER_M) : p;
	}
}

static bool is_frozen(const struct pmk_armv8_model *m, bool range2)
{
	uint32_t low = pmk_armv8_low(pmk_armv8_range1(m));

	if (range2)
		return (m->input[PMK_ARMV8_IN_MDCR_EL2] & MDCR_EL2_HPMFZO) &&
		       (m->ovs & PMSET_P & ~low);
	if (m->params.freeze_on_cycles)
		low |= (uint32_t)PMSET_C;
	return (m->pmcr & PMCR_FZO) && (m->ovs & low);
}

/* Returns the counters that E or HPME enables. */
static uint32_t enabled_ranges(const struct pmk_armv8_model *m)
{
	uint32_t low = pmk_armv8_low(pmk_armv8_range1(m)), set = 0;

	if (m->pmcr & PMCR_E)
		set |= low | (uint32_t)PMSET_C;
	if (m->input[PMK_ARMV8_IN_MDCR_EL2] & MDCR_EL2_HPME)
		set |= (uint32_t)PMSET_P & ~low;
	return set;
}

static bool cycles_permitted(const struct pmk_armv8_model *m, unsigned el)
{
	uint64_t mdcr2 = m->input[PMK_ARMV8_IN_MDCR_EL2], mdcr3 = m->input[PMK_ARMV8_IN_MDCR_EL3];

	if ((m->pmcr & PMCR_DP) && (is_prohibited(m, el, false) || is_frozen(m, false)))
		return false;
	if ((is_secure(m, el) && (mdcr3 & MDCR_EL3_SCCD)) || (el == 2 && (mdcr2 & MDCR_EL2_HCCD)) ||
	    (el == 3 && (mdcr3 & MDCR_EL3_MCCD)))
		return false;
	return !is_filtered(m, el, m->ccfiltr);
}

uint32_t pmk_armv8_counting(const struct pmk_armv8_model *m, unsigned el)
{
	uint32_t enabled = m->cnten & enabled_ranges(m), set = 0;

	if (m->input[PMK_ARMV8_IN_DEBUG])
		return 0;
	if (m->input[PMK_ARMV8_IN_STANDBY] && !m->params.count_in_standby)
		return 0;
	for (unsigned n = 0; n < m->params.counters; n++) {
		bool range2 = in_range2(m, n);

		if ((enabled >> n & 1) && !is_prohibited(m, el, range2) && !is_frozen(m, range2) &&
		    !is_filtered(m, el, m->counter[n].type))
			set |= UINT32_C(1) << n;
	}
	if ((enabled & PMSET_C) && cycles_permitted(m, el))
		set |= (uint32_t)PMSET_C;
	return set;
}

/* ---- events of counters -------------------------------------------------------------------- */

static unsigned event_of(const struct pmk_armv8_model *m, unsigned n)
{
	return m->counter[n].type & PMEVTYPER_EVTCOUNT;
}

/* Returns the event's row, or NULL if this core does not implement it. */
static const struct pmk_event *row_of(const struct pmk_armv8_model *m, unsigned code)
{
	bool common = code < 0x40, extended = code >= 0x4000 && code < 0x4040;
	unsigned bit = code % 32 + (extended ? 32 : 0);

	if ((common || extended) && !(m->params.pmceid[code / 32 % 2] >> bit & 1))
		return NULL;
	return pmk_pmu_event_code(pmk_armv8_models[m->id].pmu, code);
}

bool pmk_armv8_is_swinc(const struct pmk_armv8_model *m, unsigned n)
{
	return event_of(m, n) == PMK_ARMV8_SW_INCR && row_of(m, PMK_ARMV8_SW_INCR);
}

/* True if the model can count the event. The model itself produces SW_INCR and CHAIN. All other
 * events come from the bus. */
static bool is_counted(const struct pmk_armv8_model *m, const struct pmk_bus *bus, unsigned code)
{
	const struct pmk_event *ev = row_of(m, code);

	if (!ev)
		return false;
	if (code == PMK_ARMV8_SW_INCR || code == PMK_ARMV8_CHAIN)
		return true;
	return pmk_bus_raises(bus, ev->signal) &&
	       (ev->signal2 == PMK_SIG_NONE || pmk_bus_raises(bus, ev->signal2));
}

uint64_t pmk_armv8_pmceid(const struct pmk_armv8_model *m, const struct pmk_bus *bus,
			  unsigned which)
{
	uint64_t value = 0;

	for (unsigned bit = 0; bit < 32; bit++) {
		unsigned code = which * 32 + bit;

		if (is_counted(m, bus, code))
			value |= PMK_BIT(bit);
		if (pmk_armv8_has(m, PMUVER_V3P1) && is_counted(m, bus, 0x4000 + code))
			value |= PMK_BIT(32 + bit);
	}
	return value;
}

/* ---- counting ------------------------------------------------------------------------------ */

/* True if event counter n overflows at bit 63 instead of 31. */
static bool overflows_late(const struct pmk_armv8_model *m, unsigned n)
{
	if (in_range2(m, n))
		return m->input[PMK_ARMV8_IN_MDCR_EL2] & MDCR_EL2_HLP;
	return m->pmcr & PMCR_LP;
}

/* Adds `n` to *count. Returns the carries out of bit 63 if `late`, otherwise out of bit 31. */
static uint64_t add_to_counter(uint64_t *count, uint64_t n, bool late)
{
	uint64_t low = (*count & UINT32_MAX) + (n & UINT32_MAX);

	*count += n;
	if (late)
		return *count < n;
	return (n >> 32) + (low >> 32);
}

/* Advances event counter n. Returns the number of carries that CHAIN in the next counter counts. */
static uint64_t advance_counter(struct pmk_armv8_model *m, unsigned n, uint64_t amount)
{
	bool late = overflows_late(m, n);
	uint64_t carries = add_to_counter(&m->counter[n].count, amount, late);

	if (!pmk_armv8_has(m, PMUVER_V3P5))
		m->counter[n].count &= UINT32_MAX;
	if (carries)
		m->ovs |= UINT32_C(1) << n;
	return late ? 0 : carries;
}

/* True if odd counter n counts the carries of the counter below it. */
static bool is_chained(const struct pmk_armv8_model *m, unsigned n)
{
	return n % 2 && event_of(m, n) == PMK_ARMV8_CHAIN && row_of(m, PMK_ARMV8_CHAIN) &&
	       (m->params.chain_across || in_range2(m, n) == in_range2(m, n - 1));
}

void pmk_armv8_pass(struct pmk_armv8_model *m, uint32_t counting,
		    const uint64_t amount[PMK_ARMV8_MAX_EVENTS])
{
	uint64_t carries = 0;

	for (unsigned n = 0; n < m->params.counters; n++) {
		uint64_t chain = is_chained(m, n) ? carries : 0;

		carries = 0;
		if (counting >> n & 1)
			carries = advance_counter(m, n, amount[n] + chain);
	}
}

/* True if PMCR.D has an effect. */
static bool is_divided(const struct pmk_armv8_model *m)
{
	return (m->pmcr & PMCR_D) && (!(m->pmcr & PMCR_LC) || m->params.divide_long);
}

static void advance_cycles(struct pmk_armv8_model *m, uint64_t cycles)
{
	if (is_divided(m)) {
		cycles += m->phase;
		m->phase = cycles % DIVIDER;
		cycles /= DIVIDER;
	}
	if (add_to_counter(&m->cycles, cycles, m->pmcr & PMCR_LC))
		m->ovs |= (uint32_t)PMSET_C;
	if (pmk_armv8_model_is_armv7(m))
		m->cycles &= UINT32_MAX;
}

/* True if BR_PRED counts only correct predictions. Mispredicted branches are then subtracted. */
static bool takes_off_misses(const struct pmk_armv8_model *m, unsigned n)
{
	return m->params.br_pred_right && event_of(m, n) == PMK_ARMV8_BR_PRED;
}

static uint64_t total_of(const struct pmk_armv8_model *m, const struct pmk_bus *bus, unsigned n)
{
	const uint8_t *signal = m->counter[n].signal;
	uint64_t sum = 0;

	for (unsigned i = 0; i < 4 && signal[i] != PMK_SIG_NONE; i++)
		sum += bus->total[signal[i]];
	if (takes_off_misses(m, n))
		sum -= bus->total[PMK_SIG_BRANCH_MISS];
	return sum;
}

/* Lists the signals of event `ev`, and signals that the model's parameters add to it. */
static void list_signals(const struct pmk_armv8_model *m, const struct pmk_event *ev,
			 uint8_t signal[4])
{
	const uint8_t wanted[] = {
		ev ? ev->signal : PMK_SIG_NONE,
		ev ? ev->signal2 : PMK_SIG_NONE,
		m->params.pc_write_svc ? PMK_SIG_EXC_SVC : PMK_SIG_NONE,
		m->params.pc_write_isb ? PMK_SIG_ISB : PMK_SIG_NONE,
	};
	unsigned among = ev && ev->code == PMK_ARMV8_PC_WRITE_RETIRED ? 4 : 2, used = 0;

	for (unsigned i = 0; i < 4; i++)
		signal[i] = PMK_SIG_NONE;
	for (unsigned i = 0; i < among; i++)
		if (wanted[i] != PMK_SIG_NONE)
			signal[used++] = wanted[i];
}

void pmk_armv8_select(struct pmk_armv8_model *m, const struct pmk_bus *bus, unsigned n)
{
	const struct pmk_event *ev = row_of(m, event_of(m, n));

	list_signals(m, ev, m->counter[n].signal);
	m->counter[n].seen = total_of(m, bus, n);
	if (!ev)
		m->oddities |= PMK_ARMV8_ODD_EVENT;
	if (event_of(m, n) == PMK_ARMV8_CHAIN && n % 2 == 0)
		m->oddities |= PMK_ARMV8_ODD_CHAIN;
}

/*
 * Returns the events since counter n was last updated. If a misprediction is reported before its
 * branch, the difference can be negative. Then nothing is counted now, and the next difference is
 * smaller.
 */
static uint64_t events_since(const struct pmk_armv8_model *m, const struct pmk_bus *bus, unsigned n)
{
	uint64_t d = total_of(m, bus, n) - m->counter[n].seen;

	return takes_off_misses(m, n) && d >> 63 ? 0 : d;
}

void pmk_armv8_sync(void *model, struct pmk_bus *bus)
{
	struct pmk_armv8_model *m = model;
	uint32_t counting = pmk_armv8_counting(m, (unsigned)m->input[PMK_ARMV8_IN_EL]);
	uint64_t amount[PMK_ARMV8_MAX_EVENTS] = { 0 };

	for (unsigned n = 0; n < m->params.counters; n++) {
		amount[n] = events_since(m, bus, n);
		m->counter[n].seen += amount[n];
	}
	pmk_armv8_pass(m, counting, amount);
	if (counting & PMSET_C)
		advance_cycles(m, bus->total[PMK_SIG_CYCLE] - m->cycles_seen);
	m->cycles_seen = bus->total[PMK_SIG_CYCLE];
}

/* Asks to be synchronised after `left` more occurrences of `signal`, unless the total would pass
 * 2^64, which never happens. */
static void ask_in(struct pmk_bus *bus, uint8_t signal, uint64_t left)
{
	uint64_t now = bus->total[signal];

	if (left < PMK_NEVER - now)
		pmk_bus_ask(bus, signal, now + left);
}

/*
 * Asks to be called before counter `n` can have wrapped. If a counter adds several signals, one of
 * them must contribute at least an equal share of the remaining distance. So the model asks to be
 * called after that share, and does this again until the counter wraps.
 */
static void ask_counter(const struct pmk_armv8_model *m, struct pmk_bus *bus, unsigned n)
{
	const struct pmk_armv8_event_counter *c = &m->counter[n];
	uint64_t left =
		overflows_late(m, n) ? 0 - c->count : (UINT64_C(1) << 32) - (c->count & UINT32_MAX);
	uint64_t pending = events_since(m, bus, n);
	unsigned signals = 0;

	while (signals < 4 && c->signal[signals] != PMK_SIG_NONE)
		signals++;
	if (!signals || !left) /* nothing is counted, or 2^64 events remain, which never happen */
		return;
	left = left > pending ? left - pending : 0;
	left = left / signals + !!(left % signals);
	for (unsigned i = 0; i < signals; i++)
		ask_in(bus, c->signal[i], left);
}

static void ask_cycles(const struct pmk_armv8_model *m, struct pmk_bus *bus)
{
	uint64_t pending = bus->total[PMK_SIG_CYCLE] - m->cycles_seen;
	uint64_t left;

	if (m->pmcr & PMCR_LC) {
		left = 0 - m->cycles;
		if (!left || (is_divided(m) && left > PMK_NEVER / DIVIDER))
			return;
	} else {
		left = (UINT64_C(1) << 32) - (m->cycles & UINT32_MAX);
	}
	if (is_divided(m))
		left = left * DIVIDER - m->phase;
	ask_in(bus, PMK_SIG_CYCLE, left > pending ? left - pending : 0);
}

void pmk_armv8_ask(const void *model, struct pmk_bus *bus)
{
	const struct pmk_armv8_model *m = model;
	uint32_t counting = pmk_armv8_counting(m, (unsigned)m->input[PMK_ARMV8_IN_EL]);

	for (unsigned n = 0; n < m->params.counters; n++)
		if (counting >> n & 1)
			ask_counter(m, bus, n);
	if (counting & PMSET_C)
		ask_cycles(m, bus);
}

/* Returns the state of the interrupt line. PMCNTEN does not influence it. */
unsigned pmk_armv8_lines(const void *model)
{
	const struct pmk_armv8_model *m = model;

	return (m->ovs & m->inten & enabled_ranges(m)) != 0;
}
