// SPDX-License-Identifier: MIT
/*
 * The programming sequence of the Valtrix blog ("Programming ARM v8 Performance Monitors", 25 May
 * 2016) on the model. Each step is as printed there, and the test checks the counters' values after
 * it. Then come the recipe of docs/armv8.md, and one test for each mistake that this page lists.
 *
 * Numbers are literal. Registers: 0 PMCR, 1 PMCNTENSET, 2 PMCNTENCLR, 3 PMOVSCLR, 5 PMSELR, 6
 * PMCEID0, 7 PMCEID1, 8 PMCCNTR, 9 PMXEVTYPER, 10 PMXEVCNTR, 11 PMUSERENR, 12 PMOVSSET, 13
 * PMINTENSET, 14 PMINTENCLR, 16 PMCCFILTR, 18 + n PMEVCNTR<n>, 49 + n PMEVTYPER<n>.
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

#include "cpu/a64/a64.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define OK(call) assert_int_equal(call, 0)

enum {
	PMCR = 0,
	CNTENSET = 1,
	CNTENCLR = 2,
	OVSCLR = 3,
	SELR = 5,
	CEID0 = 6,
	CEID1 = 7,
	CCNTR = 8
};
enum { XEVTYPER = 9, XEVCNTR = 10, USERENR = 11, OVSSET = 12, INTENSET = 13, INTENCLR = 14 };
enum { CCFILTR = 16 };
#define EVCNTR(n)  (18u + (n))
#define EVTYPER(n) (49u + (n))

/* What the pseudocode's `print` prints: an event number and a counter, in the form of %x. */
struct print {
	unsigned event;
	char value[20];
};

struct lab {
	const struct pmk_model_ops *ops;
	struct pmk_bus bus;
	struct pmk_armv8_model model;
	enum pmk_mode mode;
	/* Variables of the pseudocode that keep their values from one part to the next. */
	uint32_t num_evnt_cntrs, pmceid[2];
	struct print cycles, print[64];
	unsigned nprints;
};

static uint64_t read_register(struct lab *l, unsigned reg)
{
	uint64_t value = 0x5555;

	OK(l->ops->read(&l->model, &l->bus, l->mode, reg, &value));
	return value;
}

static void write_register(struct lab *l, unsigned reg, uint64_t value)
{
	OK(l->ops->write(&l->model, &l->bus, l->mode, reg, value));
}

/* Sets up the model of `pmu` at EL1, on a bus that has the signals of emulated A64 cores. */
static void setup_with(struct lab *l, const struct pmk_pmu *pmu,
		       const struct pmk_armv8_params *params)
{
	memset(l, 0, sizeof(*l));
	l->ops = pmk_model_find(pmu);
	pmk_bus_init(&l->bus);
	l->bus.raised = pmk_a64_raises(NULL);
	pmk_armv8_model_reset(&l->model, pmu, params, &l->bus);
}

static void setup(struct lab *l, const struct pmk_pmu *pmu)
{
	struct pmk_armv8_params params = pmk_armv8_defaults(pmu);

	setup_with(l, pmu, &params);
}

static void input(struct lab *l, enum pmk_armv8_input in, uint64_t value)
{
	pmk_armv8_model_input(&l->model, &l->bus, in, value);
}

static void at_el(struct lab *l, unsigned el)
{
	input(l, PMK_ARMV8_IN_EL, el);
}

/* Executes `n` instructions of a cycle each. Every 10th reads memory, every 100th misses level
 * 1. */
static void stream(struct lab *l, uint64_t n)
{
	pmk_bus_add(&l->bus, PMK_SIG_INSN, n);
	pmk_bus_add(&l->bus, PMK_SIG_CYCLE, n);
	pmk_bus_add(&l->bus, PMK_SIG_L1D_LOOKUP, n / 10);
	pmk_bus_add(&l->bus, PMK_SIG_L1D_MISS, n / 100);
}

/* ---- the blog ------------------------------------------------------------------------------ */

static bool is_evnt_supported(const struct lab *l, unsigned j)
{
	return l->pmceid[j >> 5] >> (j & 31) & 1;
}

