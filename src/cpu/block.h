/* SPDX-License-Identifier: MIT */
/*
 * A block: a sequence of instructions that is entered at the top and has no branch inside. When the
 * block is built, pmk works out once all that can be known before it runs. Executing the block then
 * only adds one to a counter.
 *
 * `struct pmk_facts` is what one execution of the block adds to the totals: totals = Σ executions ×
 * facts. It is separate from the block because it is all that another process needs to sum up after
 * the emulator has ended.
 */
#ifndef PMK_CPU_BLOCK_H
#define PMK_CPU_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pmk/isa.h>

#include "cpu/config.h"
#include "cpu/known.h"

#define PMK_NFACTS 40 /* enough for the facts of any family */

struct pmk_facts {
	uint16_t n[PMK_NFACTS];
};

/* What the pipeline reports about an instruction to the memory model: when a miss would cost
 * time. */
struct pmk_pipe_slot {
	uint16_t issue; /* issue cycle, from the start of the block */
	/* Cycles from issue to the first instruction that waits for the result. If no instruction
	 * of the block waits for it: for a load, the registers that have the result at the end of
	 * the block, as the family packs them; for other instructions, the cycles to the end of the
	 * block. */
	uint16_t use;
};

#define PMK_PIPE_FAR 255 /* the register is not needed soon, if at all */

/* Used in place of a branch's number by families that number branches. */
#define PMK_BRANCH_NONE	 0 /* the block does not end in a branch: it is expected to fall through */
#define PMK_BRANCH_SLOW	 1 /* ends in something that always takes the slow path */
#define PMK_BRANCH_FIRST 2

enum { PMK_DISTURB_BTAC = 1, PMK_DISTURB_ICACHE = 2, PMK_DISTURB_TLB = 4 };

struct pmk_block {
	/* Read at every execution. These and the first members of the family's own struct are in
	 * one line of the host's cache. */
	_Alignas(64) uint64_t pc;
	uint64_t fall; /* address after the last instruction */
	uint32_t id;
	uint32_t cycles;
	/* The members that only this core's family uses. */
	union {
#define BLOCK(family) struct pmk_block_##family family;
		PMK_CORE_FAMILIES(BLOCK)
#undef BLOCK
	};
	/* Read only on slow paths. */
	uint64_t end_addr; /* address of the last instruction */
	uint64_t target;   /* target of a direct branch */
	uint8_t flow;	   /* enum pmk_flow of the last instruction */
	bool conditional;  /* the condition of the last instruction may fail */
	bool is_branch;	   /* counts as a branch */
	bool vector;	   /* is at an exception vector */
	bool vector_set;   /* the program was seen to set this vector */
	bool faulted;	   /* handles faults of instructions */
	bool misaligned;   /* handles signals for unaligned accesses */
	bool tells;	   /* value of pmk_code.tells when this block was created */
	uint8_t level;	   /* the exception level at which it runs, or 0 */
	uint8_t disturbs;  /* what the block's maintenance operations flush: PMK_DISTURB_… */
	struct pmk_facts facts;
	/* For blocks that may end early (fault.h): the instructions, and how many of them may
	 * fault. */
	const struct pmk_insn *insn;
	uint16_t ninsns, nfaults;
};

/*
 * Build a block of `n` > 0 instructions. slots[] (n entries) receives the pipeline's view of each.
 * The caller sets id and vector, and the number of the branch if the family numbers branches.
 */
void pmk_block_build(const struct pmk_core *core, const struct pmk_insn *insn, size_t n,
		     struct pmk_pipe_slot *slots, struct pmk_block *b);

#endif
