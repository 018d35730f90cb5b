// SPDX-License-Identifier: MIT
/*
 * Sessions: program passes and widen counters. Freestanding; see <pmk/session.h>.
 *
 * Each poll adds the difference to the last value, modulo the counter's range: total += (now -
 * last) & mask. This needs a poll before the counter has wrapped twice, but no flag, so the order
 * in which counter and flag are read can neither lose a wrap nor count it twice. The flag only
 * shows a missed poll: a counter that has overflowed and is not below its last value has wrapped at
 * least once more than the difference shows.
 *
 * The sums of a latency counter share one flag, which stays set until they are cleared. Once it is
 * set, poll_latency() uses the differences since the last poll to decide whether a sum can have
 * wrapped more than once.
 */
#include <pmk/session.h>

#include <stddef.h>

#include <pmk/bits.h>

static uint64_t range_mask(const struct pmk_session_pass *p, unsigned counter)
{
	return PMK_BITS(p->dev.pmu->counters[counter].width - 1, 0);
}

static bool in_use(const struct pmk_session *s, unsigned pass, unsigned counter)
{
	for (unsigned i = 0; i < s->plan.nevents; i++)
		if (s->plan.event[i].pass == pass && s->plan.event[i].counter == counter)
			return true;
	return false;
}

static int open_pass(struct pmk_session *s, unsigned pass)
{
	struct pmk_dev *dev = &s->pass[pass].dev;
	const struct pmk_driver *drv = dev->pmu->driver;
	int err = drv->reset(dev);

	for (unsigned i = 0; !err && i < s->plan.nevents; i++)
		if (s->plan.event[i].pass == pass)
			err = drv->program(dev, s->plan.event[i].counter, s->plan.event[i].code);
	if (!err && s->plan.timed)
		err = drv->program(dev, s->plan.timer_counter, s->plan.timer_code);
	return err;
}

void pmk_session_rebind(struct pmk_session *s, const struct pmk_pmu *pmu,
			const struct pmk_port *ports)
{
	for (unsigned i = 0; i < s->plan.npasses; i++) {
		s->pass[i].dev.pmu = pmu;
		s->pass[i].dev.port = ports[i];
	}
}

int pmk_session_open(struct pmk_session *s, const struct pmk_pmu *pmu, const struct pmk_plan *plan,
		     const struct pmk_port *ports)
{
	s->plan = *plan;
	s->interval = 0;
	/*
	 * Only passes that the plan uses are cleared: there is room for many, and most sessions
	 * have one.
	 */
	for (unsigned i = 0; i == 0 || i < plan->npasses; i++)
		s->pass[i] = (struct pmk_session_pass){ 0 };
	pmk_session_rebind(s, pmu, ports);
	for (unsigned i = 0; i < plan->npasses; i++) {
		int err = open_pass(s, i);

		for (unsigned l = 0; l < PMK_MAX_LATENCIES; l++)
			pmk_stats_init(&s->pass[i].latency[l].values);
		if (err)
			return err;
	}
	return 0;
}

int pmk_session_start(struct pmk_session *s)
{
	for (unsigned i = 0; i < s->plan.npasses; i++) {
		struct pmk_dev *dev = &s->pass[i].dev;
		int err = dev->pmu->driver->start(dev);

		if (err)
			return err;
	}
	return 0;
}

int pmk_session_stop(struct pmk_session *s)
{
	for (unsigned i = 0; i < s->plan.npasses; i++) {
		struct pmk_dev *dev = &s->pass[i].dev;
		int err = dev->pmu->driver->stop(dev);

		if (err)
			return err;
	}
	return 0;
}

/* Set a counter that stops at its maximum back to 0, if it has passed half of its range.
 * Occurrences between the last read and this write are lost. */
