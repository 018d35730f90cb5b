// SPDX-License-Identifier: MIT
/*
 * The PMUv3 catalogue, register tables, encodings and offsets equal a second copy of the numbers of
 * DDI 0487 D13.12, D23.5 and I5.3, DDI 0500 and Arm's event lists. The encodings are those that an
 * assembler generates from the registers' names.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <pmk/armv8.h>
#include <pmk/native.h>
#include <pmk/signal.h>

#include "pmu/armv8/regs.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* ---- events -------------------------------------------------------------------------------- */

struct row {
	unsigned code;
	const char *name;
	const char *cores;   /* "g" generic, "3" A53, "5" A55, "7" A57, "2" A72, "n" N1,
				* "a" A7, "f" A15, "8" A8, "9" A9 */
	const char *signals; /* "": none; "A+B": their sum */
	int cycles;
};

/* clang-format off */
static const struct row rows[] = {
	{ 0x00, "sw_incr",                 "g3572naf", "",                              0 },
	{ 0x01, "l1i_cache_refill",        "g3572naf", "L1I_FILL",                      0 },
	{ 0x02, "l1i_tlb_refill",          "g3572naf", "MICRO_ITLB_MISS",               0 },
	{ 0x03, "l1d_cache_refill",        "g3572naf", "L1D_MISS",                      0 },
	{ 0x04, "l1d_cache",               "g3572naf", "L1D_LOOKUP",                    0 },
	{ 0x05, "l1d_tlb_refill",          "g3572naf", "MICRO_DTLB_MISS",               0 },
	{ 0x06, "ld_retired",              "g35a",   "LOAD",                          0 },
	{ 0x07, "st_retired",              "g35a",   "STORE",                         0 },
	{ 0x08, "inst_retired",            "g3572naf", "INSN",                          0 },
	{ 0x09, "exc_taken",               "g3572naf", "EXC_TAKEN",                     0 },
	{ 0x0a, "exc_return",              "g3572naf", "EXC_RETURN",                    0 },
	{ 0x0b, "cid_write_retired",       "g3572naf", "CID_WRITE",                     0 },
	{ 0x0c, "pc_write_retired",        "g35a",   "PC_CHANGE+EXC_RETURN",          0 },
	{ 0x0d, "br_immed_retired",        "g35a",   "BR_IMM",                        0 },
	{ 0x0e, "br_return_retired",       "g5a",    "BR_RETURN",                     0 },
	{ 0x0f, "unaligned_ldst_retired",  "g35a",   "UNALIGNED_LD+UNALIGNED_ST",     0 },
	{ 0x10, "br_mis_pred",             "g3572naf", "BRANCH_MISS",                   0 },
	{ 0x11, "cpu_cycles",              "g3572naf", "CYCLE",                         1 },
	{ 0x12, "br_pred",                 "g3572naf", "BR_PREDICTABLE",                0 },
	{ 0x13, "mem_access",              "g3572naf", "MEM_READ+MEM_WRITE",            0 },
	{ 0x14, "l1i_cache",               "g3572naf", "L1I_ACCESS",                    0 },
	{ 0x15, "l1d_cache_wb",            "g3572naf", "L1D_EVICT",                     0 },
	{ 0x16, "l2d_cache",               "g3572naf", "L2_READ+L2_WRITE",              0 },
	{ 0x17, "l2d_cache_refill",        "g3572naf", "L2_MISS_READ+L2_MISS_WRITE",    0 },
	{ 0x18, "l2d_cache_wb",            "g3572naf", "L2_EVICT",                      0 },
	{ 0x19, "bus_access",              "g3572naf", "BUS_READ+BUS_WRITE",            0 },
	{ 0x1a, "memory_error",            "g3572nf", "PARITY_ERROR",                  0 },
	{ 0x1b, "inst_spec",               "g572nf", "INSN",                          0 },
	{ 0x1c, "ttbr_write_retired",      "g572nf", "TTBR_WRITE",                    0 },
	{ 0x1d, "bus_cycles",              "g3572naf", "CYCLE",                         1 },
	{ 0x1e, "chain",                   "g3572n", "",                              0 },
	{ 0x1f, "l1d_cache_allocate",      "g",      "L1D_ALLOC_WRITE",               0 },
	{ 0x20, "l2d_cache_allocate",      "g5n",    "",                              0 },
	{ 0x21, "br_retired",              "g5n",    "BRANCH",                        0 },
	{ 0x22, "br_mis_pred_retired",     "g5n",    "BRANCH_MISS",                   0 },
	{ 0x23, "stall_frontend",          "g5n",    "FETCH_STALL",                   1 },
	{ 0x24, "stall_backend",           "g5n",    "BACKEND_STALL",                 1 },
	{ 0x25, "l1d_tlb",                 "g5n",    "L1D_TLB_READ+L1D_TLB_WRITE",    0 },
	{ 0x26, "l1i_tlb",                 "g5n",    "L1I_TLB",                       0 },
	{ 0x27, "l2i_cache",               "g",      "",                              0 },
	{ 0x28, "l2i_cache_refill",        "g",      "",                              0 },
	{ 0x29, "l3d_cache_allocate",      "g5n",    "",                              0 },
	{ 0x2a, "l3d_cache_refill",        "g5n",    "",                              0 },
	{ 0x2b, "l3d_cache",               "g5n",    "",                              0 },
	{ 0x2c, "l3d_cache_wb",            "g",      "",                              0 },
	{ 0x2d, "l2d_tlb_refill",          "g5n",    "TLB_MISS",                      0 },
	{ 0x2e, "l2i_tlb_refill",          "g",      "",                              0 },
	{ 0x2f, "l2d_tlb",                 "g5n",    "MICRO_ITLB_MISS+MICRO_DTLB_MISS", 0 },
	{ 0x30, "l2i_tlb",                 "g",      "",                              0 },
	{ 0x31, "remote_access",           "gn",     "",                              0 },
	{ 0x32, "ll_cache",                "g",      "L2_READ+L2_WRITE",              0 },
	{ 0x33, "ll_cache_miss",           "g",      "L2_MISS_READ+L2_MISS_WRITE",    0 },
	{ 0x34, "dtlb_walk",               "g5n",    "DTLB_WALK",                     0 },
	{ 0x35, "itlb_walk",               "g5n",    "ITLB_WALK",                     0 },
	{ 0x36, "ll_cache_rd",             "g5n",    "L2_READ",                       0 },
	{ 0x37, "ll_cache_miss_rd",        "g5n",    "L2_MISS_READ",                  0 },
	{ 0x38, "remote_access_rd",        "g5",     "",                              0 },
	{ 0x39, "l1d_cache_lmiss_rd",      "g",      "L1D_READ_MISS",                 0 },
	{ 0x3a, "op_retired",              "g",      "",                              0 },
	{ 0x3b, "op_spec",                 "g",      "",                              0 },
	{ 0x3c, "stall",                   "g",      "STALL",                         1 },
	{ 0x3d, "stall_slot_backend",      "g",      "",                              0 },
	{ 0x3e, "stall_slot_frontend",     "g",      "",                              0 },
	{ 0x3f, "stall_slot",              "g",      "",                              0 },
	{ 0x40, "l1d_cache_rd",            "g572nf", "L1D_LOOKUP_READ",               0 },
	{ 0x41, "l1d_cache_wr",            "g572nf", "L1D_LOOKUP_WRITE",              0 },
	{ 0x42, "l1d_cache_refill_rd",     "g572nf", "L1D_READ_MISS",                 0 },
	{ 0x43, "l1d_cache_refill_wr",     "g572nf", "L1D_WRITE_MISS",                0 },
	{ 0x44, "l1d_cache_refill_inner",  "g5n",    "",                              0 },
	{ 0x45, "l1d_cache_refill_outer",  "g5n",    "",                              0 },
	{ 0x46, "l1d_cache_wb_victim",     "g72nf",  "L1D_EVICT",                     0 },
	{ 0x47, "l1d_cache_wb_clean",      "g72nf",  "",                              0 },
	{ 0x48, "l1d_cache_inval",         "g72nf",  "",                              0 },
	{ 0x4c, "l1d_tlb_refill_rd",       "g72nf",  "DTLB_MISS_READ",                0 },
	{ 0x4d, "l1d_tlb_refill_wr",       "g72nf",  "DTLB_MISS_WRITE",               0 },
	{ 0x4e, "l1d_tlb_rd",              "gn",     "L1D_TLB_READ",                  0 },
	{ 0x4f, "l1d_tlb_wr",              "gn",     "L1D_TLB_WRITE",                 0 },
	{ 0x50, "l2d_cache_rd",            "g572nf", "L2_READ",                       0 },
	{ 0x51, "l2d_cache_wr",            "g572nf", "L2_WRITE",                      0 },
	{ 0x52, "l2d_cache_refill_rd",     "g572nf", "L2_MISS_READ",                  0 },
	{ 0x53, "l2d_cache_refill_wr",     "g572nf", "L2_MISS_WRITE",                 0 },
	{ 0x56, "l2d_cache_wb_victim",     "g72nf",  "L2_EVICT",                      0 },
	{ 0x57, "l2d_cache_wb_clean",      "g72nf",  "",                              0 },
	{ 0x58, "l2d_cache_inval",         "g72nf",  "",                              0 },
	{ 0x5c, "l2d_tlb_refill_rd",       "gn",     "",                              0 },
	{ 0x5d, "l2d_tlb_refill_wr",       "gn",     "",                              0 },
	{ 0x5e, "l2d_tlb_rd",              "gn",     "DTLB_MISS_READ+MICRO_ITLB_MISS", 0 },
	{ 0x5f, "l2d_tlb_wr",              "gn",     "DTLB_MISS_WRITE",               0 },
	{ 0x60, "bus_access_rd",           "g3572naf", "BUS_READ",                      0 },
	{ 0x61, "bus_access_wr",           "g3572naf", "BUS_WRITE",                     0 },
	{ 0x62, "bus_access_shared",       "g72f",   "",                              0 },
	{ 0x63, "bus_access_not_shared",   "g72f",   "",                              0 },
	{ 0x64, "bus_access_normal",       "g72f",   "",                              0 },
	{ 0x65, "bus_access_periph",       "g72f",   "",                              0 },
	{ 0x66, "mem_access_rd",           "g572nf", "MEM_READ",                      0 },
	{ 0x67, "mem_access_wr",           "g572nf", "MEM_WRITE",                     0 },
	{ 0x68, "unaligned_ld_spec",       "g72nf",  "UNALIGNED_LD",                  0 },
	{ 0x69, "unaligned_st_spec",       "g72nf",  "UNALIGNED_ST",                  0 },
	{ 0x6a, "unaligned_ldst_spec",     "g72nf",  "UNALIGNED_LD+UNALIGNED_ST",     0 },
	{ 0x6c, "ldrex_spec",              "g72nf",  "LDREX",                         0 },
	{ 0x6d, "strex_pass_spec",         "g72nf",  "STREX_PASS",                    0 },
	{ 0x6e, "strex_fail_spec",         "g72nf",  "STREX_FAIL",                    0 },
	{ 0x6f, "strex_spec",              "gn",     "STREX",                         0 },
	{ 0x70, "ld_spec",                 "g572nf", "LOAD",                          0 },
	{ 0x71, "st_spec",                 "g572nf", "STORE",                         0 },
	{ 0x72, "ldst_spec",               "g572f",  "LOAD+STORE",                    0 },
	{ 0x73, "dp_spec",                 "g572nf", "DP",                            0 },
	{ 0x74, "ase_spec",                "g572nf", "ASE",                           0 },
	{ 0x75, "vfp_spec",                "g572nf", "VFP",                           0 },
	{ 0x76, "pc_write_spec",           "g572nf", "PC_CHANGE+EXC_RETURN",          0 },
	{ 0x77, "crypto_spec",             "g572n",  "CRYPTO",                        0 },
	{ 0x78, "br_immed_spec",           "g572nf", "BR_IMM",                        0 },
	{ 0x79, "br_return_spec",          "g572nf", "BR_RETURN",                     0 },
	{ 0x7a, "br_indirect_spec",        "g3572nf", "BR_INDIRECT",                   0 },
	{ 0x7c, "isb_spec",                "g72nf",  "ISB",                           0 },
	{ 0x7d, "dsb_spec",                "g72nf",  "DSB",                           0 },
	{ 0x7e, "dmb_spec",                "g72nf",  "DMB",                           0 },
	{ 0x81, "exc_undef",               "g72n",   "EXC_UNDEF",                     0 },
	{ 0x82, "exc_svc",                 "g72n",   "EXC_SVC",                       0 },
	{ 0x83, "exc_pabort",              "g72n",   "EXC_PABORT",                    0 },
	{ 0x84, "exc_dabort",              "g72n",   "EXC_DABORT",                    0 },
	{ 0x86, "exc_irq",                 "g3572na", "EXC_IRQ",                       0 },
	{ 0x87, "exc_fiq",                 "g3572na", "EXC_FIQ",                       0 },
	{ 0x88, "exc_smc",                 "g72n",   "EXC_SMC",                       0 },
	{ 0x8a, "exc_hvc",                 "g72n",   "EXC_HVC",                       0 },
	{ 0x8b, "exc_trap_pabort",         "g72n",   "",                              0 },
	{ 0x8c, "exc_trap_dabort",         "g72n",   "",                              0 },
	{ 0x8d, "exc_trap_other",          "g72n",   "",                              0 },
	{ 0x8e, "exc_trap_irq",            "g72n",   "",                              0 },
	{ 0x8f, "exc_trap_fiq",            "g72n",   "",                              0 },
	{ 0x90, "rc_ld_spec",              "g72n",   "LD_ACQUIRE",                    0 },
	{ 0x91, "rc_st_spec",              "g72n",   "ST_RELEASE",                    0 },
	{ 0xa0, "l3d_cache_rd",            "g5n",    "",                              0 },
	{ 0xa1, "l3d_cache_wr",            "g",      "",                              0 },
	{ 0xa2, "l3d_cache_refill_rd",     "g5",     "",                              0 },
	{ 0xa3, "l3d_cache_refill_wr",     "g",      "",                              0 },
	{ 0xa6, "l3d_cache_wb_victim",     "g",      "",                              0 },
	{ 0xa7, "l3d_cache_wb_clean",      "g",      "",                              0 },
	{ 0xa8, "l3d_cache_inval",         "g",      "",                              0 },
	{ 0xc0, "ext_mem_req",             "3a",     "",                              0 },
	{ 0xc1, "ext_mem_req_nc",          "3a",     "",                              0 },
	{ 0xc2, "prefetch_linefill",       "3a",     "PREFETCH_FILL",                 0 },
	{ 0xc3, "prefetch_linefill_drop",  "3a",     "",                              0 },
	{ 0xc4, "read_alloc_enter",        "3a",     "",                              0 },
	{ 0xc5, "read_alloc",              "3a",     "",                              0 },
	{ 0xc6, "pre_decode_err",          "3",      "",                              0 },
	{ 0xc7, "stall_sb_full",           "3",      "STORE_HELD",                    0 },
	{ 0xc8, "ext_snoop",               "3",      "",                              0 },
	{ 0xc9, "data_write_stall",        "a",      "STORE_HELD",                    0 },
	{ 0xc9, "br_cond",                 "3",      "BR_COND",                       0 },
	{ 0xca, "local_cluster_snoop",     "a",      "",                              0 },
	{ 0xca, "br_indirect_mispred",     "3",      "BR_INDIRECT_MISS",              0 },
	{ 0xcb, "br_indirect_mispred_addr", "3",      "BR_INDIRECT_WRONG",             0 },
	{ 0xcc, "br_cond_mispred",         "3",      "BR_COND_MISS",                  0 },
	{ 0xd0, "l1i_cache_err",           "3",      "",                              0 },
	{ 0xd1, "l1d_cache_err",           "3",      "",                              0 },
	{ 0xd2, "tlb_err",                 "3",      "",                              0 },
	{ 0xe0, "other_iq_dep_stall",      "3",      "REFETCH_STALL",                 1 },
	{ 0xe1, "ic_dep_stall",            "3",      "L1I_STALL",                     1 },
	{ 0xe2, "iutlb_dep_stall",         "3",      "ITLB_STALL",                    1 },
	{ 0xe3, "decode_dep_stall",        "3",      "",                              1 },
	{ 0xe4, "other_interlock_stall",   "3",      "INTERLOCK_STALL",               1 },
	{ 0xe5, "agu_dep_stall",           "3",      "ADDRESS_STALL",                 1 },
	{ 0xe6, "simd_dep_stall",          "3",      "SIMD_STALL",                    1 },
	{ 0xe7, "ld_dep_stall",            "3",      "LOAD_STALL",                    1 },
	{ 0xe8, "st_dep_stall",            "3",      "STORE_STALL",                   1 },
	{ 0x4000, "sample_pop",              "gn",     "",                              0 },
	{ 0x4001, "sample_feed",             "gn",     "",                              0 },
	{ 0x4002, "sample_filtrate",         "gn",     "",                              0 },
	{ 0x4003, "sample_collision",        "gn",     "",                              0 },
	{ 0x4004, "cnt_cycles",              "g",      "SYSTEM_TICK",                   0 },
	{ 0x4005, "stall_backend_mem",       "g",      "",                              1 },
	{ 0x4006, "l1i_cache_lmiss",         "g",      "L1I_FILL",                      0 },
	{ 0x4009, "l2d_cache_lmiss_rd",      "g",      "L2_MISS_READ",                  0 },
	{ 0x400a, "l2i_cache_lmiss",         "g",      "",                              0 },
	{ 0x400b, "l3d_cache_lmiss_rd",      "g",      "",                              0 },
	{ 0x400c, "trb_wrap",                "g",      "",                              0 },
	{ 0x400d, "pmu_ovfs",                "g",      "",                              0 },
	{ 0x400e, "trb_trig",                "g",      "",                              0 },
	{ 0x400f, "pmu_hovfs",               "g",      "",                              0 },
	{ 0x4010, "trcextout0",              "g",      "",                              0 },
	{ 0x4011, "trcextout1",              "g",      "",                              0 },
	{ 0x4012, "trcextout2",              "g",      "",                              0 },
	{ 0x4013, "trcextout3",              "g",      "",                              0 },
	{ 0x4018, "cti_trigout4",            "g",      "",                              0 },
	{ 0x4019, "cti_trigout5",            "g",      "",                              0 },
	{ 0x401a, "cti_trigout6",            "g",      "",                              0 },
	{ 0x401b, "cti_trigout7",            "g",      "",                              0 },
	{ 0x4020, "ldst_align_lat",          "g",      "",                              0 },
	{ 0x4021, "ld_align_lat",            "g",      "",                              0 },
	{ 0x4022, "st_align_lat",            "g",      "",                              0 },
	{ 0x4024, "mem_access_checked",      "g",      "",                              0 },
	{ 0x4025, "mem_access_checked_rd",   "g",      "",                              0 },
	{ 0x4026, "mem_access_checked_wr",   "g",      "",                              0 },
	/* PMUv1: DDI 0344, DDI 0388 11.4. */
	{ 0x00, "sw_incr",                  "89", "",                             0 },
	{ 0x01, "l1i_cache_refill",         "89", "L1I_FILL",                     0 },
	{ 0x02, "l1i_tlb_refill",           "89", "MICRO_ITLB_MISS",              0 },
	{ 0x03, "l1d_cache_refill",         "89", "L1D_MISS",                     0 },
	{ 0x04, "l1d_cache",                "89", "L1D_LOOKUP",                   0 },
	{ 0x05, "l1d_tlb_refill",           "89", "MICRO_DTLB_MISS",              0 },
	{ 0x06, "ld_retired",               "89", "LOAD",                         0 },
	{ 0x07, "st_retired",               "89", "STORE",                        0 },
	{ 0x08, "inst_retired",             "8",  "INSN",                         0 },
	{ 0x09, "exc_taken",                "89", "EXC_TAKEN",                    0 },
	{ 0x0a, "exc_return",               "89", "EXC_RETURN",                   0 },
	{ 0x0b, "cid_write_retired",        "89", "CID_WRITE",                    0 },
	{ 0x0c, "pc_write_retired",         "89", "PC_CHANGE+EXC_RETURN",         0 },
	{ 0x0d, "br_immed_retired",         "89", "BR_IMM",                       0 },
	{ 0x0e, "br_return_retired",        "8",  "BR_RETURN",                    0 },
	{ 0x0f, "unaligned_ldst_retired",   "89", "UNALIGNED_LD+UNALIGNED_ST",    0 },
	{ 0x10, "br_mis_pred",              "89", "BRANCH_MISS",                  0 },
	{ 0x11, "cpu_cycles",               "89", "CYCLE",                        1 },
	{ 0x12, "br_pred",                  "89", "BR_PREDICTABLE",               0 },
	{ 0x40, "write_buffer_full",        "8",  "",                             1 },
	{ 0x40, "java_bc_exec",             "9",  "",                             0 },
	{ 0x41, "l2_store_merged",          "8",  "",                             0 },
	{ 0x41, "java_sftbc_exec",          "9",  "",                             0 },
	{ 0x42, "l2_store_buff",            "8",  "",                             0 },
	{ 0x42, "java_bb_exec",             "9",  "",                             0 },
	{ 0x43, "l2_access",                "8",  "L2_READ+L2_WRITE",             0 },
	{ 0x44, "l2_cache_miss",            "8",  "L2_MISS_READ+L2_MISS_WRITE",   0 },
	{ 0x45, "axi_read",                 "8",  "BUS_READ",                     0 },
	{ 0x46, "axi_write",                "8",  "BUS_WRITE",                    0 },
	{ 0x47, "memory_replay",            "8",  "",                             0 },
	{ 0x48, "unaligned_access_replay",  "8",  "",                             0 },
	{ 0x49, "l1_data_miss",             "8",  "",                             0 },
	{ 0x4a, "l1_inst_miss",             "8",  "",                             0 },
	{ 0x4b, "l1_data_coloring",         "8",  "",                             0 },
	{ 0x4c, "l1_neon_data",             "8",  "",                             0 },
	{ 0x4d, "l1_neon_cache_data",       "8",  "",                             0 },
	{ 0x4e, "l2_neon",                  "8",  "",                             0 },
	{ 0x4f, "l2_neon_hit",              "8",  "",                             0 },
	{ 0x50, "l1_inst",                  "8",  "L1I_ACCESS",                   0 },
	{ 0x50, "co_lf_miss",               "9",  "",                             0 },
	{ 0x51, "pc_return_mis_pred",       "8",  "RET_MISS",                     0 },
	{ 0x51, "co_lf_hit",                "9",  "",                             0 },
	{ 0x52, "pc_branch_failed",         "8",  "BR_COND_MISS",                 0 },
	{ 0x53, "pc_branch_taken",          "8",  "",                             0 },
	{ 0x54, "pc_branch_executed",       "8",  "PC_CHANGE",                    0 },
	{ 0x55, "op_executed",              "8",  "",                             0 },
	{ 0x56, "cycles_inst_stall",        "8",  "FETCH_STALL",                  1 },
	{ 0x57, "cycles_inst",              "8",  "INSN",                         0 },
	{ 0x58, "cycles_neon_data_stall",   "8",  "",                             1 },
	{ 0x59, "cycles_neon_inst_stall",   "8",  "",                             1 },
	{ 0x5a, "neon_cycles",              "8",  "",                             1 },
	{ 0x60, "ic_dep_stall",             "9",  "L1I_STALL",                    1 },
	{ 0x61, "dc_dep_stall",             "9",  "",                             1 },
	{ 0x62, "stall_main_tlb",           "9",  "",                             1 },
	{ 0x63, "strex_pass",               "9",  "STREX_PASS",                   0 },
	{ 0x64, "strex_fails",              "9",  "STREX_FAIL",                   0 },
	{ 0x65, "data_evict",               "9",  "L1D_EVICT",                    0 },
	{ 0x66, "iss_no_disp",              "9",  "STALL",                        1 },
	{ 0x67, "iss_empty",                "9",  "FETCH_STALL",                  1 },
	{ 0x68, "ins_rename",               "9",  "INSN",                         0 },
	{ 0x69, "data_linefill",            "9",  "L1D_MISS",                     0 },
	{ 0x6a, "prefetch_linefill",        "9",  "",                             0 },
	{ 0x6b, "prefetch_hit",             "9",  "",                             0 },
	{ 0x6e, "prd_fn_ret",               "9",  "BR_RETURN",                    0 },
	{ 0x70, "pmu0_events",              "8",  "",                             0 },
	{ 0x70, "ins_main_exec",            "9",  "",                             0 },
	{ 0x71, "pmu1_events",              "8",  "",                             0 },
	{ 0x71, "ins_snd_exec",             "9",  "",                             0 },
	{ 0x72, "pmu_events",               "8",  "",                             0 },
	{ 0x72, "ins_lsu",                  "9",  "LOAD+STORE",                   0 },
	{ 0x73, "ins_fp_rr",                "9",  "VFP",                          0 },
	{ 0x74, "ins_neon_rr",              "9",  "ASE",                          0 },
	{ 0x80, "stall_pld",                "9",  "",                             1 },
	{ 0x81, "stall_write",              "9",  "",                             1 },
	{ 0x82, "stall_ins_tlb",            "9",  "",                             1 },
	{ 0x83, "stall_data_tlb",           "9",  "",                             1 },
	{ 0x84, "stall_ins_utlb",           "9",  "",                             1 },
	{ 0x85, "stall_data_utlb",          "9",  "",                             1 },
	{ 0x86, "stall_dmb",                "9",  "",                             1 },
	{ 0x8a, "clk_int_en",               "9",  "",                             1 },
	{ 0x8b, "clk_de_en",                "9",  "",                             1 },
	{ 0x8c, "clk_neon_en",              "9",  "",                             1 },
	{ 0x8d, "ins_tlb_alloc",            "9",  "ITLB_WALK",                    0 },
	{ 0x8e, "data_tlb_alloc",           "9",  "DTLB_WALK",                    0 },
	{ 0x90, "ins_isb",                  "9",  "ISB",                          0 },
	{ 0x91, "ins_dsb",                  "9",  "DSB",                          0 },
	{ 0x92, "ins_dmb",                  "9",  "DMB",                          0 },
	{ 0x93, "ext_irq",                  "9",  "EXC_IRQ+EXC_FIQ",              0 },
	{ 0xa0, "ple_cl_req_cmp",           "9",  "",                             0 },
	{ 0xa1, "ple_cl_req_skp",           "9",  "",                             0 },
	{ 0xa2, "ple_fifo_flsh",            "9",  "",                             0 },
	{ 0xa3, "ple_req_comp",             "9",  "",                             0 },
	{ 0xa4, "ple_fifo_of",              "9",  "",                             0 },
	{ 0xa5, "ple_req_prg",              "9",  "",                             0 },
};

