/* SPDX-License-Identifier: MIT */
/*
 * The code that a program has executed so far: its blocks, each with a number, and the numbers of
 * their branches. An emulator may translate a block again, for another thread or because its
 * translation cache was full. The block then keeps its number.
 */
#ifndef PMK_CPU_CODE_H
#define PMK_CPU_CODE_H

#include "cpu/block.h"

#define PMK_MAX_BLOCKS	 (UINT32_C(1) << 20)
#define PMK_MAX_BRANCHES (UINT32_C(1) << 20)
#define PMK_MAX_INSNS	 (UINT32_C(8) << 20)
#define PMK_MAX_KEPT	 (UINT64_C(512) << 20)

/* A hash table of block numbers. An entry is a block's number + 1, or 0 if the entry is free. */
struct pmk_code_table {
	uint32_t *entry;
	/* The number of entries - 1. The number of entries is a power of two, and at most half of
	 * them are used. */
	uint32_t mask;
	uint32_t used;
};

struct pmk_code {
	const struct pmk_core *core;
	struct pmk_block *block; /* address space for PMK_MAX_BLOCKS; never moves */
	uint64_t *hash;		 /* hash of the instruction bytes of each block */
	/* the instructions of blocks that may end early, block after block */
	struct pmk_insn *insn;
	uint32_t ninsns;
	/*
	 * The data that the family keeps for its blocks in addition to struct pmk_block (keep() in
	 * family.h). There is address space for PMK_MAX_KEPT bytes. NULL if the family keeps none.
	 */
	char *kept;
	uint64_t nkept;
	uint32_t nblocks;
	/*
	 * Set by the owner. If true, code that is translated from now on reports the end of each
	 * instruction that may fault and for which a missing access proves nothing (fault.h).
	 */
	bool tells;
	uint32_t nbranches;
	struct pmk_code_table block_at;	 /* by start address */
	struct pmk_code_table branch_at; /* for each branch, by its address: a block that it ends */
};

/* Returns 0 or PMK_ENOMEM. */
int pmk_code_init(struct pmk_code *code, const struct pmk_core *core);
void pmk_code_fini(struct pmk_code *code);

/* Reasons why a block may start although the previous block does not lead to it. */
enum pmk_entry {
	PMK_ENTRY_VECTOR = 1 << 0,     /* at an exception vector */
	PMK_ENTRY_SIGNAL = 1 << 1,     /* a program's signal handler */
	PMK_ENTRY_FAULT = 1 << 2,      /* handles a fault */
	PMK_ENTRY_SET = 1 << 3,	       /* at a vector that code of the program was seen to set */
	PMK_ENTRY_MISALIGNED = 1 << 4, /* a handler of signals for unaligned accesses */
};

/* The parameter `entry` of pmk_code_add() may have the exception level at which the block runs, in
 * addition to the bits above. The parameter `bytes_hash` must then differ between levels. */
#define PMK_ENTRY_LEVEL(el)	  ((unsigned)(el) << 8)
#define PMK_ENTRY_LEVEL_OF(entry) ((entry) >> 8)

/*
 * Returns the block of these instructions, and adds it if it is new. Always fills in slots[], which
 * has n entries. `bytes_hash` distinguishes different code at the same address (self-modifying or
 * reloaded code). `entry` has bits of enum pmk_entry. Returns NULL if there is no number or no
 * memory left. The block stays where it is until pmk_code_fini().
 */
const struct pmk_block *pmk_code_add(struct pmk_code *code, const struct pmk_insn *insn, size_t n,
				     uint64_t bytes_hash, unsigned entry,
				     struct pmk_pipe_slot *slots);

/* True if a block begins at `pc`. */
bool pmk_code_begins_at(const struct pmk_code *code, uint64_t pc);

/*
 * Notes that the program has made `pc` the handler of one more signal. `entry` has bits of enum
 * pmk_entry.
 */
void pmk_code_handles(struct pmk_code *code, uint64_t pc, unsigned entry);

#endif
