// SPDX-License-Identifier: MIT
/*
 * ARM11 PMU driver. Freestanding: no libc, no heap, no division.
 *
 * Quirks of this hardware, and how the driver handles them:
 *  - One bit starts all counters, so a counter that is not in use counts, too. The driver selects
 *    ETMEXTOUT[0] for it, which stays 0 unless an ETM drives it. The MPCore has no such event, so
 *    there the counter advances.
 *  - Flags and configuration share a register, and writing a flag back as 1 clears it. So
 *    arm11_config() sets the flags to 0, which has no effect, in every value that is written back.
 *    It also sets C and P to 0, because their read value is unpredictable (DAI 0195B Table 1).
 *  - An asserted interrupt falls only by a flag write made with E = 1 (DAI 0195B §1). To clear
 *    flags of stopped counters, the driver must enable the counters for a moment: see
 *    clear_stopped().
 *  - Counting begins three cycles after E was set (DDI 0211, PMNC); start() waits for it.
 *  - CCNT is unpredictable after reset on the ARM1136 (DDI 0211K §3.3.40); reset() zeroes it.
 *
 * The driver reads its state from the registers, even if other software writes them. pmk_dev.state
 * has only the options of pmk_arm11_configure(). reset() writes D, X and the FIQ enables according
 * to these options; the other calls do not change them. So EVNTBUS export (X) is 0 unless the
 * caller asks for it, as DDI 0211 recommends without trace hardware.
 */
#include "pmu/access.h"
#include "pmu/arm11/regs.h"

/* Words of pmk_dev.state. */
enum { STATE_OPTIONS };

#define OPTIONS ((uint32_t)(PMNC_D | PMNC_X | PMNC_FIQS))

/* Returns the part of a PMNC value that can be written back without side effects. */
static uint32_t arm11_config(const struct pmk_dev *d, uint32_t pmnc)
{
	return pmnc & pmk_arm11_core(d->pmu)->config;
}

/* Changes configuration bits of PMNC, without clearing a flag or zeroing a counter. */
static int arm11_update(const struct pmk_dev *d, uint32_t clear, uint32_t set)
{
	uint32_t pmnc;
	int err = pmk_dev_get32(d, PMK_ARM11_PMNC, &pmnc);

	if (err)
		return err;
	return pmk_dev_put(d, PMK_ARM11_PMNC, (arm11_config(d, pmnc) & ~clear) | set);
}

static bool has_event(const struct pmk_pmu *pmu, unsigned code)
{
	for (unsigned i = 0; i < pmu->nevents; i++)
		if (pmu->events[i].code == code)
			return pmk_pmu_has(pmu, &pmu->events[i]);
	return false;
}

/*
 * Resets the PMU. The read comes first, so that a mode without access gets an error before anything
 * has changed. The first write has E set, because only such a write deasserts a pending interrupt.
 * The second write clears E, and sets the counters, which have counted in between, to zero again.
 */
static int arm11_reset(struct pmk_dev *d)
{
	uint32_t idle = pmk_arm11_core(d->pmu)->idle_event;
	uint32_t pmnc;
	int err = pmk_dev_get32(d, PMK_ARM11_PMNC, &pmnc);

	if (err)
		return err;
	pmnc = PMK_PUT(0, (uint32_t)PMNC_EVTCOUNT0, idle);
	pmnc = PMK_PUT(pmnc, (uint32_t)PMNC_EVTCOUNT1, idle) | PMNC_C | PMNC_P;
	pmnc |= d->state[STATE_OPTIONS];
	err = pmk_dev_put(d, PMK_ARM11_PMNC, pmnc | PMNC_FLAGS | PMNC_E);
	if (err)
		return err;
	return pmk_dev_put(d, PMK_ARM11_PMNC, pmnc);
}

/*
 * Makes a counter count an event. Returns PMK_ENOEVENT if this core has no such event. Returns
 * PMK_ENOCTR for CCNT if the event is not cpu_cycles, or if PMNC.D is set, because CCNT then does
 * not count every cycle.
 */
static int arm11_program(struct pmk_dev *d, unsigned counter, unsigned code)
{
	uint32_t event;

	if (counter >= PMK_ARM11_NCTRS)
		return PMK_EINVAL;
	if (!has_event(d->pmu, code))
		return PMK_ENOEVENT;
	event = pmk_arm11_counters[counter].event;
	if (!event)
		return code == PMK_ARM11_CPU_CYCLES && !(d->state[STATE_OPTIONS] & PMNC_D)
			       ? PMK_OK
			       : PMK_ENOCTR;
	return arm11_update(d, event, PMK_PUT(0, event, code));
}

static int arm11_start(struct pmk_dev *d)
{
	uint32_t pmnc;
	int err = pmk_dev_get32(d, PMK_ARM11_PMNC, &pmnc);

	/* If E is set, the counters run already, so there is no start delay. */
	if (err || (pmnc & PMNC_E))
		return err;
	err = pmk_dev_put(d, PMK_ARM11_PMNC, arm11_config(d, pmnc) | PMNC_E);
	if (!err && d->port.settle)
		d->port.settle(d->port.ctx, PMNC_START_DELAY);
	return err;
}

static int arm11_stop(struct pmk_dev *d)
{
	return arm11_update(d, PMNC_E, 0);
}

static int read_counter(struct pmk_dev *d, unsigned counter, uint64_t *value)
{
	if (counter >= PMK_ARM11_NCTRS)
		return PMK_EINVAL;
	return pmk_dev_get(d, pmk_arm11_counters[counter].reg, value);
}

