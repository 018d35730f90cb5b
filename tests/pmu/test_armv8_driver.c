// SPDX-License-Identifier: MIT
/*
 * The PMUv3 driver on two kinds of port. A port with fixed values shows the exact accesses. A port
 * to the model records accesses, lets them fail, and raises events before them.
 *
 * Numbers are literal. Registers: 0 PMCR, 1 PMCNTENSET, 2 PMCNTENCLR, 3 PMOVSCLR, 4 PMSWINC, 6
 * PMCEID0, 7 PMCEID1, 8 PMCCNTR, 11 PMUSERENR, 12 PMOVSSET, 13 PMINTENSET, 14 PMINTENCLR, 16
 * PMCCFILTR, 17 ID_AA64DFR0, 18 + n PMEVCNTR<n>, 49 + n PMEVTYPER<n>. Counters: 0 PMCCNTR, 1 + n
 * PMEVCNTR<n>. Bits of the registers: n PMEVCNTR<n>, 31 PMCCNTR. <pmk/armv8.h> shows the bits of
 * words.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <pmk/armv8.h>
#include <pmk/armv8_model.h>
#include <pmk/native.h>
#include <pmk/session.h>

#include "pmu/armv8/regs.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define OK(call) assert_int_equal(call, 0)

static const struct pmk_pmu *const cores[] = {
	&pmk_cortex_a53,  &pmk_cortex_a55, &pmk_cortex_a57, &pmk_cortex_a72,
	&pmk_neoverse_n1, &pmk_armv8,	   &pmk_armv8_long,
};

/* ---- a log of accesses --------------------------------------------------------------------- */

struct access {
	char what; /* 'R', 'W' */
	unsigned reg;
	uint64_t value;
};

struct log {
	struct access a[64];
	unsigned n;
	int fail_at; /* this access returns `error`; -1: none does */
	int error;
};

static void forget(struct log *log)
{
	log->n = 0;
	log->fail_at = -1;
	log->error = PMK_EIO;
}

static int note(struct log *log, char what, unsigned reg, uint64_t value)
{
	int index = (int)log->n;

	assert_true(log->n < COUNT(log->a));
	assert_true(reg < 83); /* three words of the memory-mapped view are included */
	log->a[log->n++] = (struct access){ what, reg, value };
	return index == log->fail_at ? log->error : 0;
}

/* Compares the log with a text such as "R0 W0=41". */
static void check_log(struct log *log, const char *expected)
{
	char text[1024];
	size_t len = 0;

	text[0] = '\0';
	for (unsigned i = 0; i < log->n; i++) {
		const struct access *a = &log->a[i];

		if (a->what == 'R')
			len += (size_t)snprintf(text + len, sizeof(text) - len, " R%u", a->reg);
		else
			len += (size_t)snprintf(text + len, sizeof(text) - len, " W%u=%llx", a->reg,
						(unsigned long long)a->value);
		assert_true(len < sizeof(text));
	}
	assert_string_equal(log->n ? text + 1 : text, expected);
	forget(log);
}

/* ---- canned values ------------------------------------------------------------------------- */

/* A port on which registers have fixed values. Writes are logged and change nothing. */
struct canned {
	struct pmk_dev dev;
	struct log log;
	uint64_t value[83];
	int error[83]; /* the result of each access to this register */
};

static int canned_read(void *ctx, unsigned reg, uint64_t *value)
{
	struct canned *c = ctx;
	int err = note(&c->log, 'R', reg, 0);

	if (!err)
		err = c->error[reg];
	*value = err ? UINT64_MAX : c->value[reg]; /* must not be used after a failed read */
	return err;
}

static int canned_write(void *ctx, unsigned reg, uint64_t value)
{
	struct canned *c = ctx;
	int err = note(&c->log, 'W', reg, value);

	return err ? err : c->error[reg];
}

/*
 * Sets up N = 6, all events, PMUv3p5, and a PMCR with every bit set that a reset clears: FZS, FZO,
 * LP, DP, X, D.
 */
static void can(struct canned *c, const struct pmk_pmu *pmu)
{
	memset(c, 0, sizeof(*c));
	c->dev.pmu = pmu;
	c->dev.port = (struct pmk_port){ .read = canned_read, .write = canned_write, .ctx = c };
	c->value[0] = 0x41033040;
	c->value[6] = c->value[7] = UINT64_MAX;
	c->value[17] = 0x600;
	forget(&c->log);
}

/*
 * The accesses on PMUv2, a Cortex-A7. PMSELR (5) selects the counter whose type is PMXEVTYPER (9)
 * and whose count is PMXEVCNTR (10). There is no LC.
 */
static void test_v2_sequences(void **state)
{
	const struct pmk_driver *drv = pmk_cortex_a7.driver;
	struct canned c;
	uint64_t value;

	(void)state;
	can(&c, &pmk_cortex_a7);
	c.value[0] = 0x41072000;
	c.error[17] = PMK_EBADREG;
	OK(drv->present(&c.dev));
	check_log(&c.log, "R17");
	OK(drv->reset(&c.dev));
	check_log(&c.log, "R0 W0=0 W2=ffffffff W14=ffffffff W3=ffffffff W0=6");
	OK(drv->program(&c.dev, 1, 0x08));
	check_log(&c.log, "R0 R6 W5=0 W9=8");
	OK(drv->program(&c.dev, 4, 0x03));
	check_log(&c.log, "R0 R6 W5=3 W9=3");
	OK(drv->program(&c.dev, 0, 0x11));
	check_log(&c.log, "W5=1f W9=0");
	assert_int_equal(drv->program(&c.dev, 2, 0x1e), PMK_ENOEVENT);
	assert_int_equal(drv->program(&c.dev, 5, 0x08), PMK_EINVAL);
	check_log(&c.log, "");
	OK(drv->write(&c.dev, 0, 0xfffffff0));
	OK(drv->write(&c.dev, 2, 7));
	check_log(&c.log, "W8=fffffff0 W5=1 W10=7");
	assert_int_equal(drv->write(&c.dev, 0, 0x100000000), PMK_ERANGE);
	OK(drv->start(&c.dev));
	check_log(&c.log, "R0 W1=80000009 W0=41072001");
	c.value[8] = 0x12345678;
	c.value[10] = 0x9abcdef0;
	OK(drv->read(&c.dev, 0, &value));
	assert_true(value == 0x12345678);
	OK(drv->read(&c.dev, 3, &value));
	assert_true(value == 0x9abcdef0);
	check_log(&c.log, "R8 W5=2 R10");
	assert_int_equal(pmk_armv8_user_read(&c.dev, true), PMK_ENOTSUP);
}

/*
 * The accesses on PMUv1, a Cortex-A9. They are those of PMUv2, except that no PMCEID (6) is read,
 * the cycle counter has no type, and types have no filter.
 */
static void test_v1_sequences(void **state)
{
	const struct pmk_driver *drv = pmk_cortex_a9.driver;
	struct pmk_armv8_found found;
	struct canned c;

	(void)state;
	can(&c, &pmk_cortex_a9);
	c.value[0] = 0x41093000;
	c.error[6] = PMK_EUNDEF;
	c.error[7] = PMK_EUNDEF;
	c.error[17] = PMK_EBADREG;
	OK(pmk_armv8_probe(&c.dev, &found));
	check_log(&c.log, "R17 R0");
	assert_int_equal(found.counters, 6);
	assert_int_equal(found.version, 0);
	assert_true(found.pmceid[0] == 0x0007beff && found.pmceid[1] == 0);
	OK(drv->reset(&c.dev));
	check_log(&c.log, "R0 W0=0 W2=ffffffff W14=ffffffff W3=ffffffff W0=6");
	pmk_armv8_set_filter(&c.dev, PMK_ARMV8_EL0);
	OK(drv->program(&c.dev, 1, 0x68));
	check_log(&c.log, "R0 W5=0 W9=68");
	OK(drv->program(&c.dev, 6, 0x03));
	check_log(&c.log, "R0 W5=5 W9=3");
	OK(drv->program(&c.dev, 0, 0x11));
	check_log(&c.log, "");
	assert_int_equal(drv->program(&c.dev, 2, 0x08), PMK_ENOEVENT);
	assert_int_equal(drv->program(&c.dev, 2, 0x0e), PMK_ENOEVENT);
	assert_int_equal(drv->program(&c.dev, 7, 0x68), PMK_EINVAL);
	OK(drv->start(&c.dev));
	check_log(&c.log, "R0 W1=80000021 W0=41093001");
	/* The diagnosis of why nothing is counted names no filter, because PMUv1 has none. */
	c.value[0] = 0x41093001;
	assert_int_equal(drv->still(&c.dev, 1), PMK_ESTILL);
	check_log(&c.log, "R0 W1=1 W5=0 R10 W5=0 R10 W1=80000000 R8 R8");
	assert_int_equal(pmk_armv8_user_read(&c.dev, true), PMK_ENOTSUP);
}

/*
 * The accesses of a whole sequence on a Cortex-A53, with inst_retired on PMEVCNTR0,
 * l1d_cache_refill on PMEVCNTR5, and cycles.
 */
