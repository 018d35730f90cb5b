// SPDX-License-Identifier: MIT
/*
 * Counters inside firmware: opening, starting and stopping. totals.c reads them. Freestanding; see
 * <pmk/target.h>.
 */
#include "firmware/target.h"

#include <pmk/bits.h>

/* ---- opening --------------------------------------------------------------------------------- */

/* Checks that there is a PMU. Call this before any other access, because an access to the registers
 * of a missing PMU is UNDEFINED. */
static int check_present(const struct pmk_pmu *pmu, struct pmk_port port)
{
	struct pmk_dev dev = { .pmu = pmu, .port = port };

	return pmu->driver->present ? pmu->driver->present(&dev) : PMK_OK;
}

static int target_seize(struct pmk_target *t, const struct pmk_pmu *pmu, struct pmk_port port)
{
	int err;

	*t = (struct pmk_target){ .dev = { .pmu = pmu, .port = port } };
	t->task = &t->main;
	err = driver_of(t)->reset(&t->dev);
	if (!err)
		t->state = PMK_TARGET_OPEN;
	return err;
}

int pmk_target_seize(struct pmk_target *t, const struct pmk_pmu *pmu, struct pmk_port port)
{
	int err;

	if (!t || !pmu || !port.read || !port.write)
		return PMK_EINVAL;
	err = check_present(pmu, port);
	return err ? err : target_seize(t, pmu, port);
}

int pmk_target_open(struct pmk_target *t, const struct pmk_pmu *pmu, struct pmk_port port)
{
	struct pmk_dev dev = { .pmu = pmu, .port = port };
	bool running;
	int err;

	if (!t || !pmu || !port.read || !port.write)
		return PMK_EINVAL;
	err = check_present(pmu, port);
	if (!err)
		err = pmu->driver->running(&dev, &running);
	if (err)
		return err;
	return running ? PMK_EBUSY : target_seize(t, pmu, port);
}

/* Checks that no other user has started the PMU. Call this before the target's own start. */
static int check_ours(struct pmk_target *t)
{
	bool running;
	int err = driver_of(t)->running(&t->dev, &running);

	return err ? err : running ? PMK_EBUSY : PMK_OK;
}

/* Checks that the set-up may still be changed, and that the PMU's registers may be written. */
static int check_changeable(struct pmk_target *t)
{
	if (!t || t->state == PMK_TARGET_CLOSED)
		return PMK_EINVAL;
	return t->state == PMK_TARGET_OPEN ? check_ours(t) : PMK_EBUSY;
}

/*
 * Returns the largest count of a counter. The number of occurrences of a latency counter has 32
 * bits, even if its sums are wider.
 */
static uint64_t count_mask(const struct pmk_counter *c)
{
	return PMK_BITS((c->extreme_width ? 32 : c->width) - 1, 0);
}

int pmk_target_add(struct pmk_target *t, unsigned code)
{
	struct pmk_target_event *e;
	int err = check_changeable(t), counter;

	if (err)
		return err;
	if (!pmk_pmu_event_code(t->dev.pmu, code))
		return PMK_ENOEVENT;
	if (t->nevents == PMK_TARGET_EVENTS)
		return PMK_ENOCTR;
	counter = pmk_pmu_free_counter(t->dev.pmu, &t->used, code);
	if (counter < 0)
		return counter;
	err = driver_of(t)->program(&t->dev, (unsigned)counter, code);
	if (err)
		return err;
	e = &t->event[t->nevents];
	*e = (struct pmk_target_event){
		.code = (uint16_t)code,
		.counter = (uint8_t)counter,
		.mask = count_mask(&t->dev.pmu->counters[counter]),
	};
	pmk_counter_add(&t->used, e->counter);
	t->narrow |= is_narrow(e);
	/* A counter of 64 bits is not watched, because it would take centuries to wrap. */
	if (e->mask >> 32 != UINT32_MAX)
		t->wraps |= counter_bit(e);
	return t->nevents++;
}

int pmk_target_locks(struct pmk_target *t, uintptr_t (*lock)(void),
		     void (*unlock)(uintptr_t before))
{
	int err = check_changeable(t);

	if (!err && !lock != !unlock)
		err = PMK_EINVAL;
	if (err)
		return err;
	t->lock = lock;
	t->unlock = unlock;
	return PMK_OK;
}

