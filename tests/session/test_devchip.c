// SPDX-License-Identifier: MIT
/*
 * Tests a core on the buses of the ARM926EJ-S Development Chip. The effects of its accesses are
 * read back through model, driver and session. The blocks are made up: each has one instruction and
 * takes ten cycles. HCLK has the frequency of the core's clock. There is no address translation, so
 * there are no bursts except those that the test requests.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cpu/arm11/arm11.h"
#include "producer/session/emulated.h"

/* Numbers of the counters, in the order of DDI 0287B Tables 4-6 to 4-13. */
enum {
	ARMI_RD = 0,
	ARMI_LINE_FILL = 3,
	DMA0_RD = 17,
	DMA0_INCR8 = 27,
	ARMD_RD = 61,
	ARMD_WR = 62,
	ARMD_SINGLE = 67,
	ARMD_INCR4 = 68,
	ARMD_INCR8 = 69,
	ARMD_LINE_FILL = 70,
	ARMD_CAST_OUT4 = 71,
	ARMD_CAST_OUT8 = 72,
	ARMD_WAIT_TOTAL = 75,
	GXI_WR = 79,
	GXI_RD = 80,
	GXI_WR_ADDR_WAIT = 81,
	GXI_RD_DATA_WAIT = 83,
	GXI_PAGE_CHANGE = 87,
	TOTAL_CYCLES = 88,
	TOTAL_CYCLES_EN = 89,
	NCOUNTERS = 91
};

#define NBLOCKS	   4
#define BLOCK_TIME 10

struct rig {
	struct pmk_emulated e, copy;
	struct pmk_emulated_ports ports, other;
	struct pmk_emulated_config cfg;
	struct pmk_block block[NBLOCKS];
	struct pmk_facts facts[NBLOCKS];
	struct pmk_executions executions[NBLOCKS];
	struct pmk_emulated_blocks b;
};

static struct pmk_core core_926(void)
{
	struct pmk_core core;

	pmk_core_choose(&core, "arm", "ahbmon");
	core.icache.size = core.dcache.size = 32768;
	core.bp.on = core.rs.on = core.mmu = core.arm11.shadow = 0;
	core.cache.round_robin = 1;
	core.arm9.ahb_ratio = 1;
	core.mem.wbuf = 4;
	return core;
}

static struct rig *rig_new(const struct pmk_core *core)
{
	struct rig *r = calloc(1, sizeof(*r));

	assert_non_null(r);
	strcpy(r->cfg.pmu, "ahbmon");
	r->cfg.core = *core;
	for (unsigned i = 0; i < NCOUNTERS; i++)
		r->cfg.plan.event[i].code = (uint16_t)i;
	r->cfg.plan.nevents = NCOUNTERS;
	assert_int_equal(pmk_plan_make(pmk_pmu_find("ahbmon"), &r->cfg.plan), 0);
	assert_int_equal(r->cfg.plan.npasses, 1);
	pmk_emulated_configure(&r->cfg);
	for (unsigned i = 0; i < NBLOCKS; i++) {
		r->block[i] = (struct pmk_block){ .pc = 0x8000 + 32 * i,
						  .fall = 0x8004 + 32 * i,
						  .end_addr = 0x8000 + 32 * i,
						  .id = i,
						  .cycles = BLOCK_TIME,
						  .arm11.branch = PMK_BRANCH_SLOW };
		r->facts[i].n[PMK_ARM11_FACT_INSN] = 1;
	}
	r->b = (struct pmk_emulated_blocks){ .facts = r->facts,
					     .executions = r->executions,
					     .count = NBLOCKS };
	assert_int_equal(pmk_emulated_start(&r->e, &r->ports, &r->cfg, r->executions), 0);
	return r;
}

static void rig_free(struct rig *r)
{
	pmk_cpu_fini(&r->e.cpu);
	free(r);
}

static void block(struct rig *r, unsigned i)
{
	pmk_arm11_block(&r->e.cpu, &r->block[i]);
}

static void load(struct rig *r, uint32_t addr)
{
	pmk_arm11_load(&r->e.cpu, addr, 2, pmk_access_pack(BLOCK_TIME, BLOCK_TIME, 1, 4));
}

