// SPDX-License-Identifier: MIT
/*
 * A session gives 64-bit totals from counters that wrap.
 *
 * The first tests use a made-up PMU, whose counters count at any time, even between the driver's
 * reads of the flags and of the counters. The other tests use the driver and the model of the
 * ARM11, and compare with the totals of the bus.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <pmk/arm11.h>
#include <pmk/model.h>
#include <pmk/session.h>

#include "../unit.h"

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

/* ---- a made-up PMU ------------------------------------------------------------------------- */

enum call { RESET, PROGRAM, START, STOP, READ, PENDING, CLEAR, NCALLS };

/* The true count of the hardware, and the value that it shows. */
struct hardware {
	uint64_t truth[2];    /* the true 64-bit count, which nothing can read */
	uint32_t flags;	      /* one sticky bit, however often a counter wraps */
	uint64_t in_flags[2]; /* events between the read of the flags and their clearing */
	uint64_t in_read[2];  /* events between clearing the flags and reading the counter */
	unsigned width;	      /* bits of a counter, whose range is 2^width */
	unsigned calls[NCALLS];
	int fail[NCALLS]; /* for each call, the error that it returns; 0: none */
	unsigned programmed[2];
	bool running;
};

static void count(struct hardware *hw, unsigned c, uint64_t n)
{
	uint64_t before = hw->truth[c];

	hw->truth[c] += n;
	if (before >> (hw->width - 1) >> 1 != hw->truth[c] >> (hw->width - 1) >> 1)
		hw->flags |= 1u << c;
}

static int called(struct pmk_dev *d, enum call call)
{
	struct hardware *hw = d->port.ctx;

	hw->calls[call]++;
	return hw->fail[call];
}

static int fake_reset(struct pmk_dev *d)
{
	return called(d, RESET);
}

static int fake_program(struct pmk_dev *d, unsigned counter, unsigned code)
{
	struct hardware *hw = d->port.ctx;

	hw->programmed[counter] = code;
	return called(d, PROGRAM);
}

static int fake_start(struct pmk_dev *d)
{
	struct hardware *hw = d->port.ctx;

	hw->running = true;
	return called(d, START);
}

static int fake_stop(struct pmk_dev *d)
{
	struct hardware *hw = d->port.ctx;

	hw->running = false;
	return called(d, STOP);
}

static int fake_read(struct pmk_dev *d, unsigned counter, uint64_t *value)
{
	struct hardware *hw = d->port.ctx;
	int err = called(d, READ);

	count(hw, counter, hw->in_read[counter]);
	hw->in_read[counter] = 0;
	if (!err)
		*value = hw->width == 64 ? hw->truth[counter]
					 : hw->truth[counter] & ((UINT64_C(1) << hw->width) - 1);
	return err;
}

static int fake_write(struct pmk_dev *d, unsigned counter, uint64_t value)
{
	(void)d, (void)counter, (void)value;
	return PMK_ENOTSUP;
}

static int fake_irq_enable(struct pmk_dev *d, uint32_t counters)
{
	(void)d, (void)counters;
	return PMK_ENOTSUP;
}

static int fake_pending(struct pmk_dev *d, uint32_t *counters)
{
	struct hardware *hw = d->port.ctx;
	int err = called(d, PENDING);

	*counters = 0;
	if (err)
		return err;
	*counters = hw->flags;
	for (unsigned c = 0; c < 2; c++) {
		count(hw, c, hw->in_flags[c]);
		hw->in_flags[c] = 0;
	}
	return 0;
}

static int fake_clear(struct pmk_dev *d, uint32_t counters)
{
	struct hardware *hw = d->port.ctx;
	int err = called(d, CLEAR);

	if (!err)
		hw->flags &= ~counters;
	return err;
}

static int fake_running(struct pmk_dev *d, bool *yes)
{
	const struct hardware *hw = d->port.ctx;

	*yes = hw->running;
	return 0;
}

