/* SPDX-License-Identifier: MIT */
/*
 * A block: a straight run of instructions that is entered at the top. All that is known of it before
 * it runs is worked out once, when it is built; running it adds one to a counter.
 *
 * `struct pmk_facts` is what one execution of the block adds to the totals: totals =
 * Σ executions × facts. It is
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

/* How often a block was executed. One per block, in memory shared with whoever sums up. */
struct pmk_executions {
	uint64_t count;
	uint64_t igen; /* the igen at which all lines of the block were known to be present */
};

/* Numbers of branches that are none, where a family numbers them. */
#define PMK_BRANCH_NONE	 0 /* the block does not end in a branch: it is expected to fall through */
#define PMK_BRANCH_SLOW	 1 /* ends in something that always has to be looked at */
#define PMK_BRANCH_FIRST 2

enum { PMK_DISTURB_BTAC = 1, PMK_DISTURB_ICACHE = 2, PMK_DISTURB_TLB = 4 };

struct pmk_block {
	/* Read at every execution: in one line of the host's cache, with what families have first in theirs. */
	_Alignas(64) uint64_t pc;
	uint64_t fall; /* address behind the last instruction */
	uint32_t id;
	uint32_t cycles;
	/* The core's family's own. */
	union {
#define BLOCK(family) struct pmk_block_##family family;
		PMK_CORE_FAMILIES(BLOCK)
#undef BLOCK
	};
	/* Read when something is out of the ordinary. */
	uint64_t end_addr; /* address of the last instruction */
	uint64_t target;   /* of a direct branch */
	uint8_t flow;	   /* enum pmk_flow of the last instruction */
	bool conditional;  /* the last instruction may fail its condition */
	bool is_branch;	   /* it counts as a branch */
	bool vector;	   /* the block stands at an exception vector */
	bool faulted;	   /* it is entered when an instruction before it has faulted */
	uint8_t disturbs;  /* what its maintenance operations flush: PMK_DISTURB_… */
	struct pmk_facts facts;
	/* Where it may end early: fault.h. Its instructions, and how many of them may fault. */
	const struct pmk_insn *insn;
	uint16_t ninsns, nfaults;
};

/*
 * Build a block of `n` > 0 instructions. slots[] (n entries) receives the pipeline's view of each.
 * id and vector are the caller's to set, and the number of the branch where the family numbers them.
 */
void pmk_block_build(const struct pmk_core *core, const struct pmk_insn *insn, size_t n,
		     struct pmk_pipe_slot *slots, struct pmk_block *b);

#endif