static void test_sequences(void **state)
{
	const struct pmk_driver *drv = pmk_cortex_a53.driver;
	struct canned c;
	uint32_t mask;
	uint64_t value;
	bool running;

	(void)state;
	can(&c, &pmk_cortex_a53);

	/*
	 * reset() sets E = 0 and LC = 1, clears enables, interrupts and flags, and then zeroes the
	 * counters.
	 */
	OK(drv->reset(&c.dev));
	check_log(&c.log, "R0 W0=40 W2=ffffffff W14=ffffffff W3=ffffffff W0=46");
	OK(drv->program(&c.dev, 1, 0x08));
	check_log(&c.log, "R0 R6 W49=8");
	OK(drv->program(&c.dev, 6, 0x03));
	check_log(&c.log, "R0 R6 W54=3");
	OK(drv->program(&c.dev, 0, 0x11));
	check_log(&c.log, "W16=0");
	OK(drv->irq_enable(&c.dev, 0x43)); /* enables the interrupts of all three */
	check_log(&c.log, "W14=7fffffde W13=80000021");
	OK(drv->irq_enable(&c.dev, 0x02));
	check_log(&c.log, "W14=fffffffe W13=1");
	OK(drv->irq_enable(&c.dev, 0));
	check_log(&c.log, "W14=ffffffff");
	OK(drv->write(&c.dev, 0, 0x123456789abcdef0));
	OK(drv->write(&c.dev, 1, 0xfffffc18)); /* 2^32 - 1000 */
	OK(drv->write(&c.dev, 6, 0));
	check_log(&c.log, "W8=123456789abcdef0 W18=fffffc18 W23=0");
	/* start() enables only the programmed counters, and then sets E. */
	OK(drv->start(&c.dev));
	check_log(&c.log, "R0 W1=80000021 W0=41033041");
	c.value[0] = 0x41033041;
	OK(drv->running(&c.dev, &running));
	assert_false(running); /* E is set, but no counter is enabled */
	check_log(&c.log, "R0 R1");
	c.value[1] = 0x80000021;
	OK(drv->running(&c.dev, &running));
	assert_true(running);
	check_log(&c.log, "R0 R1");
	c.value[8] = 0x1122334455667788;
	c.value[18] = 0xfffffc19;
	c.value[23] = 7;
	OK(drv->read(&c.dev, 0, &value));
	assert_true(value == 0x1122334455667788);
	OK(drv->read(&c.dev, 1, &value));
	assert_true(value == 0xfffffc19);
	OK(drv->read(&c.dev, 6, &value));
	assert_true(value == 7);
	check_log(&c.log, "R8 R18 R23");
	OK(drv->pending(&c.dev, &mask));
	assert_int_equal(mask, 0);
	c.value[3] = 0x80000021;
	OK(drv->pending(&c.dev, &mask));
	assert_int_equal(mask, 0x43);
	check_log(&c.log, "R3 R3");
	/* clear() writes a 1 only for the requested flags. */
	OK(drv->clear(&c.dev, 0x43));
	check_log(&c.log, "W3=80000021");
	OK(drv->clear(&c.dev, 0x40));
	check_log(&c.log, "W3=20");
	OK(drv->clear(&c.dev, 0x01));
	check_log(&c.log, "W3=80000000");
	OK(drv->clear(&c.dev, 0));
	check_log(&c.log, "");
	OK(drv->stop(&c.dev));
	check_log(&c.log, "R0 W0=41033040");
	c.value[0] = 0x41033040;
	OK(drv->running(&c.dev, &running));
	assert_false(running);
	check_log(&c.log, "R0");
}

/* With 64-bit overflow, LP is in every write of PMCR. The driver reads the version first. */
static void test_sequences_long(void **state)
{
	const struct pmk_driver *drv = pmk_armv8_long.driver;
	struct canned c;
	uint64_t value;

	(void)state;
	can(&c, &pmk_armv8_long);
	OK(drv->reset(&c.dev));
	check_log(&c.log, "R17 R0 W0=c0 W2=ffffffff W14=ffffffff W3=ffffffff W0=c6");
	OK(drv->program(&c.dev, 3, 0x4005));
	check_log(&c.log, "R0 R6 W51=4005");
	OK(drv->write(&c.dev, 3, 0xfffffffffffffc18));
	check_log(&c.log, "W20=fffffffffffffc18");
	OK(drv->start(&c.dev));
	check_log(&c.log, "R0 W1=4 W0=410330c1");
	c.value[20] = 0xfedcba9876543210;
	OK(drv->read(&c.dev, 3, &value));
	assert_true(value == 0xfedcba9876543210);
	check_log(&c.log, "R20");
	OK(drv->stop(&c.dev));
	check_log(&c.log, "R0 W0=410330c0");
}

/*
 * start() and stop() keep the bits of PMCR that the driver does not use, and reset() clears them.
 * The driver never writes back C and P, even if they read as 1.
 */
static void test_other_bits_of_pmcr(void **state)
{
	const struct pmk_driver *drv = pmk_armv8.driver;
	struct canned c;

	(void)state;
	can(&c, &pmk_armv8);
	c.value[0] = 0x14103323e; /* FZS, FZO, DP, X, D, C, P */
	OK(drv->start(&c.dev));
	check_log(&c.log, "R0 W1=0 W0=141033279");
	c.value[0] = 0x14103323f;
	OK(drv->stop(&c.dev));
	check_log(&c.log, "R0 W0=141033278");
	OK(drv->reset(&c.dev));
	check_log(&c.log, "R0 W0=40 W2=ffffffff W14=ffffffff W3=ffffffff W0=46");
}

/* The driver uses the right two registers and the right bit for each event counter. */
static void test_every_counter(void **state)
{
	const struct pmk_driver *drv = pmk_armv8.driver;
	char expected[64];
	struct canned c;

	(void)state;
	for (unsigned n = 0; n < 31; n++) {
		uint64_t value;
		uint32_t mask;

		can(&c, &pmk_armv8);
		c.value[0] = 0x4100f840;
		OK(drv->program(&c.dev, 1 + n, 0x21));
		snprintf(expected, sizeof(expected), "R0 R7 W%u=21", 49 + n);
		check_log(&c.log, expected);
		OK(drv->write(&c.dev, 1 + n, 5));
		c.value[18 + n] = 6;
		OK(drv->read(&c.dev, 1 + n, &value));
		assert_int_equal(value, 6);
		snprintf(expected, sizeof(expected), "W%u=5 R%u", 18 + n, 18 + n);
		check_log(&c.log, expected);
		OK(drv->irq_enable(&c.dev, UINT32_C(2) << n));
		snprintf(expected, sizeof(expected), "W14=%x W13=%x", ~(1u << n), 1u << n);
		check_log(&c.log, expected);
		OK(drv->start(&c.dev));
		snprintf(expected, sizeof(expected), "R0 W1=%x W0=4100f841", 1u << n);
		check_log(&c.log, expected);
		c.value[3] = 1u << n;
		OK(drv->pending(&c.dev, &mask));
		assert_true(mask == UINT32_C(2) << n);
		forget(&c.log);
		OK(drv->clear(&c.dev, mask));
		snprintf(expected, sizeof(expected), "W3=%x", 1u << n);
		check_log(&c.log, expected);
	}
	can(&c, &pmk_armv8); /* all 32 counters */
	c.value[0] = 0x4100f840;
	OK(drv->reset(&c.dev));
	forget(&c.log);
	OK(drv->irq_enable(&c.dev, 0xffffffff));
	OK(drv->clear(&c.dev, 0xffffffff));
	check_log(&c.log, "W14=0 W13=ffffffff W3=ffffffff");
}

/* reset() forgets the programmed counters, but keeps the filter. */
static void test_reset_forgets_counters(void **state)
{
	const struct pmk_driver *drv = pmk_cortex_a53.driver;
	struct canned c;

	(void)state;
	can(&c, &pmk_cortex_a53);
	pmk_armv8_set_filter(&c.dev, PMK_ARMV8_EL0);
	OK(drv->program(&c.dev, 1, 0x08));
	OK(drv->program(&c.dev, 2, 0x08));
	OK(drv->program(&c.dev, 0, 0x11));
	OK(drv->reset(&c.dev));
	OK(drv->program(&c.dev, 3, 0x04));
	forget(&c.log);
	OK(drv->start(&c.dev));
	check_log(&c.log, "R0 W1=4 W0=41033041");
	OK(drv->program(&c.dev, 3, 0x04));
	check_log(&c.log, "R0 R6 W51=80000004");
}

/* ---- filters ------------------------------------------------------------------------------- */

static void test_filter(void **state)
{
	static const struct {
		uint32_t filter;
		const char *cycles, *event;
	} rows[] = {
		{ PMK_ARMV8_EL0_EL1, "W16=0", "R0 R6 W50=8" },
		{ PMK_ARMV8_EL0, "W16=80000000", "R0 R6 W50=80000008" },
		{ PMK_ARMV8_EL1, "W16=40000000", "R0 R6 W50=40000008" },
		{ PMK_ARMV8_EL0_EL1_EL2, "W16=8000000", "R0 R6 W50=8000008" },
		{ PMK_ARMV8_EL2, "W16=c8000000", "R0 R6 W50=c8000008" },
		{ 0xf0000000, "W16=f0000000", "R0 R6 W50=f0000008" }, /* Non-secure EL0 and EL1 */
		{ 0x02000000, "W16=0", "R0 R6 W50=2000008" },	      /* PMCCFILTR has no MT */
		{ 0x05f00000, "W16=5f00000", "R0 R6 W50=5f00008" },   /* M, SH, T, RLK, RLU, RLH */
		{ 0x000fffff, "W16=0", "R0 R6 W50=8" }, /* no bits of a filter: evtCount, RES0 */
	};
	const struct pmk_driver *drv = pmk_cortex_a53.driver;
	struct canned c;

	(void)state;
	can(&c, &pmk_cortex_a53);
	OK(drv->program(&c.dev, 2, 0x08)); /* after open(): EL0 and EL1 */
	check_log(&c.log, "R0 R6 W50=8");
	for (size_t i = 0; i < COUNT(rows); i++) {
		pmk_armv8_set_filter(&c.dev, rows[i].filter);
		check_log(&c.log, "");
		OK(drv->program(&c.dev, 0, 0x11));
		check_log(&c.log, rows[i].cycles);
		OK(drv->program(&c.dev, 2, 0x08));
		check_log(&c.log, rows[i].event);
	}
}

/* ---- existing counters and events ----------------------------------------------------------- */

/*
 * If there are fewer than 31 event counters, the driver refuses higher ones before it writes
 * anything.
 */
static void test_number_of_counters(void **state)
{
	static const unsigned sizes[] = { 0, 1, 6, 31 };

	(void)state;
	for (size_t k = 0; k < COUNT(sizes); k++) {
		const struct pmk_driver *drv = pmk_armv8.driver;
		unsigned n = sizes[k];
		uint64_t value = 99;
		struct canned c;

		can(&c, &pmk_armv8);
		c.value[0] = 0x41000040 | n << 11;
		OK(drv->reset(&c.dev));
		OK(drv->program(&c.dev, 0, 0x11));
		for (unsigned i = 0; i < 31; i++) {
			uint32_t bit = UINT32_C(2) << i;
			int expected = i < n ? 0 : PMK_ENOCTR;

			forget(&c.log);
			assert_int_equal(drv->program(&c.dev, 1 + i, 0x08), expected);
			if (expected)
				check_log(&c.log, "R0");
			forget(&c.log);
			assert_int_equal(drv->read(&c.dev, 1 + i, &value), expected);
			assert_int_equal(drv->write(&c.dev, 1 + i, 1), expected);
			assert_int_equal(drv->irq_enable(&c.dev, bit | 1), expected);
			assert_int_equal(drv->clear(&c.dev, bit | 1), expected);
			if (expected) {
				check_log(&c.log, "");
				assert_int_equal(value, n ? 0 : 99);
			}
		}
		OK(drv->read(&c.dev, 0, &value));
		OK(drv->irq_enable(&c.dev, 1));
		OK(drv->clear(&c.dev, 1));
		forget(&c.log);
		OK(drv->start(&c.dev)); /* the first n, and the cycle counter */
		assert_true(c.log.a[1].value == (0x80000000 | ((UINT64_C(1) << n) - 1)));
	}
}

