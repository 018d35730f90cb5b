// SPDX-License-Identifier: MIT
/*
 * Converts records: see samples.h. Each instruction of an object is stored once. Paths are stored
 * as a tree that begins with the outermost function. Each combination of instruction, path and
 * thread has one row of counts. Hash maps find them.
 */
#define _GNU_SOURCE
#include "profile/sampling/samples.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pmk/error.h>

#include "base/grow.h"
#include "profile/sampling/spaces.h"

#define NONE UINT32_MAX

/* A record that waits until all earlier records have arrived. */
struct waiting {
	uint64_t time;
	size_t number; /* position in the order of arrival */
	const uint8_t *bytes;
	size_t size;
	uint8_t *own; /* memory to be freed; NULL: the bytes are not a copy */
};

struct thread {
	uint32_t pid, tid;
	char *name;
};

struct pmk_samples {
	const struct pmk_perf_layout *layout;
	const struct pmk_sampled_event *asked;
	bool paths, other_kernel, failed;
	struct pmk_spaces spaces;
	/* Objects of code without a mapping, by mode; NONE: not created yet. */
	uint32_t apart[PMK_PERF_OUTSIDE + 1];
	/* Records that wait. flush_records() sorts them by time. */
	struct waiting *waiting;
	size_t nwaiting, waiting_room, number;
	/* `latest` is the latest time of all records, and `before` is its value at the end of the
	 * previous round. */
	uint64_t latest, before;
	/* What was sampled. */
	struct pmk_samples_facts facts;
	struct pmk_map *of_address; /* of each object: address → instruction */
	size_t nmaps;
	struct pmk_recorded_insn *insn;
	size_t ninsns, insn_room;
	struct thread *thread;
	size_t nthreads, thread_room;
	struct pmk_map of_thread;
	struct pmk_recorded_context *context;
	size_t ncontexts, context_room;
	struct pmk_map of_context, of_pair, of_count;
	size_t npairs;
	struct pmk_recorded_extra *place;
	uint64_t *count; /* `nrows` counts for each place */
	size_t nplaces, place_room;
	/* The recording that is built at the end. */
	struct pmk_recorded_event *event;
	char **event_text;
	size_t nrows;  /* rows: two for a sampled event, one if it was not sampled */
	uint32_t *row; /* first row of each event */
	struct pmk_recorded_object *object;
	struct pmk_recorded_thread *recorded_thread;
};

#define GROW(s, array, n, room) \
	(PMK_GROW((s)->array, (s)->n, (s)->room) || ((s)->failed = true, false))

/* ---- events --------------------------------------------------------------------------------- */

/* Name the rows of the recording. Each sampled event has two: the sum of its periods, and the
 * number of samples. */
static bool name_events(struct pmk_samples *s)
{
	size_t n = s->layout->nevents;

	s->event = calloc(2 * n + 1, sizeof(*s->event));
	s->event_text = calloc(n + 1, sizeof(*s->event_text));
	s->row = calloc(n + 1, sizeof(*s->row));
	if (!s->event || !s->event_text || !s->row)
		return false;
	for (size_t i = 0; i < n; i++) {
		const struct pmk_sampled_event *a = &s->asked[i];
		struct pmk_recorded_event *e = &s->event[s->nrows];

		s->row[i] = NONE;
		if (!a->name)
			continue;
		s->row[i] = (uint32_t)s->nrows++;
		*e = (struct pmk_recorded_event){ .name = a->name,
						  .pmu = a->pmu,
						  .trust = PMK_TRUST_NOT_SUPPORTED,
						  .reason = a->reason };
		if (a->reason)
			continue;
		if (asprintf(&s->event_text[i], "%s:samples", a->name) < 0) {
			s->event_text[i] = NULL;
			return false;
		}
		e->trust = PMK_TRUST_SAMPLED;
		e[1] = (struct pmk_recorded_event){ .name = s->event_text[i],
						    .trust = PMK_TRUST_MEASURED };
		s->nrows++;
	}
	return true;
}

struct pmk_samples *pmk_samples_new(const struct pmk_perf_layout *layout,
				    const struct pmk_sampled_event *event, bool paths)
{
	struct pmk_samples *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->layout = layout;
	s->asked = event;
	s->paths = paths;
	memset(s->apart, 0xff, sizeof(s->apart)); /* NONE */
	if (name_events(s) && (!paths || GROW(s, context, ncontexts, context_room))) {
		if (paths)
			s->context[s->ncontexts++] = (struct pmk_recorded_context){ 0 };
		return s;
	}
	pmk_samples_free(s);
	return NULL;
}

