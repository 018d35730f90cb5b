// SPDX-License-Identifier: MIT
/*
 * The catalogue of Armv8.1-M's PMU equals a second copy, from CMSIS pmu_armv8.h (ARM_PMU_…). Its
 * counters, registers, addresses and bits equal literal numbers of DDI 0553 and CMSIS.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <pmk/signal.h>

#include "pmu/armv81m/regs.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* clang-format off */
static const struct {
	unsigned code;
	const char *name, *signals; /* signals: "" for none, "+" between two */
} rows[] = {
	{ 0x0000, "sw_incr", "" },
	{ 0x0001, "l1i_cache_refill", "L1I_FILL" },
	{ 0x0003, "l1d_cache_refill", "L1D_MISS" },
	{ 0x0004, "l1d_cache", "L1D_LOOKUP" },
	{ 0x0006, "ld_retired", "LOAD" },
	{ 0x0007, "st_retired", "STORE" },
	{ 0x0008, "inst_retired", "INSN" },
	{ 0x0009, "exc_taken", "EXC_TAKEN" },
	{ 0x000A, "exc_return", "EXC_RETURN" },
	{ 0x000C, "pc_write_retired", "PC_CHANGE" },
	{ 0x000D, "br_immed_retired", "BR_IMM" },
	{ 0x000E, "br_return_retired", "BR_RETURN" },
	{ 0x000F, "unaligned_ldst_retired", "UNALIGNED_LD+UNALIGNED_ST" },
	{ 0x0010, "br_mis_pred", "BRANCH_MISS" },
	{ 0x0011, "cpu_cycles", "CYCLE" },
	{ 0x0012, "br_pred", "BR_PREDICTABLE" },
	{ 0x0013, "mem_access", "MEM_READ+MEM_WRITE" },
	{ 0x0014, "l1i_cache", "L1I_ACCESS" },
	{ 0x0015, "l1d_cache_wb", "L1D_EVICT" },
	{ 0x0016, "l2d_cache", "" },
	{ 0x0017, "l2d_cache_refill", "" },
	{ 0x0018, "l2d_cache_wb", "" },
	{ 0x0019, "bus_access", "BUS_READ+BUS_WRITE" },
	{ 0x001A, "memory_error", "" },
	{ 0x001B, "inst_spec", "INSN" },
	{ 0x001D, "bus_cycles", "CYCLE" },
	{ 0x001E, "chain", "" },
	{ 0x001F, "l1d_cache_allocate", "" },
	{ 0x0020, "l2d_cache_allocate", "" },
	{ 0x0021, "br_retired", "BRANCH" },
	{ 0x0022, "br_mis_pred_retired", "BRANCH_MISS" },
	{ 0x0023, "stall_frontend", "FETCH_STALL" },
	{ 0x0024, "stall_backend", "BACKEND_STALL" },
	{ 0x0027, "l2i_cache", "" },
	{ 0x0028, "l2i_cache_refill", "" },
	{ 0x0029, "l3d_cache_allocate", "" },
	{ 0x002A, "l3d_cache_refill", "" },
	{ 0x002B, "l3d_cache", "" },
	{ 0x002C, "l3d_cache_wb", "" },
	{ 0x0036, "ll_cache_rd", "L1D_LOOKUP_READ" },
	{ 0x0037, "ll_cache_miss_rd", "L1D_READ_MISS" },
	{ 0x0039, "l1d_cache_miss_rd", "L1D_READ_MISS" },
	{ 0x003A, "op_complete", "" },
	{ 0x003B, "op_spec", "" },
	{ 0x003C, "stall", "STALL" },
	{ 0x003D, "stall_op_backend", "" },
	{ 0x003E, "stall_op_frontend", "" },
	{ 0x003F, "stall_op", "" },
	{ 0x0040, "l1d_cache_rd", "L1D_LOOKUP_READ" },
	{ 0x0100, "le_retired", "" },
	{ 0x0101, "le_spec", "" },
	{ 0x0104, "bf_retired", "" },
	{ 0x0105, "bf_spec", "" },
	{ 0x0108, "le_cancel", "" },
	{ 0x0109, "bf_cancel", "" },
	{ 0x0114, "se_call_s", "" },
	{ 0x0115, "se_call_ns", "" },
	{ 0x0118, "dwt_cmpmatch0", "" },
	{ 0x0119, "dwt_cmpmatch1", "" },
	{ 0x011A, "dwt_cmpmatch2", "" },
	{ 0x011B, "dwt_cmpmatch3", "" },
	{ 0x0200, "mve_inst_retired", "" },
	{ 0x0201, "mve_inst_spec", "" },
	{ 0x0204, "mve_fp_retired", "" },
	{ 0x0205, "mve_fp_spec", "" },
	{ 0x0208, "mve_fp_hp_retired", "" },
	{ 0x0209, "mve_fp_hp_spec", "" },
	{ 0x020C, "mve_fp_sp_retired", "" },
	{ 0x020D, "mve_fp_sp_spec", "" },
	{ 0x0214, "mve_fp_mac_retired", "" },
	{ 0x0215, "mve_fp_mac_spec", "" },
	{ 0x0224, "mve_int_retired", "" },
	{ 0x0225, "mve_int_spec", "" },
	{ 0x0228, "mve_int_mac_retired", "" },
	{ 0x0229, "mve_int_mac_spec", "" },
	{ 0x0238, "mve_ldst_retired", "" },
	{ 0x0239, "mve_ldst_spec", "" },
	{ 0x023C, "mve_ld_retired", "" },
	{ 0x023D, "mve_ld_spec", "" },
	{ 0x0240, "mve_st_retired", "" },
	{ 0x0241, "mve_st_spec", "" },
	{ 0x0244, "mve_ldst_contig_retired", "" },
	{ 0x0245, "mve_ldst_contig_spec", "" },
	{ 0x0248, "mve_ld_contig_retired", "" },
	{ 0x0249, "mve_ld_contig_spec", "" },
	{ 0x024C, "mve_st_contig_retired", "" },
	{ 0x024D, "mve_st_contig_spec", "" },
	{ 0x0250, "mve_ldst_noncontig_retired", "" },
	{ 0x0251, "mve_ldst_noncontig_spec", "" },
	{ 0x0254, "mve_ld_noncontig_retired", "" },
	{ 0x0255, "mve_ld_noncontig_spec", "" },
	{ 0x0258, "mve_st_noncontig_retired", "" },
	{ 0x0259, "mve_st_noncontig_spec", "" },
	{ 0x025C, "mve_ldst_multi_retired", "" },
	{ 0x025D, "mve_ldst_multi_spec", "" },
	{ 0x0260, "mve_ld_multi_retired", "" },
	{ 0x0261, "mve_ld_multi_spec", "" },
	{ 0x0264, "mve_st_multi_retired", "" },
	{ 0x0265, "mve_st_multi_spec", "" },
	{ 0x028C, "mve_ldst_unaligned_retired", "" },
	{ 0x028D, "mve_ldst_unaligned_spec", "" },
	{ 0x0290, "mve_ld_unaligned_retired", "" },
	{ 0x0291, "mve_ld_unaligned_spec", "" },
	{ 0x0294, "mve_st_unaligned_retired", "" },
	{ 0x0295, "mve_st_unaligned_spec", "" },
	{ 0x0298, "mve_ldst_unaligned_noncontig_retired", "" },
	{ 0x0299, "mve_ldst_unaligned_noncontig_spec", "" },
	{ 0x02A0, "mve_vreduce_retired", "" },
	{ 0x02A1, "mve_vreduce_spec", "" },
	{ 0x02A4, "mve_vreduce_fp_retired", "" },
	{ 0x02A5, "mve_vreduce_fp_spec", "" },
	{ 0x02A8, "mve_vreduce_int_retired", "" },
	{ 0x02A9, "mve_vreduce_int_spec", "" },
	{ 0x02B8, "mve_pred", "" },
	{ 0x02CC, "mve_stall", "" },
	{ 0x02CD, "mve_stall_resource", "" },
	{ 0x02CE, "mve_stall_resource_mem", "" },
	{ 0x02CF, "mve_stall_resource_fp", "" },
	{ 0x02D0, "mve_stall_resource_int", "" },
	{ 0x02D3, "mve_stall_break", "" },
	{ 0x02D4, "mve_stall_dependency", "" },
	{ 0x4007, "itcm_access", "" },
	{ 0x4008, "dtcm_access", "" },
	{ 0x4010, "trcextout0", "" },
	{ 0x4011, "trcextout1", "" },
	{ 0x4012, "trcextout2", "" },
	{ 0x4013, "trcextout3", "" },
	{ 0x4018, "cti_trigout4", "" },
	{ 0x4019, "cti_trigout5", "" },
	{ 0x401A, "cti_trigout6", "" },
	{ 0x401B, "cti_trigout7", "" },
	/* Cortex-M55: CMSIS core_cm55.h */
	{ 0xC000, "ecc_err", "" },
	{ 0xC001, "ecc_err_fatal", "" },
	{ 0xC010, "ecc_err_dcache", "" },
	{ 0xC011, "ecc_err_icache", "" },
	{ 0xC012, "ecc_err_fatal_dcache", "" },
	{ 0xC013, "ecc_err_fatal_icache", "" },
	{ 0xC020, "ecc_err_dtcm", "" },
	{ 0xC021, "ecc_err_itcm", "" },
	{ 0xC022, "ecc_err_fatal_dtcm", "" },
	{ 0xC023, "ecc_err_fatal_itcm", "" },
	{ 0xC100, "pf_linefill", "" },
	{ 0xC101, "pf_cancel", "" },
	{ 0xC102, "pf_drop_linefill", "" },
	{ 0xC200, "nwamode_enter", "" },
	{ 0xC201, "nwamode", "" },
	{ 0xC300, "sahb_access", "" },
	{ 0xC301, "pahb_access", "" },
	{ 0xC302, "axi_write_access", "" },
	{ 0xC303, "axi_read_access", "" },
	{ 0xC400, "dostimeout_double", "" },
	{ 0xC401, "dostimeout_triple", "" },
	{ 0xC402, "cde_inst_retired", "" },
	{ 0xC404, "cde_cx1_inst_retired", "" },
	{ 0xC406, "cde_cx2_inst_retired", "" },
	{ 0xC408, "cde_cx3_inst_retired", "" },
	{ 0xC40A, "cde_vcx1_inst_retired", "" },
	{ 0xC40C, "cde_vcx2_inst_retired", "" },
	{ 0xC40E, "cde_vcx3_inst_retired", "" },
	{ 0xC410, "cde_vcx1_vec_inst_retired", "" },
	{ 0xC412, "cde_vcx2_vec_inst_retired", "" },
	{ 0xC414, "cde_vcx3_vec_inst_retired", "" },
	{ 0xC416, "cde_pred", "" },
	{ 0xC417, "cde_stall", "" },
	{ 0xC418, "cde_stall_resource", "" },
	{ 0xC419, "cde_stall_dependency", "" },
	{ 0xC41A, "cde_stall_custom", "" },
	{ 0xC41B, "cde_stall_other", "" },
	{ 0xC41C, "pf_lf_la_1", "" },
	{ 0xC41D, "pf_lf_la_2", "" },
	{ 0xC41E, "pf_lf_la_3", "" },
	{ 0xC41F, "pf_lf_la_4", "" },
	{ 0xC420, "pf_lf_la_5", "" },
	{ 0xC421, "pf_lf_la_6", "" },
	{ 0xC422, "pf_buffer_full", "" },
	{ 0xC423, "pf_buffer_miss", "" },
	{ 0xC424, "pf_buffer_hit", "" },
};

