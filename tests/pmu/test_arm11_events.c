// SPDX-License-Identifier: MIT
/*
 * The ARM11 catalogue, register tables, look-ups and EVNTBUS equal a second copy of DAI 0195B
 * Tables 1 and 2, DDI 0211 Tables 3.138 and 3.141 and DDI 0301H Tables 3-136 and 3-137. Look-ups
 * that every PMU shares (pmus.c) are also tested here, on this family.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <pmk/arm11.h>
#include <pmk/arm11_model.h>
#include <pmk/evntbus.h>
#include <pmk/signal.h>

#include "pmu/arm11/regs.h"
#include "pmu/reg.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* ---- events -------------------------------------------------------------------------------- */

struct row {
	unsigned code;
	const char *name;
	const char *cores;  /* "3" ARM1136 (both), "5" ARM1156, "7" ARM1176, "m" MPCore */
	const char *signal; /* "": none */
	int cycles;
};

/* clang-format off */
static const struct row rows[] = {
	{ 0x00, "icache_miss",                  "357", "L1I_MISS",        0 },
	{ 0x01, "ibuf_stall",                   "357", "FETCH_STALL",     1 },
	{ 0x02, "ddep_stall",                   "357", "DATA_STALL",      1 },
	{ 0x03, "itlb_miss",                    "37",  "MICRO_ITLB_MISS", 0 },
	{ 0x04, "dtlb_miss",                    "37",  "MICRO_DTLB_MISS", 0 },
	{ 0x05, "br_exec",                      "357", "BRANCH",          0 },
	{ 0x06, "br_mispredict",                "357", "BRANCH_MISS",     0 },
	{ 0x07, "instr_exec",                   "357", "INSN",            0 },
	{ 0x09, "dcache_access_cacheable",      "357", "L1D_ACCESS_WB",   0 },
	{ 0x0a, "dcache_access",                "357", "L1D_ACCESS",      0 },
	{ 0x0b, "dcache_miss",                  "357", "L1D_MISS",        0 },
	{ 0x0c, "dcache_wback",                 "357", "L1D_WB_HALF",     0 },
	{ 0x0d, "sw_pc_change",                 "357", "PC_CHANGE",       0 },
	{ 0x0f, "main_tlb_miss",                "37",  "TLB_MISS",        0 },
	{ 0x10, "expl_d_access",                "357", "DATA_EXTERNAL",   0 },
	{ 0x11, "lsu_full_stall",               "357", "LSU_FULL_STALL",  1 },
	{ 0x12, "wbuf_drained",                 "357", "WBUF_DRAIN",      0 },
	{ 0x13, "fiq_disabled_cycles",          "5",   "FIQ_MASKED",      1 },
	{ 0x14, "irq_disabled_cycles",          "5",   "IRQ_MASKED",      1 },
	{ 0x20, "etmextout_0",                  "357", "ETMEXTOUT0",      1 },
	{ 0x21, "etmextout_1",                  "357", "ETMEXTOUT1",      1 },
	{ 0x22, "etmextout",                    "357", "ETMEXTOUT0",      1 },
	{ 0x23, "proc_call_exec",               "7",   "CALL_PUSH",       0 },
	{ 0x24, "proc_ret_exec",                "7",   "RET_POP",         0 },
	{ 0x25, "proc_ret_exec_pred",           "7",   "RET_PREDICTED",   0 },
	{ 0x26, "proc_ret_exec_pred_incorrect", "7",   "RET_MISS",        0 },
	{ 0x30, "icache_tag_parity_error",      "5",   "",                0 },
	{ 0x31, "icache_data_parity_error",     "5",   "",                0 },
	{ 0x32, "dcache_tag_parity_error",      "5",   "",                0 },
	{ 0x33, "dcache_data_parity_error",     "5",   "",                0 },
	{ 0x34, "itcm_error",                   "5",   "",                0 },
	{ 0x35, "dtcm_error",                   "5",   "",                0 },
	{ 0x36, "ret_stack_pop",                "5",   "RET_POP",         0 },
	{ 0x37, "ret_stack_mispredict",         "5",   "RET_MISS",        0 },
	{ 0x38, "dcache_dirty_parity_error",    "5",   "",                0 },
	{ 0xff, "cpu_cycles",                   "357", "CYCLE",           1 },
	{ 0x00, "icache_miss",                  "m",   "L1I_MISS",        0 },
	{ 0x01, "ibuf_stall",                   "m",   "FETCH_STALL",     1 },
	{ 0x02, "ddep_stall",                   "m",   "DATA_STALL",      1 },
	{ 0x03, "itlb_miss",                    "m",   "MICRO_ITLB_MISS", 0 },
	{ 0x04, "dtlb_miss",                    "m",   "MICRO_DTLB_MISS", 0 },
	{ 0x05, "br_exec",                      "m",   "BRANCH",          0 },
	{ 0x06, "br_notpredict",                "m",   "",                0 },
	{ 0x07, "br_mispredict",                "m",   "BRANCH_MISS",     0 },
	{ 0x08, "instr_exec",                   "m",   "INSN",            0 },
	{ 0x09, "instr_fold_exec",              "m",   "",                0 },
	{ 0x0a, "dcache_rdaccess",              "m",   "L1D_READ",        0 },
	{ 0x0b, "dcache_rdmiss",                "m",   "L1D_READ_MISS",   0 },
	{ 0x0c, "dcache_wraccess",              "m",   "L1D_WRITE",       0 },
	{ 0x0d, "dcache_wrmiss",                "m",   "L1D_WRITE_MISS",  0 },
	{ 0x0e, "dcache_eviction",              "m",   "L1D_EVICT",       0 },
	{ 0x0f, "sw_pc_change",                 "m",   "PC_CHANGE",       0 },
	{ 0x10, "main_tlb_miss",                "m",   "TLB_MISS",        0 },
	{ 0x11, "expl_mem_access",              "m",   "",                0 },
	{ 0x12, "lsu_full_stall",               "m",   "LSU_FULL_STALL",  1 },
	{ 0x13, "wbuf_drained",                 "m",   "WBUF_DRAIN",      0 },
	{ 0x14, "wbuf_merge",                   "m",   "",                0 },
	{ 0x15, "lsu_safe_mode",                "m",   "",                0 },
	{ 0xff, "cpu_cycles",                   "m",   "CYCLE",           1 },
};

