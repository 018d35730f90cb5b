/* SPDX-License-Identifier: MIT */
/* The members of parameters, blocks and running cores that only an ARM926EJ-S has. */
#ifndef PMK_CPU_ARM9_TYPES_H
#define PMK_CPU_ARM9_TYPES_H

#include <stdint.h>

#include "cpu/arm11/types.h"

/* The parameters that are not common members of struct pmk_core. keys.c describes each of them. */
struct pmk_core_arm9 {
	struct pmk_core_arm11 arm11; /* must be the first member: see cpu/arm11/keys.h */
	uint64_t ahb_ratio;
	uint64_t ahb_connect;
	uint64_t mpmc_read;
	uint64_t mpmc_read_next;
	uint64_t mpmc_write;
	uint64_t mpmc_write_next;
	uint64_t smc_read;
	uint64_t smc_read_next;
	uint64_t smc_write;
	uint64_t smc_write_next;
	uint64_t apb_read;
	uint64_t apb_write;
	uint64_t walk_reads;
	uint64_t wbuf_words;
	uint64_t wait_threshold;
	uint64_t wait_armi;
	uint64_t wait_clcdc;
	uint64_t wait_dma0;
	uint64_t wait_dma1;
	uint64_t wait_exp;
	uint64_t wait_armd;
	uint64_t wait_gxi_read;
	uint64_t wait_gxi_data;
	uint64_t wait_gxi_write;
	uint64_t gxi_page;
	uint64_t itcm_size;
	uint64_t itcm_base;
	uint64_t dtcm_size;
	uint64_t dtcm_base;
	uint64_t castout_aligned;
};

struct pmk_block_arm9 {
	struct pmk_block_arm11 arm11;
};

struct pmk_biu;

struct pmk_cpu_arm9 {
	struct pmk_cpu_arm11 arm11; /* must be the first member, as in struct pmk_core_arm9 */
	struct pmk_biu *biu;	    /* the hardware outside of the core; belongs to the owner */
};

#endif
