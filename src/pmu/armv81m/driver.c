// SPDX-License-Identifier: MIT
/*
 * Driver of Armv8.1-M's PMU. Freestanding: no libc, no heap, no division.
 *
 * Quirks of this hardware, and how the driver handles them:
 *  - Nothing counts while DEMCR.TRCENA is 0. reset() sets it and the driver never clears it,
 *    because the DWT and trace tools share it.
 *  - Event counters have 16 bits. The driver chains each odd counter to the even counter below it,
 *    and presents the pair as one counter of 32 bits. The flag and the interrupt of the pair are
 *    those of the odd counter. The even counter sets its own flag at each carry, and clear() clears
 *    that flag, too.
 *  - The value of a pair is in two registers, and the lower one may wrap between two accesses. The
 *    comments of read_pair() and write_counter() explain how the driver handles this.
 *  - CTRL.P and C zero the counters but not the flags.
 *  - Enables, interrupts and flags have one register that sets bits and one that clears bits, so
 *    the driver never reads these registers to write them back. CTRL is read and written back; its
 *    bits P and C read as zero.
 *  - CTRL.FRZO would stop all event counters at the first carry between the halves of a pair, so
 *    reset() clears it.
 *  - No register lists the events that a core counts. The count of an event that the core lacks
 *    stays 0.
 *  - CCNTR may be the DWT's CYCCNT (our choice: the sources do not say), so the driver does not
 *    rely on its value between two samples.
 */
#include "pmu/access.h"
#include "pmu/armv81m/regs.h"

/* Words of pmk_dev.state. */
enum {
	STATE_USED, /* bits in CNTENSET of the counters for which program() was called */
	STATE_LAST, /* the last counter that this hardware has */
};

/* Returns the number of the even event counter of a pair. The odd one, directly above it, has the
 * upper half of the count. */
static unsigned even_of(unsigned counter)
{
	return 2 * (counter - PMK_ARMV81M_CTR_PAIR0);
}

/* Returns the bits of a counter in CNTENSET. A pair has two: one for each half. */
static uint32_t enables_of(unsigned counter)
{
	return counter == PMK_ARMV81M_CTR_CYCLES ? (uint32_t)SET_C
						 : UINT32_C(3) << even_of(counter);
}

/* Returns the bit of the flag and the interrupt that belong to the whole counter. */
static uint32_t overflow_of(unsigned counter)
{
	return counter == PMK_ARMV81M_CTR_CYCLES ? (uint32_t)SET_C
						 : UINT32_C(2) << even_of(counter);
}

/* Returns PMK_EINVAL if this PMU does not have the counter, and PMK_ENOCTR if this hardware does
 * not have it. */
static int check_counter(const struct pmk_dev *d, unsigned counter)
{
	if (counter >= d->pmu->ncounters)
		return PMK_EINVAL;
	return d->state[STATE_LAST] && counter > d->state[STATE_LAST] ? PMK_ENOCTR : PMK_OK;
}

/* Converts a set of counters to register bits. `bits_of` returns the bits of one counter. */
static int check_set(const struct pmk_dev *d, uint32_t counters, uint32_t (*bits_of)(unsigned),
		     uint32_t *bits)
{
	int err = PMK_OK;

	*bits = 0;
	for (unsigned i = 0; !err && i < 32; i++) {
		if (!(counters >> i & 1))
			continue;
		err = check_counter(d, i);
		if (!err)
			*bits |= bits_of(i);
	}
	return err;
}

/* Reads TYPE to find the last counter. Returns PMK_ENOPMU if TYPE shows no cycle counter or not
 * even one pair of event counters. */
static int find_counters(struct pmk_dev *d)
{
	uint32_t type;
	int err = pmk_dev_get32(d, PMK_ARMV81M_TYPE, &type);

	if (err)
		return err;
	if (!(type & TYPE_CC) || PMK_GET(type, TYPE_N) < 2)
		return PMK_ENOPMU;
	d->state[STATE_LAST] = (uint32_t)PMK_GET(type, TYPE_N) / 2;
	return PMK_OK;
}

