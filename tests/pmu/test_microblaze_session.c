// SPDX-License-Identifier: MIT
/*
 * Sessions on MicroBlaze counters: the 64-bit totals and the distributions always equal what the
 * test's script raised, however often a counter or a sum wraps. The script obeys the horizon as an
 * emulated core does. The session reads the models through the driver: directly, through the debug
 * module's registers, and through its JTAG side.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <pmk/microblaze.h>
#include <pmk/microblaze_model.h>
#include <pmk/model.h>
#include <pmk/session.h>
#include "../unit.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define OK(call) assert_int_equal(call, 0)

/* GNU C, because ISO C has no integer of this width. */
__extension__ typedef unsigned __int128 u128;

static uint64_t seed = 88172645463325252u;

static uint64_t random64(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed * UINT64_C(0x9E3779B97F4A7C15);
}

static uint64_t pick(uint64_t n)
{
	return (random64() >> 8) % n;
}

/* ---- a machine ----------------------------------------------------------------------------- */

enum way { DIRECT, MEMORY, JTAG, NWAYS };

#define PASSES 20

/* What happened while the session counted, by signal. */
struct truth {
	uint64_t n, sum;
	u128 squares;
	uint64_t min, max;
};

struct rig {
	enum way way;
	struct pmk_microblaze_pmu pmu;
	const struct pmk_model_ops *ops;
	struct pmk_bus bus;
	struct pmk_plan plan;
	struct pmk_session session;
	bool counting;
	struct truth truth[PMK_NSIGNALS];
	uint64_t fail_at; /* number of accesses until one fails; 0: none fails */
	int error;	  /* the error of that access */
	uint64_t accesses;
	/* Each pass has one latency counter and one event counter. */
	struct pmk_microblaze_model model[PASSES];
	struct pmk_model_port to_model[PASSES];
	struct pmk_port processor[PASSES];
	struct pmk_mdm_model module[PASSES];
	struct pmk_mdm_jtag_model chain[PASSES];
	struct pmk_mdm mdm[PASSES];
	struct pmk_mdm_jtag jtag[PASSES];
	struct pmk_port way_in[PASSES];
	struct pass {
		struct rig *rig;
		unsigned index;
	} pass[PASSES];
	struct pmk_port port[PASSES];
};

/* Returns the error if this access of the session must fail. Such an access has no effect. */
static int failing(struct pass *p)
{
	p->rig->accesses++;
	return p->rig->fail_at && --p->rig->fail_at == 0 ? p->rig->error : 0;
}

static int port_read(void *ctx, unsigned reg, uint64_t *value)
{
	struct pass *p = ctx;
	const struct pmk_port *port = &p->rig->way_in[p->index];
	int err = failing(p);

	return err ? err : port->read(port->ctx, reg, value);
}

static int port_write(void *ctx, unsigned reg, uint64_t value)
{
	struct pass *p = ctx;
	const struct pmk_port *port = &p->rig->way_in[p->index];
	int err = failing(p);

	return err ? err : port->write(port->ctx, reg, value);
}

static void connect(struct rig *r, unsigned i)
{
	r->to_model[i] = (struct pmk_model_port){ r->ops, &r->model[i], &r->bus, PMK_MODE_PRIV };
	r->processor[i] = pmk_port_model(&r->to_model[i]);
	r->ops->reset(&r->model[i], &r->bus, &r->pmu.pmu);
	pmk_mdm_model_reset(&r->module[i], &pmk_mdm_defaults, &r->processor[i], 1);
	pmk_mdm_jtag_model_reset(&r->chain[i], &r->module[i]);
	r->mdm[i] = (struct pmk_mdm){
		.load = pmk_mdm_model_load,
		.store = pmk_mdm_model_store,
		.ctx = &r->module[i],
		.ports = 1,
		.patience = 3,
	};
	r->jtag[i] = (struct pmk_mdm_jtag){
		.select = pmk_mdm_jtag_model_select,
		.scan = pmk_mdm_jtag_model_scan,
		.ctx = &r->chain[i],
		.ports = 1,
	};
	r->way_in[i] = r->processor[i];
	if (r->way == MEMORY) {
		OK(pmk_mdm_open(&r->mdm[i]));
		r->way_in[i] = pmk_port_mdm(&r->mdm[i]);
	} else if (r->way == JTAG) {
		OK(pmk_mdm_jtag_open(&r->jtag[i]));
		r->way_in[i] = pmk_port_mdm_jtag(&r->jtag[i]);
	}
	r->pass[i] = (struct pass){ r, i };
	r->port[i] = (struct pmk_port){ port_read, port_write, NULL, &r->pass[i] };
}

static void ask_models(struct rig *r)
{
	pmk_bus_forget(&r->bus);
	for (unsigned i = 0; i < r->plan.npasses; i++)
		r->ops->ask(&r->model[i], &r->bus);
}

