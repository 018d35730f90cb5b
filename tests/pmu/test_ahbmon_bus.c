// SPDX-License-Identifier: MIT
/*
 * The AHB Monitor on the bus matrix: the driver's own accesses are transfers of the ARM-D layer,
 * its writes take effect at the right cycle, and counters satisfy invariants for any traffic.
 *
 * Numbers are literal: counters 0 to 90 in the order of DDI 0287B Tables 4-6 to 4-13, registers 91
 * AHBMONCtrlReg, 92 AHBMONRstCtrs, 93 AHBMONPrstCtrs, 94 GxiPageSize.
 */
#include "ahbmon_rig.h"

#include "buses/ahb/matrix.h"

/* ---- writes take effect after the cycle in which they complete ------------------------------ */

/*
 * The driver's port on the bus. Each access is a SINGLE of ARM-D in the monitor's window. In the
 * cycle in which an access completes, a read returns the counts before this cycle. A write takes
 * effect after the cycle was counted.
 */
static struct pmk_matrix matrix;

static void matrix_sample(const struct pmk_ahb_cycle cycle[PMK_MATRIX_NMASTERS])
{
	struct pmk_ahbmon_sample s = nothing();

	for (unsigned i = 0; i < 6; i++)
		s.layer[i] = cycle[i];
	sample(&s);
}

static int bus_access(unsigned reg, uint64_t *value, bool write)
{
	struct pmk_port direct = pmk_port_model(&rig.to_model);
	struct pmk_ahb_request r = { .at = matrix.now,
				     .addr = 0x101d0000 + pmk_ahbmon_sp816.offset[reg],
				     .burst = PMK_AHB_SINGLE,
				     .size = 2,
				     .prot = 3,
				     .write = write };
	struct pmk_ahb_cycle cycle[6];
	struct pmk_ahb_served served;
	uint64_t ticket;
	int err = 0;

	assert_int_equal(pmk_matrix_post(&matrix, PMK_MATRIX_ARMD, &r, &ticket), 0);
	do {
		pmk_matrix_step(&matrix, cycle);
		if (!pmk_matrix_served(&matrix, PMK_MATRIX_ARMD, ticket, &served)) {
			matrix_sample(cycle);
			continue;
		}
		if (!write)
			err = direct.read(direct.ctx, reg, value);
		matrix_sample(cycle);
		if (write)
			err = direct.write(direct.ctx, reg, *value);
		return err;
	} while (1);
}

static int bus_read(void *ctx, unsigned reg, uint64_t *value)
{
	(void)ctx;
	return bus_access(reg, value, false);
}

static int bus_write(void *ctx, unsigned reg, uint64_t value)
{
	(void)ctx;
	return bus_access(reg, &value, true);
}

static void on_the_bus(void)
{
	static struct pmk_matrix_config config;

	setup_params();
	begin();
	pmk_matrix_devchip(&config);
	assert_int_equal(pmk_matrix_init(&matrix, &config), 0);
	rig.dev.port = (struct pmk_port){ .read = bus_read, .write = bus_write };
}

static uint32_t peek(unsigned reg)
{
	struct pmk_port direct = pmk_port_model(&rig.to_model);
	uint64_t value = UINT64_MAX;

	assert_int_equal(direct.read(direct.ctx, reg, &value), 0);
	return (uint32_t)value;
}

/*
 * DDI 0287B 4.2.2: the write that resets the counters is not counted, and a transfer directly after
 * it is counted.
 */
static void test_reset_write(void **state)
{
	(void)state;
	on_the_bus();
	assert_int_equal(bus_write(NULL, 91, 1), 0);
	for (unsigned i = 0; i < 5; i++)
		assert_int_equal(bus_write(NULL, 94, 0), 0);
	assert_int_equal(peek(62), 5);
	assert_int_equal(bus_write(NULL, 92, 0), 0);
	assert_int_equal(peek(62), 0);
	assert_int_equal(peek(67), 0);
	assert_int_equal(peek(89), 0);
	assert_int_equal(bus_write(NULL, 94, 0), 0);
	assert_int_equal(peek(62), 1);
	assert_int_equal(peek(67), 1);
	assert_int_equal(peek(89), 2); /* its address cycle and its data cycle */
	assert_int_equal(peek(88), matrix.now);
}

