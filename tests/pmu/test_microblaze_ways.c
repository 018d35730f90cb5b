// SPDX-License-Identifier: MIT
/*
 * The MicroBlaze driver on the models of the counters: directly, through the memory-mapped
 * registers of the debug module, and through its JTAG side. Both readings of the pointer and every
 * width are tested. Sessions count, time latencies and tick in the same way everywhere, and the
 * models see no access that a driver should not make.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <pmk/microblaze.h>
#include <pmk/microblaze_model.h>
#include <pmk/model.h>
#include <pmk/session.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define OK(call) assert_int_equal(call, 0)

enum way { DIRECT, MEMORY, JTAG, NWAYS };

struct rig {
	struct pmk_microblaze_pmu pmu;
	struct pmk_bus bus;
	struct pmk_microblaze_model model[2]; /* two processors; the driver uses the second */
	struct pmk_model_port to_model[2];
	struct pmk_port processor[2];
	struct pmk_mdm_model module;
	struct pmk_mdm_jtag_model chain;
	struct pmk_mdm mdm;
	struct pmk_mdm_jtag jtag;
	struct pmk_port port;
	struct pmk_session session;
};

static void setup_models(struct rig *r, bool shared)
{
	struct pmk_microblaze_params params = pmk_microblaze_defaults;

	params.shared_pointer = shared;
	pmk_bus_init(&r->bus);
	for (unsigned i = 0; i < 2; i++) {
		r->to_model[i] = (struct pmk_model_port){
			.ops = pmk_model_find(&r->pmu.pmu),
			.model = &r->model[i],
			.bus = &r->bus,
			.mode = PMK_MODE_PRIV,
		};
		assert_non_null(r->to_model[i].ops);
		pmk_microblaze_model_reset(&r->model[i], &r->pmu.pmu, &params, &r->bus);
		r->processor[i] = pmk_port_model(&r->to_model[i]);
	}
	pmk_mdm_model_reset(&r->module, &pmk_mdm_defaults, r->processor, 2);
	pmk_mdm_jtag_model_reset(&r->chain, &r->module);
}

static void setup(struct rig *r, enum way way, bool shared, unsigned width)
{
	memset(r, 0, sizeof(*r));
	OK(pmk_microblaze_configure(&r->pmu, 5, 2, width));
	setup_models(r, shared);
	if (way == MEMORY) {
		r->mdm = (struct pmk_mdm){
			.load = pmk_mdm_model_load,
			.store = pmk_mdm_model_store,
			.ctx = &r->module,
			.ports = 2,
			.processor = 1,
			.patience = 1,
		};
		OK(pmk_mdm_open(&r->mdm));
		r->port = pmk_port_mdm(&r->mdm);
	} else if (way == JTAG) {
		r->jtag = (struct pmk_mdm_jtag){
			.select = pmk_mdm_jtag_model_select,
			.scan = pmk_mdm_jtag_model_scan,
			.ctx = &r->chain,
			.ports = 2,
			.processor = 1,
		};
		OK(pmk_mdm_jtag_open(&r->jtag));
		r->port = pmk_port_mdm_jtag(&r->jtag);
	} else {
		r->port = r->processor[1];
	}
}

static void teardown(struct rig *r)
{
	assert_int_equal(r->model[1].oddities, 0);
	/* The driver did not access the other processor. */
	assert_false(r->model[0].started);
	assert_int_equal(r->model[0].oddities, 0);
}

static bool interrupt(struct rig *r)
{
	r->to_model[1].ops->sync(&r->model[1], &r->bus);
	return r->to_model[1].ops->lines(&r->model[1]) & 1;
}

static void on_every_way(void (*check)(struct rig *r))
{
	static const unsigned widths[] = { 32, 48, 64 };
	static struct rig r;

	for (enum way way = DIRECT; way < NWAYS; way++)
		for (unsigned shared = 0; shared < 2; shared++)
			for (size_t w = 0; w < COUNT(widths); w++) {
				setup(&r, way, shared, widths[w]);
				check(&r);
				teardown(&r);
			}
}

