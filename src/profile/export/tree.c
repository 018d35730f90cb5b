// SPDX-License-Identifier: MIT
/*
 * Frames are numbered: functions first, then inlined functions, then objects, which stand for their
 * code without a symbol, then one for code of no object, then threads.
 */
#include "profile/export/tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pmk/error.h>

#include "base/message.h"
#include "base/printable.h"

/* ---- frames --------------------------------------------------------------------------------- */

static uint32_t first_inlined(const struct pmk_tree *tree)
{
	return (uint32_t)tree->t->nfunctions;
}

static uint32_t first_object(const struct pmk_tree *tree)
{
	return first_inlined(tree) + (uint32_t)tree->t->ninlined;
}

static uint32_t first_thread(const struct pmk_tree *tree)
{
	return first_object(tree) + (uint32_t)tree->t->nobjects + 1;
}

uint32_t pmk_tree_frames(const struct pmk_tree *tree)
{
	return first_thread(tree) + (uint32_t)tree->t->nthreads;
}

static uint32_t function_frame(const struct pmk_tree *tree, uint32_t function)
{
	return tree->t->function[function].same;
}

/* Returns the frame of the function that contains `k`, ignoring inlining. */
static uint32_t code_frame(const struct pmk_tree *tree, const struct pmk_tables_code *k)
{
	if (k->function != PMK_TABLES_NONE)
		return function_frame(tree, k->function);
	return first_object(tree) +
	       (k->object == PMK_TABLES_NONE ? (uint32_t)tree->t->nobjects : k->object);
}

const char *pmk_tree_name(const struct pmk_tree *tree, uint32_t frame, char *buf, size_t size)
{
	const struct pmk_tables *t = tree->t;
	uint32_t object = frame - first_object(tree);

	if (frame < first_inlined(tree))
		return t->function[frame].name;
	if (frame < first_object(tree))
		return t->inlined[frame - first_inlined(tree)].name;
	if (frame >= first_thread(tree))
		return "";
	pmk_tables_unnamed(t, object == t->nobjects ? PMK_TABLES_NONE : object, buf, size);
	return buf;
}

uint32_t pmk_tree_file(const struct pmk_tree *tree, uint32_t frame, uint32_t *line)
{
	*line = 0;
	if (frame < first_inlined(tree)) {
		*line = tree->t->function[frame].line;
		return tree->t->function[frame].file;
	}
	if (frame < first_object(tree))
		return tree->t->inlined[frame - first_inlined(tree)].code_file;
	return PMK_TABLES_NONE;
}

uint32_t pmk_tree_thread(const struct pmk_tree *tree, uint32_t frame)
{
	return frame != PMK_TABLES_NONE && frame >= first_thread(tree) ? frame - first_thread(tree)
								       : PMK_TABLES_NONE;
}

/* ---- nodes ---------------------------------------------------------------------------------- */

static bool make_room(struct pmk_tree *tree)
{
	size_t room = tree->room ? 2 * tree->room : 1024;
	struct pmk_tree_node *node;
	uint64_t *self;

	if (tree->nnodes < tree->room)
		return true;
	node = realloc(tree->node, room * sizeof(*node));
	if (!node)
		return false;
	tree->node = node;
	self = realloc(tree->self, (room * tree->n + 1) * sizeof(*self));
	if (!self)
		return false;
	tree->self = self;
	tree->room = room;
	return true;
}

static void add_node(struct pmk_tree *tree, uint32_t parent, uint32_t frame)
{
	memset(&tree->self[tree->nnodes * tree->n], 0, tree->n * sizeof(*tree->self));
	tree->node[tree->nnodes++] = (struct pmk_tree_node){ frame, parent };
}

bool pmk_tree_begin(struct pmk_tree *tree)
{
	if (tree->t)
		tree->at = calloc(tree->t->nthreads + 1, sizeof(*tree->at));
	if ((tree->t && !tree->at) || !make_room(tree))
		return false;
	add_node(tree, PMK_TABLES_NONE, PMK_TABLES_NONE);
	return true;
}

