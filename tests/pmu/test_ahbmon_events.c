// SPDX-License-Identifier: MIT
/*
 * The AHB Monitor's catalogue, counters, registers and layout equal a second copy of DDI 0287B
 * Tables 4-6 to 4-13. The layout is the project's own. It equals its file, data/layouts/sp816.ini,
 * and satisfies the manual's rules for every layout.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <ini.h>

#include <pmk/ahbmon.h>
#include <pmk/ahbmon_model.h>
#include <pmk/signal.h>

#include "pmu/ahbmon/regs.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* ---- events -------------------------------------------------------------------------------- */

struct row {
	unsigned id;
	const char *manual, *name, *table;
	unsigned bus; /* 0 HCLK, 1 ARM-I, 2 CLCDC, 3 DMA-0, 4 DMA-1, 5 EXP, 6 ARM-D, 7 GXI */
	const char *signal;
	int cycles;
};

/* clang-format off */
static const struct row rows[] = {
	{ 0, "CtArmiRd", "ct_armi_rd",
	  "4-6", 1, "AHB_READ", 0 },
	{ 1, "CtArmiBurstSingle", "ct_armi_burst_single",
	  "4-6", 1, "AHB_SINGLE", 0 },
	{ 2, "CtArmiBurstIncr4", "ct_armi_burst_incr4",
	  "4-6", 1, "AHB_INCR4", 0 },
	{ 3, "CtArmiLineFill", "ct_armi_line_fill",
	  "4-6", 1, "AHB_LINEFILL", 0 },
	{ 4, "CtArmiWaitTotal", "ct_armi_wait_total",
	  "4-6", 1, "AHB_WAIT", 1 },
	{ 5, "CtArmiWaitNonSeqSlave", "ct_armi_wait_non_seq_slave",
	  "4-6", 1, "AHB_WAIT_FIRST_SLAVE", 1 },
	{ 6, "CtArmiWaitNonSeqBus", "ct_armi_wait_non_seq_bus",
	  "4-6", 1, "AHB_WAIT_FIRST_BUS", 1 },
	{ 7, "CtArmiWaitThresholdHit", "ct_armi_wait_threshold_hit",
	  "4-6", 1, "AHB_WAIT_OVER", 0 },
	{ 8, "CtClcdRd", "ct_clcd_rd",
	  "4-7", 2, "AHB_READ", 0 },
	{ 9, "CtClcdBurstIncr", "ct_clcd_burst_incr",
	  "4-7", 2, "AHB_INCR", 0 },
	{ 10, "CtClcdBurstIncr4", "ct_clcd_burst_incr4",
	  "4-7", 2, "AHB_INCR4", 0 },
	{ 11, "CtClcdBurstIncr8", "ct_clcd_burst_incr8",
	  "4-7", 2, "AHB_INCR8", 0 },
	{ 12, "CtClcdBurstIncr16", "ct_clcd_burst_incr16",
	  "4-7", 2, "AHB_INCR16", 0 },
	{ 13, "CtClcdWaitTotal", "ct_clcd_wait_total",
	  "4-7", 2, "AHB_WAIT", 1 },
	{ 14, "CtClcdWaitNonSeqSlave", "ct_clcd_wait_non_seq_slave",
	  "4-7", 2, "AHB_WAIT_FIRST_SLAVE", 1 },
	{ 15, "CtClcdWaitNonSeqBus", "ct_clcd_wait_non_seq_bus",
	  "4-7", 2, "AHB_WAIT_FIRST_BUS", 1 },
	{ 16, "CtClcdWaitThresholdHit", "ct_clcd_wait_threshold_hit",
	  "4-7", 2, "AHB_WAIT_OVER", 0 },
	{ 17, "CtDma0Rd", "ct_dma0_rd",
	  "4-8", 3, "AHB_READ", 0 },
	{ 18, "CtDma0Wr", "ct_dma0_wr",
	  "4-8", 3, "AHB_WRITE", 0 },
	{ 19, "CtDma0RdUart", "ct_dma0_rd_uart",
	  "4-8", 3, "AHB_READ_UART", 0 },
	{ 20, "CtDma0WrUart", "ct_dma0_wr_uart",
	  "4-8", 3, "AHB_WRITE_UART", 0 },
	{ 21, "CtDma0RdSci", "ct_dma0_rd_sci",
	  "4-8", 3, "AHB_READ_SCI", 0 },
	{ 22, "CtDma0WrSci", "ct_dma0_wr_sci",
	  "4-8", 3, "AHB_WRITE_SCI", 0 },
	{ 23, "CtDma0RdSsp", "ct_dma0_rd_ssp",
	  "4-8", 3, "AHB_READ_SSP", 0 },
	{ 24, "CtDma0WrSsp", "ct_dma0_wr_ssp",
	  "4-8", 3, "AHB_WRITE_SSP", 0 },
	{ 25, "CtDma0BurstIncr", "ct_dma0_burst_incr",
	  "4-8", 3, "AHB_INCR", 0 },
	{ 26, "CtDma0BurstIncr4", "ct_dma0_burst_incr4",
	  "4-8", 3, "AHB_INCR4", 0 },
	{ 27, "CtDma0BurstIncr8", "ct_dma0_burst_incr8",
	  "4-8", 3, "AHB_INCR8", 0 },
	{ 28, "CtDma0BurstIncr16", "ct_dma0_burst_incr16",
	  "4-8", 3, "AHB_INCR16", 0 },
	{ 29, "CtDma0WaitTotal", "ct_dma0_wait_total",
	  "4-8", 3, "AHB_WAIT", 1 },
	{ 30, "CtDma0WaitNonSeqSlave", "ct_dma0_wait_non_seq_slave",
	  "4-8", 3, "AHB_WAIT_FIRST_SLAVE", 1 },
	{ 31, "CtDma0WaitNonSeqBus", "ct_dma0_wait_non_seq_bus",
	  "4-8", 3, "AHB_WAIT_FIRST_BUS", 1 },
	{ 32, "CtDma0WaitThresholdHit", "ct_dma0_wait_threshold_hit",
	  "4-8", 3, "AHB_WAIT_OVER", 0 },
	{ 33, "CtDma1Rd", "ct_dma1_rd",
	  "4-9", 4, "AHB_READ", 0 },
	{ 34, "CtDma1Wr", "ct_dma1_wr",
	  "4-9", 4, "AHB_WRITE", 0 },
	{ 35, "CtDma1BurstIncr", "ct_dma1_burst_incr",
	  "4-9", 4, "AHB_INCR", 0 },
	{ 36, "CtDma1BurstIncr4", "ct_dma1_burst_incr4",
	  "4-9", 4, "AHB_INCR4", 0 },
	{ 37, "CtDma1BurstIncr8", "ct_dma1_burst_incr8",
	  "4-9", 4, "AHB_INCR8", 0 },
	{ 38, "CtDma1BurstIncr16", "ct_dma1_burst_incr16",
	  "4-9", 4, "AHB_INCR16", 0 },
	{ 39, "CtDma1WaitTotal", "ct_dma1_wait_total",
	  "4-9", 4, "AHB_WAIT", 1 },
	{ 40, "CtDma1WaitNonSeqSlave", "ct_dma1_wait_non_seq_slave",
	  "4-9", 4, "AHB_WAIT_FIRST_SLAVE", 1 },
	{ 41, "CtDma1WaitNonSeqBus", "ct_dma1_wait_non_seq_bus",
	  "4-9", 4, "AHB_WAIT_FIRST_BUS", 1 },
	{ 42, "CtDma1WaitThresholdHit", "ct_dma1_wait_threshold_hit",
	  "4-9", 4, "AHB_WAIT_OVER", 0 },
	{ 43, "CtExpRd", "ct_exp_rd",
	  "4-10", 5, "AHB_READ", 0 },
	{ 44, "CtExpWr", "ct_exp_wr",
	  "4-10", 5, "AHB_WRITE", 0 },
	{ 45, "CtExpRdApbDma", "ct_exp_rd_apb_dma",
	  "4-10", 5, "AHB_READ_APB_DMA", 0 },
	{ 46, "CtExpWrApbDma", "ct_exp_wr_apb_dma",
	  "4-10", 5, "AHB_WRITE_APB_DMA", 0 },
	{ 47, "CtExpRdApbCore", "ct_exp_rd_apb_core",
	  "4-10", 5, "AHB_READ_APB_CORE", 0 },
	{ 48, "CtExpWrApbCore", "ct_exp_wr_apb_core",
	  "4-10", 5, "AHB_WRITE_APB_CORE", 0 },
	{ 49, "CtExpBurstSingle", "ct_exp_burst_single",
	  "4-10", 5, "AHB_SINGLE", 0 },
	{ 50, "CtExpBurstIncr", "ct_exp_burst_incr",
	  "4-10", 5, "AHB_INCR", 0 },
	{ 51, "CtExpBurstWrap4", "ct_exp_burst_wrap4",
	  "4-10", 5, "AHB_WRAP4", 0 },
	{ 52, "CtExpBurstIncr4", "ct_exp_burst_incr4",
	  "4-10", 5, "AHB_INCR4", 0 },
	{ 53, "CtExpBurstWrap8", "ct_exp_burst_wrap8",
	  "4-10", 5, "AHB_WRAP8", 0 },
	{ 54, "CtExpBurstIncr8", "ct_exp_burst_incr8",
	  "4-10", 5, "AHB_INCR8", 0 },
	{ 55, "CtExpBurstWrap16", "ct_exp_burst_wrap16",
	  "4-10", 5, "AHB_WRAP16", 0 },
	{ 56, "CtExpBurstIncr16", "ct_exp_burst_incr16",
	  "4-10", 5, "AHB_INCR16", 0 },
	{ 57, "CtExpWaitTotal", "ct_exp_wait_total",
	  "4-10", 5, "AHB_WAIT", 1 },
	{ 58, "CtExpWaitNonSeqSlave", "ct_exp_wait_non_seq_slave",
	  "4-10", 5, "AHB_WAIT_FIRST_SLAVE", 1 },
	{ 59, "CtExpWaitNonSeqBus", "ct_exp_wait_non_seq_bus",
	  "4-10", 5, "AHB_WAIT_FIRST_BUS", 1 },
	{ 60, "CtExpWaitThresholdHit", "ct_exp_wait_threshold_hit",
	  "4-10", 5, "AHB_WAIT_OVER", 0 },
	{ 61, "CtArmdRd", "ct_armd_rd",
	  "4-11", 6, "AHB_READ", 0 },
	{ 62, "CtArmdWr", "ct_armd_wr",
	  "4-11", 6, "AHB_WRITE", 0 },
	{ 63, "CtArmdRdApbDma", "ct_armd_rd_apb_dma",
	  "4-11", 6, "AHB_READ_APB_DMA", 0 },
	{ 64, "CtArmdWrApbDma", "ct_armd_wr_apb_dma",
	  "4-11", 6, "AHB_WRITE_APB_DMA", 0 },
	{ 65, "CtArmdRdApbCore", "ct_armd_rd_apb_core",
	  "4-11", 6, "AHB_READ_APB_CORE", 0 },
	{ 66, "CtArmdWrApbCore", "ct_armd_wr_apb_core",
	  "4-11", 6, "AHB_WRITE_APB_CORE", 0 },
	{ 67, "CtArmdBurstSingle", "ct_armd_burst_single",
	  "4-11", 6, "AHB_SINGLE", 0 },
	{ 68, "CtArmdBurstIncr4", "ct_armd_burst_incr4",
	  "4-11", 6, "AHB_INCR4", 0 },
	{ 69, "CtArmdBurstIncr8", "ct_armd_burst_incr8",
	  "4-11", 6, "AHB_INCR8", 0 },
	{ 70, "CtArmdLineFill", "ct_armd_line_fill",
	  "4-11", 6, "AHB_LINEFILL", 0 },
	{ 71, "CtArmdCastOut4", "ct_armd_cast_out4",
	  "4-11", 6, "AHB_CASTOUT4", 0 },
	{ 72, "CtArmdCastOut8", "ct_armd_cast_out8",
	  "4-11", 6, "AHB_CASTOUT8", 0 },
	{ 73, "CtArmdPageWalkD", "ct_armd_page_walk_d",
	  "4-11", 6, "AHB_WALK_D", 0 },
	{ 74, "CtArmdPageWalkI", "ct_armd_page_walk_i",
	  "4-11", 6, "AHB_WALK_I", 0 },
	{ 75, "CtArmdWaitTotal", "ct_armd_wait_total",
	  "4-11", 6, "AHB_WAIT", 1 },
	{ 76, "CtArmdWaitNonSeqSlave", "ct_armd_wait_non_seq_slave",
	  "4-11", 6, "AHB_WAIT_FIRST_SLAVE", 1 },
	{ 77, "CtArmdWaitNonSeqBus", "ct_armd_wait_non_seq_bus",
	  "4-11", 6, "AHB_WAIT_FIRST_BUS", 1 },
	{ 78, "CtArmdWaitThresholdHit", "ct_armd_wait_threshold_hit",
	  "4-11", 6, "AHB_WAIT_OVER", 0 },
	{ 79, "CtGxiWr", "ct_gxi_wr",
	  "4-12", 7, "GXI_WRITE", 0 },
	{ 80, "CtGxiRd", "ct_gxi_rd",
	  "4-12", 7, "GXI_READ", 0 },
	{ 81, "CtGxiWrAddrWait", "ct_gxi_wr_addr_wait",
	  "4-12", 7, "GXI_WRITE_WAIT", 1 },
	{ 82, "CtGxiRdAddrWait", "ct_gxi_rd_addr_wait",
	  "4-12", 7, "GXI_READ_WAIT", 1 },
	{ 83, "CtGxiRdDataWait", "ct_gxi_rd_data_wait",
	  "4-12", 7, "GXI_DATA_WAIT", 1 },
	{ 84, "CtGxiRdAWaitThresholdHit", "ct_gxi_rd_a_wait_threshold_hit",
	  "4-12", 7, "GXI_READ_OVER", 0 },
	{ 85, "CtGxiRdDWaitThresholdHit", "ct_gxi_rd_d_wait_threshold_hit",
	  "4-12", 7, "GXI_DATA_OVER", 0 },
	{ 86, "CtGxiWrAWaitThresholdHit", "ct_gxi_wr_a_wait_threshold_hit",
	  "4-12", 7, "GXI_WRITE_OVER", 0 },
	{ 87, "CtGxiPageChange", "ct_gxi_page_change",
	  "4-12", 7, "GXI_PAGE_2K", 0 },
	{ 88, "CtTotalCycles", "ct_total_cycles",
	  "4-13", 0, "CYCLE", 1 },
	{ 89, "CtTotalCyclesEn", "ct_total_cycles_en",
	  "4-13", 0, "CYCLE", 1 },
	{ 90, "CtTotalCyclesNonDebug", "ct_total_cycles_non_debug",
	  "4-13", 0, "CYCLE", 1 },
};
/* clang-format on */

