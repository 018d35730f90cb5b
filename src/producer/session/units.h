/* SPDX-License-Identifier: MIT */
/*
 * Sampling: only short pieces of a program, the units, are counted; the rest runs without being
 * counted.
 *
 * 	head | rest … warm-up, unit | rest … warm-up, unit | rest …
 *
 * The head, the beginning of the program, is counted completely. After it, each unit represents a
 * stretch of the program and has a random place in it: first the caches are warmed up, then the
 * unit is counted. The stretches grow with the program, up to a limit. All places are numbers of
 * instructions since the program began.
 *
 * The true contents of the caches at the beginning of a unit are not known. So units come in pairs:
 * one begins with a *cold* core, as after a reset, and one with the *stale* state that the previous
 * unit left. The truth is between them.
 *
 * The units give an estimate of each count and a margin, which contains the true count in 95 of 100
 * cases. The margin covers two errors: the variation of the program, as the differences of
 * successive pairs show it, and half the distance between cold and stale units. A number that only
 * a few pairs contain comes in bursts, and the next burst may be outside of all units: the margin
 * is then the sum of the estimates that the units and the head each give for the rest.
 *
 * Reference: Wunderlich et al., "SMARTS: accelerating microarchitecture simulation via rigorous
 * statistical sampling", ISCA 2003, for units, warming and stale state.
 */
#ifndef PMK_SESSION_UNITS_H
#define PMK_SESSION_UNITS_H

#include <stdbool.h>
#include <stdint.h>

#include <pmk/reading.h>

/* How to sample, in instructions. All zero: no sampling. */
struct pmk_units_config {
	uint64_t head;
	uint64_t warm, unit;  /* length of the warm-up before a unit, and of a unit */
	uint64_t least, most; /* length of a stretch */
	/* Between these limits, a stretch is this part of the instructions before it. */
	uint64_t part;
	uint64_t seed; /* seed of the places of units */
};

/* Our choice; bench/README.md shows its cost. */
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

/* The state of a core. */
enum pmk_units_phase {
	PMK_UNITS_WHOLE, /* everything is counted from here to the end */
	PMK_UNITS_HEAD,
	PMK_UNITS_REST, /* only instructions are counted */
	PMK_UNITS_WARM,
	PMK_UNITS_UNIT,
};

/* The places of units of one process. */
struct pmk_units_place {
	uint64_t from, to; /* the stretch of the next unit */
	uint64_t at;	   /* where the warm-up for the next unit begins */
	uint64_t random;
	uint32_t n; /* number of this unit, from 1 */
};

/* True if the unit begins with a cold core. */
static inline bool pmk_units_cold(const struct pmk_units_place *p)
{
	return p->n % 2;
}

/*
 * Choose the place of the next unit, at `now`, where the head or a unit has ended. Start with a
 * zeroed place and random = seed.
 */
void pmk_units_next(struct pmk_units_place *p, const struct pmk_units_config *cfg, uint64_t now);

/* The counts of a piece of the program: the phase that has ended, HEAD or UNIT; or, with WHOLE, all
 * counts up to the point from which everything is counted. */
struct pmk_units_piece {
	uint32_t phase;
	uint64_t from; /* for a unit: where its stretch begins; else where the piece ends */
	uint64_t insns, cycles; /* in the piece */
	struct pmk_reading counts;
};

/* The data about one number so far. */
struct pmk_units_number {
	double head; /* count in the head of the program */
	/*
	 * Sums over completed pairs: the weight (the instructions that a pair represents) and its
	 * square; the weight times the rate per instruction, and the square of that.
	 */
	double weight, weight2, total, square;
	double cold, stale; /* rates of the units of the pair in progress */
	double apart;	    /* sum over pairs of cold - stale */
	uint64_t seen;	    /* count in all units */
	uint64_t pairs;	    /* number of pairs with at least one occurrence */
	double whole;	    /* count at the time when complete counting began */
};

/* The numbers: cycles, and then the events of the plan. */
enum { PMK_UNITS_CYCLES, PMK_UNITS_EVENTS, PMK_UNITS_NNUMBERS = PMK_UNITS_EVENTS + PMK_MAX_EVENTS };

/* The data about one process. Zeroed memory is empty. */
struct pmk_units {
	uint64_t n, insns; /* number of units, and the instructions in them */
	uint64_t head_insns;
	uint64_t cold_from, stale_from; /* starts of the stretches of the last pair */
	bool headed, whole;
	uint64_t whole_from;
	struct pmk_units_number number[PMK_UNITS_NNUMBERS];
};

/* Add a piece. False: it cannot follow the pieces that were added before. */
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
