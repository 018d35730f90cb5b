// SPDX-License-Identifier: MIT
/*
 * The models of the MicroBlaze counters and of the debug module in cases that vectors cannot
 * express: their use of the bus (horizon, latency log, late totals), copies, every configuration,
 * several processors. tests/conformance/microblaze.vec tests the single rules.
 *
 * Numbers are literal: registers 0 PCCTRLR, 1 PCCMDR, 2 PCSR, 3 PCDRR, 4 PCDWR; commands 0x01
 * Reset, 0x02 Sample, 0x04 Stop, 0x08 Start, 0x10 Clear.
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

#include "producer/session/emulated.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const unsigned widths[] = { 32, 48, 64 };

/* A model on a bus, and a producer that obeys the horizon. */
struct bench {
	const struct pmk_model_ops *ops;
	struct pmk_microblaze_pmu pmu;
	struct pmk_bus bus;
	struct pmk_microblaze_model model;
	unsigned syncs;
};

static void ask_anew(struct bench *b)
{
	pmk_bus_forget(&b->bus);
	b->ops->ask(&b->model, &b->bus);
}

static void setup_with(struct bench *b, unsigned events, unsigned latencies, unsigned width,
		       const struct pmk_microblaze_params *params)
{
	memset(b, 0xa5, sizeof(*b)); /* reset must work on any memory contents */
	assert_int_equal(pmk_microblaze_configure(&b->pmu, events, latencies, width), 0);
	b->ops = pmk_model_find(&b->pmu.pmu);
	assert_non_null(b->ops);
	pmk_bus_init(&b->bus);
	if (params)
		pmk_microblaze_model_reset(&b->model, &b->pmu.pmu, params, &b->bus);
	else
		b->ops->reset(&b->model, &b->bus, &b->pmu.pmu);
	b->syncs = 0;
	ask_anew(b);
}

static void setup(struct bench *b, unsigned events, unsigned latencies, unsigned width)
{
	setup_with(b, events, latencies, width, NULL);
}

static void wr(struct bench *b, unsigned reg, uint32_t value)
{
	assert_int_equal(b->ops->write(&b->model, &b->bus, PMK_MODE_PRIV, reg, value), 0);
	ask_anew(b);
}

static uint32_t rd(struct bench *b, unsigned reg)
{
	uint64_t value = UINT64_MAX;

	assert_int_equal(b->ops->read(&b->model, &b->bus, PMK_MODE_PRIV, reg, &value), 0);
	assert_true(value <= 0xffffffff);
	return (uint32_t)value;
}

static void expect_items(struct bench *b, const uint32_t *want, unsigned n, int line)
{
	wr(b, 1, 0x03);
	for (unsigned i = 0; i < n; i++) {
		uint32_t is = rd(b, 3);

		if (is != want[i])
			fail_msg("line %d: item %u is 0x%x, want 0x%x", line, i, is, want[i]);
	}
}

#define EXPECT_ITEMS(b, ...)                               \
	expect_items(b, (const uint32_t[]){ __VA_ARGS__ }, \
		     sizeof((const uint32_t[]){ __VA_ARGS__ }) / sizeof(uint32_t), __LINE__)

static void catch_up(struct bench *b)
{
	if (!pmk_bus_due(&b->bus))
		return;
	b->ops->sync(&b->model, &b->bus);
	b->syncs++;
	ask_anew(b);
	assert_false(pmk_bus_due(&b->bus));
}

static void pass(struct bench *b, enum pmk_signal sig, uint64_t n)
{
	while (n) {
		uint64_t horizon = pmk_bus_horizon(&b->bus, sig);
		uint64_t step = n < horizon ? n : horizon;

		assert_true(step > 0); /* a horizon of 0 would make a producer hang */
		pmk_bus_add(&b->bus, sig, step);
		n -= step;
		catch_up(b);
	}
}

static void last(struct bench *b, enum pmk_signal sig, uint64_t start, uint32_t cycles)
{
	pmk_bus_add(&b->bus, sig, 1);
	pmk_bus_record(&b->bus, sig, start, cycles);
	catch_up(b);
}

/* ---- configurations ------------------------------------------------------------------------ */

static void test_found_and_fits(void **state)
{
	struct pmk_microblaze_pmu own;

	(void)state;
	assert_int_equal(pmk_microblaze_configure(&own, 48, 7, 64), 0);
	assert_non_null(pmk_model_find(&pmk_microblaze));
	assert_ptr_equal(pmk_model_find(&pmk_microblaze), pmk_model_find(&own.pmu));
	assert_int_equal(pmk_model_find(&own.pmu)->size, sizeof(struct pmk_microblaze_model));
	assert_true(sizeof(struct pmk_microblaze_model) <= PMK_MODEL_BYTES);
}

/*
 * Every configuration has E + 4·L items at 32 bits, and 2·E + 7·L items at 48 and 64 bits. Reading
 * an item returns what was written, except for bits that do not exist.
 */
