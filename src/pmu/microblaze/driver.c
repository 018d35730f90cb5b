// SPDX-License-Identifier: MIT
/*
 * MicroBlaze performance counter driver. Freestanding: no libc, no heap, no division.
 *
 * Quirks of this hardware, and how the driver handles them:
 *  - Counters have no address. Every access to Control, Status, Data Read and Data Write advances
 *    to the next counter or item, and Reset in Command returns to the first (UG984, "Performance
 *    Monitoring"). The manual leaves open whether the four registers share one pointer or have one
 *    pointer each. The driver works in both cases, because a sequence of accesses uses only one
 *    register and begins with a Reset. pmk_dev.state has the position of the sequence, so that
 *    accesses to counters in ascending order need only one Reset. After an error the position is
 *    unknown, and the next access begins with a Reset.
 *  - The driver never accesses counters after the last one and never reads a write-only register,
 *    because the effect is not documented, or the documents disagree.
 *  - Events cannot be read back, so pmk_dev.state has a copy of them. To program a counter, the
 *    driver also writes the events of all counters before it again, and assumes that this changes
 *    nothing.
 *  - Whether the counters run cannot be read back, either. running() reports the last start() or
 *    stop(); cross triggers and debuggers can start and stop them, too.
 *  - Values are read from a sample. reset() takes a sample, so there always is one.
 *  - Dbg_Intr, which rises when an event counter overflows, can be disabled only in the interrupt
 *    controller, so irq_enable() accepts no counter. Only zero() deasserts it. reset() selects
 *    events that hardly ever happen, so that the counters do not overflow.
 *  - To preset a counter, the items of all counters before it must be written as well: write()
 *    takes a sample and writes their values back. Running counters would lose counts, so they must
 *    be stopped. zero() clears presets, too, so it must be called before write().
 */
#include "pmu/microblaze/regs.h"
#include "pmu/no_flags.h"

/* Events for idle counters. The first one happens only after a fault in an MMU, the second one only
 * at an interrupt. */
#define IDLE_EVENT   PMK_MICROBLAZE_MMU_INSN_EXCEPTION
#define IDLE_LATENCY PMK_MICROBLAZE_INTERRUPT_LATENCY

/* Words of pmk_dev.state. The words before these have the events, with 8 bits per counter. */
#define STATE_PLACE   14
#define STATE_RUNNING 15

_Static_assert(PMK_MICROBLAZE_MAX_EVENTS + PMK_MICROBLAZE_MAX_LATENCIES <= STATE_PLACE * 4,
	       "every counter has an event");

/*
 * The position of the current sequence. PLACE_REG is its register + 1, or 0 if there is no
 * sequence. PLACE_NEXT is the next counter (for Control and Status) or the next item (for Data Read
 * and Data Write), counted from 0.
 */
#define PLACE_REG  PMK_BITS(31, 16)
#define PLACE_NEXT PMK_BITS(15, 0)

static const struct pmk_microblaze_config *config_of(const struct pmk_dev *d)
{
	return pmk_microblaze_config_of(d->pmu);
}

static unsigned count_of(const struct pmk_dev *d)
{
	return (unsigned)config_of(d)->events + config_of(d)->latencies;
}

static bool is_latency(const struct pmk_dev *d, unsigned counter)
{
	return counter >= config_of(d)->events;
}

/* ---- sequences ------------------------------------------------------------------------------- */

static int write_command(struct pmk_dev *d, uint32_t bits)
{
	d->state[STATE_PLACE] = 0;
	return d->port.write(d->port.ctx, PMK_MICROBLAZE_PCCMDR, bits);
}

static unsigned next_of(const struct pmk_dev *d)
{
	return (unsigned)PMK_GET(d->state[STATE_PLACE], PLACE_NEXT);
}

/* Makes sure that the next access to `reg` reaches the item or counter at `index`, or one before
 * it. If the sequence has passed `index` or belongs to another register, Reset begins a new one. */
static int approach_item(struct pmk_dev *d, unsigned reg, unsigned index)
{
	int err;

	if (PMK_GET(d->state[STATE_PLACE], PLACE_REG) == reg + 1 && next_of(d) <= index)
		return PMK_OK;
	err = write_command(d, (uint32_t)PCCMDR_RESET);
	if (!err)
		d->state[STATE_PLACE] = (uint32_t)PMK_PUT(0, PLACE_REG, reg + 1);
	return err;
}

static int put_next(struct pmk_dev *d, unsigned reg, uint32_t value)
{
	uint32_t place = d->state[STATE_PLACE];
	int err;

	d->state[STATE_PLACE] = 0;
	err = d->port.write(d->port.ctx, reg, value);
	if (!err)
		d->state[STATE_PLACE] = place + 1;
	return err;
}

static int get_next(struct pmk_dev *d, unsigned reg, uint32_t *value)
{
	uint32_t place = d->state[STATE_PLACE];
	uint64_t v = 0;
	int err;

	d->state[STATE_PLACE] = 0;
	err = d->port.read(d->port.ctx, reg, &v);
	if (!err)
		d->state[STATE_PLACE] = place + 1;
	*value = (uint32_t)v;
	return err;
}

