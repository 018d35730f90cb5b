// SPDX-License-Identifier: MIT
/*
 * Sessions on two PMUs: each pass uses the right PMU, and both PMUs count events of the same bus.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <pmk/model.h>

#include "producer/session/pmu_pair.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* Codes of events of an ARM1176 and of an L220. */
enum { BR_EXEC = 0x05, INSTR_EXEC = 0x07, DCACHE_MISS = 0x0B, CYCLES = 0xFF };
enum { CO = 0x01, DRHIT = 0x02, DRREQ = 0x03 };

static const struct pmk_pmu *pmus[PMK_PMU_PAIR];

static int find_pmus(void **state)
{
	(void)state;
	pmus[0] = pmk_pmu_find("arm1176");
	pmus[1] = pmk_pmu_find("l220");
	return !pmus[0] || !pmus[1];
}

static void add(struct pmk_plan *plan, unsigned pmu, uint16_t code)
{
	plan->event[plan->nevents++] = (struct pmk_plan_event){ .code = code, .pmu = (uint8_t)pmu };
}

/*
 * Returns a plan with events for two event counters and CCNT of the ARM1176, and for two counters
 * of the L220.
 */
static struct pmk_plan mixed(void)
{
	struct pmk_plan plan = { 0 };

	add(&plan, 1, DRREQ);
	add(&plan, 0, INSTR_EXEC);
	add(&plan, 0, CYCLES);
	add(&plan, 1, DRHIT);
	add(&plan, 0, BR_EXEC);
	add(&plan, 1, CO);
	add(&plan, 0, DCACHE_MISS);
	return plan;
}

static void passes_of_each(void **state)
{
	static const uint8_t pass[] = { 2, 0, 0, 2, 0, 3, 1 };
	struct pmk_plan plan = mixed();

	(void)state;
	assert_int_equal(pmk_pmu_pair_plan(pmus, &plan), 0);
	assert_int_equal(plan.npasses, 4);
	for (unsigned i = 0; i < COUNT(pass); i++)
		assert_int_equal(plan.event[i].pass, pass[i]);
	for (unsigned p = 0; p < 4; p++)
		assert_int_equal(pmk_pmu_pair_of(&plan, p), p >= 2);
}

/* For one PMU, pmk_pmu_pair_plan() makes the same plan as pmk_plan_make(). */
static void one_pmu(void **state)
{
	const struct pmk_pmu *const one[PMK_PMU_PAIR] = { pmus[0], NULL };
	struct pmk_plan plan = { 0 }, same;

	(void)state;
	add(&plan, 0, INSTR_EXEC);
	add(&plan, 0, CYCLES);
	add(&plan, 0, BR_EXEC);
	add(&plan, 0, DCACHE_MISS);
	same = plan;
	assert_int_equal(pmk_pmu_pair_plan(one, &plan), 0);
	assert_int_equal(pmk_plan_make(pmus[0], &same), 0);
	assert_memory_equal(&plan, &same, sizeof(plan));
}

static void too_many_and_wrong_ones(void **state)
{
	struct pmk_plan plan = { 0 };

	(void)state;
	/*
	 * 17 passes of two events on the ARM1176 and 15 on the L220 are the maximum. One more event
	 * does not fit.
	 */
	for (unsigned i = 0; i < 34; i++)
		add(&plan, 0, BR_EXEC);
	for (unsigned i = 0; i < 30; i++)
		add(&plan, 1, DRREQ);
	assert_int_equal(pmk_pmu_pair_plan(pmus, &plan), 0);
	assert_int_equal(plan.npasses, PMK_MAX_PASSES);
	add(&plan, 1, DRREQ);
	assert_int_equal(pmk_pmu_pair_plan(pmus, &plan), PMK_ERANGE);
	/* A code of one PMU is not taken for an event of the other PMU. */
	plan = (struct pmk_plan){ 0 };
	add(&plan, 1, INSTR_EXEC + 0x10);
	assert_int_equal(pmk_pmu_pair_plan(pmus, &plan), PMK_ENOEVENT);
}

static void each_counts_its_own(void **state)
{
	static uint64_t memory[4][256];
	static struct pmk_bus bus;
	struct pmk_model_port model[4], elsewhere[4];
	struct pmk_port port[4];
	struct pmk_session *s = calloc(1, sizeof(*s));
	struct pmk_plan plan = mixed();
	uint64_t totals[PMK_MAX_EVENTS];

	(void)state;
	assert_non_null(s);
	assert_int_equal(pmk_pmu_pair_plan(pmus, &plan), 0);
	pmk_bus_init(&bus);
	for (unsigned p = 0; p < 4; p++) {
		const struct pmk_pmu *pmu = pmus[pmk_pmu_pair_of(&plan, p)];

		model[p] = (struct pmk_model_port){ .ops = pmk_model_find(pmu),
						    .model = memory[p],
						    .bus = &bus };
		assert_true(model[p].ops->size <= sizeof(memory[p]));
		model[p].ops->reset(model[p].model, &bus, pmu);
		port[p] = pmk_port_model(&model[p]);
	}
	assert_int_equal(pmk_pmu_pair_open(s, pmus, &plan, port), 0);
	assert_int_equal(pmk_session_start(s), 0);
	assert_int_equal(pmk_session_forget(s), 0);
	pmk_bus_add(&bus, PMK_SIG_CYCLE, 1000);
	pmk_bus_add(&bus, PMK_SIG_INSN, 700);
	pmk_bus_add(&bus, PMK_SIG_BRANCH, 60);
	pmk_bus_add(&bus, PMK_SIG_L1D_MISS, 5);
	pmk_bus_add(&bus, PMK_SIG_L2CC_DATA_READ, 4);
	pmk_bus_add(&bus, PMK_SIG_L2CC_DATA_READ_HIT, 3);
	pmk_bus_add(&bus, PMK_SIG_L2CC_EVICT_HALF, 2);
	assert_int_equal(pmk_session_read(s, totals), 0);
	assert_true(totals[0] == 4 && totals[1] == 700 && totals[2] == 1000 && totals[3] == 3 &&
		    totals[4] == 60 && totals[5] == 2 && totals[6] == 5);
	/* The totals continue after the models were moved in memory. */
	for (unsigned p = 0; p < 4; p++) {
		elsewhere[p] = model[p];
		model[p].ops = NULL;
		port[p] = pmk_port_model(&elsewhere[p]);
		s->pass[p].dev.pmu = NULL;
	}
	pmk_pmu_pair_rebind(s, pmus, port);
	pmk_bus_add(&bus, PMK_SIG_L2CC_DATA_READ, 1);
	pmk_bus_add(&bus, PMK_SIG_INSN, 1);
	assert_int_equal(pmk_session_read(s, totals), 0);
	assert_true(totals[0] == 5 && totals[1] == 701 && totals[6] == 5);
	free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(passes_of_each),
		cmocka_unit_test(one_pmu),
		cmocka_unit_test(too_many_and_wrong_ones),
		cmocka_unit_test(each_counts_its_own),
	};

	return cmocka_run_group_tests(tests, find_pmus, NULL);
}
