// SPDX-License-Identifier: MIT
/*
 * Rows of pmk diff from recordings. Addresses, folders and line numbers change from build to build:
 *
 * 	a function counts its own code wherever the compiler has inlined it, because another build
 * 	may inline it elsewhere
 * 	a line is matched by its function and its distance from the function's start
 */
#define _GNU_SOURCE
#include <json.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/grow.h"
#include "cli/cli.h"
#include "cli/diff_source.h"

int diff_open_recording(struct diff_source *s)
{
	char msg[300];

	s->recording = s->open = true;
	if (pmk_tables_open(&s->t, s->path, msg, sizeof(msg)))
		return cli_fail(PMK_EXIT_FAILED, "%s: %s", s->path, msg);
	s->event = calloc(s->t.nevents + 1, sizeof(*s->event));
	if (!s->event)
		return cli_no_memory();
	for (uint32_t i = 0; i < s->t.nevents; i++)
		if (s->t.event[i].has_total)
			s->event[s->nevents++] =
				(struct diff_event){ s->t.event[i].name, s->t.event[i].pmu, i };
	if (!s->t.sampled)
		s->event[s->nevents++] =
			(struct diff_event){ "executions", NULL, PMK_TABLES_EXECUTIONS };
	return 0;
}

/* ---- functions ------------------------------------------------------------------------------ */

/* Writes the name without what GCC and LLVM append to the names of copies. */
static void write_name(const char *name, FILE *f)
{
	static const char *const suffixes[] = { " [clone ", ".constprop.", ".isra.", ".part.",
						".cold",    ".lto_priv.",  ".llvm." };
	size_t n = strlen(name);

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		const char *at = strstr(name, suffixes[i]);

		if (at && at > name && (size_t)(at - name) < n)
			n = (size_t)(at - name);
	}
	fwrite(name, 1, n, f);
}

static const char *path_of(const struct pmk_tables *t, uint32_t file)
{
	return file == PMK_TABLES_NONE ? NULL : t->file[file].path;
}

/*
 * Describe the source function of the instruction; for inlined code, this is the innermost
 * function. The key is its name and its file. Functions without a symbol are named after their
 * addresses, so their key is their object and their body.
 */
static void describe_function(const struct diff_source *s, const struct pmk_tables_code *k,
			      struct diff_function *f, FILE *name, FILE *key)
{
	const struct pmk_tables *t = &s->t;
	char object[300];

	pmk_tables_unnamed(t, k->object, object, sizeof(object));
	if (k->inlined != PMK_TABLES_NONE) {
		f->path = path_of(t, k->file);
		write_name(t->inlined[k->inlined].name, name);
		write_name(t->inlined[k->inlined].name, key);
	} else if (k->function != PMK_TABLES_NONE) {
		const struct pmk_tables_function *in = &t->function[k->function];

		f->path = path_of(t, in->file);
		f->body = s->body[k->function];
		write_name(in->name, name);
		if (in->symbol || !f->body)
			write_name(in->name, key);
		else
			fprintf(key, "%s#%016llx", object, (unsigned long long)f->body);
	} else {
		fputs(object, name);
		fputs(object, key);
	}
	fprintf(key, "\n%s", f->path ? pmk_file_name(f->path) : "");
}

size_t diff_function_find(const struct diff_source *s, const char *key)
{
	for (uint64_t hash = diff_hash(key);; hash++) {
		uint32_t i = pmk_map_get(&s->functions, hash);

		if (i == UINT32_MAX)
			return DIFF_NO_ROW;
		if (!strcmp(s->function[i].key, key))
			return i;
	}
}

/* Adds the function `f`, or combines it with the function that has the same key. Returns the index
 * of the function; DIFF_NO_ROW: out of memory. */
static size_t add_function(struct diff_source *s, const struct diff_function *f)
{
	uint64_t hash = diff_hash(f->key);

	for (;; hash++) {
		uint32_t i = pmk_map_put(&s->functions, hash, (uint32_t)s->nfunctions);

		if (i == UINT32_MAX)
			return DIFF_NO_ROW;
		if (i < s->nfunctions && strcmp(s->function[i].key, f->key))
			continue;
		if (i < s->nfunctions) {
			if (s->function[i].object != f->object)
				s->function[i].object = PMK_TABLES_NONE;
			/* If the two bodies differ, the function exists twice and has no common
			 * body. */
			if (s->function[i].body != f->body)
				s->function[i].body = s->function[i].body && f->body ? 0
						      : f->body			     ? f->body
								: s->function[i].body;
			free(f->key);
			free(f->name);
			return i;
		}
		return PMK_APPEND(s->function, s->nfunctions, s->function_room, *f)
			       ? s->nfunctions - 1
			       : DIFF_NO_ROW;
	}
}