static void test_every_configuration(void **state)
{
	static struct bench b;

	(void)state;
	for (unsigned w = 0; w < 3; w++)
		for (unsigned events = 0; events <= 48; events++)
			for (unsigned latencies = events ? 0 : 1; latencies <= 7; latencies++) {
				unsigned n =
					w ? 2 * events + 7 * latencies : events + 4 * latencies;

				setup(&b, events, latencies, widths[w]);
				for (unsigned i = 0; i < n; i++)
					wr(&b, 4, 0x10001 * (i + 1));
				assert_int_equal(b.model.oddities, 0);
				wr(&b, 1, 0x03);
				for (unsigned i = 0; i < n; i++) {
					unsigned k =
						i < 2 * events ? i % 2 : (i - 2 * events) % 7 + 10;
					bool upper = w && (k == 0 || k == 11 || k == 13);

					assert_int_equal(rd(&b, 3),
							 (w == 1 && upper ? 1u : 0x10001u) *
								 (i + 1));
				}
				assert_int_equal(b.model.oddities, 0);
				wr(&b, 1, 0x01);
				for (unsigned i = 0; i < events + latencies; i++)
					assert_int_equal(rd(&b, 2), 0);
				assert_int_equal(b.model.oddities, 0);
				assert_int_equal(rd(&b, 3), 0);
				assert_int_equal(b.model.oddities, 4);
			}
}

/* A latency counter cannot count events 0 to 56, and no counter can count events 64 to 255. */
static void test_every_event_in_every_kind(void **state)
{
	static struct bench b;

	(void)state;
	for (unsigned code = 0; code < 256; code++) {
		bool counts = code < 64, times = code >= 57 && code <= 63;

		setup(&b, 1, 1, 32);
		wr(&b, 0, code);
		wr(&b, 0, code);
		wr(&b, 1, 0x18);
		for (unsigned sig = PMK_SIG_CYCLE; sig < PMK_NSIGNALS; sig++)
			pass(&b, sig, 1);
		wr(&b, 1, 0x03);
		if (counts)
			assert_in_range(rd(&b, 3), 1, 2);
		else
			assert_int_equal(rd(&b, 3), 0);
		assert_int_equal(rd(&b, 3), times);
		assert_int_equal(b.model.oddities, counts && times ? 0 : 8);
	}
}

static void test_no_such_register(void **state)
{
	static struct bench b;
	uint64_t value;

	(void)state;
	setup(&b, 1, 1, 32);
	assert_int_equal(b.ops->read(&b.model, &b.bus, PMK_MODE_PRIV, 5, &value), PMK_EBADREG);
	assert_int_equal(b.ops->write(&b.model, &b.bus, PMK_MODE_PRIV, 5, 0), PMK_EBADREG);
}

/* An oddity is reported until the model is reset. */
static void test_oddities_add_up(void **state)
{
	static struct bench b;

	(void)state;
	for (unsigned first = 0; first < 7; first++) {
		unsigned want = 0;

		setup(&b, 1, 1, 32);
		for (unsigned k = 0; k < 7; k++) {
			unsigned odd = (first + k) % 7;

			wr(&b, 1, 0x01);
			if (odd == 0)
				rd(&b, 0);
			else if (odd == 1)
				wr(&b, 2, 0);
			else if (odd == 2)
				for (unsigned i = 0; i < 3; i++)
					rd(&b, 2);
			else if (odd == 3)
				wr(&b, 0, 64);
			else if (odd == 4)
				wr(&b, 1, 0x0c);
			else if (odd == 5)
				wr(&b, 1, 0x08), wr(&b, 4, 0);
			else
				wr(&b, 0, 0), wr(&b, 0, 62), wr(&b, 1, 0x08),
					b.bus.recorded += 5000, wr(&b, 1, 0x04);
			want |= 1u << odd;
			assert_int_equal(b.model.oddities, want);
		}
		b.ops->reset(&b.model, &b.bus, &b.pmu.pmu);
		assert_int_equal(b.model.oddities, 0);
	}
}

/* ---- the bus ------------------------------------------------------------------------------- */

/* Any access synchronises with the bus. */
static void test_access_synchronises(void **state)
{
	static struct bench b;

	(void)state;
	for (unsigned reg = 0; reg < 5; reg++)
		for (unsigned write = 0; write < 2; write++) {
			setup(&b, 1, 1, 32);
			wr(&b, 4, 0xffffffff);
			wr(&b, 1, 0x08);
			pmk_bus_add(&b.bus, PMK_SIG_INSN, 1);
			assert_int_equal(b.ops->lines(&b.model), 0);
			if (write)
				wr(&b, reg, 0);
			else
				rd(&b, reg);
			assert_int_equal(b.ops->lines(&b.model), 1);
		}
}

static void test_counts_from_present_totals(void **state)
{
	static struct bench b;

	(void)state;
	setup(&b, 1, 1, 32);
	pmk_bus_add(&b.bus, PMK_SIG_INSN, 1000);
	pmk_bus_add(&b.bus, PMK_SIG_CYCLE, 1000);
	for (unsigned i = 0; i < 10; i++)
		last(&b, PMK_SIG_PERIPHERAL_READ, 10 * i, 5);
	b.ops->reset(&b.model, &b.bus, &b.pmu.pmu);
	wr(&b, 1, 0x08);
	pass(&b, PMK_SIG_INSN, 2);
	wr(&b, 1, 0x01);
	wr(&b, 0, 0);
	wr(&b, 0, 62);
	last(&b, PMK_SIG_PERIPHERAL_READ, 1000, 7);
	EXPECT_ITEMS(&b, 2, 1, 7, 49, 0x00070007);
}