static void setup(struct rig *r, enum way way, unsigned events, unsigned latencies, unsigned width,
		  const struct pmk_plan *plan)
{
	memset(r, 0, sizeof(*r));
	r->way = way;
	OK(pmk_microblaze_configure(&r->pmu, events, latencies, width));
	r->ops = pmk_model_find(&r->pmu.pmu);
	pmk_bus_init(&r->bus);
	r->bus.total[PMK_SIG_CYCLE] = 12345;
	r->bus.total[PMK_SIG_INSN] = 54321;
	r->plan = *plan;
	OK(pmk_plan_make(&r->pmu.pmu, &r->plan));
	assert_in_range(r->plan.npasses, 1, PASSES);
	for (unsigned i = 0; i < r->plan.npasses; i++)
		connect(r, i);
	OK(pmk_session_open(&r->session, &r->pmu.pmu, &r->plan, r->port));
	for (unsigned s = 0; s < PMK_NSIGNALS; s++)
		r->truth[s].min = UINT64_MAX;
	ask_models(r);
}

static void teardown(const struct rig *r)
{
	for (unsigned i = 0; i < r->plan.npasses; i++)
		assert_int_equal(r->model[i].oddities, 0);
}

static void start(struct rig *r)
{
	OK(pmk_session_start(&r->session));
	r->counting = true;
	ask_models(r);
}

static void stop(struct rig *r)
{
	OK(pmk_session_stop(&r->session));
	r->counting = false;
	ask_models(r);
}

/* ---- the script ---------------------------------------------------------------------------- */

/* Does what an emulated core does at its deadline. */
static void service(struct rig *r)
{
	if (!pmk_bus_due(&r->bus))
		return;
	OK(pmk_session_poll(&r->session));
	ask_models(r);
	assert_false(pmk_bus_due(&r->bus));
}

static void happened(struct rig *r, enum pmk_signal sig, uint64_t n, uint64_t cycles)
{
	struct truth *t = &r->truth[sig];

	if (!r->counting || !n)
		return;
	t->n += n;
	t->sum += n * cycles;
	t->squares += (u128)n * cycles * cycles;
	if (cycles < t->min)
		t->min = cycles;
	if (cycles > t->max)
		t->max = cycles;
}

static void happen(struct rig *r, enum pmk_signal sig, uint64_t n)
{
	happened(r, sig, n, 1);
	while (n) {
		uint64_t horizon = pmk_bus_horizon(&r->bus, sig);
		uint64_t step = n < horizon ? n : horizon;

		assert_true(step > 0);
		pmk_bus_add(&r->bus, sig, step);
		n -= step;
		service(r);
	}
}

/* Records a latency, which no other event overlaps. */
static void latency_happens(struct rig *r, enum pmk_signal sig, uint32_t cycles)
{
	happened(r, sig, 1, cycles);
	pmk_bus_record(&r->bus, sig, r->bus.total[PMK_SIG_CYCLE], cycles);
	pmk_bus_add(&r->bus, sig, 1);
	happen(r, PMK_SIG_CYCLE, cycles);
	service(r);
}

static uint64_t count_of(const struct rig *r, unsigned code)
{
	switch (code) {
	case 0:
		return r->truth[PMK_SIG_INSN].n;
	case 30:
		return r->truth[PMK_SIG_CYCLE].n;
	case 44:
		return r->truth[PMK_SIG_BR_TAKEN].n + r->truth[PMK_SIG_BR_NOT_TAKEN].n;
	case 58:
		return r->truth[PMK_SIG_L1D_CACHED_READ].n;
	case 60:
		return r->truth[PMK_SIG_L1I_ACCESS].n;
	case 62:
		return r->truth[PMK_SIG_PERIPHERAL_READ].n;
	default:
		fail_msg("no truth of event %u", code);
		return 0;
	}
}

static const struct truth *times_of(const struct rig *r, unsigned code)
{
	return &r->truth[code == 58   ? PMK_SIG_L1D_CACHED_READ
			 : code == 60 ? PMK_SIG_L1I_ACCESS
				      : PMK_SIG_PERIPHERAL_READ];
}

static void expect_distribution(const struct rig *r, unsigned i, int line)
{
	const struct pmk_wide_latency *l = pmk_session_latency(&r->session, i);
	const struct truth *t = times_of(r, r->plan.event[i].code);

	assert_non_null(l);
	if (l->values.n != t->n || l->values.sum != t->sum ||
	    l->values.sq_low != (uint64_t)t->squares ||
	    l->values.sq_high != (uint64_t)(t->squares >> 64))
		fail_msg(
			"line %d, event %u: n %llu of %llu, sum %llu of %llu, squares %llu of %llu",
			line, r->plan.event[i].code, (unsigned long long)l->values.n,
			(unsigned long long)t->n, (unsigned long long)l->values.sum,
			(unsigned long long)t->sum, (unsigned long long)l->values.sq_low,
			(unsigned long long)t->squares);
	if (t->n) {
		assert_int_equal(l->values.min, t->min);
		assert_int_equal(l->values.max, t->max);
	} else {
		assert_true(l->values.min > l->values.max);
	}
	assert_false(l->full);
	assert_false(pmk_session_saturated(&r->session, i));
}

