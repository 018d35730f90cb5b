// SPDX-License-Identifier: MIT
/*
 * The MicroBlaze's catalogue, counters and registers equal a second copy of UG984 "Performance
 * Monitoring". Other configurations of the counters follow from the same tables.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <pmk/microblaze.h>
#include <pmk/signal.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* ---- events -------------------------------------------------------------------------------- */

enum { EVENT, CYCLES, LATENCY };

struct row {
	unsigned code, enumerator;
	const char *name, *signal, *signal2;
	int kind;
};

/* clang-format off */
static const struct row rows[] = {
	{ 0, PMK_MICROBLAZE_INSN_EXECUTED, "insn_executed", "INSN", NULL, EVENT },
	{ 1, PMK_MICROBLAZE_LOAD_WORD, "load_word", "LOAD_WORD", NULL, EVENT },
	{ 2, PMK_MICROBLAZE_LOAD_HALF, "load_half", "LOAD_HALF", NULL, EVENT },
	{ 3, PMK_MICROBLAZE_LOAD_BYTE, "load_byte", "LOAD_BYTE", NULL, EVENT },
	{ 4, PMK_MICROBLAZE_STORE_WORD, "store_word", "STORE_WORD", NULL, EVENT },
	{ 5, PMK_MICROBLAZE_STORE_HALF, "store_half", "STORE_HALF", NULL, EVENT },
	{ 6, PMK_MICROBLAZE_STORE_BYTE, "store_byte", "STORE_BYTE", NULL, EVENT },
	{ 7, PMK_MICROBLAZE_BRANCH_UNCOND, "branch_uncond", "BR_UNCOND", NULL, EVENT },
	{ 8, PMK_MICROBLAZE_BRANCH_COND_TAKEN, "branch_cond_taken", "BR_TAKEN", NULL, EVENT },
	{ 9, PMK_MICROBLAZE_BRANCH_COND_NOT_TAKEN, "branch_cond_not_taken", "BR_NOT_TAKEN", NULL,
	  EVENT },
	{ 10, PMK_MICROBLAZE_ICACHE_REQUEST, "icache_request", "L1I_ACCESS", NULL, EVENT },
	{ 11, PMK_MICROBLAZE_ICACHE_HIT, "icache_hit", "L1I_HIT", NULL, EVENT },
	{ 12, PMK_MICROBLAZE_DCACHE_READ_REQUEST, "dcache_read_request", "L1D_CACHED_READ", NULL,
	  EVENT },
	{ 13, PMK_MICROBLAZE_DCACHE_READ_HIT, "dcache_read_hit", "L1D_CACHED_READ_HIT", NULL,
		EVENT },
	{ 14, PMK_MICROBLAZE_DCACHE_WRITE_REQUEST, "dcache_write_request", "L1D_CACHED_WRITE", NULL,
	  EVENT },
	{ 15, PMK_MICROBLAZE_DCACHE_WRITE_HIT, "dcache_write_hit", "L1D_CACHED_WRITE_HIT", NULL,
	  EVENT },
	{ 16, PMK_MICROBLAZE_LOAD_R1, "load_r1", "LOAD_SP", NULL, EVENT },
	{ 17, PMK_MICROBLAZE_STORE_R1, "store_r1", "STORE_SP", NULL, EVENT },
	{ 18, PMK_MICROBLAZE_LOGICAL_OP, "logical_op", "LOGICAL", NULL, EVENT },
	{ 19, PMK_MICROBLAZE_ARITH_OP, "arith_op", "ARITH", NULL, EVENT },
	{ 20, PMK_MICROBLAZE_MUL_OP, "mul_op", "MUL", NULL, EVENT },
	{ 21, PMK_MICROBLAZE_BARREL_SHIFT_OP, "barrel_shift_op", "BARREL_SHIFT", NULL, EVENT },
	{ 22, PMK_MICROBLAZE_SHIFT_OP, "shift_op", "SHIFT", NULL, EVENT },
	{ 23, PMK_MICROBLAZE_EXCEPTION_TAKEN, "exception_taken", "EXC_HW", NULL, EVENT },
	{ 24, PMK_MICROBLAZE_INTERRUPT, "interrupt", "EXC_IRQ", NULL, EVENT },
	{ 25, PMK_MICROBLAZE_STALL_OF, "stall_of", "OF_STALL", NULL, CYCLES },
	{ 26, PMK_MICROBLAZE_STALL_EX, "stall_ex", "EX_STALL", NULL, CYCLES },
	{ 27, PMK_MICROBLAZE_STALL_MEM, "stall_mem", "MEM_STALL", NULL, CYCLES },
	{ 28, PMK_MICROBLAZE_DIV_OP, "div_op", "DIV", NULL, EVENT },
	{ 29, PMK_MICROBLAZE_FP_OP, "fp_op", "VFP", NULL, EVENT },
	{ 30, PMK_MICROBLAZE_CLOCK_CYCLES, "clock_cycles", "CYCLE", NULL, CYCLES },
	{ 31, PMK_MICROBLAZE_IMM_OP, "imm_op", "IMM_PREFIX", NULL, EVENT },
	{ 32, PMK_MICROBLAZE_PATTERN_COMPARE_OP, "pattern_compare_op", "PATTERN_COMPARE", NULL,
		EVENT },
	{ 33, PMK_MICROBLAZE_SIGN_EXTEND_OP, "sign_extend_op", "SIGN_EXTEND", NULL, EVENT },
	{ 34, PMK_MICROBLAZE_ICACHE_INVALIDATE_OP, "icache_invalidate_op", "ICACHE_OP", NULL,
		EVENT },
	{ 35, PMK_MICROBLAZE_DCACHE_INVALIDATE_FLUSH_OP, "dcache_invalidate_flush_op", "DCACHE_OP",
	  NULL, EVENT },
	{ 36, PMK_MICROBLAZE_MSR_OP, "msr_op", "STATUS_OP", NULL, EVENT },
	{ 37, PMK_MICROBLAZE_BRANCH_UNCOND_DELAY, "branch_uncond_delay", "BR_UNCOND_DELAY", NULL,
	  EVENT },
	{ 38, PMK_MICROBLAZE_BRANCH_COND_TAKEN_DELAY, "branch_cond_taken_delay", "BR_TAKEN_DELAY",
	  NULL, EVENT },
	{ 39, PMK_MICROBLAZE_BRANCH_COND_NOT_TAKEN_DELAY, "branch_cond_not_taken_delay",
	  "BR_NOT_TAKEN_DELAY", NULL, EVENT },
	{ 40, PMK_MICROBLAZE_DELAY_SLOT_NOP, "delay_slot_nop", "DELAY_NOP", NULL, EVENT },
	{ 41, PMK_MICROBLAZE_LOAD_ANY, "load_any", "LOAD", NULL, EVENT },
	{ 42, PMK_MICROBLAZE_STORE_ANY, "store_any", "STORE", NULL, EVENT },
	{ 43, PMK_MICROBLAZE_MMU_DATA_REQUEST, "mmu_data_request", "L1D_TLB_READ", "L1D_TLB_WRITE",
	  EVENT },
	{ 44, PMK_MICROBLAZE_BRANCH_COND, "branch_cond", "BR_TAKEN", "BR_NOT_TAKEN", EVENT },
	{ 45, PMK_MICROBLAZE_BRANCH_ANY, "branch_any", "BRANCH", NULL, EVENT },
	{ 46, PMK_MICROBLAZE_DCACHE_REQUEST, "dcache_request", "L1D_CACHED_READ",
		"L1D_CACHED_WRITE",
	  EVENT },
	{ 47, PMK_MICROBLAZE_DCACHE_HIT, "dcache_hit", "L1D_CACHED_READ_HIT",
		"L1D_CACHED_WRITE_HIT",
	  EVENT },
	{ 48, PMK_MICROBLAZE_MMU_EXCEPTION, "mmu_exception", "MMU_EXC_INSN", "MMU_EXC_DATA",
		EVENT },
	{ 49, PMK_MICROBLAZE_MMU_INSN_EXCEPTION, "mmu_insn_exception", "MMU_EXC_INSN", NULL,
		EVENT },
	{ 50, PMK_MICROBLAZE_MMU_DATA_EXCEPTION, "mmu_data_exception", "MMU_EXC_DATA", NULL,
		EVENT },
	{ 51, PMK_MICROBLAZE_STALL_ANY, "stall_any", "STALL", NULL, CYCLES },
	{ 52, PMK_MICROBLAZE_BTC_HIT, "btc_hit", "BTC_HIT", NULL, EVENT },
	{ 53, PMK_MICROBLAZE_MMU_INSN_REQUEST, "mmu_insn_request", "L1I_TLB", NULL, EVENT },
	{ 54, PMK_MICROBLAZE_ITLB_HIT, "itlb_hit", "ITLB_HIT", NULL, EVENT },
	{ 55, PMK_MICROBLAZE_DTLB_HIT, "dtlb_hit", "DTLB_HIT", NULL, EVENT },
	{ 56, PMK_MICROBLAZE_UTLB_HIT, "utlb_hit", "UTLB_HIT", NULL, EVENT },
	{ 57, PMK_MICROBLAZE_INTERRUPT_LATENCY, "interrupt_latency", "IRQ_ENTRY", NULL, LATENCY },
	{ 58, PMK_MICROBLAZE_DCACHE_READ_LATENCY, "dcache_read_latency", "L1D_CACHED_READ", NULL,
	  LATENCY },
	{ 59, PMK_MICROBLAZE_DCACHE_WRITE_LATENCY, "dcache_write_latency", "L1D_CACHED_WRITE", NULL,
	  LATENCY },
	{ 60, PMK_MICROBLAZE_ICACHE_READ_LATENCY, "icache_read_latency", "L1I_ACCESS", NULL,
		LATENCY },
	{ 61, PMK_MICROBLAZE_MMU_LOOKUP_LATENCY, "mmu_lookup_latency", "MMU_LOOKUP", NULL,
		LATENCY },
	{ 62, PMK_MICROBLAZE_AXI_DP_READ_LATENCY, "axi_dp_read_latency", "PERIPHERAL_READ", NULL,
	  LATENCY },
	{ 63, PMK_MICROBLAZE_AXI_DP_WRITE_LATENCY, "axi_dp_write_latency", "PERIPHERAL_WRITE", NULL,
	  LATENCY },
};
/* clang-format on */