static void test_horizon_of_events(void **state)
{
	static struct bench b;

	(void)state;
	setup(&b, 2, 0, 32);
	wr(&b, 0, 0);
	wr(&b, 0, 44); /* BR_TAKEN and BR_NOT_TAKEN */
	wr(&b, 1, 0x01);
	wr(&b, 4, 0xfffffff0);
	wr(&b, 4, 0xffffffef);
	assert_true(pmk_bus_horizon(&b.bus, PMK_SIG_INSN) == PMK_NEVER);
	wr(&b, 1, 0x08);
	assert_int_equal(pmk_bus_horizon(&b.bus, PMK_SIG_INSN), 16);
	assert_int_equal(pmk_bus_horizon(&b.bus, PMK_SIG_BR_TAKEN), 9);
	assert_int_equal(pmk_bus_horizon(&b.bus, PMK_SIG_BR_NOT_TAKEN), 9);
	assert_true(pmk_bus_horizon(&b.bus, PMK_SIG_CYCLE) == PMK_NEVER);
	assert_true(b.bus.recorded_due == PMK_NEVER);

	pass(&b, PMK_SIG_BR_TAKEN, 8);
	pass(&b, PMK_SIG_BR_NOT_TAKEN, 8);
	assert_int_equal(b.ops->lines(&b.model), 0);
	pass(&b, PMK_SIG_BR_TAKEN, 1);
	assert_int_equal(b.ops->lines(&b.model), 1);
	/*
	 * After the overflow, the model must synchronise when the counter has advanced by half its
	 * range. Two signals increment it, so the horizon of each is a quarter of the range.
	 */
	assert_int_equal(pmk_bus_horizon(&b.bus, PMK_SIG_BR_TAKEN), 0x40000000);
	pass(&b, PMK_SIG_INSN, 16 + 84);
	assert_int_equal(pmk_bus_horizon(&b.bus, PMK_SIG_INSN), 0x80000000 - 84);
	wr(&b, 1, 0x04);
	assert_true(pmk_bus_horizon(&b.bus, PMK_SIG_INSN) == PMK_NEVER);
	wr(&b, 1, 0x18);
	/* A counter that starts at 0 must be synchronised at half its range. */
	assert_int_equal(pmk_bus_horizon(&b.bus, PMK_SIG_INSN), 0x80000000);
	pmk_microblaze_model_input(&b.model, &b.bus, PMK_MICROBLAZE_IN_HALTED, true);
	ask_anew(&b);
	assert_true(pmk_bus_horizon(&b.bus, PMK_SIG_INSN) == PMK_NEVER);
}

static void test_horizon_at_the_maximum(void **state)
{
	struct pmk_microblaze_params params = pmk_microblaze_defaults;
	static struct bench b;

	(void)state;
	params.overflow_at_max = true;
	setup_with(&b, 1, 0, 32, &params);
	wr(&b, 4, 0xfffffff0);
	wr(&b, 1, 0x08);
	assert_int_equal(pmk_bus_horizon(&b.bus, PMK_SIG_INSN), 15);
	pass(&b, PMK_SIG_INSN, 14);
	assert_int_equal(b.ops->lines(&b.model), 0);
	pass(&b, PMK_SIG_INSN, 1);
	assert_int_equal(b.ops->lines(&b.model), 1);
	wr(&b, 1, 0x10);
	wr(&b, 1, 0x01);
	wr(&b, 4, 0xffffffff); /* a written maximum: the next count wraps */
	assert_int_equal(pmk_bus_horizon(&b.bus, PMK_SIG_INSN), 1);
}

/*
 * A 64-bit counter has no horizon, unless software presets it near its maximum. A total of the bus
 * that is near its own maximum causes no hang.
 */
static void test_horizon_of_64_bits(void **state)
{
	static struct bench b;

	(void)state;
	setup(&b, 1, 0, 64);
	b.bus.total[PMK_SIG_INSN] = UINT64_MAX - 10;
	b.ops->sync(&b.model, &b.bus);
	wr(&b, 1, 0x08);
	assert_true(pmk_bus_horizon(&b.bus, PMK_SIG_INSN) == PMK_NEVER);
	wr(&b, 4, 0xffffffff);
	wr(&b, 4, 0xfffffff0);
	b.bus.total[PMK_SIG_INSN] = 0;
	b.ops->reset(&b.model, &b.bus, &b.pmu.pmu);
	wr(&b, 4, 0xffffffff);
	wr(&b, 4, 0xfffffff0);
	wr(&b, 1, 0x08);
	assert_int_equal(pmk_bus_horizon(&b.bus, PMK_SIG_INSN), 16);
}

/*
 * The model must synchronise when half of the log of latencies is full (recorded_due), and before a
 * sum or N can have advanced by more than a quarter of its range, if each occurrence has the
 * longest latency. For the sum of squares this is a number of recorded latencies (timed_due). For
 * the sum and N it is a number of occurrences (the horizon).
 */
