// SPDX-License-Identifier: MIT
/*
 * Coverage in the format of lcov, geninfo(1). The counts are of machine code, so a line's count is
 * that of its most executed instruction. The counts of code that was inlined into several
 * functions, or several times into one function, are added up. Each conditional branch instruction
 * is a block with two branches: taken, and not taken.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <pmk/error.h>

#include "base/message.h"
#include "profile/export/export.h"
#include "profile/recording/lines.h"
#include "base/print.h"

/*
 * An entry for a source line. If `begins` is false, it stands for an executed instruction of the
 * line: `function` contains the instruction, and `inlined` is the inlined function to which it
 * belongs, if any. If `begins` is true, it stands for an address at which code of the line begins,
 * whether the code was executed or not. The same address may have an entry for another line, too.
 */
struct line {
	const char *file;
	uint32_t line, function, inlined;
	bool begins;
	uint64_t executions;
};

struct branch {
	const char *file;
	uint32_t line;
	uint64_t address, taken, not_taken;
};

struct function {
	const char *file, *name;
	uint32_t line;
	uint64_t executions;
};

struct writer {
	const struct pmk_export *x;
	const struct pmk_tables *t;
	FILE *f;
	uint64_t *executions, *taken; /* [code] */
	struct pmk_lines *lines;      /* [object] */
	struct line *line;
	struct branch *branch;
	struct function *function;
	size_t nlines, nbranches, nfunctions;
};

static int on_execution(void *ctx, const struct pmk_tables_execution *row)
{
	struct writer *w = ctx;

	w->executions[row->code] += row->executions;
	w->taken[row->code] += row->taken;
	return 0;
}

/* ---- collect -------------------------------------------------------------------------------- */

static void collect_code(struct writer *w)
{
	const struct pmk_tables *t = w->t;

	for (size_t i = 0; i < t->ncodes; i++) {
		const struct pmk_tables_code *k = &t->code[i];
		const char *file;

		if (k->file == PMK_TABLES_NONE || !k->line || !w->executions[i])
			continue;
		file = t->file[k->file].path;
		w->line[w->nlines++] = (struct line){ file,	  k->line, k->function,
						      k->inlined, false,   w->executions[i] };
		if (k->conditional)
			w->branch[w->nbranches++] =
				(struct branch){ file, k->line, k->address, w->taken[i],
						 w->executions[i] - w->taken[i] };
	}
}

/*
 * Returns how often a function was entered. If its first instruction did not run, returns how often
 * its most executed instruction ran.
 */
static uint64_t entry_count(const struct writer *w, uint32_t function)
{
	const struct pmk_tables_function *f = &w->t->function[function];
	uint32_t first = pmk_tables_code_at(w->t, f->object, f->address);
	uint64_t most = 0;

	if (first != PMK_TABLES_NONE && w->executions[first])
		return w->executions[first];
	for (size_t i = 0; i < w->t->ncodes; i++)
		if (w->t->code[i].function == function && w->executions[i] > most)
			most = w->executions[i];
	return most;
}

static void collect_functions(struct writer *w)
{
	const struct pmk_tables *t = w->t;

	for (uint32_t i = 0; i < t->nfunctions; i++) {
		const struct pmk_tables_function *f = &t->function[i];

		if (f->file != PMK_TABLES_NONE && f->line)
			w->function[w->nfunctions++] =
				(struct function){ t->file[f->file].path,
						   f->symbol ? f->symbol : f->name, f->line,
						   entry_count(w, i) };
	}
}