static const struct core {
	char letter;
	const struct pmk_pmu *pmu;
	const char *name;
	unsigned version, pmcr;
	uint64_t pmceid0, pmceid1;
	unsigned counters, width; /* of the event counters */
} cores[] = {
	{ 'g', &pmk_armv8, "armv8", 5, 0x4100f800,
	  0x0f0ffe7fffffffff, 0x77ffffffff, 31, 32 },
	{ 'g', &pmk_armv8_long, "armv8_long", 6, 0x4100f800,
	  0x0f0ffe7fffffffff, 0x77ffffffff, 31, 64 },
	{ '3', &pmk_cortex_a53, "cortex-a53", 1, 0x41033000,
	  0x67ffbfff, 0, 6, 32 },
	{ '5', &pmk_cortex_a55, "cortex-a55", 4, 0x41453000,
	  0x7fffffff, 0x01f0ae7f, 6, 32 },
	{ '7', &pmk_cortex_a57, "cortex-a57", 1, 0x41013000,
	  0x7fff0f3f, 0, 6, 32 },
	{ '2', &pmk_cortex_a72, "cortex-a72", 1, 0x41023000,
	  0x7fff0f3f, 0, 6, 32 },
	{ 'n', &pmk_neoverse_n1, "neoverse-n1", 4, 0x410c3000,
	  0x0f7fff0f3f, 0x00f2ae7f, 6, 32 },
	{ 'a', &pmk_cortex_a7, "cortex-a7", 0, 0x41072000,
	  0x23ffffff, 0, 4, 32 },
	{ 'f', &pmk_cortex_a15, "cortex-a15", 0, 0x410f3000,
	  0x3fff0f3f, 0, 6, 32 },
	{ '8', &pmk_cortex_a8, "cortex-a8", 0, 0x41002000,
	  0x0007ffff, 0, 4, 32 },
	{ '9', &pmk_cortex_a9, "cortex-a9", 0, 0x41093000,
	  0x0007beff, 0, 6, 32 },
};

