/* SPDX-License-Identifier: MIT */
/*
 * Knows which blocks can start without a look-up in the instruction cache and the instruction
 * micro-TLB.
 *
 * Each block that has run has a word, pmk_executions.igen. The word consists of a generation,
 * PMK_KNOWN, and the number of the block's lines that are not in the cache. pmk_cpu.igen is the
 * word that a block of the present generation has if all its lines are in the cache. If the word of
 * a block equals pmk_cpu.igen, fetching the block changes nothing. A new generation begins when the
 * micro-TLB loses a page. When a line is filled or evicted, pmk updates the words of all blocks
 * that have the line, so the number of absent lines is exact.
 *
 * The blocks of a line are found by a hash table of line numbers. Lines with the same hash share a
 * list.
 */
#ifndef PMK_CPU_KNOWN_H
#define PMK_CPU_KNOWN_H

#include <stdbool.h>
#include <stdint.h>

/* The number of executions of a block. There is one such struct per block, in memory shared with
 * the process that sums up. */
struct pmk_executions {
	uint64_t count;
	/* If this number equals the present generation, fetching the block changes nothing. The
	 * generation is pmk_cpu.igen or, on a MicroBlaze, the generation of the block's sector
	 * (microblaze.h). In families with struct pmk_known the number is the block's word: see the
	 * beginning of this file. The other families store the generation in which the block was
	 * last fetched, or 0 if it must always be fetched. */
	uint64_t igen;
};

/* The parts of a word. A word of 0 means that the block has not run. pmk_cpu.igen begins as 1,
 * which is PMK_KNOWN. */
#define PMK_KNOWN	     UINT64_C(1)
#define PMK_KNOWN_ABSENT     UINT64_C(2)     /* added for each line that is not in the cache */
#define PMK_KNOWN_LOOKS	     UINT64_C(0x800) /* the block must always be fetched line by line */
#define PMK_KNOWN_GENERATION UINT64_C(0x1000)

#define PMK_KNOWN_LISTS (UINT32_C(1) << 16)

/* True if all lines of the block are in the cache. Its pages may still be missing in the
 * micro-TLB. */
static inline bool pmk_known_lines(uint64_t word)
{
	return word % PMK_KNOWN_GENERATION == PMK_KNOWN;
}

/* Returns the word that has the number of absent lines of `word` and the generation of `igen`. */
static inline uint64_t pmk_known_renew(uint64_t word, uint64_t igen)
{
	return word % PMK_KNOWN_GENERATION + igen - PMK_KNOWN;
}

/* The most blocks in one node of a list. */
#define PMK_KNOWN_TOGETHER 4

/*
 * A node of a list. It has some of the blocks that contain a line; a line with many blocks has
 * several nodes.
 */
struct pmk_known_node {
	uint64_t line;
	uint32_t next; /* the next node of the list, or 0 */
	uint32_t n;
	uint32_t block[PMK_KNOWN_TOGETHER]; /* ids of the blocks */
};

struct pmk_known {
	uint32_t *list; /* [line % PMK_KNOWN_LISTS]: first node, or 0 */
	struct pmk_known_node *node;
	uint32_t nnodes; /* number of nodes; node 0 is not used */
};

/* Returns 0 or PMK_ENOMEM. */
int pmk_known_init(struct pmk_known *k);
void pmk_known_fini(struct pmk_known *k);

/* Records that the block contains this line. Returns false if there is no room. */
bool pmk_known_add(struct pmk_known *k, uint64_t line, uint32_t block);

/* Forgets all blocks. If `executions` is not NULL, sets their words to 0. */
void pmk_known_forget(struct pmk_known *k, struct pmk_executions *executions);

/* Updates the words of all blocks that contain `line`. `by` is 1 if the line becomes absent, and -1
 * if it becomes present. */
static inline void pmk_known_change(const struct pmk_known *k, struct pmk_executions *executions,
				    uint64_t line, int by)
{
	const struct pmk_known_node *n;

	for (uint32_t i = k->list[line % PMK_KNOWN_LISTS]; i; i = n->next) {
		n = &k->node[i];
		for (uint32_t j = 0; n->line == line && j < n->n; j++)
			executions[n->block[j]].igen += PMK_KNOWN_ABSENT * (uint64_t)(int64_t)by;
	}
}

#endif
