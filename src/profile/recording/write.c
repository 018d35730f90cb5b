// SPDX-License-Identifier: MIT
/*
 * Writes a recording to a database. Rows are written in the order of their keys, which is fast and
 * always gives the same file, byte by byte, for the same recording.
 *
 * Numbers of events, objects, threads and contexts are those of struct pmk_recording. Code,
 * functions, files and inlined functions count from 1, in the order of objects and addresses.
 */
#define _GNU_SOURCE
#include "profile/recording/recording.h"

#include <errno.h>
#include <inttypes.h>
#include <libgen.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <pmk/error.h>

#include "base/distinct.h"
#include "base/file.h"
#include "base/grow.h"
#include "base/message.h"
#include "cpu/isa/text.h"
#include "profile/elf.h"
#include "profile/recording/database.h"
#include "profile/recording/symbols.h"

#ifndef PMK_VERSION
#define PMK_VERSION "(unknown version)"
#endif

/* The statement for each table, in the order of statement_text[]. */
enum {
	INSERT_META,
	INSERT_EVENT,
	INSERT_OBJECT,
	INSERT_THREAD,
	INSERT_FILE,
	INSERT_FUNCTION,
	INSERT_INLINED,
	INSERT_CODE,
	INSERT_CONTEXT,
	INSERT_COSTS,
	INSERT_PARTS,
	INSERT_RUNS,
	INSERT_EXTRAS,
	INSERT_LATENCY,
	NSTATEMENTS,
};

static const char *const statement_text[NSTATEMENTS] = {
	"INSERT INTO meta VALUES(?,?)",
	"INSERT INTO event VALUES(?,?,?,?,?,?)",
	"INSERT INTO object VALUES(?,?,?,?,?)",
	"INSERT INTO thread VALUES(?,?,?,?)",
	"INSERT INTO file VALUES(?,?)",
	"INSERT INTO function VALUES(?,?,?,?,?,?,?,?)",
	"INSERT INTO inlined VALUES(?,?,?,?,?,?)",
	"INSERT INTO code VALUES(?,?,?,?,?,?,?,?,?,?,?,?)",
	"INSERT INTO context VALUES(?,?,?,?,?,?)",
	"INSERT INTO costs VALUES(?,?)",
	"INSERT INTO parts VALUES(?,?,?,?)",
	"INSERT INTO runs VALUES(?,?,?,?,?)",
	"INSERT INTO extras VALUES(?,?,?)",
	"INSERT INTO latency VALUES(?,?,?)",
};

/* An event and its count in a row of costs. */
struct cost_event {
	uint64_t event, value;
};

/* The counts of one place: executions and taken branches, or the number of a row of costs. */
struct place_count {
	uint64_t place; /* context times number of threads, plus thread */
	uint64_t number[2];
};

/* Items that are grouped by a number, but otherwise keep their order. */
struct groups {
	size_t *first; /* the first one of each group in `item` */
	uint32_t *item;
};

struct writer {
	const struct pmk_recording *rec;
	sqlite3 *db;
	sqlite3_stmt *statement[NSTATEMENTS];
	int err;	     /* SQLite's error; nothing is written after the first */
	int number;	     /* errno when `err` was set */
	struct groups order; /* the instructions by object and address */
	int64_t *code;	     /* id of each instruction */
	int64_t *function;   /* id of each instruction's function; 0: none */
	uint32_t *by_memory; /* the instructions by address in memory */
	bool *called;	     /* true where a function is entered; NULL: not known */
	struct pmk_distinct files;
	int64_t ninlined, nfunctions, ncode;
	char *warning;	   /* warnings of the recording, and warnings from writing it */
	uint32_t *context; /* id of each context */
	int64_t *entered;  /* function of each context; not used for a sampled recording */
	/* For a sampled recording: contexts with the same parent, function and site are merged. */
	struct pmk_distinct contexts;
	struct pmk_elf_code *bytes; /* code of the present object; NULL: not available */
	struct pmk_isa_text *text;  /* NULL if it was not needed so far */
	const struct pmk_recording_watch *watch; /* or NULL */
	size_t done;				 /* items written */
	char *list;				 /* JSON text for a column */
	size_t nlist, list_room;
	struct place_count *count; /* the counts of the present block or instruction */
	size_t ncounts, count_room;
	struct pmk_distinct blocks; /* the counts of the blocks that were written */
	struct pmk_distinct costs;  /* the costs that were written, each with one id */
	struct cost_event *event;   /* the cost that is being written */
	int64_t *cost;		    /* id of each row of costs of the recording; 0: none yet */
};

static void writer_fail(struct writer *w, int err)
{
	if (w->err || !err)
		return;
	w->number = errno;
	w->err = err;
}

static uint32_t distinct_put(struct writer *w, struct pmk_distinct *d, const void *bytes,
			     size_t size)
{
	uint32_t number = pmk_distinct_put(d, bytes, size);

	if (number == UINT32_MAX)
		writer_fail(w, SQLITE_NOMEM);
	return number;
}

/* Call the watch before a step that may take long. Returns false if writing must end. */
static bool writer_go_on(void *ctx)
{
	struct writer *w = ctx;
	const struct pmk_recording *rec = w->rec;

	if (w->watch && !w->err &&
	    !w->watch->on_items(w->watch->ctx, w->done,
				rec->ninsns + rec->ncontexts + rec->nruns + rec->nextras))
		writer_fail(w, SQLITE_INTERRUPT);
	return !w->err;
}