static void blog_setup(struct lab *l)
{
	uint64_t pmcr_val, pmuserenr_val;

	pmcr_val = read_register(l, PMCR);
	l->num_evnt_cntrs = (uint32_t)(pmcr_val >> 11) & 0x1F;
	if (l->num_evnt_cntrs != 0) {
		l->pmceid[0] = (uint32_t)read_register(l, CEID0);
		l->pmceid[1] = (uint32_t)read_register(l, CEID1);
	}
	pmuserenr_val = read_register(l, USERENR);
	write_register(l, USERENR, pmuserenr_val | 0xD);
}

static void blog_start(struct lab *l)
{
	uint64_t pmcr_val;
	unsigned i = 0;

	for (unsigned j = 0; j < 64; j++) {
		if (i >= l->num_evnt_cntrs)
			break;
		if (is_evnt_supported(l, j)) {
			write_register(l, SELR, i++);
			write_register(l, XEVTYPER, 0x80000000 | j);
		}
	}
	write_register(l, CCFILTR, 0x80000000);
	write_register(l, CNTENSET, 0x80000000 | ((UINT32_C(1) << l->num_evnt_cntrs) - 1));
	pmcr_val = read_register(l, PMCR);
	write_register(l, PMCR, pmcr_val | 0x7); /* the blog omits the register's name */
}

static void blog_stop(struct lab *l)
{
	uint64_t pmcr_val, pmue_ccntr;
	unsigned i = 0;

	write_register(l, CNTENCLR, 0x80000000 | ((UINT32_C(1) << l->num_evnt_cntrs) - 1));
	pmcr_val = read_register(l, PMCR);
	write_register(l, PMCR, pmcr_val & ~UINT64_C(0x7));
	pmue_ccntr = read_register(l, CCNTR);
	snprintf(l->cycles.value, sizeof(l->cycles.value), "%x", (unsigned)pmue_ccntr);
	for (unsigned j = 0; j < 64; j++) {
		if (i >= l->num_evnt_cntrs)
			break;
		if (is_evnt_supported(l, j)) {
			struct print *p = &l->print[l->nprints++];

			write_register(l, SELR, i++);
			p->event = j;
			snprintf(p->value, sizeof(p->value), "%x",
				 (unsigned)read_register(l, XEVCNTR));
		}
	}
}

/* Compares the prints with a text such as "cycles 7d2, 0=0 1=0 2=0 3=14 4=c8 5=0". */
static void check_prints(const struct lab *l, const char *expected)
{
	char text[1024];
	int n = snprintf(text, sizeof(text), "cycles %s,", l->cycles.value);

	for (unsigned i = 0; i < l->nprints; i++)
		n += snprintf(text + n, sizeof(text) - (size_t)n, " %x=%s", l->print[i].event,
			      l->print[i].value);
	assert_string_equal(text, expected);
}

static void test_setup(void **state)
{
	struct lab l;

	(void)state;
	setup(&l, &pmk_cortex_a53);
	blog_setup(&l);
	assert_int_equal(l.num_evnt_cntrs, 6);
	assert_int_equal(l.pmceid[0], 0x63ffbfff); /* 0x67ffbfff without memory_error */
	assert_int_equal(l.pmceid[1], 0);
	assert_int_equal(read_register(&l, USERENR), 0xd);
}

/*
 * The sequence takes the first events: on a Cortex-A53 the first six, which include neither
 * instructions (0x08) nor branches.
 */
static void test_start(void **state)
{
	struct lab l;

	(void)state;
	setup(&l, &pmk_cortex_a53);
	blog_setup(&l);
	blog_start(&l);
	for (unsigned n = 0; n < 6; n++)
		assert_int_equal(read_register(&l, EVTYPER(n)), 0x80000000 | n);
	assert_int_equal(read_register(&l, CCFILTR), 0x80000000);
	assert_int_equal(read_register(&l, CNTENSET), 0x8000003f);
	assert_int_equal(read_register(&l, PMCR), 0x41033001); /* C and P read as 0 */
	assert_int_equal(l.model.oddities, 0);
	/* Old counts are gone, because P and C zero all counters. */
	setup(&l, &pmk_cortex_a53);
	for (unsigned n = 0; n < 6; n++)
		write_register(&l, EVCNTR(n), 99);
	write_register(&l, CCNTR, 99);
	blog_setup(&l);
	blog_start(&l);
	blog_stop(&l);
	check_prints(&l, "cycles 0, 0=0 1=0 2=0 3=0 4=0 5=0");
	assert_int_equal(read_register(&l, CNTENSET), 0);
	assert_int_equal(read_register(&l, PMCR), 0x41033000);
}