/*
 * The catalogue of Cortex-M: the codes of DDI 0553 and DDI 0487 K3.1, and our own codes from 0xd000
 * on.
 */
static const struct {
	unsigned code;
	const char *name, *signals;
	int cycles;
} rows_of_m[] = {
	{ 0x06, "ld_retired", "LOAD", 0 },
	{ 0x07, "st_retired", "STORE", 0 },
	{ 0x08, "inst_retired", "INSN", 0 },
	{ 0x09, "exc_taken", "EXC_TAKEN", 0 },
	{ 0x0a, "exc_return", "EXC_RETURN", 0 },
	{ 0x0c, "pc_write_retired", "PC_CHANGE", 0 },
	{ 0x0d, "br_immed_retired", "BR_IMM", 0 },
	{ 0x0e, "br_return_retired", "BR_RETURN", 0 },
	{ 0x0f, "unaligned_ldst_retired", "UNALIGNED_LD+UNALIGNED_ST", 0 },
	{ 0x11, "cpu_cycles", "CYCLE", 1 },
	{ 0x1e, "chain", "", 0 },
	{ 0x21, "br_retired", "BRANCH", 0 },
	{ 0x6c, "ldrex_spec", "LDREX", 0 },
	{ 0x6f, "strex_spec", "STREX", 0 },
	{ 0x73, "dp_spec", "DP", 0 },
	{ 0x75, "vfp_spec", "VFP", 0 },
	{ 0x7a, "br_indirect_spec", "BR_INDIRECT", 0 },
	{ 0x7c, "isb_spec", "ISB", 0 },
	{ 0x7d, "dsb_spec", "DSB", 0 },
	{ 0x7e, "dmb_spec", "DMB", 0 },
	{ 0x81, "exc_undef", "EXC_UNDEF", 0 },
	{ 0x82, "exc_svc", "EXC_SVC", 0 },
	{ 0x86, "exc_irq", "EXC_IRQ", 0 },
	{ 0xd000, "br_cond_retired", "BR_COND", 0 },
	{ 0xd001, "mul_retired", "MUL", 0 },
	{ 0xd002, "div_retired", "DIV", 0 },
	{ 0xd008, "base_overhead", "CPI_CYCLE", 1 },
	{ 0xd00c, "exception_overhead", "EXC_CYCLE", 1 },
	{ 0xd010, "sleep_cycles", "", 1 },
	{ 0xd014, "lsu_overhead", "LSU_CYCLE", 1 },
	{ 0xd018, "folded_instructions", "FOLDED_INSN", 0 },
};
/* clang-format on */

