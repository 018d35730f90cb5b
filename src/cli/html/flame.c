// SPDX-License-Identifier: MIT
/*
 * The flame graph: the calls as JSON, which flame.js draws.
 *
 *	events		names
 *	objects, files	paths
 *	frames		[number, name, shade, inlined, object, file, line]; a thread: [number, null,
 *			name]; in a comparison: [number, name, place]
 *	nodes		[parent, frame, "counts"], parents first; the first is the root. A negative
 *			frame -N stands for N small frames, which were merged into one. In a
 *			comparison, the counts of the new side come first, then those of the base.
 */
#define _GNU_SOURCE
#include <stdlib.h>

#include "base/hash.h"
#include "cli/html/tree.h"

#define NONE	    PMK_TABLES_NONE
#define MOST	    6000 /* frames */
#define FIRST_LIMIT 0.02 /* percent of event 0: the first limit of choose_frames() */
#define OTHERS	    10	 /* the limit for the other events is this many times higher */

struct flame {
	struct html_page *p;
	double limit;
	bool *kept;	   /* [node] */
	size_t *merged;	   /* [node]: number of frames below it that are merged into one frame */
	uint64_t *smaller; /* [node][event]: counts of these merged frames */
	uint32_t *number;  /* [node]: the number of the node in the data */
	size_t nkept, nmerged;
};

/* ---- what is shown -------------------------------------------------------------------------- */

static bool is_thread(const struct flame *fl, size_t node)
{
	return fl->p->r && pmk_tree_thread(&fl->p->tree, fl->p->tree.node[node].frame) != NONE;
}

static bool is_large(const struct flame *fl, size_t node)
{
	const struct html_page *p = fl->p;
	const size_t base = p->d ? p->d->nevents : 0; /* event 0 of the base side */

	for (size_t e = 0; e < p->n; e++)
		if (html_inclusive(p, node, e) &&
		    html_percent(html_inclusive(p, node, e), p->total[e]) >=
			    fl->limit * (e && e != base ? OTHERS : 1))
			return true;
	return is_thread(fl, node);
}

/* Choose as many frames as a page has room for: raise the limit below which a frame is merged until
 * few enough are left. */
static void choose_frames(struct flame *fl)
{
	const struct pmk_tree *tree = &fl->p->tree;

	for (fl->limit = FIRST_LIMIT;; fl->limit *= 2) {
		fl->nkept = 0;
		for (size_t i = 1; i < tree->nnodes; i++) {
			fl->kept[i] = is_large(fl, i);
			fl->nkept += fl->kept[i] && !is_thread(fl, i);
		}
		if (fl->nkept <= MOST)
			break;
	}
	fl->kept[0] = true;
}

/* Merges frames below the limits. A small frame has only small frames below it. A frame without
 * counts, which belongs to another thread, is not counted as a merged frame. */
static void merge_frames(struct flame *fl)
{
	const struct html_page *p = fl->p;

	for (size_t i = p->tree.nnodes; i-- > 1;) {
		size_t parent = p->tree.node[i].parent;
		bool any = false;

		if (fl->kept[i])
			continue;
		for (size_t e = 0; e < p->n; e++) {
			any |= html_inclusive(p, i, e) != 0;
			if (fl->kept[parent])
				fl->smaller[parent * p->n + e] += html_inclusive(p, i, e);
		}
		fl->merged[parent] += fl->merged[i] + any;
		fl->nmerged += any;
	}
}

/* ---- data ----------------------------------------------------------------------------------- */

/* Returns one of three shades, which distinguish neighbours. A name always has the same shade. */
static unsigned shade_of(const char *name)
{
	return (unsigned)((pmk_hash_text(name) >> 32) % 3);
}

static void put_index(FILE *f, uint32_t index)
{
	if (index == NONE)
		fputs(",null", f);
	else
		fprintf(f, ",%u", index);
}

static void put_paired_frame(const struct html_page *p, uint32_t frame, const char *separator)
{
	char *label = diff_label(p->d, frame, 0);

	html_json(p->f, "%s\n[%u,\"%s\",\"%s\"]", separator, frame, p->d->row[frame].name, label);
	free(label);
}

static void put_frame(const struct html_page *p, uint32_t frame, const char *separator)
{
	const struct pmk_tables *t = &p->r->t;
	uint32_t thread = pmk_tree_thread(&p->tree, frame), line, file, object = NONE;
	char unnamed[300];
	const char *name;

	fputs(separator, p->f);
	if (thread != NONE) {
		name = t->thread[thread].name;
		html_json(p->f, "\n[%u,null,\"%s%s%llu\"]", frame, name, name ? " " : "Thread ",
			  (unsigned long long)t->thread[thread].id);
		return;
	}
	name = pmk_tree_name(&p->tree, frame, unnamed, sizeof(unnamed));
	file = pmk_tree_file(&p->tree, frame, &line);
	if (frame < t->nfunctions)
		object = t->function[frame].object;
	else if (frame - t->nfunctions - t->ninlined < t->nobjects)
		object = frame - (uint32_t)(t->nfunctions + t->ninlined);
	html_json(p->f, "\n[%u,\"%s\",%u,%d", frame, name, shade_of(name),
		  !html_tree_is_function(p, frame));
	put_index(p->f, object);
	put_index(p->f, file);
	fprintf(p->f, ",%u]", line);
}

