// SPDX-License-Identifier: MIT
/*
 * Driver of the DWT's counters. Freestanding: no libc, no heap, no division.
 *
 * Quirks of this hardware, and how the driver handles them:
 *  - DEMCR.TRCENA enables the whole DWT. reset() sets it and the driver never clears it, because
 *    trace tools share it.
 *  - The DWT may have a lock and then ignores all writes (Cortex-M7). reset() reads LSR and opens
 *    the lock.
 *  - Setting the enable of an 8-bit counter clears the counter. start() reads the counter before
 *    and writes it back afterwards. Events in the cycles between these accesses are lost when
 *    counting continues after a stop.
 *  - A counter of 8 bits wraps after 256 counts, and no flag shows it. No counter counts twice in a
 *    cycle, so it cannot have wrapped if fewer than 256 cycles have passed. sample() therefore
 *    reads CYCCNT before and after the other counters, and compares it with its value at the sample
 *    before. For this, CYCCNT always runs, even if the caller does not count cycles.
 *  - The other bits of DWT_CTRL belong to trace tools and stay as they are.
 */
#include "pmu/access.h"
#include "pmu/dwt/regs.h"
#include "pmu/no_flags.h"

/* Words of pmk_dev.state. */
enum {
	STATE_USED,   /* bits of the counters for which program() was called */
	STATE_ABSENT, /* bits of the counters that this hardware lacks */
	STATE_BEFORE, /* value of CYCCNT at the start of the last sample, or of counting */
	STATE_BEGUN,  /* true if STATE_BEFORE is valid */
	STATE_MISSED, /* true if an 8-bit counter may have wrapped between the last two samples */
	STATE_COUNT,  /* first of the words with the values of the counters in the last sample */
};

#define PROFILING_COUNTERS PMK_BITS(PMK_DWT_CTR_FOLD, PMK_DWT_CTR_CPI)

static bool is_absent(const struct pmk_dev *d, unsigned counter)
{
	return d->state[STATE_ABSENT] >> counter & 1;
}

/* Returns the enable bits of the counters in use and of CYCCNT. */
static uint32_t dwt_enables(const struct pmk_dev *d)
{
	uint32_t bits = 0;

	for (unsigned i = 0; i < PMK_DWT_NCTRS; i++)
		if ((i == PMK_DWT_CTR_CYC || (d->state[STATE_USED] >> i & 1)) && !is_absent(d, i))
			bits |= pmk_dwt_enable(i);
	return bits;
}

static int dwt_unlock(const struct pmk_dev *d)
{
	uint32_t lsr;
	int err = pmk_dev_get32(d, PMK_DWT_LSR, &lsr);

	if (err || (lsr & (LSR_SLI | LSR_SLK)) != (LSR_SLI | LSR_SLK))
		return err;
	return pmk_dev_put(d, PMK_DWT_LAR, LAR_KEY);
}

static uint32_t find_absent(uint32_t ctrl)
{
	return (ctrl & CTRL_NOCYCCNT ? 1u << PMK_DWT_CTR_CYC : 0) |
	       (ctrl & CTRL_NOPRFCNT ? (uint32_t)PROFILING_COUNTERS : 0);
}

/* Resets the counters. Returns PMK_ENOPMU if DWT_CTRL shows that there is no counter at all. */
static int dwt_reset(struct pmk_dev *d)
{
	const uint32_t all = CTRL_PROFILING | CTRL_CYCCNTENA;
	uint32_t ctrl;
	int err = pmk_dev_update(d, PMK_DWT_DEMCR, 0, DEMCR_TRCENA);

	if (!err)
		err = dwt_unlock(d);
	if (!err)
		err = pmk_dev_get32(d, PMK_DWT_CTRL, &ctrl);
	if (err)
		return err;
	for (unsigned i = 0; i < STATE_COUNT + PMK_DWT_NCTRS; i++)
		d->state[i] = 0;
	d->state[STATE_ABSENT] = find_absent(ctrl);
	if (d->state[STATE_ABSENT] == (uint32_t)PMK_BITS(PMK_DWT_NCTRS - 1, 0))
		return PMK_ENOPMU;
	err = pmk_dev_put(d, PMK_DWT_CTRL, ctrl & ~all);
	for (unsigned i = 0; !err && i < PMK_DWT_NCTRS; i++)
		if (!is_absent(d, i))
			err = pmk_dev_put(d, PMK_DWT_CYCCNT + i, 0);
	return err;
}

/* Returns PMK_ENOTSUP if NOCYCCNT or NOPRFCNT shows that this hardware lacks the counter. */
static int dwt_program(struct pmk_dev *d, unsigned counter, unsigned code)
{
	if (counter >= PMK_DWT_NCTRS)
		return PMK_EINVAL;
	if (!pmk_pmu_event_code(d->pmu, code))
		return PMK_ENOEVENT;
	if (code != (unsigned)d->pmu->counters[counter].fixed_code)
		return PMK_ENOCTR;
	if (is_absent(d, counter))
		return PMK_ENOTSUP;
	d->state[STATE_USED] |= 1u << counter;
	return PMK_OK;
}

/* Reads CYCCNT, or stores 0 if this hardware lacks it. */
static int read_cycles(const struct pmk_dev *d, uint32_t *now)
{
	*now = 0;
	return is_absent(d, PMK_DWT_CTR_CYC) ? PMK_OK : pmk_dev_get32(d, PMK_DWT_CYCCNT, now);
}

