/* SPDX-License-Identifier: MIT */
/*
 * The code that a program has executed so far: its blocks, each with a number, and the numbers of
 * their branches. Emulators translate the same block more than once, for another thread or after
 * their translation cache was full; it keeps its number.
 */
#ifndef PMK_CPU_CODE_H
#define PMK_CPU_CODE_H

#include "cpu/block.h"

#define PMK_MAX_BLOCKS	 (UINT32_C(1) << 20)
#define PMK_MAX_BRANCHES (UINT32_C(1) << 20)
#define PMK_MAX_INSNS	 (UINT32_C(8) << 20)
#define PMK_MAX_KEPT	 (UINT64_C(512) << 20)

/* A hash table of numbers + 1 of blocks. */
struct pmk_code_table {
	uint32_t *entry;
	uint32_t mask; /* of as many as there are, a power of two, at most half of them used */
	uint32_t used;
};

struct pmk_code {
	const struct pmk_core *core;
	struct pmk_block *block; /* address space for PMK_MAX_BLOCKS; never moves */
	uint64_t *hash;		 /* of the bytes of each block */
	/* those of blocks that may end early, one block's behind another's */
	struct pmk_insn *insn;
	uint32_t ninsns;
	/* What the family keeps of blocks: address space for PMK_MAX_KEPT bytes, or NULL */
	char *kept;
	uint64_t nkept;
	uint32_t nblocks;
	/* From now on, the emulator tells of new code when instructions that may fault unseen have
	 * been passed: see fault.h. The owner sets it. */
	bool tells;
	uint32_t nbranches;
	struct pmk_code_table block_at;	 /* by start address */
	struct pmk_code_table branch_at; /* by address of a branch: a block that it ends */
};

/* 0 or PMK_ENOMEM. */
int pmk_code_init(struct pmk_code *code, const struct pmk_core *core);
void pmk_code_fini(struct pmk_code *code);

/* How a block may be entered, beside from the one before it. */
enum pmk_entry {
	PMK_ENTRY_VECTOR = 1 << 0,     /* it stands at an exception vector */
	PMK_ENTRY_SIGNAL = 1 << 1,     /* it is a program's handler of a signal */
	PMK_ENTRY_FAULT = 1 << 2,      /* of a fault */
	PMK_ENTRY_SET = 1 << 3,	       /* the code that was decoded sets this vector */
	PMK_ENTRY_MISALIGNED = 1 << 4, /* a signal of accesses that are not aligned */
};

/* Beside them: the exception level at which it runs, where the owner knows that. `bytes_hash` has
 * to tell levels apart then. */
#define PMK_ENTRY_LEVEL(el)	  ((unsigned)(el) << 8)
#define PMK_ENTRY_LEVEL_OF(entry) ((entry) >> 8)

/*
 * The block of these instructions, new or known. slots[] (n entries) is always filled. `bytes_hash`
 * tells code at the same address apart (self-modifying or reloaded code). entry: of enum pmk_entry.
 * NULL when there are no numbers left. The block stays where it is until fini.
 */
const struct pmk_block *pmk_code_add(struct pmk_code *code, const struct pmk_insn *insn, size_t n,
				     uint64_t bytes_hash, unsigned entry,
				     struct pmk_pipe_slot *slots);

/* Is there a block that begins at `pc`? */
bool pmk_code_begins_at(const struct pmk_code *code, uint64_t pc);

/* The program makes `pc` a handler of a further signal: of enum pmk_entry. */
void pmk_code_handles(struct pmk_code *code, uint64_t pc, unsigned entry);

#endif