static void store(struct rig *r, uint32_t addr)
{
	pmk_arm11_store(&r->e.cpu, addr, 2, pmk_access_pack(BLOCK_TIME, BLOCK_TIME, 1, 4));
}

/*
 * Reads the final counts from a copy, because pmk and the emulator are two processes. Returns 0 or
 * the error.
 */
static int finish(struct rig *r, struct pmk_reading *totals)
{
	memcpy(&r->copy, &r->e, pmk_emulated_bytes(&r->cfg));
	return pmk_emulated_finish(&r->copy, &r->other, &r->cfg, &r->b, totals);
}

static void test_counts_come_back(void **state)
{
	struct pmk_core core = core_926();
	struct rig *r = rig_new(&core);
	struct pmk_reading t;

	(void)state;
	block(r, 0);
	/*
	 * Five lines are in one set of four ways, so the first line, which is dirty in one half, is
	 * evicted.
	 */
	load(r, 0x10000);
	store(r, 0x10010);
	for (uint32_t i = 1; i < 5; i++)
		load(r, 0x10000 + 8192 * i);
	store(r, 0x40000); /* misses, so nothing is allocated */
	block(r, 1);
	assert_int_equal(finish(r, &t), 0);
	assert_int_equal(t.total[ARMI_LINE_FILL], 2);
	assert_int_equal(t.total[ARMI_RD], 16);
	assert_int_equal(t.total[ARMD_LINE_FILL], 5);
	assert_int_equal(t.total[ARMD_RD], 40);
	assert_int_equal(t.total[ARMD_CAST_OUT4], 1);
	assert_int_equal(t.total[ARMD_INCR4], 1);
	assert_int_equal(t.total[ARMD_CAST_OUT8], 0);
	assert_int_equal(t.total[ARMD_SINGLE], 1);
	assert_int_equal(t.total[ARMD_WR], 5);
	assert_int_equal(t.total[DMA0_RD], 0);
	assert_int_equal(t.total[TOTAL_CYCLES_EN], t.total[TOTAL_CYCLES]);
	/*
	 * The bus's time is never behind the core's clock, and ahead of it only by an outstanding
	 * transfer.
	 */
	assert_true(t.total[TOTAL_CYCLES] >= r->e.cpu.cycles);
	assert_true(t.total[TOTAL_CYCLES] < r->e.cpu.cycles + 40);
	rig_free(r);
}

/*
 * The core's time and the bus's waits agree: a block takes ten cycles, and each line that is read
 * takes nine more, for the address, the waits and the first word.
 */
static void test_time_is_the_buses(void **state)
{
	struct pmk_core core = core_926();
	struct rig *r = rig_new(&core);
	struct pmk_reading t;
	uint64_t waits;

	(void)state;
	block(r, 0);
	for (uint32_t i = 0; i < 50; i++) {
		block(r, 0);
		load(r, 0x20000 + 32 * i);
	}
	assert_int_equal(finish(r, &t), 0);
	waits = t.total[ARMD_WAIT_TOTAL];
	assert_int_equal(t.total[ARMD_LINE_FILL], 50);
	/* Connecting takes 1 cycle. A fill begins when the previous fill is complete. */
	assert_true(waits >= 250 && waits <= 260);
	assert_true(r->e.cpu.cycles >= 51 * BLOCK_TIME + 50 * 7);
	rig_free(r);
}

static void test_readings_on_the_way(void **state)
{
	struct pmk_core core = core_926();
	struct rig *r = rig_new(&core);
	struct pmk_reading t;

	(void)state;
	block(r, 0);
	for (uint32_t i = 0; i < 20; i++) {
		load(r, 0x20000 + 32 * i);
		for (unsigned k = 0; k < 10; k++)
			block(r, 0);
		assert_int_equal(pmk_emulated_totals(&r->e, &r->cfg, &r->b, &t), 0);
		assert_int_equal(t.total[ARMD_LINE_FILL], i + 1);
		assert_int_equal(t.total[ARMD_RD], 8 * (i + 1));
		assert_int_equal(t.total[TOTAL_CYCLES], r->e.cpu.cycles);
	}
	rig_free(r);
}