#define WATCHED 10000 /* items between two calls of the watch */

static void writer_advance(struct writer *w)
{
	if (++w->done % WATCHED == 0)
		writer_go_on(w);
}

/* ---- rows ----------------------------------------------------------------------------------- */

/* Insert a row into a table: see pmk_database_bind(). */
static void row_insert(struct writer *w, int table, const char *types, ...)
{
	sqlite3_stmt *s = w->statement[table];
	va_list values;
	int err;

	if (w->err)
		return;
	va_start(values, types);
	err = pmk_database_bind(s, types, &values);
	va_end(values);
	if (err || sqlite3_step(s) != SQLITE_DONE)
		writer_fail(w, err ? err : sqlite3_errcode(w->db));
	sqlite3_reset(s);
}

/* ---- lists ---------------------------------------------------------------------------------- */

#define LIST_ITEM 24 /* room for a number of 64 bits and its punctuation */

static void list_char(struct writer *w, char c)
{
	char *grown;

	if (w->nlist + LIST_ITEM >= w->list_room) {
		grown = realloc(w->list, 2 * w->list_room + 4096);
		if (!grown) {
			writer_fail(w, SQLITE_NOMEM);
			return;
		}
		w->list = grown;
		w->list_room = 2 * w->list_room + 4096;
	}
	w->list[w->nlist++] = c;
}

static void list_begin(struct writer *w, const char *bracket)
{
	w->nlist = 0;
	if (*bracket)
		list_char(w, *bracket);
}

/* Append a number. This is faster than snprintf(), which reads a format: a recording can have
 * millions of numbers. */
static void list_number(struct writer *w, int64_t value)
{
	uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
	char digit[20];
	unsigned n = 0;

	do
		digit[n++] = (char)('0' + rest % 10);
	while (rest /= 10);
	if (value < 0)
		list_char(w, '-');
	while (n > 0)
		list_char(w, digit[--n]);
}

static void list_key(struct writer *w, int64_t key)
{
	list_char(w, '"');
	list_number(w, key);
	list_char(w, '"');
	list_char(w, ':');
}

/* End the list, without the comma after its last item. */
static void list_end(struct writer *w, const char *bracket)
{
	if (w->nlist && w->list[w->nlist - 1] == ',')
		w->nlist--;
	if (*bracket)
		list_char(w, *bracket);
}

/* ---- groups --------------------------------------------------------------------------------- */

static void groups_free(struct groups *g)
{
	free(g->first);
	free(g->item);
}

static struct groups groups_make(struct writer *w, size_t nitems, size_t ngroups,
				 size_t (*group_of)(const struct writer *w, size_t item))
{
	struct groups g = { calloc(ngroups + 2, sizeof(*g.first)),
			    malloc((nitems + 1) * sizeof(*g.item)) };

	if (!g.first || !g.item) {
		writer_fail(w, SQLITE_NOMEM);
		return g;
	}
	for (size_t i = 0; i < nitems; i++)
		g.first[group_of(w, i) + 2]++;
	for (size_t i = 2; i <= ngroups + 1; i++)
		g.first[i] += g.first[i - 1];
	for (size_t i = 0; i < nitems; i++)
		g.item[g.first[group_of(w, i) + 1]++] = (uint32_t)i;
	return g;
}

/* ---- source files --------------------------------------------------------------------------- */

/* Returns the id of the file; 0 if the path is not known. A new file gets a row. */
static int64_t file_id(struct writer *w, const char *path)
{
	size_t known = w->files.n;
	int64_t id;

	if (!path)
		return 0;
	id = (int64_t)distinct_put(w, &w->files, path, strlen(path)) + 1;
	if (w->files.n > known)
		row_insert(w, INSERT_FILE, "it", id, path);
	return id;
}

/* ---- the recording's tables ----------------------------------------------------------------- */

static void write_text_fact(struct writer *w, const char *key, const char *value)
{
	if (value)
		row_insert(w, INSERT_META, "tt", key, value);
}

static void write_flag(struct writer *w, const char *key, bool value)
{
	row_insert(w, INSERT_META, "ti", key, (int64_t)value);
}

static void write_facts(struct writer *w)
{
	const struct pmk_recording *rec = w->rec;

	write_flag(w, "big_endian", rec->big_endian);
	write_text_fact(w, "checked", rec->checked);
	write_text_fact(w, "command", rec->command);
	write_flag(w, "contexts", rec->contexts);
	write_text_fact(w, "core", rec->core);
	write_text_fact(w, "isa", rec->isa);
	write_text_fact(w, "note", rec->note);
	write_flag(w, "partial", rec->partial);
	write_text_fact(w, "pmk", PMK_VERSION);
	write_text_fact(w, "producer", rec->producer);
	if (rec->sampled)
		write_flag(w, "sampled", true);
	write_text_fact(w, "settings", rec->settings);
	if (rec->threaded)
		write_flag(w, "threaded", true);
}

static void write_events(struct writer *w)
{
	for (size_t i = 0; i < w->rec->nevents; i++) {
		const struct pmk_recorded_event *e = &w->rec->event[i];
		bool has = pmk_trust_has_value(e->trust);

		row_insert(w, INSERT_EVENT, has ? "itttti" : "ittttn", (int64_t)i, e->name, e->pmu,
			   pmk_trust_name(e->trust), e->reason,
			   has ? (int64_t)e->total : INT64_C(0));
	}
}

