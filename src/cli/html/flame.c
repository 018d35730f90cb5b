// SPDX-License-Identifier: MIT
/*
 * The flame graph: callers above the functions that they call. The width of a frame shows the
 * counts in it and below it.
 *
 * A frame is an inner <svg>, which cuts off what does not fit into it, so the browser lays the
 * graph out without the script. Small frames are merged into one for each caller. Colours
 * distinguish objects, or files if there is only one object.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "cli/html/tree.h"

#define NONE	    PMK_TABLES_NONE
#define ROW	    18	 /* pixels */
#define MOST	    3000 /* frames */
#define FIRST_LIMIT 0.02 /* percent of event 0: the first limit of choose_frames() */
#define OTHERS	    10	 /* the limit for the other events is this many times higher */
#define NAME	    80	 /* characters of names within frames */
#define COLOURS	    6
#define SEEN	    5	/* percent of event 0 that makes an object worth a colour */
#define NARROW	    1.5 /* percent of the width: narrower frames show no name */

struct flame {
	struct html_page *p;
	double limit;
	bool *kept;
	uint32_t *order; /* kept nodes except the root, by parent, the largest first */
	size_t *first;	 /* [node]: where its children begin in that order */
	size_t nkept, merged, number, depth;
	bool by_file;
	uint32_t *colour;  /* [object or file]: number of its colour */
	uint64_t *smaller; /* [event]: counts of a merged frame */
	char *label;	   /* room for names of objects */
};

struct frame {
	uint32_t node;
	size_t depth, parent; /* `parent`: the number of the parent, in document order */
	double x;	      /* percent */
	uint32_t colour;
};

/* ---- what is shown -------------------------------------------------------------------------- */

static bool is_large(const struct flame *fl, size_t node)
{
	const struct html_page *p = fl->p;

	for (size_t e = 0; e < p->n; e++)
		if (html_inclusive(p, node, e) &&
		    html_percent(html_inclusive(p, node, e), p->total[e]) >=
			    fl->limit * (e ? OTHERS : 1))
			return true;
	return false;
}

/* Choose as many frames as a browser can lay out at once: raise the limit below which a frame is
 * merged until few enough are left. */
static void choose_frames(struct flame *fl)
{
	const struct pmk_tree *tree = &fl->p->tree;

	for (fl->limit = FIRST_LIMIT;; fl->limit *= 2) {
		fl->nkept = fl->merged = 0;
		for (size_t i = 1; i < tree->nnodes; i++) {
			fl->kept[i] = is_large(fl, i);
			fl->nkept += fl->kept[i];
			fl->merged += !fl->kept[i];
		}
		if (fl->nkept <= MOST)
			break;
	}
	fl->kept[0] = true;
}

static int by_size(const void *a, const void *b, void *flame)
{
	const struct flame *fl = flame;
	const struct html_page *p = fl->p;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	uint64_t u = html_inclusive(p, x, 0), v = html_inclusive(p, y, 0);

	if (p->tree.node[x].parent != p->tree.node[y].parent)
		return p->tree.node[x].parent < p->tree.node[y].parent ? -1 : 1;
	if (u != v)
		return u > v ? -1 : 1;
	return (x > y) - (x < y);
}

static bool arrange_frames(struct flame *fl)
{
	const struct pmk_tree *tree = &fl->p->tree;
	size_t n = 0, at = 0;

	fl->kept = calloc(tree->nnodes, sizeof(*fl->kept));
	fl->first = calloc(tree->nnodes + 1, sizeof(*fl->first));
	fl->smaller = calloc(fl->p->n, sizeof(*fl->smaller));
	if (!fl->kept || !fl->first || !fl->smaller)
		return false;
	choose_frames(fl);
	fl->order = malloc((fl->nkept + 1) * sizeof(*fl->order));
	if (!fl->order)
		return false;
	for (size_t i = 1; i < tree->nnodes; i++)
		if (fl->kept[i])
			fl->order[n++] = (uint32_t)i;
	qsort_r(fl->order, n, sizeof(*fl->order), by_size, fl);
	for (size_t i = 0; i <= tree->nnodes; i++) {
		while (at < n && tree->node[fl->order[at]].parent < i)
			at++;
		fl->first[i] = at;
	}
	return true;
}

