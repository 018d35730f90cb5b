// SPDX-License-Identifier: MIT
/*
 * Counters inside firmware: reading, widening, sampling. Freestanding; see <pmk/target.h>.
 *
 * Widening. The total of an event is
 *
 *	done + (counter - base)          modulo the counter's range
 *
 * The server is pmk_target_isr(), called by the interrupt handler or by a poll. At each wrap it
 * adds the counter's range (2^width) to `done`. A reader can run at any moment: when the flag is
 * set and the server has not run yet, in the middle of the server, or after it. The reader
 * distinguishes these cases by the flag, by the bit SERVING of `word`, and by the counter's value,
 * which is in the lower half of its range if the counter has just wrapped. The server writes the
 * new total next to the old one, and makes it valid by one store of `word`. If the whole server has
 * run while a reader was interrupted, `word` has changed, and the reader reads again. So interrupts
 * need not be masked, and a reader may interrupt the server.
 *
 * Flags are cleared before sampled counters are set back. So a counter that overflows again after
 * it was set back sets its flag again, however short its period is.
 *
 * Sessions (session.c) work in another way on purpose. A session is polled from one thread, adds
 * differences, and reports if it was polled too rarely. Here readers and the server interrupt each
 * other.
 */
#include "firmware/target.h"

/* True if the value is in the lower half of the counter's range. */
static bool is_small(const struct pmk_target_event *e, uint64_t value)
{
	return value <= e->mask / 2;
}

/* ---- reading --------------------------------------------------------------------------------- */

/* Bits of `word` (struct pmk_target_event). The bits above them are a serial number, which
 * change_total() increments, so that a reader sees that the total has changed. */
#define SERVING 1u /* the server is working on this counter */
#define WHICH	2u /* index of the valid element of `at` */
/* The server has stopped the counters: `done` is the whole total. */
#define STILL	4u
#define SERIAL	8u /* one step of the serial number */

static unsigned valid_element(uint32_t word)
{
	return word & WHICH ? 1 : 0;
}

static uint64_t done_of(const struct pmk_target_event *e)
{
	return e->at[valid_element(e->word)].done;
}

static uint64_t base_of(const struct pmk_target_event *e)
{
	return e->at[valid_element(e->word)].base;
}

/* Writes the new total next to the old one, and then makes it valid. `bits` are SERVING or
 * STILL. */
static void change_total(struct pmk_target_event *e, uint64_t done, uint64_t base, uint32_t bits)
{
	uint32_t word = e->word, other = ~word & WHICH;

	e->at[valid_element(other)].done = done;
	e->at[valid_element(other)].base = base;
	PMK_ORDER();
	e->word = ((word & ~(SERIAL - 1)) + SERIAL) | other | bits;
}

/*
 * Returns the total of an event at the time when its counter had `value`. `flag` is the counter's
 * overflow flag. The bit SERVING has two meanings. For a plain counter, the server has cleared the
 * overflow flag, or is about to, and has not added the wrap yet. For a sampled counter, the server
 * is setting the counter back, and has already added its count to `done`.
 */
static uint64_t combine_total(const struct pmk_target *t, const struct pmk_target_event *e,
			      uint32_t word, uint64_t value, bool flag)
{
	uint64_t done = e->at[valid_element(word)].done, base = e->at[valid_element(word)].base;
	bool serving = word & SERVING;

	if (word & STILL)
		return done;
	if (!e->period && !t->dev.pmu->no_flags)
		return done + value + (serving || (flag && is_small(e, value)) ? e->mask + 1 : 0);
	/* If a counter is sampled or has no flag, this difference includes the wrap. */
	value = (value - base) & e->mask;
	if (e->period && serving && value >= e->period) /* the counter has not been set back yet */
		return done;
	return done + value;
}

/*
 * Reads the total of a sampled counter; it needs no flag. A sampled counter is served often, so
 * only this counter is read again if the server has interrupted the reading.
 */
static int read_sampled(struct pmk_target *t, const struct pmk_target_event *e, uint64_t *total)
{
	uint64_t value;
	uint32_t word;
	int err;

	do {
		word = e->word;
		err = driver_of(t)->read(&t->dev, e->counter, &value);
		if (err)
			return err;
		*total = combine_total(t, e, word, value, false);
		PMK_ORDER();
	} while (e->word != word);
	return PMK_OK;
}

