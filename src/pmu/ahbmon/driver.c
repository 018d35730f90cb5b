// SPDX-License-Identifier: MIT
/*
 * AHB Monitor driver. Freestanding: no libc, no heap, no division.
 *
 * Quirks of this hardware, and how the driver handles them:
 *  - The positions of registers and control bits are not public, so the driver takes them from the
 *    layout of the given PMU (struct pmk_pmu.family). It does not change bits of AHBMONCtrlReg that
 *    the layout does not name.
 *  - Each counter has a fixed event, so program() only checks that this is the requested event.
 *  - Counters cannot be preloaded and have neither flags nor interrupts (DDI 0287B mentions none).
 *    So write(), irq_enable() and clear() return PMK_ENOTSUP for every counter.
 *  - One write to AHBMONRstCtrs resets all counters, even while they count (§4.2.2). The driver's
 *    reset() stops them first. Neither changes the settings of pmk_ahbmon_configure().
 *  - CtTotalCycles counts from the hardware reset on (Table 4-13). reset(), start() and stop() do
 *    not affect it.
 *  - Counters cannot be latched together. To get a coherent set of values, read after stop().
 *
 * The driver keeps nothing in pmk_dev.state. It reads its state from the registers, even if other
 * software writes them.
 */
#include "pmu/access.h"
#include "pmu/ahbmon/regs.h"
#include "pmu/no_flags.h"

/* Any value can be written to AHBMONRstCtrs and AHBMONPrstCtrs (§4.3.27-28). */
#define ANY 1

static const struct pmk_ahbmon_layout *layout_of(const struct pmk_dev *d)
{
	return pmk_ahbmon_layout_of(d->pmu);
}

static int ahbmon_start(struct pmk_dev *d)
{
	return pmk_dev_update(d, PMK_AHBMON_CTRLREG, 0, layout_of(d)->enable);
}

static int ahbmon_stop(struct pmk_dev *d)
{
	return pmk_dev_update(d, PMK_AHBMON_CTRLREG, layout_of(d)->enable, 0);
}

static int ahbmon_reset(struct pmk_dev *d)
{
	int err = ahbmon_stop(d);

	if (err)
		return err;
	return pmk_dev_put(d, PMK_AHBMON_RSTCTRS, ANY);
}

/* Returns PMK_ENOEVENT if there is no such event, and PMK_ENOCTR if the counter counts another
 * event. */
static int ahbmon_program(struct pmk_dev *d, unsigned counter, unsigned code)
{
	(void)d;
	if (counter >= PMK_AHBMON_NCTRS)
		return PMK_EINVAL;
	if (code >= PMK_AHBMON_NCTRS)
		return PMK_ENOEVENT;
	return code == counter ? PMK_OK : PMK_ENOCTR;
}

static int read_counter(struct pmk_dev *d, unsigned counter, uint64_t *value)
{
	uint32_t v;
	int err;

	if (counter >= PMK_AHBMON_NCTRS)
		return PMK_EINVAL;
	err = pmk_dev_get32(d, counter, &v);
	if (!err)
		*value = v;
	return err;
}

static int write_counter(struct pmk_dev *d, unsigned counter, uint64_t value)
{
	(void)d;
	(void)value;
	return counter >= PMK_AHBMON_NCTRS ? PMK_EINVAL : PMK_ENOTSUP;
}

static int ahbmon_running(struct pmk_dev *d, bool *yes)
{
	uint32_t ctrl;
	int err = pmk_dev_get32(d, PMK_AHBMON_CTRLREG, &ctrl);

	*yes = !err && (ctrl & layout_of(d)->enable);
	return err;
}

const struct pmk_driver pmk_ahbmon_driver = {
	.reset = ahbmon_reset,
	.program = ahbmon_program,
	.start = ahbmon_start,
	.stop = ahbmon_stop,
	.read = read_counter,
	.write = write_counter,
	.irq_enable = pmk_no_flags_irq_enable,
	.pending = pmk_no_flags_pending,
	.clear = pmk_no_flags_clear,
	.running = ahbmon_running,
};

static bool has_register(const struct pmk_ahbmon_layout *layout, unsigned reg)
{
	return layout->offset[reg] != PMK_MMIO_NONE;
}

static int check_config(const struct pmk_ahbmon_layout *layout,
			const struct pmk_ahbmon_config *config)
{
	if (config->page >= PMK_AHBMON_NPAGES)
		return PMK_EINVAL;
	if (config->castout4_aligned && !layout->castout4_aligned)
		return PMK_ENOTSUP;
	for (unsigned i = 0; i < PMK_AHBMON_NTHRESHOLDS; i++) {
		if (!has_register(layout, PMK_AHBMON_THRESHOLD0 + i) && config->threshold[i])
			return PMK_ENOTSUP;
		if (config->threshold[i] & ~layout->threshold)
			return PMK_ERANGE;
	}
	return PMK_OK;
}

int pmk_ahbmon_configure(struct pmk_dev *d, const struct pmk_ahbmon_config *config)
{
	const struct pmk_ahbmon_layout *layout = layout_of(d);
	uint32_t ctrl = 0, set = 0;
	int err = check_config(layout, config);

	if (!err)
		err = pmk_dev_get32(d, PMK_AHBMON_CTRLREG, &ctrl);
	if (!err && (ctrl & layout->enable))
		err = PMK_EBUSY;
	for (unsigned i = 0; !err && i < PMK_AHBMON_NTHRESHOLDS; i++)
		if (has_register(layout, PMK_AHBMON_THRESHOLD0 + i))
			err = pmk_dev_put(d, PMK_AHBMON_THRESHOLD0 + i, config->threshold[i]);
	if (!err)
		err = pmk_dev_put(d, PMK_AHBMON_GXIPAGESIZE,
				  config->page); /* bits [31:2] must be written as 0 */
	if (err)
		return err;
	if (config->track_dbgack)
		set |= layout->track_dbgack;
	if (config->castout4_aligned)
		set |= layout->castout4_aligned;
	ctrl &= ~(layout->track_dbgack | layout->castout4_aligned);
	return pmk_dev_put(d, PMK_AHBMON_CTRLREG, ctrl | set);
}

int pmk_ahbmon_probe(struct pmk_dev *d, uint32_t base, unsigned *agree)
{
	const struct pmk_ahbmon_layout *layout = layout_of(d);
	unsigned asked = 0;
	int err = pmk_dev_put(d, PMK_AHBMON_PRSTCTRS, ANY);

	*agree = 0;
	for (unsigned ctr = 0; !err && ctr < PMK_AHBMON_NCTRS; ctr++) {
		uint32_t value;

		if (ctr == PMK_AHBMON_TOTAL_CYCLES)
			continue;
		err = pmk_dev_get32(d, ctr, &value);
		asked++;
		if (!err && value == base + layout->offset[ctr])
			++*agree;
	}
	if (!err)
		err = ahbmon_reset(d);
	if (err)
		return err;
	if (*agree == asked)
		return PMK_OK;
	return *agree ? PMK_EBADREG : PMK_ENOTSUP;
}
