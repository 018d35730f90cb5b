// SPDX-License-Identifier: MIT
/*
 * Driver of RISC-V's counters, from M-mode. Freestanding: no libc, no heap, no division.
 *
 * Quirks of this hardware, and how the driver handles them:
 *  - On RV32 a counter consists of two registers, and the lower one may wrap between two accesses.
 *    The comments of read_counter() and write_counter() explain how the driver handles this.
 *  - A hart counts from its reset on, so reset() first stops all counters. start() and stop() write
 *    mcountinhibit. This register is optional (PRIV). On a hart without it, the counters cannot be
 *    stopped: an access to the register is an illegal instruction, and the port returns PMK_EUNDEF.
 *  - No flag shows that a counter has wrapped. Counters of 64 bits do not wrap in practice.
 *  - mcounteren says what software below M-mode may read. This driver does not change it.
 *
 * The driver keeps nothing in pmk_dev.state. It reads its state from the registers, even if other
 * software writes them.
 */
#include "pmu/access.h"
#include "pmu/riscv/regs.h"
#include "pmu/no_flags.h"

uint32_t pmk_riscv_selector(unsigned code)
{
	uint32_t class = PMK_GET(code, CODE_CLASS), bit = PMK_GET(code, CODE_BIT);

	if (class >= NCLASSES || bit > 25 || bit < 8)
		return 0;
	return UINT32_C(1) << bit | class;
}

static int riscv_start(struct pmk_dev *d)
{
	return pmk_dev_update(d, PMK_RISCV_MCOUNTINHIBIT, COUNTERS_ALL, 0);
}

static int riscv_stop(struct pmk_dev *d)
{
	return pmk_dev_update(d, PMK_RISCV_MCOUNTINHIBIT, 0, COUNTERS_ALL);
}

/*
 * Makes a counter count an event. One register selects the event, also on RV32, because mhpmevent
 * is as wide as the hart's registers.
 */
static int riscv_program(struct pmk_dev *d, unsigned counter, unsigned code)
{
	uint32_t selector = pmk_riscv_selector(code);

	if (counter >= PMK_RISCV_NCTRS)
		return PMK_EINVAL;
	if (!pmk_pmu_event_code(d->pmu, code))
		return PMK_ENOEVENT;
	if (counter < PMK_RISCV_CTR_HPM3)
		return code == (unsigned)d->pmu->counters[counter].fixed_code ? PMK_OK : PMK_ENOCTR;
	if (!selector)
		return PMK_ENOCTR; /* cycles and instructions have counters of their own */
	return pmk_dev_put(d, PMK_RISCV_MHPMEVENT3 + counter - PMK_RISCV_CTR_HPM3, selector);
}

/*
 * Reads a counter. On RV32, the upper half is read before and after the lower half. If the two
 * readings differ, the lower half has wrapped in between and is read again. It cannot wrap a second
 * time so soon, because that takes 2^32 counts.
 */
static int read_counter(struct pmk_dev *d, unsigned counter, uint64_t *value)
{
	uint64_t first, high, low;
	int err;

	if (counter >= PMK_RISCV_NCTRS)
		return PMK_EINVAL;
	if (!pmk_riscv_is32(d->pmu))
		return pmk_dev_get(d, PMK_RISCV_MCYCLE + counter, value);
	err = pmk_dev_get(d, PMK_RISCV_MCYCLEH + counter, &first);
	if (!err)
		err = pmk_dev_get(d, PMK_RISCV_MCYCLE + counter, &low);
	if (!err)
		err = pmk_dev_get(d, PMK_RISCV_MCYCLEH + counter, &high);
	if (!err && high != first)
		err = pmk_dev_get(d, PMK_RISCV_MCYCLE + counter, &low);
	if (!err)
		*value = high << 32 | low;
	return err;
}

/* Writes a counter. On RV32, the lower half is set to 0 first, so that it does not carry into the
 * upper half that is written next. */
static int write_counter(struct pmk_dev *d, unsigned counter, uint64_t value)
{
	int err;

	if (counter >= PMK_RISCV_NCTRS)
		return PMK_EINVAL;
	if (!pmk_riscv_is32(d->pmu))
		return pmk_dev_put(d, PMK_RISCV_MCYCLE + counter, value);
	err = pmk_dev_put(d, PMK_RISCV_MCYCLE + counter, 0);
	if (!err)
		err = pmk_dev_put(d, PMK_RISCV_MCYCLEH + counter, value >> 32);
	if (!err)
		err = pmk_dev_put(d, PMK_RISCV_MCYCLE + counter, value & UINT32_MAX);
	return err;
}

/* Resets the PMU. If this mode may not access it, the first access fails. */
static int riscv_reset(struct pmk_dev *d)
{
	int err = riscv_stop(d);

	for (unsigned i = PMK_RISCV_CTR_HPM3; !err && i < PMK_RISCV_NCTRS; i++)
		err = pmk_dev_put(d, PMK_RISCV_MHPMEVENT3 + i - PMK_RISCV_CTR_HPM3, 0);
	for (unsigned i = 0; !err && i < PMK_RISCV_NCTRS; i++)
		err = write_counter(d, i, 0);
	return err;
}

static int riscv_running(struct pmk_dev *d, bool *yes)
{
	uint64_t inhibit;
	int err = pmk_dev_get(d, PMK_RISCV_MCOUNTINHIBIT, &inhibit);

	*yes = !err && (~inhibit & COUNTERS_ALL);
	return err;
}

const struct pmk_driver pmk_riscv_driver = {
	.reset = riscv_reset,
	.program = riscv_program,
	.start = riscv_start,
	.stop = riscv_stop,
	.read = read_counter,
	.write = write_counter,
	.irq_enable = pmk_no_flags_irq_enable,
	.pending = pmk_no_flags_pending,
	.clear = pmk_no_flags_clear,
	.running = riscv_running,
};