static const struct {
	char letter;
	const struct pmk_pmu *pmu;
} cores[] = {
	{ '3', &pmk_arm1136_r0 }, { '3', &pmk_arm1136 }, { '5', &pmk_arm1156 },
	{ '7', &pmk_arm1176 },    { 'm', &pmk_arm11mpcore },
};
/* clang-format on */

/* Code by code, each core has the events of the tables and no other. */
static void test_rows(void **state)
{
	(void)state;
	for (size_t c = 0; c < COUNT(cores); c++) {
		for (unsigned code = 0; code < 0x200; code++) {
			const struct pmk_event *ev = pmk_pmu_event_code(cores[c].pmu, code);
			const struct row *row = NULL;
			const char *signal;

			for (size_t i = 0; i < COUNT(rows); i++)
				if (rows[i].code == code && strchr(rows[i].cores, cores[c].letter))
					row = &rows[i];
			if (!row) {
				assert_null(ev);
				continue;
			}
			assert_non_null(ev);
			assert_int_equal(ev->code, code);
			assert_string_equal(ev->name, row->name);
			assert_int_equal(ev->cycles, row->cycles);
			signal = ev->signal ? pmk_signal_name(ev->signal) : "";
			assert_string_equal(signal, row->signal);
			if (code == 0x22)
				assert_int_equal(ev->signal2, PMK_SIG_ETMEXTOUT1);
			else
				assert_int_equal(ev->signal2, PMK_SIG_NONE);
			assert_ptr_equal(pmk_pmu_event(cores[c].pmu, row->name), ev);
		}
	}
}

static void check_words(const char *s)
{
	assert_non_null(s);
	assert_true(*s);
	assert_true(strlen(s) < 140);
	assert_null(strchr(s, '\n'));
}

