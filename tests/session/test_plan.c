// SPDX-License-Identifier: MIT
/*
 * The planner gives the passes and counters that were worked out by hand, for an ARM11 (CCNT counts
 * only event 0xFF, PMN0 and PMN1 count any event), for a MicroBlaze (0 to 4 are event counters, 5
 * is a latency counter) and for made-up PMUs. Plans for random lists have the right properties.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <pmk/arm11.h>
#include <pmk/microblaze.h>
#include <pmk/session.h>

#include "unit.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static uint64_t seed = 88172645463325252u;

static unsigned pick(unsigned n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (unsigned)(seed >> 20) % n;
}

/* ---- made-up PMUs -------------------------------------------------------------------------- */

static const struct pmk_event events[] = {
	{ .code = 1, .name = "one", .cores = 1 },     { .code = 2, .name = "two", .cores = 1 },
	{ .code = 3, .name = "three", .cores = 1 },   { .code = 4, .name = "four", .cores = 1 },
	{ .code = 5, .name = "sibling", .cores = 2 },
};

static const struct pmk_counter one_counter[] = { { "C0", 32, -1 } };
static const struct pmk_counter five_counters[] = {
	{ "C0", 32, -1 }, { "C1", 32, 2 }, { "C2", 32, -1 }, { "C3", 32, 2 }, { "C4", 32, 3 },
};

static const struct pmk_pmu narrow = {
	.name = "narrow",
	.events = events,
	.nevents = COUNT(events),
	.core = 1,
	.counters = one_counter,
	.ncounters = 1,
};
static const struct pmk_pmu wide = {
	.name = "wide",
	.events = events,
	.nevents = COUNT(events),
	.core = 1,
	.counters = five_counters,
	.ncounters = 5,
};

/* ---- by hand ------------------------------------------------------------------------------- */

struct row {
	int line;
	const struct pmk_pmu *pmu;
	unsigned n;
	uint16_t code[10];
	uint8_t group[10];
	int err;
	unsigned npasses;
	uint8_t pass[10], counter[10];
};