size_t diff_function_of(struct diff_source *s, const struct pmk_tables_code *k)
{
	struct diff_function f = { .object = k->object };
	size_t n, m, i = DIFF_NO_ROW;
	FILE *name = open_memstream(&f.name, &n), *key = open_memstream(&f.key, &m);

	if (name && key)
		describe_function(s, k, &f, name, key);
	if (name)
		fclose(name);
	if (key)
		fclose(key);
	if (f.name && f.key)
		i = add_function(s, &f);
	if (i == DIFF_NO_ROW) {
		free(f.name);
		free(f.key);
	}
	return i;
}

/* Stores the line of the function's declaration, and the lowest other line that has
 * instructions. */
static void note_lines(struct diff_source *s, const struct pmk_tables_code *k,
		       struct diff_function *f)
{
	if (k->inlined == PMK_TABLES_NONE && k->function != PMK_TABLES_NONE &&
	    s->t.function[k->function].line)
		f->declared = s->t.function[k->function].line;
	if (k->line && k->line != f->declared && (!f->first || k->line < f->first))
		f->first = k->line;
}

/* Finds the source function of each instruction. All instructions of a function of the program, or
 * of code inlined at one place, belong to one source function. */
static int find_functions(struct diff_source *s)
{
	const struct pmk_tables *t = &s->t;
	size_t own = t->nobjects, inlined = own + t->nfunctions, n = inlined + t->ninlined;
	size_t *known = malloc((n + 1) * sizeof(*known));
	int code = known ? 0 : cli_no_memory();
	char msg[300];

	s->of = calloc(t->ncodes + 1, sizeof(*s->of));
	s->body = calloc(t->nfunctions + 1, sizeof(*s->body));
	s->shape = calloc(t->ncodes + 1, sizeof(*s->shape));
	if (!code && (!s->of || !s->body || !s->shape))
		code = cli_no_memory();
	if (!code && !t->sampled && pmk_tables_bodies(t, s->body, s->shape, msg, sizeof(msg)))
		code = cli_fail(PMK_EXIT_FAILED, "%s: %s", s->path, msg);
	for (size_t i = 0; i < n && !code; i++)
		known[i] = DIFF_NO_ROW;
	for (size_t i = 0; i < t->ncodes && !code; i++) {
		const struct pmk_tables_code *k = &t->code[i];
		size_t *at = &known[k->inlined != PMK_TABLES_NONE    ? inlined + k->inlined
				    : k->function != PMK_TABLES_NONE ? own + k->function
				    : k->object != PMK_TABLES_NONE   ? k->object
								     : n];

		if (at == &known[n] || *at == DIFF_NO_ROW)
			*at = diff_function_of(s, k);
		if (*at == DIFF_NO_ROW)
			code = cli_no_memory();
		else
			note_lines(s, k, &s->function[s->of[i] = *at]);
	}
	free(known);
	return code;
}

/* ---- pairs ---------------------------------------------------------------------------------- */

/*
 * The functions of two recordings are paired first by name and file. A function without a partner
 * is then paired by name, if only one function on each side has this name (its file was renamed, or
 * it moved to another file), and at last by body (the function was renamed).
 */

/* A function without a partner. */
struct single {
	enum diff_side side;
	struct diff_function *f;
	size_t index;
};

struct singles {
	struct single *list;
	size_t n;
};

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct single *)a)->f->name, ((const struct single *)b)->f->name);
}

static int by_body(const void *a, const void *b)
{
	uint64_t x = ((const struct single *)a)->f->body, y = ((const struct single *)b)->f->body;

	return (x > y) - (x < y);
}

static void collect_singles(struct singles *s, struct diff_source *from)
{
	for (size_t i = 0; i < from->nfunctions; i++)
		if (from->function[i].partner == DIFF_NO_ROW)
			s->list[s->n++] = (struct single){ from->which, &from->function[i], i };
}

static void pair_two(struct single *a, struct single *b)
{
	a->f->partner = b->index;
	b->f->partner = a->index;
}