static void test_traffic(void **state)
{
	struct pmk_core core = core_926();
	struct rig *r = rig_new(&core);
	struct pmk_reading t;

	(void)state;
	r->cfg.traffic.master[PMK_MATRIX_DMA0] = (struct pmk_matrix_script){ .on = true,
									     .burst = PMK_AHB_INCR8,
									     .size = PMK_AHB_WORD,
									     .span = 4096,
									     .period = 100 };
	pmk_cpu_fini(&r->e.cpu);
	assert_int_equal(pmk_emulated_start(&r->e, &r->ports, &r->cfg, r->executions), 0);
	block(r, 0);
	pmk_cpu_idle(&r->e.cpu, 9000);
	assert_int_equal(pmk_emulated_totals(&r->e, &r->cfg, &r->b, &t), 0);
	assert_int_equal(t.total[TOTAL_CYCLES], r->e.cpu.cycles);
	assert_int_equal(t.total[DMA0_INCR8], (r->e.cpu.cycles + 99 - 14) / 100);
	rig_free(r);
}

static struct rig *deadlines_of;

static void on_deadline(struct pmk_cpu *cpu)
{
	struct rig *r = deadlines_of;
	struct pmk_reading delta;

	assert_ptr_equal(cpu, &r->e.cpu);
	assert_int_equal(pmk_emulated_deadline(&r->e, &r->cfg, &r->b, &delta), 0);
	assert_true(cpu->deadline > cpu->cycles);
}

/*
 * The counters have 32 bits and no overflow flag. No wrap is lost, because the core calls the
 * session often enough.
 */
static void test_longer_than_a_counter(void **state)
{
	struct pmk_core core = core_926();
	struct rig *r = rig_new(&core);
	struct pmk_reading t;

	(void)state;
	deadlines_of = r;
	r->e.cpu.on_deadline = on_deadline;
	for (unsigned i = 0; i < 10; i++) {
		pmk_cpu_idle(&r->e.cpu, UINT64_C(1) << 30);
		block(r, 0);
	}
	assert_int_equal(pmk_emulated_totals(&r->e, &r->cfg, &r->b, &t), 0);
	assert_int_equal(t.total[TOTAL_CYCLES_EN], r->e.cpu.cycles);
	assert_true(t.total[TOTAL_CYCLES_EN] > UINT64_C(10) << 30);
	rig_free(r);
}

static void test_forked(void **state)
{
	struct pmk_core core = core_926();
	struct rig *r = rig_new(&core);
	struct pmk_reading t;

	(void)state;
	block(r, 0);
	load(r, 0x20000);
	assert_int_equal(pmk_emulated_forked(&r->e, &r->ports, &r->cfg, r->executions), 0);
	/* After a fork, the child has the parent's caches, and its clock starts at 0. */
	block(r, 0);
	load(r, 0x20000);
	load(r, 0x20020);
	assert_int_equal(finish(r, &t), 0);
	assert_int_equal(t.total[ARMD_LINE_FILL], 1);
	assert_int_equal(t.total[ARMI_LINE_FILL], 0);
	rig_free(r);
}

static void test_sums_are_checked(void **state)
{
	struct pmk_core core = core_926();
	struct rig *r = rig_new(&core);
	struct pmk_reading t;

	(void)state;
	block(r, 0);
	load(r, 0x20000);
	assert_int_equal(finish(r, &t), 0);
	/* The monitor counts a transfer that was not on the bus. */
	r->e.chip.bus[PMK_AHBMON_BUS_ARMD].total[PMK_SIG_AHB_READ]++;
	assert_int_equal(finish(r, &t), PMK_EIO);
	rig_free(r);
}

/*
 * The MBX and the buses share one clock, even while they are idle. In 20000 cycles, the MBX makes
 * one request in each period of 100 cycles.
 */