/* Writes the signals of a row of the catalogue as "A+B". */
static void signals_text(const struct pmk_event *ev, char *buf, size_t size)
{
	const char *a = ev->signal ? pmk_signal_name(ev->signal) : NULL;
	const char *b = ev->signal2 ? pmk_signal_name(ev->signal2) : NULL;

	snprintf(buf, size, "%s%s%s", a ? a : "", a && b ? "+" : "", b ? b : "");
}

/* Code by code, each core has the events of the lists and no other. */
static void test_rows(void **state)
{
	(void)state;
	for (size_t c = 0; c < COUNT(cores); c++) {
		unsigned n = 0;

		for (unsigned code = 0; code < 0x10000; code++) {
			const struct pmk_event *ev = pmk_pmu_event_code(cores[c].pmu, code);
			const struct row *row = NULL;
			char signals[64];

			for (size_t i = 0; i < COUNT(rows); i++)
				if (rows[i].code == code && strchr(rows[i].cores, cores[c].letter))
					row = &rows[i];
			if (!row != !ev)
				fail_msg("%s: 0x%04x", cores[c].name, code);
			if (!row)
				continue;
			n++;
			assert_int_equal(ev->code, code);
			assert_string_equal(ev->name, row->name);
			assert_int_equal(ev->cycles, row->cycles);
			signals_text(ev, signals, sizeof(signals));
			assert_string_equal(signals, row->signals);
			assert_ptr_equal(pmk_pmu_event(cores[c].pmu, row->name), ev);
		}
		assert_true(n > 35);
	}
}

static void check_words(const char *s)
{
	assert_non_null(s);
	assert_true(*s);
	assert_true(strlen(s) < 140);
	assert_null(strchr(s, '\n'));
}

/* Signals that no emulated core raises. */
static bool never_raised(unsigned signal)
{
	static const uint8_t none[] = { PMK_SIG_PARITY_ERROR, PMK_SIG_L1D_ALLOC_WRITE,
					PMK_SIG_EXC_PABORT,   PMK_SIG_EXC_DABORT,
					PMK_SIG_EXC_IRQ,      PMK_SIG_EXC_FIQ,
					PMK_SIG_SYSTEM_TICK };

	return memchr(none, (int)signal, sizeof(none)) != NULL;
}

/*
 * Rows are in code order, and each core has at most one row for a code. Names are in lower_snake,
 * and every text is present. A row has a reason if it has no signal, or a signal that no emulated
 * core raises, and only then.
 */
static void check_catalogue(const struct pmk_pmu *pmu, unsigned least_own)
{
	for (unsigned i = 0; i < pmu->nevents; i++) {
		const struct pmk_event *ev = &pmu->events[i];

		if (i && ev[-1].code == ev->code) {
			/*
			 * Below `least_own`, a code means the same event on every core that has it.
			 */
			assert_true(ev->code >= least_own || !strcmp(ev[-1].name, ev->name));
			assert_int_equal(ev[-1].cores & ev->cores, 0);
			assert_true(ev->code >= least_own || ev[-1].signal == ev->signal);
			assert_true(ev->code >= least_own || ev[-1].signal2 == ev->signal2);
		} else if (i) {
			assert_true(ev[-1].code < ev->code);
		}
		assert_true(strspn(ev->name, "abcdefghijklmnopqrstuvwxyz0123456789_") ==
			    strlen(ev->name));
		assert_true(ev->cores != 0 && ev->cores < 0x400);
		check_words(ev->ref);
		check_words(ev->brief);
		if (ev->caveat)
			check_words(ev->caveat);
		if (ev->signal == PMK_SIG_NONE || never_raised(ev->signal))
			check_words(ev->unmodelled);
		else
			assert_null(ev->unmodelled);
		if (ev->signal == PMK_SIG_NONE)
			assert_int_equal(ev->signal2, PMK_SIG_NONE);
	}
}

static void test_rows_are_complete(void **state)
{
	(void)state;
	check_catalogue(&pmk_armv8, 0xc0);
	check_catalogue(&pmk_cortex_a9, 0x40);
	assert_ptr_equal(pmk_cortex_a8.events, pmk_cortex_a9.events);
}

/* SW_INCR and CHAIN have no signal. The reason is that they count only through the registers. */
static void test_register_events(void **state)
{
	static const unsigned codes[] = { 0x00, 0x1e };

	(void)state;
	for (size_t c = 0; c < COUNT(cores); c++) {
		for (size_t i = 0; i < COUNT(codes); i++) {
			const struct pmk_event *ev = pmk_pmu_event_code(cores[c].pmu, codes[i]);

			if (codes[i] == 0x1e && cores[c].version == 0) { /* ARMv7 */
				assert_null(ev);
				continue;
			}
			assert_non_null(ev);
			assert_non_null(
				strstr(ev->unmodelled, "counts only through the registers"));
		}
	}
}

/* The description of every speculative event says what "speculatively executed" means here. */
static void test_speculative_events(void **state)
{
	unsigned n = 0;

	(void)state;
	for (unsigned i = 0; i < pmk_armv8.nevents; i++) {
		const struct pmk_event *ev = &pmk_armv8.events[i];
		const char *spec = strstr(ev->name, "_spec");

		if (!spec || spec[5] || ev->signal == PMK_SIG_NONE)
			continue;
		assert_non_null(strstr(ev->caveat, "no wrong path"));
		n++;
	}
	assert_int_equal(n, 24);
}

/* PMCEID and the catalogue of each core agree about every code that PMCEID covers. */
static void test_pmceid(void **state)
{
	(void)state;
	for (size_t c = 0; c < COUNT(cores); c++) {
		const struct pmk_armv8_core *core = cores[c].pmu->family;
		const struct pmk_armv8_found found = {
			.pmceid = { cores[c].pmceid0, cores[c].pmceid1 },
		};

		assert_true(core->pmceid[0] == cores[c].pmceid0);
		assert_true(core->pmceid[1] == cores[c].pmceid1);
		for (unsigned e = 0; e < 0x20; e++) {
			const unsigned codes[] = { e, 0x20 + e, 0x4000 + e, 0x4020 + e };
			const uint64_t bits[] = { cores[c].pmceid0 >> e, cores[c].pmceid1 >> e,
						  cores[c].pmceid0 >> 32 >> e,
						  cores[c].pmceid1 >> 32 >> e };

			for (unsigned k = 0; k < 4; k++) {
				bool has = pmk_pmu_event_code(cores[c].pmu, codes[k]) != NULL;

				if (has != (bits[k] & 1))
					fail_msg("%s: 0x%04x", cores[c].name, codes[k]);
				assert_int_equal(pmk_armv8_counts(&found, codes[k]), bits[k] & 1);
			}
		}
	}
}