/*
 * The write that enables the counters is not counted. The write that disables them is counted: 1
 * write, 1 SINGLE, and its cycles.
 */
static void test_enable_and_disable_write(void **state)
{
	unsigned began;

	(void)state;
	on_the_bus();
	assert_int_equal(bus_write(NULL, 91, 1), 0);
	assert_int_equal(peek(62), 0);
	assert_int_equal(peek(89), 0);
	began = (unsigned)matrix.now;
	assert_int_equal(bus_write(NULL, 91, 0), 0);
	assert_int_equal(peek(62), 1);
	assert_int_equal(peek(67), 1);
	assert_int_equal(peek(89), matrix.now - began);
	assert_int_equal(bus_write(NULL, 94, 0), 0);
	assert_int_equal(peek(62), 1);
	assert_int_equal(peek(89), 2);
}

/* The driver runs its whole sequence over the bus. */
static void test_driver_on_the_bus(void **state)
{
	uint64_t value;

	(void)state;
	on_the_bus();
	configure(0, false, false, 0);
	start();
	assert_int_equal(pmk_ahbmon.driver->read(&rig.dev, 61, &value), 0);
	assert_int_equal(value, 0); /* the counter does not include this read */
	assert_int_equal(pmk_ahbmon.driver->read(&rig.dev, 61, &value), 0);
	assert_int_equal(value, 1);
	stop(); /* stop() reads and writes AHBMONCtrlReg */
	assert_int_equal(peek(61), 3);
	assert_int_equal(peek(62), 1);
	assert_int_equal(peek(67), 4);
	assert_int_equal(peek(75), 0); /* in this system, the window has no wait states */
}

/* After a preset, the counters keep the loaded values while the buses continue. */
static void test_preset_write(void **state)
{
	unsigned agree = 0;

	(void)state;
	on_the_bus();
	assert_int_equal(bus_write(NULL, 91, 1), 0);
	assert_int_equal(bus_write(NULL, 93, 0), 0);
	for (unsigned n = 0; n < 91; n++) {
		uint64_t value;

		assert_int_equal(bus_read(NULL, n, &value), 0);
		if (n != 88)
			assert_int_equal(value, 0x101d0000 + 4 * n);
	}
	assert_int_equal(pmk_ahbmon_probe(&rig.dev, 0x101d0000, &agree), 0);
	assert_int_equal(agree, 90);
}

/* ---- traffic ------------------------------------------------------------------------------- */

static void sink(void *ctx, const struct pmk_ahb_cycle cycle[PMK_MATRIX_NMASTERS], uint64_t n)
{
	(void)ctx;
	if (n > 1) {
		pmk_ahbmon_observer_idle(&rig.observer, rig.bus, n);
		rig.cycles += (unsigned)n;
	} else {
		matrix_sample(cycle);
	}
}

/*
 * Posts random transfers of the chip's masters to their slaves. ARM-D makes no INCR here, so the
 * sums below hold.
 */
static void post_something(unsigned master)
{
	static const uint8_t armi[] = { 0, 3, 4 }, dma[] = { 3, 5, 7 }, armd[] = { 0, 3, 4, 5 };
	static const uint32_t base[] = { 0, 0x20000000, 0x101e0000, 0x101f0000 };
	struct pmk_ahb_request r = { .at = matrix.now, .size = 2, .beats = 1, .prot = 15 };
	uint64_t ticket;

	r.burst = master == PMK_MATRIX_ARMI   ? armi[pick(3)]
		  : master == PMK_MATRIX_ARMD ? armd[pick(4)]
		  : master == PMK_MATRIX_EXP  ? (uint8_t)pick(8)
					      : dma[pick(3)];
	r.write = master != PMK_MATRIX_ARMI && master != PMK_MATRIX_CLCDC && pick(2) &&
		  !(master == PMK_MATRIX_ARMD && r.burst == PMK_AHB_WRAP8);
	r.prot = (uint8_t)(14 + pick(2));
	r.addr = base[pick(4)] + 1024 * pick(24) + 64 * pick(15);
	(void)pmk_matrix_post(&matrix, master, &r, &ticket);
}