/* ---- 1: P is not an enable ------------------------------------------------------------------ */

static void run_at(struct lab *l, unsigned el, uint64_t n)
{
	blog_setup(l);
	blog_start(l);
	at_el(l, el);
	stream(l, n);
	at_el(l, 1);
	blog_stop(l);
}

/* If everything runs at EL1, as in a bare-metal test, nothing is counted, not even cycles. */
static void test_el1_counts_nothing(void **state)
{
	struct lab l;

	(void)state;
	setup(&l, &pmk_cortex_a53);
	run_at(&l, 1, 0x7d4);
	check_prints(&l, "cycles 0, 0=0 1=0 2=0 3=0 4=0 5=0");
}

/*
 * If the stream runs at EL0, and the code that starts and stops the counters at EL1, only the
 * stream is counted.
 */
static void test_el0_counts(void **state)
{
	struct lab l;

	(void)state;
	setup(&l, &pmk_cortex_a53);
	blog_setup(&l);
	blog_start(&l);
	stream(&l, 20); /* instructions at EL1 */
	at_el(&l, 0);
	stream(&l, 0x7d2);
	at_el(&l, 1);
	stream(&l, 18);
	blog_stop(&l);
	check_prints(&l, "cycles 7d2, 0=0 1=0 2=0 3=14 4=c8 5=0");
}

/*
 * The filter excludes other levels, too: EL2 needs NSH and EL3 needs M = P. P also applies to
 * Secure EL1.
 */
static void test_other_levels(void **state)
{
	struct lab l;

	(void)state;
	for (unsigned el = 2; el <= 3; el++) {
		setup(&l, &pmk_cortex_a53);
		input(&l, PMK_ARMV8_IN_MDCR_EL3, 0x20000); /* SPME, because EL3 is Secure */
		run_at(&l, el, 0x7d4);
		check_prints(&l, "cycles 0, 0=0 1=0 2=0 3=0 4=0 5=0");
	}
	setup(&l, &pmk_cortex_a53);
	input(&l, PMK_ARMV8_IN_MDCR_EL3, 0x20000);
	input(&l, PMK_ARMV8_IN_SECURE, 1);
	run_at(&l, 1, 0x7d4);
	check_prints(&l, "cycles 0, 0=0 1=0 2=0 3=0 4=0 5=0");
	setup(&l, &pmk_cortex_a53);
	input(&l, PMK_ARMV8_IN_MDCR_EL3, 0x20000);
	input(&l, PMK_ARMV8_IN_SECURE, 1);
	run_at(&l, 0, 0x7d2);
	check_prints(&l, "cycles 7d2, 0=0 1=0 2=0 3=14 4=c8 5=0");
}

/*
 * INST_RETIRED under each filter: at_el1 is its count of a stream at EL1, and at_el0 its count of a
 * stream at EL0 with 0x26 instructions at EL1 around it.
 */
static void test_filters(void **state)
{
	static const struct {
		uint32_t filter;
		uint64_t at_el1, at_el0; /* the streams have 0x7d4 and 0x7d2 instructions */
	} rows[] = {
		{ 0x00000000, 0x7d4, 0x7f8 },
		{ 0x80000000, 0, 0x7d2 },
		{ 0x40000000, 0x7d4, 0x26 },
		{ 0xc0000000, 0, 0 },
	};
	struct lab l;

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		setup(&l, &pmk_cortex_a53);
		write_register(&l, EVTYPER(0), rows[i].filter | 0x08);
		write_register(&l, CCFILTR, rows[i].filter);
		write_register(&l, CNTENSET, 0x80000001);
		write_register(&l, PMCR, 0x7);
		stream(&l, 0x7d4);
		assert_int_equal(read_register(&l, EVCNTR(0)), rows[i].at_el1);
		assert_int_equal(read_register(&l, CCNTR), rows[i].at_el1);
		write_register(&l, PMCR, 0x7);
		stream(&l, 20);
		at_el(&l, 0);
		stream(&l, 0x7d2);
		at_el(&l, 1);
		stream(&l, 18);
		assert_int_equal(read_register(&l, EVCNTR(0)), rows[i].at_el0);
		assert_int_equal(read_register(&l, CCNTR), rows[i].at_el0);
	}
}

