// SPDX-License-Identifier: MIT
/*
 * Trace events in Chromium's JSON format, which Perfetto and chrome://tracing read. A recording has
 * no time, so all calls on one path are one slice. Its length is the count of the event in these
 * calls and in their callees, one microsecond for each occurrence. A slice begins with its own
 * counts, and the slices of its callees follow.
 */
#include <inttypes.h>
#include <stdlib.h>

#include <pmk/error.h>

#include "base/message.h"
#include "profile/export/export.h"
#include "profile/export/tree.h"

struct slice {
	uint64_t inclusive, begin;
	uint64_t used; /* the length that the slices of its children have filled so far */
	uint32_t thread;
};

struct writer {
	const struct pmk_export *x;
	struct pmk_tree tree;
	struct slice *slice; /* [node] */
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
	const struct slice *s = &w->slice[node];
	char buf[300];

	begin_event(w, "X", s->thread);
	pmk_export_json(w->f, pmk_tree_name(&w->tree, w->tree.node[node].frame, buf, sizeof(buf)));
	fputs(",\"cat\":", w->f);
	pmk_export_json(w->f, pmk_tables_event_name(w->x->t, w->x->event[0]));
	fprintf(w->f, ",\"ts\":%" PRIu64 ",\"dur\":%" PRIu64 ",\"args\":{\"self\":%" PRIu64 "}}",
		s->begin, s->inclusive, w->tree.self[node]);
}

/* Writes a slice for each node. Parents come before their children, in the tree and in the file. */
static void write_slices(struct writer *w)
{
	const struct pmk_tree_node *node = w->tree.node;

	for (size_t i = 0; i < w->tree.nnodes; i++)
		w->slice[i].inclusive = w->tree.self[i];
	for (size_t i = w->tree.nnodes; i-- > 1;)
		w->slice[node[i].parent].inclusive += w->slice[i].inclusive;
	for (uint32_t i = 1; i < w->tree.nnodes; i++) {
		struct slice *s = &w->slice[i], *up = &w->slice[node[i].parent];
		uint32_t thread = pmk_tree_thread(&w->tree, node[i].frame);

		s->thread = thread == PMK_TABLES_NONE ? up->thread : thread;
		if (thread != PMK_TABLES_NONE)
			continue;
		s->begin = up->begin + w->tree.self[node[i].parent] + up->used;
		up->used += s->inclusive;
		if (s->inclusive)
			write_slice(w, i);
	}
}

static void write_document(struct writer *w)
{
	fputs("{\"displayTimeUnit\":\"ns\",\n\"otherData\":{\"exporter\":", w->f);
	pmk_export_json(w->f, w->x->creator);
	fputs(",\"microsecond\":", w->f);
	pmk_export_json(w->f, pmk_tables_event_name(w->x->t, w->x->event[0]));
	for (size_t i = 0; i < w->x->nremarks; i++) {
		fprintf(w->f, ",\"%s %zu\":", w->x->remark[i].name, i + 1);
		pmk_export_json(w->f, w->x->remark[i].text);
	}
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

	if (!err)
		w.slice = calloc(w.tree.nnodes, sizeof(*w.slice));
	if (!err && !w.slice)
		err = pmk_message_no_memory(msg, size, NULL);
	if (!err)
		write_document(&w);
	free(w.slice);
	pmk_tree_free(&w.tree);
	return err;
}
