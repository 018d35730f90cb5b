// SPDX-License-Identifier: MIT
/*
 * Drivers of the L210's event monitor and of the L220's event counters. Freestanding: no libc, no
 * heap, no division.
 *
 * Quirks of this hardware, and how the driver handles them:
 *  - L210: the order of the bits in EMMC [11:8], which set counters to zero, is not published, and
 *    the masks of one vendor have the opposite order. So reset() writes all four bits. A single
 *    counter cannot be written, so write() is not supported.
 *  - L210: vendors have added bits of their own to EMMC (trigger levels, pulse lengths). The driver
 *    does not change these bits.
 *  - L220: both counters share one status bit, so the driver has no flags to report
 *    (pmk_pmu.no_flags). A counter stops at 2^32 - 1, so the caller must read it and set it back in
 *    time (pmk_counter.saturates).
 *  - L220: the registers of counter 1 come first.
 *
 * The driver keeps nothing in pmk_dev.state. It reads its state from the registers, even if other
 * software writes them.
 */
#include "pmu/access.h"
#include "pmu/l2cc/regs.h"
#include "pmu/no_flags.h"

static int is_enabled(struct pmk_dev *d, unsigned reg, uint64_t bit, bool *yes)
{
	uint32_t v;
	int err = pmk_dev_get32(d, reg, &v);

	*yes = (v & bit) != 0;
	return err;
}

/* ---- L210 ------------------------------------------------------------------------------------ */

static int l210_stop(struct pmk_dev *d)
{
	return pmk_dev_update(d, PMK_L210_EMMC, EMMC_ENABLE | EMMC_RESET, 0);
}

static int l210_start(struct pmk_dev *d)
{
	return pmk_dev_update(d, PMK_L210_EMMC, EMMC_RESET, EMMC_ENABLE);
}

static int l210_reset(struct pmk_dev *d)
{
	int err = l210_stop(d);

	for (unsigned c = 0; !err && c < PMK_L210_NCTRS; c++)
		err = pmk_dev_put(d, PMK_L210_EMCC0 + c, 0);
	if (!err)
		err = pmk_dev_update(d, PMK_L210_EMMC, 0, EMMC_RESET);
	return err ? err : pmk_dev_put(d, PMK_L210_EMCS, EMCS_FLAGS);
}

static int l210_program(struct pmk_dev *d, unsigned counter, unsigned code)
{
	if (counter >= PMK_L210_NCTRS)
		return PMK_EINVAL;
	if (!pmk_pmu_event_code(d->pmu, code))
		return PMK_ENOEVENT;
	return pmk_dev_update(d, PMK_L210_EMCC0 + counter, EMCC_EVENT, code * PMK_LSB(EMCC_EVENT));
}

static int l210_read(struct pmk_dev *d, unsigned counter, uint64_t *value)
{
	return counter < PMK_L210_NCTRS ? pmk_dev_get(d, PMK_L210_EMC0 + counter, value)
					: PMK_EINVAL;
}

static int l210_write(struct pmk_dev *d, unsigned counter, uint64_t value)
{
	(void)d;
	(void)value;
	return counter < PMK_L210_NCTRS ? PMK_ENOTSUP : PMK_EINVAL;
}

static int l210_irq_enable(struct pmk_dev *d, uint32_t counters)
{
	int err = 0;

	if (counters & ~(uint32_t)EMCS_FLAGS)
		return PMK_EINVAL;
	for (unsigned c = 0; !err && c < PMK_L210_NCTRS; c++)
		err = pmk_dev_update(d, PMK_L210_EMCC0 + c, EMCC_EVERY | EMCC_IRQ,
				     counters >> c & 1 ? EMCC_IRQ : 0);
	return err;
}

static int l210_pending(struct pmk_dev *d, uint32_t *counters)
{
	int err = pmk_dev_get32(d, PMK_L210_EMCS, counters);

	*counters &= EMCS_FLAGS;
	return err;
}

static int l210_clear(struct pmk_dev *d, uint32_t counters)
{
	return pmk_dev_put(d, PMK_L210_EMCS, counters & EMCS_FLAGS);
}

static int l210_running(struct pmk_dev *d, bool *yes)
{
	return is_enabled(d, PMK_L210_EMMC, EMMC_ENABLE, yes);
}