static void write_threads(struct writer *w)
{
	for (size_t i = 0; i < w->rec->nthreads; i++) {
		const struct pmk_recorded_thread *t = &w->rec->thread[i];

		row_insert(w, INSERT_THREAD, "iiit", (int64_t)i, (int64_t)t->process,
			   (int64_t)t->cpu, t->name);
	}
}

/* ---- code ----------------------------------------------------------------------------------- */

static uint64_t file_address(const struct writer *w, const struct pmk_recorded_insn *in)
{
	return in->addr - w->rec->object[in->object].bias;
}

/* Returns a name for a function without a symbol: its object and its start, "[busybox+0x104f4]". */
static char *name_by_place(const struct pmk_recorded_object *o, uint64_t address)
{
	const char *slash = strrchr(o->path, '/'), *base = slash && slash[1] ? slash + 1 : o->path;
	size_t n = strlen(base);
	char *name;

	if (*base == '[' && base[n - 1] == ']') { /* "[anon]" */
		base++;
		n -= 2;
	}
	return asprintf(&name, "[%.*s+0x%" PRIx64 "]", (int)n, base, address) < 0 ? NULL : name;
}

static void write_functions(struct writer *w, const struct pmk_symbols *s, size_t object,
			    int64_t *id)
{
	for (size_t i = 0; i < s->nfunctions; i++) {
		const struct pmk_symbols_function *f = &s->function[i];
		char *name = NULL;
		int64_t file;

		if (!f->used)
			continue;
		if (!f->symbol) {
			name = name_by_place(&w->rec->object[object], f->address);
			if (!name)
				writer_fail(w, SQLITE_NOMEM);
		}
		file = file_id(w, f->file);
		id[i] = ++w->nfunctions;
		/* A function that is known only from calls has no known end. */
		row_insert(w, INSERT_FUNCTION, "iittinnn", id[i], (int64_t)object,
			   f->symbol ? f->name : name, f->symbol, (int64_t)f->address,
			   f->symbol ? (int64_t)f->size : INT64_C(0), file, (int64_t)f->line);
		free(name);
	}
}

/* Write the inlined functions of an object. Their ids follow those of earlier objects: number 0 of
 * this object gets the id `w->ninlined` + 1. */
static void write_inlined(struct writer *w, const struct pmk_symbols *s)
{
	for (size_t i = 0; i < s->ninlined; i++) {
		const struct pmk_symbols_inlined *in = &s->inlined[i];
		int64_t file = file_id(w, in->file);

		row_insert(w, INSERT_INLINED, "inttnn", w->ninlined + (int64_t)i + 1,
			   in->parent == PMK_NOWHERE ? 0 : w->ninlined + in->parent + 1, in->name,
			   in->symbol, file, (int64_t)in->line);
	}
}

static const char *mode_of(const struct pmk_recording *rec, const struct pmk_recorded_insn *in)
{
	return in->thumb ? "thumb" : rec->isa;
}

static const char *flow_name(unsigned flow)
{
	static const char *const names[] = {
		[PMK_FLOW_NEXT] = "next",	    [PMK_FLOW_JUMP] = "jump",
		[PMK_FLOW_CALL] = "call",	    [PMK_FLOW_INDIRECT] = "indirect",
		[PMK_FLOW_INDCALL] = "indcall",	    [PMK_FLOW_RETURN] = "return",
		[PMK_FLOW_EXCEPTION] = "exception", [PMK_FLOW_MODE] = "mode",
	};

	return flow < sizeof(names) / sizeof(names[0]) ? names[flow] : "unknown";
}

/* Find the bytes of a sampled instruction in its file. This is not possible for ARM, because the
 * file does not say whether the code is ARM or Thumb, and not for an x86 call, whose start is not
 * known. */
static size_t find_bytes(struct writer *w, const struct pmk_recorded_insn *in,
			 const uint8_t **bytes)
{
	const char *isa = w->rec->isa ? w->rec->isa : "";
	size_t n = w->bytes ? pmk_elf_code_at(w->bytes, in->addr, bytes) : 0;

	if (!strcmp(isa, "a64"))
		return n < 4 ? 0 : 4;
	if (!n || strcmp(isa, "x86_64") != 0 || in->flow == PMK_FLOW_CALL)
		return 0;
	if (!w->text)
		w->text = pmk_isa_text_new();
	return w->text ? pmk_isa_text_size(w->text, isa, *bytes, n < 16 ? n : 16) : 0;
}

static void write_insn(struct writer *w, size_t index, const struct pmk_symbols_place *p)
{
	const struct pmk_recorded_insn *in = &w->rec->insn[index];
	bool target = in->target || (!w->rec->sampled &&
				     (in->flow == PMK_FLOW_JUMP || in->flow == PMK_FLOW_CALL));
	size_t size = in->size < PMK_RECORDED_BYTES ? in->size : PMK_RECORDED_BYTES;
	const uint8_t *bytes = in->byte;
	int64_t file = file_id(w, p->file);

	if (w->rec->sampled)
		size = find_bytes(w, in, &bytes);
	w->code[index] = ++w->ncode;
	row_insert(w, INSERT_CODE, target ? "iiibttiinnnn" : "iiibttinnnnn", w->code[index],
		   (int64_t)in->object, (int64_t)file_address(w, in), bytes, size,
		   mode_of(w->rec, in), flow_name(in->flow), (int64_t)in->conditional,
		   target ? (int64_t)(in->target - w->rec->object[in->object].bias) : INT64_C(0),
		   w->function[index],
		   p->inlined == PMK_NOWHERE ? INT64_C(0) : w->ninlined + p->inlined + 1, file,
		   (int64_t)p->line);
	writer_advance(w);
}