/* ---- 2: 31 event counters ------------------------------------------------------------------ */

/*
 * With 31 event counters, the mask has no bit for a 32nd. Bit 31 is the cycle counter, and PMSELR =
 * 31 selects its filter.
 */
static void test_31_counters(void **state)
{
	struct lab l;

	(void)state;
	setup(&l, &pmk_armv8);
	blog_setup(&l);
	assert_int_equal(l.num_evnt_cntrs, 31);
	blog_start(&l);
	assert_true(read_register(&l, CNTENSET) == 0xffffffff);
	write_register(&l, SELR, 30);
	assert_true(read_register(&l, XEVTYPER) == read_register(&l, EVTYPER(30)));
	write_register(&l, SELR, 31);
	assert_int_equal(read_register(&l, XEVTYPER), 0x80000000); /* PMCCFILTR */
	write_register(&l, CCFILTR, 0x40000000);
	assert_int_equal(read_register(&l, XEVTYPER), 0x40000000);
}

/* A core with only the cycle counter programs no event, and enables one bit. */
static void test_no_event_counters(void **state)
{
	struct pmk_armv8_params params = pmk_armv8_defaults(&pmk_armv8);
	struct lab l;

	(void)state;
	params.counters = 0;
	setup_with(&l, &pmk_armv8, &params);
	run_at(&l, 0, 0x7d2);
	assert_int_equal(l.num_evnt_cntrs, 0);
	assert_int_equal(l.pmceid[0], 0); /* the sequence never reads PMCEID0 */
	check_prints(&l, "cycles 7d2,");
}

/* ---- 4: earlier state --------------------------------------------------------------- */

/*
 * PMCR.P and C zero the counters, but do not clear flags. A flag that was set at the start is still
 * set at the end.
 */
static void test_flags_stay(void **state)
{
	struct lab l;

	(void)state;
	setup(&l, &pmk_cortex_a53);
	write_register(&l, OVSSET, 0x80000003);
	run_at(&l, 0, 0x7d2);
	check_prints(&l, "cycles 7d2, 0=0 1=0 2=0 3=14 4=c8 5=0");
	assert_int_equal(read_register(&l, OVSCLR), 0x80000003);
}

/*
 * After reset, PMINTENSET and PMOVSSET are UNKNOWN. They may have interrupts enabled and pending,
 * so setting E raises one at once.
 */
static void test_interrupt_at_once(void **state)
{
	struct pmk_armv8_params params = pmk_armv8_defaults(&pmk_cortex_a53);
	struct lab l;

	(void)state;
	params.poison = UINT64_MAX;
	setup_with(&l, &pmk_cortex_a53, &params);
	blog_setup(&l);
	assert_int_equal(l.ops->lines(&l.model), 0);
	blog_start(&l);
	assert_int_equal(l.ops->lines(&l.model), 1);
	blog_stop(&l);
	assert_int_equal(read_register(&l, OVSCLR), 0x8000003f);
	assert_int_equal(read_register(&l, INTENSET), 0x8000003f);
}

/* "| 0x7" keeps the other bits of PMCR. With D = 1 and LC = 0, one of 64 cycles counts. */
static void test_divider_stays(void **state)
{
	struct lab l;

	(void)state;
	setup(&l, &pmk_cortex_a53);
	write_register(&l, PMCR, 0x8);
	run_at(&l, 0, 0x7d2);
	check_prints(&l, "cycles 1f, 0=0 1=0 2=0 3=14 4=c8 5=0"); /* 2002 / 64 */
	setup(&l, &pmk_cortex_a53);
	write_register(&l, PMCR, 0x48); /* with LC = 1, D has no effect */
	run_at(&l, 0, 0x7d2);
	check_prints(&l, "cycles 7d2, 0=0 1=0 2=0 3=14 4=c8 5=0");
}