/* If a hypervisor lowers N (MDCR_EL2.HPMN), the driver notices at its next call that reads PMCR. */
static void test_fewer_counters_later(void **state)
{
	const struct pmk_driver *drv = pmk_cortex_a53.driver;
	uint64_t value;
	struct canned c;

	(void)state;
	can(&c, &pmk_cortex_a53);
	OK(drv->reset(&c.dev));
	OK(drv->program(&c.dev, 6, 0x08));
	OK(drv->read(&c.dev, 6, &value));
	c.value[0] = 0x41032040; /* N = 4 */
	assert_int_equal(drv->program(&c.dev, 5, 0x08), PMK_ENOCTR);
	OK(drv->program(&c.dev, 4, 0x08));
	assert_int_equal(drv->read(&c.dev, 6, &value), PMK_ENOCTR);
	c.value[0] = 0x41033040;
	OK(drv->stop(&c.dev));
	OK(drv->read(&c.dev, 6, &value));
}

/*
 * A reader that has not called reset() can read counters, even if it may not read PMCR, as at EL0.
 * If the access to a counter fails, the value stays unchanged.
 */
static void test_read_without_reset(void **state)
{
	const struct pmk_driver *drv = pmk_armv8.driver;
	uint64_t value = 99;
	struct canned c;

	(void)state;
	can(&c, &pmk_armv8);
	c.error[0] = PMK_EUNDEF;
	c.value[23] = 44;
	OK(drv->read(&c.dev, 6, &value));
	assert_int_equal(value, 44);
	check_log(&c.log, "R23");
	c.error[48] = PMK_EUNDEF;
	assert_int_equal(drv->read(&c.dev, 31, &value), PMK_EUNDEF);
	assert_int_equal(value, 44);
	check_log(&c.log, "R48");
}

/*
 * The driver refuses an event that PMCEID excludes. Each code that PMCEID covers has its own bit.
 */
static void test_pmceid(void **state)
{
	const struct pmk_driver *drv = pmk_armv8.driver;
	struct canned c;

	(void)state;
	for (unsigned bit = 0; bit < 128; bit++) {
		for (unsigned e = 0; e < 0x80; e++) {
			/* PMCEID0 [31:0] 0x00-0x1f, [63:32] 0x4000-0x401f; PMCEID1 + 0x20 */
			unsigned code = e < 0x40 ? e : 0x4000 + (e - 0x40);
			unsigned its = (e >> 5 & 1) * 64 + (e >= 0x40) * 32 + (e & 31);
			bool known = pmk_pmu_event_code(&pmk_armv8, code);
			int expected = !known ? PMK_ENOEVENT : its == bit ? 0 : PMK_ENOTSUP;

			can(&c, &pmk_armv8);
			c.value[6] = bit < 64 ? UINT64_C(1) << bit : 0;
			c.value[7] = bit < 64 ? 0 : UINT64_C(1) << (bit - 64);
			assert_int_equal(drv->program(&c.dev, 2, code), expected);
			if (expected == PMK_ENOTSUP)
				check_log(&c.log, e >> 5 & 1 ? "R0 R7" : "R0 R6");
		}
	}
	/* For other codes, and for the cycle counter, PMCEID is not read. */
	can(&c, &pmk_cortex_a53);
	c.value[6] = c.value[7] = 0;
	OK(drv->program(&c.dev, 2, 0xe7));
	check_log(&c.log, "R0 W50=e7");
	OK(drv->program(&c.dev, 0, 0x11));
	check_log(&c.log, "W16=0");
}

static void test_arguments(void **state)
{
	static const struct {
		int line;
		const struct pmk_pmu *pmu;
		unsigned counter, code;
		int result;
	} rows[] = {
		{ __LINE__, &pmk_cortex_a53, 0, 0x11, 0 },
		{ __LINE__, &pmk_cortex_a53, 0, 0x08, PMK_ENOCTR },
		{ __LINE__, &pmk_cortex_a53, 0, 0x0e, PMK_ENOEVENT },
		{ __LINE__, &pmk_cortex_a53, 1, 0x11, 0 }, /* also counts cycles */
		{ __LINE__, &pmk_cortex_a53, 1, 0x0e, PMK_ENOEVENT },
		{ __LINE__, &pmk_cortex_a53, 1, 0x40, PMK_ENOEVENT },
		{ __LINE__, &pmk_cortex_a53, 1, 0xc9, 0 },
		{ __LINE__, &pmk_cortex_a53, 1, 0x4004, PMK_ENOEVENT },
		{ __LINE__, &pmk_cortex_a53, 1, 0x10008, PMK_ENOEVENT },
		{ __LINE__, &pmk_cortex_a53, 6, 0x08, 0 },
		{ __LINE__, &pmk_cortex_a53, 7, 0x08, PMK_EINVAL },
		{ __LINE__, &pmk_cortex_a53, 32, 0x11, PMK_EINVAL },
		{ __LINE__, &pmk_cortex_a57, 1, 0x06, PMK_ENOEVENT },
		{ __LINE__, &pmk_cortex_a57, 1, 0x40, 0 },
		{ __LINE__, &pmk_cortex_a72, 1, 0xc9, PMK_ENOEVENT },
		{ __LINE__, &pmk_cortex_a55, 1, 0x0c, 0 }, /* the second row with this code */
		{ __LINE__, &pmk_neoverse_n1, 1, 0x42, 0 },
		{ __LINE__, &pmk_neoverse_n1, 1, 0x4003, 0 },
		{ __LINE__, &pmk_armv8, 31, 0x08, PMK_ENOCTR }, /* N is 6 here */
		{ __LINE__, &pmk_armv8, 32, 0x08, PMK_EINVAL },
		{ __LINE__, &pmk_armv8, 1, 0xc9, PMK_ENOEVENT },
		/*
		 * CHAIN is for PMEVCNTR1, 3 and 5, and not for counters that overflow at 64 bits.
		 */
		{ __LINE__, &pmk_cortex_a53, 1, 0x1e, PMK_ENOCTR },
		{ __LINE__, &pmk_cortex_a53, 2, 0x1e, 0 },
		{ __LINE__, &pmk_cortex_a53, 5, 0x1e, PMK_ENOCTR },
		{ __LINE__, &pmk_cortex_a53, 6, 0x1e, 0 },
		{ __LINE__, &pmk_armv8_long, 2, 0x1e, PMK_ENOCTR },
		{ __LINE__, &pmk_armv8_long, 2, 0x00, 0 },
	};
	const struct pmk_driver *drv = pmk_cortex_a53.driver;
	uint64_t value = 5;
	struct canned c;

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		int err;

		can(&c, rows[i].pmu);
		err = drv->program(&c.dev, rows[i].counter, rows[i].code);
		if (err != rows[i].result)
			fail_msg("row of line %d: %d", rows[i].line, err);
		for (unsigned a = 0; err && a < c.log.n; a++)
			assert_int_equal(c.log.a[a].what, 'R'); /* nothing was written */
		forget(&c.log);
		OK(drv->start(&c.dev)); /* does not enable a counter whose event was refused */
		if (err)
			assert_int_equal(c.log.a[1].value, 0);
		else
			assert_int_not_equal(c.log.a[1].value, 0);
	}
	can(&c, &pmk_cortex_a53);
	assert_int_equal(drv->read(&c.dev, 7, &value), PMK_EINVAL);
	assert_int_equal(drv->read(&c.dev, 32, &value), PMK_EINVAL);
	assert_int_equal(drv->write(&c.dev, 7, 0), PMK_EINVAL);
	assert_int_equal(drv->write(&c.dev, 1, 0x100000000), PMK_ERANGE);
	assert_int_equal(drv->irq_enable(&c.dev, 0x80), PMK_EINVAL);
	assert_int_equal(drv->irq_enable(&c.dev, 0x80000001), PMK_EINVAL);
	assert_int_equal(drv->clear(&c.dev, 0x80), PMK_EINVAL);
	assert_int_equal(drv->clear(&c.dev, 0xffffffff), PMK_EINVAL);
	assert_int_equal(value, 5);
	check_log(&c.log, "");
}

/*
 * The driver masks counts to 32 bits if it uses the 64-bit counters of PMUv3p5 as 32-bit counters.
 */
static void test_read_is_masked(void **state)
{
	uint64_t value;
	uint32_t mask;
	struct canned c;

	(void)state;
	can(&c, &pmk_armv8);
	c.value[18] = 0xabcdef0100000005;
	OK(pmk_armv8.driver->read(&c.dev, 1, &value));
	assert_true(value == 5);
	can(&c, &pmk_armv8_long);
	c.value[18] = 0xabcdef0100000005;
	OK(pmk_armv8_long.driver->read(&c.dev, 1, &value));
	assert_true(value == 0xabcdef0100000005);
	/*
	 * PMOVSCLR also has bits of the instruction counter (32) and of counters that this core
	 * does not have.
	 */
	can(&c, &pmk_cortex_a53);
	c.value[3] = 0x17fffffc2;
	OK(pmk_cortex_a53.driver->pending(&c.dev, &mask));
	assert_int_equal(mask, 0x04);
}

/* 64-bit overflow needs PMUv3p5. On other versions, the driver reads only the version. */
static void test_long_needs_p5(void **state)
{
	static const struct {
		unsigned version;
		int result;
	} rows[] = {
		{ 0, PMK_ENOPMU },  { 1, PMK_ENOTSUP }, { 4, PMK_ENOTSUP },
		{ 5, PMK_ENOTSUP }, { 6, 0 },		{ 7, 0 },
		{ 8, 0 },	    { 9, 0 },		{ 15, PMK_ENOPMU },
	};
	struct canned c;

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		can(&c, &pmk_armv8_long);
		c.value[17] = 0xfffffffffffff0ff | rows[i].version << 8;
		assert_int_equal(pmk_armv8_long.driver->reset(&c.dev), rows[i].result);
		if (rows[i].result)
			check_log(&c.log, "R17");
	}
	can(&c, &pmk_armv8_long);
	c.error[17] = PMK_EUNDEF; /* as on the port of EL0 */
	assert_int_equal(pmk_armv8_long.driver->reset(&c.dev), PMK_EUNDEF);
	check_log(&c.log, "R17");
}

/*
 * With PMUSERENR.EN, everything except the interrupt enables is accessible at EL0. reset() ignores
 * the error of those enables, and returns any other error.
 */
static void test_reset_at_el0(void **state)
{
	struct canned c;

	(void)state;
	can(&c, &pmk_cortex_a53);
	c.error[14] = PMK_EUNDEF;
	OK(pmk_cortex_a53.driver->reset(&c.dev));
	check_log(&c.log, "R0 W0=40 W2=ffffffff W14=ffffffff W3=ffffffff W0=46");
	assert_int_equal(pmk_cortex_a53.driver->irq_enable(&c.dev, 1), PMK_EUNDEF);
	c.error[14] = PMK_EIO;
	assert_int_equal(pmk_cortex_a53.driver->reset(&c.dev), PMK_EIO);
	c.error[14] = 0;
	c.error[2] = PMK_EUNDEF;
	assert_int_equal(pmk_cortex_a53.driver->reset(&c.dev), PMK_EUNDEF);
}

