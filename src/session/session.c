// SPDX-License-Identifier: MIT
/*
 * Sessions: programming passes and widening counters. Freestanding. See <pmk/session.h>.
 *
 * Widening takes differences modulo the counter's range: total += (now - last) & mask. It needs one
 * poll per range and no flag, so no order of reading counter and flag can lose or double a wrap. The
 * flag only proves the opposite: a counter that overflowed and yet is not below its last value has
 * gone round at least once more than the difference shows.
 */
#include <pmk/session.h>

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
	*s = (struct pmk_session){ .plan = *plan };
	pmk_session_rebind(s, pmu, ports);
	for (unsigned i = 0; i < plan->npasses; i++) {
		int err = open_pass(s, i);

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

static int poll_counter(struct pmk_session_pass *p, unsigned counter, bool overflowed)
{
	struct pmk_wide *w = &p->wide[counter];
	uint64_t now;
	int err = p->dev.pmu->driver->read(&p->dev, counter, &now);

	if (err)
		return err;
	/* Its flag was due at this poll at the latest. */
	if (w->early && overflowed)
		overflowed = false;
	w->early = false;
	if (overflowed && now >= w->last)
		w->wrapped = true;
	if (!overflowed && now < w->last)
		w->early = true;
	w->total += (now - w->last) & range_mask(p, counter);
	w->last = now;
	return 0;
}

int pmk_session_poll(struct pmk_session *s)
{
	for (unsigned i = 0; i < s->plan.npasses; i++) {
		struct pmk_session_pass *p = &s->pass[i];
		const struct pmk_driver *drv = p->dev.pmu->driver;
		uint32_t overflowed;
		/* Flags before counters: a flag that rises in between belongs to a wrap that the value
		 * already shows, and is expected at the next poll. */
		int err = drv->pending(&p->dev, &overflowed);

		if (!err && overflowed)
			err = drv->clear(&p->dev, overflowed);

		for (unsigned c = 0; !err && c < p->dev.pmu->ncounters; c++)
			if (in_use(s, i, c))
				err = poll_counter(p, c, overflowed >> c & 1);
		if (err)
			return err;
	}
	return 0;
}

int pmk_session_read(struct pmk_session *s, uint64_t totals[PMK_MAX_EVENTS])
{
	int err = pmk_session_poll(s);

	for (unsigned i = 0; i < s->plan.nevents; i++) {
		const struct pmk_plan_event *e = &s->plan.event[i];

		totals[i] = s->pass[e->pass].wide[e->counter].total;
	}
	return err;
}

bool pmk_session_wrapped(const struct pmk_session *s, unsigned i)
{
	const struct pmk_plan_event *e = &s->plan.event[i];

	return s->pass[e->pass].wide[e->counter].wrapped;
}