static void open_session(struct rig *r, const struct pmk_plan *made)
{
	struct pmk_plan plan = *made;

	OK(pmk_plan_make(&r->pmu.pmu, &plan));
	assert_int_equal(plan.npasses, 1);
	OK(pmk_session_open(&r->session, &r->pmu.pmu, &plan, &r->port));
}

/* ---- counting -------------------------------------------------------------------------------- */

static void check_counting(struct rig *r)
{
	/* instructions, instruction cache, one latency, data cache, another latency */
	static const struct pmk_plan plan = {
		.nevents = 5,
		.event = { { .code = 0 },
			   { .code = 10 },
			   { .code = 60 },
			   { .code = 46 },
			   { .code = 58 } },
	};
	const struct pmk_wide_latency *l;
	uint64_t totals[PMK_MAX_EVENTS];

	open_session(r, &plan);
	pmk_bus_add(&r->bus, PMK_SIG_INSN, 1000); /* not counted yet */
	OK(pmk_session_start(&r->session));
	for (unsigned i = 0; i < 3; i++) {
		/* In each round there are ten fetches, of which one takes 20 + i cycles. */
		pmk_bus_add(&r->bus, PMK_SIG_CYCLE, 100);
		pmk_bus_add(&r->bus, PMK_SIG_INSN, 7);
		pmk_bus_add(&r->bus, PMK_SIG_L1I_ACCESS, 10);
		pmk_bus_record(&r->bus, PMK_SIG_L1I_ACCESS, 100 * i + 50, 20 + i);
		pmk_bus_add(&r->bus, PMK_SIG_L1D_CACHED_READ, 2);
		pmk_bus_add(&r->bus, PMK_SIG_L1D_CACHED_WRITE, 1);
		OK(pmk_session_read(&r->session, totals));
		assert_int_equal(totals[0], 7 * (i + 1));
		assert_int_equal(totals[1], 10 * (i + 1));
		assert_int_equal(totals[2], 10 * (i + 1));
		assert_int_equal(totals[3], 3 * (i + 1));
		assert_int_equal(totals[4], 2 * (i + 1));
	}
	OK(pmk_session_stop(&r->session));
	pmk_bus_add(&r->bus, PMK_SIG_INSN, 1000); /* not counted any more */
	OK(pmk_session_read(&r->session, totals));
	assert_int_equal(totals[0], 21);
	assert_null(pmk_session_latency(&r->session, 0));
	l = pmk_session_latency(&r->session, 2);
	assert_int_equal(l->values.n, 30);
	assert_int_equal(l->values.sum, 27 + 20 + 21 + 22);
	assert_int_equal(l->values.sq_low, 27 + 400 + 441 + 484);
	assert_int_equal(l->values.min, 1);
	assert_int_equal(l->values.max, 22);
	assert_false(l->full);
	l = pmk_session_latency(&r->session, 4);
	assert_int_equal(l->values.n, 6);
	assert_int_equal(l->values.sum, 6);
}

static void test_counting(void **state)
{
	(void)state;
	on_every_way(check_counting);
}

/* ---- the interval timer ---------------------------------------------------------------------- */

/*
 * A counter of cycles overflows at the end of each interval, where Dbg_Intr rises, and not before.
 */