uint32_t pmk_tree_child(struct pmk_tree *tree, uint32_t parent, uint32_t frame)
{
	uint32_t node;

	if (parent == PMK_TABLES_NONE || !make_room(tree))
		return PMK_TABLES_NONE;
	node = pmk_map_put(&tree->children, (uint64_t)parent << 32 | frame, (uint32_t)tree->nnodes);
	if (node == tree->nnodes)
		add_node(tree, parent, frame);
	return node;
}

static uint32_t below_inlined(struct pmk_tree *tree, uint32_t node, uint32_t inlined)
{
	const struct pmk_tables_inlined *in = tree->t->inlined;
	uint32_t at = inlined, depth = 0;

	for (; at != PMK_TABLES_NONE; at = in[at].parent)
		depth++;
	/* The outermost function is the last of the chain. */
	for (; depth > 0; depth--) {
		at = inlined;
		for (uint32_t i = 1; i < depth; i++)
			at = in[at].parent;
		node = pmk_tree_child(tree, node, first_inlined(tree) + in[at].same);
	}
	return node;
}

/*
 * Returns the node for code that runs in the context whose node is `node`. If the code is in
 * another function than the called one, control has jumped to that function. Its node is then a
 * child of `node`.
 */
static uint32_t below_code(struct pmk_tree *tree, uint32_t node, uint32_t code)
{
	const struct pmk_tables_code *k = &tree->t->code[code];

	if (node != PMK_TABLES_NONE && tree->node[node].frame != code_frame(tree, k))
		node = pmk_tree_child(tree, node, code_frame(tree, k));
	return below_inlined(tree, node, k->inlined);
}

/* Creates the nodes of all contexts of a thread. */
static int add_contexts(struct pmk_tree *tree, uint32_t thread)
{
	const struct pmk_tables *t = tree->t;
	uint32_t root = 0, *at = malloc((t->ncontexts + 1) * sizeof(*at));

	tree->at[thread] = at;
	if (!at)
		return PMK_ENOMEM;
	if (tree->by_thread)
		root = pmk_tree_child(tree, 0, first_thread(tree) + thread);
	for (size_t i = 0; i < t->ncontexts; i++) {
		const struct pmk_tables_context *c = &t->context[i];

		at[i] = c->parent == PMK_TABLES_NONE ? root : at[c->parent];
		if (c->site != PMK_TABLES_NONE)
			at[i] = below_code(tree, at[i], c->site);
		if (c->function != PMK_TABLES_NONE)
			at[i] = pmk_tree_child(tree, at[i], function_frame(tree, c->function));
		if (at[i] == PMK_TABLES_NONE)
			return PMK_ENOMEM;
	}
	at[t->ncontexts] = root; /* counts without a context belong to the root */
	return root == PMK_TABLES_NONE ? PMK_ENOMEM : 0;
}

int pmk_tree_add(struct pmk_tree *tree, const struct pmk_tables_count *row)
{
	uint32_t thread = tree->by_thread ? row->thread : 0, node;
	size_t context = row->context == PMK_TABLES_NONE ? tree->t->ncontexts : row->context;

	if (!tree->at[thread] && add_contexts(tree, thread))
		return PMK_ENOMEM;
	node = below_code(tree, tree->at[thread][context], row->code);
	if (node == PMK_TABLES_NONE)
		return PMK_ENOMEM;
	tree->self[node * tree->n + row->slot] += row->value;
	return 0;
}

static int on_count(void *ctx, const struct pmk_tables_count *row)
{
	return pmk_tree_add(ctx, row);
}