/* Reads the item or counter at `index`. It also reads those before it, and drops their values. */
static int get_at(struct pmk_dev *d, unsigned reg, unsigned index, uint32_t *value)
{
	int err = approach_item(d, reg, index);

	while (!err && next_of(d) <= index)
		err = get_next(d, reg, value);
	return err;
}

/* ---- events ---------------------------------------------------------------------------------- */

static uint32_t event_of(const struct pmk_dev *d, unsigned counter)
{
	return d->state[counter / 4] >> counter % 4 * 8 & 0xff;
}

static void remember_event(struct pmk_dev *d, unsigned counter, unsigned code)
{
	uint32_t *word = &d->state[counter / 4];

	*word = (*word & ~(UINT32_C(0xff) << counter % 4 * 8)) | code << counter % 4 * 8;
}

/* Writes the events of all counters up to `counter`. */
static int put_events(struct pmk_dev *d, unsigned counter)
{
	int err = approach_item(d, PMK_MICROBLAZE_PCCTRLR, counter);

	while (!err && next_of(d) <= counter)
		err = put_next(d, PMK_MICROBLAZE_PCCTRLR, event_of(d, next_of(d)));
	return err;
}

/*
 * Makes a counter count an event. Returns PMK_ENOEVENT if there is no such event, and PMK_EINVAL if
 * this is a latency counter and the event has no latency.
 */
static int microblaze_program(struct pmk_dev *d, unsigned counter, unsigned code)
{
	if (counter >= count_of(d))
		return PMK_EINVAL;
	if (code >= PMK_MICROBLAZE_NEVENTS)
		return PMK_ENOEVENT;
	if (is_latency(d, counter) && code < PMK_MICROBLAZE_FIRST_LATENCY)
		return PMK_EINVAL;
	remember_event(d, counter, code);
	return put_events(d, counter);
}

/* ---- commands -------------------------------------------------------------------------------- */

static int microblaze_start(struct pmk_dev *d)
{
	int err = write_command(d, (uint32_t)PCCMDR_START);

	if (!err)
		d->state[STATE_RUNNING] = 1;
	return err;
}

static int microblaze_stop(struct pmk_dev *d)
{
	int err = write_command(d, (uint32_t)PCCMDR_STOP);

	if (!err)
		d->state[STATE_RUNNING] = 0;
	return err;
}

static int microblaze_running(struct pmk_dev *d, bool *yes)
{
	*yes = d->state[STATE_RUNNING] != 0;
	return PMK_OK;
}

static int microblaze_sample(struct pmk_dev *d)
{
	return write_command(d, (uint32_t)PCCMDR_SAMPLE);
}

static int microblaze_zero(struct pmk_dev *d)
{
	return write_command(d, (uint32_t)PCCMDR_CLEAR);
}

static int microblaze_reset(struct pmk_dev *d)
{
	int err = microblaze_stop(d);

	if (!err)
		err = microblaze_zero(d);
	if (!err)
		err = microblaze_sample(d);
	if (err)
		return err;
	for (unsigned i = 0; i < count_of(d); i++)
		remember_event(d, i, is_latency(d, i) ? IDLE_LATENCY : IDLE_EVENT);
	return put_events(d, count_of(d) - 1);
}

/* ---- values ---------------------------------------------------------------------------------- */

static uint64_t range_of(const struct pmk_dev *d)
{
	if (config_of(d)->width == 32)
		return PMK_BITS(31, 0);
	return config_of(d)->width == 48 ? PMK_BITS(47, 0) : PMK_BITS(63, 0);
}

static unsigned first_item(const struct pmk_dev *d, unsigned counter)
{
	const struct pmk_microblaze_config *c = config_of(d);
	unsigned events = counter < c->events ? counter : c->events;
	unsigned item = events * pmk_microblaze_items(c, 0);

	if (counter > events)
		item += (counter - events) * pmk_microblaze_items(c, c->events);
	return item;
}

/* Reads the first `n` items of a counter. */
static int get_items(struct pmk_dev *d, unsigned counter, unsigned n, uint32_t *item)
{
	unsigned first = first_item(d, counter);
	int err = PMK_OK;

	for (unsigned i = 0; !err && i < n; i++)
		err = get_at(d, PMK_MICROBLAZE_PCDRR, first + i, &item[i]);
	return err;
}

static uint64_t wide_value(const struct pmk_dev *d, uint32_t high, uint32_t low)
{
	return ((uint64_t)high << 32 | low) & range_of(d);
}

/* Reads a counter. The value of a latency counter is the number of occurrences that it measured. */
static int read_counter(struct pmk_dev *d, unsigned counter, uint64_t *value)
{
	uint32_t item[2];
	unsigned n;
	int err;

	if (counter >= count_of(d))
		return PMK_EINVAL;
	n = is_latency(d, counter) ? 1 : pmk_microblaze_items(config_of(d), counter);
	err = get_items(d, counter, n, item);
	if (!err)
		*value = n == 1 ? item[0] : wide_value(d, item[0], item[1]);
	return err;
}