/* The catalogue has the events of the tables, code by code, and no other. */
static void test_rows(void **state)
{
	(void)state;
	assert_int_equal(COUNT(rows), 91);
	assert_int_equal(pmk_ahbmon.nevents, 91);
	for (unsigned code = 0; code < 0x200; code++) {
		const struct pmk_event *ev = pmk_pmu_event_code(&pmk_ahbmon, code);
		const struct row *row = code < COUNT(rows) ? &rows[code] : NULL;

		if (!row) {
			assert_null(ev);
			continue;
		}
		assert_non_null(ev);
		assert_int_equal(row->id, code);
		assert_int_equal(ev->code, code);
		assert_string_equal(ev->name, row->name);
		assert_string_equal(ev->aliases, row->manual);
		assert_string_equal(pmk_signal_name(ev->signal), row->signal);
		assert_int_equal(ev->signal2, PMK_SIG_NONE);
		assert_int_equal(ev->cycles, row->cycles);
		assert_int_equal(pmk_ahbmon_bus_of[code], row->bus);
		assert_ptr_equal(pmk_pmu_event(&pmk_ahbmon, row->name), ev);
		assert_ptr_equal(pmk_pmu_event(&pmk_ahbmon, row->manual), ev);
		assert_string_equal(ev->ref + strlen(ev->ref) - strlen(row->table), row->table);
	}
}

