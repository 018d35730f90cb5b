// SPDX-License-Identifier: MIT
/*
 * PMUv3 driver. Freestanding: no libc, no heap, no division. Source: DDI 0487, D13 and D23.5.
 *
 * Quirks of this hardware, and how the driver handles them:
 *  - Only PMCR.E has a defined value after reset. reset() stops the counters, then clears
 *    everything that could count or interrupt.
 *  - PMCR.P and C zero the counters but not the flags, which are cleared through PMOVSCLR.
 *  - Enables, interrupts and flags have one register that sets bits and one that clears bits. So
 *    the driver never reads these registers to write them back, and loses no overflow. PMCR is read
 *    and written back. This is safe because it has no flags, and C and P read as zero.
 *  - PMSELR is shared state that an interrupt handler may change. So the driver uses PMEVCNTR<n>
 *    and PMEVTYPER<n>, which do not depend on it.
 *  - In the PMUs of ARMv7, counters can only be accessed through PMSELR, so interrupt handlers must
 *    preserve its value. PMUv1 has no filters and no PMCEID.
 *  - LC = 0, with which PMCCNTR overflows at bit 31, is deprecated. So every write of PMCR sets LC.
 *  - A counter whose event is not programmed counts something UNKNOWN. start() enables only
 *    counters for which program() was called.
 *  - CHAIN counts only in an odd counter, and not with PMCR.LP.
 *  - PMINTENSET and PMINTENCLR can be accessed only at EL1 and above. So reset() at EL0
 *    (PMUSERENR.EN) does not change the interrupt enables.
 *
 * The port executes the barriers: an ISB after each write, so that the write has taken effect when
 * the call returns, and an ISB before each read.
 *
 * The driver does not support the instruction counter, thresholds, freezing and snapshots. reset()
 * clears their bits in PMCR.
 */
#include "pmu/access.h"
#include "pmu/armv8/regs.h"

/* Words of pmk_dev.state. */
enum {
	STATE_FILTER,	/* the filter that later calls of program() apply */
	STATE_USED,	/* bits of the counters for which program() was called */
	STATE_COUNTERS, /* event counters of this hardware + 1; 0: not read yet */
};

/* Returns the bits that every write of PMCR sets. They choose at which bit the counters of this
 * core overflow. */
static uint64_t overflow_lengths(const struct pmk_dev *d)
{
	if (pmk_armv8_is_armv7(pmk_armv8_core(d->pmu)))
		return 0;
	return PMCR_LC | (pmk_armv8_core(d->pmu)->long_counters ? PMCR_LP : 0);
}

/* Reads PMCR. It also shows how many event counters are available now. */
static int get_pmcr(struct pmk_dev *d, uint64_t *pmcr)
{
	int err = pmk_dev_get(d, PMK_ARMV8_PMCR, pmcr);

	if (!err)
		d->state[STATE_COUNTERS] = (uint32_t)PMK_GET(*pmcr, PMCR_N) + 1;
	return err;
}

/* Writes PMCR back with the given E. This write zeroes no counter and changes no other bit. */
static int put_enable(struct pmk_dev *d, uint64_t pmcr, uint64_t e)
{
	return pmk_dev_put(d, PMK_ARMV8_PMCR,
			   (pmcr & ~(PMCR_E | PMCR_P | PMCR_C)) | overflow_lengths(d) | e);
}

/*
 * Checks that the counter exists. Returns PMK_EINVAL if this PMU does not have it, and PMK_ENOCTR
 * if this hardware is known not to have it.
 */
static int check_counter(const struct pmk_dev *d, unsigned counter)
{
	if (counter >= d->pmu->ncounters)
		return PMK_EINVAL;
	if (d->state[STATE_COUNTERS] && counter >= d->state[STATE_COUNTERS])
		return PMK_ENOCTR;
	return 0;
}

/* Converts a set of counters to bits of the PMCNTEN, PMINTEN and PMOVS registers. Returns an error
 * if a counter does not exist. */