static const struct pmk_driver fake_driver = {
	.reset = fake_reset,
	.program = fake_program,
	.start = fake_start,
	.stop = fake_stop,
	.read = fake_read,
	.write = fake_write,
	.irq_enable = fake_irq_enable,
	.pending = fake_pending,
	.clear = fake_clear,
	.running = fake_running,
};

static const struct pmk_event fake_events[] = {
	{ .code = 1, .name = "one", .cores = 1 },
	{ .code = 2, .name = "two", .cores = 1 },
	{ .code = 3, .name = "three", .cores = 1 },
};

#define FAKE(w)                                                                                 \
	{                                                                                       \
		.name = "fake" #w, .driver = &fake_driver, .events = fake_events, .nevents = 3, \
		.core = 1, .ncounters = 2,                                                      \
		.counters = (const struct pmk_counter[]){ { "A", w, -1 }, { "B", w, -1 } },     \
	}

static const struct pmk_pmu fakes[] = { FAKE(32), FAKE(8), FAKE(16), FAKE(40), FAKE(64) };
#define NFAKES (sizeof(fakes) / sizeof(fakes[0]))

struct rig {
	const struct pmk_pmu *pmu;
	struct hardware hw[2]; /* one for each pass */
	struct pmk_port port[2];
	struct pmk_plan plan;
	struct pmk_session s;
};

/* Sets up a session with three events: counters A and B in the first pass, A in the second. */
static void setup(struct rig *r, const struct pmk_pmu *pmu)
{
	*r = (struct rig){ .pmu = pmu, .plan = { .nevents = 3 } };
	for (unsigned i = 0; i < 3; i++)
		r->plan.event[i].code = (uint16_t)(i + 1);
	assert_int_equal(pmk_plan_make(pmu, &r->plan), 0);
	for (unsigned i = 0; i < 2; i++) {
		r->hw[i].width = pmu->counters[0].width;
		r->port[i].ctx = &r->hw[i];
	}
	assert_int_equal(pmk_session_open(&r->s, pmu, &r->plan, r->port), 0);
	assert_int_equal(pmk_session_start(&r->s), 0);
}

static void expect_totals(struct rig *r, int line)
{
	uint64_t totals[PMK_MAX_EVENTS];
	uint64_t truth[3];

	for (unsigned i = 0; i < 3; i++) {
		const struct hardware *hw = &r->hw[i >> 1];

		truth[i] = hw->truth[i & 1] + hw->in_flags[i & 1] + hw->in_read[i & 1];
	}
	assert_int_equal(pmk_session_read(&r->s, totals), 0);
	for (unsigned i = 0; i < 3; i++)
		if (totals[i] != truth[i])
			fail_msg("line %d, %s: total of event %u is %llx, counted were %llx", line,
				 r->pmu->name, i, (unsigned long long)totals[i],
				 (unsigned long long)truth[i]);
}

static void test_calls(void **state)
{
	struct rig r;

	(void)state;
	setup(&r, &fakes[0]);
	assert_int_equal(r.s.plan.npasses, 2);
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(r.hw[i].calls[RESET], 1);
		assert_int_equal(r.hw[i].calls[START], 1);
		assert_true(r.hw[i].running);
	}
	assert_int_equal(r.hw[0].calls[PROGRAM], 2);
	assert_int_equal(r.hw[0].programmed[0], 1);
	assert_int_equal(r.hw[0].programmed[1], 2);
	assert_int_equal(r.hw[1].calls[PROGRAM], 1);
	assert_int_equal(r.hw[1].programmed[0], 3);
	expect_totals(&r, __LINE__);
	/*
	 * A reading stops nothing, clears only flags that are set, and reads only counters that
	 * count.
	 */
	assert_int_equal(r.hw[0].calls[CLEAR], 0);
	assert_int_equal(r.hw[0].calls[STOP], 0);
	assert_int_equal(r.hw[0].calls[READ], 2);
	assert_int_equal(r.hw[1].calls[READ], 1);
	assert_int_equal(pmk_session_stop(&r.s), 0);
	assert_false(r.hw[0].running || r.hw[1].running);
	expect_totals(&r, __LINE__); /* a stopped session can be read */
}

