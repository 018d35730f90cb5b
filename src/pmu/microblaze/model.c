// SPDX-License-Identifier: MIT
/*
 * MicroBlaze model: the five registers of the performance counters.
 *
 * The model counts differences of bus totals, and takes latencies from the bus's log. An occurrence
 * that is not in the log took one cycle. Each point that the documents leave open has a parameter.
 * In addition, the following is our choice:
 *  - Counters start at zero, with event 0, stopped. Clear resets counts, Overflow, Full, Dbg_Intr
 *    and the latency that is being timed. It does not change the events, the pointer, or whether
 *    the counters run.
 *  - A count that wraps continues from zero; Overflow stays until Clear. Data Write changes no
 *    flag.
 *  - Latency counters set Overflow when N (32 bits) or a sum wraps.
 *  - The minimum of a latency counter becomes valid with its first occurrence, or by writing it
 *    while N is not zero.
 *  - A write of an event counter's upper half ignores bits beyond the counter's width.
 *  - Full is set if an occurrence begins before the one that is being timed has ended. Occurrences
 *    that are not in the log have no known beginning, so they overlap with nothing.
 *  - An occurrence is counted when the producer reports it, at its end.
 */
#include <pmk/microblaze_model.h>

#include "base/foreign.h"
#include "pmu/microblaze/regs.h"
#include "pmu/reg.h"

#include <string.h>

const struct pmk_microblaze_params pmk_microblaze_defaults = { .shared_pointer = true };

static bool is_counting(const struct pmk_microblaze_model *m)
{
	return m->started && (!m->halted || m->params.count_while_halted);
}

static unsigned counter_count(const struct pmk_microblaze_model *m)
{
	return m->config.events + m->config.latencies;
}

static uint64_t max_of(const struct pmk_microblaze_model *m)
{
	return PMK_BITS(m->config.width - 1, 0);
}

/* Returns the event that a counter counts, or NULL if the counter's code stands for no event. */
static const struct pmk_event *event_of(const struct pmk_microblaze_model *m, unsigned counter)
{
	unsigned code = m->code[counter];
	const struct pmk_event *ev;

	if (m->params.decode_6_bits)
		code %= PMK_MICROBLAZE_NEVENTS;
	if (code >= PMK_MICROBLAZE_NEVENTS)
		return NULL;
	ev = &pmk_microblaze_events[code];
	return counter < m->config.events || ev->latency ? ev : NULL;
}

static uint64_t total_of(const struct pmk_bus *bus, const struct pmk_event *ev)
{
	return ev ? bus->total[ev->signal] + bus->total[ev->signal2] : 0;
}

/* ---- counting ------------------------------------------------------------------------------ */

/* Adds `n` to a count or sum. Returns true if it exceeds its maximum. */
static bool advance_value(const struct pmk_microblaze_model *m, uint64_t *value, uint64_t n,
			  uint64_t max)
{
	bool beyond = n > max - *value;

	*value = beyond && m->params.saturate ? max : (*value + n) & max;
	return beyond;
}

static void count_event(struct pmk_microblaze_model *m, unsigned counter, uint64_t n)
{
	struct pmk_microblaze_event_counter *e = &m->event[counter];
	bool reaches = n && n >= max_of(m) - e->count;

	if (advance_value(m, &e->count, n, max_of(m)) || (reaches && m->params.overflow_at_max))
		m->status[counter] |= PCSR_OVERFLOW;
}

/* Returns `cycles` as an extreme that a latency counter can hold. A larger number becomes the
 * largest extreme or, with params.truncate_extremes, loses its upper bits. */
static uint32_t clamp_extreme(const struct pmk_microblaze_model *m, uint32_t cycles)
{
	uint32_t most = m->config.width == 32 ? UINT16_MAX : UINT32_MAX;

	if (m->params.truncate_extremes)
		return cycles & most;
	return cycles < most ? cycles : most;
}

/* Adds `n` occurrences of `cycles` cycles each. n * cycles * cycles must fit into 64 bits. */
static void add_latencies(struct pmk_microblaze_model *m, unsigned index, uint64_t n,
			  uint32_t cycles)
{
	struct pmk_microblaze_latency *l = &m->latency[index].live;
	uint64_t sum = n * cycles, count = l->n;
	uint32_t shown = clamp_extreme(m, cycles);
	bool beyond = advance_value(m, &count, n, UINT32_MAX);

	if (!n)
		return;
	l->n = (uint32_t)count;
	beyond |= advance_value(m, &l->sum, sum, max_of(m));
	beyond |= advance_value(m, &l->sum2, sum * cycles, max_of(m));
	if (beyond)
		m->status[m->config.events + index] |= PCSR_OVERFLOW;
	if (!l->some || shown < l->min)
		l->min = shown;
	if (shown > l->max)
		l->max = shown;
	l->some = true;
}