void pmk_samples_free(struct pmk_samples *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->nwaiting; i++)
		free(s->waiting[i].own);
	for (size_t i = 0; i < s->nmaps; i++)
		pmk_map_free(&s->of_address[i]);
	for (size_t i = 0; i < s->nthreads; i++)
		free(s->thread[i].name);
	for (size_t i = 0; s->event_text && i < s->layout->nevents; i++)
		free(s->event_text[i]);
	pmk_spaces_free(&s->spaces);
	pmk_map_free(&s->of_thread);
	pmk_map_free(&s->of_context);
	pmk_map_free(&s->of_pair);
	pmk_map_free(&s->of_count);
	free(s->waiting);
	free(s->of_address);
	free(s->insn);
	free(s->thread);
	free(s->context);
	free(s->place);
	free(s->count);
	free(s->event);
	free(s->event_text);
	free(s->row);
	free(s->object);
	free(s->recorded_thread);
	free(s);
}

void pmk_samples_other_kernel(struct pmk_samples *s)
{
	s->other_kernel = true;
}

struct pmk_spaces *pmk_samples_spaces(struct pmk_samples *s)
{
	return &s->spaces;
}

/* ---- threads -------------------------------------------------------------------------------- */

static uint32_t put_thread(struct pmk_samples *s, uint32_t pid, uint32_t tid)
{
	uint32_t at = pmk_map_put(&s->of_thread, (uint64_t)pid << 32 | tid, (uint32_t)s->nthreads);

	if (at < s->nthreads)
		return at;
	if (at == NONE || !GROW(s, thread, nthreads, thread_room)) {
		s->failed = true;
		return NONE;
	}
	s->thread[s->nthreads++] = (struct thread){ pid, tid, NULL };
	return at;
}

int pmk_samples_name(struct pmk_samples *s, uint32_t pid, uint32_t tid, const char *name)
{
	uint32_t at = put_thread(s, pid, tid);
	char *copy = at == NONE ? NULL : strdup(name);

	if (!copy)
		return PMK_ENOMEM;
	free(s->thread[at].name);
	s->thread[at].name = copy;
	return 0;
}

/* Give a new thread the name of the thread that started it, until it gets its own. */
static void inherit_name(struct pmk_samples *s, const struct pmk_perf_record *r)
{
	uint32_t from = pmk_map_get(&s->of_thread, (uint64_t)r->parent << 32 | r->parent_tid);

	if (from != NONE && s->thread[from].name &&
	    pmk_samples_name(s, r->pid, r->tid, s->thread[from].name))
		s->failed = true;
}

/* ---- instructions --------------------------------------------------------------------------- */

static struct pmk_map *map_of(struct pmk_samples *s, uint32_t object)
{
	struct pmk_map *grown;

	if (object < s->nmaps)
		return &s->of_address[object];
	grown = realloc(s->of_address, (object + 16) * sizeof(*grown));
	if (!grown)
		return NULL;
	memset(grown + s->nmaps, 0, (object + 16 - s->nmaps) * sizeof(*grown));
	s->of_address = grown;
	s->nmaps = object + 16;
	return &grown[object];
}

static uint32_t put_insn(struct pmk_samples *s, uint32_t object, uint64_t addr)
{
	struct pmk_map *map = object == NONE ? NULL : map_of(s, object);
	uint32_t at = map ? pmk_map_put(map, addr, (uint32_t)s->ninsns) : NONE;

	if (at < s->ninsns)
		return at;
	if (at == NONE || !GROW(s, insn, ninsns, insn_room)) {
		s->failed = true;
		return NONE;
	}
	s->insn[s->ninsns++] = (struct pmk_recorded_insn){ .addr = addr,
							   .object = object,
							   .flow = PMK_RECORDED_FLOW_UNKNOWN };
	return at;
}

