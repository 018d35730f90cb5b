// SPDX-License-Identifier: MIT
/*
 * The processed format of the Firefox Profiler: tables of texts, functions, frames and stacks,
 * which are stored column by column, and a thread for each event. A stack is a node of the tree of
 * calls, and a sample is a stack with its count as its weight. A recording has no time, so each
 * sample comes a millisecond after the one before it.
 */
#include <inttypes.h>

#include "profile/export/export.h"
#include "profile/export/tree.h"

#define FORMAT_VERSION 62 /* later versions of the profiler convert files of this version */
#define GECKO_VERSION  24

struct writer {
	const struct pmk_export *x;
	struct pmk_tree tree;
	FILE *f;
};

/* Write a column with the same value in each of n rows. */
static void write_same(struct writer *w, const char *name, const char *value, size_t n)
{
	fprintf(w->f, ",\n\"%s\":[", name);
	for (size_t i = 0; i < n; i++)
		fprintf(w->f, "%s%s", i ? "," : "", value);
	fputc(']', w->f);
}

/* Write a column with the numbers 0, 1, ... n - 1. */
static void write_counted(struct writer *w, const char *name, size_t n)
{
	fprintf(w->f, ",\n\"%s\":[", name);
	for (size_t i = 0; i < n; i++)
		fprintf(w->f, "%s%zu", i ? "," : "", i);
	fputc(']', w->f);
}

/* Write the table of texts: names of functions, then names of files. */
static void write_texts(struct writer *w)
{
	const struct pmk_tables *t = w->x->t;
	char buf[300];

	fputs("\"stringArray\":[", w->f);
	for (uint32_t i = 0; i < w->tree.nused; i++) {
		fputs(i ? ",\n" : "\n", w->f);
		pmk_export_json(w->f, pmk_tree_name(&w->tree, w->tree.used[i], buf, sizeof(buf)));
	}
	for (size_t i = 0; i < t->nfiles; i++) {
		fputs(i || w->tree.nused ? ",\n" : "\n", w->f);
		pmk_export_json(w->f, t->file[i].path);
	}
	fputs("],\n", w->f);
}

static void write_sources(struct writer *w)
{
	size_t n = w->x->t->nfiles;

	fprintf(w->f, "\"sources\":{\"length\":%zu,\n\"filename\":[", n);
	for (size_t i = 0; i < n; i++)
		fprintf(w->f, "%s%zu", i ? "," : "", w->tree.nused + i);
	fputc(']', w->f);
	write_same(w, "id", "null", n);
	write_same(w, "startLine", "1", n);
	write_same(w, "startColumn", "1", n);
	write_same(w, "sourceMapURL", "null", n);
	fputs("},\n", w->f);
}

static void write_number(struct writer *w, bool known, uint32_t number)
{
	if (known)
		fprintf(w->f, "%" PRIu32, number);
	else
		fputs("null", w->f);
}

static void write_functions(struct writer *w)
{
	uint32_t line;

	fprintf(w->f, "\"funcTable\":{\"length\":%" PRIu32, w->tree.nused);
	write_counted(w, "name", w->tree.nused);
	write_same(w, "isJS", "false", w->tree.nused);
	write_same(w, "relevantForJS", "false", w->tree.nused);
	write_same(w, "resource", "-1", w->tree.nused);
	fputs(",\n\"source\":[", w->f);
	for (uint32_t i = 0; i < w->tree.nused; i++) {
		uint32_t file = pmk_tree_file(&w->tree, w->tree.used[i], &line);

		fputs(i ? "," : "", w->f);
		write_number(w, file != PMK_TABLES_NONE, file);
	}
	fputs("],\n\"lineNumber\":[", w->f);
	for (uint32_t i = 0; i < w->tree.nused; i++) {
		uint32_t file = pmk_tree_file(&w->tree, w->tree.used[i], &line);

		fputs(i ? "," : "", w->f);
		write_number(w, file != PMK_TABLES_NONE && line, line);
	}
	fputc(']', w->f);
	write_same(w, "columnNumber", "null", w->tree.nused);
	fputs("},\n", w->f);
}

static void write_frames(struct writer *w)
{
	fprintf(w->f, "\"frameTable\":{\"length\":%" PRIu32, w->tree.nused);
	write_same(w, "address", "-1", w->tree.nused);
	write_same(w, "inlineDepth", "0", w->tree.nused);
	write_same(w, "category", "0", w->tree.nused);
	write_same(w, "subcategory", "0", w->tree.nused);
	write_counted(w, "func", w->tree.nused);
	write_same(w, "nativeSymbol", "null", w->tree.nused);
	write_same(w, "innerWindowID", "0", w->tree.nused);
	write_same(w, "line", "null", w->tree.nused);
	write_same(w, "column", "null", w->tree.nused);
	fputs("},\n", w->f);
}