/*
 * If types are changed while E is 1, the events between the writes are counted until P zeroes the
 * counters.
 */
static void test_programmed_while_running(void **state)
{
	struct lab l;

	(void)state;
	setup(&l, &pmk_cortex_a53);
	write_register(&l, CNTENSET, 0x1);
	write_register(&l, PMCR, 0x1);
	write_register(&l, EVCNTR(0), 0xffffffff);
	write_register(&l, EVTYPER(0), 0x8);
	stream(&l, 1); /* an instruction of the start code */
	blog_setup(&l);
	blog_start(&l);
	assert_int_equal(read_register(&l, OVSCLR), 0x1);
	assert_int_equal(read_register(&l, EVCNTR(0)), 0);
}

/* ---- 5: PMSELR ------------------------------------------------------------------------------- */

/*
 * The selection is shared state. If a handler selects between the two writes, the second write goes
 * to another counter. (Without an ISB, hardware may also reorder the two writes, which no model can
 * show.)
 */
static void test_selection_is_shared(void **state)
{
	struct lab l;

	(void)state;
	setup(&l, &pmk_cortex_a53);
	write_register(&l, SELR, 0);
	write_register(&l, SELR, 3); /* an interrupt handler selects another counter */
	write_register(&l, XEVTYPER, 0x80000008);
	assert_int_equal(read_register(&l, EVTYPER(0)), 0);
	assert_int_equal(read_register(&l, EVTYPER(3)), 0x80000008);
}

/* ---- 6: all counters are enabled ------------------------------------------------------------- */

/*
 * If only three of six counters have an event, the other three count the events that an earlier
 * user left in their type registers.
 */
static void test_counters_without_an_event(void **state)
{
	struct pmk_armv8_params params = pmk_armv8_defaults(&pmk_cortex_a53);
	struct lab l;

	(void)state;
	params.pmceid[0] = 0x00020101; /* SW_INCR, INST_RETIRED, CPU_CYCLES */
	setup_with(&l, &pmk_cortex_a53, &params);
	write_register(&l, EVTYPER(3), 0x08); /* from an earlier user */
	write_register(&l, EVCNTR(3), 0);
	blog_setup(&l);
	blog_start(&l);
	assert_int_equal(read_register(&l, CNTENSET), 0x8000003f);
	at_el(&l, 0);
	stream(&l, UINT64_C(0x100000005));
	at_el(&l, 1);
	assert_int_equal(read_register(&l, EVCNTR(3)), 5);
	assert_int_equal(read_register(&l, OVSCLR) & 0x38,
			 0x08); /* the counter's flag, which the sequence does not expect */
	blog_stop(&l);
	assert_int_equal(l.nprints, 3);
	assert_int_equal(l.print[2].event, 0x11);
}

/* ---- 8, 10: events that are picked, events that are not ------------------------------------- */

/*
 * With many counters, CHAIN is one of the first N events. Here counter 29 has it, and counts the
 * carries of counter 28, which has BUS_CYCLES. The user requested neither.
 */
static void test_chain_is_picked(void **state)
{
	struct pmk_armv8_params params = pmk_armv8_defaults(&pmk_armv8);
	struct lab l;

	(void)state;
	setup(&l, &pmk_armv8);
	blog_setup(&l);
	blog_start(&l);
	/* 0x1a memory_error is not raised, so from 0x1b on, counter n has event n + 1. */
	assert_int_equal(read_register(&l, EVTYPER(28)), 0x8000001d);
	assert_int_equal(read_register(&l, EVTYPER(29)), 0x8000001e);
	assert_int_equal(l.model.oddities & PMK_ARMV8_ODD_CHAIN, 0);
	/* CHAIN in an even counter never counts. */
	params.pmceid[0] = 0x7ffffffe;
	setup_with(&l, &pmk_armv8, &params);
	blog_setup(&l);
	blog_start(&l);
	assert_int_equal(read_register(&l, EVTYPER(28)), 0x8000001e);
	assert_int_equal(l.model.oddities & PMK_ARMV8_ODD_CHAIN, PMK_ARMV8_ODD_CHAIN);
}