/*
 * Rows are in code order. Their names are in lower_snake, every text is present, and a row without
 * a signal has a reason.
 */
static void test_rows_are_complete(void **state)
{
	(void)state;
	for (size_t c = 0; c < COUNT(cores); c++) {
		const struct pmk_pmu *pmu = cores[c].pmu;

		for (unsigned i = 0; i < pmu->nevents; i++) {
			const struct pmk_event *ev = &pmu->events[i];

			if (i)
				assert_true(ev[-1].code < ev->code);
			assert_true(strspn(ev->name, "abcdefghijklmnopqrstuvwxyz0123456789_") ==
				    strlen(ev->name));
			assert_true(ev->cores != 0);
			check_words(ev->ref);
			check_words(ev->brief);
			if (ev->caveat)
				check_words(ev->caveat);
			if (ev->signal == PMK_SIG_NONE)
				check_words(ev->unmodelled);
		}
	}
}

/* The caveat of an event says where the documents leave a choice, or silicon counts more. */
static void test_choices_are_marked(void **state)
{
	static const struct {
		unsigned code;
		const char *says;
	} choices[] = {
		{ 0x09, "silicon also counts speculative accesses" },
		{ 0x0a, "silicon also counts speculative accesses" },
		{ 0x0b, "our choices; dcache.store_miss_each" },
		{ 0x12, "our choice for other cores; wbuf.dmb_drains" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(choices); i++)
		assert_non_null(strstr(pmk_pmu_event_code(&pmk_arm1176, choices[i].code)->caveat,
				       choices[i].says));
}

/* Events that no user-mode emulation can count have a reason. */
static void test_unmodelled(void **state)
{
	static const unsigned codes[] = { 0x13, 0x14, 0x20, 0x21, 0x22, 0x30,
					  0x31, 0x32, 0x33, 0x34, 0x35, 0x38 };

	(void)state;
	for (unsigned code = 0; code <= 0xff; code++) {
		const struct pmk_event *ev = pmk_pmu_event_code(&pmk_arm1156, code);
		bool expected = false;

		for (size_t i = 0; i < COUNT(codes); i++)
			expected |= codes[i] == code;
		if (ev)
			assert_int_equal(ev->unmodelled != NULL, expected);
	}
	assert_string_equal(pmk_pmu_event(&pmk_arm11mpcore, "wbuf_merge")->unmodelled,
			    "not modelled");
}

static const struct {
	int line;
	const struct pmk_pmu *pmu;
	const char *alias;
	int code; /* -1: no event */
} aliases[] = {
	{ __LINE__, &pmk_arm1176, "cycles", 0xff },
	{ __LINE__, &pmk_arm1176, "cpu-cycles", 0xff },
	{ __LINE__, &pmk_arm1176, "CPU_CYCLES", 0xff },
	{ __LINE__, &pmk_arm1176, "instructions", 0x07 },
	{ __LINE__, &pmk_arm1176, "branches", 0x05 },
	{ __LINE__, &pmk_arm1176, "branch-instructions", 0x05 },
	{ __LINE__, &pmk_arm1176, "branch-misses", 0x06 },
	{ __LINE__, &pmk_arm1176, "stalled-cycles-frontend", 0x01 },
	{ __LINE__, &pmk_arm1176, "stalled-cycles-backend", 0x11 },
	{ __LINE__, &pmk_arm1176, "cache-references", 0x09 },
	{ __LINE__, &pmk_arm1176, "cache-misses", 0x0b },
	{ __LINE__, &pmk_arm1176, "L1-dcache-loads", 0x0a },
	{ __LINE__, &pmk_arm1176, "L1-dcache-stores", 0x0a },
	{ __LINE__, &pmk_arm1176, "L1-dcache-load-misses", 0x0b },
	{ __LINE__, &pmk_arm1176, "L1-dcache-store-misses", 0x0b },
	{ __LINE__, &pmk_arm1176, "L1-icache-load-misses", 0x00 },
	{ __LINE__, &pmk_arm1176, "dTLB-load-misses", 0x04 },
	{ __LINE__, &pmk_arm1176, "dtlb-LOAD-misses", 0x04 },
	{ __LINE__, &pmk_arm1176, "dTLB-store-misses", 0x04 },
	{ __LINE__, &pmk_arm1176, "iTLB-load-misses", 0x03 },
	{ __LINE__, &pmk_arm1176, "DCACHE_HIT", 0x09 },
	{ __LINE__, &pmk_arm1176, "nop", 0x20 },
	{ __LINE__, &pmk_arm1176, "dcache", -1 },
	{ __LINE__, &pmk_arm1176, "dcache_", -1 },
	{ __LINE__, &pmk_arm1176, "dcache_missx", -1 },
	{ __LINE__, &pmk_arm1176, "cache", -1 },
	{ __LINE__, &pmk_arm1176, "dcache_hit cache-references", -1 },
	{ __LINE__, &pmk_arm1176, " ", -1 },
	{ __LINE__, &pmk_arm1176, "", -1 },
	{ __LINE__, &pmk_arm1156, "dTLB-load-misses", -1 },
	{ __LINE__, &pmk_arm1156, "proc_call_exec", -1 },
	{ __LINE__, &pmk_arm1136, "ret_stack_pop", -1 },
	{ __LINE__, &pmk_arm11mpcore, "instructions", 0x08 },
	{ __LINE__, &pmk_arm11mpcore, "branches", 0x05 },
	{ __LINE__, &pmk_arm11mpcore, "branch-misses", 0x07 },
	{ __LINE__, &pmk_arm11mpcore, "stalled-cycles-backend", 0x12 },
	{ __LINE__, &pmk_arm11mpcore, "L1-dcache-loads", 0x0a },
	{ __LINE__, &pmk_arm11mpcore, "L1-dcache-load-misses", 0x0b },
	{ __LINE__, &pmk_arm11mpcore, "L1-dcache-stores", 0x0c },
	{ __LINE__, &pmk_arm11mpcore, "L1-dcache-store-misses", 0x0d },
	{ __LINE__, &pmk_arm11mpcore, "cycles", 0xff },
	{ __LINE__, &pmk_arm11mpcore, "etmextout_0", -1 },
};

static void test_aliases(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(aliases); i++) {
		const struct pmk_event *ev = pmk_pmu_event(aliases[i].pmu, aliases[i].alias);

		if ((ev ? ev->code : -1) != aliases[i].code)
			fail_msg("row of line %d: %d", aliases[i].line, ev ? ev->code : -1);
	}
}