/* Returns PMK_ERANGE if the value has more than 32 bits. */
static int write_counter(struct pmk_dev *d, unsigned counter, uint64_t value)
{
	if (counter >= PMK_ARM11_NCTRS)
		return PMK_EINVAL;
	if (value > UINT32_MAX)
		return PMK_ERANGE;
	return pmk_dev_put(d, pmk_arm11_counters[counter].reg, (uint32_t)value);
}

static int irq_enable(struct pmk_dev *d, uint32_t counters)
{
	uint32_t set = 0;

	if (counters >> PMK_ARM11_NCTRS)
		return PMK_EINVAL;
	for (unsigned i = 0; i < PMK_ARM11_NCTRS; i++)
		if (counters >> i & 1)
			set |= pmk_arm11_counters[i].irq;
	return arm11_update(d, PMNC_IRQS, set);
}

int pmk_arm11_configure(struct pmk_dev *d, uint32_t options)
{
	uint32_t has = pmk_arm11_core(d->pmu)->config & OPTIONS;
	int err;

	if (options & ~OPTIONS)
		return PMK_EINVAL;
	if (options & ~has)
		return PMK_ENOTSUP;
	err = arm11_update(d, has, options);
	if (!err)
		d->state[STATE_OPTIONS] = options;
	return err;
}

static int put_counters(const struct pmk_dev *d, const uint32_t value[PMK_ARM11_NCTRS])
{
	int err = 0;

	for (unsigned i = 0; i < PMK_ARM11_NCTRS; i++) {
		int e = pmk_dev_put(d, pmk_arm11_counters[i].reg, value[i]);

		if (!err)
			err = e;
	}
	return err;
}

/*
 * Clears `flags` while the counters are stopped. With E = 0 the interrupt would stay asserted and
 * the handler would be entered again and again, so the function sets E for the length of one write.
 * It undoes the counts from this time. The counters are at 0 meanwhile, so none can wrap. After an
 * error it stops and restores the counters as far as the port allows.
 */
static int clear_stopped(const struct pmk_dev *d, uint32_t cfg, uint32_t flags)
{
	static const uint32_t zero[PMK_ARM11_NCTRS];
	uint32_t saved[PMK_ARM11_NCTRS];
	int err, stopped, restored;

	for (unsigned i = 0; i < PMK_ARM11_NCTRS; i++) {
		err = pmk_dev_get32(d, pmk_arm11_counters[i].reg, &saved[i]);
		if (err)
			return err;
	}
	err = put_counters(d, zero);
	if (!err)
		err = pmk_dev_put(d, PMK_ARM11_PMNC, cfg | flags | PMNC_E);
	stopped = pmk_dev_put(d, PMK_ARM11_PMNC, cfg);
	restored = put_counters(d, saved);
	if (!err)
		err = stopped ? stopped : restored;
	return err;
}

static int arm11_pending(struct pmk_dev *d, uint32_t *counters)
{
	uint32_t pmnc;
	int err = pmk_dev_get32(d, PMK_ARM11_PMNC, &pmnc);

	*counters = 0;
	for (unsigned i = 0; !err && i < PMK_ARM11_NCTRS; i++)
		if (pmnc & pmk_arm11_counters[i].flag)
			*counters |= 1u << i;
	return err;
}

/* Clears the flags of some counters. It writes 0 to the other flags, which does not change them,
 * even if one is being set at this moment. */
static int arm11_clear(struct pmk_dev *d, uint32_t counters)
{
	uint32_t pmnc, flags = 0;
	int err;

	if (counters >> PMK_ARM11_NCTRS)
		return PMK_EINVAL;
	for (unsigned i = 0; i < PMK_ARM11_NCTRS; i++)
		if (counters >> i & 1)
			flags |= pmk_arm11_counters[i].flag;
	err = pmk_dev_get32(d, PMK_ARM11_PMNC, &pmnc);
	if (err || !flags)
		return err;
	if (pmnc & PMNC_E)
		return pmk_dev_put(d, PMK_ARM11_PMNC, arm11_config(d, pmnc) | flags);
	return clear_stopped(d, arm11_config(d, pmnc), flags);
}

static int arm11_running(struct pmk_dev *d, bool *yes)
{
	uint32_t pmnc;
	int err = pmk_dev_get32(d, PMK_ARM11_PMNC, &pmnc);

	*yes = !err && (pmnc & PMNC_E);
	return err;
}

/*
 * Returns the reason why a counter does not move. If E cannot be set, there is no PMU: QEMU's
 * ARM1176 reads all of its registers as 0. Without permission for non-invasive debug, the event
 * counters of an ARM1176 do not count while CCNT does (DDI 0301H §3.1.8).
 */
static int arm11_check_still(struct pmk_dev *d, unsigned counter)
{
	uint32_t pmnc, cycles;
	int err = pmk_dev_get32(d, PMK_ARM11_PMNC, &pmnc);

	if (!err && !(pmnc & PMNC_E)) {
		err = pmk_dev_put(d, PMK_ARM11_PMNC, arm11_config(d, pmnc) | PMNC_E);
		if (!err)
			err = pmk_dev_get32(d, PMK_ARM11_PMNC, &pmnc);
		return err ? err : pmnc & PMNC_E ? PMK_EOFF : PMK_ENOPMU;
	}
	if (!err)
		err = pmk_dev_get32(d, PMK_ARM11_CCNT, &cycles);
	if (err)
		return err;
	return counter != PMK_ARM11_CTR_CCNT && cycles ? PMK_EFORBID : PMK_ESTILL;
}

const struct pmk_driver pmk_arm11_driver = {
	.reset = arm11_reset,
	.program = arm11_program,
	.start = arm11_start,
	.stop = arm11_stop,
	.read = read_counter,
	.write = write_counter,
	.irq_enable = irq_enable,
	.pending = arm11_pending,
	.clear = arm11_clear,
	.running = arm11_running,
	.still = arm11_check_still,
};
