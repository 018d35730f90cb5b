// SPDX-License-Identifier: MIT
/*
 * Writing a recording to a database. Rows are written in the order of their keys, which is fast and
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
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <pmk/error.h>

#include "base/file.h"
#include "base/grow.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/message.h"
#include "cpu/isa/text.h"
#include "profile/elf.h"
#include "profile/recording/costs.h"
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
	INSERT_COST,
	INSERT_PART,
	INSERT_RUN,
	INSERT_EXTRA,
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
	"INSERT INTO context VALUES(?,?,?,?,?)",
	"INSERT INTO costs VALUES(?,?)",
	"INSERT INTO part VALUES(?,?,?,?)",
	"INSERT INTO runs VALUES(?,?,?,?,?)",
	"INSERT INTO extras VALUES(?,?,?,?)",
	"INSERT INTO latency VALUES(?,?,?)",
};

/* A source file, in a hash table by its name. */
struct file {
	char *path;
	int64_t id;
};

/* What was counted on one call path: the columns of a row besides its first one. */
struct path_count {
	int64_t number[3];
	uint32_t context;
};

struct writer {
	const struct pmk_recording *rec;
	sqlite3 *db;
	sqlite3_stmt *statement[NSTATEMENTS];
	int column;	   /* column of the row that is being filled */
	int err;	   /* SQLite's error; nothing is written after the first */
	int number;	   /* errno then */
	size_t *order;	   /* the instructions by object and address */
	int64_t *code;	   /* id of each instruction */
	int64_t *function; /* id of its function; 0: none */
	size_t *by_memory; /* the instructions by address in memory */
	bool *called;	   /* true where a function is entered; NULL: not known */
	struct file *file;
	size_t nfiles, file_room; /* a power of 2 */
	int64_t ninlined, nfunctions, ncode;
	char *warning; /* that of the recording, plus warnings from writing */
	/* For a sampled recording: contexts with the same function and site are merged. */
	uint32_t *context; /* id of each */
	struct pmk_map of_site, of_function;
	struct pmk_elf_code *bytes; /* code of the present object; NULL: not available */
	struct pmk_isa_text *text;  /* NULL: not needed so far */
	size_t nsites, ncontexts;
	const struct pmk_recording_watch *watch; /* or NULL */
	size_t done, told; /* items: written; written at the last call of the watch */
	char *list;	   /* JSON text for a column */
	size_t nlist, list_room;
	struct path_count *count; /* the counts of the present block or instruction */
	size_t ncounts, count_room;
};

static void writer_fail(struct writer *w, int err)
{
	if (w->err || !err)
		return;
	w->number = errno;
	w->err = err;
}

#define WATCHED 10000 /* items between two calls of the watch */

/* `items` more items are written: call the watch if it is due. */
static void writer_advance(struct writer *w, size_t items)
{
	const struct pmk_recording *rec = w->rec;

	w->done += items;
	if (!w->watch || w->done - w->told < WATCHED)
		return;
	w->told = w->done;
	if (!w->watch->on_items(w->watch->ctx, w->done,
				rec->ninsns + rec->ncontexts + rec->nruns + rec->nextras))
		writer_fail(w, SQLITE_INTERRUPT);
}

/* ---- rows ----------------------------------------------------------------------------------- */

static void put_int(struct writer *w, int table, int64_t value)
{
	writer_fail(w, sqlite3_bind_int64(w->statement[table], ++w->column, value));
}

/* Writes NULL for a text that is not known. */
static void put_text(struct writer *w, int table, const char *text)
{
	w->column++;
	if (text)
		writer_fail(w, sqlite3_bind_text(w->statement[table], w->column, text, -1,
						 SQLITE_STATIC));
	else
		writer_fail(w, sqlite3_bind_null(w->statement[table], w->column));
}

/* Writes NULL for the number 0, which means none. */
static void put_id(struct writer *w, int table, int64_t id)
{
	if (id)
		put_int(w, table, id);
	else
		put_text(w, table, NULL);
}

static void put_bytes(struct writer *w, int table, const void *bytes, size_t size)
{
	writer_fail(w, sqlite3_bind_blob(w->statement[table], ++w->column, bytes, (int)size,
					 SQLITE_STATIC));
}