static int dwt_start(struct pmk_dev *d)
{
	uint32_t kept[PMK_DWT_NCTRS] = { 0 }, ctrl, begins;
	int err = pmk_dev_get32(d, PMK_DWT_CTRL, &ctrl);

	begins = dwt_enables(d) & ~ctrl;
	for (unsigned i = PMK_DWT_CTR_CPI; !err && i < PMK_DWT_NCTRS; i++)
		if (begins & pmk_dwt_enable(i))
			err = pmk_dev_get32(d, PMK_DWT_CYCCNT + i, &kept[i]);
	if (!err && !d->state[STATE_BEGUN]) {
		err = read_cycles(d, &d->state[STATE_BEFORE]);
		d->state[STATE_BEGUN] = !err;
	}
	if (!err)
		err = pmk_dev_put(d, PMK_DWT_CTRL, ctrl | begins);
	for (unsigned i = PMK_DWT_CTR_CPI; !err && i < PMK_DWT_NCTRS; i++)
		if (kept[i])
			err = pmk_dev_put(d, PMK_DWT_CYCCNT + i, kept[i]);
	return err;
}

static int dwt_stop(struct pmk_dev *d)
{
	return pmk_dev_update(d, PMK_DWT_CTRL, dwt_enables(d), 0);
}

static int dwt_sample(struct pmk_dev *d)
{
	uint32_t *count = &d->state[STATE_COUNT], before, after;
	bool narrow = false;
	int err = read_cycles(d, &before);

	after = before;
	for (unsigned i = PMK_DWT_CTR_CPI; !err && i < PMK_DWT_NCTRS; i++) {
		if (!(d->state[STATE_USED] >> i & 1))
			continue;
		narrow = true;
		err = pmk_dev_get32(d, PMK_DWT_CYCCNT + i, &count[i]);
		count[i] &= (uint32_t)PROFILING_COUNT;
	}
	if (!err && narrow)
		err = read_cycles(d, &after);
	if (err)
		return err;
	count[PMK_DWT_CTR_CYC] = before;
	d->state[STATE_MISSED] =
		d->state[STATE_BEGUN] &&
		(after - d->state[STATE_BEFORE] > PROFILING_COUNT || is_absent(d, PMK_DWT_CTR_CYC));
	d->state[STATE_BEFORE] = before;
	d->state[STATE_BEGUN] = true;
	return PMK_OK;
}

/* Returns the counter's value from the last sample. */
static int read_counter(struct pmk_dev *d, unsigned counter, uint64_t *value)
{
	if (counter >= PMK_DWT_NCTRS)
		return PMK_EINVAL;
	*value = d->state[STATE_COUNT + counter];
	return PMK_OK;
}

/* Gets the status of a counter. OVERFLOW means that an 8-bit counter may have wrapped between the
 * last two samples. */
static int dwt_status(struct pmk_dev *d, unsigned counter, unsigned *bits)
{
	if (counter >= PMK_DWT_NCTRS)
		return PMK_EINVAL;
	*bits = counter != PMK_DWT_CTR_CYC && d->state[STATE_MISSED] ? PMK_STATUS_OVERFLOW : 0;
	return PMK_OK;
}

/* Writes a counter. Returns PMK_ERANGE if the value has more bits than the counter. After a write
 * to CYCCNT, the next sample measures time from the new value on. */
static int write_counter(struct pmk_dev *d, unsigned counter, uint64_t value)
{
	int err;

	if (counter >= PMK_DWT_NCTRS)
		return PMK_EINVAL;
	if (value >> d->pmu->counters[counter].width)
		return PMK_ERANGE;
	if (is_absent(d, counter))
		return PMK_ENOTSUP;
	err = pmk_dev_put(d, PMK_DWT_CYCCNT + counter, (uint32_t)value);
	if (!err && counter == PMK_DWT_CTR_CYC)
		d->state[STATE_BEFORE] = (uint32_t)value;
	return err;
}

static int dwt_running(struct pmk_dev *d, bool *yes)
{
	uint32_t demcr, ctrl = 0;
	int err = pmk_dev_get32(d, PMK_DWT_DEMCR, &demcr);

	if (!err && (demcr & DEMCR_TRCENA))
		err = pmk_dev_get32(d, PMK_DWT_CTRL, &ctrl);
	*yes = !err && (ctrl & (CTRL_PROFILING | CTRL_CYCCNTENA));
	return err;
}

/* Returns the reason why a counter does not move. If its enable cannot be set, there is no DWT:
 * QEMU has none. */
static int dwt_check_still(struct pmk_dev *d, unsigned counter)
{
	uint32_t enable = pmk_dwt_enable(counter), demcr, ctrl;
	int err = pmk_dev_get32(d, PMK_DWT_DEMCR, &demcr);

	if (!err)
		err = pmk_dev_get32(d, PMK_DWT_CTRL, &ctrl);
	if (err)
		return err;
	if ((demcr & DEMCR_TRCENA) && (ctrl & enable))
		return PMK_ESTILL;
	err = pmk_dev_put(d, PMK_DWT_DEMCR, demcr | DEMCR_TRCENA);
	if (!err)
		err = pmk_dev_put(d, PMK_DWT_CTRL, ctrl | enable);
	if (!err)
		err = pmk_dev_get32(d, PMK_DWT_CTRL, &ctrl);
	return err ? err : ctrl & enable ? PMK_EOFF : PMK_ENOPMU;
}

const struct pmk_driver pmk_dwt_driver = {
	.reset = dwt_reset,
	.program = dwt_program,
	.start = dwt_start,
	.stop = dwt_stop,
	.read = read_counter,
	.write = write_counter,
	.irq_enable = pmk_no_flags_irq_enable,
	.pending = pmk_no_flags_pending,
	.clear = pmk_no_flags_clear,
	.running = dwt_running,
	.sample = dwt_sample,
	.status = dwt_status,
	.still = dwt_check_still,
};
