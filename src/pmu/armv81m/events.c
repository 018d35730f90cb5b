// SPDX-License-Identifier: MIT
/*
 * Armv8.1-M's PMU: the events that the architecture defines. Codes and names are those of CMSIS
 * pmu_armv8.h, except 0x0264: the header has the code of another event for it. Events from 0xC000
 * on are IMPLEMENTATION DEFINED: those listed are a Cortex-M55's, as in CMSIS core_cm55.h.
 */
#include "pmu/armv81m/regs.h"

#define SOURCE "DDI 0553, Performance Monitoring Extension; CMSIS pmu_armv8.h"

#define BY_REGISTER   "counts only through the registers: "
#define NO_ERRORS     "an emulated memory has no errors"
#define NO_L2	      "cores of the M profile have no level 2 cache"
#define NO_OPS	      "operations of an instruction are not modelled"
#define NO_LOB	      "no emulated core has low-overhead branches"
#define NO_CALLS      "emulation does not see calls between the Security states"
#define NO_MATCH      "comparators of the DWT are not modelled"
#define NO_MVE	      "no emulated core has MVE"
#define NO_TCM	      "emulation does not distinguish the TCMs from other memory"
#define NO_TRACE      "trace hardware is not emulated"
#define NO_PREFETCH   "no emulated core has this prefetcher"
#define NO_WRITE_MODE "no-write-allocate mode is not modelled"
#define NO_BUSES      "emulation does not distinguish the interfaces of the core"
#define NO_CUSTOM     "no emulated core has custom instructions (CDE)"
#define NO_ALLOC      "no instruction of these cores writes whole lines"

#define EVENT(c, n, sig, more, text)                                              \
	{                                                                         \
		.code = (c), .name = n, .cores = 1, .signal = PMK_SIG_##sig,      \
		.signal2 = PMK_SIG_##more, PMK_HOST(.ref = SOURCE, .brief = text) \
	}
#define CYCLES(c, n, alias, sig, text)                                                       \
	{                                                                                    \
		.code = (c), .name = n, .cores = 1, .signal = PMK_SIG_##sig, .cycles = true, \
		PMK_HOST(.aliases = alias, .ref = SOURCE, .brief = text)                     \
	}
#define UNSEEN(c, n, why, text)                                             \
	{                                                                   \
		.code = (c), .name = n, .cores = 1,                         \
		PMK_HOST(.ref = SOURCE, .brief = text, .unmodelled = (why)) \
	}
#define OF_M55(c, n, why, text)                                                      \
	{                                                                            \
		.code = (c), .name = n, .cores = 1,                                  \
		PMK_HOST(.ref = "CMSIS core_cm55.h: Cortex-M55 only", .brief = text, \
			 .unmodelled = (why))                                        \
	}
/* Two events of MVE: code c counts instructions that retired, and code c + 1 the same instructions
 * when they are speculatively executed. */
#define MVE(c, n, text)                                                  \
	UNSEEN(c, "mve_" n "_retired", NO_MVE, "MVE " text " executed"), \
		UNSEEN((c) + 1, "mve_" n "_spec", NO_MVE, "MVE " text " speculatively executed")