/*
 * Codes 0x4000 to 0x403f have their own bits in the upper halves of PMCEID, but the blog never
 * reads these bits.
 */
static void test_extended_events_are_not_asked_for(void **state)
{
	struct lab l;

	(void)state;
	setup(&l, &pmk_armv8);
	assert_true(read_register(&l, CEID0) >> 32);
	blog_setup(&l);
	blog_start(&l);
	for (unsigned n = 0; n < 31; n++)
		assert_true((read_register(&l, EVTYPER(n)) & 0xffff) < 0x40);
}

/* ---- 9: stopping ----------------------------------------------------------------------------- */

/* The first write stops all counters: E is still 1, but no counter is enabled. */
static void test_stop_order(void **state)
{
	struct lab l;

	(void)state;
	setup(&l, &pmk_cortex_a53);
	blog_setup(&l);
	blog_start(&l);
	at_el(&l, 0);
	stream(&l, 100);
	write_register(&l, CNTENCLR, 0x8000003f);
	stream(&l, 100);
	assert_int_equal(read_register(&l, PMCR) & 1, 1);
	assert_int_equal(read_register(&l, CCNTR), 100);
	assert_int_equal(read_register(&l, EVCNTR(4)), 10);
}

/* ---- 11, 14: wraps and widths --------------------------------------------------------------- */

/*
 * 2^32 + 2002 cycles pass, with ten times as many data accesses. The event counter has wrapped, and
 * the sequence does not read its flag. %x prints only the lower half of the cycle counter.
 */
static void test_wraps(void **state)
{
	struct lab l;

	(void)state;
	setup(&l, &pmk_cortex_a53);
	blog_setup(&l);
	blog_start(&l);
	at_el(&l, 0);
	pmk_bus_add(&l.bus, PMK_SIG_CYCLE, UINT64_C(0x1000007d2));
	pmk_bus_add(&l.bus, PMK_SIG_L1D_LOOKUP, UINT64_C(0x100000007));
	at_el(&l, 1);
	blog_stop(&l);
	check_prints(&l, "cycles 7d2, 0=0 1=0 2=0 3=0 4=7 5=0");
	assert_int_equal(read_register(&l, OVSCLR), 0x80000010); /* LC = 0: PMCCNTR flags bit 31 */
	assert_true(read_register(&l, CCNTR) == UINT64_C(0x1000007d2));
}

/* ---- 12: permissions of EL0 ----------------------------------------------------------------- */

static int try_write(struct lab *l, unsigned reg, uint64_t value)
{
	return l->ops->write(&l->model, &l->bus, PMK_MODE_USER, reg, value);
}

static int try_read(struct lab *l, unsigned reg)
{
	uint64_t value;

	return l->ops->read(&l->model, &l->bus, PMK_MODE_USER, reg, &value);
}

/* If PMUSERENR is 0xD, its bit EN is set, so EL0 can write the registers of the PMU. If it is 0xC
 * (ER and CR), EL0 can only read the counters and write PMSELR. */
static void test_user_enable(void **state)
{
	static const unsigned
		writable[] = { PMCR,	 CNTENSET, CNTENCLR, OVSCLR,  SELR, CCNTR,
			       XEVTYPER, XEVCNTR,  OVSSET,   CCFILTR, 4 /* PMSWINC */ };
	struct lab l;

	(void)state;
	setup(&l, &pmk_cortex_a53);
	blog_setup(&l);
	for (size_t i = 0; i < COUNT(writable); i++)
		OK(try_write(&l, writable[i], 0));
	assert_int_equal(try_write(&l, INTENSET, 1), PMK_EUNDEF);
	assert_int_equal(try_write(&l, USERENR, 0), PMK_EUNDEF);
	write_register(&l, USERENR, 0xc);
	for (size_t i = 0; i < COUNT(writable); i++) {
		int expected = writable[i] == SELR ? 0 : PMK_EUNDEF;

		assert_int_equal(try_write(&l, writable[i], 0), expected);
		if (expected) {
			assert_int_equal(l.model.trap.ec, 0x18);
			assert_int_equal(l.model.trap.el, 1);
		}
	}
	OK(try_read(&l, CCNTR));
	OK(try_read(&l, XEVCNTR));
	OK(try_read(&l, EVCNTR(5)));
	assert_int_equal(try_read(&l, PMCR), PMK_EUNDEF);
	assert_int_equal(try_read(&l, CNTENSET), PMK_EUNDEF);
}

