/* SPDX-License-Identifier: MIT */
/*
 * Which blocks can start without a look at the instruction cache and the instruction micro-TLB.
 *
 * Each block that has run has a word in pmk_executions.igen: a generation, PMK_KNOWN, and the
 * number of its absent lines. pmk_cpu.igen is the word of the present generation for a block with
 * no absent line. If both are equal, fetching the block changes nothing. A new generation begins
 * when the micro-TLB loses a page. When a line is filled or evicted, the words of the blocks that
 * have the line change, so the number is exact.
 *
 * A hash table of the line number finds the blocks of a line. Lines with the same hash share a
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
	/* Equal to pmk_cpu.igen if fetching the block changes nothing: see the beginning of this
	 * file. In families without struct pmk_known, this is pmk_cpu.igen at the time when all
	 * lines of the block were last known to be present. */
	uint64_t igen;
};

/* Parts of a word. 0: the block has not run. pmk_cpu.igen begins as 1, which is PMK_KNOWN. */
#define PMK_KNOWN	     UINT64_C(1)
#define PMK_KNOWN_ABSENT     UINT64_C(2)     /* one absent line */
#define PMK_KNOWN_LOOKS	     UINT64_C(0x800) /* the block must be fetched line by line each time */
#define PMK_KNOWN_GENERATION UINT64_C(0x1000)

#define PMK_KNOWN_LISTS (UINT32_C(1) << 16)

/* True if all lines of the block are present; its pages may still be absent. */
static inline bool pmk_known_lines(uint64_t word)
{
	return word % PMK_KNOWN_GENERATION == PMK_KNOWN;
}

/* Returns `word` moved to the generation of `igen`. */
static inline uint64_t pmk_known_renew(uint64_t word, uint64_t igen)
{
	return word % PMK_KNOWN_GENERATION + igen - PMK_KNOWN;
}

#define PMK_KNOWN_TOGETHER 4

/*
 * A node of a list: some of the blocks that have a line. A line with many blocks has several nodes.
 */
struct pmk_known_node {
	uint64_t line;
	uint32_t next; /* node of the list, or 0 */
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

/* Note that the block has this line. Returns false if there is no room. */
bool pmk_known_add(struct pmk_known *k, uint64_t line, uint32_t block);

/* Forget all blocks. If `executions` is not NULL, their words become 0. */
void pmk_known_forget(struct pmk_known *k, struct pmk_executions *executions);

/* Handles a line of code that becomes absent (`by` is 1) or present (-1). */
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
