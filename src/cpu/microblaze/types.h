/* SPDX-License-Identifier: MIT */
/* The members of parameters, blocks and running cores that only MicroBlaze has. */
#ifndef PMK_CPU_MICROBLAZE_TYPES_H
#define PMK_CPU_MICROBLAZE_TYPES_H

#include <stdbool.h>
#include <stdint.h>

#include "cpu/lsu.h"

/* The parameters that are not common members of struct pmk_core. keys.c describes each of them. */
struct pmk_core_microblaze {
	uint64_t area;
	uint64_t icache_line;
	uint64_t icache_base;
	uint64_t icache_high;
	uint64_t dcache_line;
	uint64_t dcache_base;
	uint64_t dcache_high;
	uint64_t lmb_size;
	uint64_t peripheral_latency;
	uint64_t itlb_entries;
	uint64_t dtlb_entries;
	uint64_t hazard_load;
	uint64_t hazard_mul;
	uint64_t hazard_fp;
	uint64_t hazard_shift;
	uint64_t stall_cascade;
	uint64_t vectors_base;
	uint64_t event_counters;
	uint64_t latency_counters;
	uint64_t counter_width;
};

#define PMK_MB_REGS	32
#define PMK_MB_OUTCOMES 20

/* How a block is left. See microblaze.h. */
struct pmk_microblaze_end {
	uint64_t key;	/* a branch that the branch target cache predicts: its address << 32 */
	uint16_t entry; /* the entry in the branch target cache */
	uint8_t row;	/* the row in pmk_cpu_microblaze.outcome */
	uint8_t extra;	/* cycles added if the branch is taken and was not predicted */
	uint8_t sure;	/* enum pmk_microblaze_sure */
};

struct pmk_block_microblaze {
	/* Members that are read at every execution. */
	uint64_t late;	/* registers that the block leaves unfinished */
	uint64_t wants; /* registers that the block may have to wait for */
	struct pmk_microblaze_end end;
	/* Members that are read only on slow paths. */
	struct pmk_microblaze_end slot_end; /* how an open block is left after its slot has run */
	uint8_t sector;			    /* sector of the instruction cache: see microblaze.h */
	bool open;			    /* true if the delay slot is in the next block */
	bool starts_with_nop;  /* the first instruction is a nop, perhaps a delay slot */
	uint8_t branch_cycles; /* cycles of the last branch after its first cycle, if taken */
	/* When registers are needed, and how late results are: see pmk_microblaze_timing. */
	uint8_t need[PMK_MB_REGS], residue[PMK_MB_REGS];
};

struct pmk_microblaze_tables;

struct pmk_cpu_microblaze {
	struct pmk_microblaze_tables *tables; /* the other data of the core: see microblaze.h */
	struct pmk_lsu lsu;
	/* Counts that are not signals. */
	uint64_t outcome[PMK_MB_OUTCOMES];  /* how blocks were left, by pmk_microblaze_end.row */
	uint64_t uncached, uncached_writes; /* data reads and writes that bypassed the cache */
};

#endif