/* ---- colours -------------------------------------------------------------------------------- */

/* The object or file of a frame, or NONE if it has none. */
static uint32_t group_of(const struct flame *fl, uint32_t frame)
{
	const struct pmk_tables *t = &fl->p->r->t;

	if (frame < t->nfunctions)
		return fl->by_file ? t->function[frame].file : t->function[frame].object;
	frame -= (uint32_t)(t->nfunctions + t->ninlined);
	return fl->by_file || frame >= t->nobjects ? NONE : frame;
}

/* Add up the counts of each group itself. Inlined functions belong to the function around them. */
static void weigh_groups(const struct flame *fl, uint64_t *weight)
{
	const struct pmk_tree *tree = &fl->p->tree;

	for (size_t i = 1; i < tree->nnodes; i++) {
		uint32_t node = (uint32_t)i, group;

		while (node && !html_tree_is_function(fl->p, tree->node[node].frame))
			node = tree->node[node].parent;
		group = node ? group_of(fl, tree->node[node].frame) : NONE;
		if (group != NONE)
			weight[group] += tree->self[i * tree->n];
	}
}

/* The heaviest groups get the colours. */
static bool colour_groups(struct flame *fl)
{
	const struct pmk_tables *t = &fl->p->r->t;
	size_t n = t->nobjects > t->nfiles ? t->nobjects : t->nfiles, seen = 0;
	uint64_t *weight = calloc(n + 1, sizeof(*weight));

	fl->colour = malloc((n + 1) * sizeof(*fl->colour));
	if (!weight || !fl->colour) {
		free(weight);
		return false;
	}
	weigh_groups(fl, weight);
	for (size_t i = 0; i < t->nobjects; i++)
		seen += html_percent(weight[i], fl->p->total[0]) >= SEEN;
	fl->by_file = seen < 2;
	if (fl->by_file) {
		memset(weight, 0, n * sizeof(*weight));
		weigh_groups(fl, weight);
	}
	for (size_t i = 0; i < n; i++)
		fl->colour[i] = COLOURS;
	for (uint32_t k = 0; k < COLOURS; k++) {
		size_t best = n;

		for (size_t i = 0; i < n; i++)
			if (weight[i] && fl->colour[i] == COLOURS &&
			    (best == n || weight[i] > weight[best]))
				best = i;
		if (best < n)
			fl->colour[best] = k;
	}
	free(weight);
	return true;
}

static void put_key(const struct flame *fl)
{
	const struct pmk_tables *t = &fl->p->r->t;
	size_t n = fl->by_file ? t->nfiles : t->nobjects;
	FILE *f = fl->p->f;

	fprintf(f, "<p class=\"keys\">%s: ", fl->by_file ? "Files" : "Objects");
	for (uint32_t k = 0; k < COLOURS; k++)
		for (size_t i = 0; i < n; i++) {
			const char *path = fl->by_file ? t->file[i].path : t->object[i].path;

			if (fl->colour[i] != k)
				continue;
			html_print(f, "<span class=\"key c%u\" title=\"%s\">%.40s</span> ", k, path,
				   html_base_name(path));
		}
	fprintf(f, "<span class=\"key c%d\">%s</span></p>\n", COLOURS,
		fl->by_file ? "others, and unknown" : "others");
}

/* ---- frames --------------------------------------------------------------------------------- */

static void put_numbers(const struct flame *fl, uint64_t value, uint64_t self)
{
	const struct html_page *p = fl->p;
	FILE *f = p->f;

	html_print(f, "%ju %s, %.2f%%; self %ju", value, html_event(p, 0),
		   html_percent(value, p->total[0]), self);
}