static void test_wraps_by_hand(void **state)
{
	struct rig r;

	(void)state;
	setup(&r, &fakes[0]);
	count(&r.hw[0], 0, 0xFFFFFFFF);
	expect_totals(&r, __LINE__);
	count(&r.hw[0], 0, 1); /* wraps to 0 and sets the flag */
	expect_totals(&r, __LINE__);
	r.hw[0].in_flags[0] = 0xFFFFFFFF; /* nearly a range between flag and counter */
	expect_totals(&r, __LINE__);
	r.hw[0].in_flags[0] = 1; /* the counter wraps after its flag was read */
	expect_totals(&r, __LINE__);
	expect_totals(&r, __LINE__); /* the flag belongs to this wrap, not to a second one */
	assert_true(r.s.pass[0].wide[0].total == UINT64_C(0x200000000));
	for (unsigned i = 0; i < 3; i++)
		assert_false(pmk_session_wrapped(&r.s, i));
}

/*
 * If the flag of one counter is set while the flag of the other is cleared, the new flag is seen at
 * the next poll.
 */
static void test_other_flag_rises_meanwhile(void **state)
{
	struct rig r;

	(void)state;
	setup(&r, &fakes[0]);
	count(&r.hw[0], 0, 0xFFFFFFFF);
	count(&r.hw[0], 1, 0xFFFFFFFF);
	expect_totals(&r, __LINE__);
	count(&r.hw[0], 0, 1);
	r.hw[0].in_flags[1] = 1;
	expect_totals(&r, __LINE__);
	assert_int_equal(r.hw[0].calls[CLEAR], 1);
	assert_int_equal(r.hw[0].flags, 2);
	expect_totals(&r, __LINE__);
	assert_int_equal(r.hw[0].calls[CLEAR], 2);
	assert_int_equal(r.hw[0].flags, 0);
	for (unsigned i = 0; i < 3; i++)
		assert_false(pmk_session_wrapped(&r.s, i));
}

/*
 * In 10^5 random schedules in which less than a range passes between two readings of a counter,
 * each total is the true count, and no loss is reported.
 */
static void test_random_schedules(void **state)
{
	(void)state;
	for (unsigned round = 0; round < UNIT_SAMPLES(100000); round++) {
		const struct pmk_pmu *pmu = &fakes[pick(NFAKES)];
		uint64_t most = pmu->counters[0].width == 64
					? UINT64_MAX
					: (UINT64_C(1) << pmu->counters[0].width) - 1;
		struct rig r;

		setup(&r, pmu);
		for (unsigned poll = 0; poll < 1 + round % 12; poll++) {
			for (unsigned k = 0; k < 4; k++) {
				struct hardware *hw = &r.hw[k >> 1];
				uint64_t all = pick(4) ? pick(most) + 1 : most - pick(3);
				uint64_t early = pick(3) ? all - (pick(2) ? pick(all) : 0) : 0;

				uint64_t rest = all - early;
				uint64_t late = rest && pick(2) ? rest - pick(rest) : 0;

				count(hw, k & 1, early);
				hw->in_flags[k & 1] = rest - late;
				hw->in_read[k & 1] = late;
			}
			expect_totals(&r, __LINE__);
		}
		for (unsigned i = 0; i < 3; i++)
			assert_false(pmk_session_wrapped(&r.s, i));
	}
}

/* ---- a wrap too many ----------------------------------------------------------------------- */

/*
 * If a counter advances by more than its range between two polls, and its value shows that it
 * wrapped more than once, the session reports the loss.
 */