static bool number_frames(struct pmk_tree *tree)
{
	uint32_t frames = pmk_tree_frames(tree);

	tree->number = malloc((frames + 1) * sizeof(*tree->number));
	tree->used = malloc((frames + 1) * sizeof(*tree->used));
	tree->path = malloc((tree->nnodes + 1) * sizeof(*tree->path));
	if (!tree->number || !tree->used || !tree->path)
		return false;
	memset(tree->number, 0xff, frames * sizeof(*tree->number)); /* PMK_TABLES_NONE */
	for (size_t i = 1; i < tree->nnodes; i++) {
		uint32_t frame = tree->node[i].frame;

		if (tree->number[frame] != PMK_TABLES_NONE)
			continue;
		tree->number[frame] = tree->nused;
		tree->used[tree->nused++] = frame;
	}
	return true;
}

int pmk_tree_build(struct pmk_tree *tree, const struct pmk_tables *t, const uint32_t *event,
		   size_t n, bool by_thread, char *msg, size_t size)
{
	int err;

	*tree = (struct pmk_tree){ .t = t, .n = n, .by_thread = by_thread };
	if (!pmk_tree_begin(tree))
		return pmk_message_no_memory(msg, size, NULL);
	err = pmk_tables_counts(t, event, n, on_count, tree, msg, size);
	return err || number_frames(tree) ? err : pmk_message_no_memory(msg, size, NULL);
}

uint64_t *pmk_tree_inclusive(const struct pmk_tree *tree)
{
	size_t n = tree->n;
	uint64_t *sum = malloc((tree->nnodes * n + 1) * sizeof(*sum));

	if (!sum)
		return NULL;
	memcpy(sum, tree->self, tree->nnodes * n * sizeof(*sum));
	/* Parents come before their children. */
	for (size_t i = tree->nnodes; i-- > 1;)
		for (size_t e = 0; e < n; e++)
			sum[tree->node[i].parent * n + e] += sum[i * n + e];
	return sum;
}

void pmk_tree_free(struct pmk_tree *tree)
{
	for (size_t i = 0; tree->at && i < tree->t->nthreads + 1; i++)
		free(tree->at[i]);
	free(tree->at);
	free(tree->node);
	free(tree->self);
	free(tree->number);
	free(tree->used);
	free(tree->path);
	pmk_map_free(&tree->children);
}

size_t pmk_tree_path(const struct pmk_tree *tree, uint32_t node)
{
	size_t n = 0, at;

	for (uint32_t i = node; i; i = tree->node[i].parent)
		n++;
	at = n;
	for (uint32_t i = node; i; i = tree->node[i].parent)
		tree->path[--at] = tree->node[i].frame;
	return n;
}

static bool is_same(const struct pmk_tables *t, uint32_t f, uint32_t g)
{
	return f != PMK_TABLES_NONE && g != PMK_TABLES_NONE &&
	       t->function[f].same == t->function[g].same;
}

void pmk_export_path(const struct pmk_tables *t, uint32_t code, uint32_t context,
		     void (*on_frame)(void *ctx, uint32_t code, uint32_t function), void *ctx)
{
	uint32_t inside = t->code[code].function; /* function of the last frame */

	on_frame(ctx, code, PMK_TABLES_NONE);
	for (uint32_t c = context; c != PMK_TABLES_NONE; c = t->context[c].parent) {
		uint32_t f = t->context[c].function, site = t->context[c].site;

		if (f != PMK_TABLES_NONE && !is_same(t, f, inside))
			on_frame(ctx, PMK_TABLES_NONE, f);
		inside = PMK_TABLES_NONE;
		if (site == PMK_TABLES_NONE)
			continue;
		on_frame(ctx, site, PMK_TABLES_NONE);
		inside = t->code[site].function;
	}
}

void pmk_export_json(FILE *f, const char *text)
{
	size_t left = strlen(text);

	fputc('"', f);
	while (left) {
		size_t n = pmk_printable_length((const uint8_t *)text, left);

		if (!n)
			fputs("\\ufffd", f);
		else if (*text == '"' || *text == '\\')
			fprintf(f, "\\%c", *text);
		else
			fwrite(text, 1, n, f);
		text += n ? n : 1;
		left -= n ? n : 1;
	}
	fputc('"', f);
}