/* Every alias of an event finds this event, so no alias belongs to two events of one core. */
static void test_words_are_unique(void **state)
{
	(void)state;
	for (size_t c = 0; c < COUNT(cores); c++) {
		const struct pmk_pmu *pmu = cores[c].pmu;

		for (unsigned i = 0; i < pmu->nevents; i++) {
			const struct pmk_event *ev = &pmu->events[i];
			char words[128], *word, *save = NULL;

			if (!pmk_pmu_has(pmu, ev) || !ev->aliases)
				continue;
			assert_true(strlen(ev->aliases) < sizeof(words));
			strcpy(words, ev->aliases);
			for (word = strtok_r(words, " ", &save); word;
			     word = strtok_r(NULL, " ", &save))
				assert_ptr_equal(pmk_pmu_event(pmu, word), ev);
		}
	}
}

static void test_family(void **state)
{
	(void)state;
	assert_int_equal(pmk_pmu_event_family(&pmk_arm1176, "ret_stack_pop")->code, 0x36);
	assert_int_equal(pmk_pmu_event_family(&pmk_arm1156, "itlb_miss")->code, 0x03);
	assert_int_equal(pmk_pmu_event_family(&pmk_arm1156, "Instr_Exec")->code, 0x07);
	assert_null(pmk_pmu_event_family(&pmk_arm1176, "no_such_event"));
}