static void test_lost_wrap_is_reported(void **state)
{
	(void)state;
	for (unsigned round = 0; round < 10000; round++) {
		uint64_t totals[PMK_MAX_EVENTS], last = pick(0xFFFFFFFF);
		struct rig r;

		setup(&r, &fakes[0]);
		count(&r.hw[0], 1, last);
		expect_totals(&r, __LINE__);
		count(&r.hw[0], 1, UINT64_C(0x100000000) + pick(0x100000000 - last));
		assert_int_equal(pmk_session_poll(&r.s), 0);
		assert_false(pmk_session_wrapped(&r.s, 0));
		assert_true(pmk_session_wrapped(&r.s, 1));
		assert_false(pmk_session_wrapped(&r.s, 2));
		assert_int_equal(pmk_session_read(&r.s, totals), 0);
		assert_true(totals[1] < r.hw[0].truth[1]); /* the total is a lower bound */
		count(&r.hw[0], 1, 5);
		assert_int_equal(pmk_session_read(&r.s, totals), 0);
		assert_true(pmk_session_wrapped(&r.s, 1)); /* it stays a lower bound */
	}
}

/*
 * If a counter advances by a whole range between the reads of the flags and of the counter, its
 * value shows no wrap. The session sees the flag one poll later, and reports the loss.
 */
static void test_lost_wrap_between_flag_and_counter(void **state)
{
	struct rig r;

	(void)state;
	setup(&r, &fakes[0]);
	count(&r.hw[0], 0, 100);
	assert_int_equal(pmk_session_poll(&r.s), 0);
	r.hw[0].in_flags[0] = UINT64_C(0x100000000);
	assert_int_equal(pmk_session_poll(&r.s), 0);
	assert_int_equal(pmk_session_poll(&r.s), 0);
	assert_true(pmk_session_wrapped(&r.s, 0));
}

/*
 * The session may see a wrap in the value before it reads the flag. If the counter wraps again
 * before the flags are read, both wraps share one flag. The session must not wait for a second
 * flag, because this would hide a later loss.
 */
static void test_merged_flag_hides_nothing_later(void **state)
{
	struct rig r;

	(void)state;
	setup(&r, &fakes[0]);
	count(&r.hw[0], 0, 0xFFFFFFF0);
	expect_totals(&r, __LINE__);
	r.hw[0].in_flags[0] = 0x80000000; /* wraps after the read of the flags */
	expect_totals(&r, __LINE__);
	count(&r.hw[0], 0, 0x80000020); /* wraps again; its flag is already set */
	expect_totals(&r, __LINE__);
	count(&r.hw[0], 0, 1000); /* neither a wrap nor a flag */
	expect_totals(&r, __LINE__);
	assert_false(pmk_session_wrapped(&r.s, 0));
	count(&r.hw[0], 0, UINT64_C(0x100000010));
	assert_int_equal(pmk_session_poll(&r.s), 0);
	assert_true(pmk_session_wrapped(&r.s, 0));
}

/* ---- errors -------------------------------------------------------------------------------- */