/* The event's name is the manual's name with "_" before each capital. */
static void test_spelling(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		const char *m = rows[i].manual;
		char name[64];
		size_t n = 0;

		for (; *m; m++) {
			if (*m >= 'A' && *m <= 'Z' && n)
				name[n++] = '_';
			name[n++] = (char)(*m >= 'A' && *m <= 'Z' ? *m - 'A' + 'a' : *m);
		}
		name[n] = '\0';
		assert_string_equal(name, rows[i].name);
	}
}

/* The numbers of counters equal those of the manual's tables. */
static void test_tables(void **state)
{
	static const struct {
		const char *table;
		unsigned rows;
	} tables[] = {
		{ "4-6", 8 },	{ "4-7", 9 },	{ "4-8", 16 }, { "4-9", 10 },
		{ "4-10", 18 }, { "4-11", 18 }, { "4-12", 9 }, { "4-13", 3 },
	};

	(void)state;
	for (size_t t = 0; t < COUNT(tables); t++) {
		unsigned n = 0;

		for (unsigned i = 0; i < 91; i++) {
			const char *ref = strrchr(pmk_ahbmon_events[i].ref, ' ');

			n += !strcmp(ref + 1, tables[t].table);
		}
		assert_int_equal(n, tables[t].rows);
	}
}