/* The enums of the public header equal the catalogue's codes. */
static void test_enums(void **state)
{
	(void)state;
	assert_int_equal(PMK_ARM11_ICACHE_MISS, 0x00);
	assert_int_equal(PMK_ARM11_INSTR_EXEC, 0x07);
	assert_int_equal(PMK_ARM11_DCACHE_ACCESS_CACHEABLE, 0x09);
	assert_int_equal(PMK_ARM11_MAIN_TLB_MISS, 0x0f);
	assert_int_equal(PMK_ARM11_WBUF_DRAINED, 0x12);
	assert_int_equal(PMK_ARM11_ETMEXTOUT_0, 0x20);
	assert_int_equal(PMK_ARM11_PROC_RET_EXEC_PRED_INCORRECT, 0x26);
	assert_int_equal(PMK_ARM11_DCACHE_DIRTY_PARITY_ERROR, 0x38);
	assert_int_equal(PMK_ARM11_CPU_CYCLES, 0xff);
	assert_int_equal(PMK_ARM11MPCORE_INSTR_EXEC, 0x08);
	assert_int_equal(PMK_ARM11MPCORE_LSU_SAFE_MODE, 0x15);
	assert_int_equal(PMK_ARM11MPCORE_CPU_CYCLES, 0xff);
}

/* ---- PMUs and registers -------------------------------------------------------------------- */

static const struct {
	const char *name;
	const struct pmk_pmu *pmu;
} names[] = {
	{ "arm1136r0", &pmk_arm1136_r0 },
	{ "arm1136-r2", &pmk_arm1136_r0 },
	{ "arm1136", &pmk_arm1136 },
	{ "arm_1136", &pmk_arm1136 },
	{ "ARMv6_1136", &pmk_arm1136 },
	{ "ARM1136JF-S", &pmk_arm1136 },
	{ "arm1156", &pmk_arm1156 },
	{ "arm1176", &pmk_arm1176 },
	{ "arm_1176", &pmk_arm1176 },
	{ "armv6_1176", &pmk_arm1176 },
	{ "arm1176jzf-s", &pmk_arm1176 },
	{ "arm11mpcore", &pmk_arm11mpcore },
	{ "armv6_11mpcore", &pmk_arm11mpcore },
	{ "arm11", NULL },
	{ "", NULL },
};

static void test_find(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(names); i++)
		assert_ptr_equal(pmk_pmu_find(names[i].name), names[i].pmu);
}

static void test_counters(void **state)
{
	static const char *const expected[] = { "CCNT", "PMN0", "PMN1" };

	(void)state;
	for (size_t c = 0; c < COUNT(cores); c++) {
		const struct pmk_counter *ctr = cores[c].pmu->counters;

		assert_int_equal(cores[c].pmu->ncounters, 3);
		for (unsigned i = 0; i < 3; i++) {
			assert_string_equal(ctr[i].name, expected[i]);
			assert_int_equal(ctr[i].width, 32);
			assert_int_equal(ctr[i].fixed_code, i ? -1 : 0xff);
		}
	}
}

struct bits {
	const char *name;
	uint32_t mask;
	const char *access;
};

/* clang-format off */
static const struct bits pmnc_1136[] = {
	{ "SBZ",       0xf0000000, "SBZ" },
	{ "EvtCount0", 0x0ff00000, "RW" },
	{ "EvtCount1", 0x000ff000, "RW" },
	{ "X",         0x00000800, "RW" },
	{ "CCR",       0x00000400, "W1C" },
	{ "CR1",       0x00000200, "W1C" },
	{ "CR0",       0x00000100, "W1C" },
	{ "SBZ",       0x00000080, "SBZ" },
	{ "ECC",       0x00000040, "RW" },
	{ "EC1",       0x00000020, "RW" },
	{ "EC0",       0x00000010, "RW" },
	{ "D",         0x00000008, "RW" },
	{ "C",         0x00000004, "WO" },
	{ "P",         0x00000002, "WO" },
	{ "E",         0x00000001, "RW" },
};

static const struct bits pmnc_1156_top[] = {
	{ "SBZ", 0x80000000, "SBZ" },
	{ "FCC", 0x40000000, "RW" },
	{ "FC1", 0x20000000, "RW" },
	{ "FC0", 0x10000000, "RW" },
};