static void test_errors_of_the_driver(void **state)
{
	static const int errors[] = { PMK_EUNDEF, PMK_EIO, PMK_EBUSY };

	(void)state;
	for (unsigned pass = 0; pass < 2; pass++) {
		for (unsigned k = 0; k < 3; k++) {
			uint64_t totals[PMK_MAX_EVENTS];
			struct rig r;

			setup(&r, &fakes[0]);
			r.hw[pass].fail[PENDING] = errors[k];
			assert_int_equal(pmk_session_poll(&r.s), errors[k]);
			assert_int_equal(pmk_session_read(&r.s, totals), errors[k]);
			r.hw[pass].fail[PENDING] = 0;
			r.hw[pass].flags = 1;
			r.hw[pass].fail[CLEAR] = errors[k];
			assert_int_equal(pmk_session_poll(&r.s), errors[k]);
			assert_int_equal(pmk_session_read(&r.s, totals), errors[k]);
			r.hw[pass].fail[CLEAR] = 0;
			r.hw[pass].fail[READ] = errors[k];
			assert_int_equal(pmk_session_poll(&r.s), errors[k]);
			assert_int_equal(pmk_session_read(&r.s, totals), errors[k]);
			r.hw[pass].fail[READ] = 0;
			assert_int_equal(pmk_session_poll(&r.s), 0);

			r.hw[pass].fail[STOP] = errors[k];
			assert_int_equal(pmk_session_stop(&r.s), errors[k]);
			r.hw[pass].fail[START] = errors[k];
			assert_int_equal(pmk_session_start(&r.s), errors[k]);
			r.hw[pass].fail[RESET] = errors[k];
			assert_int_equal(pmk_session_open(&r.s, r.pmu, &r.plan, r.port), errors[k]);
			r.hw[pass].fail[RESET] = 0;
			r.hw[pass].fail[PROGRAM] = errors[k];
			assert_int_equal(pmk_session_open(&r.s, r.pmu, &r.plan, r.port), errors[k]);
			r.hw[pass].fail[PROGRAM] = 0;
			assert_int_equal(pmk_session_open(&r.s, r.pmu, &r.plan, r.port), 0);
		}
	}
}

/* After a failed reading, earlier counts are still reported, and nothing is lost. */
static void test_totals_outlive_an_error(void **state)
{
	uint64_t totals[PMK_MAX_EVENTS];
	struct rig r;

	(void)state;
	setup(&r, &fakes[0]);
	count(&r.hw[0], 0, 0xFFFFFFFF);
	expect_totals(&r, __LINE__);
	count(&r.hw[0], 0, 10);
	r.hw[0].fail[CLEAR] = PMK_EIO;
	assert_int_equal(pmk_session_read(&r.s, totals), PMK_EIO);
	assert_true(totals[0] == 0xFFFFFFFF);
	r.hw[0].fail[CLEAR] = 0;
	expect_totals(&r, __LINE__);
	count(&r.hw[0], 0, 0xFFFFFFF0);
	r.hw[0].fail[READ] = PMK_EIO;
	assert_int_equal(pmk_session_read(&r.s, totals), PMK_EIO);
	assert_true(totals[0] == 0x100000009);
	r.hw[0].fail[READ] = 0;
	expect_totals(&r, __LINE__);
	assert_false(pmk_session_wrapped(&r.s, 0));
}

/* In another process, the session is at other addresses. Only its pointers change. */
static void test_rebind(void **state)
{
	struct pmk_pmu elsewhere = fakes[0];
	struct hardware before[2];
	struct rig r, copy;

	(void)state;
	setup(&r, &fakes[0]);
	count(&r.hw[0], 0, 0xFFFFFFF0);
	expect_totals(&r, __LINE__);
	copy = r;
	copy.pmu = &elsewhere;
	for (unsigned i = 0; i < 2; i++)
		copy.port[i].ctx = &copy.hw[i];
	memcpy(before, copy.hw, sizeof(before));
	pmk_session_rebind(&copy.s, &elsewhere, copy.port);
	assert_memory_equal(before, copy.hw, sizeof(before));
	count(&copy.hw[0], 0, 0x20);
	expect_totals(&copy, __LINE__);
	expect_totals(&r, __LINE__); /* the original is unchanged */
	assert_true(r.s.pass[0].wide[0].total == 0xFFFFFFF0);
	assert_true(copy.s.pass[0].wide[0].total == UINT64_C(0x100000010));
}

/* ---- through the ARM11 driver and model ---------------------------------------------------- */

struct arm11 {
	struct pmk_bus bus;
	struct pmk_model_port mp[PMK_MAX_PASSES];
	struct pmk_port port[PMK_MAX_PASSES];
	uint64_t model[PMK_MAX_PASSES][64];
	struct pmk_plan plan;
	struct pmk_session s;
	uint64_t from[PMK_MAX_PASSES]; /* cycles on the bus when each pass began to count */
};

