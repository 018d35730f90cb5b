// SPDX-License-Identifier: MIT
/*
 * Libraries that only moved. If each function of a library executed as many instructions on both
 * sides, its counts differ only because its code and data have other addresses, or because of what
 * ran in between. People see one row for such a library instead of one for each function.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "cli/cli.h"
#include "cli/diff_source.h"

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

/* Code that ran only on the base side. */
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

static int add_library(struct diff_source *fresh, struct library *library, uint32_t object)
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

static void add_function(struct diff *d, size_t library, size_t function)
{
	for (size_t i = 0; i < (d->nevents + 1) * DIFF_SIDES; i++)
		d->row[library].value[i] += d->row[function].value[i];
	d->row[function].moved = true;
}

int diff_find_libraries(struct diff_source *base, struct diff_source *fresh)
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
			code = add_library(fresh, &library[i], i);
	}
	for (size_t i = 0; i < fresh->nfunctions && !code; i++) {
		const struct diff_function *f = &fresh->function[i];

		if (f->object != PMK_TABLES_NONE && library[f->object].row != DIFF_NO_ROW)
			add_function(fresh->d, library[f->object].row, f->row);
	}
	free(library);
	return code;
}