int pmk_target_interrupts(struct pmk_target *t, bool on)
{
	int err = check_changeable(t);

	if (err)
		return err;
	if (on && t->dev.pmu->no_flags)
		return PMK_ENOTSUP;
	/* Enabling the interrupts shows whether the PMU has any. They stay enabled only after
	 * start(). */
	if (on)
		err = driver_of(t)->irq_enable(&t->dev, t->used.bits[0]);
	if (!err)
		err = driver_of(t)->irq_enable(&t->dev, 0);
	if (!err)
		t->interrupts = on;
	return err;
}

int pmk_target_sample(struct pmk_target *t, unsigned event, uint32_t period, struct pmk_ring *ring)
{
	struct pmk_target_event *e;
	int err = check_changeable(t);

	if (err)
		return err;
	if (event >= t->nevents || !ring || !ring->sample || !ring->size ||
	    (ring->size & (ring->size - 1)))
		return PMK_EINVAL;
	if (period < PMK_MIN_PERIOD || period > PMK_MAX_PERIOD)
		return PMK_ERANGE;
	if (t->dev.pmu->no_flags)
		return PMK_ENOTSUP;
	e = &t->event[event];
	err = driver_of(t)->write(&t->dev, e->counter, (0 - (uint64_t)period) & e->mask);
	if (err)
		return err;
	e->period = period;
	e->preload = (0 - (uint64_t)period) & e->mask;
	t->wraps |= counter_bit(e);
	t->ring = ring;
	return PMK_OK;
}

/* ---- running --------------------------------------------------------------------------------- */

/* Programs everything again, because the PMU may have been changed since it was opened. */
static int program_all(struct pmk_target *t)
{
	int err = driver_of(t)->reset(&t->dev);

	for (unsigned i = 0; !err && i < t->nevents; i++)
		err = driver_of(t)->program(&t->dev, t->event[i].counter, t->event[i].code);
	return err;
}

/*
 * Begins the sampling periods and enables interrupts. This happens after the calibration, so that
 * no sample is taken during the calibration.
 */
static int target_arm(struct pmk_target *t)
{
	int err = PMK_OK;

	for (unsigned i = 0; !err && i < t->nevents; i++) {
		struct pmk_target_event *e = &t->event[i];

		if (!e->period)
			continue;
		err = driver_of(t)->write(&t->dev, e->counter, e->preload);
		e->at[0].base = e->at[1].base = e->preload;
	}
	return err ? err : driver_of(t)->irq_enable(&t->dev, t->interrupts ? t->wraps : 0);
}

/*
 * True if the signal occurs all the time while code runs, so that its counter must advance. With a
 * port that has `settle`, instructions are not such a signal, because there cycles may pass without
 * any code.
 */
static bool never_rests(const struct pmk_target *t, unsigned signal)
{
	if (!driver_of(t)->still)
		return false;
	return signal == PMK_SIG_CYCLE || (signal == PMK_SIG_INSN && !t->dev.port.settle);
}

static bool event_never_rests(const struct pmk_target *t, const struct pmk_target_event *e)
{
	return never_rests(t, pmk_pmu_event_code(t->dev.pmu, e->code)->signal);
}

/*
 * Programs a free counter for cycles, the witness, to see whether the PMU counts at all. This is
 * not necessary if one of the caller's events must advance. Returns the counter's number;
 * PMK_ENOCTR if it is not needed or no counter is free; or another error.
 */
static int program_witness(struct pmk_target *t)
{
	const struct pmk_pmu *pmu = t->dev.pmu;

	if (!driver_of(t)->still)
		return PMK_ENOCTR;
	for (unsigned i = 0; i < t->nevents; i++)
		if (event_never_rests(t, &t->event[i]))
			return PMK_ENOCTR;
	for (unsigned i = 0; i < pmu->nevents; i++) {
		const struct pmk_event *ev = &pmu->events[i];
		int counter, err;

		if (ev->signal != PMK_SIG_CYCLE || !pmk_pmu_has(pmu, ev))
			continue;
		counter = pmk_pmu_free_counter(pmu, &t->used, ev->code);
		err = counter < 0 ? counter
				  : driver_of(t)->program(&t->dev, (unsigned)counter, ev->code);
		if (err != PMK_ENOCTR && err != PMK_ENOTSUP)
			return err ? err : counter;
	}
	return PMK_ENOCTR;
}

/* Checks that a counter, which was set to zero and started, has advanced. If not, returns the
 * reason. */
