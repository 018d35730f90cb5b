/* SPDX-License-Identifier: MIT */
/*
 * Sampling: most of a program runs without being counted, and short pieces of it, the units, are.
 *
 *	head | rest … warm-up, unit | rest … warm-up, unit | rest …
 *
 * The head, with which the program begins, is counted as a whole. Behind it each unit stands for a
 * stretch of the program, in which it lies at a place that is drawn: first the caches are warmed
 * up, then the unit is counted. The stretches grow with the program, up to a limit. All numbers of
 * places are instructions executed since the program began.
 *
 * Nobody knows what the caches would hold at the beginning of a unit. So units are in pairs: one
 * begins with a core that is *cold*, as after a reset, and one with the *stale* state in which the
 * unit before it has left the core. What is true lies between them.
 *
 * From the units follow an estimate of each count and a margin, within which the true count is in
 * 95 of 100 cases. Two errors are in it: that the program is not the same everywhere, as successive
 * pairs show; and half the distance between cold and stale units. What only a few pairs have seen
 * comes in bursts, and the next one may be where no unit is: the margin is then as wide as what the
 * units and the head each make of the rest together.
 *
 * Reference: Wunderlich et al., "SMARTS: accelerating microarchitecture simulation via rigorous
 * statistical sampling", ISCA 2003, for units, warming and stale state.
 */
#ifndef PMK_SESSION_UNITS_H
#define PMK_SESSION_UNITS_H

#include <stdbool.h>
#include <stdint.h>

#include <pmk/reading.h>

/* How to sample, in instructions. All zero: nothing is sampled. */
struct pmk_units_config {
	uint64_t head;
	uint64_t warm, unit;  /* before a unit, and a unit */
	uint64_t least, most; /* length of a stretch */
	/* Between these limits, a stretch is this part of what was executed before it. */
	uint64_t part;
	uint64_t seed; /* of the places of units */
};

/* Our choice; bench/README.md says what it costs. */
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

/* What a core does. */
enum pmk_units_phase {
	PMK_UNITS_WHOLE, /* everything is counted, from here to the end */
	PMK_UNITS_HEAD,
	PMK_UNITS_REST, /* nothing is counted but instructions */
	PMK_UNITS_WARM,
	PMK_UNITS_UNIT,
};

/* The places of units of one process. */
struct pmk_units_place {
	uint64_t from, to; /* the stretch of the next unit */
	uint64_t at;	   /* where to begin to warm up for it */
	uint64_t random;
	uint32_t n; /* units so far, with this one */
};

/* Does the unit begin with a cold core? */
static inline bool pmk_units_cold(const struct pmk_units_place *p)
{
	return p->n % 2;
}

/* At `now`, where the head or a unit has ended: draw the place of the next unit. Start with a
 * zeroed place and random = seed. */
void pmk_units_next(struct pmk_units_place *p, const struct pmk_units_config *cfg, uint64_t now);

/* What was counted in a piece of the program: the phase of it that is over, HEAD or UNIT; or, with
 * WHOLE, all that was counted up to where everything is counted from. */
struct pmk_units_piece {
	uint32_t phase;
	uint64_t from;		/* of a unit: where its stretch begins; else where the piece ends */
	uint64_t insns, cycles; /* in the piece */
	struct pmk_reading counts;
};

/* One number: what is known of it so far. */
struct pmk_units_number {
	double head; /* in the head */
	/* Sums over pairs whose stretches are over: of the instructions that they stand for, and
	 * of the squares of that; of these times the rate per instruction, and its square. */
	double weight, weight2, total, square;
	double cold, stale; /* rates of the units of the pair after that */
	double apart;	    /* sum over pairs of cold - stale */
	uint64_t seen;	    /* how many of it were in units */
	uint64_t pairs;	    /* in how many pairs there were any */
	double whole;	    /* counted when everything began to be counted */
};

/* The numbers: cycles, and the events of the plan behind them. */
enum { PMK_UNITS_CYCLES, PMK_UNITS_EVENTS, PMK_UNITS_NNUMBERS = PMK_UNITS_EVENTS + PMK_MAX_EVENTS };

/* What is known of one process. Zeroed memory: nothing. */
struct pmk_units {
	uint64_t n, insns; /* units, and the instructions in them */
	uint64_t head_insns;
	uint64_t cold_from, stale_from; /* of the last pair */
	bool headed, whole;
	uint64_t whole_from;
	struct pmk_units_number number[PMK_UNITS_NNUMBERS];
};

/* Add a piece. False: it cannot be one that follows what was added before. */
bool pmk_units_add(struct pmk_units *u, const struct pmk_units_piece *piece, unsigned nevents);

struct pmk_units_estimate {
	double value;
	double margin; /* half the width of the interval in which the true value is, at 95 % */
};

/*
 * The estimate of number `i`, when the process has executed `executed` instructions and counted
 * `counted` of the number.
 */
struct pmk_units_estimate pmk_units_estimate(const struct pmk_units *u, unsigned i,
					     uint64_t executed, uint64_t counted);

#endif
