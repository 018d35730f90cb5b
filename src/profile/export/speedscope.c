// SPDX-License-Identifier: MIT
/*
 * speedscope's own format, whose schema is in its npm package: a list of frames, and a profile for
 * each event. The samples of a profile are call paths with weights.
 */
#include <inttypes.h>
#include <stdlib.h>

#include <pmk/error.h>

#include "base/message.h"
#include "profile/export/export.h"
#include "profile/export/json.h"
#include "profile/export/tree.h"

struct writer {
	const struct pmk_export *x;
	struct pmk_tree tree;
	uint32_t *frame;  /* frames of the current path */
	uint32_t *number; /* [frame]: its number in the file, or PMK_TABLES_NONE */
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
	uint32_t n = 0;

	fputs("\"shared\":{\"frames\":[", w->f);
	for (uint32_t i = 0; i < pmk_tree_frames(&w->tree); i++)
		w->number[i] = PMK_TABLES_NONE;
	for (uint32_t i = 1; i < w->tree.nnodes; i++) {
		uint32_t of_node = w->tree.node[i].frame;

		if (w->number[of_node] != PMK_TABLES_NONE)
			continue;
		fputs(n ? ",\n" : "\n", w->f);
		write_frame(w, of_node);
		w->number[of_node] = n++;
	}
	fputs("]},\n", w->f);
}

static void write_path(struct writer *w, uint32_t node)
{
	size_t n = pmk_tree_path(&w->tree, node, w->frame);

	for (size_t i = 0; i < n; i++)
		fprintf(w->f, "%c%" PRIu32, i ? ',' : '[', w->number[w->frame[i]]);
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

	if (!err) {
		w.frame = malloc((w.tree.nnodes + 1) * sizeof(*w.frame));
		w.number = malloc((pmk_tree_frames(&w.tree) + 1) * sizeof(*w.number));
		if (w.frame && w.number) {
			write_document(&w);
		} else {
			err = pmk_message_no_memory(msg, size, NULL);
		}
	}
	free(w.frame);
	free(w.number);
	pmk_tree_free(&w.tree);
	return err;
}