static int check_set(const struct pmk_dev *d, uint32_t counters, uint32_t *bits)
{
	int err = 0;

	*bits = 0;
	for (unsigned i = 0; !err && i < PMK_ARMV8_NCTRS; i++) {
		if (!(counters >> i & 1))
			continue;
		err = check_counter(d, i);
		*bits |= pmk_armv8_counter_bit(i);
	}
	return err;
}

static unsigned type_register(unsigned counter)
{
	return counter == PMK_ARMV8_CTR_CYCLES
		       ? PMK_ARMV8_PMCCFILTR
		       : PMK_ARMV8_PMEVTYPER0 + (counter - PMK_ARMV8_CTR_EVENT0);
}

static unsigned count_register(unsigned counter)
{
	return counter == PMK_ARMV8_CTR_CYCLES
		       ? PMK_ARMV8_PMCCNTR
		       : PMK_ARMV8_PMEVCNTR0 + (counter - PMK_ARMV8_CTR_EVENT0);
}

/* In ARMv7, selects the counter and stores `selected` in *reg, the register that accesses the
 * selected counter. */
static int select_for(const struct pmk_dev *d, unsigned counter, unsigned selected, unsigned *reg)
{
	if (!pmk_armv8_is_armv7(pmk_armv8_core(d->pmu)))
		return 0;
	*reg = selected;
	return pmk_dev_put(d, PMK_ARMV8_PMSELR,
			   counter == PMK_ARMV8_CTR_CYCLES ? PMSELR_CYCLES
							   : counter - PMK_ARMV8_CTR_EVENT0);
}

/* at_type() finds the register that accesses the counter's type, and at_count() the register that
 * accesses its count. */
static int at_type(const struct pmk_dev *d, unsigned counter, unsigned *reg)
{
	*reg = type_register(counter);
	return select_for(d, counter, PMK_ARMV8_PMXEVTYPER, reg);
}

static int at_count(const struct pmk_dev *d, unsigned counter, unsigned *reg)
{
	*reg = count_register(counter);
	return counter == PMK_ARMV8_CTR_CYCLES ? 0
					       : select_for(d, counter, PMK_ARMV8_PMXEVCNTR, reg);
}

/* Writes the type of a counter. PMUv1 has no type register for the cycle counter, and its other
 * type registers have no filter bits. */
static int put_type(const struct pmk_dev *d, unsigned counter, uint64_t type)
{
	unsigned reg;
	int err;

	if (pmk_armv8_is_v1(pmk_armv8_core(d->pmu))) {
		if (counter == PMK_ARMV8_CTR_CYCLES)
			return 0;
		type &= ~PMEVTYPER_FILTER;
	}
	err = at_type(d, counter, &reg);
	return err ? err : pmk_dev_put(d, reg, type);
}

/*
 * Returns the largest value of the counter. From PMUv3p5 on, PMEVCNTR<n> has 64 bits even if it
 * overflows at bit 31, so values that were read are masked.
 */
static uint64_t count_mask(const struct pmk_dev *d, unsigned counter)
{
	return PMK_BITS(d->pmu->counters[counter].width - 1, 0);
}

/* Finds the version of the PMU. Returns PMK_ENOPMU if there is no PMUv3. In that case its registers
 * must not be accessed. */
static int get_version(const struct pmk_dev *d, unsigned *version)
{
	uint64_t dfr0;
	int err = pmk_dev_get(d, PMK_ARMV8_DFR0, &dfr0);

	if (err)
		return err;
	*version = (unsigned)PMK_GET(dfr0, DFR0_PMUVER);
	return *version == PMUVER_NONE || *version == PMUVER_IMPDEF ? PMK_ENOPMU : 0;
}

/* Checks that counters can overflow at bit 63. Returns PMK_ENOTSUP before PMUv3p5. Reads
 * ID_AA64DFR0, which needs EL1 or higher. */
static int check_long(const struct pmk_dev *d)
{
	unsigned version;
	int err = get_version(d, &version);

	if (err)
		return err;
	return version >= PMUVER_V3P5 ? 0 : PMK_ENOTSUP;
}

/* Resets the PMU. PMCR is read first, so that a mode without access gets an error before anything
 * has changed. */
