// SPDX-License-Identifier: MIT
/*
 * See fit.h. A ring is a chain of loads, each of which reads the address of the next. Each
 * parameter is derived from one ring, or from the first ring in a series whose loads take longer
 * than those of the ring before:
 *
 * - words that share a set of the cache: they hit if there are at least as many ways as words;
 * - a block of lines in address order: its lines hit if the cache is at least as large;
 * - a word in each page: up to the number of micro-TLB entries this costs nothing, and above it the
 *   penalty of a miss; the main TLB is measured in the same way;
 * - pages that share a set of the main TLB: each load waits for a table walk;
 * - one page more than the main TLB has entries: the number of loads that miss is the number of
 *   ways plus one;
 * - a block of eight times the cache: with any replacement policy no line survives a round of the
 *   ring, so each load waits for the next level.
 *
 * Parameters of code are derived from calls in the same way:
 *
 * - branches that share a set of the instruction cache: with one more than there are ways, at least
 *   one line misses in each call;
 * - straight code: it hits if the instruction cache is at least as large;
 * - consecutive branches: with twice as many as a direct-mapped branch target cache has entries,
 *   each takes the time of an unknown branch;
 * - functions that call each other: all returns are predicted up to the depth of the return stack;
 * - an indirect call that alternates between two functions: if the last target is predicted, it is
 *   always mispredicted, and takes as long as a mispredicted return;
 * - a loop of a few iterations: its end is predicted as long as the whole loop fits into the
 *   history;
 * - two branches with the same history, one always taken and one never: if their distance is the
 *   number of counters, they share one, and at least one of them is mispredicted in each call.
 */
#include "base/minmax.h"
#include "lab/calibrate/fit.h"

#include <stdbool.h>
#include <stddef.h>

enum {
	PAGE = 4096,
	/* FAR is a multiple of the size of a way of every first level cache. */
	FAR = 256 << 10,
	/* TLB_FAR is a multiple of the memory that one way of any TLB maps. */
	TLB_FAR = 1 << 20,
	MOST_WAYS = 16,
	MOST_UTLB = 64,
	MOST_TLB = 1024,
	LARGE = 32 << 20, /* larger than any cache */
	ROOM = 64 << 20,  /* size of the kernels' memory */
	INSTRUCTION = 4,
	/* Distance of consecutive branches; some predictors index by words, others by two words. */
	NEAR = 8,
	MOST_ICACHE = 4 << 20,
	MOST_RETURNS = 16,
	MOST_HISTORY = 16,
	/* Smallest distance, in words, of branches that share a counter. */
	LEAST_COUNTERS = 64,
	MOST_COUNTERS = 16384
};

/* Differences of up to this number of cycles can come from the loop around the kernel, or from its
 * start and end. */
static const double LITTLE = 0.05;

struct fitting {
	calibrate_measure_fn measure;
	void *ctx;
	struct calibrate_fit *fit;
	int code; /* error of the first measurement that failed */
};

static const char *const keys[CAL_NUMBERS] = {
	[CAL_DCACHE_WAYS] = "dcache.ways",   [CAL_DCACHE_SIZE] = "dcache.size",
	[CAL_UTLB_ENTRIES] = "utlb.entries", [CAL_UTLB_PENALTY] = "utlb.penalty",
	[CAL_TLB_ENTRIES] = "tlb.entries",   [CAL_TLB_PENALTY] = "tlb.penalty",
	[CAL_TLB_WAYS] = "tlb.ways",	     [CAL_L2_SIZE] = "l2.size",
	[CAL_L2_LATENCY] = "l2.latency",     [CAL_MEM_LATENCY] = "mem.latency",
	[CAL_ICACHE_WAYS] = "icache.ways",   [CAL_ICACHE_SIZE] = "icache.size",
	[CAL_BP_ENTRIES] = "bp.entries",     [CAL_BRANCH_STATIC] = "branch.static_taken",
	[CAL_RS_ENTRIES] = "rs.entries",     [CAL_BRANCH_MAX] = "branch.max",
	[CAL_BP_HISTORY] = "bp.history",
};

const char *calibrate_kind_name(enum calibrate_kind kind)
{
	static const char *const names[] = {
		[CAL_RING] = "ring",	   [CAL_CODE] = "code", [CAL_CALLS] = "calls",
		[CAL_TARGETS] = "targets", [CAL_LOOP] = "loop", [CAL_PAIR] = "pair",
	};

	return names[kind];
}