static void arm11_setup(struct arm11 *a, const struct pmk_pmu *pmu, const uint16_t *code,
			unsigned n)
{
	memset(a, 0, sizeof(*a));
	pmk_bus_init(&a->bus);
	a->bus.total[PMK_SIG_CYCLE] = 12345;
	for (unsigned i = PMK_SIG_CYCLE + 1; i < PMK_NSIGNALS; i++)
		a->bus.total[i] = 1000 * i; /* must not be counted */
	a->plan.nevents = n;
	for (unsigned i = 0; i < n; i++)
		a->plan.event[i].code = code[i];
	assert_int_equal(pmk_plan_make(pmu, &a->plan), 0);
	for (unsigned i = 0; i < a->plan.npasses; i++) {
		a->mp[i] = (struct pmk_model_port){ .ops = pmk_model_find(pmu),
						    .model = a->model[i],
						    .bus = &a->bus,
						    .mode = PMK_MODE_PRIV };
		assert_true(a->mp[i].ops->size <= sizeof(a->model[i]));
		a->mp[i].ops->reset(a->model[i], &a->bus, a->mp[i].ops->pmu);
		a->port[i] = pmk_port_model(&a->mp[i]);
	}
	assert_int_equal(pmk_session_open(&a->s, pmu, &a->plan, a->port), 0);
	/* Every pass counts from 3 cycles after its start (DDI 0211, PMNC). */
	for (unsigned i = 0; i < a->plan.npasses; i++)
		a->from[i] = a->bus.total[PMK_SIG_CYCLE] + 3 * (i + 1);
	assert_int_equal(pmk_session_start(&a->s), 0);
}

static void arm11_expect(struct arm11 *a, const struct pmk_pmu *pmu, const uint64_t *base)
{
	uint64_t totals[PMK_MAX_EVENTS];

	assert_int_equal(pmk_session_read(&a->s, totals), 0);
	for (unsigned i = 0; i < a->plan.nevents; i++) {
		const struct pmk_event *ev = pmk_pmu_event_code(pmu, a->plan.event[i].code);
		uint64_t truth = 0;

		if (ev->signal == PMK_SIG_CYCLE)
			truth = a->bus.total[PMK_SIG_CYCLE] - a->from[a->plan.event[i].pass];
		else
			truth = a->bus.total[ev->signal] - base[ev->signal];
		if (ev->signal2 != PMK_SIG_NONE)
			truth += a->bus.total[ev->signal2] - base[ev->signal2];
		if (totals[i] != truth)
			fail_msg("%s: total %llx, on the bus %llx", ev->name,
				 (unsigned long long)totals[i], (unsigned long long)truth);
		assert_false(pmk_session_wrapped(&a->s, i));
	}
}

/*
 * All events of a core are counted together, over many times the range of a counter, and equal the
 * totals of the bus.
 */
static void test_arm11_totals_are_the_bus_totals(void **state)
{
	static const struct pmk_pmu *const pmus[] = { &pmk_arm1136_r0, &pmk_arm1136, &pmk_arm1156,
						      &pmk_arm1176, &pmk_arm11mpcore };
	static struct arm11 a;

	(void)state;
	for (unsigned p = 0; p < sizeof(pmus) / sizeof(pmus[0]); p++) {
		const struct pmk_pmu *pmu = pmus[p];
		uint16_t code[PMK_MAX_EVENTS];
		uint64_t base[PMK_NSIGNALS];
		unsigned n = 0;

		for (unsigned i = 0; i < pmu->nevents; i++)
			if (pmk_pmu_has(pmu, &pmu->events[i]))
				code[n++] = pmu->events[i].code;
		assert_true(n > 10);
		arm11_setup(&a, pmu, code, n);
		memcpy(base, a.bus.total, sizeof(base));
		for (unsigned poll = 0; poll < 200; poll++) {
			arm11_expect(&a, pmu, base);
			/*
			 * Each signal occurs for at most half a range, so an event of two signals
			 * stays within a range.
			 */
			for (unsigned i = PMK_SIG_CYCLE; i < PMK_NSIGNALS; i++)
				pmk_bus_add(&a.bus, i, pick(4) ? pick(0x7FFFFFFF) : 0x7FFFFFFF);
		}
		arm11_expect(&a, pmu, base);
		assert_true(a.bus.total[PMK_SIG_INSN] - base[PMK_SIG_INSN] > UINT64_C(20) << 32);
	}
}