/* ---- 13: levels above EL1 ------------------------------------------------------------------ */

static void check_trap(struct lab *l, unsigned el)
{
	uint64_t value;

	assert_int_equal(l->ops->read(&l->model, &l->bus, PMK_MODE_PRIV, PMCR, &value), PMK_EUNDEF);
	assert_int_equal(l->model.trap.ec, 0x18);
	assert_int_equal(l->model.trap.el, el);
}

/*
 * A hypervisor that keeps two counters lowers N. A hypervisor that keeps the whole PMU traps the
 * first access.
 */
static void test_hypervisor(void **state)
{
	struct lab l;

	(void)state;
	setup(&l, &pmk_cortex_a53);
	input(&l, PMK_ARMV8_IN_MDCR_EL2, 4);
	run_at(&l, 0, 0x7d2);
	assert_int_equal(l.num_evnt_cntrs, 4);
	check_prints(&l, "cycles 7d2, 0=0 1=0 2=0 3=14");
	input(&l, PMK_ARMV8_IN_MDCR_EL2, 0x46); /* TPM */
	check_trap(&l, 2);
	input(&l, PMK_ARMV8_IN_MDCR_EL2, 6);
	input(&l, PMK_ARMV8_IN_MDCR_EL3, 0x40); /* TPM */
	check_trap(&l, 3);
}

/* In Secure state, events are prohibited unless EL3 permits them. Cycles are not prohibited. */
static void test_secure(void **state)
{
	struct lab l;

	(void)state;
	setup(&l, &pmk_cortex_a53);
	input(&l, PMK_ARMV8_IN_SECURE, 1);
	run_at(&l, 0, 0x7d2);
	check_prints(&l, "cycles 7d2, 0=0 1=0 2=0 3=0 4=0 5=0");
}

/* ---- the recipe of docs/armv8.md ------------------------------------------------------------ */

/* Steps 1 to 6 of the recipe, for INST_RETIRED, L1D_CACHE_REFILL and cycles at EL0 and EL1. */
static void recipe_start(struct lab *l, uint32_t filter)
{
	write_register(l, PMCR, 0x40); /* LC; E = 0 */
	write_register(l, CNTENCLR, 0xffffffff);
	write_register(l, INTENCLR, 0xffffffff);
	write_register(l, OVSCLR, 0xffffffff);
	write_register(l, EVTYPER(0), filter | 0x08);
	write_register(l, EVTYPER(1), filter | 0x03);
	write_register(l, CCFILTR, filter);
	write_register(l, PMCR, 0x46); /* LC, C, P */
	write_register(l, CNTENSET, 0x80000003);
	write_register(l, PMCR, 0x41); /* LC, E */
}

/* Checks steps 7 and 8 of the recipe. */
static void check_recipe(struct lab *l, uint64_t cycles, uint64_t insns, uint64_t misses,
			 uint32_t flags)
{
	write_register(l, PMCR, 0x40);
	stream(l, 1000); /* counters are stopped */
	assert_true(read_register(l, CCNTR) == cycles);
	assert_true(read_register(l, EVCNTR(0)) == insns);
	assert_true(read_register(l, EVCNTR(1)) == misses);
	assert_int_equal(read_register(l, OVSCLR), flags);
	assert_int_equal(l->ops->lines(&l->model), 0);
}

