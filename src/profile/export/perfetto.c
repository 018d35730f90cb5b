// SPDX-License-Identifier: MIT
/*
 * Trace events in Chromium's JSON format, which Perfetto and chrome://tracing read. A recording has
 * no time, so calls of one path are one slice whose length is their count, one microsecond for
 * each. A slice begins with its own counts, and the slices of its callees follow.
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
	/* [node]; used: length that its children have filled so far */
	uint64_t *inclusive, *begin, *used;
	uint32_t *thread; /* [node] */
	const char *gap;
	FILE *f;
};

/*
 * Processes and threads are numbered from 1 without duplicates; a process has the number of its
 * first thread.
 */
static uint32_t process_number(const struct pmk_tables *t, uint32_t thread)
{
	uint32_t i = 0;

	while (t->thread[i].process != t->thread[thread].process)
		i++;
	return i + 1;
}

static void begin_event(struct writer *w, const char *phase, uint32_t thread)
{
	fprintf(w->f, "%s{\"ph\":\"%s\",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32 ",\"name\":", w->gap,
		phase, process_number(w->x->t, thread), thread + 1);
	w->gap = ",\n";
}

static void write_names(struct writer *w, uint32_t thread)
{
	const struct pmk_tables_thread *t = &w->x->t->thread[thread];

	if (process_number(w->x->t, thread) == thread + 1) {
		begin_event(w, "M", thread);
		fputs("\"process_name\",\"args\":{\"name\":", w->f);
		pmk_export_json(w->f, w->x->t->command);
		fputs("}}", w->f);
		begin_event(w, "M", thread);
		fprintf(w->f, "\"process_labels\",\"args\":{\"labels\":\"process %" PRIu32 "\"}}",
			t->process);
	}
	begin_event(w, "M", thread);
	fprintf(w->f, "\"thread_name\",\"args\":{\"name\":\"thread %" PRIu32 "\"}}", t->cpu);
}

static void write_slice(struct writer *w, uint32_t node)
{
	char buf[300];

	begin_event(w, "X", w->thread[node]);
	pmk_export_json(w->f, pmk_tree_name(&w->tree, w->tree.node[node].frame, buf, sizeof(buf)));
	fputs(",\"cat\":", w->f);
	pmk_export_json(w->f, pmk_tables_event_name(w->x->t, w->x->event[0]));
	fprintf(w->f, ",\"ts\":%" PRIu64 ",\"dur\":%" PRIu64 ",\"args\":{\"self\":%" PRIu64 "}}",
		w->begin[node], w->inclusive[node], w->tree.self[node]);
}

/* Parents come before their children, in the tree and in the file. */
static void write_slices(struct writer *w)
{
	const struct pmk_tree_node *node = w->tree.node;

	for (size_t i = 0; i < w->tree.nnodes; i++)
		w->inclusive[i] = w->tree.self[i];
	for (size_t i = w->tree.nnodes; i-- > 1;)
		w->inclusive[node[i].parent] += w->inclusive[i];
	for (uint32_t i = 1; i < w->tree.nnodes; i++) {
		uint32_t up = node[i].parent, thread = pmk_tree_thread(&w->tree, node[i].frame);

		if (thread != PMK_TABLES_NONE) {
			w->thread[i] = thread;
			continue;
		}
		w->thread[i] = w->thread[up];
		w->begin[i] = w->begin[up] + w->tree.self[up] + w->used[up];
		w->used[up] += w->inclusive[i];
		if (w->inclusive[i])
			write_slice(w, i);
	}
}

static void write_document(struct writer *w)
{
	fputs("{\"displayTimeUnit\":\"ns\",\n\"otherData\":{\"exporter\":", w->f);
	pmk_export_json(w->f, w->x->creator);
	fputs(",\"microsecond\":", w->f);
	pmk_export_json(w->f, pmk_tables_event_name(w->x->t, w->x->event[0]));
	fputs("},\n\"traceEvents\":[", w->f);
	w->gap = "\n";
	for (uint32_t i = 0; i < w->x->t->nthreads; i++)
		write_names(w, i);
	write_slices(w);
	fputs("]}\n", w->f);
}

int pmk_export_perfetto(const struct pmk_export *x, char *msg, size_t size)
{
	struct writer w = { .x = x, .f = x->f };
	int err = pmk_tree_build(&w.tree, x->t, x->event, x->nevents, true, msg, size);

	if (!err) {
		w.inclusive = calloc(w.tree.nnodes, sizeof(*w.inclusive));
		w.begin = calloc(w.tree.nnodes, sizeof(*w.begin));
		w.used = calloc(w.tree.nnodes, sizeof(*w.used));
		w.thread = calloc(w.tree.nnodes, sizeof(*w.thread));
		if (w.inclusive && w.begin && w.used && w.thread) {
			write_document(&w);
		} else {
			err = pmk_message_no_memory(msg, size, NULL);
		}
	}
	free(w.inclusive);
	free(w.begin);
	free(w.used);
	free(w.thread);
	pmk_tree_free(&w.tree);
	return err;
}