static int begin_anew(struct pmk_session_pass *p, unsigned counter)
{
	struct pmk_wide *w = &p->wide[counter];
	int err;

	if (!p->dev.pmu->counters[counter].saturates || w->last <= range_mask(p, counter) / 2)
		return 0;
	w->wrapped |= w->last == range_mask(p, counter);
	err = p->dev.pmu->driver->write(&p->dev, counter, 0);
	if (!err)
		w->last = 0;
	return err;
}

static int poll_counter(struct pmk_session_pass *p, unsigned counter, bool overflowed)
{
	struct pmk_wide *w = &p->wide[counter];
	uint64_t now;
	int err = p->dev.pmu->driver->read(&p->dev, counter, &now);

	if (err)
		return err;
	/* The last poll has already counted this wrap, because the value was smaller than before,
	 * although the flag was not set yet. */
	if (w->early && overflowed)
		overflowed = false;
	w->early = false;
	if (overflowed && now >= w->last)
		w->wrapped = true;
	if (!overflowed && now < w->last)
		w->early = true;
	w->total += (now - w->last) & range_mask(p, counter);
	w->last = now;
	return begin_anew(p, counter);
}

/* Returns the index in pmk_session_pass.latency that belongs to a latency counter. */
static unsigned latency_index(const struct pmk_pmu *pmu, unsigned counter)
{
	unsigned index = 0;

	for (unsigned c = 0; c < counter; c++)
		index += pmu->counters[c].extreme_width != 0;
	return index;
}

static void add_squares(struct pmk_stats *s, uint64_t sum2)
{
	s->sq_low += sum2;
	s->sq_high += s->sq_low < sum2;
}

/* True if a * b > limit. */
static bool product_exceeds(uint64_t a, uint32_t b, uint64_t limit)
{
	uint64_t low = (a & UINT32_MAX) * b, high = (a >> 32) * b + (low >> 32);

	return high >> 32 || (high << 32 | (low & UINT32_MAX)) > limit;
}

/* Returns the longest latency that the counter can hold. */
static uint64_t most_of(const struct pmk_pmu *pmu, unsigned counter)
{
	return PMK_BITS(pmu->counters[counter].extreme_width - 1, 0);
}

/*
 * Since the last poll, the counter has timed `n` latencies, and its sum has grown by `sum`, modulo
 * its range. Returns true if the real growth of this sum, or of the sum of squares, can be larger
 * than the range. No latency is longer than max, so Σx ≤ n · max. If no latency is 0 (min > 0), Σx²
 * = Σx + Σx(x - 1) ≤ Σx + max · Σ(x - 1). This bound stays low when most occurrences are cache
 * hits.
 */
static bool beyond_range(const struct pmk_session_pass *p, unsigned counter, uint64_t n,
			 uint64_t sum, const struct pmk_latency *extremes)
{
	uint64_t range = range_mask(p, counter), over = extremes->min ? sum - n : sum;

	if (!n)
		return false;
	return extremes->max >= most_of(p->dev.pmu, counter) ||
	       product_exceeds(n, (uint32_t)extremes->max, range) ||
	       product_exceeds(over, (uint32_t)extremes->max, range - sum);
}

static int poll_latency(struct pmk_session_pass *p, unsigned counter, unsigned status)
{
	struct pmk_wide_latency *w = &p->latency[latency_index(p->dev.pmu, counter)];
	struct pmk_latency now;
	uint64_t n, sum;
	int err = p->dev.pmu->driver->latency(&p->dev, counter, &now);

	if (err)
		return err;
	n = (uint32_t)(now.n - w->last.n);
	sum = (now.sum - w->last.sum) & range_mask(p, counter);
	if ((status & PMK_STATUS_OVERFLOW) && beyond_range(p, counter, n, sum, &now))
		p->wide[counter].wrapped = true;
	w->full |= (status & PMK_STATUS_FULL) != 0;
	w->values.n += n;
	w->values.sum += sum;
	add_squares(&w->values, (now.sum2 - w->last.sum2) & range_mask(p, counter));
	if (now.min < w->values.min)
		w->values.min = now.min;
	if (now.max > w->values.max)
		w->values.max = now.max;
	w->last = now;
	p->wide[counter].total = w->values.n;
	return 0;
}