/* ---- the functions in addition to the driver ------------------------------------------------ */

static void test_user_read(void **state)
{
	struct canned c;

	(void)state;
	can(&c, &pmk_cortex_a53);
	OK(pmk_armv8_user_read(&c.dev, true));
	check_log(&c.log, "W11=c"); /* ER and CR are set, EN is not */
	OK(pmk_armv8_user_read(&c.dev, false));
	check_log(&c.log, "W11=0");
	c.error[11] = PMK_EUNDEF;
	assert_int_equal(pmk_armv8_user_read(&c.dev, true), PMK_EUNDEF);
}

static void test_probe(void **state)
{
	static const struct {
		int line, dfr0_error;
		uint64_t dfr0;
		int result;
		unsigned version;
		const char *log;
	} rows[] = {
		{ __LINE__, 0, 0x100, 0, 1, "R17 R0 R6 R7" },
		{ __LINE__, 0, 0x10f0f00010305408, 0, 4, "R17 R0 R6 R7" },
		{ __LINE__, 0, 0x600, 0, 6, "R17 R0 R6 R7" },
		{ __LINE__, 0, 0x900, 0, 9, "R17 R0 R6 R7" },
		{ __LINE__, 0, 0x000, PMK_ENOPMU, 0, "R17" },
		{ __LINE__, 0, 0xf00, PMK_ENOPMU, 0, "R17" },
		{ __LINE__, PMK_EUNDEF, 0x600, 0, 0, "R17 R0 R6 R7" },	/* EL0's port */
		{ __LINE__, PMK_EBADREG, 0x600, 0, 0, "R17 R0 R6 R7" }, /* AArch32, memory */
		{ __LINE__, PMK_EIO, 0x600, PMK_EIO, 0, "R17" },
	};
	struct pmk_armv8_found found;
	struct canned c;

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		int err;

		can(&c, &pmk_armv8);
		c.value[0] = 0x41032840; /* N = 5 */
		c.value[6] = 0x0000000f7fff0f3f;
		c.value[7] = 0x00f2ae7f;
		c.value[17] = rows[i].dfr0;
		c.error[17] = rows[i].dfr0_error;
		memset(&found, 0xee, sizeof(found));
		err = pmk_armv8_probe(&c.dev, &found);
		if (err != rows[i].result)
			fail_msg("row of line %d: %d", rows[i].line, err);
		check_log(&c.log, rows[i].log);
		if (err) {
			assert_int_equal(found.counters, 0xee); /* the output is unchanged */
			continue;
		}
		assert_int_equal(found.version, rows[i].version);
		assert_int_equal(found.counters, 5);
		assert_true(found.pmceid[0] == 0x0000000f7fff0f3f);
		assert_true(found.pmceid[1] == 0x00f2ae7f);
		assert_true(pmk_armv8_counts(&found, 0x08));
		assert_false(pmk_armv8_counts(&found, 0x06));
		assert_true(pmk_armv8_counts(&found, 0x4003));
		assert_false(pmk_armv8_counts(&found, 0x4004));
		assert_true(pmk_armv8_counts(&found, 0x20));
		assert_false(pmk_armv8_counts(&found, 0x27));
		assert_false(pmk_armv8_counts(&found, 0x4020));
	}
}

/* ---- each access fails once ---------------------------------------------------------------- */

static int do_reset(struct pmk_dev *d)
{
	return d->pmu->driver->reset(d);
}

static int do_program(struct pmk_dev *d)
{
	return d->pmu->driver->program(d, 1, 0x08);
}

static int do_program_cycles(struct pmk_dev *d)
{
	return d->pmu->driver->program(d, 0, 0x11);
}

static int do_start(struct pmk_dev *d)
{
	return d->pmu->driver->start(d);
}

static int do_stop(struct pmk_dev *d)
{
	return d->pmu->driver->stop(d);
}

static int do_read(struct pmk_dev *d)
{
	uint64_t value;

	return d->pmu->driver->read(d, 1, &value);
}

static int do_write(struct pmk_dev *d)
{
	return d->pmu->driver->write(d, 1, 5);
}

static int do_irq_enable(struct pmk_dev *d)
{
	return d->pmu->driver->irq_enable(d, 5);
}

static uint32_t reported; /* the counters that do_pending() or do_take() found last */

static int do_pending(struct pmk_dev *d)
{
	return d->pmu->driver->pending(d, &reported);
}

static int do_clear(struct pmk_dev *d)
{
	return d->pmu->driver->clear(d, 2);
}

static int do_running(struct pmk_dev *d)
{
	bool yes;

	return d->pmu->driver->running(d, &yes);
}

/* Acts as an interrupt handler: finds the counters that have overflowed, and clears only their
 * flags. */
static int do_take(struct pmk_dev *d)
{
	int err = do_pending(d);

	return err || !reported ? err : d->pmu->driver->clear(d, reported);
}

static int do_probe(struct pmk_dev *d)
{
	struct pmk_armv8_found found;

	return pmk_armv8_probe(d, &found);
}

static const struct {
	const char *name;
	int (*run)(struct pmk_dev *d);
	unsigned accesses; /* number of accesses on pmk_armv8 while it runs and a flag is set */
} operations[] = {
	{ "reset", do_reset, 6 },
	{ "program", do_program, 3 },
	{ "program cycles", do_program_cycles, 1 },
	{ "start", do_start, 3 },
	{ "stop", do_stop, 2 },
	{ "read", do_read, 1 },
	{ "write", do_write, 1 },
	{ "irq_enable", do_irq_enable, 2 },
	{ "pending", do_pending, 1 },
	{ "clear", do_clear, 1 },
	{ "running", do_running, 2 },
	{ "take", do_take, 2 },
	{ "probe", do_probe, 4 },
};

/* The driver returns the error, and accesses nothing more. */
static void test_port_error(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(operations); i++) {
		for (unsigned at = 0; at <= operations[i].accesses; at++) {
			struct canned c;
			int err;

			can(&c, &pmk_armv8);
			c.value[0] |= 1;
			c.value[1] = c.value[3] = 1;
			c.log.fail_at = (int)at;
			err = operations[i].run(&c.dev);
			if (at < operations[i].accesses) {
				assert_int_equal(err, PMK_EIO);
				assert_int_equal(c.log.n, at + 1);
			} else {
				OK(err);
				assert_int_equal(c.log.n, at);
			}
		}
	}
}

/* After an error, the outputs contain no wrong values. */
static void test_outputs_after_an_error(void **state)
{
	const struct pmk_driver *drv = pmk_armv8.driver;
	uint32_t mask = 0xffff;
	uint64_t value = 42;
	bool yes = true;
	struct canned c;

	(void)state;
	can(&c, &pmk_armv8);
	c.value[0] |= 1;
	c.value[1] = c.value[3] = c.value[18] = 1;
	c.log.fail_at = 0;
	assert_int_equal(drv->pending(&c.dev, &mask), PMK_EIO);
	assert_int_equal(mask, 0);
	forget(&c.log);
	c.log.fail_at = 1;
	assert_int_equal(drv->running(&c.dev, &yes), PMK_EIO);
	assert_false(yes);
	forget(&c.log);
	c.log.fail_at = 0;
	assert_int_equal(drv->read(&c.dev, 1, &value), PMK_EIO);
	assert_int_equal(value, 42);
	/* The driver does not start a counter whose type it could not write. */
	forget(&c.log);
	c.log.fail_at = 2;
	assert_int_equal(drv->program(&c.dev, 1, 0x08), PMK_EIO);
	forget(&c.log);
	OK(drv->start(&c.dev));
	assert_int_equal(c.log.a[1].value, 0);
}

/* ---- the rig: driver, port, model, bus ----------------------------------------------------- */

struct rig {
	struct pmk_dev dev;
	struct log log;
	struct pmk_bus bus;
	struct pmk_armv8_model model;
	struct pmk_model_port to_model;
	struct pmk_port inner;
	unsigned per_access; /* occurrences of each signal at each access */
	int inject_at;	     /* everything_happens() before this access; -1: never */
	bool injected;
};

/* Raises each signal `times` times, so each counter at its maximum overflows. */
static void everything_happens(struct rig *r, uint64_t times)
{
	for (unsigned s = 0; s < PMK_NSIGNALS; s++)
		pmk_bus_add(&r->bus, (enum pmk_signal)s, times);
	r->to_model.ops->sync(&r->model, &r->bus);
}

static int before_access(struct rig *r, char what, unsigned reg, uint64_t value)
{
	if (r->inject_at == (int)r->log.n) {
		everything_happens(r, 1);
		r->injected = true;
	}
	everything_happens(r, r->per_access);
	return note(&r->log, what, reg, value);
}

static int rig_read(void *ctx, unsigned reg, uint64_t *value)
{
	struct rig *r = ctx;
	int err = before_access(r, 'R', reg, 0);

	return err ? err : r->inner.read(r->inner.ctx, reg, value);
}

static int rig_write(void *ctx, unsigned reg, uint64_t value)
{
	struct rig *r = ctx;
	int err = before_access(r, 'W', reg, value);

	return err ? err : r->inner.write(r->inner.ctx, reg, value);
}

static void settled(struct rig *r)
{
	forget(&r->log);
	r->inject_at = -1;
	r->injected = false;
}

static void setup_with(struct rig *r, const struct pmk_pmu *pmu,
		       const struct pmk_armv8_params *params)
{
	memset(r, 0, sizeof(*r));
	pmk_bus_init(&r->bus);
	for (unsigned s = 0; s < PMK_NSIGNALS; s++) {
		pmk_signal_add(&r->bus.raised, (enum pmk_signal)s);
		r->bus.total[s] = 1000 + s; /* must not be counted */
	}
	r->to_model = (struct pmk_model_port){
		.ops = pmk_model_find(pmu),
		.model = &r->model,
		.bus = &r->bus,
		.mode = PMK_MODE_PRIV,
	};
	assert_non_null(r->to_model.ops);
	pmk_armv8_model_reset(&r->model, pmu, params, &r->bus);
	r->inner = pmk_port_model(&r->to_model);
	r->dev.pmu = pmu;
	r->dev.port = (struct pmk_port){ .read = rig_read, .write = rig_write, .ctx = r };
	settled(r);
}

static void setup(struct rig *r, const struct pmk_pmu *pmu)
{
	struct pmk_armv8_params params = pmk_armv8_defaults(pmu);

	setup_with(r, pmu, &params);
}