static void test_horizon_of_latencies(void **state)
{
	static const struct {
		unsigned width, longest, timed, occurrences;
	} rows[] = {
		{ 32, 1, 0x40000000, 0x40000000 },  { 32, 724, 2048, 1483068 },
		{ 32, 1000, 1073, 1073741 },	    { 32, 32768, 1, 32768 },
		{ 32, 100000, 1, 10737 },	    { 32, 0, 1, 0x40000000 },
		{ 32, 0xffffffff, 1, 1 },	    { 48, 1000, 70368744, 0x40000000 },
		{ 48, 185363, 2048, 379626701 },    { 48, 1000000, 70, 70368744 },
		{ 48, 0, 1, 0x40000000 },	    { 64, 1000000, 4611686, 0x40000000 },
		{ 64, 0x7fffffff, 1, 0x40000000 },  { 64, 1u << 30, 4, 0x40000000 },
		{ 64, 0xffffffff, 1, 0x40000000 },  { 64, 0, 1, 0x40000000 },
		{ 64, 47453132, 2048, 0x40000000 },
	};
	static struct bench b;

	(void)state;
	for (unsigned i = 0; i < COUNT(rows); i++) {
		setup(&b, 0, 1, rows[i].width);
		b.bus.longest = rows[i].longest;
		wr(&b, 0, 62);
		assert_true(b.bus.recorded_due == PMK_NEVER && b.bus.timed_due == PMK_NEVER);
		wr(&b, 1, 0x08);
		assert_int_equal(b.bus.recorded_due, 2048);
		assert_int_equal(b.bus.timed_due, rows[i].timed);
		assert_int_equal(pmk_bus_horizon(&b.bus, PMK_SIG_PERIPHERAL_READ),
				 rows[i].occurrences);
		/*
		 * Every latency counts for recorded_due and timed_due, whichever signal it belongs
		 * to.
		 */
		if (i % 2)
			b.bus.recorded = 2048;
		else
			b.bus.timed = rows[i].timed;
		assert_true(pmk_bus_due(&b.bus));
		b.ops->sync(&b.model, &b.bus);
		ask_anew(&b);
		assert_int_equal(b.bus.recorded_due, i % 2 ? 4096 : 2048);
		assert_int_equal(b.bus.timed_due, rows[i].timed * (i % 2 ? 1ull : 2ull));
		wr(&b, 1, 0x01);
		wr(&b, 0, 30); /* this event has no latency, so there is no limit */
		assert_true(b.bus.recorded_due == PMK_NEVER && b.bus.timed_due == PMK_NEVER);
	}
	/* Every latency counter has its own limit. */
	setup(&b, 0, 3, 32);
	wr(&b, 0, 62);
	wr(&b, 0, 58);
	wr(&b, 0, 60);
	wr(&b, 1, 0x08);
	assert_int_equal(pmk_bus_horizon(&b.bus, PMK_SIG_PERIPHERAL_READ), 0x40000000);
	assert_int_equal(pmk_bus_horizon(&b.bus, PMK_SIG_L1D_CACHED_READ), 0x40000000);
	assert_int_equal(pmk_bus_horizon(&b.bus, PMK_SIG_L1I_ACCESS), 0x40000000);
	assert_true(pmk_bus_horizon(&b.bus, PMK_SIG_L1D_CACHED_WRITE) == PMK_NEVER);
}

/*
 * If a producer records latencies at once and updates its totals later, no occurrence is counted
 * twice.
 */
static void test_totals_may_come_late(void **state)
{
	static struct bench b;

	(void)state;
	setup(&b, 0, 1, 32);
	wr(&b, 0, 62);
	wr(&b, 1, 0x08);
	for (unsigned i = 0; i < 3; i++)
		pmk_bus_record(&b.bus, PMK_SIG_PERIPHERAL_READ, 10 * i, 5);
	EXPECT_ITEMS(&b, 3, 15, 75, 0x00050005);
	pmk_bus_add(&b.bus, PMK_SIG_PERIPHERAL_READ, 2);
	EXPECT_ITEMS(&b, 3, 15, 75, 0x00050005);
	pmk_bus_add(&b.bus, PMK_SIG_PERIPHERAL_READ, 5); /* one of the five was recorded */
	EXPECT_ITEMS(&b, 7, 19, 79, 0x00010005);
	/*
	 * A latency is recorded before its total. It is counted once, although the event is
	 * selected again in between.
	 */
	pmk_bus_record(&b.bus, PMK_SIG_PERIPHERAL_READ, 100, 5);
	wr(&b, 0, 62);
	pmk_bus_add(&b.bus, PMK_SIG_PERIPHERAL_READ, 2);
	EXPECT_ITEMS(&b, 9, 25, 105, 0x00010005);
}

static void test_lost_latencies(void **state)
{
	static struct bench b;

	(void)state;
	setup(&b, 0, 2, 48);
	b.bus.longest = 9;
	b.bus.sealed = PMK_NEVER; /* each latency has a record of its own */
	wr(&b, 0, 62);
	wr(&b, 0, 58);
	wr(&b, 1, 0x08);
	for (unsigned i = 0; i < 4096; i++) {
		pmk_bus_add(&b.bus, PMK_SIG_PERIPHERAL_READ, 1);
		pmk_bus_record(&b.bus, PMK_SIG_PERIPHERAL_READ, 10 * i, 9);
	}
	EXPECT_ITEMS(&b, 4096, 0, 4096 * 9, 0, 4096 * 81, 9, 9);
	wr(&b, 1, 0x01);
	assert_int_equal(rd(&b, 2), 0);
	assert_int_equal(b.model.oddities, 0);
	for (unsigned i = 4096; i < 4096 + 4099; i++) {
		pmk_bus_add(&b.bus, PMK_SIG_PERIPHERAL_READ, 1);
		pmk_bus_record(&b.bus, PMK_SIG_PERIPHERAL_READ, 10 * i, 9);
	}
	/*
	 * Three latencies were overwritten in the log. Each of them counts as one cycle, because
	 * the model cannot know how long it was.
	 */
	EXPECT_ITEMS(&b, 8195, 0, 8192 * 9 + 3, 0, 8192 * 81 + 3, 1, 9);
	wr(&b, 1, 0x01);
	assert_int_equal(rd(&b, 2), 1);
	assert_int_equal(rd(&b, 2), 1); /* the other counter is inexact, too */
	assert_int_equal(b.model.oddities, 0x40);
}

/* The log may overflow while no latency counter is used, because the model does not read it. */
static void test_log_overflows_unheeded(void **state)
{
	static struct bench b;

	(void)state;
	setup(&b, 0, 1, 32);
	wr(&b, 0, 62);
	for (unsigned i = 0; i < 5000; i++)
		last(&b, PMK_SIG_PERIPHERAL_READ, i, 9);
	assert_int_equal(b.syncs, 0);
	wr(&b, 1, 0x08);
	last(&b, PMK_SIG_PERIPHERAL_READ, 5000, 9);
	EXPECT_ITEMS(&b, 1, 9, 81, 0x00090009);
	assert_int_equal(b.model.oddities, 0);
}