/* Read the status of all latency counters in use, in ascending order, before the values are read.
 * On a PMU whose counters can only be accessed in their order, this needs two sequences of accesses
 * instead of two per counter. */
static int poll_status(struct pmk_session *s, unsigned pass, unsigned status[PMK_MAX_LATENCIES])
{
	struct pmk_dev *dev = &s->pass[pass].dev;
	const struct pmk_pmu *pmu = dev->pmu;
	unsigned index = 0;
	int err = 0;

	for (unsigned c = 0; !err && c < pmu->ncounters; c++) {
		if (!pmu->counters[c].extreme_width)
			continue;
		status[index] = 0;
		if (in_use(s, pass, c))
			err = pmu->driver->status(dev, c, &status[index]);
		index++;
	}
	return err;
}

/* Ask the driver whether counters of fewer than 32 bits may have wrapped unnoticed since the last
 * poll. */
static int poll_narrow(struct pmk_session *s, unsigned pass)
{
	struct pmk_session_pass *p = &s->pass[pass];
	const struct pmk_pmu *pmu = p->dev.pmu;
	int err = 0;

	for (unsigned c = 0; !err && pmu->driver->status && c < pmu->ncounters; c++) {
		unsigned status = 0;

		if (pmu->counters[c].width >= 32 || !in_use(s, pass, c))
			continue;
		err = pmu->driver->status(&p->dev, c, &status);
		p->wide[c].wrapped |= (status & PMK_STATUS_OVERFLOW) != 0;
	}
	return err;
}

static int poll_counters(struct pmk_session *s, unsigned pass, uint32_t overflowed)
{
	struct pmk_session_pass *p = &s->pass[pass];
	const struct pmk_pmu *pmu = p->dev.pmu;
	unsigned status[PMK_MAX_LATENCIES], index = 0;
	int err = poll_status(s, pass, status);

	for (unsigned c = 0; !err && c < pmu->ncounters; c++) {
		bool times = pmu->counters[c].extreme_width != 0;

		if (in_use(s, pass, c))
			err = times ? poll_latency(p, c, status[index])
				    : poll_counter(p, c, c < 32 && (overflowed >> c & 1));
		index += times;
	}
	return err;
}

static int poll_pass(struct pmk_session *s, unsigned pass)
{
	struct pmk_dev *dev = &s->pass[pass].dev;
	const struct pmk_driver *drv = dev->pmu->driver;
	uint32_t overflowed;
	/* Read flags before counters. If a counter wraps in between, its value shows the wrap, and
	 * poll_counter() expects the flag at the next poll. */
	int err = drv->pending(dev, &overflowed);

	if (!err && overflowed)
		err = drv->clear(dev, overflowed);
	if (!err && drv->sample)
		err = drv->sample(dev);
	if (!err)
		err = poll_narrow(s, pass);
	return err ? err : poll_counters(s, pass, overflowed);
}

int pmk_session_poll(struct pmk_session *s)
{
	int err = 0;

	for (unsigned i = 0; !err && i < s->plan.npasses; i++)
		err = poll_pass(s, i);
	return err;
}

int pmk_session_forget(struct pmk_session *s)
{
	int err = pmk_session_poll(s);

	for (unsigned i = 0; !err && i < s->plan.npasses; i++)
		for (unsigned c = 0; c < PMK_MAX_COUNTERS; c++)
			s->pass[i].wide[c].total = 0;
	return err;
}

static void totals_of(const struct pmk_session *s, uint64_t totals[PMK_MAX_EVENTS])
{
	for (unsigned i = 0; i < s->plan.nevents; i++) {
		const struct pmk_plan_event *e = &s->plan.event[i];

		totals[i] = s->pass[e->pass].wide[e->counter].total;
	}
}