/* Reads a register without going through the driver. */
static uint64_t peek(struct rig *r, unsigned reg)
{
	uint64_t value;

	OK(r->inner.read(r->inner.ctx, reg, &value));
	return value;
}

static void poke(struct rig *r, unsigned reg, uint64_t value)
{
	OK(r->inner.write(r->inner.ctx, reg, value));
}

static unsigned line(struct rig *r)
{
	r->to_model.ops->sync(&r->model, &r->bus);
	return r->to_model.ops->lines(&r->model);
}

static uint64_t counter(struct rig *r, unsigned n)
{
	uint64_t value;

	OK(r->dev.pmu->driver->read(&r->dev, n, &value));
	return value;
}

static uint64_t full(const struct pmk_pmu *pmu, unsigned n)
{
	return pmu->counters[n].width == 64 ? UINT64_MAX : UINT32_MAX;
}

/* ---- counting ------------------------------------------------------------------------------ */

/*
 * On every core, only events between start() and stop() count: on the cycle counter, on the first
 * event counter, and on the last.
 */
static void test_counting(void **state)
{
	(void)state;
	for (size_t k = 0; k < COUNT(cores); k++) {
		const struct pmk_driver *drv = cores[k]->driver;
		unsigned last = cores[k]->ncounters - 1;
		bool running;
		struct rig r;

		setup(&r, cores[k]);
		OK(drv->reset(&r.dev));
		OK(drv->program(&r.dev, 0, 0x11));
		OK(drv->program(&r.dev, 1, 0x08));
		OK(drv->program(&r.dev, last, 0x17)); /* the sum of two signals */
		everything_happens(&r, 1000);
		OK(drv->start(&r.dev));
		OK(drv->running(&r.dev, &running));
		assert_true(running);
		assert_int_equal(counter(&r, 0), 0);
		assert_int_equal(counter(&r, 1), 0);
		assert_int_equal(counter(&r, last), 0);
		pmk_bus_add(&r.bus, PMK_SIG_CYCLE, 50);
		pmk_bus_add(&r.bus, PMK_SIG_INSN, 30);
		pmk_bus_add(&r.bus, PMK_SIG_L2_MISS_READ, 4);
		pmk_bus_add(&r.bus, PMK_SIG_L2_MISS_WRITE, 3);
		assert_int_equal(counter(&r, 0), 50);
		assert_int_equal(counter(&r, 1), 30);
		assert_int_equal(counter(&r, last), 7);
		OK(drv->stop(&r.dev));
		OK(drv->running(&r.dev, &running));
		assert_false(running);
		everything_happens(&r, 10);
		assert_int_equal(counter(&r, 0), 50);
		assert_int_equal(counter(&r, 1), 30);
		assert_int_equal(counter(&r, last), 7);
		OK(drv->start(&r.dev)); /* counting continues */
		everything_happens(&r, 5);
		assert_int_equal(counter(&r, 0), 55);
		assert_int_equal(counter(&r, last), 17);
		assert_int_equal(r.model.oddities, 0);
	}
}

/*
 * One write starts all counters, and one write stops them. So the counts are equal, however long
 * accesses take.
 */
static void test_all_together(void **state)
{
	(void)state;
	for (size_t k = 0; k < COUNT(cores); k++) {
		const struct pmk_driver *drv = cores[k]->driver;
		struct rig r;

		setup(&r, cores[k]);
		r.per_access = 7;
		OK(drv->reset(&r.dev));
		OK(drv->program(&r.dev, 0, 0x11));
		for (unsigned n = 1; n < cores[k]->ncounters; n++) {
			OK(drv->program(&r.dev, n, n % 2 ? 0x08 : 0x11));
			settled(&r);
		}
		OK(drv->start(&r.dev));
		everything_happens(&r, 100);
		OK(drv->stop(&r.dev));
		settled(&r);
		for (unsigned n = 0; n < cores[k]->ncounters; n++) {
			/* 100 events, and 7 at each of the two accesses of stop() */
			assert_int_equal(counter(&r, n), 114);
			settled(&r);
		}
	}
}

/* A counter that was not programmed does not count, whatever its type register says. */
static void test_unprogrammed_counters(void **state)
{
	const struct pmk_driver *drv = pmk_cortex_a53.driver;
	struct rig r;

	(void)state;
	setup(&r, &pmk_cortex_a53);
	for (unsigned n = 0; n < 6; n++)
		poke(&r, 49 + n, 0x08);
	poke(&r, 1, 0x8000003f);
	OK(drv->reset(&r.dev));
	OK(drv->program(&r.dev, 4, 0x08));
	OK(drv->start(&r.dev));
	everything_happens(&r, 9);
	for (unsigned n = 0; n <= 6; n++)
		assert_int_equal(counter(&r, n), n == 4 ? 9 : 0);
	assert_int_equal(peek(&r, 1), 0x08);
}

/*
 * reset() works if every field that the hardware's reset leaves UNKNOWN has a pattern in it, and if
 * an earlier user left the PMU running.
 */
static void test_reset_from_anything(void **state)
{
	static const uint64_t poisons[] = { 0, UINT64_MAX, 0x5555555555555555, 0xaaaaaaaaaaaaaaaa };

	(void)state;
	for (size_t k = 0; k < COUNT(cores); k++) {
		for (unsigned variant = 0; variant < 8; variant++) {
			struct pmk_armv8_params params = pmk_armv8_defaults(cores[k]);
			const struct pmk_driver *drv = cores[k]->driver;
			uint32_t mask;
			struct rig r;

			params.poison = poisons[variant % 4];
			setup_with(&r, cores[k], &params);
			if (variant >= 4) {
				poke(&r, 13, 0xffffffff);
				poke(&r, 1, 0xffffffff);
				poke(&r, 0, 0x39);
				poke(&r, 12, 0xffffffff);
				assert_int_equal(line(&r), 1);
			}
			r.per_access = 3;
			OK(drv->reset(&r.dev));
			r.per_access = 0;
			settled(&r);
			assert_int_equal(line(&r), 0);
			assert_int_equal(peek(&r, 0) & 0x7ff,
					 cores[k] == &pmk_armv8_long ? 0xc0 : 0x40);
			assert_int_equal(peek(&r, 1), 0);
			assert_int_equal(peek(&r, 3), 0);
			assert_int_equal(peek(&r, 13), 0);
			for (unsigned n = 0; n < cores[k]->ncounters; n++) {
				assert_int_equal(counter(&r, n), 0);
				settled(&r);
			}
			OK(drv->program(&r.dev, 0, 0x11));
			OK(drv->program(&r.dev, 2, 0x08));
			OK(drv->start(&r.dev));
			everything_happens(&r, 11);
			assert_int_equal(counter(&r, 0), 11);
			assert_int_equal(counter(&r, 2), 11);
			OK(drv->pending(&r.dev, &mask));
			assert_int_equal(mask, 0);
		}
	}
}

/*
 * Filters select the levels in which counters count. The exception level is an input of the model.
 */