/* Sets `missed` of each event whose narrow counter may have wrapped unnoticed. */
static int check_wraps(struct pmk_target *t)
{
	int err = PMK_OK;

	for (unsigned i = 0; !err && i < t->nevents; i++) {
		struct pmk_target_event *e = &t->event[i];
		unsigned status = 0;

		if (is_narrow(e))
			err = driver_of(t)->status(&t->dev, e->counter, &status);
		e->missed |= (status & PMK_STATUS_OVERFLOW) != 0;
	}
	return err;
}

/*
 * Reads the totals if there are narrow counters (is_narrow()), for which every reading is a poll. A
 * PMU with such counters is `sequential`, so the reader holds the lock, and no server can interrupt
 * it.
 */
static int read_narrow(struct pmk_target *t, uint64_t *totals)
{
	int err = take_sample(t);

	if (!err)
		err = check_wraps(t);
	for (unsigned i = 0; !err && i < t->nevents; i++) {
		struct pmk_target_event *e = &t->event[i];
		uint64_t value;

		err = driver_of(t)->read(&t->dev, e->counter, &value);
		if (err)
			break;
		totals[i] = done_of(e) + ((value - base_of(e)) & e->mask);
		change_total(e, totals[i], value, 0);
	}
	return err;
}

static int read_now(struct pmk_target *t, uint64_t *totals)
{
	uint32_t word[PMK_TARGET_EVENTS], flags;
	bool changed;

	do {
		int err = take_sample(t);

		flags = 0;
		for (unsigned i = 0; i < t->nevents; i++)
			word[i] = t->event[i].word;
		for (unsigned i = 0; !err && i < t->nevents; i++) {
			const struct pmk_target_event *e = &t->event[i];

			err = e->period ? read_sampled(t, e, &totals[i])
					: driver_of(t)->read(&t->dev, e->counter, &totals[i]);
		}
		/*
		 * The flags are read after the counters. If a counter wraps in between, the value
		 * that was read is in the upper half of the range, and combine_total() ignores the
		 * flag.
		 */
		if (!err && t->wraps)
			err = driver_of(t)->pending(&t->dev, &flags);
		if (err)
			return err;
		changed = false;
		for (unsigned i = 0; i < t->nevents; i++) {
			const struct pmk_target_event *e = &t->event[i];

			if (e->period)
				continue;
			totals[i] = combine_total(t, e, word[i], totals[i], flags & counter_bit(e));
			PMK_ORDER();
			changed |= e->word != word[i];
		}
	} while (changed);
	return PMK_OK;
}

int pmk_target_now(struct pmk_target *t, uint64_t *totals)
{
	uintptr_t before = hold_lock(t);
	int err = t->narrow ? read_narrow(t, totals) : read_now(t, totals);

	release_lock(t, before);
	return err;
}

int pmk_target_read_all(struct pmk_target *t, uint64_t *totals)
{
	int err;

	if (!t || !totals || t->state < PMK_TARGET_RUNNING)
		return PMK_EINVAL;
	err = pmk_target_now(t, totals);
	for (unsigned i = 0; !err && i < t->nevents; i++)
		totals[i] -= t->zero[i];
	return err;
}

int pmk_target_read(struct pmk_target *t, unsigned event, uint64_t *total)
{
	uint64_t totals[PMK_TARGET_EVENTS];
	int err;

	if (!t || !total || event >= t->nevents)
		return PMK_EINVAL;
	err = pmk_target_read_all(t, totals);
	if (!err)
		*total = totals[event];
	return err;
}

int pmk_target_latency(struct pmk_target *t, unsigned event, struct pmk_latency *l)
{
	uintptr_t before;
	unsigned status;
	int err;

	if (!t || !l || event >= t->nevents || t->state < PMK_TARGET_RUNNING)
		return PMK_EINVAL;
	if (!t->dev.pmu->counters[t->event[event].counter].extreme_width)
		return PMK_ENOTSUP;
	before = hold_lock(t);
	err = take_sample(t);
	if (!err)
		err = driver_of(t)->latency(&t->dev, t->event[event].counter, l);
	if (!err)
		err = driver_of(t)->status(&t->dev, t->event[event].counter, &status);
	release_lock(t, before);
	return err ? err : (int)status;
}

