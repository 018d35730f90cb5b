// SPDX-License-Identifier: MIT
/*
 * Splits the change of each event into three parts. This file computes `work` and `rest`; `layout`
 * is the remainder.
 *
 * 	work    instructions that only one side has, or that one side executed more often
 * 	layout  functions that executed the same instructions equally often: their counts can only
 * 	        have changed because of addresses, or because of what ran in between
 * 	rest    the other instructions of functions that have changed
 *
 * In a function that has changed, the instructions of both sides are aligned as diff(1) aligns
 * lines. Addresses in the instructions are ignored.
 */
#define _GNU_SOURCE
#include <stdlib.h>

#include "cli/cli.h"
#include "cli/diff_source.h"

/* For larger pairs of functions only the common beginning and end are aligned. */
#define MOST_CELLS (16u << 20)

/* The instructions of each function, by address. */
struct sequences {
	const struct diff_source *s;
	uint32_t *code;
	/* [function]: index of its first instruction in `code`; one more element is the end of
	 * `code` */
	size_t *first;
};

/* The instructions of a function on each side that are still to be aligned. */
struct pair {
	const struct diff_source *s[DIFF_SIDES];
	const uint32_t *code[DIFF_SIDES];
	size_t n[DIFF_SIDES];
};

static int sequences_fill(struct sequences *q, const struct diff_source *s)
{
	size_t *next = calloc(s->nfunctions + 2, sizeof(*next));

	q->s = s;
	q->code = calloc(s->t.ncodes + 1, sizeof(*q->code));
	q->first = calloc(s->nfunctions + 2, sizeof(*q->first));
	if (!next || !q->code || !q->first) {
		free(next);
		return cli_no_memory();
	}
	for (size_t i = 0; i < s->t.ncodes; i++)
		q->first[s->of[i] + 1]++;
	for (size_t i = 0; i < s->nfunctions; i++)
		next[i + 1] = q->first[i + 1] += q->first[i];
	for (size_t i = 0; i < s->t.ncodes; i++) {
		uint32_t code = (uint32_t)(s->t.by_address[i] - s->t.code);

		q->code[next[s->of[code]]++] = code;
	}
	free(next);
	return 0;
}

static void sequences_free(struct sequences *q)
{
	free(q->code);
	free(q->first);
}

static uint64_t count_of(const struct diff_source *s, uint32_t code, size_t event)
{
	return s->count[code * (s->d->nevents + 1) + event];
}

static uint64_t executions_of(const struct diff_source *s, uint32_t code)
{
	return count_of(s, code, s->d->executions);
}

/* ---- instructions ---------------------------------------------------------------------------- */

/* Count an instruction that only one side has. */
static void take_single(const struct diff_source *s, uint32_t code)
{
	for (size_t i = 0; i < s->d->nevents; i++) {
		int64_t n = (int64_t)count_of(s, code, i);

		s->d->part[i].work += s->which == DIFF_NEW ? n : -n;
	}
}

/*
 * Count an instruction of both sides. The work is the change of its executions times its mean cost
 * per execution.
 */
static void take_both(const struct pair *p, uint32_t was, uint32_t is)
{
	const struct diff_source *base = p->s[DIFF_BASE], *fresh = p->s[DIFF_NEW];
	double from = (double)executions_of(base, was), to = (double)executions_of(fresh, is);

	for (size_t i = 0; i < fresh->d->nevents; i++) {
		double before = (double)count_of(base, was, i),
		       after = (double)count_of(fresh, is, i);
		double cost = (from > 0 && to > 0) ? (before / from + after / to) / 2 : 0;
		int64_t work = (int64_t)((to - from) * cost);

		fresh->d->part[i].work += work;
		fresh->d->part[i].rest += (int64_t)(after - before) - work;
	}
}

static bool is_alike(const struct pair *p, size_t i, size_t j)
{
	return p->s[DIFF_BASE]->shape[p->code[DIFF_BASE][i]] ==
	       p->s[DIFF_NEW]->shape[p->code[DIFF_NEW][j]];
}