/* Returns the object for unmapped code of a mode. */
static uint32_t unmapped_object(struct pmk_samples *s, enum pmk_perf_mode mode)
{
	static const char *const names[] = { [PMK_PERF_UNKNOWN] = "[unknown]",
					     [PMK_PERF_KERNEL] = PMK_RECORDED_KERNEL_PATH,
					     [PMK_PERF_USER] = "[unknown]",
					     [PMK_PERF_OUTSIDE] = "[guest]" };

	if (s->apart[mode] == NONE)
		s->apart[mode] = pmk_spaces_object(&s->spaces, names[mode], NULL, 0);
	return s->apart[mode];
}

/* Returns the instruction at an address of a process or of the kernel. */
static uint32_t locate_insn(struct pmk_samples *s, uint32_t pid, enum pmk_perf_mode mode,
			    uint64_t addr)
{
	uint32_t object;

	if (mode == PMK_PERF_KERNEL || mode == PMK_PERF_OUTSIDE ||
	    !pmk_spaces_find(&s->spaces, pid, &addr, &object))
		object = unmapped_object(s, mode);
	return put_insn(s, object, addr);
}

/* ---- call paths ----------------------------------------------------------------------------- */

static uint32_t put_context(struct pmk_samples *s, uint32_t parent, uint32_t insn)
{
	uint32_t at =
		pmk_map_put(&s->of_context, (uint64_t)parent << 32 | insn, (uint32_t)s->ncontexts);

	if (at < s->ncontexts)
		return at;
	if (at == NONE || !GROW(s, context, ncontexts, context_room)) {
		s->failed = true;
		return NONE;
	}
	s->context[s->ncontexts++] = (struct pmk_recorded_context){
		.parent = parent,
		.entry = insn,
		.site = parent ? s->context[parent].entry : PMK_RECORDED_NO_SITE,
	};
	return at;
}

#define MAX_FRAMES 1024 /* the kernel's largest limit is smaller */

/*
 * Returns the path of a sample. Its chain begins with the sample's own address. The later entries
 * are return addresses, which follow the call. The first entry after a mark is not a return address
 * but the place where the kernel was entered.
 */
static uint32_t path_of(struct pmk_samples *s, const struct pmk_perf_record *r, uint32_t leaf)
{
	uint32_t frame[MAX_FRAMES], context = 0;
	enum pmk_perf_mode mode = r->mode;
	bool first = true, exact = true;
	size_t n = 0;

	for (size_t i = 0; i < r->nchain && n < MAX_FRAMES; i++) {
		uint64_t ip = pmk_perf_chain(r, i);

		if (pmk_perf_is_mark(ip, &mode)) {
			exact = true;
			continue;
		}
		if (!first || ip != r->ip) {
			frame[n] = locate_insn(s, r->pid, mode, exact ? ip : ip - 1);
			if (frame[n] == NONE)
				return NONE;
			if (!exact)
				s->insn[frame[n]].flow = PMK_FLOW_CALL;
			n++;
		}
		first = exact = false;
	}
	while (n-- > 0 && context != NONE)
		context = put_context(s, context, frame[n]);
	return context == NONE ? NONE : put_context(s, context, leaf);
}

/* ---- counts --------------------------------------------------------------------------------- */

static bool make_room_for_place(struct pmk_samples *s)
{
	size_t room = 2 * s->place_room + 64;
	struct pmk_recorded_extra *place;
	uint64_t *count;

	if (s->nplaces < s->place_room)
		return true;
	place = realloc(s->place, room * sizeof(*place));
	s->place = place ? place : s->place;
	count = realloc(s->count, room * s->nrows * sizeof(*count));
	s->count = count ? count : s->count;
	if (place && count)
		s->place_room = room;
	return place && count;
}

/* Returns the counts of a place, one for each row. A new place is added. */
static uint64_t *put_counts(struct pmk_samples *s, uint32_t insn, uint32_t context, uint32_t thread)
{
	uint32_t pair =
		pmk_map_put(&s->of_pair, (uint64_t)insn << 32 | context, (uint32_t)s->npairs);
	uint32_t at = pair == NONE ? NONE
				   : pmk_map_put(&s->of_count, (uint64_t)pair << 32 | thread,
						 (uint32_t)s->nplaces);

	if (pair == s->npairs)
		s->npairs++;
	if (at < s->nplaces)
		return &s->count[at * s->nrows];
	if (at == NONE || !make_room_for_place(s)) {
		s->failed = true;
		return NULL;
	}
	s->place[at] = (struct pmk_recorded_extra){ insn, thread, context, at };
	memset(&s->count[at * s->nrows], 0, s->nrows * sizeof(*s->count));
	s->nplaces++;
	return &s->count[at * s->nrows];
}