static void test_gxi(void **state)
{
	struct pmk_core core = core_926();
	struct rig *r = rig_new(&core);
	struct pmk_reading t;

	(void)state;
	r->cfg.traffic.gxi = (struct pmk_mbx_script){ .on = true,
						      .direction = PMK_MATRIX_BOTH,
						      .pending = 4,
						      .span = 8192,
						      .step = 1024,
						      .period = 100,
						      .write_wait = 2,
						      .data_wait = 5 };
	r->cfg.core.arm9.gxi_page = 4096;
	pmk_cpu_fini(&r->e.cpu);
	assert_int_equal(pmk_emulated_start(&r->e, &r->ports, &r->cfg, r->executions), 0);
	block(r, 0);
	pmk_cpu_idle(&r->e.cpu, 10000 - r->e.cpu.cycles);
	for (uint32_t i = 0; i < 10; i++) /* between the idle times, the program misses ten times */
		load(r, 0x20000 + 32 * i);
	pmk_cpu_idle(&r->e.cpu, 20000 - r->e.cpu.cycles);
	assert_int_equal(pmk_emulated_totals(&r->e, &r->cfg, &r->b, &t), 0);
	assert_int_equal(t.total[TOTAL_CYCLES], 20000);
	assert_int_equal(t.total[GXI_RD], 100);
	assert_int_equal(t.total[GXI_WR], 100);
	assert_int_equal(t.total[GXI_WR_ADDR_WAIT], 200);
	assert_int_equal(t.total[GXI_RD_DATA_WAIT], 500);
	/* Every fourth of the 200 requests enters another page, but the first request does not. */
	assert_int_equal(t.total[GXI_PAGE_CHANGE], 49);
	assert_int_equal(t.total[ARMD_LINE_FILL], 10);
	assert_int_equal(finish(r, &t), 0);
	/* The MBX made transfers that the monitor did not see. */
	r->e.chip.mbx.reads++;
	assert_int_equal(finish(r, &t), PMK_EIO);
	rig_free(r);
}

static void test_refusals(void **state)
{
	struct pmk_core core = core_926();
	struct rig *r = rig_new(&core);
	struct pmk_reading t;

	(void)state;
	r->cfg.traffic.slave[0] = (struct pmk_refusal){ .every = 4 };
	pmk_cpu_fini(&r->e.cpu);
	assert_int_equal(pmk_emulated_start(&r->e, &r->ports, &r->cfg, r->executions), 0);
	/*
	 * The slave refuses every fourth transfer. It cannot refuse ARM-I, which makes the first
	 * eight transfers. Of each line that ARM-D reads, it refuses the fourth and the eighth
	 * transfer. After the first refusal, the fourth word of the line and the four words after
	 * it follow as single transfers.
	 */
	block(r, 0);
	for (uint32_t i = 0; i < 20; i++)
		load(r, 0x20000 + 32 * i);
	assert_int_equal(finish(r, &t), 0);
	assert_int_equal(t.total[ARMI_RD], 8);
	assert_int_equal(t.total[ARMD_RD], 160);
	assert_int_equal(t.total[ARMD_LINE_FILL], 20);
	assert_int_equal(t.total[ARMD_SINGLE], 20 * 5);
	assert_int_equal(r->copy.chip.biu.matrix.layer[PMK_MATRIX_ARMD].refused, 40);
	r->e.chip.observer.layer[PMK_MATRIX_ARMD].refused++;
	assert_int_equal(finish(r, &t), PMK_EIO);
	rig_free(r);
}

/* Driver and model use the layout of the configuration, here with another bit and address. */
static void test_layout(void **state)
{
	struct pmk_core core = core_926();
	struct rig *r = rig_new(&core);
	const struct pmk_ahbmon_model *model = (struct pmk_ahbmon_model *)r->e.model[0];
	struct pmk_reading t;

	(void)state;
	assert_memory_equal(&model->layout, &pmk_ahbmon_sp816, sizeof(model->layout));
	r->cfg.layout.enable = 1u << 20;
	r->cfg.layout.base = 0x40000000;
	pmk_cpu_fini(&r->e.cpu);
	assert_int_equal(pmk_emulated_start(&r->e, &r->ports, &r->cfg, r->executions), 0);
	assert_int_equal(model->layout.base, 0x40000000);
	assert_int_equal(model->ctrl, 1u << 20);
	block(r, 0);
	load(r, 0x20000);
	assert_int_equal(finish(r, &t), 0);
	assert_int_equal(t.total[ARMD_LINE_FILL], 1);
	/* The layout has no register for this setting. */
	r->cfg.core.arm9.wait_exp = 256;
	r->cfg.layout.threshold = 0xff;
	pmk_cpu_fini(&r->e.cpu);
	assert_int_equal(pmk_emulated_start(&r->e, &r->ports, &r->cfg, r->executions), PMK_ERANGE);
	rig_free(r);
}