/* ---- records of several --------------------------------------------------------------------- */

static uint64_t seed;

static uint32_t pick(uint32_t n)
{
	seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
	return (uint32_t)(seed >> 33) % n;
}

/*
 * Equal latencies share a record. A model gets the same values from shared records as from a record
 * for each latency, for any mix of overlapping and separate latencies, any parameters, and any
 * commands in between.
 */
static void test_records_of_several(void **state)
{
	static struct bench b[2];
	static const unsigned signals[] = { PMK_SIG_PERIPHERAL_READ, PMK_SIG_L1D_CACHED_READ,
					    PMK_SIG_PERIPHERAL_READ };
	unsigned fewer = 0;

	(void)state;
	for (unsigned round = 1; round < 300; round++) {
		struct pmk_microblaze_params params = pmk_microblaze_defaults;
		unsigned width, apart;
		uint64_t now = 0;

		seed = round;
		width = widths[pick(3)];
		apart = pick(2);
		params.overlap_ignored = pick(2);
		params.time_in_flight = pick(2);
		params.saturate = pick(2);
		params.truncate_extremes = pick(2);
		for (unsigned k = 0; k < 2; k++) {
			setup_with(&b[k], 1, 3, width, &params);
			wr(&b[k], 0, 30);
			wr(&b[k], 0, 62);
			wr(&b[k], 0, 58);
			wr(&b[k], 0, 62);
		}
		b[1].bus.sealed = PMK_NEVER;
		for (unsigned i = 0; i < 2000; i++) {
			unsigned sig = signals[pick(2)];
			uint32_t cycles =
				(const uint32_t[]){ 2, 9, 30, 67, 70000 }[pick(40) ? pick(4) : 4];
			uint32_t command = pick(50) ? 0 : 1u << pick(5);
			uint64_t start =
				now - (now > 40 && pick(apart ? 100 : 8) == 0 ? pick(40) : 0);

			for (unsigned k = 0; k < 2; k++) {
				pmk_bus_record(&b[k].bus, sig, start, cycles);
				pmk_bus_add(&b[k].bus, sig, 1);
			}
			now += apart || pick(20) ? cycles + pick(9) : 1;
			for (unsigned k = 0; k < 2; k++) {
				pmk_bus_add(&b[k].bus, PMK_SIG_CYCLE,
					    now - b[k].bus.total[PMK_SIG_CYCLE]);
				if (command)
					wr(&b[k], 1, command);
			}
		}
		fewer += b[0].bus.recorded < b[1].bus.recorded / 2;
		for (unsigned k = 0; k < 2; k++)
			wr(&b[k], 1, 0x03);
		for (unsigned i = 0; i < 23; i++)
			if (rd(&b[0], 3) != rd(&b[1], 3))
				fail_msg("round %u: item %u", round, i);
		for (unsigned k = 0; k < 2; k++)
			wr(&b[k], 1, 0x01);
		for (unsigned i = 0; i < 4; i++)
			if (rd(&b[0], 2) != rd(&b[1], 2))
				fail_msg("round %u: status of counter %u", round, i);
	}
	assert_in_range(fewer, 100, 298);
}

/* ---- distributions ------------------------------------------------------------------------- */

/*
 * 250 000 hits of one cycle and misses of 17 cycles, from a producer that obeys the horizon, add up
 * exactly.
 */
static void test_long_run(void **state)
{
	static struct bench b;
	uint64_t n = 0, sum = 0, sum2 = 0, cycle = 0;

	(void)state;
	for (unsigned w = 0; w < 3; w++) {
		n = sum = sum2 = cycle = 0;
		setup(&b, 1, 1, widths[w]);
		b.bus.longest = 17;
		wr(&b, 0, 58);
		wr(&b, 0, 58);
		wr(&b, 1, 0x18);
		for (unsigned i = 0; i < 10000; i++) {
			pass(&b, PMK_SIG_L1D_CACHED_READ, 24);
			last(&b, PMK_SIG_L1D_CACHED_READ, cycle, 17);
			cycle += 17;
			n += 25;
			sum += 24 + 17;
			sum2 += 24 + 17 * 17;
		}
		assert_int_equal(b.syncs, 0); /* one record has 10 000 hits */
		if (w)
			EXPECT_ITEMS(&b, 0, (uint32_t)n, (uint32_t)n, 0, (uint32_t)sum, 0,
				     (uint32_t)sum2, 1, 17);
		else
			EXPECT_ITEMS(&b, (uint32_t)n, (uint32_t)n, (uint32_t)sum, (uint32_t)sum2,
				     0x00010011);
		wr(&b, 1, 0x01);
		assert_int_equal(rd(&b, 2), 0);
		assert_int_equal(rd(&b, 2), 0);
	}
}

/* 1073 latencies of 2000 cycles fit into a 32-bit sum of squares, and 1074 overflow it. */
static void test_squares_overflow(void **state)
{
	static struct bench b;

	(void)state;
	for (unsigned w = 0; w < 3; w++) {
		setup(&b, 0, 1, widths[w]);
		b.bus.longest = 2000;
		wr(&b, 0, 62);
		wr(&b, 1, 0x18);
		for (unsigned i = 0; i < 1073; i++)
			last(&b, PMK_SIG_PERIPHERAL_READ, 2000 * i, 2000);
		wr(&b, 1, 0x03);
		assert_int_equal(rd(&b, 2), 0);
		last(&b, PMK_SIG_PERIPHERAL_READ, 2000 * 1073, 2000);
		wr(&b, 1, 0x03);
		assert_int_equal(rd(&b, 2), w ? 0 : 2);
		if (w)
			EXPECT_ITEMS(&b, 1074, 0, 2148000, 1, 1032704, 2000, 2000);
		else
			EXPECT_ITEMS(&b, 1074, 2148000, 1032704, 0x07d007d0);
	}
}

