/* SPDX-License-Identifier: MIT */
/*
 * Counts by call path. A node is a function, or code that was put into it, as called by its parent;
 * what is below the same names is added up. Without call paths each function stands alone.
 */
#ifndef PMK_RECORDING_TREE_H
#define PMK_RECORDING_TREE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "recording/tables.h"

struct pmk_tree_node {
	uint32_t frame, parent; /* PMK_TABLES_NONE: of the root, and of what has none */
};

struct pmk_tree {
	const struct pmk_tables *t;
	bool by_thread;		    /* below the root is a node for each thread */
	size_t n;		    /* events */
	struct pmk_tree_node *node; /* 0 is the root; parents come before their children */
	uint64_t *self;		    /* [node][event] */
	size_t nnodes, room;
	struct pmk_map children; /* parent and frame → node */
	uint32_t **at;		 /* [thread][context]: the node of the function that was called */
};

/* Returns as pmk_tables_counts(). To be freed in any case. */
int pmk_tree_build(struct pmk_tree *tree, const struct pmk_tables *t, const uint32_t *event,
		   size_t n, bool by_thread, char *msg, size_t size);
void pmk_tree_free(struct pmk_tree *tree);

/* Frames have numbers below this. */
uint32_t pmk_tree_frames(const struct pmk_tree *tree);
/* The name of a frame, in `buf` if need be. Threads have none. */
const char *pmk_tree_name(const struct pmk_tree *tree, uint32_t frame, char *buf, size_t size);
/* Its file or PMK_TABLES_NONE, and its first line or 0. */
uint32_t pmk_tree_file(const struct pmk_tree *tree, uint32_t frame, uint32_t *line);
/* The thread of a frame, or PMK_TABLES_NONE. */
uint32_t pmk_tree_thread(const struct pmk_tree *tree, uint32_t frame);

/* The frames of a node, outermost first. There is room for as many as the tree has nodes. Returns
 * how many there are. */
size_t pmk_tree_path(const struct pmk_tree *tree, uint32_t node, uint32_t *frame);

#endif
