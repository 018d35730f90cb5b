/* SPDX-License-Identifier: MIT */
/* The members of parameters, blocks and running cores that only an ARM11 has. */
#ifndef PMK_CPU_ARM11_TYPES_H
#define PMK_CPU_ARM11_TYPES_H

#include <stdbool.h>
#include <stdint.h>

#include "cpu/arm11/branch.h"
#include "cpu/arm11/l2cc.h"
#include "cpu/arm11/pipeline.h"
#include "cpu/cache.h"
#include "cpu/lsu.h"
#include "cpu/sdram.h"
#include "cpu/tlb.h"

/* The parameters that are not common members of struct pmk_core. keys.c describes each. */
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
	uint64_t store_miss_each;
	uint64_t miss_uncached;
	uint64_t flush_stall;
	uint64_t l2_write_allocate;
	uint64_t l2_buffers;
	uint64_t vfp_length;
	uint64_t vfp_stride;
};

/* Which fast path of flow.c handles the end of a block. PMK_ARM11_LEAVE_ANY: no fast path does. */
enum pmk_arm11_leave {
	PMK_ARM11_LEAVE_ANY,
	/*
	 * Jumps to a constant offset. The static rules predict that a FORWARD jump is not taken,
	 * and that a BACKWARD jump is taken.
	 */
	PMK_ARM11_LEAVE_FORWARD,
	PMK_ARM11_LEAVE_BACKWARD,
	PMK_ARM11_LEAVE_CALL,
	PMK_ARM11_LEAVE_RETURN,
	/*
	 * Other changes of the PC. INDIRECT and INDCALL count as mispredicted branches; LOAD does
	 * not.
	 */
	PMK_ARM11_LEAVE_INDIRECT,
	PMK_ARM11_LEAVE_INDCALL,
	PMK_ARM11_LEAVE_LOAD,
};

struct pmk_block_arm11 {
	/* Read at every execution. */
	uint64_t late;	  /* what the block leaves unfinished: see pmk_pipeline_lanes() */
	uint64_t wants;	  /* what the block may have to wait for */
	uint32_t touches; /* registers that the block uses; PMK_PIPE_VFP for VFP */
	/* The bits that the imap[] bytes of the block's lines need not have. 0 has a special
	 * meaning: see pmk_arm11_fetch_changes(). */
	uint32_t spare;
	uint32_t branch; /* number of the branch that ends the block: index into pred[] */
	/* Read when the block was not left as expected. */
	uint32_t end, target; /* copies of the block's end_addr and target */
	uint8_t leave;	      /* enum pmk_arm11_leave */
	/* the shadow of the block's branch reaches another line (fetch.shadow_bytes) */
	bool shadowed;
	/* cycles of the last instruction that `cycles` of the block includes */
	uint8_t branch_cycles;
	/* additional cycles if the last instruction is a branch that was not predicted correctly */
	uint8_t resolved;
	/* Read only on slow paths. */
	bool loads_pc; /* the last instruction loads the PC from memory */
	uint8_t flag_distance;
	/* When registers are needed, and how late results are: see pmk_pipe_block. */
	uint8_t need[PMK_PIPE_REGS], residue[PMK_PIPE_REGS];
	/* need[] and residue[] for the places of VFP, such as PMK_PIPE_VFP_FLAGS. Set only if
	 * `touches` has PMK_PIPE_VFP. */
	uint8_t vfp_need[PMK_PIPE_VFP_PLACES], vfp_residue[PMK_PIPE_VFP_PLACES];
};

/* A remembered answer of pmk_pipeline_edge(). */
struct pmk_arm11_edge {
	const struct pmk_block *from, *to;
	/* The cycles that `to` waits, and the part of them in which it waits for operands. */
	uint8_t wait, data;
};

#define PMK_ARM11_EDGES 256

/* A line that PLD has requested, and when it arrives; `ready` is 0 if the entry is free. */
struct pmk_arm11_preload {
	uint32_t line;
	uint64_t ready;
};

#define PMK_ARM11_PRELOADS 32

struct pmk_arm11_instead;

struct pmk_cpu_arm11 {
	uint8_t *pred; /* [branch]: prediction words, see branch.h */
	uint8_t *dmap; /* [line]: PMK_D_… */
	/* Registers whose load is under way (see `ready`), and PMK_PIPE_VFP if VFP results are not
	 * available yet (see `vfp_ready`). */
	uint64_t pending;
	uint8_t *imap;	       /* [line]: PMK_I_… */
	bool usual_fetch;      /* fetching has no unusual parameter: see pmk_arm11_fetch_fill() */
	int32_t multiple_left; /* words of the running load or store multiple still to come */
	/*
	 * The signal that counted the running load or store multiple when it began, or PMK_SIG_NONE
	 * if the facts of its block count it.
	 */
	uint8_t multiple_counts;
	uint64_t uncached; /* data accesses that bypassed the cache */
	/* the absent line that the last store missed, or PMK_NO_LINE */
	uint32_t store_missed;
	const struct pmk_arm11_instead *instead; /* replaces the memory system, or NULL */
	struct pmk_cache icache, dcache;
	struct pmk_tlb itlb, dtlb, main_tlb;
	struct pmk_predictor bp;
	struct pmk_return_stack rs;
	struct pmk_lsu lsu;
	struct pmk_sdram sdram;
	struct pmk_l2cc l2;
	/*
	 * The lines that PLD has requested last, and when each arrives. The oldest of them is at
	 * index `next_preload`. A line enters the cache when the first load from it is executed.
	 */
	struct pmk_arm11_preload preload[PMK_ARM11_PRELOADS];
	unsigned next_preload;
	struct pmk_arm11_edge *edge; /* array of PMK_ARM11_EDGES entries */
	/*
	 * When each register of `pending` will have its value, and for how many cycles the load of
	 * that value waits for a table walk.
	 */
	uint64_t ready[PMK_PIPE_REGS];
	uint32_t walk[PMK_PIPE_REGS];
	uint64_t vfp_ready
		[PMK_PIPE_VFP_PLACES]; /* when each register or pipeline of VFP will be ready */
};

#endif
