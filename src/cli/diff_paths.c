// SPDX-License-Identifier: MIT
/*
 * The call paths of two recordings in one tree. Two paths become one if diff_recording.c has
 * paired their functions.
 */
#include <stdlib.h>

#include "cli/cli.h"
#include "cli/diff_source.h"

/* The tree of one side while it is added to the tree of both. */
struct side {
	struct diff_source *s;
	const struct diff_source *other;
	size_t *row;	/* [frame]: the row of the frame, or DIFF_NO_ROW */
	uint32_t *node; /* [node]: the number of the node in the tree of both sides */
};

/* Returns the row of a frame. A function whose instructions all belong to code inlined into it has
 * no row of its own yet. It gets the row that the other side has for it, or else a new row without
 * counts. */
static size_t find_row(const struct side *side, uint32_t frame)
{
	const struct pmk_tables *t = &side->s->t;
	struct pmk_tables_code k = { .object = PMK_TABLES_NONE,
				     .function = PMK_TABLES_NONE,
				     .inlined = PMK_TABLES_NONE };
	size_t had = side->s->nfunctions, i, there, row;
	const struct diff_function *f;

	if (frame < t->nfunctions)
		k.function = frame, k.object = t->function[frame].object;
	else if (frame < t->nfunctions + t->ninlined)
		k.inlined = frame - (uint32_t)t->nfunctions,
		k.file = t->inlined[k.inlined].code_file;
	else if (frame < t->nfunctions + t->ninlined + t->nobjects)
		k.object = frame - (uint32_t)(t->nfunctions + t->ninlined);
	i = diff_function_of(side->s, &k);
	if (i == DIFF_NO_ROW)
		return i;
	f = &side->s->function[i];
	if (i < had)
		return f->row;
	there = diff_function_find(side->other, f->key);
	if (there != DIFF_NO_ROW)
		row = side->other->function[there].row;
	else
		row = diff_row_add(side->s->d, DIFF_FRAME, f->key);
	side->s->function[i].row = row;
	if (row != DIFF_NO_ROW && !side->s->d->row[row].name &&
	    !diff_row_describe(&side->s->d->row[row], side->s, f->name, f->path, 0))
		return DIFF_NO_ROW;
	return row;
}

static int add_node(struct side *side, uint32_t i)
{
	const struct pmk_tree_node *from = &side->s->tree.node[i];
	struct diff *d = side->s->d;
	size_t *row = i ? &side->row[from->frame] : NULL;
	uint64_t *self;

	if (row && *row == DIFF_NO_ROW)
		*row = find_row(side, from->frame);
	if (row && *row == DIFF_NO_ROW)
		return cli_no_memory();
	side->node[i] =
		row ? pmk_tree_child(&d->paths, side->node[from->parent], (uint32_t)*row) : 0;
	if (side->node[i] == PMK_TABLES_NONE)
		return cli_no_memory();
	self = &d->paths.self[side->node[i] * d->paths.n];
	for (uint32_t slot = 0; slot < side->s->nslots; slot++)
		if (side->s->slot[slot] < d->nevents)
			self[side->s->slot[slot] +
			     (side->s->which == DIFF_BASE ? d->nevents : 0)] +=
				side->s->tree.self[i * side->s->tree.n + slot];
	return 0;
}

static int add_side(struct diff_source *s, const struct diff_source *other)
{
	struct side side = { .s = s, .other = other };
	uint32_t frames = pmk_tree_frames(&s->tree);
	int code;

	side.row = malloc(frames * sizeof(*side.row));
	side.node = malloc(s->tree.nnodes * sizeof(*side.node));
	code = side.row && side.node ? 0 : cli_no_memory();
	for (uint32_t i = 0; !code && i < frames; i++)
		side.row[i] = DIFF_NO_ROW;
	for (uint32_t i = 0; !code && i < s->tree.nnodes; i++)
		code = add_node(&side, i);
	free(side.row);
	free(side.node);
	return code;
}

int diff_find_paths(struct diff_source *base, struct diff_source *fresh)
{
	struct diff *d = fresh->d;
	int code;

	d->paths.n = DIFF_SIDES * d->nevents;
	code = pmk_tree_begin(&d->paths) ? 0 : cli_no_memory();
	if (!code)
		code = add_side(fresh, base);
	if (!code)
		code = add_side(base, fresh);
	return code;
}
