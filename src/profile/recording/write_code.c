// SPDX-License-Identifier: MIT
/* Writes the tables of code: objects, functions, inlined functions, files and instructions. */
#define _GNU_SOURCE
#include "profile/recording/write.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "profile/recording/symbols.h"

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

void pmk_write_sort(struct writer *w)
{
	size_t n = w->rec->ninsns;

	w->by_memory = malloc((n + 1) * sizeof(*w->by_memory));
	if (!w->by_memory) {
		pmk_write_fail(w, SQLITE_NOMEM);
		return;
	}
	for (size_t i = 0; i < n; i++)
		w->by_memory[i] = (uint32_t)i;
	qsort_r(w->by_memory, n, sizeof(*w->by_memory), by_memory, w);
	w->order = pmk_write_groups(w, n, w->rec->nobjects, insn_object, NULL);
	for (size_t i = 0; i < n && !w->err; i++)
		w->order.item[i] = w->by_memory[w->order.item[i]];
}

/* ---- code ----------------------------------------------------------------------------------- */

/* Returns the id of the file; 0 if the path is not known. A new file gets a row. */
static int64_t file_id(struct writer *w, const char *path)
{
	size_t known = w->files.n;
	int64_t id;

	if (!path)
		return 0;
	id = (int64_t)pmk_write_distinct(w, &w->files, path, strlen(path)) + 1;
	if (w->files.n > known)
		pmk_write_row(w, INSERT_FILE, "it", id, path);
	return id;
}

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
				pmk_write_fail(w, SQLITE_NOMEM);
		}
		file = file_id(w, f->file);
		id[i] = ++w->nfunctions;
		/* A function that is known only from calls has no known end. */
		pmk_write_row(w, INSERT_FUNCTION, "iittinnn", id[i], (int64_t)object,
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

		pmk_write_row(w, INSERT_INLINED, "inttnn", w->ninlined + (int64_t)i + 1,
			      in->parent == PMK_NOWHERE ? 0 : w->ninlined + in->parent + 1,
			      in->name, in->symbol, file, (int64_t)in->line);
	}
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
	pmk_write_row(w, INSERT_CODE, target ? "iiibttiinnnn" : "iiibttinnnnn", w->code[index],
		      (int64_t)in->object, (int64_t)file_address(w, in), bytes, size,
		      in->thumb ? "thumb" : w->rec->isa, flow_name(in->flow),
		      (int64_t)in->conditional,
		      target ? (int64_t)(in->target - w->rec->object[in->object].bias) : INT64_C(0),
		      w->function[index],
		      p->inlined == PMK_NOWHERE ? INT64_C(0) : w->ninlined + p->inlined + 1, file,
		      (int64_t)p->line);
	pmk_write_advance(w);
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
		pmk_write_fail(w, SQLITE_NOMEM);
		return;
	}
	pmk_write_row(w, INSERT_OBJECT, "ittti", (int64_t)object, o->path, kinds[o->kind],
		      o->build_id    ? o->build_id
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
		pmk_write_fail(w, SQLITE_NOMEM);
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
	const struct pmk_symbols_watch watch = { pmk_write_go_on, w };
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
		pmk_write_fail(w, SQLITE_NOMEM);
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

const struct pmk_recorded_insn *pmk_write_insn_at(const struct writer *w, uint64_t addr)
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
		pmk_write_fail(w, SQLITE_NOMEM);
		return;
	}
	for (size_t i = 1; i < w->rec->ncontexts; i++) {
		const struct pmk_recorded_insn *entry =
			pmk_write_insn_at(w, w->rec->context[i].entry);

		if (entry)
			w->called[entry - w->rec->insn] = true;
	}
}

void pmk_write_objects(struct writer *w)
{
	find_called(w);
	for (size_t o = 0; o < w->rec->nobjects && !w->err; o++) {
		size_t from = w->order.first[o], n = w->order.first[o + 1] - from;

		/* Most mapped objects have no samples. */
		if ((n || !w->rec->sampled) && pmk_write_go_on(w))
			write_object(w, o, from, n);
	}
}