/* Write the object and `n` of its instructions, which begin at order[from]. */
static void write_symbolised(struct writer *w, size_t object, size_t from, size_t n,
			     const struct pmk_symbols *s)
{
	const struct pmk_recorded_object *o = &w->rec->object[object];
	static const char *const kinds[] = { [PMK_RECORDED_FILE] = "file",
					     [PMK_RECORDED_ANONYMOUS] = "anonymous",
					     [PMK_RECORDED_KERNEL] = "kernel" };
	int64_t *function = calloc(s->nfunctions + 1, sizeof(*function));
	size_t place = 0;

	if (!function) {
		writer_fail(w, SQLITE_NOMEM);
		return;
	}
	row_insert(w, INSERT_OBJECT, "ittti", (int64_t)object, o->path, kinds[o->kind],
		   o->build_id	  ? o->build_id
		   : *s->build_id ? s->build_id
				  : NULL,
		   (int64_t)o->bias);
	write_functions(w, s, object, function);
	write_inlined(w, s);
	for (size_t i = from; i < from + n && !w->err; i++) {
		size_t index = w->order.item[i];
		const struct pmk_symbols_place *p;

		place += i > from &&
			 w->rec->insn[index].addr != w->rec->insn[w->order.item[i - 1]].addr;
		p = &s->place[place];
		w->function[index] = p->function == PMK_NOWHERE ? 0 : function[p->function];
		write_insn(w, index, p);
	}
	w->ninlined += (int64_t)s->ninlined;
	free(function);
}

/* True if the file has changed since the recording, so that its symbols belong to other code. */
static bool is_another(struct writer *w, const struct pmk_recorded_object *o,
		       const struct pmk_symbols *s)
{
	char *text;

	if (!o->build_id || !*s->build_id || !strcmp(o->build_id, s->build_id))
		return false;
	if (asprintf(&text,
		     "%s%s%s was replaced after it was sampled (its build id differs), so its "
		     "functions are not known",
		     w->warning ? w->warning : "", w->warning ? "\n" : "", o->path) < 0) {
		writer_fail(w, SQLITE_NOMEM);
		return true;
	}
	free(w->warning);
	w->warning = text;
	return true;
}

/* Look up the addresses in the object. Returns 0 or PMK_ENOMEM. */
static int load_symbols(struct writer *w, const struct pmk_recorded_object *o,
			struct pmk_symbols *s, const uint64_t *addr, const bool *called, size_t n)
{
	const struct pmk_symbols_watch watch = { writer_go_on, w };
	int err;

	if (o->kind == PMK_RECORDED_KERNEL)
		return pmk_symbols_kernel(s, o->build_id, addr, n);
	if (o->kind == PMK_RECORDED_ANONYMOUS)
		return pmk_symbols_named(s, w->rec->name, w->rec->nnames, addr, called, n);
	err = pmk_symbols_load(s, o->path, addr, called, n, &watch);
	if (err || !is_another(w, o, s)) {
		if (w->rec->sampled)
			w->bytes = pmk_elf_code_open(o->path);
		return err;
	}
	pmk_symbols_free(s);
	return pmk_symbols_load(s, NULL, addr, called, n, &watch);
}

static void write_object(struct writer *w, size_t object, size_t from, size_t n)
{
	const struct pmk_recorded_object *o = &w->rec->object[object];
	uint64_t *addr = malloc((n + 1) * sizeof(*addr));
	bool *called = calloc(n + 1, sizeof(*called));
	struct pmk_symbols s = { 0 };
	size_t naddrs = 0;

	/* An address may have several instructions, because the program changed its code. Look it
	 * up once. */
	for (size_t i = from; addr && called && i < from + n; i++) {
		uint64_t a = file_address(w, &w->rec->insn[w->order.item[i]]);

		if (!naddrs || addr[naddrs - 1] != a)
			addr[naddrs++] = a;
		called[naddrs - 1] |= w->called && w->called[w->order.item[i]];
	}
	if (!addr || !called || load_symbols(w, o, &s, addr, w->called ? called : NULL, naddrs))
		writer_fail(w, SQLITE_NOMEM);
	else
		write_symbolised(w, object, from, n, &s);
	pmk_symbols_free(&s);
	pmk_elf_code_close(w->bytes);
	w->bytes = NULL;
	free(addr);
	free(called);
}

static bool is_call(const struct pmk_recorded_insn *in)
{
	return in->flow == PMK_FLOW_CALL || in->flow == PMK_FLOW_INDCALL;
}

/* Returns the instruction at an address in memory, preferably a call if there are several. NULL:
 * none was executed there. */