/* clang-format off */
static const struct row rows[] = {
	{ __LINE__, &pmk_arm1176, 0, {0}, {0}, 0, 0, {0}, {0} },
	/* one event: PMN0 */
	{ __LINE__, &pmk_arm1176, 1, {0x07}, {0}, 0, 1, {0}, {1} },
	/* Cycles use the counter that counts nothing else. */
	{ __LINE__, &pmk_arm1176, 1, {0xFF}, {0}, 0, 1, {0}, {0} },
	{ __LINE__, &pmk_arm1176, 3, {0x07, 0x0B, 0xFF}, {0}, 0, 1, {0, 0, 0}, {1, 2, 0} },
	{ __LINE__, &pmk_arm1176, 3, {0xFF, 0x07, 0x0B}, {0}, 0, 1, {0, 0, 0}, {0, 1, 2} },
	/* A second count of cycles uses any free counter. */
	{ __LINE__, &pmk_arm1176, 3, {0xFF, 0xFF, 0xFF}, {0}, 0, 1, {0, 0, 0}, {0, 1, 2} },
	/* There are two events per pass. */
	{ __LINE__, &pmk_arm1176, 5, {0, 1, 2, 3, 4}, {0}, 0, 3, {0, 0, 1, 1, 2}, {1, 2, 1, 2, 1} },
	{ __LINE__, &pmk_arm1176, 6, {0, 1, 2, 0xFF, 3, 4}, {0}, 0, 3,
	  {0, 0, 1, 0, 1, 2}, {1, 2, 1, 0, 2, 1} },
	/*
	 * A pair that must share a pass waits for a pass with room, and the next single event fills
	 * the gap.
	 */
	{ __LINE__, &pmk_arm1176, 4, {0, 0x09, 0x0B, 1}, {0, 1, 1, 0}, 0, 2,
	  {0, 1, 1, 0}, {1, 1, 2, 2} },
	/* Members of a group may be anywhere in the list. */
	{ __LINE__, &pmk_arm1176, 4, {0x09, 0, 1, 0x0B}, {7, 0, 0, 7}, 0, 2,
	  {0, 1, 1, 0}, {1, 1, 2, 2} },
	/* Two groups are interleaved. */
	{ __LINE__, &pmk_arm1176, 4, {0, 1, 2, 3}, {1, 2, 1, 2}, 0, 2, {0, 1, 0, 1}, {1, 1, 2, 2} },
	/* In a group, the cycle counter is one more counter. */
	{ __LINE__, &pmk_arm1176, 3, {0x07, 0x0B, 0xFF}, {1, 1, 1}, 0, 1, {0, 0, 0}, {1, 2, 0} },
	/* The group's cycle counter is already used in the first pass. */
	{ __LINE__, &pmk_arm1176, 4, {0xFF, 0, 0x07, 0xFF}, {0, 0, 1, 1}, 0, 2,
	  {0, 0, 1, 1}, {0, 1, 1, 0} },
	/* A group of three events without cycles does not fit. */
	{ __LINE__, &pmk_arm1176, 3, {0, 1, 2}, {1, 1, 1}, PMK_ENOCTR, 0, {0}, {0} },
	{ __LINE__, &pmk_arm1176, 4, {0, 0xFF, 1, 2}, {1, 1, 1, 1}, PMK_ENOCTR, 0, {0}, {0} },
	/* No core has 0x08, the ARM1136 has no 0x23, and only the ARM1156 has 0x13. */
	{ __LINE__, &pmk_arm1176, 1, {0x08}, {0}, PMK_ENOEVENT, 0, {0}, {0} },
	{ __LINE__, &pmk_arm1176, 2, {0x07, 0x08}, {0}, PMK_ENOEVENT, 0, {0}, {0} },
	{ __LINE__, &pmk_arm1176, 2, {0x07, 0x08}, {1, 1}, PMK_ENOEVENT, 0, {0}, {0} },
	{ __LINE__, &pmk_arm1136, 1, {0x23}, {0}, PMK_ENOEVENT, 0, {0}, {0} },
	{ __LINE__, &pmk_arm1176, 1, {0x23}, {0}, 0, 1, {0}, {1} },
	{ __LINE__, &pmk_arm1156, 1, {0x13}, {0}, 0, 1, {0}, {1} },
	{ __LINE__, &pmk_arm1176, 1, {0x13}, {0}, PMK_ENOEVENT, 0, {0}, {0} },
	{ __LINE__, &narrow, 3, {1, 2, 3}, {0}, 0, 3, {0, 1, 2}, {0, 0, 0} },
	{ __LINE__, &narrow, 2, {1, 2}, {9, 9}, PMK_ENOCTR, 0, {0}, {0} },
	{ __LINE__, &narrow, 1, {5}, {0}, PMK_ENOEVENT, 0, {0}, {0} },
	/*
	 * Two counters count only event 2, and one counts only event 3. They are used before the
	 * two general counters.
	 */
	{ __LINE__, &wide, 6, {2, 2, 2, 3, 3, 1}, {0}, 0, 2, {0, 0, 0, 0, 0, 1}, {1, 3, 0, 4, 2,
		0} },
	{ __LINE__, &wide, 5, {1, 4, 2, 2, 3}, {3, 3, 3, 3, 3}, 0, 1, {0}, {0, 2, 1, 3, 4} },
	{ __LINE__, &wide, 3, {1, 4, 1}, {3, 3, 3}, PMK_ENOCTR, 0, {0}, {0} },
	/* Only events with a latency use the latency counter, even if it is free. */
	{ __LINE__, &pmk_microblaze, 2, {62, 0}, {0}, 0, 1, {0, 0}, {5, 0} },
	{ __LINE__, &pmk_microblaze, 4, {57, 63, 0, 57}, {0}, 0, 3, {0, 1, 0, 2}, {5, 5, 0, 5} },
	{ __LINE__, &pmk_microblaze, 6, {0, 56, 2, 3, 4, 5}, {0}, 0, 2,
	  {0, 0, 0, 0, 0, 1}, {0, 1, 2, 3, 4, 0} },
	/* The events for a hit rate and a miss latency fit. Two latencies do not fit. */
	{ __LINE__, &pmk_microblaze, 3, {60, 10, 11}, {1, 1, 1}, 0, 1, {0, 0, 0}, {5, 0, 1} },
	{ __LINE__, &pmk_microblaze, 3, {60, 58, 11}, {1, 1, 1}, PMK_ENOCTR, 0, {0}, {0} },
	{ __LINE__, &pmk_microblaze, 1, {64}, {0}, PMK_ENOEVENT, 0, {0}, {0} },
};
/* clang-format on */