/* Node i + 1 of the tree is stack i. */
static void write_stacks(struct writer *w)
{
	const struct pmk_tree *tree = &w->tree;

	fprintf(w->f, "\"stackTable\":{\"length\":%zu,\n\"frame\":[", tree->nnodes - 1);
	for (size_t i = 1; i < tree->nnodes; i++)
		fprintf(w->f, "%s%" PRIu32, i > 1 ? "," : "", w->tree.number[tree->node[i].frame]);
	fputs("],\n\"prefix\":[", w->f);
	for (size_t i = 1; i < tree->nnodes; i++) {
		uint32_t parent = tree->node[i].parent;

		fputs(i > 1 ? "," : "", w->f);
		write_number(w, parent, parent - 1);
	}
	fputs("]},\n", w->f);
}

static void write_shared(struct writer *w)
{
	fputs("\"shared\":{", w->f);
	write_texts(w);
	write_sources(w);
	write_functions(w);
	write_frames(w);
	write_stacks(w);
	fputs("\"resourceTable\":{\"length\":0,\"lib\":[],\"name\":[],\"host\":[],\"type\":[]},\n"
	      "\"nativeSymbols\":{\"length\":0,\"libIndex\":[],\"address\":[],\"name\":[],"
	      "\"functionSize\":[]}},\n",
	      w->f);
}

static void write_samples(struct writer *w, size_t slot)
{
	const struct pmk_tree *tree = &w->tree;
	size_t n = 0;

	fputs("\"samples\":{\"weightType\":\"samples\",\n\"stack\":[", w->f);
	for (size_t i = 1; i < tree->nnodes; i++)
		if (tree->self[i * tree->n + slot])
			fprintf(w->f, "%s%zu", n++ ? "," : "", i - 1);
	fputs("],\n\"weight\":[", w->f);
	n = 0;
	for (size_t i = 1; i < tree->nnodes; i++)
		if (tree->self[i * tree->n + slot])
			fprintf(w->f, "%s%" PRIu64, n++ ? "," : "", tree->self[i * tree->n + slot]);
	fputc(']', w->f);
	write_same(w, "timeDeltas", "1", n);
	fprintf(w->f, ",\"length\":%zu}", n);
}

static void write_thread(struct writer *w, size_t slot)
{
	fprintf(w->f,
		"{\"processType\":\"default\",\"processStartupTime\":0,"
		"\"processShutdownTime\":null,\"registerTime\":0,\"unregisterTime\":null,"
		"\"pausedRanges\":[],\"isMainThread\":%s,\"showMarkersInTimeline\":false,"
		"\"pid\":\"1\",\"tid\":%zu,\"processName\":",
		slot ? "false" : "true", slot + 1);
	pmk_export_json(w->f, w->x->t->command);
	fputs(",\"name\":", w->f);
	pmk_export_json(w->f, pmk_tables_event_name(w->x->t, w->x->event[slot]));
	fputs(",\n\"markers\":{\"length\":0,\"category\":[],\"data\":[],\"name\":[],"
	      "\"startTime\":[],\"endTime\":[],\"phase\":[]},\n",
	      w->f);
	write_samples(w, slot);
	fputc('}', w->f);
}

/* Writes the remarks, which the profiler shows with the other facts about a profile. */
static void write_remarks(struct writer *w)
{
	fputs(",\"extra\":[{\"label\":\"Counts\",\"entries\":[", w->f);
	for (size_t i = 0; i < w->x->nremarks; i++) {
		fprintf(w->f,
			"%s\n{\"label\":\"%s\",\"format\":\"string\",\"value\":", i ? "," : "",
			w->x->remark[i].name);
		pmk_export_json(w->f, w->x->remark[i].text);
		fputc('}', w->f);
	}
	fputs("]}]", w->f);
}

static void write_document(struct writer *w)
{
	fprintf(w->f,
		"{\"meta\":{\"version\":%d,\"preprocessedProfileVersion\":%d,"
		"\"interval\":1,\"startTime\":0,\"processType\":0,\"debug\":false,"
		"\"symbolicated\":true,\"usesOnlyOneStackType\":true,"
		"\"sourceCodeIsNotOnSearchfox\":true,\"markerSchema\":[],"
		"\"categories\":[{\"name\":\"Other\",\"color\":\"grey\","
		"\"subcategories\":[\"Other\"]}],"
		"\"extensions\":{\"length\":0,\"id\":[],\"name\":[],\"baseURL\":[]},"
		"\"importedFrom\":",
		GECKO_VERSION, FORMAT_VERSION);
	pmk_export_json(w->f, w->x->creator);
	fputs(",\"product\":", w->f);
	pmk_export_json(w->f, w->x->t->command);
	if (w->x->nremarks)
		write_remarks(w);
	fputs("},\n\"libs\":[],\"pages\":[],\"counters\":[],\"profilerOverhead\":[],\n", w->f);
	write_shared(w);
	fputs("\"threads\":[", w->f);
	for (size_t i = 0; i < w->x->nevents; i++) {
		fputs(i ? ",\n" : "\n", w->f);
		write_thread(w, i);
	}
	fputs("]}\n", w->f);
}

int pmk_export_firefox(const struct pmk_export *x, char *msg, size_t size)
{
	struct writer w = { .x = x, .f = x->f };
	int err = pmk_tree_build(&w.tree, x->t, x->event, x->nevents, false, msg, size);

	if (!err)
		write_document(&w);
	pmk_tree_free(&w.tree);
	return err;
}