static void expect_values(const struct rig *r, const uint64_t *totals, int line)
{
	for (unsigned i = 0; i < r->plan.nevents; i++) {
		uint64_t want = count_of(r, r->plan.event[i].code);

		if (totals[i] != want)
			fail_msg("line %d: event %u is %llu, want %llu", line,
				 r->plan.event[i].code, (unsigned long long)totals[i],
				 (unsigned long long)want);
		if (pmk_session_latency(&r->session, i))
			expect_distribution(r, i, line);
		assert_false(pmk_session_wrapped(&r->session, i));
	}
}

static void expect_exact(struct rig *r, int line)
{
	uint64_t totals[PMK_MAX_EVENTS];

	OK(pmk_session_read(&r->session, totals));
	expect_values(r, totals, line);
	ask_models(r);
}

#define EXPECT_EXACT(r) expect_exact(r, __LINE__)

static const struct pmk_plan six = {
	.nevents = 6,
	.event = { { .code = 0 },
		   { .code = 62 },
		   { .code = 30 },
		   { .code = 44 },
		   { .code = 58 },
		   { .code = 60 } },
};

/* Calls `check` for every kind of access and every width, with three latency counters and three
 * event counters. */
static void on_every_way(void (*check)(struct rig *r))
{
	static const unsigned widths[] = { 32, 48, 64 };
	static struct rig r;

	for (enum way way = DIRECT; way < NWAYS; way++)
		for (size_t w = 0; w < COUNT(widths); w++) {
			setup(&r, way, 3, 3, widths[w], &six);
			assert_int_equal(r.plan.npasses, 1);
			check(&r);
			teardown(&r);
		}
}

/* ---- distributions ------------------------------------------------------------------------- */

static void check_nothing(struct rig *r)
{
	EXPECT_EXACT(r);
	start(r);
	EXPECT_EXACT(r);
	stop(r);
	happen(r, PMK_SIG_INSN, 100);
	latency_happens(r, PMK_SIG_PERIPHERAL_READ, 100);
	EXPECT_EXACT(r);
}

static void test_nothing(void **state)
{
	(void)state;
	on_every_way(check_nothing);
}

static void check_constant_and_two_valued(struct rig *r)
{
	r->bus.longest = 24;
	start(r);
	for (unsigned i = 0; i < 10000; i++) {
		latency_happens(r, PMK_SIG_PERIPHERAL_READ, 7);
		latency_happens(r, PMK_SIG_L1I_ACCESS, i % 3 ? 4 : 24);
		happen(r, PMK_SIG_L1D_CACHED_READ, 5);
		if (i % 3333 == 0)
			EXPECT_EXACT(r);
	}
	EXPECT_EXACT(r);
	assert_int_equal(r->truth[PMK_SIG_PERIPHERAL_READ].sum, 70000);
}

static void test_constant_and_two_valued(void **state)
{
	(void)state;
	on_every_way(check_constant_and_two_valued);
}

/* Events are not counted while the session is stopped. */
static void check_stop_and_go(struct rig *r)
{
	r->bus.longest = 99;
	for (unsigned i = 0; i < 200; i++) {
		if (i % 3 == 0)
			start(r);
		latency_happens(r, PMK_SIG_PERIPHERAL_READ, i % 100);
		happen(r, PMK_SIG_PERIPHERAL_READ, i);
		happen(r, PMK_SIG_INSN, 3 * i);
		if (i % 3 == 1)
			stop(r);
		if (i % 7 == 0)
			EXPECT_EXACT(r);
	}
	EXPECT_EXACT(r);
}

static void test_stop_and_go(void **state)
{
	(void)state;
	on_every_way(check_stop_and_go);
}

/* ---- wraps ----------------------------------------------------------------------- */

/*
 * Totals are right after several wraps of the event counters. 64-bit counters do not wrap, because
 * totals have 64 bits.
 */
static void check_events_go_round(struct rig *r)
{
	unsigned width = r->pmu.config.width;
	uint64_t range = width == 64 ? UINT64_C(1) << 62 : UINT64_C(1) << width;

	start(r);
	for (unsigned i = 0; i < 3; i++) {
		happen(r, PMK_SIG_INSN, range - 3);
		EXPECT_EXACT(r);
		happen(r, PMK_SIG_INSN, 7);
		happen(r, PMK_SIG_BR_TAKEN, range / 2 + i);
		happen(r, PMK_SIG_BR_NOT_TAKEN, range / 2);
		EXPECT_EXACT(r);
		happen(r, PMK_SIG_CYCLE, range / 2 - 1);
	}
	EXPECT_EXACT(r);
}

static void test_events_go_round(void **state)
{
	(void)state;
	on_every_way(check_events_go_round);
}

/*
 * Sums of squares are right after the counter's sum wrapped several times, at every width. The
 * session extends them to 128 bits.
 */
static void check_sums_go_round(struct rig *r)
{
	static const uint32_t longest[] = { 60000, 4000000, 4000000000 };
	unsigned width = r->pmu.config.width;
	uint32_t most = longest[width == 32 ? 0 : width / 16 - 2];

	r->bus.longest = most;
	start(r);
	for (unsigned i = 0; i < 300; i++) {
		latency_happens(r, PMK_SIG_PERIPHERAL_READ, most - (uint32_t)pick(100));
		latency_happens(r, PMK_SIG_PERIPHERAL_READ, (uint32_t)pick(most));
		happen(r, PMK_SIG_PERIPHERAL_READ, 1000000);
		if (i % 50 == 0)
			EXPECT_EXACT(r);
	}
	EXPECT_EXACT(r);
	assert_true(r->truth[PMK_SIG_PERIPHERAL_READ].squares >> width > 1);
}