static void check_signal(unsigned signal, const char *expected)
{
	if (expected)
		assert_string_equal(pmk_signal_name(signal), expected);
	else
		assert_int_equal(signal, PMK_SIG_NONE);
}

/* The catalogue has the events of the table, code by code, and no other. */
static void test_rows(void **state)
{
	(void)state;
	assert_int_equal(COUNT(rows), 64);
	assert_int_equal(pmk_microblaze.nevents, 64);
	for (unsigned code = 0; code < 0x200; code++) {
		const struct pmk_event *ev = pmk_pmu_event_code(&pmk_microblaze, code);
		const struct row *row = code < COUNT(rows) ? &rows[code] : NULL;

		if (!row) {
			assert_null(ev);
			continue;
		}
		assert_non_null(ev);
		assert_int_equal(row->code, code);
		assert_int_equal(row->enumerator, code);
		assert_string_equal(ev->name, row->name);
		check_signal(ev->signal, row->signal);
		check_signal(ev->signal2, row->signal2);
		assert_int_equal(ev->cycles, row->kind == CYCLES);
		assert_int_equal(ev->latency, row->kind == LATENCY);
		assert_ptr_equal(pmk_pmu_event(&pmk_microblaze, row->name), ev);
	}
}

/* Events can be named as in the manual's formulas, which call event 30 E30. */
static void test_names_of_the_manual(void **state)
{
	(void)state;
	for (unsigned code = 0; code < 64; code++) {
		char name[8];

		snprintf(name, sizeof(name), "E%u", code);
		assert_ptr_equal(pmk_pmu_event(&pmk_microblaze, name),
				 pmk_pmu_event_code(&pmk_microblaze, code));
	}
	assert_null(pmk_pmu_event(&pmk_microblaze, "E64"));
}