static void row_insert(struct writer *w, int table)
{
	w->column = 0;
	if (w->err)
		return;
	if (sqlite3_step(w->statement[table]) != SQLITE_DONE)
		writer_fail(w, sqlite3_errcode(w->db));
	sqlite3_reset(w->statement[table]);
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

static void list_begin(struct writer *w, char bracket)
{
	w->nlist = 0;
	list_char(w, bracket);
}

/* Like snprintf(), without reading a format: a recording can have millions of numbers. */
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

/* Fills a column with the list. The list must not change until the row is inserted. */
static void put_list(struct writer *w, int table, char bracket)
{
	if (w->err)
		return;
	if (w->list[w->nlist - 1] == ',')
		w->nlist--;
	list_char(w, bracket);
	writer_fail(w, sqlite3_bind_text(w->statement[table], ++w->column, w->list, (int)w->nlist,
					 SQLITE_STATIC));
}

/* ---- source files --------------------------------------------------------------------------- */

static struct file *find_file(const struct file *file, size_t room, const char *path)
{
	size_t i = (size_t)(pmk_hash_text(path) >> 20) & (room - 1);

	while (file[i].path && strcmp(file[i].path, path) != 0)
		i = (i + 1) & (room - 1);
	return (struct file *)&file[i];
}

static bool grow_files(struct writer *w)
{
	size_t room = w->file_room ? 2 * w->file_room : 64;
	struct file *grown = calloc(room, sizeof(*grown));

	if (!grown)
		return false;
	for (size_t i = 0; i < w->file_room; i++)
		if (w->file[i].path)
			*find_file(grown, room, w->file[i].path) = w->file[i];
	free(w->file);
	w->file = grown;
	w->file_room = room;
	return true;
}

/* The id of the file, which gets a row if it is new; 0: not known. */
static int64_t file_id(struct writer *w, const char *path)
{
	struct file *f;

	if (!path)
		return 0;
	if (2 * w->nfiles >= w->file_room && !grow_files(w)) {
		writer_fail(w, SQLITE_NOMEM);
		return 0;
	}
	f = find_file(w->file, w->file_room, path);
	if (f->path)
		return f->id;
	f->path = strdup(path);
	if (!f->path) {
		writer_fail(w, SQLITE_NOMEM);
		return 0;
	}
	f->id = (int64_t)++w->nfiles;
	put_int(w, INSERT_FILE, f->id);
	put_text(w, INSERT_FILE, path);
	row_insert(w, INSERT_FILE);
	return f->id;
}

/* ---- the recording's tables ----------------------------------------------------------------- */

static void write_text_fact(struct writer *w, const char *key, const char *value)
{
	if (!value)
		return;
	put_text(w, INSERT_META, key);
	put_text(w, INSERT_META, value);
	row_insert(w, INSERT_META);
}

static void write_flag(struct writer *w, const char *key, bool value)
{
	put_text(w, INSERT_META, key);
	put_int(w, INSERT_META, value);
	row_insert(w, INSERT_META);
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

		put_int(w, INSERT_EVENT, (int64_t)i);
		put_text(w, INSERT_EVENT, e->name);
		put_text(w, INSERT_EVENT, e->pmu);
		put_text(w, INSERT_EVENT, pmk_trust_name(e->trust));
		put_text(w, INSERT_EVENT, e->reason);
		if (pmk_trust_has_value(e->trust))
			put_int(w, INSERT_EVENT, (int64_t)e->total);
		else
			put_text(w, INSERT_EVENT, NULL);
		row_insert(w, INSERT_EVENT);
	}
}

static void write_threads(struct writer *w)
{
	for (size_t i = 0; i < w->rec->nthreads; i++) {
		put_int(w, INSERT_THREAD, (int64_t)i);
		put_int(w, INSERT_THREAD, w->rec->thread[i].process);
		put_int(w, INSERT_THREAD, w->rec->thread[i].cpu);
		put_text(w, INSERT_THREAD, w->rec->thread[i].name);
		row_insert(w, INSERT_THREAD);
	}
}

/* ---- code ----------------------------------------------------------------------------------- */