static const struct bits count_bits[]   = { { "Count", 0xffffffff, "RW" } };
static const struct bits sunavcr_bits[] = { { "SBZ", 0xfffffffe, "SBZ" }, { "V", 1, "RW" } };
/* clang-format on */

static void check_fields(const struct pmk_field *field, unsigned n, const struct bits *bits)
{
	for (unsigned i = 0; i < n; i++) {
		assert_string_equal(field[i].name, bits[i].name);
		assert_int_equal(field[i].mask, bits[i].mask);
		assert_string_equal(pmk_access_name(field[i].access), bits[i].access);
		check_words(field[i].ref);
		check_words(field[i].brief);
		assert_int_equal(field[i].event, !strncmp(field[i].name, "EvtCount", 8));
		if (field[i].values) {
			assert_non_null(field[i].values[0]);
			assert_non_null(field[i].values[1]);
			assert_null(field[i].values[2]);
		}
	}
}

static void test_registers(void **state)
{
	static const struct {
		const char *name, *where;
	} regs[] = {
		{ "PMNC", "p15, 0, <Rd>, c15, c12, 0" },   { "CCNT", "p15, 0, <Rd>, c15, c12, 1" },
		{ "PMN0", "p15, 0, <Rd>, c15, c12, 2" },   { "PMN1", "p15, 0, <Rd>, c15, c12, 3" },
		{ "SUNAVCR", "p15, 0, <Rd>, c15, c9, 0" },
	};

	(void)state;
	for (size_t c = 0; c < COUNT(cores); c++) {
		const struct pmk_pmu *pmu = cores[c].pmu;

		assert_int_equal(pmu->nregs, pmu == &pmk_arm1176 ? 5 : 4);
		for (unsigned i = 0; i < pmu->nregs; i++) {
			assert_string_equal(pmu->regs[i].name, regs[i].name);
			assert_string_equal(pmu->regs[i].where, regs[i].where);
			assert_int_equal(pmu->regs[i].width, 32);
			check_words(pmu->regs[i].ref);
			check_words(pmu->regs[i].brief);
		}
		for (unsigned i = 1; i <= 3; i++) {
			assert_int_equal(pmu->regs[i].nfields, 1);
			check_fields(pmu->regs[i].fields, 1, count_bits);
		}
		if (pmu == &pmk_arm1156) {
			assert_int_equal(pmu->regs[0].nfields, 18);
			check_fields(pmu->regs[0].fields, 4, pmnc_1156_top);
			check_fields(pmu->regs[0].fields + 4, 14, pmnc_1136 + 1);
		} else {
			assert_int_equal(pmu->regs[0].nfields, 15);
			check_fields(pmu->regs[0].fields, 15, pmnc_1136);
		}
		/*
		 * Firmware has no rows of registers, so the driver has its own mask of these bits.
		 */
		assert_int_equal(pmk_arm11_core(pmu)->config, pmk_reg_mask(&pmu->regs[0], PMK_RW));
	}
	assert_int_equal(pmk_arm1176.regs[4].nfields, 2);
	check_fields(pmk_arm1176.regs[4].fields, 2, sunavcr_bits);
}

static void test_register_names(void **state)
{
	(void)state;
	assert_ptr_equal(pmk_pmu_reg(&pmk_arm1136, "pmnc"), &pmk_arm1136.regs[0]);
	assert_ptr_equal(pmk_pmu_reg(&pmk_arm1136, "PMCR"), &pmk_arm1136.regs[0]);
	assert_ptr_equal(pmk_pmu_reg(&pmk_arm1136, "ccnt"), &pmk_arm1136.regs[1]);
	assert_ptr_equal(pmk_pmu_reg(&pmk_arm1136, "pmnc0"), &pmk_arm1136.regs[2]);
	assert_ptr_equal(pmk_pmu_reg(&pmk_arm1136, "PMNC1"), &pmk_arm1136.regs[3]);
	assert_ptr_equal(pmk_pmu_reg(&pmk_arm1176, "sunavcr"), &pmk_arm1176.regs[4]);
	assert_null(pmk_pmu_reg(&pmk_arm1136, "sunavcr"));
	assert_null(pmk_pmu_reg(&pmk_arm1136, "pmn"));
}