static int armv8_reset(struct pmk_dev *d)
{
	static const uint8_t clears[] = { PMK_ARMV8_PMCNTENCLR, PMK_ARMV8_PMINTENCLR,
					  PMK_ARMV8_PMOVSCLR };
	uint64_t pmcr;
	int err = pmk_armv8_core(d->pmu)->long_counters ? check_long(d) : 0;

	if (!err)
		err = get_pmcr(d, &pmcr);
	if (err)
		return err;
	d->state[STATE_USED] = 0;
	err = pmk_dev_put(d, PMK_ARMV8_PMCR, overflow_lengths(d));
	for (unsigned i = 0; !err && i < sizeof(clears); i++) {
		err = pmk_dev_put(d, clears[i], PMSET_C | PMSET_P);
		if (err == PMK_EUNDEF && clears[i] == PMK_ARMV8_PMINTENCLR)
			err = 0;
	}
	if (!err)
		err = pmk_dev_put(d, PMK_ARMV8_PMCR, overflow_lengths(d) | PMCR_P | PMCR_C);
	return err;
}

/* True if this counter can count the event at all. */
static bool event_fits(const struct pmk_dev *d, unsigned counter, unsigned code)
{
	if (counter == PMK_ARMV8_CTR_CYCLES)
		return code == PMK_ARMV8_CPU_CYCLES;
	if (code == PMK_ARMV8_CHAIN)
		return (counter - PMK_ARMV8_CTR_EVENT0) % 2 == 1 &&
		       !pmk_armv8_core(d->pmu)->long_counters;
	return true;
}

/* Finds the PMCEID register for `code`, and the bit in it. Returns false if there is none. */
static bool find_pmceid(unsigned code, unsigned *id, unsigned *bit)
{
	*id = code >> 5 & 1;
	*bit = (code & 31) | (code & 0x4000 ? 32 : 0);
	return (code & ~0x4000u) < 0x40;
}

/* Returns PMK_ENOTSUP if PMCEID shows that this hardware does not count the event. */
static int check_event(struct pmk_dev *d, unsigned code)
{
	unsigned id, bit;
	uint64_t pmceid;
	int err;

	if (!find_pmceid(code, &id, &bit) || pmk_armv8_is_v1(pmk_armv8_core(d->pmu)))
		return 0;
	err = pmk_dev_get(d, id ? PMK_ARMV8_PMCEID1 : PMK_ARMV8_PMCEID0, &pmceid);
	if (err)
		return err;
	return pmceid >> bit & 1 ? 0 : PMK_ENOTSUP;
}

/*
 * Makes a counter count an event. Returns PMK_ENOEVENT if the catalogue has no such event for this
 * core. Returns PMK_ENOCTR if this counter cannot count the event, or if PMCR.N shows that there is
 * no such counter. Returns PMK_ENOTSUP as check_event() does.
 */
static int armv8_program(struct pmk_dev *d, unsigned counter, unsigned code)
{
	uint64_t pmcr, type = d->state[STATE_FILTER] & PMCCFILTR_FILTER;
	int err;

	if (counter >= d->pmu->ncounters)
		return PMK_EINVAL;
	if (!pmk_pmu_event_code(d->pmu, code))
		return PMK_ENOEVENT;
	if (!event_fits(d, counter, code))
		return PMK_ENOCTR;
	if (counter != PMK_ARMV8_CTR_CYCLES) {
		err = get_pmcr(d, &pmcr);
		if (!err)
			err = check_counter(d, counter);
		if (!err)
			err = check_event(d, code);
		if (err)
			return err;
		type = (d->state[STATE_FILTER] & PMEVTYPER_FILTER) | code;
	}
	err = put_type(d, counter, type);
	if (!err)
		d->state[STATE_USED] |= pmk_armv8_counter_bit(counter);
	return err;
}

static int armv8_start(struct pmk_dev *d)
{
	uint64_t pmcr;
	int err = get_pmcr(d, &pmcr);

	if (!err)
		err = pmk_dev_put(d, PMK_ARMV8_PMCNTENSET, d->state[STATE_USED]);
	if (!err)
		err = put_enable(d, pmcr, PMCR_E);
	return err;
}