static void check_words(const char *s)
{
	assert_non_null(s);
	assert_true(*s);
	assert_true(strlen(s) < 140);
}

static void test_rows_are_complete(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 91; i++) {
		const struct pmk_event *ev = &pmk_ahbmon_events[i];

		check_words(ev->brief);
		check_words(ev->ref);
		assert_null(ev->unmodelled); /* the buses of an ARM926EJ-S are emulated */
		assert_true(pmk_pmu_has(&pmk_ahbmon, ev));
		if (ev->caveat)
			check_words(ev->caveat);
	}
	assert_non_null(pmk_pmu_event(&pmk_ahbmon, "ct_armd_cast_out4")->caveat);
	assert_non_null(pmk_pmu_event(&pmk_ahbmon, "ct_total_cycles")->caveat);
	check_words(pmk_ahbmon.brief);
	assert_non_null(strstr(pmk_ahbmon.note, "not ARM's"));
}

/* The enumerators are equal to the IDs. */
static void test_enums(void **state)
{
	(void)state;
	assert_int_equal(PMK_AHBMON_ARMI_RD, 0);
	assert_int_equal(PMK_AHBMON_ARMI_WAIT_THRESHOLD_HIT, 7);
	assert_int_equal(PMK_AHBMON_CLCD_RD, 8);
	assert_int_equal(PMK_AHBMON_CLCD_WAIT_THRESHOLD_HIT, 16);
	assert_int_equal(PMK_AHBMON_DMA0_RD, 17);
	assert_int_equal(PMK_AHBMON_DMA0_WR_SSP, 24);
	assert_int_equal(PMK_AHBMON_DMA0_WAIT_THRESHOLD_HIT, 32);
	assert_int_equal(PMK_AHBMON_DMA1_RD, 33);
	assert_int_equal(PMK_AHBMON_DMA1_WAIT_THRESHOLD_HIT, 42);
	assert_int_equal(PMK_AHBMON_EXP_RD, 43);
	assert_int_equal(PMK_AHBMON_EXP_BURST_INCR16, 56);
	assert_int_equal(PMK_AHBMON_EXP_WAIT_THRESHOLD_HIT, 60);
	assert_int_equal(PMK_AHBMON_ARMD_RD, 61);
	assert_int_equal(PMK_AHBMON_ARMD_CAST_OUT4, 71);
	assert_int_equal(PMK_AHBMON_ARMD_WAIT_THRESHOLD_HIT, 78);
	assert_int_equal(PMK_AHBMON_GXI_WR, 79);
	assert_int_equal(PMK_AHBMON_GXI_PAGE_CHANGE, 87);
	assert_int_equal(PMK_AHBMON_TOTAL_CYCLES, 88);
	assert_int_equal(PMK_AHBMON_TOTAL_CYCLES_NON_DEBUG, 90);
	assert_int_equal(PMK_AHBMON_NCTRS, 91);
	assert_int_equal(PMK_AHBMON_PAGE_2K, 0);
	assert_int_equal(PMK_AHBMON_PAGE_16K, 3);
	assert_int_equal(PMK_AHBMON_BUS_HCLK, 0); /* settle() adds cycles to bus 0 */
	assert_int_equal(PMK_AHBMON_NBUSES, 8);
}

