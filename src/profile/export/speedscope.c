// SPDX-License-Identifier: MIT
/*
 * speedscope's own format, whose schema is in its npm package: a list of frames, and a profile for
 * each event. The samples of a profile are call paths with weights.
 */
#include <inttypes.h>

#include "profile/export/export.h"
#include "profile/export/tree.h"

struct writer {
	const struct pmk_export *x;
	struct pmk_tree tree;
	FILE *f;
};

static void write_frame(struct writer *w, uint32_t i)
{
	uint32_t line, file = pmk_tree_file(&w->tree, i, &line);
	char buf[300];

	fputs("{\"name\":", w->f);
	pmk_export_json(w->f, pmk_tree_name(&w->tree, i, buf, sizeof(buf)));
	if (file != PMK_TABLES_NONE) {
		fputs(",\"file\":", w->f);
		pmk_export_json(w->f, w->x->t->file[file].path);
	}
	if (file != PMK_TABLES_NONE && line)
		fprintf(w->f, ",\"line\":%" PRIu32, line);
	fputc('}', w->f);
}

static void write_frames(struct writer *w)
{
	fputs("\"shared\":{\"frames\":[", w->f);
	for (uint32_t i = 0; i < w->tree.nused; i++) {
		fputs(i ? ",\n" : "\n", w->f);
		write_frame(w, w->tree.used[i]);
	}
	fputs("]},\n", w->f);
}

static void write_path(struct writer *w, uint32_t node)
{
	size_t n = pmk_tree_path(&w->tree, node);

	for (size_t i = 0; i < n; i++)
		fprintf(w->f, "%c%" PRIu32, i ? ',' : '[', w->tree.number[w->tree.path[i]]);
	fputc(']', w->f);
}

static void write_profile(struct writer *w, size_t slot)
{
	const struct pmk_tree *tree = &w->tree;
	uint64_t sum = 0;
	const char *gap = "\n";

	fputs("{\"type\":\"sampled\",\"name\":", w->f);
	pmk_export_json(w->f, pmk_tables_event_name(w->x->t, w->x->event[slot]));
	fputs(",\"unit\":\"none\",\"startValue\":0,\"samples\":[", w->f);
	for (uint32_t i = 1; i < tree->nnodes; i++)
		if (tree->self[i * tree->n + slot]) {
			fputs(gap, w->f);
			write_path(w, i);
			gap = ",\n";
		}
	fputs("],\n\"weights\":[", w->f);
	gap = "";
	for (uint32_t i = 1; i < tree->nnodes; i++) {
		uint64_t value = tree->self[i * tree->n + slot];

		if (!value)
			continue;
		fprintf(w->f, "%s%" PRIu64, gap, value);
		gap = ",";
		sum += value;
	}
	fprintf(w->f, "],\n\"endValue\":%" PRIu64 "}", sum);
}

static void write_document(struct writer *w)
{
	fputs("{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n\"name\":",
	      w->f);
	pmk_export_json(w->f, w->x->t->command);
	fputs(",\"exporter\":", w->f);
	pmk_export_json(w->f, w->x->creator);
	fputs(",\"activeProfileIndex\":0,\n", w->f);
	write_frames(w);
	fputs("\"profiles\":[", w->f);
	for (size_t i = 0; i < w->x->nevents; i++) {
		fputs(i ? ",\n" : "\n", w->f);
		write_profile(w, i);
	}
	fputs("]}\n", w->f);
}

int pmk_export_speedscope(const struct pmk_export *x, char *msg, size_t size)
{
	struct writer w = { .x = x, .f = x->f };
	int err = pmk_tree_build(&w.tree, x->t, x->event, x->nevents, false, msg, size);

	if (!err)
		write_document(&w);
	pmk_tree_free(&w.tree);
	return err;
}