static void check_ticks(struct rig *r)
{
	static const struct pmk_plan plan = {
		.nevents = 3,
		.event = { { .code = 0 }, { .code = 41 }, { .code = 60 } },
		.timed = true,
		.timer_code = 30,
	};
	uint64_t totals[PMK_MAX_EVENTS];

	open_session(r, &plan);
	OK(pmk_session_timer(&r->session, 1000));
	OK(pmk_session_start(&r->session));
	for (unsigned i = 1; i <= 5; i++) {
		pmk_bus_add(&r->bus, PMK_SIG_INSN, 300);
		pmk_bus_add(&r->bus, PMK_SIG_LOAD, 50);
		pmk_bus_add(&r->bus, PMK_SIG_L1I_ACCESS, 300);
		pmk_bus_add(&r->bus, PMK_SIG_CYCLE, 999);
		assert_false(interrupt(r));
		pmk_bus_add(&r->bus, PMK_SIG_CYCLE, 1);
		assert_true(interrupt(r));
		OK(pmk_session_tick(&r->session, totals));
		assert_false(interrupt(r));
		assert_int_equal(totals[0], 300 * i);
		assert_int_equal(totals[1], 50 * i);
		assert_int_equal(totals[2], 300 * i);
	}
}

static void test_ticks(void **state)
{
	(void)state;
	on_every_way(check_ticks);
}

/* ---- presets --------------------------------------------------------------------------------- */

/* If a counter is set, the counters before it keep what they counted. */
static void check_preset(struct rig *r)
{
	struct pmk_dev dev = { .pmu = &r->pmu.pmu, .port = r->port };
	const struct pmk_driver *drv = dev.pmu->driver;
	uint64_t greatest = UINT64_MAX >> (64 - r->pmu.config.width), value;
	unsigned bits;

	OK(drv->reset(&dev));
	for (unsigned c = 0; c < 5; c++)
		OK(drv->program(&dev, c, 0));
	OK(drv->start(&dev));
	pmk_bus_add(&r->bus, PMK_SIG_INSN, 123);
	OK(drv->stop(&dev));
	OK(drv->write(&dev, 3, greatest - 4));
	OK(drv->start(&dev));
	pmk_bus_add(&r->bus, PMK_SIG_INSN, 4);
	assert_false(interrupt(r));
	pmk_bus_add(&r->bus, PMK_SIG_INSN, 1);
	assert_true(interrupt(r));
	OK(drv->sample(&dev));
	for (unsigned c = 0; c < 5; c++) {
		OK(drv->read(&dev, c, &value));
		assert_int_equal(value, c == 3 ? 0 : 128);
	}
	for (unsigned c = 0; c < 7; c++) {
		OK(drv->status(&dev, c, &bits));
		assert_int_equal(bits, c == 3 ? PMK_STATUS_OVERFLOW : 0);
	}
	OK(drv->zero(&dev));
	assert_false(interrupt(r));
}

static void test_preset(void **state)
{
	(void)state;
	on_every_way(check_preset);
}

/* ---- the access lock ------------------------------------------------------------------------- */

/* While a debugger holds the lock, the driver reports it. After the release the count is right. */
static void test_debugger(void **state)
{
	static struct rig r;
	struct pmk_dev dev;
	uint64_t value;

	(void)state;
	setup(&r, MEMORY, true, 32);
	dev = (struct pmk_dev){ .pmu = &r.pmu.pmu, .port = r.port };
	OK(dev.pmu->driver->reset(&dev));
	OK(dev.pmu->driver->program(&dev, 1, 0));
	OK(dev.pmu->driver->start(&dev));
	pmk_bus_add(&r.bus, PMK_SIG_INSN, 5);
	assert_true(pmk_mdm_model_jtag_lock(&r.module, false));
	assert_int_equal(dev.pmu->driver->sample(&dev), PMK_EBUSY);
	assert_int_equal(dev.pmu->driver->read(&dev, 1, &value), PMK_EBUSY);
	pmk_mdm_model_jtag_unlock(&r.module);
	OK(dev.pmu->driver->sample(&dev));
	OK(dev.pmu->driver->read(&dev, 1, &value));
	assert_int_equal(value, 5);
	teardown(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counting),
		cmocka_unit_test(test_ticks),
		cmocka_unit_test(test_preset),
		cmocka_unit_test(test_debugger),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