/* A counter may count up to one less than its range between two polls. */
static void test_arm11_nearly_a_range(void **state)
{
	static const uint16_t code[] = { 0x07, 0x0B, 0xFF };
	static struct arm11 a;
	uint64_t base[PMK_NSIGNALS];

	(void)state;
	arm11_setup(&a, &pmk_arm1176, code, 3);
	memcpy(base, a.bus.total, sizeof(base));
	for (unsigned poll = 0; poll < 100; poll++) {
		for (unsigned i = PMK_SIG_CYCLE; i < PMK_NSIGNALS; i++)
			pmk_bus_add(&a.bus, i, 0xFFFFFFFF - (pick(2) ? 0 : pick(5)));
		arm11_expect(&a, &pmk_arm1176, base);
	}
	pmk_bus_add(&a.bus, PMK_SIG_INSN, UINT64_C(0x100000000));
	assert_int_equal(pmk_session_poll(&a.s), 0);
	assert_true(pmk_session_wrapped(&a.s, 0));
	assert_false(pmk_session_wrapped(&a.s, 1));
}

static void test_arm11_stop(void **state)
{
	static const uint16_t code[] = { 0x07 };
	static struct arm11 a;
	uint64_t totals[PMK_MAX_EVENTS];

	(void)state;
	arm11_setup(&a, &pmk_arm1176, code, 1);
	pmk_bus_add(&a.bus, PMK_SIG_INSN, 5000);
	assert_int_equal(pmk_session_stop(&a.s), 0);
	pmk_bus_add(&a.bus, PMK_SIG_INSN, 300);
	assert_int_equal(pmk_session_read(&a.s, totals), 0);
	assert_true(totals[0] == 5000);
	assert_int_equal(pmk_session_start(&a.s), 0);
	pmk_bus_add(&a.bus, PMK_SIG_INSN, 7);
	assert_int_equal(pmk_session_read(&a.s, totals), 0);
	assert_true(totals[0] == 5007);
}

/* In a mode without access, the driver's first read returns the error. */
static void test_arm11_no_access(void **state)
{
	static const uint16_t code[] = { 0x07 };
	static struct arm11 a;

	(void)state;
	arm11_setup(&a, &pmk_arm1176, code, 1);
	a.mp[0].mode = PMK_MODE_USER;
	assert_int_equal(pmk_session_poll(&a.s), PMK_EUNDEF);
	assert_int_equal(pmk_session_start(&a.s), PMK_EUNDEF);
	assert_int_equal(pmk_session_open(&a.s, &pmk_arm1176, &a.plan, a.port), PMK_EUNDEF);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_calls),
		cmocka_unit_test(test_wraps_by_hand),
		cmocka_unit_test(test_other_flag_rises_meanwhile),
		cmocka_unit_test(test_random_schedules),
		cmocka_unit_test(test_lost_wrap_is_reported),
		cmocka_unit_test(test_lost_wrap_between_flag_and_counter),
		cmocka_unit_test(test_merged_flag_hides_nothing_later),
		cmocka_unit_test(test_errors_of_the_driver),
		cmocka_unit_test(test_totals_outlive_an_error),
		cmocka_unit_test(test_rebind),
		cmocka_unit_test(test_arm11_totals_are_the_bus_totals),
		cmocka_unit_test(test_arm11_nearly_a_range),
		cmocka_unit_test(test_arm11_stop),
		cmocka_unit_test(test_arm11_no_access),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