static const struct {
	const char *name;
	uint32_t address;
} regs[] = {
	{ "PMU_EVCNTR0", 0xE0003000 },  { "PMU_EVCNTR1", 0xE0003004 },
	{ "PMU_EVCNTR2", 0xE0003008 },  { "PMU_EVCNTR3", 0xE000300C },
	{ "PMU_EVCNTR4", 0xE0003010 },  { "PMU_EVCNTR5", 0xE0003014 },
	{ "PMU_EVCNTR6", 0xE0003018 },  { "PMU_EVCNTR7", 0xE000301C },
	{ "PMU_CCNTR", 0xE000307C },
	{ "PMU_EVTYPER0", 0xE0003400 }, { "PMU_EVTYPER1", 0xE0003404 },
	{ "PMU_EVTYPER2", 0xE0003408 }, { "PMU_EVTYPER3", 0xE000340C },
	{ "PMU_EVTYPER4", 0xE0003410 }, { "PMU_EVTYPER5", 0xE0003414 },
	{ "PMU_EVTYPER6", 0xE0003418 }, { "PMU_EVTYPER7", 0xE000341C },
	{ "PMU_CCFILTR", 0xE000347C },
	{ "PMU_CNTENSET", 0xE0003C00 }, { "PMU_CNTENCLR", 0xE0003C20 },
	{ "PMU_INTENSET", 0xE0003C40 }, { "PMU_INTENCLR", 0xE0003C60 },
	{ "PMU_OVSCLR", 0xE0003C80 },   { "PMU_SWINC", 0xE0003CA0 },
	{ "PMU_OVSSET", 0xE0003CC0 },   { "PMU_TYPE", 0xE0003E00 },
	{ "PMU_CTRL", 0xE0003E04 },     { "PMU_AUTHSTATUS", 0xE0003FB8 },
	{ "PMU_DEVARCH", 0xE0003FBC },  { "PMU_DEVTYPE", 0xE0003FCC },
	{ "DEMCR", 0xE000EDFC },
};