static void test_recipe(void **state)
{
	static const uint64_t poisons[] = { 0, UINT64_MAX, 0x8, 0x5555555555555555 };
	struct lab l;

	(void)state;
	for (size_t i = 0; i < COUNT(poisons); i++) {
		struct pmk_armv8_params params = pmk_armv8_defaults(&pmk_cortex_a53);

		params.poison = poisons[i];
		setup_with(&l, &pmk_cortex_a53, &params);
		recipe_start(&l, 0);
		assert_int_equal(read_register(&l, CNTENSET), 0x80000003);
		stream(&l, 0x7d4); /* at EL1 */
		check_recipe(&l, 0x7d4, 0x7d4, 20, 0);
		recipe_start(&l, 0x80000000); /* only EL0 */
		stream(&l, 20);
		at_el(&l, 0);
		stream(&l, 0x7d2);
		at_el(&l, 1);
		stream(&l, 18);
		check_recipe(&l, 0x7d2, 0x7d2, 20, 0);
	}
}

/*
 * Wraps are visible: each flag means that 2^32 is missing from its counter. The cycle counter has
 * all 64 bits.
 */
static void test_recipe_wraps(void **state)
{
	struct lab l;

	(void)state;
	setup(&l, &pmk_cortex_a53);
	recipe_start(&l, 0);
	stream(&l, UINT64_C(0x1000007d2));
	check_recipe(&l, UINT64_C(0x1000007d2), 0x7d2, 42949692, 0x1);
}

/* The driver and the recipe leave the same values in the registers. */
static void test_recipe_is_the_drivers(void **state)
{
	static const unsigned regs[] = { PMCR,	  CNTENSET,   OVSCLR,	  INTENSET,
					 CCFILTR, EVTYPER(0), EVTYPER(1), CCNTR };
	static const uint32_t filters[] = { 0, 0x80000000, 0x40000000, 0x08000000 };
	const struct pmk_driver *drv = pmk_cortex_a53.driver;
	struct pmk_armv8_params params = pmk_armv8_defaults(&pmk_cortex_a53);
	struct lab mine, its;

	(void)state;
	params.poison = UINT64_MAX;
	for (size_t i = 0; i < COUNT(filters); i++) {
		struct pmk_model_port to = { .model = &its.model, .bus = &its.bus };
		struct pmk_dev dev = { .pmu = &pmk_cortex_a53 };

		setup_with(&mine, &pmk_cortex_a53, &params);
		setup_with(&its, &pmk_cortex_a53, &params);
		to.ops = its.ops;
		dev.port = pmk_port_model(&to);
		recipe_start(&mine, filters[i]);
		OK(drv->reset(&dev));
		pmk_armv8_set_filter(&dev, filters[i]);
		OK(drv->program(&dev, 1, 0x08));
		OK(drv->program(&dev, 2, 0x03));
		OK(drv->program(&dev, 0, 0x11));
		OK(drv->start(&dev));
		for (size_t k = 0; k < COUNT(regs); k++)
			assert_true(read_register(&mine, regs[k]) == read_register(&its, regs[k]));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_setup),
		cmocka_unit_test(test_start),
		cmocka_unit_test(test_el1_counts_nothing),
		cmocka_unit_test(test_el0_counts),
		cmocka_unit_test(test_other_levels),
		cmocka_unit_test(test_filters),
		cmocka_unit_test(test_31_counters),
		cmocka_unit_test(test_no_event_counters),
		cmocka_unit_test(test_flags_stay),
		cmocka_unit_test(test_interrupt_at_once),
		cmocka_unit_test(test_divider_stays),
		cmocka_unit_test(test_programmed_while_running),
		cmocka_unit_test(test_selection_is_shared),
		cmocka_unit_test(test_counters_without_an_event),
		cmocka_unit_test(test_chain_is_picked),
		cmocka_unit_test(test_extended_events_are_not_asked_for),
		cmocka_unit_test(test_stop_order),
		cmocka_unit_test(test_wraps),
		cmocka_unit_test(test_user_enable),
		cmocka_unit_test(test_hypervisor),
		cmocka_unit_test(test_secure),
		cmocka_unit_test(test_recipe),
		cmocka_unit_test(test_recipe_wraps),
		cmocka_unit_test(test_recipe_is_the_drivers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