static const struct pmk_recorded_insn *insn_at(const struct writer *w, uint64_t addr)
{
	const struct pmk_recorded_insn *insn = w->rec->insn, *found = NULL;
	size_t low = 0, high = w->rec->ninsns;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (insn[w->by_memory[middle]].addr < addr)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < w->rec->ninsns && insn[w->by_memory[low]].addr == addr; low++)
		if (!found || (!is_call(found) && is_call(&insn[w->by_memory[low]])))
			found = &insn[w->by_memory[low]];
	return found;
}

/* Mark the instructions where functions are entered. Samples do not show this. */
static void find_called(struct writer *w)
{
	if (!w->rec->contexts || w->rec->sampled)
		return;
	w->called = calloc(w->rec->ninsns + 1, sizeof(*w->called));
	if (!w->called) {
		writer_fail(w, SQLITE_NOMEM);
		return;
	}
	for (size_t i = 1; i < w->rec->ncontexts; i++) {
		const struct pmk_recorded_insn *entry = insn_at(w, w->rec->context[i].entry);

		if (entry)
			w->called[entry - w->rec->insn] = true;
	}
}

static void write_objects(struct writer *w)
{
	for (size_t o = 0; o < w->rec->nobjects && !w->err; o++) {
		size_t from = w->order.first[o], n = w->order.first[o + 1] - from;

		/* Most mapped objects have no samples. */
		if ((n || !w->rec->sampled) && writer_go_on(w))
			write_object(w, o, from, n);
	}
}

/* ---- contexts and counts -------------------------------------------------------------------- */

static void write_context(struct writer *w, int64_t id, int64_t parent, int64_t function,
			  int64_t site, uint64_t calls, size_t number)
{
	static const char *const types[2][2] = { { "innnii", "iinnii" }, { "innnni", "iinnni" } };

	row_insert(w, INSERT_CONTEXT, types[w->rec->sampled][id != 0], id, parent, function, site,
		   (int64_t)calls, (int64_t)number);
}

static size_t context_function(const struct writer *w, size_t i)
{
	return (size_t)w->entered[i];
}

/* Write the contexts. Those of one function have consecutive ids, so that the places where its code
 * was counted are close to each other. */
static void write_counted_contexts(struct writer *w)
{
	const struct pmk_recording *rec = w->rec;
	struct groups g;

	w->entered = calloc(rec->ncontexts + 1, sizeof(*w->entered));
	if (!w->entered) {
		writer_fail(w, SQLITE_NOMEM);
		return;
	}
	for (size_t i = 1; i < rec->ncontexts; i++) {
		const struct pmk_recorded_insn *entry = insn_at(w, rec->context[i].entry);

		w->entered[i] = entry ? w->function[entry - rec->insn] : 0;
	}
	g = groups_make(w, rec->ncontexts, (size_t)w->nfunctions + 1, context_function);
	for (size_t id = 0; id < rec->ncontexts && !w->err; id++)
		w->context[g.item[id]] = (uint32_t)id;
	for (size_t id = 0; id < rec->ncontexts && !w->err; id++) {
		const struct pmk_recorded_context *c = &rec->context[g.item[id]];
		const struct pmk_recorded_insn *site = c->site ? insn_at(w, c->site) : NULL;

		write_context(w, (int64_t)id, w->context[c->parent], w->entered[g.item[id]],
			      site ? w->code[site - rec->insn] : 0, c->calls, g.item[id]);
		writer_advance(w);
	}
	groups_free(&g);
}

/* Write a context. Samples in one function, called from one place, are on one path, regardless of
 * their position in the function. Code without a function counts as one function for its object. */
static void write_sampled_context(struct writer *w, size_t i)
{
	const struct pmk_recorded_context *c = &w->rec->context[i];
	int64_t function = i ? w->function[c->entry] : 0, parent = i ? w->context[c->parent] : 0;
	int64_t site = i && c->site != PMK_RECORDED_NO_SITE ? w->code[c->site] : 0;
	int64_t of = i && !function ? -1 - (int64_t)w->rec->insn[c->entry].object : function;
	size_t known = w->contexts.n;

	w->context[i] =
		distinct_put(w, &w->contexts, (int64_t[]){ parent, site, of }, sizeof(int64_t[3]));
	if (w->contexts.n > known)
		write_context(w, w->context[i], parent, function, site, 0, w->context[i]);
}

static void write_contexts(struct writer *w)
{
	w->context = calloc(w->rec->ncontexts + 1, sizeof(*w->context));
	if (!w->context)
		writer_fail(w, SQLITE_NOMEM);
	else if (!w->rec->sampled)
		write_counted_contexts(w);
	for (size_t i = 0; w->rec->sampled && i < w->rec->ncontexts && !w->err; i++) {
		write_sampled_context(w, i);
		writer_advance(w);
	}
}

static uint64_t place_of(const struct writer *w, uint32_t context, uint32_t thread)
{
	uint64_t id = context < w->rec->ncontexts ? w->context[context] : context;

	return id * w->rec->nthreads + thread;
}

/* Returns the id of the cost in w->event. A new cost gets a row. */
static int64_t cost_id(struct writer *w, size_t n)
{
	size_t known = w->costs.n;
	int64_t id = (int64_t)distinct_put(w, &w->costs, w->event, n * sizeof(*w->event)) + 1;

	if (w->costs.n == known)
		return id;
	list_begin(w, "{");
	for (size_t i = 0; i < n; i++) {
		list_key(w, (int64_t)w->event[i].event);
		list_number(w, (int64_t)w->event[i].value);
		list_char(w, ',');
	}
	list_end(w, "}");
	row_insert(w, INSERT_COSTS, "is", id, w->list, w->nlist);
	return id;
}