const char *calibrate_key(enum calibrate_what what)
{
	return keys[what];
}

/* Returns the cycles that a load takes longer than a hit. */
static double load_cycles(struct fitting *f, uint64_t stride, uint64_t count)
{
	struct calibrate_kernel ring = { CAL_RING, stride,
					 stride % PAGE ? 0 : f->fit->number[CAL_LINE], count };
	double cycles = 0;

	/* Words at this distance must share a set of the cache. */
	if (stride == FAR)
		ring.line = 0;
	if (!f->code)
		f->code = f->measure(f->ctx, &ring, &cycles);
	return cycles - f->fit->hit;
}

static void number_found(struct fitting *f, enum calibrate_what what, double number)
{
	f->fit->number[what] = number > 0 ? (uint64_t)(number + 0.5) : 0;
	f->fit->why[what] = NULL;
}

static void not_found(struct fitting *f, enum calibrate_what what, const char *why)
{
	f->fit->why[what] = why;
}

static bool number_is_found(const struct fitting *f, enum calibrate_what what)
{
	return !f->fit->why[what];
}

/*
 * Returns the largest number of words with this stride, up to `most`, whose loads take at most
 * `limit` cycles more than a hit. The time grows with the number of words.
 */
static uint64_t most_within(struct fitting *f, uint64_t stride, uint64_t least, uint64_t most,
			    double limit)
{
	uint64_t good = least, bad = most + 1;

	for (uint64_t n = least * 2; n <= most; n *= 2) {
		if (load_cycles(f, stride, n) > limit) {
			bad = n;
			break;
		}
		good = n;
	}
	while (bad - good > 1 && !f->code) {
		uint64_t middle = good + (bad - good) / 2;

		if (load_cycles(f, stride, middle) > limit)
			bad = middle;
		else
			good = middle;
	}
	return good;
}

/*
 * Finds the line size. A stride below the line size puts several words in one line, so the time
 * grows with the stride until it reaches the line size.
 */
static void fit_line(struct fitting *f)
{
	for (uint64_t line = 16; line <= 128; line *= 2) {
		double here = load_cycles(f, line, LARGE / line);

		if (load_cycles(f, line * 2, LARGE / line / 2) < here * 1.3) {
			number_found(f, CAL_LINE, (double)line);
			return;
		}
	}
	not_found(f, CAL_LINE, "reads of a large block take no longer than hits");
}

static void fit_dcache(struct fitting *f)
{
	uint64_t ways, size;

	/* Each word of the ring is in another page, so a load may also miss in the micro-TLB. This
	 * takes less than the limit here, and a miss of the cache takes more. */
	for (ways = 1; ways <= MOST_WAYS; ways++)
		if (load_cycles(f, FAR, ways + 1) > 2)
			break;
	if (ways > MOST_WAYS) {
		not_found(f, CAL_DCACHE_WAYS, "more than 16 words of one set hit");
		return;
	}
	number_found(f, CAL_DCACHE_WAYS, (double)ways);
	for (size = ways * f->fit->number[CAL_LINE]; size * 2 <= LARGE; size *= 2)
		if (load_cycles(f, f->fit->number[CAL_LINE], size * 2 / f->fit->number[CAL_LINE]) >
		    2)
			break;
	number_found(f, CAL_DCACHE_SIZE, (double)size);
}

static void fit_utlb(struct fitting *f)
{
	uint64_t entries = most_within(f, PAGE, 1, MOST_UTLB, LITTLE);

	if (entries == MOST_UTLB) {
		not_found(f, CAL_UTLB_ENTRIES, "reads of 64 pages take no longer than of one");
		not_found(f, CAL_UTLB_PENALTY, "reads of 64 pages take no longer than of one");
		return;
	}
	number_found(f, CAL_UTLB_ENTRIES, (double)entries);
	number_found(f, CAL_UTLB_PENALTY, load_cycles(f, PAGE, entries + 1));
}