static int check_moves(struct pmk_target *t, unsigned counter)
{
	uint64_t value = 0;
	int err = take_sample(t);

	if (!err)
		err = driver_of(t)->read(&t->dev, counter, &value);
	if (err || value)
		return err;
	return driver_of(t)->still(&t->dev, counter);
}

static int check_all_move(struct pmk_target *t, int witness)
{
	int err = PMK_OK;

	if (t->dev.port.settle)
		t->dev.port.settle(t->dev.port.ctx, 1);
	for (unsigned i = 0; !err && i < t->nevents; i++)
		if (event_never_rests(t, &t->event[i]))
			err = check_moves(t, t->event[i].counter);
	return err || witness < 0 ? err : check_moves(t, (unsigned)witness);
}

/* Programs and starts the PMU again without the witness, because no code handles its overflows. */
static int dismiss_witness(struct pmk_target *t)
{
	int err = driver_of(t)->stop(&t->dev);

	if (!err)
		err = program_all(t);
	return err ? err : driver_of(t)->start(&t->dev);
}

/*
 * Starts the target for the first time. If two targets were opened for one PMU, the target that
 * starts first owns the PMU, and the other one gets PMK_EBUSY.
 */
static int first_start(struct pmk_target *t)
{
	bool running;
	int witness = PMK_ENOCTR, err = driver_of(t)->running(&t->dev, &running);

	if (!err && running)
		err = PMK_EBUSY;
	if (err)
		return err;
	t->state = PMK_TARGET_RUNNING;
	err = program_all(t);
	if (!err) {
		witness = program_witness(t);
		err = witness == PMK_ENOCTR || witness >= 0 ? PMK_OK : witness;
	}
	if (!err)
		err = driver_of(t)->start(&t->dev);
	if (!err)
		err = pmk_target_calibrate(t);
	if (!err)
		err = check_all_move(t, witness);
	if (!err && witness >= 0)
		err = dismiss_witness(t);
	if (!err)
		err = target_arm(t);
	if (!err)
		err = pmk_target_zero(t);
	if (err) { /* the caller may start again */
		(void)driver_of(t)->stop(&t->dev);
		t->main.depth = 0;
		t->state = PMK_TARGET_OPEN;
	}
	return err;
}

static int start_again(struct pmk_target *t)
{
	/*
	 * The state stays STOPPED until the counters run for certain. In this state
	 * pmk_target_isr() asks the PMU whether they run.
	 */
	int err = driver_of(t)->start(&t->dev);

	if (!err)
		t->state = PMK_TARGET_RUNNING;
	return err;
}

int pmk_target_start(struct pmk_target *t)
{
	uintptr_t before;
	int err;

	if (!t || t->state == PMK_TARGET_CLOSED || !t->nevents)
		return PMK_EINVAL;
	if (t->state == PMK_TARGET_RUNNING)
		return PMK_EBUSY;
	before = hold_lock(t);
	err = t->state == PMK_TARGET_OPEN ? first_start(t) : start_again(t);
	release_lock(t, before);
	return err;
}

int pmk_target_stop(struct pmk_target *t)
{
	uintptr_t held;
	uint8_t before;
	int err;

	if (!t || t->state == PMK_TARGET_CLOSED || t->state == PMK_TARGET_OPEN)
		return PMK_EINVAL;
	before = t->state;
	t->state = PMK_TARGET_STOPPED;
	held = hold_lock(t);
	err = driver_of(t)->stop(&t->dev);
	release_lock(t, held);
	if (err)
		t->state = before;
	return err;
}

static int give_back(struct pmk_target *t)
{
	int err = t->state == PMK_TARGET_OPEN ? check_ours(t) : PMK_OK;
	if (err == PMK_EBUSY) {
		/* Another target has started the PMU since, so this one must not stop it. */
		t->state = PMK_TARGET_CLOSED;
		return PMK_OK;
	}
	if (err)
		return err;
	/* From here on this target must stop the PMU, if necessary in another call. */
	t->state = PMK_TARGET_STOPPED;
	err = driver_of(t)->stop(&t->dev);
	if (!err)
		err = driver_of(t)->reset(&t->dev);
	if (!err)
		t->state = PMK_TARGET_CLOSED;
	return err;
}

int pmk_target_close(struct pmk_target *t)
{
	uintptr_t before;
	int err;

	if (!t || t->state == PMK_TARGET_CLOSED)
		return PMK_EINVAL;
	before = hold_lock(t);
	err = give_back(t);
	release_lock(t, before);
	return err;
}