static int read_latency32(struct pmk_dev *d, unsigned counter, struct pmk_latency *l)
{
	uint32_t item[PMK_MICROBLAZE_ITEMS32];
	int err = get_items(d, counter, PMK_MICROBLAZE_ITEMS32, item);

	if (err)
		return err;
	*l = (struct pmk_latency){
		.n = item[PMK_MICROBLAZE_ITEM32_N],
		.sum = item[PMK_MICROBLAZE_ITEM32_SUM],
		.sum2 = item[PMK_MICROBLAZE_ITEM32_SUM2],
		.min = PMK_GET(item[PMK_MICROBLAZE_ITEM32_EXTREMES], EXTREMES_MIN),
		.max = PMK_GET(item[PMK_MICROBLAZE_ITEM32_EXTREMES], EXTREMES_MAX),
	};
	return PMK_OK;
}

static int read_latency64(struct pmk_dev *d, unsigned counter, struct pmk_latency *l)
{
	uint32_t item[PMK_MICROBLAZE_ITEMS64];
	int err = get_items(d, counter, PMK_MICROBLAZE_ITEMS64, item);

	if (err)
		return err;
	*l = (struct pmk_latency){
		.n = item[PMK_MICROBLAZE_ITEM64_N],
		.sum = wide_value(d, item[PMK_MICROBLAZE_ITEM64_SUM_HIGH],
				  item[PMK_MICROBLAZE_ITEM64_SUM_LOW]),
		.sum2 = wide_value(d, item[PMK_MICROBLAZE_ITEM64_SUM2_HIGH],
				   item[PMK_MICROBLAZE_ITEM64_SUM2_LOW]),
		.min = item[PMK_MICROBLAZE_ITEM64_MIN],
		.max = item[PMK_MICROBLAZE_ITEM64_MAX],
	};
	return PMK_OK;
}

/* Gets the values of a latency counter. The manual does not say which extremes it has before the
 * first occurrence. */
static int microblaze_latency(struct pmk_dev *d, unsigned counter, struct pmk_latency *l)
{
	int err;

	if (counter >= count_of(d) || !is_latency(d, counter))
		return PMK_EINVAL;
	if (config_of(d)->width == 32)
		err = read_latency32(d, counter, l);
	else
		err = read_latency64(d, counter, l);
	if (!err && !l->n) {
		l->min = UINT64_MAX;
		l->max = 0;
	}
	return err;
}

static int microblaze_status(struct pmk_dev *d, unsigned counter, unsigned *bits)
{
	uint32_t v = 0;
	int err;

	if (counter >= count_of(d))
		return PMK_EINVAL;
	err = get_at(d, PMK_MICROBLAZE_PCSR, counter, &v);
	if (err)
		return err;
	*bits = (v & PCSR_OVERFLOW ? PMK_STATUS_OVERFLOW : 0) |
		(v & PCSR_FULL ? PMK_STATUS_FULL : 0);
	return PMK_OK;
}

/* ---- presets --------------------------------------------------------------------------------- */

/* Reads the values of all counters before `counter`, so that they can be written back. */
static int get_before(struct pmk_dev *d, unsigned counter, uint32_t *item)
{
	int err = counter ? microblaze_sample(d) : PMK_OK;

	for (unsigned i = 0; !err && i < first_item(d, counter); i++)
		err = get_at(d, PMK_MICROBLAZE_PCDRR, i, &item[i]);
	return err;
}

/*
 * Returns PMK_EBUSY if the counters run, PMK_ERANGE if the counter cannot hold the value, and
 * PMK_ENOTSUP for a latency counter, which has no single value. Takes a sample, except for the
 * first counter.
 */
static int write_counter(struct pmk_dev *d, unsigned counter, uint64_t value)
{
	uint32_t item[2 * PMK_MICROBLAZE_MAX_EVENTS];
	unsigned n;
	int err;

	if (counter >= count_of(d))
		return PMK_EINVAL;
	if (is_latency(d, counter))
		return PMK_ENOTSUP;
	if (value > range_of(d))
		return PMK_ERANGE;
	if (d->state[STATE_RUNNING])
		return PMK_EBUSY;
	err = get_before(d, counter, item);
	n = first_item(d, counter);
	if (pmk_microblaze_items(config_of(d), counter) == 2)
		item[n++] = (uint32_t)(value >> 32);
	item[n++] = (uint32_t)value;
	if (!err)
		err = write_command(d, (uint32_t)PCCMDR_RESET);
	for (unsigned i = 0; !err && i < n; i++)
		err = d->port.write(d->port.ctx, PMK_MICROBLAZE_PCDWR, item[i]);
	return err;
}

const struct pmk_driver pmk_microblaze_driver = {
	.reset = microblaze_reset,
	.program = microblaze_program,
	.start = microblaze_start,
	.stop = microblaze_stop,
	.read = read_counter,
	.write = write_counter,
	.irq_enable = pmk_no_flags_irq_enable,
	.pending = pmk_no_flags_pending,
	.clear = pmk_no_flags_clear,
	.running = microblaze_running,
	.sample = microblaze_sample,
	.latency = microblaze_latency,
	.status = microblaze_status,
	.zero = microblaze_zero,
};