/* Returns how many of the occurrences in a record are counted. */
static unsigned count_record(struct pmk_microblaze_model *m, unsigned index,
			     const struct pmk_latency_record *r)
{
	struct pmk_microblaze_latency_counter *c = &m->latency[index];

	/* Occurrences in a record with `apart` set began after the last command. */
	if (!r->apart && r->start < c->since && !m->params.time_in_flight)
		return 0;
	if (!r->apart && r->start < c->busy) {
		m->status[m->config.events + index] |= PCSR_FULL;
		if (m->params.overlap_ignored)
			return 0;
	}
	if (r->end > c->busy)
		c->busy = r->end;
	return r->n;
}

/* Adds the latencies in the records of `sig`, from record number `at` on. */
static void time_records(struct pmk_microblaze_model *m, const struct pmk_bus *bus, unsigned index,
			 enum pmk_signal sig, uint64_t at)
{
	for (at = pmk_bus_next_record(bus, sig, at); at < bus->recorded;
	     at = pmk_bus_next_record(bus, sig, at + 1)) {
		const struct pmk_latency_record *r = &bus->log[at % PMK_LATENCY_LOG];

		m->latency[index].seen += r->n;
		add_latencies(m, index, count_record(m, index, r), r->cycles);
	}
}

static void count_latencies(struct pmk_microblaze_model *m, const struct pmk_bus *bus,
			    unsigned index)
{
	struct pmk_microblaze_latency_counter *c = &m->latency[index];
	const struct pmk_event *ev = event_of(m, m->config.events + index);
	uint64_t at = m->read_log, total = total_of(bus, ev);

	if (!ev)
		return;
	if (bus->recorded - at > PMK_LATENCY_LOG) {
		at = bus->recorded - PMK_LATENCY_LOG;
		m->oddities |= PMK_MICROBLAZE_ODD_LOST;
		m->status[m->config.events + index] |= PCSR_FULL;
	}
	time_records(m, bus, index, ev->signal, at);
	/*
	 * A producer may write the log before it updates the totals, so `total` may be less than
	 * the occurrences in the log.
	 */
	if (total > c->seen) {
		add_latencies(m, index, total - c->seen, 1);
		c->seen = total;
	}
}

static void sync_model(void *model, struct pmk_bus *bus)
{
	struct pmk_microblaze_model *m = model;

	for (unsigned i = 0; i < m->config.events; i++) {
		uint64_t total = total_of(bus, event_of(m, i));

		if (is_counting(m))
			count_event(m, i, total - m->event[i].seen);
		m->event[i].seen = total;
	}
	for (unsigned i = 0; i < m->config.latencies; i++) {
		if (is_counting(m))
			count_latencies(m, bus, i);
		else
			m->latency[i].seen = total_of(bus, event_of(m, m->config.events + i));
	}
	m->read_log = bus->recorded;
	m->read_timed = bus->timed;
	pmk_bus_seal(bus);
}

/* ---- the horizon --------------------------------------------------------------------------- */