static void test_find(void **state)
{
	(void)state;
	assert_ptr_equal(pmk_pmu_find("ahbmon"), &pmk_ahbmon);
	assert_ptr_equal(pmk_pmu_find("SP816"), &pmk_ahbmon);
	assert_ptr_equal(pmk_pmu_find("ahb-monitor"), &pmk_ahbmon);
	assert_null(pmk_pmu_event(&pmk_ahbmon, "cycles"));
	assert_null(pmk_pmu_event(&pmk_ahbmon, "ct_armi"));
	assert_null(pmk_pmu_event(&pmk_ahbmon, "CtArmiWr")); /* this layer never writes */
	assert_null(pmk_pmu_event(&pmk_ahbmon, "CtArmdBurstIncr"));
}

/* ---- counters ------------------------------------------------------------------------------ */

static void test_counters(void **state)
{
	(void)state;
	assert_int_equal(pmk_ahbmon.ncounters, 91);
	for (unsigned i = 0; i < 91; i++) {
		const struct pmk_counter *ctr = &pmk_ahbmon.counters[i];

		assert_string_equal(ctr->name, rows[i].manual);
		assert_int_equal(ctr->width, 32);
		assert_int_equal(ctr->fixed_code, i);
		assert_int_equal(
			pmk_pmu_free_counter(&pmk_ahbmon, &(struct pmk_counter_set){ { 0 } }, i),
			i);
	}
	assert_int_equal(
		pmk_pmu_free_counter(&pmk_ahbmon, &(struct pmk_counter_set){ { 1u << 5 } }, 5),
		PMK_ENOCTR);
}