static void test_by_hand(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct row *r = &rows[i];
		struct pmk_plan plan = { .nevents = r->n, .npasses = 77 };
		int err;

		for (unsigned k = 0; k < r->n; k++)
			plan.event[k] = (struct pmk_plan_event){ .code = r->code[k],
								 .group = r->group[k],
								 .pass = 200,
								 .counter = 200 };
		err = pmk_plan_make(r->pmu, &plan);
		if (err != r->err)
			fail_msg("row of line %d: error %d, not %d", r->line, err, r->err);
		if (err)
			continue;
		if (plan.npasses != r->npasses)
			fail_msg("row of line %d: %u passes, not %u", r->line, plan.npasses,
				 r->npasses);
		for (unsigned k = 0; k < r->n; k++)
			if (plan.event[k].pass != r->pass[k] ||
			    plan.event[k].counter != r->counter[k])
				fail_msg("row of line %d: event %u is on pass %u counter %u",
					 r->line, k, plan.event[k].pass, plan.event[k].counter);
	}
}

/* The interval timer uses the same counter in every pass. */
static void test_timer(void **state)
{
	/* clang-format off */
	static const struct {
		const struct pmk_pmu *pmu;
		uint16_t timer;
		unsigned n;
		uint16_t code[6];
		uint8_t group[6];
		int err;
		unsigned npasses, timer_counter;
		uint8_t pass[6], counter[6];
	} timed[] = {
		{ &pmk_microblaze, 30, 6, {0, 1, 2, 3, 4, 62}, {0}, 0, 2, 0,
		  {0, 0, 0, 0, 1, 0}, {1, 2, 3, 4, 1, 5} },
		/* The event of the interval timer can also be counted. */
		{ &pmk_microblaze, 30, 1, {30}, {0}, 0, 1, 0, {0}, {1} },
		{ &pmk_microblaze, 30, 0, {0}, {0}, 0, 0, 0, {0}, {0} },
		{ &pmk_microblaze, 64, 1, {0}, {0}, PMK_ENOEVENT, 0, 0, {0}, {0} },
		/* With the timer, this group does not fit. */
		{ &pmk_microblaze, 30, 5, {0, 1, 2, 3, 4}, {1, 1, 1, 1, 1}, PMK_ENOCTR, 0, 0, {0},
			{0} },
		{ &pmk_arm1176, 0xFF, 3, {0xFF, 1, 2}, {0}, 0, 2, 0, {0, 0, 1}, {1, 2, 1} },
		{ &narrow, 1, 1, {2}, {0}, PMK_ENOCTR, 0, 0, {0}, {0} },
		{ &wide, 2, 3, {2, 2, 1}, {0}, 0, 1, 1, {0, 0, 0}, {3, 0, 2} },
	};
	/* clang-format on */

	(void)state;
	for (unsigned i = 0; i < COUNT(timed); i++) {
		struct pmk_plan plan = { .nevents = timed[i].n,
					 .timed = true,
					 .timer_code = timed[i].timer,
					 .timer_counter = 99 };

		for (unsigned k = 0; k < timed[i].n; k++) {
			plan.event[k].code = timed[i].code[k];
			plan.event[k].group = timed[i].group[k];
		}
		assert_int_equal(pmk_plan_make(timed[i].pmu, &plan), timed[i].err);
		if (timed[i].err)
			continue;
		assert_int_equal(plan.npasses, timed[i].npasses);
		assert_int_equal(plan.timer_counter, timed[i].timer_counter);
		for (unsigned k = 0; k < timed[i].n; k++) {
			assert_int_equal(plan.event[k].pass, timed[i].pass[k]);
			assert_int_equal(plan.event[k].counter, timed[i].counter[k]);
		}
	}
}

