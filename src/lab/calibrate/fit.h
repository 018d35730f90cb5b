/* SPDX-License-Identifier: MIT */
/*
 * Finds the parameters of a core's caches, TLBs and branch predictor from the time of chains of
 * loads and of generated code. This file does not depend on a core or counter: the caller runs the
 * kernels and counts their cycles.
 */
#ifndef PMK_CALIBRATE_FIT_H
#define PMK_CALIBRATE_FIT_H

#include <stdint.h>

enum calibrate_kind { CAL_RING, CAL_CODE, CAL_CALLS, CAL_TARGETS, CAL_LOOP, CAL_PAIR };

/*
 * A kernel of data/calibrate/kernels.c, which describes the kinds. RING: each word has the address
 * of the next word, `stride` bytes further. If `line` is not 0, each word is in a page of its own,
 * and the words are spread evenly over the lines of a page.
 */
struct calibrate_kernel {
	/* All members have the same width, so that there is no padding: kernels are compared byte
	 * by byte. */
	uint64_t kind, stride, line, count;
};

/* Returns the name of a kind, such as "ring", which is the program's first argument. */
const char *calibrate_kind_name(enum calibrate_kind kind);

/* Result of a kernel if the program cannot generate code. */
#define CAL_NO_CODE (-1)

/*
 * Measures the cycles of one load of a ring, or of one call of generated code. Returns 0,
 * CAL_NO_CODE, or an exit code, which ends the fit.
 */
typedef int (*calibrate_measure_fn)(void *ctx, const struct calibrate_kernel *kernel,
				    double *cycles);

enum calibrate_what {
	CAL_LINE,	  /* bytes of a line of the data cache */
	CAL_DCACHE_WAYS,  /* dcache.ways */
	CAL_DCACHE_SIZE,  /* dcache.size */
	CAL_UTLB_ENTRIES, /* utlb.entries */
	CAL_UTLB_PENALTY, /* utlb.penalty */
	CAL_TLB_ENTRIES,  /* tlb.entries */
	CAL_TLB_PENALTY,  /* tlb.penalty */
	CAL_TLB_WAYS,	  /* tlb.ways */
	CAL_L2_SIZE,	  /* l2.size; 0: there is no level 2 cache */
	CAL_L2_LATENCY,	  /* l2.latency */
	CAL_MEM_LATENCY,  /* mem.latency */
	CAL_ICACHE_WAYS,  /* icache.ways */
	CAL_ICACHE_SIZE,  /* icache.size */
	/* The parameter bp.entries: entries of a branch target cache, or counters of a table. */
	CAL_BP_ENTRIES,
	CAL_BRANCH_STATIC, /* branch.static_taken */
	CAL_RS_ENTRIES,	   /* rs.entries */
	CAL_BRANCH_MAX,	   /* branch.max: cycles of a mispredicted return or indirect call */
	CAL_BP_HISTORY,	   /* bp.history: only for cores that predict by history */
	CAL_NUMBERS
};

struct calibrate_fit {
	double hit; /* cycles of a load that hits in all levels */
	uint64_t number[CAL_NUMBERS];
	/* Reason why a number was not found; NULL if it was found. */
	const char *why[CAL_NUMBERS];
};

/* Returns the name of the parameter, such as "dcache.ways". Returns NULL for CAL_LINE, which is not
 * a parameter. */
const char *calibrate_key(enum calibrate_what what);

/* Finds the numbers. Returns 0, or the error of `measure`. */
int calibrate_fit(calibrate_measure_fn measure, void *ctx, struct calibrate_fit *fit);

#endif