/* Stops all counters by one write to E, so PMCNTENCLR is not needed. */
static int armv8_stop(struct pmk_dev *d)
{
	uint64_t pmcr;
	int err = get_pmcr(d, &pmcr);

	return err ? err : put_enable(d, pmcr, 0);
}

static int read_counter(struct pmk_dev *d, unsigned counter, uint64_t *value)
{
	unsigned reg;
	uint64_t v;
	int err = check_counter(d, counter);

	if (!err)
		err = at_count(d, counter, &reg);
	if (!err)
		err = pmk_dev_get(d, reg, &v);
	if (!err)
		*value = v & count_mask(d, counter);
	return err;
}

/* Writes a counter. Returns PMK_ERANGE if the value has more bits than the counter. */
static int write_counter(struct pmk_dev *d, unsigned counter, uint64_t value)
{
	int err = check_counter(d, counter);
	unsigned reg;

	if (err)
		return err;
	if (value & ~count_mask(d, counter))
		return PMK_ERANGE;
	err = at_count(d, counter, &reg);
	return err ? err : pmk_dev_put(d, reg, value);
}

/* Disables interrupts before it enables others, so that no unwanted interrupt occurs in between. */
static int irq_enable(struct pmk_dev *d, uint32_t counters)
{
	uint32_t bits;
	int err = check_set(d, counters, &bits);

	if (!err)
		err = pmk_dev_put(d, PMK_ARMV8_PMINTENCLR, (uint32_t)~bits);
	if (!err && bits)
		err = pmk_dev_put(d, PMK_ARMV8_PMINTENSET, bits);
	return err;
}

static int armv8_pending(struct pmk_dev *d, uint32_t *counters)
{
	uint64_t flags;
	int err = pmk_dev_get(d, PMK_ARMV8_PMOVSCLR, &flags);

	*counters = 0;
	for (unsigned i = 0; !err && i < d->pmu->ncounters; i++)
		if (flags & pmk_armv8_counter_bit(i))
			*counters |= UINT32_C(1) << i;
	return err;
}

/* Clears flags. Writing 0 to a flag does not change it, even if it is being set at this moment. */
static int armv8_clear(struct pmk_dev *d, uint32_t counters)
{
	uint32_t bits;
	int err = check_set(d, counters, &bits);

	if (err || !bits)
		return err;
	return pmk_dev_put(d, PMK_ARMV8_PMOVSCLR, bits);
}

static int armv8_running(struct pmk_dev *d, bool *yes)
{
	uint64_t pmcr, enabled = 0;
	int err = get_pmcr(d, &pmcr);

	if (!err && (pmcr & PMCR_E))
		err = pmk_dev_get(d, PMK_ARMV8_PMCNTENSET, &enabled);
	*yes = !err && enabled;
	return err;
}

void pmk_armv8_set_filter(struct pmk_dev *d, uint32_t filter)
{
	d->state[STATE_FILTER] = filter;
}

int pmk_armv8_user_read(struct pmk_dev *d, bool open)
{
	/* PMUSERENR of ARMv7 has only EN, which would permit EL0 to write everything. */
	if (pmk_armv8_is_armv7(pmk_armv8_core(d->pmu)))
		return PMK_ENOTSUP;
	return pmk_dev_put(d, PMK_ARMV8_PMUSERENR, open ? PMUSERENR_ER | PMUSERENR_CR : 0);
}

/*
 * Reads the version of the PMU. If this mode or view cannot read the version, returns 0 and does
 * not change *version. The caller's next access then shows whether there is a PMU.
 */
static int find_version(const struct pmk_dev *d, unsigned *version)
{
	int err = get_version(d, version);

	return err == PMK_EUNDEF || err == PMK_EBADREG ? 0 : err;
}

static int armv8_present(struct pmk_dev *d)
{
	unsigned version;

	return find_version(d, &version);
}

/*
 * Compares two readings of the counter to see if it counts. The instructions that make the first
 * reading are enough to advance it.
 */