/* Count a sample. An argument is NONE if it could not be stored; the function then sets
 * s->failed. */
static void book_sample(struct pmk_samples *s, uint32_t row, uint32_t thread, uint32_t insn,
			uint32_t context, uint64_t period)
{
	uint64_t *c;

	if (thread == NONE || insn == NONE || context == NONE) {
		s->failed = true;
		return;
	}
	c = put_counts(s, insn, context, thread);
	if (!c)
		return;
	c[row] += period;
	c[row + 1]++;
	s->event[row].total += period;
	s->event[row + 1].total++;
	s->facts.samples++;
}

static void take_sample(struct pmk_samples *s, const struct pmk_perf_record *r)
{
	uint32_t row = s->row[r->event], insn, context = 0;

	if (row == NONE || s->asked[r->event].reason)
		return;
	insn = locate_insn(s, r->pid, r->mode, r->ip);
	if (insn != NONE && s->paths)
		context = path_of(s, r, insn);
	book_sample(s, row, put_thread(s, r->pid, r->tid), insn, context, r->period);
}

int pmk_samples_add(struct pmk_samples *s, const struct pmk_sampled_place *at, uint64_t period)
{
	book_sample(s, s->row[at->event], put_thread(s, at->pid, at->tid),
		    put_insn(s, at->object, at->addr), 0, period);
	return s->failed ? PMK_ENOMEM : 0;
}

/* ---- records -------------------------------------------------------------------------------- */

static void take_map(struct pmk_samples *s, const struct pmk_perf_record *r)
{
	uint32_t object;

	/* Ignore mappings of the kernel and of data: only code of processes is looked up. */
	if (r->data || r->mode == PMK_PERF_KERNEL || r->pid == UINT32_MAX)
		return;
	object = pmk_spaces_object(&s->spaces, r->text, r->build_id, r->build_id_size);
	if (object == NONE ||
	    pmk_spaces_map(&s->spaces, r->pid, r->start, r->length, r->offset, object))
		s->failed = true;
}

static void take_record(struct pmk_samples *s, const struct pmk_perf_record *r)
{
	switch (r->kind) {
	case PMK_PERF_MAP:
		take_map(s, r);
		break;
	case PMK_PERF_COMM:
		if (r->exec)
			pmk_spaces_clear(&s->spaces, r->pid);
		s->failed |= pmk_samples_name(s, r->pid, r->tid, r->text) != 0;
		break;
	case PMK_PERF_FORK:
		s->failed |= pmk_spaces_fork(&s->spaces, r->pid, r->parent) != 0;
		inherit_name(s, r);
		break;
	case PMK_PERF_LOST:
		s->facts.lost += r->lost;
		break;
	case PMK_PERF_THROTTLE:
		s->facts.throttled++;
		break;
	case PMK_PERF_SAMPLE:
		take_sample(s, r);
		break;
	default:
		break;
	}
}

/* ---- in the order of time ------------------------------------------------------------------- */