/* "work" and the rest of its title, which is "\nnumbers\nplace". */
static void put_title(const struct flame *fl, uint32_t node, const char *name)
{
	const struct html_page *p = fl->p;
	const struct pmk_tables *t = &p->r->t;
	uint32_t frame = p->tree.node[node].frame, line, file;

	html_print(p->f, "<title>%s\n", name);
	put_numbers(fl, html_inclusive(p, node, 0), p->tree.self[node * p->n]);
	fputc('\n', p->f);
	file = node ? pmk_tree_file(&p->tree, frame, &line) : NONE;
	if (file != NONE) {
		html_print(p->f, "%s", t->file[file].path);
		if (line)
			fprintf(p->f, ":%u", line);
	} else if (node && frame < t->nfunctions && t->function[frame].object != NONE) {
		html_print(p->f, "%s", t->object[t->function[frame].object].path);
	}
	fputs("</title>", p->f);
}

/* Three shades distinguish neighbours; the same name always has the same shade. */
static unsigned shade_of(const char *name)
{
	return (unsigned)((pmk_hash_text(name) >> 32) % 3);
}

static void put_box(struct flame *fl, const struct frame *at, uint64_t value, const char *more)
{
	double width = html_percent(value, fl->p->total[0]);

	fprintf(fl->p->f,
		"<svg class=\"f c%u%s%s\" x=\"%.4f%%\" y=\"%zu\" width=\"%.4f%%\" height=\"%d\" "
		"role=\"treeitem\" aria-level=\"%zu\" tabindex=\"%d\" data-p=\"%zu\"",
		at->colour, more, width < NARROW ? " narrow" : "", at->x, at->depth * ROW, width,
		ROW - 1, at->depth + 1, fl->number ? -1 : 0, at->parent);
	fl->number++;
	if (at->depth + 1 > fl->depth)
		fl->depth = at->depth + 1;
}

static void put_name(const struct flame *fl, const char *name)
{
	html_print(fl->p->f,
		   "<rect width=\"100%%\" height=\"100%%\"/><text x=\"4\" "
		   "y=\"12.5\">%.*s</text></svg>\n",
		   NAME, name);
}

/* The frame of everything that was merged below a frame. */
static void put_merged(struct flame *fl, const struct frame *at, size_t n)
{
	char name[40];
	bool any = false;

	for (size_t e = 0; e < fl->p->n; e++)
		any |= fl->smaller[e] != 0;
	if (!any)
		return;
	snprintf(name, sizeof(name), "(%zu smaller)", n);
	put_box(fl, at, fl->smaller[0], " merged");
	html_values(fl->p->f, fl->smaller, fl->p->n);
	fprintf(fl->p->f, "><title>%s\n", name);
	put_numbers(fl, fl->smaller[0], fl->smaller[0]);
	fputs("\n</title>", fl->p->f);
	put_name(fl, name);
}

/* The counts below a frame that its visible children do not have. */
static void sum_merged(struct flame *fl, uint32_t node)
{
	const struct html_page *p = fl->p;

	for (size_t e = 0; e < p->n; e++) {
		fl->smaller[e] = html_inclusive(p, node, e) - p->tree.self[node * p->n + e];
		for (size_t i = fl->first[node]; i < fl->first[node + 1]; i++)
			fl->smaller[e] -= html_inclusive(p, fl->order[i], e);
	}
}

/* A frame and everything below it. The depth of this recursion is that of the frames that are
 * shown. */
static void put_frame(struct flame *fl, const struct frame *at, const size_t *nmerged)
{
	const struct html_page *p = fl->p;
	uint32_t frame = p->tree.node[at->node].frame;
	bool inlined = at->node && !html_tree_is_function(p, frame);
	struct frame below = { .depth = at->depth + 1, .parent = fl->number, .x = at->x };
	char unnamed[300], more[16];
	const char *name =
		at->node ? pmk_tree_name(&p->tree, frame, unnamed, sizeof(unnamed)) : "all";

	snprintf(more, sizeof(more), " s%u%s", shade_of(name), inlined ? " inlined" : "");
	put_box(fl, at, html_inclusive(p, at->node, 0), more);
	html_values(p->f, &p->inclusive[at->node * p->n], p->n);
	fputc('>', p->f);
	put_title(fl, at->node, name);
	put_name(fl, name);
	for (size_t i = fl->first[at->node]; i < fl->first[at->node + 1]; i++) {
		uint32_t child = p->tree.node[fl->order[i]].frame, group;

		below.node = fl->order[i];
		below.colour = at->colour;
		if (html_tree_is_function(p, child)) {
			group = group_of(fl, child);
			below.colour = group == NONE ? COLOURS : fl->colour[group];
		}
		put_frame(fl, &below, nmerged);
		below.x += html_percent(html_inclusive(p, below.node, 0), p->total[0]);
	}
	below.colour = COLOURS;
	sum_merged(fl, at->node);
	put_merged(fl, &below, nmerged[at->node]);
}