static int counter_moves(struct pmk_dev *d, unsigned counter, bool *yes)
{
	uint64_t before, after;
	int err = read_counter(d, counter, &before);

	if (!err && d->port.settle)
		d->port.settle(d->port.ctx, 1);
	if (!err)
		err = read_counter(d, counter, &after);
	*yes = !err && after != before;
	return err;
}

/*
 * Does what counter_moves() does, but without a filter: M = P and SH != NSH, so the counter counts
 * at all exception levels, in Secure and Non-secure state. Enables the counter.
 */
static int moves_unfiltered(struct pmk_dev *d, unsigned counter, bool *yes)
{
	unsigned reg;
	uint64_t type;
	int err = 0;

	if (!pmk_armv8_is_v1(pmk_armv8_core(d->pmu))) {
		err = at_type(d, counter, &reg);
		if (!err)
			err = pmk_dev_get(d, reg, &type);
		if (!err)
			err = pmk_dev_put(d, reg,
					  (type & ~PMEVTYPER_FILTER) | PMK_ARMV8_EL0_EL1_EL2);
	}
	if (!err)
		err = pmk_dev_put(d, PMK_ARMV8_PMCNTENSET, pmk_armv8_counter_bit(counter));
	return err ? err : counter_moves(d, counter, yes);
}

/*
 * Returns the reason why a counter does not move. If E cannot be set, there is no PMU. If PMCCNTR
 * moves and the event counter does not, MDCR_EL2 or MDCR_EL3 prohibits event counting, because
 * these registers stop PMCCNTR by other bits.
 */
static int armv8_check_still(struct pmk_dev *d, unsigned counter)
{
	uint64_t pmcr;
	bool yes = false;
	int err = get_pmcr(d, &pmcr);

	if (!err && !(pmcr & PMCR_E)) {
		err = put_enable(d, pmcr, PMCR_E);
		if (!err)
			err = get_pmcr(d, &pmcr);
		return err ? err : pmcr & PMCR_E ? PMK_EOFF : PMK_ENOPMU;
	}
	if (!err)
		err = moves_unfiltered(d, counter, &yes);
	if (err || yes)
		return err ? err : PMK_EFILTER;
	if (counter != PMK_ARMV8_CTR_CYCLES)
		err = moves_unfiltered(d, PMK_ARMV8_CTR_CYCLES, &yes);
	return err ? err : yes ? PMK_EFORBID : PMK_ESTILL;
}

int pmk_armv8_probe(struct pmk_dev *d, struct pmk_armv8_found *found)
{
	struct pmk_armv8_found f = { 0 };
	unsigned version = 0;
	uint64_t pmcr;
	int err = find_version(d, &version);

	if (!err)
		err = get_pmcr(d, &pmcr);
	if (pmk_armv8_is_v1(pmk_armv8_core(d->pmu))) {
		f.pmceid[0] = pmk_armv8_core(d->pmu)->pmceid[0];
	} else {
		if (!err)
			err = pmk_dev_get(d, PMK_ARMV8_PMCEID0, &f.pmceid[0]);
		if (!err)
			err = pmk_dev_get(d, PMK_ARMV8_PMCEID1, &f.pmceid[1]);
	}
	if (err)
		return err;
	f.version = (uint8_t)version;
	f.counters = (uint8_t)PMK_GET(pmcr, PMCR_N);
	*found = f;
	return 0;
}

bool pmk_armv8_counts(const struct pmk_armv8_found *found, unsigned code)
{
	unsigned id, bit;

	return !find_pmceid(code, &id, &bit) || (found->pmceid[id] >> bit & 1);
}

const struct pmk_driver pmk_armv8_driver = {
	.reset = armv8_reset,
	.program = armv8_program,
	.start = armv8_start,
	.stop = armv8_stop,
	.read = read_counter,
	.write = write_counter,
	.irq_enable = irq_enable,
	.pending = armv8_pending,
	.clear = armv8_clear,
	.running = armv8_running,
	.present = armv8_present,
	.still = armv8_check_still,
};