static const struct {
	const char *reg, *field;
	uint32_t mask;
} fields[] = {
	{ "PMU_CTRL", "E", 0x1 },          { "PMU_CTRL", "P", 0x2 },
	{ "PMU_CTRL", "C", 0x4 },          { "PMU_CTRL", "DP", 0x20 },
	{ "PMU_CTRL", "FRZO", 0x200 },     { "PMU_CTRL", "TRO", 0x800 },
	{ "PMU_TYPE", "N", 0xff },         { "PMU_TYPE", "SIZE", 0x3f00 },
	{ "PMU_TYPE", "CC", 0x4000 },      { "PMU_TYPE", "FZO", 0x200000 },
	{ "PMU_TYPE", "TRO", 0x800000 },   { "PMU_EVCNTR5", "COUNTER", 0xffff },
	{ "PMU_EVTYPER5", "EVTCOUNT", 0xffff }, { "PMU_CNTENSET", "C", 0x80000000 },
	{ "PMU_OVSCLR", "P", 0xff },       { "PMU_AUTHSTATUS", "NSID", 0x3 },
	{ "PMU_AUTHSTATUS", "NSNID", 0xc }, { "PMU_AUTHSTATUS", "SID", 0x30 },
	{ "PMU_AUTHSTATUS", "SNID", 0xc0 }, { "PMU_AUTHSTATUS", "NSUID", 0x30000 },
	{ "PMU_AUTHSTATUS", "NSUNID", 0xc0000 }, { "PMU_AUTHSTATUS", "SUID", 0x300000 },
	{ "PMU_AUTHSTATUS", "SUNID", 0xc00000 }, { "PMU_DEVARCH", "ARCHITECT", 0xffe00000 },
	{ "PMU_DEVARCH", "PRESENT", 0x100000 }, { "PMU_DEVARCH", "REVISION", 0xf0000 },
	{ "PMU_DEVARCH", "ARCHID", 0xffff },
	{ "PMU_DEVTYPE", "SUB", 0xf0 },    { "PMU_DEVTYPE", "MAJOR", 0xf },
	{ "DEMCR", "TRCENA", 0x1000000 },  { "DEMCR", "MON", 0xf0000 },
};
/* clang-format on */