/* ---- serving overflows ----------------------------------------------------------------------- */

/* Adds a sample to the ring and returns it; NULL, and the sample counts as dropped, if the ring is
 * full. */
static struct pmk_sample *note_sample(struct pmk_target *t, unsigned event, uintptr_t pc)
{
	struct pmk_ring *ring = t->ring;
	uint32_t head = ring->head;
	struct pmk_sample *s = &ring->sample[head & (ring->size - 1)];

	if (head - ring->tail >= ring->size) {
		ring->dropped++;
		return NULL;
	}
	*s = (struct pmk_sample){
		.pc = pc,
		.region = pmk_target_innermost(t),
		.event = (uint8_t)event,
	};
	PMK_ORDER();
	ring->head = head + 1;
	return s;
}

/* Returns the plain counters that still have SERVING set, because the port failed when an earlier
 * call cleared their flags. */
static uint32_t owed_counters(const struct pmk_target *t)
{
	uint32_t counters = 0;

	for (unsigned i = 0; i < t->nevents; i++)
		if (t->event[i].word & SERVING)
			counters |= counter_bit(&t->event[i]);
	return counters;
}

/* Clears the flags while the counters run, and adds the wraps of plain counters. */
static int clear_running(struct pmk_target *t, uint32_t flags)
{
	int err;

	for (unsigned i = 0; i < t->nevents; i++)
		if ((flags & counter_bit(&t->event[i])) && !t->event[i].period)
			t->event[i].word |= SERVING;
	err = driver_of(t)->clear(&t->dev, flags);
	for (unsigned i = 0; !err && i < t->nevents; i++) {
		struct pmk_target_event *e = &t->event[i];

		if ((flags & counter_bit(e)) && !e->period)
			change_total(e, done_of(e) + e->mask + 1, 0, 0);
	}
	return err;
}

/*
 * Clears the flags while the counters are stopped. To clear a flag, the driver may have to change
 * the values of all counters (see src/pmu/arm11/driver.c). Meanwhile STILL is set: readers use
 * `done` as the whole total.
 */
static int clear_stopped(struct pmk_target *t, uint32_t flags)
{
	uint64_t value[PMK_TARGET_EVENTS];
	uint32_t left = 0;
	int err = PMK_OK;

	for (unsigned i = 0; !err && i < t->nevents; i++)
		err = driver_of(t)->read(&t->dev, t->event[i].counter, &value[i]);
	if (err)
		return err;
	for (unsigned i = 0; i < t->nevents; i++) {
		struct pmk_target_event *e = &t->event[i];

		change_total(e, combine_total(t, e, e->word, value[i], flags & counter_bit(e)),
			     base_of(e), STILL);
	}
	err = driver_of(t)->clear(&t->dev, flags);
	if (err && driver_of(t)->pending(&t->dev, &left))
		left = flags;
	for (unsigned i = 0; i < t->nevents; i++) {
		struct pmk_target_event *e = &t->event[i];
		uint64_t shown = (value[i] - base_of(e)) & e->mask;

		/* Readers will add the wrap of a flag that is still set. */
		if ((flags & left & counter_bit(e)) && !e->period)
			shown += e->mask + 1;
		change_total(e, done_of(e) - shown, base_of(e), 0);
	}
	return err;
}

/*
 * Handles a sampled counter that has counted its period. Events between reading the counter and
 * setting it back are lost, so there are as few instructions as possible in between. The sample is
 * stored before that, because the next period begins when the counter is set back. If this period
 * ended before the handler returns, the program would have no time to run.
 */
static int serve_sample(struct pmk_target *t, unsigned event, uintptr_t pc)
{
	struct pmk_target_event *e = &t->event[event];
	struct pmk_sample *s = note_sample(t, event, pc);
	uint64_t value, counted;
	int err = driver_of(t)->read(&t->dev, e->counter, &value);

	if (err)
		return err;
	counted = (value - e->preload) & e->mask;
	change_total(e, done_of(e) + counted, e->preload, SERVING);
	err = driver_of(t)->write(&t->dev, e->counter, e->preload);
	e->word &= ~SERVING;
	if (s)
		s->late = counted >= 2 * e->period;
	return err;
}