/*
 * Encodes an access to CP15: cond 1110 opc1 L CRn Rd 1111 opc2 1 CRm (ARM ARM), without the
 * condition and Rd.
 */
static uint32_t cp15(unsigned load, unsigned crn, unsigned crm, unsigned op2)
{
	return 0xeu << 24 | load << 20 | crn << 16 | 0xfu << 8 | op2 << 5 | 1u << 4 | crm;
}

static void test_encodings(void **state)
{
	(void)state;
	assert_int_equal(PMK_ARM11_MRC_PMNC, 0x0e1f0f1c);
	assert_int_equal(PMK_ARM11_MRC_PMNC, cp15(1, 15, 12, 0));
	assert_int_equal(PMK_ARM11_MCR_PMNC, cp15(0, 15, 12, 0));
	assert_int_equal(PMK_ARM11_MRC_CCNT, cp15(1, 15, 12, 1));
	assert_int_equal(PMK_ARM11_MCR_CCNT, cp15(0, 15, 12, 1));
	assert_int_equal(PMK_ARM11_MRC_PMN0, cp15(1, 15, 12, 2));
	assert_int_equal(PMK_ARM11_MCR_PMN0, cp15(0, 15, 12, 2));
	assert_int_equal(PMK_ARM11_MRC_PMN1, cp15(1, 15, 12, 3));
	assert_int_equal(PMK_ARM11_MCR_PMN1, cp15(0, 15, 12, 3));
	assert_int_equal(PMK_ARM11_MRC_SUNAVCR, cp15(1, 15, 9, 0));
	assert_int_equal(PMK_ARM11_MCR_SUNAVCR, cp15(0, 15, 9, 0));
	assert_int_equal(PMK_ARM11_INSN_MASK, 0x0fff0fff);
}

/* ---- EVNTBUS ------------------------------------------------------------------------------- */

/*
 * The words on EVNTBUS when an event occurs once, and when it occurs twice (DDI 0211 Table 3.141).
 * DDI 0301H Table 3-137 differs only in 0x05. If a field has one bit, both words are equal.
 */
static const struct {
	uint8_t code;
	uint32_t one1136, two1136, one1176, two1176;
} bus[] = {
	/* clang-format off */
	{ 0x00, 0x00001, 0x00001, 0x00001, 0x00001 },
	{ 0x01, 0x00002, 0x00002, 0x00002, 0x00002 },
	{ 0x02, 0x00004, 0x00004, 0x00004, 0x00004 },
	{ 0x03, 0x00008, 0x00008, 0x00008, 0x00008 },
	{ 0x04, 0x00010, 0x00010, 0x00010, 0x00010 },
	{ 0x05, 0x00020, 0x00040, 0x00020, 0x00020 },
	{ 0x06, 0x00080, 0x00080, 0x00080, 0x00080 },
	{ 0x07, 0x00100, 0x00200, 0x00100, 0x00200 },
	{ 0x08, 0x00000, 0x00000, 0x00000, 0x00000 },
	{ 0x09, 0x00400, 0x00400, 0x00400, 0x00400 },
	{ 0x0a, 0x00800, 0x00800, 0x00800, 0x00800 },
	{ 0x0b, 0x01000, 0x01000, 0x01000, 0x01000 },
	{ 0x0c, 0x02000, 0x02000, 0x02000, 0x02000 },
	{ 0x0d, 0x04000, 0x08000, 0x04000, 0x08000 },
	{ 0x0e, 0x00000, 0x00000, 0x00000, 0x00000 },
	{ 0x0f, 0x10000, 0x10000, 0x10000, 0x10000 },
	{ 0x10, 0x20000, 0x20000, 0x20000, 0x20000 },
	{ 0x11, 0x40000, 0x40000, 0x40000, 0x40000 },
	{ 0x12, 0x80000, 0x80000, 0x80000, 0x80000 },
	/* clang-format on */
};