/* ---- copies and neighbours ----------------------------------------------------------------- */

/* A copy, including the bus, continues like the original. */
static void test_copy(void **state)
{
	static struct bench a, b;

	(void)state;
	setup(&a, 2, 2, 48);
	wr(&a, 0, 0);
	wr(&a, 0, 30);
	wr(&a, 0, 62);
	wr(&a, 0, 58);
	wr(&a, 1, 0x18);
	pass(&a, PMK_SIG_INSN, 77);
	last(&a, PMK_SIG_PERIPHERAL_READ, 0, 5);
	pmk_bus_add(&a.bus, PMK_SIG_INSN, 3); /* the model is not synchronised */
	pmk_bus_record(&a.bus, PMK_SIG_PERIPHERAL_READ, 6, 5);
	pmk_bus_add(&a.bus, PMK_SIG_PERIPHERAL_READ, 1);
	memcpy(&b, &a, sizeof(a));
	memset(&a, 0x5a, sizeof(a)); /* the copy needs nothing of the original */
	pass(&b, PMK_SIG_INSN, 20);
	last(&b, PMK_SIG_PERIPHERAL_READ, 20, 7);
	EXPECT_ITEMS(&b, 0, 100, 0, 0, 3, 0, 17, 0, 99, 5, 7, 0, 0, 0, 0, 0, 0, 0);
}

/* Two models on one bus count independently, whichever is accessed first. */
static void test_two_on_one_bus(void **state)
{
	static struct bench a;
	static struct pmk_microblaze_model other;
	uint64_t v = 0;

	(void)state;
	setup(&a, 1, 1, 32);
	a.ops->reset(&other, &a.bus, &a.pmu.pmu);
	wr(&a, 0, 0);
	wr(&a, 0, 62);
	wr(&a, 1, 0x18);
	a.ops->write(&other, &a.bus, PMK_MODE_PRIV, 0, 1);
	a.ops->write(&other, &a.bus, PMK_MODE_PRIV, 0, 62);
	pmk_bus_add(&a.bus, PMK_SIG_INSN, 10);
	pmk_bus_add(&a.bus, PMK_SIG_LOAD_WORD, 4);
	last(&a, PMK_SIG_PERIPHERAL_READ, 0, 5);
	a.ops->write(&other, &a.bus, PMK_MODE_PRIV, 1, 0x08);
	pmk_bus_add(&a.bus, PMK_SIG_INSN, 10);
	pmk_bus_add(&a.bus, PMK_SIG_LOAD_WORD, 4);
	last(&a, PMK_SIG_PERIPHERAL_READ, 10, 6);
	EXPECT_ITEMS(&a, 20, 2, 11, 61, 0x00050006);
	a.ops->write(&other, &a.bus, PMK_MODE_PRIV, 1, 0x03);
	a.ops->read(&other, &a.bus, PMK_MODE_PRIV, 3, &v);
	assert_int_equal(v, 4);
	a.ops->read(&other, &a.bus, PMK_MODE_PRIV, 3, &v);
	assert_int_equal(v, 1);
	a.ops->read(&other, &a.bus, PMK_MODE_PRIV, 3, &v);
	assert_int_equal(v, 6);
}

/* After each Start with a preset of K cycles below the maximum, Dbg_Intr rises K cycles later. */
static void test_interval_on_the_cycle(void **state)
{
	static struct bench b;

	(void)state;
	for (unsigned w = 0; w < 3; w++)
		for (unsigned interval = 1; interval < 3000; interval += 7) {
			uint64_t preset = 0 - (uint64_t)interval;

			setup(&b, 1, 0, widths[w]);
			wr(&b, 0, 30);
			wr(&b, 1, 0x01);
			if (w)
				wr(&b, 4,
				   (uint32_t)(preset >> 32) & (w == 1 ? 0xffff : 0xffffffff));
			wr(&b, 4, (uint32_t)preset);
			wr(&b, 1, 0x08);
			pass(&b, PMK_SIG_CYCLE, interval - 1);
			assert_int_equal(b.ops->lines(&b.model), 0);
			pass(&b, PMK_SIG_CYCLE, 1);
			assert_int_equal(b.ops->lines(&b.model), 1);
			wr(&b, 1, 0x10);
			assert_int_equal(b.ops->lines(&b.model), 0);
		}
}

/* ---- the debug module and its processors ---------------------------------------------------- */

/*
 * Stand-ins for processors, which remember the values written to them. Reads return the processor's
 * number.
 */
struct fake {
	unsigned number, reads, writes;
	unsigned reg;
	uint64_t value;
	int err;
};

static int fake_read(void *ctx, unsigned reg, uint64_t *value)
{
	struct fake *f = ctx;

	f->reads++;
	f->reg = reg;
	*value = f->number;
	return f->err;
}

static int fake_write(void *ctx, unsigned reg, uint64_t value)
{
	struct fake *f = ctx;

	f->writes++;
	f->reg = reg;
	f->value = value;
	return f->err;
}

struct board {
	struct fake fake[32];
	struct pmk_port port[32];
	struct pmk_mdm_model mdm;
	struct pmk_mdm_jtag_model jtag;
};

