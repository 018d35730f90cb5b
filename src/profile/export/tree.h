/* SPDX-License-Identifier: MIT */
/*
 * Counts by call path. A node is a function, or an inlined function, as called by its parent.
 * Counts whose call paths have the same names are added up. Without call paths each function is its
 * own root.
 */
#ifndef PMK_RECORDING_TREE_H
#define PMK_RECORDING_TREE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/map.h"
#include "profile/recording/tables.h"

struct pmk_tree_node {
	uint32_t frame, parent; /* PMK_TABLES_NONE: no frame (the root), or no parent */
};

struct pmk_tree {
	const struct pmk_tables *t;
	bool by_thread;		    /* the children of the root are threads */
	size_t n;		    /* number of events */
	struct pmk_tree_node *node; /* [0] is the root; parents come before their children */
	uint64_t *self;		    /* [node][event] */
	size_t nnodes, room;
	struct pmk_map children; /* key of parent and frame → node */
	uint32_t **at;		 /* [thread][context]: the node of the called function */
	/* The frames that nodes have, in the order of the nodes, and the position of each frame in
	 * that list. */
	uint32_t *used, *number;
	uint32_t nused;
	uint32_t *path; /* the result of the last pmk_tree_path() */
};

/* Make an empty tree with its root, for pmk_tree_child() and, if tree->t is set, pmk_tree_add().
 * The caller has set tree->n and tree->by_thread. False: out of memory. */
bool pmk_tree_begin(struct pmk_tree *tree);
/* Adds a count to the node of its call path. Used if the caller itself reads the counts of tree->t,
 * by pmk_tables_counts(). Returns 0 or PMK_ENOMEM. */
int pmk_tree_add(struct pmk_tree *tree, const struct pmk_tables_count *row);
/* Returns the child of `parent` with `frame`; adds the child if there is none. Returns
 * PMK_TABLES_NONE if out of memory, or if `parent` is PMK_TABLES_NONE. */
uint32_t pmk_tree_child(struct pmk_tree *tree, uint32_t parent, uint32_t frame);
/* Returns the counts of each node with everything below it; [0] has the totals. The caller frees
 * the array. NULL: out of memory. */
uint64_t *pmk_tree_inclusive(const struct pmk_tree *tree);

/* Builds the tree. Returns the same values as pmk_tables_counts(). The caller must free the tree
 * even after an error. */
int pmk_tree_build(struct pmk_tree *tree, const struct pmk_tables *t, const uint32_t *event,
		   size_t n, bool by_thread, char *msg, size_t size);
void pmk_tree_free(struct pmk_tree *tree);

/* Returns a number that is above all frame numbers. */
uint32_t pmk_tree_frames(const struct pmk_tree *tree);
/* Returns the name of a frame, in `buf` if necessary. Threads have none. */
const char *pmk_tree_name(const struct pmk_tree *tree, uint32_t frame, char *buf, size_t size);
/* Returns the file of a frame or PMK_TABLES_NONE, and its first line or 0. */
uint32_t pmk_tree_file(const struct pmk_tree *tree, uint32_t frame, uint32_t *line);
/* Returns the thread of a frame, or PMK_TABLES_NONE. */
uint32_t pmk_tree_thread(const struct pmk_tree *tree, uint32_t frame);

/* Stores the frames of a node in tree->path, outermost first, and returns their number. */
size_t pmk_tree_path(const struct pmk_tree *tree, uint32_t node);

/*
 * Calls on_frame() for the instruction and for each call on its path, innermost first. `code` is
 * then the instruction, and `function` is not set. Also calls on_frame() for a function on the path
 * in which no instruction is known, because control left it by a jump, or because its caller is not
 * the parent. `code` is then PMK_TABLES_NONE, and `function` is this function.
 */
void pmk_export_path(const struct pmk_tables *t, uint32_t code, uint32_t context,
		     void (*on_frame)(void *ctx, uint32_t code, uint32_t function), void *ctx);

/* Writes a string of JSON. Invalid UTF-8 and control characters become U+FFFD. */
void pmk_export_json(FILE *f, const char *text);

#endif
