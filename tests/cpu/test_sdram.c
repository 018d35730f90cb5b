// SPDX-License-Identifier: MIT
/*
 * Reads of SDRAM give the results computed by hand: a read of an open row takes 100 cycles, and a
 * read of another row takes 30 more.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cpu/config.h"
#include "cpu/sdram.h"

struct read {
	uint64_t addr, now, takes;
};

static void expect_reads(const struct pmk_core *core, const struct read *reads, size_t n)
{
	struct pmk_sdram sdram = { 0 };

	for (size_t i = 0; i < n; i++) {
		uint64_t takes = pmk_sdram_read(&sdram, core, reads[i].addr, reads[i].now);

		if (takes != reads[i].takes)
			fail_msg("read %zu takes %llu cycles, not %llu", i,
				 (unsigned long long)takes, (unsigned long long)reads[i].takes);
	}
}

static struct pmk_core core_with(uint64_t banks, uint64_t refresh, uint64_t busy)
{
	struct pmk_core core;

	pmk_core_defaults(&core);
	core.mem.latency = 100;
	core.sdram.banks = banks;
	core.sdram.row = 2048;
	core.sdram.row_miss = 30;
	core.sdram.refresh = refresh;
	core.sdram.refresh_busy = busy;
	return core;
}

static void flat_tests(void **state)
{
	static const struct read reads[] = { { 0, 0, 100 }, { 0x100000, 5, 100 }, { 0, 9, 100 } };
	struct pmk_core core = core_with(4, 0, 0);

	(void)state;
	core.sdram.row_miss = 0;
	assert_false(pmk_sdram_differs(&core));
	expect_reads(&core, reads, 3);
}

/* After a write to another row of the bank, the next read must open its row again. */
static void write_tests(void **state)
{
	struct pmk_core core = core_with(4, 0, 0);
	struct pmk_sdram sdram = { 0 };

	(void)state;
	assert_int_equal(pmk_sdram_read(&sdram, &core, 0, 0), 130);
	pmk_sdram_write(&sdram, &core, 0x800);
	assert_int_equal(pmk_sdram_read(&sdram, &core, 64, 0), 100);
	pmk_sdram_write(&sdram, &core, 0x2000);
	assert_int_equal(pmk_sdram_read(&sdram, &core, 128, 0), 130);
	assert_int_equal(pmk_sdram_read(&sdram, &core, 0x840, 0), 100);
}

/* Rows of 2048 bytes alternate between four banks, so 0x2000 is in the second row of bank 0. */
static void row_tests(void **state)
{
	static const struct read reads[] = {
		{ 0x0000, 0, 130 }, /* no row is open at the beginning */
		{ 0x07FC, 0, 100 }, /* this row is open */
		{ 0x0800, 0, 130 }, /* bank 1 */
		{ 0x0004, 0, 100 }, /* the row in bank 0 is still open */
		{ 0x2000, 0, 130 }, /* another row of bank 0 */
		{ 0x0004, 0, 130 }, /* the previous access closed this row */
		{ 0x0804, 0, 100 }, /* the row in bank 1 is still open */
		{ 0x1800, 0, 130 }, /* bank 3 */
		{ 0xFFFFF800, 0, 130 }, { 0xFFFFFFFC, 0, 100 },
	};
	struct pmk_core core = core_with(4, 0, 0);

	(void)state;
	assert_true(pmk_sdram_differs(&core));
	expect_reads(&core, reads, sizeof(reads) / sizeof(reads[0]));
}

/* If the device has one bank, a read of another row closes the open row. */
static void one_bank_tests(void **state)
{
	static const struct read reads[] = {
		{ 0x0000, 0, 130 }, { 0x0800, 0, 130 }, { 0x0000, 0, 130 }, { 0x0004, 0, 100 }
	};
	struct pmk_core core = core_with(1, 0, 0);

	(void)state;
	expect_reads(&core, reads, 4);
}

/* Every 1000 cycles there is a refresh, which takes 20 cycles. There is none at time 0. */
static void refresh_tests(void **state)
{
	static const struct read reads[] = {
		{ 0x0000, 0, 130 },    { 0x0004, 999, 100 },
		{ 0x0008, 1005, 145 }, /* 15 cycles of the refresh are left; it closed the row */
		{ 0x0008, 1019, 101 }, /* the row is open again; 1 cycle is left */
		{ 0x0008, 1020, 100 }, { 0x0008, 3500, 130 },
	};
	struct pmk_core core = core_with(4, 1000, 20);

	(void)state;
	expect_reads(&core, reads, sizeof(reads) / sizeof(reads[0]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(flat_tests),	 cmocka_unit_test(write_tests),
		cmocka_unit_test(row_tests),	 cmocka_unit_test(one_bank_tests),
		cmocka_unit_test(refresh_tests),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