/* Pairs the functions that `compare` finds equal, if each side has exactly one of them. */
static void pair_unique(struct singles *s, int (*compare)(const void *, const void *), bool bodies)
{
	qsort(s->list, s->n, sizeof(*s->list), compare);
	for (size_t i = 0, next; i < s->n; i = next) {
		for (next = i + 1; next < s->n && !compare(&s->list[i], &s->list[next]);)
			next++;
		if (next == i + 2 && s->list[i].side != s->list[i + 1].side &&
		    (!bodies || s->list[i].f->body))
			pair_two(&s->list[i], &s->list[i + 1]);
	}
}

static void pair_by_key(struct diff_source *base, struct diff_source *fresh)
{
	for (size_t i = 0; i < base->nfunctions; i++)
		base->function[i].partner = DIFF_NO_ROW;
	for (size_t i = 0; i < fresh->nfunctions; i++) {
		struct diff_function *f = &fresh->function[i];
		size_t there = diff_function_find(base, f->key);

		f->partner = there;
		if (there != DIFF_NO_ROW)
			base->function[there].partner = i;
	}
}

static int pair_singles(struct diff_source *base, struct diff_source *fresh)
{
	static int (*const orders[])(const void *, const void *) = { by_name, by_body };
	struct singles s = { calloc(base->nfunctions + fresh->nfunctions + 1, sizeof(*s.list)), 0 };

	if (!s.list)
		return cli_no_memory();
	for (size_t i = 0; i < 2; i++) {
		s.n = 0;
		collect_singles(&s, base);
		collect_singles(&s, fresh);
		pair_unique(&s, orders[i], orders[i] == by_body);
	}
	free(s.list);
	return 0;
}

/* `key` is the function's key on the base side, or on the new side if the base does not have the
 * function. */
static int add_row(struct diff_source *s, struct diff_function *f, const char *key)
{
	f->row = diff_row_add(s->d, DIFF_FUNCTION, key);
	if (f->row == DIFF_NO_ROW ||
	    !diff_row_describe(&s->d->row[f->row], s, f->name, f->path, f->declared))
		return cli_no_memory();
	return 0;
}

static int pair_functions(struct diff_source *base, struct diff_source *fresh)
{
	int code;

	pair_by_key(base, fresh);
	code = pair_singles(base, fresh);
	for (size_t i = 0; i < base->nfunctions && !code; i++)
		code = add_row(base, &base->function[i], base->function[i].key);
	for (size_t i = 0; i < fresh->nfunctions && !code; i++) {
		struct diff_function *f = &fresh->function[i],
				     *was = f->partner == DIFF_NO_ROW ? f
								      : &base->function[f->partner];

		code = add_row(fresh, f, was->key);
		if (code || !strcmp(was->name, f->name))
			continue;
		fresh->d->row[f->row].was = strdup(was->name);
		if (!fresh->d->row[f->row].was)
			code = cli_no_memory();
	}
	return code;
}

/* ---- lines ---------------------------------------------------------------------------------- */

/* Returns the line from which the lines of a function are counted: the line of its declaration. If
 * a side has only inlined code, and so does not know the declaration, it is the lowest line that
 * has instructions. */
static uint32_t first_line(const struct diff_source *other, const struct diff_function *f)
{
	const struct diff_function *g =
		f->partner == DIFF_NO_ROW ? f : &other->function[f->partner];

	return (f->declared && g->declared) || !f->first ? f->declared : f->first;
}

static size_t add_line(struct diff_source *s, const struct pmk_tables_code *k,
		       const struct diff_function *f, uint32_t first)
{
	const char *path = path_of(&s->t, k->file), *file = path ? pmk_file_name(path) : "";
	size_t row = DIFF_NO_ROW;
	char *key;

	/* A function that was moved to another file has its lines there. */
	if (f->path && !strcmp(file, pmk_file_name(f->path)))
		file = "";
	if (asprintf(&key, "%s\n%s\n%ld", s->d->row[f->row].key, file,
		     (long)k->line - (long)first) < 0)
		return DIFF_NO_ROW;
	row = diff_row_add(s->d, DIFF_LINE, key);
	free(key);
	if (row != DIFF_NO_ROW && !s->d->row[row].there[s->which] &&
	    !diff_row_describe(&s->d->row[row], s, f->name, path, k->line))
		row = DIFF_NO_ROW;
	if (row != DIFF_NO_ROW)
		s->d->row[row].function = f->row;
	return row;
}