static void test_sums_go_round(void **state)
{
	(void)state;
	on_every_way(check_sums_go_round);
}

/* N is right after its 32 bits wrapped, however wide the sums are. */
static void test_occurrences_go_round(void **state)
{
	static const unsigned widths[] = { 32, 48, 64 };
	static struct rig r;

	(void)state;
	for (size_t w = 0; w < COUNT(widths); w++) {
		setup(&r, DIRECT, 3, 3, widths[w], &six);
		r.bus.longest = 50;
		start(&r);
		latency_happens(&r, PMK_SIG_L1I_ACCESS, 50);
		happen(&r, PMK_SIG_L1I_ACCESS, UINT64_C(0x380000000));
		latency_happens(&r, PMK_SIG_L1I_ACCESS, 50);
		EXPECT_EXACT(&r);
		happen(&r, PMK_SIG_L1I_ACCESS, UINT64_C(0x200000000) - 1);
		EXPECT_EXACT(&r);
		teardown(&r);
	}
}

/* In random configurations, the session counts random sequences of signals exactly. */
static void test_random(void **state)
{
	static const unsigned widths[] = { 32, 48, 64 };
	static const uint8_t timed[] = { PMK_SIG_L1D_CACHED_READ, PMK_SIG_L1I_ACCESS,
					 PMK_SIG_PERIPHERAL_READ };
	static const uint8_t others[] = { PMK_SIG_INSN, PMK_SIG_CYCLE, PMK_SIG_BR_TAKEN,
					  PMK_SIG_BR_NOT_TAKEN };
	static struct rig r;

	(void)state;
	for (unsigned round = 0; round < UNIT_SAMPLES(300); round++) {
		static const uint32_t longest[] = { 2, 40, 1000, 30000, 65534 };
		uint32_t most = longest[pick(COUNT(longest))];

		setup(&r, pick(NWAYS), 1 + (unsigned)pick(4), 1 + (unsigned)pick(3),
		      widths[pick(3)], &six);
		r.bus.longest = most;
		start(&r);
		for (unsigned step = 0; step < 300; step++) {
			switch (pick(8)) {
			case 0:
				EXPECT_EXACT(&r);
				break;
			case 1:
				happen(&r, others[pick(4)], pick(UINT64_C(1) << pick(36)));
				break;
			case 2:
				if (pick(4))
					break;
				stop(&r);
				latency_happens(&r, timed[pick(3)], 1 + (uint32_t)pick(most));
				start(&r);
				break;
			case 3:
				happen(&r, timed[pick(3)], pick(UINT64_C(1) << pick(25)));
				break;
			default:
				for (unsigned k = pick(30); k; k--)
					latency_happens(&r, timed[pick(3)],
							1 + (uint32_t)pick(most));
			}
		}
		EXPECT_EXACT(&r);
		teardown(&r);
	}
}

/*
 * Totals are right if the producer continues for a while after it should have stopped, as between
 * blocks of code.
 */
static void test_late_producer(void **state)
{
	static struct rig r;

	(void)state;
	for (unsigned round = 0; round < 20; round++) {
		setup(&r, DIRECT, 3, 3, 32, &six);
		r.bus.longest = 700;
		start(&r);
		for (unsigned i = 0; i < 30000; i++) {
			uint32_t cycles = 1 + (uint32_t)pick(700);

			happened(&r, PMK_SIG_L1D_CACHED_READ, 1, cycles);
			pmk_bus_record(&r.bus, PMK_SIG_L1D_CACHED_READ, r.bus.total[PMK_SIG_CYCLE],
				       cycles);
			pmk_bus_add(&r.bus, PMK_SIG_L1D_CACHED_READ, 1);
			happened(&r, PMK_SIG_CYCLE, cycles, 1);
			pmk_bus_add(&r.bus, PMK_SIG_CYCLE, cycles);
			if (pick(2048) == 0)
				service(&r);
			else if (r.bus.timed >= r.bus.timed_due + 2047)
				service(&r);
		}
		EXPECT_EXACT(&r);
		teardown(&r);
	}
}

/* ---- inexact counts are marked -------------------------------------------------------------- */

static const struct pmk_plan one_latency = { .nevents = 1, .event = { { .code = 62 } } };

static const struct pmk_wide_latency *read_one(struct rig *r)
{
	uint64_t totals[PMK_MAX_EVENTS];

	OK(pmk_session_read(&r->session, totals));
	assert_int_equal(totals[0], r->truth[PMK_SIG_PERIPHERAL_READ].n);
	return pmk_session_latency(&r->session, 0);
}