/* clang-format off */
const struct pmk_event pmk_armv81m_events[] = {
	UNSEEN(0x0000, "sw_incr", BY_REGISTER "software writes PMU_SWINC",
	       "writes of PMU_SWINC that select this counter"),
	EVENT(0x0001, "l1i_cache_refill", L1I_FILL, NONE,
	      "level 1 instruction cache lines filled"),
	EVENT(0x0003, "l1d_cache_refill", L1D_MISS, NONE, "level 1 data cache lines filled"),
	EVENT(0x0004, "l1d_cache", L1D_LOOKUP, NONE, "level 1 data cache accesses"),
	EVENT(0x0006, "ld_retired", LOAD, NONE, "load instructions executed"),
	EVENT(0x0007, "st_retired", STORE, NONE, "store instructions executed"),
	{ .code = 0x0008, .name = "inst_retired", .cores = 1, .signal = PMK_SIG_INSN,
	  PMK_HOST(.aliases = "instructions", .ref = SOURCE, .brief = "instructions executed") },
	EVENT(0x0009, "exc_taken", EXC_TAKEN, NONE, "exceptions taken"),
	EVENT(0x000A, "exc_return", EXC_RETURN, NONE, "returns from exceptions"),
	EVENT(0x000C, "pc_write_retired", PC_CHANGE, NONE, "changes of the PC by software"),
	EVENT(0x000D, "br_immed_retired", BR_IMM, NONE,
	      "branches with a constant offset executed"),
	EVENT(0x000E, "br_return_retired", BR_RETURN, NONE, "function returns executed"),
	EVENT(0x000F, "unaligned_ldst_retired", UNALIGNED_LD, UNALIGNED_ST,
	      "loads and stores whose address is not aligned"),
	EVENT(0x0010, "br_mis_pred", BRANCH_MISS, NONE, "branches mispredicted or not predicted"),
	CYCLES(0x0011, "cpu_cycles", "cycles cpu-cycles", CYCLE, "processor clock cycles"),
	EVENT(0x0012, "br_pred", BR_PREDICTABLE, NONE, "branches that the predictor can predict"),
	EVENT(0x0013, "mem_access", MEM_READ, MEM_WRITE, "data memory accesses"),
	EVENT(0x0014, "l1i_cache", L1I_ACCESS, NONE, "level 1 instruction cache accesses"),
	EVENT(0x0015, "l1d_cache_wb", L1D_EVICT, NONE,
	      "dirty lines written back from the level 1 data cache"),
	UNSEEN(0x0016, "l2d_cache", NO_L2, "level 2 data cache accesses"),
	UNSEEN(0x0017, "l2d_cache_refill", NO_L2, "level 2 data cache lines filled"),
	UNSEEN(0x0018, "l2d_cache_wb", NO_L2, "lines written back from the level 2 data cache"),
	EVENT(0x0019, "bus_access", BUS_READ, BUS_WRITE, "beats on the core's bus"),
	UNSEEN(0x001A, "memory_error", NO_ERRORS, "errors of the core's memories"),
	EVENT(0x001B, "inst_spec", INSN, NONE, "instructions speculatively executed"),
	CYCLES(0x001D, "bus_cycles", NULL, CYCLE, "bus cycles"),
	UNSEEN(0x001E, "chain", BY_REGISTER "the even counter below overflows",
	       "the even counter below has overflowed"),
	UNSEEN(0x001F, "l1d_cache_allocate", NO_ALLOC,
	       "level 1 data cache lines allocated without a fill"),
	UNSEEN(0x0020, "l2d_cache_allocate", NO_L2,
	       "level 2 data cache lines allocated without a fill"),
	EVENT(0x0021, "br_retired", BRANCH, NONE, "branches executed"),
	EVENT(0x0022, "br_mis_pred_retired", BRANCH_MISS, NONE,
	      "branches executed that were mispredicted"),
	CYCLES(0x0023, "stall_frontend", NULL, FETCH_STALL,
	       "cycles in which nothing was issued because of the front end"),
	CYCLES(0x0024, "stall_backend", NULL, BACKEND_STALL,
	       "cycles in which nothing was issued because of the back end"),
	UNSEEN(0x0027, "l2i_cache", NO_L2, "level 2 instruction cache accesses"),
	UNSEEN(0x0028, "l2i_cache_refill", NO_L2, "level 2 instruction cache lines filled"),
	UNSEEN(0x0029, "l3d_cache_allocate", NO_L2,
	       "level 3 data cache lines allocated without a fill"),
	UNSEEN(0x002A, "l3d_cache_refill", NO_L2, "level 3 data cache lines filled"),
	UNSEEN(0x002B, "l3d_cache", NO_L2, "level 3 data cache accesses"),
	UNSEEN(0x002C, "l3d_cache_wb", NO_L2, "lines written back from the level 3 data cache"),
	EVENT(0x0036, "ll_cache_rd", L1D_LOOKUP_READ, NONE, "last level data cache reads"),
	EVENT(0x0037, "ll_cache_miss_rd", L1D_READ_MISS, NONE,
	      "last level data cache read misses"),
	EVENT(0x0039, "l1d_cache_miss_rd", L1D_READ_MISS, NONE,
	      "level 1 data cache read misses"),
	UNSEEN(0x003A, "op_complete", NO_OPS, "operations executed"),
	UNSEEN(0x003B, "op_spec", NO_OPS, "operations speculatively executed"),
	CYCLES(0x003C, "stall", NULL, STALL, "cycles in which nothing was issued"),
	UNSEEN(0x003D, "stall_op_backend", NO_OPS,
	       "operations not issued because of the back end"),
	UNSEEN(0x003E, "stall_op_frontend", NO_OPS,
	       "operations not issued because of the front end"),
	UNSEEN(0x003F, "stall_op", NO_OPS, "operations not issued"),
	EVENT(0x0040, "l1d_cache_rd", L1D_LOOKUP_READ, NONE, "level 1 data cache reads"),
	UNSEEN(0x0100, "le_retired", NO_LOB, "loop ends executed"),
	UNSEEN(0x0101, "le_spec", NO_LOB, "loop ends speculatively executed"),
	UNSEEN(0x0104, "bf_retired", NO_LOB, "branch futures executed"),
	UNSEEN(0x0105, "bf_spec", NO_LOB, "branch futures speculatively executed"),
	UNSEEN(0x0108, "le_cancel", NO_LOB, "loop information discarded"),
	UNSEEN(0x0109, "bf_cancel", NO_LOB, "branch future information discarded"),
	UNSEEN(0x0114, "se_call_s", NO_CALLS, "calls to Secure functions"),
	UNSEEN(0x0115, "se_call_ns", NO_CALLS, "calls to Non-secure functions"),
	UNSEEN(0x0118, "dwt_cmpmatch0", NO_MATCH, "matches of DWT comparator 0"),
	UNSEEN(0x0119, "dwt_cmpmatch1", NO_MATCH, "matches of DWT comparator 1"),
	UNSEEN(0x011A, "dwt_cmpmatch2", NO_MATCH, "matches of DWT comparator 2"),
	UNSEEN(0x011B, "dwt_cmpmatch3", NO_MATCH, "matches of DWT comparator 3"),
	MVE(0x0200, "inst", "instructions"),
	MVE(0x0204, "fp", "floating-point instructions"),
	MVE(0x0208, "fp_hp", "half-precision instructions"),
	MVE(0x020C, "fp_sp", "single-precision instructions"),
	MVE(0x0214, "fp_mac", "floating-point multiplications with accumulation"),
	MVE(0x0224, "int", "integer instructions"),
	MVE(0x0228, "int_mac", "integer multiplications with accumulation"),
	MVE(0x0238, "ldst", "loads and stores"),
	MVE(0x023C, "ld", "loads"),
	MVE(0x0240, "st", "stores"),
	MVE(0x0244, "ldst_contig", "contiguous loads and stores"),
	MVE(0x0248, "ld_contig", "contiguous loads"),
	MVE(0x024C, "st_contig", "contiguous stores"),
	MVE(0x0250, "ldst_noncontig", "gather loads and scatter stores"),
	MVE(0x0254, "ld_noncontig", "gather loads"),
	MVE(0x0258, "st_noncontig", "scatter stores"),
	MVE(0x025C, "ldst_multi", "loads and stores of several registers"),
	MVE(0x0260, "ld_multi", "loads of several registers"),
	MVE(0x0264, "st_multi", "stores of several registers"),
	MVE(0x028C, "ldst_unaligned", "unaligned loads and stores"),
	MVE(0x0290, "ld_unaligned", "unaligned loads"),
	MVE(0x0294, "st_unaligned", "unaligned stores"),
	MVE(0x0298, "ldst_unaligned_noncontig", "unaligned gather loads and scatter stores"),
	MVE(0x02A0, "vreduce", "reductions"),
	MVE(0x02A4, "vreduce_fp", "floating-point reductions"),
	MVE(0x02A8, "vreduce_int", "integer reductions"),
	UNSEEN(0x02B8, "mve_pred", NO_MVE, "cycles of MVE with predicated beats"),
	UNSEEN(0x02CC, "mve_stall", NO_MVE, "stall cycles of MVE"),
	UNSEEN(0x02CD, "mve_stall_resource", NO_MVE, "stalls of MVE: a unit is busy"),
	UNSEEN(0x02CE, "mve_stall_resource_mem", NO_MVE,
	       "stalls of MVE: the load-store unit is busy"),
	UNSEEN(0x02CF, "mve_stall_resource_fp", NO_MVE,
	       "stalls of MVE: the floating-point unit is busy"),
	UNSEEN(0x02D0, "mve_stall_resource_int", NO_MVE,
	       "stalls of MVE: the integer unit is busy"),
	UNSEEN(0x02D3, "mve_stall_break", NO_MVE, "stalls of MVE: beats do not overlap"),
	UNSEEN(0x02D4, "mve_stall_dependency", NO_MVE, "stalls of MVE: a register is awaited"),
	UNSEEN(0x4007, "itcm_access", NO_TCM, "accesses of the instruction TCM"),
	UNSEEN(0x4008, "dtcm_access", NO_TCM, "accesses of the data TCM"),
	UNSEEN(0x4010, "trcextout0", NO_TRACE, "ETM output 0"),
	UNSEEN(0x4011, "trcextout1", NO_TRACE, "ETM output 1"),
	UNSEEN(0x4012, "trcextout2", NO_TRACE, "ETM output 2"),
	UNSEEN(0x4013, "trcextout3", NO_TRACE, "ETM output 3"),
	UNSEEN(0x4018, "cti_trigout4", NO_TRACE, "CTI output trigger 4"),
	UNSEEN(0x4019, "cti_trigout5", NO_TRACE, "CTI output trigger 5"),
	UNSEEN(0x401A, "cti_trigout6", NO_TRACE, "CTI output trigger 6"),
	UNSEEN(0x401B, "cti_trigout7", NO_TRACE, "CTI output trigger 7"),
	OF_M55(0xC000, "ecc_err", NO_ERRORS, "ECC errors"),
	OF_M55(0xC001, "ecc_err_fatal", NO_ERRORS, "fatal ECC errors"),
	OF_M55(0xC010, "ecc_err_dcache", NO_ERRORS, "ECC errors in the data cache"),
	OF_M55(0xC011, "ecc_err_icache", NO_ERRORS, "ECC errors in the instruction cache"),
	OF_M55(0xC012, "ecc_err_fatal_dcache", NO_ERRORS, "fatal ECC errors in the data cache"),
	OF_M55(0xC013, "ecc_err_fatal_icache", NO_ERRORS,
	       "fatal ECC errors in the instruction cache"),
	OF_M55(0xC020, "ecc_err_dtcm", NO_ERRORS, "ECC errors in the data TCM"),
	OF_M55(0xC021, "ecc_err_itcm", NO_ERRORS, "ECC errors in the instruction TCM"),
	OF_M55(0xC022, "ecc_err_fatal_dtcm", NO_ERRORS, "fatal ECC errors in the data TCM"),
	OF_M55(0xC023, "ecc_err_fatal_itcm", NO_ERRORS,
	       "fatal ECC errors in the instruction TCM"),
	OF_M55(0xC100, "pf_linefill", NO_PREFETCH, "lines that the prefetcher requests"),
	OF_M55(0xC101, "pf_cancel", NO_PREFETCH, "times that the prefetcher stops"),
	OF_M55(0xC102, "pf_drop_linefill", NO_PREFETCH,
	       "prefetched lines dropped for lack of buffers"),
	OF_M55(0xC200, "nwamode_enter", NO_WRITE_MODE, "entries of no-write-allocate mode"),
	OF_M55(0xC201, "nwamode", NO_WRITE_MODE,
	       "stores not allocated because of no-write-allocate mode"),
	OF_M55(0xC300, "sahb_access", NO_BUSES, "accesses of the TCMs through the S-AHB"),
	OF_M55(0xC301, "pahb_access", NO_BUSES, "accesses through the P-AHB"),
	OF_M55(0xC302, "axi_write_access", NO_BUSES, "beats of writes on the M-AXI"),
	OF_M55(0xC303, "axi_read_access", NO_BUSES, "beats of reads on the M-AXI"),
	OF_M55(0xC400, "dostimeout_double", NO_BUSES,
	       "denial-of-service timeouts that drained the buffers"),
	OF_M55(0xC401, "dostimeout_triple", NO_BUSES,
	       "denial-of-service timeouts that blocked the load-store unit"),
	OF_M55(0xC402, "cde_inst_retired", NO_CUSTOM, "custom instructions executed"),
	OF_M55(0xC404, "cde_cx1_inst_retired", NO_CUSTOM, "custom instructions CX1 executed"),
	OF_M55(0xC406, "cde_cx2_inst_retired", NO_CUSTOM, "custom instructions CX2 executed"),
	OF_M55(0xC408, "cde_cx3_inst_retired", NO_CUSTOM, "custom instructions CX3 executed"),
	OF_M55(0xC40A, "cde_vcx1_inst_retired", NO_CUSTOM, "custom instructions VCX1 executed"),
	OF_M55(0xC40C, "cde_vcx2_inst_retired", NO_CUSTOM, "custom instructions VCX2 executed"),
	OF_M55(0xC40E, "cde_vcx3_inst_retired", NO_CUSTOM, "custom instructions VCX3 executed"),
	OF_M55(0xC410, "cde_vcx1_vec_inst_retired", NO_CUSTOM,
	       "custom vector instructions VCX1 executed"),
	OF_M55(0xC412, "cde_vcx2_vec_inst_retired", NO_CUSTOM,
	       "custom vector instructions VCX2 executed"),
	OF_M55(0xC414, "cde_vcx3_vec_inst_retired", NO_CUSTOM,
	       "custom vector instructions VCX3 executed"),
	OF_M55(0xC416, "cde_pred", NO_CUSTOM,
	       "cycles of custom instructions with predicated beats"),
	OF_M55(0xC417, "cde_stall", NO_CUSTOM, "stall cycles of custom instructions"),
	OF_M55(0xC418, "cde_stall_resource", NO_CUSTOM,
	       "stalls of custom instructions: a unit is busy"),
	OF_M55(0xC419, "cde_stall_dependency", NO_CUSTOM,
	       "stalls of custom instructions: a register is awaited"),
	OF_M55(0xC41A, "cde_stall_custom", NO_CUSTOM,
	       "stalls of custom instructions: the custom hardware stalls"),
	OF_M55(0xC41B, "cde_stall_other", NO_CUSTOM,
	       "stalls of custom instructions for other reasons"),
	OF_M55(0xC41C, "pf_lf_la_1", NO_PREFETCH,
	       "lines that the prefetcher requests 1 line ahead"),
	OF_M55(0xC41D, "pf_lf_la_2", NO_PREFETCH,
	       "lines that the prefetcher requests 2 lines ahead"),
	OF_M55(0xC41E, "pf_lf_la_3", NO_PREFETCH,
	       "lines that the prefetcher requests 3 lines ahead"),
	OF_M55(0xC41F, "pf_lf_la_4", NO_PREFETCH,
	       "lines that the prefetcher requests 4 lines ahead"),
	OF_M55(0xC420, "pf_lf_la_5", NO_PREFETCH,
	       "lines that the prefetcher requests 5 lines ahead"),
	OF_M55(0xC421, "pf_lf_la_6", NO_PREFETCH,
	       "lines that the prefetcher requests 6 lines ahead"),
	OF_M55(0xC422, "pf_buffer_full", NO_PREFETCH,
	       "requests of the prefetcher while its buffer is full"),
	OF_M55(0xC423, "pf_buffer_miss", NO_PREFETCH,
	       "loads whose line is not in the prefetch buffer"),
	OF_M55(0xC424, "pf_buffer_hit", NO_PREFETCH,
	       "loads whose line is in the prefetch buffer"),
};
/* clang-format on */
