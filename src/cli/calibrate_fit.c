// SPDX-License-Identifier: MIT
/*
 * See calibrate_fit.h. Each parameter is read off one ring, or off the first ring of a row of them
 * that takes longer than the one before:
 *
 * - words that share a set of the cache: as many as there are ways hit;
 * - a block of lines in order of addresses: as large as the cache, it hits;
 * - a word in each page: as many pages as the micro-TLB has entries cost nothing, and more cost
 *   what a miss of it takes; the same once more for the main TLB;
 * - pages that share a set of the main TLB: each load waits for a table walk;
 * - one page more than the main TLB has entries: as many loads miss as one set has ways, and one;
 * - a block of eight times the cache: no line lives until the ring is back, whatever is replaced,
 *   so that each load waits for the next level.
 */
#include "cli/calibrate_fit.h"

#include <stdbool.h>
#include <stddef.h>

enum {
	PAGE = 4096,
	/* A multiple of the bytes of a way of any first level cache. */
	FAR = 256 << 10,
	/* A multiple of the bytes that one way of a TLB maps. */
	TLB_FAR = 1 << 20,
	MOST_WAYS = 16,
	MOST_UTLB = 64,
	MOST_TLB = 1024,
	LARGE = 32 << 20, /* no cache is as large */
	ROOM = 64 << 20	  /* bytes of the kernels' memory */
};

/* What is less is the loop's, and what is transient. */
static const double LITTLE = 0.05;

struct fitting {
	calibrate_measure_fn measure;
	void *ctx;
	struct calibrate_fit *fit;
	int code; /* of the first measurement that failed */
};

static const char *const keys[CAL_NUMBERS] = {
	[CAL_DCACHE_WAYS] = "dcache.ways",   [CAL_DCACHE_SIZE] = "dcache.size",
	[CAL_UTLB_ENTRIES] = "utlb.entries", [CAL_UTLB_PENALTY] = "utlb.penalty",
	[CAL_TLB_ENTRIES] = "tlb.entries",   [CAL_TLB_PENALTY] = "tlb.penalty",
	[CAL_TLB_WAYS] = "tlb.ways",	     [CAL_L2_SIZE] = "l2.size",
	[CAL_L2_LATENCY] = "l2.latency",     [CAL_MEM_LATENCY] = "mem.latency",
};

const char *calibrate_key(enum calibrate_what what)
{
	return keys[what];
}

/* Cycles of a load beyond one that hits. */
static double beyond(struct fitting *f, uint64_t stride, uint64_t count)
{
	struct calibrate_ring ring = { stride, stride % PAGE ? 0 : f->fit->number[CAL_LINE],
				       count };
	double cycles = 0;

	/* These are to share a set of the cache. */
	if (stride == FAR)
		ring.line = 0;
	if (!f->code)
		f->code = f->measure(f->ctx, &ring, &cycles);
	return cycles - f->fit->hit;
}

static void found(struct fitting *f, enum calibrate_what what, double number)
{
	f->fit->number[what] = number > 0 ? (uint64_t)(number + 0.5) : 0;
	f->fit->why[what] = NULL;
}

static void not_found(struct fitting *f, enum calibrate_what what, const char *why)
{
	f->fit->why[what] = why;
}

static bool has(const struct fitting *f, enum calibrate_what what)
{
	return !f->fit->why[what];
}

/* The most words of that stride, up to `most`, that take no more than `limit` beyond a hit. They
 * take longer the more there are. */
static uint64_t most_within(struct fitting *f, uint64_t stride, uint64_t least, uint64_t most,
			    double limit)
{
	uint64_t good = least, bad = most + 1;

	for (uint64_t n = least * 2; n <= most; n *= 2) {
		if (beyond(f, stride, n) > limit) {
			bad = n;
			break;
		}
		good = n;
	}
	while (bad - good > 1 && !f->code) {
		uint64_t middle = good + (bad - good) / 2;

		if (beyond(f, stride, middle) > limit)
			bad = middle;
		else
			good = middle;
	}
	return good;
}

/* With words closer than a line, several are in one: the time grows with the stride up to it. */
static void fit_line(struct fitting *f)
{
	for (uint64_t line = 16; line <= 128; line *= 2) {
		double here = beyond(f, line, LARGE / line);

		if (beyond(f, line * 2, LARGE / line / 2) < here * 1.3) {
			found(f, CAL_LINE, (double)line);
			return;
		}
	}
	not_found(f, CAL_LINE, "reads of a large block take no longer than hits");
}

static void fit_dcache(struct fitting *f)
{
	uint64_t ways, size;

	/* A miss takes several cycles, unlike one of a micro-TLB that has fewer entries. */
	for (ways = 1; ways <= MOST_WAYS; ways++)
		if (beyond(f, FAR, ways + 1) > 2)
			break;
	if (ways > MOST_WAYS) {
		not_found(f, CAL_DCACHE_WAYS, "more than 16 words of one set hit");
		return;
	}
	found(f, CAL_DCACHE_WAYS, (double)ways);
	for (size = ways * f->fit->number[CAL_LINE]; size * 2 <= LARGE; size *= 2)
		if (beyond(f, f->fit->number[CAL_LINE], size * 2 / f->fit->number[CAL_LINE]) > 2)
			break;
	found(f, CAL_DCACHE_SIZE, (double)size);
}