int pmk_session_read(struct pmk_session *s, uint64_t totals[PMK_MAX_EVENTS])
{
	int err = pmk_session_poll(s);

	totals_of(s, totals);
	return err;
}

bool pmk_session_wrapped(const struct pmk_session *s, unsigned i)
{
	const struct pmk_plan_event *e = &s->plan.event[i];

	return s->pass[e->pass].wide[e->counter].wrapped;
}

const struct pmk_wide_latency *pmk_session_latency(const struct pmk_session *s, unsigned i)
{
	const struct pmk_plan_event *e = &s->plan.event[i];
	const struct pmk_session_pass *p = &s->pass[e->pass];

	if (!p->dev.pmu->counters[e->counter].extreme_width)
		return NULL;
	return &p->latency[latency_index(p->dev.pmu, e->counter)];
}

bool pmk_session_saturated(const struct pmk_session *s, unsigned i)
{
	const struct pmk_wide_latency *w = pmk_session_latency(s, i);
	const struct pmk_plan_event *e = &s->plan.event[i];

	return w && w->values.n && w->values.max >= most_of(s->pass[e->pass].dev.pmu, e->counter);
}

/* ---- the interval timer ---------------------------------------------------------------------- */

/* Set the timer to 2^width - interval, so that it overflows when the interval is over. */
static int set_timer(struct pmk_session *s, unsigned pass)
{
	struct pmk_session_pass *p = &s->pass[pass];
	unsigned counter = s->plan.timer_counter;

	return p->dev.pmu->driver->write(&p->dev, counter,
					 (0 - s->interval) & range_mask(p, counter));
}

int pmk_session_timer(struct pmk_session *s, uint64_t interval)
{
	int err = 0;

	if (!s->plan.timed || !s->plan.npasses || !s->pass[0].dev.pmu->driver->zero)
		return PMK_ENOTSUP;
	if (!interval || interval > range_mask(&s->pass[0], s->plan.timer_counter))
		return PMK_ERANGE;
	s->interval = interval;
	for (unsigned i = 0; !err && i < s->plan.npasses; i++)
		err = set_timer(s, i);
	return err;
}

/* Set the values of the last poll to zero, as the counters are now, and keep the shortest and
 * longest latency of the interval. */
static void forget_last(struct pmk_session_pass *p)
{
	for (unsigned c = 0; c < PMK_MAX_COUNTERS; c++)
		p->wide[c].last = 0;
	for (unsigned l = 0; l < PMK_MAX_LATENCIES; l++) {
		struct pmk_wide_latency *w = &p->latency[l];

		w->min = w->last.min;
		w->max = w->last.max;
		pmk_latency_init(&w->last);
	}
}

/* Read the counters of a stopped pass for the last time in this interval, set them to zero, and set
 * the timer again. */
static int end_interval(struct pmk_session *s, unsigned pass)
{
	struct pmk_session_pass *p = &s->pass[pass];
	int err = poll_pass(s, pass);

	/* zero() comes before set_timer(), because it also sets the timer to zero. */
	if (!err)
		err = p->dev.pmu->driver->zero(&p->dev);
	if (err)
		return err;
	forget_last(p);
	return set_timer(s, pass);
}

/* End an interval of a pass. After an error the pass counts again if it can be started. The caller
 * can then call this function again to complete it. */
static int tick_pass(struct pmk_session *s, unsigned pass)
{
	struct pmk_dev *dev = &s->pass[pass].dev;
	int err = dev->pmu->driver->stop(dev), start;

	if (err)
		return err;
	err = end_interval(s, pass);
	start = dev->pmu->driver->start(dev);
	return err ? err : start;
}

int pmk_session_tick(struct pmk_session *s, uint64_t totals[PMK_MAX_EVENTS])
{
	int err = s->interval ? 0 : PMK_ENOTSUP;

	for (unsigned i = 0; !err && i < s->plan.npasses; i++)
		err = tick_pass(s, i);
	totals_of(s, totals);
	return err;
}