static void setup_board(struct board *b, unsigned n, const struct pmk_mdm_params *params)
{
	memset(b, 0xa5, sizeof(*b));
	for (unsigned i = 0; i < n; i++) {
		b->fake[i] = (struct fake){ .number = i + 1 };
		b->port[i] = (struct pmk_port){ fake_read, fake_write, NULL, &b->fake[i] };
	}
	pmk_mdm_model_reset(&b->mdm, params, b->port, n);
	pmk_mdm_jtag_model_reset(&b->jtag, &b->mdm);
	assert_int_equal(pmk_mdm_model_store(&b->mdm, 0x18, 0xebab), 0);
}

static void put(struct board *b, uint32_t ctrl, uint32_t value)
{
	assert_int_equal(pmk_mdm_model_store(&b->mdm, 0x10, ctrl), 0);
	assert_int_equal(pmk_mdm_model_store(&b->mdm, 0x14, value), 0);
}

static uint32_t get(struct board *b, uint32_t ctrl)
{
	uint32_t value = 0;

	assert_int_equal(pmk_mdm_model_store(&b->mdm, 0x10, ctrl), 0);
	assert_int_equal(pmk_mdm_model_load(&b->mdm, 0x14, &value), 0);
	return value;
}

/*
 * The register that selects MicroBlazes has 8 bits for up to 8 processors, and one bit for each if
 * there are more: 0x61a00 | bits - 1.
 */
static void test_which_processor(void **state)
{
	static struct board b;

	(void)state;
	for (unsigned n = 2; n <= 32; n++) {
		uint32_t ctrl = 0x61a00 | ((n > 8 ? n : 8) - 1);

		setup_board(&b, n, &pmk_mdm_defaults);
		assert_int_equal(get(&b, 0x4ac1f), 0); /* no processor is selected */
		put(&b, 0x4a404, 0x18);
		for (unsigned i = 0; i < n; i++)
			assert_int_equal(b.fake[i].reads + b.fake[i].writes, 0);
		for (unsigned i = 0; i < n; i++) {
			put(&b, ctrl, 1u << i);
			assert_int_equal(get(&b, 0x4ac1f), i + 1);
			assert_int_equal(b.fake[i].reads, 1);
			assert_int_equal(b.fake[i].reg, 3);
			put(&b, 0x4a207, 30 + i);
			assert_int_equal(b.fake[i].writes, 1);
			assert_int_equal(b.fake[i].reg, 0);
			assert_int_equal(b.fake[i].value, 30 + i);
			assert_int_equal(get(&b, ctrl), 0);	   /* write-only */
			assert_int_equal(get(&b, 0x4ac1f), i + 1); /* the read changed nothing */
		}
		/* All processors are selected. */
		put(&b, ctrl, 0xffffffff);
		put(&b, 0x4a404, 0x06);
		for (unsigned i = 0; i < n; i++) {
			assert_int_equal(b.fake[i].writes, 2);
			assert_int_equal(b.fake[i].value, 0x06);
		}
	}
}

static void test_several_are_read(void **state)
{
	struct pmk_mdm_params params = pmk_mdm_defaults;
	static struct board b;

	(void)state;
	setup_board(&b, 8, &params);
	put(&b, 0x61a07, 0x2c); /* numbers 3, 4, 6 */
	assert_int_equal(get(&b, 0x4ac1f), 7);
	for (unsigned i = 0; i < 8; i++)
		assert_int_equal(b.fake[i].reads, 0x2c >> i & 1);
	params.all_of_several = true;
	setup_board(&b, 8, &params);
	put(&b, 0x61a07, 0x44); /* numbers 3, 7 */
	assert_int_equal(get(&b, 0x4ac1f), 3);
	put(&b, 0x61a07, 0);
	assert_int_equal(get(&b, 0x4ac1f), 0);
}

static void test_count_in_the_configuration(void **state)
{
	static struct board b;

	(void)state;
	for (unsigned n = 1; n <= 32; n++) {
		setup_board(&b, n, &pmk_mdm_defaults);
		assert_int_equal(get(&b, 0x6181f), 0x42e70067 | n << 8);
	}
}

/*
 * JTAG selects processors in the same register. It has 8 bits or more, and bit 0 is shifted first.
 */
static void test_which_processor_by_jtag(void **state)
{
	static struct board b;

	(void)state;
	for (unsigned n = 2; n <= 32; n++) {
		setup_board(&b, n, &pmk_mdm_defaults);
		assert_int_equal(pmk_mdm_jtag_model_select(&b.jtag), 0);
		assert_int_equal(pmk_mdm_jtag_model_scan(&b.jtag, 4, (const uint8_t[]){ 1 }, NULL),
				 0);
		for (unsigned i = 0; i < n; i++) {
			uint8_t which[4] = { 0 }, in[4] = { 0 };

			which[i / 8] = (uint8_t)(1u << i % 8);
			assert_int_equal(pmk_mdm_jtag_model_scan(&b.jtag, 8,
								 (const uint8_t[]){ 0x0d }, NULL),
					 0);
			assert_int_equal(
				pmk_mdm_jtag_model_scan(&b.jtag, n > 8 ? n : 8, which, NULL), 0);
			assert_int_equal(pmk_mdm_jtag_model_scan(&b.jtag, 8,
								 (const uint8_t[]){ 0x56 }, NULL),
					 0);
			assert_int_equal(
				pmk_mdm_jtag_model_scan(&b.jtag, 32, (const uint8_t[4]){ 0 }, in),
				0);
			for (unsigned bit = 0; bit < 32; bit++)
				assert_int_equal(in[bit / 8] >> bit % 8 & 1,
						 (i + 1) >> (31 - bit) & 1);
		}
	}
}