/* Returns the id of the sum of those rows of costs that `n` counts refer to; 0 if the sum is
 * nothing. */
static int64_t cost_sum(struct writer *w, const struct place_count *count, size_t n)
{
	size_t nevents = w->rec->nevents, found = 0;

	for (size_t e = 0; e < nevents; e++) {
		uint64_t sum = 0;

		for (size_t i = 0; i < n; i++)
			sum += w->rec->cost[count[i].number[0] * nevents + e];
		if (sum)
			w->event[found++] = (struct cost_event){ e, sum };
	}
	return found ? cost_id(w, found) : 0;
}

/* Returns the id of a row of costs; 0 if all its counts are 0. */
static int64_t cost_of_row(struct writer *w, uint32_t row)
{
	if (!w->cost[row])
		w->cost[row] = cost_sum(w, &(struct place_count){ .number = { row } }, 1);
	return w->cost[row];
}

static int numbers_compare(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int by_place(const void *a, const void *b)
{
	return numbers_compare(((const struct place_count *)a)->place,
			       ((const struct place_count *)b)->place);
}

static int by_numbers(const void *a, const void *b)
{
	const struct place_count *x = a, *y = b;

	for (unsigned i = 0; i < 2; i++)
		if (x->number[i] != y->number[i])
			return numbers_compare(x->number[i], y->number[i]);
	return by_place(a, b);
}

static void count_add(struct writer *w, struct place_count count)
{
	if (!PMK_APPEND(w->count, w->ncounts, w->count_room, count))
		writer_fail(w, SQLITE_NOMEM);
}

static void counts_sort(struct writer *w, int (*by)(const void *, const void *))
{
	if (w->ncounts > 1)
		qsort(w->count, w->ncounts, sizeof(*w->count), by);
}

/* Returns the number of counts from `first` on that have the same place or, if `numbers`, the same
 * numbers. */
static size_t counts_equal(const struct writer *w, size_t first, bool numbers)
{
	const struct place_count *c = &w->count[first];
	size_t n = 1;

	while (first + n < w->ncounts &&
	       (numbers ? !memcmp(c->number, c[n].number, sizeof(c->number))
			: c->place == c[n].place))
		n++;
	return n;
}

/* Write the instructions of a block, from the last one backwards. Instructions that are next to
 * each other in `code` share a row. */
static void write_parts(struct writer *w, int64_t id, const struct pmk_recorded_block *block)
{
	const struct pmk_recorded_part *last = &w->rec->part[block->first + block->nparts - 1];
	uint32_t left, n;

	for (uint32_t i = 0; i < block->nparts; i++)
		cost_of_row(w, (last - i)->cost);
	for (left = 0; left < block->nparts && !w->err; left += n, last -= n) {
		list_begin(w, "[");
		for (n = 0; left + n < block->nparts &&
			    w->code[(last - n)->insn] == w->code[last->insn] - n;
		     n++) {
			list_number(w, w->cost[(last - n)->cost]);
			list_char(w, ',');
		}
		list_end(w, "]");
		row_insert(w, INSERT_PARTS, "iiis", id, (int64_t)left, w->code[last->insn], w->list,
			   w->nlist);
	}
}

/* Append the places of `n` counts to the list, as differences from `base`. */
static void list_places(struct writer *w, const struct place_count *count, size_t n, uint64_t base)
{
	if (n > 1)
		list_char(w, '[');
	for (size_t i = 0; i < n; i++) {
		list_number(w, (int64_t)(count[i].place - base));
		if (i + 1 < n)
			list_char(w, ',');
	}
	if (n > 1)
		list_char(w, ']');
}

/* Write the block whose counts were added. Blocks with equal counts have one id. */
static void write_block(struct writer *w, const struct pmk_recorded_block *block)
{
	size_t known = w->blocks.n, n;
	int64_t id;

	counts_sort(w, by_numbers);
	id = (int64_t)distinct_put(w, &w->blocks, w->count, w->ncounts * sizeof(*w->count)) + 1;
	for (size_t i = 0; i < w->ncounts && w->blocks.n > known; i += n) {
		n = counts_equal(w, i, true);
		list_begin(w, "");
		list_places(w, &w->count[i], n, w->count[i].place);
		row_insert(w, INSERT_RUNS, "iiiis", id, (int64_t)w->count[i].number[0],
			   (int64_t)w->count[i].number[1], (int64_t)w->count[i].place, w->list,
			   w->nlist);
	}
	write_parts(w, id, block);
}

/* Add up the runs at each place. */
static void runs_sum(struct writer *w)
{
	size_t all = w->ncounts, n;

	counts_sort(w, by_place);
	for (size_t i = w->ncounts = 0; i < all; i += n) {
		struct place_count sum = { w->count[i].place, { 0 } };

		for (n = 0; i + n < all && w->count[i + n].place == sum.place; n++)
			for (unsigned k = 0; k < 2; k++)
				sum.number[k] += w->count[i + n].number[k];
		if (sum.number[0] || sum.number[1])
			w->count[w->ncounts++] = sum;
	}
}

static size_t run_block(const struct writer *w, size_t run)
{
	return w->rec->run[run].block;
}

static void write_runs(struct writer *w)
{
	const struct pmk_recording *rec = w->rec;
	struct groups g = groups_make(w, rec->nruns, rec->nblocks, run_block);

	for (size_t b = 0; b < rec->nblocks && !w->err; b++) {
		for (size_t i = g.first[b]; i < g.first[b + 1] && !w->err; i++) {
			const struct pmk_recorded_run *run = &rec->run[g.item[i]];

			count_add(w, (struct place_count){ place_of(w, run->context, run->thread),
							   { run->executions, run->taken } });
			writer_advance(w);
		}
		runs_sum(w);
		if (w->ncounts)
			write_block(w, &rec->block[b]);
		w->ncounts = 0;
	}
	groups_free(&g);
}

/* Add up the costs at each place, and replace each row of costs by the id of its cost. */
static void extras_sum(struct writer *w)
{
	size_t all = w->ncounts, n;

	counts_sort(w, by_place);
	for (size_t i = w->ncounts = 0; i < all; i += n) {
		uint64_t place = w->count[i].place, id;

		for (n = 1; i + n < all && w->count[i + n].place == place;)
			n++;
		id = (uint64_t)(n > 1 ? cost_sum(w, &w->count[i], n)
				      : cost_of_row(w, (uint32_t)w->count[i].number[0]));
		if (id)
			w->count[w->ncounts++] = (struct place_count){ place, { id } };
	}
}

static size_t extra_code(const struct writer *w, size_t extra)
{
	return (size_t)w->code[w->rec->extra[extra].insn];
}

static void write_extras(struct writer *w)
{
	const struct pmk_recording *rec = w->rec;
	struct groups g = groups_make(w, rec->nextras, (size_t)w->ncode + 1, extra_code);
	uint64_t base;
	size_t n;

	for (size_t code = 1; code <= (size_t)w->ncode && !w->err; code++) {
		for (size_t i = g.first[code]; i < g.first[code + 1] && !w->err; i++) {
			const struct pmk_recorded_extra *extra = &rec->extra[g.item[i]];

			count_add(w,
				  (struct place_count){ place_of(w, extra->context, extra->thread),
							{ extra->cost } });
			writer_advance(w);
		}
		extras_sum(w);
		if (!w->ncounts)
			continue;
		base = w->count[0].place;
		counts_sort(w, by_numbers);
		list_begin(w, "{");
		for (size_t i = 0; i < w->ncounts; i += n) {
			n = counts_equal(w, i, true);
			list_key(w, (int64_t)w->count[i].number[0]);
			list_places(w, &w->count[i], n, base);
			list_char(w, ',');
		}
		list_end(w, "}");
		row_insert(w, INSERT_EXTRAS, "iis", (int64_t)code, (int64_t)base, w->list,
			   w->nlist);
		w->ncounts = 0;
	}
	groups_free(&g);
}

static void write_latencies(struct writer *w)
{
	for (size_t i = 0; i < w->rec->nlatencies && !w->err; i++) {
		const struct pmk_recorded_latency *l = &w->rec->latency[i];

		row_insert(w, INSERT_LATENCY, "iii", (int64_t)l->event, (int64_t)l->cycles,
			   (int64_t)l->times);
	}
}

/* ---- order ---------------------------------------------------------------------------------- */

static int by_memory(const void *a, const void *b, void *writer)
{
	const struct writer *w = writer;
	uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
	const struct pmk_recorded_insn *x = &w->rec->insn[i], *y = &w->rec->insn[j];

	return x->addr != y->addr ? numbers_compare(x->addr, y->addr) : numbers_compare(i, j);
}

static size_t insn_object(const struct writer *w, size_t i)
{
	return w->rec->insn[w->by_memory[i]].object;
}

/* Sort the instructions by address in memory and, within an object, by address in its file. */
static void sort_insns(struct writer *w)
{
	size_t n = w->rec->ninsns;

	w->by_memory = malloc((n + 1) * sizeof(*w->by_memory));
	if (!w->by_memory) {
		writer_fail(w, SQLITE_NOMEM);
		return;
	}
	for (size_t i = 0; i < n; i++)
		w->by_memory[i] = (uint32_t)i;
	qsort_r(w->by_memory, n, sizeof(*w->by_memory), by_memory, w);
	w->order = groups_make(w, n, w->rec->nobjects, insn_object);
	for (size_t i = 0; i < n && !w->err; i++)
		w->order.item[i] = w->by_memory[w->order.item[i]];
}

/* ---- the database --------------------------------------------------------------------------- */

static void write_all(struct writer *w)
{
	writer_go_on(w);
	write_facts(w);
	write_events(w);
	write_threads(w);
	find_called(w);
	write_objects(w);
	write_text_fact(w, "warning", w->warning);
	if (!w->err)
		write_contexts(w);
	if (!w->err)
		write_runs(w);
	if (!w->err)
		write_extras(w);
	write_latencies(w);
	writer_go_on(w);
}

static void sql_execute(struct writer *w, const char *sql)
{
	if (!w->err)
		writer_fail(w, sqlite3_exec(w->db, sql, NULL, NULL, NULL));
}

/* Write all tables without a journal, and with one fsync() at the end: no other process sees the
 * file before it is complete, and an incomplete file is useless. */
static void tables_fill(struct writer *w)
{
	char identity[96];

	snprintf(identity, sizeof(identity), "PRAGMA application_id=%d;PRAGMA user_version=%d",
		 PMK_DATABASE_ID, PMK_DATABASE_VERSION);
	sql_execute(w,
		    "PRAGMA journal_mode=OFF;PRAGMA synchronous=OFF;PRAGMA locking_mode=EXCLUSIVE");
	sql_execute(w, "BEGIN");
	sql_execute(w, identity);
	sql_execute(w, pmk_database_schema);
	for (int i = 0; i < NSTATEMENTS && !w->err; i++)
		writer_fail(w, sqlite3_prepare_v2(w->db, statement_text[i], -1, &w->statement[i],
						  NULL));
	if (!w->err)
		write_all(w);
	sql_execute(w, "COMMIT");
}

static const char *writer_reason(const struct writer *w)
{
	switch (w->err & 0xff) {
	case SQLITE_NOMEM:
		return pmk_strerror(PMK_ENOMEM);
	case SQLITE_INTERRUPT:
		return strerror(EINTR);
	case SQLITE_FULL:
		return strerror(ENOSPC);
	case SQLITE_IOERR:
	case SQLITE_CANTOPEN:
		return strerror(w->number ? w->number : EIO);
	default:
		return sqlite3_errmsg(w->db);
	}
}

/* Write everything into the database at `path`. *db stays open; it is NULL after a failure. */
static int write_database(const struct pmk_recording *rec, const char *path,
			  const struct pmk_recording_watch *watch, sqlite3 **db, char *msg,
			  size_t size)
{
	struct writer w = { .rec = rec, .watch = watch };
	int err = 0;

	*db = NULL;
	w.warning = rec->warning ? strdup(rec->warning) : NULL;
	if (rec->warning && !w.warning)
		w.err = SQLITE_NOMEM;

	w.code = calloc(rec->ninsns + 1, sizeof(*w.code));
	w.function = calloc(rec->ninsns + 1, sizeof(*w.function));
	if (!w.code || !w.function)
		w.err = SQLITE_NOMEM;
	w.cost = calloc(rec->ncosts + 1, sizeof(*w.cost));
	w.event = calloc(rec->nevents + 1, sizeof(*w.event));
	if (!w.cost || !w.event)
		w.err = SQLITE_NOMEM;
	if (!w.err)
		sort_insns(&w);
	if (!w.err)
		writer_fail(&w, sqlite3_open_v2(path, &w.db,
						SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL));
	if (!w.err)
		tables_fill(&w);
	if (w.err) {
		err = w.err == SQLITE_NOMEM ? PMK_ENOMEM : PMK_EIO;
		snprintf(msg, size, "cannot be written: %s", writer_reason(&w));
	}
	for (int i = 0; i < NSTATEMENTS; i++)
		sqlite3_finalize(w.statement[i]);
	if (w.err)
		sqlite3_close(w.db);
	else
		*db = w.db;
	pmk_distinct_free(&w.files);
	pmk_distinct_free(&w.contexts);
	pmk_distinct_free(&w.blocks);
	pmk_distinct_free(&w.costs);
	free(w.code);
	free(w.function);
	groups_free(&w.order);
	free(w.cost);
	free(w.event);
	free(w.by_memory);
	free(w.called);
	free(w.warning);
	free(w.context);
	free(w.entered);
	free(w.list);
	free(w.count);
	pmk_isa_text_free(w.text);
	return err;
}

/* ---- the file ------------------------------------------------------------------------------- */

const char *pmk_recording_obstacle(const char *path)
{
	char *real = realpath(path, NULL), *copy;
	bool circular = !real && errno == ELOOP;
	const char *why = NULL;
	struct stat st;

	copy = real ? real : strdup(path);
	if (!copy)
		return pmk_strerror(PMK_ENOMEM);
	if (circular)
		why = strerror(ELOOP);
	else if (!stat(copy, &st) && !S_ISREG(st.st_mode))
		why = S_ISDIR(st.st_mode) ? "it is a folder" : "it is not a regular file";
	else if (access(dirname(copy), W_OK | X_OK))
		why = strerror(errno);
	free(copy);
	return why;
}

int pmk_recording_write(const struct pmk_recording *rec, const char *path,
			const struct pmk_recording_watch *watch, char *msg, size_t size)
{
	/* A symbolic link is kept, and its target is replaced. */
	char *real = pmk_file_target(path), *name;
	const char *to = real ? real : path, *why = pmk_recording_obstacle(path);
	sqlite3 *db = NULL;
	int err = 0;

	if (why) {
		snprintf(msg, size, "cannot be written: %s", why);
		free(real);
		return PMK_EIO;
	}
	name = pmk_file_temporary(to);
	if (name)
		err = write_database(rec, name, watch, &db, msg, size);
	sqlite3_close(db);
	if (!err && (!name || !pmk_file_put(name, to)))
		err = pmk_message_fail(msg, size, PMK_EIO, "cannot be written: %s",
				       strerror(errno));
	if (err && name)
		unlink(name);
	free(name);
	free(real);
	return err;
}

int pmk_recording_in_memory(const struct pmk_recording *rec, sqlite3 **db, char *msg, size_t size)
{
	return write_database(rec, ":memory:", NULL, db, msg, size);
}