static void test_catalogue(void **state)
{
	(void)state;
	assert_int_equal(pmk_cortex_m55.nevents, COUNT(rows));
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct pmk_event *ev = &pmk_cortex_m55.events[i];
		char signals[64] = "";

		if (ev->signal != PMK_SIG_NONE)
			snprintf(signals, sizeof(signals), "%s%s%s", pmk_signal_name(ev->signal),
				 ev->signal2 ? "+" : "",
				 ev->signal2 ? pmk_signal_name(ev->signal2) : "");
		assert_int_equal(ev->code, rows[i].code);
		assert_string_equal(ev->name, rows[i].name);
		assert_string_equal(signals, rows[i].signals);
		assert_int_equal(ev->unmodelled != NULL, !*rows[i].signals);
	}
}

static void test_counters(void **state)
{
	static const char *const names[] = { "PMU_CCNTR", "PMU_EVCNTR0", "PMU_EVCNTR2",
					     "PMU_EVCNTR4", "PMU_EVCNTR6" };

	(void)state;
	assert_int_equal(pmk_cortex_m55.ncounters, COUNT(names));
	for (size_t i = 0; i < COUNT(names); i++) {
		assert_string_equal(pmk_cortex_m55.counters[i].name, names[i]);
		assert_int_equal(pmk_cortex_m55.counters[i].width, 32);
		assert_int_equal(pmk_cortex_m55.counters[i].fixed_code, i ? -1 : 0x11);
	}
}

static void test_registers(void **state)
{
	(void)state;
	assert_int_equal(pmk_cortex_m55.nregs, COUNT(regs));
	for (size_t i = 0; i < COUNT(regs); i++) {
		char where[16];

		assert_string_equal(pmk_cortex_m55.regs[i].name, regs[i].name);
		assert_int_equal(pmk_cortex_m55.regs[i].width, 32);
		snprintf(where, sizeof(where), "0x%08X", (unsigned)regs[i].address);
		assert_string_equal(pmk_cortex_m55.regs[i].where, where);
		assert_int_equal(PMK_ARMV81M_BASE + pmk_armv81m_offsets[i], regs[i].address);
	}
}

static void test_fields(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(fields); i++) {
		const struct pmk_reg_info *reg = pmk_pmu_reg(&pmk_cortex_m55, fields[i].reg);
		uint64_t mask = 0;

		assert_non_null(reg);
		for (unsigned k = 0; k < reg->nfields; k++)
			if (!strcmp(reg->fields[k].name, fields[i].field))
				mask = reg->fields[k].mask;
		assert_int_equal(mask, fields[i].mask);
	}
}

static void test_aliases(void **state)
{
	(void)state;
	assert_ptr_equal(pmk_pmu_find("cortex_m85"), &pmk_cortex_m55);
	assert_int_equal(pmk_pmu_event(&pmk_cortex_m55, "instructions")->code, 0x08);
	assert_int_equal(pmk_pmu_event(&pmk_cortex_m55, "cpu-cycles")->code, 0x11);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_catalogue), cmocka_unit_test(test_counters),
		cmocka_unit_test(test_registers), cmocka_unit_test(test_fields),
		cmocka_unit_test(test_aliases),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