/* The events of the Cortex-M, its counters, and PMCEID agree. */
static void test_cortex_m(void **state)
{
	const struct pmk_pmu *pmu = &pmk_cortex_m;
	const struct pmk_armv8_core *core = pmu->family;
	uint64_t pmceid[2] = { 0, 0 };

	(void)state;
	assert_int_equal(pmu->nevents, COUNT(rows_of_m));
	for (size_t i = 0; i < COUNT(rows_of_m); i++) {
		const struct pmk_event *ev = &pmu->events[i];
		const char *second = ev->signal2 ? pmk_signal_name(ev->signal2) : "";
		char signals[64] = "";

		if (ev->signal != PMK_SIG_NONE)
			snprintf(signals, sizeof(signals), "%s%s%s", pmk_signal_name(ev->signal),
				 *second ? "+" : "", second);
		assert_int_equal(ev->code, rows_of_m[i].code);
		assert_string_equal(ev->name, rows_of_m[i].name);
		assert_string_equal(signals, rows_of_m[i].signals);
		assert_int_equal(ev->cycles, rows_of_m[i].cycles);
		assert_int_equal(ev->unmodelled != NULL, ev->signal == PMK_SIG_NONE);
		if (ev->code < 0x40)
			pmceid[ev->code / 32] |= UINT64_C(1) << ev->code % 32;
	}
	assert_true(core->pmceid[0] == pmceid[0] && core->pmceid[1] == pmceid[1]);
	assert_int_equal(pmu->ncounters, 1 + 31);
	assert_int_equal(core->counters, 31);
	assert_int_equal(core->pmcr >> 11 & 31, 31);
	assert_string_equal(pmu->counters[0].name, "PMU_CCNTR");
	assert_int_equal(pmu->counters[0].width, 64);
	assert_int_equal(pmu->counters[0].fixed_code, 0x11);
	for (unsigned n = 0; n < 31; n++) {
		char name[24];

		snprintf(name, sizeof(name), "PMU_EVCNTR%u", n);
		assert_string_equal(pmu->counters[1 + n].name, name);
		assert_int_equal(pmu->counters[1 + n].width, 32);
		assert_int_equal(pmu->counters[1 + n].fixed_code, -1);
	}
}

/* The driver does not refuse codes that PMCEID does not cover. */
static void test_counts_beyond_pmceid(void **state)
{
	static const unsigned codes[] = { 0x40,	  0x7a,	  0xc0,	  0xff,	 0x3ff,
					  0x4040, 0x7fff, 0x8000, 0xc000 };
	const struct pmk_armv8_found nothing = { 0 };

	(void)state;
	for (size_t i = 0; i < COUNT(codes); i++)
		assert_true(pmk_armv8_counts(&nothing, codes[i]));
	for (unsigned code = 0; code < 0x40; code++) {
		assert_false(pmk_armv8_counts(&nothing, code));
		assert_false(pmk_armv8_counts(&nothing, 0x4000 + code));
	}
}

static const struct {
	int line;
	const struct pmk_pmu *pmu;
	const char *alias;
	int code; /* -1: no event */
} aliases[] = {
	{ __LINE__, &pmk_cortex_a53, "cycles", 0x11 },
	{ __LINE__, &pmk_cortex_a53, "cpu-cycles", 0x11 },
	{ __LINE__, &pmk_cortex_a53, "CPU_CYCLES", 0x11 },
	{ __LINE__, &pmk_cortex_a53, "instructions", 0x08 },
	{ __LINE__, &pmk_cortex_a53, "cache-references", 0x04 },
	{ __LINE__, &pmk_cortex_a53, "cache-misses", 0x03 },
	{ __LINE__, &pmk_cortex_a53, "branches", 0x0c },
	{ __LINE__, &pmk_cortex_a53, "branch-instructions", 0x0c },
	{ __LINE__, &pmk_cortex_a53, "branch-misses", 0x10 },
	{ __LINE__, &pmk_cortex_a53, "branch-loads", 0x12 },
	{ __LINE__, &pmk_cortex_a53, "branch-load-misses", 0x10 },
	{ __LINE__, &pmk_cortex_a53, "bus-cycles", 0x1d },
	{ __LINE__, &pmk_cortex_a53, "L1-dcache-loads", 0x04 },
	{ __LINE__, &pmk_cortex_a53, "L1-dcache-load-misses", 0x03 },
	{ __LINE__, &pmk_cortex_a53, "L1-dcache-stores", -1 },
	{ __LINE__, &pmk_cortex_a53, "L1-dcache-prefetch-misses", 0xc2 },
	{ __LINE__, &pmk_cortex_a53, "L1-icache-loads", 0x14 },
	{ __LINE__, &pmk_cortex_a53, "L1-icache-load-misses", 0x01 },
	{ __LINE__, &pmk_cortex_a53, "dTLB-load-misses", 0x05 },
	{ __LINE__, &pmk_cortex_a53, "iTLB-load-misses", 0x02 },
	{ __LINE__, &pmk_cortex_a53, "dTLB-loads", -1 },
	{ __LINE__, &pmk_cortex_a53, "stalled-cycles-frontend", -1 },
	{ __LINE__, &pmk_cortex_a53, "node-loads", 0x60 },
	{ __LINE__, &pmk_cortex_a53, "node-stores", 0x61 },
	{ __LINE__, &pmk_cortex_a53, "bus_access_ld", 0x60 },
	{ __LINE__, &pmk_cortex_a53, "bus_access_st", 0x61 },
	{ __LINE__, &pmk_cortex_a53, "br_return_retired", -1 },
	{ __LINE__, &pmk_cortex_a53, "inst_spec", -1 },
	{ __LINE__, &pmk_cortex_a53, "l1d_cache_rd", -1 },
	{ __LINE__, &pmk_cortex_a53, "", -1 },
	{ __LINE__, &pmk_cortex_a57, "branches", -1 },
	{ __LINE__, &pmk_cortex_a57, "L1-dcache-loads", 0x40 },
	{ __LINE__, &pmk_cortex_a57, "L1-dcache-load-misses", 0x42 },
	{ __LINE__, &pmk_cortex_a57, "L1-dcache-stores", 0x41 },
	{ __LINE__, &pmk_cortex_a57, "L1-dcache-store-misses", 0x43 },
	{ __LINE__, &pmk_cortex_a57, "dTLB-load-misses", 0x4c },
	{ __LINE__, &pmk_cortex_a57, "dTLB-store-misses", 0x4d },
	{ __LINE__, &pmk_cortex_a57, "cache-misses", 0x03 },
	{ __LINE__, &pmk_cortex_a57, "ext_mem_req", -1 },
	{ __LINE__, &pmk_cortex_a72, "L1-dcache-loads", 0x40 },
	{ __LINE__, &pmk_cortex_a72, "dTLB-load-misses", 0x4c },
	{ __LINE__, &pmk_cortex_a72, "l1d_cache_ld", 0x40 },
	{ __LINE__, &pmk_cortex_a72, "l1d_tlb_refill_st", 0x4d },
	{ __LINE__, &pmk_cortex_a72, "mem_access_ld", 0x66 },
	{ __LINE__, &pmk_cortex_a55, "L1-dcache-loads", 0x40 },
	{ __LINE__, &pmk_cortex_a55, "L1-dcache-load-misses", 0x42 },
	{ __LINE__, &pmk_cortex_a55, "dTLB-load-misses", 0x05 },
	{ __LINE__, &pmk_cortex_a55, "dTLB-loads", 0x25 },
	{ __LINE__, &pmk_cortex_a55, "branches", 0x21 },
	{ __LINE__, &pmk_cortex_a55, "stalled-cycles-backend", 0x24 },
	{ __LINE__, &pmk_cortex_a55, "LLC-loads", 0x36 },
	{ __LINE__, &pmk_cortex_m, "instructions", 0x08 },
	{ __LINE__, &pmk_cortex_m, "cycles", 0x11 },
	{ __LINE__, &pmk_cortex_m, "branches", 0x21 },
	{ __LINE__, &pmk_cortex_m, "cache-misses", -1 },
	{ __LINE__, &pmk_neoverse_n1, "L1-dcache-loads", 0x04 },
	{ __LINE__, &pmk_neoverse_n1, "L1-dcache-load-misses", 0x03 },
	{ __LINE__, &pmk_neoverse_n1, "dTLB-load-misses", 0x05 },
	{ __LINE__, &pmk_neoverse_n1, "iTLB-loads", 0x26 },
	{ __LINE__, &pmk_neoverse_n1, "branches", 0x21 },
	{ __LINE__, &pmk_neoverse_n1, "LLC-load-misses", 0x37 },
	{ __LINE__, &pmk_neoverse_n1, "stalled-cycles-frontend", 0x23 },
	{ __LINE__, &pmk_armv8, "branches", 0x21 },
	{ __LINE__, &pmk_armv8, "L1-dcache-loads", 0x04 },
	{ __LINE__, &pmk_armv8, "chain", 0x1e },
	{ __LINE__, &pmk_armv8, "cti_trigout7", 0x401b },
	{ __LINE__, &pmk_armv8, "stall_slot", 0x3f },
	{ __LINE__, &pmk_armv8, "read_alloc", -1 },
	{ __LINE__, &pmk_armv8_long, "cycles", 0x11 },
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

/* The enum of the public header has the catalogue's codes. */
static void test_enum(void **state)
{
	(void)state;
	assert_int_equal(PMK_ARMV8_SW_INCR, 0x00);
	assert_int_equal(PMK_ARMV8_L1I_CACHE_REFILL, 0x01);
	assert_int_equal(PMK_ARMV8_L1D_CACHE_REFILL, 0x03);
	assert_int_equal(PMK_ARMV8_L1D_CACHE, 0x04);
	assert_int_equal(PMK_ARMV8_LD_RETIRED, 0x06);
	assert_int_equal(PMK_ARMV8_ST_RETIRED, 0x07);
	assert_int_equal(PMK_ARMV8_INST_RETIRED, 0x08);
	assert_int_equal(PMK_ARMV8_EXC_TAKEN, 0x09);
	assert_int_equal(PMK_ARMV8_PC_WRITE_RETIRED, 0x0c);
	assert_int_equal(PMK_ARMV8_BR_MIS_PRED, 0x10);
	assert_int_equal(PMK_ARMV8_CPU_CYCLES, 0x11);
	assert_int_equal(PMK_ARMV8_BR_PRED, 0x12);
	assert_int_equal(PMK_ARMV8_MEM_ACCESS, 0x13);
	assert_int_equal(PMK_ARMV8_L2D_CACHE_REFILL, 0x17);
	assert_int_equal(PMK_ARMV8_CHAIN, 0x1e);
	assert_int_equal(PMK_ARMV8_BR_RETIRED, 0x21);
	assert_int_equal(PMK_ARMV8_EL0_EL1, 0);
	assert_true(PMK_ARMV8_EL0 == 0x80000000);
	assert_true(PMK_ARMV8_EL1 == 0x40000000);
	assert_true(PMK_ARMV8_EL0_EL1_EL2 == 0x08000000);
	assert_true(PMK_ARMV8_EL2 == 0xc8000000);
}

/* ---- PMUs ---------------------------------------------------------------------------------- */

static const struct {
	const char *name;
	const struct pmk_pmu *pmu;
} names[] = {
	{ "armv8", &pmk_armv8 },
	{ "armv8_pmuv3", &pmk_armv8 },
	{ "armv8_long", &pmk_armv8_long },
	{ "cortex-a53", &pmk_cortex_a53 },
	{ "armv8_cortex_a53", &pmk_cortex_a53 },
	{ "arm_ac53", &pmk_cortex_a53 },
	{ "Cortex-A53", &pmk_cortex_a53 },
	{ "armv8_cortex_a55", &pmk_cortex_a55 },
	{ "arm_ac57", &pmk_cortex_a57 },
	{ "armv8_cortex_a57", &pmk_cortex_a57 },
	{ "cortex-a72", &pmk_cortex_a72 },
	{ "arm_ac72", &pmk_cortex_a72 },
	{ "armv8_cortex_a72", &pmk_cortex_a72 },
	{ "neoverse-n1", &pmk_neoverse_n1 },
	{ "armv8_neoverse_n1", &pmk_neoverse_n1 },
	{ "arm_n1", &pmk_neoverse_n1 },
	{ "armv7_cortex_a7", &pmk_cortex_a7 },
	{ "cortex_a15", &pmk_cortex_a15 },
	{ "armv7_cortex_a8", &pmk_cortex_a8 },
	{ "arm_ac9", &pmk_cortex_a9 },
	{ "cortex-m", &pmk_cortex_m },
	{ "armv8_1m", &pmk_cortex_m },
	{ "cortex-a5", NULL },
	{ "armv8_", NULL },
};

static void test_find(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(names); i++)
		assert_ptr_equal(pmk_pmu_find(names[i].name), names[i].pmu);
}

