/* SPDX-License-Identifier: MIT */
/*
 * Sampling counts only short pieces of a program, the units. The rest of the program runs without
 * being counted.
 *
 * head | rest … warm-up, unit | rest … warm-up, unit | rest …
 *
 * The head, which is the beginning of the program, is counted completely. After the head, each unit
 * represents a stretch of the program and has a random place in it. First the caches are warmed up,
 * and then the unit is counted. The stretches grow with the program, up to a limit. All places are
 * numbers of instructions since the program began.
 *
 * The true contents of the caches at the beginning of a unit are not known. So units come in pairs:
 * one begins with a *cold* core, as after a reset, and the other one with the *stale* state that
 * the previous unit left. The truth is between them.
 *
 * The units give an estimate of each count and a margin, which contains the true count in 95 of 100
 * cases. The margin covers two errors. One is the variation of the program, as the differences of
 * successive pairs show it. The other one is half the distance between cold and stale units. If
 * only a few pairs contain occurrences, the occurrences come in bursts, and the next burst may be
 * outside of all units. In that case the margin is the sum of two estimates for the rest of the
 * program: that of the units and that of the head.
 *
 * Units, warming and stale state are from: Wunderlich et al., "SMARTS: accelerating
 * microarchitecture simulation via rigorous statistical sampling", ISCA 2003.
 */
#ifndef PMK_SESSION_UNITS_H
#define PMK_SESSION_UNITS_H

#include <stdbool.h>
#include <stdint.h>

#include <pmk/reading.h>

/* How to sample. All values are in instructions. If all are zero, there is no sampling. */
struct pmk_units_config {
	uint64_t head;
	uint64_t warm, unit;  /* length of the warm-up before a unit, and of a unit */
	uint64_t least, most; /* shortest and longest stretch */
	/* Between `least` and `most`, the length of a stretch is the number of instructions before
	 * it, divided by `part`. */
	uint64_t part;
	uint64_t seed; /* seed of the places of units */
};

/* These values are our choice. bench/README.md shows their cost. */
#define PMK_UNITS_DEFAULT           \
	((struct pmk_units_config){ \
		.head = 100000000,  \
		.warm = 500000,     \
		.unit = 250000,     \
		.least = 2000000,   \
		.most = 60000000,   \
		.part = 32,         \
		.seed = 1,          \
	})

/* The phase of a core. */
enum pmk_units_phase {
	PMK_UNITS_WHOLE, /* everything is counted from here to the end */
	PMK_UNITS_HEAD,
	PMK_UNITS_REST, /* only instructions are counted */
	PMK_UNITS_WARM,
	PMK_UNITS_UNIT,
};

/* The place of the next unit of one process, and what is needed to choose later places. */
struct pmk_units_place {
	uint64_t from, to; /* the stretch of the next unit */
	uint64_t at;	   /* where the warm-up for the next unit begins */
	uint64_t random;
	uint32_t n; /* number of the next unit, from 1 */
};

/* True if the unit begins with a cold core. */
static inline bool pmk_units_cold(const struct pmk_units_place *p)
{
	return p->n % 2;
}

/*
 * Chooses the place of the next unit. `now` is where the head or a unit has ended. For the first
 * unit, the caller sets `random` to the seed and all other members to 0.
 */
void pmk_units_next(struct pmk_units_place *p, const struct pmk_units_config *cfg, uint64_t now);

/* The counts of a piece of the program. The piece is the phase that has ended, HEAD or UNIT. If the
 * phase is WHOLE, the piece has all counts up to the point from which everything is counted. */
struct pmk_units_piece {
	uint32_t phase;
	uint64_t from; /* for a unit: where its stretch begins; otherwise where the piece ends */
	uint64_t insns, cycles; /* of the piece */
	struct pmk_reading counts;
};

/* What is known about one number so far. */
struct pmk_units_number {
	double head; /* count in the head of the program */
	/*
	 * Sums over completed pairs. The weight of a pair is the number of instructions that it
	 * represents. The sums are those of the weight, of its square, of the weight times the rate
	 * per instruction, and of the square of this product.
	 */
	double weight, weight2, total, square;
	double cold, stale; /* rates of the units of the pair in progress */
	double apart;	    /* sum of cold - stale over all pairs */
	uint64_t seen;	    /* count in all units */
	uint64_t pairs;	    /* number of pairs with at least one occurrence */
	double whole;	    /* count at the time when complete counting began */
};

/* The numbers that are estimated: the cycles, and then the events of the plan. */
enum { PMK_UNITS_CYCLES, PMK_UNITS_EVENTS, PMK_UNITS_NNUMBERS = PMK_UNITS_EVENTS + PMK_MAX_EVENTS };

/* What is known about one process. A zeroed struct contains no pieces. */
struct pmk_units {
	uint64_t n, insns; /* number of units, and the instructions in them */
	uint64_t head_insns;
	uint64_t cold_from, stale_from; /* starts of the stretches of the last pair */
	bool headed, whole;
	uint64_t whole_from;
	struct pmk_units_number number[PMK_UNITS_NNUMBERS];
};

/* Adds a piece. Returns false if it cannot follow the pieces that were added before. */
bool pmk_units_add(struct pmk_units *u, const struct pmk_units_piece *piece, unsigned nevents);

struct pmk_units_estimate {
	double value;
	double margin; /* half the width of the 95 % interval */
};

/*
 * Returns the estimate of number `i`, after the process has executed `executed` instructions and
 * counted `counted` of this number.
 */
struct pmk_units_estimate pmk_units_estimate(const struct pmk_units *u, unsigned i,
					     uint64_t executed, uint64_t counted);

#endif