/* ---- registers ----------------------------------------------------------------------------- */

static const char *const settings[] = {
	"AHBMONCtrlReg",       "AHBMONRstCtrs",	     "AHBMONPrstCtrs",	    "GxiPageSize",
	"WaitThresholdArmi",   "WaitThresholdClcdc", "WaitThresholdDma0",   "WaitThresholdDma1",
	"WaitThresholdExp",    "WaitThresholdArmd",  "WaitThresholdGxiRdA", "WaitThresholdGxiRdD",
	"WaitThresholdGxiWrA",
};

static const char *reg_name(unsigned reg)
{
	return reg < 91 ? rows[reg].manual : settings[reg - 91];
}

/*
 * Checks that each bit belongs to exactly one field, and that the fields are in order from bit 31
 * down.
 */
static void check_fields(const struct pmk_reg_info *reg)
{
	uint64_t seen = 0;

	for (unsigned i = 0; i < reg->nfields; i++) {
		const struct pmk_field *f = &reg->fields[i];

		assert_int_equal(seen & f->mask, 0);
		assert_true(!seen || f->mask < seen);
		seen |= f->mask;
		check_words(f->name);
		check_words(f->ref);
		check_words(f->brief);
		assert_false(f->event);
	}
	assert_int_equal(seen, 0xffffffff);
}

static void test_registers(void **state)
{
	(void)state;
	assert_int_equal(COUNT(settings), 13);
	assert_int_equal(pmk_ahbmon.nregs, 104);
	for (unsigned i = 0; i < 104; i++) {
		const struct pmk_reg_info *reg = &pmk_ahbmon.regs[i];

		assert_string_equal(reg->name, reg_name(i));
		assert_ptr_equal(pmk_pmu_reg(&pmk_ahbmon, reg->name), reg);
		assert_int_equal(reg->width, 32);
		assert_non_null(strstr(reg->where, "not ARM's"));
		check_words(reg->ref);
		check_words(reg->brief);
		check_fields(reg);
		if (i < 91) {
			assert_string_equal(pmk_access_name(reg->fields[0].access), "RO");
			assert_string_equal(reg->ref, pmk_ahbmon_events[i].ref);
		}
	}
	assert_ptr_equal(pmk_pmu_reg(&pmk_ahbmon, "AHBMONRstCntrs"), &pmk_ahbmon.regs[92]);
	assert_ptr_equal(pmk_pmu_reg(&pmk_ahbmon, "AHBMONPrstCntrs"), &pmk_ahbmon.regs[93]);
}

struct bits {
	const char *name;
	uint32_t mask;
	const char *access;
};