const struct pmk_driver pmk_l210_driver = {
	.reset = l210_reset,
	.program = l210_program,
	.start = l210_start,
	.stop = l210_stop,
	.read = l210_read,
	.write = l210_write,
	.irq_enable = l210_irq_enable,
	.pending = l210_pending,
	.clear = l210_clear,
	.running = l210_running,
};

/* ---- L220 ------------------------------------------------------------------------------------ */

static unsigned config_of(unsigned counter)
{
	return counter ? PMK_L220_CONFIG1 : PMK_L220_CONFIG0;
}

static unsigned value_of(unsigned counter)
{
	return counter ? PMK_L220_COUNTER1 : PMK_L220_COUNTER0;
}

static int l220_stop(struct pmk_dev *d)
{
	return pmk_dev_put(d, PMK_L220_CONTROL, 0);
}

static int l220_start(struct pmk_dev *d)
{
	return pmk_dev_put(d, PMK_L220_CONTROL, ECC_ENABLE);
}

static int l220_reset(struct pmk_dev *d)
{
	int err = pmk_dev_put(d, PMK_L220_CONTROL, ECC_RESET1 | ECC_RESET0);

	if (!err)
		err = pmk_dev_put(d, PMK_L220_CONFIG0, 0);
	if (!err)
		err = pmk_dev_put(d, PMK_L220_CONFIG1, 0);
	if (!err)
		err = pmk_dev_update(d, PMK_L220_INT_MASK, INT_ECNTR, 0);
	return err ? err : pmk_dev_put(d, PMK_L220_INT_CLEAR, INT_ECNTR);
}

static int l220_program(struct pmk_dev *d, unsigned counter, unsigned code)
{
	if (counter >= PMK_L220_NCTRS)
		return PMK_EINVAL;
	if (!pmk_pmu_event_code(d->pmu, code))
		return PMK_ENOEVENT;
	return pmk_dev_update(d, config_of(counter), ECF_EVENT, code * PMK_LSB(ECF_EVENT));
}

static int l220_read(struct pmk_dev *d, unsigned counter, uint64_t *value)
{
	return counter < PMK_L220_NCTRS ? pmk_dev_get(d, value_of(counter), value) : PMK_EINVAL;
}

/* Writes a counter. It stops the counters for this, because no source says that a running counter
 * accepts a value. */
static int l220_write(struct pmk_dev *d, unsigned counter, uint64_t value)
{
	uint32_t control;
	int err;

	if (counter >= PMK_L220_NCTRS)
		return PMK_EINVAL;
	err = pmk_dev_get32(d, PMK_L220_CONTROL, &control);
	if (!err && (control & ECC_ENABLE))
		err = pmk_dev_put(d, PMK_L220_CONTROL, 0);
	if (!err)
		err = pmk_dev_put(d, value_of(counter), (uint32_t)value);
	if (!err && (control & ECC_ENABLE))
		err = pmk_dev_put(d, PMK_L220_CONTROL, ECC_ENABLE);
	return err;
}

static int l220_irq_enable(struct pmk_dev *d, uint32_t counters)
{
	int err = 0;

	if (counters >> PMK_L220_NCTRS)
		return PMK_EINVAL;
	for (unsigned c = 0; !err && c < PMK_L220_NCTRS; c++)
		err = pmk_dev_update(d, config_of(c), ECF_IRQ,
				     counters >> c & 1 ? ECF_IRQ_OVERFLOW : 0);
	return err ? err
		   : pmk_dev_update(d, PMK_L220_INT_MASK, INT_ECNTR, counters ? INT_ECNTR : 0);
}

/* Clears the interrupt. The counters keep their values. */
static int l220_clear(struct pmk_dev *d, uint32_t counters)
{
	if (counters >> PMK_L220_NCTRS)
		return PMK_EINVAL;
	return counters ? pmk_dev_put(d, PMK_L220_INT_CLEAR, INT_ECNTR) : PMK_OK;
}

static int l220_running(struct pmk_dev *d, bool *yes)
{
	return is_enabled(d, PMK_L220_CONTROL, ECC_ENABLE, yes);
}

const struct pmk_driver pmk_l220_driver = {
	.reset = l220_reset,
	.program = l220_program,
	.start = l220_start,
	.stop = l220_stop,
	.read = l220_read,
	.write = l220_write,
	.irq_enable = l220_irq_enable,
	/* one status bit belongs to both counters, so the driver cannot say which of them
	 * overflowed */
	.pending = pmk_no_flags_pending,
	.clear = l220_clear,
	.running = l220_running,
};