/* Acts as a producer that ignores the horizon. */
static void at_once(struct rig *r, unsigned n, uint32_t cycles)
{
	for (unsigned i = 0; i < n; i++) {
		happened(r, PMK_SIG_PERIPHERAL_READ, 1, cycles);
		pmk_bus_record(&r->bus, PMK_SIG_PERIPHERAL_READ, r->bus.total[PMK_SIG_CYCLE],
			       cycles);
		pmk_bus_add(&r->bus, PMK_SIG_PERIPHERAL_READ, 1);
		pmk_bus_add(&r->bus, PMK_SIG_CYCLE, cycles);
	}
}

/*
 * With 1073 latencies of 2000 cycles between two polls, the sum of squares stays below 2^32. With
 * 1074 or 2148 latencies it wraps. The session cannot know how often it wrapped, so it marks the
 * total.
 */
static void test_polled_too_seldom(void **state)
{
	static const struct {
		unsigned n;
		bool wrapped;
	} rows[] = { { 1073, false }, { 1074, true }, { 2148, true } };
	static struct rig r;

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		setup(&r, DIRECT, 1, 1, 32, &one_latency);
		start(&r);
		at_once(&r, rows[i].n, 2000);
		assert_int_equal(read_one(&r)->values.sum, 2000 * rows[i].n);
		assert_int_equal(pmk_session_wrapped(&r.session, 0), rows[i].wrapped);
	}
	/*
	 * With 1000 latencies between two polls nothing is lost, although the sums wrap from poll
	 * to poll.
	 */
	setup(&r, DIRECT, 1, 1, 32, &one_latency);
	start(&r);
	for (unsigned i = 0; i < 20; i++) {
		at_once(&r, 1000, 2000);
		assert_int_equal(read_one(&r)->values.sq_low, 4000000000 * (i + 1));
		assert_false(pmk_session_wrapped(&r.session, 0));
	}
	/* After a loss the total stays marked. */
	at_once(&r, 1074, 2000);
	read_one(&r);
	assert_true(pmk_session_wrapped(&r.session, 0));
	at_once(&r, 1, 1);
	read_one(&r);
	assert_true(pmk_session_wrapped(&r.session, 0));
	/* With 48 bits, the sum wraps at most once between the first polls, and nothing is lost. */
	setup(&r, DIRECT, 1, 1, 48, &one_latency);
	start(&r);
	at_once(&r, 4000, 200000);
	assert_int_equal(read_one(&r)->values.sq_low, UINT64_C(160000000000000));
	assert_false(pmk_session_wrapped(&r.session, 0));
	at_once(&r, 4000, 200000);
	read_one(&r);
	assert_false(pmk_session_wrapped(&r.session, 0));
	at_once(&r, 4000, 300000);
	read_one(&r);
	assert_true(pmk_session_wrapped(&r.session, 0));
}

/*
 * At 64 bits, a sum of squares is right if there is at most one latency of almost 2^32 cycles
 * between two polls. With two such latencies the total is marked.
 */
static void test_polled_too_seldom_64(void **state)
{
	static struct rig r;

	(void)state;
	setup(&r, DIRECT, 1, 1, 64, &one_latency);
	start(&r);
	for (unsigned i = 1; i < 5; i++) {
		const struct pmk_stats *v;

		at_once(&r, 1, 0xfffffffe);
		v = &read_one(&r)->values;
		assert_true(((u128)v->sq_high << 64 | v->sq_low) ==
			    r.truth[PMK_SIG_PERIPHERAL_READ].squares);
		assert_false(pmk_session_wrapped(&r.session, 0));
	}
	at_once(&r, 2, 0xfffffffe);
	read_one(&r);
	assert_true(pmk_session_wrapped(&r.session, 0));
}

/*
 * Minimum and maximum of 16 bits saturate at 65535. Sums of squares of longer latencies cannot be
 * tracked.
 */
static void test_saturated(void **state)
{
	static struct rig r;

	(void)state;
	setup(&r, DIRECT, 1, 1, 32, &one_latency);
	start(&r);
	at_once(&r, 1, 65534);
	assert_int_equal(read_one(&r)->values.max, 65534);
	assert_false(pmk_session_saturated(&r.session, 0));
	at_once(&r, 1, 65535);
	assert_int_equal(read_one(&r)->values.max, 65535);
	assert_true(pmk_session_saturated(&r.session, 0));
	assert_int_equal(read_one(&r)->values.sum, 65534 + 65535);

	setup(&r, DIRECT, 1, 1, 32, &one_latency);
	start(&r);
	at_once(&r, 1, 65536); /* the square wraps once, to 0 */
	assert_int_equal(read_one(&r)->values.sum, 65536);
	assert_true(pmk_session_saturated(&r.session, 0));
	assert_true(pmk_session_wrapped(&r.session, 0));

	setup(&r, DIRECT, 1, 1, 32, &one_latency);
	start(&r);
	at_once(&r, 1, 200000); /* the squares wrap nine times */
	assert_int_equal(read_one(&r)->values.sum, 200000);
	assert_int_equal(read_one(&r)->values.min, 65535);
	assert_true(pmk_session_saturated(&r.session, 0));
	assert_true(pmk_session_wrapped(&r.session, 0));

	setup(&r, DIRECT, 1, 1, 48, &one_latency);
	start(&r);
	at_once(&r, 1, 200000);
	assert_int_equal(read_one(&r)->values.max, 200000);
	assert_false(pmk_session_saturated(&r.session, 0));
	assert_false(pmk_session_wrapped(&r.session, 0));
}