/* Adds the lines that have instructions. */
static int add_lines(struct diff_source *s, const struct diff_source *other)
{
	const struct pmk_tables *t = &s->t;

	s->line = calloc(t->ncodes + 1, sizeof(*s->line));
	if (!s->line)
		return cli_no_memory();
	for (size_t i = 0; i < t->ncodes; i++) {
		const struct diff_function *f = &s->function[s->of[i]];

		s->line[i] = DIFF_NO_ROW;
		if (!t->code[i].line)
			continue;
		s->line[i] = add_line(s, &t->code[i], f, first_line(other, f));
		if (s->line[i] == DIFF_NO_ROW)
			return cli_no_memory();
	}
	return 0;
}

/* ---- counts --------------------------------------------------------------------------------- */

static int on_count(void *ctx, const struct pmk_tables_count *row)
{
	struct diff_source *s = ctx;
	size_t cell = s->slot[row->slot] * DIFF_SIDES + s->which;

	s->d->row[0].value[cell] += row->value;
	s->d->row[s->function[s->of[row->code]].row].value[cell] += row->value;
	if (s->line[row->code] != DIFF_NO_ROW)
		s->d->row[s->line[row->code]].value[cell] += row->value;
	if (s->tree.t && pmk_tree_add(&s->tree, row))
		return PMK_ENOMEM;
	if (s->count)
		s->count[row->code * (s->d->nevents + 1) + s->slot[row->slot]] += row->value;
	return 0;
}

static int sum_recording(struct diff_source *s)
{
	struct diff *d = s->d;
	char msg[300] = "out of memory";
	int code;

	d->executions = diff_event_number(d, "executions");
	s->index = calloc(d->nevents + 1, sizeof(*s->index));
	s->slot = calloc(d->nevents + 1, sizeof(*s->slot));
	if (d->split)
		s->count = calloc((s->t.ncodes + 1) * (d->nevents + 1), sizeof(*s->count));
	code = s->index && s->slot && (s->count || !d->split) ? 0 : cli_no_memory();
	/* A recording may have an event twice; the first one is compared. */
	for (size_t number = 0; number < d->nevents && !code; number++)
		for (size_t i = 0; i < s->nevents; i++)
			if (!strcmp(s->event[i].name, d->event[number])) {
				s->slot[s->nslots] = (uint32_t)number;
				s->index[s->nslots++] = s->event[i].index;
				break;
			}
	if (!code && d->executions == d->nevents && !s->t.sampled) {
		s->slot[s->nslots] = (uint32_t)d->executions;
		s->index[s->nslots++] = PMK_TABLES_EXECUTIONS;
	}
	if (!code && d->by_path) {
		s->tree = (struct pmk_tree){ .t = &s->t, .n = s->nslots };
		code = pmk_tree_begin(&s->tree) ? 0 : cli_no_memory();
	}
	if (!code && pmk_tables_counts(&s->t, s->index, s->nslots, on_count, s, msg, sizeof(msg)))
		code = cli_fail(PMK_EXIT_FAILED, "%s: %s", s->path, msg);
	return code;
}

/* ---- libraries ------------------------------------------------------------------------------ */

/*
 * Libraries that only moved. If each function of a library executed as many instructions on both
 * sides, its counts differ only because its code and data have other addresses, or because of what
 * ran in between. People see one row for such a library instead of one for each function.
 */

#define LIBRARY_FUNCTIONS 2 /* a library with fewer functions gets no row of its own */

/* What is known about an object of the new side. */
struct library {
	size_t functions;
	size_t row; /* DIFF_NO_ROW: its functions have separate rows */
	bool changed;
};

/* True if the object is the recorded program: the first word of the command. */
static bool is_program(const struct pmk_tables *t, const char *path)
{
	const char *name = pmk_file_name(path);
	size_t word = strcspn(t->command, " "), n = strlen(name);

	return n <= word && !strncmp(t->command + word - n, name, n);
}

static uint64_t executions_of(const struct diff *d, size_t row, enum diff_side side)
{
	return diff_value(d, row, d->executions, side);
}

static void examine_functions(const struct diff_source *fresh, struct library *library)
{
	const struct diff *d = fresh->d;

	for (size_t i = 0; i < fresh->nfunctions; i++) {
		const struct diff_function *f = &fresh->function[i];

		if (f->object == PMK_TABLES_NONE)
			continue;
		library[f->object].functions++;
		library[f->object].changed |=
			f->partner == DIFF_NO_ROW ||
			executions_of(d, f->row, DIFF_BASE) != executions_of(d, f->row, DIFF_NEW);
	}
}