static int armv81m_reset(struct pmk_dev *d)
{
	static const uint8_t clears[] = { PMK_ARMV81M_CNTENCLR, PMK_ARMV81M_INTENCLR,
					  PMK_ARMV81M_OVSCLR };
	uint32_t demcr;
	int err = pmk_dev_get32(d, PMK_ARMV81M_DEMCR, &demcr);

	if (!err)
		err = pmk_dev_put(d, PMK_ARMV81M_DEMCR, demcr | DEMCR_TRCENA);
	if (!err)
		err = find_counters(d);
	if (err)
		return err;
	d->state[STATE_USED] = 0;
	err = pmk_dev_put(d, PMK_ARMV81M_CTRL, 0);
	for (unsigned i = 0; !err && i < sizeof(clears); i++)
		err = pmk_dev_put(d, clears[i], (uint32_t)(SET_C | SET_P));
	return err ? err : pmk_dev_put(d, PMK_ARMV81M_CTRL, CTRL_P | CTRL_C);
}

/* Returns PMK_ENOCTR if this counter cannot count the event. CHAIN is such an event, because only
 * the driver uses it. */
static int armv81m_program(struct pmk_dev *d, unsigned counter, unsigned code)
{
	unsigned types = PMK_ARMV81M_EVTYPER0 + even_of(counter);
	int err = check_counter(d, counter);

	if (err)
		return err;
	if (!pmk_pmu_event_code(d->pmu, code))
		return PMK_ENOEVENT;
	if (code == PMK_ARMV81M_CHAIN)
		return PMK_ENOCTR;
	if (counter == PMK_ARMV81M_CTR_CYCLES) {
		if (code != PMK_ARMV81M_CPU_CYCLES)
			return PMK_ENOCTR;
	} else {
		err = pmk_dev_put(d, types, code);
		if (!err)
			err = pmk_dev_put(d, types + 1, PMK_ARMV81M_CHAIN);
	}
	if (!err)
		d->state[STATE_USED] |= enables_of(counter);
	return err;
}

/* Writes CTRL back with the given E. This write zeroes no counter. */
static int put_enable(const struct pmk_dev *d, uint32_t e)
{
	uint32_t ctrl;
	int err = pmk_dev_get32(d, PMK_ARMV81M_CTRL, &ctrl);

	return err ? err
		   : pmk_dev_put(d, PMK_ARMV81M_CTRL,
				 (ctrl & ~(uint32_t)(CTRL_E | CTRL_P | CTRL_C)) | e);
}

static int armv81m_start(struct pmk_dev *d)
{
	int err = pmk_dev_put(d, PMK_ARMV81M_CNTENSET, d->state[STATE_USED]);

	return err ? err : put_enable(d, CTRL_E);
}

static int armv81m_stop(struct pmk_dev *d)
{
	return put_enable(d, 0);
}

/*
 * Reads a pair of counters. The upper half is read before and after the lower half. If the upper
 * half has changed, the lower half has wrapped in between and is read again. It cannot wrap a
 * second time so soon.
 */
static int read_pair(const struct pmk_dev *d, unsigned counter, uint64_t *value)
{
	unsigned even = PMK_ARMV81M_EVCNTR0 + even_of(counter);
	uint32_t first, high, low;
	int err = pmk_dev_get32(d, even + 1, &first);

	if (!err)
		err = pmk_dev_get32(d, even, &low);
	if (!err)
		err = pmk_dev_get32(d, even + 1, &high);
	if (!err && high != first)
		err = pmk_dev_get32(d, even, &low);
	if (!err)
		*value = PMK_GET(high, EVCNTR_COUNT) << 16 | PMK_GET(low, EVCNTR_COUNT);
	return err;
}

static int read_counter(struct pmk_dev *d, unsigned counter, uint64_t *value)
{
	int err = check_counter(d, counter);

	if (err)
		return err;
	return counter == PMK_ARMV81M_CTR_CYCLES ? pmk_dev_get(d, PMK_ARMV81M_CCNTR, value)
						 : read_pair(d, counter, value);
}

/*
 * Writes a counter. In a pair, the lower half is first set to 0, so that it does not carry into the
 * upper half, which is written next. Returns PMK_ERANGE if the value has more bits than the
 * counter.
 */
static int write_counter(struct pmk_dev *d, unsigned counter, uint64_t value)
{
	unsigned even = PMK_ARMV81M_EVCNTR0 + even_of(counter);
	int err = check_counter(d, counter);

	if (err)
		return err;
	if (value >> 32)
		return PMK_ERANGE;
	if (counter == PMK_ARMV81M_CTR_CYCLES)
		return pmk_dev_put(d, PMK_ARMV81M_CCNTR, (uint32_t)value);
	err = pmk_dev_put(d, even, 0);
	if (!err)
		err = pmk_dev_put(d, even + 1, (uint32_t)(value >> 16));
	if (!err)
		err = pmk_dev_put(d, even, (uint32_t)(value & EVCNTR_COUNT));
	return err;
}

