/* SPDX-License-Identifier: MIT */
/*
 * A block: a sequence of instructions that is entered at the top and has no branch inside. When pmk
 * builds a block, it works out everything that does not change between executions. Executing the
 * block then only adds one to a counter.
 *
 * `struct pmk_facts` is what one execution of the block adds to the totals: totals = Σ executions ×
 * facts. It is a struct of its own because another process sums up after the emulator has ended,
 * and needs only the facts.
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

/* What the pipeline model knows about an instruction. The memory model uses it to decide whether a
 * miss costs time. */
struct pmk_pipe_slot {
	uint16_t issue; /* issue cycle, from the start of the block */
	/* Usually the cycles from issue to the first instruction of the block that waits for the
	 * result. If no instruction of the block waits for it, the family decides what this member
	 * contains: see PMK_PIPE_OPEN in arm11/pipeline.h, for example. */
	uint16_t use;
};

/* Value in need[] of a family's part of a block: the block needs the register late or never. */
#define PMK_PIPE_FAR 255

/* Families that number branches use these values in place of a branch's number. */
#define PMK_BRANCH_NONE	 0 /* no branch ends the block: it falls through to the next block */
#define PMK_BRANCH_SLOW	 1 /* the slow path always handles the end of the block */
#define PMK_BRANCH_FIRST 2

enum { PMK_DISTURB_BTAC = 1, PMK_DISTURB_ICACHE = 2, PMK_DISTURB_TLB = 4 };

struct pmk_block {
	/* Members that are read at every execution. They and the first members of the family's own
	 * struct are in one line of the host's cache. */
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
	bool tells;	   /* copy of pmk_code.tells from the time when this block was created */
	uint8_t level;	   /* the exception level at which the block runs, or 0 */
	uint8_t disturbs;  /* what the block's maintenance operations flush: PMK_DISTURB_… */
	struct pmk_facts facts;
	/* For blocks that may end early (fault.h): the instructions up to the last one that may
	 * fault, their number, and how many of them may fault. */
	const struct pmk_insn *insn;
	uint16_t ninsns, nfaults;
};

/*
 * Builds a block of `n` > 0 instructions. Fills in slots[], which has one entry per instruction.
 * pmk_code_add() then sets the members that do not follow from the instructions, such as id, vector
 * and level.
 */
void pmk_block_build(const struct pmk_core *core, const struct pmk_insn *insn, size_t n,
		     struct pmk_pipe_slot *slots, struct pmk_block *b);

#endif
