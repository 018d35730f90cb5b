/* SPDX-License-Identifier: MIT */
/*
 * A block: a straight run of instructions that is entered at the top. All that is known of it before
 * it runs is worked out once, when it is built; running it adds one to a counter.
 *
 * `struct pmk_facts` is what a run of the block adds to the totals: totals = Σ runs × facts. It is
 * kept apart from the block because whoever sums up (another process, after the emulator is gone)
 * needs nothing else.
 */
#ifndef PMK_CPU_BLOCK_H
#define PMK_CPU_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pmk/isa.h>

#include "cpu/config.h"

#define PMK_NFACTS 32 /* room for those of any family, which has a list of its own */

struct pmk_facts {
	uint16_t n[PMK_NFACTS];
};

/* Per instruction, for the memory model: when a miss would be felt. */
struct pmk_pipe_slot {
	uint16_t issue; /* issue cycle, from the start of the block */
	/* Cycles from issue to the first instruction that waits for its result. Where none in the block
	 * does, of a load what its family makes of the registers that have the result at the end of the
	 * block; else to the end of the block. */
	uint16_t use;
};

#define PMK_PIPE_FAR 255 /* "not within reach": the register is not needed soon */

/* One run counter per block, in memory shared with whoever sums up. */
struct pmk_run {
	uint64_t runs;
	uint64_t igen; /* the igen at which all lines of the block were known to be present */
};

/* Predictor slots that belong to no branch (index into pmk_cpu.pred). */
#define PMK_BRANCH_NONE	 0 /* the block does not end in a branch: it is expected to fall through */
#define PMK_BRANCH_SLOW	 1 /* ends in something that always has to be looked at */
#define PMK_BRANCH_FIRST 2

enum { PMK_DISTURB_BTAC = 1, PMK_DISTURB_ICACHE = 2, PMK_DISTURB_TLB = 4 };

/* Registers, and on A64 units that are busy for long. */
#define PMK_PLACES (PMK_NREGS + 3)

/* How a MicroBlaze block is left: see microblaze/microblaze.h. */
struct pmk_mb_end {
	uint64_t key;	/* a branch that the branch target cache predicts: its address << 32 */
	uint16_t entry; /* of the branch target cache */
	uint8_t row;	/* of pmk_cpu.outcome */
	uint8_t extra; /* cycles when it does not fall through, of a branch that is not predicted */
};

struct pmk_block {
	/* Read at every run: in one line of the host's cache. */
	_Alignas(64) uint64_t pc;
	uint64_t fall; /* address behind the last instruction */
	uint32_t id;
	uint32_t branch; /* predictor slot of the branch that ends it */
	uint32_t cycles;
	uint64_t late;	/* what this block leaves unfinished … */
	uint64_t wants; /* … and what it may have to wait for: see pmk_pipeline_lanes() */
	union {
		struct {
			/* Likewise; A64 only, but for wants2 of an ARM11: all registers read or written. */
			uint64_t late2, wants2;
		};
		struct pmk_mb_end end; /* MicroBlaze only */
	};
	/* Read when something is out of the ordinary. */
	uint64_t end_addr; /* address of the last instruction */
	uint64_t target;   /* of a direct branch */
	uint8_t flow;	   /* enum pmk_flow of the last instruction */
	bool conditional;  /* the last instruction may fail its condition */
	bool is_branch;	   /* it counts as a branch */
	bool loads_pc;	   /* it loads the PC from memory */
	bool vector;	   /* the block stands at an exception vector */
	bool shadowed;	   /* the fetch behind it would enter another line (fetch.shadow_bytes) */
	uint8_t disturbs;  /* what its maintenance operations flush: PMK_DISTURB_… */
	uint8_t flag_distance;
	/* MicroBlaze: the sector of the instruction cache, see microblaze/microblaze.h; the delay slot is in the next block;
	 * this may be one and starts with a NOP; how an open block is left once its slot has run. */
	uint8_t sector;
	bool open, starts_with_nop;
	struct pmk_mb_end slot_end;
	uint8_t branch_cycles; /* of the last instruction, already in `cycles` */
	/* What is needed when, and what is late how much. ARM11: PMK_PIPE_REGS; A64: see a64/a64.h. */
	uint8_t need[PMK_PLACES], residue[PMK_PLACES];
	uint8_t need_sum[PMK_NREGS]; /* A64 only: of results of multiply-accumulates */
	uint64_t sums;		     /* registers that have such a result */
	struct pmk_facts facts;
};

/*
 * Build a block of `n` > 0 instructions. slots[] (n entries) receives the pipeline's view of each.
 * id, branch and vector are the caller's to set.
 */
void pmk_block_build(const struct pmk_core *core, const struct pmk_insn *insn, size_t n,
		     struct pmk_pipe_slot *slots, struct pmk_block *b);

#endif