/* Events have the names of other tools. The general metrics use the first two. */
static void test_names_of_others(void **state)
{
	static const struct {
		const char *name;
		unsigned code;
	} names[] = {
		{ "instructions", 0 },	       { "cycles", 30 },
		{ "cpu-cycles", 30 },	       { "branches", 45 },
		{ "branch-instructions", 45 }, { "cache-references", 46 },
		{ "L1-icache-loads", 10 },     { "L1-dcache-loads", 12 },
		{ "L1-dcache-stores", 14 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(names); i++)
		assert_int_equal(pmk_pmu_event(&pmk_microblaze, names[i].name)->code,
				 names[i].code);
	assert_null(pmk_pmu_event(&pmk_microblaze, "branch-misses"));
}

/* An event that is described as the sum of two events has the signals of these two events. */
static void test_sums(void **state)
{
	static const unsigned char sums[][3] = {
		{ 44, 8, 9 }, { 46, 12, 14 }, { 47, 13, 15 }, { 48, 49, 50 }
	};

	(void)state;
	for (size_t i = 0; i < COUNT(sums); i++) {
		const struct pmk_event *sum = pmk_pmu_event_code(&pmk_microblaze, sums[i][0]);

		assert_int_equal(sum->signal,
				 pmk_pmu_event_code(&pmk_microblaze, sums[i][1])->signal);
		assert_int_equal(sum->signal2,
				 pmk_pmu_event_code(&pmk_microblaze, sums[i][2])->signal);
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
	static const unsigned char explained[] = { 0,  7,  16, 17, 18, 19, 23, 24,
						   25, 26, 27, 37, 40, 45, 51 };

	(void)state;
	for (unsigned i = 0; i < 64; i++) {
		const struct pmk_event *ev = &pmk_microblaze.events[i];

		check_words(ev->brief);
		check_words(ev->ref);
		assert_non_null(strstr(ev->ref, "UG984"));
		assert_true(pmk_pmu_has(&pmk_microblaze, ev));
		if (ev->caveat)
			check_words(ev->caveat);
	}
	for (size_t i = 0; i < COUNT(explained); i++)
		assert_non_null(strstr(pmk_microblaze.events[explained[i]].caveat, "our choice"));
	assert_non_null(strstr(pmk_microblaze.events[0].caveat, "instructions that fault count"));
	assert_non_null(strstr(pmk_microblaze.events[18].caveat, "nop"));
	assert_non_null(strstr(pmk_microblaze.events[7].caveat, "returns"));
	check_words(pmk_microblaze.brief);
	assert_non_null(strstr(pmk_microblaze.note, "read back"));
}

static void test_find(void **state)
{
	(void)state;
	assert_ptr_equal(pmk_pmu_find("microblaze"), &pmk_microblaze);
	assert_ptr_equal(pmk_pmu_find("MB"), &pmk_microblaze);
}

/* ---- counters ------------------------------------------------------------------------------ */

/* The default is C_DEBUG_EVENT_COUNTERS 5, C_DEBUG_LATENCY_COUNTERS 1, C_DEBUG_COUNTER_WIDTH 32. */
static void test_default(void **state)
{
	static const char *const names[] = { "EC0", "EC1", "EC2", "EC3", "EC4", "LC0" };
	const struct pmk_microblaze_config *config = pmk_microblaze.family;

	(void)state;
	assert_int_equal(config->events, 5);
	assert_int_equal(config->latencies, 1);
	assert_int_equal(config->width, 32);
	assert_int_equal(pmk_microblaze.ncounters, 6);
	for (unsigned i = 0; i < 6; i++) {
		const struct pmk_counter *ctr = &pmk_microblaze.counters[i];

		assert_string_equal(ctr->name, names[i]);
		assert_int_equal(ctr->width, 32);
		assert_int_equal(ctr->fixed_code, -1);
		assert_int_equal(ctr->extreme_width, i == 5 ? 16 : 0);
	}
	assert_true(pmk_microblaze.no_flags);
	assert_true(pmk_microblaze.sequential);
}

static int counter_for(const struct pmk_pmu *pmu, uint32_t used, unsigned code)
{
	return pmk_pmu_free_counter(pmu, &(struct pmk_counter_set){ { used } }, code);
}

/*
 * Latency counters count only events with a latency, and these events use a latency counter if
 * there is one.
 */
static void test_choice_of_counter(void **state)
{
	struct pmk_microblaze_pmu p;

	(void)state;
	for (unsigned code = 0; code < 57; code++) {
		assert_int_equal(counter_for(&pmk_microblaze, 0, code), 0);
		assert_int_equal(counter_for(&pmk_microblaze, 0x0f, code), 4);
		assert_int_equal(counter_for(&pmk_microblaze, 0x1f, code), PMK_ENOCTR);
	}
	for (unsigned code = 57; code < 64; code++) {
		assert_int_equal(counter_for(&pmk_microblaze, 0, code), 5);
		assert_int_equal(counter_for(&pmk_microblaze, 0x20, code), PMK_ENOCTR);
	}
	assert_int_equal(pmk_microblaze_configure(&p, 2, 0, 32), 0);
	assert_int_equal(counter_for(&p.pmu, 0, 60), 0);
	assert_int_equal(pmk_microblaze_configure(&p, 0, 2, 32), 0);
	assert_int_equal(counter_for(&p.pmu, 1, 60), 1);
	assert_int_equal(counter_for(&p.pmu, 0, 30), PMK_ENOCTR);
}

static void check_configured(unsigned events, unsigned latencies, unsigned width)
{
	struct pmk_microblaze_pmu p;

	memset(&p, 0xa5, sizeof(p));
	assert_int_equal(pmk_microblaze_configure(&p, events, latencies, width), 0);
	assert_string_equal(p.pmu.name, "microblaze");
	assert_ptr_equal(p.pmu.driver, pmk_microblaze.driver);
	assert_ptr_equal(p.pmu.events, pmk_microblaze.events);
	assert_true(p.pmu.no_flags && p.pmu.sequential);
	assert_int_equal(p.pmu.ncounters, events + latencies);
	assert_int_equal(((const struct pmk_microblaze_config *)p.pmu.family)->events, events);
	assert_int_equal(((const struct pmk_microblaze_config *)p.pmu.family)->latencies,
			 latencies);
	assert_int_equal(((const struct pmk_microblaze_config *)p.pmu.family)->width, width);
	for (unsigned i = 0; i < events + latencies; i++) {
		const struct pmk_counter *ctr = &p.pmu.counters[i];
		char name[16];

		if (i < events)
			snprintf(name, sizeof(name), "EC%u", i);
		else
			snprintf(name, sizeof(name), "LC%u", i - events);
		assert_string_equal(ctr->name, name);
		assert_int_equal(ctr->width, width);
		assert_int_equal(ctr->fixed_code, -1);
		assert_int_equal(ctr->extreme_width, i < events ? 0 : width == 32 ? 16 : 32);
	}
}

static void test_configure(void **state)
{
	static const unsigned char widths[] = { 32, 48, 64 };

	(void)state;
	for (size_t w = 0; w < COUNT(widths); w++)
		for (unsigned events = 0; events <= 48; events++)
			for (unsigned latencies = !events; latencies <= 7; latencies++)
				check_configured(events, latencies, widths[w]);
}

static void test_configure_out_of_range(void **state)
{
	static const unsigned wrong[][3] = {
		{ 49, 0, 32 },		{ 0, 8, 32 },	{ 0, 0, 32 }, { 0, 0, 64 },
		{ UINT32_MAX, 0, 32 },	{ 5, 256, 32 }, { 5, 1, 0 },  { 5, 1, 31 },
		{ 5, 1, 33 },		{ 5, 1, 16 },	{ 5, 1, 63 }, { 5, 1, 65 },
		{ 5, 1, 32 + 0x10000 }, { 256, 1, 32 },
	};
	struct pmk_microblaze_pmu p;

	(void)state;
	for (size_t i = 0; i < COUNT(wrong); i++)
		assert_int_equal(
			pmk_microblaze_configure(&p, wrong[i][0], wrong[i][1], wrong[i][2]),
			PMK_ERANGE);
}

/* ---- registers ----------------------------------------------------------------------------- */

struct reg_row {
	const char *name;
	unsigned width, command;
	bool write;
	const char *where;
};

/* From UG984, debug registers: the MDM's command, the size, and the values of DBG_CTRL. */
static const struct reg_row reg_rows[] = {
	{ "PCCTRLR", 8, 0x51, true, "0x4A207" }, { "PCCMDR", 5, 0x52, true, "0x4A404" },
	{ "PCSR", 2, 0x53, false, "0x4A601" },	 { "PCDRR", 32, 0x56, false, "0x4AC1F" },
	{ "PCDWR", 32, 0x57, true, "0x4AE1F" },
};

/*
 * Checks that each bit belongs to exactly one field, and that the fields are in order from the
 * highest bit down.
 */
static void check_fields(const struct pmk_reg_info *reg, const char *access)
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
		assert_string_equal(pmk_access_name(f->access), access);
	}
	assert_int_equal(seen, UINT64_MAX >> (64 - reg->width));
}

