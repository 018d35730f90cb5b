// SPDX-License-Identifier: MIT
/*
 * The library returns the errors of <pmk/target.h> when it is used wrongly, and its state is right
 * afterwards.
 */
#include <string.h>

#include "rig.h"

#include "guest.h"

#define WANT(r, result, ...)                                                              \
	do {                                                                              \
		int got_ = rig_int(r, __VA_ARGS__);                                       \
		CHECK(got_ == (result), "%s is %d, want %d", #__VA_ARGS__, got_, result); \
	} while (0)

/* ---- order ----------------------------------------------------------------------------------- */

static void test_order(struct machine *m)
{
	struct rig r;

	rig_reset(&r, m);
	/* The library is not open. */
	WANT(&r, PMK_EINVAL, "g_add", r.event[0].code, 0, 0);
	WANT(&r, PMK_EINVAL, "g_start", 0, 0, 0);
	WANT(&r, PMK_EINVAL, "g_stop", 0, 0, 0);
	WANT(&r, PMK_EINVAL, "g_close", 0, 0, 0);
	WANT(&r, PMK_EINVAL, "g_read_all", 0, 0, 0);
	WANT(&r, PMK_EINVAL, "g_poll", 0, 0, 0);
	CHECK(m->accesses == 0, "registers were touched");

	/* The library is open, and not started. */
	OK(&r, "g_open", r.core, 0, 0);
	WANT(&r, PMK_EINVAL, "g_start", 0, 0, 0); /* no event */
	rig_open(&r, true);
	WANT(&r, PMK_EINVAL, "g_read_all", 0, 0, 0);
	WANT(&r, PMK_EINVAL, "g_read", 0, 0, 0);
	WANT(&r, PMK_EINVAL, "g_stop", 0, 0, 0);
	WANT(&r, PMK_EINVAL, "g_begin", 0, 0, 0);
	WANT(&r, PMK_EINVAL, "g_end", 0, 0, 0);
	WANT(&r, PMK_EINVAL, "g_switch_out", 0, 0, 0);
	WANT(&r, PMK_EINVAL, "g_switch_in", 1, 0, 0);
	WANT(&r, PMK_EINVAL, "g_task_read", 0, 0, 0);

	/* The library is running. */
	rig_start(&r);
	WANT(&r, PMK_EBUSY, "g_start", 0, 0, 0);
	WANT(&r, PMK_EBUSY, "g_add", r.event[1].code, 0, 0);
	WANT(&r, PMK_EBUSY, "g_interrupts", 0, 0, 0);
	WANT(&r, PMK_EBUSY, "g_sample", 1, 1000, 16);
	WANT(&r, PMK_EBUSY, "g_regions", 0, 0, 0);
	WANT(&r, PMK_EBUSY, "g_use_locks", 0, 0, 0);
	WANT(&r, PMK_EINVAL, "g_read", r.nevents, 0, 0);
	rig_read(&r, "after all that");

	/* The library is stopped, and keeps counts and settings. */
	rig_stop(&r);
	WANT(&r, PMK_EBUSY, "g_add", r.event[1].code, 0, 0);
	WANT(&r, PMK_EINVAL, "g_begin", 0, 0, 0);
	machine_raise(m, PMK_SIG_L1D_MISS, 77);
	rig_read(&r, "stopped");
	rig_start(&r);
	machine_raise(m, PMK_SIG_L1D_MISS, 78);
	rig_read(&r, "started again");
	CHECK(machine_number(m, "g_totals", 2) == 78, "total");
}

/* ---- closing --------------------------------------------------------------------------------- */

static void test_close_while_running(struct machine *m)
{
	struct rig r;
	bool a64 = machine_is_armv8(m);

	rig_reset(&r, m);
	rig_open(&r, true);
	rig_start(&r);
	r.isr = 0;
	rig_approach(&r, 1, 0); /* an overflow that is not handled */
	OK(&r, "g_close", 0, 0, 0);
	CHECK(!machine_line(m), "the interrupt stays");
	/*
	 * Register 0 has PMNC's E, interrupt enables and flags, or PMCR.E. On PMUv3, also check
	 * PMCNTENSET, PMOVSCLR, PMINTENSET.
	 */
	CHECK((machine_peek(m, 0) & (a64 ? 1 : 0x771)) == 0, "register 0 is 0x%llx",
	      (ull)machine_peek(m, 0));
	if (a64)
		CHECK(!machine_peek(m, 1) && !machine_peek(m, 3) && !machine_peek(m, 13),
		      "counters, flags or interrupts are left");
	for (unsigned i = 0; i < r.nevents; i++)
		CHECK(machine_peek(m, r.event[i].reg) == 0, "counter %u", i);
	WANT(&r, PMK_EINVAL, "g_read_all", 0, 0, 0);
	WANT(&r, PMK_EINVAL, "g_close", 0, 0, 0);
	/* The library can be opened again. */
	rig_reset(&r, m);
	rig_open(&r, false);
	rig_start(&r);
	rig_read(&r, "opened again");
}

/* ---- two users of one PMU ------------------------------------------------------------------- */

static void test_two_owners(struct machine *m)
{
	struct rig r;

	rig_reset(&r, m);
	rig_open(&r, false);
	OK(&r, "g_second_open", r.core, 0, 0);
	CHECK(rig_int(&r, "g_second_add", r.event[2].code, 0, 0) == 0, "second add");
	rig_start(&r);
	/* The first user has the counters, and keeps them. */
	WANT(&r, PMK_EBUSY, "g_second_start", 0, 0, 0);
	WANT(&r, PMK_EBUSY, "g_second_open", r.core, 0, 0);
	machine_raise(m, PMK_SIG_L1D_MISS, 1000);
	rig_read(&r, "two owners");
	rig_stop(&r);
	OK(&r, "g_close", 0, 0, 0);
	OK(&r, "g_second_open", r.core, 0, 0);
	/* pmk_target_seize() takes the counters even if they are in use. */
	CHECK(rig_int(&r, "g_second_add", r.event[2].code, 0, 0) == 0, "second add");
	OK(&r, "g_second_start", 0, 0, 0);
	WANT(&r, PMK_EBUSY, "g_open", r.core, 0, 0);
	OK(&r, "g_seize", r.core, 0, 0);
}

/* ---- events ---------------------------------------------------------------------------------- */

static void test_events_arm11(struct machine *m)
{
	struct rig r;

	if (machine_is_armv8(m))
		return;
	rig_reset(&r, m);
	OK(&r, "g_open", G_ARM1176, 0, 0);
	WANT(&r, PMK_ENOEVENT, "g_add", 0x08, 0, 0); /* DDI 0301H Table 3-137 omits it */
	WANT(&r, PMK_ENOEVENT, "g_add", 0x30, 0, 0); /* parity errors, only on ARM1156 */
	WANT(&r, PMK_ENOEVENT, "g_add", 0x100, 0, 0);
	WANT(&r, 0, "g_add", 0xff, 0, 0); /* CCNT */
	WANT(&r, 1, "g_add", 0xff, 0, 0); /* the same event on PMN0 */
	WANT(&r, 2, "g_add", 0x07, 0, 0);
	WANT(&r, PMK_ENOCTR, "g_add", 0x0b, 0, 0);
	WANT(&r, PMK_ENOCTR, "g_add", 0xff, 0, 0);
	WANT(&r, PMK_ENOEVENT, "g_add", 0x08, 0, 0);
	OK(&r, "g_start", 0, 0, 0);
	/* The ARM1156 has other events. */
	machine_reset(m, pmk_pmu_find("arm1156"));
	OK(&r, "g_open", G_ARM1156, 0, 0);
	WANT(&r, 0, "g_add", 0x30, 0, 0);
	WANT(&r, PMK_ENOEVENT, "g_add", 0x03, 0, 0);
}

static void test_events_armv8(struct machine *m)
{
	struct rig r;

	if (!machine_is_armv8(m))
		return;
	rig_reset(&r, m);
	OK(&r, "g_open", G_CORTEX_A53, 0, 0);
	WANT(&r, PMK_ENOEVENT, "g_add", 0x3ff, 0, 0);
	WANT(&r, PMK_ENOEVENT, "g_add", 0x1b, 0, 0); /* the A53 has no INST_SPEC (DDI 0500) */
	/* The event is in the catalogue, but PMCEID says that this hardware does not count it. */
	m->bus.raised.bits[PMK_SIG_L1D_MISS / 64] &= ~(UINT64_C(1) << PMK_SIG_L1D_MISS % 64);
	WANT(&r, PMK_ENOTSUP, "g_add", 0x03, 0, 0);
	m->bus.raised.bits[PMK_SIG_L1D_MISS / 64] |= UINT64_C(1) << PMK_SIG_L1D_MISS % 64;
	/* The core has PMCCNTR and six event counters. */
	for (int i = 0; i < 7; i++)
		WANT(&r, i, "g_add", 0x11, 0, 0);
	WANT(&r, PMK_ENOCTR, "g_add", 0x11, 0, 0);
	WANT(&r, PMK_ENOCTR, "g_add", 0x03, 0, 0);
	OK(&r, "g_start", 0, 0, 0);
	OK(&r, "g_read_all", 0, 0, 0);
}

/* ---- sampling -------------------------------------------------------------------------------- */

static void test_sampling(struct machine *m)
{
	static const struct {
		uint64_t event, period, size;
		int result;
	} rows[] = {
		{ 1, 1000, 0, PMK_EINVAL },
		{ 1, 1000, 3, PMK_EINVAL },
		{ 1, 1000, 48, PMK_EINVAL },
		{ 1, 1000, 16, 0 },
		{ 1, 1000, 1, 0 },
		{ 9, 1000, 16, PMK_EINVAL },
		{ 1, 0, 16, PMK_ERANGE },
		{ 1, 63, 16, PMK_ERANGE },
		{ 1, 64, 16, 0 },
		{ 1, 0x80000000, 16, 0 },
		{ 1, 0x80000001, 16, PMK_ERANGE },
		{ 1, 0xffffffff, 16, PMK_ERANGE },
	};
	struct rig r;

	rig_reset(&r, m);
	rig_open(&r, true);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		WANT(&r, rows[i].result, "g_sample", rows[i].event, rows[i].period, rows[i].size);
}

/* ---- NULL ------------------------------------------------------------------------------------ */

static void test_null(struct machine *m)
{
	static const char *const functions[] = {
		"pmk_target_add",	 "pmk_target_regions",	  "pmk_target_locks",
		"pmk_target_interrupts", "pmk_target_sample",	  "pmk_target_start",
		"pmk_target_stop",	 "pmk_target_read",	  "pmk_target_read_all",
		"pmk_target_isr",	 "pmk_target_poll",	  "pmk_target_close",
		"pmk_region_begin",	 "pmk_region_end",	  "pmk_region_find",
		"pmk_region_reset",	 "pmk_target_switch_out", "pmk_target_switch_in",
		"pmk_target_task_read",
	};
	struct rig r;
	uint64_t pmu;

	rig_reset(&r, m);
	rig_open(&r, true);
	rig_start(&r);
	pmu = machine_symbol(m, "pmu");
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		WANT(&r, PMK_EINVAL, functions[i], 0, 0, 0);
	WANT(&r, PMK_EINVAL, "pmk_target_read", pmu, 0, 0);
	WANT(&r, PMK_EINVAL, "pmk_target_read_all", pmu, 0, 0);
	WANT(&r, PMK_EINVAL, "pmk_target_task_read", pmu, 0, 0);
	WANT(&r, PMK_EINVAL, "pmk_region_find", pmu, 0, 0);
	WANT(&r, PMK_EINVAL, "pmk_target_report", pmu, 0, 0);
	WANT(&r, PMK_EINVAL, "pmk_target_dump", pmu, 0, 0);
	CHECK(machine_call(m, "pmk_target_deadline", 0, 1, 0) == 0, "deadline of NULL");
	CHECK(machine_call(m, "g_deadline", 0, 0, 0) == 0, "deadline for 0 per cycle");
	rig_read(&r, "after all that");
	rig_stop(&r);
	WANT(&r, PMK_EINVAL, "pmk_target_regions", pmu, 0, 3);
	WANT(&r, PMK_EINVAL, "pmk_target_regions", pmu, machine_symbol(m, "regions"), 0);
	WANT(&r, PMK_EINVAL, "pmk_target_regions", pmu, machine_symbol(m, "regions"), 0xffff);
}

/*
 * For an event that counts up to n times in a cycle, the deadline in cycles is half of 2^32 - 1,
 * divided by n.
 */
static void test_deadline(struct machine *m)
{
	struct rig r;

	rig_reset(&r, m);
	rig_open(&r, true);
	for (unsigned n = 1; n < 8; n++) {
		uint64_t want = 0x7fffffff / n, got = machine_call(m, "g_deadline", n, 0, 0);

		if (!machine_is_a64(m))
			got &= UINT32_MAX; /* only r0 is read, the lower half of the result */
		CHECK(got == want, "%u per cycle: %llu, want %llu", n, (ull)got, (ull)want);
	}
}

/* ---- no access ------------------------------------------------------------------------------- */

/* In user mode the access takes an Undefined exception, whose handler calls pmk_native_fixup(). */
static void test_user_mode(struct machine *m)
{
	struct rig r;

	rig_reset(&r, m);
	OK(&r, "g_probe", 0, 0, 0);
	m->mode = PMK_MODE_USER;
	WANT(&r, PMK_EUNDEF, "g_probe", 0, 0, 0);
	CHECK(m->accesses == 1, "%llu accesses", (ull)m->accesses);
	/* The system permits access: SUNAVCR.V (DDI 0301H 3.2.50); PMUSERENR.EN (DDI 0487). */
	CHECK(!m->ops->write(m->model, &m->bus, PMK_MODE_PRIV, machine_is_armv8(m) ? 11 : 4, 1),
	      "opening");
	OK(&r, "g_probe", 0, 0, 0);
	/* The library's fixup ignores exceptions of instructions other than the probe's. */
	CHECK(machine_call(m, "g_undefined", 0x1000, 0, 0) == 0, "a stranger's exception");
	CHECK(machine_call(m, "g_undefined", machine_symbol(m, "pmk_native_probe_access"), 0, 0) ==
		      machine_symbol(m, "pmk_native_probe_access") + 8,
	      "its own");
}

const struct test misuse_tests[] = {
	{ "misuse_order", test_order },
	{ "misuse_close_while_running", test_close_while_running },
	{ "misuse_two_owners", test_two_owners },
	{ "misuse_events_arm11", test_events_arm11 },
	{ "misuse_events_armv8", test_events_armv8 },
	{ "misuse_sampling", test_sampling },
	{ "misuse_null", test_null },
	{ "deadline", test_deadline },
	{ "user_mode", test_user_mode },
	{ 0 },
};
