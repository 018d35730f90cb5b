// SPDX-License-Identifier: MIT
/*
 * RISC-V's catalogue, counters, registers, CSR addresses and selectors equal a second copy, with
 * literal numbers of PRIV (privileged architecture 20211203) and U74 (U74-MC manual 21G3, 4.9.5).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <pmk/riscv.h>
#include <pmk/signal.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

struct row {
	unsigned code;
	uint32_t selector; /* value of mhpmevent in U74 4.9.5; 0: none */
	const char *name;
	const char *signals; /* "": none, "+" between two */
};

/* clang-format off */
static const struct row rows[] = {
	{ 0x008, 0x0000100, "exception_taken",                  "EXC_TAKEN" },
	{ 0x009, 0x0000200, "integer_load_retired",             "LOAD" },
	{ 0x00A, 0x0000400, "integer_store_retired",            "STORE" },
	{ 0x00B, 0x0000800, "atomic_memory_retired",            "" },
	{ 0x00C, 0x0001000, "system_instruction_retired",       "" },
	{ 0x00D, 0x0002000, "integer_arithmetic_retired",       "DP" },
	{ 0x00E, 0x0004000, "conditional_branch_retired",       "BR_TAKEN+BR_NOT_TAKEN" },
	{ 0x00F, 0x0008000, "jal_instruction_retired",          "" },
	{ 0x010, 0x0010000, "jalr_instruction_retired",         "BR_INDIRECT" },
	{ 0x011, 0x0020000, "integer_multiplication_retired",   "MUL" },
	{ 0x012, 0x0040000, "integer_division_retired",         "DIV" },
	{ 0x013, 0x0080000, "fp_load_retired",                  "" },
	{ 0x014, 0x0100000, "fp_store_retired",                 "" },
	{ 0x015, 0x0200000, "fp_addition_retired",              "" },
	{ 0x016, 0x0400000, "fp_multiplication_retired",        "" },
	{ 0x017, 0x0800000, "fp_fusedmadd_retired",             "" },
	{ 0x018, 0x1000000, "fp_div_sqrt_retired",              "" },
	{ 0x019, 0x2000000, "other_fp_retired",                 "" },
	{ 0x108, 0x0000101, "addressgen_interlock",             "" },
	{ 0x109, 0x0000201, "longlat_interlock",                "" },
	{ 0x10A, 0x0000401, "csr_read_interlock",               "" },
	{ 0x10B, 0x0000801, "icache_itim_busy",                 "" },
	{ 0x10C, 0x0001001, "dcache_dtim_busy",                 "" },
	{ 0x10D, 0x0002001, "branch_direction_misprediction",   "" },
	{ 0x10E, 0x0004001, "branch_target_misprediction",      "" },
	{ 0x10F, 0x0008001, "pipe_flush_csr_write",             "" },
	{ 0x110, 0x0010001, "pipe_flush_other_event",           "" },
	{ 0x111, 0x0020001, "integer_multiplication_interlock", "" },
	{ 0x112, 0x0040001, "fp_interlock",                     "" },
	{ 0x208, 0x0000102, "icache_miss",                      "L1I_MISS" },
	{ 0x209, 0x0000202, "dcache_miss_mmio_accesses",        "L1D_MISS" },
	{ 0x20A, 0x0000402, "dcache_writeback",                 "L1D_EVICT" },
	{ 0x20B, 0x0000802, "inst_tlb_miss",                    "MICRO_ITLB_MISS" },
	{ 0x20C, 0x0001002, "data_tlb_miss",                    "MICRO_DTLB_MISS" },
	{ 0x20D, 0x0002002, "utlb_miss",                        "TLB_MISS" },
	{ 0x300, 0,         "cycles",                           "CYCLE" },
	{ 0x301, 0,         "instructions",                     "INSN" },
};

/* From PRIV Tables 2.2 and 2.5. */
static const struct {
	const char *name;
	unsigned csr, width64, width32; /* 0: not on RV64 */
} regs[] = {
	{ "mcycle",        0xB00, 64, 32 }, { "minstret",      0xB02, 64, 32 },
	{ "mhpmcounter3",  0xB03, 64, 32 }, { "mhpmcounter4",  0xB04, 64, 32 },
	{ "mhpmcounter5",  0xB05, 64, 32 }, { "mhpmcounter6",  0xB06, 64, 32 },
	{ "mhpmevent3",    0x323, 64, 32 }, { "mhpmevent4",    0x324, 64, 32 },
	{ "mhpmevent5",    0x325, 64, 32 }, { "mhpmevent6",    0x326, 64, 32 },
	{ "mcountinhibit", 0x320, 32, 32 }, { "mcounteren",    0x306, 32, 32 },
	{ "cycle",         0xC00, 64, 32 }, { "instret",       0xC02, 64, 32 },
	{ "hpmcounter3",   0xC03, 64, 32 }, { "hpmcounter4",   0xC04, 64, 32 },
	{ "hpmcounter5",   0xC05, 64, 32 }, { "hpmcounter6",   0xC06, 64, 32 },
	{ "mcycleh",       0xB80, 0,  32 }, { "minstreth",     0xB82, 0,  32 },
	{ "mhpmcounter3h", 0xB83, 0,  32 }, { "mhpmcounter4h", 0xB84, 0,  32 },
	{ "mhpmcounter5h", 0xB85, 0,  32 }, { "mhpmcounter6h", 0xB86, 0,  32 },
	{ "cycleh",        0xC80, 0,  32 }, { "instreth",      0xC82, 0,  32 },
	{ "hpmcounter3h",  0xC83, 0,  32 }, { "hpmcounter4h",  0xC84, 0,  32 },
	{ "hpmcounter5h",  0xC85, 0,  32 }, { "hpmcounter6h",  0xC86, 0,  32 },
};
/* clang-format on */