static void test_registers(void **state)
{
	(void)state;
	assert_int_equal(PMK_MICROBLAZE_NREGS, 5);
	assert_int_equal(pmk_microblaze.nregs, 5);
	for (unsigned i = 0; i < COUNT(reg_rows); i++) {
		const struct pmk_reg_info *reg = &pmk_microblaze.regs[i];
		const struct reg_row *row = &reg_rows[i];
		char command[8];

		assert_ptr_equal(pmk_pmu_reg(&pmk_microblaze, row->name), reg);
		assert_int_equal(reg->width, row->width);
		assert_int_equal(pmk_microblaze_access[i].bits, row->width);
		assert_int_equal(pmk_microblaze_access[i].command, row->command);
		assert_int_equal(pmk_microblaze_access[i].write, row->write);
		snprintf(command, sizeof(command), "0x%02X", row->command);
		assert_non_null(strstr(reg->where, command));
		assert_non_null(strstr(reg->where, row->where));
		check_words(reg->brief);
		check_words(reg->ref);
		check_fields(reg, row->write ? "WO" : "RO");
	}
}

static void check_field(const char *reg, const char *name, uint64_t mask)
{
	const struct pmk_reg_info *r = pmk_pmu_reg(&pmk_microblaze, reg);

	for (unsigned i = 0; i < r->nfields; i++)
		if (!strcmp(r->fields[i].name, name)) {
			assert_int_equal(r->fields[i].mask, mask);
			return;
		}
	fail_msg("%s has no field %s", reg, name);
}

static void test_fields(void **state)
{
	(void)state;
	check_field("PCCTRLR", "Event", 0xff);
	check_field("PCCMDR", "Clear", 0x10);
	check_field("PCCMDR", "Start", 0x08);
	check_field("PCCMDR", "Stop", 0x04);
	check_field("PCCMDR", "Sample", 0x02);
	check_field("PCCMDR", "Reset", 0x01);
	check_field("PCSR", "Overflow", 0x2);
	check_field("PCSR", "Full", 0x1);
	check_field("PCDRR", "Item", 0xffffffff);
	check_field("PCDWR", "Item", 0xffffffff);
	assert_true(pmk_pmu_reg(&pmk_microblaze, "PCCTRLR")->fields[0].event);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_names_of_the_manual),
		cmocka_unit_test(test_names_of_others),
		cmocka_unit_test(test_sums),
		cmocka_unit_test(test_rows_are_complete),
		cmocka_unit_test(test_find),
		cmocka_unit_test(test_default),
		cmocka_unit_test(test_choice_of_counter),
		cmocka_unit_test(test_configure),
		cmocka_unit_test(test_configure_out_of_range),
		cmocka_unit_test(test_registers),
		cmocka_unit_test(test_fields),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