static void test_filter_counts(void **state)
{
	static const struct {
		uint32_t filter;
		unsigned levels; /* a bit per exception level, Non-secure */
	} rows[] = {
		{ PMK_ARMV8_EL0_EL1, 3 },     { PMK_ARMV8_EL0, 1 }, { PMK_ARMV8_EL1, 2 },
		{ PMK_ARMV8_EL0_EL1_EL2, 7 }, { PMK_ARMV8_EL2, 4 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct pmk_driver *drv = pmk_cortex_a53.driver;
		struct rig r;

		setup(&r, &pmk_cortex_a53);
		pmk_armv8_set_filter(&r.dev, rows[i].filter);
		OK(drv->reset(&r.dev));
		OK(drv->program(&r.dev, 0, 0x11));
		OK(drv->program(&r.dev, 1, 0x08));
		OK(drv->start(&r.dev));
		for (unsigned el = 0; el < 3; el++) {
			uint64_t cycles = counter(&r, 0), insns = counter(&r, 1);
			unsigned expected = rows[i].levels >> el & 1 ? 20 : 0;

			pmk_armv8_model_input(&r.model, &r.bus, PMK_ARMV8_IN_EL, el);
			everything_happens(&r, 20);
			pmk_armv8_model_input(&r.model, &r.bus, PMK_ARMV8_IN_EL, 1);
			assert_int_equal(counter(&r, 0) - cycles, expected);
			assert_int_equal(counter(&r, 1) - insns, expected);
			settled(&r);
		}
	}
}

/* A reader at EL0 can read the counters where EL0 access is open, and can change nothing. */
static void test_el0(void **state)
{
	const struct pmk_driver *drv = pmk_cortex_a53.driver;
	struct rig r;

	(void)state;
	setup(&r, &pmk_cortex_a53);
	OK(drv->reset(&r.dev));
	OK(drv->program(&r.dev, 0, 0x11));
	OK(drv->program(&r.dev, 1, 0x08));
	OK(drv->start(&r.dev));
	for (unsigned open = 0; open < 3; open++) {
		OK(pmk_armv8_user_read(&r.dev, open == 1));
		everything_happens(&r, 8);
		r.to_model.mode = PMK_MODE_USER;
		for (size_t i = 0; i < COUNT(operations); i++) {
			bool reads = operations[i].run == do_read;

			settled(&r);
			assert_int_equal(operations[i].run(&r.dev),
					 open == 1 && reads ? 0 : PMK_EUNDEF);
			/*
			 * The operation stopped at the first access. Only probe() may continue
			 * without the version.
			 */
			assert_int_equal(r.log.n, operations[i].run == do_probe ? 2 : 1);
		}
		settled(&r);
		if (open == 1)
			assert_int_equal(counter(&r, 0), 16);
		assert_int_equal(pmk_armv8_user_read(&r.dev, true), PMK_EUNDEF);
		r.to_model.mode = PMK_MODE_PRIV;
		assert_int_equal(counter(&r, 0), 8 * (open + 1));
	}
}

/*
 * With PMUSERENR.EN, as some systems set it, the whole sequence works at EL0, but without
 * interrupts.
 */
static void test_el0_owns_it(void **state)
{
	const struct pmk_driver *drv = pmk_cortex_a53.driver;
	struct pmk_armv8_found found;
	struct rig r;

	(void)state;
	setup(&r, &pmk_cortex_a53);
	poke(&r, 11, 1);
	poke(&r, 13, 0x21);
	r.to_model.mode = PMK_MODE_USER;
	OK(pmk_armv8_probe(&r.dev, &found));
	assert_int_equal(found.version, 0);
	assert_int_equal(found.counters, 6);
	OK(drv->reset(&r.dev));
	OK(drv->program(&r.dev, 3, 0x08));
	OK(drv->start(&r.dev));
	everything_happens(&r, 8);
	assert_int_equal(counter(&r, 3), 8);
	OK(drv->stop(&r.dev));
	assert_int_equal(drv->irq_enable(&r.dev, 8), PMK_EUNDEF);
	r.to_model.mode = PMK_MODE_PRIV;
	assert_int_equal(peek(&r, 13), 0x21); /* EL1's enables */
}

/* ---- N, events, width: through the model --------------------------------------------------- */

static void test_model_counters(void **state)
{
	static const unsigned sizes[] = { 0, 1, 6, 31 };

	(void)state;
	for (size_t k = 0; k < COUNT(sizes); k++) {
		struct pmk_armv8_params params = pmk_armv8_defaults(&pmk_armv8);
		const struct pmk_driver *drv = pmk_armv8.driver;
		struct pmk_armv8_found found;
		struct rig r;

		params.counters = (uint8_t)sizes[k];
		setup_with(&r, &pmk_armv8, &params);
		OK(pmk_armv8_probe(&r.dev, &found));
		assert_int_equal(found.counters, sizes[k]);
		assert_int_equal(found.version, 5);
		OK(drv->reset(&r.dev));
		OK(drv->program(&r.dev, 0, 0x11));
		for (unsigned n = 1; n < 32; n++) {
			settled(&r);
			assert_int_equal(drv->program(&r.dev, n, 0x08),
					 n <= sizes[k] ? 0 : PMK_ENOCTR);
		}
		settled(&r);
		OK(drv->start(&r.dev));
		everything_happens(&r, 6);
		for (unsigned n = 0; n <= sizes[k]; n++) {
			assert_int_equal(counter(&r, n), 6);
			settled(&r);
		}
		assert_int_equal(r.model.oddities, 0);
	}
}

/*
 * The driver refuses counters that a hypervisor keeps. It does not access them, because the access
 * would trap.
 */
static void test_hypervisor_keeps_counters(void **state)
{
	const struct pmk_driver *drv = pmk_cortex_a53.driver;
	uint64_t value;
	struct rig r;

	(void)state;
	setup(&r, &pmk_cortex_a53);
	pmk_armv8_model_input(&r.model, &r.bus, PMK_ARMV8_IN_MDCR_EL2, 4); /* HPMN */
	OK(drv->reset(&r.dev));
	OK(drv->program(&r.dev, 4, 0x08));
	assert_int_equal(drv->program(&r.dev, 5, 0x08), PMK_ENOCTR);
	assert_int_equal(drv->read(&r.dev, 5, &value), PMK_ENOCTR);
	assert_int_equal(drv->write(&r.dev, 6, 0), PMK_ENOCTR);
	assert_int_equal(drv->irq_enable(&r.dev, 0x20), PMK_ENOCTR);
	OK(drv->start(&r.dev));
	everything_happens(&r, 5);
	assert_int_equal(counter(&r, 4), 5);
	assert_int_equal(r.model.oddities, 0);
}

/* The driver can program every event of a core, and its code is then in the type register. */
static void test_every_event(void **state)
{
	(void)state;
	for (size_t k = 0; k < COUNT(cores); k++) {
		const struct pmk_pmu *pmu = cores[k];
		struct pmk_armv8_found found;
		unsigned counted = 0;
		struct rig r;

		setup(&r, pmu);
		OK(pmk_armv8_probe(&r.dev, &found));
		for (unsigned i = 0; i < pmu->nevents; i++) {
			const struct pmk_event *ev = &pmu->events[i];
			int expected = pmk_armv8_counts(&found, ev->code) ? 0 : PMK_ENOTSUP;

			if (!pmk_pmu_has(pmu, ev))
				continue;
			if (ev->code == 0x1e && pmu == &pmk_armv8_long)
				expected = PMK_ENOCTR;
			settled(&r);
			assert_int_equal(pmu->driver->program(&r.dev, 2, ev->code), expected);
			if (expected)
				continue;
			assert_int_equal(peek(&r, 50), ev->code);
			counted += ev->signal != PMK_SIG_NONE;
		}
		assert_true(counted > 30);
	}
}

/*
 * With 32-bit overflow on PMUv3p5, the model's counter continues above bit 31, but the driver's
 * count does not.
 */
static void test_short_counters_on_p5(void **state)
{
	struct pmk_armv8_params params = pmk_armv8_defaults(&pmk_armv8);
	const struct pmk_driver *drv = pmk_armv8.driver;
	uint32_t mask;
	struct rig r;

	(void)state;
	params.version = 6;
	setup_with(&r, &pmk_armv8, &params);
	OK(drv->reset(&r.dev));
	OK(drv->program(&r.dev, 1, 0x08));
	OK(drv->write(&r.dev, 1, 0xfffffff0));
	OK(drv->start(&r.dev));
	everything_happens(&r, 0x20);
	assert_true(peek(&r, 18) == 0x100000010);
	assert_true(counter(&r, 1) == 0x10);
	OK(drv->pending(&r.dev, &mask));
	assert_int_equal(mask, 2);
}

/* With 64-bit overflow, there is no overflow at bit 31, but there is one at bit 63. */
static void test_long_counters(void **state)
{
	const struct pmk_driver *drv = pmk_armv8_long.driver;
	uint32_t mask;
	struct rig r;

	(void)state;
	setup(&r, &pmk_armv8_long);
	OK(drv->reset(&r.dev));
	OK(drv->program(&r.dev, 1, 0x08));
	OK(drv->program(&r.dev, 2, 0x11));
	OK(drv->write(&r.dev, 1, 0xfffffff0));
	OK(drv->write(&r.dev, 2, 0xfffffffffffffff0));
	OK(drv->start(&r.dev));
	everything_happens(&r, 0x20);
	assert_true(counter(&r, 1) == 0x100000010);
	assert_true(counter(&r, 2) == 0x10);
	OK(drv->pending(&r.dev, &mask));
	assert_int_equal(mask, 4);
}

/* A chained pair is a 64-bit counter, in which each counter has its own flag. */
static void test_chain(void **state)
{
	const struct pmk_driver *drv = pmk_cortex_a53.driver;
	uint32_t mask;
	struct rig r;

	(void)state;
	setup(&r, &pmk_cortex_a53);
	OK(drv->reset(&r.dev));
	OK(drv->program(&r.dev, 1, 0x08));
	OK(drv->program(&r.dev, 2, 0x1e));
	OK(drv->write(&r.dev, 1, 0xffffffff));
	OK(drv->write(&r.dev, 2, 0xfffffffe));
	OK(drv->start(&r.dev));
	everything_happens(&r, 1);
	assert_true(counter(&r, 1) == 0);
	assert_true(counter(&r, 2) == 0xffffffff);
	OK(drv->pending(&r.dev, &mask));
	assert_int_equal(mask, 2);
	everything_happens(&r, UINT64_C(0x100000000));
	assert_true(counter(&r, 2) == 0);
	OK(drv->pending(&r.dev, &mask));
	assert_int_equal(mask, 6);
	assert_int_equal(r.model.oddities, 0);
}

/* SW_INCR counts the writes of PMSWINC that have the bit of its counter. */
static void test_software_increment(void **state)
{
	const struct pmk_driver *drv = pmk_cortex_a53.driver;
	struct rig r;

	(void)state;
	setup(&r, &pmk_cortex_a53);
	OK(drv->reset(&r.dev));
	OK(drv->program(&r.dev, 3, 0x00));
	OK(drv->program(&r.dev, 4, 0x00));
	OK(drv->program(&r.dev, 5, 0x08));
	poke(&r, 4, 0x1c); /* while stopped */
	OK(drv->start(&r.dev));
	for (unsigned i = 0; i < 5; i++)
		poke(&r, 4, 0x14);
	assert_int_equal(counter(&r, 3), 5);
	assert_int_equal(counter(&r, 4), 0);
	assert_int_equal(counter(&r, 5), 0);
}

/* ---- overflow ------------------------------------------------------------------------------ */

/* Sets all counters to one below their maximum, with interrupts enabled. */
static void ready(struct rig *r, const struct pmk_pmu *pmu, bool running)
{
	unsigned last = pmu->ncounters - 1;

	setup(r, pmu);
	OK(do_reset(&r->dev));
	OK(pmu->driver->program(&r->dev, 0, 0x11));
	OK(pmu->driver->program(&r->dev, 1, 0x08));
	OK(pmu->driver->program(&r->dev, last, 0x10));
	OK(pmu->driver->irq_enable(&r->dev, 3 | 1u << last));
	settled(r);
	if (running)
		OK(do_start(&r->dev));
	OK(pmu->driver->write(&r->dev, 0, UINT64_MAX));
	OK(pmu->driver->write(&r->dev, 1, full(pmu, 1)));
	OK(pmu->driver->write(&r->dev, last, full(pmu, last)));
	settled(r);
}

static void test_wrap_between_reads(void **state)
{
	(void)state;
	for (size_t k = 0; k < COUNT(cores); k++) {
		const struct pmk_driver *drv = cores[k]->driver;
		uint64_t first, second;
		uint32_t mask;
		struct rig r;

		ready(&r, cores[k], true);
		OK(drv->write(&r.dev, 1, full(cores[k], 1) - 0xf));
		first = counter(&r, 1);
		everything_happens(&r, 0x30);
		second = counter(&r, 1);
		assert_true(second == 0x20);
		assert_true(((second - first) & full(cores[k], 1)) == 0x30);
		assert_true(counter(&r, 0) == 0x2f);
		OK(drv->pending(&r.dev, &mask));
		assert_true(mask == (3 | 1u << (cores[k]->ncounters - 1)));
		OK(drv->pending(&r.dev, &mask)); /* reading the flags clears none */
		assert_true(mask == (3 | 1u << (cores[k]->ncounters - 1)));
	}
}

/* With LC, the cycle counter does not overflow at 32 bits. */
static void test_cycles_are_long(void **state)
{
	const struct pmk_driver *drv = pmk_cortex_a53.driver;
	uint32_t mask;
	struct rig r;

	(void)state;
	ready(&r, &pmk_cortex_a53, true);
	OK(drv->write(&r.dev, 0, 0xffffffff));
	pmk_bus_add(&r.bus, PMK_SIG_CYCLE, 5);
	assert_true(counter(&r, 0) == 0x100000004);
	OK(drv->pending(&r.dev, &mask));
	assert_int_equal(mask, 0);
}

/*
 * Clearing any subset of the flags leaves the other flags set, and their interrupt raised. No
 * counter changes, whether it is running or stopped.
 */
static void test_clear_some(void **state)
{
	(void)state;
	for (unsigned set = 0; set < 128; set++) {
		for (unsigned running = 0; running < 2; running++) {
			const struct pmk_driver *drv = pmk_cortex_a53.driver;
			uint32_t mask, left = 0x8000003f;
			struct rig r;

			setup(&r, &pmk_cortex_a53);
			OK(drv->reset(&r.dev));
			settled(&r);
			OK(drv->program(&r.dev, 0, 0x11));
			OK(drv->write(&r.dev, 0, UINT64_MAX));
			for (unsigned n = 1; n <= 6; n++) {
				OK(drv->program(&r.dev, n, 0x08));
				OK(drv->write(&r.dev, n, 0xffffffff));
				settled(&r);
			}
			OK(drv->irq_enable(&r.dev, 0x7f));
			OK(drv->start(&r.dev));
			everything_happens(&r, 3);
			if (!running)
				OK(drv->stop(&r.dev));
			OK(drv->clear(&r.dev, set));
			for (unsigned i = 0; i < 7; i++)
				if (set >> i & 1)
					left &= ~(i ? 1u << (i - 1) : 0x80000000);
			assert_true(peek(&r, 3) == left);
			/*
			 * The interrupt line is high if PMCR.E is set and any counter has both its
			 * flag and its enable set.
			 */
			assert_int_equal(line(&r), running && left);
			OK(drv->pending(&r.dev, &mask));
			assert_int_equal(mask, 0x7f & ~set);
			settled(&r);
			for (unsigned n = 0; n <= 6; n++)
				assert_int_equal(counter(&r, n), 2);
		}
	}
}

/*
 * Each interrupt has its own enable. Without it the line stays low, and the line falls when the
 * enable is cleared.
 */
static void test_interrupt(void **state)
{
	for (unsigned n = 0; n <= 6; n++) {
		const struct pmk_driver *drv = pmk_cortex_a53.driver;
		struct rig r;

		(void)state;
		setup(&r, &pmk_cortex_a53);
		OK(drv->reset(&r.dev));
		OK(drv->program(&r.dev, n, 0x11));
		OK(drv->write(&r.dev, n, n ? 0xffffffff : UINT64_MAX));
		OK(drv->irq_enable(&r.dev, 0x7f & ~(1u << n)));
		OK(drv->start(&r.dev));
		settled(&r);
		everything_happens(&r, 1);
		assert_int_equal(line(&r), 0);
		OK(drv->irq_enable(&r.dev, 1u << n));
		assert_int_equal(line(&r), 1);
		OK(drv->irq_enable(&r.dev, 0));
		assert_int_equal(line(&r), 0);
		OK(drv->irq_enable(&r.dev, 1u << n));
		assert_int_equal(line(&r), 1);
		settled(&r);
		OK(do_take(&r.dev));
		assert_int_equal(reported, 1u << n);
		assert_int_equal(line(&r), 0);
		OK(do_take(&r.dev));
		assert_int_equal(reported, 0);
	}
}

/*
 * Lets every counter overflow directly before access number `at` of an operation, except the cycle
 * counter if it overflowed earlier (`pending`). Whatever the operation was, do_take() reports each
 * overflow exactly once, except the overflow that clear() was told to clear. Returns false if the
 * operation makes no such access.
 */
static bool overflow_before_access(const struct pmk_pmu *pmu, size_t op, bool running, bool pending,
				   int at)
{
	uint32_t all = 3 | 1u << (pmu->ncounters - 1);
	uint32_t asked = operations[op].run == do_clear ? 2 : 0;
	uint32_t expected = running ? all : 0, total = 0;
	struct rig r;

	ready(&r, pmu, running);
	if (pending)
		pmk_bus_add(&r.bus, PMK_SIG_CYCLE, 1);
	r.inject_at = at;
	reported = 0;
	OK(operations[op].run(&r.dev));
	if (operations[op].run == do_take)
		total = reported;
	if (!r.injected)
		return false;
	settled(&r);
	/*
	 * The operation may have changed the interrupt enables, so the test sets all of them again.
	 */
	OK(pmu->driver->irq_enable(&r.dev, all));
	/* If stop() cleared E before the overflow, the events did not count. */
	OK(do_take(&r.dev));
	assert_int_equal(total & reported, 0);
	total |= reported;
	assert_int_equal(total | asked, expected | asked);
	assert_int_equal(line(&r), 0);
	OK(do_take(&r.dev));
	assert_int_equal(reported, 0);
	return true;
}

static void test_overflow_is_never_lost(void **state)
{
	(void)state;
	for (size_t k = 0; k < COUNT(cores); k++) {
		/* Operation 0 is reset(), which may lose an overflow. */
		for (size_t op = 1; op < COUNT(operations); op++) {
			for (unsigned variant = 0; variant < 3; variant++) {
				bool running = variant < 2, pending = variant == 1;
				int at = 0;

				while (overflow_before_access(cores[k], op, running, pending, at))
					assert_true(++at < 20);
				assert_true(at > 0);
				/* The important race is between pending() and clear(). */
				if (operations[op].run == do_take)
					assert_int_equal(at, pending ? 2 : 1);
			}
		}
	}
}

/* An overflow that was pending before the operation is still reported after it. */
static void test_pending_overflow_survives(void **state)
{
	(void)state;
	for (size_t op = 1; op < COUNT(operations); op++) {
		for (unsigned running = 0; running < 2; running++) {
			struct rig r;

			if (operations[op].run == do_take || operations[op].run == do_clear)
				continue;
			ready(&r, &pmk_cortex_a53, true);
			everything_happens(&r, 1);
			if (!running)
				OK(do_stop(&r.dev));
			settled(&r);
			OK(operations[op].run(&r.dev));
			assert_true(peek(&r, 3) == 0x80000021);
			OK(do_take(&r.dev));
			assert_int_equal(reported, 0x43);
			assert_true(peek(&r, 3) == 0);
		}
	}
}

/*
 * Acts as an interrupt handler that runs before each access of an operation, and handles the
 * overflows. The operation must still have its usual effect.
 */
static void handler(struct rig *r)
{
	struct pmk_dev own = r->dev; /* the same PMU, without the log */

	own.port = r->inner;
	OK(do_take(&own));
	r->injected |= reported == 0x43;
}

static int interrupted_read(void *ctx, unsigned reg, uint64_t *value)
{
	struct rig *r = ctx;

	handler(r);
	return r->inner.read(r->inner.ctx, reg, value);
}

static int interrupted_write(void *ctx, unsigned reg, uint64_t value)
{
	struct rig *r = ctx;

	handler(r);
	return r->inner.write(r->inner.ctx, reg, value);
}

static void test_interrupted_by_handler(void **state)
{
	(void)state;
	for (size_t op = 0; op < COUNT(operations); op++) {
		uint64_t regs[2][80];

		for (unsigned pass = 0; pass < 2; pass++) {
			struct rig r;

			ready(&r, &pmk_cortex_a53, true);
			everything_happens(&r, 1);
			if (pass) {
				r.dev.port.read = interrupted_read;
				r.dev.port.write = interrupted_write;
			}
			OK(operations[op].run(&r.dev));
			assert_int_equal(r.injected, pass);
			handler(&r); /* handles the remaining overflows */
			for (unsigned reg = 0; reg < 80; reg++)
				if (r.inner.read(r.inner.ctx, reg, &regs[pass][reg]))
					regs[pass][reg] = 0xbad;
		}
		assert_memory_equal(regs[0], regs[1], sizeof(regs[0]));
	}
}

/* ---- the other views ----------------------------------------------------------------------- */

/*
 * A port that executes MRC and MCR p15, 0 on the model, with the operands in the family's table.
 * The upper halves of PMCEID are c9, c14, 4 and 5.
 */
static int cp15_read(void *ctx, unsigned reg, uint64_t *value)
{
	unsigned place = pmk_armv8_places[reg].cp15;
	struct rig *r = ctx;
	uint32_t low, high = 0;
	int err;

	if (place == 0xffff)
		return PMK_EBADREG;
	if (reg == 8)
		return pmk_armv8_mrrc(&r->model, &r->bus, PMK_MODE_PRIV, value);
	err = pmk_armv8_mrc(&r->model, &r->bus, PMK_MODE_PRIV, place >> 7, place >> 3 & 15,
			    place & 7, &low);
	if (!err && (reg == 6 || reg == 7))
		err = pmk_armv8_mrc(&r->model, &r->bus, PMK_MODE_PRIV, 9, 14, reg - 2, &high);
	*value = (uint64_t)high << 32 | low;
	return err;
}

static int cp15_write(void *ctx, unsigned reg, uint64_t value)
{
	unsigned place = pmk_armv8_places[reg].cp15;
	struct rig *r = ctx;

	if (reg == 8)
		return pmk_armv8_mcrr(&r->model, &r->bus, PMK_MODE_PRIV, value);
	return pmk_armv8_mcr(&r->model, &r->bus, PMK_MODE_PRIV, place >> 7, place >> 3 & 15,
			     place & 7, (uint32_t)value);
}

/*
 * A port that accesses words of the model's memory-mapped view, at the offsets and widths for
 * struct pmk_mmio.
 */
static int word_read(void *ctx, unsigned reg, uint64_t *value)
{
	unsigned offset = pmk_armv8_mmio_offsets[reg];
	struct rig *r = ctx;
	uint32_t low, high = 0;
	int err;

	if (offset == PMK_MMIO_NONE)
		return PMK_EBADREG;
	err = pmk_armv8_load(&r->model, &r->bus, offset, &low);
	if (!err && (pmk_armv8_mmio_wide[reg / 32] >> reg % 32 & 1))
		err = pmk_armv8_load(&r->model, &r->bus, offset + 4, &high);
	*value = (uint64_t)high << 32 | low;
	return err;
}

static int word_write(void *ctx, unsigned reg, uint64_t value)
{
	unsigned offset = pmk_armv8_mmio_offsets[reg];
	struct rig *r = ctx;
	int err;

	if (offset == PMK_MMIO_NONE)
		return PMK_EBADREG;
	err = pmk_armv8_store(&r->model, &r->bus, offset, (uint32_t)value);
	if (!err && (pmk_armv8_mmio_wide[reg / 32] >> reg % 32 & 1))
		err = pmk_armv8_store(&r->model, &r->bus, offset + 4, (uint32_t)(value >> 32));
	return err;
}

/*
 * Runs a whole sequence in AArch32 (view 0) or in memory (view 1). The driver works in each view as
 * in AArch64.
 */
static void live_in_view(unsigned view)
{
	const struct pmk_driver *drv = pmk_armv8.driver;
	struct pmk_armv8_params params = pmk_armv8_defaults(&pmk_armv8);
	struct pmk_armv8_found found;
	struct pmk_port words;
	bool running;
	struct rig r;

	params.counters = 30;
	setup_with(&r, &pmk_armv8, &params);
	words = (struct pmk_port){ word_read, word_write, NULL, &r };
	r.dev.port = view ? pmk_armv8_port_memory(&words)
			  : (struct pmk_port){ cp15_read, cp15_write, NULL, &r };
	OK(pmk_armv8_store(&r.model, &r.bus, 0xfb0, 0xc5acce55)); /* PMLAR */
	OK(pmk_armv8_probe(&r.dev, &found));
	assert_int_equal(found.counters, 30);
	assert_int_equal(found.version, 0);
	assert_true(found.pmceid[0] == peek(&r, 6));
	assert_true(found.pmceid[1] == peek(&r, 7));
	OK(drv->reset(&r.dev));
	OK(drv->program(&r.dev, 0, 0x11));
	for (unsigned n = 1; n < 32; n++)
		assert_int_equal(drv->program(&r.dev, n, n % 2 ? 0x08 : 0x10),
				 n < 31 ? 0 : PMK_ENOCTR);
	OK(drv->write(&r.dev, 0, 0xfffffffffffffff0));
	OK(drv->write(&r.dev, 30, 0xffffffff));
	OK(drv->irq_enable(&r.dev, 0x40000001));
	OK(drv->start(&r.dev));
	OK(drv->running(&r.dev, &running));
	assert_true(running);
	pmk_bus_add(&r.bus, PMK_SIG_CYCLE, 0x30);
	pmk_bus_add(&r.bus, PMK_SIG_INSN, 0x31);
	pmk_bus_add(&r.bus, PMK_SIG_BRANCH_MISS, 2);
	for (unsigned n = 1; n < 30; n++)
		assert_int_equal(counter(&r, n), n % 2 ? 0x31 : 2);
	assert_int_equal(counter(&r, 0), 0x20);
	assert_int_equal(counter(&r, 30), 1);
	assert_int_equal(line(&r), 1);
	OK(do_take(&r.dev));
	assert_true(reported == 0x40000001);
	assert_int_equal(line(&r), 0);
	OK(drv->write(&r.dev, 0, 0x123456789));
	assert_true(counter(&r, 0) == 0x123456789);
	OK(drv->stop(&r.dev));
	OK(drv->running(&r.dev, &running));
	assert_false(running);
	assert_int_equal(pmk_armv8_user_read(&r.dev, true), view ? PMK_EBADREG : 0);
}

static void test_views(void **state)
{
	(void)state;
	live_in_view(0);
	live_in_view(1);
}

/* The memory port of firmware, on a block of memory, accesses the right words. */
static void test_memory_port(void **state)
{
	static uint32_t block[1024];
	struct pmk_mmio mmio = {
		.base = (uintptr_t)block,
		.offset = pmk_armv8_mmio_offsets,
		.noffsets = 83,
		.wide = pmk_armv8_mmio_wide,
	};
	struct pmk_port words = pmk_port_mmio(&mmio);
	struct pmk_dev dev = { .pmu = &pmk_armv8, .port = pmk_armv8_port_memory(&words) };
	const struct pmk_driver *drv = pmk_armv8.driver;
	struct pmk_armv8_found found;
	uint64_t value;

	(void)state;
	memset(block, 0, sizeof(block));
	block[0xe00 / 4] = 0x00007f06; /* PMCFGR: N = 6 */
	block[0xe04 / 4] = 0x00000040; /* PMCR, without N */
	block[0xe20 / 4] = 0x00000100; /* PMCEID0 … 3 */
	block[0xe24 / 4] = 0x00000002;
	block[0xe28 / 4] = 0x80000001;
	block[0xe2c / 4] = 0x00000003;
	OK(pmk_armv8_probe(&dev, &found));
	assert_int_equal(found.counters, 6);
	assert_true(found.pmceid[0] == 0x8000000100000100);
	assert_true(found.pmceid[1] == 0x0000000300000002);
	OK(drv->program(&dev, 3, 0x08));
	assert_int_equal(block[0x408 / 4], 0x08);
	assert_int_equal(drv->program(&dev, 7, 0x08), PMK_ENOCTR);
	assert_int_equal(drv->program(&dev, 2, 0x06), PMK_ENOTSUP);
	OK(drv->program(&dev, 0, 0x11));
	OK(drv->write(&dev, 0, 0x1122334455667788));
	assert_int_equal(block[0x0f8 / 4], 0x55667788);
	assert_int_equal(block[0x0fc / 4], 0x11223344);
	OK(drv->read(&dev, 0, &value));
	assert_true(value == 0x1122334455667788);
	block[0x010 / 4] = 1234;
	block[0x014 / 4] = 5678; /* upper half of PMEVCNTR2, not read */
	OK(drv->read(&dev, 3, &value));
	assert_true(value == 1234);
	OK(drv->start(&dev));
	assert_true(block[0xc00 / 4] == 0x80000004);
	assert_int_equal(block[0xe04 / 4] & 0x7ff, 0x41);
	OK(drv->clear(&dev, 8));
	assert_int_equal(block[0xc80 / 4], 4);
	assert_int_equal(pmk_armv8_user_read(&dev, true), PMK_EBADREG);
	/* The register numbers after the driver's registers are words of the port itself. */
	assert_int_equal(dev.port.read(dev.port.ctx, 80, &value), PMK_EBADREG);
	assert_int_equal(dev.port.write(dev.port.ctx, 82, 0), PMK_EBADREG);
}

/* If an access to either word of a register fails, the port returns the error. */
static void test_memory_port_errors(void **state)
{
	static const unsigned regs[] = { 0, 6, 7 };
	struct canned c;
	struct pmk_port port;
	uint64_t value;

	(void)state;
	can(&c, &pmk_armv8);
	port = pmk_armv8_port_memory(&c.dev.port);
	for (size_t i = 0; i < COUNT(regs); i++) {
		for (int at = 0; at < 3; at++) {
			forget(&c.log);
			c.log.fail_at = at;
			assert_int_equal(port.read(port.ctx, regs[i], &value),
					 at < 2 ? PMK_EIO : 0);
			assert_int_equal(c.log.n, at ? 2 : 1);
		}
	}
	forget(&c.log);
	OK(port.read(port.ctx, 3, &value));
	OK(port.write(port.ctx, 3, 5));
	check_log(&c.log, "R3 W3=5");
	assert_null(port.settle); /* on hardware time passes by itself */
}

/* ---- a session ----------------------------------------------------------------------------- */

/*
 * The totals of a session equal the totals of the bus. There are more events than counters, and the
 * counters wrap many times.
 */
static void test_session_totals(void **state)
{
	static const uint16_t codes[] = { 0x11, 0x08, 0x06, 0x07, 0x10, 0x13, 0x04, 0x03, 0x1d };
	static struct pmk_armv8_model model[2];
	static struct pmk_session s;
	struct pmk_model_port to[2];
	struct pmk_port port[2];
	struct pmk_plan plan = { .nevents = COUNT(codes) };
	uint64_t base[PMK_NSIGNALS], totals[PMK_MAX_EVENTS];
	struct rig r;

	(void)state;
	setup(&r, &pmk_cortex_a53);
	for (size_t i = 0; i < COUNT(codes); i++)
		plan.event[i].code = codes[i];
	OK(pmk_plan_make(&pmk_cortex_a53, &plan));
	assert_int_equal(plan.npasses, 2); /* there are seven counters */
	assert_int_equal(plan.event[0].counter, 0);
	for (unsigned i = 0; i < 2; i++) {
		to[i] = (struct pmk_model_port){ .ops = pmk_model_find(&pmk_cortex_a53),
						 .model = &model[i],
						 .bus = &r.bus,
						 .mode = PMK_MODE_PRIV };
		to[i].ops->reset(&model[i], &r.bus, to[i].ops->pmu);
		port[i] = pmk_port_model(&to[i]);
	}
	OK(pmk_session_open(&s, &pmk_cortex_a53, &plan, port));
	OK(pmk_session_start(&s));
	memcpy(base, r.bus.total, sizeof(base));
	for (unsigned poll = 0; poll < 100; poll++) {
		for (unsigned sig = 0; sig < PMK_NSIGNALS; sig++)
			pmk_bus_add(&r.bus, (enum pmk_signal)sig, 0x7ffffff0 - 12345 * sig);
		OK(pmk_session_read(&s, totals));
		for (size_t i = 0; i < COUNT(codes); i++) {
			const struct pmk_event *ev = pmk_pmu_event_code(&pmk_cortex_a53, codes[i]);
			uint64_t truth = r.bus.total[ev->signal] - base[ev->signal];

			if (ev->signal2 != PMK_SIG_NONE)
				truth += r.bus.total[ev->signal2] - base[ev->signal2];
			assert_true(totals[i] == truth);
			assert_false(pmk_session_wrapped(&s, (unsigned)i));
		}
	}
	assert_true(totals[1] > UINT64_C(40) << 32);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_v2_sequences),
		cmocka_unit_test(test_v1_sequences),
		cmocka_unit_test(test_sequences),
		cmocka_unit_test(test_sequences_long),
		cmocka_unit_test(test_other_bits_of_pmcr),
		cmocka_unit_test(test_every_counter),
		cmocka_unit_test(test_reset_forgets_counters),
		cmocka_unit_test(test_filter),
		cmocka_unit_test(test_number_of_counters),
		cmocka_unit_test(test_fewer_counters_later),
		cmocka_unit_test(test_read_without_reset),
		cmocka_unit_test(test_pmceid),
		cmocka_unit_test(test_arguments),
		cmocka_unit_test(test_read_is_masked),
		cmocka_unit_test(test_long_needs_p5),
		cmocka_unit_test(test_reset_at_el0),
		cmocka_unit_test(test_user_read),
		cmocka_unit_test(test_probe),
		cmocka_unit_test(test_port_error),
		cmocka_unit_test(test_outputs_after_an_error),
		cmocka_unit_test(test_counting),
		cmocka_unit_test(test_all_together),
		cmocka_unit_test(test_unprogrammed_counters),
		cmocka_unit_test(test_reset_from_anything),
		cmocka_unit_test(test_filter_counts),
		cmocka_unit_test(test_el0),
		cmocka_unit_test(test_el0_owns_it),
		cmocka_unit_test(test_model_counters),
		cmocka_unit_test(test_hypervisor_keeps_counters),
		cmocka_unit_test(test_every_event),
		cmocka_unit_test(test_short_counters_on_p5),
		cmocka_unit_test(test_long_counters),
		cmocka_unit_test(test_chain),
		cmocka_unit_test(test_software_increment),
		cmocka_unit_test(test_wrap_between_reads),
		cmocka_unit_test(test_cycles_are_long),
		cmocka_unit_test(test_clear_some),
		cmocka_unit_test(test_interrupt),
		cmocka_unit_test(test_overflow_is_never_lost),
		cmocka_unit_test(test_pending_overflow_survives),
		cmocka_unit_test(test_interrupted_by_handler),
		cmocka_unit_test(test_views),
		cmocka_unit_test(test_memory_port),
		cmocka_unit_test(test_memory_port_errors),
		cmocka_unit_test(test_session_totals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