static void test_pmus(void **state)
{
	(void)state;
	for (size_t c = 0; c < COUNT(cores); c++) {
		const struct pmk_pmu *pmu = cores[c].pmu;
		const struct pmk_armv8_core *core = pmu->family;

		assert_string_equal(pmu->name, cores[c].name);
		assert_ptr_equal(pmk_pmu_find(cores[c].name), pmu);
		assert_int_equal(core->counters, cores[c].counters);
		assert_int_equal(core->version, cores[c].version);
		assert_int_equal(core->pmcr, cores[c].pmcr);
		assert_int_equal(cores[c].pmcr >> 11 & 31, cores[c].counters);
		assert_int_equal(core->long_counters, cores[c].width == 64);
		check_words(pmu->brief);

		assert_int_equal(pmu->ncounters, cores[c].counters + 1);
		assert_string_equal(pmu->counters[0].name, "PMCCNTR");
		assert_int_equal(pmu->counters[0].width, core->version ? 64 : 32);
		assert_int_equal(pmu->counters[0].fixed_code, 0x11);
		for (unsigned n = 0; n < cores[c].counters; n++) {
			char name[24];

			snprintf(name, sizeof(name), "PMEVCNTR%u", n);
			assert_string_equal(pmu->counters[1 + n].name, name);
			assert_int_equal(pmu->counters[1 + n].width, cores[c].width);
			assert_int_equal(pmu->counters[1 + n].fixed_code, -1);
		}
	}
}

/*
 * The cycle counter comes first, and six others follow. Event 0x11 can also use an event counter.
 */
static void test_free_counter(void **state)
{
	(void)state;
	assert_int_equal(
		pmk_pmu_free_counter(&pmk_cortex_a53, &(struct pmk_counter_set){ { 0 } }, 0x11), 0);
	assert_int_equal(
		pmk_pmu_free_counter(&pmk_cortex_a53, &(struct pmk_counter_set){ { 1 } }, 0x11), 1);
	assert_int_equal(
		pmk_pmu_free_counter(&pmk_cortex_a53, &(struct pmk_counter_set){ { 0 } }, 0x08), 1);
	assert_int_equal(
		pmk_pmu_free_counter(&pmk_cortex_a53, &(struct pmk_counter_set){ { 0x3f } }, 0x08),
		6);
	assert_int_equal(
		pmk_pmu_free_counter(&pmk_cortex_a53, &(struct pmk_counter_set){ { 0x7e } }, 0x08),
		PMK_ENOCTR);
	assert_int_equal(
		pmk_pmu_free_counter(&pmk_armv8, &(struct pmk_counter_set){ { 0x7fffffff } }, 0x08),
		31);
	assert_int_equal(
		pmk_pmu_free_counter(&pmk_armv8, &(struct pmk_counter_set){ { 0xfffffffe } }, 0x08),
		PMK_ENOCTR);
}

/* Each counter has the right number and bit. */
static void test_counter_bits(void **state)
{
	(void)state;
	assert_int_equal(PMK_ARMV8_CTR_CYCLES, 0);
	assert_int_equal(PMK_ARMV8_CTR_EVENT0, 1);
	assert_int_equal(PMK_ARMV8_NCTRS, 32);
	assert_true(pmk_armv8_counter_bit(0) == 0x80000000);
	assert_true(pmk_armv8_counter_bit(1) == 0x00000001);
	assert_true(pmk_armv8_counter_bit(6) == 0x00000020);
	assert_true(pmk_armv8_counter_bit(31) == 0x40000000);
}

/* ---- registers ----------------------------------------------------------------------------- */

/*
 * The address of each register: number, name, bits [20:5] of its MRS, CRn:CRm:opc2 of its MRC,
 * offset.
 */
static const struct {
	unsigned reg;
	const char *name, *alias, *mrs;
	unsigned sysreg, crn, crm, opc2, offset; /* 0xffff: does not exist */
} places[] = {
	{ 0, "PMCR", "PMCR_EL0", "S3_3_C9_C12_0", 0xdce0, 9, 12, 0, 0xe04 },
	{ 1, "PMCNTENSET", "PMCNTENSET_EL0", "S3_3_C9_C12_1", 0xdce1, 9, 12, 1, 0xc00 },
	{ 2, "PMCNTENCLR", "PMCNTENCLR_EL0", "S3_3_C9_C12_2", 0xdce2, 9, 12, 2, 0xc20 },
	{ 3, "PMOVSCLR", "PMOVSR", "S3_3_C9_C12_3", 0xdce3, 9, 12, 3, 0xc80 },
	{ 4, "PMSWINC", "PMSWINC_EL0", "S3_3_C9_C12_4", 0xdce4, 9, 12, 4, 0xca0 },
	{ 5, "PMSELR", "PMSELR_EL0", "S3_3_C9_C12_5", 0xdce5, 9, 12, 5, 0xffff },
	{ 6, "PMCEID0", "PMCEID0_EL0", "S3_3_C9_C12_6", 0xdce6, 9, 12, 6, 0xe20 },
	{ 7, "PMCEID1", "PMCEID1_EL0", "S3_3_C9_C12_7", 0xdce7, 9, 12, 7, 0xe24 },
	{ 8, "PMCCNTR", "PMCCNTR_EL0", "S3_3_C9_C13_0", 0xdce8, 9, 13, 0, 0x0f8 },
	{ 9, "PMXEVTYPER", "PMXEVTYPER_EL0", "S3_3_C9_C13_1", 0xdce9, 9, 13, 1, 0xffff },
	{ 10, "PMXEVCNTR", "PMXEVCNTR_EL0", "S3_3_C9_C13_2", 0xdcea, 9, 13, 2, 0xffff },
	{ 11, "PMUSERENR", "PMUSERENR_EL0", "S3_3_C9_C14_0", 0xdcf0, 9, 14, 0, 0xffff },
	{ 12, "PMOVSSET", "PMOVSSET_EL0", "S3_3_C9_C14_3", 0xdcf3, 9, 14, 3, 0xcc0 },
	{ 13, "PMINTENSET", "PMINTENSET_EL1", "S3_0_C9_C14_1", 0xc4f1, 9, 14, 1, 0xc40 },
	{ 14, "PMINTENCLR", "PMINTENCLR_EL1", "S3_0_C9_C14_2", 0xc4f2, 9, 14, 2, 0xc60 },
	{ 15, "PMMIR", "PMMIR_EL1", "S3_0_C9_C14_6", 0xc4f6, 9, 14, 6, 0xe40 },
	{ 16, "PMCCFILTR", "PMCCFILTR_EL0", "S3_3_C14_C15_7", 0xdf7f, 14, 15, 7, 0x47c },
};

static void check_where(const struct pmk_reg_info *reg, const char *name, const char *mrs,
			unsigned crn, unsigned crm, unsigned opc2, unsigned offset)
{
	char text[128];
	int len = snprintf(text, sizeof(text), "%s (%s); p15, 0, <Rt>, c%u, c%u, %u", name, mrs,
			   crn, crm, opc2);

	if (offset != 0xffff)
		snprintf(text + len, sizeof(text) - (size_t)len, "; offset 0x%03X", offset);
	assert_string_equal(reg->where, text);
}