/* Marks a library as changed if one of its functions ran only on the base side. */
static void find_gone(const struct diff_source *base, const struct diff_source *fresh,
		      struct library *library)
{
	for (size_t i = 0; i < base->nfunctions; i++) {
		const struct diff_function *f = &base->function[i];

		if (f->partner != DIFF_NO_ROW || f->object == PMK_TABLES_NONE)
			continue;
		for (size_t j = 0; j < fresh->t.nobjects; j++)
			library[j].changed |= !strcmp(pmk_file_name(base->t.object[f->object].path),
						      pmk_file_name(fresh->t.object[j].path));
	}
}

static int library_add(struct diff_source *fresh, struct library *library, uint32_t object)
{
	const char *path = fresh->t.object[object].path, *name = pmk_file_name(path);
	struct diff *d = fresh->d;

	library->row = diff_row_add(d, DIFF_LIBRARY, path);
	if (library->row == DIFF_NO_ROW ||
	    !diff_row_describe(&d->row[library->row], fresh, name, NULL, 0))
		return cli_no_memory();
	d->row[library->row].there[DIFF_BASE] = true;
	d->row[library->row].functions = library->functions;
	return 0;
}

static void add_to_library(struct diff *d, size_t library, size_t function)
{
	for (size_t i = 0; i < (d->nevents + 1) * DIFF_SIDES; i++)
		d->row[library].value[i] += d->row[function].value[i];
	d->row[function].moved = true;
}

static int find_libraries(struct diff_source *base, struct diff_source *fresh)
{
	struct library *library = calloc(fresh->t.nobjects + 1, sizeof(*library));
	int code = library ? 0 : cli_no_memory();

	if (!code) {
		examine_functions(fresh, library);
		find_gone(base, fresh, library);
	}
	for (uint32_t i = 0; i < fresh->t.nobjects && !code; i++) {
		library[i].row = DIFF_NO_ROW;
		if (!library[i].changed && library[i].functions >= LIBRARY_FUNCTIONS &&
		    !is_program(&fresh->t, fresh->t.object[i].path))
			code = library_add(fresh, &library[i], i);
	}
	for (size_t i = 0; i < fresh->nfunctions && !code; i++) {
		const struct diff_function *f = &fresh->function[i];

		if (f->object != PMK_TABLES_NONE && library[f->object].row != DIFF_NO_ROW)
			add_to_library(fresh->d, library[f->object].row, f->row);
	}
	free(library);
	return code;
}

/* ---- both ----------------------------------------------------------------------------------- */

/* False if the recordings are samples, or if their cores or settings differ. Then every function is
 * of interest, and a library that only moved is not summarised as one row. */
static bool can_find_libraries(const struct diff_source *base, const struct diff_source *fresh)
{
	return !base->t.sampled && !fresh->t.sampled && !strcmp(base->t.core, fresh->t.core) &&
	       !strcmp(base->t.settings, fresh->t.settings);
}

int diff_sum_recordings(struct diff_source *s)
{
	struct diff_source *base = &s[DIFF_BASE], *fresh = &s[DIFF_NEW];
	int code = find_functions(base);

	if (!code)
		code = find_functions(fresh);
	if (!code)
		code = pair_functions(base, fresh);
	if (!code)
		code = add_lines(base, fresh);
	if (!code)
		code = add_lines(fresh, base);
	if (!code)
		code = sum_recording(base);
	if (!code)
		code = sum_recording(fresh);
	if (!code && fresh->d->split)
		code = diff_find_parts(base, fresh);
	if (!code && can_find_libraries(base, fresh))
		code = find_libraries(base, fresh);
	if (!code && fresh->d->by_path)
		code = diff_find_paths(base, fresh);
	return code;
}

void diff_source_close(struct diff_source *s)
{
	for (size_t i = 0; i < s->nfunctions; i++) {
		free(s->function[i].key);
		free(s->function[i].name);
	}
	pmk_map_free(&s->functions);
	free(s->function);
	free(s->event);
	free(s->index);
	free(s->slot);
	free(s->body);
	free(s->shape);
	free(s->count);
	free(s->of);
	free(s->line);
	pmk_tree_free(&s->tree);
	if (s->open)
		pmk_tables_close(&s->t);
	json_object_put(s->document);
}