static void test_settings(void **state)
{
	static const uint64_t pages[4] = { 2048, 4096, 8192, 16384 };
	struct pmk_core core = core_926();
	struct pmk_ahbmon_config c;
	char msg[100];

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		core.arm9.gxi_page = pages[i];
		pmk_devchip_settings(&core, &c);
		assert_int_equal(c.page, i);
	}
	assert_int_equal(pmk_core_set(&core, "wait.threshold", "7", msg, sizeof(msg)), 0);
	assert_int_equal(pmk_core_set(&core, "wait.armd", "1", msg, sizeof(msg)), 0);
	assert_int_equal(pmk_core_set(&core, "wait.gxi_write", "2", msg, sizeof(msg)), 0);
	pmk_devchip_settings(&core, &c);
	for (unsigned i = 0; i < 9; i++)
		assert_int_equal(c.threshold[i], i == 5 ? 1 : i == 8 ? 2 : 7);
	assert_int_equal(pmk_core_set(&core, "wait.threshold", "3", msg, sizeof(msg)), 0);
	pmk_devchip_settings(&core, &c);
	for (unsigned i = 0; i < 9; i++)
		assert_int_equal(c.threshold[i], 3);
	assert_false(c.castout4_aligned || c.track_dbgack);
}

static void test_starved(void **state)
{
	struct pmk_core core = core_926();
	struct rig *r = rig_new(&core);
	struct pmk_reading t;

	(void)state;
	r->cfg.traffic.master[PMK_MATRIX_CLCDC] = (struct pmk_matrix_script){
		.on = true, .burst = PMK_AHB_INCR16, .size = PMK_AHB_WORD, .span = 4096
	};
	pmk_cpu_fini(&r->e.cpu);
	assert_int_equal(pmk_emulated_start(&r->e, &r->ports, &r->cfg, r->executions), 0);
	pmk_cpu_idle(&r->e.cpu, 1000);
	block(r, 0);
	load(r, 0x20000);
	assert_int_equal(finish(r, &t), PMK_EBUSY);
	rig_free(r);
}

static void test_what_can_be_counted(void **state)
{
	struct pmk_core core = core_926(), arm11;
	const struct pmk_pmu *pmu = pmk_pmu_find("ahbmon");
	struct pmk_signal_set raised = pmk_emulated_raises(&core);
	struct pmk_emulated_config cfg = { .core = core };

	(void)state;
	for (unsigned i = 0; i < pmu->nevents; i++)
		assert_true(pmk_signal_in(&raised, pmu->events[i].signal));
	assert_false(pmk_signal_in(&raised, PMK_SIG_INSN));
	/* Other cores do not use the chip. */
	pmk_core_choose(&arm11, "arm", "arm1176");
	raised = pmk_emulated_raises(&arm11);
	assert_true(pmk_signal_in(&raised, PMK_SIG_INSN));
	assert_false(pmk_signal_in(&raised, PMK_SIG_AHB_READ));
	assert_int_equal(pmk_emulated_bytes(&cfg), sizeof(struct pmk_emulated));
	cfg.core = arm11;
	assert_true(pmk_emulated_bytes(&cfg) <
		    sizeof(struct pmk_emulated) - sizeof(struct pmk_devchip) + 64);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counts_come_back),
		cmocka_unit_test(test_time_is_the_buses),
		cmocka_unit_test(test_readings_on_the_way),
		cmocka_unit_test(test_traffic),
		cmocka_unit_test(test_longer_than_a_counter),
		cmocka_unit_test(test_forked),
		cmocka_unit_test(test_sums_are_checked),
		cmocka_unit_test(test_gxi),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_layout),
		cmocka_unit_test(test_settings),
		cmocka_unit_test(test_starved),
		cmocka_unit_test(test_what_can_be_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