static int compare_numbers(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/* Orders addresses of functions. */
static int by_number(const void *a, const void *b)
{
	return compare_numbers(*(const uint64_t *)a, *(const uint64_t *)b);
}

static int collect_object(struct writer *w, uint32_t object)
{
	const struct pmk_lines *l = &w->lines[object];
	uint64_t *executed = malloc((w->t->nfunctions + 1) * sizeof(*executed));
	uint32_t code;
	size_t n = 0;

	for (size_t i = 0; executed && i < w->t->nfunctions; i++)
		if (w->t->function[i].object == object)
			executed[n++] = w->t->function[i].address;
	if (!executed)
		return PMK_ENOMEM;
	qsort(executed, n, sizeof(*executed), by_number);
	for (size_t i = 0; i < l->nlines; i++) {
		code = pmk_tables_code_at(w->t, object, l->line[i].address);
		w->line[w->nlines++] =
			(struct line){ l->line[i].file,
				       l->line[i].line,
				       PMK_TABLES_NONE,
				       PMK_TABLES_NONE,
				       true,
				       code == PMK_TABLES_NONE ? 0 : w->executions[code] };
	}
	for (size_t i = 0; i < l->nfunctions; i++)
		if (!bsearch(&l->function[i].address, executed, n, sizeof(*executed), by_number))
			w->function[w->nfunctions++] =
				(struct function){ l->function[i].file, l->function[i].symbol,
						   l->function[i].line, 0 };
	free(executed);
	return 0;
}

static int load_lines(struct writer *w)
{
	const struct pmk_tables *t = w->t;
	int err = 0;

	for (uint32_t i = 0; i < t->nobjects && !err; i++) {
		const char *why = NULL;
		char text[600];

		if (strcmp(t->object[i].kind, "file"))
			continue;
		err = pmk_lines_load(&w->lines[i], t->object[i].path, t->object[i].build_id, &why);
		if (!why)
			continue;
		snprintf(text, sizeof(text), "%s: %s; its lines that did not run are not known",
			 t->object[i].path, why);
		w->x->tell(text);
	}
	return err;
}

static bool allocate_lists(struct writer *w)
{
	const struct pmk_tables *t = w->t;
	size_t lines = t->ncodes + 1, functions = t->nfunctions + 1;

	for (size_t i = 0; i < t->nobjects; i++) {
		lines += w->lines[i].nlines;
		functions += w->lines[i].nfunctions;
	}
	w->line = malloc(lines * sizeof(*w->line));
	w->branch = malloc((t->ncodes + 1) * sizeof(*w->branch));
	w->function = malloc(functions * sizeof(*w->function));
	return w->line && w->branch && w->function;
}

/* ---- sort ----------------------------------------------------------------------------------- */

static int compare_files(const char *a, const char *b)
{
	return a == b ? 0 : strcmp(a, b);
}

static int by_line(const void *a, const void *b)
{
	const struct line *x = a, *y = b;
	int order = compare_files(x->file, y->file);

	order = order ? order : compare_numbers(x->line, y->line);
	order = order ? order : compare_numbers(x->function, y->function);
	return order ? order : compare_numbers(x->inlined, y->inlined);
}

static int by_branch(const void *a, const void *b)
{
	const struct branch *x = a, *y = b;
	int order = compare_files(x->file, y->file);

	order = order ? order : compare_numbers(x->line, y->line);
	return order ? order : compare_numbers(x->address, y->address);
}

static int by_function(const void *a, const void *b)
{
	const struct function *x = a, *y = b;
	int order = compare_files(x->file, y->file);

	order = order ? order : compare_numbers(x->line, y->line);
	return order ? order : strcmp(x->name, y->name);
}

/* ---- write ---------------------------------------------------------------------------------- */

/* Writes a name without commas, because lcov ends a name at a comma. */
static void function_name(FILE *f, const char *name)
{
	for (; *name; name++)
		fputc(*name == ',' || (uint8_t)*name < 32 ? '?' : *name, f);
	fputc('\n', f);
}

/* Writes the functions of a file, from *at on. Entries with one line and one name are combined. */
static void write_functions(struct writer *w, const char *file, size_t *at)
{
	size_t first = *at, found = 0, hit = 0;

	for (int pass = 0; pass < 2; pass++)
		for (*at = first;
		     *at < w->nfunctions && !compare_files(w->function[*at].file, file);) {
			const struct function *g = &w->function[*at];
			uint64_t executions = 0;

			for (; *at < w->nfunctions && !by_function(g, &w->function[*at]); ++*at)
				executions += w->function[*at].executions;
			if (pass == 0)
				fprintf(w->f, "FN:%u,", g->line);
			else
				fprintf(w->f, "FNDA:%" PRIu64 ",", executions);
			function_name(w->f, g->name);
			found += pass == 0;
			hit += pass == 0 && executions;
		}
	if (found)
		fprintf(w->f, "FNF:%zu\nFNH:%zu\n", found, hit);
}

static void write_branches(struct writer *w, const char *file, size_t *at)
{
	size_t first = *at, hit = 0;
	unsigned block = 0;

	for (; *at < w->nbranches && !compare_files(w->branch[*at].file, file); ++*at) {
		const struct branch *b = &w->branch[*at];

		block = *at > first && b[-1].line == b->line ? block + 1 : 0;
		fprintf(w->f,
			"BRDA:%u,%u,0,%" PRIu64 "\n"
			"BRDA:%u,%u,1,%" PRIu64 "\n",
			b->line, block, b->taken, b->line, block, b->not_taken);
		hit += (b->taken != 0) + (b->not_taken != 0);
	}
	if (*at > first)
		fprintf(w->f, "BRF:%zu\nBRH:%zu\n", 2 * (*at - first), hit);
}

/*
 * Returns the executions of one line, in all functions, and moves *at after it. If the line has no
 * executed instruction, returns the executions of the most executed place where code of the line
 * begins.
 */
static uint64_t executions_of_line(const struct writer *w, size_t *at)
{
	const struct line *first = &w->line[*at], *last = NULL;
	uint64_t sum = 0, most = 0, begins = 0;

	for (; *at < w->nlines; ++*at) {
		const struct line *l = &w->line[*at];

		if (compare_files(l->file, first->file) || l->line != first->line)
			break;
		if (l->begins) {
			begins = l->executions > begins ? l->executions : begins;
			continue;
		}
		if (last && (l->function != last->function || l->inlined != last->inlined)) {
			sum += most;
			most = 0;
		}
		most = l->executions > most ? l->executions : most;
		last = l;
	}
	return sum + most ? sum + most : begins;
}

static void write_lines(struct writer *w, const char *file, size_t *at)
{
	size_t found = 0, hit = 0;

	while (*at < w->nlines && !compare_files(w->line[*at].file, file)) {
		unsigned number = w->line[*at].line;
		uint64_t executions = executions_of_line(w, at);

		fprintf(w->f, "DA:%u,%" PRIu64 "\n", number, executions);
		found++;
		hit += executions != 0;
	}
	fprintf(w->f, "LF:%zu\nLH:%zu\n", found, hit);
}

/* Returns the first file, by name, of the lines from `line` on and the functions from `function`
 * on; NULL: there are none. */
static const char *next_file(const struct writer *w, size_t line, size_t function)
{
	const char *of_line = line < w->nlines ? w->line[line].file : NULL;
	const char *of_function = function < w->nfunctions ? w->function[function].file : NULL;

	if (!of_line || !of_function)
		return of_line ? of_line : of_function;
	return compare_files(of_line, of_function) < 0 ? of_line : of_function;
}

static void write_document(struct writer *w)
{
	size_t line = 0, branch = 0, function = 0;
	const char *file;

	qsort(w->line, w->nlines, sizeof(*w->line), by_line);
	qsort(w->branch, w->nbranches, sizeof(*w->branch), by_branch);
	qsort(w->function, w->nfunctions, sizeof(*w->function), by_function);
	while ((file = next_file(w, line, function))) {
		pmk_print(w->f, "TN:\nSF:%s\n", file);
		write_functions(w, file, &function);
		write_branches(w, file, &branch);
		write_lines(w, file, &line);
		fputs("end_of_record\n", w->f);
	}
}

static void release_lists(struct writer *w)
{
	for (size_t i = 0; w->lines && i < w->t->nobjects; i++)
		pmk_lines_free(&w->lines[i]);
	free(w->lines);
	free(w->executions);
	free(w->taken);
	free(w->line);
	free(w->branch);
	free(w->function);
}

static int write_coverage(struct writer *w, char *msg, size_t size)
{
	int err;

	w->executions = calloc(w->t->ncodes + 1, sizeof(*w->executions));
	w->taken = calloc(w->t->ncodes + 1, sizeof(*w->taken));
	w->lines = calloc(w->t->nobjects + 1, sizeof(*w->lines));
	if (!w->executions || !w->taken || !w->lines)
		return PMK_ENOMEM;
	err = pmk_tables_executions(w->t, on_execution, w, msg, size);
	if (!err)
		err = load_lines(w);
	if (!err && !allocate_lists(w))
		err = PMK_ENOMEM;
	if (!err) {
		collect_code(w);
		collect_functions(w);
	}
	for (uint32_t i = 0; i < w->t->nobjects && !err; i++)
		err = collect_object(w, i);
	if (!err && !w->nlines)
		err = pmk_message_fail(
			msg, size, PMK_EINVAL,
			"it has no lines; build the program with -g, and record it again");
	if (!err)
		write_document(w);
	return err;
}

int pmk_export_lcov(const struct pmk_export *x, char *msg, size_t size)
{
	struct writer w = { .x = x, .t = x->t, .f = x->f };
	int err = write_coverage(&w, msg, size);

	release_lists(&w);
	if (err == PMK_ENOMEM)
		pmk_message_no_memory(msg, size, NULL);
	return err;
}