/* Takes the equal instructions at the beginning and the end. */
static void take_ends(struct pair *p)
{
	while (p->n[0] && p->n[1] && is_alike(p, 0, 0)) {
		take_both(p, *p->code[0]++, *p->code[1]++);
		p->n[0]--;
		p->n[1]--;
	}
	while (p->n[0] && p->n[1] && is_alike(p, p->n[0] - 1, p->n[1] - 1)) {
		p->n[0]--;
		p->n[1]--;
		take_both(p, p->code[0][p->n[0]], p->code[1][p->n[1]]);
	}
}

/*
 * Fills length[i][j] with the length of the longest common subsequence of the instructions from i
 * on and the instructions from j on.
 */
static void fill_lengths(const struct pair *p, uint32_t *length)
{
	size_t width = p->n[1] + 1;

	for (size_t i = p->n[0]; i-- > 0;)
		for (size_t j = p->n[1]; j-- > 0;) {
			uint32_t down = length[(i + 1) * width + j],
				 right = length[i * width + j + 1];

			length[i * width + j] = is_alike(p, i, j)
							? length[(i + 1) * width + j + 1] + 1
						: down > right ? down
							       : right;
		}
}

static int take_pair(struct pair *p)
{
	size_t width, i = 0, j = 0;
	uint32_t *length = NULL;

	take_ends(p);
	width = p->n[1] + 1;
	if (p->n[0] && p->n[1] && (p->n[0] + 1) <= MOST_CELLS / width) {
		length = calloc((p->n[0] + 1) * width, sizeof(*length));
		if (!length)
			return cli_no_memory();
		fill_lengths(p, length);
	}
	while (length && i < p->n[0] && j < p->n[1]) {
		if (is_alike(p, i, j))
			take_both(p, p->code[0][i++], p->code[1][j++]);
		else if (length[(i + 1) * width + j] >= length[i * width + j + 1])
			take_single(p->s[0], p->code[0][i++]);
		else
			take_single(p->s[1], p->code[1][j++]);
	}
	while (i < p->n[0])
		take_single(p->s[0], p->code[0][i++]);
	while (j < p->n[1])
		take_single(p->s[1], p->code[1][j++]);
	free(length);
	return 0;
}

/* ---- functions ------------------------------------------------------------------------------- */

/* True if the function executed the same instructions equally often on both sides. */
static bool only_moved(const struct pair *p)
{
	if (p->n[0] != p->n[1])
		return false;
	for (size_t i = 0; i < p->n[0]; i++)
		if (!is_alike(p, i, i) ||
		    executions_of(p->s[0], p->code[0][i]) != executions_of(p->s[1], p->code[1][i]))
			return false;
	return true;
}

static int take_function(const struct sequences q[DIFF_SIDES], size_t base, size_t fresh)
{
	size_t of[DIFF_SIDES] = { base, fresh };
	struct pair p;

	for (unsigned side = 0; side < DIFF_SIDES; side++) {
		const size_t *first = &q[side].first[of[side]];

		p.s[side] = q[side].s;
		p.code[side] = q[side].code + first[0];
		p.n[side] = first[1] - first[0];
	}
	return only_moved(&p) ? 0 : take_pair(&p);
}

/* Count all instructions of a function that only one side has. */
static void take_new(const struct sequences *q, size_t function)
{
	for (size_t i = q->first[function]; i < q->first[function + 1]; i++)
		take_single(q->s, q->code[i]);
}

int diff_find_parts(struct diff_source *base, struct diff_source *fresh)
{
	struct sequences q[DIFF_SIDES] = { 0 };
	int code = sequences_fill(&q[DIFF_BASE], base);

	fresh->d->part = calloc(fresh->d->nevents + 1, sizeof(*fresh->d->part));
	if (!code && !fresh->d->part)
		code = cli_no_memory();
	if (!code)
		code = sequences_fill(&q[DIFF_NEW], fresh);
	for (size_t i = 0; i < base->nfunctions && !code; i++)
		if (base->function[i].partner == DIFF_NO_ROW)
			take_new(&q[DIFF_BASE], i);
	for (size_t i = 0; i < fresh->nfunctions && !code; i++) {
		if (fresh->function[i].partner == DIFF_NO_ROW)
			take_new(&q[DIFF_NEW], i);
		else
			code = take_function(q, fresh->function[i].partner, i);
	}
	sequences_free(&q[DIFF_BASE]);
	sequences_free(&q[DIFF_NEW]);
	return code;
}