/* Disables interrupts before it enables others, so that no unwanted interrupt occurs in between. */
static int irq_enable(struct pmk_dev *d, uint32_t counters)
{
	uint32_t bits;
	int err = check_set(d, counters, overflow_of, &bits);

	if (!err)
		err = pmk_dev_put(d, PMK_ARMV81M_INTENCLR, ~bits);
	if (!err && bits)
		err = pmk_dev_put(d, PMK_ARMV81M_INTENSET, bits);
	return err;
}

static int armv81m_pending(struct pmk_dev *d, uint32_t *counters)
{
	uint32_t flags;
	int err = pmk_dev_get32(d, PMK_ARMV81M_OVSCLR, &flags);

	*counters = 0;
	for (unsigned i = 0; !err && i < d->pmu->ncounters; i++)
		if (flags & overflow_of(i))
			*counters |= UINT32_C(1) << i;
	return err;
}

/* Clears flags. Writing 0 to a flag does not change it, even if it is being set at this moment. */
static int armv81m_clear(struct pmk_dev *d, uint32_t counters)
{
	uint32_t bits;
	int err = check_set(d, counters, enables_of, &bits);

	return err || !bits ? err : pmk_dev_put(d, PMK_ARMV81M_OVSCLR, bits);
}

static int armv81m_running(struct pmk_dev *d, bool *yes)
{
	uint32_t demcr, ctrl = 0, enabled = 0;
	int err = pmk_dev_get32(d, PMK_ARMV81M_DEMCR, &demcr);

	if (!err && (demcr & DEMCR_TRCENA))
		err = pmk_dev_get32(d, PMK_ARMV81M_CTRL, &ctrl);
	if (!err && (ctrl & CTRL_E))
		err = pmk_dev_get32(d, PMK_ARMV81M_CNTENSET, &enabled);
	*yes = !err && enabled;
	return err;
}

/* Returns PMK_ENOPMU if DEVARCH does not say that this is a PMU of the M profile. */
static int armv81m_present(struct pmk_dev *d)
{
	uint32_t arch;
	int err = pmk_dev_get32(d, PMK_ARMV81M_DEVARCH, &arch);

	return err ? err : PMK_GET(arch, DEVARCH_ARCHID) == 0x0A06 ? PMK_OK : PMK_ENOPMU;
}

/*
 * Returns the reason why a counter does not move. If E cannot be set, there is no PMU. If E can be
 * set and AUTHSTATUS permits no non-invasive debug, counting is prohibited.
 */
static int armv81m_check_still(struct pmk_dev *d, unsigned counter)
{
	uint32_t ctrl, demcr, auth;
	int err = pmk_dev_get32(d, PMK_ARMV81M_CTRL, &ctrl);

	(void)counter;
	if (!err)
		err = pmk_dev_get32(d, PMK_ARMV81M_DEMCR, &demcr);
	if (!err && !(ctrl & CTRL_E)) {
		err = put_enable(d, CTRL_E);
		if (!err)
			err = pmk_dev_get32(d, PMK_ARMV81M_CTRL, &ctrl);
		return err ? err : ctrl & CTRL_E ? PMK_EOFF : PMK_ENOPMU;
	}
	if (!err && !(demcr & DEMCR_TRCENA))
		return PMK_EOFF;
	if (!err)
		err = pmk_dev_get32(d, PMK_ARMV81M_AUTHSTATUS, &auth);
	if (err)
		return err;
	return PMK_GET(auth, AUTHSTATUS_SNID) == 2 || PMK_GET(auth, AUTHSTATUS_NSNID) == 2
		       ? PMK_EFORBID
		       : PMK_ESTILL;
}

const struct pmk_driver pmk_armv81m_driver = {
	.reset = armv81m_reset,
	.program = armv81m_program,
	.start = armv81m_start,
	.stop = armv81m_stop,
	.read = read_counter,
	.write = write_counter,
	.irq_enable = irq_enable,
	.pending = armv81m_pending,
	.clear = armv81m_clear,
	.running = armv81m_running,
	.present = armv81m_present,
	.still = armv81m_check_still,
};