static void test_catalogue(void **state)
{
	(void)state;
	assert_int_equal(pmk_riscv64.nevents, COUNT(rows));
	assert_ptr_equal(pmk_riscv64.events, pmk_riscv32.events);
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct pmk_event *ev = &pmk_riscv64.events[i];
		char signals[64] = "";

		assert_int_equal(ev->code, rows[i].code);
		assert_string_equal(ev->name, rows[i].name);
		if (ev->signal != PMK_SIG_NONE)
			strcat(signals, pmk_signal_name(ev->signal));
		if (ev->signal2 != PMK_SIG_NONE)
			strcat(strcat(signals, "+"), pmk_signal_name(ev->signal2));
		assert_string_equal(signals, rows[i].signals);
		assert_int_equal(ev->unmodelled != NULL, *signals == '\0');
		assert_int_equal(ev->cycles, ev->code == 0x300);
		assert_string_equal(ev->ref, rows[i].selector ? "U74 4.9.5" : "PRIV 3.1.10");
		assert_true(pmk_pmu_has(&pmk_riscv64, ev) && pmk_pmu_has(&pmk_riscv32, ev));
	}
}

/* Every event has the selector of the manual, and nothing else has a selector. */
static void test_selectors(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		assert_int_equal(pmk_riscv_selector(rows[i].code), rows[i].selector);
	assert_int_equal(pmk_riscv_selector(0x000), 0);
	assert_int_equal(pmk_riscv_selector(0x007), 0);
	assert_int_equal(pmk_riscv_selector(0x01A), 0);
	assert_int_equal(pmk_riscv_selector(0x0FF), 0);
	assert_int_equal(pmk_riscv_selector(0x308), 0);
	assert_int_equal(pmk_riscv_selector(0xFFFF), 0);
}

static void test_aliases(void **state)
{
	static const struct {
		const char *alias;
		unsigned code;
	} of[] = {
		{ "cpu-cycles", 0x300 },       { "mcycle", 0x300 },
		{ "instret", 0x301 },	       { "branches", 0x00E },
		{ "cache-misses", 0x209 },     { "iTLB-load-misses", 0x20B },
		{ "dTLB-load-misses", 0x20C },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(of); i++)
		assert_int_equal(pmk_pmu_event(&pmk_riscv64, of[i].alias)->code, of[i].code);
}

static void check_registers(const struct pmk_pmu *pmu, size_t n, bool rv32)
{
	assert_int_equal(pmu->nregs, n);
	for (size_t i = 0; i < n; i++) {
		char csr[16];

		assert_string_equal(pmu->regs[i].name, regs[i].name);
		assert_int_equal(pmu->regs[i].width, rv32 ? regs[i].width32 : regs[i].width64);
		assert_int_equal(pmk_riscv_csrs[i], regs[i].csr);
		snprintf(csr, sizeof(csr), "CSR 0x%03X", regs[i].csr);
		assert_string_equal(pmu->regs[i].where, csr);
	}
}

static void test_registers(void **state)
{
	(void)state;
	assert_int_equal(COUNT(regs), PMK_RISCV_NREGS);
	check_registers(&pmk_riscv64, 18, false);
	check_registers(&pmk_riscv32, 30, true);
}

static void test_counters(void **state)
{
	static const char *const names[] = { "mcycle",	     "minstret",     "mhpmcounter3",
					     "mhpmcounter4", "mhpmcounter5", "mhpmcounter6" };

	(void)state;
	assert_int_equal(pmk_riscv64.ncounters, 6);
	assert_ptr_equal(pmk_riscv32.counters, pmk_riscv64.counters);
	for (unsigned i = 0; i < 6; i++) {
		const struct pmk_counter *c = &pmk_riscv64.counters[i];

		assert_string_equal(c->name, names[i]);
		assert_int_equal(c->width, 64);
		assert_int_equal(c->fixed_code, i == 0 ? 0x300 : i == 1 ? 0x301 : -1);
		assert_false(c->saturates || c->extreme_width);
	}
	assert_true(pmk_riscv64.no_flags && pmk_riscv32.no_flags);
	assert_false(pmk_riscv64.sequential || pmk_riscv32.sequential);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_catalogue), cmocka_unit_test(test_selectors),
		cmocka_unit_test(test_aliases),	  cmocka_unit_test(test_registers),
		cmocka_unit_test(test_counters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
