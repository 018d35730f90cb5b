// SPDX-License-Identifier: MIT
/*
 * The file of perf record, as perf report, perf script and hotspot read it; perf's
 * tools/perf/Documentation/perf.data-file-format.txt describes it. A count is a sample whose period
 * is the count. The records show one process, whose code is at the addresses where the program ran,
 * and all other processes as its forks. If two objects of the recording were at one address at
 * different times, the second one is moved to a free place.
 *
 * The head of the file has the positions of all parts, so each part is written twice: the first
 * time only its size is computed. The counts are not kept in memory.
 */
#define _GNU_SOURCE
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pmk/error.h>

#include "base/grow.h"
#include "base/message.h"
#include "profile/elf.h"
#include "profile/export/export.h"
#include "profile/export/tree.h"

/* Of <linux/perf_event.h>. */
enum { RECORD_COMM = 3, RECORD_FORK = 7, RECORD_SAMPLE = 9, RECORD_MMAP2 = 10, RECORD_ROUND = 68 };
enum { MODE_KERNEL = 1, MODE_USER = 2 };
enum {
	SAMPLE_IP = 1 << 0,
	SAMPLE_TID = 1 << 1,
	SAMPLE_TIME = 1 << 2,
	SAMPLE_CALLCHAIN = 1 << 5,
	SAMPLE_PERIOD = 1 << 8,
	SAMPLE_IDENTIFIER = 1 << 16,
};
enum {
	ATTR_EXCLUDE_KERNEL = 1 << 5,
	ATTR_MMAP = 1 << 8,
	ATTR_COMM = 1 << 9,
	ATTR_TASK = 1 << 13,
	ATTR_SAMPLE_ID_ALL = 1 << 18,
	ATTR_MMAP2 = 1 << 23,
};
enum { TYPE_RAW = 4 };
/* In a call chain: the following addresses belong to this mode. */
#define CONTEXT_KERNEL ((uint64_t)-128)
#define CONTEXT_USER   ((uint64_t)-512)

/* Numbers of the features in perf's files. */
enum { BUILD_ID = 2, VERSION = 5, ARCH = 6, CMDLINE = 11, EVENT_DESC = 12 };
#define MISC_BUILD_ID_SIZE (1u << 15)
#define HEAD_SIZE	   104
#define ATTR_SIZE	   64
#define RECORD_HEAD	   8
#define BUILD_ID_MAX	   20
#define PATH_BYTES	   4095 /* the length of the longest path */
/* A record has at most 65535 bytes. */
#define MAX_CHAIN	   8000
/* Samples in a round. perf sorts samples by time, and keeps at most two rounds in memory. */
#define ROUND		   10000

#define PAGE UINT64_C(0x1000)

/* Addresses of an object, in whole pages. */
struct range {
	uint32_t object;
	uint64_t start, end;
	uint64_t shift; /* an address minus this is the offset in the file */
	bool placed;	/* the base of the object is final */
};

struct writer {
	const struct pmk_export *x;
	const struct pmk_tables *t;
	FILE *f; /* NULL: only the size of the output is computed */
	uint64_t size;
	uint64_t *base; /* [object]: the number that is added to the object's addresses */
	struct range *range;
	size_t nranges, room;
	/* [thread]; `parent`: the first thread of the same process; for that thread, thread 0 */
	uint32_t *pid, *tid, *parent;
	uint64_t time;
	uint64_t *chain; /* the call chain of the current sample */
	size_t nchain;
	bool in_kernel; /* the last address of the chain is in the kernel */
	bool cut;	/* a chain is too long for a record */
};

/* ---- bytes ---------------------------------------------------------------------------------- */

static void put_bytes(struct writer *w, const void *bytes, size_t n)
{
	if (w->f)
		fwrite(bytes, 1, n, w->f);
	w->size += n;
}

static void put_u32(struct writer *w, uint32_t v)
{
	put_bytes(w, &v, sizeof(v));
}

static void put_u64(struct writer *w, uint64_t v)
{
	put_bytes(w, &v, sizeof(v));
}

static size_t padded_size(size_t n, size_t to)
{
	return (n + to - 1) / to * to;
}

/* Writes the first `n` bytes of a text and at least one zero, so that the size is a multiple of
 * `to`, which is at most 8. */