static void check_bits(const char *name, const struct bits *bits, unsigned n)
{
	const struct pmk_reg_info *reg = pmk_pmu_reg(&pmk_ahbmon, name);

	assert_int_equal(reg->nfields, n);
	for (unsigned i = 0; i < n; i++) {
		assert_string_equal(reg->fields[i].name, bits[i].name);
		assert_int_equal(reg->fields[i].mask, bits[i].mask);
		assert_string_equal(pmk_access_name(reg->fields[i].access), bits[i].access);
	}
}

static void test_fields(void **state)
{
	static const struct bits ctrl[] = {
		{ "-", 0xfffffff8, "SBZ" },
		{ "CastOut4", 4, "RW" },
		{ "Track", 2, "RW" },
		{ "Enable", 1, "RW" },
	};
	static const struct bits page[] = { { "SBZ", 0xfffffffc, "SBZ" }, { "Size", 3, "RW" } };
	static const struct bits any[] = { { "Any", 0xffffffff, "WO" } };
	const struct pmk_field *size = &pmk_pmu_reg(&pmk_ahbmon, "GxiPageSize")->fields[1];

	(void)state;
	check_bits("AHBMONCtrlReg", ctrl, 4);
	check_bits("GxiPageSize", page, 2);
	check_bits("AHBMONRstCtrs", any, 1);
	check_bits("AHBMONPrstCtrs", any, 1);
	assert_string_equal(size->values[0], "2 KB");
	assert_string_equal(size->values[1], "4 KB");
	assert_string_equal(size->values[2], "8 KB");
	assert_string_equal(size->values[3], "16 KB");
	assert_null(size->values[4]);
}

/* ---- the layout ---------------------------------------------------------------------------- */

/* The contents of the file, and which parts of it the test has compared. */
struct file {
	struct pmk_ahbmon_layout layout;
	unsigned offsets, others;
	bool seen[104];
};

static int take_offset(struct file *f, const char *name, uint32_t value)
{
	for (unsigned reg = 0; reg < 104; reg++) {
		if (strcmp(name, reg_name(reg)))
			continue;
		assert_false(f->seen[reg]);
		f->seen[reg] = true;
		f->layout.offset[reg] = (uint16_t)value;
		f->offsets++;
		return value <= 0xffff;
	}
	return 0;
}

static int take(void *ctx, const char *section, const char *name, const char *value)
{
	struct file *f = ctx;
	uint32_t number = (uint32_t)strtoul(value, NULL, 0);

	if (!strncmp(section, "packet", 6)) /* test_ahbmon_layout.c tests these sections */
		return 1;
	if (!strcmp(section, "offset"))
		return take_offset(f, name, number);
	f->others++;
	if (!strcmp(name, "name"))
		return !strcmp(value, "sp816");
	if (!strcmp(name, "provenance"))
		f->layout.provenance =
			strcmp(value, "project") ? PMK_AHBMON_FROM_MANUAL : PMK_AHBMON_FROM_PROJECT;
	else if (!strcmp(name, "base"))
		f->layout.base = number;
	else if (!strcmp(name, "enable"))
		f->layout.enable = 1u << number;
	else if (!strcmp(name, "track_dbgack"))
		f->layout.track_dbgack = 1u << number;
	else if (!strcmp(name, "castout4_aligned"))
		f->layout.castout4_aligned = 1u << number;
	else if (!strcmp(name, "width"))
		f->layout.threshold = 0xffffffffu >> (32 - number);
	else
		return 0;
	return 1;
}

static void test_layout_is_the_file(void **state)
{
	struct file f = { .offsets = 0 };

	(void)state;
	assert_int_equal(ini_parse(PMK_SOURCE_DATA "/layouts/sp816.ini", take, &f), 0);
	assert_int_equal(f.offsets, 104);
	assert_int_equal(f.others, 7);
	assert_int_equal(sizeof(f.layout), 6 * 4 + 104 * 2);
	assert_memory_equal(&f.layout, &pmk_ahbmon_sp816, sizeof(f.layout));
}

/* The layout is marked as the project's own, which is not ARM's, and the PMU uses it. */
static void test_layout_says_whose_it_is(void **state)
{
	(void)state;
	assert_int_equal(pmk_ahbmon_sp816.provenance, PMK_AHBMON_FROM_PROJECT);
	assert_int_equal(pmk_ahbmon_sp816.base, 0x101d0000);
	assert_ptr_equal(pmk_ahbmon.family, &pmk_ahbmon_sp816);
}