static void fit_tlb(struct fitting *f)
{
	uint64_t line = f->fit->number[CAL_LINE], utlb = f->fit->number[CAL_UTLB_ENTRIES];
	uint64_t lines = f->fit->number[CAL_DCACHE_SIZE] / line;
	uint64_t most = lines < MOST_TLB ? lines : MOST_TLB, entries;
	/* Use more pages than the micro-TLB has entries and the main TLB has ways. */
	uint64_t pages = utlb < 8 ? 9 : utlb + 1;

	if (!number_is_found(f, CAL_UTLB_ENTRIES)) {
		not_found(f, CAL_TLB_ENTRIES, "the micro-TLB was not found");
		not_found(f, CAL_TLB_PENALTY, "the micro-TLB was not found");
		return;
	}
	entries = most_within(f, PAGE, utlb + 1, most,
			      (double)f->fit->number[CAL_UTLB_PENALTY] + LITTLE);
	if (entries == most)
		not_found(f, CAL_TLB_ENTRIES, "it maps more pages than the data cache has lines");
	else
		number_found(f, CAL_TLB_ENTRIES, (double)entries);
	if (pages > ROOM / TLB_FAR)
		not_found(f, CAL_TLB_PENALTY, "the micro-TLB has too many entries");
	else
		number_found(f, CAL_TLB_PENALTY, load_cycles(f, TLB_FAR, pages));
}

/*
 * Finds the number of ways of the main TLB. With one page more than the TLB has entries, one set
 * has one page too many. The ways of this set are replaced in turn, so each load from a page of the
 * set misses.
 */
static void fit_tlb_ways(struct fitting *f)
{
	uint64_t pages = f->fit->number[CAL_TLB_ENTRIES] + 1;
	double hit = (double)f->fit->number[CAL_UTLB_PENALTY];
	double miss = (double)f->fit->number[CAL_TLB_PENALTY] - hit;

	double ways = 0;

	if (number_is_found(f, CAL_TLB_ENTRIES) && number_is_found(f, CAL_TLB_PENALTY) && miss >= 1)
		ways = (load_cycles(f, PAGE, pages) - hit) * (double)pages / miss - 1;
	if (ways < 0.5)
		not_found(f, CAL_TLB_WAYS, "its entries or its penalty were not found");
	else
		number_found(f, CAL_TLB_WAYS, ways);
}

/* Returns the cycles that translation adds to a load, in a block that is read in address order. */
static double translation_cycles(const struct fitting *f, uint64_t bytes)
{
	const struct calibrate_fit *fit = f->fit;
	uint64_t pages = bytes / PAGE;
	double each = 0;

	if (number_is_found(f, CAL_UTLB_ENTRIES) && pages > fit->number[CAL_UTLB_ENTRIES])
		each = (double)fit->number[CAL_UTLB_PENALTY];
	if (number_is_found(f, CAL_TLB_PENALTY) &&
	    (number_is_found(f, CAL_TLB_ENTRIES) ? pages > fit->number[CAL_TLB_ENTRIES]
						 : bytes >= LARGE))
		each = (double)fit->number[CAL_TLB_PENALTY];
	return each * (double)fit->number[CAL_LINE] / PAGE;
}

static double read_block(struct fitting *f, uint64_t bytes)
{
	uint64_t line = f->fit->number[CAL_LINE];

	return load_cycles(f, line, bytes / line) - translation_cycles(f, bytes);
}

static void fit_levels(struct fitting *f)
{
	uint64_t size = f->fit->number[CAL_DCACHE_SIZE] * 8;
	double next = read_block(f, size), far = read_block(f, LARGE);

	number_found(f, CAL_MEM_LATENCY, far);
	if (far - next < 1) {
		number_found(f, CAL_L2_SIZE, 0);
		not_found(f, CAL_L2_LATENCY, "there is no level 2 cache");
		return;
	}
	number_found(f, CAL_L2_LATENCY, next);
	while (size < LARGE && read_block(f, size * 2) < next + (far - next) * 0.3)
		size *= 2;
	number_found(f, CAL_L2_SIZE, (double)size);
}

/* ---- code ------------------------------------------------------------------------------------ */

/* Returns the cycles of a call. */
static double call_cycles(struct fitting *f, enum calibrate_kind kind, uint64_t stride,
			  uint64_t count)
{
	struct calibrate_kernel code = { kind, stride, 0, count };
	double cycles = 0;

	if (!f->code)
		f->code = f->measure(f->ctx, &code, &cycles);
	return cycles;
}

/*
 * Returns the first count up to `most` at which one_more() exceeds `limit`, or 0. Two successive
 * counts must exceed it, because two branches may share an entry of a predictor once by chance.
 */