static int by_time(const void *a, const void *b)
{
	const struct waiting *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

/* Process the records that are not later than `until`. */
static int flush_records(struct pmk_samples *s, uint64_t until)
{
	struct pmk_perf_record r;
	size_t n = 0;

	if (!s->nwaiting)
		return s->failed ? PMK_ENOMEM : 0;
	qsort(s->waiting, s->nwaiting, sizeof(*s->waiting), by_time);
	for (; n < s->nwaiting && s->waiting[n].time <= until; n++) {
		struct waiting *w = &s->waiting[n];

		pmk_perf_decode(s->layout, w->bytes, w->size, &r);
		take_record(s, &r);
		free(w->own);
	}
	s->nwaiting -= n;
	memmove(s->waiting, s->waiting + n, s->nwaiting * sizeof(*s->waiting));
	return s->failed ? PMK_ENOMEM : 0;
}

int pmk_samples_put(struct pmk_samples *s, const uint8_t *bytes, size_t size, bool copy)
{
	struct waiting w = { .bytes = bytes, .size = size, .number = s->number++ };
	struct pmk_perf_record r;

	if (!pmk_perf_decode(s->layout, bytes, size, &r)) {
		s->facts.damaged++;
		return 0;
	}
	if (r.kind == PMK_PERF_OTHER || r.kind == PMK_PERF_ROUND || r.kind == PMK_PERF_COMPRESSED)
		return 0;
	/* If only samples have a time, other records get the time of the latest sample. */
	w.time = r.time || s->layout->event[0].id_all ? r.time : s->latest;
	if (w.time > s->latest)
		s->latest = w.time;
	if (!GROW(s, waiting, nwaiting, waiting_room))
		return PMK_ENOMEM;
	if (copy) {
		w.own = malloc(size);
		if (!w.own)
			return PMK_ENOMEM;
		memcpy(w.own, bytes, size);
		w.bytes = w.own;
	}
	s->waiting[s->nwaiting++] = w;
	return 0;
}

int pmk_samples_round(struct pmk_samples *s)
{
	uint64_t until = s->before;

	s->before = s->latest;
	return flush_records(s, until);
}

/* ---- the recording -------------------------------------------------------------------------- */

static enum pmk_recorded_kind kind_of(const struct pmk_samples *s, const struct pmk_space_object *o)
{
	if (o->file)
		return PMK_RECORDED_FILE;
	return strcmp(o->path, PMK_RECORDED_KERNEL_PATH) != 0 || s->other_kernel
		       ? PMK_RECORDED_ANONYMOUS
		       : PMK_RECORDED_KERNEL;
}

static void fill_objects(struct pmk_samples *s)
{
	for (size_t i = 0; i < s->spaces.nobjects; i++) {
		const struct pmk_space_object *o = &s->spaces.object[i];

		s->object[i] = (struct pmk_recorded_object){ .kind = kind_of(s, o),
							     .path = o->path,
							     .build_id = o->build_id };
	}
}

/* Keep only threads with samples, and renumber the counts. Returns the number of threads. */
static size_t fill_threads(struct pmk_samples *s, uint32_t *number)
{
	size_t n = 0;

	for (size_t i = 0; i < s->nplaces; i++)
		number[s->place[i].thread] = 1;
	for (size_t i = 0; i < s->nthreads; i++) {
		if (!number[i])
			continue;
		number[i] = (uint32_t)n;
		s->recorded_thread[n++] = (struct pmk_recorded_thread){
			.process = s->thread[i].pid,
			.cpu = s->thread[i].tid,
			.name = s->thread[i].name,
		};
	}
	for (size_t i = 0; i < s->nplaces; i++)
		s->place[i].thread = number[s->place[i].thread];
	return n;
}

int pmk_samples_finish(struct pmk_samples *s, struct pmk_recording *rec,
		       struct pmk_samples_facts *facts)
{
	int err = flush_records(s, UINT64_MAX);
	uint32_t *number = calloc(s->nthreads + 1, sizeof(*number));

	s->object = calloc(s->spaces.nobjects + 1, sizeof(*s->object));
	s->recorded_thread = calloc(s->nthreads + 1, sizeof(*s->recorded_thread));
	if (err || !number || !s->object || !s->recorded_thread) {
		free(number);
		return PMK_ENOMEM;
	}
	fill_objects(s);
	rec->nthreads = fill_threads(s, number);
	free(number);
	rec->sampled = true;
	rec->contexts = s->paths;
	rec->event = s->event;
	rec->nevents = s->nrows;
	rec->object = s->object;
	rec->nobjects = s->spaces.nobjects;
	rec->thread = s->recorded_thread;
	rec->insn = s->insn;
	rec->ninsns = s->ninsns;
	rec->context = s->context;
	rec->ncontexts = s->ncontexts;
	rec->extra = s->place;
	rec->nextras = s->nplaces;
	rec->cost = s->count;
	rec->ncosts = s->nplaces;
	*facts = s->facts;
	return 0;
}

char *pmk_samples_warning(const struct pmk_samples_facts *facts)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return NULL;
	if (facts->lost)
		fprintf(f,
			"%" PRIu64 " records were lost because the buffers were full; the "
			"shares are those of the remaining records\n",
			facts->lost);
	if (facts->throttled)
		fprintf(f,
			"the kernel paused sampling %" PRIu64 " times, because it took too long "
			"(perf_event_max_sample_rate)\n",
			facts->throttled);
	if (facts->damaged)
		fprintf(f, "%" PRIu64 " records are invalid and were left out\n", facts->damaged);
	if (fclose(f)) {
		free(text);
		return NULL;
	}
	if (size)
		text[size - 1] = '\0';
	return text;
}