/*
 * An error of a processor's port reaches the caller, and the lock of a single access is released.
 */
static void test_errors_behind_the_module(void **state)
{
	static struct board b;
	uint8_t zeros[4] = { 0 };
	uint32_t value;

	(void)state;
	setup_board(&b, 1, &pmk_mdm_defaults);
	b.fake[0].err = PMK_EUNDEF;
	assert_int_equal(pmk_mdm_model_store(&b.mdm, 0x10, 0x4ac1f), 0);
	assert_int_equal(pmk_mdm_model_load(&b.mdm, 0x14, &value), PMK_EUNDEF);
	assert_int_equal(pmk_mdm_model_store(&b.mdm, 0x10, 0x4a404), 0);
	assert_int_equal(pmk_mdm_model_store(&b.mdm, 0x14, 1), PMK_EUNDEF);
	assert_int_equal(pmk_mdm_model_store(&b.mdm, 0x10, 0), 0);
	assert_int_equal(pmk_mdm_jtag_model_select(&b.jtag), 0);
	assert_int_equal(pmk_mdm_jtag_model_scan(&b.jtag, 4, (const uint8_t[]){ 1 }, NULL), 0);
	assert_int_equal(pmk_mdm_jtag_model_scan(&b.jtag, 8, (const uint8_t[]){ 0x56 }, NULL), 0);
	assert_int_equal(pmk_mdm_jtag_model_scan(&b.jtag, 32, zeros, NULL), PMK_EUNDEF);
	assert_int_equal(pmk_mdm_jtag_model_scan(&b.jtag, 8, (const uint8_t[]){ 0x52 }, NULL), 0);
	assert_int_equal(pmk_mdm_jtag_model_scan(&b.jtag, 5, zeros, NULL), PMK_EUNDEF);
}

static void test_no_such_offset(void **state)
{
	static struct board b;
	uint32_t value;

	(void)state;
	setup_board(&b, 1, &pmk_mdm_defaults);
	for (unsigned offset = 0; offset < 0x40; offset++) {
		bool there = offset == 0x10 || offset == 0x14 || offset == 0x18;

		assert_int_equal(pmk_mdm_model_load(&b.mdm, offset, &value) == PMK_EBADREG, !there);
		assert_int_equal(pmk_mdm_model_store(&b.mdm, offset, 0) == PMK_EBADREG, !there);
	}
}

/* The module notes a scan during which software holds the lock. */
static void test_overrun(void **state)
{
	static struct board b;

	(void)state;
	setup_board(&b, 1, &pmk_mdm_defaults);
	assert_int_equal(pmk_mdm_jtag_model_select(&b.jtag), 0);
	assert_int_equal(pmk_mdm_jtag_model_scan(&b.jtag, 4, (const uint8_t[]){ 1 }, NULL), 0);
	assert_int_equal(pmk_mdm_jtag_model_scan(&b.jtag, 8, (const uint8_t[]){ 0x52 }, NULL), 0);
	assert_false(b.mdm.overrun);
	assert_int_equal(pmk_mdm_model_store(&b.mdm, 0x10, 0x8a404), 0);
	assert_int_equal(pmk_mdm_jtag_model_scan(&b.jtag, 5, (const uint8_t[]){ 1 }, NULL), 0);
	assert_true(b.mdm.overrun);
	assert_int_equal(b.fake[0].writes, 0);
}

/*
 * If the lock is lost during an access to a register of more than 32 bits, the access is abandoned.
 */
static void test_lock_is_lost_in_the_middle(void **state)
{
	static struct board b;
	uint32_t value;

	(void)state;
	setup_board(&b, 1, &pmk_mdm_defaults);
	assert_int_equal(get(&b, 0x61822), 0x42e70167);
	assert_true(pmk_mdm_model_jtag_lock(&b.mdm, true));
	assert_int_equal(pmk_mdm_model_load(&b.mdm, 0x14, &value), PMK_EIO);
	pmk_mdm_model_jtag_unlock(&b.mdm);
	assert_int_equal(get(&b, 0x61822), 0x42e70167);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_found_and_fits),
		cmocka_unit_test(test_every_configuration),
		cmocka_unit_test(test_every_event_in_every_kind),
		cmocka_unit_test(test_no_such_register),
		cmocka_unit_test(test_oddities_add_up),
		cmocka_unit_test(test_access_synchronises),
		cmocka_unit_test(test_counts_from_present_totals),
		cmocka_unit_test(test_horizon_of_events),
		cmocka_unit_test(test_horizon_at_the_maximum),
		cmocka_unit_test(test_horizon_of_64_bits),
		cmocka_unit_test(test_horizon_of_latencies),
		cmocka_unit_test(test_totals_may_come_late),
		cmocka_unit_test(test_lost_latencies),
		cmocka_unit_test(test_log_overflows_unheeded),
		cmocka_unit_test(test_records_of_several),
		cmocka_unit_test(test_long_run),
		cmocka_unit_test(test_squares_overflow),
		cmocka_unit_test(test_copy),
		cmocka_unit_test(test_two_on_one_bus),
		cmocka_unit_test(test_interval_on_the_cycle),
		cmocka_unit_test(test_which_processor),
		cmocka_unit_test(test_several_are_read),
		cmocka_unit_test(test_count_in_the_configuration),
		cmocka_unit_test(test_which_processor_by_jtag),
		cmocka_unit_test(test_errors_behind_the_module),
		cmocka_unit_test(test_no_such_offset),
		cmocka_unit_test(test_overrun),
		cmocka_unit_test(test_lock_is_lost_in_the_middle),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