/* For each shown frame, how many frames are merged into it. */
static size_t *count_merged(const struct flame *fl)
{
	const struct pmk_tree *tree = &fl->p->tree;
	size_t *n = calloc(tree->nnodes, sizeof(*n));

	for (size_t i = 1; n && i < tree->nnodes; i++) {
		uint32_t node = (uint32_t)i;

		if (fl->kept[i])
			continue;
		while (!fl->kept[node])
			node = tree->node[node].parent;
		n[node]++;
	}
	return n;
}

/* The height of the graph is known when all frames are written, so they are written to memory
 * first. */
static bool put_graph(struct flame *fl)
{
	const struct frame root = { .colour = COLOURS };
	size_t *nmerged = count_merged(fl), size;
	FILE *page = fl->p->f;
	char *frames = NULL;

	fl->p->f = nmerged ? open_memstream(&frames, &size) : NULL;
	if (fl->p->f) {
		put_frame(fl, &root, nmerged);
		fclose(fl->p->f);
	}
	fl->p->f = page;
	free(nmerged);
	if (!frames)
		return false;
	fprintf(page,
		"<div class=\"scroll\"><svg id=\"flame\" width=\"100%%\" height=\"%zu\" "
		"role=\"tree\" aria-label=\"Flame graph\">\n%s</svg></div>\n",
		fl->depth * ROW, frames);
	free(frames);
	return true;
}

static void put_notes(const struct flame *fl)
{
	const struct html_page *p = fl->p;

	fputs("<p class=\"note\">", p->f);
	if (!pmk_tables_have_paths(&p->r->t))
		fputs("This recording has no call paths: pmk record -g records them. ", p->f);
	if (fl->merged)
		html_print(p->f,
			   "%zu of %zu frames are merged: each has less than %g\u00a0%% "
			   "of %s and below %g\u00a0%% of every other event.",
			   fl->merged, fl->merged + fl->nkept, fl->limit, html_event(p, 0),
			   fl->limit * OTHERS);
	fputs("</p>\n", p->f);
}

bool html_flame(struct html_page *p)
{
	struct flame fl = { .p = p };
	bool done = arrange_frames(&fl) && colour_groups(&fl);

	if (done) {
		fputs("<section id=\"calls\">\n", p->f);
		html_title(p, "Flame graph");
		fputs("<div class=\"tools js\"><input type=\"search\" id=\"find\" "
		      "placeholder=\"Search functions  /\" aria-label=\"Search functions\">"
		      "<select id=\"view\" aria-label=\"Direction\">"
		      "<option value=\"\">Callers first</option>"
		      "<option value=\"inverted\">Inverted: callees first</option></select>"
		      "<button id=\"both\" disabled>Callers and callees</button>"
		      "<button id=\"reset\" disabled>Reset zoom</button>"
		      "<output id=\"found\"></output></div>\n",
		      p->f);
		done = put_graph(&fl);
		fputs("<div id=\"others\" hidden><div class=\"scroll\"><svg id=\"upper\" "
		      "width=\"100%\" role=\"tree\" aria-label=\"Callers\"></svg>"
		      "<svg id=\"lower\" width=\"100%\" role=\"tree\" aria-label=\"Callees\">"
		      "</svg></div></div>\n",
		      p->f);
		fputs("<p id=\"hint\" class=\"hint js\" aria-live=\"polite\">Click or Enter zooms, "
		      "Escape resets, arrow keys move, / searches.</p>\n",
		      p->f);
		put_key(&fl);
		put_notes(&fl);
		fputs("</section>\n", p->f);
	}
	free(fl.kept);
	free(fl.order);
	free(fl.first);
	free(fl.colour);
	free(fl.smaller);
	return done;
}