static uint64_t first_beyond(struct fitting *f, double (*one_more)(struct fitting *, uint64_t),
			     uint64_t most, double limit)
{
	for (uint64_t n = 1; n <= most; n++)
		if (one_more(f, n) > limit && one_more(f, n + 1) > limit)
			return n;
	return 0;
}

/*
 * Returns the extra cycles of branches that share a set, compared with the same number of branches
 * that do not, in as many pages.
 */
static double sharing_cycles(struct fitting *f, uint64_t count)
{
	return call_cycles(f, CAL_CODE, FAR, count) -
	       call_cycles(f, CAL_CODE, FAR + f->fit->number[CAL_LINE], count);
}

static double another_sharing(struct fitting *f, uint64_t count)
{
	return sharing_cycles(f, count + 1) - sharing_cycles(f, count);
}

static double straight_cycles(struct fitting *f, uint64_t bytes)
{
	return call_cycles(f, CAL_CODE, INSTRUCTION, bytes / INSTRUCTION);
}

static void fit_icache(struct fitting *f)
{
	bool l2 = number_is_found(f, CAL_L2_LATENCY);
	double miss = (double)f->fit->number[l2 ? CAL_L2_LATENCY : CAL_MEM_LATENCY];
	/*
	 * The limit is below a miss and above the cost of branches that share an entry of a
	 * predictor.
	 */
	uint64_t ways = first_beyond(f, another_sharing, MOST_WAYS, miss * 0.75);
	uint64_t line = f->fit->number[CAL_LINE], size;

	if (!ways) {
		not_found(f, CAL_ICACHE_WAYS, "more than 16 branches of one set hit");
		not_found(f, CAL_ICACHE_SIZE, "its ways were not found");
		return;
	}
	number_found(f, CAL_ICACHE_WAYS, (double)ways);
	/*
	 * Code that just fills the cache misses a little, because of the code that calls it. Twice
	 * as much code misses in most lines, with any replacement policy.
	 */
	for (size = ways * line; size * 2 <= MOST_ICACHE; size *= 2)
		if (straight_cycles(f, size * 2) - straight_cycles(f, size) * 2 >
		    miss * 0.3 * (double)(size * 2 / line))
			break;
	if (size * 2 > MOST_ICACHE)
		not_found(f, CAL_ICACHE_SIZE, "straight code of 4 MB hits");
	else
		number_found(f, CAL_ICACHE_SIZE, (double)size);
}

/* Returns the time of each branch in the second half of `count` branches. */
static double each_branch(struct fitting *f, uint64_t count)
{
	return (call_cycles(f, CAL_CODE, NEAR, count) - call_cycles(f, CAL_CODE, NEAR, count / 2)) /
	       (double)(count / 2);
}

static void fit_branch_targets(struct fitting *f)
{
	uint64_t most = f->fit->number[CAL_ICACHE_SIZE] / NEAR, entries;
	double known, more;

	if (!number_is_found(f, CAL_ICACHE_SIZE)) {
		not_found(f, CAL_BP_ENTRIES, "the instruction cache was not found");
		not_found(f, CAL_BRANCH_STATIC, "the instruction cache was not found");
		return;
	}
	known = pmk_min(each_branch(f, 16), each_branch(f, 32));
	/* Allow for one branch that shares an entry with the loop around the branches. */
	for (entries = 8; entries * 2 <= most; entries *= 2) {
		more = (each_branch(f, entries * 2) - known) * (double)entries;
		if (more > 32 && more > (double)entries / 2)
			break;
	}
	if (entries * 2 > most) {
		const char *why = "all branches that fit in the instruction cache take the same "
				  "time";

		not_found(f, CAL_BP_ENTRIES, why);
		not_found(f, CAL_BRANCH_STATIC, why);
		return;
	}
	number_found(f, CAL_BP_ENTRIES, (double)entries);
	if (entries * 4 <= most)
		number_found(f, CAL_BRANCH_STATIC, each_branch(f, entries * 4));
	else
		not_found(f, CAL_BRANCH_STATIC, "the instruction cache is too small");
}

/* Returns the time that one more function takes if it is called at the given depth. */
static double another_call(struct fitting *f, uint64_t depth)
{
	return call_cycles(f, CAL_CALLS, 0, depth + 1) - call_cycles(f, CAL_CALLS, 0, depth);
}

