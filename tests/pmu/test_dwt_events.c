// SPDX-License-Identifier: MIT
/*
 * The DWT's catalogue, counters, registers, addresses and bits equal a second copy, with literal
 * numbers of DDI 0403E (ARMv7-M), C1.8 and C1.6.5.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <pmk/dwt.h>
#include <pmk/signal.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* clang-format off */
static const struct {
	unsigned code;
	const char *name, *counter, *signal, *ref;
	unsigned width;
} rows[] = {
	{ 0x04, "cycles",              "CYCCNT",   "CYCLE",       "DDI 0403E C1.8.8",  32 },
	{ 0x08, "base_overhead",        "CPICNT",   "CPI_CYCLE",   "DDI 0403E C1.8.9",  8 },
	{ 0x0C, "exception_overhead",  "EXCCNT",   "EXC_CYCLE",   "DDI 0403E C1.8.10", 8 },
	{ 0x10, "sleep_cycles",        "SLEEPCNT", "SLEEP_CYCLE", "DDI 0403E C1.8.11", 8 },
	{ 0x14, "lsu_overhead",        "LSUCNT",   "LSU_CYCLE",   "DDI 0403E C1.8.12", 8 },
	{ 0x18, "folded_instructions", "FOLDCNT",  "FOLDED_INSN", "DDI 0403E C1.8.13", 8 },
};

/* Addresses: DDI 0403E Table C1-21, C1.6.1; DDI 0489F Table 11.1. */
static const struct {
	const char *name;
	uint32_t address;
} regs[] = {
	{ "DWT_CTRL",     0xE0001000 }, { "DWT_CYCCNT",  0xE0001004 }, { "DWT_CPICNT",
		0xE0001008 },
	{ "DWT_EXCCNT",   0xE000100C }, { "DWT_SLEEPCNT", 0xE0001010 }, { "DWT_LSUCNT",
		0xE0001014 },
	{ "DWT_FOLDCNT",  0xE0001018 }, { "DWT_LAR",     0xE0001FB0 }, { "DWT_LSR",
		0xE0001FB4 },
	{ "DEMCR",        0xE000EDFC },
};

static const struct {
	unsigned reg;
	const char *field;
	uint32_t mask;
} fields[] = {
	{ 0, "NUMCOMP",     0xf0000000 }, { 0, "NOTRCPKT",   0x08000000 },
	{ 0, "NOEXTTRIG",   0x04000000 }, { 0, "NOCYCCNT",   0x02000000 },
	{ 0, "NOPRFCNT",    0x01000000 }, { 0, "CYCEVTENA",  0x00400000 },
	{ 0, "FOLDEVTENA",  0x00200000 }, { 0, "LSUEVTENA",  0x00100000 },
	{ 0, "SLEEPEVTENA", 0x00080000 }, { 0, "EXCEVTENA",  0x00040000 },
	{ 0, "CPIEVTENA",   0x00020000 }, { 0, "EXCTRCENA",  0x00010000 },
	{ 0, "PCSAMPLENA",  0x00001000 }, { 0, "SYNCTAP",    0x00000c00 },
	{ 0, "CYCTAP",      0x00000200 }, { 0, "POSTINIT",   0x000001e0 },
	{ 0, "POSTPRESET",  0x0000001e }, { 0, "CYCCNTENA",  0x00000001 },
	{ 8, "nTT", 4 }, { 8, "SLK", 2 }, { 8, "SLI", 1 },
	{ 9, "TRCENA", 0x01000000 }, { 9, "MON", 0x000f0000 }, { 9, "VC", 0x000007f0 },
	{ 9, "VC_CORERESET", 1 },
};
/* clang-format on */

static void test_catalogue(void **state)
{
	(void)state;
	assert_int_equal(pmk_dwt.nevents, COUNT(rows));
	assert_int_equal(pmk_dwt.ncounters, COUNT(rows));
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct pmk_event *ev = &pmk_dwt.events[i];
		const struct pmk_counter *c = &pmk_dwt.counters[i];

		assert_int_equal(ev->code, rows[i].code);
		assert_string_equal(ev->name, rows[i].name);
		assert_string_equal(pmk_signal_name(ev->signal), rows[i].signal);
		assert_int_equal(ev->signal2, PMK_SIG_NONE);
		assert_string_equal(ev->ref, rows[i].ref);
		assert_int_equal(ev->cycles, ev->code != 0x18);
		/*
		 * The events of narrow counters have the caveat that a total may be a lower bound.
		 */
		assert_int_equal(ev->caveat != NULL, rows[i].width == 8);
		assert_string_equal(c->name, rows[i].counter);
		assert_int_equal(c->width, rows[i].width);
		assert_int_equal(c->fixed_code, rows[i].code);
		assert_false(c->saturates || c->extreme_width);
	}
	assert_true(pmk_dwt.no_flags && pmk_dwt.sequential);
}

static void test_registers(void **state)
{
	(void)state;
	assert_int_equal(pmk_dwt.nregs, COUNT(regs));
	for (size_t i = 0; i < COUNT(regs); i++) {
		char where[16];

		assert_string_equal(pmk_dwt.regs[i].name, regs[i].name);
		assert_int_equal(pmk_dwt.regs[i].width, 32);
		snprintf(where, sizeof(where), "0x%08X", (unsigned)regs[i].address);
		assert_string_equal(pmk_dwt.regs[i].where, where);
		assert_int_equal(PMK_DWT_BASE + pmk_dwt_offsets[i], regs[i].address);
	}
}

static void test_fields(void **state)
{
	unsigned n = 0;

	(void)state;
	for (size_t i = 0; i < COUNT(fields); i++) {
		const struct pmk_reg_info *reg = &pmk_dwt.regs[fields[i].reg];
		const struct pmk_field *f = NULL;

		for (unsigned k = 0; k < reg->nfields; k++)
			if (strcmp(reg->fields[k].name, fields[i].field) == 0)
				f = &reg->fields[k];
		assert_non_null(f);
		assert_int_equal(f->mask, fields[i].mask);
	}
	n = pmk_dwt.regs[0].nfields + pmk_dwt.regs[8].nfields + pmk_dwt.regs[9].nfields;
	assert_int_equal(n, COUNT(fields));
}

static void test_aliases(void **state)
{
	(void)state;
	assert_int_equal(pmk_pmu_event(&pmk_dwt, "cpu-cycles")->code, 0x04);
	assert_int_equal(pmk_pmu_event(&pmk_dwt, "FOLDCNT")->code, 0x18);
	assert_ptr_equal(pmk_pmu_find("cortex_m7"), &pmk_dwt);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_catalogue),
		cmocka_unit_test(test_registers),
		cmocka_unit_test(test_fields),
		cmocka_unit_test(test_aliases),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