/*
 * Adds the counts since the last poll. A counter that stops at its largest value is set back to 0
 * when it has passed half of it. Events between reading the counter and setting it back are lost. A
 * reader that interrupts this finds STILL set, and uses `done` as the total.
 */
static int poll_one(struct pmk_target *t, struct pmk_target_event *e, uint64_t value)
{
	uint64_t done = done_of(e) + ((value - base_of(e)) & e->mask);
	int err;

	if (!t->dev.pmu->counters[e->counter].saturates || is_small(e, value)) {
		change_total(e, done, value, 0);
		return PMK_OK;
	}
	change_total(e, done, value, STILL);
	err = driver_of(t)->write(&t->dev, e->counter, 0);
	change_total(e, done, err ? value : 0, 0);
	return err;
}

/* Adds the counts of each counter since the last poll, for PMUs without flags. */
static int poll_all(struct pmk_target *t)
{
	uintptr_t before = hold_lock(t);
	int err = take_sample(t);

	for (unsigned i = 0; !err && i < t->nevents; i++) {
		struct pmk_target_event *e = &t->event[i];
		uint64_t value;

		err = driver_of(t)->read(&t->dev, e->counter, &value);
		if (!err)
			err = poll_one(t, e, value);
	}
	release_lock(t, before);
	return err;
}

int pmk_target_isr(struct pmk_target *t, uintptr_t pc)
{
	uint32_t flags;
	bool running = true;
	int err, served = 0;

	if (!t || t->state == PMK_TARGET_CLOSED || t->state == PMK_TARGET_OPEN)
		return PMK_EINVAL;
	if (t->narrow) {
		uint64_t totals[PMK_TARGET_EVENTS];

		return pmk_target_now(t, totals);
	}
	if (t->dev.pmu->no_flags)
		return poll_all(t);
	err = driver_of(t)->pending(&t->dev, &flags);
	if (err)
		return err;
	flags = (flags & t->wraps) | owed_counters(t);
	if (!flags)
		return 0;
	/*
	 * Ask the PMU itself if it runs, because start() and stop() may have been interrupted
	 * half-way.
	 */
	if (t->state == PMK_TARGET_STOPPED)
		err = driver_of(t)->running(&t->dev, &running);
	if (!err)
		err = running ? clear_running(t, flags) : clear_stopped(t, flags);
	for (unsigned i = 0; !err && i < t->nevents; i++) {
		if (!(flags & counter_bit(&t->event[i])))
			continue;
		served++;
		if (t->event[i].period)
			err = serve_sample(t, i, pc);
	}
	return err ? err : served;
}

int pmk_target_poll(struct pmk_target *t)
{
	if (t && t->interrupts)
		return PMK_OK;
	return pmk_target_isr(t, 0);
}

uint64_t pmk_target_deadline(const struct pmk_target *t, unsigned per_cycle)
{
	uint64_t shortest = UINT64_MAX, left, cycles = 0;

	if (!t || !per_cycle)
		return 0;
	for (unsigned i = 0; i < t->nevents; i++)
		if (t->event[i].mask / 2 < shortest)
			shortest = t->event[i].mask / 2;
	if (shortest >= UINT64_MAX / 2)
		return UINT64_MAX;
	/*
	 * Divide `shortest` by `per_cycle`, bit by bit, because the processor may have no divider.
	 */
	left = 0;
	for (unsigned i = 0; i < 64; i++) {
		left = left << 1 | shortest >> 63;
		shortest <<= 1;
		cycles <<= 1;
		if (left >= per_cycle) {
			left -= per_cycle;
			cycles |= 1;
		}
	}
	return cycles;
}

int pmk_target_wrapped(const struct pmk_target *t, unsigned event)
{
	return t && event < t->nevents ? t->event[event].missed : PMK_EINVAL;
}

int pmk_ring_take(struct pmk_ring *ring, struct pmk_sample *sample)
{
	uint32_t tail;

	if (!ring || !ring->sample || !sample)
		return 0;
	tail = ring->tail;
	if (ring->head == tail)
		return 0;
	PMK_ORDER();
	*sample = ring->sample[tail & (ring->size - 1)];
	PMK_ORDER();
	ring->tail = tail + 1;
	return 1;
}
