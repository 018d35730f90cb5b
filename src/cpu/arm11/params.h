/* SPDX-License-Identifier: MIT */
/* Parameters of an ARM11 beside those that cores of other families have, too. keys.c says what each is. */
#ifndef PMK_CPU_ARM11_PARAMS_H
#define PMK_CPU_ARM11_PARAMS_H

#include <stdint.h>

struct pmk_core_arm11 {
	uint64_t write_allocate;
	uint64_t bp_dynamic;
	uint64_t bp_static;
	uint64_t bp_folding;
	uint64_t ret_exclusive;
	uint64_t pc_writes;
	uint64_t shadow;
	uint64_t shadow_bytes;
	uint64_t wrong_bytes;
	uint64_t static_correct_taken;
	uint64_t branch_min;
	uint64_t return_correct;
	uint64_t return_wrong;
	uint64_t return_empty;
	uint64_t ldm_return_wrong;
	uint64_t load_pc;
	uint64_t dmb_drains;
	uint64_t store_miss_external;
	uint64_t miss_uncached;
	uint64_t flush_stall;
	uint64_t l2_write_allocate;
	uint64_t l2_buffers;
};

#endif