static void put_padded(struct writer *w, const char *text, size_t n, size_t to)
{
	put_bytes(w, text, n);
	put_bytes(w, "\0\0\0\0\0\0\0", padded_size(n + 1, to) - n);
}

/* Writes a text of a feature: its size with padding, and the text. */
static void put_text(struct writer *w, const char *text)
{
	put_u32(w, (uint32_t)padded_size(strlen(text) + 1, 4));
	put_padded(w, text, strlen(text), 4);
}

static void put_record(struct writer *w, uint32_t type, uint32_t misc, size_t body)
{
	uint16_t head[] = { (uint16_t)misc, (uint16_t)(RECORD_HEAD + body) };

	put_u32(w, type);
	put_bytes(w, head, sizeof(head));
}

static uint64_t size_of(struct writer *w, void (*write)(struct writer *w))
{
	FILE *f = w->f;
	uint64_t before = w->size, size;

	w->f = NULL;
	write(w);
	size = w->size - before;
	w->f = f;
	w->size = before;
	return size;
}

/* ---- addresses ------------------------------------------------------------------------------ */

static bool is_kind(const struct writer *w, uint32_t object, const char *kind)
{
	return object != PMK_TABLES_NONE && !strcmp(w->t->object[object].kind, kind);
}

static uint64_t address_of(const struct writer *w, uint32_t object, uint64_t address)
{
	return object == PMK_TABLES_NONE ? address : w->base[object] + address;
}

/* Adds the ranges of an object's code. The code of one segment of a file is one range. Code without
 * a file has a range for each group of pages, because files may be between them. */
static bool add_code(struct writer *w, const struct pmk_tables_code *k,
		     const struct pmk_elf_code *elf)
{
	struct range *last = w->nranges ? &w->range[w->nranges - 1] : NULL;
	struct range r = { k->object, k->address, k->address + (k->size ? k->size : 1) };
	uint64_t offset;

	if (elf && pmk_elf_code_offset(elf, k->address, &offset))
		r.shift = k->address - offset;
	if (k->function != PMK_TABLES_NONE && w->t->function[k->function].address < r.start)
		r.start = w->t->function[k->function].address;
	r.start &= ~(PAGE - 1);
	r.end = (r.end + PAGE - 1) & ~(PAGE - 1);
	if (!last || last->object != r.object || last->shift != r.shift ||
	    (!elf && r.start > last->end))
		return PMK_APPEND(w->range, w->nranges, w->room, r);
	last->start = r.start < last->start ? r.start : last->start;
	last->end = r.end > last->end ? r.end : last->end;
	return true;
}

static bool add_ranges(struct writer *w)
{
	const struct pmk_tables *t = w->t;
	struct pmk_elf_code *elf = NULL;
	uint32_t object = PMK_TABLES_NONE;
	bool ok = true;

	for (size_t i = 0; ok && i < t->ncodes; i++) {
		const struct pmk_tables_code *k = t->by_address[i];

		if (k->object == PMK_TABLES_NONE || is_kind(w, k->object, "kernel"))
			continue;
		if (k->object != object) {
			object = k->object;
			pmk_elf_code_close(elf);
			elf = is_kind(w, object, "file") ? pmk_elf_code_open(t->object[object].path)
							 : NULL;
		}
		ok = add_code(w, k, elf);
	}
	pmk_elf_code_close(elf);
	return ok;
}

/* Returns how far a range must be moved up to be after a range that overlaps it; 0: none does. */
static uint64_t range_overlap(const struct writer *w, const struct range *r)
{
	uint64_t start = address_of(w, r->object, r->start), end = start + (r->end - r->start);

	for (size_t i = 0; i < w->nranges; i++) {
		const struct range *o = &w->range[i];
		uint64_t base = w->base[o->object];

		if (o->placed && start < base + o->end && base + o->start < end)
			return base + o->end - start;
	}
	return 0;
}

/* Places an object, whose ranges are next to each other in the list. */
static void place_object(struct writer *w, struct range *first, size_t n)
{
	uint64_t *base = &w->base[first->object], move;

	*base = w->t->object[first->object].bias;
	for (size_t i = 0, tries = 0; i < n; i++) {
		move = range_overlap(w, &first[i]);
		if (move && tries++ < w->nranges) {
			*base += move;
			i = (size_t)-1;
		}
	}
	for (size_t i = 0; i < n; i++)
		first[i].placed = true;
}