/* The status Full belongs to the counter, and stays when the counters are cleared. */
static void test_full(void **state)
{
	struct pmk_plan plan = { .nevents = 3,
				 .event = { { .code = 58 }, { .code = 62 }, { .code = 60 } },
				 .timed = true,
				 .timer_code = 30 };
	uint64_t totals[PMK_MAX_EVENTS];
	static struct rig r;

	(void)state;
	for (enum way way = DIRECT; way < NWAYS; way++) {
		setup(&r, way, 1, 3, 32, &plan);
		OK(pmk_session_timer(&r.session, 1000));
		start(&r);
		latency_happens(&r, PMK_SIG_PERIPHERAL_READ, 5);
		EXPECT_EXACT(&r);
		pmk_bus_record(&r.bus, PMK_SIG_PERIPHERAL_READ, r.bus.total[PMK_SIG_CYCLE] - 1, 5);
		pmk_bus_add(&r.bus, PMK_SIG_PERIPHERAL_READ, 1);
		for (unsigned i = 0; i < 3; i++) {
			if (i == 1)
				OK(pmk_session_tick(&r.session, totals));
			else
				OK(pmk_session_read(&r.session, totals));
			assert_false(pmk_session_latency(&r.session, 0)->full);
			assert_true(pmk_session_latency(&r.session, 1)->full);
			assert_false(pmk_session_latency(&r.session, 2)->full);
		}
	}
}

/* If one counter lost a wrap, another counter whose sums did not overflow is not marked. */
static void test_lost_by_one(void **state)
{
	struct pmk_plan plan = { .nevents = 2, .event = { { .code = 58 }, { .code = 62 } } };
	uint64_t totals[PMK_MAX_EVENTS];
	static struct rig r;

	(void)state;
	setup(&r, DIRECT, 1, 2, 32, &plan);
	start(&r);
	/*
	 * No sum of the first counter overflows between two polls. Its sums would overflow if all
	 * 100001 occurrences had the longest latency that this counter measured.
	 */
	pmk_bus_record(&r.bus, PMK_SIG_L1D_CACHED_READ, 0, 0);
	pmk_bus_add(&r.bus, PMK_SIG_CYCLE, 60000);
	pmk_bus_record(&r.bus, PMK_SIG_L1D_CACHED_READ, r.bus.total[PMK_SIG_CYCLE] - 60000, 60000);
	pmk_bus_add(&r.bus, PMK_SIG_L1D_CACHED_READ, 100001);
	at_once(&r, 3000, 2000);
	OK(pmk_session_read(&r.session, totals));
	assert_false(pmk_session_wrapped(&r.session, 0));
	assert_true(pmk_session_wrapped(&r.session, 1));
	assert_int_equal(pmk_session_latency(&r.session, 0)->values.sq_low, 3600099999);
}

/* ---- the interval timer -------------------------------------------------------------------- */

static bool interrupt(struct rig *r, unsigned pass)
{
	r->ops->sync(&r->model[pass], &r->bus);
	return r->ops->lines(&r->model[pass]) & 1;
}

static void expect_tick(struct rig *r, int line)
{
	uint64_t totals[PMK_MAX_EVENTS];

	OK(pmk_session_tick(&r->session, totals));
	expect_values(r, totals, line);
	ask_models(r);
}

#define EXPECT_TICK(r) expect_tick(r, __LINE__)

/*
 * Intervals of all lengths end at the right cycle in all passes, and lose nothing. Reading during
 * an interval changes nothing.
 */
static void test_timer(void **state)
{
	static const unsigned widths[] = { 32, 48, 64 };
	static const uint64_t intervals[] = { 1, 2, 1000, 65536, 0x80000000, 0xffffffff };
	struct pmk_plan plan = six;
	static struct rig r;

	(void)state;
	plan.timed = true;
	plan.timer_code = 30;
	for (enum way way = DIRECT; way < NWAYS; way++)
		for (size_t w = 0; w < COUNT(widths); w++)
			for (size_t i = 0; i < COUNT(intervals); i++) {
				uint64_t interval = intervals[i];

				setup(&r, way, 3, 1, widths[w], &plan);
				assert_int_equal(r.plan.npasses, 3);
				OK(pmk_session_timer(&r.session, interval));
				r.bus.longest = 300;
				start(&r);
				for (unsigned k = 0; k < 7; k++) {
					happen(&r, PMK_SIG_INSN, 77);
					happen(&r, PMK_SIG_L1I_ACCESS, 100);
					if (interval > 1000) {
						latency_happens(&r, PMK_SIG_L1I_ACCESS, 200 + k);
						EXPECT_EXACT(&r);
						happen(&r, PMK_SIG_CYCLE, interval - 201 - k);
					} else {
						happen(&r, PMK_SIG_CYCLE, interval - 1);
					}
					for (unsigned p = 0; p < 3; p++)
						assert_false(interrupt(&r, p));
					happen(&r, PMK_SIG_CYCLE, 1);
					for (unsigned p = 0; p < 3; p++)
						assert_true(interrupt(&r, p));
					/* The interrupt is handled some cycles later. */
					happen(&r, PMK_SIG_CYCLE, k);
					EXPECT_TICK(&r);
					for (unsigned p = 0; p < 3; p++)
						assert_false(interrupt(&r, p));
				}
				EXPECT_EXACT(&r);
				teardown(&r);
			}
}