static void test_places(void **state)
{
	const struct pmk_reg_info *dfr0 = pmk_pmu_reg(&pmk_armv8, "ID_AA64DFR0_EL1");

	(void)state;
	for (size_t c = 0; c < COUNT(cores); c++) {
		for (size_t i = 0; i < COUNT(places); i++) {
			const struct pmk_reg_info *reg = pmk_pmu_reg(cores[c].pmu, places[i].name);
			const struct pmk_armv8_place *at = &pmk_armv8_places[places[i].reg];
			char el[24];

			assert_ptr_equal(reg, &cores[c].pmu->regs[places[i].reg]);
			assert_ptr_equal(pmk_pmu_reg(cores[c].pmu, places[i].alias), reg);
			snprintf(el, sizeof(el), "%s_EL%d", places[i].name,
				 places[i].sysreg < 0xd000);
			assert_ptr_equal(pmk_pmu_reg(cores[c].pmu, el), reg);
			check_where(reg, el, places[i].mrs, places[i].crn, places[i].crm,
				    places[i].opc2, places[i].offset);
			assert_int_equal(at->sysreg, places[i].sysreg);
			assert_int_equal(at->cp15,
					 places[i].crn << 7 | places[i].crm << 3 | places[i].opc2);
			assert_int_equal(at->offset, places[i].offset);
			assert_int_equal(pmk_armv8_mmio_offsets[places[i].reg], places[i].offset);
		}
	}
	assert_ptr_equal(dfr0, &pmk_armv8.regs[17]);
	assert_string_equal(dfr0->where, "ID_AA64DFR0_EL1 (S3_0_C0_C5_0)");
	assert_int_equal(pmk_armv8_places[17].sysreg, 0xc028);
	assert_int_equal(pmk_armv8_places[17].cp15, 0xffff);
	assert_int_equal(pmk_armv8_places[17].offset, 0xffff);
	assert_int_equal(pmk_armv8_mmio_offsets[17], PMK_MMIO_NONE);
}

/*
 * The 31 event counters are in c14, c8 to c11 and c12 to c15. In memory they are 8 bytes apart,
 * their types 4 bytes.
 */
static void test_counter_places(void **state)
{
	(void)state;
	assert_int_equal(PMK_ARMV8_PMEVCNTR0, 18);
	assert_int_equal(PMK_ARMV8_PMEVTYPER0, 49);
	assert_int_equal(PMK_ARMV8_NREGS, 80);
	for (unsigned n = 0; n < 31; n++) {
		const struct pmk_armv8_place *count = &pmk_armv8_places[18 + n];
		const struct pmk_armv8_place *type = &pmk_armv8_places[49 + n];

		assert_int_equal(count->sysreg, 0xdf40 + n);
		assert_int_equal(type->sysreg, 0xdf60 + n);
		assert_int_equal(count->cp15, 14 << 7 | (8 + n / 8) << 3 | n % 8);
		assert_int_equal(type->cp15, 14 << 7 | (12 + n / 8) << 3 | n % 8);
		assert_int_equal(count->offset, 8 * n);
		assert_int_equal(type->offset, 0x400 + 4 * n);
		assert_int_equal(pmk_armv8_mmio_offsets[18 + n], 8 * n);
		assert_int_equal(pmk_armv8_mmio_offsets[49 + n], 0x400 + 4 * n);
		for (size_t c = 0; c < COUNT(cores); c++) {
			const struct pmk_reg_info *regs = cores[c].pmu->regs;
			char name[24], el[32], mrs[24];

			if (cores[c].version == 0) /* ARMv7 does not have these names */
				continue;
			snprintf(name, sizeof(name), "PMEVCNTR%u", n);
			snprintf(el, sizeof(el), "%s_EL0", name);
			snprintf(mrs, sizeof(mrs), "S3_3_C14_C%u_%u", 8 + n / 8, n % 8);
			assert_ptr_equal(pmk_pmu_reg(cores[c].pmu, name), &regs[18 + n]);
			assert_ptr_equal(pmk_pmu_reg(cores[c].pmu, el), &regs[18 + n]);
			check_where(&regs[18 + n], el, mrs, 14, 8 + n / 8, n % 8, 8 * n);
			snprintf(name, sizeof(name), "PMEVTYPER%u", n);
			snprintf(el, sizeof(el), "%s_EL0", name);
			snprintf(mrs, sizeof(mrs), "S3_3_C14_C%u_%u", 12 + n / 8, n % 8);
			assert_ptr_equal(pmk_pmu_reg(cores[c].pmu, name), &regs[49 + n]);
			assert_ptr_equal(pmk_pmu_reg(cores[c].pmu, el), &regs[49 + n]);
			check_where(&regs[49 + n], el, mrs, 14, 12 + n / 8, n % 8, 0x400 + 4 * n);
		}
	}
}

/* In the memory-mapped interface, only the cycle counter has two words. */
static void test_mmio_wide(void **state)
{
	(void)state;
	for (unsigned reg = 0; reg < 83; reg++)
		assert_int_equal(pmk_armv8_mmio_wide[reg / 32] >> reg % 32 & 1, reg == 8);
	assert_int_equal(PMK_ARMV8_NWORDS, 83);
	assert_int_equal(pmk_armv8_mmio_offsets[80], 0xe00); /* PMCFGR */
	assert_int_equal(pmk_armv8_mmio_offsets[81], 0xe28); /* PMCEID2 */
	assert_int_equal(pmk_armv8_mmio_offsets[82], 0xe2c); /* PMCEID3 */
}

/*
 * Fields as "NAME hi:lo ACCESS", the highest first. Bits that are missing belong to no field. The
 * rows of the two generic PMUs include the additions of PMUv3p5: p5_width and p5_more apply to
 * these PMUs.
 */
static const struct {
	const char *reg;
	unsigned width, p5_width;
	const char *p5_more; /* fields that only p5 has, above the common fields */
	const char *fields;
} layouts[] = {
	{ "PMCR", 32, 64, "FZS 32:32 RW, ",
	  "IMP 31:24 RO, IDCODE 23:16 RO, N 15:11 RO, FZO 9:9 RW, LP 7:7 RW, LC 6:6 RW, "
	  "DP 5:5 RW, X 4:4 RW, D 3:3 RW, C 2:2 WO, P 1:1 WO, E 0:0 RW, " },
	{ "PMCNTENSET", 32, 64, "F0 32:32 W1S, ", "C 31:31 W1S, P 30:0 W1S, " },
	{ "PMCNTENCLR", 32, 64, "F0 32:32 W1C, ", "C 31:31 W1C, P 30:0 W1C, " },
	{ "PMINTENSET", 32, 64, "F0 32:32 W1S, ", "C 31:31 W1S, P 30:0 W1S, " },
	{ "PMINTENCLR", 32, 64, "F0 32:32 W1C, ", "C 31:31 W1C, P 30:0 W1C, " },
	{ "PMOVSSET", 32, 64, "F0 32:32 W1S, ", "C 31:31 W1S, P 30:0 W1S, " },
	{ "PMOVSCLR", 32, 64, "F0 32:32 W1C, ", "C 31:31 W1C, P 30:0 W1C, " },
	{ "PMSWINC", 32, 32, "", "P 30:0 WO, " },
	{ "PMSELR", 32, 32, "", "SEL 4:0 RW, " },
	{ "PMCEID0", 64, 64, "", "IDhi 63:32 RO, ID 31:0 RO, " },
	{ "PMCEID1", 64, 64, "", "IDhi 63:32 RO, ID 31:0 RO, " },
	{ "PMCCNTR", 64, 64, "", "CCNT 63:0 RW, " },
	{ "PMUSERENR", 32, 32, "",
	  "TID 6:6 RW, IR 5:5 RW, UEN 4:4 RW, ER 3:3 RW, CR 2:2 RW, SW 1:1 RW, EN 0:0 RW, " },
	{ "PMMIR", 32, 32, "",
	  "EDGE 27:24 RO, THWIDTH 23:20 RO, BUS_WIDTH 19:16 RO, BUS_SLOTS 15:8 RO, "
	  "SLOTS 7:0 RO, " },
	{ "PMCCFILTR", 32, 32, "",
	  "P 31:31 RW, U 30:30 RW, NSK 29:29 RW, NSU 28:28 RW, NSH 27:27 RW, M 26:26 RW, "
	  "SH 24:24 RW, T 23:23 RW, RLK 22:22 RW, RLU 21:21 RW, RLH 20:20 RW, " },
	{ "PMEVTYPER", 32, 64,
	  "TC 63:61 RW, TE 60:60 RW, SYNC 58:58 RW, VS 57:56 RW, TLC 55:54 RW, TH 43:32 RW, ",
	  "P 31:31 RW, U 30:30 RW, NSK 29:29 RW, NSU 28:28 RW, NSH 27:27 RW, M 26:26 RW, "
	  "MT 25:25 RW, SH 24:24 RW, T 23:23 RW, RLK 22:22 RW, RLU 21:21 RW, RLH 20:20 RW, "
	  "evtCount 15:0 RW, " },
	{ "ID_AA64DFR0", 64, 64, "",
	  "HPMN0 63:60 RO, - 59:52 RO, MTPMU 51:48 RO, - 47:20 RO, PMSS 19:16 RO, - 15:12 RO, "
	  "PMUVer 11:8 RO, - 7:0 RO, " },
};

static void fields_text(const struct pmk_reg_info *reg, char *buf, size_t size)
{
	size_t len = 0;

	buf[0] = '\0';
	for (unsigned i = 0; i < reg->nfields; i++) {
		const struct pmk_field *f = &reg->fields[i];
		unsigned hi = 63, lo = 0;

		check_words(f->ref);
		check_words(f->brief);
		while (!(f->mask >> hi & 1))
			hi--;
		while (!(f->mask >> lo & 1))
			lo++;
		len += (size_t)snprintf(buf + len, size - len, "%s %u:%u %s, ", f->name, hi, lo,
					pmk_access_name(f->access));
		assert_true(len < size);
	}
}