/* Places the objects that are files, or all others if `files` is false. The others must be placed
 * first. Code without a file is then not moved, because perf finds its names by its addresses. */
static void place_objects(struct writer *w, bool files)
{
	for (size_t i = 0, n; i < w->nranges; i += n) {
		for (n = 1; i + n < w->nranges && w->range[i + n].object == w->range[i].object;)
			n++;
		if (is_kind(w, w->range[i].object, "file") == files)
			place_object(w, &w->range[i], n);
	}
}

/* ---- records -------------------------------------------------------------------------------- */

/* Set the numbers of threads. 0 would be the idle process. Without the kernel's numbers, a process
 * has the number of its first thread. */
static void number_threads(struct writer *w)
{
	const struct pmk_tables *t = w->t;

	for (uint32_t i = 0, first = 0; i < t->nthreads; i++, first = 0) {
		while (t->thread[first].process != t->thread[i].process)
			first++;
		w->pid[i] = t->sampled ? t->thread[i].process : first + 1;
		w->tid[i] = t->sampled ? t->thread[i].cpu : i + 1;
		w->parent[i] = first < i ? first : 0;
	}
}

static void put_thread(struct writer *w, uint32_t thread)
{
	put_u32(w, w->pid[thread]);
	put_u32(w, w->tid[thread]);
}

#define SAMPLE_ID_SIZE 24

static void put_sample_id(struct writer *w, uint32_t thread)
{
	put_thread(w, thread);
	put_u64(w, ++w->time);
	put_u64(w, 1);
}

static void write_mapping(struct writer *w, const struct range *r)
{
	const struct pmk_tables_object *o = &w->t->object[r->object];
	bool is_file = is_kind(w, r->object, "file");
	const char *path = is_file ? o->path : "//anon";
	size_t n = strnlen(path, PATH_BYTES);

	put_record(w, RECORD_MMAP2, MODE_USER, 64 + padded_size(n + 1, 8) + SAMPLE_ID_SIZE);
	put_thread(w, 0);
	put_u64(w, address_of(w, r->object, r->start));
	put_u64(w, r->end - r->start);
	put_u64(w, r->start - r->shift);
	put_u64(w, 0);				 /* device */
	put_u64(w, is_file ? r->object + 1 : 0); /* inode */
	put_u64(w, 0);				 /* generation of the inode */
	put_u32(w, 5);				 /* PROT_READ | PROT_EXEC */
	put_u32(w, 2);				 /* MAP_PRIVATE */
	put_padded(w, path, n, 8);
	put_sample_id(w, 0);
}

/* Writes the name of a thread, or of the program if the thread has none. The kernel's names have at
 * most 15 bytes. */
static void write_name(struct writer *w, uint32_t thread)
{
	const char *name = w->t->thread[thread].name, *slash;
	size_t n = name ? strlen(name) : strcspn(w->t->command, " ");

	if (!name) {
		name = w->t->command;
		slash = memrchr(name, '/', n);
		n -= slash ? (size_t)(slash + 1 - name) : 0;
		name = slash ? slash + 1 : name;
	}
	n = n < 15 ? n : 15;
	put_record(w, RECORD_COMM, MODE_USER, 8 + padded_size(n + 1, 8) + SAMPLE_ID_SIZE);
	put_thread(w, thread);
	put_padded(w, name, n, 8);
	put_sample_id(w, thread);
}

static void write_fork(struct writer *w, uint32_t thread)
{
	uint32_t parent = w->parent[thread];

	put_record(w, RECORD_FORK, MODE_USER, 24 + SAMPLE_ID_SIZE);
	put_u32(w, w->pid[thread]);
	put_u32(w, w->pid[parent]);
	put_u32(w, w->tid[thread]);
	put_u32(w, w->tid[parent]);
	put_u64(w, w->time + 1);
	put_sample_id(w, thread);
}

static void add_address(struct writer *w, uint32_t object, uint64_t address)
{
	bool in_kernel = is_kind(w, object, "kernel");

	if (w->nchain >= MAX_CHAIN) {
		w->cut = true;
		return;
	}
	if (!w->nchain || in_kernel != w->in_kernel)
		w->chain[w->nchain++] = in_kernel ? CONTEXT_KERNEL : CONTEXT_USER;
	w->in_kernel = in_kernel;
	w->chain[w->nchain++] = address_of(w, object, address);
}

