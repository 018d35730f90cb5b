// SPDX-License-Identifier: MIT
/* Chooses the places of sampling units, and computes estimates from units. See units.h. */
#include "producer/session/units.h"

#include <math.h>

#include "base/minmax.h"

/* If fewer pairs than this contained occurrences, the variation between pairs is not estimated (our
 * choice). */
#define PAIRS_NEEDED 8
/* This fraction of the estimate is added to the margin, because units begin and end with blocks and
 * not at random places. */
#define LEAST_MARGIN 0.001

/* ---- places ---------------------------------------------------------------------------------- */

/* Returns the next random number. The generator is SplitMix64 (Steele, Lea, Flood: "Fast splittable
 * pseudorandom number generators", 2014). */
static uint64_t draw_random(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

void pmk_units_next(struct pmk_units_place *p, const struct pmk_units_config *cfg, uint64_t now)
{
	uint64_t unit = cfg->warm + cfg->unit, length = now / cfg->part;

	if (length < cfg->least)
		length = cfg->least;
	if (length > cfg->most)
		length = cfg->most;
	p->from = p->to > now ? p->to : now; /* now > p->to if the last unit began late */
	p->to = p->from + length;
	p->at = p->from + (length > unit ? draw_random(&p->random) % (length - unit) : 0);
	p->n++;
}

/* ---- pieces ---------------------------------------------------------------------------------- */

static double count_of(const struct pmk_units_piece *piece, unsigned i)
{
	return (double)(i == PMK_UNITS_CYCLES ? piece->cycles : piece->counts.total[i - 1]);
}

/* A pair of units: the number of instructions that it represents, and the count per instruction. */
struct pair {
	double weight, rate;
};

/*
 * Returns the last pair; the stretches of its units end at `end`. If its stale unit is missing, the
 * difference between its units is assumed to be the mean difference of the complete pairs.
 */
static struct pair last_pair(const struct pmk_units *u, const struct pmk_units_number *x,
			     uint64_t end)
{
	bool both = u->n % 2 == 0;
	double cold = (double)((both ? u->stale_from : end) - u->cold_from);
	double stale = both ? (double)(end - u->stale_from) : 0, weight = cold + stale;

	if (weight == 0)
		return (struct pair){ 0 };
	if (!both)
		return (struct pair){ weight, x->cold - (u->n > 1 ? x->apart / (double)u->n : 0) };
	return (struct pair){ weight, (cold * x->cold + stale * x->stale) / weight };
}

static void add_pair(struct pmk_units_number *x, struct pair pair)
{
	x->weight += pair.weight;
	x->weight2 += pair.weight * pair.weight;
	x->total += pair.weight * pair.rate;
	x->square += pair.weight * pair.rate * pair.rate;
	x->pairs += pair.rate > 0;
}

static void add_unit(struct pmk_units *u, struct pmk_units_number *x, double count, uint64_t insns,
		     uint64_t from)
{
	double rate = count / (double)insns;

	x->seen += (uint64_t)count;
	if (u->n % 2) {
		x->stale = rate;
		x->apart += x->cold - rate;
		return;
	}
	if (u->n)
		add_pair(x, last_pair(u, x, from));
	x->cold = rate;
}

/*
 * Returns the earliest position at which the next piece may begin. This is the start of the last
 * stretch, or the end of the head if there is no stretch yet.
 */
static uint64_t last_from(const struct pmk_units *u)
{
	if (!u->n)
		return u->head_insns;
	return u->n % 2 ? u->cold_from : u->stale_from;
}

static void end_unit(struct pmk_units *u, const struct pmk_units_piece *piece, unsigned nevents)
{
	uint64_t *from = u->n % 2 ? &u->stale_from : &u->cold_from;

	for (unsigned i = 0; i <= nevents; i++)
		add_unit(u, &u->number[i], count_of(piece, i), piece->insns, piece->from);
	*from = piece->from;
	u->insns += piece->insns;
	u->n++;
}

static void end_head(struct pmk_units *u, const struct pmk_units_piece *piece, unsigned nevents)
{
	for (unsigned i = 0; i <= nevents; i++)
		u->number[i].head = count_of(piece, i);
	u->headed = true;
	u->head_insns = piece->insns;
}

static void begin_whole(struct pmk_units *u, const struct pmk_units_piece *piece, unsigned nevents)
{
	for (unsigned i = 0; i <= nevents; i++)
		u->number[i].whole = count_of(piece, i);
	u->whole = true;
	u->whole_from = piece->from;
}

bool pmk_units_add(struct pmk_units *u, const struct pmk_units_piece *piece, unsigned nevents)
{
	if (u->whole || u->headed == (piece->phase == PMK_UNITS_HEAD) || !piece->insns ||
	    piece->from < last_from(u))
		return false;
	switch (piece->phase) {
	case PMK_UNITS_HEAD:
		end_head(u, piece, nevents);
		return true;
	case PMK_UNITS_UNIT:
		end_unit(u, piece, nevents);
		return true;
	case PMK_UNITS_WHOLE:
		begin_whole(u, piece, nevents);
		return true;
	default:
		return false;
	}
}

/* ---- estimates ------------------------------------------------------------------------------- */

/* Returns the 97.5 % quantile of Student's t. Outside of the table, the function uses an expansion
 * about the quantile of the normal distribution. */
static double student_quantile(uint64_t freedom)
{
	static const double t[] = { 12.706, 4.303, 3.182, 2.776, 2.571,
				    2.447,  2.365, 2.306, 2.262, 2.228 };

	if (freedom <= sizeof(t) / sizeof(t[0]))
		return t[freedom - 1];
	return 1.960 + 2.372 / (double)freedom + 2.82 / (double)(freedom * freedom);
}

/* Returns the margin of a sum over pairs, assuming that the pairs are a random sample of the
 * program. */
static double margin_of_pairs(const struct pmk_units_number *x, double pairs)
{
	double mean = x->weight > 0 ? x->total / x->weight : 0;
	double square = x->weight > 0 ? x->square / x->weight : 0;
	double variance = pmk_max(0, square - mean * mean) * pairs / (pairs - 1);

	return student_quantile((uint64_t)pairs - 1) * sqrt(variance * x->weight2);
}

/*
 * Returns the smallest possible margin, which is that of independent occurrences. With 95 %
 * confidence, the true number of such occurrences is within 2 · √seen + 3 of the observed number,
 * and is at most 3 if none was observed.
 */
static double rare_limit(const struct pmk_units *u, const struct pmk_units_number *x, double all)
{
	return (2 * sqrt((double)x->seen) + 3) * all / (double)u->insns;
}

/* Returns the estimate for the stretches up to `end`. */
static struct pmk_units_estimate estimate_rest(const struct pmk_units *u,
					       const struct pmk_units_number *number, uint64_t end)
{
	struct pmk_units_number x = *number;
	double head_rate = x.head / (double)u->head_insns, all = (double)(end - u->head_insns);
	struct pmk_units_estimate rest = { head_rate * all, head_rate * all };
	uint64_t pairs = (u->n + 1) / 2;

	if (u->n == 0 || all == 0)
		return rest;
	add_pair(&x, last_pair(u, &x, end));
	rest.value = x.total;
	if (x.pairs < PAIRS_NEEDED)
		rest.margin += x.total + rare_limit(u, &x, all);
	else
		rest.margin = pmk_max(margin_of_pairs(&x, (double)pairs) +
					      fabs(x.apart) / (double)(u->n / 2) / 2 * all +
					      LEAST_MARGIN * x.total,
				      rare_limit(u, &x, all));
	return rest;
}

struct pmk_units_estimate pmk_units_estimate(const struct pmk_units *u, unsigned i,
					     uint64_t executed, uint64_t counted)
{
	const struct pmk_units_number *x = &u->number[i];
	uint64_t last = last_from(u), end = u->whole ? u->whole_from : executed;
	struct pmk_units_estimate rest;

	if (!u->headed)
		return (struct pmk_units_estimate){ (double)counted, 0 };
	rest = estimate_rest(u, x, end > last ? end : last);
	rest.value += x->head;
	if (u->whole)
		rest.value += (double)counted - x->whole;
	return rest;
}