/*
 * Offsets are multiples of 4 within 64 KB, and each occurs once: DDI 0287B's rules for every
 * layout.
 */
static void test_layout_invariants(void **state)
{
	(void)state;
	assert_int_equal(pmk_ahbmon_layout_check(&pmk_ahbmon_sp816), 0);
	for (unsigned i = 0; i < 104; i++) {
		assert_int_equal(pmk_ahbmon_sp816.offset[i] % 4, 0);
		assert_true(pmk_ahbmon_sp816.offset[i] <= 0xfffc);
		for (unsigned k = 0; k < i; k++)
			assert_int_not_equal(pmk_ahbmon_sp816.offset[i],
					     pmk_ahbmon_sp816.offset[k]);
	}
}

static void test_layout_check(void **state)
{
	static const struct {
		int line;
		unsigned reg;
		uint16_t offset;
		int result;
	} offsets[] = {
		{ __LINE__, 0, 0xfffc, 0 },
		{ __LINE__, 0, 0x0002, PMK_EINVAL }, /* not a multiple of 4 */
		{ __LINE__, 103, 0x0234, 0 },
		{ __LINE__, 103, 0x0232, PMK_EINVAL },
		{ __LINE__, 90, 0x0004, PMK_EINVAL }, /* the offset of another counter */
		{ __LINE__, 91, 0x0000, PMK_EINVAL }, /* also a counter's offset */
		{ __LINE__, 5, 0xffff, PMK_EINVAL },  /* a counter must have an offset */
		{ __LINE__, 91, 0xffff, PMK_EINVAL }, /* the control register must have an offset */
		{ __LINE__, 94, 0xffff, PMK_EINVAL }, /* the page size must have an offset */
		{ __LINE__, 95, 0xffff, 0 },	      /* a threshold needs no offset */
		{ __LINE__, 103, 0xffff, 0 },
	};
	static const struct {
		int line;
		uint32_t base, enable, track, aligned;
		int result;
	} others[] = {
		{ __LINE__, 0x101d0000, 1, 2, 4, 0 },
		{ __LINE__, 0x20000000, 0x80000000, 0x100, 0, 0 },
		{ __LINE__, 0x101d0000, 1, 2, 0, 0 }, /* without an alignment bit */
		{ __LINE__, 0x0101d000, 1, 2, 4, PMK_EINVAL },
		{ __LINE__, 0x101d0000, 0, 2, 4, PMK_EINVAL },
		{ __LINE__, 0x101d0000, 1, 0, 4, PMK_EINVAL },
		{ __LINE__, 0x101d0000, 1, 1, 4, PMK_EINVAL },
		{ __LINE__, 0x101d0000, 1, 2, 1, PMK_EINVAL },
		{ __LINE__, 0x101d0000, 1, 2, 2, PMK_EINVAL },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(offsets); i++) {
		struct pmk_ahbmon_layout l = pmk_ahbmon_sp816;

		l.offset[offsets[i].reg] = offsets[i].offset;
		if (pmk_ahbmon_layout_check(&l) != offsets[i].result)
			fail_msg("row of line %d", offsets[i].line);
	}
	for (size_t i = 0; i < COUNT(others); i++) {
		struct pmk_ahbmon_layout l = pmk_ahbmon_sp816;

		l.base = others[i].base;
		l.enable = others[i].enable;
		l.track_dbgack = others[i].track;
		l.castout4_aligned = others[i].aligned;
		if (pmk_ahbmon_layout_check(&l) != others[i].result)
			fail_msg("row of line %d", others[i].line);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_spelling),
		cmocka_unit_test(test_tables),
		cmocka_unit_test(test_rows_are_complete),
		cmocka_unit_test(test_enums),
		cmocka_unit_test(test_find),
		cmocka_unit_test(test_counters),
		cmocka_unit_test(test_registers),
		cmocka_unit_test(test_fields),
		cmocka_unit_test(test_layout_is_the_file),
		cmocka_unit_test(test_layout_says_whose_it_is),
		cmocka_unit_test(test_layout_invariants),
		cmocka_unit_test(test_layout_check),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