/* Adds a call to the chain. The kernel's chains have return addresses, which belong to the next
 * function if the call is the last instruction. So this function adds the address of the call's
 * last byte. */
static void on_frame(void *ctx, uint32_t code, uint32_t function)
{
	struct writer *w = ctx;

	if (code == PMK_TABLES_NONE) {
		const struct pmk_tables_function *f = &w->t->function[function];

		add_address(w, f->object, f->address);
	} else {
		const struct pmk_tables_code *k = &w->t->code[code];

		add_address(w, k->object, k->address + (w->nchain && k->size ? k->size - 1 : 0));
	}
}

static int on_count(void *ctx, const struct pmk_tables_count *row)
{
	struct writer *w = ctx;
	const struct pmk_tables_code *k = &w->t->code[row->code];
	bool chains = pmk_tables_have_paths(w->t);

	w->nchain = 0;
	if (chains)
		pmk_export_path(w->t, row->code, row->context, on_frame, w);
	put_record(w, RECORD_SAMPLE, is_kind(w, k->object, "kernel") ? MODE_KERNEL : MODE_USER,
		   40 + (chains ? 8 + 8 * w->nchain : 0));
	put_u64(w, row->slot + 1);
	put_u64(w, address_of(w, k->object, k->address));
	put_thread(w, row->thread);
	put_u64(w, ++w->time);
	put_u64(w, row->value);
	if (chains)
		put_u64(w, w->nchain);
	put_bytes(w, w->chain, w->nchain * sizeof(*w->chain));
	if (w->time % ROUND == 0)
		put_record(w, RECORD_ROUND, 0, 0);
	return 0;
}

static int write_records(struct writer *w, char *msg, size_t size)
{
	const struct pmk_export *x = w->x;

	w->time = 0;
	for (uint32_t i = 0; i < w->t->nthreads; i++) {
		if (i)
			write_fork(w, i);
		write_name(w, i);
		for (size_t r = 0; i == 0 && r < w->nranges; r++)
			write_mapping(w, &w->range[r]);
	}
	return pmk_tables_counts(w->t, x->event, x->nevents, on_count, w, msg, size);
}

/* ---- the file ------------------------------------------------------------------------------- */

static void write_attr(struct writer *w, size_t event)
{
	put_u32(w, TYPE_RAW);
	put_u32(w, ATTR_SIZE);
	put_u64(w, event);
	put_u64(w, 1); /* period */
	put_u64(w, SAMPLE_IDENTIFIER | SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME | SAMPLE_PERIOD |
			   (pmk_tables_have_paths(w->t) ? SAMPLE_CALLCHAIN : 0));
	put_u64(w, 0); /* format of read() */
	/* perf warns about files with samples of the kernel if it cannot name the kernel's code. */
	put_u64(w, (w->t->sampled ? 0 : ATTR_EXCLUDE_KERNEL) | ATTR_MMAP | ATTR_COMM | ATTR_TASK |
			   ATTR_SAMPLE_ID_ALL | ATTR_MMAP2);
	put_u64(w, 0);
	put_u64(w, 0);
}

static void write_build_ids(struct writer *w)
{
	for (uint32_t i = 0; i < w->t->nobjects; i++) {
		const struct pmk_tables_object *o = &w->t->object[i];
		uint8_t id[BUILD_ID_MAX + 4] = { 0 };
		size_t length = strnlen(o->path, PATH_BYTES), n = 0;

		if (!is_kind(w, i, "file") || !o->build_id)
			continue;
		while (n < BUILD_ID_MAX && sscanf(o->build_id + 2 * n, "%2hhx", &id[n]) == 1)
			n++;
		id[BUILD_ID_MAX] = (uint8_t)n;
		put_record(w, 0, MODE_USER | MISC_BUILD_ID_SIZE,
			   4 + sizeof(id) + padded_size(length + 1, 8));
		put_u32(w, UINT32_MAX); /* all processes */
		put_bytes(w, id, sizeof(id));
		put_padded(w, o->path, length, 8);
	}
}

static void write_version(struct writer *w)
{
	put_text(w, w->x->creator);
}

/* Writes the name of the architecture, as uname prints it. */
static void write_arch(struct writer *w)
{
	const char *isa = w->t->isa;
	bool is_arm = !strcmp(isa, "a32") || !strcmp(isa, "t32");

	put_text(w, !strcmp(isa, "a64") ? "aarch64" : is_arm ? "arm" : isa);
}

