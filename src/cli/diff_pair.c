// SPDX-License-Identifier: MIT
/*
 * Pairs the functions of two recordings: first by name and file. The others are paired by name if
 * only one on each side has it (the file was renamed, or the function moved to another one), then
 * by body (the function was renamed).
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/diff_source.h"

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

/* Pairs the functions that `compare` finds equal, if there is one on each side. */
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

/* The key is that of the base, or of the new side if the base does not have the function. */
static int add_row(struct diff_source *s, struct diff_function *f, const char *key)
{
	f->row = diff_row_add(s->d, DIFF_FUNCTION, key);
	if (f->row == DIFF_NO_ROW ||
	    !diff_row_describe(&s->d->row[f->row], s, f->name, f->path, f->declared))
		return cli_no_memory();
	return 0;
}

int diff_pair_functions(struct diff_source *base, struct diff_source *fresh)
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