static void check_layout(const struct pmk_reg_info *reg, size_t i, bool p5)
{
	char text[512], expected[512];

	snprintf(expected, sizeof(expected), "%s%s", p5 ? layouts[i].p5_more : "",
		 layouts[i].fields);
	fields_text(reg, text, sizeof(text));
	assert_string_equal(text, expected);
	assert_int_equal(reg->width, p5 ? layouts[i].p5_width : layouts[i].width);
	check_words(reg->brief);
	check_words(reg->ref);
}

static void test_fields(void **state)
{
	(void)state;
	for (size_t c = 0; c < COUNT(cores); c++) {
		const struct pmk_reg_info *regs = cores[c].pmu->regs;
		bool p5 = cores[c].letter == 'g';

		assert_int_equal(cores[c].pmu->nregs, cores[c].version ? 80 : 18);
		if (cores[c].version == 0) /* PMUv1 has its own table of 18 rows */
			continue;
		for (size_t i = 0; i < COUNT(layouts); i++) {
			if (strcmp(layouts[i].reg, "PMEVTYPER") == 0) {
				for (unsigned n = 0; n < 31; n++)
					check_layout(&regs[49 + n], i, p5);
				check_layout(&regs[9], i, p5); /* PMXEVTYPER */
			} else {
				check_layout(pmk_pmu_reg(cores[c].pmu, layouts[i].reg), i, p5);
			}
		}
		for (unsigned n = 0; n < 32; n++) {
			const struct pmk_reg_info *reg = n == 31 ? &regs[10] : &regs[18 + n];
			char text[64];

			fields_text(reg, text, sizeof(text));
			assert_string_equal(text, p5 ? "EVCNT 63:0 RW, " : "EVCNT 31:0 RW, ");
			assert_int_equal(reg->width, p5 ? 64 : 32);
		}
	}
}

/* Only the event field is shown as an event. The values of other fields have descriptions. */
static void test_field_texts(void **state)
{
	const struct pmk_reg_info *type = pmk_pmu_reg(&pmk_cortex_a53, "PMEVTYPER0");
	const struct pmk_reg_info *dfr0 = pmk_pmu_reg(&pmk_armv8, "ID_AA64DFR0");

	(void)state;
	for (unsigned i = 0; i < 80; i++)
		for (unsigned k = 0; k < pmk_cortex_a53.regs[i].nfields; k++) {
			const struct pmk_field *f = &pmk_cortex_a53.regs[i].fields[k];

			assert_int_equal(f->event, strcmp(f->name, "evtCount") == 0);
		}
	/* P and U exclude a level: their value 1 does not count. NSH includes a level. */
	assert_string_equal(type->fields[0].values[0], "counts");
	assert_string_equal(type->fields[0].values[1], "does not count");
	assert_string_equal(type->fields[1].values[1], "does not count");
	assert_string_equal(type->fields[4].values[1], "counts");
	assert_string_equal(dfr0->fields[6].values[0], "none");
	assert_string_equal(dfr0->fields[6].values[1], "PMUv3");
	assert_string_equal(dfr0->fields[6].values[4], "PMUv3p1");
	assert_string_equal(dfr0->fields[6].values[5], "PMUv3p4");
	assert_string_equal(dfr0->fields[6].values[6], "PMUv3p5");
	assert_string_equal(dfr0->fields[6].values[7], "PMUv3p7");
	assert_string_equal(dfr0->fields[6].values[8], "PMUv3p8");
	assert_string_equal(dfr0->fields[6].values[9], "PMUv3p9");
	assert_string_equal(dfr0->fields[6].values[15], "another PMU, not PMUv3");
	assert_null(dfr0->fields[6].values[16]);
}

/* The masks of the driver and of the model are right. */
static void test_masks(void **state)
{
	static const struct {
		int line;
		uint64_t mask, expected;
	} masks[] = {
		{ __LINE__, PMCR_FZS, 0x100000000 },
		{ __LINE__, PMCR_IMP, 0xff000000 },
		{ __LINE__, PMCR_IDCODE, 0x00ff0000 },
		{ __LINE__, PMCR_N, 0x0000f800 },
		{ __LINE__, PMCR_FZO, 0x200 },
		{ __LINE__, PMCR_LP, 0x80 },
		{ __LINE__, PMCR_LC, 0x40 },
		{ __LINE__, PMCR_DP, 0x20 },
		{ __LINE__, PMCR_X, 0x10 },
		{ __LINE__, PMCR_D, 0x08 },
		{ __LINE__, PMCR_C, 0x04 },
		{ __LINE__, PMCR_P, 0x02 },
		{ __LINE__, PMCR_E, 0x01 },
		{ __LINE__, PMSET_F0, 0x100000000 },
		{ __LINE__, PMSET_C, 0x80000000 },
		{ __LINE__, PMSET_P, 0x7fffffff },
		{ __LINE__, PMSET_PN(5), 0x20 },
		{ __LINE__, PMSELR_SEL, 0x1f },
		{ __LINE__, PMSELR_CYCLES, 31 },
		{ __LINE__, PMEVTYPER_TC, 0xe000000000000000 },
		{ __LINE__, PMEVTYPER_TE, 0x1000000000000000 },
		{ __LINE__, PMEVTYPER_SYNC, 0x0400000000000000 },
		{ __LINE__, PMEVTYPER_VS, 0x0300000000000000 },
		{ __LINE__, PMEVTYPER_TLC, 0x00c0000000000000 },
		{ __LINE__, PMEVTYPER_TH, 0x00000fff00000000 },
		{ __LINE__, PMEVTYPER_P, 0x80000000 },
		{ __LINE__, PMEVTYPER_U, 0x40000000 },
		{ __LINE__, PMEVTYPER_NSK, 0x20000000 },
		{ __LINE__, PMEVTYPER_NSU, 0x10000000 },
		{ __LINE__, PMEVTYPER_NSH, 0x08000000 },
		{ __LINE__, PMEVTYPER_M, 0x04000000 },
		{ __LINE__, PMEVTYPER_MT, 0x02000000 },
		{ __LINE__, PMEVTYPER_SH, 0x01000000 },
		{ __LINE__, PMEVTYPER_T, 0x00800000 },
		{ __LINE__, PMEVTYPER_RLK, 0x00400000 },
		{ __LINE__, PMEVTYPER_RLU, 0x00200000 },
		{ __LINE__, PMEVTYPER_RLH, 0x00100000 },
		{ __LINE__, PMEVTYPER_EVTCOUNT, 0xffff },
		{ __LINE__, PMEVTYPER_EVTCOUNT_V3, 0x3ff },
		{ __LINE__, PMEVTYPER_FILTER, 0xfff00000 },
		{ __LINE__, PMCCFILTR_FILTER, 0xfdf00000 },
		{ __LINE__, PMUSERENR_TID, 0x40 },
		{ __LINE__, PMUSERENR_IR, 0x20 },
		{ __LINE__, PMUSERENR_UEN, 0x10 },
		{ __LINE__, PMUSERENR_ER, 0x08 },
		{ __LINE__, PMUSERENR_CR, 0x04 },
		{ __LINE__, PMUSERENR_SW, 0x02 },
		{ __LINE__, PMUSERENR_EN, 0x01 },
		{ __LINE__, PMCEID_COMMON, 0x00000000ffffffff },
		{ __LINE__, PMCEID_EXTENDED, 0xffffffff00000000 },
		{ __LINE__, PMMIR_EDGE, 0x0f000000 },
		{ __LINE__, PMMIR_THWIDTH, 0x00f00000 },
		{ __LINE__, PMMIR_BUS_WIDTH, 0x000f0000 },
		{ __LINE__, PMMIR_BUS_SLOTS, 0x0000ff00 },
		{ __LINE__, PMMIR_SLOTS, 0x000000ff },
		{ __LINE__, PMCFGR_N, 0x000000ff },
		{ __LINE__, DFR0_HPMN0, 0xf000000000000000 },
		{ __LINE__, DFR0_MTPMU, 0x000f000000000000 },
		{ __LINE__, DFR0_PMSS, 0x00000000000f0000 },
		{ __LINE__, DFR0_PMUVER, 0x0000000000000f00 },
		{ __LINE__, PMUVER_V3, 1 },
		{ __LINE__, PMUVER_V3P1, 4 },
		{ __LINE__, PMUVER_V3P4, 5 },
		{ __LINE__, PMUVER_V3P5, 6 },
		{ __LINE__, PMUVER_V3P7, 7 },
		{ __LINE__, PMUVER_V3P8, 8 },
		{ __LINE__, PMUVER_V3P9, 9 },
		{ __LINE__, PMUVER_IMPDEF, 15 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(masks); i++)
		if (masks[i].mask != masks[i].expected)
			fail_msg("row of line %d", masks[i].line);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_rows_are_complete),
		cmocka_unit_test(test_register_events),
		cmocka_unit_test(test_speculative_events),
		cmocka_unit_test(test_pmceid),
		cmocka_unit_test(test_cortex_m),
		cmocka_unit_test(test_counts_beyond_pmceid),
		cmocka_unit_test(test_aliases),
		cmocka_unit_test(test_words_are_unique),
		cmocka_unit_test(test_enum),
		cmocka_unit_test(test_find),
		cmocka_unit_test(test_pmus),
		cmocka_unit_test(test_free_counter),
		cmocka_unit_test(test_counter_bits),
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_counter_places),
		cmocka_unit_test(test_mmio_wide),
		cmocka_unit_test(test_fields),
		cmocka_unit_test(test_field_texts),
		cmocka_unit_test(test_masks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
