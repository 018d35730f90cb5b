/* SPDX-License-Identifier: MIT */
/* The members of parameters, blocks and running cores that only Cortex-M has. */
#ifndef PMK_CPU_CORTEXM_TYPES_H
#define PMK_CPU_CORTEXM_TYPES_H

#include <stdbool.h>
#include <stdint.h>

/* The parameters that are not common members of struct pmk_core. keys.c describes each. */
struct pmk_core_cortexm {
	uint64_t refill;
	uint64_t refill_indirect;
	uint64_t refill_memory;
	uint64_t refill_unaligned;
	uint64_t call;
	uint64_t fetch_words;
	uint64_t load;
	uint64_t load_pipelined;
	uint64_t load_update;
	uint64_t load_address;
	uint64_t store;
	uint64_t store_offset;
	uint64_t multiple;
	uint64_t multiple_pc;
	uint64_t mul;
	uint64_t mla;
	uint64_t mull;
	uint64_t mlal;
	uint64_t div;
	uint64_t status;
	uint64_t barrier;
	uint64_t fold_it;
	uint64_t fp_mac;
	uint64_t fp_div;
	uint64_t fp_wait;
	uint64_t exception_entry;
	uint64_t exception_exit;
	uint64_t exception_tail;
	uint64_t exception_lazy;
	uint64_t exception_fp;
	uint64_t flash_waits;
	uint64_t flash_width;
	uint64_t flash_end;
	uint64_t flash_prefetch;
	uint64_t flash_cache;
	uint64_t flash_ways;
	uint64_t flash_data_cache;
	uint64_t flash_shared;
	uint64_t sram_waits;
	uint64_t sram_slow;
	uint64_t sram_alone;
	uint64_t dual_issue;
	uint64_t multiple_words;
	uint64_t load_use;
	uint64_t load_narrow;
	uint64_t mul_wait;
	uint64_t shift_wait;
	uint64_t fold_branch;
	uint64_t mispredicted;
};

/* How control can leave a block: bits. */
enum pmk_cortexm_leave {
	PMK_CORTEXM_INDIRECT = 1, /* by an address that is only known at run time */
	PMK_CORTEXM_SPECIAL = 2,  /* by an exception, or the block is not part of the program */
};

struct pmk_block_cortexm {
	/*
	 * All members are read at every execution. `fall` is the address of the next instruction,
	 * if control may fall through to it; `jump` is the target of a direct branch at the end. If
	 * there is no such address, the member has an address that no block has.
	 */
	uint64_t fall;
	uint64_t jump;
	uint16_t taken; /* cycles added if a branch at the end is taken */
	uint8_t leave;	/* enum pmk_cortexm_leave */
	/* If `ends` of a block and `starts` of the next one are 1, and no branch is taken between
	 * them, the two blocks together take a cycle less: the first instruction of the next block
	 * is an access that overlaps with the load at the end of this block, or is issued together
	 * with the last instruction. */
	uint8_t starts;
	uint8_t ends;
	/* cycles added if a branch enters the block and its first instruction is not in one word */
	uint8_t unaligned;
	uint8_t fp; /* 1: the block has floating-point instructions */
};

/* The most exceptions that can be active at the same time: one of each priority. */
#define PMK_CORTEXM_LEVELS 256

/* Branches whose addresses differ by a multiple of twice this number share a counter. */
#define PMK_CORTEXM_COUNTERS 512

struct pmk_cortexm_level {
	const struct pmk_block *interrupted; /* the last block before the exception, or NULL */
	uint64_t entry;			     /* the address at which the handler begins */
	uint32_t sp;			     /* the stack pointer at the start of the handler */
	uint16_t number;		     /* number of the exception, as in IPSR */
	bool fp_stored; /* the floating-point registers of the interrupted code are on the stack */
};

/* A cache of flash. Each set has the numbers of its lines, the last used one first. */
struct pmk_cortexm_cache {
	uint32_t *line; /* [set * ways + order]; NULL: there is no cache */
	uint32_t set_mask, ways;
};

/* The interface of a flash memory: flash.h. Lines are numbered. */
struct pmk_cortexm_flash {
	struct pmk_cortexm_cache code, data;
	uint32_t current;    /* the line from which instructions were last fetched */
	uint32_t prefetched; /* the line that was read in advance */
	uint64_t ready;	     /* when the reading of `prefetched` ends */
};

struct pmk_cpu_cortexm {
	uint64_t depth; /* exceptions that are active */
	/* If fp_reserved is not 0, the stack has space for the floating-point registers of the code
	 * that the exception active[fp_reserved - 1] interrupted, but the registers are not stored
	 * there yet. */
	uint64_t fp_reserved;
	struct pmk_cortexm_level *active; /* PMK_CORTEXM_LEVELS entries */
	/* Predicts conditional branches: PMK_CORTEXM_COUNTERS counters from 0 to 3. A branch is
	 * expected to be taken if its counter is 2 or 3. */
	uint8_t *counters;
	struct pmk_cortexm_flash flash;
};

#endif