/* Totals are exact over several intervals of the timer, even if sums wrapped. */
static void test_timer_random(void **state)
{
	static const unsigned widths[] = { 32, 48, 64 };
	struct pmk_plan plan = six;
	static struct rig r;

	(void)state;
	plan.timed = true;
	plan.timer_code = 30;
	for (unsigned round = 0; round < UNIT_SAMPLES(60); round++) {
		uint32_t most = 1 + (uint32_t)pick(60000);

		setup(&r, pick(NWAYS), 4, 3, widths[pick(3)], &plan);
		OK(pmk_session_timer(&r.session, 1 + pick(100000000)));
		r.bus.longest = most;
		start(&r);
		for (unsigned step = 0; step < 2000; step++) {
			latency_happens(&r, PMK_SIG_PERIPHERAL_READ, 1 + (uint32_t)pick(most));
			happen(&r, PMK_SIG_INSN, pick(1000000));
			if (interrupt(&r, 0))
				EXPECT_TICK(&r);
			if (!pick(100))
				EXPECT_EXACT(&r);
		}
		EXPECT_EXACT(&r);
		teardown(&r);
	}
}

static void test_timer_limits(void **state)
{
	struct pmk_plan plan = one_latency, unknown = one_latency;
	uint64_t totals[PMK_MAX_EVENTS];
	static struct rig r;

	(void)state;
	setup(&r, DIRECT, 2, 1, 32, &plan);
	assert_int_equal(pmk_session_timer(&r.session, 100), PMK_ENOTSUP); /* none planned */
	assert_int_equal(pmk_session_tick(&r.session, totals), PMK_ENOTSUP);
	plan.timed = true;
	plan.timer_code = 30;
	setup(&r, DIRECT, 2, 1, 32, &plan);
	assert_int_equal(pmk_session_tick(&r.session, totals), PMK_ENOTSUP); /* no timer was set */
	assert_int_equal(pmk_session_timer(&r.session, 0), PMK_ERANGE);
	assert_int_equal(pmk_session_timer(&r.session, 0x100000000), PMK_ERANGE);
	assert_int_equal(pmk_session_tick(&r.session, totals), PMK_ENOTSUP);
	OK(pmk_session_timer(&r.session, 0xffffffff));
	start(&r);
	assert_int_equal(pmk_session_timer(&r.session, 100), PMK_EBUSY); /* the session runs */
	teardown(&r);
	setup(&r, DIRECT, 2, 1, 48, &plan);
	OK(pmk_session_timer(&r.session, 0x100000000));
	assert_int_equal(pmk_session_timer(&r.session, 0x1000000000000), PMK_ERANGE);

	/*
	 * The event of the timer in `unknown` does not exist. `plan` has no events, so no pass has
	 * a timer.
	 */
	unknown.timed = true;
	unknown.timer_code = 64;
	assert_int_equal(pmk_plan_make(&r.pmu.pmu, &unknown), PMK_ENOEVENT);
	plan.nevents = 0;
	OK(pmk_plan_make(&r.pmu.pmu, &plan));
	OK(pmk_session_open(&r.session, &r.pmu.pmu, &plan, r.port));
	assert_int_equal(pmk_session_timer(&r.session, 100), PMK_ENOTSUP);
	plan.timer_code = 62; /* a latency counter cannot be a timer */
	plan.nevents = 1;
	plan.event[0].code = 0;
	OK(pmk_plan_make(&r.pmu.pmu, &plan));
	OK(pmk_session_open(&r.session, &r.pmu.pmu, &plan, r.port));
	assert_int_equal(pmk_session_timer(&r.session, 100), PMK_ENOTSUP);
}

/* ---- passes -------------------------------------------------------------------------------- */

/* Few counters and many passes give the same counts as many counters and one pass. */
static void test_passes(void **state)
{
	struct pmk_plan plan = { .nevents = 12 };
	static const uint16_t codes[] = { 0, 62, 30, 44, 58, 60, 0, 62, 30, 44, 58, 60 };
	static const struct {
		unsigned events, latencies, passes;
	} rows[] = {
		{ 48, 7, 1 }, { 5, 1, 6 }, { 1, 7, 6 }, { 1, 1, 6 }, { 12, 0, 1 }, { 1, 0, 12 }
	};
	static struct rig r;

	(void)state;
	for (unsigned i = 0; i < 12; i++)
		plan.event[i].code = codes[i];
	for (enum way way = DIRECT; way < NWAYS; way++)
		for (size_t i = 0; i < COUNT(rows); i++) {
			setup(&r, way, rows[i].events, rows[i].latencies, 32, &plan);
			assert_int_equal(r.plan.npasses, rows[i].passes);
			r.bus.longest = 50;
			start(&r);
			for (unsigned k = 0; k < 3000; k++) {
				latency_happens(&r, PMK_SIG_PERIPHERAL_READ, 10 + k % 40);
				happen(&r, PMK_SIG_L1D_CACHED_READ, k);
				happen(&r, PMK_SIG_INSN, 5000000);
				happen(&r, PMK_SIG_BR_TAKEN, 7);
			}
			EXPECT_EXACT(&r);
			teardown(&r);
		}
}