static void test_limits(void **state)
{
	struct pmk_plan plan = { .nevents = 32 };

	(void)state;
	for (unsigned i = 0; i < 64; i++)
		plan.event[i].code = 1 + i % 4;
	assert_int_equal(pmk_plan_make(&narrow, &plan), 0);
	assert_int_equal(plan.npasses, 32);
	plan.nevents = 33;
	assert_int_equal(pmk_plan_make(&narrow, &plan), PMK_ERANGE);
	plan.nevents = 64;
	assert_int_equal(pmk_plan_make(&wide, &plan), 0);
	plan.nevents = 257; /* one more than fits */
	assert_int_equal(pmk_plan_make(&wide, &plan), PMK_ERANGE);
	plan.nevents = UINT32_MAX;
	assert_int_equal(pmk_plan_make(&wide, &plan), PMK_ERANGE);

	plan.nevents = 64; /* two per pass use all 32 passes (PMK_MAX_PASSES) */
	for (unsigned i = 0; i < 64; i++)
		plan.event[i].code = i % 8;
	assert_int_equal(pmk_plan_make(&pmk_arm1176, &plan), 0);
	assert_int_equal(plan.npasses, 32);
}

/* ---- properties ---------------------------------------------------------------------------- */

/* Checks the properties that every plan must have. */
static void check_plan(const struct pmk_pmu *pmu, const struct pmk_plan *before,
		       const struct pmk_plan *plan)
{
	bool taken[32][8] = { { false } };

	assert_int_equal(plan->nevents, before->nevents);
	for (unsigned i = 0; i < plan->nevents; i++) {
		const struct pmk_plan_event *e = &plan->event[i];
		int32_t fixed;

		assert_int_equal(e->code, before->event[i].code);
		assert_int_equal(e->group, before->event[i].group);
		assert_true(e->pass < plan->npasses);
		assert_true(e->counter < pmu->ncounters);
		assert_false(taken[e->pass][e->counter]);
		taken[e->pass][e->counter] = true;
		fixed = pmu->counters[e->counter].fixed_code;
		assert_true(fixed < 0 || fixed == e->code);
		for (unsigned k = 0; k < i; k++)
			if (e->group && plan->event[k].group == e->group)
				assert_int_equal(e->pass, plan->event[k].pass);
	}
	for (unsigned p = 0; p < plan->npasses; p++) {
		unsigned used = 0;

		for (unsigned c = 0; c < pmu->ncounters; c++)
			used += taken[p][c];
		assert_true(used > 0); /* no pass is empty */
	}
}

/* The events of the ARM1176 that are not cycles. */
static const uint16_t plain[] = { 0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07,
				  0x09, 0x0A, 0x0B, 0x0C, 0x0D, 0x0F, 0x10, 0x11,
				  0x12, 0x20, 0x21, 0x22, 0x23, 0x24, 0x25, 0x26 };

/*
 * Two counters accept any event, so n single events need ⌈n / 2⌉ passes, and CCNT counts cycles in
 * one of them.
 */