/*
 * Counters satisfy invariants for any traffic without errors. The CLCDC and the DMA controllers
 * make no INCR here.
 */
static void test_invariants(void **state)
{
	uint32_t sum[91] = { 0 };

	(void)state;
	for (seed = 1; seed < 12; seed++) {
		uint32_t first = seed, c[91];

		on_the_bus();
		rig.dev.port = pmk_port_model(&rig.to_model);
		configure(pick(8), false, pick(2), 0);
		start();
		for (unsigned n = 0; n < 400; n++) {
			post_something(pick(6));
			pmk_matrix_run(&matrix, matrix.now + pick(30), sink, NULL);
		}
		pmk_matrix_run(&matrix, matrix.now + 20000, sink, NULL);
		assert_int_equal(pmk_matrix_quiet(&matrix), UINT64_MAX);
		stop();
		for (unsigned n = 0; n < 91; n++)
			c[n] = counter(n);
		assert_int_equal(c[88], matrix.now);
		assert_int_equal(c[89], matrix.now);
		assert_int_equal(c[0], c[1] + 4 * c[2] + 8 * c[3]);
		assert_int_equal(c[8], 4 * c[10] + 8 * c[11] + 16 * c[12]);
		assert_int_equal(c[17] + c[18], 4 * c[26] + 8 * c[27] + 16 * c[28]);
		assert_int_equal(c[33] + c[34], 4 * c[36] + 8 * c[37] + 16 * c[38]);
		assert_int_equal(c[43] + c[44], c[49] + c[50] + 4 * (c[51] + c[52]) +
							8 * (c[53] + c[54]) + 16 * (c[55] + c[56]));
		assert_int_equal(c[61] + c[62], c[67] + 4 * c[68] + 8 * c[69] + 8 * c[70]);
		assert_true(c[73] + c[74] <= c[67] && c[71] <= c[68] && c[72] <= c[69]);
		assert_true(c[63] + c[65] <= c[61] && c[64] + c[66] <= c[62]);
		assert_true(c[19] + c[21] + c[23] <= c[17] && c[20] + c[22] + c[24] <= c[18]);
		assert_true(c[5] + c[6] <= c[4] && c[14] + c[15] <= c[13] &&
			    c[30] + c[31] <= c[29]);
		assert_true(c[40] + c[41] <= c[39] && c[58] + c[59] <= c[57] &&
			    c[76] + c[77] <= c[75]);
		assert_true(c[90] <= c[89] && c[89] <= c[88]);
		for (unsigned n = 0; n < 91; n++)
			sum[n] += c[n];
		seed = first;
	}
	for (unsigned n = 0; n < 79; n++) /* the counters have moved */
		if (!sum[n] && n != 9 && n != 25 && n != 35)
			fail_msg("%s never moved", pmk_ahbmon.counters[n].name);
}

/* The matrix and the monitor have the same layers in the same order. */
static void test_order(void **state)
{
	(void)state;
	assert_int_equal(PMK_MATRIX_NMASTERS, 6);
	assert_int_equal(PMK_AHBMON_NLAYERS, 6);
	assert_int_equal(PMK_AHBMON_BUS_ARMI + PMK_MATRIX_ARMI, PMK_AHBMON_BUS_ARMI);
	assert_int_equal(PMK_AHBMON_BUS_ARMI + PMK_MATRIX_CLCDC, PMK_AHBMON_BUS_CLCDC);
	assert_int_equal(PMK_AHBMON_BUS_ARMI + PMK_MATRIX_DMA0, PMK_AHBMON_BUS_DMA0);
	assert_int_equal(PMK_AHBMON_BUS_ARMI + PMK_MATRIX_DMA1, PMK_AHBMON_BUS_DMA1);
	assert_int_equal(PMK_AHBMON_BUS_ARMI + PMK_MATRIX_EXP, PMK_AHBMON_BUS_EXP);
	assert_int_equal(PMK_AHBMON_BUS_ARMI + PMK_MATRIX_ARMD, PMK_AHBMON_BUS_ARMD);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reset_write),
		cmocka_unit_test(test_enable_and_disable_write),
		cmocka_unit_test(test_driver_on_the_bus),
		cmocka_unit_test(test_preset_write),
		cmocka_unit_test(test_invariants),
		cmocka_unit_test(test_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