static uint64_t smaller_of(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static void ask_signal(struct pmk_bus *bus, unsigned sig, uint64_t n)
{
	uint64_t total = bus->total[sig];

	pmk_bus_ask(bus, sig, n > PMK_NEVER - total ? PMK_NEVER : total + n);
}

/*
 * Asks to be called before the event's signals have occurred `n` times in total. If there are two
 * signals, one of them must contribute at least half. So the model asks to be called after half of
 * the distance, and does this again until the sum reaches `n`.
 */
static void ask_event(struct pmk_bus *bus, const struct pmk_event *ev, uint64_t n)
{
	if (ev->signal2 != PMK_SIG_NONE) {
		n -= n / 2;
		ask_signal(bus, ev->signal2, n);
	}
	if (ev->signal != PMK_SIG_NONE)
		ask_signal(bus, ev->signal, n);
}

/* Asks to be called when the counter overflows. Also asks to be called after half of the range, for
 * software that takes differences. */
static void ask_event_counter(const struct pmk_microblaze_model *m, struct pmk_bus *bus, unsigned i)
{
	const struct pmk_microblaze_event_counter *e = &m->event[i];
	const struct pmk_event *ev = event_of(m, i);
	uint64_t n = max_of(m) / 2 + 1, left = max_of(m) - e->count;

	if (!ev)
		return;
	/* Overflow happens after left + 1 events, or after `left` events if the maximum itself is
	 * an overflow. left + 1 may not fit into 64 bits, so `left` is compared before 1 is
	 * added. */
	if (m->params.overflow_at_max)
		left -= left > 0;
	if (!(m->status[i] & PCSR_OVERFLOW) && left < n - 1)
		n = left + 1;
	ask_event(bus, ev, n);
}

/*
 * Asks to be called before the log overflows, and before a sum can have grown by a quarter of its
 * range. For the sum of squares, the limit is a number of occurrences in the log. For the sum, the
 * limit assumes that each occurrence takes the longest time. N has 32 bits at every width, so a
 * quarter of its range is 2^30 occurrences. A quarter leaves a margin: software that takes
 * differences sees every wrap even if a producer overshoots by another quarter.
 */
static void ask_latency_counter(const struct pmk_microblaze_model *m, struct pmk_bus *bus,
				unsigned index)
{
	const struct pmk_event *ev = event_of(m, m->config.events + index);
	uint64_t longest = bus->longest, quarter = max_of(m) / 4 + 1;
	uint64_t timed = 1, n = UINT64_C(1) << 30;

	if (!ev)
		return;
	if (longest) {
		timed = smaller_of(quarter / (longest * longest), n);
		n = smaller_of(quarter / longest, n);
	}
	pmk_bus_ask_recorded(bus, m->read_log + PMK_LATENCY_LOG / 2);
	pmk_bus_ask_timed(bus, m->read_timed + (timed ? timed : 1));
	ask_event(bus, ev, n ? n : 1);
}

static void ask_horizon(const void *model, struct pmk_bus *bus)
{
	const struct pmk_microblaze_model *m = model;

	if (!is_counting(m))
		return;
	for (unsigned i = 0; i < m->config.events; i++)
		ask_event_counter(m, bus, i);
	for (unsigned i = 0; i < m->config.latencies; i++)
		ask_latency_counter(m, bus, i);
}

/* Returns the state of the interrupt line Dbg_Intr. */
static unsigned interrupt_lines(const void *model)
{
	const struct pmk_microblaze_model *m = model;
	unsigned n = m->params.latency_irq ? counter_count(m) : m->config.events, overflow = 0;

	for (unsigned i = 0; i < n; i++)
		overflow |= m->status[i] & PCSR_OVERFLOW;
	return overflow != 0;
}

/* ---- commands ------------------------------------------------------------------------------ */

/* Forgets the latencies that are being timed. Occurrences that began before now are then not
 * counted. */
static void forget_in_flight(struct pmk_microblaze_latency_counter *c, const struct pmk_bus *bus)
{
	c->since = bus->total[PMK_SIG_CYCLE];
	c->busy = 0;
}

static void set_state(struct pmk_microblaze_model *m, const struct pmk_bus *bus, bool started,
		      bool halted)
{
	bool before = is_counting(m);

	m->started = started;
	m->halted = halted;
	if (before || !is_counting(m))
		return;
	for (unsigned i = 0; i < m->config.latencies; i++)
		forget_in_flight(&m->latency[i], bus);
}

static void clear_counters(struct pmk_microblaze_model *m, const struct pmk_bus *bus)
{
	static const struct pmk_microblaze_latency nothing;

	for (unsigned i = 0; i < counter_count(m); i++) {
		m->status[i] = 0;
		if (m->params.clear_sample)
			m->sampled[i] = 0;
	}
	for (unsigned i = 0; i < m->config.events; i++) {
		m->event[i].count = 0;
		if (m->params.clear_sample)
			m->event[i].sampled = 0;
	}
	for (unsigned i = 0; i < m->config.latencies; i++) {
		m->latency[i].live = nothing;
		if (m->params.clear_sample)
			m->latency[i].sampled = nothing;
		forget_in_flight(&m->latency[i], bus);
	}
}

static void sample_counters(struct pmk_microblaze_model *m)
{
	memcpy(m->sampled, m->status, sizeof(m->sampled));
	for (unsigned i = 0; i < m->config.events; i++)
		m->event[i].sampled = m->event[i].count;
	for (unsigned i = 0; i < m->config.latencies; i++)
		m->latency[i].sampled = m->latency[i].live;
}

static void execute_command(struct pmk_microblaze_model *m, const struct pmk_bus *bus, uint32_t w)
{
	if ((w & PCCMDR_START) && (w & PCCMDR_STOP))
		m->oddities |= PMK_MICROBLAZE_ODD_START_STOP;
	if (w & PCCMDR_RESET)
		memset(m->pointer, 0, sizeof(m->pointer));
	if ((w & PCCMDR_CLEAR) && m->params.clear_first)
		clear_counters(m, bus);
	if (w & PCCMDR_SAMPLE)
		sample_counters(m);
	if ((w & PCCMDR_STOP) && !m->params.stop_last)
		set_state(m, bus, false, m->halted);
	if ((w & PCCMDR_CLEAR) && !m->params.clear_first)
		clear_counters(m, bus);
	if (w & PCCMDR_START)
		set_state(m, bus, true, m->halted);
	if ((w & PCCMDR_STOP) && m->params.stop_last)
		set_state(m, bus, false, m->halted);
}

/* ---- moving through counters and items ----------------------------------------------------- */

static struct pmk_microblaze_pointer *pointer_of(struct pmk_microblaze_model *m, unsigned reg)
{
	return &m->pointer[m->params.shared_pointer ? 0 : reg];
}

/* Finds the item that an access to `reg` refers to. Returns false if it is after the last
 * counter. */
static bool find_item(struct pmk_microblaze_model *m, unsigned reg,
		      struct pmk_microblaze_pointer *at)
{
	*at = *pointer_of(m, reg);
	if (at->counter < counter_count(m))
		return true;
	m->oddities |= PMK_MICROBLAZE_ODD_END;
	return false;
}

static void next_counter(struct pmk_microblaze_model *m, unsigned reg)
{
	struct pmk_microblaze_pointer *p = pointer_of(m, reg);

	p->counter++;
	p->item = 0;
	if (p->counter == counter_count(m) && m->params.pointer_wraps)
		p->counter = 0;
}

static void next_item(struct pmk_microblaze_model *m, unsigned reg)
{
	struct pmk_microblaze_pointer *p = pointer_of(m, reg);

	if (++p->item == pmk_microblaze_items(&m->config, p->counter))
		next_counter(m, reg);
}

/* ---- data items ---------------------------------------------------------------------------- */

static uint32_t half_of(uint64_t value, bool upper)
{
	return (uint32_t)(upper ? value >> 32 : value);
}

static void put_half(const struct pmk_microblaze_model *m, uint64_t *value, bool upper, uint32_t w)
{
	uint64_t mask = upper ? PMK_BITS(63, 32) : PMK_BITS(31, 0);

	*value = PMK_PUT(*value, mask, (uint64_t)w) & max_of(m);
}

/* True if this item is the upper half of an event counter. */
static bool is_upper_half(const struct pmk_microblaze_model *m, unsigned item)
{
	return m->config.width != 32 && item == 0;
}

static uint32_t latency_item32(const struct pmk_microblaze_latency *l, uint32_t min, unsigned item)
{
	switch ((enum pmk_microblaze_item32)item) {
	case PMK_MICROBLAZE_ITEM32_N:
		return l->n;
	case PMK_MICROBLAZE_ITEM32_SUM:
		return half_of(l->sum, false);
	case PMK_MICROBLAZE_ITEM32_SUM2:
		return half_of(l->sum2, false);
	case PMK_MICROBLAZE_ITEM32_EXTREMES:
		return (uint32_t)(PMK_PUT(l->max, EXTREMES_MIN, min));
	case PMK_MICROBLAZE_ITEMS32:
		break;
	}
	return 0;
}

static uint32_t latency_item64(const struct pmk_microblaze_latency *l, uint32_t min, unsigned item)
{
	switch ((enum pmk_microblaze_item64)item) {
	case PMK_MICROBLAZE_ITEM64_N:
		return l->n;
	case PMK_MICROBLAZE_ITEM64_SUM_HIGH:
	case PMK_MICROBLAZE_ITEM64_SUM_LOW:
		return half_of(l->sum, item == PMK_MICROBLAZE_ITEM64_SUM_HIGH);
	case PMK_MICROBLAZE_ITEM64_SUM2_HIGH:
	case PMK_MICROBLAZE_ITEM64_SUM2_LOW:
		return half_of(l->sum2, item == PMK_MICROBLAZE_ITEM64_SUM2_HIGH);
	case PMK_MICROBLAZE_ITEM64_MIN:
		return min;
	case PMK_MICROBLAZE_ITEM64_MAX:
		return l->max;
	case PMK_MICROBLAZE_ITEMS64:
		break;
	}
	return 0;
}

static uint32_t sampled_item(const struct pmk_microblaze_model *m,
			     const struct pmk_microblaze_pointer *at)
{
	const struct pmk_microblaze_latency *l;
	uint32_t min;

	if (at->counter < m->config.events)
		return half_of(m->event[at->counter].sampled, is_upper_half(m, at->item));
	l = &m->latency[at->counter - m->config.events].sampled;
	min = l->some ? l->min : m->params.min_empty;
	return m->config.width == 32 ? latency_item32(l, min, at->item)
				     : latency_item64(l, min, at->item);
}

static void put_min(struct pmk_microblaze_latency *l, uint32_t min)
{
	l->min = min;
	if (l->n)
		l->some = true;
}

static void put_latency_item32(struct pmk_microblaze_latency *l, unsigned item, uint32_t w)
{
	switch ((enum pmk_microblaze_item32)item) {
	case PMK_MICROBLAZE_ITEM32_N:
		l->n = w;
		break;
	case PMK_MICROBLAZE_ITEM32_SUM:
		l->sum = w;
		break;
	case PMK_MICROBLAZE_ITEM32_SUM2:
		l->sum2 = w;
		break;
	case PMK_MICROBLAZE_ITEM32_EXTREMES:
		put_min(l, (uint32_t)PMK_GET(w, EXTREMES_MIN));
		l->max = (uint32_t)PMK_GET(w, EXTREMES_MAX);
		break;
	case PMK_MICROBLAZE_ITEMS32:
		break;
	}
}

static void put_latency_item64(const struct pmk_microblaze_model *m,
			       struct pmk_microblaze_latency *l, unsigned item, uint32_t w)
{
	switch ((enum pmk_microblaze_item64)item) {
	case PMK_MICROBLAZE_ITEM64_N:
		l->n = w;
		break;
	case PMK_MICROBLAZE_ITEM64_SUM_HIGH:
	case PMK_MICROBLAZE_ITEM64_SUM_LOW:
		put_half(m, &l->sum, item == PMK_MICROBLAZE_ITEM64_SUM_HIGH, w);
		break;
	case PMK_MICROBLAZE_ITEM64_SUM2_HIGH:
	case PMK_MICROBLAZE_ITEM64_SUM2_LOW:
		put_half(m, &l->sum2, item == PMK_MICROBLAZE_ITEM64_SUM2_HIGH, w);
		break;
	case PMK_MICROBLAZE_ITEM64_MIN:
		put_min(l, w);
		break;
	case PMK_MICROBLAZE_ITEM64_MAX:
		l->max = w;
		break;
	case PMK_MICROBLAZE_ITEMS64:
		break;
	}
}

static void put_latency_item(const struct pmk_microblaze_model *m, struct pmk_microblaze_latency *l,
			     unsigned item, uint32_t w)
{
	if (m->config.width == 32)
		put_latency_item32(l, item, w);
	else
		put_latency_item64(m, l, item, w);
}

static void put_item(struct pmk_microblaze_model *m, const struct pmk_microblaze_pointer *at,
		     uint32_t w)
{
	if (at->counter < m->config.events) {
		struct pmk_microblaze_event_counter *e = &m->event[at->counter];

		put_half(m, &e->count, is_upper_half(m, at->item), w);
		if (m->params.write_sample)
			put_half(m, &e->sampled, is_upper_half(m, at->item), w);
	} else {
		struct pmk_microblaze_latency_counter *l =
			&m->latency[at->counter - m->config.events];

		put_latency_item(m, &l->live, at->item, w);
		if (m->params.write_sample)
			put_latency_item(m, &l->sampled, at->item, w);
	}
}

/* ---- the registers ------------------------------------------------------------------------- */

/* Makes a counter count the event `code` from now on. */
static void select_event(struct pmk_microblaze_model *m, const struct pmk_bus *bus,
			 unsigned counter, uint8_t code)
{
	const struct pmk_event *ev;

	m->code[counter] = code;
	ev = event_of(m, counter);
	if (!ev)
		m->oddities |= PMK_MICROBLAZE_ODD_EVENT;
	if (counter < m->config.events) {
		m->event[counter].seen = total_of(bus, ev);
	} else {
		m->latency[counter - m->config.events].seen = total_of(bus, ev);
		forget_in_flight(&m->latency[counter - m->config.events], bus);
	}
}

static int read_reg(void *model, struct pmk_bus *bus, enum pmk_mode mode, unsigned reg,
		    uint64_t *value)
{
	struct pmk_microblaze_model *m = model;
	const struct pmk_reg_info *row;
	struct pmk_microblaze_pointer at;

	(void)mode;
	if (reg >= PMK_MICROBLAZE_NREGS)
		return PMK_EBADREG;
	sync_model(m, bus);
	row = &pmk_microblaze_regs[reg];
	if (!pmk_reg_readable(row)) {
		m->oddities |= PMK_MICROBLAZE_ODD_READ_WO;
		*value = m->params.undefined & PMK_BITS(pmk_microblaze_access[reg].bits - 1, 0);
		return PMK_OK;
	}
	*value = 0;
	if (!find_item(m, reg, &at))
		return PMK_OK;
	if (reg == PMK_MICROBLAZE_PCSR) {
		*value = pmk_reg_read(row, m->sampled[at.counter]);
		next_counter(m, reg);
	} else {
		*value = pmk_reg_read(row, sampled_item(m, &at));
		next_item(m, reg);
	}
	return PMK_OK;
}

static void write_data(struct pmk_microblaze_model *m, const struct pmk_microblaze_pointer *at,
		       uint32_t w)
{
	if (is_counting(m))
		m->oddities |= PMK_MICROBLAZE_ODD_WRITE_RUNNING;
	put_item(m, at, w);
	next_item(m, PMK_MICROBLAZE_PCDWR);
}

static int write_reg(void *model, struct pmk_bus *bus, enum pmk_mode mode, unsigned reg,
		     uint64_t value)
{
	struct pmk_microblaze_model *m = model;
	struct pmk_microblaze_pointer at;
	uint32_t takes;

	(void)mode;
	if (reg >= PMK_MICROBLAZE_NREGS)
		return PMK_EBADREG;
	sync_model(m, bus);
	takes = (uint32_t)pmk_reg_takes(&pmk_microblaze_regs[reg], value);
	if (!pmk_reg_writable(&pmk_microblaze_regs[reg])) {
		m->oddities |= PMK_MICROBLAZE_ODD_WRITE_RO;
		return PMK_OK;
	}
	switch ((enum pmk_microblaze_reg)reg) {
	case PMK_MICROBLAZE_PCCTRLR:
		if (!find_item(m, reg, &at))
			break;
		select_event(m, bus, at.counter, (uint8_t)takes);
		next_counter(m, reg);
		break;
	case PMK_MICROBLAZE_PCCMDR:
		execute_command(m, bus, takes);
		break;
	case PMK_MICROBLAZE_PCDWR:
		if (find_item(m, reg, &at))
			write_data(m, &at, takes);
		break;
	case PMK_MICROBLAZE_PCSR:
	case PMK_MICROBLAZE_PCDRR:
	case PMK_MICROBLAZE_NREGS:
		break;
	}
	ask_horizon(m, bus);
	return PMK_OK;
}

/* ---- reset and inputs ---------------------------------------------------------------------- */

static void power_up(struct pmk_microblaze_model *m, const struct pmk_microblaze_config *config,
		     const struct pmk_microblaze_params *params, struct pmk_bus *bus)
{
	memset(m, 0, sizeof(*m));
	m->config = *config;
	m->params = *params;
	sync_model(m, bus); /* take over the events so far, so that they are not counted later */
}

void pmk_microblaze_model_reset(struct pmk_microblaze_model *m, const struct pmk_pmu *pmu,
				const struct pmk_microblaze_params *params, struct pmk_bus *bus)
{
	power_up(m, pmk_microblaze_config_of(pmu), params, bus);
}

static void reset_model(void *model, struct pmk_bus *bus, const struct pmk_pmu *pmu)
{
	pmk_microblaze_model_reset(model, pmu, &pmk_microblaze_defaults, bus);
}

static void core_reset(struct pmk_microblaze_model *m, struct pmk_bus *bus)
{
	const struct pmk_microblaze_config config = m->config;
	const struct pmk_microblaze_params params = m->params;
	bool halted = m->halted;

	if (params.reset_ignored)
		return;
	power_up(m, &config, &params, bus);
	m->halted = halted;
}

void pmk_microblaze_model_input(struct pmk_microblaze_model *m, struct pmk_bus *bus,
				enum pmk_microblaze_input input, bool level)
{
	sync_model(m, bus);
	switch (input) {
	case PMK_MICROBLAZE_IN_HALTED:
		set_state(m, bus, m->started, level);
		break;
	case PMK_MICROBLAZE_IN_STOP:
		if (level)
			set_state(m, bus, false, m->halted);
		break;
	case PMK_MICROBLAZE_IN_START:
		if (level)
			set_state(m, bus, true, m->halted);
		break;
	case PMK_MICROBLAZE_IN_RESET:
		if (level)
			core_reset(m, bus);
		break;
	case PMK_MICROBLAZE_NINPUTS:
		break;
	}
}

static bool latency_is_valid(const struct pmk_microblaze_latency_counter *c)
{
	return pmk_is_bool(&c->live.some) && pmk_is_bool(&c->sampled.some);
}

static bool model_is_valid(const void *model, const void *begun)
{
	const struct pmk_microblaze_model *m = model, *b = begun;

	for (unsigned i = 0; i < PMK_MICROBLAZE_MAX_LATENCIES; i++)
		if (!latency_is_valid(&m->latency[i]))
			return false;
	return PMK_SAME(m, b, config) && PMK_SAME(m, b, code) && pmk_is_bool(&m->started) &&
	       pmk_is_bool(&m->halted);
}

/* ---- parameters and inputs by name --------------------------------------------------------- */

/* clang-format off */
#define PARAM(name) PMK_MODEL_PARAM(pmk_microblaze_model, #name, params.name)
static const struct pmk_model_param params[] = {
	PARAM(shared_pointer), PARAM(pointer_wraps), PARAM(clear_first), PARAM(stop_last),
	PARAM(clear_sample), PARAM(write_sample), PARAM(decode_6_bits), PARAM(reset_ignored),
	PARAM(count_while_halted), PARAM(overflow_at_max), PARAM(saturate), PARAM(latency_irq),
	PARAM(truncate_extremes), PARAM(time_in_flight), PARAM(overlap_ignored), PARAM(min_empty),
	PARAM(undefined),
	{ NULL, 0, 0 },
};
/* clang-format on */

static const char *const inputs[] = {
	[PMK_MICROBLAZE_IN_HALTED] = "halted", [PMK_MICROBLAZE_IN_STOP] = "stop",
	[PMK_MICROBLAZE_IN_START] = "start",   [PMK_MICROBLAZE_IN_RESET] = "reset",
	[PMK_MICROBLAZE_NINPUTS] = NULL,
};

static void set_input(void *model, struct pmk_bus *bus, unsigned input, uint64_t value)
{
	pmk_microblaze_model_input(model, bus, input, value);
}

static void restart_model(void *model, struct pmk_bus *bus, const struct pmk_pmu *pmu)
{
	const struct pmk_microblaze_params p = ((const struct pmk_microblaze_model *)model)->params;

	pmk_microblaze_model_reset(model, pmu, &p, bus);
}

static const char *const oddities[] = {
	"read a write-only register",	 "wrote a read-only register, which is ignored",
	"went beyond the last counter",	 "selected an event that this counter cannot count",
	"Start and Stop in one command", "wrote a counter while it counted",
	"lost latencies: Full is set",	 NULL,
};

const struct pmk_model_ops pmk_microblaze_models[PMK_MICROBLAZE_NMODELS + 1] = {
	{ .pmu = &pmk_microblaze,
	  .size = sizeof(struct pmk_microblaze_model),
	  .reset = reset_model,
	  .read = read_reg,
	  .write = write_reg,
	  .sync = sync_model,
	  .ask = ask_horizon,
	  .lines = interrupt_lines,
	  .params = params,
	  .restart = restart_model,
	  .oddities = oddities,
	  .oddities_at = PMK_MODEL_PARAM(pmk_microblaze_model, "oddities", oddities),
	  .inputs = inputs,
	  .input = set_input,
	  .valid = model_is_valid },
};