static uint64_t file_address(const struct writer *w, const struct pmk_recorded_insn *in)
{
	return in->addr - w->rec->object[in->object].bias;
}

/* The name of a function without a symbol: its object and its start, "[busybox+0x104f4]". */
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
		put_int(w, INSERT_FUNCTION, id[i]);
		put_int(w, INSERT_FUNCTION, (int64_t)object);
		put_text(w, INSERT_FUNCTION, f->symbol ? f->name : name);
		put_text(w, INSERT_FUNCTION, f->symbol);
		put_int(w, INSERT_FUNCTION, (int64_t)f->address);
		/* The end of a function that is known only from calls is not known. */
		put_id(w, INSERT_FUNCTION, f->symbol ? (int64_t)f->size : 0);
		put_id(w, INSERT_FUNCTION, file);
		put_id(w, INSERT_FUNCTION, f->line);
		row_insert(w, INSERT_FUNCTION);
		free(name);
	}
}

/* Their ids follow those of earlier objects: number 0 of this object is `w->ninlined` + 1. */
static void write_inlined(struct writer *w, const struct pmk_symbols *s)
{
	for (size_t i = 0; i < s->ninlined; i++) {
		const struct pmk_symbols_inlined *in = &s->inlined[i];
		int64_t file = file_id(w, in->file);

		put_int(w, INSERT_INLINED, w->ninlined + (int64_t)i + 1);
		put_id(w, INSERT_INLINED,
		       in->parent == PMK_NOWHERE ? 0 : w->ninlined + in->parent + 1);
		put_text(w, INSERT_INLINED, in->name);
		put_text(w, INSERT_INLINED, in->symbol);
		put_id(w, INSERT_INLINED, file);
		put_id(w, INSERT_INLINED, in->line);
		row_insert(w, INSERT_INLINED);
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

/* Read the bytes of a sampled instruction from its file. The file does not say whether code is ARM
 * or Thumb, and where an x86 call begins is not known. */
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

static void put_code(struct writer *w, const struct pmk_recorded_insn *in)
{
	size_t n = in->size < PMK_RECORDED_BYTES ? in->size : PMK_RECORDED_BYTES;
	const uint8_t *bytes = in->byte;

	if (w->rec->sampled)
		n = find_bytes(w, in, &bytes);
	put_bytes(w, INSERT_CODE, bytes, n);
}

static void write_insn(struct writer *w, size_t index, const struct pmk_symbols_place *p)
{
	const struct pmk_recorded_insn *in = &w->rec->insn[index];
	bool target = in->target || (!w->rec->sampled &&
				     (in->flow == PMK_FLOW_JUMP || in->flow == PMK_FLOW_CALL));
	int64_t file = file_id(w, p->file);

	w->code[index] = ++w->ncode;
	put_int(w, INSERT_CODE, w->code[index]);
	put_int(w, INSERT_CODE, in->object);
	put_int(w, INSERT_CODE, (int64_t)file_address(w, in));
	put_code(w, in);
	put_text(w, INSERT_CODE, mode_of(w->rec, in));
	put_text(w, INSERT_CODE, flow_name(in->flow));
	put_int(w, INSERT_CODE, in->conditional);
	if (target)
		put_int(w, INSERT_CODE, (int64_t)(in->target - w->rec->object[in->object].bias));
	else
		put_text(w, INSERT_CODE, NULL);
	put_id(w, INSERT_CODE, w->function[index]);
	put_id(w, INSERT_CODE, p->inlined == PMK_NOWHERE ? 0 : w->ninlined + p->inlined + 1);
	put_id(w, INSERT_CODE, file);
	put_id(w, INSERT_CODE, p->line);
	row_insert(w, INSERT_CODE);
	writer_advance(w, 1);
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
	put_int(w, INSERT_OBJECT, (int64_t)object);
	put_text(w, INSERT_OBJECT, o->path);
	put_text(w, INSERT_OBJECT, kinds[o->kind]);
	put_text(w, INSERT_OBJECT, o->build_id ? o->build_id : *s->build_id ? s->build_id : NULL);
	put_int(w, INSERT_OBJECT, (int64_t)o->bias);
	row_insert(w, INSERT_OBJECT);
	write_functions(w, s, object, function);
	write_inlined(w, s);
	for (size_t i = from; i < from + n && !w->err; i++) {
		size_t index = w->order[i];
		const struct pmk_symbols_place *p;

		place += i > from && w->rec->insn[index].addr != w->rec->insn[w->order[i - 1]].addr;
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
		     "%s%s%s is another file now than when it was sampled (its build id "
		     "differs), so its functions are not known",
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
	int err;

	if (o->kind == PMK_RECORDED_KERNEL)
		return pmk_symbols_kernel(s, o->build_id, addr, n);
	err = pmk_symbols_load(s, o->kind == PMK_RECORDED_FILE ? o->path : NULL, addr, called, n);
	if (err || !is_another(w, o, s)) {
		if (w->rec->sampled && o->kind == PMK_RECORDED_FILE)
			w->bytes = pmk_elf_code_open(o->path);
		return err;
	}
	pmk_symbols_free(s);
	return pmk_symbols_load(s, NULL, addr, called, n);
}

static void write_object(struct writer *w, size_t object, size_t from, size_t n)
{
	const struct pmk_recorded_object *o = &w->rec->object[object];
	uint64_t *addr = malloc((n + 1) * sizeof(*addr));
	bool *called = calloc(n + 1, sizeof(*called));
	struct pmk_symbols s = { 0 };
	size_t naddrs = 0;

	/* Code that was changed has several instructions at one address, but one place. */
	for (size_t i = from; addr && called && i < from + n; i++) {
		uint64_t a = file_address(w, &w->rec->insn[w->order[i]]);

		if (!naddrs || addr[naddrs - 1] != a)
			addr[naddrs++] = a;
		called[naddrs - 1] |= w->called && w->called[w->order[i]];
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

/* The instruction at an address in memory; if there are several, preferably a call. NULL: none was
 * executed there. */
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

/* Samples do not show where functions begin. */
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
	size_t from = 0;

	for (size_t o = 0; o < w->rec->nobjects && !w->err; o++) {
		size_t n = 0;

		while (from + n < w->rec->ninsns && w->rec->insn[w->order[from + n]].object == o)
			n++;
		/* Most of what was mapped has no samples. */
		if (n || !w->rec->sampled)
			write_object(w, o, from, n);
		from += n;
	}
}

/* ---- contexts and counts -------------------------------------------------------------------- */

static void write_context(struct writer *w, int64_t id, int64_t parent, int64_t function,
			  int64_t site, uint64_t calls)
{
	put_int(w, INSERT_CONTEXT, id);
	if (id)
		put_int(w, INSERT_CONTEXT, parent);
	else
		put_text(w, INSERT_CONTEXT, NULL);
	put_id(w, INSERT_CONTEXT, function);
	put_id(w, INSERT_CONTEXT, site);
	if (w->rec->sampled)
		put_text(w, INSERT_CONTEXT, NULL);
	else
		put_int(w, INSERT_CONTEXT, (int64_t)calls);
	row_insert(w, INSERT_CONTEXT);
}

static void write_counted_context(struct writer *w, size_t i)
{
	const struct pmk_recorded_context *c = &w->rec->context[i];
	const struct pmk_recorded_insn *entry = i ? insn_at(w, c->entry) : NULL;
	const struct pmk_recorded_insn *site = c->site ? insn_at(w, c->site) : NULL;

	write_context(w, (int64_t)i, c->parent, entry ? w->function[entry - w->rec->insn] : 0,
		      site ? w->code[site - w->rec->insn] : 0, c->calls);
}

/* Samples in one function, called from one place, are on one path, regardless of their position in
 * it. Code without a function counts as one function for its object. */
static void write_sampled_context(struct writer *w, size_t i)
{
	const struct pmk_recorded_context *c = &w->rec->context[i];
	uint32_t parent = w->context[c->parent], pair, id;
	uint64_t function = (uint64_t)w->function[c->entry], of = function;
	int64_t site = c->site == PMK_RECORDED_NO_SITE ? 0 : w->code[c->site];

	if (!of)
		of = UINT64_C(1) << 31 | w->rec->insn[c->entry].object;
	pair = pmk_map_put(&w->of_site, (uint64_t)parent << 32 | (uint32_t)site,
			   (uint32_t)w->nsites);
	id = pair == UINT32_MAX ? pair
				: pmk_map_put(&w->of_function, (uint64_t)pair << 32 | of,
					      (uint32_t)w->ncontexts);
	if (id == UINT32_MAX) {
		writer_fail(w, SQLITE_NOMEM);
		return;
	}
	w->nsites += pair == w->nsites;
	w->context[i] = id;
	if (id < w->ncontexts)
		return;
	w->ncontexts++;
	write_context(w, id, parent, (int64_t)function, site, 0);
}

static void write_contexts(struct writer *w)
{
	w->context = calloc(w->rec->ncontexts + 1, sizeof(*w->context));
	if (!w->context)
		writer_fail(w, SQLITE_NOMEM);
	for (size_t i = 0; i < w->rec->ncontexts && !w->err; i++) {
		if (w->rec->sampled && i) {
			write_sampled_context(w, i);
			continue;
		}
		w->context[i] = (uint32_t)i;
		if (w->rec->sampled)
			write_context(w, 0, 0, 0, 0, 0);
		else
			write_counted_context(w, i);
		w->ncontexts = i + 1;
	}
}

/* The id of the context of a count. */
static uint32_t context_id(const struct writer *w, uint32_t context)
{
	return context < w->rec->ncontexts ? w->context[context] : context;
}

/*
 * The number of rows of cost[] that write_costs() writes. In a sampled recording every row belongs
 * to one place, and write_extras() writes the rows, equal ones only once.
 */
static size_t written_costs(const struct writer *w)
{
	return w->rec->sampled ? 0 : w->rec->ncosts;
}

static void cost_begin(struct writer *w)
{
	list_begin(w, '{');
}

static void cost_add(struct writer *w, size_t event, uint64_t value)
{
	list_char(w, '"');
	list_number(w, (int64_t)event);
	list_char(w, '"');
	list_char(w, ':');
	list_number(w, (int64_t)value);
	list_char(w, ',');
}

static void cost_end(struct writer *w, size_t cost)
{
	put_int(w, INSERT_COST, (int64_t)cost + 1);
	put_list(w, INSERT_COST, '}');
	row_insert(w, INSERT_COST);
}

static void write_costs(struct writer *w)
{
	size_t n = w->rec->nevents;

	for (size_t i = 0; i < written_costs(w) && !w->err; i++) {
		cost_begin(w);
		for (size_t e = 0; e < n; e++)
			if (w->rec->cost[i * n + e])
				cost_add(w, e, w->rec->cost[i * n + e]);
		cost_end(w, i);
	}
}

static void write_parts(struct writer *w)
{
	for (size_t b = 0; b < w->rec->nblocks; b++) {
		const struct pmk_recorded_block *block = &w->rec->block[b];

		for (uint32_t left = block->nparts; left > 0 && !w->err; left--) {
			const struct pmk_recorded_part *p = &w->rec->part[block->first + left - 1];

			put_int(w, INSERT_PART, (int64_t)b + 1);
			put_int(w, INSERT_PART, block->nparts - left);
			put_int(w, INSERT_PART, w->code[p->insn]);
			put_int(w, INSERT_PART, (int64_t)p->cost + 1);
			row_insert(w, INSERT_PART);
		}
	}
}

static int numbers_compare(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int by_numbers(const void *a, const void *b)
{
	const struct path_count *x = a, *y = b;

	for (unsigned i = 0; i < 3; i++)
		if (x->number[i] != y->number[i])
			return x->number[i] < y->number[i] ? -1 : 1;
	return numbers_compare(x->context, y->context);
}

static void counts_add(struct writer *w, struct path_count count)
{
	struct path_count *grown = pmk_grow(w->count, w->ncounts, &w->count_room, sizeof(*grown));

	if (!grown) {
		writer_fail(w, SQLITE_NOMEM);
		return;
	}
	w->count = grown;
	w->count[w->ncounts++] = count;
}

/* Write the counts that were added, which are those of `id`. Counts with equal numbers share a row,
 * which lists their contexts. */
static void counts_write(struct writer *w, int table, int64_t id, unsigned nnumbers)
{
	const struct path_count *c = w->count, *end = c + w->ncounts, *first;

	if (w->ncounts)
		qsort(w->count, w->ncounts, sizeof(*c), by_numbers);
	while (c < end && !w->err) {
		first = c;
		put_int(w, table, id);
		for (unsigned i = 0; i < nnumbers; i++)
			put_int(w, table, c->number[i]);
		list_begin(w, '[');
		for (; c < end && !memcmp(c->number, first->number, sizeof(c->number)); c++) {
			list_number(w, c->context);
			list_char(w, ',');
		}
		put_list(w, table, ']');
		row_insert(w, table);
	}
	w->ncounts = 0;
}

static int by_block(const void *a, const void *b)
{
	const struct pmk_recorded_run *x = a, *y = b;

	if (x->block != y->block)
		return numbers_compare(x->block, y->block);
	if (x->context != y->context)
		return numbers_compare(x->context, y->context);
	return numbers_compare(x->thread, y->thread);
}

static void write_runs(struct writer *w)
{
	struct pmk_recorded_run *run = w->rec->run, sum;

	if (w->rec->nruns)
		qsort(run, w->rec->nruns, sizeof(*run), by_block);
	for (size_t i = 0; i < w->rec->nruns && !w->err;) {
		sum = run[i];
		while (++i < w->rec->nruns && !by_block(&sum, &run[i])) {
			sum.executions += run[i].executions;
			sum.taken += run[i].taken;
		}
		writer_advance(w, 1);
		if (sum.executions || sum.taken)
			counts_add(w, (struct path_count){ { sum.thread, (int64_t)sum.executions,
							     (int64_t)sum.taken },
							   context_id(w, sum.context) });
		if (i == w->rec->nruns || run[i].block != sum.block)
			counts_write(w, INSERT_RUN, (int64_t)sum.block + 1, 3);
	}
}

static int by_place(const void *a, const void *b, void *writer)
{
	const struct pmk_recorded_extra *x = a, *y = b;
	const struct writer *w = writer;

	if (x->insn != y->insn)
		return numbers_compare((uint64_t)w->code[x->insn], (uint64_t)w->code[y->insn]);
	if (x->context != y->context && context_id(w, x->context) != context_id(w, y->context))
		return numbers_compare(context_id(w, x->context), context_id(w, y->context));
	return numbers_compare(x->thread, y->thread);
}

static void write_extra_cost(struct writer *w, const struct pmk_costs *x, size_t cost)
{
	cost_begin(w);
	for (size_t i = 0; i < pmk_costs_length(x, cost); i++)
		cost_add(w, x->row[x->first[cost] + i].event, x->row[x->first[cost] + i].value);
	cost_end(w, written_costs(w) + cost);
}

/* Returns the id of the summed cost of the `n` extras of one place, and writes this cost if it is
 * new. Returns 0 if the extras count nothing, or on an error. */
static int64_t cost_of_extras(struct writer *w, struct pmk_costs *x,
			      const struct pmk_recorded_extra *extra, size_t n)
{
	size_t nevents = w->rec->nevents, last = x->ncosts;
	uint32_t cost;

	if (n == 1 && !w->rec->sampled)
		return (int64_t)extra->cost + 1;
	if (!pmk_costs_begin(x))
		writer_fail(w, SQLITE_NOMEM);
	for (size_t e = 0; e < nevents && !w->err; e++) {
		uint64_t sum = 0;

		for (size_t i = 0; i < n; i++)
			sum += w->rec->cost[extra[i].cost * nevents + e];
		if (sum && !pmk_costs_add(x, (uint32_t)e, sum))
			writer_fail(w, SQLITE_NOMEM);
	}
	if (!w->err && !pmk_costs_length(x, last)) {
		x->ncosts = last;
		return 0;
	}
	cost = w->err ? UINT32_MAX : pmk_costs_end(x);
	if (cost == UINT32_MAX)
		writer_fail(w, SQLITE_NOMEM);
	else if (cost == last)
		write_extra_cost(w, x, cost);
	return w->err ? 0 : (int64_t)(written_costs(w) + cost) + 1;
}

static void write_extras(struct writer *w)
{
	struct pmk_recorded_extra *extra = w->rec->extra;
	struct pmk_costs x = { 0 };
	size_t next;

	if (w->rec->nextras)
		qsort_r(extra, w->rec->nextras, sizeof(*extra), by_place, w);
	for (size_t i = 0; i < w->rec->nextras && !w->err; i = next) {
		int64_t cost;

		for (next = i + 1; next < w->rec->nextras && !by_place(&extra[i], &extra[next], w);)
			next++;
		cost = cost_of_extras(w, &x, &extra[i], next - i);
		writer_advance(w, next - i);
		if (cost)
			counts_add(w, (struct path_count){ { extra[i].thread, cost },
							   context_id(w, extra[i].context) });
		if (next == w->rec->nextras || extra[next].insn != extra[i].insn)
			counts_write(w, INSERT_EXTRA, w->code[extra[i].insn], 2);
	}
	pmk_costs_free(&x);
}

static void write_latencies(struct writer *w)
{
	for (size_t i = 0; i < w->rec->nlatencies && !w->err; i++) {
		put_int(w, INSERT_LATENCY, w->rec->latency[i].event);
		put_int(w, INSERT_LATENCY, w->rec->latency[i].cycles);
		put_int(w, INSERT_LATENCY, (int64_t)w->rec->latency[i].times);
		row_insert(w, INSERT_LATENCY);
	}
}

/* ---- order ---------------------------------------------------------------------------------- */

static int by_object(const void *a, const void *b, void *writer)
{
	const struct writer *w = writer;
	size_t i = *(const size_t *)a, j = *(const size_t *)b;
	const struct pmk_recorded_insn *x = &w->rec->insn[i], *y = &w->rec->insn[j];

	if (x->object != y->object)
		return numbers_compare(x->object, y->object);
	if (x->addr != y->addr)
		return numbers_compare(file_address(w, x), file_address(w, y));
	return numbers_compare(i, j);
}

static int by_memory(const void *a, const void *b, void *writer)
{
	const struct writer *w = writer;
	size_t i = *(const size_t *)a, j = *(const size_t *)b;
	const struct pmk_recorded_insn *x = &w->rec->insn[i], *y = &w->rec->insn[j];

	return x->addr != y->addr ? numbers_compare(x->addr, y->addr) : numbers_compare(i, j);
}

/* Returns 0 … n - 1, sorted; NULL: out of memory. */
static size_t *order_sorted(struct writer *w, size_t n,
			    int (*by)(const void *, const void *, void *))
{
	size_t *list = malloc((n + 1) * sizeof(*list));

	if (!list) {
		writer_fail(w, SQLITE_NOMEM);
		return NULL;
	}
	for (size_t i = 0; i < n; i++)
		list[i] = i;
	qsort_r(list, n, sizeof(*list), by, w);
	return list;
}

/* ---- the database --------------------------------------------------------------------------- */

static void write_all(struct writer *w)
{
	write_facts(w);
	write_events(w);
	write_threads(w);
	find_called(w);
	write_objects(w);
	write_text_fact(w, "warning", w->warning);
	if (!w->err)
		write_contexts(w);
	write_costs(w);
	write_parts(w);
	if (!w->err)
		write_runs(w);
	if (!w->err)
		write_extras(w);
	write_latencies(w);
}

static void sql_execute(struct writer *w, const char *sql)
{
	if (!w->err)
		writer_fail(w, sqlite3_exec(w->db, sql, NULL, NULL, NULL));
}

/* No other process sees the file before it is complete, and an incomplete one is useless: no
 * journal, and one fsync() at the end. */
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

/* Write everything into the database at `path`; *db stays open, and is NULL after a failure. */
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
	w.order = order_sorted(&w, rec->ninsns, by_object);
	w.by_memory = order_sorted(&w, rec->ninsns, by_memory);
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
	for (size_t i = 0; i < w.file_room; i++)
		free(w.file[i].path);
	free(w.file);
	free(w.code);
	free(w.function);
	free(w.order);
	free(w.by_memory);
	free(w.called);
	free(w.warning);
	free(w.context);
	free(w.list);
	free(w.count);
	pmk_isa_text_free(w.text);
	pmk_map_free(&w.of_site);
	pmk_map_free(&w.of_function);
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
	/* A symbolic link stays, and its target is replaced. */
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