static void fit_returns(struct fitting *f)
{
	double right = pmk_min(another_call(f, 1), another_call(f, 2)), wrong, other;
	uint64_t entries = first_beyond(f, another_call, MOST_RETURNS, right + 1);

	if (!entries) {
		not_found(f, CAL_RS_ENTRIES, "all 17 nested calls take the same time");
		not_found(f, CAL_BRANCH_MAX, "no return was mispredicted");
		return;
	}
	number_found(f, CAL_RS_ENTRIES, (double)entries);
	wrong = pmk_min(another_call(f, entries), another_call(f, entries + 1)) - right;
	other = call_cycles(f, CAL_TARGETS, 0, 2) - call_cycles(f, CAL_TARGETS, 0, 1);
	if (other > wrong - 0.5 && other < wrong + 0.5)
		number_found(f, CAL_BRANCH_MAX, wrong);
	else
		not_found(f, CAL_BRANCH_MAX,
			  "mispredicted returns and indirect calls take "
			  "different times");
}

/* Returns the additional time of a loop of `count` iterations that gets one more iteration. */
static double another_turn(struct fitting *f, uint64_t count)
{
	return call_cycles(f, CAL_LOOP, 0, count + 1) - call_cycles(f, CAL_LOOP, 0, count);
}

static void fit_history(struct fitting *f)
{
	double wrong = (double)f->fit->number[CAL_BRANCH_MAX], turn, more = 0;
	uint64_t turns;

	if (!number_is_found(f, CAL_BRANCH_MAX)) {
		not_found(f, CAL_BP_HISTORY, "the cost of a misprediction was not found");
		return;
	}
	turn = another_turn(f, MOST_HISTORY + 2);
	for (turns = 1; turns <= MOST_HISTORY; turns++) {
		more = another_turn(f, turns) - turn;
		if (more > wrong / 2)
			break;
	}
	if (turns <= MOST_HISTORY && more > wrong - 0.5 && more < wrong + 0.5)
		number_found(f, CAL_BP_HISTORY, (double)turns);
	else
		not_found(f, CAL_BP_HISTORY,
			  "no loop of up to 17 iterations ends with one misprediction");
}

/* Returns the time of two branches at this distance. */
static double pair_cycles(struct fitting *f, uint64_t words)
{
	return call_cycles(f, CAL_PAIR, words * INSTRUCTION, MOST_HISTORY + 1);
}

/* Finds the number of counters of cores that predict by history. Tables have 2^n counters, or 1.5
 * times as many. */
static void fit_counters(struct fitting *f)
{
	double wrong = (double)f->fit->number[CAL_BRANCH_MAX], none;
	uint64_t words = LEAST_COUNTERS;

	if (!number_is_found(f, CAL_BP_HISTORY))
		return;
	none = pmk_min(pair_cycles(f, words), pair_cycles(f, words + words / 2));
	while (words <= MOST_COUNTERS && pair_cycles(f, words) - none < wrong / 2)
		words += words & (words - 1) ? words / 3 : words / 2;
	if (words <= MOST_COUNTERS)
		number_found(f, CAL_BP_ENTRIES, (double)words);
	else
		not_found(f, CAL_BP_ENTRIES,
			  "no two branches with the same history share a "
			  "counter");
}

static void fit_code(struct fitting *f)
{
	call_cycles(f, CAL_CODE, INSTRUCTION, 1);
	if (f->code == CAL_NO_CODE) {
		f->code = 0;
		for (unsigned i = CAL_ICACHE_WAYS; i < CAL_NUMBERS; i++)
			not_found(f, i, "kernels.c cannot write code on this system");
		return;
	}
	fit_icache(f);
	fit_branch_targets(f);
	fit_returns(f);
	fit_history(f);
	fit_counters(f);
}

int calibrate_fit(calibrate_measure_fn measure, void *ctx, struct calibrate_fit *fit)
{
	struct fitting f = { .measure = measure, .ctx = ctx, .fit = fit };

	*fit = (struct calibrate_fit){ 0 };
	for (unsigned i = 0; i < CAL_NUMBERS; i++)
		fit->why[i] = "it was not looked for";
	fit->hit = load_cycles(&f, 64, 4);
	fit_line(&f);
	if (number_is_found(&f, CAL_LINE))
		fit_dcache(&f);
	if (number_is_found(&f, CAL_DCACHE_SIZE)) {
		fit_utlb(&f);
		fit_tlb(&f);
		fit_tlb_ways(&f);
		fit_levels(&f);
		fit_code(&f);
	}
	return f.code;
}