/* ---- faults -------------------------------------------------------------------------------- */

/*
 * If any access of a poll or a tick fails, the session reports it. Afterwards nothing is lost, and
 * nothing is counted twice.
 */
static void faults(enum way way, unsigned width, bool tick)
{
	struct pmk_plan plan = six;
	uint64_t totals[PMK_MAX_EVENTS], accesses = 1;
	static struct rig r;

	plan.timed = true;
	plan.timer_code = 30;
	for (uint64_t k = 1; k <= accesses; k++) {
		setup(&r, way, 4, 3, width, &plan);
		OK(pmk_session_timer(&r.session, 1000));
		r.bus.longest = 30;
		start(&r);
		for (unsigned round = 0; round < 4; round++) {
			int err;

			happen(&r, PMK_SIG_INSN, 10);
			latency_happens(&r, PMK_SIG_PERIPHERAL_READ, 20 + round);
			happen(&r, PMK_SIG_L1D_CACHED_READ, 11);
			happen(&r, PMK_SIG_CYCLE, 2000);
			r.accesses = 0;
			r.fail_at = round == 1 ? k : 0;
			r.error = PMK_EBUSY;
			err = tick ? pmk_session_tick(&r.session, totals)
				   : pmk_session_read(&r.session, totals);
			ask_models(&r);
			if (round == 0)
				accesses = r.accesses;
			assert_int_equal(err, round == 1 ? PMK_EBUSY : 0);
			if (!err)
				expect_values(&r, totals, __LINE__);
			/*
			 * The tick is repeated, which completes what the failed tick left undone.
			 */
			if (err && tick)
				EXPECT_TICK(&r);
			assert_true(r.model[0].started);
		}
		EXPECT_EXACT(&r);
		if (!tick)
			continue;
		happen(&r, PMK_SIG_CYCLE, 999);
		assert_false(interrupt(&r, 0));
		happen(&r, PMK_SIG_CYCLE, 1);
		assert_true(interrupt(&r, 0));
	}
	assert_true(accesses > 10);
}

static void test_faults(void **state)
{
	(void)state;
	for (enum way way = DIRECT; way < NWAYS; way++)
		for (unsigned width = 32; width <= 64; width += 16)
			for (unsigned tick = 0; tick < 2; tick++)
				faults(way, width, tick);
}

/*
 * The session's counts are right after a debugger takes the access lock between two readings, and
 * moves the pointer to the counters.
 */
static void test_debugger_interferes(void **state)
{
	static const uint8_t port[] = { 1 }, data_read[] = { 0x56 }, zeros[4] = { 0 };
	uint64_t totals[PMK_MAX_EVENTS];
	static struct rig r;

	(void)state;
	setup(&r, MEMORY, 3, 3, 48, &six);
	start(&r);
	for (unsigned i = 0; i < 20; i++) {
		happen(&r, PMK_SIG_INSN, 1000);
		latency_happens(&r, PMK_SIG_PERIPHERAL_READ, 9);
		EXPECT_EXACT(&r);
		assert_true(pmk_mdm_model_jtag_lock(&r.module[0], false));
		OK(pmk_mdm_jtag_model_select(&r.chain[0]));
		OK(pmk_mdm_jtag_model_scan(&r.chain[0], 4, port, NULL));
		for (unsigned k = 0; k < i; k++) {
			OK(pmk_mdm_jtag_model_scan(&r.chain[0], 8, data_read, NULL));
			OK(pmk_mdm_jtag_model_scan(&r.chain[0], 32, zeros, NULL));
		}
		assert_int_equal(pmk_session_read(&r.session, totals), PMK_EBUSY);
		pmk_mdm_model_jtag_unlock(&r.module[0]);
		EXPECT_EXACT(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_constant_and_two_valued),
		cmocka_unit_test(test_stop_and_go),
		cmocka_unit_test(test_events_go_round),
		cmocka_unit_test(test_sums_go_round),
		cmocka_unit_test(test_occurrences_go_round),
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_late_producer),
		cmocka_unit_test(test_polled_too_seldom),
		cmocka_unit_test(test_polled_too_seldom_64),
		cmocka_unit_test(test_saturated),
		cmocka_unit_test(test_full),
		cmocka_unit_test(test_lost_by_one),
		cmocka_unit_test(test_timer),
		cmocka_unit_test(test_timer_random),
		cmocka_unit_test(test_timer_limits),
		cmocka_unit_test(test_passes),
		cmocka_unit_test(test_faults),
		cmocka_unit_test(test_debugger_interferes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