static void write_command(struct writer *w)
{
	put_u32(w, 1); /* words */
	put_text(w, w->t->command);
}

static void write_events(struct writer *w)
{
	put_u32(w, (uint32_t)w->x->nevents);
	put_u32(w, ATTR_SIZE);
	for (size_t i = 0; i < w->x->nevents; i++) {
		write_attr(w, i);
		put_u32(w, 1);
		put_text(w, pmk_tables_event_name(w->t, w->x->event[i]));
		put_u64(w, i + 1);
	}
}

static const struct feature {
	unsigned number;
	void (*write)(struct writer *w);
} features[] = {
	{ BUILD_ID, write_build_ids }, { VERSION, write_version },   { ARCH, write_arch },
	{ CMDLINE, write_command },    { EVENT_DESC, write_events },
};
#define NFEATURES (sizeof(features) / sizeof(*features))

static void put_section(struct writer *w, uint64_t offset, uint64_t size)
{
	put_u64(w, offset);
	put_u64(w, size);
}

static void write_head(struct writer *w, uint64_t size)
{
	uint64_t attrs = w->x->nevents * (ATTR_SIZE + 16), bits = 0;

	for (size_t i = 0; i < NFEATURES; i++)
		if (size_of(w, features[i].write))
			bits |= UINT64_C(1) << features[i].number;
	put_bytes(w, "PERFILE2", 8);
	put_u64(w, HEAD_SIZE);
	put_u64(w, ATTR_SIZE + 16);
	put_section(w, HEAD_SIZE, attrs);
	put_section(w, HEAD_SIZE + attrs + w->x->nevents * 8, size);
	put_section(w, 0, 0); /* the section of event types, which only old versions of perf
			       * wrote */
	put_u64(w, bits);
	for (unsigned i = 0; i < 3; i++)
		put_u64(w, 0);
	for (size_t i = 0; i < w->x->nevents; i++) {
		write_attr(w, i);
		put_section(w, HEAD_SIZE + attrs + i * 8, 8);
	}
	for (size_t i = 0; i < w->x->nevents; i++)
		put_u64(w, i + 1);
}

/* Writes the positions and sizes of the features, and then the features. Leaves out those without
 * content. */
static void write_features(struct writer *w)
{
	uint64_t at = w->size, size;

	for (size_t i = 0; i < NFEATURES; i++)
		at += size_of(w, features[i].write) ? 16 : 0;
	for (size_t i = 0; i < NFEATURES; i++, at += size) {
		size = size_of(w, features[i].write);
		if (size)
			put_section(w, at, size);
	}
	for (size_t i = 0; i < NFEATURES; i++)
		features[i].write(w);
}

static int write_file(struct writer *w, char *msg, size_t size)
{
	uint64_t records;
	int err;

	place_objects(w, false);
	place_objects(w, true);
	number_threads(w);
	err = write_records(w, msg, size);
	if (err)
		return err;
	records = w->size;
	w->size = 0;
	w->f = w->x->f;
	write_head(w, records);
	err = write_records(w, msg, size);
	if (!err)
		write_features(w);
	if (w->cut)
		w->x->tell("a record of perf has room for only 8000 addresses: longer call paths "
			   "are written without their outermost functions");
	return err;
}

static bool allocate_arrays(struct writer *w)
{
	size_t n = w->t->nthreads + 1;

	w->base = calloc(w->t->nobjects + 1, sizeof(*w->base));
	w->pid = calloc(n, sizeof(*w->pid));
	w->tid = calloc(n, sizeof(*w->tid));
	w->parent = calloc(n, sizeof(*w->parent));
	w->chain = calloc(MAX_CHAIN + 2, sizeof(*w->chain));
	return w->base && w->pid && w->tid && w->parent && w->chain && add_ranges(w);
}

int pmk_export_perf(const struct pmk_export *x, char *msg, size_t size)
{
	struct writer w = { .x = x, .t = x->t };
	int err = allocate_arrays(&w) ? write_file(&w, msg, size)
				      : pmk_message_no_memory(msg, size, NULL);

	free(w.base);
	free(w.range);
	free(w.pid);
	free(w.tid);
	free(w.parent);
	free(w.chain);
	return err;
}