static void test_singles_are_minimal(void **state)
{
	(void)state;
	for (unsigned round = 0; round < UNIT_SAMPLES(20000); round++) {
		struct pmk_plan plan = { .nevents = 1 + pick(64) }, before;
		unsigned cycles = pick(2), n = plan.nevents;

		for (unsigned i = 0; i < n; i++)
			plan.event[i].code = plain[pick(COUNT(plain))];
		if (cycles)
			plan.event[pick(n)].code = 0xFF;
		before = plan;
		assert_int_equal(pmk_plan_make(&pmk_arm1176, &plan), 0);
		check_plan(&pmk_arm1176, &before, &plan);
		n -= cycles;
		assert_int_equal(plan.npasses, n ? (n + 1) / 2 : 1);
		for (unsigned i = 0; i < plan.nevents; i++)
			if (plan.event[i].code == 0xFF)
				assert_int_equal(plan.event[i].counter, 0);
	}
}

/*
 * Pairs and single events in any order need as few passes as possible: a pair fills a pass, and
 * single events fill passes two by two.
 */
static void test_pairs_are_minimal(void **state)
{
	(void)state;
	for (unsigned round = 0; round < UNIT_SAMPLES(20000); round++) {
		struct pmk_plan plan = { .nevents = 0 }, before;
		unsigned pairs = 0, singles = 0;
		unsigned want = 1 + pick(40);

		while (plan.nevents < want) {
			uint8_t group = pick(2) ? (uint8_t)(1 + pairs) : 0;

			plan.event[plan.nevents++] =
				(struct pmk_plan_event){ .code = plain[pick(COUNT(plain))],
							 .group = group };
			if (group)
				plan.event[plan.nevents++] =
					(struct pmk_plan_event){ .code = plain[pick(COUNT(plain))],
								 .group = group };
			pairs += group != 0;
			singles += group == 0;
		}
		for (unsigned i = plan.nevents; i > 1; i--) {
			struct pmk_plan_event e = plan.event[i - 1];
			unsigned k = pick(i);

			plan.event[i - 1] = plan.event[k];
			plan.event[k] = e;
		}
		before = plan;
		assert_int_equal(pmk_plan_make(&pmk_arm1176, &plan), 0);
		check_plan(&pmk_arm1176, &before, &plan);
		assert_int_equal(plan.npasses, pairs + (singles + 1) / 2);
	}
}

/* A random list gives a valid plan, or the error that says why there is none. */
static void test_random_lists(void **state)
{
	static const struct pmk_pmu *const pmus[] = { &pmk_arm1176, &pmk_arm11mpcore, &narrow,
						      &wide };
	unsigned made = 0, refused = 0;

	(void)state;
	for (unsigned round = 0; round < 50000; round++) {
		const struct pmk_pmu *pmu = pmus[pick(COUNT(pmus))];
		struct pmk_plan plan = { .nevents = pick(40) }, before;
		bool known = true;
		int err;

		for (unsigned i = 0; i < plan.nevents; i++) {
			uint16_t code = (uint16_t)(pick(30) ? pmu->events[pick(pmu->nevents)].code
							    : pick(256));

			plan.event[i].code = code;
			plan.event[i].group = (uint8_t)(pick(3) ? 0 : 1 + pick(6));
			known &= pmk_pmu_event_code(pmu, code) != NULL;
		}
		before = plan;
		err = pmk_plan_make(pmu, &plan);
		if (err) {
			assert_true(err == PMK_ENOCTR || err == PMK_ERANGE || err == PMK_ENOEVENT);
			assert_true(err != PMK_ENOEVENT || !known);
			refused++;
			continue;
		}
		assert_true(known);
		check_plan(pmu, &before, &plan);
		made++;
	}
	assert_true(made > UNIT_SAMPLES(5000) && refused > UNIT_SAMPLES(5000));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_by_hand),
		cmocka_unit_test(test_timer),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_singles_are_minimal),
		cmocka_unit_test(test_pairs_are_minimal),
		cmocka_unit_test(test_random_lists),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