static void fit_utlb(struct fitting *f)
{
	uint64_t entries = most_within(f, PAGE, 1, MOST_UTLB, LITTLE);

	if (entries == MOST_UTLB) {
		not_found(f, CAL_UTLB_ENTRIES, "64 pages cost nothing");
		not_found(f, CAL_UTLB_PENALTY, "64 pages cost nothing");
		return;
	}
	found(f, CAL_UTLB_ENTRIES, (double)entries);
	found(f, CAL_UTLB_PENALTY, beyond(f, PAGE, entries + 1));
}

static void fit_tlb(struct fitting *f)
{
	uint64_t line = f->fit->number[CAL_LINE], utlb = f->fit->number[CAL_UTLB_ENTRIES];
	uint64_t lines = f->fit->number[CAL_DCACHE_SIZE] / line;
	uint64_t most = lines < MOST_TLB ? lines : MOST_TLB, entries;
	/* More pages than the micro-TLB has entries and the main TLB has ways. */
	uint64_t pages = utlb < 8 ? 9 : utlb + 1;

	if (!has(f, CAL_UTLB_ENTRIES)) {
		not_found(f, CAL_TLB_ENTRIES, "the micro-TLB was not found");
		not_found(f, CAL_TLB_PENALTY, "the micro-TLB was not found");
		return;
	}
	entries = most_within(f, PAGE, utlb + 1, most,
			      (double)f->fit->number[CAL_UTLB_PENALTY] + LITTLE);
	if (entries == most)
		not_found(f, CAL_TLB_ENTRIES, "it maps more pages than the data cache has lines");
	else
		found(f, CAL_TLB_ENTRIES, (double)entries);
	if (pages > ROOM / TLB_FAR)
		not_found(f, CAL_TLB_PENALTY, "the micro-TLB has too many entries");
	else
		found(f, CAL_TLB_PENALTY, beyond(f, TLB_FAR, pages));
}

/* With one page more than the main TLB has entries, one set has one page too many, and as it
 * replaces in turn, each load of a page of that set misses. */
static void fit_tlb_ways(struct fitting *f)
{
	uint64_t pages = f->fit->number[CAL_TLB_ENTRIES] + 1;
	double hit = (double)f->fit->number[CAL_UTLB_PENALTY];
	double miss = (double)f->fit->number[CAL_TLB_PENALTY] - hit;

	if (!has(f, CAL_TLB_ENTRIES) || !has(f, CAL_TLB_PENALTY) || miss < 1)
		not_found(f, CAL_TLB_WAYS, "its entries or its penalty were not found");
	else
		found(f, CAL_TLB_WAYS, (beyond(f, PAGE, pages) - hit) * (double)pages / miss - 1);
}

/* What translation costs a load of a block that is read in order of addresses. */
static double translation(const struct fitting *f, uint64_t bytes)
{
	const struct calibrate_fit *fit = f->fit;
	uint64_t pages = bytes / PAGE;
	double each = 0;

	if (has(f, CAL_UTLB_ENTRIES) && pages > fit->number[CAL_UTLB_ENTRIES])
		each = (double)fit->number[CAL_UTLB_PENALTY];
	if (has(f, CAL_TLB_PENALTY) &&
	    (has(f, CAL_TLB_ENTRIES) ? pages > fit->number[CAL_TLB_ENTRIES] : bytes >= LARGE))
		each = (double)fit->number[CAL_TLB_PENALTY];
	return each * (double)fit->number[CAL_LINE] / PAGE;
}

static double read_block(struct fitting *f, uint64_t bytes)
{
	uint64_t line = f->fit->number[CAL_LINE];

	return beyond(f, line, bytes / line) - translation(f, bytes);
}

static void fit_levels(struct fitting *f)
{
	uint64_t size = f->fit->number[CAL_DCACHE_SIZE] * 8;
	double next = read_block(f, size), far = read_block(f, LARGE);

	found(f, CAL_MEM_LATENCY, far);
	if (far - next < 1) {
		found(f, CAL_L2_SIZE, 0);
		not_found(f, CAL_L2_LATENCY, "there is no level 2 cache");
		return;
	}
	found(f, CAL_L2_LATENCY, next);
	while (size < LARGE && read_block(f, size * 2) < next + (far - next) * 0.3)
		size *= 2;
	found(f, CAL_L2_SIZE, (double)size);
}

int calibrate_fit(calibrate_measure_fn measure, void *ctx, struct calibrate_fit *fit)
{
	struct fitting f = { .measure = measure, .ctx = ctx, .fit = fit };

	*fit = (struct calibrate_fit){ 0 };
	for (unsigned i = 0; i < CAL_NUMBERS; i++)
		fit->why[i] = "it was not looked for";
	fit->hit = beyond(&f, 64, 4);
	fit_line(&f);
	if (has(&f, CAL_LINE))
		fit_dcache(&f);
	if (has(&f, CAL_DCACHE_SIZE)) {
		fit_utlb(&f);
		fit_tlb(&f);
		fit_tlb_ways(&f);
		fit_levels(&f);
	}
	return f.code;
}