static bool put_frames(const struct flame *fl)
{
	const struct html_page *p = fl->p;
	bool *used = calloc(p->d ? p->d->nrows : pmk_tree_frames(&p->tree), sizeof(*used));
	const char *separator = "";

	fputs("],\n\"frames\":[", p->f);
	for (size_t i = 1; used && i < p->tree.nnodes; i++) {
		uint32_t frame = p->tree.node[i].frame;

		if (!fl->kept[i] || used[frame])
			continue;
		(p->d ? put_paired_frame : put_frame)(p, frame, separator);
		used[frame] = true;
		separator = ",";
	}
	free(used);
	return used;
}

static void put_node(const struct html_page *p, size_t parent, long long frame,
		     const uint64_t *value)
{
	fprintf(p->f, ",\n[%zu,%lld,\"", parent, frame);
	html_counts(p->f, value, p->n);
	fputs("\"]", p->f);
}

static void put_nodes(const struct flame *fl)
{
	const struct html_page *p = fl->p;
	uint32_t n = 1;

	fputs("],\n\"nodes\":[[0,null,\"", p->f);
	html_counts(p->f, p->inclusive, p->n);
	fputs("\"]", p->f);
	for (size_t i = 1; i < p->tree.nnodes; i++)
		if (fl->kept[i]) {
			fl->number[i] = n++;
			put_node(p, fl->number[p->tree.node[i].parent], p->tree.node[i].frame,
				 &p->inclusive[i * p->n]);
		}
	for (size_t i = 0; i < p->tree.nnodes; i++) {
		const uint64_t *value = &fl->smaller[i * p->n];
		bool any = false;

		for (size_t e = 0; e < p->n; e++)
			any |= value[e] != 0;
		if (any)
			put_node(p, fl->number[i], -(long long)fl->merged[i], value);
	}
}

static bool put_data(const struct flame *fl)
{
	const struct html_page *p = fl->p;
	const struct pmk_tables *t = p->r ? &p->r->t : &(struct pmk_tables){ 0 };

	html_json(p->f,
		  "<script type=\"application/json\" id=\"calls-data\">"
		  "{\"shade\":%u,\"compares\":%s,\"events\":[",
		  shade_of("all"), p->d ? "true" : "false");
	for (size_t i = 0; i < (p->d ? p->d->nevents : p->n); i++)
		html_json(p->f, "%s\"%s\"", i ? "," : "", html_event(p, i));
	fputs("],\n\"objects\":[", p->f);
	for (size_t i = 0; i < t->nobjects; i++)
		html_json(p->f, "%s\"%s\"", i ? "," : "", t->object[i].path);
	fputs("],\n\"files\":[", p->f);
	for (size_t i = 0; i < t->nfiles; i++)
		html_json(p->f, "%s\"%s\"", i ? "," : "", t->file[i].path);
	if (!put_frames(fl))
		return false;
	put_nodes(fl);
	fputs("]}</script>\n", p->f);
	return true;
}

/* ---- the section ---------------------------------------------------------------------------- */

static void put_notes(const struct flame *fl)
{
	const struct html_page *p = fl->p;

	fputs("<p class=\"note\">", p->f);
	if (p->r && !pmk_tables_have_paths(&p->r->t))
		fputs("This recording has no call paths: pmk record -g records them. ", p->f);
	if (fl->nmerged)
		html_print(p->f,
			   "%zu of %zu frames are merged: each has less than %g\u00a0%% "
			   "of %s and below %g\u00a0%% of every other event.",
			   fl->nmerged, fl->nmerged + fl->nkept, fl->limit, html_event(p, 0),
			   fl->limit * OTHERS);
	fputs("</p>\n", p->f);
}

bool html_flame(struct html_page *p)
{
	const size_t n = p->tree.nnodes;
	struct flame fl = { .p = p,
			    .kept = calloc(n, sizeof(*fl.kept)),
			    .merged = calloc(n, sizeof(*fl.merged)),
			    .smaller = calloc(n * p->n, sizeof(*fl.smaller)),
			    .number = calloc(n, sizeof(*fl.number)) };
	bool done = fl.kept && fl.merged && fl.smaller && fl.number;

	if (done) {
		choose_frames(&fl);
		merge_frames(&fl);
		fputs("<section id=\"calls\">\n", p->f);
		html_title(p, p->d ? "Flame graph of the difference" : "Flame graph");
		fputs("<noscript><p>Only a script can draw the graph; the tables need none.</p>"
		      "</noscript>\n",
		      p->f);
		put_notes(&fl);
		done = put_data(&fl);
		fputs("</section>\n", p->f);
	}
	free(fl.kept);
	free(fl.merged);
	free(fl.smaller);
	free(fl.number);
	return done;
}