static void test_evntbus(void **state)
{
	(void)state;
	assert_int_equal(COUNT(bus), 0x13);
	for (size_t i = 0; i < COUNT(bus); i++) {
		uint8_t count[0x13] = { 0 };

		count[bus[i].code] = 1;
		assert_int_equal(pmk_arm11_evntbus(&pmk_arm1136_r0, true, count), bus[i].one1136);
		assert_int_equal(pmk_arm11_evntbus(&pmk_arm1136, true, count), bus[i].one1136);
		assert_int_equal(pmk_arm11_evntbus(&pmk_arm1176, true, count), bus[i].one1176);
		count[bus[i].code] = 2;
		assert_int_equal(pmk_arm11_evntbus(&pmk_arm1136, true, count), bus[i].two1136);
		assert_int_equal(pmk_arm11_evntbus(&pmk_arm1176, true, count), bus[i].two1176);

		/*
		 * With X = 0 all bits of the bus are 0. The layouts of the ARM1156 and of the ARM11
		 * MPCore are not known.
		 */
		assert_int_equal(pmk_arm11_evntbus(&pmk_arm1136, false, count), 0);
		assert_int_equal(pmk_arm11_evntbus(&pmk_arm1156, true, count), 0);
		assert_int_equal(pmk_arm11_evntbus(&pmk_arm11mpcore, true, count), 0);
	}
}

static void test_evntbus_together(void **state)
{
	static const uint8_t count[0x13] = {
		[0x00] = 1, [0x05] = 2, [0x07] = 2, [0x0d] = 1, [0x12] = 1
	};

	(void)state;
	assert_int_equal(pmk_arm11_evntbus(&pmk_arm1136, true, count), 0x84241);
	assert_int_equal(pmk_arm11_evntbus(&pmk_arm1176, true, count), 0x84221);
}

static void test_evntbus_reverse(void **state)
{
	uint8_t count[0x13];

	(void)state;
	for (size_t i = 0; i < COUNT(bus); i++) {
		uint8_t code = bus[i].code;

		assert_int_equal(pmk_arm11_evntbus_counts(&pmk_arm1136, bus[i].two1136, count), 0);
		for (unsigned e = 0; e < 0x13; e++) {
			bool wide = e == 0x05 || e == 0x07 || e == 0x0d;

			if (e != code || !bus[i].one1136)
				assert_int_equal(count[e], 0);
			else
				assert_int_equal(count[e], wide ? 2 : 1);
		}
	}
	/*
	 * Both bits of a pair mean two occurrences. Bit 6 of an ARM1176 is reserved, and [31:20] do
	 * not exist.
	 */
	assert_int_equal(pmk_arm11_evntbus_counts(&pmk_arm1176, 0xfff00360, count), 0);
	assert_int_equal(count[0x05], 1);
	assert_int_equal(count[0x07], 2);
	assert_int_equal(count[0x06], 0);
	assert_int_equal(pmk_arm11_evntbus_counts(&pmk_arm1176, 0x40, count), 0);
	assert_int_equal(count[0x05], 0);
	memset(count, 9, sizeof(count));
	assert_int_equal(pmk_arm11_evntbus_counts(&pmk_arm1156, 0xfffff, count), PMK_ENOTSUP);
	assert_int_equal(pmk_arm11_evntbus_counts(&pmk_arm11mpcore, 0xfffff, count), PMK_ENOTSUP);
	for (unsigned e = 0; e < 0x13; e++)
		assert_int_equal(count[e], 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_rows_are_complete),
		cmocka_unit_test(test_choices_are_marked),
		cmocka_unit_test(test_unmodelled),
		cmocka_unit_test(test_aliases),
		cmocka_unit_test(test_words_are_unique),
		cmocka_unit_test(test_family),
		cmocka_unit_test(test_enums),
		cmocka_unit_test(test_find),
		cmocka_unit_test(test_counters),
		cmocka_unit_test(test_registers),
		cmocka_unit_test(test_register_names),
		cmocka_unit_test(test_encodings),
		cmocka_unit_test(test_evntbus),
		cmocka_unit_test(test_evntbus_together),
		cmocka_unit_test(test_evntbus_reverse),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
